//! Named selections of the offered tools, for clients that see no others (SYS-10): `[toolsets.NAME]`.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// The toolset of `/mcp` itself, and of a client over stdio that names none.
pub const DEFAULT: &str = "default";
/// Toolsets that there may be.
const TOOLSETS_MAX: usize = 64;
/// Entries that each list of a toolset may have.
const ENTRIES_MAX: usize = 256;
/// Characters that a pattern may have.
const PATTERN_CHARS_MAX: usize = 128;

/// All toolsets, by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Toolsets(BTreeMap<String, Arc<Toolset>>);

/// The tools that some clients know of.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Toolset {
    /// Selected tools. `None` for all.
    include: Option<Vec<Selector>>,
    /// Tools excluded from the selection.
    exclude: Vec<Selector>,
    pub discovery: Discovery,
    /// Tools always listed besides `search_tools` and `describe_tool`.
    pub always: Vec<Pattern>,
}

/// How clients discover tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Discovery {
    /// `tools/list` has all of them.
    #[default]
    List,
    /// `tools/list` has `search_tools` and `describe_tool`, which find the others.
    Search,
}

/// Selects tools that satisfy all its conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Selector {
    /// The component, or the server, that has the tools; not both.
    component: Option<Pattern>,
    server: Option<Pattern>,
    tool: Option<Pattern>,
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
    open_world: Option<bool>,
}

/// A name pattern in which `*` matches any characters.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(String);

impl Toolsets {
    /// The toolset of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Toolset>> {
        self.0.get(name)
    }

    /// Whether there is no toolset.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The toolset of `/mcp` itself.
    pub fn default_one(&self) -> Option<&Arc<Toolset>> {
        self.get(DEFAULT)
    }

    /// All toolsets with names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<Toolset>)> {
        self.0.iter().map(|(name, it)| (name.as_str(), it))
    }

    /// Why there is no toolset of that name, and which there are.
    pub fn unknown(&self, name: &str) -> String {
        let shown: String = name.chars().take(PLAIN_NAME_BYTES_MAX).collect();
        let names: Vec<_> = self.0.keys().map(String::as_str).collect();
        match names.as_slice() {
            [] => format!(
                "there is no toolset {shown:?}, for the configuration has none; [toolsets.NAME] would be one"
            ),
            names => format!("there is no toolset {shown:?}; there are {}", names.join(", ")),
        }
    }

    /// Why these cannot be toolsets: the one that is wrong, and what would be right.
    ///
    /// # Errors
    /// If a name cannot stand in an address, or there is too much of something.
    pub fn check(&self) -> Result<(), (String, String)> {
        if self.0.len() > TOOLSETS_MAX {
            let what = format!("there are {}; {TOOLSETS_MAX} is most", self.0.len());
            return Err(("toolsets".to_owned(), what));
        }
        for (name, toolset) in &self.0 {
            let table = || format!("toolsets.{name}");
            if !is_plain_name(name) {
                let what = format!(
                    "the name of a toolset has 1 to {PLAIN_NAME_BYTES_MAX} of A-Z a-z 0-9 _ -, for it stands in an address"
                );
                return Err((table(), what));
            }
            let lists = [
                ("include", toolset.include.as_ref().map_or(0, Vec::len)),
                ("exclude", toolset.exclude.len()),
                ("always", toolset.always.len()),
            ];
            if let Some((key, count)) = lists.iter().find(|it| it.1 > ENTRIES_MAX) {
                return Err((table(), format!("{key} has {count} entries; {ENTRIES_MAX} is most")));
            }
        }
        Ok(())
    }
}

impl Toolset {
    /// Whether `tool`, which is `owner`'s and does that to the world, is one of them.
    pub fn has(&self, owner: Owner<'_>, tool: &str, hints: Hints) -> bool {
        let fits = |it: &Selector| it.fits(owner, tool, hints);
        self.include.as_ref().is_none_or(|all| all.iter().any(fits))
            && !self.exclude.iter().any(fits)
    }

    /// Whether `owner` is chosen whatever its tools are, and not left out.
    pub fn has_all_of(&self, owner: Owner<'_>) -> bool {
        let fits = |it: &Selector| it.is_owner_alone() && it.fits_owner(owner);
        self.include.as_ref().is_none_or(|all| all.iter().any(fits))
            && !self.exclude.iter().any(fits)
    }

    /// Whether some tool of `owner`'s could be one of them.
    pub fn may_have_of(&self, owner: Owner<'_>) -> bool {
        self.include.as_ref().is_none_or(|all| all.iter().any(|it| it.fits_owner(owner)))
            && !self.exclude.iter().any(|it| it.is_owner_alone() && it.fits_owner(owner))
    }

