//! Reads component data on a server beside running hosts, without joining as a node or writing.

use std::{borrow::Cow, error::Error as StdError, pin::pin};

use bytes::BytesMut;
use futures::TryStreamExt as _;
use tokio::runtime::Handle;
use tokio_postgres::{
    Client, Error as PgError, Row,
    types::{Format, FromSql, IsNull, ToSql, Type},
};

use super::{
    super::{
        export::{Column, Each, ExportError, StoredDatabase, in_order, nothing, object},
        types::Value,
    },
    Way,
    moving::{SCHEMA_PREFIX, named},
    pool::{Address, Place, describe, parse, tls, unusable},
    server::{ServerError, role_of, schema_of},
};
use crate::data::Taken;

const SNAPSHOT: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0";

/// A connection that only reads. All that it does blocks, so it is for threads that may.
pub struct Reader {
    client: Client,
    runtime: Handle,
    place: Place,
    /// Keeps the connection alive.
    _way: Way,
}

fn failed(error: &PgError) -> ExportError {
    ExportError::Postgres(describe(error))
}

impl Reader {
    /// Reaches the server; `runtime` drives the connection.
    pub fn connect(address: &Address, runtime: Handle) -> Result<Self, ServerError> {
        let (config, place) = parse(&address.url)?;
        let tls = tls(address.ca.as_ref())?;
        let way = Way { config, tls, silence: tokio::sync::watch::Sender::default() };
        let client = runtime.block_on(way.connect()).map_err(|error| {
            ServerError(unusable(&error, &place.at, &place.user, &place.database))
        })?;
        Ok(Self { client, runtime, place, _way: way })
    }

    fn query(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, ExportError> {
        self.runtime.block_on(self.client.query(sql, parameters)).map_err(|it| failed(&it))
    }

    fn execute(&self, sql: &str) -> Result<(), ExportError> {
        self.runtime.block_on(self.client.batch_execute(sql)).map_err(|it| failed(&it))
    }

    /// Runs `read` in one snapshot.
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, ExportError>) -> Result<T, ExportError> {
        self.execute(SNAPSHOT)?;
        let found = read();
        self.execute("ROLLBACK")?;
        found
    }

    /// The databases that there are, and the tables of each with their rows: `most` and one where there are more.
    pub(in super::super) fn databases(
        &self,
        most: u32,
    ) -> Result<Vec<StoredDatabase>, ExportError> {
        let sql = "SELECT n.nspname, c.relname, pg_total_relation_size(c.oid) FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname LIKE 'component\\_%' AND c.relkind = 'r'
            ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\"";
        self.at_once(|| {
            let mut found: Vec<StoredDatabase> = Vec::new();
            for row in self.query(sql, &[])? {
                let (schema, table, bytes): (&str, &str, i64) =
                    (row.get(0), row.get(1), row.get(2));
                let rows = format!(
                    "SELECT count(*) FROM (SELECT 1 FROM {} LIMIT $1) AS rows",
                    named(schema, table)
                );
                let rows = self.query(&rows, &[&(i64::from(most) + 1)])?;
                let rows: i64 = rows.first().map_or(0, |it| it.get(0));
                let name = schema.strip_prefix(SCHEMA_PREFIX).unwrap_or(schema);
                if found.last().is_none_or(|it| it.taken.name != name) {
                    let taken = Taken { name: name.to_owned(), ..Taken::default() };
                    found.push(StoredDatabase { taken, tables: Ok(Vec::new()) });
                }
                if let Some(StoredDatabase { taken, tables: Ok(tables) }) = found.last_mut() {
                    taken.bytes += bytes.unsigned_abs();
                    tables.push((table.to_owned(), u32::try_from(rows).unwrap_or(u32::MAX)));
                }
            }
            Ok(found)
        })
    }

    /// The tables and views of a component.
    pub(in super::super) fn tables(&self, component: &str) -> Result<Vec<String>, ExportError> {
        let sql = "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'v') ORDER BY c.relname COLLATE \"C\"";
        let rows = self.query(sql, &[&schema_of(component)])?;
        Ok(rows.iter().map(|it| it.get(0)).collect())
    }

