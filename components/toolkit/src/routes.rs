//! Requests of any method: what [`export_routes!`](crate::export_routes) exports, one [`Route`] an address.
//!
//! ```ignore
//! toolkit::export_routes!(routes);
//!
//! fn routes() -> Vec<Route> {
//!     vec![Route::post("loans/{book}", lend).of_tool::<Lend>(), Route::get("loans", loans)]
//! }
//!
//! fn lend(request: &Request) -> Result<Answer, Stop> {
//!     let mut arguments = request.object()?;
//!     arguments.insert("book".to_owned(), request.parameter("book").into());
//!     Answer::of_tool::<Lend>(request, arguments)
//! }
//! ```

use std::sync::atomic::{AtomicU32, Ordering};

use serde::Serialize;
use serde_json::{Map, Value, json};

pub use crate::bindings::routes::exports::madoguchi::tool::routes::{
    Answer, Guest, Request, Route as Declared, Unread,
};
use crate::{
    Invocation, Stop, Text, Tool,
    bindings::madoguchi::tool::event_stream,
    caller, definition,
    export::{self, OfferStop},
    refused,
};

/// Default maximum bytes of a body.
const BODY_BYTES_MAX: u32 = 256 << 10;
/// Maximum bytes of the body that is being answered.
static BYTES_MAX: AtomicU32 = AtomicU32::new(BODY_BYTES_MAX);

/// Maximum bytes of a body of the route that is being answered.
#[must_use]
pub fn body_bytes_max() -> u32 {
    BYTES_MAX.load(Ordering::Relaxed)
}

/// A path and its function.
pub struct Route {
    declared: Declared,
    answer: fn(&Request) -> Result<Answer, Stop>,
}

impl Route {
    /// A `GET` route.
    #[must_use]
    pub fn get(path: &str, answer: fn(&Request) -> Result<Answer, Stop>) -> Self {
        Self::of("GET", path, answer)
    }

    /// A `POST` route.
    #[must_use]
    pub fn post(path: &str, answer: fn(&Request) -> Result<Answer, Stop>) -> Self {
        Self::of("POST", path, answer)
    }

    /// A route of any method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    #[must_use]
    pub fn of(method: &str, path: &str, answer: fn(&Request) -> Result<Answer, Stop>) -> Self {
        let declared = Declared {
            method: method.to_owned(),
            path: path.to_owned(),
            tools: Vec::new(),
            body_bytes_max: BODY_BYTES_MAX,
            streams: false,
        };
        Self { declared, answer }
    }

    /// Permits callers that may call the tool `T`. If `T` is the route's only tool, the route stands for it, in the
    /// audit log too.
    #[must_use]
    pub fn of_tool<T: Tool>(mut self) -> Self {
        self.declared.tools.push(T::NAME.to_owned());
        self
    }

    /// Permits bodies of up to `bytes_max` bytes.
    #[must_use]
    pub fn bodies(mut self, bytes_max: u32) -> Self {
        self.declared.body_bytes_max = bytes_max;
        self
    }

    /// Streams events, by [`send`], to clients that accept them.
    #[must_use]
    pub fn streams(mut self) -> Self {
        self.declared.streams = true;
        self
    }
}

/// Declares the routes of a component.
pub fn declared(routes: Vec<Route>) -> Vec<Declared> {
    routes.into_iter().map(|it| it.declared).collect()
}

/// Answers `request` by the matching route.
///
/// # Errors
/// The route's stop.
pub fn handle(routes: &[Route], request: &Request) -> Result<Answer, OfferStop> {
    let is_it =
        |it: &&Route| it.declared.method == request.method && it.declared.path == request.route;
    let route = routes.iter().find(is_it).ok_or(OfferStop::NotFound)?;
    BYTES_MAX.store(route.declared.body_bytes_max, Ordering::Relaxed);
    (route.answer)(request).map_err(Into::into)
}

/// Sends an event, and blocks while a slow client catches up. False if the client has gone, or accepts no events.
pub fn send(event: &str, data: &impl Serialize) -> bool {
    event_stream::send(event, &definition::json(data))
}

impl Answer {
    /// An answer with status 200.
    #[must_use]
    pub fn ok(body: &impl Serialize) -> Self {
        Self::of(200, body)
    }

