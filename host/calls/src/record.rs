//! Records every call: its start, its end, and metrics, traces and audit lines.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use crate::outcome::CallOutcome;
use base::call::{CallRequest, Ending, next_call_id, shortened};
use registry::{
    Registry,
    canary::{Canary, Side},
    upstream::Upstream,
};
use sandbox::component::{CallError, LoadedComponent, Stop};
use telemetry::{
    Span, Telemetry,
    audit::{self, Audit},
    metrics::Metrics,
    timeline::{self, Round, Timelines},
};

/// Bytes of why a component trapped, in the audit log.
const TRAP_BYTES_MAX: usize = 1 << 10;

fn ending_of<T>(result: &Result<CallOutcome<T>, CallError>) -> Ending {
    match result {
        Ok(CallOutcome::Passed(it)) if it.is_refusal => Ending::Refused,
        Ok(CallOutcome::Done { .. } | CallOutcome::Passed(_)) => Ending::Done,
        Ok(CallOutcome::InputRequired { .. }) => Ending::Asked,
        Err(error) => ending_of_error(error),
    }
}

fn ending_of_error(error: &CallError) -> Ending {
    match error {
        CallError::Stopped(Stop::InputRequired(_) | Stop::Wait(_)) => Ending::Asked,
        CallError::Stopped(Stop::Refused(_)) => Ending::Refused,
        CallError::Stopped(Stop::InvalidArguments(_)) => Ending::InvalidArguments,
        CallError::Stopped(Stop::Unavailable(_)) | CallError::SettingsRefused { .. } => {
            Ending::Unavailable
        }
        CallError::LimitExceeded { .. } => Ending::LimitExceeded,
        CallError::Trapped { .. } => Ending::Trapped,
        CallError::Broken { .. } => Ending::Broken,
        CallError::Busy { .. } => Ending::Busy,
        CallError::UnknownTool { .. } => Ending::UnknownTool,
        CallError::UnknownPrompt { .. } | CallError::UnknownResource { .. } => Ending::NotFound,
        CallError::Forbidden { .. } => Ending::Forbidden,
        CallError::State(_) => Ending::InvalidState,
    }
}

/// The outcome as the audit log and traces have it: a refusal by its own code, a limit by name.
fn outcome_name(ending: Ending, error: Option<&CallError>) -> Cow<'static, str> {
    match error {
        Some(CallError::Stopped(Stop::Refused(it))) => audit::shortened(it.code.clone().into()),
        Some(CallError::LimitExceeded { limit, .. }) => format!("limit_exceeded:{limit}").into(),
        _ => ending.name().into(),
    }
}

/// Everything that sees calls: the audit log, the metrics, the traces.
#[derive(Clone)]
pub struct Watch {
    pub audit: Audit,
    pub metrics: Metrics,
    pub telemetry: Telemetry,
    /// Timelines of the latest calls.
    pub timelines: Timelines,
}

impl Watch {
    /// A watch that writes and sends nothing.
    pub fn disabled(registry: Registry) -> Self {
        let audit = Audit::default();
        let metrics = Metrics::new(move || registry.catalog().generation(), audit.clone());
        Self { audit, metrics, telemetry: Telemetry::default(), timelines: Timelines::default() }
    }

    /// Begins the record of `call` by that method, and keeps it.
    pub fn begin(&self, call: CallRequest, method: &'static str) -> Record<'_> {
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
            compared: None,
            waited: Duration::ZERO,
            reads: false,
            ending: Ending::Cancelled,
            name: Ending::Cancelled.name().into(),
            trap: None,
        }
    }

    /// Flushes audit log and traces. Blocks for a few seconds at most.
    pub fn close(&self) {
        self.audit.flush();
        self.telemetry.close();
    }
}

/// The record of a running call, written on drop. A dropped future counts as `cancelled`.
pub struct Record<'a> {
    watch: &'a Watch,
    pub id: u64,
    method: &'static str,
    pub call: Arc<CallRequest>,
    pub span: Span,
    /// Number of the round, from 1.
    pub round: u32,
    /// The answering component, once known.
    pub component: Option<Arc<LoadedComponent>>,
    /// The answering upstream server, once known.
    pub server: Option<Arc<dyn Upstream>>,
    /// The canary that is compared with the version that serves, and which of the two it is that answers.
    pub compared: Option<(Arc<Canary>, Side)>,
    /// Total waiting time.
    pub waited: Duration,
    /// Whether it is declared read-only.
    pub reads: bool,
    time: SystemTime,
    began: Instant,
    ending: Ending,
    name: Cow<'static, str>,
    trap: Option<Box<str>>,
}

