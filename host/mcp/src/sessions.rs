//! Sessions of legacy clients: owners, limits and eviction.
//!
//! The SDK keeps any number of sessions until they are idle, for clients that know their name. Here each belongs to
//! the principal that opened it, their number is limited, and an open stream counts as use. Nodes of a database have
//! copies of sessions whose clients reach them (`shared`).

mod shared;

use std::{
    cell::Cell,
    collections::{BTreeSet, HashMap},
    future::ready,
    hash::Hash,
    sync::{Arc, Once, Weak},
    time::{Duration, Instant},
};

use base::{call::Level, caller::Caller, limits::SessionsConfig};
use futures::{Stream, StreamExt, stream};
use http::HeaderValue;
use parking_lot::Mutex;
use registry::Catalog;
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, GetExtensions, InitializedNotification,
        JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage, ServerResult,
    },
    transport::streamable_http_server::{
        SessionId, SessionManager,
        session::{
            RestoreOutcome, ServerSseMessage, SessionRestoreMarker,
            local::{LocalSessionManager, LocalSessionManagerError, SessionError},
        },
    },
};
use store::{
    events::{By, Published},
    sessions::key_of,
};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use shared::{Claim, Goal, Open, Recorded, Replay};

pub(super) use shared::SharedSessions;

/// Result of a session operation.
type Result<T, E = LocalSessionManagerError> = std::result::Result<T, E>;

/// Time limit to close a session.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit from opening a session to its first message.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Reconnect delay of streams.
const RETRY: Duration = Duration::from_secs(3);

tokio::task_local! {
    /// The request that the SDK is answering. The SDK does not pass it to its sessions.
    static ACTING: Acting;
}

struct Acting {
    caller: Caller,
    refusal: Cell<Option<Refusal>>,
}

/// Why a request's session cannot be had; the SDK does not report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no room for the one that it would open.
    Full,
    /// The one that it would end is not there, or another's.
    Unknown,
    /// The node that asked is gone.
    AskerGone,
    /// Another request of the session has its id, and is not answered yet.
    IdInUse,
    /// What followed that event is not kept, or there never was such an event.
    NotKept,
}

fn note(refusal: Refusal) {
    let _ = ACTING.try_with(|it| it.refusal.set(Some(refusal)));
}

/// Whether the sender of the request that the SDK is answering knows of that tool; a session that asks by itself
/// knows of all.
pub(super) fn acting_knows_of(catalog: &Catalog, tool: &str) -> bool {
    ACTING.try_with(|it| catalog.knows_of(&it.caller, tool)).unwrap_or(true)
}

/// Answers `request` as one of `caller`'s; or returns why its session cannot be had.
pub(super) async fn acting<F: Future>(caller: Caller, request: F) -> Result<F::Output, Refusal> {
    let answer = async {
        let answer = request.await;
        ACTING.with(|it| it.refusal.get()).map_or(Ok(answer), Err)
    };
    ACTING.scope(Acting { caller, refusal: Cell::new(None) }, answer).await
}

/// Whether the session named `id` belongs to the sender of the request; where there is none, it is the
/// session itself that asks.
fn belongs_to_sender(table: &SessionTable<SessionId>, id: &SessionId) -> bool {
    ACTING.try_with(|it| table.is_of(id, &it.caller.principal)).unwrap_or(true)
}

fn acting_principal() -> Arc<str> {
    let acting = ACTING.try_with(|it| it.caller.principal.clone());
    acting.unwrap_or_else(|_| Arc::from("anonymous"))
}

/// Whether the SDK sends it to restore a session.
fn is_replayed(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Notification(message) => {
            message.notification.extensions().get::<SessionRestoreMarker>().is_some()
        }
        _ => false,
    }
}

/// Whether the client whose `initialize` is answered so reads events without a message, which older ones choke on.
fn reads_empty(answer: &ServerJsonRpcMessage) -> bool {
    match answer {
        JsonRpcMessage::Response(response) => match &response.result {
            ServerResult::InitializeResult(initialized) => {
                initialized.protocol_version >= ProtocolVersion::V_2025_11_25
            }
            _ => false,
        },
        _ => false,
    }
}

