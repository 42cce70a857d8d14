//! The picked seats, the person to reserve for, and the button that reserves.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Broken, Reservation, Seat};
use serde_json::json;

use super::hold::{HoldView, hold_name};
use super::seats::{Showing, picks_name};
use super::waiting::WaitingView;
use super::{Chosen, Office, keep_name, reservations_of};
use crate::browser::{self, Keep};
use crate::call::fetch;
use crate::error::CallError;
use crate::families::cinema::hall::{Picks, is_held};
use crate::families::cinema::place::At;
use crate::families::cinema::programme::price;
use crate::families::cinema::refused_seats;
use crate::families::report_failure;
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// Id of the summary of picked seats. It takes the focus if the pressed button is gone: on the reserve button, a second
/// press would reserve.
pub(super) const PICKED: &str = "picked";

/// State of the reservation request.
#[derive(Clone, Debug, Default, PartialEq)]
enum Sending {
    #[default]
    Ready,
    Sent,
    Failed(CallError),
}

/// A request and its idempotency key (CIN-47).
#[derive(Clone, Debug, Default, PartialEq)]
struct Order {
    user: String,
    seats: Vec<String>,
    key: String,
}

/// How to correct a choice that violates a rule.
fn sentence(broken: &Broken, lang: Lang) -> String {
    let (japanese, english) = broken.sentences();
    match lang {
        Lang::Ja => japanese,
        Lang::En => english,
    }
}

/// Scrolls to the reason why the seats are not reserved: on a phone it can be out of view.
fn reveal_why() {
    request_animation_frame(|| browser::reveal_first(".checkout .notice"));
}

#[derive(Clone, Copy)]
struct CheckoutState {
    showing: Showing,
    sending: RwSignal<Sending>,
    order: StoredValue<Order>,
    /// What is missing, once the reader has tried.
    missing: RwSignal<Option<Key>>,
}

impl CheckoutState {
    fn reserve(self) {
        let showing = self.showing;
        let user = showing.office.name.get_untracked().trim().to_owned();
        let seats = showing.picks.with_untracked(|it| it.ids(&showing.hall.get_untracked()));
        if self.sending.with_untracked(|it| *it == Sending::Sent) {
            return;
        }
        let missing = match (seats.is_empty(), user.is_empty()) {
            (true, _) => Some(Key::SeatsMissing),
            (_, true) => Some(Key::NameMissing),
            _ => None,
        };
        self.missing.set(missing);
        if showing.has_just_lost() {
            let lang = Lang::now();
            let is_all = seats.is_empty();
            let taken = showing.taken.get_untracked();
            return self.refuse(taken.map(|it| it.say(lang, is_all)).unwrap_or_default());
        }
        match missing {
            Some(Key::NameMissing) => return browser::focus("user-id"),
            Some(key) => return page().announce_key(key),
            None => {}
        }
        if let Some(broken) = showing.broken.with_untracked(|it| it.first().cloned()) {
            return self.refuse(sentence(&broken, Lang::now()));
        }
        self.order.update_value(|order| {
            // The same request keeps its key, or a lost answer would book twice.
            if (&order.user, &order.seats) != (&user, &seats) || order.key.is_empty() {
                *order = Order { user, seats, key: browser::unique() };
            }
        });
        self.send();
    }

    /// Reports why it was not sent, visibly and to screen readers.
    fn refuse(self, why: String) {
        page().announce(why);
        reveal_why();
    }

    fn send(self) {
        self.sending.set(Sending::Sent);
        self.showing.is_reserving.set(true);
        page().announce_key(Key::Reserving);
        let order = self.order.get_value();
        let showtime = self.showing.id.get_value();
        spawn_local(async move {
            // With the same key the request is the same, with a hold or without.
            let hold = self.showing.holding.token_for(&order.user).await;
            let mut arguments = json!({
                "user_id": order.user,
                "showtime_id": showtime,
                "seat_ids": order.seats,
                "idempotency_key": order.key,
            });
            if let Some(token) = hold {
                arguments["hold_token"] = token.into();
            }
            match fetch::<Reservation>("reserve_seats", arguments).await {
                Ok(reservation) => self.done(&showtime, reservation),
                Err(error) => self.failed(error),
            }
        });
    }

