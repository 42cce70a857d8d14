//! Sessions that any node of a database can take over (STO-16). Each node that a client reaches restores a copy of its
//! session.
//!
//! Ids of requests to clients contain the node's number, so that answers reach the asking node. Event ids do as well,
//! so that no other node resumes a stream.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use rmcp::{
    model::{
        CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, Extensions,
        JsonRpcMessage, NumberOrString, ServerJsonRpcMessage, ServerNotification,
    },
    transport::streamable_http_server::{
        SessionId,
        session::{ServerSseMessage, SessionState, SessionStore, SessionStoreError},
    },
};

use super::{ACTING, SessionFilter, SessionTable};
use base::call::Level;
use store::{
    events::Events,
    sessions::{self as rows, Kept, key_of},
};

/// The header that names a session.
pub(crate) const SESSION_ID: &str = "mcp-session-id";
/// Prefix of events about changed or closed sessions.
pub(super) const CHANGED: &str = "sessions/";
/// The event that something was left for a node.
pub(super) const MESSAGES: &str = "session-messages";

/// The event that the session of that key has changed, or is over. It is no URI, so that no resource has it.
fn changed(key: &str) -> String {
    format!("{CHANGED}{key}")
}

/// The sessions of all nodes on one database, and the copies of this one.
pub(crate) struct SharedSessions {
    pub(crate) rows: rows::Sessions,
    pub(super) events: Events,
    /// Sessions open on this node.
    pub(super) table: Arc<SessionTable<SessionId>>,
    copies: Mutex<HashMap<String, Copy>>,
}

/// This node's copy of a session.
#[derive(Clone)]
pub(super) struct Copy {
    pub(super) id: SessionId,
    owner: Arc<str>,
    asked: Arc<Mutex<SessionFilter>>,
}

/// Destination of a client message.
pub(super) enum Goal {
    ThisNode(ClientJsonRpcMessage),
    /// The node that asked.
    Node(i64, ClientJsonRpcMessage),
    /// Any node concerned.
    Anywhere(ClientJsonRpcMessage),
    /// None, already delivered.
    Nothing,
}

impl SharedSessions {
    /// Shared sessions in `rows`, with at most `sessions_max` copies.
    pub(crate) fn new(rows: rows::Sessions, events: Events, sessions_max: usize) -> Arc<Self> {
        let table = Arc::new(SessionTable::new(sessions_max));
        Arc::new(Self { rows, events, table, copies: Mutex::default() })
    }

    /// The keys of those that are in use here.
    pub(super) fn in_use(&self) -> Vec<String> {
        self.table.in_use().iter().map(|it| key_of(it)).collect()
    }

    /// Finds session `id` if it belongs to the sender, and refreshes this node's copy.
    pub(super) async fn find(&self, id: &SessionId) -> std::io::Result<Option<Kept>> {
        let Ok(owner) = ACTING.try_with(|it| it.caller.principal.clone()) else { return Ok(None) };
        let key = key_of(id);
        let kept = self.rows.find(&key, &owner).await?;
        let mut copies = self.copies.lock();
        match &kept {
            Some(kept) => {
                let new = || Copy { id: id.clone(), owner, asked: Arc::default() };
                copies.entry(key).or_insert_with(new).take(kept);
            }
            None => drop(copies.remove(&key)),
        }
        Ok(kept)
    }

    /// Reads the subscriptions of a session as stored by other nodes. Returns its copy if it has ended.
    pub(super) async fn refresh(&self, key: &str) -> Option<Copy> {
        let copy = self.copies.lock().get(key).cloned()?;
        match self.rows.find(key, &copy.owner).await {
            Ok(Some(kept)) => copy.take(&kept),
            Ok(None) => return self.copies.lock().remove(key),
            Err(error) => tracing::warn!("a session is not looked at: {error}"),
        }
        None
    }

    /// Refreshes the copy of session `key` before notifications are sent, if `is_changed` says so of its event.
    pub(crate) async fn refresh_if(&self, key: &str, is_changed: impl Fn(&str) -> bool) {
        if is_changed(&changed(key)) {
            self.refresh(key).await;
        }
    }

    /// Links `asked` to the session of this request and returns its key.
    pub(crate) fn link(
        &self,
        extensions: &Extensions,
        owner: &Arc<str>,
        asked: &Arc<Mutex<SessionFilter>>,
    ) -> Option<Arc<str>> {
        let id: SessionId = id_of(extensions)?.into();
        let key = key_of(&id);
        let copy = Copy { id, owner: owner.clone(), asked: asked.clone() };
        let before = self.copies.lock().insert(key.clone(), copy);
        if let Some(before) = before.filter(|it| !Arc::ptr_eq(&it.asked, asked)) {
            let (log_level, uris) = {
                let before = before.asked.lock();
                (before.log_level, before.uris.clone())
            };
            let mut asked = asked.lock();
            (asked.log_level, asked.uris) = (log_level, uris);
        }
        Some(key.into())
    }

    /// Tells the other nodes that the session of this request has changed.
    pub(crate) fn notify_changed(&self, owner: &str, key: &str) {
        self.events.notify(owner, &changed(key));
    }

