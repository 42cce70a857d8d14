//! From a sentence to a reservation: film, showtime, seats, name, approval.

use language::{
    trial::{self, FORM, call, concluded, output},
    turn::{Decision, Failure, ToolResult},
};
use serde_json::{Value, json};

mod added;
mod compared;
mod conditions;
mod mid_visit;
mod minds;
mod refused;
mod turned;

const TOOLS: &str = include_str!("../../tools.json");

fn new_talk() -> trial::Talk {
    trial::Talk::new(super::next, TOOLS)
}

fn films() -> ToolResult {
    output(json!({ "movies": [
        { "movie_id": "akira", "title": "AKIRA", "title_en": "Akira", "genre": "SF", "genre_en": "Science fiction", "rating": 4.4, "duration": 124 },
        { "movie_id": "totoro", "title": "となりのトトロ", "title_en": "My Neighbor Totoro", "genre": "アニメ", "genre_en": "Animation", "rating": 4.6, "duration": 86 },
        { "movie_id": "samurai", "title": "七人の侍", "title_en": "Seven Samurai", "genre": "時代劇", "genre_en": "Period drama", "rating": 4.8, "duration": 207 },
    ] }))
}

fn showings() -> ToolResult {
    let one = |id: &str, time: &str, free: u64| json!({ "showtime_id": id, "movie_id": "akira", "start_time": format!("2026-11-22T{time}:00"), "available_seats_count": free, "theater_name": "スクリーン1", "theater_name_en": "Screen 1", "is_open": true });
    output(
        json!({ "showtimes": [one("st-1", "10:00", 40), one("st-2", "18:30", 12), one("st-3", "21:00", 30), one("st-4", "19:45", 1)] }),
    )
}

/// Three rows of eight; B4 is taken.
fn seats() -> ToolResult {
    let all = ["A", "B", "C"].iter().flat_map(|row| (1..=8).map(move |it| (*row, it)));
    let free = all.filter(|it| *it != ("B", 4));
    let seats: Vec<Value> = free.map(|(row, number)| json!({ "seat_id": format!("{row}{number}"), "row": row, "number": number, "is_reserved": false, "column": number, "kind": "standard" })).collect();
    output(
        json!({ "seats": seats, "showtime": { "showtime_id": "st-2", "movie_id": "akira", "start_time": "2026-11-22T18:30:00", "available_seats_count": 23, "movie_title": "AKIRA" } }),
    )
}

fn reserved() -> ToolResult {
    output(
        json!({ "reservation_id": "r-9", "reserved_at": "2026-11-21T10:01:00", "seats": [{ "seat_id": "B5", "row": "B", "number": 5 }, { "seat_id": "B6", "row": "B", "number": 6 }], "user_id": "u-1", "showtime_id": "st-2", "status": "confirmed", "movie_title": "AKIRA", "start_time": "2026-11-22T18:30:00" }),
    )
}

