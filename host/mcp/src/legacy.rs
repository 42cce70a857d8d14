//! What clients of the revisions before 2026-07-28 need: questions pushed to them, and news through
//! their session.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{CallToolResponse, ErrorCode, ResourceUpdatedNotificationParam, ServerRequest},
    service::ServiceError,
};
use serde_json::{Value, json};

use super::{
    news::{Bulletin, NEWS_TIMEOUT, News},
    session::Session,
    wire,
};
use sandbox::component::Question;

/// How long a person may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How often a listener looks whether its session is still there.
const CLOSED_CHECK: Duration = Duration::from_secs(5);

/// Puts `questions` to the client, one after the other, and brings its answers back.
pub(super) async fn ask(
    peer: Peer<RoleServer>,
    capabilities: Arc<str>,
    questions: Vec<Question>,
) -> Result<BTreeMap<String, Value>, Box<CannotAsk>> {
    if let Some(lacking) = wire::lacking(&capabilities, &questions) {
        return Err(Box::new(CannotAsk { required: None, ..lacking }));
    }
    let mut answers = BTreeMap::new();
    for question in questions {
        let request: ServerRequest = serde_json::from_value(wire::input_request(&question))
            .map_err(|error| cannot_ask(&question, &error.to_string()))?;
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, peer.send_request(request));
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

/// A question that cannot be put to the client.
pub(super) struct CannotAsk {
    pub(super) question: String,
    pub(super) why: String,
    /// What the client would have to declare, where that is how its era says it.
    pub(super) required: Option<Value>,
}

impl CannotAsk {
    fn object(&self) -> Value {
        json!({
            "error": "input_required",
            "message": format!("The tool has to ask {:?}, but {}.", self.question, self.why),
            "status": 400,
            "data": { "question": self.question },
        })
    }

    /// As a tool's refusal, which a model can read; an error where the era has one for it.
    pub(super) fn refusal(&self) -> Result<CallToolResponse, ErrorData> {
        match self.required {
            Some(_) => Err(self.error()),
            None => Ok(wire::refused(&self.object())),
        }
    }

    /// As an error of the protocol.
    pub(super) fn error(&self) -> ErrorData {
        let message = format!("{:?} has to be asked, but {}.", self.question, self.why);
        match &self.required {
            Some(required) => ErrorData::new(
                ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
                message,
                Some(json!({ "requiredCapabilities": required })),
            ),
            None => ErrorData::invalid_request(message, Some(self.object())),
        }
    }
}

fn cannot_ask(question: &Question, why: &str) -> Box<CannotAsk> {
    let (question, why) = (question.message.clone(), why.to_owned());
    Box::new(CannotAsk { question, why, required: None })
}

/// Tells `peer` what is new until its session ends.
pub(super) async fn listen(peer: Peer<RoleServer>, session: Session, mut news: News) {
    loop {
        // The peer has no bell of its own for its end: look now and then.
        let bulletin = match tokio::time::timeout(CLOSED_CHECK, news.next()).await {
            Ok(None) => return,
            Ok(Some(bulletin)) => bulletin,
            Err(_) => Bulletin::default(),
        };
        if peer.is_transport_closed() {
            return;
        }
        let updated = match bulletin.is_incomplete {
            true => session.uris(),
            false => bulletin.updated.iter().filter(|it| session.wants(it)).cloned().collect(),
        };
        let tell = async {
            if bulletin.tools {
                peer.notify_tool_list_changed().await?;
            }
            if bulletin.prompts {
                peer.notify_prompt_list_changed().await?;
            }
            if bulletin.resources {
                peer.notify_resource_list_changed().await?;
            }
            for uri in updated {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
            }
            Ok::<_, ServiceError>(())
        };
        // A session whose client does not listen now may do so later.
        if matches!(tokio::time::timeout(NEWS_TIMEOUT, tell).await, Ok(Err(_))) {
            return;
        }
    }
}
