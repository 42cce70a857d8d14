//! Dependencies between fields, computed once, so that a key updates no more than necessary.

use std::collections::HashMap;

use output::form::{Condition, Form, Kind};
use serde_json::Value;

/// Dependencies by field index.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    /// For each field, the one that its options depend on.
    parents: Vec<Option<usize>>,
    /// For each field, those cleared when it changes: its children, theirs, and so on.
    below: Vec<Vec<usize>>,
    /// Whether another field's condition refers to it.
    is_asked: Vec<bool>,
    places: HashMap<String, usize>,
}

impl Plan {
    pub(super) fn new(form: &Form) -> Self {
        let named = form.fields.iter().enumerate().filter(|(_, it)| !it.name.is_empty());
        let places: HashMap<String, usize> =
            named.map(|(index, it)| (it.name.clone(), index)).collect();
        let parent = |field: &output::form::Field| {
            let (name, _) = field.lookup()?.depends_on.as_ref()?;
            places.get(name).copied()
        };
        let parents: Vec<Option<usize>> = form.fields.iter().map(parent).collect();
        let mut is_asked = vec![false; form.fields.len()];
        for condition in form.fields.iter().filter_map(|it| it.show_if.as_ref()) {
            mark(condition, &places, &mut is_asked);
        }
        let below = below(&parents);
        Self { parents, below, is_asked, places }
    }

    /// The field that this one's options depend on.
    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    /// The fields cleared when this one changes, nearest first.
    pub(super) fn below(&self, index: usize) -> &[usize] {
        self.below.get(index).map_or(&[], Vec::as_slice)
    }

    /// Whether other fields may appear or disappear when this one changes.
    pub(super) fn is_asked(&self, index: usize) -> bool {
        self.is_asked.get(index).copied().unwrap_or_default()
    }

    /// The index of a field by name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }
}

/// The dependent fields of each field. A circle, which no parsed form has, ends at its start.
fn below(parents: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (index, parent) in parents.iter().enumerate() {
        parent.iter().for_each(|it| children[*it].push(index));
    }
    let all_of = |root: usize| {
        let mut found: Vec<usize> = Vec::new();
        let mut rest: Vec<usize> = children[root].clone();
        while !rest.is_empty() {
            let mut next = Vec::new();
            for index in rest {
                if index != root && !found.contains(&index) {
                    found.push(index);
                    next.extend(&children[index]);
                }
            }
            rest = next;
        }
        found
    };
    (0..parents.len()).map(all_of).collect()
}

fn mark(condition: &Condition, places: &HashMap<String, usize>, is_asked: &mut [bool]) {
    match condition {
        Condition::Field { name, .. } => {
            places.get(name).into_iter().for_each(|it| is_asked[*it] = true);
        }
        Condition::All(inner) | Condition::Any(inner) => {
            inner.iter().for_each(|it| mark(it, places, is_asked));
        }
    }
}

/// Whether a value counts as filled in (FORM-47).
pub(super) fn is_filled(kind: &Kind, value: Option<&Value>) -> bool {
    let is_checked = |it: &Value| *it != Value::Bool(false) || !matches!(kind, Kind::Checkbox);
    value.is_some_and(|it| is_something(it) && is_checked(it))
}

/// Whether a value is not empty.
pub(super) fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use output::form::{Field, Lookup, Test};
    use serde_json::json;

    use super::*;

    fn select(name: &str, parent: Option<&str>) -> Field {
        let depends_on = parent.map(|it| (it.to_owned(), "code".to_owned()));
        let lookup = Lookup { depends_on, ..Lookup::default() };
        Field { name: name.to_owned(), kind: Kind::CascadingSelect(lookup), ..Field::default() }
    }

    fn plan(fields: Vec<Field>) -> Plan {
        Plan::new(&Form { fields, ..Form::default() })
    }

    #[test]
    fn change_clears_only_dependent_levels() {
        let plan = plan(vec![
            select("city", Some("prefecture")),
            select("country", None),
            select("prefecture", Some("country")),
            select("other", None),
        ]);
        assert_eq!(plan.below(1), [2, 0]);
        assert_eq!(plan.below(2), [0]);
        assert!(plan.below(0).is_empty() && plan.below(3).is_empty());
        assert_eq!((plan.parent(0), plan.parent(1)), (Some(2), None));
    }

    #[test]
    fn circular_dependency_ends() {
        let plan = plan(vec![select("a", Some("b")), select("b", Some("a"))]);
        assert_eq!((plan.below(0), plan.below(1)), (&[1][..], &[0][..]));
    }

    #[test]
    fn shows_only_fields_whose_condition_holds() {
        let ask = |name: &str| Condition::Field { name: name.to_owned(), test: Test::Filled(true) };
        let show_if = Condition::All(vec![ask("plan"), Condition::Any(vec![ask("seats")])]);
        let shown = Field { show_if: Some(show_if), ..select("shown", None) };
        let plan = plan(vec![select("plan", None), shown, select("seats", None)]);
        assert_eq!([0, 1, 2].map(|it| plan.is_asked(it)), [true, false, true]);
        assert_eq!((plan.place("seats"), plan.place("")), (Some(2), None));
    }

    #[test]
    fn zero_counts_as_filled_and_unchecked_box_does_not() {
        assert!(is_filled(&Kind::Hidden(json!(0)), Some(&json!(0))));
        assert!(is_filled(&Kind::Hidden(json!(false)), Some(&json!(false))));
        assert!(!is_filled(&Kind::Checkbox, Some(&json!(false))));
        for empty in [json!(""), json!([]), json!(null)] {
            assert!(!is_filled(&Kind::Checkbox, Some(&empty)), "{empty}");
        }
        assert!(!is_filled(&Kind::Checkbox, None));
    }
}
