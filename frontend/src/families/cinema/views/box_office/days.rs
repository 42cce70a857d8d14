//! A strip of the days on which something is on.

use leptos::prelude::*;

use super::Office;
use crate::dates::{self, Day};
use crate::families::cinema::place::{At, Booking};
use crate::families::cinema::programme::Programme;
use crate::route::Spot;
use crate::text::{Key, Lang};

#[component]
pub(super) fn Days(
    /// The day shown.
    day: Memo<Option<Day>>,
) -> impl IntoView {
    let office: Office = expect_context();
    let days = Memo::new(move |_| {
        office.programme.with(|it| it.here().map(|it| it.days()).unwrap_or_default())
    });
    view! {
        <nav class="days" aria-label=Key::ChooseDay>
            <ul>
                <For each=move || days.get() key=|day| *day let:each>
                    <li><DayLink each day/></li>
                </For>
            </ul>
        </nav>
    }
}

#[component]
fn DayLink(each: Day, day: Memo<Option<Day>>) -> impl IntoView {
    let booking = Booking { date: Some(each.to_string()), showtime: None };
    let office: Office = expect_context();
    let today = Memo::new(move |_| {
        let now = office.programme.with(|it| it.here().map(Programme::now));
        now.and_then(|it| Day::of_time(&it))
    });
    let near = move || {
        let today = today.get()?;
        if each == today {
            Some(Key::Today.say())
        } else {
            (each == today.next()).then(|| Key::Tomorrow.say())
        }
    };
    let month = move || match Lang::spoken() {
        Lang::Ja => format!("{}/", each.month),
        Lang::En => format!("{} ", dates::month(each, Lang::En)),
    };
    let long = move || dates::long_day(each, Lang::spoken());
    let weekday = move || dates::weekday(each, Lang::spoken());
    view! {
        <a class="day" href=At::BoxOffice(booking).hash() title=long
            aria-current=move || (day.get() == Some(each)).then_some("date")
            data-weekday=dates::weekday_number(each)>
            <span class="day-near">{move || near().unwrap_or_default()}</span>
            " "
            <time class="day-number" datetime=each.to_string()>
                <span class="day-month">{month}</span>{each.day}
            </time>
            " "
            <span class="day-week">{weekday}</span>
        </a>
    }
}
