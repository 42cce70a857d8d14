//! A piece of an answer, and what it waits for: each by its own view.

use leptos::prelude::*;

use super::markdown::Markdown;
use super::provider;
use crate::cards::picture::Picture;
use crate::cards::shared::Shared;
use crate::cards::shot::{Kind as Source, Shot};
use crate::chat::entry::Piece;
use crate::chat::talk::Talk;
use crate::chat::thread::Thread;
use crate::chat::tool_card::ToolCard;
use crate::chat::waiting::{Pending, Reply};
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::cards::{CallCard, PendingCard, PictureGrid};

/// Characters of the sentence that a picture was made from.
const PROMPT_MAX: usize = 400;

/// Where a piece stands: its entry, and which piece of it.
pub(super) type Place = (u64, usize);

/// Which call of the conversation is the latest: that one shows what came of it.
#[derive(Clone, Copy)]
pub(super) struct LatestCall(pub(super) Memo<Option<Place>>);

impl LatestCall {
    pub(super) fn of(thread: &Thread) -> Option<Place> {
        thread.entries.iter().rev().find_map(|entry| {
            let pieces = &entry.turn()?.pieces;
            let index = pieces.iter().rposition(|it| matches!(it, Piece::Call(_)))?;
            Some((entry.id, index))
        })
    }
}

/// Which view draws it: a piece changes within its kind, and hardly ever to another.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Call,
    Pictures,
}

/// One piece of an answer.
#[component]
pub(super) fn PieceView(
    place: Place,
    piece: Memo<Option<Piece>>,
    is_open: Memo<bool>,
) -> impl IntoView {
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
                any_view! { <Markdown text is_open/> }
            }
            Kind::Call => any_view! { <Call place piece/> },
            Kind::Pictures => any_view! { <Made place piece/> },
        })
    }
}

#[component]
fn Call(place: Place, piece: Memo<Option<Piece>>) -> impl IntoView {
    let talk = Talk::here();
    let latest: LatestCall = expect_context();
    let card = Memo::new(move |_| {
        piece.with(|it| match it {
            Some(Piece::Call(card)) => (**card).clone(),
            _ => ToolCard::default(),
        })
    });
    let is_last = Signal::derive(move || latest.0.get() == Some(place));
    // The assistant calls; a reader who wants it again asks for it.
    let again = Callback::new(move |card: ToolCard| {
        let lang = Lang::now();
        let title = untrack(|| page().tool(&card.name)).map_or(card.name, |it| it.title(lang));
        talk.say(&lang.fill(Key::ChatCallAgain, &[&title]));
    });
    view! { <CallCard card is_last on_retry=again/> }
}

/// Pictures that were made, and what is known of how.
#[component]
fn Made(place: Place, piece: Memo<Option<Piece>>) -> impl IntoView {
    let talk = Talk::here();
    let list = Memo::new(move |_| {
        piece.with(|it| match it {
            Some(Piece::Pictures(list)) => list.clone(),
            _ => Vec::new(),
        })
    });
    let facts = Memo::new(move |_| talk.thread.with(|it| facts(it, place.0, Lang::spoken())));
    let shots = Signal::derive(move || {
        let facts = facts.get().unwrap_or_default();
        list.with(|it| shots(it, Source::Made))
            .into_iter()
            .map(|it| Shot { facts: facts.clone(), ..it })
            .collect::<Vec<_>>()
    });
    view! { <PictureGrid shots/> }
}

/// The sentence that an answer is to, and who answered.
pub(super) fn facts(thread: &Thread, id: u64, lang: Lang) -> Option<Vec<String>> {
    let index = thread.entries.iter().position(|it| it.id == id)?;
    let own = &thread.entries[index].turn()?.answerer;
    let asked = thread.entries.get(index.checked_sub(1)?)?.asked();
    let asked = asked.map(|it| it.text.chars().take(PROMPT_MAX).collect::<String>());
    let who = (!own.provider.is_empty()).then(|| provider(lang, &own.provider, &own.model));
    Some(asked.filter(|it| !it.is_empty()).into_iter().chain(who).collect())
}

/// Pictures as they are shown.
pub(super) fn shots(list: &[Shared<Picture>], source: Source) -> Vec<Shot> {
    list.iter().map(|it| Shot::new(it.clone(), source)).collect()
}

/// What waits, or the answer to it.
#[component]
pub(super) fn PendingView(pending: Memo<Option<Pending>>) -> impl IntoView {
    let talk = Talk::here();
    let reply = Callback::new(move |(id, reply): (String, Reply)| talk.reply(&id, reply));
    view! { <PendingCard pending on_reply=reply/> }
}
