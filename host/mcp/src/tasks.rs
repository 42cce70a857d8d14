//! Calls as tasks (the extension `io.modelcontextprotocol/tasks`). A task continues without its client, which returns
//! for its questions and its result, also after a restart.

mod kept;

use std::{collections::BTreeMap, sync::Arc};

use base::{
    call::{CallRequest, Failure, Level, Notification, Notifications, Surface, TraceHeaders},
    caller::Caller,
};
use calls::{CallTool, Questions, approvals::broken_off, outcome::CallOutcome};
use futures::future::BoxFuture;
use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, ClientCapabilities, CreateTaskResult, DetailedTask,
        ErrorCode, GetTaskResult, InputRequests, InputRequiredResult, InputResponses, Task,
        TaskPayload, TaskStatus,
    },
};
use sandbox::{
    component::{CallError, Stop},
    definition::TaskUse,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::leases::Hold;
use tokio::sync::mpsc;

use super::{Context, McpServer, Result, rounds::send_notification, wire};
use kept::{Pause, Place};

pub(super) use kept::event_of;
pub use kept::{PLACE, Tasks, movable};

/// Queue of notifications.
const NOTES_QUEUE: usize = 64;

/// Result of a round.
type Outcome = Result<CallOutcome, CallError>;

/// A running round and its notifications.
struct Round {
    call: CallRequest,
    outcome: BoxFuture<'static, Outcome>,
    notes: mpsc::Receiver<Notification>,
    pause: Arc<Pause>,
}

/// Whether the client takes tasks for the answer to this request.
pub(super) fn takes_tasks(context: &Context) -> bool {
    !wire::is_legacy(context) && context.client_capabilities().is_some_and(|it| it.supports_tasks())
}

/// Error for clients without task support where a task is required.
pub(super) fn needs_tasks() -> ErrorData {
    let required = ClientCapabilities::builder().enable_tasks().build();
    ErrorData::missing_required_client_capability(required)
}

fn unknown() -> ErrorData {
    let message = "taskId: there is no such task of yours, or it is no longer kept.";
    ErrorData::invalid_params(message, None)
}

fn busy() -> ErrorData {
    let message = "Too many tasks run already; try again once one has ended (running_max and running_share_max under [tasks]).";
    ErrorData::internal_error(message, None)
}

fn unread(error: &std::io::Error) -> ErrorData {
    tracing::error!("a task cannot be read: {error}");
    let message = "The task cannot be read now, because the database or the disk does not answer; it goes on. Try again soon.";
    let failure = Failure::new("unavailable", 503, message);
    ErrorData::internal_error(message, Some(failure.object()))
}

fn not_kept(error: &std::io::Error) -> ErrorData {
    tracing::error!("a call does not become a task: {error}");
    let message = "The task could not be written down; try again later.";
    ErrorData::internal_error(message, None)
}

impl McpServer {
    /// The use of tasks that the tool called `name` makes.
    fn task_use(&self, name: &str) -> TaskUse {
        let catalog = self.registry.catalog();
        catalog.offered_tool(name).map(|(_, it)| it.task).unwrap_or_default()
    }

    /// Runs `call` as a task if its client supports or requires it. Returns the answer or the created task. `None` to
    /// handle it as usual.
    ///
    /// # Errors
    /// Protocol errors of the call, or that tasks are required.
    pub(super) async fn as_task(
        &self,
        call: &CallRequest,
        context: &Context,
    ) -> Result<Option<CallToolResponse>> {
        let Some(tasks) = &self.tasks else { return Ok(None) };
        let task_use = self.task_use(&call.name);
        if !takes_tasks(context) {
            let is_refused = task_use == TaskUse::Required && !wire::is_legacy(context);
            return if is_refused { Err(needs_tasks()) } else { Ok(None) };
        }
        if task_use == TaskUse::Never {
            return Ok(None);
        }
        let Some(mut place) = tasks.place(&call.caller.principal) else {
            // An optional task is answered directly once it has ended.
            return if task_use == TaskUse::Possible { Ok(None) } else { Err(busy()) };
        };
        let log = self.log_level(context);
        let mut round = self.begin(tasks, call.clone(), log);
        let capabilities = call.caller.client_capabilities.clone();
        let mut ended = None;
        if task_use != TaskUse::Always {
            ended = tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(wire::cancelled()),
                outcome = round.outcome(context) => Some(outcome),
                () = tokio::time::sleep(tasks.after()) => None,
            };
        }
        if let Some(outcome) = ended.take() {
            let stays_a_task = task_use == TaskUse::Required
                && !matches!(outcome, Ok(CallOutcome::InputRequired { .. }));
            if !stays_a_task {
                return wire::answer(outcome, &capabilities).map(Some);
            }
            round.outcome = Box::pin(std::future::ready(outcome));
        }
        let first = Given::from_call(&round.call);
        let pause = round.pause.clone();
        let created = pause.become_task(first, async |given| {
            let document = tasks.create(&round.call, given, &mut place).await?;
            Ok((document.id.clone(), document))
        });
        let document = match created.await {
            Ok(document) => document,
            // An optional task is answered directly, even if the disk is full.
            Err(error) if task_use == TaskUse::Possible => {
                tracing::warn!("a call does not become a task, and is waited for: {error}");
                let outcome = context.ct.run_until_cancelled(round.outcome(context)).await;
                return wire::answer(outcome.ok_or_else(wire::cancelled)?, &capabilities).map(Some);
            }
            Err(error) => return Err(not_kept(&error)),
        };
        let task = document.seed(tasks.ttl_ms(&document));
        tokio::spawn(self.clone().drive(document, round, place));
        Ok(Some(CallToolResponse::Task(CreateTaskResult::new(task))))
    }

    /// Starts a round that reports log lines from level `log`.
    fn begin(&self, tasks: &Tasks, mut call: CallRequest, log: Option<Level>) -> Round {
        let (sender, notes) = mpsc::channel(NOTES_QUEUE);
        let pause = Pause::for_caller(tasks, &call.caller);
        let asked = call.clone();
        call.notifications = Some(Notifications { sender, progress: true, log });
        call.pauses = Some(pause.clone());
        let calls = self.calls.clone();
        let outcome =
            Box::pin(async move { calls.ask::<CallTool>(call, Questions::Answered).await });
        Round { call: asked, outcome, notes, pause }
    }

    /// Runs a round of a task to its end and stores the result.
    async fn drive(self, document: Document, mut round: Round, place: Place) {
        let Some(tasks) = &self.tasks else { return };
        let _open = self.calls.keep_open();
        let (cancelled, lost) = (place.cancelled(), place.is_lost());
        let outcome = tokio::select! {
            biased;
            // Cancellation stores the state itself.
            () = cancelled.cancelled() => return,
            () = lost.cancelled() => return,
            outcome = round.noted(&place) => outcome,
        };
        let is_stopped = self.calls.stop.is_cancelled() && is_away(&outcome);
        // The task continues at the next start.
        if is_stopped && round.pause.is_paused().await {
            return;
        }
        let _alone = tasks.lock(&document.id).await;
        let found = tokio::select! {
            biased;
            () = cancelled.cancelled() => return,
            () = lost.cancelled() => return,
            found = tasks.found(&document.id, &document.owner) => found,
        };
        let Some(mut document) = found else { return };
        let is_over = cancelled.is_cancelled() || lost.is_cancelled();
        if is_over || !matches!(document.standing, Standing::Working(_)) {
            return;
        }
        let capabilities = &round.call.caller.client_capabilities;
        let standing = match to_response(outcome, capabilities) {
            Ok(CallToolResponse::Complete(result)) => Standing::completed(&result),
            Ok(CallToolResponse::InputRequired(asked)) => {
                document.ask(asked);
                document.standing.clone()
            }
            Ok(_) => Standing::failed(&wire::endless()),
            Err(error) => Standing::failed(&error),
        };
        tasks.set_standing(&mut document, standing).await;
    }

    /// `tasks/get`.
    pub(super) async fn task(&self, id: &str, context: &Context) -> Result<GetTaskResult> {
        self.detailed(id, context).await.map(GetTaskResult::new)
    }

    /// Returns a task's state, and continues it if possible.
    pub(super) async fn detailed(&self, id: &str, context: &Context) -> Result<DetailedTask> {
        let (tasks, caller) = self.task_request(context)?;
        let mut document = document(tasks, id, &caller).await?;
        if matches!(document.standing, Standing::Working(_)) && !tasks.is_running(id) {
            document = self.go_on(tasks, id, caller).await?;
        } else if self.is_answered_elsewhere(&document, &caller).await {
            document = self.take_answers(tasks, id, caller).await?;
        }
        let message = tasks.message(&document).await;
        Ok(document.detailed(tasks.ttl_ms(&document), message))
    }

    /// `tasks/update`.
    ///
    /// # Errors
    /// If the caller has no such task, or too many run.
    pub(super) async fn update(
        &self,
        id: &str,
        answers: InputResponses,
        context: &Context,
    ) -> Result<()> {
        let (tasks, caller) = self.task_request(context)?;
        let _alone = tasks.lock(id).await;
        let asks = async || {
            let document = document(tasks, id, &caller).await?;
            let is_open = matches!(document.standing, Standing::InputRequired { .. });
            Ok(is_open.then_some(document))
        };
        if asks().await?.is_none() {
            return Ok(());
        }
        // If two nodes receive answers, one continues.
        let run = tasks.claim_soon(id).await.ok_or_else(busy)?;
        let Some(mut document) = asks().await? else { return Ok(()) };
        let is_answered = document.answer(answers.into_iter().collect::<BTreeMap<_, _>>());
        let place = match is_answered {
            true => Some(tasks.place(&caller.principal).ok_or_else(busy)?),
            false => None,
        };
        tasks.change(&mut document).await.map_err(|error| not_kept(&error))?;
        if let Some(place) = place {
            self.next_round(tasks, document, (place, run), caller).await;
        }
        Ok(())
    }

    /// `tasks/cancel`.
    pub(super) async fn cancel(&self, id: &str, context: &Context) -> Result<()> {
        let (tasks, caller) = self.task_request(context)?;
        let _alone = tasks.lock(id).await;
        let mut document = document(tasks, id, &caller).await?;
        if !document.standing.is_over() {
            tasks.cancel(id);
            tasks.set_standing(&mut document, Standing::Cancelled).await;
            tasks.notify_cancelled(id, &caller.principal);
        }
        Ok(())
    }

    /// Tasks and caller of a `tasks/…` request.
    fn task_request(&self, context: &Context) -> Result<(&Tasks, Caller)> {
        let tasks = self.tasks.as_ref().filter(|_| !wire::is_legacy(context));
        let tasks = tasks.ok_or_else(|| wire::not_served("tasks"))?;
        Ok((tasks, self.caller(context)))
    }

    /// Has a task go on that ran when the program ended, or its node. One that waited can, and one that may be made
    /// twice; of any other it is not known whether it happened.
    async fn go_on(&self, tasks: &Tasks, id: &str, caller: Caller) -> Result<Document> {
        let _alone = tasks.lock(id).await;
        // A running round, here or elsewhere, continues by itself.
        let run = if tasks.is_running(id) { None } else { tasks.claim(id).await };
        let mut document = document(tasks, id, &caller).await?;
        let Some(run) = run else { return Ok(document) };
        let Standing::Working(given) = &document.standing else { return Ok(document) };
        if !given.is_paused && !self.is_repeatable(&document.tool) {
            let failure = broken_off();
            let error = ErrorData::internal_error(failure.message.clone(), Some(failure.object()));
            tasks.set_standing(&mut document, Standing::failed(&error)).await;
            return Ok(document);
        }
        // Tried again if too many run.
        if let Some(place) = tasks.place(&caller.principal) {
            self.next_round(tasks, document.clone(), (place, run), caller).await;
        }
        Ok(document)
    }

    /// Whether all questions of the task are approvals that were decided elsewhere.
    async fn is_answered_elsewhere(&self, document: &Document, caller: &Caller) -> bool {
        let ids = document.approvals();
        if ids.is_empty() {
            return false;
        }
        for id in ids {
            // Unknown if unreadable.
            let approval = self.calls.approvals.get(&id, &caller.principal).await;
            let Ok(approval) = approval else { return false };
            if approval.is_some_and(|it| it.state.is_open()) {
                return false;
            }
        }
        true
    }

    /// Continues a task whose approvals were decided elsewhere.
    async fn take_answers(&self, tasks: &Tasks, id: &str, caller: Caller) -> Result<Document> {
        let _alone = tasks.lock(id).await;
        // The node whose round has asked gives it back about now.
        let run = tasks.claim_soon(id).await;
        let mut document = document(tasks, id, &caller).await?;
        let place = tasks.place(&caller.principal);
        let (Some(run), Some(place)) = (run, place) else { return Ok(document) };
        // Another node may have continued and asked again.
        if self.is_answered_elsewhere(&document, &caller).await && document.next_round() {
            tasks.change(&mut document).await.map_err(|error| not_kept(&error))?;
            self.next_round(tasks, document.clone(), (place, run), caller).await;
        }
        Ok(document)
    }

    /// Whether the tool declares itself idempotent.
    fn is_repeatable(&self, tool: &str) -> bool {
        let catalog = self.registry.catalog();
        catalog.offered_tool(tool).is_some_and(|(_, it)| it.hints.read_only || it.hints.idempotent)
    }

    /// Begins the round that `document` is at, on behalf of `caller`.
    async fn next_round(
        &self,
        tasks: &Tasks,
        document: Document,
        (mut place, run): (Place, Hold),
        caller: Caller,
    ) {
        let Standing::Working(given) = &document.standing else { return };
        let of = CallRequest::new(
            String::new(),
            String::new(),
            (caller, Surface::Mcp),
            TraceHeaders::default(),
        );
        let call = document.call(given, of);
        let round = self.begin(tasks, call, None);
        round.pause.is_task(&document.id).await;
        place.run(&document.id, run);
        tokio::spawn(self.clone().drive(document, round, place));
    }
}

