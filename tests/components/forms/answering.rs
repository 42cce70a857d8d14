//! Forms from the request to the answer (FORM-1, FORM-5, FORM-8 to FORM-11).

use std::time::Duration;

use futures::future::join_all;
use host::caller::Caller;
use serde_json::json;
use workbench::solo::SoloOutcome;

use super::{
    PAGE, answer, ask, bench, close, contact, handle, object, open, page, refused, result, submit,
    texts, wrong,
};

#[tokio::test]
async fn result_and_its_first_text_are_those_of_the_specification() {
    let forms = open().await;
    let output = result(&forms, "request_form", json!({ "form_schema": contact() })).await;
    let expected = json!({
        "type": "form_request",
        "schema": contact(),
        "status": "waiting_for_input",
        "message": "フォーム入力を待機しています。入力完了後、次のメッセージとして送信されます。",
    });
    assert_eq!(object(&output), expected, "FORM-1: exactly this");
    assert_eq!(
        texts(&output)[0],
        "フォーム入力を待機しています。\n\n【連絡先】\n連絡先を入力してください\n\nフィールド数: 2\n\
         ユーザーがフォームに入力後、次のメッセージとして入力内容が送信されます。",
        "FORM-8"
    );
    let meta: serde_json::Value = serde_json::from_str(output.meta.as_deref().unwrap()).unwrap();
    assert_eq!(meta["type"], "form_request", "FORM-8");
    assert_eq!(meta["schema"], contact(), "FORM-8");
    assert_eq!(meta["status"], "waiting_for_input", "FORM-8");
    assert_eq!(meta["forms/form"], json!({ "handle": handle(&output) }), "FORM-11");
    assert_eq!(handle(&output).len(), 26);
}

#[tokio::test]
async fn client_without_our_page_gets_the_forms_url_and_our_page_none() {
    let forms = bench().page(PAGE).start().await;
    let arguments = json!({ "form_schema": contact() });
    let output = result(&forms, "request_form", arguments.clone()).await;
    let url = format!("{PAGE}/f/{}", handle(&output));
    assert!(texts(&output)[1].contains(&url), "{:?}", texts(&output));
    assert!(texts(&output)[1].contains("get_form_submission"), "{:?}", texts(&output));
    forms.speak(page());
    let output = result(&forms, "request_form", arguments.clone()).await;
    assert_eq!(texts(&output).len(), 1);
    let nowhere = open().await;
    let output = result(&nowhere, "request_form", arguments).await;
    let text = texts(&output)[1];
    assert!(text.contains("- name: お名前（必須） <text>"), "{text}");
    assert!(text.contains("submit_form") && text.contains(&handle(&output)), "{text}");
}

#[tokio::test]
async fn answers_go_to_the_caller_who_requested() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    let waiting = answer(&forms, &handle).await;
    assert_eq!(waiting, json!({ "handle": handle, "status": "waiting", "title": "連絡先" }));
    forms.pass(Duration::from_secs(90));
    forms.published();
    let submitted = submit(&forms, &handle, json!({ "name": "三葉" })).await;
    assert_eq!(submitted["values"], json!({ "name": "三葉", "ok": false }), "FORM-47");
    assert_eq!(submitted["answered_at"], "2026-11-20T10:01:30Z");
    assert_eq!(submitted["message"], "{\n  \"name\": \"三葉\",\n  \"ok\": false\n}", "FORM-5");
    let list = "form://submissions.csv".to_owned();
    let woken = [format!("form://{handle}"), list];
    assert_eq!(forms.published(), woken, "who waits and who looks at the list are woken");
    assert_eq!(answer(&forms, &handle).await, submitted, "FORM-11");
}

#[tokio::test]
async fn reports_faults_field_by_field_and_the_form_still_waits() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    let wrong = wrong(&forms, &handle, json!({ "name": "", "ok": "yes" })).await;
    assert_eq!(wrong[0], ("name".into(), "お名前は必須です".into()), "FORM-46");
    assert_eq!(wrong[1].0, "ok", "all at once: {wrong:?}");
    assert_eq!(answer(&forms, &handle).await["status"], "waiting");
}

