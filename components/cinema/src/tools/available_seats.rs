//! `list_available_seats`: which seats of a showing are free (CIN-30 to CIN-35).

use output::cinema::{Seat, SeatKind, SeatMap};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use super::{at_most, none_of};
use crate::{
    clock::Clock,
    programme::{ShowtimeId, Slot, days_listed},
    refusals::{seat_data_unavailable, showtime_not_found},
    reservation::seats_per_reservation_max,
    seats::text_map,
    slots,
};

/// 指定上映時間枠の空席一覧を取得。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAvailableSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 任意。true なら予約済みの座席も含める
    #[serde(default)]
    include_reserved: bool,
}

impl Tool for ListAvailableSeats {
    const NAME: &str = "list_available_seats";
    const TITLE: Text = Text { ja: "座席空き状況提示", en: "List free seats" };
    const ENGLISH: English = English {
        description: "Lists the seats of a showtime that are free.",
        arguments: &[
            ("showtime_id", "The showtime, as list_showtimes names it"),
            ("include_reserved", "Optional. With true, the seats that are taken as well"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("seat_map");
    type Output = SeatMap;

    fn call(self, user: &User) -> Result<SeatMap, Stop> {
        none_of([at_most("/showtime_id", &self.showtime_id)])?;
        let clock = Clock::of_call()?;
        let not_found = || showtime_not_found(&self.showtime_id);
        let id = ShowtimeId::read(&self.showtime_id).ok_or_else(not_found)?;
        let seats = sql!(
            "SELECT s.seat_id, s.row_label, s.number, s.position, s.kind, \
             CASE WHEN r.seat_id IS NULL THEN 0 ELSE 1 END \
             FROM seats s LEFT JOIN reserved_seats r \
             ON r.showtime_id = $1 AND r.seat_id = s.seat_id \
             WHERE s.screen_id = $2 ORDER BY s.row_label, s.number",
            &self.showtime_id,
            &id.screen_id,
        );
        let [slots, seats] = sql::query([slots::of_screen(&id.screen_id, &id.starts), seats])?;
        let slots = slots.read::<Slot>()?;
        let listed = days_listed(clock.today()).contains(&id.date);
        let showing = slots::on(&slots, id.date).filter(|_| listed).ok_or_else(not_found)?;
        let mut seats: Vec<_> = seats.read::<Row>()?.into_iter().map(seat).collect();
        if seats.is_empty() {
            return Err(seat_data_unavailable(&self.showtime_id));
        }
        user.show(text_map(&seats));
        let taken = seats.iter().filter(|it| it.is_reserved).count();
        let showtime = showing.showtime(u32::try_from(taken).unwrap_or(u32::MAX), clock.now());
        seats.retain(|it| self.include_reserved || !it.is_reserved);
        let seats_max = u32::try_from(seats_per_reservation_max()?).ok();
        Ok(SeatMap { seats, showtime: Some(showtime), seats_max })
    }
}

/// Identifier, row, number, column, kind, and whether someone has it.
type Row = (String, String, u32, u32, SeatKind, bool);

fn seat((seat_id, row, number, column, kind, is_reserved): Row) -> Seat {
    Seat {
        seat_id,
        row,
        number,
        is_reserved,
        column: Some(column).filter(|it| *it != number),
        kind,
    }
}
