//! The hall: seat plans, their text map, the seats of a showing (free, held, taken), and notifications of changes.

use output::cinema::{PriceList, Seat, SeatKind, SeatMap, SeatRules, Showtime, pair_up};
use toolkit::{Stop, events, resources::filled, sql};

use crate::{
    clock::{Clock, zone_name},
    programme::{self, ShowtimeId, Slot, closed, days_listed},
    refusals::{seat_data_unavailable, showtime_not_found},
    reservation::seats_per_reservation_max,
    rules,
};

/// A showing and its seats.
pub struct Hall {
    /// The showing, with its number of free seats.
    pub showtime: Showtime,
    /// Every seat, rows alphabetical, numbers ascending (CIN-33).
    pub seats: Vec<Seat>,
    /// Prices, if the operator has set some.
    pub prices: Option<PriceList>,
    /// Why the staff has closed the sales, if given.
    pub closed_because: Option<String>,
}

impl Hall {
    /// Loads the hall of a showing; seats of `hold_id` are the caller's own.
    ///
    /// # Errors
    /// If the showing is not listed or its screen has no seat plan (CIN-34).
    pub fn load(showtime_id: &str, hold_id: Option<&str>, clock: &Clock) -> Result<Self, Stop> {
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
        let slots = programme::of_screen(&id.screen_id, &id.starts);
        let [slots, seats, closed] = sql::query([slots, seats, closed(showtime_id)])?;
        let slots = slots.read::<Slot>()?;
        let listed = days_listed(clock.today()).contains(&id.date);
        let showing = programme::on(&slots, id.date).filter(|_| listed).ok_or_else(not_found)?;
        let mut seats: Vec<_> = seats.read::<Stored>()?.into_iter().map(seat).collect();
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

    /// Converts the hall to output.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn map(self) -> Result<SeatMap, Stop> {
        Ok(SeatMap {
            seats: self.seats,
            showtime: Some(self.showtime),
            seats_max: u32::try_from(seats_per_reservation_max()?).ok(),
            prices: self.prices,
            rules: Some(rules::set()?).filter(|it| *it != SeatRules::default()),
            timezone: Some(zone_name()?),
        })
    }
}

/// Identifier, row, number, column, kind, and whether it is reserved, held, and the caller's.
type Stored = (String, String, u32, u32, SeatKind, bool, bool, bool);

fn seat((seat_id, row, number, column, kind, is_reserved, is_held, is_mine): Stored) -> Seat {
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

/// A row of a plan: its letter, and a sign for each place from left to right.
pub type Row<'a> = (&'a str, &'a str);

/// Numbers the seats of a plan. Signs are `s` seat, `p` premium, `w` wheelchair place, `c` companion's
/// seat next to one, `d` half of a pair and `_` no seat.
///
/// Seats behind one another have the same number: a place without a seat in every row is an aisle and
/// not counted, a place that only some rows lack is.
pub fn lay_out<'a>(rows: impl IntoIterator<Item = Row<'a>> + Clone) -> Vec<Seat> {
    let width = rows.clone().into_iter().map(|(_, signs)| signs.len()).max().unwrap_or(0);
    let mut numbers = vec![None; width];
    let mut next = 1;
    for (place, number) in numbers.iter_mut().enumerate() {
        if rows.clone().into_iter().any(|(_, signs)| kind_at(signs, place).is_some()) {
            *number = Some(next);
            next += 1;
        }
    }
    let seat = |row: &str, place: usize, number: u32, kind| Seat {
        seat_id: format!("{row}{number}"),
        row: row.to_owned(),
        number,
        column: u32::try_from(place + 1).ok(),
        kind,
        ..Seat::default()
    };
    let mut seats = Vec::new();
    for (row, signs) in rows {
        for (place, number) in numbers.iter().enumerate() {
            if let (Some(kind), Some(number)) = (kind_at(signs, place), *number) {
                seats.push(seat(row, place, number, kind));
            }
        }
    }
    pair_up(&mut seats);
    seats
}

fn kind_at(signs: &str, place: usize) -> Option<SeatKind> {
    match signs.as_bytes().get(place)? {
        b's' => Some(SeatKind::Standard),
        b'p' => Some(SeatKind::Premium),
        b'w' => Some(SeatKind::Wheelchair),
        b'c' => Some(SeatKind::Companion),
        b'd' => Some(SeatKind::Pair),
        _ => None,
    }
}

