//! A reservation as a ticket that can be cancelled.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Reservation, ReservationStatus};
use serde_json::json;

use super::box_office::{Chosen, Steps};
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
            // An old ticket is better than none; an unchanged one is not redrawn.
            let is_news = match &found {
                Ok(found) => before.ready() != Some(found),
                Err(_) => before.ready().is_none(),
            };
            if is_news {
                state.set(found.map_or_else(Loaded::Failed, Loaded::Ready));
            }
        });
    };
    Effect::new(move |_| {
        page().refreshed.track();
        load();
    });
    stay_fresh(AGE, load);
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
                <Steps now=2/>
            </div>
            {move || match state.get() {
                Loaded::Loading => any_view! { <Skeleton lines=6/> },
                Loaded::Failed(error) => any_view! {
                    <Notice error on_retry=retry/>
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

/// Draws the ticket, also for a tool's output.
#[component]
pub(crate) fn Ticket(reservation: Reservation) -> impl IntoView {
    let (is_void, status) = match reservation.status {
        ReservationStatus::Confirmed => (false, Key::Confirmed),
        ReservationStatus::Cancelled => (true, Key::Cancelled),
        ReservationStatus::Transferred => (true, Key::Transferred),
    };
    let class = if is_void { "ticket is-cancelled" } else { "ticket" };
    let total = reservation.total.clone();
    let admitted = reservation.checked_in_at.clone();
    let start = reservation.start_time.clone();
    let when = move || start.as_ref().map(|it| dates::day_and_time(it, Lang::spoken()));
    let reserved_at = reservation.reserved_at.clone();
    let reserved = move || dates::day_and_time(&reserved_at, Lang::spoken());
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
                    <p>{move || {
                        Key::CheckedIn.fill(&[&dates::day_and_time(&at, Lang::spoken())])
                    }}</p>
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

#[component]
fn Actions(reservation: Reservation, state: RwSignal<Loaded<Reservation>>) -> impl IntoView {
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
                    browser::focus_soon("stage");
                }
                Err(error) => {
                    cancel.set(Cancel::Failed(error));
                    browser::focus_if_lost("cancel");
                }
            }
        });
    };
    let keep = Callback::new(move |()| {
        cancel.set(Cancel::No);
        browser::focus_soon("cancel");
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
    let more = At::BoxOffice(Booking::default()).hash();
    view! {
        {is_confirmed.then(|| view! { <p class="hint ticket-hint">{Key::ReservedHint}</p> })}
        {receiver.map(|receiver| view! { <Receiver receiver/> })}
        {move || match cancel.get() {
            Cancel::Failed(error) => Some(view! { <Notice error on_retry=retry/> }),
            _ => None,
        }}
        {is_confirmed.then(|| view! { <Transfer id user state/> })}
        <div class="ticket-actions">
            <a class="button" href=more>{Key::BookMore}</a>
            {is_confirmed.then(|| view! {
                <button type="button" class="quiet" on:click=save>{Key::ToCalendar}</button>
            })}
            {move || match cancel.get() {
                _ if !is_confirmed => ().into_any(),
                Cancel::No | Cancel::Failed(_) => any_view! {
                    <button type="button" id="cancel" class="quiet is-grave"
                        on:click=move |_| cancel.set(Cancel::Sure)>{Key::CancelReservation}</button>
                },
                Cancel::Sent => any_view! { <p aria-busy="true">{Key::Cancelling}</p> },
                Cancel::Sure => any_view! {
                    <Sure id="keep" ask=Key::CancelAsk yes=Key::CancelYes
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
            return browser::focus("transfer-to");
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
                    browser::focus_soon("stage");
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
                        <label class="label" for="transfer-to">{Key::TransferTo}</label>
                        <input id="transfer-to" type="text" maxlength="100" autocomplete="off"
                            aria-describedby="transfer-hint transfer-error" prop:value=to
                            aria-invalid=move || is_missing.get().to_string()
                            on:input=move |event| {
                                is_missing.set(false);
                                to.set(event_target_value(&event));
                            }/>
                        <p class="error" id="transfer-error" role="alert">
                            {move || is_missing.get().then_some(Key::MustBeGiven)}
                        </p>
                        <p class="hint" id="transfer-hint">{Key::TransferHint}</p>
                        <button type="submit" class="quiet"
                            aria-disabled=move || is_busy.get().then_some("true")>{Key::TransferYes}</button>
                    </form>
                </details>
            }
        })
    }
}
