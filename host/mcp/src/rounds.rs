//! Runs requests in rounds for both protocol eras: forwards notifications, ends on disconnect, and asks clients in the
//! way of their era.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData,
    model::{ProgressNotificationParam, ServerNotification},
};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::{Context, McpServer, Result, legacy, wire};
use base::call::{CallRequest, Level, Notification, Notifications};
use calls::{Method, Questions, outcome::CallOutcome};
use sandbox::component::{CallError, Question};

/// Queue of notifications for a slow client.
const NOTES_QUEUE: usize = 64;
/// Time limit for the last notifications after the call.
const NOTES_TIMEOUT: Duration = Duration::from_secs(5);
/// Attempts to deliver a late answer to a busy component.
const TRIES_MAX: u32 = 5;
/// Why a question is not put.
const TOO_MANY: &str = "too many questions are open; answer some of them, or call again later";
/// `_meta` key of questions that can be answered after the call.
const LATER: &str = "madoguchi/later";
/// `_meta` key of the requested log level.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Why a request has no outcome.
pub(super) enum Ended {
    /// The client went, or cancelled the request.
    Cancelled,
    /// The component or its surroundings refused.
    Failed(CallError),
    /// The client cannot be asked.
    CannotAsk(Box<legacy::CannotAsk>),
}

/// Answers of a round, or why the user cannot be asked.
type Answers = Result<BTreeMap<String, Value>, Box<legacy::CannotAsk>>;

/// Whether a question may be answered when its call has ended.
fn is_for_later(question: &Question) -> bool {
    let meta = question.meta.as_deref().and_then(|it| serde_json::from_str::<Value>(it).ok());
    meta.is_some_and(|it| it[LATER] == true)
}

impl McpServer {
    /// Runs all rounds possible without another request, unless the client cancels.
    pub(super) async fn rounds<M: Method>(
        &self,
        call: CallRequest,
        context: &Context,
    ) -> Result<CallOutcome<M::Output>, Ended> {
        let outcome = context.ct.run_until_cancelled(self.all_rounds::<M>(call, context)).await;
        outcome.unwrap_or(Err(Ended::Cancelled))
    }

    /// Runs one round for a modern client, which returns with answers, or all rounds for a legacy client.
    async fn all_rounds<M: Method>(
        &self,
        call: CallRequest,
        context: &Context,
    ) -> Result<CallOutcome<M::Output>, Ended> {
        if wire::is_legacy(context) {
            return self.asking::<M>(call, context).await;
        }
        let capabilities = call.caller.client_capabilities.clone();
        let outcome = self.one_round::<M>(call, Questions::Answered, context).await?;
        if let CallOutcome::InputRequired { questions, .. } = &outcome
            && let Some(lacking) = wire::lacking(&capabilities, questions)
        {
            return Err(Ended::CannotAsk(Box::new(lacking)));
        }
        Ok(outcome)
    }

    /// Asks between rounds. Clients give up calls when a person takes long. Where questions can be answered later,
    /// the call ends first and asking continues.
    async fn asking<M: Method>(
        &self,
        mut call: CallRequest,
        context: &Context,
    ) -> Result<CallOutcome<M::Output>, Ended> {
        let (began, mut place) = (Instant::now(), None);
        loop {
            let again = call.next_round();
            let (questions, state) =
                match self.one_round::<M>(call, Questions::Answered, context).await? {
                    CallOutcome::InputRequired { questions, state, .. } => (questions, state),
                    done => return Ok(done),
                };
            // A client that is gone is not noticed before it should have answered.
            let may_come_later = questions.iter().all(is_for_later);
            if place.is_none() {
                let Ok(taken) = self.asking.take(&again.caller) else {
                    let why = legacy::cannot_ask(&questions, TOO_MANY);
                    let unasked = may_come_later.then(|| again.unanswered(&state));
                    return self.end_unasked::<M>(unasked, why, context).await;
                };
                place = Some(taken);
            }
            let capabilities = again.caller.client_capabilities.clone();
            let mut asked = Box::pin(legacy::ask(context.peer.clone(), capabilities, questions));
            let until = (began + self.question_wait).into();
            let in_time = match may_come_later {
                true => tokio::time::timeout_at(until, &mut asked).await.ok(),
                false => Some((&mut asked).await),
            };
            let responses = match in_time {
                Some(responses) => responses,
                None => match self.session.place_for_later() {
                    None => asked.await,
                    Some(place) => {
                        let unanswered = again.unanswered(&state);
                        match self.one_round::<M>(unanswered, Questions::Open, context).await {
                            // The call needs the answers, so they are awaited.
                            Err(_) | Ok(CallOutcome::InputRequired { .. }) => asked.await,
                            Ok(done) => {
                                self.ask_after_call::<M>(again, (state, place), asked, context);
                                return Ok(done);
                            }
                        }
                    }
                },
            };
            let responses = match responses {
                Ok(responses) => responses,
                Err(why) => {
                    let unasked = may_come_later.then(|| again.unanswered(&state));
                    return self.end_unasked::<M>(unasked, why, context).await;
                }
            };
            call = CallRequest { responses, state: Some(state), ..again };
        }
    }

