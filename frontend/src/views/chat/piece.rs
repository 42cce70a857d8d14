//! A piece of an answer, and what it waits for: each by its own view.

use leptos::prelude::*;

use super::markdown::Markdown;
use super::shots::made;
use crate::chat::entry::{Piece, Turn};
use crate::chat::talk::Talk;
use crate::chat::tool_card::ToolCard;
use crate::chat::waiting::{Pending, Reply};
use crate::page::page;
use crate::views::cards::{CallCard, PendingCard, PictureGrid};

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
            Kind::Call => view! { <Call piece/> }.into_any(),
            Kind::Pictures => view! { <Pictures piece/> }.into_any(),
        })
    }
}

#[component]
fn Call(piece: Memo<Option<Piece>>) -> impl IntoView {
    let talk: Talk = expect_context();
    let card = Memo::new(move |_| {
        piece.with(|it| match it {
            Some(Piece::Call(card)) => (**card).clone(),
            _ => ToolCard::default(),
        })
    });
    let is_last = Memo::new(move |_| {
        let last =
            |turn: &Turn| turn.pieces.iter().rev().find(|it| matches!(it, Piece::Call(_))).cloned();
        let last = talk.thread.with(|it| it.last_turn().and_then(last));
        last.is_some() && piece.with(|it| *it == last)
    });
    let is_idle = Memo::new(move |_| talk.thread.with(|it| !it.is_running()));
    let retry = Callback::new(move |_: ToolCard| talk.again());
    // Only the latest answer can be made once more; an older one would take what followed with it.
    let may_retry = Memo::new(move |_| is_last.get() && is_idle.get());
    view! { <CallCard card is_last may_retry on_retry=retry/> }
}

#[component]
fn Pictures(piece: Memo<Option<Piece>>) -> impl IntoView {
    let page = page();
    let talk: Talk = expect_context();
    let shots = Memo::new(move |_| {
        let list = piece.with(|it| match it {
            Some(Piece::Pictures(list)) => list.clone(),
            _ => Vec::new(),
        });
        let lang = page.lang.get();
        talk.thread
            .with(|it| list.iter().map(|picture| made(it, picture, lang)).collect::<Vec<_>>())
    });
    view! { <PictureGrid shots/> }
}

/// What waits, or what was said to it.
#[component]
pub(super) fn PendingView(pending: Memo<Option<Pending>>) -> impl IntoView {
    let talk: Talk = expect_context();
    let reply = move |(call_id, reply): (String, Reply)| talk.reply(&call_id, reply);
    view! { <PendingCard pending on_reply=reply/> }
}
