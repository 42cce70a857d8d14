//! Views of conversations between agents, and live previews of them for tool outputs.

mod agent_card;
pub(crate) mod agent_chat;
pub(crate) mod agents;
mod bar;
mod define;
mod fields;
mod parts;
mod place;
mod step_in;
mod transcript;

use std::time::Duration;

use leptos::prelude::*;
use output::conversations::{ChatMessage, Conversations, Transcript};

use super::list::ConversationList;
use super::live::Live;
use super::look;
use super::place::At;
use super::watch::Watch;
use crate::browser;
use crate::call::Loaded;
use crate::page::page;
use crate::route::FamilyRoute;
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, Skeleton};
use bar::{Bar, Nothing};
use parts::{Chip, Now, Row, Rows, Who, turns};
use transcript::{Bubble, ending};

pub(crate) use place::ConversationPlace;

/// Scroll distance in pixels from which the list must not move.
const AWAY_PX: f64 = 160.0;

#[component]
pub(crate) fn ConversationsView() -> impl IntoView {
    let subscriptions: Subscriptions = expect_context();
    let filter = match page().route.with_untracked(At::from_route) {
        Some(At::List(filter)) => filter,
        _ => Default::default(),
    };
    let list = ConversationList::new(filter);
    list.stay(subscriptions);
    Now::every(Duration::from_secs(5));
    Effect::new(move |_| {
        if let Some(At::List(filter)) = page().route.with(At::from_route) {
            untrack(|| list.follow(filter));
        }
    });
    notice_where(list);
    browser::focus_soon("stage");
    let retry = Callback::new(move |()| {
        list.listing.set(Loaded::Loading);
        list.anew();
    });
    let stage = Memo::new(move |_| {
        let is_all = list.filter.with(|it| it.is_empty());
        list.listing.with(|it| match it {
            Loaded::Loading => Stage::Loading,
            Loaded::Failed(_) => Stage::Failed,
            Loaded::Ready(listing) if !listing.shown.is_empty() => Stage::Rows,
            Loaded::Ready(_) if is_all => Stage::Nothing,
            Loaded::Ready(_) => Stage::NoneFit,
        })
    });
    view! {
        <div class="talks">
            <header class="talks-head">
                <h1 tabindex="-1" id="stage">{Key::TalkTitle}</h1>
                <p class="hint">{Key::TalkHint}</p>
            </header>
            <Bar list/>
            {move || match stage.get() {
                Stage::Loading => any_view! { <Skeleton lines=6/> },
                Stage::Failed => {
                    let error = list.listing.with_untracked(|it| match it {
                        Loaded::Failed(error) => Some(error.clone()),
                        _ => None,
                    });
                    error.map(|error| view! { <Notice error on_retry=retry/> }).into_any()
                }
                Stage::Rows => any_view! { <Rows list/> },
                Stage::Nothing => any_view! { <Nothing list/> },
                Stage::NoneFit => any_view! { <p class="empty">{Key::TalkNoneFit}</p> },
            }}
        </div>
    }
}

/// What is shown below the filter.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Loading,
    Failed,
    Rows,
    Nothing,
    NoneFit,
}

/// Tracks whether the reader is at the beginning of the list.
fn notice_where(list: ConversationList) {
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| {
        let is_away = window().scroll_y().unwrap_or_default() > AWAY_PX;
        if list.is_away.get_untracked() != is_away {
            list.is_away.set(is_away);
            let has_held =
                list.listing.with_untracked(|it| it.ready().is_some_and(|it| it.held > 0));
            if !is_away && has_held {
                list.renew();
            }
        }
    });
    on_cleanup(move || scrolled.remove());
}

/// Number of messages drawn; the latest are.
const MESSAGES_MAX: usize = 4;
/// Maximum number of conversations drawn.
const ROWS_MAX: usize = 20;

#[component]
pub(crate) fn TalkInline(transcript: Transcript) -> impl IntoView {
    let id = transcript.conversation.conversation_id.clone();
    let href = At::Conversation(id.clone()).hash();
    let watch = Watch::new(&id, Some(transcript));
    if let Some(subscriptions) = use_context::<Subscriptions>() {
        watch.stay(subscriptions);
    }
    let title = format!("talk-inline-{}", browser::next_number());
    let labelled = title.clone();
    let own =
        Memo::new(move |_| watch.read(|it| it.transcript.conversation.clone()).unwrap_or_default());
    let state = Memo::new(move |_| own.with(|it| (it.state, it.paused_at.is_some())));
    let purpose = move || own.with(|it| look::purpose(it, Lang::spoken()));
    let counts = move || {
        own.with(|conversation| {
            let messages = Key::TalkMessages.fill(&[&conversation.messages.to_string()]);
            format!("{} · {messages}", turns(conversation))
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
            {move || own.with(ending).map(|it| view! { <p class="talk-reason">{it}</p> })}
            <a class="talk-open" href=href>{Key::TalkOpen}</a>
        </section>
    }
}

fn latest(live: &Live) -> Vec<ChatMessage> {
    let all = &live.transcript.messages;
    all[all.len().saturating_sub(MESSAGES_MAX)..].to_vec()
}

/// Several conversations, as they were when the tool was called.
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
