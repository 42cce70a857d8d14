//! MCP in, MCP out: the one room that knows the official SDK.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
        DiscoverResult, Implementation, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    call_state::Progress,
    caller::{Caller, Owner},
    calls::{Call, Calls, Outcome},
    component::CallError,
    registry::Registry,
};

mod legacy;
pub(crate) mod thin;
mod wire;

/// How long a client may take a list of tools for fresh: short, or a swap stays invisible to
/// those who do not listen.
const TTL: Duration = Duration::from_secs(5);
/// Progress notes that may wait for a slow client.
const PROGRESS_QUEUE: usize = 64;
/// What a model is told about this server.
const INSTRUCTIONS: &str = "Each tool runs in a sandbox of its own. A refusal is a result with isError: its text is a JSON object {error, message, status, data} that says what to mend. / 各ツールは個別のサンドボックスで動きます。断りは isError の結果で、本文の JSON に直し方が書かれています。";

/// How long a legacy client may come back for an answer that it has missed. A minute, as the SDK
/// has it, let a peer's memory grow from 27 to 717 MiB in three minutes.
const FINISHED_KEPT: Duration = Duration::from_secs(5);

/// The SDK's way to serve MCP over HTTP.
pub(crate) type McpService = StreamableHttpService<McpServer, LocalSessionManager>;

/// The counter as an MCP server.
#[derive(Clone)]
pub(crate) struct McpServer {
    registry: Registry,
    calls: Calls,
}

impl McpServer {
    pub(crate) fn new(registry: Registry, calls: Calls) -> Self {
        Self { registry, calls }
    }

    /// The same over HTTP, until `hang_up`.
    pub(crate) fn over_http(
        &self,
        body_bytes_max: usize,
        hang_up: CancellationToken,
    ) -> McpService {
        // Hosts and origins are checked by the router, for every route alike.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(body_bytes_max)
            .with_cancellation_token(hang_up);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.completed_cache_ttl = FINISHED_KEPT;
        let server = self.clone();
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
    }

    /// Runs one round, telling the client how far along it is; ends at once when the client goes.
    async fn round(
        &self,
        mut call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, Cancelled> {
        let (sender, mut notes) = mpsc::channel(PROGRESS_QUEUE);
        let token = context.meta.get_progress_token();
        call.progress = token.is_some().then_some(sender);
        let outcome = self.calls.call(call);
        tokio::pin!(outcome);
        let result = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(Cancelled::ByClient),
                Some(note) = notes.recv() => notify(context, note).await,
                result = &mut outcome => break result,
            }
        };
        while let Ok(note) = notes.try_recv() {
            notify(context, note).await;
        }
        result.map_err(Cancelled::Failed)
    }
}

/// Why a round has no outcome.
enum Cancelled {
    ByClient,
    Failed(CallError),
}

async fn notify(context: &RequestContext<RoleServer>, note: Progress) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let mut params = ProgressNotificationParam::new(token, note.progress);
    params.total = note.total;
    params.message = note.message;
    // A client that has gone is noticed by the call itself.
    let _ = context.peer.notify_progress(params).await;
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("madoguchi", env!("CARGO_PKG_VERSION"))
            .with_title("Madoguchi 窓口");
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(TTL.as_millis() as u64)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = request.and_then(|it| it.cursor) {
            let message =
                format!("cursor {cursor:?}: this list has one page, so there is no cursor");
            return Err(ErrorData::invalid_params(message, None));
        }
        let (catalog, caller) = (self.registry.catalog(), caller(&context));
        let tools = catalog.offers().filter(|(owner, it)| caller.may_call(*owner, &it.name));
        let served = catalog.served_tools();
        let served = served.filter(|it| caller.may_call(Owner::Server(&it.server.name), &it.name));
        let tools = tools.map(|(_, it)| wire::tool(it));
        let tools = tools.chain(served.map(|it| it.listed.clone())).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(TTL.as_millis() as u64)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let catalog = self.registry.catalog();
        if let Some(tool) = catalog.served(name) {
            return Some(tool.listed.clone());
        }
        let component = catalog.component_for(name)?;
        component.tools().iter().find(|it| &*it.name == name).map(wire::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = caller(&context);
        let legacy = wire::is_legacy(&context);
        let mut call = wire::call(request, &context, caller);
        for _ in 0..legacy::ROUNDS_MAX {
            let again = legacy.then(|| call.again());
            match self.round(call, &context).await {
                Err(Cancelled::ByClient) => return Err(wire::cancelled()),
                Err(Cancelled::Failed(error)) => return wire::failed(error),
                Ok(Outcome::Done { component, call_id, output }) => {
                    return wire::done(component, call_id, output);
                }
                Ok(Outcome::Passed { result }) => return wire::passed(*result),
                Ok(Outcome::Asked { component, call_id, questions, state }) => match again {
                    None => return wire::asked(&component, call_id, questions, state),
                    Some(mut next) => {
                        next.responses = match legacy::ask(&context, questions).await {
                            Ok(responses) => responses,
                            Err(refusal) => return Ok(*refusal),
                        };
                        next.state = Some(state);
                        call = next;
                    }
                },
            }
        }
        Err(ErrorData::internal_error("the tool asks without end", None))
    }

    /// What the SDK could not read ends up here, known methods with wrong parameters among it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(wire::unreadable(request))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Tells a modern client of each swap until it goes.
    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.registry.changes();
        changes.mark_unchanged();
        loop {
            tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                }
            }
            changes.mark_unchanged();
            if subscription.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Tells a legacy client of each swap for as long as its session lasts.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(legacy::listen(context.peer, self.registry.changes()));
    }
}

fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let parts = context.extensions.get::<http::request::Parts>();
    let caller = parts.map_or_else(Caller::anonymous, |it| Caller::of(&it.headers, &it.extensions));
    let capabilities = context.client_capabilities();
    let capabilities = capabilities.and_then(|it| serde_json::to_string(&it).ok());
    with_capabilities(caller, capabilities.as_deref())
}

/// `caller` with a client that can do what `capabilities` says, a JSON object.
fn with_capabilities(mut caller: Caller, capabilities: Option<&str>) -> Caller {
    if let Some(json) = capabilities.filter(|it| *it != "{}") {
        caller.client_capabilities = Arc::from(json);
    }
    caller
}
