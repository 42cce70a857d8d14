//! Grants, settings and limits of one component: `[components.NAME]`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ConfigError, ModelHost,
    environment::{FromEnvironment, HostsFromEnvironment},
    registries::Requirement,
    servers::Changed,
};
use crate::{
    grants::{Grant, Stubs, http::HostGrant},
    limits::Limits,
    toolsets::{ToolSet, is_name},
};

/// The least time between two runs of a component's schedule.
const INTERVAL_MS_MIN: u64 = 100;

/// `[components.NAME]`: grants, settings and limits of one component.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComponentConfig {
    /// Whether it is served. Defaults to true.
    pub enabled: Option<bool>,
    /// Handling of builds whose tool definitions differ: they serve, unless this keeps the earlier build until the
    /// operator accepts them (PIN-5).
    pub changed: Option<Changed>,
    /// Required signature of builds from registries.
    pub require: Option<Requirement>,
    /// Capabilities that it may use.
    pub grants: Option<BTreeSet<Grant>>,
    /// Imports that it may carry without having them.
    pub stubs: Option<Stubs>,
    /// Name prefix of lifted functions, for components not made for this host.
    pub prefix: Option<String>,
    /// Settings. `{ file = "…" }` is replaced by the file's content.
    pub settings: BTreeMap<String, Value>,
    /// Settings from the environment: `setting = "VARIABLE"`.
    pub environment: BTreeMap<String, FromEnvironment>,
    /// Hosts that it may send requests to.
    pub http: Option<Vec<HostGrant>>,
    /// The environment variables with more of them.
    pub http_environment: Option<HostsFromEnvironment>,
    /// Files that it may read, by the name under which it knows them.
    pub files: BTreeMap<String, PathBuf>,
    /// Folders that it may read, by the path under which it sees them.
    pub folders: BTreeMap<String, PathBuf>,
    /// Hosts of `[models]` by name, for a component that runs assistants.
    pub model_hosts: BTreeMap<String, ModelHost>,
    /// The assistants that it may ask, by their names, or `*` for all.
    pub asks: Option<BTreeSet<String>>,
    /// The tools that it may call on its callers' behalf: by name, by `component:NAME` or `server:NAME`, or
    /// `*` for all.
    pub calls: Option<ToolSet>,
    /// Tools of `calls` that need no approval.
    pub trusts: Option<BTreeSet<String>>,
    /// The tool of its own that `madoguchi import` gives lines to.
    pub import_tool: Option<String>,
    /// Tools of its own that the server at `MCP_SERVER_URL` offers in their place.
    pub server_tools: BTreeSet<String>,
    /// The look-up of its own that answers its part of `/api/health`.
    pub health: Option<String>,
    /// Interval of its schedule in milliseconds.
    #[serde(deserialize_with = "interval")]
    pub schedule_ms: Option<u64>,
    /// Limits that differ from the common ones.
    pub limits: Option<Limits>,
    /// `[models]` as it travels with the component: it receives what the environment or a file gives there.
    #[serde(skip)]
    pub own_models: toml::Table,
}

impl ComponentConfig {
    /// Takes over the entries of `other`.
    pub(super) fn change(&mut self, other: Self) {
        self.enabled = other.enabled.or(self.enabled);
        self.changed = other.changed.or(self.changed);
        self.require = other.require.or(self.require.take());
        self.grants = other.grants.or(self.grants.take());
        self.stubs = other.stubs.or(self.stubs.take());
        self.prefix = other.prefix.or(self.prefix.take());
        self.http = other.http.or(self.http.take());
        self.http_environment = other.http_environment.or(self.http_environment.take());
        self.limits = other.limits.or(self.limits.take());
        self.asks = other.asks.or(self.asks.take());
        self.calls = other.calls.or(self.calls.take());
        self.trusts = other.trusts.or(self.trusts.take());
        self.import_tool = other.import_tool.or(self.import_tool.take());
        self.model_hosts.extend(other.model_hosts);
        self.settings.extend(other.settings);
        self.environment.extend(other.environment);
        self.health = other.health.or(self.health.take());
        self.server_tools.extend(other.server_tools);
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self.schedule_ms = other.schedule_ms.or(self.schedule_ms);
    }

    /// Whether what travels with it has that entry of `[models.MODEL]`.
    pub(super) fn declares(&self, model: &str, entry: &str) -> bool {
        self.own_models.get(model).is_some_and(|it| it.get(entry).is_some())
    }

    /// Whether it has that grant.
    pub fn has(&self, grant: Grant) -> bool {
        self.grants.as_ref().is_some_and(|it| it.contains(&grant))
    }

    /// The capability `http` and hosts to use it with: neither is worth anything alone.
    pub(super) fn check_halves(&self, component: &str, path: &Path) -> Result<(), ConfigError> {
        let is_granted = self.has(Grant::Http);
        // An optional host does not require the grant.
        let mut hosts = self.http.iter().flatten();
        let has_hosts = hosts.any(|it| is_granted || !it.optional);
        // With an empty list the operator states that it sends nothing anywhere.
        let is_said =
            self.http.is_some() || self.http_environment.is_some() || !self.model_hosts.is_empty();
        let what = match (is_granted, has_hosts) {
            (true, false) if !is_said => {
                "grants \"http\" and no host; add [[components.NAME.http]] with host = \"…\" for each, say http = [] for none, or take \"http\" out of its grants"
            }
            (false, true) => {
                "has hosts under http and no leave to use them; add \"http\" to its grants"
            }
            _ => return Ok(()),
        };
        Err(ConfigError::Half { path: path.to_owned(), component: component.to_owned(), what })
    }

