//! Whole forms in rounds: answers are accepted or rejected as elsewhere.

use std::{cell::RefCell, collections::BTreeSet};

use serde_json::{Map, json};

use super::{SEARCH_AGAIN, *};

const TODAY: &str = "2026-11-21";

/// Result of a form, with all questions.
struct Outcome {
    end: Result<Values, String>,
    messages: Vec<String>,
    schemas: Vec<Value>,
    urls: Vec<String>,
}

/// Asks `form`; `person` answers each property of a round.
fn asked(
    form: &Form,
    lookup: impl Fn(&str) -> Result<Value, String>,
    person: impl Fn(usize, &str, &Value) -> Option<Value>,
) -> Outcome {
    let urls = RefCell::new(Vec::new());
    let lookup = |url: &str| {
        urls.borrow_mut().push(url.to_owned());
        lookup(url)
    };
    let today = Today::read(TODAY).unwrap();
    let context = AskContext { form, today, language: Language::Japanese, lookup: &lookup };
    let (mut progress, mut keys) = (Progress::default(), BTreeSet::new());
    let (mut messages, mut schemas) = (Vec::new(), Vec::new());
    let end = loop {
        let round = match progress.step(&context) {
            Step::Ask(round) => round,
            Step::Filled(values) => break Ok(values),
            Step::Impossible(why) => break Err(why),
        };
        assert!(keys.insert(round.key.clone()), "{} was asked before", round.key);
        // Serialized as by the host, and asked again as by the next instance.
        let carried = serde_json::to_string(&progress).unwrap();
        progress = serde_json::from_str(&carried).unwrap();
        let Step::Ask(again) = progress.step(&context) else { panic!("{} is gone", round.key) };
        assert_eq!((&again.key, &again.schema), (&round.key, &round.schema));
        flat(&round.schema);
        let properties = round.schema["properties"].as_object().unwrap();
        let answers = properties.iter().filter_map(|(name, property)| {
            Some((name.clone(), person(messages.len(), name, property)?))
        });
        let answers: Values = answers.collect();
        messages.push(round.message.clone());
        schemas.push(round.schema.clone());
        progress.take(&context, &again, &answers);
    };
    Outcome { end, messages, schemas, urls: urls.into_inner() }
}

/// Permitted properties of MCP's forms.
fn flat(schema: &Value) {
    for (name, it) in schema["properties"].as_object().unwrap() {
        assert!(it["title"].is_string(), "{name}");
        let options = match it["type"].as_str().unwrap() {
            "string" => it.get("oneOf"),
            "array" => it["items"].get("anyOf"),
            "number" | "integer" | "boolean" => None,
            other => panic!("{name} is {other}"),
        };
        for it in options.and_then(Value::as_array).into_iter().flatten() {
            assert!(it["const"].is_string() && it["title"].is_string(), "{name}: {it}");
        }
        if it["type"] == "integer" {
            assert!(["minimum", "maximum", "default"].iter().all(|at| !it[at].is_f64()), "{it}");
        }
    }
}

fn read(schema: &Value) -> Form {
    Form::read(schema).unwrap()
}

fn offers(property: &Value) -> Vec<String> {
    let options = property["oneOf"].as_array().or(property["items"]["anyOf"].as_array());
    let text = |it: &Value| it["const"].as_str().unwrap().to_owned();
    options.into_iter().flatten().map(text).collect()
}

fn example(name: &str) -> Form {
    let text = match name {
        "1" => include_str!("../../../../tests/forms/examples/1-project.json"),
        "2" => include_str!("../../../../tests/forms/examples/2-assignee.json"),
        _ => include_str!("../../../../tests/forms/examples/3-address.json"),
    };
    read(&serde_json::from_str(text).unwrap())
}

