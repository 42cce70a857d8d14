//! Asks for the token without which the host does not answer.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::access;
use crate::browser;
use crate::page::{Door, page};
use crate::text::Key;

/// Stands in the place of every view until a token is accepted.
#[component]
pub(crate) fn SignIn() -> impl IntoView {
    let page = page();
    let token = RwSignal::new(String::new());
    let is_trying = RwSignal::new(false);
    let wrong = RwSignal::new(
        page.door.with_untracked(|it| matches!(it, Door::Refused).then_some(Key::TokenRefused)),
    );
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_trying.get_untracked() {
            return;
        }
        let Some(read) = access::read(&token.get_untracked()) else {
            wrong.set(Some(Key::TokenUnreadable));
            return browser::focus("token");
        };
        wrong.set(None);
        is_trying.set(true);
        spawn_local(async move {
            let problem = page.enter(&read).await.err();
            // Where it was accepted this view is gone, and its signals with it.
            if let Some(key) = problem {
                let _ = is_trying.try_set(false);
                let _ = wrong.try_set(Some(key));
                browser::focus("token");
            }
        });
    };
    browser::focus_soon("token");
    view! {
        <section class="sign-in">
            <h1>{move || page.say(Key::SignIn)}</h1>
            <p>{move || page.say(Key::SignInHint)}</p>
            <form on:submit=submit novalidate>
                <div class="field">
                    <label class="label" for="token">{move || page.say(Key::Token)}</label>
                    <input id="token" type="password" autocomplete="off" spellcheck="false"
                        autocapitalize="off" required
                        aria-describedby="token-hint token-wrong"
                        aria-invalid=move || wrong.get().is_some().to_string()
                        prop:value=token
                        on:input=move |event| token.set(event_target_value(&event))/>
                    <p id="token-hint" class="hint">{move || page.say(Key::TokenHint)}</p>
                    <p id="token-wrong" class="error" role="alert">
                        {move || wrong.get().map(|key| page.say(key))}
                    </p>
                </div>
                <button type="submit" class="main-action" aria-disabled=move || is_trying.get().to_string()>
                    {move || page.say(if is_trying.get() { Key::SigningIn } else { Key::SignIn })}
                </button>
            </form>
        </section>
    }
}
