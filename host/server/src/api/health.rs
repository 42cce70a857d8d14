//! The route `GET /api/health` (NAV-15): the state of the server and of everything that the caller may see. Components
//! report states of services: a request asks them and waits briefly; where they are slow, their last answer counts. `GET
//! /api/ready` (STO-40): whether this node accepts requests.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Json,
    extract::{RawQuery, State},
};
use futures::future::join_all;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::api;
use base::{caller::Caller, config::Config, toolsets::Owner};
use calls::authorization::{Stranger, caller_of};
use mcp::{Servers, Status};
use registry::{Catalog, Registry, control::ReportedErrors};
use sandbox::component::Request;
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
    let asked = api::query_pairs(&query.unwrap_or_default()).unwrap_or_default();
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

/// Maximum interval between checks.
const EVERY: Duration = Duration::from_secs(30);
/// Minimum interval between checks, however many requests arrive.
const EVERY_MIN: Duration = Duration::from_secs(1);
/// How long a request waits for answers.
const PATIENCE: Duration = Duration::from_millis(250);
/// Maximum age of a reported answer (NAV-15).
const AGE_MAX: Duration = Duration::from_secs(60);
/// The status of a service that fails.
const ERROR: &str = "error";

/// A look-up with which a component reports its part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LookUp {
    component: String,
    path: String,
}

/// The last answers and when they came, by component.
type Answers = BTreeMap<String, (Instant, Map<String, Value>)>;

/// All look-ups and their last answers.
#[derive(Clone, Default)]
pub(crate) struct Services {
    look_ups: Arc<[LookUp]>,
    answers: Arc<Mutex<Answers>>,
    wanted: Arc<Notify>,
    /// Time of the last complete check.
    last: Arc<Mutex<Option<Instant>>>,
    /// Notifies all waiting requests of a complete check.
    asked: watch::Sender<()>,
}

impl Services {
    /// Asks all that `config` names from now on, until `stop`.
    pub(crate) fn start(
        config: &Config,
        registry: &Registry,
        stop: &CancellationToken,
    ) -> (Self, JoinHandle<()>) {
        let look_ups = config.components.iter().filter_map(|(component, config)| {
            let path = config.health.clone()?;
            Some(LookUp { component: component.clone(), path })
        });
        let services = Self { look_ups: look_ups.collect(), ..Self::default() };
        let task = services.clone().watch(registry.clone(), stop.clone());
        (services, tokio::spawn(task))
    }

    /// Current reports of all components, or those of the last minute where they were just asked or are slow. A
    /// component that no longer answers fails with all services it reported.
    pub(crate) async fn reports(&self) -> Vec<Map<String, Value>> {
        if !self.look_ups.is_empty() && self.is_due() {
            let mut asked = self.asked.subscribe();
            self.wanted.notify_one();
            let _ = timeout(PATIENCE, asked.changed()).await;
        }
        self.latest_answers()
    }

    /// Whether the last answers are old enough to ask again.
    fn is_due(&self) -> bool {
        self.last.lock().is_none_or(|it| it.elapsed() >= EVERY_MIN)
    }

    /// Comes when it is to be asked again: a request that came while all were asked has their answers.
    async fn is_wanted(&self) {
        loop {
            self.wanted.notified().await;
            if self.is_due() {
                return;
            }
        }
    }

    fn latest_answers(&self) -> Vec<Map<String, Value>> {
        let answers = self.answers.lock();
        let services = answers.values().map(|(at, fields)| match at.elapsed() <= AGE_MAX {
            true => fields.clone(),
            false => fields.iter().map(|(name, it)| (name.clone(), failing(it))).collect(),
        });
        services.collect()
    }

    async fn watch(self, registry: Registry, stop: CancellationToken) {
        if self.look_ups.is_empty() {
            return;
        }
        loop {
            let all = self.look_ups.iter().map(|it| timeout(AGE_MAX, ask(&registry, it)));
            let Some(all) = stop.run_until_cancelled(join_all(all)).await else { return };
            {
                let mut answers = self.answers.lock();
                for (it, answer) in self.look_ups.iter().zip(all) {
                    match answer {
                        Ok(Some(Some(fields))) => {
                            answers.insert(it.component.clone(), (Instant::now(), fields));
                        }
                        // No longer served.
                        Ok(Some(None)) => _ = answers.remove(&it.component),
                        _ => {}
                    }
                }
            }
            *self.last.lock() = Some(Instant::now());
            self.asked.send_replace(());
            let wanted = timeout(EVERY, self.is_wanted());
            let Some(_) = stop.run_until_cancelled(wanted).await else { return };
        }
    }
}

/// Whether a part of the report has failed.
pub(crate) fn fails(body: &Value) -> bool {
    match body {
        Value::String(status) => status == ERROR,
        Value::Object(fields) => fields.values().any(fails),
        _ => false,
    }
}

/// Marks connected parts of `value` as failed.
fn failing(value: &Value) -> Value {
    match value {
        Value::String(status) if status == "connected" => ERROR.into(),
        Value::Object(fields) => {
            fields.iter().map(|(name, it)| (name.clone(), failing(it))).collect()
        }
        other => other.clone(),
    }
}

/// Asks a component for its report, an object. The outer `None` means that it cannot answer, the inner one that it is
/// not served.
async fn ask(registry: &Registry, look_up: &LookUp) -> Option<Option<Map<String, Value>>> {
    let component = registry.catalog().component(&look_up.component).cloned();
    let Some(component) = component.filter(|it| it.endpoints_error().is_none()) else {
        return Some(None);
    };
    let request = Request { path: look_up.path.clone(), query: Vec::new(), meta: "{}".to_owned() };
    let answer = component.get(&request, Caller::anonymous()).await.ok()??;
    Some(Some(serde_json::from_str(&answer).ok()?))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn successive_requests_reuse_the_last_check() {
        let look_up = LookUp { component: "navigation".to_owned(), path: "health".to_owned() };
        let services = Services { look_ups: [look_up].into(), ..Services::default() };
        let is_wanted = || services.is_wanted().now_or_never().is_some();
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds));
        let _ = services.reports().await;
        assert!(is_wanted(), "there has been no look yet");
        // In the future, so that it stays fresh however long the test takes.
        *services.last.lock() = Some(Instant::now() + Duration::from_secs(3_600));
        for _ in 0..100 {
            let _ = services.reports().await;
        }
        assert!(services.wanted.notified().now_or_never().is_none(), "NAV-15");
        services.wanted.notify_one();
        assert!(!is_wanted(), "one that came meanwhile has the same answers");
        *services.last.lock() = Some(ago(2).expect("the machine runs that long"));
        let _ = services.reports().await;
        assert!(is_wanted(), "the last look is old");
    }

    #[test]
    fn rejects_stale_status_and_ignores_absent_ones() {
        let services = Services::default();
        let body = json!({ "services": { "maps": "connected", "cars": "not_configured" } });
        let fields = body.as_object().unwrap();
        let put = |ago: Duration| {
            let at = Instant::now().checked_sub(ago).expect("the machine runs that long");
            services.answers.lock().insert("navigation".to_owned(), (at, fields.clone()));
            services.latest_answers().remove(0)["services"].clone()
        };
        assert_eq!(put(Duration::ZERO), fields["services"], "NAV-15");
        let late = put(Duration::from_secs(61));
        assert_eq!(late, json!({ "maps": "error", "cars": "not_configured" }), "NAV-15");
        assert!(fails(&late) && !fails(&fields["services"]));
    }
}
