//! The arguments of a call, to be read by people: no secret is among them (SYS-11).

use leptos::prelude::*;
use serde_json::Value;

use crate::cards::{secret, told};
use crate::mcp::wire::Explained;
use crate::page::page;
use crate::text::Key;

/// Draws them with the names that the tool has for them in the reader's language, and small those that programs use.
#[component]
pub(crate) fn Arguments(tool: String, params: Value) -> impl IntoView {
    let page = page();
    let shown = move || {
        let lang = page.lang.get();
        let tool = page.tool(&tool);
        let schema = tool.as_ref().map(|it| it.input_schema.clone()).unwrap_or_default();
        let list = told::arguments(&secret::veiled_by(&params, &schema), lang.comma());
        if list.is_empty() {
            return view! { <p class="hint">{page.say(Key::CardNoArguments)}</p> }.into_any();
        }
        let entry = |(name, value): (String, String)| {
            let about = tool.as_ref().and_then(|it| {
                let Explained { label, help } = it.argument(lang, &name);
                label.or(help)
            });
            let (said, named) = match about {
                Some(about) => (about, view! { <code class="hint">{name}</code> }.into_any()),
                None => (name, ().into_any()),
            };
            view! {
                <div class="call-argument">
                    <dt>{said}{named}</dt>
                    <dd>{value}</dd>
                </div>
            }
        };
        view! { <dl class="call-arguments">{list.into_iter().map(entry).collect_view()}</dl> }
            .into_any()
    };
    view! { <div>{shown}</div> }
}
