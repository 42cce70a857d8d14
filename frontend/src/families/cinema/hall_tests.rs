//! Picking of seats and keyboard moves in a hall (CIN-33, CIN-43, CIN-44).

use output::cinema::ReservedSeat;

use super::*;

/// Rows with the column of each seat and whether it is taken.
fn hall(rows: &[(&str, &[(u32, bool)])]) -> Hall {
    let seats = rows.iter().flat_map(|(row, seats)| {
        seats.iter().enumerate().map(move |(index, (column, taken))| Seat {
            seat_id: format!("{row}{}", index + 1),
            row: (*row).to_owned(),
            number: u32::try_from(index).unwrap() + 1,
            is_reserved: *taken,
            column: Some(*column),
            ..Seat::default()
        })
    });
    Hall::new(&SeatMap { seats: seats.collect(), ..SeatMap::default() })
}

fn two_rows() -> Hall {
    hall(&[
        ("A", &[(3, true), (4, false)]),
        ("B", &[(1, false), (2, false), (4, false), (5, false), (6, true)]),
    ])
}

fn seat<'a>(hall: &'a Hall, id: &str) -> &'a Seat {
    hall.seat(id).unwrap()
}

fn pick(picks: &mut Picks, hall: &Hall, id: &str) -> Picked {
    picks.toggle(seat(hall, id), hall.seats_max)
}

fn id_at(hall: &Hall, cursor: Cursor) -> &str {
    &hall.at(cursor).unwrap().seat.seat_id
}

/// The position of a seat by id.
fn find(hall: &Hall, id: &str) -> Cursor {
    let place = |(row, line): (usize, &Row)| {
        let place = line.places.iter().position(|it| it.seat.seat_id == id)?;
        Some(Cursor { row, place })
    };
    hall.rows.iter().enumerate().find_map(place).unwrap()
}

fn strings(ids: &[&str]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

#[test]
fn seat_without_column_stands_at_its_number() {
    let seat =
        |number| Seat { row: "A".into(), number, seat_id: format!("A{number}"), ..Seat::default() };
    let hall = Hall::new(&SeatMap { seats: vec![seat(10), seat(2)], ..SeatMap::default() });
    assert_eq!(hall.columns, 10);
    assert_eq!(hall.rows[0].places[0].column, 2);
}

#[test]
fn row_aa_follows_row_z() {
    let hall = hall(&[("AA", &[(1, false)]), ("Z", &[(1, false)]), ("B", &[(1, false)])]);
    let names: Vec<_> = hall.rows.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["B", "Z", "AA"]);
}

#[test]
fn huge_column_number_does_not_widen_hall() {
    assert_eq!(hall(&[("A", &[(4_000_000_000, false)])]).columns, COLUMNS_MAX);
}

#[test]
fn keyboard_starts_at_first_free_seat() {
    let hall = two_rows();
    assert_eq!(id_at(&hall, hall.first()), "A2");
}

#[test]
fn up_and_down_stay_near_the_column() {
    let hall = two_rows();
    let at = |id: &str, step| id_at(&hall, hall.step(find(&hall, id), step)).to_owned();
    assert_eq!(at("A2", Step::Down), "B3");
    assert_eq!(at("B5", Step::Up), "A2");
    assert_eq!(at("B1", Step::Up), "A1");
    assert_eq!(at("A1", Step::Up), "A1");
    assert_eq!(at("B1", Step::Down), "B1");
}

#[test]
fn home_and_end_reach_row_edges_and_with_control_the_halls() {
    let hall = two_rows();
    let at = |id: &str, key: &str, control| {
        let step = Step::of_key(key, control).unwrap();
        id_at(&hall, hall.step(find(&hall, id), step)).to_owned()
    };
    assert_eq!(at("B3", "Home", false), "B1");
    assert_eq!(at("B3", "End", false), "B5");
    assert_eq!(at("B3", "Home", true), "A1");
    assert_eq!(at("A1", "End", true), "B5");
    assert_eq!(at("B3", "PageUp", false), "A2");
    assert_eq!(at("B2", "ArrowRight", false), "B3", "an aisle is one step wide");
    assert_eq!(at("B5", "ArrowRight", false), "B5");
    assert_eq!(Step::of_key("a", false), None);
    assert_eq!(Step::of_key("ArrowLeft", true), None);
}

