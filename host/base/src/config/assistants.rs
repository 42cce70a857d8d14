//! What assistants may do, which models they may use, and the gateway of `/api/chat`: `[assistants.NAME]`,
//! `[models.NAME]` and `[chat]`. Other entries are passed to the component that runs them.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use http::Method;
use reqwest::Url;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use smart_default::SmartDefault;

use super::{ComponentConfig, Config, Given, Problem, error::in_plain_terms};
use crate::{
    grants::{
        Grant,
        hosts::is_loopback_host,
        http::{HostGrant, Place, SecretGrant},
    },
    limits::check_range,
    scopes::Scope,
    toolsets::{Owner, ToolSet},
};

/// Which calls need the user's approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ApprovalMode {
    /// Every call of a tool that does not say that it only reads.
    #[default]
    Changes,
    /// Every call of any tool.
    Always,
    /// No call asks first.
    Never,
}

/// The tools of an assistant, and which calls need approval.
#[derive(Clone, Debug, Deserialize, SmartDefault)]
#[serde(default)]
pub struct Policy {
    #[default = true]
    enabled: bool,
    #[default(ToolSet::all())]
    tools: ToolSet,
    /// Additional tool that makes pictures where no model does.
    picture_tool: Option<String>,
    approval: ApprovalMode,
    asks: Vec<String>,
    trusts: Vec<String>,
}

impl Policy {
    /// Whether `tool`, which is `owner`'s, is one of its own.
    pub fn has(&self, owner: Owner<'_>, tool: &str) -> bool {
        self.picture_tool.as_deref() == Some(tool) || self.tools.has(owner, tool)
    }

    /// Whether it is to have `tool`, by its own name.
    pub fn names(&self, tool: &str) -> bool {
        self.tools.names(tool)
    }

    /// Whether a call of `tool` waits until the person lets it happen. One that the person trusts does not, unless
    /// the operator wants to have them asked each time.
    pub fn asks_first(
        &self,
        tool: &str,
        (is_read_only, is_changed): (bool, bool),
        is_trusted: bool,
    ) -> bool {
        if self.asks.iter().any(|it| it == tool) {
            return true;
        }
        let is_trusted = is_trusted || !is_changed && self.trusts.iter().any(|it| it == tool);
        match self.approval {
            ApprovalMode::Never => false,
            ApprovalMode::Always => !is_trusted,
            ApprovalMode::Changes => !is_read_only && !is_trusted,
        }
    }
}

/// All assistants, by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "toml::Table")]
pub struct Assistants {
    policies: BTreeMap<String, Arc<Policy>>,
    /// The table as it stands in the file.
    table: Map<String, Value>,
}

/// The policies of a file, with the place of each mistake. The entries of components are read apart from them.
pub(super) fn policies<'de, D: Deserializer<'de>>(written: D) -> Result<Assistants, D::Error> {
    let policies = BTreeMap::deserialize(written)?;
    Ok(Assistants { policies, ..Assistants::default() })
}

impl TryFrom<toml::Table> for Assistants {
    type Error = String;

    fn try_from(table: toml::Table) -> Result<Self, String> {
        let policy = |(name, policy): (&String, &toml::Value)| {
            let policy = policy.clone().try_into::<Policy>();
            let wrong = |error: toml::de::Error| {
                format!("[assistants] {name}: {}", in_plain_terms(error.message()))
            };
            let policy = policy.map_err(wrong)?;
            Ok((name.clone(), Arc::new(policy)))
        };
        let policies = table.iter().map(policy).collect::<Result<_, String>>()?;
        let table = serde_json::to_value(table).map_err(|it| it.to_string())?;
        Ok(Self { policies, table: table.as_object().cloned().unwrap_or_default() })
    }
}

impl Assistants {
    /// Policy of an assistant, if enabled.
    pub fn policy(&self, name: &str) -> Option<&Arc<Policy>> {
        self.policies.get(name).filter(|it| it.enabled)
    }

    /// Whether there is one of that name, enabled or not.
    pub fn has(&self, name: &str) -> bool {
        self.policies.contains_key(name)
    }
}

