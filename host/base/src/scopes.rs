//! Scopes: their notation, and what a principal may reach.

use std::{collections::HashSet, str::FromStr};

use crate::toolsets::Owner;

/// Prefix of every token, recognized by people and secret scanners.
pub const PREFIX: &str = "mdg_";
/// Characters that a name in a scope may have: no tool's name is longer.
const NAME_CHARS_MAX: usize = 128;

/// One scope.
#[derive(Clone, Debug, strum::Display, PartialEq, Eq)]
#[strum(serialize_all = "kebab-case")]
pub enum Scope {
    /// Everything but looking after the server itself.
    #[strum(to_string = "*")]
    All,
    /// Limits other scopes to reads; alone, grants all reads.
    ReadOnly,
    /// Everything of one component.
    #[strum(to_string = "component:{0}")]
    Component(String),
    /// One tool of a component or upstream server.
    #[strum(to_string = "tool:{0}")]
    Tool(String),
    /// Everything of one other MCP server.
    #[strum(to_string = "server:{0}")]
    Server(String),
    /// Looking after the server itself, under `/api/operator`: `*` does not hold it.
    Operator,
}

/// An invalid scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is not a scope; \"*\", \"component:NAME\", \"tool:NAME\", \"server:NAME\", \"read-only\" and \"operator\" are"
)]
pub struct ScopeError(String);

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let name = |name: &str| {
            let is_right = |it: char| it.is_ascii_alphanumeric() || "_-./".contains(it);
            let fits = (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(is_right);
            fits.then(|| name.to_owned())
        };
        let scope = match text.split_once(':') {
            None if text == "*" => Some(Self::All),
            None if text == "read-only" => Some(Self::ReadOnly),
            None if text == "operator" => Some(Self::Operator),
            Some(("component", it)) => name(it).map(Self::Component),
            Some(("tool", it)) => name(it).map(Self::Tool),
            Some(("server", it)) => name(it).map(Self::Server),
            _ => None,
        };
        // A token that was taken for the scope should not be found in a log.
        let shown = || match text.starts_with(PREFIX) {
            true => "a token".to_owned(),
            false => format!("{:?}", text.chars().take(NAME_CHARS_MAX).collect::<String>()),
        };
        scope.ok_or_else(|| ScopeError(shown()))
    }
}

/// All scopes of one principal, prepared for checks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scopes {
    all: bool,
    /// Whether only what changes nothing is in reach.
    pub read_only: bool,
    /// Whether the server itself is in reach; with `read-only`, to look at.
    pub operator: bool,
    components: HashSet<String>,
    tools: HashSet<String>,
    servers: HashSet<String>,
    /// An outer bound: the scopes of the user who granted these.
    within: Option<Box<Self>>,
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut all = Self::default();
        for scope in scopes {
            match scope {
                Scope::All => all.all = true,
                Scope::ReadOnly => all.read_only = true,
                Scope::Operator => all.operator = true,
                Scope::Component(name) => _ = all.components.insert(name),
                Scope::Tool(name) => _ = all.tools.insert(name),
                Scope::Server(name) => _ = all.servers.insert(name),
            }
        }
        // `read-only` narrows what else there is; where there is nothing, it narrows everything.
        all.all |= all.read_only
            && !all.operator
            && all.components.is_empty()
            && all.tools.is_empty()
            && all.servers.is_empty();
        all
    }
}

impl Scopes {
    /// Whether nothing is out of reach.
    pub fn is_free(&self) -> bool {
        self.all && !self.read_only && self.within.as_ref().is_none_or(|it| it.is_free())
    }

    /// Intersects with `bound`.
    #[must_use]
    pub fn intersect(mut self, bound: Self) -> Self {
        self.read_only |= bound.read_only;
        self.operator &= bound.operator;
        self.within = Some(Box::new(bound));
        self
    }

    /// Whether the scopes cover `tool` of `owner`.
    pub fn may_call(&self, owner: Owner<'_>, tool: &str, is_read_only: bool) -> bool {
        let may = self.may_use(owner) || self.tools.contains(tool);
        may && (!self.read_only || is_read_only)
            && self.within.as_ref().is_none_or(|it| it.may_call(owner, tool, is_read_only))
    }

