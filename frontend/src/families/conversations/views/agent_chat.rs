//! A chat with an agent: its head, the log, which follows new messages while the reader is at its end, and the
//! composer.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html;
use leptos::prelude::*;
use output::conversations::{AgentKind, ChatStatus};
use output::text::is_blank;

use super::agent_card::status;
use crate::browser;
use crate::call::Loaded;
use crate::dates;
use crate::families::conversations::agents::AgentsState;
use crate::families::conversations::agents::chat::{
    self, Chat, Delivery, Fault, MESSAGE_MAX, MESSAGE_NEAR, Outgoing,
};
use crate::families::conversations::agents::line::Line;
use crate::families::conversations::place::{Agents, Seat};
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::{Key, Lang};
use crate::views::chat::markdown::Markdown;
use crate::views::notice::{Empty, Notice, Skeleton};

/// Whether there is a chat to draw.
#[derive(Clone, PartialEq)]
enum Stage {
    Loading,
    Failed(crate::error::CallError),
    Gone,
    Human,
    Chat,
}

#[component]
pub(crate) fn LineView(seat: Seat) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let agent = Memo::new({
        let seat = seat.clone();
        move |_| agents_state.agent(&seat)
    });
    let stage = Memo::new(move |_| {
        let agent = agent.get();
        agents_state.projects.with(|it| match (it, agent) {
            (Loaded::Loading, _) => Stage::Loading,
            (Loaded::Failed(error), _) => Stage::Failed(error.clone()),
            (Loaded::Ready(_), None) => Stage::Gone,
            (Loaded::Ready(_), Some(it)) if it.agent.kind == AgentKind::Human => Stage::Human,
            (Loaded::Ready(_), Some(_)) => Stage::Chat,
        })
    });
    let fallback = seat.agent.clone();
    let name = Memo::new(move |_| {
        agent.with(|it| it.as_ref().map_or_else(|| fallback.clone(), |it| it.agent.name.clone()))
    });
    let retry = Callback::new(move |()| agents_state.retry());
    browser::focus_soon("stage");
    view! {
        <div class="agent-chat">
            <p><a class="back" href=Agents(None).hash()>{Key::AgentsBack}</a></p>
            <h1 tabindex="-1" id="stage">{move || name.get()}</h1>
            {move || match stage.get() {
                Stage::Loading => any_view! { <Skeleton lines=6/> },
                Stage::Failed(error) => any_view! { <Notice error on_retry=retry/> },
                Stage::Gone => any_view! { <Empty title=Key::AgentGone hint=Key::AgentGoneHint/> },
                Stage::Human => any_view! { <Empty title=Key::AgentIsHuman/> },
                Stage::Chat => any_view! { <Talk seat=seat.clone() name/> },
            }}
        </div>
    }
}

#[component]
fn Talk(seat: Seat, name: Memo<String>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let line = Line::open(agents_state, seat);
    provide_context(line);
    view! {
        <Status name/>
        <Log name/>
        <Composer name/>
    }
}

/// The agent's presence, and buttons to call or dismiss it.
#[component]
fn Status(name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let state = Memo::new(move |_| line.status());
    let is_outside = Memo::new(move |_| {
        let seat = line.seat.get_value();
        line.agents_state.agent(&seat).is_some_and(|it| it.agent.assistant.is_none())
    });
    let text = move || {
        let key = match state.get() {
            ChatStatus::Connected => Key::AgentStatusConnected,
            ChatStatus::Connecting => Key::AgentStatusConnecting,
            ChatStatus::Disconnected if is_outside.get() => Key::AgentStatusDisconnected,
            ChatStatus::Disconnected => Key::AgentStatusReady,
        };
        key.fill(&[&name.get()])
    };
    // Announced on changes, but not on arrival.
    Effect::new(move |before: Option<ChatStatus>| {
        let now = state.get();
        if before.is_some_and(|it| it != now) {
            // A hosted agent that answers at any time has still left the chat.
            match now == ChatStatus::Disconnected && !is_outside.get_untracked() {
                true => page().announce_key(Key::AgentChatEnding),
                false => page().announce(untrack(text)),
            }
        }
        now
    });
    let is_waiting = move || is_outside.get() && state.get() == ChatStatus::Connecting;
    let is_off = move || state.get() == ChatStatus::Disconnected;
    view! {
        <div class="agent-status" role="group" aria-label=Key::State>
            <p>
                <span class=move || status(state.get()).1 aria-hidden="true"></span>
                <span id="agent-status">{text}</span>
            </p>
            {move || if is_off() {
                any_view! {
                    <button type="button" class="quiet small" id="agent-start"
                        aria-disabled=move || line.is_acting.get().then_some("true")
                        on:click=move |_| line.start()>{Key::AgentStart}</button>
                }
            } else {
                any_view! {
                    <button type="button" class="quiet small" id="agent-end"
                        aria-disabled=move || line.is_acting.get().then_some("true")
                        on:click=move |_| line.end()>{Key::AgentEnd}</button>
                }
            }}
        </div>
        {move || is_waiting().then(|| view! { <p class="hint">{Key::AgentStatusOutside}</p> })}
        {move || line.refused.get().map(|error| view! { <Notice error/> })}
    }
}

