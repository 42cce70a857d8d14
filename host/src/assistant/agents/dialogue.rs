//! One dialogue of an agent that is played: what was said, what is still to be said, and how much it
//! has taken.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::{
    SPEAKS, Stage,
    texts::{self, Farewell},
    tools::Tools,
};
use crate::{
    assistant::{Answered, AssistantConfig, Conclusion, Ending, Run, ToolResult, Trouble},
    failure::Failure,
};

mod mind;
mod scene;
mod thought;
mod voice;

use mind::Mind;
use scene::{By, Said};
pub(super) use scene::{Scene, Written};
use voice::Unsent;

/// Entries of what was said that are kept for whoever decides.
const LOG_MAX: usize = 200;
/// Characters of one message (CONV-60).
const CHARS_MAX: usize = 4_000;
/// Each so many messages it is asked whether the purpose is reached.
const REMINDER_EACH: u64 = 5;

/// Whom a dialogue acts through.
pub(super) struct Crew<'a> {
    pub(super) stage: &'a Stage,
    pub(super) tools: &'a Tools,
    pub(super) assistant: &'a Arc<AssistantConfig>,
    pub(super) assistant_name: &'a str,
    pub(super) token: &'a Arc<str>,
}

/// What came of it.
pub(super) enum Acted {
    GoesOn,
    /// The dialogue is over, and nothing more is said in it.
    Over,
}

/// One dialogue.
pub(super) struct Dialogue {
    scene: Scene,
    log: Vec<Said>,
    /// The number of the last message that was heard or said.
    heard: u64,
    /// How many at the end of the log nobody has answered.
    news: usize,
    reminds: bool,
    /// Whether it is to say the first word.
    opens: bool,
    unsent: Option<Unsent>,
    mind: Option<Mind>,
    turns: usize,
    tokens: u64,
    failures: u32,
    retry_at: Option<Instant>,
    /// In a person's chat, which does not end by itself: that no more is answered.
    is_silent: bool,
}

impl Dialogue {
    /// From where it stands: `before` is what was written so far, oldest first.
    pub(super) fn new(mut scene: Scene, before: &[Written]) -> Self {
        scene.set_language(before.iter().map(|it| it.content.as_str()));
        let opens = scene.is_initiator && scene.conversation.is_some() && before.is_empty();
        let mut dialogue = Self {
            scene,
            log: Vec::new(),
            heard: 0,
            news: 0,
            reminds: false,
            opens,
            unsent: None,
            mind: None,
            turns: 0,
            tokens: 0,
            failures: 0,
            retry_at: None,
            is_silent: false,
        };
        // What it has not read yet comes as news; what it had read and not answered, it answers now.
        for message in before {
            if message.sender_id == dialogue.scene.agent_id {
                dialogue.news = 0;
                dialogue.said(&message.content);
                dialogue.heard = message.sequence;
            } else if message.read_at.is_some() {
                dialogue.hear(message);
            }
        }
        dialogue
    }

    /// Whether something is still to be said that could not be said yet.
    pub(super) fn owes(&self) -> bool {
        self.unsent.is_some() || self.retry_at.is_some()
    }

    /// Hears what was written; what was heard before is not heard again.
    pub(super) fn hear(&mut self, message: &Written) {
        if message.sequence <= self.heard || message.sender_id == self.scene.agent_id {
            return;
        }
        self.heard = message.sequence;
        self.reminds |= message.sequence.is_multiple_of(REMINDER_EACH);
        self.opens = false;
        if self.log.is_empty() {
            self.scene.set_language([message.content.as_str()].into_iter());
        }
        self.log.push(self.scene.said(message));
        self.news += 1;
        self.keep();
    }

    /// Notes what it has said itself, before what was written meanwhile.
    fn said(&mut self, text: &str) {
        let at = self.log.len().saturating_sub(self.news);
        self.log.insert(at, Said { by: By::Own, text: text.to_owned() });
        self.keep();
    }

