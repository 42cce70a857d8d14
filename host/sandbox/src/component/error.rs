//! Errors of loading and calling a component, and the limit that ended a guest, as read from wasmtime's error.

use std::{path::Path, sync::Arc};

use base::{
    call::{Failure, shortened},
    config::Reason,
    grants, settings,
};
use futures::future::BoxFuture;
use serde_json::json;
use store::database;
use wasmtime::{Trap, WasmBacktrace, component::ResourceTableError};

use super::{Problem, Stop};
use crate::{
    definition::{OfferError, Rewording},
    lines::Place,
};

/// Why a component could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read or written.
    #[error("the file cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// Invalid for this host.
    #[error("it is not a WebAssembly component that this host can compile: {0:#}")]
    Compile(wasmtime::Error),
    /// Compilation exceeds a limit.
    #[error("it exceeds {limit}: {what}; see [sandbox] in the configuration")]
    TooMuch {
        /// Name of the limit in the configuration.
        limit: &'static str,
        /// The amount that was found.
        what: String,
    },
    /// Imports without a grant.
    #[error(transparent)]
    Refused(#[from] grants::Refused),
    /// Does not fit the contract.
    #[error("it does not fit the contract madoguchi:tool: {0:#}")]
    Link(wasmtime::Error),
    /// Failed to describe itself.
    #[error("it does not describe itself: {}", brief(.0))]
    Describe(CallError),
    /// A component of another host without usable functions.
    #[error(
        "it neither exports madoguchi:tool/tools nor a function that can be a tool: {0}; in Rust, toolkit::export_tools!(…) exports the tools that it names, and `madoguchi wit` shows the contract"
    )]
    NoFunction(String),
    /// No instance of it can be made.
    #[error("it does not start: {}", brief(.0))]
    Start(CallError),
    /// Its stubs could not be linked.
    #[error("its stubs: {0:#}")]
    Stubs(wasmtime::Error),
    /// An invalid tool, prompt, resource or template.
    #[error(transparent)]
    Offer(#[from] OfferError),
    /// Its database cannot be opened.
    #[error("its database: {0}")]
    Database(#[from] database::OpenError),
    /// Its database can be read and not written.
    #[error(
        "its database can only be read, for the disk of the data folder takes nothing: make room there. What changes something is answered `unavailable` until then"
    )]
    Frozen,
    /// Its database cannot be brought to its shape.
    #[error("its migrations: {0}")]
    Migrate(database::MigrateError),
    /// A setting cannot be read.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
    /// A secret for one of its hosts cannot be used.
    #[error(transparent)]
    Secret(#[from] grants::hosts::SecretError),
    /// A file or a folder that it is granted cannot be opened.
    #[error(transparent)]
    HostResources(#[from] crate::capability::host_resources::HostResourcesError),
    /// Rejected its settings.
    #[error("it does not accept its settings: {}", problems(.0))]
    Configure(Vec<Problem>),
    /// An example of its own does not hold.
    #[error("its example {name:?} does not hold: {found}")]
    Example {
        /// The name of the example.
        name: String,
        /// The actual value.
        found: String,
    },
    /// Needs more grants than the version before.
    #[error(
        "it wants {}, which generation {before} did not need; to let it, run: madoguchi accept {component}",
        imports(.wanted)
    )]
    Greedier {
        /// The component's name.
        component: String,
        /// The number of the generation that serves.
        before: u64,
        /// The grants that are new, each with the import that needs it.
        wanted: Vec<(grants::Grant, String)>,
    },
    /// Asks for grants that the operator has not accepted.
    #[error("it waits to be allowed, with: madoguchi accept {component}; {}", sentences(.asked))]
    Asks {
        /// The component's name.
        component: String,
        /// What it asks for.
        asked: Vec<Reason>,
    },
    /// Any other message: limits, exports, environment, resources, routes, a damaged database, or disagreeing nodes.
    #[error("{0}")]
    Other(String),
    /// The nodes on one database could not be asked.
    #[error("{0}")]
    Unreached(String),
    /// The grants that it asks for cannot be given.
    #[error("its defaults.toml, the section madoguchi:defaults, cannot be used: {0}")]
    Unusable(String),
    /// Calls that fitted the version before it may fail with this one.
    #[error(
        "it breaks callers of generation {before}: {}; to let it all the same, run: madoguchi accept {component}",
        sentences(.breaks)
    )]
    Breaking {
        /// The component's name.
        component: String,
        /// The number of the generation that serves.
        before: u64,
        /// The breaking differences.
        breaks: Vec<Reason>,
    },
    /// A model would read something else of it.
    #[error(
        "models would read something else of it than of generation {before}: {}; to let it, run: madoguchi accept {component}",
        listed(.rewordings)
    )]
    Reworded {
        /// The component's name.
        component: String,
        /// The number of the generation that serves.
        before: u64,
        /// Old and new definitions.
        rewordings: Vec<Rewording>,
    },
    /// A build that was rolled back or rejected.
    #[error(
        "it was generation {number}, which was {status}; to try it again, run: madoguchi rollback {component} --to {number}; or put another build in its place"
    )]
    Rejected {
        /// The component's name.
        component: String,
        /// The generation that it was.
        number: u64,
        /// Status of that revision.
        status: super::Status,
    },
    /// The operator looked at it and did not want it.
    #[error(
        "the operator refused this build; to have it all the same, run: madoguchi load FILE --name {component}; or put another build in its place"
    )]
    Unwanted {
        /// The component's name.
        component: String,
    },
    /// Another component offers one of its tools, prompts or resources.
    #[error(transparent)]
    NameClash(#[from] NameClash),
}

