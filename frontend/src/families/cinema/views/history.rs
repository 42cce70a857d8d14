//! A conversation, in the order in which it was recorded.

use leptos::prelude::*;
use output::cinema::{History, Message, Sender};

use crate::dates;
use crate::page::page;
use crate::text::Key;

/// Messages drawn at most.
const MESSAGES_MAX: usize = 500;

#[component]
pub(crate) fn ConversationView(history: History) -> impl IntoView {
    let page = page();
    let count = history.history.len();
    let message = move |(index, message): (usize, Message)| {
        let (class, who) = match message.sender {
            Sender::User => ("message is-user", Key::SenderUser),
            Sender::Agent => ("message is-agent", Key::SenderAgent),
        };
        let time = message.timestamp.clone();
        let when = move || dates::day_and_time(&time, page.lang.get());
        view! {
            <li>
                <article class=class aria-label=move || format!("{} {}/{count}", page.say(who), index + 1)>
                    <p class="message-who">{move || page.say(who)}<time>{when}</time></p>
                    <p class="message-text">{message.content}</p>
                </article>
            </li>
        }
    };
    let messages = history.history.into_iter().take(MESSAGES_MAX).enumerate();
    view! {
        <ol class="conversation" aria-label=move || page.say(Key::ConversationView)>
            {messages.map(message).collect_view()}
        </ol>
    }
}
