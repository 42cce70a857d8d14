//! Moves a party: finds its reservation, then selects a showing and seats, and lets the cinema move it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Reservation, ReservationStatus, Reservations, Seat, SeatMap};
use serde_json::json;

use super::{Staff, translated};
use crate::browser;
use crate::call::{Loaded, fetch};
use crate::dates;
use crate::error::CallError;
use crate::families::cinema::hall::{Hall, Picked, Picks};
use crate::families::cinema::place::At;
use crate::families::cinema::programme::name;
use crate::families::cinema::staff::words::Text;
use crate::families::cinema::views::hall::{HallView, Legend};
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, Skeleton};

const FIND: &str = "staff-find";
const CHOSEN: &str = "staff-party-chosen";

/// A move being prepared.
#[derive(Clone, Copy)]
struct Party {
    staff: Staff,
    /// The found reservations; none before a search.
    found: RwSignal<Option<Vec<Reservation>>>,
    chosen: RwSignal<Option<Reservation>>,
    /// The target showing.
    to: RwSignal<String>,
    map: RwSignal<Loaded<SeatMap>>,
    picks: RwSignal<Picks>,
    hall: Memo<Hall>,
    error: RwSignal<Option<CallError>>,
    is_busy: RwSignal<bool>,
    moved: RwSignal<Option<Reservation>>,
}

impl Party {
    fn count(self) -> usize {
        self.chosen.with(|it| it.as_ref().map_or(0, |it| it.seats.len()))
    }

    /// Finds a reservation by its number, else those of a person.
    fn find(self, sought: String) {
        if self.is_busy.get_untracked() {
            return;
        }
        self.is_busy.set(true);
        self.error.set(None);
        self.moved.set(None);
        spawn_local(async move {
            let found = found(&sought).await;
            if self.is_busy.try_set(false).is_some() {
                return;
            }
            match found {
                Ok(found) => {
                    if found.is_empty() {
                        Text::PartyNone.announce(&[]);
                    }
                    let only = (found.len() == 1).then(|| found[0].clone());
                    self.found.set(Some(found));
                    if let Some(only) = only {
                        self.choose(only);
                    }
                }
                Err(error) => self.error.set(Some(translated(error))),
            }
        });
    }

    fn choose(self, reservation: Reservation) {
        self.to.set(reservation.showtime_id.clone());
        self.chosen.set(Some(reservation));
        self.load();
        browser::focus_soon(CHOSEN);
    }

    fn forget(self) {
        self.chosen.set(None);
        self.error.set(None);
        browser::focus_soon(FIND);
    }

    /// Fetches the seats of the target showing; the party's own count as free.
    fn load(self) {
        self.picks.set(Picks::default());
        self.map.set(Loaded::Loading);
        let to = self.to.get_untracked();
        spawn_local(async move {
            let arguments = json!({ "showtime_id": to, "include_reserved": true });
            let map = fetch::<SeatMap>("list_available_seats", arguments).await;
            // Another showing may have been chosen meanwhile.
            if self.to.try_with_untracked(|it| *it == to) != Some(true) {
                return;
            }
            let map = map.map(|mut map| {
                self.chosen.with_untracked(|reservation| {
                    if let Some(own) = reservation.as_ref().filter(|it| it.showtime_id == to) {
                        free(&mut map, own);
                    }
                });
                map
            });
            self.map.set(map.map_or_else(|it| Loaded::Failed(translated(it)), Loaded::Ready));
        });
    }

    fn pick(self, seat: &Seat) {
        let max = untrack(|| self.count());
        let mut picked = Picked::Taken;
        self.picks.update(|it| picked = it.toggle(seat, max));
        let count = self.picks.with_untracked(Picks::len).to_string();
        let all = max.to_string();
        match picked {
            Picked::Yes | Picked::Undone => Text::PartySeats.announce(&[&all, &count]),
            Picked::TooMany => Text::PartyTooMany.announce(&[&all]),
            Picked::Taken | Picked::Held => {
                Text::PartyTaken.announce(&[&seat.seat_id]);
            }
        }
    }

    fn send(self, reason: String) {
        let Some(chosen) = self.chosen.get_untracked() else { return };
        let seats = self.picks.with_untracked(|it| it.ids(&self.hall.get_untracked()));
        if self.is_busy.get_untracked() {
            return;
        }
        if seats.len() != chosen.seats.len() {
            let count = chosen.seats.len().to_string();
            return Text::PartySeatsMissing.announce(&[&count]);
        }
        self.is_busy.set(true);
        self.error.set(None);
        Text::PartyMoving.announce(&[]);
        spawn_local(async move {
            let mut arguments = json!({
                "reservation_id": chosen.reservation_id, "seat_ids": seats,
                "showtime_id": self.to.get_untracked(),
            });
            if !reason.is_empty() {
                arguments["reason"] = reason.into();
            }
            let moved = fetch::<Reservation>("move_party", arguments).await;
            if self.is_busy.try_set(false).is_some() {
                return;
            }
            match moved {
                Ok(moved) => {
                    let seats = seats_of(&moved);
                    Text::PartyMoved.announce(&[&moved.user_id, &seats]);
                    self.found.set(None);
                    self.chosen.set(None);
                    self.moved.set(Some(moved));
                    browser::focus_soon("staff-moved");
                    self.staff.load().await;
                }
                Err(error) => {
                    // The free seats have apparently changed.
                    self.load();
                    self.error.set(Some(translated(error)));
                }
            }
        });
    }
}