/// The error that the SDK gets for a session that has gone or for which there is no room.
fn session_not_found() -> LocalSessionManagerError {
    SessionError::SessionServiceTerminated.into()
}

/// What a session has subscribed to.
#[derive(Default)]
pub(super) struct SessionFilter {
    /// Whether it is a session over HTTP, begun by `initialize`, in an era that has no tasks of ours.
    pub(super) is_legacy: bool,
    /// Requested log level, if any.
    pub(super) log_level: Option<Level>,
    /// The resources it subscribed to.
    pub(super) uris: BTreeSet<String>,
}

/// All legacy sessions.
pub struct Sessions {
    sdk: LocalSessionManager,
    table: Arc<SessionTable<SessionId>>,
    idle: Duration,
    sweeping: Once,
    hang_up: CancellationToken,
    shared: Option<Arc<SharedSessions>>,
    replay: Arc<Replay>,
    /// Requests that are not answered yet.
    open: Open,
    /// Weak self-reference for maintenance tasks.
    own: Weak<Self>,
}

impl Sessions {
    pub(super) fn new(
        config: &SessionsConfig,
        shared: Option<Arc<SharedSessions>>,
        hang_up: CancellationToken,
    ) -> Arc<Self> {
        let mut sdk = LocalSessionManager::default();
        // Sent events are kept in `replay`.
        sdk.session_config.completed_cache_ttl = Duration::ZERO;
        sdk.session_config.init_timeout = Some(INIT_TIMEOUT);
        // Idle sessions are closed here, because waiting streams count as use.
        sdk.session_config.keep_alive = None;
        Arc::new_cyclic(|own| Self {
            sdk,
            table: shared.as_ref().map_or_else(
                || Arc::new(SessionTable::new(config.sessions_max)),
                |it| it.table.clone(),
            ),
            idle: Duration::from_secs(config.idle_s),
            sweeping: Once::new(),
            hang_up,
            shared,
            replay: Arc::default(),
            open: Open::default(),
            own: own.clone(),
        })
    }

    /// Closes the session named `id`, which is in the book no more.
    async fn close(&self, id: &SessionId) -> Result<()> {
        if let Some(shared) = &self.shared {
            shared.forget(id);
        }
        self.replay.forget(id);
        // A stuck session has no stream left and ends by itself.
        tokio::time::timeout(CLOSE_TIMEOUT, self.sdk.close_session(id)).await.unwrap_or(Ok(()))
    }

    /// Closes `ids` in the background.
    fn close_aside(&self, ids: Vec<SessionId>) {
        let Some(own) = self.own.upgrade().filter(|_| !ids.is_empty()) else { return };
        tokio::spawn(async move {
            for id in ids {
                if let Err(error) = own.close(&id).await {
                    tracing::warn!("a session was not closed: {error}");
                }
            }
        });
    }

    /// Looks now and then for idle sessions.
    fn sweep(&self) {
        let (own, hang_up) = (self.own.clone(), self.hang_up.clone());
        let mut turns = tokio::time::interval((self.idle / 4).max(Duration::from_millis(250)));
        tokio::spawn(async move {
            while hang_up.run_until_cancelled(turns.tick()).await.is_some() {
                let Some(own) = own.upgrade() else { return };
                own.close_aside(own.table.take_idle(Instant::now(), own.idle));
                own.replay.sweep(&own.table.ids());
                let Some(shared) = &own.shared else { continue };
                if let Err(error) =
                    shared.rows.sweep(shared.retain(&own.table.ids()), own.idle).await
                {
                    tracing::warn!("sessions that are idle stay: {error}");
                }
            }
        });
    }