/// The task of that id, of `caller`'s.
///
/// # Errors
/// If there is none, or it is unreadable.
async fn document(tasks: &Tasks, id: &str, caller: &Caller) -> Result<Document> {
    let found = tasks.get(id, &caller.principal).await.map_err(|it| unread(&it))?;
    found.ok_or_else(unknown)
}

impl Round {
    /// Awaits the outcome and forwards notifications to the client.
    async fn outcome(&mut self, context: &Context) -> Outcome {
        loop {
            tokio::select! {
                biased;
                Some(note) = self.notes.recv() => send_notification(context, note).await,
                outcome = &mut self.outcome => {
                    // The last notifications are forwarded; their sender has ended.
                    while let Ok(note) = self.notes.try_recv() {
                        send_notification(context, note).await;
                    }
                    return outcome;
                }
            }
        }
    }

    /// Awaits the outcome and publishes progress.
    async fn noted(&mut self, place: &Place) -> Outcome {
        loop {
            tokio::select! {
                biased;
                Some(note) = self.notes.recv() => {
                    if let Notification::Progress(progress) = note {
                        let of = progress.total.map(|it| format!("/{it}")).unwrap_or_default();
                        let what = progress.message.map(|it| format!(" {it}")).unwrap_or_default();
                        place.set_message(&format!("{}{of}{what}", progress.progress));
                    }
                }
                outcome = &mut self.outcome => return outcome,
            }
        }
    }
}