impl LoadError {
    /// Whether the operator's approval lets the build serve.
    pub fn waits_for_leave(&self) -> bool {
        matches!(
            self,
            Self::Greedier { .. }
                | Self::Breaking { .. }
                | Self::Reworded { .. }
                | Self::Asks { .. }
        )
    }

    /// Why the operator's approval is needed, point by point; nothing where it would not help.
    pub fn reasons(&self) -> Vec<Reason> {
        match self {
            Self::Asks { asked, .. } => asked.clone(),
            Self::Breaking { breaks, .. } => breaks.clone(),
            Self::Greedier { before, wanted, .. } => {
                let reason = |(grant, import): &(grants::Grant, String)| {
                    let text = format!("it wants {grant} ({import})");
                    Reason::new("new_grant", &[grant, before], text)
                };
                wanted.iter().map(reason).collect()
            }
            Self::Reworded { before, rewordings, .. } => {
                let reason = |rewording: &Rewording| {
                    Reason::new("reworded", &[&rewording.of, before], rewording.to_string())
                };
                rewordings.iter().map(reason).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The file or folder that the message names, where it names one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Settings(
                settings::SettingsError::Read { path, .. }
                | settings::SettingsError::Json { path, .. },
            ) => Some(path),
            Self::Secret(it) => it.file.as_deref(),
            Self::HostResources(it) => Some(&it.path),
            _ => None,
        }
    }
}

/// Lists new grants in one line.
fn imports(wanted: &[(grants::Grant, String)]) -> String {
    let all: Vec<_> = wanted.iter().map(|(grant, import)| format!("{grant} ({import})")).collect();
    all.join(", ")
}

/// Lists reasons in one line.
fn sentences(reasons: &[Reason]) -> String {
    let all: Vec<_> = reasons.iter().map(|it| it.text.as_str()).collect();
    all.join("; ")
}

/// Lists rewordings in one line.
fn listed(rewordings: &[Rewording]) -> String {
    let all: Vec<_> = rewordings.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// Future result of a call.
pub type Called<'a, T> = BoxFuture<'a, Result<T, CallError>>;

/// Why a call brought no output.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No component offers the tool.
    #[error("unknown tool {tool:?}")]
    UnknownTool {
        /// The name that was asked for.
        tool: String,
        /// Similar tool names.
        similar: Vec<String>,
    },
    /// No component offers the prompt.
    #[error("unknown prompt {name:?}")]
    UnknownPrompt {
        /// The name that was asked for.
        name: String,
    },
    /// No component has the resource, or its component knows nothing of it.
    #[error("unknown resource {uri:?}")]
    UnknownResource {
        /// The URI that was asked for.
        uri: String,
    },
    /// The caller's scopes do not reach so far.
    #[error("the scope {scope} is missing")]
    Forbidden {
        /// The scope that would let them.
        scope: String,
    },
    /// The answers carried along do not belong to this call.
    #[error("{0}")]
    State(#[from] StateError),
    /// The tool stopped with a message for the caller to read.
    #[error("stopped: {0:?}")]
    Stopped(Stop),
    /// The component broke its contract: for the log, never for the caller.
    #[error("{component} trapped in call {call_id}{}: {source:#}", at(.places))]
    Trapped {
        /// The component that trapped.
        component: Arc<str>,
        /// Call number in the log.
        call_id: u64,
        /// The error with its backtrace.
        source: wasmtime::Error,
        /// Source locations, innermost first, if known.
        places: Vec<Place>,
    },
    /// The component returned invalid output.
    #[error("{component} broke its contract in call {call_id}: {what}")]
    Broken {
        /// The component that broke it.
        component: Arc<str>,
        /// Call number in the log.
        call_id: u64,
        /// What was invalid, and what is allowed.
        what: String,
    },
    /// The call exceeded a limit.
    #[error("{component} exceeded {limit} in call {call_id}")]
    LimitExceeded {
        /// The component that exceeded it.
        component: Arc<str>,
        /// Call number in the log.
        call_id: u64,
        /// Name of the limit in the configuration.
        limit: &'static str,
    },
    /// The component rejected its settings at startup and serves nothing.
    #[error("the settings of {component} are refused")]
    SettingsRefused {
        /// The component's name.
        component: Arc<str>,
    },
    /// All slots are taken, and the queue is full or stuck.
    #[error("{component} is busy")]
    Busy {
        /// The component's name.
        component: Arc<str>,
        /// Estimated wait in milliseconds.
        retry_after_ms: u64,
    },
}

/// ` at FILE:LINE, from FILE:LINE …`; nothing where no place is known.
fn at(places: &[Place]) -> String {
    let each: Vec<_> = places.iter().map(ToString::to_string).collect();
    if each.is_empty() { String::new() } else { format!(" at {}", each.join(", from ")) }
}

/// `error` in one line, without the engine's backtrace. What the component says itself is for the log alone.
fn brief(error: &CallError) -> String {
    let trapped =
        |it| format!("it trapped: {it}; `madoguchi inspect FILE` shows what it says then");
    error.trap().map_or_else(|| error.to_string(), trapped)
}

/// `problems` in one line, for a log.
fn problems(problems: &[Problem]) -> String {
    let each = problems.iter().map(|problem| match problem.pointer.as_str() {
        "" => problem.message.clone(),
        pointer => format!("{pointer}: {}", problem.message),
    });
    each.collect::<Vec<_>>().join("; ")
}

/// Two components offer the same.
#[derive(Debug, thiserror::Error)]
#[error(
    "it offers the {what} {name}, which component {incumbent} offers already; rename one, {how}or take one of the two out of the component folder"
)]
pub struct NameClash {
    /// A tool, a prompt, a resource or a template.
    pub what: &'static str,
    /// Its name, or its URI.
    pub name: Arc<str>,
    /// The component that offered it first.
    pub incumbent: Arc<str>,
    /// How the operator can rename one, if possible.
    pub how: &'static str,
}

