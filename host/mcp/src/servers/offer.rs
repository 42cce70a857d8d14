//! Reads the lists of an upstream server page by page, within limits, and decides what is offered under which name.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use rmcp::{
    Peer, RoleClient,
    model::{
        ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
        ListToolsRequest, MetaObject, PaginatedRequestParams, Prompt, Resource, ResourceTemplate,
        Tool,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Server, limited::MISSHAPEN, pins::Settled, retry::Failed};
use crate::wire;
use base::{
    clean,
    tool_set::{Owner, is_name},
    uri_template::UriTemplate,
};
use registry::upstream::{Offer, ServerPrompt, ServerTemplate, ServerTool};
use sandbox::definition::{self, Audience, Hints, Shown, ToolTexts};
use store::digest::digest;

/// `_meta` key of the owning server.
const SERVER_KEY: &str = "madoguchi/server";
/// Keys of `_meta` that are the host's alone.
const OURS: &str = "madoguchi/";

/// Pages of one list.
const PAGES_MAX: usize = 64;
/// Entries of one list.
const ENTRIES_MAX: usize = 512;
/// Bytes of one entry.
const ENTRY_BYTES_MAX: usize = 64 << 10;
/// Bytes of one list.
const LIST_BYTES_MAX: usize = 4 << 20;

/// Lists of a server.
#[derive(Clone, Default)]
pub(super) struct Lists {
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    /// Omitted entries with reasons.
    left_out: Vec<String>,
}

/// JSON-RPC error code of an unknown method.
const NO_SUCH_METHOD: i32 = -32601;

impl Lists {
    /// Reads all lists that the server declares. Where one fails, entries from `last` are kept.
    pub(super) async fn read(
        peer: &Peer<RoleClient>,
        wanted: Option<&BTreeSet<String>>,
        last: Option<Self>,
    ) -> Result<Self, Failed> {
        let mut lists = Self::default();
        let has_last = last.is_some();
        let last = last.unwrap_or_default();
        let capabilities = peer.peer_info().map(|it| it.capabilities.clone()).unwrap_or_default();
        if capabilities.tools.is_some() {
            let request = ListToolsRequest::with_param;
            let tools = lists.list(peer, ("tools", wanted), request).await;
            lists.tools = match &tools {
                // A server that has not given its tools yet is not there, nor may be one that answers something else.
                Err(Failed::Unusable(_)) => tools?,
                _ if !has_last => tools?,
                _ => lists.or_last("tools", tools, last.tools)?,
            };
        }
        // With a selection by name, only those are read.
        if wanted.is_some() {
            return Ok(lists);
        }
        if capabilities.prompts.is_some() {
            let request = ListPromptsRequest::with_param;
            let prompts = lists.list(peer, ("prompts", None), request).await;
            lists.prompts = lists.or_last("prompts", prompts, last.prompts)?;
        }
        if capabilities.resources.is_some() {
            let request = ListResourcesRequest::with_param;
            let resources = lists.list(peer, ("resources", None), request).await;
            lists.resources = lists.or_last("resources", resources, last.resources)?;
            let request = ListResourceTemplatesRequest::with_param;
            let templates = lists.list(peer, ("resourceTemplates", None), request).await;
            lists.templates = lists.or_last("resourceTemplates", templates, last.templates)?;
        }
        Ok(lists)
    }

    /// The list that was `read`, or the `last` one where the server is there and does not give it.
    fn or_last<T>(
        &mut self,
        name: &str,
        read: Result<Vec<T>, Failed>,
        last: Vec<T>,
    ) -> Result<Vec<T>, Failed> {
        match read {
            Err(failed) if failed.is_of_connection() => Err(failed),
            Err(failed @ Failed::Unauthorized(_)) => Err(failed),
            Err(failed) => {
                // Many servers with resources have no list of templates, and say so in this way.
                if !matches!(&failed, Failed::Rpc(it) if it.code.0 == NO_SUCH_METHOD) {
                    self.left_out.push(format!("what is new of {name}: {}", failed.description()));
                }
                Ok(last)
            }
            read => read,
        }
    }

