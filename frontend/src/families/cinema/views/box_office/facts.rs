//! What is on in the hall on the screen, when and where.

use leptos::prelude::*;
use output::cinema::Showtime;

use super::Office;
use super::seats::Showing;
use crate::dates;
use crate::families::cinema::place::{At, Booking};
use crate::families::cinema::programme::{name, titles};
use crate::page::page;
use crate::route::Spot;
use crate::text::{Key, Lang};

/// What is on, when and where; and the way back.
#[component]
pub(super) fn Facts(showing: Showing) -> impl IntoView {
    let showtime = Memo::new(move |_| {
        showing.map.with(|it| it.here().and_then(|it| it.showtime.clone()).unwrap_or_default())
    });
    let title = move || title_of(showing.office, &showtime.get());
    let back = move || {
        let date = page().route.with(|route| match At::of(route) {
            Some(At::BoxOffice(booking)) => booking.date,
            _ => None,
        });
        At::BoxOffice(Booking { date, showtime: None }).hash()
    };
    let times = move || {
        showtime.with(|it| {
            let start = dates::day_and_time(&it.start_time, Lang::spoken());
            let end = it.end_time.as_deref().map(|it| Key::UntilTime.fill(&[dates::clock(it)]));
            format!("{start}{}", end.unwrap_or_default())
        })
    };
    let screen = move || {
        showtime.with(|it| {
            name(it.theater_name.as_deref(), it.theater_name_en.as_deref(), Lang::spoken())
        })
    };
    view! {
        <div class="facts">
            <a class="back" href=back>{Key::Change}</a>
            <h1 tabindex="-1" id="stage">{title}</h1>
            <p class="facts-line">
                <span>{times}</span>
                <span>{screen}</span>
            </p>
        </div>
    }
}

/// The film's title in the reader's language, if the programme is known; else as the host says.
fn title_of(office: Office, showtime: &Showtime) -> String {
    let lang = Lang::spoken();
    let known = office.programme.with(|it| {
        let film = it.here()?.films.iter().find(|it| it.movie_id == showtime.movie_id)?;
        Some(titles(film, lang).0)
    });
    let title = known.or_else(|| showtime.movie_title.clone());
    title.unwrap_or_else(|| Key::ChooseSeats.say().to_owned())
}
