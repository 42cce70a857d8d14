//! A tool's output, drawn by its view or as readable data, which never fails: any JSON as definitions, lists and
//! tables, with the raw JSON for copying.

use leptos::prelude::*;
use serde_json::{Map, Value};

use super::apps::{AppView, Shown};
use super::cards::Say;
use super::map::MapView;
use super::notice::Empty;
use super::part::drawn_by;
use crate::browser::{self, is_link};
use crate::cards;
use crate::dates;
use crate::geo;
use crate::mcp::wire::{Content, Output, Tool};
use crate::page::page;
use crate::part::{Part, part};
use crate::table;
use crate::text::{Key, Lang, at_most, cut};

/// The code of apps: most tools have none.
static APPS: Part<Show> = part!(apps: Show = &Show(|it| any_view! { <AppView shown=it/> }));

struct Show(fn(Shown) -> AnyView);

/// Whether the tool's output is shown by its own app: only if the page has no view for it.
pub(crate) fn has_app(tool: &Tool) -> bool {
    tool.app().is_some() && !table::is_known(tool.view())
}

/// Draws a tool's app, once its code is loaded.
pub(crate) fn app(shown: Shown) -> AnyView {
    drawn_by(&APPS, move |it| (it.0)(shown.clone()))
}

/// Draws an output by its tool's view, with all other content. Secrets (SYS-11) are shown to a reader on request, and
/// never in a conversation.
#[component]
pub(crate) fn OutputView(tool: Tool, output: Output) -> AnyView {
    let value = output.structured.as_ref().unwrap_or(&output.raw);
    let secrets = cards::secrets(value, &tool.output_schema);
    if secrets.is_empty() {
        return any_view! { <Drawn tool output/> };
    }
    let is_shown = RwSignal::new(false);
    let may_show = use_context::<Say>().is_none();
    let veiled = output.veiled(&secrets);
    let text = move || if is_shown.get() { Key::SecretsHide } else { Key::SecretsShow }.say();
    any_view! {
        <div class="secrets">
            <p class="hint">{Key::SecretsHidden}</p>
            {may_show.then(|| view! {
                <button type="button" class="quiet small" on:click=move |_| is_shown.update(|it| *it = !*it)>
                    {text}
                </button>
            })}
        </div>
        {move || {
            let output = if is_shown.get() { output.clone() } else { veiled.clone() };
            view! { <Drawn tool=tool.clone() output/> }
        }}
    }
}

/// Draws the masked output, once its code is loaded.
#[component]
fn Drawn(tool: Tool, output: Output) -> AnyView {
    let code = table::outputs(tool.view());
    drawn_by(code, move |_| any_view! { <Whole tool=tool.clone() output=output.clone()/> })
}

#[component]
fn Whole(tool: Tool, output: Output) -> impl IntoView {
    let Output { structured, content, raw } = output;
    let drawn = structured.as_ref().and_then(|value| table::draw(tool.view(), value, &raw));
    let is_drawn = drawn.is_some();
    let is_pictures = table::has_pictures(tool.view());
    // The host also sends the structure as text, which a view or table has already shown.
    let is_news = |it: &Content| match (it, &structured) {
        (Content::Text(text), Some(value)) => !is_same(text, value) && !is_drawn,
        // Pictures drawn by a view are also sent as content (ILL-3).
        (Content::Image { .. }, _) => !(is_drawn && is_pictures),
        _ => true,
    };
    let pieces: Vec<Content> = content.into_iter().filter(is_news).take(PIECES_MAX).collect();
    let is_empty = structured.is_none() && pieces.is_empty();
    let name = tool.name;
    let piece = move |content| view! { <ContentView content tool=name.clone()/> };
    let data = structured.filter(|_| !is_drawn).map(|value| {
        let map = geo::find(&value).map(|features| view! { <MapView features/> });
        view! { {map}<Structured value/> }
    });
    view! {
        <div class="output">
            {drawn}
            {data}
            {pieces.into_iter().map(piece).collect_view()}
            {is_empty.then(|| view! { <Empty title=Key::AnswerEmpty/> })}
            <Raw value=raw/>
        </div>
    }
}

