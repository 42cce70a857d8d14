//! Properties of arbitrary forms and values.

use proptest::{prelude::*, test_runner::Config};
use serde_json::json;

use super::super::*;
use super::{CASES, FORMS};

/// Words with and without a meaning in forms.
const WORDS: [&str; 24] = [
    "a",
    "b",
    "plan",
    "",
    "today",
    "+30days",
    "2026-11-21",
    "2026-11-21T10:00",
    "JP",
    "[a-z]+",
    "(",
    "/api/x",
    "https://a.example/x",
    "{query}",
    ".pdf",
    "image/*",
    "日本語",
    "𠮷",
    "free",
    "pro",
    "1.0",
    "<b>",
    "null",
    "0",
];
/// Property names of fields.
const PROPERTIES: [&str; 35] = [
    "name",
    "label",
    "description",
    "placeholder",
    "required",
    "default",
    "showIf",
    "rows",
    "minLength",
    "maxLength",
    "pattern",
    "patternError",
    "suggestions",
    "text",
    "level",
    "options",
    "minSelect",
    "maxSelect",
    "searchUrl",
    "loadUrl",
    "searchParams",
    "displayField",
    "valueField",
    "minChars",
    "debounceMs",
    "renderTemplate",
    "dependsOn",
    "dependsOnParam",
    "min",
    "max",
    "step",
    "minDate",
    "accept",
    "multiple",
    "value",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![4 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => ".{0,12}"]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::from),
        3 => (-3_i64..12).prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        6 => word().prop_map(Value::from),
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((word(), inner), 0..5)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn condition() -> impl Strategy<Value = Value> {
    let test = proptest::sample::select(vec!["equals", "notEquals", "in", "contains", "filled"]);
    let leaf = (0..4_usize, test, prop_oneof![anything(), any::<bool>().prop_map(Value::from)])
        .prop_map(|(field, test, value)| json!({"field": format!("f{field}"), test: value}));
    leaf.prop_recursive(3, 8, 3, |inner| {
        proptest::collection::vec(inner, 1..3).prop_flat_map(|parts| {
            prop_oneof![
                Just(json!(parts)),
                Just(json!({"any": parts})),
                Just(json!({"all": parts})),
            ]
        })
    })
}

/// A decimal number with `digits` digits after the point.
fn decimal(units: i64, digits: i32) -> Value {
    let text = format!("{units}e-{digits}");
    json!(text.parse::<f64>().expect("a number"))
}

/// A mostly valid field: what its type needs, and random properties.
fn field(index: usize) -> impl Strategy<Value = Value> {
    let kinds = proptest::sample::select(&TYPES[..]);
    let more =
        proptest::collection::vec((proptest::sample::select(&PROPERTIES[..]), anything()), 0..3);
    let show_if = proptest::option::of(condition());
    (kinds, more, show_if, any::<bool>(), 0..4_usize).prop_map(
        move |(kind, more, show_if, required, parent)| {
            let mut field = json!({
                "type": kind, "name": format!("f{index}"), "text": "見出し", "required": required,
                "options": ["a", "b", {"value": 0, "label": "零"}], "searchUrl": "/api/x",
                "loadUrl": "/api/x", "displayField": "a", "valueField": "b",
                "dependsOn": format!("f{parent}"), "dependsOnParam": "p", "value": "v",
            });
            let members = field.as_object_mut().unwrap();
            members.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
            members.extend(show_if.map(|it| ("showIf".to_owned(), it)));
            field
        },
    )
}

fn schema() -> impl Strategy<Value = Value> {
    (field(0), field(1), field(2), field(3))
        .prop_map(|(a, b, c, d)| json!({"title": "表", "fields": [a, b, c, d]}))
}

fn values() -> impl Strategy<Value = Values> {
    let several = || prop_oneof![2 => scalar(), 1 => Just(json!(["a", "b"])), 1 => anything()];
    proptest::collection::btree_map("f[0-3]", several(), 0..5)
        .prop_map(|it| it.into_iter().collect())
}

fn today() -> Today {
    Today::read("2026-11-21").unwrap()
}

