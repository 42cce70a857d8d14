//! How the services fare that components use, for `GET /api/health` (NAV-15): asked in the background, so
//! that no request for health ever waits for a component.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::future::join_all;
use serde_json::Value;
use tokio::{sync::Notify, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{caller::Caller, component::Request, config::Config, registry::Registry};

/// How often they are asked, at least and at most.
const EVERY: Duration = Duration::from_secs(30);
const APART: Duration = Duration::from_secs(1);
/// How old an answer may be that is told (NAV-15).
const AGE_MAX: Duration = Duration::from_secs(60);

/// How a service fares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fares {
    /// None is set.
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

    /// What a look-up says: `{"status": …}` in the same words.
    fn of(answer: &Value) -> Option<Self> {
        let all = [Self::NotConfigured, Self::Connected, Self::Failed];
        all.into_iter().find(|it| answer["status"] == it.word())
    }
}

/// Where it is said how a service fares.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LookUp {
    service: String,
    component: String,
    path: String,
}

/// What was heard last.
#[derive(Clone, Default)]
pub(crate) struct Services {
    look_ups: Arc<[LookUp]>,
    heard: Arc<Mutex<BTreeMap<String, (Instant, Fares)>>>,
    wanted: Arc<Notify>,
}

impl Services {
    /// Asks for all that `config` names from now on, until `stop`.
    pub(crate) fn start(
        config: &Config,
        registry: &Registry,
        stop: &CancellationToken,
    ) -> (Self, JoinHandle<()>) {
        let look_ups = config.components.iter().flat_map(|(component, it)| {
            it.services.iter().map(|(service, path)| LookUp {
                service: service.clone(),
                component: component.clone(),
                path: path.clone(),
            })
        });
        let services = Self { look_ups: look_ups.collect(), ..Self::default() };
        let task = services.clone().watch(registry.clone(), stop.clone());
        (services, tokio::spawn(task))
    }

    /// How each fares, as far as was heard within the last minute; and has them asked again soon.
    pub(crate) fn fare(&self) -> BTreeMap<&str, Fares> {
        self.wanted.notify_one();
        self.look_ups.iter().map(|it| (it.service.as_str(), self.fares(&it.service))).collect()
    }

    fn fares(&self, service: &str) -> Fares {
        let heard = self.heard.lock().unwrap_or_else(|it| it.into_inner());
        match heard.get(service) {
            Some((at, fares)) if at.elapsed() <= AGE_MAX => *fares,
            // It was there and does not answer any more.
            Some((_, Fares::Connected | Fares::Failed)) => Fares::Failed,
            _ => Fares::NotConfigured,
        }
    }

    async fn watch(self, registry: Registry, stop: CancellationToken) {
        if self.look_ups.is_empty() {
            return;
        }
        loop {
            let all = self.look_ups.iter().map(|it| timeout(AGE_MAX, ask(&registry, it)));
            let all = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                all = join_all(all) => all,
            };
            {
                let mut heard = self.heard.lock().unwrap_or_else(|it| it.into_inner());
                for (it, answer) in self.look_ups.iter().zip(all) {
                    if let Ok(Some(fares)) = answer {
                        heard.insert(it.service.clone(), (Instant::now(), fares));
                    }
                }
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
async fn ask(registry: &Registry, it: &LookUp) -> Option<Fares> {
    let component = registry.catalog().component(&it.component).cloned();
    let Some(component) = component.filter(|it| it.why_no_endpoints().is_none()) else {
        return Some(Fares::NotConfigured);
    };
    let request = Request { path: it.path.clone(), query: Vec::new(), meta: "{}".to_owned() };
    let answer = component.get(&request, Caller::anonymous()).await.ok()??;
    Fares::of(&serde_json::from_str(&answer).ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_service_fares_as_its_component_says() {
        for (answer, fares) in [
            (json!({ "status": "connected" }), Some(Fares::Connected)),
            (json!({ "status": "error", "more": 1 }), Some(Fares::Failed)),
            (json!({ "status": "not_configured" }), Some(Fares::NotConfigured)),
            (json!({ "status": "well" }), None),
            (json!(null), None),
        ] {
            assert_eq!(Fares::of(&answer), fares, "{answer}");
        }
    }

    #[test]
    fn what_was_heard_too_long_ago_is_told_as_an_error_and_never_heard_as_nothing() {
        let services = Services::default();
        assert_eq!(services.fares("maps"), Fares::NotConfigured, "NAV-15");
        let heard = |ago: Duration, fares| {
            let at = Instant::now().checked_sub(ago).expect("the machine runs that long");
            services.heard.lock().unwrap().insert("maps".to_owned(), (at, fares));
            services.fares("maps")
        };
        assert_eq!(heard(Duration::ZERO, Fares::Connected), Fares::Connected, "NAV-15");
        assert_eq!(heard(Duration::from_secs(61), Fares::Connected), Fares::Failed, "NAV-15");
        assert_eq!(heard(Duration::from_secs(61), Fares::NotConfigured), Fares::NotConfigured);
    }
}
