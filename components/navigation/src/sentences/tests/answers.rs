//! Questions about the way that was found, and wishes that no search heeds.

use super::*;

const JA: &str = "東京駅から横浜駅まで高速なしで";
const EN: &str = "from Tokyo to Yokohama without highways";

/// The answer to the last of `sentences`, after each of the others was answered.
fn last_answer(sentences: &[&str], routes: &ToolResult) -> String {
    let mut talk = new_talk();
    let mut text = String::new();
    for sentence in sentences {
        talk.say(sentence);
        text = concluded(&talk.back(std::slice::from_ref(routes))).text();
    }
    text
}

#[test]
fn question_about_route_keeps_constraints() {
    for (first, later) in [
        (JA, "何キロあるの？"),
        (JA, "どれくらいかかる？"),
        (JA, "所要時間は？"),
        (JA, "どのくらい？"),
        (JA, "到着は何時ごろ？"),
        (JA, "料金かかる？"),
        (JA, "どこで曲がるの？"),
        (EN, "how many miles is that"),
        (EN, "how long does it take?"),
        (EN, "how long is it?"),
        (EN, "what time would I get there"),
        (EN, "will I pay anything"),
        (EN, "where do I turn first?"),
    ] {
        let arguments = asked(&[first, later]);
        assert_eq!(arguments["avoid"], json!(["highways"]), "{later}");
    }
    // Of another way it is asked by itself.
    let mut talk = new_talk().after(JA, &[routes()]);
    let next = talk.say("渋谷から上野まで何キロ？");
    assert_eq!(call(&next).0, "distance_compare");
}

#[test]
fn answers_arrival_time() {
    for (sentences, arrival) in [
        (&["東京駅から横浜駅まで", "何時に着く？"][..], "今日10:53ごろ"),
        (&["東京駅から横浜駅まで15時出発で", "到着は何時ごろ？"], "今日15:53ごろ"),
        (&["東京駅から横浜駅まで、何時ごろ着く？"], "今日10:53ごろ"),
        (&["東京駅から横浜駅には何時に着きますか"], "今日10:53ごろ"),
        (&["東京駅から横浜駅まで", "明日の9時に出たら何時に着きますか"], "明日9:53ごろ"),
        (&["明日7時に東京駅を出て横浜駅に何時に着く？"], "明日7:53ごろ"),
        (
            &["from Tokyo to Yokohama", "what time do I arrive if I leave at 3 pm?"],
            "today at 15:53",
        ),
        (&["from Tokyo to Yokohama", "when will I arrive?"], "today at 10:53"),
        (&["from Tokyo to Yokohama", "what time do I get there?"], "today at 10:53"),
    ] {
        let text = last_answer(sentences, &routes());
        assert!(text.contains(arrival), "{sentences:?}: {text}");
    }
    for sentence in ["東京駅から横浜駅まで", "東京駅から横浜駅に18時に着きたい、何時に出ればいい？"]
    {
        let text = last_answer(&[sentence], &routes());
        assert!(!text.contains("着きます"), "{text}");
    }
}

#[test]
fn lists_steps_of_the_route() {
    let step = |text: &str, maneuver: &str| json!({ "instruction": text, "distance": "120 m", "duration": "1分", "maneuver": maneuver });
    let steps = json!([step("銀座通りを右折", "turn-right"), step("昭和通りを左折", "turn-left")]);
    let route = json!({ "summary": "国道15号", "distance": { "text": "", "value": 28_000 }, "duration": { "text": "", "value": 3_200 }, "polyline": "_p~iF", "steps": steps, "warnings": [] });
    let routes = output(json!({ "routes": [route] }));
    for (first, later, turns) in [
        (JA, "どこで曲がるの？", "右折は1回"),
        (JA, "何回曲がる？", "右折は1回"),
        (EN, "where do I turn", "1 right turn"),
        (EN, "give me the route step by step", "1 right turn"),
    ] {
        let text = last_answer(&[first, later], &routes);
        assert!(text.contains("2. 昭和通りを左折 (120 m)"), "{later}: {text}");
        assert!(text.contains(turns), "{later}: {text}");
    }
}