/// The composer of a chat with an agent.
#[component]
pub(super) fn Composer(name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        send(line);
    };
    let keydown = move |event: KeyboardEvent| {
        // Enter that ends input-method composition is not ours.
        if browser::is_composing(&event) {
            return;
        }
        if event.key() == "Enter" && !event.shift_key() && !event.alt_key() {
            event.prevent_default();
            send(line);
        }
    };
    let input = move |event| {
        line.draft.set(event_target_value(&event));
        if line.fault.get_untracked().is_some() {
            line.fault.set(chat::fault(&line.draft.get_untracked()).filter(is_long));
        }
        line.keep();
    };
    let count = Memo::new(move |_| line.draft.with(|it| chat::length(it)));
    let invalid = move || (count.get() > MESSAGE_MAX).then_some("true");
    let is_empty = Memo::new(move |_| line.draft.with(|it| is_blank(it)));
    let counted = move || {
        let number = dates::number(count.get() as f64, Lang::spoken());
        Key::AgentCount.fill(&[&number])
    };
    let fault = move || match line.fault.get()? {
        Fault::TooLong(excess) => {
            let excess = dates::number(excess as f64, Lang::spoken());
            Some(Key::AgentTooLong.fill(&[&excess]))
        }
        Fault::Empty => None,
    };
    view! {
        <form class="agent-composer" on:submit=submit>
            <label class="only-heard" for="agent-input">
                {move || Key::AgentMessageTo.fill(&[&name.get()])}
            </label>
            // The hidden copy gives both the height of the text. The text is never truncated; excess is announced.
            <div class="chat-grow" data-text=move || line.draft.get()>
                <textarea id="agent-input" rows="1" enterkeyhint="send"
                    aria-describedby="agent-keys agent-count agent-fault" aria-invalid=invalid
                    placeholder=move || Key::AgentMessageTo.fill(&[&name.get()])
                    prop:value=move || line.draft.get()
                    on:input=input on:keydown=keydown></textarea>
            </div>
            <p class="error" role="alert" id="agent-fault">{fault}</p>
            <div class="agent-tools">
                <span class="hint" id="agent-keys">{Key::SendKeys}</span>
                <span id="agent-count" class="hint agent-count"
                    class:is-near=move || { count.get() >= MESSAGE_NEAR }
                    class:is-over=move || { count.get() > MESSAGE_MAX }>{counted}</span>
                <button type="submit" class="main-action" id="agent-send"
                    disabled=move || is_empty.get()>{Key::Send}</button>
            </div>
        </form>
    }
}

fn is_long(fault: &Fault) -> bool {
    *fault != Fault::Empty
}

/// Sends and keeps the focus in the composer.
fn send(line: Line) {
    line.send();
    browser::focus_soon("agent-input");
}

/// Distance in pixels from the end of the log that counts as the end.
const NEAR_PX: i32 = 60;

/// The messages of the chat.
#[component]
pub(super) fn Log(name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let log = NodeRef::<html::Div>::new();
    follow(line, log);
    let sequences = Memo::new(move |_| {
        line.chat.with(|it| it.messages.iter().map(|it| it.sequence).collect::<Vec<_>>())
    });
    let outgoing = Memo::new(move |_| {
        let ids = |it: &Outgoing| it.unsent.client_id.clone();
        line.chat.with(|it| it.outgoing.iter().map(ids).collect::<Vec<_>>())
    });
    let is_empty = Memo::new(move |_| line.chat.with(Chat::is_empty));
    let error = Memo::new(move |_| line.error.get());
    let retry = Callback::new(move |()| line.load());
    view! {
        {move || error.get().map(|error| view! { <Notice error on_retry=retry/> })}
        // New messages are announced by the page's live region.
        <div class="agent-log" role="log" aria-live="off" tabindex="0" node_ref=log
            aria-label=move || Key::AgentLog.fill(&[&name.get()])
            aria-busy=move || (!line.is_here.get()).to_string()
            on:scroll=move |_| {
                let is_there = log.get_untracked().is_none_or(|it| is_near_end(&it));
                if line.is_at_end.get_untracked() != is_there {
                    line.is_at_end.set(is_there);
                }
            }>
            <Top log/>
            {move || (is_empty.get() && line.is_here.get()).then(|| view! {
                <Empty title=Key::AgentNothing hint=Key::AgentNothingHint/>
            })}
            <For each=move || sequences.get() key=|it| *it
                children=move |sequence| view! { <StoredMessage sequence name/> }/>
            <For each=move || outgoing.get() key=Clone::clone
                children=move |client_id| view! { <OutgoingMessage client_id/> }/>
        </div>
    }
}