impl CallError {
    /// Reason and location of a trap in one line. `None` for other errors.
    pub fn trap(&self) -> Option<String> {
        let Self::Trapped { source, places, .. } = self else { return None };
        Some(format!("{}{}", source.root_cause(), at(places)))
    }

    /// Names an exceeded deadline `named`.
    pub(super) fn of_deadline(mut self, named: &'static str) -> Self {
        if let Self::LimitExceeded { limit, .. } = &mut self
            && *limit == "deadline_ms"
        {
            *limit = named;
        }
        self
    }
}

/// Why a state does not belong to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Forged or changed.
    #[error(
        "requestState: not one that this server gave out; send it back unchanged, or call again without it"
    )]
    Forged,
    /// Too much time has passed.
    #[error("requestState: it has expired; call again without it to be asked again")]
    Expired,
    /// Issued for another call.
    #[error(
        "requestState: it belongs to another call; send the same name and arguments as before, or call again without it"
    )]
    Foreign,
    /// The call that it belongs to has ended, or another round of it runs.
    #[error("requestState: it has been answered and used; call again without it to be asked again")]
    Replayed,
    /// There are answers without it.
    #[error("inputResponses: they need the requestState that came with the questions")]
    Missing,
    /// Invalid answers.
    #[error(
        "inputResponses: each must be an answer, whose action is accept, decline or cancel and whose content is an object, or a result with role and content or with roots"
    )]
    NoAnswer,
}