#[test]
fn answers_question_about_route_by_number() {
    for (first, later, expected) in [
        ("東京駅から横浜駅のルートを比べて", "2番目は何分？", "2番目の「首都高速」"),
        ("東京駅から横浜駅のルートを比べて", "３番目は何分？", "3番目のルートはありません"),
        ("compare routes from Tokyo to Yokohama", "how long is number 2?", "number 2 was chosen"),
        ("compare routes from Tokyo to Yokohama", "how long is number 3?", "no route number 3"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        talk.back(&[routes(), routes()]);
        talk.say(later);
        assert!((talk.confidence - 0.58).abs() < 0.0001, "{later}: {}", talk.confidence);
        let text = concluded(&talk.back(&[routes(), routes()])).text();
        assert!(text.contains(expected), "{later}: {text}");
    }
}

#[test]
fn reports_unsupported_place_to_avoid() {
    for sentences in [
        &["新宿から横浜 渋谷は通りたくない"][..],
        &["新宿から横浜まで", "渋谷を避けて"],
        &["新宿から横浜まで", "やっぱり渋谷は通らないで"],
        &["drive from Shinjuku to Yokohama but avoid Shibuya"],
        &["from Shinjuku to Yokohama", "without going through Shibuya"],
        &["from Shinjuku to Yokohama", "don't go through Shibuya"],
    ] {
        let text = last_answer(sentences, &routes());
        let is_told =
            text.contains("渋谷を避けてはいません") || text.contains("Shibuya was not avoided");
        let is_lost = ["分からない", "understand", "立ち寄", "where to stop"]
            .iter()
            .any(|it| text.contains(it));
        assert!(is_told && !is_lost, "{sentences:?}: {text}");
    }
    let text = last_answer(&["新宿から横浜まで", "渋谷を避けて", "高速なしで"], &routes());
    assert!(!text.contains("渋谷"), "{text}");
}

#[test]
fn treats_motorcycles_and_lorries_as_cars() {
    for sentences in [
        &["トラックで東京駅から横浜駅まで行ける？"][..],
        &["東京駅から横浜駅まで", "バイクだと？"],
        &["東京駅から横浜駅まで", "原付で"],
        &["can a truck go from Tokyo to Yokohama"],
        &["from Tokyo to Yokohama", "and by motorbike?"],
    ] {
        let text = last_answer(sentences, &routes());
        let is_told = text.contains("対応していません") || text.contains("ordinary car");
        let is_lost = text.contains("分からない") || text.contains("understand");
        assert!(is_told && !is_lost, "{sentences:?}: {text}");
    }
    let meta = |later: &str| {
        let mut talk = new_talk().after("東京駅から横浜駅まで", &[routes()]);
        talk.say(later);
        talk.last[0].meta["navigation/travelMode"].clone()
    };
    assert_eq!(meta("マウンテンバイクで"), "bicycling");
    let text = last_answer(&["東京駅から横浜駅まで歩いて", "バイクだと？"], &routes());
    assert!(!text.contains("徒歩"), "{text}");
}

#[test]
fn route_from_here_asks_for_the_place() {
    for (first, later) in [
        ("ここから川崎駅までどのくらい？", "今いるのは五反田"),
        ("現在地から川崎駅まで", "五反田から"),
        ("from here to Kawasaki station", "im in Gotanda"),
        ("from my place to Kawasaki station", "from Gotanda"),
    ] {
        let mut talk = new_talk();
        let next = talk.say(first);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, FORM, "{first}");
        let fields = &arguments["form_schema"]["fields"];
        assert!(fields[1]["default"].is_string() && fields[0]["default"].is_null(), "{fields}");
        assert!(talk.confidence > 0.7, "{first}");
        let next = talk.say_instead(later);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "route_search", "{later}");
        let origin = arguments["origin"].as_str().unwrap();
        assert!(["五反田", "Gotanda"].contains(&origin), "{later}: {origin}");
    }
}

#[test]
fn replaces_or_removes_stop_later() {
    let there = "上野から東京タワー、銀座と築地に寄って";
    assert_eq!(stops(&[there, "築地はもういいや"]), ["銀座"]);
    assert_eq!(stops(&[there, "築地はパス"]), ["銀座"]);
    assert_eq!(stops(&[there, "日本橋経由に変えて"]), ["日本橋"]);
    let there = "from Ginza to Ueno via Asakusa";
    assert_eq!(stops(&[there, "no, via Akihabara instead"]), ["akihabara"]);
    assert_eq!(stops(&[there, "and via Akihabara"]), ["asakusa", "akihabara"]);
}

