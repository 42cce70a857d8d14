//! A conversation's messages, in the recorded order.

use leptos::prelude::*;
use output::cinema::{History, Message, Sender};

use crate::dates;
use crate::text::{Key, Lang};

/// Maximum number of messages drawn.
const MESSAGES_MAX: usize = 500;

#[component]
pub(crate) fn ConversationView(history: History) -> impl IntoView {
    let count = history.history.len();
    let message = move |(index, message): (usize, Message)| {
        let (class, who) = match message.sender {
            Sender::User => ("message is-user", Key::SenderUser),
            Sender::Agent => ("message is-agent", Key::SenderAgent),
        };
        let time = message.timestamp.clone();
        let when = move || dates::day_and_time(&time, Lang::spoken());
        view! {
            <li>
                <article class=class aria-label=move || format!("{} {}/{count}", who.say(), index + 1)>
                    <p class="message-who">{who}<time>{when}</time></p>
                    <p class="message-text">{message.content}</p>
                </article>
            </li>
        }
    };
    let messages = history.history.into_iter().take(MESSAGES_MAX).enumerate();
    view! {
        <ol class="conversation" aria-label=Key::ConversationView>
            {messages.map(message).collect_view()}
        </ol>
    }
}
