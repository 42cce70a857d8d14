//! The command `madoguchi run FILE.wasm TOOL JSON` calls a tool of a component without a server.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use base::{
    config::{ComponentConfig, Config},
    grants::{Grant, Stubs, hosts::Hosts, http::HostGrant},
    settings::Settings,
    source::{FILE_BYTES_MAX, Source, read_bytes, read_text},
};
use clap::Args;
use registry::library::Library;
use sandbox::{
    Sandbox,
    component::{Ask, Output, Question},
};
use serde_json::Value;
use store::private;

use crate::{
    inspect::check_defaults,
    solo::{
        Called, Compiled, Solo, SoloOutcome,
        record::{Language, Record, Recorded, Replayed},
    },
    terminal::{self, print_error, print_line},
};

/// The exit code where the tool asks or waits: another one than a command line that cannot be read has.
const NOT_YET: u8 = 3;

/// Runs one tool of one component alone.
#[derive(Args)]
pub struct Run {
    /// The component's file, NAME.wasm
    file: PathBuf,
    /// The tool; without one, the tools are listed
    tool: Option<String>,
    /// Its arguments: a JSON object
    #[arg(default_value = "{}")]
    arguments: String,
    /// Keep the database in this file instead of throwing it away
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// A setting, as NAME=JSON; may be given several times
    #[arg(long = "setting", value_name = "NAME=JSON", value_parser = pair)]
    settings: Vec<(String, Value)>,
    /// A host that the tool may reach by https, besides those of the configuration, or http://HOST;
    /// may be given several times
    #[arg(long, value_name = "HOST", value_parser = HostGrant::of_argument)]
    allow_http: Vec<HostGrant>,
    /// A file that it may read, as NAME=PATH; may be given several times
    #[arg(long = "file", value_name = "NAME=PATH", value_parser = path)]
    files: Vec<(String, PathBuf)>,
    /// A folder that it may read, as GUEST=PATH; may be given several times
    #[arg(long = "folder", value_name = "GUEST=PATH", value_parser = path)]
    folders: Vec<(String, PathBuf)>,
    /// The answer to a question of the tool, as KEY=JSON; may be given several times
    #[arg(long = "answer", value_name = "KEY=JSON", value_parser = pair)]
    answers: Vec<(String, Value)>,
    /// What another tool returns where this one calls it, as NAME=JSON, an object; may be given several times
    #[arg(long = "tool-returns", value_name = "NAME=JSON", value_parser = object)]
    returns: Vec<(String, Value)>,
    /// Write everything that crosses the border of the call into this file, for `madoguchi replay`; secrets are left
    /// out, arguments are not
    #[arg(long, value_name = "FILE", requires = "tool")]
    record: Option<PathBuf>,
}

fn pair(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=JSON is right")?;
    // A value without quotes is taken for a string: quoting quotes in a shell is no fun.
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    Ok((name.to_owned(), value))
}

fn object(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=JSON is right")?;
    match serde_json::from_str(value) {
        Ok(value @ Value::Object(_)) => Ok((name.to_owned(), value)),
        _ => {
            Err("what a tool returns is a JSON object, such as 'NAME={\"text\": \"value\"}'"
                .to_owned())
        }
    }
}

fn path(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or("NAME=PATH is right")?;
    Ok((name.to_owned(), PathBuf::from(path)))
}

impl Run {
    /// Grants and resources from the configuration and the command line.
    fn reach(&self, config: &Config, name: &str, mut solo: Solo) -> Solo {
        if !self.returns.is_empty() {
            let returns: BTreeMap<_, _> = self.returns.iter().cloned().collect();
            let names: Vec<_> = self.returns.iter().map(|it| it.0.as_str()).collect();
            let returned = move |name: &str, _: &Value| {
                Called::Done(returns.get(name).cloned().unwrap_or_default())
            };
            solo = solo.calls(&names, returned);
        }
        let ComponentConfig { mut files, mut folders, .. } = config.component(name);
        for path in files.values_mut().chain(folders.values_mut()) {
            *path = config.base.join(&path);
        }
        files.extend(self.files.iter().cloned());
        folders.extend(self.folders.iter().cloned());
        for (name, path) in files {
            solo = solo.file(&name, path);
        }
        for (guest, path) in folders {
            solo = solo.folder(&guest, path);
        }
        solo
    }

