//! Sessions that any node of a database takes over (STO-16): each node that a client comes to has a copy of its
//! session, which begins as the first one did.
//!
//! What a node asks a client has the node's number in its id, so that an answer that comes to another node is left for
//! the one that asked. So have the ids of events, so that a stream that breaks off is not resumed by another node's.

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

use super::{ACTING, Asked, SessionTable};
use base::notifications::Level;
use store::{
    events::Events,
    sessions::{self as rows, Kept, key_of},
};

/// The header that names a session.
pub(crate) const SESSION_ID: &str = "mcp-session-id";
/// How the events begin that a session has changed, or is over.
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
    /// What clients keep open here.
    pub(super) table: Arc<SessionTable<SessionId>>,
    copies: Mutex<HashMap<String, Copy>>,
}

/// What this node has of a session.
#[derive(Clone)]
pub(super) struct Copy {
    pub(super) id: SessionId,
    owner: Arc<str>,
    asked: Arc<Mutex<Asked>>,
}

/// What is to be done with what a client says.
pub(super) enum Goal {
    /// It is for this node.
    Here(ClientJsonRpcMessage),
    /// It is for that one, which asked.
    There(i64, ClientJsonRpcMessage),
    /// It is for whichever node it concerns.
    Anywhere(ClientJsonRpcMessage),
    /// It has been said in its place.
    Nothing,
}

impl SharedSessions {
    /// Those of `rows`; of copies there are at most `sessions_max`.
    pub(crate) fn new(rows: rows::Sessions, events: Events, sessions_max: usize) -> Arc<Self> {
        let table = Arc::new(SessionTable::new(sessions_max));
        Arc::new(Self { rows, events, table, copies: Mutex::default() })
    }

    /// The keys of those that are in use here.
    pub(super) fn in_use(&self) -> Vec<String> {
        self.table.in_use().iter().map(|it| key_of(it)).collect()
    }

    /// Whether the session named `id` is there, and of the sender of the request; this node's copy knows then what
    /// was asked of others.
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

    /// What the session of that key has asked for, as another node wrote it down; its copy, where it is over.
    pub(super) async fn refresh(&self, key: &str) -> Option<Copy> {
        let copy = self.copies.lock().get(key).cloned()?;
        match self.rows.find(key, &copy.owner).await {
            Ok(Some(kept)) => copy.take(&kept),
            Ok(None) => return self.copies.lock().remove(key),
            Err(error) => tracing::warn!("a session is not looked at: {error}"),
        }
        None
    }

    /// The same before notifications of `uris` are sent, where `uris` says that it has changed.
    pub(crate) async fn refresh_if(&self, key: &str, is_changed: impl Fn(&str) -> bool) {
        if is_changed(&changed(key)) {
            self.refresh(key).await;
        }
    }

    /// From now on `asked` is what the session of this request has asked for; its key.
    pub(crate) fn link(
        &self,
        extensions: &Extensions,
        owner: &Arc<str>,
        asked: &Arc<Mutex<Asked>>,
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
    pub(crate) fn tell_changed(&self, owner: &str, key: &str) {
        self.events.tell(owner, &changed(key));
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
            self.events.tell(owner, MESSAGES);
        }
        Ok(is_sent)
    }

    pub(super) fn copy(&self, key: &str) -> Option<Copy> {
        self.copies.lock().get(key).cloned()
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.copies.lock().keys().cloned().collect()
    }

    /// Forgets what it knows of other sessions than those; the keys of those.
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
            JsonRpcMessage::Request(it) => {
                let mut it = it.clone();
                mark(&mut it.id);
                JsonRpcMessage::Request(it)
            }
            JsonRpcMessage::Notification(it) => {
                let mut it = it.clone();
                let ServerNotification::CancelledNotification(cancelled) = &mut it.notification
                else {
                    return message;
                };
                let CancelledNotificationParam { request_id, .. } = &mut cancelled.params;
                request_id.iter_mut().for_each(mark);
                JsonRpcMessage::Notification(it)
            }
            _ => return message,
        };
        message.message = Some(Arc::<ServerJsonRpcMessage>::new(inner));
        message
    }

    /// The id of an event of this node's, as the SDK knows it; none where it is another's.
    pub(super) fn own_event<'a>(&self, id: &'a str) -> Option<&'a str> {
        let (node, id) = id.split_once('.')?;
        (node.parse() == Ok(self.rows.node())).then_some(id)
    }

    /// For whom it is.
    pub(super) fn goal(&self, mut message: ClientJsonRpcMessage) -> Goal {
        let id = match &mut message {
            JsonRpcMessage::Response(it) => Some(&mut it.id),
            JsonRpcMessage::Error(it) => it.id.as_mut(),
            JsonRpcMessage::Notification(it) => {
                return match &it.notification {
                    ClientNotification::InitializedNotification(_) => Goal::Nothing,
                    ClientNotification::CancelledNotification(_) => Goal::Anywhere(message),
                    _ => Goal::Here(message),
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
            Some(node) if node != self.rows.node() => Goal::There(node, message),
            _ => Goal::Here(message),
        }
    }
}

impl Copy {
    fn take(&self, kept: &Kept) {
        let mut asked = self.asked.lock();
        asked.log_level = kept.log_level.as_deref().and_then(Level::of);
        asked.uris = kept.uris.iter().cloned().collect();
    }
}

/// The session that the request with these extensions names.
fn id_of(extensions: &Extensions) -> Option<&str> {
    extensions.get::<http::request::Parts>()?.headers.get(SESSION_ID)?.to_str().ok()
}

/// How often it is looked for what was left for this node, whatever is said.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5);
/// For how long sessions count as in use that were so when this node last said so; it does so as often as it looks.
pub(super) const HELD_FOR: Duration = Duration::from_secs(15);

/// What the SDK keeps of a session, and asks for where a node has no copy of it.
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

    /// Who ends it has done so.
    async fn delete(&self, _id: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}
