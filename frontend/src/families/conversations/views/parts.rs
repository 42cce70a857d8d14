//! Shared parts of conversation views: signs, chips, ages, and list rows.

use std::time::Duration;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use output::conversations::{Conversation, State};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::browser;
use crate::dates;
use crate::families::conversations::list::ConversationList;
use crate::families::conversations::place::At;
use crate::families::conversations::{look, timeline};
use crate::route::FamilyRoute;
use crate::text::{Key, Lang};
use crate::views::notice::Notice;

/// The current time for ages, updated while the view exists.
#[derive(Clone, Copy)]
pub(super) struct Now(pub(super) RwSignal<f64>);

impl Now {
    /// Updates the time at this interval for all views below.
    pub(super) fn every(time: Duration) {
        let now = RwSignal::new(browser::now_ms());
        provide_context(Self(now));
        let tick = move || {
            if browser::is_visible() {
                now.set(browser::now_ms());
            }
        };
        if let Ok(clock) = set_interval_with_handle(tick, time) {
            on_cleanup(move || clock.clear());
        }
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn get() -> f64 {
        use_context::<Self>().map_or_else(browser::now_ms, |it| it.0.get())
    }
}

/// A sign of 16 by 16 units.
#[component]
pub(super) fn Sign(path: &'static str) -> impl IntoView {
    view! {
        <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d=path></path></svg>
    }
}

/// State of a conversation: colour, sign and label.
#[component]
pub(super) fn Chip(state: State, is_paused: bool) -> impl IntoView {
    let (class, sign, key) = look::state(state);
    let paused = is_paused && state.is_open();
    view! {
        <span class=format!("talk-chip {class}")><Sign path=sign/>{key}</span>
        {paused.then(|| view! {
            <span class="talk-chip is-paused">
                <Sign path="M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z"/>{Key::TalkPaused}
            </span>
        })}
    }
}

/// The sign of an agent in its colour.
#[component]
pub(super) fn Avatar(look: look::Look) -> impl IntoView {
    view! {
        <span class=format!("talk-avatar talk-tone-{}", look.tone)><Sign path=look.sign/></span>
    }
}

/// An agent's sign and name.
#[component]
pub(super) fn Who(#[prop(into)] agent_id: String, conversation: Conversation) -> impl IntoView {
    let look = look::look(&conversation, &agent_id);
    let name = move || look::name(&conversation, &agent_id, Lang::spoken());
    view! { <span class="talk-who"><Avatar look/><span class="talk-name">{name}</span></span> }
}

/// The age of a moment, with the moment itself as tooltip.
#[component]
pub(super) fn Age(at: String) -> impl IntoView {
    let (moment, title) = (at.clone(), at.clone());
    let age = move || {
        let at = timeline::instant(&moment)?;
        Some(timeline::ago(Now::get() - at, Lang::spoken()))
    };
    view! { <time datetime=at title=move || dates::moment(&title, Lang::spoken())>{age}</time> }
}

/// All rows, and the button for more.
#[component]
pub(super) fn Rows(list: ConversationList) -> impl IntoView {
    let ids = Memo::new(move |_| {
        list.listing.with(|listing| {
            let shown = listing.ready().map(|it| it.shown.as_slice()).unwrap_or_default();
            shown.iter().map(|it| it.conversation_id.clone()).collect::<Vec<_>>()
        })
    });
    let held = Memo::new(move |_| list.listing.with(|it| it.ready().map_or(0, |it| it.held)));
    let has_more = Memo::new(move |_| {
        list.listing.with(|it| it.ready().is_some_and(|it| it.next_cursor.is_some()))
    });
    let row = move |id: String| {
        let own = Memo::new(move |_| {
            list.listing.with(|listing| {
                let shown = listing.ready().map(|it| it.shown.as_slice()).unwrap_or_default();
                shown.iter().find(|it| it.conversation_id == id).cloned()
            })
        });
        view! { <li>{move || own.get().map(|conversation| view! { <Row conversation/> })}</li> }
    };
    let to_new = move |_| {
        list.let_in();
        window().scroll_to_with_x_and_y(0.0, 0.0);
        browser::focus("stage");
    };
    view! {
        <div class="talks-new">
            {move || (held.get() > 0).then(|| view! {
                <button type="button" class="small" on:click=to_new>
                    <span aria-hidden="true">"↑"</span>
                    {move || Key::TalkNew.fill(&[&held.get().to_string()])}
                </button>
            })}
        </div>
        <ol class="talks-list" aria-label=Key::TalkList on:keydown=walk>
            <For each=move || ids.get() key=|id| id.clone() children=row/>
        </ol>
        <div class="actions">
            <p class="count" id="talks-count" tabindex="-1">
                {move || Key::TalkCount.fill(&[&ids.with(Vec::len).to_string()])}
            </p>
            {move || has_more.get().then(|| {
                browser::hand_on("#talks-more", "talks-count");
                view! {
                    <button type="button" class="quiet" id="talks-more" on:click=move |_| list.more()>
                        {Key::ShowMore}
                    </button>
                }
            })}
        </div>
        {move || list.no_more.get().map(|error| view! { <Notice error/> })}
    }
}

/// Moves the focus between rows by arrow keys, Home and End.
fn walk(event: KeyboardEvent) {
    let target = event.target().and_then(|it| it.dyn_into::<HtmlElement>().ok());
    let row = target.as_ref().and_then(|it| it.closest("li").ok().flatten());
    let list = row.as_ref().and_then(|it| it.parent_element());
    let (Some(row), Some(list)) = (row, list) else { return };
    let next = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        "Home" => list.first_element_child(),
        "End" => list.last_element_child(),
        _ => return,
    };
    let link = next.and_then(|it| it.query_selector("a").ok().flatten());
    if let Some(link) = link.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        let _ = link.focus();
    }
}

