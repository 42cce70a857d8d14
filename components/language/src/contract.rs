//! The contract's turns: what the host sends is read, and what is decided goes back.

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

/// The member of a context that has the request as text: a component that knows nothing of the context answers that.
pub const SENTENCE: &str = "sentence";

/// The request as text, beside other context.
#[derive(Clone, Debug, Default, Deserialize)]
struct Sentence {
    said: String,
    /// What the answer begins with. It is given in another's name, and so it is not signed.
    #[serde(default)]
    lead: String,
}

/// A turn, as the contract sends it.
#[derive(Debug)]
pub struct TurnRequest {
    /// What the component put out in the turn before.
    pub memory: Value,
    /// What is asked for.
    pub task: Task,
    /// What else is known that is of the family's kind.
    pub context: Option<Value>,
    /// Whether what else is known is for another family.
    pub is_theirs: bool,
    /// What the components that are served call things.
    pub names: Vec<wit::Name>,
    is_first: bool,
    offers: Vec<Offer>,
    answered: Vec<Answered>,
    /// What an answer in another's name begins with.
    lead: Option<String>,
}

impl TurnRequest {
    /// Reads a turn for a family, which knows what the member `kind` of a context says.
    ///
    /// # Errors
    /// Where the context or another JSON document of the turn cannot be read.
    pub fn read(turn: wit::Turn, kind: Option<&str>) -> Result<Self, String> {
        vocabulary::tell(&turn.names);
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
            (task.message, task.history) = (vec![Part::text(lead.said)], Vec::new());
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

    /// What a decision goes by.
    pub fn turn(&self) -> Turn<'_> {
        let Self { task, is_first, offers, answered, .. } = self;
        Turn { task, is_first: *is_first, offers, answered }
    }

    /// Whether the turn has a request as text.
    pub fn asks(&self) -> bool {
        self.lead.is_some()
    }

    /// The context as it is read; none where there is none of the family's kind.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn context_as<T: for<'a> Deserialize<'a>>(&self) -> Result<Option<T>, String> {
        self.context.clone().map(|it| of("context", it)).transpose()
    }

    /// The reply that goes back to the assistant.
    pub fn reply(&self, decision: Decision, memory: &Value, confidence: f32) -> wit::Reply {
        let decision = match (&self.lead, decision) {
            (Some(lead), Decision::Conclude(mut it)) => {
                for part in it.parts.iter_mut().take(1) {
                    if let Body::Text(text) = &mut part.body {
                        *text = format!("{lead}{}", unsigned(text, self.task.language).trim());
                    }
                }
                Decision::Conclude(it)
            }
            (_, decision) => decision,
        };
        wit::Reply { confidence, memory: memory.to_string(), step: step(decision) }
    }
}

/// An answer without who gives it: one that another follows, or that is given in another's name.
pub fn unsigned(text: &str, language: Language) -> &str {
    text.strip_suffix(signature(language)).unwrap_or(text)
}

fn of<T: for<'a> Deserialize<'a>>(what: &str, value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|it| format!("{what} cannot be read: {it}"))
}

fn read<'a, T: Deserialize<'a>>(what: &str, json: &'a str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|it| format!("{what} cannot be read: {it}"))
}

fn message(it: wit::Remark) -> Message {
    Message { is_user: it.is_user, parts: it.content.into_iter().map(Part::from).collect() }
}

fn answered(it: wit::Answered) -> Result<Answered, String> {
    let wit::Call { id, tool, arguments, meta, reason } = it.call;
    let (arguments, meta) = (read("arguments", &arguments)?, read("meta", &meta)?);
    let call = ToolCall { id, name: tool, arguments, meta, reason };
    let result = match it.outcome {
        Ok(it) => ToolResult::Output {
            structured: read("structured", &it.structured)?,
            meta: read("meta", &it.meta)?,
            content: it.content.into_iter().map(Part::from).collect(),
        },
        Err(it) => {
            let data: Map<String, Value> = read("details", &it.details)?;
            let (error, message, status) = (it.code, it.message, it.status);
            ToolResult::Failed(Failure { error, message, status, data })
        }
    };
    Ok(Answered { call, result })
}

fn step(decision: Decision) -> wit::Step {
    match decision {
        Decision::Call(calls) => wit::Step::Calls(calls.into_iter().map(call).collect()),
        Decision::Conclude(it) => wit::Step::Answer(wit::Answer {
            content: it.parts.into_iter().map(Into::into).collect(),
            choice: it.choice.map(|choice| wit::Choice {
                call: choice.call,
                index: choice.index.and_then(|it| u32::try_from(it).ok()),
                summary: choice.summary,
            }),
        }),
    }
}

pub(crate) fn call(it: ToolCall) -> wit::Call {
    let ToolCall { id, name, arguments, meta, reason } = it;
    let json = |it: Map<String, Value>| Value::Object(it).to_string();
    wit::Call { id, tool: name, arguments: json(arguments), meta: json(meta), reason }
}
