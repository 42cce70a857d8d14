//! The operator's catalogue: films, screens and the weekly programme; differences between two versions,
//! and sold seats that a new version lacks.

mod check;

use std::collections::BTreeMap;

use jiff::civil::Date;
use output::cinema::PriceList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolkit::{Problem, arguments};

use crate::{
    hall::{Row, lay_out},
    programme::ShowtimeId,
};

/// Maximum number of problems reported at once.
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
    /// Parses and validates a catalogue.
    ///
    /// # Errors
    /// Every problem, each with a JSON pointer into the file; at most 50.
    pub fn read(json: &str) -> Result<Self, Vec<Problem>> {
        // Some editors begin a file with a byte order mark.
        let json = json.trim_start_matches('\u{feff}');
        let catalog = arguments::read::<Self>(json).map_err(at_most)?;
        catalog.check()?;
        Ok(catalog)
    }

    /// Validates the catalogue.
    ///
    /// # Errors
    /// The same as those of [`Catalog::read`].
    pub fn check(&self) -> Result<(), Vec<Problem>> {
        let problems = check::problems(self);
        if problems.is_empty() { Ok(()) } else { Err(at_most(problems)) }
    }
}

impl Catalog {
    /// Prices of an entry's showings: the most specific list, which is never merged with others.
    pub fn prices<'a>(&'a self, entry: &'a Entry) -> Option<&'a PriceList> {
        let screen = || self.screens.iter().find(|it| it.screen_id == entry.screen_id);
        let of_screen = || screen().and_then(|it| it.prices.as_ref());
        entry.prices.as_ref().or_else(of_screen).or(self.prices.as_ref())
    }

    /// Every price list with its JSON pointer.
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
    /// Rows for [`crate::hall::lay_out`].
    pub fn plan(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        self.rows.iter().map(|it| (it.row.as_str(), it.seats.as_str()))
    }
}

impl Entry {
    /// Weekdays as bits, Monday the lowest.
    pub fn weekdays(&self) -> u8 {
        let bit = |it: &Weekday| 1 << (*it as u8);
        self.days.as_ref().map_or(0x7f, |days| days.iter().map(bit).fold(0, |all, it| all | it))
    }

    /// Whether the entry runs on this weekday.
    pub fn is_of(&self, date: Date) -> bool {
        self.weekdays() >> date.weekday().to_monday_zero_offset() & 1 == 1
    }

    /// Whether the entry has a showing on a screen at a date and time.
    pub fn runs(&self, screen_id: &str, date: Date, time: &str) -> bool {
        let day = date.to_string();
        self.screen_id == screen_id
            && self.times.iter().any(|it| it == time)
            && self.is_of(date)
            && self.from.as_ref().is_none_or(|it| *it <= day)
            && self.until.as_ref().is_none_or(|it| day <= *it)
    }
}

/// A sold seat.
#[derive(Clone, Debug, Deserialize)]
pub struct Sold {
    /// Identifier of its showtime.
    pub showtime_id: String,
    /// Identifier of its seat.
    pub seat_id: String,
    /// Film of the showtime when the seat was sold.
    pub movie_id: String,
    /// Reservation of the seat.
    pub reservation_id: String,
}

impl Catalog {
    /// Lists the sold seats that this catalogue lacks, one line per showtime.
    pub fn missing_seats(&self, sold: &[Sold]) -> Vec<String> {
        let mut missing_seats: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for sold in sold.iter().filter(|it| !self.has(it)) {
            let seat = format!("{} ({})", sold.seat_id, sold.reservation_id);
            missing_seats.entry(&sold.showtime_id).or_default().push(seat);
        }
        missing_seats
            .into_iter()
            .map(|(showtime, seats)| format!("{showtime}: {}", seats.join(", ")))
            .collect()
    }

    fn has(&self, sold: &Sold) -> bool {
        let Some(id) = ShowtimeId::read(&sold.showtime_id) else { return false };
        let shown = self
            .programme
            .iter()
            .any(|it| it.movie_id == sold.movie_id && it.runs(&id.screen_id, id.date, &id.starts));
        let screen = self.screens.iter().find(|it| it.screen_id == id.screen_id);
        shown
            && screen
                .is_some_and(|it| lay_out(it.plan()).iter().any(|it| it.seat_id == sold.seat_id))
    }
}

