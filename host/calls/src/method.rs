//! The MCP methods that run in rounds, on components or upstream servers, with the same records, scopes and signed
//! state.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CallOutcome, CallRequest, Calls, answers, mark_used, run, taken_up};
use crate::{discovery, record::Record, state::State};
use base::{caller::Caller, toolsets::Owner, uri_template::URI_BYTES_MAX};
use registry::{
    Catalog,
    canary::{Canary, GivenAnswer},
    upstream::{Answer, Ask, Request, Upstream},
};
use sandbox::component::{
    CallError, Completion, CompletionRequest, Contents, Invocation, LoadedComponent, Output,
    Problem, PromptInvocation, PromptOutput, ReadRequest, Reference, Round, Stop,
};
use store::clock::Clock;

/// A method that goes in rounds, each in an instance of its own.
pub trait Method: 'static {
    /// The method's name in MCP.
    const NAME: &'static str;
    /// Output of a finished request.
    type Output: Send + 'static;

    /// Answers by the host itself, if it does.
    fn answer_directly(_: &Catalog, _: &CallRequest) -> Option<Result<Self::Output, CallError>> {
        None
    }

    /// The component to be asked, if the caller may ask it.
    fn component(catalog: &Catalog, call: &CallRequest) -> Result<Arc<LoadedComponent>, CallError>;

    /// Whether the canary could answer the request.
    fn reaches(canary: &Canary, call: &CallRequest) -> bool;

    /// Has the version that serves answer `call`, too, which `canary` has answered with `output`, and counts whether it
    /// answers the same; where that changes nothing.
    fn compare(_: &Calls, _: &Arc<Canary>, _: &Arc<CallRequest>, _: &Self::Output) {}

    /// The other server to be asked in place of a component, and for what.
    fn served(catalog: &Catalog, call: &CallRequest) -> Option<(Arc<dyn Upstream>, Ask)>;

    /// Makes one round of the call in `component`.
    fn round(
        component: &LoadedComponent,
        call: &CallRequest,
        state: &State,
        round: Round,
    ) -> impl Future<Output = Result<Self::Output, CallError>> + Send;
}

/// The method `tools/call`.
pub struct CallTool;
/// The method `prompts/get`.
pub struct GetPrompt;
/// The method `resources/read`.
pub struct ReadResource;
/// `completion/complete`, which has one round only.
pub struct Complete;

impl Method for CallTool {
    const NAME: &'static str = "tools/call";
    type Output = Output;

    fn answer_directly(catalog: &Catalog, call: &CallRequest) -> Option<Result<Output, CallError>> {
        discovery::answer(catalog, call)
    }

    fn component(catalog: &Catalog, call: &CallRequest) -> Result<Arc<LoadedComponent>, CallError> {
        let tool = call.name.as_str();
        let component = catalog.component_for(tool);
        let component = component.filter(|_| catalog.knows_of(&call.caller, tool));
        let component = component.ok_or_else(|| match catalog.served.find_unavailable(tool) {
            Some(it) if it.is_open_to(&call.caller) => it.server.unavailable(),
            _ => {
                let similar = catalog.similar(tool, &call.caller);
                CallError::UnknownTool { tool: shown(tool), similar }
            }
        })?;
        match may_call(&call.caller, component, tool) {
            true => Ok(component.clone()),
            false => Err(CallError::Forbidden { scope: format!("tool:{tool}") }),
        }
    }

    fn reaches(canary: &Canary, call: &CallRequest) -> bool {
        canary.has_tool(&call.name, &call.arguments, call.via.asked_by.is_some())
    }

    fn served(catalog: &Catalog, call: &CallRequest) -> Option<(Arc<dyn Upstream>, Ask)> {
        let tool = catalog.served.tool(&call.name)?;
        if !catalog.knows_of(&call.caller, &call.name) {
            return None;
        }
        Some((tool.server.clone(), Ask::Tool(tool.clone())))
    }

