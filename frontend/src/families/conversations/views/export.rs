//! What to take along: the whole conversation as a file, and the link to it.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser;
use crate::error::CallError;
use crate::families::conversations::client;
use crate::families::conversations::watch::Watch;
use crate::page::page;
use crate::text::Key;
use crate::views::notice::Notice;

/// The buttons that save it.
#[component]
pub(super) fn Export(watch: Watch) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let save = move |is_markdown: bool| {
        let id = watch.id.get_value();
        spawn_local(async move {
            let written = client::written(&id).await;
            let saved = written.and_then(|written| {
                let (ending, mime, text) = match is_markdown {
                    true => ("md", "text/markdown", written.markdown),
                    false => ("jsonl", "application/x-ndjson", written.jsonl),
                };
                let name = file_name(&id, ending);
                let saved = browser::download(&name, text.as_bytes(), mime);
                saved.map_err(|_| CallError::page("the browser did not save the file"))
            });
            if saved.is_ok() {
                page().notify(Key::TalkSaved);
            }
            let _ = error.try_set(saved.err());
        });
    };
    let copy = move |_| {
        let is_copied = browser::copy(&browser::address());
        page().notify(if is_copied { Key::TalkLinkCopied } else { Key::NotCopied });
    };
    view! {
        <section class="talk-export" aria-labelledby="talk-export">
            <h2 id="talk-export" class="section-title">{Key::TalkExport}</h2>
            <div class="actions">
                <button type="button" class="quiet small" on:click=move |_| save(true)>
                    {Key::TalkMarkdown}
                </button>
                <button type="button" class="quiet small" on:click=move |_| save(false)>
                    {Key::TalkJsonl}
                </button>
                <button type="button" class="quiet small" on:click=copy>{Key::TalkCopyLink}</button>
            </div>
            {move || error.get().map(|error| view! { <Notice error/> })}
        </section>
    }
}

/// What to call the file: an id from the address is text from outside.
fn file_name(id: &str, ending: &str) -> String {
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let plain: String = id.chars().filter(is_plain).take(60).collect();
    let name = if plain.is_empty() { "conversation" } else { &plain };
    format!("{name}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_leads_nowhere_else() {
        assert_eq!(file_name("conv_01-ab", "md"), "conv_01-ab.md");
        assert_eq!(file_name("../../etc", "jsonl"), "etc.jsonl");
        assert_eq!(file_name("会話", "md"), "conversation.md");
    }
}
