//! The conversation, message by message: it follows what comes for as long as the reader is at its end.

use leptos::html;
use leptos::prelude::*;
use output::conversations::{ChatMessage, Conversation};

use super::parts::Avatar;
use crate::browser;
use crate::dates;
use crate::families::conversations::live::Live;
use crate::families::conversations::look::{self, Side};
use crate::families::conversations::watch::Watch;
use crate::text::{Key, Lang};

/// How near to its end the log counts as there, in pixels.
const NEAR_PX: i32 = 48;

/// The messages of the conversation.
#[component]
pub(super) fn TranscriptView(watch: Watch) -> impl IntoView {
    let log = NodeRef::<html::Div>::new();
    let numbers = Memo::new(move |_| {
        let all = |it: &Live| it.told.messages.iter().map(|it| it.sequence).collect::<Vec<_>>();
        watch.read(all).unwrap_or_default()
    });
    let has_older = Memo::new(move |_| watch.read(|it| it.told.has_older).unwrap_or_default());
    follow(watch, log, numbers);
    let top_before = StoredValue::new(0);
    let scrolled = move |_| {
        let Some(element) = log.get_untracked() else { return };
        let (is_there, top) = (is_near_end(&element), element.scroll_top());
        // A log that grew is no reader who went away: they go upwards.
        let is_leaving = !is_there && top < top_before.get_value();
        top_before.set_value(top);
        if is_there != watch.is_at_end.get_untracked() && (is_there || is_leaving) {
            watch.is_at_end.set(is_there);
        }
        if is_there && watch.unseen.get_untracked() > 0 {
            watch.unseen.set(0);
        }
    };
    view! {
        <section class="talk-says" aria-labelledby="talk-says">
            <h2 id="talk-says" class="section-title">
                {Key::TalkLog}
                <span class="count">
                    {move || Key::TalkMessages.fill(&[&count(watch).to_string()])}
                </span>
            </h2>
            // The page's one voice says now and then how many came; the log itself keeps silent.
            <div class="talk-log" id="talk-log" role="log" aria-live="off" tabindex="0" node_ref=log
                aria-labelledby="talk-says" on:scroll=scrolled>
                {move || if has_older.get() {
                    any_view! { <Older watch log/> }
                } else if numbers.with(Vec::is_empty) {
                    any_view! { <p class="empty">{Key::TalkEmpty}</p> }
                } else {
                    any_view! { <p class="talk-beginning hint">{Key::TalkBeginning}</p> }
                }}
                <ol class="talk-messages">
                    <For each=move || numbers.get() key=|number| *number
                        children=move |number| view! { <MessageView watch number/> }/>
                </ol>
            </div>
            <Latest watch log/>
        </section>
    }
}

fn count(watch: Watch) -> u64 {
    let last = |it: &Live| {
        let drawn = it.told.messages.last().map_or(0, |it| it.sequence);
        drawn.max(u64::from(it.told.conversation.messages))
    };
    watch.read(last).unwrap_or_default()
}

fn is_near_end(log: &web_sys::HtmlDivElement) -> bool {
    log.scroll_height() - log.client_height() - log.scroll_top() <= NEAR_PX
}

fn to_end(log: &web_sys::HtmlDivElement) {
    log.set_scroll_top(log.scroll_height());
}

/// Keeps the end in sight while messages come, unless the reader went away from it.
fn follow(watch: Watch, log: NodeRef<html::Div>, numbers: Memo<Vec<u64>>) {
    let last = Memo::new(move |_| numbers.with(|it| it.last().copied()));
    Effect::new(move |_| {
        // Read and not only tracked: a memo that is not read is never worked out.
        let _ = last.get();
        if watch.is_at_end.get_untracked() {
            request_animation_frame(move || {
                if let Some(Some(log)) = log.try_get_untracked() {
                    to_end(&log);
                }
            });
        }
    });
}

/// What came before, on demand; what is being read stays where it is.
#[component]
fn Older(watch: Watch, log: NodeRef<html::Div>) -> impl IntoView {
    let older = move |_| {
        let Some(element) = log.get_untracked() else { return };
        let (height, top) = (element.scroll_height(), element.scroll_top());
        watch.read_back(move || {
            request_animation_frame(move || {
                let grown = element.scroll_height() - height;
                element.set_scroll_top(top + grown);
                browser::focus_if_lost("talk-log");
            });
        });
    };
    view! {
        <p class="talk-older">
            <button type="button" class="quiet small" on:click=older
                aria-disabled=move || watch.is_reading_back.get().then_some("true")>{Key::TalkOlder}</button>
        </p>
    }
}

