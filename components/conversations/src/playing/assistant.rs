//! Runs the assistant that decides on an agent's next message: its request, its tools and its result.
//!
//! Describes a dialogue to the assistant: members, purpose and messages.

use language::Language;
use output::text::is_blank;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolkit::{
    Stop, Tool as _,
    assistants::{self, Given, Part, Remark, Task},
};

use super::{
    Agent, Worker,
    progress::{LoggedMessage, Progress},
};
use crate::{
    delivery::CONTENT_MAX,
    sentences::{self, By, LogEntry, ScriptedAgent},
    tools::{
        EndConversation, GetConversationMessages, ListAgents, RespondChat, SendMessage,
        StartConversation,
    },
};

/// The tools of agents that the assistant may call; the worker itself does what the others do.
const TOOLS: [&str; 6] = [
    EndConversation::NAME,
    GetConversationMessages::NAME,
    ListAgents::NAME,
    RespondChat::NAME,
    SendMessage::NAME,
    StartConversation::NAME,
];

/// Runs the agent's assistant on the scene and waits for its result.
pub(super) fn run_assistant(worker: &Worker, scene: &Scene<'_>) -> Result<RunResult, Stop> {
    let memory = scene.progress.memory(&worker.agent)?;
    let task = Task {
        assistant: worker.agent.assistant.clone(),
        message: scene.message(),
        history: scene.history(),
        language: scene.language.tag().to_owned(),
        context: Some(scene.context().to_string()),
        may_ask_model: true,
    };
    let part = Part {
        name: worker.agent.agent_id.clone(),
        given: given(worker, scene),
        tokens_max: Some(worker.facts.tokens_max.saturating_sub(scene.progress.tokens)),
        memory,
    };
    let run = assistants::play(&task, &part);
    while let Some(event) = run.next() {
        if event.name == assistants::ENDED {
            return Ok(RunResult::read(&event.data));
        }
    }
    Ok(RunResult::failed("its run has no end".to_owned()))
}

/// Returns the arguments set by the host: the session's token, which the assistant never sees, and the defaults for
/// partner and conversation.
fn given(worker: &Worker, scene: &Scene<'_>) -> Vec<Given> {
    let give = |tool: &str, argument: &str, value: &str, is_default| Given {
        tool: tool.to_owned(),
        argument: argument.to_owned(),
        value: json!(value).to_string(),
        is_default,
    };
    let mut given: Vec<_> =
        TOOLS.iter().map(|it| give(it, "session_token", &worker.token, false)).collect();
    for tool in [RespondChat::NAME, SendMessage::NAME] {
        given.push(give(tool, "target_agent_id", &scene.progress.partner, true));
    }
    if let Some(id) = &scene.progress.conversation_id {
        for tool in [EndConversation::NAME, GetConversationMessages::NAME] {
            given.push(give(tool, "conversation_id", id, true));
        }
    }
    given
}

/// Upper bound of the tokens counted for an answer.
const TOKENS_MAX: u64 = 100_000_000;
const COST_USD_MAX: f64 = 1_000_000.0;
/// Maximum size of the assistant's memory, in bytes.
const MEMORY_BYTES_MAX: usize = 256 << 10;
/// Maximum retry delay that a model may ask for, in seconds.
const RETRY_S_MAX: u32 = 60;

/// The data of a run's last event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RunResult {
    ending: String,
    text: String,
    calls: Vec<Called>,
    failure: Failure,
    memory: Value,
    /// The usage; none where no model was called.
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

/// Why a run has no answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    /// Message for the operator, without secrets.
    pub(super) message: String,
    data: Map<String, Value>,
}

/// Usage of an answer.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    input_tokens: u64,
    output_tokens: u64,
    cost_usd: Option<f64>,
}

impl RunResult {
    /// Parses the event's data.
    pub(super) fn read(data: &str) -> Self {
        serde_json::from_str(data).unwrap_or_else(|it| Self::failed(it.to_string()))
    }

    /// Creates the result of a failed run.
    pub(super) fn failed(why: String) -> Self {
        let failure = Failure { message: why, ..Failure::default() };
        Self { ending: "failed".to_owned(), failure, ..Self::default() }
    }

    /// Returns the failure, if the run has no answer.
    pub(super) fn failure(&self) -> Option<&Failure> {
        (self.ending == "failed").then_some(&self.failure)
    }