/// Without searches all fields fit into one round (FORM-71).
#[test]
fn form_without_search_is_one_round() {
    let answers = json!({ "project_name": "my-app", "language": "go", "features": ["db", "api"] });
    let asked =
        asked(&example("1"), |url| Err(url.to_owned()), |_, name, _| answers.get(name).cloned());
    assert_eq!(Value::from(asked.end.unwrap()), answers);
    assert_eq!(asked.messages, ["新規プロジェクト作成\nプロジェクトの基本情報を入力してください"]);
    let properties = &asked.schemas[0]["properties"];
    assert_eq!(properties["language"]["default"], "python");
    assert_eq!(
        properties["features"]["items"]["anyOf"][0],
        json!({"const": "auth", "title": "認証"})
    );
    assert_eq!(
        properties["project_name"]["description"],
        "形式: ^[a-z0-9-]+$ / 候補: my-web-app、api-service、data-pipeline"
    );
    assert_eq!(asked.schemas[0]["required"], json!(["project_name"]));
}

/// A mere confirmation comes from the person, not from the form.
#[test]
fn form_without_input_is_confirmed_first() {
    let form =
        read(&json!({ "title": "予約の確認", "description": "内容をご確認ください", "fields": [
        { "type": "heading", "text": "3名様", "description": "当日の取消は全額" },
        { "type": "divider" }, { "type": "divider", "label": "12月24日" },
        { "type": "hidden", "name": "id", "value": 7 } ] }));
    let found = asked(&form, |url| Err(url.to_owned()), |_, _, _| None);
    assert_eq!(
        found.messages,
        ["予約の確認\n内容をご確認ください\n3名様\n当日の取消は全額\n12月24日"]
    );
    assert_eq!(found.schemas, [json!({ "type": "object", "properties": {}, "required": [] })]);
    assert_eq!(Value::from(found.end.unwrap()), json!({ "id": 7 }));
}

/// A search asks for a query, then offers the results (FORM-72).
#[test]
fn search_asks_query_then_offers_results() {
    let people =
        json!([{"id": 1, "name": "佐藤", "department": "営業"}, {"id": 2, "name": "鈴木"}]);
    let asked = asked(
        &example("2"),
        |_| Ok(people.clone()),
        |round, name, _| match (round, name) {
            (0, "assignee" | "reviewers") => Some("さとう".into()),
            (0, "due_date") => Some("2026-11-20".into()),
            (1, "assignee") => Some("1".into()),
            (1, "reviewers") => Some(json!(["2", SEARCH_AGAIN])),
            (1, "due_date") => Some("2026-11-21".into()),
            (2, "reviewers") => Some("すずき".into()),
            (3, "reviewers") => Some(json!(["2", "1"])),
            _ => None,
        },
    );
    let wanted = json!({"assignee": 1, "reviewers": [2, 1], "due_date": "2026-11-21"});
    assert_eq!(Value::from(asked.end.unwrap()), wanted);
    assert!(asked.messages[1].contains("・期限は2026-11-21以降の日付で入力してください"));
    assert_eq!(
        asked.schemas[1]["properties"]["due_date"]["default"], "2026-11-20",
        "nothing is lost"
    );
    let assignee = &asked.schemas[1]["properties"]["assignee"];
    assert_eq!(assignee["oneOf"][0], json!({"const": "1", "title": "佐藤 (営業)"}));
    assert_eq!(assignee["oneOf"][2]["const"], SEARCH_AGAIN);
    assert_eq!(
        asked.schemas[3]["properties"]["reviewers"]["default"],
        json!(["2"]),
        "what is kept"
    );
    assert!(asked.urls[0].ends_with("?q=%E3%81%95%E3%81%A8%E3%81%86&limit=10"), "{:?}", asked.urls);
}

