//! Contents of a conversation's cards as plain data: the text of a call, with its secret arguments and results
//! (`format: password`, SYS-11) masked.

pub(crate) mod picture;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::text::{Key, Lang, cut};

/// Maximum number of arguments shown, and of characters of each.
const ARGUMENTS_MAX: usize = 30;
const VALUE_MAX: usize = 300;

/// Text sent to the assistant when a form is submitted (FORM-5).
pub(crate) fn submitted(values: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(values).unwrap_or_default()
}

/// The arguments of a call as names and readable values, with secrets masked.
pub(crate) fn arguments(params: &Value, lang: Lang) -> Vec<(String, String)> {
    let Value::Object(params) = masked(params) else { return Vec::new() };
    let left_out = left_out(params.len(), lang).map(|it| ("…".to_owned(), it));
    let entry = |(name, value): (String, Value)| (name, readable(&value, lang));
    params.into_iter().take(ARGUMENTS_MAX).map(entry).chain(left_out).collect()
}

/// How many of `count` items are not shown, if any.
fn left_out(count: usize, lang: Lang) -> Option<String> {
    let count = count.saturating_sub(ARGUMENTS_MAX);
    (count > 0).then(|| lang.fill(Key::Truncated, &[&count.to_string()]))
}

fn readable(value: &Value, lang: Lang) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "—".to_owned(),
        Value::Array(items) if items.iter().all(|it| !it.is_object() && !it.is_array()) => {
            let shown = items.iter().take(ARGUMENTS_MAX).map(|it| readable(it, lang));
            let shown = cut(&shown.collect::<Vec<_>>().join(lang.comma()), VALUE_MAX);
            return shown + &left_out(items.len(), lang).unwrap_or_default();
        }
        other => other.to_string(),
    };
    cut(&text, VALUE_MAX)
}

