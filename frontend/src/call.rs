//! A tool call as a state that a view can draw: idle, running, asking, done, failed.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use web_sys::AbortController;

use crate::browser;
use crate::error::CallError;
use crate::mcp::wire::{self, Answer, Content, Output, Progress, Question};
use crate::mcp::{self, Round};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Call {
    #[default]
    Idle,
    Running(Option<Progress>),
    /// The tool asks the user for input.
    Asked(Vec<Question>),
    Done {
        output: Output,
        seconds: f64,
    },
    Failed(CallError),
}

impl Call {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }
}

/// A sequence of requests of which only the last counts: a new one cancels the previous one.
#[derive(Clone, Copy)]
pub(crate) struct Attempt {
    /// Number of the latest request: answers to earlier ones are dropped.
    number: StoredValue<u32>,
    stop: StoredValue<Option<AbortController>, LocalStorage>,
}

impl Attempt {
    pub(crate) fn new() -> Self {
        Self { number: StoredValue::new(0), stop: StoredValue::new_local(None) }
    }

    /// Cancels the current request.
    pub(crate) fn give_up(self) {
        let _ = self.number.try_update_value(|it| *it = it.wrapping_add(1));
        if let Some(Some(stop)) = self.stop.try_update_value(Option::take) {
            stop.abort();
        }
    }

    /// Starts a request. Returns its number and the controller that aborts it.
    pub(crate) fn open(self) -> (u32, Option<AbortController>) {
        let stop = AbortController::new().ok();
        self.stop.set_value(stop.clone());
        (self.number.get_value(), stop)
    }

    /// Whether this request is still the latest.
    pub(crate) fn is_current(self, number: u32) -> bool {
        self.number.try_get_value() == Some(number)
    }
}

/// The call to repeat once the user has answered.
#[derive(Clone, Debug, Default)]
struct Pending {
    tool: String,
    schema: Value,
    arguments: Value,
    state: Option<String>,
    began_ms: f64,
}

/// Makes calls one at a time; a new call cancels the previous one.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) call: RwSignal<Call>,
    /// Number of the current call; 0 if there is none.
    pub(crate) begun: RwSignal<u32>,
    pending: StoredValue<Pending>,
    attempt: Attempt,
}

impl Caller {
    pub(crate) fn new() -> Self {
        Self {
            call: RwSignal::new(Call::Idle),
            begun: RwSignal::new(0),
            pending: StoredValue::new(Pending::default()),
            attempt: Attempt::new(),
        }
    }

    pub(crate) fn start(self, tool: &str, schema: &Value, arguments: Value) {
        self.attempt.give_up();
        self.pending.set_value(Pending {
            tool: tool.to_owned(),
            schema: schema.clone(),
            arguments,
            state: None,
            began_ms: browser::now_ms(),
        });
        let number = self.round(None);
        self.begun.set(number);
    }

    pub(crate) fn arguments(self) -> Value {
        self.pending.with_value(|it| it.arguments.clone())
    }

    /// Repeats the call with the user's answers.
    pub(crate) fn answer(self, responses: Value) {
        self.round(Some(responses));
    }

    /// Cancels the call at the user's request: the closed stream notifies the host.
    pub(crate) fn stop(self) {
        self.attempt.give_up();
        self.call.set(Call::Failed(CallError::Stopped));
    }

    /// Cancels the call because the view is gone.
    pub(crate) fn leave(self) {
        self.attempt.give_up();
    }

    /// Returns to the idle state.
    pub(crate) fn reset(self) {
        self.attempt.give_up();
        self.call.set(Call::Idle);
        self.begun.set(0);
    }

    fn round(self, responses: Option<Value>) -> u32 {
        self.call.set(Call::Running(None));
        let pending = self.pending.get_value();
        let (number, stop) = self.attempt.open();
        spawn_local(async move {
            let signal = stop.map(|it| it.signal());
            let round = Round {
                schema: Some(&pending.schema),
                responses,
                state: pending.state.clone(),
                abort: signal.as_ref(),
                progress: true,
                meta: None,
            };
            let on_progress = &mut |progress| {
                if self.attempt.is_current(number) {
                    self.call.set(Call::Running(Some(progress)));
                }
            };
            let answer = mcp::call(&pending.tool, &pending.arguments, round, on_progress).await;
            let answer = answer.and_then(Answer::parse);
            if self.attempt.is_current(number) {
                self.settle(answer, pending.began_ms);
            }
        });
        number
    }

