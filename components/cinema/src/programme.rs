//! Showtimes, derived from the weekly programme relative to today.
//!
//! A showtime is not stored. Its identifier contains date, screen and time and is the same every day,
//! so that what is sold for it stays sold.

use std::{collections::BTreeMap, ops::RangeInclusive};

use jiff::{
    ToSpan,
    civil::{Date, DateTime},
};
use output::cinema::{PriceList, Showtime};
use serde::Deserialize;
use toolkit::{Stop, sql, sql::Statement};

use crate::clock::{self, Clock, Day, naive};

/// Number of past days that are listed.
const DAYS_BACK: i64 = 7;
/// Number of days after today that are on sale.
const DAYS_AHEAD: i64 = 6;

/// An entry of the programme: a film on a screen at a time, on some weekdays.
#[derive(Clone, Debug, Deserialize)]
pub struct Slot {
    /// Identifier of its screen.
    pub screen_id: String,
    /// Start as `HH:MM`.
    pub starts: String,
    /// Identifier of its film.
    pub movie_id: String,
    /// Weekdays as bits, Monday the lowest.
    pub weekdays: u8,
    /// First date, if any: `YYYY-MM-DD`.
    pub valid_from: Option<String>,
    /// Last date, if any.
    pub valid_until: Option<String>,
    /// The screen's name.
    pub screen_name: String,
    /// The name in English.
    pub screen_name_en: Option<String>,
    /// The film's title.
    pub movie_title: String,
    /// The title in English.
    pub movie_title_en: Option<String>,
    /// Running time in minutes.
    pub duration: u32,
    /// Number of seats of the screen.
    pub seats_count: u32,
    /// Price list as JSON.
    pub prices: Option<String>,
}

/// One showing of a slot.
#[derive(Clone, Debug)]
pub struct Showing<'a> {
    /// Its slot.
    pub slot: &'a Slot,
    /// Local start time.
    pub start: DateTime,
}

/// Days with showtimes: a week back, today, and six days ahead.
pub fn days_listed(today: Date) -> RangeInclusive<Date> {
    today.saturating_sub(DAYS_BACK.days())..=today.saturating_add(DAYS_AHEAD.days())
}

/// The requested days: one day, or today and the following ones; only listed ones.
pub fn days_asked(today: Date, day: Option<Day>) -> Vec<Date> {
    let listed = days_listed(today);
    match day {
        Some(day) => Some(day.date).filter(|it| listed.contains(it)).into_iter().collect(),
        None => today.series(1.day()).take_while(|it| listed.contains(it)).collect(),
    }
}

impl Slot {
    /// Prices, if the operator has set some.
    pub fn price_list(&self) -> Option<PriceList> {
        serde_json::from_str(self.prices.as_deref()?).ok()
    }

    /// Showing on `date`, if the slot has one.
    pub fn on(&self, date: Date) -> Option<Showing<'_>> {
        let weekday = date.weekday().to_monday_zero_offset();
        if self.weekdays >> weekday & 1 == 0 {
            return None;
        }
        if self.valid_from.is_some() || self.valid_until.is_some() {
            let text = date.to_string();
            let begins = self.valid_from.as_ref().is_none_or(|it| *it <= text);
            let ends = self.valid_until.as_ref().is_none_or(|it| text <= *it);
            if !(begins && ends) {
                return None;
            }
        }
        Some(Showing { slot: self, start: date.to_datetime(clock::minute(&self.starts)?) })
    }
}

