//! Questions in the middle of a visit, and films of a list by number.

use super::*;

/// A conversation in which three films were listed.
fn listed(sentence: &str) -> trial::Talk {
    let mut talk = new_talk();
    assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
    let text = concluded(&talk.back(&[films()])).text();
    assert!(text.contains("2. "), "{text}");
    talk
}

#[test]
fn books_listed_film_by_its_number() {
    for (first, later) in [
        ("What films are on tomorrow?", "book number two for four people"),
        ("What films are on tomorrow?", "book option 2 for tuesday for four people"),
        ("What films are on tomorrow?", "no. 2 please, four seats"),
        ("明日の映画は？", "2番を4枚予約して"),
        ("明日の映画は？", "二番目を4人で"),
    ] {
        let mut talk = listed(first);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!("totoro")), "{later}");
    }
}

#[test]
fn books_the_last_listed_film() {
    for (first, later) in [
        ("What films are on tomorrow?", "book the last one for two"),
        ("What films are on tomorrow?", "two seats for the last one"),
        ("明日の映画は？", "一番下のを2枚"),
        ("明日の映画は？", "最後のやつを2枚予約して"),
    ] {
        let next = listed(first).say(later);
        assert_eq!(call(&next).1["movie_id"], "samurai", "{later}");
    }
}

#[test]
fn lists_times_of_a_film_by_its_number() {
    for (first, later) in [
        ("What films are on tomorrow?", "what time is number two?"),
        ("What films are on tomorrow?", "showtimes of the second one"),
        ("明日の映画は？", "2番のやつは何時？"),
        ("明日の映画は？", "二つ目の上映時間を教えて"),
        ("明日の映画は？", "2番の最初の回はいつ？"),
    ] {
        let mut talk = listed(first);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!("totoro")), "{later}");
        let text = concluded(&talk.back(&[showings()])).text();
        assert!(!text.contains("did not understand") && !text.contains("分からない"), "{text}");
    }
}

#[test]
fn pronoun_means_the_best_of_a_list() {
    for (first, asked, later) in [
        ("何かおすすめの映画ありますか？", None, "じゃあそれの時間を教えてください"),
        ("What films are on tomorrow?", Some("how about the longest one?"), "when's it on"),
    ] {
        let mut talk = listed(first);
        if let Some(asked) = asked {
            assert_eq!(call(&talk.say(asked)).0, "list_movies", "{asked}");
            let text = concluded(&talk.back(&[films()])).text();
            assert!(text.contains("Seven Samurai"), "{text}");
        }
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(
            (tool, &arguments["movie_id"]),
            ("list_showtimes", &json!("samurai")),
            "{later}"
        );
    }
}

/// The hall with prices.
fn priced_hall() -> ToolResult {
    let ToolResult::Output { mut structured, meta, content } = seats() else { panic!("no hall") };
    structured["prices"] = json!({ "standard": 2000, "currency": "JPY" });
    ToolResult::Output { structured, meta, content }
}

#[test]
fn answers_price_while_choosing_and_waiting() {
    for (first, later, total) in [
        (PAIR, "how much is it?", "¥4,000"),
        (PAIR, "oh and whats the price", "¥4,000"),
        (PAIR, "what does it cost for two students?", "¥4,000"),
        (PAIR_JA, "いくらになりますか", "4,000円"),
        (PAIR_JA, "料金は？", "4,000円"),
        (PAIR_JA, "学生割引ある？", "4,000円"),
    ] {
        let mut talk = new_talk().after(first, &[films(), showings()]);
        assert_eq!(call(&talk.back(&[priced_hall()])).0, FORM, "{first}");
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains(total), "{later}: {text}");
        let is_lower = later.contains("student") || later.contains("割引");
        assert_eq!(text.contains("discounts") || text.contains("割引"), is_lower, "{text}");
        // The requested form is still answered.
        let next = talk.say(r#"{"seat_ids": "C4,C5", "user_id": "u-1"}"#);
        assert_eq!(call(&next).0, "reserve_seats", "{later}");
        let text = concluded(&talk.say_instead(later)).text();
        assert!(text.contains(total), "{later}: {text}");
    }
}

#[test]
fn answers_price_of_a_named_film() {
    for sentence in ["羅生門の料金教えて", "羅生門っていくら？", "How much is Rashomon?"]
    {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "list_movies", "{sentence}");
        assert!(arguments["title_query"].is_string(), "{sentence}: {arguments}");
    }
}