    /// Returns the answer, cut to the length of a message; it may be empty.
    pub(super) fn text(&self) -> String {
        let text = if self.ending == "concluded" { self.text.trim() } else { "" };
        text.chars().take(CONTENT_MAX).collect()
    }

    /// Whether it was stopped before an answer, or waits for something that an agent cannot give.
    pub(super) fn is_unfinished(&self) -> bool {
        matches!(self.ending.as_str(), "rounds" | "time" | "waits")
    }

    /// Whether the assistant has sent a message to `partner` by a tool.
    pub(super) fn has_messaged(&self, partner: &str) -> bool {
        self.done().any(|call| {
            let to = call.arguments.get("target_agent_id").and_then(Value::as_str);
            let to = to.filter(|it| !is_blank(it));
            [SendMessage::NAME, RespondChat::NAME].contains(&call.name.as_str())
                && to.is_none_or(|it| it == partner)
        })
    }

    /// Whether the assistant has ended that conversation by a tool.
    pub(super) fn has_ended(&self, conversation_id: Option<&str>) -> bool {
        let is_meant = |call: &Called| {
            call.name == EndConversation::NAME
                && call.structured["conversation_id"].as_str() == conversation_id
        };
        conversation_id.is_some() && self.done().any(is_meant)
    }

    /// Returns the memory for the next run. None where it is too long, or where the run broke off and the memory lacks
    /// what was done: the messages show that.
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
    /// Returns the retry delay that the model asks for, in seconds.
    pub(super) fn retry_after_s(&self) -> Option<u32> {
        let seconds = self.data.get("retry_after_s").and_then(Value::as_u64)?;
        Some(u32::try_from(seconds).unwrap_or(RETRY_S_MAX).min(RETRY_S_MAX))
    }
}

impl Usage {
    /// Returns the tokens of input and output.
    pub(super) fn tokens(self) -> u32 {
        self.input().saturating_add(self.output())
    }

    /// Returns the input tokens.
    pub(super) fn input(self) -> u32 {
        tokens(self.input_tokens)
    }

    /// Returns the output tokens.
    pub(super) fn output(self) -> u32 {
        tokens(self.output_tokens)
    }

    /// Returns the cost in US dollars, where prices are known.
    pub(super) fn cost_usd(self) -> Option<f64> {
        self.cost_usd.filter(|it| (0.0..=COST_USD_MAX).contains(it))
    }
}

fn tokens(count: u64) -> u32 {
    u32::try_from(count.min(TOKENS_MAX)).unwrap_or_default()
}

/// Number of messages after which the agent is asked whether the purpose is reached.
const REMINDER_EACH: u32 = 5;

/// A dialogue as it stands, for the assistant that decides on the next message.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// The agent that is played.
    pub(super) agent: &'a Agent,
    /// The dialogue's progress and partner.
    pub(super) progress: &'a Progress,
    /// The language of the purpose, or of the first message.
    pub(super) language: Language,
    /// The agent's messages and those that it has answered.
    before: Vec<&'a LoggedMessage>,
    /// Messages that it has not answered.
    unanswered: Vec<&'a LoggedMessage>,
}

impl<'a> Scene<'a> {
    /// Creates the scene from the messages so far, oldest first.
    pub(super) fn new(agent: &'a Agent, progress: &'a Progress, log: &'a [LoggedMessage]) -> Self {
        let first =
            progress.purpose.as_deref().or_else(|| log.first().map(|it| it.content.as_str()));
        let is_new =
            |it: &&LoggedMessage| it.sequence > progress.received && it.sender_id != agent.agent_id;
        let (unanswered, before) = log.iter().partition(is_new);
        Self {
            agent,
            progress,
            language: first.map_or(Language::Japanese, Language::detect),
            before,
            unanswered,
        }
    }

    /// Whether there are messages to answer.
    pub(super) fn has_unanswered(&self) -> bool {
        !self.unanswered.is_empty()
    }

    /// Returns the assistant's request: the unanswered messages.
    pub(super) fn message(&self) -> String {
        let mut parts: Vec<_> = self.unanswered.iter().map(|it| self.text_of(it)).collect();
        if self.unanswered.is_empty() {
            parts.push(opening(self.language).to_owned());
        }
        if self.unanswered.iter().any(|it| it.sequence.is_multiple_of(REMINDER_EACH)) {
            parts.push(reminder(self.language).to_owned());
        }
        parts.join("\n\n")
    }

