//! The built-in model as an agent among agents: plays しりとり and chains of English words, asks what it was sent to
//! ask, and has what it is asked answered as a person's sentence is.
//!
//! All its messages follow from the earlier ones, so that a restart in the middle changes nothing.

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

/// The member of a context that is an agent that is played.
pub(super) const AGENT: &str = "agent";

/// A message of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct LogEntry {
    /// Who sent it.
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
    /// A third party, by its id: a person who steps in.
    Other(String),
}

/// As whom it talks, and what for.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Scene {
    /// The agent's name.
    pub name: String,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// Whether it began the conversation.
    pub is_initiator: bool,
    /// Whether it is a conversation, which has an end, rather than a person's chat.
    pub may_end: bool,
}

/// An agent that is played.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ScriptedAgent {
    /// As whom it talks.
    pub scene: Scene,
    /// The messages so far, oldest first.
    pub log: Vec<LogEntry>,
}

/// What it says next.
enum Next {
    /// This text, and the conversation goes on.
    Say(String),
    /// This, and that was all.
    End(String),
    /// What the answer to this is.
    Ask(String),
    /// It is not its turn.
    Nothing,
}

impl ScriptedAgent {
    /// What components that understand sentences receive of it: who it is, and what it is asked in words that are
    /// for any of them.
    pub fn context(&self, language: Language) -> Value {
        let mut context = json!({ AGENT: self });
        if let Next::Ask(question) = self.follows(language) {
            let has_spoken = self.log.iter().any(|it| it.by == By::Own);
            let lead = match has_spoken {
                true => String::new(),
                false => opening::introduced(&self.scene.name, "", language),
            };
            context[SENTENCE] = json!({ "said": question, "lead": lead });
        }
        context
    }

    /// What is next, where it says that itself.
    pub(super) fn next(&self, turn: Turn<'_>) -> Decision {
        if !turn.is_first {
            // Its last message has been sent.
            return Decision::Conclude(Conclusion::default());
        }
        match self.follows(turn.task.language) {
            Next::Say(text) => says(text),
            Next::End(text) => self.end(text, turn),
            Next::Nothing | Next::Ask(_) => Decision::Conclude(Conclusion::default()),
        }
    }

    fn follows(&self, language: Language) -> Next {
        if let Some(chain) = Chain::of(&self.scene, &self.log, language) {
            return match chain.next() {
                Move::Say(text) => Next::Say(text),
                Move::End(text) => Next::End(text),
                Move::Nothing => Next::Nothing,
            };
        }
        let has_spoken = self.log.iter().any(|it| it.by == By::Own);
        if self.scene.is_initiator {
            let purpose = self.scene.purpose.as_deref();
            if !has_spoken {
                let opening = opening::opening(purpose, language);
                return Next::Say(opening::introduced(&self.scene.name, &opening, language));
            }
            let is_answered = self.log.last().is_some_and(|it| it.by == By::Partner);
            return match is_answered {
                true => Next::End(opening::thanks(language).to_owned()),
                false => Next::Nothing,
            };
        }
        match self.log.last().filter(|it| it.by != By::Own) {
            Some(entry) => Next::Ask(opening::plain(&entry.text).to_owned()),
            None => Next::Nothing,
        }
    }

    /// Says `text` and ends the conversation; where there is none to be ended, it says it alone.
    fn end(&self, text: String, turn: Turn<'_>) -> Decision {
        let can_end = turn.offers.iter().any(|it| it.name == EndConversation::NAME);
        if !self.scene.may_end || !can_end {
            return says(text);
        }
        let language = turn.task.language;
        let arguments = json!({ "final_message": text });
        Decision::Call(vec![ToolCall {
            id: format!("end-{}", self.log.len()),
            name: EndConversation::NAME.to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            meta: Default::default(),
            reason: language.pick("会話の目的を達成したため", "The purpose is reached").to_owned(),
        }])
    }
}

fn says(text: String) -> Decision {
    Decision::Conclude(Conclusion { parts: vec![Part::text(text)], ..Conclusion::default() })
}

#[cfg(test)]
mod tests;
