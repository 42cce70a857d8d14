//! The operator's access: the key, kept in this tab, requests made with it, and the rate of calls as a line chart.

pub(crate) mod client;
pub(crate) mod data;
pub(crate) mod reports;
pub(crate) mod units;

use std::collections::VecDeque;
use std::fmt::Write;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::access;
use crate::browser::{self, Keep};
use crate::error::CallError;
use crate::history;
use crate::page::{Admission, lasting, page};
use crate::rest;
use crate::route::{OperatorTab, Route, decoded};
use crate::text::Key;
use data::Now;

/// Storage key of the operator key in this tab.
const STORAGE_KEY: &str = "operator-key";

/// Whether the host accepts the operator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Access {
    /// Accepted, as far as is known.
    Open,
    /// A key is required; with the reason why the last one was rejected.
    Shut(Option<CallError>),
}

/// Whether the operator's views are offered; lasts as long as the page.
#[derive(Clone, Copy)]
pub(crate) struct OperatorOffer {
    key: RwSignal<Option<String>>,
    /// Whether the host says that the page's own token is an operator's.
    is_operator: RwSignal<bool>,
}

/// State of the operator's views; lasts as long as the page.
#[derive(Clone, Copy)]
pub(crate) struct Operator {
    pub(crate) offer: OperatorOffer,
    pub(crate) access: RwSignal<Access>,
    /// The server's readings of the last minutes.
    pub(crate) readings: RwSignal<Readings>,
    /// Result of the last upload of a component, even after leaving its view.
    pub(crate) sent: RwSignal<Option<Sent>>,
    /// The last one-time link, and its recipient.
    pub(crate) link: RwSignal<Option<(String, String)>>,
    /// Error of an order whose view was left meanwhile.
    pub(crate) failed: RwSignal<Option<CallError>>,
}

/// Result of uploading a component.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sent {
    /// It serves, as the revision of that number.
    Serves(String, u64),
    /// It waits for the operator's approval.
    Waits(String),
    /// The host refuses it, with the reason.
    Refused(String, CallError),
    /// The file cannot be sent.
    Wrong(String, u64),
    /// The result is unknown.
    Failed(CallError),
}

/// The host's description of the caller.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Identity {
    is_operator: bool,
}

impl OperatorOffer {
    /// Takes the key kept by this tab or carried by the address, now and later.
    pub(crate) fn new() -> Self {
        let offer = Self {
            key: RwSignal::new(Keep::Tab.get(STORAGE_KEY)),
            is_operator: RwSignal::new(false),
        };
        offer.read_address();
        let _listener =
            window_event_listener(leptos::ev::hashchange, move |_| offer.read_address());
        Effect::new(move |_| offer.check_operator(page().admission.get()));
        offer
    }

    /// Whether the operator's views are offered.
    pub(crate) fn is_offered(self) -> bool {
        self.has_key() || self.is_operator.get()
    }

    /// Whether a key is kept.
    pub(crate) fn has_key(self) -> bool {
        self.key.with(Option::is_some)
    }

    fn keep(self, key: &str) {
        Keep::Tab.put(STORAGE_KEY, &key);
        self.key.set(Some(key.to_owned()));
    }

    /// Takes the key out of the address and keeps it.
    fn read_address(self) {
        let Some(given) = key_of(&browser::hash()) else { return };
        history::replace_hash(&Route::Operator(OperatorTab::Now).hash());
        if let Some(key) = access::read(&given) {
            self.keep(&key);
        }
    }

    /// Asks the host whether the page's own token is an operator's, if there is one.
    fn check_operator(self, admission: Admission) {
        if admission != Admission::Open || !access::is_entered() {
            return self.is_operator.set(false);
        }
        spawn_local(async move {
            let identity = rest::get::<Identity>("/api/page").await.unwrap_or_default();
            self.is_operator.set(identity.is_operator && access::is_entered());
        });
    }
}

impl Operator {
    /// Returns the page's own instance.
    pub(crate) fn shared() -> Self {
        lasting(|| {
            let (offer, access): (OperatorOffer, _) =
                (expect_context(), RwSignal::new(Access::Open));
            // A later address may carry a key.
            Effect::new(move |_| {
                if offer.has_key() && access.get_untracked() != Access::Open {
                    access.set(Access::Open);
                }
            });
            let readings = RwSignal::new(Readings::default());
            let (sent, link) = (RwSignal::new(None), RwSignal::new(None));
            Self { offer, access, readings, sent, link, failed: RwSignal::new(None) }
        })
    }

