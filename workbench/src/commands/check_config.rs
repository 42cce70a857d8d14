//! The command `madoguchi check-config FILE` lists every problem of a configuration.

use std::{path::PathBuf, process::ExitCode};

use base::{
    config::{CONFIG_BYTES_MAX, Config, ConfigError},
    source::read_text,
};
use clap::Args;
use serde_json::json;

use crate::{
    check::{Document, Finding, check},
    terminal::{Json, print_line, with_causes},
};

/// Checks a configuration without serving it.
#[derive(Args)]
pub struct CheckConfig {
    /// The configuration file; without one, --config or the built-in configuration
    pub file: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

impl CheckConfig {
    /// `config` is what the server would run with, or why it would not run.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn run(
        &self,
        file: Option<&PathBuf>,
        config: anyhow::Result<Config>,
    ) -> anyhow::Result<ExitCode> {
        let text = file.and_then(|it| read_text(it, CONFIG_BYTES_MAX).ok()).unwrap_or_default();
        let document = Document::new(&text);
        let findings = match &config {
            Ok(config) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(check(config, &document))
            }
            Err(error) => vec![unreadable(error, &document)],
        };
        let is_good = !findings.iter().any(|it| it.is_problem);
        if self.json.is_wanted {
            let object = json!({ "ok": is_good, "file": file, "findings": findings });
            print_line(&serde_json::to_string_pretty(&object)?)?;
        } else {
            let name =
                file.map_or("the built-in configuration".to_owned(), |it| it.display().to_string());
            for finding in &findings {
                print_line(&sentence(&name, finding))?;
            }
            let verdict = match (is_good, findings.len()) {
                (true, 0) => "fine",
                (true, _) => "can be served; see above",
                (false, _) => "to be mended",
            };
            print_line(&format!("{name}: {verdict}"))?;
        }
        Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// A file that cannot be read, or has an unknown or a wrong entry in a line.
fn unreadable(error: &anyhow::Error, document: &Document<'_>) -> Finding {
    let (line, message) = match error.downcast_ref() {
        Some(ConfigError::Parse { line, message, .. }) => (Some(*line), message.clone()),
        Some(ConfigError::Half { component, what, .. }) => {
            return document.problem(&["components", component], (*what).to_owned());
        }
        _ => (None, with_causes(error)),
    };
    Finding { line, is_problem: true, about: "the file".to_owned(), message }
}

fn sentence(file: &str, finding: &Finding) -> String {
    let place = match finding.line {
        Some(line) => format!("{file}, line {line}"),
        None => file.to_owned(),
    };
    let kind = if finding.is_problem { "problem" } else { "note" };
    format!("{place}: {kind}: {}: {}", finding.about, finding.message)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anyhow::Context;
    use base::source::Embedded;

    use super::*;

    #[test]
    fn reports_wrong_entry_once_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let read = |path: &Path| {
            Config::read(path, &Embedded::default()).context("configuration").unwrap_err()
        };
        let file = folder.path().join("a.toml");
        for (text, expected) in [
            ("\nbundled = 1\n", "bundled: what is right here"),
            ("\n[components.a]\ngrants = ['http']\n", "grants \"http\" and no host"),
        ] {
            std::fs::write(&file, text).unwrap();
            let found = unreadable(&read(&file), &Document::new(text));
            assert_eq!(found.line, Some(2));
            assert!(found.message.starts_with(expected), "{found:?}");
        }
        let none = Document::default();
        let gone = unreadable(&read(&folder.path().join("none.toml")), &none);
        assert!(gone.line.is_none() && gone.message.contains("none.toml"), "{gone:?}");
    }
}