/// Legend of `△`.
const LEGEND: &str = "△ 仮押さえ中 / held";

/// Text map: numbers above, one line per row, `○` free, `×` taken (CIN-35) and `△` held.
///
/// `seats` are all seats of the screen, rows alphabetical and numbers ascending (CIN-33).
pub fn text_map(seats: &[Seat]) -> String {
    let place = |seat: &Seat| seat.column.unwrap_or(seat.number);
    let places =
        seats.iter().map(place).min().unwrap_or(1)..=seats.iter().map(place).max().unwrap_or(0);
    let heads = places.clone().map(|at| {
        let number = seats.iter().find(|it| place(it) == at).map(|it| it.number.to_string());
        format!("{:<3}", number.unwrap_or_default())
    });
    let mut lines = vec![format!("    {}", heads.collect::<String>()).trim_end().to_owned()];
    for row in seats.chunk_by(|one, next| one.row == next.row) {
        let signs = places.clone().map(|at| match row.iter().find(|it| place(it) == at) {
            Some(seat) if seat.is_reserved => "×",
            Some(seat) if seat.is_held => "△",
            Some(_) => "○",
            None => " ",
        });
        lines.push(format!("{} [ {} ]", row[0].row, signs.collect::<Vec<_>>().join("  ")));
    }
    lines.extend(seats.iter().any(|it| it.is_held).then(|| LEGEND.to_owned()));
    lines.join("\n")
}

/// Resource URI of a showing's seats.
pub const SEATS: &str = "cinema://showtimes/{showtime_id}/seats";

/// Publishes that seats of the showing have changed.
pub fn publish_seats(showtime_id: &str) {
    events::publish(&filled(SEATS, [showtime_id]));
}

/// Resource URI of a user's waiting list.
pub const WAITING: &str = "cinema://users/{user_id}/waiting";

/// Publishes that offers to the user have changed.
pub fn publish_waiting(user_id: &str) {
    events::publish(&filled(WAITING, [user_id]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_map_matches_the_specification() {
        let mut seats = lay_out([("A", "ssss")]);
        seats[2].is_reserved = true;
        assert_eq!(text_map(&seats), "    1  2  3  4\nA [ ○  ○  ×  ○ ]");
    }

    #[test]
    fn text_map_marks_and_explains_held_seats() {
        let mut seats = lay_out([("A", "sss")]);
        seats[0].is_reserved = true;
        seats[2].is_held = true;
        assert_eq!(text_map(&seats), "    1  2  3\nA [ ×  ○  △ ]\n△ 仮押さえ中 / held");
    }

    #[test]
    fn aisle_is_a_gap_in_every_row() {
        let seats = lay_out([("A", "_s_s_"), ("B", "ss_ss")]);
        assert_eq!(text_map(&seats), "    1  2     3  4\nA [    ○     ○    ]\nB [ ○  ○     ○  ○ ]");
    }

    #[test]
    fn seats_behind_one_another_share_a_number() {
        let seats = lay_out([("A", "_s_p"), ("B", "ws_s")]);
        let ids: Vec<_> = seats.iter().map(|it| it.seat_id.as_str()).collect();
        assert_eq!(ids, ["A2", "A3", "B1", "B2", "B3"]);
        assert_eq!(seats[1].column, Some(4));
        assert_eq!((seats[1].kind, seats[2].kind), (SeatKind::Premium, SeatKind::Wheelchair));
    }

    #[test]
    fn seats_of_a_pair_refer_to_each_other() {
        let seats = lay_out([("A", "cw_dddd")]);
        assert_eq!((seats[0].kind, seats[2].kind), (SeatKind::Companion, SeatKind::Pair));
        let others: Vec<_> = seats[2..].iter().map(|it| it.pair_with.as_deref().unwrap()).collect();
        assert_eq!(others, ["A4", "A3", "A6", "A5"]);
    }

    #[test]
    fn map_without_seats_is_empty() {
        assert_eq!(text_map(&[]), "");
    }

    #[test]
    fn two_digit_numbers_are_aligned() {
        let map = text_map(&lay_out([("A", "sssssssssss")]));
        let head = map.lines().next().unwrap();
        assert!(head.ends_with("9  10 11"), "{head}");
    }
}
