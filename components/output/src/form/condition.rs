//! Conditions for showing fields: `showIf`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Form, Kind, LABEL_CHARS_MAX, SchemaFault, Values, read::Entry};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A test of one field: `{"field": "plan", "equals": "pro"}`.
    Field {
        /// Name of the field.
        name: String,
        /// Test of its value.
        test: Test,
    },
    /// All of them: a list, or `{"all": […]}`.
    All(Vec<Condition>),
    /// At least one of them: `{"any": […]}`.
    Any(Vec<Condition>),
}

/// Test of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// `equals`; a list has to contain nothing else.
    Equals(Value),
    /// `notEquals`.
    NotEquals(Value),
    /// `in`.
    In(Vec<Value>),
    /// `contains`: an item of a list, or a part of a text.
    Contains(Value),
    /// `filled`: whether there is a value.
    Filled(bool),
}

impl Condition {
    /// Names of the tested fields.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Field { name, .. } => vec![name],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::names).collect(),
        }
    }

    /// Evaluates it; `of` returns a field's value, `None` if it is empty or hidden.
    fn holds<'a>(&self, of: &impl Fn(&str) -> Option<&'a Value>) -> bool {
        match self {
            Self::Field { name, test } => test.passes(of(name)),
            Self::All(parts) => parts.iter().all(|it| it.holds(of)),
            Self::Any(parts) => parts.iter().any(|it| it.holds(of)),
        }
    }
}

impl Test {
    fn passes(&self, value: Option<&Value>) -> bool {
        match self {
            Self::Equals(wanted) => equals(value, wanted),
            Self::NotEquals(wanted) => !equals(value, wanted),
            Self::In(wanted) => wanted.iter().any(|it| equals(value, it)),
            Self::Contains(part) => match value {
                Some(Value::Array(values)) => values.iter().any(|it| is_same(it, part)),
                Some(Value::String(text)) => part.as_str().is_some_and(|it| text.contains(it)),
                _ => false,
            },
            Self::Filled(wanted) => (value.is_some() && !is_false(value)) == *wanted,
        }
    }
}

/// An untouched checkbox equals an unchecked one.
fn is_false(value: Option<&Value>) -> bool {
    value == Some(&Value::Bool(false))
}

fn equals(value: Option<&Value>, wanted: &Value) -> bool {
    match value {
        None => is_empty(wanted),
        Some(Value::Array(values)) if !wanted.is_array() => {
            matches!(values.as_slice(), [only] if is_same(only, wanted))
        }
        Some(value) => is_same(value, wanted),
    }
}

/// Whether a value counts as empty (FORM-47).
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

/// Whether two values are equal; 1 equals 1.0.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().is_some_and(|it| Some(it) == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        _ => one == other,
    }
}

/// Evaluates every field after those it depends on. Repeats until nothing changes; usually one pass suffices.
pub(super) fn shown(form: &Form, values: &Values) -> Vec<bool> {
    let fields = &form.fields;
    let mut shown = vec![true; fields.len()];
    if fields.iter().all(|it| it.show_if.is_none()) {
        return shown;
    }
    let positions: HashMap<&str, usize> =
        fields.iter().enumerate().map(|(at, it)| (it.name.as_str(), at)).collect();
    for at in order(form, &positions) {
        let parent = fields[at].lookup().and_then(|it| it.depends_on.as_ref());
        let has_parent =
            parent.and_then(|(name, _)| positions.get(name.as_str())).is_none_or(|it| shown[*it]);
        let value = |name: &str| {
            let at = *positions.get(name)?;
            let value = match &fields[at].kind {
                Kind::Hidden(value) => Some(value),
                Kind::Checkbox => Some(values.get(name).unwrap_or(&Value::Bool(false))),
                _ => values.get(name),
            };
            let value = value.filter(|it| shown[at] && !is_empty(it));
            let is_checkbox = shown[at] && fields[at].kind == Kind::Checkbox;
            if is_checkbox { value.or(Some(&Value::Bool(false))) } else { value }
        };
        let holds = fields[at].show_if.as_ref().is_none_or(|it| it.holds(&value));
        shown[at] = has_parent && holds;
    }
    shown
}

/// Orders fields after those they depend on. A parsed form has no cycles; with one, the order within it is arbitrary.
fn order(form: &Form, positions: &HashMap<&str, usize>) -> Vec<usize> {
    let mut order = Vec::with_capacity(form.fields.len());
    let mut is_seen = vec![false; form.fields.len()];
    let mut path = Vec::new();
    for start in 0..form.fields.len() {
        path.push((start, false));
        while let Some((at, is_done)) = path.pop() {
            if is_done {
                order.push(at);
                continue;
            }
            if std::mem::replace(&mut is_seen[at], true) {
                continue;
            }
            path.push((at, true));
            let needed = form.fields[at].needed();
            let needed = needed.into_iter().filter_map(|name| positions.get(name).copied());
            path.extend(needed.filter(|it| !is_seen[*it]).map(|it| (it, false)));
        }
    }
    order
}

/// Maximum nesting of `all` and `any`.
const NESTED_MAX: usize = 5;
/// Maximum tests of one field.
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

/// Tests of one field; all in the object have to pass.
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
