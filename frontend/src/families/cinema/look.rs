//! Appearance of a seat: its state, its CSS classes, and its outline and mark in a drawing of many.

use std::fmt::Write;

use output::cinema::{Seat, SeatKind};

use super::hall::{Picks, Row, is_held};

/// Width and height of a place in a drawing, in its own units.
pub(crate) const PLACE: u32 = 20;

/// State of a seat as drawn and named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    Picked,
    Taken,
    /// Reserved for the reader.
    Own,
    /// Held by another user.
    Held,
    /// Held for the reader, who has not taken it yet.
    Offered,
    Lost,
}

impl State {
    /// State of a seat for a reader with these picks.
    pub(crate) fn for_seat(seat: &Seat, picks: &Picks) -> Self {
        if picks.has(&seat.seat_id) {
            Self::Picked
        } else if picks.has_lost(&seat.seat_id) {
            Self::Lost
        } else if seat.is_reserved {
            if seat.is_mine { Self::Own } else { Self::Taken }
        } else if picks.has_offered(&seat.seat_id) {
            Self::Offered
        } else if is_held(seat) {
            Self::Held
        } else {
            Self::Free
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Free => "is-free",
            Self::Picked => "is-picked",
            Self::Taken => "is-taken",
            Self::Own => "is-own",
            Self::Held => "is-held",
            Self::Offered => "is-offered",
            Self::Lost => "is-lost",
        }
    }

    /// Whether it cannot be picked.
    pub(crate) fn is_gone(self) -> bool {
        matches!(self, Self::Taken | Self::Held | Self::Lost)
    }
}

/// The CSS class of a seat: seats of a pair stand close together.
pub(crate) fn seat_class(seat: &Seat) -> &'static str {
    // A9 sorts before A10.
    let place = |id: &str| (id.len(), id.to_owned());
    match &seat.pair_with {
        Some(other) if place(&seat.seat_id) < place(other) => "is-pair is-first",
        Some(_) => "is-pair is-second",
        None => kind_class(seat.kind),
    }
}

pub(crate) fn kind_class(kind: SeatKind) -> &'static str {
    match kind {
        SeatKind::Standard => "is-standard",
        SeatKind::Premium => "is-premium",
        SeatKind::Wheelchair => "is-wheelchair",
        SeatKind::Companion => "is-companion",
        SeatKind::Pair => "is-pair",
    }
}

/// One SVG path of all seats of a row that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) class: &'static str,
    pub(crate) path: String,
}

/// A row as a few paths: the seats, and their marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shapes {
    pub(crate) seats: Vec<Shape>,
    pub(crate) marks: Vec<Shape>,
}

impl Shapes {
    /// Draws a row at `top` with its seats in these states.
    pub(crate) fn draw(row: &Row, top: u32, states: &[State]) -> Self {
        let mut shapes = Self::default();
        let mut corner = String::new();
        for (place, &state) in row.places.iter().zip(states) {
            corner.clear();
            // Writing to a string cannot fail.
            let _ = write!(corner, "M{} {top}", (place.column - 1) * PLACE);
            let (seat, look) = (&place.seat, seat_class(&place.seat));
            let class = if state == State::Free { kind_class(seat.kind) } else { state.class() };
            add(&mut shapes.seats, class, &[&corner, outline(look)]);
            let mut mark = |class, path: &str| add(&mut shapes.marks, class, &[&corner, path]);
            match (state, seat.kind) {
                (State::Picked | State::Own, _) => mark(state.class(), "m5.5 10.2l3 3.2 6-6.8"),
                (State::Taken, _) => mark("is-taken", "m6.8 6.8l6.4 6.4m0-6.4l-6.4 6.4"),
                (State::Held | State::Offered, _) => mark(state.class(), "m10 5.5v4.7l3 2"),
                (State::Lost, _) => mark("is-lost", "m10 5.5v5.5m0 3v.1"),
                (State::Free, SeatKind::Wheelchair) => mark(
                    "is-wheelchair",
                    "m8.6 4.6v.1m0 2.5v4.3h3.6l1.4 3.6m-5-6.1h2.9m-4.3 1a3.2 3.2 0 1 0 4.3 4.3",
                ),
                (State::Free, kind) => {
                    if kind == SeatKind::Premium {
                        mark("is-premium", "m4.5 16.2h11");
                    }
                    number(&mut shapes.marks, &corner, seat.number);
                }
            }
        }
        shapes
    }
}

