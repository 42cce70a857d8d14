//! Suggested seats: the host proposes, and the reader can change them.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Price, SeatKind, SeatSuggestion};
use serde_json::json;

use super::seats::Showing;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::cinema::hall::{Hall, Picks};
use crate::families::cinema::programme::price;
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

/// The kinds of seats that are suggested, by whether premium ones are wanted.
const KINDS: [(SeatKind, Key); 2] =
    [(SeatKind::Standard, Key::KindStandard), (SeatKind::Premium, Key::KindPremium)];

/// Whether the hall has ordinary and premium seats, at different prices.
fn has_classes(hall: &Hall) -> bool {
    let prices = KINDS.map(|(kind, _)| {
        let has = hall.places().any(|it| it.seat.kind == kind);
        hall.price(kind).filter(|_| has)
    });
    matches!(&prices, [Some(one), Some(other)] if one != other)
}

/// Selects ordinary or premium seats, if the hall has both.
#[component]
fn SeatClass(showing: Showing, wants_premium: RwSignal<bool>) -> impl IntoView {
    let has_both = Memo::new(move |_| showing.hall.with(has_classes));
    let option = move |is_premium: bool| {
        let (kind, name) = KINDS[usize::from(is_premium)];
        let cost = move || showing.hall.with(|it| it.price(kind));
        let cost = move || cost().map(|it| price(&it, Lang::spoken())).unwrap_or_default();
        view! {
            <option value=is_premium.to_string() selected=move || wants_premium.get() == is_premium>
                {move || format!("{} {}", name.say(), cost())}
            </option>
        }
    };
    move || {
        has_both.get().then(|| {
            view! {
                <select aria-label=Key::SuggestClass
                    on:change=move |event| wants_premium.set(event_target_value(&event) == "true")>
                    {option(false)}{option(true)}
                </select>
            }
        })
    }
}

/// The number of seats and the button that requests a suggestion.
#[component]
pub(super) fn Suggest(showing: Showing) -> impl IntoView {
    let is_offered = Memo::new(move |_| page().tool("suggest_seats").is_some());
    let count = RwSignal::new(COUNT);
    let wants_premium = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CallError>);
    let wanted = move || showing.hall.with(|it| it.seats_max).min(count.get());
    let ask = move |_| {
        if is_busy.get_untracked() {
            return;
        }
        is_busy.set(true);
        error.set(None);
        let mut arguments =
            json!({ "showtime_id": showing.id.get_value(), "count": untrack(wanted) });
        if wants_premium.get_untracked() {
            arguments["premium"] = true.into();
        }
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
    // What it picks, and what that costs.
    let text = move || {
        let (wanted, (kind, name)) = (wanted(), KINDS[usize::from(wants_premium.get())]);
        let text = Key::Suggest.fill(&[&Key::SeatsCount.fill(&[&wanted.to_string()])]);
        let class = showing.hall.with(has_classes).then(|| name.say().to_owned());
        let cost = showing.hall.with(|it| it.price(kind)).map(|one| {
            let amount = one.amount.saturating_mul(wanted as u64);
            price(&Price { amount, ..one }, Lang::spoken())
        });
        let facts: Vec<_> = class.into_iter().chain(cost).collect();
        match facts.is_empty() {
            true => text,
            false => Key::Bracketed.fill(&[&text, &facts.join(Lang::spoken().comma())]),
        }
    };
    move || {
        is_offered.get().then(|| {
            view! {
                <div class="suggest">
                    <SeatCount showing count/>
                    <SeatClass showing wants_premium/>
                    <button type="button" class="quiet small" on:click=ask
                        aria-disabled=move || is_busy.get().then_some("true")>{text}</button>
                    {move || error.get().map(|error| view! { <Notice error/> })}
                </div>
            }
        })
    }
}
