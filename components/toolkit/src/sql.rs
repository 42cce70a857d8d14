//! The component's own database: statements, batches, and rows read as Rust types.
//!
//! Statements are the subset that SQLite and PostgreSQL share, with `$1` for the first parameter.
//! There is no transaction to hold open: a batch of writes is sent whole and holds whole or not at
//! all, and [`Statement::expect`] makes it depend on what it finds.
//!
//! ```no_run
//! use toolkit::{Stop, sql};
//!
//! fn free_seats(screen: &str) -> Result<Vec<(String, u32)>, Stop> {
//!     let [seats] = sql::query([
//!         toolkit::sql!("SELECT seat_id, number FROM seats WHERE screen_id = $1", screen),
//!     ])?;
//!     Ok(seats.read()?)
//! }
//! ```

use serde::{
    Serialize,
    de::{
        DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor,
        value::{Error as ReadError, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

pub use crate::bindings::madoguchi::tool::sql::{
    ConstraintFailure, ConstraintKind, Error, Rows, Statement, UnexpectedCount, Value,
};
use crate::{
    Stop,
    bindings::madoguchi::tool::sql::{self, InvalidStatement},
    unavailable,
};

/// Reads in one snapshot: one result per statement. Never waits for a writer.
pub fn query<const N: usize>(statements: [Statement; N]) -> Result<[Rows; N], Error> {
    sql::query(&statements).map(as_many)
}

/// Like [`query`], for a batch whose length is only known at run time.
pub fn query_all(statements: &[Statement]) -> Result<Vec<Rows>, Error> {
    sql::query(statements)
}

/// Writes and reads in one transaction, which is durable when this returns.
///
/// # Errors
/// See [`Error`]; after one, nothing of the batch was applied.
pub fn transact<const N: usize>(statements: [Statement; N]) -> Result<[Rows; N], Error> {
    sql::transact(&statements).map(as_many)
}

/// Like [`transact`], for a batch whose length is only known at run time.
///
/// # Errors
/// See [`Error`]; after one, nothing of the batch was applied.
pub fn transact_all(statements: &[Statement]) -> Result<Vec<Rows>, Error> {
    sql::transact(statements)
}

/// Result of a transaction; `None` if a statement found another number of rows than it expects.
///
/// # Errors
/// Any other error of the transaction.
pub fn if_expected<T>(written: Result<T, Error>) -> Result<Option<T>, Error> {
    match written {
        Err(Error::UnexpectedCount(_)) => Ok(None),
        written => written.map(Some),
    }
}

fn as_many<const N: usize>(rows: Vec<Rows>) -> [Rows; N] {
    rows.try_into().unwrap_or_else(|_| panic!("the host answers every statement"))
}

/// A statement with its parameters: `sql!("SELECT … WHERE id = $1", id)`.
#[macro_export]
macro_rules! sql {
    ($sql:expr $(, $parameter:expr)* $(,)?) => {
        $crate::sql::Statement::new($sql)$(.bind($parameter))*
    };
}

impl Statement {
    /// A statement without parameters.
    pub fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), parameters: Vec::new(), expect: None }
    }

    /// Binds the next `$n`.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.parameters.push(value.into());
        self
    }

    /// Binds the next `$n`s; [`placeholders`] writes them into the statement.
    #[must_use]
    pub fn bind_all<V: Into<Value>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.parameters.extend(values.into_iter().map(Into::into));
        self
    }

    /// Rolls the whole batch back unless it changes, or for a SELECT returns, this number of rows.
    #[must_use]
    pub fn expect(mut self, rows: usize) -> Self {
        self.expect = Some(u32::try_from(rows).unwrap_or(u32::MAX));
        self
    }
}

/// `$3, $4, $5` for three parameters from `$3`.
#[must_use]
pub fn placeholders(first: usize, count: usize) -> String {
    (first..first + count).map(|it| format!("${it}")).collect::<Vec<_>>().join(", ")
}

/// The name that serde has for a variant without fields, which [`Rows::read`] reads as that variant.
///
/// # Panics
/// When it is written as anything but a text.
#[must_use]
pub fn name_of(variant: impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(name)) => name,
        other => panic!("no name of a variant: {other:?}"),
    }
}

/// Splits a file into statements: each ends with a `;` at the end of its line, `--` begins a comment line.
#[must_use]
pub fn statements(file: &str) -> Vec<String> {
    let lines = file.lines().filter(|it| !it.trim_start().starts_with("--"));
    let text = lines.map(str::trim_end).collect::<Vec<_>>().join("\n");
    let statements = text.split(";\n").map(|it| it.trim().trim_end_matches(';'));
    statements.filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// For errors that a tool does not handle: limits and the disk stop the call; others are the author's
/// mistakes and trap.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::LimitExceeded(what) => unavailable(format!("Too much data: {what}"), None),
            Error::Unavailable(why) => unavailable(format!("The database failed: {why}"), None),
            mistake => panic!("{mistake:?}"),
        }
    }
}

