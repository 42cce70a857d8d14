//! Rows read as Rust types: structs by the names of the columns, tuples by their order.

use serde::{
    de::{
        DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor,
        value::{Error as ReadError, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use super::{Error, Rows, Value};
use crate::bindings::madoguchi::tool::sql::InvalidStatement;

impl Rows {
    /// Every row as a `T`: a struct with a field a column, or a tuple.
    ///
    /// # Errors
    /// [`Error::Invalid`] when a column does not fit.
    pub fn read<T: DeserializeOwned>(self) -> Result<Vec<T>, Error> {
        let Self { columns, rows, .. } = self;
        rows.into_iter().map(|values| read(&columns, values)).collect()
    }

    /// The first row as a `T`, or none if there is no row.
    ///
    /// # Errors
    /// As [`Rows::read`].
    pub fn first<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        let Self { columns, rows, .. } = self;
        rows.into_iter().next().map(|values| read(&columns, values)).transpose()
    }

    /// How many rows there are.
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

/// One row on its way into a struct or a tuple.
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

/// One value of a row.
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Seat {
        seat_id: String,
        number: u32,
        kind: Kind,
        row: Option<String>,
        is_reserved: bool,
        rating: f64,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Standard,
    }

    fn rows() -> Rows {
        let columns = ["seat_id", "number", "kind", "row", "is_reserved", "rating"];
        let values = vec![
            Value::Text("A1".into()),
            Value::Integer(1),
            Value::Text("standard".into()),
            Value::Null,
            Value::Integer(0),
            Value::Integer(4),
        ];
        Rows { columns: columns.map(str::to_owned).to_vec(), rows: vec![values], changes: 0 }
    }

    #[test]
    fn a_row_is_read_by_the_names_of_its_columns() {
        let seat: Seat = rows().first().unwrap().unwrap();
        assert_eq!(seat.seat_id, "A1");
        assert_eq!((seat.kind, seat.row, seat.is_reserved), (Kind::Standard, None, false));
    }

    #[test]
    fn a_row_is_read_by_the_order_of_its_columns() {
        type Tuple = (String, u32, String, Option<String>, bool, f64);
        let seats: Vec<Tuple> = rows().read().unwrap();
        assert_eq!(seats[0].0, "A1");
    }

    #[test]
    fn a_row_that_does_not_fit_is_an_error() {
        assert!(matches!(rows().read::<(u32,)>(), Err(Error::Invalid(_))));
    }
}
