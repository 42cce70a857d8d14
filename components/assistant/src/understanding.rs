//! Decides without a model: the components that understand sentences are told of the turn, and the one that
//! understands best says what comes next. Its answer is told sentence by sentence, as a model's would be.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolkit::{
    Datetime,
    dialogue::{self as wit, Heard},
};

use crate::{
    Answered, Body, Choice, Conclusion, Decider, Decision, Image, Message, Offer, Part, Task,
    ToolCall, ToolResult, Turn, Undecided, Why, images_of,
};

/// Where a transcript keeps the components' memories, and the name of the one that answered last.
const MEMORIES: &str = "memories";
const LATEST: &str = "latest";

/// What decides where no model is asked.
#[derive(Default)]
pub(crate) struct Understanding {
    /// What is known beside what is said.
    context: Option<Value>,
    /// What each component wants to be told again, by its name.
    memories: BTreeMap<String, Value>,
    /// The component that goes on with what it began.
    latest: Option<String>,
}

impl Understanding {
    /// Goes on from `transcript` where there is one.
    pub(crate) fn resume(transcript: Option<&Value>) -> Self {
        let memories = transcript.and_then(|it| it.get(MEMORIES)?.as_object());
        let memory = |(name, memory): (&String, &Value)| (name.clone(), memory.clone());
        let latest = transcript.and_then(|it| it.get(LATEST)?.as_str());
        Self {
            context: None,
            memories: memories.into_iter().flatten().map(memory).collect(),
            latest: latest.map(str::to_owned),
        }
    }

    /// Does what a component asks, which knows more than what is said.
    pub(crate) fn knowing(self, context: Option<Value>) -> Self {
        Self { context, ..self }
    }

    fn next(&mut self, turn: Turn<'_>) -> Result<Decision, Undecided> {
        let only = self.latest.as_deref().filter(|_| !turn.is_first);
        let memory = |(name, memory): (&String, &Value)| (name.clone(), memory.to_string());
        let memories: Vec<_> = self.memories.iter().map(memory).collect();
        let mut told = told(turn);
        told.context = self.context.as_ref().map(Value::to_string);
        let mut best: Option<((f32, bool), String, wit::Reply)> = None;
        let mut failed = None;
        for Heard { component, reply } in wit::ask(&told, &memories, only) {
            match reply {
                Ok(reply) => {
                    let is_number = reply.confidence.is_finite();
                    let confidence = if is_number { reply.confidence.clamp(0.0, 1.0) } else { 0.0 };
                    // Of those that are alike, the one that led before goes on.
                    let goes_on = Some(&*component) == self.latest.as_deref();
                    let rank = (confidence, goes_on);
                    if best.as_ref().is_none_or(|it| rank > it.0) {
                        best = Some((rank, component, reply));
                    }
                }
                Err(_) => failed = Some(component),
            }
        }
        let Some((_, component, reply)) = best else {
            return Err(match failed {
                Some(it) => {
                    let what = format!("the component {it} failed; the server's log says how");
                    Undecided::new(Why::Failed, what)
                }
                None => Undecided::new(
                    Why::Missing,
                    "no component that is served understands sentences, and no model is asked: serve one that exports dialogue, or configure a model",
                ),
            });
        };
        let memory = serde_json::from_str(&reply.memory).unwrap_or_default();
        self.memories.insert(component.clone(), memory);
        self.latest = Some(component);
        decision(reply.step)
    }
}

impl Decider for Understanding {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, Undecided> {
        let decision = self.next(turn)?;
        if let Decision::Conclude(conclusion) = &decision {
            for text in conclusion.text().split_inclusive(['。', '\n']) {
                turn.teller.say(text);
            }
            for image in images_of(&conclusion.parts) {
                turn.teller.show(image);
            }
        }
        Ok(decision)
    }

    fn may_call_for_pages(&self) -> bool {
        self.context.is_none()
    }

