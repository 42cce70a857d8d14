//! Checks dependencies between fields, and whether a form can be filled in.

use std::collections::HashMap;

use super::{
    Field, Form, Kind, OPTIONS_MAX, SchemaFault, TEXT_CHARS_MAX, Text, Today, condition::is_empty,
    constraints::Days,
};

// Dependencies: `dependsOn` and `showIf` name existing fields, without cycles.
impl Field {
    /// Names of the fields that it depends on.
    pub fn needed(&self) -> Vec<&str> {
        let parent = self.lookup().and_then(|it| it.depends_on.as_ref());
        let asked = self.show_if.iter().flat_map(|it| it.names());
        parent.map(|(name, _)| name.as_str()).into_iter().chain(asked).collect()
    }
}

/// Error of an entry of `fields`.
pub(super) fn fault(
    index: usize,
    kind: &str,
    property: &str,
    japanese: &str,
    english: &str,
) -> SchemaFault {
    let pointer = match property {
        "" => format!("/fields/{index}"),
        property => format!("/fields/{index}/{property}"),
    };
    SchemaFault::new(
        pointer,
        format!("フィールド[{index}]（type: {kind}）{japanese}"),
        format!("fields[{index}] (type: {kind}) {english}"),
    )
}

pub(super) fn check_links(form: &Form) -> Result<(), SchemaFault> {
    let mut positions = HashMap::new();
    for (at, field) in form.fields.iter().enumerate().filter(|(_, it)| it.is_input()) {
        let name = field.name.as_str();
        if let Some(first) = positions.insert(name, at) {
            return Err(fault(
                at,
                field.kind.name(),
                "name",
                &format!("のname「{name}」はフィールド[{first}]と重複しています。"),
                &format!("has the name “{name}”, which fields[{first}] has already."),
            ));
        }
    }
    for (at, field) in form.fields.iter().enumerate() {
        if let Some((parent, _)) = field.lookup().and_then(|it| it.depends_on.as_ref()) {
            named(form, &positions, at, "dependsOn", parent)?;
        }
        for name in field.show_if.iter().flat_map(|it| it.names()) {
            named(form, &positions, at, "showIf", name)?;
        }
    }
    match find_cycle(form, &positions) {
        None => Ok(()),
        Some(at) => Err(fault(
            at,
            form.fields[at].kind.name(),
            if form.fields[at].show_if.is_some() { "showIf" } else { "dependsOn" },
            "のdependsOnまたはshowIfが循環しています。",
            "asks by dependsOn or showIf for a field that in turn asks for it.",
        )),
    }
}

/// Checks that `property` names another field that has values; `dependsOn` cannot name a file.
fn named(
    form: &Form,
    positions: &HashMap<&str, usize>,
    at: usize,
    property: &str,
    name: &str,
) -> Result<(), SchemaFault> {
    let kind = form.fields[at].kind.name();
    let fault = |japanese: &str, english: &str| {
        let japanese = format!("の{property}「{name}」{japanese}");
        let english = format!("has {property} “{name}”, {english}");
        Err(fault(at, kind, property, &japanese, &english))
    };
    match positions.get(name) {
        None => fault("という入力フィールドはありません。", "which is the name of no input field."),
        Some(it) if *it == at => fault("は自分自身を指しています。", "which is the field itself."),
        Some(it) if property == "dependsOn" && matches!(form.fields[*it].kind, Kind::File(_)) => {
            fault("はファイルなので使えません。", "which is a file and cannot be asked for.")
        }
        Some(_) => Ok(()),
    }
}

/// Finds a field that depends on itself by way of others.
fn find_cycle(form: &Form, positions: &HashMap<&str, usize>) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Never,
        OnThePath,
        Done,
    }
    let mut visits = vec![Visit::Never; form.fields.len()];
    let mut path = Vec::new();
    for start in 0..form.fields.len() {
        path.push((start, false));
        while let Some((at, is_done)) = path.pop() {
            if is_done {
                visits[at] = Visit::Done;
                continue;
            }
            if visits[at] != Visit::Never {
                continue;
            }
            visits[at] = Visit::OnThePath;
            path.push((at, true));
            let needed = form.fields[at].needed();
            for next in needed.into_iter().filter_map(|name| positions.get(name)) {
                match visits[*next] {
                    Visit::OnThePath => return Some(at),
                    Visit::Never => path.push((*next, false)),
                    Visit::Done => {}
                }
            }
        }
    }
    None
}

