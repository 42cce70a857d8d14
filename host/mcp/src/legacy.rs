//! Support for clients of revisions before 2026-07-28: pushed questions, notifications through the session, and its
//! subscriptions.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use parking_lot::Mutex;
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        CallToolResult, ClientResult, ErrorCode, ProtocolVersion, ServerRequest, SubscriptionFilter,
    },
    service::{PeerRequestOptions, ServiceError},
};
use scopeguard::ScopeGuard;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    Result,
    servers::cancel,
    sessions::{SessionFilter, SharedSessions},
    subscriptions::{Bulletin, NEWS_TIMEOUT, SUBSCRIPTIONS_MAX, Subscriptions},
    wire,
};
use base::caller::Caller;
use sandbox::component::Question;

/// Time limit of a person's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Interval of checking whether the session is open.
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
        let cannot = |why: &str| cannot_ask(std::slice::from_ref(&question), why);
        let mut request = wire::input_request(&question);
        let form = request.pointer_mut("/params/requestedSchema").filter(|_| is_older(&peer));
        if form.is_some_and(|it| !in_older_terms(it)) {
            return Err(cannot("the client's revision has no list to pick several things from"));
        }
        let request = serde_json::from_value(request).map_err(|it| cannot(&it.to_string()))?;
        match tokio::time::timeout(ANSWER_TIMEOUT, put(&peer, request)).await {
            Ok(Ok(answer)) => {
                answers.insert(question.key, serde_json::to_value(answer).unwrap_or_default());
            }
            Ok(Err(error)) => return Err(cannot(&error.to_string())),
            Err(_) => return Err(cannot("nobody answered in time")),
        }
    }
    Ok(answers)
}

/// Puts one question to the client; takes it back where it is not waited for any longer.
async fn put(
    peer: &Peer<RoleServer>,
    request: ServerRequest,
) -> Result<ClientResult, ServiceError> {
    let options = PeerRequestOptions::no_options();
    let asked = peer.send_cancellable_request(request, options).await?;
    let mut asked = scopeguard::guard(asked, cancel);
    let answer = (&mut asked.rx).await;
    drop(ScopeGuard::into_inner(asked));
    answer.map_err(|_| ServiceError::TransportClosed)?
}

/// Whether the client speaks a revision before 2025-11-25, which has fewer kinds of fields.
fn is_older(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|it| it.protocol_version < ProtocolVersion::V_2025_11_25)
}

/// Makes the form's `schema` one of the revisions before 2025-11-25, where one of several titled values is chosen in
/// other words; whether they have words for all of it.
fn in_older_terms(schema: &mut Value) -> bool {
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return true;
    };
    for field in fields.values_mut() {
        if field["type"] == "array" {
            return false;
        }
        let Some(field) = field.as_object_mut() else { continue };
        let Some(Value::Array(choices)) = field.remove("oneOf") else { continue };
        let values: Vec<_> = choices.iter().map(|it| it["const"].clone()).collect();
        let title = |it: &Value| it.get("title").unwrap_or(&it["const"]).clone();
        let titles: Vec<_> = choices.iter().map(title).collect();
        field.insert("enum".to_owned(), values.into());
        field.insert("enumNames".to_owned(), titles.into());
    }
    true
}

/// A question that cannot be put to the client.
pub(super) struct CannotAsk {
    pub(super) question: String,
    pub(super) why: String,
    /// Capabilities that the client lacks.
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

    /// As a tool error that a model can read, or a protocol error if required by the era.
    pub(super) fn refusal(&self) -> Result<CallToolResult> {
        match self.required {
            Some(_) => Err(self.error()),
            None => Ok(wire::refused(&self.object())),
        }
    }