#[tokio::test]
async fn one_of_sixteen_rivals_answers_and_others_are_refused() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    let rival = |number: usize| {
        let values = json!({ "name": format!("rival {number}") });
        forms.round("submit_form", json!({ "handle": handle, "values": values }), json!({}))
    };
    let outcomes = join_all((0..16).map(rival)).await;
    let mut winners = 0;
    for outcome in outcomes {
        match outcome {
            SoloOutcome::Done(_) => winners += 1,
            SoloOutcome::Failed(failure) => {
                assert_eq!(failure["error"], "already_answered", "{failure}")
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(winners, 1);
    let again = json!({ "handle": handle, "values": { "name": "late" } });
    assert_eq!(refused(&forms, "submit_form", again).await, ("already_answered".into(), 409));
}

#[tokio::test]
async fn a_wait_ends_with_the_form_or_after_the_time_asked_for() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    let arguments = json!({ "handle": handle, "timeout_seconds": 300 });
    let outcome = forms.round("get_form_submission", arguments.clone(), json!({})).await;
    let SoloOutcome::Waits(wait) = outcome else { panic!("{outcome:?}") };
    assert_eq!(wait.events, [format!("form://{handle}")]);
    assert_eq!(
        wait.until.seconds,
        1_795_168_800 + 50,
        "a client that hears nothing gives up after 60"
    );
    submit(&forms, &handle, json!({ "name": "瀧" })).await;
    let answered = forms.call("get_form_submission", arguments).await;
    assert_eq!(answered["values"]["name"], "瀧");
    let long = json!({ "handle": handle, "timeout_seconds": 301 });
    assert_eq!(refused(&forms, "get_form_submission", long).await.0, "invalid_params");
}

#[tokio::test]
async fn cancelled_or_declined_form_is_reported() {
    let forms = open().await;
    for (action, status, message) in [
        ("cancel", "cancelled", "フォーム入力をキャンセルしました。"),
        ("decline", "declined", "フォームへの回答を辞退しました。"),
    ] {
        let handle = ask(&forms, &contact()).await;
        let closed = close(&forms, &handle, action).await;
        assert_eq!((&closed["status"], &closed["message"]), (&json!(status), &json!(message)));
        assert_eq!(close(&forms, &handle, action).await, closed, "twice is the same as once");
        let late = json!({ "handle": handle, "values": { "name": "late" } });
        assert_eq!(refused(&forms, "submit_form", late).await.0, "already_answered");
        assert_eq!(answer(&forms, &handle).await, closed, "FORM-9, FORM-11");
    }
    let handle = ask(&forms, &contact()).await;
    submit(&forms, &handle, json!({ "name": "三葉" })).await;
    let arguments = json!({ "handle": handle, "action": "cancel" });
    assert_eq!(refused(&forms, "close_form", arguments).await, ("already_answered".into(), 409));
}

#[tokio::test]
async fn cancelled_form_reopens_until_read_or_ten_minutes_passed() {
    let forms = open().await;
    let reopen = |handle: &str| json!({ "handle": handle, "action": "reopen" });
    let taken = ask(&forms, &contact()).await;
    close(&forms, &taken, "cancel").await;
    let again = close(&forms, &taken, "reopen").await;
    assert_eq!(again["status"], "waiting");
    assert_eq!(again.get("answered_at"), None);
    submit(&forms, &taken, json!({ "name": "三葉" })).await;
    assert_eq!(refused(&forms, "close_form", reopen(&taken)).await, ("not_reopened".into(), 409));
    let read = ask(&forms, &contact()).await;
    close(&forms, &read, "decline").await;
    answer(&forms, &read).await;
    assert_eq!(refused(&forms, "close_form", reopen(&read)).await, ("not_reopened".into(), 409));
    let old = ask(&forms, &contact()).await;
    close(&forms, &old, "cancel").await;
    forms.pass(Duration::from_secs(601));
    assert_eq!(refused(&forms, "close_form", reopen(&old)).await, ("not_reopened".into(), 409));
    let shown = ask(&forms, &contact()).await;
    close(&forms, &shown, "cancel").await;
    forms.speak(page());
    answer(&forms, &shown).await;
    assert_eq!(close(&forms, &shown, "reopen").await["status"], "waiting", "a page only looks");
}

#[tokio::test]
async fn unknown_handle_is_not_found_by_any_tool() {
    let forms = open().await;
    let values = json!({});
    for (tool, arguments) in [
        ("get_form_submission", json!({ "handle": "x" })),
        ("validate_form_submission", json!({ "handle": "x", "values": values })),
        ("submit_form", json!({ "handle": "x", "values": values })),
        ("open_form", json!({ "handle": "x" })),
        ("save_form_draft", json!({ "handle": "x", "values": values })),
        ("close_form", json!({ "handle": "x", "action": "cancel" })),
        ("close_form", json!({ "handle": "x", "action": "reopen" })),
    ] {
        assert_eq!(refused(&forms, tool, arguments).await, ("not_found".into(), 404), "{tool}");
    }
}

#[tokio::test]
async fn people_and_models_get_texts_in_their_language() {
    let forms = open().await;
    let speaking = |language| Caller::anonymous().speaking(Some(language));
    forms.speak(speaking("en-GB,en"));
    let output = result(&forms, "request_form", json!({ "form_schema": contact() })).await;
    assert!(texts(&output)[0].starts_with("フォーム入力を待機しています。"), "FORM-8 is verbatim");
    assert!(texts(&output)[1].starts_with("There is no page"), "{:?}", texts(&output));
    let handle = handle(&output);
    let problems = wrong(&forms, &handle, json!({})).await;
    assert_eq!(problems[0].0, "name");
    assert!(problems[0].1.is_ascii() || !problems[0].1.contains("必須"), "{problems:?}");
    forms.speak(speaking("ja"));
    let problems = wrong(&forms, &handle, json!({})).await;
    assert_eq!(problems[0].1, "お名前は必須です", "FORM-46");
}
