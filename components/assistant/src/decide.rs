//! What decides which tools are called next, and what it goes by.

use std::{cell::Cell, time::Instant};

use jiff::Timestamp;
use language::{message::told, turn::Choice};
use serde_json::{Value, json};
use toolkit::{clock::now_s, routes};

use crate::{Answered, Image, Offer, Part, Task, ToolCall};

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    /// Of those, the ones that came from the provider's cache.
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    /// US dollars, where the price is known.
    pub(crate) cost_usd: Option<f64>,
}

/// One turn: what it is decided by.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) task: &'a Task,
    /// Whether it is the first of its run: the model has not received the task's message yet.
    pub(crate) is_first: bool,
    /// What may be called, as it is on offer now.
    pub(crate) offers: &'a [Offer],
    /// What the calls of the turn before came to, in their order. In the first turn of a run, those
    /// that waited for the person: they come before the task's message.
    pub(crate) answered: &'a [Answered],
    pub(crate) teller: &'a Teller,
    /// When it has to be decided.
    pub(crate) until: Instant,
}

/// What the loop does next.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    /// These calls, all at once.
    Call(Vec<ToolCall>),
    /// The run ends with this.
    Conclude(Conclusion),
}

/// The answer of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conclusion {
    /// For people, in order: texts and pictures.
    pub(crate) parts: Vec<Part>,
    /// The route that was chosen, if any. Named, never retyped (NAV-6).
    pub(crate) choice: Option<Choice>,
    /// Why it is not whole, where it is not (`max_tokens`).
    pub(crate) cut: Option<&'static str>,
}

impl Conclusion {
    /// Its texts: those that follow each other are one, as they came.
    pub(crate) fn text(&self) -> String {
        told(&self.parts)
    }
}

/// Why there is no decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelError {
    pub(crate) why: Why,
    /// For those who look for the reason; no secret in it.
    pub(crate) details: String,
    /// When it may be worth another try.
    pub(crate) retry_after_s: Option<u64>,
}

/// What kept it from being decided (ILL-42).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The provider refuses the key, or there is none.
    Key,
    /// The model, or its API, is not there.
    Missing,
    /// The conversation is too long for the model.
    TooLong,
    /// The provider refuses the request as it is: the same again is refused again.
    Refused,
    /// Too many requests, or the quota is used up.
    RateLimited,
    /// The provider's rules on content.
    Blocked,
    /// No answer in time.
    Slow,
    /// The model cannot make pictures.
    NoPictures,
    /// Anything else: not reachable, overloaded, an answer that cannot be read.
    Failed,
}

impl ModelError {
    pub(crate) fn new(why: Why, details: impl Into<String>) -> Self {
        Self { why, details: details.into(), retry_after_s: None }
    }
}

/// Decides which tools are called. One a run, which keeps what it needs to go on.
pub(crate) trait ToolPicker: Send {
    /// Decides what the loop does next.
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError>;

    /// Whether it may call what is there for pages alone: rules of our own may, and models do not see it.
    fn may_call_for_pages(&self) -> bool {
        false
    }

    /// All that one of its kind needs to go on with this conversation some other day: the provider's
    /// own messages, verbatim (FORM-7, ILL-27). Null, where there is nothing to remember.
    fn transcript(&self) -> Value {
        Value::Null
    }

    /// The model that decides, where it became known only on the way.
    fn model(&self) -> Option<&str> {
        None
    }

    /// What it took so far.
    fn usage(&self) -> Usage {
        Usage::default()
    }
}

/// Receives what happens on the way to an answer (NAV-9): the client that reads events, or none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Teller {
    is_delivered: bool,
    /// Pieces of answers so far.
    told: Cell<usize>,
}

impl Teller {
    pub(crate) fn new(is_delivered: bool) -> Self {
        Self { is_delivered, told: Cell::default() }
    }

    /// How many pieces of answers were told so far: what was begun is not repeated.
    pub(crate) fn told(&self) -> usize {
        self.told.get()
    }

    /// Tells it, in the order in which things happen; a client that reads slowly is waited for.
    pub(crate) fn tell(&self, name: &str, data: impl FnOnce() -> Value) {
        if self.is_delivered {
            routes::send(name, &data());
        }
    }

    /// Tells a piece of the answer's text, as soon as it is there.
    pub(crate) fn say(&self, text: &str) {
        self.told.set(self.told() + 1);
        self.tell("text_delta", || json!({ "text": text }));
    }

    /// Tells a picture of the answer.
    pub(crate) fn show(&self, image: &Image) {
        self.told.set(self.told() + 1);
        self.tell("image", || json!({ "mimeType": image.mime_type, "data": &*image.data }));
    }
}

/// The time of day.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(now_s()).unwrap_or_default()
}