/// Each step of a cascade is a round (FORM-73).
#[test]
fn cascade_takes_one_round_per_step() {
    let places = |url: &str| {
        let found = match url.rsplit('/').next().unwrap() {
            "countries" => {
                json!([{"code": "JP", "name": "日本"}, {"code": "FR", "name": "France"}])
            }
            "prefectures?country_code=JP" => json!([{"code": "13", "name": "東京都"}]),
            "cities?prefecture_code=13" => json!([{"code": "13101", "name": "千代田区"}]),
            _ => json!([]),
        };
        Ok(found)
    };
    let answer = |country: &'static str| {
        asked(&example("3"), places, move |_, name, _| match name {
            "country" => Some(country.into()),
            "prefecture" => Some("13".into()),
            "city" => Some("13101".into()),
            _ => Some("1-1".into()),
        })
    };
    let japan = answer("JP");
    let wanted = json!({"country": "JP", "prefecture": "13", "city": "13101", "address": "1-1"});
    assert_eq!(Value::from(japan.end.unwrap()), wanted);
    assert_eq!(japan.messages.len(), 3);
    assert_eq!(japan.schemas[0]["properties"]["country"]["default"], "JP", "FORM-44");
    let france = answer("FR");
    assert_eq!(Value::from(france.end.unwrap()), json!({"country": "FR", "address": "1-1"}));
    assert_eq!(france.messages.len(), 1, "there is nothing to choose among in a country without");
}

#[test]
fn dependent_field_follows_its_parent() {
    let form = read(&json!({"title": "表", "fields": [
        {"name": "why", "type": "text", "required": true, "showIf": {"field": "plan", "equals": "pro"}},
        {"name": "plan", "type": "radio", "options": ["free", "pro"]},
        {"name": "v", "type": "hidden", "value": 1},
    ]}));
    let answer = |plan: &'static str| {
        let end = asked(
            &form,
            |_| Ok(json!([])),
            move |_, name, _| Some(if name == "plan" { plan } else { "because" }.into()),
        );
        (Value::from(end.end.unwrap()), end.messages.len())
    };
    assert_eq!(answer("free"), (json!({"plan": "free", "v": 1}), 1));
    assert_eq!(answer("pro"), (json!({"why": "because", "plan": "pro", "v": 1}), 2));
}

#[test]
fn asks_required_checkbox_until_round_limit() {
    let form = read(&json!({"title": "表", "fields": [
        {"name": "c", "type": "checkbox", "label": "規約", "required": true},
    ]}));
    let asked_until = |when: usize| {
        asked(&form, |_| Ok(json!([])), move |round, _, _| Some((round >= when).into()))
    };
    let second = asked_until(1);
    assert_eq!(Value::from(second.end.unwrap()), json!({"c": true}));
    assert_eq!(second.messages[1], "表\n・規約は必須です");
    let never = asked_until(99);
    assert_eq!(never.messages.len(), ROUNDS_MAX);
    assert_eq!(never.end.unwrap_err(), "9回の質問では入力が終わりませんでした。");
}

#[test]
fn draft_keeps_all_answers_and_labels() {
    let form = example("2");
    let people = json!([{"id": 1, "name": "佐藤", "department": "営業"}]);
    let lookup = |_: &str| Ok(people.clone());
    let today = Today::read(TODAY).unwrap();
    let context = AskContext { form: &form, today, language: Language::English, lookup: &lookup };
    let mut progress = Progress::default();
    for answers in [
        json!({"assignee": "さとう", "due_date": "never", "notes": "急ぎ"}),
        json!({"assignee": "1"}),
    ] {
        let Step::Ask(round) = progress.step(&context) else { panic!("it is asked") };
        progress.take(&context, &round, answers.as_object().unwrap());
        let Filled { values, .. } = progress.draft();
        assert_eq!(values.get("notes"), Some(&json!("急ぎ")));
    }
    let Filled { values, labels } = progress.draft();
    assert_eq!(values.get("assignee"), Some(&json!(1)));
    assert_eq!(labels["assignee"], json!([{"value": 1, "label": "佐藤 (営業)"}]));
}

