//! JSON Schemas (2020-12) of a function's arguments and results.
//!
//! | type | in JSON |
//! |---|---|
//! | `bool`, integers | the same, with the integers' bounds |
//! | `f32`, `f64` | a number; put out, also `"NaN"`, `"Infinity"` and `"-Infinity"` |
//! | `char`, `string` | a string, of one character |
//! | `list<u8>` | a string in base64 |
//! | `list<T>`, `list<T, N>`, `tuple` | an array |
//! | `record` | an object; a field that is an option may be left out |
//! | `option<T>` | `null` or what T is; where T may be `null` itself, `{"some": T}` |
//! | `enum` | one of its names |
//! | `variant` | the case's name, or `{"CASE": payload}` |
//! | `flags` | an array of names |
//! | `result<T, E>` inside other types | `{"ok": T}` or `{"err": E}` |
//! | `map<string, T>` | an object; with other keys, an array of pairs |

use serde_json::{Map, Value, json};
use wasmtime::component::{Type, types::ComponentFunc};

use super::RESULT;

/// Bytes that the schemas of one function may have, about; and how deep its types may go.
const BYTES_MAX: usize = 128 << 10;
const DEPTH_MAX: usize = 48;
/// Approximate size of a schema without names.
const SCHEMA_BYTES: usize = 64;
/// Float values without a JSON number.
pub(super) const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
/// The member of an option that holds what may be null itself, and those of a result.
pub(super) const SOME: &str = "some";
pub(super) const OK: &str = "ok";
pub(super) const ERR: &str = "err";

/// Both schemas of a function.
pub(super) struct Described {
    pub(super) input: Value,
    pub(super) output: Value,
}

/// Direction of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

/// Schemas of a function, or why a type has none.
pub(super) fn described(function: &ComponentFunc) -> Result<Described, String> {
    let mut writer = Writer { side: Side::Input, left: BYTES_MAX, depth: 0 };
    let input = writer.object(function.params().map(|(name, ty)| (name.to_owned(), ty)))?;
    writer.side = Side::Output;
    let result = match function.results().next() {
        Some(Type::Result(it)) => {
            // Error texts are outside the schema but are still passed.
            it.err().map(|it| writer.schema(&it)).transpose()?;
            it.ok()
        }
        other => other,
    };
    let output = match &result {
        Some(ty) if is_object(ty) => writer.schema(ty)?,
        Some(ty) => closed([(RESULT.to_owned(), writer.schema(ty)?)], &[RESULT]),
        None => closed([], &[]),
    };
    Ok(Described { input, output })
}

/// Whether values of that type are JSON objects, whichever they are.
pub(super) fn is_object(ty: &Type) -> bool {
    match ty {
        Type::Record(_) => true,
        Type::Map(it) => it.key() == Type::String,
        _ => false,
    }
}

/// The bounds of an integer.
pub(super) fn bounds(ty: &Type) -> Option<(i128, i128)> {
    Some(match ty {
        Type::S8 => (i8::MIN.into(), i8::MAX.into()),
        Type::U8 => (0, u8::MAX.into()),
        Type::S16 => (i16::MIN.into(), i16::MAX.into()),
        Type::U16 => (0, u16::MAX.into()),
        Type::S32 => (i32::MIN.into(), i32::MAX.into()),
        Type::U32 => (0, u32::MAX.into()),
        Type::S64 => (i64::MIN.into(), i64::MAX.into()),
        Type::U64 => (0, u64::MAX.into()),
        _ => return None,
    })
}

struct Writer {
    side: Side,
    left: usize,
    depth: usize,
}

impl Writer {
    fn charge(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or("its types are too large to be described")?;
        Ok(())
    }

    fn schema(&mut self, ty: &Type) -> Result<Value, String> {
        self.charge(SCHEMA_BYTES)?;
        if self.depth == DEPTH_MAX {
            return Err(format!("its types go deeper than {DEPTH_MAX} levels"));
        }
        self.depth += 1;
        let schema = self.schema_of(ty);
        self.depth -= 1;
        schema
    }

