//! The built-in model as an agent among agents: plays しりとり and chains of English words, answers what
//! the counter's own grammar understands, and asks what it was sent to ask.
//!
//! All that it says follows from what was said before, so that a restart in the middle changes nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Builtin;
use crate::{Conclusion, Decision, Language, Part, Task, ToolCall, Turn};

#[path = "talker/chain.rs"]
mod chain;
#[path = "talker/kana.rs"]
mod kana;
#[path = "talker/opening.rs"]
mod opening;
#[path = "talker/words.rs"]
mod words;

pub(super) use chain::rounds;
use chain::{Chain, Move};

/// Ends a conversation.
const END: &str = "end_conversation";

/// Something that was said in a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Said {
    /// Who said it.
    pub by: By,
    /// What was said.
    pub text: String,
}

/// Who said it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum By {
    /// The agent itself.
    Own,
    /// The agent that it talks with.
    Partner,
    /// A third party, by its id: a person who steps in.
    Other(String),
}

/// As whom it talks, and what for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Scene {
    /// The agent's name.
    pub name: String,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// Whether it began the conversation.
    pub is_initiator: bool,
    /// Whether it is a conversation, which has an end, rather than a person's chat.
    pub may_end: bool,
}

/// Decides for an agent.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Talker {
    #[serde(skip)]
    scene: Scene,
    #[serde(skip)]
    log: Vec<Said>,
    /// Answers what is no game; it keeps what it was asked before.
    counter: Builtin,
    is_counter_asked: bool,
    calls: u64,
}

/// What it says next.
enum Next {
    /// This.
    Say(String),
    /// This, and that was all.
    End(String),
    /// Whatever the counter's grammar makes of this.
    Ask(String),
    /// It is not its turn.
    Nothing,
}

impl Talker {
    /// One that goes on from what it remembered, if anything.
    #[must_use]
    pub(crate) fn resume(scene: Scene, transcript: &Value) -> Self {
        Self { scene, ..Self::deserialize(transcript).unwrap_or_default() }
    }

    /// What it remembers within one turn of a conversation.
    #[must_use]
    pub(crate) fn transcript(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Hears what was said so far, oldest first.
    pub(crate) fn hear(&mut self, log: &[Said]) {
        self.log = log.to_vec();
    }

    /// What is next.
    pub(crate) fn next(&mut self, turn: Turn<'_>) -> Decision {
        if !turn.is_first {
            return match self.is_counter_asked {
                true => self.plain(turn),
                // What it said last has been done.
                false => Decision::Conclude(Conclusion::default()),
            };
        }
        self.is_counter_asked = false;
        match self.follows(turn.task.language) {
            Next::Say(text) => says(text),
            Next::End(text) => self.end(text, turn),
            Next::Nothing => Decision::Conclude(Conclusion::default()),
            Next::Ask(question) => {
                self.is_counter_asked = true;
                let task = Task {
                    message: vec![Part::text(question)],
                    history: Vec::new(),
                    ..turn.task.clone()
                };
                self.plain(Turn { task: &task, ..turn })
            }
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
            Some(said) => Next::Ask(opening::plain(&said.text).to_owned()),
            None => Next::Nothing,
        }
    }

    /// The counter's own answer, without its signature: who speaks here was said at the beginning.
    fn plain(&mut self, turn: Turn<'_>) -> Decision {
        let decision = self.counter.next(turn);
        let Decision::Conclude(conclusion) = decision else { return decision };
        let text = conclusion.text();
        let text =
            text.trim_end_matches("（内蔵プランナー）").trim_end_matches("(Built-in planner)");
        let has_spoken = self.log.iter().any(|it| it.by == By::Own);
        match has_spoken {
            true => says(text.trim().to_owned()),
            false => says(opening::introduced(&self.scene.name, text.trim(), turn.task.language)),
        }
    }

    /// Says `text` and ends the conversation; where there is none to be ended, it says it alone.
    fn end(&mut self, text: String, turn: Turn<'_>) -> Decision {
        let can_end = turn.offers.iter().any(|it| it.name == END);
        if !self.scene.may_end || !can_end {
            return says(text);
        }
        self.calls += 1;
        let language = turn.task.language;
        let arguments = json!({ "final_message": text });
        Decision::Call(vec![ToolCall {
            id: format!("end-{}", self.calls),
            name: END.to_owned(),
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
#[path = "talker/tests.rs"]
mod tests;
