//! The cinema's programme: films with their showtimes, by day.

use output::cinema::{Movie, Price, Showtime};

use crate::dates::{self, Day};
use crate::text::Lang;

/// Maximum number of films whose showtimes are fetched. A larger programme is searched, and as many results are
/// fetched, too.
pub(crate) const FILMS_MAX: usize = 40;
/// Maximum number of days in the strip.
const DAYS_MAX: usize = 31;
/// Share of free seats from which they are shown as few: one in ten.
const FEW: u32 = 10;

/// The programme as last received.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Programme {
    pub(crate) films: Vec<Movie>,
    /// The showtimes by film id.
    pub(crate) showtimes: Vec<(String, Vec<Showtime>)>,
    /// The cinema's time then, if given.
    pub(crate) now: Option<String>,
    /// How far the cinema's clock is ahead of the reader's, who may be in another time zone.
    pub(crate) ahead_ms: f64,
}

impl Programme {
    /// The cinema's current time; the reader's if the cinema gives none.
    pub(crate) fn now(&self) -> String {
        self.now.clone().unwrap_or_else(dates::now)
    }

    /// Days with showings.
    pub(crate) fn days(&self) -> Vec<Day> {
        let mut days = Vec::new();
        let times = self.showtimes.iter().flat_map(|it| &it.1);
        for day in times.filter_map(|it| Day::of_time(&it.start_time)) {
            if let Err(at) = days.binary_search(&day) {
                days.insert(at, day);
            }
        }
        days.truncate(DAYS_MAX);
        days
    }

    /// The day to show: the requested one, else the next day with a bookable showing, else the next day with any, else
    /// the last. `now` is as for [`has_begun`].
    pub(crate) fn day(&self, requested: Option<Day>, now: &str) -> Option<Day> {
        let days = self.days();
        let requested = requested.filter(|it| days.contains(it));
        let today = Day::of_time(now);
        let mut ahead = days.iter().copied().filter(|it| Some(*it) >= today);
        let first = ahead.clone().next().or_else(|| days.last().copied());
        requested.or_else(|| ahead.find(|it| self.has_open(None, *it, now))).or(first)
    }

    /// Whether a showing of that day can be booked: of one film, or of any.
    pub(crate) fn has_open(&self, film: Option<&str>, day: Day, now: &str) -> bool {
        let films = self.showtimes.iter().filter(|it| film.is_none_or(|film| film == it.0));
        films
            .flat_map(|it| &it.1)
            .any(|it| Day::of_time(&it.start_time) == Some(day) && !has_begun(it, now))
    }

    /// The showtimes of a film, if loaded.
    pub(crate) fn showtimes_of(&self, film: &str) -> Option<&Vec<Showtime>> {
        self.showtimes.iter().find(|it| it.0 == film).map(|it| &it.1)
    }

    /// The films of `found` without loaded showtimes, up to the limit.
    pub(crate) fn missing<'a>(&self, found: &'a [Movie]) -> Vec<&'a Movie> {
        let found = found.iter().take(FILMS_MAX);
        found.filter(|it| self.showtimes_of(&it.movie_id).is_none()).collect()
    }

    /// Adds films found beyond the first ones, replacing those of the last search.
    pub(crate) fn add_found(
        &mut self,
        found: &[Movie],
        showtimes: impl IntoIterator<Item = (String, Vec<Showtime>)>,
    ) {
        for (film, times) in showtimes {
            self.showtimes.retain(|entry| entry.0 != film);
            self.showtimes.push((film, times));
        }
        self.films.truncate(FILMS_MAX);
        for film in found.iter().take(FILMS_MAX) {
            if !self.films.iter().any(|it| it.movie_id == film.movie_id) {
                self.films.push(film.clone());
            }
        }
        self.showtimes.retain(|entry| self.films.iter().any(|it| it.movie_id == entry.0));
    }

    /// The showtimes of a film on that day, earliest first.
    pub(crate) fn showtimes(&self, film: &str, day: Option<Day>) -> Vec<Showtime> {
        let all = self.showtimes_of(film).into_iter().flatten();
        let is_then = |it: &&Showtime| day.is_none() || Day::of_time(&it.start_time) == day;
        let mut then: Vec<Showtime> = Vec::new();
        for showtime in all.filter(is_then) {
            let at = then.partition_point(|it| it.start_time <= showtime.start_time);
            then.insert(at, showtime.clone());
        }
        then
    }

    /// The films of that day, bookable ones first; or the found ones, in the order found. `now` is as for
    /// [`has_begun`].
    pub(crate) fn on(&self, day: Option<Day>, found: Option<&[String]>, now: &str) -> Vec<Movie> {
        let is_on = |it: &&Movie| !self.showtimes(&it.movie_id, day).is_empty();
        let Some(ids) = found else {
            let is_open =
                |it: &Movie| day.is_none_or(|day| self.has_open(Some(&it.movie_id), day, now));
            let films = self.films.iter().filter(is_on).cloned();
            let (mut films, begun): (Vec<_>, Vec<_>) = films.partition(is_open);
            films.extend(begun);
            return films;
        };
        let film = |id: &String| self.films.iter().find(|it| it.movie_id == *id);
        ids.iter().filter_map(film).filter(is_on).cloned().collect()
    }
}

