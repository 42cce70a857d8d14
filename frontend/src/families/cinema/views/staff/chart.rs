//! How full each day of the week is, as bars; a table beside it says the same in numbers.

use leptos::prelude::*;

use super::{Staff, number_cell, number_column};
use crate::dates;
use crate::families::cinema::staff::catalogue::{DaySum, days_of};
use crate::families::cinema::staff::words::Word;
use crate::text::Lang;

/// The room of a day, and of its bar, in the chart's own units.
const DAY: f64 = 100.0;
const BAR: f64 = 64.0;
const HEIGHT: f64 = 100.0;

/// The bars of one day: what is sold stands on the ground, and what is held upon it.
fn bars(at: usize, day: &DaySum) -> impl IntoView + use<> {
    let x = at as f64 * DAY + (DAY - BAR) / 2.0;
    let share = |count: u32| f64::from(count) / f64::from(day.seats.max(1)) * HEIGHT;
    let (sold, held) = (share(day.sold), share(day.held));
    let rect = move |class: &'static str, from: f64, height: f64| {
        view! {
            <rect class=class x=x.to_string() y=(HEIGHT - from - height).to_string()
                width=BAR.to_string() height=height.to_string()></rect>
        }
    };
    view! {
        {rect("staff-bar is-free", 0.0, HEIGHT)}
        {rect("staff-bar is-sold", 0.0, sold)}
        {rect("staff-bar is-held", sold, held)}
    }
}

/// The picture, its legend, and the numbers.
#[component]
pub(super) fn Chart(staff: Staff) -> impl IntoView {
    let days = Memo::new(move |_| {
        staff.week.with(|it| it.here().map(|it| days_of(&it.showtimes)).unwrap_or_default())
    });
    let label = move || {
        let lang = Lang::spoken();
        let day = |it: &DaySum| {
            let percent = it.percent().to_string();
            Word::ChartDay.fill(&[&dates::short_day(it.day, lang), &percent])
        };
        let all = days.with(|it| it.iter().map(day).collect::<Vec<_>>().join(lang.comma()));
        Word::ChartSaid.fill(&[&all])
    };
    let view_box = move || format!("0 0 {} {HEIGHT}", days.with(Vec::len).max(1) as f64 * DAY);
    let axis = move |it: DaySum| {
        let percent = format!("{}%", it.percent());
        view! {
            <li><b>{percent}</b><span>{move || dates::short_day(it.day, Lang::spoken())}</span></li>
        }
    };
    let entry = move |class: &'static str, word: Word| {
        view! { <li><span class=class></span>{word}</li> }
    };
    view! {
        <figure class="staff-chart">
            <svg class="staff-bars" role="img" aria-label=label preserveAspectRatio="none" viewBox=view_box>
                {move || days.with(|it| {
                    it.iter().enumerate().map(|(at, it)| bars(at, it)).collect_view()
                })}
            </svg>
            <ul class="staff-axis" aria-hidden="true">
                {move || days.get().into_iter().map(axis).collect_view()}
            </ul>
            <ul class="staff-legend" aria-hidden="true">
                {entry("staff-key is-sold", Word::ChartSold)}
                {entry("staff-key is-held", Word::ChartHeld)}
                {entry("staff-key is-free", Word::ChartFree)}
            </ul>
        </figure>
        <Numbers days/>
    }
}

/// The same in numbers.
#[component]
fn Numbers(days: Memo<Vec<DaySum>>) -> impl IntoView {
    let row = move |it: DaySum| {
        let cell = move |word: Word, count: u32| {
            let text = move || dates::number(f64::from(count), Lang::spoken());
            number_cell(word, Signal::derive(text))
        };
        let percent = format!("{}%", it.percent());
        view! {
            <tr>
                <th scope="row">{move || dates::short_day(it.day, Lang::spoken())}</th>
                {cell(Word::Showings, it.showings)}{cell(Word::Seats, it.seats)}{cell(Word::Sold, it.sold)}
                {number_cell(Word::Share, percent)}
                {cell(Word::Held, it.held)}{cell(Word::Used, it.used)}
            </tr>
        }
    };
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=Word::DayTable>
            <table class="data-table staff-table is-cards">
                <thead><tr>
                    {super::column(Word::Day)}
                    {[Word::Showings, Word::Seats, Word::Sold, Word::Share, Word::Held, Word::Used]
                        .map(number_column).into_iter().collect_view()}
                </tr></thead>
                <tbody>{move || days.get().into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
