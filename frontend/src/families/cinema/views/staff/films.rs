//! The films: adding, changing, removing.

use leptos::prelude::*;
use serde_json::json;

use super::entries::{Entry, Refused, is_taken};
use super::outcome::{Doing, Editing, FormActions};
use super::sheet::{Field, Kind, Sheet, SheetView};
use super::{number_cell, number_column};
use crate::browser;
use crate::families::cinema::staff::catalogue::{Catalogue, Film};
use crate::families::cinema::staff::words::Text;

const TITLE: &str = "staff-film-heading";
/// Maximum number of characters of a text in the catalogue.
const TEXT_MAX: usize = 2_000;

impl Entry for Film {
    const PART: &'static str = "staff-films";
    const WORDS: [Text; 4] = [Text::TabFilms, Text::NewFilm, Text::FilmsTable, Text::FilmTitle];
    const TOOL: &'static str = "edit_movie";
    const KEY: &'static str = "movie_id";

    fn all(catalogue: &Catalogue) -> &[Self] {
        &catalogue.movies
    }

    fn id(&self) -> &str {
        &self.movie_id
    }

    fn names(&self) -> (&str, Option<&str>) {
        (&self.title, self.title_en.as_deref())
    }

    fn heads() -> AnyView {
        (number_column(Text::Duration), number_column(Text::Rating)).into_any()
    }

    fn cells(&self) -> AnyView {
        let duration = number_cell(Text::Duration, self.duration.to_string());
        (duration, number_cell(Text::Rating, self.rating.to_string())).into_any()
    }

    fn form(edits: Editing<Doing>, before: Option<Self>) -> AnyView {
        any_view! { <FilmForm films=edits before/> }
    }
}

/// All fields of a film with their values.
fn sheet_of(before: Option<&Film>) -> Sheet {
    const LINE: Kind = Kind::Line(TEXT_MAX);
    let mut fields = Vec::new();
    if before.is_none() {
        fields.push(Field::new("movie_id", Text::Id, Kind::Id).required().hint(Text::IdHint));
    }
    fields.extend([
        Field::new("title", Text::FilmTitle, LINE).required(),
        Field::new("title_en", Text::FilmTitleEn, LINE),
        Field::new("reading", Text::Reading, LINE).hint(Text::ReadingHint),
        Field::new("duration", Text::Duration, Kind::Number(1.0, 1440.0, "1")).required(),
        Field::new("rating", Text::Rating, Kind::Number(0.0, 5.0, "0.1")).required(),
        Field::new("release_date", Text::Release, Kind::Day),
        Field::new("genre", Text::Genre, LINE),
        Field::new("genre_en", Text::GenreEn, LINE),
        Field::new("description", Text::Description, Kind::Text(TEXT_MAX)).required(),
        Field::new("description_en", Text::DescriptionEn, Kind::Text(TEXT_MAX)),
    ]);
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    let values = before.map(|film| {
        vec![
            ("movie_id", film.movie_id.clone()),
            ("title", film.title.clone()),
            ("title_en", text(&film.title_en)),
            ("reading", text(&film.reading)),
            ("duration", film.duration.to_string()),
            ("rating", film.rating.to_string()),
            ("release_date", text(&film.release_date)),
            ("genre", text(&film.genre)),
            ("genre_en", text(&film.genre_en)),
            ("description", film.description.clone()),
            ("description_en", text(&film.description_en)),
        ]
    });
    Sheet::new("staff-film", fields, values.unwrap_or_default())
}

/// The form of a film; a new one without `before`.
#[component]
fn FilmForm(films: Editing<Doing>, before: Option<Film>) -> impl IntoView {
    let sheet = sheet_of(before.as_ref());
    let is_new = before.is_none();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !sheet.is_right() {
            return;
        }
        let value = |name: &str| untrack(|| sheet.value(name));
        if is_new && is_taken::<Film>(films.staff, sheet) {
            return;
        }
        let mut arguments = json!({ "movie_id": value("movie_id") });
        if sheet.is_changed("duration") {
            arguments["duration"] = value("duration").parse::<u32>().unwrap_or_default().into();
        }
        if sheet.is_changed("rating") {
            arguments["rating"] = value("rating").parse::<f64>().unwrap_or_default().into();
        }
        // An empty text clears an optional field.
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
        None => Text::NewFilm.say().to_owned(),
        Some(film) => Text::EditFilm.fill(&[&film.title]),
    };
    view! {
        <form class="op-card" on:submit=submit novalidate aria-labelledby=TITLE>
            <h3 id=TITLE tabindex="-1">{title}</h3>
            {move || films.error.get().map(|error| view! { <Refused error/> })}
            <SheetView sheet/>
            <FormActions is_busy=films.is_busy stop=move || films.stop()/>
        </form>
    }
}
