//! Changes of mind: what is taken back, turned round, refused or goes on from the end; and
//! further legs, ways back, stops by a part of their names, and wishes in everyday words.

use super::*;

fn ends(sentences: &[&str]) -> (String, String) {
    let arguments = asked(sentences);
    let end = |name: &str| arguments[name].as_str().unwrap_or_default().to_lowercase();
    (end("origin"), end("destination"))
}

fn mode(sentences: &[&str]) -> String {
    let (talk, _) = after(sentences);
    assert!(!talk.last.is_empty(), "{sentences:?}");
    let mode = talk.last[0].meta.get("navigation/travelMode").and_then(Value::as_str);
    mode.unwrap_or("driving").to_owned()
}

const JA: &str = "渋谷から新宿まで";
const EN: &str = "from Shibuya to Shinjuku";

#[test]
fn refused_mode_is_not_taken() {
    for (sentences, expected) in [
        (&["目黒から恵比寿まで車で行きたくない"][..], "walking"),
        (&[JA, "車は嫌"], "walking"),
        (&[JA, "車なしで"], "walking"),
        (&[JA, "車以外で"], "walking"),
        (&["渋谷から新宿まで歩いて", "歩きたくない"], "driving"),
        (&["渋谷から新宿まで歩いて", "やっぱり徒歩は嫌、自転車で"], "bicycling"),
        (&["渋谷から新宿まで自転車で", "自転車は使わない"], "driving"),
        (&["渋谷から新宿まで車で、高速は使わない"], "driving"),
        (&["渋谷から新宿まで歩いて、高速を避けて"], "walking"),
        (&["Shibuya to Shinjuku, I don't want to drive"], "walking"),
        (&[EN, "not by car"], "walking"),
        (&[EN, "without a car"], "walking"),
        (&[EN, "not by car or on foot"], "bicycling"),
        (&["from Shibuya to Shinjuku on foot", "I'd rather not walk"], "driving"),
        (&["from Shibuya to Shinjuku on foot", "I can't walk, by bike then"], "bicycling"),
        (&["from Shibuya to Shinjuku by bike", "don't want to cycle"], "driving"),
        (&["from Shibuya to Shinjuku on foot", "no highways"], "walking"),
        (&["from Shibuya to Shinjuku by car without highways"], "driving"),
        (&["don't use highways, walk from Shibuya to Shinjuku"], "walking"),
        (&["I don't want to drive on motorways from Shibuya to Shinjuku"], "driving"),
        (&["from Shibuya to Shinjuku, avoid driving through traffic"], "driving"),
        (&["I hate driving, no motorways, Shibuya to Shinjuku"], "driving"),
        (&["運転は苦手なので高速なしで、渋谷から新宿まで"], "driving"),
        (&["渋谷から新宿まで🚶"], "walking"),
        (&[JA, "🚲だと？"], "bicycling"),
    ] {
        assert_eq!(mode(sentences), expected, "{sentences:?}");
    }
}

#[test]
fn wanted_mode_is_taken() {
    for (sentences, expected) in [
        (&[JA, "車で行きたくなった"][..], "driving"),
        (&["渋谷から新宿まで歩いて", "車で行きたくなってきた"], "driving"),
        (&[JA, "歩きたくなった"], "walking"),
        (&[JA, "車で行かなきゃ"], "driving"),
        (&[JA, "車を使わないと間に合わない"], "driving"),
        (&[JA, "車でなければだめ"], "driving"),
        (&[JA, "徒歩じゃないとだめ"], "walking"),
        (&[JA, "車で行かせて"], "driving"),
        (&[JA, "自転車で行かない？"], "bicycling"),
        (&[JA, "歩いて行かないか"], "walking"),
        (&[JA, "自転車じゃない？"], "bicycling"),
        (&[JA, "歩きはだめですか？"], "walking"),
        (&[JA, "歩くのは嫌いじゃない"], "walking"),
        (&[JA, "車は避けられない"], "driving"),
        (&[JA, "車を避けるルートは？"], "walking"),
        (&[JA, "車を使わないとどれくらい？"], "walking"),
        (&[JA, "車で行きたくないんですが"], "walking"),
        (&[JA, "車なしは？"], "walking"),
        (&[EN, "why not walk?"], "walking"),
        (&[EN, "why not by bike?"], "bicycling"),
        (&["from Shibuya to Shinjuku on foot", "why not go by car?"], "driving"),
        (&[EN, "can't I walk?"], "walking"),
    ] {
        assert_eq!(mode(sentences), expected, "{sentences:?}");
    }
    let avoid = asked(&[EN, "can't we take toll roads?"])["avoid"].clone();
    assert_eq!(avoid, Value::Null);
}