/// `[models.NAME]`: the models of one provider.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModelConfig {
    base_url: Option<Given>,
    key: Option<Given>,
    /// Entries passed to the component.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// `[components.NAME.model_hosts.MODEL]`: the API of a provider, and how its key is sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelHost {
    /// The base URL, where `[models]` sets no other.
    url: String,
    /// The header that the key goes in, and what stands before it there.
    header: String,
    #[serde(default)]
    prefix: String,
}

impl ModelConfig {
    /// The base URL from the configuration, if it is set.
    fn base_url(&self, base: &Path) -> Option<String> {
        let given = self.base_url.as_ref().filter(|it| it.is_there())?;
        given.read(base).ok().map(|it| it.expose().to_owned())
    }

    fn key(&self) -> Option<&Given> {
        self.key.as_ref().filter(|it| it.is_there())
    }

    /// The model settings that `component` receives: texts from environment and files for entries of the component's
    /// own section, and of the key only its presence. Other values may be secret.
    fn settings_for(&self, name: &str, component: &ComponentConfig, base: &Path) -> Value {
        let mut settings = Map::new();
        if let Some(url) = self.base_url(base) {
            settings.insert("base_url".to_owned(), url.into());
        }
        let has_key = self.key().is_some_and(|it| it.read(base).is_ok());
        settings.insert("key".to_owned(), has_key.into());
        for (entry, value) in &self.others {
            let value = match is_indirect(value) {
                false => Some(value.clone()),
                true if component.declares(name, entry) => {
                    let given = serde_json::from_value::<Given>(value.clone()).ok();
                    let text = given.filter(Given::is_there).and_then(|it| it.read(base).ok());
                    let text = text.map(|it| it.expose().trim().to_owned());
                    text.filter(|it| !it.is_empty()).map(Value::String)
                }
                true => None,
            };
            settings.extend(value.map(|it| (entry.clone(), it)));
        }
        Value::Object(settings)
    }

    /// The host that it is asked at with its key; none, where nothing of it is set.
    fn host(&self, host: &ModelHost, base: &Path) -> Result<Option<HostGrant>, String> {
        let url = self.base_url(base);
        if url.is_none() && self.key().is_none() {
            return Ok(None);
        }
        let mut grant = HostGrant::of_argument(url.as_deref().unwrap_or(&host.url))?;
        grant.methods = vec![Method::GET, Method::POST];
        // An address that the operator names is meant, wherever it is; ours is in the public network.
        grant.private = url.is_some();
        if let Some(key) = self.key() {
            let (place, prefix) = (Place::header(&host.header)?, host.prefix.clone());
            grant.secrets.push(SecretGrant { place, prefix, source: key.clone() });
        }
        Ok(Some(grant))
    }
}

impl Config {
    /// Adds assistant configuration and model hosts to the component that runs assistants. The operator's own
    /// settings take precedence.
    pub(super) fn pass_assistants(&self, component: &mut ComponentConfig) {
        if !component.has(Grant::Runs) {
            return;
        }
        let settings = |(name, model): (&String, &ModelConfig)| {
            (name.clone(), model.settings_for(name, component, &self.base))
        };
        let models = self.models.iter().map(settings).collect();
        for (name, value) in [
            ("assistants", Value::Object(self.assistants.table.clone())),
            ("models", Value::Object(models)),
            ("chat", self.chat.settings()),
        ] {
            component.settings.entry(name.to_owned()).or_insert(value);
        }
        let hosts = component.model_hosts.iter().filter_map(|(name, host)| {
            self.models.get(name)?.host(host, &self.base).ok().flatten()
        });
        let hosts: Vec<_> = hosts.collect();
        component.http.get_or_insert_default().extend(hosts);
    }
}

