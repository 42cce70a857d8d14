//! Forms requested in sentences.

use serde_json::json;

use super::open;

#[tokio::test]
async fn a_sentence_becomes_a_form_of_its_fields() {
    let forms = open().await;
    let tool = json!({ "name": "request_form", "required": ["form_schema"], "is_read_only": true });
    let turn = json!({ "message": "名前とメールアドレスを聞くフォームを作って", "tools": [tool] });
    let called = forms.converse(turn).await.unwrap();
    assert_eq!(called["calls"][0]["tool"], "request_form", "{called}");
    let fields = called["calls"][0]["arguments"]["form_schema"]["fields"].as_array().unwrap();
    let labels: Vec<_> = fields.iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert_eq!(labels.len(), 2, "{called}");
    assert!(labels[0].contains("名前") && labels[1].contains("メール"), "{called}");
}
