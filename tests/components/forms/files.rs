//! Files in answers: their stored size and type count, not the described ones (FORM-36).

use std::time::Duration;

use host::{blobs::Blobs, component::ResourceBody};
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{answer, ask, open, submit, texts, wrong};

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
    let output = super::result(&forms, "get_form_submission", json!({ "handle": handle })).await;
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
