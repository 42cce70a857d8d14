//! Going on from a turn in which calls wait: the model receives what they came to, as the person has answered the host
//! or filled in a form; what is not answered is asked again.

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

use super::request::Asked;
use crate::{
    Answered, Assistant, Body, Came, Failure, Held, Image, Language, Part, Teller, ToolResult,
    Wait, images_of,
    run::{ms, request, tell_ended},
    turns::Kept,
};

/// What the calls that waited came to.
pub(super) struct GoneOn {
    /// Those that wait no longer, and those of their turn that never did, in the order of that turn.
    pub(super) answered: Vec<Answered>,
    pub(super) waiting: Vec<Held>,
    /// How long those took that were made meanwhile.
    pub(super) ms: BTreeMap<String, u64>,
}

/// What goes on, and with what.
pub(super) struct GoingOn<'a> {
    pub(super) assistant: &'a Assistant,
    pub(super) asked: &'a Asked,
    pub(super) teller: &'a Teller,
    pub(super) language: Language,
}

impl GoingOn<'_> {
    /// All that waits, as far as it is answered; a call that is being made is waited for as long as that.
    pub(super) fn go(&self, kept: Kept, patience: Duration) -> GoneOn {
        let until = Instant::now() + patience;
        let submits = kept.waiting.iter().any(|it| matches!(it.wait, Wait::Form { .. }));
        let held = kept.waiting.iter().filter(|it| !it.approval.is_empty());
        let ids: Vec<_> = held.map(|it| it.approval.clone()).collect();
        let stand = running::approvals(&self.assistant.name, &ids, ms(patience));
        let mut stand: BTreeMap<_, _> = ids.into_iter().zip(stand).collect();
        let mut gone = GoneOn { answered: kept.answered, waiting: Vec::new(), ms: BTreeMap::new() };
        for waiting in kept.waiting {
            let approval = stand.remove(&waiting.approval).flatten();
            let (came, took_ms) = self.one(&waiting, approval, (submits, until));
            gone.ms.extend(took_ms.map(|it| (waiting.call.id.clone(), it)));
            match came {
                None => gone.waiting.push(waiting),
                Some(Came::Back(it)) => gone.answered.push(it),
                // It asks for something else now.
                Some(Came::Held(it)) => gone.waiting.push(it),
            }
        }
        let place = |it: &Answered| kept.order.iter().position(|id| *id == it.call.id);
        gone.answered.sort_by_key(place);
        gone
    }

    /// One of them; nothing, where it is to be asked again.
    fn one(
        &self,
        waiting: &Held,
        approval: Option<Approval>,
        (submits, until): (bool, Instant),
    ) -> (Option<Came>, Option<u64>) {
        let call = &waiting.call;
        let says = !self.asked.message.is_empty();
        let back = |result: &ToolResult| Some(Came::Back(Answered::new(call, result.clone())));
        match &waiting.wait {
            Wait::Form { result } if says => {
                let language =
                    self.language.pick(form::Language::Japanese, form::Language::English);
                (back(&checked(result, &self.asked.message, language)), None)
            }
            Wait::Form { .. } => (None, None),
            Wait::Choice { result } => match &self.asked.selected {
                Some(selected) => (back(&chosen(result, selected)), None),
                None if says => (back(result), None),
                None => (None, None),
            },
            Wait::Approval | Wait::Answers { .. } => {
                let Some(approval) = approval else { return (self.anew(waiting, until), None) };
                let is_open = matches!(approval.standing, Standing::Waits | Standing::Asks);
                if is_open && !self.is_offered(&call.name) {
                    running::withdraw(&self.assistant.name, &approval.id);
                    return (Some(Came::Back(Answered::failed(call, no_longer(&call.name)))), None);
                }
                // To say something else instead is no leave; a form that is filled in is no answer to this.
                if is_open && says && !submits {
                    running::withdraw(&self.assistant.name, &approval.id);
                    return (Some(Came::Back(Answered::failed(call, passed_over()))), None);
                }
                let (came, took_ms) = self.assistant.stands(call, approval);
                if let Some(it) = took_ms {
                    tell_ended(call, &came, it, self.teller);
                }
                (Some(came), took_ms)
            }
        }
    }

    fn is_offered(&self, tool: &str) -> bool {
        self.assistant.offers().iter().any(|it| it.name == tool)
    }

    /// One whose approval is too old: it is called again, which asks the person again.
    fn anew(&self, waiting: &Held, until: Instant) -> Option<Came> {
        let call = &waiting.call;
        if !self.is_offered(&call.name) {
            return Some(Came::Back(Answered::failed(call, no_longer(&call.name))));
        }
        let calls = running::call(&self.assistant.name, &[request(call)], &self.assistant.manner);
        let ended = calls.next(ms(until.saturating_duration_since(Instant::now())))?;
        match ended.outcome {
            Outcome::Held(it) => Some(self.assistant.stands(call, it).0),
            outcome => Some(self.assistant.came(call, outcome)),
        }
    }
}