    /// Leaves `message` for that node, or for all others.
    pub(super) async fn send(
        &self,
        node: Option<i64>,
        id: &SessionId,
        message: &ClientJsonRpcMessage,
    ) -> std::io::Result<bool> {
        let (key, message) = (key_of(id), serde_json::to_string(message)?);
        let is_sent = self.rows.send(node, &key, &message).await?;
        let owner = ACTING.try_with(|it| it.caller.principal.clone());
        if let Ok(owner) = owner.as_ref()
            && is_sent
        {
            self.events.notify(owner, MESSAGES);
        }
        Ok(is_sent)
    }

    pub(super) fn copy(&self, key: &str) -> Option<Copy> {
        self.copies.lock().get(key).cloned()
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.copies.lock().keys().cloned().collect()
    }

    /// Drops copies of other sessions and returns the keys of `open`.
    pub(super) fn retain(&self, open: &[SessionId]) -> Vec<String> {
        let keys: HashSet<_> = open.iter().map(|it| key_of(it)).collect();
        self.copies.lock().retain(|key, _| keys.contains(key));
        keys.into_iter().collect()
    }

    /// This node has no copy of it any more.
    pub(super) fn forget(&self, id: &SessionId) {
        self.copies.lock().remove(&key_of(id));
    }

    /// `message` with ids that are another node's nowhere.
    pub(super) fn marked(&self, mut message: ServerSseMessage) -> ServerSseMessage {
        let node = self.rows.node();
        if let Some(id) = &mut message.event_id {
            *id = format!("{node}.{id}");
        }
        let Some(inner) = message.message.as_deref() else { return message };
        let mark =
            |id: &mut NumberOrString| *id = NumberOrString::String(format!("{node}.{id}").into());
        let inner = match inner {
            JsonRpcMessage::Request(request) => {
                let mut request = request.clone();
                mark(&mut request.id);
                JsonRpcMessage::Request(request)
            }
            JsonRpcMessage::Notification(notification) => {
                let mut notification = notification.clone();
                let ServerNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                else {
                    return message;
                };
                let CancelledNotificationParam { request_id, .. } = &mut cancelled.params;
                request_id.iter_mut().for_each(mark);
                JsonRpcMessage::Notification(notification)
            }
            _ => return message,
        };
        message.message = Some(Arc::<ServerJsonRpcMessage>::new(inner));
        message
    }

    /// The SDK's id of an event of this node. `None` for other nodes' events.
    pub(super) fn local_event<'a>(&self, id: &'a str) -> Option<&'a str> {
        let (node, id) = id.split_once('.')?;
        (node.parse() == Ok(self.rows.node())).then_some(id)
    }

    /// Determines the destination.
    pub(super) fn goal(&self, mut message: ClientJsonRpcMessage) -> Goal {
        let id = match &mut message {
            JsonRpcMessage::Response(it) => Some(&mut it.id),
            JsonRpcMessage::Error(it) => it.id.as_mut(),
            JsonRpcMessage::Notification(notification) => {
                return match &notification.notification {
                    ClientNotification::InitializedNotification(_) => Goal::Nothing,
                    ClientNotification::CancelledNotification(_) => Goal::Anywhere(message),
                    _ => Goal::ThisNode(message),
                };
            }
            JsonRpcMessage::Request(_) => None,
        };
        let marked = id.and_then(|id| {
            let NumberOrString::String(text) = &*id else { return None };
            let (node, number) = text.split_once('.')?;
            let (node, number) = (node.parse::<i64>().ok()?, number.parse::<i64>().ok()?);
            if node == self.rows.node() {
                *id = NumberOrString::Number(number);
            }
            Some(node)
        });
        match marked {
            Some(node) if node != self.rows.node() => Goal::Node(node, message),
            _ => Goal::ThisNode(message),
        }
    }
}

impl Copy {
    fn take(&self, kept: &Kept) {
        let mut asked = self.asked.lock();
        asked.log_level = kept.log_level.as_deref().and_then(Level::from_name);
        asked.uris = kept.uris.iter().cloned().collect();
    }
}

/// The session that the request with these extensions names.
fn id_of(extensions: &Extensions) -> Option<&str> {
    extensions.get::<http::request::Parts>()?.headers.get(SESSION_ID)?.to_str().ok()
}

/// Interval of polling for messages to this node.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long sessions reported in use count as such. They are reported at each poll.
pub(super) const HELD_FOR: Duration = Duration::from_secs(15);

/// Session data that the SDK stores, and requests when a node has no copy.
#[async_trait::async_trait]
impl SessionStore for SharedSessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let Some(kept) = self.find(&id.into()).await? else { return Ok(None) };
        Ok(Some(SessionState::new(serde_json::from_str(&kept.initialize)?)))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let owner = ACTING.try_with(|it| it.caller.principal.clone())?;
        let initialize = serde_json::to_string(&state.initialize_params)?;
        Ok(self.rows.open(&key_of(id), &owner, &initialize, self.in_use()).await?)
    }

    /// Deletion is done by the caller.
    async fn delete(&self, _id: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}