/// The button for earlier messages.
#[component]
fn Top(log: NodeRef<html::Div>) -> impl IntoView {
    let line: Line = expect_context();
    let has_older = Memo::new(move |_| line.chat.with(|it| it.has_older));
    let is_begun = Memo::new(move |_| line.chat.with(|it| it.messages.len() > 20));
    // Earlier messages push the view down, which is compensated by scrolling.
    let older = move |_| {
        let before = log.get_untracked().map_or(0, |it| it.scroll_height());
        line.older(move || {
            request_animation_frame(move || {
                if let Some(log) = log.try_get_untracked().flatten() {
                    log.set_scroll_top(log.scroll_top() + log.scroll_height() - before);
                }
            });
        });
    };
    move || {
        if !line.is_here.get() {
            return any_view! { <Skeleton lines=4/> };
        }
        if has_older.get() {
            return any_view! {
                <button type="button" class="quiet small agent-older" on:click=older
                    aria-disabled=move || line.is_older_coming.get().then_some("true")>
                    {move || if line.is_older_coming.get() { Key::Loading } else { Key::AgentOlder }.say()}
                </button>
            };
        }
        is_begun
            .get()
            .then(|| view! { <p class="hint agent-begins">{Key::AgentBegins}</p> })
            .into_any()
    }
}

fn is_near_end(log: &web_sys::HtmlDivElement) -> bool {
    log.scroll_height() - log.client_height() - log.scroll_top() <= NEAR_PX
}

/// Keeps the end in view, unless the reader scrolled away; initially shows the first unread message.
fn follow(line: Line, log: NodeRef<html::Div>) {
    let last = Memo::new(move |_| {
        line.chat.with(|it| (it.messages.last().map(|it| it.sequence), it.outgoing.len()))
    });
    Effect::new(move |before: Option<bool>| {
        last.track();
        let is_here = line.is_here.get();
        let is_first = before == Some(false) && is_here;
        if line.is_at_end.get_untracked() {
            request_animation_frame(move || {
                let Some(log) = log.try_get_untracked().flatten() else { return };
                let mark = log.query_selector(".agent-mark").ok().flatten();
                match mark.filter(|_| is_first) {
                    Some(mark) => mark.scroll_into_view(),
                    None => log.set_scroll_top(log.scroll_height()),
                }
            });
        }
        is_here
    });
}

/// A message stored by the host.
#[component]
pub(super) fn StoredMessage(sequence: u64, name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let message = Memo::new(move |_| {
        line.chat.with(|it| it.messages.iter().find(|it| it.sequence == sequence).cloned())
    });
    let is_own = line.chat.with_untracked(|chat| {
        chat.messages.iter().find(|it| it.sequence == sequence).is_some_and(|own| chat.is_own(own))
    });
    let is_marked = Memo::new(move |_| line.chat.with(|it| it.mark == Some(sequence)));
    let who = move || match is_own {
        true => Key::AgentYouAt.say().to_owned(),
        false => name.get(),
    };
    let time = Memo::new(move |_| message.get().map(|it| it.timestamp).unwrap_or_default());
    let text = Signal::derive(move || message.get().map(|it| it.content).unwrap_or_default());
    // The day is shown if it differs from the previous message's.
    let is_new_day = Memo::new(move |_| {
        let before = line.chat.with(|chat| {
            let before = chat.messages.iter().rev().find(|it| it.sequence < sequence);
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
                <time datetime=move || time.get()>{moment}</time>
            </p>
            // People's messages are plain text; programs' are Markdown.
            {match is_own {
                true => any_view! { <p class="agent-text">{text}</p> },
                false => any_view! { <div class="agent-text"><Markdown text is_open=false/></div> },
            }}
            {is_own.then(|| view! { <p class="agent-receipt">{receipt}</p> })}
        </article>
    }
}

/// An outgoing message of the reader's.
#[component]
pub(super) fn OutgoingMessage(client_id: String) -> impl IntoView {
    let line: Line = expect_context();
    let id = StoredValue::new(client_id);
    let own = Memo::new(move |_| {
        let has_id = |it: &&Outgoing| id.with_value(|id| it.unsent.client_id == *id);
        line.chat.with(|it| it.outgoing.iter().find(has_id).cloned())
    });
    let text = move || own.get().map(|it| it.unsent.content);
    let failed = Memo::new(move |_| match own.get()?.delivery {
        Delivery::Failed(error) => Some(error),
        _ => None,
    });
    let delivery = move || {
        let key = match own.get()?.delivery {
            Delivery::Waiting => Key::AgentWaiting,
            Delivery::Sending => Key::AgentSending,
            Delivery::Taken(_) => Key::AgentSent,
            Delivery::Failed(_) => Key::AgentFailed,
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
            <p class="agent-receipt">{delivery}</p>
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
