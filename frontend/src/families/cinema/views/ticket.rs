//! A reservation as a ticket that can be cancelled.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Reservation, ReservationStatus};
use serde_json::json;

use super::box_office::{Chosen, FindReservation, Steps};
use super::stay_fresh;
use crate::browser;
use crate::call::{Loaded, fetch};
use crate::dates;
use crate::error::CallError;
use crate::families::cinema::place::{At, Booking};
use crate::families::cinema::programme::{name, price};
use crate::mcp;
use crate::page::page;
use crate::route::{FamilyRoute, Route};
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, Skeleton, Sure};

/// State of cancelling a reservation.
#[derive(Clone, Debug, Default, PartialEq)]
enum Cancel {
    #[default]
    No,
    /// The reader is asked to confirm.
    Sure,
    Sent,
    Failed(CallError),
}

/// Maximum age of the ticket's data while the reader looks at it.
const AGE: Duration = Duration::from_secs(60);

/// The reservation of that id: as just made at first, then as fetched from the cinema.
#[component]
pub(crate) fn TicketView(id: String) -> impl IntoView {
    let fresh = Chosen::shared().fresh.try_update(Option::take).flatten();
    let fresh = fresh.filter(|it| it.reservation_id == id);
    let is_fresh = fresh.is_some();
    let state = RwSignal::new(fresh.map_or(Loaded::Loading, Loaded::Ready));
    let load = follow(id, state);
    browser::focus_soon("stage");
    let retry = Callback::new(move |()| {
        state.set(Loaded::Loading);
        load();
    });
    let title = move || {
        let status = state.with(|it| it.ready().map(|it| it.status));
        match status {
            Some(ReservationStatus::Cancelled) => Key::CancelDone,
            Some(ReservationStatus::Transferred) => Key::TransferDone,
            _ if is_fresh => Key::Reserved,
            _ => Key::StepTicket,
        }
        .say()
    };
    view! {
        <div class="ticket-stage">
            <div class="lead">
                <h1 tabindex="-1" id="stage">{title}</h1>
                {is_fresh.then(|| view! { <Steps now=2/> })}
            </div>
            {move || match state.get() {
                Loaded::Loading => any_view! { <Skeleton lines=6/> },
                Loaded::Failed(error) => any_view! {
                    <Notice error on_retry=retry/>
                    <FindReservation/>
                    <div class="ticket-actions">
                        <a class="button" href=At::BoxOffice(Booking::default()).hash()>{Key::ToBoxOffice}</a>
                    </div>
                },
                Loaded::Ready(reservation) => any_view! {
                    <Ticket reservation=reservation.clone()/>
                    <Actions reservation state/>
                },
            }}
        </div>
    }
}

/// Keeps a reservation up to date. Returns how to ask for it again.
fn follow(id: String, state: RwSignal<Loaded<Reservation>>) -> impl Fn() + Copy + 'static {
    let id = StoredValue::new(id);
    let load = move || {
        let (id, before) = (id.get_value(), state.get_untracked());
        spawn_local(async move {
            let arguments = json!({ "reservation_id": id });
            let found = fetch::<Reservation>("get_reservation", arguments).await;
            // A change by the reader meanwhile is newer than the answer.
            if state.try_with_untracked(|it| *it == before) != Some(true) {
                return;
            }
            let found = found.map_or_else(Loaded::Failed, Loaded::Ready);
            // An old ticket is better than none; what is unchanged is not redrawn, since a number may be half typed.
            if found != before && (found.ready().is_some() || before.ready().is_none()) {
                state.set(found);
            }
        });
    };
    Effect::new(move |_| {
        page().refreshed.track();
        load();
    });
    stay_fresh(AGE, load);
    load
}

/// The ticket of a tool's output: the reservation as it is now, and what can be done with it.
#[component]
pub(crate) fn TicketCard(reservation: Reservation) -> impl IntoView {
    let id = reservation.reservation_id.clone();
    let state = RwSignal::new(Loaded::Ready(reservation));
    let _load = follow(id, state);
    let number = browser::next_number();
    move || {
        let reservation = state.get().ready().cloned()?;
        Some(view! {
            <Ticket reservation=reservation.clone()/>
            <Actions reservation state number/>
        })
    }
}

