//! A field as a property of MCP's flat forms.

use output::form::{
    Choice, Count, Day, Days, Field, Kind, Language, Number, Text, json_number, text_of,
};
use serde_json::{Map, Value, json};

use super::{Asking, choosing::AGAIN, progress::Part};

/// Suggestions that are listed.
const SUGGESTIONS_MAX: usize = 3;

/// Whether its value is a list.
pub(super) fn is_several(kind: &Kind) -> bool {
    matches!(kind, Kind::Multiselect(..) | Kind::MultiAutocomplete(..))
}

/// The property that asks for this part of a field.
pub(super) fn of(field: &Field, part: &Part, asking: &Asking<'_>) -> Value {
    let mut hints: Vec<String> = field.description.iter().cloned().collect();
    let mut property = match part {
        Part::Words => {
            hints.push(asking.language.of("検索する言葉", "Words to search by").to_owned());
            if let Some(default) = field.default.as_ref().map(text_of) {
                let unless = asking.language.of("空なら既定値", "left empty, it is");
                hints.push(format!("{unless}: {default}"));
            }
            json!({ "type": "string" })
        }
        Part::Choices(choices) => among(&field.kind, choices),
        Part::Value => plain(field, asking, &mut hints),
    };
    property["title"] = field.label.clone().into();
    if !hints.is_empty() {
        property["description"] = hints.join(" / ").into();
    }
    let is_words = matches!(part, Part::Words);
    if let Some(default) = field.default.as_ref().filter(|_| !is_words) {
        let default = match part {
            Part::Choices(_) => texts(default),
            _ => default.clone(),
        };
        if takes(&property, &default) {
            property["default"] = default;
        }
    }
    property
}

/// Values of options go out as texts: MCP has no others.
fn texts(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(text_of).collect(),
        value => text_of(value).into(),
    }
}

fn among(kind: &Kind, choices: &[Choice]) -> Value {
    let option = |it: &Choice| json!({ "const": text_of(&it.value), "title": it.label });
    let options: Vec<Value> = choices.iter().map(option).collect();
    let (Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count)) = kind else {
        return json!({ "type": "string", "oneOf": options });
    };
    let mut property = json!({ "type": "array", "items": { "anyOf": options } });
    let Count { min, max } = count;
    for (name, limit) in [("minItems", min), ("maxItems", max)] {
        if let Some(limit) = limit.filter(|it| *it > 0 || name == "maxItems") {
            property[name] = limit.into();
        }
    }
    property
}

/// One more choice: to search by other words.
pub(super) fn add_again(property: &mut Value, language: Language) {
    let title = language.of("別の言葉で検索する", "Search by other words");
    let again = json!({ "const": AGAIN, "title": format!("{AGAIN} {title}") });
    let is_several = property["type"] == "array";
    let options = match is_several {
        true => property.pointer_mut("/items/anyOf"),
        false => property.get_mut("oneOf"),
    };
    if let Some(Value::Array(options)) = options {
        options.push(again);
    }
    // It may be chosen alone, and beside as many as there may be.
    if let Some(members) = property.as_object_mut() {
        members.remove("minItems");
        members.remove("maxItems");
    }
}

fn plain(field: &Field, asking: &Asking<'_>, hints: &mut Vec<String>) -> Value {
    match &field.kind {
        Kind::Text(text) | Kind::Textarea { text, .. } => {
            words(text, field.required, asking.language, hints)
        }
        Kind::Checkbox => {
            if field.required {
                let must = asking.language.of("チェックが必要です", "must be checked");
                hints.push(must.to_owned());
            }
            json!({ "type": "boolean" })
        }
        Kind::Number(it) => number(*it, asking.language, hints),
        Kind::Range { number: it, .. } => {
            let mut property = number(*it, asking.language, hints);
            property["default"] = property["minimum"].clone();
            property
        }
        Kind::Date(it) => {
            days(*it, asking, hints);
            json!({ "type": "string", "format": "date" })
        }
        Kind::Datetime(it) => {
            let form = asking.language.of("YYYY-MM-DDTHH:MMの形式", "as YYYY-MM-DDTHH:MM");
            hints.push(form.to_owned());
            days(*it, asking, hints);
            json!({ "type": "string" })
        }
        _ => json!({ "type": "string" }),
    }
}

fn words(text: &Text, is_required: bool, language: Language, hints: &mut Vec<String>) -> Value {
    let mut property = json!({ "type": "string" });
    match text.length.min {
        // An empty text would be too short, though it need not be filled in.
        Some(min) if !is_required => {
            hints.push(language.of(format!("{min}文字以上"), format!("at least {min} characters")))
        }
        Some(min) => property["minLength"] = min.into(),
        None => {}
    }
    if let Some(max) = text.length.max {
        property["maxLength"] = max.into();
    }
    if let Some(pattern) = &text.pattern {
        let usual = || language.of(format!("形式: {pattern}"), format!("form: {pattern}"));
        hints.push(text.pattern_error.clone().unwrap_or_else(usual));
    }
    if !text.suggestions.is_empty() {
        let some: Vec<_> =
            text.suggestions.iter().take(SUGGESTIONS_MAX).map(String::as_str).collect();
        let some = some.join(language.of("、", ", "));
        hints.push(language.of(format!("候補: {some}"), format!("for example: {some}")));
    }
    property
}

fn number(limits: Number, language: Language, hints: &mut Vec<String>) -> Value {
    let whole = |it: f64| it.fract() == 0.0 && it.abs() < 9e15;
    let is_whole = limits.step.is_some_and(whole) && limits.min.is_none_or(whole);
    let mut property = Map::new();
    property.insert("type".to_owned(), if is_whole { "integer" } else { "number" }.into());
    for (name, limit) in [("minimum", limits.min), ("maximum", limits.max)] {
        // Of whole numbers, 2.5 lies between two.
        let limit = limit.map(|it| if is_whole { it.floor() } else { it });
        property.extend(limit.map(|it| (name.to_owned(), json_number(it))));
    }
    if let Some(step) = limits.step.filter(|it| *it != 1.0) {
        hints.push(language.of(format!("{step}刻み"), format!("in steps of {step}")));
    }
    property.into()
}

fn days(limits: Days, asking: &Asking<'_>, hints: &mut Vec<String>) {
    let language = asking.language;
    if let Some(min) = limits.min.map(|it: Day| it.on(asking.today.earliest)) {
        hints.push(language.of(format!("{min}以降"), format!("from {min}")));
    }
    if let Some(max) = limits.max.map(|it: Day| it.on(asking.today.latest)) {
        hints.push(language.of(format!("{max}以前"), format!("until {max}")));
    }
}

/// Whether a property may hold that value at first: of its type, and among what it offers.
pub(super) fn takes(property: &Value, value: &Value) -> bool {
    let offers = |options: &Value, value: &Value| {
        let mut options = options.as_array().into_iter().flatten();
        options.any(|it| it["const"] == *value)
    };
    match property["type"].as_str() {
        Some("string") if property["oneOf"].is_array() => offers(&property["oneOf"], value),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => {
            let options = &property["items"]["anyOf"];
            value.as_array().is_some_and(|it| it.iter().all(|it| offers(options, it)))
        }
        _ => false,
    }
}
