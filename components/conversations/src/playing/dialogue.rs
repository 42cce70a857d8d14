//! Answers in one conversation or chat of an agent, and leaves it.

use language::Language;
use toolkit::{
    Stop, Tool as _, events as host_events, log,
    sql::{self, Statement},
};

use super::{
    assistant::{self, Ended, Failure, Usage},
    is_over,
    progress::Stand,
    scene::{self, Farewell, Scene},
    worker::Player,
};
use crate::{
    clock::Moment,
    events,
    outgoing::Saying,
    tools::{EndConversation, SendMessage},
};

/// Maximum number of consecutive failures of an assistant.
const TRIES_MAX: u32 = 3;

/// A dialogue in which there is something to do.
struct Dialogue<'a> {
    player: &'a Player,
    stand: Stand,
    /// The language of the dialogue.
    language: Language,
    /// The number of the last message that the assistant received.
    delivered: u32,
}

/// The outcome of sending a message.
enum Spoken {
    /// The message was sent.
    LogEntry,
    /// A person has paused the conversation.
    Held,
    /// The conversation or chat takes no more messages.
    Unheard,
}

/// Answers the unanswered messages of a conversation or chat.
pub(super) fn act(player: &Player, mut stand: Stand) -> Result<(), Stop> {
    let agent = &player.agent;
    let log = stand.receive(agent)?;
    let scene = Scene::new(agent, &stand, &log);
    let is_asked = scene.has_news() || stand.opens();
    if stand.is_silent || !is_asked {
        stand.leave_off();
        return save(&[stand.saved(agent)]);
    }
    let decided = match used_up(player, &stand) {
        Some(farewell) => Err(farewell),
        None => Ok(assistant::think(player, &scene)?),
    };
    let language = scene.language;
    let delivered = log.last().map_or(stand.received, |it| it.sequence);
    let mut dialogue = Dialogue { player, stand, language, delivered };
    match decided {
        Ok(ended) => dialogue.conclude(&ended),
        Err(farewell) => dialogue.leave(farewell),
    }
}

/// Returns the farewell where the agent's answers or tokens are used up.
fn used_up(player: &Player, stand: &Stand) -> Option<Farewell> {
    let (turns_max, tokens_max) = (player.facts.turns_max, player.facts.tokens_max);
    match stand.turns >= turns_max {
        true => Some(Farewell::Turns(turns_max)),
        false => (stand.tokens >= tokens_max).then_some(Farewell::Tokens(tokens_max)),
    }
}

fn save(statements: &[Statement]) -> Result<(), Stop> {
    sql::transact_all(statements)?;
    Ok(())
}

