//! Texts about the results: deterministic, from the numbers, and honest where there are none; and
//! sentences after others, understood by the history (NAV-66).

use super::*;

fn answer_to(message: &str) -> String {
    concluded(&request(message), three(), json!({})).text()
}

#[test]
fn reports_choice_and_savings_in_numbers() {
    let message = answer_to("一番早い");
    for part in [
        "3件のルートから、最も早い「首都高速湾岸線」を選びました。",
        "距離は40.0 km、所要時間は47分（渋滞による遅れ5分を含む）です。",
        "「首都高速横羽線」と比べると、3分早く、距離は10.0 km長いルートです。",
        "内蔵プランナー",
    ] {
        assert!(message.contains(part), "NAV-51: {part} in {message}");
    }
    let message = answer_to("the fastest");
    for part in [
        "the fastest was chosen: 首都高速湾岸線",
        "3 min faster",
        "10.0 km longer",
        "built-in planner",
    ] {
        assert!(message.contains(part), "NAV-51: {part} in {message}");
    }
    assert_eq!(answer_to("一番早い"), answer_to("一番早い"), "it answers alike each time");
}

#[test]
fn saved_time_is_difference_of_reported_times() {
    let routes = json!({ "routes": [
        route("首都高速横羽線", 30_000, (2_300, 2_340), &["turn-right"]),
        route("首都高速湾岸線", 40_000, (2_700, 2_790), &["turn-right", "turn-right"]),
    ], "geocoded_waypoints": [] });
    let text = concluded(&request("一番早い、比較して"), routes.clone(), json!({})).text();
    for part in ["所要時間は39分", "30.0 km、39分", "40.0 km、47分", "8分早く"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = concluded(&request("compare the fastest"), routes, json!({})).text();
    for part in ["8 min faster", "1 right turn ←", "2 right turns"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn each_rule_reports_its_criterion() {
    assert!(
        answer_to("右折少なめ").contains("右折は1回です（ほかの候補は2回、3回）。"),
        "{}",
        answer_to("右折少なめ")
    );
    assert!(
        answer_to("渋滞を避けて").contains("渋滞による遅れは5分です（ほかの候補は20分、5分）。")
    );
    assert!(answer_to("一番安い").contains("料金の情報がない"));
    assert!(answer_to("高速使わない").contains("高速道路を使わない"));
}

#[test]
fn distinguishes_both_sides_of_a_contrast() {
    let request = request("高速ありと高速なしで比較して");
    let result = |call: &ToolCall| {
        let with = json!([
            route("首都高速", 30_000, (1_800, 3_000), &[]),
            route("国道15号", 28_000, (3_200, 3_500), &[]),
        ]);
        let without = json!([
            route("国道15号", 28_000, (3_200, 3_500), &[]),
            route("国道1号", 29_000, (3_300, 3_600), &[]),
        ]);
        let is_without = call.arguments.contains_key("avoid");
        let structured = json!({ "routes": if is_without { without } else { with } });
        ToolResult::Output { structured, meta: json!({}), content: Vec::new() }
    };
    let conclusion = answered(&request, result);
    let text = conclusion.text();
    for part in [
        "1. 首都高速: 30.0 km、50分、右折",
        "2. 国道15号: 28.0 km、58分、高速道路なし",
        "3. 国道1号:",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let second = RouteRequest {
        message: format!("{}、3番目のルートで", request.message),
        ..request
    };
    let choice = answered(&second, result).choice.unwrap();
    assert_eq!((choice.call.as_deref(), choice.index), (Some("call-2"), Some(1)));
    let none = |call: &ToolCall| match call.arguments.contains_key("avoid") {
        true => ToolResult::Failed(Failure::new("zero_results", 404, "ルートが見つからない")),
        false => result(call),
    };
    let text = answered(&second, none).text();
    assert!(text.contains("高速道路なしのルートは見つかりませんでした"), "{text}");
}

#[test]
fn claims_no_unknown_traffic() {
    let mut routes = three();
    for route in routes["routes"].as_array_mut().unwrap() {
        route.as_object_mut().unwrap().remove("duration_in_traffic");
    }
    for (message, not, part) in [
        ("渋滞を避けて", "渋滞による遅れ", "交通状況の情報が得られない"),
        ("渋滞を避けて", "条件（渋滞を避ける）", "おすすめの"),
        ("渋滞を避けて最短で", "渋滞による遅れ", "交通状況の情報が得られない"),
        ("avoid traffic", "loses least in traffic", "does not tell the traffic"),
    ] {
        let conclusion = concluded(&request(message), routes.clone(), json!({}));
        let text = conclusion.text();
        assert!(text.contains(part) && !text.contains(not), "{message}: {text}");
        assert_eq!(conclusion.choice.unwrap().index, Some(0), "{message}");
    }
    let walk = concluded(&request("歩いて、渋滞を避けて"), routes, json!({})).text();
    assert!(!walk.contains("交通状況"), "{walk}");
}

#[test]
fn comparison_lists_candidates_and_table() {
    let table = json!({ "rows": [{ "elements": [{
        "distance": { "text": "", "value": 31_000 }, "duration": { "text": "", "value": 1_900 }, "status": "OK",
    }] }] });
    let result = |call: &ToolCall| ToolResult::Output {
        structured: if call.name == "route_search" { three() } else { table.clone() },
        meta: json!({}),
        content: Vec::new(),
    };
    let message = answered(&request("比較して"), result).text();
    for part in [
        "1. 首都高速横羽線: 30.0 km、50分、右折2回 ← 選択\n",
        "2. 国道15号:",
        "3. 首都高速湾岸線:",
        "では31.0 km、32分です",
    ] {
        assert!(message.contains(part), "NAV-51: {part} in {message}");
    }
}

#[test]
fn states_known_tolls_and_chooses_cheapest() {
    let toll = |amount: f64| json!({ "toll": { "currency": "JPY", "amount": amount, "isEstimate": true } });
    let meta =
        json!({ "navigation/details": { "routes": [toll(1_320.0), toll(0.0), toll(1_950.0)] } });
    let told = |message| concluded(&request(message), three(), meta.clone());
    assert!(told("おまかせ").text().contains("通行料金は約1,320円（目安）です。"));
    let cheapest = told("一番安い");
    assert_eq!(cheapest.choice.as_ref().unwrap().index, Some(1));
    assert!(cheapest.text().contains("通行料金はかかりません。"));
}

#[test]
fn claims_best_of_all_only_where_known() {
    let of = |message: &str, preferred: Option<&str>| {
        let free = json!({ "tollMetres": 0, "ferryMetres": 0 });
        let toll = json!({ "toll": { "currency": "JPY", "amount": 1_320.0 }, "tollMetres": 9_000 });
        let mut meta = json!({ "navigation/details": { "routes": [free, toll, toll] } });
        meta["navigation/details"]["preferred"] = json!(preferred);
        concluded(&request(message), three(), meta)
    };
    let shortest = of("最短距離で", Some("shortest"));
    assert_eq!(shortest.choice.as_ref().unwrap().index, Some(0), "the provider knows it");
    assert!(shortest.text().contains("距離が最も短い「首都高速横羽線」"), "{}", shortest.text());
    let some = of("最短距離で", None);
    assert_eq!(some.choice.as_ref().unwrap().index, Some(1));
    assert!(some.text().contains("候補の中で最も距離が短い「国道15号」"), "{}", some.text());
    let cheapest = of("一番安い", Some("cheapest"));
    assert_eq!(cheapest.choice.as_ref().unwrap().index, Some(0));
    for part in ["費用が最も安い", "12円", "通行料金はかかりません"] {
        assert!(cheapest.text().contains(part), "{part}: {}", cheapest.text());
    }
    assert_eq!(of("一番安い", None).choice.unwrap().index, Some(0), "what is free is cheapest");
}

#[test]
fn mentions_plain_search_without_constraints() {
    for (message, part) in [("よろしく", "通常の検索をしました"), ("hello there", "plain search")]
    {
        let conclusion = concluded(&request(message), three(), json!({}));
        assert!(conclusion.text().contains(part), "{}", conclusion.text());
        assert_eq!(conclusion.choice.unwrap().index, Some(0));
    }
    assert!(!answer_to("一番早い").contains("通常の検索"));
    let trains = answer_to("電車で");
    assert!(trains.contains("公共交通には対応していません") && !trains.contains("通常の検索"));
}

#[test]
fn no_route_gives_advice_and_no_choice() {
    let failed = |message: &str, failure: Failure| {
        answered(&request(message), |_| ToolResult::Failed(failure.clone()))
    };
    let none = Failure::new("zero_results", 404, "ルートが見つからない");
    let conclusion = failed("高速使わない", none.clone());
    assert_eq!(conclusion.choice, None, "NAV-8");
    assert!(conclusion.text().contains("避ける条件を減らすと"), "{}", conclusion.text());
    assert!(!failed("一番早い", none).text().contains("避ける条件"));
    let unknown = Failure::new("place_unknown", 404, "「ぬぬぬ」という場所が見つかりません。");
    assert!(failed("一番早い", unknown).text().starts_with("「ぬぬぬ」という場所"));
    let empty = concluded(&request("一番早い"), json!({ "routes": [] }), json!({}));
    assert_eq!(empty.choice, None, "NAV-8");
    assert!(empty.text().contains("ルートが見つかりませんでした"));
}

/// 「コンビニに寄りたい」 names no place: the route is given all the same, and what was left out is named.
#[test]
fn unknown_stop_is_left_out_and_named() {
    let stops = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let all = stops(&["コンビニ", "川崎駅"]);
    let request = RouteRequest { via: all, ..request("コンビニと川崎駅に寄りたい") };
    let mut planner = Planner::from_order(request);
    let Decision::Call(first) = planner.next(&[]) else { panic!("it calls nothing") };
    let mut unknown = Failure::new("place_unknown", 404, "「コンビニ」が見つかりません。");
    unknown.data.insert("pointer".to_owned(), "/via/0".into());
    let answered = |calls: Vec<ToolCall>, result: ToolResult| {
        let answer = |call| Answered { call, result: result.clone() };
        calls.into_iter().map(answer).collect::<Vec<_>>()
    };
    let answers = answered(first, ToolResult::Failed(unknown.clone()));
    let Decision::Call(second) = planner.next(&answers) else { panic!("it gives up") };
    assert_eq!(second[0].meta["navigation/via"], json!(["川崎駅"]));
    let found = ToolResult::Output { structured: three(), meta: json!({}), content: Vec::new() };
    let Decision::Conclude(conclusion) = planner.next(&answered(second.clone(), found)) else {
        panic!("it calls again")
    };
    let text = conclusion.text();
    assert!(conclusion.choice.is_some(), "{text}");
    for part in ["川崎駅経由", "「コンビニ」という場所は分からない", "「渋滞を避けて」"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    // The last stop may be unknown, too.
    let Decision::Call(third) = planner.next(&answered(second, ToolResult::Failed(unknown))) else {
        panic!("it gives up")
    };
    assert!(!third[0].meta.contains_key("navigation/via"));
}

/// The answer after a search whose stops, `via`, fail at the first one, which has the similar names `close`.
fn after_unknown_stop(planner: &mut Planner, close: Value) -> Decision {
    let Decision::Call(calls) = planner.next(&[]) else { panic!("it calls nothing") };
    let mut unknown = Failure::new("place_unknown", 404, "「ぬぬぬ」が見つかりません。");
    unknown.data.insert("pointer".to_owned(), "/via/0".into());
    unknown.data.insert("close".to_owned(), close);
    let failed = |call| Answered { call, result: ToolResult::Failed(unknown.clone()) };
    planner.next(&calls.into_iter().map(failed).collect::<Vec<_>>())
}

#[test]
fn stop_with_similar_names_is_not_left_out() {
    let request = RouteRequest { via: vec!["ぬぬぬ".to_owned()], ..request("ぬぬぬ経由") };
    for (close, is_left_out) in [(json!([]), true), (json!(["ぬぬ駅"]), false)] {
        let mut planner = Planner::from_order(request.clone());
        let next = after_unknown_stop(&mut planner, close);
        assert_eq!(matches!(next, Decision::Call(_)), is_left_out);
        if let Decision::Conclude(conclusion) = next {
            assert!(conclusion.choice.is_none(), "{}", conclusion.text());
            assert!(conclusion.text().contains("「ぬぬぬ」が見つかりません"));
        }
    }
}

#[test]
fn request_without_a_sentence_keeps_unknown_stops() {
    let constraints = Constraints { via: vec!["ぬぬぬ".to_owned()], ..Constraints::default() };
    let mut planner = Planner::from_constraints(request(""), constraints);
    let next = after_unknown_stop(&mut planner, json!([]));
    let Decision::Conclude(conclusion) = next else { panic!("it searches without the stop") };
    assert!(conclusion.choice.is_none(), "{}", conclusion.text());
}

#[test]
fn several_unknown_stops_are_named_in_english() {
    let via = ["Foo", "Bar", "Kawasaki Station"].map(str::to_owned).to_vec();
    let request = RouteRequest { via, language: Language::English, ..request("via Foo and Bar") };
    let mut planner = Planner::from_order(request);
    let mut next = after_unknown_stop(&mut planner, json!([]));
    let mut unknown = Failure::new("place_unknown", 404, "No place named Bar is known.");
    unknown.data.insert("pointer".to_owned(), "/via/0".into());
    let found = ToolResult::Output { structured: three(), meta: json!({}), content: Vec::new() };
    for result in [ToolResult::Failed(unknown), found] {
        let Decision::Call(calls) = next else { panic!("it gives up") };
        let answer = |call| Answered { call, result: result.clone() };
        next = planner.next(&calls.into_iter().map(answer).collect::<Vec<_>>());
    }
    let Decision::Conclude(conclusion) = next else { panic!("it calls again") };
    let text = conclusion.text();
    assert!(
        text.contains("no place named \"Foo\" or \"Bar\", so the route does not stop there"),
        "{text}"
    );
}

#[test]
fn tolerates_results_of_other_shapes() {
    for structured in [json!(null), json!({ "routes": 7 }), json!({ "routes": [null, 7, "x", {}] })]
    {
        for message in ["比較して", "右折少なめ", "渋滞を避けて"] {
            assert!(!concluded(&request(message), structured.clone(), json!([])).text().is_empty());
        }
    }
}

fn arguments(sentences: &[&str]) -> Value {
    let mut call = calls(&conversation(sentences)).remove(0);
    for name in ["origin", "destination"] {
        call.arguments.remove(name);
    }
    Value::Object(call.arguments)
}

#[test]
fn constraints_hold_until_taken_back() {
    for (sentences, expected) in [
        (&["高速使わない", "一番早い"][..], json!({ "avoid": ["highways"], "alternatives": true })),
        (&["高速使わない", "やっぱり高速を使って"], json!({})),
        (&["高速使わない", "有料道路も避けて"], json!({ "avoid": ["tolls", "highways"] })),
        (
            &["高速使わない", "7時に出発"],
            json!({
                "avoid": ["highways"], "departure_time": "2026-11-22T07:00:00+09:00",
            }),
        ),
        (&["7時に出発", "今から"], json!({})),
        (&["渋滞を避けて", "渋滞は気にしない"], json!({})),
        (&["右折少なめ", "一番早い"], json!({ "alternatives": true })),
        (&["比較して", "有料は避けて"], json!({ "avoid": ["tolls"] })),
        (&["高速使わない", "おまかせ"], json!({})),
        (&["no highways", "actually use the highway"], json!({})),
        (&["no highways", "and no tolls"], json!({ "avoid": ["tolls", "highways"] })),
        (&["高速使わない", "ありがとう"], json!({ "avoid": ["highways"] })),
    ] {
        assert_eq!(arguments(sentences), expected, "{sentences:?}");
    }
    assert!(parse::conversation(&conversation(&["歩いて", "一番早い"])).walking);
    assert!(!parse::conversation(&conversation(&["歩いて", "車で"])).walking);
}

#[test]
fn ignores_assistant_messages_as_constraints() {
    let mut request = request("一番早い");
    request.history =
        vec![Remark { is_user: false, content: "高速を使わないで".to_owned() }];
    assert!(!parse::conversation(&request).no_highways, "NAV-4");
}

#[test]
fn second_one_refers_to_same_search() {
    let index = |sentences: &[&str], routes: Value| {
        let text = concluded(&conversation(sentences), routes, json!({}));
        (text.choice.as_ref().unwrap().index.unwrap(), text.text())
    };
    assert_eq!(
        arguments(&["高速使わない", "2番目のルートで"]),
        json!({ "avoid": ["highways"], "alternatives": true })
    );
    for sentence in [
        "2番目のルートで",
        "二つ目がいい",
        "2番のほうで",
        "second option please",
        "ルート２",
        "the second one",
        "route 2",
    ] {
        assert_eq!(index(&["比較して", sentence], three()).0, 1, "{sentence}");
    }
    assert_eq!(index(&["比較して", "3番目"], three()).0, 2);
    let one = json!({ "routes": [route("a", 1, (1, 1), &[])] });
    let (first, message) = index(&["比較して", "3番目"], one);
    assert!(first == 0 && message.contains("3番目のルートはありません"), "{message}");
}

#[test]
fn another_one_differs_each_time() {
    let index = |sentences: &[&str]| {
        let text = concluded(&conversation(sentences), three(), json!({}));
        text.choice.unwrap().index.unwrap()
    };
    // By time: the third, the first, the second.
    assert_eq!(index(&["一番早い", "別のルートで"]), 0);
    assert_eq!(index(&["一番早い", "別のルートで", "ほかの道は?"]), 1);
    assert_eq!(index(&["一番早い", "別のルートで", "やっぱり一番早い"]), 2);
}

#[test]
fn says_whether_a_faster_route_exists() {
    let constraint_texts =
        |sentences: &[&str]| concluded(&conversation(sentences), three(), json!({})).text();
    assert!(
        constraint_texts(&["一番早い", "もっと早い道は？"])
            .contains("これより早いルートはありません")
    );
    assert!(
        !constraint_texts(&["最短距離で", "もっと早い道は？"])
            .contains("これより早いルートはありません")
    );
    assert!(constraint_texts(&["the fastest", "anything faster?"]).contains("no route is faster"));
}

#[test]
fn says_which_constraints_are_taken_over() {
    let constraint_texts =
        |sentences: &[&str]| concluded(&conversation(sentences), three(), json!({})).text();
    assert!(constraint_texts(&["高速使わない", "一番早い"]).contains("引き継いで"));
    assert!(!constraint_texts(&["一番早い", "高速使わない"]).contains("引き継いで"));
}