#[test]
fn shifts_current_time() {
    for (first, later, time) in [
        ("東京駅から横浜駅まで15時出発で", "1時間遅く出たら？", "16:00"),
        ("東京駅から横浜駅まで15時出発で", "３０分早く", "14:30"),
        ("from Tokyo to Yokohama leaving at 3 pm", "and if I left an hour later?", "16:00"),
        ("from Tokyo to Yokohama leaving at 3 pm", "half an hour earlier", "14:30"),
        ("from Tokyo to Yokohama", "two hours later", "12:00"),
    ] {
        let arguments = asked(&[first, later]);
        let departure = arguments["departure_time"].as_str().unwrap_or_default();
        assert!(departure.contains(time), "{later}: {departure}");
    }
    let mut talk = new_talk();
    talk.say("浅草から品川駅に明日の夕方6時に着きたい");
    let due = |talk: &trial::Talk| talk.last[0].meta["navigation/arrivalTime"].clone();
    assert_eq!(due(&talk), "2026-11-22T18:00:00+09:00");
    assert_eq!(talk.last[0].arguments["destination"], "品川駅");
    talk.back(&[routes()]);
    talk.say("もう三十分早く着きたい");
    assert_eq!(due(&talk), "2026-11-22T17:30:00+09:00");
}

#[test]
fn current_place_ends_before_its_description() {
    for sentence in [
        "東京スカイツリーまで行きたいんですけど今は品川駅にいて車で行くつもりなんです",
        "東京スカイツリーへ行きたい、いまは品川駅にいるんだけど",
    ] {
        let arguments = asked(&[sentence]);
        assert_eq!(arguments["origin"], "品川駅", "{sentence}");
    }
}

#[test]
fn capital_expressway_is_no_general_question() {
    for later in ["首都高使わずに", "首都高は避けて", "首都高を通らないで"] {
        let arguments = asked(&["渋谷から上野まで", later]);
        assert_eq!(arguments["avoid"], json!(["highways"]), "{later}");
    }
}

#[test]
fn reads_named_arrival_time() {
    for sentence in [
        "東京駅から横浜駅まで、到着時刻は18時で",
        "東京駅から横浜駅まで18時到着予定で",
        "from Tokyo to Yokohama, arrival time 6 pm",
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        let due = &talk.last[0].meta["navigation/arrivalTime"];
        assert_eq!(due, "2026-11-21T18:00:00+09:00", "{sentence}");
    }
}

#[test]
fn searches_first_leg_of_mixed_modes() {
    for (sentence, mode) in [
        ("cycle to Ueno Station then walk to Ginza from Tokyo Station", "bicycling"),
        ("From Tokyo Station walk to Ueno Station, then drive to Yokohama Station", "walking"),
        ("東京駅から上野駅まで自転車で、そこから浅草駅まで歩きで", "bicycling"),
        ("東京駅から上野駅まで歩いて、そのあと横浜駅まで車で", "walking"),
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "route_search", "{sentence}");
        let end = arguments["destination"].as_str().unwrap();
        assert!(["Ueno Station", "上野駅"].contains(&end), "{sentence}: {arguments}");
        assert!(
            arguments["origin"]
                .as_str()
                .is_some_and(|it| it.starts_with("Tokyo") || it == "東京駅"),
            "{arguments}"
        );
        assert!(format!("{next:?}").contains(mode), "{sentence}: {next:?}");
    }
    // Another deed is no leg.
    let mut talk = new_talk();
    let next = talk.say("walk from Tokyo Station to Ueno Station");
    assert_eq!(call(&next).1["destination"], "Ueno Station");
}

#[test]
fn picks_route_by_its_length() {
    for (sentence, later, rule) in [
        ("東京駅から横浜駅まで二通り教えて", "短いほうで行く", "距離が最も短い"),
        ("東京駅から横浜駅まで", "近い方でお願い", "距離が最も短い"),
        ("東京駅から横浜駅まで", "早いほうにする", "最短時間"),
        ("From Tokyo Station to Yokohama Station", "go with the nearer one", "shortest"),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        let next = talk.say(later);
        assert_eq!(call(&next).0, "route_search", "{later}");
        assert!(format!("{next:?}").contains(rule), "{later}: {next:?}");
    }
}

#[test]
fn compares_places_reached_separately() {
    for sentence in [
        "Compare driving from Tokyo to Yokohama and to Chiba",
        "which is closer from Tokyo, to Yokohama or to Chiba?",
    ] {
        let next = new_talk().say(sentence);
        let (tool, arguments) = call(&next);
        assert_eq!(
            (tool, &arguments["destinations"]),
            ("distance_compare", &json!(["Yokohama", "Chiba"])),
            "{sentence}"
        );
    }
}