/// Everything that is wrong in `config` about what assistants may do, their models and the gateway before the chat.
pub fn problems(config: &Config) -> Vec<Problem> {
    let mut found = Vec::new();
    for (name, policy) in config.assistants.policies.iter().filter(|it| it.1.enabled) {
        for pattern in policy.tools.written() {
            found.extend(wrong_pattern(config, name, pattern));
        }
        for (key, list) in [("asks", &policy.asks), ("trusts", &policy.trusts)] {
            if let Some(wrong) = list.iter().find(|it| it.contains(':') || *it == "*") {
                let what = format!("{wrong:?}: names of tools are right here, one by one");
                found.push(Problem::new(&["assistants", name, key], what, true));
            }
        }
        if let Some(both) = policy.asks.iter().find(|tool| policy.trusts.contains(tool)) {
            let what = format!("{both:?} is in asks, too, which wins; take it out of one of them");
            found.push(Problem::new(&["assistants", name, "trusts"], what, false));
        }
    }
    for (name, model) in &config.models {
        if let Some(Given::Text(_)) = model.key {
            found.push(Problem::new(&["models", name, "key"], literal_secret_error("KEY"), true));
        }
        if let Some(url) = model.base_url(&config.base)
            && let Err(what) = address(&url)
        {
            found.push(Problem::new(&["models", name, "base_url"], what, true));
        }
        for (entry, _) in model.others.iter().filter(|it| is_indirect(it.1)) {
            let declares = |it: &ComponentConfig| it.declares(name, entry);
            if !config.components.values().any(declares)
                && !config.accepted.0.read().values().any(declares)
            {
                let what = format!(
                    "key is the entry for a secret; {entry} is told to no component, for none brings such an entry"
                );
                found.push(Problem::new(&["models", name, entry], what, false));
            }
        }
    }
    found.extend(chat_problems(config));
    found
}

/// Whether an entry refers to a stored value, which may be secret.
fn is_indirect(value: &Value) -> bool {
    ["environment", "file", "value"].iter().any(|it| value[*it].is_string())
}

fn wrong_pattern(config: &Config, name: &str, pattern: &str) -> Option<Problem> {
    let (what, is_fatal) = match pattern.split_once(':') {
        None if !pattern.is_empty() => return None,
        Some(("component", it)) if !it.is_empty() => {
            // Whether it is installed is only known once the folder is read.
            let is_off = config.components.get(it).is_some_and(|it| it.enabled == Some(false));
            is_off.then(|| (format!("{pattern:?}: [components.{it}] is not enabled"), false))?
        }
        Some(("server", it)) if !it.is_empty() => {
            let is_there = config.servers.contains_key(it) || it == "mcp-server";
            (!is_there).then(|| (format!("{pattern:?}: there is no [servers.{it}]"), false))?
        }
        _ => (
            format!(
                "{pattern:?} names nothing; \"*\", \"component:NAME\", \"server:NAME\" and names of tools do"
            ),
            true,
        ),
    };
    Some(Problem::new(&["assistants", name, "tools"], what, is_fatal))
}

/// Whether it can be trusted with a key: by TLS, or because it is this machine.
fn address(text: &str) -> Result<(), String> {
    let right =
        "\"https://…\", or \"http://127.0.0.1:PORT\" for a server of this machine, is right";
    let url = Url::parse(text).map_err(|error| format!("it is no address ({error}); {right}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!("there is a user or a password in it, which belongs to key; {right}"));
    }
    match url.scheme() {
        "https" => Ok(()),
        "http" if url.host_str().is_some_and(is_loopback_host) => Ok(()),
        _ => Err(format!("what is sent there could be read by others; {right}")),
    }
}

/// Environment variable of the optional gateway password.
pub const PASSWORD_VARIABLE: &str = "AUTH_PASSWORD";
/// Bytes that a body may be let have.
const BODY_BYTES: std::ops::RangeInclusive<usize> = 1 << 10..=256 << 20;

/// `[chat]`. Missing entries come from the program's defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChatConfig {
    /// The password of the gateway (ILL-44); none is no gateway.
    pub password: Option<Given>,
    /// Scopes of callers who used the password, where tokens define scopes.
    pub scopes: Vec<String>,
    /// Bytes that a request's body may have: pictures of earlier messages are in it.
    pub body_bytes_max: usize,
    /// Entries passed to the component.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl ChatConfig {
    /// Whether a password is asked for.
    pub fn has_gateway(&self) -> bool {
        match &self.password {
            Some(Given::Environment(name)) if name == PASSWORD_VARIABLE => {
                std::env::var_os(name).is_some_and(|it| !it.is_empty())
            }
            password => password.is_some(),
        }
    }

    /// The settings that the component that answers receives.
    pub(super) fn settings(&self) -> Value {
        let mut settings: Map<_, _> = self.others.clone().into_iter().collect();
        settings.insert("body_bytes_max".to_owned(), self.body_bytes_max.into());
        settings.insert("gateway".to_owned(), self.has_gateway().into());
        Value::Object(settings)
    }
}

