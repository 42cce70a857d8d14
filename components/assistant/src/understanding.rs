//! Decides without a model, by the [`Ensemble`] of components that understand sentences. Sends its
//! answer sentence by sentence, as a model does.

use language::{contract::BY_TOOL, vocabulary::ASSISTANT};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::{
    Datetime,
    dialogue::{self as wit, Heard},
};

use crate::{
    Answered, AssistantConfig, Choice, Conclusion, Decision, ErrorKind, Message, ModelError, Offer,
    Settings, Task, ToolCall, ToolPicker, ToolResult, Turn, call,
    ensemble::{Ensemble, Families, NoReply},
    images_of,
};

/// The built-in picker.
#[derive(Default)]
pub(crate) struct Understanding {
    /// Extra context from the component that asked.
    context: Option<Value>,
    ensemble: Ensemble,
    /// Whether the assistant has every tool, so that no other one is recommended.
    has_all: bool,
    /// The tools that the configuration gives it.
    own: Vec<String>,
}

/// The components of the running host.
struct ServedFamilies<'a> {
    has_all: bool,
    own: &'a [String],
}

/// The assistants that may be recommended for what the one with the tools `own` cannot do, by their titles, with their
/// other tools. A tool of its own that is not on offer now is missing elsewhere as well.
fn assistants(own: &[String]) -> Vec<wit::Name> {
    let settings = Settings::read().ok();
    let all = settings.iter().flat_map(|it| it.enabled_assistants());
    let name = |(name, config): (&String, &std::sync::Arc<AssistantConfig>)| {
        let english = config.title.as_ref().unwrap_or(name);
        wit::Name {
            kind: ASSISTANT.to_owned(),
            name: config.title_ja.as_ref().unwrap_or(english).clone(),
            english: Some(english.clone()),
            within: None,
            also: config.tools().iter().filter(|it| !own.contains(it)).cloned().collect(),
            hints: Vec::new(),
            moods: Vec::new(),
        }
    };
    all.map(name).collect()
}

impl Families for ServedFamilies<'_> {
    fn names(&self, language: wit::Language) -> Vec<wit::Name> {
        let mut names = wit::names(language);
        if !self.has_all {
            names.extend(assistants(self.own));
        }
        names
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
    /// Continues from `transcript`, if given.
    pub(crate) fn resume(transcript: Option<&Value>) -> Self {
        let ensemble = transcript.and_then(|it| Ensemble::deserialize(it).ok());
        let ensemble = ensemble.unwrap_or_default();
        Self { context: None, ensemble, has_all: true, own: Vec::new() }
    }

    /// Decides for the assistant of `config`.
    pub(crate) fn for_assistant(self, config: &AssistantConfig) -> Self {
        Self { has_all: config.names("*"), own: config.tools().to_vec(), ..self }
    }

    /// Adds the context of the component that asked.
    pub(crate) fn with_context(self, context: Option<Value>) -> Self {
        Self { context, ..self }
    }

    fn next(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        let mut turn = to_wit(turn);
        turn.context = self.context.as_ref().map(Value::to_string);
        let families = ServedFamilies { has_all: self.has_all, own: &self.own };
        let step = self.ensemble.next(&families, turn).map_err(|silence| match silence {
            NoReply::Failed(family) => {
                let what = format!("the component {family} failed; the server's log says how");
                ModelError::new(ErrorKind::Failed, what)
            }
            NoReply::Nothing => ModelError::new(
                ErrorKind::Missing,
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
                turn.sink.send_text(text);
            }
            for image in images_of(&conclusion.parts) {
                turn.sink.send_image(image);
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

/// Converts the turn for the contract.
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

fn remark(message: &Message) -> wit::Remark {
    wit::Remark {
        is_user: message.is_user,
        content: message.parts.iter().cloned().map(Into::into).collect(),
    }
}

fn tool(offer: &Offer) -> wit::Tool {
    let arguments = offer.schema.get("properties").and_then(Value::as_object);
    let required = offer.schema.get("required").and_then(Value::as_array).into_iter().flatten();
    wit::Tool {
        name: offer.name.to_string(),
        arguments: arguments.into_iter().flat_map(Map::keys).cloned().collect(),
        required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        is_read_only: offer.is_read_only,
    }
}

fn answered(answered: &Answered) -> wit::Answered {
    let ToolCall { id, name, arguments, meta, reason } = &answered.call;
    let call = wit::Call {
        id: id.clone(),
        tool: name.clone(),
        arguments: text(arguments),
        meta: text(meta),
        reason: reason.clone(),
    };
    let outcome = match &answered.result {
        ToolResult::Output { structured, meta, content } => Ok(wit::Output {
            structured: structured.to_string(),
            meta: meta.to_string(),
            content: content.iter().cloned().map(Into::into).collect(),
        }),
        ToolResult::Failed(failure) => {
            let mut details = failure.data.clone();
            if failure.error == call::NOT_ALLOWED && !failure.is_hosts {
                details.insert(BY_TOOL.to_owned(), true.into());
            }
            Err(wit::Failure {
                code: failure.error.clone(),
                message: failure.message.clone(),
                status: failure.status,
                details: text(&details),
            })
        }
    };
    wit::Answered { call, outcome }
}

fn text(object: &Map<String, Value>) -> String {
    serde_json::to_string(object).unwrap_or_default()
}

fn decision(step: wit::Step) -> Result<Decision, ModelError> {
    Ok(match step {
        wit::Step::Calls(calls) => {
            Decision::Call(calls.into_iter().map(call).collect::<Result<_, _>>()?)
        }
        wit::Step::Answer(answer) => Decision::Conclude(Conclusion {
            parts: answer.content.into_iter().map(Into::into).collect(),
            choice: answer.choice.map(|choice| Choice {
                call: choice.call,
                index: choice.index.and_then(|it| usize::try_from(it).ok()),
                summary: choice.summary,
            }),
            cut: None,
        }),
    })
}

fn call(call: wit::Call) -> Result<ToolCall, ModelError> {
    let object = |json: &str| {
        serde_json::from_str::<Map<String, Value>>(json).map_err(|error| {
            let what = format!("the call of {} is no JSON object: {error}", call.tool);
            ModelError::new(ErrorKind::Failed, what)
        })
    };
    let (arguments, meta) = (object(&call.arguments)?, object(&call.meta)?);
    Ok(ToolCall { id: call.id, name: call.tool, arguments, meta, reason: call.reason })
}
