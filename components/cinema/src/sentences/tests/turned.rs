//! Turns in the middle of a visit: refused days, films that there are not, and what is reserved already.

use super::*;

fn films_named(sentence: &str) -> Value {
    call(&new_talk().say(sentence)).1
}

/// A talk in which the showing of a film that was named with its day is chosen.
fn asked(sentence: &str) -> (trial::Talk, Decision) {
    let mut talk = new_talk();
    assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
    assert_eq!(call(&talk.back(&[films()])).0, "list_showtimes", "{sentence}");
    let form = talk.back(&[showings()]);
    (talk, form)
}

fn on_days(days: &[&str]) -> ToolResult {
    let one = |id: &str, day: &str| json!({ "showtime_id": id, "movie_id": "akira", "start_time": format!("2026-11-{day}T10:00:00"), "available_seats_count": 40, "theater_name": "スクリーン1", "is_open": true });
    let all: Vec<_> = days.iter().map(|day| one(&format!("st-{day}"), day)).collect();
    output(json!({ "showtimes": all }))
}

#[test]
fn name_right_before_a_day_or_tickets_is_a_film() {
    for (sentence, film) in [
        ("アキラ明日2枚取って", "アキラ"),
        ("羅生門明日の夜3枚予約して", "羅生門"),
        ("ゴジラ2枚とってください", "ゴジラ"),
        ("ゴジラ四枚買いたい", "ゴジラ"),
    ] {
        assert_eq!(films_named(sentence)["title_query"], film, "{sentence}");
    }
    for sentence in ["明日一般2枚予約したい", "高齢者2枚と学生1枚を明日予約して"]
    {
        assert_eq!(films_named(sentence)["title_query"], Value::Null, "{sentence}");
    }
}

#[test]
fn lists_showings_of_a_week() {
    for sentence in
        ["今週のAKIRAの上映", "来週のAKIRAの上映", "cheapest showing of Akira this week?"]
    {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        assert_eq!(call(&talk.back(&[films()])).0, "list_showtimes", "{sentence}");
        concluded(&talk.back(&[showings()]));
    }
}

#[test]
fn clause_before_a_day_is_no_film() {
    for reason in [
        "日曜は無理だから月曜にして",
        "日曜がだめなら月曜で",
        "無理だったら月曜で",
        "都合が悪くて月曜に",
    ] {
        let (mut talk, _) = asked("明日のAKIRAを2枚");
        let next = talk.say(reason);
        assert_eq!(call(&next).0, "list_showtimes", "{reason}");
        assert_eq!(call(&next).1["date"], "2026-11-23", "{reason}");
    }
    for sentence in ["雨なら明日2枚予約して", "デート明日2枚予約して"] {
        assert_eq!(films_named(sentence)["title_query"], Value::Null, "{sentence}");
    }
}

#[test]
fn question_of_how_many_seats_is_for_none_reserved() {
    for sentence in ["何枚取ったらいい？", "何席取ったほうがいい？"] {
        let text = format!("{:?}", new_talk().say(sentence));
        assert!(!text.contains("この会話で行った予約"), "{text}");
    }
}

#[test]
fn question_for_own_seats_books_none() {
    for sentence in [
        "今何席取ってる？",
        "何枚予約してたっけ？",
        "how many seats do I have?",
        "how many tickets have I got?",
    ] {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(
            text.contains("この会話で行った予約") || text.contains("Nothing was res"),
            "{text}"
        );
        let (mut talk, _) = asked("明日のAKIRAを2枚");
        let text = concluded(&talk.say(sentence)).text();
        assert!(
            text.contains("この会話で行った予約") || text.contains("Nothing was res"),
            "{text}"
        );
    }
}

#[test]
fn refused_day_is_left_out() {
    for refusal in [
        "日曜は無理",
        "日曜も無理",
        "明日は行けないかも",
        "日曜日は都合が悪いです",
        "明日以外で",
        "日曜やっぱ無理だった",
        "日曜はちょっと忙しい",
        "ごめん明日無理になった",
        "日曜はちょっと…",
        "Sunday doesn't work",
        "not tomorrow",
        "sorry, I can't do Sunday",
    ] {
        let (mut talk, _) = asked("明日のAKIRAを2枚");
        let next = talk.say(refusal);
        assert_eq!(call(&next), ("list_showtimes", json!({ "movie_id": "akira" })), "{refusal}");
        let form = talk.back(&[on_days(&["22", "23", "24"])]);
        assert_eq!(options(&form, "showtime_id"), ["st-23", "st-24"], "{refusal}");
        // A change of mind.
        let next = talk.say("やっぱり日曜で");
        assert_eq!(call(&next).1["date"], "2026-11-22", "{refusal}");
        let seats = talk.back(&[on_days(&["22"])]);
        assert_eq!(call(&seats).1["showtime_id"], "st-22", "{refusal}");
    }
    for kept in [
        "日曜は大丈夫",
        "日曜は無理ですか？",
        "日曜は無理じゃないよ",
        "日曜はちょっと早い回で",
        "日曜は予定がないよ",
        "日曜は予定通りで",
        "日曜は忙しくない",
        "日曜は行けないわけじゃない",
        "日曜は行けないことはない",
        "日曜はパスしないで",
        "日曜以外は無理",
        "I can't do any day but Sunday",
    ] {
        let (mut talk, _) = asked("明日のAKIRAを2枚");
        if let Decision::Call(calls) = talk.say(kept) {
            let days = calls.iter().filter(|it| it.name == "list_showtimes");
            assert!(days.into_iter().all(|it| it.arguments.contains_key("date")), "{kept}");
        }
    }
}

