//! Parses and validates a tool's arguments.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::{Problem, definition::input_schema};

/// Parses the arguments of one call.
///
/// # Errors
/// Every missing, unknown and mistyped field, with the expected value.
pub fn read<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, Vec<Problem>> {
    serde_json::from_str(json).or_else(|_| {
        let mut arguments = serde_json::from_str(json).map_err(|error| vec![not_json(&error)])?;
        let schema = Value::Object(input_schema::<T>());
        if !make_integers(&schema, &mut arguments) {
            return Err(problems::<T>(&schema, &arguments, json));
        }
        let json = arguments.to_string();
        serde_json::from_str(&json).map_err(|_| problems::<T>(&schema, &arguments, &json))
    })
}

/// Like [`read`], and holds what serde has no word for against the schema: ranges, lengths and numbers of items.
///
/// # Errors
/// Every problem, with the expected value.
pub fn read_checked<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, Vec<Problem>> {
    let arguments = read::<T>(json)?;
    let schema = Value::Object(input_schema::<T>());
    let mut value = serde_json::from_str(json).map_err(|error| vec![not_json(&error)])?;
    make_integers(&schema, &mut value);
    let mut found = Vec::new();
    check(&schema, &value, "", &mut found);
    if found.is_empty() { Ok(arguments) } else { Err(found) }
}

/// Slow path: the schema reports every problem, serde only the first.
fn problems<T: DeserializeOwned>(schema: &Value, arguments: &Value, json: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    check(schema, arguments, "", &mut found);
    if found.is_empty() {
        found.extend(parse_with_schema::<T>(json, Some(schema)).err());
    }
    found
}

/// Converts numbers without a fraction to integers where the schema requires them: `2.0` is an integer
/// in JSON Schema but not for serde. Returns whether there were any.
fn make_integers(schema: &Value, value: &mut Value) -> bool {
    // Largest range of integers that floats represent exactly.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    let mut any = false;
    if let Some(variants) = variants(schema) {
        for it in variants {
            any |= make_integers(it, value);
        }
        return any;
    }
    match value {
        Value::Number(number) if number.is_f64() => {
            let is_integer =
                schema.get("type").is_some_and(|it| names(it).any(|it| it == "integer"));
            let whole = number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() <= EXACT_MAX);
            let Some(whole) = whole.filter(|_| is_integer) else { return false };
            *value = (whole as i64).into();
            any = true;
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return false };
            for it in items {
                any |= make_integers(schema, it);
            }
        }
        Value::Object(fields) => {
            let properties = schema.get("properties");
            let others = schema.get("additionalProperties");
            for (name, it) in fields {
                let schema = properties.and_then(|it| it.get(name)).or(others);
                any |= schema.is_some_and(|schema| make_integers(schema, it));
            }
        }
        _ => {}
    }
    any
}

/// Invalid JSON.
fn not_json(error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    Problem::at("", format!("must be JSON; it is broken at line {line}, column {column}"))
}

/// Parses JSON other than arguments: a line of a file, another host's answer. Skips a byte order mark.
///
/// # Errors
/// The first problem: where, and what is expected.
pub fn parse<T: DeserializeOwned>(json: &str) -> Result<T, Problem> {
    parse_with_schema(json.strip_prefix('\u{feff}').unwrap_or(json), None)
}

/// Parses `json`, with error texts of our own, because serde's mention Rust types.
///
/// # Errors
/// The first problem.
pub(crate) fn parse_with_schema<T: DeserializeOwned>(
    json: &str,
    schema: Option<&Value>,
) -> Result<T, Problem> {
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json)).map_err(
        |error| {
            let (at, why) = (pointer(error.path()), error.inner().to_string());
            let value: Value = match serde_json::from_str(json) {
                Ok(value) => value,
                Err(error) => return not_json(&error),
            };
            let schema = schema.and_then(|it| part(it, &at));
            Problem::at(&at, message(&why, schema, value.pointer(&at)))
        },
    )
}