#[test]
fn holds_seats_with_any_counter() {
    for sentence in [
        "生きるの席を明日2つ仮押さえしてもらえますか",
        "明日のAKIRAを2枚キープしてくれますか",
        "Can you put two seats for Ikiru tomorrow on hold for me?",
        "could you hold two seats for Akira tomorrow?",
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
    }
}

#[test]
fn answers_hold_duration_and_confirms() {
    for (hold, asked) in [
        (HELD, "あと何分持つの？"),
        (HELD, "いつまで有効ですか"),
        (HELD_EN, "How long do I have?"),
        (HELD_EN, "how long will you keep them?"),
    ] {
        let mut talk = new_talk();
        held(&mut talk, hold);
        assert_eq!(call(&talk.say(asked)).0, "list_holds", "{asked}");
        let text = concluded(&talk.back(&[holds(&[&["A5", "A6"]])])).text();
        assert!(text.contains("A5"), "{text}");
    }
    for (hold, confirmed) in [(HELD, "じゃあ確定で"), (HELD_EN, "ok confirm it")] {
        let mut talk = new_talk();
        held(&mut talk, hold);
        assert_eq!(call(&talk.say(confirmed)).0, "list_holds", "{confirmed}");
        let next = talk.back(&[holds(&[&["A5", "A6"]])]);
        assert_eq!(call(&next).0, "reserve_seats", "{confirmed}");
    }
}

#[test]
fn abandons_or_repeats_the_choice() {
    for (first, later) in [
        (PAIR_JA, "やっぱいらない"),
        (PAIR_JA, "やっぱいらない、離して"),
        (PAIR, "I don't want them"),
    ] {
        let text = concluded(&choosing(first).say(later)).text();
        assert!(text.contains("何もしていません") || text.contains("nothing was done"), "{later}");
    }
    for (first, later) in [(PAIR, "great, book them"), (PAIR_JA, "じゃあ予約して")] {
        let mut talk = choosing(first);
        assert_eq!(call(&talk.say(later)).0, "list_available_seats", "{later}");
        assert_eq!(call(&talk.back(&[seats()])).0, FORM, "{later}");
    }
}

#[test]
fn ignores_words_that_are_no_booking_number() {
    for sentence in ["what's my booking number again", "my reservation number please"] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("Nothing was reserved in this conversation"), "{sentence}: {text}");
    }
    let next = new_talk().say("show me reservation r-123");
    assert_eq!(call(&next).0, "get_reservation");
}

#[test]
fn mentions_inexact_film_match() {
    let mut talk = new_talk();
    talk.say("Book two seats for Kate tomorrow at 6:30pm");
    let one = json!({ "movies": [
        { "movie_id": "corner", "title": "この世界の片隅に", "title_en": "In This Corner of the World" },
    ] });
    talk.back(&[output(one)]);
    talk.back(&[showings()]);
    let asked = talk.back(&[seats()]);
    let (_, arguments) = call(&asked);
    let description = arguments["form_schema"]["description"].as_str().unwrap();
    assert!(description.contains("\"Kate\""), "{description}");
}

#[test]
fn lists_free_seats_of_the_requested_end() {
    for (sentence, part, has, lacks) in [
        ("明日18:30のAKIRA、後ろのほうの席は空いてる？", "後ろ半分", "- C:", "- A:"),
        ("明日18:30のAKIRAの前の方の席は空いてる？", "前半分", "- A:", "- C:"),
        (
            "Are there seats free near the back for Akira tomorrow at 6:30pm?",
            "back half",
            "- C:",
            "- A:",
        ),
        ("Are any seats left for Akira tomorrow at 6:30pm?", "free", "- A:", "half"),
    ] {
        let mut talk = new_talk().after(sentence, &[films()]);
        assert_eq!(call(&talk.back(&[showings()])).0, "list_available_seats", "{sentence}");
        let text = concluded(&talk.back(&[seats()])).text();
        assert!(text.contains(part) && text.contains(has), "{sentence}: {text}");
        assert!(!text.contains(lacks), "{sentence}: {text}");
    }
}

#[test]
fn thanks_do_not_change_the_request() {
    for (first, later) in [
        ("明日の映画は？", "ありがとう、2番を2枚お願い"),
        ("明日の映画は？", "ありがとうございます。じゃあ2番を大人2枚で"),
        ("What films are on tomorrow?", "thanks, now book number two for two"),
        ("What films are on tomorrow?", "Thank you! 2 seats for number 2 please"),
    ] {
        let mut talk = listed(first);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!("totoro")), "{later}");
    }
}