    /// Processes messages of other nodes and ends copies of closed sessions.
    fn process_messages(&self) {
        let Some(shared) = self.shared.clone() else { return };
        let (own, hang_up) = (self.own.clone(), self.hang_up.clone());
        let mut events = shared.events.listen();
        let mut held = tokio::time::Instant::now();
        tokio::spawn(async move {
            loop {
                // However many events come.
                let event = tokio::select! {
                    biased;
                    () = hang_up.cancelled() => return,
                    () = tokio::time::sleep_until(held + shared::LOOK_EVERY) => None,
                    event = events.recv() => Some(event),
                };
                let keys = match event {
                    Some(Ok(Published { by: By::Host { .. }, what: Some(what) })) => {
                        match what.strip_prefix(shared::CHANGED) {
                            Some(key) => vec![key.to_owned()],
                            None if *what == *shared::MESSAGES => Vec::new(),
                            None => continue,
                        }
                    }
                    Some(Ok(Published { what: Some(_), .. })) => continue,
                    Some(Ok(Published { what: None, .. }) | Err(RecvError::Lagged(_))) => {
                        shared.keys()
                    }
                    Some(Err(RecvError::Closed)) => return,
                    None => Vec::new(),
                };
                let Some(own) = own.upgrade() else { return };
                for key in keys {
                    let Some(over) = shared.refresh(&key).await else { continue };
                    own.table.evict(&over.id);
                    own.close_aside(vec![over.id]);
                }
                own.take_messages(&shared).await;
                if held.elapsed() >= shared::LOOK_EVERY {
                    held = tokio::time::Instant::now();
                    if let Err(error) = shared.rows.hold(shared.in_use(), shared::HELD_FOR).await {
                        tracing::warn!("sessions that are in use may give way: {error}");
                    }
                }
            }
        });
    }

    async fn take_messages(&self, shared: &SharedSessions) {
        let messages = shared.rows.receive().await.unwrap_or_else(|error| {
            tracing::warn!("what clients answer to other nodes is not fetched: {error}");
            Vec::new()
        });
        for (key, message) in messages {
            let (Some(copy), Ok(message)) = (shared.copy(&key), serde_json::from_str(&message))
            else {
                continue;
            };
            if let Goal::ThisNode(message) | Goal::Anywhere(message) = shared.goal(message) {
                // If the session has ended, the request has ended as well.
                let _ = self.sdk.accept_message(&copy.id, message).await;
            }
        }
    }

    /// Says in the client's place that it is ready, which a client may say to any node.
    async fn send_initialized(
        &self,
        id: &SessionId,
        parts: Option<http::request::Parts>,
    ) -> Result<()> {
        let mut ready = ClientJsonRpcMessage::notification(
            ClientNotification::InitializedNotification(InitializedNotification::default()),
        );
        if let (Some(mut parts), Ok(id)) = (parts, HeaderValue::from_str(id)) {
            parts.headers.insert(shared::SESSION_ID, id);
            ready.insert_extension(parts);
        }
        self.sdk.accept_message(id, ready).await
    }

    /// A place for one more session of `principal`.
    fn admit(&self, id: &SessionId) -> Result<()> {
        self.sweeping.call_once(|| {
            self.sweep();
            self.process_messages();
        });
        let Some(made_room) = self.table.open(id.clone(), acting_principal()) else {
            note(Refusal::Full);
            return Err(session_not_found());
        };
        self.close_aside(made_room);
        Ok(())
    }

    /// Marks session `id` as used until the returned guard is dropped.
    fn enter(&self, id: &SessionId) -> Result<InUse<SessionId>> {
        self.table.enter(id).ok_or_else(session_not_found)
    }
}