/// Maximum number of pieces of content drawn.
const PIECES_MAX: usize = 100;

/// Whether a text is this value in JSON.
fn is_same(text: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|it| it == *value)
}

/// Returns a link that cannot execute anything and is not disguised: only https, http, mail, or a path of this host.
pub(crate) fn safe_url(url: &str) -> Option<String> {
    let url = url.trim();
    let is_known = is_link(url) || url.to_ascii_lowercase().starts_with("mailto:");
    let is_own = url.starts_with('/') && !url.starts_with("//") && !url.starts_with("/\\");
    let is_plain = !url.chars().any(char::is_control) && url.len() <= 2_000;
    ((is_known || is_own) && is_plain).then(|| url.to_owned())
}

/// Maximum number of characters of a text.
const TEXT_MAX: usize = 50_000;
/// Maximum number of base64 characters of an image or sound.
const MEDIA_MAX: usize = 20 << 20;

#[component]
fn ContentView(content: Content, tool: String) -> AnyView {
    match content {
        Content::Text(text) => any_view! { <TextView text/> },
        Content::Image { data, mime } => match media_url("image/", &mime, &data) {
            Some(url) => any_view! {
                <figure class="media">
                    <img src=url loading="lazy" alt=move || Key::ImageFrom.fill(&[&tool])/>
                </figure>
            },
            None => any_view! { <p class="hint">{Key::NoShow}</p> },
        },
        Content::Audio { data, mime } => match media_url("audio/", &mime, &data) {
            Some(url) => any_view! {
                <figure class="media">
                    <audio controls src=url aria-label=move || Key::AudioFrom.fill(&[&tool])></audio>
                </figure>
            },
            None => any_view! { <p class="hint">{Key::NoShow}</p> },
        },
        Content::Resource { uri, mime, text } => any_view! {
            <section class="resource">
                <p class="resource-head"><code>{uri}</code>" "{mime}</p>
                {text.map(|text| view! { <TextView text/> })}
            </section>
        },
        Content::Link { uri, title, description } => {
            let link = match safe_url(&uri) {
                Some(url) => any_view! {
                    <a href=url target="_blank" rel="noopener noreferrer">{title}</a>
                },
                None => any_view! { <span>{title}" "<code>{uri}</code></span> },
            };
            any_view! { <p class="resource">{link}{description.map(|it| view! { <br/>{it} })}</p> }
        }
        Content::Unknown => any_view! { <p class="hint">{Key::NoShow}</p> },
    }
}

/// A text; JSON is drawn as data.
#[component]
fn TextView(text: String) -> AnyView {
    let is_json = text.trim_start().starts_with(['{', '[']);
    if let Some(value) = is_json.then(|| serde_json::from_str(&text).ok()).flatten() {
        return any_view! { <Structured value/> };
    }
    let shown: String = text.chars().take(TEXT_MAX).collect();
    any_view! { <pre class="text">{shown}</pre> }
}

/// A data URL of media of the drawn kind. Its data has only base64 letters, which cannot be markup.
fn media_url(kind: &str, mime: &str, data: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+-./".contains(c);
    let is_mime = mime.starts_with(kind) && mime.len() < 60 && mime.chars().all(is_name);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let is_data = !data.is_empty() && data.len() <= MEDIA_MAX && data.bytes().all(is_letter);
    (is_mime && is_data).then(|| format!("data:{mime};base64,{data}"))
}

/// Maximum number of characters drawn; copying takes all.
const RAW_MAX: usize = 100_000;

