//! Jobs of a component that runs alone, and the assistant that it asks in them.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::{Running, Solo};
use crate::{
    assistant_run::RunEvent,
    bindings::madoguchi::tool::assistants as wit,
    capability::{Ask, Asks, Assistants, Runs},
    component::{Agenda, Job, JobOutcome},
};

/// What a run comes to, by what was asked.
type Answers = dyn Fn(&Value) -> Value + Send + Sync;

/// An assistant of a test's, in the place of a real one.
pub(super) struct Fake {
    name: String,
    budget: (u32, u64),
    answers: Arc<Answers>,
}

impl Runs for Fake {
    fn start(&self, ask: Ask) -> (String, AbortHandle) {
        let ended = (self.answers)(&told(&ask));
        let run = async move {
            let event = RunEvent { name: "ended".to_owned(), data: ended.to_string() };
            let _ = ask.events.send(event).await;
        };
        ("fake".to_owned(), tokio::spawn(run).abort_handle())
    }

    fn about(&self, assistant: &str) -> Option<wit::Facts> {
        let (turns_max, tokens_max) = self.budget;
        (assistant == self.name).then_some(wit::Facts { turns_max, tokens_max })
    }
}

/// What was asked, as a test reads it.
fn told(ask: &Ask) -> Value {
    let read = |text: &Option<String>| -> Value {
        text.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
    };
    let task = &ask.task;
    let remarks = task.history.iter();
    let history: Vec<_> =
        remarks.map(|it| json!({ "is_user": it.is_user, "text": it.text })).collect();
    let part = ask.part.as_ref().map(|part| {
        let given = part.given.iter().map(|it| {
            json!({
                "tool": it.tool, "argument": it.argument, "is_default": it.is_default,
                "value": read(&Some(it.value.clone())),
            })
        });
        let given: Vec<_> = given.collect();
        json!({
            "name": part.name, "given": given, "tokens_max": part.tokens_max,
            "memory": read(&part.memory),
        })
    });
    json!({
        "assistant": task.assistant, "message": task.message, "history": history,
        "language": task.language, "context": read(&task.context), "part": part,
    })
}

impl Solo {
    /// Lets it ask the assistant `name`, which may take `budget` (turns, tokens) in one conversation;
    /// `answers` says what each run comes to: the data of its last event.
    #[must_use]
    pub fn assistant(
        mut self,
        name: &str,
        budget: (u32, u64),
        answers: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let fake = Arc::new(Fake { name: name.to_owned(), budget, answers: Arc::new(answers) });
        let assistants = Assistants::default();
        assistants.put(&fake);
        self.asks = Asks { names: [name.to_owned()].into(), assistants };
        self.fake = Some(fake);
        self
    }
}

impl Running {
    /// What it has to do now, beside the jobs of those keys.
    ///
    /// # Errors
    /// What would stand in the log.
    pub async fn due(&self, running: &[&str]) -> Result<Agenda, String> {
        if !self.component.has_jobs() {
            return Err("it has no jobs, or no leave to do them".to_owned());
        }
        let running: Vec<_> = running.iter().map(|it| (*it).to_owned()).collect();
        self.component.due(&running).await.map_err(|it| it.to_string())?
    }

    /// One run of a job.
    ///
    /// # Errors
    /// What would stand in the log.
    pub async fn run_job(&self, key: &str, input: &str) -> Result<JobOutcome, String> {
        let job = Job { key: key.to_owned(), input: input.to_owned() };
        self.component.run_job(&job).await.map_err(|it| it.to_string())?
    }
}
