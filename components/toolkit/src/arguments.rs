//! Reads a tool's arguments, and says what is wrong with them.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::{Problem, definition::input_schema};

/// Reads the arguments of one call.
///
/// # Errors
/// Every missing, surplus and mistyped field, each with what would be right.
pub fn read<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, Vec<Problem>> {
    serde_json::from_str(json).map_err(|_| problems::<T>(json))
}

/// The slow path: the schema tells all problems at once, serde only the first that it meets.
fn problems<T: DeserializeOwned + JsonSchema>(json: &str) -> Vec<Problem> {
    let arguments: Value = match serde_json::from_str(json) {
        Ok(arguments) => arguments,
        Err(error) => return vec![Problem::at("", format!("must be a JSON object: {error}"))],
    };
    let mut found = Vec::new();
    check(&Value::Object(input_schema::<T>()), &arguments, "", &mut found);
    if found.is_empty() {
        let read: Result<T, _> =
            serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json));
        if let Err(error) = read {
            found.push(Problem::at(pointer(error.path()), error.inner().to_string()));
        }
    }
    found
}

/// Holds `value` against the parts of a schema that schemars writes for plain types.
fn check(schema: &Value, value: &Value, at: &str, found: &mut Vec<Problem>) {
    let Some(schema) = schema.as_object() else { return };
    if let Some(types) = schema.get("type")
        && !names(types).any(|it| is(it, value))
    {
        let wanted = names(types).map(article).collect::<Vec<_>>().join(" or ");
        return found.push(Problem::at(at, format!("must be {wanted}")));
    }
    if let Some(choices) = choices(schema)
        && !choices.contains(&value)
    {
        let choices = choices.iter().map(|it| it.to_string()).collect::<Vec<_>>().join(", ");
        return found.push(Problem::at(at, format!("must be one of {choices}")));
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
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    for name in schema.get("required").into_iter().flat_map(names) {
        if !fields.contains_key(name) {
            let kind = known.get(name).and_then(|it| it.get("type")).into_iter().flat_map(names);
            let kind = kind.map(article).collect::<Vec<_>>().join(" or ");
            let message = format!("is required{}{kind}", if kind.is_empty() { "" } else { ": " });
            found.push(Problem::at(format!("{at}/{}", escape(name)), message));
        }
    }
    for (name, value) in fields {
        let at = format!("{at}/{}", escape(name));
        match known.get(name) {
            Some(schema) => check(schema, value, &at, found),
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                let known = known.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let known = if known.is_empty() { "nothing" } else { &known };
                found.push(Problem::at(at, format!("is not known here; known are: {known}")));
            }
            None => {}
        }
    }
}

/// The values that a schema allows, where it lists them: `enum`, or `const`s under `oneOf`.
fn choices(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return Some(choices.iter().collect());
    }
    schema.get("oneOf")?.as_array()?.iter().map(|it| it.get("const")).collect()
}

/// `"type"` is one name or a list of them.
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

/// Where serde stopped, as a JSON pointer.
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
    fn every_problem_is_told_at_once() {
        let found = found(r#"{"seat_ids":["A1",2],"seats":1}"#);
        assert_eq!(
            found,
            [
                ("/user_id".into(), "is required: a string".into()),
                ("/seat_ids/1".into(), "must be a string".into()),
                (
                    "/seats".into(),
                    "is not known here; known are: user_id, seat_ids, count, sender".into()
                ),
            ]
        );
    }

    #[test]
    fn what_only_serde_knows_is_told_with_its_place() {
        let found = found(r#"{"user_id":"u","seat_ids":[],"count":300}"#);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "/count");
    }

    #[test]
    fn a_choice_lists_what_can_be_chosen() {
        let found = found(r#"{"user_id":"u","seat_ids":[],"sender":"robot"}"#);
        assert_eq!(found[0].0, "/sender");
        assert!(found[0].1.contains("agent"), "{}", found[0].1);
    }

    #[test]
    fn arguments_that_are_no_object_are_refused_as_a_whole() {
        assert_eq!(found("[]"), [(String::new(), "must be an object".into())]);
        assert_eq!(found("{")[0].0, "");
    }
}
