//! Gemini's errors, as the client that waits for an answer receives them (ILL-42).

use serde_json::Value;

use crate::{
    ModelError, Why,
    models::wire::{WireError, retry_delay},
};

/// Why there is no answer (<https://ai.google.dev/gemini-api/docs/troubleshooting>).
/// Where a picture was asked for, a model that is not there makes none either.
pub(super) fn model_error(error: &WireError, draws: bool) -> ModelError {
    let mut model_error = error.model_error();
    let WireError::Status { status, body, text, .. } = error else { return model_error };
    let details = body.pointer("/error/details").or_else(|| body.pointer("/0/error/details"));
    let details: &[Value] = details.and_then(Value::as_array).map_or(&[], Vec::as_slice);
    // A wrong key is a bad request here.
    let is_key = |it: &Value| it["reason"].as_str().is_some_and(|it| it.starts_with("API_KEY_"));
    if *status == 400 && (details.iter().any(is_key) || text.contains("API key not valid")) {
        model_error.why = Why::Key;
    }
    if draws && (*status == 404 || *status == 400 && is_about_pictures(text)) {
        model_error.why = Why::NoPictures;
    }
    model_error
}

/// The error that a piece of a stream is.
pub(super) fn of_piece(piece: &Value) -> Option<WireError> {
    let status = u16::try_from(piece.pointer("/error/code")?.as_u64()?).unwrap_or(500);
    let text = piece["error"]["message"].as_str().unwrap_or_default().to_owned();
    let (retry_after_s, body) = (retry_delay(piece), piece.clone());
    Some(WireError::Status { status, retry_after_s, body, text })
}

/// Whether a refusal says that the model makes no pictures.
fn is_about_pictures(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("response modalities") || text.contains("image generation is not")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_refusal_is_told_as_what_it_is() {
        let key = json!({ "error": { "details": [{ "reason": "API_KEY_INVALID" }] } });
        for (status, body, text, why) in [
            (400, key, "", Why::Key),
            (403, json!({}), "", Why::Key),
            (429, json!({}), "", Why::RateLimited),
            (504, json!({}), "", Why::Slow),
            (503, json!({}), "", Why::Failed),
            (404, json!({}), "", Why::NoPictures),
            (413, json!({}), "", Why::TooLong),
            (400, json!({}), "contents is not specified", Why::Refused),
            (
                400,
                json!({}),
                "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
                Why::TooLong,
            ),
            (
                400,
                json!({}),
                "Model does not support the requested response modalities: image,text",
                Why::NoPictures,
            ),
        ] {
            let text = text.to_owned();
            let error = WireError::Status { status, retry_after_s: None, body, text };
            assert_eq!(model_error(&error, true).why, why, "{error:?}");
        }
    }
}
