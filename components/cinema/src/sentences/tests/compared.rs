//! Two films that are compared, and which end of that is meant afterwards; what is to be done where nothing is left.

use super::*;

fn told(talk: &mut trial::Talk, result: ToolResult) -> String {
    concluded(&talk.back(&[result])).text()
}

#[test]
fn films_are_compared_by_a_part_of_their_names() {
    for (sentence, expected) in [
        ("Is Seven Samurai longer than Akira?", "The longest is Seven Samurai"),
        ("which one is rated better, samurai or akira?", "The best rated is Seven Samurai"),
        ("is samurai longer than totoro?", "The longest is Seven Samurai"),
        ("Which is rated higher, Akira or Totoro?", "The best rated is My Neighbor Totoro"),
        ("七人の侍はAKIRAより長い？", "一番長いのは「七人の侍"),
        ("トトロとAKIRAどっちが短い？", "一番短いのは「となりのトトロ"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)), ("list_movies", json!({})), "{sentence}");
        let text = told(&mut talk, films());
        assert!(text.contains(expected) && text.contains("\n2. "), "{sentence}: {text}");
        assert!(!text.contains("\n3. ") && !text.contains("not understand"), "{sentence}: {text}");
    }
}

#[test]
fn a_film_of_a_comparison_is_looked_for_by_its_word() {
    let mut talk = new_talk();
    talk.say("トトロとアキラ、どっちが評価高い？");
    let Decision::Call(calls) = talk.back(&[films()]) else { panic!("it is not looked for") };
    assert_eq!(calls[1].arguments["title_query"], "アキラ");
    let akira = json!({ "movies": [{ "movie_id": "akira", "title": "AKIRA" }] });
    let text = concluded(&talk.back(&[films(), output(akira)])).text();
    assert!(text.contains("「となりのトトロ") && text.contains("AKIRA"), "{text}");
    assert!(!text.contains("分からない"), "{text}");
}

#[test]
fn the_end_of_a_comparison_is_one_of_its_films() {
    for (sentence, later, film) in [
        (
            "which is longer, Seven Samurai or Akira?",
            "and the shorter one, when's it on tomorrow?",
            "akira",
        ),
        ("Which is longer, Seven Samurai or Akira?", "when is the longer one on?", "samurai"),
        ("トトロと七人の侍、どっちが評価高い？", "高い方を明日2枚", "samurai"),
        ("トトロと七人の侍、どっちが評価高い？", "じゃあ低いほうを明日2枚", "totoro"),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        told(&mut talk, films());
        let next = talk.say(later);
        let next = if call(&next).0 == "list_movies" { talk.back(&[films()]) } else { next };
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!(film)), "{later}");
    }
}

#[test]
fn what_is_to_be_done_instead_waits_for_its_turn() {
    for (sentence, hours) in [
        ("明日のAKIRAを2枚取って、もし夜が埋まってたら朝の回にして", None),
        ("book 2 for Akira tomorrow evening, if it's sold out take the morning one", Some("st-1")),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        talk.back(&[films()]);
        let asked = talk.back(&[showings()]);
        let shown = options(&asked, "showtime_id");
        assert!(hours.is_none_or(|it| !shown.iter().any(|id| id == it)), "{shown:?}");
        let (_, arguments) = call(&asked);
        let text = arguments["form_schema"]["description"].as_str().unwrap();
        assert!(text.contains("まだ進めていません") || text.contains("not begun yet"), "{text}");
    }
}

#[test]
fn a_count_needs_no_counter_behind_a_mark() {
    for sentence in [
        "last showing of Akira tomorrow, 2 pls",
        "Akira tomorrow at 6:30pm, 2 please",
        "明日のAKIRAの18時30分、大人1子ども1",
        "AKIRA 明日18:30 2ﾏｲ",
        "明日18時半のAKIRA2枚",
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        let mut next = talk.back(&[films()]);
        if call(&next).0 == "list_movies" {
            next = talk.back(&[films()]);
        }
        assert_eq!(call(&next).0, "list_showtimes", "{sentence}");
        talk.back(&[showings()]);
        let proposals = options(&talk.back(&[seats()]), "seat_ids");
        assert!(proposals.iter().all(|it| it.split(',').count() == 2), "{sentence}: {proposals:?}");
    }
}

#[test]
fn another_film_is_meant_by_a_correction() {
    for (first, later) in [
        ("When's Seven Samurai tomorrow?", "sorry I meant Akira"),
        ("明日の七人の侍は何時から？", "ごめん、AKIRAだった"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        talk.back(&[showings()]);
        let decided = talk.say(later);
        let (tool, arguments) = call(&decided);
        assert_eq!((tool, &arguments["date"]), ("list_movies", &json!("2026-11-22")), "{later}");
        assert!(arguments["title_query"].as_str().unwrap().eq_ignore_ascii_case("akira"));
    }
}

#[test]
fn the_later_one_is_one_of_the_showings() {
    let mut talk = new_talk();
    talk.say("When is Akira on tomorrow?");
    talk.back(&[films()]);
    talk.back(&[showings()]);
    let decided = talk.say("and the later one?");
    let (tool, arguments) = call(&decided);
    assert_eq!((tool, &arguments["showtime_id"]), ("list_available_seats", &json!("st-3")));
}

#[test]
fn who_keeps_from_one_part_of_the_hall_may_wish_another() {
    use super::super::wanted::{Position, Wanted};
    let today = language::Date::constant(2026, 11, 21);
    for (sentence, expected) in [
        ("two for Akira, aisle if possible, not the front row", Some(Position::Aisle)),
        ("通路側で、最前列は嫌", Some(Position::Aisle)),
        ("not in the front row", Some(Position::Middle)),
        ("two seats", None),
    ] {
        let sentence = super::super::Sentence::of(sentence, today);
        assert_eq!(Wanted::of(&sentence).position, expected, "{}", sentence.text());
    }
    for (sentence, ends) in [("2時間以内で終わる映画", false), ("21時までに終わる映画", true)]
    {
        let sentence = super::super::Sentence::of(sentence, today);
        assert_eq!(Wanted::of(&sentence).ends, ends, "{}", sentence.text());
    }
}
