//! A hall in a conversation: the picked seats become the next message.

use leptos::prelude::*;
use output::cinema::{Seat, SeatMap};

use crate::browser;
use crate::families::cinema::hall::{Hall, Picked, Picks};
use crate::families::cinema::views::hall::{HallView, Legend};
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::cards::Say;
use crate::views::notice::Empty;

/// Draws a hall; in a conversation its seats can be picked.
#[component]
pub(crate) fn SeatMapView(map: SeatMap) -> impl IntoView {
    let hall = Hall::new(&map);
    let is_empty = hall.rows.is_empty();
    let hall = Memo::new(move |_| hall.clone());
    if is_empty {
        return any_view! { <Empty title=Key::HallEmpty/> };
    }
    if let Some(say) = use_context::<Say>() {
        return any_view! { <SeatChoice hall say/> };
    }
    let picks = RwSignal::new(Picks::default());
    let number = browser::next_number();
    any_view! { <HallView hall picks name="shown" number/><Legend hall picks/> }
}

/// Draws the hall with the picked seats and the send button below.
#[component]
fn SeatChoice(hall: Memo<Hall>, say: Say) -> impl IntoView {
    let picks = RwSignal::new(Picks::default());
    let number = browser::next_number();
    let max = hall.with_untracked(|it| it.seats_max);
    let pick = move |seat: Seat| {
        let lang = Lang::now();
        let name = lang.fill(Key::SeatName, &[&seat.row, &seat.number.to_string()]);
        let picked = picks.try_update(|it| it.toggle(&seat, max)).unwrap_or(Picked::Taken);
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
    let state = move || {
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
            <p>{state}</p>
            {move || (!ids.with(String::is_empty)).then(|| view! {
                <button type="button" on:click=ask
                    aria-disabled=move || say.is_busy.get().then_some("true")>
                    {move || Key::CardSeatsAsk.fill(&[&ids.get()])}
                </button>
            })}
        </div>
    }
}
