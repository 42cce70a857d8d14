//! Continues from a turn in which calls wait: collects their results from the host's approvals and the
//! person's input, and keeps those that still wait.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use output::form::{self, Form, Today, Values};
use serde_json::{Value, json};
use toolkit::{
    assistants::running::{self, Approval, Outcome, Standing},
    clock::now_s,
};

use super::request::ChatInput;
use crate::{
    Answered, Assistant, Body, CallOutcome, EventSink, Failure, Image, Language, Part, PendingCall,
    ToolResult, Wait, call, images_of,
    run::{ms, notify_ended, request},
    turns::SavedTurn,
};

/// State of the calls that waited.
pub(super) struct Resumed {
    /// Calls that no longer wait and the others of their turn, in its order.
    pub(super) answered: Vec<Answered>,
    pub(super) waiting: Vec<PendingCall>,
    /// Durations of the calls made meanwhile.
    pub(super) ms: BTreeMap<String, u64>,
}

/// Continues the pending calls of a turn.
pub(super) struct Resumption<'a> {
    pub(super) assistant: &'a Assistant,
    pub(super) input: &'a ChatInput,
    pub(super) sink: &'a EventSink,
    pub(super) language: Language,
}

impl Resumption<'_> {
    /// Resolves every pending call as far as it is answered; waits for running ones until `patience` is over.
    pub(super) fn run(&self, saved: SavedTurn, patience: Duration) -> Resumed {
        let until = Instant::now() + patience;
        let submits = saved.waiting.iter().any(|it| matches!(it.wait, Wait::Form { .. }));
        let held = saved.waiting.iter().filter(|it| !it.approval.is_empty());
        let ids: Vec<_> = held.map(|it| it.approval.clone()).collect();
        let stand = running::approvals(&self.assistant.name, &ids, ms(patience));
        let mut stand: BTreeMap<_, _> = ids.into_iter().zip(stand).collect();
        let mut resumed =
            Resumed { answered: saved.answered, waiting: Vec::new(), ms: BTreeMap::new() };
        for waiting in saved.waiting {
            let approval = stand.remove(&waiting.approval).flatten();
            let (outcome, took_ms) = self.resume_call(&waiting, approval, (submits, until));
            resumed.ms.extend(took_ms.map(|it| (waiting.call.id.clone(), it)));
            match outcome {
                None => resumed.waiting.push(waiting),
                Some(CallOutcome::Done(it)) => resumed.answered.push(it),
                // It asks for something else now.
                Some(CallOutcome::Pending(it)) => resumed.waiting.push(it),
            }
        }
        let place = |it: &Answered| saved.order.iter().position(|id| *id == it.call.id);
        resumed.answered.sort_by_key(place);
        resumed
    }

    /// Resolves one call; `None` if it still waits.
    fn resume_call(
        &self,
        waiting: &PendingCall,
        approval: Option<Approval>,
        (submits, until): (bool, Instant),
    ) -> (Option<CallOutcome>, Option<u64>) {
        let call = &waiting.call;
        let says = !self.input.message.is_empty();
        let back =
            |result: &ToolResult| Some(CallOutcome::Done(Answered::new(call, result.clone())));
        match &waiting.wait {
            Wait::Form { result } if says => {
                let language =
                    self.language.pick(form::Language::Japanese, form::Language::English);
                (back(&with_form_errors(result, &self.input.message, language)), None)
            }
            Wait::Form { .. } => (None, None),
            Wait::Choice { result } => match &self.input.selected {
                Some(selected) => (back(&keep_selected(result, selected)), None),
                None if says => (back(result), None),
                None => (None, None),
            },
            Wait::Approval | Wait::Answers { .. } => {
                let Some(approval) = approval else {
                    return (self.call_again(waiting, until), None);
                };
                let is_open = matches!(approval.standing, Standing::Waits | Standing::Asks);
                if is_open && !self.is_offered(&call.name) {
                    running::withdraw(&self.assistant.name, &approval.id);
                    return (
                        Some(CallOutcome::Done(Answered::failed(call, tool_withdrawn(&call.name)))),
                        None,
                    );
                }
                // Another message is no approval. A filled-in form does not answer an approval either.
                if is_open && says && !submits {
                    running::withdraw(&self.assistant.name, &approval.id);
                    return (Some(CallOutcome::Done(Answered::failed(call, not_answered()))), None);
                }
                let (outcome, took_ms) = self.assistant.approval_outcome(call, approval);
                if let Some(ms) = took_ms {
                    notify_ended(call, &outcome, ms, self.language, self.sink);
                }
                (Some(outcome), took_ms)
            }
        }
    }

    fn is_offered(&self, tool: &str) -> bool {
        self.assistant.offers().iter().any(|it| it.name == tool)
    }

    /// Repeats a call whose approval has expired; the host asks the person again.
    fn call_again(&self, waiting: &PendingCall, until: Instant) -> Option<CallOutcome> {
        let call = &waiting.call;
        if !self.is_offered(&call.name) {
            return Some(CallOutcome::Done(Answered::failed(call, tool_withdrawn(&call.name))));
        }
        let calls = running::call(&self.assistant.name, &[request(call)], &self.assistant.manner);
        let outcome = calls.next(ms(until.saturating_duration_since(Instant::now())))?;
        match outcome.outcome {
            Outcome::Held(it) => Some(self.assistant.approval_outcome(call, it).0),
            outcome => Some(self.assistant.outcome(call, outcome)),
        }
    }
}

