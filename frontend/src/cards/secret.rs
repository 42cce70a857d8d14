//! What of a tool's arguments and results is secret by its schema (`format: password`, SYS-11), and how
//! it is shown: not at all.

use std::collections::BTreeSet;

use serde_json::Value;

use super::masked::{MASK, is_secret, masked};

/// How deep is looked, and how many schemas for one value.
const DEPTH_MAX: usize = 24;
const SCHEMAS_MAX: usize = 32;
/// Shorter ones are not looked for inside other texts: they would be found everywhere.
const INSIDE_MIN: usize = 6;

/// The secrets in a value: texts that its schema calls passwords, and what has the name of one.
pub(crate) fn secrets(value: &Value, schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(value, schema, &[schema], false, 0, &mut found);
    found
}

/// The same value without its secrets, wherever in it they are repeated.
pub(crate) fn veiled(value: &Value, secrets: &BTreeSet<String>) -> Value {
    let value = masked(value);
    if secrets.is_empty() { value } else { without(value, secrets) }
}

/// Arguments or a result without the secrets that its schema knows of.
pub(crate) fn veiled_by(value: &Value, schema: &Value) -> Value {
    veiled(value, &secrets(value, schema))
}

/// A text without the secrets.
pub(crate) fn veiled_text(text: &str, secrets: &BTreeSet<String>) -> String {
    if secrets.contains(text) {
        return MASK.to_owned();
    }
    let long = secrets.iter().filter(|it| it.len() >= INSIDE_MIN);
    long.fold(text.to_owned(), |text, secret| {
        if text.contains(secret.as_str()) { text.replace(secret.as_str(), MASK) } else { text }
    })
}

fn without(value: Value, secrets: &BTreeSet<String>) -> Value {
    match value {
        Value::String(text) => Value::String(veiled_text(&text, secrets)),
        Value::Array(items) => items.into_iter().map(|it| without(it, secrets)).collect(),
        Value::Object(object) => {
            object.into_iter().map(|(name, it)| (name, without(it, secrets))).collect()
        }
        other => other,
    }
}

fn collect<'a>(
    value: &Value,
    root: &'a Value,
    schemas: &[&'a Value],
    is_named: bool,
    depth: usize,
    found: &mut BTreeSet<String>,
) {
    if depth > DEPTH_MAX {
        return;
    }
    let schemas = resolved(root, schemas);
    match value {
        Value::String(text) if !text.is_empty() => {
            let is_password = |it: &&Value| it.get("format").is_some_and(|it| it == "password");
            if is_named || schemas.iter().any(is_password) {
                found.insert(text.clone());
            }
        }
        Value::Array(items) => {
            let of_items: Vec<&'a Value> =
                schemas.iter().filter_map(|it| it.get("items")).collect();
            items.iter().for_each(|it| collect(it, root, &of_items, is_named, depth + 1, found));
        }
        Value::Object(object) => {
            for (name, value) in object {
                let of_name = |it: &&'a Value| {
                    let own = it.get("properties").and_then(|it| it.get(name));
                    own.or_else(|| it.get("additionalProperties"))
                };
                let own: Vec<&'a Value> = schemas.iter().filter_map(of_name).collect();
                collect(value, root, &own, is_named || is_secret(name), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// The schemas themselves, where they point elsewhere or name several.
fn resolved<'a>(root: &'a Value, schemas: &[&'a Value]) -> Vec<&'a Value> {
    let mut all: Vec<&Value> = Vec::new();
    let mut open: Vec<&Value> = schemas.to_vec();
    while let Some(schema) = open.pop() {
        if all.len() >= SCHEMAS_MAX {
            break;
        }
        all.push(schema);
        let target = schema.get("$ref").and_then(Value::as_str);
        open.extend(target.and_then(|it| root.pointer(it.strip_prefix('#')?)));
        for several in ["anyOf", "oneOf", "allOf"] {
            open.extend(schema.get(several).and_then(Value::as_array).into_iter().flatten());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn password_of_the_schema_is_hidden_wherever_it_is_repeated() {
        let schema = json!({
            "properties": {
                "ticket": { "type": "string", "format": "password" },
                "maybe": { "anyOf": [{ "$ref": "#/$defs/Key" }, { "type": "null" }] },
                "list": { "items": { "$ref": "#/$defs/Key" } },
                "name": { "type": "string" },
            },
            "$defs": { "Key": { "type": "string", "format": "password" } },
        });
        let value = json!({ "ticket": "sess_123456", "maybe": "opensesame", "list": ["third-one"],
            "name": "worker-a" });
        let secrets = secrets(&value, &schema);
        assert_eq!(secrets.len(), 3, "{secrets:?}");
        let raw = json!({ "structuredContent": value, "content": [{ "type": "text",
            "text": "{\"ticket\":\"sess_123456\",\"name\":\"worker-a\"}" }] });
        let shown = veiled(&raw, &secrets).to_string();
        for secret in ["sess_123456", "opensesame", "third-one"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("worker-a") && shown.contains(MASK), "{shown}");
    }

    #[test]
    fn names_alone_are_enough() {
        let value = json!({ "session_token": "sess_abcdef", "text": "I am sess_abcdef." });
        let shown = veiled_by(&value, &Value::Null);
        assert_eq!(shown, json!({ "session_token": MASK, "text": format!("I am {MASK}.") }));
    }

    #[test]
    fn a_short_secret_hides_itself_and_no_other_text() {
        let secrets = BTreeSet::from(["a".to_owned()]);
        assert_eq!(veiled(&json!(["a", "abc"]), &secrets), json!([MASK, "abc"]));
    }

    #[test]
    fn a_schema_that_points_at_itself_ends() {
        let schema = json!({ "$ref": "#", "properties": { "a": { "$ref": "#" } } });
        assert_eq!(secrets(&json!({ "a": { "a": "x" } }), &schema).len(), 0);
    }
}