    /// The settings, those that the environment gives included.
    pub fn settings(&self) -> BTreeMap<String, Value> {
        let mut settings = self.settings.clone();
        for (name, from) in &self.environment {
            if let Some(value) = from.value() {
                settings.entry(name.clone()).or_insert(Value::String(value));
            }
        }
        settings
    }

    /// The source of a setting: its table, and its file or environment variables.
    pub fn source_of(&self, setting: &str, base: &Path) -> (&'static str, String) {
        if let Some(value) = self.settings.get(setting) {
            let file = value.get("file").and_then(Value::as_str).map(|it| base.join(it));
            let file = file.map(|it| format!(" (in the file {})", it.display()));
            return ("settings", file.unwrap_or_default());
        }
        let Some(from) = self.environment.get(setting) else { return ("settings", String::new()) };
        let names: Vec<_> = from.variables().collect();
        ("environment", format!(" (from the environment: {})", names.join(", ")))
    }

    /// The hosts that it may send requests to, those that the environment names included. What is
    /// wrong there was reported at the start.
    pub fn hosts(&self) -> Vec<HostGrant> {
        let mut hosts = self.http.clone().unwrap_or_default();
        hosts.extend(self.hosts_of_environment().unwrap_or_default());
        hosts
    }

    fn hosts_of_environment(&self) -> Result<Vec<HostGrant>, String> {
        self.http_environment.as_ref().map_or(Ok(Vec::new()), HostsFromEnvironment::hosts)
    }

    /// The environment variables that it is given something by.
    pub fn variables(&self) -> Vec<&str> {
        let settings = self.environment.values().flat_map(FromEnvironment::variables);
        let hosts = self.http_environment.iter().flat_map(HostsFromEnvironment::variables);
        let theirs = self.http_environment.iter().flat_map(HostsFromEnvironment::secrets);
        let secrets = self.http.iter().flatten().flat_map(HostGrant::variables);
        let secrets = secrets.chain(theirs.map(|it| it.1));
        let mut all: Vec<_> = settings.chain(hosts).chain(secrets).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The first problem of its callable tools: the key, and what to fix.
    pub fn wrong_calls(&self) -> Option<(&'static str, String)> {
        let calls = self.calls.iter().flat_map(|it| it.written());
        let is_wrong = |name: &&String| match name.split_once(':') {
            Some(("component" | "server", name)) => name.is_empty(),
            Some(_) => true,
            None => name.is_empty(),
        };
        if let Some(wrong) = calls.clone().find(is_wrong) {
            let what = "a tool's name, component:NAME, server:NAME or * is right";
            return Some(("calls", format!("{wrong:?}: {what}")));
        }
        let mut trusts = self.trusts.iter().flatten();
        if let Some(wrong) = trusts.find(|it| it.contains(':') || *it == "*") {
            let what = format!("{wrong:?}: names of tools are right here, one by one");
            return Some(("trusts", what));
        }
        let key = if calls.count() > 0 { "calls" } else { "trusts" };
        let is_said = key == "calls" || self.trusts.as_ref().is_some_and(|it| !it.is_empty());
        (is_said && !self.has(Grant::Calls))
            .then(|| (key, "it has no leave to call tools; add \"calls\" to its grants".to_owned()))
    }

    /// Checks names, and settings from the environment.
    ///
    /// # Errors
    /// Names the key, and says what to fix.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.changed == Some(Changed::Stop) {
            let what = "\"stop\" is for servers; \"keep\" and \"take\" are right";
            return Err(("changed", what.to_owned()));
        }
        if let Some(Err(what)) = self.stubs.as_ref().map(Stubs::check) {
            return Err(("stubs", what));
        }
        if let Some(wrong) = self.prefix.as_deref().filter(|it| !it.is_empty() && !is_name(it)) {
            let what = format!("{wrong:?}: A-Z a-z 0-9 _ . - are right, or \"\"");
            return Err(("prefix", what));
        }
        self.hosts_of_environment().map(|_| ()).map_err(|what| ("http_environment", what))
    }
}

/// What a component may reach by its grants. It has names only and no secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reach {
    /// Hosts that it may send requests to, as `HOST`, `HOST:PORT` or `http://HOST:PORT`.
    pub http: Vec<String>,
    /// Files that it may read, by the names under which it knows them.
    pub files: Vec<String>,
    /// Folders that it may read, by the paths under which it sees them.
    pub folders: Vec<String>,
    /// Environment variables that it, or a host that it calls, is given something by.
    pub environment: Vec<String>,
    /// Assistants that it may ask, or `*`.
    pub asks: Vec<String>,
    /// Tools that it may call, as they are written.
    pub calls: Vec<String>,
    /// Tools that need no approval.
    pub trusts: Vec<String>,
    /// Interval of its schedule in milliseconds.
    pub schedule_ms: Option<u64>,
}

impl Reach {
    /// Reads the grants of a component.
    pub fn from_config(config: &ComponentConfig) -> Self {
        let hosts = config.hosts();
        let hosts = hosts.iter().filter(|it| !it.is_left_out());
        Self {
            http: hosts.map(ToString::to_string).collect(),
            files: config.files.keys().cloned().collect(),
            folders: config.folders.keys().cloned().collect(),
            environment: config.variables().into_iter().map(str::to_owned).collect(),
            asks: config.asks.iter().flatten().cloned().collect(),
            calls: config.calls.iter().flat_map(|it| it.written()).cloned().collect(),
            trusts: config.trusts.iter().flatten().cloned().collect(),
            schedule_ms: config.schedule_ms,
        }
    }
}

/// An interval that leaves time for something else.
fn interval<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let interval = u64::deserialize(value)?;
    if interval < INTERVAL_MS_MIN {
        let message = format!("schedule_ms must be at least {INTERVAL_MS_MIN} milliseconds");
        return Err(serde::de::Error::custom(message));
    }
    Ok(Some(interval))
}
