//! Suggestions on drawn plans: `x` is taken, `h` held, the rest as an operator draws it.

use super::*;
use crate::seats::lay_out;

/// The seats that are suggested, a part after the other.
fn suggested(rows: &[&str], count: usize, wheelchair: bool) -> Option<Vec<String>> {
    let seats = drawn(rows);
    let found = suggest(&seats, count, usize::from(wheelchair), SeatRules::default())?;
    Some(found.parts.iter().map(|it| named(it, "-")).collect())
}

fn drawn(rows: &[&str]) -> Vec<Seat> {
    let labels: Vec<_> = ('A'..='Z').map(String::from).collect();
    let plain: Vec<_> = rows.iter().map(|it| it.replace(['x', 'h'], "s")).collect();
    let plan = labels.iter().map(String::as_str).zip(plain.iter().map(String::as_str));
    let mut seats = lay_out(plan);
    for seat in &mut seats {
        let row = labels.iter().position(|it| *it == seat.row).unwrap();
        let sign = rows[row].as_bytes()[usize::try_from(column(seat)).unwrap() - 1];
        seat.is_reserved = sign == b'x';
        seat.is_held = sign == b'h';
    }
    seats
}

fn parts(rows: &[&str], count: usize) -> Vec<String> {
    suggested(rows, count, false).expect("seats are free")
}

#[test]
fn an_empty_hall_gives_its_middle_two_thirds_back() {
    assert_eq!(parts(&["ssssssss"; 7], 2), ["E4-E5"]);
    assert_eq!(parts(&["ssssssss"; 7], 4), ["E3-E6"]);
    assert_eq!(parts(&["ssssssss"; 10], 8), ["G1-G8"]);
    assert_eq!(parts(&["sssssssss"; 4], 1), ["C5"]);
}

#[test]
fn the_front_is_for_the_last() {
    assert_eq!(parts(&["ssss", "xxxx", "xxss"], 2), ["C3-C4"]);
    assert_eq!(parts(&["ssss", "xxxx", "xxxs"], 2), ["A1-A2"], "no seat is left alone");
}

#[test]
fn no_seat_is_left_alone_where_another_choice_does_not() {
    assert_eq!(parts(&["sssss"], 2), ["A1-A2"], "three are left together");
    assert_eq!(parts(&["sssss"], 3), ["A1-A3"]);
    assert_eq!(parts(&["sss"], 2), ["A1-A2"], "here one is, whatever is chosen");
    assert_eq!(parts(&["xsssxx", "xssssx", "xssssx"], 3), ["A2-A4"], "the whole rest of a row");
}

#[test]
fn taken_and_held_seats_and_wheelchair_places_are_not_suggested() {
    assert_eq!(parts(&["ssss", "sxhs", "wwww"], 2), ["A1-A2"]);
    assert_eq!(suggested(&["xx", "hh", "ww"], 1, false), None);
    assert_eq!(suggested(&["xxs", "hhs", "wws"], 4, false), None);
}

#[test]
fn an_aisle_is_between_people() {
    assert_eq!(parts(&["ss_ss", "ss_xs", "xx_ss"], 2), ["B1-B2"]);
    assert_eq!(parts(&["sss_sss"], 4), ["A2-A3", "A4-A5"], "two and two, side by the aisle");
}

#[test]
fn who_cannot_sit_together_sits_behind_one_another() {
    assert_eq!(parts(&["ssxss", "ssxss", "ssxss", "ssxss"], 4), ["B1-B2", "C1-C2"]);
    assert_eq!(parts(&["xxxxss", "xxxxxx", "xxxxss", "xxxxss"], 4), ["C5-C6", "D5-D6"]);
}

#[test]
fn no_guest_sits_alone_where_they_need_not() {
    assert_eq!(
        parts(&["ssssx", "ssssx"], 5),
        ["A2-A4", "B3-B4"],
        "three and two, not four and one"
    );
    assert_eq!(parts(&["sxsxs", "sxsxs"], 3).len(), 3, "where they must, they do");
}

#[test]
fn as_few_parts_as_can_be() {
    assert_eq!(parts(&["sxsxsxss", "xxxxxxss", "sssxxxxx"], 5).len(), 2);
    let rows = vec!["sxsxs"; 4];
    assert_eq!(parts(&rows, 12).len(), 12, "the whole rest of the hall");
    assert_eq!(suggested(&rows, 13, false), None);
}

#[test]
fn a_wheelchair_has_one_place_and_company_beside_it() {
    assert_eq!(suggested(&["ssss", "wwss"], 1, true).unwrap(), ["B1"], "B1 is not left alone");
    assert_eq!(suggested(&["ssss", "wwss"], 3, true).unwrap(), ["B2-B4"]);
    assert_eq!(suggested(&["ssss", "ssss"], 1, true), None);
    assert_eq!(suggested(&["ssss", "wxss"], 3, true).unwrap()[1], "B1", "company is near");
}