    /// Hands each row to `each`, and returns how many there were.
    pub(in super::super) fn export(
        &self,
        component: &str,
        table: &str,
        each: Each<'_>,
    ) -> Result<u64, ExportError> {
        self.at_once(|| {
            let tables = self.tables(component)?;
            if tables.is_empty() {
                return Err(nothing(component));
            }
            if !tables.iter().any(|it| it == table) {
                return Err(ExportError::NoTable { table: table.to_owned(), tables });
            }
            let schema = schema_of(component);
            let (columns, is_table) = self.columns(&schema, table)?;
            // Without a key about in the order of insertion.
            let inserted = is_table.then_some("ctid");
            let sql = in_order(&named(&schema, table), &columns, inserted);
            // A view is the guest's own SQL: it is read with the guest's rights, where it has been here since a dump.
            let guest = "SELECT set_config('role', rolname, true) FROM pg_roles WHERE rolname = $1";
            self.query(guest, &[&role_of(&self.place.database, &schema)])?;
            let none: [&str; 0] = [];
            let stream = self.runtime.block_on(self.client.query_raw(&sql, none));
            let mut stream = pin!(stream.map_err(|it| failed(&it))?);
            let mut count = 0;
            while let Some(row) =
                self.runtime.block_on(stream.try_next()).map_err(|it| failed(&it))?
            {
                each(object(&columns, cells(&row).map_err(|it| failed(&it))?))?;
                count += 1;
            }
            Ok(count)
        })
    }

    /// The columns of a table or view, and whether it is a table.
    fn columns(&self, schema: &str, table: &str) -> Result<(Vec<Column>, bool), ExportError> {
        let sql = "SELECT a.attname, t.typname,
                coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)::int4, c.relkind = 'r'
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY a.attnum";
        let rows = self.query(sql, &[&schema, &table])?;
        let column = |row: &Row| Column {
            name: row.get(0),
            is_json: row.get::<_, &str>(1) == "json_text",
            is_secret: row.get::<_, &str>(1) == "secret_text",
            key: row.get::<_, i32>(2).unsigned_abs(),
        };
        Ok((rows.iter().map(column).collect(), rows.first().is_some_and(|it| it.get(3))))
    }
}

// Converts values to and from PostgreSQL's binary format with the semantics of SQLite.

type Failed = Box<dyn StdError + Sync + Send>;

/// Escape character: followed by `0` for NUL, which PostgreSQL cannot store, or by itself. It is a Unicode
/// noncharacter for internal use.
const ESCAPE: char = '\u{FDD0}';

/// A text as PostgreSQL keeps it (STO-47).
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\0') && !text.contains(ESCAPE) {
        return text.into();
    }
    let twice = format!("{ESCAPE}{ESCAPE}");
    text.replace(ESCAPE, &twice).replace('\0', &format!("{ESCAPE}0")).into()
}

/// The text that PostgreSQL keeps so.
fn unescaped(kept: &str) -> String {
    let mut parts = kept.split(ESCAPE);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        match part.strip_prefix('0') {
            Some(rest) => {
                text.push('\0');
                text.push_str(rest);
            }
            None => {
                text.push(ESCAPE);
                text.push_str(if part.is_empty() {
                    parts.next().unwrap_or_default()
                } else {
                    part
                });
            }
        }
    }
    text
}

/// A parameter, of the type that its value has.
#[derive(Debug)]
pub(super) struct Parameter<'a>(pub(super) &'a Value);

/// Declared type of a value. NULL has none.
pub(super) fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::UNKNOWN,
        Value::Integer(_) => Type::INT8,
        Value::Real(_) => Type::FLOAT8,
        Value::Text(_) => Type::TEXT,
        Value::Blob(_) => Type::BYTEA,
    }
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
        match self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Integer(integer) => out.extend_from_slice(&integer.to_be_bytes()),
            Value::Real(real) => out.extend_from_slice(&real.to_bits().to_be_bytes()),
            Value::Text(text) => out.extend_from_slice(escaped(text).as_bytes()),
            Value::Blob(bytes) => out.extend_from_slice(bytes),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
        self.to_sql(ty, out)
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }
}