/// Draws the ticket.
#[component]
fn Ticket(reservation: Reservation) -> impl IntoView {
    let (is_void, status) = match reservation.status {
        ReservationStatus::Confirmed => (false, Key::Confirmed),
        ReservationStatus::Cancelled => (true, Key::Cancelled),
        ReservationStatus::Transferred => (true, Key::Transferred),
    };
    let class = if is_void { "ticket is-cancelled" } else { "ticket" };
    let total = reservation.total.clone();
    let admitted = reservation.checked_in_at.clone();
    let start = reservation.start_time.clone();
    let zone = StoredValue::new(reservation.timezone);
    let local =
        move |time: &str| zone.with_value(|it| dates::local(time, it.as_deref(), Lang::spoken()));
    let when = move || start.as_ref().map(|it| local(it));
    let reserved_at = reservation.reserved_at.clone();
    let reserved = move || local(&reserved_at);
    let seats = reservation.seats.iter().map(|it| it.seat_id.clone());
    let seat = |id: String| view! { <li class="ticket-seat">{id}</li> };
    let (own, english) = (reservation.movie_title, reservation.movie_title_en);
    let title = move || name(own.as_deref(), english.as_deref(), Lang::spoken());
    let (own, english) = (reservation.theater_name, reservation.theater_name_en);
    let screen = move || name(own.as_deref(), english.as_deref(), Lang::spoken());
    view! {
        <article class=class>
            <div class="ticket-head">
                <p class="ticket-status">{status}</p>
                <h2 class="ticket-film">{title}</h2>
                <p class="ticket-when">{when}</p>
                <p class="ticket-hall">{screen}</p>
                {admitted.map(|at| view! {
                    <p>{move || Key::CheckedIn.fill(&[&local(&at)])}</p>
                })}
                <ul class="ticket-seats" aria-label=Key::Seats>{seats.map(seat).collect_view()}</ul>
            </div>
            <dl class="ticket-stub">
                <div>
                    <dt>{Key::ReservationNumber}</dt>
                    <dd class="ticket-number">{reservation.reservation_id.clone()}</dd>
                    {(!is_void).then(|| view! { <Code id=reservation.reservation_id/> })}
                </div>
                <div>
                    <dt>{Key::ReservedFor}</dt>
                    <dd>{reservation.user_id}</dd>
                </div>
                <div>
                    <dt>{Key::ReservedAt}</dt>
                    <dd>{reserved}</dd>
                </div>
                {total.map(|total| view! {
                    <div>
                        <dt>{Key::TotalPrice}</dt>
                        <dd>{move || price(&total, Lang::spoken())}</dd>
                    </div>
                })}
            </dl>
        </article>
    }
}

/// Fetches a document of a reservation: its `code` or `calendar`.
async fn handed_out(reservation_id: &str, document: &str) -> Result<String, CallError> {
    let id = String::from(js_sys::encode_uri_component(reservation_id));
    mcp::read_text(&format!("cinema://reservations/{id}/{document}")).await
}

/// The number as a scannable code. If the cinema draws none, the number is enough.
#[component]
fn Code(id: String) -> impl IntoView {
    let drawn = RwSignal::new(Loaded::Loading);
    spawn_local(async move {
        let svg = handed_out(&id, "code").await;
        let url = svg.map(|svg| {
            format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(&svg)))
        });
        let _ = drawn.try_set(url.map_or_else(Loaded::Failed, Loaded::Ready));
    });
    move || match drawn.get() {
        Loaded::Failed(_) => None,
        Loaded::Loading => Some(any_view! { <dd class="ticket-code"></dd> }),
        Loaded::Ready(url) => {
            Some(any_view! { <dd class="ticket-code"><img src=url alt=Key::ReservationCode/></dd> })
        }
    }
}

/// Id of an element of the ticket with this number; 0 for the only one of its view.
fn id_of(name: &str, number: u32) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}-{number}") }
}

#[component]
fn Actions(
    reservation: Reservation,
    state: RwSignal<Loaded<Reservation>>,
    /// Distinguishes the tickets of one conversation.
    #[prop(optional)]
    number: u32,
) -> impl IntoView {
    let is_card = number != 0;
    // Where the focus goes when the pressed button is gone.
    let head = if is_card { id_of("ticket", number) } else { "stage".to_owned() };
    let (head, open) = (StoredValue::new(head.clone()), is_card.then_some(head));
    let cancel = RwSignal::new(Cancel::No);
    let is_confirmed = reservation.status == ReservationStatus::Confirmed;
    let id = StoredValue::new(reservation.reservation_id);
    let user = StoredValue::new(reservation.user_id);
    let receiver =
        reservation.transferred_to.filter(|_| reservation.status == ReservationStatus::Transferred);
    let send = move || {
        cancel.set(Cancel::Sent);
        spawn_local(async move {
            let arguments =
                json!({ "reservation_id": id.get_value(), "user_id": user.get_value() });
            match fetch::<Reservation>("cancel_reservation", arguments).await {
                Ok(reservation) => {
                    state.set(Loaded::Ready(reservation));
                    page().announce_key(Key::CancelDone);
                    browser::focus_soon(head.get_value());
                }
                Err(error) => {
                    cancel.set(Cancel::Failed(error));
                    browser::focus_if_lost(id_of("cancel", number));
                }
            }
        });
    };
    let keep = Callback::new(move |()| {
        cancel.set(Cancel::No);
        browser::focus_soon(id_of("cancel", number));
    });
    let retry = Callback::new(move |()| send());
    let save = move |_| {
        spawn_local(async move {
            let id = id.get_value();
            let file = handed_out(&id, "calendar").await;
            let saved = file
                .map(|it| browser::download(&format!("{id}.ics"), it.as_bytes(), "text/calendar"));
            if !matches!(saved, Ok(Ok(()))) {
                page().notify(Key::CalendarNotSaved);
            }
        });
    };
    let (link, text) = match is_card {
        true => (At::Reservation(id.get_value()), Key::OpenTicket),
        false => (At::BoxOffice(Booking::default()), Key::BookMore),
    };
    view! {
        {is_confirmed.then(|| view! { <p class="hint ticket-hint">{Key::ReservedHint}</p> })}
        {receiver.map(|receiver| view! { <Receiver receiver/> })}
        {move || match cancel.get() {
            Cancel::Failed(error) => Some(view! { <Notice error on_retry=retry/> }),
            _ => None,
        }}
        {is_confirmed.then(|| view! { <Transfer id user state number head/> })}
        <div class="ticket-actions">
            <a class="button" id=open href=link.hash()>{text}</a>
            {is_confirmed.then(|| view! {
                <button type="button" class="quiet" on:click=save>{Key::ToCalendar}</button>
            })}
            {move || match cancel.get() {
                _ if !is_confirmed => ().into_any(),
                Cancel::No | Cancel::Failed(_) => any_view! {
                    <button type="button" id=id_of("cancel", number) class="quiet is-grave"
                        on:click=move |_| cancel.set(Cancel::Sure)>{Key::CancelReservation}</button>
                },
                Cancel::Sent => any_view! { <p aria-busy="true">{Key::Cancelling}</p> },
                Cancel::Sure => any_view! {
                    <Sure id=id_of("keep", number) ask=Key::CancelAsk yes=Key::CancelYes
                        no=Key::CancelNo on_yes=retry on_no=keep/>
                },
            }}
        </div>
    }
}

