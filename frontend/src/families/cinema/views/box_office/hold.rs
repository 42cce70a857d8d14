//! Seats held for the reader, with the time left.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::seats::Showing;
use crate::browser::{self, Keep};
use crate::call::fetch;
use crate::error::CallError;
use crate::families::cinema::hall::Picks;
use crate::families::cinema::refused_seats;
use crate::page::page;
use crate::text::Key;
use crate::views::notice::Notice;

/// How often the time left is redrawn.
const TICK: Duration = Duration::from_millis(500);
/// Seconds left at which a screen reader announces the end.
const WARNED_AT_S: u64 = 60;

/// Id of the button that holds, and of the one that replaces it.
const ACTION: &str = "hold-action";

/// Seats that the host holds for this page.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct Hold {
    /// As reported by the host.
    #[serde(flatten)]
    pub(super) reported: output::cinema::Hold,
    /// When it ends by this device's clock, in milliseconds; the host's clock may differ.
    #[serde(default)]
    ends_ms: f64,
}

/// Storage key of a showing's hold in this tab.
pub(super) fn hold_name(showtime: &str) -> String {
    format!("hold.{showtime}")
}

impl Hold {
    fn begun(reported: output::cinema::Hold, now_ms: f64) -> Self {
        let ends_ms = now_ms + f64::from(reported.seconds_left) * 1e3;
        Self { reported, ends_ms }
    }

    /// Whole seconds left.
    fn left_s(&self, now_ms: f64) -> u64 {
        ((self.ends_ms - now_ms) / 1e3).ceil().max(0.0) as u64
    }

    /// Its token for the host.
    fn name(&self) -> String {
        self.reported.hold_token.clone().unwrap_or_else(|| self.reported.hold_id.clone())
    }

    fn has_all(&self, ids: &[String]) -> bool {
        ids.iter().all(|id| self.reported.seats.iter().any(|it| it.seat_id == *id))
    }
}

/// The hold of one showing.
#[derive(Clone, Copy)]
pub(super) struct Holding {
    pub(super) hold: RwSignal<Option<Hold>>,
    /// Whether the last hold expired.
    has_ended: RwSignal<bool>,
    /// Whether a request to hold or release is running.
    pub(super) is_busy: RwSignal<bool>,
    /// Whether holding failed because the name is missing.
    wants_name: RwSignal<bool>,
    error: RwSignal<Option<CallError>>,
    name: StoredValue<String>,
}

impl Holding {
    /// Restores the hold of this tab after a reload.
    pub(super) fn new(showtime: &str) -> Self {
        let name = hold_name(showtime);
        let stored = Keep::Tab.get::<Hold>(&name);
        Self {
            hold: RwSignal::new(stored.filter(|it| it.left_s(js_sys::Date::now()) > 0)),
            has_ended: RwSignal::new(false),
            is_busy: RwSignal::new(false),
            wants_name: RwSignal::new(false),
            error: RwSignal::new(None),
            name: StoredValue::new(name),
        }
    }

    /// The token that proves the reader's hold to the host.
    pub(super) fn token(self) -> Option<String> {
        self.hold.with_untracked(|it| it.as_ref().map(Hold::name))
    }

    /// The token with which `user` reserves these seats. A hold for another name is useless and released first.
    pub(super) async fn token_for(self, user: &str) -> Option<String> {
        let hold = self.hold.get_untracked()?;
        if hold.reported.user_id == user {
            return Some(hold.name());
        }
        self.over(false);
        release(&hold.name()).await;
        None
    }

    fn keep(self, hold: Option<Hold>) {
        self.name.with_value(|name| match &hold {
            Some(hold) => Keep::Tab.put(name, hold),
            None => Keep::Tab.remove(name),
        });
        self.hold.set(hold);
    }

    /// Takes over a hold that the host made for the reader.
    pub(super) fn adopt(self, hold: output::cinema::Hold) {
        self.has_ended.set(false);
        self.keep(Some(Hold::begun(hold, js_sys::Date::now())));
    }

