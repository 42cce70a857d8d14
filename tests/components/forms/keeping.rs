//! Stored forms: retention, limits, and the list of them.

use std::time::Duration;

use host::component::ResourceBody;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{able, answer, ask, bench, caller, close, contact, open, page, refused, submit};

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
fn large(kilobytes: usize) -> Value {
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

// The list of forms, as a page and as CSV.

async fn list(forms: &Tested, arguments: Value) -> Vec<String> {
    let listed = forms.call("list_form_submissions", arguments).await;
    let listed = listed["forms"].as_array().unwrap().iter();
    listed.map(|it| it["handle"].as_str().unwrap().to_owned()).collect()
}

async fn csv(forms: &Tested, uri: &str) -> String {
    let mut contents = forms.read(uri).await.unwrap();
    assert_eq!(contents[0].mime_type.as_deref(), Some("text/csv;charset=utf-8"));
    let ResourceBody::Text(text) = contents.remove(0).body else { panic!("no text") };
    text
}

#[tokio::test]
async fn list_is_newest_first_in_pages_of_fifty() {
    let forms = open().await;
    let mut handles = Vec::new();
    for _ in 0..60 {
        handles.push(ask(&forms, &contact()).await);
        forms.pass(Duration::from_millis(1));
    }
    handles.reverse();
    let first = forms.call("list_form_submissions", json!({})).await;
    let cursor = first["next_cursor"].clone();
    assert_eq!(list(&forms, json!({})).await, handles[..50]);
    assert_eq!(list(&forms, json!({ "cursor": cursor })).await, handles[50..]);
    let last = forms.call("list_form_submissions", json!({ "cursor": cursor })).await;
    assert_eq!(last.get("next_cursor"), None);
    let wrong = json!({ "cursor": "behind the last" });
    assert_eq!(refused(&forms, "list_form_submissions", wrong).await.0, "invalid_params");
}

#[tokio::test]
async fn caller_sees_own_forms_and_full_access_sees_all() {
    let forms = open().await;
    forms.speak(caller("alice", &["component:forms"]));
    let hers = ask(&forms, &contact()).await;
    forms.pass(Duration::from_secs(1));
    forms.speak(caller("bob", &["component:forms"]));
    let his = ask(&forms, &contact()).await;
    assert_eq!(list(&forms, json!({})).await, std::slice::from_ref(&his));
    assert!(!csv(&forms, "form://submissions.csv").await.contains(&hers));
    submit(&forms, &hers, json!({ "name": "who has the handle answers" })).await;
    forms.speak(caller("operator", &["*"]));
    assert_eq!(list(&forms, json!({})).await, [his.clone(), hers.clone()]);
    let submitted = list(&forms, json!({ "status": "submitted" })).await;
    assert_eq!(submitted, std::slice::from_ref(&hers));
    assert!(csv(&forms, "form://submissions.csv").await.contains(&his));
    forms.speak(caller("alice", &["component:forms"]));
    assert_eq!(list(&forms, json!({})).await, [hers]);
}

/// Without tokens nothing says whose chat asked: its form is its browser's, which has the handle.
#[tokio::test]
async fn anonymous_list_has_forms_of_named_chats_alone() {
    let forms = open().await;
    let chat = json!({ "extensions": { "madoguchi/forms": {}, "madoguchi/handles": {} } });
    forms.speak(able(&chat));
    let own = ask(&forms, &contact()).await;
    forms.pass(Duration::from_secs(1));
    let others = ask(&forms, &contact()).await;
    forms.pass(Duration::from_secs(1));
    forms.speak(page());
    let agents = ask(&forms, &contact()).await;
    assert_eq!(list(&forms, json!({})).await, std::slice::from_ref(&agents));
    let waiting = json!({ "status": "waiting", "in_chats": [own] });
    assert_eq!(list(&forms, waiting).await, [agents.clone(), own.clone()]);
    let all = [agents, others.clone(), own];
    assert_eq!(list(&forms, json!({ "in_chats": ["*"] })).await, all);
    assert!(csv(&forms, "form://submissions.csv").await.contains(&others));
    // Who has the handle answers it.
    submit(&forms, &others, json!({ "name": "三葉" })).await;
    let many = json!({ "in_chats": vec!["x"; 201] });
    assert_eq!(refused(&forms, "list_form_submissions", many).await.0, "invalid_params");
}

#[tokio::test]
async fn named_caller_lists_own_chats_and_full_access_all() {
    let forms = open().await;
    let mut alice = caller("alice", &["component:forms"]);
    alice.client_capabilities =
        r#"{"extensions":{"madoguchi/forms":{},"madoguchi/handles":{}}}"#.into();
    forms.speak(alice);
    let hers = ask(&forms, &contact()).await;
    assert_eq!(list(&forms, json!({})).await, std::slice::from_ref(&hers));
    forms.speak(caller("operator", &["*"]));
    assert_eq!(list(&forms, json!({})).await, [hers]);
}

#[tokio::test]
async fn csv_export_contains_no_formulas() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    submit(&forms, &handle, json!({ "name": "=HYPERLINK(\"x\"), \n窓口", "ok": true })).await;
    forms.pass(Duration::from_secs(1));
    let other = ask(&forms, &contact()).await;
    close(&forms, &other, "decline").await;
    let text = csv(&forms, "form://submissions.csv").await;
    let at = "2026-11-20T10:00:0";
    assert_eq!(
        text,
        format!(
            "\u{feff}handle,title,status,asked_by,asked_at,answered_at,name,ok\r\n\
             {other},連絡先,declined,,{at}1Z,{at}1Z,,\r\n\
             {handle},連絡先,submitted,,{at}0Z,{at}0Z,\"'=HYPERLINK(\"\"x\"\"), \n窓口\",true\r\n"
        )
    );
    let submitted = csv(&forms, "form://submissions.csv?status=submitted").await;
    assert!(submitted.contains(&handle) && !submitted.contains(&other), "{submitted}");
    assert!(forms.read("form://submissions.csv?status=lost").await.is_err());
}

#[tokio::test]
async fn pages_of_long_answers_are_shorter_and_together_lose_none() {
    let forms = open().await;
    let long = "x".repeat(200 << 10);
    let hidden = json!({ "name": "long", "type": "hidden", "value": long });
    let mut handles = Vec::new();
    for _ in 0..52 {
        let handle = ask(&forms, &json!({ "title": "長", "fields": [hidden] })).await;
        submit(&forms, &handle, json!({})).await;
        forms.pass(Duration::from_millis(1));
        handles.push(handle);
    }
    handles.reverse();
    let (mut all, mut arguments, mut sizes) = (Vec::new(), json!({}), Vec::new());
    loop {
        let page = list(&forms, arguments.clone()).await;
        sizes.push(page.len());
        all.extend(page);
        let listed = forms.call("list_form_submissions", arguments).await;
        let Some(cursor) = listed.get("next_cursor") else { break };
        assert!(sizes.len() < 52, "it ends");
        arguments = json!({ "cursor": cursor });
    }
    assert_eq!(all, handles);
    assert!(sizes[0] < 50, "fifty of them are more than 8 MiB: {sizes:?}");
    let contents = forms.read("form://submissions.csv").await.unwrap();
    let meta = contents[0].meta.as_deref();
    assert_eq!(meta, Some(r#"{"forms/is-whole":false}"#), "what is left out is told");
    let ResourceBody::Text(text) = &contents[0].body else { panic!("no text") };
    assert!(text.contains(&handles[0]) && !text.contains(&handles[51]), "the newest are in it");
}
