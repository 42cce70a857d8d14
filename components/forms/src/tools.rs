//! The tools in the order of use, and shared parts.

mod answering;
mod reading;
mod request;

use output::form::{Form, VALUES_BYTES_MAX, Values};
use serde_json::Value;
use toolkit::{Stop, Text, apps::App, invalid};

pub use answering::{CloseForm, SaveFormDraft, SubmitForm, ValidateFormSubmission};
pub use reading::{GetFormSubmission, ListFormSubmissions, OpenForm};
pub use request::RequestForm;

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