    /// Runs the tool and prints its outcome.
    ///
    /// # Errors
    /// When the file cannot be read or loaded, or the arguments are no JSON object.
    pub async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let name = self.file.file_stem().and_then(|it| it.to_str()).unwrap_or("component");
        let bytes = read_bytes(&self.file, FILE_BYTES_MAX)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let mut configured = config.component(name).settings();
        configured.extend(self.settings.clone());
        let settings = Settings::read(&configured, &config.base)?;
        let mut granted = config.component(name).hosts();
        granted.extend(self.allow_http.clone());
        let (hosts, error) = Hosts::salvage(&granted, &config.base);
        if let Some(error) = error {
            bail!(error);
        }
        check_defaults(&bytes).with_context(|| self.file.display().to_string())?;
        let source = Source::new(bytes, name.to_owned());
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max())?;
        let compiled = Compiled::load_or_compile(&Library::look(config), &sandbox, &source).await;
        let compiled = compiled.with_context(|| self.file.display().to_string())?;
        let solo = Solo::new(name, &[])
            .hosts(hosts)
            .grant(Grant::ALL)
            .stubs(Stubs::all())
            .prefix(&config.component(name).prefix.unwrap_or_default())
            .limits(config.limits(name))
            .settings(settings)
            .database(self.database.clone());
        let mut solo = self.reach(config, name, solo);
        let (lent, _laid_out) = match self.record {
            Some(_) => solo.copy_folders().map_err(anyhow::Error::msg)?,
            None => Default::default(),
        };
        let running = solo
            .start_compiled(&compiled)
            .await
            .with_context(|| self.file.display().to_string())?;
        let Some(tool) = &self.tool else {
            for tool in running.component().tools() {
                print_line(&format!(
                    "{}  {}",
                    tool.name,
                    tool.description.lines().next().unwrap_or("")
                ))?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let names = || running.component().tools().iter().map(|it| &*it.name);
        if !names().any(|it| it == tool) {
            let names: Vec<_> = names().collect();
            bail!("{} has no tool {tool:?}; it has: {}", self.file.display(), names.join(", "));
        }
        let arguments = Value::Object(terminal::arguments(&self.arguments)?);
        let answers: BTreeMap<_, _> = self.answers.into_iter().collect();
        let outcome = match &self.record {
            Some(to) => {
                let file = std::path::absolute(&self.file)?.display().to_string();
                let (outcome, record) =
                    running.record((&file, lent), (tool, &arguments), answers).await;
                let record = record.map_err(anyhow::Error::msg)?;
                private::write(to, serde_json::to_string_pretty(&record)?.as_bytes())
                    .with_context(|| format!("cannot write {}", to.display()))?;
                outcome
            }
            None => running.call(tool, &self.arguments, answers).await,
        };
        match outcome {
            SoloOutcome::Done(output) => print(output),
            SoloOutcome::InputRequired(questions) => {
                for question in questions {
                    print_error(&format!(
                        "the tool asks {:?}; answer with --answer '{}={}'",
                        question.message,
                        question.key,
                        answer(&question)
                    ));
                }
                Ok(ExitCode::from(NOT_YET))
            }
            SoloOutcome::Waits(waiting) => {
                print_error(&format!("the tool waits for {}; the server would call it again", {
                    if waiting.events.is_empty() {
                        "a time".to_owned()
                    } else {
                        waiting.events.join(", ")
                    }
                }));
                Ok(ExitCode::from(NOT_YET))
            }
            SoloOutcome::Failed(object) => {
                print_error(&pretty(&object));
                Ok(ExitCode::FAILURE)
            }
        }
    }
}

/// Describes the expected answer: the fields of a form.
fn answer(question: &Question) -> String {
    let Ask::Form(schema) = &question.ask else { return "JSON".to_owned() };
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields: Vec<_> = fields.map(|it| format!("\"{}\": …", it.0)).collect();
    format!("{{{}}}", fields.join(", "))
}

