//! Runs of assistants that components ask, each in a task of its own.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::{sync::mpsc, task::AbortHandle};

use super::{
    Answered, Asker, Assistant, AssistantConfig, Decider, Ending, Language, Message, Part,
    Provider, Run, Stopped, Task, Teller, ToolResult, Trouble, Undecided, Understanding, Why,
    answered, models, outcome,
};
use crate::{
    bindings::madoguchi::tool::assistants as wit,
    call_state::Clock,
    calls::Calls,
    capability::{Ask, Runs},
    config::Config,
    failure::Failure,
    metrics::{Metrics, Running},
    registry::Registry,
};

/// What runs are made of.
#[derive(Clone)]
pub(crate) struct Runner {
    pub(crate) calls: Calls,
    pub(crate) registry: Registry,
    pub(crate) config: Arc<Config>,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
}

/// Who decides, and the count of a model's run.
type Deciding = (Box<dyn Decider>, Option<Running>);

impl Runs for Runner {
    fn start(&self, ask: Ask) -> (String, AbortHandle) {
        let config = self.config.assistant(&ask.task.assistant);
        let provider = self.provider(&config, ask.task.may_ask_model);
        let run = self.clone().run(ask, config, provider);
        (provider.name().to_owned(), tokio::spawn(run).abort_handle())
    }
}

impl Runner {
    fn base(&self) -> &Path {
        &self.config.base
    }

    fn provider(&self, config: &AssistantConfig, may_ask_model: bool) -> Provider {
        let chosen = models::chosen(config, &self.config.models, self.base());
        match chosen.provider {
            Provider::Auto => Provider::Builtin,
            _ if !may_ask_model => Provider::Builtin,
            provider => provider,
        }
    }

    async fn run(self, ask: Ask, config: Arc<AssistantConfig>, provider: Provider) {
        let Ask { task, mut caller, trace, events } = ask;
        let language = Language::of(Some(&task.language), "");
        // Results are in the language of the answer.
        caller.locale.get_or_insert_with(|| language.tag().into());
        let asker = Asker::new(caller, trace);
        let (sender, mut told) = mpsc::channel(1);
        let teller = Teller::new(sender, "text_delta");
        let running = async {
            let ended = match self.decider(&task, &config, provider) {
                Ok(deciding) => {
                    let name = task.assistant.clone();
                    let task = self.task(task, language);
                    self.ended((name, task, config), deciding, asker, &teller).await
                }
                Err(it) => failed(Vec::new(), &Trouble::Undecided(it)),
            };
            drop(teller);
            ended
        };
        let passed_on = async {
            while let Some(event) = told.recv().await {
                let event =
                    wit::Event { name: event.name.to_owned(), data: event.data.to_string() };
                if events.send(event).await.is_err() {
                    return;
                }
            }
        };
        let (ended, ()) = tokio::join!(running, passed_on);
        let _ = events.send(wit::Event { name: "ended".to_owned(), data: ended.to_string() }).await;
    }

    fn decider(
        &self,
        task: &wit::Task,
        config: &AssistantConfig,
        provider: Provider,
    ) -> Result<Deciding, Undecided> {
        if provider == Provider::Builtin {
            let context = task.context.as_deref().and_then(|it| serde_json::from_str(it).ok());
            return Ok((Box::new(Understanding::of_context(&self.registry, context)), None));
        }
        let (models, base) = (&self.config.models, self.base());
        let chosen = models::chosen(config, models, base);
        let model = models::decider(&chosen, config, models, base, (&self.registry, None))?;
        Ok((model, Some(self.metrics.run(&task.assistant, provider))))
    }

    fn task(&self, task: wit::Task, language: Language) -> Task {
        let said = task
            .history
            .into_iter()
            .map(|it| Message { is_user: it.is_user, parts: vec![Part::text(it.text)] });
        let now = i64::try_from(self.clock.now().as_secs()).unwrap_or_default();
        Task {
            message: vec![Part::text(task.message)],
            history: said.collect(),
            language,
            now: Timestamp::from_second(now).unwrap_or_default(),
        }
    }

