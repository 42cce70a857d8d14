//! Films and seats that a later sentence says no to, and seats that are named together.

use super::super::{marks::named_seats, titles::Sentence};
use super::*;

/// The films that are listed after `first` and all of `later`.
fn listed(first: &str, later: &[&str]) -> String {
    let mut talk = new_talk();
    talk.say(first);
    let mut text = concluded(&talk.back(&[films()])).text();
    for sentence in later {
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        text = concluded(&talk.back(&[films()])).text();
    }
    text
}

#[test]
fn films_are_left_out_one_after_the_other() {
    for (first, later) in [
        (
            "What films are on tomorrow?",
            &["without Akira", "and not My Neighbor Totoro either"][..],
        ),
        ("明日の映画は？", &["トトロは除いて", "AKIRAも抜きで"]),
        ("ゴジラ以外で明日何やってる？", &["アニメもなしで", "SFも無しで"]),
        ("films tomorrow", &["not animation", "no Akira please"]),
        ("明日の映画は？", &["七人の侍はいらない", "アニメもSFも嫌"][..1]),
    ] {
        let text = listed(first, later);
        let is_left = text.contains("七人の侍") || text.contains("Seven Samurai");
        assert_eq!(is_left, later[0] != "七人の侍はいらない", "{later:?}: {text}");
        let is_out = !text.contains("AKIRA") && !text.contains("Akira");
        assert_eq!(is_out, later.len() > 1, "{later:?}: {text}");
        assert_eq!(text.contains("Totoro") || text.contains("トトロ"), later.len() < 2, "{text}");
    }
}

#[test]
fn films_stay_left_out_where_the_rest_is_put_in_order() {
    for (first, later) in [
        ("明日の映画は？", &["AKIRAとトトロは抜きで", "その中で一番長いのは？"][..]),
        ("films tomorrow", &["without Akira or My Neighbor Totoro", "which is the longest?"]),
        ("AKIRA以外で明日何やってる？", &["アニメもなしで", "評価順で"]),
    ] {
        let text = listed(first, later);
        assert!(text.contains("七人の侍") || text.contains("Seven Samurai"), "{later:?}: {text}");
        let is_out = |it: &str| !text.contains(it);
        assert!(
            ["AKIRA", "Akira", "トトロ", "Totoro"].into_iter().all(is_out),
            "{later:?}: {text}"
        );
    }
}

#[test]
fn a_no_that_names_no_listed_film_leaves_none_out() {
    for later in [
        "not this one",
        "no thanks",
        "not Akira, Totoro",
        "席はいらない",
        "no me",
        "トトロはいつ？",
    ] {
        let mut talk = new_talk();
        talk.say("What films are on tomorrow?");
        talk.back(&[films()]);
        let next = talk.say(later);
        let is_list = matches!(&next, Decision::Call(calls)
            if calls[0].name == "list_movies" && calls[0].arguments["title_query"] == Value::Null);
        assert!(!is_list, "{later}");
    }
}

fn named(text: &str) -> String {
    Sentence::parse(text, "2026-11-21".parse().unwrap()).numbers.marked.join(" ")
}

#[test]
fn seats_up_to_another_one_of_their_row_are_named() {
    for (text, expected) in [
        ("seats C3 to C6 for Akira", "C3 C4 C5 C6"),
        ("C3〜C5で", "C3 C4 C5"),
        ("A1からA4まで、羅生門、明日の夜", "A1 A2 A3 A4"),
        ("C9 - C11 please", "C9 C10 C11"),
        ("seats C3 and C6", "C3 C6"),
        ("C6 to C3", "C6 C3"),
        ("A1 to B4", "A1 B4"),
        ("C3 to Chiba", "C3"),
        ("C3から2席", "C3"),
        ("C3 to C6th avenue", "C3"),
        ("席をC3からC6に変更して", "C3 C6"),
        ("change seat C3 to C6", "C3 C6"),
        ("change my seats to C3 to C6", "C3 C4 C5 C6"),
        ("席をC3からC6までに変更して", "C3 C4 C5 C6"),
        ("remove C3 to C5", "C3 C4 C5"),
    ] {
        assert_eq!(named(text), expected, "{text}");
    }
}

