//! One form as the database has it, and what callers are shown of it.

use output::form::{Form, Listed, OpenForm, Status, Submission, Values};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Map;
use toolkit::{Stop, sql, sql::Rows, sql::Statement};

use crate::{clock::written, refusals, words};

/// How long a form that was cancelled or declined can be taken up again.
pub const REOPEN_MS: i64 = 10 * 60 * 1_000;

/// What [`Record`] is read from.
pub const COLUMNS: &str = "handle, definition, title, principal, asked_by, asked_at, status, \
                           answered_at, answer, labels, draft, drafted_at, revision, read_at";

/// One form as the database has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// The key by which it is opened.
    pub handle: String,
    /// The definition, as JSON.
    pub definition: String,
    /// The title that people see.
    pub title: String,
    /// Who asked for it.
    pub principal: String,
    /// What their client calls itself.
    pub asked_by: Option<String>,
    /// When it was asked for, in milliseconds since 1970.
    pub asked_at: i64,
    /// How far it has come.
    pub status: Status,
    /// When it was answered.
    pub answered_at: Option<i64>,
    /// What was filled in, as JSON.
    pub answer: Option<String>,
    /// What people read of the values that came from look-ups, as JSON.
    pub labels: Option<String>,
    /// What was typed so far, as JSON.
    pub draft: Option<String>,
    /// When that was saved.
    pub drafted_at: Option<i64>,
    /// How often that was saved.
    pub revision: u32,
    /// When the caller that asked has read the answer.
    pub read_at: Option<i64>,
}

/// The form of that handle.
pub fn by_handle(handle: &str) -> Statement {
    toolkit::sql!(format!("SELECT {COLUMNS} FROM forms WHERE handle = $1"), handle)
}

/// The first of the rows, or the refusal that there is no such form.
///
/// # Errors
/// When there is none.
pub fn first(rows: Rows) -> Result<Record, Stop> {
    rows.first::<Record>()?.ok_or_else(refusals::not_found)
}

/// The form of that handle.
///
/// # Errors
/// When there is none.
pub fn find(handle: &str) -> Result<Record, Stop> {
    let [rows] = sql::query([by_handle(handle)])?;
    first(rows)
}

impl Record {
    /// The form as it is filled in.
    ///
    /// # Errors
    /// When this version does not take a definition that an earlier one took.
    pub fn form(&self) -> Result<Form, Stop> {
        let definition = serde_json::from_str(&self.definition).unwrap_or_default();
        Form::read(&definition).map_err(|it| refusals::invalid_form_schema(&it))
    }

    /// The definition, as it was given.
    pub fn definition(&self) -> Map<String, serde_json::Value> {
        serde_json::from_str(&self.definition).unwrap_or_default()
    }

    /// What was typed so far.
    pub fn draft(&self) -> Option<Values> {
        read(self.draft.as_deref())
    }

    /// What was filled in.
    pub fn values(&self) -> Option<Values> {
        read(self.answer.as_deref())
    }

    /// What people read of the values that came from look-ups.
    pub fn labels(&self) -> Option<Values> {
        read(self.labels.as_deref())
    }

    /// What `get_form_submission` and its like put out.
    pub fn submission(&self) -> Submission {
        let values = self.values();
        Submission {
            handle: self.handle.clone(),
            status: self.status,
            title: self.title.clone(),
            message: words::message(self.status, values.as_ref()),
            values,
            answered_at: self.answered_at.map(written),
        }
    }

    /// What `open_form` puts out.
    pub fn open(&self) -> OpenForm {
        let form = self.form().unwrap_or_default();
        let secrets = form.fields.iter().filter(|it| it.is_input() && it.is_secret());
        OpenForm {
            secrets: secrets.map(|it| it.name.clone()).collect(),
            handle: self.handle.clone(),
            schema: self.definition(),
            status: self.status,
            asked_by: self.asked_by.clone(),
            asked_at: written(self.asked_at),
            draft: self.draft(),
            labels: self.labels(),
            revision: self.revision,
            values: self.values(),
            answered_at: self.answered_at.map(written),
        }
    }

    /// The same in a list.
    pub fn listed(&self) -> Listed {
        Listed {
            handle: self.handle.clone(),
            title: self.title.clone(),
            status: self.status,
            asked_by: self.asked_by.clone(),
            asked_at: written(self.asked_at),
            answered_at: self.answered_at.map(written),
            values: self.values(),
        }
    }
}

fn read<T: DeserializeOwned>(json: Option<&str>) -> Option<T> {
    serde_json::from_str(json?).ok()
}

/// A status, as the database has it.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Waiting => "waiting",
        Status::Submitted => "submitted",
        Status::Cancelled => "cancelled",
        Status::Declined => "declined",
    }
}