/// Converts serde's error to the expected value.
fn message(why: &str, schema: Option<&Value>, value: Option<&Value>) -> String {
    let why = why.split(" at line ").next().unwrap_or_default();
    let quoted = |prefix: &str| why.strip_prefix(prefix)?.split('`').next();
    if let Some(name) = quoted("duplicate field `") {
        return format!("has {name} twice");
    }
    if let Some(name) = quoted("missing field `") {
        return format!("has no {name}, which is required");
    }
    if let Some(name) = quoted("unknown field `") {
        return format!("has {name}, which is not known here");
    }
    let is_serdes =
        ["invalid ", "unknown variant", "data did not match", "EOF", "expected", "trailing"];
    if !is_serdes.iter().any(|it| why.starts_with(it)) {
        // The type's own message.
        return why.to_owned();
    }
    let not = value.map_or_else(String::new, |it| format!(", not {}", shown(it)));
    if let (None, Some((_, choices))) = (schema, why.split_once(", expected "))
        && why.starts_with("unknown variant")
    {
        return format!("must be {}{not}", choices.replace('`', "\""));
    }
    let kind = why.rsplit("expected ").next().unwrap_or_default();
    let expected = range(kind).or_else(|| schema.map(expected)).filter(|it| !it.is_empty());
    match expected.or_else(|| plain(kind).map(str::to_owned)) {
        Some(expected) => format!("must be {expected}{not}"),
        None if schema.is_some() => format!("does not fit{not}; the input schema says what does"),
        None => format!("does not fit{not}"),
    }
}

/// Range of a Rust integer type.
fn range(kind: &str) -> Option<String> {
    let (least, most) = match kind {
        "u8" => (0, u64::from(u8::MAX)),
        "u16" => (0, u64::from(u16::MAX)),
        "u32" | "usize" => (0, u64::from(u32::MAX)),
        "u64" => (0, u64::MAX),
        "i8" => (i64::from(i8::MIN), i8::MAX as u64),
        "i16" => (i64::from(i16::MIN), i16::MAX as u64),
        "i32" | "isize" => (i64::from(i32::MIN), i32::MAX as u64),
        "i64" => (i64::MIN, i64::MAX as u64),
        _ => return None,
    };
    Some(format!("an integer from {least} to {most}"))
}

/// Text for serde's expectation without a schema.
fn plain(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "a string" | "string" | "str" | "a borrowed string" => "a string",
        "a boolean" => "true or false",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a map" | "map" => "an object",
        _ if kind.starts_with("struct ") => "an object",
        _ => return None,
    })
}

/// Formats the given value, shortened.
fn shown(value: &Value) -> String {
    const CHARS_MAX: usize = 40;
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > CHARS_MAX => "a string".to_owned(),
        other => other.to_string(),
    }
}

/// Formats a value of the wrong size: long ones by their size.
fn sized(value: &Value) -> String {
    let shown = shown(value);
    match value {
        Value::Array(items) => format!("of {}", items.len()),
        Value::String(text) if shown == "a string" => format!("of {}", text.chars().count()),
        _ => shown,
    }
}

/// Subschema at a pointer into the value.
fn part<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, name| {
        let name = name.replace("~1", "/").replace("~0", "~");
        let schema = variants(schema).and_then(|it| it.into_iter().next()).unwrap_or(schema);
        let properties = schema.get("properties").and_then(|it| it.get(&name));
        let other = || schema.get("items").or_else(|| schema.get("additionalProperties"));
        properties.or_else(other).filter(|it| it.is_object())
    })
}

/// Alternatives of a schema except null.
fn variants(schema: &Value) -> Option<Vec<&Value>> {
    let variants = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    Some(variants.iter().filter(|it| it.get("type") != Some(&"null".into())).collect())
}

