//! Prompts, completions and resources of a component.

use futures::future::BoxFuture;
use std::sync::Arc;

use super::{
    CallError, Called, InputRequired, LoadError, LoadedComponent, Refusal, Round, Stop,
    Unavailable, output_check,
};
use crate::{
    bindings::{
        exports::madoguchi::tool::{completions, prompts, resources as wit},
        madoguchi::tool::stops,
    },
    definition::{Prompt, Resource, Template},
};

pub use completions::{Completion, Reference, Request as CompletionRequest};
pub use prompts::{Invocation as PromptInvocation, Output as PromptOutput, Role as PromptRole};
pub use wit::{Contents, Request as ReadRequest};

/// Values of one completion that are handed on, as MCP has it.
const VALUES_MAX: usize = 100;
/// Bytes of a component's own cursor.
const CURSOR_BYTES_MAX: usize = 4 << 10;

/// Offers of a component besides tools.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// Its prompts, in its own order.
    pub prompts: Vec<Prompt>,
    /// The templates of what there is to read.
    pub templates: Vec<Template>,
    /// First page of resources when loaded.
    pub resources: Vec<Resource>,
}

/// One page of resources.
pub struct Page {
    pub resources: Vec<Resource>,
    pub next_cursor: Option<String>,
}

impl LoadedComponent {
    /// Its offers besides tools.
    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Its prompts and templates, which it knows without a database and without settings.
    pub(super) async fn describe_offers(&self) -> Result<Offers, LoadError> {
        let mut offers = Offers::default();
        if let Some(export) = &self.exports.prompts {
            let definitions = self.described(calls!(export.call_definitions()));
            offers.prompts = Prompt::read_all(definitions.await?)?;
        }
        if let Some(export) = &self.exports.resources {
            let templates = self.described(calls!(export.call_templates()));
            offers.templates = Template::read_all(templates.await?)?;
        }
        Ok(offers)
    }

    /// This component with what there is to read now, once it has its database and its settings. One
    /// that cannot say so yet has nothing to read but what fits its templates.
    ///
    /// # Errors
    /// If it fails or offers something invalid.
    pub fn listed(&self) -> BoxFuture<'_, Result<Self, LoadError>> {
        Box::pin(async move {
            let mut offers = (*self.offers).clone();
            match self.list_resources(None, Round::of_host()).await {
                Ok(page) => offers.resources = page.resources,
                Err(CallError::Stopped(stop)) => {
                    let component = &*self.name;
                    tracing::warn!(component, "it does not list its resources yet: {stop:?}");
                }
                Err(CallError::Broken { what, .. }) => {
                    return Err(LoadError::Other(format!("its resources: {what}")));
                }
                Err(error) => return Err(LoadError::Describe(error)),
            }
            let tools =
                self.tools.iter().map(|it| it.with_app(&self.name, &offers.resources)).collect();
            Ok(Self { tools, offers: Arc::new(offers), ..self.with_setup((*self.setup).clone()) })
        })
    }

    /// Runs one round of `prompts/get`.
    pub fn get_prompt<'a>(
        &'a self,
        invocation: &'a PromptInvocation,
        round: Round,
    ) -> Called<'a, PromptOutput> {
        Box::pin(async move {
            let unknown = || CallError::UnknownPrompt { name: invocation.name.clone() };
            let Some(export) = &self.exports.prompts else { return Err(unknown()) };
            self.answered(round, output_check::prompt, calls!(export.call_get(invocation), unknown))
                .await
        })
    }

    /// Runs one `completion/complete`; a component that does not help has nothing to say.
    pub fn complete<'a>(
        &'a self,
        request: &'a CompletionRequest,
        round: Round,
    ) -> Called<'a, Completion> {
        Box::pin(async move {
            let nothing = || Completion { values: Vec::new(), total: None, has_more: false };
            let Some(export) = &self.exports.completions else { return Ok(nothing()) };
            let unknown = || match &request.reference {
                Reference::Prompt(name) => CallError::UnknownPrompt { name: name.clone() },
                Reference::Template(uri) => CallError::UnknownResource { uri: uri.clone() },
            };
            let mut completion = self
                .answered(round, |_| Ok(()), calls!(export.call_complete(request), unknown))
                .await?;
            if completion.values.len() > VALUES_MAX {
                completion.values.truncate(VALUES_MAX);
                completion.has_more = true;
            }
            Ok(completion)
        })
    }

    /// Resources from `cursor` on.
    pub fn list_resources<'a>(&'a self, cursor: Option<&'a str>, round: Round) -> Called<'a, Page> {
        Box::pin(async move {
            let empty = Page { resources: Vec::new(), next_cursor: None };
            let Some(export) = &self.exports.resources else { return Ok(empty) };
            let call_id = round.call_id;
            let broken = |what: String| self.broken(call_id, what);
            let unknown = || CallError::UnknownResource { uri: String::new() };
            // No trial of the version: that it can list says little of its calls.
            let page = self.in_place(round, calls!(export.call_list(cursor), unknown)).await??;
            let next_cursor = page.next_cursor;
            if next_cursor.as_ref().is_some_and(|it| it.len() > CURSOR_BYTES_MAX) {
                return Err(broken(format!("its cursor has more than {CURSOR_BYTES_MAX} bytes")));
            }
            let resources =
                Resource::read_all(page.resources).map_err(|it| broken(it.to_string()))?;
            Ok(Page { resources, next_cursor })
        })
    }

    /// Runs one round of `resources/read`.
    pub fn read_resource<'a>(
        &'a self,
        request: &'a ReadRequest,
        round: Round,
    ) -> Called<'a, Vec<Contents>> {
        Box::pin(async move {
            let unknown = || CallError::UnknownResource { uri: request.uri.clone() };
            let Some(export) = &self.exports.resources else { return Err(unknown()) };
            let check = |it: &Vec<Contents>| output_check::contents(it);
            self.answered(round, check, calls!(export.call_read(request), unknown)).await
        })
    }
}

/// Converts to the error of a tool; `unknown` for a missing name.
pub(super) fn stopped(stop: stops::Stop, unknown: impl FnOnce() -> CallError) -> CallError {
    CallError::Stopped(match stop {
        stops::Stop::NotFound => return unknown(),
        stops::Stop::InputRequired(required) => Stop::InputRequired(InputRequired {
            questions: required.questions,
            state: required.state,
        }),
        stops::Stop::InvalidArguments(problems) => Stop::InvalidArguments(problems),
        stops::Stop::Refused(stops::Refusal { code, message, status, details }) => {
            Stop::Refused(Refusal { code, message, status, details })
        }
        stops::Stop::Unavailable(stops::Unavailable { message, retry_after_ms }) => {
            Stop::Unavailable(Unavailable { message, retry_after_ms })
        }
    })
}
