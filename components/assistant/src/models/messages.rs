//! What most models take alike: earlier messages, which begin with the person's and alternate, and in which pictures
//! are the person's alone; results of calls; and names and ids in the letters that providers take.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    Answered, Body, Image, Message, ModelError, Offer, Part, ToolResult, Why, images_of, reading,
};

/// `history` so; empty texts are left out. A picture that the assistant made goes with the person's next message.
pub(super) fn alternating(history: &[Message]) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut shown = Vec::new();
    for message in history {
        let parts = message.parts.iter().filter(|it| !is_blank(it)).cloned();
        if message.is_user {
            push(&mut messages, true, shown.drain(..).chain(parts).collect());
            continue;
        }
        let (images, texts) = parts.partition::<Vec<_>, _>(|it| matches!(it.body, Body::Image(_)));
        shown.extend(images);
        if !messages.is_empty() {
            push(&mut messages, false, texts);
        }
    }
    push(&mut messages, true, shown);
    messages
}

/// Adds a message; to the last one, where that is of the same side.
fn push(messages: &mut Vec<Message>, is_user: bool, parts: Vec<Part>) {
    match messages.last_mut() {
        _ if parts.is_empty() => {}
        Some(last) if last.is_user == is_user => last.parts.extend(parts),
        _ => messages.push(Message { is_user, parts }),
    }
}

fn is_blank(part: &Part) -> bool {
    matches!(&part.body, Body::Text(text) if text.trim().is_empty())
}

// A call's result as a model receives it: the tool's object without what would only cost tokens,
// and its pictures as pictures (ILL-28).

/// How often a model is asked again whose calls cannot be read.
const REPAIRS_MAX: usize = 1;

/// What a model receives of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Readable {
    /// An object: the tool's own, or `{"error": {…}}`.
    pub(super) object: Value,
    pub(super) images: Vec<Image>,
    pub(super) is_error: bool,
}

/// `answered` as a model receives it, one of so many `results` of its round.
pub(super) fn readable(answered: &Answered, results: usize) -> Readable {
    let object = reading::readable(answered, reading::budget(results));
    let (images, is_error) = match &answered.result {
        ToolResult::Failed(_) => (Vec::new(), true),
        ToolResult::Output { content, .. } => (images_of(content).cloned().collect(), false),
    };
    Readable { object, images, is_error }
}

/// Another attempt of a model whose calls cannot be read.
pub(super) fn repaired(repairs: &mut usize) -> Result<(), ModelError> {
    *repairs += 1;
    match *repairs <= REPAIRS_MAX {
        true => Ok(()),
        false => Err(ModelError::new(Why::Failed, "the arguments of a call are not a JSON object")),
    }
}

/// The result of the call `id` in an answer of which the `broken` calls cannot be read: none of it was made.
pub(super) fn unread(id: &str, broken: &[String]) -> Value {
    let message = match broken.iter().any(|it| it == id) {
        true => "The arguments were not a JSON object. Nothing was called; write the call again.",
        false => "Not called, because another call beside it could not be read; call it again.",
    };
    json!({ "error": { "error": "invalid_arguments", "message": message } })
}

// Names of tools, and of their arguments, in the letters that providers take, and back again; and ids of calls.

/// Characters of a name: what the strictest of them takes.
const CHARS_MAX: usize = 64;

/// Which name is which on the wire, for one turn.
pub(super) struct Names(Vec<(String, String)>);

impl Names {
    /// The names of `offers`.
    pub(super) fn of(offers: &[Offer]) -> Self {
        Self::new(offers.iter().map(|it| it.name.as_str()))
    }

    /// These names. One that begins with a letter or `_`, and has only those, digits and `-`, stays as it is.
    pub(super) fn new<'a>(all: impl Iterator<Item = &'a str>) -> Self {
        let mut names: Vec<(String, String)> = Vec::new();
        for own in all {
            let plain = plain(own);
            let is_taken = |it: &str| names.iter().any(|(wire, _)| wire == it);
            let numbered = (2..).map(|number| format!("{:.60}_{number}", plain));
            let wire = std::iter::once(plain.clone()).chain(numbered).find(|it| !is_taken(it));
            names.push((wire.unwrap_or(plain), own.to_owned()));
        }
        Self(names)
    }

    /// What `own` is called on the wire.
    pub(super) fn wire<'a>(&'a self, own: &'a str) -> &'a str {
        self.0.iter().find(|it| it.1 == own).map_or(own, |it| &it.0)
    }

    /// What is called `wire` there; the same, where nothing is.
    pub(super) fn own<'a>(&'a self, wire: &'a str) -> &'a str {
        self.0.iter().find(|it| it.0 == wire).map_or(wire, |it| &it.1)
    }
}

