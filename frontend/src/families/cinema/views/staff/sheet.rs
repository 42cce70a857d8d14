//! An admin form: its fields, and their faults found by the page or by the cinema.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::browser;
use crate::error::CallError;
use crate::families::cinema::staff::words::Text;

/// Input kind of a field.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A line, with its maximum number of characters.
    Line(usize),
    /// Several lines, with their maximum number of characters.
    Text(usize),
    /// A permanent identifier.
    Id,
    /// A number: minimum, maximum and step.
    Number(f64, f64, &'static str),
    Day,
    Moment,
    /// One of several values with labels.
    Choice(Signal<Vec<(String, String)>>),
}

#[derive(Clone, Copy)]
pub(super) struct Field {
    /// Its name among the tool's arguments.
    pub(super) name: &'static str,
    pub(super) label: Text,
    pub(super) hint: Option<Text>,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
}

impl Field {
    pub(super) const fn new(name: &'static str, label: Text, kind: Kind) -> Self {
        Self { name, label, hint: None, kind, is_required: false }
    }

    pub(super) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(super) const fn hint(self, hint: Text) -> Self {
        Self { hint: Some(hint), ..self }
    }
}

/// The fault of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wrong {
    Text(Text, Vec<String>),
    /// The cinema's message.
    Message(String),
}