#[test]
fn draft_records_emptied_fields() {
    let form = read(&json!({"title": "表", "fields": [
        {"name": "plan", "type": "text", "default": "pro"}, {"name": "later", "type": "text",
         "default": "x", "showIf": {"field": "plan", "filled": false}},
    ]}));
    let lookup = |_: &str| Ok(json!([]));
    let today = Today::read(TODAY).unwrap();
    let context = AskContext { form: &form, today, language: Language::English, lookup: &lookup };
    let mut progress = Progress::default();
    let Step::Ask(round) = progress.step(&context) else { panic!("it is asked") };
    progress.take(&context, &round, &Values::new());
    assert_eq!(Value::from(progress.draft().values), json!({"plan": null}));
}

#[test]
fn draft_keeps_invalid_answers() {
    let form = read(&json!({"title": "表", "fields": [{"name": "d", "type": "date"}]}));
    let lookup = |_: &str| Ok(json!([]));
    let today = Today::read(TODAY).unwrap();
    let context = AskContext { form: &form, today, language: Language::English, lookup: &lookup };
    let mut progress = Progress::default();
    let Step::Ask(round) = progress.step(&context) else { panic!("it is asked") };
    progress.take(&context, &round, json!({"d": "tomorrow"}).as_object().unwrap());
    assert_eq!(Value::from(progress.draft().values), json!({"d": "tomorrow"}));
}

