//! Who talks with whom about what, and the messages so far.

use language::Language;
use serde_json::Value;
use toolkit::assistants::Remark;

use super::{
    player::Agent,
    stand::{Stand, Written},
    texts,
};
use crate::sentences::{self, By, LogEntry, ScriptedAgent};

/// Each so many messages the agent is asked whether the purpose is reached.
const REMINDER_EACH: u32 = 5;

/// A dialogue as it stands, for the assistant that decides on the next message.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// The agent that is played.
    pub(super) agent: &'a Agent,
    /// With whom, and how far it has come.
    pub(super) stand: &'a Stand,
    /// The language of the purpose, or of the first message.
    pub(super) language: Language,
    /// The agent's messages, and those that it has taken in already.
    before: Vec<&'a Written>,
    /// What it has not answered.
    news: Vec<&'a Written>,
}

impl<'a> Scene<'a> {
    /// From the messages so far, oldest first.
    pub(super) fn new(agent: &'a Agent, stand: &'a Stand, log: &'a [Written]) -> Self {
        let first = stand.purpose.as_deref().or_else(|| log.first().map(|it| it.content.as_str()));
        let is_new = |it: &&Written| it.sequence > stand.received && it.sender_id != agent.agent_id;
        let (news, before) = log.iter().partition(is_new);
        Self {
            agent,
            stand,
            language: first.map_or(Language::Japanese, Language::of),
            before,
            news,
        }
    }

    /// Whether there is something to answer.
    pub(super) fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// What the assistant is asked now.
    pub(super) fn message(&self) -> String {
        let mut parts: Vec<_> = self.news.iter().map(|it| self.line_of(it)).collect();
        if self.news.is_empty() {
            parts.push(texts::opening(self.language).to_owned());
        }
        if self.news.iter().any(|it| it.sequence.is_multiple_of(REMINDER_EACH)) {
            parts.push(texts::reminder(self.language).to_owned());
        }
        parts.join("\n\n")
    }

    /// What it is to know of before: the scene, and the messages.
    pub(super) fn history(&self) -> Vec<Remark> {
        let scene = Remark { is_user: true, text: texts::scene(self) };
        let remarks = self
            .before
            .iter()
            .map(|it| Remark { is_user: self.by(it) != By::Own, text: self.line_of(it) });
        std::iter::once(scene).chain(remarks).collect()
    }

    /// The same for components that understand sentences.
    pub(super) fn context(&self) -> Value {
        let entry = |it: &&'a Written| LogEntry { by: self.by(it), text: it.content.clone() };
        let log = self.before.iter().chain(&self.news).map(entry).collect();
        let scene = sentences::Scene {
            name: self.agent.name.clone(),
            purpose: self.stand.purpose.clone(),
            is_initiator: self.stand.is_initiator,
            may_end: self.stand.conversation_id.is_some(),
        };
        ScriptedAgent { scene, log }.context(self.language)
    }

    fn by(&self, it: &Written) -> By {
        match it.sender_id.as_str() {
            id if id == self.agent.agent_id => By::Own,
            id if id == self.stand.partner => By::Partner,
            id => By::Other(id.to_owned()),
        }
    }

    /// What others say begins with its sender, so that no one speaks for another.
    fn line_of(&self, it: &'a Written) -> String {
        match self.by(it) {
            By::Own => it.content.clone(),
            By::Partner | By::Other(_) => format!("[{}]\n{}", it.sender_id, it.content),
        }
    }
}
