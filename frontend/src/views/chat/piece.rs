//! A piece of an answer, and what it waits for: each by its own view.

use leptos::prelude::*;

use super::markdown::Markdown;
use crate::chat::entry::Piece;
use crate::chat::talk::Talk;
use crate::chat::tool_card::ToolCard;
use crate::chat::waiting::{Pending, Reply, Waiting};
use crate::page::page;
use crate::text::Key;

/// Which view draws it: a piece changes within its kind, and hardly ever to another.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Call,
    Pictures,
}

/// One piece.
#[component]
pub(super) fn PieceView(piece: Memo<Option<Piece>>, is_open: Memo<bool>) -> impl IntoView {
    let kind = Memo::new(move |_| {
        piece.with(|it| match it {
            Some(Piece::Text(_)) => Some(Kind::Text),
            Some(Piece::Call(_)) => Some(Kind::Call),
            Some(Piece::Pictures(_)) => Some(Kind::Pictures),
            None => None,
        })
    });
    move || {
        Some(match kind.get()? {
            Kind::Text => {
                let text = Signal::derive(move || {
                    piece.with(|it| match it {
                        Some(Piece::Text(text)) => (**text).clone(),
                        _ => String::new(),
                    })
                });
                view! { <Markdown text is_open/> }.into_any()
            }
            Kind::Call => {
                let card = Memo::new(move |_| {
                    piece.with(|it| match it {
                        Some(Piece::Call(card)) => (**card).clone(),
                        _ => ToolCard::default(),
                    })
                });
                view! { <p class="hint">{move || format!("{:?}", card.get())}</p> }.into_any()
            }
            Kind::Pictures => {
                let list = Memo::new(move |_| {
                    piece.with(|it| match it {
                        Some(Piece::Pictures(list)) => list.clone(),
                        _ => Vec::new(),
                    })
                });
                let one = |it: crate::chat::shared::Shared<crate::chat::picture::Picture>| {
                    view! { <img class="chat-sent" src=it.url().unwrap_or_default() alt=it.name.clone()/> }
                };
                view! { <div>{move || list.get().into_iter().map(one).collect_view()}</div> }
                    .into_any()
            }
        })
    }
}

/// What waits, or what was said to it.
#[component]
pub(super) fn PendingView(pending: Memo<Option<Pending>>) -> impl IntoView {
    let page = page();
    let talk: Talk = expect_context();
    move || {
        let pending = pending.get()?;
        let id = pending.waiting.call_id().to_owned();
        Some(match (&pending.waiting, &pending.reply) {
            (Waiting::Approval { .. }, None) => view! {
                <button type="button" on:click=move |_| talk.reply(&id, Reply::Allow)>
                    {move || page.say(Key::ChatSend)}
                </button>
            }
            .into_any(),
            (_, reply) => view! { <p>{format!("{reply:?}")}</p> }.into_any(),
        })
    }
}
