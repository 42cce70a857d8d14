//! Sessions that any node of a database can take over (STO-16). Each node that a client reaches restores a copy of its
//! session.
//!
//! Ids of requests to clients contain the node's number, so that answers reach the asking node. Event ids do as well,
//! so that no other node resumes a stream.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use base::call::Level;
use futures::{Stream, StreamExt, stream};
use parking_lot::Mutex;
use rmcp::{
    model::{
        CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, Extensions,
        JsonRpcMessage, NumberOrString, RequestId, ServerJsonRpcMessage, ServerNotification,
    },
    transport::streamable_http_server::{
        SessionId,
        session::{ServerSseMessage, SessionState, SessionStore, SessionStoreError},
    },
};
use store::{
    events::Events,
    sessions::{self as rows, Kept, key_of},
};
use tokio::{runtime::Handle, sync::Notify};

use super::{ACTING, SessionFilter, SessionTable};

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
    pub(super) async fn find(&self, id: &SessionId) -> io::Result<Option<Kept>> {
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
    ) -> io::Result<bool> {
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

// Replays events of answers to clients that reconnect with the id of their last event. The SDK forgets a request's
// stream once it has answered.
//
// Also tracks delivered server messages, so that a reconnecting client does not get them twice.

/// How long events of an answered request are kept.
const KEPT: Duration = Duration::from_secs(60);
/// Events of one request that are kept, the latest.
const EVENTS_MAX: usize = 64;
/// Maximum number of requests per session with kept events.
const REQUESTS_MAX: usize = 32;
/// Bytes that are kept of one session, and of all.
const SESSION_BYTES_MAX: usize = 8 << 20;
const BYTES_MAX: usize = 32 << 20;
/// Overhead of an event in bytes.
const EVENT_BYTES: usize = 256;

/// Id of the SDK's initial event.
pub(super) const NOTHING_YET: &str = "0";

/// Kept events of all sessions.
#[derive(Default)]
pub(super) struct Replay(Mutex<KeptEvents>);

#[derive(Default)]
struct KeptEvents {
    sessions: HashMap<SessionId, Session>,
    bytes: usize,
}

#[derive(Default)]
struct Session {
    requests: VecDeque<Sent>,
    bytes: usize,
    /// Number of delivered server messages, and that number when the client last started to listen.
    delivered: u64,
    began: u64,
    /// Whether its client reads events without a message, as since 2025-11-25.
    reads_empty: bool,
}

/// Sent events of one request.
struct Sent {
    number: u64,
    events: VecDeque<Event>,
    bytes: usize,
    ended: Option<Instant>,
    more: Arc<Notify>,
}

struct Event {
    index: u64,
    message: ServerSseMessage,
    bytes: usize,
}

impl Event {
    fn new(index: u64, message: &ServerSseMessage) -> Self {
        let bytes = EVENT_BYTES + message.message.as_deref().map_or(0, length);
        Self { index, message: message.clone(), bytes }
    }
}

/// What follows an event.
enum Next {
    Event(u64, ServerSseMessage),
    Later,
    Nothing,
}

impl Drop for Sent {
    fn drop(&mut self) {
        // Waiting listeners end.
        self.more.notify_waiters();
    }
}

impl Session {
    fn sent(&mut self, number: u64) -> Option<&mut Sent> {
        self.requests.iter_mut().find(|it| it.number == number)
    }

    /// Forgets the request that can best be missed: the eldest that is answered, or the eldest; its bytes.
    fn forget_one(&mut self) -> usize {
        let answered = self.requests.iter().position(|it| it.ended.is_some());
        let bytes = self.requests.remove(answered.unwrap_or(0)).map_or(0, |it| it.bytes);
        self.bytes -= bytes;
        bytes
    }

    /// Removes expired events and returns their bytes.
    fn expire(&mut self, now: Instant) -> usize {
        let before = self.bytes;
        let is_over = |it: &Sent| it.ended.is_some_and(|at| now.duration_since(at) >= KEPT);
        self.requests.retain(|it| !is_over(it));
        self.bytes = self.requests.iter().map(|it| it.bytes).sum();
        before - self.bytes
    }
}

impl KeptEvents {
    fn begin(&mut self, session: &SessionId, number: u64) {
        let own = self.sessions.entry(session.clone()).or_default();
        self.bytes -= own.expire(Instant::now());
        if own.requests.len() == REQUESTS_MAX {
            self.bytes -= own.forget_one();
        }
        let (events, more) = (VecDeque::new(), Arc::default());
        own.requests.push_back(Sent { number, events, bytes: 0, ended: None, more });
    }

    fn keep(&mut self, session: &SessionId, number: u64, event: Event) {
        let Some(own) = self.sessions.get_mut(session) else { return };
        let Some(sent) = own.sent(number) else { return };
        let mut freed = 0;
        if sent.events.len() == EVENTS_MAX {
            freed = sent.events.pop_front().map_or(0, |it| it.bytes);
        }
        let bytes = event.bytes;
        sent.events.push_back(event);
        sent.bytes = sent.bytes + bytes - freed;
        sent.more.notify_waiters();
        own.bytes = own.bytes + bytes - freed;
        self.bytes = self.bytes + bytes - freed;
        while own.bytes > SESSION_BYTES_MAX {
            self.bytes -= own.forget_one();
        }
        while self.bytes > BYTES_MAX
            && let Some(most) = self.sessions.values_mut().max_by_key(|it| it.bytes)
        {
            self.bytes -= most.forget_one();
        }
    }

    fn next(&mut self, session: &SessionId, number: u64, after: u64) -> Next {
        let sent = self.sessions.get_mut(session).and_then(|it| it.sent(number));
        let Some(sent) = sent else { return Next::Nothing };
        match sent.events.iter().find(|it| it.index > after) {
            Some(it) => Next::Event(it.index, it.message.clone()),
            None if sent.ended.is_some() => Next::Nothing,
            None => Next::Later,
        }
    }
}

impl Replay {
    /// Events after `id` of a request's answer. `None` if not kept.
    pub(super) fn after(
        self: &Arc<Self>,
        session: &SessionId,
        event_id: &str,
    ) -> Option<impl Stream<Item = ServerSseMessage> + Send + Sync + use<>> {
        let (after, number) = of_request(event_id)?;
        let more = {
            let mut kept = self.0.lock();
            let own = kept.sessions.get_mut(session)?;
            let freed = own.expire(Instant::now());
            // An event beyond the last was never sent: what follows it would be an end without an answer.
            let is_sent = |it: &&mut Sent| after <= it.events.back().map_or(0, |it| it.index);
            let more = own.sent(number).filter(is_sent).map(|it| it.more.clone());
            kept.bytes -= freed;
            more?
        };
        let (own, session) = (self.clone(), session.clone());
        let follow = move |(own, session, at, more): (Arc<Self>, SessionId, u64, Arc<Notify>)| async move {
            let (index, message) = loop {
                let woken = more.notified();
                let next = own.0.lock().next(&session, number, at);
                match next {
                    Next::Event(index, message) => break (index, message),
                    Next::Later => woken.await,
                    Next::Nothing => return None,
                }
            };
            Some((message, (own, session, index, more)))
        };
        Some(stream::unfold((own, session, after, more), follow))
    }

    /// Removes already delivered events from `all`, which the SDK restarts, for a client that has received `last` or
    /// starts to listen.
    pub(super) fn undelivered<S>(
        self: &Arc<Self>,
        session: &SessionId,
        last: Option<&str>,
        all: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        let from = {
            let mut kept = self.0.lock();
            let own = kept.sessions.entry(session.clone()).or_default();
            if last.is_none() {
                own.began = own.delivered;
            }
            // The SDK numbers from 0, also for its initial event, hence one more.
            let had = last.and_then(|it| it.parse::<u64>().ok()).filter(|it| *it > 0);
            // An id beyond the delivered ones belongs to an earlier copy of the session.
            had.map_or(own.began, |it| it.min(own.delivered))
        };
        let (own, session) = (self.clone(), session.clone());
        all.filter_map(move |mut event| {
            let index = event.event_id.as_deref().and_then(|it| it.parse::<u64>().ok());
            let is_new = index.is_none_or(|index| {
                event.event_id = Some((index + 1).to_string());
                if let Some(own) = own.0.lock().sessions.get_mut(&session) {
                    own.delivered = own.delivered.max(index + 1);
                }
                index >= from
            });
            std::future::ready(is_new.then_some(event))
        })
    }

    /// The client of that session reads events without a message.
    pub(super) fn note_reads_empty(&self, session: &SessionId) {
        self.0.lock().sessions.entry(session.clone()).or_default().reads_empty = true;
    }

    /// Whether it does; a client that does not takes each for a broken one.
    pub(super) fn reads_empty(&self, session: &SessionId) -> bool {
        self.0.lock().sessions.get(session).is_some_and(|it| it.reads_empty)
    }

    /// Removes all events of the session.
    pub(super) fn forget(&self, session: &SessionId) {
        let mut kept = self.0.lock();
        let freed = kept.sessions.remove(session).map_or(0, |it| it.bytes);
        kept.bytes -= freed;
    }

    /// Removes expired events and those of closed sessions.
    pub(super) fn sweep(&self, open: &[SessionId]) {
        let (open, now) = (open.iter().collect::<HashSet<_>>(), Instant::now());
        let mut kept = self.0.lock();
        kept.sessions.retain(|id, own| {
            own.expire(now);
            open.contains(id)
        });
        kept.bytes = kept.sessions.values().map(|it| it.bytes).sum();
    }
}

/// The ids of requests that are not answered yet, each with its session.
pub(super) type Open = Arc<Mutex<HashSet<(SessionId, RequestId)>>>;

/// The id of a request while it is not answered.
pub(super) struct Claim(Open, (SessionId, RequestId));

impl Claim {
    /// The id, unless it is in use.
    pub(super) fn try_new(open: &Open, session: &SessionId, id: &RequestId) -> Option<Self> {
        let key = (session.clone(), id.clone());
        open.lock().insert(key.clone()).then(|| Self(open.clone(), key))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

/// Keeps what goes out in the answer to one request.
struct EventRecorder {
    replay: Arc<Replay>,
    session: SessionId,
    number: Option<u64>,
    claim: Option<Claim>,
}

impl EventRecorder {
    fn keep(&mut self, event: &ServerSseMessage) {
        if matches!(
            event.message.as_deref(),
            Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
        ) {
            self.claim = None;
        }
        let Some((index, number)) = event.event_id.as_deref().and_then(of_request) else { return };
        // A long answer is counted before others have to wait for it.
        let event = Event::new(index, event);
        let mut kept = self.replay.0.lock();
        if self.number.replace(number).is_none() {
            kept.begin(&self.session, number);
        }
        kept.keep(&self.session, number, event);
    }
}

impl Drop for EventRecorder {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut kept = self.replay.0.lock();
        if let Some(sent) = kept.sessions.get_mut(&self.session).and_then(|it| it.sent(number)) {
            sent.ended = Some(Instant::now());
            sent.more.notify_waiters();
        }
    }
}

/// The stream of the answer to one request, which is kept, be there a client or not.
pub(super) struct Recorded<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static>(
    Option<(S, EventRecorder)>,
);

impl<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static> Recorded<S> {
    pub(super) fn new(stream: S, replay: &Arc<Replay>, session: &SessionId, claim: Claim) -> Self {
        let (replay, session, claim) = (replay.clone(), session.clone(), Some(claim));
        Self(Some((stream, EventRecorder { replay, session, number: None, claim })))
    }
}

impl<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static> Stream for Recorded<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some((stream, keeper)) = &mut self.0 else { return Poll::Ready(None) };
        let next = std::task::ready!(stream.poll_next_unpin(context));
        match &next {
            Some(event) => keeper.keep(event),
            None => self.0 = None,
        }
        Poll::Ready(next)
    }
}

impl<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static> Drop for Recorded<S> {
    fn drop(&mut self) {
        if let Some((mut stream, mut keeper)) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            // Ends with the request or session.
            runtime.spawn(async move {
                while let Some(event) = stream.next().await {
                    keeper.keep(&event);
                }
            });
        }
    }
}

/// Event and request number of an event id of the SDK.
fn of_request(event_id: &str) -> Option<(u64, u64)> {
    let (index, number) = event_id.split_once('/')?;
    Some((index.parse().ok()?, number.parse().ok()?))
}

/// Bytes of `message` as JSON.
fn length(message: &impl serde::Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Serialized from valid JSON.
    let _ = serde_json::to_writer(&mut count, message);
    count.0
}

#[cfg(test)]
mod tests;
