//! Exports of a component besides its tools: schedule, look-ups and dialogues.

use std::{collections::BTreeSet, sync::Arc};

use serde::de::IgnoredAny;
use wasmtime::{
    Store,
    component::{Component, ComponentExportIndex, Instance, InstancePre, types::ComponentItem},
};
use wasmtime_wasi_http::{
    p2::bindings::exports::wasi::http::incoming_handler, p3::bindings::exports::wasi::http::handler,
};

use super::{CallError, Called, LoadError, LoadedComponent, Refusal, Round, Stop, Unavailable};
use crate::{
    bindings::{
        exports::madoguchi::tool::{
            completions, configured, dialogue, endpoints, examples, jobs, migrations, names,
            prompts, resources, routes, runs, samples, schedule, tools,
        },
        madoguchi::tool::{sentences, types},
    },
    capability::state::CallState,
    lifting::{Docs, Lifted},
    listed::Listed,
};
use base::{
    caller::Caller,
    config::{CHAT, RESERVED},
    grants::Grant,
};
use store::database::Fence;

pub use endpoints::Request;

/// How a component provides tools.
#[derive(Clone)]
pub enum Tools {
    /// By the contract.
    Own(tools::GuestIndices),
    /// By the contract of WASI 0.3, with async calls.
    Awaiting(Awaiting),
    /// Functions that it exports.
    Lifted(Arc<Lifted>),
    /// By an interface of another host.
    Listed(Arc<Listed>),
}

/// The functions of `madoguchi:tool/tools@0.2`. What they take and give is what those of 0.1 do.
#[derive(Clone)]
pub struct Awaiting {
    definitions: ComponentExportIndex,
    call: ComponentExportIndex,
}

impl Awaiting {
    fn find(component: &Component, interface: &str) -> wasmtime::Result<Self> {
        let instance = component.get_export_index(None, interface);
        let function = |name: &str| {
            let found = component.get_export_index(instance.as_ref(), name);
            found.ok_or_else(|| wasmtime::Error::msg(format!("{interface}: it has no {name}")))
        };
        Ok(Self { definitions: function("definitions")?, call: function("call")? })
    }

    pub(super) async fn definitions(
        &self,
        store: &mut Store<CallState>,
        instance: Instance,
    ) -> wasmtime::Result<Vec<tools::Definition>> {
        let function = instance.get_typed_func(&mut *store, self.definitions)?;
        let (definitions,) = function.call_async(store, ()).await?;
        Ok(definitions)
    }

    pub(super) async fn call(
        &self,
        store: &mut Store<CallState>,
        instance: Instance,
        invocation: &tools::Invocation,
    ) -> wasmtime::Result<Result<tools::Output, Stop>> {
        let function = instance.get_typed_func(&mut *store, self.call)?;
        let (outcome,) = function.call_async(store, (invocation,)).await?;
        Ok(outcome)
    }
}

/// Declares the exports that were found, one optional interface of the contract each.
macro_rules! exports {
    ($($name:ident),*) => {
        /// The exports that were found.
        #[derive(Clone)]
        pub struct Exports {
            pub tools: Tools,
            $(pub $name: Option<$name::GuestIndices>,)*
            /// WASI's own way to answer requests.
            pub handler: Option<Handler>,
        }

        impl Exports {
            fn found(pre: &InstancePre<CallState>, tools: Tools, handler: Option<Handler>) -> Self {
                Self { tools, $($name: $name::GuestIndices::new(pre).ok(),)* handler }
            }

            fn has(&self, interface: &str) -> bool {
                let known = [$((stringify!($name), self.$name.is_some())),*];
                // Tools are looked for by themselves, in each version that there is.
                interface == "tools" || known.contains(&(interface, true))
            }
        }
    };
}

exports! {
    migrations, configured, examples, prompts, resources, completions, routes, jobs, runs, schedule,
    endpoints, dialogue, names, samples
}

