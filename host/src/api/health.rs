//! `GET /api/health` (NAV-15): whether the counter is open, and what is behind it.

use axum::{Json, extract::State};
use serde_json::{Map, Value, json};

use crate::{control::Troubles, page, registry::Registry, servers::Servers};

/// What health is told from. Never waits for a component.
#[derive(Clone)]
pub(crate) struct Health {
    pub(crate) registry: Registry,
    pub(crate) troubles: Troubles,
    pub(crate) servers: Servers,
}

/// Always 200; `degraded` where something that is configured does not work.
pub(crate) async fn answer(State(health): State<Health>) -> Json<Value> {
    let catalog = health.registry.catalog();
    let troubles = health.troubles.lock().unwrap_or_else(|it| it.into_inner()).clone();
    let mut components = Map::new();
    for it in catalog.components() {
        let component = json!({
            "status": "running",
            "digest": it.digest(),
            "generation": it.generation(),
            "tools": it.tools().len(),
        });
        components.insert(it.name().to_string(), component);
    }
    for (name, trouble) in &troubles {
        let component = components.entry(name).or_insert_with(|| json!({ "status": "stopped" }));
        component["error"] = trouble.as_str().into();
    }
    let (mut servers, mut is_whole) = (Map::new(), troubles.is_empty());
    for it in health.servers.statuses() {
        let tools = catalog.served().tools().filter(|tool| tool.server.name == it.name);
        let mut server = json!({ "status": it.word, "tools": tools.count() });
        if let Some(error) = it.error {
            server["error"] = (*error).into();
            is_whole = false;
        }
        servers.insert(it.name.to_string(), server);
    }
    let tools: Vec<_> = catalog.names().collect();
    Json(json!({
        "status": if is_whole { "ok" } else { "degraded" },
        "version": env!("CARGO_PKG_VERSION"),
        "services": {
            "claude": "not_configured",
            "googleMaps": "not_configured",
            "mcpServer": "running",
        },
        "tools": tools,
        "components": components,
        "servers": servers,
        "page": page::is_present(),
    }))
}