    fn schema_of(&mut self, ty: &Type) -> Result<Value, String> {
        if let Some((least, most)) = bounds(ty) {
            // Each of them is one of an `i64` or a `u64`.
            let number = |number: i128| match i64::try_from(number) {
                Ok(it) => json!(it),
                Err(_) => json!(u64::try_from(number).unwrap_or(u64::MAX)),
            };
            let (least, most) = (number(least), number(most));
            return Ok(json!({ "type": "integer", "minimum": least, "maximum": most }));
        }
        let no = |what: &str| Err(format!("its types have {what}, for which JSON has no word"));
        Ok(match ty {
            Type::Bool => json!({ "type": "boolean" }),
            Type::Float32 | Type::Float64 => match self.side {
                Side::Input => json!({ "type": "number" }),
                Side::Output => json!({ "anyOf": [{ "type": "number" }, { "enum": NO_NUMBERS }] }),
            },
            Type::Char => json!({ "type": "string", "minLength": 1, "maxLength": 1 }),
            Type::String => json!({ "type": "string" }),
            Type::List(list) if list.ty() == Type::U8 => {
                json!({ "type": "string", "contentEncoding": "base64" })
            }
            Type::List(it) => json!({ "type": "array", "items": self.schema(&it.ty())? }),
            Type::FixedLengthList(list) => {
                let (length, items) = (list.len(), self.schema(&list.ty())?);
                json!({ "type": "array", "items": items, "minItems": length, "maxItems": length })
            }
            Type::Tuple(it) => self.tuple(it.types())?,
            Type::Map(map) if map.key() == Type::String => {
                json!({ "type": "object", "additionalProperties": self.schema(&map.value())? })
            }
            Type::Map(map) => {
                json!({ "type": "array", "items": self.tuple([map.key(), map.value()].into_iter())? })
            }
            Type::Record(it) => self.object(it.fields().map(|it| (it.name.to_owned(), it.ty)))?,
            Type::Option(option) => {
                let (inner, schema) = (option.ty(), self.schema(&option.ty())?);
                let some = match inner {
                    Type::Option(_) => closed([(SOME.to_owned(), schema)], &[SOME]),
                    _ => schema,
                };
                json!({ "anyOf": [some, { "type": "null" }] })
            }
            Type::Enum(it) => json!({ "type": "string", "enum": self.names(it.names())? }),
            Type::Flags(flags) => {
                let items = json!({ "type": "string", "enum": self.names(flags.names())? });
                json!({ "type": "array", "items": items, "uniqueItems": true })
            }
            Type::Variant(variant) => {
                let cases: Vec<_> = variant.cases().map(|it| (it.name.to_owned(), it.ty)).collect();
                let plain = cases.iter().filter(|it| it.1.is_none()).map(|it| it.0.as_str());
                let plain = self.names(plain)?;
                let mut choices = Vec::new();
                if !plain.is_empty() {
                    choices.push(json!({ "type": "string", "enum": plain }));
                }
                for (name, ty) in cases.iter().filter_map(|it| Some((&it.0, it.1.as_ref()?))) {
                    choices.push(self.choice(name, Some(ty))?);
                }
                any(choices)
            }
            Type::Result(result) => {
                let (ok, err) = (result.ok(), result.err());
                any(vec![self.choice(OK, ok.as_ref())?, self.choice(ERR, err.as_ref())?])
            }
            Type::Own(_) | Type::Borrow(_) => return no("a resource"),
            Type::Stream(_) => return no("a stream"),
            Type::Future(_) => return no("a future"),
            Type::ErrorContext => return no("an error context"),
            _ => return no("something"),
        })
    }

    /// Schema of an object with one member.
    fn choice(&mut self, name: &str, ty: Option<&Type>) -> Result<Value, String> {
        self.charge(2 * name.len())?;
        let schema = ty.map_or_else(|| Ok(json!({ "type": "null" })), |it| self.schema(it))?;
        Ok(closed([(name.to_owned(), schema)], &[name]))
    }

    fn tuple(&mut self, types: impl Iterator<Item = Type>) -> Result<Value, String> {
        let items: Vec<_> = types.map(|it| self.schema(&it)).collect::<Result<_, _>>()?;
        let length = items.len();
        let (least, most) = (length, length);
        Ok(json!({ "type": "array", "prefixItems": items, "minItems": least, "maxItems": most }))
    }

    fn object(&mut self, fields: impl Iterator<Item = (String, Type)>) -> Result<Value, String> {
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        for (name, ty) in fields {
            self.charge(2 * name.len())?;
            if !matches!(ty, Type::Option(_)) {
                required.push(name.clone());
            }
            properties.push((name, self.schema(&ty)?));
        }
        let required: Vec<_> = required.iter().map(String::as_str).collect();
        Ok(closed(properties, &required))
    }

    fn names<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> Result<Vec<&'a str>, String> {
        names.map(|it| self.charge(it.len()).map(|()| it)).collect()
    }
}

/// An object with these members and no other.
fn closed(properties: impl IntoIterator<Item = (String, Value)>, required: &[&str]) -> Value {
    let properties: Map<_, _> = properties.into_iter().collect();
    let mut schema = json!({
        "type": "object", "properties": properties, "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn any(mut choices: Vec<Value>) -> Value {
    match choices.len() {
        1 => choices.remove(0),
        _ => json!({ "anyOf": choices }),
    }
}
