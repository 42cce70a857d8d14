//! The operator's place: the key that opens it, kept in this tab, what is asked with it, and the calls a second that
//! the server's answers come to, with the line that they make.

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
use crate::page::{Door, lasting, page};
use crate::rest;
use crate::route::{OperatorTab, Route, decoded};
use crate::text::Key;
use data::Now;

/// Where the tab keeps the key.
const KEPT: &str = "operator-key";

/// Whether the host answers the operator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Gate {
    /// It does, as far as is known.
    Open,
    /// It wants a key; with why the last one did not do.
    Shut(Option<CallError>),
}

/// Whether there is a way to the operator's place, which every visit wants to know; lives as long as the page.
#[derive(Clone, Copy)]
pub(crate) struct OperatorWay {
    key: RwSignal<Option<String>>,
    /// Whether the host says that the page's own token is an operator's.
    is_operator: RwSignal<bool>,
}

/// What the operator's place knows; lives as long as the page.
#[derive(Clone, Copy)]
pub(crate) struct Operator {
    pub(crate) way: OperatorWay,
    pub(crate) gate: RwSignal<Gate>,
    /// What the server reported of itself over the last minutes.
    pub(crate) readings: RwSignal<Readings>,
    /// What came of the component that was sent last, wherever the operator is by then.
    pub(crate) sent: RwSignal<Option<Sent>>,
    /// The last link that works once, and for whom it is.
    pub(crate) link: RwSignal<Option<(String, String)>>,
    /// Why an order was not carried out whose place was left meanwhile.
    pub(crate) failed: RwSignal<Option<CallError>>,
}

/// What came of a component that was sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sent {
    /// It serves, as the generation of that number.
    Serves(String, u64),
    /// It waits for the operator's approval.
    Waits(String),
    /// The host does not want it, and says why.
    Refused(String, CallError),
    /// The file is none to send.
    Wrong(String, u64),
    /// It is not known what the host makes of it.
    Failed(CallError),
}

/// What the host reports of whom it answers.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Told {
    is_operator: bool,
}

impl OperatorWay {
    /// Takes up the key that this tab kept, or that the address carries, now and later.
    pub(crate) fn new() -> Self {
        let way =
            Self { key: RwSignal::new(Keep::Tab.get(KEPT)), is_operator: RwSignal::new(false) };
        way.read_address();
        let _listener = window_event_listener(leptos::ev::hashchange, move |_| way.read_address());
        Effect::new(move |_| way.ask_who(page().door.get()));
        way
    }

    /// Whether there is a way to the place.
    pub(crate) fn is_offered(self) -> bool {
        self.has_key() || self.is_operator.get()
    }

    /// Whether a key is kept, which can be forgotten.
    pub(crate) fn has_key(self) -> bool {
        self.key.with(Option::is_some)
    }

    fn keep(self, key: &str) {
        Keep::Tab.put(KEPT, &key);
        self.key.set(Some(key.to_owned()));
    }

    /// Keeps the key that the address carries, and takes it out of the address.
    fn read_address(self) {
        let Some(given) = key_of(&browser::hash()) else { return };
        history::replace_hash(&Route::Operator(OperatorTab::Now).hash());
        if let Some(key) = access::read(&given) {
            self.keep(&key);
        }
    }

    /// Asks whether the page's own token is an operator's, where it has one.
    fn ask_who(self, door: Door) {
        if door != Door::Open || !access::is_entered() {
            return self.is_operator.set(false);
        }
        spawn_local(async move {
            let told = rest::get::<Told>("/api/page").await.unwrap_or_default();
            self.is_operator.set(told.is_operator && access::is_entered());
        });
    }
}

impl Operator {
    /// The page's own.
    pub(crate) fn here() -> Self {
        lasting(|| {
            let (way, gate): (OperatorWay, _) = (expect_context(), RwSignal::new(Gate::Open));
            // A key may come later, by the address.
            Effect::new(move |_| {
                if way.has_key() && gate.get_untracked() != Gate::Open {
                    gate.set(Gate::Open);
                }
            });
            let readings = RwSignal::new(Readings::default());
            let (sent, link) = (RwSignal::new(None), RwSignal::new(None));
            Self { way, gate, readings, sent, link, failed: RwSignal::new(None) }
        })
    }

    /// The place is entered: the host is asked again, where there is something to ask it with.
    pub(crate) fn look(self) {
        let has_any = untrack(|| self.way.has_key()) || access::is_entered();
        match self.gate.get_untracked() {
            Gate::Open if !has_any => self.gate.set(Gate::Shut(None)),
            Gate::Shut(_) if has_any => self.gate.set(Gate::Open),
            _ => {}
        }
    }

