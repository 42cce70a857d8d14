//! Reads the lists of an upstream server page by page, within limits, and decides what is offered under which name.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use base::{
    clean,
    config::servers::Changed,
    toolsets::{Owner, is_name},
    uri_template::UriTemplate,
};
use parking_lot::Mutex;
use registry::{
    difference::{Difference, Kind, Surface, between},
    upstream::{Offer, ServerPrompt, ServerTemplate, ServerTool, UI_KEYS},
};
use rmcp::{
    Peer, RoleClient,
    model::{
        ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
        ListToolsRequest, MetaObject, PaginatedRequestParams, Prompt, Resource, ResourceTemplate,
        Tool,
    },
};
use sandbox::definition::{self, Audience, Hints, Shown, ToolTexts};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use store::{digest::digest, private};

use super::{Server, limited::MISSHAPEN, post::Failed};
use crate::wire;

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

// Pinned tool definitions of an upstream server, as first seen or approved by the operator. What a model reads of a
// tool does not change by itself.

/// Maximum number of stored definitions per server, including removed tools.
const PINS_MAX: usize = 2_048;
/// Bytes of all definitions that are kept, and of the file that has them.
const KEPT_BYTES_MAX: usize = 24 << 20;
const BYTES_MAX: u64 = 32 << 20;

/// The pins of one server, in a file of their own.
pub(super) struct Pins {
    name: String,
    path: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Whether its list has been seen. Later tools are new.
    is_seen: bool,
    /// Tools by upstream name.
    tools: BTreeMap<String, Pin>,
    /// Whether the file is there and cannot be read.
    #[serde(skip)]
    is_unreadable: bool,
}

/// One tool.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Pin {
    /// Offered definition in MCP format. `None` if never offered.
    pinned: Option<Value>,
    /// Changed definition that waits for the operator.
    waiting: Option<Value>,
    /// The digest of the one that the operator did not want.
    refused: Option<String>,
}

/// A tool whose definition waits for the operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingTool {
    /// The name that the server knows.
    pub tool: String,
    /// Tells this definition from any other.
    pub digest: String,
    /// Differences from the pinned definition.
    pub differences: Vec<Difference>,
    /// Pinned definition in MCP format, or null for a new tool.
    pub pinned: Value,
    /// Current definition.
    pub waiting: Value,
}

/// Decision on a listed tool.
pub(super) enum Settled {
    /// Offered. `is_changed` marks a differing definition at its server.
    Offered { tool: Box<Tool>, is_changed: bool },
    /// Not offered, with the reason.
    Stopped(&'static str),
}

impl Pins {
    /// Opens pins of the server `name` in `folder`. If the file is unreadable, nothing is offered.
    pub(super) fn open(folder: &Path, name: &str) -> Self {
        let path = folder.join(format!("{name}.json"));
        let kept = Kept::read(&path).unwrap_or_else(|error| {
            let path = path.display();
            tracing::error!("{path}: {error}; no tool of the server {name} is offered: put the file back from a backup, or remove it to pin the tools as they are now");
            Kept { is_unreadable: true, ..Kept::default() }
        });
        Self { name: name.to_owned(), path, kept: Mutex::new(kept) }
    }

