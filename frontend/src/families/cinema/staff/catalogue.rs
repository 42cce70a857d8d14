//! The catalogue as edited by admins, the showings of the week, and their conflicts.

use output::cinema::ShowtimeOccupancy;
use serde::Deserialize;

use crate::dates::Day;

/// Films and screens, as exported by `export_catalogue`; the programme is not included.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Catalogue {
    pub(crate) screens: Vec<Screen>,
    pub(crate) movies: Vec<Film>,
    pub(crate) cleaning_minutes: u32,
}

/// A screen and its rows, from the front.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Screen {
    pub(crate) screen_id: String,
    pub(crate) name: String,
    pub(crate) name_en: Option<String>,
    pub(crate) rows: Vec<SeatRow>,
}

/// A row: its letter, and one sign per place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct SeatRow {
    pub(crate) row: String,
    pub(crate) seats: String,
}

/// A film with all its fields.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Film {
    pub(crate) movie_id: String,
    pub(crate) title: String,
    pub(crate) title_en: Option<String>,
    pub(crate) reading: Option<String>,
    pub(crate) description: String,
    pub(crate) description_en: Option<String>,
    pub(crate) genre: Option<String>,
    pub(crate) genre_en: Option<String>,
    pub(crate) duration: u32,
    pub(crate) release_date: Option<String>,
    pub(crate) rating: f64,
}

/// A showing that a new one would overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) title: String,
    pub(crate) title_en: Option<String>,
    /// `YYYY-MM-DDTHH:MM:SS`
    pub(crate) start: String,
    /// `HH:MM`, without the cleaning time.
    pub(crate) end: String,
}

impl Catalogue {
    pub(crate) fn film(&self, id: &str) -> Option<&Film> {
        self.movies.iter().find(|it| it.movie_id == id)
    }

    pub(crate) fn screen(&self, id: &str) -> Option<&Screen> {
        self.screens.iter().find(|it| it.screen_id == id)
    }

    /// The showing on that screen that a showing of this film would overlap, including cleaning time. The cinema
    /// decides; this explains its refusal.
    pub(crate) fn conflict(
        &self,
        week: &[ShowtimeOccupancy],
        film: &str,
        screen: &str,
        start: &str,
        own: Option<&str>,
    ) -> Option<Conflict> {
        let (begins, film) = (minute_of(start)?, self.film(film)?);
        let cleaning = i64::from(self.cleaning_minutes);
        let ends = begins + i64::from(film.duration);
        week.iter().find_map(|showing| {
            let is_same_screen = own != Some(showing.showtime_id.as_str())
                && screen_of(&showing.showtime_id) == Some(screen);
            let other = self.film(&showing.movie_id).filter(|_| is_same_screen)?;
            let at = minute_of(&showing.start_time)?;
            let until = at + i64::from(other.duration);
            let is_conflict = begins < until + cleaning && at < ends + cleaning;
            is_conflict.then(|| Conflict {
                title: other.title.clone(),
                title_en: other.title_en.clone(),
                start: showing.start_time.clone(),
                end: format!("{:02}:{:02}", until.rem_euclid(1440) / 60, until.rem_euclid(60)),
            })
        })
    }
}

/// The screen in a showing's id, `st-20261121-s1-1430`.
pub(crate) fn screen_of(showtime_id: &str) -> Option<&str> {
    let (_, rest) = showtime_id.strip_prefix("st-")?.split_once('-')?;
    rest.rsplit_once('-').map(|it| it.0)
}

/// Minutes of `YYYY-MM-DDTHH:MM` since a distant day.
fn minute_of(time: &str) -> Option<i64> {
    let day = Day::of_time(time)?;
    let (hour, minute) = time.get(11..16)?.split_once(':')?;
    let (hour, minute) = (hour.parse::<i64>().ok()?, minute.parse::<i64>().ok()?);
    // Gregorian days, with years that begin in March.
    let is_early = day.month < 3;
    let year = i64::from(day.year) - i64::from(is_early);
    let month = i64::from(day.month) + if is_early { 9 } else { -3 };
    let days = 365 * year + year / 4 - year / 100
        + year / 400
        + (153 * month + 2) / 5
        + i64::from(day.day);
    Some((days * 24 + hour) * 60 + minute)
}

/// Sums over the showings of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DaySum {
    pub(crate) day: Day,
    pub(crate) showings: u32,
    pub(crate) seats: u32,
    pub(crate) sold: u32,
    pub(crate) held: u32,
    pub(crate) used: u32,
}

impl DaySum {
    /// Percentage of seats sold, rounded.
    pub(crate) fn percent(&self) -> String {
        percent(self.sold, self.seats)
    }
}

