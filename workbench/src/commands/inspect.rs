//! `madoguchi inspect FILE.wasm`: what a component can touch and what it offers, before it is let in.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use base::{
    config::Config,
    grants::{Grant, HOSTS},
};
use clap::Args;

use crate::{
    inspect::{Inspection, Need, Part, inspect},
    terminal::{Json, say},
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
        let bytes = std::fs::read(&self.file)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let found =
            inspect(name, &bytes, config).await.with_context(|| self.file.display().to_string())?;
        if self.json.is_wanted {
            let mut object = serde_json::to_value(&found)?;
            object["welcome"] = found.is_welcome().into();
            say(&serde_json::to_string_pretty(&object)?)?;
        } else {
            print(&found)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(it: &Inspection) -> std::io::Result<()> {
    say(&format!("{}  {} bytes  sha256 {}", it.name, it.size_bytes, it.digest))?;
    parts("imports", &it.imports)?;
    parts("exports", &it.exports)?;
    say("tools")?;
    if it.tools.is_empty() && it.trouble.is_none() {
        say("  none")?;
    }
    for tool in &it.tools {
        let text = |key: &str| tool[key].as_str().unwrap_or_default();
        let title =
            if text("title").is_empty() { String::new() } else { format!("  {}", text("title")) };
        say(&format!("  {}{title}{}", text("name"), hints(tool)))?;
        say(&format!("    {}", text("description").lines().next().unwrap_or_default()))?;
        if !text("app").is_empty() {
            say(&format!("    shown by {}", text("app")))?;
        }
    }
    if !it.left_out.is_empty() {
        say("no tools are")?;
    }
    for left in &it.left_out {
        let text = |key: &str| left[key].as_str().unwrap_or_default();
        say(&format!("  {}: {}", text("name"), text("why")))?;
    }
    others("prompts", "name", &it.prompts)?;
    others("resources", "uri", &it.resources)?;
    others("templates", "uriTemplate", &it.templates)?;
    if !it.routes.is_empty() {
        say("routes")?;
    }
    for route in &it.routes {
        let text = |key: &str| route[key].as_str().unwrap_or_default();
        let tools = route["tools"].as_array().into_iter().flatten();
        let tools: Vec<_> = tools.filter_map(|it| it.as_str()).collect();
        let tools =
            if tools.is_empty() { String::new() } else { format!("  as {}", tools.join(", ")) };
        say(&format!("  {} {}{tools}", text("method"), text("path")))?;
    }
    if let Some(trouble) = &it.trouble {
        say(&format!("  cannot be told: {trouble}"))?;
    }
    if let Some(defaults) = &it.defaults {
        say("what it would start from, under the same name")?;
        for line in defaults.lines().filter(|it| !it.trim_start().starts_with('#')) {
            say(format!("  {line}").trim_end())?;
        }
    }
    if let Some(problem) = &it.defaults_problem {
        say(&format!("what it would start from cannot be used: {problem}"))?;
    }
    if it.pooled == Some(false) {
        say(
            "its shape does not fit the pool: each call takes the time that making an instance takes",
        )?;
    }
    // What nothing lets in has no line that would.
    if it.refused.is_some() || it.is_welcome() {
        let_in(it)?;
    }
    match &it.refused {
        Some(why) => say(&format!("the present configuration refuses it: {why}")),
        None if it.is_welcome() => say("the present configuration lets it in"),
        None => say("the present configuration grants it all, and what is said above keeps it out"),
    }
}

/// The lines of a configuration that let it in.
fn let_in(it: &Inspection) -> std::io::Result<()> {
    say(&format!("to let it in, under [components.{}]:\n  {}", it.name, it.line))?;
    if it.grants_needed.iter().any(|it| *it == Grant::Http.to_string()) {
        say(&format!("  {HOSTS}"))?;
    }
    it.stubs.iter().try_for_each(|it| say(&format!("  {it}")))
}

/// What is offered beside tools, by its name or its URI, and what it is.
fn others(title: &str, key: &str, offers: &[serde_json::Value]) -> std::io::Result<()> {
    if !offers.is_empty() {
        say(title)?;
    }
    for offer in offers {
        let text = |key: &str| offer[key].as_str().unwrap_or_default();
        let arguments = offer["arguments"].as_array().into_iter().flatten();
        let names: Vec<_> = arguments.filter_map(|it| it["name"].as_str()).collect();
        let names =
            if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        say(format!("  {}{names}  {}", text(key), text("title")).trim_end())?;
        let description = text("description").lines().next().unwrap_or_default();
        if !description.is_empty() {
            say(&format!("    {description}"))?;
        }
    }
    Ok(())
}

/// Grouped by what has to be granted: what asks for nothing comes last.
fn parts(title: &str, parts: &[Part]) -> std::io::Result<()> {
    let order = |need: Need| match need {
        Need::NotOffered => (0, None),
        Need::Grant(grant) => (1, Some(grant)),
        Need::Stub => (2, None),
        Need::Nothing => (3, None),
    };
    let mut sorted: Vec<_> = parts.iter().collect();
    sorted.sort_by_key(|it| (order(it.needs), it.name.clone()));
    say(title)?;
    let mut before = None;
    for part in sorted {
        if before != Some(part.needs) {
            say(&match part.needs {
                Need::NotOffered => "  not offered by this host".to_owned(),
                Need::Grant(grant) => format!("  with the grant {grant}"),
                Need::Stub => "  carried without being used, as its file says".to_owned(),
                Need::Nothing => "  without a grant".to_owned(),
            })?;
        }
        before = Some(part.needs);
        say(&format!("    {}", part.name))?;
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
