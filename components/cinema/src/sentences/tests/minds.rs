//! Questions about actions, unknown conditions, refused films, shares of a number, and changed minds.

use language::{
    trial::{self, call, concluded},
    turn::{Decision, Failure, ToolResult},
};

use super::{films, new_talk, reserved, seats, showings, *};

#[test]
fn cancels_nothing_on_a_condition() {
    for sentence in [
        "無料ならr-9をキャンセルして",
        "手数料がかからないなら予約r-9を取り消してください",
        "全額戻るんだったらr-9取り消しといて",
        "雨が降ったらr-9をキャンセルしたい",
        "if it's free of charge cancel r-9, otherwise leave it",
        "cancel r-9 only if I get all my money back",
        "cancel r-9 unless it is too late",
        "無料ならなるべく早くr-9をキャンセルして",
        "返金してもらえるならr-9をキャンセルして",
        "cancel r-9 if you can refund me",
        "cancel r-9 if I can get a refund",
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "get_reservation", "{sentence}");
        let text = concluded(&talk.back(&[reserved()])).text();
        assert!(
            text.contains("何も取り消して") || text.contains("nothing was cancelled"),
            "{text}"
        );
        assert!(text.contains("r-9"), "{sentence}: {text}");
        let later = if sentence.is_ascii() {
            "cancel it anyway"
        } else {
            "それでもキャンセルして"
        };
        assert_eq!(call(&talk.say(later)).0, "get_reservation", "{later}");
        assert_eq!(call(&talk.back(&[reserved()])).0, "cancel_reservation", "{later}");
    }
}

#[test]
fn polite_conditions_are_orders() {
    for sentence in [
        "できればr-9をキャンセルして",
        "可能ならr-9を取り消してください",
        "cancel r-9 if possible",
        "could you cancel r-9 if you don't mind",
        "だったらr-9をキャンセルして",
        "それでしたら予約r-9を取り消してください",
        "もしかしたら行けないのでr-9をキャンセルして",
        "出張に行かなければならないのでr-9をキャンセルして",
        "熱が出たらしくて、r-9をキャンセルしたい",
        "なんならr-9もキャンセルして",
        "r-9なら取り消していいよ",
        "お手数でなければr-9をキャンセルしてください",
        "お時間があればr-9をキャンセルしてください",
        "まだ間に合うならr-9をキャンセルして",
        "cancel r-9 if you would",
        "if you have a moment cancel r-9",
        "if it's not too much trouble cancel r-9",
        "I'm not sure if I can make it, so cancel r-9",
        "cancel r-9 and tell me if it worked",
        "unless I'm mistaken r-9 is mine, cancel it",
        "予約r-9をキャンセルしたら席は空きますよね、お願いします",
    ] {
        let mut talk = new_talk();
        if !matches!(talk.say(sentence), Decision::Call(_)) {
            continue;
        }
        assert_eq!(call(&talk.back(&[reserved()])).0, "cancel_reservation", "{sentence}");
    }
}

#[test]
fn undone_booking_is_put_for_cancelling() {
    for (first, later) in [
        ("明日18:30のAKIRAを2枚", "なかったことにして"),
        ("Book two seats for Akira tomorrow at 6:30pm", "undo that"),
    ] {
        let (mut talk, _) = waiting(first);
        talk.back(&[reserved()]);
        assert_eq!(call(&talk.say(later)).0, "get_reservation", "{later}");
        let mut talk = choosing(first);
        assert!(matches!(talk.say("なかったことにして"), Decision::Conclude(_)));
    }
}

#[test]
fn refused_films_are_left_out() {
    for sentence in [
        "Not Akira, not Totoro, something short tomorrow night",
        "no Akira or My Neighbor Totoro please, what else is on tomorrow?",
        "明日、AKIRAでもトトロでもなく何かやってる？",
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        let next = talk.back(&[films()]);
        let Decision::Conclude(conclusion) = &next else {
            let (_, arguments) = call(&next);
            assert_eq!(arguments["movie_id"], "samurai", "{sentence}: {arguments}");
            continue;
        };
        let text = conclusion.text();
        assert!(
            !text.contains("2. ") && (text.contains("Samurai") || text.contains("侍")),
            "{text}"
        );
    }
}

