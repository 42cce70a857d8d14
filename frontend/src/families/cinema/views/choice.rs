//! A hall in a conversation: the picked seats become the next message.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Seat, SeatMap};
use serde_json::json;

use crate::browser;
use crate::call::fetch;
use crate::families::cinema::hall::{Hall, Picked, Picks};
use crate::families::cinema::programme::price;
use crate::families::cinema::views::hall::{HallView, Legend, lost_text};
use crate::page::page;
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::cards::Say;
use crate::views::notice::Empty;

/// Draws a hall; in a conversation its seats can be picked.
#[component]
pub(crate) fn SeatMapView(map: SeatMap) -> impl IntoView {
    let showtime = map.showtime.as_ref().map(|it| it.showtime_id.clone());
    let map = RwSignal::new(map);
    let hall = Memo::new(move |_| map.with(Hall::new));
    if hall.with_untracked(|it| it.rows.is_empty()) {
        return any_view! { <Empty title=Key::HallEmpty/> };
    }
    if let Some(say) = use_context::<Say>() {
        return any_view! { <SeatChoice map showtime hall say/> };
    }
    let picks = RwSignal::new(Picks::default());
    let number = browser::next_number();
    any_view! { <HallView hall picks name="shown" number/><Legend hall picks/> }
}

/// Keeps the hall up to date: a picked seat that another user took is lost, and reported.
fn follow(
    showtime: String,
    map: RwSignal<SeatMap>,
    picks: RwSignal<Picks>,
    lost: RwSignal<Vec<String>>,
) {
    let subscriptions: Subscriptions = expect_context();
    let changes = subscriptions.changes(&format!("cinema://showtimes/{showtime}/seats"));
    Effect::new(move |_| {
        page().refreshed.track();
        changes.track();
        let arguments = json!({ "showtime_id": showtime, "include_reserved": true });
        spawn_local(async move {
            // A showing that is no longer listed stays as it was.
            let Ok(found) = fetch::<SeatMap>("list_available_seats", arguments).await else {
                return;
            };
            let hall = Hall::new(&found);
            if map.try_set(found).is_some() {
                return;
            }
            let gone = picks.try_update(|it| it.refresh(&hall)).unwrap_or_default();
            if !gone.is_empty() {
                let is_all = picks.with_untracked(Picks::is_empty);
                page().announce(lost_text(&gone, is_all, Lang::now()));
                lost.set(gone);
            }
        });
    });
}

/// Draws the hall with the picked seats and the send button below.
#[component]
fn SeatChoice(
    map: RwSignal<SeatMap>,
    showtime: Option<String>,
    hall: Memo<Hall>,
    say: Say,
) -> impl IntoView {
    let picks = RwSignal::new(Picks::default());
    let lost = RwSignal::new(Vec::new());
    if let Some(showtime) = showtime {
        follow(showtime, map, picks, lost);
    }
    let number = browser::next_number();
    let max = hall.with_untracked(|it| it.seats_max);
    let pick = move |seat: Seat| {
        let lang = Lang::now();
        let name = lang.fill(Key::SeatName, &[&seat.row, &seat.number.to_string()]);
        let picked = picks.try_update(|it| it.toggle(&seat, max)).unwrap_or(Picked::Taken);
        lost.set(Vec::new());
        let count = picks.with_untracked(Picks::len).to_string();
        page().announce(match picked {
            Picked::Yes => lang.fill(Key::SeatPickedNow, &[&name, &count]),
            Picked::Undone => lang.fill(Key::SeatUnpickedNow, &[&name, &count]),
            Picked::Taken => lang.fill(Key::SeatIsTaken, &[&name]),
            Picked::Held => lang.fill(Key::SeatIsHeld, &[&name]),
            Picked::TooMany => lang.fill(Key::TooManySeats, &[&max.to_string()]),
        });
    };
    let ids = Memo::new(move |_| picks.with(|it| hall.with(|hall| it.ids(hall))).join(", "));
    let ask = move |_| {
        let (seats, lang) = (ids.get_untracked(), Lang::now());
        if !seats.is_empty() && !say.is_busy.get_untracked() {
            say.say.run(lang.fill(Key::CardSeatsSay, &[&seats]));
        }
    };
    let total = Memo::new(move |_| {
        let total = picks.with(|it| hall.with(|hall| hall.total(it)));
        total.filter(|_| picks.with(|it| !it.is_empty()))
    });
    let is_open = Memo::new(move |_| {
        let showtime = |it: &SeatMap| it.showtime.as_ref().and_then(|it| it.is_open);
        map.with(showtime) != Some(false)
    });
    let state = move || {
        if !is_open.get() {
            return Key::ErrShowtimeClosed.say().to_owned();
        }
        if say.is_busy.get() {
            return Key::CardSeatsBusy.say().to_owned();
        }
        match picks.with(Picks::len) {
            0 => Key::CardSeatsPick.fill(&[&max.to_string()]),
            count => Key::PickedCount.fill(&[&count.to_string()]),
        }
    };
    view! {
        <HallView hall picks on_pick=pick name="asked" number/>
        <Legend hall picks/>
        <div class="call-seats">
            {move || (!lost.with(Vec::is_empty)).then(|| view! {
                <p class="notice">{lost.with(|it| lost_text(it, picks.with(Picks::is_empty), Lang::spoken()))}</p>
            })}
            <p>
                {state}
                {move || total.get().map(|it| view! { " "<b>{price(&it, Lang::spoken())}</b> })}
            </p>
            {move || (is_open.get() && !ids.with(String::is_empty)).then(|| view! {
                <button type="button" on:click=ask
                    aria-disabled=move || say.is_busy.get().then_some("true")>
                    {move || Key::CardSeatsAsk.fill(&[&ids.get()])}
                </button>
            })}
        </div>
    }
}
