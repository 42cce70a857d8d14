//! The shared table of cases, answered in questions.

use serde_json::json;

use super::{super::*, TODAY, asked, offers, read};

const CASES: &str = include_str!("../../../../../tests/forms/cases.json");

/// In questions every option is a text.
const ONLY_AS_TEXT: [&str; 2] =
    ["a number's text is not the number", "one is one, however it is written"];

/// What a client sends for a value: texts where there are options, words where it is searched.
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

/// Whether the case is about an answer to what is only asked once another one is there.
fn is_without_parent(case: &Value) -> bool {
    case["faults"][0]["message"].as_str().is_some_and(|it| it.contains("を選択してから"))
}

/// The same answers are taken or refused as by the page and by the tool (FORM-45 to FORM-48).
#[test]
fn every_table_case_is_taken_or_refused_in_questions_as_well() {
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
            // What it depends on was not there, so it was never asked for: at most it is refused.
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