#[test]
fn picking_twice_unpicks_and_taken_seats_cannot_be_picked() {
    let hall = two_rows();
    let mut picks = Picks::default();
    assert_eq!(pick(&mut picks, &hall, "B1"), Picked::Yes);
    assert_eq!(pick(&mut picks, &hall, "B1"), Picked::Undone);
    assert_eq!(pick(&mut picks, &hall, "A1"), Picked::Taken);
    assert!(picks.is_empty());
}

#[test]
fn rejects_eleventh_seat() {
    let places: Vec<_> = (1..=11).map(|column| (column, false)).collect();
    let hall = hall(&[("A", &places)]);
    let mut picks = Picks::default();
    let last = hall.places().map(|it| picks.toggle(&it.seat, hall.seats_max)).last();
    assert_eq!((last, picks.len()), (Some(Picked::TooMany), 10));
}

#[test]
fn takes_seat_limit_from_the_cinema() {
    let mut hall = hall(&[("A", &[(1, false), (2, false), (3, false)])]);
    hall.seats_max = Hall::new(&SeatMap { seats_max: Some(2), ..SeatMap::default() }).seats_max;
    let mut picks = Picks::default();
    let picked = ["A1", "A2", "A3"].map(|id| pick(&mut picks, &hall, id));
    assert_eq!(picked, [Picked::Yes, Picked::Yes, Picked::TooMany]);
    let mut restored = Picks::default();
    restored.restore(&hall, &strings(&["A1", "A2", "A3"]));
    assert_eq!(
        restored.len(),
        2,
        "what was kept over a reload is no more than what may be reserved"
    );
}

#[test]
fn draws_every_seat_of_the_largest_hall() {
    let rows = ('A'..='Z').flat_map(|row| (1..=80).map(move |number| (row, number)));
    let seat = |(row, number): (char, u32)| Seat {
        seat_id: format!("{row}{number}"),
        row: row.to_string(),
        number,
        ..Seat::default()
    };
    let mut seats: Vec<_> = rows.map(seat).collect();
    let hall = Hall::new(&SeatMap { seats: seats.clone(), ..SeatMap::default() });
    assert_eq!((hall.counts(), hall.left_out), ((2_080, 2_080), 0));
    assert!(hall.seat("Z80").is_some());
    seats.extend(seats.clone());
    seats.truncate(HALL_MAX + 7);
    let hall = Hall::new(&SeatMap { seats, ..SeatMap::default() });
    assert_eq!(hall.left_out, 7, "what is not drawn is told");
}

#[test]
fn finds_wheelchair_place_with_free_ones_first() {
    let mut hall = two_rows();
    assert_eq!(hall.wheelchair(), None);
    hall.rows[1].places[4].seat.kind = SeatKind::Wheelchair;
    assert_eq!(hall.wheelchair(), Some(Cursor { row: 1, place: 4 }));
    hall.rows[1].places[2].seat.kind = SeatKind::Wheelchair;
    assert_eq!(hall.wheelchair(), Some(Cursor { row: 1, place: 2 }));
    hall.rows[0].places[0].seat.kind = SeatKind::Wheelchair;
    assert_eq!(hall.wheelchair(), Some(Cursor { row: 1, place: 2 }), "A1 is taken");
}

#[test]
fn marks_lost_seat_and_keeps_other_picks() {
    let hall = two_rows();
    let mut picks = Picks::default();
    for id in ["B1", "B2", "B3"] {
        pick(&mut picks, &hall, id);
    }
    assert_eq!(picks.lose(&strings(&["B2", "A1"])), ["B2"]);
    assert_eq!(picks.ids(&hall), ["B1", "B3"]);
    assert!(picks.has_lost("B2") && picks.has_lost("A1"));
    assert_eq!(pick(&mut picks, &hall, "B2"), Picked::Taken);
}

#[test]
fn new_seats_keep_picks_that_are_still_free() {
    let before = two_rows();
    let mut picks = Picks::default();
    picks.restore(&before, &strings(&["B1", "B4", "A1", "Z9"]));
    assert_eq!(picks.ids(&before), ["B1", "B4"]);
    let after = hall(&[
        ("A", &[(3, false), (4, false)]),
        ("B", &[(1, true), (2, false), (4, false), (5, false)]),
    ]);
    assert_eq!(picks.refresh(&after), ["B1"]);
    assert_eq!(picks.ids(&after), ["B4"]);
    let free_again = two_rows();
    assert_eq!(picks.refresh(&free_again), Vec::<String>::new());
    assert!(!picks.has_lost("B1"), "it came back on offer");
}

