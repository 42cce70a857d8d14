//! Configuration errors and how to correct them, and the reading of tables by the names of their entries.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Unexpected, Visitor},
    forward_to_deserialize_any,
};
use toml::de::{DeTable, DeValue};

use super::{Config, assistants, servers, tokens};
use crate::{language::LanguageTag, limits};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// The configuration file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An unknown or invalid entry.
    #[error("{path}, line {line}: {message}", path = path.display())]
    Parse {
        /// The configuration file.
        path: PathBuf,
        /// Its line number. The line itself may contain a secret.
        line: usize,
        /// The correct form.
        message: String,
    },
    /// A grant that lacks its other half.
    #[error("{path}: [components.{component}] {what}", path = path.display())]
    Half {
        /// The configuration file.
        path: PathBuf,
        /// The component of the grants.
        component: String,
        /// The missing half, and how to add it.
        what: &'static str,
    },
    /// The toolset that the command line names is not there.
    #[error("--toolset: {0}")]
    NoToolset(String),
    /// An entry that cannot work.
    #[error("[{table}]: {what}")]
    Unworkable {
        /// The table of the configuration, without brackets.
        table: String,
        /// The problem, and values that work.
        what: String,
    },
}

impl ConfigError {
    /// The error of an unreadable `text`, with the correct form.
    pub fn parse(text: &str, path: &Path, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |it| it.start.min(text.len()));
        let line = text.as_bytes()[..at].iter().filter(|it| **it == b'\n').count() + 1;
        let message = in_plain_terms(error.message());
        let key = match DeTable::parse(text) {
            Ok(table) => key_at(table.get_ref(), at).map(|it| it.join(".")),
            // Of a list, the line has values alone.
            Err(_) if message.contains(" array") => None,
            Err(_) => key_before(text, at),
        };
        let is_named = |key: &str| {
            let last = key.rsplit('.').next().unwrap_or_default();
            message.strip_prefix(last).is_some_and(|it| it.starts_with(' '))
        };
        let message = match key.filter(|it| !is_named(it)) {
            Some(key) => format!("{key}: {message}"),
            None => message,
        };
        Self::Parse { path: path.to_owned(), line, message }
    }
}

/// The key of the line in which `text` stops being TOML at that byte, with the table above it. A line within a text of
/// several lines has none, because it may be a secret.
fn key_before(text: &str, at: usize) -> Option<String> {
    let before = text.get(..at)?;
    if ["\"\"\"", "'''"].iter().any(|it| before.matches(it).count() % 2 == 1) {
        return None;
    }
    let begin = before.rfind('\n').map_or(0, |it| it + 1);
    let line = text[begin..].lines().next()?.trim();
    // What is no key may be a value, and so a secret; a list in a list begins as a table does.
    let is_of_key = |it: char| it.is_ascii_alphanumeric() || "_-.".contains(it);
    let plain = |key: &str| {
        let key = key.trim();
        (!key.is_empty() && key.chars().all(is_of_key)).then(|| key.to_owned())
    };
    let table = |line: &str| plain(line.trim_start_matches('[').split(']').next()?);
    if line.starts_with('[') {
        return table(line);
    }
    let (key, value) = line.split_once('=')?;
    // Perhaps the end of a secret in base64.
    let is_padding = value.trim_matches('=').is_empty() && !key.ends_with(char::is_whitespace);
    let key = plain(key).filter(|_| !is_padding)?;
    match text[..begin].lines().rev().map(str::trim).find(|it| it.starts_with('[')) {
        Some(above) => Some(format!("{}.{key}", table(above)?)),
        None => Some(key),
    }
}

/// The keys that lead to what stands at that byte of the document.
fn key_at(table: &DeTable<'_>, at: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(key, value)| {
        let within = |it: &DeValue<'_>| match it {
            DeValue::Table(it) => key_at(it, at),
            _ => None,
        };
        let inner = match value.get_ref() {
            DeValue::Array(all) => all.iter().find_map(|it| within(it.get_ref())),
            it => within(it),
        };
        let is_here = || [key.span(), value.span()].iter().any(|it| it.contains(&at));
        let mut path = inner.or_else(|| is_here().then(Vec::new))?;
        path.insert(0, key.get_ref().to_string());
        Some(path)
    })
}

