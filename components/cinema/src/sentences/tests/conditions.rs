//! Conditions: exclusions, prices, dates, and positions in kana.

use language::{Date, turn::ToolCall};

use super::*;
use crate::sentences::{
    rules::{Facts, Sign},
    titles::Sentence,
};

/// Answer to `sentence` about the films of tomorrow.
fn answer(sentence: &str) -> String {
    let mut talk = new_talk();
    let next = talk.say(sentence);
    assert!(matches!(next, Decision::Call(_)), "{sentence}");
    let (tool, arguments) = call(&next);
    assert_eq!((tool, &arguments["title_query"]), ("list_movies", &Value::Null), "{sentence}");
    concluded(&talk.back(&[films()])).text()
}

#[test]
fn excludes_unwanted_genre() {
    for sentence in [
        "アニメは見たくない。明日の夜は何やってる？",
        "明日の夜の映画、アニメじゃないやつで",
        "明日の映画は？アニメ映画は苦手です",
        "アニメ以外で明日の映画を教えて",
        "I don't want to see anime. What's on tomorrow?",
        "i dont want anime. whats on tomorrow",
        "no cartoons please, what's on tomorrow?",
        "what films are on tomorrow? not an animated one",
        "which films are on tomorrow except the anime ones?",
        "is there anything besides anime tomorrow night?",
        "明日の夜、アニメ以外で何かある？",
        "明日の映画、アニメでもホラーでもないやつ",
        "明日の映画、アニメとかホラーは嫌",
        "films that aren't horror or anime tomorrow",
    ] {
        let text = answer(sentence);
        let has = |names: [&str; 2]| names.iter().any(|it| text.contains(it));
        assert!(has(["AKIRA", "Akira"]) && has(["七人の侍", "Seven"]), "{sentence}: {text}");
        assert!(!has(["トトロ", "Totoro"]), "{sentence}: {text}");
    }
    for sentence in ["明日のアニメ映画は？", "明日やってるアニメじゃない？"]
    {
        assert!(answer(sentence).contains("トトロ"), "{sentence}");
    }
    for (first, later) in [
        ("明日の二時間以内の映画は？", "アニメ以外で"),
        ("films under two hours tomorrow", "not animated"),
        ("films under two hours tomorrow", "no cartoons please"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        assert_eq!(call(&talk.say(later)).0, "list_movies", "{later}");
        let text = concluded(&talk.back(&[films()])).text();
        assert!(!text.contains("1. となりのトトロ") && !text.contains("1. My"), "{later}: {text}");
    }
}

#[test]
fn new_day_keeps_the_request() {
    let dates = |next: Decision| match next {
        Decision::Call(calls) => {
            let date = |it: &ToolCall| it.arguments["date"].as_str().unwrap().to_owned();
            calls.iter().map(date).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    for later in ["no, Saturday or Sunday", "いや、土曜か日曜で"] {
        let mut talk = new_talk();
        talk.say("Book two seats for Akira next Friday");
        talk.back(&[films()]);
        talk.back(&[showings()]);
        assert_eq!(dates(talk.say_instead(later)), ["2026-11-28", "2026-11-29"], "{later}");
    }
    for later in ["no, today, the latest", "いや、今日の一番遅いの"] {
        let mut talk = new_talk();
        talk.say("When is Akira on the day after tomorrow?");
        talk.back(&[films()]);
        talk.back(&[showings()]);
        assert_eq!(dates(talk.say(later)), ["2026-11-21"], "{later}");
        let text = concluded(&talk.back(&[showings()])).text();
        assert!(text.contains("21:00") && !text.contains("18:30"), "{later}: {text}");
    }
    for (first, later) in [
        ("となりのトトロ", "日曜"),
        ("My Neighbor Totoro", "tomorrow around 6pm"),
        ("My Neighbor Totoro", "Sunday?"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        let next = talk.say(later);
        assert_eq!(call(&next).1["movie_id"], "totoro", "{later}");
        assert_eq!(dates(next), ["2026-11-22"], "{later}");
    }
}

#[test]
fn denied_end_of_the_hall_is_understood() {
    for sentence in [
        "2 seats for Akira tomorrow, row B middle, not the aisle",
        "明日のAKIRAを2枚、通路側以外で",
        "2 seats for Akira tomorrow, not at the front",
    ] {
        assert_eq!(call(&new_talk().say(sentence)).0, "list_movies", "{sentence}");
    }
}

#[test]
fn denied_length_is_not_requested() {
    for (sentence, is_most) in [
        ("nothing over two hours tomorrow", true),
        ("what's on tomorrow? no films longer than 2 hours", true),
        ("I don't want to see anything over 2 hours tomorrow", true),
        ("films not over two hours tomorrow", true),
        ("no film under two hours tomorrow", false),
        ("films over two hours tomorrow", false),
        ("明日の映画、2時間以上は無理", true),
        ("明日の映画、2時間を超えないやつ", true),
        ("明日の映画、2時間以内じゃないと困る", true),
        ("明日の2時間以上の映画", false),
        ("is there nothing under two hours tomorrow?", true),
        ("明日の映画、2時間以内ない？", true),
    ] {
        let text = answer(sentence);
        let has = |names: [&str; 2]| names.iter().any(|it| text.contains(it));
        assert_eq!(has(["トトロ", "Totoro"]), is_most, "{sentence}: {text}");
        assert_eq!(has(["七人の侍", "Seven"]), !is_most, "{sentence}: {text}");
    }
}

#[test]
fn denied_film_is_not_chosen() {
    for later in
        ["not Godzilla, the other one", "not Godzilla, when is Akira on?", "no, not Godzilla"]
    {
        let mut talk = new_talk();
        talk.say("What films are on tomorrow?");
        talk.back(&[films()]);
        let next = format!("{:?}", talk.say(later));
        assert!(!next.contains("\"title_query\": String(\"Godzilla\")"), "{later}: {next}");
    }
}

#[test]
fn reports_no_order_by_price() {
    for (sentence, part) in [
        ("明日の映画、安い順に並べて", "料金の順には並べられません"),
        ("明日の映画を料金順で見せて", "料金の順には並べられません"),
        ("cheapest first please, movies tomorrow", "I cannot put films in that order"),
        ("what's the cheapest film tomorrow?", "I cannot put films in that order"),
    ] {
        let text = answer(sentence);
        assert!(text.contains(part) && text.contains("3. "), "{sentence}: {text}");
        assert!(!text.contains('※') && !text.contains("Note:"), "{sentence}: {text}");
    }
}

#[test]
fn books_first_of_an_order_with_a_count() {
    for sentence in [
        "what's the longest film? 2 seats for it tomorrow evening",
        "一番長い映画は？それを明日の夜2枚",
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        assert_eq!(call(&talk.back(&[films()])).1["movie_id"], "samurai", "{sentence}");
    }
}

#[test]
fn reports_no_cheap_seats() {
    for (first, later) in [
        ("明日の映画は？", "2番を一番やすい席で2枚"),
        ("What's on tomorrow?", "two of the cheapest seats for number 2"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        talk.say(later);
        let asked = format!("{:?}", talk.back(&[showings()]));
        assert!(asked.contains("種類ごと") || asked.contains("kind of seat"), "{later}: {asked}");
    }
}

#[test]
fn answers_price_for_people_directly() {
    for (sentence, discounts) in [
        ("シニア二枚だと？", "割引の情報はありません"),
        ("子供2人と大人1人でいくらですか", "割引の情報はありません"),
        ("how much for two seniors?", "no discounts"),
        ("What would it cost for 2 adults and a child?", "no discounts"),
        ("how much is it for 3 people?", ""),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        assert_eq!(call(&talk.back(&[films()])).0, "list_showtimes", "{sentence}");
        assert_eq!(call(&talk.back(&[showings()])).0, "list_available_seats", "{sentence}");
        let prices = json!({ "currency": "JPY", "standard": 2000 });
        let answer = talk.back(&[output(json!({ "seats": [], "prices": prices }))]);
        let text = concluded(&answer).text();
        assert!(text.contains("2,000") && text.contains(discounts), "{sentence}: {text}");
    }
}

#[test]
fn a_word_books_what_was_looked_at() {
    for (first, later) in [
        ("Show me the free seats of showtime st-2", "book it"),
        ("Are there wheelchair spaces in showtime st-2?", "ok, book it please"),
        ("上映回 st-2 の空席を見せて", "予約して"),
        ("上映回 st-2 の空席を見せて", "じゃあ予約お願いします"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(first)).0, "list_available_seats", "{first}");
        assert!(matches!(talk.back(&[seats()]), Decision::Conclude(_)), "{first}");
        assert_eq!(call(&talk.say(later)).0, "list_available_seats", "{later}");
        assert_eq!(call(&talk.back(&[seats()])).0, FORM, "{later}");
    }
}

#[test]
fn day_in_words_is_no_list_position() {
    for later in ["the first of December instead", "how about the second of december?"] {
        let mut talk = new_talk();
        talk.say("What films are on tomorrow?");
        assert!(matches!(talk.back(&[films()]), Decision::Conclude(_)), "{later}");
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "list_movies", "{later}");
        assert!(arguments["date"].as_str().unwrap().starts_with("2026-12-0"), "{later}");
    }
}

#[test]
fn kana_and_small_words_choose() {
    for (later, showing) in [
        ("３ばんめのやつ", "st-4"),
        ("2ばんでおねがい", "st-2"),
        ("いちばんはやいのを2枚", "st-1"),
        ("二枚、いちばんおそい回で", "st-3"),
        ("2 pls", "st-2"),
        ("two pls", "st-2"),
    ] {
        let mut talk = new_talk().after("AKIRAの明日の上映時間は？", &[films()]);
        assert!(matches!(talk.back(&[showings()]), Decision::Conclude(_)), "{later}");
        let next = talk.say(later);
        assert_eq!(call(&next).1["showtime_id"], showing, "{later}");
    }
}

#[test]
fn front_in_kana_replaces_the_back() {
    let mut talk = new_talk();
    talk.say("上映回 st-2 をうしろのほうで2席予約して");
    let asked = talk.back(&[seats()]);
    assert!(options(&asked, "seat_ids")[0].starts_with('C'), "{asked:?}");
    for later in ["やっぱりまえのほうで", "いちばんまえがいい"] {
        talk.say(later);
        let asked = talk.back(&[seats()]);
        assert!(options(&asked, "seat_ids")[0].starts_with('A'), "{later}: {asked:?}");
    }
}

#[test]
fn last_showing_of_a_day_asks_for_the_film() {
    // `最初の回` is no film of the list.
    let mut talk = new_talk();
    talk.say("明日の映画は？");
    talk.back(&[films()]);
    assert_eq!(call(&talk.say("最初の回を2枚")).0, "list_movies");
    assert_eq!(options(&talk.back(&[films()]), "movie_id").len(), 3);
    for sentence in ["今日の最終回は？", "明日の最後の回は？", "明日の最終回はいつ？"]
    {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        assert_eq!(options(&talk.back(&[films()]), "movie_id").len(), 3, "{sentence}");
        assert_eq!(call(&talk.say(r#"{"movie_id": "akira"}"#)).0, "list_showtimes");
        let text = concluded(&talk.back(&[showings()])).text();
        assert!(text.contains("21:00") && !text.contains("10:00"), "{sentence}: {text}");
    }
}

#[test]
fn corrected_number_counts() {
    for (first, later, count) in [
        ("Two seats for Akira tomorrow", "no wait, four", 4),
        ("Two seats for Akira tomorrow", "two, no wait, four", 4),
        ("Two seats for Akira tomorrow", "hmm no, sorry, 3", 3),
        ("Two seats for Akira tomorrow", "actually 3", 3),
        ("明日のAKIRAを2枚", "やっぱり4で", 4),
        ("明日のAKIRAを2枚", "いや、三で", 3),
    ] {
        let mut talk = new_talk().after(first, &[films()]);
        let asked = talk.back(&[showings()]);
        assert!(!options(&asked, "showtime_id").is_empty(), "{first}");
        // The showing is still to be chosen, with enough seats.
        let next = talk.say(later);
        assert_eq!(call(&next).0, "list_showtimes", "{later}");
        talk.back(&[showings()]);
        talk.say(r#"{"showtime_id": "st-3"}"#);
        let sets = options(&talk.back(&[seats()]), "seat_ids");
        assert!(sets.iter().all(|it| it.split(',').count() == count), "{later}: {sets:?}");
    }
    // Before a count it chooses from the list.
    let mut talk = new_talk().after("明日のAKIRAを予約したい", &[films(), showings()]);
    assert_eq!(call(&talk.say("いや、2で")).0, "list_available_seats");
}

#[test]
fn reports_facts_not_on_record() {
    for (sentence, says) in [
        ("who directed rashomon", "not on record"),
        ("who's in it", "not on record"),
        ("Who stars in Akira?", "not on record"),
        ("羅生門の監督は誰ですか？", "登録されていない"),
        ("君の名は。の声優って誰？", "登録されていない"),
        ("七人の侍は誰が監督？", "登録されていない"),
        ("Do you have parking?", "facilities"),
        ("is the cinema wheelchair accessible?", "facilities"),
        ("what time do you open", "facilities"),
        ("駐車場ありますか", "館内の設備"),
        ("明日の営業時間を教えて？", "館内の設備"),
        ("映画館の電話番号は？", "館内の設備"),
    ] {
        let mut talk = new_talk();
        let mut next = talk.say(sentence);
        // A named film is described.
        if matches!(next, Decision::Call(_)) {
            next = talk.back(&[films()]);
        }
        let text = concluded(&next).text();
        assert!(text.contains(says), "{sentence}: {text}");
        assert!(!text.contains("did not understand") && !text.contains('※'), "{text}");
    }
    for sentence in ["Book two seats for Akira tomorrow", "films directed by Kurosawa"] {
        assert_eq!(call(&new_talk().say(sentence)).0, "list_movies", "{sentence}");
    }
}

#[test]
fn reports_nonexistent_date() {
    for (sentence, day) in [
        ("11月31日の映画は？", "11月31日"),
        ("2月30日にAKIRAを2枚", "2月30日"),
        ("two seats for Akira on November 31", "November 31"),
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains(day), "{sentence}: {text}");
    }
}

#[test]
fn looks_at_another_day_after_an_empty_one() {
    for (first, later, date) in [
        ("大晦日に映画やってる？", "元日は？", "2027-01-01"),
        ("what's on on New Year's Eve?", "and on January 1st?", "2027-01-01"),
        ("What's on next Sunday?", "I meant this sunday", "2026-11-22"),
        ("来週の日曜は何やってる？", "明日は？", "2026-11-22"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let none = output(json!({ "movies": [] }));
        assert!(matches!(talk.back(&[none]), Decision::Conclude(_)), "{first}");
        let next = talk.say(later);
        assert!(matches!(next, Decision::Call(_)), "{later}");
        assert_eq!(call(&next), ("list_movies", json!({ "date": date })), "{later}");
    }
}

#[test]
fn film_outside_its_hours_is_still_meant() {
    for sentence in ["明日の七人の侍、夜7時半ごろの回を二席", "明日の七人の侍、夜9時の回を2席"]
    {
        let mut talk = new_talk();
        assert!(matches!(talk.say(sentence), Decision::Call(_)), "{sentence}");
        let others = json!({ "movies": [
            { "movie_id": "akira", "title": "AKIRA", "title_en": "Akira", "showtimes_count": 1 },
        ] });
        let none = json!({ "movies": [] });
        let next = talk.back(&[output(others), output(none)]);
        assert_eq!(call(&next), ("list_movies", json!({ "date": "2026-11-22" })), "{sentence}");
        let next = talk.back(&[films()]);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!("samurai")));
    }
}

#[test]
fn cancels_one_of_two_bookings_by_position() {
    let found = |id: &str| {
        output(json!({
            "reservation_id": id, "user_id": "u-1", "status": "confirmed", "movie_title": "AKIRA",
            "movie_title_en": "Akira", "start_time": "2026-11-22T18:30:00",
            "seats": [{ "seat_id": "B5" }],
        }))
    };
    for (first, later) in [
        ("cancel the second one", "no, the other one"),
        ("2つ目をキャンセルして", "いや、もう一つのほう"),
        ("二番目の予約を取り消して", "そっちじゃなくて、もう片方"),
    ] {
        let mut talk = new_talk();
        for id in ["rsv-1", "rsv-2"] {
            talk.say(&format!("予約番号 {id} の内容を見せて"));
            assert!(matches!(talk.back(&[found(id)]), Decision::Conclude(_)), "{id}");
        }
        let next = talk.say(first);
        assert_eq!(
            call(&next),
            ("get_reservation", json!({ "reservation_id": "rsv-2" })),
            "{first}"
        );
        assert_eq!(call(&talk.back(&[found("rsv-2")])).0, "cancel_reservation", "{first}");
        let next = talk.say_instead(later);
        assert_eq!(
            call(&next),
            ("get_reservation", json!({ "reservation_id": "rsv-1" })),
            "{later}"
        );
    }
}

#[test]
fn sending_tickets_is_not_supported() {
    for sentence in ["can you email me the ticket?", "print the tickets please"] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert!(talk.confidence < 0.2, "{sentence}");
    }
}

#[test]
fn only_the_time_of_a_film_is_an_occasion() {
    for (text, is_film) in [
        ("アキラ時間教えて", true),
        ("それの時間を教えて", true),
        ("明日の営業時間を教えて？", false),
        ("所要時間を教えて", false),
    ] {
        let utterance = Sentence::parse(text, Date::constant(2026, 11, 21));
        assert_eq!(Facts::new(&utterance).has(Sign::Occasion), is_film, "{text}");
    }
}

#[test]
fn title_may_contain_a_word_of_choice() {
    for (text, title) in [("恋任せを2枚", Some("恋任せ")), ("お任せで2枚", None)] {
        let utterance = Sentence::parse(text, Date::constant(2026, 11, 21));
        assert_eq!(utterance.title().as_deref(), title, "{text}");
    }
}

#[test]
fn question_for_a_listed_film_chooses_it() {
    let mut talk = new_talk().without(&[FORM]);
    talk.say("I'd like two seats tomorrow evening");
    let text = concluded(&talk.back(&[films()])).text();
    assert!(text.contains("2. My Neighbor Totoro"), "{text}");
    assert_eq!(call(&talk.say("do you have totoro?")).1["movie_id"], "totoro");
}