    /// An answer with any status from 200 to 599.
    #[must_use]
    pub fn of(status: u16, body: &impl Serialize) -> Self {
        Self { status, body: definition::json(body), retry_after_s: None, scope: None }
    }

    /// Output of the tool `T` called with `arguments`.
    ///
    /// # Errors
    /// The tool's stop. Questions and waits require a call by MCP.
    pub fn of_tool<T: Tool>(
        request: &Request,
        arguments: Map<String, Value>,
    ) -> Result<Self, Stop> {
        let output = export::run::<T>(Invocation {
            name: T::NAME.to_owned(),
            arguments: Value::Object(arguments).to_string(),
            answers: Vec::new(),
            state: None,
            first_called_at: request.received_at,
            meta: request.meta.clone(),
        })?;
        let body = output.structured.unwrap_or_else(|| "{}".to_owned());
        Ok(Self { status: 200, body, retry_after_s: None, scope: None })
    }
}

impl Request {
    /// Value of a path segment in braces; empty if there is none of that name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|it| it.0 == name);
        found.map(|it| it.1.as_str()).unwrap_or_default()
    }

    /// Body as a JSON object; empty without a body. Unknown fields are the client's own.
    ///
    /// # Errors
    /// 413 for a body that is too large, 415 for another content type than JSON, 400 for anything else that
    /// is no object.
    pub fn object(&self) -> Result<Map<String, Value>, Stop> {
        let body = match &self.body {
            Ok(body) => body,
            Err(Unread::TooLarge) => {
                let message = too_large(caller::reads_japanese(true), body_bytes_max());
                return Err(refused("payload_too_large", 413, message));
            }
            Err(Unread::Broken) => {
                let message = Text {
                    ja: "本文を最後まで受信できませんでした",
                    en: "The body did not arrive to its end",
                };
                let body = json!({ "field": "body" });
                return Err(refused("invalid_params", 400, in_language(message)).with(body));
            }
        };
        if body.trim_ascii().is_empty() {
            return Ok(Map::new());
        }
        if self.content_type.as_deref().is_some_and(|it| !is_json(it)) {
            let message = Text {
                ja: "本文はJSONで送ってください（Content-Type: application/json）",
                en: "Send the body as JSON, with Content-Type: application/json",
            };
            return Err(refused("unsupported_media_type", 415, in_language(message)));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(object)) => Ok(object),
            read => {
                let place = read.err().map(|it| (it.line(), it.column()));
                let message = no_object(caller::reads_japanese(true), place);
                Err(refused("invalid_params", 400, message).with(json!({ "field": "body" })))
            }
        }
    }
}

/// Whether the content type `kind` is JSON.
fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.starts_with("application/") && kind.ends_with("+json")
}

/// Picks the text in the caller's language.
fn in_language(text: Text) -> &'static str {
    if caller::reads_japanese(true) { text.ja } else { text.en }
}

/// The message for a body of more than `most` bytes.
fn too_large(is_japanese: bool, most: u32) -> String {
    match is_japanese {
        true => format!("本文が大きすぎます（{most}バイトまで）"),
        false => format!("The body is too large: it may have {most} bytes"),
    }
}

/// The message for a body that is no JSON object, with the line and column where it stops to be JSON.
fn no_object(is_japanese: bool, place: Option<(usize, usize)>) -> String {
    match (is_japanese, place) {
        (true, None) => "本文はJSONオブジェクトにしてください".to_owned(),
        (false, None) => "The body must be a JSON object".to_owned(),
        (true, Some((line, column))) => {
            format!(
                "本文はJSONオブジェクトにしてください（{line}行目の{column}列目が正しくありません）"
            )
        }
        (false, Some((line, column))) => {
            format!("The body must be a JSON object; it is wrong at line {line}, column {column}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_body_are_in_one_language() {
        for place in [None, Some((1, 7))] {
            let [japanese, english] = [true, false].map(|it| no_object(it, place));
            assert!(english.is_ascii() && !japanese.contains("line"), "{japanese}");
        }
        assert!(too_large(true, 4_096).contains("4096") && too_large(false, 4_096).is_ascii());
    }
}
