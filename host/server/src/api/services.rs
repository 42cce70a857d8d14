//! Service states that components report for `GET /api/health` (NAV-15). A request for health asks them and waits
//! briefly. Where they are slow, their last answer counts.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::join_all;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use base::{caller::Caller, config::Config};
use registry::Registry;
use sandbox::component::Request;

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