#[test]
fn repeats_empty_search_and_reports_failure() {
    let search = json!({"name": "u", "type": "autocomplete", "label": "担当者", "searchUrl": "/u",
        "displayField": "name", "valueField": "id", "required": true});
    let form = read(&json!({"title": "表", "fields": [search]}));
    let found = |url: &str| match url {
        "/u?q=b" => Ok(json!([{"id": "b"}])),
        "/u?q=x" => Err("503".to_owned()),
        _ => Ok(json!([])),
    };
    let word =
        |words: [&'static str; 3]| asked(&form, found, move |at, _, _| Some(words[at].into()));
    let again = word(["a", "b", "b"]);
    assert_eq!(again.messages[1], "表\n・担当者: 見つかりませんでした");
    assert_eq!(Value::from(again.end.unwrap()), json!({"u": "b"}));
    let failed = word(["x", "", ""]).end.unwrap_err();
    assert_eq!(failed, "担当者の選択肢を読み込めませんでした。");
}

#[test]
fn searches_long_lists_and_repeats_parent() {
    let many: Value = (0..1_000).map(|it| json!({"code": it, "name": format!("市{it}")})).collect();
    let form = read(&json!({"title": "表", "fields": [
        {"name": "p", "type": "text", "label": "県"},
        {"name": "c", "type": "cascading-select", "label": "市", "searchUrl": "/c", "dependsOn": "p",
            "dependsOnParam": "p", "displayField": "name", "valueField": "code", "required": true},
    ]}));
    let asked = asked(
        &form,
        |_| Ok(many.clone()),
        |round, name, property| match (round, name) {
            (0, "p") => None,
            (_, "p") => Some("13".into()),
            (_, _) if offers(property).is_empty() => Some("市77".into()),
            _ => Some("777".into()),
        },
    );
    assert_eq!(asked.messages[1], "表\n・市は必須です");
    assert_eq!(asked.schemas[1]["required"], json!(["p"]));
    assert_eq!(Value::from(asked.end.unwrap()), json!({"p": "13", "c": 777}));
    assert_eq!(offers(&asked.schemas[3]["properties"]["c"]).len(), 12, "77, 770 to 779, and again");
}

#[test]
fn rejects_files_secrets_and_large_forms() {
    let fields = |fields: Value| read(&json!({"title": "表", "fields": fields}));
    for name in ["1", "2", "3"] {
        assert!(fits(&example(name)), "{name}");
    }
    assert!(!fits(&fields(json!([{"name": "f", "type": "file"}]))));
    assert!(!fits(&fields(json!([{"name": "password", "type": "text"}]))));
    let chain = |length: usize| {
        let field = |at: usize| {
            let mut field = Map::from_iter([("name".to_owned(), format!("f{at}").into())]);
            field.insert("type".to_owned(), "text".into());
            if at > 0 {
                let before = json!({"field": format!("f{}", at - 1), "filled": true});
                field.insert("showIf".to_owned(), before);
            }
            Value::from(field)
        };
        fields((0..length).rev().map(field).collect())
    };
    assert!(fits(&chain(ROUNDS_MAX)));
    assert!(!fits(&chain(ROUNDS_MAX + 1)));
    let many = |count: usize| {
        fields((0..count).map(|it| json!({"name": format!("f{it}"), "type": "checkbox"})).collect())
    };
    assert!(fits(&many(FIELDS_MAX)));
    assert!(!fits(&many(FIELDS_MAX + 1)));
    let long = Value::from_iter((0..1_000).map(|it| format!("{it}{}", "a".repeat(50))));
    assert!(!fits(&fields(json!([{"name": "s", "type": "select", "options": long}]))));
}

/// The shared table of cases, answered by questions.
const CASES: &str = include_str!("../../../../tests/forms/cases.json");

/// Options are texts in questions.
const ONLY_AS_TEXT: [&str; 2] =
    ["a number's text is not the number", "one is one, however it is written"];

/// Value as a client sends it: texts for options, words for a search.
fn as_answered(property: &Value, value: &Value) -> Option<Value> {
    let text = |value: &Value| match value {
        Value::Number(_) | Value::Bool(_) => value.to_string().into(),
        other => other.clone(),
    };
    let is_search = property["description"].as_str().is_some_and(|it| it.contains("検索する言葉"));
    let is_nothing = value.is_null() || *value == json!("") || *value == json!([]);
    match value {
        _ if is_search => (!is_nothing).then(|| "さ".into()),
        Value::Array(several) if !offers(property).is_empty() => {
            Some(several.iter().map(text).collect())
        }
        it if !offers(property).is_empty() => Some(text(it)),
        it => Some(it.clone()),
    }
}

/// Whether the case answers a field whose parent is empty.
fn is_without_parent(case: &Value) -> bool {
    case["faults"][0]["message"].as_str().is_some_and(|it| it.contains("を選択してから"))
}

/// The same answers are accepted as by the page and the tool (FORM-45 to FORM-48).
#[test]
fn questions_agree_with_the_shared_table() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let (mut taken, mut refused, mut differing) = (0, 0, Vec::new());
    for it in cases.iter().filter(|it| it["today"] == TODAY) {
        let (name, form) = (it["case"].as_str().unwrap(), read(&it["form"]));
        let values = it["values"].as_object().unwrap();
        let is_unknown = values.keys().any(|it| form.field(it).is_none());
        if !fits(&form) || is_unknown || ONLY_AS_TEXT.contains(&name) {
            continue;
        }
        let found = values.values().flat_map(|value| match value {
            Value::Array(several) => several.clone(),
            one => vec![one.clone()],
        });
        let found = found.map(|it| json!({ "id": it, "code": it, "name": "佐藤" }));
        let found: Value = found.chain([json!({ "id": "z", "code": "z", "name": "別" })]).collect();
        let asked = asked(
            &form,
            |_| Ok(found.clone()),
            |_, name, property| as_answered(property, values.get(name)?),
        );
        match it["submission"].as_object() {
            Some(submission) if asked.end.as_ref() == Ok(submission) => taken += 1,
            // Its parent was empty, so that it was never asked; at most it is rejected.
            None if is_without_parent(it) || name == "an object in a cascade" => refused += 1,
            None if asked.end.is_err() => {
                let message = it["faults"][0]["message"].as_str().unwrap();
                let is_told = asked.messages.iter().any(|it| it.contains(message));
                assert!(is_told, "{name}: {:?}", asked.messages);
                refused += 1;
            }
            _ => differing.push(format!("{name}: {:?} {:?}", asked.end, asked.messages)),
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(taken > 70 && refused > 60, "{taken} and {refused}");
}
