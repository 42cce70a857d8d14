//! `edit_movie`, `edit_screen` and `edit_showtime`: add, change or remove a part of the catalogue (CIN-96).

use output::cinema::{CatalogueImport, PriceList};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Problem, Stop, Text, Tool, User, invalid};

use super::{FOR_PAGES, at_most, reject_problems, staff_only};
use crate::{
    catalog::{Catalog, Entry, Film, Screen, SeatRow},
    clock::Clock,
    edit::{apply, find_overlap, for_single_day, remove_showing},
    programme::ShowtimeId,
    refusals::showtime_not_found,
};

/// スタッフ用。映画を追加・変更・削除する。省いた項目は変わらず、空文字は任意の項目を消す。
/// en: For the staff. Adds, changes or removes a film. What is left out stays as it is, and an empty text clears an
/// optional field.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditMovie {
    /// 映画のID。新しいIDなら追加
    /// en: The film; a new identifier adds one
    #[schemars(length(max = 200))]
    movie_id: String,
    /// 題名。追加のときは必須
    /// en: The title; needed for a new film
    title: Option<String>,
    /// 任意。英語の題名
    /// en: Optional. The title in English
    title_en: Option<String>,
    /// 任意。題名の読み（かな）
    /// en: Optional. How the title is read, in kana
    reading: Option<String>,
    /// 説明。追加のときは必須
    /// en: What it is about; needed for a new film
    description: Option<String>,
    /// 任意。英語の説明
    /// en: Optional. What it is about, in English
    description_en: Option<String>,
    /// 任意。ジャンル
    /// en: Optional. The genre
    genre: Option<String>,
    /// 任意。英語のジャンル
    /// en: Optional. The genre in English
    genre_en: Option<String>,
    /// 上映時間（分）。追加のときは必須
    /// en: In minutes; needed for a new film
    duration: Option<u32>,
    /// 任意。公開日（YYYY-MM-DD）
    /// en: Optional. YYYY-MM-DD
    release_date: Option<String>,
    /// 評価（0〜5）。追加のときは必須
    /// en: From 0 to 5; needed for a new film
    rating: Option<f64>,
    /// 任意。true なら削除する。上映予定が残っていれば削除できない
    /// en: Optional. With true, the film is removed; none of its showings may be left
    #[serde(default)]
    remove: bool,
    /// 任意。true なら変更せずに変更点だけを返す
    /// en: Optional. With true, nothing is changed
    #[serde(default)]
    dry_run: bool,
}

impl Tool for EditMovie {
    const NAME: &str = "edit_movie";
    const TITLE: Text = Text { ja: "映画の編集", en: "Edit a film" };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = CatalogueImport;

    fn call(self, _: &User) -> Result<CatalogueImport, Stop> {
        staff_only(Self::NAME)?;
        reject_problems([at_most("/movie_id", &self.movie_id)])?;
        let to = if self.remove { "remove" } else { "movie_id" };
        let edit = |it: &mut Catalog| self.edit(it);
        apply(edit, |it| located(it, "/movies/", to), self.dry_run, false, &Clock::for_call()?)
    }
}

impl EditMovie {
    fn edit(&self, catalog: &mut Catalog) -> Result<(), Stop> {
        let at = catalog.movies.iter().position(|it| it.movie_id == self.movie_id);
        if self.remove {
            let at = at.ok_or_else(|| invalid("/movie_id", "names no film"))?;
            catalog.movies.remove(at);
            return Ok(());
        }
        let at = match at {
            Some(at) => at,
            None => {
                catalog.movies.push(self.new_film()?);
                catalog.movies.len() - 1
            }
        };
        let film = &mut catalog.movies[at];
        put(&mut film.title, self.title.clone());
        put(&mut film.description, self.description.clone());
        put(&mut film.duration, self.duration);
        put(&mut film.rating, self.rating);
        for (field, text) in [
            (&mut film.title_en, &self.title_en),
            (&mut film.reading, &self.reading),
            (&mut film.description_en, &self.description_en),
            (&mut film.genre, &self.genre),
            (&mut film.genre_en, &self.genre_en),
            (&mut film.release_date, &self.release_date),
        ] {
            put_optional(field, text.as_ref());
        }
        Ok(())
    }