/// Invariants of any form and values.
fn holds(form: &Form, values: &Values) {
    for (it, is_shown) in form.fields.iter().zip(form.shown(values)) {
        assert!(
            is_shown || it.show_if.is_some() || it.lookup().is_some(),
            "hidden without a reason"
        );
    }
    match form.check(values, today()) {
        Ok(submission) => {
            assert_eq!(form.check(&submission, today()).as_ref(), Ok(&submission), "taken again");
            assert_eq!(form.shown(&submission), form.shown(values), "and the same is shown");
            for (it, is_shown) in form.fields.iter().zip(form.shown(values)) {
                assert!(is_shown || !submission.contains_key(&it.name), "{} is hidden", it.name);
            }
            for (it, is_shown) in form.fields.iter().zip(form.shown(values)) {
                let is_always = matches!(it.kind, Kind::Hidden(_) | Kind::Checkbox);
                assert!(!is_shown || !is_always || submission.contains_key(&it.name));
            }
        }
        Err(faults) => {
            assert!(!faults.is_empty());
            for it in faults {
                let messages =
                    [Language::Japanese, Language::English].map(|language| it.message(language));
                assert!(messages.iter().all(|it| !it.is_empty()), "{it:?}");
                let is_own = matches!(&it.wrong, Wrong::Pattern(Some(_)));
                assert!(messages[0] != messages[1] || is_own, "{it:?} is the same in both");
            }
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 512, failure_persistence: None, ..Config::default() })]

    #[test]
    fn parses_or_rejects_any_definition(schema in anything()) {
        if let Err(fault) = Form::read(&schema) {
            prop_assert!(fault.japanese.starts_with("エラー: ") && fault.english.starts_with("Error: "));
        }
    }

    #[test]
    fn submission_is_idempotent_without_hidden(
        schema in schema(), values in values(),
    ) {
        match Form::read(&schema) {
            Ok(form) => holds(&form, &values),
            Err(fault) => prop_assert!(fault.pointer.starts_with("/fields/"), "{fault:?}"),
        }
    }

    #[test]
    fn table_forms_keep_the_invariants(
        at in any::<prop::sample::Index>(), found in proptest::collection::vec(anything(), 20),
    ) {
        let cases: Value = serde_json::from_str(CASES).unwrap();
        let forms = cases.as_array().unwrap().iter().map(|it| it["form"].clone());
        let mut forms: Vec<Value> = forms.collect();
        forms.extend(FORMS.into_iter().map(|it| serde_json::from_str(it).unwrap()));
        let form = Form::read(at.get(&forms)).unwrap();
        let inputs = form.fields.iter().filter(|it| it.is_input()).map(|it| it.name.clone());
        holds(&form, &inputs.zip(found).collect());
    }

    #[test]
    fn defaults_are_valid(schema in schema()) {
        let Ok(form) = Form::read(&schema) else { return Ok(()) };
        let form = form.on(today());
        let defaults = form.defaults();
        for it in form.fields.iter().filter(|it| it.is_input()) {
            let fault = form.check_field(it, defaults.get(&it.name), today());
            let wrong = fault.map(|it| it.wrong);
            let is_right = matches!(wrong, None | Some(Wrong::Missing | Wrong::TooEarly(_) | Wrong::TooLate(_)));
            prop_assert!(is_right, "{it:?}: {wrong:?}");
        }
    }

    #[test]
    fn accepts_whole_steps_only(
        steps in -1_000_000_000_000_i64..1_000_000_000_000, digits in 0..4_i32, min in proptest::option::of(-1_000_i64..1_000),
    ) {
        let step = decimal(1, digits);
        let mut field = json!({"name": "n", "type": "number", "label": "n", "step": step});
        if let Some(min) = min.filter(|it| *it < steps) {
            field["min"] = decimal(min, digits);
        }
        let form = Form::read(&json!({"title": "t", "fields": [field]})).unwrap();
        let taken = |value: Value| form.check(&Values::from_iter([("n".to_owned(), value)]), today());
        prop_assert!(taken(decimal(steps, digits)).is_ok(), "{steps} of {step} from {min:?}");
        let half = decimal(steps * 10 + 5, digits + 1);
        prop_assert!(taken(half).is_err(), "{steps} and a half of {step} from {min:?}");
    }

    #[test]
    fn lookup_handles_any_answer(
        typed in ".{0,20}", parent in proptest::option::of(anything()), answer in anything(),
    ) {
        let lookup = Lookup { url: "/api/x".into(), display_field: "a".into(), value_field: "b".into(),
            template: Some("{a} {".into()), depends_on: Some(("f".into(), "p q".into())),
            ..Lookup::default() };
        let url = lookup.url(&typed, parent.as_ref());
        prop_assert!(url.bytes().all(|it| it.is_ascii_graphic()), "{url}");
        for it in choices(&lookup, &answer).unwrap_or_default() {
            prop_assert!(!it.label.is_empty() && !it.value.is_null());
        }
    }
}
