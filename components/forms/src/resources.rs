//! Resources: uploaded files, single forms, the list as CSV, and options.

use std::{borrow::Cow, collections::BTreeSet};

use output::form::{Listed, Status, choices};
use serde_json::{Value, json};
use toolkit::{
    Stop, User, blobs, caller,
    completions::{Completion, Request},
    refused,
    resources::{Contents, Page, Resource, Resources, Template, fits},
    sql,
};

use crate::{
    guide::guide,
    lookup::fetch,
    record::{self, Cursor, Record},
    refusals::{no_such_file, say},
    store,
    tools::FORM,
};

/// The guide.
const GUIDE: &str = "form://guide";
/// Options of a field for the typed text and its parent's value, as JSON.
const OPTIONS: &str = "form://{handle}/options/{field}{?typed,parent}";
/// Maximum bytes of a file as a resource; larger ones have a URL.
const FILE_BYTES_MAX: u64 = 7 << 20;

/// Resources of forms.
pub struct FormResources;

impl Resources for FormResources {
    fn templates() -> Vec<Template> {
        vec![
            Template::new("form://{handle}/files/{id}", "form_file")
                .title("フォームで送信されたファイル / A file that was given")
                .description("The bytes of a file that a form's answer names by its fileId."),
            Template::new(OPTIONS, "form_options")
                .title("フォームの項目の選択肢 / The options of a field")
                .description("What can be chosen in a field of a form that is filled in, where the options come from elsewhere.")
                .mime_type("application/json"),
            Template::new("form://submissions.csv{?status}", "form_submissions")
                .title("フォームの一覧（CSV） / Forms, for a spreadsheet")
                .description("The forms that the caller asked for, with what was filled in.")
                .mime_type("text/csv"),
            Template::new("form://{handle}", "form")
                .title("フォームの回答 / A form's answer")
                .description("How far a form has come, and what was filled in.")
                .mime_type("application/json"),
        ]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        let csv = Resource::new(store::LIST, "form_submissions")
            .title("フォームの一覧（CSV） / Forms, for a spreadsheet")
            .mime_type("text/csv");
        let guide = Resource::new(GUIDE, "form_guide")
            .title("フォームの定義 / How to write a form")
            .description("Everything that the definition of a form may say, with the look-ups and an example.")
            .mime_type("text/markdown");
        Ok(vec![guide, csv, FORM.resource(&[])].into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        if uri == GUIDE {
            return Ok(Some(vec![Contents::text(uri, guide()).mime_type("text/markdown")]));
        }
        if uri == FORM.uri {
            return Ok(Some(vec![FORM.contents(&[])]));
        }
        if let Some(asked) = fits(OPTIONS, uri) {
            return options(uri, &asked).map(|it| it.map(|it| vec![it]));
        }
        if let Some([status]) = fits("form://submissions.csv{?status}", uri) {
            return Ok(Some(vec![list(uri, &status)?]));
        }
        if let Some([handle, id]) = fits("form://{handle}/files/{id}", uri) {
            return file(uri, &handle, &id).map(|it| Some(vec![it]));
        }
        let Some([handle]) = fits("form://{handle}", uri) else { return Ok(None) };
        let [rows] = sql::query([record::by_handle(&handle)])?;
        if rows.is_empty() {
            return Ok(None);
        }
        Ok(Some(vec![Contents::json(uri, &store::load_for_caller(&handle)?.submission())]))
    }
}

fn list(uri: &str, status: &str) -> Result<Contents, Stop> {
    let status = match status {
        "" => None,
        text => Some(serde_json::from_value::<Status>(text.into()).map_err(|_| {
            refused("invalid_status", 400, "status: waiting, submitted, cancelled or declined")
        })?),
    };
    let (text, is_whole) = forms(status)?;
    let mut contents = Contents::text(uri, text).mime_type("text/csv;charset=utf-8");
    if !is_whole {
        toolkit::log::notice("the list of forms is too long for one file; the oldest are left out");
        contents.meta = Some(json!({ "forms/is-whole": false }).to_string());
    }
    Ok(contents)
}

/// Options of a field, as the page looks them up; `None` without a look-up.
fn options(
    uri: &str,
    [handle, field, typed, parent]: &[String; 4],
) -> Result<Option<Contents>, Stop> {
    let form = record::find(handle)?.form()?;
    let Some(lookup) = form.field(field).and_then(|it| it.lookup()) else { return Ok(None) };
    let parent = serde_json::from_str::<Value>(parent).ok();
    let found = fetch(&lookup.url(typed, parent.as_ref()));
    let found = found.and_then(|it| choices(lookup, &it));
    let found = found.map_err(|why| refused("lookup_failed", 502, why))?;
    let choices = found.into_iter().map(|it| json!({ "value": it.value, "label": it.label }));
    Ok(Some(Contents::json(uri, &json!({ "choices": choices.collect::<Vec<_>>() }))))
}

/// Content of a file in the form's answer.
fn file(uri: &str, handle: &str, id: &str) -> Result<Contents, Stop> {
    let found = record::find(handle)?;
    if !names(&found, id) {
        return Err(no_such_file());
    }
    let blob = blobs::stat(id)?;
    if blob.size > FILE_BYTES_MAX {
        let message = say(
            "ファイルが大きいため、details の url から取得してください。",
            "The file is too large to be read so; it is at the url in the details.",
        );
        let url = format!("{}/api/blobs/{id}", caller::page().unwrap_or_default());
        return Err(refused("too_large", 413, message).with(json!({ "url": url })));
    }
    let length = u32::try_from(blob.size).unwrap_or(u32::MAX);
    let bytes = blobs::read(id, 0, length)?;
    let kind = blobs::sniff(id)?.unwrap_or(blob.mime_type);
    Ok(Contents::blob(uri, &kind, bytes))
}

fn names(found: &Record, id: &str) -> bool {
    let names = |it: &Value| it["fileId"] == id;
    let values = found.values().unwrap_or_default();
    values.values().any(|it| it.as_array().map_or_else(|| names(it), |all| all.iter().any(names)))
}

// Completion of the resource templates' arguments, from forms that the caller may list.

/// Maximum offered forms, the newest.
const COMPLETED_MAX: usize = 50;
/// Maximum offered files of one form.
const FILES_MAX: usize = 100;

/// Completes one argument.
///
/// # Errors
/// If the database fails.
pub fn complete(request: &Request) -> Result<Completion, Stop> {
    match request.argument.as_str() {
        "status" => Ok(request.among(["waiting", "submitted", "cancelled", "declined"])),
        "handle" => {
            let (forms, _) = record::page(None, &[], None, COMPLETED_MAX)?;
            Ok(request.among(forms.into_iter().map(|it| it.handle)))
        }
        "id" => Ok(request.among(files(request.filled_in("handle").unwrap_or_default())?)),
        _ => Ok(Completion::none()),
    }
}

/// Files of a form, if the caller may list it.
fn files(handle: &str) -> Result<Vec<String>, Stop> {
    let files =
        format!("SELECT file_id FROM files WHERE handle = $1 ORDER BY file_id LIMIT {FILES_MAX}");
    let [form, files] = sql::query([record::by_handle(handle), toolkit::sql!(files, handle)])?;
    match form.first::<Record>()? {
        Some(form) if record::can_list(&form) => {
            Ok(files.read::<(String,)>()?.into_iter().map(|it| it.0).collect())
        }
        _ => Ok(Vec::new()),
    }
}

// The list of forms as CSV (RFC 4180, UTF-8), safe against formulas.

/// Maximum field columns over all forms.
const FIELDS_MAX: usize = 200;
/// Forms per read, and in total.
const PAGE: usize = 200;
const FORMS_MAX: usize = 10_000;
/// Maximum bytes of the file.
const BYTES_MAX: usize = 4 << 20;
/// Byte order mark by which spreadsheets recognize UTF-8.
const MARK: char = '\u{feff}';
/// Columns before the fields.
const COLUMNS: [&str; 6] = ["handle", "title", "status", "asked_by", "asked_at", "answered_at"];

/// Listable forms, newest first, and whether these are all.
fn forms(status: Option<Status>) -> Result<(String, bool), Stop> {
    let (mut forms, mut bytes) = (Vec::<Listed>::new(), 0);
    let (chats, mut cursor) = ([record::ALL_CHATS.to_owned()], None);
    loop {
        let (found, more) = record::page(status, &chats, cursor.as_ref(), PAGE)?;
        let size = |it: &Record| it.answer.as_deref().map_or(0, str::len) + 200;
        for form in &found {
            bytes += size(form);
            if bytes > BYTES_MAX || forms.len() >= FORMS_MAX {
                return Ok((written(&forms), false));
            }
            forms.push(form.listed());
        }
        match found.last().filter(|_| more) {
            Some(last) => cursor = Some(Cursor::behind(last)),
            None => return Ok((written(&forms), true)),
        }
    }
}

fn written(forms: &[Listed]) -> String {
    let fields = fields(forms);
    let mut text = String::from(MARK);
    let head = COLUMNS.iter().copied().chain(fields.iter().copied());
    line(&mut text, head.map(|it| cell(it.into())));
    for form in forms {
        let optional = |it: &Option<String>| it.clone().unwrap_or_default();
        let own = [
            form.handle.clone(),
            form.title.clone(),
            sql::name_of(form.status),
            optional(&form.asked_by),
            form.asked_at.clone(),
            optional(&form.answered_at),
        ];
        let own = own.map(|it| cell(it.into()));
        let values = fields.iter().map(|name| value(form.values.as_ref()?.get(*name)?));
        line(&mut text, own.into_iter().chain(values.map(Option::unwrap_or_default)));
    }
    text
}

/// Names of all submitted fields, in the order of the forms.
fn fields(forms: &[Listed]) -> Vec<&str> {
    let mut keys = BTreeSet::new();
    let names = forms.iter().filter_map(|it| it.values.as_ref()).flat_map(|it| it.keys());
    let fresh = names.map(String::as_str).filter(|it| keys.insert(*it));
    fresh.take(FIELDS_MAX).collect()
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&cell);
    }
    text.push_str("\r\n");
}

