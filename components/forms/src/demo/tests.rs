//! What is found, by whom it is typed how, and that the lists are whole.

use std::collections::HashSet;

use serde_json::{Map, json};

use super::*;

fn ids(found: &Value) -> Vec<&str> {
    found.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

fn people(typed: &str) -> Vec<String> {
    let found = Query::new(typed).pick(Items::Users.ours(), 500);
    found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

fn request(path: &str, query: &[(&str, &str)]) -> Request {
    let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Request { path: path.to_owned(), query: query.collect(), meta: "{}".to_owned() }
}

fn listed(path: &str, query: &[(&str, &str)]) -> Vec<Map<String, Value>> {
    let Ok(Value::Array(found)) = get(&request(path, query)) else { panic!("{path} is served") };
    found.into_iter().map(|it| it.as_object().unwrap().clone()).collect()
}

#[test]
fn a_person_is_found_in_kanji_kana_and_romaji_in_any_width() {
    let expected = people("佐藤");
    assert_eq!(expected.len(), 5);
    assert!(expected.iter().all(|it| it.starts_with("佐藤")));
    for typed in ["さとう", "サトウ", "ｻﾄｳ", " さとう\u{3000}"] {
        assert_eq!(people(typed), expected, "{typed}");
    }
    // Satoru begins so, too.
    for typed in ["Sato", "ＳＡＴＯ", "satou", "Satō", " sato "] {
        let found = people(typed);
        assert!(expected.iter().all(|it| found.contains(it)), "{typed}: {found:?}");
        assert!(found.iter().all(|it| it.contains("佐藤") || it.ends_with("悟")), "{found:?}");
    }
    let one = people(&expected[0]);
    assert!(one.contains(&expected[0]));
    assert_eq!(people(&expected[0].replace(' ', "")), one, "the space is nobody's duty");
    assert!(people("いない人").is_empty() && people("佐藤 鈴木").is_empty());
    assert_eq!(people("").len(), 200);
}

#[test]
fn people_differ_and_have_what_the_specification_names() {
    let people = Items::Users.ours();
    for name in ["id", "email", "name"] {
        let texts: HashSet<_> = people.iter().map(|it| it[name].as_str().unwrap()).collect();
        assert_eq!(texts.len(), 200, "{name}");
    }
    assert!(people.iter().all(|it| it["email"].as_str().unwrap().ends_with("@example.com")));
    assert!(people.iter().all(|it| !it["department"].as_str().unwrap().is_empty()));
    let first = Query::new("").pick(people, 3);
    assert_eq!(ids(&first), ["u001", "u002", "u003"]);
}

#[test]
fn what_begins_with_what_is_typed_comes_first() {
    let entry =
        |id: &str, name: &str| json!({ "id": id, "name": name }).as_object().unwrap().clone();
    let entries = vec![entry("a", "new app"), entry("b", "App"), entry("c", "other")];
    assert_eq!(ids(&Query::new("app").pick(entries, 9)), ["b", "a"]);
}

#[test]
fn every_country_is_there_once_and_japan_first() {
    let countries = listed("demo/countries", &[]);
    assert_eq!(countries.len(), 249, "ISO 3166-1");
    let japan = json!({ "code": "JP", "name": "日本", "name_en": "Japan" });
    assert_eq!(Value::Object(countries[0].clone()), japan);
    let codes: HashSet<_> = countries.iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 249);
    assert!(codes.iter().all(|it| it.len() == 2 && it.bytes().all(|it| it.is_ascii_uppercase())));
    assert_eq!(
        listed("countries", &[("q", "ふらんす")])[0]["code"],
        "FR",
        "and they can be searched"
    );
}

#[test]
fn japan_has_47_prefectures_and_other_countries_none_here() {
    let prefectures = listed("prefectures", &[("country_code", "JP")]);
    assert_eq!(prefectures.len(), 47);
    let codes: Vec<_> = prefectures.iter().map(|it| it["code"].as_str().unwrap()).collect();
    let expected: Vec<_> = (1..=47).map(|it| format!("{it:02}")).collect();
    assert_eq!(codes, expected, "in the order of JIS X 0401");
    assert_eq!(prefectures[12]["name"], "東京都");
    assert!(listed("prefectures", &[("country_code", "FR")]).is_empty());
}

#[test]
fn every_municipality_of_japan_is_there_in_its_prefecture() {
    let of = |code: &str| listed("cities", &[("prefecture_code", code)]);
    let all: Vec<_> = (1..=47).flat_map(|it| of(&format!("{it:02}"))).collect();
    let codes: Vec<_> = all.iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert!(codes.is_sorted_by(|a, b| a < b), "in order, each once");
    let number = |it: &&str| it[2..].parse::<u32>().unwrap();
    // Wards have numbers below 200, as the 23 of Tokyo have; designated cities end in 0 there.
    let is_ward = |code: &&str| {
        number(code) < 200 && !code.starts_with("13") && {
            let name = all[codes.iter().position(|it| it == code).unwrap()]["name"].as_str();
            name.is_some_and(|it| it.ends_with('区'))
        }
    };
    let wards = codes.iter().copied().filter(is_ward).count();
    let northern = codes.iter().filter(|it| ("01695"..="01700").contains(*it)).count();
    assert_eq!((wards, northern), (171, 6));
    assert_eq!(codes.len() - wards - northern, 1_741, "1,718 市町村 and 23 特別区");
    let tokyo = of("13");
    assert_eq!((tokyo.len(), tokyo[0]["name"].as_str()), (62, Some("千代田区")));
    let names: Vec<_> = of("22").iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect();
    assert!(
        names.contains(&"浜松市浜名区".to_owned()) && !names.contains(&"浜松市北区".to_owned())
    );
    for nowhere in ["48", "1", "", "131", "x%"] {
        assert!(of(nowhere).is_empty(), "{nowhere}");
    }
}

#[test]
fn invalid_query_names_its_remedy_and_other_paths_are_unserved() {
    let failure = |path: &str, query: &[(&str, &str)]| get(&request(path, query)).unwrap_err();
    let Failure::Invalid(problems) = failure("cities", &[]) else { panic!("of which?") };
    assert_eq!(problems[0].pointer, "/prefecture_code");
    for limit in ["0", "-1", "x", "1.5"] {
        let Failure::Invalid(problems) = failure("countries", &[("limit", limit)]) else {
            panic!("{limit} is no limit")
        };
        assert_eq!(problems[0].pointer, "/limit");
    }
    assert_eq!(listed("countries", &[("limit", "3")]).len(), 3);
    for path in ["demo", "demo/", "users", "cities/x", "demo/demo/countries", ""] {
        assert!(matches!(failure(path, &[]), Failure::NotFound), "{path}");
    }
}

#[test]
fn operators_list_is_taken_as_it_is_and_a_wrong_one_says_where() {
    let list = json!([{ "id": 7, "name": "A", "room": "R1" }, { "id": "x", "name": "B" }]);
    let items = Items::Users.checked(&list.to_string()).unwrap();
    assert_eq!(items[0]["room"], "R1", "whatever a form is to show");
    for (list, pointer) in [
        (json!({}), "/users"),
        (json!(["A"]), "/users/0"),
        (json!([{ "id": "", "name": "A" }]), "/users/0/id"),
        (json!([{ "id": 1, "name": "A" }, { "id": 2 }]), "/users/1/name"),
        (json!([{ "id": 1, "name": "A" }, { "id": "1", "name": "B" }]), "/users/1/id"),
        (json!([{ "id": 1, "name": "あ".repeat(201) }]), "/users/0/name"),
    ] {
        let problems = Items::Users.checked(&list.to_string()).unwrap_err();
        assert_eq!(problems[0].pointer, pointer);
    }
    assert_eq!(Items::Users.checked("no JSON").unwrap_err()[0].pointer, "/users");
    let many = format!("[{}0]", "0,".repeat(10_000));
    assert!(Items::Users.checked(&many).unwrap_err()[0].message.contains("10000 is most"));
    for ours in [Items::Projects, Items::Categories] {
        let text = Value::from(ours.ours().into_iter().map(Value::Object).collect::<Vec<_>>());
        assert!(!ours.checked(&text.to_string()).unwrap().is_empty());
    }
}