#[test]
fn new_route_on_the_way_home_is_new() {
    let found = ends(&[EN, "from Ginza to Ueno on the way home"]);
    assert_eq!((&*found.0, &*found.1), ("ginza", "ueno"));
}

#[test]
fn last_change_of_a_route_is_taken_back() {
    for (sentences, expected) in [
        (&[JA, "池袋まで", "元に戻して"][..], ("渋谷", "新宿")),
        (&[JA, "池袋まで", "やっぱりさっきの方がいい"], ("渋谷", "新宿")),
        (&[JA, "池袋まで", "何分？", "元に戻して"], ("渋谷", "新宿")),
        (&[EN, "to Ueno instead", "undo"], ("shibuya", "shinjuku")),
        (&[EN, "to Ueno instead", "undo", "undo"], ("shibuya", "ueno")),
        (&[EN, "from Ueno to Ginza", "the previous one please"], ("shibuya", "shinjuku")),
    ] {
        let found = ends(sentences);
        assert_eq!((&*found.0, &*found.1), expected, "{sentences:?}");
    }
    assert_eq!(mode(&[JA, "歩いて", "元に戻して"]), "driving");
    assert_eq!(mode(&[EN, "by bike", "how long is it?", "undo"]), "driving");
    let avoid = asked(&[EN, "no tolls", "undo"])["avoid"].clone();
    assert_eq!(avoid, Value::Null);
}

#[test]
fn route_is_turned_round_by_one_word() {
    for sentences in [
        &[JA, "逆"][..],
        &[JA, "逆は？"],
        &[JA, "逆だと？"],
        &[JA, "反対方向"],
        &[JA, "逆", "もう一回逆", "逆"],
        &[EN, "reverse"],
        &[EN, "and the opposite direction?"],
        &[EN, "on the way home I want to avoid tolls"],
        &[EN, "no ferries on the way back"],
        &[JA, "帰るときは高速なしで"],
    ] {
        let found = ends(sentences);
        let is_turned =
            ["新宿", "shinjuku"].contains(&&*found.0) && ["渋谷", "shibuya"].contains(&&*found.1);
        assert!(is_turned, "{sentences:?}: {found:?}");
    }
    let tolls = ["tolls"];
    assert_eq!(asked(&[EN, "on the way home I want to avoid tolls"])["avoid"], json!(tolls));
    // The way home was found before.
    let home = asked(&[EN, "reverse it", "on the way home I want to avoid tolls"]);
    assert_eq!((&home["origin"], &home["avoid"]), (&json!("Shinjuku"), &json!(tolls)));
}

#[test]
fn further_places_begin_where_the_route_ends() {
    for (sentences, expected, stops_on_it) in [
        (&[EN, "then to Ueno and Ginza"][..], ("shinjuku", "ginza"), &["ueno"][..]),
        (&[EN, "then to Ueno, Akihabara and Ginza"], ("shinjuku", "ginza"), &["ueno", "akihabara"]),
        (&[EN, "then to Ueno as well"], ("shinjuku", "ueno"), &[]),
        (&[JA, "次は上野と銀座"], ("新宿", "銀座"), &["上野"]),
        (&[JA, "その後は上野にも行きたい"], ("新宿", "上野"), &[]),
    ] {
        let found = ends(sentences);
        assert_eq!((&*found.0, &*found.1), expected, "{sentences:?}");
        assert_eq!(stops(sentences), stops_on_it, "{sentences:?}");
    }
}

