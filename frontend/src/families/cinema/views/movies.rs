//! Films and showtimes: a film's card with its showtimes as links to the seats.

use leptos::prelude::*;
use output::cinema::{Movie, Movies, Showtime, Showtimes};

use super::box_office::seats_of;
use crate::dates;
use crate::families::cinema::Zone;
use crate::families::cinema::programme::{Left, hue, name, synopsis, titles};
use crate::text::{Key, Lang};
use crate::views::notice::Empty;

/// One film with its showtimes.
#[component]
pub(crate) fn FilmCard(
    #[prop(into)] film: Signal<Movie>,
    /// Empty if only the film is shown.
    #[prop(into)]
    showtimes: Signal<Vec<Showtime>>,
) -> impl IntoView {
    let title = move || film.with(|it| titles(it, Lang::spoken()).0);
    let other = move || film.with(|it| titles(it, Lang::spoken()).1);
    let about = move || film.with(|it| synopsis(it, Lang::spoken()));
    let hue = film.with_untracked(|it| hue(&it.movie_id));
    let initial = move || title().chars().next().map(String::from).unwrap_or_default();
    let class = format!("poster hue-{hue}");
    let has_times = Memo::new(move |_| !showtimes.with(Vec::is_empty));
    view! {
        <article class="film">
            <div class=class aria-hidden="true"><span>{initial}</span></div>
            <div class="film-text">
                <h3 class="film-title">{title}</h3>
                {move || other().map(|other| view! { <p class="film-other">{other}</p> })}
                <FilmFacts film/>
                <p class="film-about">{about}</p>
            </div>
            {move || has_times.get().then(|| view! {
                <div class="film-times">
                    <ShowtimeList showtimes
                        label=Signal::derive(move || format!("{} {}", title(), Key::StepShowtime.say()))/>
                </div>
            })}
        </article>
    }
}

/// Showings; those that have begun are folded.
#[component]
fn ShowtimeList(
    showtimes: Signal<Vec<Showtime>>,
    #[prop(optional, into)] label: Option<Signal<String>>,
) -> impl IntoView {
    let part = move |is_begun: bool| {
        let now = dates::now();
        let is_such = |it: &Showtime| (Left::new(it, &now) == Left::Started) == is_begun;
        showtimes.get().into_iter().filter(is_such).collect::<Vec<_>>()
    };
    let list = move |is_begun: bool| {
        view! {
            <ul class="showtimes" aria-label=move || label.map(|it| it.get())>
                <For each=move || part(is_begun)
                    key=|it| (it.showtime_id.clone(), it.available_seats_count, it.is_open, it.is_sales_closed)
                    let:showtime>
                    <li><ShowtimeLink showtime/></li>
                </For>
            </ul>
        }
    };
    let begun = Memo::new(move |_| part(true).len());
    let has_begun = Memo::new(move |_| begun.get() > 0);
    view! {
        {list(false)}
        {move || has_begun.get().then(|| view! {
            <details class="begun">
                <summary>{move || Key::ShowtimesBegun.fill(&[&begun.get().to_string()])}</summary>
                {list(true)}
            </details>
        })}
    }
}

#[component]
fn FilmFacts(film: Signal<Movie>) -> impl IntoView {
    let genre =
        move || film.with(|it| name(it.genre.as_deref(), it.genre_en.as_deref(), Lang::spoken()));
    let minutes = move || Some(Key::Minutes.fill(&[&film.with(|it| it.duration)?.to_string()]));
    view! {
        <p class="film-facts">
            {move || genre().map(|genre| view! { <span>{genre}</span> })}
            {move || minutes().map(|minutes| view! { <span>{minutes}</span> })}
            {move || stars(film.with(|it| it.rating)).map(|stars| view! {
                <span class="rating">
                    <span aria-hidden="true">"★ "{stars.clone()}</span>
                    <span class="only-heard">{Key::Rating.fill(&[&stars])}</span>
                </span>
            })}
        </p>
    }
}

