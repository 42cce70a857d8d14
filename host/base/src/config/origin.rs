//! The effective settings and their sources: a flag, the environment, a line of the file, a component or the program.
//! Secrets are hidden (OPS-4).

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};
use toml::{
    Table,
    de::{DeTable, DeValue},
};

use super::{Config, defaults};

/// Maximum length of a reported text, in bytes.
const TEXT_MAX: usize = 400;
/// The one key of a time, which is no table, as TOML hands it on.
const DATETIME: &str = "$__toml_private_datetime";
/// Maximum number of reported settings.
const SETTINGS_MAX: usize = 5_000;

/// A setting's path: the keys that lead to it; a number is an element of an array.
type Path = Vec<String>;

/// A source other than a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenBy {
    /// A flag of the command line, such as `--addr`.
    Flag(&'static str),
    /// A variable of the environment.
    Variable(&'static str),
}

/// The sources of a configuration's settings.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file that was read, if one was.
    pub file: Option<PathBuf>,
    /// Settings given by flags and variables, by name.
    pub given: BTreeMap<&'static str, GivenBy>,
    /// The line of each entry of the file.
    lines: Arc<BTreeMap<Path, usize>>,
}

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// The program's default.
    Default,
    /// The defaults that travel with the bundled components.
    Component,
    /// The configuration file.
    File {
        /// The file as it was named.
        file: String,
        /// The entry's line, from 1.
        line: usize,
    },
    Environment {
        /// The variable's name.
        variable: String,
    },
    /// The command line.
    Flag {
        /// The flag's name.
        flag: String,
    },
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Its path in the configuration file, such as `limits.deadline_ms`.
    pub name: String,
    /// Its value, or null if unset or hidden.
    pub value: serde_json::Value,
    /// Whether the value is hidden because it may be secret.
    pub is_hidden: bool,
    pub source: Source,
}

impl Origin {
    pub(super) fn in_text(text: &str) -> Self {
        let mut lines = BTreeMap::new();
        if let Ok(table) = DeTable::parse(text) {
            let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            walk(table.get_ref(), &mut Path::new(), &mut |path, at| {
                lines.insert(path.clone(), line(at));
            });
        }
        Self { lines: Arc::new(lines), ..Self::default() }
    }

    fn source(&self, path: &Path, name: &str, is_bundled: bool) -> Source {
        match self.given.get(name) {
            Some(GivenBy::Flag(flag)) => return Source::Flag { flag: (*flag).to_owned() },
            Some(GivenBy::Variable(it)) => {
                return Source::Environment { variable: (*it).to_owned() };
            }
            None => {}
        }
        match (&self.file, self.lines.get(path)) {
            (Some(file), Some(line)) => {
                Source::File { file: file.display().to_string(), line: *line }
            }
            _ if is_bundled => Source::Component,
            _ => Source::Default,
        }
    }
}

/// All settings of `config` by name: those of the host with defaults, and the written ones of components, servers,
/// tokens and others.
pub fn settings(config: &Config) -> Vec<Setting> {
    let (mut all, mut bundled) = (BTreeMap::new(), BTreeMap::new());
    if let Ok(start) = defaults::start(&config.embedded) {
        flatten(&json(&start.table), &mut Path::new(), &mut bundled);
    }
    flatten(&json(&config.written), &mut Path::new(), &mut all);
    for (path, value) in &bundled {
        all.entry(path.clone()).or_insert_with(|| value.clone());
    }
    flatten(&effective(config), &mut Path::new(), &mut all);
    let setting = |(path, value): (Path, serde_json::Value)| {
        let name = name_of(&path);
        let source = config.origin.source(&path, &name, bundled.contains_key(&path));
        let is_hidden = !value.is_null() && !may_be_shown(&path, &value);
        let value = if is_hidden { serde_json::Value::Null } else { value };
        Setting { name, value, is_hidden, source }
    };
    all.into_iter().take(SETTINGS_MAX).map(setting).collect()
}

