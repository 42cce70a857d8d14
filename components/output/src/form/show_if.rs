//! Reads `showIf`.

use serde_json::{Map, Value};

use super::{Condition, LABEL_CHARS_MAX, SchemaFault, Test, property::Entry};

/// How deeply `all` and `any` may be nested.
const NESTED_MAX: usize = 5;
/// Tests that one field may ask for.
const TESTS_MAX: usize = 100;

pub(super) fn read(entry: &Entry<'_>) -> Result<Option<Condition>, SchemaFault> {
    let Some(value) = entry.get("showIf") else { return Ok(None) };
    let mut tests = 0;
    condition(entry, value, 0, &mut tests).map(Some)
}

fn condition(
    entry: &Entry<'_>,
    value: &Value,
    depth: usize,
    tests: &mut usize,
) -> Result<Condition, SchemaFault> {
    fn wrong<T>(entry: &Entry<'_>, japanese: &str, english: &str) -> Result<T, SchemaFault> {
        Err(entry.wrong("showIf", japanese, english))
    }
    if depth > NESTED_MAX {
        return wrong(entry, "入れ子が深すぎます。", "is nested too deeply.");
    }
    let mut several = |values: &[Value]| {
        if values.is_empty() {
            return wrong(entry, "条件が空です。", "has an empty list.");
        }
        let parts = values.iter().map(|it| condition(entry, it, depth + 1, tests));
        parts.collect::<Result<Vec<_>, _>>()
    };
    match value {
        Value::Array(values) => several(values).map(Condition::All),
        Value::Object(given) => match (given.get("all"), given.get("any")) {
            (Some(Value::Array(values)), None) => several(values).map(Condition::All),
            (None, Some(Value::Array(values))) => several(values).map(Condition::Any),
            (None, None) => field(entry, given, tests),
            _ => wrong(
                entry,
                "allまたはanyのどちらか一方に条件の配列を指定してください。",
                "needs a list of conditions under either all or any.",
            ),
        },
        _ => wrong(
            entry,
            "{\"field\": …, \"equals\": …}の形、またはその配列で指定してください。",
            "is no {\"field\": …, \"equals\": …} nor a list of them.",
        ),
    }
}

/// One field's tests; several in one object must all be passed.
fn field(
    entry: &Entry<'_>,
    given: &Map<String, Value>,
    tests: &mut usize,
) -> Result<Condition, SchemaFault> {
    let wrong = |japanese: &str, english: &str| Err(entry.wrong("showIf", japanese, english));
    let name = given.get("field").and_then(Value::as_str).filter(|it| !it.is_empty());
    let Some(name) = name else {
        return wrong("fieldにフィールドのnameを指定してください。", "has no field.");
    };
    let mut found = Vec::new();
    for (key, value) in given {
        found.push(match (key.as_str(), value) {
            ("equals" | "value", value) => Test::Equals(value.clone()),
            ("notEquals", value) => Test::NotEquals(value.clone()),
            ("in", Value::Array(values)) => Test::In(values.clone()),
            ("contains", Value::String(_) | Value::Number(_) | Value::Bool(_)) => {
                Test::Contains(value.clone())
            }
            ("filled", Value::Bool(is_filled)) => Test::Filled(*is_filled),
            ("in", _) => return wrong("inに配列を指定してください。", "needs a list under in."),
            ("contains", _) => {
                return wrong(
                    "containsに文字列、数値、真偽値のいずれかを指定してください。",
                    "needs a text, a number or a boolean under contains.",
                );
            }
            ("filled", _) => {
                return wrong(
                    "filledにtrueまたはfalseを指定してください。",
                    "needs true or false under filled.",
                );
            }
            _ => continue,
        });
    }
    *tests += found.len();
    if *tests > TESTS_MAX || name.chars().count() > LABEL_CHARS_MAX {
        return wrong("条件が多すぎます。", "asks for too much.");
    }
    let one = |test| Condition::Field { name: name.to_owned(), test };
    let mut found = found.into_iter().map(one);
    match (found.next(), found.len()) {
        (Some(only), 0) => Ok(only),
        (Some(first), _) => Ok(Condition::All(std::iter::once(first).chain(found).collect())),
        (None, _) => wrong(
            "equals、notEquals、in、contains、filledのいずれかを指定してください。",
            "has none of equals, notEquals, in, contains and filled.",
        ),
    }
}