    /// Retries access when the view is entered, if there is a key or token.
    pub(crate) fn retry(self) {
        let has_any = untrack(|| self.offer.has_key()) || access::is_entered();
        match self.access.get_untracked() {
            Access::Open if !has_any => self.access.set(Access::Shut(None)),
            Access::Shut(_) if has_any => self.access.set(Access::Open),
            _ => {}
        }
    }

    /// Tries a key and keeps it if it is accepted.
    pub(crate) async fn enter(self, key: &str) -> Result<(), CallError> {
        client::get::<Now>("now", Some(key)).await?;
        self.offer.keep(key);
        page().announce_key(Key::OperatorEntered);
        Ok(())
    }

    pub(crate) fn leave(self) {
        self.forget(None);
        if self.offer.is_operator.get_untracked() && access::is_entered() {
            self.access.set(Access::Open);
        }
    }

    /// Fetches an operator address.
    pub(crate) async fn get<T: DeserializeOwned>(self, path: &str) -> Result<T, CallError> {
        let key = self.offer.key.get_untracked();
        let found = client::get(path, key.as_deref()).await;
        if let Err(error) = &found {
            let is_forbidden =
                matches!(error, CallError::Refused(refusal) if refusal.status == 403);
            self.weigh(error, key.as_ref(), is_forbidden);
        }
        found
    }

    /// Sends a request with the kept key. A read-only operator is refused here but keeps access.
    async fn sent<T>(
        self,
        send: impl AsyncFnOnce(Option<&str>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let key = self.offer.key.get_untracked();
        send(key.as_deref()).await.inspect_err(|it| self.weigh(it, key.as_ref(), false))
    }

    /// Closes access if the host rejects the key that was sent and it is still the current one.
    fn weigh(self, error: &CallError, sent: Option<&String>, is_forbidden: bool) {
        let is_refused = *error == CallError::Unauthorized || is_forbidden;
        let is_current = self.offer.key.with_untracked(|it| it.as_ref() == sent);
        if is_refused && is_current {
            self.forget((sent.is_some() || is_forbidden).then(|| error.clone()));
        }
    }

    fn forget(self, why: Option<CallError>) {
        Keep::Tab.remove(STORAGE_KEY);
        self.offer.key.set(None);
        self.readings.set(Readings::default());
        self.sent.set(None);
        self.link.set(None);
        self.failed.set(None);
        self.access.set(Access::Shut(why));
    }
}

/// Extracts the key of `#/operator?key=KEY`.
fn key_of(hash: &str) -> Option<String> {
    let (path, query) = hash.split_once('?')?;
    let is_ours = path.trim_start_matches('#').trim_matches('/') == "operator";
    let value = query.split('&').find_map(|it| it.strip_prefix("key="));
    value.filter(|_| is_ours).map(decoded)
}

/// Repeats an action while its view exists, except while the page is hidden or the action is not wanted.
pub(crate) fn repeat<F: Future<Output = ()> + 'static>(
    every: Duration,
    is_wanted: impl Fn() -> bool + 'static,
    work: impl Fn() -> F + 'static,
) {
    let view = StoredValue::new(());
    spawn_local(async move {
        while view.try_get_value().is_some() {
            if browser::is_visible() && is_wanted() {
                work().await;
            }
            browser::sleep(every).await;
        }
    });
}

/// Time span of the line in seconds.
const SPAN_S: f64 = 120.0;
/// Maximum number of points.
const POINTS_MAX: usize = 60;
/// Size of the chart in its own units.
pub(crate) const WIDTH: f64 = 600.0;
pub(crate) const HEIGHT: f64 = 120.0;
/// Space above the highest point.
const HEADROOM: f64 = 6.0;

/// One reading of the server's counters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) uptime_s: f64,
    pub(crate) calls: u64,
}

/// Calls per second between two readings of one run of the server.
pub(crate) fn rate(before: Reading, after: Reading) -> Option<f64> {
    let seconds = after.uptime_s - before.uptime_s;
    let calls = after.calls.checked_sub(before.calls)?;
    (seconds > 0.0).then(|| calls as f64 / seconds)
}

/// Call rates of the last two minutes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Readings {
    last: Option<Reading>,
    /// Uptime of the server, and the rate.
    points: VecDeque<(f64, f64)>,
}