/// Whether a call ended because its server stops.
fn is_away(outcome: &Outcome) -> bool {
    matches!(outcome, Err(CallError::Stopped(Stop::Unavailable(_)) | CallError::Busy { .. }))
}

/// Converts an outcome. Failures of the component or its surroundings fail the task.
fn to_response(outcome: Outcome, capabilities: &str) -> Result<CallToolResponse> {
    match outcome {
        Err(error @ (CallError::Trapped { .. } | CallError::Broken { .. })) => {
            let error = wire::error(error);
            Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, error.message, error.data))
        }
        outcome => wire::answer(outcome, capabilities),
    }
}

// The stored form of a task: its call, its state, and the messages that clients get.

/// Poll interval for clients in milliseconds.
const POLL_INTERVAL_MS: u64 = 1_000;

/// A call that became a task, or what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Document {
    id: String,
    /// Owning principal.
    owner: Arc<str>,
    tool: String,
    /// A JSON object, as is the request's `_meta`.
    arguments: String,
    meta: String,
    /// In milliseconds since 1970.
    created_ms: u64,
    updated_ms: u64,
    /// The keys of all questions so far: none comes twice.
    keys: Vec<String>,
    standing: Standing,
}

/// State of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Standing {
    /// A round runs with these inputs.
    Working(Given),
    /// The client is to answer.
    InputRequired {
        /// The questions that are open: by their keys, each with the component's own key.
        questions: BTreeMap<String, Open>,
        /// Answers so far, by the component's keys.
        responses: BTreeMap<String, Value>,
        /// Signed state for the next round.
        state: String,
    },
    /// Ended with a tool result or refusal.
    Completed(Value),
    /// Ended with a JSON-RPC error.
    Failed(Value),
    /// Cancelled by its client.
    Cancelled,
}