    fn compare(calls: &Calls, canary: &Arc<Canary>, call: &Arc<CallRequest>, output: &Output) {
        let Some(leave) = canary.compares(&call.name) else { return };
        let name = canary.component.name();
        let Some(serving) = calls.registry.catalog().component(name).cloned() else { return };
        let (canary, call, given) =
            (canary.clone(), call.clone(), GivenAnswer::from_output(output));
        let stop = calls.stop.clone();
        tokio::spawn(async move {
            let round = Round {
                caller: call.caller.clone(),
                turn_state: serving.turn_state(),
                ..Round::of_host()
            };
            let state = Arc::<State>::default();
            let answer = run::<Self>(&serving, &call, &state, round);
            let Some(answer) = stop.run_until_cancelled(answer).await else { return };
            let answer = match answer {
                Ok(output) => GivenAnswer::from_output(&output),
                Err(CallError::Stopped(Stop::Refused(it))) => {
                    GivenAnswer::Stopped(format!("refused: {}", it.code))
                }
                Err(CallError::Stopped(Stop::InvalidArguments(_))) => {
                    GivenAnswer::Stopped("invalid_params".to_owned())
                }
                // Other errors are not compared.
                Err(_) => return,
            };
            canary.compared(&call.name, &answer, &given);
            drop(leave);
        });
    }

    async fn round(
        component: &LoadedComponent,
        call: &CallRequest,
        state: &State,
        round: Round,
    ) -> Result<Output, CallError> {
        let invocation = Invocation {
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            answers: answers(state),
            state: state.own.clone(),
            first_called_at: state.first_called_at(),
            meta: call.meta.clone(),
        };
        component.call(&invocation, round).await
    }
}

impl Method for GetPrompt {
    const NAME: &'static str = "prompts/get";
    type Output = PromptOutput;

    fn component(catalog: &Catalog, call: &CallRequest) -> Result<Arc<LoadedComponent>, CallError> {
        let unknown = || CallError::UnknownPrompt { name: shown(&call.name) };
        let component = shown_to(catalog, call, catalog.component_for_prompt(&call.name));
        usable(component.ok_or_else(|| unavailable_or(catalog, call, unknown()))?, call)
    }

    fn reaches(canary: &Canary, call: &CallRequest) -> bool {
        canary.has_prompt(&call.name)
    }

    fn served(catalog: &Catalog, call: &CallRequest) -> Option<(Arc<dyn Upstream>, Ask)> {
        let (server, prompt) = catalog.served_prompt(&call.name)?;
        let server = server_shown_to(catalog, call, server)?;
        Some((server.clone(), Ask::Prompt(prompt.clone())))
    }

    async fn round(
        component: &LoadedComponent,
        call: &CallRequest,
        state: &State,
        round: Round,
    ) -> Result<PromptOutput, CallError> {
        let arguments = texts(&call.arguments, "")?;
        let prompt = component.offers().prompts.iter().find(|it| *it.name == *call.name);
        let required = prompt.map_or(&[][..], |it| &it.arguments).iter().filter(|it| it.required);
        let missing = required.filter(|it| arguments.iter().all(|(name, _)| *name != it.name));
        let problems: Vec<_> = missing.map(|it| problem("", &it.name, "is required")).collect();
        if !problems.is_empty() {
            return Err(CallError::Stopped(Stop::InvalidArguments(problems)));
        }
        let invocation = PromptInvocation {
            name: call.name.clone(),
            arguments,
            answers: answers(state),
            state: state.own.clone(),
            first_called_at: state.first_called_at(),
            meta: call.meta.clone(),
        };
        component.get_prompt(&invocation, round).await
    }
}

impl Method for ReadResource {
    const NAME: &'static str = "resources/read";
    type Output = Vec<Contents>;

    fn component(catalog: &Catalog, call: &CallRequest) -> Result<Arc<LoadedComponent>, CallError> {
        let uri = || call.name.chars().take(URI_BYTES_MAX).collect();
        let unknown = || CallError::UnknownResource { uri: uri() };
        let component = match named_resource_owner(call) {
            Some(ResourceOwner::Server(_)) => return Err(unavailable_or(catalog, call, unknown())),
            Some(ResourceOwner::Component(name)) => {
                catalog.component_for_resource(&call.name).filter(|it| **it.name() == *name)
            }
            None => catalog.component_for_resource(&call.name),
        };
        let component = shown_to(catalog, call, component);
        usable(component.ok_or_else(|| unavailable_or(catalog, call, unknown()))?, call)
    }

    fn reaches(canary: &Canary, call: &CallRequest) -> bool {
        canary.has_resource(&call.name)
    }

    fn served(catalog: &Catalog, call: &CallRequest) -> Option<(Arc<dyn Upstream>, Ask)> {
        let server = match named_resource_owner(call) {
            Some(ResourceOwner::Server(name)) => catalog.named_server_for(&name, &call.name)?,
            Some(ResourceOwner::Component(_)) => return None,
            None => catalog.server_for_resource(&call.name)?,
        };
        let server = server_shown_to(catalog, call, server)?;
        Some((server.clone(), Ask::Resource(call.name.clone())))
    }

