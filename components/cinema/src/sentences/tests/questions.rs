//! Questions about actions, which order nothing.

use language::{
    trial::{self, call, concluded},
    turn::{Decision, Failure, ToolResult},
};

use super::{films, new_talk, reserved, seats, showings};

const BOOK: &str = "Reserve B5 and B6 of showtime st-2 for user u-1";

fn refused() -> ToolResult {
    ToolResult::Failed(Failure::new("not_allowed", 403, "The person did not allow it."))
}

/// Answer to `later` after `first` returned `result`.
fn answer(first: &str, result: ToolResult, later: &str) -> String {
    let mut talk = new_talk().after(first, &[result]);
    match talk.say(later) {
        Decision::Conclude(it) => it.text(),
        Decision::Call(it) => panic!("{later}: {it:?}"),
    }
}

#[test]
fn denied_call_is_reported_as_not_done() {
    for later in [
        "did you book it?",
        "have you reserved the seats?",
        "so was it booked?",
        "結局どうなった？",
        "予約した？",
        "予約しましたか？",
        "席は取れた？",
        "もう予約してくれた？",
        "何も予約されてないよね？",
    ] {
        let text = answer(BOOK, refused(), later);
        assert!(
            text.contains("was not done") || text.contains("行っていません"),
            "{later}: {text}"
        );
    }
}

/// A call that timed out may have been made: nothing is claimed either way.
#[test]
fn timed_out_call_is_reported_as_unknown() {
    let late = || ToolResult::Failed(Failure::new("outcome_unknown", 504, "It took too long."));
    for later in ["did you book it?", "was it booked?", "予約した？", "席は取れた？"] {
        let text = answer(BOOK, late(), later);
        assert!(
            text.contains("not known") || text.contains("確認できていません"),
            "{later}: {text}"
        );
    }
}

#[test]
fn status_question_repeats_the_approval() {
    for later in ["did you book it?", "予約した？", "is it booked?", "もう予約できてる？"]
    {
        let mut talk = new_talk();
        talk.say(BOOK);
        let next = talk.say_instead(later);
        assert_eq!(call(&next).0, "reserve_seats", "{later}");
    }
    for later in ["宿題はもう終わった？", "did the weather forecast change again yesterday?"]
    {
        let mut talk = new_talk();
        talk.say(BOOK);
        let next = talk.say_instead(later);
        assert!(matches!(next, Decision::Conclude(_)), "{later}");
    }
}

#[test]
fn asking_about_another_booking_is_no_order() {
    for later in [
        "did you book Rashomon?",
        "Have you reserved seats for Seven Samurai tomorrow?",
        "羅生門は予約した？",
        "七人の侍の席、取ってくれた？",
    ] {
        let text = answer(BOOK, reserved(), later);
        assert!(text.contains("r-9") && text.contains("AKIRA"), "{later}: {text}");
    }
}

#[test]
fn asking_about_cancellation_is_no_order() {
    let found = || reserved();
    for later in ["did you cancel it?", "was it cancelled?", "キャンセルした？", "取り消せたの？"]
    {
        let mut talk = new_talk();
        talk.say("Cancel reservation r-9");
        assert_eq!(call(&talk.back(&[found()])).0, "cancel_reservation");
        talk.back(&[refused()]);
        let next = talk.say(later);
        let text = concluded(&next).text();
        assert!(text.contains("not done") || text.contains("行っていません"), "{later}: {text}");
    }
}

#[test]
fn explains_consequences_without_acting() {
    for sentence in [
        "what happens if I cancel r-9?",
        "What would happen if I cancelled reservation r-9?",
        "will I get a refund if I cancel r-9?",
        "should I book two seats for Akira tomorrow?",
        "if I book two seats for Akira tomorrow, do I get an email?",
        "what happens when I hold A5 and A6?",
        "r-9を取り消すとどうなりますか",
        "予約をキャンセルしたらどうなる？",
        "明日のAKIRAを2枚予約するとメールは来る？",
        "A5を仮押さえするとどうなるの？",
    ] {
        let next = new_talk().say(sentence);
        let text = concluded(&next).text();
        let nothing = ["Nothing was done", "まだ何もしていません"];
        assert!(nothing.iter().any(|it| text.contains(it)), "{sentence}: {text}");
    }
}

#[test]
fn follows_orders_phrased_as_questions() {
    for sentence in [
        "can you book two seats for Akira tomorrow?",
        "could I reserve two seats for Akira tomorrow?",
        "明日のAKIRAを2枚予約できますか",
        "明日のAKIRAを2枚予約してもらえますか？",
    ] {
        assert_eq!(call(&new_talk().say(sentence)).0, "list_movies", "{sentence}");
    }
}

#[test]
fn new_film_and_day_replace_both() {
    for (first, later, title) in [
        ("来週の土曜のAKIRAを2枚", "いや、ごめん、トトロを日曜で", "トトロ"),
        ("来週の土曜のAKIRAを2枚", "十人で来週の日曜のゴジラ", "ゴジラ"),
        ("Book two seats for Akira next Saturday", "oops, Totoro on Sunday", "Totoro"),
        ("Book two seats for Akira next Saturday", "sorry, I meant Totoro on Sunday", "Totoro"),
    ] {
        let mut talk: trial::Talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        talk.back(&[showings()]);
        let next = talk.say_instead(later);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["title_query"]), ("list_movies", &title.into()), "{later}");
        assert_eq!(arguments["date"], "2026-11-29", "{later}");
    }
    // The chosen film keeps its showing.
    let mut talk = new_talk()
        .after("Book two seats for Akira tomorrow at 6:30pm", &[films(), showings(), seats()]);
    assert_eq!(call(&talk.say_instead("no, Akira on Monday")).0, "list_showtimes");
}

#[test]
fn breaks_and_trailers_are_not_on_record() {
    for sentence in [
        "休憩は何分？",
        "予告編は何分くらい？",
        "is there an intermission?",
        "how long are the trailers?",
        "is there a break in the middle of Seven Samurai?",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("trailers") || text.contains("休憩や予告編"), "{sentence}: {text}");
    }
}

#[test]
fn all_ticket_kinds_cost_the_same() {
    for sentence in [
        "kids tickets?",
        "do you have student tickets?",
        "子供のチケットはある？",
        "is there a child ticket?",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("no discounts") || text.contains("割引の情報はありません"), "{text}");
    }
}