/// `stream`, which keeps its session from being idle, until the session ends.
fn keep_in_use<S>(
    stream: S,
    in_use: InUse<SessionId>,
    shared: Option<Arc<SharedSessions>>,
) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static
where
    S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
{
    stream.take_until(in_use.ended()).map(move |message| {
        let _held = &in_use;
        match &shared {
            Some(shared) => shared.marked(message),
            None => message,
        }
    })
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport)> {
        let (id, transport) = self.sdk.create_session().await?;
        match self.admit(&id) {
            Ok(()) => Ok((id, transport)),
            Err(error) => {
                self.close(&id).await?;
                Err(error)
            }
        }
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage> {
        let _in_use = self.enter(id)?;
        let (mut parts, mut is_restored) = (None, false);
        if let JsonRpcMessage::Request(request) = &message {
            let extensions = request.request.extensions();
            parts = extensions.get::<http::request::Parts>().cloned();
            is_restored = extensions.get::<SessionRestoreMarker>().is_some();
        }
        let answer = self.sdk.initialize_session(id, message).await?;
        if reads_empty(&answer) {
            self.replay.note_reads_empty(id);
        }
        if self.shared.is_some() && !is_restored && matches!(answer, JsonRpcMessage::Response(_)) {
            self.send_initialized(id, parts).await?;
        }
        Ok(answer)
    }

    /// Another's session is as good as none.
    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        if let Some(shared) = &self.shared
            && belongs_to_sender(&self.table, id)
            // Without the database, local state counts.
            && let Ok(None) = shared.find(id).await
        {
            self.table.evict(id);
            self.close(id).await?;
            return Ok(false);
        }
        Ok(belongs_to_sender(&self.table, id) && self.sdk.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        // Closing by the client ends it on all nodes; other ends are local.
        if let Some(shared) = &self.shared
            && let Ok(owner) = ACTING.try_with(|it| it.caller.principal.clone())
        {
            let key = key_of(id);
            if !shared.rows.end(&key, &owner).await.map_err(SessionError::Io)? {
                note(Refusal::Unknown);
                return Ok(());
            }
            shared.notify_changed(&owner, &key);
        } else if !belongs_to_sender(&self.table, id) {
            note(Refusal::Unknown);
            return Ok(());
        }
        self.table.evict(id);
        self.close(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let in_use = self.enter(id)?;
        let claim = match &message {
            JsonRpcMessage::Request(it) => Claim::try_new(&self.open, id, &it.id),
            _ => None,
        };
        let Some(claim) = claim else {
            note(Refusal::IdInUse);
            return Err(SessionError::DuplicatedRequestId(0).into());
        };
        let stream = self.sdk.create_stream(id, message).await?;
        let reads_empty = self.replay.reads_empty(id);
        let stream = Recorded::new(stream, &self.replay, id, claim)
            .filter(move |it| ready(reads_empty || it.message.is_some()));
        Ok(keep_in_use(stream, in_use, self.shared.clone()))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<()> {
        let _in_use = self.enter(id)?;
        let Some(shared) = self.shared.as_ref().filter(|_| !is_replayed(&message)) else {
            return self.sdk.accept_message(id, message).await;
        };
        match shared.goal(message) {
            Goal::ThisNode(message) => self.sdk.accept_message(id, message).await,
            Goal::Node(node, message) => {
                if !shared.send(Some(node), id, &message).await.map_err(SessionError::Io)? {
                    note(Refusal::AskerGone);
                }
                Ok(())
            }
            Goal::Anywhere(message) => {
                shared.send(None, id, &message).await.map_err(SessionError::Io)?;
                self.sdk.accept_message(id, message).await
            }
            Goal::Nothing => Ok(()),
        }
    }

    /// A copy of a session that began on another node.
    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>> {
        self.admit(&id)?;
        let restored = self.sdk.restore_session(id.clone()).await;
        if restored.is_err() {
            self.table.evict(&id);
        }
        restored
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let in_use = self.enter(id)?;
        let all = self.sdk.create_standalone_stream(id).await?;
        let news = keep_in_use(self.replay.undelivered(id, None, all), in_use, self.shared.clone());
        let first = || ServerSseMessage::priming(shared::NOTHING_YET, RETRY);
        let first = self.replay.reads_empty(id).then(first);
        Ok(stream::iter(first).chain(news))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let in_use = self.enter(id)?;
        let own = match &self.shared {
            Some(shared) if last_event_id != shared::NOTHING_YET => {
                shared.local_event(&last_event_id)
            }
            _ => Some(&*last_event_id),
        };
        let (_, number) = last_event_id.rsplit_once('.').unwrap_or(("", &last_event_id));
        let is_number = number.is_empty() || number.parse::<u64>().is_ok();
        // The answer to a request is with the node that runs it; what a server says by itself, with any.
        let stream = match last_event_id.contains('/') {
            true => own.and_then(|it| self.replay.after(id, it)).map(StreamExt::left_stream),
            false if !is_number => None,
            false => {
                let all = self.sdk.create_standalone_stream(id).await?;
                Some(self.replay.undelivered(id, own, all).right_stream())
            }
        };
        let Some(stream) = stream else {
            note(Refusal::NotKept);
            return Err(SessionError::InvalidEventId.into());
        };
        Ok(keep_in_use(stream, in_use, self.shared.clone()))
    }
}

// The table of open sessions or streams: their owners, and which is evicted for a new one.

/// Open sessions or streams with owners.
pub(super) struct SessionTable<Id> {
    max: usize,
    entries: Mutex<HashMap<Id, Entry>>,
}

struct Entry {
    principal: Arc<str>,
    used: Instant,
    /// Requests that are being answered, and streams that are listened to.
    users: usize,
    end: CancellationToken,
}

impl<Id: Clone + Eq + Hash> SessionTable<Id> {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, entries: Mutex::default() }
    }

    /// Opens a session of `principal` and returns evicted ones. `None` if none may be evicted.
    ///
    /// Evicts the longest idle of the caller with most, so that no caller displaces another. Open streams are cut
    /// only if their owner has more than a fair share and the newcomer less.
    pub(crate) fn open(&self, id: Id, principal: Arc<str>) -> Option<Vec<Id>> {
        let mut entries = self.entries.lock();
        let mut struck = Vec::new();
        while entries.len() >= self.max {
            let id = session_to_evict(&entries, &principal, self.max)?;
            let entry = entries.remove(&id)?;
            entry.end.cancel();
            struck.push(id);
        }
        let (used, end) = (Instant::now(), CancellationToken::new());
        entries.insert(id, Entry { principal, used, users: 0, end });
        Some(struck)
    }

    fn is_of(&self, id: &Id, principal: &str) -> bool {
        self.entries.lock().get(id).is_some_and(|it| &*it.principal == principal)
    }

    /// Ends the session named `id`, where it is open.
    pub(crate) fn evict(&self, id: &Id) {
        if let Some(entry) = self.entries.lock().remove(id) {
            entry.end.cancel();
        }
    }

    /// Ids of open sessions.
    fn ids(&self) -> Vec<Id> {
        self.entries.lock().keys().cloned().collect()
    }

    /// Ids of sessions in use.
    fn in_use(&self) -> Vec<Id> {
        let entries = self.entries.lock();
        entries.iter().filter(|it| it.1.users > 0).map(|it| it.0.clone()).collect()
    }

    /// Strikes out those that were not used for `idle`.
    fn take_idle(&self, now: Instant, idle: Duration) -> Vec<Id> {
        let mut entries = self.entries.lock();
        let is_over = |it: &Entry| it.users == 0 && now.saturating_duration_since(it.used) >= idle;
        entries.extract_if(|_, it| is_over(it)).map(|(id, _)| id).collect()
    }

    /// Marks the session named `id` as used.
    pub(crate) fn enter(self: &Arc<Self>, id: &Id) -> Option<InUse<Id>> {
        let mut entries = self.entries.lock();
        let entry = entries.get_mut(id)?;
        entry.users += 1;
        entry.used = Instant::now();
        Some(InUse { table: self.clone(), id: id.clone(), end: entry.end.clone() })
    }
}

