//! `suggest_seats`: the best seats that are free, for those who do not mind which.

use output::cinema::{PriceList, ReservedSeat, Seat, SeatKind, SeatSuggestion, total};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Problem, Stop, Text, Tool, User};

use super::{at_most, none_of};
use crate::{
    clock::Clock,
    hall::Hall,
    refusals::{not_enough_seats, not_open},
    reservation::seats_per_reservation_max,
    rules,
    suggestion::suggest,
};

/// おすすめの空席（並び・中央・後ろ寄り）を提案。予約はしない。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuggestSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 席数
    #[schemars(range(min = 1))]
    count: u32,
    /// 任意。true なら車椅子スペースを含め、あれば同伴者席を添える。指定がなければ含めない
    #[serde(default)]
    wheelchair: bool,
    /// 任意。車椅子スペースの数。wheelchair が true で指定がなければ1
    #[schemars(range(min = 1))]
    wheelchair_places: Option<u32>,
}

impl Tool for SuggestSeats {
    const NAME: &str = "suggest_seats";
    const TITLE: Text = Text { ja: "おすすめ座席", en: "Suggest seats" };
    const ENGLISH: English = English {
        description: "Suggests the best free seats: together, central, away from the front. Nothing is reserved.",
        arguments: &[
            ("showtime_id", "The showtime, as list_showtimes names it"),
            ("count", "How many seats"),
            (
                "wheelchair",
                "Optional. With true, a wheelchair place with a companion's seat where there is one, else none",
            ),
            (
                "wheelchair_places",
                "Optional. How many wheelchair places. One with wheelchair alone",
            ),
        ],
    };
    const LABELS: &[(&str, Text)] =
        &[("wheelchair", Text { ja: "車椅子スペースを含める", en: "With a wheelchair place" })];
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
        none_of([
            at_most("/showtime_id", &self.showtime_id),
            (!fits).then(wrong),
            (!places_fit).then(too_many),
        ])?;
        let rules = rules::set()?;
        let Hall { showtime, seats, prices, closed_because } =
            Hall::of(&self.showtime_id, None, &Clock::of_call()?)?;
        if showtime.is_open == Some(false) {
            return Err(not_open(&showtime, closed_because.as_deref()));
        }
        let Some(found) = suggest(&seats, count, wheelchairs, rules) else {
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
