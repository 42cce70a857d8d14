//! The routes of the server and the middleware of every request.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, Request, State},
    middleware::{self, Next},
    response::Response,
    routing::{any, get, post},
};
use http::{Extensions, HeaderMap, StatusCode, Version, header};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::util::MapResponseLayer;
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{Predicate, SizeAbove},
    },
};

use crate::{
    api,
    operator::{self, Operator, OperatorAccess},
    page,
};
use accounts::Accounts;
use base::{
    call::Failure,
    config::Config,
    toolsets::{Toolset, Toolsets},
};
use calls::{
    authorization::{self, Principal, Shape},
    outcome::Executor,
};
use guard::{Authenticators, Guard};
use mcp::{
    McpServer, error_mapping,
    fast_path::{self, FastPath},
};
use registry::Registry;
use store::blobs::Blobs;
use telemetry::metrics::Metrics;

mod allowed;
mod body;
mod front;
mod guard;
mod listener;
mod resource;
mod state;

pub(crate) use allowed::hosts;
pub(crate) use front::Front;
pub(crate) use listener::{Connections, End};

/// State of the routes.
pub(crate) struct Routes {
    pub(crate) mcp: McpServer,
    pub(crate) health: api::health::Health,
    pub(crate) blobs: Blobs,
    pub(crate) endpoints: api::endpoints::Endpoints,
    pub(crate) hang_up: CancellationToken,
    pub(crate) operator: Operator,
    /// Operator access of this machine, if served.
    pub(crate) access: Option<OperatorAccess>,
    /// People's accounts, where they have such.
    pub(crate) accounts: Option<Accounts>,
}

/// Everything that the server answers.
pub(crate) fn front(config: &Config, routes: Routes) -> Front {
    let bytes_max = config.body_bytes_max;
    let mapped = middleware::map_response(move |it| error_mapping::mapped(it, bytes_max));
    let (calls, gateway) = (routes.endpoints.calls.clone(), routes.endpoints.gateway.clone());
    let watched = (calls.running.clone(), calls.watch.metrics.clone());
    let registry = Some(calls.registry.clone());
    let rpc = post(api::rpc::answer).with_state(calls.clone());
    let rpc = Router::new().route("/rpc", rpc.clone()).route("/rpc/", rpc);
    let accounts = routes.accounts.clone().map(accounts::routes).unwrap_or_default();
    let downloads = (routes.blobs.clone(), api::blobs::downloads(&routes.blobs));
    let given = (Arc::new(config.page.clone()), Arc::new(config.apps.clone()));
    let all = mcp(config, calls, &routes.mcp, routes.hang_up)
        .merge(api::limited(rpc, bytes_max).layer(mapped))
        .merge(api::auth::routes(gateway.clone()))
        .merge(api::limited(accounts, accounts::BODY_BYTES_MAX))
        .merge(api::approvals::routes(routes.endpoints.clone()))
        .nest("/api/operator", operator::public_routes(routes.operator))
        .route("/api/ready", get(api::health::ready).with_state(routes.health.clone()))
        .route("/api/health", get(api::health::answer).with_state(routes.health))
        .route("/api/page", get(page::given).with_state(given))
        .route("/api/blobs", post(api::blobs::put).with_state(routes.blobs))
        .route("/api/blobs/{id}", get(api::blobs::get).with_state(downloads))
        .merge(api::endpoints::routes(routes.endpoints))
        // The page's files are kept once for all who read them.
        .layer(MapResponseLayer::new(body::noted))
        .route("/f/{handle}", get(page::form))
        .fallback_service(any(page::answer).with_state(page::Page::from_config(config)))
        .method_not_allowed_fallback(api::other_method)
        .layer(compression());
    guarded(config, all, watched, ((Some(gateway), routes.access, routes.accounts), registry))
}

/// Bytes of JSON from which on a client that takes gzip gets it so.
const COMPRESSED_BYTES_MIN: u16 = 1 << 10;

/// A list of all tools is a fifth smaller than at the fastest level, for a millisecond more.
const LEVEL: CompressionLevel = CompressionLevel::Precise(6);

/// Compresses long JSON, but neither streams nor pictures nor compressed content.
fn compression() -> CompressionLayer<impl Predicate> {
    let is_json = |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| {
        headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|it| it.as_bytes().starts_with(b"application/json"))
    };
    let worth_it = SizeAbove::new(COMPRESSED_BYTES_MIN).and(is_json);
    CompressionLayer::new().quality(LEVEL).compress_when(worth_it)
}