#[test]
fn bare_number_chooses_from_the_list() {
    for (first, later) in [
        ("明日の映画は？", "2番の時間は？"),
        ("明日の映画は？", "2"),
        ("明日の映画は？", "いや、2で"),
        ("What films are on tomorrow?", "no, 2 please"),
        ("What films are on tomorrow?", "2"),
    ] {
        let mut talk = listed(first);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!("totoro")), "{later}");
    }
}

/// A conversation with held seats that wait to be reserved.
fn reserving(talk: &mut trial::Talk, hold: &str, order: &str) -> String {
    held(talk, hold);
    assert_eq!(call(&talk.say(order)).0, "list_holds", "{order}");
    let mut one = super::hold(&["A5", "A6"]);
    one["total"] = json!({ "currency": "JPY", "amount": 4000 });
    let next = talk.back(&[output(json!({ "holds": [one] }))]);
    assert_eq!(call(&next).0, "reserve_seats", "{order}");
    let Decision::Call(calls) = next else { panic!("no call") };
    calls[0].reason.clone()
}

#[test]
fn reserves_held_seats_with_their_price() {
    for (hold, order, total) in
        [(HELD, "予約して", "合計 4,000円"), (HELD_EN, "book them", "¥4,000 in all")]
    {
        let reason = reserving(&mut new_talk(), hold, order);
        assert!(reason.contains(total), "{reason}");
    }
}

#[test]
fn repeated_order_keeps_the_pending_booking() {
    for (hold, order, again) in [
        (HELD, "予約して", "予約して"),
        (HELD, "予約して", "それで予約お願いします"),
        (HELD, "予約して", "確定で"),
        (HELD, "予約して", "どうなった？"),
        (HELD_EN, "book them", "book them please"),
        (HELD_EN, "book them", "is it done?"),
    ] {
        let mut talk = new_talk();
        reserving(&mut talk, hold, order);
        let next = talk.say_instead(again);
        assert_eq!(call(&next).0, "reserve_seats", "{again}");
    }
}

#[test]
fn chooses_another_count_while_held_seats_wait() {
    for (hold, order, later) in [
        (HELD, "予約して", "やっぱり3で"),
        (HELD, "予約して", "いや、3枚お願い"),
        (HELD_EN, "book them", "no, 3 please"),
        (HELD_EN, "book them", "make it three seats"),
    ] {
        let mut talk = new_talk();
        reserving(&mut talk, hold, order);
        let next = talk.say_instead(later);
        let (tool, arguments) = call(&next);
        assert_eq!(
            (tool, &arguments["showtime_id"]),
            ("list_available_seats", &json!("st-2")),
            "{later}"
        );
    }
}

#[test]
fn reserves_or_releases_after_asking_the_time() {
    for (hold, asked, later, tool) in [
        (HELD, "あと何分？", "確定で", "reserve_seats"),
        (HELD, "あと何分？", "手放して", "release_hold"),
        (HELD_EN, "how long do I have?", "book them please", "reserve_seats"),
        (HELD_EN, "how long do I have?", "let them go", "release_hold"),
    ] {
        let mut talk = new_talk();
        held(&mut talk, hold);
        assert_eq!(call(&talk.say(asked)).0, "list_holds", "{asked}");
        let text = concluded(&talk.back(&[holds(&[&["A5", "A6"]])])).text();
        assert!(!text.contains("st-2"), "{text}");
        assert_eq!(call(&talk.say(later)).0, "list_holds", "{later}");
        assert_eq!(call(&talk.back(&[holds(&[&["A5", "A6"]])])).0, tool, "{later}");
    }
}

#[test]
fn sorts_the_list_of_films() {
    for (first, later, text) in [
        ("明日の映画は？", "短い順に並べて", "1. となりのトトロ"),
        ("What films are on tomorrow?", "sort by rating please", "1. Seven Samurai"),
    ] {
        let mut talk = listed(first);
        assert_eq!(call(&talk.say(later)).0, "list_movies", "{later}");
        let answer = concluded(&talk.back(&[films()])).text();
        assert!(answer.contains(text), "{later}: {answer}");
    }
}

