//! The stored form of a task: its call, its state, and the messages that clients get.

use std::{collections::BTreeMap, sync::Arc};

use rmcp::{
    ErrorData,
    model::{
        CallToolResult, DetailedTask, InputRequests, InputRequiredResult, Task, TaskPayload,
        TaskStatus,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use base::call::CallRequest;

/// Poll interval for clients in milliseconds.
pub(super) const POLL_INTERVAL_MS: u64 = 1_000;

/// A call that became a task, or what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) id: String,
    /// Owning principal.
    pub(super) owner: Arc<str>,
    pub(super) tool: String,
    /// A JSON object, as is the request's `_meta`.
    arguments: String,
    meta: String,
    /// In milliseconds since 1970.
    pub(super) created_ms: u64,
    pub(super) updated_ms: u64,
    /// The keys of all questions so far: none comes twice.
    keys: Vec<String>,
    pub(super) standing: Standing,
}

/// State of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Standing {
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
pub(super) struct Given {
    responses: BTreeMap<String, Value>,
    state: Option<String>,
    /// Whether it waits, without an instance: then it may be made again from `state`, whatever the tool does.
    pub(super) is_paused: bool,
}

/// A question that is open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Open {
    component_key: String,
    request: Value,
}

impl Given {
    /// Inputs of the round of `call`.
    pub(super) fn from_call(call: &CallRequest) -> Self {
        let (responses, state) = (call.responses.clone(), call.state.clone());
        Self { responses, state, is_paused: false }
    }

    /// Inputs of a round resumed from `state`.
    pub(super) fn from(state: String, is_paused: bool) -> Self {
        Self { responses: BTreeMap::new(), state: Some(state), is_paused }
    }
}

impl Standing {
    /// Whether nothing will change any more.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::Failed(_) | Self::Cancelled)
    }

    pub(super) fn completed(result: &CallToolResult) -> Self {
        match serde_json::to_value(result) {
            Ok(result) => Self::Completed(result),
            Err(error) => Self::failed(&ErrorData::internal_error(error.to_string(), None)),
        }
    }

    pub(super) fn failed(error: &ErrorData) -> Self {
        Self::Failed(serde_json::to_value(error).unwrap_or_default())
    }
}

impl Document {
    /// The task that the round of `call` becomes.
    pub(super) fn from_call(id: String, call: &CallRequest, given: Given, now_ms: u64) -> Self {
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
    pub(super) fn call(&self, given: &Given, of: CallRequest) -> CallRequest {
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
    pub(super) fn ask(&mut self, asked: InputRequiredResult) {
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
    pub(super) fn answer(&mut self, answers: BTreeMap<String, Value>) -> bool {
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
    pub(super) fn approvals(&self) -> Vec<String> {
        let Standing::InputRequired { questions, .. } = &self.standing else { return Vec::new() };
        let id = |open: &Open| {
            let rest = open.component_key.strip_prefix("approvals/")?;
            Some(rest.split('/').next().unwrap_or(rest).to_owned())
        };
        questions.values().map(id).collect::<Option<_>>().unwrap_or_default()
    }

    /// Starts the next round with the answers, if any. Returns whether there is one.
    pub(super) fn next_round(&mut self) -> bool {
        let Standing::InputRequired { responses, state, .. } = &mut self.standing else {
            return false;
        };
        let (responses, state) = (std::mem::take(responses), Some(std::mem::take(state)));
        self.standing = Standing::Working(Given { responses, state, is_paused: false });
        true
    }

    /// The task as created, for the response to its call.
    pub(super) fn seed(&self, ttl_ms: u64) -> Task {
        self.task(ttl_ms, None)
    }

    /// The task for clients, with its current message.
    pub(super) fn detailed(&self, ttl_ms: u64, message: Option<String>) -> DetailedTask {
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
        let caller = (Caller::anonymous(), base::call::Surface::Mcp);
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
