//! The configuration: one optional TOML file, with a default for every entry.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use smart_default::SmartDefault;

use crate::{
    language::LanguageTag,
    limits::{ConnectionsConfig, Limits, SandboxConfig, SessionsConfig, TasksConfig, check_range},
    source::{Embedded, read_text},
    toolsets::{Toolset, Toolsets},
};
use store::{blobs, live_nodes::LiveNodes};

mod accepted;
mod aliases;
pub mod apps;
pub mod assistants;
mod component;
pub mod defaults;
mod environment;
mod error;
pub mod oauth;
mod origin;
mod page;
mod records;
pub mod registries;
pub mod servers;
pub mod tokens;

pub use accepted::{Accepted, Reason, sentences, touches, wanted};
pub use aliases::{Alias, Aliases, CHAT, PROBED, RESERVED};

pub use crate::{grants::secret::Given, limits::ApprovalsConfig};
pub use apps::AppsConfig;
pub use assistants::{Assistants, ChatConfig, ModelConfig, ModelHost, PASSWORD_VARIABLE, Policy};
pub use component::{ComponentConfig, Reach};
use defaults::merged;
pub use environment::{Base, Choice, FromEnvironment, HostsFromEnvironment, NamedHosts, When};
use error::ByName;
pub use error::ConfigError;
pub use error::Problem;
pub use oauth::{OauthConfig, SigningAlgorithm};
pub use origin::{GivenBy, Origin, Setting, Source, settings};
pub use page::{PageConfig, PublicUrl, Tiles};
pub use records::{AuditConfig, LogConfig, LogFormat, StoreConfig, TelemetryConfig};
pub use registries::{IdentityRequirement, RegistryConfig, Requirement};
pub use servers::ServerConfig;
pub use tokens::{AccountsConfig, RateConfig, TokenConfig};

