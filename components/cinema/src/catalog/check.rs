//! Validates a catalogue beyond its shape.

use std::collections::BTreeMap;

use output::{cinema::PriceList, text::is_blank};
use toolkit::Problem;

use super::{Catalog, Entry, Film, PROBLEMS_MAX, Screen};
use crate::clock;

/// Limits against mistyped files.
const SCREENS_MAX: usize = 50;
const MOVIES_MAX: usize = 1_000;
const ENTRIES_MAX: usize = 1_000;
const TIMES_MAX: usize = 24;
const PLACES_MAX: usize = 80;
const TEXT_CHARS_MAX: usize = 2_000;
/// Maximum price in minor units; sums stay exact.
const PRICE_MAX: u64 = 1_000_000_000;
/// Maximum minutes of cleaning.
const CLEANING_MAX: u32 = 240;
/// Maximum duration of a film, in minutes.
const DURATION_MAX: u32 = 24 * 60;

/// Returns every problem of `catalog`.
pub(super) fn problems(catalog: &Catalog) -> Vec<Problem> {
    let mut found = Problems::default();
    found.limit("/screens", catalog.screens.len(), SCREENS_MAX);
    found.limit("/movies", catalog.movies.len(), MOVIES_MAX);
    found.limit("/programme", catalog.programme.len(), ENTRIES_MAX);
    if !found.0.is_empty() {
        return found.0;
    }
    for (index, screen) in catalog.screens.iter().enumerate() {
        found.screen(&format!("/screens/{index}"), screen);
    }
    for (index, film) in catalog.movies.iter().enumerate() {
        found.film(&format!("/movies/{index}"), film);
    }
    found.twice("/screens", "screen_id", catalog.screens.iter().map(|it| &it.screen_id));
    found.twice("/movies", "movie_id", catalog.movies.iter().map(|it| &it.movie_id));
    for (index, entry) in catalog.programme.iter().enumerate() {
        found.entry(&format!("/programme/{index}"), entry, catalog);
    }
    if catalog.cleaning_minutes.is_some_and(|it| it > CLEANING_MAX) {
        found.add("/cleaning_minutes".to_owned(), format!("must be 0 to {CLEANING_MAX}"));
    }
    let currency = catalog.price_lists().next().map(|it| it.1.currency.as_str());
    for (at, list) in catalog.price_lists() {
        found.prices(&at, list, currency);
    }
    if found.0.is_empty() {
        found.0 = overlaps(catalog);
    }
    found.0
}

