//! Further legs, ways back, stops by a part of their names, and wishes in everyday words.

use super::*;

fn ends(sentences: &[&str]) -> (String, String) {
    let arguments = asked(sentences);
    let end = |name: &str| arguments[name].as_str().unwrap_or_default().to_lowercase();
    (end("origin"), end("destination"))
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