impl Record<'_> {
    /// Records that the round ended with `result`.
    pub fn end<T>(self, result: &Result<CallOutcome<T>, CallError>) {
        self.end_as(ending_of(result), result.as_ref().err());
    }

    /// Ends that of a request for a route with its answer's status.
    pub fn answered(mut self, result: Result<u16, &CallError>) {
        match result {
            Ok(..400) => self.end_as(Ending::Done, None),
            Ok(status) => {
                self.ending = Ending::Refused;
                self.name = format!("status_{status}").into();
            }
            Err(error) => self.end_as(ending_of_error(error), Some(error)),
        }
    }

    fn end_as(mut self, ending: Ending, error: Option<&CallError>) {
        self.ending = ending;
        self.name = outcome_name(ending, error);
        let trap = error.and_then(CallError::trap);
        self.trap = trap.map(|it| shortened(it, TRAP_BYTES_MAX).into());
        if let Some(CallError::LimitExceeded { limit, .. }) = error
            && let Some(component) = &self.component
        {
            component.setup.tally.limit_exceeded(limit);
        }
    }
}

impl Record<'_> {
    /// Keeps what the round did for the operator, where something ran.
    fn keep_timeline(&mut self, duration: Duration) {
        let Some(timeline) = self.span.take_timeline() else { return };
        if self.component.is_none() && self.server.is_none() {
            return;
        }
        if let Some(component) = &self.component {
            let deadline_ms = component.setup.limits.deadline_ms;
            let took = duration.saturating_sub(self.waited).as_millis();
            let took_ms = u64::try_from(took).unwrap_or(u64::MAX);
            timeline.measure("deadline_ms", took_ms, deadline_ms);
        }
        let call = &self.call;
        let round = Round {
            call: self.id,
            round: self.round,
            method: self.method.into(),
            name: call.name[..name_end(&call.name)].to_owned(),
            principal: call.caller.principal.clone(),
            component: self.component.as_deref().map(|it| it.name().clone()),
            generation: self.component.as_deref().map(LoadedComponent::generation),
            server: self.server.as_deref().map(|it| it.name().clone()),
            outcome: self.name.clone(),
            duration_us: timeline::us(duration),
            ..Round::default()
        };
        self.watch.timelines.keep((self.time, round), timeline);
    }
}

/// End of the loggable part of a name. The rest of a URI is an argument.
fn name_end(name: &str) -> usize {
    let end = name.find('?').unwrap_or(name.len());
    name.floor_char_boundary(end.min(128))
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let duration = self.began.elapsed();
        match (&self.component, &self.server) {
            (Some(it), _) => it.setup.tally.record_end(self.ending, duration),
            (None, Some(it)) => it.tally().record_end(self.ending, duration),
            (None, None) => self.watch.metrics.count_unanswered(self.ending),
        }
        let is_canary = matches!(self.compared, Some((_, Side::Canary)));
        if let Some((canary, side)) = &self.compared {
            canary.record_end(*side, self.ending, duration.saturating_sub(self.waited));
        }
        if let Some(server) = &self.server {
            self.span.server((self.method, &self.call.name), server.name());
        }
        let asked = (self.method, &*self.call.name);
        let component = self.component.as_deref().map(|it| (&**it.name(), &**it.digest()));
        self.span.outcome(self.round, asked, component, self.ending, &self.name);
        self.keep_timeline(duration);
        if !self.watch.audit.is_enabled() {
            return;
        }
        let mut name = std::mem::take(&mut Arc::make_mut(&mut self.call).name);
        name.truncate(name_end(&name));
        self.watch.audit.write(audit::Line {
            time: self.time,
            call: self.id,
            principal: self.call.caller.principal.clone(),
            surface: self.call.surface.name(),
            era: self.call.surface.era(),
            round: self.round,
            method: self.method,
            name: match self.method {
                "tools/call" => audit::Name::Tool(name),
                _ => audit::Name::Name(name),
            },
            by: audit::By {
                canary: is_canary,
                ..audited_owner(self.component.as_deref(), self.server.as_deref())
            },
            arguments: audit::Arguments::digest_long(std::mem::take(
                &mut Arc::make_mut(&mut self.call).arguments,
            )),
            outcome: std::mem::take(&mut self.name),
            trap: self.trap.take(),
            on_behalf: self.call.via.asked_by.clone().map(|asked_by| {
                let approval = self.call.via.approval.clone();
                Box::new(audit::OnBehalf { asked_by, approval })
            }),
            kind: match self.ending {
                it if it.is_refusal() => audit::Kind::Refused,
                _ if self.component.is_none() && self.server.is_none() => audit::Kind::Refused,
                Ending::Done if self.reads => audit::Kind::Read,
                _ => audit::Kind::Ran,
            },
            duration,
        });
    }
}

pub fn audited_owner(
    component: Option<&LoadedComponent>,
    server: Option<&dyn Upstream>,
) -> audit::By {
    let server = server.filter(|_| component.is_none());
    audit::By {
        component: component.map(|it| it.name().clone()),
        digest: component.map(|it| it.digest().clone()),
        generation: component.map(|it| it.generation()),
        server: server.map(|it| it.name().clone()),
        canary: false,
    }
}