impl Showing<'_> {
    /// `st-20261121-s1-1430`.
    pub fn id(&self) -> String {
        let date = self.start.date().strftime("%Y%m%d");
        format!("st-{date}-{}-{}", self.slot.screen_id, self.slot.starts.replace(':', ""))
    }

    /// Whether it can still be booked, which ends when it begins.
    pub fn is_open(&self, clock: &Clock) -> bool {
        !clock.has_passed(self.start)
    }

    /// Local start time; differs from the programme in an hour that daylight saving skips.
    pub fn begins(&self, clock: &Clock) -> DateTime {
        clock.after(self.start, 0)
    }

    /// Converts it with the number of taken seats and the state of its sales.
    pub fn showtime(&self, taken: u32, is_sales_closed: bool, clock: &Clock) -> Showtime {
        let slot = self.slot;
        let end = clock.after(self.start, i64::from(slot.duration));
        Showtime {
            showtime_id: self.id(),
            movie_id: slot.movie_id.clone(),
            start_time: naive(self.begins(clock)),
            available_seats_count: slot.seats_count.saturating_sub(taken),
            end_time: Some(naive(end)),
            theater_id: Some(slot.screen_id.clone()),
            theater_name: Some(slot.screen_name.clone()),
            theater_name_en: slot.screen_name_en.clone(),
            total_seats_count: Some(slot.seats_count),
            movie_title: Some(slot.movie_title.clone()),
            movie_title_en: slot.movie_title_en.clone(),
            is_open: Some(self.is_open(clock) && !is_sales_closed),
            is_sales_closed,
        }
    }
}

/// Showings of `slots` on `days`, by local start time (CIN-23).
pub fn showings<'a>(
    slots: &'a [Slot],
    days: &[Date],
    day: Option<Day>,
    clock: &Clock,
) -> Vec<Showing<'a>> {
    let on = |date: &Date| slots.iter().filter_map(|it| it.on(*date)).collect::<Vec<_>>();
    let mut showings: Vec<_> = days.iter().flat_map(on).collect();
    showings.retain(|it| day.is_none_or(|day| it.begins(clock).time() >= day.from));
    showings.sort_by_cached_key(|it| (it.begins(clock), it.slot.screen_id.clone()));
    showings
}

/// Content of a showtime's identifier.
#[derive(Debug, PartialEq, Eq)]
pub struct ShowtimeId {
    /// The day that it is on.
    pub date: Date,
    /// Identifier of its screen.
    pub screen_id: String,
    /// Start as `HH:MM`.
    pub starts: String,
}

impl ShowtimeId {
    /// Local start time.
    pub fn start(&self) -> Option<DateTime> {
        Some(self.date.to_datetime(clock::minute(&self.starts)?))
    }

    /// Parses what [`Showing::id`] formats.
    pub fn read(id: &str) -> Option<Self> {
        let (date, rest) = id.strip_prefix("st-")?.split_once('-')?;
        let (screen_id, clock) = rest.rsplit_once('-')?;
        let ascii = date.len() == 8 && clock.len() == 4 && id.is_ascii();
        ascii.then_some(())?;
        let date = format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..]);
        let starts = format!("{}:{}", &clock[..2], &clock[2..]);
        clock::minute(&starts)?;
        Some(Self { date: clock::date(&date)?, screen_id: screen_id.to_owned(), starts })
    }
}

/// Lower bound of the identifiers on `date`, in text order.
pub fn first_id_of(date: Date) -> String {
    format!("st-{}", date.strftime("%Y%m%d"))
}

/// Showings of one statement; the host permits 500 values.
const AMONG_MAX: usize = 400;
/// Columns of [`Slot`]; a WHERE may follow.
const SLOTS: &str = "SELECT p.screen_id, p.starts, p.movie_id, p.weekdays, p.valid_from, \
     p.valid_until, s.name AS screen_name, s.name_en AS screen_name_en, m.title AS movie_title, \
     m.title_en AS movie_title_en, m.duration, s.seats_count, p.prices \
     FROM programme p \
     JOIN screens s ON s.screen_id = p.screen_id \
     JOIN movies m ON m.movie_id = p.movie_id";

/// Selects the whole programme.
pub fn select_all() -> Statement {
    sql!(SLOTS)
}

