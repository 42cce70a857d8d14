//! The assistant's part of `/api/health` (NAV-15): the provider of each assistant, and the state of the
//! providers. No provider is called for it, since that costs.

use serde_json::{Map, Value, json};
use toolkit::{
    assistants::running,
    clock::now_s,
    endpoints::{Failure, Request},
    log, sql,
};

use crate::{Ending, ErrorKind, Provider, Run, RunError, Settings, Stopped, Usage, models};

/// The path at which health is reported.
const PATH: &str = "health";

/// Answers a health request.
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

/// State of `provider`: connected, unless it failed recently.
fn status(settings: &Settings, provider: Provider) -> &'static str {
    match provider {
        Provider::Builtin => "connected",
        _ if !settings.models.is_ready(provider) => "not_configured",
        _ if recent_health(provider) == Some(false) => "error",
        _ => "connected",
    }
}

// Usage of runs for the operator's metrics, and the last known state of each provider.

/// Seconds for which the last known state of a provider is valid (NAV-15).
const RECENT_S: u64 = 60;

/// Metrics of a run; dropped unfinished, the host counts the run as cancelled.
pub(crate) struct Tally {
    counted: running::Tally,
    provider: Provider,
}

impl Tally {
    pub(crate) fn begin(assistant: &str, provider: Provider) -> Self {
        Self { counted: running::Tally::new(assistant, provider.name()), provider }
    }

    /// Records how the run ended.
    pub(crate) fn end(self, run: &Result<Run, RunError>, usage: Usage) {
        let Usage { input_tokens, cached_tokens, output_tokens, cost_usd } = usage;
        let usage = running::Usage { input_tokens, cached_tokens, output_tokens, cost_usd };
        self.counted.end(outcome(run), usage);
        if let Some(is_there) = answered(run).filter(|_| self.provider != Provider::Builtin)
            && let Err(error) = record_health(self.provider, is_there)
        {
            log::warning(&format!("how a provider fares is not kept: {error:?}"));
        }
    }
}

/// Label of a run's outcome in the metrics.
fn outcome(run: &Result<Run, RunError>) -> &'static str {
    match run.as_ref().map(|it| &it.ending) {
        Ok(Ending::Concluded(it)) => it.cut.unwrap_or("end"),
        Ok(Ending::Waits { .. }) => "waiting",
        Ok(Ending::Stopped(Stopped::Rounds)) => "max_tool_rounds",
        Ok(Ending::Stopped(Stopped::Time)) => "deadline",
        Ok(Ending::Failed(_)) => "undecided",
        Err(RunError::ModelError(_)) => "undecided",
        Err(RunError::Tool(_) | RunError::NoTools(_)) => "tool_failed",
    }
}

/// Whether the provider answers; `None` if the failure does not show it.
fn answered(run: &Result<Run, RunError>) -> Option<bool> {
    match run {
        Ok(Run { ending: Ending::Failed(it), .. }) | Err(RunError::ModelError(it)) => {
            match it.kind {
                ErrorKind::Key | ErrorKind::Missing | ErrorKind::Failed | ErrorKind::Slow => {
                    Some(false)
                }
                ErrorKind::RateLimited
                | ErrorKind::Blocked
                | ErrorKind::NoPictures
                | ErrorKind::TooLong
                | ErrorKind::Refused => None,
            }
        }
        Ok(_) => Some(true),
        Err(RunError::Tool(_) | RunError::NoTools(_)) => None,
    }
}

/// Stores whether `provider` answered, unless that is already stored.
fn record_health(provider: Provider, answers: bool) -> Result<(), sql::Error> {
    if recent_health(provider) == Some(answers) {
        return Ok(());
    }
    let put = "INSERT INTO providers (name, answered, seen_s) VALUES ($1, $2, $3) \
        ON CONFLICT (name) DO UPDATE SET answered = excluded.answered, seen_s = excluded.seen_s";
    let answers = i64::from(answers);
    let seen_s = now_s();
    sql::transact([toolkit::sql!(put, provider.name(), answers, seen_s)]).map(|_| ())
}

/// Whether `provider` answered when it was last called, if that was recent.
fn recent_health(provider: Provider) -> Option<bool> {
    let last = "SELECT answered, seen_s FROM providers WHERE name = $1";
    let [last] = sql::query([toolkit::sql!(last, provider.name())]).ok()?;
    let (answered, seen_s) = last.first::<(u8, i64)>().ok()??;
    (now_s().abs_diff(seen_s) <= RECENT_S).then_some(answered == 1)
}