/// A value of a row.
#[derive(Debug)]
pub(super) struct Cell(pub(super) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Failed> {
        let integer = |bytes: &[u8]| -> Result<Value, Failed> {
            Ok(Value::Integer(match bytes {
                [one] => i64::from(*one != 0),
                [a, b] => i64::from(i16::from_be_bytes([*a, *b])),
                [a, b, c, d] => i64::from(i32::from_be_bytes([*a, *b, *c, *d])),
                _ => i64::from_be_bytes(bytes.try_into()?),
            }))
        };
        Ok(Self(match *ty {
            Type::BOOL | Type::INT2 | Type::INT4 | Type::INT8 => integer(raw)?,
            Type::FLOAT4 => Value::Real(f32::from_be_bytes(raw.try_into()?).into()),
            Type::FLOAT8 => Value::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::NUMERIC => numeric(raw)?,
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN | Type::JSON => {
                Value::Text(unescaped(std::str::from_utf8(raw)?))
            }
            _ => return Err(format!("it is of the type {ty}: CAST it to TEXT or INTEGER").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Failed> {
        Ok(Self(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The values of a row.
pub(super) fn cells(row: &Row) -> Result<Vec<Value>, PgError> {
    (0..row.len()).map(|at| row.try_get::<_, Cell>(at).map(|it| it.0)).collect()
}

/// A sum of integers is `numeric` in PostgreSQL, and an integer in SQLite; one with decimals is real.
fn numeric(raw: &[u8]) -> Result<Value, Failed> {
    let mut parts = raw.chunks_exact(2).map(|it| u16::from_be_bytes([it[0], it[1]]));
    let mut part = || parts.next().ok_or("a number that is cut off");
    let (digits, weight, sign, scale) = (part()?, part()?, part()?, part()?);
    let text = match sign {
        0xC000 => return Ok(Value::Real(f64::NAN)),
        0xD000 => return Ok(Value::Real(f64::INFINITY)),
        0xF000 => return Ok(Value::Real(f64::NEG_INFINITY)),
        _ => {
            let weight = i32::from(weight.cast_signed());
            let mut text = if sign == 0x4000 { "-".to_owned() } else { String::new() };
            text.push('0');
            for place in 0..digits {
                text.push_str(&format!("{:04}", part()?));
                _ = place;
            }
            // Each digit is four decimal ones; the first has the weight 10000^weight.
            text.push_str(&format!("e{}", 4 * (weight + 1 - i32::from(digits))));
            text
        }
    };
    if scale > 0 {
        return Ok(Value::Real(text.parse()?));
    }
    // An integer has no digits behind the point; zeros at its end are not sent.
    let (mantissa, exponent) = text.split_once('e').ok_or("a number without an exponent")?;
    let exponent: u32 = exponent.parse()?;
    let scaled = 10_i128.checked_pow(exponent).zip(mantissa.parse::<i128>().ok());
    let whole = scaled.and_then(|(power, it)| it.checked_mul(power)?.try_into().ok());
    Ok(Value::Integer(whole.ok_or("integer overflow")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode_numeric(parts: &[u16]) -> Option<Value> {
        let raw: Vec<u8> = parts.iter().flat_map(|it| it.to_be_bytes()).collect();
        numeric(&raw).ok()
    }

    #[test]
    fn escapes_nul_reversibly() {
        let (nul, own) = ("\0", "\u{FDD0}");
        let parts = [nul, own, "0", "a", "字"];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = texts.iter().flat_map(|text| parts.map(|part| format!("{text}{part}")));
            texts = longer.chain([String::new()]).collect();
            for text in &texts {
                let kept = escaped(text);
                assert!(!kept.contains(nul) && unescaped(&kept) == *text, "STO-47: {text:?}");
            }
        }
        let kept: std::collections::HashSet<_> = texts.iter().map(|it| escaped(it)).collect();
        let texts: std::collections::HashSet<_> = texts.iter().collect();
        assert_eq!(kept.len(), texts.len(), "STO-47: two texts are never one");
        assert_eq!(unescaped("a\u{FDD0}b"), "a\u{FDD0}b", "as it was kept before");
    }

    #[test]
    fn sums_are_integers_and_decimals_are_real() {
        assert_eq!(decode_numeric(&[0, 0, 0, 0]), Some(Value::Integer(0)));
        assert_eq!(decode_numeric(&[1, 0, 0x4000, 0, 42]), Some(Value::Integer(-42)));
        assert_eq!(decode_numeric(&[1, 2, 0, 0, 5]), Some(Value::Integer(500_000_000)));
        assert_eq!(decode_numeric(&[2, 1, 0, 0, 1, 2]), Some(Value::Integer(10_002)));
        assert_eq!(decode_numeric(&[2, 0, 0, 1, 1, 5_000]), Some(Value::Real(1.5)));
        assert_eq!(decode_numeric(&[1, 0, 0, 1, 2]), Some(Value::Real(2.0)));
        let most = [5, 4, 0, 0, 922, 3_372, 368, 5_477, 5_807];
        assert_eq!(decode_numeric(&most), Some(Value::Integer(i64::MAX)));
        assert_eq!(decode_numeric(&[5, 4, 0, 0, 922, 3_372, 368, 5_477, 5_808]), None, "too large");
        assert_eq!(decode_numeric(&[3, 0, 0, 0, 1]), None, "cut off");
    }
}
