//! Reads a granted folder, and tries to write to it and to escape from it.

use std::{fs, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Stop, Tool, User, refused};

use crate::named;

/// フォルダーの中のファイルを読む。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFolder {
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Content {
    text: String,
    beside: Vec<String>,
}

impl Tool for ReadFolder {
    named!("read_folder", "開く", "Open", "Reads a file of a folder.", "path");
    type Output = Content;

    fn call(self, _: &User) -> Result<Content, Stop> {
        let failed = |it: std::io::Error| refused("unreadable", 404, it.to_string());
        let text = fs::read_to_string(&self.path).map_err(failed)?;
        let folder = Path::new(&self.path).parent().unwrap_or(Path::new("/"));
        let entries = fs::read_dir(folder).map_err(failed)?.flatten();
        let mut beside: Vec<_> =
            entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
        beside.sort();
        Ok(Content { text, beside })
    }
}

/// フォルダーに書こうとする。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFolder {
    folder: String,
}

/// The attempts and their errors.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tried {
    worked: Vec<String>,
    failed: Vec<String>,
}

impl Tried {
    fn all<T>(tries: impl IntoIterator<Item = (String, std::io::Result<T>)>) -> Self {
        let (mut worked, mut failed) = (Vec::new(), Vec::new());
        for (name, result) in tries {
            if result.is_ok() { worked.push(name) } else { failed.push(name) }
        }
        Self { worked, failed }
    }
}

impl Tool for WriteFolder {
    named!("write_folder", "書く", "Write", "Tries to write in a folder.", "folder");
    type Output = Tried;

    fn call(self, _: &User) -> Result<Tried, Stop> {
        let at = |name: &str| format!("{}/{name}", self.folder);
        Ok(Tried::all([
            ("create".to_owned(), fs::write(at("new.txt"), "x")),
            ("overwrite".to_owned(), fs::write(at("a.txt"), "x")),
            ("append".to_owned(), fs::File::options().append(true).open(at("a.txt")).map(|_| ())),
            ("remove".to_owned(), fs::remove_file(at("a.txt"))),
            ("rename".to_owned(), fs::rename(at("a.txt"), at("b.txt"))),
            ("folder".to_owned(), fs::create_dir(at("new"))),
            ("link".to_owned(), fs::hard_link(at("a.txt"), at("b.txt"))),
        ]))
    }
}

/// フォルダーから出ようとする。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EscapeFolder {
    /// Paths to read that should not be there to be read.
    paths: Vec<String>,
}

impl Tool for EscapeFolder {
    named!("escape_folder", "抜ける", "Escape", "Tries to read elsewhere.", "paths");
    type Output = Tried;

    fn call(self, _: &User) -> Result<Tried, Stop> {
        Ok(Tried::all(self.paths.into_iter().map(|it| (it.clone(), fs::read(it)))))
    }
}
