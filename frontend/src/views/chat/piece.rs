//! Pieces and pending items of an answer, each drawn by kind; and the pictures of a conversation: generated, fetched
//! and sent.

use leptos::prelude::*;

use super::markdown::Markdown;
use super::provider;
use crate::cards::picture::{Kind as Source, Picture, SHOTS_MAX, Shared, Shot};
use crate::chat::entry::{Body, Entry, Pending, Piece, Reply, ToolCard, Turn};
use crate::chat::talk::Talk;
use crate::chat::thread::Thread;
use crate::page::page;
use crate::table::text;
use crate::text::{Key, Lang};
use crate::views::cards::{CallCard, PendingCard, PictureGrid};

/// Maximum number of characters shown of a picture's prompt.
const PROMPT_MAX: usize = 400;

/// Position of a piece: entry and index.
pub(super) type Place = (u64, usize);

/// The latest call of the conversation, which shows its output.
#[derive(Clone, Copy)]
pub(super) struct LatestCall(pub(super) Memo<Option<Place>>);

impl LatestCall {
    pub(super) fn find(thread: &Thread) -> Option<Place> {
        thread.entries.iter().rev().find_map(|entry| {
            let pieces = &entry.turn()?.pieces;
            let index = pieces.iter().rposition(|it| matches!(it, Piece::Call(_)))?;
            Some((entry.id, index))
        })
    }
}

/// The kind of view: a piece changes within its kind, and hardly ever to another.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Call,
    Pictures,
}

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
            Kind::Pictures => any_view! { <Generated place piece/> },
        })
    }
}

#[component]
fn Call(place: Place, piece: Memo<Option<Piece>>) -> impl IntoView {
    let talk = Talk::shared();
    let latest: LatestCall = expect_context();
    let card = Memo::new(move |_| {
        piece.with(|it| match it {
            Some(Piece::Call(card)) => (**card).clone(),
            _ => ToolCard::default(),
        })
    });
    let is_shown_below = Memo::new(move |_| {
        talk.thread.with(|thread| {
            let entry = thread.entries.iter().find(|it| it.id == place.0);
            let turn = entry.and_then(|it| it.turn());
            let is_left = |call: &ToolCard| {
                turn.is_some_and(|it| it.fetched(call).len() < call.fetched(true).len())
            };
            card.with(is_left)
        })
    });
    let is_last = Signal::derive(move || latest.0.get() == Some(place) && !is_shown_below.get());
    // Calls are made by the assistant; a reader who wants one repeated asks for it.
    let again = Callback::new(move |card: ToolCard| {
        let lang = Lang::now();
        let title = untrack(|| page().tool(&card.name)).map_or(card.name, |it| it.title(lang));
        talk.say(&lang.fill(Key::ChatCallAgain, &[&title]));
    });
    view! { <CallCard card is_last on_retry=again/> }
}

/// The pictures of an answer: generated ones with their facts.
#[component]
fn Generated(place: Place, piece: Memo<Option<Piece>>) -> impl IntoView {
    let talk = Talk::shared();
    let list = Memo::new(move |_| {
        piece.with(|it| match it {
            Some(Piece::Pictures(list)) => list.clone(),
            _ => Vec::new(),
        })
    });
    let facts = Memo::new(move |_| talk.thread.with(|it| facts(it, place.0, Lang::spoken())));
    let shots = Signal::derive(move || {
        let facts = facts.get().unwrap_or_default();
        let shot = |it: &Shared<Picture>| shot(it, &facts);
        list.with(|it| it.iter().map(shot).collect::<Vec<_>>())
    });
    view! { <PictureGrid shots/> }
}

/// The prompt of an answer and its answerer.
pub(super) fn facts(thread: &Thread, id: u64, lang: Lang) -> Option<Vec<String>> {
    let index = thread.entries.iter().position(|it| it.id == id)?;
    let own = &thread.entries[index].turn()?.answerer;
    let message = thread.entries.get(index.checked_sub(1)?)?.message();
    let message = message.map(|it| it.text.chars().take(PROMPT_MAX).collect::<String>());
    let who = (!own.provider.is_empty()).then(|| provider(lang, &own.provider, &own.model));
    Some(message.filter(|it| !it.is_empty()).into_iter().chain(who).collect())
}

/// A picture of an answer: one with a name was fetched, and has no facts.
fn shot(picture: &Shared<Picture>, facts: &[String]) -> Shot {
    match picture.name.is_empty() {
        true => Shot { facts: facts.to_vec(), ..Shot::new(picture.clone(), Source::Made) },
        false => Shot::new(picture.clone(), Source::Card),
    }
}

/// Pictures for display.
pub(super) fn shots(list: &[Shared<Picture>], source: Source) -> Vec<Shot> {
    list.iter().map(|it| Shot::new(it.clone(), source)).collect()
}

