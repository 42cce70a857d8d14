//! Asks for the operator's key, in the operator's place and nowhere else.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::TITLE;
use crate::access;
use crate::browser;
use crate::error::CallError;
use crate::operator::{Gate, Operator};
use crate::text::{Key, Lang};

/// The command that prints an address with a key.
const COMMAND: &str = "madoguchi operator";
/// The id of the field.
const FIELD: &str = "operator-key";

/// What is wrong with a key.
#[derive(Clone, PartialEq)]
enum Wrong {
    Unreadable,
    Refused(CallError),
}

impl Wrong {
    fn say(&self, lang: Lang) -> String {
        match self {
            Self::Unreadable => lang.say(Key::OperatorKeyUnreadable).to_owned(),
            Self::Refused(CallError::Unauthorized) => lang.say(Key::OperatorKeyRefused).to_owned(),
            Self::Refused(error) => error.mend(lang),
        }
    }
}

/// Stands in the place of the operator's views until the host answers to a key.
#[component]
pub(super) fn SignIn() -> impl IntoView {
    let operator: Operator = expect_context();
    let typed = RwSignal::new(String::new());
    let is_trying = RwSignal::new(false);
    let before = operator.gate.with_untracked(|it| match it {
        Gate::Shut(Some(error)) => Some(Wrong::Refused(error.clone())),
        _ => None,
    });
    let wrong = RwSignal::new(before);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_trying.get_untracked() {
            return;
        }
        let Some(key) = access::read(&typed.get_untracked()) else {
            wrong.set(Some(Wrong::Unreadable));
            return browser::focus(FIELD);
        };
        wrong.set(None);
        is_trying.set(true);
        spawn_local(async move {
            let problem = operator.enter(&key).await.err();
            // Where it opened this view is gone, and its signals with it.
            if let Some(error) = problem {
                let _ = is_trying.try_set(false);
                let _ = wrong.try_set(Some(Wrong::Refused(error)));
                browser::focus(FIELD);
            }
        });
    };
    // The field of a phone is below what is to be read first.
    browser::focus_soon(if wrong.with_untracked(Option::is_some) { FIELD } else { TITLE });
    view! {
        <section class="sign-in op-sign-in">
            <h1 id=TITLE tabindex="-1">{Key::OperatorPlace}</h1>
            <p>{Key::OperatorHint}</p>
            <p>{Key::OperatorHow}</p>
            <pre class="op-command" translate="no"><code>{COMMAND}</code></pre>
            <form on:submit=submit novalidate>
                <div class="field">
                    <label class="label" for=FIELD>{Key::OperatorKeyName}</label>
                    <input id=FIELD type="password" autocomplete="off" spellcheck="false"
                        autocapitalize="off" required
                        aria-describedby="operator-key-hint operator-key-wrong"
                        aria-invalid=move || wrong.with(Option::is_some).to_string()
                        prop:value=typed
                        on:input=move |event| typed.set(event_target_value(&event))/>
                    <p id="operator-key-hint" class="hint">{Key::OperatorKeyHint}</p>
                    <p id="operator-key-wrong" class="error" role="alert">
                        {move || wrong.with(|it| it.as_ref().map(|it| it.say(Lang::spoken())))}
                    </p>
                </div>
                <button type="submit" class="main-action"
                    aria-disabled=move || is_trying.get().to_string()>
                    {move || if is_trying.get() { Key::SigningIn } else { Key::OperatorEnter }.say()}
                </button>
            </form>
        </section>
    }
}
