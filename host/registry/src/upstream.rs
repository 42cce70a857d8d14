//! Upstream MCP servers as the catalog and calls see them: their offers and requests. The crate `mcp` connects to them.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{Catalog, Registry};
use base::{call::Notifications, caller::Caller, toolsets::Owner, uri_template::UriTemplate};
use sandbox::{
    component::{CallError, Called, InputRequired},
    definition::{Resource, Tool},
};
use telemetry::metrics::Tally;

/// `_meta` keys of a tool's app in MCP Apps, current and old.
pub const UI_KEYS: [&str; 2] = ["ui", "ui/resourceUri"];

/// One upstream server, connected or not.
pub trait Upstream: Send + Sync {
    fn name(&self) -> &Arc<str>;

    /// Its name where components have theirs: in metrics, in the audit log, in sealed states.
    fn label(&self) -> &Arc<str>;

    fn tally(&self) -> &Tally;

    /// Why its tools cannot be called while it is away.
    fn unavailable(&self) -> CallError;

    /// Runs one round of a request with queueing, timeout and safe retries (ILL-12 to ILL-15).
    fn ask<'a>(&'a self, ask: &'a Ask, request: Request<'a>) -> Called<'a, Answer>;
}

/// A server's part of the catalog. Never changes: another list makes a new one.
pub struct Offer {
    pub server: Arc<dyn Upstream>,
    /// In the server's own order.
    pub tools: Vec<Arc<ServerTool>>,
    pub prompts: Vec<Arc<ServerPrompt>>,
    pub resources: Vec<Resource>,
    pub templates: Vec<ServerTemplate>,
    /// Differs where another list has other content.
    pub digest: String,
}

/// A tool of a server's.
pub struct ServerTool {
    pub server: Arc<dyn Upstream>,
    /// The name that the server knows.
    pub own_name: String,
    /// The offered tool. It counts as read-only only if the operator trusts the server's hints.
    pub tool: Tool,
    /// The listed tool as sent by the server, except name and owner.
    pub listed: Value,
    /// Whether it wins over a component's tool of its name.
    pub replaces: bool,
    /// Whether it is another than its server's first tool of that name.
    pub is_changed: bool,
    /// Whether its hints are trusted.
    pub is_believed: bool,
    /// Whether twice is the same as once.
    pub is_repeatable: bool,
}

impl ServerTool {
    /// The tool with its owner.
    pub fn offer(&self) -> (Owner<'_>, &Tool) {
        (Owner::Server(self.server.name()), &self.tool)
    }

    /// The `ui://` resource that is its app.
    pub fn app(&self) -> Option<&str> {
        let [ui, flat] = UI_KEYS.map(|it| self.tool.meta.get(it));
        let uri = ui.and_then(|it| it.get("resourceUri")).or(flat)?.as_str()?;
        uri.starts_with("ui://").then_some(uri)
    }

    /// Whether `caller` may see and call it.
    pub fn is_open_to(&self, caller: &Caller) -> bool {
        let (owner, tool) = self.offer();
        caller.may_call(owner, &tool.name, tool.hints)
    }
}

/// A prompt of a server's.
pub struct ServerPrompt {
    /// The name under which it is offered.
    pub name: String,
    /// The name that the server knows.
    pub own_name: String,
    /// The listed form.
    pub listed: Value,
}

/// A template of a server's.
pub struct ServerTemplate {
    /// The template as the server writes it.
    pub text: String,
    /// The listed form.
    pub listed: Value,
    /// The template for matching. `None` if invalid.
    pub uri: Option<UriTemplate>,
}

/// A request to an upstream server.
pub enum Ask {
    Tool(Arc<ServerTool>),
    Prompt(Arc<ServerPrompt>),
    /// A resource, by its URI.
    Resource(String),
    /// Completion of an argument of a prompt (by upstream name) or a template (by text). The arguments are
    /// `{argument, value, arguments}`.
    Complete(String),
}

