//! Clients that put questions or open addresses: the repeated call brings the answer (FORM-11).

use std::time::Duration;

use host::{
    component::{AnswerAction, Ask, Question},
    solo::SoloOutcome,
};
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{PAGE, able, answer, bench, contact, handle, object, open, submit, texts};

const TOOL: &str = "request_form";

fn questions(outcome: SoloOutcome) -> Vec<Question> {
    match outcome {
        SoloOutcome::Asked(questions) => questions,
        other => panic!("it does not ask: {other:?}"),
    }
}

fn form(question: &Question) -> Value {
    let Ask::Form(form) = &question.ask else { panic!("no form") };
    serde_json::from_str(form).unwrap()
}

async fn listed(forms: &Tested) -> Value {
    forms.call("list_form_submissions", json!({})).await["forms"].clone()
}

#[tokio::test]
async fn a_flat_form_is_one_question_and_its_answer_the_result() {
    let forms = open().await;
    forms.speak(able(&json!({ "elicitation": { "form": {} } })));
    let arguments = json!({ "form_schema": contact() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    assert_eq!(asked.len(), 1);
    assert_eq!(form(&asked[0])["required"], json!(["name"]));
    assert_eq!(listed(&forms).await, json!([]), "nothing is kept before the answer");
    let filled = json!({ "name": "三葉", "ok": true });
    let answers = [(&*asked[0].key, AnswerAction::Accept, filled.clone())];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &answers, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    let result = object(&output);
    assert_eq!((&result["status"], &result["values"]), (&json!("submitted"), &filled));
    assert_eq!(result["schema"], contact());
    let listed = listed(&forms).await;
    assert_eq!(listed[0]["handle"], handle(&output), "the operator sees it too");
    assert_eq!(listed[0]["values"], filled);
}

#[tokio::test]
async fn what_is_wrong_is_asked_again() {
    let forms = open().await;
    forms.speak(able(&json!({ "elicitation": {} })));
    let arguments = json!({ "form_schema": contact() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let first = (&*asked[0].key, AnswerAction::Accept, json!({ "name": "" }));
    let (outcome, state) =
        forms.repeat(TOOL, &arguments, std::slice::from_ref(&first), state).await;
    let again = questions(outcome);
    assert_ne!(again[0].key, asked[0].key);
    assert!(again[0].message.contains("お名前は必須です"), "{}", again[0].message);
    let second = (&*again[0].key, AnswerAction::Accept, json!({ "name": "瀧" }));
    let (outcome, _) = forms.repeat(TOOL, &arguments, &[first, second], state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object(&output)["values"]["name"], "瀧");
}

#[tokio::test]
async fn a_question_that_is_declined_or_closed_is_an_answer() {
    let forms = open().await;
    forms.speak(able(&json!({ "elicitation": { "form": {} } })));
    let arguments = json!({ "form_schema": contact() });
    for (action, status) in
        [(AnswerAction::Decline, "declined"), (AnswerAction::Cancel, "cancelled")]
    {
        let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
        let asked = questions(outcome);
        let answers = [(&*asked[0].key, action, Value::Null)];
        let (outcome, _) = forms.repeat(TOOL, &arguments, &answers, state).await;
        let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
        assert_eq!(object(&output)["status"], status);
        assert_eq!(answer(&forms, &handle(&output)).await["status"], status);
    }
}

/// A form that no question can hold.
fn with_file() -> Value {
    json!({ "title": "添付", "fields": [
        { "name": "doc", "type": "file", "label": "添付" },
        { "name": "note", "type": "text", "label": "備考" },
    ] })
}

#[tokio::test]
async fn a_form_with_files_is_behind_an_address_and_waited_for() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "form": {}, "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let Ask::Url(url) = &asked[0].ask else { panic!("no address") };
    let handle = url.strip_prefix(&format!("{PAGE}/f/")).unwrap().to_owned();
    let accepted = [(&*asked[0].key, AnswerAction::Accept, Value::Null)];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state.clone()).await;
    let SoloOutcome::Waits(wait) = outcome else { panic!("{outcome:?}") };
    assert_eq!(wait.events, [format!("form://{handle}")]);
    submit(&forms, &handle, json!({ "note": "なし" })).await;
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    let result = object(&output);
    assert_eq!(result["status"], "submitted");
    assert_eq!(result["values"], json!({ "note": "なし" }));
    assert_eq!(listed(&forms).await.as_array().unwrap().len(), 1, "asked for once");
}

#[tokio::test]
async fn an_address_that_is_declined_declines_the_form_unless_it_was_answered_before() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    for (is_faster, status) in [(false, "declined"), (true, "submitted")] {
        let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
        let asked = questions(outcome);
        let Ask::Url(url) = &asked[0].ask else { panic!("no address") };
        let handle = url.rsplit('/').next().unwrap();
        if is_faster {
            submit(&forms, handle, json!({ "note": "x" })).await;
        }
        let declined = [(&*asked[0].key, AnswerAction::Decline, Value::Null)];
        let (outcome, _) = forms.repeat(TOOL, &arguments, &declined, state).await;
        let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
        assert_eq!(object(&output)["status"], status);
    }
}

#[tokio::test]
async fn where_nobody_may_wait_the_result_says_where_the_form_is() {
    let settings = json!({ "wait_seconds": 0 });
    let forms = bench().page(PAGE).settings(settings).start().await;
    forms.speak(able(&json!({ "elicitation": { "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    forms.pass(Duration::from_secs(1));
    let accepted = [(&*asked[0].key, AnswerAction::Accept, Value::Null)];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object(&output)["status"], "waiting_for_input");
    assert!(texts(&output)[1].contains(&handle(&output)));
}