    /// Reads one list page by page within limits, keeping entries in `wanted` if given. Invalid entries are skipped.
    async fn list<T: DeserializeOwned, R: Into<ClientRequest>>(
        &mut self,
        peer: &Peer<RoleClient>,
        (name, wanted): (&str, Option<&BTreeSet<String>>),
        request: impl Fn(PaginatedRequestParams) -> R,
    ) -> Result<Vec<T>, Failed> {
        let (mut entries, mut bytes, mut page) = (Vec::new(), 0, PaginatedRequestParams::default());
        let mut missing: BTreeSet<&str> = wanted.into_iter().flatten().map(|it| &**it).collect();
        let mut pages = 0;
        loop {
            if pages == PAGES_MAX {
                self.left_out.push(format!("{name}: more than {PAGES_MAX} pages; the rest"));
                break;
            }
            pages += 1;
            let result = peer
                .send_request(request(page).into())
                .await
                .map_err(Failed::from_service_error)?;
            let result = serde_json::to_value(result).unwrap_or_default();
            let Some(Value::Array(found)) = result.get(name) else {
                return Err(Failed::Unusable(format!("it does not answer with a list of {name}")));
            };
            let misshapen = result["_meta"][MISSHAPEN].as_array();
            for entry in found.iter().chain(misshapen.into_iter().flatten()) {
                if let Some(wanted) = wanted {
                    let own = entry["name"].as_str().unwrap_or_default();
                    missing.remove(own);
                    if !wanted.contains(own) {
                        continue;
                    }
                }
                let mut entry = entry.clone();
                let size = entry.to_string().len();
                bytes += size;
                if entries.len() == ENTRIES_MAX || bytes > LIST_BYTES_MAX {
                    self.left_out.push(format!("{name}: more than {ENTRIES_MAX} entries or {LIST_BYTES_MAX} bytes; the rest"));
                    return Ok(entries);
                }
                let why = match clean::entry(&mut entry, name.starts_with("resource")) {
                    Err(why) => format!(" {why}"),
                    Ok(()) if size > ENTRY_BYTES_MAX => {
                        format!(" has {size} bytes; {ENTRY_BYTES_MAX} is most")
                    }
                    // Annotations are hints, and wrong ones are worth no tool.
                    Ok(()) => match T::deserialize(&entry)
                        .or_else(|why| wire::listed(&entry).ok_or(why))
                    {
                        Ok(entry) => {
                            entries.push(entry);
                            continue;
                        }
                        Err(error) => format!(": {error}"),
                    },
                };
                let who = entry["name"].as_str().map(clean::title);
                let who = who.as_deref().unwrap_or("one without a name");
                self.left_out.push(format!("{name}: {who}{why}"));
            }
            match next_cursor(&result) {
                None => break,
                next => page = PaginatedRequestParams::default().with_cursor(next),
            }
        }
        self.left_out.extend(missing.iter().map(|it| format!("{name}: {it} is not among them")));
        Ok(entries)
    }
}

/// Cursor of the next page. An empty one would lead to the first page again.
fn next_cursor(page: &Value) -> Option<String> {
    let next = page.get("nextCursor").and_then(Value::as_str);
    next.filter(|it| !it.is_empty()).map(str::to_owned)
}

