//! Upstream MCP servers: `[servers.NAME]`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env::consts::EXE_SUFFIX,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use reqwest::Url;
use serde::Deserialize;
use smart_default::SmartDefault;

use super::Given;
use crate::{
    grants::secret::{FORM_BYTES_MIN, Mask, Secret},
    limits::check_range,
    toolsets::is_name,
};

/// Bytes that a result, and one event of a stream, may have.
const OUTPUT_BYTES_MAX: usize = 8 << 20;
/// Bytes of a body that are read of a server over HTTP, however many an operator allows.
const BODY_BYTES_MAX: usize = 16 << 20;
/// Bytes from which on a secret is no word.
const STRONG_BYTES_MIN: usize = 12;
/// Name of the entry made by `MCP_SERVER_URL`.
const FROM_ENVIRONMENT: &str = "mcp-server";

/// `[servers.NAME]`: one upstream server, and how its tools are offered.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct ServerConfig {
    pub way: Way,
    pub era: Era,
    /// Before the names of its tools and prompts; none is its name and `_`.
    pub prefix: Option<String>,
    /// Its tools that keep their names, and win over a component's.
    pub replaces: BTreeSet<String>,
    /// Its tools that are offered; none is all.
    pub tools: Option<BTreeSet<String>>,
    /// Tools whose hints are trusted.
    pub trust_hints: TrustHints,
    pub changed: Changed,
    pub timeout_ms: u64,
    pub retry_base_ms: Option<u64>,
    pub calls_max: usize,
    pub queue_max: usize,
    pub output_bytes_max: usize,
}

/// Trusted annotations (`readOnlyHint` and others): of no tool, of all tools, or of named tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "true, false, or a list of tools: [\"search\"]")]
pub enum TrustHints {
    All(bool),
    Of(BTreeSet<String>),
}

impl TrustHints {
    /// Whether those of the tool count that its server knows by that name.
    pub fn has(&self, tool: &str) -> bool {
        match self {
            Self::All(all) => *all,
            Self::Of(tools) => tools.contains(tool),
        }
    }
}

impl Default for TrustHints {
    fn default() -> Self {
        Self::All(false)
    }
}

/// Handling of a tool whose definition has changed (PIN-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// Offered with its old definition until the operator accepts the new one.
    #[default]
    Keep,
    /// Not offered until accepted. This applies to new tools as well.
    Stop,
    /// Offered with its new definition.
    Take,
}

/// Transport of a server.
#[derive(Clone, Debug)]
pub enum Way {
    Url { url: Url, token: Option<Given> },
    Command { command: PathBuf, args: Vec<String>, env: BTreeMap<String, Given> },
}

impl Way {
    /// The server as shown to its operator, without secrets: the address up to its path, or the command name.
    pub fn shown(&self) -> String {
        match self {
            Self::Url { url, .. } => {
                url.as_str().split(['?', '#']).next().unwrap_or_default().to_owned()
            }
            Self::Command { command, .. } => command.display().to_string(),
        }
    }
}

/// MCP era of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// Detected, newest first.
    #[default]
    Auto,
    /// The revision 2026-07-28.
    Modern,
    /// 2025-11-25 and before, by `initialize`.
    Legacy,
    /// HTTP+SSE of 2024-11-05, which is deprecated.
    Sse,
}

/// An entry as it stands in the file.
#[derive(Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
struct Written {
    url: Option<String>,
    command: Option<PathBuf>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, Given>>,
    token: Option<Given>,
    transport: Era,
    prefix: Option<String>,
    replaces: BTreeSet<String>,
    tools: Option<BTreeSet<String>>,
    trust_hints: TrustHints,
    changed: Changed,
    #[default = 30_000]
    timeout_ms: u64,
    retry_base_ms: Option<u64>,
    #[default = 32]
    calls_max: usize,
    #[default = 256]
    queue_max: usize,
    #[default(OUTPUT_BYTES_MAX)]
    output_bytes_max: usize,
}

