//! The interface of what decides on tool calls, its input and its results.

use std::{cell::Cell, time::Instant};

use jiff::Timestamp;
use language::{message::joined_text, turn::Choice};
use serde_json::{Value, json};
use toolkit::{clock::now_s, routes};

use crate::{Answered, Image, Offer, Part, Task, ToolCall};

/// Tokens and cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    /// Input tokens that came from the provider's cache.
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    /// Cost in US dollars, if the price is known.
    pub(crate) cost_usd: Option<f64>,
}

/// The input of one decision.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) task: &'a Task,
    /// Whether it is the first of its run, so that the model has not received the task's message yet.
    pub(crate) is_first: bool,
    /// Tools on offer now.
    pub(crate) offers: &'a [Offer],
    /// Results of the calls of the turn before, in their order. In the first turn of a run these are the
    /// calls that waited for the person, and they precede the task's message.
    pub(crate) answered: &'a [Answered],
    pub(crate) sink: &'a EventSink,
    /// Deadline of the decision.
    pub(crate) until: Instant,
}

/// What the loop does next.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    /// Make these calls concurrently.
    Call(Vec<ToolCall>),
    /// End the run with this answer.
    Conclude(Conclusion),
}

/// The answer of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conclusion {
    /// Texts and pictures for people, in order.
    pub(crate) parts: Vec<Part>,
    /// The chosen route, as a reference and never retyped (NAV-6).
    pub(crate) choice: Option<Choice>,
    /// Why the answer is incomplete (`max_tokens`).
    pub(crate) cut: Option<&'static str>,
}

impl Conclusion {
    /// Joins its texts; adjacent ones are concatenated.
    pub(crate) fn text(&self) -> String {
        joined_text(&self.parts)
    }
}

/// Why no decision was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelError {
    pub(crate) kind: ErrorKind,
    /// Details for operators; contains no secret.
    pub(crate) details: String,
    /// Seconds after which a retry may help.
    pub(crate) retry_after_s: Option<u64>,
}

/// Kind of a failure to decide (ILL-42).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The provider refuses the key, or there is none.
    Key,
    /// The model, or its API, does not exist.
    Missing,
    /// The conversation is too long for the model.
    TooLong,
    /// The provider rejects the request, and would reject it again.
    Refused,
    /// Too many requests, or the quota is used up.
    RateLimited,
    /// The provider's content rules block it.
    Blocked,
    /// No answer in time.
    Slow,
    /// The model cannot make pictures.
    NoPictures,
    /// Anything else: not reachable, overloaded, unreadable answer.
    Failed,
}

impl ErrorKind {
    /// Whether the same request, or one in other words, may succeed later.
    pub(crate) fn passes(self) -> bool {
        matches!(self, Self::RateLimited | Self::Blocked | Self::Slow | Self::Failed)
    }
}

impl ModelError {
    pub(crate) fn new(kind: ErrorKind, details: impl Into<String>) -> Self {
        Self { kind, details: details.into(), retry_after_s: None }
    }
}

/// Decides which tools are called. Each run has its own, which keeps its state.
pub(crate) trait ToolPicker: Send {
    /// Decides what the loop does next.
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError>;

    /// Whether it may call tools that only pages see. Our own rules may; models may not.
    fn may_call_for_pages(&self) -> bool {
        false
    }

    /// State that another picker of the same kind needs to continue this conversation: the provider's own
    /// messages, verbatim (FORM-7, ILL-27). Null if there is none.
    fn transcript(&self) -> Value {
        Value::Null
    }

    /// The model that decides, if it became known only during the run.
    fn model(&self) -> Option<&str> {
        None
    }

    /// Usage so far.
    fn usage(&self) -> Usage {
        Usage::default()
    }
}

/// Sends events of a running answer to the client (NAV-9), if it reads them.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventSink {
    is_delivered: bool,
    /// Pieces of answers sent so far.
    pieces_sent: Cell<usize>,
}

impl EventSink {
    pub(crate) fn new(is_delivered: bool) -> Self {
        Self { is_delivered, pieces_sent: Cell::default() }
    }

    /// Number of pieces of answers sent so far; an answer that has started is not retried.
    pub(crate) fn pieces_sent(&self) -> usize {
        self.pieces_sent.get()
    }

    /// Sends an event in order. Blocks while a slow client catches up.
    pub(crate) fn send(&self, name: &str, data: impl FnOnce() -> Value) {
        if self.is_delivered {
            routes::send(name, &data());
        }
    }

    /// Sends a piece of the answer's text.
    pub(crate) fn send_text(&self, text: &str) {
        self.pieces_sent.set(self.pieces_sent() + 1);
        self.send("text_delta", || json!({ "text": text }));
    }

    /// Sends a picture of the answer.
    pub(crate) fn send_image(&self, image: &Image) {
        self.pieces_sent.set(self.pieces_sent() + 1);
        self.send("image", || json!({ "mimeType": image.mime_type, "data": &*image.data }));
    }
}

/// Current time.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(now_s()).unwrap_or_default()
}