#[test]
fn asks_price_for_other_people() {
    for (first, later) in [
        (PAIR_JA, "シニア二枚だと？"),
        (PAIR_JA, "学生なら？"),
        (PAIR_JA, "子供は？"),
        (PAIR, "what about two seniors?"),
    ] {
        let mut talk = new_talk().after(first, &[films(), showings(), priced_hall()]);
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains("4,000"), "{later}: {text}");
    }
}

#[test]
fn similar_titles_are_in_the_answers_language() {
    let mut talk = new_talk();
    talk.say("Is \"Rashomono\" on tomorrow?");
    let near = json!({ "movies": [], "suggestions": ["羅生門"], "suggestions_en": ["Rashomon"] });
    let text = concluded(&talk.back(&[output(near)])).text();
    assert!(text.contains("Rashomon") && !text.contains("羅生門"), "{text}");
}

#[test]
fn finds_reservation_by_film_name() {
    let one = |id: &str, title: &str| json!({ "reservation_id": id, "movie_title": title, "start_time": "2026-11-22T18:30:00", "user_id": "u-77" });
    for (first, ask_for_user, whose) in [
        ("キャンセルしたいんだけど", "予約番号わかんない", "ユーザーIDはu-77"),
        ("予約をキャンセルしてください", "番号は忘れました", "田中です"),
        ("I want to cancel my booking", "I dont remember the number", "user id u-77"),
        ("cancel my reservation", "no idea", "it's Ken"),
    ] {
        let mut talk = new_talk();
        assert!(concluded(&talk.say(first)).text().contains("rsv-"), "{first}");
        let text = concluded(&talk.say(ask_for_user)).text();
        assert!(text.contains("ユーザーID") || text.contains("user ID"), "{ask_for_user}: {text}");
        assert_eq!(call(&talk.say(whose)).0, "list_reservations", "{whose}");
        let two = json!({ "reservations": [one("rsv-1", "AKIRA"), one("rsv-2", "羅生門")] });
        let text = concluded(&talk.back(&[output(two)])).text();
        assert!(text.contains("2. "), "{text}");
        let next = talk.say("2");
        assert_eq!(
            call(&next),
            ("get_reservation", json!({ "reservation_id": "rsv-2" })),
            "{whose}"
        );
    }
}

#[test]
fn answers_a_films_rating() {
    for (sentence, answer) in
        [("whats the rating of godzilla", "Godzilla"), ("ゴジラの評価は？", "ゴジラ")]
    {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        let film = json!({ "movie_id": "godzilla", "title": "ゴジラ", "title_en": "Godzilla", "rating": 4.3 });
        let text = concluded(&talk.back(&[output(json!({ "movies": [film] }))])).text();
        assert!(text.contains(answer) && text.contains("4.3"), "{text}");
    }
}

#[test]
fn sorts_the_list_of_showings() {
    for (first, later, text) in [
        ("AKIRAの上映時間は？", "遅い順で", "1. 11月22日 21:00"),
        ("AKIRAの上映時間は？", "空いてる順に並べて", "1. 11月22日 10:00"),
        ("showtimes for Akira", "latest first please", "1. Sun 22 Nov, 21:00"),
    ] {
        let mut talk = new_talk().after(first, &[output(
            json!({ "movies": [{ "movie_id": "akira", "title": "AKIRA", "title_en": "Akira" }] }),
        )]);
        if let Decision::Call(calls) = talk.back(&[showings()]) {
            panic!("{first}: {calls:?}");
        }
        assert_eq!(call(&talk.say(later)).0, "list_showtimes", "{later}");
        let answer = concluded(&talk.back(&[showings()])).text();
        assert!(answer.contains(text), "{later}: {answer}");
    }
}

#[test]
fn part_of_the_hall_is_no_film() {
    for (first, later) in [
        ("上映回 st-2 の空席を見せて", "真ん中の2つ取って"),
        ("上映回 st-2 の空席を見せて", "後ろのほうを二つ押さえて"),
        ("Show me the free seats of showtime st-2", "book two in the middle"),
    ] {
        let mut talk = new_talk().after(first, &[seats()]);
        let next = talk.say(later);
        let tool = call(&next).0;
        assert!(["list_available_seats", "suggest_seats", FORM].contains(&tool), "{later}: {tool}");
    }
}

