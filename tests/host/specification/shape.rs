//! Compares an answer with a sample: every field of the sample, with the same type; more fields are allowed.

use serde_json::Value;

/// Lists what `answer` lacks of `sample`; extra fields are allowed (CIN-4).
///
/// A list in the answer must have entries, or they could not be checked.
pub(crate) fn lacks(sample: &Value, answer: &Value, at: &str) -> Vec<String> {
    let wanted = |what: &str| vec![format!("{at} must be {what}: {answer}")];
    match (sample, answer) {
        (Value::Object(fields), Value::Object(found)) => {
            let lacks_field = |(name, sample): (&String, &Value)| match found.get(name) {
                Some(found) => lacks(sample, found, &format!("{at}/{name}")),
                None => vec![format!("{at}/{name} is missing")],
            };
            fields.iter().flat_map(lacks_field).collect()
        }
        (Value::Array(samples), Value::Array(found)) => match samples.first() {
            Some(_) if found.is_empty() => wanted("a list with entries"),
            Some(sample) => {
                let entries = found.iter().enumerate();
                entries
                    .flat_map(|(index, it)| lacks(sample, it, &format!("{at}/{index}")))
                    .collect()
            }
            None => Vec::new(),
        },
        (Value::String(sample), Value::String(found)) if is_time(sample) => {
            if is_time(found) {
                Vec::new()
            } else {
                wanted("a time, YYYY-MM-DDTHH:MM:SS")
            }
        }
        (Value::Number(sample), Value::Number(found)) if sample.is_u64() => {
            if found.is_u64() {
                Vec::new()
            } else {
                wanted("a whole number")
            }
        }
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Null, Value::Null) => Vec::new(),
        (sample, _) => wanted(&format!("of the type of {sample}")),
    }
}

/// Whether a text is `YYYY-MM-DDTHH:MM:SS`, without an offset (CIN-21).
fn is_time(text: &str) -> bool {
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = |(byte, shape): (u8, &u8)| {
        if *shape == b'd' { byte.is_ascii_digit() } else { byte == *shape }
    };
    text.len() == shape.len() && text.bytes().zip(shape).all(fits)
}

#[test]
fn finds_missing_mistyped_and_empty_fields() {
    use serde_json::json;
    let sample =
        json!({ "list": [{ "at": "2025-07-13T14:00:00", "count": 3, "rate": 4.5, "on": true }] });
    let entry =
        json!({ "at": "2026-01-01T00:00:00", "count": 0, "rate": 4, "on": false, "more": 1 });
    let with = |field: &str, value: Value| {
        let mut entry = entry.clone();
        entry[field] = value;
        lacks(&sample, &json!({ "list": [entry] }), "")
    };
    assert_eq!(lacks(&sample, &json!({ "list": [entry], "more": [] }), ""), Vec::<String>::new());
    assert_eq!(lacks(&sample, &json!({}), ""), ["/list is missing"]);
    assert_eq!(
        lacks(&sample, &json!({ "list": [] }), ""),
        ["/list must be a list with entries: []"]
    );
    for (field, value) in [
        ("at", json!("2026-01-01T00:00:00Z")),
        ("at", json!("2026-01-01")),
        ("count", json!(3.5)),
        ("count", json!("3")),
        ("rate", json!("4.5")),
        ("on", json!(null)),
    ] {
        assert_eq!(with(field, value).len(), 1, "{field}");
    }
}