/// The confirmed reservations of that number or person.
async fn found(sought: &str) -> Result<Vec<Reservation>, CallError> {
    let by_number =
        fetch::<Reservation>("get_reservation", json!({ "reservation_id": sought })).await;
    let mut all = match by_number {
        Ok(reservation) => vec![reservation],
        Err(CallError::Refused(it)) if it.status == 404 => {
            let arguments = json!({ "user_id": sought });
            fetch::<Reservations>("list_reservations", arguments).await?.reservations
        }
        Err(error) => return Err(error),
    };
    all.retain(|it| it.status == ReservationStatus::Confirmed);
    Ok(all)
}

/// Marks the seats of a reservation as free for its party.
fn free(map: &mut SeatMap, own: &Reservation) {
    for seat in &mut map.seats {
        if own.seats.iter().any(|it| it.seat_id == seat.seat_id) {
            seat.is_reserved = false;
        }
    }
}

fn seats_of(reservation: &Reservation) -> String {
    let seats = reservation.seats.iter().map(|it| it.seat_id.as_str());
    seats.collect::<Vec<_>>().join(Lang::now().comma())
}

/// Summary of a reservation: person, film, time and seats.
fn summary(reservation: &Reservation) -> String {
    let lang = Lang::spoken();
    let (own, english) = (&reservation.movie_title, &reservation.movie_title_en);
    let title = name(own.as_deref(), english.as_deref(), lang).unwrap_or_default();
    let start = reservation.start_time.as_deref().unwrap_or_default();
    let when = dates::day_and_time(start, lang);
    let seats = seats_of(reservation);
    Text::PartyOf.fill(&[&reservation.user_id, &title, &when, &seats])
}

#[component]
pub(super) fn PartyView(staff: Staff) -> impl IntoView {
    let map = RwSignal::new(Loaded::<SeatMap>::Loading);
    let party = Party {
        staff,
        found: RwSignal::new(None),
        chosen: RwSignal::new(None),
        to: RwSignal::new(String::new()),
        map,
        picks: RwSignal::new(Picks::default()),
        hall: Memo::new(move |_| map.with(|it| it.ready().map(Hall::new).unwrap_or_default())),
        error: RwSignal::new(None),
        is_busy: RwSignal::new(false),
        moved: RwSignal::new(None),
    };
    view! {
        <section class="op-part" aria-labelledby="staff-party">
            <h2 id="staff-party" class="section-title">{Text::TabParty}</h2>
            {move || party.moved.get().map(|it| view! { <Moved reservation=it/> })}
            {move || match party.chosen.get() {
                None => any_view! { <Search party/> },
                Some(reservation) => any_view! { <Chosen party reservation/> },
            }}
        </section>
    }
}

#[component]
fn Moved(reservation: Reservation) -> impl IntoView {
    let ticket = At::Reservation(reservation.reservation_id.clone()).hash();
    let text = move || {
        page().lang.track();
        Text::PartyMoved.fill(&[&reservation.user_id, &seats_of(&reservation)])
    };
    view! {
        <div class="notice staff-saved">
            <p class="notice-title" id="staff-moved" tabindex="-1">{text}</p>
            <p><a href=ticket>{Text::PartyTicket}</a></p>
        </div>
    }
}

/// The search field and the found reservations.
#[component]
fn Search(party: Party) -> impl IntoView {
    let sought = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let sought = sought.with_untracked(|it| it.trim().to_owned());
        if sought.is_empty() {
            return browser::focus(FIND);
        }
        party.find(sought);
    };
    let choice = move |reservation: Reservation| {
        let stored = StoredValue::new(reservation);
        view! {
            <li><button type="button" class="quiet staff-choice"
                on:click=move |_| party.choose(stored.get_value())>
                {move || stored.with_value(summary)}
            </button></li>
        }
    };
    view! {
        <form class="op-card" on:submit=submit novalidate role="search">
            <div class="field">
                <label class="label" for=FIND>{Text::PartyFind}</label>
                <input id=FIND type="text" maxlength="200" autocomplete="off" spellcheck="false"
                    aria-describedby="staff-find-hint" prop:value=sought
                    on:input=move |event| sought.set(event_target_value(&event))/>
                <p class="hint" id="staff-find-hint">{Text::PartyHint}</p>
            </div>
            <div class="actions">
                <button type="submit" aria-disabled=move || party.is_busy.get().then_some("true")>
                    {Text::Find}
                </button>
            </div>
        </form>
        {move || party.error.get().map(|error| view! { <Notice error/> })}
        {move || party.found.get().map(|found| match found.is_empty() {
            true => any_view! { <p class="error">{Text::PartyNone}</p> },
            false => any_view! {
                <h3>{Text::PartyChoose}</h3>
                <ul class="op-list">{found.into_iter().map(choice).collect_view()}</ul>
            },
        })}
    }
}

