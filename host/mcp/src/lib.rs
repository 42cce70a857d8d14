//! The MCP server and the clients of upstream servers: everything that uses the official SDK.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]
#![allow(deprecated, reason = "clients of the era before set levels of logs")]

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, DiscoverResult,
        Extensions, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
        Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities,
        ServerConfig, SetLevelRequestParams, SubscribeRequestParams, TASKS_EXTENSION_ID, Tool,
        UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, serve_directly},
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
};
use serde::Deserialize;
use serde_json::{Map, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use base::{
    call::Level,
    caller::{Caller, Quota},
    config::Config,
    language::{Language, LanguageTag},
    toolsets::{Owner, Toolset},
};
use calls::{
    CallTool, Calls, Complete, GetPrompt, ReadResource, authorization::caller_of,
    outcome::CallOutcome,
};
use registry::Registry;
use sandbox::definition::{APP_MIME_TYPE, APPS_EXTENSION, Viewer};
use store::{database::postgres::Server, events::Events, sessions::Sessions as Rows};

pub mod error_mapping;

pub mod fast_path;
mod legacy;
mod lists;
pub mod middleware;
mod rounds;
mod servers;
pub mod sessions;
mod streams;
mod subscriptions;
pub mod tasks;
mod wire;

pub use servers::{ServerReport, Servers, Status, WaitingTool};

use legacy::Session;
use lists::Digests;
use lists::{TTL_MS, one_page, scope_for};
use rounds::Ended;
use sessions::{SessionTable, Sessions, SharedSessions};
use streams::Client;
use subscriptions::{LISTEN, LISTENERS_MAX, Subscriptions};
use tasks::Tasks;

/// Maximum wait for the initial load, longer than clients wait.
const LOADING_MAX: Duration = Duration::from_secs(300);
/// Maximum wait for the initial load of handshakes. Cached components load faster, and compilation must not delay
/// clients.
const HELLO_MAX: Duration = Duration::from_secs(1);
/// Maximum size of client details in `initialize`.
const INITIALIZE_BYTES_MAX: usize = 64 << 10;
/// Concurrent legacy calls with pushed questions. A known caller may have half of them.
const ASKING_MAX: usize = 512;

/// A result or protocol error.
type Result<T, E = ErrorData> = std::result::Result<T, E>;

/// Request context of the SDK.
type Context = RequestContext<RoleServer>;

/// The SDK's way to serve MCP over HTTP.
pub type McpService = StreamableHttpService<McpServer, Sessions>;

#[derive(Clone)]
pub struct McpServer {
    registry: Registry,
    calls: Calls,
    events: Events,
    /// Modern clients that listen, each caller with a share of the places.
    listeners: Arc<SessionTable<u64>>,
    /// Digests of lists sent to the own page.
    digests: Arc<Digests>,
    /// How long a legacy call waits for questions that can be answered later.
    question_wait: Duration,
    /// Language and toolset of the client that started this process.
    language: Option<LanguageTag>,
    toolset: Option<Arc<Toolset>>,
    session: Session,
    /// Slots for legacy calls with pushed questions.
    asking: Quota,
    /// Sessions shared by nodes. `None` on a single node.
    shared: Option<Arc<SharedSessions>>,
    /// Tasks. `None` where disabled.
    tasks: Option<Tasks>,
}

impl McpServer {
    pub fn new(registry: Registry, calls: Calls, events: Events, question_wait: Duration) -> Self {
        let listeners = Arc::new(SessionTable::new(LISTENERS_MAX));
        let (language, toolset, session) = (None, None, Session::default());
        Self {
            registry,
            calls,
            events,
            listeners,
            digests: Arc::default(),
            question_wait,
            language,
            toolset,
            session,
            asking: Quota::halved(ASKING_MAX),
            shared: None,
            tasks: None,
        }
    }

    /// Enables tasks.
    pub fn keeping(self, tasks: Tasks) -> Self {
        Self { tasks: Some(tasks), ..self }
    }

    /// Shares sessions with other nodes of `server`.
    pub fn sharing(self, server: Option<&Server>, config: &Config) -> Self {
        let rows = server.map(|it| Rows::new(it.clone(), config.sessions.sessions_max));
        let shared = rows
            .map(|it| SharedSessions::new(it, self.events.clone(), config.sessions.sessions_max));
        Self { shared, ..self }
    }

    /// Sets the language of a sole client.
    pub fn reading(self, language: Option<LanguageTag>) -> Self {
        Self { language, ..self }
    }

    /// Sets the toolset of a sole client.
    pub fn offering(self, toolset: Option<Arc<Toolset>>) -> Self {
        Self { toolset, ..self }
    }

    fn caller(&self, context: &Context) -> Caller {
        let caller = self.caller_of(&context.extensions);
        let capabilities = context.client_capabilities();
        let capabilities = capabilities.and_then(|it| serde_json::to_string(&it).ok());
        self.session.update_caller(&caller);
        with_capabilities(caller, capabilities.as_deref())
    }

    /// Caller of a request with these extensions.
    fn caller_of(&self, extensions: &Extensions) -> Caller {
        match extensions.get::<Parts>() {
            Some(it) => caller_of(&it.headers, &it.extensions),
            None => {
                let caller = Caller::stdio().reading(self.language.as_ref());
                caller.offered(self.toolset.as_ref())
            }
        }
    }

    /// Waits for the initial load, so that lists are complete.
    async fn loaded(&self, context: &Context) -> Result<()> {
        let loaded = tokio::time::timeout(LOADING_MAX, self.registry.loaded());
        context.ct.run_until_cancelled(loaded).await.map(drop).ok_or_else(wire::cancelled)
    }

    /// Serves over HTTP until `hang_up`.
    pub fn over_http(&self, config: &Config, hang_up: CancellationToken) -> McpService {
        let sessions = Sessions::new(&config.sessions, self.shared.clone(), hang_up.clone());
        // Hosts and origins are checked by the router, for every route alike.
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            // The session itself begins its streams so, for clients that can read that.
            .with_sse_retry(None)
            .with_max_request_body_bytes(config.body_bytes_max)
            .with_cancellation_token(hang_up);
        config.session_store = self.shared.clone().map(|it| it as _);
        let server = self.clone();
        let for_session = move || Ok(Self { session: Session::default(), ..server.clone() });
        StreamableHttpService::new(for_session, sessions, config)
    }

    /// Shared session store and key of this request's session.
    fn link(
        &self,
        caller: &Caller,
        extensions: &Extensions,
    ) -> Option<(&Arc<SharedSessions>, Arc<str>)> {
        let shared = self.shared.as_ref()?;
        let key = shared.link(extensions, &caller.principal, &self.session.asked)?;
        Some((shared, key))
    }

    /// Whether calls may become tasks for this client.
    fn has_tasks(&self) -> bool {
        self.tasks.is_some() && !self.session.asked.lock().is_legacy
    }

    /// Whether `uri` is something to read, rather than a template for it.
    fn is_plain_resource(&self, uri: &str, caller: &Caller) -> bool {
        let catalog = self.registry.catalog();
        let owner = catalog.component_for_resource(uri);
        catalog.component_for_template(uri).is_none()
            && owner.is_some_and(|it| catalog.may_use(caller, Owner::Component(it.name())))
    }

    /// Serves one client on these streams until it goes, of which no line has more bytes than `line_bytes_max`.
    pub fn serve_streams(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        line_bytes_max: usize,
    ) -> BoxFuture<'static, ()> {
        let client = Client::new(Box::new(input), Box::new(output), line_bytes_max);
        Box::pin(async move {
            // The SDK's own beginning would hold the client to the era of its first request.
            let _ = serve_directly(self, client, None).waiting().await;
        })
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
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
        let extensions = capabilities.extensions.get_or_insert_default();
        let apps = json!({ "mimeTypes": [APP_MIME_TYPE] });
        extensions.insert(APPS_EXTENSION.to_owned(), apps.as_object().cloned().unwrap_or_default());
        if self.has_tasks() {
            extensions.insert(TASKS_EXTENSION_ID.to_owned(), Map::new());
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("madoguchi", env!("CARGO_PKG_VERSION"))
            .with_title("Madoguchi 窓口");
        info.instructions = Some(lists::HOST_INSTRUCTIONS.to_owned());
        info
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult> {
        // Stored with the session.
        if serde_json::to_vec(&request).map_or(usize::MAX, |it| it.len()) > INITIALIZE_BYTES_MAX {
            let why =
                format!("initialize: its params have more than {INITIALIZE_BYTES_MAX} bytes.");
            return Err(ErrorData::invalid_params(why, None));
        }
        // On streams, requests of the other era may follow.
        self.session.asked.lock().is_legacy = context.extensions.get::<Parts>().is_some();
        let mut result = self.negotiate_initialize(&request)?;
        if let Some(extensions) = &mut result.capabilities.extensions {
            extensions.remove(TASKS_EXTENSION_ID);
        }
        request.protocol_version = result.protocol_version.clone();
        let _ = tokio::time::timeout(HELLO_MAX, self.registry.loaded()).await;
        let caller = self.caller_of(&context.extensions);
        self.link(&caller, &context.extensions);
        context.peer.set_peer_info(request);
        result.instructions = Some(lists::instructions(&self.registry.catalog(), &caller));
        Ok(result)
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult> {
        let _ = tokio::time::timeout(HELLO_MAX, self.registry.loaded()).await;
        let (mut info, caller) = (self.get_info(), self.caller(&context));
        let versions = self.supported_protocol_versions().into_owned();
        info.instructions = Some(lists::instructions(&self.registry.catalog(), &caller));
        let mut result = DiscoverResult::from_server_info(versions, info)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(scope_for(&caller));
        if let Some(digest) = self.tools_digest(&caller) {
            result.cache_scope = CacheScope::Private;
            result.meta.get_or_insert_default().0.insert(lists::DIGEST.to_owned(), digest);
        }
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult> {
        self.loaded(&context).await?;
        one_page(request)?;
        let mut list = self.tools(&self.caller(&context));
        if wire::is_legacy(&context) {
            list.tools.iter_mut().for_each(wire::for_legacy);
        }
        Ok(list)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult> {
        self.loaded(&context).await?;
        one_page(request)?;
        Ok(self.prompts(&self.caller(&context)))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult> {
        self.loaded(&context).await?;
        one_page(request)?;
        Ok(self.templates(&self.caller(&context)))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult> {
        self.loaded(&context).await?;
        let caller = self.caller(&context);
        let result = context.ct.run_until_cancelled(self.resources(request, &caller)).await;
        result.ok_or_else(wire::cancelled)?
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let catalog = self.registry.catalog();
        // A caller who does not know of a tool is not to learn of it by its arguments.
        if !sessions::acting_knows_of(&catalog, name) {
            return None;
        }
        let served = catalog.served.tool(name).map(|it| it.listed.clone());
        let mut tools = catalog.component_for(name).into_iter().flat_map(|it| it.tools());
        // The SDK only asks which of its arguments are sent in headers.
        let tool = |it: &_| wire::tool(it, Viewer::Page, Language::English);
        let served = served.and_then(|it| Tool::deserialize(&it).ok());
        served.or_else(|| tools.find(|it| &*it.name == name).map(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse> {
        self.loaded(&context).await?;
        let (name, arguments) = (request.name.into_owned(), request.arguments.as_ref());
        let call = wire::call(name, arguments, &context, self.caller(&context))
            .carrying(request.input_responses, request.request_state);
        // In a box: a call that becomes no task, which is the rule, would carry its state along.
        if let Some(response) = Box::pin(self.as_task(&call, &context)).await? {
            return Ok(response);
        }
        match self.rounds::<CallTool>(call, &context).await {
            Ok(outcome) => {
                let mut response = wire::answered(outcome, wire::done);
                if wire::is_legacy(&context)
                    && let Ok(CallToolResponse::Complete(result)) = &mut response
                {
                    wire::fit_legacy(result);
                }
                response
            }
            Err(Ended::Failed(error)) => wire::failed(error).map(Into::into),
            Err(Ended::CannotAsk(it)) => it.refusal().map(Into::into),
            Err(ended) => Err(rounds::error(ended)),
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse> {
        self.loaded(&context).await?;
        let call =
            wire::call(request.name, request.arguments.as_ref(), &context, self.caller(&context))
                .carrying(request.input_responses, request.request_state);
        let outcome = self.rounds::<GetPrompt>(call, &context).await.map_err(rounds::error)?;
        wire::answered(outcome, wire::got)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse> {
        self.loaded(&context).await?;
        let call = wire::call(request.uri, None, &context, self.caller(&context))
            .carrying(request.input_responses, request.request_state);
        let outcome = self.rounds::<ReadResource>(call, &context).await.map_err(rounds::error)?;
        wire::answered(outcome, |_, _, output| Ok(wire::read(output)))
    }

    /// Help with arguments: of prompts by their names, of resources by their templates.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult> {
        self.loaded(&context).await?;
        let caller = self.caller(&context);
        let name = match request.r#ref {
            Reference::Prompt(it) => it.name,
            // Nothing is left to be filled in.
            Reference::Resource(resource) if self.is_plain_resource(&resource.uri, &caller) => {
                return Ok(CompleteResult::default());
            }
            Reference::Resource(it) => it.uri,
            _ => return Err(ErrorData::invalid_params("ref: of no known kind", None)),
        };
        let others = request.context.and_then(|it| it.arguments).unwrap_or_default();
        let about = json!({
            "argument": request.argument.name,
            "value": request.argument.value,
            "arguments": others,
        });
        let call = wire::call(name, about.as_object(), &context, caller);
        match self.rounds::<Complete>(call, &context).await.map_err(rounds::error)? {
            CallOutcome::Done { output, .. } => Ok(wire::completed(output)),
            CallOutcome::Passed(it) => wire::passed(&it),
            CallOutcome::InputRequired { .. } => Err(wire::endless()),
        }
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: Context) -> Result<()> {
        if !wire::is_legacy(&context) {
            return Err(wire::not_served("logging/setLevel"));
        }
        let level = serde_json::to_value(request.level).unwrap_or_default();
        let level = level.as_str().and_then(Level::from_name);
        let unknown = || ErrorData::invalid_params("level: of no known name", None);
        let level = level.ok_or_else(unknown)?;
        if let Some((shared, key)) = self.link(&self.caller(&context), &context.extensions) {
            shared.rows.set_level(&key, level.name()).await.map_err(|it| not_stored(&it))?;
        }
        self.session.asked.lock().log_level = Some(level);
        Ok(())
    }

    /// Handles requests that the SDK cannot parse, including known methods with invalid parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult> {
        let is_legacy = wire::is_legacy(&context);
        let has_tasks = !is_legacy && self.has_tasks();
        if !is_legacy
            && request.method == LISTEN
            && let Some(gone) = self.serve_listener(request.params.as_ref(), &context).await?
        {
            return Ok(gone);
        }
        let is_of_tasks = matches!(&*request.method, "tasks/get" | "tasks/update" | "tasks/cancel");
        if is_of_tasks && has_tasks && !tasks::takes_tasks(&context) {
            return Err(tasks::needs_tasks());
        }
        Err(wire::unreadable(request, is_legacy, has_tasks))
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult> {
        self.loaded(&context).await?;
        self.task(&request.task_id, &context).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<()> {
        self.loaded(&context).await?;
        self.update(&request.task_id, request.input_responses, &context).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<()> {
        self.cancel(&request.task_id, &context).await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<()> {
        self.loaded(&context).await?;
        self.subscribe_session(request.uri, &context).await
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Result<()> {
        let caller = self.caller(&context);
        if let Some((shared, key)) = self.link(&caller, &context.extensions) {
            shared.rows.unsubscribe(&key, &request.uri).await.map_err(|it| not_stored(&it))?;
            shared.notify_changed(&caller.principal, &key);
        }
        self.session.asked.lock().uris.remove(&request.uri);
        Ok(())
    }

    /// Notifies a legacy client during its session.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let caller = self.caller_of(&context.extensions);
        let Some(listener) = self.session.begins_to_listen(caller.clone()) else { return };
        let linked = self.link(&caller, &context.extensions);
        let linked = linked.map(|(shared, key)| (shared.clone(), key));
        let news = Subscriptions::new(&self.registry, &self.events, listener);
        tokio::spawn(legacy::listen(context.peer, (self.session.clone(), linked), news));
    }
}

/// Error for a subscription that could not be stored.
fn not_stored(error: &std::io::Error) -> ErrorData {
    tracing::error!("what a session asks for is not kept: {error}");
    let message = "What the session asks for could not be written down; try again later.";
    ErrorData::internal_error(message, None)
}

/// Sets client capabilities from a JSON object.
fn with_capabilities(mut caller: Caller, capabilities: Option<&str>) -> Caller {
    if let Some(json) = capabilities.filter(|it| *it != "{}") {
        caller.client_capabilities = Arc::from(json);
    }
    caller
}
