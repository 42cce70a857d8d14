//! What stands where there are no messages yet: a greeting, and sentences to begin with.

use leptos::prelude::*;

use super::current;
use crate::chat::talk::Talk;
use crate::table;
use crate::text::{Key, Lang};

/// The greeting of the assistant that is chosen.
#[component]
pub(super) fn Welcome() -> impl IntoView {
    let talk = Talk::here();
    let own = Memo::new(move |_| table::greeting(&current(talk)?.name));
    let title = move || own.get().map_or(Key::ChatWelcome, |it| it.title).say();
    let hint = move || own.get().map_or(Key::ChatWelcomeHint, |it| it.hint).say();
    let examples = move || match own.get() {
        Some(greeting) => greeting.examples.to_vec(),
        None => table::examples(),
    };
    let example = move |key: Key| {
        let say = move |_| {
            talk.say(Lang::now().say(key));
        };
        view! {
            <li>
                <button type="button" class="chat-example" on:click=say>{key}</button>
            </li>
        }
    };
    view! {
        <div class="chat-welcome">
            <span class="chat-mark" aria-hidden="true"></span>
            <h2>{title}</h2>
            <p>{hint}</p>
            <ul class="chat-examples" aria-label=Key::ChatExamples>
                {move || examples().into_iter().map(example).collect_view()}
            </ul>
            <p class="hint">{Key::ChatKept}</p>
        </div>
    }
}
