//! What came of an edit, and the question before something is removed.

use leptos::prelude::*;
use output::cinema::CatalogueImport;

use crate::families::cinema::staff::words::Word;
use crate::page::page;

/// How many changes are shown.
const SHOWN_MAX: usize = 200;

/// What has changed, folded; the live region has said that it did.
#[component]
pub(super) fn Outcome(came: RwSignal<Option<CatalogueImport>>) -> impl IntoView {
    let page = page();
    move || {
        came.get().map(|came| {
            let count = came.changes_count.to_string();
            let word = if came.changes_count == 0 { Word::SavedSame } else { Word::Saved };
            let has_any = !came.changes.is_empty();
            let changes = StoredValue::new(came);
            view! {
                <div class="notice staff-saved">
                    <p class="notice-title">{move || word.fill(page, &[&count])}</p>
                    {has_any.then(|| view! {
                        <details>
                            <summary>{move || Word::ChangesShow.say(page)}</summary>
                            <Changes came=changes.get_value()/>
                        </details>
                    })}
                </div>
            }
        })
    }
}

/// The lines of what changes: a sign, in words, and what it is about.
#[component]
pub(super) fn Changes(came: CatalogueImport) -> impl IntoView {
    let page = page();
    let shown = came.changes.len().min(SHOWN_MAX);
    let all = usize::try_from(came.changes_count).unwrap_or(usize::MAX);
    let more = all.saturating_sub(shown);
    let line = move |text: String| {
        let (word, class) = match text.chars().next() {
            Some('+') => (Word::ChangeNew, "staff-change is-new"),
            Some('-') => (Word::ChangeGone, "staff-change is-gone"),
            _ => (Word::ChangeOther, "staff-change"),
        };
        let about = text.trim_start_matches(['+', '-', '~']).trim().to_owned();
        view! { <li class=class><b>{move || word.say(page)}</b><code>{about}</code></li> }
    };
    view! {
        <ul class="staff-changes">
            {came.changes.into_iter().take(SHOWN_MAX).map(line).collect_view()}
        </ul>
        {(more > 0).then(|| view! {
            <p class="hint">{move || Word::ChangesMore.fill(page, &[&more.to_string()])}</p>
        })}
    }
}

/// Asks whether something is meant; the safe answer has the keyboard.
#[component]
pub(super) fn Sure(
    /// The question.
    #[prop(into)]
    ask: Signal<String>,
    yes: Word,
    on_yes: Callback<()>,
    on_no: Callback<()>,
    #[prop(into)] is_busy: Signal<bool>,
) -> impl IntoView {
    let page = page();
    crate::browser::focus_soon("staff-no");
    let go = move |_| {
        if !is_busy.get_untracked() {
            on_yes.run(());
        }
    };
    view! {
        <div class="sure" role="group" aria-labelledby="staff-sure"
            on:keydown=move |event| if event.key() == "Escape" { on_no.run(()) }>
            <p id="staff-sure">{ask}</p>
            <button type="button" class="is-grave" on:click=go
                aria-disabled=move || is_busy.get().then_some("true")>
                {move || yes.say(page)}
            </button>
            <button type="button" id="staff-no" class="quiet" on:click=move |_| on_no.run(())>
                {move || Word::SureNo.say(page)}
            </button>
        </div>
    }
}
