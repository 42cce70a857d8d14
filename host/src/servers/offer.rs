//! What of a server is on offer, and under which names.

use std::sync::Arc;

use rmcp::model::{MetaObject, Prompt, Resource, ResourceTemplate, Tool};
use serde_json::Value;

use super::{Server, lists::Lists};
use crate::{
    caller::Caller,
    definition::{Says, Shown},
    digest::digest,
    tool_set::Owner,
    tool_set::is_name,
    uri_template::UriTemplate,
};

/// Whose a tool is, in its `_meta`.
const SERVER_KEY: &str = "madoguchi/server";
/// Keys that say what we say, whoever else would.
const OURS: &str = "madoguchi/";

/// A server's part of the counter. Never changes: another list makes a new one.
pub(crate) struct Offer {
    pub(crate) server: Arc<Server>,
    /// In the server's own order.
    pub(crate) tools: Vec<Arc<ServerTool>>,
    pub(crate) prompts: Vec<Arc<ServerPrompt>>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ServerTemplate>,
    /// Tells whether another list says the same.
    pub(crate) digest: String,
    /// What is not offered, and why.
    pub(super) left_out: Vec<String>,
}

/// A tool of a server's.
pub(crate) struct ServerTool {
    pub(crate) server: Arc<Server>,
    /// The name under which it is offered.
    pub(crate) name: Arc<str>,
    /// The name that the server knows.
    pub(super) own_name: String,
    /// As it is listed: everything as the server says it, but for its name and where it is from.
    pub(crate) listed: Tool,
    /// Whether it wins over a component's tool of its name.
    pub(crate) replaces: bool,
    /// Whether it changes nothing: its server says so, and the operator believes it.
    pub(crate) is_read_only: bool,
    /// Whether it is another than its server's first tool of that name.
    pub(crate) is_changed: bool,
    /// What it says of itself.
    pub(crate) shown: Arc<Shown>,
    /// Whether twice is the same as once.
    pub(super) is_repeatable: bool,
    /// Whether clients tell some of its arguments in headers too (`x-mcp-header`).
    pub(crate) has_header_arguments: bool,
}

/// A prompt of a server's.
pub(crate) struct ServerPrompt {
    /// The name that the server knows.
    pub(crate) own_name: String,
    /// As it is listed.
    pub(crate) listed: Prompt,
}

/// A template of a server's.
pub(crate) struct ServerTemplate {
    /// As it is listed.
    pub(crate) listed: ResourceTemplate,
    /// The same to be held against URIs; none where it is of a kind that we do not know.
    pub(crate) uri: Option<UriTemplate>,
}

impl Offer {
    pub(super) fn of(server: &Arc<Server>, lists: Lists) -> Self {
        let config = &server.config;
        let Lists { tools, prompts, resources, templates, mut left_out } = lists;
        let said = [
            serde_json::to_string(&tools),
            serde_json::to_string(&prompts),
            serde_json::to_string(&resources),
            serde_json::to_string(&templates),
        ];
        let said: String = said.into_iter().flatten().collect();
        let mut offered: Vec<Arc<ServerTool>> = Vec::new();
        for tool in tools {
            if config.tools.as_ref().is_some_and(|it| !it.contains(&*tool.name)) {
                continue;
            }
            let named = tool.name.to_string();
            if offered.iter().any(|other| other.own_name == named) {
                left_out.push(format!("tool {named}: there are two of that name"));
                continue;
            }
            match ServerTool::of(server, tool) {
                Err(why) => left_out.push(format!("tool {named}: {why}")),
                Ok(it) if offered.iter().any(|other| other.name == it.name) => {
                    left_out.push(format!("tool {named}: there are two of that name"));
                }
                Ok(it) => offered.push(Arc::new(it)),
            }
        }
        // Whoever picks tools by name wants those, and nothing else.
        let all = config.tools.is_none();
        let prompts = if all { named_prompts(server, prompts, &mut left_out) } else { Vec::new() };
        Self {
            server: server.clone(),
            tools: offered,
            prompts,
            resources: if all { resources } else { Vec::new() },
            templates: if all { templates.into_iter().map(template).collect() } else { Vec::new() },
            digest: digest(said.as_bytes()),
            left_out,
        }
    }
}

fn named_prompts(
    server: &Server,
    prompts: Vec<Prompt>,
    left_out: &mut Vec<String>,
) -> Vec<Arc<ServerPrompt>> {
    let mut named: Vec<Arc<ServerPrompt>> = Vec::new();
    for mut listed in prompts {
        let own_name = std::mem::take(&mut listed.name);
        listed.name = format!("{}{own_name}", server.prefix);
        if !is_name(&listed.name) || named.iter().any(|it| it.listed.name == listed.name) {
            left_out.push(format!("prompt {:?}: {NAMES}", shown(&own_name)));
            continue;
        }
        named.push(Arc::new(ServerPrompt { own_name, listed }));
    }
    named
}

fn template(listed: ResourceTemplate) -> ServerTemplate {
    ServerTemplate { uri: UriTemplate::new(&listed.uri_template).ok(), listed }
}

const NAMES: &str = "with its prefix, a name has 1 to 128 of A-Z a-z 0-9 _ . - and is there once";

fn shown(name: &str) -> String {
    name.chars().take(128).collect()
}

impl ServerTool {
    /// Whether `caller` may see and call it.
    pub(crate) fn is_open_to(&self, caller: &Caller) -> bool {
        caller.may_call(Owner::Server(&self.server.name), &self.name, self.is_read_only)
    }

    /// Whether it only reads, as far as its server is believed.
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Whose it is.
    pub(crate) fn server_name(&self) -> &str {
        &self.server.name
    }

    fn of(server: &Arc<Server>, mut listed: Tool) -> Result<Self, String> {
        let own_name = listed.name.to_string();
        let replaces = server.config.replaces.contains(&own_name);
        let name = match replaces {
            true => own_name.clone(),
            false => format!("{}{own_name}", server.prefix),
        };
        if !is_name(&name) {
            return Err(NAMES.to_owned());
        }
        let input = Value::Object((*listed.input_schema).clone());
        check_schema("input", &input)?;
        if let Some(output) = &listed.output_schema {
            check_schema("output", &Value::Object((**output).clone()))?;
        }
        let hints = listed.annotations.as_ref();
        let hint = |it: Option<bool>| it == Some(true);
        let says_read_only = hints.is_some_and(|it| hint(it.read_only_hint));
        // The server's own word is enough here: it is the one that is asked twice.
        let is_repeatable = says_read_only || hints.is_some_and(|it| hint(it.idempotent_hint));
        let shown = says(&listed, &server.name);
        let is_changed = server.seen.changes(&server.name, &own_name, &shown);
        let is_believed = server.config.trust_hints.has(&own_name) && !is_changed;
        let is_read_only = says_read_only && is_believed;
        listed.name = name.clone().into();
        let mut meta = foreign(listed.meta.take()).unwrap_or_default();
        meta.0.insert(SERVER_KEY.to_owned(), Value::from(&*server.name));
        listed.meta = Some(meta);
        Ok(Self {
            server: server.clone(),
            name: name.into(),
            own_name,
            replaces,
            is_read_only,
            is_changed,
            shown: shown.into(),
            is_repeatable,
            has_header_arguments: input.to_string().contains("x-mcp-header"),
            listed,
        })
    }
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
