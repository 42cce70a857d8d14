//! Examples that the host runs before it serves the component: a request and an error.

use serde_json::json;
use toolkit::{Example, Tool, example};

use crate::tools::{GetFormSubmission, ListFormSubmissions, RequestForm, ValidateFormSubmission};

/// Requests a form, and checks an error's specified text.
pub fn examples() -> Vec<Example> {
    let form = json!({
        "title": "連絡先",
        "fields": [
            { "name": "name", "type": "text", "label": "お名前", "required": true },
            { "name": "ok", "type": "checkbox", "label": "同意する" },
        ],
    });
    vec![
        example(
            "a form is asked for and waits (FORM-1)",
            RequestForm::NAME,
            json!({ "form_schema": form }),
        )
        .gives(json!({
            "type": "form_request",
            "schema": form,
            "status": "waiting_for_input",
            "message": "フォーム入力を待機しています。入力完了後、次のメッセージとして送信されます。",
        })),
        example("it is in the list", ListFormSubmissions::NAME, json!({}))
            .gives(json!({ "forms": [{ "title": "連絡先", "status": "waiting" }] })),
        example("a call without a form is refused (FORM-60)", RequestForm::NAME, json!({}))
            .refuses("invalid_form_schema"),
        example(
            "what is required and empty is named (FORM-46)",
            ValidateFormSubmission::NAME,
            json!({ "form_schema": form, "values": {} }),
        )
        .gives(json!({
            "valid": false,
            "errors": [{ "field": "name", "message": "お名前は必須です" }],
        })),
        example(
            "what fits would be taken, and a checkbox is always there (FORM-47)",
            ValidateFormSubmission::NAME,
            json!({ "form_schema": form, "values": { "name": "窓口" } }),
        )
        .gives(json!({ "valid": true, "values": { "name": "窓口", "ok": false } })),
        example(
            "a handle that never was is not found",
            GetFormSubmission::NAME,
            json!({ "handle": "0000000000" }),
        )
        .refuses("not_found"),
    ]
}