/// Builds the offer from `lists`. Also returns omissions with reasons.
pub(super) fn build(server: &Arc<Server>, lists: Lists) -> (Offer, Vec<String>) {
    let config = &server.config;
    let Lists { tools, mut prompts, mut resources, mut templates, mut left_out } = lists;
    let mut wanted: Vec<Tool> = Vec::with_capacity(tools.len());
    for listed in tools {
        if wanted.iter().any(|other| other.name == listed.name) {
            left_out.push(format!("tool {}: there are two of that name", listed.name));
            continue;
        }
        wanted.push(listed);
    }
    let mut offered: Vec<Arc<ServerTool>> = Vec::new();
    for (named, settled) in server.pins.settle(wanted, config.changed) {
        let (definition, is_changed) = match settled {
            Settled::Offered { tool, is_changed } => (*tool, is_changed),
            Settled::Stopped(why) => {
                left_out.push(format!("tool {named}: {why}"));
                continue;
            }
        };
        match tool(server, definition, is_changed) {
            Err(why) => left_out.push(format!("tool {named}: {why}")),
            Ok(tool) if offered.iter().any(|other| other.tool.name == tool.tool.name) => {
                left_out.push(format!("tool {named}: there are two of that name"));
            }
            Ok(it) => offered.push(Arc::new(it)),
        }
    }
    prompts.iter_mut().for_each(|it| it.meta = foreign(it.meta.take()));
    resources.iter_mut().for_each(|it| it.meta = foreign(it.meta.take()));
    templates.iter_mut().for_each(|it| it.meta = foreign(it.meta.take()));
    let all_prompts = listed(&prompts);
    let prompts = named_prompts(server, prompts, &mut left_out);
    let resource = |it: Resource| definition::Resource { listed: listed(&it), uri: it.uri.into() };
    let template = |template: ResourceTemplate| ServerTemplate {
        listed: listed(&template),
        uri: UriTemplate::of_another(&template.uri_template).ok(),
        text: template.uri_template.clone(),
    };
    let shown: Vec<_> = offered.iter().map(|it| json!([it.listed, it.is_changed])).collect();
    let parts = [shown.into(), all_prompts, listed(&resources), listed(&templates)];
    let digest = digest(parts.map(|it: Value| it.to_string()).concat().as_bytes());
    let offer = Offer {
        server: server.clone(),
        tools: offered,
        prompts,
        resources: resources.into_iter().map(resource).collect(),
        templates: templates.into_iter().map(template).collect(),
        digest,
    };
    (offer, left_out)
}

