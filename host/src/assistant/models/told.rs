//! What came of a call as a model is told it: the tool's object without what would only cost tokens,
//! and its pictures as pictures (ILL-28).

use serde_json::{Value, json};

use crate::assistant::{Image, ToolResult, images_of};

/// Characters of one text that a model is told; a picture in base64 is longer, an address is not.
const TEXT_CHARS_MAX: usize = 4_000;
/// Entries of one list that a model is told.
const ENTRIES_MAX: usize = 200;
/// Depth to which a model is told anything.
const DEPTH_MAX: usize = 24;
/// Bytes of the whole.
const BYTES_MAX: usize = 200_000;

/// What a model is told of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    /// An object: the tool's own, or `{"error": {…}}`.
    pub(super) object: Value,
    pub(super) images: Vec<Image>,
    pub(super) is_error: bool,
}

/// `result` as a model is told it.
pub(super) fn told(result: &ToolResult) -> Told {
    match result {
        ToolResult::Failed(failure) => {
            let object = json!({ "error": failure.object() });
            Told { object, images: Vec::new(), is_error: true }
        }
        ToolResult::Output { structured, content, .. } => {
            let images: Vec<_> = images_of(content).cloned().collect();
            let mut object = match structured {
                Value::Object(it) if it.is_empty() => {
                    json!({ "text": crate::assistant::text_of(content) })
                }
                object => object.clone(),
            };
            shorten(&mut object, DEPTH_MAX);
            let bytes = object.to_string().len();
            if bytes > BYTES_MAX {
                object = json!({ "notice": format!("The result has {bytes} bytes, which is too much to be told; ask for less.") });
            }
            Told { object, images, is_error: false }
        }
    }
}

/// Leaves out what is too long to be read, and says so in its place.
fn shorten(value: &mut Value, depth: usize) {
    match value {
        Value::String(text) => {
            let chars = text.chars().count();
            if chars > TEXT_CHARS_MAX {
                *text = format!("[{chars} characters, not shown]");
            }
        }
        Value::Array(_) | Value::Object(_) if depth == 0 => *value = "[too deep]".into(),
        Value::Array(entries) => {
            let left_out = entries.len().saturating_sub(ENTRIES_MAX);
            entries.truncate(ENTRIES_MAX);
            entries.iter_mut().for_each(|it| shorten(it, depth - 1));
            if left_out > 0 {
                entries.push(format!("[{left_out} more, not shown]").into());
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|it| shorten(it, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{assistant::Part, failure::Failure};

    #[test]
    fn a_picture_is_told_as_a_picture_and_not_as_text() {
        let data = "A".repeat(10_000);
        let image = Image { mime_type: "image/png".to_owned(), data: data.as_str().into() };
        let told = told(&ToolResult::Output {
            structured: json!({ "mimeType": "image/png", "data": data }),
            meta: json!({}),
            content: vec![Part::text("Azure"), Part::image(image.clone())],
        });
        assert_eq!(told.images, [image], "ILL-28");
        assert_eq!(told.object["data"], "[10000 characters, not shown]");
        assert_eq!(told.object["mimeType"], "image/png");
    }

    #[test]
    fn a_failure_is_told_and_marked() {
        let failure = Failure::new("card_not_found", 404, "There is no such card.");
        let told = told(&ToolResult::Failed(failure));
        assert!(told.is_error, "NAV-55");
        assert_eq!(told.object["error"]["error"], "card_not_found", "ILL-26");
    }

    #[test]
    fn what_is_too_long_too_deep_or_too_much_is_left_out_and_said_so() {
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let of = |structured| {
            told(&ToolResult::Output { structured, meta: json!({}), content: Vec::new() }).object
        };
        let list: Vec<_> = (0..500).collect();
        let told = of(json!({ "list": list, "deep": deep }));
        assert_eq!(told["list"][200], "[300 more, not shown]");
        assert!(told["deep"].to_string().contains("too deep"));
        let texts: Vec<_> = (0..150).map(|_| "x".repeat(3_000)).collect();
        assert!(of(json!({ "texts": texts }))["notice"].is_string());
    }
}
