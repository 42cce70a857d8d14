//! `list_showtimes`: when a film is on (CIN-20 to CIN-24).

use std::collections::BTreeSet;

use output::cinema::Showtimes;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use super::{at_most, day, none_of};
use crate::{
    clock::Clock,
    programme::{Showing, Slot, days_asked, days_listed, first_id_of, showings},
    refusals::movie_not_found,
    sales::closed_from,
    slots,
};

/// 指定映画・日付の上映時間枠一覧を取得。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListShowtimes {
    /// 映画のID（list_movies の movie_id）
    #[schemars(length(max = 200))]
    movie_id: String,
    /// 任意。上映日（YYYY-MM-DD）。指定がなければ今日以降
    date: Option<String>,
}

impl Tool for ListShowtimes {
    const NAME: &str = "list_showtimes";
    const TITLE: Text = Text { ja: "上映時間枠選択", en: "List showtimes" };
    const ENGLISH: English = English {
        description: "Lists when a film is on, on a day or from today on, with the seats that are free.",
        arguments: &[
            ("movie_id", "The film, as list_movies names it"),
            ("date", "Optional. The day (YYYY-MM-DD). Without it, today and the days that follow"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("showtimes");
    type Output = Showtimes;

    fn call(self, _: &User) -> Result<Showtimes, Stop> {
        none_of([at_most("/movie_id", &self.movie_id)])?;
        let clock = Clock::of_call()?;
        let day = day(&clock, self.date.as_deref())?;
        let movie = sql!("SELECT 1 FROM movies WHERE movie_id = $1", &self.movie_id);
        let closed = closed_from(&first_id_of(*days_listed(clock.today()).start()));
        let [movie, slots, closed] = sql::query([movie, slots::of_movie(&self.movie_id), closed])?;
        if movie.is_empty() {
            return Err(movie_not_found(&self.movie_id));
        }
        let slots = slots.read::<Slot>()?;
        let shown = showings(&slots, &days_asked(clock.today(), day), day, &clock);
        let taken = slots::taken(&shown, &clock)?;
        let taken = |id: &str| taken.get(id).copied().unwrap_or(0);
        let closed: BTreeSet<_> = closed.read::<(String,)>()?.into_iter().map(|it| it.0).collect();
        let showtime = |showing: &Showing<'_>| {
            let id = showing.id();
            showing.showtime(taken(&id), closed.contains(&id), &clock)
        };
        Ok(Showtimes { showtimes: shown.iter().map(showtime).collect() })
    }
}
