//! The body of a request: a JSON object, or nothing where there is nothing to say.

use axum::extract::rejection::BytesRejection;
use http::{HeaderMap, StatusCode, header};
use serde_json::{Map, Value};

use super::{Body, wrong};
use crate::{assistant::Language, failure::Failure, unreadable};

/// The fields of a body. Those that are not known are left alone: clients have their own.
pub(super) struct Fields {
    fields: Map<String, Value>,
    pub(super) language: Language,
}

impl Fields {
    /// Reads a body of at most `most` bytes.
    pub(super) fn read(
        headers: &HeaderMap,
        body: Body,
        most: usize,
        language: Language,
    ) -> Result<Self, Failure> {
        let body = body.map_err(|it| unread(&it, most, language))?;
        if body.trim_ascii().is_empty() {
            return Ok(Self { fields: Map::new(), language });
        }
        if !is_json(headers) {
            let message = language.pick(
                "本文はJSONで送ってください（Content-Type: application/json）",
                "Send the body as JSON, with Content-Type: application/json",
            );
            return Err(Failure::new("unsupported_media_type", 415, message));
        }
        let why = match serde_json::from_slice(&body) {
            Ok(Value::Object(fields)) => return Ok(Self { fields, language }),
            Ok(_) => String::new(),
            Err(error) => format!(" ({})", unreadable::why(&error.to_string())),
        };
        let message = language.pick(
            format!("本文はJSONオブジェクトにしてください: {{\"content\": \"…\"}}{why}"),
            format!("The body must be a JSON object: {{\"content\": \"…\"}}{why}"),
        );
        Err(wrong(message).with("field", "body"))
    }

    /// One field, if it is there.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name)
    }
}

/// Whether the body says that it is JSON, or says nothing.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return true };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.starts_with("application/") && kind.ends_with("+json")
}

fn unread(rejection: &BytesRejection, most: usize, language: Language) -> Failure {
    let status = rejection.status();
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        let message = language
            .pick(format!("本文は{most}バイトまでです"), format!("A body may have {most} bytes"));
        return Failure::new("payload_too_large", status.as_u16(), message);
    }
    let message =
        language.pick("本文を最後まで受信できませんでした", "The body did not arrive to its end");
    Failure::new("invalid_params", status.as_u16(), message).with("field", "body")
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::*;

    fn read(kind: Option<&str>, body: &'static str) -> Result<Map<String, Value>, (u16, String)> {
        let mut headers = HeaderMap::new();
        if let Some(kind) = kind {
            headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        }
        let read = Fields::read(&headers, Ok(Bytes::from(body)), 9, Language::English);
        read.map(|it| it.fields).map_err(|it| (it.status, it.message))
    }

    #[test]
    fn a_body_is_an_object_or_nothing_and_says_that_it_is_json() {
        for (kind, body, fields) in [
            (None, "", 0),
            (Some("text/plain"), " \n", 0),
            (None, r#"{"a": 1}"#, 1),
            (Some("application/json; charset=utf-8"), r#"{"a": 1, "b": 2}"#, 2),
            (Some("application/merge-patch+JSON"), "{}", 0),
        ] {
            assert_eq!(read(kind, body).map(|it| it.len()), Ok(fields), "{kind:?} {body}");
        }
        for (kind, body, status, said) in [
            (Some("text/plain"), "{}", 415, "application/json"),
            (Some("application/x-www-form-urlencoded"), "content=a", 415, "application/json"),
            (None, "[]", 400, "must be a JSON object"),
            (None, "{\"a\": ", 400, "line 1, column 6"),
        ] {
            let (found, message) = read(kind, body).unwrap_err();
            assert_eq!(found, status, "{kind:?} {body}");
            assert!(message.contains(said), "{message}");
        }
    }
}
