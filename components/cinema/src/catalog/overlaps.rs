//! No screen shows two films at once: the programme is laid out over the week, which ends where it begins.

use std::collections::BTreeMap;

use toolkit::Problem;

use super::{Catalog, Entry, Film, PROBLEMS_MAX};
use crate::clock;

const MINUTES_OF_WEEK: u32 = 7 * 24 * 60;

/// Every time at which a screen is already in use.
pub(super) fn overlaps(catalog: &Catalog) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut screens: BTreeMap<&str, Vec<Shown<'_>>> = BTreeMap::new();
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
            shown.push(Shown { pointer, entry, film, minute, takes });
        }
    }
    for shown in screens.values() {
        for (index, later) in shown.iter().enumerate() {
            if found.len() == PROBLEMS_MAX {
                return found;
            }
            if let Some(other) = shown[..index].iter().find(|it| it.meets(later)) {
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
struct Shown<'a> {
    pointer: String,
    entry: &'a Entry,
    film: &'a Film,
    /// When it begins, in minutes of the day.
    minute: u32,
    /// Minutes of the film, and of cleaning.
    takes: u32,
}

impl Shown<'_> {
    /// Whether both run at one moment of some week, the week seen as a circle.
    fn meets(&self, other: &Self) -> bool {
        let starts = |other: &Self| {
            let (days, minute) = (other.entry.weekdays(), other.minute);
            (0..7).filter(move |day| days >> day & 1 == 1).map(move |day| day * 1440 + minute)
        };
        let apart = |from: u32, to: u32| (to + MINUTES_OF_WEEK - from) % MINUTES_OF_WEEK;
        let at_once = |a: u32, b: u32| apart(a, b) < self.takes || apart(b, a) < other.takes;
        self.in_season_with(other) && starts(self).any(|a| starts(other).any(|b| at_once(a, b)))
    }

    /// Whether the two entries have a day in common. One that ends the night before the other
    /// begins may run into it after midnight; that is let pass.
    fn in_season_with(&self, other: &Self) -> bool {
        let ends_before = |one: &Entry, other: &Entry| match (&one.until, &other.from) {
            (Some(until), Some(from)) => until < from,
            _ => false,
        };
        !ends_before(self.entry, other.entry) && !ends_before(other.entry, self.entry)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::catalog::check::tests::{pointers, small};

    #[test]
    fn no_screen_shows_two_films_at_once() {
        let mut catalog = small();
        catalog["programme"][0]["times"] = json!(["10:00", "11:46"]);
        assert_eq!(pointers(&catalog), ["/programme/0/times/1"]);
        catalog["programme"][0]["times"] = json!(["10:00", "11:47"]);
        assert_eq!(pointers(&catalog), Vec::<String>::new());
    }

    #[test]
    fn minutes_for_cleaning_are_between_two_showings() {
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
    fn a_film_past_midnight_meets_the_next_day_even_on_sundays() {
        let mut catalog = small();
        let entry =
            json!({ "screen_id": "s1", "movie_id": "kimi", "times": ["00:30"], "days": ["mon"] });
        catalog["programme"][0]["days"] = json!(["sun"]);
        catalog["programme"].as_array_mut().unwrap().push(entry);
        assert_eq!(pointers(&catalog), ["/programme/1/times/0"]);
    }

    #[test]
    fn two_seasons_may_share_a_time() {
        let mut catalog = small();
        let mut entry = catalog["programme"][0].clone();
        catalog["programme"][0]["until"] = json!("2026-11-30");
        entry["from"] = json!("2026-12-01");
        catalog["programme"].as_array_mut().unwrap().push(entry);
        assert_eq!(pointers(&catalog), Vec::<String>::new());
    }
}
