//! Records a call with every use of a capability, and replays it offline.

use std::{collections::BTreeMap, io, path::Path, sync::Arc, time::Duration};

use clap::ValueEnum;
use data_encoding::HEXLOWER;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    Compiled, Running, Solo, SoloOutcome, around,
    folders::{LaidOut, Lent},
    invocation, solo_outcome,
};
use calls::answer_in_solo;
use sandbox::{
    capability::{
        Around, Asking,
        host_resources::HostResources,
        recording::{Difference, REDACTED, Recording, Use, as_read},
    },
    component::{CallError, Content, Datetime, LoadError, Output, Round, Stop},
};
use store::{clock::Clock, digest::digest};

/// The form of records that are written and read here.
const FORM: u32 = 1;

/// A call, and all that crossed the border between the component and its host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The form of the record: 1.
    pub madoguchi_record: u32,
    /// The component that was called.
    pub component: Recorded,
    /// The call that was made.
    pub call: Call,
    /// The folders that it could read, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Lent>,
    /// Uses in order.
    pub uses: Vec<Use>,
    /// Outcome of the call.
    pub outcome: Value,
}

/// A component that was called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Its name.
    pub name: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub digest: String,
    /// The path of its file.
    pub file: String,
}

/// Call of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments: an object.
    pub arguments: Value,
    /// The answers to its questions, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, Value>,
    /// Time of the call: seconds and nanoseconds since 1970.
    pub called_at: (u64, u32),
    /// Random seed: 32 bytes in hexadecimal.
    pub random: String,
}

/// Result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Replayed {
    /// Uses and outcome match.
    Same,
    /// The component has no such tool: it is another one.
    NoTool,
    /// A use is another.
    Use(Difference),
    /// Uses match, and the outcome differs: place, expected and actual value.
    Outcome(String, Value, Value),
}

impl Running {
    /// Runs a call and records it, or explains why there is no record. `file` is the component's, and `folders` are
    /// those that it may read.
    pub fn record<'a>(
        &'a self,
        (file, folders): (&'a str, Vec<Lent>),
        (tool, arguments): (&'a str, &'a Value),
        answers: BTreeMap<String, Value>,
    ) -> BoxFuture<'a, (SoloOutcome, Result<Record, String>)> {
        Box::pin(async move {
            let recording = Recording::new();
            let now = self.component.setup.clock.now();
            let called_at = (now.as_secs(), now.subsec_nanos());
            let read = answers.iter().map(|(key, it)| answer_in_solo(key, it)).collect();
            let invocation = invocation(tool, &arguments.to_string(), read, None, at(called_at));
            let round = Round { recording: Some(recording.clone()), ..self.called() };
            let result = self.component.call(&invocation, round).await;
            let outcome = as_read(&outcome(&result));
            let kept = recording.kept().ok_or_else(|| {
                "the call moved more than a record may have (16 MiB): nothing is written".to_owned()
            });
            let record = kept.and_then(|(uses, secrets)| {
                let record = Record {
                    madoguchi_record: FORM,
                    component: Recorded {
                        name: self.component.name().to_string(),
                        digest: self.component.digest().to_string(),
                        file: file.to_owned(),
                    },
                    call: Call {
                        tool: tool.to_owned(),
                        arguments: arguments.clone(),
                        answers,
                        called_at,
                        random: HEXLOWER.encode(&recording.seed),
                    },
                    folders,
                    uses,
                    outcome,
                };
                redacted(&record, &secrets)
            });
            (solo_outcome(result), record)
        })
    }
}

/// `record` without what must not be shown of it.
fn redacted(record: &Record, secrets: &[String]) -> Result<Record, String> {
    let mut value = serde_json::to_value(record).map_err(|it| it.to_string())?;
    redact(&mut value, secrets);
    serde_json::from_value(value).map_err(|it| it.to_string())
}

fn redact(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => {
            for secret in secrets.iter().filter(|it| text.contains(&***it)).collect::<Vec<_>>() {
                *text = text.replace(&**secret, REDACTED);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|it| redact(it, secrets)),
        Value::Object(all) => all.values_mut().for_each(|it| redact(it, secrets)),
        _ => {}
    }
}

fn at((seconds, nanoseconds): (u64, u32)) -> Datetime {
    Datetime { seconds, nanoseconds }
}

impl Record {
    /// Reads one.
    ///
    /// # Errors
    /// When `text` is none, or one of another form.
    pub fn read(text: &str) -> Result<Self, String> {
        let record: Self =
            serde_json::from_str(text).map_err(|it| format!("it is no record of a call: {it}"))?;
        if record.madoguchi_record != FORM {
            let form = record.madoguchi_record;
            return Err(format!("it has the form {form}, and {FORM} is read here"));
        }
        if !record.call.arguments.is_object() {
            return Err("call.arguments: it must be an object".to_owned());
        }
        let random = HEXLOWER.decode(record.call.random.as_bytes());
        if random.is_ok_and(|it| it.len() == 32) {
            return Ok(record);
        }
        Err("call.random: it must be 64 digits of a hexadecimal number, 0-9 a-f".to_owned())
    }

