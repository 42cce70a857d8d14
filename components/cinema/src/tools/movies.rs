//! What is on, and when: `list_movies` and `list_showtimes`; and seats before they are taken: `list_available_seats`,
//! `suggest_seats` and `keep_choice`.

use std::collections::BTreeSet;

use output::{
    cinema::{
        Movie, Movies, PriceList, ReservedSeat, Seat, SeatKind, SeatMap, SeatSuggestion, Showtimes,
        total,
    },
    text::is_blank,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Hints, Problem, Stop, Text, Tool, User, caller, fresh_id, invalid, sql};

use super::{NAME_CHARS_MAX, SEATS, at_most, day, labels, reject_problems};
use crate::{
    catalog::Film,
    clock::{Clock, naive, zone_name},
    hall::{Hall, text_map},
    holds,
    programme::{self, Showing, Slot, closed_from, days_asked, days_listed, first_id_of, showings},
    refusals::{length, movie_not_found, not_enough_seats, not_open},
    reservation::seats_per_reservation_max,
    rules,
    suggestion::{avoided, suggest},
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
    const LABELS: &[(&str, Text)] = &[labels::MOVIE];
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

// `list_available_seats`: free seats of a showing (CIN-30 to CIN-35).

/// 指定上映時間枠の空席一覧を取得。
/// en: Lists the seats of a showtime that are free.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAvailableSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 任意。true なら予約済みの座席も含める
    /// en: Optional. With true, the seats that are taken as well
    #[serde(default)]
    include_reserved: bool,
    /// 任意。自分の仮押さえ（hold_token か hold_id）。その座席も is_mine として含める
    /// en: Optional. One's own hold, by hold_token or hold_id: its seats are listed as is_mine
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
}

