//! Who decides in a dialogue: what they are asked, and what it takes.

use serde_json::json;

use super::{By, Crew, Dialogue, texts, thought::Thought};
use crate::{
    assistant::{
        Asker, Assistant, Before, Decider, Message, Part, Provider, Run, Task, Teller, Trouble,
        Undecided, Understanding, Usage,
        agents::{Binding, Stage},
        answered, models, outcome,
    },
    caller::Caller,
};

/// Whoever decides.
pub(super) enum Mind {
    Builtin(Box<Understanding>),
    Model(Provider, Box<dyn Decider>),
}

impl Dialogue {
    /// Asks whoever decides, and counts what it takes.
    pub(super) async fn think(&mut self, crew: &Crew<'_>) -> Result<Run, Trouble> {
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
        let of = (crew.assistant_name, crew.assistant.clone());
        let assistant = Assistant::new(&stage.calls, &stage.registry, of);
        let provider = match &mut mind {
            Mind::Builtin(it) => {
                let scene = json!({
                    "name": self.scene.name,
                    "purpose": self.scene.purpose,
                    "is_initiator": self.scene.is_initiator,
                    "may_end": self.scene.conversation.is_some(),
                });
                it.plays(&json!({ "scene": scene, "log": self.log }));
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
        run.and_then(Run::unless_failed)
    }

    fn mind(&self, crew: &Crew<'_>) -> Result<Mind, Undecided> {
        let stage = crew.stage;
        let chosen = models::chosen(crew.assistant, &stage.models, &stage.base);
        if chosen.provider == Provider::Builtin {
            let understanding = Understanding::of_agent(&stage.registry);
            return Ok(Mind::Builtin(Box::new(understanding)));
        }
        let given = (&stage.registry, None);
        let decider = models::decider(&chosen, crew.assistant, &stage.models, &stage.base, given)?;
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
}
