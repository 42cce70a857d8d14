//! Approves or denies waiting calls, and makes those that are approved.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime},
};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{CallTool, Calls, Questions, on_behalf, refused};
use crate::{
    approvals::{Approval, State, broken_off, event_of, unread},
    outcome::{CallOutcome, CallResult},
    record::audited_owner,
};
use base::{
    call::{CallRequest, Failure, Surface, TraceHeaders, next_call_id},
    caller::Caller,
    language::Language,
};
use sandbox::{
    capability::Asking,
    component::{Ask, CallError, InputRequired, Question, StateError, Wait},
    definition::Shown,
};
use telemetry::audit;

/// Maximum duration of an approved call, with or without its client.
const CALL_MAX: Duration = Duration::from_secs(3_600);
/// Approvals that one round asks for.
const QUESTIONS_MAX: usize = 8;

/// A person's decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The call may be made.
    Allow,
    /// Denies the call or its questions.
    Deny,
    /// They turned to something else: nothing is made, and the tool receives nothing.
    Withdraw,
    /// Answers to its questions, by key.
    Answers(BTreeMap<String, Value>),
}

/// Who decides, and through which client.
#[derive(Clone)]
pub struct Speaker {
    pub caller: Caller,
    pub surface: Surface,
    pub trace: TraceHeaders,
}

