//! Uploads to the host's store with progress, which the browser's fetch does not report.

use std::cell::Cell;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{File, ProgressEvent, XmlHttpRequest};

use crate::access;
use crate::error::CallError;
use crate::lookup;
use crate::request::ConcurrencyLimit;

/// Address of uploads.
const ENDPOINT: &str = "/api/blobs";
/// Maximum number of concurrent uploads. The rest of a browser's six connections to one host is for calls.
const AT_ONCE: usize = 2;
/// Maximum duration of an upload.
const DEADLINE_MS: u32 = 600_000;

thread_local! {
    static LIMIT: ConcurrencyLimit = ConcurrencyLimit::new(AT_ONCE);
}

/// Properties of a file known before sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) size: u64,
}

/// The store's answer.
#[derive(Deserialize)]
struct Stored {
    id: String,
}

/// A running upload, aborted when dropped.
pub(crate) struct Upload {
    request: XmlHttpRequest,
    is_over: Rc<Cell<bool>>,
    // The browser calls them for as long as the request lives.
    _on_progress: Closure<dyn FnMut(ProgressEvent)>,
    _on_end: Closure<dyn FnMut()>,
}

impl Drop for Upload {
    fn drop(&mut self) {
        // The reader needs no message about an upload they cancelled.
        self.is_over.set(true);
        self.request.set_onloadend(None);
        if let Ok(upload) = self.request.upload() {
            upload.set_onprogress(None);
        }
        // Harmless after the end.
        let _ = self.request.abort();
    }
}

impl Named {
    pub(crate) fn from_file(file: &File) -> Self {
        let kind = file.type_();
        let is_given = !kind.is_empty() && kind.contains('/');
        Self {
            name: file.name(),
            kind: if is_given { kind } else { "application/octet-stream".to_owned() },
            // Sizes are integers below 2^53.
            size: file.size() as u64,
        }
    }

    /// The file's form value (FORM-36).
    pub(crate) fn value(&self, id: &str) -> Value {
        json!({ "name": self.name, "type": self.kind, "size": self.size, "fileId": id })
    }

    /// Parses a form value.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let size = value.get("size").and_then(Value::as_u64);
        Some(Self { name: text("name")?, kind: text("type")?, size: size.unwrap_or_default() })
    }

    /// Whether the page can show it as a picture.
    pub(crate) fn is_picture(&self) -> bool {
        ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]
            .contains(&self.kind.as_str())
    }
}

/// Uploads a file once there is a slot, unless `is_wanted` is false by then. `keep` holds the running upload; `on_end`
/// receives the store's id.
pub(crate) async fn send(
    file: File,
    is_wanted: impl Fn() -> bool,
    keep: impl FnOnce(Upload),
    on_progress: impl Fn(f64) + 'static,
    on_end: impl FnOnce(Result<String, CallError>) + 'static,
) {
    let pass = LIMIT.with(ConcurrencyLimit::clone).enter().await;
    if !is_wanted() {
        return;
    }
    let on_end = move |result| {
        drop(pass);
        on_end(result);
    };
    if let Some(upload) = begin(&file, on_progress, on_end) {
        keep(upload);
    }
}

fn begin(
    file: &File,
    on_progress: impl Fn(f64) + 'static,
    on_end: impl FnOnce(Result<String, CallError>) + 'static,
) -> Option<Upload> {
    let request = XmlHttpRequest::new().ok()?;
    let is_over = Rc::new(Cell::new(false));
    let on_progress = Closure::<dyn FnMut(ProgressEvent)>::new(move |event: ProgressEvent| {
        if event.length_computable() && event.total() > 0.0 {
            on_progress(event.loaded() / event.total());
        }
    });
    let (own, over) = (request.clone(), Rc::clone(&is_over));
    let mut on_end = Some(on_end);
    let on_end = Closure::<dyn FnMut()>::new(move || {
        if let (false, Some(on_end)) = (over.replace(true), on_end.take()) {
            on_end(result(&own));
        }
    });
    request.open_with_async("POST", ENDPOINT, true).ok()?;
    request.set_timeout(DEADLINE_MS);
    request.set_onloadend(Some(on_end.as_ref().unchecked_ref()));
    request.upload().ok()?.set_onprogress(Some(on_progress.as_ref().unchecked_ref()));
    request.set_request_header("Content-Type", &Named::from_file(file).kind).ok()?;
    if let Some(authorization) = access::header() {
        request.set_request_header("Authorization", &authorization).ok()?;
    }
    request.send_with_opt_blob(Some(file)).ok()?;
    Some(Upload { request, is_over, _on_progress: on_progress, _on_end: on_end })
}

fn result(request: &XmlHttpRequest) -> Result<String, CallError> {
    // 0 if the host was not reached, the deadline passed or the request was aborted.
    let status = request.status().unwrap_or_default();
    if status == 0 {
        return Err(CallError::Offline);
    }
    let text = request.response_text().ok().flatten().unwrap_or_default();
    if status == 401 {
        access::refused();
    }
    read(status, &text)
}

fn read(status: u16, text: &str) -> Result<String, CallError> {
    if !(200..300).contains(&status) {
        return Err(lookup::failed(status, text));
    }
    let stored = serde_json::from_str::<Stored>(text);
    stored.map(|it| it.id).map_err(|_| CallError::unreadable(status, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_value_round_trips() {
        let kind = "application/pdf".to_owned();
        let named = Named { name: "見積.pdf".to_owned(), kind, size: 12 };
        let value = named.value("abc");
        let expected =
            json!({ "name": "見積.pdf", "type": "application/pdf", "size": 12, "fileId": "abc" });
        assert_eq!(value, expected);
        assert_eq!(Named::read(&value), Some(named));
        assert_eq!(Named::read(&json!("見積.pdf")), None);
    }

    #[test]
    fn reads_the_stores_answer_and_returns_its_refusal_as_an_error() {
        assert_eq!(read(201, r#"{"id": "b1", "size": 3}"#), Ok("b1".to_owned()));
        assert!(matches!(read(201, "<html>"), Err(CallError::Protocol { .. })));
        let refused = read(413, r#"{"error": "payload_too_large", "message": "m", "status": 413}"#);
        let Err(CallError::Refused(refusal)) = refused else { panic!("{refused:?}") };
        assert_eq!(refusal.status, 413);
        assert_eq!(read(401, ""), Err(CallError::Unauthorized));
    }
}