/// Percentage, rounded. A little is not nothing, and not quite all is not all.
pub(crate) fn percent(part: u32, whole: u32) -> String {
    let (part, whole) = (u64::from(part), u64::from(whole));
    match (part * 100 + whole / 2).checked_div(whole).unwrap_or_default() {
        0 if part > 0 => "<1".to_owned(),
        100 if part < whole => ">99".to_owned(),
        percent => percent.to_string(),
    }
}

/// Sums the showings by day.
pub(crate) fn days_of(showings: &[ShowtimeOccupancy]) -> Vec<DaySum> {
    let mut days = Vec::<DaySum>::new();
    for it in showings {
        let Some(day) = Day::of_time(&it.start_time) else { continue };
        if days.last().is_none_or(|last| last.day != day) {
            days.push(DaySum { day, showings: 0, seats: 0, sold: 0, held: 0, used: 0 });
        }
        let Some(sum) = days.last_mut() else { continue };
        sum.showings += 1;
        sum.seats += it.seats_count;
        sum.sold += it.sold_count;
        sum.held += it.held_count;
        sum.used += it.checked_in_count;
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        serde_json::from_str(
            r#"{ "cleaning_minutes": 15, "programme": [], "screens": [{ "screen_id": "s-1", "name": "一",
                "rows": [{ "row": "A", "seats": "ss" }] }], "movies": [
                { "movie_id": "short", "title": "君の名は。", "duration": 10 },
                { "movie_id": "kimi", "title": "君の名は。", "duration": 107 },
                { "movie_id": "long", "title": "七人の侍", "duration": 207 }] }"#,
        )
        .unwrap()
    }

    fn showing(id: &str, film: &str, start: &str) -> ShowtimeOccupancy {
        ShowtimeOccupancy {
            showtime_id: id.into(),
            movie_id: film.into(),
            movie_title: "君の名は。".into(),
            start_time: start.into(),
            seats_count: 10,
            sold_count: 3,
            held_count: 1,
            ..ShowtimeOccupancy::default()
        }
    }

    fn week() -> Vec<ShowtimeOccupancy> {
        vec![
            showing("st-20261120-s-1-1000", "kimi", "2026-11-20T10:00:00"),
            showing("st-20261120-s-1-2330", "kimi", "2026-11-20T23:30:00"),
            showing("st-20261121-s-2-1000", "kimi", "2026-11-21T10:00:00"),
        ]
    }

    #[test]
    fn overlap_includes_cleaning_minutes() {
        let (catalogue, week) = (catalogue(), week());
        let conflict = |film: &str, screen: &str, start: &str, own: Option<&str>| {
            catalogue.conflict(&week, film, screen, start, own).map(|it| (it.start, it.end))
        };
        let first = Some(("2026-11-20T10:00:00".to_owned(), "11:47".to_owned()));
        assert_eq!(conflict("kimi", "s-1", "2026-11-20T12:01", None), first);
        assert_eq!(conflict("kimi", "s-1", "2026-11-20T12:02", None), None);
        assert_eq!(conflict("kimi", "s-1", "2026-11-20T08:00", None), first, "and before it");
        assert_eq!(conflict("kimi", "s-1", "2026-11-20T07:58", None), None);
        assert_eq!(conflict("kimi", "s-2", "2026-11-20T10:00", None), None, "another screen");
        assert_eq!(conflict("kimi", "s-1", "2026-11-20T10:05", Some("st-20261120-s-1-1000")), None);
        let night = conflict("long", "s-1", "2026-11-21T00:30", None);
        assert_eq!(night.unwrap().1, "01:17", "over midnight");
        assert_eq!(conflict("none", "s-1", "2026-11-20T10:00", None), None);
        assert_eq!(conflict("kimi", "s-1", "soon", None), None);
    }

    #[test]
    fn sums_days_in_order() {
        let days = days_of(&week());
        assert_eq!(days.len(), 2);
        assert_eq!((days[0].showings, days[0].seats, days[0].sold, days[0].held), (2, 20, 6, 2));
        assert_eq!(days[0].percent(), "30");
        let percents = [(1, 3), (2, 3), (0, 0), (0, 9), (9, 9), (2, 2308), (2307, 2308)]
            .map(|it| percent(it.0, it.1));
        assert_eq!(percents, ["33", "67", "0", "0", "100", "<1", ">99"]);
    }

    #[test]
    fn adds_minutes_over_months_and_leap_days() {
        let between = |one: &str, other: &str| minute_of(other).unwrap() - minute_of(one).unwrap();
        assert_eq!(between("2026-12-31T23:59", "2027-01-01T00:01"), 2);
        assert_eq!(between("2028-02-28T12:00", "2028-03-01T12:00"), 2 * 1440);
        assert_eq!(between("2026-02-28T12:00", "2026-03-01T12:00"), 1440);
    }
}