#[test]
fn origin_at_the_end_asks_for_another_end() {
    for (first, later, origin) in [(JA, "新宿から", "新宿"), (EN, "from Shinjuku", "Shinjuku")]
    {
        let mut talk = new_talk().after(first, &[routes()]);
        let next = talk.say(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, FORM, "{later}");
        let fields = &arguments["form_schema"]["fields"];
        assert_eq!(fields[0]["default"], origin, "{later}");
        assert_eq!(fields[1].get("default"), None, "{later}");
    }
    let found = ends(&[JA, "池袋から"]);
    assert_eq!((&*found.0, &*found.1), ("池袋", "新宿"));
}

#[test]
fn motorway_is_wanted_after_all() {
    for (sentences, is_avoided) in [
        (&["渋谷から横浜まで高速なしで", "やっぱ高速を使いたくなった"][..], false),
        (&["高速を使いたくなってきたけど、渋谷から横浜まで"], false),
        (&["渋谷から横浜まで、高速は使いたくない"], true),
        (&["渋谷から横浜まで、高速には乗りたくなかった"], true),
    ] {
        assert_eq!(!asked(sentences)["avoid"].is_null(), is_avoided, "{sentences:?}");
    }
}

#[test]
fn arrival_and_clauses_are_no_ends() {
    let found = ends(&["明日の朝9時に品川着で横浜から"]);
    assert_eq!((&*found.0, &*found.1), ("横浜", "品川"));
    for sentence in
        ["参加・不参加から選ぶ", "AKIRAはもう見たからゴジラを明日2枚", "金額は1万円まで"]
    {
        let next = new_talk().say(sentence);
        assert!(matches!(next, Decision::Conclude(_)), "{sentence}: {next:?}");
    }
}

#[test]
fn stop_comes_before_an_unmarked_end() {
    for (sentence, origin, end, stop) in [
        ("東京タワーからスカイツリー経由で浅草", "東京タワー", "浅草", "スカイツリー"),
        ("渋谷から品川経由、横浜", "渋谷", "横浜", "品川"),
        ("渋谷から品川を経由して横浜、高速なし", "渋谷", "横浜", "品川"),
        ("新宿から秋葉原に寄って上野", "新宿", "上野", "秋葉原"),
        ("東京タワーからスカイツリー経由で浅草まで", "東京タワー", "浅草", "スカイツリー"),
        ("上野から浅草まで秋葉原経由で", "上野", "浅草", "秋葉原"),
    ] {
        let found = ends(&[sentence]);
        assert_eq!((&*found.0, &*found.1), (origin, end), "{sentence}");
        assert_eq!(stops(&[sentence]), [stop], "{sentence}");
    }
    for sentence in ["渋谷から新宿、池袋に寄って上野", "渋谷から新宿と池袋に寄って上野まで"]
    {
        assert_eq!(stops(&[sentence]), ["新宿", "池袋"], "{sentence}");
        assert_eq!(ends(&[sentence]).1, "上野", "{sentence}");
    }
    assert_eq!(stops(&["渋谷から上野まで", "途中で池袋寄りたい"]), ["池袋"]);
    assert!(stops(&["渋谷から上野まで池袋経由", "やっぱり池袋寄らない"]).is_empty());
    assert!(stops(&["from Shibuya to Ueno via Ginza", "skip that stop"]).is_empty());
    // The end comes before its stop.
    assert_eq!(stops(&["渋谷から上野、池袋に寄って"]), ["池袋"]);
    let found = ends(&["渋谷から横浜、高速経由で"]);
    assert_eq!((&*found.0, &*found.1), ("渋谷", "横浜"));
    assert!(stops(&["渋谷から新宿まで池袋経由", "経由なしで"]).is_empty());
}