    /// Whether `bytes` are those of the component that was called.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        self.component.digest == digest(bytes)
    }

    /// Calls `compiled`, which `solo` configures, once more, and answers each of its uses from here.
    ///
    /// # Errors
    /// When it cannot be loaded.
    pub fn replay(
        &self,
        mut solo: Solo,
        compiled: &Compiled,
    ) -> BoxFuture<'_, Result<Replayed, LoadError>> {
        let compiled = compiled.clone();
        Box::pin(async move {
            let Call { tool, arguments, answers, called_at, random } = &self.call;
            let seed = HEXLOWER.decode(random.as_bytes()).ok().and_then(|it| it.try_into().ok());
            let recording = Recording::replay(self.uses.clone(), seed.unwrap_or_default());
            // As without surroundings: there is nothing to call.
            let (mut reach, others) = (HostResources::default(), around::Fake::default());
            let others = Arc::new(others);
            reach.around = Around::default();
            reach.around.put(&others);
            let laid_out = LaidOut::create(&self.folders).map_err(io::Error::other);
            let laid_out = laid_out.map_err(LoadError::from)?;
            for (guest, path) in &laid_out.folders {
                reach.folders.add(guest, path.clone())?;
            }
            solo.setup.reach = Arc::new(reach);
            let now = Duration::new(called_at.0, called_at.1.min(999_999_999));
            solo.setup.clock = Clock::Fixed(Arc::new(now.into()));
            let component = solo.describe(&compiled).await?;
            if !component.tools().iter().any(|it| *it.name == **tool) {
                return Ok(Replayed::NoTool);
            }
            let answers = answers.iter().map(|(key, it)| answer_in_solo(key, it)).collect();
            let invocation =
                invocation(tool, &arguments.to_string(), answers, None, at(*called_at));
            let (asking, held) = (Some(Asking::default()), Some(recording.clone()));
            let round = Round { asking, recording: held, ..Round::of_host() };
            let result = tokio::select! {
                result = component.call(&invocation, round) => Some(result),
                () = recording.differed() => None,
            };
            if let Some(difference) = recording.difference() {
                return Ok(Replayed::Use(difference));
            }
            let came = result.map(|it| as_read(&outcome(&it))).unwrap_or_default();
            Ok(match differs("", &self.outcome, &came) {
                Some((at, expected, came)) => Replayed::Outcome(at, expected, came),
                None => Replayed::Same,
            })
        })
    }

    /// The call as an example of a component in that language.
    ///
    /// # Errors
    /// When no example can end as it did.
    pub fn example(&self, language: Language) -> Result<String, String> {
        let Call { tool, arguments, .. } = &self.call;
        let (kind, value) = self.outcome.as_object().and_then(|it| it.iter().next()).ok_or(
            "its outcome is none that a call can have, so that it is no example".to_owned(),
        )?;
        let names = language.names();
        let mut notes = Vec::new();
        let end = match kind.as_str() {
            "output" => format!("gives({})", language.literal(&value["structured"])),
            "refused" => format!("refuses({})", value["code"]),
            "invalid_arguments" => format!("{}()", names.refuses_the_arguments),
            "asks" => "asks()".to_owned(),
            "trapped" | "exceeded" | "broken" => {
                let why = value.as_str().unwrap_or_default();
                notes.push(format!("It ended otherwise ({kind}: {why}); say what it is to give."));
                format!("gives({})", language.literal(&json!({})))
            }
            _ => return Err(format!("a call that ends as this one ({kind}) is no example")),
        };
        let mut used: Vec<_> = self.uses.iter().map(|it| it.name.as_str()).collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|it| !it.starts_with("clock."));
        if !used.is_empty() {
            notes.push(format!(
                "It used {}: an example begins with a new database, without settings, files and hosts.",
                used.join(", ")
            ));
        }
        let lines = notes.iter().flat_map(|it| it.lines());
        let notes: String = lines.map(|it| format!("{} {it}\n", names.comment)).collect();
        let name = format!("{tool} as it was recorded");
        let arguments = language.literal(arguments);
        Ok(format!(
            "{notes}example({name:?}, {tool:?}, {arguments}){}{end}{}",
            names.then, names.stop
        ))
    }
}

/// Languages of components with example syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// With the crate `toolkit`.
    Rust,
    /// JavaScript, and TypeScript.
    Js,
    /// Python, by the kit of the host.
    Python,
}