/// The session to evict for one of `newcomer`.
fn session_to_evict<Id: Clone>(
    entries: &HashMap<Id, Entry>,
    newcomer: &Arc<str>,
    max: usize,
) -> Option<Id> {
    let mut counts: HashMap<&str, usize> = HashMap::from([(&**newcomer, 0)]);
    for entry in entries.values() {
        *counts.entry(&entry.principal).or_default() += 1;
    }
    let count = |it: &Entry| counts.get(&*it.principal).copied().unwrap_or(0);
    let own = counts.get(&**newcomer).copied().unwrap_or(0);
    // On a tie, the newcomer's own is evicted.
    let idle = entries.iter().filter(|(_, it)| it.users == 0 && count(it) >= own);
    let greed = |it: &Entry| (count(it), it.principal == *newcomer);
    let idle = idle.max_by_key(|(_, it)| (greed(it), std::cmp::Reverse(it.used)));
    let share = max / counts.len();
    let cut = || {
        let greedy = entries.iter().filter(|(_, it)| own < share && count(it) > share.max(1));
        greedy.max_by_key(|(_, it)| (count(it), std::cmp::Reverse(it.used)))
    };
    idle.or_else(cut).map(|(id, _)| id.clone())
}

/// A session while it is used.
pub(super) struct InUse<Id: Clone + Eq + Hash> {
    table: Arc<SessionTable<Id>>,
    id: Id,
    end: CancellationToken,
}

