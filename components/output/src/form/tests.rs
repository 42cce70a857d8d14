//! The shared tables: which forms are read, and which values they take.

use serde::Deserialize;
use serde_json::Value;

use super::*;

mod parts;
mod properties;

/// A form, what was filled in, and what becomes of it.
#[derive(Deserialize)]
struct Case {
    case: String,
    form: Value,
    values: Values,
    today: String,
    submission: Option<Values>,
    faults: Option<Vec<Wrongness>>,
    defaults: Option<Values>,
    shown: Option<Vec<String>>,
}

/// A definition that is wrong, and its error.
#[derive(Deserialize)]
struct Refused {
    schema: Value,
    pointer: String,
    japanese: String,
    english: String,
}

pub(super) const CASES: &str = include_str!("../../../../tests/forms/cases.json");
const FAULTS: &str = include_str!("../../../../tests/forms/faults.json");
pub(super) const FORMS: [&str; 4] = [
    include_str!("../../../../tests/forms/types.json"),
    include_str!("../../../../tests/forms/examples/1-project.json"),
    include_str!("../../../../tests/forms/examples/2-assignee.json"),
    include_str!("../../../../tests/forms/examples/3-address.json"),
];

/// FORM-20 to FORM-37, FORM-45 to FORM-48.
#[test]
fn every_case_of_the_table_is_taken_or_refused_as_it_says() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() >= 120, "only {} cases", cases.len());
    for it in cases {
        let name = &it.case;
        let form = Form::read(&it.form).unwrap_or_else(|error| panic!("{name}: {error}"));
        let today = Today::read(&it.today).unwrap();
        match (form.check(&it.values, today), it.submission, it.faults) {
            (Ok(found), Some(wanted), None) => {
                assert_eq!(found, wanted, "{name}");
                let order = |it: &Values| it.keys().cloned().collect::<Vec<_>>();
                assert_eq!(order(&found), order(&wanted), "{name}: the order");
            }
            (Err(found), None, Some(wanted)) => {
                let wrong = |fault: &Fault| Wrongness {
                    field: fault.field.clone(),
                    message: fault.message(Language::Japanese),
                };
                assert_eq!(found.iter().map(wrong).collect::<Vec<_>>(), wanted, "{name}");
            }
            (found, ..) => panic!("{name}: {found:?}"),
        }
        if let Some(wanted) = it.defaults {
            assert_eq!(form.clone().on(today).defaults(), wanted, "{name}: at first");
        }
        if let Some(wanted) = it.shown {
            let shown = form.shown(&it.values);
            let shown = form.fields.iter().zip(shown).filter(|(_, is_shown)| *is_shown);
            assert_eq!(shown.map(|(it, _)| it.name.clone()).collect::<Vec<_>>(), wanted, "{name}");
        }
    }
}

/// Each error of FORM-60, in both languages.
#[test]
fn every_definition_that_is_wrong_is_refused_in_both_languages() {
    let today = Today::read("2026-11-29").unwrap();
    for it in serde_json::from_str::<Vec<Refused>>(FAULTS).unwrap() {
        let form = Form::read(&it.schema);
        let fault = form.and_then(|it| it.check_answerable(today)).expect_err(&it.japanese);
        let types = TYPES.join(", ");
        assert_eq!(fault.to_string(), it.japanese.replace("{types}", &types));
        assert_eq!(fault.message(Language::English), it.english.replace("{types}", &types));
        assert_eq!(fault.pointer, it.pointer, "{}", it.japanese);
    }
}

/// FORM-71 to FORM-73.
#[test]
fn the_examples_and_a_form_of_all_types_are_read() {
    let mut kinds = std::collections::BTreeSet::new();
    for text in FORMS {
        let form = Form::read(&serde_json::from_str(text).unwrap()).unwrap();
        kinds.extend(form.fields.iter().map(|it| it.kind.name()));
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), TYPES);
    let mut names = GUIDE.map(|it| it.name);
    names.sort_unstable();
    assert_eq!(names, TYPES, "what agents read has each type");
}