    async fn round(
        component: &LoadedComponent,
        call: &CallRequest,
        state: &State,
        round: Round,
    ) -> Result<Vec<Contents>, CallError> {
        let request = ReadRequest {
            uri: call.name.clone(),
            answers: answers(state),
            state: state.own.clone(),
            first_called_at: state.first_called_at(),
            meta: call.meta.clone(),
        };
        component.read_resource(&request, round).await
    }
}

/// The resource owner named by the client (`_meta`, `madoguchi/server` or `madoguchi/component`), because servers
/// choose URIs freely.
fn named_resource_owner(call: &CallRequest) -> Option<ResourceOwner> {
    // Most requests lack it and need no parsing.
    let meta = Some(&call.meta).filter(|it| it.contains("madoguchi/"))?;
    let mut meta: Map<String, Value> = serde_json::from_str(meta).ok()?;
    let mut name =
        |key: &str| meta.remove(key).map(|it| it.as_str().unwrap_or_default().to_owned());
    let server = name("madoguchi/server").map(ResourceOwner::Server);
    server.or_else(|| name("madoguchi/component").map(ResourceOwner::Component))
}

/// A resource owner, by name.
enum ResourceOwner {
    Server(String),
    Component(String),
}

/// The name is that of a prompt, or a template if it has a scheme. The arguments come from the request's argument.
impl Method for Complete {
    const NAME: &'static str = "completion/complete";
    type Output = Completion;

    fn component(catalog: &Catalog, call: &CallRequest) -> Result<Arc<LoadedComponent>, CallError> {
        let (found, unknown) = match reference(&call.name) {
            Reference::Prompt(name) => (
                catalog.component_for_prompt(&name),
                CallError::UnknownPrompt { name: shown(&name) },
            ),
            Reference::Template(text) => (
                catalog.component_for_template(&text),
                CallError::UnknownResource { uri: shown(&text) },
            ),
        };
        usable(shown_to(catalog, call, found).ok_or(unknown)?, call)
    }

    fn reaches(canary: &Canary, call: &CallRequest) -> bool {
        match reference(&call.name) {
            Reference::Prompt(name) => canary.has_prompt(&name),
            Reference::Template(text) => canary.has_template(&text),
        }
    }

    fn served(catalog: &Catalog, call: &CallRequest) -> Option<(Arc<dyn Upstream>, Ask)> {
        match reference(&call.name) {
            Reference::Prompt(name) => {
                let (server, prompt) = catalog.served_prompt(&name)?;
                let server = server_shown_to(catalog, call, server)?;
                Some((server.clone(), Ask::Complete(prompt.own_name.clone())))
            }
            Reference::Template(text) => {
                let server = catalog.server_for_template(&text)?;
                let server = server_shown_to(catalog, call, server)?;
                Some((server.clone(), Ask::Complete(text)))
            }
        }
    }

    async fn round(
        component: &LoadedComponent,
        call: &CallRequest,
        _: &State,
        round: Round,
    ) -> Result<Completion, CallError> {
        let mut about: Map<String, Value> =
            serde_json::from_str(&call.arguments).unwrap_or_default();
        let mut text = |name| match about.remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (argument, value) = (text("argument"), text("value"));
        let others = about.remove("arguments").map_or("{}".to_owned(), |it| it.to_string());
        let request = CompletionRequest {
            reference: reference(&call.name),
            argument,
            value,
            arguments: texts(&others, "/context/arguments")?,
            meta: call.meta.clone(),
        };
        let call_id = round.call_id;
        match component.complete(&request, round).await {
            Err(CallError::Stopped(Stop::InputRequired(_))) => {
                let what = "it asks the user while an argument is being completed".to_owned();
                Err(CallError::Broken { component: component.name().clone(), call_id, what })
            }
            other => other,
        }
    }
}

