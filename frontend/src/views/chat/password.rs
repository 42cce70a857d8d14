//! Asks for the password of the gateway (ILL-44).

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser;
use crate::chat::talk::Talk;
use crate::text::{Key, Lang};

/// Stands in the place of the conversation until the password is right.
#[component]
pub(super) fn Password() -> impl IntoView {
    let talk = Talk::here();
    let password = RwSignal::new(String::new());
    let is_trying = RwSignal::new(false);
    let wrong = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_trying.get_untracked() || password.with_untracked(String::is_empty) {
            return browser::focus("chat-password");
        }
        is_trying.set(true);
        wrong.set(String::new());
        spawn_local(async move {
            let tried = talk.enter(&password.get_untracked()).await;
            // Where it was right this view is gone, and its signals with it.
            if let Err(failure) = tried {
                let lang = Lang::now();
                let error = match failure.error {
                    error if error.is_empty() => lang.say(Key::ErrorOfflineMend).to_owned(),
                    error => error,
                };
                let _ = is_trying.try_set(false);
                let _ = wrong.try_set(error);
                browser::focus("chat-password");
            }
        });
    };
    browser::focus_soon("chat-password");
    view! {
        <form class="chat-password sign-in" on:submit=submit novalidate>
            <h2>{Key::SignIn}</h2>
            <p>{Key::ChatPasswordHint}</p>
            <div class="field">
                <label class="label" for="chat-password">{Key::ChatPassword}</label>
                <input id="chat-password" type="password" autocomplete="current-password" required
                    maxlength="400" aria-describedby="chat-password-wrong"
                    aria-invalid=move || wrong.with(|it| !it.is_empty()).to_string()
                    prop:value=password on:input=move |event| password.set(event_target_value(&event))/>
                <p id="chat-password-wrong" class="error" role="alert">{wrong}</p>
            </div>
            <button type="submit" class="main-action" aria-disabled=move || is_trying.get().to_string()>
                {move || if is_trying.get() { Key::SigningIn } else { Key::ChatEnter }.say()}
            </button>
        </form>
    }
}