    /// What was said before in a person's chat, of which nothing is known here yet.
    pub(super) fn recall(&mut self, before: &[Written]) {
        if self.log.is_empty() {
            self.log.extend(before.iter().map(|it| self.scene.said(it)));
            self.keep();
        }
    }

    fn keep(&mut self) {
        let surplus = self.log.len().saturating_sub(LOG_MAX);
        self.log.drain(..surplus);
    }

    /// Says what there is to say.
    pub(super) async fn act(&mut self, crew: &Crew<'_>) -> Result<Acted, Failure> {
        if self.retry_at.is_some_and(|it| it > Instant::now()) {
            return Ok(Acted::GoesOn);
        }
        self.retry_at = None;
        if self.unsent.is_some() {
            match self.send(crew).await? {
                Acted::GoesOn if self.unsent.is_none() => {}
                acted => return Ok(acted),
            }
        }
        if self.news == 0 && !self.opens {
            return Ok(Acted::GoesOn);
        }
        if self.is_silent {
            self.news = 0;
            return Ok(Acted::GoesOn);
        }
        let (turns_max, tokens_max) = crew.assistant.budget();
        if self.turns >= turns_max {
            return self.leave(crew, Farewell::Turns(turns_max)).await;
        }
        if self.tokens >= tokens_max {
            return self.leave(crew, Farewell::Tokens(tokens_max)).await;
        }
        let run = self.think(crew).await;
        self.conclude(crew, run).await
    }

    /// Makes what was decided happen.
    async fn conclude(
        &mut self,
        crew: &Crew<'_>,
        run: Result<Run, Trouble>,
    ) -> Result<Acted, Failure> {
        let tokens_max = crew.assistant.budget().1;
        let run = match run {
            Ok(run) => run,
            Err(_) if self.tokens >= tokens_max => {
                return self.leave(crew, Farewell::Tokens(tokens_max)).await;
            }
            Err(trouble) => return self.failed(crew, &trouble).await,
        };
        let is_opening = std::mem::take(&mut self.opens);
        self.news = 0;
        self.reminds = false;
        self.failures = 0;
        let done = |it: &&Answered| matches!(it.result, ToolResult::Output { .. });
        let mut has_spoken = false;
        for it in run.answered.iter().filter(done) {
            if SPEAKS.contains(&it.call.name.as_str()) {
                let arguments = &it.call.arguments;
                let to = arguments.get("target_agent_id").and_then(Value::as_str);
                if to.is_none_or(|it| it == self.scene.partner) {
                    has_spoken = true;
                    let text = arguments.get("content").and_then(Value::as_str);
                    self.said(text.unwrap_or_default());
                }
            } else if it.call.name == "end_conversation" && self.is_meant(&it.result) {
                return Ok(Acted::Over);
            }
        }
        let text = match &run.ending {
            Ending::Concluded(it) => text_of(it),
            Ending::Waits { .. } | Ending::Stopped(_) | Ending::Failed(_) => String::new(),
        };
        if !text.is_empty() && !has_spoken {
            self.unsent = Some(Unsent::new(text, is_opening));
            if let Acted::Over = self.send(crew).await? {
                return Ok(Acted::Over);
            }
        }
        if self.tokens >= tokens_max && self.unsent.is_none() {
            return self.leave(crew, Farewell::Tokens(tokens_max)).await;
        }
        Ok(Acted::GoesOn)
    }

    /// Whether it is this conversation that was ended.
    fn is_meant(&self, result: &ToolResult) -> bool {
        let ToolResult::Output { structured, .. } = result else { return false };
        structured["conversation_id"].as_str() == self.scene.conversation.as_deref()
    }
}

/// What an answer says, as much of it as one message takes.
fn text_of(conclusion: &Conclusion) -> String {
    conclusion.text().trim().chars().take(CHARS_MAX).collect()
}