impl Calls {
    /// Keeps a call until its person has spoken.
    pub fn hold(&self, wanted: Approval) -> BoxFuture<'_, Result<Approval, Failure>> {
        Box::pin(async move {
            let surface = match wanted.asked_by.starts_with("component:") {
                true => Surface::Component,
                false => Surface::Rest,
            };
            let approval = self.approvals.hold(wanted).await?;
            self.note(&approval, "held", surface);
            Ok(approval)
        })
    }

    /// Whether `caller` may know of `approval`, which is theirs: another client of theirs may have been given more.
    pub fn shows(&self, approval: &Approval, caller: &Caller) -> bool {
        let catalog = self.registry.catalog();
        let offered = catalog.offered_tool(&approval.tool);
        offered.is_none_or(|(owner, tool)| caller.may_call(owner, &tool.name, tool.hints))
    }

    /// Applies a person's decision. An approved call is made once, however often the decision arrives, and completes
    /// even if its client disconnects.
    ///
    /// A decision that no longer fits changes nothing: the approval as it stands says what became of it.
    ///
    /// # Errors
    /// When it answers the questions with the digest `seen`, and they are answered by now.
    pub fn reply<'a>(
        &'a self,
        id: &'a str,
        seen: Option<String>,
        speaker: Speaker,
        reply: Reply,
    ) -> BoxFuture<'a, Result<Approval, Failure>> {
        Box::pin(async move {
            let (calls, id) = (self.clone(), id.to_owned());
            let replying = async move { calls.replied(&id, seen, speaker, reply).await };
            tokio::spawn(replying).await.unwrap_or_else(|_| Err(broken_off()))
        })
    }

    async fn replied(
        &self,
        id: &str,
        seen: Option<String>,
        speaker: Speaker,
        reply: Reply,
    ) -> Result<Approval, Failure> {
        let approvals = &self.approvals;
        let _running = self.keep_open();
        let alone = approvals.claim(id).await.map_err(unwritten)?;
        let principal = speaker.caller.principal.clone();
        let approval = approvals.read(id, &principal).await.map_err(|it| unread(&it))?;
        let approval = approval.filter(|it| self.shows(it, &speaker.caller));
        let mut approval = approval.ok_or_else(unknown_approval)?;
        if seen.is_some_and(|it| approval.state.has_answered(&it)) {
            let message = "These questions were answered before; GET says what became of the call.";
            let failure = Failure::new("answered_already", 409, message);
            return Err(failure.with("state", approval.state.name()));
        }
        let (responses, state) = match (&approval.state, reply) {
            (State::Waits, Reply::Allow) => (BTreeMap::new(), None),
            (State::Waits, Reply::Deny) | (State::Waits | State::Asks { .. }, Reply::Withdraw) => {
                approval.state = State::Denied;
                approvals.put(&approval).await.map_err(unwritten)?;
                self.note(&approval, "denied", speaker.surface);
                return Ok(approval);
            }
            (State::Asks { state, .. }, Reply::Answers(it)) => (it, Some(state.clone())),
            (State::Asks { state, questions }, Reply::Deny) => {
                let keys = questions.iter().filter_map(|it| it["key"].as_str());
                let declined = keys.map(|it| (it.to_owned(), json!({ "action": "decline" })));
                (declined.collect(), Some(state.clone()))
            }
            (State::Replaced { .. }, _) => {
                let current = approvals.current(id, &principal).await.map_err(|it| unread(&it))?;
                return current.ok_or_else(unknown_approval);
            }
            _ => return Ok(approval),
        };
        let now = self.registry.catalog().shown(&approval.tool);
        let now = now.filter(|it| self.may_still_ask(&approval.asked_by, &approval.tool, it));
        let now = now.ok_or_else(|| tool_is_gone(&approval.tool))?;
        let changed = now.changes(&approval.shown);
        if !changed.is_empty() && approval.asks_first {
            // The person allowed something else.
            let wanted = Approval {
                shown: now,
                changed: changed.into_iter().map(str::to_owned).collect(),
                state: State::Waits,
                position: approvals.next_place(),
                ms: None,
                ..approval.clone()
            };
            let replacement = self.hold(wanted).await?;
            approval.state = State::Replaced { by: replacement.id.clone() };
            approvals.put(&approval).await.map_err(unwritten)?;
            return Ok(replacement);
        }
        if state.is_none() {
            // Written down before, so that nothing that comes between makes it happen twice. What only
            // answers questions may be repeated: its state shows whether it has ended.
            approval.state = State::Begun;
            approvals.put_holding(&approval, alone.fence()).await.map_err(unwritten)?;
        }
        let caller = (on_behalf::asked(speaker.caller), speaker.surface);
        let call = approval.request(caller, speaker.trace);
        let call = CallRequest { responses, state, ..call };
        let began = Instant::now();
        let performed = timeout(CALL_MAX, self.perform(call, &now)).await;
        approval.state = performed.unwrap_or(State::Begun);
        approval.expires_at_s = None;
        approval.ms = Some(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        if let Err(error) = approvals.put(&approval).await {
            tracing::error!("what a call came to is not written down: {error}");
        }
        drop(alone);
        Ok(approval)
    }

    /// Makes the call of the tool that was `shown`, to its result or its questions. A question may wait longer
    /// than the state that came with it is valid: it is asked again then.
    pub(super) async fn perform(&self, call: CallRequest, shown: &Shown) -> State {
        let first = call.state.is_some().then(|| CallRequest {
            responses: BTreeMap::new(),
            state: None,
            ..call.clone()
        });
        let mut outcome = self.call_shown(call, shown).await;
        if let (Err(CallError::State(StateError::Expired)), Some(first)) = (&outcome, first) {
            outcome = self.call_shown(first, shown).await;
        }
        State::Ended(match outcome {
            Ok(CallOutcome::Done { component, call_id, output }) => {
                CallResult::from_output(&component, call_id, output)
            }
            Ok(CallOutcome::Passed(it)) => CallResult::passed(&it),
            Ok(CallOutcome::InputRequired { questions, state, .. }) => {
                match questions_of(&questions) {
                    Ok(questions) => return State::Asks { questions, state },
                    Err(failure) => Err(failure),
                }
            }
            Err(error) => Err(error.into()),
        })
    }

    /// One round of the call. A changed tool is not called.
    async fn call_shown(&self, call: CallRequest, shown: &Shown) -> Result<CallOutcome, CallError> {
        let catalog = self.registry.catalog();
        if let Some(now) = catalog.shown(&call.name).filter(|it| it != shown) {
            let message = format!(
                "The tool {} has changed since it was looked at ({}); the call was not made. Look at it again.",
                call.name,
                now.changes(shown).join(", ")
            );
            return Err(refused("tool_changed", 409, message, None));
        }
        self.ask_in::<CallTool>(call, Questions::Answered, catalog).await
    }

    /// Approvals that `wait` depends on and that its caller can be asked about now: ids, each with the digest of the
    /// questions that it asks behind a slash, and questions.
    pub(super) async fn to_approve(
        &self,
        call: &CallRequest,
        asking: Option<&Asking>,
        wait: &Wait,
    ) -> Option<(Vec<String>, InputRequired)> {
        let asking = asking?;
        if !supports_forms(&call.caller.client_capabilities) {
            return None;
        }
        let (mut ids, mut questions) = (Vec::new(), Vec::new());
        for id in asking.held_ids().into_iter().filter(|it| wait.events.contains(&event_of(it))) {
            // One that cannot be read now is not asked about. Its outcome is waited for.
            let approval = self.approvals.get(&id, &call.caller.principal).await.ok().flatten();
            let Some(approval) = approval.filter(|it| it.state.is_open()) else { continue };
            if ids.len() < QUESTIONS_MAX {
                questions.extend(self.questions(&approval, &call.caller));
                ids.push(match approval.state.questions_digest() {
                    Some(digest) => format!("{id}/{digest}"),
                    None => id,
                });
            }
        }
        (!ids.is_empty()).then_some((ids, InputRequired { questions, state: None }))
    }

    /// The questions that a client puts to its person for `approval`.
    fn questions(&self, approval: &Approval, caller: &Caller) -> Vec<Question> {
        let language = Language::detect(caller.locale.as_deref(), "");
        match &approval.state {
            State::Asks { questions, .. } => {
                let question = |value: &Value| {
                    let key = value["key"].as_str().unwrap_or_default();
                    Question {
                        key: format!("{}/{key}", event_of(&approval.id)),
                        message: value["message"].as_str().unwrap_or_default().to_owned(),
                        ask: match value["url"].as_str() {
                            Some(url) => Ask::Url(url.to_owned()),
                            None => Ask::Form(value["schema"].to_string()),
                        },
                        meta: None,
                    }
                };
                questions.iter().map(question).collect()
            }
            _ => {
                let names = language.pick(["許可する", "許可しない"], ["Allow", "Do not allow"]);
                let schema = json!({
                    "type": "object",
                    "properties": { "decision": {
                        "type": "string",
                        "title": language.pick("この呼び出し", "This call"),
                        "enum": ["allow", "deny"],
                        "enumNames": names,
                    } },
                    "required": ["decision"],
                });
                vec![Question {
                    key: event_of(&approval.id),
                    message: approval.described(&self.registry.catalog(), language),
                    ask: Ask::Form(schema.to_string()),
                    meta: None,
                }]
            }
        }
    }

    /// Takes the decisions of a client's person on the approvals that the round before asked for.
    pub(super) async fn answered(&self, call: &CallRequest, approving: &[String]) {
        for approving in approving {
            let asked = approving.split_once('/');
            let (id, seen) = asked.map_or((&**approving, None), |it| (it.0, Some(it.1)));
            let event = event_of(id);
            let of_questions = format!("{event}/");
            let answers: BTreeMap<_, _> = call
                .responses
                .iter()
                .filter_map(|(key, answer)| {
                    Some((key.strip_prefix(&of_questions)?.to_owned(), answer.clone()))
                })
                .collect();
            let reply = match call.responses.get(&event) {
                Some(answer)
                    if answer["action"] == "accept" && answer["content"]["decision"] == "allow" =>
                {
                    Reply::Allow
                }
                Some(_) => Reply::Deny,
                None if answers.is_empty() => continue,
                None => Reply::Answers(answers),
            };
            let (caller, surface, trace) = (call.caller.clone(), call.surface, call.trace.clone());
            if let Err(failure) = self
                .reply(id, seen.map(str::to_owned), Speaker { caller, surface, trace }, reply)
                .await
            {
                tracing::warn!("an approval is not answered: {}", failure.message);
            }
        }
    }

    /// A line of the audit log about a call that was not made.
    fn note(&self, approval: &Approval, outcome: &'static str, surface: Surface) {
        let catalog = self.registry.catalog();
        let served = catalog.served.tool(&approval.tool).map(|it| it.server.clone());
        let component = catalog.component_for(&approval.tool).filter(|_| served.is_none());
        self.watch.audit.write(audit::Line {
            time: SystemTime::now(),
            call: next_call_id(),
            principal: approval.owner.clone(),
            surface: surface.name(),
            era: surface.era(),
            round: 1,
            method: "approvals",
            name: audit::Name::Name(approval.tool.clone()),
            by: audited_owner(component.map(|it| &**it), served.as_deref()),
            arguments: audit::Arguments::digest_long(
                Value::Object(approval.arguments.clone()).to_string(),
            ),
            outcome: outcome.into(),
            trap: None,
            on_behalf: Some(Box::new(audit::OnBehalf {
                asked_by: approval.asked_by.clone(),
                approval: Some(approval.id.as_str().into()),
            })),
            kind: audit::Kind::Ran,
            duration: Duration::ZERO,
        });
    }
}