    /// Decides on each listed tool, in order.
    pub(super) fn settle(&self, tools: Vec<Tool>, changed: Changed) -> Vec<(String, Settled)> {
        let mut kept = self.kept.lock();
        if kept.is_unreadable {
            let stopped = |it: Tool| (it.name.to_string(), Settled::Stopped(UNREADABLE));
            return tools.into_iter().map(stopped).collect();
        }
        let is_first = !std::mem::replace(&mut kept.is_seen, true);
        let mut is_touched = is_first;
        // Counted over all stored ones, only on changes.
        let mut bytes: Option<usize> = None;
        let mut settled = Vec::with_capacity(tools.len());
        for tool in tools {
            let name = tool.name.to_string();
            if kept.tools.len() >= PINS_MAX && !kept.tools.contains_key(&name) {
                settled.push((name, Settled::Stopped(TOO_MANY)));
                continue;
            }
            let pin = kept.tools.entry(name.clone()).or_default();
            let before = pin.clone();
            let is = pin.settle(tool, is_first, changed);
            let waits_anew = pin.waiting.is_some() && pin.waiting != before.waiting;
            if *pin != before {
                let (was, own) = (before.bytes(), pin.bytes());
                let now = match bytes {
                    Some(bytes) => bytes - was + own,
                    None => kept.tools.values().map(Pin::bytes).sum(),
                };
                if now > KEPT_BYTES_MAX && own > was {
                    match before == Pin::default() {
                        true => kept.tools.remove(&name),
                        false => kept.tools.insert(name.clone(), before),
                    };
                    bytes = Some(now - own + was);
                    settled.push((name, Settled::Stopped(TOO_MANY)));
                    continue;
                }
                (bytes, is_touched) = (Some(now), true);
            }
            if waits_anew {
                tracing::warn!(target: "server", server = &*self.name, tool = &*name, "a tool's definition waits for the operator; `madoguchi accept server:NAME --show` shows it");
            }
            settled.push((name, is));
        }
        if is_touched {
            self.write(&kept);
        }
        settled
    }

    /// Tools with waiting definitions.
    pub(super) fn waiting(&self) -> Vec<WaitingTool> {
        let kept = self.kept.lock();
        kept.tools.iter().filter_map(|(name, pin)| pin.report(name)).collect()
    }

    /// Number of pinned tools.
    pub(super) fn count(&self) -> usize {
        self.kept.lock().tools.values().filter(|it| it.pinned.is_some()).count()
    }

    /// Takes, or turns down, the definitions of those digests that wait for those tools; or all that wait. The tools
    /// that it did so of.
    pub(super) fn decide(
        &self,
        tools: Option<&[(String, String)]>,
        is_accepted: bool,
    ) -> Vec<String> {
        let mut kept = self.kept.lock();
        let waits = |(tool, digest): &(String, String)| {
            let waiting = kept.tools.get(tool).and_then(|it| it.waiting.as_ref());
            waiting.is_some_and(|it| digest_of(it) == *digest)
        };
        // All that were looked at, or none.
        if !tools.is_none_or(|it| it.iter().all(waits)) {
            return Vec::new();
        }
        let mut decided = Vec::new();
        for (name, pin) in &mut kept.tools {
            let Some(waiting) = pin.waiting.take() else { continue };
            let digest = digest_of(&waiting);
            let is_it = |it: &(String, String)| it.0 == *name && it.1 == digest;
            if !tools.is_none_or(|it| it.iter().any(is_it)) {
                pin.waiting = Some(waiting);
                continue;
            }
            if is_accepted {
                (pin.pinned, pin.refused) = (Some(waiting), None);
            } else {
                pin.refused = Some(digest);
            }
            decided.push(name.clone());
        }
        if !decided.is_empty() {
            self.write(&kept);
        }
        decided
    }

    fn write(&self, kept: &Kept) {
        let write = || {
            private::make_folder(self.path.parent().unwrap_or(&self.path))?;
            private::write(&self.path, &serde_json::to_vec(kept)?)
        };
        if let Err(error) = write() {
            let path = self.path.display();
            tracing::error!(
                "{path}: {error}; after a restart a tool that has changed may be taken for the one that was pinned"
            );
        }
    }
}

impl Kept {
    fn read(path: &Path) -> io::Result<Self> {
        match private::if_exists(fs::metadata(path))? {
            None => Ok(Self::default()),
            Some(it) if it.len() > BYTES_MAX => Err(io::Error::other("it is too big")),
            Some(_) => Ok(serde_json::from_slice(&fs::read(path)?)?),
        }
    }
}

impl Pin {
    /// Bytes of its definitions as JSON.
    fn bytes(&self) -> usize {
        [&self.pinned, &self.waiting].into_iter().flatten().map(|it| it.to_string().len()).sum()
    }

