//! Comparisons of two films, later references to one of them, and alternatives for full showings.

use language::{vocabulary::Vocabulary, words::Word};

use super::*;

fn answer(talk: &mut trial::Talk, result: ToolResult) -> String {
    concluded(&talk.back(&[result])).text()
}

#[test]
fn compares_films_by_partial_names() {
    for (sentence, expected) in [
        ("Is Seven Samurai longer than Akira?", "The longer one is Seven Samurai"),
        ("which one is rated better, samurai or akira?", "The better rated one is Seven Samurai"),
        ("is samurai longer than totoro?", "The longer one is Seven Samurai"),
        ("Which is rated higher, Akira or Totoro?", "The better rated one is My Neighbor Totoro"),
        ("七人の侍はAKIRAより長い？", "長いのは「七人の侍"),
        ("トトロとAKIRAどっちが短い？", "短いのは「となりのトトロ"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)), ("list_movies", json!({})), "{sentence}");
        let text = answer(&mut talk, films());
        assert!(text.contains(expected) && text.contains("\n2. "), "{sentence}: {text}");
        assert!(!text.contains("\n3. ") && !text.contains("not understand"), "{sentence}: {text}");
    }
}

#[test]
fn searches_a_compared_film_by_its_word() {
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
fn end_of_a_comparison_is_one_of_its_films() {
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
        answer(&mut talk, films());
        let next = talk.say(later);
        let next = if call(&next).0 == "list_movies" { talk.back(&[films()]) } else { next };
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["movie_id"]), ("list_showtimes", &json!(film)), "{later}");
    }
}

#[test]
fn common_words_name_no_films() {
    let one = |id: &str, title: &str, english: &str, rating: f64| json!({ "movie_id": id, "title": title, "title_en": english, "rating": rating });
    let films = || {
        output(json!({ "movies": [
            one("akira", "AKIRA", "Akira", 4.4), one("rashomon", "羅生門", "Rashomon", 4.5),
            one("godzilla", "ゴジラ", "Godzilla", 4.2), one("tokyo", "東京物語", "Tokyo Story", 4.9),
            one("world", "世界の中心で", "The Center of the World", 4.8),
        ] }))
    };
    for (sentence, among) in [
        ("which film has the best story, Akira or Rashomon?", ["Akira", "Rashomon"]),
        ("which has the best story, Akira or Godzila?", ["Akira", "Godzilla"]),
        ("世界の映画でAKIRAとゴジラどっちが面白い？", ["AKIRA", "ゴジラ"]),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        let text = answer(&mut talk, films());
        assert!(among.iter().all(|it| text.contains(it)), "{sentence}: {text}");
        assert!(text.contains("\n2. ") && !text.contains("\n3. "), "{sentence}: {text}");
    }
    // A word without a joined name is not searched.
    let mut talk = new_talk();
    talk.say("which film has the best story, Akira or Nosferatu?");
    let Decision::Call(calls) = talk.back(&[films()]) else { panic!("it is not looked for") };
    assert_eq!(calls[1].arguments["title_query"], "Nosferatu");
}

#[test]
fn comparison_without_films_compares_none() {
    let mut talk = new_talk();
    talk.say("two for Akira tomorrow at 18:30, anything better than the front row");
    assert_eq!(call(&talk.back(&[films()])).0, "list_showtimes");
    let next = talk.back(&[showings()]);
    assert_eq!(call(&next), ("list_available_seats", json!({ "showtime_id": "st-2" })));
    let today = language::Date::constant(2026, 11, 21);
    let is_compared = |text: &str| {
        let sentence = super::super::Sentence::parse(text, today);
        super::super::conditions::Conditions::parse(&sentence).is_compared
    };
    for text in [
        "anything better than the front row",
        "ちょっと面白いのはどっち？",
        "もっと評価が高いのはどれ？どっち？",
        "面白いことはどっち？",
        "ひとりで見るならどっちが面白い？",
        "思ったより長い",
        "AKIRAより長い映画",
    ] {
        assert!(!is_compared(text), "{text}");
    }
    let sentence = super::super::Sentence::parse("is Akira fine for kids older than 6?", today);
    let wanted = super::super::conditions::Conditions::parse(&sentence);
    assert!(!wanted.is_compared && wanted.order.is_none());
    for text in ["七人の侍ともののけ姫、どっちが面白い？", "七人の侍はAKIRAより長い？"]
    {
        assert!(is_compared(text), "{text}");
    }
}

const EVENING_OR: [(&str, &str); 2] = [
    ("明日のAKIRAを2枚取って、もし夜が埋まってたら朝の回にして", "朝の回にして"),
    (
        "book 2 for Akira tomorrow evening, if it's sold out take the morning one",
        "take the morning one",
    ),
];

