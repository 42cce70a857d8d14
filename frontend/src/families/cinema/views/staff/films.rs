//! The films: added, changed, removed.

use leptos::prelude::*;
use serde_json::json;

use super::outcome::{ADD, Doing, Editing, Outcome, Sure};
use super::sheet::{Field, Kind, Sheet, SheetView, Wrong};
use super::{Staff, column, number_column};
use crate::browser;
use crate::error::CallError;
use crate::families::cinema::programme::name;
use crate::families::cinema::staff::catalogue::Film;
use crate::families::cinema::staff::words::Word;
use crate::views::notice::Notice;

const TITLE: &str = "staff-film-heading";
/// Characters of a text of the catalogue.
const TEXT_MAX: usize = 2_000;

type Films = Editing<Doing>;

fn all(films: Films) -> Vec<Film> {
    let catalogue = films.staff.catalogue;
    catalogue.with(|it| it.here().map(|it| it.movies.clone()).unwrap_or_default())
}

fn film(films: Films, id: &str) -> Film {
    let catalogue = films.staff.catalogue;
    let found = catalogue.with_untracked(|it| it.here().and_then(|it| it.film(id).cloned()));
    found.unwrap_or_default()
}

/// The part `Films`.
#[component]
pub(super) fn FilmsView(staff: Staff) -> impl IntoView {
    let page = staff.page;
    let films = Films::new(staff);
    view! {
        <section class="op-part" aria-labelledby="staff-films">
            <div class="op-head">
                <h2 id="staff-films" class="section-title">
                    {move || Word::TabFilms.say(page)}
                    <span class="count">{move || all(films).len()}</span>
                </h2>
                <button type="button" id=ADD class="small" on:click=move |_| films.start(Doing::New)>
                    {move || Word::NewFilm.say(page)}
                </button>
            </div>
            <Outcome came=films.came/>
            <Doings films/>
            <div class="table-scroll" tabindex="0" role="region"
                aria-label=move || Word::FilmsTable.say(page)>
                <table class="data-table staff-table">
                    <thead><tr>
                        {column(page, Word::FilmTitle)}{column(page, Word::Id)}
                        {number_column(page, Word::Duration)}{number_column(page, Word::Rating)}
                        {column(page, Word::Actions)}
                    </tr></thead>
                    <tbody>
                        <For each=move || all(films) key=|it| format!("{it:?}") let:it>
                            <Row films it/>
                        </For>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn Row(films: Films, it: Film) -> impl IntoView {
    let page = films.staff.page;
    let (minutes, rating) = (it.duration, it.rating);
    let id = StoredValue::new(it.movie_id.clone());
    let it = StoredValue::new(it);
    let title = move || {
        let lang = page.lang.get();
        it.with_value(|it| name(Some(&it.title), it.title_en.as_deref(), lang)).unwrap_or_default()
    };
    view! {
        <tr>
            <th scope="row">{title}</th>
            <td><code>{id.get_value()}</code></td>
            <td class="is-number">{minutes}</td>
            <td class="is-number">{rating}</td>
            <td><div class="staff-actions">
                <button type="button" class="quiet small"
                    aria-label=move || Word::EditNamed.fill(page, &[&title()])
                    on:click=move |_| films.start(Doing::Edit(id.get_value()))>
                    {move || Word::Edit.say(page)}
                </button>
                <button type="button" class="quiet small is-grave"
                    aria-label=move || Word::RemoveNamed.fill(page, &[&title()])
                    on:click=move |_| films.start(Doing::Remove(id.get_value()))>
                    {move || Word::Remove.say(page)}
                </button>
            </div></td>
        </tr>
    }
}

#[component]
fn Doings(films: Films) -> impl IntoView {
    let page = films.staff.page;
    let stop = Callback::new(move |()| films.stop());
    move || match films.doing.get() {
        Doing::Nothing => ().into_any(),
        Doing::New => view! { <FilmForm films before=None/> }.into_any(),
        Doing::Edit(id) => view! { <FilmForm films before=Some(film(films, &id)) /> }.into_any(),
        Doing::Remove(id) => {
            let title = film(films, &id).title;
            let ask = Signal::derive(move || Word::Sure.fill(page, &[&title]));
            let yes = Callback::new(move |()| {
                films.send("edit_movie", json!({ "movie_id": id, "remove": true }), None);
            });
            view! {
                {move || films.error.get().map(|error| view! { <Refused error/> })}
                <Sure ask yes=Word::SureYes on_yes=yes on_no=stop is_busy=films.is_busy/>
            }
            .into_any()
        }
    }
}

/// A refusal, with what the cinema found in its own words.
#[component]
pub(super) fn Refused(error: CallError) -> impl IntoView {
    let problems = error.problems();
    view! {
        <Notice error/>
        <ul class="staff-problems">
            {problems.into_iter().map(|it| view! { <li>{it.message}</li> }).collect_view()}
        </ul>
    }
}

/// All fields of a film, with what is in them.
fn sheet_of(before: Option<&Film>) -> Sheet {
    const LINE: Kind = Kind::Line(TEXT_MAX);
    let mut fields = Vec::new();
    if before.is_none() {
        fields.push(Field::new("movie_id", Word::Id, Kind::Id).required().hint(Word::IdHint));
    }
    fields.extend([
        Field::new("title", Word::FilmTitle, LINE).required(),
        Field::new("title_en", Word::FilmTitleEn, LINE),
        Field::new("reading", Word::Reading, LINE).hint(Word::ReadingHint),
        Field::new("duration", Word::Duration, Kind::Number(1.0, 1440.0, "1")).required(),
        Field::new("rating", Word::Rating, Kind::Number(0.0, 5.0, "0.1")).required(),
        Field::new("release_date", Word::Release, Kind::Day),
        Field::new("genre", Word::Genre, LINE),
        Field::new("genre_en", Word::GenreEn, LINE),
        Field::new("description", Word::Description, Kind::Text(TEXT_MAX)).required(),
        Field::new("description_en", Word::DescriptionEn, Kind::Text(TEXT_MAX)),
    ]);
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    let values = before.map(|it| {
        vec![
            ("movie_id", it.movie_id.clone()),
            ("title", it.title.clone()),
            ("title_en", text(&it.title_en)),
            ("reading", text(&it.reading)),
            ("duration", it.duration.to_string()),
            ("rating", it.rating.to_string()),
            ("release_date", text(&it.release_date)),
            ("genre", text(&it.genre)),
            ("genre_en", text(&it.genre_en)),
            ("description", it.description.clone()),
            ("description_en", text(&it.description_en)),
        ]
    });
    Sheet::new("staff-film", fields, values.unwrap_or_default())
}

/// The form of one film, a new one where there is none `before`.
#[component]
fn FilmForm(films: Films, before: Option<Film>) -> impl IntoView {
    let page = films.staff.page;
    let sheet = sheet_of(before.as_ref());
    let is_new = before.is_none();
    let is_busy = films.is_busy;
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !sheet.is_right() {
            return;
        }
        let value = |name: &str| untrack(|| sheet.value(name));
        let id = value("movie_id");
        if is_new && untrack(|| all(films)).iter().any(|it| it.movie_id == id) {
            return sheet.mark("movie_id", Wrong::Word(Word::IdTaken, Vec::new()));
        }
        let mut arguments = json!({ "movie_id": id });
        if sheet.is_changed("duration") {
            arguments["duration"] = value("duration").parse::<u32>().unwrap_or_default().into();
        }
        if sheet.is_changed("rating") {
            arguments["rating"] = value("rating").parse::<f64>().unwrap_or_default().into();
        }
        // An empty text clears what may be left out.
        for name in [
            "title",
            "title_en",
            "reading",
            "release_date",
            "genre",
            "genre_en",
            "description",
            "description_en",
        ] {
            if sheet.is_changed(name) {
                arguments[name] = value(name).into();
            }
        }
        films.send("edit_movie", arguments, Some(sheet));
    };
    browser::focus_soon(TITLE);
    let title = move || match &before {
        None => Word::NewFilm.say(page).to_owned(),
        Some(it) => Word::EditFilm.fill(page, &[&it.title]),
    };
    view! {
        <form class="op-card" on:submit=submit novalidate aria-labelledby=TITLE>
            <h3 id=TITLE tabindex="-1">{title}</h3>
            {move || films.error.get().map(|error| view! { <Refused error/> })}
            <SheetView sheet/>
            <div class="actions">
                <button type="submit" class="main-action"
                    aria-disabled=move || is_busy.get().then_some("true")>
                    {move || if is_busy.get() { Word::Saving } else { Word::Save }.say(page)}
                </button>
                <button type="button" class="quiet" on:click=move |_| films.stop()>
                    {move || Word::Cancel.say(page)}
                </button>
            </div>
        </form>
    }
}
