//! Drafts: typed values are stored, except secrets and those of an outdated window.

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{ask, close, contact, open, refused, submit};

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
    let forms = super::bench().database(&file).start().await;
    let handle = ask(&forms, &contact()).await;
    let fresh = opened(&forms, &handle).await;
    assert_eq!((&fresh["revision"], fresh.get("draft")), (&json!(0), None));
    assert_eq!((&fresh["schema"], &fresh["status"]), (&contact(), &json!("waiting")));
    let saved = save(&forms, &handle, json!({ "name": "", "ok": "half", "stranger": 1 })).await;
    assert_eq!(saved, json!({ "revision": 1, "saved_at": "2026-11-20T10:00:00Z" }));
    drop(forms);
    let forms = super::bench().database(&file).start().await;
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
