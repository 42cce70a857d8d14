//! Further addresses of component endpoints, below `/api` or beside it: `[endpoints]`.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;

use super::ComponentConfig;
use crate::{grants::Grant, toolsets::is_plain_name};

/// Names that the server needs for itself under `/api/`.
pub const RESERVED: [&str; 7] =
    ["approvals", "auth", "blobs", "health", "operator", "page", "ready"];

/// Paths of the server beside `/api`.
const ELSEWHERE: [&str; 5] = ["account", "api", "f", "mcp", "rpc"];

/// Paths that clients probe for an authorization server or an old transport, without a token. Their absence is no
/// secret.
pub const PROBED: [&str; 8] =
    ["authorize", "message", "messages", "oauth", "oauth2", "register", "sse", "token"];

/// The address of the chat.
pub const CHAT: &str = "chat";

/// Other addresses of endpoints of components.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Aliases(BTreeMap<String, Written>);

/// The target of an alias.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Alias {
    /// The component that answers the requests.
    pub component: String,
    /// Path prefix at the target: empty, or without slashes at its ends.
    pub prefix: String,
}

/// An entry as it stands in the file: a place, or false where the name is to be free.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a component's name, or one with a path behind it such as \"forms/demo\", or false"
)]
enum Written {
    To(Alias),
    Free(bool),
}

impl Aliases {
    /// Target of `name`, if configured.
    pub fn get(&self, name: &str) -> Option<&Alias> {
        match self.0.get(name) {
            Some(Written::To(alias)) => Some(alias),
            _ => None,
        }
    }

    /// The component that is to answer the chat.
    pub fn chat(&self) -> Option<&str> {
        self.get(CHAT).map(|it| it.component.as_str())
    }

    /// Aliases that are paths beside `/api`, such as `/chat`.
    pub fn elsewhere(&self) -> impl Iterator<Item = &str> {
        let is_there = |it: &&str| it.starts_with('/') && self.get(it).is_some();
        self.0.keys().map(String::as_str).filter(is_there)
    }

    /// Takes over the entries of `other`.
    pub(super) fn change(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Rejects names already in use.
    pub fn check(&self, components: &BTreeMap<String, ComponentConfig>) -> Result<(), String> {
        for (name, written) in &self.0 {
            let Written::To(_) = written else {
                if matches!(written, Written::Free(true)) {
                    return Err(format!("{name} = true says no place; \"forms\" would be one"));
                }
                continue;
            };
            if !is_plain_name(name.strip_prefix('/').unwrap_or(name)) {
                return Err(format!(
                    "{name:?} is no name; 1 to 64 of A-Z a-z 0-9 _ - are right, for an address beside /api with a slash before them"
                ));
            }
            if let Some(own) = name.strip_prefix('/')
                && (ELSEWHERE.contains(&own) || PROBED.contains(&own))
            {
                return Err(format!(
                    "{name} is the server's own, or where clients look for one without a token; another name is right"
                ));
            }
            if RESERVED.contains(&name.as_str()) {
                return Err(format!("/api/{name} is the server's own; another name is right"));
            }
            let has_endpoints =
                |it: &ComponentConfig| it.enabled != Some(false) && it.has(Grant::Endpoints);
            if components.get(name).is_some_and(has_endpoints) {
                return Err(format!(
                    "/api/{name} is the component {name}'s own, which is granted \"endpoints\"; another name is right, or {name} = false"
                ));
            }
        }
        Ok(())
    }
}

impl Alias {
    /// The target path of `rest`.
    pub fn path<'a>(&self, rest: &'a str) -> Cow<'a, str> {
        match (self.prefix.as_str(), rest) {
            ("", rest) => Cow::Borrowed(rest),
            (prefix, "") => Cow::Owned(prefix.to_owned()),
            (prefix, rest) => Cow::Owned(format!("{prefix}/{rest}")),
        }
    }
}

impl TryFrom<String> for Alias {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (component, prefix) = text.split_once('/').unwrap_or((&text, ""));
        let fits =
            is_plain_name(component) && (text == component || prefix.split('/').all(is_plain_name));
        if !fits {
            return Err(format!("{text:?} is no place"));
        }
        Ok(Self { component: component.to_owned(), prefix: prefix.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases(text: &str) -> Result<Aliases, String> {
        toml::from_str(text).map_err(|it| it.to_string())
    }

    #[test]
    fn alias_maps_to_component_or_its_path() {
        let mut all = aliases("form = 'forms'\ndemo = 'forms/demo/x'").unwrap();
        let demo = all.get("demo").unwrap();
        assert_eq!((demo.component.as_str(), demo.prefix.as_str()), ("forms", "demo/x"));
        assert_eq!((&*demo.path("y/z"), &*demo.path("")), ("demo/x/y/z", "demo/x"));
        assert_eq!(
            (&*all.get("form").unwrap().path("a"), &*all.get("form").unwrap().path("")),
            ("a", "")
        );
        all.change(aliases("demo = false").unwrap());
        assert_eq!((all.get("demo"), all.get("other")), (None, None));
        for wrong in ["''", "'/a'", "'a/'", "'a//b'", "'a/../b'", "'a/%2e'", "'a/b?c'", "7"] {
            let error = aliases(&format!("form = {wrong}")).unwrap_err();
            assert!(error.contains("forms/demo"), "{wrong}: {error}");
        }
    }

    #[test]
    fn refuses_a_name_already_in_use_and_allows_a_freed_one() {
        let own = ComponentConfig {
            grants: Some([Grant::Endpoints].into()),
            ..ComponentConfig::default()
        };
        let components = BTreeMap::from([
            ("shop".to_owned(), own),
            ("mute".to_owned(), ComponentConfig::default()),
        ]);
        let check = |text: &str| aliases(text).unwrap().check(&components);
        for right in ["form = 'forms'", "mute = 'forms'", "shop = false", "health = false"] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for (wrong, part) in [
            ("health = 'forms'", "the server's own"),
            ("blobs = 'forms'", "the server's own"),
            ("shop = 'forms'", "the component shop's own"),
            ("'a/b' = 'forms'", "is no name"),
            ("'/mcp' = 'forms'", "the server's own"),
            ("'/register' = 'forms'", "without a token"),
            ("'/.well-known' = 'forms'", "is no name"),
            ("form = true", "says no place"),
        ] {
            let error = check(wrong).unwrap_err();
            assert!(error.contains(part), "{wrong}: {error}");
        }
    }
}
