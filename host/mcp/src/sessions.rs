//! The sessions of legacy clients: whose each is, how many there are, and which goes first.
//!
//! The SDK keeps a session until it has been idle for a time, and any number of them, for clients that
//! know its name. Here each belongs to the principal that opened it, there are so many and no more,
//! and one with an open stream is not idle.

use std::{
    cell::Cell,
    sync::{Arc, Once, Weak},
    time::{Duration, Instant},
};

use futures::{Stream, StreamExt};
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::{
        SessionId, SessionManager,
        session::{
            ServerSseMessage,
            local::{LocalSessionManager, LocalSessionManagerError, SessionError},
        },
    },
};
use tokio_util::sync::CancellationToken;

mod table;

pub(super) use table::{InUse, SessionTable};

use base::{caller::Caller, limits::SessionsConfig};
use registry::Catalog;

/// What is done with a session, or the SDK's error.
type Result<T, E = LocalSessionManagerError> = std::result::Result<T, E>;

/// How long a legacy client may come back for an answer that it has missed. A minute, as the SDK
/// has it, let a peer's memory grow from 27 to 717 MiB in three minutes.
const FINISHED_KEPT: Duration = Duration::from_secs(5);
/// How long a session may take to notice that it is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a client may take from opening a session to its first message.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);

tokio::task_local! {
    /// The request that the SDK is answering. The SDK does not pass it to its sessions.
    static ACTING: Acting;
}

struct Acting {
    caller: Caller,
    trouble: Cell<Option<Refusal>>,
}

/// Why a request's session cannot be had; the SDK does not report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no room for the one that it would open.
    Full,
    /// The one that it would end is not there, or another's.
    Unknown,
}

fn note(trouble: Refusal) {
    let _ = ACTING.try_with(|it| it.trouble.set(Some(trouble)));
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
        ACTING.with(|it| it.trouble.get()).map_or(Ok(answer), Err)
    };
    ACTING.scope(Acting { caller, trouble: Cell::new(None) }, answer).await
}

/// Whether the session named `id` belongs to the sender of the request; where there is none, it is the
/// session itself that asks.
fn is_theirs(book: &SessionTable<SessionId>, id: &SessionId) -> bool {
    ACTING.try_with(|it| book.is_of(id, &it.caller.principal)).unwrap_or(true)
}

/// The error that the SDK gets for a session that has gone or for which there is no room.
fn gone() -> LocalSessionManagerError {
    SessionError::SessionServiceTerminated.into()
}

/// All sessions of clients of the legacy era.
pub struct Sessions {
    sdk: LocalSessionManager,
    book: Arc<SessionTable<SessionId>>,
    idle: Duration,
    sweeping: Once,
    hang_up: CancellationToken,
    /// Itself, for those who look after it and must not keep it.
    own: Weak<Self>,
}

impl Sessions {
    pub(super) fn new(config: &SessionsConfig, hang_up: CancellationToken) -> Arc<Self> {
        let mut sdk = LocalSessionManager::default();
        sdk.session_config.completed_cache_ttl = FINISHED_KEPT;
        sdk.session_config.init_timeout = Some(INIT_TIMEOUT);
        // What is idle is decided here: a stream that waits for news is not.
        sdk.session_config.keep_alive = None;
        Arc::new_cyclic(|own| Self {
            sdk,
            book: Arc::new(SessionTable::new(config.sessions_max)),
            idle: Duration::from_secs(config.idle_s),
            sweeping: Once::new(),
            hang_up,
            own: own.clone(),
        })
    }

    /// Closes the session named `id`, which is in the book no more.
    async fn close(&self, id: &SessionId) -> Result<()> {
        // One that is stuck has no stream left to be stuck on, and ends by itself.
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
            loop {
                tokio::select! {
                    () = hang_up.cancelled() => return,
                    _ = turns.tick() => {}
                }
                let Some(own) = own.upgrade() else { return };
                own.close_aside(own.book.take_idle(Instant::now(), own.idle));
            }
        });
    }

    /// Marks the session named `id` as used for as long as what is returned lives.
    fn enter(&self, id: &SessionId) -> Result<InUse<SessionId>> {
        self.book.enter(id).ok_or_else(gone)
    }
}

/// `stream`, which keeps its session from being idle, until the session ends.
fn held<S>(
    stream: S,
    in_use: InUse<SessionId>,
) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static
where
    S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
{
    stream.take_until(in_use.ended()).map(move |it| {
        let _held = &in_use;
        it
    })
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport)> {
        self.sweeping.call_once(|| self.sweep());
        let acting = ACTING.try_with(|it| it.caller.principal.clone());
        let principal = acting.unwrap_or_else(|_| Arc::from("anonymous"));
        let Some(made_room) = self.book.make_room(&principal) else {
            note(Refusal::Full);
            return Err(gone());
        };
        self.close_aside(made_room);
        let (id, transport) = self.sdk.create_session().await?;
        self.book.open(id.clone(), principal);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage> {
        let _in_use = self.enter(id)?;
        self.sdk.initialize_session(id, message).await
    }

    /// Another's session is as good as none.
    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        Ok(is_theirs(&self.book, id) && self.sdk.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        if !is_theirs(&self.book, id) {
            note(Refusal::Unknown);
            return Ok(());
        }
        self.book.strike(id);
        self.close(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let in_use = self.enter(id)?;
        Ok(held(self.sdk.create_stream(id, message).await?, in_use))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<()> {
        let _in_use = self.enter(id)?;
        self.sdk.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let in_use = self.enter(id)?;
        Ok(held(self.sdk.create_standalone_stream(id).await?, in_use))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let in_use = self.enter(id)?;
        Ok(held(self.sdk.resume(id, last_event_id).await?, in_use))
    }
}