#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, pointer: String, message: impl Into<String>) {
        self.0.push(Problem::at(pointer, message));
    }

    fn limit(&mut self, pointer: &str, count: usize, max: usize) {
        if count > max {
            self.add(pointer.to_owned(), format!("must have at most {max} entries, not {count}"));
        }
    }

    fn text(&mut self, pointer: String, text: &str) {
        if is_blank(text) || text.chars().count() > TEXT_CHARS_MAX {
            self.add(pointer, format!("must have 1 to {TEXT_CHARS_MAX} characters"));
        }
    }

    fn optional(&mut self, pointer: String, text: Option<&str>) {
        if let Some(text) = text {
            self.text(pointer, text);
        }
    }

    fn id(&mut self, pointer: String, id: &str) {
        let fits = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
        if id.is_empty() || id.len() > 32 || !id.bytes().all(fits) {
            self.add(pointer, "must have 1 to 32 lower-case letters, digits and `-`");
        }
    }

    fn date(&mut self, pointer: String, date: Option<&String>) {
        if date.is_some_and(|it| clock::date(it).is_none()) {
            self.add(pointer, "must be a date, YYYY-MM-DD");
        }
    }

    fn twice<'a>(&mut self, at: &str, field: &str, ids: impl Iterator<Item = &'a String>) {
        let mut first = BTreeMap::new();
        for (index, id) in ids.enumerate() {
            if let Some(first) = first.insert(id, index) {
                self.add(
                    format!("{at}/{index}/{field}"),
                    format!("`{id}` is already {at}/{first}"),
                );
            }
        }
    }

    fn screen(&mut self, at: &str, screen: &Screen) {
        self.id(format!("{at}/screen_id"), &screen.screen_id);
        self.text(format!("{at}/name"), &screen.name);
        self.optional(format!("{at}/name_en"), screen.name_en.as_deref());
        self.limit(&format!("{at}/rows"), screen.rows.len(), 26);
        for (index, row) in screen.rows.iter().enumerate() {
            let at = format!("{at}/rows/{index}");
            if !matches!(row.row.as_bytes(), [b'A'..=b'Z']) {
                self.add(format!("{at}/row"), "must be one letter from A to Z");
            }
            if index > 0 && screen.rows[index - 1].row >= row.row {
                self.add(
                    format!("{at}/row"),
                    "must come later in the alphabet than the row before",
                );
            }
            let valid = row.seats.bytes().all(|it| b"spwcd_".contains(&it));
            let any = row.seats.contains(['s', 'p', 'w', 'c', 'd']);
            if !valid || !any || row.seats.len() > PLACES_MAX {
                let message = "s (seat), p (premium), w (wheelchair), c (companion), d (one of a pair), \
                     _ (none), with at least one seat";
                let message = format!("must be 1 to {PLACES_MAX} of {message}");
                self.add(format!("{at}/seats"), message);
            } else if row.seats.split(|it| it != 'd').any(|it| it.len() % 2 == 1) {
                let message = "must have an even number of d (one of a pair) side by side";
                self.add(format!("{at}/seats"), message);
            }
        }
    }

    fn prices(&mut self, at: &str, list: &PriceList, currency: Option<&str>) {
        let code = list.currency.as_bytes();
        if code.len() != 3 || !code.iter().all(u8::is_ascii_uppercase) {
            self.add(format!("{at}/currency"), "must be a code of ISO 4217, such as JPY");
        } else if currency.is_some_and(|it| it != list.currency) {
            self.add(format!("{at}/currency"), "must be the same in every list of prices");
        }
        for (kind, amount) in list.amounts() {
            if amount.is_some_and(|it| it > PRICE_MAX) {
                let message = format!("must be 0 to {PRICE_MAX} in the currency's smallest unit");
                self.add(format!("{at}/{kind}"), message);
            }
        }
    }

    fn film(&mut self, at: &str, film: &Film) {
        self.id(format!("{at}/movie_id"), &film.movie_id);
        self.text(format!("{at}/title"), &film.title);
        self.text(format!("{at}/description"), &film.description);
        let optional = [
            ("title_en", &film.title_en),
            ("reading", &film.reading),
            ("description_en", &film.description_en),
            ("genre", &film.genre),
            ("genre_en", &film.genre_en),
        ];
        for (field, text) in optional {
            self.optional(format!("{at}/{field}"), text.as_deref());
        }
        if !(1..=DURATION_MAX).contains(&film.duration) {
            self.add(format!("{at}/duration"), format!("must be 1 to {DURATION_MAX} minutes"));
        }
        if !(0.0..=5.0).contains(&film.rating) {
            self.add(format!("{at}/rating"), "must be from 0 to 5");
        }
        self.date(format!("{at}/release_date"), film.release_date.as_ref());
    }

    fn entry(&mut self, at: &str, entry: &Entry, catalog: &Catalog) {
        if !catalog.screens.iter().any(|it| it.screen_id == entry.screen_id) {
            self.add(format!("{at}/screen_id"), format!("no screen `{}`", entry.screen_id));
        }
        if !catalog.movies.iter().any(|it| it.movie_id == entry.movie_id) {
            self.add(format!("{at}/movie_id"), format!("no film `{}`", entry.movie_id));
        }
        if entry.times.is_empty() {
            self.add(format!("{at}/times"), "must have at least one time");
        }
        self.limit(&format!("{at}/times"), entry.times.len(), TIMES_MAX);
        for (index, time) in entry.times.iter().enumerate() {
            if clock::minute(time).is_none() {
                self.add(
                    format!("{at}/times/{index}"),
                    "must be a time, HH:MM from 00:00 to 23:59",
                );
            }
        }
        if entry.weekdays() == 0 {
            self.add(format!("{at}/days"), "must have at least one day, or be left out");
        }
        self.date(format!("{at}/from"), entry.from.as_ref());
        self.date(format!("{at}/until"), entry.until.as_ref());
        if let (Some(from), Some(until)) = (&entry.from, &entry.until)
            && until < from
        {
            self.add(format!("{at}/until"), "must not be before `from`");
        }
    }
}

