//! What all requests of the page have in common, whatever they ask for.

use gloo_net::http::{RequestBuilder, Response};
use web_sys::AbortSignal;

use crate::access;
use crate::browser;
use crate::trouble::Trouble;

/// With what every request of the page carries: what its reader chose to read, and who that is. It ends with `stop`.
pub(crate) fn with_headers(request: RequestBuilder, stop: Option<&AbortSignal>) -> RequestBuilder {
    let request =
        request.header("Accept-Language", &browser::document_language()).abort_signal(stop);
    match access::header() {
        Some(authorization) => request.header("Authorization", &authorization),
        None => request,
    }
}

/// What came, unless nothing did.
pub(crate) fn answered<E>(
    sent: Result<Response, E>,
    stop: Option<&AbortSignal>,
) -> Result<Response, Trouble> {
    sent.map_err(|_| match stop {
        Some(signal) if signal.aborted() => Trouble::Stopped,
        _ => Trouble::Offline,
    })
}
