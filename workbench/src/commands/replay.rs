//! The command `madoguchi replay FILE` replays a recorded call offline.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use base::{
    config::Config,
    grants::{Grant, Stubs},
    source::{FILE_BYTES_MAX, Source, read_bytes, read_text},
};
use clap::Args;
use registry::library::Library;
use sandbox::Sandbox;
use serde_json::Value;

use crate::{
    solo::{
        Compiled, Solo,
        record::{Language, Record, Recorded, Replayed},
    },
    terminal::{print_error, print_line},
};

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
