//! The list of forms as a file for spreadsheets: RFC 4180 in UTF-8, and no cell is a formula.

use std::{borrow::Cow, collections::BTreeSet};

use output::form::{Listed, Status};
use serde_json::Value;
use toolkit::Stop;

use crate::{
    listing::{self, Cursor},
    record::{self, Record},
};

/// Fields that have a column, over all forms.
const FIELDS_MAX: usize = 200;
/// Forms that are read at a time, and at most.
const PAGE: usize = 200;
const FORMS_MAX: usize = 10_000;
/// Bytes of the file.
const BYTES_MAX: usize = 4 << 20;
/// The mark by which spreadsheets know that a file is UTF-8.
const MARK: char = '\u{feff}';
/// The columns before those of the fields.
const COLUMNS: [&str; 6] = ["handle", "title", "status", "asked_by", "asked_at", "answered_at"];

/// The forms that the caller may see, newest first; and whether these are all.
pub(super) fn forms(status: Option<Status>) -> Result<(String, bool), Stop> {
    let (mut forms, mut bytes) = (Vec::<Listed>::new(), 0);
    let mut cursor = None;
    loop {
        let (found, more) = listing::page(status, cursor.as_ref(), PAGE)?;
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
            record::status_name(form.status).to_owned(),
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

/// The names of all fields that were filled in, in the order of the forms.
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

/// A value: a number as it is, since it is no formula; several behind one another.
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

/// A text for people: of a file, its name.
fn plain(value: &Value) -> Cow<'_, str> {
    match (value.as_str(), value["name"].as_str()) {
        (Some(text), _) => text.into(),
        (None, Some(name)) if value["fileId"].is_string() => name.into(),
        _ => value.to_string().into(),
    }
}

/// A text in its cell. What a spreadsheet would take for a formula has a quote in front.
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
    fn a_cell_is_quoted_where_it_must_be_and_never_a_formula() {
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
    fn the_columns_are_all_fields_that_were_filled_in() {
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
