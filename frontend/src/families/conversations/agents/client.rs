//! What the place asks of the host: pages of chats (`GET /api/projects/…`), and its tools.

use serde_json::{Value, json};

use super::chat::Messages;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::kept::Unsent;
use crate::families::conversations::place::Seat;
use crate::rest::get;
use crate::route::encoded;

/// Messages of one page.
const PAGE: usize = 50;

/// A page of a chat: the newest, or the one before a message.
pub(crate) async fn messages(seat: &Seat, before: Option<u64>) -> Result<Messages, CallError> {
    let before = before.map(|it| format!("&before={it}")).unwrap_or_default();
    let (project, agent) = (encoded(&seat.project), encoded(&seat.agent));
    let path = format!("/api/projects/{project}/agents/{agent}/chat/messages?limit={PAGE}{before}");
    let mut page: Messages = get(&path).await?;
    page.messages.sort_by_key(|it| it.sequence);
    Ok(page)
}

/// Sends a message; gives what the host calls it.
pub(crate) async fn send(seat: &Seat, unsent: &Unsent) -> Result<String, CallError> {
    let mut arguments = of(seat);
    arguments["content"] = unsent.content.as_str().into();
    arguments["client_message_id"] = unsent.client_id.as_str().into();
    let taken: Value = fetch("send_chat", arguments).await?;
    let id =
        ["/message_id", "/message/id", "/id"].iter().find_map(|it| taken.pointer(it)?.as_str());
    id.map(str::to_owned).ok_or_else(|| CallError::page("send_chat gave no message_id"))
}

/// One of the tools that take a seat and nothing else.
pub(crate) async fn act(tool: &str, seat: &Seat) -> Result<(), CallError> {
    fetch::<Value>(tool, of(seat)).await.map(drop)
}

fn of(seat: &Seat) -> Value {
    json!({ "project_id": seat.project, "agent_id": seat.agent })
}