impl TryFrom<Written> for ServerConfig {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let way = match (written.url, written.command) {
            (Some(url), None) => {
                if written.args.is_some() || written.env.is_some() {
                    return Err("args and env belong to a command; a url has a token".to_owned());
                }
                Way::Url { url: read_url(&url)?, token: written.token }
            }
            (None, Some(command)) => {
                if written.token.is_some() {
                    return Err("a token goes to a url; a command has its env".to_owned());
                }
                if written.transport == Era::Sse {
                    return Err("transport = \"sse\" is a way over HTTP; a command has \"auto\", \"modern\" and \"legacy\"".to_owned());
                }
                let (args, env) =
                    (written.args.unwrap_or_default(), written.env.unwrap_or_default());
                Way::Command { command, args, env }
            }
            _ => {
                return Err(
                    "a server is reached in one way: url = \"https://…\" or command = \"…\""
                        .to_owned(),
                );
            }
        };
        let prefix = written.prefix;
        if let Some(prefix) = prefix.as_deref().filter(|it| !it.is_empty() && !is_name(it)) {
            return Err(format!("prefix = {prefix:?}: A-Z a-z 0-9 _ . - are right, or \"\""));
        }
        if let Some(name) = written.replaces.iter().find(|it| !is_name(it)) {
            return Err(format!("replaces: {name:?} is not the name of a tool"));
        }
        if let Some(tools) = &written.tools
            && let Some(name) = written.replaces.difference(tools).next()
        {
            return Err(format!("replaces names {name:?}, which tools = {tools:?} keeps out"));
        }
        check_range("retry_base_ms", written.retry_base_ms.unwrap_or(1), 1..=60_000)?;
        check_range("timeout_ms", written.timeout_ms, 1..=86_400_000)?;
        check_range("calls_max", written.calls_max, 1..=4_096)?;
        check_range("queue_max", written.queue_max, 0..=1 << 20)?;
        let readable = if matches!(way, Way::Url { .. }) { BODY_BYTES_MAX } else { 1 << 30 };
        check_range("output_bytes_max", written.output_bytes_max, 1 << 10..=readable)?;
        Ok(Self {
            way,
            era: written.transport,
            prefix,
            replaces: written.replaces,
            tools: written.tools,
            trust_hints: written.trust_hints,
            changed: written.changed,
            timeout_ms: written.timeout_ms,
            retry_base_ms: written.retry_base_ms,
            calls_max: written.calls_max,
            queue_max: written.queue_max,
            output_bytes_max: written.output_bytes_max,
        })
    }
}

/// An address of the web, without what belongs into the token. The error does not repeat it.
fn read_url(text: &str) -> Result<Url, String> {
    let wrong = || "url is not an address such as \"https://mcp.example.com/mcp\"".to_owned();
    let url = Url::parse(text).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "url has a password in it, which logs would show; put it under token".to_owned()
        );
    }
    Ok(url)
}

impl ServerConfig {
    /// The entry that `MCP_SERVER_URL` and `AUTH_PASSWORD` make (ILL-16, ILL-X7): those `tools` in place of
    /// a component's, and nothing else.
    pub fn of_environment(
        url: &str,
        password: Option<&str>,
        tools: BTreeSet<String>,
    ) -> Result<(String, Self), String> {
        let entry = toml::Table::from_iter([("url".to_owned(), url.into())]);
        let server = entry.try_into::<Self>();
        let mut server = server.map_err(|it| format!("MCP_SERVER_URL: {}", it.message()))?;
        server.replaces = tools;
        server.tools = Some(server.replaces.clone());
        // Configuring the address implies approval of tools that the specification calls without asking.
        server.trust_hints = TrustHints::All(true);
        if let (Way::Url { token, .. }, Some(password)) = (&mut server.way, password) {
            *token = Some(Given::value(password));
        }
        Ok((FROM_ENVIRONMENT.to_owned(), server))
    }