/// `result` with those pictures only that the person chose; one that it did not have is theirs, and
/// comes along.
fn chosen(result: &ToolResult, selected: &[Image]) -> ToolResult {
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

fn passed_over() -> Failure {
    let message =
        "The person did not answer, and says something else instead. The call was not made.";
    Failure::new("not_allowed", 403, message)
}

fn no_longer(tool: &str) -> Failure {
    Failure::new(
        "unknown_tool",
        404,
        format!("{tool} is no longer offered. The call was not made."),
    )
}

// A form whose answer is the next message (FORM-5): its values are held against it here, for a message may come from
// elsewhere than the form's own page (FORM-10).

/// Faults of one answer that the model is told.
const FAULTS_MAX: usize = 50;

/// The form's result, with what of the values in `message` does not fit it as `errors`. What is no JSON object is
/// something that the person says instead.
fn checked(result: &ToolResult, message: &str, language: form::Language) -> ToolResult {
    let mut result = result.clone();
    if let ToolResult::Output { structured, .. } = &mut result
        && let Ok(values) = serde_json::from_str::<Values>(message)
        && let Some(errors) = errors(&structured["schema"], &values, language)
        && let Some(members) = structured.as_object_mut()
    {
        members.insert("errors".to_owned(), errors);
    }
    result
}

/// What does not fit, field by field; none where all of it does.
fn errors(schema: &Value, values: &Values, language: form::Language) -> Option<Value> {
    let faults = Form::read(schema).ok()?.check(values, Today::anywhere(now_s())).err()?;
    let told = |it: &form::Fault| json!({ "field": it.field, "message": it.message(language) });
    Some(faults.iter().take(FAULTS_MAX).map(told).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_chosen_stays_and_the_persons_own_comes_along() {
        let image = |data: &str| Image { mime_type: "image/png".to_owned(), data: data.into() };
        let content = vec![Part::text("2"), Part::image(image("AA==")), Part::image(image("AQ=="))];
        let structured = json!({ "all": [{ "data": "AA==" }, { "data": "AQ==" }], "n": 2 });
        let result = ToolResult::Output { structured, meta: json!({}), content };
        let chosen = chosen(&result, &[image("AQ=="), image("Ag==")]);
        let ToolResult::Output { structured, content, .. } = chosen else { panic!() };
        let data: Vec<_> = images_of(&content).map(|it| &*it.data).collect();
        assert_eq!((data, content.len()), (vec!["AQ==", "Ag=="], 3), "ILL-45");
        assert_eq!(structured, json!({ "all": [{ "data": "AQ==" }], "n": 2 }), "ILL-45");
    }

    fn told(message: &str) -> Value {
        let schema = json!({ "title": "表", "fields": [
            { "name": "n", "type": "number", "label": "人数", "min": 1, "required": true },
        ] });
        let structured = json!({ "type": "form_request", "schema": schema });
        let result = ToolResult::Output { structured, meta: json!({}), content: Vec::new() };
        match checked(&result, message, form::Language::Japanese) {
            ToolResult::Output { structured, .. } => structured["errors"].clone(),
            ToolResult::Failed(failure) => panic!("{failure:?}"),
        }
    }

    #[test]
    fn values_that_do_not_fit_the_form_are_told_the_model() {
        let wrong = json!([{ "field": "n", "message": "人数は1以上で入力してください" }]);
        assert_eq!(told(r#"{ "n": 0 }"#), wrong);
        assert_eq!(told("{}"), json!([{ "field": "n", "message": "人数は必須です" }]));
    }

    #[test]
    fn values_that_fit_and_what_is_said_instead_pass() {
        for message in [r#"{ "n": 2 }"#, "フォーム入力をキャンセルしました。", "[1]", "2"]
        {
            assert_eq!(told(message), Value::Null, "{message}");
        }
    }
}
