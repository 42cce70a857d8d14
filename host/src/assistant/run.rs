//! The loop: asks whoever decides, runs all calls of one turn at once, and hands the results back.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Answered, Conclusion, Decider, Decision, Language, Task, Teller, ToolCall, ToolResult,
    Undecided,
};
use crate::{
    caller::Caller,
    calls::{Call, Calls, Outcome},
    component::{CallError, InputRequired, Output, Stop},
    failure::Failure,
    record::Surface,
    registry::Registry,
    telemetry::TraceHeaders,
};

/// Turns in which calls may be decided on.
const ROUNDS_MAX: usize = 5;
/// Calls of one turn.
const CALLS_MAX: usize = 8;
/// How long one decision may take (NAV-56).
const DECISION_WAIT: Duration = Duration::from_secs(25);
/// How long all may take together (NAV-56).
const RUN_WAIT: Duration = Duration::from_secs(30);

/// Runs tasks through the tools on the counter.
#[derive(Clone)]
pub(crate) struct Assistant {
    pub(crate) calls: Calls,
    pub(crate) registry: Registry,
}

/// On whose behalf.
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) trace: TraceHeaders,
}

/// A run that came to its end.
pub(crate) struct Run {
    /// Every call, in the order in which they were decided on.
    pub(crate) answered: Vec<Answered>,
    pub(crate) conclusion: Conclusion,
}

/// Why a run has no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Nobody decided.
    Undecided(Undecided),
    /// A tool failed in a way that nobody who decides can mend (NAV-40).
    Tool(Failure),
    /// It took too long.
    Slow,
    /// There was no end to the calls.
    Endless,
}

impl Assistant {
    /// The names of the tools that `caller` may call.
    pub(crate) fn tools(&self, caller: &Caller) -> Vec<Arc<str>> {
        let catalog = self.registry.catalog();
        let own = catalog.offers();
        let own = own.filter(|(owner, it)| caller.may_call(*owner, &it.name, it.hints.read_only));
        let served = catalog.served().tools().filter(|it| it.is_open_to(caller));
        own.map(|(_, it)| it.name.clone()).chain(served.map(|it| it.name.clone())).collect()
    }

    /// Does `task` as `decider` says. Ends with the future: who no longer waits cancels its calls.
    pub(crate) async fn run(
        &self,
        task: &Task,
        decider: &mut dyn Decider,
        asker: &Asker,
        teller: &Teller,
    ) -> Result<Run, Trouble> {
        let end = Instant::now() + RUN_WAIT;
        let run = self.turns(task, decider, asker, teller);
        timeout_at(end, run).await.unwrap_or(Err(Trouble::Slow))
    }

    async fn turns(
        &self,
        task: &Task,
        decider: &mut dyn Decider,
        asker: &Asker,
        teller: &Teller,
    ) -> Result<Run, Trouble> {
        let mut answered = Vec::new();
        let mut turn_at = 0;
        for _ in 0..=ROUNDS_MAX {
            let message = task.language.pick("考えています…", "Thinking…");
            teller.tell("status", || json!({ "state": "thinking", "message": message })).await;
            let decision = decider.decide(task, &answered[turn_at..], teller);
            let decision = timeout(DECISION_WAIT, decision).await.unwrap_or_else(|_| {
                let details = format!("No answer within {} s", DECISION_WAIT.as_secs());
                Err(Undecided { details })
            });
            match decision.map_err(Trouble::Undecided)? {
                Decision::Conclude(conclusion) => return Ok(Run { answered, conclusion }),
                Decision::Call(calls) if calls.is_empty() || calls.len() > CALLS_MAX => {
                    return Err(Trouble::Endless);
                }
                Decision::Call(calls) => {
                    turn_at = answered.len();
                    answered.extend(self.all(calls, task.language, asker, teller).await?);
                }
            }
        }
        Err(Trouble::Endless)
    }

