//! The assistant's part of `/api/health` (NAV-15): what decides for each assistant, and how the providers fare.
//! None of them is asked for it: that costs.

use serde_json::{Map, Value, json};
use toolkit::endpoints::{Failure, Request};

use crate::{Provider, Settings, models, tally};

/// The path at which health is reported.
const PATH: &str = "health";

/// Answers a look-up.
pub(crate) fn get(request: &Request) -> Result<Value, Failure> {
    if request.path != PATH {
        return Err(Failure::NotFound);
    }
    let settings = Settings::read().map_err(toolkit::Stop::from)?;
    let status = |it: Provider| status(&settings, it);
    let mut assistants = Map::new();
    for (name, it) in settings.assistants.iter().filter(|it| it.1.enabled) {
        let chosen = models::chosen(it, &settings.models);
        let status = json!({
            "provider": chosen.provider.name(),
            "model": &*chosen.model,
            "status": status(chosen.provider),
        });
        assistants.insert(name.clone(), status);
    }
    let models = Provider::models().map(|it| (it.name().to_owned(), status(it).into()));
    let models = Map::from_iter(models);
    Ok(json!({
        "services": { "claude": models["claude"] },
        "assistants": assistants,
        "models": models,
    }))
}

/// How `provider` is: connected, unless it failed a moment ago.
fn status(settings: &Settings, provider: Provider) -> &'static str {
    match provider {
        Provider::Builtin => "connected",
        _ if !settings.models.is_ready(provider) => "not_configured",
        _ if tally::last_seen(provider) == Some(false) => "error",
        _ => "connected",
    }
}
