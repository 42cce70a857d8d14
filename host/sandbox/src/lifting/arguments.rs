//! Converts JSON arguments to values of a function's types, and results to JSON. Errors name their place as other tools'
//! errors do.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use wasmtime::component::{Type, Val};

use super::schema::{ERR, NO_NUMBERS, OK, SOME, bounds};
use crate::bindings::madoguchi::tool::types::Problem;

/// Maximum number of reported problems.
const PROBLEMS_MAX: usize = 32;
/// Maximum number of reported names, and of repeated characters.
const NAMES_MAX: usize = 32;
const CHARS_MAX: usize = 40;
/// Up to here a float is an integer without doubt.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Reads one call's arguments. What it gives none for is among its problems.
pub(super) struct Reader {
    bytes_max: usize,
    left: usize,
    is_full: bool,
    /// JSON pointer of the current value.
    at: String,
    problems: Vec<Problem>,
}

impl Reader {
    /// Reads values of up to `bytes_max` bytes.
    pub(super) fn new(bytes_max: usize) -> Self {
        let (at, problems) = (String::new(), Vec::new());
        Self { bytes_max, left: bytes_max, is_full: false, at, problems }
    }

    /// The arguments in the order of the parameters.
    ///
    /// # Errors
    /// What does not fit, each at its place.
    pub(super) fn arguments(
        mut self,
        parameters: &[(&str, Type)],
        given: &Value,
    ) -> Result<Vec<Val>, Vec<Problem>> {
        let fields = match given {
            Value::Object(given) => self.fields(parameters, given),
            other => self.wrong(format!("must be an object, not {}", shown(other))),
        };
        match fields {
            Some(fields) if self.problems.is_empty() => {
                Ok(fields.into_iter().map(|it| it.1).collect())
            }
            _ => Err(self.problems),
        }
    }

    /// Reads fields of an object. Optional ones may be missing.
    fn fields(
        &mut self,
        fields: &[(&str, Type)],
        given: &Map<String, Value>,
    ) -> Option<Vec<(String, Val)>> {
        let unknown = given.keys().filter(|name| fields.iter().all(|it| it.0 != *name));
        for name in unknown.take(PROBLEMS_MAX) {
            let names: Vec<_> = fields.iter().take(NAMES_MAX).map(|it| it.0).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            let wrong = format!("is not known here; known are: {names}");
            self.inside(name, |it| it.wrong::<()>(wrong));
        }
        let mut values = Vec::with_capacity(fields.len());
        for (name, ty) in fields {
            self.take(name.len())?;
            let value = self.inside(name, |inner| match (given.get(*name), ty) {
                (Some(value), ty) => inner.value(ty, value),
                (None, Type::Option(_)) => inner.value(ty, &Value::Null),
                (None, ty) => inner.wrong(format!("is required: {}", expected(ty))),
            });
            values.extend(value.map(|it| ((*name).to_owned(), it)));
        }
        (values.len() == fields.len()).then_some(values)
    }

