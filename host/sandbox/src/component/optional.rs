//! What a component may export beside its tools, and be called for: its schedule, its endpoints, and what
//! understands sentences.

use serde::de::IgnoredAny;
use wasmtime::component::InstancePre;

use super::{CallError, LoadedComponent, Refusal, Round, Stop, Unavailable};
use crate::{
    bindings::{
        dialogue::WithDialoguePre,
        endpoints::{WithEndpointsPre, exports::madoguchi::tool::endpoints as wit},
        jobs::WithJobsPre,
        madoguchi::tool::{sentences, types},
        names::WithNamesPre,
        routes::WithRoutesPre,
        runs::WithRunsPre,
        samples::{WithSamplesPre, exports::madoguchi::tool::samples::Sample},
        schedule::WithSchedulePre,
    },
    capability::state::CallState,
};
use base::{
    caller::Caller,
    config::{CHAT, RESERVED},
    grants::Grant,
};

pub use wit::Request;

/// The exports that were found.
#[derive(Clone)]
pub(super) struct Optional {
    schedule: Option<WithSchedulePre<CallState>>,
    pub(super) jobs: Option<WithJobsPre<CallState>>,
    endpoints: Option<WithEndpointsPre<CallState>>,
    dialogue: Option<WithDialoguePre<CallState>>,
    pub(super) routes: Option<WithRoutesPre<CallState>>,
    names: Option<WithNamesPre<CallState>>,
    pub(super) runs: Option<WithRunsPre<CallState>>,
    samples: Option<WithSamplesPre<CallState>>,
}

impl Optional {
    pub(super) fn of(pre: &InstancePre<CallState>) -> Self {
        Self {
            schedule: WithSchedulePre::new(pre.clone()).ok(),
            jobs: WithJobsPre::new(pre.clone()).ok(),
            endpoints: WithEndpointsPre::new(pre.clone()).ok(),
            dialogue: WithDialoguePre::new(pre.clone()).ok(),
            routes: WithRoutesPre::new(pre.clone()).ok(),
            names: WithNamesPre::new(pre.clone()).ok(),
            runs: WithRunsPre::new(pre.clone()).ok(),
            samples: WithSamplesPre::new(pre.clone()).ok(),
        }
    }
}

/// Names that one component may tell, their bytes, and other names of one thing.
const NAMES_MAX: usize = 4_096;
const NAME_BYTES_MAX: usize = 256;
const OTHER_NAMES_MAX: usize = 64;
/// The kind of names that are examples of what may be written, and how many of them one component may tell.
const SAMPLE: &str = "sample";
const SAMPLES_MAX: usize = 64;

impl LoadedComponent {
    /// Whether it has a schedule and leave to be run by it.
    pub fn is_scheduled(&self) -> bool {
        self.optional.schedule.is_some() && self.setup.grants.contains(&Grant::Schedule)
    }

    /// Whether it exports something that answers under `/api/NAME`.
    fn has_endpoints(&self) -> bool {
        self.optional.endpoints.is_some() || self.optional.routes.is_some()
    }

    /// Whether it answers look-ups beside its routes.
    pub fn has_look_ups(&self) -> bool {
        self.optional.endpoints.is_some()
    }

    /// Why `/api/NAME/…` is not answered, where it is not.
    pub fn why_no_endpoints(&self) -> Option<String> {
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

    /// Notes what it could do and is not let, for the operator who wonders.
    pub fn note_unused(&self, schedule_ms: Option<u64>) {
        let component = &*self.name;
        let granted = self.setup.grants.contains(&Grant::Schedule);
        match (&self.optional.schedule, granted, schedule_ms) {
            (Some(_), true, Some(_)) | (None, _, None) => {}
            (Some(_), ..) => tracing::info!(
                component,
                "it has a schedule that does not run; to run it, add \"schedule\" to grants and set schedule_ms under [components.{component}]"
            ),
            (None, _, Some(_)) => {
                tracing::warn!(component, "schedule_ms is set, and it has no schedule to run");
            }
        }
        if self.optional.jobs.is_some() && !self.has_jobs() {
            tracing::info!(
                component,
                "it has jobs of its own that are not done; to have them done, add \"jobs\" to grants under [components.{component}]"
            );
        }
        if self.has_endpoints()
            && let Some(why) = self.why_no_endpoints()
        {
            tracing::info!(component, "{why}");
        }
    }

    /// Runs its schedule once, in an instance of its own, where it has one; what went wrong in the
    /// component's own words.
    pub async fn run_schedule(&self) -> Result<Result<(), String>, CallError> {
        let Some(pre) = &self.optional.schedule else { return Ok(Ok(())) };
        let (_place, deadline) = self.place().await?;
        self.round(self.context(Round::of_host().until(deadline)), async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            instance.madoguchi_tool_schedule().call_run(store).await
        })
        .await
    }