fn print(output: Output) -> anyhow::Result<ExitCode> {
    if let Some(json) = &output.structured {
        let value = serde_json::from_str(json).context("the structured output is not JSON")?;
        print_line(&pretty(&value))?;
    }
    for content in output.content {
        if let sandbox::component::Content::Text(text) = content {
            print_line(&text.text)?;
        } else {
            print_error("(there is more content, which a terminal cannot show)");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

// The command `madoguchi replay FILE` replays a recorded call offline.

/// Characters of a document that are shown.
const CHARS_MAX: usize = 2_000;

/// Runs a recorded call again, each use of a capability answered from the record.
#[derive(Args)]
pub struct Replay {
    /// What `madoguchi run --record` wrote
    record: PathBuf,
    /// Another build of the component [default: the file that was recorded]
    component: Option<PathBuf>,
    /// Print the call as an example of a component in that language [default: that of the folder that the component lies
    /// in], and run nothing
    #[arg(long, conflicts_with = "component", num_args = 0..=1, require_equals = true)]
    as_example: Option<Option<Language>>,
}

impl Replay {
    /// Replays the record and prints differences. Exit code 1 if there are any.
    ///
    /// # Errors
    /// When the record or the component cannot be read, or the component not be loaded.
    pub async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let shown = self.record.display();
        let text = read_text(&self.record, FILE_BYTES_MAX)
            .with_context(|| format!("cannot read {shown}"))?;
        let record = Record::read(&text).map_err(|it| anyhow!("{shown}: {it}"))?;
        if let Some(language) = self.as_example {
            let language = language
                .unwrap_or_else(|| Language::of_component(Path::new(&record.component.file)));
            print_line(&record.example(language).map_err(|it| anyhow!("{shown}: {it}"))?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let file = self.component.unwrap_or_else(|| PathBuf::from(&record.component.file));
        let bytes = read_bytes(&file, FILE_BYTES_MAX).with_context(|| {
            format!("cannot read {}; name the component's file behind the record", file.display())
        })?;
        let name = &record.component.name;
        let source = Source::new(bytes, name.clone());
        if !record.is_of(&source.bytes) {
            print_line(&format!("{} is another build than the one of the record", file.display()))?;
        }
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max())
            .map_err(|it| anyhow!("{it:#}"))?;
        let loaded = async {
            let compiled =
                Compiled::load_or_compile(&Library::look(config), &sandbox, &source).await?;
            let solo = Solo::new(name, &[])
                .grant(Grant::ALL)
                .stubs(Stubs::all())
                .prefix(&config.component(name).prefix.unwrap_or_default())
                .limits(config.limits(name));
            record.replay(solo, &compiled).await
        };
        let replayed = loaded.await.with_context(|| file.display().to_string())?;
        match replayed {
            Replayed::Same => {
                print_line(&format!("the same: {} uses, and the outcome", record.uses.len()))?;
                return Ok(ExitCode::SUCCESS);
            }
            Replayed::NoTool => {
                let Recorded { name, file: of, .. } = &record.component;
                bail!(
                    "{} has no tool {:?}: the record is of the component {name}, built as {of}",
                    file.display(),
                    record.call.tool
                );
            }
            Replayed::Use(difference) => {
                let shown = |entry: Option<(String, Value)>, none: &str| match entry {
                    Some((name, with)) => format!("{name} {}", cut(&with)),
                    None => none.to_owned(),
                };
                print_error(&format!("use {} differs", difference.number));
                print_error(&format!(
                    "  expected  {}",
                    shown(difference.expected, "the end of the call")
                ));
                print_error(&format!(
                    "  came      {}",
                    shown(difference.actual, "the end of the call")
                ));
            }
            Replayed::Outcome(at, expected, came) => {
                print_error(&format!(
                    "the outcome differs at {}",
                    if at.is_empty() { "/" } else { &at }
                ));
                print_error(&format!("  expected  {}", cut(&expected)));
                print_error(&format!("  came      {}", cut(&came)));
            }
        }
        Ok(ExitCode::FAILURE)
    }
}

/// The beginning of a document, in one line.
fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
