//! What the operator granted with `madoguchi accept`, stored beside the configuration file.

use std::{collections::BTreeMap, fmt::Display, sync::Arc};

use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
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

/// One point of what a build wants or changes: in English, and by code and values, for what is written in another
/// language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    pub code: String,
    pub values: Vec<String>,
    pub text: String,
}

impl Reason {
    pub fn new(code: &str, values: &[&dyn Display], text: String) -> Self {
        let values = values.iter().map(|it| it.to_string()).collect();
        Self { code: code.to_owned(), values, text }
    }
}

/// Describes what a section asks for, in sentences. `None` for nothing, or for stubs only, which need no acceptance.
///
/// # Errors
/// If it is invalid.
pub fn sentences(name: &str, text: &str) -> Result<Vec<String>, String> {
    Ok(wanted(name, text)?.into_iter().map(|it| it.text).collect())
}

/// What a section asks for, as [`sentences`] say it.
///
/// # Errors
/// If it is invalid.
pub fn wanted(name: &str, text: &str) -> Result<Vec<Reason>, String> {
    let asked = defaults::parse(text)?;
    let limits = asked.component.get("limits").and_then(|it| it.as_table()).cloned();
    let component: ComponentConfig =
        asked.component.try_into().map_err(|it: toml::de::Error| it.message().to_owned())?;
    let grant = |it: &Grant| Reason::new("grant", &[it], asked_for(*it, name, &component));
    let mut all: Vec<_> = component.grants.iter().flatten().map(grant).collect();
    let mut carries = Vec::new();
    if let Some(stubs) = component.stubs.as_ref().filter(|it| it.written().next().is_some()) {
        let shown =
            |it: &String| if it == "*" { "whatever it imports".to_owned() } else { it.clone() };
        let stubs = stubs.written().map(shown).collect::<Vec<_>>().join(", ");
        let text = format!("carries {stubs} without having it, and ends a call that uses it");
        carries.push(Reason::new("stubs", &[&stubs], text));
    }
    all.extend(component.http.iter().flatten().map(host));
    for model in component.model_hosts.keys() {
        let text = format!("sends requests to the provider of [models.{model}], with its key");
        all.push(Reason::new("model_host", &[model], text));
    }
    for (model, entries) in
        asked.models.iter().filter_map(|(name, it)| Some((name, it.as_table()?)))
    {
        let entries = entries.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let text =
            format!("is told of [models.{model}] what the environment or files say: {entries}");
        all.push(Reason::new("model_entries", &[model, &entries], text));
    }
    for variable in component.http_environment.iter().flat_map(|it| it.variables()) {
        let text = format!("sends requests to what the environment's {variable} names");
        all.push(Reason::new("host_variable", &[&variable], text));
    }
    for (variable, secret) in component.http_environment.iter().flat_map(|it| it.secrets()) {
        let text = format!("has {secret} sent along to what {variable} names");
        all.push(Reason::new("secret_variable", &[&secret, &variable], text));
    }
    for (setting, from) in &component.environment {
        let variables: Vec<_> = from.variables().collect();
        let variables = variables.join(" or ");
        let text = format!("is told the environment's {variables}, as its setting {setting}");
        all.push(Reason::new("environment", &[&variables, setting], text));
    }
    for (setting, value) in &component.settings {
        all.push(match value.get("file").and_then(|it| it.as_str()) {
            Some(file) => {
                let text = format!("is told what the file {file:?} says, as its setting {setting}");
                Reason::new("setting_file", &[&file, setting], text)
            }
            None => {
                let text = format!("has the setting {setting} = {value}");
                Reason::new("setting", &[setting, value], text)
            }
        });
    }
    let files = component.files.iter().map(|it| ("file", it));
    let folders = component.folders.iter().map(|it| ("folder", it));
    for (what, (as_name, path)) in files.chain(folders) {
        let text = format!("reads the {what} {path:?}, as {as_name:?}");
        all.push(Reason::new(what, &[&format!("{path:?}"), as_name], text));
    }
    let list = |names: Vec<&String>| {
        let names: Vec<_> = names.into_iter().map(String::as_str).collect();
        names.join(", ")
    };
    if let Some(names) = component.asks.as_ref().filter(|it| !it.is_empty()) {
        let listed = list(names.iter().collect());
        let text = match names.contains("*") {
            true => "asks any assistant".to_owned(),
            false => format!("asks the assistants {listed}"),
        };
        all.push(Reason::new("asks", &[&listed], text));
    }
    if let Some(tools) = component.calls.as_ref().filter(|it| !it.written().is_empty()) {
        let tools = list(tools.written().iter().collect());
        let text = format!("calls {tools} on its callers' behalf, as a person allows it");
        all.push(Reason::new("calls", &[&tools], text));
    }
    if let Some(tools) = component.trusts.as_ref().filter(|it| !it.is_empty()) {
        let tools = list(tools.iter().collect());
        let text = format!("calls {tools} WITHOUT asking a person");
        all.push(Reason::new("trusts", &[&tools], text));
    }
    if !component.server_tools.is_empty() {
        let tools = list(component.server_tools.iter().collect());
        let text = format!("leaves {tools} to the server at MCP_SERVER_URL");
        all.push(Reason::new("server_tools", &[&tools], text));
    }
    if let Some(every) = component.schedule_ms {
        all.push(Reason::new("schedule", &[&every], format!("is run every {every} ms")));
    }
    for (limit, value) in limits.into_iter().flatten() {
        let text = format!("has the limit {limit} = {value}");
        all.push(Reason::new("limit", &[&limit, &value], text));
    }
    let apart = asked.addresses.keys().map(|it| format!("the address /api/{it}"));
    let apart = apart.chain(asked.assistants.keys().map(|it| format!("the assistant {it}")));
    let apart: Vec<_> = apart.collect();
    if !apart.is_empty() {
        let apart = apart.join(", ");
        let text = format!("brings {apart}, which only the configuration file can give it");
        all.push(Reason::new("apart", &[&apart], text));
    }
    if !all.is_empty() {
        all.append(&mut carries);
    }
    let line = |text: &str| clean::text(text).replace('\n', " ");
    let whole = |reason: Reason| Reason {
        text: format!("it {}", line(&reason.text)),
        values: reason.values.iter().map(|it| line(it)).collect(),
        ..reason
    };
    Ok(all.into_iter().map(whole).collect())
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

/// What a section asks for by a grant. Hosts, files and folders follow below; where there are none, the grant reaches
/// nothing, and the sentence says what would name one.
fn asked_for(grant: Grant, name: &str, component: &ComponentConfig) -> String {
    let (has_none, what, line) = match grant {
        Grant::Http => {
            let has_none = component.http.as_ref().is_none_or(Vec::is_empty)
                && component.http_environment.is_none()
                && component.model_hosts.is_empty();
            (has_none, "sends requests, and names no host", "http = [{ host = \"NAME\" }]")
        }
        Grant::Folders => (
            component.folders.is_empty(),
            "reads folders, and names none",
            "folders = { \"/NAME\" = \"PATH\" }",
        ),
        Grant::Files => {
            let line = "files = { NAME = \"PATH\" }";
            (component.files.is_empty(), "reads files, and names none", line)
        }
        _ => (false, "", ""),
    };
    match has_none {
        true => {
            format!(
                "{what}: it reaches none until [components.{name}] or its defaults.toml has {line}"
            )
        }
        false => granted(grant, name),
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

fn host(granted: &HostGrant) -> Reason {
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
    let source = |secret: &SecretGrant| match &secret.source {
        Given::Environment(variable) => Some(variable.clone()),
        Given::File(file) => Some(file.display().to_string()),
        Given::Text(_) | Given::Value(_) => None,
    };
    let sources: Vec<_> = granted.secrets.iter().filter_map(source).collect();
    let private =
        if granted.private { ", which may be on this machine or in its network" } else { "" };
    let url = format!("{}://{}:{}", granted.scheme, granted.host, granted.port);
    let code = match (granted.private, granted.secrets.is_empty()) {
        (false, true) => "host",
        (false, false) => "host_secret",
        (true, true) => "host_private",
        (true, false) => "host_private_secret",
    };
    let text = format!("sends {methods} to {url}{private}{secrets}");
    Reason::new(code, &[&methods, &url, &sources.join(", ")], text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grant_that_names_no_host_file_or_folder_says_so() {
        let all = sentences("shop", "grants = ['http', 'files', 'folders', 'sql']").unwrap();
        for line in ["http = [{ host", "files = {", "folders = {"] {
            let lacking = |it: &&String| it.contains("[components.shop]") && it.contains(line);
            assert_eq!(all.iter().filter(lacking).count(), 1, "{line}: {all:?}");
        }
        assert!(!all.iter().any(|it| it.contains("below")), "{all:?}");
        let named = "grants = ['http', 'files', 'folders']\n\
            http = [{ host = 'a.example' }]\nfiles = { a = 'a' }\nfolders = { '/b' = 'b' }";
        let all = sentences("shop", named).unwrap();
        assert_eq!(all.iter().filter(|it| it.contains("below")).count(), 3, "{all:?}");
        assert!(!all.iter().any(|it| it.contains("names no")), "{all:?}");
    }
}