/// WASI HTTP handler.
#[derive(Clone)]
pub enum Handler {
    /// `wasi:http/incoming-handler`, of WASI 0.2.
    Incoming(incoming_handler::GuestIndices),
    /// `wasi:http/handler`, of WASI 0.3.
    Concurrent(handler::GuestIndices),
}

impl Handler {
    fn find(pre: &InstancePre<CallState>) -> Option<Self> {
        let incoming = incoming_handler::GuestIndices::new(pre).map(Self::Incoming);
        incoming.or_else(|_| handler::GuestIndices::new(pre).map(Self::Concurrent)).ok()
    }
}

/// Prefix and version of contract interfaces.
const CONTRACT: &str = "madoguchi:tool/";
const VERSION: &str = "0.1.0";
/// The interface that makes a component one for this host.
const TOOLS: &str = "madoguchi:tool/tools";
/// Contract with async calls.
const AWAITING: &str = "madoguchi:tool/tools@0.2.";

impl Exports {
    pub(super) fn find(
        pre: &InstancePre<CallState>,
        docs: &Docs,
        prefix: &str,
    ) -> Result<Self, LoadError> {
        let component = pre.component();
        let handler = Handler::find(pre);
        let ty = component.component_type();
        let mut names = ty.exports(component.engine()).map(|it| it.0);
        let own = names.find(|it| it.split('@').next() == Some(TOOLS));
        let tools = if let Some(name) = own.filter(|it| it.starts_with(AWAITING)) {
            Tools::Awaiting(Awaiting::find(component, name).map_err(LoadError::Link)?)
        } else if own.is_some() {
            Tools::Own(tools::GuestIndices::new(pre).map_err(LoadError::Link)?)
        } else if let Some(listed) =
            Listed::read(component, prefix).map_err(LoadError::NoFunction)?
        {
            Tools::Listed(Arc::new(listed))
        } else {
            // Components with routes need no tools.
            let lifted = match (Lifted::read(component, docs, prefix), &handler) {
                (Err(why), None) => return Err(LoadError::NoFunction(why)),
                (lifted, _) => lifted.unwrap_or_default(),
            };
            Tools::Lifted(Arc::new(lifted))
        };
        let found = Self::found(pre, tools, handler);
        match found.unknown(component) {
            Some(why) => Err(LoadError::Other(why)),
            None => Ok(found),
        }
    }

    /// Why an interface of the contract that `component` exports would never be called: it is of another version, or
    /// has other functions, than this host knows. One with types alone has nothing to call.
    fn unknown(&self, component: &Component) -> Option<String> {
        let engine = component.engine();
        let acts = |item: &ComponentItem| match item {
            ComponentItem::ComponentInstance(instance) => instance
                .exports(engine)
                .any(|(_, it)| matches!(it.ty, ComponentItem::ComponentFunc(_))),
            _ => false,
        };
        let is_known = |name: &str| {
            let interface = name.strip_prefix(CONTRACT).and_then(|it| it.split('@').next());
            interface.is_none_or(|it| self.has(it))
        };
        let ty = component.component_type();
        let mut exports = ty.exports(engine);
        let (name, _) = exports.find(|(name, it)| !is_known(name) && acts(&it.ty))?;
        let what = match name.split_once('@') {
            Some((_, VERSION)) => "this host knows no such functions of it".to_owned(),
            _ => format!("this host knows {VERSION}"),
        };
        Some(format!("it exports {name}; {what}; see `madoguchi wit`"))
    }
}

/// Names that one component may list, their bytes, and other names of one thing.
const NAMES_MAX: usize = 4_096;
const NAME_BYTES_MAX: usize = 256;
const OTHER_NAMES_MAX: usize = 64;
/// The kind of names that are examples of what may be written, and how many of them one component may list.
const SAMPLE: &str = "sample";
const SAMPLES_MAX: usize = 64;

impl LoadedComponent {
    /// The grants that it uses: what its imports need, and the leave to be called that it was granted and has something
    /// to be called for.
    pub fn used(&self) -> BTreeSet<Grant> {
        let called = [
            (Grant::Schedule, self.is_scheduled()),
            (Grant::Jobs, self.has_jobs()),
            (Grant::Endpoints, self.endpoints_error().is_none()),
        ];
        let called = called.into_iter().filter_map(|(grant, is_used)| is_used.then_some(grant));
        self.needed.iter().copied().chain(called).collect()
    }

