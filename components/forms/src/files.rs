//! Files in answers: uploaded to the host's store and verified there.

use output::form::{Fault, Field, Files, Form, Kind, Values, Wrong, type_by_ending};
use serde_json::Value;
use toolkit::{
    Stop,
    blobs::{self, Blob, Error},
};

/// Media type of unknown files.
const UNKNOWN: &str = "application/octet-stream";

/// A file in a value.
#[derive(Clone, Debug)]
pub struct FileRef<'a> {
    /// Field of the file.
    pub field: &'a Field,
    /// Id in the store.
    pub id: String,
    /// Original name.
    pub name: String,
}

impl FileRef<'_> {
    /// Resource URI of its content.
    pub fn uri(&self, handle: &str) -> String {
        format!("form://{handle}/files/{}", self.id)
    }
}

/// Lists the files of `values` by field.
pub fn named<'a>(form: &'a Form, values: &'a Values) -> impl Iterator<Item = FileRef<'a>> {
    let fields = form.fields.iter().filter(|it| matches!(it.kind, Kind::File(_)));
    fields.flat_map(|field| {
        let given = values.get(&field.name);
        let given = given.map_or(&[][..], |value| match value {
            Value::Array(several) => several,
            one => std::slice::from_ref(one),
        });
        given.iter().filter_map(move |entry| {
            let text = |member: &str| entry[member].as_str().unwrap_or_default().to_owned();
            let id = text("fileId");
            is_id(&id).then(|| FileRef { field, id, name: text("name") })
        })
    })
}