impl Readings {
    /// Adds a reading; a restart of the server clears the earlier ones.
    pub(crate) fn take(&mut self, reading: Reading) {
        let Some(last) = self.last.replace(reading) else { return };
        if reading.calls < last.calls || reading.uptime_s < last.uptime_s {
            self.points.clear();
        } else if let Some(rate) = rate(last, reading) {
            self.points.push_back((reading.uptime_s, rate));
        }
        let since = reading.uptime_s - SPAN_S;
        while self.points.len() > POINTS_MAX || self.points.front().is_some_and(|it| it.0 < since) {
            self.points.pop_front();
        }
    }

    pub(crate) fn latest(&self) -> Option<f64> {
        self.points.back().map(|it| it.1)
    }

    pub(crate) fn most(&self) -> Option<f64> {
        self.points.iter().map(|it| it.1).reduce(f64::max)
    }

    /// Whether there is a line to draw.
    pub(crate) fn is_line(&self) -> bool {
        self.points.len() > 1
    }

    /// The line as an SVG path, with the latest point at the right.
    pub(crate) fn line(&self) -> String {
        let Some(last) = self.points.back() else { return String::new() };
        let most = self.most().unwrap_or_default().max(1.0);
        let mut path = String::new();
        for (index, (at, rate)) in self.points.iter().enumerate() {
            let x = WIDTH * (1.0 - (last.0 - at) / SPAN_S);
            let y = HEIGHT - (HEIGHT - HEADROOM) * rate / most;
            let letter = if index == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{letter}{x:.1} {y:.1}");
        }
        path
    }

    /// The area below the line as an SVG path.
    pub(crate) fn area(&self) -> String {
        let (Some(first), Some(last)) = (self.points.front(), self.points.back()) else {
            return String::new();
        };
        let begin = WIDTH * (1.0 - (last.0 - first.0) / SPAN_S);
        format!("{}L{WIDTH:.1} {HEIGHT:.1}L{begin:.1} {HEIGHT:.1}Z", self.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_key_only_from_operator_address() {
        assert_eq!(key_of("#/operator?key=a-b_c").as_deref(), Some("a-b_c"));
        assert_eq!(key_of("#/operator/?x=1&key=a%2Bb").as_deref(), Some("a+b"));
        assert_eq!(key_of("#/operator?key=").as_deref(), Some(""), "it goes from the address, too");
        for hash in ["", "#/operator", "#/operator?k=a", "#/chat?key=a", "#/operator/calls?key=a"] {
            assert_eq!(key_of(hash), None, "{hash}");
        }
    }

    #[test]
    fn address_with_key_opens_operator_view() {
        let place = Route::Operator(OperatorTab::Now);
        assert_eq!(Route::parse("#/operator?key=a-b_c"), place);
        assert_eq!(place.hash(), "#/operator", "without the key");
    }

    #[test]
    fn reader_is_no_operator_unless_host_says_so() {
        let is_operator = |text: &str| serde_json::from_str::<Identity>(text).unwrap().is_operator;
        assert!(is_operator(r#"{"tiles": null, "isOperator": true}"#));
        assert!(!is_operator(r#"{"tiles": null}"#));
    }

    fn at(uptime_s: f64, calls: u64) -> Reading {
        Reading { uptime_s, calls }
    }

    #[test]
    fn computes_call_rate_from_two_readings() {
        assert_eq!(rate(at(10.0, 100), at(12.0, 107)), Some(3.5));
        assert_eq!(rate(at(10.0, 100), at(12.0, 100)), Some(0.0));
        assert_eq!(rate(at(900.0, 100), at(2.0, 3)), None, "the server started anew");
        assert_eq!(rate(at(900.0, 3), at(2.0, 9)), None, "so it did here");
        assert_eq!(rate(at(10.0, 100), at(10.0, 101)), None, "no time has passed");
    }

    #[test]
    fn restart_begins_new_line() {
        let mut readings = Readings::default();
        for reading in [at(10.0, 0), at(12.0, 4), at(14.0, 20)] {
            readings.take(reading);
        }
        assert_eq!((readings.latest(), readings.most()), (Some(8.0), Some(8.0)));
        readings.take(at(1.0, 2));
        assert_eq!(readings.latest(), None);
        readings.take(at(3.0, 4));
        assert_eq!(readings.latest(), Some(1.0));
    }

    #[test]
    fn draws_only_last_two_minutes() {
        let mut readings = Readings::default();
        for second in (0..600).step_by(2) {
            readings.take(at(f64::from(second), 0));
        }
        assert!(readings.points.len() <= POINTS_MAX && readings.is_line());
        assert!(readings.line().ends_with("L600.0 120.0"), "no calls are a line on the ground");
        readings.take(at(2_000.0, 10));
        assert_eq!(readings.points.len(), 1, "what is older is gone");
    }
}