/// A rating may be an integer and is not reported as unknown.
#[test]
fn lists_films_from_a_minimum_rating() {
    for (sentence, answer, not_told) in [
        ("評価4.6以上の映画は？", "となりのトトロ", "AKIRA"),
        ("評価は5点満点で4.6以上の映画は？", "となりのトトロ", "AKIRA"),
        ("評価が5以上の映画は？", "条件に合う映画", "「5"),
        ("評価4以上の映画は？", "AKIRA", "「4"),
        ("Which films are rated above 4?", "Akira", "understand"),
        ("films with a rating of at least 5", "No film fits", "\"5"),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        let text = concluded(&talk.back(&[films()])).text();
        assert!(text.contains(answer), "{sentence}: {text}");
        assert!(!text.contains(not_told), "{sentence}: {text}");
    }
}

/// A conversation in which two seats for Akira were reserved.
fn booked() -> trial::Talk {
    let mut talk = new_talk();
    talk.say("Reserve B5 and B6 of showtime st-2 for user u-1");
    let mut made = reserved();
    if let ToolResult::Output { structured, .. } = &mut made {
        structured["total"] = json!({ "currency": "JPY", "amount": 4000 });
    }
    assert!(concluded(&talk.back(&[made])).text().contains("r-9"));
    talk
}

#[test]
fn answers_questions_about_a_booking() {
    for later in [
        "which seats did I get again?",
        "where are we sitting?",
        "what did it cost?",
        "did that work?",
        "what time did you book?",
        "What was my booking number?",
        "さっきの予約、何時だっけ",
        "席どこになった？",
        "合計いくら？",
        "何の映画だっけ？",
        "さっき取った席はどこでしたっけ",
        "予約できた？",
    ] {
        let mut talk = booked();
        let text = concluded(&talk.say(later)).text();
        assert!(
            ["r-9", "18:30", "B5", "4,000"].iter().all(|it| text.contains(it)),
            "{later}: {text}"
        );
    }
    for later in
        ["which films are on again?", "ほかの回は何時だっけ？", "Where is row C again, two seats?"]
    {
        let mut talk = booked();
        let next = talk.say(later);
        let answer = matches!(&next, Decision::Conclude(it) if it.text().contains("r-9"));
        assert!(!answer, "{later}");
    }
}

#[test]
fn continues_differently_after_a_denial() {
    for (later, tool) in [
        ("じゃあ取って", "reserve_seats"),
        ("OK, book them", "reserve_seats"),
        ("fine, do it then", "reserve_seats"),
        ("やっぱり進めて", "reserve_seats"),
        ("やっぱり明後日にして", "list_"),
        ("ok make it monday instead", "list_"),
        ("3人にして", "list_"),
        ("席だけ変えて、C列で", "list_"),
    ] {
        let mut talk = new_talk();
        talk.say("Reserve A5 and A6 of showtime st-2 for user u-1");
        let failure = Failure::new("not_allowed", 403, "The person did not allow it.");
        let _ = concluded(&talk.back(&[ToolResult::Failed(failure)]));
        let next = talk.say(later);
        assert!(call(&next).0.starts_with(tool), "{later}");
    }
    let mut talk = new_talk();
    talk.say("Reserve A5 and A6 of showtime st-2 for user u-1");
    let failure = Failure::new("not_allowed", 403, "The person did not allow it.");
    talk.back(&[ToolResult::Failed(failure)]);
    for later in ["no", "hmm", "うーん", "ok"] {
        assert!(matches!(talk.say(later), Decision::Conclude(_)), "{later}");
    }
}

#[test]
fn books_the_other_end_of_a_sorted_list() {
    for (first, later, film) in [
        ("What is the longest film tomorrow?", "book me the shorter one for 2", "totoro"),
        ("明日一番長い映画は？", "短いほうを2枚予約して", "totoro"),
        ("明日一番長い映画は？", "短い方を2枚", "totoro"),
        ("which is shorter, Seven Samurai or Akira?", "two for the shorter one tomorrow", "akira"),
        ("七人の侍とAKIRA、どっちが短い？", "短い方を明日2枚", "akira"),
    ] {
        let mut talk = listed(first);
        let next = talk.say(later);
        let next = if call(&next).0 == "list_movies" { talk.back(&[films()]) } else { next };
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!(film)), "{later}");
    }
}

