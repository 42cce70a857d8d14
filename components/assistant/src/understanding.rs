//! Decides without a model, by the [`Ensemble`] of components that understand sentences. Its answer is sent sentence by
//! sentence, as a model's would be.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::{
    Datetime,
    dialogue::{self as wit, Heard},
};

use crate::{
    Answered, Choice, Conclusion, Decision, Message, ModelError, Offer, Task, ToolCall, ToolPicker,
    ToolResult, Turn, Why,
    ensemble::{Ensemble, Families, Silence},
    images_of,
};

/// What decides where no model is asked.
#[derive(Default)]
pub(crate) struct Understanding {
    /// What is known beside the sentence.
    context: Option<Value>,
    ensemble: Ensemble,
}

/// The components that are served.
struct Served;

impl Families for Served {
    fn names(&self, language: wit::Language) -> Vec<wit::Name> {
        wit::names(language)
    }

    fn ask(
        &self,
        turn: &wit::Turn,
        memories: &[(String, String)],
        only: Option<&str>,
    ) -> Vec<Heard> {
        wit::ask(turn, memories, only)
    }
}

impl Understanding {
    /// Goes on from `transcript` where there is one.
    pub(crate) fn resume(transcript: Option<&Value>) -> Self {
        let ensemble = transcript.and_then(|it| Ensemble::deserialize(it).ok());
        Self { context: None, ensemble: ensemble.unwrap_or_default() }
    }

    /// Does what a component asks, which knows more than the sentence.
    pub(crate) fn knowing(self, context: Option<Value>) -> Self {
        Self { context, ..self }
    }

    fn next(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        let mut turn = to_wit(turn);
        turn.context = self.context.as_ref().map(Value::to_string);
        let step = self.ensemble.next(&Served, turn).map_err(|silence| match silence {
            Silence::Failed(it) => {
                let what = format!("the component {it} failed; the server's log says how");
                ModelError::new(Why::Failed, what)
            }
            Silence::Nothing => ModelError::new(
                Why::Missing,
                "no component that is served understands sentences, and no model is asked: serve one that exports dialogue, or configure a model",
            ),
        })?;
        decision(step)
    }
}

impl ToolPicker for Understanding {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
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
        json!(self.ensemble)
    }
}

/// The turn as the contract has it.
fn to_wit(turn: Turn<'_>) -> wit::Turn {
    let Task { message, history, language, now } = turn.task;
    wit::Turn {
        memory: None,
        context: None,
        message: message.iter().cloned().map(Into::into).collect(),
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
    wit::Remark { is_user: it.is_user, content: it.parts.iter().cloned().map(Into::into).collect() }
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
            content: content.iter().cloned().map(Into::into).collect(),
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

fn decision(it: wit::Step) -> Result<Decision, ModelError> {
    Ok(match it {
        wit::Step::Calls(calls) => {
            Decision::Call(calls.into_iter().map(call).collect::<Result<_, _>>()?)
        }
        wit::Step::Answer(it) => Decision::Conclude(Conclusion {
            parts: it.content.into_iter().map(Into::into).collect(),
            choice: it.choice.map(|choice| Choice {
                call: choice.call,
                index: choice.index.and_then(|it| usize::try_from(it).ok()),
                summary: choice.summary,
            }),
            cut: None,
        }),
    })
}

fn call(it: wit::Call) -> Result<ToolCall, ModelError> {
    let object = |json: &str| {
        serde_json::from_str::<Map<String, Value>>(json).map_err(|error| {
            let what = format!("the call of {} is no JSON object: {error}", it.tool);
            ModelError::new(Why::Failed, what)
        })
    };
    let (arguments, meta) = (object(&it.arguments)?, object(&it.meta)?);
    Ok(ToolCall { id: it.id, name: it.tool, arguments, meta, reason: it.reason })
}