/// A pending item, or the reply to it.
#[component]
pub(super) fn PendingView(pending: Memo<Option<Pending>>) -> impl IntoView {
    let talk = Talk::shared();
    let reply = Callback::new(move |(id, reply): (String, Reply)| talk.reply(&id, reply));
    view! { <PendingCard pending on_reply=reply/> }
}

/// A picture of an answer, with a name in any case.
fn named(thread: &Thread, entry: u64, picture: &Shared<Picture>, lang: Lang) -> Shot {
    let mut shot = shot(picture, &facts(thread, entry, lang).unwrap_or_default());
    if picture.name.is_empty() {
        lang.say(Key::PictureMade).clone_into(&mut shot.picture.change().name);
    }
    shot
}

/// Number of pictures, counted without reading them.
pub(super) fn shot_count(thread: &Thread) -> usize {
    let count = |entry: &Shared<Entry>| match &entry.body {
        Body::Asked(message) => message.pictures.len(),
        Body::Answered(turn) => {
            let cards = calls(turn).map(|it| turn.fetched(it).len()).sum::<usize>();
            turn.pictures().len() + cards
        }
    };
    thread.entries.iter().map(count).sum::<usize>().min(SHOTS_MAX)
}

/// All pictures, latest first.
pub(super) fn all_shots(thread: &Thread, lang: Lang) -> Vec<Shot> {
    let mut shots = Vec::new();
    for entry in thread.entries.iter().rev() {
        match &entry.body {
            Body::Asked(message) => {
                shots.extend(message.pictures.iter().map(|it| Shot::new(it.clone(), Source::Sent)));
            }
            Body::Answered(turn) => {
                shots.extend(turn.pictures().iter().map(|it| named(thread, entry.id, it, lang)));
                for call in calls(turn) {
                    let cards = turn.fetched(call).into_iter().enumerate();
                    shots.extend(cards.filter_map(|(index, (name, card))| {
                        let id = format!("{}-{}-{index}", entry.id, call.id);
                        let (mime, data) = (text(card, "mimeType")?, text(card, "data")?);
                        Shot::from_result(id, mime, data, name, entry.at_ms)
                    }));
                }
            }
        }
        if shots.len() >= SHOTS_MAX {
            break;
        }
    }
    shots.truncate(SHOTS_MAX);
    shots
}

fn calls(turn: &Turn) -> impl Iterator<Item = &ToolCard> {
    turn.pieces.iter().filter_map(Piece::call).map(|it| &**it)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::entry::{Answerer, CallOutcome, State, UserMessage};

    fn thread() -> Thread {
        let picture = Picture::new("p".to_owned(), "image/png", "aGk=", "", 7).unwrap();
        let cards = json!({ "illustrations": [
            { "card_name": "青い竜", "mimeType": "image/png", "data": "aGk=" },
            { "card_name": "偽", "mimeType": "text/html", "data": "aGk=" },
        ] });
        let call = ToolCard {
            id: "c".to_owned(),
            view: Some("illustrations".to_owned()),
            state: State::Done(CallOutcome { result: cards, ..CallOutcome::default() }),
            ..ToolCard::default()
        };
        let turn = Turn {
            pieces: vec![
                Piece::Call(Shared::new(call)),
                Piece::Pictures(vec![Shared::new(picture)]),
            ],
            answerer: Answerer { provider: "builtin".to_owned(), ..Answerer::default() },
            ..Turn::default()
        };
        let entry = |id: u64, body: Body| Shared::new(Entry { id, at_ms: 7, body });
        let message =
            UserMessage { text: "青い竜で作って".to_owned(), ..UserMessage::default() };
        let mut thread = Thread::new("t".to_owned(), None);
        thread.entries =
            vec![entry(1, Body::Asked(message)), entry(2, Body::Answered(Box::new(turn)))];
        thread
    }

    #[test]
    fn picture_names_its_sources_and_maker() {
        let thread = thread();
        let picture = thread.last_turn().unwrap().pictures()[0].clone();
        let shot = named(&thread, 2, &picture, Lang::Ja);
        assert_eq!(shot.facts, ["青い竜で作って", Lang::Ja.say(Key::ChatBuiltin)]);
        assert_eq!((shot.picture.name.as_str(), shot.kind), ("作成されたサムネイル", Source::Made));
    }

    #[test]
    fn collects_all_pictures_and_nothing_else() {
        crate::families::register();
        let shots = all_shots(&thread(), Lang::En);
        let names: Vec<&str> = shots.iter().map(|it| it.picture.name.as_str()).collect();
        assert_eq!(names, ["The thumbnail made", "青い竜"]);
        assert_eq!(shot_count(&thread()), 3);
    }
}
