//! A call of a tool: its request, its notifications (progress and log lines), and its outcome.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::{EnumString, FromRepr, IntoStaticStr, VariantArray};
use tokio::sync::mpsc;

use crate::caller::Caller;

/// Bytes that a `traceparent` or `tracestate` may have; the W3C asks for 512 of the latter.
const HEADER_BYTES_MAX: usize = 512;

/// Numbers calls over all components.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// The number of the next call, by which errors, log, audit log and traces name it.
pub fn next_call_id() -> u64 {
    CALLS.fetch_add(1, Ordering::Relaxed)
}

/// The API by which a call arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Surface {
    /// `/mcp` or stdio, revision 2026-07-28 and later.
    Mcp,
    /// MCP in an earlier revision.
    #[strum(serialize = "mcp")]
    McpLegacy,
    /// The JSON-RPC endpoint `/rpc`.
    Rpc,
    /// An endpoint under `/api` that calls tools on its caller's behalf.
    Rest,
    /// The operator's listener.
    Operator,
    /// The server itself, for an agent that it plays.
    Agent,
    /// A component, on its caller's behalf.
    Component,
}

impl Surface {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// MCP's era, where it is MCP.
    pub fn era(self) -> Option<&'static str> {
        match self {
            Self::Mcp => Some("modern"),
            Self::McpLegacy => Some("legacy"),
            _ => None,
        }
    }
}

/// One round of a call as received.
#[derive(Clone)]
pub struct CallRequest {
    /// The name of the tool or the prompt, or the URI of the resource.
    pub name: String,
    /// The tool's or the prompt's arguments, a JSON object.
    pub arguments: String,
    /// The request's `_meta`, a JSON object.
    pub meta: String,
    pub caller: Caller,
    /// The client's answers of this round, by question key.
    pub responses: BTreeMap<String, Value>,
    /// The state that came with the questions.
    pub state: Option<String>,
    /// Destination of progress and log lines.
    pub notifications: Option<Notifications>,
    /// Is notified of pauses, where the call may outlive its client.
    pub pauses: Option<Arc<dyn Pauses>>,
    /// The API by which it arrived.
    pub surface: Surface,
    /// The caller's place in a trace, from the HTTP headers.
    pub trace: TraceHeaders,
    /// The component or assistant that made the call, if any.
    pub via: Via,
}

/// Is notified when a call pauses and resumes.
pub trait Pauses: Send + Sync {
    /// Maximum total wait. `None` leaves it to the component.
    fn wait_max(&self) -> Option<Duration>;

    /// The call has no instance now and will resume from the signed `state`, in any process. `None` if the state is
    /// too large to store.
    fn paused(&self, state: Option<String>) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// The call is about to resume.
    fn resumed(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The component or assistant behind a call.
#[derive(Clone, Default)]
pub struct Via {
    /// `assistant:NAME` or `component:NAME`.
    pub asked_by: Option<Arc<str>>,
    /// The approval with which it is made.
    pub approval: Option<Arc<str>>,
    /// The components of which calls of tools wait for this one, the outermost first.
    pub chain: Vec<Arc<str>>,
}

impl CallRequest {
    /// The first round of a call, by its caller themselves.
    pub fn new(
        name: String,
        arguments: String,
        (caller, surface): (Caller, Surface),
        trace: TraceHeaders,
    ) -> Self {
        Self {
            name,
            arguments,
            meta: "{}".to_owned(),
            caller,
            responses: BTreeMap::new(),
            state: None,
            notifications: None,
            pauses: None,
            surface,
            trace,
            via: Via::default(),
        }
    }

    /// Adds what the client returned from the previous round.
    pub fn carrying(
        self,
        responses: Option<BTreeMap<String, Value>>,
        state: Option<String>,
    ) -> Self {
        Self { responses: responses.unwrap_or_default(), state, ..self }
    }

    /// The next round, with the questions of the last one unanswered.
    pub fn unanswered(&self, state: &str) -> Self {
        let mut meta: Map<String, Value> = serde_json::from_str(&self.meta).unwrap_or_default();
        meta.insert("madoguchi/unanswered".to_owned(), true.into());
        let meta = Value::Object(meta).to_string();
        Self { meta, state: Some(state.to_owned()), ..self.next_round() }
    }

    /// The next round, without the first round's answers and state.
    pub fn next_round(&self) -> Self {
        let responses = BTreeMap::new();
        Self { responses, state: None, notifications: None, pauses: None, ..self.clone() }
    }
}

/// The outcome of a call, as one of a few fixed names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Ending {
    /// Returned an output.
    Done,
    /// Asked the user questions.
    Asked,
    /// The tool refused it, with a message of its own.
    Refused,
    /// The arguments did not fit.
    #[strum(serialize = "invalid_params")]
    InvalidArguments,
    /// The tool reports that it cannot be had now.
    Unavailable,
    LimitExceeded,
    /// The component trapped.
    Trapped,
    /// The component returned invalid output.
    Broken,
    /// All slots were taken and the queue was full.
    Busy,
    /// No component offers the tool.
    UnknownTool,
    /// No component offers the prompt or has the resource.
    NotFound,
    /// The caller's scopes do not reach so far.
    Forbidden,
    /// The answers carried along did not belong to the call.
    #[strum(serialize = "invalid_request_state")]
    InvalidState,
    /// The caller went away before the end.
    Cancelled,
}

impl Ending {
    /// Every ending there is, in the order of its numbers.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Its name in metrics and the audit log.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether something is wrong with the component or the host, rather than with the call.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            Self::Unavailable | Self::LimitExceeded | Self::Trapped | Self::Broken | Self::Busy
        )
    }

    /// Whether the call was turned away, before anything ran or by what ran.
    pub fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::Refused
                | Self::InvalidArguments
                | Self::Busy
                | Self::UnknownTool
                | Self::NotFound
                | Self::Forbidden
                | Self::InvalidState
        )
    }
}

