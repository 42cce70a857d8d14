//! What the host answers beside MCP, under `/api`: JSON in, JSON out.

use gloo_net::http::{Request, RequestBuilder, Response};
use serde::{Serialize, de::DeserializeOwned};

use crate::access;
use crate::error::CallError;
use crate::lookup::failed;
use crate::mcp::Pieces;
use crate::request::{answered, with_headers};

/// Characters of an answer: the whole of a long conversation.
const ANSWER_MAX: usize = 32 << 20;

/// Reads what stands at an address of this host.
pub(crate) async fn get<T: DeserializeOwned>(address: &str) -> Result<T, CallError> {
    read(json(Request::get(address)).send().await).await
}

/// Sends something to an address of this host; what it answers.
pub(crate) async fn post<T: DeserializeOwned>(
    address: &str,
    body: &impl Serialize,
) -> Result<T, CallError> {
    let request = json(Request::post(address)).json(body);
    let request = request.map_err(|error| CallError::page(&error.to_string()))?;
    read(request.send().await).await
}

fn json(request: RequestBuilder) -> RequestBuilder {
    with_headers(request.header("Accept", "application/json"), None)
}

/// Reads a stream, event by event with its name and its data, to the one that `on_event` says is the last.
pub(crate) async fn received<E: From<CallError>>(
    response: Response,
    mut on_event: impl FnMut(&str, &str) -> Result<bool, E>,
) -> Result<(), E> {
    let mut pieces = Pieces::of(response).ok_or(CallError::Offline)?;
    while let Some(event) = pieces.next_event().await? {
        if on_event(&event.name, &event.data)? {
            return Ok(());
        }
    }
    // It ended in the middle: the host is gone.
    Err(CallError::Offline.into())
}

async fn read<T: DeserializeOwned>(
    response: Result<Response, gloo_net::Error>,
) -> Result<T, CallError> {
    let response = answered(response, None)?;
    let status = response.status();
    let text = response.text().await.map_err(|_| CallError::Offline)?;
    if status == 401 {
        access::refused();
    }
    if !(200..300).contains(&status) {
        return Err(failed(status, &text));
    }
    if text.len() > ANSWER_MAX {
        return Err(CallError::page("the answer is too long"));
    }
    serde_json::from_str(&text).map_err(|_| CallError::unreadable(status, &text))
}