// Rows parsed as Rust types: structs by column names, tuples by column order.
impl Rows {
    /// Parses every row as a `T`: a struct with a field per column, or a tuple.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a column does not fit.
    pub fn read<T: DeserializeOwned>(self) -> Result<Vec<T>, Error> {
        let Self { columns, rows, .. } = self;
        rows.into_iter().map(|values| read(&columns, values)).collect()
    }

    /// Parses the first row as a `T`, if there is one.
    ///
    /// # Errors
    /// The same as those of [`Rows::read`].
    pub fn first<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        let Self { columns, rows, .. } = self;
        rows.into_iter().next().map(|values| read(&columns, values)).transpose()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn read<T: DeserializeOwned>(columns: &[String], values: Vec<Value>) -> Result<T, Error> {
    T::deserialize(Row { columns, values }).map_err(|error| {
        Error::Invalid(InvalidStatement { statement: 0, message: format!("its row: {error}") })
    })
}

/// Deserializer of a row.
struct Row<'a> {
    columns: &'a [String],
    values: Vec<Value>,
}

impl<'de> Deserializer<'de> for Row<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let cells = self.values.into_iter().map(Cell);
        visitor.visit_map(MapDeserializer::new(self.columns.iter().map(String::as_str).zip(cells)))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, to: V) -> Result<V::Value, ReadError> {
        to.visit_seq(SeqDeserializer::new(self.values.into_iter().map(Cell)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple_struct map struct enum identifier ignored_any
    }
}

/// Deserializer of a value.
struct Cell(Value);

impl IntoDeserializer<'_, ReadError> for Cell {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Cell {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Integer(value) => visitor.visit_i64(value),
            Value::Real(value) => visitor.visit_f64(value),
            Value::Text(value) => visitor.visit_string(value),
            Value::Blob(value) => visitor.visit_byte_buf(value),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Integer(value @ (0 | 1)) => visitor.visit_bool(value == 1),
            other => Err(ReadError::custom(format!("{other:?} is neither 0 nor 1"))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            value => visitor.visit_some(Self(value)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Text(name) => visitor.visit_enum(name.into_deserializer()),
            other => Err(ReadError::custom(format!("{other:?} is no name of a variant"))),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Integer(value.into())
            }
        }
    )+};
}

integers!(i8, i16, i32, i64, u8, u16, u32, bool);

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Blob(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[test]
    fn splits_sql_file_into_statements() {
        let file = "-- Films.\nCREATE TABLE a (\n  b TEXT -- why\n);\n\nCREATE INDEX c ON a (b);\n";
        assert_eq!(
            statements(file),
            ["CREATE TABLE a (\n  b TEXT -- why\n)", "CREATE INDEX c ON a (b)"]
        );
    }

    #[test]
    fn numbers_placeholders_from_the_first() {
        assert_eq!(placeholders(3, 3), "$3, $4, $5");
        let statement = sql!("SELECT $1, $2, $3", "a").bind_all([1, 2]).expect(1);
        assert_eq!((statement.parameters.len(), statement.expect), (3, Some(1)));
    }

    #[test]
    fn full_disk_is_unavailable() {
        let stop = Stop::from(Error::Unavailable("disk full".into()));
        assert!(matches!(stop, Stop::Unavailable(_)));
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Seat {
        seat_id: String,
        number: u32,
        kind: Kind,
        row: Option<String>,
        is_reserved: bool,
        rating: f64,
    }

    #[derive(Debug, Serialize, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Standard,
    }

    fn rows() -> Rows {
        let columns = ["seat_id", "number", "kind", "row", "is_reserved", "rating"];
        let values = vec![
            Value::Text("A1".into()),
            Value::Integer(1),
            name_of(Kind::Standard).into(),
            Value::Null,
            Value::Integer(0),
            Value::Integer(4),
        ];
        Rows { columns: columns.map(str::to_owned).to_vec(), rows: vec![values], changes: 0 }
    }

    #[test]
    fn reads_struct_by_column_names() {
        let seat: Seat = rows().first().unwrap().unwrap();
        assert_eq!(seat.seat_id, "A1");
        assert_eq!((seat.kind, seat.row, seat.is_reserved), (Kind::Standard, None, false));
    }

    #[test]
    fn reads_tuple_by_column_order() {
        type Tuple = (String, u32, String, Option<String>, bool, f64);
        let seats: Vec<Tuple> = rows().read().unwrap();
        assert_eq!(seats[0].0, "A1");
    }

    #[test]
    fn rejects_unfitting_row() {
        assert!(matches!(rows().read::<(u32,)>(), Err(Error::Invalid(_))));
    }
}
