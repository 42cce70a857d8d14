//! The command `madoguchi inspect FILE.wasm` shows imports, grants needed and offers of a component.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use base::{
    config::{CONFIG_BYTES_MAX, Config, ConfigError},
    grants::{Grant, HOSTS},
    source::{FILE_BYTES_MAX, NAMES, name_of, read_bytes, read_text},
};
use clap::Args;
use sandbox::definition::APP_MIME_TYPE;
use serde_json::json;

use crate::{
    check::{Document, Finding, check},
    inspect::{Inspection, Need, Part, inspect},
    terminal::{Json, print_line, with_causes},
};

/// Shows what is in a component's file.
#[derive(Args)]
pub struct Inspect {
    /// The component's file, NAME.wasm
    file: PathBuf,
    #[command(flatten)]
    json: Json,
}

impl Inspect {
    /// Prints it on standard output.
    ///
    /// # Errors
    /// When the file cannot be read or is no component.
    pub async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let name = self.file.file_stem().and_then(|it| it.to_str()).unwrap_or("component");
        let bytes = read_bytes(&self.file, FILE_BYTES_MAX)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let found =
            inspect(name, &bytes, config).await.with_context(|| self.file.display().to_string())?;
        if self.json.is_wanted {
            let mut object = serde_json::to_value(&found)?;
            object["welcome"] = found.is_accepted().into();
            print_line(&serde_json::to_string_pretty(&object)?)?;
        } else {
            print(&found)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(inspection: &Inspection) -> std::io::Result<()> {
    print_line(&format!(
        "{}  {} bytes  sha256 {}",
        inspection.name, inspection.size_bytes, inspection.digest
    ))?;
    parts("imports", &inspection.imports)?;
    parts("exports", &inspection.exports)?;
    print_line("tools")?;
    if inspection.tools.is_empty() && inspection.trouble.is_none() {
        print_line("  none")?;
    }
    for tool in &inspection.tools {
        let text = |key: &str| tool[key].as_str().unwrap_or_default();
        let title =
            if text("title").is_empty() { String::new() } else { format!("  {}", text("title")) };
        print_line(&format!("  {}{title}{}", text("name"), hints(tool)))?;
        print_line(&format!("    {}", text("description").lines().next().unwrap_or_default()))?;
        if !text("app").is_empty() {
            print_line(&format!("    shown by {}", text("app")))?;
        }
        if !text("appLeftOut").is_empty() {
            print_line(&format!(
                "    its app {} is left out: the component lists no such resource of the type {APP_MIME_TYPE}",
                text("appLeftOut")
            ))?;
        }
    }
    if !inspection.left_out.is_empty() {
        print_line("no tools are")?;
    }
    for left in &inspection.left_out {
        let text = |key: &str| left[key].as_str().unwrap_or_default();
        print_line(&format!("  {}: {}", text("name"), text("why")))?;
    }
    others("prompts", "name", &inspection.prompts)?;
    others("resources", "uri", &inspection.resources)?;
    others("templates", "uriTemplate", &inspection.templates)?;
    if !inspection.routes.is_empty() {
        print_line("routes")?;
    }
    for route in &inspection.routes {
        let text = |key: &str| route[key].as_str().unwrap_or_default();
        let tools = route["tools"].as_array().into_iter().flatten();
        let tools: Vec<_> = tools.filter_map(|it| it.as_str()).collect();
        let tools =
            if tools.is_empty() { String::new() } else { format!("  as {}", tools.join(", ")) };
        print_line(&format!("  {} {}{tools}", text("method"), text("path")))?;
    }
    if let Some(trouble) = &inspection.trouble {
        print_line(&format!("  cannot be told: {trouble}"))?;
    }
    if let Some(defaults) = &inspection.defaults {
        print_line("what it would start from, under the same name")?;
        for line in defaults.lines().filter(|it| !it.trim_start().starts_with('#')) {
            print_line(format!("  {line}").trim_end())?;
        }
    }
    if !inspection.idle_stubs.is_empty() {
        print_line(&format!(
            "its stubs name {}, of which it imports nothing: correct the name, or take it out",
            inspection.idle_stubs.join(", ")
        ))?;
    }
    if let Some(problem) = &inspection.defaults_problem {
        print_line(&format!("its defaults (defaults.toml) cannot be used: {problem}"))?;
    }
    if inspection.pooled == Some(false) {
        print_line(
            "its shape does not fit the pool: each call takes the time that making an instance takes",
        )?;
    }
    if name_of(format!("{}.wasm", inspection.name).as_ref()).as_ref() != Some(&inspection.name) {
        print_line(&format!("no server takes it under the name of its file: {NAMES}"))?;
    }
    // What can never be let in has no line.
    if inspection.refused.is_some() || inspection.is_accepted() {
        let_in(inspection)?;
    }
    match &inspection.refused {
        Some(why) => print_line(&format!("the present configuration refuses it: {why}")),
        None if inspection.is_accepted() => print_line("the present configuration lets it in"),
        None => print_line(
            "the present configuration grants it all, and what is said above keeps it out",
        ),
    }
}

/// The lines of a configuration that let it in.
fn let_in(inspection: &Inspection) -> std::io::Result<()> {
    print_line(&format!(
        "to let it in, under [components.{}]:\n  {}",
        inspection.name, inspection.line
    ))?;
    if inspection.grants_needed.iter().any(|it| *it == Grant::Http.to_string()) {
        print_line(&format!("  {HOSTS}"))?;
    }
    inspection.stubs.iter().try_for_each(|it| print_line(&format!("  {it}")))
}

/// Prints offers besides tools by name or URI.
fn others(title: &str, key: &str, offers: &[serde_json::Value]) -> std::io::Result<()> {
    if !offers.is_empty() {
        print_line(title)?;
    }
    for offer in offers {
        let text = |key: &str| offer[key].as_str().unwrap_or_default();
        let arguments = offer["arguments"].as_array().into_iter().flatten();
        let names: Vec<_> = arguments.filter_map(|it| it["name"].as_str()).collect();
        let names =
            if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        print_line(format!("  {}{names}  {}", text(key), text("title")).trim_end())?;
        let description = text("description").lines().next().unwrap_or_default();
        if !description.is_empty() {
            print_line(&format!("    {description}"))?;
        }
    }
    Ok(())
}

/// Prints parts grouped by needed grant, those without last.
fn parts(title: &str, parts: &[Part]) -> std::io::Result<()> {
    let order = |need: Need| match need {
        Need::NotOffered => (0, None),
        Need::Grant(grant) => (1, Some(grant)),
        Need::Stub => (2, None),
        Need::Nothing => (3, None),
    };
    let mut sorted: Vec<_> = parts.iter().collect();
    sorted.sort_by_key(|it| (order(it.needs), it.name.clone()));
    print_line(title)?;
    let mut before = None;
    for part in sorted {
        if before != Some(part.needs) {
            print_line(&match part.needs {
                Need::NotOffered => "  not offered by this host".to_owned(),
                Need::Grant(grant) => format!("  with the grant {grant}"),
                Need::Stub => "  carried without being used, as its file says".to_owned(),
                Need::Nothing => "  without a grant".to_owned(),
            })?;
        }
        before = Some(part.needs);
        print_line(&format!("    {}", part.name))?;
    }
    Ok(())
}

fn hints(tool: &serde_json::Value) -> String {
    let hints = [
        ("readOnlyHint", "reads only"),
        ("destructiveHint", "may destroy"),
        ("idempotentHint", "twice is once"),
        ("openWorldHint", "reaches outside"),
    ];
    let found: Vec<_> =
        hints.iter().filter(|it| tool["annotations"][it.0] == true).map(|it| it.1).collect();
    if found.is_empty() { String::new() } else { format!("  ({})", found.join(", ")) }
}

// The command `madoguchi check-config FILE` lists every problem of a configuration.

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