/// A result as stored with its card: long texts, such as picture bytes, are truncated.
pub(crate) fn shortened(value: &Value) -> Value {
    const TEXT_MAX: usize = 2_000;
    match value {
        Value::String(text) if text.len() > TEXT_MAX => {
            let begin: String = text.chars().take(80).collect();
            Value::String(format!("{begin}… ({} B)", text.len()))
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(object) => {
            let entry = |(name, value): (&String, &Value)| (name.clone(), shortened(value));
            Value::Object(object.iter().map(entry).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Maximum depth of the search, and maximum number of schemas for one value.
const DEPTH_MAX: usize = 24;
const SCHEMAS_MAX: usize = 32;
/// Minimum length of a secret that is also masked inside other texts. Shorter ones would be found everywhere.
const INSIDE_MIN: usize = 6;

/// Collects the secrets of a value: passwords according to its schema, and values with a secret's name.
pub(crate) fn secrets(value: &Value, schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(value, schema, &[schema], false, 0, &mut found);
    found
}

/// The value with every occurrence of its secrets masked.
pub(crate) fn veiled(value: &Value, secrets: &BTreeSet<String>) -> Value {
    let value = masked(value);
    if secrets.is_empty() { value } else { without(value, secrets) }
}

/// Arguments or a result with the secrets known to its schema masked.
pub(crate) fn veiled_by(value: &Value, schema: &Value) -> Value {
    veiled(value, &secrets(value, schema))
}

/// A text with the secrets masked.
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
                let of_name = |schema: &&'a Value| {
                    let own = schema.get("properties").and_then(|it| it.get(name));
                    own.or_else(|| schema.get("additionalProperties"))
                };
                let own: Vec<&'a Value> = schemas.iter().filter_map(of_name).collect();
                collect(value, root, &own, is_named || is_secret(name), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// Resolves references and alternatives to the schemas themselves.
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

/// Replacement of a secret.
const MASK: &str = "••••••";
/// Names of secrets, without `_`, `-` and capitals.
const SECRETS: [&str; 8] =
    ["passkey", "password", "passwd", "token", "secret", "apikey", "authorization", "credential"];
/// Maximum depth of masking; deeper values are omitted.
const MASKED_DEPTH_MAX: usize = 32;

/// Masks every string, number or list stored under a secret's name.
pub(crate) fn masked(value: &Value) -> Value {
    hidden(value, 0)
}

fn hidden(value: &Value, depth: usize) -> Value {
    if depth >= MASKED_DEPTH_MAX {
        return Value::String("…".to_owned());
    }
    match value {
        Value::Object(object) => {
            let entry = |(name, value): (&String, &Value)| {
                let is_empty = matches!(value, Value::Null | Value::Bool(_));
                let shown = if is_secret(name) && !is_empty {
                    Value::String(MASK.to_owned())
                } else {
                    hidden(value, depth + 1)
                };
                (name.clone(), shown)
            };
            Value::Object(object.iter().map(entry).collect())
        }
        Value::Array(items) => items.iter().map(|it| hidden(it, depth + 1)).collect(),
        other => other.clone(),
    }
}

/// Whether a name denotes a secret. Token counts are no secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let is_count = plain.ends_with("tokens");
    SECRETS.iter().any(|it| plain.contains(it)) && !is_count
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prints_form_arguments_as_indented_json() {
        // FORM-5: `JSON.stringify(data, null, 2)`.
        let values = json!({ "name": "新規", "tags": ["a"], "count": 2 });
        assert_eq!(
            submitted(&values),
            "{\n  \"name\": \"新規\",\n  \"tags\": [\n    \"a\"\n  ],\n  \"count\": 2\n}"
        );
    }

    #[test]
    fn shows_arguments_and_masks_secrets() {
        let params = json!({ "seat_ids": ["A5", "A6"], "passkey": "1234", "deep": { "a": 1 } });
        let expected = [("seat_ids", "A5、A6"), ("passkey", "••••••"), ("deep", "{\"a\":1}")];
        let shown = arguments(&params, Lang::Ja);
        let shown: Vec<_> = shown.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
        assert_eq!(shown, expected);
        assert_eq!(arguments(&json!(7), Lang::Ja), []);
    }

    #[test]
    fn says_how_many_arguments_are_left_out() {
        let items: Vec<_> = (0..ARGUMENTS_MAX + 2).collect();
        let shown = arguments(&json!({ "all": items }), Lang::Ja);
        assert!(shown[0].1.ends_with("29…ほか 2 件は省略しました。"), "{shown:?}");
        let params: Map<_, _> = items.iter().map(|it| (format!("a{it:02}"), json!(it))).collect();
        let shown = arguments(&Value::Object(params), Lang::En);
        assert_eq!(
            shown[ARGUMENTS_MAX..],
            [("…".to_owned(), "… and 2 more not shown.".to_owned())]
        );
    }

    #[test]
    fn omits_picture_bytes() {
        let value = json!({ "data": "A".repeat(4_000), "name": "青" });
        let shown = shortened(&value);
        assert!(shown.to_string().len() < 200);
        assert_eq!(shown["name"], "青");
    }

    #[test]
    fn masks_schema_password_wherever_repeated() {
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
    fn masks_secrets_by_name_without_schema() {
        let value = json!({ "session_token": "sess_abcdef", "text": "I am sess_abcdef." });
        let shown = veiled_by(&value, &Value::Null);
        assert_eq!(shown, json!({ "session_token": MASK, "text": format!("I am {MASK}.") }));
    }

    #[test]
    fn short_secret_masks_no_other_text() {
        let secrets = BTreeSet::from(["a".to_owned()]);
        assert_eq!(veiled(&json!(["a", "abc"]), &secrets), json!([MASK, "abc"]));
    }

    #[test]
    fn ends_on_recursive_schema() {
        let schema = json!({ "$ref": "#", "properties": { "a": { "$ref": "#" } } });
        assert_eq!(secrets(&json!({ "a": { "a": "x" } }), &schema).len(), 0);
    }

    #[test]
    fn masks_secrets_at_any_depth() {
        let value = json!({
            "user_id": "u1",
            "passkey": "1234",
            "deep": [{ "session_token": "abc", "API-Key": 7, "seat_ids": ["A5"] }],
            "Authorization": ["Bearer x"],
        });
        let shown = masked(&value);
        assert_eq!(
            shown,
            json!({
                "user_id": "u1",
                "passkey": MASK,
                "deep": [{ "session_token": MASK, "API-Key": MASK, "seat_ids": ["A5"] }],
                "Authorization": MASK,
            })
        );
        assert!(!shown.to_string().contains("1234"));
    }

    #[test]
    fn shows_flags_and_counts_about_secrets() {
        let value = json!({ "has_password": true, "token": null, "inputTokens": 12 });
        assert_eq!(masked(&value), value);
    }

    #[test]
    fn omits_values_nested_too_deep() {
        let mut value = json!({ "password": "x" });
        for _ in 0..60 {
            value = json!([value]);
        }
        assert!(!masked(&value).to_string().contains('x'));
    }
}
