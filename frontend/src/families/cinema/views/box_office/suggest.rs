//! Suggested seats: the host proposes, and the reader can change them.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::SeatSuggestion;
use serde_json::json;

use super::seats::Showing;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::cinema::hall::Picks;
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// Default number of seats.
const COUNT: usize = 2;

/// Selects a number of seats up to the limit of one reservation.
#[component]
pub(super) fn SeatCount(showing: Showing, count: RwSignal<usize>) -> impl IntoView {
    let seats_max = Memo::new(move |_| showing.hall.with(|it| it.seats_max));
    let option = move |number: usize| {
        view! {
            <option value=number.to_string() selected=move || count.get() == number>
                {move || Key::SeatsCount.fill(&[&number.to_string()])}
            </option>
        }
    };
    let choose = move |event| {
        if let Ok(chosen) = event_target_value(&event).parse() {
            count.set(chosen);
        }
    };
    view! {
        <select aria-label=Key::SuggestCount on:change=choose>
            {move || (1..=seats_max.get()).map(option).collect_view()}
        </select>
    }
}

/// The number of seats and the button that requests a suggestion.
#[component]
pub(super) fn Suggest(showing: Showing) -> impl IntoView {
    let is_offered = Memo::new(move |_| page().tool("suggest_seats").is_some());
    let count = RwSignal::new(COUNT);
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CallError>);
    let ask = move |_| {
        if is_busy.get_untracked() {
            return;
        }
        is_busy.set(true);
        error.set(None);
        let seats_max = showing.hall.with_untracked(|it| it.seats_max);
        let wanted = count.get_untracked().min(seats_max);
        let arguments = json!({ "showtime_id": showing.id.get_value(), "count": wanted });
        spawn_local(async move {
            let found = fetch::<SeatSuggestion>("suggest_seats", arguments).await;
            if is_busy.try_set(false).is_some() {
                return;
            }
            match found {
                Ok(found) => {
                    let hall = showing.hall.get_untracked();
                    let mut picks = Picks::default();
                    picks.restore(&hall, &found.seat_ids);
                    showing.picks.set(picks);
                    page().announce(match Lang::now() {
                        Lang::Ja => found.sentence,
                        Lang::En => found.sentence_en,
                    });
                }
                Err(failure) => error.set(Some(failure)),
            }
        });
    };
    move || {
        is_offered.get().then(|| {
            view! {
                <div class="suggest">
                    <SeatCount showing count/>
                    <button type="button" class="quiet small" on:click=ask
                        aria-disabled=move || is_busy.get().then_some("true")>{Key::Suggest}</button>
                    {move || error.get().map(|error| view! { <Notice error/> })}
                </div>
            }
        })
    }
}
