//! The built-in model as an agent: plays しりとり and English word chains, asks for its purpose, and has questions
//! answered like a person's sentences.
//!
//! Each message follows from the earlier ones, so that a restart changes nothing.

mod chain;
mod kana;
mod opening;
mod words;

use language::{
    Language,
    contract::SENTENCE,
    message::Part,
    turn::{Conclusion, Decision, ToolCall, Turn},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) use self::chain::rounds;
use self::chain::{Chain, Move};
use crate::tools::EndConversation;
use toolkit::Tool as _;

/// The member of a context that has the scripted agent.
pub(super) const AGENT: &str = "agent";

/// A message of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct LogEntry {
    /// The sender.
    pub by: By,
    /// The text of the message.
    pub text: String,
}

/// The sender of a message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The agent itself.
    Own,
    /// The agent that it talks with.
    Partner,
    /// A third party by its identifier: a person who intervenes.
    Other(String),
}

/// The agent and its conversation.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Scene {
    /// The agent's name.
    pub name: String,
    /// The conversation's purpose.
    pub purpose: Option<String>,
    /// Whether the agent began the conversation.
    pub is_initiator: bool,
    /// Whether the agent may end it: true for conversations, false for a person's chat.
    pub may_end: bool,
}

/// An agent that the built-in model plays.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ScriptedAgent {
    /// The agent and its conversation.
    pub scene: Scene,
    /// The messages so far, oldest first.
    pub log: Vec<LogEntry>,
}

/// The next step.
enum Next {
    /// Send this text.
    Say(String),
    /// Send this text and end the conversation, with a reason beyond the text.
    End(String, Option<String>),
    /// Answer this question.
    Ask(String),
    /// Do nothing: it is the partner's turn.
    Nothing,
}

impl ScriptedAgent {
    /// Returns the context for components that understand sentences: the agent, and a question for any of them.
    pub fn context(&self, language: Language) -> Value {
        let mut context = json!({ AGENT: self });
        if let Next::Ask(question) = self.next_step(language) {
            let has_spoken = self.log.iter().any(|it| it.by == By::Own);
            let lead = match has_spoken {
                true => String::new(),
                false => opening::with_introduction(&self.scene.name, "", language),
            };
            context[SENTENCE] = json!({ "said": question, "lead": lead });
        }
        context
    }

    /// Decides on the next step, where no other component answers.
    pub(super) fn next(&self, turn: Turn<'_>) -> Decision {
        if !turn.is_first {
            // Its last message has been sent.
            return Decision::Conclude(Conclusion::default());
        }
        match self.next_step(turn.task.language) {
            Next::Say(text) => conclude_with(text),
            Next::End(text, why) => self.end(text, why, turn),
            Next::Nothing | Next::Ask(_) => Decision::Conclude(Conclusion::default()),
        }
    }

    fn next_step(&self, language: Language) -> Next {
        if let Some(chain) = Chain::replay(&self.scene, &self.log, language) {
            return match chain.next() {
                Move::Say(text) => Next::Say(text),
                Move::End(text) => Next::End(text, chain.lost()),
                Move::Nothing => Next::Nothing,
            };
        }
        let has_spoken = self.log.iter().any(|it| it.by == By::Own);
        if self.scene.is_initiator {
            let purpose = self.scene.purpose.as_deref();
            if !has_spoken {
                let opening = opening::opening(purpose, language);
                return Next::Say(opening::with_introduction(&self.scene.name, &opening, language));
            }
            let is_answered = self.log.last().is_some_and(|it| it.by == By::Partner);
            return match is_answered {
                true => Next::End(opening::thanks(language).to_owned(), None),
                false => Next::Nothing,
            };
        }
        match self.log.last().filter(|it| it.by != By::Own) {
            Some(entry) => Next::Ask(opening::without_introduction(&entry.text).to_owned()),
            None => Next::Nothing,
        }
    }

    /// Sends `text` and ends the conversation, if it can be ended.
    fn end(&self, text: String, why: Option<String>, turn: Turn<'_>) -> Decision {
        let can_end = turn.offers.iter().any(|it| it.name == EndConversation::NAME);
        if !self.scene.may_end || !can_end {
            return conclude_with(text);
        }
        let language = turn.task.language;
        let mut arguments = json!({ "final_message": text });
        if let Some(why) = why {
            arguments["reason_text"] = why.into();
        }
        Decision::Call(vec![ToolCall {
            id: format!("end-{}", self.log.len()),
            name: EndConversation::NAME.to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            meta: Default::default(),
            reason: language.pick("会話の目的を達成したため", "The purpose is reached").to_owned(),
        }])
    }
}

fn conclude_with(text: String) -> Decision {
    Decision::Conclude(Conclusion { parts: vec![Part::text(text)], ..Conclusion::default() })
}

#[cfg(test)]
mod tests;