/// Effective values of host settings.
fn effective(config: &Config) -> serde_json::Value {
    serde_json::json!({
        "addr": config.addr,
        "operator_addr": config.operator_addr,
        "public_url": config.public_url.as_ref().map(|it| &it.text),
        "data": config.data,
        "components_folder": config.components_folder,
        "language": config.language.as_ref().map(|it| &*it.0),
        "bundled": config.bundled,
        "allow_anonymous": config.allow_anonymous,
        "allowed_hosts": config.allowed_hosts,
        "allowed_origins": config.allowed_origins,
        "trusted_proxies": config.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "body_bytes_max": config.body_bytes_max,
        "connections": config.connections,
        "sessions": config.sessions,
        "limits": config.limits,
        "sandbox": config.sandbox,
        "blobs": config.blobs,
        "approvals": config.approvals,
        "tasks": config.tasks,
        "audit": config.audit,
        "swap": config.swap,
        "accounts": { "enabled": config.accounts.enabled },
        "store": {
            "url": config.store.url.as_ref().map(|_| "set"),
            "ca": config.store.ca,
            "connections_max": config.store.connections_max,
            "node": config.store.node,
        },
        "log": config.log,
        "telemetry": config.telemetry,
    })
}

/// Whether a value cannot be secret. Texts are shown for known keys only.
fn may_be_shown(path: &[String], value: &serde_json::Value) -> bool {
    /// Keys whose texts are names, addresses or fixed terms.
    const PLAIN: [&str; 46] = [
        "addr",
        "operator_addr",
        "public_url",
        "data",
        "ca",
        "components_folder",
        "language",
        "allowed_hosts",
        "allowed_origins",
        "trusted_proxies",
        "format",
        "otlp_endpoint",
        "service_name",
        "check_outputs",
        "grants",
        "stubs",
        "scopes",
        "scope",
        "toolset",
        "expires",
        "tools",
        "components",
        "servers",
        "calls",
        "trusts",
        "asks",
        "changed",
        "transport",
        "prefix",
        "replaces",
        "provider",
        "model",
        "issuer",
        "audience",
        "discovery",
        "environment",
        "file",
        "url",
        "command",
        "server_tools",
        "http_hosts",
        "methods",
        "algorithms",
        "repository",
        "title",
        "title_ja",
    ];
    // Tables of maps, whose keys are names.
    const MAPS: [&str; 3] = ["env", "headers", "secrets"];
    const SECRETS: [&str; 5] = ["value", "token", "password", "secret", "sha256"];
    let keys: Vec<&str> =
        path.iter().map(String::as_str).filter(|it| it.parse::<usize>().is_err()).collect();
    let (last, above) = match *keys.as_slice() {
        [.., above, last] => (last, above),
        [last] => (last, ""),
        [] => return false,
    };
    // An address of a database has its password, in whatever form it is written.
    if keys == ["store", "url"] {
        return false;
    }
    // Settings of a component may contain secrets, even as numbers.
    let of_component = if keys[0] == "components" { keys.get(2).copied() } else { None };
    if matches!(of_component, Some("settings" | "files" | "folders")) {
        return value.is_boolean();
    }
    if keys.iter().any(|it| MAPS.contains(it) || SECRETS.contains(it)) {
        // Which variable or file has it is no secret.
        let is_place = ["environment", "file"].contains(&last) && !MAPS.contains(&above);
        return is_place && value.as_str().is_some_and(is_plain);
    }
    let is_name = PLAIN.contains(&last) || of_component == Some("environment");
    let is_text = |text: &str| is_name && is_plain(text);
    match value {
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => true,
        serde_json::Value::String(text) => is_text(text),
        serde_json::Value::Array(all) => all.iter().all(|value| match value {
            serde_json::Value::String(text) => is_text(text),
            other => !other.is_object() && !other.is_array(),
        }),
        // An empty table.
        serde_json::Value::Object(it) => it.is_empty(),
    }
}

/// Whether a text has no place for a password, as addresses do.
fn is_plain(text: &str) -> bool {
    text.len() <= TEXT_MAX && !text.contains(['@', '?'])
}

/// The path in TOML notation. Array elements are numbered.
fn name_of(path: &[String]) -> String {
    let is_bare = |text: &str| {
        !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
    };
    let key = |it: &String| if is_bare(it) { it.clone() } else { format!("{it:?}") };
    path.iter().map(key).collect::<Vec<_>>().join(".")
}

fn json(table: &Table) -> serde_json::Value {
    serde_json::to_value(table).unwrap_or_default()
}

/// Lists all entries that are not tables, with their paths.
fn flatten(
    value: &serde_json::Value,
    path: &mut Path,
    into: &mut BTreeMap<Path, serde_json::Value>,
) {
    let mut inner = |key: String, value: &serde_json::Value| {
        path.push(key);
        flatten(value, path, into);
        path.pop();
    };
    match value {
        serde_json::Value::Object(all) if !all.is_empty() && !all.contains_key(DATETIME) => {
            all.iter().for_each(|(key, value)| inner(key.clone(), value));
        }
        serde_json::Value::Array(all) if all.iter().any(serde_json::Value::is_object) => {
            all.iter().enumerate().for_each(|(at, value)| inner(at.to_string(), value));
        }
        // A table that is empty as a whole has no entries.
        _ if path.is_empty() => {}
        other => _ = into.insert(path.clone(), other.clone()),
    }
}