impl Wrong {
    pub(super) fn say(&self) -> String {
        match self {
            Self::Text(label, values) => {
                label.fill(&values.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Self::Message(text) => text.clone(),
        }
    }
}

/// Checks a value, as far as the page can.
fn wrong(field: &Field, value: &str) -> Option<Wrong> {
    let label = |label, values: &[String]| Some(Wrong::Text(label, values.to_vec()));
    if value.trim().is_empty() {
        return if field.is_required { label(Text::Missing, &[]) } else { None };
    }
    let fits = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    match field.kind {
        Kind::Line(max) | Kind::Text(max) if value.chars().count() > max => {
            label(Text::TooLong, &[max.to_string()])
        }
        Kind::Id if value.len() > 32 || !value.bytes().all(fits) => label(Text::IdWrong, &[]),
        Kind::Number(least, most, step) => {
            let is_whole = step != "1" || value.trim().bytes().all(|it| it.is_ascii_digit());
            let number = value.trim().parse::<f64>().ok().filter(|_| is_whole);
            match number.filter(|it| (least..=most).contains(it)) {
                Some(_) => None,
                None => label(Text::NumberWrong, &[least.to_string(), most.to_string()]),
            }
        }
        _ => None,
    }
}

#[derive(Clone, Copy)]
pub(super) struct Sheet {
    /// Distinguishes the fields of two forms.
    name: &'static str,
    fields: StoredValue<Vec<Field>>,
    values: RwSignal<BTreeMap<&'static str, String>>,
    /// The initial values.
    first: StoredValue<BTreeMap<&'static str, String>>,
    pub(super) wrong: RwSignal<BTreeMap<&'static str, Wrong>>,
}

impl Sheet {
    pub(super) fn new(
        name: &'static str,
        fields: Vec<Field>,
        values: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let values: BTreeMap<_, _> = values.into_iter().collect();
        Self {
            name,
            fields: StoredValue::new(fields),
            first: StoredValue::new(values.clone()),
            values: RwSignal::new(values),
            wrong: RwSignal::new(BTreeMap::new()),
        }
    }

    /// The value of a field, trimmed.
    pub(super) fn value(self, name: &str) -> String {
        self.values.with(|it| it.get(name).map(|it| it.trim().to_owned())).unwrap_or_default()
    }

    /// Whether a field was changed. Unchanged fields are not sent, since another admin may have changed them meanwhile.
    pub(super) fn is_changed(self, name: &str) -> bool {
        let first = self.first.with_value(|it| it.get(name).map(|it| it.trim().to_owned()));
        untrack(|| self.value(name)) != first.unwrap_or_default()
    }

    /// Marks a field and focuses it.
    pub(super) fn mark(self, name: &'static str, wrong: Wrong) {
        self.wrong.update(|it| drop(it.insert(name, wrong)));
        self.focus_first();
    }

    /// Whether it can be sent; faulty fields are marked, and the first is focused.
    pub(super) fn is_right(self) -> bool {
        let found = self.fields.with_value(|fields| {
            let all = fields.iter();
            all.filter_map(|it| Some((it.name, wrong(it, &untrack(|| self.value(it.name)))?)))
                .collect::<BTreeMap<_, _>>()
        });
        let is_right = found.is_empty();
        self.wrong.set(found);
        self.focus_first();
        is_right
    }

    /// Assigns the cinema's faults to their fields. Returns whether there are any, and all belong to fields.
    pub(super) fn takes(self, error: &CallError) -> bool {
        let problems = error.problems();
        let mut found = BTreeMap::new();
        for problem in &problems {
            let first = problem.pointer.trim_start_matches('/').split('/').next();
            let field = self
                .fields
                .try_with_value(|it| it.iter().find(|it| Some(it.name) == first).map(|it| it.name))
                .flatten();
            if let Some(name) = field {
                found.entry(name).or_insert_with(|| Wrong::Message(problem.message.clone()));
            } else {
                return false;
            }
        }
        let has_any = !found.is_empty();
        self.wrong.set(found);
        self.focus_first();
        has_any
    }

    fn focus_first(self) {
        let first = self.wrong.with_untracked(|wrong| {
            self.fields
                .with_value(|it| it.iter().find(|it| wrong.contains_key(it.name)).map(|it| it.name))
        });
        if let Some(name) = first {
            browser::focus_soon(self.id(name));
        }
    }

    fn id(self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    fn put(self, name: &'static str, value: String) {
        self.values.update(|it| drop(it.insert(name, value)));
        if self.wrong.with_untracked(|it| it.contains_key(name)) {
            self.wrong.update(|it| drop(it.remove(name)));
        }
    }
}

/// The fields, in one column or two as space allows.
#[component]
pub(super) fn SheetView(sheet: Sheet) -> impl IntoView {
    let fields = sheet.fields.get_value();
    view! {
        <div class="staff-sheet">
            {fields.into_iter().map(|field| view! { <FieldView sheet field/> }).collect_view()}
        </div>
    }
}

#[component]
fn FieldView(sheet: Sheet, field: Field) -> impl IntoView {
    let (id, name) = (sheet.id(field.name), field.name);
    let (hint, error) = (format!("{id}-hint"), format!("{id}-error"));
    let described = format!("{hint} {error}");
    let message = move || sheet.wrong.with(|it| it.get(name).map(|it| it.say()));
    let is_wrong = move || sheet.wrong.with(|it| it.contains_key(name)).to_string();
    // A half-typed number or day must not be removed: the value is never written back.
    let value = sheet.values.with_untracked(|it| it.get(name).cloned().unwrap_or_default());
    let line = {
        let (id, described, value) = (id.clone(), described.clone(), value.clone());
        move |kind: &'static str, class: &'static str, mode: Option<&'static str>| {
            any_view! {
                <input type=kind id=id class=class autocomplete="off" aria-describedby=described
                    aria-invalid=is_wrong required=field.is_required inputmode=mode
                    prop:value=value
                    on:input=move |event| sheet.put(name, event_target_value(&event))/>
            }
        }
    };
    let input = match field.kind {
        Kind::Line(_) => line("text", "", None),
        Kind::Id => line("text", "staff-id", None),
        Kind::Number(..) => line("text", "number", Some("decimal")),
        Kind::Day => line("date", "staff-day", None),
        Kind::Moment => line("datetime-local", "staff-day", None),
        Kind::Text(_) => any_view! {
            <textarea id=id.clone() rows="3" aria-describedby=described aria-invalid=is_wrong
                required=field.is_required prop:value=value
                on:input=move |event| sheet.put(name, event_target_value(&event))></textarea>
        },
        Kind::Choice(choices) => {
            let option = move |(id, called): (String, String)| {
                let mine = id.clone();
                let is_chosen = move || sheet.values.with(|all| all.get(name) == Some(&mine));
                view! { <option value=id selected=is_chosen>{called}</option> }
            };
            any_view! {
                <select id=id.clone() aria-describedby=described aria-invalid=is_wrong
                    required=field.is_required
                    on:change=move |event| sheet.put(name, event_target_value(&event))>
                    {move || choices.get().into_iter().map(option).collect_view()}
                </select>
            }
        }
    };
    let class = if matches!(field.kind, Kind::Text(_)) { "field is-wide" } else { "field" };
    view! {
        <div class=class>
            <label class="label" for=id>
                {field.label}
                {field.is_required.then(|| view! {
                    <span class="required">{Text::Required}</span>
                })}
            </label>
            {input}
            <p class="hint" id=hint>{field.hint}</p>
            <p class="error" id=error>{message}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_film_before_sending() {
        let check = |kind: Kind, value: &str| {
            let field = Field::new("x", Text::Id, kind);
            match wrong(&field, value) {
                None => None,
                Some(Wrong::Text(label, _)) => Some(label),
                Some(Wrong::Message(text)) => panic!("{text}"),
            }
        };
        assert_eq!(check(Kind::Id, "s-1"), None);
        for id in ["S1", "s 1", "スクリーン", &"x".repeat(33)] {
            assert_eq!(check(Kind::Id, id), Some(Text::IdWrong), "{id}");
        }
        assert_eq!(check(Kind::Line(3), "映画館"), None);
        assert_eq!(check(Kind::Line(3), "映画館々"), Some(Text::TooLong));
        let minutes = Kind::Number(1.0, 1440.0, "1");
        for number in ["0", "1441", "1.5", "1e2", "x", "-3", "NaN"] {
            assert_eq!(check(minutes, number), Some(Text::NumberWrong), "{number}");
        }
        assert_eq!(check(minutes, "107"), None);
        assert_eq!(check(Kind::Number(0.0, 5.0, "0.1"), "4.5"), None);
        let field = Field::new("x", Text::Id, Kind::Line(9));
        assert_eq!(wrong(&field, " "), None);
        assert_eq!(wrong(&field.required(), " "), Some(Wrong::Text(Text::Missing, Vec::new())));
    }
}