/// Ids of calls, each of which one call of a conversation has.
pub(super) struct Ids {
    taken: BTreeSet<String>,
    message: usize,
}

impl Ids {
    /// Those that the calls of `message` may have, which follows these.
    pub(super) fn new<'a>(earlier: impl Iterator<Item = &'a Value>, message: usize) -> Self {
        let taken = earlier.filter_map(|it| it["id"].as_str().map(str::to_owned)).collect();
        Self { taken, message }
    }

    /// The id of `call`: its own, where it has one that no other has.
    pub(super) fn of(&mut self, call: &Value) -> String {
        let own = call["id"].as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        let made = (0..).map(|number| format!("call_{}_{number}", self.message));
        let mut all = own.into_iter().chain(made);
        all.find(|it| self.taken.insert(it.clone())).unwrap_or_default()
    }
}

fn plain(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let plain = name.chars().map(|it| if is_plain(it) { it } else { '_' });
    // Gemini takes none that begins with a digit.
    let begins = |it: char| it.is_ascii_alphabetic() || it == '_';
    let before = plain.clone().next().filter(|it| !begins(*it)).map(|_| '_');
    before.into_iter().chain(plain).take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Part, ToolCall, call::Failure};

    fn answered(result: ToolResult) -> Answered {
        let (name, reason) = ("find".to_owned(), String::new());
        let (arguments, meta) = Default::default();
        Answered { call: ToolCall { id: "c".to_owned(), name, arguments, meta, reason }, result }
    }

    #[test]
    fn a_picture_is_told_as_a_picture_and_not_as_text() {
        let data = "A".repeat(10_000);
        let image = Image { mime_type: "image/png".to_owned(), data: data.as_str().into() };
        let result = ToolResult::Output {
            structured: json!({ "mimeType": "image/png", "data": data }),
            meta: json!({}),
            content: vec![Part::text("Azure"), Part::image(image.clone())],
        };
        let result = readable(&answered(result), 1);
        assert_eq!(result.images, [image], "ILL-28");
        assert_eq!(result.object["data"], "[10000 characters, not shown]");
        assert_eq!(result.object["mimeType"], "image/png");
    }

    #[test]
    fn a_failure_is_told_and_marked() {
        let failure = Failure::new("card_not_found", 404, "There is no such card.");
        let result = readable(&answered(ToolResult::Failed(failure)), 1);
        assert!(result.is_error, "NAV-55");
        assert_eq!(result.object["error"]["error"], "card_not_found", "ILL-26");
    }

    fn offer(name: &str) -> Offer {
        Offer {
            name: name.into(),
            description: String::new(),
            schema: Arc::default(),
            owner: "o".into(),
            is_read_only: true,
            ..Offer::default()
        }
    }

    #[test]
    fn rewrites_a_name_a_provider_would_refuse_and_finds_it_again() {
        let long = "x".repeat(100);
        let own = [
            "find_seats",
            "far/find.seats",
            "far_find.seats",
            "far_find_seats",
            "2fa-code",
            "予約",
            "検索",
            &long,
        ];
        let names = Names::of(&own.map(offer));
        let mut wires = Vec::new();
        for it in own {
            let wire = names.wire(it);
            assert!(wire.len() <= CHARS_MAX && plain(wire) == wire, "{wire}");
            assert!(!wires.contains(&wire), "{wire}");
            assert_eq!(names.own(wire), it);
            wires.push(wire);
        }
        assert_eq!((names.wire("find_seats"), names.wire("2fa-code")), ("find_seats", "_2fa-code"));
        assert_eq!(names.own("unheard_of"), "unheard_of");
    }
}