    /// Completes the booking. The reader may be elsewhere, so only shared state changes; if they still look at this
    /// showing, the ticket replaces it.
    fn done(self, showtime: &str, reservation: Reservation) {
        let Showing { office, .. } = self.showing;
        keep_name(&office.name.get_untracked());
        Chosen::shared().keep_picks(showtime, &Picks::default());
        Keep::Tab.remove(&picks_name(showtime));
        Keep::Tab.remove(&hold_name(showtime));
        let id = reservation.reservation_id.clone();
        Chosen::shared().fresh.set(Some(reservation));
        let is_here = page().route.with_untracked(|route| match At::from_route(route) {
            Some(At::BoxOffice(booking)) => booking.showtime.as_deref() == Some(showtime),
            _ => false,
        });
        if is_here {
            page().announce_key(Key::Reserved);
            page().go(At::Reservation(id).route());
        } else {
            page().notify_fill(Key::ReservedAway, &id);
        }
    }

    fn failed(self, error: CallError) {
        if self.sending.is_disposed() {
            return report_failure(&error);
        }
        if let CallError::Refused(refusal) = &error {
            // Without an answer, the seats may be the reader's: they stay picked for a retry.
            self.showing.is_reserving.set(false);
            // A refused request is settled: the next one is new.
            self.order.set_value(Order::default());
            match refusal.code.as_str() {
                "seat_already_reserved" | "seat_held" => self.showing.lose(&refused_seats(refusal)),
                "hold_expired" | "hold_not_found" => self.showing.holding.over(true),
                _ => {}
            }
            self.showing.refresh();
        }
        // The reader may have picked other seats meanwhile.
        if self.is_given_up(&self.showing.picks.get_untracked()) {
            self.showing.is_reserving.set(false);
            self.showing.refresh();
        }
        self.sending.set(Sending::Failed(error));
        reveal_why();
    }

    /// Whether the seats of an unanswered request are gone: to the reader by that request, or to another user.
    fn is_outcome_unknown(self) -> bool {
        let is_unanswered = self.sending.with(|it| matches!(it, Sending::Failed(_)));
        let is_gone = |it: &Seat| it.is_reserved || is_held(it);
        self.showing.is_reserving.get()
            && is_unanswered
            && self.showing.hall.with(|hall| {
                self.order
                    .with_value(|it| it.seats.iter().any(|id| hall.seat(id).is_some_and(is_gone)))
            })
    }

    /// Finds out whether the unanswered request has made the reservation; if not, the gone seats are lost.
    fn settle(self) {
        let (order, showtime) = (self.order.get_value(), self.showing.id.get_value());
        spawn_local(async move {
            let Ok(found) = reservations_of(&order.user, &showtime).await else { return };
            if self.order.try_with_value(|it| *it == order) != Some(true) {
                return;
            }
            let is_it = |made: &Reservation| {
                made.seats.len() == order.seats.len()
                    && made.seats.iter().all(|it| order.seats.contains(&it.seat_id))
            };
            match found.into_iter().find(is_it) {
                Some(reservation) => self.done(&showtime, reservation),
                None => {
                    self.order.set_value(Order::default());
                    self.sending.set(Sending::Ready);
                    self.showing.is_reserving.set(false);
                    self.showing.refresh();
                }
            }
        });
    }

    /// Whether an unanswered request differs from the current picks; while equal, the next try repeats it.
    fn is_given_up(self, now: &Picks) -> bool {
        let seats = now.ids(&self.showing.hall.get_untracked());
        let is_unanswered = self.showing.is_reserving.get_untracked();
        is_unanswered && self.order.with_value(|it| it.seats != seats)
    }

    /// A new pick ends the last try and its errors. Losing seats to others is not a pick.
    fn follow(self, before: &Picks, now: &Picks) {
        let is_more = now.has_more_than(before);
        if is_more {
            self.missing.set(None);
        }
        if !self.sending.with_untracked(|it| matches!(it, Sending::Failed(_))) {
            return;
        }
        let is_unanswered = self.showing.is_reserving.get_untracked();
        let is_over = if is_unanswered { self.is_given_up(now) } else { is_more };
        if is_over {
            self.sending.set(Sending::Ready);
            self.showing.is_reserving.set(false);
            self.showing.refresh();
        }
    }
}

