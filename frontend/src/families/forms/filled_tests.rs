//! Field values: cascades, labels, drafts, and errors of the host (FORM-43, FORM-45).

use output::form::{Field, Lookup};

use super::*;

fn field(name: &str, kind: Kind) -> Field {
    Field { name: name.to_owned(), label: name.to_owned(), kind, ..Field::default() }
}

fn cascade(name: &str, parent: &str) -> Field {
    let depends_on = Some((parent.to_owned(), "code".to_owned()));
    field(name, Kind::CascadingSelect(Lookup { depends_on, ..Lookup::default() }))
}

fn filled(fields: Vec<Field>) -> Filled {
    Filled::new(Form { fields, ..Form::default() })
}

fn address() -> Filled {
    filled(vec![
        field("country", Kind::AsyncSelect(Lookup::default())),
        cascade("prefecture", "country"),
        cascade("city", "prefecture"),
        field("street", Kind::Text(output::form::Text::default())),
    ])
}

fn choice(value: &str, label: &str) -> Choice {
    Choice { value: value.into(), label: label.to_owned() }
}

fn fill(filled: &Filled) {
    filled.choose(0, vec![choice("JP", "日本")]);
    filled.choose(1, vec![choice("13", "東京都")]);
    filled.choose(2, vec![choice("13101", "千代田区")]);
    filled.put(3, Some(json!("1-1")));
}

#[test]
fn changing_country_clears_prefecture_and_city() {
    let filled = address();
    fill(&filled);
    assert!(filled.choose(0, vec![choice("FR", "France")]));
    assert_eq!(Value::Object(filled.values()), json!({ "country": "FR", "street": "1-1" }));
    let labels = json!({ "country": [{ "value": "FR", "label": "France" }] });
    assert_eq!(Value::Object(filled.labels()), labels);
}

#[test]
fn choosing_same_country_clears_nothing() {
    let filled = address();
    fill(&filled);
    assert!(!filled.put(0, Some(json!("JP"))));
    assert!(!filled.choose(0, vec![choice("JP", "日本")]));
    assert_eq!(filled.values()["city"], "13101");
}

#[test]
fn draft_restores_every_value() {
    let before = address();
    fill(&before);
    let (values, labels) = before.draft();
    let after = address();
    after.restore(&values, &labels);
    assert_eq!(after.draft(), (values, labels));
}

#[test]
fn cleared_values_stay_cleared_after_reload() {
    let text = || field("a", Kind::Text(output::form::Text::default()));
    let filled = filled(vec![Field { default: Some(json!("x")), ..text() }]);
    filled.put(0, Some(json!("x")));
    filled.restore(&Values::new(), &Values::new());
    assert_eq!(filled.values(), Values::new());
}

#[test]
fn multiple_choices_are_a_list_and_none_is_omitted() {
    let kind = Kind::MultiAutocomplete(Lookup::default(), output::form::Count::default());
    let filled = filled(vec![field("users", kind)]);
    filled.choose(0, vec![choice("u1", "花子"), choice("u2", "太郎")]);
    assert_eq!(filled.values()["users"], json!(["u1", "u2"]));
    filled.put(0, Some(json!(["u2"])));
    assert_eq!(filled.labels()["users"], json!([{ "value": "u2", "label": "太郎" }]));
    filled.choose(0, Vec::new());
    assert_eq!((filled.values(), filled.labels()), (Values::new(), Values::new()));
}

#[test]
fn shows_host_error_until_field_changes() {
    let filled = filled(vec![field("a/b~c", Kind::Text(output::form::Text::default()))]);
    let problem = |pointer: &str| Problem { pointer: pointer.to_owned(), message: "No.".into() };
    let (places, rest) =
        filled.take(vec![problem("/values/a~1b~0c/0"), problem("/values/other"), problem("")]);
    assert_eq!((places, rest.len()), (vec![0], 2));
    assert_eq!(filled.fields[0].problem.get_untracked().as_deref(), Some("No."));
    filled.put(0, Some(json!("better")));
    assert_eq!(filled.fields[0].problem.get_untracked(), None);
}

#[test]
fn counts_filled_required_fields() {
    let text = |name| field(name, Kind::Text(output::form::Text::default()));
    let filled =
        filled(vec![Field { required: true, ..text("a") }, Field { required: true, ..text("b") }]);
    assert_eq!(filled.progress(), (0, 2));
    filled.put(0, Some(json!("x")));
    assert_eq!(filled.progress(), (1, 2));
    filled.put(0, Some(json!("")));
    assert_eq!(filled.progress(), (0, 2));
}

/// The table that also tests component and host.
const CASES: &str = include_str!("../../../../tests/forms/cases.json");

#[test]
fn page_follows_the_shared_validation_table() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 100, "{}", cases.len());
    for case in cases {
        let form = Form::read(&case["form"]).unwrap();
        let day = case["today"].as_str().unwrap().parse().unwrap();
        let today = Today { earliest: day, latest: day };
        let filled = Filled::new(form.on(today));
        let name = &case["case"];
        // The page has no values for non-fields and so cannot send any.
        let values = case["values"].as_object().unwrap();
        if values.keys().any(|it| filled.plan.place(it).is_none()) {
            continue;
        }
        if let Some(defaults) = case.get("defaults") {
            assert_eq!(Value::Object(filled.values()), *defaults, "{name}");
        }
        for (field, entry) in filled.form.fields.iter().zip(&filled.fields) {
            entry.value.set(values.get(&field.name).cloned());
        }
        filled.show_anew();
        let sent = filled.submission(today);
        match case.get("faults").and_then(Value::as_array) {
            None => assert_eq!(sent.map(Value::Object), Ok(case["submission"].clone()), "{name}"),
            Some(faults) => {
                let names: Vec<&str> =
                    faults.iter().filter_map(|it| it["field"].as_str()).collect();
                let places = sent.unwrap_err();
                let fields = &filled.form.fields;
                let found: Vec<&str> = places.iter().map(|it| fields[*it].name.as_str()).collect();
                assert_eq!(found, names, "{name}");
            }
        }
        if let Some(shown) = case.get("shown") {
            let fields = filled.form.fields.iter().zip(&filled.fields);
            let shown_now =
                fields.filter(|(it, entry)| it.is_input() && entry.is_shown.get_untracked());
            let found: Vec<&str> = shown_now.map(|it| it.0.name.as_str()).collect();
            assert_eq!(json!(found), *shown, "{name}");
        }
    }
}
