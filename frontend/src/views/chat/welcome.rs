//! What stands where nothing was said yet: a greeting, and sentences to begin with.

use leptos::prelude::*;

use super::current;
use crate::chat::talk::Talk;
use crate::page::page;
use crate::text::Key;

/// What greets, what it can do, and examples of it.
fn greeting(assistant: &str) -> (Key, Key, &'static [Key]) {
    match assistant {
        "illustrations" => (
            Key::ChatWelcomePictures,
            Key::ChatWelcomePicturesHint,
            &[Key::ChatExCards, Key::ChatExCardsMore, Key::ChatExCardsTitle],
        ),
        "navigation" => (
            Key::ChatWelcomeWay,
            Key::ChatWelcomeWayHint,
            &[Key::ChatExWay, Key::ChatExWayTraffic, Key::ChatExWayCompare],
        ),
        _ => (
            Key::ChatWelcome,
            Key::ChatWelcomeHint,
            &[Key::ChatExBook, Key::ChatExCards, Key::ChatExWay, Key::ChatExForm],
        ),
    }
}

/// The greeting of the assistant that is chosen.
#[component]
pub(super) fn Welcome() -> impl IntoView {
    let page = page();
    let talk: Talk = expect_context();
    let own = Memo::new(move |_| greeting(&current(talk).map(|it| it.name).unwrap_or_default()));
    let example = move |key: &'static Key| {
        let say = move |_| {
            talk.say(page.lang.get_untracked().say(*key));
        };
        view! {
            <li>
                <button type="button" class="chat-example" on:click=say>
                    {move || page.say(*key)}
                </button>
            </li>
        }
    };
    view! {
        <div class="chat-welcome">
            <span class="chat-mark" aria-hidden="true"></span>
            <h2>{move || page.say(own.get().0)}</h2>
            <p>{move || page.say(own.get().1)}</p>
            <ul class="chat-examples" aria-label=move || page.say(Key::ChatExamples)>
                {move || own.get().2.iter().map(example).collect_view()}
            </ul>
            <p class="hint">{move || page.say(Key::ChatKept)}</p>
        </div>
    }
}