/// A rating with one decimal, from whole numbers: Rust's formatting of floats would add 3 kB to a visit.
fn stars(rating: f64) -> Option<String> {
    let tenths = (rating * 10.0).round() as u32;
    (tenths > 0).then(|| format!("{}.{}", tenths / 10, tenths % 10))
}

/// One showing, linked to its seats until it begins.
#[component]
pub(crate) fn ShowtimeLink(showtime: Showtime) -> impl IntoView {
    let left = Left::new(&showtime, &dates::now());
    let class = match left {
        Left::Plenty(_) => "showtime",
        Left::Few(_) => "showtime is-few",
        Left::None => "showtime is-full",
        Left::Started | Left::Closed => "showtime is-started",
    };
    let seats = move || match left {
        Left::Plenty(seats) => Key::SeatsLeft.fill(&[&seats.to_string()]),
        Left::Few(seats) => Key::SeatsFew.fill(&[&seats.to_string()]),
        Left::None => Key::SeatsFull.say().to_owned(),
        Left::Started => Key::SeatsStarted.say().to_owned(),
        Left::Closed => Key::SalesClosed.say().to_owned(),
    };
    let href = seats_of(&showtime.showtime_id, &showtime.start_time);
    let start = dates::clock(&showtime.start_time).to_owned();
    let end = showtime.end_time.as_deref().map(|it| dates::clock(it).to_owned());
    let (own, english) = (showtime.theater_name, showtime.theater_name_en);
    let screen = move || name(own.as_deref(), english.as_deref(), Lang::spoken());
    let date_time = showtime.start_time;
    let text = view! {
        <span class="showtime-time">
            <time datetime=date_time class="showtime-start">{start}</time>
            {end.map(|end| view! {
                <span class="showtime-end">{move || Key::UntilTime.fill(&[&end])}</span>
            })}
        </span>
        <span class="showtime-screen">{screen}</span>
        <span class="showtime-left">{seats}</span>
    };
    match left {
        Left::Started | Left::Closed => any_view! { <div class=class>{text}</div> },
        _ => any_view! { <a class=class href=href>{text}</a> },
    }
}

/// The films of a tool's output.
#[component]
pub(crate) fn MoviesView(movies: Movies) -> impl IntoView {
    let is_empty = movies.movies.is_empty();
    let card = |film: Movie| view! { <li><FilmCard film showtimes=Signal::from(Vec::new())/></li> };
    view! {
        <ul class="film-list is-plain">{movies.movies.into_iter().take(200).map(card).collect_view()}</ul>
        {is_empty.then(|| view! { <Empty title=Key::NoFilms/> })}
    }
}

/// The showtimes of a tool's output, by day.
#[component]
pub(crate) fn ShowtimesView(showtimes: Showtimes) -> impl IntoView {
    let mut days: Vec<(String, Vec<Showtime>)> = Vec::new();
    for showtime in showtimes.showtimes.into_iter().take(500) {
        let day = showtime.start_time.get(..10).unwrap_or_default().to_owned();
        match days.last_mut() {
            Some((last, times)) if *last == day => times.push(showtime),
            _ => days.push((day, vec![showtime])),
        }
    }
    let is_empty = days.is_empty();
    let zone = move || {
        let zone = Zone::shared().0.get()?;
        let zone = dates::foreign_zone(&zone, "", Lang::spoken())?;
        Some(view! { <p class="hint">{Key::ZoneHint.fill(&[&zone])}</p> })
    };
    let day = move |(day, times): (String, Vec<Showtime>)| {
        let title = move || {
            dates::Day::parse(&day).map_or(day.clone(), |it| dates::long_day(it, Lang::spoken()))
        };
        view! {
            <h4 class="showtimes-day">{title}</h4>
            <ShowtimeList showtimes=Signal::stored(times)/>
        }
    };
    view! {
        {zone}
        {days.into_iter().map(day).collect_view()}
        {is_empty.then(|| view! { <Empty title=Key::NoShowtimes/> })}
    }
}