/// Converts to JSON.
fn listed(item: &impl Serialize) -> Value {
    serde_json::to_value(item).unwrap_or_default()
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

/// Converts a tool. `is_changed` marks a differing definition at its server.
fn tool(server: &Arc<Server>, mut found: Tool, is_changed: bool) -> Result<ServerTool, String> {
    let own_name = found.name.to_string();
    let replaces = server.config.replaces.contains(&own_name);
    let name = if replaces { own_name.clone() } else { format!("{}{own_name}", server.prefix) };
    if !is_name(&name) {
        return Err(NAMES.to_owned());
    }
    let input = Value::Object((*found.input_schema).clone());
    // An output may be anything since 2026-07-28, an input is an object.
    if input.get("type") != Some(&Value::from("object")) {
        return Err("its input schema is not of type object".to_owned());
    }
    check_schema("input", &input)?;
    if let Some(output) = &found.output_schema {
        check_schema("output", &Value::Object((**output).clone()))?;
    }
    let hints = found.annotations.as_ref();
    let hint = |it: Option<bool>| it == Some(true);
    let says_read_only = hints.is_some_and(|it| hint(it.read_only_hint));
    // The server's own claim is enough here: it is the one that is asked twice.
    let is_repeatable = says_read_only || hints.is_some_and(|it| hint(it.idempotent_hint));
    let shown = shown_tool(&found, &server.name);
    let is_changed = server.shapes.changes(&server.name, &own_name, &shown) || is_changed;
    let is_believed = server.config.trust_hints.has(&own_name) && !is_changed;
    found.name = name.clone().into();
    let MetaObject(mut meta) = foreign(found.meta.take()).unwrap_or_default();
    meta.insert(SERVER_KEY.to_owned(), Value::from(&*server.name));
    found.meta = Some(MetaObject(meta.clone()));
    let listed = listed(&found);
    let tool = definition::Tool {
        name: name.into(),
        has_header_arguments: input.to_string().contains("x-mcp-header"),
        takes_unasked_answers: false,
        app: None,
        task: definition::TaskUse::Possible,
        audience: Audience::from_meta(&meta),
        // Without trusted hints, the worst is assumed.
        hints: Hints {
            read_only: says_read_only && is_believed,
            destructive: !(is_believed
                && (says_read_only || hints.and_then(|it| it.destructive_hint) == Some(false))),
            idempotent: is_believed && hint(hints.and_then(|it| it.idempotent_hint)),
            open_world: !(is_believed && hints.and_then(|it| it.open_world_hint) == Some(false)),
        },
        title: found.title,
        description: found.description.map(Cow::into_owned).unwrap_or_default(),
        input_schema: found.input_schema,
        output_schema: found.output_schema,
        meta,
        shown,
    };
    let server = server.clone();
    Ok(ServerTool {
        server,
        own_name,
        tool,
        listed,
        replaces,
        is_changed,
        is_believed,
        is_repeatable,
    })
}

/// `tool` as `server` describes it.
fn shown_tool(tool: &Tool, server: &str) -> Shown {
    let json = |it: &serde_json::Map<String, Value>| Value::Object(it.clone()).to_string();
    let texts = ToolTexts {
        title: tool.title.as_deref(),
        description: tool.description.as_deref().unwrap_or_default(),
        input_schema: json(&tool.input_schema),
        output_schema: tool.output_schema.as_deref().map(json),
        annotations: serde_json::to_string(&tool.annotations).unwrap_or_default(),
    };
    Shown::digests(&texts).with_owner(Owner::Server(server))
}

/// Checks a schema, because one invalid schema makes clients reject the whole list.
fn check_schema(what: &str, schema: &Value) -> Result<(), String> {
    jsonschema::meta::validate(schema).map_err(|error| {
        let why: String = error.to_string().chars().take(256).collect();
        format!("its {what} schema is no JSON Schema: {why}")
    })
}

/// `_meta` key of server details, which are ours for our clients.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// `meta` without what only we say.
pub(super) fn foreign(meta: Option<MetaObject>) -> Option<MetaObject> {
    let mut meta = meta?;
    meta.0.retain(|key, _| !key.starts_with(OURS) && key != SERVER_INFO);
    (!meta.0.is_empty()).then_some(meta)
}

/// Maximum number of remembered tool names per server. Others count as changed.
const NAMES_MAX: usize = 4_096;

/// First and last definition of each tool since start, by upstream name. A changed tool is logged and loses its
/// trust.
#[derive(Default)]
pub(super) struct Shapes(Mutex<HashMap<String, (Shown, Shown)>>);

impl Shapes {
    /// Whether `now` is another tool than the first of its name. A change since the last time is logged.
    pub(super) fn changes(&self, server: &str, tool: &str, now: &Shown) -> bool {
        let mut shapes = self.0.lock();
        let is_full = shapes.len() >= NAMES_MAX;
        let Some((first, last)) = shapes.get_mut(tool) else {
            if !is_full {
                shapes.insert(tool.to_owned(), (now.clone(), now.clone()));
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

    /// The tool may be another from now on: the operator has accepted that.
    pub(super) fn forget(&self, tool: &str) {
        self.0.lock().remove(tool);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(description: &str) -> Shown {
        let texts = ToolTexts {
            title: None,
            description,
            input_schema: String::new(),
            output_schema: None,
            annotations: String::new(),
        };
        Shown::digests(&texts).with_owner(Owner::Server("s"))
    }

    #[test]
    fn empty_cursor_ends_a_list() {
        assert_eq!(next_cursor(&json!({ "nextCursor": "2" })).as_deref(), Some("2"));
        for last in [json!({ "nextCursor": "" }), json!({ "nextCursor": null }), json!({})] {
            assert_eq!(next_cursor(&last), None, "{last}");
        }
    }

    #[test]
    fn trusts_again_only_the_first_seen_definition() {
        let shapes = Shapes::default();
        let is_changed = |tool: &str, texts: &str| shapes.changes("s", tool, &shown(texts));
        assert!(!is_changed("a", "Sends a letter."));
        assert!(is_changed("a", "Wires all money."));
        assert!(is_changed("a", "Wires all money."), "it is no habit");
        assert!(!is_changed("a", "Sends a letter."), "the one that was trusted");
        assert!(!is_changed("b", "Wires all money."), "each name for itself");
    }

    #[test]
    fn bounds_names_and_distrusts_those_beyond() {
        let shapes = Shapes::default();
        for at in 0..NAMES_MAX {
            assert!(!shapes.changes("s", &at.to_string(), &shown("x")));
        }
        assert!(shapes.changes("s", "one more", &shown("x")));
        assert!(!shapes.changes("s", "0", &shown("x")));
    }
}
