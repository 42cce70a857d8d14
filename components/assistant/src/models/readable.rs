//! A call's result as a model receives it: the tool's object without what would only cost tokens,
//! and its pictures as pictures (ILL-28).

use serde_json::{Value, json};

use crate::{Answered, Image, ModelError, ToolResult, Why, images_of, reading};

/// How often a model is asked again whose calls cannot be read.
const REPAIRS_MAX: usize = 1;

/// What a model receives of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Readable {
    /// An object: the tool's own, or `{"error": {…}}`.
    pub(super) object: Value,
    pub(super) images: Vec<Image>,
    pub(super) is_error: bool,
}

/// `answered` as a model receives it, one of so many `results` of its round.
pub(super) fn readable(answered: &Answered, results: usize) -> Readable {
    let object = reading::readable(answered, reading::budget(results));
    let (images, is_error) = match &answered.result {
        ToolResult::Failed(_) => (Vec::new(), true),
        ToolResult::Output { content, .. } => (images_of(content).cloned().collect(), false),
    };
    Readable { object, images, is_error }
}

/// Another attempt of a model whose calls cannot be read.
pub(super) fn repaired(repairs: &mut usize) -> Result<(), ModelError> {
    *repairs += 1;
    match *repairs <= REPAIRS_MAX {
        true => Ok(()),
        false => Err(ModelError::new(Why::Failed, "the arguments of a call are not a JSON object")),
    }
}

/// The result of the call `id` in an answer of which the `broken` calls cannot be read: none of it was made.
pub(super) fn unread(id: &str, broken: &[String]) -> Value {
    let message = match broken.iter().any(|it| it == id) {
        true => "The arguments were not a JSON object. Nothing was called; write the call again.",
        false => "Not called, because another call beside it could not be read; call it again.",
    };
    json!({ "error": { "error": "invalid_arguments", "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        call::Failure,
        {Part, ToolCall},
    };

    fn answered(result: ToolResult) -> Answered {
        let (name, reason) = ("find".to_owned(), String::new());
        let (arguments, meta) = Default::default();
        Answered { call: ToolCall { id: "c".to_owned(), name, arguments, meta, reason }, result }
    }

    #[test]
    fn a_picture_is_told_as_a_picture_and_not_as_text() {
        let data = "A".repeat(10_000);
        let image = Image { mime_type: "image/png".to_owned(), data: data.as_str().into() };
        let result = ToolResult::Output {
            structured: json!({ "mimeType": "image/png", "data": data }),
            meta: json!({}),
            content: vec![Part::text("Azure"), Part::image(image.clone())],
        };
        let result = readable(&answered(result), 1);
        assert_eq!(result.images, [image], "ILL-28");
        assert_eq!(result.object["data"], "[10000 characters, not shown]");
        assert_eq!(result.object["mimeType"], "image/png");
    }

    #[test]
    fn a_failure_is_told_and_marked() {
        let failure = Failure::new("card_not_found", 404, "There is no such card.");
        let result = readable(&answered(ToolResult::Failed(failure)), 1);
        assert!(result.is_error, "NAV-55");
        assert_eq!(result.object["error"]["error"], "card_not_found", "ILL-26");
    }
}
