//! The waiting list of a sold-out showing: joining it, the position in it, and accepting or declining an offer.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Hold, Waiting, WaitingList};
use serde_json::{Value, json};

use super::checkout::NameInput;
use super::seats::{PLAN, Showing};
use super::suggest::SeatCount;
use crate::browser;
use crate::call::fetch;
use crate::dates;
use crate::error::CallError;
use crate::families::cinema::Zone;
use crate::families::cinema::hall::Picks;
use crate::page::page;
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// Pause in typing a name before the list is fetched.
const PAUSE: Duration = Duration::from_millis(400);
const TITLE: &str = "waiting-title";

/// The reader's entries for this showing.
#[derive(Clone, Copy)]
struct List {
    showing: Showing,
    entries: RwSignal<Vec<Waiting>>,
    is_busy: RwSignal<bool>,
    is_nameless: RwSignal<bool>,
    error: RwSignal<Option<CallError>>,
}

impl List {
    fn user(self) -> String {
        self.showing.office.name.with_untracked(|it| it.trim().to_owned())
    }

    async fn load(self) {
        let user = self.user();
        if user.is_empty() {
            return self.entries.set(Vec::new());
        }
        let found = fetch::<WaitingList>("list_waiting", json!({ "user_id": user })).await;
        let (Some(id), Ok(found)) = (self.showing.id.try_get_value(), found) else { return };
        if self.user() != user {
            return;
        }
        let own = found.waiting.into_iter().filter(|it| it.showtime_id == id).collect();
        let _ = self.entries.try_set(own);
    }

    /// Calls a tool, then fetches the list again.
    fn call(self, tool: &'static str, arguments: Value, announcement: Key) {
        if self.is_busy.get_untracked() {
            return;
        }
        self.is_busy.set(true);
        self.error.set(None);
        spawn_local(async move {
            let answer = fetch::<Value>(tool, arguments).await;
            if self.is_busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(_) => page().announce_key(announcement),
                Err(error) => self.error.set(Some(error)),
            }
            self.load().await;
            self.showing.refresh();
            // The pressed button was replaced, or the whole list is gone.
            browser::focus_if_lost(TITLE);
            browser::focus_if_lost(PLAN);
        });
    }

    fn join(self, count: usize) {
        let user = self.user();
        self.is_nameless.set(user.is_empty());
        if user.is_empty() {
            return browser::focus("user-id");
        }
        let arguments =
            json!({ "user_id": user, "showtime_id": self.showing.id.get_value(), "count": count });
        self.call("join_waiting_list", arguments, Key::WaitingJoined);
    }
}

/// Shown while the showing is sold out or the reader is waiting for it.
#[component]
pub(super) fn WaitingView(showing: Showing) -> impl IntoView {
    let list = List {
        showing,
        entries: RwSignal::new(Vec::new()),
        is_busy: RwSignal::new(false),
        is_nameless: RwSignal::new(false),
        error: RwSignal::new(None),
    };
    let subscriptions: Subscriptions = expect_context();
    let is_offered = Memo::new(move |_| {
        ["join_waiting_list", "list_waiting"].iter().all(|it| page().tool(it).is_some())
    });
    let user = settled(showing.office.name);
    let changes = Memo::new(move |_| {
        let user = user.get();
        (is_offered.get() && !user.is_empty()).then(|| {
            let user = String::from(js_sys::encode_uri_component(&user));
            subscriptions.changes(&format!("cinema://users/{user}/waiting"))
        })
    });
    Effect::new(move |_| match changes.get() {
        Some(changes) => {
            changes.track();
            page().refreshed.track();
            spawn_local(list.load());
        }
        None => list.entries.set(Vec::new()),
    });
    let is_full = Memo::new(move |_| {
        showing.hall.with(|it| it.counts().0 == 0) && showing.picks.with(Picks::is_empty)
    });
    // An accepted offer is part of the checkout.
    let open = Memo::new(move |_| {
        let hold =
            showing.holding.hold.with(|it| it.as_ref().map(|it| it.reported.hold_id.clone()));
        let is_taken =
            |it: &Waiting| it.offer.as_ref().is_some_and(|it| Some(&it.hold_id) == hold.as_ref());
        let entries = list.entries.get();
        entries.into_iter().filter(|it| !is_taken(it)).collect::<Vec<_>>()
    });
    // In the hall, too, the offered seats are the reader's.
    Effect::new(move |_| {
        let offer = open.with(|it| it.iter().find_map(|it| it.offer.clone()));
        let ids = offer.iter().flat_map(|it| &it.seats).map(|it| it.seat_id.clone());
        showing.picks.maybe_update(|it| it.offer(ids));
        showing.offer.set_value(offer);
    });
    let is_empty = Memo::new(move |_| open.with(Vec::is_empty));
    let is_due = Memo::new(move |_| is_offered.get() && (!is_empty.get() || is_full.get()));
    move || {
        is_due.get().then(|| {
            browser::hand_on(".waiting", PLAN);
            view! {
                <section class="waiting" aria-labelledby=TITLE>
                    <h2 id=TITLE tabindex="-1" class="section-title">{Key::WaitingTitle}</h2>
                    {move || list.error.get().map(|error| view! { <Notice error/> })}
                    {move || if is_empty.get() {
                        any_view! { <Join list/> }
                    } else {
                        open.get().into_iter().map(|it| view! { <Entry list waiting=it/> })
                            .collect_view().into_any()
                    }}
                </section>
            }
        })
    }
}

