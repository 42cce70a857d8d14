//! The programme: a strip of days, a search, and each film with its showtimes.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Movie, Movies, Showtime, Showtimes};
use serde_json::json;

use super::{Office, Steps};
use crate::browser;
use crate::call::{Loaded, fetch, take};
use crate::dates::{self, Day};
use crate::error::CallError;
use crate::families::cinema::place::{At, Booking, Tab};
use crate::families::cinema::programme::{FILMS_MAX, Programme};
use crate::families::cinema::staff::AdminPermission;
use crate::families::cinema::views::movies::FilmCard;
use crate::families::cinema::views::stay_fresh;
use crate::families::cinema::{RESERVATIONS, Zone};
use crate::home::Activities;
use crate::mcp;
use crate::page::page;
use crate::route::{FamilyRoute, Route};
use crate::table::Ongoing;
use crate::text::{Key, Lang};
use crate::views::notice::{Empty, Notice, Skeleton};

/// Maximum age of the programme while the reader looks at it.
const AGE: Duration = Duration::from_secs(60);
/// Maximum age when the reader returns, in milliseconds.
const YOUNG_MS: f64 = 15_000.0;
/// Pause in typing before a search.
const PAUSE: Duration = Duration::from_millis(300);

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
struct Found {
    films: Vec<Movie>,
    suggestions: Vec<String>,
}

#[component]
pub(super) fn Browse() -> impl IntoView {
    let office: Office = expect_context();
    let asked_ms = StoredValue::new(0.0);
    let load = Callback::new(move |()| {
        asked_ms.set_value(browser::now_ms());
        spawn_local(load(office));
    });
    Effect::new(move |_| {
        page().refreshed.track();
        load.run(());
    });
    stay_fresh(AGE, move || {
        if browser::now_ms() - asked_ms.get_value() > YOUNG_MS {
            load.run(());
        }
    });
    let day = Memo::new(move |_| chosen_day(office));
    let found = search(office);
    Effect::new(move |_| {
        let films = found.get().map(|it| it.films).unwrap_or_default();
        let is_missing =
            office.programme.with(|it| it.ready().is_some_and(|it| !it.missing(&films).is_empty()));
        if is_missing {
            spawn_local(fetch_found(office, films));
        }
    });
    let retry = Callback::new(move |()| {
        office.programme.set(Loaded::Loading);
        load.run(());
    });
    let stage = Memo::new(move |_| office.programme.with(|it| it.map(|_| ())));

    view! {
        <div class="browse">
            <div class="lead">
                <h1 tabindex="-1" id="stage">{Key::BookTitle}</h1>
                <Steps now=0/>
            </div>
            <div class="browse-bar">
                <Days day/>
                <Search/>
            </div>
            {move || match stage.get() {
                Loaded::Loading => any_view! { <Announced office/> },
                Loaded::Failed(error) => any_view! { <Notice error on_retry=retry/> },
                Loaded::Ready(()) => any_view! { <Films day found/> },
            }}
            // Placed so that arriving films do not push it away.
            {move || (stage.get() != Loaded::Loading).then(|| view! { <FindReservation/><StaffWay/> })}
        </div>
    }
}

/// Fetches the films and their showtimes. The old ones are shown meanwhile.
pub(super) async fn load(office: Office) {
    let loaded = programme(office).await;
    office.announced.set(Vec::new());
    take(office.programme, loaded);
}

async fn programme(office: Office) -> Result<Programme, CallError> {
    let movies: Movies = fetch("list_movies", json!({})).await?;
    let is_known = |movie: &Movie| {
        let programme = |all: &Programme| all.showtimes_of(&movie.movie_id).is_some();
        office.programme.with_untracked(|it| it.ready().is_some_and(programme))
    };
    let (first, rest) = movies.movies.split_at(movies.movies.len().min(FILMS_MAX));
    let films: Vec<Movie> =
        first.iter().chain(rest.iter().filter(|it| is_known(it))).cloned().collect();
    if office.programme.with_untracked(|it| it.ready().is_none()) {
        office.announced.set(films.clone());
    }
    Zone::learn(movies.timezone.as_deref());
    let now = movies.now;
    let ahead_ms = now.as_deref().map_or(0.0, |it| dates::ahead_ms(it, mcp::answered_at_ms()));
    Ok(Programme { showtimes: showtimes(&films).await?, films, now, ahead_ms })
}