/// Keeps only the chosen pictures of `result`, and adds the person's own.
fn keep_selected(result: &ToolResult, selected: &[Image]) -> ToolResult {
    let ToolResult::Output { structured, meta, content } = result else { return result.clone() };
    let is_chosen = |data: &str| selected.iter().any(|it| *it.data == *data);
    let keeps = |part: &&Part| match &part.body {
        Body::Image(it) => is_chosen(&it.data),
        Body::Text(_) => true,
    };
    let is_own = |it: &&Image| !images_of(content).any(|own| own.data == it.data);
    let own = selected.iter().filter(is_own).cloned().map(Part::image);
    let content: Vec<_> = content.iter().filter(keeps).cloned().chain(own).collect();
    let mut structured = structured.clone();
    for list in structured.as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
        let Some(list) = list.as_array_mut() else { continue };
        list.retain(|it| it["data"].as_str().is_none_or(is_chosen));
    }
    if structured["data"].as_str().is_some_and(|it| !is_chosen(it)) {
        structured = Value::Object(Default::default());
    }
    ToolResult::Output { structured, meta: meta.clone(), content }
}

fn not_answered() -> Failure {
    let message =
        "The person did not answer, and says something else instead. The call was not made.";
    Failure::not_made(call::NOT_ALLOWED, 403, message)
}

fn tool_withdrawn(tool: &str) -> Failure {
    Failure::not_made(
        call::UNKNOWN_TOOL,
        404,
        format!("{tool} is no longer offered. The call was not made."),
    )
}

// A form whose values come as the next message (FORM-5) is validated here, because a message may come
// from elsewhere than the form's own page (FORM-10).

/// Maximum number of errors of one form that the model receives.
const FAULTS_MAX: usize = 50;

/// Adds `errors` to the form's result if the values in `message` do not fit. A message that is no JSON
/// object is ordinary text.
fn with_form_errors(result: &ToolResult, message: &str, language: form::Language) -> ToolResult {
    let mut result = result.clone();
    if let ToolResult::Output { structured, .. } = &mut result
        && let Ok(values) = serde_json::from_str::<Values>(message)
        && let Some(errors) = form_errors(&structured["schema"], &values, language)
        && let Some(members) = structured.as_object_mut()
    {
        members.insert("errors".to_owned(), errors);
    }
    result
}

/// Validation errors by field; `None` if all values fit.
fn form_errors(schema: &Value, values: &Values, language: form::Language) -> Option<Value> {
    let faults = Form::read(schema).ok()?.check(values, Today::anywhere(now_s())).err()?;
    let error = |it: &form::Fault| json!({ "field": it.field, "message": it.message(language) });
    Some(faults.iter().take(FAULTS_MAX).map(error).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keeps_chosen_and_added_pictures() {
        let image = |data: &str| Image { mime_type: "image/png".to_owned(), data: data.into() };
        let content = vec![Part::text("2"), Part::image(image("AA==")), Part::image(image("AQ=="))];
        let structured = json!({ "all": [{ "data": "AA==" }, { "data": "AQ==" }], "n": 2 });
        let result = ToolResult::Output { structured, meta: json!({}), content };
        let chosen = keep_selected(&result, &[image("AQ=="), image("Ag==")]);
        let ToolResult::Output { structured, content, .. } = chosen else { panic!() };
        let data: Vec<_> = images_of(&content).map(|it| &*it.data).collect();
        assert_eq!((data, content.len()), (vec!["AQ==", "Ag=="], 3), "ILL-45");
        assert_eq!(structured, json!({ "all": [{ "data": "AQ==" }], "n": 2 }), "ILL-45");
    }

    fn errors_of(message: &str) -> Value {
        let schema = json!({ "title": "表", "fields": [
            { "name": "n", "type": "number", "label": "人数", "min": 1, "required": true },
        ] });
        let structured = json!({ "type": "form_request", "schema": schema });
        let result = ToolResult::Output { structured, meta: json!({}), content: Vec::new() };
        match with_form_errors(&result, message, form::Language::Japanese) {
            ToolResult::Output { structured, .. } => structured["errors"].clone(),
            ToolResult::Failed(failure) => panic!("{failure:?}"),
        }
    }

    #[test]
    fn reports_invalid_form_values_to_the_model() {
        let wrong = json!([{ "field": "n", "message": "人数は1以上で入力してください" }]);
        assert_eq!(errors_of(r#"{ "n": 0 }"#), wrong);
        assert_eq!(errors_of("{}"), json!([{ "field": "n", "message": "人数は必須です" }]));
    }

    #[test]
    fn passes_valid_values_and_other_messages() {
        for message in [r#"{ "n": 2 }"#, "フォーム入力をキャンセルしました。", "[1]", "2"]
        {
            assert_eq!(errors_of(message), Value::Null, "{message}");
        }
    }
}