/// Formats a value: numbers as they are, lists joined.
fn value(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => cell(text.into()),
        Value::Array(several) => {
            let several: Vec<_> = several.iter().map(plain).collect();
            cell(several.join("; ").into())
        }
        Value::Object(_) => cell(plain(value)),
    })
}

/// Formats a value for people; a file by its name.
fn plain(value: &Value) -> Cow<'_, str> {
    match (value.as_str(), value["name"].as_str()) {
        (Some(text), _) => text.into(),
        (None, Some(name)) if value["fileId"].is_string() => name.into(),
        _ => value.to_string().into(),
    }
}

/// Quotes a cell, with an apostrophe before what would be a formula.
fn cell(text: Cow<'_, str>) -> String {
    let is_formula =
        text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r', '\n']);
    let text = if is_formula { Cow::Owned(format!("'{text}")) } else { text };
    if text.contains(['"', ',', '\r', '\n']) || text.contains("; ") {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(values: Value) -> Listed {
        let values = values.as_object().cloned();
        Listed { handle: "h".into(), title: "a,\"b\"".into(), values, ..Listed::default() }
    }

    #[test]
    fn quotes_cells_and_defuses_formulas() {
        let quoted = |it: &str| cell(it.into());
        assert_eq!(quoted("plain 窓口"), "plain 窓口");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(quoted("a\r\nb"), "\"a\r\nb\"");
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"] {
            assert!(quoted(formula).trim_start_matches('"').starts_with('\''), "{formula}");
        }
    }

    #[test]
    fn columns_are_all_submitted_fields() {
        let files = json!([{ "name": "a.pdf", "fileId": "1" }, { "name": "b.pdf", "fileId": "2" }]);
        let forms = [
            form(json!({ "n": -5, "text": "=cmd()" })),
            form(json!({ "files": files, "n": 0, "ok": true, "tags": ["x", "y"] })),
        ];
        let text = written(&forms);
        let mut lines = text.strip_prefix(MARK).unwrap().split("\r\n");
        assert_eq!(
            lines.next().unwrap(),
            "handle,title,status,asked_by,asked_at,answered_at,n,text,files,ok,tags"
        );
        assert_eq!(lines.next().unwrap(), "h,\"a,\"\"b\"\"\",waiting,,,,-5,'=cmd(),,,");
        let second = "h,\"a,\"\"b\"\"\",waiting,,,,0,,\"a.pdf; b.pdf\",true,\"x; y\"";
        assert_eq!(lines.next().unwrap(), second);
        assert_eq!(lines.next().unwrap(), "");
    }
}
