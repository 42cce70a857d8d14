//! Common parts of views: errors with advice, confirmations, and texts with code.

use leptos::prelude::*;

use crate::browser::{self, MAIN};
use crate::call::Loaded;
use crate::error::CallError;
use crate::page::page;
use crate::text::{Key, Lang};

/// Draws an error, with a retry button if that may help.
#[component]
pub(crate) fn Notice(
    error: CallError,
    /// Called by the button.
    #[prop(optional, into)]
    on_retry: Option<Callback<()>>,
) -> impl IntoView {
    let retry = on_retry.filter(|_| error.may_pass()).map(|retry| {
        view! {
            <button type="button" class="quiet" on:click=move |_| {
                retry.run(());
                // The notice may be gone with its button.
                browser::focus_if_lost(MAIN);
            }>
                {Key::Retry}
            </button>
        }
    });
    let class = if error == CallError::Stopped { "notice is-calm" } else { "notice is-error" };
    // What failed because the host was away stays failed, but a host that answers again is not to be looked for.
    let was_lost = error == CallError::Offline;
    let refreshed = page().refreshed.get_untracked();
    let is_back = move || was_lost && page().refreshed.get() != refreshed;
    let error = StoredValue::new(error);
    let title = move || match is_back() {
        true => Key::ErrorOfflineBack.say(),
        false => error.with_value(|it| it.title(Lang::spoken())),
    };
    let advice = move || match is_back() {
        true => coded(Key::ErrorOfflineBackAdvice.say()),
        false => error.with_value(|it| coded(&it.advice(Lang::spoken()))),
    };
    // The notice itself reports the end: the progress announcement goes.
    page().end_progress();
    view! {
        <div class=class role="alert">
            <p class="notice-title">{title}</p>
            <p>{advice}</p>
            {move || error.with_value(|it| details(it, &it.advice(Lang::spoken())))}
            {retry}
        </div>
    }
}

/// Code and original message in addition to `shown`, folded, for closer inspection.
pub(crate) fn details(error: &CallError, shown: &str) -> Option<impl IntoView + use<>> {
    let details = error.details(shown)?;
    Some(view! {
        <details class="notice-code">
            <summary>{Key::Details}</summary>
            <p>{Key::CodeLabel}" "<code>{details}</code></p>
        </details>
    })
}

#[component]
pub(crate) fn Skeleton(#[prop(default = 3)] lines: usize) -> impl IntoView {
    view! {
        // Not a `div`: its replacement would count as the same element, moved.
        <section class="skeleton" aria-busy="true">
            <span class="only-heard">{Key::Loading}</span>
            {(0..lines).map(|_| view! { <span class="skeleton-line"></span> }).collect_view()}
        </section>
    }
}

/// Draws a loaded value; a placeholder of so many lines before, and the error otherwise.
pub(crate) fn loaded<T>(
    state: Loaded<T>,
    lines: usize,
    retry: Callback<()>,
    draw: impl FnOnce(T) -> AnyView,
) -> AnyView {
    match state {
        Loaded::Loading => any_view! { <Skeleton lines/> },
        Loaded::Failed(error) => any_view! { <Notice error on_retry=retry/> },
        Loaded::Ready(value) => draw(value),
    }
}

#[component]
pub(crate) fn Empty(
    #[prop(into)] title: Signal<String>,
    #[prop(optional, into)] hint: Option<Signal<String>>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <p class="empty-title">{title}</p>
            {hint.map(|hint| view! { <p>{hint}</p> })}
        </div>
    }
}

/// The text with code marked up.
pub(crate) fn coded(text: &str) -> Vec<AnyView> {
    let draw = |(piece, is_code): (&str, bool)| match is_code {
        true => any_view! { <code>{piece.to_owned()}</code> },
        false => piece.to_owned().into_any(),
    };
    pieces(text).into_iter().map(draw).collect()
}

/// Splits a text at backticks, and marks code. A lone backtick or an empty pair is text.
fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let (mut begun, mut from) = (0, 0);
    while let Some(open) = text[from..].find('`').map(|it| from + it)
        && let Some(close) = text[open + 1..].find('`').map(|it| open + 1 + it)
    {
        from = close + 1;
        if close > open + 1 {
            pieces.extend([(&text[begun..open], false), (&text[open + 1..close], true)]);
            begun = from;
        }
    }
    pieces.push((&text[begun..], false));
    pieces.retain(|it| !it.0.is_empty());
    pieces
}

/// A confirmation in place of its button. The safe answer is focused, and Escape gives it.
#[component]
pub(crate) fn Sure(
    /// Id of the safe answer.
    #[prop(into)]
    id: String,
    #[prop(into)] ask: Signal<String>,
    #[prop(into)] yes: Signal<String>,
    #[prop(into)] no: Signal<String>,
    on_yes: Callback<()>,
    /// Cancels, and returns the focus.
    on_no: Callback<()>,
    #[prop(optional, into)] is_busy: Signal<bool>,
) -> impl IntoView {
    browser::focus_soon(id.clone());
    let ask_id = format!("{id}-ask");
    let go = move |_| {
        if !is_busy.get_untracked() {
            on_yes.run(());
        }
    };
    view! {
        <div class="sure" role="group" aria-labelledby=ask_id
            on:keydown=move |event| if browser::takes_escape(&event) { on_no.run(()) }>
            <p id=ask_id.clone()>{ask}</p>
            <button type="button" class="is-grave" on:click=go
                aria-disabled=move || is_busy.get().then_some("true")>{yes}</button>
            <button type="button" id=id class="quiet" on:click=move |_| on_no.run(())>{no}</button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_backticks_is_code() {
        let expected = [("列は", false), ("A", true), ("から", false), ("J", true)];
        assert_eq!(pieces("列は`A`から`J`"), expected);
        assert_eq!(pieces("`now`"), [("now", true)]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn keeps_lone_or_empty_backticks() {
        assert_eq!(pieces("5` and more"), [("5` and more", false)]);
        assert_eq!(pieces("a `` b `c`"), [("a `` b ", false), ("c", true)]);
        assert_eq!(pieces("`a` `b"), [("a", true), (" `b", false)]);
    }
}