/// Rewrites the library's message without Rust's terms and without values of the file.
pub(super) fn in_plain_terms(message: &str) -> String {
    const ADDRESS: &str =
        "an address with its port in quotes, such as \"127.0.0.1:8808\", and no name";
    let wrong =
        ["invalid type: ", "invalid value: "].iter().find_map(|it| message.strip_prefix(it));
    let expected = wrong.and_then(|it| it.rsplit_once(", expected ")).map(|it| it.1);
    let right = match expected {
        Some("socket address") => ADDRESS,
        Some("a string" | "path string" | "string only") => "a text in quotes",
        Some(expected) if expected == "a map" || expected.starts_with("struct ") => {
            "a table: { NAME = …, … }, or [TABLE] above its entries"
        }
        Some("a boolean") => "true or false, without quotes",
        Some("a sequence") => "a list: […], or [[…]] above each of several tables",
        Some("f64") => "a number, without quotes and unit",
        Some(expected) if expected.starts_with("a nonzero ") => {
            "a whole number from 1 on, without quotes and unit"
        }
        Some("u16") => "a whole number from 0 to 65535, without quotes and unit",
        Some("u8" | "u32" | "u64" | "usize") => "a whole number from 0 on, without quotes and unit",
        Some(other) => other,
        None if message == "duplicate key" => "one entry of this name; it stands here twice",
        None if message == "wanted string or table" => "a text in quotes",
        None if message.starts_with("invalid socket address") => ADDRESS,
        None if message.ends_with("value was too large") => "a smaller number",
        None => return message.to_owned(),
    };
    format!("what is right here is {right}")
}

/// Entries that an error names of a table.
const SHOWN_MAX: usize = 4;

/// A deserializer, seed, visitor or access whose tables are read by name.
pub(super) struct ByName<T> {
    inner: T,
    /// The entries of the table that is wanted, where one is.
    entries: Option<&'static [&'static str]>,
}