// Overlaps of showings on a screen, laid out over a circular week.
const MINUTES_OF_WEEK: u32 = 7 * 24 * 60;

/// Finds every time at which a screen is already in use.
fn overlaps(catalog: &Catalog) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut screens: BTreeMap<&str, Vec<ScheduledShowing<'_>>> = BTreeMap::new();
    for (index, entry) in catalog.programme.iter().enumerate() {
        let film = catalog.movies.iter().find(|it| it.movie_id == entry.movie_id);
        let Some(film) = film else { continue };
        let shown = screens.entry(&entry.screen_id).or_default();
        for (number, time) in entry.times.iter().enumerate() {
            let Some(clock) = clock::minute(time) else { continue };
            let minute = u32::from(clock.hour().unsigned_abs()) * 60
                + u32::from(clock.minute().unsigned_abs());
            let pointer = format!("/programme/{index}/times/{number}");
            let takes = film.duration + catalog.cleaning_minutes.unwrap_or_default();
            shown.push(ScheduledShowing { pointer, entry, film, minute, takes });
        }
    }
    for shown in screens.values() {
        for (index, later) in shown.iter().enumerate() {
            if found.len() == PROBLEMS_MAX {
                return found;
            }
            if let Some(other) = shown[..index].iter().find(|it| it.overlaps_with(later)) {
                let (title, at) = (&other.film.title, &other.pointer);
                found.push(Problem::at(
                    later.pointer.clone(),
                    format!("runs while {title} is on ({at})"),
                ));
            }
        }
    }
    found
}

/// One time of an entry.
struct ScheduledShowing<'a> {
    pointer: String,
    entry: &'a Entry,
    film: &'a Film,
    /// Start, in minutes of the day.
    minute: u32,
    /// Minutes of the film and of cleaning.
    takes: u32,
}