/// The default address: this machine only.
const ADDR: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8808);
/// Bytes that the file may have.
pub const CONFIG_BYTES_MAX: u64 = 16 << 20;
/// Default operator address: a free port of this machine.
const OPERATOR_ADDR: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The operator's configuration, with defaults for the rest.
#[derive(Clone, Debug, Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Listen address. Port 0 takes a free one.
    #[default(ADDR)]
    pub addr: SocketAddr,
    /// Public address of the page, if different from `addr`.
    pub public_url: Option<PublicUrl>,
    /// Address of the operator listener, on this machine only. `None` disables it.
    #[default(Some(OPERATOR_ADDR))]
    #[serde(deserialize_with = "operator_addr")]
    pub operator_addr: Option<SocketAddr>,
    /// Acceptance of new builds: `[swap]`.
    pub swap: SwapConfig,
    /// The folder of databases, compiled code and the last versions.
    #[default(default_data())]
    pub data: PathBuf,
    /// The folder of components, watched while serving; none serves the bundled ones only.
    pub components_folder: Option<PathBuf>,
    /// Additional host names of the server.
    pub allowed_hosts: Vec<String>,
    /// Origins of pages elsewhere that may talk to the server.
    pub allowed_origins: Vec<String>,
    /// Addresses and networks of proxies whose `X-Forwarded-For` is trusted.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Whether a server that others can reach serves them without a token.
    pub allow_anonymous: bool,
    /// Limits of client connections.
    pub connections: ConnectionsConfig,
    /// Default language of callers.
    pub language: Option<LanguageTag>,
    /// Callers and their tokens, by name. Without any, every caller on this machine may call.
    pub tokens: BTreeMap<String, TokenConfig>,
    /// The tools that some clients know of alone, by name.
    pub toolsets: Toolsets,
    /// The name of the one that the client over stdio knows of (`--toolset`).
    #[serde(skip)]
    pub stdio_toolset: Option<String>,
    /// Identity providers whose tokens are accepted as well.
    #[serde(deserialize_with = "oauth::providers")]
    pub oauth: Vec<OauthConfig>,
    /// People's accounts, with which their clients get tokens here.
    pub accounts: AccountsConfig,
    /// Rate limit of each caller. `None` for no limit.
    pub rate: Option<RateConfig>,
    /// Limits of legacy sessions.
    pub sessions: SessionsConfig,
    /// Bytes that a request's body may have.
    #[default(4 << 20)]
    pub body_bytes_max: usize,
    /// Whether plain calls take the fast path, past the SDK; tests turn it off to compare both.
    #[default = true]
    #[serde(skip)]
    pub fast_path: bool,
    /// Whether the components that travel in the binary are served.
    #[default = true]
    pub bundled: bool,
    /// Files embedded in the program.
    #[serde(skip)]
    pub embedded: Embedded,
    /// Settings of each component.
    pub components: BTreeMap<String, ComponentConfig>,
    /// Other names under `/api` for what components answer there.
    pub endpoints: Aliases,
    /// Limits of components that have none of their own.
    pub limits: Limits,
    /// Whether and how calls are written down.
    pub audit: AuditConfig,
    /// Trace export.
    pub telemetry: TelemetryConfig,
    /// Log format.
    pub log: LogConfig,
    /// The sandbox that all components share: `[sandbox]`.
    pub sandbox: SandboxConfig,
    /// Where component data is stored: `[store]`.
    pub store: StoreConfig,
    /// Limits of blobs.
    pub blobs: blobs::Limits,
    /// Upstream MCP servers, by name.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Component registries, by host.
    pub registries: BTreeMap<String, RegistryConfig>,
    /// The registry of each namespace of packages; `*` is for all others.
    pub packages: BTreeMap<String, String>,
    /// External resources of the page.
    pub page: PageConfig,
    /// Where apps of other servers are shown, and what they may reach.
    pub apps: AppsConfig,
    /// Assistants, by name.
    #[serde(deserialize_with = "assistants::policies")]
    pub assistants: Assistants,
    /// The models that they may use, by their providers.
    pub models: BTreeMap<String, ModelConfig>,
    /// The gateway before `/api/chat`, and what answers there.
    pub chat: ChatConfig,
    /// Limits of approvals.
    pub approvals: ApprovalsConfig,
    /// Limits of tasks.
    pub tasks: TasksConfig,
    /// Number of nodes that share the database, by which rates are divided.
    #[serde(skip)]
    pub live_nodes: LiveNodes,
    /// The folder from which the paths in the configuration count.
    #[serde(skip)]
    pub base: PathBuf,
    /// The program that compiles components, each in a process of its own; none compiles here.
    #[serde(skip)]
    pub compiler: Option<PathBuf>,
    /// Grants given by `madoguchi accept`.
    #[serde(skip)]
    pub accepted: Accepted,
    /// The parsed file.
    #[serde(skip)]
    pub written: Arc<toml::Table>,
    /// Sources of its settings.
    #[serde(skip)]
    pub origin: Origin,
}

/// Acceptance of new builds: `[swap]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct SwapConfig {
    /// Whether a build that may fail the callers of the version before it waits for the operator.
    pub refuse_breaking: bool,
    /// Seconds that a swap waits for a node on the same database that cannot prepare it, before the others go on.
    #[default = 20]
    pub node_wait_s: u64,
    /// When a canary is withdrawn.
    pub canary: CanaryConfig,
}

/// When a canary is withdrawn: `[swap.canary]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct CanaryConfig {
    /// Minimum number of trapped, failed or refused calls before it is withdrawn.
    #[default = 3]
    pub faults_min: u64,
    /// Calls of it, and of the version before, below which errors and times say nothing.
    #[default = 20]
    pub calls_min: u64,
    /// Maximum factor of trapped or failed calls compared with the version before.
    #[default = 2.0]
    pub errors_factor: f64,
    /// Maximum factor of latency compared with the version before.
    #[default = 2.0]
    pub latency_factor: f64,
    /// Milliseconds that its calls may take longer in any case.
    #[default = 20]
    pub latency_ms_min: u64,
}

impl SwapConfig {
    fn check(&self) -> Result<(), String> {
        check_range("node_wait_s", self.node_wait_s, 1..=600)
    }
}

