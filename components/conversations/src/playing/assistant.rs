//! The assistant that decides what an agent says next: what it is asked, what it may call, and what its run came to.

use output::text::is_blank;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::{
    Stop, Tool as _,
    assistants::{self, Given, Part, Task},
};

use super::{player::Player, scene::Scene};
use crate::{
    delivery::CONTENT_MAX,
    tools::{
        EndConversation, GetConversationMessages, ListAgents, RespondChat, SendMessage,
        StartConversation,
    },
};

/// The tools of agents that the assistant may call; what the others do, the player does itself.
const TOOLS: [&str; 6] = [
    EndConversation::NAME,
    GetConversationMessages::NAME,
    ListAgents::NAME,
    RespondChat::NAME,
    SendMessage::NAME,
    StartConversation::NAME,
];

/// Asks the agent's assistant what to say or do, and waits until it is done.
pub(super) fn think(player: &Player, scene: &Scene<'_>) -> Result<Ended, Stop> {
    let memory = scene.stand.memory(&player.agent)?;
    let task = Task {
        assistant: player.agent.assistant.clone(),
        message: scene.message(),
        history: scene.history(),
        language: scene.language.tag().to_owned(),
        context: Some(scene.context().to_string()),
        may_ask_model: true,
    };
    let part = Part {
        name: player.agent.agent_id.clone(),
        given: given(player, scene),
        tokens_max: Some(player.facts.tokens_max.saturating_sub(scene.stand.tokens)),
        memory,
    };
    let run = assistants::play(&task, &part);
    while let Some(event) = run.next() {
        if event.name == assistants::ENDED {
            return Ok(Ended::read(&event.data));
        }
    }
    Ok(Ended::failed("its run has no end".to_owned()))
}

/// The session's token for each tool, which the assistant never sees; and the partner and the conversation,
/// for calls that name none.
fn given(player: &Player, scene: &Scene<'_>) -> Vec<Given> {
    let give = |tool: &str, argument: &str, value: &str, is_default| Given {
        tool: tool.to_owned(),
        argument: argument.to_owned(),
        value: json!(value).to_string(),
        is_default,
    };
    let mut given: Vec<_> =
        TOOLS.iter().map(|it| give(it, "session_token", &player.token, false)).collect();
    for tool in [RespondChat::NAME, SendMessage::NAME] {
        given.push(give(tool, "target_agent_id", &scene.stand.partner, true));
    }
    if let Some(id) = &scene.stand.conversation_id {
        for tool in [EndConversation::NAME, GetConversationMessages::NAME] {
            given.push(give(tool, "conversation_id", id, true));
        }
    }
    given
}

/// More than any answer takes.
const TOKENS_MAX: u64 = 100_000_000;
const COST_USD_MAX: f64 = 1_000_000.0;
/// Bytes of a memory that is kept.
const MEMORY_BYTES_MAX: usize = 256 << 10;
/// How long a model may ask to be left alone, in seconds.
const RETRY_S_MAX: u32 = 60;

/// The data of a run's last event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Ended {
    ending: String,
    text: String,
    calls: Vec<Called>,
    failure: Failure,
    memory: Value,
    /// What it took; none where no one was asked.
    pub(super) usage: Option<Usage>,
}

/// A call that the assistant made.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Called {
    name: String,
    arguments: Map<String, Value>,
    structured: Value,
    failure: Option<Value>,
}

/// Why there is no answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    /// For the operator; there is no secret in it.
    pub(super) message: String,
    data: Map<String, Value>,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    input_tokens: u64,
    output_tokens: u64,
    cost_usd: Option<f64>,
}

impl Ended {
    /// From the event's data.
    pub(super) fn read(data: &str) -> Self {
        serde_json::from_str(data).unwrap_or_else(|it| Self::failed(it.to_string()))
    }

    /// A run that ended without an answer.
    pub(super) fn failed(why: String) -> Self {
        let failure = Failure { message: why, ..Failure::default() };
        Self { ending: "failed".to_owned(), failure, ..Self::default() }
    }

    /// Why there is no answer, where there is none.
    pub(super) fn failure(&self) -> Option<&Failure> {
        (self.ending == "failed").then_some(&self.failure)
    }

    /// What the answer says, as much of it as one message takes; empty where it says nothing.
    pub(super) fn text(&self) -> String {
        let text = if self.ending == "concluded" { self.text.trim() } else { "" };
        text.chars().take(CONTENT_MAX).collect()
    }

    /// Whether it was stopped before it came to an answer, or waits for what an agent cannot give.
    pub(super) fn is_unfinished(&self) -> bool {
        matches!(self.ending.as_str(), "rounds" | "time" | "waits")
    }

    /// Whether the assistant has sent something to `partner` itself.
    pub(super) fn has_spoken(&self, partner: &str) -> bool {
        self.done().any(|call| {
            let to = call.arguments.get("target_agent_id").and_then(Value::as_str);
            let to = to.filter(|it| !is_blank(it));
            [SendMessage::NAME, RespondChat::NAME].contains(&call.name.as_str())
                && to.is_none_or(|it| it == partner)
        })
    }