impl<T> ByName<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, entries: None }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ByName<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(ByName::new(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(ByName::new(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(name, ByName::new(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = ByName { inner: visitor, entries: Some(fields) };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ByName<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<V::Value, A::Error> {
        match self.entries {
            Some(entries) => {
                let named: Vec<_> =
                    entries.iter().take(SHOWN_MAX).map(|it| format!("{it} = …")).collect();
                let more = if entries.len() > SHOWN_MAX { ", …" } else { "" };
                let right = format!("a table: {{ {}{more} }}", named.join(", "));
                Err(Error::invalid_type(Unexpected::Seq, &right.as_str()))
            }
            None => self.inner.visit_seq(ByName::new(all)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, all: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(ByName::new(all))
    }

    fn visit_some<D: Deserializer<'de>>(self, one: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(ByName::new(one))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, one: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(ByName::new(one))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.inner.visit_i64(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.inner.visit_u64(value)
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<V::Value, E> {
        self.inner.visit_i128(value)
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<V::Value, E> {
        self.inner.visit_u128(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        self.inner.visit_f64(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        self.inner.visit_str(value)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ByName<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, one: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(ByName::new(one))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ByName<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.inner.next_element_seed(ByName::new(seed))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ByName<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(ByName::new(seed))
    }
}

// Problems of a configuration: the server refuses to start because of the fatal ones, and `check-config` lists all.

/// A problem or note of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its path in the file.
    pub path: Vec<String>,
    /// What to fix. It never contains a secret or a digest.
    pub what: String,
    /// Whether the server does not start because of it.
    pub is_fatal: bool,
}

impl Problem {
    pub fn new(path: &[&str], what: impl Into<String>, is_fatal: bool) -> Self {
        let path = path.iter().map(|it| (*it).to_owned()).collect();
        Self { path, what: what.into(), is_fatal }
    }

    /// Whether it is about how much components may use, so that none can be tried.
    pub fn is_of_limits(&self) -> bool {
        let last = self.path.last().map(String::as_str);
        self.is_fatal && matches!(last, Some("sandbox" | "limits"))
    }
}

/// The first that keeps a server from starting.
fn refuse(problems: Vec<Problem>) -> Result<(), ConfigError> {
    match problems.into_iter().find(|it| it.is_fatal) {
        Some(it) => Err(ConfigError::Unworkable { table: it.path.join("."), what: it.what }),
        None => Ok(()),
    }
}

impl Config {
    /// Everything that is wrong for a server that listens.
    pub fn problems(&self) -> Vec<Problem> {
        let is_open = !self.addr.ip().is_loopback() && !self.requires_authentication();
        let mut found = Vec::new();
        if is_open {
            let what = format!(
                "{} can be reached by others, and no token says who may call; `madoguchi token new NAME` makes one and prints the lines for the configuration. Or listen on 127.0.0.1, which needs none",
                self.addr
            );
            found.push(Problem::new(&["addr"], what, true));
        }
        let (apps, operator) = (self.apps.listens_at(self), self.operator_addr);
        let taken = |at: &SocketAddr, by: Option<SocketAddr>| at.port() != 0 && by == Some(*at);
        let mut clash = |path: &[&str], at: Option<SocketAddr>, others: &[Option<SocketAddr>]| {
            if let Some(at) = at.filter(|at| others.iter().any(|it| taken(at, *it))) {
                let what =
                    format!("another listener of this server has {at}; give it a port of its own");
                found.push(Problem::new(path, what, true));
            }
        };
        clash(&["apps", "addr"], apps, &[Some(self.addr)]);
        clash(&["operator_addr"], operator, &[Some(self.addr), apps]);
        found.extend(self.problems_behind());
        found
    }

    /// Problems except those of the listen address.
    fn problems_behind(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut check = |path: &[&str], checked: Result<(), String>| {
            found.extend(checked.err().map(|what| Problem::new(path, what, true)));
        };
        if let Err((table, what)) = self.toolsets.check() {
            let path: Vec<_> = table.splitn(2, '.').collect();
            check(&path, Err(what));
        }
        if self.operator_addr.is_some_and(|it| !it.ip().is_loopback()) {
            let what = "the operator is served on this machine only; 127.0.0.1:0 is right";
            check(&["operator_addr"], Err(what.to_owned()));
        }
        check(&["body_bytes_max"], limits::check_body(self.body_bytes_max));
        check(&["blobs"], limits::check_blobs(&self.blobs));
        check(&["audit"], self.audit.check());
        check(&["telemetry"], self.telemetry.check());
        check(&["sessions"], self.sessions.check());
        check(&["connections"], self.connections.check(self.largest_body()));
        check(&["approvals"], self.approvals.check());
        check(&["tasks"], self.tasks.check());
        check(&["swap"], self.swap.check());
        check(&["swap", "canary"], self.swap.canary.check());
        let sandbox = self.sandbox.check();
        // Limits are held against the sandbox: where that cannot work, nothing is known of them.
        let held = |limits: &limits::Limits| match &sandbox {
            Ok(()) => limits.check(&self.sandbox),
            Err(_) => Ok(()),
        };
        check(&["sandbox"], sandbox.clone());
        let common = held(&self.limits);
        check(&["limits"], common.clone());
        if let Some((name, what)) = servers::unworkable(&self.servers) {
            check(&["servers", &name], Err(what));
        }
        if let Some((path, what)) = self.wrong_registries() {
            let path: Vec<_> = path.iter().map(String::as_str).collect();
            check(&path, Err(what));
        }
        check(&["store"], self.store.address(&self.base).map(|_| ()));
        check(&["apps"], self.apps.check(self));
        check(&["endpoints"], self.endpoints.check(&self.components));
        for (name, component) in &self.components {
            if let Err((key, what)) = component.check() {
                check(&["components", name, key], Err(what));
            }
            // Problems of common limits are reported once.
            if let Some(own) = component.limits.as_ref().map(held).filter(|it| *it != common) {
                check(&["components", name, "limits"], own);
            }
        }
        if self.store.url.is_none()
            && let Err(what) = self.store.check(&self.base)
        {
            // Without an address it keeps no server from starting.
            found.push(Problem::new(&["store"], what, false));
        }
        for (name, all) in
            [("bytes_max", self.blobs.bytes_max), ("caller_bytes_max", self.blobs.caller_bytes_max)]
        {
            let one = self.blobs.blob_bytes_max;
            if all < one {
                let what = format!(
                    "{all} is less than the {one} bytes that one blob may have (blob_bytes_max), so that a larger one never finds room; raise it, or lower blob_bytes_max"
                );
                found.push(Problem::new(&["blobs", name], what, false));
            }
        }
        let unread = self.language.as_ref().and_then(LanguageTag::unread);
        found.extend(unread.map(|what| Problem::new(&["language"], what, false)));
        found.extend(tokens::problems(self));
        found.extend(assistants::problems(self));
        found
    }

    /// Refuses what no server could listen with, before anything is done.
    ///
    /// # Errors
    /// The first problem that is fatal.
    pub fn check(&self) -> Result<(), ConfigError> {
        refuse(self.problems())
    }

    /// Checks a configuration for a server on standard input and output, which does not listen.
    ///
    /// # Errors
    /// The first problem that is fatal.
    pub fn check_for_stdio(&self) -> Result<(), ConfigError> {
        if let Some(name) = self.stdio_toolset.as_ref().filter(|it| self.toolsets.get(it).is_none())
        {
            return Err(ConfigError::NoToolset(self.toolsets.unknown(name)));
        }
        refuse(self.problems_behind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_key_at_position() {
        for (text, wanted) in [
            ("a = 1\n[limits]\ncpu_ms_max = 'x'\n", "limits.cpu_ms_max"),
            (
                "[[servers.b.http]]\nhost = 'a'\n[[servers.b.http]]\nhost = 5\n",
                "servers.b.http.host",
            ),
            ("a = { b = { c = 7 } }", "a.b.c"),
            ("[a.'b c']\nd = [1,\n  7]", "a.b c.d"),
        ] {
            let document = DeTable::parse(text).unwrap();
            let at = text.rfind(['x', '5', '7']).unwrap();
            let key = key_at(document.get_ref(), at).unwrap().join(".");
            assert_eq!(key, wanted, "{text}");
        }
        let document = DeTable::parse("[a]\nb = 1\n[tokens.c]\nd = 1\n").unwrap();
        assert_eq!(key_at(document.get_ref(), 10).unwrap(), ["tokens", "c"]);
    }

    #[test]
    fn names_the_key_where_a_file_is_no_toml() {
        for (text, wanted) in [
            ("addr = 'a'\naddr = 'b'\n", "addr: what is right here is one entry"),
            ("[log]\nformat = json\n", "log.format: "),
            ("[log]\nformat = 'text'\n[log]\n", "log: what is right here is one entry"),
            ("[limits]\ncalls_max =\n", "limits.calls_max: "),
            ("[limits\ncalls_max = 1\n", "limits: "),
        ] {
            let error = toml::from_str::<toml::Table>(text).unwrap_err();
            let error = ConfigError::parse(text, Path::new("a.toml"), &error);
            let ConfigError::Parse { message, .. } = error else { panic!("{text}") };
            assert!(message.starts_with(wanted), "{text}: {message}");
        }
        let secret = "key = \"\"\"\nhunter2=\\q\n\"\"\"\n";
        assert_eq!(key_before(secret, secret.find('\\').unwrap()), None);
        for text in [
            "args = [\n  ['hunter2' 7],\n]\n",
            "args = [\n  ['hunter2'],\n]\nurl = no\n",
            "args = [\n  hunter2=]\n",
            "[models.claude]\nhunter2==\n",
        ] {
            let error = toml::from_str::<toml::Table>(text).unwrap_err();
            let error = ConfigError::parse(text, Path::new("a.toml"), &error).to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