/// The caller's place in a trace, from the request's headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TraceHeaders {
    #[serde(rename = "traceparent")]
    pub parent: Option<Box<str>>,
    #[serde(rename = "tracestate")]
    pub state: Option<Box<str>>,
}

impl TraceHeaders {
    /// Reads trace headers of an HTTP request. Most have none.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let text = |name| {
            let value = headers.get(name)?.to_str().ok()?;
            (value.len() <= HEADER_BYTES_MAX).then(|| value.into())
        };
        Self { parent: text("traceparent"), state: text("tracestate") }
    }

    /// Reads trace headers from `_meta`, which take precedence over HTTP headers.
    pub fn of_meta(meta: &str) -> Self {
        if !meta.contains("traceparent") {
            return Self::default();
        }
        let found: Self = serde_json::from_str(meta).unwrap_or_default();
        let short = |it: Option<Box<str>>| it.filter(|it| it.len() <= HEADER_BYTES_MAX);
        Self { parent: short(found.parent), state: short(found.state) }
    }
}

/// Destination and filter of a call's notifications.
#[derive(Clone)]
pub struct Notifications {
    pub sender: mpsc::Sender<Notification>,
    /// Whether the client wants to know how far along the call is.
    pub progress: bool,
    /// The least level of log lines that are sent; none sends no lines.
    pub log: Option<Level>,
}

/// One notification.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    Progress(Progress),
    Log(Line),
}

/// Progress of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Progress in a unit of the component's choice.
    pub progress: f64,
    /// Out of how much, if known.
    pub total: Option<f64>,
    /// Description of the current step.
    pub message: Option<String>,
}

/// A line of a component's log.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub level: Level,
    pub component: String,
    pub message: String,
    /// JSON, if the component keeps its promise.
    pub data: Option<String>,
}

/// Log levels of MCP and syslog.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, FromRepr, IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl Level {
    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Notifications {
    /// Whether lines of this level are wanted.
    pub fn wants(&self, level: Level) -> bool {
        self.log.is_some_and(|least| level >= least)
    }

    /// Never blocks: a slow caller misses notifications.
    pub fn send(&self, note: Notification) {
        let _ = self.sender.try_send(note);
    }
}

impl Line {
    /// The line as clients get it: the text, and what belongs to it where there is something.
    pub fn value(self) -> Value {
        match self.data.map(|it| serde_json::from_str::<Value>(&it)) {
            None => self.message.into(),
            Some(Ok(data)) => json!({ "message": self.message, "data": data }),
            // Data that is no JSON, perhaps because a limit has cut it off, is left out.
            Some(Err(_)) => self.message.into(),
        }
    }
}

// The error object of a failed call, the same for MCP and REST (SYS-8).

/// Bytes that a message may have: what quotes something longer is cut.
const MESSAGE_BYTES_MAX: usize = 4 << 10;
/// Maximum length of a code, in bytes.
const CODE_BYTES_MAX: usize = 256;

/// Code of invalid arguments, whose details are under `data` only.
pub const INVALID: &str = "invalid_params";

/// The member that marks what the host says.
const IS_HOSTS: &str = "isHosts";

/// `text`, cut where it is longer than `max` bytes.
pub fn shortened(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
    text
}

/// An error with its sources, each text once.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in std::iter::successors(Some(error), |it| it.source()).map(ToString::to_string) {
        if !texts.iter().any(|before| before.contains(&text)) {
            texts.push(text);
        }
    }
    texts.join(": ")
}