    /// Whether it has ended that conversation.
    pub(super) fn has_ended(&self, conversation_id: Option<&str>) -> bool {
        let is_meant = |call: &Called| {
            call.name == EndConversation::NAME
                && call.structured["conversation_id"].as_str() == conversation_id
        };
        conversation_id.is_some() && self.done().any(is_meant)
    }

    /// What it wants back the next time; none where that is too long to be kept, or where it broke off, so that it does not
    /// know of all that it has done: the messages tell it.
    pub(super) fn memory(&self) -> Option<String> {
        let is_whole = !matches!(self.ending.as_str(), "failed" | "time");
        let memory = (is_whole && !self.memory.is_null()).then(|| self.memory.to_string());
        memory.filter(|it| it.len() <= MEMORY_BYTES_MAX)
    }

    fn done(&self) -> impl Iterator<Item = &Called> {
        self.calls.iter().filter(|it| it.failure.is_none())
    }
}

impl Failure {
    /// After how many seconds the model wants to be asked again, where it says so.
    pub(super) fn retry_after_s(&self) -> Option<u32> {
        let seconds = self.data.get("retry_after_s").and_then(Value::as_u64)?;
        Some(u32::try_from(seconds).unwrap_or(RETRY_S_MAX).min(RETRY_S_MAX))
    }
}

impl Usage {
    /// Tokens, in and out.
    pub(super) fn tokens(self) -> u32 {
        self.input().saturating_add(self.output())
    }

    /// Tokens that went into the model.
    pub(super) fn input(self) -> u32 {
        tokens(self.input_tokens)
    }

    /// Tokens that came out of it.
    pub(super) fn output(self) -> u32 {
        tokens(self.output_tokens)
    }

    /// US dollars, where prices are known.
    pub(super) fn cost_usd(self) -> Option<f64> {
        self.cost_usd.filter(|it| (0.0..=COST_USD_MAX).contains(it))
    }
}

fn tokens(count: u64) -> u32 {
    u32::try_from(count.min(TOKENS_MAX)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ended(data: &Value) -> Ended {
        Ended::read(&data.to_string())
    }

    #[test]
    fn an_answer_is_said_unless_it_was_said_by_a_tool() {
        let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments, "structured": {} });
        let reply = ended(&json!({
            "ending": "concluded", "text": " はい ", "calls": [
                call("respond_chat", json!({ "content": "x", "target_agent_id": "ann" })),
                call("list_agents", json!({})),
            ],
        }));
        assert_eq!(reply.text(), "はい");
        assert!(reply.has_spoken("ann") && !reply.has_spoken("ben"));
        let blank = call("respond_chat", json!({ "content": "x", "target_agent_id": "" }));
        assert!(ended(&json!({ "ending": "concluded", "calls": [blank] })).has_spoken("ann"));
        let mut failed = call("respond_chat", json!({}));
        failed["failure"] = json!({ "message": "no" });
        let failed = ended(&json!({ "ending": "rounds", "text": "x", "calls": [failed] }));
        assert!(!failed.has_spoken("ann"));
        assert_eq!(failed.text(), "", "it was stopped before it came to an end");
        assert!(failed.is_unfinished() && !reply.is_unfinished());
    }

    #[test]
    fn only_the_conversation_that_was_ended_is_over() {
        let call = json!({
            "name": "end_conversation", "arguments": {},
            "structured": { "conversation_id": "conv_1" },
        });
        let it = ended(&json!({ "ending": "concluded", "text": "", "calls": [call] }));
        assert!(it.has_ended(Some("conv_1")));
        assert!(!it.has_ended(Some("conv_2")) && !it.has_ended(None));
    }

    #[test]
    fn what_cannot_be_read_or_failed_is_no_answer() {
        assert!(Ended::read("{").failure().is_some());
        let it = ended(&json!({
            "ending": "failed", "calls": [],
            "failure": { "of": "model", "message": "busy", "data": { "retry_after_s": 900 } },
        }));
        let failure = it.failure().expect("it failed");
        assert_eq!((failure.message.as_str(), failure.retry_after_s()), ("busy", Some(60)));
        assert!(it.usage.is_none());
    }

    #[test]
    fn what_was_broken_off_is_not_remembered() {
        for (ending, is_kept) in [
            ("concluded", true),
            ("rounds", true),
            ("waits", true),
            ("time", false),
            ("failed", false),
        ] {
            let it = ended(&json!({ "ending": ending, "memory": { "transcript": [] } }));
            assert_eq!(it.memory().is_some(), is_kept, "{ending}");
        }
    }

    #[test]
    fn a_memory_that_is_too_long_is_not_kept() {
        let of = |text: String| ended(&json!({ "ending": "concluded", "memory": text })).memory();
        assert_eq!(of("x".to_owned()), Some("\"x\"".to_owned()));
        assert_eq!(of("x".repeat(MEMORY_BYTES_MAX)), None);
        assert_eq!(ended(&json!({ "ending": "concluded", "memory": null })).memory(), None);
    }
}
