//! One message of a chat with an agent: who wrote it, when, and whether it was read.

use leptos::prelude::*;

use crate::dates;
use crate::families::conversations::agents::chat::Fate;
use crate::families::conversations::agents::line::Line;
use crate::text::{Key, Lang};
use crate::views::chat::markdown::Markdown;
use crate::views::notice::Notice;

/// A message that the host has.
#[component]
pub(super) fn Said(sequence: u64, name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let message = Memo::new(move |_| {
        line.chat.with(|it| it.messages.iter().find(|it| it.sequence == sequence).cloned())
    });
    let is_own = line.chat.with_untracked(|it| {
        it.messages.iter().find(|it| it.sequence == sequence).is_some_and(|own| it.is_own(own))
    });
    let is_marked = Memo::new(move |_| line.chat.with(|it| it.mark == Some(sequence)));
    let who = move || match is_own {
        true => Key::AgentYouAt.say().to_owned(),
        false => name.get(),
    };
    let time = Memo::new(move |_| message.get().map(|it| it.timestamp).unwrap_or_default());
    let text = Signal::derive(move || message.get().map(|it| it.content).unwrap_or_default());
    // The day stands where it is another than that of the message before.
    let is_new_day = Memo::new(move |_| {
        let before = line.chat.with(|it| {
            let before = it.messages.iter().rev().find(|it| it.sequence < sequence);
            before.map(|it| it.timestamp.clone())
        });
        before.is_none_or(|it| !dates::are_of_one_day(&it, &time.get()))
    });
    let moment = move || match is_new_day.get() {
        true => dates::moment(&time.get(), Lang::spoken()),
        false => dates::clock_of_moment(&time.get(), Lang::spoken()),
    };
    let receipt = move || {
        let read_at = message.get()?.read_at;
        Some(match read_at {
            Some(at) => Key::AgentReadAt.fill(&[&dates::moment(&at, Lang::spoken())]),
            None => Key::AgentSent.say().to_owned(),
        })
    };
    let class = if is_own { "agent-message is-own" } else { "agent-message" };
    view! {
        {move || is_marked.get().then(|| view! {
            <p class="agent-mark"><span>{Key::AgentNewHere}</span></p>
        })}
        <article class=class aria-label=who>
            <p class="agent-by">
                <b>{who}</b>
                <time datetime=move || time.get()>
                    {moment}
                </time>
            </p>
            // People write as they like; what programs write is Markdown.
            {match is_own {
                true => view! { <p class="agent-text">{text}</p> }.into_any(),
                false => view! { <div class="agent-text"><Markdown text is_open=false/></div> }
                    .into_any(),
            }}
            {is_own.then(|| view! { <p class="agent-receipt">{receipt}</p> })}
        </article>
    }
}

/// A message of the reader's on its way.
#[component]
pub(super) fn Own(client_id: String) -> impl IntoView {
    let line: Line = expect_context();
    let id = StoredValue::new(client_id);
    let own = Memo::new(move |_| {
        let is_it = |it: &&crate::families::conversations::agents::chat::Outgoing| {
            id.with_value(|id| it.unsent.client_id == *id)
        };
        line.chat.with(|it| it.outgoing.iter().find(is_it).cloned())
    });
    let text = move || own.get().map(|it| it.unsent.content);
    let failed = Memo::new(move |_| match own.get()?.fate {
        Fate::Failed(error) => Some(error),
        _ => None,
    });
    let fate = move || {
        let key = match own.get()?.fate {
            Fate::Waiting => Key::AgentWaiting,
            Fate::Sending => Key::AgentSending,
            Fate::Taken(_) => Key::AgentSent,
            Fate::Failed(_) => Key::AgentFailed,
        };
        Some(key.say())
    };
    let class = move || match failed.with(Option::is_some) {
        true => "agent-message is-own is-failed",
        false => "agent-message is-own is-coming",
    };
    view! {
        <article class=class aria-label=Key::AgentYouAt>
            <p class="agent-text">{text}</p>
            <p class="agent-receipt">{fate}</p>
            {move || failed.get().map(|error| view! {
                <Notice error/>
                <div class="actions">
                    <button type="button" class="quiet small" on:click=move |_| line.again()>
                        {Key::AgentAgain}
                    </button>
                    <button type="button" class="plain small"
                        on:click=move |_| line.withdraw(&id.get_value())>{Key::AgentWithdraw}</button>
                </div>
            })}
        </article>
    }
}