    fn new_film(&self) -> Result<Film, Stop> {
        let missing = |field: &str, is_there: bool| {
            let message = "must be given for a new film";
            (!is_there).then(|| Problem::at(format!("/{field}"), message))
        };
        reject_problems([
            missing("title", self.title.is_some()),
            missing("description", self.description.is_some()),
            missing("duration", self.duration.is_some()),
            missing("rating", self.rating.is_some()),
        ])?;
        Ok(Film { movie_id: self.movie_id.clone(), ..Film::default() })
    }
}

fn put<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn put_optional(field: &mut Option<String>, text: Option<&String>) {
    if let Some(text) = text {
        *field = Some(text.clone()).filter(|it| !it.is_empty());
    }
}

/// Converts a pointer to an argument: that of the field for problems of the part itself, otherwise `to`.
fn located(problem: Problem, part: &str, to: &str) -> Problem {
    let Problem { pointer, message } = problem;
    match pointer.strip_prefix(part).and_then(|it| it.split_once('/')) {
        Some((_, field)) => Problem::at(format!("/{field}"), message),
        None => {
            Problem::at(format!("/{to}"), format!("does not fit the rest ({pointer}: {message})"))
        }
    }
}

/// スタッフ用。スクリーンを追加・変更・削除する。座席表は layout（文字）か rows（構造）で渡す。
/// en: For the staff. Adds, changes or removes a screen. The seats come as a layout, or as rows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditScreen {
    /// スクリーンのID。新しいIDなら追加
    /// en: The screen; a new identifier adds one
    #[schemars(length(max = 200))]
    screen_id: String,
    /// 名前。追加のときは必須
    /// en: The name; needed for a new screen
    name: Option<String>,
    /// 任意。英語の名前。空文字は消す
    /// en: Optional. The name in English; an empty text clears it
    name_en: Option<String>,
    /// 任意。座席表の文字表現。前から一行に一列、「A sss_sss」の形。s 座席、p プレミアム、w 車椅子、c 同伴者、d ペア、_ なし
    /// en: Optional. The seats as text: a line a row from the front, as `A sss_sss`. s seat, p premium, w wheelchair, c
    /// companion, d one of a pair, _ none
    #[schemars(length(max = 5000))]
    layout: Option<String>,
    /// 任意。座席表の列。layout の代わり
    /// en: Optional. The seats as rows, in place of layout
    #[schemars(length(max = 26))]
    rows: Option<Vec<SeatRow>>,
    /// 任意。このスクリーンの料金表
    /// en: Optional. What seats cost here
    prices: Option<PriceList>,
    /// 任意。true なら削除する。上映予定が残っていれば削除できない
    /// en: Optional. With true, the screen is removed; none of its showings may be left
    #[serde(default)]
    remove: bool,
    /// 任意。true なら変更せずに変更点だけを返す
    /// en: Optional. With true, nothing is changed
    #[serde(default)]
    dry_run: bool,
}

impl Tool for EditScreen {
    const NAME: &str = "edit_screen";
    const TITLE: Text = Text { ja: "スクリーンの編集", en: "Edit a screen" };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = CatalogueImport;