#[test]
fn of_two_times_the_arrival_counts() {
    let text = |sentence: &str| {
        let mut talk = new_talk();
        talk.say(sentence);
        let meta = talk.last[0].meta["navigation/arrivalTime"].as_str().unwrap_or_default();
        let meta = meta.to_owned();
        (meta, concluded(&talk.back(&[routes()])).text())
    };
    for sentence in [
        "渋谷から横浜まで、遅くとも18時に着きたいけど、17時より前には出られない",
        "17時に出て18時に着きたい、渋谷から横浜",
        "from Shibuya to Yokohama, be there by 6 pm, but I can't leave before 5 pm",
    ] {
        let (arrival, text) = text(sentence);
        assert!(arrival.contains("T18:00"), "{sentence}: {arrival}");
        let is_told = text.contains("到着の時刻だけ") || text.contains("the arrival alone");
        assert!(is_told && !text.contains("分からない"), "{sentence}: {text}");
    }
    let (arrival, text) = text("渋谷から横浜まで、遅くとも18時に着きたい");
    assert!(arrival.contains("T18:00") && !text.contains("時刻だけ"), "{text}");
    assert!(!text.contains("分からない"), "{text}");
}

#[test]
fn compares_both_kinds_of_roads() {
    for sentences in [
        &["東京駅から横浜駅まで高速で", "高速だけでなく一般道も"][..],
        &["東京駅から横浜駅まで", "一般道だけじゃなく高速も"],
        &["東京駅から横浜駅まで", "高速と下道の両方"],
        &["from Tokyo to Yokohama", "not only highways but local roads too"],
        &["from Tokyo to Yokohama", "both highways and back roads"],
    ] {
        let (talk, _) = after(sentences);
        let avoids: Vec<_> = talk
            .last
            .iter()
            .filter(|it| it.name == "route_search")
            .map(|it| it.arguments.contains_key("avoid"))
            .collect();
        assert_eq!(avoids, [false, true], "{sentences:?}");
    }
}

#[test]
fn second_pair_of_distances_is_mentioned() {
    for sentence in [
        "渋谷から東京タワーまでの距離と、東京タワーから浅草までの距離を教えて",
        "how far is it from Shibuya to Tokyo Tower, and from Tokyo Tower to Asakusa?",
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        assert_eq!(call(&next).0, "distance_compare", "{sentence}");
        let text = concluded(&talk.back(&[table(&[&[(5_000, 700)]])])).text();
        let is_told = text.contains("ルートは1つ") || text.contains("One route can");
        assert!(is_told && !text.contains("分からない") && !text.contains("understand"), "{text}");
    }
}

#[test]
fn tolls_of_a_new_route_are_asked_for() {
    for sentence in [
        "六本木から横浜、高速代いくら？",
        "渋谷から川崎まで高速料金いくらかかる？",
        "how much are the tolls from Shibuya to Yokohama?",
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        assert_eq!(call(&next).0, "route_search", "{sentence}");
        let text = concluded(&talk.back(&[routes()])).text();
        assert!(!text.contains("分からない") && !text.contains("understand"), "{text}");
    }
}

#[test]
fn next_place_begins_where_the_route_ends() {
    const JA: &str = "渋谷から新宿まで池袋経由";
    const EN: &str = "from Shibuya to Shinjuku via Ikebukuro";
    for (first, later, expected) in [
        (JA, "次は上野", ("新宿", "上野")),
        (JA, "その後は銀座に行く", ("新宿", "銀座")),
        (EN, "then to Ueno", ("shinjuku", "ueno")),
        (EN, "and then to Ginza please", ("shinjuku", "ginza")),
        // Back to the origin.
        (JA, "渋谷に戻る", ("新宿", "渋谷")),
        (EN, "to Shibuya", ("shinjuku", "shibuya")),
    ] {
        let found = ends(&[first, later]);
        assert_eq!((&*found.0, &*found.1), expected, "{later}");
        assert!(stops(&[first, later]).is_empty(), "{later}");
    }
}

#[test]
fn stop_is_named_by_its_last_word_or_put_first() {
    const EN: &str = "from Shibuya to Ueno via Tokyo Tower";
    assert!(stops(&[EN, "skip the tower"]).is_empty());
    assert_eq!(stops(&[EN, "skip the museum, via Ginza"]), ["tokyo tower", "ginza"]);
    assert_eq!(stops(&[EN, "stop at Ginza first"]), ["ginza", "tokyo tower"]);
    assert!(stops(&["渋谷から上野まで池袋経由", "寄り道なしなら何分？"]).is_empty());
    assert!(stops(&["渋谷から上野まで", "寄り道なしで"]).is_empty());
    assert_eq!(stops(&["渋谷から上野まで池袋経由", "先に新宿に寄って"]), ["新宿", "池袋"]);
}

