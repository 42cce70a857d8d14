//! Shared parts of the providers: alternating messages with the person's first, pictures only in the
//! person's, results of calls, and names and ids in permitted characters.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::{Value, json};

use crate::{
    Answered, Body, ErrorKind, Image, Message, ModelError, Offer, Part, ToolResult, images_of,
    reading,
};

/// Makes `history` alternate, without empty texts. A picture of the assistant's goes into the person's next message.
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

/// Adds a message, or extends the last one of the same author.
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

// Call results for a model: the tool's object without base64, and its pictures as pictures (ILL-28).

/// Retries after an answer whose calls cannot be parsed.
const REPAIRS_MAX: usize = 1;

/// A call's result for a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Readable {
    /// The tool's object, or `{"error": {…}}`.
    pub(super) object: Value,
    pub(super) images: Vec<Image>,
    pub(super) is_error: bool,
}

/// Converts `answered`, one of `results` results of its round.
pub(super) fn readable(answered: &Answered, results: usize) -> Readable {
    let object = reading::readable(answered, reading::budget(results));
    let (images, is_error) = match &answered.result {
        ToolResult::Failed(_) => (Vec::new(), true),
        ToolResult::Output { content, .. } => (images_of(content).cloned().collect(), false),
    };
    Readable { object, images, is_error }
}

/// Counts another retry after unparsable calls.
pub(super) fn count_repair(repairs: &mut usize) -> Result<(), ModelError> {
    *repairs += 1;
    match *repairs <= REPAIRS_MAX {
        true => Ok(()),
        false => {
            Err(ModelError::new(ErrorKind::Failed, "the arguments of a call are not a JSON object"))
        }
    }
}

/// Result of the call `id` in an answer whose `broken` calls cannot be parsed: none of it was made.
pub(super) fn unreadable_result(id: &str, broken: &[String]) -> Value {
    let message = match broken.iter().any(|it| it == id) {
        true => "The arguments were not a JSON object. Nothing was called; write the call again.",
        false => "Not called, because another call beside it could not be read; call it again.",
    };
    json!({ "error": { "error": "invalid_arguments", "message": message } })
}

// Names of tools and arguments in the characters that providers accept, and ids of calls.

/// Maximum characters of a name, by the strictest provider.
const CHARS_MAX: usize = 64;

/// Names and their wire names, for one turn.
pub(super) struct Names(Vec<(String, String)>);

impl Names {
    /// The names of `offers`.
    pub(super) fn of_tools(offers: &[Offer]) -> Self {
        Self::new(offers.iter().map(|it| it.name.as_str()))
    }

    /// Maps the names. Those of letters, digits, `_` and `-` that start with a letter or `_` stay.
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

    /// Returns the wire name of `own`.
    pub(super) fn wire<'a>(&'a self, own: &'a str) -> &'a str {
        self.0.iter().find(|it| it.1 == own).map_or(own, |it| &it.0)
    }

    /// Returns the name behind `wire`, or `wire` if there is none.
    pub(super) fn own<'a>(&'a self, wire: &'a str) -> &'a str {
        self.0.iter().find(|it| it.0 == wire).map_or(wire, |it| &it.1)
    }
}

/// Unique ids of the calls of a conversation.
pub(super) struct Ids {
    taken: BTreeSet<String>,
    message: usize,
}

impl Ids {
    /// Creates the ids of `message`, which follows `earlier`.
    pub(super) fn new<'a>(earlier: impl Iterator<Item = &'a Value>, message: usize) -> Self {
        let taken = earlier.filter_map(|it| it["id"].as_str().map(str::to_owned)).collect();
        Self { taken, message }
    }

    /// Returns the id of `call`: its own, if that is unique.
    pub(super) fn assign(&mut self, call: &Value) -> String {
        let own = call["id"].as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        let made = (0..).map(|number| format!("call_{}_{number}", self.message));
        let mut all = own.into_iter().chain(made);
        all.find(|it| self.taken.insert(it.clone())).unwrap_or_default()
    }
}

/// Returns the name of a model's call as every provider takes it back: a name that is no tool's may have other
/// characters, be too long or empty, and would have the whole conversation refused. `more` are characters that this
/// provider accepts as well.
pub(super) fn returnable<'a>(name: &'a str, more: &[char]) -> Cow<'a, str> {
    let spare = |(at, it)| if at > 0 && more.contains(&it) { '_' } else { it };
    let spared: String = name.chars().enumerate().map(spare).collect();
    match plain(&spared) {
        it if it.is_empty() => Cow::Borrowed("_"),
        it if it == spared => Cow::Borrowed(name),
        _ => Cow::Owned(plain(name)),
    }
}

fn plain(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let plain = name.chars().map(|it| if is_plain(it) { it } else { '_' });
    // Gemini accepts none that begins with a digit.
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
    fn sends_picture_as_picture_not_text() {
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
    fn marks_failed_result() {
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
    fn maps_refused_name_both_ways() {
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
        let names = Names::of_tools(&own.map(offer));
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

    #[test]
    fn name_of_no_tool_can_be_sent_back() {
        let long = "x".repeat(65);
        for (name, more, sent) in [
            ("find_seats", "", "find_seats"),
            ("functions.find-seats", "", "functions_find-seats"),
            ("default_api:find.seats", ".:", "default_api:find.seats"),
            ("find<|channel|>", ".:", "find__channel__"),
            ("席を探す", "", "____"),
            (".find", ".", "_find"),
            ("", "", "_"),
            (&long, "", &long[1..]),
        ] {
            let more: Vec<_> = more.chars().collect();
            assert_eq!(returnable(name, &more), sent);
        }
    }
}