/// Addresses of a stack overflow: a stack that grows below 16 MiB wraps around zero, with an instruction's offset
/// added.
const BELOW_ZERO: std::ops::Range<u64> = 0xff00_0000..0x1_0100_0000;
/// Repetitions of a function in a backtrace that count as recursion.
const RECURSION: usize = 8;
/// Texts of wasmtime errors without a public type. A test checks each.
const TEXT: [(&str, &str); 6] = [
    ("resource limit exceeded: instance count", "core_instances_max"),
    ("resource limit exceeded: memory count", "memories_max"),
    ("resource limit exceeded: table count", "tables_max"),
    ("fuel allocated for hostcalls has been exhausted", "output_bytes_max"),
    ("store handle limit exceeded", "handles_max"),
    // Requests for too many random bytes.
    ("requested len", "output_bytes_max"),
];

/// The limit that `error` names, where that is certain.
pub(super) fn limit_of(error: &wasmtime::Error) -> Option<&'static str> {
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => return Some("stack_bytes_max"),
        Some(Trap::MemoryOutOfBounds) => return shadow_stack(error),
        Some(_) => return None,
        None => {}
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref() {
        return Some("handles_max");
    }
    let of = |text: &str| TEXT.iter().find(|(it, _)| text.contains(it)).map(|(_, limit)| *limit);
    error.chain().find_map(|it| of(&it.to_string()))
}

/// Rust and C keep addressable locals on a stack of their own at the bottom of the memory. Running
/// out of it is an access below zero, which a stray pointer may be too: it is called a stack only
/// where the backtrace shows a recursion as well. Where the engine does not say the address, as for
/// what fills or copies memory, it shows nothing else.
fn shadow_stack(error: &wasmtime::Error) -> Option<&'static str> {
    let address = error.chain().find_map(|it| address(&it.to_string()));
    let frames = error.downcast_ref::<WasmBacktrace>()?.frames();
    let last = frames.first()?.func_index();
    let times = frames.iter().filter(|it| it.func_index() == last).count();
    let is_below = address.map_or(times == frames.len(), |it| BELOW_ZERO.contains(&it));
    (is_below && times >= RECURSION).then_some("stack_bytes_max")
}