#[test]
fn alternative_is_not_offered_first() {
    for (sentence, order) in EVENING_OR {
        let mut talk = new_talk();
        talk.say(sentence);
        talk.back(&[films()]);
        let asked = talk.back(&[showings()]);
        assert_eq!(options(&asked, "showtime_id"), ["st-2", "st-3"], "{sentence}");
        assert!(!format!("{asked:?}").contains(order), "{asked:?}");
        talk.say(r#"{"showtime_id": "st-2"}"#);
        talk.back(&[seats()]);
        talk.say(r#"{"seat_ids": "B5,B6", "user_id": "u-1"}"#);
        let text = answer(&mut talk, reserved());
        assert!(!text.contains(order), "{text}");
    }
}

#[test]
fn alternative_is_offered_when_full() {
    for ((sentence, order), free) in EVENING_OR.into_iter().zip([1, 0]) {
        let one = |id: &str, time: &str, free: u64| json!({ "showtime_id": id, "movie_id": "akira", "start_time": format!("2026-11-22T{time}:00"), "available_seats_count": free });
        let morning = || {
            let both = [one("st-1", "10:00", 40), one("st-2", "18:30", free)];
            output(json!({ "showtimes": both }))
        };
        let mut talk = new_talk();
        talk.say(sentence);
        talk.back(&[films()]);
        let asked = talk.back(&[morning()]);
        assert_eq!(options(&asked, "showtime_id"), ["st-1"], "{sentence}");
        assert!(format!("{asked:?}").contains(order), "{asked:?}");
        let is_english = order.is_ascii();
        let mut next = talk.say(if is_english { order } else { r#"{"showtime_id": "st-1"}"# });
        if call(&next).0 == "list_showtimes" {
            next = talk.back(&[morning()]);
        }
        let expected = ("list_available_seats", json!({ "showtime_id": "st-1" }));
        assert_eq!(call(&next), expected, "{order}");
    }
}

#[test]
fn denying_condition_books_nothing() {
    for (sentence, tool) in [
        ("明日のAKIRAを2枚予約して、もし18時の回が取れなければ予約しないで", None),
        ("book two for Akira tomorrow, if possible at 18:30 with a full view", Some("st-2")),
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        let Some(showing) = tool else {
            let text = concluded(&next).text();
            assert!(text.contains("条件つき") || text.contains("condition"), "{sentence}: {text}");
            continue;
        };
        talk.back(&[films()]);
        let next = talk.back(&[showings()]);
        let expected = ("list_available_seats", json!({ "showtime_id": showing }));
        assert_eq!(call(&next), expected, "{sentence}");
    }
}

const ROUTE: Word = Word::own(0);
static ROUTES: Vocabulary = Vocabulary {
    family: "navigation",
    phrases: &[(ROUTE, "行き方|way to")],
    nouns: &[ROUTE],
    ..Vocabulary::NONE
};

#[test]
fn route_request_is_mentioned_as_left_out() {
    for (sentence, answer) in [
        ("明日のAKIRA、18:30の回を2枚予約して、あと映画館までの行き方も", "行き方は調べていません"),
        ("Book two for Akira tomorrow at 18:30, and the way to the cinema", "not looked up"),
    ] {
        let mut talk = new_talk();
        talk.names.extend(ROUTES.names());
        talk.say(sentence);
        talk.back(&[films()]);
        let next = talk.back(&[showings()]);
        assert_eq!(call(&next).0, "list_available_seats", "{sentence}: {next:?}");
        let next = talk.back(&[seats()]);
        assert!(format!("{next:?}").contains(answer), "{sentence}: {next:?}");
    }
}

#[test]
fn one_more_is_added_to_the_count() {
    for (first, later, count) in [
        ("AKIRA 明日18:30 2枚", "もう１枚追加で", 3),
        ("AKIRA 明日18:30 1枚", "あと2枚お願い", 3),
        ("Akira tomorrow at 6:30pm, 2 please", "one more seat please", 3),
        ("AKIRA 明日18:30 2枚", "やっぱり3枚で", 3),
        ("AKIRA 明日18:30 2枚", "あ、あと、3枚にして", 3),
        ("Akira tomorrow at 6:30pm, 2 please", "no more than three seats", 3),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let mut next = talk.back(&[films()]);
        if call(&next).0 == "list_movies" {
            next = talk.back(&[films()]);
        }
        assert_eq!(call(&next).0, "list_showtimes", "{first}");
        talk.back(&[showings()]);
        talk.back(&[seats()]);
        talk.say(later);
        let next = talk.back(&[seats()]);
        let seats = call(&next).1["form_schema"]["fields"][0]["default"].clone();
        assert_eq!(seats.as_str().unwrap().split(',').count(), count, "{later}: {next:?}");
    }
}

/// Continues to the form and returns the number of seats chosen.
fn chosen(talk: &mut trial::Talk, mut next: Decision) -> usize {
    loop {
        let (tool, arguments) = call(&next);
        let result = match tool {
            "list_movies" => films(),
            "list_showtimes" => showings(),
            "list_available_seats" => seats(),
            _ => {
                let seats = arguments["form_schema"]["fields"][0]["default"].as_str();
                return seats.map_or(0, |it| it.split(',').count());
            }
        };
        next = talk.back(&[result]);
    }
}

#[test]
fn totals_and_corrections_are_no_addition() {
    for (first, later, count) in [
        ("AKIRA 明日18:30 2枚", "もう1枚だけ", 3),
        // Totals, reductions, other things, and other actions.
        ("AKIRA 明日18:30 3枚", "もう2枚でいい", 2),
        ("AKIRA 明日18:30 3枚", "もう1枚にして", 1),
        ("AKIRA 明日18:30 3枚", "もう1枚減らして", 2),
        ("AKIRA 明日18:30 4枚", "2枚減らして", 2),
        ("AKIRA 明日18:30 4枚", "2枚に減らして", 2),
        ("AKIRA 明日18:30 4枚", "1枚に減らして", 1),
        ("AKIRA 明日18:30、大人2、子供3", "子供1人減って", 4),
        ("Akira tomorrow at 6:30pm, 4 please", "one less seat", 3),
        ("Akira tomorrow at 6:30pm, 4 please", "3 seats for less money", 3),
        ("Akira tomorrow at 6:30pm, 4 please", "3 seats less expensive", 3),
        ("Akira tomorrow at 6:30pm, 4 please", "3 less good seats", 3),
        ("Akira tomorrow at 6:30pm, 4 please", "one seat fewer, please", 3),
        ("AKIRA 明日18:30 3枚", "そのあと2人で", 2),
        ("Akira tomorrow at 6:30pm, 3 please", "one more person less", 2),
        ("Akira tomorrow at 6:30pm, 2 please", "no wait, one more person is coming", 3),
        // One kind of people is corrected.
        ("AKIRA 明日18:30、大人2、子供3", "子供は二枚でした", 4),
        ("AKIRA 明日18:30、大人2、子供3", "大人は3人", 6),
        ("Akira tomorrow at 6:30pm, 2 adults and 3 kids", "2 kids", 4),
        ("AKIRA 明日18:30、大人2、子供3", "4枚にして", 4),
    ] {
        let mut talk = new_talk();
        let next = talk.say(first);
        chosen(&mut talk, next);
        let next = talk.say(later);
        assert_eq!(chosen(&mut talk, next), count, "{first} {later}");
    }
}

#[test]
fn plural_reservations_book_as_one() {
    for sentence in [
        "reservations for two, Akira tomorrow at 18:30",
        "make reservations for two for Akira tomorrow at 18:30",
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        assert_eq!(chosen(&mut talk, next), 2, "{sentence}");
    }
}

#[test]
fn count_after_a_comma_needs_no_counter() {
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
fn correction_switches_the_film() {
    let new = |first: &str| {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[films()]);
        talk.back(&[showings()]);
        talk
    };
    let decided = new("When's Seven Samurai tomorrow?").say("sorry I meant Akira");
    let (tool, arguments) = call(&decided);
    assert_eq!((tool, &arguments["date"]), ("list_movies", &json!("2026-11-22")));
    assert_eq!(arguments["title_query"], "Akira");
    // A remark names no film for the requested day.
    for remark in [
        "いや、大丈夫です",
        "いや、いいです",
        "残念でした",
        "ごめん、無理だった",
        "sorry, wrong chat",
    ] {
        let decided = new("明日の七人の侍は何時から？").say(remark);
        let is_left = match &decided {
            Decision::Call(calls) => !calls[0].arguments.contains_key("date"),
            Decision::Conclude(_) => true,
        };
        assert!(is_left, "{remark}: {decided:?}");
    }
}

#[test]
fn later_one_is_a_showing() {
    let mut talk = new_talk();
    talk.say("When is Akira on tomorrow?");
    talk.back(&[films()]);
    talk.back(&[showings()]);
    let decided = talk.say("and the later one?");
    let (tool, arguments) = call(&decided);
    assert_eq!((tool, &arguments["showtime_id"]), ("list_available_seats", &json!("st-3")));
}

#[test]
fn avoids_one_position_and_takes_another() {
    use super::super::conditions::{Conditions, Position};
    let today = language::Date::constant(2026, 11, 21);
    for (sentence, expected) in [
        ("two for Akira, aisle if possible, not the front row", Some(Position::Aisle)),
        ("通路側で、最前列は嫌", Some(Position::Aisle)),
        ("not in the front row", Some(Position::Middle)),
        ("two seats", None),
    ] {
        let sentence = super::super::Sentence::parse(sentence, today);
        assert_eq!(Conditions::parse(&sentence).position, expected, "{}", sentence.text());
    }
    for (sentence, ends) in [("2時間以内で終わる映画", false), ("21時までに終わる映画", true)]
    {
        let sentence = super::super::Sentence::parse(sentence, today);
        assert_eq!(Conditions::parse(&sentence).ends, ends, "{}", sentence.text());
    }
}
