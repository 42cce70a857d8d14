//! What the host answers beside MCP: `GET /api/…`, JSON out.

use gloo_net::http::Request;
use serde::de::DeserializeOwned;

use crate::access;
use crate::browser;
use crate::lookup::failed;
use crate::trouble::Trouble;

/// Characters of an answer: the whole of a long conversation.
const ANSWER_MAX: usize = 32 << 20;

/// Reads what stands at an address of this host.
pub(crate) async fn get<T: DeserializeOwned>(address: &str) -> Result<T, Trouble> {
    let mut request = Request::get(address)
        .header("Accept", "application/json")
        .header("Accept-Language", &browser::document_language());
    if let Some(authorization) = access::header() {
        request = request.header("Authorization", &authorization);
    }
    let response = request.send().await.map_err(|_| Trouble::Offline)?;
    let status = response.status();
    let text = response.text().await.map_err(|_| Trouble::Offline)?;
    if status == 401 {
        access::refused();
    }
    if !(200..300).contains(&status) {
        return Err(failed(status, &text));
    }
    if text.len() > ANSWER_MAX {
        return Err(Trouble::page("the answer is too long"));
    }
    serde_json::from_str(&text).map_err(|_| Trouble::unreadable(status, &text))
}
