//! How much is kept, and for how long.

use std::time::Duration;

use serde_json::json;

use super::{answer, ask, bench, contact, known, open, refused, submit};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn what_nobody_answers_goes_after_thirty_days_and_answers_after_ninety() {
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
    assert_eq!(forms.published(), [format!("form://{waiting}")]);
    let gone = refused(&forms, "get_form_submission", json!({ "handle": waiting })).await;
    assert_eq!(gone, ("not_found".into(), 404));
    assert_eq!(answer(&forms, &answered).await["status"], "submitted");
    forms.pass(DAY * 60);
    forms.run_schedule().await.unwrap();
    let gone = refused(&forms, "get_form_submission", json!({ "handle": answered })).await;
    assert_eq!(gone, ("not_found".into(), 404), "nobody is told that it ever was");
}

#[tokio::test]
async fn the_operator_says_how_long_and_what_makes_no_sense_is_refused() {
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
async fn a_thousand_forms_of_one_principal_may_wait_and_another_ones_are_not_counted() {
    let forms = open().await;
    let mut last = String::new();
    for _ in 0..1_000 {
        last = ask(&forms, &contact()).await;
    }
    let one_more = json!({ "form_schema": contact() });
    let failure = refused(&forms, "request_form", one_more).await;
    assert_eq!(failure, ("too_many_forms".into(), 429));
    forms.speak(known("bob", &[]));
    submit(&forms, &last, json!({ "name": "who has the handle" })).await;
    ask(&forms, &contact()).await;
    forms.speak(host::caller::Caller::anonymous());
    ask(&forms, &contact()).await;
}