/// Appends the path of one place to the path of its class.
fn add(shapes: &mut Vec<Shape>, class: &'static str, parts: &[&str]) {
    let at = shapes.iter().position(|it| it.class == class).unwrap_or_else(|| {
        shapes.push(Shape { class, path: String::new() });
        shapes.len() - 1
    });
    parts.iter().for_each(|it| shapes[at].path.push_str(it));
}

/// A chair's back is round, towards the reader; a wheelchair place is square; a pair is one bench.
fn outline(class: &str) -> &'static str {
    match class {
        "is-wheelchair" => "m1.5 1.5h17v17h-17z",
        "is-pair is-first" => "m1.5 1.5h18.5v17h-14.5q-4 0-4-4z",
        "is-pair is-second" => "m0 1.5h18.5v13q0 4-4 4h-14.5z",
        _ => "m1.5 1.5h17v13q0 4-4 4h-9q-4 0-4-4z",
    }
}

/// Draws a number as strokes in the middle of its place: 2,000 texts would take longer than all else.
fn number(marks: &mut Vec<Shape>, corner: &str, number: u32) {
    /// Digits in a box of 4 by 7.
    const DIGITS: [&str; 10] = [
        "m2 0q2 0 2 3.5t-2 3.5-2-3.5 2-3.5z",
        "m.8 1.4l1.7-1.4v7",
        "m.2 1.8q.2-1.8 1.9-1.8 1.8 0 1.8 1.7 0 1-1 2l-2.8 3.3h4",
        "m.3 0h3.5l-2.1 2.7q2.3 0 2.3 2.1 0 2.2-2.1 2.2-1.5 0-1.9-1.4",
        "m3 7v-7l-3 4.8h4",
        "m3.6 0h-3l-.3 3.1q.8-.6 1.7-.6 2 0 2 2.2 0 2.3-2.1 2.3-1.5 0-1.9-1.3",
        "m3.4 0q-3.4 .8-3.4 4.6 0 2.4 2 2.4 2 0 2-2.3 0-2.1-1.9-2.1-2 0-2.1 2",
        "m0 0h4l-2.6 7",
        "m2 0q1.7 0 1.7 1.6t-1.7 1.6-1.7-1.6 1.7-1.6zm0 3.2q2 0 2 1.9t-2 1.9-2-1.9 2-1.9z",
        "m.6 7q3.4-.8 3.4-4.6 0-2.4-2-2.4-2 0-2 2.3 0 2.1 1.9 2.1 2 0 2.1-2",
    ];
    let digits = number.to_string();
    // Left edges of the boxes. Longer numbers do not fit.
    let boxes: &[&str] = match digits.len() {
        1 => &["m8 6.5"],
        2 => &["m5.3 6.5", "m10.7 6.5"],
        3 => &["m2.6 6.5", "m8 6.5", "m13.4 6.5"],
        _ => &[],
    };
    for (digit, start) in digits.bytes().zip(boxes) {
        let strokes = DIGITS[usize::from(digit - b'0')];
        add(marks, "is-number", &[corner, start, strokes]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(id: &str, kind: SeatKind) -> Seat {
        let number = id[1..].parse().unwrap();
        Seat { seat_id: id.to_owned(), row: "B".to_owned(), number, kind, ..Seat::default() }
    }

    fn row(seats: &[Seat]) -> Row {
        let place = |it: &Seat| super::super::hall::Place { seat: it.clone(), column: it.number };
        Row { name: "B".to_owned(), places: seats.iter().map(place).collect() }
    }

    fn classes(shapes: &[Shape]) -> Vec<(&str, usize)> {
        shapes.iter().map(|it| (it.class, it.path.matches('M').count())).collect()
    }

    #[test]
    fn draws_row_as_one_path_and_mark_per_look() {
        let standard = |id| seat(id, SeatKind::Standard);
        let row = row(&[
            standard("B1"),
            standard("B2"),
            seat("B3", SeatKind::Premium),
            seat("B4", SeatKind::Wheelchair),
            standard("B15"),
            standard("B16"),
            standard("B17"),
        ]);
        use State::{Free, Held, Lost, Picked, Taken};
        let shapes = Shapes::draw(&row, 20, &[Free, Taken, Free, Free, Free, Picked, Held]);
        let seats = [
            ("is-standard", 2),
            ("is-taken", 1),
            ("is-premium", 1),
            ("is-wheelchair", 1),
            ("is-picked", 1),
            ("is-held", 1),
        ];
        assert_eq!(classes(&shapes.seats), seats);
        // Two digits are two strokes; a seat that cannot be picked has the mark of its state instead of its own.
        let marks = [
            ("is-number", 4),
            ("is-taken", 1),
            ("is-premium", 1),
            ("is-wheelchair", 1),
            ("is-picked", 1),
            ("is-held", 1),
        ];
        assert_eq!(classes(&shapes.marks), marks);
        assert!(
            shapes.seats[0].path.starts_with("M0 20m") && shapes.seats[0].path.contains("M280 20m")
        );
        let lost = Shapes::draw(&row, 20, &[Lost; 7]);
        assert_eq!(classes(&lost.seats), [("is-lost", 7)]);
        assert_eq!(classes(&lost.marks), [("is-lost", 7)]);
    }

    #[test]
    fn draws_pair_as_one_bench() {
        let half = |id: &str, other: &str| Seat {
            pair_with: Some(other.to_owned()),
            ..seat(id, SeatKind::Pair)
        };
        let row = row(&[half("B9", "B10"), half("B10", "B9")]);
        let shapes = Shapes::draw(&row, 0, &[State::Free; 2]);
        // The first half ends where the second begins.
        assert!(shapes.seats[0].path.starts_with("M160 0m1.5 1.5h18.5v17"), "{shapes:?}");
        assert!(shapes.seats[0].path.contains("M180 0m0 1.5h18.5"), "{shapes:?}");
    }

    #[test]
    fn readers_own_state_precedes_that_of_others() {
        let mut picks = Picks::default();
        let free = seat("B1", SeatKind::Standard);
        assert_eq!(State::for_seat(&free, &picks), State::Free);
        picks.toggle(&free, 10);
        assert_eq!(State::for_seat(&free, &picks), State::Picked);
        let taken = Seat { is_reserved: true, ..free.clone() };
        assert_eq!(State::for_seat(&taken, &Picks::default()), State::Taken);
        picks.lose(&["B1".to_owned()]);
        assert_eq!(State::for_seat(&taken, &picks), State::Lost);
        let held = Seat { is_held: true, ..free.clone() };
        let mine = Seat { is_mine: true, ..held.clone() };
        let own = Seat { is_mine: true, ..taken };
        assert_eq!(State::for_seat(&own, &Picks::default()), State::Own);
        let state = |it| State::for_seat(it, &Picks::default());
        assert_eq!((state(&held), state(&mine)), (State::Held, State::Free));
        assert!(State::Held.is_gone() && !State::Picked.is_gone());
        let mut offered = Picks::default();
        assert!(offered.offer(["B1".to_owned()].into_iter()));
        assert_eq!(State::for_seat(&held, &offered), State::Offered);
        assert!(!State::Offered.is_gone(), "it can be taken");
    }
}
