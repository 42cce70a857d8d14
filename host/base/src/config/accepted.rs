//! What the operator granted with `madoguchi accept`, stored beside the configuration file.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::RwLock;
use toml::Table;

use super::{ComponentConfig, Config, component_limits, defaults};
use crate::{
    clean,
    grants::{
        Grant,
        http::{HostGrant, SecretGrant},
        secret::Given,
    },
};

/// Accepted sections by component. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Accepted(pub(super) Arc<RwLock<BTreeMap<String, ComponentConfig>>>);

impl Accepted {
    /// The components that were given something.
    pub fn names(&self) -> Vec<String> {
        self.0.read().keys().cloned().collect()
    }
}

impl Config {
    /// The component `name` with what `text`, its own section, asks for. An entry of the file stands
    /// instead of the section's.
    ///
    /// # Errors
    /// If the section is invalid, with a remedy.
    pub fn component_asking(&self, name: &str, text: &str) -> Result<ComponentConfig, String> {
        let defaults::Defaults { component: asked, models, .. } = defaults::parse(text)?;
        let mut component: ComponentConfig =
            asked.clone().try_into().map_err(|it: toml::de::Error| it.message().to_owned())?;
        component.change(self.components.get(name).cloned().unwrap_or_default());
        component.own_models = models;
        let sections = Table::from_iter([(name.to_owned(), asked.into())]);
        let asked = Table::from_iter([("components".to_owned(), sections.into())]);
        component.limits = component_limits(&self.limits, [&asked, &self.written], name);
        let wrong = component.check().err().or_else(|| component.wrong_calls());
        if let Some((key, what)) = wrong {
            return Err(format!("{key}: {what}"));
        }
        if let Some(limits) = &component.limits {
            limits.check(&self.sandbox)?;
        }
        Ok(component)
    }

    /// Gives the component `name` what its section asks for, from the next time that it is loaded.
    ///
    /// # Errors
    /// If the section is invalid.
    pub fn accept(&self, name: &str, text: &str) -> Result<(), String> {
        let component = self.component_asking(name, text)?;
        let mut all = self.accepted.0.write();
        all.insert(name.to_owned(), component);
        Ok(())
    }

    /// This configuration for one build alone, with what its section asks for given to the component `name`.
    ///
    /// # Errors
    /// If the section is invalid.
    pub fn accepting(&self, name: &str, text: &str) -> Result<Self, String> {
        let mut all = self.accepted.0.read().clone();
        all.insert(name.to_owned(), self.component_asking(name, text)?);
        Ok(Self { accepted: Accepted(Arc::new(RwLock::new(all))), ..self.clone() })
    }

    /// Restores accepted sections from the data folder.
    pub fn take_accepted(&self, given: impl IntoIterator<Item = (String, String)>) {
        self.accepted.0.write().clear();
        for (name, text) in given {
            if let Err(what) = self.accept(&name, &text) {
                tracing::warn!(component = name, "what it was given is no longer good: {what}");
            }
        }
    }

    /// Takes back what the component was given by [`Config::accept`].
    pub fn take_back(&self, name: &str) {
        self.accepted.0.write().remove(name);
    }

    /// Whether the component was given something by [`Config::accept`].
    pub fn is_accepted(&self, name: &str) -> bool {
        self.accepted.0.read().contains_key(name)
    }
}