/// A tool's questions as they are put to the person: each has a form or an address. No client here
/// answers for a client's model or its folders.
pub fn questions_of(questions: &[Question]) -> Result<Vec<Value>, Failure> {
    let put = |asked: &Question| match &asked.ask {
        Ask::Form(schema) => {
            let schema = serde_json::from_str(schema).unwrap_or_else(|_| json!({}));
            Ok(json!({ "key": asked.key, "message": asked.message, "schema": schema }))
        }
        Ask::Url(url) => Ok(json!({ "key": asked.key, "message": asked.message, "url": url })),
        Ask::Sampling(_) | Ask::Roots => {
            let message = "The tool asks for a model or for folders of its client, and there are none here; ask for something else.";
            Err(Failure::new("cannot_ask", 400, message))
        }
    };
    questions.iter().map(put).collect()
}

/// Whether a client with these capabilities, a JSON object, shows forms.
fn supports_forms(capabilities: &str) -> bool {
    let capabilities: Value = serde_json::from_str(capabilities).unwrap_or_default();
    let elicitation = capabilities.get("elicitation");
    elicitation.is_some_and(|it| it.get("form").is_some() || it.get("url").is_none())
}

/// The error for an unknown approval id.
pub fn unknown_approval() -> Failure {
    let message =
        "There is no such approval of yours, or it is too old; GET /api/approvals says which wait.";
    Failure::new("unknown_approval", 404, message)
}

fn tool_is_gone(tool: &str) -> Failure {
    let message = format!("{tool} is no longer offered. The call was not made.");
    Failure::new("unknown_tool", 404, message)
}

fn unwritten(error: std::io::Error) -> Failure {
    tracing::error!("a call that was allowed is not made: {error}");
    let message = "The call was not made, because the server could not write it down. Try later.";
    Failure::new("not_made", 503, message)
}