    /// What the run came to, as the contract has it.
    async fn ended(
        &self,
        (name, task, config): (String, Task, Arc<AssistantConfig>),
        (mut decider, running): Deciding,
        asker: Asker,
        teller: &Teller,
    ) -> Value {
        let of = (name.as_str(), config);
        let assistant = Assistant::new(&self.calls, &self.registry, of);
        let before = Default::default();
        let run = assistant.run(&task, before, &mut *decider, &asker, teller).await;
        if let Some(mut running) = running {
            running.took(decider.usage());
            running.ended(outcome(&run), answered(&run));
        }
        match run {
            Ok(mut run) => {
                let mut waits = Vec::new();
                if let Ending::Waits { held, .. } = &mut run.ending {
                    for it in std::mem::take(held) {
                        match assistant.hold(&it, &asker).await {
                            Ok(approval) => waits.push(json!({
                                "call": it.call.id, "name": it.call.name, "approval": approval,
                            })),
                            Err(failure) => {
                                let result = ToolResult::Failed(failure);
                                run.answered.push(Answered { call: it.call, result });
                            }
                        }
                    }
                }
                ended(run, waits)
            }
            Err(trouble) => failed(Vec::new(), &trouble),
        }
    }
}

fn ended(run: Run, waits: Vec<Value>) -> Value {
    let calls = run.answered.iter().map(call).collect();
    let mut ended = match run.ending {
        Ending::Concluded(conclusion) => {
            let mut ended = json!({ "ending": "concluded", "text": conclusion.text() });
            if let Some(it) = conclusion.choice {
                ended["choice"] =
                    json!({ "call": it.call, "index": it.index, "summary": it.summary });
            }
            ended
        }
        Ending::Waits { .. } => json!({ "ending": "waits", "waits": waits }),
        Ending::Stopped(Stopped::Rounds) => json!({ "ending": "rounds" }),
        Ending::Stopped(Stopped::Time) => json!({ "ending": "time" }),
        Ending::Failed(it) => return failed(calls, &Trouble::Undecided(it)),
    };
    ended["calls"] = calls.into();
    ended
}

fn call(answered: &Answered) -> Value {
    let it = &answered.call;
    let mut call = json!({
        "id": it.id, "name": it.name, "arguments": it.arguments, "reason": it.reason,
    });
    match &answered.result {
        ToolResult::Output { structured, meta, .. } => {
            call["structured"] = structured.clone();
            call["meta"] = meta.clone();
        }
        ToolResult::Failed(failure) => call["failure"] = told("tool", failure),
    }
    call
}

fn failed(calls: Vec<Value>, trouble: &Trouble) -> Value {
    let failure = match trouble {
        Trouble::Tool(failure) => told("tool", failure),
        Trouble::NoTools(tool) => {
            told("tools", &Failure::new("unknown_tool", 500, format!("nobody offers {tool}")))
        }
        Trouble::Undecided(it) => {
            let mut data = Map::new();
            data.extend(it.retry_after_s.map(|it| ("retry_after_s".to_owned(), it.into())));
            let mut failure = Failure::new(word(it.why), 503, it.details.as_str());
            *failure.data = data;
            told("model", &failure)
        }
    };
    json!({ "ending": "failed", "calls": calls, "failure": failure })
}

fn told(of: &str, failure: &Failure) -> Value {
    json!({
        "of": of,
        "error": failure.error,
        "message": failure.message,
        "status": failure.status,
        "data": *failure.data,
    })
}

fn word(why: Why) -> &'static str {
    match why {
        Why::Key => "key",
        Why::Missing => "missing",
        Why::TooLong => "too_long",
        Why::Refused => "refused",
        Why::RateLimited => "rate_limited",
        Why::Blocked => "blocked",
        Why::Slow => "slow",
        Why::NoPictures => "no_pictures",
        Why::Failed => "failed",
    }
}
