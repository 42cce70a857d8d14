//! Forms from the request to the answer (FORM-1, FORM-5, FORM-8 to FORM-11), with drafts and files.

use std::time::Duration;

use futures::future::join_all;
use host::{blobs::Blobs, caller::Caller, component::ResourceBody};
use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{
    PAGE, able, answer, ask, bench, caller, close, contact, handle, object, open, page, refused,
    result, submit, texts, wrong,
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

// Stored forms: retention, limits, and the list of them.

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
    forms.speak(Caller::anonymous());
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
            SoloOutcome::Failed(failure) => break failure,
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
        if let SoloOutcome::Failed(_) = forms.round("request_form", asked, json!({})).await {
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
