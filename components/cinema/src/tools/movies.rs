//! What is on, and when: `list_movies` and `list_showtimes`.

use std::collections::BTreeSet;

use output::{
    cinema::{Movie, Movies, Showtimes},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Stop, Text, Tool, User, invalid, sql};

use super::{at_most, day, reject_problems};
use crate::{
    catalog::Film,
    clock::{Clock, naive, zone_name},
    programme::{self, Showing, Slot, closed_from, days_asked, days_listed, first_id_of, showings},
    refusals::movie_not_found,
    titles,
};

// `list_movies`: films that are on (CIN-10 to CIN-17).
const QUERY_CHARS_MAX: usize = 100;
const SUGGESTIONS_MAX: usize = 3;

/// 指定日時に上映中の映画一覧を取得し、曖昧な映画名にも対応。
/// en: Lists the films that are on at a date and time; finds titles that are not quite right.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMovies {
    /// 任意。上映日（YYYY-MM-DD）。時刻（YYYY-MM-DDTHH:MM）を付けるとその時刻以降の上映に限る。指定がなければ全上映中映画
    /// en: Optional. The day (YYYY-MM-DD); with a time (YYYY-MM-DDTHH:MM), only what begins from then on. Without it,
    /// all films that are on
    date: Option<String>,
    /// 任意。曖昧な映画名も可
    /// en: Optional. A title, or something like it
    #[schemars(length(max = 100))]
    title_query: Option<String>,
}

impl Tool for ListMovies {
    const NAME: &str = "list_movies";
    const TITLE: Text = Text { ja: "映画一覧提示", en: "List films" };
    const LABELS: &[(&str, Text)] = &[("title_query", Text { ja: "映画名", en: "Title" })];
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("movies");
    type Output = Movies;

    fn call(self, _: &User) -> Result<Movies, Stop> {
        if self.title_query.as_ref().is_some_and(|it| it.chars().count() > QUERY_CHARS_MAX) {
            let message = format!("must have at most {QUERY_CHARS_MAX} characters");
            return Err(invalid("/title_query", message));
        }
        let clock = Clock::for_call()?;
        let day = day(&clock, self.date.as_deref())?;
        let movies = sql!(
            "SELECT movie_id, title, title_en, reading, description, description_en, genre, \
             genre_en, duration, release_date, rating FROM movies ORDER BY position"
        );
        let [movies, slots] = sql::query([movies, programme::select_all()])?;
        let slots = slots.read::<Slot>()?;
        let films = movies.read::<Film>()?;
        let shown = showings(&slots, &days_asked(clock.today(), day), day, &clock);
        let count =
            |film: &Film| shown.iter().filter(|it| it.slot.movie_id == film.movie_id).count();
        let films: Vec<_> = films.iter().map(|it| (it, count(it))).collect();
        let found = match self.title_query.as_deref().map(str::trim).filter(|it| !is_blank(it)) {
            Some(query) => matching(query, &films),
            None => Movies { movies: on(&films), ..Movies::default() },
        };
        let now = (!found.movies.is_empty()).then(|| naive(clock.now()));
        let timezone = now.is_some().then(zone_name).transpose()?;
        Ok(Movies { now, timezone, ..found })
    }
}

impl Film {
    fn names(&self) -> titles::Names<'_> {
        titles::Names {
            title: &self.title,
            reading: self.reading.as_deref(),
            english: self.title_en.as_deref(),
        }
    }

    fn movie(&self, showtimes: usize) -> Movie {
        let film = self.clone();
        Movie {
            movie_id: film.movie_id,
            title: film.title,
            description: film.description,
            rating: film.rating,
            title_en: film.title_en,
            description_en: film.description_en,
            genre: film.genre,
            genre_en: film.genre_en,
            duration: Some(film.duration),
            release_date: film.release_date,
            showtimes_count: u32::try_from(showtimes).ok(),
        }
    }
}

/// Films that are on, with their number of showings.
fn on(films: &[(&Film, usize)]) -> Vec<Movie> {
    films.iter().filter(|it| it.1 > 0).map(|(film, count)| film.movie(*count)).collect()
}

/// Best matches of `query` that are on, best first; otherwise matches that are not on, or the most similar titles.
fn matching(query: &str, films: &[(&Film, usize)]) -> Movies {
    let asked = titles::Query::new(query);
    let hits = films.iter().filter_map(|it| Some((asked.hit(it.0.names())?, *it)));
    let best = titles::best(hits.collect());
    let movies = on(&best);
    let near = match (movies.is_empty(), best.is_empty()) {
        (false, _) => Vec::new(),
        (true, false) => best.iter().take(SUGGESTIONS_MAX).map(|it| it.0).collect(),
        (true, true) => nearest(&titles::fold(query), films),
    };
    let english = |it: &&Film| it.title_en.clone().unwrap_or_else(|| it.title.clone());
    let suggestions_en = near.iter().map(english).collect();
    let suggestions = near.iter().map(|it| it.title.clone()).collect();
    Movies { movies, suggestions, suggestions_en, ..Movies::default() }
}

