//! The pictures of a conversation: those that were made, those that tools fetched, those that were sent.

use serde_json::Value;

use super::piece::facts;
use crate::cards::picture::Picture;
use crate::cards::shared::Shared;
use crate::cards::shot::{Kind, SHOTS_MAX, Shot};
use crate::chat::entry::{Body, Entry, Piece, Turn};
use crate::chat::thread::Thread;
use crate::chat::tool_card::ToolCard;
use crate::table;
use crate::text::{Key, Lang};

/// A picture that the assistant made, with what is known of how.
fn made(thread: &Thread, entry: u64, picture: &Shared<Picture>, lang: Lang) -> Shot {
    let mut shown = picture.clone();
    if picture.name.is_empty() {
        lang.say(Key::PictureMade).clone_into(&mut shown.change().name);
    }
    let facts = facts(thread, entry, lang).unwrap_or_default();
    Shot { facts, ..Shot::new(shown, Kind::Made) }
}

/// How many pictures there are; nothing is read for it.
pub(super) fn count(thread: &Thread) -> usize {
    let of = |entry: &Shared<Entry>| match &entry.body {
        Body::Asked(asked) => asked.pictures.len(),
        Body::Answered(turn) => {
            let cards = calls(turn).map(|it| fetched(it, turn).len()).sum::<usize>();
            turn.pictures().len() + cards
        }
    };
    thread.entries.iter().map(of).sum::<usize>().min(SHOTS_MAX)
}

/// All of them, latest first.
pub(super) fn all(thread: &Thread, lang: Lang) -> Vec<Shot> {
    let mut shots = Vec::new();
    for entry in thread.entries.iter().rev() {
        match &entry.body {
            Body::Asked(asked) => {
                shots.extend(asked.pictures.iter().map(|it| Shot::new(it.clone(), Kind::Sent)));
            }
            Body::Answered(turn) => {
                shots.extend(turn.pictures().iter().map(|it| made(thread, entry.id, it, lang)));
                for call in calls(turn) {
                    let cards = fetched(call, turn).into_iter().enumerate();
                    shots.extend(cards.filter_map(|(index, card)| {
                        let id = format!("{}-{}-{index}", entry.id, call.id);
                        let text = |name: &str| card.get(name).and_then(Value::as_str);
                        let own = call.params.get("card_name").and_then(Value::as_str);
                        let name = text("card_name").or(text("title")).or(own).unwrap_or_default();
                        Shot::of(id, text("mimeType")?, text("data")?, name, entry.at_ms)
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
    turn.pieces.iter().filter_map(|it| match it {
        Piece::Call(card) => Some(&**card),
        Piece::Text(_) | Piece::Pictures(_) => None,
    })
}

/// The pictures that a call fetched, as they came.
fn fetched<'a>(call: &'a ToolCard, turn: &Turn) -> Vec<&'a Value> {
    let Some(came) = call.came().filter(|it| it.result.is_object()) else { return Vec::new() };
    table::pictures(call.view.as_deref(), &came.result, !turn.pictures().is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::entry::{Answerer, Asked};
    use crate::chat::tool_card::{Came, State};

    fn thread() -> Thread {
        let picture = Picture::of("p".to_owned(), "image/png", "aGk=", "", 7).unwrap();
        let cards = json!({ "illustrations": [
            { "card_name": "青い竜", "mimeType": "image/png", "data": "aGk=" },
            { "card_name": "偽", "mimeType": "text/html", "data": "aGk=" },
        ] });
        let call = ToolCard {
            id: "c".to_owned(),
            view: Some("illustrations".to_owned()),
            state: State::Done(Came { result: cards, ..Came::default() }),
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
        let asked = Asked { text: "青い竜で作って".to_owned(), ..Asked::default() };
        let mut thread = Thread::new("t".to_owned(), None);
        thread.entries =
            vec![entry(1, Body::Asked(asked)), entry(2, Body::Answered(Box::new(turn)))];
        thread
    }

    #[test]
    fn a_picture_tells_what_it_was_made_from_and_by_whom() {
        let thread = thread();
        let picture = thread.last_turn().unwrap().pictures()[0].clone();
        let shot = made(&thread, 2, &picture, Lang::Ja);
        assert_eq!(shot.facts, ["青い竜で作って", Lang::Ja.say(Key::ChatBuiltin)]);
        assert_eq!((shot.picture.name.as_str(), shot.kind), ("作成されたサムネイル", Kind::Made));
    }

    #[test]
    fn all_pictures_are_there_and_nothing_that_is_none() {
        crate::families::register();
        let shots = all(&thread(), Lang::En);
        let names: Vec<&str> = shots.iter().map(|it| it.picture.name.as_str()).collect();
        assert_eq!(names, ["The thumbnail made", "青い竜"]);
        assert_eq!(count(&thread()), 3);
    }
}