    fn transcript(&self) -> Value {
        json!({ MEMORIES: self.memories, LATEST: self.latest })
    }
}

/// The turn as the contract has it.
fn told(turn: Turn<'_>) -> wit::Turn {
    let Task { message, history, language, now } = turn.task;
    wit::Turn {
        memory: None,
        context: None,
        message: message.iter().map(piece).collect(),
        is_first: turn.is_first,
        history: history.iter().map(remark).collect(),
        language: language.pick(wit::Language::Ja, wit::Language::En),
        now: Datetime {
            seconds: u64::try_from(now.as_second()).unwrap_or_default(),
            nanoseconds: 0,
        },
        tools: turn.offers.iter().map(tool).collect(),
        answered: turn.answered.iter().map(answered).collect(),
        names: Vec::new(),
    }
}

fn remark(it: &Message) -> wit::Remark {
    wit::Remark { is_user: it.is_user, content: it.parts.iter().map(piece).collect() }
}

fn piece(it: &Part) -> wit::Piece {
    match &it.body {
        Body::Text(text) => wit::Piece::Text(text.clone()),
        Body::Image(Image { mime_type, data }) => {
            let (mime_type, base64) = (mime_type.clone(), data.to_string());
            wit::Piece::Picture(wit::Picture { mime_type, base64 })
        }
    }
}

fn part(it: wit::Piece) -> Part {
    match it {
        wit::Piece::Text(text) => Part::text(text),
        wit::Piece::Picture(it) => {
            Part::image(Image { mime_type: it.mime_type, data: it.base64.into() })
        }
    }
}

fn tool(it: &Offer) -> wit::Tool {
    let arguments = it.schema.get("properties").and_then(Value::as_object);
    let required = it.schema.get("required").and_then(Value::as_array).into_iter().flatten();
    wit::Tool {
        name: it.name.to_string(),
        arguments: arguments.into_iter().flat_map(Map::keys).cloned().collect(),
        required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        is_read_only: it.is_read_only,
    }
}

fn answered(it: &Answered) -> wit::Answered {
    let ToolCall { id, name, arguments, meta, reason } = &it.call;
    let call = wit::Call {
        id: id.clone(),
        tool: name.clone(),
        arguments: text(arguments),
        meta: text(meta),
        reason: reason.clone(),
    };
    let outcome = match &it.result {
        ToolResult::Output { structured, meta, content } => Ok(wit::Output {
            structured: structured.to_string(),
            meta: meta.to_string(),
            content: content.iter().map(piece).collect(),
        }),
        ToolResult::Failed(it) => Err(wit::Failure {
            code: it.error.clone(),
            message: it.message.clone(),
            status: it.status,
            details: text(&it.data),
        }),
    };
    wit::Answered { call, outcome }
}

fn text(it: &Map<String, Value>) -> String {
    serde_json::to_string(it).unwrap_or_default()
}

fn decision(it: wit::Step) -> Result<Decision, Undecided> {
    Ok(match it {
        wit::Step::Calls(calls) => {
            Decision::Call(calls.into_iter().map(call).collect::<Result<_, _>>()?)
        }
        wit::Step::Answer(it) => Decision::Conclude(Conclusion {
            parts: it.content.into_iter().map(part).collect(),
            choice: it.choice.map(|it| Choice {
                call: it.call,
                index: it.index.and_then(|it| usize::try_from(it).ok()),
                summary: it.summary,
            }),
            cut: None,
        }),
    })
}

fn call(it: wit::Call) -> Result<ToolCall, Undecided> {
    let object = |json: &str| {
        serde_json::from_str::<Map<String, Value>>(json).map_err(|error| {
            let what = format!("the call of {} is no JSON object: {error}", it.tool);
            Undecided::new(Why::Failed, what)
        })
    };
    let (arguments, meta) = (object(&it.arguments)?, object(&it.meta)?);
    Ok(ToolCall { id: it.id, name: it.tool, arguments, meta, reason: it.reason })
}
