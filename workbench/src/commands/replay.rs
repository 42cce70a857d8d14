//! `madoguchi replay FILE`: a recorded call once more, without the world.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use base::{
    config::Config,
    grants::{Grant, Stubs},
    source::{Source, read_text},
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
    terminal::{complain, say},
};

/// Bytes that the file of a record may have.
const FILE_BYTES_MAX: u64 = 64 << 20;
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
    /// Runs it, and says what differs: 1, where something does.
    ///
    /// # Errors
    /// When the record or the component cannot be read, or the component not be loaded.
    pub async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let shown = self.record.display();
        let text = read_text(&self.record, FILE_BYTES_MAX)
            .with_context(|| format!("cannot read {shown}"))?;
        let record = Record::read(&text).map_err(|it| anyhow!("{shown}: {it}"))?;
        if let Some(language) = self.as_example {
            let language =
                language.unwrap_or_else(|| Language::of(Path::new(&record.component.file)));
            say(&record.example(language).map_err(|it| anyhow!("{shown}: {it}"))?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let file = self.component.unwrap_or_else(|| PathBuf::from(&record.component.file));
        let bytes = std::fs::read(&file).with_context(|| {
            format!("cannot read {}; name the component's file behind the record", file.display())
        })?;
        let name = &record.component.name;
        let source = Source::new(bytes, name.clone());
        if !record.is_of(&source.bytes) {
            say(&format!("{} is another build than the one of the record", file.display()))?;
        }
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max())
            .map_err(|it| anyhow!("{it:#}"))?;
        let loaded = async {
            let compiled = Compiled::of(&Library::look(config), &sandbox, &source).await?;
            let solo = Solo::of(name, &[])
                .grant(Grant::ALL)
                .stubs(Stubs::all())
                .prefix(&config.component(name).prefix.unwrap_or_default())
                .limits(config.limits(name));
            record.replay(solo, &compiled).await
        };
        let replayed = loaded.await.with_context(|| file.display().to_string())?;
        match replayed {
            Replayed::Same => {
                say(&format!("the same: {} uses, and the outcome", record.uses.len()))?;
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
            Replayed::Use(it) => {
                let shown = |entry: Option<(String, Value)>, none: &str| match entry {
                    Some((name, with)) => format!("{name} {}", cut(&with)),
                    None => none.to_owned(),
                };
                complain(&format!("use {} differs", it.number));
                complain(&format!("  expected  {}", shown(it.expected, "the end of the call")));
                complain(&format!("  came      {}", shown(it.came, "the end of the call")));
            }
            Replayed::Outcome(at, expected, came) => {
                complain(&format!(
                    "the outcome differs at {}",
                    if at.is_empty() { "/" } else { &at }
                ));
                complain(&format!("  expected  {}", cut(&expected)));
                complain(&format!("  came      {}", cut(&came)));
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
