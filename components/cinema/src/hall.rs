//! The hall of a showing as it is now: every seat, and whether it is free, held or taken.

use output::cinema::{PriceList, Seat, SeatKind, SeatMap, SeatRules, Showtime, pair_up};
use toolkit::{Stop, sql};

use crate::{
    clock::Clock,
    programme::{ShowtimeId, Slot, days_listed},
    refusals::{seat_data_unavailable, showtime_not_found},
    reservation::seats_per_reservation_max,
    rules,
    sales::closed,
    slots,
};

/// The showing and its seats.
pub struct Hall {
    /// The showing, with how many seats are free.
    pub showtime: Showtime,
    /// Every seat, rows alphabetical, numbers ascending (CIN-33).
    pub seats: Vec<Seat>,
    /// What they cost, where the operator says so.
    pub prices: Option<PriceList>,
    /// Why the staff has closed the sales, where it has and says why.
    pub closed_because: Option<String>,
}

impl Hall {
    /// The hall of a showing; what `hold_id` holds is the caller's own.
    ///
    /// # Errors
    /// When no such showing is listed, or its screen has no seat plan (CIN-34).
    pub fn of(showtime_id: &str, hold_id: Option<&str>, clock: &Clock) -> Result<Self, Stop> {
        let not_found = || showtime_not_found(showtime_id);
        let id = ShowtimeId::read(showtime_id).ok_or_else(not_found)?;
        let seats = sql!(
            "SELECT s.seat_id, s.row_label, s.number, s.position, s.kind, \
             CASE WHEN r.seat_id IS NULL THEN 0 ELSE 1 END, \
             CASE WHEN h.hold_id IS NULL THEN 0 ELSE 1 END, \
             CASE WHEN h.hold_id = $4 THEN 1 ELSE 0 END \
             FROM seats s LEFT JOIN reserved_seats r \
             ON r.showtime_id = $1 AND r.seat_id = s.seat_id \
             LEFT JOIN held_seats d ON d.showtime_id = $1 AND d.seat_id = s.seat_id \
             LEFT JOIN holds h ON h.hold_id = d.hold_id AND h.expires_at > $3 \
             WHERE s.screen_id = $2 ORDER BY s.row_label, s.number",
            showtime_id,
            &id.screen_id,
            clock.second(),
            hold_id.map(str::to_owned),
        );
        let slots = slots::of_screen(&id.screen_id, &id.starts);
        let [slots, seats, closed] = sql::query([slots, seats, closed(showtime_id)])?;
        let slots = slots.read::<Slot>()?;
        let listed = days_listed(clock.today()).contains(&id.date);
        let showing = slots::on(&slots, id.date).filter(|_| listed).ok_or_else(not_found)?;
        let mut seats: Vec<_> = seats.read::<Row>()?.into_iter().map(seat).collect();
        pair_up(&mut seats);
        if seats.is_empty() {
            return Err(seat_data_unavailable(showtime_id));
        }
        let taken = seats.iter().filter(|it| !it.is_free()).count();
        let taken = u32::try_from(taken).unwrap_or(u32::MAX);
        let showtime = showing.showtime(taken, !closed.is_empty(), clock);
        let closed_because = closed.first::<(Option<String>,)>()?.and_then(|it| it.0);
        let prices = showing.slot.price_list();
        Ok(Self { showtime, seats, prices, closed_because })
    }

    /// The hall as it goes out.
    ///
    /// # Errors
    /// When a setting of the operator's is wrong.
    pub fn map(self) -> Result<SeatMap, Stop> {
        Ok(SeatMap {
            seats: self.seats,
            showtime: Some(self.showtime),
            seats_max: u32::try_from(seats_per_reservation_max()?).ok(),
            prices: self.prices,
            rules: Some(rules::set()?).filter(|it| *it != SeatRules::default()),
        })
    }
}

/// Identifier, row, number, column, kind, and whether someone has it, holds it, and is the caller.
type Row = (String, String, u32, u32, SeatKind, bool, bool, bool);

fn seat((seat_id, row, number, column, kind, is_reserved, is_held, is_mine): Row) -> Seat {
    Seat {
        seat_id,
        row,
        number,
        is_reserved,
        is_held,
        is_mine,
        column: Some(column).filter(|it| *it != number),
        kind,
        pair_with: None,
    }
}