/// The way back to the end, and how much came meanwhile.
#[component]
fn Latest(watch: Watch, log: NodeRef<html::Div>) -> impl IntoView {
    let back = move |_| {
        watch.unseen.set(0);
        watch.is_at_end.set(true);
        if let Some(log) = log.get_untracked() {
            to_end(&log);
            browser::focus("talk-log");
        }
    };
    let text = move || match watch.unseen.get() {
        0 => Key::ToLatest.say().to_owned(),
        count => Key::TalkNew.fill(&[&count.to_string()]),
    };
    let class = move || if watch.unseen.get() > 0 { "small" } else { "quiet small" };
    view! {
        <div class="talk-latest">
            {move || watch.is_pacing.get().then(|| view! {
                <button type="button" class="quiet small" on:click=move |_| {
                    watch.hurry();
                    browser::focus("talk-log");
                }>{Key::TalkShowAll}</button>
            })}
            {move || (!watch.is_at_end.get()).then(|| view! {
                <button type="button" class=class on:click=back>
                    <span aria-hidden="true">"↓"</span>{text}
                </button>
            })}
        </div>
    }
}

/// The message of that number.
#[component]
fn MessageView(watch: Watch, number: u64) -> impl IntoView {
    // Its text does not change, so it is drawn once; its receipt does.
    let own = watch.live.with_untracked(|it| {
        let live = it.here()?;
        Some((live.message(number)?.clone(), live.told.conversation.clone()))
    });
    let read = Memo::new(move |_| {
        watch.read(|it| it.message(number).and_then(|it| it.read_at.clone())).flatten()
    });
    let last = Memo::new(move |_| {
        let last = |it: &Live| it.told.messages.last().map_or(0, |it| it.sequence);
        watch.read(last).unwrap_or_default()
    });
    own.map(|(message, conversation)| {
        view! { <Bubble message conversation read=read last=last/> }
    })
}

/// A message, on the side of its writer.
#[component]
pub(super) fn Bubble(
    message: ChatMessage,
    conversation: Conversation,
    /// When it was read.
    #[prop(into)]
    read: Signal<Option<String>>,
    /// The number of the last one.
    #[prop(into)]
    last: Signal<u64>,
) -> impl IntoView {
    let look = look::look(&conversation, &message.sender_id);
    let side = match look.side {
        Side::Initiator => "is-initiator",
        Side::Participant => "is-participant",
        Side::Apart => "is-apart",
    };
    let is_apart = look.side == Side::Apart;
    let is_to_both = message.recipient_id.is_none();
    let ChatMessage { sender_id, content, timestamp, sequence, .. } = message;
    let own = StoredValue::new((conversation, sender_id));
    let name = move || own.with_value(|it| look::name(&it.0, &it.1, Lang::spoken()));
    let label = move || {
        let numbers = [sequence.to_string(), last.get().max(sequence).to_string()];
        Key::TalkSaid.fill(&[&name(), &numbers[0], &numbers[1]])
    };
    let receipt = move || match read.get() {
        Some(at) => {
            let told = dates::second(&at, Lang::spoken());
            let title = Key::TalkReadAt.fill(&[&told]);
            view! { <span class="talk-receipt is-read" title=title>"✓ "{Key::TalkRead}</span> }
        }
        None => {
            let title = String::new();
            view! { <span class="talk-receipt" title=title>"· "{Key::TalkSent}</span> }
        }
    };
    let (datetime, at) = (timestamp.clone(), timestamp);
    view! {
        <li class=format!("talk-item {side} talk-tone-{}", look.tone) data-number=sequence>
            <Avatar look/>
            <article class="talk-message" aria-label=label>
                <p class="talk-by">
                    <span class="talk-name">{name}</span>
                    {is_apart.then(|| view! { <span class="talk-person">{Key::TalkPerson}</span> })}
                    {is_to_both.then(|| view! { <span>{Key::TalkToBoth}</span> })}
                    <span class="talk-number">"#"{sequence}</span>
                </p>
                <p class="talk-text">{content}</p>
                <p class="talk-facts-line">
                    <time datetime=datetime>{move || dates::second(&at, Lang::spoken())}</time>
                    {receipt}
                </p>
            </article>
        </li>
    }
}
