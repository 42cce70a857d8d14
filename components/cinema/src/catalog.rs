//! The operator's file: which films run when on which screens.

mod check;
mod overlaps;
mod sold;

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Problem, arguments};

pub use sold::Sold;

use crate::seats::Row;

/// How many problems are told at once.
pub const PROBLEMS_MAX: usize = 50;

/// A cinema's films, screens and weekly programme.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Where films are shown.
    pub screens: Vec<Screen>,
    /// What is shown, in the order in which people should see it.
    pub movies: Vec<Film>,
    /// When what is shown where, week by week.
    pub programme: Vec<Entry>,
}

/// A screen and its seats.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    /// Lower-case letters, digits and `-`, at most 32; part of the showtimes' identifiers.
    pub screen_id: String,
    /// As on the door.
    pub name: String,
    /// The name in English.
    pub name_en: Option<String>,
    /// From the front; none if there is no plan yet, and then nothing can be booked.
    pub rows: Vec<SeatRow>,
}

/// A row of seats.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatRow {
    /// One letter, `A` nearest to the screen.
    pub row: String,
    /// A sign a place from left to right: `s` seat, `p` premium, `w` wheelchair, `_` none.
    pub seats: String,
}

/// A film.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Film {
    /// Names the film.
    pub movie_id: String,
    /// As on the poster.
    pub title: String,
    /// The title in English.
    pub title_en: Option<String>,
    /// How the title is read, in kana; it finds the film when the title is mistyped.
    pub reading: Option<String>,
    /// What it is about.
    pub description: String,
    /// What it is about, in English.
    pub description_en: Option<String>,
    /// `ドラマ`, `SF` …
    pub genre: Option<String>,
    /// The genre in English.
    pub genre_en: Option<String>,
    /// In minutes.
    pub duration: u32,
    /// `YYYY-MM-DD`.
    pub release_date: Option<String>,
    /// From 0 to 5.
    pub rating: f64,
}

/// A film on a screen, at some times on some days of the week.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// One of `screens`.
    pub screen_id: String,
    /// One of `movies`.
    pub movie_id: String,
    /// `HH:MM` each.
    pub times: Vec<String>,
    /// All seven if left out.
    pub days: Option<Vec<Weekday>>,
    /// The first day, `YYYY-MM-DD`.
    pub from: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    pub until: Option<String>,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "days of the week")]
pub enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl Catalog {
    /// Reads a catalogue and checks it completely.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with a JSON pointer into the file; at most 50.
    pub fn read(json: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = match arguments::read::<Self>(json) {
            Ok(catalog) => match check::problems(&catalog) {
                none if none.is_empty() => return Ok(catalog),
                problems => problems,
            },
            Err(problems) => problems,
        };
        problems.truncate(PROBLEMS_MAX);
        Err(problems)
    }
}

impl Screen {
    /// The rows as [`crate::seats::lay_out`] takes them.
    pub fn plan(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        self.rows.iter().map(|it| (it.row.as_str(), it.seats.as_str()))
    }
}

impl Entry {
    /// The days as bits, Monday the lowest.
    #[must_use]
    pub fn weekdays(&self) -> u8 {
        let bit = |it: &Weekday| 1 << (*it as u8);
        self.days.as_ref().map_or(0x7f, |days| days.iter().map(bit).fold(0, |all, it| all | it))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::import::DEMO;

    #[test]
    fn the_demo_is_a_catalogue() {
        let demo = Catalog::read(DEMO).unwrap();
        assert!(demo.screens.len() >= 4 && demo.movies.len() >= 12);
    }

    #[test]
    fn the_example_of_the_readme_is_a_catalogue() {
        let readme = include_str!("../README.md");
        let (_, example) = readme.split_once("```json\n").unwrap();
        let (example, _) = example.split_once("```").unwrap();
        let catalog = Catalog::read(example).unwrap();
        assert_eq!(catalog.programme[0].weekdays(), 0b111_0000);
    }

    #[test]
    fn a_mistyped_field_is_named_with_those_that_are_known() {
        let problems = Catalog::read(r#"{"screens":[],"movies":[],"program":[]}"#).unwrap_err();
        let pointers: Vec<_> = problems.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!(pointers, ["/programme", "/program"]);
    }

    #[test]
    fn no_more_than_fifty_problems_are_told() {
        let screens = vec!["1"; 80].join(",");
        let json = format!(r#"{{"screens":[{screens}],"movies":[],"programme":[]}}"#);
        assert_eq!(Catalog::read(&json).unwrap_err().len(), PROBLEMS_MAX);
    }
}