impl Calls {
    /// Runs one round on `server`.
    pub(super) async fn pass<M: Method>(
        &self,
        record: &mut Record<'_>,
        server: Arc<dyn Upstream>,
        ask: Ask,
    ) -> Result<CallOutcome<M::Output>, CallError> {
        let call = &record.call;
        if let Some(scope) = lacking(&call.caller, &*server, &ask) {
            return Err(CallError::Forbidden { scope });
        }
        record.server = Some(server.clone());
        let opened = self.opened::<M>(call, &Clock::System)?;
        let mut state = taken_up(call, opened, (server.label(), &Clock::System), false)?;
        let claim = self.claim(&state).await?;
        record.round = state.rounds + 1;
        // Servers keep their own state and get only this round's answers.
        let answers = std::mem::take(&mut state.answers);
        let request = Request {
            owner: call.caller.share(),
            arguments: &call.arguments,
            meta: &call.meta,
            capabilities: &call.caller.client_capabilities,
            responses: answers.into_iter().map(|(key, (_, it))| (key, it)).collect(),
            state: state.own.take(),
            notifications: call.notifications.clone(),
            traceparent: record.span.traceparent(),
        };
        match server.ask(&ask, request).await? {
            Answer::Result(result) => {
                mark_used(claim, &Clock::System).await;
                Ok(CallOutcome::Passed(result))
            }
            Answer::InputRequired(asked) => {
                state.belong_to(server.label());
                let asked = asked.ok_or_else(|| CallError::Broken {
                    component: server.label().clone(),
                    call_id: record.id,
                    what: "it asks in a way that is not known, or too many questions at once"
                        .to_owned(),
                })?;
                let asks = (server.label(), &Clock::System);
                self.seal::<M>(asks, (call, record.id), asked, state)
            }
        }
    }
}

/// The scope that `caller` would need and does not have.
pub(super) fn lacking(caller: &Caller, server: &dyn Upstream, ask: &Ask) -> Option<String> {
    let (may, scope) = match ask {
        Ask::Tool(it) => (it.is_open_to(caller), format!("tool:{}", it.tool.name)),
        _ => (caller.may_use(Owner::Server(server.name())), format!("server:{}", server.name())),
    };
    (!may).then_some(scope)
}

/// Distinguishes prompt names, which have no colon, from templates, which start with a scheme.
fn reference(name: &str) -> Reference {
    match name.contains(':') {
        true => Reference::Template(name.to_owned()),
        false => Reference::Prompt(name.to_owned()),
    }
}

fn may_call(caller: &Caller, component: &LoadedComponent, tool: &str) -> bool {
    if caller.is_free() {
        return true;
    }
    let tool = component.tools().iter().find(|it| &*it.name == tool);
    let owner = Owner::Component(component.name());
    tool.is_some_and(|it| caller.may_call(owner, &it.name, it.hints))
}

/// `component`, if the caller's toolset shows it.
fn shown_to<'a>(
    catalog: &Catalog,
    call: &CallRequest,
    component: Option<&'a Arc<LoadedComponent>>,
) -> Option<&'a Arc<LoadedComponent>> {
    component.filter(|it| catalog.shows(&call.caller, Owner::Component(it.name())))
}

/// `server`, if the caller's toolset shows it.
fn server_shown_to<'a>(
    catalog: &Catalog,
    call: &CallRequest,
    server: &'a Arc<dyn Upstream>,
) -> Option<&'a Arc<dyn Upstream>> {
    catalog.shows(&call.caller, Owner::Server(server.name())).then_some(server)
}

/// `unavailable` if its server is disconnected, else `unknown`.
fn unavailable_or(catalog: &Catalog, call: &CallRequest, unknown: CallError) -> CallError {
    match catalog.served.find_unavailable_owner(&call.name) {
        Some(it) if catalog.may_use(&call.caller, Owner::Server(it.name())) => it.unavailable(),
        _ => unknown,
    }
}

fn usable(
    component: &Arc<LoadedComponent>,
    call: &CallRequest,
) -> Result<Arc<LoadedComponent>, CallError> {
    let name = component.name();
    match call.caller.may_use(Owner::Component(name)) {
        true => Ok(component.clone()),
        false => Err(CallError::Forbidden { scope: format!("component:{name}") }),
    }
}

/// An unknown name, shortened for quotation.
fn shown(name: &str) -> String {
    name.chars().take(128).collect()
}

/// Parses an object of texts.
fn texts(json: &str, at: &str) -> Result<Vec<(String, String)>, CallError> {
    let object: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let mut problems = Vec::new();
    let mut texts = Vec::with_capacity(object.len());
    for (name, value) in object {
        match value {
            Value::String(value) => texts.push((name, value)),
            _ => problems.push(problem(at, &name, "must be a string")),
        }
    }
    match problems.is_empty() {
        true => Ok(texts),
        false => Err(CallError::Stopped(Stop::InvalidArguments(problems))),
    }
}

fn problem(at: &str, name: &str, message: &str) -> Problem {
    let name = name.replace('~', "~0").replace('/', "~1");
    Problem { pointer: format!("{at}/{name}"), message: message.to_owned() }
}