    /// The result of a call whose questions cannot be asked: its `unasked` text where they can be answered later.
    async fn end_unasked<M: Method>(
        &self,
        unasked: Option<CallRequest>,
        why: Box<legacy::CannotAsk>,
        context: &Context,
    ) -> Result<CallOutcome<M::Output>, Ended> {
        if let Some(call) = unasked
            && let Ok(done) = self.one_round::<M>(call, Questions::Open, context).await
            && !matches!(done, CallOutcome::InputRequired { .. })
        {
            return Ok(done);
        }
        Err(Ended::CannotAsk(why))
    }

    /// Goes on asking for a call that has ended, and takes the answers as if it had not.
    fn ask_after_call<M: Method>(
        &self,
        call: CallRequest,
        (mut state, place): (String, OwnedSemaphorePermit),
        asked: impl Future<Output = Answers> + Unpin + Send + 'static,
        context: &Context,
    ) {
        let (calls, peer) = (self.calls.clone(), context.peer.clone());
        tokio::spawn(async move {
            let _place = place;
            let mut next = asked.await;
            // The loop terminates, because the number of rounds is limited.
            while let Ok(responses) = next {
                let mut tries = 0;
                let outcome = loop {
                    let (responses, state) = (responses.clone(), Some(state.clone()));
                    let round = CallRequest { responses, state, ..call.next_round() };
                    tries += 1;
                    match calls.ask::<M>(round, Questions::Answered).await {
                        Err(CallError::Busy { retry_after_ms, .. }) if tries < TRIES_MAX => {
                            tokio::time::sleep(Duration::from_millis(retry_after_ms)).await;
                        }
                        outcome => break outcome,
                    }
                };
                let questions = match outcome {
                    Ok(CallOutcome::InputRequired { questions, state: after, .. }) => {
                        state = after;
                        questions
                    }
                    Ok(_) => return,
                    Err(error) => {
                        let call = &*call.name;
                        tracing::warn!(call, "a late answer came to nothing: {error}");
                        return;
                    }
                };
                let capabilities = call.caller.client_capabilities.clone();
                next = legacy::ask(peer.clone(), capabilities, questions).await;
            }
        });
    }

    /// Runs one round and forwards its notifications, which never block it.
    async fn one_round<M: Method>(
        &self,
        mut call: CallRequest,
        open: Questions,
        context: &Context,
    ) -> Result<CallOutcome<M::Output>, Ended> {
        let (sender, mut notifications) = mpsc::channel(NOTES_QUEUE);
        let progress = context.meta.get_progress_token().is_some();
        let log = self.log_level(context);
        let wanted = progress || log.is_some();
        call.notifications = wanted.then_some(Notifications { sender, progress, log });
        let mut outcome = std::pin::pin!(self.calls.ask::<M>(call, open));
        let mut telling = std::pin::pin!(async {
            while let Some(note) = notifications.recv().await {
                send_notification(context, note).await;
            }
        });
        let mut is_notified = false;
        let result = loop {
            tokio::select! {
                biased;
                () = &mut telling, if !is_notified => is_notified = true,
                result = &mut outcome => break result,
            }
        };
        if !is_notified {
            // The sender ended with the call; the rest is forwarded.
            let _ = tokio::time::timeout(NOTES_TIMEOUT, telling).await;
        }
        result.map_err(Ended::Failed)
    }

    /// Minimum log level of this request's notifications.
    pub(super) fn log_level(&self, context: &Context) -> Option<Level> {
        if wire::is_legacy(context) {
            return self.session.asked.lock().log_level;
        }
        context.meta.0.0.get(LOG_LEVEL)?.as_str().and_then(Level::from_name)
    }
}

pub(super) async fn send_notification(context: &Context, note: Notification) {
    // A client that has gone is noticed by the call itself.
    match note {
        Notification::Progress(note) => {
            let Some(token) = context.meta.get_progress_token() else { return };
            let mut params = ProgressNotificationParam::new(token, note.progress);
            params.total = note.total;
            params.message = note.message;
            let _ = context.peer.notify_progress(params).await;
        }
        Notification::Log(line) => {
            let (level, logger) = (line.level.name(), line.component.clone());
            let params = json!({ "level": level, "logger": logger, "data": line.value() });
            let message = json!({ "method": "notifications/message", "params": params });
            if let Ok(note) = serde_json::from_value::<ServerNotification>(message) {
                let _ = context.peer.send_notification(note).await;
            }
        }
    }
}

/// As a protocol error, for methods whose results cannot express failure.
pub(super) fn error(ended: Ended) -> ErrorData {
    match ended {
        Ended::Cancelled => wire::cancelled(),
        Ended::Failed(error) => wire::error(error),
        Ended::CannotAsk(it) => it.error(),
    }
}
