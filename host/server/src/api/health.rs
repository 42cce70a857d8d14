//! The route `GET /api/health` (NAV-15): the state of the server and of everything that the caller may see. `GET
//! /api/ready` (STO-40): whether this node accepts requests.

use std::time::Duration;

use axum::{
    Json,
    extract::{RawQuery, State},
};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    query,
    services::{Services, fails},
};
use base::{caller::Caller, tool_set::Owner};
use calls::authorization::{Stranger, caller_of};
use mcp::{Servers, Status};
use registry::{Catalog, Registry, control::ReportedErrors};
use store::{database::postgres, disk::Disk};

/// Interval of checking whether readiness changed.
const PUBLISH_EVERY: Duration = Duration::from_secs(1);

/// Sources of health reports.
#[derive(Clone)]
pub(crate) struct Health {
    pub(crate) registry: Registry,
    pub(crate) errors: ReportedErrors,
    pub(crate) servers: Servers,
    pub(crate) services: Services,
    pub(crate) disk: Disk,
    /// The server that holds what components keep, where that is not the data folder.
    pub(crate) store: Option<postgres::Server>,
    pub(crate) has_page: bool,
    /// Whether the server is about to stop.
    pub(crate) leaves: CancellationToken,
}

impl Health {
    /// All errors for the operator: `{of, name?, why, waits?}`, where `of` is `component`, `server`, `node`, `disk` or
    /// `store`, and `waits` is true where a build only waits for approval.
    pub(crate) async fn errors(&self) -> Vec<Value> {
        let disk = self.disk.write_error().await;
        let disk = disk.map(|why| json!({ "of": "disk", "why": why }));
        let store = self.store_error().map(|why| json!({ "of": "store", "why": why }));
        let nodes = self.registry.failing_nodes().into_iter().map(|node| {
            let why = format!("{}: {}", node.component, node.why);
            json!({ "of": "node", "name": node.node, "why": why })
        });
        let errors = self.errors.lock().clone();
        let components = errors.into_iter();
        let components = components.map(|(name, reported)| {
            let mut error = json!({ "of": "component", "name": name, "why": reported.message });
            if reported.waits {
                error["waits"] = true.into();
            }
            error
        });
        let servers = self.servers.statuses().filter_map(|server| {
            Some(json!({ "of": "server", "name": &*server.name, "why": &*server.error? }))
        });
        disk.into_iter().chain(store).chain(nodes).chain(components).chain(servers).collect()
    }

    /// Why no requests are to be sent here, if so. It is public.
    async fn not_ready_reason(&self) -> Option<String> {
        if self.leaves.is_cancelled() {
            return Some("the server is about to stop".to_owned());
        }
        if self.store_error().is_some() {
            return Some(STORE_GONE.to_owned());
        }
        if let Some(why) = self.registry.out_of_rotation() {
            return Some(why);
        }
        self.disk.write_error().await.map(|_| "the data folder cannot be written".to_owned())
    }

    /// Publishes whether this node is ready until `stop`.
    pub(crate) async fn publish_readiness(self, store: postgres::Server, stop: CancellationToken) {
        let telling = async {
            loop {
                store.set_not_ready(self.not_ready_reason().await);
                tokio::time::sleep(PUBLISH_EVERY).await;
            }
        };
        stop.run_until_cancelled(telling).await;
    }

    fn store_error(&self) -> Option<String> {
        self.store.as_ref().and_then(postgres::Server::current_error)
    }
}

/// Public error of the store, without its address.
const STORE_GONE: &str = "the PostgreSQL server cannot be used now";