/// Number of turns, and their limit.
pub(super) fn turns(conversation: &Conversation) -> String {
    let turns = conversation.turns.to_string();
    match conversation.max_turns {
        Some(most) => Key::TalkTurnsOf.fill(&[&turns, &most.to_string()]),
        None => Key::TalkTurns.fill(&[&turns]),
    }
}

/// A conversation in one or two lines.
#[component]
pub(super) fn Row(conversation: Conversation) -> impl IntoView {
    let href = At::Conversation(conversation.conversation_id.clone()).hash();
    let (state, is_paused) = (conversation.state, conversation.paused_at.is_some());
    let at = conversation.last_message_at.as_ref().unwrap_or(&conversation.created_at).clone();
    let who = |agent_id: String| {
        let conversation = conversation.clone();
        view! { <Who agent_id conversation/> }
    };
    let members: Vec<String> = conversation.members.iter().map(|it| it.agent_id.clone()).collect();
    let members = members.into_iter().map(who).collect_view();
    let own = StoredValue::new(conversation);
    let purpose = move || own.with_value(|it| look::purpose(it, Lang::spoken()));
    let counts = move || {
        own.with_value(|conversation| {
            let messages = Key::TalkMessages.fill(&[&conversation.messages.to_string()]);
            format!("{} · {messages}", turns(conversation))
        })
    };
    let last = move || {
        let last = own.with_value(|it| it.last_message.clone()).filter(|it| !it.is_empty());
        last.unwrap_or_else(|| Key::TalkNothingSaid.say().to_owned())
    };
    view! {
        <a class="talk-row" href=href>
            <span class="talk-row-head">
                <Chip state is_paused/>
                <span class="talk-purpose">{purpose}</span>
                <Age at/>
            </span>
            <span class="talk-row-who">{members}<span class="talk-counts">{counts}</span></span>
            <span class="talk-last">{last}</span>
        </a>
    }
}
