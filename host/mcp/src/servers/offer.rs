//! What of a server is on offer, and under which names.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::model::{MetaObject, Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;
use serde_json::Value;

use super::{Server, lists::Lists};
use base::{
    tool_set::{Owner, is_name},
    uri_template::UriTemplate,
};
use registry::upstream::{Offer, ServerPrompt, ServerResource, ServerTemplate, ServerTool};
use sandbox::definition::{Says, Shown};
use store::digest::digest;

/// Whose a tool is, in its `_meta`.
const SERVER_KEY: &str = "madoguchi/server";
/// Keys of `_meta` that are the host's alone.
const OURS: &str = "madoguchi/";

/// What of `lists` is on offer, and what is not and why.
pub(super) fn of(server: &Arc<Server>, lists: Lists) -> (Offer, Vec<String>) {
    let config = &server.config;
    let Lists { tools, prompts, resources, templates, mut left_out } = lists;
    let said = [listed(&tools), listed(&prompts), listed(&resources), listed(&templates)];
    let digest = digest(said.map(|it| it.to_string()).concat().as_bytes());
    let mut offered: Vec<Arc<ServerTool>> = Vec::new();
    for it in tools {
        if config.tools.as_ref().is_some_and(|tools| !tools.contains(&*it.name)) {
            continue;
        }
        let named = it.name.to_string();
        if offered.iter().any(|other| other.own_name == named) {
            left_out.push(format!("tool {named}: there are two of that name"));
            continue;
        }
        match tool(server, it) {
            Err(why) => left_out.push(format!("tool {named}: {why}")),
            Ok(it) if offered.iter().any(|other| other.name == it.name) => {
                left_out.push(format!("tool {named}: there are two of that name"));
            }
            Ok(it) => offered.push(Arc::new(it)),
        }
    }
    // Where tools are picked by name, those alone are wanted.
    let all = config.tools.is_none();
    let prompts = if all { named_prompts(server, prompts, &mut left_out) } else { Vec::new() };
    let resource = |it: Resource| ServerResource { listed: listed(&it), uri: it.uri.clone() };
    let template = |it: ResourceTemplate| ServerTemplate {
        listed: listed(&it),
        uri: UriTemplate::new(&it.uri_template).ok(),
        text: it.uri_template.clone(),
    };
    let offer = Offer {
        server: server.clone(),
        tools: offered,
        prompts,
        resources: resources.into_iter().filter(|_| all).map(resource).collect(),
        templates: templates.into_iter().filter(|_| all).map(template).collect(),
        digest,
    };
    (offer, left_out)
}

/// In MCP's words.
fn listed(it: &impl Serialize) -> Value {
    serde_json::to_value(it).unwrap_or_default()
}

fn named_prompts(
    server: &Server,
    prompts: Vec<Prompt>,
    left_out: &mut Vec<String>,
) -> Vec<Arc<ServerPrompt>> {
    let mut named: Vec<Arc<ServerPrompt>> = Vec::new();
    for mut prompt in prompts {
        let own_name = std::mem::take(&mut prompt.name);
        prompt.name = format!("{}{own_name}", server.prefix);
        if !is_name(&prompt.name) || named.iter().any(|it| it.name == prompt.name) {
            left_out.push(format!(
                "prompt {:?}: {NAMES}",
                own_name.chars().take(128).collect::<String>()
            ));
            continue;
        }
        let (name, listed) = (prompt.name.clone(), listed(&prompt));
        named.push(Arc::new(ServerPrompt { name, own_name, listed }));
    }
    named
}

const NAMES: &str = "with its prefix, a name has 1 to 128 of A-Z a-z 0-9 _ . - and is there once";

