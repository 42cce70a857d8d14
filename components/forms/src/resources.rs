//! What there is to read: the files that were given, single forms, and the list for a spreadsheet.

mod csv;

use output::form::{Status, choices};
use serde_json::{Value, json};
use toolkit::{
    Stop, User, blobs, caller, refused,
    resources::{Contents, Page, Resource, Resources, Template, fits},
    sql,
};

use crate::{
    app::FORM,
    guide::guide,
    lookup::fetch,
    record::{self, Record},
    refusals::{no_such_file, say},
    store,
};

/// When to ask by a form and how.
const GUIDE: &str = "form://guide";
/// What can be chosen in a field: what is typed, and the value that its options depend on, as JSON.
const OPTIONS: &str = "form://{handle}/options/{field}{?typed,parent}";
/// Bytes of a file that are read as a resource; a larger one has an address of its own.
const FILE_BYTES_MAX: u64 = 7 << 20;

/// The forms, as resources.
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
        Ok(Some(vec![Contents::json(uri, &store::shown(&handle)?.submission())]))
    }
}

fn list(uri: &str, status: &str) -> Result<Contents, Stop> {
    let status = match status {
        "" => None,
        text => Some(serde_json::from_value::<Status>(text.into()).map_err(|_| {
            refused("invalid_status", 400, "status: waiting, submitted, cancelled or declined")
        })?),
    };
    let (text, is_whole) = csv::forms(status)?;
    let mut contents = Contents::text(uri, text).mime_type("text/csv;charset=utf-8");
    if !is_whole {
        toolkit::log::notice("the list of forms is too long for one file; the oldest are left out");
        contents.meta = Some(json!({ "forms/is-whole": false }).to_string());
    }
    Ok(contents)
}

/// The options of a field, as the page looks them up; nothing where none come from elsewhere.
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

/// The bytes of a file that the form's answer names.
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
