//! The tools in the order of use, shared parts, and the examples that the host runs before it serves the component.

mod request;
mod submissions;

use output::form::{Form, VALUES_BYTES_MAX, Values};
use serde_json::{Value, json};
use toolkit::{Example, Stop, Text, Tool, apps::App, example, invalid};

pub use request::RequestForm;
pub use submissions::{
    CloseForm, GetFormSubmission, ListFormSubmissions, OpenForm, SaveFormDraft, SubmitForm,
    ValidateFormSubmission,
};

toolkit::export_tools!(
    readings "readings.txt";
    RequestForm,
    GetFormSubmission,
    ValidateFormSubmission,
    SubmitForm,
    OpenForm,
    SaveFormDraft,
    CloseForm,
    ListFormSubmissions,
);

/// `_meta` of tools for pages only, hidden from models.
const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;
/// Maximum labelled values of one field.
const LABELS_MAX: usize = 1_000;

/// Rejects a submission above the size limit.
fn bounded(pointer: &str, values: &Values) -> Result<(), Stop> {
    let bytes = serde_json::to_string(values).map_or(usize::MAX, |it| it.len());
    if bytes > VALUES_BYTES_MAX {
        let message = format!("must have at most {VALUES_BYTES_MAX} bytes as JSON, not {bytes}");
        return Err(invalid(pointer, message));
    }
    Ok(())
}

/// Labels restricted to values that the form's look-ups may have returned.
fn labels_of(form: &Form, labels: Option<Values>) -> Values {
    let fits = |it: &Value| it["label"].is_string() && !it["value"].is_null();
    let chosen = labels.into_iter().flatten().filter_map(|(name, given)| {
        form.field(&name).filter(|it| it.lookup().is_some() && !it.is_secret())?;
        let given = given.as_array()?.iter().filter(|it| fits(it)).take(LABELS_MAX);
        let given: Vec<_> = given
            .map(|it| serde_json::json!({ "value": it["value"], "label": it["label"] }))
            .collect();
        (!given.is_empty()).then_some((name, Value::Array(given)))
    });
    chosen.collect()
}

// The form as an app in other clients (APP-4).

/// A form to fill in, and its state.
pub const FORM: App = App {
    uri: "ui://forms/form",
    name: "form_app",
    title: Text { ja: "フォーム", en: "Form" },
    style: include_str!("../app/form.css"),
    script: &[include_str!("../app/form.js")],
};

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