/// Everything that is wrong with it.
fn chat_problems(config: &Config) -> Vec<Problem> {
    let (chat, mut found) = (&config.chat, Vec::new());
    for scope in &chat.scopes {
        if let Err(error) = scope.parse::<Scope>() {
            found.push(Problem::new(&["chat", "scopes"], error.to_string(), true));
        }
    }
    let wrong = match &chat.password {
        Some(Given::Text(_)) => Some(literal_secret_error(PASSWORD_VARIABLE)),
        Some(Given::Environment(name)) if name == PASSWORD_VARIABLE => None,
        Some(it) => it.read(&config.base).err().map(|what| format!("{what}; or leave it out")),
        None => None,
    };
    found.extend(wrong.map(|what| Problem::new(&["chat", "password"], what, true)));
    if let Err(what) = check_range("body_bytes_max", chat.body_bytes_max, BODY_BYTES) {
        found.push(Problem::new(&["chat", "body_bytes_max"], what, true));
    }
    found
}

/// The message about a secret that stands in the file.
pub(super) fn literal_secret_error(variable: &str) -> String {
    format!(
        "it stands here as a plain text; {{ environment = \"{variable}\" }} or {{ file = \"PATH\" }} keep it elsewhere, and {{ value = \"…\" }} says that it is meant so"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{bundled, parse};

    /// Model settings received by the bundled assistant.
    fn settings_sent(config: &Config, model: &str) -> Value {
        config.component("assistant").settings["models"][model].clone()
    }

    #[test]
    fn passes_on_entries_that_travel_with_the_component() {
        let text = "[models.claude]\nmodel = { environment = 'PATH' }\nretry_base_ms = 7";
        let config = parse(text).unwrap();
        let claude = settings_sent(&config, "claude");
        assert_eq!(claude["model"], std::env::var("PATH").unwrap().trim());
        assert_eq!(claude["retry_base_ms"], 7);
        let found = problems(&config);
        assert!(!found.iter().any(|it| it.path[0] == "models"), "{found:?}");
        assert!(!problems(&bundled()).iter().any(|it| it.path[0] == "models"));
    }

    #[test]
    fn passes_no_secret_under_a_key_other_than_key() {
        for place in ["environment = 'PATH'", "file = '/etc/hostname'", "value = 'hush'"] {
            let text = format!(
                "[models.claude]\napi_key = {{ {place} }}\n[models.new]\nmodel = {{ {place} }}"
            );
            let config = parse(&text).unwrap();
            assert_eq!(settings_sent(&config, "claude").get("api_key"), None, "{place}");
            assert_eq!(settings_sent(&config, "new").get("model"), None, "{place}");
            let found = problems(&config);
            for path in [["models", "claude", "api_key"], ["models", "new", "model"]] {
                let problem = found.iter().find(|it| it.path == path).expect(place);
                assert!(problem.what.contains("key is the entry for a secret"), "{problem:?}");
                assert!(!problem.what.contains("hush"), "{problem:?}");
            }
        }
    }

    #[test]
    fn accepted_component_gets_entries_of_its_own_section() {
        let text =
            "[models.claude]\nmodel = { environment = 'PATH' }\ntoken = { environment = 'PATH' }";
        let config = parse(text).unwrap();
        config.accept("other", "grants = ['runs']\n[models.claude]\ntoken = ''").unwrap();
        let claude = config.component("other").settings["models"]["claude"].clone();
        assert!(claude["token"].is_string() && claude.get("model").is_none(), "{claude}");
        assert_eq!(settings_sent(&config, "claude").get("token"), None);
        assert!(!problems(&config).iter().any(|it| it.path[0] == "models"));
    }
}
