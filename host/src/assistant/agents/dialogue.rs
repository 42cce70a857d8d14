//! One dialogue of an agent that is played: what was said, what is still to be said, and how much it
//! has taken.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    Binding, SPEAKS, Stage,
    texts::{self, Farewell},
    tools::Tools,
};
use crate::{
    api::chat::{answered, outcome},
    assistant::{
        Asker, Assistant, AssistantConfig, Before, Conclusion, Decider, Ending, Message, Part,
        Provider, Run, Task, Teller, ToolResult, Trouble, Undecided, Usage,
        builtin::talker::{self, By, Said, Talker},
        models,
        turns::number,
    },
    caller::Caller,
    failure::Failure,
};

mod scene;
mod thought;

pub(super) use scene::{Scene, Written};
use thought::Thought;

/// Entries of what was said that are kept for whoever decides.
const LOG_MAX: usize = 200;
/// Characters of one message (CONV-60).
const CHARS_MAX: usize = 4_000;
/// How often an assistant that fails is asked again, and how long it may ask to be left alone.
const TRIES_MAX: u32 = 3;
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MAX_S: u64 = 60;
/// How soon it is tried again to write where a person holds the conversation up.
const PAUSED: Duration = Duration::from_secs(2);
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

/// Whoever decides.
enum Mind {
    Builtin(Box<Talker>),
    Model(Provider, Box<dyn Decider>),
}

