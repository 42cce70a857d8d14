//! Clients with elicitation: the repeated call carries the answer (FORM-11).

use std::time::Duration;

use host::component::{AnswerAction, Ask, Question};
use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{PAGE, able, answer, bench, contact, handle, object, open, submit, texts, wrong};

const TOOL: &str = "request_form";

fn questions(outcome: SoloOutcome) -> Vec<Question> {
    match outcome {
        SoloOutcome::InputRequired(questions) => questions,
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
    let listed_first = listed(&forms).await;
    assert_eq!(listed_first[0]["status"], "waiting", "it is there whatever becomes of the call");
    let filled = json!({ "name": "三葉", "ok": true });
    let answers = [(&*asked[0].key, AnswerAction::Accept, filled.clone())];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &answers, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    let result = object(&output);
    assert_eq!((&result["status"], &result["values"]), (&json!("submitted"), &filled));
    assert_eq!(result["schema"], contact());
    let listed = listed(&forms).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["handle"], handle(&output), "the operator sees it too");
    assert_eq!(listed[0]["values"], filled);
}

#[tokio::test]
async fn invalid_answers_are_asked_again() {
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
async fn decline_and_close_are_answers() {
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
async fn form_with_files_uses_an_address_and_is_awaited() {
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
async fn declined_address_declines_the_form_unless_answered_before() {
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
async fn without_waiting_the_result_has_the_forms_address() {
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

/// A chain of fields, each shown once the one before is filled in.
fn chain(length: usize) -> Value {
    let field = |at: usize| match at {
        0 => json!({ "name": "f0", "type": "text" }),
        _ => json!({ "name": format!("f{at}"), "type": "text",
            "showIf": { "field": format!("f{}", at - 1), "filled": true } }),
    };
    json!({ "title": "Chain", "fields": (0..length).map(field).collect::<Vec<_>>() })
}

/// Rounds in which a call may ask before the official SDKs give it up.
const SDK_ROUNDS_MAX: usize = 10;

/// Answers each question by `content` until the call ends: its result, and how often it asked.
async fn answered_by(
    forms: &Tested,
    form: &Value,
    content: impl Fn(&Question) -> Value,
) -> (host::component::Output, usize) {
    let arguments = json!({ "form_schema": form });
    let (mut state, mut rounds) = (None, 0);
    let mut keys: Vec<(String, Value)> = Vec::new();
    loop {
        let answers = keys.iter().map(|(key, it)| (key.as_str(), AnswerAction::Accept, it.clone()));
        let answers: Vec<_> = answers.collect();
        let (outcome, next) = forms.repeat(TOOL, &arguments, &answers, state).await;
        match outcome {
            SoloOutcome::Done(output) => return (output, rounds),
            SoloOutcome::InputRequired(asked) => {
                rounds += 1;
                assert!(rounds <= SDK_ROUNDS_MAX, "it asks too often");
                let given = content(&asked[0]);
                keys.push((asked[0].key.clone(), given));
                state = next;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// One that never fits.
fn late(question: &Question) -> Value {
    match &question.ask {
        Ask::Form(_) => json!({ "name": "三葉", "day": "someday" }),
        _ => Value::Null,
    }
}

#[tokio::test]
async fn keeps_draft_when_rounds_are_used_up() {
    let form = json!({ "title": "日程", "fields": [
        { "name": "name", "type": "text", "label": "お名前" },
        { "name": "day", "type": "date", "label": "日付", "required": true },
        { "name": "hour", "type": "select", "options": ["am", "pm"], "default": "pm",
          "showIf": { "field": "day", "filled": true } },
    ] });
    let waits = json!({ "wait_seconds": 0 });
    for capabilities in [json!({ "form": {} }), json!({ "form": {}, "url": {} })] {
        let forms = bench().page(PAGE).settings(waits.clone()).start().await;
        forms.speak(able(&json!({ "elicitation": capabilities })));
        let (output, _) = answered_by(&forms, &form, late).await;
        assert_eq!(object(&output)["status"], "waiting_for_input");
        let handle = handle(&output);
        let text = texts(&output).join("\n");
        assert!(text.contains(&handle) && text.contains(&format!("{PAGE}/f/{handle}")), "{text}");
        let open = forms.call("open_form", json!({ "handle": handle })).await;
        let draft = json!({ "name": "三葉", "day": "someday", "hour": "pm" });
        assert_eq!(open["draft"], draft, "what was not asked for holds what it does at first");
        assert_eq!(listed(&forms).await[0]["handle"], handle);
        submit(&forms, &handle, json!({ "name": "三葉", "day": "2026-11-20" })).await;
        assert_eq!(answer(&forms, &handle).await["status"], "submitted");
    }
}

#[tokio::test]
async fn asks_at_most_ten_times_however_deep_a_form_is() {
    let waits = json!({ "wait_seconds": 0 });
    let fill = |question: &Question| match &question.ask {
        Ask::Form(_) => {
            let properties = form(question)["properties"].as_object().unwrap().clone();
            properties
                .keys()
                .map(|it| (it.clone(), json!("x")))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        _ => Value::Null,
    };
    for length in [1, 9, 10, 12, 18] {
        let forms = bench().page(PAGE).settings(waits.clone()).start().await;
        for capabilities in [json!({ "form": {} }), json!({ "form": {}, "url": {} })] {
            forms.speak(able(&json!({ "elicitation": capabilities })));
            let (output, rounds) = answered_by(&forms, &chain(length), fill).await;
            let (status, asked) = match length {
                1..=9 => ("submitted", length),
                _ => ("waiting_for_input", usize::from(capabilities["url"].is_object())),
            };
            assert_eq!((&object(&output)["status"], rounds), (&json!(status), asked), "{length}");
        }
    }
}

#[tokio::test]
async fn an_answer_on_the_page_ends_the_questions() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "form": {} } })));
    let arguments = json!({ "form_schema": contact() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let handle = listed(&forms).await[0]["handle"].as_str().unwrap().to_owned();
    submit(&forms, &handle, json!({ "name": "瀧" })).await;
    let late = [(&*asked[0].key, AnswerAction::Accept, json!({ "name": "三葉" }))];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &late, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object(&output)["values"]["name"], "瀧");
}

#[tokio::test]
async fn waits_for_a_page_shorter_than_clients_do() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let accepted = [(&*asked[0].key, AnswerAction::Accept, Value::Null)];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state).await;
    let SoloOutcome::Waits(wait) = outcome else { panic!("{outcome:?}") };
    assert_eq!(wait.until.seconds, 1_795_168_800 + 25);
}

#[tokio::test]
async fn rejects_options_that_cannot_be_loaded() {
    let origins = json!({ "origins": { "https://api.example.com": "demo" } });
    let forms = bench().settings(origins).start().await;
    let handle = super::ask(&forms, &tests::forms::example(3)).await;
    for (values, field) in [
        (json!({ "country": "XX" }), "country"),
        (json!({ "country": "US", "prefecture": "13" }), "prefecture"),
        (json!({ "country": "JP", "prefecture": "14", "city": "13101" }), "city"),
        (json!({ "prefecture": "13" }), "prefecture"),
        (json!({ "country": "JP", "city": "13101" }), "city"),
    ] {
        let wrong = wrong(&forms, &handle, values.clone()).await;
        assert_eq!(wrong.iter().map(|it| &*it.0).collect::<Vec<_>>(), [field], "{values}");
        let checked = json!({ "handle": handle, "values": values });
        assert_eq!(forms.call("validate_form_submission", checked).await["valid"], false);
    }
    submit(&forms, &handle, json!({ "country": "JP", "prefecture": "13", "city": "13101" })).await;
}