    /// Whether clients search it.
    pub fn is_searched(&self) -> bool {
        self.discovery == Discovery::Search
    }

    /// Whether `tool` is listed where clients search.
    pub fn is_always_listed(&self, tool: &str) -> bool {
        self.always.iter().any(|it| it.fits(tool))
    }
}

impl Selector {
    fn fits(&self, owner: Owner<'_>, tool: &str, hints: Hints) -> bool {
        let wanted = [
            (self.read_only, hints.read_only),
            (self.destructive, hints.destructive),
            (self.idempotent, hints.idempotent),
            (self.open_world, hints.open_world),
        ];
        self.fits_owner(owner)
            && self.tool.as_ref().is_none_or(|it| it.fits(tool))
            && wanted.iter().all(|(wanted, is)| wanted.is_none_or(|it| it == *is))
    }

    fn fits_owner(&self, owner: Owner<'_>) -> bool {
        let (own, other, name) = match owner {
            Owner::Component(name) => (&self.component, &self.server, name),
            Owner::Server(name) => (&self.server, &self.component, name),
        };
        other.is_none() && own.as_ref().is_none_or(|it| it.fits(name))
    }

    /// Whether it has no condition on single tools.
    fn is_owner_alone(&self) -> bool {
        let hints = [self.read_only, self.destructive, self.idempotent, self.open_world];
        self.tool.is_none() && hints.iter().all(Option::is_none)
    }

    fn of_text(text: &str) -> Result<Self, String> {
        let all = Self::default();
        let pattern = |it: &str| Pattern::try_from(it.to_owned());
        Ok(match text.split_once(':') {
            Some(("component", name)) => Self { component: Some(pattern(name)?), ..all },
            Some(("server", name)) => Self { server: Some(pattern(name)?), ..all },
            Some(("tool", name)) => Self { tool: Some(pattern(name)?), ..all },
            Some(_) => {
                let shown: String = text.chars().take(PATTERN_CHARS_MAX).collect();
                return Err(format!(
                    "{shown:?} chooses nothing; \"component:NAME\", \"server:NAME\" and \"tool:NAME\" are right"
                ));
            }
            None => match text {
                "read-only" => Self { read_only: Some(true), ..all },
                "destructive" => Self { destructive: Some(true), ..all },
                "idempotent" => Self { idempotent: Some(true), ..all },
                "open-world" => Self { open_world: Some(true), ..all },
                name => Self { tool: Some(pattern(name)?), ..all },
            },
        })
    }

    /// Reads a table with at least one condition.
    fn of_table(self) -> Result<Self, &'static str> {
        match self {
            Self { component: Some(_), server: Some(_), .. } => {
                Err("no tool is a component's and a server's; say one of both")
            }
            it if it == Self::default() => {
                Err("an empty entry chooses nothing; \"*\" is every tool")
            }
            it => Ok(it),
        }
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(written: D) -> Result<Self, D::Error> {
        struct Entry;

        impl<'de> Visitor<'de> for Entry {
            type Value = Selector;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "\"component:NAME\", the name of a tool, an annotation, or a table of such",
                )
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Selector, E> {
                Selector::of_text(text).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Selector, A::Error> {
                let written = Selector::deserialize(MapAccessDeserializer::new(table))?;
                written.of_table().map_err(A::Error::custom)
            }
        }

        written.deserialize_any(Entry)
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let plain = text.replace('*', "");
        let fits = text.len() <= PATTERN_CHARS_MAX && (plain.is_empty() || is_name(&plain));
        match fits && !text.is_empty() {
            true => Ok(Self(text)),
            false => {
                let shown: String = text.chars().take(PATTERN_CHARS_MAX).collect();
                Err(format!(
                    "{shown:?} is no name and no pattern; 1 to {PATTERN_CHARS_MAX} of A-Z a-z 0-9 _ . - and * are right"
                ))
            }
        }
    }
}

impl Pattern {
    /// Whether `name` matches.
    pub fn fits(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut left) = name.strip_prefix(first) else { return false };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        for part in middle.split('*') {
            match left.split_once(part) {
                Some((_, behind)) => left = behind,
                None => return false,
            }
        }
        left.ends_with(last)
    }

    /// The pattern, as the configuration has it.
    pub fn written(&self) -> &str {
        &self.0
    }
}

// Sets of tools, by name and owner.

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

#[cfg(test)]
mod tests {
    use super::*;

    const READS: Hints =
        Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
    const WRITES: Hints =
        Hints { read_only: false, destructive: true, idempotent: false, open_world: true };
    const SHOP: Owner<'_> = Owner::Component("shop");

