//! Digests of a tool's owner and definition. A person's approval or an operator's trust holds for exactly these.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use base::tool_set::Owner;
use store::digest::digest;

/// Digests of a tool's definition, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The owner: `component:NAME` or `server:NAME`.
    owner: String,
    title: String,
    description: String,
    input_schema: String,
    output_schema: String,
    annotations: String,
}

/// A definition in two versions, in MCP format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewording {
    /// Kind and name: `the tool greet`.
    pub of: String,
    /// Serving definition, or null if new.
    pub pinned: Value,
    /// Other definition, or null if removed.
    pub waiting: Value,
}

impl std::fmt::Display for Rewording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match (&self.pinned, &self.waiting) {
            (Value::Null, _) => "is new",
            (_, Value::Null) => "is gone",
            _ => "says something else",
        };
        write!(f, "{} {what}", self.of)
    }
}

/// Parts of a tool's definition as text.
pub struct ToolTexts<'a> {
    pub title: Option<&'a str>,
    pub description: &'a str,
    pub input_schema: String,
    pub output_schema: Option<String>,
    pub annotations: String,
}

impl Shown {
    /// Digests of `texts`, without an owner.
    pub fn digests(texts: &ToolTexts<'_>) -> Self {
        let of = |text: &str| digest(text.as_bytes());
        let optional = |text: Option<&str>| text.map(of).unwrap_or_default();
        Self {
            owner: String::new(),
            title: optional(texts.title),
            description: of(texts.description),
            input_schema: of(&texts.input_schema),
            output_schema: optional(texts.output_schema.as_deref()),
            annotations: of(&texts.annotations),
        }
    }

    /// The same digests for a tool of `owner`.
    pub fn with_owner(&self, owner: Owner<'_>) -> Self {
        let owner = match owner {
            Owner::Component(name) => format!("component:{name}"),
            Owner::Server(name) => format!("server:{name}"),
        };
        Self { owner, ..self.clone() }
    }

    /// The component or server that owns it.
    pub fn owner(&self) -> Option<Owner<'_>> {
        match self.owner.split_once(':')? {
            ("component", name) => Some(Owner::Component(name)),
            ("server", name) => Some(Owner::Server(name)),
            _ => None,
        }
    }

    /// Names of parts that differ from `before`.
    pub fn changes(&self, before: &Self) -> Vec<&'static str> {
        let parts = [
            ("owner", &self.owner, &before.owner),
            ("title", &self.title, &before.title),
            ("description", &self.description, &before.description),
            ("input schema", &self.input_schema, &before.input_schema),
            ("output schema", &self.output_schema, &before.output_schema),
            ("annotations", &self.annotations, &before.annotations),
        ];
        parts.into_iter().filter(|(_, now, then)| now != then).map(|it| it.0).collect()
    }

    /// `NAME@DIGEST`, by which a person trusts exactly this definition.
    pub fn trusted_as(&self, tool: &str) -> String {
        let Self { owner, title, description, input_schema, output_schema, annotations } = self;
        let all = [owner, title, description, input_schema, output_schema, annotations];
        let all = all.map(String::as_str).join("\n");
        format!("{tool}@{:.32}", digest(all.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(owner: Owner<'_>, description: &str, annotations: &str) -> Shown {
        let texts = ToolTexts {
            title: None,
            description,
            input_schema: "{}".to_owned(),
            output_schema: None,
            annotations: annotations.to_owned(),
        };
        Shown::digests(&texts).with_owner(owner)
    }

    #[test]
    fn names_changed_fields() {
        let letter = shown(Owner::Server("post"), "Sends a letter.", "{}");
        let same = shown(Owner::Server("post"), "Sends a letter.", "{}");
        assert_eq!(letter.changes(&same), [""; 0]);
        assert_eq!(letter.trusted_as("send"), same.trusted_as("send"));
        for (other, changes) in [
            (shown(Owner::Server("post"), "Wires all money.", "{}"), vec!["description"]),
            (shown(Owner::Component("post"), "Sends a letter.", "{}"), vec!["owner"]),
            (shown(Owner::Server("post"), "Sends a letter.", "{\"a\":1}"), vec!["annotations"]),
        ] {
            assert_eq!(other.changes(&letter), changes);
            assert_ne!(other.trusted_as("send"), letter.trusted_as("send"));
        }
    }
}
