//! One form as the database has it, what callers are shown of it, and the list of those that a caller may see.

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
            message: delivery::message(self.status, values.as_ref()),
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

// Refusals for a form's state, in the caller's language.

/// The form was answered before.
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

/// It is too late to take a cancelled form up again, or there is nothing to take up.
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

/// Another window was faster (with what it saved).
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

// The forms that a caller may see in a list, newest first, page by page.

/// What a list needs of a form; the rest stays empty.
const LISTED_COLUMNS: &str = "handle, '' AS definition, title, principal, asked_by, asked_at, status, \
                       answered_at, answer, NULL AS labels, NULL AS draft, drafted_at, revision, \
                       read_at";

/// Where a page begins: after the form that was asked for then, and has this handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    asked_at: i64,
    handle: String,
}

impl Cursor {
    /// Where a list goes on after `form`.
    pub fn behind(form: &Record) -> Self {
        Self { asked_at: form.asked_at, handle: form.handle.clone() }
    }

    /// As it was written.
    ///
    /// # Errors
    /// When it is none of ours.
    pub fn read(text: &str) -> Result<Self, Stop> {
        let parts = text.split_once('.').and_then(|(asked_at, handle)| {
            Some(Self { asked_at: asked_at.parse().ok()?, handle: handle.to_owned() })
        });
        parts.ok_or_else(|| invalid("/cursor", "must be a next_cursor of this list"))
    }

    /// For the caller to bring back.
    pub fn written(&self) -> String {
        format!("{}.{}", self.asked_at, self.handle)
    }
}

/// Whose forms a caller sees: their own, or all where their scopes say `*` or no token is needed.
fn whose() -> Option<String> {
    let principal = caller::principal();
    let sees_all = is_everybody(&principal) || caller::scopes().iter().any(|it| it == "*");
    (!sees_all).then_some(principal)
}

/// Whether callers have no names of their own: no token is needed here.
pub fn is_everybody(principal: &str) -> bool {
    matches!(principal, "anonymous" | "stdio")
}

/// Whether a caller sees that form in lists.
pub fn sees(form: &Record) -> bool {
    whose().is_none_or(|it| it == form.principal)
}

/// At most `count` forms behind `cursor`, newest first, without their definitions and drafts; and
/// whether there are more. Fewer come where so many answers are more than one read may bring.
///
/// # Errors
/// As the database.
pub fn page(
    status: Option<Status>,
    cursor: Option<&Cursor>,
    mut count: usize,
) -> Result<(Vec<Record>, bool), Stop> {
    loop {
        match sql::query([select(status, cursor, count + 1)]) {
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

fn select(status: Option<Status>, cursor: Option<&Cursor>, count: usize) -> Statement {
    let mut conditions = Vec::new();
    let mut parameters: Vec<Value> = Vec::new();
    if let Some(principal) = whose() {
        parameters.push(principal.into());
        conditions.push(format!("principal = ${}", parameters.len()));
    }
    if let Some(status) = status {
        parameters.push(status_name(status).into());
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
    fn a_cursor_comes_back_as_it_went_out_and_nothing_else_is_one() {
        let cursor = Cursor { asked_at: 12, handle: "abc".into() };
        assert_eq!(Cursor::read(&cursor.written()).unwrap(), cursor);
        for text in ["", "12", "x.abc"] {
            assert!(matches!(Cursor::read(text), Err(Stop::InvalidArguments(_))), "{text}");
        }
    }
}