/// `/mcp`, and `/mcp/NAME` for each toolset, with `answers` behind it on the fast path and the SDK on the other.
fn mcp<A: Executor>(
    config: &Config,
    answers: A,
    sdk: &McpServer,
    hang_up: CancellationToken,
) -> Router {
    let body_bytes_max = config.body_bytes_max;
    let sdk = sdk.over_http(config, hang_up);
    let state = Arc::new(FastPath { answers, sdk, body_bytes_max, is_on: config.fast_path });
    let answer = any(fast_path::answer::<A>).with_state(state);
    let toolsets = Arc::new(config.toolsets.clone());
    let named = middleware::from_fn_with_state(toolsets, named_toolset);
    let named = answer.clone().layer(named);
    let all = match config.toolsets.default_one() {
        Some(it) => answer.layer(middleware::from_fn_with_state(it.clone(), default_toolset)),
        None => answer,
    };
    // Some clients write a slash at its end.
    let router = Router::new().route("/mcp", all.clone()).route("/mcp/", all);
    if config.toolsets.is_empty() {
        return router;
    }
    router.route("/mcp/{toolset}", named.clone()).route("/mcp/{toolset}/", named)
}

/// `routes` behind what every request must pass.
fn guarded(
    config: &Config,
    routes: Router,
    (running, metrics): (TaskTracker, Metrics),
    (authenticators, registry): (Authenticators, Option<Registry>),
) -> Front {
    let guard = Guard::new(config, metrics, authenticators, registry);
    let share = guard.share();
    Front::new(routes, Some(guard), share, running)
}

/// Serves `/mcp` alone, with `answers` behind it in place of components, until `stop`.
pub async fn serve_alone<A: Executor>(
    listener: TcpListener,
    config: &Config,
    (answers, sdk): (A, &McpServer),
    watched: (TaskTracker, Metrics),
    stop: CancellationToken,
) {
    let routes = mcp(config, answers, sdk, stop.clone());
    let front = guarded(config, routes, watched, ((None, None, None), None));
    Connections::new(&config.connections).serve(listener, front, End::at(stop)).await;
}

/// Wraps operator `routes`, which authenticate themselves.
pub(crate) fn operators(routes: Router) -> Front {
    Front::new(routes, None, operator::share(), TaskTracker::new())
}

// Which tools a request for `/mcp` knows of: those of the toolset that its address names, of its token, or of the
// default one.

/// The toolset that the token of a request is bound to.
fn of_token(extensions: &Extensions) -> Option<&Arc<Toolset>> {
    extensions.get::<Arc<Principal>>()?.caller.toolset.as_ref()
}

/// `/mcp`, where there is a default toolset. A token's own goes before it.
async fn default_toolset(
    State(toolset): State<Arc<Toolset>>,
    mut request: Request,
    next: Next,
) -> Response {
    if of_token(request.extensions()).is_none() {
        request.extensions_mut().insert(toolset);
    }
    next.run(request).await
}

/// `/mcp/NAME`. For a token that is bound to a toolset there is no other.
async fn named_toolset(
    State(toolsets): State<Arc<Toolsets>>,
    Path(name): Path<String>,
    mut request: Request,
    next: Next,
) -> Response {
    let own = of_token(request.extensions());
    let is_theirs = |it: &Arc<Toolset>| own.is_none_or(|own| Arc::ptr_eq(own, it));
    let Some(toolset) = toolsets.get(&name).filter(|it| is_theirs(it)).cloned() else {
        let theirs = toolsets.iter().filter(|(_, it)| is_theirs(it)).map(|(name, _)| name);
        return unknown_toolset(&name, &theirs.collect::<Vec<_>>());
    };
    request.extensions_mut().insert(toolset);
    next.run(request).await
}

fn unknown_toolset(name: &str, theirs: &[&str]) -> Response {
    let shown: String = name.chars().take(64).collect();
    let addresses: Vec<_> = theirs.iter().map(|it| format!("/mcp/{it}")).collect();
    let there = addresses.join(", ");
    let message = format!("There is no toolset {shown:?} here; there are {there}, and /mcp.");
    let failure = Failure::new("unknown_toolset", 404, message).with("toolsets", theirs.to_vec());
    authorization::refusal(Shape::JsonRpc, &failure)
}
