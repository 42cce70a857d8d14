//! Answers in one conversation or chat of an agent, and leaves it.

use language::Language;
use toolkit::{
    Stop, Tool as _, events as host_events, log,
    sql::{self, Statement},
};

use super::{
    Worker,
    assistant::{self, Failure, Farewell, RunResult, Scene, Usage},
    is_over,
    progress::Progress,
};
use crate::{
    clock::Moment,
    events,
    outgoing::OutgoingMessage,
    tools::{EndConversation, SendMessage},
};

/// Maximum number of consecutive failures of an assistant.
const TRIES_MAX: u32 = 3;

/// A dialogue in which there is something to do.
struct Dialogue<'a> {
    worker: &'a Worker,
    progress: Progress,
    /// The language of the dialogue.
    language: Language,
    /// The number of the last message that the assistant received.
    delivered: u32,
}

/// The outcome of sending a message.
enum Delivery {
    /// The message was sent.
    Sent,
    /// A person has paused the conversation.
    Paused,
    /// The conversation or chat takes no more messages.
    Closed,
}

/// Answers the unanswered messages of a conversation or chat.
pub(super) fn answer(worker: &Worker, mut progress: Progress) -> Result<(), Stop> {
    let agent = &worker.agent;
    let log = progress.read_messages(agent)?;
    let scene = Scene::new(agent, &progress, &log);
    let is_asked = scene.has_unanswered() || progress.must_open();
    if progress.is_silent || !is_asked {
        progress.skip_messages();
        return save(&[progress.store(agent)]);
    }
    let decided = match used_up(worker, &progress) {
        Some(farewell) => Err(farewell),
        None => Ok(assistant::run_assistant(worker, &scene)?),
    };
    let language = scene.language;
    let delivered = log.last().map_or(progress.received, |it| it.sequence);
    let mut dialogue = Dialogue { worker, progress, language, delivered };
    match decided {
        Ok(result) => dialogue.conclude(&result),
        Err(farewell) => dialogue.leave(farewell),
    }
}

/// Returns the farewell where the agent's answers or tokens are used up.
fn used_up(worker: &Worker, progress: &Progress) -> Option<Farewell> {
    let (turns_max, tokens_max) = (worker.facts.turns_max, worker.facts.tokens_max);
    match progress.turns >= turns_max {
        true => Some(Farewell::Turns(turns_max)),
        false => (progress.tokens >= tokens_max).then_some(Farewell::Tokens(tokens_max)),
    }
}

fn save(statements: &[Statement]) -> Result<(), Stop> {
    sql::transact_all(statements)?;
    Ok(())
}

impl Dialogue<'_> {
    /// Carries out the assistant's decision.
    fn conclude(&mut self, result: &RunResult) -> Result<(), Stop> {
        if let Some(usage) = result.usage {
            self.count_usage(usage)?;
        }
        let tokens_max = self.worker.facts.tokens_max;
        let are_tokens_used = self.progress.tokens >= tokens_max;
        // What it sent before it failed counts as its answer: a retry would send that again.
        let failure = result.failure().filter(|_| !result.has_messaged(&self.progress.partner));
        if let Some(failure) = failure {
            return match are_tokens_used {
                true => self.leave(Farewell::Tokens(tokens_max)),
                false => self.handle_failure(failure),
            };
        }
        if result.has_ended(self.progress.conversation_id.as_deref()) {
            return Ok(());
        }
        let text = match result.is_unfinished() && !are_tokens_used {
            // The partner would wait for an answer that never comes.
            true => assistant::unfinished(self.language).to_owned(),
            false => result.text(),
        };
        if !text.is_empty() && !result.has_messaged(&self.progress.partner) {
            match self.send(&text, &self.progress.answer_id(self.delivered))? {
                Delivery::Sent => {}
                // Retried once the conversation is resumed.
                Delivery::Paused => return Ok(()),
                Delivery::Closed => {
                    self.progress.is_silent = self.progress.conversation_id.is_some()
                }
            }
        }
        self.progress.received = self.delivered;
        self.progress.has_opened = true;
        self.progress.failures = 0;
        self.progress.retry_at = None;
        let agent = &self.worker.agent;
        let memory = self.progress.store_memory(agent, result.memory());
        save(&[self.progress.store(agent), memory])?;
        if are_tokens_used && !self.progress.is_silent {
            return self.leave(Farewell::Tokens(tokens_max));
        }
        Ok(())
    }

    /// Counts an answer and its usage for the dialogue, and in conversations for people.
    fn count_usage(&mut self, usage: Usage) -> Result<(), Stop> {
        self.progress.turns += 1;
        self.progress.tokens += u64::from(usage.tokens());
        let agent = &self.worker.agent;
        let mut batch = vec![self.progress.store(agent)];
        if let Some(id) = &self.progress.conversation_id {
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
        if let Some(id) = &self.progress.conversation_id {
            host_events::publish(&events::conversation(id));
        }
        Ok(())
    }

    /// Handles a failed run: schedules a retry, or leaves the conversation.
    fn handle_failure(&mut self, failure: &Failure) -> Result<(), Stop> {
        let agent = &self.worker.agent;
        self.progress.failures += 1;
        log::warning(&format!(
            "{} of {} has no answer for {}: {}",
            agent.agent_id, agent.project_id, self.progress.partner, failure.message
        ));
        if self.progress.failures >= TRIES_MAX {
            return self.leave(Farewell::Failed);
        }
        let wait_s = failure.retry_after_s().unwrap_or(self.progress.failures);
        self.progress.retry_at = Some(Moment::now().after(wait_s).stored());
        save(&[self.progress.store(agent)])
    }

    /// Sends a text to the partner, once for each `mark`.
    fn send(&self, text: &str, mark: &str) -> Result<Delivery, Stop> {
        let message = OutgoingMessage {
            token: &self.worker.token,
            tool: SendMessage::NAME,
            must_chat: false,
            target_id: &self.progress.partner,
            content: text,
            conversation_id: self.progress.conversation_id.as_deref(),
            related_task_id: None,
            client_message_id: Some(mark),
            auto_start: false,
        };
        match message.send() {
            Ok(_) => Ok(Delivery::Sent),
            Err(stop) if is_over(&stop) => Err(stop),
            Err(Stop::Refused(it)) if it.code == "idempotency_conflict" => Ok(Delivery::Sent),
            Err(Stop::Refused(it)) if it.code == "conversation_paused" => Ok(Delivery::Paused),
            Err(Stop::Refused(it)) => {
                log::debug(&format!("{} is not heard: {}", self.worker.agent.agent_id, it.message));
                Ok(Delivery::Closed)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Ends the conversation with a last message. A chat, which only the person ends, gets no further answers.
    fn leave(&mut self, farewell: Farewell) -> Result<(), Stop> {
        let text = farewell.text(self.language);
        match &self.progress.conversation_id {
            Some(id) => {
                let reason = farewell.reason();
                match EndConversation::new(&self.worker.token, id, text, reason).end() {
                    Err(stop) if is_over(&stop) => return Err(stop),
                    // Ended, or it was over already.
                    Ok(_) | Err(Stop::Refused(_)) => {}
                    Err(stop) => return Err(stop),
                }
            }
            None => {
                let mark = format!("{}:end", self.progress.answer_id(self.delivered));
                self.send(&text, &mark)?;
            }
        }
        self.progress.received = self.delivered;
        self.progress.is_silent = true;
        save(&[self.progress.store(&self.worker.agent)])
    }
}
