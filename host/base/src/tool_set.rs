//! Sets of tools, by name and owner.

use serde::Deserialize;

/// Owner of a tool, prompt or resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// A component's, by its name.
    Component(&'a str),
    /// Another MCP server's, by its name in the configuration.
    Server(&'a str),
}

/// MCP's hints about what a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Whether the tool changes nothing.
    pub read_only: bool,
    /// Whether the tool may destroy something.
    pub destructive: bool,
    /// Once is the same as twice.
    pub idempotent: bool,
    /// Reaches beyond this host.
    pub open_world: bool,
}

/// Tools as a configuration names them: by name, by `component:NAME` or `server:NAME`, or `*` for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ToolSet(Vec<String>);

impl ToolSet {
    /// The set of all tools.
    pub fn all() -> Self {
        Self(vec!["*".to_owned()])
    }

    /// Whether `tool`, which is `owner`'s, is one of them.
    pub fn has(&self, owner: Owner<'_>, tool: &str) -> bool {
        self.0.iter().any(|entry| match entry.split_once(':') {
            Some(("component", name)) => owner == Owner::Component(name),
            Some(("server", name)) => owner == Owner::Server(name),
            _ => entry == "*" || entry == tool,
        })
    }

    /// Whether `tool` is named itself.
    pub fn names(&self, tool: &str) -> bool {
        self.0.iter().any(|it| it == tool)
    }

    /// The entries, as the configuration has them.
    pub fn written(&self) -> &[String] {
        &self.0
    }
}

/// Whether that can be the name of a tool or a prompt.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    (1..=128).contains(&name.len()) && name.chars().all(fits)
}

/// Bytes that a plain name may have.
pub const PLAIN_NAME_BYTES_MAX: usize = 64;

/// Whether that can be the name of a token or a toolset, or a segment of an address: A-Z a-z 0-9 _ - are right.
pub fn is_plain_name(name: &str) -> bool {
    let fits = |it: u8| it.is_ascii_alphanumeric() || b"_-".contains(&it);
    (1..=PLAIN_NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(fits)
}