/// Syntax of examples in a language.
struct Names {
    comment: &'static str,
    refuses_the_arguments: &'static str,
    /// Text around the expected end.
    then: &'static str,
    stop: &'static str,
}

impl Language {
    /// The language of the folder in which the component of that file is made, as `madoguchi new` lays it out; Rust,
    /// where nothing tells.
    pub fn of_component(file: &Path) -> Self {
        let has = |folder: &Path, names: &[&str]| names.iter().any(|it| folder.join(it).is_file());
        // `build/NAME.wasm`, or `build/quick/NAME.wasm`.
        for folder in file.ancestors().skip(1).take(3) {
            if has(folder, &["src/tools.py"]) {
                return Self::Python;
            }
            if has(folder, &["src/tools.js", "src/tools.ts"]) {
                return Self::Js;
            }
        }
        Self::Rust
    }

    fn names(self) -> Names {
        let (then, stop) = match self {
            Self::Rust => ("\n    .", ","),
            Self::Js => (".", ";"),
            Self::Python => (".", ""),
        };
        let comment = if self == Self::Python { "#" } else { "//" };
        let refuses_the_arguments =
            if self == Self::Js { "refusesTheArguments" } else { "refuses_the_arguments" };
        Names { comment, refuses_the_arguments, then, stop }
    }

    /// JSON as the language writes it.
    fn literal(self, value: &Value) -> String {
        match self {
            Self::Rust => {
                format!("json!({})", serde_json::to_string_pretty(value).unwrap_or_default())
            }
            Self::Js => serde_json::to_string_pretty(value).unwrap_or_default(),
            Self::Python => python(value),
        }
    }
}

/// JSON as Python writes it. A string is the same in both.
fn python(value: &Value) -> String {
    let each = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(it) => if *it { "True" } else { "False" }.to_owned(),
        Value::Array(items) => format!("[{}]", each(items.iter().map(python).collect())),
        Value::Object(members) => {
            let members =
                members.iter().map(|(name, it)| format!("{}: {}", json!(name), python(it)));
            format!("{{{}}}", each(members.collect()))
        }
        _ => value.to_string(),
    }
}

/// Outcome of a call as an object with one member, its kind.
fn outcome(result: &Result<Output, CallError>) -> Value {
    match result {
        Ok(ended) => {
            let read = |it: &String| serde_json::from_str::<Value>(it).unwrap_or_default();
            let mut output = Map::new();
            output.insert(
                "structured".to_owned(),
                ended.structured.as_ref().map(read).unwrap_or_else(|| json!({})),
            );
            if !ended.content.is_empty() {
                let content: Vec<_> = ended.content.iter().map(content).collect();
                output.insert("content".to_owned(), content.into());
            }
            if let Some(meta) = &ended.meta {
                output.insert("meta".to_owned(), read(meta));
            }
            json!({ "output": output })
        }
        Err(CallError::Stopped(stop)) => match stop {
            Stop::InputRequired(required) => {
                let each = required.questions.iter();
                let each = each.map(|it| json!({ "key": it.key, "message": it.message }));
                json!({ "asks": each.collect::<Vec<_>>() })
            }
            Stop::InvalidArguments(problems) => {
                let each = problems.iter();
                let each = each.map(|it| json!({ "pointer": it.pointer, "message": it.message }));
                json!({ "invalid_arguments": each.collect::<Vec<_>>() })
            }
            Stop::Refused(refusal) => {
                json!({ "refused": { "code": refusal.code, "message": refusal.message, "status": refusal.status } })
            }
            Stop::Unavailable(it) => json!({ "unavailable": it.message }),
            Stop::Wait(it) => json!({ "waits": it.events }),
        },
        // Not where: lines are others in another build.
        Err(CallError::Trapped { source, .. }) => {
            json!({ "trapped": source.root_cause().to_string() })
        }
        Err(CallError::LimitExceeded { limit, .. }) => json!({ "exceeded": limit }),
        Err(CallError::Broken { what, .. }) => json!({ "broken": what }),
        Err(error) => json!({ "failed": error.to_string() }),
    }
}

fn content(content: &Content) -> Value {
    match content {
        Content::Text(it) => json!({ "text": it.text }),
        Content::Image(media) | Content::Audio(media) => {
            json!({ "mime_type": media.mime_type, "bytes": media.data.len(), "sha256": digest(&media.data) })
        }
        Content::Resource(it) => json!({ "resource": it.uri }),
        Content::Link(it) => json!({ "link": it.uri }),
    }
}