/// Describes what a schema expects; empty if it does not say.
fn expected(schema: &Value) -> String {
    if let Some(choices) = schema.as_object().and_then(choices) {
        let choices = choices.iter().filter(|it| !it.is_null()).map(|it| it.to_string());
        return format!("one of {}", choices.collect::<Vec<_>>().join(", "));
    }
    if let Some(variants) = variants(schema) {
        return variants
            .into_iter()
            .map(expected)
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join(" or ");
    }
    let Some(types) = schema.get("type") else { return String::new() };
    // Null is expressed by omission.
    let types = names(types).filter(|it| *it != "null").map(article);
    let types = types.collect::<Vec<_>>().join(" or ");
    let limit = |name: &str| schema.get(name).filter(|it| it.is_number());
    let sizes = SIZES.map(|(least, most, from, unit)| match (limit(least), limit(most)) {
        (Some(least), Some(most)) if least == most => format!(" of {least}{unit}"),
        (Some(least), Some(most)) => format!(" {from} {least} to {most}{unit}"),
        (Some(least), None) => format!(" of {least}{unit} or more"),
        (None, Some(most)) => format!(" of {most}{unit} or less"),
        (None, None) => String::new(),
    });
    types + &sizes.concat()
}

/// Keywords of the least and the most, by what they limit: a number, a text, a list; and their words.
const SIZES: [(&str, &str, &str, &str); 3] = [
    ("minimum", "maximum", "from", ""),
    ("minLength", "maxLength", "of", " characters"),
    ("minItems", "maxItems", "of", " items"),
];

/// Whether a number, the length of a text or that of a list is as the schema has it.
fn is_in_range(schema: &Map<String, Value>, value: &Value) -> bool {
    let (size, (least, most, ..)) = match value {
        Value::Number(number) => (number.as_f64().unwrap_or_default(), SIZES[0]),
        Value::String(text) => (text.chars().count() as f64, SIZES[1]),
        Value::Array(items) => (items.len() as f64, SIZES[2]),
        _ => return true,
    };
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    limit(least).is_none_or(|it| size >= it) && limit(most).is_none_or(|it| size <= it)
}

