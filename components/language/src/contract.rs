//! Converts turns and replies from and to the contract.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolkit::dialogue as wit;

use crate::{
    context::signature,
    language::Language,
    message::{Body, Message, Part},
    turn::{Answered, Decision, Failure, Offer, Task, ToolCall, ToolResult, Turn},
    vocabulary,
};

/// Member of a context that holds the request as text, for components that do not know the context's kind.
pub const SENTENCE: &str = "sentence";

/// A request as text next to another context.
#[derive(Clone, Debug, Default, Deserialize)]
struct Sentence {
    #[serde(rename = "said")]
    text: String,
    /// Prefix of an unsigned answer in another agent's name.
    #[serde(default)]
    lead: String,
}

/// A turn of the contract.
#[derive(Debug)]
pub struct TurnRequest {
    /// The family's memory from the turn before.
    pub memory: Value,
    /// The request.
    pub task: Task,
    /// Context of the family's kind.
    pub context: Option<Value>,
    /// Whether the context is for another family.
    pub is_theirs: bool,
    /// Names declared by all components.
    pub names: Vec<wit::Name>,
    is_first: bool,
    offers: Vec<Offer>,
    answered: Vec<Answered>,
    /// Prefix of an answer in another agent's name.
    lead: Option<String>,
}

impl TurnRequest {
    /// Parses a turn for a family that understands contexts of this `kind`.
    ///
    /// # Errors
    /// If the context or another JSON document is invalid.
    pub fn read(turn: wit::Turn, kind: Option<&str>) -> Result<Self, String> {
        vocabulary::set_other_families(&turn.names);
        let memory = turn.memory.as_deref().map(|it| read("memory", it)).transpose()?;
        let context: Option<Map<String, Value>> =
            turn.context.as_deref().map(|it| read("context", it)).transpose()?;
        let seconds = i64::try_from(turn.now.seconds).unwrap_or_default();
        let mut task = Task {
            message: turn.message.into_iter().map(Part::from).collect(),
            history: turn.history.into_iter().map(message).collect(),
            language: match turn.language {
                wit::Language::Ja => Language::Japanese,
                wit::Language::En => Language::English,
            },
            now: Timestamp::from_second(seconds).unwrap_or_default(),
        };
        let own = context.as_ref().zip(kind).and_then(|(it, kind)| it.get(kind)).cloned();
        let sentence = context.as_ref().and_then(|it| it.get(SENTENCE));
        let sentence = sentence.map(|it| of::<Sentence>("context", it.clone())).transpose()?;
        let is_theirs = context.is_some() && own.is_none() && sentence.is_none();
        let lead = sentence.map(|lead| {
            (task.message, task.history) = (vec![Part::text(lead.text)], Vec::new());
            lead.lead
        });
        Ok(Self {
            memory: memory.unwrap_or_default(),
            task,
            context: own,
            is_theirs,
            names: turn.names,
            is_first: turn.is_first,
            offers: turn.tools,
            answered: turn.answered.into_iter().map(answered).collect::<Result<_, _>>()?,
            lead,
        })
    }

    /// Returns the input of a decision.
    pub fn turn(&self) -> Turn<'_> {
        let Self { task, is_first, offers, answered, .. } = self;
        Turn { task, is_first: *is_first, offers, answered }
    }

    /// Whether the turn has a request as text.
    pub fn asks(&self) -> bool {
        self.lead.is_some()
    }

    /// Parses the context; `None` without one of the family's kind.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn context_as<T: for<'a> Deserialize<'a>>(&self) -> Result<Option<T>, String> {
        self.context.clone().map(|it| of("context", it)).transpose()
    }

    /// Builds the reply to the assistant.
    pub fn reply(&self, decision: Decision, memory: &Value, confidence: f32) -> wit::Reply {
        let decision = match (&self.lead, decision) {
            (Some(lead), Decision::Conclude(mut it)) => {
                for part in it.parts.iter_mut().take(1) {
                    if let Body::Text(text) = &mut part.body {
                        *text =
                            format!("{lead}{}", without_signature(text, self.task.language).trim());
                    }
                }
                Decision::Conclude(it)
            }
            (_, decision) => decision,
        };
        wit::Reply { confidence, memory: memory.to_string(), step: step(decision) }
    }
}

/// Removes the signature of an answer.
pub fn without_signature(text: &str, language: Language) -> &str {
    text.strip_suffix(signature(language)).unwrap_or(text)
}

fn of<T: for<'a> Deserialize<'a>>(what: &str, value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|it| format!("{what} cannot be read: {it}"))
}

fn read<'a, T: Deserialize<'a>>(what: &str, json: &'a str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|it| format!("{what} cannot be read: {it}"))
}

fn message(remark: wit::Remark) -> Message {
    Message { is_user: remark.is_user, parts: remark.content.into_iter().map(Part::from).collect() }
}

/// Detail of a failure whose code says that the person denied the call, where the tool says so and no person was asked.
pub const BY_TOOL: &str = "madoguchi/by-tool";
/// Code of such a failure in sentences.
const REFUSED: &str = "refused";

fn answered(answered: wit::Answered) -> Result<Answered, String> {
    let wit::Call { id, tool, arguments, meta, reason } = answered.call;
    let (arguments, meta) = (read("arguments", &arguments)?, read("meta", &meta)?);
    let call = ToolCall { id, name: tool, arguments, meta, reason };
    let result = match answered.outcome {
        Ok(output) => ToolResult::Output {
            structured: read("structured", &output.structured)?,
            meta: read("meta", &output.meta)?,
            content: output.content.into_iter().map(Part::from).collect(),
        },
        Err(failure) => {
            let mut data: Map<String, Value> = read("details", &failure.details)?;
            let (mut error, message, status) = (failure.code, failure.message, failure.status);
            if data.remove(BY_TOOL).is_some() {
                REFUSED.clone_into(&mut error);
            }
            ToolResult::Failed(Failure { error, message, status, data })
        }
    };
    Ok(Answered { call, result })
}

fn step(decision: Decision) -> wit::Step {
    match decision {
        Decision::Call(calls) => wit::Step::Calls(calls.into_iter().map(call).collect()),
        Decision::Conclude(conclusion) => wit::Step::Answer(wit::Answer {
            content: conclusion.parts.into_iter().map(Into::into).collect(),
            choice: conclusion.choice.map(|choice| wit::Choice {
                call: choice.call,
                index: choice.index.and_then(|it| u32::try_from(it).ok()),
                summary: choice.summary,
            }),
        }),
    }
}

pub(crate) fn call(call: ToolCall) -> wit::Call {
    let ToolCall { id, name, arguments, meta, reason } = call;
    let json = |it: Map<String, Value>| Value::Object(it).to_string();
    wit::Call { id, tool: name, arguments: json(arguments), meta: json(meta), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denial_of_a_tool_is_not_the_persons() {
        let code = |details: &str| {
            let call = wit::Call {
                id: "a".to_owned(),
                tool: "book".to_owned(),
                arguments: "{}".to_owned(),
                meta: "{}".to_owned(),
                reason: String::new(),
            };
            let failure = wit::Failure {
                code: "not_allowed".to_owned(),
                message: "Members only.".to_owned(),
                status: 403,
                details: details.to_owned(),
            };
            let read = answered(wit::Answered { call, outcome: Err(failure) }).unwrap();
            let ToolResult::Failed(failure) = read.result else { panic!("it failed") };
            assert!(failure.data.is_empty());
            failure.error
        };
        assert_eq!(code("{}"), "not_allowed");
        assert_eq!(code(&format!("{{\"{BY_TOOL}\":true}}")), "refused");
    }
}
