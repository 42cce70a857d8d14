//! What could be filled into the templates of the forms' resources: of forms that the caller sees in the list.

use toolkit::{
    Stop,
    completions::{Completion, Request},
    sql,
};

use crate::{listing, record};

/// Forms that are offered, the newest.
const FORMS_MAX: usize = 50;
/// Files of one form that are offered.
const FILES_MAX: usize = 100;

/// Completes one argument.
///
/// # Errors
/// As the database.
pub fn complete(request: &Request) -> Result<Completion, Stop> {
    match request.argument.as_str() {
        "status" => Ok(request.among(["waiting", "submitted", "cancelled", "declined"])),
        "handle" => {
            let (forms, _) = listing::page(None, None, FORMS_MAX)?;
            Ok(request.among(forms.into_iter().map(|it| it.handle)))
        }
        "id" => Ok(request.among(files(request.filled_in("handle").unwrap_or_default())?)),
        _ => Ok(Completion::none()),
    }
}

/// The files that a form names, for callers that see it in the list.
fn files(handle: &str) -> Result<Vec<String>, Stop> {
    let files =
        format!("SELECT file_id FROM files WHERE handle = $1 ORDER BY file_id LIMIT {FILES_MAX}");
    let [form, files] = sql::query([record::by_handle(handle), toolkit::sql!(files, handle)])?;
    match form.first::<record::Record>()? {
        Some(form) if listing::sees(&form) => {
            Ok(files.read::<(String,)>()?.into_iter().map(|it| it.0).collect())
        }
        _ => Ok(Vec::new()),
    }
}
