//! Sign-in: by an account, if the host has accounts, or by a token.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::access::{self, account};
use crate::browser;
use crate::page::{Admission, page};
use crate::text::{Key, Lang};

/// Replaces every view until access is granted.
#[component]
pub(crate) fn SignIn() -> impl IntoView {
    let token = RwSignal::new(String::new());
    let is_trying = RwSignal::new(false);
    let wrong = RwSignal::new(
        page()
            .admission
            .with_untracked(|it| matches!(it, Admission::Refused).then_some(Key::TokenRefused)),
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
            let problem = page().enter(&read).await.err();
            // If it was accepted, this view and its signals are gone.
            let Some(key) = problem else { return browser::focus_if_lost(browser::MAIN) };
            let _ = is_trying.try_set(false);
            let _ = wrong.try_set(Some(key));
            browser::focus("token");
        });
    };
    let issuer = RwSignal::new(None::<String>);
    let is_arriving = account::is_returning();
    is_trying.set(is_arriving);
    spawn_local(async move {
        if is_arriving && let Err(problem) = page().enter_by_account().await {
            let _ = is_trying.try_set(false);
            let _ = wrong.try_set(problem);
        }
        // If the reader was admitted, this view and its signals are gone.
        if issuer.is_disposed() {
            return;
        }
        let found = account::issuer().await;
        let field = if found.is_some() { "by-account" } else { "token" };
        if issuer.try_set(found).is_none() {
            browser::focus_soon(field);
        }
    });
    let sign_in = move |_| {
        let Some(issuer) = issuer.get_untracked() else { return };
        wrong.set(None);
        is_trying.set(true);
        let language = Lang::now().tag();
        spawn_local(async move {
            if let Err(key) = account::begin(&issuer, language).await {
                let _ = is_trying.try_set(false);
                let _ = wrong.try_set(Some(key));
            }
        });
    };
    let is_of_token = move || matches!(wrong.get(), Some(Key::TokenRefused | Key::TokenUnreadable));
    let has_accounts = move || issuer.with(Option::is_some);
    let by_account = move || {
        has_accounts().then(|| {
            view! {
                <button type="button" id="by-account" class="main-action" on:click=sign_in
                    aria-disabled=move || is_trying.get().to_string()>
                    {move || if is_trying.get() { Key::SigningIn } else { Key::SignInByAccount }.say()}
                </button>
            }
        })
    };
    view! {
        <section class="sign-in">
            <h1>{Key::SignIn}</h1>
            <p>{move || if has_accounts() { Key::SignInAccountHint } else { Key::SignInHint }.say()}</p>
            {by_account}
            <p id="token-wrong" class="error" role="alert">{wrong}</p>
            <details class=move || if has_accounts() { "raw" } else { "" } prop:open=move || !has_accounts()>
                <summary hidden=move || !has_accounts()>{Key::SignInByToken}</summary>
                <form on:submit=submit novalidate>
                    <div class="field">
                        <label class="label" for="token">{Key::Token}</label>
                        <input id="token" type="password" autocomplete="off" spellcheck="false"
                            autocapitalize="off" required
                            aria-describedby="token-hint token-wrong"
                            aria-invalid=move || is_of_token().to_string()
                            prop:value=token
                            on:input=move |event| token.set(event_target_value(&event))/>
                        <p id="token-hint" class="hint">{Key::TokenHint}</p>
                    </div>
                    <button type="submit" class=move || if has_accounts() { "quiet" } else { "main-action" }
                        aria-disabled=move || is_trying.get().to_string()>
                        {move || if is_trying.get() { Key::SigningIn } else { Key::SignIn }.say()}
                    </button>
                </form>
            </details>
        </section>
    }
}