#[test]
fn compared_modes_are_no_places() {
    for sentence in [
        "which is quicker from Shibuya to Ueno, car or bike?",
        "from Shibuya to Ueno, walk or drive, which is faster?",
        "is it faster to cycle or to drive from Shibuya to Ueno?",
        "渋谷から上野、自転車と車ならどっちが速い？",
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        let Decision::Call(calls) = &next else { panic!("{sentence}: {next:?}") };
        let arguments = Value::Object(calls[0].arguments.clone()).to_string();
        assert_eq!(calls[0].name, "route_search", "{sentence}: {arguments}");
        for word in ["car", "bike", "walk", "drive", "車"] {
            assert!(!arguments.contains(word), "{sentence}: {arguments}");
        }
    }
}

#[test]
fn compares_modes_named_together() {
    for (sentence, first) in [
        ("should I walk or drive from Tokyo Station to Ginza?", "you are there first by car"),
        ("東京駅から銀座まで、歩きと車どっちがいい？", "では、車が最も早く着きます"),
    ] {
        let mut talk = new_talk();
        let Decision::Call(calls) = talk.say(sentence) else { panic!("{sentence}") };
        let modes: Vec<_> = calls.iter().map(|it| it.meta.get("navigation/travelMode")).collect();
        assert_eq!(modes, [None, Some(&json!("walking"))], "{sentence}");
        let route = |metres: u64, seconds: u64| {
            output(
                json!({ "routes": [{ "summary": "晴海通り", "distance": { "value": metres }, "duration": { "value": seconds }, "steps": [], "warnings": [] }] }),
            )
        };
        let text = concluded(&talk.back(&[route(1700, 300), route(1600, 1260)])).text();
        assert!(text.contains(first) && text.contains("1.6 km") && text.contains("21"), "{text}");
    }
}

#[test]
fn allows_avoided_topic_again_without_its_name() {
    for later in ["やっぱ使っていい", "やっぱり使っても大丈夫です"] {
        let mut talk = new_talk().after("渋谷から品川、高速使わないで", &[routes()]);
        assert_eq!(call(&talk.say(later)).1, json!({ "origin": "渋谷", "destination": "品川" }));
    }
    let mut talk = new_talk().after("Shibuya to Shinagawa, no motorways", &[routes()]);
    let decided = talk.say("actually you can use them");
    assert!(call(&decided).1.get("avoid").is_none(), "{decided:?}");
}

#[test]
fn denial_or_question_allows_nothing() {
    for (first, later) in [
        ("Shibuya to Shinagawa, no tolls", "no, don't allow it"),
        ("Shibuya to Shinagawa, no tolls", "please disallow them"),
        ("Shibuya to Shinagawa, no tolls", "I don't think we can use them"),
        ("渋谷から品川、高速使わないで", "使っていいわけない"),
        ("渋谷から品川、高速使わないで", "使っていいの？"),
        ("渋谷から品川、高速使わないで", "使っていいですか"),
    ] {
        let mut talk = new_talk().after(first, &[routes()]);
        if let Decision::Call(calls) = talk.say(later) {
            assert!(calls[0].arguments.get("avoid").is_some(), "{later}: {calls:?}");
        }
    }
}

#[test]
fn reports_found_route_with_a_missing_one() {
    for (sentence, other) in [
        ("東京から那覇まで、車と徒歩どっちがいい？", "徒歩: ルートなし"),
        ("should I drive or walk from Tokyo to Naha?", "on foot: no route"),
    ] {
        let failure = Failure::new("zero_results", 404, "ルートが見つからない");
        for nothing in [ToolResult::Failed(failure), output(json!({ "routes": [] }))] {
            let mut talk = new_talk();
            let Decision::Call(calls) = talk.say(sentence) else { panic!("{sentence}") };
            let results = calls.iter().map(|it| match it.meta.get("navigation/travelMode") {
                Some(_) => nothing.clone(),
                None => routes(),
            });
            let results: Vec<_> = results.collect();
            let text = concluded(&talk.back(&results)).text();
            assert!(text.contains(other) && text.contains("28"), "{sentence}: {text}");
        }
    }
}

