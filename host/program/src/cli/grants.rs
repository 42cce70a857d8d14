//! The command `madoguchi grants [NAME]` lists grants of components and the lines that give them.

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

use anyhow::bail;
use clap::Args;
use host::{
    Config,
    config::{CONFIG_BYTES_MAX, Reach},
    source::read_text,
};
use serde_json::{Value, json};
use workbench::check::Document;

use super::{Json, print_line};

/// Shows what components are granted.
#[derive(Args)]
pub(crate) struct Grants {
    /// Only the component of this name
    name: Option<String>,
    #[command(flatten)]
    json: Json,
}

impl Grants {
    pub(crate) fn run(self, file: Option<&PathBuf>, config: &Config) -> anyhow::Result<ExitCode> {
        let text = file.and_then(|it| read_text(it, CONFIG_BYTES_MAX).ok()).unwrap_or_default();
        let document = Document::new(&text);
        let mut names: BTreeSet<String> = config.components.keys().cloned().collect();
        names.extend(workbench::check::installed_names(config));
        names.extend(config.accepted.names());
        if let Some(name) = &self.name {
            if !names.contains(name) {
                let known: Vec<_> = names.iter().map(String::as_str).collect();
                bail!(
                    "no component {name} is installed or configured; there is {}",
                    known.join(", ")
                );
            }
            names.retain(|it| it == name);
        }
        let all = names.iter().map(|name| (name.clone(), given(name, file, &document, config)));
        let all: serde_json::Map<String, Value> = all.collect();
        if self.json.is_wanted {
            print_line(&serde_json::to_string_pretty(&all)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        for (name, given) in &all {
            let list = |key: &str| {
                let list = given[key].as_array().into_iter().flatten().filter_map(Value::as_str);
                list.collect::<Vec<_>>().join(", ")
            };
            let grants = list("grants");
            let grants = if grants.is_empty() { "nothing".to_owned() } else { grants };
            print_line(&format!(
                "{name}  {grants}  ({})",
                given["by"].as_str().unwrap_or_default()
            ))?;
            for (key, title) in [
                ("stubs", "carries without having"),
                ("settings", "settings"),
                ("environment", "from the environment"),
                ("asks", "asks the assistants"),
                ("calls", "calls"),
                ("trusts", "without being allowed one by one"),
            ] {
                if !list(key).is_empty() {
                    print_line(&format!("  {title}: {}", list(key)))?;
                }
            }
            if given["enabled"] == false {
                print_line("  switched off")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Describes a component's grants, without values of settings, which may be secret.
fn given(name: &str, file: Option<&PathBuf>, document: &Document<'_>, config: &Config) -> Value {
    let component = config.component(name);
    let path = ["components", name, "grants"];
    let by = match (document.has_entry(&path), document.line(&path), file, &component.grants) {
        (true, Some(line), Some(file), _) => format!("{}, line {line}", file.display()),
        _ if config.is_accepted(name) => {
            format!(
                "by its own wish, as the operator accepted; take it back: madoguchi unload {name}"
            )
        }
        (.., Some(_)) => "by default, as a part of the program".to_owned(),
        (.., None) => "by default: every component has progress, log and caller".to_owned(),
    };
    let reach = Reach::from_config(&component);
    let stubs: Vec<_> = component.stubs.iter().flat_map(|it| it.written()).collect();
    let grants = component.grants.as_ref().into_iter().flatten();
    json!({
        "grants": grants.map(ToString::to_string).collect::<Vec<_>>(),
        "stubs": stubs,
        "by": by,
        "enabled": component.enabled != Some(false),
        "settings": component.settings.keys().collect::<Vec<_>>(),
        "environment": reach.environment,
        "asks": reach.asks,
        "calls": reach.calls,
        "trusts": reach.trusts,
    })
}
