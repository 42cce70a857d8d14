//! What watches every call: begun once, ended once, whatever becomes of the call in between.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Instant, SystemTime},
};

use rmcp::model::ServerResult;

use crate::{
    audit::{self, Audit},
    calls::{Call, Outcome},
    component::{CallError, LoadedComponent, Stop},
    metrics::Metrics,
    registry::Registry,
    servers::Server,
    telemetry::{Span, Telemetry},
};

/// Numbers calls over all components.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// The number of the next call, by which errors, log, audit log and traces name it.
pub(crate) fn next_call_id() -> u64 {
    CALLS.fetch_add(1, Ordering::Relaxed)
}

/// Where a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    /// `/mcp` or stdio, revision 2026-07-28 and later.
    Mcp,
    /// The same, in an earlier revision.
    McpLegacy,
    /// `/rpc`.
    Rpc,
    /// An endpoint under `/api` that calls tools on its caller's behalf.
    Rest,
    /// The operator's listener.
    Operator,
    /// The counter itself, for an agent that it plays.
    Agent,
    /// A component, on its caller's behalf.
    Component,
}

impl Surface {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mcp | Self::McpLegacy => "mcp",
            Self::Rpc => "rpc",
            Self::Rest => "rest",
            Self::Operator => "operator",
            Self::Agent => "agent",
            Self::Component => "component",
        }
    }

    /// MCP's era, where it is MCP.
    pub(crate) fn era(self) -> Option<&'static str> {
        match self {
            Self::Mcp => Some("modern"),
            Self::McpLegacy => Some("legacy"),
            Self::Rpc | Self::Rest | Self::Operator | Self::Agent | Self::Component => None,
        }
    }
}

/// How a call ended, in one of few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an output.
    Done,
    /// With questions to the user.
    Asked,
    /// The tool refused, in its own words.
    Refused,
    /// The arguments did not fit.
    InvalidArguments,
    /// The tool cannot be had now, as it says itself.
    Unavailable,
    /// It took more than it may.
    LimitExceeded,
    /// The component broke down.
    Trapped,
    /// The component put out what it must not.
    Broken,
    /// All places were taken and the queue was full.
    Busy,
    /// No component offers the tool.
    UnknownTool,
    /// No component offers the prompt or has the resource.
    NotFound,
    /// The caller's scopes do not reach so far.
    Forbidden,
    /// The answers carried along did not belong to the call.
    InvalidState,
    /// Whoever asked went away.
    Cancelled,
}

impl Ending {
    /// Every ending there is, in the order of its numbers.
    pub const ALL: [Self; 14] = [
        Self::Done,
        Self::Asked,
        Self::Refused,
        Self::InvalidArguments,
        Self::Unavailable,
        Self::LimitExceeded,
        Self::Trapped,
        Self::Broken,
        Self::Busy,
        Self::UnknownTool,
        Self::NotFound,
        Self::Forbidden,
        Self::InvalidState,
        Self::Cancelled,
    ];

    /// As metrics and the audit log call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Asked => "asked",
            Self::Refused => "refused",
            Self::InvalidArguments => "invalid_params",
            Self::Unavailable => "unavailable",
            Self::LimitExceeded => "limit_exceeded",
            Self::Trapped => "trapped",
            Self::Broken => "broken",
            Self::Busy => "busy",
            Self::UnknownTool => "unknown_tool",
            Self::NotFound => "not_found",
            Self::Forbidden => "forbidden",
            Self::InvalidState => "invalid_request_state",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether something is wrong with the component or the host, rather than with the call.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            Self::Unavailable | Self::LimitExceeded | Self::Trapped | Self::Broken | Self::Busy
        )
    }

    /// Whether the call was turned away, before anything ran or by what ran.
    fn is_refusal(self) -> bool {
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

    fn of<T>(result: &Result<Outcome<T>, CallError>) -> Self {
        match result {
            Ok(Outcome::Passed { result }) if is_refusal(result) => Self::Refused,
            Ok(Outcome::Done { .. } | Outcome::Passed { .. }) => Self::Done,
            Ok(Outcome::Asked { .. }) => Self::Asked,
            Err(error) => Self::of_error(error),
        }
    }

    fn of_error(error: &CallError) -> Self {
        match error {
            CallError::Stopped(Stop::InputRequired(_) | Stop::Wait(_)) => Self::Asked,
            CallError::Stopped(Stop::Refused(_)) => Self::Refused,
            CallError::Stopped(Stop::InvalidArguments(_)) => Self::InvalidArguments,
            CallError::Stopped(Stop::Unavailable(_)) | CallError::SettingsRefused { .. } => {
                Self::Unavailable
            }
            CallError::LimitExceeded { .. } => Self::LimitExceeded,
            CallError::Trapped { .. } => Self::Trapped,
            CallError::Broken { .. } => Self::Broken,
            CallError::Busy { .. } => Self::Busy,
            CallError::UnknownTool { .. } => Self::UnknownTool,
            CallError::UnknownPrompt { .. } | CallError::UnknownResource { .. } => Self::NotFound,
            CallError::Forbidden { .. } => Self::Forbidden,
            CallError::State(_) => Self::InvalidState,
        }
    }
}

/// Whether another server's result says that the tool refused.
fn is_refusal(result: &ServerResult) -> bool {
    matches!(result, ServerResult::CallToolResult(it) if it.is_error == Some(true))
}

