//! Whom the viewer asks: people's tools over MCP, and what is fetched beside them.

use output::conversations::{Conversations, Projects, Transcript};
use serde::Deserialize;
use serde_json::json;

use super::filter::Filter;
use super::live::{PAGE, Part};
use crate::call::fetch;
use crate::error::CallError;
use crate::rest;
use crate::route::encoded;

/// A conversation as files.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Written {
    /// The record as Markdown.
    pub(crate) markdown: String,
    /// One message a line, as `chat.jsonl` has it (CONV-6).
    pub(crate) jsonl: String,
}

/// One page of the list.
pub(crate) async fn list(
    filter: &Filter,
    cursor: Option<&str>,
) -> Result<Conversations, CallError> {
    fetch("list_conversations", filter.arguments(cursor)).await
}

/// One conversation, with a part of its messages.
pub(crate) async fn read(id: &str, part: Part) -> Result<Transcript, CallError> {
    let mut arguments = json!({ "conversation_id": id, "limit": PAGE });
    match part {
        Part::Latest => {}
        Part::Before(number) => arguments["before"] = number.into(),
        Part::After(number) => arguments["after"] = number.into(),
    }
    fetch("get_conversation", arguments).await
}

/// Projects and their agents.
pub(crate) async fn projects() -> Result<Projects, CallError> {
    rest::get("/api/projects").await
}

/// The whole conversation, to be saved.
pub(crate) async fn written(id: &str) -> Result<Written, CallError> {
    rest::get(&format!("/api/conversations/transcript?id={}", encoded(id))).await
}
