//! Requests that go in rounds, for both eras: what the call says meanwhile is passed on, a client that
//! goes ends it, and who is asked is asked in the way of their era.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{ProgressNotificationParam, ServerNotification},
    service::RequestContext,
};
use serde_json::json;
use tokio::sync::mpsc;

use super::{McpServer, legacy, wire};
use crate::{
    calls::{Call, Method, Outcome},
    component::CallError,
    notes::{Level, Note, Notes},
};

/// Notes that may wait for a slow client.
const NOTES_QUEUE: usize = 64;
/// How long the last notes may take once the call has ended.
const NOTES_TIMEOUT: Duration = Duration::from_secs(5);
/// Where a modern request says which lines of the log it wants.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Why a request has no outcome.
pub(super) enum Ended {
    /// The client went, or said that it no longer waits.
    Cancelled,
    /// The component, or what is around it, says no.
    Failed(CallError),
    /// The client cannot be asked.
    CannotAsk(Box<legacy::CannotAsk>),
    /// It asks without end.
    Endless,
}

impl McpServer {
    /// All rounds that can be had without another request: one for a modern client, which carries
    /// the questions to its user and comes back; as many as it takes for one of the era before.
    pub(super) async fn rounds<M: Method>(
        &self,
        mut call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome<M::Output>, Ended> {
        let legacy = wire::is_legacy(context);
        for _ in 0..legacy::ROUNDS_MAX {
            let again = call.again();
            let (questions, state) = match self.one_round::<M>(call, context).await? {
                Outcome::Asked { component, call_id, questions, state } if !legacy => {
                    let capabilities = &again.caller.client_capabilities;
                    return match wire::lacking(capabilities, &questions) {
                        Some(lacking) => Err(Ended::CannotAsk(Box::new(lacking))),
                        None => Ok(Outcome::Asked { component, call_id, questions, state }),
                    };
                }
                Outcome::Asked { questions, state, .. } => (questions, state),
                done => return Ok(done),
            };
            let capabilities = again.caller.client_capabilities.clone();
            let asked = legacy::ask(context, &capabilities, questions);
            let responses = tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(Ended::Cancelled),
                asked = asked => asked.map_err(Ended::CannotAsk)?,
            };
            call = Call { responses, state: Some(state), ..again };
        }
        Err(Ended::Endless)
    }

    /// One round; what it says meanwhile goes to the client, who holds it up by nothing.
    async fn one_round<M: Method>(
        &self,
        mut call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome<M::Output>, Ended> {
        let (sender, mut notes) = mpsc::channel(NOTES_QUEUE);
        let progress = context.meta.get_progress_token().is_some();
        let log = self.log_level(context);
        let wanted = progress || log.is_some();
        call.notes = wanted.then_some(Notes { sender, progress, log });
        let mut outcome = std::pin::pin!(self.calls.ask::<M>(call));
        let mut telling = std::pin::pin!(async {
            while let Some(note) = notes.recv().await {
                tell(context, note).await;
            }
        });
        let mut is_told = false;
        let result = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(Ended::Cancelled),
                () = &mut telling, if !is_told => is_told = true,
                result = &mut outcome => break result,
            }
        };
        if !is_told {
            // The sender is gone with the call: what has been said is passed on, and that is all.
            let _ = tokio::time::timeout(NOTES_TIMEOUT, telling).await;
        }
        result.map_err(Ended::Failed)
    }

    /// The least level of what this request is to be told of the log.
    fn log_level(&self, context: &RequestContext<RoleServer>) -> Option<Level> {
        if wire::is_legacy(context) {
            return self.session.log_level();
        }
        context.meta.0.0.get(LOG_LEVEL)?.as_str().and_then(Level::of)
    }
}

async fn tell(context: &RequestContext<RoleServer>, note: Note) {
    // A client that has gone is noticed by the call itself.
    match note {
        Note::Progress(note) => {
            let Some(token) = context.meta.get_progress_token() else { return };
            let mut params = ProgressNotificationParam::new(token, note.progress);
            params.total = note.total;
            params.message = note.message;
            let _ = context.peer.notify_progress(params).await;
        }
        Note::Log(line) => {
            let (level, logger) = (line.level.name(), line.component.clone());
            let params = json!({ "level": level, "logger": logger, "data": line.value() });
            let message = json!({ "method": "notifications/message", "params": params });
            if let Ok(note) = serde_json::from_value::<ServerNotification>(message) {
                let _ = context.peer.send_notification(note).await;
            }
        }
    }
}

/// As an error of the protocol, for methods whose results cannot say that they failed.
pub(super) fn error(ended: Ended) -> ErrorData {
    match ended {
        Ended::Cancelled => wire::cancelled(),
        Ended::Failed(error) => wire::error(error),
        Ended::CannotAsk(it) => it.error(),
        Ended::Endless => wire::endless(),
    }
}
