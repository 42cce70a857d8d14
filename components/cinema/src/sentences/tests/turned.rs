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

#[test]
fn booking_after_a_list_asks_only_which_film() {
    for (list, order) in [
        ("明日の映画は？", "2枚予約したい"),
        ("明日の映画は？", "予約したい"),
        ("films tomorrow", "book two seats"),
    ] {
        let mut talk = new_talk().after(list, &[films()]);
        let text = concluded(&talk.say(order)).text();
        assert!(text.contains("どの映画") || text.contains("Which film"), "{order}: {text}");
        // What is chosen then is of the list, and its day.
        let decided = talk.say("1");
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, "list_showtimes", "{order}");
        assert_eq!(arguments, json!({ "movie_id": "akira", "date": "2026-11-22" }), "{order}");
    }
    // A kind or an order is more than the list says, and so is a day.
    for order in ["一番短いのを2枚予約したい", "アニメを2枚予約したい", "月曜に2枚予約したい"]
    {
        let mut talk = new_talk().after("明日の映画は？", &[films()]);
        assert_eq!(call(&talk.say(order)).0, "list_movies", "{order}");
    }
}

#[test]
fn booking_sentence_gives_the_name() {
    // One that says that it is a name books what is recommended, once that is approved.
    for order in ["花子の名前で予約して", "book it under Hanako", "reserve those for Hanako"]
    {
        let mut talk = choosing("明日18:30のAKIRAを2枚");
        let decided = talk.say(order);
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, "reserve_seats", "{order}");
        assert!(["花子", "Hanako"].iter().any(|it| arguments["user_id"] == *it), "{order}");
    }
    // Another may be a film: it is said how it is taken, and the seats are asked for.
    let mut talk = choosing("明日18:30のAKIRAを2枚");
    talk.say("花子で予約して");
    let form = talk.back(&[seats()]);
    let description = call(&form).1["form_schema"]["description"].as_str().unwrap().to_owned();
    assert!(description.contains("お名前は「花子」"), "{description}");
    assert_eq!(call(&form).1["form_schema"]["fields"].as_array().unwrap().len(), 1);
    // So it is while a showing is asked for.
    let (mut talk, _) = asked("明日のAKIRAを2枚");
    talk.say("花子で予約して");
    let form = talk.back(&[showings()]);
    assert!(call(&form).1["form_schema"]["description"].as_str().unwrap().contains("花子"));
}

#[test]
fn seats_and_name_survive_a_limit_of_the_price() {
    let mut talk = new_talk().after("明日のAKIRA", &[films(), showings()]);
    talk.say("B5とB6、名前は田中、3000円以下なら");
    let form = talk.back(&[showings()]);
    let description = call(&form).1["form_schema"]["description"].as_str().unwrap().to_owned();
    assert!(description.contains("田中") && description.contains("料金"), "{description}");
    let arguments = call(&talk.say("18:30の回で")).1;
    assert_eq!(
        (&arguments["seat_ids"], &arguments["user_id"]),
        (&json!(["B5", "B6"]), &json!("田中"))
    );
    // Without a film as well.
    assert_eq!(call(&new_talk().say("E5とE6、名前は田中")).0, "list_movies");
}

#[test]
fn leaving_the_seats_takes_the_recommended_ones() {
    for order in ["席はおまかせで", "you choose"] {
        let mut talk = choosing("明日18:30のAKIRAを2枚");
        talk.say(order);
        let form = talk.back(&[seats()]);
        assert_eq!(call(&form).1["form_schema"]["fields"][0]["name"], "user_id", "{order}");
    }
}

#[test]
fn bare_name_after_a_list_or_a_form_is_another_film() {
    let mut talk = new_talk().after("明日の映画は？", &[films()]);
    let decided = talk.say("ゴジラで");
    let (tool, arguments) = call(&decided);
    assert_eq!((tool, &arguments["title_query"]), ("list_movies", &json!("ゴジラ")));
    assert!(arguments["date"].as_str().unwrap().starts_with("2026-11-22"));
    let (mut talk, _) = asked("明日のAKIRAを2枚");
    assert_eq!(call(&talk.say("やっぱりゴジラ")).1["title_query"], "ゴジラ");
}

#[test]
fn comparison_alone_goes_on_or_is_asked_about() {
    for word in ["shorter", "what about longer?"] {
        let mut talk = new_talk().after("films tomorrow", &[films()]);
        assert_eq!(call(&talk.say(word)).0, "list_movies", "{word}");
    }
    for (list, word) in [("films tomorrow", "earlier"), ("明日の映画", "もっと早い時間は")]
    {
        let mut talk = new_talk().after(list, &[films()]);
        let text = concluded(&talk.say(word)).text();
        assert!(text.contains("上映時刻がありません") || text.contains("has no times"), "{text}");
    }
    let mut talk = new_talk().after("明日のAKIRA", &[films(), showings()]);
    let text = concluded(&talk.say("他ので")).text();
    assert!(text.contains("別の回ですか、別の映画ですか"), "{text}");
}

#[test]
fn recurring_day_is_left_out_and_no_film() {
    for sentence in ["毎週土曜の映画を2枚予約して", "two tickets every Saturday"] {
        let mut talk = new_talk();
        let decided = talk.say(sentence);
        let (_, arguments) = call(&decided);
        assert_eq!(arguments["title_query"], Value::Null, "{sentence}");
        let form = talk.back(&[films()]);
        let description = call(&form).1["form_schema"]["description"].as_str().unwrap().to_owned();
        assert!(description.contains("毎週") || description.contains("every"), "{description}");
    }
}

#[test]
fn reads_what_is_written_in_kana() {
    for (sentence, tool) in [
        ("よやく したい", "list_movies"),
        ("あした の えいが を にまい よやく したい", "list_movies"),
        ("あした なに やってる", "list_movies"),
    ] {
        assert_eq!(call(&new_talk().say(sentence)).0, tool, "{sentence}");
    }
    assert_eq!(films_named("あきらは なんじ から？")["title_query"], "あきら");
}