/// The outcome as the audit log and traces have it: a refusal by its own code, a limit by name.
fn word(ending: Ending, error: Option<&CallError>) -> Cow<'static, str> {
    match error {
        Some(CallError::Stopped(Stop::Refused(it))) => audit::word(it.code.clone().into()),
        Some(CallError::LimitExceeded { limit, .. }) => format!("limit_exceeded:{limit}").into(),
        _ => ending.name().into(),
    }
}

/// Everything that sees calls: the audit log, the metrics, the traces.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) audit: Audit,
    pub(crate) metrics: Metrics,
    pub(crate) telemetry: Telemetry,
}

impl Watch {
    /// One that writes and sends nothing.
    pub(crate) fn unseen(registry: Registry) -> Self {
        let audit = Audit::default();
        let metrics = Metrics::new(registry, audit.clone());
        Self { audit, metrics, telemetry: Telemetry::default() }
    }

    /// Begins the record of `call` by that method, and keeps it.
    pub(crate) fn begin(&self, call: Call, method: &'static str) -> Record<'_> {
        let id = next_call_id();
        Record {
            watch: self,
            span: self.telemetry.call(&call, method, id),
            id,
            method,
            call: Arc::new(call),
            time: SystemTime::now(),
            began: Instant::now(),
            round: 1,
            component: None,
            server: None,
            ending: Ending::Cancelled,
            word: Ending::Cancelled.name().into(),
        }
    }

    /// Writes and sends what is left. Blocks, a few seconds at most.
    pub(crate) fn close(&self) {
        self.audit.flush();
        self.telemetry.close();
    }
}

/// One call while it is watched. Told of when it is dropped: a future that nobody waits for any
/// longer ends as `cancelled`.
pub(crate) struct Record<'a> {
    watch: &'a Watch,
    pub(crate) id: u64,
    method: &'static str,
    pub(crate) call: Arc<Call>,
    pub(crate) span: Span,
    /// Which round of the call this is, from 1.
    pub(crate) round: u32,
    /// Who answers it, once that is known.
    pub(crate) component: Option<Arc<LoadedComponent>>,
    /// The same, where it is another server.
    pub(crate) server: Option<Arc<Server>>,
    time: SystemTime,
    began: Instant,
    ending: Ending,
    word: Cow<'static, str>,
}

impl Record<'_> {
    /// Ends it with `result`.
    pub(crate) fn end<T>(self, result: &Result<Outcome<T>, CallError>) {
        self.end_as(Ending::of(result), result.as_ref().err());
    }

    /// Ends that of a request for a route with its answer's status.
    pub(crate) fn answered(mut self, result: Result<u16, &CallError>) {
        match result {
            Ok(..400) => self.end_as(Ending::Done, None),
            Ok(status) => {
                self.ending = Ending::Refused;
                self.word = format!("status_{status}").into();
            }
            Err(error) => self.end_as(Ending::of_error(error), Some(error)),
        }
    }

    fn end_as(mut self, ending: Ending, error: Option<&CallError>) {
        self.ending = ending;
        self.word = word(ending, error);
        if let Some(CallError::LimitExceeded { limit, .. }) = error
            && let Some(component) = &self.component
        {
            component.tally().limit_exceeded(limit);
        }
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let duration = self.began.elapsed();
        match (&self.component, &self.server) {
            (Some(it), _) => it.tally().ended(self.ending, duration),
            (None, Some(it)) => it.tally.ended(self.ending, duration),
            (None, None) => self.watch.metrics.ended_nowhere(self.ending),
        }
        if let Some(server) = &self.server {
            self.span.server((self.method, &self.call.name), &server.name);
        }
        let (asked, component) = ((self.method, &*self.call.name), self.component.as_deref());
        self.span.outcome(self.round, asked, component, self.ending, &self.word);
        if !self.watch.audit.is_enabled() {
            return;
        }
        let mut name = std::mem::take(&mut Arc::make_mut(&mut self.call).name);
        // What follows in a URI is more of an argument than of a name.
        let end = name.find('?').unwrap_or(name.len());
        name.truncate(name.floor_char_boundary(end.min(128)));
        self.watch.audit.write(audit::Line {
            time: self.time,
            call: self.id,
            principal: self.call.caller.principal.clone(),
            surface: self.call.surface,
            round: self.round,
            method: self.method,
            name,
            by: by(self.component.as_deref(), self.server.as_deref()),
            arguments: audit::Arguments::of(std::mem::take(
                &mut Arc::make_mut(&mut self.call).arguments,
            )),
            outcome: std::mem::take(&mut self.word),
            on_behalf: self.call.via.asked_by.clone().map(|asked_by| {
                let approval = self.call.via.approval.clone();
                Box::new(audit::OnBehalf { asked_by, approval })
            }),
            is_refused: self.ending.is_refusal()
                || self.component.is_none() && self.server.is_none(),
            duration,
        });
    }
}

pub(crate) fn by(
    component: Option<&LoadedComponent>,
    server: Option<&Server>,
) -> Option<audit::By> {
    let component = component.map(|it| {
        audit::By::Component(audit::Version {
            component: it.name().clone(),
            digest: it.digest().clone(),
            generation: Some(it.generation()),
        })
    });
    component.or_else(|| Some(audit::By::Server(server?.name.clone())))
}