async fn showtimes(films: &[Movie]) -> Result<Vec<(String, Vec<Showtime>)>, CallError> {
    let requests = films.iter().map(|film| async {
        let id = film.movie_id.clone();
        let times: Showtimes = fetch("list_showtimes", json!({ "movie_id": id })).await?;
        Ok((id, times.showtimes))
    });
    let requests: Vec<_> = requests.map(Box::pin).collect();
    browser::all(requests).await.into_iter().collect()
}

/// Fetches the showtimes of films found beyond the first ones.
async fn fetch_found(office: Office, found: Vec<Movie>) {
    let missing = |all: &Programme| all.missing(&found).into_iter().cloned().collect::<Vec<_>>();
    let missing = office.programme.with_untracked(|it| it.ready().map(missing)).unwrap_or_default();
    // After a failure they stay missing; the next search or refresh tries again.
    let Ok(showtimes) = showtimes(&missing).await else { return };
    office.programme.update(|loaded| {
        if let Loaded::Ready(programme) = loaded {
            programme.add_found(&found, showtimes);
        }
    });
}

/// The films as soon as they are known, while their showtimes are being fetched.
#[component]
fn Announced(office: Office) -> impl IntoView {
    let card = |film: Movie| view! { <li><FilmCard film showtimes=Signal::from(Vec::new())/></li> };
    move || {
        let films = office.announced.get();
        if films.is_empty() {
            return any_view! { <Skeleton lines=6/> };
        }
        any_view! {
            <section class="films" aria-busy="true" aria-label=Key::ChooseFilm>
                <p class="section-title">{Key::Loading}</p>
                <ul class="film-list">{films.into_iter().map(card).collect_view()}</ul>
            </section>
        }
    }
}

fn chosen_day(office: Office) -> Option<Day> {
    let requested = page().route.with(|route| match At::from_route(route) {
        Some(At::BoxOffice(booking)) => Day::parse(booking.date.as_deref()?),
        _ => None,
    });
    office.programme.with(|loaded| {
        let programme = loaded.ready()?;
        programme.day(requested, &programme.now())
    })
}

/// Searches the host for the typed text after a pause; none without a query.
fn search(office: Office) -> RwSignal<Option<Found>> {
    let found = RwSignal::new(None);
    let number = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let query = office.query.get().trim().to_owned();
        number.update_value(|it| *it += 1);
        let mine = number.get_value();
        if query.is_empty() {
            found.set(None);
            return;
        }
        let is_last = move || number.try_get_value() == Some(mine);
        let ask = async move {
            browser::sleep(PAUSE).await;
            if !is_last() {
                return;
            }
            // A failed search leaves the list, which reports the error itself.
            let movies: Result<Movies, _> =
                fetch("list_movies", json!({ "title_query": query })).await;
            if let (true, Ok(movies)) = (is_last(), movies) {
                let Movies { movies: films, suggestions, .. } = movies;
                found.set(Some(Found { films, suggestions }));
            }
        };
        spawn_local(ask);
    });
    found
}

#[component]
fn Search() -> impl IntoView {
    let office: Office = expect_context();
    // While an input method composes, the field's text is not final.
    let composing = StoredValue::new(false);
    let take = move |event: leptos::ev::Event| {
        if !composing.get_value() {
            office.query.set(event_target_value(&event));
        }
    };
    view! {
        <div class="search" role="search">
            <label class="label" for="film-search">{Key::SearchFilms}</label>
            <input id="film-search" type="search" maxlength="100" autocomplete="off" enterkeyhint="search"
                placeholder=Key::SearchHint
                prop:value=office.query
                on:compositionstart=move |_| composing.set_value(true)
                on:compositionend=move |event| {
                    composing.set_value(false);
                    office.query.set(event_target_value(&event));
                }
                on:input=take/>
        </div>
    }
}