impl Tool for ListAvailableSeats {
    const NAME: &str = "list_available_seats";
    const TITLE: Text = Text { ja: "座席空き状況提示", en: "List free seats" };
    const LABELS: &[(&str, Text)] = &[
        labels::SHOWTIME,
        ("include_reserved", Text { ja: "予約済みの座席も含める", en: "Include reserved seats" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("seat_map");
    const APP: Option<&str> = Some(SEATS.uri);
    type Output = SeatMap;

    fn call(self, user: &User) -> Result<SeatMap, Stop> {
        let token = self.hold_token.as_deref();
        reject_problems([
            at_most("/showtime_id", &self.showtime_id),
            token.and_then(|it| at_most("/hold_token", it)),
        ])?;
        let own = token.map(holds::resolve).transpose()?;
        let mut hall = Hall::load(&self.showtime_id, own.as_deref(), &Clock::for_call()?)?;
        name_view(user);
        user.show(text_map(&hall.seats));
        hall.seats.retain(|it| self.include_reserved || it.is_free() || it.is_mine);
        hall.map()
    }
}

// `suggest_seats`: the best free seats.

/// おすすめの空席（並び・中央・後ろ寄り）を一般席から提案。予約はしない。
/// en: Suggests the best free ordinary seats: together, central, away from the front. Nothing is reserved.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuggestSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 席数
    /// en: How many seats
    #[schemars(range(min = 1))]
    count: u32,
    /// 任意。true なら車椅子スペースを含め、あれば同伴者席を添える。指定がなければ含めない
    /// en: Optional. With true, a wheelchair place with a companion's seat where there is one, else none
    #[serde(default)]
    wheelchair: bool,
    /// 任意。車椅子スペースの数。wheelchair が true で指定がなければ1
    /// en: Optional. How many wheelchair places. One with wheelchair alone
    #[schemars(range(min = 1))]
    wheelchair_places: Option<u32>,
    /// 任意。true ならプレミアム席から提案する。指定がなければ、より安い一般席から
    /// en: Optional. With true, premium seats first; else ordinary ones, where they cost less
    #[serde(default)]
    premium: bool,
}

impl Tool for SuggestSeats {
    const NAME: &str = "suggest_seats";
    const TITLE: Text = Text { ja: "おすすめ座席", en: "Suggest seats" };
    const LABELS: &[(&str, Text)] = &[
        labels::SHOWTIME,
        ("wheelchair", Text { ja: "車椅子スペースを含める", en: "With a wheelchair place" }),
        ("premium", Text { ja: "プレミアム席から", en: "Premium seats first" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = SeatSuggestion;

    fn call(self, _: &User) -> Result<SeatSuggestion, Stop> {
        let seats_max = seats_per_reservation_max()?;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let fits = (1..=seats_max).contains(&count);
        let wrong = || Problem::at("/count", format!("must be from 1 to {seats_max}"));
        let places = self.wheelchair_places.unwrap_or(u32::from(self.wheelchair));
        let wheelchairs = usize::try_from(places).unwrap_or(usize::MAX);
        let is_asked = self.wheelchair_places.is_some();
        let places_fit = !is_asked || !fits || (1..=count).contains(&wheelchairs);
        let too_many = || {
            Problem::at("/wheelchair_places", format!("must be from 1 to count, which is {count}"))
        };
        reject_problems([
            at_most("/showtime_id", &self.showtime_id),
            (!fits).then(wrong),
            (!places_fit).then(too_many),
        ])?;
        let rules = rules::set()?;
        let Hall { showtime, seats, prices, closed_because } =
            Hall::load(&self.showtime_id, None, &Clock::for_call()?)?;
        if showtime.is_open == Some(false) {
            return Err(not_open(&showtime, closed_because.as_deref()));
        }
        let avoided = avoided(self.premium, prices.as_ref());
        let Some(found) = suggest(&seats, count, wheelchairs, rules, avoided) else {
            let (places, free): (Vec<_>, Vec<_>) = seats
                .iter()
                .filter(|it| it.is_free())
                .partition(|it| it.kind == SeatKind::Wheelchair);
            return Err(not_enough_seats(&self.showtime_id, free.len(), places.len()));
        };
        let (sentence, sentence_en) = found.sentences();
        let priced = |list: &PriceList| -> Vec<_> {
            let seats = found.parts.iter().flatten();
            let priced = |seat: &&Seat| ReservedSeat {
                seat_id: seat.seat_id.clone(),
                row: seat.row.clone(),
                number: seat.number,
                price: Some(list.of(seat.kind)),
            };
            seats.map(priced).collect()
        };
        let priced = prices.as_ref().map(priced).unwrap_or_default();
        Ok(SeatSuggestion {
            showtime_id: self.showtime_id,
            seat_ids: found.parts.iter().flatten().map(|it| it.seat_id.clone()).collect(),
            total: total(&priced),
            seats: priced,
            is_split: found.parts.len() > 1,
            sentence,
            sentence_en,
        })
    }
}

// `keep_choice`: stores a person's choice in an app, for when its frame is reloaded (APP-6).

/// Key of the view's number in the result of `list_available_seats`.
const VIEW: &str = "cinema/view";
/// Maximum stored views of one caller; the oldest are deleted.
const VIEWS_MAX: u32 = 500;
/// Maximum seats of a choice.
const SEATS_MAX: usize = 100;

/// 画面で選択中の座席などを保持し、保持している内容を返す。
/// en: Keeps what is chosen in a view of the seats, and answers what is kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepChoice {
    /// 画面の番号（list_available_seats の結果の _meta にある cinema/view）
    /// en: The view: cinema/view in the _meta of the result of list_available_seats
    #[schemars(length(min = 1, max = 200))]
    view: String,
    /// 任意。保持する内容。指定がなければ、保持している内容を返すだけ
    /// en: Optional. What to keep; without it, what is kept is answered
    choice: Option<Choice>,
}

/// What has been chosen, whom it is for, and what has come of it.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Choice {
    /// Whom the seats are for, as far as it is typed.
    /// en: Whom the seats are for, as far as it is typed
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    user_id: String,
    /// The seats.
    /// en: The seats
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// The hold on them.
    /// en: The hold on them
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
    /// Until when, as the hold says it.
    /// en: Until when, as the hold says it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    held_until: Option<String>,
    /// The key under which they are reserved once.
    /// en: The key under which they are reserved once
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    idempotency_key: Option<String>,
    /// The reservation that was made of them.
    /// en: The reservation that was made of them
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    reservation_id: Option<String>,
}

/// What is kept.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct KeptChoice {
    /// The choice; nothing where none is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<Choice>,
}

impl Tool for KeepChoice {
    const NAME: &str = "keep_choice";
    const TITLE: Text = Text { ja: "選択の保持", en: "Keep a choice" };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(r#"{"ui":{"visibility":["app"]}}"#);
    type Output = KeptChoice;

    fn call(self, _: &User) -> Result<KeptChoice, Stop> {
        reject_problems([length("/view", &self.view, NAME_CHARS_MAX)])?;
        let Some(choice) = self.choice else { return read(&self.view) };
        let many = Problem::at("/choice/seat_ids", format!("must be at most {SEATS_MAX}"));
        let long = choice.seat_ids.iter().find_map(|it| at_most("/choice/seat_ids", it));
        let text = |pointer, it: &Option<String>| it.as_deref().and_then(|it| at_most(pointer, it));
        reject_problems([
            at_most("/choice/user_id", &choice.user_id),
            (choice.seat_ids.len() > SEATS_MAX).then_some(many),
            long,
            text("/choice/hold_token", &choice.hold_token),
            text("/choice/held_until", &choice.held_until),
            text("/choice/idempotency_key", &choice.idempotency_key),
            text("/choice/reservation_id", &choice.reservation_id),
        ])?;
        let (principal, now) = (caller::principal(), Clock::for_call()?.second());
        sql::transact([
            sql!(
                "INSERT INTO choices (view, principal, choice, kept_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (view) DO UPDATE SET choice = $3, kept_at = $4 WHERE choices.principal = $2",
                &self.view,
                &principal,
                toolkit::export::written(&choice),
                now,
            ),
            sql!(
                format!(
                    "DELETE FROM choices WHERE principal = $1 AND view NOT IN (SELECT view FROM choices \
                     WHERE principal = $1 ORDER BY kept_at DESC, view LIMIT {VIEWS_MAX})"
                ),
                &principal,
            ),
        ])?;
        read(&self.view)
    }
}

/// Reads the stored choice of a caller's view.
fn read(view: &str) -> Result<KeptChoice, Stop> {
    let of_view = "SELECT choice FROM choices WHERE view = $1 AND principal = $2";
    let [found] = sql::query([sql!(of_view, view, caller::principal())])?;
    let choice = found.first::<(String,)>()?.and_then(|(it,)| serde_json::from_str(&it).ok());
    Ok(KeptChoice { choice })
}

/// Numbers the view that will show a result, for clients with apps.
fn name_view(user: &User) {
    if toolkit::apps::are_shown() {
        user.tell(VIEW, fresh_id("view"));
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