// Whether a form can be filled in: limits that permit no value are reported to its author instead of
// its users (FORM-60).

/// Property of an unsatisfiable field, and what to change in Japanese and English.
type Unfit = (&'static str, String, String);

pub(super) fn check_answerable(form: &Form, today: Today) -> Result<(), SchemaFault> {
    each(form, |field| match &field.kind {
        Kind::Date(days) | Kind::Datetime(days) => of_days(field.required, *days, today),
        Kind::Text(text) | Kind::Textarea { text, .. } => of_text(field.required, text),
        Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count) => {
            let is_empty = field.required && count.max == Some(0);
            is_empty.then(|| no_value_fits("maxSelect")).or_else(|| {
                let min = count.min.filter(|it| *it > OPTIONS_MAX)?;
                Some(too_many_required("minSelect", min, OPTIONS_MAX))
            })
        }
        Kind::CascadingSelect(_) if field.required => without_parent(form, field),
        _ => None,
    })
}

/// Reports the first unsatisfiable field. Conditional fields do not block the others.
fn each(form: &Form, unfit: impl Fn(&Field) -> Option<Unfit>) -> Result<(), SchemaFault> {
    let always_shown = |(_, field): &(usize, &Field)| field.show_if.is_none();
    for (at, field) in form.fields.iter().enumerate().filter(always_shown) {
        if let Some((property, japanese, english)) = unfit(field) {
            return Err(fault(at, field.kind.name(), property, &japanese, &english));
        }
    }
    Ok(())
}

fn of_text(required: bool, text: &Text) -> Option<Unfit> {
    let (min, max) = (text.length.min.unwrap_or(0), text.length.max);
    if !required {
        return None;
    }
    if max == Some(0) {
        return Some(no_value_fits("maxLength"));
    }
    (min > TEXT_CHARS_MAX).then(|| too_many_required("minLength", min, TEXT_CHARS_MAX))
}

/// Whether the range has a day, now and later.
fn of_days(required: bool, days: Days, today: Today) -> Option<Unfit> {
    let (min, max) = (days.min?.on(today.earliest), days.max?.on(today.latest));
    let is_crossed = required && days.is_closing() && min > max;
    is_crossed.then(|| {
        let japanese = format!(
            "のmaxDate（{max}）がminDate（{min}）より前で、選べる日がありません。maxDateを後の日にしてください。"
        );
        let english = format!(
            "has its maxDate ({max}) before its minDate ({min}), so that there is no day to choose: give a later maxDate."
        );
        ("maxDate", japanese, english)
    })
}

/// Whether its parent is a hidden field without a value, so that nothing can be chosen.
fn without_parent(form: &Form, field: &Field) -> Option<Unfit> {
    let (name, _) = field.lookup()?.depends_on.as_ref()?;
    let is_empty = matches!(&form.field(name)?.kind, Kind::Hidden(value) if is_empty(value));
    is_empty.then(|| {
        let japanese = format!(
            "のdependsOn「{name}」は値が空のhiddenなので、選択できません。値を入れるか、別のフィールドを指定してください。"
        );
        let english = format!(
            "has dependsOn “{name}”, which is hidden and empty, so that nothing can be chosen: give it a value, or name another field."
        );
        ("dependsOn", japanese, english)
    })
}

fn no_value_fits(property: &'static str) -> Unfit {
    let japanese =
        format!("は必須なのに{property}が0です。1以上にするか、requiredを外してください。");
    let english =
        format!("is required and has a {property} of 0: make it 1 or more, or leave required out.");
    (property, japanese, english)
}

fn too_many_required(property: &'static str, given: usize, most: usize) -> Unfit {
    let japanese = format!(
        "の{property}（{given}）は{most}以下にしてください。それより多くは入力できません。"
    );
    let english = format!("has a {property} of {given}; at most {most} can be given.");
    (property, japanese, english)
}
