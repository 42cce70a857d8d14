//! The tools, in the order in which an agent and then a page meets them, and what they share.

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
    RequestForm,
    GetFormSubmission,
    ValidateFormSubmission,
    SubmitForm,
    OpenForm,
    SaveFormDraft,
    CloseForm,
    ListFormSubmissions,
);

/// Only pages see these: `_meta` of a tool that no model sees.
const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;
/// Options of one field that are kept with what people read of them.
const LABELS_MAX: usize = 1_000;

/// Stops where there is more than an answer may have.
fn bounded(pointer: &str, values: &Values) -> Result<(), Stop> {
    let bytes = serde_json::to_string(values).map_or(usize::MAX, |it| it.len());
    if bytes > VALUES_BYTES_MAX {
        let message = format!("must have at most {VALUES_BYTES_MAX} bytes as JSON, not {bytes}");
        return Err(invalid(pointer, message));
    }
    Ok(())
}

/// What people read of values, as far as the form's look-ups can have brought it.
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

// A form as an app that other programs show (APP-4).

/// A form to fill in, and what became of it.
pub const FORM: App = App {
    uri: "ui://forms/form",
    name: "form_app",
    title: Text { ja: "フォーム", en: "Form" },
    style: include_str!("../app/form.css"),
    script: &[include_str!("../app/form.js")],
};