/// First difference between `expected` and `came`: place and both values.
fn differs(at: &str, expected: &Value, came: &Value) -> Option<(String, Value, Value)> {
    let deeper = |key: &str, expected: Option<&Value>, came: Option<&Value>| {
        let none = Value::Null;
        differs(&format!("{at}/{key}"), expected.unwrap_or(&none), came.unwrap_or(&none))
    };
    match (expected, came) {
        _ if expected == came => None,
        (Value::Object(a), Value::Object(b)) => {
            a.keys().chain(b.keys()).find_map(|key| deeper(key, a.get(key), b.get(key)))
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len()))
            .find_map(|index| deeper(&index.to_string(), a.get(index), b.get(index))),
        _ => Some((at.to_owned(), expected.clone(), came.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(outcome: Value) -> Record {
        let record = json!({
            "madoguchi_record": 1,
            "component": { "name": "shop", "digest": "0", "file": "shop.wasm" },
            "call": {
                "tool": "buy", "arguments": { "count": 2, "note": "s3cret" }, "called_at": [7, 0],
                "random": "0".repeat(64),
            },
            "uses": [{ "use": "sql.query", "with": ["s3cret!"], "gives": null }],
            "outcome": outcome,
        });
        Record::read(&record.to_string()).unwrap()
    }

    #[test]
    fn each_call_end_gives_an_example_or_a_reason() {
        let example = |outcome| record(outcome).example(Language::Rust);
        let done = example(json!({ "output": { "structured": { "left": 1 } } })).unwrap();
        assert!(done.starts_with("// It used sql.query: "), "{done}");
        assert!(done.contains("example(\"buy as it was recorded\", \"buy\", json!({"), "{done}");
        assert!(done.contains(".gives(json!({\n  \"left\": 1\n})),"), "{done}");
        let refused = example(json!({ "refused": { "code": "sold" } })).unwrap();
        assert!(refused.ends_with(".refuses(\"sold\"),"), "{refused}");
        assert!(example(json!({ "asks": [] })).unwrap().ends_with(".asks(),"));
        let trapped = example(json!({ "trapped": "unreachable" })).unwrap();
        assert!(trapped.contains("trapped: unreachable"), "{trapped}");
        assert!(example(json!({ "waits": [] })).unwrap_err().contains("waits"));
        assert!(example(json!(7)).is_err());
    }

    #[test]
    fn writes_examples_in_each_language() {
        let given = json!({ "output": { "structured": { "left": [null, true, "a\"b"] } } });
        let js = record(given.clone()).example(Language::Js).unwrap();
        assert!(js.starts_with("// It used sql.query: "), "DEV-6: {js}");
        assert!(js.contains("}).gives({\n") && js.ends_with("});"), "DEV-6: {js}");
        let python = record(given).example(Language::Python).unwrap();
        assert!(python.starts_with("# It used sql.query: "), "DEV-6: {python}");
        assert!(python.ends_with(r#").gives({"left": [None, True, "a\"b"]})"#), "DEV-6: {python}");
        let unfit = |it| record(json!({ "invalid_arguments": [] })).example(it).unwrap();
        assert!(unfit(Language::Js).ends_with(".refusesTheArguments();"));
        assert!(unfit(Language::Python).ends_with(".refuses_the_arguments()"));
        let trapped = record(json!({ "trapped": "a\nb" })).example(Language::Python).unwrap();
        assert!(trapped.lines().take(3).all(|it| it.starts_with('#')), "{trapped}");
    }

    #[test]
    fn detects_language_by_component_folder() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("src")).unwrap();
        let file = home.path().join("build/quick/a.wasm");
        assert_eq!(Language::of_component(&file), Language::Rust, "DEV-6");
        std::fs::write(home.path().join("src/tools.ts"), "").unwrap();
        assert_eq!(Language::of_component(&file), Language::Js, "DEV-6");
        std::fs::write(home.path().join("src/tools.py"), "").unwrap();
        assert_eq!(Language::of_component(&file), Language::Python, "DEV-6");
        assert_eq!(Language::of_component(Path::new("a.wasm")), Language::Rust);
    }

    #[test]
    fn record_contains_no_secret() {
        let shown = redacted(&record(json!({})), &["s3cret".to_owned()]).unwrap();
        let text = serde_json::to_string(&shown).unwrap();
        assert!(!text.contains("s3cret") && text.contains("(redacted)!"), "{text}");
    }

    #[test]
    fn invalid_record_names_its_problem() {
        assert!(Record::read("{").unwrap_err().contains("no record"));
        let mut other = serde_json::to_value(record(json!({}))).unwrap();
        other["madoguchi_record"] = 2.into();
        assert!(Record::read(&other.to_string()).unwrap_err().contains("form 2"));
    }

    #[test]
    fn names_first_difference() {
        let found = differs("", &json!({ "a": [1, 2] }), &json!({ "a": [1, 3] }));
        assert_eq!(found, Some(("/a/1".to_owned(), 2.into(), 3.into())));
        assert_eq!(differs("", &json!([1]), &json!([1])), None);
    }
}