impl CanaryConfig {
    fn check(&self) -> Result<(), String> {
        for (name, number) in [("faults_min", self.faults_min), ("calls_min", self.calls_min)] {
            if number == 0 {
                return Err(format!("{name} = 0: at least 1 is needed"));
            }
        }
        for (name, factor) in
            [("errors_factor", self.errors_factor), ("latency_factor", self.latency_factor)]
        {
            if !factor.is_finite() || factor < 1.0 {
                return Err(format!("{name} = {factor}: it is 1 or more"));
            }
        }
        Ok(())
    }
}

/// `operator_addr` as written: an address, or false.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an address such as \"127.0.0.1:0\", or false")]
enum OperatorAddr {
    At(SocketAddr),
    Is(bool),
}

fn operator_addr<'de, D: Deserializer<'de>>(written: D) -> Result<Option<SocketAddr>, D::Error> {
    Ok(match OperatorAddr::deserialize(written)? {
        OperatorAddr::At(addr) => Some(addr),
        OperatorAddr::Is(is) => is.then_some(OPERATOR_ADDR),
    })
}

/// Networks, or addresses that are all of theirs.
fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let read = |text: String| {
        let address = text.parse::<IpAddr>().map(|it| it.to_canonical().into());
        address.or_else(|_| text.parse()).map_err(|_| {
            let right = "what is right here are IP addresses in quotes, such as \"127.0.0.1\", or networks, such as \"10.0.0.0/8\", and no names";
            D::Error::custom(right)
        })
    };
    Vec::<String>::deserialize(deserializer)?.into_iter().map(read).collect()
}

impl Config {
    /// The configuration without any file, where no component travels in the program.
    pub fn defaults() -> Self {
        Self::embedded_defaults(&Embedded::default()).expect("held by a test")
    }

    /// The configuration without any file.
    pub fn embedded_defaults(embedded: &Embedded) -> Result<Self, ConfigError> {
        Self::from_text("", Path::new("the built-in configuration"), embedded)
    }

    /// The configuration in `file`.
    pub fn read(file: &Path, embedded: &Embedded) -> Result<Self, ConfigError> {
        let read = |source| ConfigError::Read { path: file.to_owned(), source };
        let text = read_text(file, CONFIG_BYTES_MAX).map_err(read)?;
        let mut config = Self::from_text(&text, file, embedded)?;
        config.origin.file = Some(file.to_owned());
        config.base = file.parent().map(Path::to_owned).unwrap_or_default();
        config.data = config.base.join(&config.data);
        config.components_folder = config.components_folder.as_ref().map(|it| config.base.join(it));
        Ok(config)
    }

    fn from_text(text: &str, path: &Path, embedded: &Embedded) -> Result<Self, ConfigError> {
        let wrong = |error: toml::de::Error| ConfigError::parse(text, path, &error);
        let read = toml::Deserializer::parse(text).map_err(wrong)?;
        let config = Self::deserialize(ByName::new(read)).map_err(wrong)?;
        let start = defaults::start(embedded)?;
        let written: toml::Table = toml::from_str(text).map_err(wrong)?;
        let tables = [&start.table, &written];
        let ours: Self = start.table.clone().try_into().map_err(defaults::unusable)?;
        let (mut components, mut endpoints) = (ours.components, ours.endpoints);
        // What travels with a component is no mistake of the file.
        let named: BTreeSet<_> = config.components.keys().cloned().collect();
        for (name, component) in config.components {
            components.entry(name).or_default().change(component);
        }
        for (name, component) in &mut components {
            component.limits =
                component_limits(&config.limits, tables, name).or(component.limits.take());
            if named.contains(name) {
                component.check_halves(name, path)?;
            }
            component.own_models = start.models.get(name).cloned().unwrap_or_default();
        }
        endpoints.change(config.endpoints);
        Ok(Self {
            components,
            endpoints,
            assistants: merged(tables, "assistants")?,
            models: merged(tables, "models")?,
            chat: merged(tables, "chat")?,
            embedded: embedded.clone(),
            written: Arc::new(written),
            origin: Origin::in_text(text),
            ..config
        })
    }

    /// The toolset of the stdio client: that of `--toolset`, or else of `/mcp`.
    pub fn toolset_of_stdio(&self) -> Option<Arc<Toolset>> {
        let named = self.stdio_toolset.as_ref().and_then(|it| self.toolsets.get(it));
        named.or(self.toolsets.default_one()).cloned()
    }

