//! Seats in rows: the plan as the operator draws it, and the map as a chat client shows it.

use output::cinema::{Seat, SeatKind, pair_up};

/// A row of a plan: its letter, and a sign for each place from left to right.
pub type Row<'a> = (&'a str, &'a str);

/// The seats of a plan, in which `s` is a seat, `p` a premium one, `w` a place for a wheelchair, `c` a
/// companion's seat beside one, `d` one of a pair and `_` none.
///
/// Seats behind one another have the same number: a place that no row has is an aisle and is not
/// counted, a place that only this row lacks is.
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

/// What `△` means, where there is one.
const LEGEND: &str = "△ 仮押さえ中 / held";

/// The map for chat clients: numbers above, a line a row, `○` free and `×` taken (CIN-35), `△` held.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_looks_as_specified() {
        let mut seats = lay_out([("A", "ssss")]);
        seats[2].is_reserved = true;
        assert_eq!(text_map(&seats), "    1  2  3  4\nA [ ○  ○  ×  ○ ]");
    }

    #[test]
    fn held_seats_are_told_from_taken_ones_and_explained() {
        let mut seats = lay_out([("A", "sss")]);
        seats[0].is_reserved = true;
        seats[2].is_held = true;
        assert_eq!(text_map(&seats), "    1  2  3\nA [ ×  ○  △ ]\n△ 仮押さえ中 / held");
    }

    #[test]
    fn an_aisle_is_a_gap_in_every_row() {
        let seats = lay_out([("A", "_s_s_"), ("B", "ss_ss")]);
        assert_eq!(text_map(&seats), "    1  2     3  4\nA [    ○     ○    ]\nB [ ○  ○     ○  ○ ]");
    }

    #[test]
    fn seats_behind_one_another_have_one_number() {
        let seats = lay_out([("A", "_s_p"), ("B", "ws_s")]);
        let ids: Vec<_> = seats.iter().map(|it| it.seat_id.as_str()).collect();
        assert_eq!(ids, ["A2", "A3", "B1", "B2", "B3"]);
        assert_eq!(seats[1].column, Some(4));
        assert_eq!((seats[1].kind, seats[2].kind), (SeatKind::Premium, SeatKind::Wheelchair));
    }

    #[test]
    fn the_seats_of_a_pair_know_each_other() {
        let seats = lay_out([("A", "cw_dddd")]);
        assert_eq!((seats[0].kind, seats[2].kind), (SeatKind::Companion, SeatKind::Pair));
        let others: Vec<_> = seats[2..].iter().map(|it| it.pair_with.as_deref().unwrap()).collect();
        assert_eq!(others, ["A4", "A3", "A6", "A5"]);
    }

    #[test]
    fn the_map_of_no_seats_is_empty() {
        assert_eq!(text_map(&[]), "");
    }

    #[test]
    fn numbers_of_two_digits_stay_above_their_seats() {
        let map = text_map(&lay_out([("A", "sssssssssss")]));
        let head = map.lines().next().unwrap();
        assert!(head.ends_with("9  10 11"), "{head}");
    }
}
