//! Settings of a component, including files that they name.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde_json::Value;

use crate::source::read_text;

/// Bytes that a file named by a setting may have.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The settings of one component at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    values: BTreeMap<String, Value>,
}

/// Files named by settings, with their modification times.
pub type Stamp = Vec<(PathBuf, Option<SystemTime>)>;

/// Why a setting's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file is unreadable.
    #[error("setting {name}: {path}: {source}", path = path.display())]
    Read {
        /// The setting's name.
        name: String,
        /// The file it names.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is no JSON.
    #[error("setting {name}: {path} is not valid JSON: {source}", path = path.display())]
    Json {
        /// The setting's name.
        name: String,
        /// The file it names.
        path: PathBuf,
        /// The parser's error, with its place.
        source: serde_json::Error,
    },
}

impl Settings {
    /// Reads `configured` and replaces `{ file = "…" }` by the file's content. Paths are relative to `base`.
    pub fn read(configured: &BTreeMap<String, Value>, base: &Path) -> Result<Self, SettingsError> {
        match Self::salvage(configured, base) {
            (settings, None) => Ok(settings),
            (_, Some(error)) => Err(error),
        }
    }

    /// Reads settings, omits unreadable ones, and returns the first error.
    pub fn salvage(
        configured: &BTreeMap<String, Value>,
        base: &Path,
    ) -> (Self, Option<SettingsError>) {
        let (mut settings, mut failed) = (Self::default(), None);
        for (name, value) in configured {
            let value = match file_of(value) {
                Some(file) => Self::file(name, base.join(file)),
                None => Ok(value.clone()),
            };
            match value {
                Ok(value) => _ = settings.values.insert(name.clone(), value),
                Err(error) => _ = failed.get_or_insert(error),
            }
        }
        (settings, failed)
    }

    /// One setting as JSON.
    pub fn get(&self, name: &str) -> Option<String> {
        self.values.get(name).map(Value::to_string)
    }

    /// The files that `configured` names, and those of `others`, as they are now.
    pub fn stamp(configured: &BTreeMap<String, Value>, base: &Path, others: Vec<PathBuf>) -> Stamp {
        let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
        let files = configured.values().filter_map(file_of).map(|it| base.join(it));
        files.chain(others).map(|path| (path.clone(), modified(&path))).collect()
    }

    fn file(name: &str, path: PathBuf) -> Result<Value, SettingsError> {
        let read =
            |source| SettingsError::Read { name: name.to_owned(), path: path.clone(), source };
        let text = read_text(&path, FILE_BYTES_MAX).map_err(read)?;
        if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json")) {
            let json =
                |source| SettingsError::Json { name: name.to_owned(), path: path.clone(), source };
            return serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(json);
        }
        Ok(Value::String(text))
    }
}

fn file_of(value: &Value) -> Option<&str> {
    let table = value.as_object()?;
    if table.len() == 1 { table.get("file")?.as_str() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_file_setting_is_its_content_or_an_error_with_place() {
        let folder =
            std::env::temp_dir().join(format!("madoguchi-settings-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let configured = BTreeMap::from([
            ("zone".to_owned(), Value::from("Asia/Tokyo")),
            ("catalog".to_owned(), serde_json::json!({ "file": "films.json" })),
        ]);
        let missing = Settings::read(&configured, &folder).unwrap_err().to_string();
        assert!(missing.starts_with("setting catalog: "), "{missing}");
        fs::write(folder.join("films.json"), r#"{"films": []}"#).unwrap();
        let settings = Settings::read(&configured, &folder).unwrap();
        assert_eq!(settings.get("catalog").as_deref(), Some(r#"{"films":[]}"#));
        assert_eq!(settings.get("zone").as_deref(), Some("\"Asia/Tokyo\""));
        let before = Settings::stamp(&configured, &folder, Vec::new());
        fs::remove_file(folder.join("films.json")).unwrap();
        assert_ne!(Settings::stamp(&configured, &folder, Vec::new()), before);
        fs::write(folder.join("films.json"), "{").unwrap();
        let broken = Settings::read(&configured, &folder).unwrap_err().to_string();
        assert!(broken.contains("line 1"), "{broken}");
        fs::remove_dir_all(folder).unwrap();
    }
}