    /// Whether it has a schedule and leave to be run by it.
    pub fn is_scheduled(&self) -> bool {
        self.exports.schedule.is_some() && self.setup.grants.contains(&Grant::Schedule)
    }

    /// Whether it exports something that answers under `/api/NAME`.
    fn has_endpoints(&self) -> bool {
        let exports = &self.exports;
        exports.endpoints.is_some() || exports.routes.is_some() || exports.handler.is_some()
    }

    /// Why `/api/NAME/…` is not answered, where it is not.
    pub fn endpoints_error(&self) -> Option<String> {
        let name = &self.name;
        if !self.has_endpoints() {
            return Some(format!("The component {name} has no endpoints."));
        }
        if RESERVED.contains(&&**name) || **name == *CHAT {
            return Some(format!(
                "/api/{name} is the server's own; a component needs another name to have endpoints."
            ));
        }
        if !self.setup.grants.contains(&Grant::Endpoints) {
            return Some(format!(
                "The endpoints of {name} are not granted; to grant them, add \"endpoints\" to grants under [components.{name}]."
            ));
        }
        None
    }

    /// Logs exports and schedules that do not run because a grant, a setting or an export is missing.
    pub fn note_unused(&self, schedule_ms: Option<u64>) {
        let component = &*self.name;
        let granted = self.setup.grants.contains(&Grant::Schedule);
        match (&self.exports.schedule, granted, schedule_ms) {
            (Some(_), true, Some(_)) | (None, _, None) => {}
            (Some(_), granted, ms) => {
                let grant = (!granted).then_some("add \"schedule\" to grants");
                let lacks: Vec<_> =
                    grant.into_iter().chain(ms.is_none().then_some("set schedule_ms")).collect();
                let lacks = lacks.join(" and ");
                tracing::info!(
                    component,
                    "it has a schedule that does not run; to run it, {lacks} under [components.{component}]"
                );
            }
            (None, _, Some(_)) => {
                tracing::warn!(component, "schedule_ms is set, and it has no schedule to run");
            }
        }
        let imports = self.imports();
        let idle = self.setup.stubs.idle(imports.iter().map(String::as_str));
        if !idle.is_empty() {
            let idle = idle.join(", ");
            tracing::warn!(
                component,
                "its stubs name {idle}, of which it imports nothing: correct the name, or take it out"
            );
        }
        if self.exports.resources.is_none() {
            for tool in &self.tools {
                tool.note_no_resources(component);
            }
        }
        if self.exports.jobs.is_some() && !self.has_jobs() {
            tracing::info!(
                component,
                "it has jobs of its own that are not done; to have them done, add \"jobs\" to grants under [components.{component}]"
            );
        }
        if matches!(self.exports.tools, Tools::Own(_)) && !self.setup.prefix.is_empty() {
            tracing::warn!(component, "prefix is set, and it names its tools itself");
        }
        for function in self.left_out() {
            tracing::info!(
                component,
                "its function {} is no tool: {}",
                function.function,
                function.why
            );
        }
        if self.has_endpoints()
            && let Some(why) = self.endpoints_error()
        {
            tracing::info!(component, "{why}");
        }
    }

    /// Runs its schedule once, in an instance of its own, where it has one; the inner error is the
    /// component's own message.
    pub fn run_schedule<'a>(&'a self, fence: Option<&'a Fence>) -> Called<'a, Result<(), String>> {
        Box::pin(async move {
            let Some(export) = &self.exports.schedule else { return Ok(Ok(())) };
            let round = Round { fence: fence.cloned(), ..Round::of_host() };
            self.in_place(round, calls!(export.call_run())).await
        })
    }