    fn settle(self, answer: Result<Answer, CallError>, began_ms: f64) {
        self.call.set(match answer {
            Ok(Answer::Done(output)) => {
                Call::Done { output, seconds: (browser::now_ms() - began_ms) / 1000.0 }
            }
            Ok(Answer::Asked { questions, state }) => {
                self.pending.update_value(|it| it.state = state);
                Call::Asked(questions)
            }
            Err(error) => Call::Failed(error),
        });
    }
}

/// The user's answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Accept(Value),
    Decline,
}

/// Formats the answers for the protocol.
pub(crate) fn responses(replies: &[(String, Reply)]) -> Value {
    let response = |(key, reply): &(String, Reply)| {
        let response = match reply {
            Reply::Accept(content) => json!({ "action": "accept", "content": content }),
            Reply::Decline => json!({ "action": "decline" }),
        };
        (key.clone(), response)
    };
    Value::Object(replies.iter().map(response).collect::<Map<_, _>>())
}

/// Calls a tool and parses its output as a known type.
pub(crate) async fn fetch<T: DeserializeOwned>(
    tool: &str,
    arguments: Value,
) -> Result<T, CallError> {
    of_shape(fetched(tool, arguments).await?)
}

/// Like [`fetch`], unparsed: one function for all types.
async fn fetched(tool: &str, arguments: Value) -> Result<Value, CallError> {
    let mut result = mcp::call(tool, &arguments, Round::default(), &mut |_| {}).await?;
    // Plain outputs are parsed in place: the seats of a large hall are copied nowhere.
    if let Some(value) = wire::take_plain(&mut result) {
        return Ok(value);
    }
    Answer::parse(result)?.done().map(|it| value_of(&it))
}

/// Parses an output of a known type from its structured form or its text.
pub(crate) fn read<T: DeserializeOwned>(output: &Output) -> Result<T, CallError> {
    of_shape(value_of(output))
}

fn value_of(output: &Output) -> Value {
    let text = || {
        output.content.iter().find_map(|it| match it {
            Content::Text(text) => serde_json::from_str(text).ok(),
            _ => None,
        })
    };
    output.structured.clone().or_else(text).unwrap_or_default()
}

fn of_shape<T: DeserializeOwned>(value: Value) -> Result<T, CallError> {
    serde_json::from_value(value).map_err(|error| CallError::page(&error.to_string()))
}

/// A fetched value and its loading state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Loaded<T> {
    #[default]
    Loading,
    Ready(T),
    Failed(CallError),
}

impl<T> Loaded<T> {
    /// Maps the loaded value. A view that depends on a small part of it stays, with its focus, while the rest changes.
    pub(crate) fn map<U>(&self, f: impl FnOnce(&T) -> U) -> Loaded<U> {
        match self {
            Self::Loading => Loaded::Loading,
            Self::Ready(value) => Loaded::Ready(f(value)),
            Self::Failed(error) => Loaded::Failed(error.clone()),
        }
    }

    pub(crate) fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }
}

/// Stores an answer if it differs. A failure does not replace a value: old data is better than none. Does nothing if
/// the view is gone.
pub(crate) fn take<T: PartialEq + Send + Sync + 'static>(
    to: RwSignal<Loaded<T>>,
    answer: Result<T, CallError>,
) {
    let is_news = to.try_with_untracked(|it| match &answer {
        Ok(answer) => it.ready() != Some(answer),
        Err(_) => it.ready().is_none(),
    });
    if is_news == Some(true) {
        to.set(answer.map_or_else(Loaded::Failed, Loaded::Ready));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_answers_under_question_keys() {
        let replies = [
            ("sure".to_owned(), Reply::Accept(json!({ "yes": true }))),
            ("why".to_owned(), Reply::Decline),
        ];
        let expected = json!({
            "sure": { "action": "accept", "content": { "yes": true } },
            "why": { "action": "decline" },
        });
        assert_eq!(responses(&replies), expected);
    }

    #[test]
    fn reads_output_from_text_without_structure() {
        let output = Output {
            content: vec![Content::Text("hello".into()), Content::Text(r#"{"movies":[]}"#.into())],
            ..Output::default()
        };
        assert_eq!(read::<output::cinema::Movies>(&output).unwrap().movies, []);
        let error = read::<output::cinema::Movies>(&Output::default());
        assert!(matches!(error, Err(CallError::Protocol { .. })));
    }
}
