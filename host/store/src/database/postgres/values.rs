//! Converts values to and from PostgreSQL's binary format with the semantics of SQLite.

use std::borrow::Cow;
use std::error::Error as StdError;

use bytes::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Error as PgError, Row};

use super::super::types::Value;

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
