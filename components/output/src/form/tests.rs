//! The shared tables, and what they do not say.

use serde_json::json;

use super::*;

#[test]
fn a_form_needs_a_title() {
    let fault = Form::read(&json!({"fields": []})).unwrap_err();
    assert_eq!(fault.to_string(), "エラー: フォームタイトル（title）は必須です。");
}
