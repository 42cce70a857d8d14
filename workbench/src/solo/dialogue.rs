//! One turn with a dialogue component, as JSON.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Running;
use base::call::Failure;
use sandbox::{
    bindings::madoguchi::tool::{
        sentences as wit,
        types::{self, Datetime},
    },
    component::CallError,
};

/// A turn as in the contract. Missing fields are empty.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    message: Option<String>,
    /// Memory of the previous turn.
    memory: Option<Value>,
    context: Option<Value>,
    #[serde(default)]
    is_english: bool,
    #[serde(default)]
    tools: Vec<Tool>,
    /// Names as in the contract.
    #[serde(default)]
    names: Vec<Name>,
    /// Calls of the previous turn with results.
    #[serde(default)]
    answered: Vec<Answered>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    required: Vec<String>,
    #[serde(default)]
    is_read_only: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    kind: String,
    name: String,
    english: Option<String>,
    within: Option<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    hints: Vec<String>,
    #[serde(default)]
    moods: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    /// Call of the previous turn.
    call: Call,
    /// The tool's structured output.
    output: Value,
}

#[derive(Debug, Deserialize)]
struct Call {
    id: String,
    tool: String,
    arguments: Map<String, Value>,
    reason: String,
}

impl Running {
    /// Names of its objects: kind and name.
    ///
    /// # Errors
    /// The object that a client would read.
    pub async fn names(&self) -> Result<Vec<(String, String)>, Value> {
        let names = self.component.names().await.map_err(|it| Failure::from(it).object())?;
        Ok(names.into_iter().map(|it| (it.kind, it.name)).collect())
    }

    /// Next step of a dialogue: `{confidence, memory}` and `calls` or `text`.
    ///
    /// # Errors
    /// The error object, or what is wrong with `turn`.
    pub async fn converse(&self, turn: Value) -> Result<Value, Value> {
        let invalid = |what: &str| Failure::new("invalid_params", 400, what).object();
        let turn: Turn = serde_json::from_value(turn).map_err(|it| invalid(&it.to_string()))?;
        let now = self.component.setup.clock.now();
        let turn = wit::Turn {
            memory: turn.memory.map(|it| it.to_string()),
            context: turn.context.map(|it| it.to_string()),
            is_first: turn.message.is_some(),
            message: turn.message.map(wit::Piece::Text).into_iter().collect(),
            history: Vec::new(),
            language: if turn.is_english { wit::Language::En } else { wit::Language::Ja },
            now: Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() },
            tools: turn.tools.into_iter().map(tool).collect(),
            answered: turn.answered.into_iter().map(answered).collect(),
            names: turn.names.into_iter().map(name).collect(),
        };
        match self.component.next_in_dialogue(&turn).await {
            Ok(Some(reply)) => Ok(reply_json(reply)),
            Ok(None) => Err(invalid("the component understands no sentences")),
            Err(CallError::Broken { what, .. }) => Err(invalid(&what)),
            Err(error) => Err(Failure::from(error).object()),
        }
    }
}

fn tool(tool: Tool) -> wit::Tool {
    let Tool { name, arguments, required, is_read_only } = tool;
    wit::Tool { name, arguments, required, is_read_only }
}

fn name(name: Name) -> types::Name {
    let Name { kind, name, english, within, also, hints, moods } = name;
    types::Name { kind, name, english, within, also, hints, moods }
}

fn answered(answered: Answered) -> wit::Answered {
    let Call { id, tool, arguments, reason } = answered.call;
    let (arguments, meta) = (Value::Object(arguments).to_string(), "{}".to_owned());
    let (structured, content) = (answered.output.to_string(), Vec::new());
    wit::Answered {
        call: wit::Call { id, tool, arguments, meta: meta.clone(), reason },
        outcome: Ok(wit::Output { structured, meta, content }),
    }
}

fn reply_json(reply: wit::Reply) -> Value {
    let read = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
    let mut object = json!({ "confidence": reply.confidence, "memory": read(&reply.memory) });
    match reply.step {
        wit::Step::Calls(calls) => {
            let call = |it: &wit::Call| json!({ "id": it.id, "tool": it.tool, "arguments": read(&it.arguments), "reason": it.reason });
            object["calls"] = calls.iter().map(call).collect();
        }
        wit::Step::Answer(answer) => {
            let text = |piece: wit::Piece| match piece {
                wit::Piece::Text(text) => Some(text),
                wit::Piece::Picture(_) => None,
            };
            let texts: Vec<_> = answer.content.into_iter().filter_map(text).collect();
            object["text"] = texts.join("\n").into();
        }
    }
    object
}

/// Renders a turn for tests.
pub(super) fn turn_json(turn: &wit::Turn) -> Value {
    let read = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
    let text = |piece: &wit::Piece| match piece {
        wit::Piece::Text(text) => Some(text.clone()),
        wit::Piece::Picture(_) => None,
    };
    let message: Vec<_> = turn.message.iter().filter_map(text).collect();
    let answered = turn.answered.iter().map(|answered| match &answered.outcome {
        Ok(output) => json!({ "tool": answered.call.tool, "output": read(&output.structured) }),
        Err(failure) => json!({ "tool": answered.call.tool, "error": failure.code }),
    });
    json!({
        "message": message.join("\n"),
        "is_first": turn.is_first,
        "tools": turn.tools.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        "answered": answered.collect::<Vec<_>>(),
    })
}

/// A test's reply: `calls`, each `{tool, arguments}`, or `text`.
pub(super) fn read_reply(json: &Value) -> Result<wit::Reply, String> {
    let call = |(at, value): (usize, &Value)| wit::Call {
        id: format!("call-{at}"),
        tool: value["tool"].as_str().unwrap_or_default().to_owned(),
        arguments: value["arguments"].to_string(),
        meta: "{}".to_owned(),
        reason: "A test wants it.".to_owned(),
    };
    let step = match json["calls"].as_array() {
        Some(calls) => wit::Step::Calls(calls.iter().enumerate().map(call).collect()),
        None => {
            let text = json["text"].as_str().ok_or("a reply has calls or a text")?.to_owned();
            wit::Step::Answer(wit::Answer { content: vec![wit::Piece::Text(text)], choice: None })
        }
    };
    Ok(wit::Reply { confidence: 1.0, memory: "null".to_owned(), step })
}