/// Draws the JSON of `value`, folded.
#[component]
pub(crate) fn Raw(
    value: Value,
    #[prop(default = Key::RawJson)] title: Key,
    #[prop(optional)] is_open: bool,
) -> impl IntoView {
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let shown = at_most(&text, RAW_MAX);
    let text = StoredValue::new(text);
    let copied = move |_| text.with_value(|it| copy(it, Key::Copied));
    view! {
        <details class="raw" open=is_open>
            <summary>{title}</summary>
            <button type="button" class="quiet small" on:click=copied>{Key::Copy}</button>
            <pre tabindex="0" aria-label=title>{shown}</pre>
        </details>
    }
}

/// Copies a text, and announces the result.
pub(crate) fn copy(text: &str, done: Key) {
    page().notify(if browser::copy(text) { done } else { Key::NotCopied });
}

/// Maximum number of rows, entries and columns, and maximum depth.
const ROWS_MAX: usize = 200;
const COLUMNS_MAX: usize = 12;
const DEPTH_MAX: usize = 6;
const VALUE_MAX: usize = 4_000;

#[component]
pub(crate) fn Structured(value: Value) -> AnyView {
    drawn(value, 0)
}

fn drawn(value: Value, depth: usize) -> AnyView {
    match value {
        Value::Object(_) | Value::Array(_) if depth >= DEPTH_MAX => {
            any_view! { <code>{cut(&value.to_string(), VALUE_MAX)}</code> }
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

/// The columns of a list of objects of scalars with mostly equal keys.
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
                <a href=url target="_blank" rel="noopener noreferrer">{cut(&text, VALUE_MAX)}</a>
            },
            None => any_view! { <span class="value">{cut(&text, VALUE_MAX)}</span> },
        },
        other => any_view! { <code>{cut(&other.to_string(), VALUE_MAX)}</code> },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rejects_executable_links() {
        for bad in [
            "javascript:alert(1)",
            " JavaScript:alert(1)",
            "data:text/html,x",
            "//evil.example",
            "/\\evil.example",
            "https://a\nb",
            "https://bank.example@evil.example/",
            "https://evil.example\\@bank.example/",
        ] {
            assert_eq!(safe_url(bad), None, "{bad}");
        }
        for good in ["https://example.com/a?b", "/api/health", "mailto:a@example.com"] {
            assert_eq!(safe_url(good).as_deref(), Some(good));
        }
    }

    #[test]
    fn recognises_text_that_repeats_structure() {
        let value = json!({ "a": 1, "b": [2] });
        assert!(is_same("{\"b\": [2],  \"a\": 1}", &value));
        assert!(!is_same("{\"a\":1}", &value));
        assert!(!is_same("seats: A1", &value));
    }

    #[test]
    fn makes_address_only_of_matching_media() {
        assert_eq!(
            media_url("image/", "image/png", "aGk=").as_deref(),
            Some("data:image/png;base64,aGk=")
        );
        assert_eq!(media_url("image/", "text/html", "aGk="), None);
        assert_eq!(media_url("image/", "image/png;x=\"", "aGk="), None);
        assert_eq!(media_url("image/", "image/png", "<svg>"), None);
        assert_eq!(media_url("image/", "image/png", ""), None);
    }

    fn found(value: &Value) -> Option<Vec<String>> {
        columns(value.as_array().unwrap())
    }

    #[test]
    fn draws_similar_objects_as_table() {
        let rows = json!([{ "a": 1, "b": "x" }, { "a": 2, "c": true }]);
        assert_eq!(found(&rows).unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn draws_no_table_of_nested_mixed_single_or_wide_data() {
        assert_eq!(found(&json!([{ "a": { "b": 1 } }, { "a": 1 }])), None);
        assert_eq!(found(&json!([1, { "a": 1 }])), None);
        assert_eq!(found(&json!([{ "a": 1 }])), None);
        let wide: Map<String, Value> = (0..13).map(|it| (format!("c{it}"), json!(it))).collect();
        assert_eq!(found(&json!([wide.clone(), wide])), None);
    }
}
