//! Gemini's errors, as the client that waits for an answer receives them (ILL-42).

use serde_json::Value;

use crate::{ModelError, Why, models::wire::WireError};

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
    // It says when to come back in its own place, not in a header.
    let asked = details.iter().find_map(|it| it["retryDelay"].as_str());
    let asked = asked.and_then(|it| it.trim_end_matches('s').parse::<f64>().ok());
    if let Some(seconds) = asked.filter(|it| it.is_finite() && *it >= 0.0 && *it < 1e6) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within bounds"
        )]
        let seconds = seconds.ceil() as u64;
        model_error.retry_after_s = model_error.retry_after_s.or(Some(seconds));
    }
    model_error
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
        let later = json!({ "error": { "details": [{ "retryDelay": "33.5s" }] } });
        for (status, body, text, why, after) in [
            (400, key, "", Why::Key, None),
            (403, json!({}), "", Why::Key, None),
            (429, later, "", Why::RateLimited, Some(34)),
            (504, json!({}), "", Why::Slow, None),
            (503, json!({}), "", Why::Failed, None),
            (404, json!({}), "", Why::NoPictures, None),
            (413, json!({}), "", Why::TooLong, None),
            (400, json!({}), "contents is not specified", Why::Refused, None),
            (
                400,
                json!({}),
                "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
                Why::TooLong,
                None,
            ),
            (
                400,
                json!({}),
                "Model does not support the requested response modalities: image,text",
                Why::NoPictures,
                None,
            ),
        ] {
            let text = text.to_owned();
            let error = WireError::Status { status, retry_after_s: None, body, text };
            let model_error = model_error(&error, true);
            assert_eq!((model_error.why, model_error.retry_after_s), (why, after), "{error:?}");
        }
    }
}