/// A row with a pair at its end, and prices.
fn with_a_pair() -> Hall {
    let kinds = [SeatKind::Standard, SeatKind::Standard, SeatKind::Pair, SeatKind::Pair];
    let seats = (1..).zip(kinds).map(|(number, kind)| Seat {
        seat_id: format!("A{number}"),
        row: "A".to_owned(),
        number,
        kind,
        pair_with: (kind == SeatKind::Pair).then(|| format!("A{}", 7 - number)),
        ..Seat::default()
    });
    Hall::new(&SeatMap {
        seats: seats.collect(),
        prices: Some(PriceList {
            currency: "JPY".to_owned(),
            standard: 1_800,
            pair: Some(2_500),
            ..PriceList::default()
        }),
        rules: Some(SeatRules { pairs_together: true, ..SeatRules::default() }),
        ..SeatMap::default()
    })
}

#[test]
fn totals_picked_seats_if_priced() {
    let hall = with_a_pair();
    let mut picks = Picks::default();
    picks.restore(&hall, &strings(&["A1", "A3", "A4"]));
    assert_eq!(hall.total(&picks).map(|it| it.amount), Some(6_800));
    assert_eq!(two_rows().total(&picks), None);
}

#[test]
fn finds_other_half_of_a_broken_pair() {
    let hall = with_a_pair();
    let mut picks = Picks::default();
    picks.restore(&hall, &strings(&["A1", "A3"]));
    let broken = hall.broken(&picks);
    assert_eq!(broken.iter().flat_map(|it| &it.seat_ids).collect::<Vec<_>>(), ["A4"]);
    let other = hall.other_half(seat(&hall, "A3")).map(|it| it.seat_id.as_str());
    assert_eq!((other, hall.other_half(seat(&hall, "A1"))), (Some("A4"), None));
    picks.restore(&hall, &strings(&["A4"]));
    assert!(hall.broken(&picks).is_empty());
    assert!(two_rows().broken(&picks).is_empty(), "a hall without rules has none to break");
}

#[test]
fn finds_seat_by_row_and_column() {
    let hall = two_rows();
    assert_eq!(hall.find(0, 4), Some(Cursor { row: 0, place: 1 }));
    assert_eq!(hall.find(1, 4), Some(Cursor { row: 1, place: 2 }));
    for nowhere in [(0, 1), (1, 3), (1, 0), (2, 1)] {
        assert_eq!(hall.find(nowhere.0, nowhere.1), None, "{nowhere:?}");
    }
}

#[test]
fn hall_is_large_from_401_seats() {
    let rows = |count: u32| {
        let seat = |number: u32| Seat {
            seat_id: format!("{number}"),
            row: format!("{}", number % 20),
            number: number / 20 + 1,
            ..Seat::default()
        };
        Hall::new(&SeatMap { seats: (0..count).map(seat).collect(), ..SeatMap::default() })
    };
    assert_eq!((rows(400).is_large(), rows(401).is_large()), (false, true));
}

#[test]
fn has_more_only_after_a_new_pick() {
    let hall = two_rows();
    let mut picks = Picks::default();
    pick(&mut picks, &hall, "B1");
    pick(&mut picks, &hall, "B2");
    let before = picks.clone();
    picks.lose(&strings(&["B1"]));
    assert!(!picks.has_more_than(&before));
    // Same number, but one new seat.
    pick(&mut picks, &hall, "B3");
    assert!(picks.has_more_than(&before));
}

#[test]
fn free_seat_of_an_own_reservation_is_not_own() {
    let mut hall = two_rows();
    let seat = |id: &str| ReservedSeat { seat_id: id.to_owned(), ..ReservedSeat::default() };
    let seats = vec![seat("A1"), seat("A2")];
    hall.mark_own(&[Reservation { seats, ..Reservation::default() }]);
    let own: Vec<_> = hall.places().filter(|it| it.seat.is_mine).collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].seat.seat_id, "A1");
}
