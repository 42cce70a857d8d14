//! Number inputs: typed, or set by a slider.

use leptos::html::Input;
use leptos::prelude::*;
use output::form::{Field, Number};
use serde_json::{Number as JsonNumber, Value};

use super::text::{required, shown};
use super::{Spot, around, described};
use crate::dates;
use crate::text::{Key, Lang, narrow};

/// Below this, a double represents every integer exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Parses typed text: a number, or the text itself, which is then invalid.
fn read(typed: &str) -> Option<Value> {
    let plain = plain(typed);
    if plain.is_empty() {
        return None;
    }
    let is_shaped = plain.chars().all(|it| it.is_ascii_digit() || "+-.eE".contains(it));
    let number = plain.parse::<f64>().ok().filter(|it| is_shaped && it.is_finite());
    Some(number.and_then(json).unwrap_or_else(|| Value::from(typed)))
}

/// Converts to JSON: integers without a decimal point.
fn json(number: f64) -> Option<Value> {
    if number.fract() == 0.0 && number.abs() < WHOLE_MAX {
        return Some(Value::from(number as i64));
    }
    JsonNumber::from_f64(number).map(Value::Number)
}

/// Removes notation that only helps people to read: full width, blanks, grouping commas.
fn plain(typed: &str) -> String {
    let narrow = typed.chars().filter(|it| !it.is_whitespace()).map(|it| match narrow(it) {
        'ー' | '−' | '‐' | '–' => '-',
        '。' => '.',
        '、' => ',',
        it => it,
    });
    let narrow: String = narrow.collect();
    let (whole, rest) = narrow.split_at(narrow.find('.').unwrap_or(narrow.len()));
    let mut groups = whole.trim_start_matches(['+', '-']).split(',');
    let is_led = groups.next().is_some_and(|it| (1..=3).contains(&it.len()));
    if whole.contains(',') && is_led && groups.all(|it| it.len() == 3) {
        return format!("{}{rest}", whole.replace(',', ""));
    }
    narrow
}

/// `number` (FORM-32). Not `type=number`, which loses unparsable text and changes by the wheel.
pub(super) fn number(spot: Spot, field: Field, number: Number) -> AnyView {
    let node = NodeRef::<Input>::new();
    Effect::new(move |_| {
        let value = spot.form_state.value(spot.index);
        // «1.» equals 1 and stays while the reader types on.
        if let Some(input) = node.get().filter(|it| read(&it.value()) != value) {
            input.set_value(&shown(spot));
        }
    });
    let tidy = move |_| {
        if let Some(input) = node.get() {
            input.set_value(&shown(spot));
        }
        spot.leave();
    };
    let input = move |event| spot.form_state.put(spot.index, read(&event_target_value(&event)));
    let is_whole = number.step.is_some_and(|it| it.fract() == 0.0)
        && number.min.is_some_and(|it| it >= 0.0 && it.fract() == 0.0);
    let limits = limits(number);
    let parts: &[&str] = if limits.is_some() { &["count"] } else { &[] };
    let widget = view! {
        <input type="text" class="number" node_ref=node id=spot.id() autocomplete="off"
            inputmode=if is_whole { "numeric" } else { "decimal" } placeholder=field.placeholder.clone()
            aria-describedby=described(spot, &field, parts) aria-required=required(&field)
            aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
            on:input=input on:blur=tidy/>
    };
    let below =
        limits.map(|text| any_view! { <p class="field-count" id=spot.part("count")>{text}</p> });
    around(spot, field, widget.into_any(), below.unwrap_or_else(|| ().into_any()))
}

/// The limits as text.
fn limits(number: Number) -> Option<impl Fn() -> String> {
    let format = move |it: f64| dates::number(it, Lang::spoken());
    let Number { min, max, .. } = number;
    (min.is_some() || max.is_some()).then_some(move || match (min, max) {
        (Some(min), Some(max)) => Key::FieldBetween.fill(&[&format(min), &format(max)]),
        (Some(min), None) => Key::FieldAtLeast.fill(&[&format(min)]),
        (None, Some(max)) => Key::FieldAtMost.fill(&[&format(max)]),
        (None, None) => String::new(),
    })
}

/// `range` (FORM-33).
pub(super) fn range(spot: Spot, field: Field, number: Number, show_value: bool) -> AnyView {
    let (min, max) = (number.min.unwrap_or(0.0), number.max.unwrap_or(100.0));
    let step = number.step.unwrap_or(1.0);
    let value = Memo::new(move |_| spot.form_state.value(spot.index).and_then(|it| it.as_f64()));
    let node = NodeRef::<Input>::new();
    Effect::new(move |_| {
        let value = value.get().unwrap_or(min);
        if let Some(input) = node.get().filter(|it| it.value_as_number() != value) {
            input.set_value_as_number(value);
        }
    });
    let input = move |event| {
        let number = event_target_value(&event).parse::<f64>().ok().and_then(json);
        spot.form_state.put(spot.index, number);
    };
    let in_words = move |it: f64, lang: Lang| dates::number(it, lang);
    let text =
        move || value.get().map_or_else(|| "—".to_owned(), |it| in_words(it, Lang::spoken()));
    let widget = view! {
        <div class="slider">
            <input type="range" node_ref=node id=spot.id() min=min.to_string() max=max.to_string()
                step=step.to_string() aria-describedby=described(spot, &field, &[])
                aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
                on:input=input on:blur=move |_| spot.leave()/>
            {show_value.then(|| view! { <output for=spot.id()>{text}</output> })}
            <div class="slider-ends" aria-hidden="true">
                <span>{move || in_words(min, Lang::spoken())}</span>
                <span>{move || in_words(max, Lang::spoken())}</span>
            </div>
        </div>
    };
    around(spot, field, widget.into_any(), ().into_any())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_numbers_in_any_notation() {
        for (typed, value) in [
            ("12", json!(12)),
            ("１２．５", json!(12.5)),
            (" －３ ", json!(-3)),
            ("ー3", json!(-3)),
            ("1,234,567.5", json!(1_234_567.5)),
            ("１，０００", json!(1000)),
            ("1.", json!(1)),
            (".5", json!(0.5)),
            ("1e3", json!(1000)),
            ("0", json!(0)),
        ] {
            assert_eq!(read(typed), Some(value), "{typed:?}");
        }
        assert_eq!(read(""), None);
        assert_eq!(read("　 "), None);
    }

    #[test]
    fn keeps_non_numeric_text_as_typed() {
        for typed in ["abc", "1,23", "1,2345", "十", "--1", "1 2 x", "inf", "NaN", "1e999", "0x10"]
        {
            assert_eq!(read(typed), Some(json!(typed)), "{typed:?}");
        }
    }
}
