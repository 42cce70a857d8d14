//! Runs of assistants that components ask, each in a task of its own.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::{sync::mpsc, task::AbortHandle};

use super::{
    Answered, Asker, Assistant, AssistantConfig, Decider, Ending, Language, Message, Part, Played,
    Provider, Run, Stopped, Task, Teller, ToolResult, Trouble, Undecided, Understanding, Usage,
    Why, answered, models, outcome, played::Capped,
};
use crate::{
    assistant_run::RunEvent,
    bindings::madoguchi::tool::assistants as wit,
    calls::Calls,
    capability::{Ask, Runs},
    clock::Clock,
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

/// A part that is played, with what its component was told of it the last time.
struct Role {
    played: Played,
    tokens_max: Option<u64>,
    memory: Memory,
}

/// What goes on in the part's next run.
#[derive(Default, Deserialize, Serialize)]
struct Memory {
    /// The one that its transcript is of.
    provider: Provider,
    transcript: Value,
}

impl Role {
    fn read(component: &Arc<str>, part: wit::Part) -> Result<Self, Undecided> {
        let played = Played::new(component, part.given);
        let played = played.map_err(|it| Undecided::new(Why::Failed, it))?;
        let memory = part.memory.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default();
        Ok(Self { played, tokens_max: part.tokens_max, memory })
    }
}

impl Runs for Runner {
    fn start(&self, ask: Ask) -> (String, AbortHandle) {
        let config = self.config.assistant(&ask.task.assistant);
        let provider = self.provider(&config, ask.task.may_ask_model);
        let run = self.clone().run(ask, config, provider);
        (provider.name().to_owned(), tokio::spawn(run).abort_handle())
    }

    fn about(&self, assistant: &str) -> Option<wit::Facts> {
        let config = self.config.assistants.get(assistant).filter(|it| it.is_enabled())?;
        let (turns_max, tokens_max) = config.budget();
        let turns_max = u32::try_from(turns_max).unwrap_or(u32::MAX);
        Some(wit::Facts { turns_max, tokens_max })
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
        let Ask { component, task, mut caller, part, trace, events } = ask;
        let language = Language::of(Some(&task.language), "");
        // Results are in the language of the answer.
        caller.locale.get_or_insert_with(|| language.tag().into());
        let asker = Asker::new(caller, trace);
        let role = part.map(|it| Role::read(&component, it)).transpose();
        let (sender, mut told) = mpsc::channel(1);
        let teller = Teller::new(sender, "text_delta");
        let running = async {
            let begun = role.and_then(|role| {
                let memory = role.as_ref().map(|it| &it.memory);
                Ok((self.decider(&task, &config, provider, memory)?, role))
            });
            let ended = match begun {
                Ok((deciding, role)) => {
                    let name = task.assistant.clone();
                    let remembers = role.as_ref().is_some_and(|it| it.memory.provider == provider);
                    let mut task = self.task(task, language);
                    if remembers {
                        task.history.clear();
                    }
                    let of = (name, task, config, provider);
                    self.ended(of, deciding, (asker, role), &teller).await
                }
                Err(it) => failed(Vec::new(), &Trouble::Undecided(it)),
            };
            drop(teller);
            ended
        };
        let passed_on = async {
            while let Some(event) = told.recv().await {
                let event = RunEvent { name: event.name.to_owned(), data: event.data.to_string() };
                if events.send(event).await.is_err() {
                    return;
                }
            }
        };
        let (ended, ()) = tokio::join!(running, passed_on);
        let _ = events.send(RunEvent { name: "ended".to_owned(), data: ended.to_string() }).await;
    }

    fn decider(
        &self,
        task: &wit::Task,
        config: &AssistantConfig,
        provider: Provider,
        memory: Option<&Memory>,
    ) -> Result<Deciding, Undecided> {
        let transcript = memory.filter(|it| it.provider == provider).map(|it| &it.transcript);
        if provider == Provider::Builtin {
            let context = task.context.as_deref().and_then(|it| serde_json::from_str(it).ok());
            let understanding = Understanding::of_chat(&self.registry, transcript);
            let running = memory.map(|_| self.metrics.run(&task.assistant, provider));
            return Ok((Box::new(understanding.knowing(context)), running));
        }
        let (models, base) = (&self.config.models, self.base());
        let chosen = models::chosen(config, models, base);
        let model = models::decider(&chosen, config, models, base, (&self.registry, transcript))?;
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
        (name, task, config, provider): (String, Task, Arc<AssistantConfig>, Provider),
        (mut decider, running): Deciding,
        (mut asker, role): (Asker, Option<Role>),
        teller: &Teller,
    ) -> Value {
        let of = (name.as_str(), config);
        let assistant = Assistant::new(&self.calls, &self.registry, of);
        let tokens_max = role.as_ref().and_then(|it| it.tokens_max).unwrap_or(u64::MAX);
        let is_played = role.is_some();
        if let Some(role) = role {
            asker = asker.playing(role.played);
        }
        let run = {
            let mut capped = Capped { decider: &mut *decider, tokens_max };
            assistant.run(&task, Default::default(), &mut capped, &asker, teller).await
        };
        if let Some(mut running) = running {
            running.took(decider.usage());
            running.ended(outcome(&run), answered(&run));
        }
        let mut ended = self.told(&assistant, &asker, run).await;
        if is_played {
            ended["usage"] = usage(decider.usage());
            ended["memory"] = json!(Memory { provider, transcript: decider.transcript() });
        }
        ended
    }

    /// What `run` came to; the person is asked for what waits for them.
    async fn told(&self, assistant: &Assistant, asker: &Asker, run: Result<Run, Trouble>) -> Value {
        match run {
            Ok(mut run) => {
                let mut waits = Vec::new();
                if let Ending::Waits { held, .. } = &mut run.ending {
                    for it in std::mem::take(held) {
                        match assistant.hold(&it, asker).await {
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

fn usage(it: Usage) -> Value {
    json!({
        "input_tokens": it.input_tokens,
        "cached_tokens": it.cached_tokens,
        "output_tokens": it.output_tokens,
        "cost_usd": it.cost_usd,
    })
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