    /// Takes over the newest hold of the reader's that is unknown here: made by an assistant or another tab. `is_mine`
    /// is whether the hall shows seats of the known hold. Returns the seats.
    pub(super) fn follow(
        self,
        held: Vec<output::cinema::Hold>,
        is_mine: bool,
    ) -> Option<Vec<String>> {
        let known =
            self.hold.with_untracked(|it| it.as_ref().map(|it| it.reported.hold_id.clone()));
        let is_listed = held.iter().any(|it| Some(&it.hold_id) == known.as_ref());
        let newest = held.into_iter().next();
        match newest.filter(|it| Some(&it.hold_id) != known.as_ref()) {
            Some(newest) if known.is_none() || !is_mine || is_listed => {
                let seats = newest.seats.iter().map(|it| it.seat_id.clone()).collect();
                self.adopt(newest);
                Some(seats)
            }
            _ => {
                if known.is_some() && !is_mine && !is_listed {
                    self.over(true);
                }
                None
            }
        }
    }

    /// The hold has expired or become a reservation.
    pub(super) fn over(self, has_ended: bool) {
        self.keep(None);
        self.has_ended.set(has_ended);
    }

    /// Holds the picked seats, replacing an earlier hold.
    fn hold(self, showing: Showing) {
        let user = showing.office.name.with_untracked(|it| it.trim().to_owned());
        if user.is_empty() {
            self.wants_name.set(true);
            return browser::focus("user-id");
        }
        let seats = showing.picks.with_untracked(|it| it.ids(&showing.hall.get_untracked()));
        let mut arguments = json!({
            "user_id": user,
            "showtime_id": showing.id.get_value(),
            "seat_ids": seats,
        });
        if let Some(token) = self.token() {
            arguments["hold_token"] = token.into();
        }
        self.ask(showing, "hold_seats", arguments, Key::HoldBegun);
    }

    fn extend(self, showing: Showing) {
        let Some(token) = self.token() else { return };
        self.ask(showing, "extend_hold", json!({ "hold_token": token }), Key::HoldExtended);
    }

    fn ask(
        self,
        showing: Showing,
        tool: &'static str,
        arguments: serde_json::Value,
        announcement: Key,
    ) {
        if self.is_busy.get_untracked() {
            return;
        }
        self.is_busy.set(true);
        self.wants_name.set(false);
        self.error.set(None);
        spawn_local(async move {
            let answer = fetch::<output::cinema::Hold>(tool, arguments).await;
            if self.is_busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(hold) => {
                    self.adopt(hold);
                    page().announce_key(announcement);
                }
                Err(error) => self.failed(showing, error),
            }
            // The pressed button may be gone.
            browser::focus_if_lost(ACTION);
            showing.refresh();
        });
    }

    fn failed(self, showing: Showing, error: CallError) {
        if let CallError::Refused(refusal) = &error {
            match refusal.code.as_str() {
                "seat_held" | "seat_already_reserved" => showing.lose(&refused_seats(refusal)),
                "hold_expired" | "hold_not_found" => self.over(true),
                _ => {}
            }
        }
        self.error.set(Some(error));
    }

    /// Releases the hold; without a connection it expires by itself.
    fn release(self, showing: Showing) {
        let Some(token) = self.token().filter(|_| !self.is_busy.get_untracked()) else { return };
        self.over(false);
        self.is_busy.set(true);
        browser::focus_if_lost(ACTION);
        page().announce_key(Key::HoldReleased);
        spawn_local(async move {
            release(&token).await;
            let _ = self.is_busy.try_set(false);
            showing.refresh();
        });
    }
}

/// Releases a hold at the host.
async fn release(token: &str) {
    let _ = fetch::<serde_json::Value>("release_hold", json!({ "hold_token": token })).await;
}

