//! Other MCP servers, as the catalog and the calls know them: what they offer, and what can be asked of them. How they
//! are reached is `mcp`'s.

use std::{collections::BTreeMap, sync::Arc};

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use base::{caller::Caller, notes::Notes, tool_set::Owner, uri_template::UriTemplate};
use sandbox::{
    component::{CallError, InputRequired},
    definition::{Audience, Shown},
};
use telemetry::tally::Tally;

/// One server, whether it is there or not.
pub trait Upstream: Send + Sync {
    fn name(&self) -> &Arc<str>;

    /// Its name where components have theirs: in metrics, in the audit log, in sealed states.
    fn label(&self) -> &Arc<str>;

    fn tally(&self) -> &Tally;

    /// Why its tools cannot be called while it is away.
    fn away(&self) -> CallError;

    /// One round of a request (ILL-12 to ILL-15): in turn, within its time, tried again where that can do no harm.
    fn ask<'a>(
        &'a self,
        ask: &'a Ask,
        request: Request<'a>,
    ) -> BoxFuture<'a, Result<Answer, CallError>>;
}

/// Where what servers offer is put for callers to find.
pub trait Counter: Send + Sync {
    /// The digest of what the server of that name offers now.
    fn offered(&self, server: &str) -> Option<String>;

    /// Puts `offer` in the place of what its server offered before; the tools that others hide.
    fn offer(&self, offer: Offer) -> Vec<Arc<str>>;

    /// Takes what the server of that name offers away.
    fn withdraw(&self, server: &str);
}

/// A server's part of the catalog. Never changes: another list makes a new one.
pub struct Offer {
    pub server: Arc<dyn Upstream>,
    /// In the server's own order.
    pub tools: Vec<Arc<ServerTool>>,
    pub prompts: Vec<Arc<ServerPrompt>>,
    pub resources: Vec<ServerResource>,
    pub templates: Vec<ServerTemplate>,
    /// Tells whether another list says the same.
    pub digest: String,
}

/// A tool of a server's.
pub struct ServerTool {
    pub server: Arc<dyn Upstream>,
    /// The name under which it is offered.
    pub name: Arc<str>,
    /// The name that the server knows.
    pub own_name: String,
    /// As it is listed, in MCP's words: everything as the server says it, but for its name and where it is from.
    pub listed: Value,
    pub input_schema: Arc<Map<String, Value>>,
    /// Whether it wins over a component's tool of its name.
    pub replaces: bool,
    /// Whether it changes nothing: its server says so, and the operator believes it.
    pub is_read_only: bool,
    /// Whether it is another than its server's first tool of that name.
    pub is_changed: bool,
    /// What it says of itself.
    pub shown: Arc<Shown>,
    /// Whether twice is the same as once.
    pub is_repeatable: bool,
    /// Whether clients tell some of its arguments in headers too (`x-mcp-header`).
    pub has_header_arguments: bool,
}

impl ServerTool {
    /// Whether `caller` may see and call it.
    pub fn is_open_to(&self, caller: &Caller) -> bool {
        caller.may_call(Owner::Server(self.server.name()), &self.name, self.is_read_only)
    }

    /// Whom it is for, where it says so.
    pub fn audience(&self) -> Option<Audience> {
        self.listed["_meta"].as_object().map(Audience::of)
    }
}

/// A prompt of a server's.
pub struct ServerPrompt {
    /// The name under which it is offered.
    pub name: String,
    /// The name that the server knows.
    pub own_name: String,
    /// As it is listed.
    pub listed: Value,
}

/// A resource of a server's.
pub struct ServerResource {
    pub uri: String,
    /// As it is listed.
    pub listed: Value,
}

/// A template of a server's.
pub struct ServerTemplate {
    /// As the server writes it.
    pub text: String,
    /// As it is listed.
    pub listed: Value,
    /// The same to be held against URIs; none where it is of a kind that we do not know.
    pub uri: Option<UriTemplate>,
}

/// What is asked.
pub enum Ask {
    Tool(Arc<ServerTool>),
    Prompt(Arc<ServerPrompt>),
    /// By its URI.
    Resource(String),
    /// How the value of an argument may go on: of a prompt, by the name that the server knows, or of
    /// a template, by its text. The arguments are `{argument, value, arguments}`.
    Complete(String),
}

impl Ask {
    /// As its caller knows it.
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.name,
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

/// One round of a call, as the server gets it.
pub struct Request<'a> {
    /// A JSON object.
    pub arguments: &'a str,
    /// The caller's `_meta`, a JSON object.
    pub meta: &'a str,
    /// What the caller's client can do, a JSON object.
    pub capabilities: &'a str,
    /// Answers to what the last round asked, and the server's own state.
    pub responses: BTreeMap<String, Value>,
    pub state: Option<String>,
    pub notes: Option<Notes>,
    pub traceparent: Option<String>,
}

/// What a server answered.
pub enum Answer {
    Result(Passed),
    /// Questions to the user; none where it asks in a way that is not known, or too much.
    Asked(Option<InputRequired>),
}

/// Another server's result, as it stands.
pub struct Passed {
    /// MCP's object.
    pub json: String,
    /// Whether it says that the tool refused.
    pub is_refusal: bool,
}