#[test]
fn several_wheelchairs_have_their_places_together_or_apart() {
    let of = |rows: &[&str], count, places| {
        let seats = drawn(rows);
        let found = suggest(&seats, count, places, SeatRules::default())?;
        Some(found.parts.iter().map(|it| named(it, "-")).collect::<Vec<_>>())
    };
    assert_eq!(of(&["ssss", "wwss"], 3, 2).unwrap(), ["B1-B3"]);
    assert_eq!(of(&["w_ssss_w", "ssssssss"], 2, 2).unwrap(), ["A1", "A8"], "across the hall");
    assert_eq!(of(&["wc_ssss_cw"], 4, 2).unwrap(), ["A1-A2", "A7-A8"], "each with company");
    assert_eq!(of(&["ssss", "wwss"], 4, 3), None, "there are two");
}

#[test]
fn a_companions_seat_goes_with_the_wheelchair_and_is_named() {
    let seats = drawn(&["ssss", "wcss"]);
    let found = suggest(&seats, 2, 1, SeatRules::default()).unwrap();
    let (ja, en) = found.sentences();
    assert_eq!(ja, "B1〜B2の2席が並びで空いています。車椅子スペース: B1。同伴者席: B2。");
    let right =
        "B1–B2: 2 seats are free side by side. Wheelchair places: B1. Companions' seats: B2.";
    assert_eq!(en, right);
}

#[test]
fn a_suggestion_says_where_it_is() {
    let seats = drawn(&["ssxss", "ssxss"]);
    let text = |count| suggest(&seats, count, 0, SeatRules::default()).unwrap().sentences();
    assert_eq!(text(1).1.split(' ').count(), 3);
    let (ja, en) = text(2);
    assert!(ja.contains("2席が並びで空いています"), "{ja}");
    assert!(en.ends_with(": 2 seats are free side by side."), "{en}");
    let (ja, en) = text(3);
    assert!(ja.contains("分かれます") && en.starts_with("No 3 seats"), "{ja} {en}");
}

#[test]
fn every_suggestion_is_free_whole_and_the_same_again() {
    // A hall with every pattern of taken seats that a small counter makes.
    for pattern in 0_u32..512 {
        let row = |row: u32| -> String {
            let is_taken =
                |seat: u32| (pattern.wrapping_mul(2_654_435_761) >> (row * 7 + seat)) & 1;
            let sign = |seat| match (seat, is_taken(seat)) {
                (3, _) => '_',
                (_, 1) => 'x',
                (0, _) => 'w',
                _ => 's',
            };
            (0..7).map(sign).collect()
        };
        let rows: Vec<_> = (0..4).map(row).collect();
        let rows: Vec<_> = rows.iter().map(String::as_str).collect();
        let seats = drawn(&rows);
        let free = seats.iter().filter(|it| it.is_free() && !is_place(it)).count();
        for count in 1..=10 {
            let found = suggest(&seats, count, 0, SeatRules::default());
            assert_eq!(found.is_some(), free >= count, "{rows:?} {count}");
            let Some(found) = found else { continue };
            let all: Vec<_> = found.parts.iter().flatten().collect();
            assert!(all.iter().all(|it| it.is_free() && !is_place(it)), "{rows:?}: {all:?}");
            let mut ids: Vec<_> = all.iter().map(|it| &it.seat_id).collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), count, "{rows:?}");
            assert_eq!(suggest(&seats, count, 0, SeatRules::default()).as_ref(), Some(&found));
        }
    }
}

/// The seats that are suggested under every rule, a part after the other.
fn ruled(rows: &[&str], count: usize, wheelchair: bool) -> Option<Vec<String>> {
    let rules = SeatRules {
        no_single_gap: true,
        companion_beside_wheelchair: true,
        pairs_together: true,
        seats_per_person_max: None,
    };
    let seats = drawn(rows);
    let found = suggest(&seats, count, usize::from(wheelchair), rules)?;
    Some(found.parts.iter().map(|it| named(it, "-")).collect())
}

#[test]
fn a_companion_is_suggested_beside_a_wheelchair() {
    assert_eq!(ruled(&["ssss", "swcs"], 2, true).unwrap(), ["B2-B3"]);
    assert_eq!(ruled(&["xxxx", "xwcx"], 1, false), None, "it is not for others");
    assert_eq!(ruled(&["xxxx", "xxcx"], 1, true), None, "the place is taken");
}

#[test]
fn a_pair_is_suggested_whole_and_last() {
    assert_eq!(ruled(&["ssss", "dddd"], 2, false).unwrap(), ["A1-A2"]);
    assert_eq!(ruled(&["xxxx", "dddd"], 2, false).unwrap(), ["B1-B2"]);
    assert_eq!(ruled(&["xxxx", "dddd"], 1, false), None);
    assert_eq!(ruled(&["xxxx", "sddd"], 3, false).unwrap(), ["B1-B3"]);
}

#[test]
fn what_the_rules_refuse_is_never_suggested() {
    assert_eq!(ruled(&["sssss"], 3, false).unwrap(), ["A1-A3"]);
    for count in 1..=7 {
        for signs in ["sssssss", "ssxssss", "dddd_ss", "wcsss_s", "sdds_ss", "ss_pp_s"] {
            let Some(parts) = ruled(&[signs], count, false) else { continue };
            assert!(!parts.is_empty(), "{signs} {count}");
        }
    }
}