/// Something that is to be sent; sent twice it arrives once.
struct Unsent {
    text: String,
    client_message_id: String,
    is_opening: bool,
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
        self.note(self.scene.said(message));
        self.news += 1;
    }

    fn said(&mut self, text: &str) {
        self.note(Said { by: By::Own, text: text.to_owned() });
    }

    fn note(&mut self, said: Said) {
        if self.log.len() >= LOG_MAX {
            self.log.remove(0);
        }
        self.log.push(said);
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

    /// Asks whoever decides, and counts what it takes.
    async fn think(&mut self, crew: &Crew<'_>) -> Result<Run, Trouble> {
        let stage = crew.stage;
        let mut mind = match self.mind.take() {
            Some(mind) => mind,
            None => self.mind(crew).map_err(Trouble::Undecided)?,
        };
        let task = self.task(stage);
        let binding = Binding {
            token: crew.token.clone(),
            partner: self.scene.partner.clone(),
            conversation: self.scene.conversation.clone(),
        };
        let mut caller = Caller::agent(&self.scene.agent_id);
        caller.locale = Some(self.scene.language.tag().into());
        let asker = Asker::played(caller, binding);
        let assistant = Assistant::new(&stage.calls, &stage.registry, crew.assistant.clone());
        let provider = match &mut mind {
            Mind::Builtin(it) => {
                it.hear(&self.log);
                Provider::Builtin
            }
            Mind::Model(provider, _) => *provider,
        };
        let mut running = stage.metrics.run(crew.assistant_name, provider);
        let left = crew.assistant.budget().1.saturating_sub(self.tokens);
        let decider: &mut dyn Decider = match &mut mind {
            Mind::Builtin(it) => &mut **it,
            Mind::Model(_, it) => &mut **it,
        };
        let mut thought = Thought::new(decider, left);
        let teller = Teller::default();
        let run = assistant.run(&task, Before::default(), &mut thought, &asker, &teller).await;
        let taken = thought.taken();
        running.took(taken);
        running.ended(outcome(&run), answered(&run));
        drop(running);
        self.mind = Some(mind);
        self.turns += 1;
        self.tokens += taken.input_tokens + taken.output_tokens;
        self.report(crew, taken).await;
        run
    }

    fn mind(&self, crew: &Crew<'_>) -> Result<Mind, Undecided> {
        let stage = crew.stage;
        let chosen = models::chosen(crew.assistant, &stage.models, &stage.base);
        if chosen.provider == Provider::Builtin {
            let scene = talker::Scene {
                name: self.scene.name.clone(),
                purpose: self.scene.purpose.clone(),
                is_initiator: self.scene.is_initiator,
                may_end: self.scene.conversation.is_some(),
            };
            return Ok(Mind::Builtin(Box::new(Talker::new(scene))));
        }
        let decider = models::decider(&chosen, crew.assistant, &stage.models, &stage.base, None)?;
        Ok(Mind::Model(chosen.provider, decider))
    }

    /// What is asked: the scene and what was said before as history, what is new as the task.
    fn task(&self, stage: &Stage) -> Task {
        let language = self.scene.language;
        let (before, news) = self.log.split_at(self.log.len().saturating_sub(self.news));
        let scene = Message { is_user: true, parts: vec![Part::text(texts::scene(&self.scene))] };
        let said = before.iter().map(|it| Message {
            is_user: it.by != By::Own,
            parts: vec![Part::text(self.scene.told(it))],
        });
        let mut message: Vec<_> = news.iter().map(|it| Part::text(self.scene.told(it))).collect();
        if self.opens {
            message.push(Part::text(texts::opening(language)));
        }
        if self.reminds {
            message.push(Part::text(texts::reminder(language)));
        }
        let now_s = i64::try_from(stage.clock.now().as_secs()).unwrap_or_default();
        let now = jiff::Timestamp::from_second(now_s).unwrap_or_default();
        Task { message, history: std::iter::once(scene).chain(said).collect(), language, now }
    }

    async fn report(&mut self, crew: &Crew<'_>, taken: Usage) {
        let Some(id) = &self.scene.conversation else { return };
        let mut arguments = json!({
            "session_token": &**crew.token,
            "conversation_id": id,
            "input_tokens": taken.input_tokens,
            "output_tokens": taken.output_tokens,
        });
        if let Some(cost) = taken.cost_usd {
            arguments["cost_usd"] = cost.into();
        }
        if let Err(failure) = crew.tools.call("report_usage", arguments).await {
            tracing::debug!("what {id} took is not told: {}", failure.message);
        }
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
        let done =
            |it: &&crate::assistant::Answered| matches!(it.result, ToolResult::Output { .. });
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
            Ending::Waits { .. } | Ending::Stopped(_) => String::new(),
        };
        let is_opening = std::mem::take(&mut self.opens);
        self.news = 0;
        self.reminds = false;
        self.failures = 0;
        if !text.is_empty() && !has_spoken {
            let client_message_id = number().unwrap_or_default();
            self.unsent = Some(Unsent { text, client_message_id, is_opening });
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

    async fn failed(&mut self, crew: &Crew<'_>, trouble: &Trouble) -> Result<Acted, Failure> {
        self.failures += 1;
        let (agent, key) = (&self.scene.agent_id, self.scene.key());
        tracing::warn!("{agent} has no answer in {key}: {}", texts::why(trouble));
        if self.failures >= TRIES_MAX {
            return self.leave(crew, Farewell::Failed).await;
        }
        let wanted = match trouble {
            Trouble::Undecided(it) => it.retry_after_s.map(|it| it.min(RETRY_MAX_S)),
            Trouble::Tool(_) | Trouble::NoTools(_) => None,
        };
        let wait = wanted.map_or(RETRY * self.failures, Duration::from_secs);
        self.retry_at = Some(Instant::now() + wait);
        Ok(Acted::GoesOn)
    }

    /// Sends what is to be sent.
    async fn send(&mut self, crew: &Crew<'_>) -> Result<Acted, Failure> {
        let Some(unsent) = &self.unsent else { return Ok(Acted::GoesOn) };
        let mut arguments = json!({
            "session_token": &**crew.token,
            "target_agent_id": self.scene.partner,
            "content": unsent.text,
            "client_message_id": unsent.client_message_id,
        });
        let tool = if unsent.is_opening { "send_message" } else { "respond_chat" };
        if let (true, Some(id)) = (unsent.is_opening, &self.scene.conversation) {
            arguments["conversation_id"] = id.as_str().into();
        }
        match crew.tools.call(tool, arguments).await {
            Ok(_) => {
                if let Some(sent) = self.unsent.take() {
                    self.said(&sent.text);
                }
                Ok(Acted::GoesOn)
            }
            Err(failure) if failure.error == "invalid_session" => Err(failure),
            Err(failure) if failure.error == "conversation_paused" => {
                self.retry_at = Some(Instant::now() + PAUSED);
                Ok(Acted::GoesOn)
            }
            Err(failure) if failure.status >= 500 => Err(failure),
            // The conversation has ended meanwhile: nobody waits for it any more.
            Err(failure) => {
                tracing::debug!("{} is not heard: {}", self.scene.agent_id, failure.message);
                self.unsent = None;
                Ok(if self.scene.conversation.is_some() { Acted::Over } else { Acted::GoesOn })
            }
        }
    }

    /// Ends the conversation with a last word; a person's chat, which only the person ends, with silence.
    async fn leave(&mut self, crew: &Crew<'_>, farewell: Farewell) -> Result<Acted, Failure> {
        let text = farewell.text(self.scene.language);
        self.news = 0;
        self.opens = false;
        let Some(id) = &self.scene.conversation else {
            self.is_silent = true;
            let client_message_id = number().unwrap_or_default();
            self.unsent = Some(Unsent { text, client_message_id, is_opening: false });
            return self.send(crew).await;
        };
        let arguments = json!({
            "session_token": &**crew.token,
            "conversation_id": id,
            "final_message": text,
            "reason_text": farewell.reason(),
        });
        match crew.tools.call("end_conversation", arguments).await {
            Err(failure) if failure.error == "invalid_session" || failure.status >= 500 => {
                Err(failure)
            }
            // Ended, or it was over already.
            _ => Ok(Acted::Over),
        }
    }
}

/// What an answer says, as much of it as one message takes.
fn text_of(conclusion: &Conclusion) -> String {
    conclusion.text().trim().chars().take(CHARS_MAX).collect()
}