#[test]
fn reason_is_no_place() {
    let mut talk = new_talk().after("渋谷から新宿、自転車で", &[routes()]);
    talk.say("坂がきつそうだからやっぱ車にする");
    assert_eq!(talk.last[0].arguments["origin"], "渋谷");
    assert!(talk.last[0].meta.get("navigation/travelMode").is_none(), "{:?}", talk.last);
    for (sentence, origin) in [
        ("町田から新宿まで", "町田"),
        ("雨だから渋谷から新宿まで車で", "渋谷"),
        ("うめだから京都まで", "うめだ"),
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert_eq!(talk.last[0].arguments["origin"], origin, "{sentence}");
    }
}

#[test]
fn a_route_may_be_given_one_end_after_the_other() {
    for (first, second) in [
        ("東京駅から", "横浜駅まで"),
        ("from Tokyo Station", "to Yokohama Station"),
        ("to Yokohama Station please", "from Tokyo Station"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let next = talk.say_instead(second);
        let (tool, arguments) = call(&next);
        assert_eq!(tool, "route_search", "{first}");
        let ends = [&arguments["origin"], &arguments["destination"]].map(|it| it.to_string());
        let is_right = |it: &str, names: [&str; 2]| names.iter().any(|name| it.contains(name));
        assert!(
            is_right(&ends[0], ["東京", "Tokyo"]) && is_right(&ends[1], ["横浜", "Yokohama"]),
            "{ends:?}"
        );
    }
    for sentence in ["明日から", "to be honest", "from Monday", "東京駅", "横浜駅が好きだから"]
    {
        let next = new_talk().say(sentence);
        assert!(!matches!(next, Decision::Call(_)), "{sentence}: {next:?}");
    }
}

#[test]
fn ends_that_are_compared_are_named_without_the_verb() {
    let next = new_talk().say("東京駅から横浜駅まで行くのと川崎駅まで行くのとどっちが早い？");
    assert_eq!(call(&next).1["destinations"], json!(["横浜駅", "川崎駅"]));
}

#[test]
fn one_wish_is_set_against_another() {
    const BOTH: &str = "from Shibuya to Yokohama avoiding tolls and highways";
    for (sentences, avoid) in [
        (&[BOTH, "I don't want to avoid tolls, just highways"][..], json!(["highways"])),
        (&[BOTH, "and without avoiding highways?"], json!(["tolls"])),
        (&["from Shibuya to Yokohama, avoid highways, not tolls"], json!(["highways"])),
        (&["from Shibuya to Yokohama, no tolls, no highways"], json!(["tolls", "highways"])),
        (&["from Shibuya to Yokohama, no tolls and not highways"], json!(["tolls", "highways"])),
        (&["from Shibuya to Yokohama, not tolls, not highways"], json!(["tolls", "highways"])),
        (&["from Shibuya to Yokohama, don't use highways and tolls"], json!(["tolls", "highways"])),
    ] {
        assert_eq!(asked(sentences)["avoid"], avoid, "{sentences:?}");
    }
}

#[test]
fn stops_are_visited_in_turn_and_taken_back() {
    const STOP: &str = "from Ginza to Shibuya via Roppongi";
    for (sentences, ends, expected) in [
        (
            &["walk from Ueno Park to Senso-ji then on to Tokyo Skytree"][..],
            ["Ueno Park", "Tokyo Skytree"],
            &["senso-ji"][..],
        ),
        (&["from Ueno to Ginza, then to Odaiba"], ["Ueno", "Odaiba"], &["ginza"]),
        (
            &["東京駅から築地、月島、豊洲の順に回って東京駅に戻りたい"],
            ["東京駅", "東京駅"],
            &["築地", "月島", "豊洲"],
        ),
        (&[STOP, "remove the stop"], ["Ginza", "Shibuya"], &[]),
        (&["銀座から浅草まで上野経由で", "経由はなしで"], ["銀座", "浅草"], &[]),
        (&["横浜から東京タワーまで", "それだと何時に着く？"], ["横浜", "東京タワー"], &[]),
    ] {
        let found = asked(sentences);
        assert_eq!([&found["origin"], &found["destination"]], ends, "{sentences:?}");
        assert_eq!(stops(sentences), expected, "{sentences:?}");
    }
    let next = new_talk().say("don't give me directions, just tell me where Zoorasia is");
    assert_eq!(call(&next), ("geocode", json!({ "address": "Zoorasia" })));
}
