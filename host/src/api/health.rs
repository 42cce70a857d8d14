//! `GET /api/health` (NAV-15): whether the counter is open, and what is behind it that the caller
//! may know of.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use axum::{
    Json,
    extract::{RawQuery, State},
};
use http::{Extensions, HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::{
    query,
    services::{Fares, Services},
};
use crate::{
    assistant::{AssistantConfig, Models, Provider, models},
    authorization::Stranger,
    authorization::caller_of,
    caller::Caller,
    config::Config,
    control::Troubles,
    disk::Disk,
    metrics::{LastSeen, Metrics},
    registry::{Catalog, Registry},
    servers::{Servers, Status},
    tool_set::Owner,
};

/// What health is told from. Never waits for a component.
#[derive(Clone)]
pub(crate) struct Health {
    pub(crate) registry: Registry,
    pub(crate) troubles: Troubles,
    pub(crate) servers: Servers,
    pub(crate) services: Services,
    pub(crate) deciders: Deciders,
    pub(crate) disk: Disk,
    pub(crate) has_page: bool,
}

/// Who decides for assistants, and how they are.
#[derive(Clone)]
pub(crate) struct Deciders {
    assistants: BTreeMap<String, Arc<AssistantConfig>>,
    models: Arc<Models>,
    base: Arc<Path>,
    metrics: Metrics,
}

impl Deciders {
    pub(crate) fn new(config: &Config, metrics: &Metrics) -> Self {
        Self {
            assistants: config.assistants.clone(),
            models: Arc::new(config.models.clone()),
            base: config.base.as_path().into(),
            metrics: metrics.clone(),
        }
    }

    /// How `provider` is, as far as is known without asking it: that costs.
    fn word(&self, provider: Provider) -> &'static str {
        let is_ready =
            self.models.get(provider).is_some_and(|it| it.is_ready(provider, &self.base));
        match self.metrics.last_seen(provider) {
            _ if provider == Provider::Builtin => "connected",
            _ if !is_ready => "not_configured",
            LastSeen::Failed => "error",
            LastSeen::Answered => "connected",
            LastSeen::Unknown => "configured",
        }
    }

    /// Whether one that is configured fails.
    fn has_failed(&self) -> bool {
        let all = [Provider::Claude, Provider::Gemini, Provider::OpenAi];
        all.into_iter().any(|it| self.word(it) == "error")
    }

    /// Each assistant with whoever decides for it.
    fn told(&self) -> Map<String, Value> {
        let each = |(name, it): (&String, &Arc<AssistantConfig>)| {
            let chosen = models::chosen(it, &self.models, &self.base);
            let told = json!({
                "provider": chosen.provider.name(),
                "model": &*chosen.model,
                "status": self.word(chosen.provider),
            });
            (name.clone(), told)
        };
        self.assistants.iter().filter(|it| it.1.is_enabled()).map(each).collect()
    }
}

/// 200, and `degraded` where something that is configured does not work. With `?ready`, 503 as long as
/// nothing can be written.
pub(crate) async fn answer(
    State(health): State<Health>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    extensions: Extensions,
) -> (StatusCode, Json<Value>) {
    let disk = health.disk.trouble().await;
    let asked = query::pairs(&query.unwrap_or_default()).unwrap_or_default();
    let is_for_readiness = asked.iter().any(|(name, _)| name == "ready");
    let status = match &disk {
        Some(_) if is_for_readiness => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::OK,
    };
    (status, Json(told(&health, disk.as_deref(), &headers, &extensions)))
}

fn told(
    health: &Health,
    disk: Option<&str>,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Value {
    let caller = caller_of(headers, extensions);
    let catalog = health.registry.catalog();
    let mut troubles = health.troubles.lock().unwrap_or_else(|it| it.into_inner()).clone();
    let statuses: Vec<_> = health.servers.statuses().collect();
    let services = health.services.fare();
    let is_whole =
        disk.is_none() && troubles.is_empty() && statuses.iter().all(|it| it.error.is_none());
    let is_whole = is_whole
        && services.values().all(|it| *it != Fares::Failed)
        && !health.deciders.has_failed();
    let status = if is_whole { "ok" } else { "degraded" };
    let version = env!("CARGO_PKG_VERSION");
    if extensions.get::<Stranger>().is_some() {
        return json!({ "status": status, "version": version });
    }
    let sees = |name: &str| caller.may_use(Owner::Component(name));
    troubles.retain(|name, _| sees(name));
    let mut components = Map::new();
    let seen = catalog.components().filter(|it| {
        let owner = Owner::Component(it.name());
        sees(it.name())
            || it.tools().iter().any(|it| caller.may_call(owner, &it.name, it.hints.read_only))
    });
    for it in seen {
        let component = json!({
            "status": if it.are_settings_refused() { "failing" } else { "running" },
            "digest": it.digest(),
            "generation": it.generation(),
            "tools": it.tools().len(),
        });
        components.insert(it.name().to_string(), component);
    }
    for (name, trouble) in &troubles {
        let component = components.entry(name).or_insert_with(|| json!({ "status": "stopped" }));
        component["error"] = trouble.public.as_str().into();
    }
    let own = catalog.offers();
    let own = own.filter(|(owner, it)| caller.may_call(*owner, &it.name, it.hints.read_only));
    let served = catalog.served().tools().filter(|it| it.is_open_to(&caller));
    let tools = own.map(|(_, it)| &*it.name).chain(served.map(|it| &*it.name));
    let tools: Vec<_> = tools.collect();
    let mut told = json!({
        "status": status,
        "version": version,
        "services": {
            "claude": health.deciders.word(Provider::Claude),
            "mcpServer": "running",
        },
        "tools": tools,
        "components": components,
        "servers": servers(&catalog, &caller, statuses),
        "assistants": health.deciders.told(),
        "models": {
            "claude": health.deciders.word(Provider::Claude),
            "gemini": health.deciders.word(Provider::Gemini),
            "openai": health.deciders.word(Provider::OpenAi),
        },
        "page": health.has_page,
        "disk": { "status": if disk.is_some() { "failing" } else { "ok" } },
    });
    for (service, fares) in services {
        // What is the server's own is not for a component to say.
        if told["services"][service].is_null() {
            told["services"][service] = fares.word().into();
        }
    }
    if let Some(why) = disk {
        told["disk"]["error"] = format!("the data folder cannot be written: {why}").into();
    }
    told
}

/// How each server is that `caller` may know of.
fn servers(catalog: &Catalog, caller: &Caller, statuses: Vec<Status>) -> Map<String, Value> {
    let mut servers = Map::new();
    for it in statuses {
        let tools = catalog.served().tools().filter(|tool| tool.server.name == it.name);
        let open = tools.filter(|it| it.is_open_to(caller)).count();
        if open == 0 && !caller.may_use(Owner::Server(&it.name)) {
            continue;
        }
        let mut server = json!({ "status": it.word, "tools": open });
        if let Some(error) = it.error {
            server["error"] = (*error).into();
        }
        servers.insert(it.name.to_string(), server);
    }
    servers
}