/// 200 `{ready: true}` where this server takes calls; 503 `{ready: false, why}` where a load balancer is to send them
/// elsewhere. It answers from its start on, when the components are loaded.
pub(crate) async fn ready(
    State(health): State<Health>,
) -> (StatusCode, [(header::HeaderName, HeaderValue); 1], Json<Value>) {
    let (status, body) = match health.not_ready_reason().await {
        None => (StatusCode::OK, json!({ "ready": true })),
        Some(why) => (StatusCode::SERVICE_UNAVAILABLE, json!({ "ready": false, "why": why })),
    };
    (status, [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(body))
}

/// 200, and `degraded` where something that is configured does not work. With `?ready`, 503 as long as
/// nothing can be written.
pub(crate) async fn answer(
    State(health): State<Health>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    extensions: Extensions,
) -> (StatusCode, Json<Value>) {
    let (disk, services) = tokio::join!(health.disk.write_error(), health.services.reports());
    let asked = query::pairs(&query.unwrap_or_default()).unwrap_or_default();
    let is_for_readiness = asked.iter().any(|(name, _)| name == "ready");
    let status = match disk.is_some() || health.store_error().is_some() {
        true if is_for_readiness => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::OK,
    };
    (status, Json(report(&health, disk.as_deref(), services, (&headers, &extensions))))
}

fn report(
    health: &Health,
    disk: Option<&str>,
    services: Vec<Map<String, Value>>,
    (headers, extensions): (&HeaderMap, &Extensions),
) -> Value {
    let caller = caller_of(headers, extensions);
    let catalog = health.registry.catalog();
    let mut errors = health.errors.lock().clone();
    let statuses: Vec<_> = health.servers.statuses().collect();
    let store = health.store_error();
    let nodes = (health.registry.out_of_rotation(), health.registry.failing_nodes());
    let is_whole = store.is_none() && nodes.0.is_none() && nodes.1.is_empty();
    let is_whole = is_whole
        && disk.is_none()
        && errors.is_empty()
        && statuses.iter().all(|it| it.error.is_none());
    let is_whole = is_whole && !services.iter().flat_map(|it| it.values()).any(fails);
    let status = if is_whole { "ok" } else { "degraded" };
    let version = env!("CARGO_PKG_VERSION");
    if extensions.get::<Stranger>().is_some() {
        return json!({ "status": status, "version": version });
    }
    let sees = |name: &str| catalog.may_use(&caller, Owner::Component(name));
    errors.retain(|name, _| sees(name));
    let mut components = Map::new();
    let visible = catalog.components().filter(|component| {
        let owner = Owner::Component(component.name());
        sees(component.name())
            || component.tools().iter().any(|it| caller.may_call(owner, &it.name, it.hints))
    });
    for running in visible {
        let component = json!({
            "status": if running.are_settings_refused { "failing" } else { "running" },
            "digest": running.digest(),
            "generation": running.generation(),
            "tools": running.tools().len(),
        });
        components.insert(running.name().to_string(), component);
    }
    for (name, error) in &errors {
        let component = components.entry(name).or_insert_with(|| json!({ "status": "stopped" }));
        component["error"] = error.public.as_str().into();
    }
    let tools = catalog.offers();
    let tools = tools.filter(|(owner, it)| caller.may_call(*owner, &it.name, it.hints));
    let tools: Vec<_> = tools.map(|(_, it)| &*it.name).collect();
    let mut body = json!({
        "status": status,
        "version": version,
        "services": { "mcpServer": "running" },
        "tools": tools,
        "components": components,
        "servers": servers(&catalog, &caller, statuses),
        "page": health.has_page,
        "disk": { "status": if disk.is_some() { "failing" } else { "ok" } },
    });
    for service in services {
        put(&mut body, service);
    }
    if health.store.is_some() {
        let status = if store.is_some() { "failing" } else { "ok" };
        body["store"] = json!({ "kind": "postgresql", "status": status });
    }
    if store.is_some() {
        // Why, and where it is, only the operator learns.
        body["store"]["error"] = STORE_GONE.into();
    }
    if health.store.is_some() {
        // Which one, only the operator learns.
        let other =
            (!nodes.1.is_empty()).then(|| "another node does not serve what it should".to_owned());
        body["nodes"] = match nodes.0.or(other) {
            Some(why) => json!({ "status": "failing", "error": why }),
            None => json!({ "status": "ok" }),
        };
    }
    if let Some(why) = disk {
        body["disk"]["error"] = format!("the data folder cannot be written: {why}").into();
    }
    body
}

/// Adds to `body` what a component reports, table by table; it cannot replace what the server reports itself.
fn put(body: &mut Value, fields: Map<String, Value>) {
    const OPEN: [&str; 3] = ["services", "assistants", "models"];
    for (table, entries) in fields.into_iter().filter(|it| OPEN.contains(&it.0.as_str())) {
        for (name, entry) in entries.as_object().cloned().unwrap_or_default() {
            if body[&table][&name].is_null() {
                body[&table][&name] = entry;
            }
        }
    }
}

/// States of servers that `caller` may see.
fn servers(catalog: &Catalog, caller: &Caller, statuses: Vec<Status>) -> Map<String, Value> {
    let mut servers = Map::new();
    for upstream in statuses {
        let tools = catalog.served.tools().filter(|tool| *tool.server.name() == upstream.name);
        let open = tools.filter(|it| it.is_open_to(caller)).count();
        if open == 0 && !catalog.may_use(caller, Owner::Server(&upstream.name)) {
            continue;
        }
        let mut server = json!({ "status": upstream.state, "tools": open });
        if let Some(error) = upstream.error {
            server["error"] = (*error).into();
        }
        servers.insert(upstream.name.to_string(), server);
    }
    servers
}
