//! Client of the assistant: one POST answered by an event stream (`POST /api/chat`).

use futures::future::join_all;
use gloo_net::http::{Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use web_sys::{AbortController, AbortSignal};

use super::entry::Failure;
use super::event::Event;
use super::thread;
use crate::access;
use crate::error::CallError;
use crate::lookup::failed;
use crate::mcp;
use crate::request::{self, lost, with_headers};
use crate::rest;
use crate::route::encoded;

/// Maximum size in bytes of an unstreamed answer, which contains pictures.
const ANSWER_MAX: usize = 64 << 20;
/// Maximum number of assistants.
const ASSISTANTS_MAX: usize = 20;

/// The available assistants (`GET /api/chat`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Assistants {
    pub(crate) default: String,
    pub(crate) assistants: Vec<Assistant>,
    /// Assistants that act as agents in conversations; they are not offered for chats.
    pub(crate) players: Vec<Assistant>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Assistant {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) title_ja: Option<String>,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) makes_pictures: bool,
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The reader cancelled it.
    Stopped,
    /// A password is required.
    Locked,
    Failed(Failure),
}

impl From<CallError> for Lost {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Stopped => Self::Stopped,
            _ => Self::Failed(Failure::offline()),
        }
    }
}

/// Why the assistants are unknown.
#[derive(Debug)]
pub(crate) enum Unmet {
    /// A password is required.
    Locked,
    Failed(CallError),
}

impl From<CallError> for Unmet {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

/// Fetches the assistants; the list is empty if the host has no chat.
pub(crate) async fn assistants() -> Result<Assistants, Unmet> {
    let sent = with_headers(Request::get("/api/chat"), None).send().await;
    let response = request::answered(sent, None)?;
    if is_locked(&response) {
        return Err(Unmet::Locked);
    }
    let status = response.status();
    let text = response.text().await.map_err(|_| lost())?;
    match status {
        200..300 => {}
        404 => return Ok(Assistants::default()),
        _ => return Err(failed(status, &text).into()),
    }
    let found = serde_json::from_str::<Assistants>(&text).ok();
    let mut found = found.ok_or_else(|| CallError::unreadable(status, &text))?;
    found.assistants.truncate(ASSISTANTS_MAX);
    Ok(found)
}

/// Sends the person's answers to the host, then the request; passes each event of the response to `on_event`.
pub(crate) async fn chat(
    request: &thread::Request,
    stop: AbortController,
    mut on_event: impl FnMut(Event),
) -> Result<(), Lost> {
    let results = request.decisions.iter().map(async |(approval, decision)| {
        let address = format!("/api/approvals/{}", encoded(approval));
        rest::post::<Value>(&address, decision).await
    });
    let results = join_all(results).await;
    if results.iter().any(|it| matches!(it, Err(CallError::Offline))) {
        return Err(Lost::Failed(Failure::offline()));
    }
    for (approval, result) in request.decisions.keys().zip(results) {
        // An approval answered before stays as it is.
        if let Err(CallError::Refused(it)) = result
            && it.code == "answered_already"
        {
            let is_allowed = it.data["state"] != "denied";
            on_event(Event::Overruled { approval: approval.clone(), is_allowed });
        }
    }
    let signal = stop.signal();
    let request = with_headers(Request::post("/api/chat"), Some(&signal))
        .header("Accept", "text/event-stream")
        .header("Madoguchi-Trusts", &request.trusts.join(", "))
        .json(&request.body)
        .map_err(|error| Lost::Failed(Failure::unreadable(&error.to_string())))?;
    let response = answered(request.send().await, &signal)?;
    if !mcp::is_stream(&response) {
        // A host that does not stream, or refuses, answers at once.
        let value = read(response).await?;
        on_event(Event::parse("done", &value.to_string()).map_err(Lost::Failed)?);
        return Ok(());
    }
    rest::received(response, |name, data| {
        let event = Event::parse(name, data).map_err(Lost::Failed)?;
        let is_last = matches!(event, Event::Done(_) | Event::Failed(_));
        on_event(event);
        Ok(is_last)
    })
    .await
}

/// Sends the password (ILL-44).
pub(crate) async fn enter(password: &str) -> Result<(), Failure> {
    let request = with_headers(Request::post("/api/auth"), None)
        .json(&json!({ "password": password }))
        .map_err(|error| Failure::unreadable(&error.to_string()))?;
    let sent = request::answered(request.send().await, None);
    let response = sent.map_err(|_| Failure::offline())?;
    if response.ok() {
        return Ok(());
    }
    Err(failure(response).await)
}

fn answered<E>(sent: Result<Response, E>, signal: &AbortSignal) -> Result<Response, Lost> {
    let response = request::answered(sent, Some(signal))?;
    if is_locked(&response) { Err(Lost::Locked) } else { Ok(response) }
}

/// Whether the host requires the caller to sign in.
fn is_locked(response: &Response) -> bool {
    let is_locked = response.status() == 401;
    // A host that wants a token says so in the header; a gateway wants its own password.
    if is_locked && response.headers().get("www-authenticate").is_some() {
        access::refused();
    }
    is_locked
}

async fn read(response: Response) -> Result<Value, Lost> {
    if !response.ok() {
        return Err(Lost::Failed(failure(response).await));
    }
    let text = response.text().await.map_err(|_| lost())?;
    let value = serde_json::from_str(&text).ok().filter(|_| text.len() <= ANSWER_MAX);
    value.ok_or_else(|| Lost::Failed(Failure::unreadable(&text)))
}

async fn failure(response: Response) -> Failure {
    let status = response.status();
    let retry_after_s = response.headers().get("retry-after").and_then(|it| it.parse().ok());
    let text = response.text().await.unwrap_or_default();
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => Failure::parse(status, &value, retry_after_s),
        Err(_) => Failure { status, retry_after_s, ..Failure::unreadable(&text) },
    }
}
