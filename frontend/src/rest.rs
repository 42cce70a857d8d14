//! The host's REST interface under `/api`: JSON in, JSON out.

use gloo_net::http::{Request, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::access;
use crate::error::CallError;
use crate::lookup::failed;
use crate::mcp::Pieces;
use crate::request::{answered, for_json, lost, with_json};

/// Maximum size of an answer in bytes: a long conversation, or all possible components.
const ANSWER_MAX: usize = 32 << 20;

/// Fetches an address of this host.
pub(crate) async fn get<T: DeserializeOwned>(address: &str) -> Result<T, CallError> {
    read(for_json(Request::get(address), None).send().await).await
}

/// Posts to an address of this host. Returns the parsed answer.
pub(crate) async fn post<T: DeserializeOwned>(
    address: &str,
    body: &impl Serialize,
) -> Result<T, CallError> {
    read(with_json(for_json(Request::post(address), None), body)?.send().await).await
}

/// Reads an event stream up to the event that `on_event` calls the last.
pub(crate) async fn received<E: From<CallError>>(
    response: Response,
    mut on_event: impl FnMut(&str, &str) -> Result<bool, E>,
) -> Result<(), E> {
    let mut pieces = Pieces::new(response).ok_or_else(lost)?;
    while let Some(event) = pieces.next_event().await? {
        if on_event(&event.name, &event.data)? {
            return Ok(());
        }
    }
    // The stream ended early: the host is gone.
    Err(lost().into())
}

async fn read<T: DeserializeOwned>(
    sent: Result<Response, gloo_net::Error>,
) -> Result<T, CallError> {
    let response = answered(sent, None)?;
    if response.status() == 401 {
        access::refused();
    }
    parsed(response).await
}

/// Parses a successful answer.
pub(crate) async fn parsed<T: DeserializeOwned>(response: Response) -> Result<T, CallError> {
    let status = response.status();
    let text = text(response).await?;
    serde_json::from_str(&text).map_err(|_| CallError::unreadable(status, &text))
}

/// Returns the text of a successful answer.
pub(crate) async fn text(response: Response) -> Result<String, CallError> {
    let status = response.status();
    let text = response.text().await.map_err(|_| lost())?;
    if !(200..300).contains(&status) {
        return Err(failed(status, &text));
    }
    if text.len() > ANSWER_MAX {
        return Err(CallError::page("the answer is too long"));
    }
    Ok(text)
}

/// Deserializes a name that may be missing or a number.
pub(crate) fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    })
}