/// Inputs of a round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Given {
    responses: BTreeMap<String, Value>,
    state: Option<String>,
    /// Whether it waits, without an instance: then it may be made again from `state`, whatever the tool does.
    is_paused: bool,
}

/// A question that is open.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    component_key: String,
    request: Value,
}

impl Given {
    /// Inputs of the round of `call`.
    fn from_call(call: &CallRequest) -> Self {
        let (responses, state) = (call.responses.clone(), call.state.clone());
        Self { responses, state, is_paused: false }
    }

    /// Inputs of a round resumed from `state`.
    fn from(state: String, is_paused: bool) -> Self {
        Self { responses: BTreeMap::new(), state: Some(state), is_paused }
    }
}

impl Standing {
    /// Whether nothing will change any more.
    fn is_over(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::Failed(_) | Self::Cancelled)
    }

    fn completed(result: &CallToolResult) -> Self {
        match serde_json::to_value(result) {
            Ok(result) => Self::Completed(result),
            Err(error) => Self::failed(&ErrorData::internal_error(error.to_string(), None)),
        }
    }

    fn failed(error: &ErrorData) -> Self {
        Self::Failed(serde_json::to_value(error).unwrap_or_default())
    }
}

impl Document {
    /// The task that the round of `call` becomes.
    fn from_call(id: String, call: &CallRequest, given: Given, now_ms: u64) -> Self {
        Self {
            id,
            owner: call.caller.principal.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            meta: call.meta.clone(),
            created_ms: now_ms,
            updated_ms: now_ms,
            keys: Vec::new(),
            standing: Standing::Working(given),
        }
    }