impl Ask {
    /// Its name for callers.
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(it) => &it.tool.name,
            Self::Prompt(prompt) => &prompt.name,
            Self::Resource(name) | Self::Complete(name) => name,
        }
    }

    /// Whether twice is the same as once; only of tools is that to be doubted.
    pub fn is_repeatable(&self) -> bool {
        match self {
            Self::Tool(tool) => tool.is_repeatable,
            _ => true,
        }
    }
}

/// One round of a call to the server.
pub struct Request<'a> {
    /// The caller whose share it counts to, if known.
    pub owner: Option<Arc<str>>,
    /// The tool's or the prompt's arguments, a JSON object.
    pub arguments: &'a str,
    /// The caller's `_meta`, a JSON object.
    pub meta: &'a str,
    /// Capabilities of the caller's client, a JSON object.
    pub capabilities: &'a str,
    /// Answers to what the last round asked, and the server's own state.
    pub responses: BTreeMap<String, Value>,
    pub state: Option<String>,
    pub notifications: Option<Notifications>,
    pub traceparent: Option<String>,
}

/// The server's answer to one round.
pub enum Answer {
    Result(Passed),
    /// Questions to the user. `None` if they are unsupported or too large.
    InputRequired(Option<InputRequired>),
}

/// Another server's result, as it stands.
pub struct Passed {
    /// MCP's result, a JSON object.
    pub json: String,
    /// Whether the tool refused.
    pub is_refusal: bool,
}

/// Offers of all upstream servers.
#[derive(Clone, Default)]
pub struct Served {
    /// The offers, by the server's name.
    offers: BTreeMap<Arc<str>, Arc<Offer>>,
    /// Last offers of disconnected servers.
    away: BTreeMap<Arc<str>, Arc<Offer>>,
    /// The tools, by the name under which they are called.
    tools: BTreeMap<Arc<str>, Arc<ServerTool>>,
}

impl Served {
    /// The tools: servers by name, each server's tools in its own order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ServerTool>> {
        let all = self.offers.values().flat_map(|it| &it.tools);
        all.filter(|it| self.tool(&it.tool.name).is_some_and(|other| Arc::ptr_eq(it, other)))
    }

    /// The tool that is called by that name.
    pub fn tool(&self, name: &str) -> Option<&Arc<ServerTool>> {
        self.tools.get(name)
    }

    /// Finds a tool of a disconnected server.
    pub fn find_unavailable(&self, tool: &str) -> Option<&Arc<ServerTool>> {
        self.away.values().flat_map(|it| &it.tools).find(|it| *it.tool.name == *tool)
    }

    /// The server of a prompt of that name, or of a resource or template that it lists, where it is
    /// gone.
    pub fn find_unavailable_owner(&self, name: &str) -> Option<&Arc<dyn Upstream>> {
        let has = |it: &&Arc<Offer>| it.prompt(name).is_some() || it.has(name) || it.fits(name);
        self.away.values().find(has).map(|it| &it.server)
    }

    /// Offers with server names.
    pub fn offers(&self) -> impl Iterator<Item = &Arc<Offer>> {
        self.offers.values()
    }
}

impl Catalog {
    /// Settles which server is called by which name: a component wins over a server that does not
    /// replace it, and of two servers the first by name.
    pub(super) fn settle(&mut self) {
        self.served.tools.clear();
        for tool in self.served.offers.values().flat_map(|it| &it.tools) {
            let name = &tool.tool.name;
            if tool.replaces || !self.tools.contains_key(name) {
                self.served.tools.entry(name.clone()).or_insert_with(|| tool.clone());
            }
        }
    }

    /// The server's prompt of that name, where no component has one of it.
    pub fn served_prompt(&self, name: &str) -> Option<(&Arc<dyn Upstream>, &Arc<ServerPrompt>)> {
        if self.prompts.contains_key(name) {
            return None;
        }
        self.served.offers().find_map(|it| Some((&it.server, it.prompt(name)?)))
    }

