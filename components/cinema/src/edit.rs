//! Edits of the catalogue on sale by the staff: read, changed, validated, and imported like the
//! operator's file (CIN-96).

use jiff::{
    ToSpan,
    civil::{Date, DateTime},
};
use output::cinema::CatalogueImport;
use serde_json::json;
use toolkit::{Problem, Stop, refused};

use crate::{
    catalog::{Catalog, Entry, Weekday},
    clock::{self, Clock},
    import::{Failed, New, OnSale, check_sold, on_sale, replace},
    programme::days_listed,
    refusals::{not_saved, say},
};

/// Maximum attempts while the catalogue changes concurrently.
const ATTEMPTS_MAX: u32 = 5;
/// Maximum number of reported changes.
const CHANGES_MAX: usize = 200;

/// Applies an edit to the catalogue on sale, or returns what it would change. `tell` maps a problem of the catalogue
/// to the call's arguments. Past showings are removed unless the edit `keeps_past`.
///
/// # Errors
/// If the edited catalogue is invalid or lacks sold seats.
pub fn apply(
    edit: impl Fn(&mut Catalog) -> Result<(), Stop>,
    tell: impl Fn(Problem) -> Problem,
    dry_run: bool,
    keeps_past: bool,
    clock: &Clock,
) -> Result<CatalogueImport, Stop> {
    for _ in 0..ATTEMPTS_MAX {
        let before = on_sale()?.ok_or_else(not_saved)?;
        let mut old = read(&before)?;
        if !keeps_past {
            remove_past(&mut old, *days_listed(clock.today()).start());
        }
        let mut new = old.clone();
        edit(&mut new)?;
        new.check().map_err(|problems| {
            Stop::InvalidArguments(problems.into_iter().map(&tell).collect())
        })?;
        let mut changes = old.changes(&new);
        let changes_count = u32::try_from(changes.len()).unwrap_or(u32::MAX);
        let is_trial = dry_run || changes.is_empty();
        if is_trial {
            check_sold(&new, clock).map_err(stop)?;
        } else {
            let text = serde_json::to_string(&new).expect("a catalogue is JSON");
            let based_on = before.based_on.clone().unwrap_or(before.fingerprint.clone());
            let staff = New {
                catalog: &new,
                text: &text,
                source: "staff",
                based_on: Some(&based_on),
                after: Some(before.number),
            };
            match replace(&staff, clock) {
                Err(Failed::Changed) => continue,
                done => done.map_err(stop)?,
            }
        }
        changes.truncate(CHANGES_MAX);
        let before = Some(before.number);
        return Ok(CatalogueImport { imported: !is_trial, changes, changes_count, before });
    }
    Err(not_saved())
}

fn read(on_sale: &OnSale) -> Result<Catalog, Stop> {
    let text = on_sale.catalog.as_deref().unwrap_or_default();
    Catalog::read(text).map_err(|_| not_saved())
}

fn stop(failed: Failed) -> Stop {
    match failed {
        Failed::MissingSeats(showtimes) => {
            let message = format!(
                "Seats that are sold would be gone or show another film: {}. Move or cancel these \
                 reservations first.",
                showtimes.join("; ")
            );
            let japanese = format!(
                "販売済みの座席が無くなるか、別の映画になります: {}。先にその予約を移すか取り消してください。",
                showtimes.join("、")
            );
            refused("sold_seats_would_be_lost", 409, say(japanese, message))
                .with(json!({ "showtimes": showtimes }))
        }
        Failed::Database(error) => error.into(),
        Failed::Busy | Failed::Changed => not_saved(),
    }
}

// Adds a single showing to the weekly programme, or removes one.

/// Days of the week.
const WEEK: [Weekday; 7] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
    Weekday::Sat,
    Weekday::Sun,
];

/// Removes a showing and returns it as an entry for that date.
pub fn remove_showing(
    catalog: &mut Catalog,
    screen_id: &str,
    date: Date,
    time: &str,
) -> Option<Entry> {
    let at = catalog.programme.iter().position(|it| it.runs(screen_id, date, time))?;
    let entry = catalog.programme.remove(at);
    let mut parts = Vec::new();
    let others: Vec<_> = entry.times.iter().filter(|it| *it != time).cloned().collect();
    if !others.is_empty() {
        parts.push(Entry { times: others, ..entry.clone() });
    }
    let of_time = Entry { times: vec![time.to_owned()], ..entry };
    let (before, after) = (date.yesterday().ok(), date.tomorrow().ok());
    let text = |it: Option<Date>| it.map(|it| it.to_string());
    parts.push(Entry { until: text(before), ..of_time.clone() });
    parts.push(Entry { from: text(after), ..of_time.clone() });
    parts.retain(has_days);
    catalog.programme.splice(at..at, parts);
    Some(for_single_day(of_time, date))
}

/// Whether the entry runs on any day.
fn has_days(entry: &Entry) -> bool {
    let (Some(from), Some(until)) = (&entry.from, &entry.until) else { return true };
    let (Some(from), Some(until)) = (clock::date(from), clock::date(until)) else { return true };
    from.series(1.day()).take_while(|it| *it <= until).take(7).any(|it| entry.is_of(it))
}

