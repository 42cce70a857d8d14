//! Whether a form can be filled in at all: limits that leave nothing are mended by those who write the
//! definition, not by the people who would try in vain (FORM-60).

use super::{
    Field, Form, Kind, OPTIONS_MAX, SchemaFault, TEXT_CHARS_MAX, Text, Today, condition::is_empty,
    constraints::Days, links::fault,
};

/// What is wrong with a field: its property, and what to change in Japanese and English.
type Unfit = (&'static str, String, String);

pub(super) fn check(form: &Form, today: Today) -> Result<(), SchemaFault> {
    each(form, |field| match &field.kind {
        Kind::Date(days) | Kind::Datetime(days) => of_days(field.required, *days, today),
        Kind::Text(text) | Kind::Textarea { text, .. } => of_text(field.required, text),
        Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count) => {
            let is_empty = field.required && count.max == Some(0);
            is_empty.then(|| no_room("maxSelect")).or_else(|| {
                let min = count.min.filter(|it| *it > OPTIONS_MAX)?;
                Some(too_much("minSelect", min, OPTIONS_MAX))
            })
        }
        Kind::CascadingSelect(_) if field.required => without_parent(form, field),
        _ => None,
    })
}

/// The first field that is unfit, as a fault of the definition. One that is shown under a condition leaves the
/// others to be answered.
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
        return Some(no_room("maxLength"));
    }
    (min > TEXT_CHARS_MAX).then(|| too_much("minLength", min, TEXT_CHARS_MAX))
}

/// Whether a date has a day, now and later.
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

/// The options depend on a field that is empty and not shown.
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

fn no_room(property: &'static str) -> Unfit {
    let japanese =
        format!("は必須なのに{property}が0です。1以上にするか、requiredを外してください。");
    let english =
        format!("is required and has a {property} of 0: make it 1 or more, or leave required out.");
    (property, japanese, english)
}

fn too_much(property: &'static str, given: usize, most: usize) -> Unfit {
    let japanese = format!(
        "の{property}（{given}）は{most}以下にしてください。それより多くは入力できません。"
    );
    let english = format!("has a {property} of {given}; at most {most} can be given.");
    (property, japanese, english)
}
