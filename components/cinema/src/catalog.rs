//! The operator's file: which films run when on which screens.

mod changes;
mod check;
pub mod csv;
mod overlaps;
mod sold;

use jiff::civil::Date;
use output::cinema::PriceList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Problem, arguments};

pub use sold::Sold;

use crate::seats::Row;

/// How many problems are reported at once.
pub const PROBLEMS_MAX: usize = 50;

/// A cinema's films, screens and weekly programme.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Where films are shown.
    pub screens: Vec<Screen>,
    /// What is shown, in the order in which people should see it.
    pub movies: Vec<Film>,
    /// When what is shown where, week by week.
    pub programme: Vec<Entry>,
    /// What seats cost where neither screen nor programme says otherwise (CIN-90).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceList>,
    /// Minutes between the end of a showing and the beginning of the next on its screen; none if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaning_minutes: Option<u32>,
}

/// A screen and its seats.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    /// Lower-case letters, digits and `-`, at most 32; part of the showtimes' identifiers.
    pub screen_id: String,
    /// As on the door.
    pub name: String,
    /// The name in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_en: Option<String>,
    /// From the front; none if there is no plan yet, and then nothing can be booked.
    pub rows: Vec<SeatRow>,
    /// What seats cost here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceList>,
}

/// A row of seats.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatRow {
    /// One letter, `A` nearest to the screen.
    pub row: String,
    /// A sign a place from left to right: `s` seat, `p` premium, `w` wheelchair, `c` companion, `d` one
    /// of a pair, `_` none.
    pub seats: String,
}

/// A film of the catalogue.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Film {
    /// Identifier of the film.
    pub movie_id: String,
    /// As on the poster.
    pub title: String,
    /// The title in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_en: Option<String>,
    /// How the title is read, in kana; it finds the film when the title is mistyped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// What it is about.
    pub description: String,
    /// What it is about, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description_en: Option<String>,
    /// For example `ドラマ` or `SF`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// The genre in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genre_en: Option<String>,
    /// Running time in minutes.
    pub duration: u32,
    /// When it came out: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release_date: Option<String>,
    /// From 0 to 5.
    pub rating: f64,
}

/// A film on a screen, at some times on some days of the week.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Identifier of one of `screens`.
    pub screen_id: String,
    /// Identifier of one of `movies`.
    pub movie_id: String,
    /// When it begins: `HH:MM` each.
    pub times: Vec<String>,
    /// All seven if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<Vec<Weekday>>,
    /// The first day, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What seats cost at these showings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceList>,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        // Some editors begin a file with a mark.
        let json = json.trim_start_matches('\u{feff}');
        let catalog = arguments::read::<Self>(json).map_err(at_most)?;
        catalog.check()?;
        Ok(catalog)
    }

    /// Checks it completely.
    ///
    /// # Errors
    /// As those of [`Catalog::read`].
    pub fn check(&self) -> Result<(), Vec<Problem>> {
        let problems = check::problems(self);
        if problems.is_empty() { Ok(()) } else { Err(at_most(problems)) }
    }
}

impl Catalog {
    /// What seats cost at an entry's showings: the list nearest to it, which holds whole.
    pub fn prices<'a>(&'a self, entry: &'a Entry) -> Option<&'a PriceList> {
        let screen = || self.screens.iter().find(|it| it.screen_id == entry.screen_id);
        let of_screen = || screen().and_then(|it| it.prices.as_ref());
        entry.prices.as_ref().or_else(of_screen).or(self.prices.as_ref())
    }

    /// Every list of prices, and where it stands.
    pub fn price_lists(&self) -> impl Iterator<Item = (String, &PriceList)> {
        let screens = self.screens.iter().enumerate();
        let screens = screens.map(|(at, it)| (format!("/screens/{at}/prices"), it.prices.as_ref()));
        let entries = self.programme.iter().enumerate();
        let entries =
            entries.map(|(at, it)| (format!("/programme/{at}/prices"), it.prices.as_ref()));
        let all = [("/prices".to_owned(), self.prices.as_ref())];
        let all = all.into_iter().chain(screens).chain(entries);
        all.filter_map(|(at, list)| Some((at, list?)))
    }
}

fn at_most(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.truncate(PROBLEMS_MAX);
    problems
}

impl Screen {
    /// The rows as [`crate::seats::lay_out`] takes them.
    pub fn plan(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        self.rows.iter().map(|it| (it.row.as_str(), it.seats.as_str()))
    }
}

impl Entry {
    /// The days as bits, Monday the lowest.
    pub fn weekdays(&self) -> u8 {
        let bit = |it: &Weekday| 1 << (*it as u8);
        self.days.as_ref().map_or(0x7f, |days| days.iter().map(bit).fold(0, |all, it| all | it))
    }

    /// Whether a day is one of its days of the week.
    pub fn is_of(&self, date: Date) -> bool {
        self.weekdays() >> date.weekday().to_monday_zero_offset() & 1 == 1
    }

    /// Whether it has a showing on a day at a time.
    pub fn runs(&self, screen_id: &str, date: Date, time: &str) -> bool {
        let day = date.to_string();
        self.screen_id == screen_id
            && self.times.iter().any(|it| it == time)
            && self.is_of(date)
            && self.from.as_ref().is_none_or(|it| *it <= day)
            && self.until.as_ref().is_none_or(|it| day <= *it)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::check::tests::small;
    use super::*;
    use crate::import::DEMO;

    #[test]
    fn the_demo_is_a_catalogue() {
        let demo = Catalog::read(DEMO).unwrap();
        assert!(demo.screens.len() >= 4 && demo.movies.len() >= 12);
        assert!(Catalog::read(&format!("\u{feff}{DEMO}")).is_ok(), "with an editor's mark");
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
