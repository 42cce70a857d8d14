//! A form in the database, its outputs, and lists of forms.

use output::form::{Form, Listed, OpenForm, Status, Submission, Values};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, json};
use toolkit::{
    Stop, caller, invalid, refused,
    sql::{self, Rows, Statement, Value},
};

use crate::{
    clock::written,
    delivery,
    refusals::{self, say},
};

/// Time in which a cancelled or declined form can be reopened.
pub const REOPEN_MS: i64 = 10 * 60 * 1_000;

/// Columns of [`Record`].
pub const COLUMNS: &str = "handle, definition, title, principal, asked_by, asked_at, status, \
                           answered_at, answer, labels, draft, drafted_at, revision, read_at";

/// A row of a form.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// Secret key of the form.
    pub handle: String,
    /// Definition as JSON.
    pub definition: String,
    /// The title that people see.
    pub title: String,
    /// Caller who requested it.
    pub principal: String,
    /// Name of their client.
    pub asked_by: Option<String>,
    /// Time of the request, in milliseconds since 1970.
    pub asked_at: i64,
    /// State of the form.
    pub status: Status,
    /// Time of the answer.
    pub answered_at: Option<i64>,
    /// Submitted values as JSON.
    pub answer: Option<String>,
    /// Labels of looked-up values as JSON.
    pub labels: Option<String>,
    /// Draft as JSON.
    pub draft: Option<String>,
    /// Time of the draft.
    pub drafted_at: Option<i64>,
    /// Number of saved drafts.
    pub revision: u32,
    /// Time when the requester read the answer.
    pub read_at: Option<i64>,
}

/// Selects a form by its handle.
pub fn by_handle(handle: &str) -> Statement {
    toolkit::sql!(format!("SELECT {COLUMNS} FROM forms WHERE handle = $1"), handle)
}

/// Returns the first row.
///
/// # Errors
/// If there is none.
pub fn first(rows: Rows) -> Result<Record, Stop> {
    rows.first::<Record>()?.ok_or_else(refusals::not_found)
}

/// Finds a form.
///
/// # Errors
/// If there is none.
pub fn find(handle: &str) -> Result<Record, Stop> {
    let [rows] = sql::query([by_handle(handle)])?;
    first(rows)
}

impl Record {
    /// Parses the definition.
    ///
    /// # Errors
    /// If this version rejects a definition that an earlier one accepted.
    pub fn form(&self) -> Result<Form, Stop> {
        let definition = serde_json::from_str(&self.definition).unwrap_or_default();
        Form::read(&definition).map_err(|it| refusals::invalid_form_schema(&it))
    }

    /// Definition as given.
    pub fn definition(&self) -> Map<String, serde_json::Value> {
        serde_json::from_str(&self.definition).unwrap_or_default()
    }

    /// Draft.
    pub fn draft(&self) -> Option<Values> {
        read(self.draft.as_deref())
    }

    /// Submitted values.
    pub fn values(&self) -> Option<Values> {
        read(self.answer.as_deref())
    }

    /// Labels of looked-up values.
    pub fn labels(&self) -> Option<Values> {
        read(self.labels.as_deref())
    }

    /// Output of `get_form_submission` and similar tools.
    pub fn submission(&self) -> Submission {
        let values = self.values();
        Submission {
            handle: self.handle.clone(),
            status: self.status,
            title: self.title.clone(),
            message: delivery::message(self.status, values.as_ref()),
            values,
            answered_at: self.answered_at.map(written),
        }
    }

    /// Output of `open_form`.
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

    /// Entry of a list.
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

// Errors about a form's state, in the caller's language.

/// The form is already answered.
pub fn already_answered(form: &Record) -> Stop {
    let message = match form.status {
        Status::Submitted => {
            say("このフォームは回答済みです。", "This form has been answered already.")
        }
        Status::Cancelled => {
            say("このフォームはキャンセルされています。", "This form has been cancelled.")
        }
        Status::Declined => {
            say("このフォームへの回答は辞退されています。", "This form has been declined.")
        }
        Status::Waiting => say("このフォームはまだ回答待ちです。", "This form still waits."),
    };
    refused("already_answered", 409, message).with(json!({
        "status": form.status,
        "answered_at": form.answered_at.map(written),
    }))
}

/// The form cannot be reopened any more, or was not closed.
pub fn not_reopened(form: &Record) -> Stop {
    let message = match (form.status, form.read_at) {
        (Status::Waiting | Status::Submitted, _) => say(
            "キャンセルまたは辞退されたフォームだけを再開できます。",
            "Only a form that was cancelled or declined can be taken up again.",
        ),
        (_, Some(_)) => say(
            "依頼元がすでに結果を読んだため、再開できません。",
            "Whoever asked has read already that it was not answered.",
        ),
        (_, None) => say(
            "10分以上経過したため、再開できません。",
            "It was closed more than ten minutes ago.",
        ),
    };
    refused("not_reopened", 409, message).with(json!({ "status": form.status }))
}

/// A newer draft exists, which is included.
pub fn draft_conflict(form: &Record) -> Stop {
    let message = say(
        "別の画面で新しい下書きが保存されています。",
        "A newer draft was saved from another window.",
    );
    refused("draft_conflict", 409, message).with(json!({
        "revision": form.revision,
        "draft": form.draft(),
        "labels": form.labels(),
    }))
}

// Pages of the forms that a caller may list, newest first.

/// Columns for lists; the others stay empty.
const LISTED_COLUMNS: &str = "handle, '' AS definition, title, principal, asked_by, asked_at, status, \
                       answered_at, answer, NULL AS labels, NULL AS draft, drafted_at, revision, \
                       read_at";

/// Position of a page: after this form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    asked_at: i64,
    handle: String,
}