/// How the person who was given the reservation finds it.
#[component]
fn Receiver(receiver: String) -> impl IntoView {
    const LIST: &str = "list_reservations";
    let receiver = StoredValue::new(receiver);
    // A server may offer no such list.
    move || {
        page().tool(LIST).map(|list| {
            view! {
                <p class="ticket-hint">
                    {receiver.with_value(|it| Key::TransferFind.fill(&[it]))}" "
                    <a href=Route::Counter(Some(LIST.to_owned())).hash()>
                        {list.title(Lang::spoken())}
                    </a>
                </p>
            }
        })
    }
}

/// Transfers the reservation to another person.
#[component]
fn Transfer(
    id: StoredValue<String>,
    user: StoredValue<String>,
    state: RwSignal<Loaded<Reservation>>,
    number: u32,
    head: StoredValue<String>,
) -> impl IntoView {
    let is_offered = Memo::new(move |_| page().tool("transfer_reservation").is_some());
    let to = RwSignal::new(String::new());
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CallError>);
    let is_missing = RwSignal::new(false);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let to = to.with_untracked(|it| it.trim().to_owned());
        is_missing.set(to.is_empty());
        if to.is_empty() {
            return browser::focus(&id_of("transfer-to", number));
        }
        if is_busy.get_untracked() {
            return;
        }
        is_busy.set(true);
        error.set(None);
        spawn_local(async move {
            let arguments = json!({
                "reservation_id": id.get_value(), "user_id": user.get_value(), "to_user_id": to,
            });
            let given = fetch::<Reservation>("transfer_reservation", arguments).await;
            // The giver's reservation is outdated.
            let own = match given {
                Ok(_) => {
                    let arguments = json!({ "reservation_id": id.get_value() });
                    fetch::<Reservation>("get_reservation", arguments).await
                }
                Err(error) => Err(error),
            };
            if is_busy.try_set(false).is_some() {
                return;
            }
            match own {
                Ok(own) => {
                    state.set(Loaded::Ready(own));
                    page().announce_key(Key::TransferDone);
                    browser::focus_soon(head.get_value());
                }
                Err(failure) => error.set(Some(failure)),
            }
        });
    };
    move || {
        is_offered.get().then(|| {
            view! {
                <details class="transfer">
                    <summary>{Key::Transfer}</summary>
                    <form on:submit=submit novalidate>
                        {move || error.get().map(|error| view! { <Notice error/> })}
                        <label class="label" for=id_of("transfer-to", number)>{Key::TransferTo}</label>
                        <input id=id_of("transfer-to", number) type="text" maxlength="100" autocomplete="off"
                            aria-describedby=format!("{} {}", id_of("transfer-hint", number), id_of("transfer-error", number))
                            prop:value=to
                            aria-invalid=move || is_missing.get().to_string()
                            on:input=move |event| {
                                is_missing.set(false);
                                to.set(event_target_value(&event));
                            }/>
                        <p class="error" id=id_of("transfer-error", number) role="alert">
                            {move || is_missing.get().then_some(Key::MustBeGiven)}
                        </p>
                        <p class="hint" id=id_of("transfer-hint", number)>{Key::TransferHint}</p>
                        <button type="submit" class="quiet"
                            aria-disabled=move || is_busy.get().then_some("true")>{Key::TransferYes}</button>
                    </form>
                </details>
            }
        })
    }
}