fn tool(server: &Arc<Server>, mut said: Tool) -> Result<ServerTool, String> {
    let own_name = said.name.to_string();
    let replaces = server.config.replaces.contains(&own_name);
    let name = match replaces {
        true => own_name.clone(),
        false => format!("{}{own_name}", server.prefix),
    };
    if !is_name(&name) {
        return Err(NAMES.to_owned());
    }
    let input = Value::Object((*said.input_schema).clone());
    check_schema("input", &input)?;
    if let Some(output) = &said.output_schema {
        check_schema("output", &Value::Object((**output).clone()))?;
    }
    let hints = said.annotations.as_ref();
    let hint = |it: Option<bool>| it == Some(true);
    let says_read_only = hints.is_some_and(|it| hint(it.read_only_hint));
    // The server's own word is enough here: it is the one that is asked twice.
    let is_repeatable = says_read_only || hints.is_some_and(|it| hint(it.idempotent_hint));
    let shown = says(&said, &server.name);
    let is_changed = server.seen.changes(&server.name, &own_name, &shown);
    let is_believed = server.config.trust_hints.has(&own_name) && !is_changed;
    let is_read_only = says_read_only && is_believed;
    said.name = name.clone().into();
    let mut meta = foreign(said.meta.take()).unwrap_or_default();
    meta.0.insert(SERVER_KEY.to_owned(), Value::from(&*server.name));
    said.meta = Some(meta);
    Ok(ServerTool {
        server: server.clone(),
        name: name.into(),
        own_name,
        replaces,
        is_read_only,
        is_changed,
        shown: shown.into(),
        is_repeatable,
        has_header_arguments: input.to_string().contains("x-mcp-header"),
        listed: listed(&said),
        input_schema: said.input_schema,
    })
}

/// `tool` as `server` says it.
fn says(tool: &Tool, server: &str) -> Shown {
    let json = |it: &serde_json::Map<String, Value>| Value::Object(it.clone()).to_string();
    let says = Says {
        title: tool.title.as_deref(),
        description: tool.description.as_deref().unwrap_or_default(),
        input_schema: json(&tool.input_schema),
        output_schema: tool.output_schema.as_deref().map(json),
        annotations: serde_json::to_string(&tool.annotations).unwrap_or_default(),
    };
    Shown::of(&says).by(Owner::Server(server))
}

/// One schema that is none makes clients refuse the whole list.
fn check_schema(what: &str, schema: &Value) -> Result<(), String> {
    if schema.get("type") != Some(&Value::from("object")) {
        return Err(format!("its {what} schema is not of type object"));
    }
    jsonschema::meta::validate(schema).map_err(|error| {
        let why: String = error.to_string().chars().take(256).collect();
        format!("its {what} schema is no JSON Schema: {why}")
    })
}

/// `meta` without what only we say.
pub(super) fn foreign(meta: Option<MetaObject>) -> Option<MetaObject> {
    let mut meta = meta?;
    meta.0.retain(|key, _| !key.starts_with(OURS));
    (!meta.0.is_empty()).then_some(meta)
}

/// Names that are remembered of one server; a new one beyond is taken for changed.
const NAMES_MAX: usize = 4_096;

/// The tools of a server as they were first seen and last seen since the host started, by their names there: a
/// tool that changes afterwards is told in the log, and loses what was trusted.
#[derive(Default)]
pub(super) struct Seen(Mutex<HashMap<String, (Shown, Shown)>>);

impl Seen {
    /// Whether `now` is another tool than the first of its name. A change since the last time is logged.
    pub(super) fn changes(&self, server: &str, tool: &str, now: &Shown) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = seen.len() >= NAMES_MAX;
        let Some((first, last)) = seen.get_mut(tool) else {
            if !is_full {
                seen.insert(tool.to_owned(), (now.clone(), now.clone()));
            }
            return is_full;
        };
        let changed = now.changes(last).join(", ");
        if !changed.is_empty() {
            tracing::warn!(target: "server", server, tool, changed, "a tool has changed; what was allowed or trusted before holds no longer");
            last.clone_from(now);
        }
        first != now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(description: &str) -> Shown {
        let says = Says {
            title: None,
            description,
            input_schema: String::new(),
            output_schema: None,
            annotations: String::new(),
        };
        Shown::of(&says).by(Owner::Server("s"))
    }

    #[test]
    fn is_trusted_again_only_as_first_seen() {
        let seen = Seen::default();
        let is_changed = |tool: &str, says: &str| seen.changes("s", tool, &shown(says));
        assert!(!is_changed("a", "Sends a letter."));
        assert!(is_changed("a", "Wires all money."));
        assert!(is_changed("a", "Wires all money."), "it is no habit");
        assert!(!is_changed("a", "Sends a letter."), "the one that was trusted");
        assert!(!is_changed("b", "Wires all money."), "each name for itself");
    }

    #[test]
    fn names_are_bounded_and_those_beyond_are_not_trusted() {
        let seen = Seen::default();
        for at in 0..NAMES_MAX {
            assert!(!seen.changes("s", &at.to_string(), &shown("x")));
        }
        assert!(seen.changes("s", "one more", &shown("x")));
        assert!(!seen.changes("s", "0", &shown("x")));
    }
}
