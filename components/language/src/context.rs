//! Context of one turn for plans: tools on offer, language, and constructors of calls, forms and answers.

use jiff::{Timestamp, civil::Date};
use serde_json::{Map, Value, json};

use crate::{
    clock::JAPAN,
    language::Language,
    message::Part,
    turn::{Answered, Conclusion, Decision, Failure, Offer, ToolCall, ToolResult},
};

/// Argument of tools that ask by a form (FORM-1): the form's definition.
pub const FORM_SCHEMA: &str = "form_schema";

/// An error code and its meaning in Japanese.
pub type Code = (&'static str, &'static str);

/// Describes the family in answers.
#[derive(Debug)]
pub struct FamilyInfo {
    /// Name of the family, the prefix of its call ids.
    pub family: &'static str,
    /// Error codes of its tools.
    pub codes: &'static [Code],
    /// Details of an error that name its subject.
    pub subjects: &'static [&'static str],
}

/// State of one turn.
#[derive(Debug)]
pub struct TurnContext<'a> {
    /// The family that answers.
    pub holder: &'static FamilyInfo,
    /// The language of the answer.
    pub language: Language,
    /// Current time.
    pub now: Timestamp,
    /// Tools on offer.
    pub offers: &'a [Offer],
    /// Number of calls so far.
    pub calls: &'a mut u64,
    /// Whether the request turned out to be for another family.
    pub is_given_up: bool,
}

impl TurnContext<'_> {
    /// Date in Japan.
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

    /// Name of the tool that asks by a form, if any.
    pub fn form(&self) -> Option<&str> {
        let takes = |it: &&Offer| it.required.iter().any(|it| it == FORM_SCHEMA);
        self.offers.iter().find(takes).map(|it| it.name.as_str())
    }

    /// Whether `tool` has this argument.
    pub fn takes(&self, tool: &str, argument: &str) -> bool {
        let mut offers = self.offers.iter().filter(|it| it.name == tool);
        offers.any(|it| it.arguments.iter().any(|it| it == argument))
    }

    /// Whether `tool` requires this argument.
    pub fn needs(&self, tool: &str, argument: &str) -> bool {
        let mut offers = self.offers.iter().filter(|it| it.name == tool);
        offers.any(|it| it.required.iter().any(|it| it == argument))
    }

    /// Picks the text in the language of the answer.
    pub fn say(&self, japanese: impl Into<String>, english: impl Into<String>) -> String {
        match self.language {
            Language::Japanese => japanese.into(),
            Language::English => english.into(),
        }
    }

    /// Creates a call of `tool`.
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

    /// Decides on a single call.
    pub fn only(&mut self, tool: &str, arguments: Value, reason: impl Into<String>) -> Decision {
        Decision::Call(vec![self.call(tool, arguments, reason)])
    }

    /// Asks by a form, or as text if no form is on offer.
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

    /// Concludes with a signed text.
    pub fn conclude(&self, text: impl Into<String>) -> Decision {
        self.answer(text, Vec::new())
    }

    /// Concludes with a list of a tool's results, one per line. `what` names and counts them; `next_cursor`
    /// adds that there are more.
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

    /// Concludes with pictures.
    pub fn answer(&self, text: impl Into<String>, pictures: Vec<Part>) -> Decision {
        let mut text = text.into();
        text.push_str(signature(self.language));
        let mut parts = vec![Part::text(text)];
        parts.extend(pictures);
        Decision::Conclude(Conclusion { parts, ..Conclusion::default() })
    }
}

/// Date in Japan.
pub fn today(now: Timestamp) -> Date {
    JAPAN.to_datetime(now).date()
}

/// Output of the last call of `tool` among `answered`.
pub fn output<'a>(answered: &'a [Answered], tool: &str) -> Option<&'a Value> {
    answered.iter().rev().find(|it| it.call.name == tool).and_then(|done| match &done.result {
        ToolResult::Output { structured, .. } => Some(structured),
        ToolResult::Failed(_) => None,
    })
}

/// First failure among `answered`, with its tool.
pub fn failure(answered: &[Answered]) -> Option<(&str, &Failure)> {
    answered.iter().find_map(|answered| match &answered.result {
        ToolResult::Failed(failure) => Some((answered.call.name.as_str(), failure)),
        ToolResult::Output { .. } => None,
    })
}

/// Values of a form, if its call itself returned them (FORM-11).
pub fn submitted(answered: &[Answered]) -> Option<&Map<String, Value>> {
    let form = answered.iter().rev().find(|it| it.call.arguments.contains_key(FORM_SCHEMA))?;
    let ToolResult::Output { structured, .. } = &form.result else { return None };
    (structured["status"] == "submitted").then(|| structured["values"].as_object())?
}

/// Signature at the end of an answer, a paragraph of its own: on a line of a list it would be of that.
pub fn signature(language: Language) -> &'static str {
    language.pick("\n\n（内蔵プランナー）", "\n\n(Built-in planner)")
}