    /// Whether callers must authenticate.
    pub fn requires_authentication(&self) -> bool {
        self.accounts.enabled || !self.tokens.is_empty() || !self.oauth.is_empty()
    }

    /// The public address of a server that listens at `addr`, without a slash at the end.
    pub fn public_address(&self, mut addr: SocketAddr) -> String {
        if let Some(url) = &self.public_url {
            return url.text.clone();
        }
        // "Every address" is none to go to; on the machine itself this one works.
        if addr.ip().is_unspecified() {
            addr.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{addr}")
    }

    /// Bytes of the largest body that a request may have, files apart, which are not kept in memory.
    pub fn largest_body(&self) -> usize {
        self.body_bytes_max.max(self.chat.body_bytes_max)
    }

    /// Settings of the component `name`.
    pub fn component(&self, name: &str) -> ComponentConfig {
        let accepted = self.accepted.0.read().get(name).cloned();
        let component = accepted.or_else(|| self.components.get(name).cloned());
        let mut component = component.unwrap_or_default();
        self.pass_assistants(&mut component);
        component
    }

    /// The limits of the component named `name`.
    pub fn limits(&self, name: &str) -> Limits {
        let accepted = self.accepted.0.read().get(name).map(|it| it.limits.clone());
        let own = || self.components.get(name).and_then(|it| it.limits.clone());
        accepted.unwrap_or_else(own).unwrap_or_else(|| self.limits.clone())
    }

    /// Refuses registries that cannot be asked, and signatures that cannot be required.
    pub fn check_registries(&self) -> Result<(), ConfigError> {
        match self.wrong_registries() {
            Some((path, what)) => Err(ConfigError::Unworkable { table: path.join("."), what }),
            None => Ok(()),
        }
    }

    /// The first problem of `[registries]`, `[packages]` and required signatures, with its place.
    pub fn wrong_registries(&self) -> Option<(Vec<String>, String)> {
        let wrong = registries::wrong(&self.registries, &self.packages);
        wrong.or_else(|| {
            self.components.iter().find_map(|(name, component)| {
                let what = component.require.as_ref()?.check().err()?;
                Some((vec!["components".to_owned(), name.clone()], what))
            })
        })
    }

    /// Required signatures of the component `name` from the registries at `hosts`. The component's own entry takes
    /// precedence.
    pub fn requirements<'a>(
        &self,
        name: &str,
        hosts: impl IntoIterator<Item = &'a str>,
    ) -> Vec<&Requirement> {
        if let Some(own) = self.components.get(name).and_then(|it| it.require.as_ref()) {
            return vec![own];
        }
        let mut all = Vec::new();
        for host in hosts {
            let required = self.registries.get(host).and_then(|it| it.require.as_ref());
            all.extend(required.filter(|it| !all.contains(it)));
        }
        all
    }

    /// The most memory that any component may have.
    pub fn memory_bytes_max(&self) -> usize {
        let accepted = self.accepted.0.read();
        let own = self.components.values().chain(accepted.values());
        let own = own.filter_map(|it| it.limits.as_ref()).map(|it| it.memory_bytes_max);
        own.fold(self.limits.memory_bytes_max, usize::max)
    }
}

/// `common`, with those entries changed that the program's own file and the operator's name for this
/// component, in this order.
fn component_limits(common: &Limits, tables: [&toml::Table; 2], name: &str) -> Option<Limits> {
    let named = |table: &toml::Table| -> Option<toml::Table> {
        table.get("components")?.get(name)?.get("limits")?.as_table().cloned()
    };
    let own: Vec<_> = tables.into_iter().filter_map(named).collect();
    let mut merged = toml::Table::try_from(common).ok().filter(|_| !own.is_empty())?;
    merged.extend(own.into_iter().flatten());
    merged.try_into().ok()
}

/// Default data folder: the user's, or one in the working directory.
fn default_data() -> PathBuf {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share"));
    let shared = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    match shared.filter(|it| it.is_absolute()).or_else(home) {
        Some(folder) => folder.join("madoguchi"),
        None => PathBuf::from("madoguchi-data"),
    }
}

#[cfg(test)]
mod tests;
