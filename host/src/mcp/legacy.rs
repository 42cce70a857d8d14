//! What clients of the revisions before 2026-07-28 need: questions pushed to them, and news of a
//! swap through their session.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleServer,
    model::{CallToolResponse, ServerRequest},
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::wire;
use crate::{
    component::{Ask, Question},
    registry::Catalog,
};

/// Rounds after which a tool that keeps asking is given up.
pub(super) const ROUNDS_MAX: usize = 16;
/// How long a person may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How long a client may take to accept news; a stalled one delays nobody else.
const NEWS_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a listener looks whether its session is still there.
const CLOSED_CHECK: Duration = Duration::from_secs(5);

/// Puts `questions` to the client, one after the other, and brings its answers back.
pub(super) async fn ask(
    context: &RequestContext<RoleServer>,
    questions: Vec<Question>,
) -> Result<BTreeMap<String, Value>, Box<CallToolResponse>> {
    let capabilities = context.client_capabilities().unwrap_or_default();
    let mut answers = BTreeMap::new();
    for question in questions {
        let can = match question.ask {
            Ask::Form(_) | Ask::Url(_) => capabilities.elicitation.is_some(),
            Ask::Sampling(_) => capabilities.sampling.is_some(),
            Ask::Roots => capabilities.roots.is_some(),
        };
        if !can {
            return Err(cannot_ask(&question, "the client did not declare the capability for it"));
        }
        let request: ServerRequest = serde_json::from_value(wire::input_request(&question))
            .map_err(|error| cannot_ask(&question, &error.to_string()))?;
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, context.peer.send_request(request));
        match answer.await {
            Ok(Ok(answer)) => {
                answers.insert(question.key, serde_json::to_value(answer).unwrap_or_default());
            }
            Ok(Err(error)) => return Err(cannot_ask(&question, &error.to_string())),
            Err(_) => return Err(cannot_ask(&question, "nobody answered in time")),
        }
    }
    Ok(answers)
}

fn cannot_ask(question: &Question, why: &str) -> Box<CallToolResponse> {
    Box::new(wire::refused(&json!({
        "error": "input_required",
        "message": format!("The tool has to ask {:?}, but {why}.", question.message),
        "status": 400,
        "data": { "question": question.message },
    })))
}

/// Tells `peer` of each swap until its session ends.
pub(super) async fn listen(peer: Peer<RoleServer>, mut changes: watch::Receiver<Arc<Catalog>>) {
    changes.mark_unchanged();
    loop {
        // The peer has no bell of its own for its end: look now and then.
        match tokio::time::timeout(CLOSED_CHECK, changes.changed()).await {
            Ok(Err(_)) => return,
            Ok(Ok(())) => {
                let news = tokio::time::timeout(NEWS_TIMEOUT, peer.notify_tool_list_changed());
                if matches!(news.await, Ok(Err(_))) {
                    return;
                }
            }
            Err(_) => {}
        }
        if peer.is_transport_closed() {
            return;
        }
    }
}