fn nearest<'a>(query: &str, films: &[(&'a Film, usize)]) -> Vec<&'a Film> {
    let near = |(film, _): &(&Film, usize)| titles::nearness(query, film.names().all());
    let mut near: Vec<_> = films.iter().map(|it| (near(it), it.0)).collect();
    near.retain(|it| it.0 >= titles::NEAR_MIN);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(SUGGESTIONS_MAX).map(|it| it.1).collect()
}

// `list_showtimes`: when a film is on (CIN-20 to CIN-24).

/// 指定映画・日付の上映時間枠一覧を取得。
/// en: Lists when a film is on, on a day or from today on, with the seats that are free.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListShowtimes {
    /// 映画のID（list_movies の movie_id）
    /// en: The film, as list_movies names it
    #[schemars(length(max = 200))]
    movie_id: String,
    /// 任意。上映日（YYYY-MM-DD）。指定がなければ今日以降
    /// en: Optional. The day (YYYY-MM-DD). Without it, today and the days that follow
    date: Option<String>,
}

impl Tool for ListShowtimes {
    const NAME: &str = "list_showtimes";
    const TITLE: Text = Text { ja: "上映時間枠選択", en: "List showtimes" };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("showtimes");
    type Output = Showtimes;

    fn call(self, _: &User) -> Result<Showtimes, Stop> {
        reject_problems([at_most("/movie_id", &self.movie_id)])?;
        let clock = Clock::for_call()?;
        let day = day(&clock, self.date.as_deref())?;
        let movie = sql!("SELECT 1 FROM movies WHERE movie_id = $1", &self.movie_id);
        let closed = closed_from(&first_id_of(*days_listed(clock.today()).start()));
        let [movie, slots, closed] =
            sql::query([movie, programme::of_movie(&self.movie_id), closed])?;
        if movie.is_empty() {
            return Err(movie_not_found(&self.movie_id));
        }
        let slots = slots.read::<Slot>()?;
        let shown = showings(&slots, &days_asked(clock.today(), day), day, &clock);
        let taken = programme::count_taken(&shown, &clock)?;
        let taken = |id: &str| taken.get(id).copied().unwrap_or(0);
        let closed: BTreeSet<_> = closed.read::<(String,)>()?.into_iter().map(|it| it.0).collect();
        let showtime = |showing: &Showing<'_>| {
            let id = showing.id();
            showing.showtime(taken(&id), closed.contains(&id), &clock)
        };
        Ok(Showtimes { showtimes: shown.iter().map(showtime).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(title: &str, reading: &str, title_en: &str) -> Film {
        Film {
            movie_id: title_en.to_lowercase(),
            title: title.into(),
            title_en: Some(title_en.into()),
            reading: Some(reading.into()),
            description: String::new(),
            description_en: None,
            genre: None,
            genre_en: None,
            duration: 100,
            release_date: None,
            rating: 4.5,
        }
    }

    fn found(query: &str) -> Movies {
        let films = [
            film("東京物語", "とうきょうものがたり", "Tokyo Story"),
            film("君の名は。", "きみのなは", "Your Name."),
        ];
        let films: Vec<_> = films.iter().map(|it| (it, 3)).collect();
        matching(query, &films)
    }

    #[test]
    fn best_match_comes_first() {
        assert_eq!(found("きみのなわ").movies[0].title, "君の名は。");
        assert_eq!(found("tokyo").movies[0].title, "東京物語");
        assert_eq!(found("tokyo").movies[0].showtimes_count, Some(3));
    }

    #[test]
    fn suggests_nearest_titles_without_a_match() {
        let found = found("とうふ");
        assert!(found.movies.is_empty(), "{found:?}");
        assert_eq!(
            (&*found.suggestions[0], &*found.suggestions_en[0]),
            ("東京物語", "Tokyo Story")
        );
    }

    #[test]
    fn does_not_suggest_unrelated_titles() {
        for query in ["string", "zzzz", "12345", "。"] {
            assert_eq!(found(query), Movies::default(), "{query}");
        }
    }

    #[test]
    fn film_not_on_is_suggested_not_listed() {
        let films = [film("東京物語", "とうきょうものがたり", "Tokyo Story")];
        let found = matching("tokyo monogatari", &[(&films[0], 0)]);
        assert!(found.movies.is_empty());
        assert_eq!(found.suggestions, ["東京物語"]);
    }
}
