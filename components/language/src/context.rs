//! What the plans have at hand in one turn: what is on offer, the caller's language, and how calls,
//! forms and answers are made.

use jiff::{Timestamp, civil::Date};
use serde_json::{Map, Value, json};

use crate::{
    clock::JAPAN,
    language::Language,
    message::Part,
    turn::{Answered, Conclusion, Decision, Failure, Offer, ToolCall, ToolResult},
};

/// What a tool takes that asks by a form (FORM-1): the form's definition.
pub const FORM_SCHEMA: &str = "form_schema";

/// A code of refusals, and what it means in Japanese.
pub type Code = (&'static str, &'static str);

/// The component and the family that answer.
#[derive(Debug)]
pub struct Holder {
    /// The family, which begins the ids of its calls.
    pub family: &'static str,
    /// What its tools refuse.
    pub codes: &'static [Code],
    /// Facts of a refusal that name what was asked for.
    pub subjects: &'static [&'static str],
}

/// The state of one turn.
#[derive(Debug)]
pub struct TurnContext<'a> {
    /// The component and the family that answer.
    pub holder: &'static Holder,
    /// The language of the answer.
    pub language: Language,
    /// When it is asked.
    pub now: Timestamp,
    /// What may be called.
    pub offers: &'a [Offer],
    /// How many calls there were before.
    pub calls: &'a mut u64,
    /// Whether it turned out that another family is meant.
    pub is_given_up: bool,
}

impl TurnContext<'_> {
    /// The day in Japan.
    pub fn today(&self) -> Date {
        today(self.now)
    }

    /// Minutes since midnight in Japan.
    pub fn minutes(&self) -> u16 {
        let time = JAPAN.to_datetime(self.now).time();
        u16::try_from(i32::from(time.hour()) * 60 + i32::from(time.minute())).unwrap_or(0)
    }

    /// Whether `tool` is on offer.
    pub fn has(&self, tool: &str) -> bool {
        self.offers.iter().any(|it| it.name == tool)
    }

    /// The tool that asks by a form, where there is one.
    pub fn form(&self) -> Option<&str> {
        let takes = |it: &&Offer| it.required.iter().any(|it| it == FORM_SCHEMA);
        self.offers.iter().find(takes).map(|it| it.name.as_str())
    }

    /// Whether `tool` has such an argument.
    pub fn takes(&self, tool: &str, argument: &str) -> bool {
        let mut offers = self.offers.iter().filter(|it| it.name == tool);
        offers.any(|it| it.arguments.iter().any(|it| it == argument))
    }

    /// Whether `tool` cannot do without such an argument.
    pub fn needs(&self, tool: &str, argument: &str) -> bool {
        let mut offers = self.offers.iter().filter(|it| it.name == tool);
        offers.any(|it| it.required.iter().any(|it| it == argument))
    }

    /// One of two texts, in the language of the answer.
    pub fn say(&self, japanese: impl Into<String>, english: impl Into<String>) -> String {
        match self.language {
            Language::Japanese => japanese.into(),
            Language::English => english.into(),
        }
    }

    /// A call of `tool`, and why.
    pub fn call(&mut self, tool: &str, arguments: Value, reason: impl Into<String>) -> ToolCall {
        *self.calls += 1;
        ToolCall {
            id: format!("{}-{}", self.holder.family, self.calls),
            name: tool.to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            meta: Map::new(),
            reason: reason.into(),
        }
    }

    /// One call, and nothing else in this turn.
    pub fn only(&mut self, tool: &str, arguments: Value, reason: impl Into<String>) -> Decision {
        Decision::Call(vec![self.call(tool, arguments, reason)])
    }

    /// Asks by a form; where there is none on offer, as text.
    pub fn ask(
        &mut self,
        form: Value,
        reason: impl Into<String>,
        words: impl Into<String>,
    ) -> Decision {
        match self.form().map(str::to_owned) {
            Some(tool) => self.only(&tool, json!({ FORM_SCHEMA: form }), reason),
            None => self.conclude(words),
        }
    }

    /// An answer as text, which names the component that gives it.
    pub fn conclude(&self, text: impl Into<String>) -> Decision {
        self.answer(text, Vec::new())
    }

    /// An answer that lists what a tool listed, a line each: `what` they are, and how many; where `next_cursor` says
    /// that there are more, so does the answer.
    pub fn list(
        &self,
        what: &str,
        count: usize,
        next_cursor: &Value,
        lines: &[String],
    ) -> Decision {
        let more =
            if next_cursor.is_string() { self.say("以上", " or more") } else { String::new() };
        let head = match count {
            0 => self.say(format!("{what}はありません。"), format!("{what}: none.")),
            count => self
                .say(format!("{what}は{count}件{more}です。"), format!("{what}: {count}{more}.")),
        };
        self.conclude(format!("{head}\n{}", lines.join("\n")).trim_end().to_owned())
    }

    /// An answer with pictures.
    pub fn answer(&self, text: impl Into<String>, pictures: Vec<Part>) -> Decision {
        let mut text = text.into();
        text.push_str(signature(self.language));
        let mut parts = vec![Part::text(text)];
        parts.extend(pictures);
        Decision::Conclude(Conclusion { parts, ..Conclusion::default() })
    }
}

/// The day in Japan.
pub fn today(now: Timestamp) -> Date {
    JAPAN.to_datetime(now).date()
}

/// The output of the last call of `tool` among `answered`.
pub fn output<'a>(answered: &'a [Answered], tool: &str) -> Option<&'a Value> {
    answered.iter().rev().find(|it| it.call.name == tool).and_then(|done| match &done.result {
        ToolResult::Output { structured, .. } => Some(structured),
        ToolResult::Failed(_) => None,
    })
}

/// The first failure among `answered`, and the tool that failed.
pub fn failure(answered: &[Answered]) -> Option<(&str, &Failure)> {
    answered.iter().find_map(|answered| match &answered.result {
        ToolResult::Failed(failure) => Some((answered.call.name.as_str(), failure)),
        ToolResult::Output { .. } => None,
    })
}

/// What a form was answered with, where its call itself brought that back (FORM-11).
pub fn submitted(answered: &[Answered]) -> Option<&Map<String, Value>> {
    let form = answered.iter().rev().find(|it| it.call.arguments.contains_key(FORM_SCHEMA))?;
    let ToolResult::Output { structured, .. } = &form.result else { return None };
    (structured["status"] == "submitted").then(|| structured["values"].as_object())?
}

/// How an answer ends: with who gives it.
pub fn signature(language: Language) -> &'static str {
    language.pick("\n（内蔵プランナー）", "\n(Built-in planner)")
}