#[test]
fn each_named_seat_is_wanted_or_refused() {
    for (text, chosen, expected) in [
        ("two seats for Akira tomorrow at 18:30, but not C3", "", ("", "C3")),
        ("C4 and C5, not C3", "", ("C4 C5", "C3")),
        ("not C3, but C4 and C5", "C3 C4", ("C4 C5", "C3")),
        ("without C3, C4 and C5", "", ("", "C3 C4 C5")),
        ("drop C3, C7 instead", "C3 C4", ("C7", "C3")),
        ("C3とC4はやめて", "C3 C4", ("", "C3 C4")),
        ("C3、C4はやめて", "C3 C4", ("", "C3 C4")),
        ("C4とC5、C3はなし", "", ("C4 C5", "C3")),
        ("C3ではなくC4", "C3", ("C4", "C3")),
        ("C3じゃないと困る", "C3", ("C3", "")),
        ("C3じゃなきゃ嫌", "C3", ("C3", "")),
        ("C3ではないと困る", "C3", ("C3", "")),
        ("C3は外せない", "C3", ("C3", "")),
        ("why not C3?", "C3", ("C3", "")),
        ("change seat C3 to C6", "C3 C4", ("C6", "C3")),
        ("席をC3からC6に変更して", "C3 C4", ("C6", "C3")),
        ("change C1 and C2 to C5 and C6", "C1 C2", ("C5 C6", "C1 C2")),
        ("I changed my mind, C3 to C5", "C1", ("C3 C4 C5", "")),
        ("change to C3 to C6", "C1", ("C3 C4 C5 C6", "")),
        ("2 seats anywhere from C3 to C8", "", ("C3 C4", "")),
        ("seats C3 to C6 but not C4", "", ("C3 C5 C6", "C4")),
        ("C3 to C6 for four", "", ("C3 C4 C5 C6", "")),
    ] {
        let sentence = Sentence::parse(text, "2026-11-21".parse().unwrap());
        let chosen: Vec<_> = chosen.split_whitespace().map(str::to_owned).collect();
        let (wanted, refused) = named_seats(&sentence, &chosen);
        let found = (wanted.join(" "), refused.join(" "));
        assert_eq!((found.0.as_str(), found.1.as_str()), expected, "{text}");
    }
}

/// The seats that are asked about after `first` and `later`.
fn kept(first: &str, later: &str) -> String {
    let mut talk = new_talk();
    talk.say(first);
    talk.back(&[films()]);
    talk.back(&[showings()]);
    talk.back(&[seats()]);
    talk.say_instead(later);
    let asked = talk.back(&[seats()]);
    call(&asked).1["form_schema"]["description"].as_str().unwrap().to_owned()
}

#[test]
fn seats_that_are_refused_leave_the_others() {
    const FIRST: &str = "seats C3 to C6 for Akira tomorrow at 18:30";
    for (later, expected) in [
        ("not C3", "Seats: C4, C5, C6"),
        ("without C3 and C4", "Seats: C5, C6"),
        ("release C6", "Seats: C3, C4, C5"),
        ("C7 and C8 instead", "Seats: C7, C8"),
        ("C7", "Seats: C7"),
        ("not C3, but C7 and C8", "Seats: C4, C5, C6, C7, C8"),
        ("C7 and C8, not B1", "Seats: C7, C8"),
        ("why not C3?", "Seats: C3"),
        ("2 seats anywhere from C5 to C8", "Seats: C5, C6"),
        ("change seat C3 to C8", "Seats: C4, C5, C6, C8"),
    ] {
        assert_eq!(kept(FIRST, later), expected, "{later}");
    }
    const JAPANESE: &str = "明日18:30のAKIRA、C3とC4を予約";
    for (later, expected) in [
        ("C3はやめて", "座席: C4"),
        ("やっぱりC5で", "座席: C5"),
        ("C3じゃないと困る", "座席: C3"),
        ("席をC3からC6に変更して", "座席: C4, C6"),
    ] {
        assert_eq!(kept(JAPANESE, later), expected, "{later}");
    }
}

#[test]
fn seat_refused_in_the_first_sentence_is_not_taken() {
    for (first, names) in [
        ("two seats for Akira tomorrow at 18:30, but not C3", None),
        ("Book seats C4 and C5 for Akira tomorrow at 18:30, but not C3", Some("Seats: C4, C5")),
        ("2 seats, C3 to C8 for Akira tomorrow at 18:30", Some("Seats: C3, C4")),
        ("book C4 and C5, not C3, for Akira tomorrow at 18:30", Some("Seats: C4, C5")),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        talk.back(&[showings()]);
        let asked = talk.back(&[seats()]);
        let description = call(&asked).1["form_schema"]["description"].as_str().map(str::to_owned);
        let named = description.filter(|it| it.starts_with("Seats: "));
        assert_eq!(named.as_deref(), names, "{first}");
    }
}

#[test]
fn a_row_is_no_part_of_another_word() {
    for (text, expected) in [
        ("tomorrow night, 2 seats, row C", Some("C")),
        ("two in row D please", Some("D")),
        ("tomorrow c", None),
        ("grow a tree", None),
        ("row 5", None),
        ("the last row", None),
        ("rows a to c", None),
    ] {
        let sentence = Sentence::parse(text, "2026-11-21".parse().unwrap());
        assert_eq!(sentence.wanted().row.as_deref(), expected, "{text}");
    }
}

#[test]
fn the_earliest_showing_of_a_listed_film_is_taken() {
    for (later, asked) in [
        ("3番の映画のいちばん早い回で、2枚", "list_available_seats"),
        ("3番の映画のいちばん早い回で2枚", "list_available_seats"),
        ("the third one, the earliest showing, two seats", "list_available_seats"),
        ("3番の映画を2枚", FORM),
        ("the third one, two seats", FORM),
    ] {
        let mut talk = new_talk();
        talk.say("明日の映画は？");
        talk.back(&[films()]);
        talk.say(later);
        assert_eq!(call(&talk.back(&[showings()])).0, asked, "{later}");
    }
}
