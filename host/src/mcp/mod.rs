//! MCP in, MCP out: the one room that knows the official SDK.

#![allow(deprecated, reason = "clients of the era before set levels of logs")]

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, DiscoverResult, ErrorCode, Extensions, GetPromptRequestParams,
        GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{
    caller::Caller,
    calls::{CallTool, Calls, GetPrompt, Outcome, ReadResource},
    config::Config,
    events::Events,
    notes::Level,
    registry::Registry,
};

mod completion;
pub(crate) mod gate;
mod instructions;
mod legacy;
mod lists;
mod news;
mod passed;
mod plain;
mod rounds;
mod session;
pub(crate) mod sessions;
pub(crate) mod thin;
mod wire;

use lists::{TTL, scope_for};
use news::{LISTENERS_MAX, News};
use rounds::Ended;
use session::Session;
use sessions::Sessions;

/// The SDK's way to serve MCP over HTTP.
pub(crate) type McpService = StreamableHttpService<McpServer, Sessions>;

/// The counter as an MCP server.
#[derive(Clone)]
pub(crate) struct McpServer {
    registry: Registry,
    calls: Calls,
    events: Events,
    /// Places for modern clients that listen.
    listeners: Arc<Semaphore>,
    session: Session,
}

impl McpServer {
    pub(crate) fn new(registry: Registry, calls: Calls, events: Events) -> Self {
        let listeners = Arc::new(Semaphore::new(LISTENERS_MAX));
        Self { registry, calls, events, listeners, session: Session::default() }
    }

    /// The same for another session.
    fn for_session(&self) -> Self {
        Self { session: Session::default(), ..self.clone() }
    }

    /// The same over HTTP, until `hang_up`.
    pub(crate) fn over_http(&self, config: &Config, hang_up: CancellationToken) -> McpService {
        let sessions = Sessions::new(&config.sessions, hang_up.clone());
        // Hosts and origins are checked by the router, for every route alike.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(config.body_bytes_max)
            .with_cancellation_token(hang_up);
        let server = self.clone();
        StreamableHttpService::new(move || Ok(server.for_session()), sessions, config)
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("madoguchi", env!("CARGO_PKG_VERSION"))
            .with_title("Madoguchi 窓口");
        info.instructions = Some(instructions::own());
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        let caller = caller_of(&context.extensions);
        context.peer.set_peer_info(request);
        result.instructions = Some(instructions::of(&self.registry.catalog(), &caller));
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let (versions, caller) =
            (self.supported_protocol_versions().into_owned(), caller(&context));
        let mut info = self.get_info();
        info.instructions = Some(instructions::of(&self.registry.catalog(), &caller));
        Ok(DiscoverResult::from_server_info(versions, info)
            .with_ttl_ms(TTL.as_millis() as u64)
            .with_cache_scope(scope_for(&caller)))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.tools(request, &caller(&context))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.prompts(request, &caller(&context))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.templates(request, &caller(&context))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let caller = caller(&context);
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(wire::cancelled()),
            result = self.resources(request, &caller) => result,
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let catalog = self.registry.catalog();
        let served = catalog.served().tool(name).map(|it| it.listed.clone());
        let mut tools = catalog.component_for(name).into_iter().flat_map(|it| it.tools());
        served.or_else(|| tools.find(|it| &*it.name == name).map(wire::tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (request.name.into_owned(), request.arguments.as_ref());
        let call = wire::call(name, arguments, &context, caller(&context))
            .carrying(request.input_responses, request.request_state);
        match self.rounds::<CallTool>(call, &context).await {
            Ok(Outcome::Done { component, call_id, output }) => {
                wire::done(component, call_id, output)
            }
            Ok(Outcome::Passed { result }) => passed::called(*result),
            Ok(Outcome::Asked { component, call_id, questions, state }) => {
                wire::asked(&component, call_id, questions, state).map(Into::into)
            }
            Err(Ended::Failed(error)) => wire::failed(error),
            Err(Ended::CannotAsk(it)) => it.refusal(),
            Err(ended) => Err(rounds::error(ended)),
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let call = wire::call(request.name, request.arguments.as_ref(), &context, caller(&context))
            .carrying(request.input_responses, request.request_state);
        match self.rounds::<GetPrompt>(call, &context).await.map_err(rounds::error)? {
            Outcome::Done { component, call_id, output } => {
                wire::got(component, call_id, output).map(Into::into)
            }
            Outcome::Passed { result } => passed::got(*result),
            Outcome::Asked { component, call_id, questions, state } => {
                wire::asked(&component, call_id, questions, state).map(Into::into)
            }
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let call = wire::call(request.uri, None, &context, caller(&context))
            .carrying(request.input_responses, request.request_state);
        match self.rounds::<ReadResource>(call, &context).await.map_err(rounds::error)? {
            Outcome::Done { output, .. } => Ok(wire::read(output).into()),
            Outcome::Passed { result } => passed::read(*result),
            Outcome::Asked { component, call_id, questions, state } => {
                wire::asked(&component, call_id, questions, state).map(Into::into)
            }
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.completion(request, &context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !wire::is_legacy(&context) {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "logging/setLevel", None));
        }
        let level = serde_json::to_value(request.level).unwrap_or_default();
        let level = level.as_str().and_then(Level::of);
        let unknown = || ErrorData::invalid_params("level: of no known name", None);
        self.session.set_log_level(level.ok_or_else(unknown)?);
        Ok(())
    }

    /// What the SDK could not read ends up here, known methods with wrong parameters among it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(wire::unreadable(request, wire::is_legacy(&context)))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(Self::accepted(requested))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell_news(subscription).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribe_session(request.uri, &caller(&context))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.unsubscribe(&request.uri);
        Ok(())
    }

    /// Tells a legacy client what is new for as long as its session lasts.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let news = News::new(&self.registry, &self.events, caller_of(&context.extensions));
        tokio::spawn(legacy::listen(context.peer, self.session.clone(), news));
    }
}

fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let caller = caller_of(&context.extensions);
    let capabilities = context.client_capabilities();
    let capabilities = capabilities.and_then(|it| serde_json::to_string(&it).ok());
    with_capabilities(caller, capabilities.as_deref())
}

/// Who sent what has these extensions.
fn caller_of(extensions: &Extensions) -> Caller {
    let parts = extensions.get::<http::request::Parts>();
    parts.map_or_else(Caller::stdio, |it| Caller::of(&it.headers, &it.extensions))
}

/// `caller` with a client that can do what `capabilities` says, a JSON object.
fn with_capabilities(mut caller: Caller, capabilities: Option<&str>) -> Caller {
    if let Some(json) = capabilities.filter(|it| *it != "{}") {
        caller.client_capabilities = Arc::from(json);
    }
    caller
}