#[test]
fn people_who_cannot_come_are_left_out() {
    for (sentence, fewer) in [
        ("明日18:30のAKIRAを3枚", "ひとり来れなくなった"),
        ("明日18:30のAKIRAを3枚", "1人が行けなくなりました"),
        ("Three seats for Akira tomorrow at 6:30pm", "one of us can't come"),
    ] {
        let (mut talk, next) = asked(sentence);
        assert_eq!(call(&next).0, "list_available_seats", "{sentence}");
        assert_eq!(options(&talk.back(&[seats()]), "seat_ids")[0].split(',').count(), 3);
        assert_eq!(call(&talk.say(fewer)).0, "list_available_seats", "{fewer}");
        let form = talk.back(&[seats()]);
        assert_eq!(options(&form, "seat_ids")[0].split(',').count(), 2, "{fewer}");
    }
    for open in ["1人来なかったらどうなる？", "1人来ない場合は？", "1人来れないわけじゃない"]
    {
        let (mut talk, _) = asked("明日18:30のAKIRAを3枚");
        talk.back(&[seats()]);
        if call(&talk.say(open)).0 == "list_available_seats" {
            let form = talk.back(&[seats()]);
            assert_eq!(options(&form, "seat_ids")[0].split(',').count(), 3, "{open}");
        }
    }
}

#[test]
fn choice_outlasts_a_film_that_is_not_found() {
    for (sentence, switch) in [
        ("明日のAKIRAを2枚", "山田にして"),
        ("明日のAKIRAを2枚", "やっぱりジョーズに変えて"),
        ("Two seats for Akira tomorrow", "Jaws instead"),
    ] {
        let (mut talk, form) = asked(sentence);
        let all = options(&form, "showtime_id");
        assert_eq!(call(&talk.say(switch)).0, "list_movies", "{switch}");
        let next = talk.back(&[output(json!({ "movies": [], "suggestions": [] }))]);
        assert_eq!(call(&next).0, "list_showtimes", "{switch}");
        let form = talk.back(&[showings()]);
        assert_eq!(options(&form, "showtime_id"), all, "{switch}");
        let text = call(&form).1["form_schema"]["description"].as_str().unwrap().to_owned();
        assert!(text.contains("見つかりません") || text.contains("not showing"), "{text}");
    }
}

#[test]
fn waiting_list_is_remarked_next_to_a_booking() {
    for sentence in [
        "明日のAKIRA満席ならキャンセル待ち、空いてたら2枚予約して",
        "waitlist me for Godzilla tomorrow and book 2 for Akira",
    ] {
        let (_, form) = asked(sentence);
        let text = call(&form).1["form_schema"]["description"].as_str().unwrap().to_owned();
        assert!(text.contains("キャンセル待ち") || text.contains("waiting list"), "{text}");
    }
    for sentence in
        ["明日のAKIRAのキャンセル待ちに入れて", "join the waiting list for Akira, 2 people"]
    {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("何もしていません") || text.contains("Nothing was done"), "{text}");
    }
}

#[test]
fn question_for_advice_books_nothing() {
    for sentence in ["AKIRAは明日予約したほうがいい？", "明日のAKIRA、早めに予約すべき？"]
    {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("まだ何もしていません"), "{text}");
    }
}

#[test]
fn fee_for_cancelling_cancels_nothing() {
    for sentence in
        ["キャンセル料かかる？", "キャンセル料はいくらですか", "is there a cancellation fee?"]
    {
        let text = concluded(&new_talk().say(sentence)).text();
        assert!(text.contains("返金") || text.contains("refunds"), "{text}");
    }
}

#[test]
fn compares_films_by_their_times() {
    let showing = |film: &str, from: &str, to: &str| json!({ "showtimes": [{ "showtime_id": format!("st-{film}"), "movie_id": film, "start_time": format!("2026-11-22T{from}:00"), "end_time": format!("2026-11-22T{to}:00"), "available_seats_count": 40, "theater_name": "スクリーン1", "is_open": true }] });
    for (sentence, said) in [
        ("which ends earlier tomorrow, Akira or Seven Samurai?", "first to end is Akira"),
        ("明日、AKIRAと七人の侍はどっちが先に終わる？", "早く終わるのは「AKIRA"),
        ("AKIRAと七人の侍、明日早く始まるのはどっち", "早く始まるのは「七人の侍"),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
        let Decision::Call(calls) = talk.back(&[films()]) else { panic!("{sentence}") };
        let asked: Vec<_> = calls.iter().map(|it| it.arguments["movie_id"].clone()).collect();
        assert_eq!(asked, ["akira", "samurai"], "{sentence}");
        let times = [
            output(showing("akira", "10:30", "12:34")),
            output(showing("samurai", "10:00", "13:27")),
        ];
        let text = concluded(&talk.back(&times)).text();
        assert!(text.contains(said) && !text.contains('※'), "{text}");
    }
}