    fn call(self, _: &User) -> Result<CatalogueImport, Stop> {
        staff_only(Self::NAME)?;
        let both = self.layout.is_some() && self.rows.is_some();
        let wrong = || Problem::at("/layout", "must be left out where `rows` is given");
        reject_problems([at_most("/screen_id", &self.screen_id), both.then(wrong)])?;
        let rows = match &self.layout {
            Some(layout) => Some(rows_of(layout)?),
            None => self.rows.clone(),
        };
        let to = if self.remove { "remove" } else { "screen_id" };
        let is_text = self.layout.is_some();
        let tell = |problem: Problem| {
            let problem = located(problem, "/screens/", to);
            match problem.pointer.strip_prefix("/rows/").and_then(|it| it.split('/').next()) {
                Some(row) if is_text => {
                    let line = row.parse::<usize>().unwrap_or_default() + 1;
                    Problem::at("/layout", format!("line {line}: {}", problem.message))
                }
                _ => problem,
            }
        };
        let edit = |it: &mut Catalog| self.edit(it, rows.as_ref());
        apply(edit, tell, self.dry_run, false, &Clock::for_call()?)
    }
}

/// Parses a layout.
fn rows_of(layout: &str) -> Result<Vec<SeatRow>, Stop> {
    let mut rows = Vec::new();
    for (index, line) in layout.lines().enumerate().filter(|it| !it.1.trim().is_empty()) {
        let Some((row, seats)) = line.trim().split_once(' ') else {
            let message = format!("line {}: must be a letter, a space and seats", index + 1);
            return Err(invalid("/layout", message));
        };
        rows.push(SeatRow { row: row.to_owned(), seats: seats.trim().to_owned() });
    }
    Ok(rows)
}

impl EditScreen {
    fn edit(&self, catalog: &mut Catalog, rows: Option<&Vec<SeatRow>>) -> Result<(), Stop> {
        let at = catalog.screens.iter().position(|it| it.screen_id == self.screen_id);
        if self.remove {
            let at = at.ok_or_else(|| invalid("/screen_id", "names no screen"))?;
            catalog.screens.remove(at);
            return Ok(());
        }
        let at = match at {
            Some(at) => at,
            None if self.name.is_none() => {
                return Err(invalid("/name", "must be given for a new screen"));
            }
            None => {
                let screen = Screen { screen_id: self.screen_id.clone(), ..Screen::default() };
                catalog.screens.push(screen);
                catalog.screens.len() - 1
            }
        };
        let screen = &mut catalog.screens[at];
        put(&mut screen.name, self.name.clone());
        put(&mut screen.rows, rows.cloned());
        put_optional(&mut screen.name_en, self.name_en.as_ref());
        screen.prices = self.prices.clone().or(screen.prices.take());
        Ok(())
    }
}

/// スタッフ用。一回の上映を追加・変更・取りやめる。同じスクリーンの上映とは、清掃時間を含めて重ならない。
/// en: For the staff. Adds, changes or takes out one showing. It meets no other on its screen, with the minutes for
/// cleaning between.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditShowtime {
    /// 任意。変更する上映時間枠のID。指定がなければ追加
    /// en: Optional. The showing to change; without it, one is added
    #[schemars(length(max = 200))]
    showtime_id: Option<String>,
    /// 映画のID。追加のときは必須
    /// en: The film; needed for a new showing
    #[schemars(length(max = 200))]
    movie_id: Option<String>,
    /// スクリーンのID。追加のときは必須
    /// en: The screen; needed for a new showing
    #[schemars(length(max = 200))]
    screen_id: Option<String>,
    /// 開始時刻（YYYY-MM-DDTHH:MM）。追加のときは必須
    /// en: When it begins (YYYY-MM-DDTHH:MM); needed for a new showing
    start_time: Option<String>,
    /// 任意。この上映の料金表
    /// en: Optional. What seats cost at this showing
    prices: Option<PriceList>,
    /// 任意。true なら上映を取りやめる。予約があれば先に移すか取り消す
    /// en: Optional. With true, the showing is taken out; move or cancel its reservations first
    #[serde(default)]
    remove: bool,
    /// 任意。true なら変更せずに変更点だけを返す
    /// en: Optional. With true, nothing is changed
    #[serde(default)]
    dry_run: bool,
}