    /// Decides on `tool`. `is_first` marks the first list of the server.
    fn settle(&mut self, tool: Tool, is_first: bool, changed: Changed) -> Settled {
        let now = serde_json::to_value(&tool).unwrap_or_default();
        let offered = |tool| Settled::Offered { tool: Box::new(tool), is_changed: false };
        let is_same = self.pinned.as_ref().is_some_and(|it| digest_of(it) == digest_of(&now));
        let is_new = self.pinned.is_none();
        let is_taken =
            is_same || changed == Changed::Take || is_new && (is_first || changed != Changed::Stop);
        if is_taken {
            (self.pinned, self.waiting) = (Some(now), None);
            return offered(tool);
        }
        let is_refused = self.refused.as_ref() == Some(&digest_of(&now));
        self.waiting = (!is_refused).then_some(now);
        let pinned = self.pinned.clone().and_then(|it| serde_json::from_value(it).ok());
        match pinned {
            Some(tool) if changed == Changed::Keep => {
                Settled::Offered { tool: Box::new(tool), is_changed: true }
            }
            Some(_) => {
                Settled::Stopped("its definition has changed, and the operator has not accepted it")
            }
            None => Settled::Stopped("it is new, and the operator has not accepted it"),
        }
    }

    fn report(&self, name: &str) -> Option<WaitingTool> {
        let waiting = self.waiting.clone()?;
        let pinned = self.pinned.clone().unwrap_or_default();
        Some(WaitingTool {
            tool: name.to_owned(),
            digest: digest_of(&waiting),
            differences: differences(name, &pinned, &waiting),
            pinned,
            waiting,
        })
    }
}

/// Parts of a definition that models read or that are trusted.
const PARTS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/// Digest of these parts and the app metadata.
fn digest_of(tool: &Value) -> String {
    let ui = ui_of(tool);
    let ui = ui.as_array().is_some_and(|it| it.iter().any(|it| !it.is_null())).then_some(ui);
    let mut parts: Value = PARTS.iter().map(|it| tool[*it].clone()).chain(ui).collect();
    parts.sort_all_objects();
    digest(parts.to_string().as_bytes())
}

/// App metadata: its URI and visibility.
fn ui_of(tool: &Value) -> Value {
    UI_KEYS.iter().map(|it| tool["_meta"][*it].clone()).collect()
}

fn differences(name: &str, pinned: &Value, waiting: &Value) -> Vec<Difference> {
    let surface = |value: &Value| Surface {
        kind: Kind::Tool,
        name: name.to_owned(),
        description: value["description"].as_str().unwrap_or_default().to_owned(),
        input: value["inputSchema"].clone(),
        output: value.get("outputSchema").cloned(),
        said: None,
    };
    let before: Vec<_> = (!pinned.is_null()).then(|| surface(pinned)).into_iter().collect();
    let mut found = between(&before, &[surface(waiting)]);
    for (is_same, what) in [
        (pinned["title"] == waiting["title"], "its title changed"),
        (
            pinned["annotations"] == waiting["annotations"],
            "its annotations changed: what it says that a call does to the world",
        ),
        (
            ui_of(pinned) == ui_of(waiting),
            "its _meta.ui changed: its app, or whether models or apps may call it",
        ),
    ] {
        if !pinned.is_null() && !is_same {
            found.push(Difference {
                tool: name.to_owned(),
                what: what.to_owned(),
                is_breaking: false,
            });
        }
    }
    found
}

/// Why no tool is offered.
const UNREADABLE: &str = "what was pinned of this server cannot be read; the log says which file";
/// Why a tool is not offered that is one too many.
const TOO_MANY: &str = "too many tools of this server have been seen; remove its file under DATA/pins to forget those that are gone";

#[cfg(test)]
mod tests;
