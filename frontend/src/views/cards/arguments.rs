//! The arguments of a call, to be read by people: no secret is among them (SYS-11).

use leptos::prelude::*;
use serde_json::Value;

use crate::cards::{secret, told};
use crate::mcp::wire::Explained;
use crate::page::page;
use crate::text::{Key, Lang};

/// Draws them with the names that the tool has for them in the reader's language, and small those that programs use.
#[component]
pub(crate) fn Arguments(tool: String, params: Value) -> impl IntoView {
    let shown = move || {
        let lang = Lang::spoken();
        let tool = page().tool(&tool);
        let schema = tool.as_ref().map(|it| it.input_schema.clone()).unwrap_or_default();
        let list = told::arguments(&secret::veiled_by(&params, &schema), lang.comma());
        if list.is_empty() {
            return any_view! { <p class="hint">{Key::CardNoArguments}</p> };
        }
        let entry = |(name, value): (String, String)| {
            let about = tool.as_ref().and_then(|it| {
                let Explained { label, help } = it.argument(lang, &name);
                label.or(help).map(|it| topic(&it).to_owned())
            });
            let (said, named) = match about {
                Some(about) => (about, any_view! { <code class="hint">{name}</code> }),
                None => (name, ().into_any()),
            };
            view! {
                <div class="call-argument">
                    <dt>{said}{named}</dt>
                    <dd>{value}</dd>
                </div>
            }
        };
        any_view! { <dl class="call-arguments">{list.into_iter().map(entry).collect_view()}</dl> }
    };
    view! { <div>{shown}</div> }
}

/// What an explanation is about: how it begins.
fn topic(text: &str) -> &str {
    let text = text.trim();
    let ends = [text.find(['（', '(', '。', '\n']), text.find(". ")];
    let end = ends.into_iter().flatten().min().filter(|at| *at > 0).unwrap_or(text.len());
    text[..end].trim_end_matches([' ', '.', ':', '：'])
}

#[cfg(test)]
mod tests {
    use super::topic;

    #[test]
    fn a_topic_is_the_beginning_of_an_explanation() {
        for (text, about) in [
            ("座席のID（list_available_seats の seat_id）。すべて", "座席のID"),
            ("Seat IDs (of list_available_seats). All or none", "Seat IDs"),
            ("予約する人。", "予約する人"),
            ("Who reserves. Any name", "Who reserves"),
            ("(optional)", "(optional)"),
            ("", ""),
        ] {
            assert_eq!(topic(text), about);
        }
    }
}
