//! Any JSON, readable: objects as definitions, lists of objects as tables, the rest as it is.

use leptos::prelude::*;
use serde_json::{Map, Value};

use super::output::safe_url;
use crate::dates;
use crate::text::{Key, Lang, cut};

/// Rows, entries and columns drawn at most, and how deep.
const ROWS_MAX: usize = 200;
const COLUMNS_MAX: usize = 12;
const DEPTH_MAX: usize = 6;
const TEXT_MAX: usize = 4_000;

/// Draws a value.
#[component]
pub(crate) fn Structured(value: Value) -> AnyView {
    drawn(value, 0)
}

fn drawn(value: Value, depth: usize) -> AnyView {
    match value {
        Value::Object(_) | Value::Array(_) if depth >= DEPTH_MAX => {
            any_view! { <code>{cut(&value.to_string(), TEXT_MAX)}</code> }
        }
        Value::Object(object) => definitions(object, depth),
        Value::Array(items) => match columns(&items) {
            Some(columns) => table(items, &columns, depth),
            None => list(items, depth),
        },
        scalar => scalar_view(scalar),
    }
}

fn definitions(object: Map<String, Value>, depth: usize) -> AnyView {
    let left_out = object.len().saturating_sub(ROWS_MAX);
    let entry = |(name, value): (String, Value)| {
        let is_nested = matches!(value, Value::Object(_) | Value::Array(_));
        let class = if is_nested { "entry is-nested" } else { "entry" };
        view! { <div class=class><dt>{name}</dt><dd>{drawn(value, depth + 1)}</dd></div> }
    };
    any_view! {
        <dl class="data">{object.into_iter().take(ROWS_MAX).map(entry).collect_view()}</dl>
        <LeftOut count=left_out/>
    }
}

/// The columns of a list whose items are all objects of scalars, mostly the same.
fn columns(items: &[Value]) -> Option<Vec<String>> {
    let mut columns: Vec<String> = Vec::new();
    if items.len() < 2 {
        return None;
    }
    for item in items.iter().take(ROWS_MAX) {
        for (name, value) in item.as_object()? {
            if matches!(value, Value::Object(_)) {
                return None;
            }
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
    }
    (!columns.is_empty() && columns.len() <= COLUMNS_MAX).then_some(columns)
}

fn table(items: Vec<Value>, columns: &[String], depth: usize) -> AnyView {
    let left_out = items.len().saturating_sub(ROWS_MAX);
    let head = columns.iter().map(|name| view! { <th scope="col">{name.clone()}</th> });
    let head = head.collect_view();
    let row = |item: Value| {
        let cell = |name: &String| {
            let value = item.get(name).cloned().unwrap_or_default();
            let class = if value.is_number() { "is-number" } else { "" };
            view! { <td class=class>{drawn(value, depth + 1)}</td> }
        };
        view! { <tr>{columns.iter().map(cell).collect_view()}</tr> }
    };
    let rows = items.into_iter().take(ROWS_MAX).map(row).collect_view();
    any_view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=Key::Answer>
            <table class="data-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>
        </div>
        <LeftOut count=left_out/>
    }
}

fn list(items: Vec<Value>, depth: usize) -> AnyView {
    if items.is_empty() {
        return any_view! { <span class="nothing">{Key::Nothing}</span> };
    }
    let left_out = items.len().saturating_sub(ROWS_MAX);
    let is_short = items.iter().all(|it| !it.is_object() && !it.is_array());
    let class = if is_short { "data-list is-short" } else { "data-list" };
    let item = |item| view! { <li>{drawn(item, depth + 1)}</li> };
    any_view! {
        <ul class=class>{items.into_iter().take(ROWS_MAX).map(item).collect_view()}</ul>
        <LeftOut count=left_out/>
    }
}

#[component]
fn LeftOut(count: usize) -> impl IntoView {
    (count > 0).then(|| {
        view! { <p class="hint">{move || Key::Truncated.fill(&[&count.to_string()])}</p> }
    })
}

fn scalar_view(value: Value) -> AnyView {
    match value {
        Value::Null => any_view! { <span class="nothing">"—"</span> },
        Value::Bool(flag) => {
            let key = if flag { Key::Yes } else { Key::No };
            any_view! { <span>{key}</span> }
        }
        Value::Number(number) => {
            let plain = number.to_string();
            let shown = move || number.as_f64().map(|it| dates::number(it, Lang::spoken()));
            let title = plain.clone();
            any_view! { <span title=title>{move || shown().unwrap_or_else(|| plain.clone())}</span> }
        }
        Value::String(text) => match safe_url(&text).filter(|it| !it.starts_with('/')) {
            Some(url) => any_view! {
                <a href=url target="_blank" rel="noopener noreferrer">{cut(&text, TEXT_MAX)}</a>
            },
            None => any_view! { <span class="value">{cut(&text, TEXT_MAX)}</span> },
        },
        other => any_view! { <code>{cut(&other.to_string(), TEXT_MAX)}</code> },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(value: &Value) -> Option<Vec<String>> {
        columns(value.as_array().unwrap())
    }

    #[test]
    fn objects_that_look_alike_are_a_table() {
        let rows = json!([{ "a": 1, "b": "x" }, { "a": 2, "c": true }]);
        assert_eq!(found(&rows).unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_nested_mixed_single_or_too_wide_is_no_table() {
        assert_eq!(found(&json!([{ "a": { "b": 1 } }, { "a": 1 }])), None);
        assert_eq!(found(&json!([1, { "a": 1 }])), None);
        assert_eq!(found(&json!([{ "a": 1 }])), None);
        let wide: Map<String, Value> = (0..13).map(|it| (format!("c{it}"), json!(it))).collect();
        assert_eq!(found(&json!([wide.clone(), wide])), None);
    }
}
