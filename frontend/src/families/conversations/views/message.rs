//! One message: who, which, when, what, and whether it was read.

use leptos::prelude::*;
use output::conversations::{ChatMessage, Conversation};

use super::parts::Avatar;
use crate::dates;
use crate::families::conversations::live::Live;
use crate::families::conversations::look::{self, Side};
use crate::families::conversations::watch::Watch;
use crate::text::{Key, Lang};

/// The message of that number.
#[component]
pub(super) fn MessageView(watch: Watch, number: u64) -> impl IntoView {
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
                    {is_apart.then(|| view! {
                        <span class="talk-person">{Key::TalkPerson}</span>
                    })}
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