/// Number of seats left, in categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    Plenty(u32),
    Few(u32),
    None,
    /// The showing has begun.
    Started,
    /// The staff has closed its sales.
    Closed,
}

impl Left {
    /// `now` is as for [`has_begun`].
    pub(crate) fn new(showtime: &Showtime, now: &str) -> Self {
        if showtime.is_sales_closed {
            return Self::Closed;
        }
        if has_begun(showtime, now) {
            return Self::Started;
        }
        let (free, total) = (showtime.available_seats_count, showtime.total_seats_count);
        match (free, total) {
            (0, _) => Self::None,
            (free, Some(total)) if free.saturating_mul(FEW) <= total => Self::Few(free),
            (free, None) if free <= FEW => Self::Few(free),
            (free, _) => Self::Plenty(free),
        }
    }
}

/// Whether a showing can no longer be booked: by the cinema's flag, else by `now`, `YYYY-MM-DDTHH:MM:SS` in the
/// reader's time zone.
pub(crate) fn has_begun(showtime: &Showtime, now: &str) -> bool {
    let start = showtime.start_time.as_str();
    showtime.is_open.map_or_else(|| start.len() == now.len() && start <= now, |it| !it)
}

/// Formats an amount of money for the reader.
pub(crate) fn price(price: &Price, lang: Lang) -> String {
    dates::money(&price.decimal(), &price.currency, lang)
}

/// A name in the reader's language, if there is one.
pub(crate) fn name(own: Option<&str>, english: Option<&str>, lang: Lang) -> Option<String> {
    english.filter(|_| lang == Lang::En).or(own).map(str::to_owned)
}

/// A film's title in the reader's language, and in the other.
pub(crate) fn titles(film: &Movie, lang: Lang) -> (String, Option<String>) {
    match (lang, &film.title_en) {
        (Lang::En, Some(english)) => (english.clone(), Some(film.title.clone())),
        (_, english) => (film.title.clone(), english.clone()),
    }
}

/// A film's synopsis in the reader's language.
pub(crate) fn synopsis(film: &Movie, lang: Lang) -> String {
    let english = film.description_en.as_ref().filter(|_| lang == Lang::En);
    english.unwrap_or(&film.description).clone()
}