#[component]
pub(super) fn Checkout(showing: Showing) -> impl IntoView {
    let checkout = CheckoutState {
        showing,
        sending: RwSignal::new(Sending::Ready),
        order: StoredValue::new(Order::default()),
        missing: RwSignal::new(None),
    };
    let retry = Callback::new(move |()| checkout.reserve());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        checkout.reserve();
    };
    Effect::new(move |before: Option<Picks>| {
        let now = showing.picks.get();
        if let Some(before) = before {
            checkout.follow(&before, &now);
        }
        now
    });
    let is_outcome_unknown = Memo::new(move |_| checkout.is_outcome_unknown());
    Effect::new(move |_| {
        if is_outcome_unknown.get() {
            checkout.settle();
        }
    });
    view! {
        <form class="checkout" on:submit=submit novalidate aria-labelledby="checkout-title">
            <h2 id="checkout-title" class="section-title">{Key::StepTicket}</h2>
            {move || match checkout.sending.get() {
                Sending::Failed(error) => {
                    Some(view! { <Notice error on_retry=retry/> })
                }
                _ => None,
            }}
            {move || showing.taken.get().map(|taken| {
                let is_all = showing.picks.with(Picks::is_empty);
                view! { <p class="notice">{taken.say(Lang::spoken(), is_all)}</p> }
            })}
            <WaitingView showing/>
            <ul class="broken">
                {move || showing.broken.get().iter().map(|rule| {
                    view! { <li class="notice">{sentence(rule, Lang::spoken())}</li> }
                }).collect_view()}
            </ul>
            <NameField checkout/>
            <HoldView showing/>
            <div class="order" class:has-seats=move || !showing.picks.with(Picks::is_empty)>
                <PickedSeats checkout/>
                <ReserveButton checkout/>
            </div>
        </form>
    }
}

#[component]
fn NameField(checkout: CheckoutState) -> impl IntoView {
    let is_missing = Signal::derive(move || checkout.missing.get() == Some(Key::NameMissing));
    let on_input = Callback::new(move |()| {
        if is_missing.get_untracked() {
            checkout.missing.set(None);
        }
    });
    view! { <NameInput office=checkout.showing.office is_missing on_input/> }
}

/// Input for the person to reserve for.
#[component]
pub(super) fn NameInput(
    office: Office,
    #[prop(into)] is_missing: Signal<bool>,
    /// Called at each change.
    on_input: Callback<()>,
) -> impl IntoView {
    let name = office.name;
    view! {
        <div class="field">
            <label class="label" for="user-id">{Key::YourName}</label>
            <input id="user-id" type="text" autocomplete="name" maxlength="100" required
                aria-describedby="user-id-hint user-id-error"
                aria-invalid=move || is_missing.get().then_some("true")
                prop:value=name
                on:input=move |event| {
                    name.set(event_target_value(&event));
                    Keep::Tab.put("name", &name.get_untracked());
                    on_input.run(());
                }/>
            <p class="hint" id="user-id-hint">{Key::YourNameHint}</p>
            <p class="error" id="user-id-error">
                {move || is_missing.get().then_some(Key::NameMissing)}
            </p>
        </div>
    }
}

#[component]
fn PickedSeats(checkout: CheckoutState) -> impl IntoView {
    let showing = checkout.showing;
    let ids = Memo::new(move |_| showing.picks.with(|it| showing.hall.with(|hall| it.ids(hall))));
    let summary = move || match ids.with(Vec::len) {
        0 => Key::PickedNone.say().to_owned(),
        count => Key::PickedCount.fill(&[&count.to_string()]),
    };
    let total =
        Memo::new(move |_| showing.picks.with(|it| showing.hall.with(|hall| hall.total(it))));
    let unpick = move |id: &str| {
        if let Some(seat) = showing.hall.with_untracked(|it| it.seat(id).cloned()) {
            showing.pick(&seat);
            browser::focus_if_lost(PICKED);
        }
    };
    let is_missing = move || checkout.missing.get() == Some(Key::SeatsMissing);
    let chip = move |id: String| {
        let own = id.clone();
        let name = {
            let id = id.clone();
            move || Key::Unpick.fill(&[&id])
        };
        view! {
            <li>
                <button type="button" class="chip" aria-label=name on:click=move |_| unpick(&own)>
                    {id}<span class="chip-close" aria-hidden="true">"×"</span>
                </button>
            </li>
        }
    };
    view! {
        <div class="picked">
            <p class="picked-count" id=PICKED tabindex="-1" class:is-missing=is_missing>
                {summary}
                {move || (!ids.with(Vec::is_empty)).then(|| total.get()).flatten().map(|it| view! {
                    " "<b class="picked-total">{price(&it, Lang::spoken())}</b>
                })}
            </p>
            <ul class="picked-list">
                <For each=move || ids.get() key=Clone::clone children=chip/>
            </ul>
        </div>
    }
}

#[component]
fn ReserveButton(checkout: CheckoutState) -> impl IntoView {
    let is_sent = move || checkout.sending.with(|it| *it == Sending::Sent);
    let text = move || match (is_sent(), checkout.showing.picks.with(Picks::len)) {
        (true, _) => Key::Reserving.say().to_owned(),
        (_, 0) => Key::Reserve.say().to_owned(),
        (_, count) => Key::ReserveCount.fill(&[&count.to_string()]),
    };
    view! {
        <button type="submit" class="main-action" id="reserve" aria-disabled=move || is_sent().then_some("true")>
            {text}
        </button>
    }
}
