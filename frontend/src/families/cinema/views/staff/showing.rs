//! Adds or changes a showing; explains an overlap before it is refused.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{CatalogueImport, ShowtimeOccupancy};
use serde_json::json;

use super::Staff;
use super::outcome::FormActions;
use super::sheet::{Field, Kind, Sheet, SheetView, Wrong};
use crate::browser;
use crate::dates::{self, Day};
use crate::error::CallError;
use crate::families::cinema::programme::name;
use crate::families::cinema::staff::catalogue::{Catalogue, Conflict, Film, Screen, screen_of};
use crate::families::cinema::staff::words::Text;
use crate::families::report_failure;
use crate::text::Lang;
use crate::views::notice::Notice;

/// An id, a name, and the English name.
type Named = (String, String, Option<String>);

const TITLE: &str = "staff-showing-heading";

/// Default start of a showing.
const EVENING: &str = "19:00";

/// The form of a showing; a new one without `before`.
#[component]
pub(super) fn ShowingForm(
    staff: Staff,
    /// The day of a new showing.
    day: Option<Day>,
    before: Option<ShowtimeOccupancy>,
    /// Called with the changes and the day of the showing.
    saved: Callback<(CatalogueImport, Option<Day>)>,
    stop: Callback<()>,
) -> impl IntoView {
    let choices = move |f: fn(&Catalogue) -> Vec<Named>| {
        Signal::derive(move || {
            let lang = Lang::spoken();
            let all = staff.catalogue.with(|it| it.ready().map(f).unwrap_or_default());
            let called = |own: &str, english: Option<&str>| name(Some(own), english, lang);
            all.into_iter()
                .map(|(id, own, english)| {
                    let called = called(&own, english.as_deref()).unwrap_or_default();
                    (id, called)
                })
                .collect::<Vec<_>>()
        })
    };
    let films = choices(|all| {
        let film = |it: &Film| (it.movie_id.clone(), it.title.clone(), it.title_en.clone());
        all.movies.iter().map(film).collect()
    });
    let screens = choices(|all| {
        let screen = |it: &Screen| (it.screen_id.clone(), it.name.clone(), it.name_en.clone());
        all.screens.iter().map(screen).collect()
    });
    let first = |all: Signal<Vec<(String, String)>>| {
        all.with_untracked(|it| it.first().map(|it| it.0.clone())).unwrap_or_default()
    };
    let values = match &before {
        Some(showing) => [
            ("movie_id", showing.movie_id.clone()),
            ("screen_id", screen_of(&showing.showtime_id).unwrap_or_default().to_owned()),
            ("start_time", showing.start_time.get(..16).unwrap_or_default().to_owned()),
        ],
        None => [
            ("movie_id", first(films)),
            ("screen_id", first(screens)),
            ("start_time", day.map(|it| format!("{it}T{EVENING}")).unwrap_or_default()),
        ],
    };
    let fields = vec![
        Field::new("movie_id", Text::Film, Kind::Choice(films)).required(),
        Field::new("screen_id", Text::Screen, Kind::Choice(screens)).required(),
        Field::new("start_time", Text::StartTime, Kind::Moment).required().hint(Text::StartHint),
    ];
    let sheet = Sheet::new("staff-showing", fields, values);
    let own = StoredValue::new(before.as_ref().map(|it| it.showtime_id.clone()));
    let error = RwSignal::new(None::<CallError>);
    let is_busy = RwSignal::new(false);
    let conflict = Memo::new(move |_| {
        let (film, screen) = (sheet.value("movie_id"), sheet.value("screen_id"));
        let start = sheet.value("start_time");
        staff.catalogue.with(|all| {
            staff.week.with(|week| {
                let week = &week.ready()?.showtimes;
                let own = own.get_value();
                all.ready()?.conflict(week, &film, &screen, &start, own.as_deref())
            })
        })
    });
    let explain = move |conflict: &Conflict| {
        let minutes = staff.catalogue.with(|it| it.ready().map_or(0, |it| it.cleaning_minutes));
        let start = dates::clock(&conflict.start).to_owned();
        let title = name(Some(&conflict.title), conflict.title_en.as_deref(), Lang::spoken());
        Wrong::Text(
            Text::Meets,
            vec![start, conflict.end.clone(), title.unwrap_or_default(), minutes.to_string()],
        )
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        error.set(None);
        if is_busy.get_untracked() || !sheet.is_right() {
            return;
        }
        is_busy.set(true);
        let start = untrack(|| sheet.value("start_time"));
        let mut arguments = untrack(|| {
            json!({
                "movie_id": sheet.value("movie_id"), "screen_id": sheet.value("screen_id"),
                "start_time": start,
            })
        });
        if let Some(id) = own.get_value() {
            arguments["showtime_id"] = id.into();
        }
        spawn_local(async move {
            let done = staff.edit("edit_showtime", arguments).await;
            let is_here = is_busy.try_set(false).is_none();
            match done {
                Ok(_) if !is_here => {}
                Err(failure) if !is_here => report_failure(&failure),
                Ok(import) => saved.run((import, Day::of_time(&start))),
                // The cinema has refused it; the reason is given in the reader's language if known.
                Err(failure) if failure.problems().iter().any(|it| it.pointer == "/start_time") => {
                    match untrack(|| conflict.get().map(|it| explain(&it))) {
                        Some(wrong) => sheet.mark("start_time", wrong),
                        None => drop(sheet.takes(&failure)),
                    }
                }
                Err(failure) if sheet.takes(&failure) => {}
                Err(failure) => error.set(Some(failure)),
            }
        });
    };
    browser::focus_soon(TITLE);
    let title = move || match &before {
        None => Text::NewShowing.say().to_owned(),
        Some(showing) => {
            Text::EditShowing.fill(&[&dates::day_and_time(&showing.start_time, Lang::spoken())])
        }
    };
    view! {
        <form class="op-card" on:submit=submit novalidate aria-labelledby=TITLE>
            <h3 id=TITLE tabindex="-1">{title}</h3>
            {move || error.get().map(|error| view! { <Notice error/> })}
            <SheetView sheet/>
            <p class="staff-meets" role="status">
                {move || {
                    let is_marked = sheet.wrong.with(|it| it.contains_key("start_time"));
                    conflict.get().filter(|_| !is_marked).map(|it| explain(&it).say())
                }}
            </p>
            <FormActions is_busy stop=move || stop.run(())/>
        </form>
    }
}