    /// The call of a round with inputs `given`, based on `of`.
    fn call(&self, given: &Given, of: CallRequest) -> CallRequest {
        CallRequest {
            name: self.tool.clone(),
            arguments: self.arguments.clone(),
            meta: self.meta.clone(),
            responses: given.responses.clone(),
            state: given.state.clone(),
            ..of
        }
    }

    /// The client is to answer those questions, under keys that were not used before.
    fn ask(&mut self, asked: InputRequiredResult) {
        let requests: InputRequests = asked.input_requests.unwrap_or_default();
        let mut questions = BTreeMap::new();
        for (component_key, request) in requests {
            let mut key = component_key.clone();
            let mut number = 1;
            while self.keys.contains(&key) {
                number += 1;
                key = format!("{component_key}#{number}");
            }
            self.keys.push(key.clone());
            let request = serde_json::to_value(request).unwrap_or_default();
            questions.insert(key, Open { component_key, request });
        }
        let state = asked.request_state.unwrap_or_default();
        self.standing = Standing::InputRequired { questions, responses: BTreeMap::new(), state };
    }

    /// Adds answers. Returns whether all questions are answered. Unknown and repeated answers are ignored.
    fn answer(&mut self, answers: BTreeMap<String, Value>) -> bool {
        let Standing::InputRequired { questions, responses, .. } = &mut self.standing else {
            return false;
        };
        for (key, answer) in answers {
            if let Some(open) = questions.remove(&key) {
                responses.insert(open.component_key, answer);
            }
        }
        if !questions.is_empty() {
            return false;
        }
        self.next_round()
    }

    /// The approvals that it waits for, where nothing else is asked.
    fn approvals(&self) -> Vec<String> {
        let Standing::InputRequired { questions, .. } = &self.standing else { return Vec::new() };
        let id = |open: &Open| {
            let rest = open.component_key.strip_prefix("approvals/")?;
            Some(rest.split('/').next().unwrap_or(rest).to_owned())
        };
        questions.values().map(id).collect::<Option<_>>().unwrap_or_default()
    }

