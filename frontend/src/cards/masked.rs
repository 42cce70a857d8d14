//! JSON without its secrets (SYS-11): a reader who looks at a card, or copies it, sees that there is one.

use serde_json::Value;

/// What stands in the place of a secret.
pub(crate) const MASK: &str = "••••••";
/// Names that hold one, without `_`, `-` and capitals.
const SECRETS: [&str; 8] =
    ["passkey", "password", "passwd", "token", "secret", "apikey", "authorization", "credential"];
/// How deep is looked: what is deeper is not shown at all.
const DEPTH_MAX: usize = 32;

/// The same value; every string, number or list under the name of a secret is hidden.
pub(crate) fn masked(value: &Value) -> Value {
    hidden(value, 0)
}

fn hidden(value: &Value, depth: usize) -> Value {
    if depth >= DEPTH_MAX {
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

/// Whether what has this name is a secret. Counts of tokens are no secret.
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
    fn secrets_are_hidden_wherever_they_stand() {
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
    fn what_only_says_whether_or_how_much_is_shown() {
        let value = json!({ "has_password": true, "token": null, "inputTokens": 12 });
        assert_eq!(masked(&value), value);
    }

    #[test]
    fn what_is_too_deep_is_not_shown() {
        let mut value = json!({ "password": "x" });
        for _ in 0..60 {
            value = json!([value]);
        }
        assert!(!masked(&value).to_string().contains('x'));
    }
}
