//! Requested forms and their answers: outputs of the forms component.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Values;

/// What `request_form` puts out (FORM-1). The form's handle is in the result's `_meta`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FormRequest {
    /// Always `form_request`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The definition, as it was given.
    pub schema: Map<String, Value>,
    /// `waiting_for_input`; or, where the client could ask at once, how it was answered.
    pub status: String,
    /// The text for the model.
    pub message: String,
    /// What was filled in, where the client could ask at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

/// How far a form has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has answered yet.
    #[default]
    Waiting,
    /// It was filled in.
    Submitted,
    /// It was closed without an answer.
    Cancelled,
    /// Whoever was asked does not want to answer.
    Declined,
}

/// What `submit_form`, `close_form` and `get_form_submission` put out (FORM-11).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// The form's handle.
    pub handle: String,
    /// How far it has come.
    pub status: Status,
    /// The form's title.
    pub title: String,
    /// What was filled in, by the fields' names; where it was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// When it was answered: `2026-11-21T10:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// What a client sends to its model in the name of the person who answered: the JSON of the values (FORM-5),
    /// or that they cancelled (FORM-9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What `open_form` puts out: a form with all that a page needs to show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenForm {
    /// The form's handle.
    pub handle: String,
    /// The form's definition.
    pub schema: Map<String, Value>,
    /// How far it has come.
    pub status: Status,
    /// Who asks: the name of the client, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// When it was asked for: `2026-11-21T10:00:00Z`.
    pub asked_at: String,
    /// What was typed so far, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Values>,
    /// What people read of the values that came from look-ups: by the fields' names, lists of
    /// `{"value": …, "label": …}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Values>,
    /// How often a draft was saved; a page sends it along to tell whether another one was faster.
    #[serde(default)]
    pub revision: u32,
    /// What was filled in, where it was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// When it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// The names of fields that seem to ask for a password or the like: people are warned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// What `save_form_draft` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drafted {
    /// How often a draft was saved.
    pub revision: u32,
    /// When: `2026-11-21T10:00:00Z`.
    pub saved_at: String,
}

/// What `validate_form_submission` puts out (FORM-10).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Whether it would be taken.
    pub valid: bool,
    /// What is wrong, field by field.
    pub errors: Vec<Wrongness>,
    /// What would be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wrongness {
    /// The field's name.
    pub field: String,
    /// The text for people.
    pub message: String,
}

/// What `list_form_submissions` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submissions {
    /// The forms, the newest first.
    pub forms: Vec<Listed>,
    /// Asks for the next page; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One form in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    /// The form's handle.
    pub handle: String,
    /// The form's title.
    pub title: String,
    /// How far it has come.
    pub status: Status,
    /// Who asked: the client's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// When it was asked for.
    pub asked_at: String,
    /// When it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// What was filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}