    /// Tries a key, and keeps it if it opens.
    pub(crate) async fn enter(self, key: &str) -> Result<(), CallError> {
        client::get::<Now>("now", Some(key)).await?;
        self.way.keep(key);
        page().announce_key(Key::OperatorEntered);
        Ok(())
    }

    /// Forgets the key.
    pub(crate) fn leave(self) {
        self.forget(None);
        if self.way.is_operator.get_untracked() && access::is_entered() {
            self.gate.set(Gate::Open);
        }
    }

    /// Reads what stands at an address of the operator's.
    pub(crate) async fn get<T: DeserializeOwned>(self, path: &str) -> Result<T, CallError> {
        let key = self.way.key.get_untracked();
        let found = client::get(path, key.as_deref()).await;
        if let Err(error) = &found {
            let is_forbidden =
                matches!(error, CallError::Refused(refusal) if refusal.status == 403);
            self.weigh(error, key.as_ref(), is_forbidden);
        }
        found
    }

    /// Sends something with the key that is kept. Who may only look is refused here, and goes on looking.
    async fn sent<T>(
        self,
        send: impl AsyncFnOnce(Option<&str>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let key = self.way.key.get_untracked();
        send(key.as_deref()).await.inspect_err(|it| self.weigh(it, key.as_ref(), false))
    }

    /// Shuts the place where the host does not answer to the key that was sent, if it is still the one.
    fn weigh(self, error: &CallError, sent: Option<&String>, is_forbidden: bool) {
        let is_refused = *error == CallError::Unauthorized || is_forbidden;
        let is_current = self.way.key.with_untracked(|it| it.as_ref() == sent);
        if is_refused && is_current {
            self.forget((sent.is_some() || is_forbidden).then(|| error.clone()));
        }
    }

    fn forget(self, why: Option<CallError>) {
        Keep::Tab.remove(KEPT);
        self.way.key.set(None);
        self.readings.set(Readings::default());
        self.sent.set(None);
        self.link.set(None);
        self.failed.set(None);
        self.gate.set(Gate::Shut(why));
    }
}

/// The key in `#/operator?key=KEY`.
fn key_of(hash: &str) -> Option<String> {
    let (path, query) = hash.split_once('?')?;
    let is_ours = path.trim_start_matches('#').trim_matches('/') == "operator";
    let value = query.split('&').find_map(|it| it.strip_prefix("key="));
    value.filter(|_| is_ours).map(decoded)
}

/// Does something again and again, as long as the view is there that asks for it; not while the page is hidden, nor while
/// it is not wanted.
pub(crate) fn repeat<F: Future<Output = ()> + 'static>(
    every: Duration,
    is_wanted: impl Fn() -> bool + 'static,
    what: impl Fn() -> F + 'static,
) {
    let view = StoredValue::new(());
    spawn_local(async move {
        while view.try_get_value().is_some() {
            if browser::is_visible() && is_wanted() {
                what().await;
            }
            browser::sleep(every).await;
        }
    });
}

/// How far back the line goes.
const SPAN_S: f64 = 120.0;
/// Points that are kept.
const POINTS_MAX: usize = 60;
/// The line's ground, in its own units.
pub(crate) const WIDTH: f64 = 600.0;
pub(crate) const HEIGHT: f64 = 120.0;
/// What is left free above the highest point.
const HEADROOM: f64 = 6.0;

/// One time that the server was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) uptime_s: f64,
    pub(crate) calls: u64,
}

/// Calls a second between two readings of one start of the server.
pub(crate) fn rate(before: Reading, after: Reading) -> Option<f64> {
    let seconds = after.uptime_s - before.uptime_s;
    let calls = after.calls.checked_sub(before.calls)?;
    (seconds > 0.0).then(|| calls as f64 / seconds)
}

/// The rates of the last two minutes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Readings {
    last: Option<Reading>,
    /// When, as the server's uptime, and how many.
    points: VecDeque<(f64, f64)>,
}

impl Readings {
    /// Takes another reading; after a new start of the server all begins anew.
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

    /// The line as an SVG path, the latest at the right.
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

    /// What lies under the line, as an SVG path.
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
        let told = |text: &str| serde_json::from_str::<Told>(text).unwrap().is_operator;
        assert!(told(r#"{"tiles": null, "isOperator": true}"#));
        assert!(!told(r#"{"tiles": null}"#));
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