impl Tool for EditShowtime {
    const NAME: &str = "edit_showtime";
    const TITLE: Text = Text { ja: "上映回の編集", en: "Edit a showtime" };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = CatalogueImport;

    fn call(self, _: &User) -> Result<CatalogueImport, Stop> {
        staff_only(Self::NAME)?;
        let id = |field: &str, value: &Option<String>| {
            value.as_ref().and_then(|it| at_most(&format!("/{field}"), it))
        };
        reject_problems([
            id("showtime_id", &self.showtime_id),
            id("movie_id", &self.movie_id),
            id("screen_id", &self.screen_id),
        ])?;
        let clock = Clock::for_call()?;
        let tell = |Problem { pointer, message }: Problem| {
            let field = match pointer.rsplit('/').next().unwrap_or_default() {
                field @ ("movie_id" | "screen_id") => field,
                _ if pointer.contains("/prices/") => "prices",
                _ => "start_time",
            };
            Problem::at(format!("/{field}"), format!("does not fit ({pointer}: {message})"))
        };
        apply(|it| self.edit(it, &clock), tell, self.dry_run, false, &clock)
    }
}

impl EditShowtime {
    fn edit(&self, catalog: &mut Catalog, clock: &Clock) -> Result<(), Stop> {
        let before = match &self.showtime_id {
            None => None,
            Some(id) => {
                let found = ShowtimeId::read(id);
                let taken = found.and_then(|row| {
                    let entry = remove_showing(catalog, &row.screen_id, row.date, &row.starts)?;
                    Some((entry, row.start()?))
                });
                Some(taken.ok_or_else(|| showtime_not_found(id))?)
            }
        };
        if self.remove {
            let named = before.map(|_| ());
            return named.ok_or_else(|| invalid("/showtime_id", "must name what is taken out"));
        }
        let start = match self.start_time.as_deref() {
            None => before.as_ref().map(|it| it.1),
            Some(text) => {
                let wrong = || invalid("/start_time", "must be YYYY-MM-DDTHH:MM");
                let start = clock.moment(text).ok_or_else(wrong)?;
                let is_same = before.as_ref().is_some_and(|it| it.1 == start);
                // Most likely a wrong year; no listing would show it.
                if start.date() < clock.today() && !is_same {
                    return Err(invalid("/start_time", "must not be before today"));
                }
                Some(start)
            }
        };
        let of = |field: &Option<String>, before: Option<&String>| {
            field.clone().or_else(|| before.cloned())
        };
        let entry = before.as_ref().map(|it| &it.0);
        let movie_id = of(&self.movie_id, entry.map(|it| &it.movie_id));
        let screen_id = of(&self.screen_id, entry.map(|it| &it.screen_id));
        let prices = self.prices.clone().or_else(|| entry.and_then(|it| it.prices.clone()));
        let (Some(start), Some(movie_id), Some(screen_id)) = (start, &movie_id, &screen_id) else {
            let missing = |field: &str, is_missing: bool| {
                let message = "must be given for a new showing";
                is_missing.then(|| Problem::at(format!("/{field}"), message))
            };
            return reject_problems([
                missing("movie_id", movie_id.is_none()),
                missing("screen_id", screen_id.is_none()),
                missing("start_time", start.is_none()),
            ]);
        };
        let time = start.strftime("%H:%M").to_string();
        let entry = Entry {
            screen_id: screen_id.clone(),
            movie_id: movie_id.clone(),
            times: vec![time],
            days: None,
            from: None,
            until: None,
            prices,
        };
        catalog.programme.push(for_single_day(entry, start.date()));
        if let Some(other) = find_overlap(catalog, screen_id, start) {
            let minutes = catalog.cleaning_minutes.unwrap_or_default();
            let message = format!(
                "meets {} at {} on {screen_id}, with {minutes} minutes for cleaning",
                other.movie_id,
                crate::clock::naive(other.start)
            );
            return Err(invalid("/start_time", message));
        }
        Ok(())
    }
}