/// Walks a document, with the byte offset of each key.
fn walk(table: &DeTable<'_>, path: &mut Path, found: &mut impl FnMut(&Path, usize)) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => walk(inner, path, found),
            DeValue::Array(all) if all.iter().any(|it| it.get_ref().is_table()) => {
                for (at, it) in all.iter().enumerate() {
                    path.push(at.to_string());
                    match it.get_ref() {
                        DeValue::Table(inner) => walk(inner, path, found),
                        _ => found(path, it.span().start),
                    }
                    path.pop();
                }
            }
            _ => found(path, key.span().start),
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Embedded;

    fn read(text: &str) -> Config {
        let file = std::path::Path::new("madoguchi.toml");
        let mut config = Config::from_text(text, file, &Embedded::default()).unwrap();
        config.origin.file = Some(file.to_owned());
        config
    }

    fn setting(config: &Config, name: &str) -> Setting {
        let mut all = settings(config).into_iter();
        all.find(|it| it.name == name).unwrap_or_else(|| panic!("no {name}"))
    }

    /// OPS-4
    #[test]
    fn reports_origin_of_each_setting() {
        let mut config = read(
            "language = \"ja\"\n\n[limits]\ndeadline_ms = 5000\n[[oauth]]\nissuer = \"https://id.example\"\naudience = \"a\"\n",
        );
        config.origin.given.insert("addr", GivenBy::Flag("--addr"));
        config.origin.given.insert("data", GivenBy::Variable("MADOGUCHI_DATA"));
        let file = |line| Source::File { file: "madoguchi.toml".to_owned(), line };
        let of = |name: &str| setting(&config, name);
        assert_eq!((of("language").value, of("language").source), ("ja".into(), file(1)));
        assert_eq!(
            (of("limits.deadline_ms").value, of("limits.deadline_ms").source),
            (5_000.into(), file(4))
        );
        assert_eq!(of("limits.cpu_ms_max").source, Source::Default);
        assert_eq!(of("oauth.0.issuer").source, file(6));
        assert_eq!(of("addr").source, Source::Flag { flag: "--addr".to_owned() });
        let variable = "MADOGUCHI_DATA".to_owned();
        assert_eq!(of("data").source, Source::Environment { variable });
        assert_eq!(of("chat.password.environment").source, Source::Component);
        assert!(of("public_url").value.is_null() && !of("public_url").is_hidden);
    }

    /// OPS-4, SYS-11
    #[test]
    fn reports_no_secret() {
        let config = read(
            "[servers.m]\nurl = \"https://m.example/mcp\"\ntoken = { value = \"s3cret-a\" }
             [servers.c]\ncommand = \"m\"\nargs = [\"--key=s3cret-b\"]\nenv = { KEY = { value = \"s3cret-c\" } }
             [tokens.ci]\nsha256 = \"s3cret-d\"\nscopes = [\"*\"]
             [components.a.settings]\npassword = \"s3cret-e\"\npin = 733119\nis_on = true\ntitle = \"s3cret-k\"
             [assistants.clerk]\ntitle = \"Clerk\"\ntitle_ja = \"事務\"
             [telemetry]\notlp_endpoint = \"http://me:s3cret-f@127.0.0.1\"
             [models.data]\nprovider = \"openai\"\nkey = { value = \"s3cret-g\" }\nanything = \"s3cret-h\"
             [servers.d]\ncommand = \"d\"\nenv = { file = \"s3cret-i\" }\n\
             [store]\nurl = \"postgres://me:s3cret-j@127.0.0.1/d\"\n",
        );
        let text = serde_json::to_string(&settings(&config)).unwrap();
        assert!(!text.contains("s3cret") && !text.contains("733119"), "{text}");
        assert!(setting(&config, "tokens.ci.sha256").is_hidden);
        assert_eq!(setting(&config, "components.a.settings.is_on").value, true);
        assert_eq!(setting(&config, "servers.m.url").value, "https://m.example/mcp");
        assert_eq!(setting(&config, "assistants.clerk.title_ja").value, "事務");
    }
}