/// Removes entries that ended before a day, since edits of single showings would fill the programme.
fn remove_past(catalog: &mut Catalog, day: Date) {
    let day = day.to_string();
    catalog.programme.retain(|it| it.until.as_ref().is_none_or(|until| *until >= day));
}

/// Restricts an entry to one day.
pub fn for_single_day(entry: Entry, date: Date) -> Entry {
    let day = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or_default();
    Entry {
        days: Some(vec![WEEK[day]]),
        from: Some(date.to_string()),
        until: Some(date.to_string()),
        ..entry
    }
}

/// A showing on a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedShowing {
    /// When it begins.
    pub start: DateTime,
    /// Identifier of the film.
    pub movie_id: String,
}

/// Finds the first showing on the same screen that overlaps one at `start`, including cleaning.
pub fn find_overlap(catalog: &Catalog, screen_id: &str, start: DateTime) -> Option<DatedShowing> {
    let minutes = |movie_id: &str| {
        let film = catalog.movies.iter().find(|it| it.movie_id == movie_id);
        let film = film.map_or(0, |it| it.duration);
        i64::from(film + catalog.cleaning_minutes.unwrap_or_default()).minutes()
    };
    let date = start.date();
    let days = [date.yesterday().ok(), Some(date), date.tomorrow().ok()];
    let mut all = Vec::new();
    for day in days.into_iter().flatten() {
        for entry in &catalog.programme {
            for time in &entry.times {
                let Some(at) = clock::minute(time) else { continue };
                if entry.runs(screen_id, day, time) {
                    let movie_id = entry.movie_id.clone();
                    all.push(DatedShowing { start: day.to_datetime(at), movie_id });
                }
            }
        }
    }
    let own = all.iter().position(|it| it.start == start)?;
    let own = all.remove(own);
    let end = |it: &DatedShowing| it.start.saturating_add(minutes(&it.movie_id));
    all.into_iter().find(|it| it.start < end(&own) && own.start < end(it))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use serde_json::json;

    use super::*;
    use crate::catalog::tests::small;

    fn catalog() -> Catalog {
        let mut small = small();
        small["programme"][0]["days"] = json!(["fri", "sat"]);
        Catalog::read(&small.to_string()).unwrap()
    }

    /// A Friday.
    const DAY: Date = date(2026, 11, 20);

    #[test]
    fn removes_one_showing_and_keeps_others() {
        let mut catalog = catalog();
        let out = remove_showing(&mut catalog, "s1", DAY, "10:00").unwrap();
        assert_eq!((out.from.as_deref(), out.weekdays()), (Some("2026-11-20"), 0b1_0000));
        let is_on = |it: Date, time| catalog.programme.iter().any(|of| of.runs("s1", it, time));
        assert!(!is_on(DAY, "10:00") && is_on(DAY, "23:30"));
        assert!(is_on(date(2026, 11, 13), "10:00") && is_on(date(2026, 11, 21), "10:00"));
        assert!(!is_on(date(2026, 11, 22), "10:00"));
        assert!(remove_showing(&mut catalog.clone(), "s1", DAY, "10:00").is_none());
        assert!(catalog.check().is_ok());
    }

    #[test]
    fn removes_past_entries_and_keeps_running_ones() {
        let mut catalog = catalog();
        let count = catalog.programme.len();
        let entry = catalog.programme[0].clone();
        catalog.programme.push(for_single_day(entry, date(2026, 11, 6)));
        remove_past(&mut catalog, date(2026, 11, 6));
        assert_eq!(catalog.programme.len(), count + 1, "its last day is that day");
        remove_past(&mut catalog, date(2026, 11, 7));
        assert_eq!(catalog.programme.len(), count);
    }

    #[test]
    fn entry_of_one_day_is_removed_whole() {
        let mut catalog = catalog();
        let count = catalog.programme.len();
        let out = remove_showing(&mut catalog, "s1", DAY, "10:00").unwrap();
        let with_out = catalog.programme.len();
        catalog.programme.push(out);
        assert!(catalog.check().is_ok(), "{:?}", catalog.programme);
        remove_showing(&mut catalog, "s1", DAY, "10:00").unwrap();
        assert_eq!(catalog.programme.len(), with_out);
        assert!(with_out > count);
    }

    #[test]
    fn overlap_includes_cleaning_time() {
        let mut catalog = catalog();
        let mut other = remove_showing(&mut catalog, "s1", DAY, "10:00").unwrap();
        catalog.programme.push(other.clone());
        other.times = vec!["11:50".into()];
        catalog.programme.push(other);
        let at = DAY.at(11, 50, 0, 0);
        assert_eq!(find_overlap(&catalog, "s1", at), None);
        catalog.cleaning_minutes = Some(15);
        assert_eq!(find_overlap(&catalog, "s1", at).unwrap().start, DAY.at(10, 0, 0, 0));
    }
}
