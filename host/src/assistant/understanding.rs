//! Decides without a model: what is known of a turn goes to the crate that understands sentences, and its
//! answer is told sentence by sentence, as a model's would be.

use dialogue::{Builtin, Planner, Talker};
use futures::future::BoxFuture;
use serde_json::Value;

use super::{
    Answered, Body, Choice, Conclusion, Decider, Decision, Image, Language, Message, Offer, Part,
    Task, ToolCall, ToolResult, Turn, Undecided, images_of,
};
use crate::failure::Failure;

/// Who decides where no model is asked.
pub(crate) enum Understanding {
    /// Follows a conversation with a person.
    Chat(Box<Builtin>),
    /// Plays an agent.
    Agent(Box<Talker>),
    /// Chooses a route.
    Route(Box<Planner>),
}

impl Understanding {
    /// Follows a conversation, from `transcript` on where there is one.
    pub(crate) fn of_chat(transcript: Option<&Value>) -> Self {
        Self::Chat(Box::new(transcript.map_or_else(Builtin::default, Builtin::resume)))
    }

    /// Hears what was said so far, oldest first, where it plays an agent.
    pub(crate) fn hear(&mut self, log: &[dialogue::Said]) {
        if let Self::Agent(it) = self {
            it.hear(log);
        }
    }

    fn next(&mut self, turn: Turn<'_>) -> Decision {
        let task = task(turn.task);
        let offers: Vec<_> = turn.offers.iter().map(offer).collect();
        let answered: Vec<_> = turn.answered.iter().map(answered).collect();
        let turn = dialogue::Turn {
            task: &task,
            is_first: turn.is_first,
            offers: &offers,
            answered: &answered,
        };
        decision(match self {
            Self::Chat(it) => it.next(turn),
            Self::Agent(it) => it.next(turn),
            Self::Route(it) => it.next(&answered),
        })
    }
}

impl Decider for Understanding {
    fn decide<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Decision, Undecided>> {
        let decision = self.next(turn);
        Box::pin(async move {
            if let Decision::Conclude(conclusion) = &decision {
                for text in conclusion.text().split_inclusive(['。', '\n']) {
                    turn.teller.say(text).await;
                }
                for image in images_of(&conclusion.parts) {
                    turn.teller.show(image).await;
                }
            }
            Ok(decision)
        })
    }

    fn may_call_for_pages(&self) -> bool {
        matches!(self, Self::Chat(_))
    }

    fn transcript(&self) -> Value {
        match self {
            Self::Chat(it) => it.transcript(),
            Self::Agent(_) | Self::Route(_) => Value::Null,
        }
    }
}

impl From<Language> for dialogue::Language {
    fn from(it: Language) -> Self {
        it.pick(Self::Japanese, Self::English)
    }
}

impl From<dialogue::Language> for Language {
    fn from(it: dialogue::Language) -> Self {
        it.pick(Self::Japanese, Self::English)
    }
}

fn task(it: &Task) -> dialogue::Task {
    dialogue::Task {
        message: it.message.iter().map(told).collect(),
        history: it.history.iter().map(message).collect(),
        language: it.language.into(),
        now: it.now,
    }
}

fn message(it: &Message) -> dialogue::Message {
    dialogue::Message { is_user: it.is_user, parts: it.parts.iter().map(told).collect() }
}

fn offer(it: &Offer) -> dialogue::Offer {
    dialogue::Offer {
        name: it.name.clone(),
        schema: it.schema.clone(),
        is_read_only: it.is_read_only,
    }
}

fn told(it: &Part) -> dialogue::Part {
    match &it.body {
        Body::Text(text) => dialogue::Part::text(text),
        Body::Image(Image { mime_type, data }) => {
            let (mime_type, data) = (mime_type.clone(), data.clone());
            dialogue::Part::image(dialogue::Image { mime_type, data })
        }
    }
}

fn heard(it: dialogue::Part) -> Part {
    match it.body {
        dialogue::Body::Text(text) => Part::text(text),
        dialogue::Body::Image(dialogue::Image { mime_type, data }) => {
            Part::image(Image { mime_type, data })
        }
    }
}

fn answered(it: &Answered) -> dialogue::Answered {
    let ToolCall { id, name, arguments, meta, reason } = it.call.clone();
    let result = match &it.result {
        ToolResult::Output { structured, meta, content } => dialogue::ToolResult::Output {
            structured: structured.clone(),
            meta: meta.clone(),
            content: content.iter().map(told).collect(),
        },
        ToolResult::Failed(it) => dialogue::ToolResult::Failed(failure(it)),
    };
    dialogue::Answered { call: dialogue::ToolCall { id, name, arguments, meta, reason }, result }
}

fn failure(it: &Failure) -> dialogue::Failure {
    let mut failure = dialogue::Failure::new(&it.error, it.status, &it.message);
    failure.data.clone_from(&it.data);
    failure
}

fn decision(it: dialogue::Decision) -> Decision {
    match it {
        dialogue::Decision::Call(calls) => Decision::Call(calls.into_iter().map(call).collect()),
        dialogue::Decision::Conclude(it) => Decision::Conclude(Conclusion {
            parts: it.parts.into_iter().map(heard).collect(),
            choice: it.choice.map(|it| Choice {
                call: it.call,
                index: it.index,
                summary: it.summary,
            }),
            cut: None,
        }),
    }
}

fn call(it: dialogue::ToolCall) -> ToolCall {
    let dialogue::ToolCall { id, name, arguments, meta, reason } = it;
    ToolCall { id, name, arguments, meta, reason }
}
