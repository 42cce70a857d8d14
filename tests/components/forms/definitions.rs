//! Definitions of forms: the shared tables, and hostile ones.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};
use tests::{bench::Tested, root};
use workbench::solo::SoloOutcome;

use super::{ask, bench, handle, object, open, refused, result, submit, types, wrong};

fn table(name: &str) -> Value {
    let text = fs::read_to_string(root().join("tests/forms").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Whether a form takes files: those of the table are in no store, and have tests of their own.
fn takes_files(form: &Value) -> bool {
    form["fields"].as_array().unwrap().iter().any(|it| it["type"] == "file")
}

#[tokio::test]
async fn every_case_of_the_table_is_accepted_or_rejected() {
    let table = table("cases.json");
    let mut days = BTreeMap::<&str, Vec<&Value>>::new();
    for case in table.as_array().unwrap().iter().filter(|it| !takes_files(&it["form"])) {
        days.entry(case["today"].as_str().unwrap()).or_default().push(case);
    }
    assert!(days.values().map(Vec::len).sum::<usize>() > 100);
    // A caller's day is believed where it is near the server's.
    for (today, cases) in days {
        let forms = bench().at(&format!("{today}T03:00:00")).start().await;
        for case in cases {
            holds(&forms, case).await;
        }
    }
}

/// Holds that a case is taken or refused as the table says, asked about and sent.
async fn holds(forms: &Tested, case: &Value) {
    let (name, form) = (&case["case"], &case["form"]);
    let (values, today) = (&case["values"], &case["today"]);
    let arguments = json!({ "form_schema": form, "values": values, "today": today });
    let outcome = forms.call("validate_form_submission", arguments).await;
    let handle = ask(forms, form).await;
    let arguments = json!({ "handle": handle, "values": values, "today": today });
    match (&case["submission"], &case["faults"]) {
        (submission, Value::Null) => {
            assert_eq!(&outcome["values"], submission, "{name}: FORM-10");
            let submitted = forms.call("submit_form", arguments).await;
            assert_eq!(&submitted["values"], submission, "{name}: FORM-47");
        }
        (_, faults) => {
            assert_eq!((&outcome["errors"], &outcome["valid"]), (faults, &json!(false)), "{name}");
            let failure = forms.failure("submit_form", arguments).await;
            let messages = |list: &Value| {
                let list = list.as_array().unwrap().iter();
                list.map(|it| it["message"].clone()).collect::<Vec<_>>()
            };
            let problems = &failure["data"]["problems"];
            assert_eq!(messages(problems), messages(faults), "{name}: FORM-46");
        }
    }
}

#[tokio::test]
async fn rejects_every_invalid_definition_in_the_specified_text() {
    let forms = open().await;
    let types = types(&forms).join(", ");
    for fault in table("faults.json").as_array().unwrap() {
        let arguments = match &fault["schema"] {
            Value::Null => json!({}),
            schema => json!({ "form_schema": schema }),
        };
        let failure = forms.failure("request_form", arguments).await;
        assert_eq!(failure["error"], "invalid_form_schema", "{failure}");
        assert_eq!(failure["status"], 400, "{failure}");
        let text = |name: &str| fault[name].as_str().unwrap().replace("{types}", &types);
        assert_eq!(failure["message"], text("japanese"), "FORM-60");
        assert_eq!(failure["data"]["english"], text("english"));
        let pointer = format!("/form_schema{}", fault["pointer"].as_str().unwrap());
        assert_eq!(failure["data"]["pointer"], pointer);
    }
    let null = json!({ "form_schema": null });
    assert_eq!(refused(&forms, "request_form", null).await.0, "invalid_form_schema");
}

#[tokio::test]
async fn three_examples_and_form_of_all_types_round_trip() {
    let forms = open().await;
    let names = [
        "types.json",
        "examples/1-project.json",
        "examples/2-assignee.json",
        "examples/3-address.json",
    ];
    for name in names {
        let schema = table(name);
        let output = result(&forms, "request_form", json!({ "form_schema": schema })).await;
        assert_eq!(object(&output)["schema"].to_string(), schema.to_string(), "{name}: FORM-1");
        let opened = forms.call("open_form", json!({ "handle": handle(&output) })).await;
        assert_eq!(opened["schema"].to_string(), schema.to_string(), "{name}: FORM-70");
    }
}

#[tokio::test]
async fn the_examples_of_the_specification_are_answered() {
    let forms = bench().at("2026-11-21T03:00:00").start().await;
    for (name, values) in [
        (
            "examples/1-project.json",
            json!({ "project_name": "my-web-app", "language": "python", "features": ["auth"] }),
        ),
        (
            "examples/2-assignee.json",
            json!({ "assignee": "u1", "reviewers": ["u2", "u3"], "due_date": "2026-11-30" }),
        ),
        (
            "examples/3-address.json",
            json!({ "country": "JP", "prefecture": "13", "city": "13101", "address": "1-1" }),
        ),
    ] {
        let handle = ask(&forms, &table(name)).await;
        assert_eq!(submit(&forms, &handle, values.clone()).await["values"], values, "{name}");
    }
    let handle = ask(&forms, &table("examples/1-project.json")).await;
    let wrong = wrong(&forms, &handle, json!({ "project_name": "My App" })).await;
    assert_eq!(wrong[0].0, "project_name", "FORM-71: {wrong:?}");
}

#[tokio::test]
async fn definition_given_as_text_is_accepted() {
    let forms = open().await;
    let text = super::contact().to_string();
    let output = result(&forms, "request_form", json!({ "form_schema": text })).await;
    assert_eq!(object(&output)["schema"], super::contact());
    let broken = json!({ "form_schema": &text[1..] });
    assert_eq!(refused(&forms, "request_form", broken).await.0, "invalid_form_schema");
}

#[tokio::test]
async fn refuses_oversized_or_hostile_forms_and_serves_the_next_one() {
    let forms = open().await;
    let field = |it: usize| json!({ "name": format!("f{it}"), "type": "text" });
    let many: Vec<_> = (0..10_000).map(field).collect();
    let deep = (0..100).fold(json!(1), |it, _| json!([it]));
    let evil = |pattern: &str| json!({ "name": "a", "type": "text", "pattern": pattern });
    for fields in [
        json!(many),
        json!([{ "name": "a", "type": "text", "label": "あ".repeat(1 << 20) }]),
        json!([evil("(?=a)")]),
        json!([evil("(a)\\1")]),
        json!([evil("((((a{100}){100}){100}){100}){100}")]),
        json!([{ "name": "a", "type": "hidden", "value": "x".repeat(300 << 10) }]),
    ] {
        let arguments = json!({ "form_schema": { "title": "a", "fields": fields } });
        assert_eq!(refused(&forms, "request_form", arguments).await.0, "invalid_form_schema");
    }
    let hidden = json!([{ "name": "a", "type": "hidden", "value": deep }]);
    let arguments = json!({ "form_schema": { "title": "a", "fields": hidden } });
    match forms.round("request_form", arguments, json!({})).await {
        SoloOutcome::Done(output) => drop(handle(&output)),
        SoloOutcome::Failed(failure) => {
            assert_eq!(failure["error"], "invalid_form_schema", "{failure}")
        }
        other => panic!("{other:?}"),
    }
    let slow = json!({ "title": "a", "fields": [evil("(a+)+(a+)+(a+)+b")] });
    let handle = ask(&forms, &slow).await;
    let wrong = wrong(&forms, &handle, json!({ "a": "a".repeat(20_000) })).await;
    assert_eq!(wrong[0].0, "a");
}

#[tokio::test]
async fn accepts_form_of_a_thousand_fields_and_its_answer() {
    let forms = open().await;
    let field = |it: usize| json!({ "name": format!("f{it}"), "type": "text", "required": true });
    let fields: Vec<_> = (0..1_000).map(field).collect();
    let handle = ask(&forms, &json!({ "title": "a", "fields": fields })).await;
    assert_eq!(wrong(&forms, &handle, json!({})).await.len(), 1_000, "all at once");
    let values: serde_json::Map<_, _> =
        (0..1_000).map(|it| (format!("f{it}"), json!("v"))).collect();
    let submitted = submit(&forms, &handle, values.clone().into()).await;
    assert_eq!(submitted["values"], Value::Object(values));
}

#[tokio::test]
async fn markup_in_form_texts_stays_text() {
    let forms = open().await;
    let markup = "<img src=x onerror=alert(1)>\u{202e}\u{0}'; DROP TABLE forms; --";
    let schema = json!({ "title": markup, "description": markup, "fields": [
        { "name": markup, "type": "select", "label": markup, "options": [{ "value": markup, "label": markup }] },
    ] });
    let handle = ask(&forms, &schema).await;
    let submitted = submit(&forms, &handle, json!({ markup: markup })).await;
    assert_eq!(submitted["values"], json!({ markup: markup }));
    assert_eq!(submitted["title"], markup);
    let wrong = forms.failure("validate_form_submission", json!({
        "form_schema": { "title": "a", "fields": [{ "name": "a/b~c", "type": "text", "required": true }] },
        "values": 1,
    }));
    assert_eq!(wrong.await["data"]["field"], "values");
}