/// Describes what a section asks for, in sentences. `None` for nothing, or for stubs only, which need no acceptance.
///
/// # Errors
/// If it is invalid.
pub fn sentences(name: &str, text: &str) -> Result<Vec<String>, String> {
    let asked = defaults::parse(text)?;
    let limits = asked.component.get("limits").and_then(|it| it.as_table()).cloned();
    let component: ComponentConfig =
        asked.component.try_into().map_err(|it: toml::de::Error| it.message().to_owned())?;
    let mut all: Vec<_> = component.grants.iter().flatten().map(|it| granted(*it, name)).collect();
    let mut carries = Vec::new();
    if let Some(stubs) = component.stubs.as_ref().filter(|it| it.written().next().is_some()) {
        let shown =
            |it: &String| if it == "*" { "whatever it imports".to_owned() } else { it.clone() };
        let stubs = stubs.written().map(shown).collect::<Vec<_>>().join(", ");
        carries.push(format!("carries {stubs} without having it, and ends a call that uses it"));
    }
    all.extend(component.http.iter().flatten().map(host));
    for model in component.model_hosts.keys() {
        all.push(format!("sends requests to the provider of [models.{model}], with its key"));
    }
    for (model, entries) in
        asked.models.iter().filter_map(|(name, it)| Some((name, it.as_table()?)))
    {
        let entries = entries.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        all.push(format!(
            "is told of [models.{model}] what the environment or files say: {entries}"
        ));
    }
    for variable in component.http_environment.iter().flat_map(|it| it.variables()) {
        all.push(format!("sends requests to what the environment's {variable} names"));
    }
    for (variable, secret) in component.http_environment.iter().flat_map(|it| it.secrets()) {
        all.push(format!("has {secret} sent along to what {variable} names"));
    }
    for (setting, from) in &component.environment {
        let variables: Vec<_> = from.variables().collect();
        let variables = variables.join(" or ");
        all.push(format!("is told the environment's {variables}, as its setting {setting}"));
    }
    for (setting, value) in &component.settings {
        all.push(match value.get("file").and_then(|it| it.as_str()) {
            Some(file) => format!("is told what the file {file:?} says, as its setting {setting}"),
            None => format!("has the setting {setting} = {value}"),
        });
    }
    let files = component.files.iter().map(|it| ("file", it));
    let folders = component.folders.iter().map(|it| ("folder", it));
    for (what, (as_name, path)) in files.chain(folders) {
        all.push(format!("reads the {what} {path:?}, as {as_name:?}"));
    }
    let list = |names: Vec<&String>| {
        let names: Vec<_> = names.into_iter().map(String::as_str).collect();
        names.join(", ")
    };
    if let Some(names) = component.asks.as_ref().filter(|it| !it.is_empty()) {
        all.push(match names.contains("*") {
            true => "asks any assistant".to_owned(),
            false => format!("asks the assistants {}", list(names.iter().collect())),
        });
    }
    if let Some(tools) = component.calls.as_ref().filter(|it| !it.written().is_empty()) {
        let tools = list(tools.written().iter().collect());
        all.push(format!("calls {tools} on its callers' behalf, as a person allows it"));
    }
    if let Some(tools) = component.trusts.as_ref().filter(|it| !it.is_empty()) {
        all.push(format!("calls {} WITHOUT asking a person", list(tools.iter().collect())));
    }
    if !component.server_tools.is_empty() {
        let tools = list(component.server_tools.iter().collect());
        all.push(format!("leaves {tools} to the server at MCP_SERVER_URL"));
    }
    if let Some(every) = component.schedule_ms {
        all.push(format!("is run every {every} ms"));
    }
    for (limit, value) in limits.into_iter().flatten() {
        all.push(format!("has the limit {limit} = {value}"));
    }
    let apart = asked.addresses.keys().map(|it| format!("the address /api/{it}"));
    let apart = apart.chain(asked.assistants.keys().map(|it| format!("the assistant {it}")));
    let apart: Vec<_> = apart.collect();
    if !apart.is_empty() {
        let apart = apart.join(", ");
        all.push(format!("brings {apart}, which only the configuration file can give it"));
    }
    if !all.is_empty() {
        all.append(&mut carries);
    }
    Ok(all.iter().map(|it| format!("it {}", clean::text(it).replace('\n', " "))).collect())
}

/// Describes what a grant allows the component `name` to do, as a sentence without its subject.
pub fn touches(grant: Grant, name: &str) -> String {
    match grant {
        Grant::Http => "sends requests to the hosts that it is granted".to_owned(),
        Grant::Folders => "reads the folders that it is granted".to_owned(),
        Grant::Files => "reads the files that it is granted".to_owned(),
        other => granted(other, name),
    }
}

fn granted(grant: Grant, name: &str) -> String {
    match grant {
        Grant::Sql => "keeps a database of its own".to_owned(),
        Grant::Settings => "is told its settings".to_owned(),
        Grant::Clock => "knows the time".to_owned(),
        Grant::Random => "has random numbers".to_owned(),
        Grant::Http => "sends requests to the hosts below".to_owned(),
        Grant::Folders => "reads the folders below".to_owned(),
        Grant::Files => "reads the files below".to_owned(),
        Grant::Blobs => "reads and makes files that callers exchange".to_owned(),
        Grant::Events => "tells listeners that something has changed".to_owned(),
        Grant::Schedule => "is run from time to time".to_owned(),
        Grant::Jobs => "does work of its own, beside the calls of others".to_owned(),
        Grant::Endpoints => format!("answers requests under /api/{name}"),
        Grant::Assistants => "asks assistants, and has them act in its own work".to_owned(),
        Grant::Calls => "calls tools on its callers' behalf".to_owned(),
        Grant::Runs => {
            "runs the assistants of the configuration, and calls tools as they may".to_owned()
        }
    }
}

fn host(granted: &HostGrant) -> String {
    let methods: Vec<_> = granted.methods.iter().map(|it| it.as_str()).collect();
    let methods = methods.join(", ");
    let place = |secret: &SecretGrant| match &secret.source {
        Given::Environment(variable) => {
            format!(", with the secret in the environment's {variable}")
        }
        Given::File(file) => format!(", with the secret in the file {file:?}"),
        Given::Text(_) | Given::Value(_) => ", with a secret that it brings".to_owned(),
    };
    let secrets: String = granted.secrets.iter().map(place).collect();
    let private =
        if granted.private { ", which may be on this machine or in its network" } else { "" };
    format!(
        "sends {methods} to {}://{}:{}{private}{secrets}",
        granted.scheme, granted.host, granted.port
    )
}
