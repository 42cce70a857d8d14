//! What a component offers beside its tools, found by looking at its exports.

use std::sync::Arc;

use wasmtime::component::InstancePre;

use super::{
    CallError, InputRequired, LoadError, LoadedComponent, Refusal, Round, Stop, Unavailable,
};
use crate::{
    bindings::{
        completions::WithCompletionsPre,
        prompts::WithPromptsPre,
        resources::{WithResourcesPre, madoguchi::tool::stops},
    },
    capability::state::CallState,
    definition::{Prompt, Resource, Template},
};

/// The exports that were found.
#[derive(Clone)]
pub(super) struct Exports {
    pub(super) prompts: Option<WithPromptsPre<CallState>>,
    pub(super) resources: Option<WithResourcesPre<CallState>>,
    pub(super) completions: Option<WithCompletionsPre<CallState>>,
}

impl Exports {
    pub(super) fn of(pre: &InstancePre<CallState>) -> Self {
        Self {
            prompts: WithPromptsPre::new(pre.clone()).ok(),
            resources: WithResourcesPre::new(pre.clone()).ok(),
            completions: WithCompletionsPre::new(pre.clone()).ok(),
        }
    }
}

/// What a component offers beside its tools.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// Its prompts, in its own order.
    pub prompts: Vec<Prompt>,
    /// The templates of what there is to read.
    pub templates: Vec<Template>,
    /// What there was to read when it was loaded: the first page.
    pub resources: Vec<Resource>,
}

impl LoadedComponent {
    /// What it offers beside its tools.
    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Whether it may have something to read, now or later.
    pub fn has_resources(&self) -> bool {
        self.exports.resources.is_some()
    }

    /// Its prompts and templates, which it knows without a database and without settings.
    pub(super) async fn describe_offers(&self) -> Result<Offers, LoadError> {
        let mut offers = Offers::default();
        if let Some(pre) = &self.exports.prompts {
            let definitions = self
                .round(self.context(Round::of_host()), async |store| {
                    let instance = pre.instantiate_async(&mut *store).await?;
                    instance.madoguchi_tool_prompts().call_definitions(store).await
                })
                .await
                .map_err(LoadError::Describe)?;
            offers.prompts = Prompt::read_all(definitions)?;
        }
        if let Some(pre) = &self.exports.resources {
            let templates = self
                .round(self.context(Round::of_host()), async |store| {
                    let instance = pre.instantiate_async(&mut *store).await?;
                    instance.madoguchi_tool_resources().call_templates(store).await
                })
                .await
                .map_err(LoadError::Describe)?;
            offers.templates = Template::read_all(templates)?;
        }
        Ok(offers)
    }

    /// This component with what there is to read now, once it has its database and its settings. One
    /// that cannot say so yet has nothing to read but what fits its templates.
    ///
    /// # Errors
    /// It breaks down over the question, or answers what cannot be offered.
    pub async fn listed(&self) -> Result<Self, LoadError> {
        let mut offers = (*self.offers).clone();
        match self.list_resources(None, Round::of_host()).await {
            Ok(page) => offers.resources = page.resources,
            Err(CallError::Stopped(stop)) => {
                let component = &*self.name;
                tracing::warn!(component, "it does not list its resources yet: {stop:?}");
            }
            Err(CallError::Broken { what, .. }) => return Err(LoadError::Resources(what)),
            Err(error) => return Err(LoadError::Describe(error)),
        }
        Ok(Self { offers: Arc::new(offers), ..self.with_setup(self.setup.clone()) })
    }
}

/// The same stop as a tool would say it; `unknown` where there is nothing of that name.
pub(super) fn stopped(stop: stops::Stop, unknown: impl FnOnce() -> CallError) -> CallError {
    CallError::Stopped(match stop {
        stops::Stop::NotFound => return unknown(),
        stops::Stop::InputRequired(it) => {
            Stop::InputRequired(InputRequired { questions: it.questions, state: it.state })
        }
        stops::Stop::InvalidArguments(problems) => Stop::InvalidArguments(problems),
        stops::Stop::Refused(it) => Stop::Refused(Refusal {
            code: it.code,
            message: it.message,
            status: it.status,
            details: it.details,
        }),
        stops::Stop::Unavailable(it) => Stop::Unavailable(Unavailable {
            message: it.message,
            retry_after_ms: it.retry_after_ms,
        }),
    })
}