/// The name after a pause in typing.
fn settled(name: RwSignal<String>) -> RwSignal<String> {
    let typed = move || name.with(|it| it.trim().to_owned());
    let settled = RwSignal::new(untrack(typed));
    let number = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let typed = typed();
        number.update_value(|it| *it = it.wrapping_add(1));
        let own = number.get_value();
        let settle = move || {
            let is_last = number.try_get_value() == Some(own);
            if is_last && settled.with_untracked(|it| *it != typed) {
                settled.set(typed);
            }
        };
        set_timeout(settle, PAUSE);
    });
    settled
}

#[component]
fn Join(list: List) -> impl IntoView {
    let count = RwSignal::new(1_usize);
    let is_missing = Signal::derive(move || list.is_nameless.get());
    view! {
        <p>{Key::WaitingHint}</p>
        <NameInput office=list.showing.office is_missing
            on_input=Callback::new(move |()| list.is_nameless.set(false))/>
        <div class="suggest">
            <SeatCount showing=list.showing count/>
            <button type="button" aria-disabled=move || list.is_busy.get().then_some("true")
                on:click=move |_| list.join(count.get_untracked())>{Key::WaitingJoin}</button>
        </div>
    }
}

#[component]
fn Entry(list: List, waiting: Waiting) -> impl IntoView {
    let Waiting { waiting_id, user_id, seats_count, position, offer, .. } = waiting;
    let leave = move |_| {
        let arguments = json!({ "waiting_id": waiting_id, "user_id": user_id });
        list.call("leave_waiting_list", arguments, Key::WaitingLeft);
    };
    let place = move || {
        let place = position.unwrap_or(1).to_string();
        Key::WaitingPlace.fill(&[&seats_count.to_string(), &place])
    };
    let busy = move || list.is_busy.get().then_some("true");
    match offer {
        Some(offer) => any_view! { <Offer list offer/> },
        None => any_view! {
            <p>{place}</p>
            <p class="hint">{Key::WaitingStays}</p>
            <button type="button" class="quiet small" aria-disabled=busy on:click=leave>
                {Key::WaitingLeave}
            </button>
        },
    }
}

/// Seats offered to a waiting reader.
#[component]
fn Offer(list: List, offer: Hold) -> impl IntoView {
    let seats: Vec<_> = offer.seats.iter().map(|it| it.seat_id.clone()).collect();
    let expires_at = offer.expires_at.clone();
    let until = move |lang| {
        let zone = Zone::shared().0.get();
        dates::zoned(dates::clock(&expires_at).to_owned(), &expires_at, zone.as_deref(), lang)
    };
    let decline = offer.hold_id.clone();
    let text = move || {
        let lang = Lang::spoken();
        Key::WaitingOffer.fill(&[&seats.join(lang.comma()), &until(lang)])
    };
    let decline = move |_| {
        list.call("release_hold", json!({ "hold_token": decline }), Key::WaitingDeclined);
    };
    view! {
        <p class="notice is-good">{text}</p>
        <div class="actions">
            <button type="button" on:click=move |_| list.showing.take_offer(offer.clone())>
                {Key::WaitingTake}
            </button>
            <button type="button" class="quiet" on:click=decline
                aria-disabled=move || list.is_busy.get().then_some("true")>{Key::WaitingDecline}</button>
        </div>
    }
}
