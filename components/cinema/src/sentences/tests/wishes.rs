//! Wishes in other words: kinds that are not wanted, prices, days and places in kana.

use super::*;

/// What is told of the films of tomorrow to who wrote `sentence`.
fn told(sentence: &str) -> String {
    let mut talk = new_talk();
    let next = talk.say(sentence);
    assert!(matches!(next, Decision::Call(_)), "{sentence}");
    let (tool, arguments) = call(&next);
    assert_eq!((tool, &arguments["title_query"]), ("list_movies", &Value::Null), "{sentence}");
    concluded(&talk.back(&[films()])).text()
}

#[test]
fn a_kind_that_is_not_wanted_is_left_out() {
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
    ] {
        let text = told(sentence);
        let has = |names: [&str; 2]| names.iter().any(|it| text.contains(it));
        assert!(has(["AKIRA", "Akira"]) && has(["七人の侍", "Seven"]), "{sentence}: {text}");
        assert!(!has(["トトロ", "Totoro"]), "{sentence}: {text}");
    }
    for sentence in ["明日のアニメ映画は？", "明日やってるアニメじゃない？"]
    {
        assert!(told(sentence).contains("トトロ"), "{sentence}");
    }
}

#[test]
fn films_have_no_order_by_price_and_that_is_said() {
    for (sentence, part) in [
        ("明日の映画、安い順に並べて", "料金の順には並べられません"),
        ("明日の映画を料金順で見せて", "料金の順には並べられません"),
        ("cheapest first please, movies tomorrow", "I cannot put films in that order"),
        ("what's the cheapest film tomorrow?", "I cannot put films in that order"),
    ] {
        let text = told(sentence);
        assert!(text.contains(part) && text.contains("3. "), "{sentence}: {text}");
        assert!(!text.contains('※') && !text.contains("Note:"), "{sentence}: {text}");
    }
}

#[test]
fn a_price_for_some_people_is_told_without_a_visit_before() {
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
        let told = talk.back(&[output(json!({ "seats": [], "prices": prices }))]);
        let text = concluded(&told).text();
        assert!(text.contains("2,000") && text.contains(discounts), "{sentence}: {text}");
    }
}

#[test]
fn what_was_looked_at_is_booked_by_a_word() {
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
fn a_day_in_words_is_no_place_in_a_list() {
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
fn places_in_kana_and_small_words_choose() {
    for (later, showing) in [
        ("３ばんめのやつ", "st-4"),
        ("2ばんでおねがい", "st-2"),
        ("いちばんはやいのを2枚", "st-1"),
        ("二枚、いちばんおそい回で", "st-3"),
        ("2 pls", "st-2"),
        ("two pls", "st-2"),
    ] {
        let mut talk = new_talk();
        talk.say("AKIRAの明日の上映時間は？");
        talk.back(&[films()]);
        assert!(matches!(talk.back(&[showings()]), Decision::Conclude(_)), "{later}");
        let next = talk.say(later);
        assert_eq!(call(&next).1["showtime_id"], showing, "{later}");
    }
}

#[test]
fn the_front_in_kana_takes_the_place_of_the_back() {
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
fn the_last_showing_of_a_day_asks_which_film() {
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
