//! How whoever finds routes fares, for `GET /api/health` (NAV-15): asked in the background, so that no
//! request for health ever waits for a component.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::{sync::Notify, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{caller::Caller, component::Request, registry::Registry};

/// The component that finds routes, and the look-up by which it says how it fares.
const COMPONENT: &str = "navigation";
const ABOUT: &str = "about";
/// How often it is asked, at least and at most.
const EVERY: Duration = Duration::from_secs(30);
const APART: Duration = Duration::from_secs(1);
/// How old an answer may be that is told (NAV-15).
const AGE_MAX: Duration = Duration::from_secs(60);
/// Statuses of a provider that did its work, whatever it found (NAV-40).
const WORKS: [&str; 6] =
    ["OK", "ZERO_RESULTS", "NOT_FOUND", "INVALID_REQUEST", "OUTSIDE_MAP", "MAX_WAYPOINTS_EXCEEDED"];

/// How the provider of maps fares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fares {
    /// None from elsewhere is set.
    #[default]
    NotConfigured,
    Connected,
    /// The last request to it failed.
    Failed,
}

impl Fares {
    /// As NAV-15 calls it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::NotConfigured => "not_configured",
            Self::Connected => "connected",
            Self::Failed => "error",
        }
    }

    /// What `about` says.
    fn of(about: &Value) -> Self {
        if !about["provider"].as_str().is_some_and(|it| it.starts_with("google")) {
            return Self::NotConfigured;
        }
        match about["last"]["status"].as_str() {
            Some(status) if !WORKS.contains(&status) => Self::Failed,
            _ => Self::Connected,
        }
    }
}

/// What was heard last.
#[derive(Clone, Default)]
pub(crate) struct Maps {
    heard: Arc<Mutex<Option<(Instant, Fares)>>>,
    wanted: Arc<Notify>,
}

impl Maps {
    /// Asks from now on, until `stop`.
    pub(crate) fn start(registry: &Registry, stop: &CancellationToken) -> (Self, JoinHandle<()>) {
        let maps = Self::default();
        let task = maps.clone().watch(registry.clone(), stop.clone());
        (maps, tokio::spawn(task))
    }

    /// How it fares, as far as was heard within the last minute; and has it asked again soon.
    pub(crate) fn fares(&self) -> Fares {
        self.wanted.notify_one();
        let heard = *self.heard.lock().unwrap_or_else(|it| it.into_inner());
        match heard {
            Some((at, fares)) if at.elapsed() <= AGE_MAX => fares,
            // It was there and does not answer any more.
            Some((_, Fares::Connected | Fares::Failed)) => Fares::Failed,
            _ => Fares::NotConfigured,
        }
    }

    async fn watch(self, registry: Registry, stop: CancellationToken) {
        loop {
            let asked = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                asked = timeout(AGE_MAX, ask(&registry)) => asked,
            };
            if let Ok(Some(fares)) = asked {
                let mut heard = self.heard.lock().unwrap_or_else(|it| it.into_inner());
                *heard = Some((Instant::now(), fares));
            }
            let wanted = async {
                tokio::time::sleep(APART).await;
                let _ = timeout(EVERY, self.wanted.notified()).await;
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = wanted => {}
            }
        }
    }
}

/// What the component says now; nothing where it cannot say.
async fn ask(registry: &Registry) -> Option<Fares> {
    let component = registry.catalog().component(COMPONENT).cloned();
    let Some(component) = component.filter(|it| it.why_no_endpoints().is_none()) else {
        return Some(Fares::NotConfigured);
    };
    let request = Request { path: ABOUT.to_owned(), query: Vec::new(), meta: "{}".to_owned() };
    let about = component.get(&request, Caller::anonymous()).await.ok()??;
    Some(Fares::of(&serde_json::from_str(&about).ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_provider_fares_as_its_last_request_went() {
        let fares = |provider: &str, last: Value| {
            Fares::of(&json!({ "provider": provider, "last": last })).word()
        };
        let status = |it: &str| json!({ "status": it, "at": "2026-11-21T00:00:00Z" });
        assert_eq!(fares("builtin", Value::Null), "not_configured", "NAV-15");
        assert_eq!(fares("osrm", status("UNKNOWN_ERROR")), "not_configured", "NAV-15");
        assert_eq!(fares("google-routes", Value::Null), "connected", "NAV-15");
        for (last, word) in [
            ("OK", "connected"),
            ("ZERO_RESULTS", "connected"),
            ("OVER_QUERY_LIMIT", "error"),
            ("REQUEST_DENIED", "error"),
            ("UNKNOWN_ERROR", "error"),
        ] {
            assert_eq!(fares("google-legacy", status(last)), word, "NAV-15: {last}");
        }
        assert_eq!(Fares::of(&json!(null)), Fares::NotConfigured);
    }

    #[test]
    fn what_was_heard_too_long_ago_is_told_as_an_error_and_never_heard_as_nothing() {
        let maps = Maps::default();
        assert_eq!(maps.fares(), Fares::NotConfigured, "NAV-15");
        let heard = |ago: Duration, fares| {
            let at = Instant::now().checked_sub(ago).expect("the machine runs that long");
            *maps.heard.lock().unwrap() = Some((at, fares));
            maps.fares()
        };
        assert_eq!(heard(Duration::ZERO, Fares::Connected), Fares::Connected, "NAV-15");
        assert_eq!(heard(Duration::from_secs(61), Fares::Connected), Fares::Failed, "NAV-15");
        assert_eq!(heard(Duration::from_secs(61), Fares::NotConfigured), Fares::NotConfigured);
    }
}