#[component]
fn Films(day: Memo<Option<Day>>, found: RwSignal<Option<Found>>) -> impl IntoView {
    let office: Office = expect_context();
    let films = Memo::new(move |_| {
        let found = found.get();
        let ids = found.map(|it| it.films.into_iter().map(|it| it.movie_id).collect::<Vec<_>>());
        let films = |it: &Programme| it.on(day.get(), ids.as_deref(), &it.now());
        office.programme.with(|it| it.ready().map(films).unwrap_or_default())
    });
    let card = move |id: String| {
        let of_id = id.clone();
        let showtimes = Signal::derive(move || {
            let showtimes = |it: &Programme| it.showtimes(&of_id, day.get());
            office.programme.with(|it| it.ready().map(showtimes).unwrap_or_default())
        });
        // It may have changed since it was drawn.
        let film = Signal::derive(move || {
            films.with(|it| it.iter().find(|it| it.movie_id == id).cloned()).unwrap_or_default()
        });
        view! { <FilmCard film showtimes/> }
    };
    // Films whose showings of the day have all begun are folded, unless they were searched for.
    let begun = Memo::new(move |_| {
        let (Some(day), None) = (day.get(), found.get()) else { return 0 };
        let begun = |programme: &Programme| {
            let now = programme.now();
            films.with(|films| {
                films
                    .iter()
                    .filter(|film| !programme.has_open(Some(&film.movie_id), day, &now))
                    .count()
            })
        };
        office.programme.with(|it| it.ready().map_or(0, begun))
    });
    let part = move |is_begun: bool| {
        let (films, begun) = (films.get(), begun.get());
        let (open, begun) = films.split_at(films.len().saturating_sub(begun));
        if is_begun { begun.to_vec() } else { open.to_vec() }
    };
    let list = move |is_begun: bool| {
        view! {
            <ul class="film-list">
                <For each=move || part(is_begun) key=|film| film.movie_id.clone() let:film>
                    <li>{card(film.movie_id)}</li>
                </For>
            </ul>
        }
    };
    let has_begun = Memo::new(move |_| begun.get() > 0);
    let zone = move || {
        let now = office.programme.with(|it| it.ready().map(Programme::now)).unwrap_or_default();
        let zone = Zone::shared().0.get()?;
        let zone = dates::foreign_zone(&zone, &now, Lang::spoken())?;
        Some(view! { <p class="hint">{Key::ZoneHint.fill(&[&zone])}</p> })
    };
    let count = move || Key::FilmCount.fill(&[&films.with(Vec::len).to_string()]);
    Effect::new(move |before: Option<usize>| {
        let now = films.with(Vec::len);
        if before.is_some_and(|before| before != now) {
            page().announce_fill(Key::FilmCount, &[&now.to_string()]);
        }
        now
    });
    view! {
        <section class="films" aria-labelledby="films-title">
            <h2 id="films-title" class="section-title">
                {Key::ChooseFilm}
                <span class="count">{count}</span>
            </h2>
            {zone}
            {list(false)}
            {move || has_begun.get().then(|| view! {
                <details class="begun">
                    <summary>{move || Key::FilmsBegun.fill(&[&begun.get().to_string()])}</summary>
                    {list(true)}
                </details>
            })}
            {move || films.with(Vec::is_empty).then(|| view! { <NoFilms found/> })}
            <NextDay day/>
        </section>
    }
}

/// Link to the next day with showings.
#[component]
fn NextDay(day: Memo<Option<Day>>) -> impl IntoView {
    let office: Office = expect_context();
    let next = Memo::new(move |_| {
        let days = office.programme.with(|it| it.ready().map(Programme::days))?;
        days.into_iter().find(|it| Some(*it) > day.get())
    });
    move || {
        let next = next.get()?;
        let booking = Booking { date: Some(next.to_string()), showtime: None };
        let text = move || Key::FilmsOn.fill(&[&dates::short_day(next, Lang::spoken())]);
        Some(view! {
            <p class="next-day">
                <a class="button" href=At::BoxOffice(booking).hash()>{text}</a>
            </p>
        })
    }
}