/// Validates `value` against the subset of JSON Schema that schemars writes for plain types.
fn check(schema: &Value, value: &Value, at: &str, found: &mut Vec<Problem>) {
    let whole = schema;
    let Some(schema) = schema.as_object() else { return };
    let parse_with_schema =
        || Problem::at(at, format!("must be {}, not {}", expected(whole), shown(value)));
    if let Some(choices) = choices(schema) {
        if !choices.contains(&value) {
            found.push(parse_with_schema());
        }
        return;
    }
    if let Some(variants) = variants(whole) {
        let is_null = value.is_null();
        let problems: Vec<Vec<Problem>> = variants
            .iter()
            .map(|part| {
                let mut found = Vec::new();
                check(part, value, at, &mut found);
                found
            })
            .collect();
        return match problems.as_slice() {
            _ if is_null || problems.iter().any(Vec::is_empty) => {}
            [only] => found.extend(only.iter().cloned()),
            _ if expected(whole).is_empty() => {}
            _ => found.push(parse_with_schema()),
        };
    }
    let is_type = schema.get("type").is_none_or(|types| names(types).any(|it| is(it, value)));
    if !is_type {
        return found.push(parse_with_schema());
    }
    if !is_in_range(schema, value) {
        return found
            .push(Problem::at(at, format!("must be {}, not {}", expected(whole), sized(value))));
    }
    match value {
        Value::Object(fields) => check_fields(schema, fields, at, found),
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                check(schema, item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn check_fields(
    schema: &Map<String, Value>,
    fields: &Map<String, Value>,
    at: &str,
    found: &mut Vec<Problem>,
) {
    let nothing = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    for name in schema.get("required").into_iter().flat_map(names) {
        if !fields.contains_key(name) {
            let kind = properties.get(name).map(expected).unwrap_or_default();
            let message = format!("is required{}{kind}", if kind.is_empty() { "" } else { ": " });
            found.push(Problem::at(format!("{at}/{}", escape(name)), message));
        }
    }
    for (name, value) in fields {
        let at = format!("{at}/{}", escape(name));
        match properties.get(name) {
            Some(schema) => check(schema, value, &at, found),
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                let names = properties.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let names = if names.is_empty() { "nothing" } else { &names };
                found.push(Problem::at(at, format!("is not known here; known are: {names}")));
            }
            None => {}
        }
    }
}

/// Values that a schema lists: `enum`, or `const`s under `oneOf`.
fn choices(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return Some(choices.iter().collect());
    }
    schema.get("oneOf")?.as_array()?.iter().map(|it| it.get("const")).collect()
}

/// Type names; `"type"` is one or a list.
fn names(types: &Value) -> impl Iterator<Item = &str> {
    let list = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// Converts serde's position to a JSON pointer.
pub(crate) fn pointer(path: &Path) -> String {
    path.iter().fold(String::new(), |at, segment| match segment {
        Segment::Seq { index } => format!("{at}/{index}"),
        Segment::Map { key } => format!("{at}/{}", escape(key)),
        Segment::Enum { .. } | Segment::Unknown => at,
    })
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Reserve {
        user_id: String,
        seat_ids: Vec<String>,
        count: Option<u8>,
        sender: Option<Sender>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Sender {
        User,
        Agent,
    }

    fn found(json: &str) -> Vec<(String, String)> {
        let problems = read::<Reserve>(json).unwrap_err();
        problems.into_iter().map(|it| (it.pointer, it.message)).collect()
    }

    #[test]
    fn accepts_whole_float_as_integer() {
        let read = |count: &str| {
            read::<Reserve>(&format!(r#"{{"user_id":"a","seat_ids":[],"count":{count}}}"#))
        };
        assert_eq!(read("2.0").unwrap().count, Some(2));
        assert_eq!(read("1e2").unwrap().count, Some(100));
        let message = |count| read(count).unwrap_err().remove(0).message;
        assert!(message("2.5").contains("not 2.5"), "{}", message("2.5"));
        assert!(message("300.0").contains("not 300"), "{}", message("300.0"));
    }

    #[test]
    fn holds_ranges_and_lengths_where_the_tool_asks_for_it() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[allow(dead_code, reason = "only read")]
        struct Named {
            #[schemars(length(min = 1, max = 3))]
            name: Option<String>,
            #[schemars(length(max = 2), inner(length(min = 2)))]
            tags: Option<Vec<String>>,
            #[schemars(range(min = 1, max = 300))]
            seconds: Option<u32>,
        }
        for right in [
            r#"{}"#,
            r#"{"name":"席席席","tags":["aa"],"seconds":300.0}"#,
            r#"{"name":null,"tags":[]}"#,
        ] {
            assert!(read_checked::<Named>(right).is_ok(), "{right}");
        }
        for (json, pointer, message) in [
            (r#"{"name":""}"#, "/name", "must be a string of 1 to 3 characters, not \"\""),
            (
                r#"{"name":"席席席席"}"#,
                "/name",
                "must be a string of 1 to 3 characters, not \"席席席席\"",
            ),
            (
                r#"{"tags":["aa","bb","cc"]}"#,
                "/tags",
                "must be an array of 2 items or less, not of 3",
            ),
            (r#"{"tags":["a"]}"#, "/tags/0", "must be a string of 2 characters or more, not \"a\""),
            (r#"{"seconds":400}"#, "/seconds", "must be an integer from 1 to 300, not 400"),
        ] {
            let problems = read_checked::<Named>(json).unwrap_err();
            assert_eq!(problems.len(), 1, "{json}: {problems:?}");
            assert_eq!((&*problems[0].pointer, &*problems[0].message), (pointer, message));
            assert!(read::<Named>(json).is_ok(), "{json}: the tool checks it");
        }
    }

    #[test]
    fn reports_every_problem_at_once() {
        let found = found(r#"{"seat_ids":["A1",2],"seats":1}"#);
        assert_eq!(
            found,
            [
                ("/user_id".into(), "is required: a string".into()),
                ("/seat_ids/1".into(), "must be a string, not 2".into()),
                (
                    "/seats".into(),
                    "is not known here; known are: user_id, seat_ids, count, sender".into()
                ),
            ]
        );
    }

    #[test]
    fn reports_serde_errors_with_pointer() {
        let found = found(r#"{"user_id":"u","seat_ids":[],"count":300}"#);
        let message = "must be an integer from 0 to 255, not 300";
        assert_eq!(found, [("/count".to_owned(), message.to_owned())]);
    }

    /// No error mentions a Rust type.
    #[test]
    fn reports_type_range_and_value() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[allow(dead_code, reason = "only read")]
        struct Wait {
            #[schemars(range(min = 0, max = 300))]
            timeout_seconds: Option<u32>,
            big: Option<u32>,
            below: Option<i64>,
            share: Option<f64>,
            sender: Option<Sender>,
            #[serde(default)]
            inner: Vec<Inner>,
            any: Option<Value>,
        }
        #[derive(Debug, Deserialize, JsonSchema)]
        #[allow(dead_code, reason = "only read")]
        struct Inner {
            at: u8,
        }
        for (json, pointer, message) in [
            (
                r#"{"timeout_seconds":-1}"#,
                "/timeout_seconds",
                "must be an integer from 0 to 300, not -1",
            ),
            (
                r#"{"timeout_seconds":"9"}"#,
                "/timeout_seconds",
                r#"must be an integer from 0 to 300, not "9""#,
            ),
            (
                r#"{"timeout_seconds":1.5}"#,
                "/timeout_seconds",
                "must be an integer from 0 to 300, not 1.5",
            ),
            (
                r#"{"big":5000000000}"#,
                "/big",
                "must be an integer from 0 to 4294967295, not 5000000000",
            ),
            (r#"{"below":{}}"#, "/below", "must be an integer, not an object"),
            (r#"{"share":[]}"#, "/share", "must be a number, not an array"),
            (r#"{"sender":"robot"}"#, "/sender", r#"must be one of "user", "agent", not "robot""#),
            (r#"{"inner":[{"at":-1}]}"#, "/inner/0/at", "must be an integer from 0 to 255, not -1"),
            (r#"{"inner":[{}]}"#, "/inner/0/at", "is required: an integer from 0 to 255"),
            (r#"{"below":1,"below":2}"#, "", "has below twice"),
        ] {
            let problems = read::<Wait>(json).unwrap_err();
            assert_eq!(problems.len(), 1, "{json}: {problems:?}");
            assert_eq!(
                (problems[0].pointer.as_str(), problems[0].message.as_str()),
                (pointer, message)
            );
            for word in
                ["u8", "u32", "i64", "f64", "invalid", "expected", "line", "column", "`", "variant"]
            {
                assert!(!problems[0].message.contains(word), "{}", problems[0].message);
            }
        }
    }

    #[test]
    fn reports_other_json_in_the_same_words() {
        #[derive(Debug, Deserialize)]
        #[allow(dead_code, reason = "only read")]
        struct Line {
            id: String,
            at: Option<Sender>,
        }
        for (json, pointer, message) in [
            (r#"{"id":1}"#, "/id", "must be a string, not 1"),
            (r#"{"at":"user"}"#, "", "has no id, which is required"),
            (r#"{"id":"a","at":"robot"}"#, "/at", r#"must be "user" or "agent", not "robot""#),
            ("[", "", "must be JSON; it is broken at line 1, column 1"),
            ("7", "", "must be an object, not 7"),
        ] {
            let problem = parse::<Line>(json).unwrap_err();
            assert_eq!((problem.pointer.as_str(), problem.message.as_str()), (pointer, message));
        }
    }

    #[test]
    fn skips_byte_order_mark() {
        assert_eq!(parse::<Vec<u8>>("\u{feff}[1]").unwrap(), [1]);
        assert!(parse::<Vec<u8>>("\u{feff}\u{feff}[1]").is_err());
    }

    #[test]
    fn error_lists_permitted_values() {
        let found = found(r#"{"user_id":"u","seat_ids":[],"sender":"robot"}"#);
        assert_eq!(found[0].0, "/sender");
        assert!(found[0].1.contains("agent"), "{}", found[0].1);
    }

    #[test]
    fn rejects_arguments_that_are_no_object() {
        assert_eq!(found("[]"), [(String::new(), "must be an object, not an array".into())]);
        assert_eq!(found("{")[0].0, "");
    }
}