/// One of four pairs of colours, stable for a film: one of the pair by its place in the list.
pub(crate) fn hue(id: &str) -> u32 {
    id.bytes().fold(5_381_u32, |hue, byte| hue.wrapping_mul(33) ^ u32::from(byte)) % 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn showtime(id: &str, start_time: &str) -> Showtime {
        Showtime { showtime_id: id.into(), start_time: start_time.into(), ..Showtime::default() }
    }

    fn programme() -> Programme {
        let film = |id: &str| Movie { movie_id: id.into(), ..Movie::default() };
        let showtimes = [
            (
                "a",
                vec![showtime("a2", "2026-11-21T18:00:00"), showtime("a1", "2026-11-21T09:00:00")],
            ),
            ("b", vec![showtime("b1", "2026-11-22T09:00:00"), showtime("?", "soon")]),
        ];
        let showtimes = showtimes.into_iter().map(|(id, it)| (id.to_owned(), it)).collect();
        Programme { films: vec![film("a"), film("b")], showtimes, ..Programme::default() }
    }

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    #[test]
    fn strip_has_days_with_showings() {
        assert_eq!(programme().days(), [day("2026-11-21"), day("2026-11-22")]);
    }

    #[test]
    fn shows_requested_day_or_the_next_one() {
        let chosen = |requested: Option<&str>, today: &str| {
            let now = format!("{today}T00:00:00");
            programme().day(requested.map(day), &now).unwrap().to_string()
        };
        assert_eq!(chosen(Some("2026-11-22"), "2026-11-21"), "2026-11-22");
        assert_eq!(chosen(Some("2030-01-01"), "2026-11-21"), "2026-11-21");
        assert_eq!(chosen(None, "2026-11-20"), "2026-11-21");
        assert_eq!(chosen(None, "2026-12-24"), "2026-11-22");
        assert_eq!(Programme::default().day(None, "2026-11-21T00:00:00"), None);
    }

    #[test]
    fn shows_next_bookable_day_in_the_evening() {
        let chosen = |now: &str| programme().day(None, now).unwrap().to_string();
        assert_eq!(chosen("2026-11-21T17:59:59"), "2026-11-21");
        assert_eq!(chosen("2026-11-21T18:00:00"), "2026-11-22", "all of today has begun");
        assert_eq!(chosen("2026-11-22T23:00:00"), "2026-11-22", "there is no other day");
        let requested = programme().day(Some(day("2026-11-21")), "2026-11-21T23:00:00");
        assert_eq!(requested, Some(day("2026-11-21")), "the reader asked for it");
    }

    #[test]
    fn bookable_films_come_first() {
        let mut programme = programme();
        let late = showtime("b0", "2026-11-21T20:00:00");
        programme.showtimes[1].1.push(late);
        let order = |now: &str| {
            let films = programme.on(Some(day("2026-11-21")), None, now);
            films.into_iter().map(|it| it.movie_id).collect::<Vec<_>>()
        };
        assert_eq!(order("2026-11-21T10:00:00"), ["a", "b"]);
        assert_eq!(order("2026-11-21T19:00:00"), ["b", "a"]);
        assert_eq!(order("2026-11-21T23:00:00"), ["a", "b"]);
    }

    #[test]
    fn search_keeps_host_order_and_films_of_the_day() {
        let programme = programme();
        let on = |day, found: Option<&[String]>| {
            let films = programme.on(day, found, "2026-11-20T00:00:00");
            films.into_iter().map(|it| it.movie_id).collect::<Vec<_>>()
        };
        let found = ["b".to_owned(), "a".to_owned(), "gone".to_owned()];
        assert_eq!(on(None, Some(&found)), ["b", "a"]);
        assert_eq!(on(Some(day("2026-11-21")), Some(&found)), ["a"]);
        assert_eq!(on(Some(day("2026-11-22")), None), ["b"]);
    }

    #[test]
    fn further_films_stay_until_next_search() {
        let film = |at: usize| Movie { movie_id: format!("m{at}"), ..Movie::default() };
        let times = |at: usize| (format!("m{at}"), vec![showtime("s", "2026-11-21T09:00:00")]);
        let mut programme = Programme {
            films: (0..FILMS_MAX).map(film).collect(),
            showtimes: (0..FILMS_MAX).map(times).collect(),
            ..Programme::default()
        };
        let found = [film(3), film(50)];
        let missing = programme.missing(&found).into_iter().map(|it| it.movie_id.as_str());
        assert_eq!(missing.collect::<Vec<_>>(), ["m50"]);
        programme.add_found(&found, [times(50)]);
        let ids = ["m3".to_owned(), "m50".to_owned()];
        let on = programme.on(Some(day("2026-11-21")), Some(&ids), "2026-11-20T00:00:00");
        assert_eq!((on.len(), programme.missing(&found).len()), (2, 0));
        programme.add_found(&[film(60)], [times(60)]);
        assert_eq!(
            (programme.films.len(), programme.showtimes.len()),
            (FILMS_MAX + 1, FILMS_MAX + 1)
        );
        assert_eq!(programme.showtimes_of("m50"), None);
    }

    #[test]
    fn sorts_showtimes_earliest_first() {
        let times = programme().showtimes("a", Some(day("2026-11-21")));
        let ids: Vec<_> = times.iter().map(|it| it.showtime_id.as_str()).collect();
        assert_eq!(ids, ["a1", "a2"]);
    }

    #[test]
    fn marks_showing_that_has_begun() {
        let showtime = showtime("a1", "2026-11-21T09:00:00");
        assert_eq!(Left::new(&showtime, "2026-11-21T09:00:00"), Left::Started);
        assert_eq!(Left::new(&showtime, "2026-11-21T08:59:59"), Left::None);
    }

    #[test]
    fn closed_sales_are_not_a_begun_showing() {
        let (is_open, is_sales_closed) = (Some(false), true);
        let closed = Showtime { is_open, is_sales_closed, ..showtime("a1", "2026-11-21T09:00:00") };
        assert_eq!(Left::new(&closed, "2026-11-20T09:00:00"), Left::Closed);
    }

    #[test]
    fn uses_the_cinemas_clock() {
        let says = |is_open| Showtime { is_open, ..showtime("a1", "2026-11-21T09:00:00") };
        assert!(!has_begun(&says(Some(true)), "2026-11-21T23:00:00"));
        assert!(has_begun(&says(Some(false)), "2026-11-21T01:00:00"));
        assert!(!has_begun(&says(None), "2026-11-21T08:59:59"));
    }

    #[test]
    fn shows_name_without_english_unchanged() {
        let shown = |english, lang| name(Some("特撮"), english, lang);
        assert_eq!(shown(Some("Tokusatsu"), Lang::En).as_deref(), Some("Tokusatsu"));
        assert_eq!(shown(Some("Tokusatsu"), Lang::Ja).as_deref(), Some("特撮"));
        assert_eq!(shown(None, Lang::En).as_deref(), Some("特撮"));
        assert_eq!(name(None, None, Lang::En), None);
    }

    #[test]
    fn ten_percent_free_is_few() {
        let left = |free, total| {
            Left::new(
                &Showtime {
                    available_seats_count: free,
                    total_seats_count: total,
                    start_time: "2026-11-21T10:00:00".into(),
                    ..Showtime::default()
                },
                "2026-11-21T09:00:00",
            )
        };
        assert_eq!(left(0, Some(100)), Left::None);
        assert_eq!(left(10, Some(100)), Left::Few(10));
        assert_eq!(left(11, Some(100)), Left::Plenty(11));
        assert_eq!(left(10, None), Left::Few(10));
    }
}