    /// Whether what `owner` lets read (prompts, resources, look-ups) is in reach.
    pub fn may_use(&self, owner: Owner<'_>) -> bool {
        let may = self.all
            || match owner {
                Owner::Component(name) => self.components.contains(name),
                Owner::Server(name) => self.servers.contains(name),
            };
        may && self.within.as_ref().is_none_or(|it| it.may_use(owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(texts: &[&str]) -> Scopes {
        texts.iter().map(|it| it.parse::<Scope>().unwrap()).collect()
    }

    /// Which of: a component's reading and writing tools, another's, a server's of the same name.
    fn reach(texts: &[&str]) -> [bool; 6] {
        let (scopes, look, reserve) = (scopes(texts), ("look", true), ("book", false));
        let (shop, other) = (Owner::Component("shop"), Owner::Component("other"));
        let server = Owner::Server("shop");
        let all = [
            (shop, look),
            (shop, reserve),
            (other, look),
            (other, reserve),
            (server, look),
            (server, reserve),
        ];
        all.map(|(owner, (tool, is_read_only))| scopes.may_call(owner, tool, is_read_only))
    }

    #[test]
    fn each_scope_covers_only_what_it_names() {
        assert_eq!(reach(&["*"]), [true; 6]);
        assert_eq!(reach(&[]), [false; 6]);
        assert_eq!(reach(&["component:shop"]), [true, true, false, false, false, false]);
        assert_eq!(reach(&["server:shop"]), [false, false, false, false, true, true]);
        assert_eq!(reach(&["tool:book"]), [false, true, false, true, false, true]);
        assert_eq!(reach(&["tool:boo"]), [false; 6]);
        assert!(scopes(&["*"]).is_free() && !scopes(&["component:shop"]).is_free());
    }

    #[test]
    fn read_only_alone_covers_all_reads_and_narrows_others() {
        assert_eq!(reach(&["read-only"]), [true, false, true, false, true, false]);
        assert_eq!(reach(&["*", "read-only"]), reach(&["read-only"]));
        let narrowed = reach(&["component:shop", "read-only"]);
        assert_eq!(narrowed, [true, false, false, false, false, false]);
        assert_eq!(reach(&["tool:book", "read-only"]), [false; 6]);
        assert!(!scopes(&["*", "read-only"]).is_free());
    }

    #[test]
    fn operator_scope_is_explicit_and_not_part_of_all() {
        assert!(scopes(&["operator"]).operator);
        assert!(!scopes(&["*"]).operator && !scopes(&["read-only"]).operator);
        assert_eq!(reach(&["operator"]), [false; 6]);
        assert_eq!(reach(&["operator", "read-only"]), [false; 6], "it looks at the server alone");
        assert_eq!(reach(&["operator", "*"]), [true; 6]);
    }

    #[test]
    fn intersection_covers_what_both_scopes_cover() {
        let (shop, other) = (Owner::Component("shop"), Owner::Component("other"));
        let both = |given: &[&str], bound: &[&str]| scopes(given).intersect(scopes(bound));
        let one = both(&["tool:book"], &["component:shop"]);
        assert!(one.may_call(shop, "book", false) && !one.may_call(other, "book", false));
        assert!(!one.may_call(shop, "look", true) && !one.may_use(shop));
        assert!(!both(&["*"], &["*", "read-only"]).may_call(shop, "book", false));
        assert!(!both(&["*"], &["component:shop"]).is_free() && both(&["*"], &["*"]).is_free());
        assert!(
            !both(&["operator"], &["*"]).operator && both(&["operator"], &["operator"]).operator
        );
        assert!(!both(&["*"], &[]).may_call(shop, "look", true));
    }

    #[test]
    fn prompts_and_resources_follow_owner_not_tool() {
        let shop = Owner::Component("shop");
        assert!(scopes(&["component:shop"]).may_use(shop) && scopes(&["read-only"]).may_use(shop));
        assert!(!scopes(&["tool:look"]).may_use(shop) && !scopes(&["server:shop"]).may_use(shop));
    }

    #[test]
    fn names_invalid_scope_except_a_token() {
        for text in
            ["", "all", "tool:", "tool", "component:a b", "prompt:x", "Tool:x", "tool:\"", "*:*"]
        {
            let error = text.parse::<Scope>().unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?} is not a scope")), "{error}");
        }
        assert!(format!("tool:{}", "x".repeat(129)).parse::<Scope>().is_err());
        let error = "mdg_hush".parse::<Scope>().unwrap_err().to_string();
        assert!(!error.contains("hush") && error.starts_with("a token is not"), "{error}");
        for text in
            ["*", "read-only", "component:a-b", "tool:files/read.1", "server:s_1", "operator"]
        {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
    }
}