/// Whether `id` is a SHA-256 digest, as the store's ids are.
fn is_id(id: &str) -> bool {
    id.len() == 64 && id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

/// Verifies every file of `values` in the store, and replaces size and type by the store's.
///
/// # Errors
/// If the store is unavailable.
pub fn check(form: &Form, values: &mut Values) -> Result<Vec<Fault>, Stop> {
    let mut faults = Vec::new();
    for field in &form.fields {
        let (Kind::File(files), Some(value)) = (&field.kind, values.get_mut(&field.name)) else {
            continue;
        };
        let several = match value {
            Value::Array(several) => several.as_mut_slice(),
            one => std::slice::from_mut(one),
        };
        for file in several {
            if let Some(wrong) = look(files, file)? {
                let (name, label) = (field.name.clone(), field.label.clone());
                faults.push(Fault { field: name, label, wrong });
                break;
            }
        }
    }
    Ok(faults)
}

/// Verifies one file and updates its value; returns the error, if any.
fn look(files: &Files, file: &mut Value) -> Result<Option<Wrong>, Stop> {
    let id = file["fileId"].as_str().unwrap_or_default().to_owned();
    let name = file["name"].as_str().unwrap_or_default().to_owned();
    let found = if is_id(&id) { blobs::stat(&id) } else { Err(Error::Unknown) };
    let Blob { size, mime_type, .. } = match found {
        Ok(blob) => blob,
        Err(Error::Unknown) => return Ok(Some(Wrong::FileGone(name))),
        Err(error) => return Err(error.into()),
    };
    if let Some(max) = files.size_max.filter(|it| size > *it) {
        return Ok(Some(Wrong::FileSize(name, max)));
    }
    let sniffed = match blobs::sniff(&id) {
        Ok(sniffed) => sniffed,
        Err(Error::Unknown) => return Ok(Some(Wrong::FileGone(name))),
        Err(error) => return Err(error.into()),
    };
    if !accepts(&files.accept, &name, &mime_type, sniffed.as_deref()) {
        return Ok(Some(Wrong::FileKind(name)));
    }
    file["size"] = size.into();
    file["type"] = kind(&mime_type, sniffed.as_deref()).into();
    Ok(None)
}

/// Whether a file of this name and type is accepted. The sniffed type precedes the declared one; an
/// extension is trusted unless the content contradicts it.
fn accepts(accept: &[String], name: &str, mime: &str, sniffed: Option<&str>) -> bool {
    if accept.is_empty() {
        return true;
    }
    let (name, kind) = (name.to_lowercase(), kind(mime, sniffed));
    let by_ending = type_by_ending(&name).filter(|_| sniffed.is_none());
    let is_one = |wanted: &String| {
        [Some(kind.as_str()), by_ending].into_iter().flatten().any(|accepted| {
            match wanted.strip_suffix("/*") {
                Some(family) => family == "*" || accepted.split('/').next() == Some(family),
                None => accepted == wanted,
            }
        })
    };
    accept.iter().any(|wanted| match wanted.starts_with('.') {
        true => name.ends_with(wanted.as_str()) && fits_ending(wanted, sniffed),
        false => is_one(wanted),
    })
}

/// Media type of a file: the sniffed type, unless it is only the container format.
fn kind(mime: &str, sniffed: Option<&str>) -> String {
    let mime = mime.split(';').next().unwrap_or_default().trim().to_lowercase();
    let is_box = match sniffed {
        None => true,
        Some("application/zip") => mime.starts_with("application/") && mime != UNKNOWN,
        Some("application/xml") => mime.ends_with("xml"),
        Some("video/mp4" | "video/webm" | "audio/ogg") => {
            mime.starts_with("audio/") || mime.starts_with("video/")
        }
        Some(_) => false,
    };
    if is_box { mime } else { sniffed.unwrap_or_default().to_owned() }
}

/// Whether content sniffed as `sniffed` may have this extension. Unknown extensions and content are accepted.
fn fits_ending(ending: &str, sniffed: Option<&str>) -> bool {
    let Some(sniffed) = sniffed else { return true };
    let families: &[&str] = match ending {
        ".pdf" => &["application/pdf"],
        ".png" => &["image/png"],
        ".jpg" | ".jpeg" => &["image/jpeg"],
        ".gif" => &["image/gif"],
        ".webp" => &["image/webp"],
        ".svg" => &["image/svg+xml", "application/xml"],
        ".mp3" | ".wav" | ".ogg" | ".flac" => &["audio/"],
        ".mp4" | ".mov" | ".webm" | ".m4a" => &["video/", "audio/"],
        ".docx" | ".xlsx" | ".pptx" | ".zip" | ".odt" | ".ods" | ".odp" => &["application/zip"],
        // These have no recognizable signature.
        ".doc" | ".xls" | ".ppt" | ".txt" | ".csv" | ".md" | ".json" | ".log" => &[],
        _ => return true,
    };
    families.iter().any(|it| sniffed.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(accept: &[&str], name: &str, mime: &str, sniffed: Option<&str>) -> bool {
        let accept: Vec<_> = accept.iter().map(|it| (*it).to_owned()).collect();
        accepts(&accept, name, mime, sniffed)
    }

    #[test]
    fn trusts_extension_unless_content_contradicts() {
        assert!(takes(&[".pdf", ".doc"], "A.PDF", "application/pdf", Some("application/pdf")));
        assert!(takes(&[".pdf"], "a.pdf", "application/pdf", None));
        assert!(!takes(&[".pdf"], "a.pdf", "application/pdf", Some("image/png")));
        assert!(!takes(&[".pdf"], "a.png", "application/pdf", Some("application/pdf")));
        assert!(takes(&[".xyz"], "a.xyz", "", Some("image/png")));
    }

    #[test]
    fn sniffed_type_precedes_declared_type() {
        assert!(takes(&["image/*"], "a", "text/plain", Some("image/png")));
        assert!(!takes(&["image/*"], "a", "image/png", Some("application/pdf")));
        assert!(takes(&["text/plain"], "a", "Text/Plain; charset=utf-8", None));
        assert!(!takes(&["text/plain"], "a", "text/html", None));
        assert!(takes(&[], "a", "text/html", None));
        assert!(takes(&["*/*"], "a", "text/html", None));
    }

    #[test]
    fn accepts_csv_declared_as_excel() {
        let excel = "application/vnd.ms-excel";
        assert!(takes(&["text/csv"], "報告.CSV", excel, None));
        assert!(takes(&["text/*"], "a.md", "", None));
        assert!(!takes(&["text/csv"], "a.csv", excel, Some("application/pdf")));
        assert!(!takes(&["text/csv"], "a.xls", excel, None));
    }

    #[test]
    fn container_keeps_its_declared_type() {
        let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
        assert!(takes(&[docx], "a.docx", docx, Some("application/zip")));
        assert!(takes(&[".docx"], "a.docx", docx, Some("application/zip")));
        assert!(!takes(&[docx], "a.docx", UNKNOWN, Some("application/zip")));
        assert!(!takes(&[docx], "a.docx", docx, Some("application/pdf")));
        assert!(!takes(&[".txt"], "a.txt", "text/plain", Some("text/html")));
        assert_eq!(kind("audio/webm", Some("video/webm")), "audio/webm");
    }

    #[test]
    fn only_a_digest_is_a_file_id() {
        assert!(is_id(&"a1".repeat(32)));
        assert!(!is_id(&"A1".repeat(32)) && !is_id("../../etc/passwd") && !is_id(""));
    }
}
