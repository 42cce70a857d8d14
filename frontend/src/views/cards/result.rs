//! What a call in a conversation put out, by the same views as at the counter.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use crate::apps::live::{Called, Outcome};
use crate::cards::masked::masked;
use crate::cards::told::shortened;
use crate::chat::tool_card::Came;
use crate::mcp::wire::{Content, Output, Tool};
use crate::page::page;
use crate::table;
use crate::text::Key;
use crate::views::apps::Shown;
use crate::views::output::{OutputView, app, has_app};

/// Draws it by the view of its tool.
#[component]
pub(super) fn CallResult(view: Option<String>, name: String, params: Value, came: Came) -> AnyView {
    let tool = page().tool(&name).unwrap_or_else(|| Tool { name, ..Tool::default() });
    let mut tool = tool;
    let is_drawn = table::is_known(view.as_deref());
    // The view of the time of the call counts: the tool may have been swapped since.
    if let Some(view) = view {
        tool.meta.insert("madoguchi/view".to_owned(), Value::String(view));
    }
    let called = has_app(&tool)
        .then(|| Called { arguments: params.clone(), outcome: Outcome::Done(whole(&came)) });
    let output = output(&params, came, is_drawn);
    let Some(called) = called else { return view! { <OutputView tool output/> }.into_any() };
    let own = tool.clone();
    let data = ViewFn::from(move || view! { <OutputView tool=own.clone() output=output.clone()/> });
    app(Shown { tool, called: Signal::stored(called), data })
}

/// The result as MCP has it, as much as a conversation keeps of it.
fn whole(came: &Came) -> Value {
    let text = match came.text.is_empty() {
        true => came.result.to_string(),
        false => came.text.clone(),
    };
    let mut whole = json!({ "content": [{ "type": "text", "text": text }] });
    for (name, value) in [("structuredContent", &came.result), ("_meta", &came.meta)] {
        if !value.is_null() {
            whole[name] = value.clone();
        }
    }
    whole
}

/// Draws it as data: there is no view for it.
#[component]
pub(super) fn Plain(view: Option<String>, name: String, came: Came) -> AnyView {
    if let Some(key) = table::elsewhere(view.as_deref()) {
        return view! { <p class="hint">{key}</p> }.into_any();
    }
    let output = output(&Value::Null, came, false);
    // Of the tool only what it says of secrets: what it put out has no view.
    let output_schema = page().tool(&name).map(|it| it.output_schema).unwrap_or_default();
    let tool = Tool { output_schema, ..Tool::default() };
    view! {
        <p class="call-facts-title">{Key::Answer}</p>
        <OutputView tool output/>
    }
    .into_any()
}

fn output(params: &Value, came: Came, is_drawn: bool) -> Output {
    let Came { result, meta, text, .. } = came;
    let shown = masked(&shortened(&result));
    let mut raw = Map::new();
    for (name, value) in [("arguments", masked(params)), ("structuredContent", shown.clone())] {
        if !value.is_null() {
            raw.insert(name.to_owned(), value);
        }
    }
    if !meta.is_null() {
        raw.insert("_meta".to_owned(), masked(&meta));
    }
    let structured = if is_drawn { result } else { shown };
    let text = (!text.is_empty() && structured.is_null()).then_some(Content::Text(text));
    Output {
        structured: (!structured.is_null()).then_some(structured),
        content: text.into_iter().collect(),
        raw: json!(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_beside_the_drawing_has_no_secret_and_no_bytes() {
        let came = Came {
            result: json!({ "data": "A".repeat(9_000), "session_token": "abc" }),
            ..Came::default()
        };
        let output = output(&json!({ "passkey": "1234", "card_name": "青" }), came, true);
        let raw = output.raw.to_string();
        assert!(raw.len() < 400 && !raw.contains("1234") && !raw.contains("abc"), "{raw}");
        assert!(raw.contains("青"));
        assert_eq!(output.structured.unwrap()["data"].as_str().unwrap().len(), 9_000);
    }

    #[test]
    fn a_text_is_shown_where_there_is_nothing_else() {
        let came = Came { text: "晴れ".to_owned(), ..Came::default() };
        let output = output(&Value::Null, came, false);
        assert_eq!(output.content, [Content::Text("晴れ".to_owned())]);
        assert_eq!(output.structured, None);
    }
}