/// The button that holds, or the time left.
#[component]
pub(super) fn HoldView(showing: Showing) -> impl IntoView {
    let holding = showing.holding;
    let now = RwSignal::new(js_sys::Date::now());
    let left =
        Memo::new(move |_| holding.hold.with(|it| it.as_ref().map(|it| it.left_s(now.get()))));
    let timer = set_interval_with_handle(move || now.set(js_sys::Date::now()), TICK);
    on_cleanup(move || {
        if let Ok(timer) = timer {
            timer.clear();
        }
    });
    Effect::new(move |before: Option<Option<u64>>| {
        let left = left.get();
        match left {
            Some(0) => {
                holding.over(true);
                page().announce_key(Key::HoldEnded);
                showing.refresh();
            }
            Some(left)
                if left <= WARNED_AT_S && before.flatten().is_some_and(|it| it > WARNED_AT_S) =>
            {
                page().announce_key(Key::HoldEndsSoon);
            }
            _ => {}
        }
        left
    });
    let is_offered = Memo::new(move |_| page().tool("hold_seats").is_some());
    let has_picks = Memo::new(move |_| !showing.picks.with(Picks::is_empty));
    let is_other = Memo::new(move |_| {
        let ids = showing.picks.with(|it| showing.hall.with(|hall| it.ids(hall)));
        holding.hold.with(|it| it.as_ref().is_some_and(|it| !it.has_all(&ids)))
    });
    let is_held = Memo::new(move |_| left.get().is_some());
    let clock = move || {
        let left = left.get().unwrap_or_default();
        format!("{}:{:02}", left / 60, left % 60)
    };
    let busy = move || holding.is_busy.get().then_some("true");
    let button = move |id: Option<&'static str>, key: Key, act: fn(Holding, Showing)| {
        view! {
            <button type="button" class="quiet small" id=id aria-disabled=busy
                on:click=move |_| act(holding, showing)>{key}</button>
        }
    };
    view! {
        {move || holding.error.get().map(|error| view! { <Notice error/> })}
        {move || match (is_held.get(), has_picks.get() && is_offered.get()) {
            (true, _) => any_view! {
                <div class="hold is-held" role="group" aria-label=Key::HoldGroup>
                    <p class="hold-left">
                        <span>{Key::HoldLeft}</span>" "
                        <b class="hold-clock" role="timer" aria-live="off">{clock}</b>
                    </p>
                    {move || is_other.get().then(|| button(None, Key::HoldOthers, Holding::hold))}
                    {button(Some(ACTION), Key::HoldExtend, Holding::extend)}
                    {button(None, Key::HoldRelease, Holding::release)}
                </div>
            },
            (false, true) => any_view! {
                <div class="hold">
                    {move || holding.has_ended.get().then(|| view! {
                        <p class="notice">{Key::HoldEnded}</p>
                    })}
                    {button(Some(ACTION), Key::HoldThese, Holding::hold)}
                    {move || holding.wants_name.get().then(|| view! {
                        <p class="error" role="alert">{Key::NameMissing}</p>
                    })}
                    <p class="hint">{Key::HoldHint}</p>
                </div>
            },
            (false, false) => ().into_any(),
        }}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_time_left_from_the_answer_by_device_clock() {
        let answer = r#"{"hold_token": "t", "user_id": "u", "showtime_id": "s", "seats": [{"seat_id": "A1", "row": "A", "number": 1}], "seconds_left": 600, "expires_at": "2030-01-01T00:00:00+09:00"}"#;
        let hold = Hold::begun(serde_json::from_str(answer).unwrap(), 1_000.0);
        assert_eq!((hold.left_s(1_000.0), hold.left_s(1_001.0)), (600, 600));
        assert_eq!((hold.left_s(600_999.0), hold.left_s(601_000.0)), (1, 0));
        assert_eq!(hold.left_s(9e9), 0, "it never turns round");
        let ids = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert!(hold.has_all(&ids(&["A1"])) && !hold.has_all(&ids(&["A1", "A2"])));
    }
}