#[test]
fn shares_are_not_added_to_the_number() {
    for sentence in [
        "明日18:30のAKIRAを4人分。2人ずつ別の列でもOK",
        "明日18:30のAKIRAを4枚、2枚ずつに分かれてもいい",
        "four seats for Akira tomorrow at 6:30pm, two in each row",
    ] {
        let mut talk = new_talk().after(sentence, &[films(), showings()]);
        let seats = options(&talk.back(&[seats()]), "seat_ids");
        assert_eq!(seats[0].split(',').count(), 4, "{sentence}: {seats:?}");
    }
}

#[test]
fn vague_words_are_no_titles() {
    for sentence in [
        "話題作明日2枚予約して",
        "明日の人気作を2枚",
        "something everyone's talking about, 2 tickets for tomorrow",
        "明日の短めの映画を2枚",
    ] {
        let next = new_talk().say(sentence);
        assert_eq!(call(&next), ("list_movies", json!({ "date": "2026-11-22" })), "{sentence}");
    }
}

#[test]
fn second_choice_waits_until_the_first_is_full() {
    for sentence in [
        "Book two for Akira tomorrow at 6:30pm, and if that's sold out then the 9pm one",
        "明日のAKIRA、18時半の回が満席だったら21時の回を2枚",
        "明日18:30のAKIRAを2枚、満席なら21時の回で",
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        talk.back(&[films()]);
        let next = talk.back(&[showings()]);
        let expected = ("list_available_seats", json!({ "showtime_id": "st-2" }));
        assert_eq!(call(&next), expected, "{sentence}");
        let chosen = options(&talk.back(&[seats()]), "seat_ids");
        assert_eq!(chosen[0].split(',').count(), 2, "{sentence}");
    }
}

#[test]
fn other_film_with_its_showing_replaces_the_first() {
    for (first, later) in [
        ("明日18:30のAKIRAを2枚", "いや、トトロの遅い方で"),
        ("明日18:30のAKIRAを2枚", "やっぱりトトロの最終回"),
        ("Book two seats for Akira tomorrow at 6:30pm", "no, Totoro, the late one"),
    ] {
        let mut talk = choosing(first);
        let (tool, arguments) = request_of_first(&talk.say(later));
        assert_eq!(tool, "list_movies", "{later}");
        let title = arguments["title_query"].as_str().unwrap_or_default().to_lowercase();
        assert!(title.contains("トトロ") || title.contains("totoro"), "{later}: {arguments}");
    }
}

/// Tool and arguments of the first call.
fn request_of_first(next: &Decision) -> (String, Value) {
    let Decision::Call(calls) = next else { panic!("{next:?}") };
    (calls[0].name.clone(), Value::Object(calls[0].arguments.clone()))
}

#[test]
fn seats_are_chosen_after_they_were_shown() {
    for (first, later) in [
        ("明日18:30のAKIRAの空席は？", "C列の4と5で"),
        ("seats left for Akira tomorrow 6:30pm?", "C4 and C5"),
    ] {
        let mut talk = new_talk().after(first, &[films(), showings(), seats()]);
        assert_eq!(call(&talk.say(later)).0, "list_available_seats", "{later}");
        assert!(asks_name(&talk.back(&[seats()])), "{later}");
    }
}

#[test]
fn refused_seats_are_not_booked() {
    for (first, later) in [
        ("明日18:30のAKIRAの空席は？", "C4とC5はだめ"),
        ("明日18:30のAKIRAの空席は？", "C4とC5以外"),
        ("seats left for Akira tomorrow 6:30pm?", "not C4 and C5"),
    ] {
        let mut talk = new_talk().after(first, &[films(), showings(), seats()]);
        if let Decision::Call(calls) = talk.say(later) {
            assert_eq!(calls[0].name, "list_available_seats", "{later}");
            assert!(!asks_name(&talk.back(&[seats()])), "{later}");
        }
    }
}

#[test]
fn time_of_day_chooses_among_the_shown_times() {
    for (first, later) in [
        ("明日のAKIRAを2枚", "夜9時の回でお願いします"),
        ("明日のAKIRAを2枚", "最終回でお願いします"),
        ("Book two seats for Akira tomorrow", "the last showing please"),
    ] {
        let mut talk = new_talk().after(first, &[films()]);
        assert!(!options(&talk.back(&[showings()]), "showtime_id").is_empty(), "{first}");
        let (tool, arguments) = request_of_first(&talk.say(later));
        let chosen = match &*tool {
            "list_showtimes" => request_of_first(&talk.back(&[showings()])),
            _ => (tool, arguments),
        };
        let expected = ("list_available_seats".to_owned(), json!({ "showtime_id": "st-3" }));
        assert_eq!(chosen, expected, "{later}");
    }
}

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