/// Selects the slots of a film.
pub fn of_movie(movie_id: &str) -> Statement {
    sql!(format!("{SLOTS} WHERE p.movie_id = $1"), movie_id)
}

/// Selects the slots of a screen at a time of day.
pub fn of_screen(screen_id: &str, starts: &str) -> Statement {
    sql!(format!("{SLOTS} WHERE p.screen_id = $1 AND p.starts = $2"), screen_id, starts)
}

/// Counts the taken and held seats of each showing (CIN-22).
///
/// # Errors
/// If the database fails.
pub fn count_taken(showings: &[Showing<'_>], clock: &Clock) -> Result<BTreeMap<String, u32>, Stop> {
    if showings.is_empty() {
        return Ok(BTreeMap::new());
    }
    let statements: Vec<_> = showings.chunks(AMONG_MAX).map(|it| counted(it, clock)).collect();
    let mut taken = BTreeMap::new();
    for rows in sql::query_all(&statements)? {
        taken.extend(rows.read::<(String, u32)>()?);
    }
    Ok(taken)
}

/// Counts for at most [`AMONG_MAX`] showings.
fn counted(showings: &[Showing<'_>], clock: &Clock) -> Statement {
    let among = sql::placeholders(2, showings.len());
    // No seat is in both tables.
    let counted = Statement::new(format!(
        "SELECT t.showtime_id, COUNT(*) FROM \
         (SELECT showtime_id, screen_id, seat_id FROM reserved_seats \
         WHERE showtime_id IN ({among}) UNION ALL \
         SELECT d.showtime_id, d.screen_id, d.seat_id FROM held_seats d \
         JOIN holds h ON h.hold_id = d.hold_id AND h.expires_at > $1 \
         WHERE d.showtime_id IN ({among})) t \
         JOIN seats s ON s.screen_id = t.screen_id AND s.seat_id = t.seat_id \
         GROUP BY t.showtime_id"
    ));
    counted.bind(clock.second()).bind_all(showings.iter().map(Showing::id))
}

/// Finds the slot's showing on `date`.
pub fn on(slots: &[Slot], date: Date) -> Option<Showing<'_>> {
    slots.iter().find_map(|it| it.on(date))
}

// Showings whose sales the staff has closed (CIN-95).

/// Selects the reason why a showing is closed: one row if it is.
pub fn closed(showtime_id: &str) -> Statement {
    sql!("SELECT reason FROM closed_sales WHERE showtime_id = $1", showtime_id)
}

/// Selects the closed showings from an identifier on.
pub fn closed_from(first_id: &str) -> Statement {
    sql!("SELECT showtime_id FROM closed_sales WHERE showtime_id >= $1", first_id)
}

/// Requires in the batch that the sales of a showing are open.
pub fn still_open(showtime_id: &str) -> Statement {
    let open = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM closed_sales WHERE showtime_id = $1)";
    sql!(open, showtime_id).expect(1)
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::civil::{date, time};

    use super::*;
    use crate::clock::tests::clock_at;

    pub(crate) fn slot(screen_id: &str, starts: &str, weekdays: u8) -> Slot {
        Slot {
            screen_id: screen_id.into(),
            starts: starts.into(),
            movie_id: "kimi".into(),
            weekdays,
            valid_from: None,
            valid_until: None,
            screen_name: "スクリーン1".into(),
            screen_name_en: None,
            movie_title: "君の名は。".into(),
            movie_title_en: None,
            duration: 107,
            seats_count: 24,
            prices: None,
        }
    }

    /// A Friday.
    const TODAY: Date = date(2026, 11, 20);
    /// Noon in Tokyo.
    const NOON: &str = "2026-11-20T03:00:00Z";

    #[test]
    fn default_days_are_today_and_six_more() {
        let days = days_asked(TODAY, None);
        assert_eq!((days[0], days.len()), (TODAY, 7));
    }

    #[test]
    fn lists_one_week_back() {
        let asked = |it| days_asked(TODAY, Some(Day { date: it, from: time(0, 0, 0, 0) })).len();
        assert_eq!(asked(date(2026, 11, 13)), 1);
        assert_eq!(asked(date(2026, 11, 12)), 0);
        assert_eq!(asked(date(2026, 11, 26)), 1);
        assert_eq!(asked(date(2026, 11, 27)), 0);
    }

    #[test]
    fn showtimes_are_sorted_and_end_with_the_film() {
        let slots = [slot("s2", "23:30", 0x7f), slot("s1", "09:00", 0x7f)];
        let showings = showings(&slots, &days_asked(TODAY, None), None, &clock_at(NOON));
        let first = showings[0].showtime(4, false, &clock_at(NOON));
        assert_eq!(first.start_time, "2026-11-20T09:00:00");
        assert_eq!(first.available_seats_count, 20);
        let second = showings[1].showtime(0, false, &clock_at(NOON));
        assert_eq!(second.end_time.as_deref(), Some("2026-11-21T01:17:00"));
        assert_eq!(showings.len(), 14);
    }

    #[test]
    fn showing_is_open_until_it_begins() {
        let slot = slot("s1", "12:00", 0x7f);
        let is_open = |now| slot.on(TODAY).unwrap().showtime(0, false, &clock_at(now)).is_open;
        assert_eq!(is_open("2026-11-20T02:59:59Z"), Some(true));
        assert_eq!(is_open(NOON), Some(false));
        assert_eq!(is_open("2026-11-21T00:00:00Z"), Some(false));
    }

    #[test]
    fn slot_runs_only_on_its_days() {
        let mut slot = slot("s1", "10:00", 0b110_0000);
        assert!(slot.on(TODAY).is_none());
        assert!(slot.on(date(2026, 11, 21)).is_some());
        slot.valid_from = Some("2026-11-22".into());
        assert!(slot.on(date(2026, 11, 21)).is_none());
        assert!(slot.on(date(2026, 11, 22)).is_some());
        slot.valid_until = Some("2026-11-22".into());
        assert!(slot.on(date(2026, 11, 28)).is_none());
    }

    #[test]
    fn time_of_day_excludes_earlier_showings() {
        let slots = [slot("s1", "10:00", 0x7f), slot("s1", "18:30", 0x7f)];
        let day = Some(Day { date: TODAY, from: time(18, 30, 0, 0) });
        assert_eq!(showings(&slots, &days_asked(TODAY, day), day, &clock_at(NOON)).len(), 1);
    }

    #[test]
    fn skipped_hour_moves_behind_the_gap() {
        let berlin = clock::tests::berlin_at("2026-03-28T12:00:00Z");
        let slots = [slot("s1", "02:30", 0x7f), slot("s2", "03:10", 0x7f)];
        let date = date(2026, 3, 29);
        let shown = |from| {
            let day = Some(Day { date, from });
            let all = showings(&slots, &[date], day, &berlin);
            all.iter().map(|it| it.slot.screen_id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(shown(time(0, 0, 0, 0)), ["s2", "s1"], "02:30 is 03:30 that night");
        assert_eq!(shown(time(3, 20, 0, 0)), ["s1"]);
    }

    #[test]
    fn identifier_contains_date_screen_and_time() {
        let slot = slot("s-1", "09:05", 0x7f);
        let id = slot.on(TODAY).unwrap().id();
        assert_eq!(id, "st-20261120-s-1-0905");
        let read = ShowtimeId::read(&id).unwrap();
        assert_eq!((read.date, &*read.screen_id, &*read.starts), (TODAY, "s-1", "09:05"));
    }

    #[test]
    fn rejects_invalid_identifiers() {
        for id in ["", "st-", "st-20261120", "st-20261120-s1-9999", "st-2026112０-s1-0900", "x"] {
            assert_eq!(ShowtimeId::read(id), None, "{id}");
        }
    }
}
