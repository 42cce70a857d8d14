//! A passkey that was just made: shown once, with a warning, a button that copies it, and the way on.

use leptos::prelude::*;

use super::invite::Invite;
use crate::browser;
use crate::families::conversations::agents::agents_state::{AgentsState, Passkey};
use crate::page::page;
use crate::text::Key;

/// Copies a text, and says whether that worked.
pub(super) fn copy(text: &str) {
    page().notify(if browser::copy(text) { Key::Copied } else { Key::NotCopied });
}

/// The passkey, if one was just made.
#[component]
pub(super) fn PasskeyView() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    move || agents_state.passkey.get().map(|made| view! { <Made made/> })
}

#[component]
fn Made(made: Passkey) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_inviting = RwSignal::new(false);
    page().announce_key(Key::PasskeyMade);
    browser::focus_soon("passkey-title");
    let made = StoredValue::new(made);
    let name = move || made.with_value(|it| it.name.clone());
    let done = move |_| {
        agents_state.passkey.set(None);
        browser::focus_soon("stage");
    };
    view! {
        <section class="notice is-warning passkey" aria-labelledby="passkey-title">
            <h2 class="notice-title" id="passkey-title" tabindex="-1">
                {move || Key::PasskeyTitle.fill(&[&name()])}
            </h2>
            <p>{Key::PasskeyOnce}</p>
            <code class="passkey-value" id="passkey-value">
                {made.with_value(|it| it.passkey.clone())}
            </code>
            <div class="actions">
                <button type="button" class="small"
                    on:click=move |_| made.with_value(|it| copy(&it.passkey))>
                    {Key::PasskeyCopy}
                </button>
                <button type="button" class="quiet small"
                    aria-label=move || Key::AgentInviteNamed.fill(&[&name()])
                    aria-expanded=move || is_inviting.get().to_string()
                    on:click=move |_| is_inviting.update(|it| *it = !*it)>{Key::AgentInvite}</button>
                <button type="button" class="quiet small" on:click=done>{Key::PasskeyDone}</button>
            </div>
            {move || is_inviting.get().then(|| made.with_value(|it| view! {
                <Invite seat=it.seat.clone() name=it.name.clone() passkey=it.passkey.clone()/>
            }))}
        </section>
    }
}