    /// Next step of a dialogue. No answer for components without dialogues.
    pub fn next_in_dialogue<'a>(
        &'a self,
        turn: &'a sentences::Turn,
    ) -> Called<'a, Option<sentences::Reply>> {
        Box::pin(async move {
            let Some(export) = &self.exports.dialogue else { return Ok(None) };
            let round = self.host_round();
            let call_id = round.call_id;
            let reply = self.in_place(round, calls!(export.call_next(turn)));
            reply.await?.map(Some).map_err(|what| self.broken(call_id, what))
        })
    }

    /// Whether it exports names or sample sentences.
    pub fn has_names(&self) -> bool {
        self.exports.names.is_some() || self.exports.samples.is_some()
    }

    /// Names of its objects, as far as they may be passed on.
    pub fn names(&self) -> Called<'_, Vec<types::Name>> {
        Box::pin(async move {
            let Some(export) = &self.exports.names else { return Ok(Vec::new()) };
            let round = self.host_round();
            let call_id = round.call_id;
            let names = self.in_place(round, calls!(export.call_names()));
            let mut names = names.await?.map_err(|what| self.broken(call_id, what))?;
            names.truncate(NAMES_MAX);
            let fits = |it: &String| !it.trim().is_empty() && it.len() <= NAME_BYTES_MAX;
            names.retain(|it| fits(&it.name) && it.kind.len() <= NAME_BYTES_MAX);
            for name in &mut names {
                name.english = name.english.take().filter(fits);
                for others in [&mut name.also, &mut name.hints, &mut name.moods] {
                    others.retain(fits);
                    others.truncate(OTHER_NAMES_MAX);
                }
            }
            Ok(names)
        })
    }

    /// Sample sentences in a language, as names of kind `sample`: `within` is the component, `also` the tools needed.
    pub fn samples<'a>(&'a self, language: &'a str) -> Called<'a, Vec<types::Name>> {
        Box::pin(async move {
            let Some(export) = &self.exports.samples else { return Ok(Vec::new()) };
            let samples = self.in_place(self.host_round(), calls!(export.call_samples(language)));
            let fits = |sample: &samples::Sample| {
                !sample.text.trim().is_empty() && sample.text.len() <= NAME_BYTES_MAX
            };
            let name = |sample: samples::Sample| types::Name {
                kind: SAMPLE.to_owned(),
                name: sample.text,
                english: None,
                within: Some(self.name.to_string()),
                also: sample.tools,
                hints: Vec::new(),
                moods: Vec::new(),
            };
            Ok(samples.await?.into_iter().filter(fits).take(SAMPLES_MAX).map(name).collect())
        })
    }

    /// Answers a look-up with JSON. `None` if nothing is served there.
    pub fn get<'a>(&'a self, request: &'a Request, caller: Caller) -> Called<'a, Option<String>> {
        Box::pin(async move {
            let Some(export) = &self.exports.endpoints else { return Ok(None) };
            let round = Round { caller, ..self.host_round() };
            let call_id = round.call_id;
            let answer = self.in_place(round, calls!(export.call_get(request)));
            match answer.await? {
                Ok(json) if serde_json::from_str::<IgnoredAny>(&json).is_ok() => Ok(Some(json)),
                Ok(_) => Err(self.broken(call_id, "an endpoint's answer is not JSON")),
                Err(endpoints::Failure::NotFound) => Ok(None),
                Err(failure) => Err(CallError::Stopped(stop(failure))),
            }
        })
    }

    /// A round of the host, scheduled by the component's use.
    fn host_round(&self) -> Round {
        Round { turn_state: self.turn_state(), ..Round::of_host() }
    }
}

/// As the error of a tool.
fn stop(failure: endpoints::Failure) -> Stop {
    match failure {
        endpoints::Failure::NotFound => Stop::InvalidArguments(Vec::new()),
        endpoints::Failure::Invalid(problems) => Stop::InvalidArguments(problems),
        endpoints::Failure::Refused(endpoints::Refusal { code, message, status, details }) => {
            Stop::Refused(Refusal { code, message, status, details })
        }
        endpoints::Failure::Unavailable(message) => {
            Stop::Unavailable(Unavailable { message, retry_after_ms: None })
        }
    }
}