/// The error object `{error, message, status, data?}`, with scalar facts of `data` beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The code, for programs.
    pub error: String,
    /// The message, for people: what to do.
    pub message: String,
    /// The corresponding HTTP status.
    pub status: u16,
    /// More for programs: what the failure is about.
    pub data: Box<Map<String, Value>>,
    /// Whether the request itself was wrong, rather than what the tool found.
    pub is_protocol: bool,
    /// Whether the host says so, rather than the tool; unknown of failures that an earlier version has kept.
    #[serde(default)]
    pub is_hosts: bool,
}

impl Failure {
    pub fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        let message = shortened(message.into(), MESSAGE_BYTES_MAX);
        let error = shortened(error.to_owned(), CODE_BYTES_MAX);
        let data = Box::default();
        Self { error, message, status, data, is_protocol: false, is_hosts: true }
    }

    /// An invalid request; `message` says what is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(INVALID, 400, message)
    }

    /// Adds a fact.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Marks what the tool says itself.
    pub fn tools(self) -> Self {
        Self { is_hosts: false, ..self }
    }

    /// Marks the request itself as invalid.
    pub fn protocol(self) -> Self {
        Self { is_protocol: true, ..self }
    }

    /// The object as components receive it: also whether the host says so, which no fact of the tool can feign.
    pub fn object_for_components(&self) -> Map<String, Value> {
        let mut object = match self.object() {
            Value::Object(object) => object,
            _ => Map::new(),
        };
        object.remove(IS_HOSTS);
        if self.is_hosts {
            object.insert(IS_HOSTS.to_owned(), true.into());
        }
        object
    }

    /// Builds `{error, message, status, data?}`. Scalar facts are repeated beside them, as the specification requires
    /// (CONV-62).
    pub fn object(&self) -> Value {
        let mut object = Map::new();
        object.insert("error".to_owned(), self.error.as_str().into());
        object.insert("message".to_owned(), self.message.as_str().into());
        object.insert("status".to_owned(), self.status.into());
        if self.data.is_empty() {
            return Value::Object(object);
        }
        let is_plain = |it: &Value| !it.is_object() && !it.is_array();
        if self.error != INVALID {
            for (name, fact) in self.data.iter().filter(|it| is_plain(it.1) && it.0 != "data") {
                object.entry(name).or_insert_with(|| fact.clone());
            }
        }
        object.insert("data".to_owned(), Value::Object((*self.data).clone()));
        Value::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_log_lines_from_the_requested_level_only() {
        let (sender, _receiver) = mpsc::channel(1);
        let notifications = |log| Notifications { sender: sender.clone(), progress: false, log };
        assert!(notifications(Some(Level::Warning)).wants(Level::Warning));
        assert!(notifications(Some(Level::Warning)).wants(Level::Emergency));
        assert!(!notifications(Some(Level::Warning)).wants(Level::Notice));
        assert!(!notifications(None).wants(Level::Emergency));
    }

    #[test]
    fn parses_each_level_name() {
        for (name, level) in [
            ("debug", Level::Debug),
            ("info", Level::Info),
            ("notice", Level::Notice),
            ("warning", Level::Warning),
            ("error", Level::Error),
            ("critical", Level::Critical),
            ("alert", Level::Alert),
            ("emergency", Level::Emergency),
        ] {
            assert_eq!((Level::from_name(name), level.name()), (Some(level), name));
        }
        assert_eq!(Level::from_name("trace"), None);
    }

    #[test]
    fn line_has_text_and_fields() {
        let line = |data: Option<&str>| Line {
            level: Level::Info,
            component: "shop".to_owned(),
            message: "sold".to_owned(),
            data: data.map(str::to_owned),
        };
        assert_eq!(line(None).value(), "sold");
        assert_eq!(
            line(Some("{\"id\":1}")).value(),
            json!({ "message": "sold", "data": { "id": 1 } })
        );
        assert_eq!(line(Some("{\"id\":")).value(), "sold");
    }

    #[test]
    fn tool_cannot_speak_for_the_host() {
        let failure = || Failure::new("not_allowed", 403, "No.").with(IS_HOSTS, true);
        assert_eq!(failure().tools().object_for_components().get(IS_HOSTS), None);
        assert_eq!(failure().object_for_components()[IS_HOSTS], true);
        let kept = serde_json::to_value(failure()).unwrap();
        assert!(serde_json::from_value::<Failure>(kept.clone()).unwrap().is_hosts);
        let mut earlier = kept;
        earlier.as_object_mut().unwrap().remove("is_hosts");
        assert!(!serde_json::from_value::<Failure>(earlier).unwrap().is_hosts);
    }
}
