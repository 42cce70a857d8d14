//! The forms that a caller may see in a list, newest first, page by page.

use output::form::Status;
use toolkit::{Stop, caller, invalid, sql, sql::Value};

use crate::record::{Record, status_name};

/// What a list needs of a form; the rest stays empty.
const COLUMNS: &str = "handle, '' AS definition, title, principal, asked_by, asked_at, status, \
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
pub fn whose() -> Option<String> {
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

fn select(status: Option<Status>, cursor: Option<&Cursor>, count: usize) -> sql::Statement {
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
        "SELECT {COLUMNS} FROM forms WHERE {among} \
         ORDER BY asked_at DESC, handle DESC LIMIT {count}"
    );
    sql::Statement::new(select).bind_all(parameters)
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