    fn value(&mut self, ty: &Type, value: &Value) -> Option<Val> {
        self.take(size_of::<Val>())?;
        let fitting = match (ty, value) {
            (Type::Bool, Value::Bool(it)) => Some(Val::Bool(*it)),
            (Type::Float64, Value::Number(it)) => it.as_f64().map(Val::Float64),
            (Type::Float32, Value::Number(it)) => {
                let narrow = it.as_f64().map(|it| it as f32);
                narrow.filter(|it| it.is_finite()).map(Val::Float32)
            }
            (Type::Char, Value::String(text)) => {
                let mut characters = text.chars();
                let one = characters.next().filter(|_| characters.next().is_none());
                one.map(Val::Char)
            }
            (Type::String, Value::String(text)) => {
                self.take(text.len())?;
                Some(Val::String(text.clone()))
            }
            (Type::List(it), Value::String(text)) if it.ty() == Type::U8 => {
                self.take((text.len() / 4 * 3).saturating_mul(size_of::<Val>()))?;
                let bytes = BASE64_STANDARD.decode(text).ok();
                bytes.map(|it| Val::List(it.into_iter().map(Val::U8).collect()))
            }
            (Type::List(it), Value::Array(items)) if it.ty() != Type::U8 => {
                return self.items(&it.ty(), items).map(Val::List);
            }
            (Type::FixedLengthList(it), Value::Array(items))
                if it.len() as usize == items.len() =>
            {
                return self.items(&it.ty(), items).map(Val::FixedLengthList);
            }
            (Type::Tuple(it), Value::Array(items)) if it.types().len() == items.len() => {
                let types: Vec<_> = it.types().collect();
                return self.each(types.iter().zip(items)).map(Val::Tuple);
            }
            (Type::Map(it), Value::Object(given)) if it.key() == Type::String => {
                return self.map(&it.value(), given).map(Val::Map);
            }
            (Type::Map(it), Value::Array(pairs)) if it.key() != Type::String => {
                return self.pairs(&[it.key(), it.value()], pairs).map(Val::Map);
            }
            (Type::Record(it), Value::Object(given)) => {
                let fields: Vec<_> = it.fields().map(|it| (it.name, it.ty)).collect();
                return self.fields(&fields, given).map(Val::Record);
            }
            (Type::Option(_), Value::Null) => Some(Val::Option(None)),
            (Type::Option(it), value) => {
                let some = match it.ty() {
                    inner @ Type::Option(_) => self.member(ty, value, SOME, Some(&inner))?,
                    inner => Some(Box::new(self.value(&inner, value)?)),
                };
                return Some(Val::Option(some));
            }
            (Type::Enum(it), Value::String(name)) => {
                it.names().any(|it| it == name).then(|| Val::Enum(name.clone()))
            }
            (Type::Flags(it), Value::Array(items)) => {
                let is_flag = |flag: &&str, all: &wasmtime::component::types::Flags| {
                    all.names().any(|name| name == *flag)
                };
                let names = items.iter().map(|name| name.as_str().filter(|name| is_flag(name, it)));
                names.map(|it| it.map(str::to_owned)).collect::<Option<_>>().map(Val::Flags)
            }
            (Type::Variant(it), Value::String(name)) => {
                let is_plain = it.cases().any(|it| it.name == name && it.ty.is_none());
                is_plain.then(|| Val::Variant(name.clone(), None))
            }
            (Type::Variant(it), Value::Object(given)) => {
                let name = given.keys().next().map_or("", String::as_str);
                let payload = it.cases().find(|it| it.name == name).and_then(|it| it.ty);
                let Some(payload) = payload else { return self.unfit(ty, value) };
                let payload = self.member(ty, value, name, Some(&payload))?;
                return Some(Val::Variant(name.to_owned(), payload));
            }
            (Type::Result(it), Value::Object(given)) => {
                return Some(Val::Result(match given.contains_key(OK) {
                    true => Ok(self.member(ty, value, OK, it.ok().as_ref())?),
                    false => Err(self.member(ty, value, ERR, it.err().as_ref())?),
                }));
            }
            (ty, value) => integer(ty, value),
        };
        fitting.or_else(|| self.unfit(ty, value))
    }

    /// The member `name` of an object that has no other. It is null, where nothing belongs there.
    fn member(
        &mut self,
        whole: &Type,
        object: &Value,
        name: &str,
        ty: Option<&Type>,
    ) -> Option<Option<Box<Val>>> {
        let members = object.as_object().filter(|it| it.len() == 1);
        let Some(value) = members.and_then(|it| it.get(name)) else {
            return self.unfit(whole, object);
        };
        self.inside(name, |inner| match ty {
            Some(ty) => inner.value(ty, value).map(|it| Some(Box::new(it))),
            None if value.is_null() => Some(None),
            None => inner.wrong(format!("must be null, not {}", shown(value))),
        })
    }

    fn items(&mut self, ty: &Type, items: &[Value]) -> Option<Vec<Val>> {
        self.each(items.iter().map(|it| (ty, it)))
    }