#[test]
fn books_the_same_again() {
    let booked = || {
        let mut talk = new_talk();
        talk.say("Book two seats for Akira tomorrow at 6:30pm for user u-1");
        talk.back(&[films()]);
        talk.back(&[showings()]);
        talk.back(&[seats()]);
        assert_eq!(call(&talk.say(r#"{"seat_ids": "B5,B6"}"#)).0, "reserve_seats");
        let _ = concluded(&talk.back(&[reserved()]));
        talk
    };
    for (later, tool) in [
        ("同じのをもう1枚", "list_available_seats"),
        ("もう2枚追加で", "list_available_seats"),
        ("さっきと同じで4枚", "list_available_seats"),
        ("same again but for three", "list_available_seats"),
        ("same as before but for 3", "list_available_seats"),
        ("two more seats please", "list_available_seats"),
        ("さっきと同じ映画を明後日も", "list_showtimes"),
        ("the same film on Tuesday", "list_showtimes"),
    ] {
        assert_eq!(call(&booked().say(later)).0, tool, "{later}");
    }
    let Decision::Call(calls) = booked().say("同じ日の他の映画を教えて") else {
        panic!("not looked up")
    };
    assert!(calls.iter().all(|it| it.name == "list_movies"), "{calls:?}");
}

#[test]
fn only_showing_is_not_taken_at_other_hours() {
    for (first, later) in [
        ("When is Akira on tomorrow?", "in the morning, 2 adults 1 child"),
        ("明日のAKIRAは何時から？", "朝がいい、3人で"),
    ] {
        let mut talk = new_talk().after(first, &[films()]);
        let mut one = showings();
        if let ToolResult::Output { structured, .. } = &mut one {
            let evening = structured["showtimes"][1].clone();
            structured["showtimes"] = json!([evening]);
        }
        let _ = concluded(&talk.back(&[one]));
        assert_eq!(call(&talk.say(later)).0, "list_showtimes", "{later}");
    }
}

#[test]
fn answers_length_by_list_number() {
    for later in ["2番目のやつ何分？", "二つ目は何分ですか", "how long is number 2?"]
    {
        let mut talk = listed("明日の映画は？");
        let next = talk.say(later);
        assert!(
            call(&next).1["title_query"].as_str().is_some_and(|it| it.contains("トトロ")),
            "{later}"
        );
    }
}

#[test]
fn searches_a_title_in_hiragana() {
    for (sentence, title) in [
        ("きみのなはの上映時間", "きみのなは"),
        ("いちばん早い回のおくりびと、明日", "おくりびと"),
        ("となりのととろ、あしたなんじから？", "となりのととろ"),
        ("あしたのきみのなはをみたい", "きみのなは"),
        ("おくりびと 2枚 明日", "おくりびと"),
        ("ばんびきかぞくっていつやってる？", "ばんびきかぞく"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).1["title_query"], title, "{sentence}");
    }
    for sentence in ["いちばんはやいのを予約したい", "どれがみたいですか", "うしろのせきを予約"]
    {
        let utterance =
            super::super::Sentence::parse(sentence, language::Date::constant(2026, 11, 21));
        assert_eq!(utterance.title(), None, "{sentence}");
    }
}

#[test]
fn prices_are_the_same_for_everyone() {
    for sentence in [
        "大人と学生の料金はいくら？",
        "what's the price for adults and for kids?",
        "シニア料金は？",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("割引の情報はありません") || text.contains("no discounts"), "{text}");
    }
}

#[test]
fn takes_a_recommended_film_by_reference() {
    for (first, later) in [
        ("何かおすすめの映画ありますか？", "それにする"),
        ("一番評価の高い映画は？", "じゃあそれがいいです"),
        ("明日一番短い映画は？", "それにします"),
    ] {
        let mut talk = listed(first);
        assert_eq!(call(&talk.say(later)).0, "list_showtimes", "{later}");
    }
}

#[test]
fn sentence_without_a_name_searches_nothing() {
    for sentence in ["できたら見せて", "結果見せて", "長いのは苦手", "スタッフは？", "それにする"]
    {
        assert!(matches!(new_talk().say(sentence), Decision::Conclude(_)), "{sentence}");
    }
}

#[test]
fn finds_booking_by_its_owner() {
    for later in ["さっき取ったやつ", "the one I just made"] {
        let mut talk = new_talk();
        let first = if later.is_ascii() {
            "cancel my booking"
        } else {
            "映画の予約キャンセルしたい"
        };
        let _ = concluded(&talk.say(first));
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains("ユーザーID") || text.contains("user ID"), "{later}: {text}");
    }
}