    /// The server for `uri`, if no component has it: the first that lists it, else the first with a matching
    /// template.
    pub fn server_for_resource(&self, uri: &str) -> Option<&Arc<dyn Upstream>> {
        if self.component_for_resource(uri).is_some() {
            return None;
        }
        let listed = self.served.offers().find(|it| it.has(uri));
        listed.or_else(|| self.served.offers().find(|it| it.fits(uri))).map(|it| &it.server)
    }

    /// The server of that name, if it has `uri`.
    pub fn named_server_for(&self, name: &str, uri: &str) -> Option<&Arc<dyn Upstream>> {
        let offer = self.served.offers.get(name).filter(|it| it.has(uri) || it.fits(uri))?;
        Some(&offer.server)
    }

    /// The first server with the template that reads exactly so, where no component has it.
    pub fn server_for_template(&self, text: &str) -> Option<&Arc<dyn Upstream>> {
        if self.component_for_template(text).is_some() {
            return None;
        }
        let has_it = |it: &&Arc<Offer>| it.templates.iter().any(|it| it.text == text);
        self.served.offers().find(has_it).map(|it| &it.server)
    }

    /// Records which lists an offer changes.
    fn note_offer(&mut self, offer: &Offer) {
        let resources = !offer.resources.is_empty() || !offer.templates.is_empty();
        let changed = [!offer.tools.is_empty(), !offer.prompts.is_empty(), resources];
        self.changed.note(self.generation, changed);
    }
}

impl Registry {
    /// The digest of what the server of that name offers now.
    pub fn offered(&self, server: &str) -> Option<String> {
        self.catalog().served.offers.get(server).map(|it| it.digest.clone())
    }

    /// Puts `offer` in the place of what its server offered before; the tools that others hide.
    pub fn offer(&self, offer: Offer) -> Vec<Arc<str>> {
        let (server, offer) = (offer.server.name().clone(), Arc::new(offer));
        self.current.send_modify(|current| {
            let next = Arc::make_mut(current);
            next.generation += 1;
            next.served.away.remove(&server);
            if let Some(before) = next.served.offers.insert(server.clone(), offer.clone()) {
                next.note_offer(&before);
            }
            next.note_offer(&offer);
            next.settle();
        });
        let catalog = self.catalog();
        let is_hidden = |tool: &&Arc<ServerTool>| {
            !catalog.served.tool(&tool.tool.name).is_some_and(|other| Arc::ptr_eq(tool, other))
        };
        offer.tools.iter().filter(is_hidden).map(|it| it.tool.name.clone()).collect()
    }

    /// Takes what the server of that name offers away.
    pub fn withdraw(&self, server: &str) {
        self.current.send_if_modified(|current| {
            if !current.served.offers.contains_key(server) {
                return false;
            }
            let next = Arc::make_mut(current);
            next.generation += 1;
            if let Some(offer) = next.served.offers.remove(server) {
                next.note_offer(&offer);
                next.served.away.insert(server.into(), offer);
            }
            next.settle();
            true
        });
    }
}

impl Offer {
    fn prompt(&self, name: &str) -> Option<&Arc<ServerPrompt>> {
        self.prompts.iter().find(|it| it.name == name)
    }

    /// Whether it lists `uri`, or one of its tools has it as app, which need not be listed.
    fn has(&self, uri: &str) -> bool {
        self.resources.iter().any(|it| *it.uri == *uri)
            || self.tools.iter().any(|it| it.app() == Some(uri))
    }

    /// Whether one of its templates fits; one that we cannot read fits nothing.
    fn fits(&self, uri: &str) -> bool {
        let mut templates = self.templates.iter().filter_map(|it| it.uri.as_ref());
        templates.any(|it| it.matches(uri))
    }
}
