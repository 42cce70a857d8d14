//! A component that uses all grants except the database: files, folders, blobs, events, waiting, schedules, jobs,
//! routes, and assistants where that is forbidden.

mod jobs;
mod routes;

use std::{fs, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::{
    Stop, Tool, User,
    assistants::{self, Part, Run, Task},
    blobs, caller,
    endpoints::{Failure, Refusal, Request},
    files, refused, sql,
};

use jobs::{AwaitLetter, CountRuns, SendLetter, WaitInVain, WakeYourself};

toolkit::export_tools!(
    ReadFile,
    ReadFolder,
    WriteFolder,
    EscapeFolder,
    PutBlob,
    ReadBlob,
    SendLetter,
    AwaitLetter,
    WaitInVain,
    WakeYourself,
    CountRuns,
    PlayPart,
);
toolkit::export_migrations!(1 "tables" => "../migrations/1-tables.sql");
toolkit::export_schedule!(jobs::letters_run);
toolkit::export_jobs!(jobs::due, jobs::run);
toolkit::export_endpoints!(get);
toolkit::export_routes!(routes::routes);

/// Defines names, hints and output of a tool.
#[macro_export]
macro_rules! named {
    ($name:literal, $ja:literal, $en:literal, $description:literal $(, $argument:literal)*) => {
        const NAME: &'static str = $name;
        const TITLE: toolkit::Text = toolkit::Text { ja: $ja, en: $en };
        const ENGLISH: toolkit::English = toolkit::English {
            description: $description,
            arguments: &[$(($argument, $argument)),*],
        };
    };
}

// Reads a granted folder, and tries to write to it and to escape from it.

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

// Reads granted files, and writes and reads blobs.

/// 許可されたファイルの一部を読む。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFile {
    name: String,
    offset: u64,
    length: u32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Piece {
    text: String,
    size: u64,
}

impl Tool for ReadFile {
    named!(
        "read_file",
        "読む",
        "Read",
        "Reads a piece of a granted file.",
        "name",
        "offset",
        "length"
    );
    type Output = Piece;

    fn call(self, _: &User) -> Result<Piece, Stop> {
        let bytes = files::read(&self.name, self.offset, self.length)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Piece { text, size: files::size(&self.name)? })
    }
}

/// ブロブを作る。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutBlob {
    text: String,
    mime_type: String,
    /// How many, each with another number at its end.
    #[serde(default)]
    times: u32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Put {
    id: String,
    size: u64,
    mime_type: String,
}

impl Tool for PutBlob {
    named!("put_blob", "置く", "Put", "Makes a blob.", "text", "mime_type", "times");
    type Output = Put;

    fn call(self, _: &User) -> Result<Put, Stop> {
        for number in 1..self.times {
            blobs::put(format!("{}{number}", self.text).as_bytes(), &self.mime_type)?;
        }
        let blob = blobs::put(self.text.as_bytes(), &self.mime_type)?;
        Ok(Put { id: blob.id, size: blob.size, mime_type: blob.mime_type })
    }
}

/// ブロブを読む。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadBlob {
    id: String,
    offset: u64,
    length: u32,
}

impl Tool for ReadBlob {
    named!("read_blob", "見る", "See", "Reads a piece of a blob.", "id", "offset", "length");
    type Output = Piece;

    fn call(self, _: &User) -> Result<Piece, Stop> {
        let size = blobs::stat(&self.id)?.size;
        let bytes = blobs::read(&self.id, self.offset, self.length)?;
        Ok(Piece { text: String::from_utf8_lossy(&bytes).into_owned(), size })
    }
}

// Runs assistants where that is forbidden: with a role in a call, and for a caller in a job.

/// 役を演じさせる。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayPart {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Came {
    /// The data of the last event.
    ended: String,
}

impl Tool for PlayPart {
    named!("play_part", "演じる", "Play", "Has an assistant play a part, in a call.");
    type Output = Came;

    fn call(self, _: &User) -> Result<Came, Stop> {
        let name = "hero".to_owned();
        let part = Part { name, given: Vec::new(), tokens_max: None, memory: None };
        Ok(Came { ended: ended(&assistants::play(&task(), &part)) })
    }
}

/// Returns the result of a run for a caller.
pub(crate) fn served() -> String {
    ended(&assistants::start(&task()))
}

fn ended(run: &Run) -> String {
    let mut data = String::new();
    while let Some(event) = run.next() {
        data = event.data;
    }
    data
}

fn task() -> Task {
    Task {
        assistant: "counter".to_owned(),
        message: "Hello".to_owned(),
        history: Vec::new(),
        language: "en".to_owned(),
        context: None,
        may_ask_model: false,
    }
}

// Serves `GET /api/reach/…`.

/// Answers one request for data.
pub(crate) fn get(request: &Request) -> Result<Value, Failure> {
    match request.path.as_str() {
        "letters" => {
            let q = request.value("q").unwrap_or_default();
            let pattern = format!("%{q}%");
            let [rows] = sql::query([toolkit::sql!(
                "SELECT text FROM letters WHERE text LIKE $1 ESCAPE '!' ORDER BY letter_id",
                pattern
            )])?;
            let letters: Vec<(String,)> = rows.read().map_err(Stop::from)?;
            Ok(json!({ "letters": letters.into_iter().map(|it| it.0).collect::<Vec<_>>() }))
        }
        "double" => {
            let number: Option<i64> = request.parse("number", "must be a number")?;
            let number =
                number.ok_or_else(|| toolkit::endpoints::invalid("number", "is missing"))?;
            Ok(json!({ "double": number * 2 }))
        }
        "secret" => Err(Failure::Refused(Refusal {
            code: "forbidden".to_owned(),
            message: "Not for you.".to_owned(),
            status: 403,
            details: Some(r#"{"why":"it is secret"}"#.to_owned()),
        })),
        "closed" => Err(Failure::Unavailable("Back in a minute.".to_owned())),
        "loop" => loop {
            std::hint::black_box(request);
        },
        "who" => Ok(json!({ "locale": caller::locale(), "path": request.path })),
        "page" => Ok(json!({ "page": caller::page() })),
        path if path.starts_with("echo/") => Ok(json!({ "path": path, "query": request.query })),
        _ => Err(Failure::NotFound),
    }
}