impl Cursor {
    /// Position after `form`.
    pub fn behind(form: &Record) -> Self {
        Self { asked_at: form.asked_at, handle: form.handle.clone() }
    }

    /// Parses a cursor.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn read(text: &str) -> Result<Self, Stop> {
        let parts = text.split_once('.').and_then(|(asked_at, handle)| {
            Some(Self { asked_at: asked_at.parse().ok()?, handle: handle.to_owned() })
        });
        parts.ok_or_else(|| invalid("/cursor", "must be a next_cursor of this list"))
    }

    /// Formats the cursor.
    pub fn written(&self) -> String {
        format!("{}.{}", self.asked_at, self.handle)
    }
}

/// Principal whose forms the caller may list; `None` for all, with the scope `*` or without tokens.
fn visible_principal() -> Option<String> {
    let principal = caller::principal();
    let sees_all = is_anonymous(&principal) || caller::scopes().iter().any(|it| it == "*");
    (!sees_all).then_some(principal)
}

/// Whether callers are anonymous, because no token is required.
pub fn is_anonymous(principal: &str) -> bool {
    matches!(principal, "anonymous" | "stdio")
}

/// In place of handles: the forms of all chats.
pub const ALL_CHATS: &str = "*";

/// Whether the caller may list the form.
pub fn can_list(form: &Record) -> bool {
    visible_principal().is_none_or(|it| it == form.principal)
}

/// Returns at most `count` forms after `cursor`, newest first, without definitions and drafts, and
/// whether there are more. Large answers may reduce the number. Where no token is needed, forms of chats are those of
/// `chats`, because nothing else says whose they are.
///
/// # Errors
/// If the database fails.
pub fn page(
    status: Option<Status>,
    chats: &[String],
    cursor: Option<&Cursor>,
    mut count: usize,
) -> Result<(Vec<Record>, bool), Stop> {
    loop {
        match sql::query([select(status, chats, cursor, count + 1)]) {
            Ok([rows]) => {
                let mut found = rows.read::<Record>()?;
                let more = found.len() > count;
                found.truncate(count);
                return Ok((found, more));
            }
            Err(sql::Error::LimitExceeded(_)) if count > 1 => count /= 2,
            Err(error) => return Err(error.into()),
        }
    }
}

fn select(
    status: Option<Status>,
    chats: &[String],
    cursor: Option<&Cursor>,
    count: usize,
) -> Statement {
    let mut conditions = Vec::new();
    let mut parameters: Vec<Value> = Vec::new();
    if let Some(principal) = visible_principal() {
        parameters.push(principal.into());
        conditions.push(format!("principal = ${}", parameters.len()));
    }
    let is_all = chats.iter().any(|it| it == ALL_CHATS);
    if is_anonymous(&caller::principal()) && !is_all {
        let first = parameters.len() + 1;
        parameters.extend(chats.iter().map(|it| Value::from(it.as_str())));
        let own = (first..=parameters.len()).map(|it| format!(" OR handle = ${it}"));
        conditions.push(format!("(in_chat = 0{})", own.collect::<String>()));
    }
    if let Some(status) = status {
        parameters.push(sql::name_of(status).into());
        conditions.push(format!("status = ${}", parameters.len()));
    }
    if let Some(Cursor { asked_at, handle }) = cursor {
        parameters.extend([Value::from(*asked_at), handle.as_str().into()]);
        let (at, after) = (parameters.len() - 1, parameters.len());
        conditions.push(format!("(asked_at < ${at} OR (asked_at = ${at} AND handle < ${after}))"));
    }
    let among = if conditions.is_empty() { "1 = 1".to_owned() } else { conditions.join(" AND ") };
    let select = format!(
        "SELECT {LISTED_COLUMNS} FROM forms WHERE {among} \
         ORDER BY asked_at DESC, handle DESC LIMIT {count}"
    );
    Statement::new(select).bind_all(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips_and_rejects_others() {
        let cursor = Cursor { asked_at: 12, handle: "abc".into() };
        assert_eq!(Cursor::read(&cursor.written()).unwrap(), cursor);
        for text in ["", "12", "x.abc"] {
            assert!(matches!(Cursor::read(text), Err(Stop::InvalidArguments(_))), "{text}");
        }
    }
}
