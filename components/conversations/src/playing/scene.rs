//! Describes a dialogue to the assistant: members, purpose and messages.

use language::Language;
use serde_json::Value;
use toolkit::assistants::Remark;

use super::{
    progress::{LoggedMessage, Progress},
    worker::Agent,
};
use crate::sentences::{self, By, LogEntry, ScriptedAgent};

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
