//! The text of a call: its arguments, what it put out, what goes back to the assistant.

use serde_json::{Map, Value};

use super::masked::masked;
use crate::text::cut;

/// Arguments shown at most, and characters of each.
const ARGUMENTS_MAX: usize = 30;
const VALUE_MAX: usize = 300;

/// The text for the assistant where a form is submitted (FORM-5).
pub(crate) fn submitted(values: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(values).unwrap_or_default()
}

/// The arguments of a call to be read: names, and values as text. Secrets are hidden.
pub(crate) fn arguments(params: &Value, comma: &str) -> Vec<(String, String)> {
    let Value::Object(params) = masked(params) else { return Vec::new() };
    let entry = |(name, value): (String, Value)| (name, words(&value, comma));
    params.into_iter().take(ARGUMENTS_MAX).map(entry).collect()
}

fn words(value: &Value, comma: &str) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "—".to_owned(),
        Value::Array(items) if items.iter().all(|it| !it.is_object() && !it.is_array()) => {
            let items = items.iter().take(ARGUMENTS_MAX).map(|it| words(it, comma));
            items.collect::<Vec<_>>().join(comma)
        }
        other => other.to_string(),
    };
    cut(&text, VALUE_MAX)
}

/// A result as it is kept beside the drawing: long texts such as the bytes of pictures only begin.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_form_holds_goes_back_as_json_on_lines_of_its_own() {
        // FORM-5: `JSON.stringify(data, null, 2)`.
        let values = json!({ "name": "新規", "tags": ["a"], "count": 2 });
        assert_eq!(
            submitted(&values),
            "{\n  \"name\": \"新規\",\n  \"tags\": [\n    \"a\"\n  ],\n  \"count\": 2\n}"
        );
    }

    #[test]
    fn arguments_are_read_and_secrets_are_not() {
        let params = json!({ "seat_ids": ["A5", "A6"], "passkey": "1234", "deep": { "a": 1 } });
        let expected = [("seat_ids", "A5、A6"), ("passkey", "••••••"), ("deep", "{\"a\":1}")];
        let told = arguments(&params, "、");
        let told: Vec<_> = told.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
        assert_eq!(told, expected);
        assert_eq!(arguments(&json!(7), "、"), []);
    }

    #[test]
    fn the_bytes_of_a_picture_are_not_printed() {
        let value = json!({ "data": "A".repeat(4_000), "name": "青" });
        let shown = shortened(&value);
        assert!(shown.to_string().len() < 200);
        assert_eq!(shown["name"], "青");
    }
}