    /// Whether it understands sentences.
    pub fn has_dialogue(&self) -> bool {
        self.optional.dialogue.is_some()
    }

    /// What comes next in a conversation; an answer of no component, where it understands no sentences.
    pub async fn next_in_dialogue(
        &self,
        turn: &sentences::Turn,
    ) -> Result<Option<sentences::Reply>, CallError> {
        let Some(pre) = &self.optional.dialogue else { return Ok(None) };
        let (_place, deadline) = self.place().await?;
        let round = Round { pace: self.pace(), ..Round::of_host() }.until(deadline);
        let call_id = round.call_id;
        let reply = self
            .round(self.context(round), async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_dialogue().call_next(store, turn).await
            })
            .await?;
        reply.map(Some).map_err(|what| {
            let component = self.name.clone();
            CallError::Broken { component, call_id, what }
        })
    }

    /// Whether it says what people may call what it has, or what they may write to it.
    pub fn has_names(&self) -> bool {
        self.optional.names.is_some() || self.optional.samples.is_some()
    }

    /// What people may call what it has, as far as that may be told on.
    pub async fn names(&self) -> Result<Vec<types::Name>, CallError> {
        let Some(pre) = &self.optional.names else { return Ok(Vec::new()) };
        let (_place, deadline) = self.place().await?;
        let round = Round { pace: self.pace(), ..Round::of_host() }.until(deadline);
        let call_id = round.call_id;
        let names = self
            .round(self.context(round), async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_names().call_names(store).await
            })
            .await?;
        let mut names = names.map_err(|what| {
            let component = self.name.clone();
            CallError::Broken { component, call_id, what }
        })?;
        names.truncate(NAMES_MAX);
        let fits = |it: &String| !it.trim().is_empty() && it.len() <= NAME_BYTES_MAX;
        names.retain(|it| fits(&it.name) && it.kind.len() <= NAME_BYTES_MAX);
        for it in &mut names {
            it.english = it.english.take().filter(fits);
            for others in [&mut it.also, &mut it.hints, &mut it.moods] {
                others.retain(fits);
                others.truncate(OTHER_NAMES_MAX);
            }
        }
        Ok(names)
    }

    /// What people may write to it in a language, as names of the kind `sample`: `within` is the component, `also`
    /// are the tools that it needs.
    pub async fn samples(&self, language: &str) -> Result<Vec<types::Name>, CallError> {
        let Some(pre) = &self.optional.samples else { return Ok(Vec::new()) };
        let (_place, deadline) = self.place().await?;
        let round = Round { pace: self.pace(), ..Round::of_host() }.until(deadline);
        let samples = self
            .round(self.context(round), async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_samples().call_samples(store, language).await
            })
            .await?;
        let fits = |it: &Sample| !it.text.trim().is_empty() && it.text.len() <= NAME_BYTES_MAX;
        let name = |it: Sample| types::Name {
            kind: SAMPLE.to_owned(),
            name: it.text,
            english: None,
            within: Some(self.name.to_string()),
            also: it.tools,
            hints: Vec::new(),
            moods: Vec::new(),
        };
        Ok(samples.into_iter().filter(fits).take(SAMPLES_MAX).map(name).collect())
    }

    /// Answers one look-up with a JSON document; none where nothing is served there.
    pub async fn get(
        &self,
        request: &Request,
        caller: Caller,
    ) -> Result<Option<String>, CallError> {
        let Some(pre) = &self.optional.endpoints else { return Ok(None) };
        let (_place, deadline) = self.place().await?;
        let round = Round { caller, pace: self.pace(), ..Round::of_host() }.until(deadline);
        let call_id = round.call_id;
        let answer = self
            .round(self.context(round), async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_endpoints().call_get(store, request).await
            })
            .await?;
        match answer {
            Ok(json) if serde_json::from_str::<IgnoredAny>(&json).is_ok() => Ok(Some(json)),
            Ok(_) => {
                let (component, what) = (self.name.clone(), "an endpoint's answer is not JSON");
                Err(CallError::Broken { component, call_id, what: what.to_owned() })
            }
            Err(wit::Failure::NotFound) => Ok(None),
            Err(failure) => Err(CallError::Stopped(stop(failure))),
        }
    }
}

/// The same as a tool would say it.
fn stop(failure: wit::Failure) -> Stop {
    match failure {
        wit::Failure::NotFound => Stop::InvalidArguments(Vec::new()),
        wit::Failure::Invalid(problems) => Stop::InvalidArguments(problems),
        wit::Failure::Refused(it) => Stop::Refused(Refusal {
            code: it.code,
            message: it.message,
            status: it.status,
            details: it.details,
        }),
        wit::Failure::Unavailable(message) => {
            Stop::Unavailable(Unavailable { message, retry_after_ms: None })
        }
    }
}