    /// As a protocol error.
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

/// The error if `questions` cannot be sent to the client.
pub(super) fn cannot_ask(questions: &[Question], why: &str) -> Box<CannotAsk> {
    let question = questions.first().map(|it| it.message.clone()).unwrap_or_default();
    Box::new(CannotAsk { question, why: why.to_owned(), required: None })
}

/// Shared session store and the session's key in it.
pub(super) type Linked = (Arc<SharedSessions>, Arc<str>);

/// Notifies `peer` of changes until its session ends.
pub(super) async fn listen(
    peer: Peer<RoleServer>,
    (session, shared): (Session, Option<Linked>),
    mut news: Subscriptions,
) {
    loop {
        // The peer does not signal its own end: look now and then.
        let bulletin = match tokio::time::timeout(CLOSED_CHECK, news.next()).await {
            Ok(None) => return,
            Ok(Some(bulletin)) => bulletin,
            Err(_) => Bulletin::default(),
        };
        if peer.is_transport_closed() {
            return;
        }
        if let Some((shared, key)) = &shared {
            shared.refresh_if(key, |it| bulletin.updated.contains(it)).await;
        }
        let wanted = session.wanted();
        let tell = async {
            for note in bulletin.notifications(&wanted, &news.catalog()) {
                peer.send_notification(note).await?;
            }
            Ok::<_, ServiceError>(())
        };
        // A session whose client does not listen now may do so later.
        if matches!(tokio::time::timeout(NEWS_TIMEOUT, tell).await, Ok(Err(_))) {
            return;
        }
    }
}

/// Maximum number of ended calls per session whose questions are open.
const LATER_MAX: usize = 16;

/// State of a session. A modern request has one of its own.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) asked: Arc<Mutex<SessionFilter>>,
    /// Slots for ended calls with open questions.
    later: Arc<Semaphore>,
    /// Caller of the listening client.
    listens_as: Arc<OnceLock<Arc<Mutex<Caller>>>>,
}

impl Default for Session {
    fn default() -> Self {
        let later = Arc::new(Semaphore::new(LATER_MAX));
        Self { asked: Arc::default(), later, listens_as: Arc::default() }
    }
}

impl Session {
    /// Takes a slot for an ended call with an open question.
    pub(super) fn place_for_later(&self) -> Option<OwnedSemaphorePermit> {
        self.later.clone().try_acquire_owned().ok()
    }

    /// Starts listening as `caller`. Returns `Some` only the first time.
    pub(super) fn begins_to_listen(&self, caller: Caller) -> Option<Arc<Mutex<Caller>>> {
        let caller = Arc::new(Mutex::new(caller));
        self.listens_as.set(caller.clone()).ok().map(|()| caller)
    }

    /// Updates the caller, whose token may have fewer scopes now.
    pub(super) fn update_caller(&self, caller: &Caller) {
        if let Some(listener) = self.listens_as.get() {
            listener.lock().clone_from(caller);
        }
    }

    /// Everything the client is notified of: all lists, and subscribed resources.
    fn wanted(&self) -> SubscriptionFilter {
        let lists = SubscriptionFilter::builder().tools_list_changed().prompts_list_changed();
        let uris = self.asked.lock().uris.clone();
        lists.resources_list_changed().resource_subscriptions(uris).build()
    }

    /// Subscribes to `uri`; not where it has as many subscriptions as it may.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut asked = self.asked.lock();
        let is_known = asked.uris.contains(&uri);
        if !is_known && asked.uris.len() >= SUBSCRIPTIONS_MAX {
            return false;
        }
        asked.uris.insert(uri);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_questions_have_separate_ids() {
        let request = |url: &str| {
            wire::input_request(&Question {
                key: "form".to_owned(),
                message: String::new(),
                ask: sandbox::component::Ask::Url(url.to_owned()),
                meta: None,
            })
        };
        let [one, two] = ["https://a.example/1", "https://a.example/2"].map(request);
        let id = |it: &Value| it["params"]["elicitationId"].as_str().map(str::to_owned);
        assert!(id(&one).is_some() && id(&one) != id(&two), "{one} {two}");
    }

    #[test]
    fn converts_form_to_an_older_revision() {
        let mut schema = json!({ "type": "object", "properties": {
            "by": { "type": "string", "title": "By", "oneOf": [
                { "const": "train", "title": "Train" }, { "const": "car", "title": "Car" },
            ] },
            "nights": { "type": "integer" },
        } });
        assert!(in_older_terms(&mut schema));
        let by = json!({
            "type": "string", "title": "By", "enum": ["train", "car"], "enumNames": ["Train", "Car"],
        });
        assert_eq!(schema["properties"], json!({ "by": by, "nights": { "type": "integer" } }));
        let several = json!({ "type": "array", "items": { "anyOf": [] } });
        assert!(!in_older_terms(&mut json!({ "properties": { "several": several } })));
        assert!(in_older_terms(&mut Value::Null), "what is no form");
    }
}