#[component]
fn NoFilms(found: RwSignal<Option<Found>>) -> impl IntoView {
    let office: Office = expect_context();
    let suggestion = move |title: String| {
        let query = title.clone();
        view! {
            <button type="button" class="quiet small" on:click=move |_| office.query.set(query.clone())>
                {title}
            </button>
        }
    };
    let suggestions = move || {
        let titles = found.get().map(|it| it.suggestions).unwrap_or_default();
        (!titles.is_empty()).then(|| {
            view! {
                <p class="suggestions">
                    {Key::DidYouMean}
                    {titles.into_iter().take(5).map(suggestion).collect_view()}
                </p>
            }
        })
    };
    // If nothing is showing at all, no other day or search helps.
    let has_films =
        move || office.programme.with(|it| it.ready().is_some_and(|it| !it.days().is_empty()));
    let choose = move |fits: Key, none: Key| {
        Signal::derive(move || if has_films() { fits } else { none }.say().to_owned())
    };
    view! {
        <Empty title=choose(Key::NoFilms, Key::NoProgramme)
            hint=choose(Key::NoFilmsHint, Key::NoProgrammeHint)/>
        {suggestions}
    }
}

/// The coming visits of the names used here, for readers who do not have the number at hand. The front page has
/// them at its head.
#[component]
fn Visits() -> impl IntoView {
    let activities: Activities = expect_context();
    let visits = Memo::new(move |_| activities.of(RESERVATIONS));
    let visit = |visit: Ongoing| {
        let href = visit.route.hash();
        view! { <li><a href=href>{move || visit.say(Lang::spoken())}</a></li> }
    };
    let is_front = Memo::new(move |_| page().route.with(|route| *route == Route::Home));
    move || {
        let is_shown = !is_front.get() && visits.with(|visits| !visits.is_empty());
        is_shown.then(|| {
            view! {
                <ul class="front-mine find-mine" aria-label=Key::FrontMine>
                    {move || visits.get().into_iter().map(visit).collect_view()}
                </ul>
            }
        })
    }
}

/// Finds an earlier reservation.
#[component]
pub(crate) fn FindReservation() -> impl IntoView {
    let id = RwSignal::new(String::new());
    let find = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let id = id.get_untracked().trim().to_owned();
        if id.is_empty() {
            browser::focus("reservation-id");
        } else {
            page().go(At::Reservation(id).route());
        }
    };
    view! {
        <section class="find" aria-labelledby="find-title">
            <div>
                <h2 id="find-title" class="section-title">{Key::FindReservation}</h2>
                <p class="hint" id="find-hint">{Key::FindReservationHint}</p>
                <Visits/>
            </div>
            <form class="find-form" on:submit=find>
                <label class="only-heard" for="reservation-id">{Key::ReservationNumber}</label>
                <input id="reservation-id" type="text" autocomplete="off" spellcheck="false"
                    aria-describedby="find-hint" placeholder=Key::ReservationNumber
                    prop:value=id on:input=move |event| id.set(event_target_value(&event))/>
                <button type="submit" class="quiet">{Key::Find}</button>
            </form>
        </section>
    }
}

/// Link to the admin views, for admins.
#[component]
fn StaffWay() -> impl IntoView {
    let permission: AdminPermission = expect_context();
    permission.watch();
    move || {
        permission.is_given().then(|| {
            view! {
                <p class="staff-way"><a href=At::Staff(Tab::Week).hash()>{Key::StaffWay}</a></p>
            }
        })
    }
}

/// Link of a showtime.
pub(crate) fn seats_of(showtime: &str, start_time: &str) -> String {
    let date = Day::of_time(start_time).map(|it| it.to_string());
    At::BoxOffice(Booking { date, showtime: Some(showtime.to_owned()) }).hash()
}

#[component]
pub(super) fn Days(day: Memo<Option<Day>>) -> impl IntoView {
    let office: Office = expect_context();
    let days = Memo::new(move |_| {
        office.programme.with(|it| it.ready().map(|it| it.days()).unwrap_or_default())
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
        let now = office.programme.with(|it| it.ready().map(Programme::now));
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