#[test]
fn refuses_both_of_not_only_one() {
    for (message, count) in [
        ("有料道路だけでなく高速も使わないで", 2),
        ("高速だけじゃなく有料道路も避けて", 2),
        ("有料道路だけでなく高速も使っていい", 0),
        ("avoid not only highways but tolls too", 2),
        ("avoiding not just tolls but highways as well", 2),
    ] {
        let call = asked_for(&["高速と有料道路なしで"], message).remove(0);
        let avoided = call.arguments.get("avoid").and_then(Value::as_array);
        assert_eq!(avoided.map_or(0, Vec::len), count, "{message}");
    }
}

#[test]
fn another_mode_replaces_the_last_one() {
    for (first, later) in [
        ("from Tokyo to Yokohama on foot", "ok car but without ferries"),
        ("from Tokyo to Yokohama by bike", "what about a car?"),
    ] {
        let mut talk = new_talk().after(first, &[routes()]);
        talk.say(later);
        assert!(!talk.last[0].meta.contains_key("navigation/travelMode"), "{later}");
    }
}

#[test]
fn new_time_stays_in_its_half_of_the_day() {
    for (first, later, hour) in [
        ("from Tokyo to Yokohama, there by 7pm", "make it 6:30", "T18:30"),
        ("東京駅から横浜駅、夜8時までに着きたい", "9時半にして", "T21:30"),
        ("from Tokyo to Yokohama, there by 7pm tomorrow", "make it 9am tomorrow", "T09:00"),
        ("東京駅から横浜駅、13時までに着きたい", "11時にして", "T11:00"),
    ] {
        let mut talk = new_talk().after(first, &[routes()]);
        talk.say(later);
        let arrival = talk.last[0].meta["navigation/arrivalTime"].as_str().unwrap().to_owned();
        assert!(arrival.contains(hour), "{later}: {arrival}");
    }
}

#[test]
fn ways_with_a_common_end_are_compared() {
    for (sentence, origins, destinations) in [
        ("compare Shibuya to Ueno and Shinjuku to Ueno", 2, 1),
        ("compare the distance from Shibuya to Ueno and Shibuya to Ginza", 1, 2),
        ("渋谷から上野と新宿から上野の距離を比べて", 2, 1),
    ] {
        let next = new_talk().say(sentence);
        let (tool, arguments) = call(&next);
        let count = |name: &str| arguments[name].as_array().map_or(0, Vec::len);
        let found = (count("origins"), count("destinations"));
        assert_eq!((tool, found), ("distance_compare", (origins, destinations)), "{sentence}");
    }
}

#[test]
fn number_within_a_name_belongs_to_it() {
    for (sentence, expected) in [
        ("一番町から仙台駅まで", ("一番町", "仙台駅")),
        ("東京駅から一番町まで", ("東京駅", "一番町")),
    ] {
        let found = ends(&[sentence]);
        assert_eq!((&*found.0, &*found.1), expected, "{sentence}");
    }
}

#[test]
fn asks_for_tolls_in_few_words() {
    for (first, later) in [
        ("from Tokyo to Yokohama", "does it have tolls"),
        ("from Tokyo to Yokohama", "is it a toll road?"),
    ] {
        let arguments = asked(&[first, later]);
        assert!(arguments["avoid"].is_null(), "{later}: {arguments}");
    }
}

#[test]
fn way_home_asks_where_that_is() {
    for (first, later, origin) in [
        ("from Tokyo to Yokohama", "drive to my house", "Yokohama"),
        ("from Tokyo to Yokohama", "ok take me home", "Yokohama"),
        ("東京駅から横浜駅まで", "自宅まで行きたい", "横浜駅"),
    ] {
        let mut talk = new_talk().after(first, &[routes()]);
        let next = talk.say(later);
        let (tool, form) = call(&next);
        assert_eq!(tool, FORM, "{later}");
        assert_eq!(form["form_schema"]["fields"][0]["default"], origin, "{later}");
    }
}