/// `memory fault at wasm address 0x… in linear memory of size 0x…`
fn address(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("memory fault at wasm address 0x")?;
    let digits = rest.split(|it: char| !it.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

// The error object of a failed component call.

/// Bytes that one of several problems may have, and the place where it is; and how many are reported.
const PROBLEM_BYTES_MAX: usize = 1 << 10;
const POINTER_BYTES_MAX: usize = 256;
const PROBLEMS_MAX: usize = 1_000;

impl From<CallError> for Failure {
    /// Faults of the component are logged in full; callers get the call number only.
    fn from(error: CallError) -> Self {
        let log = error.to_string();
        match error {
            CallError::Stopped(stop) => stopped(stop),
            CallError::UnknownTool { tool, similar } => {
                let hint = match similar.as_slice() {
                    [] => "see tools/list".to_owned(),
                    names => format!("did you mean {}?", names.join(", ")),
                };
                Self::new("unknown_tool", 404, format!("Unknown tool {tool:?}; {hint}")).protocol()
            }
            CallError::UnknownPrompt { name } => {
                let message = format!("Unknown prompt {name:?}; see prompts/list");
                Self::new("unknown_prompt", 404, message).with("name", name).protocol()
            }
            CallError::UnknownResource { uri } => {
                let message = format!(
                    "Unknown resource {uri:?}; see resources/list and resources/templates/list"
                );
                Self::new("unknown_resource", 404, message).with("uri", uri).protocol()
            }
            CallError::Forbidden { scope } => {
                // Beside `read-only` that scope alone would not do.
                let narrow = match scope.starts_with("tool:") {
                    true => ", without `read-only` where the tool changes something",
                    false => "",
                };
                let message = format!(
                    "This needs the scope {scope}, which the token does not have; ask the operator for one that has it{narrow}."
                );
                Self::new("insufficient_scope", 403, message).with("scope", scope).protocol()
            }
            CallError::State(error) => {
                Self::new("invalid_request_state", 400, error.to_string()).protocol()
            }
            CallError::Busy { component, retry_after_ms } => {
                let message =
                    format!("The component {component} is busy; try again in {retry_after_ms} ms.");
                Self::new("busy", 503, message).with("retry_after_ms", retry_after_ms)
            }
            CallError::SettingsRefused { component } => {
                let message = format!(
                    "The component {component} serves nothing: its settings are refused. Tell the operator, who finds the reason in the log, in /api/health and with `madoguchi check-config`."
                );
                Self::new("settings_refused", 503, message).with("component", &*component)
            }
            CallError::LimitExceeded { component, call_id, limit } => {
                tracing::warn!(target: "guest", component = &*component, call = call_id, limit, "{log}");
                // Errors between rounds have no call number.
                let call = match call_id {
                    0 => String::new(),
                    id => format!(" (call {id})"),
                };
                let message = format!(
                    "The component {component} exceeded its limit {limit} and was stopped{call}. {}",
                    limit_owner(limit, &component)
                );
                let failure = Self::new("limit_exceeded", 500, message).with("limit", limit);
                if call_id > 0 { failure.with("call", call_id) } else { failure }
            }
            CallError::Trapped { ref component, call_id, .. }
            | CallError::Broken { ref component, call_id, .. } => {
                tracing::error!(target: "guest", component = &**component, call = call_id, "{log}");
                let message = match error {
                    CallError::Trapped { .. } => format!(
                        "The component {component} broke down in call {call_id}; the log has the reason."
                    ),
                    _ => format!(
                        "The component {component} gave an answer that cannot be used (call {call_id})."
                    ),
                };
                Self::new("internal_error", 500, message).with("call", call_id)
            }
        }
    }
}

fn limit_owner(limit: &str, component: &str) -> String {
    match limit {
        "stack_bytes_max" => "The operator can raise it under [sandbox]; the stack that a component brings along is its author's to raise.".to_owned(),
        "state_bytes_max" | "rounds_max" | "questions_max" | "memories_max" | "tables_max"
        | "core_instances_max" => "It is the same for every component.".to_owned(),
        _ => format!("The operator can raise it under [components.{component}.limits]."),
    }
}

fn stopped(stop: Stop) -> Failure {
    match stop {
        Stop::InvalidArguments(problems) => invalid(&problems).tools(),
        Stop::Refused(refusal) => {
            let status = if (400..600).contains(&refusal.status) { refusal.status } else { 400 };
            let mut failure = Failure::new(&refusal.code, status, refusal.message).tools();
            if let Some(Ok(details)) = refusal.details.map(|it| serde_json::from_str(&it)) {
                failure.data = Box::new(details);
            }
            failure
        }
        Stop::Unavailable(unavailable) => {
            let failure = Failure::new("unavailable", 503, unavailable.message).tools();
            match unavailable.retry_after_ms {
                Some(ms) => failure.with("retry_after_ms", ms),
                None => failure,
            }
        }
        // `Calls` answers both; they come here only from where there is no user to ask.
        Stop::InputRequired(_) | Stop::Wait(_) => Failure::new(
            "input_required",
            400,
            "This tool has to ask the user; call it through an MCP client that can answer (elicitation).",
        ),
    }
}

fn invalid(problems: &[Problem]) -> Failure {
    let shorten = |problem: &Problem| Problem {
        pointer: shortened(problem.pointer.clone(), POINTER_BYTES_MAX),
        message: shortened(problem.message.clone(), PROBLEM_BYTES_MAX),
    };
    let problems: Vec<_> = problems.iter().take(PROBLEMS_MAX).map(shorten).collect();
    let field = |pointer: &str| pointer.trim_start_matches('/').replace('/', ".");
    // A sentence stands by itself; a predicate (`must be …`) follows the name of its field.
    let each = problems.iter().map(|problem| match field(&problem.pointer).as_str() {
        "" => problem.message.clone(),
        _ if problem.message.starts_with(char::is_uppercase) => problem.message.clone(),
        field => format!("{field} {}", problem.message),
    });
    let message = each.collect::<Vec<_>>().join("; ");
    let list: Vec<_> =
        problems.iter().map(|it| json!({ "pointer": it.pointer, "message": it.message })).collect();
    let failure = Failure::invalid(message);
    match problems.first() {
        Some(first) => failure
            .with("field", field(&first.pointer))
            .with("reason", first.message.as_str())
            .with("problems", list),
        None => failure,
    }
}

#[cfg(test)]
mod tests;