impl Dialogue<'_> {
    /// Carries out the assistant's decision.
    fn conclude(&mut self, ended: &Ended) -> Result<(), Stop> {
        if let Some(usage) = ended.usage {
            self.took(usage)?;
        }
        let tokens_max = self.player.facts.tokens_max;
        let are_tokens_used = self.stand.tokens >= tokens_max;
        // What it sent before it failed counts as its answer: a retry would send that again.
        let failure = ended.failure().filter(|_| !ended.has_spoken(&self.stand.partner));
        if let Some(failure) = failure {
            return match are_tokens_used {
                true => self.leave(Farewell::Tokens(tokens_max)),
                false => self.failed(failure),
            };
        }
        if ended.has_ended(self.stand.conversation_id.as_deref()) {
            return Ok(());
        }
        let text = match ended.is_unfinished() && !are_tokens_used {
            // The partner would wait for an answer that never comes.
            true => scene::unfinished(self.language).to_owned(),
            false => ended.text(),
        };
        if !text.is_empty() && !ended.has_spoken(&self.stand.partner) {
            match self.say(&text, &self.stand.mark(self.delivered))? {
                Spoken::LogEntry => {}
                // Retried once the conversation is resumed.
                Spoken::Held => return Ok(()),
                Spoken::Unheard => self.stand.is_silent = self.stand.conversation_id.is_some(),
            }
        }
        self.stand.received = self.delivered;
        self.stand.has_opened = true;
        self.stand.failures = 0;
        self.stand.retry_at = None;
        let agent = &self.player.agent;
        let remembered = self.stand.remembered(agent, ended.memory());
        save(&[self.stand.saved(agent), remembered])?;
        if are_tokens_used && !self.stand.is_silent {
            return self.leave(Farewell::Tokens(tokens_max));
        }
        Ok(())
    }

    /// Counts an answer and its usage for the dialogue, and in conversations for people.
    fn took(&mut self, usage: Usage) -> Result<(), Stop> {
        self.stand.turns += 1;
        self.stand.tokens += u64::from(usage.tokens());
        let agent = &self.player.agent;
        let mut batch = vec![self.stand.saved(agent)];
        if let Some(id) = &self.stand.conversation_id {
            batch.push(toolkit::sql!(
                "UPDATE members SET turns = turns + 1, input_tokens = input_tokens + $3, \
                 output_tokens = output_tokens + $4, cost_usd = CASE WHEN $5 IS NULL \
                 THEN cost_usd ELSE COALESCE(cost_usd, 0.0) + $5 END \
                 WHERE conversation_id = $1 AND agent_id = $2",
                id,
                &agent.agent_id,
                usage.input(),
                usage.output(),
                usage.cost_usd(),
            ));
        }
        save(&batch)?;
        if let Some(id) = &self.stand.conversation_id {
            host_events::publish(&events::conversation(id));
        }
        Ok(())
    }

    /// Handles a failed run: schedules a retry, or leaves the conversation.
    fn failed(&mut self, failure: &Failure) -> Result<(), Stop> {
        let agent = &self.player.agent;
        self.stand.failures += 1;
        log::warning(&format!(
            "{} of {} has no answer for {}: {}",
            agent.agent_id, agent.project_id, self.stand.partner, failure.message
        ));
        if self.stand.failures >= TRIES_MAX {
            return self.leave(Farewell::Failed);
        }
        let wait_s = failure.retry_after_s().unwrap_or(self.stand.failures);
        self.stand.retry_at = Some(Moment::now().after(wait_s).stored());
        save(&[self.stand.saved(agent)])
    }

    /// Sends a text to the partner, once for each `mark`.
    fn say(&self, text: &str, mark: &str) -> Result<Spoken, Stop> {
        let saying = Saying {
            token: &self.player.token,
            tool: SendMessage::NAME,
            must_chat: false,
            target_id: &self.stand.partner,
            content: text,
            conversation_id: self.stand.conversation_id.as_deref(),
            related_task_id: None,
            client_message_id: Some(mark),
            auto_start: false,
        };
        match saying.say() {
            Ok(_) => Ok(Spoken::LogEntry),
            Err(stop) if is_over(&stop) => Err(stop),
            Err(Stop::Refused(it)) if it.code == "idempotency_conflict" => Ok(Spoken::LogEntry),
            Err(Stop::Refused(it)) if it.code == "conversation_paused" => Ok(Spoken::Held),
            Err(Stop::Refused(it)) => {
                log::debug(&format!("{} is not heard: {}", self.player.agent.agent_id, it.message));
                Ok(Spoken::Unheard)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Ends the conversation with a last message. A chat, which only the person ends, gets no further answers.
    fn leave(&mut self, farewell: Farewell) -> Result<(), Stop> {
        let text = farewell.text(self.language);
        match &self.stand.conversation_id {
            Some(id) => {
                let reason = farewell.reason();
                match EndConversation::of(&self.player.token, id, text, reason).end() {
                    Err(stop) if is_over(&stop) => return Err(stop),
                    // Ended, or it was over already.
                    Ok(_) | Err(Stop::Refused(_)) => {}
                    Err(stop) => return Err(stop),
                }
            }
            None => {
                let mark = format!("{}:end", self.stand.mark(self.delivered));
                self.say(&text, &mark)?;
            }
        }
        self.stand.received = self.delivered;
        self.stand.is_silent = true;
        save(&[self.stand.saved(&self.player.agent)])
    }
}