    /// Returns the assistant's history: a description of the scene, and the messages.
    pub(super) fn history(&self) -> Vec<Remark> {
        let scene = Remark { is_user: true, text: description(self) };
        let remarks = self
            .before
            .iter()
            .map(|it| Remark { is_user: self.by(it) != By::Own, text: self.text_of(it) });
        std::iter::once(scene).chain(remarks).collect()
    }

    /// Returns the context for components that understand sentences.
    pub(super) fn context(&self) -> Value {
        let entry = |it: &&'a LoggedMessage| LogEntry { by: self.by(it), text: it.content.clone() };
        let log = self.before.iter().chain(&self.unanswered).map(entry).collect();
        let scene = sentences::Scene {
            name: self.agent.name.clone(),
            purpose: self.progress.purpose.clone(),
            is_initiator: self.progress.is_initiator,
            may_end: self.progress.conversation_id.is_some(),
        };
        ScriptedAgent { scene, log }.context(self.language)
    }

    fn by(&self, message: &LoggedMessage) -> By {
        match message.sender_id.as_str() {
            id if id == self.agent.agent_id => By::Own,
            id if id == self.progress.partner => By::Partner,
            id => By::Other(id.to_owned()),
        }
    }

    /// Prefixes others' messages with their sender, so that none can pass as another's.
    fn text_of(&self, message: &'a LoggedMessage) -> String {
        match self.by(message) {
            By::Own => message.content.clone(),
            By::Partner | By::Other(_) => format!("[{}]\n{}", message.sender_id, message.content),
        }
    }
}

// Texts for the assistant that plays an agent, and farewells in the agent's name.

/// Describes the agent, its partner and the purpose.
fn description(scene: &Scene<'_>) -> String {
    let (agent, progress) = (scene.agent, scene.progress);
    let (name, agent_id, project_id) = (&agent.name, &agent.agent_id, &agent.project_id);
    let (partner, partner_name) = (&progress.partner, &progress.partner_name);
    let purpose = progress.purpose.as_deref();
    match scene.language {
        Language::Japanese => {
            let purpose = purpose.map(|it| format!("会話の目的: {it}\n")).unwrap_or_default();
            let role = match (&progress.conversation_id, progress.is_initiator) {
                (None, _) => "相手は人です。",
                (_, true) => "あなたがこの会話の開始者です。",
                (_, false) => "あなたは相手から会話に招かれました。",
            };
            format!(
                "あなたはエージェント「{name}」（ID: {agent_id}、プロジェクト: {project_id}）です。「{partner_name}」（ID: {partner}）と会話しています。{role}\n{purpose}相手の発言は[送信者ID]の後に続きます。あなたの返答の文章がそのまま相手に送られます。"
            )
        }
        Language::English => {
            let purpose = purpose.map(|it| format!("Purpose: {it}\n")).unwrap_or_default();
            let role = match (&progress.conversation_id, progress.is_initiator) {
                (None, _) => "It is a person.",
                (_, true) => "You began this conversation.",
                (_, false) => "You were asked to join.",
            };
            format!(
                "You are the agent {name} (ID: {agent_id}, project: {project_id}), talking with {partner_name} (ID: {partner}). {role}\n{purpose}What others write follows [its sender's ID]. The text of your answer is sent to them as it is."
            )
        }
    }
}

/// Asks the initiator for the first message.
pub(super) fn opening(language: Language) -> &'static str {
    language.pick(
        "（会話を始めてください。最初のメッセージだけを書いてください。）",
        "(Begin the conversation: write its first message, and nothing else.)",
    )
}

/// Asks whether the purpose is reached.
pub(super) fn reminder(language: Language) -> &'static str {
    language.pick(
        "（会話の目的は達成されましたか。達成されたら end_conversation で会話を終了してください。）",
        "(Has the purpose been reached? If so, end the conversation with end_conversation.)",
    )
}

/// Says that the assistant was stopped before an answer.
pub(super) fn unfinished(language: Language) -> &'static str {
    language.pick(
        "調べている途中で上限に達したため、まだお答えできません。もう一度聞いてください。",
        "I was stopped before I had an answer. Please ask me again.",
    )
}