impl ScheduledShowing<'_> {
    /// Whether both overlap in some week.
    fn overlaps_with(&self, other: &Self) -> bool {
        let starts = |other: &Self| {
            let (days, minute) = (other.entry.weekdays(), other.minute);
            (0..7).filter(move |day| days >> day & 1 == 1).map(move |day| day * 1440 + minute)
        };
        let apart = |from: u32, to: u32| (to + MINUTES_OF_WEEK - from) % MINUTES_OF_WEEK;
        let at_once = |a: u32, b: u32| apart(a, b) < self.takes || apart(b, a) < other.takes;
        self.in_season_with(other) && starts(self).any(|a| starts(other).any(|b| at_once(a, b)))
    }

    /// Whether the entries have a day in common. An entry that ends the night before the other begins may
    /// overlap it after midnight.
    fn in_season_with(&self, other: &Self) -> bool {
        let ends_before = |one: &Entry, other: &Entry| match (&one.until, &other.from) {
            (Some(until), Some(from)) => until < from,
            _ => false,
        };
        !ends_before(self.entry, other.entry) && !ends_before(other.entry, self.entry)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{hall::lay_out, import::DEMO};

    pub(crate) fn small() -> Value {
        json!({
            "screens": [{ "screen_id": "s1", "name": "一", "rows": [{ "row": "A", "seats": "ss_w" }] }],
            "movies": [{
                "movie_id": "kimi", "title": "君の名は。", "description": "夢。", "duration": 107,
                "rating": 4.5
            }],
            "programme": [{ "screen_id": "s1", "movie_id": "kimi", "times": ["10:00", "23:30"] }]
        })
    }

    pub(crate) fn pointers(catalog: &Value) -> Vec<String> {
        let problems = Catalog::read(&catalog.to_string()).err().unwrap_or_default();
        problems.into_iter().map(|it| it.pointer).collect()
    }

    #[test]
    fn small_catalogue_is_valid() {
        assert_eq!(pointers(&small()), Vec::<String>::new());
    }

    #[test]
    fn demo_has_one_large_and_one_tiny_screen() {
        let demo = Catalog::read(DEMO).unwrap();
        let mut counts: Vec<_> = demo.screens.iter().map(|it| lay_out(it.plan()).len()).collect();
        counts.sort_unstable();
        assert_eq!(counts[0], 24);
        assert!(counts[counts.len() - 1] >= 200, "{counts:?}");
    }

    #[test]
    fn every_problem_has_a_pointer() {
        let mut catalog = small();
        catalog["screens"][0]["rows"][0]["seats"] = json!("s?");
        catalog["screens"][0]["name_en"] = json!("");
        catalog["movies"][0]["genre_en"] = json!("x".repeat(TEXT_CHARS_MAX + 1));
        catalog["movies"][0]["rating"] = json!(5.1);
        catalog["movies"][0]["release_date"] = json!("2016-8-26");
        catalog["programme"][0]["movie_id"] = json!("kino");
        catalog["programme"][0]["times"][1] = json!("24:10");
        assert_eq!(
            pointers(&catalog),
            [
                "/screens/0/name_en",
                "/screens/0/rows/0/seats",
                "/movies/0/genre_en",
                "/movies/0/rating",
                "/movies/0/release_date",
                "/programme/0/movie_id",
                "/programme/0/times/1",
            ]
        );
    }

    #[test]
    fn pairs_are_adjacent() {
        let mut catalog = small();
        for (seats, is_right) in
            [("ddss", true), ("dddd", true), ("sdds_cw", true), ("dd_d", false)]
        {
            catalog["screens"][0]["rows"][0]["seats"] = json!(seats);
            assert_eq!(pointers(&catalog).is_empty(), is_right, "{seats}");
        }
    }

    #[test]
    fn prices_share_a_currency_and_a_limit() {
        let mut catalog = small();
        catalog["prices"] = json!({ "currency": "JPY", "standard": 1_800, "pair": PRICE_MAX });
        catalog["screens"][0]["prices"] = json!({ "currency": "JPY", "standard": 0 });
        assert_eq!(pointers(&catalog), Vec::<String>::new());
        catalog["screens"][0]["prices"]["premium"] = json!(PRICE_MAX + 1);
        catalog["programme"][0]["prices"] = json!({ "currency": "USD", "standard": 1_800 });
        assert_eq!(
            pointers(&catalog),
            ["/screens/0/prices/premium", "/programme/0/prices/currency"]
        );
        catalog["prices"]["currency"] = json!("yen");
        assert_eq!(pointers(&catalog)[0], "/prices/currency");
        catalog["prices"] = json!({ "currency": "JPY", "standard": 18.5 });
        assert_eq!(pointers(&catalog), ["/prices/standard"]);
    }

    #[test]
    fn rejects_duplicate_identifiers() {
        let mut catalog = small();
        let film = catalog["movies"][0].clone();
        catalog["movies"].as_array_mut().unwrap().push(film);
        assert_eq!(pointers(&catalog), ["/movies/1/movie_id"]);
    }

    #[test]
    fn rejects_overlapping_showings() {
        let mut catalog = small();
        catalog["programme"][0]["times"] = json!(["10:00", "11:46"]);
        assert_eq!(pointers(&catalog), ["/programme/0/times/1"]);
        catalog["programme"][0]["times"] = json!(["10:00", "11:47"]);
        assert_eq!(pointers(&catalog), Vec::<String>::new());
    }

    #[test]
    fn requires_cleaning_time_between_showings() {
        let mut catalog = small();
        catalog["programme"][0]["times"] = json!(["10:00", "12:00"]);
        catalog["cleaning_minutes"] = json!(13);
        assert_eq!(pointers(&catalog), Vec::<String>::new());
        catalog["cleaning_minutes"] = json!(14);
        assert_eq!(pointers(&catalog), ["/programme/0/times/1"]);
        catalog["cleaning_minutes"] = json!(241);
        assert_eq!(pointers(&catalog)[0], "/cleaning_minutes");
    }

    #[test]
    fn film_past_midnight_overlaps_the_next_day() {
        let mut catalog = small();
        let entry =
            json!({ "screen_id": "s1", "movie_id": "kimi", "times": ["00:30"], "days": ["mon"] });
        catalog["programme"][0]["days"] = json!(["sun"]);
        catalog["programme"].as_array_mut().unwrap().push(entry);
        assert_eq!(pointers(&catalog), ["/programme/1/times/0"]);
    }

    #[test]
    fn separate_seasons_may_share_a_time() {
        let mut catalog = small();
        let mut entry = catalog["programme"][0].clone();
        catalog["programme"][0]["until"] = json!("2026-11-30");
        entry["from"] = json!("2026-12-01");
        catalog["programme"].as_array_mut().unwrap().push(entry);
        assert_eq!(pointers(&catalog), Vec::<String>::new());
    }
}