    /// A value that it is to be given and that is not there, described without the value.
    pub fn missing(&self, folder: &Path) -> Option<String> {
        match &self.way {
            Way::Url { token, .. } => {
                token.as_ref()?.read(folder).err().map(|it| format!("its token: {it}"))
            }
            Way::Command { command, env, .. } => {
                let missing = env.iter().find_map(|(name, secret)| {
                    secret.read(folder).err().map(|it| format!("its variable {name}: {it}"))
                });
                let gone = || format!("there is no program {}", command.display());
                missing.or_else(|| (!is_program(command, &self.path(folder))).then(gone))
            }
        }
    }

    /// Where its program is looked for: its own `PATH`, if it is given one.
    fn path(&self, folder: &Path) -> OsString {
        let own = match &self.way {
            Way::Command { env, .. } => env.get("PATH").and_then(|it| it.read(folder).ok()),
            Way::Url { .. } => None,
        };
        let own = own.map(|it| OsString::from(it.expose()));
        own.or_else(|| std::env::var_os("PATH")).unwrap_or_default()
    }

    /// Its secrets that can be read, with the name of each.
    fn secrets(&self, folder: &Path) -> Vec<(String, Secret)> {
        let given: Vec<_> = match &self.way {
            Way::Url { token, .. } => token.iter().map(|it| ("token".to_owned(), it)).collect(),
            Way::Command { env, .. } => {
                let secret = env.iter().filter(|it| it.1.is_secret());
                secret.map(|(name, it)| (format!("variable {name}"), it)).collect()
            }
        };
        given.into_iter().filter_map(|(name, it)| Some((name, it.read(folder).ok()?))).collect()
    }

    /// Masks secrets in logs and in what the server says.
    pub fn mask(&self, folder: &Path) -> Mask {
        let mut mask = Mask::default();
        for (_, secret) in self.secrets(folder) {
            mask.add_secret(secret.expose());
        }
        mask
    }

    /// A secret of it that is too short to be told from other texts.
    pub fn weak_secret(&self, folder: &Path) -> Option<String> {
        let secrets = self.secrets(folder);
        let mut short = secrets.iter().map(|(name, it)| (name, it.expose().len()));
        let (name, bytes) = short.find(|(_, bytes)| *bytes < STRONG_BYTES_MIN)?;
        let what = match bytes < FORM_BYTES_MIN {
            true => "is not hidden where the server says it back",
            false => "is hidden wherever the server writes it, in words as well",
        };
        Some(format!(
            "its {name} has {bytes} bytes, and {what}; take one of {STRONG_BYTES_MIN} bytes or more"
        ))
    }

    /// Name prefix of its tools and prompts.
    pub fn prefix(&self, name: &str) -> String {
        self.prefix.clone().unwrap_or_else(|| format!("{name}_"))
    }
}

/// Whether `command` is there, in a folder of `path` if it is a name alone.
fn is_program(command: &Path, path: &OsStr) -> bool {
    let is_file = |file: &Path| {
        let mut whole = file.as_os_str().to_owned();
        whole.push(EXE_SUFFIX);
        file.is_file() || Path::new(&whole).is_file()
    };
    if command.components().nth(1).is_some() || command.has_root() {
        return is_file(command);
    }
    std::env::split_paths(path).any(|it| is_file(&it.join(command)))
}

/// The first entry of `servers` that cannot work, and why.
pub fn unworkable(servers: &BTreeMap<String, ServerConfig>) -> Option<(String, String)> {
    let mut prefixes: BTreeMap<String, &str> = BTreeMap::new();
    let mut replaced: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, server) in servers {
        let wrong = |what: String| Some((name.clone(), what));
        if !is_name(name) || name.len() > 64 {
            return wrong("a server's name has 1 to 64 of A-Z a-z 0-9 _ . -".to_owned());
        }
        // An entry that only replaces tools needs no prefix.
        if server.tools.as_ref() != Some(&server.replaces)
            && let Some(other) = prefixes.insert(server.prefix(name), name)
        {
            return wrong(format!(
                "its prefix is that of [servers.{other}], so that names could clash; give one of them another prefix"
            ));
        }
        for tool in &server.replaces {
            if let Some(other) = replaced.insert(tool, name) {
                return wrong(format!("[servers.{other}] replaces {tool} already"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
