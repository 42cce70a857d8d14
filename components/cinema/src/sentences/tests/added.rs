//! What a later sentence adds or puts in place of something: days, genres, films, seats.

use super::{super::Sentence, *};

/// Calls for `later` after the films or showings of `first`, as dates and texts.
fn after(first: &str, results: &[ToolResult], later: &str) -> Decision {
    let mut talk = new_talk().after(first, results);
    talk.say(later)
}

fn dates(next: &Decision) -> Vec<String> {
    let Decision::Call(calls) = next else { panic!("{next:?}") };
    calls.iter().map(|it| it.arguments["date"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn day_is_added_to_the_one_before() {
    for (first, later, expected) in [
        ("土曜の夜のアニメは？", "日曜の夜も", &["2026-11-21T17:00", "2026-11-22T17:00"][..]),
        ("土曜の夜のアニメは？", "日曜の夜は？", &["2026-11-22T17:00"]),
        (
            "what anime is on on Saturday evening?",
            "Sunday evening too",
            &["2026-11-21T17:00", "2026-11-22T17:00"],
        ),
        ("土曜の夜のアニメは？", "日曜の朝も", &["2026-11-22", "2026-11-22T12:01"]),
        (
            "what anime is on on Saturday evening?",
            "too late, Sunday evening",
            &["2026-11-22T17:00"],
        ),
    ] {
        assert_eq!(dates(&after(first, &[films()], later)), expected, "{later}");
    }
}

#[test]
fn genre_is_added_to_the_one_before() {
    let listed = |first: &str, later: &str| {
        let mut talk = new_talk().after(first, &[films()]);
        assert_eq!(call(&talk.say(later)).0, "list_movies", "{later}");
        let text = concluded(&talk.back(&[films()])).text();
        ["AKIRA", "トトロ", "侍"].into_iter().filter(|it| text.contains(it)).collect::<String>()
    };
    for (first, later, expected) in [
        ("明日のアニメは？", "時代劇も入れて", "トトロ侍"),
        ("明日のアニメは？", "時代劇は？", "侍"),
        ("明日の映画、時代劇以外で", "やっぱり時代劇も入れて", "AKIRAトトロ侍"),
        ("明日のアニメかSFは？", "時代劇は？", "侍"),
    ] {
        assert_eq!(listed(first, later), expected, "{first} {later}");
    }
    let genre = |text: &str| Sentence::parse(text, language::Date::constant(2026, 11, 21)).genre();
    let named = |text: &str| genre(text).map(|it| it.0).unwrap_or_default();
    assert_eq!(named("明日のアニメか時代劇"), "アニメ・時代劇");
    assert_eq!(named("anime or period dramas tomorrow"), "アニメ・時代劇");
    assert_eq!(named("SFアニメ"), "SF");
}

#[test]
fn last_one_of_a_week_is_on_its_last_day() {
    let on = |id: &str, day: &str| json!({ "showtime_id": id, "movie_id": "akira", "start_time": format!("2026-11-{day}:00"), "available_seats_count": 40, "is_open": true });
    let week = || {
        let showtimes = [on("a", "21T10:00"), on("b", "22T20:00"), on("c", "23T10:00")];
        output(json!({ "showtimes": showtimes }))
    };
    for (first, later, day) in [
        ("showtimes of Akira", "the last one this week", "Sun 22 Nov"),
        ("AKIRAの上映時間は？", "今週の最後の回", "11月22日"),
        ("showtimes of Akira", "the last one next week", "Mon 23 Nov"),
    ] {
        let mut talk = new_talk().after(first, &[films(), week()]);
        assert_eq!(call(&talk.say(later)).0, "list_showtimes", "{later}");
        let text = concluded(&talk.back(&[week()])).text();
        assert!(text.contains(day) && !text.contains("2. "), "{later}: {text}");
    }
    let mut talk = new_talk().after("来週のAKIRAを2枚", &[films(), week(), seats()]);
    assert_eq!(dates(&talk.say("やっぱり金曜で")), ["2026-11-27"]);
}

#[test]
fn other_film_takes_the_place_of_the_chosen_one() {
    const FIRST: &str = "two tickets for Akira tomorrow at 18:30";
    for (first, later, title) in [
        (FIRST, "what about Seven Samurai instead?", Some("Seven Samurai")),
        (FIRST, "actually, Rashomon instead", Some("Rashomon")),
        ("明日18:30のAKIRAを2枚", "ごめん、やっぱり君の名はにして", Some("君の名は")),
        ("明日18:30のAKIRAを2枚", "羅生門に変えて", Some("羅生門")),
        ("明日18:30のAKIRAを2枚", "AKIRAはやめて、羅生門にして", Some("羅生門")),
        (FIRST, "what about three instead?", None),
        ("明日18:30のAKIRAを2枚", "やっぱり3枚にして", None),
        ("明日18:30のAKIRAを2枚", "後ろの席にして", None),
        ("明日18:30のAKIRAを2枚", "通路側にして", None),
        ("明日18:30のAKIRAを2枚", "2番にして", None),
        ("明日18:30のAKIRAを2枚", "ミニシアターのほうで", None),
        ("明日18:30のAKIRAを2枚", "安いほうにして", None),
        (FIRST, "what about the back row instead?", None),
        (FIRST, "what about my kids?", None),
        (FIRST, "cash instead", None),
        ("明日18:30のAKIRAを2枚", "それにして", None),
        ("明日18:30のAKIRAを2枚", "なしにして", None),
        ("明日18:30のAKIRAを2枚", "1人減らして2人にして", None),
    ] {
        let next = after(first, &[films(), showings(), seats()], later);
        let found = match &next {
            Decision::Call(calls) if calls[0].name == "list_movies" => {
                calls[0].arguments["title_query"].as_str().map(str::to_owned)
            }
            _ => None,
        };
        assert_eq!(found.as_deref(), title, "{later}: {next:?}");
    }
    let next = new_talk().say("明日のAKIRAはいらない。ゴジラにして、3人で");
    let (_, arguments) = call(&next);
    assert_eq!(
        (&arguments["date"], &arguments["title_query"]),
        (&json!("2026-11-22"), &json!("ゴジラ"))
    );
}

#[test]
fn seats_alone_are_surely_those_of_the_hall() {
    for (first, later, seats_named) in [
        ("明日のAKIRA", "A1からA4まで", "A1, A2, A3, A4"),
        ("when is Akira on tomorrow", "C5 and C6", "C5, C6"),
    ] {
        let one = || {
            output(
                json!({ "showtimes": [{ "showtime_id": "st-2", "movie_id": "akira", "start_time": "2026-11-22T18:30:00", "available_seats_count": 12, "is_open": true }] }),
            )
        };
        let mut talk = new_talk().after(first, &[films(), one()]);
        assert_eq!(call(&talk.say(later)).0, "list_available_seats", "{later}");
        let (_, arguments) = call(&talk.back(&[seats()]));
        let asked = arguments["form_schema"]["description"].as_str().unwrap().to_owned();
        assert!(asked.contains(seats_named), "{later}: {asked}");
    }
}

#[test]
fn question_about_seats_books_none() {
    for sentence in [
        "are there still seats in the last row for Akira tomorrow 18:30",
        "車いすなのですが、明日18:30のAKIRAに席はありますか",
        "明日18:30のAKIRA、通路側の席ある？",
        "how many seats are there for Akira tomorrow at 18:30?",
    ] {
        let mut talk = new_talk().after(sentence, &[films(), showings()]);
        let next = talk.back(&[seats()]);
        assert!(matches!(next, Decision::Conclude(_)), "{sentence}: {next:?}");
    }
    for sentence in ["are there two seats for Akira tomorrow 18:30", "明日18:30のAKIRA、席ください"]
    {
        let mut talk = new_talk().after(sentence, &[films(), showings()]);
        assert_eq!(call(&talk.back(&[seats()])).0, FORM, "{sentence}");
    }
}

#[test]
fn ages_are_not_on_record() {
    for (sentence, says) in [
        ("is Akira scary?", "not on record"),
        ("is akira scary? can kids watch it?", "not on record"),
        ("AKIRAって怖い？子どもでも見れる？", "登録されていない"),
        ("anything for my 5 year old tomorrow?", "not on record"),
        ("対象年齢は何歳から？", "登録されていない"),
    ] {
        let mut talk = new_talk();
        let mut next = talk.say(sentence);
        if matches!(next, Decision::Call(_)) {
            next = talk.back(&[films()]);
        }
        let text = concluded(&next).text();
        assert!(text.contains(says) && !text.contains("no film"), "{sentence}: {text}");
    }
    // No film is asked about.
    for sentence in [
        "my dog is 3 years old",
        "雷は怖いですか",
        "is it appropriate to wear jeans?",
        "R15とR16で",
    ] {
        let next = new_talk().say(sentence);
        let is_said = matches!(&next, Decision::Conclude(it) if !it.text().contains("not on record") && !it.text().contains("登録されていない"));
        assert!(is_said, "{sentence}: {next:?}");
    }
    for sentence in ["2 tickets for Akira tomorrow", "怖い映画ある？"] {
        assert_eq!(call(&new_talk().say(sentence)).0, "list_movies", "{sentence}");
    }
}

#[test]
fn small_words_of_orders_are_understood() {
    for (sentence, count) in [
        ("two tickets, no wait, three for Akira tomorrow at 18:30", 3),
        ("明日18:30のAKIRA、友達と私の分お願い", 2),
        ("tickets to Akira tomorrow at 18:30 for a family of five", 5),
        ("i want two seats NOT next to the aisle for Akira tomorrow at 18:30", 2),
    ] {
        let mut talk = new_talk().after(sentence, &[films(), showings()]);
        let seats = options(&talk.back(&[seats()]), "seat_ids");
        assert_eq!(seats[0].split(',').count(), count, "{sentence}");
    }
    let next = new_talk().say("Do you have late shows on Friday?");
    assert_eq!(dates(&next), ["2026-11-27T20:00"]);
    let mut talk = new_talk().after("上映時間が一番長いのって何？", &[]);
    assert_eq!(call(&talk.back(&[films()])).1["movie_id"], "samurai");
    for (first, later) in [
        ("明日18:30のAKIRA、席ある？", "じゃあ2枚"),
        ("are there any seats left for Akira tomorrow at 18:30?", "book two of them"),
    ] {
        let mut talk = new_talk().after(first, &[films(), showings(), seats()]);
        assert_eq!(call(&talk.say(later)).0, "list_available_seats", "{later}");
        assert_eq!(options(&talk.back(&[seats()]), "seat_ids")[0].split(',').count(), 2, "{later}");
    }
    let mut talk = new_talk().after("明日18:30のAKIRAを2枚", &[films(), showings(), seats()]);
    talk.say("やっぱり七人の侍にして");
    talk.back(&[films()]);
    assert_eq!(call(&talk.back(&[showings()])).0, FORM);
    talk.say("18:30の回で");
    assert_eq!(options(&talk.back(&[seats()]), "seat_ids")[0].split(',').count(), 2);
    let mut talk = choosing("Book two seats for Akira tomorrow at 6:30pm");
    talk.say("nah forget it");
    assert!(
        !matches!(talk.say("three please"), Decision::Call(calls) if calls[0].name == "list_available_seats")
    );
}