/// The reservation to move, the target showing and its seats.
#[component]
fn Chosen(party: Party, reservation: Reservation) -> impl IntoView {
    let own = StoredValue::new(reservation);
    let reason = RwSignal::new(String::new());
    let showings = move || {
        let lang = Lang::spoken();
        let own_id = own.with_value(|it| it.showtime_id.clone());
        let all = party.staff.week.with(|it| it.ready().map(|it| it.showtimes.clone()));
        let others = all.unwrap_or_default().into_iter().filter(|it| it.showtime_id != own_id);
        let start = own.with_value(|it| it.start_time.clone().unwrap_or_default());
        let same = Text::PartySame.fill(&[&dates::day_and_time(&start, lang)]);
        let mut options = vec![(own_id.clone(), same)];
        options.extend(others.map(|showing| {
            let when = dates::day_and_time(&showing.start_time, lang);
            (
                showing.showtime_id,
                format!("{when} {} ({})", showing.movie_title, showing.theater_name),
            )
        }));
        options
    };
    let option = move |(id, called): (String, String)| {
        let mine = id.clone();
        view! { <option value=id selected=move || party.to.with(|it| *it == mine)>{called}</option> }
    };
    let choose = move |event| {
        party.to.set(event_target_value(&event));
        party.load();
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        party.send(reason.with_untracked(|it| it.trim().to_owned()));
    };
    let count = move || {
        let picked = party.picks.with(Picks::len).to_string();
        Text::PartySeats.fill(&[&party.count().to_string(), &picked])
    };
    let stage = Memo::new(move |_| party.map.with(|it| it.map(|_| ())));
    let pick = Callback::new(move |seat: Seat| party.pick(&seat));
    view! {
        <form class="op-card" on:submit=submit novalidate>
            <h3 id=CHOSEN tabindex="-1">{move || own.with_value(summary)}</h3>
            <div class="actions">
                <button type="button" class="quiet small" on:click=move |_| party.forget()>
                    {Text::PartyOther}
                </button>
            </div>
            <div class="field">
                <label class="label" for="staff-to">{Text::PartyTo}</label>
                <select id="staff-to" on:change=choose>
                    {move || showings().into_iter().map(option).collect_view()}
                </select>
            </div>
            {move || match stage.get() {
                Loaded::Loading => any_view! { <Skeleton lines=6/> },
                Loaded::Failed(error) => any_view! { <Notice error/> },
                Loaded::Ready(()) => any_view! {
                    <p class="picked-count">{count}</p>
                    <Legend hall=party.hall picks=party.picks/>
                    <HallView hall=party.hall picks=party.picks on_pick=pick name="party"/>
                    <p class="hint">{move || Key::HallHint.fill(&[&party.count().to_string()])}</p>
                },
            }}
            <div class="field">
                <label class="label" for="staff-why">{Text::Reason}</label>
                <input id="staff-why" type="text" maxlength="500" autocomplete="off"
                    aria-describedby="staff-why-hint" prop:value=reason
                    on:input=move |event| reason.set(event_target_value(&event))/>
                <p class="hint" id="staff-why-hint">{Text::PartyReasonHint}</p>
            </div>
            {move || party.error.get().map(|error| view! { <Notice error/> })}
            <div class="actions">
                <button type="submit" class="main-action"
                    aria-disabled=move || party.is_busy.get().then_some("true")>
                    {move || if party.is_busy.get() { Text::PartyMoving } else { Text::PartyMove }.say()}
                </button>
            </div>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use output::cinema::ReservedSeat;

    use super::*;

    #[test]
    fn partys_own_seats_count_as_free() {
        let seat = |id: &str| Seat { seat_id: id.into(), is_reserved: true, ..Seat::default() };
        let mut map = SeatMap { seats: vec![seat("A1"), seat("A2")], ..SeatMap::default() };
        let seats = vec![ReservedSeat { seat_id: "A2".into(), ..ReservedSeat::default() }];
        free(&mut map, &Reservation { seats, ..Reservation::default() });
        assert!(map.seats[0].is_reserved && !map.seats[1].is_reserved);
    }
}
