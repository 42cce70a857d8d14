//! A conversation, or a list of them, drawn where a tool put it out: small, live, with a way to all of it.

use std::time::Duration;

use leptos::prelude::*;
use output::conversations::{ChatMessage, Conversations, Transcript};

use super::parts::{Chip, Now, Who};
use super::row::{Row, turns};
use super::transcript::Bubble;
use crate::browser;
use crate::families::conversations::live::Live;
use crate::families::conversations::look;
use crate::families::conversations::place::At;
use crate::families::conversations::watch::Watch;
use crate::route::Spot;
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};

/// Messages drawn: the latest.
const MESSAGES_MAX: usize = 4;
/// Conversations that are drawn at most.
const ROWS_MAX: usize = 20;

/// One conversation as a card.
#[component]
pub(crate) fn TalkInline(told: Transcript) -> impl IntoView {
    let id = told.conversation.conversation_id.clone();
    let href = At::Conversation(id.clone()).hash();
    let watch = Watch::new(&id, Some(told));
    if let Some(subscriptions) = use_context::<Subscriptions>() {
        watch.stay(subscriptions);
    }
    let title = format!("talk-inline-{}", browser::next_number());
    let labelled = title.clone();
    let own = Memo::new(move |_| watch.read(|it| it.told.conversation.clone()).unwrap_or_default());
    let state = Memo::new(move |_| own.with(|it| (it.state, it.paused_at.is_some())));
    let purpose = move || own.with(|it| look::purpose(it, Lang::spoken()));
    let counts = move || {
        own.with(|it| {
            let messages = Key::TalkMessages.fill(&[&it.messages.to_string()]);
            format!("{} · {messages}", turns(it))
        })
    };
    let members = Memo::new(move |_| {
        own.with(|it| it.members.iter().map(|it| it.agent_id.clone()).collect::<Vec<_>>())
    });
    let who = move |agent_id: String| {
        let conversation = own.get_untracked();
        view! { <Who agent_id conversation/> }
    };
    let latest = Memo::new(move |_| watch.read(latest).unwrap_or_default());
    let message = move |message: ChatMessage| {
        let conversation = own.get_untracked();
        let read = Signal::stored(message.read_at.clone());
        let last = Signal::derive(move || own.with(|it| u64::from(it.messages)));
        view! { <Bubble message conversation read last/> }
    };
    view! {
        <section class="talk-inline" aria-labelledby=labelled>
            <p class="talk-row-head">
                {move || {
                    let (state, is_paused) = state.get();
                    view! { <Chip state is_paused/> }
                }}
                <b class="talk-purpose" id=title>{purpose}</b>
            </p>
            <p class="talk-row-who">
                {move || members.get().into_iter().map(who).collect_view()}
                <span class="talk-counts">{counts}</span>
            </p>
            <ol class="talk-messages is-small">
                <For each=move || latest.get() key=|it| (it.id.clone(), it.read_at.is_some())
                    children=message/>
            </ol>
            <a class="talk-open" href=href>{Key::TalkOpen}</a>
        </section>
    }
}

fn latest(live: &Live) -> Vec<ChatMessage> {
    let all = &live.told.messages;
    all[all.len().saturating_sub(MESSAGES_MAX)..].to_vec()
}

/// Several, as they were when the tool was called.
#[component]
pub(crate) fn TalksInline(talks: Conversations) -> impl IntoView {
    Now::every(Duration::from_secs(30));
    let count = talks.conversations.len();
    if count == 0 {
        return any_view! { <p class="empty">{Key::TalkNone}</p> };
    }
    let left_out = count.saturating_sub(ROWS_MAX);
    let row = |conversation| view! { <li><Row conversation/></li> };
    any_view! {
        <ol class="talks-list">
            {talks.conversations.into_iter().take(ROWS_MAX).map(row).collect_view()}
        </ol>
        {(left_out > 0).then(|| view! {
            <p class="hint">{move || Key::Truncated.fill(&[&left_out.to_string()])}</p>
        })}
    }
}