/// Option values of the field `name` in the requested form.
fn options(decision: &Decision, name: &str) -> Vec<String> {
    let (tool, arguments) = call(decision);
    assert_eq!(tool, FORM);
    let fields = arguments["form_schema"]["fields"].as_array().unwrap();
    let field = fields
        .iter()
        .find(|it| it["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {fields:?}"));
    let options = field["options"].as_array().into_iter().flatten();
    options.map(|it| it["value"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn books_step_by_step_from_one_sentence() {
    let mut talk = new_talk();
    assert_eq!(
        call(&talk.say("明日の夜に2席取りたい")),
        ("list_movies", json!({ "date": "2026-11-22T17:00" }))
    );
    let form = talk.back(&[films()]);
    assert_eq!(options(&form, "movie_id"), ["akira", "totoro", "samurai"]);
    let next = talk.say(r#"{"movie_id": "akira"}"#);
    assert_eq!(
        call(&next),
        ("list_showtimes", json!({ "movie_id": "akira", "date": "2026-11-22" }))
    );
    // Evening showings with enough seats.
    let form = talk.back(&[showings()]);
    assert_eq!(options(&form, "showtime_id"), ["st-2", "st-3"]);
    let next = talk.say(r#"{"showtime_id": "st-2"}"#);
    assert_eq!(call(&next), ("list_available_seats", json!({ "showtime_id": "st-2" })));
    let form = talk.back(&[seats()]);
    let proposals = options(&form, "seat_ids");
    assert!(
        proposals.contains(&"A4,A5".to_owned()) && proposals.contains(&"C4,C5".to_owned()),
        "{proposals:?}"
    );
    let next = talk.say(r#"{"seat_ids": "B5,B6", "user_id": "u-1"}"#);
    // Only proposals are accepted, and B5 and B6 were proposed.
    assert_eq!(
        call(&next),
        (
            "reserve_seats",
            json!({ "user_id": "u-1", "showtime_id": "st-2", "seat_ids": ["B5", "B6"] })
        )
    );
    let text = concluded(&talk.back(&[reserved()])).text();
    for part in ["予約が完了しました", "r-9", "B5, B6", "11月22日 18:30", "AKIRA", "内蔵プランナー"]
    {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn does_not_ask_for_named_parts() {
    let mut talk = new_talk();
    let next = talk.say("Book two seats for Akira tomorrow at 6:30pm, user id u-1");
    assert_eq!(
        call(&next),
        ("list_movies", json!({ "date": "2026-11-22", "title_query": "Akira" }))
    );
    assert_eq!(call(&talk.back(&[films()])).0, "list_showtimes");
    assert_eq!(
        call(&talk.back(&[showings()])),
        ("list_available_seats", json!({ "showtime_id": "st-2" }))
    );
    let form = talk.back(&[seats()]);
    let (_, arguments) = call(&form);
    assert_eq!(arguments["form_schema"]["fields"].as_array().unwrap().len(), 1);
    assert_eq!(options(&form, "seat_ids").len(), 3);
}

#[test]
fn number_in_a_title_is_no_count() {
    let mut talk = new_talk();
    talk.say("明日の七人の侍を予約したい");
    assert_eq!(
        call(&talk.back(&[films()])),
        ("list_showtimes", json!({ "movie_id": "samurai", "date": "2026-11-22" }))
    );
    // Asked together with the showing.
    let form = talk.back(&[showings()]);
    assert!(options(&form, "count").is_empty());
    talk.say(r#"{"showtime_id": "st-3", "count": 3}"#);
    let proposals = options(&talk.back(&[seats()]), "seat_ids");
    assert!(proposals.iter().all(|it| it.split(',').count() == 3), "{proposals:?}");
}

#[test]
fn genre_narrows_the_choice() {
    let mut talk = new_talk();
    talk.say("明日アニメを2枚予約して");
    assert_eq!(
        call(&talk.back(&[films()])),
        ("list_showtimes", json!({ "movie_id": "totoro", "date": "2026-11-22" }))
    );
}

#[test]
fn checks_and_reserves_named_seats() {
    let mut talk = new_talk();
    let next = talk.say("上映回 st-2 の A5とA6 を予約して。ユーザーIDは u-1");
    assert_eq!(
        call(&next),
        (
            "reserve_seats",
            json!({ "user_id": "u-1", "showtime_id": "st-2", "seat_ids": ["A5", "A6"] })
        )
    );
}

#[test]
fn proposes_others_when_a_seat_is_taken() {
    let mut talk = new_talk();
    talk.say("Reserve A5 and A6 of showtime st-2 for user u-1");
    let failure = Failure::new("seat_already_reserved", 409, "Seat A5 is already occupied.");
    let next = talk.back(&[ToolResult::Failed(failure)]);
    assert_eq!(call(&next).0, "list_available_seats");
    let form = talk.back(&[seats()]);
    let (_, arguments) = call(&form);
    let text = arguments["form_schema"]["description"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains("Seat A5 is already occupied."), "{arguments}");
}

#[test]
fn denial_or_closed_form_reserves_nothing() {
    let mut talk = new_talk();
    talk.say("Reserve A5 and A6 of showtime st-2 for user u-1");
    let failure = Failure::new("not_allowed", 403, "The person did not allow it.");
    let text = concluded(&talk.back(&[ToolResult::Failed(failure)])).text();
    assert!(text.contains("nothing was reserved"), "{text}");
    talk.say("Book two seats for tomorrow");
    talk.back(&[films()]);
    let text = concluded(&talk.say("フォーム入力をキャンセルしました。")).text();
    assert!(text.contains("nothing was reserved"), "{text}");
    assert!(matches!(talk.say("yes"), Decision::Conclude(_)));
}

#[test]
fn reports_sold_out_and_empty_days() {
    let mut talk = new_talk();
    talk.say("明日のAKIRAを50席予約したい");
    let text = concluded(&{
        talk.back(&[films()]);
        talk.back(&[showings()])
    })
    .text();
    assert!(
        text.contains("50席の空きがありません") && text.contains("予約はしていません"),
        "{text}"
    );
    let mut talk = new_talk();
    talk.say("明日「ABC」を2席予約したい");
    let text =
        concluded(&talk.back(&[output(json!({ "movies": [], "suggestions": ["羅生門"] }))])).text();
    assert!(
        text.contains("「ABC」の上映は見つかりませんでした") && text.contains("羅生門"),
        "{text}"
    );
}

#[test]
fn asks_as_text_without_forms() {
    let mut talk = new_talk().without(&[FORM]);
    talk.say("明日の夜に2席取りたい");
    let text = concluded(&talk.back(&[films()])).text();
    assert!(text.contains("2. となりのトトロ"), "{text}");
    assert_eq!(call(&talk.say("1番で")).1["movie_id"], "akira");
    let text = concluded(&talk.back(&[showings()])).text();
    assert!(text.contains("18:30"), "{text}");
    assert_eq!(call(&talk.say("18:30の回で")).1["showtime_id"], "st-2");
    talk.back(&[seats()]);
    let next = talk.say("1番、ユーザーIDは u-1");
    assert_eq!(call(&next).0, "reserve_seats");
}

#[test]
fn list_of_films_continues_to_a_booking() {
    let mut talk = new_talk();
    talk.say("明日の映画を教えて");
    let text = concluded(&talk.back(&[films()])).text();
    assert!(text.contains("3件") && text.contains("AKIRA"), "{text}");
    assert_eq!(
        call(&talk.say("2番を2席予約して")),
        ("list_showtimes", json!({ "movie_id": "totoro", "date": "2026-11-22" }))
    );
}

#[test]
fn lists_showtimes_and_free_seats() {
    let mut talk = new_talk().after("明日の「AKIRA」の上映時間は？", &[films()]);
    let text = concluded(&talk.back(&[showings()])).text();
    assert!(text.contains("10:00") && text.contains("空き12席"), "{text}");
    let mut talk = new_talk();
    talk.say("Show the free seats of showtime st-2");
    let text = concluded(&talk.back(&[seats()])).text();
    assert!(text.contains("23 seats are free") && text.contains("- B: 1 2 3 5 6 7 8"), "{text}");
    // Only the name is missing for the reservation.
    let next = talk.say("Book B5 and B6");
    assert_eq!(call(&next), ("list_available_seats", json!({ "showtime_id": "st-2" })));
    assert!(options(&talk.back(&[seats()]), "user_id").is_empty());
    assert_eq!(call(&talk.say(r#"{"user_id":"u-1"}"#)).1["seat_ids"], json!(["B5", "B6"]));
}

fn hold(seats: &[&str]) -> Value {
    let seats: Vec<_> = seats.iter().map(|it| json!({ "seat_id": it })).collect();
    json!({ "hold_id": "hd-1", "showtime_id": "st-2", "user_id": "u-1", "seats": seats,
        "expires_at": "2026-11-21T10:11:00", "seconds_left": 600 })
}

fn holds(all: &[&[&str]]) -> ToolResult {
    output(json!({ "holds": all.iter().map(|it| hold(it)).collect::<Vec<_>>() }))
}

/// Holds A5 and A6, and returns the answer to `sentence`.
fn held(talk: &mut trial::Talk, sentence: &str) -> String {
    let next = talk.say(sentence);
    let order = json!({ "user_id": "u-1", "showtime_id": "st-2", "seat_ids": ["A5", "A6"] });
    assert_eq!(call(&next), ("hold_seats", order), "{sentence}");
    concluded(&talk.back(&[output(hold(&["A5", "A6"]))])).text()
}

const HELD: &str = "上映回 st-2 の A5とA6 を仮押さえして。ユーザーIDは u-1";
const HELD_EN: &str = "Hold A5 and A6 of showtime st-2 for user u-1";

#[test]
fn books_the_currently_held_seats() {
    for (sentence, booking, expected) in [
        (HELD, "予約して", "A5・A6 を 11月21日 10:11 まで仮押さえしました"),
        (HELD_EN, "book them", "A5, A6: held until"),
    ] {
        let mut talk = new_talk();
        let text = held(&mut talk, sentence);
        assert!(text.contains(expected), "{text}");
        let form = json!({ "user_id": "u-1", "showtime_id": "st-2" });
        assert_eq!(call(&talk.say(booking)), ("list_holds", form), "{booking}");
        let order = json!({ "user_id": "u-1", "showtime_id": "st-2", "seat_ids": ["A5", "A6"], "hold_token": "hd-1" });
        assert_eq!(call(&talk.back(&[holds(&[&["A5", "A6"]])])), ("reserve_seats", order));
        let text = concluded(&talk.back(&[reserved()])).text();
        assert!(text.contains("r-9"), "{text}");
    }
}

#[test]
fn books_seats_moved_on_the_page() {
    for (sentence, booking, expected) in [
        (HELD, "それを予約して", "A5・A6 から B1・B2 に変わっています"),
        (HELD_EN, "book them", "changed from A5, A6 to B1, B2"),
    ] {
        let mut talk = new_talk();
        held(&mut talk, sentence);
        talk.say(booking);
        let next = talk.back(&[holds(&[&["B1", "B2"]])]);
        let (tool, arguments) = call(&next);
        assert_eq!((tool, &arguments["seat_ids"]), ("reserve_seats", &json!(["B1", "B2"])));
        let Decision::Call(calls) = &next else { panic!("{next:?}") };
        assert!(calls[0].reason.contains(expected), "{}", calls[0].reason);
    }
}

#[test]
fn released_hold_is_reported_and_not_booked() {
    for (sentence, booking, expected) in
        [(HELD, "予約して", "手放されたか期限が切れ"), (HELD_EN, "book them", "no longer held")]
    {
        let mut talk = new_talk();
        held(&mut talk, sentence);
        talk.say(booking);
        let text = concluded(&talk.back(&[holds(&[])])).text();
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn lists_and_releases_held_seats() {
    for (request, released) in [
        ("仮押さえした席を見せて", "手放して"),
        ("Which seats are you holding for me?", "let them go"),
    ] {
        let mut talk = new_talk();
        held(&mut talk, HELD);
        assert_eq!(call(&talk.say(request)).0, "list_holds", "{request}");
        let text = concluded(&talk.back(&[holds(&[&["A5", "A6"]])])).text();
        assert!(text.contains("A5") && !text.contains("hd-1"), "{text}");
        let mut talk = new_talk();
        held(&mut talk, HELD_EN);
        assert_eq!(call(&talk.say(released)).0, "list_holds", "{released}");
        let next = talk.back(&[holds(&[&["A5", "A6"]])]);
        assert_eq!(call(&next), ("release_hold", json!({ "hold_token": "hd-1" })));
        let text = concluded(&talk.back(&[output(json!({ "released": true }))])).text();
        assert!(!text.contains("hd-1"), "{text}");
    }
}

#[test]
fn books_seats_held_on_the_page() {
    let mut talk = new_talk();
    talk.say("Reserve A5 and A6 of showtime st-2 for user u-1");
    let failure = Failure::new("seat_held", 409, "Seats A5, A6 are held until 10:10.");
    let next = talk.back(&[ToolResult::Failed(failure)]);
    assert_eq!(call(&next).0, "list_holds", "they may be held for the same person");
    let next = talk.back(&[holds(&[&["A5", "A6"]])]);
    let (tool, arguments) = call(&next);
    assert_eq!((tool, &arguments["hold_token"]), ("reserve_seats", &json!("hd-1")));
}

#[test]
fn asks_for_wheelchair_suggestions() {
    for (sentence, expected) in [
        ("上映回 st-2 を車椅子で2席予約したい", "並びで空いています"),
        ("Book two seats of showtime st-2 with a wheelchair place", "side by side"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_available_seats", "{sentence}");
        let next = talk.back(&[seats()]);
        let form = json!({ "showtime_id": "st-2", "count": 2, "wheelchair": true });
        assert_eq!(call(&next), ("suggest_seats", form), "{sentence}");
        let found = json!({ "showtime_id": "st-2", "seat_ids": ["C1", "C2"], "is_split": false,
            "sentence": "C1〜C2の2席が並びで空いています。", "sentence_en": "C1–C2: 2 seats are free side by side." });
        let form = talk.back(&[output(found)]);
        assert_eq!(options(&form, "seat_ids"), ["C1,C2"]);
        let (_, arguments) = call(&form);
        let text = arguments["form_schema"]["description"].as_str().unwrap();
        assert!(text.contains(expected), "{text}");
    }
}

/// Films with a mark at the end of their names.
fn marked() -> ToolResult {
    output(json!({ "movies": [
        { "movie_id": "akira", "title": "AKIRA", "title_en": "Akira", "rating": 4.4, "duration": 124 },
        { "movie_id": "yourname", "title": "君の名は。", "title_en": "Your Name.", "rating": 4.5, "duration": 107 },
    ] }))
}

#[test]
fn matches_title_without_its_marks() {
    for (form, booked) in [
        ("明日の映画を教えて", "君の名はのいちばん遅い回で2枚"),
        ("What films are on tomorrow?", "two tickets for the last one of Your Name"),
        ("明日の映画を予約したい", "君の名は"),
        ("I want to book a film for tomorrow", "Your Name"),
    ] {
        let mut talk = new_talk().after(form, &[marked()]);
        let expected = json!({ "movie_id": "yourname", "date": "2026-11-22" });
        assert_eq!(call(&talk.say(booked)), ("list_showtimes", expected), "{booked}");
    }
}

#[test]
fn searches_unlisted_film() {
    for (form, booked, title) in [
        ("明日のアニメを教えて", "ゴジラを2枚", "ゴジラ"),
        ("What animated films are on tomorrow?", "two tickets for Godzilla", "Godzilla"),
    ] {
        let mut talk = new_talk().after(form, &[films()]);
        let expected = json!({ "date": "2026-11-22", "title_query": title });
        assert_eq!(call(&talk.say(booked)), ("list_movies", expected), "{booked}");
    }
}

/// A conversation in which two seats for Akira are being chosen.
fn choosing(sentence: &str) -> trial::Talk {
    let mut talk = new_talk().after(sentence, &[films(), showings()]);
    let pair = options(&talk.back(&[seats()]), "seat_ids");
    assert_eq!(pair[0].split(',').count(), 2, "{sentence}");
    talk
}

#[test]
fn new_count_needs_no_noun() {
    for later in ["make it three", "no, make it 3 please", "change that to three, please"] {
        let mut talk = choosing("Book two seats for Akira tomorrow at 6:30pm");
        talk.say(later);
        let seats = options(&talk.back(&[seats()]), "seat_ids");
        assert_eq!(seats[0].split(',').count(), 3, "{later}");
    }
}

#[test]
fn a_word_abandons_the_choice() {
    for (sentence, later) in [
        ("Book two seats for Akira tomorrow at 6:30pm", "cancel that"),
        ("明日18:30のAKIRAを2枚", "キャンセルして"),
    ] {
        let mut talk = choosing(sentence);
        let text = concluded(&talk.say(later)).text();
        assert!(text.contains("何もしていません") || text.contains("nothing was done"), "{text}");
    }
}

#[test]
fn switches_showing_while_choosing_seats() {
    for (sentence, later, showing) in [
        ("明日のAKIRAの遅い回を2枚", "いや、早い回で", "st-1"),
        ("two tickets for the last showing of Akira tomorrow", "no, the earlier one", "st-1"),
    ] {
        let mut talk = choosing(sentence);
        assert_eq!(call(&talk.say(later)).0, "list_showtimes", "{later}");
        let next = talk.back(&[showings()]);
        assert_eq!(call(&next), ("list_available_seats", json!({ "showtime_id": showing })));
    }
}

#[test]
fn searches_a_bare_name_in_either_script() {
    for name in ["Rashomon", "AKIRA", "羅生門", "Akira?"] {
        let mut talk = new_talk();
        let expected = json!({ "title_query": name.trim_end_matches('?') });
        assert_eq!(call(&talk.say(name)), ("list_movies", expected), "{name}");
    }
}

/// Text and arguments of the requested form or call.
fn request_of(decision: &Decision) -> (String, Value) {
    let Decision::Call(calls) = decision else { panic!("{decision:?}") };
    let arguments = Value::Object(calls[0].arguments.clone());
    (format!("{} {}", calls[0].reason, arguments), arguments)
}

/// Whether the requested form also asks for a name.
fn asks_name(decision: &Decision) -> bool {
    let (_, arguments) = request_of(decision);
    let fields =
        arguments["form_schema"]["fields"].as_array().unwrap_or_else(|| panic!("{arguments}"));
    fields.iter().any(|it| it["name"] == "user_id")
}

const PAIR: &str = "Book two seats for Akira tomorrow at 6:30pm";
const PAIR_JA: &str = "明日18:30のAKIRAを2枚";

#[test]
fn other_words_with_seats_are_no_name() {
    for (sentence, later) in [
        (PAIR_JA, "やっぱり三枚で"),
        (PAIR_JA, "二番目で"),
        (PAIR_JA, "真ん中がいいです"),
        (PAIR_JA, "ちょっと待って"),
        (PAIR_JA, "どうしようかな"),
        (PAIR_JA, "うーん、迷うなあ"),
        (PAIR, "with the second one"),
        (PAIR, "the middle please"),
        (PAIR, "ok"),
        (PAIR, "hmm let me think"),
        (PAIR, "make it three"),
    ] {
        let mut talk = choosing(sentence);
        assert_eq!(call(&talk.say_instead(later)).0, "list_available_seats", "{later}");
        assert!(asks_name(&talk.back(&[seats()])), "{later}");
    }
    for (sentence, later, day) in
        [(PAIR_JA, "やっぱり火曜で", "2026-11-24"), (PAIR, "no, Tuesday", "2026-11-24")]
    {
        let mut talk = choosing(sentence);
        let next = json!({ "movie_id": "akira", "date": day });
        assert_eq!(call(&talk.say_instead(later)), ("list_showtimes", next), "{later}");
    }
}

#[test]
fn takes_a_name_given_with_seats() {
    for (sentence, later, name) in [
        (PAIR_JA, "山田です", "山田"),
        (PAIR_JA, "さとうと申します", "さとう"),
        (PAIR_JA, "佐藤で予約して", "佐藤"),
        (PAIR_JA, "名前は佐藤です", "佐藤"),
        (PAIR_JA, "田中の名前で", "田中"),
        (PAIR, "Ken", "Ken"),
        (PAIR, "I'm Maria Lopez", "Maria Lopez"),
        (PAIR, "my name is Ken", "Ken"),
        (PAIR, "under the name Ken", "Ken"),
        (PAIR, "u-1", "u-1"),
    ] {
        let mut talk = choosing(sentence);
        talk.say_instead(later);
        assert!(!asks_name(&talk.back(&[seats()])), "{later}");
        let next = talk.say(r#"{"seat_ids": "A4,A5"}"#);
        assert_eq!(request_of(&next).1["user_id"], name, "{later}");
    }
}

/// A conversation in which two seats for Akira wait for approval.
fn waiting(sentence: &str) -> (trial::Talk, Decision) {
    let mut talk = choosing(sentence);
    let next = talk.say(r#"{"seat_ids": "C4,C5", "user_id": "u-1"}"#);
    assert_eq!(call(&next).0, "reserve_seats", "{sentence}");
    (talk, next)
}

#[test]
fn yes_asks_for_approval_again() {
    for (sentence, later, press) in [
        (PAIR, "yes", "Press the button"),
        (PAIR, "ok, go ahead", "Press the button"),
        (PAIR_JA, "はい、お願いします", "許可のボタン"),
    ] {
        let (mut talk, first) = waiting(sentence);
        let next = talk.say_instead(later);
        assert_eq!(request_of(&next).1, request_of(&first).1, "{later}");
        assert!(request_of(&next).0.contains(press), "{later}");
        let again = talk.say_instead(later);
        assert_eq!(request_of(&again).0.matches(press).count(), 1, "{later}");
        assert!(concluded(&talk.back(&[reserved()])).text().contains("r-9"));
    }
}

#[test]
fn no_abandons_the_pending_booking() {
    for (sentence, later, text) in [
        (PAIR, "no", "nothing was done"),
        (PAIR, "no thanks", "nothing was done"),
        (PAIR_JA, "いえ、結構です", "何もしていません"),
    ] {
        let (mut talk, _) = waiting(sentence);
        let answer = concluded(&talk.say_instead(later)).text();
        assert!(answer.contains(text), "{answer}");
        let mut talk = choosing(sentence);
        let answer = concluded(&talk.say_instead(later)).text();
        assert!(answer.contains(text), "{answer}");
    }
}

#[test]
fn correction_changes_the_pending_booking() {
    for (sentence, later, tool) in [
        (PAIR, "make it three", "list_available_seats"),
        (PAIR, "no, make that three", "list_available_seats"),
        (PAIR, "actually, make it row A", "list_available_seats"),
        (PAIR, "no, Monday", "list_showtimes"),
        (PAIR_JA, "やっぱり3枚で", "list_available_seats"),
        (PAIR_JA, "やっぱり月曜で", "list_showtimes"),
        (PAIR_JA, "やっぱり早い方で", "list_showtimes"),
    ] {
        let (mut talk, _) = waiting(sentence);
        assert_eq!(call(&talk.say_instead(later)).0, tool, "{later}");
    }
    let (mut talk, _) = waiting(PAIR);
    talk.say_instead("make it three");
    let pair = options(&talk.back(&[seats()]), "seat_ids");
    assert_eq!(pair[0].split(',').count(), 3);
}

#[test]
fn skipped_booking_is_reported_as_not_made() {
    for (sentence, later, text) in [
        (PAIR, "colourless green ideas sleep", "What waited for your approval was not done"),
        (PAIR_JA, "隣に友達も来るので", "承認を待っていた操作"),
    ] {
        let (mut talk, _) = waiting(sentence);
        let answer = concluded(&talk.say_instead(later)).text();
        assert!(answer.contains(text), "{answer}");
        let answer = concluded(&talk.say("hello there")).text();
        assert!(!answer.contains(text), "{answer}");
    }
}

#[test]
fn makes_two_bookings_one_at_a_time() {
    for (sentence, note, later) in [
        ("AKIRAを明日18:30に2枚、ゴジラを月曜に3枚", "1件ずつ", "ゴジラを月曜に3枚"),
        (
            "book 2 seats for Akira tomorrow at 6:30pm and 3 for Godzilla on Monday",
            "One booking is made at a time",
            "3 for Godzilla on Monday",
        ),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).1["date"], "2026-11-22", "{sentence}");
        talk.back(&[films()]);
        talk.back(&[showings()]);
        let form = talk.back(&[seats()]);
        assert_eq!(options(&form, "seat_ids")[0].split(',').count(), 2, "{sentence}");
        let (text, _) = request_of(&form);
        assert!(text.contains(note) && text.contains(later), "{text}");
        talk.say(r#"{"seat_ids": "A4,A5", "user_id": "u-1"}"#);
        let text = concluded(&talk.back(&[reserved()])).text();
        assert!(text.contains(later), "{text}");
    }
}

#[test]
fn approval_names_film_time_and_price() {
    for (sentence, named, total) in [
        ("明日18:30のAKIRAのC4をユーザーID u-9で予約して", "「AKIRA」11月22日 18:30", "2,000円"),
        (
            "Book C4 for Akira tomorrow at 6:30pm, name: Maria",
            "Akira – Sun 22 Nov, 18:30",
            "¥2,000",
        ),
    ] {
        let mut talk = new_talk().after(sentence, &[films()]);
        let next = talk.back(&[showings()]);
        let (text, _) = request_of(&next);
        assert!(text.contains(named) && !text.contains("空き"), "{text}");
        let mut talk = new_talk()
            .after(if total.contains('¥') { PAIR } else { PAIR_JA }, &[films(), showings()]);
        let ToolResult::Output { mut structured, meta, content } = seats() else { panic!() };
        structured["prices"] = json!({ "currency": "JPY", "standard": 1000 });
        let pair =
            options(&talk.back(&[ToolResult::Output { structured, meta, content }]), "seat_ids");
        let next = talk.say(&json!({ "seat_ids": pair[0], "user_id": "u-1" }).to_string());
        let (text, _) = request_of(&next);
        assert!(text.contains(total), "{text}");
    }
}

#[test]
fn film_chosen_by_number_is_named_by_title() {
    let mut talk = new_talk().after("明日の映画を教えて", &[films()]);
    let next = talk.say("2番を2席予約して");
    let (text, _) = request_of(&next);
    assert!(text.contains("「となりのトトロ」の") && !text.contains('★'), "{text}");
}

#[test]
fn denied_booking_is_no_order() {
    for sentence in [
        "Please don't reserve seats for Akira",
        "AKIRAの席は取らないで",
        "仮押さえしないで",
        "don't hold any seats",
        "don't release them",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("nothing was done") || text.contains("何もしていません"), "{text}");
        assert!(!text.contains("Which of these") && !text.contains("理解できなかった"), "{text}");
    }
    for (sentence, title) in [
        ("Don't book anything, just show me when Akira is on tomorrow", "Akira"),
        ("席は取らないで、明日のAKIRAの上映時間だけ教えて", "AKIRA"),
    ] {
        let mut talk = new_talk();
        let films_of_day = json!({ "date": "2026-11-22", "title_query": title });
        assert_eq!(call(&talk.say(sentence)), ("list_movies", films_of_day), "{sentence}");
        assert_eq!(call(&talk.back(&[films()])).0, "list_showtimes", "{sentence}");
        let text = concluded(&talk.back(&[showings()])).text();
        assert!(text.contains("18:30"), "{text}");
    }
}

#[test]
fn shows_seats_and_again_on_another_day() {
    for (sentence, later) in [
        ("Show me the seats for Akira tomorrow at 6:30pm", "What about Monday?"),
        ("明日18:30のAKIRAの座席を見せて", "月曜はどう？"),
    ] {
        let mut talk = new_talk().after(sentence, &[films()]);
        assert_eq!(call(&talk.back(&[showings()])).0, "list_available_seats", "{sentence}");
        let text = concluded(&talk.back(&[seats()])).text();
        assert!(text.contains("23"), "{text}");
        let next = json!({ "movie_id": "akira", "date": "2026-11-23" });
        assert_eq!(call(&talk.say(later)), ("list_showtimes", next), "{later}");
    }
}

#[test]
fn lists_bookings_in_the_askers_language() {
    let mut talk = new_talk();
    talk.say("Reserve A5 and A6 of showtime st-2 for user u-1");
    let ToolResult::Output { mut structured, meta, content } = reserved() else { panic!() };
    structured["movie_title"] = json!("君の名は。");
    structured["movie_title_en"] = json!("Your Name.");
    talk.back(&[ToolResult::Output { structured, meta, content }]);
    let text = concluded(&talk.say("What did I book?")).text();
    assert!(text.contains("Your Name.") && !text.contains("君の名は"), "{text}");
}

#[test]
fn corrected_weekday_stays_in_its_week() {
    for (sentence, later, day) in [
        ("Book two seats for Akira next Friday", "no, Saturday", "2026-11-28"),
        ("Book two seats for Akira next Friday", "actually, Thursday instead", "2026-11-26"),
        ("来週の金曜にAKIRAを2枚", "やっぱり日曜で", "2026-11-29"),
        ("Book two seats for Akira on Monday", "no, Sunday", "2026-11-29"),
    ] {
        let mut talk = new_talk().after(sentence, &[films(), showings()]);
        let next = talk.say_instead(later);
        assert_eq!(
            call(&next),
            ("list_showtimes", json!({ "movie_id": "akira", "date": day })),
            "{later}"
        );
    }
}

#[test]
fn pronoun_means_the_film_of_the_answer() {
    for (sentence, length, when) in [
        ("Which film is the best rated?", "how long is it?", "When is it on?"),
        ("一番評価の高い映画は？", "それは何分の映画？", "それはいつやってる？"),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        let text = concluded(&talk.back(&[films()])).text();
        assert!(!text.contains("分からない") && !text.contains("did not understand"), "{text}");
        let expected = if length.is_ascii() { "Seven Samurai" } else { "七人の侍" };
        assert_eq!(call(&talk.say(length)).1["title_query"], expected, "{length}");
        let text = concluded(&talk.back(&[films()])).text();
        assert!(text.contains("207"), "{text}");
        let next = talk.say(when);
        assert_eq!(call(&next).0, "list_showtimes", "{when}");
        assert_eq!(call(&next).1["movie_id"], "samurai", "{when}");
    }
}

#[test]
fn film_on_other_days_is_listed_with_them() {
    for (sentence, title) in
        [("Book two seats for Akira on December 25", "Akira"), ("12月25日にAKIRAを2枚", "AKIRA")]
    {
        let mut talk = new_talk();
        talk.say(sentence);
        let next = talk.back(&[output(json!({ "movies": [], "suggestions": ["AKIRA"] }))]);
        assert_eq!(call(&next), ("list_movies", json!({ "title_query": title })), "{sentence}");
        talk.back(&[films()]);
        let text = concluded(&talk.back(&[showings()])).text();
        assert!(text.contains("12-25") && text.contains("18:30"), "{text}");
        assert!(!text.contains("Close titles") && !text.contains("近い題名"), "{text}");
    }
}
