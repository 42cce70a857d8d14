//! What the host answers beside MCP, under `/api`: JSON in, JSON out.

use gloo_net::http::{Request, RequestBuilder, Response};
use serde::{Serialize, de::DeserializeOwned};

use crate::access;
use crate::browser;
use crate::lookup::failed;
use crate::trouble::Trouble;

/// Characters of an answer: the whole of a long conversation.
const ANSWER_MAX: usize = 32 << 20;

/// Reads what stands at an address of this host.
pub(crate) async fn get<T: DeserializeOwned>(address: &str) -> Result<T, Trouble> {
    read(with_headers(Request::get(address)).send().await).await
}

/// Sends something to an address of this host; what it answers.
pub(crate) async fn post<T: DeserializeOwned>(
    address: &str,
    body: &impl Serialize,
) -> Result<T, Trouble> {
    let request = with_headers(Request::post(address)).json(body);
    let request = request.map_err(|error| Trouble::page(&error.to_string()))?;
    read(request.send().await).await
}

fn with_headers(request: RequestBuilder) -> RequestBuilder {
    let request = request
        .header("Accept", "application/json")
        .header("Accept-Language", &browser::document_language());
    match access::header() {
        Some(authorization) => request.header("Authorization", &authorization),
        None => request,
    }
}

async fn read<T: DeserializeOwned>(
    response: Result<Response, gloo_net::Error>,
) -> Result<T, Trouble> {
    let response = response.map_err(|_| Trouble::Offline)?;
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
