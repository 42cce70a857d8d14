//! What the plans have at hand in one turn: what is on offer, the caller's language, and how calls,
//! forms and answers are made.

use jiff::{Timestamp, civil::Date};
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::{
    Answered, Conclusion, Decision, Language, Offer, Part, ToolCall, ToolResult,
    planner::when::JAPAN,
};

pub(super) const FORM: &str = "request_form";

/// One turn's desk.
pub(super) struct Desk<'a> {
    pub(super) language: Language,
    pub(super) now: Timestamp,
    pub(super) offers: &'a [Offer],
    /// How many calls there were before.
    pub(super) calls: &'a mut u64,
}

impl Desk<'_> {
    /// The day in Japan.
    pub(super) fn today(&self) -> Date {
        today(self.now)
    }

    /// Minutes since midnight in Japan.
    pub(super) fn minutes(&self) -> u16 {
        let time = JAPAN.to_datetime(self.now).time();
        u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or(0)
    }

    pub(super) fn has(&self, tool: &str) -> bool {
        self.offers.iter().any(|it| it.name == tool)
    }

    /// Whether `tool` has such an argument.
    pub(super) fn takes(&self, tool: &str, argument: &str) -> bool {
        let mut offers = self.offers.iter().filter(|it| it.name == tool);
        offers.any(|it| it.arguments.iter().any(|it| it == argument))
    }

    /// Whether `tool` cannot do without such an argument.
    pub(super) fn needs(&self, tool: &str, argument: &str) -> bool {
        let mut offers = self.offers.iter().filter(|it| it.name == tool);
        offers.any(|it| it.required.iter().any(|it| it == argument))
    }

    pub(super) fn say(&self, japanese: impl Into<String>, english: impl Into<String>) -> String {
        match self.language {
            Language::Japanese => japanese.into(),
            Language::English => english.into(),
        }
    }

    /// A call of `tool`, and why.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: Value,
        reason: impl Into<String>,
    ) -> ToolCall {
        *self.calls += 1;
        ToolCall {
            id: format!("call-{}", self.calls),
            name: tool.to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            meta: Map::new(),
            reason: reason.into(),
        }
    }

    /// One call, and nothing else in this turn.
    pub(super) fn only(
        &mut self,
        tool: &str,
        arguments: Value,
        reason: impl Into<String>,
    ) -> Decision {
        Decision::Call(vec![self.call(tool, arguments, reason)])
    }

    /// Asks by a form; where there is none on offer, in words.
    pub(super) fn ask(
        &mut self,
        form: Value,
        reason: impl Into<String>,
        words: impl Into<String>,
    ) -> Decision {
        if !self.has(FORM) {
            return self.conclude(words);
        }
        self.only(FORM, json!({ "form_schema": form }), reason)
    }

    /// An answer in words, which says who gives it.
    pub(super) fn conclude(&self, text: impl Into<String>) -> Decision {
        self.answer(text, Vec::new())
    }

    /// An answer with pictures.
    pub(super) fn answer(&self, text: impl Into<String>, pictures: Vec<Part>) -> Decision {
        let mut text = text.into();
        text.push_str(self.language.pick("\n（内蔵プランナー）", "\n(Built-in planner)"));
        let mut parts = vec![Part::text(text)];
        parts.extend(pictures);
        Decision::Conclude(Conclusion { parts, ..Conclusion::default() })
    }
}

/// The day in Japan.
pub(super) fn today(now: Timestamp) -> Date {
    JAPAN.to_datetime(now).date()
}

/// The output of the last call of `tool` among `answered`.
pub(super) fn output<'a>(answered: &'a [Answered], tool: &str) -> Option<&'a Value> {
    answered.iter().rev().find(|it| it.call.name == tool).and_then(|it| match &it.result {
        ToolResult::Output { structured, .. } => Some(structured),
        ToolResult::Failed(_) => None,
    })
}

/// The first failure among `answered`, and the tool that failed.
pub(super) fn failure(answered: &[Answered]) -> Option<(&str, &Failure)> {
    answered.iter().find_map(|it| match &it.result {
        ToolResult::Failed(failure) => Some((it.call.name.as_str(), failure)),
        ToolResult::Output { .. } => None,
    })
}

/// What a form was answered with, where its call itself brought that back (FORM-11).
pub(super) fn submitted(answered: &[Answered]) -> Option<&Map<String, Value>> {
    let form = output(answered, FORM)?;
    (form["status"] == "submitted").then(|| form["values"].as_object())?
}
