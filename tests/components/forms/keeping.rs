//! Retention and limits of stored forms.

use std::time::Duration;

use serde_json::json;

use super::{answer, ask, bench, caller, contact, open, refused, submit};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn unanswered_form_goes_after_30_days_and_answers_after_90() {
    let forms = open().await;
    let answered = ask(&forms, &contact()).await;
    submit(&forms, &answered, json!({ "name": "三葉" })).await;
    let waiting = ask(&forms, &contact()).await;
    forms.pass(DAY * 29);
    forms.run_schedule().await.unwrap();
    assert_eq!(answer(&forms, &waiting).await["status"], "waiting");
    forms.pass(DAY * 2);
    forms.published();
    forms.run_schedule().await.unwrap();
    let list = "form://submissions.csv".to_owned();
    assert_eq!(forms.published(), [format!("form://{waiting}"), list]);
    let gone = refused(&forms, "get_form_submission", json!({ "handle": waiting })).await;
    assert_eq!(gone, ("not_found".into(), 404));
    assert_eq!(answer(&forms, &answered).await["status"], "submitted");
    forms.pass(DAY * 60);
    forms.run_schedule().await.unwrap();
    let gone = refused(&forms, "get_form_submission", json!({ "handle": answered })).await;
    assert_eq!(gone, ("not_found".into(), 404), "nobody is told that it ever was");
}

#[tokio::test]
async fn operator_sets_retention_and_invalid_values_are_rejected() {
    let forms = bench().settings(json!({ "wait_days": 1, "keep_days": 2 })).start().await;
    let waiting = ask(&forms, &contact()).await;
    let answered = ask(&forms, &contact()).await;
    submit(&forms, &answered, json!({ "name": "三葉" })).await;
    forms.pass(DAY + Duration::from_secs(1));
    forms.run_schedule().await.unwrap();
    refused(&forms, "open_form", json!({ "handle": waiting })).await;
    forms.call("open_form", json!({ "handle": answered })).await;
    for (name, value) in [
        ("keep_days", json!(0)),
        ("keep_days", json!("long")),
        ("wait_days", json!(100_000)),
        ("wait_seconds", json!(601)),
    ] {
        let error = bench().settings(json!({ name: value })).try_start().await.err().unwrap();
        assert!(error.contains(name), "{error}");
    }
}

#[tokio::test]
async fn principal_may_have_1000_waiting_forms_not_counting_others() {
    let forms = open().await;
    let mut last = String::new();
    for _ in 0..1_000 {
        last = ask(&forms, &contact()).await;
    }
    let one_more = json!({ "form_schema": contact() });
    let failure = refused(&forms, "request_form", one_more).await;
    assert_eq!(failure, ("too_many_forms".into(), 429));
    forms.speak(caller("bob", &[]));
    submit(&forms, &last, json!({ "name": "who has the handle" })).await;
    ask(&forms, &contact()).await;
    forms.speak(host::caller::Caller::anonymous());
    ask(&forms, &contact()).await;
}

/// A form whose definition has about so many kilobytes.
fn large(kilobytes: usize) -> serde_json::Value {
    let mut form = contact();
    form["description"] = json!("x".repeat(200));
    let options: Vec<_> = (0..kilobytes * 4)
        .map(|at| json!({ "value": format!("{at:04}"), "label": "x".repeat(225) }))
        .collect();
    form["fields"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "choice", "type": "select", "label": "Choice", "options": options }));
    form
}

#[tokio::test]
async fn each_caller_takes_at_most_a_share_of_the_room() {
    let forms = open().await;
    forms.speak(caller("mallory", &[]));
    let form = large(200);
    let mut handles = Vec::new();
    let failure = loop {
        let asked = json!({ "form_schema": form });
        match forms.round("request_form", asked, json!({})).await {
            workbench::solo::SoloOutcome::Failed(failure) => break failure,
            _ if handles.len() > 400 => panic!("there is no end"),
            _ => handles.push(()),
        }
    };
    assert!((100..200).contains(&handles.len()), "{} forms of 200 KiB", handles.len());
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_many_forms"), &json!(429)));
    assert!(failure["message"].as_str().unwrap().contains("close_form"), "{failure}");
    assert_eq!(failure["data"]["bytes_max"], 32 << 20, "{failure}");
    forms.speak(caller("bob", &[]));
    let other = ask(&forms, &form).await;
    submit(&forms, &other, json!({ "name": "三葉" })).await;
}

#[tokio::test]
async fn closed_unanswered_forms_make_room() {
    let forms = open().await;
    forms.speak(caller("mallory", &[]));
    let form = large(200);
    let mut handles = Vec::new();
    for _ in 0..150 {
        handles.push(ask(&forms, &form).await);
    }
    for handle in &handles {
        forms.call("close_form", json!({ "handle": handle, "action": "cancel" })).await;
    }
    let mut again = 0;
    while again < 20 {
        let asked = json!({ "form_schema": form });
        if let workbench::solo::SoloOutcome::Failed(_) =
            forms.round("request_form", asked, json!({})).await
        {
            break;
        }
        again += 1;
    }
    assert!(again < 20, "closed a moment ago, they can be taken up again");
    forms.pass(Duration::from_secs(601));
    ask(&forms, &form).await;
}
