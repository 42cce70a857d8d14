//! Whoever decides which tools are called next, and what they go by.

use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::failure::Failure;

/// The language that the caller reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Japanese,
    English,
}

impl Language {
    /// The caller's, as far as they say; else that of what they wrote.
    pub(crate) fn of(locale: Option<&str>, text: &str) -> Self {
        let is_japanese = match locale {
            Some(it) => it.to_ascii_lowercase().starts_with("ja"),
            None => !text.chars().any(|it| it.is_ascii_alphabetic()) || text.chars().any(is_kana),
        };
        if is_japanese { Self::Japanese } else { Self::English }
    }

    /// As a BCP 47 tag.
    pub(crate) fn tag(self) -> &'static str {
        self.pick("ja", "en")
    }

    /// One of the two.
    pub(crate) fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

fn is_kana(it: char) -> bool {
    matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// Where the way begins.
    pub(crate) origin: String,
    /// Where it ends.
    pub(crate) destination: String,
    /// What is wished of it, in a sentence.
    pub(crate) message: String,
    /// What was said before, oldest first.
    pub(crate) history: Vec<Said>,
    /// What the caller reads.
    pub(crate) language: Language,
    /// When it is asked.
    pub(crate) now: Timestamp,
    /// The names of the tools that the caller may call.
    pub(crate) tools: Vec<Arc<str>>,
}

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Whether the person said it, rather than the assistant.
    pub(crate) is_user: bool,
    pub(crate) content: String,
}

/// A call that somebody decided on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    /// Tells it from the others of the same run.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
    /// Entries of the request's `_meta`.
    pub(crate) meta: Map<String, Value>,
    /// Why it is called, for people (NAV-54).
    pub(crate) reason: String,
}

/// A call and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) call: ToolCall,
    pub(crate) result: ToolResult,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub(crate) enum ToolResult {
    /// The tool's object, and the result's `_meta`.
    Output { structured: Value, meta: Value },
    /// What whoever decides may mend; anything worse ends the run.
    Failed(Failure),
}

/// What is next.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    /// These calls, all at once.
    Call(Vec<ToolCall>),
    /// Nothing more.
    Conclude(Conclusion),
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conclusion {
    /// For people: what was chosen, and why.
    pub(crate) message: String,
    /// The route that was chosen, if any. Named, never retyped (NAV-6).
    pub(crate) choice: Option<Choice>,
}

/// A route among the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The call whose result has it; none, the last that has routes.
    pub(crate) call: Option<String>,
    /// Its place there, from 0.
    pub(crate) index: Option<usize>,
    /// Its summary, where the index does not fit.
    pub(crate) summary: Option<String>,
}

/// Why there is no decision: whoever decides cannot be reached, or is too slow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undecided {
    pub(crate) details: String,
}

/// Decides which tools are called. One a run: it may keep what it needs to go on.
pub(crate) trait Decider: Send {
    /// What is next. `answered` is what the calls of the turn before came to, in their order; nothing
    /// in the first turn.
    fn decide<'a>(
        &'a mut self,
        task: &'a Task,
        answered: &'a [Answered],
        teller: &'a Teller,
    ) -> BoxFuture<'a, Result<Decision, Undecided>>;
}

/// Something that happened on the way to an answer (NAV-9).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) name: &'static str,
    pub(crate) data: Value,
}

/// Where events go; nowhere, if nobody listens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Teller(pub(crate) Option<mpsc::Sender<Event>>);

impl Teller {
    /// Tells it, in the order in which things happen. Whoever listens slowly is waited for, as long
    /// as the run may take.
    pub(crate) async fn tell(&self, name: &'static str, data: impl FnOnce() -> Value) {
        if let Some(sender) = &self.0 {
            // A listener who has gone ends the run elsewhere.
            let _ = sender.send(Event { name, data: data() }).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_callers_and_else_that_of_the_sentence() {
        for (locale, text, language) in [
            (Some("ja-JP"), "no highways", Language::Japanese),
            (Some("en"), "高速使わない", Language::English),
            (Some("fr"), "高速使わない", Language::English),
            (None, "高速使わない", Language::Japanese),
            (None, "最短で TOLL なし", Language::Japanese),
            (None, "no highways", Language::English),
            (None, "?", Language::Japanese),
        ] {
            assert_eq!(Language::of(locale, text), language, "{locale:?} {text}");
        }
    }
}
