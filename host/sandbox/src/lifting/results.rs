//! Converts results of a function to JSON, the inverse of `arguments`.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use wasmtime::component::{Type, Val};

use super::schema::{ERR, NO_NUMBERS, OK, SOME};

/// A value of that type in JSON.
pub(crate) fn json(ty: &Type, value: &Val) -> Value {
    let side = |name: &str, ty: Option<Type>, value: &Option<Box<Val>>| {
        let value = ty.zip(value.as_ref()).map_or(Value::Null, |(ty, value)| json(&ty, value));
        json!({ name: value })
    };
    match (ty, value) {
        (Type::List(ty), Val::List(all)) if ty.ty() == Type::U8 => {
            let byte = |it: &Val| if let Val::U8(byte) = it { *byte } else { 0 };
            BASE64_STANDARD.encode(all.iter().map(byte).collect::<Vec<_>>()).into()
        }
        (Type::List(ty), Val::List(all)) => items(all, &ty.ty()),
        (Type::FixedLengthList(ty), Val::FixedLengthList(all)) => items(all, &ty.ty()),
        (Type::Tuple(ty), Val::Tuple(all)) => {
            ty.types().zip(all).map(|(ty, it)| json(&ty, it)).collect()
        }
        (Type::Map(ty), Val::Map(all)) => {
            let pairs = all.iter().map(|(key, it)| (json(&ty.key(), key), json(&ty.value(), it)));
            match ty.key() {
                Type::String => {
                    let text = |key: Value| key.as_str().unwrap_or_default().to_owned();
                    pairs.map(|(key, it)| (text(key), it)).collect::<Map<_, _>>().into()
                }
                _ => pairs.map(|(key, it)| json!([key, it])).collect(),
            }
        }
        (Type::Record(ty), Val::Record(all)) => {
            let fields = ty.fields().zip(all);
            // An option without anything in it is left out.
            let fields = fields.filter(|(_, (_, it))| !matches!(it, Val::Option(None)));
            let fields = fields.map(|(field, (name, it))| (name.clone(), json(&field.ty, it)));
            fields.collect::<Map<_, _>>().into()
        }
        (Type::Option(ty), Val::Option(Some(it))) => match ty.ty() {
            inner @ Type::Option(_) => json!({ SOME: json(&inner, it) }),
            inner => json(&inner, it),
        },
        (Type::Variant(ty), Val::Variant(name, Some(it))) => {
            let case = ty.cases().find(|it| it.name == name).and_then(|it| it.ty);
            json!({ name: case.map_or(Value::Null, |ty| json(&ty, it)) })
        }
        (Type::Result(ty), Val::Result(Ok(it))) => side(OK, ty.ok(), it),
        (Type::Result(ty), Val::Result(Err(it))) => side(ERR, ty.err(), it),
        (_, value) => plain(value),
    }
}

fn items(all: &[Val], ty: &Type) -> Value {
    all.iter().map(|it| json(ty, it)).collect()
}

/// A value that has no others in it.
fn plain(value: &Val) -> Value {
    match value {
        Val::Bool(it) => json!(it),
        Val::S8(it) => json!(it),
        Val::U8(it) => json!(it),
        Val::S16(it) => json!(it),
        Val::U16(it) => json!(it),
        Val::S32(it) => json!(it),
        Val::U32(it) => json!(it),
        Val::S64(it) => json!(it),
        Val::U64(it) => json!(it),
        // The value's own digits, without those added by widening.
        Val::Float32(it) => number(it.to_string().parse().unwrap_or(f64::from(*it))),
        Val::Float64(it) => number(*it),
        Val::Char(it) => json!(it),
        Val::String(it) | Val::Enum(it) | Val::Variant(it, _) => json!(it),
        Val::Flags(all) => json!(all),
        _ => Value::Null,
    }
}

fn number(float: f64) -> Value {
    let [not_a_number, infinite, negative] = NO_NUMBERS;
    match float {
        _ if float.is_nan() => not_a_number.into(),
        _ if float.is_finite() => json!(float),
        _ if float > 0.0 => infinite.into(),
        _ => negative.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_keep_digits_and_non_numbers_are_named() {
        assert_eq!(plain(&Val::Float32(0.1)), json!(0.1));
        assert_eq!(plain(&Val::Float64(1e300)), json!(1e300));
        assert_eq!(plain(&Val::Float64(f64::NAN)), json!("NaN"));
        assert_eq!(plain(&Val::Float32(f32::NEG_INFINITY)), json!("-Infinity"));
        assert_eq!(plain(&Val::Float64(f64::INFINITY)), json!("Infinity"));
    }

    #[test]
    fn integers_are_exact_to_their_bounds() {
        assert_eq!(plain(&Val::U64(u64::MAX)).to_string(), "18446744073709551615");
        assert_eq!(plain(&Val::S64(i64::MIN)).to_string(), "-9223372036854775808");
    }
}