    /// Starts the next round with the answers, if any. Returns whether there is one.
    fn next_round(&mut self) -> bool {
        let Standing::InputRequired { responses, state, .. } = &mut self.standing else {
            return false;
        };
        let (responses, state) = (std::mem::take(responses), Some(std::mem::take(state)));
        self.standing = Standing::Working(Given { responses, state, is_paused: false });
        true
    }

    /// The task as created, for the response to its call.
    fn seed(&self, ttl_ms: u64) -> Task {
        self.task(ttl_ms, None)
    }

    /// The task for clients, with its current message.
    fn detailed(&self, ttl_ms: u64, message: Option<String>) -> DetailedTask {
        let payload = match &self.standing {
            Standing::Working(_) => TaskPayload::Working,
            Standing::InputRequired { questions, .. } => TaskPayload::InputRequired {
                input_requests: questions
                    .iter()
                    .filter_map(|(key, question)| {
                        Some((key.clone(), serde_json::from_value(question.request.clone()).ok()?))
                    })
                    .collect(),
            },
            Standing::Completed(it) => TaskPayload::Completed { result: object(it) },
            Standing::Failed(it) => TaskPayload::Failed { error: object(it) },
            Standing::Cancelled => TaskPayload::Cancelled,
        };
        DetailedTask::new(self.task(ttl_ms, message), payload)
    }

    /// [`DetailedTask`] gives it the status of its payload.
    fn task(&self, ttl_ms: u64, message: Option<String>) -> Task {
        let message = message.or_else(|| match &self.standing {
            Standing::Working(working) if working.is_paused => {
                Some("It waits for an event or for a person.".to_owned())
            }
            Standing::Failed(error) => error["message"].as_str().map(str::to_owned),
            _ => None,
        });
        let (created, updated) = (rfc3339(self.created_ms), rfc3339(self.updated_ms));
        let task = Task::new(&self.id, TaskStatus::Working, created, updated);
        let task = task.with_ttl_ms(ttl_ms).with_poll_interval_ms(POLL_INTERVAL_MS);
        match message {
            Some(message) => task.with_status_message(message),
            None => task,
        }
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn rfc3339(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).map(|it| format!("{it:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use base::{call::TraceHeaders, caller::Caller};
    use serde_json::json;

    use super::*;

    fn document() -> Document {
        let caller = (Caller::anonymous(), Surface::Mcp);
        let call =
            CallRequest::new("greet".to_owned(), "{}".to_owned(), caller, TraceHeaders::default());
        Document::from_call("a".repeat(32), &call, Given::from_call(&call), 1_000)
    }

    fn asked(keys: &[&str]) -> InputRequiredResult {
        let request = json!({ "method": "roots/list" });
        let request = |key: &&str| {
            ((*key).to_owned(), serde_json::from_value(request.clone()).expect("a request"))
        };
        InputRequiredResult::new(Some(keys.iter().map(request).collect()), Some("s".to_owned()))
    }

    fn open(document: &Document) -> Vec<String> {
        match &document.standing {
            Standing::InputRequired { questions, .. } => questions.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// TASK-4.
    #[test]
    fn question_keys_are_unique() {
        let mut document = document();
        document.ask(asked(&["name", "place"]));
        assert_eq!(open(&document), ["name", "place"]);
        let answers = |keys: &[&str]| {
            keys.iter().map(|it| ((*it).to_owned(), json!({ "roots": [] }))).collect()
        };
        assert!(!document.answer(answers(&["name", "other"])), "one is open");
        assert_eq!(open(&document), ["place"]);
        assert!(document.answer(answers(&["name", "place"])));
        let Standing::Working(given) = &document.standing else { panic!("it goes on") };
        assert_eq!(given.responses.keys().collect::<Vec<_>>(), ["name", "place"]);
        document.ask(asked(&["name"]));
        assert_eq!(open(&document), ["name#2"]);
        assert!(!document.answer(answers(&["name"])), "that one was answered before");
        assert!(document.answer(answers(&["name#2"])));
        let Standing::Working(given) = &document.standing else { panic!("it goes on") };
        assert_eq!(given.responses.keys().collect::<Vec<_>>(), ["name"], "as the tool calls it");
    }

    #[test]
    fn formats_times_as_rfc_3339() {
        assert_eq!(rfc3339(1_000), "1970-01-01T00:00:01.000Z");
        assert_eq!(document().seed(7).ttl_ms, Some(7));
    }
}
