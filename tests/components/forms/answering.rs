//! Forms from the request to the answer (FORM-1, FORM-5, FORM-8 to FORM-11), with drafts and files.

use std::time::Duration;

use futures::future::join_all;
use host::{blobs::Blobs, caller::Caller, component::ResourceBody};
use serde_json::{Value, json};
use tests::bench::Tested;
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
    let meta: Value = serde_json::from_str(output.meta.as_deref().unwrap()).unwrap();
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

// Drafts: typed values are stored, except secrets and those of an outdated window.

async fn save(forms: &Tested, handle: &str, values: Value) -> Value {
    forms.call("save_form_draft", json!({ "handle": handle, "values": values })).await
}

async fn opened(forms: &Tested, handle: &str) -> Value {
    forms.call("open_form", json!({ "handle": handle })).await
}

#[tokio::test]
async fn draft_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forms.sqlite");
    let forms = bench().database(&file).start().await;
    let handle = ask(&forms, &contact()).await;
    let fresh = opened(&forms, &handle).await;
    assert_eq!((&fresh["revision"], fresh.get("draft")), (&json!(0), None));
    assert_eq!((&fresh["schema"], &fresh["status"]), (&contact(), &json!("waiting")));
    let saved = save(&forms, &handle, json!({ "name": "", "ok": "half", "stranger": 1 })).await;
    assert_eq!(saved, json!({ "revision": 1, "saved_at": "2026-11-20T10:00:00Z" }));
    drop(forms);
    let forms = bench().database(&file).start().await;
    let again = opened(&forms, &handle).await;
    assert_eq!(again["draft"], json!({ "name": "", "ok": "half" }), "unchecked, and no strangers");
    assert_eq!(again["revision"], 1);
    submit(&forms, &handle, json!({ "name": "三葉" })).await;
    assert_eq!(opened(&forms, &handle).await.get("draft"), None, "the answer has taken its place");
}

#[tokio::test]
async fn rejects_draft_based_on_an_older_one_with_the_newer() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    let with = |revision: u32, name: &str| json!({ "handle": handle, "values": { "name": name }, "revision": revision });
    forms.call("save_form_draft", with(0, "one")).await;
    let failure = forms.failure("save_form_draft", with(0, "two")).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("draft_conflict"), &json!(409)));
    assert_eq!(failure["data"]["draft"], json!({ "name": "one" }));
    assert_eq!(failure["data"]["revision"], 1);
    assert_eq!(forms.call("save_form_draft", with(1, "two")).await["revision"], 2);
    assert_eq!(save(&forms, &handle, json!({ "name": "three" })).await["revision"], 3);
}

#[tokio::test]
async fn secrets_are_not_stored_in_drafts() {
    let forms = open().await;
    let schema = json!({ "title": "a", "fields": [
        { "name": "user", "type": "text", "label": "ユーザー" },
        { "name": "password", "type": "text", "label": "パスワード" },
    ] });
    let handle = ask(&forms, &schema).await;
    save(&forms, &handle, json!({ "user": "u", "password": "hunter2" })).await;
    assert_eq!(opened(&forms, &handle).await["draft"], json!({ "user": "u" }));
}

#[tokio::test]
async fn answered_form_rejects_drafts_and_cancelled_one_keeps_its() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    save(&forms, &handle, json!({ "name": "三" })).await;
    close(&forms, &handle, "cancel").await;
    let late = json!({ "handle": handle, "values": {} });
    assert_eq!(refused(&forms, "save_form_draft", late).await, ("already_answered".into(), 409));
    close(&forms, &handle, "reopen").await;
    assert_eq!(opened(&forms, &handle).await["draft"], json!({ "name": "三" }));
}

#[tokio::test]
async fn draft_size_is_limited() {
    let forms = open().await;
    let handle = ask(&forms, &contact()).await;
    let huge = json!({ "handle": handle, "values": { "name": "あ".repeat(100_000) } });
    assert_eq!(refused(&forms, "save_form_draft", huge).await.0, "invalid_params");
}

// Files in answers: their stored size and type count, not the described ones (FORM-36).

const PDF: &[u8] = b"%PDF-1.7 a few bytes";

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n a few bytes";

/// A form that takes this kind of files.
fn taking(accept: &str, size_max: u64, multiple: bool) -> Value {
    json!({ "title": "添付", "fields": [{
        "name": "doc", "type": "file", "label": "添付ファイル",
        "accept": accept, "maxSize": size_max, "multiple": multiple,
    }] })
}

async fn put(blobs: &Blobs, bytes: &[u8], kind: &str) -> String {
    blobs.put_for(None, bytes, kind).await.unwrap().id
}

fn file(id: &str, name: &str) -> Value {
    json!({ "name": name, "type": "text/html", "size": 1, "fileId": id })
}