impl<Id: Clone + Eq + Hash> InUse<Id> {
    /// Comes when the session is over.
    pub(crate) fn ended(&self) -> WaitForCancellationFutureOwned {
        self.end.clone().cancelled_owned()
    }
}

impl<Id: Clone + Eq + Hash> Drop for InUse<Id> {
    fn drop(&mut self) {
        if let Some(entry) = self.table.entries.lock().get_mut(&self.id) {
            entry.users -= 1;
            entry.used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::transport::streamable_http_server::SessionId;

    use super::*;

    fn table(max: usize) -> Arc<SessionTable<SessionId>> {
        Arc::new(SessionTable::new(max))
    }

    /// Opens a session and returns the evicted one.
    fn open(sessions: &SessionTable<SessionId>, id: &str, principal: &str) -> Option<Vec<String>> {
        let struck = sessions.open(id.into(), Arc::from(principal))?;
        Some(struck.iter().map(|it| it.to_string()).collect())
    }

    #[test]
    fn evicts_longest_idle_and_keeps_one_in_use() {
        let sessions = table(3);
        for id in ["a", "b", "c"] {
            assert_eq!(open(&sessions, id, "ann"), Some(vec![]));
        }
        let listening = sessions.enter(&"a".into()).unwrap();
        drop(sessions.enter(&"b".into()).unwrap());
        assert_eq!(open(&sessions, "d", "ann"), Some(vec!["c".to_owned()]));
        assert_eq!(open(&sessions, "e", "ann"), Some(vec!["b".to_owned()]));
        assert!(sessions.is_of(&"a".into(), "ann") && !sessions.is_of(&"c".into(), "ann"));
        drop(listening);
        assert_eq!(sessions.entries.lock().len(), 3);
    }

    #[test]
    fn evicts_from_the_busiest_caller_not_from_newcomers() {
        let all = table(4);
        assert_eq!(open(&all, "ben", "ben"), Some(vec![]));
        for id in ["a", "b", "c"] {
            open(&all, id, "ann");
        }
        for (id, gone) in [("d", "a"), ("e", "b"), ("f", "c")] {
            assert_eq!(open(&all, id, "ann"), Some(vec![gone.to_owned()]));
        }
        assert!(all.is_of(&"ben".into(), "ben"), "the oldest of all, and another's");
        assert_eq!(open(&all, "ben2", "ben"), Some(vec!["d".to_owned()]));
        assert_eq!(open(&all, "ben3", "ben"), Some(vec!["ben".to_owned()]), "as many: its own");
    }

    #[test]
    fn cuts_streams_only_for_callers_below_their_fair_share() {
        let sessions = table(4);
        let ids = ["a", "b", "c", "d"];
        for id in ids {
            open(&sessions, id, "ann");
        }
        let listening = ids.map(|id| sessions.enter(&id.into()).unwrap());
        assert_eq!(open(&sessions, "e", "ann"), None, "all are in use, by the same");
        assert_eq!(open(&sessions, "ben", "ben"), Some(vec!["a".to_owned()]));
        assert!(listening[0].end.is_cancelled() && !listening[1].end.is_cancelled());
        let own = sessions.enter(&"ben".into()).unwrap();
        assert_eq!(open(&sessions, "ben2", "ben"), Some(vec!["b".to_owned()]));
        let owns = (own, sessions.enter(&"ben2".into()).unwrap());
        assert_eq!(open(&sessions, "ben3", "ben"), None, "half is a fair share of two");
        drop((owns, listening));
    }

    #[test]
    fn removes_idle_sessions_and_keeps_those_with_listeners() {
        let sessions = table(4);
        open(&sessions, "a", "ann");
        open(&sessions, "b", "ann");
        let _listening = sessions.enter(&"b".into()).unwrap();
        let idle = Duration::from_secs(60);
        assert_eq!(sessions.take_idle(Instant::now(), idle), []);
        let later = Instant::now() + idle;
        assert_eq!(sessions.take_idle(later, idle), ["a".into()]);
        assert!(sessions.is_of(&"b".into(), "ann"));
    }
}