    /// All calls of one turn at once; their results in the order of the calls.
    async fn all(
        &self,
        calls: Vec<ToolCall>,
        language: Language,
        asker: &Asker,
        teller: &Teller,
    ) -> Result<Vec<Answered>, Trouble> {
        for call in &calls {
            let name = &call.name;
            let message = language.pick(format!("{name}を実行中..."), format!("Running {name}..."));
            let status = json!({ "state": "running", "tool": name, "message": message });
            teller.tell("status", || status).await;
            teller.tell("tool_call", || told_call(call)).await;
        }
        let results = calls.iter().map(|call| self.one(call, asker, teller));
        // In a box: a call's state is large, and there are several.
        let results = Box::pin(join_all(results)).await;
        let results = calls.into_iter().zip(results);
        results
            .map(|(call, result)| match result {
                ToolResult::Failed(failure) if is_fatal(&failure) => Err(Trouble::Tool(failure)),
                result => Ok(Answered { call, result }),
            })
            .collect()
    }

    async fn one(&self, call: &ToolCall, asker: &Asker, teller: &Teller) -> ToolResult {
        let began = Instant::now();
        let result = self.result(call, asker).await;
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        teller.tell("tool_result", || told_result(call, &result, ms)).await;
        result
    }

    async fn result(&self, call: &ToolCall, asker: &Asker) -> ToolResult {
        let call = Call {
            name: call.name.clone(),
            arguments: Value::Object(call.arguments.clone()).to_string(),
            meta: Value::Object(call.meta.clone()).to_string(),
            caller: asker.caller.clone(),
            responses: Default::default(),
            state: None,
            notes: None,
            surface: Surface::Rest,
            trace: asker.trace.clone(),
        };
        let result = match self.calls.call(call).await {
            Ok(Outcome::Done { component, call_id, output }) => done(&component, call_id, output),
            Ok(Outcome::Passed { result }) => passed(*result),
            Ok(Outcome::Asked { questions, .. }) => {
                let asked = InputRequired { questions, state: None };
                Err(CallError::Stopped(Stop::InputRequired(asked)).into())
            }
            Err(error) => Err(error.into()),
        };
        result.unwrap_or_else(ToolResult::Failed)
    }
}

/// Whether nobody who decides can do anything about it: only what another argument or another place
/// could mend goes back to them (NAV-40, NAV-55).
fn is_fatal(failure: &Failure) -> bool {
    failure.status >= 500 || failure.is_protocol
}

fn done(component: &Arc<str>, call_id: u64, output: Output) -> Result<ToolResult, Failure> {
    let read = |json: Option<String>| {
        serde_json::from_str(&json.unwrap_or_else(|| "{}".to_owned())).map_err(|error| {
            let what = format!("its output is not JSON: {error}");
            Failure::from(CallError::Broken { component: component.clone(), call_id, what })
        })
    };
    Ok(ToolResult::Output { structured: read(output.structured)?, meta: read(output.meta)? })
}

/// What another server says, in our words; its own failures are `{error, message, status}` where it is
/// one of ours.
fn passed(result: rmcp::model::ServerResult) -> Result<ToolResult, Failure> {
    let rmcp::model::ServerResult::CallToolResult(result) = result else {
        return Err(Failure::new("broken", 500, "The other server answered something else."));
    };
    let meta = result.meta.map_or_else(|| json!({}), |it| Value::Object(it.0));
    if result.is_error != Some(true) {
        let structured = result.structured_content.unwrap_or_else(|| json!({}));
        return Ok(ToolResult::Output { structured, meta });
    }
    let texts = result.content.iter().filter_map(|it| it.as_text());
    let text = texts.map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n");
    let own = &meta["madoguchi/error"];
    let (error, status) = (own["error"].as_str(), own["status"].as_u64());
    let status = status.and_then(|it| u16::try_from(it).ok()).unwrap_or(400);
    let message = own["message"].as_str().unwrap_or(&text);
    let mut failure = Failure::new(error.unwrap_or("refused"), status, message);
    if let Some(data) = own["data"].as_object() {
        failure.data = Box::new(data.clone());
    }
    Err(failure)
}

fn told_call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "name": call.name,
        "params": call.arguments,
        "reason": call.reason,
    })
}

fn told_result(call: &ToolCall, result: &ToolResult, ms: u64) -> Value {
    let (id, name) = (&call.id, &call.name);
    match result {
        ToolResult::Output { structured, meta } => json!({
            "id": id, "name": name, "isError": false, "ms": ms, "result": structured, "meta": meta,
        }),
        ToolResult::Failed(failure) => json!({
            "id": id, "name": name, "isError": true, "ms": ms, "result": null,
            "meta": { "madoguchi/error": failure.object() }, "text": failure.message,
        }),
    }
}
