//! The built-in model as an agent: plays しりとり and English word chains, asks for its purpose, and has questions
//! answered like a person's sentences.
//!
//! Each message follows from the earlier ones, so that a restart changes nothing.

mod chain;

use language::{
    Language,
    contract::SENTENCE,
    message::Part,
    scan::marks,
    turn::{Conclusion, Decision, ToolCall, Turn},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::Tool as _;

use self::chain::{Chain, Move};
use crate::tools::EndConversation;

pub(super) use self::chain::rounds;

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
                false => with_introduction(&self.scene.name, "", language),
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
                let opening = opening(purpose, language);
                return Next::Say(with_introduction(&self.scene.name, &opening, language));
            }
            let is_answered = self.log.last().is_some_and(|it| it.by == By::Partner);
            return match is_answered {
                true => Next::End(thanks(language).to_owned(), None),
                false => Next::Nothing,
            };
        }
        match self.log.last().filter(|it| it.by != By::Own) {
            Some(entry) => Next::Ask(without_introduction(&entry.text).to_owned()),
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

/// Endings of a purpose that is a sentence already.
const SENTENCES: &str = "。|？|?|！|!|.|ください|下さい|ますか|ですか|かな";
/// Verbs at the end of a purpose, which the opening replaces by a question.
const PURPOSE_TAILS: &str = "を聞く|を聞いて|を尋ねる|を尋ねて|を教えてもらう|を確認する|を確認|を調べる|を調べて|を教えて|を知る|について聞く|について相談|について話す|について話して|について|の確認|の質問";

/// Returns the first message of an agent that began a conversation for `purpose`.
fn opening(purpose: Option<&str>, language: Language) -> String {
    let Some(purpose) = purpose.map(str::trim).filter(|it| !it.is_empty()) else {
        return language
            .pick("お話ししましょう。何ができますか？", "Let us talk. What can you do?")
            .to_owned();
    };
    if marks(SENTENCES).any(|it| purpose.ends_with(it)) {
        return purpose.to_owned();
    }
    match language {
        Language::Japanese => {
            let deed = marks(PURPOSE_TAILS).find(|it| purpose.ends_with(it));
            let about = deed.map_or(purpose, |it| &purpose[..purpose.len() - it.len()]);
            format!("{about}について教えてください。")
        }
        Language::English => {
            let lower = purpose.to_lowercase();
            let question = [
                "what", "which", "when", "where", "who", "how", "is ", "are ", "do ", "does ",
                "can ",
            ];
            match question.iter().any(|it| lower.starts_with(it)) {
                true => format!("{purpose}?"),
                false => format!("Please tell me about {purpose}."),
            }
        }
    }
}

/// Prefixes `text` with the agent's introduction.
fn with_introduction(name: &str, text: &str, language: Language) -> String {
    language.pick(
        format!("内蔵モデルの{name}です。{text}"),
        format!("This is {name}, played by the built-in model. {text}"),
    )
}

/// Removes the introduction of another scripted agent from `text`.
fn without_introduction(text: &str) -> &str {
    let japanese = text.strip_prefix("内蔵モデルの").and_then(|it| it.split_once("です。"));
    let english = text.split_once(", played by the built-in model. ");
    japanese.or(english).map_or(text, |it| it.1)
}

/// Returns the last message, after an answer.
fn thanks(language: Language) -> &'static str {
    language.pick(
        "ありがとうございました。よく分かりました。会話を終了します。",
        "Thank you, that is what I wanted to know. I end the conversation here.",
    )
}

#[cfg(test)]
mod tests;