/// Why an agent leaves a conversation early.
#[derive(Clone, Copy, Debug)]
pub(super) enum Farewell {
    /// Its answers are used up.
    Turns(u32),
    /// Its tokens are used up.
    Tokens(u64),
    /// Its assistant fails.
    Failed,
}

impl Farewell {
    /// Returns the last message.
    pub(super) fn text(self, language: Language) -> String {
        match self {
            Self::Turns(most) => language.pick(
                format!("応答回数の上限（{most}回）に達したため、会話を終了します。"),
                format!("I have reached my limit of {most} answers and end the conversation here."),
            ),
            Self::Tokens(most) => language.pick(
                format!("トークン数の上限（{most}）に達したため、会話を終了します。"),
                format!("I have reached my limit of {most} tokens and end the conversation here."),
            ),
            Self::Failed => language.pick(
                "アシスタントが応答できないため、会話を終了します。".to_owned(),
                "My assistant does not answer, so I end the conversation here.".to_owned(),
            ),
        }
    }

    /// Returns the code for the trace.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Turns(_) => "turns_max",
            Self::Tokens(_) => "tokens_max",
            Self::Failed => "assistant_failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result_of(data: &Value) -> RunResult {
        RunResult::read(&data.to_string())
    }

    #[test]
    fn sends_answer_unless_a_tool_sent_it() {
        let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments, "structured": {} });
        let reply = result_of(&json!({
            "ending": "concluded", "text": " はい ", "calls": [
                call("respond_chat", json!({ "content": "x", "target_agent_id": "ann" })),
                call("list_agents", json!({})),
            ],
        }));
        assert_eq!(reply.text(), "はい");
        assert!(reply.has_messaged("ann") && !reply.has_messaged("ben"));
        let blank = call("respond_chat", json!({ "content": "x", "target_agent_id": "" }));
        assert!(result_of(&json!({ "ending": "concluded", "calls": [blank] })).has_messaged("ann"));
        let mut failed = call("respond_chat", json!({}));
        failed["failure"] = json!({ "message": "no" });
        let failed = result_of(&json!({ "ending": "rounds", "text": "x", "calls": [failed] }));
        assert!(!failed.has_messaged("ann"));
        assert_eq!(failed.text(), "", "it was stopped before it came to an end");
        assert!(failed.is_unfinished() && !reply.is_unfinished());
    }

    #[test]
    fn ends_only_the_conversation_of_the_call() {
        let call = json!({
            "name": "end_conversation", "arguments": {},
            "structured": { "conversation_id": "conv_1" },
        });
        let result = result_of(&json!({ "ending": "concluded", "text": "", "calls": [call] }));
        assert!(result.has_ended(Some("conv_1")));
        assert!(!result.has_ended(Some("conv_2")) && !result.has_ended(None));
    }

    #[test]
    fn invalid_or_failed_run_has_no_answer() {
        assert!(RunResult::read("{").failure().is_some());
        let result = result_of(&json!({
            "ending": "failed", "calls": [],
            "failure": { "of": "model", "message": "busy", "data": { "retry_after_s": 900 } },
        }));
        let failure = result.failure().expect("it failed");
        assert_eq!((failure.message.as_str(), failure.retry_after_s()), ("busy", Some(60)));
        assert!(result.usage.is_none());
    }

    #[test]
    fn keeps_no_memory_of_broken_run() {
        for (ending, is_kept) in [
            ("concluded", true),
            ("rounds", true),
            ("waits", true),
            ("time", false),
            ("failed", false),
        ] {
            let result = result_of(&json!({ "ending": ending, "memory": { "transcript": [] } }));
            assert_eq!(result.memory().is_some(), is_kept, "{ending}");
        }
    }

    #[test]
    fn keeps_no_memory_over_the_limit() {
        let of =
            |text: String| result_of(&json!({ "ending": "concluded", "memory": text })).memory();
        assert_eq!(of("x".to_owned()), Some("\"x\"".to_owned()));
        assert_eq!(of("x".repeat(MEMORY_BYTES_MAX)), None);
        assert_eq!(result_of(&json!({ "ending": "concluded", "memory": null })).memory(), None);
    }
}