async fn given(forms: &Tested, handle: &str, value: Value) -> Value {
    submit(forms, handle, json!({ "doc": value })).await["values"]["doc"].clone()
}

#[tokio::test]
async fn size_and_type_come_from_the_store() {
    let forms = open().await;
    let id = put(forms.blobs(), PDF, "application/pdf").await;
    let handle = ask(&forms, &taking(".pdf,.doc", 1_000, false)).await;
    let value = given(&forms, &handle, file(&id, "見積.pdf")).await;
    let size = PDF.len();
    let kind = "application/pdf";
    assert_eq!(value, json!({ "name": "見積.pdf", "type": kind, "size": size, "fileId": id }));
}

#[tokio::test]
async fn reports_a_gone_too_large_or_different_file_at_its_field() {
    let forms = open().await;
    let pdf = put(forms.blobs(), PDF, "application/pdf").await;
    let fake = put(forms.blobs(), PNG, "application/pdf").await;
    let gone = "0".repeat(64);
    for (schema, value) in [
        (taking(".pdf", 1_000, false), file(&gone, "a.pdf")),
        (taking(".pdf", 1_000, false), file("../../etc/passwd", "a.pdf")),
        (taking(".pdf", 5, false), file(&pdf, "a.pdf")),
        (taking(".pdf", 1_000, false), file(&fake, "a.pdf")),
        (taking("image/*", 1_000, false), file(&pdf, "a.png")),
        (taking(".png", 1_000, false), file(&pdf, "a.pdf")),
        (taking(".pdf", 1_000, true), json!([file(&pdf, "a.pdf"), file(&gone, "b.pdf")])),
    ] {
        let handle = ask(&forms, &schema).await;
        let problems = wrong(&forms, &handle, json!({ "doc": value })).await;
        assert_eq!((problems.len(), problems[0].0.as_str()), (1, "doc"), "{schema} {problems:?}");
        let arguments = json!({ "handle": handle, "values": { "doc": value } });
        let outcome = forms.call("validate_form_submission", arguments).await;
        assert_eq!(outcome["valid"], false, "{schema}");
    }
}

#[tokio::test]
async fn bytes_are_a_resource_only_of_the_form_that_names_them() {
    let forms = open().await;
    let (pdf, png) = (put(forms.blobs(), PDF, "application/pdf").await, PNG);
    let png = put(forms.blobs(), png, "image/png").await;
    let handle = ask(&forms, &taking("", 1_000, true)).await;
    given(&forms, &handle, json!([file(&pdf, "a.pdf")])).await;
    let uri = format!("form://{handle}/files/{pdf}");
    let contents = forms.read(&uri).await.unwrap();
    assert_eq!(contents[0].mime_type.as_deref(), Some("application/pdf"));
    let ResourceBody::Blob(bytes) = &contents[0].body else { panic!("no bytes") };
    assert_eq!(bytes, PDF);
    let other = forms.read(&format!("form://{handle}/files/{png}")).await.unwrap_err();
    assert_eq!(other["error"], "not_found", "it is in the store, but not of this form");
    assert!(other["message"].as_str().unwrap().contains("ファイル"), "the form is there: {other}");
    forms.read(&format!("form://nobody/files/{pdf}")).await.unwrap_err();
    let output = result(&forms, "get_form_submission", json!({ "handle": handle })).await;
    assert!(texts(&output).is_empty());
    assert_eq!(output.content.len(), 1, "a link to the file");
    let form = forms.read(&format!("form://{handle}")).await.unwrap();
    let ResourceBody::Text(text) = &form[0].body else { panic!("no text") };
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer(&forms, &handle).await);
}

#[tokio::test]
async fn files_used_by_a_form_outlive_unused_ones() {
    let forms = open().await;
    let (pdf, png) = (put(forms.blobs(), PDF, "application/pdf").await, PNG);
    let png = put(forms.blobs(), png, "image/png").await;
    let lost = put(forms.blobs(), b"lost", "text/plain").await;
    let handle = ask(&forms, &taking("", 1_000, true)).await;
    given(&forms, &handle, json!([file(&pdf, "a.pdf")])).await;
    let draft = ask(&forms, &taking("", 1_000, true)).await;
    let values = json!({ "doc": [file(&png, "a.png")] });
    forms.call("save_form_draft", json!({ "handle": draft, "values": values })).await;
    for _ in 0..8 {
        forms.pass(Duration::from_secs(12 * 60 * 60));
        forms.run_schedule().await.unwrap();
    }
    forms.read(&format!("form://{handle}/files/{pdf}")).await.unwrap();
    assert_eq!(given(&forms, &draft, values["doc"].clone()).await[0]["fileId"], png);
    assert!(forms.blobs().read(&lost, 0, 9).await.is_err(), "nobody names it");
}