// Differences between two catalogues, one line each: `+` added, `-` removed, `~` changed.
impl Catalog {
    /// Lists the changes from this catalogue to `new`.
    pub fn changes(&self, new: &Self) -> Vec<String> {
        let value = |it: &Self| serde_json::to_value(it).expect("a catalogue is JSON");
        let (old, new) = (value(self), value(new));
        let mut lines = Vec::new();
        for field in ["prices", "cleaning_minutes"] {
            field_line("cinema", field, &old[field], &new[field], &mut lines);
        }
        for (list, id) in [("screens", "screen_id"), ("movies", "movie_id")] {
            by_id(list, id, &old[list], &new[list], &mut lines);
        }
        programme(&old["programme"], &new["programme"], &mut lines);
        lines
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn by_id(list: &str, id: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    let find = |all: &Value, of: &Value| items(all).find(|it| it[id] == of[id]).cloned();
    let name = |it: &Value| format!("{list}/{}", it[id].as_str().unwrap_or_default());
    let called = |entry: &Value| {
        let called = entry["title"].as_str().or(entry["name"].as_str());
        called.unwrap_or_default().to_owned()
    };
    for gone in items(old).filter(|it| find(new, it).is_none()) {
        lines.push(format!("- {} {}", name(gone), called(gone)));
    }
    for item in items(new) {
        let Some(before) = find(old, item) else {
            lines.push(format!("+ {} {}", name(item), called(item)));
            continue;
        };
        let fields = before.as_object().into_iter().chain(item.as_object());
        let fields: std::collections::BTreeSet<_> = fields.flat_map(|it| it.keys()).collect();
        for field in fields {
            field_line(&name(item), field, &before[field], &item[field], lines);
        }
    }
    let order = |all: &Value| items(all).map(|it| it[id].clone()).collect::<Vec<_>>();
    let (mut before, mut after) = (order(old), order(new));
    before.retain(|it| after.contains(it));
    after.retain(|it| before.contains(it));
    if before != after {
        lines.push(format!("~ {list}: in another order"));
    }
}

fn field_line(name: &str, field: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    if old != new {
        lines.push(format!("~ {name} {field}: {old} → {new}"));
    }
}

/// Entries have no identifiers: a changed one is removed and added.
fn programme(old: &Value, new: &Value, lines: &mut Vec<String>) {
    let mut counts = BTreeMap::<String, i64>::new();
    for (all, step) in [(old, -1), (new, 1)] {
        for entry in items(all) {
            *counts.entry(entry.to_string()).or_default() += step;
        }
    }
    for (entry, count) in counts.into_iter().filter(|it| it.1 != 0) {
        let sign = if count > 0 { "+" } else { "-" };
        lines.push(format!("{sign} programme {entry}"));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    pub(crate) use super::check::tests::small;
    use super::*;
    use crate::import::DEMO;

    #[test]
    fn demo_is_valid() {
        let demo = Catalog::read(DEMO).unwrap();
        assert!(demo.screens.len() >= 4 && demo.movies.len() >= 12);
        assert!(Catalog::read(&format!("\u{feff}{DEMO}")).is_ok(), "with an editor's mark");
    }

    #[test]
    fn readme_example_is_valid() {
        let readme = include_str!("../README.md");
        let (_, example) = readme.split_once("```json\n").unwrap();
        let (example, _) = example.split_once("```").unwrap();
        let catalog = Catalog::read(example).unwrap();
        assert_eq!(catalog.programme[0].weekdays(), 0b111_0000);
    }

    #[test]
    fn mistyped_field_is_named_with_known_fields() {
        let problems = Catalog::read(r#"{"screens":[],"movies":[],"program":[]}"#).unwrap_err();
        let pointers: Vec<_> = problems.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!(pointers, ["/programme", "/program"]);
    }

    #[test]
    fn reports_at_most_fifty_problems() {
        let screens = vec!["1"; 80].join(",");
        let json = format!(r#"{{"screens":[{screens}],"movies":[],"programme":[]}}"#);
        assert_eq!(Catalog::read(&json).unwrap_err().len(), PROBLEMS_MAX);
    }

    const FILE: &str = r#"{
        "screens": [{ "screen_id": "s1", "name": "一", "rows": [{ "row": "A", "seats": "ss" }] }],
        "movies": [{
            "movie_id": "kimi", "title": "君の名は。", "description": "夢。", "duration": 107, "rating": 4.5
        }],
        "programme": [{ "screen_id": "s1", "movie_id": "kimi", "times": ["10:00"], "days": ["fri"] }]
    }"#;

    fn missing_seats(showtime_id: &str, seat_id: &str, movie_id: &str) -> Vec<String> {
        let sold = Sold {
            showtime_id: showtime_id.into(),
            seat_id: seat_id.into(),
            movie_id: movie_id.into(),
            reservation_id: "rsv-1".into(),
        };
        Catalog::read(FILE).unwrap().missing_seats(&[sold])
    }

    #[test]
    fn existing_sold_seat_is_not_missing() {
        assert!(missing_seats("st-20261120-s1-1000", "A2", "kimi").is_empty());
    }

    #[test]
    fn names_missing_seat_day_time_or_film() {
        let line = "st-20261120-s1-1000: A3 (rsv-1)";
        assert_eq!(missing_seats("st-20261120-s1-1000", "A3", "kimi"), [line]);
        assert_eq!(missing_seats("st-20261121-s1-1000", "A2", "kimi").len(), 1);
        assert_eq!(missing_seats("st-20261120-s1-1030", "A2", "kimi").len(), 1);
        assert_eq!(missing_seats("st-20261120-s1-1000", "A2", "shichinin").len(), 1);
    }

    fn changes(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut new = small();
        change(&mut new);
        let read = |it: &Value| Catalog::read(&it.to_string()).unwrap();
        read(&small()).changes(&read(&new))
    }

    #[test]
    fn same_catalogue_has_no_changes() {
        assert_eq!(changes(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn each_change_has_a_line() {
        let lines = changes(|catalog| {
            catalog["movies"][0]["title"] = json!("君");
            catalog["screens"][0]["rows"][0]["seats"] = json!("sss");
            catalog["prices"] = json!({ "currency": "JPY", "standard": 1 });
            catalog["programme"][0]["times"] = json!(["10:00"]);
        });
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[0].starts_with("~ cinema prices: null → {"), "{lines:?}");
        assert!(lines[1].starts_with("~ screens/s1 rows: ["), "{lines:?}");
        assert_eq!(lines[2], "~ movies/kimi title: \"君の名は。\" → \"君\"");
        assert!(lines[3].starts_with("- programme {") && lines[4].starts_with("+ programme {"));
    }

    #[test]
    fn lists_added_and_removed_parts() {
        let lines = changes(|catalog| {
            let mut other = catalog["movies"][0].clone();
            other["movie_id"] = json!("other");
            catalog["movies"] = json!([other]);
            catalog["programme"][0]["movie_id"] = json!("other");
        });
        assert_eq!(lines[..2], ["- movies/kimi 君の名は。", "+ movies/other 君の名は。"]);
    }
}