    fn toolset(text: &str) -> Toolset {
        toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn wildcard_pattern_matches_names() {
        let fits = |pattern: &str, name: &str| Pattern(pattern.to_owned()).fits(name);
        for (pattern, right, wrong) in [
            ("book", &["book"][..], &["books", "boo", ""][..]),
            ("list_*", &["list_", "list_films"], &["list", "a_list_films"]),
            ("*_list", &["my_list", "_list"], &["my_list_"]),
            ("*", &["", "a"], &[]),
            ("a*b*c", &["abc", "aXbYc", "abbcc", "abcbc"], &["ab", "acb", "bc"]),
            ("a*a", &["aa", "aba"], &["a", "ab"]),
            ("*a*", &["a", "bab"], &["b"]),
            ("ab*ba", &["abba", "ab_ba"], &["aba"]),
        ] {
            for name in right {
                assert!(fits(pattern, name), "{pattern} {name}");
            }
            for name in wrong {
                assert!(!fits(pattern, name), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn chooses_by_owner_name_and_annotation() {
        for (text, has) in [
            ("", [true, true, true]),
            ("include = []", [false; 3]),
            ("include = ['component:shop']", [true, true, false]),
            ("include = ['component:sh*']", [true, true, false]),
            ("include = ['server:*']", [false, false, true]),
            ("include = ['look', 'tool:gh_*']", [true, false, true]),
            ("include = ['read-only']", [true, false, false]),
            ("include = [{ component = 'shop', read_only = false }]", [false, true, false]),
            ("exclude = ['destructive']", [true, false, false]),
            ("include = ['component:shop']\nexclude = ['b*']", [true, false, false]),
            ("exclude = [{ server = 'gh' }]", [true, true, false]),
            ("include = [{ open_world = true, idempotent = false }]", [false, true, true]),
        ] {
            let toolset = toolset(text);
            let found = [
                toolset.has(SHOP, "look", READS),
                toolset.has(SHOP, "book", WRITES),
                toolset.has(Owner::Server("gh"), "gh_send", WRITES),
            ];
            assert_eq!(found, has, "{text}");
        }
    }

    #[test]
    fn owner_without_tools_is_selected_by_name_only() {
        let gh = Owner::Server("gh");
        for (text, has_all, may_have) in [
            ("", true, true),
            ("include = ['server:gh']", true, true),
            ("include = ['component:gh']", false, false),
            ("include = ['tool:gh_*']", false, true),
            ("include = ['server:gh']\nexclude = ['server:g*']", false, false),
            ("exclude = ['destructive']", true, true),
        ] {
            let toolset = toolset(text);
            assert_eq!(toolset.has_all_of(gh), has_all, "{text}");
            assert_eq!(toolset.may_have_of(gh), may_have, "{text}");
        }
    }

    #[test]
    fn names_correct_pattern_where_none_matches() {
        for (text, part) in [
            ("include = ['components:shop']", "\"component:NAME\""),
            ("include = ['']", "no pattern"),
            ("include = ['a b']", "no pattern"),
            ("include = ['component:']", "no pattern"),
            ("include = [{}]", "\"*\" is every tool"),
            ("include = [{ component = 'a', server = 'b' }]", "say one of both"),
            ("include = [{ readonly = true }]", "unknown field `readonly`"),
            ("include = [1]", "an annotation"),
            ("discovery = 'find'", "`search`"),
            ("tools = []", "unknown field `tools`"),
        ] {
            let error = toml::from_str::<Toolset>(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let long = format!("include = ['{}']", "x".repeat(PATTERN_CHARS_MAX + 1));
        assert!(toml::from_str::<Toolset>(&long).is_err());
    }

    #[test]
    fn toolset_names_are_bounded_in_an_address() {
        let check = |text: &str| toml::from_str::<Toolsets>(text).unwrap().check();
        assert_eq!(check("[book-1_A]"), Ok(()));
        for wrong in ["['']", "['a b']", "['a/b']", "['a.b']", "['窓口']"] {
            let (_, what) = check(wrong).unwrap_err();
            assert!(what.contains("1 to 64 of A-Z"), "{wrong}: {what}");
        }
        assert!(check(&format!("[{}]", "x".repeat(65))).is_err());
        let many: String = (0..=TOOLSETS_MAX).map(|it| format!("[t{it}]\n")).collect();
        assert!(check(&many).unwrap_err().1.contains("64 is most"));
        let names = vec!["'a'"; ENTRIES_MAX + 1].join(",");
        assert!(check(&format!("[a]\nexclude = [{names}]")).unwrap_err().1.contains("exclude"));
    }

    #[test]
    fn unknown_name_lists_the_known_ones() {
        let toolsets: Toolsets = toml::from_str("[book]\n[read]").unwrap();
        assert_eq!(toolsets.unknown("x"), "there is no toolset \"x\"; there are book, read");
        assert!(Toolsets::default().unknown("x").contains("[toolsets.NAME]"));
    }
}