    /// Reads each item as its type.
    fn each<'a>(&mut self, items: impl Iterator<Item = (&'a Type, &'a Value)>) -> Option<Vec<Val>> {
        let mut values = Vec::new();
        let before = self.problems.len();
        for (index, (ty, item)) in items.enumerate() {
            let value = self.inside(&index.to_string(), |it| it.value(ty, item));
            if self.is_full || self.problems.len() == PROBLEMS_MAX {
                return None;
            }
            values.extend(value);
        }
        (self.problems.len() == before).then_some(values)
    }

    fn map(&mut self, ty: &Type, given: &Map<String, Value>) -> Option<Vec<(Val, Val)>> {
        let mut pairs = Vec::new();
        for (key, value) in given {
            self.take(size_of::<Val>() + key.len())?;
            let value = self.inside(key, |it| it.value(ty, value));
            pairs.extend(value.map(|it| (Val::String(key.clone()), it)));
        }
        (pairs.len() == given.len()).then_some(pairs)
    }

    fn pairs(&mut self, types: &[Type; 2], given: &[Value]) -> Option<Vec<(Val, Val)>> {
        let mut pairs = Vec::new();
        for (index, pair) in given.iter().enumerate() {
            let pair = self.inside(&index.to_string(), |it| match pair {
                Value::Array(items) if items.len() == types.len() => {
                    it.each(types.iter().zip(items))
                }
                other => it.wrong(format!("must be a pair of key and value, not {}", shown(other))),
            });
            let pair = pair.and_then(|it| <[Val; 2]>::try_from(it).ok());
            pairs.extend(pair.map(|[key, value]| (key, value)));
            self.take(0)?;
        }
        (pairs.len() == given.len()).then_some(pairs)
    }

    /// Counts so many bytes more.
    fn take(&mut self, bytes: usize) -> Option<()> {
        if !self.is_full {
            match self.left.checked_sub(bytes) {
                Some(left) => {
                    self.left = left;
                    return Some(());
                }
                None => {
                    self.is_full = true;
                    let (most, each) = (self.bytes_max, size_of::<Val>());
                    let message = format!(
                        "The arguments are larger than this tool takes: its output_bytes_max is {most}, and each value in them counts {each} bytes and its text."
                    );
                    self.problems = vec![Problem { pointer: String::new(), message }];
                }
            }
        }
        None
    }

    fn inside<T>(&mut self, step: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.at.len();
        self.at.push('/');
        self.at += &step.replace('~', "~0").replace('/', "~1");
        let read = read(self);
        self.at.truncate(length);
        read
    }

    fn unfit<T>(&mut self, ty: &Type, value: &Value) -> Option<T> {
        self.wrong(format!("must be {}, not {}", expected(ty), shown(value)))
    }

    fn wrong<T>(&mut self, message: String) -> Option<T> {
        if !self.is_full && self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem { pointer: self.at.clone(), message });
        }
        None
    }
}

/// An integer that `ty` has room for.
fn integer(ty: &Type, value: &Value) -> Option<Val> {
    let exact = |it: f64| (it.fract() == 0.0 && it.abs() <= EXACT_MAX).then_some(it as i128);
    let number = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    let number = number.or_else(|| value.as_f64().and_then(exact))?;
    Some(match ty {
        Type::S8 => Val::S8(number.try_into().ok()?),
        Type::U8 => Val::U8(number.try_into().ok()?),
        Type::S16 => Val::S16(number.try_into().ok()?),
        Type::U16 => Val::U16(number.try_into().ok()?),
        Type::S32 => Val::S32(number.try_into().ok()?),
        Type::U32 => Val::U32(number.try_into().ok()?),
        Type::S64 => Val::S64(number.try_into().ok()?),
        Type::U64 => Val::U64(number.try_into().ok()?),
        _ => return None,
    })
}

/// Describes what fits.
fn expected(ty: &Type) -> String {
    if let Some((least, most)) = bounds(ty) {
        return format!("an integer from {least} to {most}");
    }
    let quoted = |it: &str| format!("{it:?}");
    let some = |names: Vec<String>| {
        let rest = if names.len() > NAMES_MAX { ", …" } else { "" };
        let names: Vec<_> = names.into_iter().take(NAMES_MAX).collect();
        format!("{}{rest}", names.join(", "))
    };
    match ty {
        Type::Bool => "a boolean".to_owned(),
        Type::Float32 => "a number that fits 32 bits".to_owned(),
        Type::Float64 => "a number".to_owned(),
        Type::Char => "a string of one character".to_owned(),
        Type::String => "a string".to_owned(),
        Type::List(it) if it.ty() == Type::U8 => "a string in base64".to_owned(),
        Type::List(_) => "an array".to_owned(),
        Type::FixedLengthList(it) => format!("an array of {} items", it.len()),
        Type::Tuple(it) => format!("an array of {} items", it.types().len()),
        Type::Map(it) if it.key() != Type::String => "an array of pairs".to_owned(),
        Type::Option(option) => match option.ty() {
            Type::Option(_) => format!("null or an object with {SOME:?} alone"),
            inner => expected(&inner),
        },
        Type::Enum(it) => format!("one of {}", some(it.names().map(quoted).collect())),
        Type::Flags(flags) => {
            format!("an array of some of {}", some(flags.names().map(quoted).collect()))
        }
        Type::Variant(variant) => {
            let case = |name: &str, has_payload: bool| match has_payload {
                true => format!("an object with {name:?} alone"),
                false => quoted(name),
            };
            let cases = variant.cases().map(|it| case(it.name, it.ty.is_some()));
            format!("one of {}", some(cases.collect()))
        }
        Type::Result(_) => format!("an object with {OK:?} or {ERR:?} alone"),
        _ => "an object".to_owned(),
    }
}

/// Formats an invalid value, shortened.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > CHARS_MAX => "a string".to_owned(),
        other => other.to_string(),
    }
}

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
