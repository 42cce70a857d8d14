//! Runs of assistants that components ask.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::{
    assistants::{
        Facts, Task as Asked,
        running::{Manner, Role},
    },
    routes,
};

use crate::{
    Answered, Assistant, Before, Conclusion, Decision, Ending, Failure, Language, Message,
    ModelError, Part, Provider, Run, RunError, Settings, Stopped, Task, Teller, ToolPicker,
    ToolResult, Turn, Understanding, Usage, Why, decide, health::Tally, models,
};

/// The assistant of that name, where it is there.
pub(crate) fn about(assistant: String) -> Option<Facts> {
    let settings = Settings::read().ok()?;
    let config = settings.assistants.get(&assistant).filter(|it| it.enabled)?;
    let turns_max = u32::try_from(config.turns_max).unwrap_or(u32::MAX);
    Some(Facts { turns_max, tokens_max: config.tokens_max })
}

/// Runs `asked`; what it came to, as the contract has it.
pub(crate) fn run(asked: Asked, role: Option<Role>) -> Value {
    let begun = Begun::new(&asked, role);
    let provider = begun.as_ref().map_or(Provider::Builtin, |it| it.provider);
    routes::send("begun", &json!({ "provider": provider.name() }));
    match begun {
        Ok(begun) => begun.ended(asked),
        Err(it) => failed(Vec::new(), &RunError::ModelError(it)),
    }
}

/// What goes on in a part's next run.
#[derive(Default, Deserialize, Serialize)]
struct Memory {
    /// The one that its transcript is of.
    provider: Provider,
    transcript: Value,
}

/// A run that begins.
struct Begun {
    assistant: Assistant,
    provider: Provider,
    picker: Box<dyn ToolPicker>,
    language: Language,
    /// Of a part that is played: what it may take, and whether its memory stands for the history.
    role: Option<(u64, bool)>,
}

impl Begun {
    fn new(asked: &Asked, role: Option<Role>) -> Result<Self, ModelError> {
        let settings = Settings::read().map_err(unset)?;
        let config = settings.assistant(&asked.assistant);
        let chosen = models::chosen(&config, &settings.models);
        let provider = match chosen.provider {
            Provider::Auto => Provider::Builtin,
            _ if !asked.may_ask_model => Provider::Builtin,
            provider => provider,
        };
        let role = role.map(|role| {
            let memory = role.memory.and_then(|it| serde_json::from_str::<Memory>(&it).ok());
            (role.tokens_max.unwrap_or(u64::MAX), memory.unwrap_or_default())
        });
        let memory = role.as_ref().map(|it| &it.1).filter(|it| it.provider == provider);
        let transcript = memory.map(|it| &it.transcript);
        let picker = match provider {
            Provider::Builtin => {
                let context = asked.context.as_deref();
                let context = context.and_then(|it| serde_json::from_str(it).ok());
                Box::new(Understanding::resume(transcript).knowing(context)) as Box<dyn ToolPicker>
            }
            _ => models::picker(&chosen, &config, &settings.models, transcript)?,
        };
        let remembers = memory.is_some();
        let language = Language::of_caller(Some(&asked.language), "");
        let manner = Manner { language: Some(language.tag().to_owned()), capabilities: None };
        let assistant = Assistant::new(&asked.assistant, config, manner);
        let role = role.map(|it| (it.0, remembers));
        Ok(Self { assistant, provider, picker, language, role })
    }

    fn ended(mut self, asked: Asked) -> Value {
        let message = |remark: toolkit::assistants::Remark| Message {
            is_user: remark.is_user,
            parts: vec![Part::text(remark.text)],
        };
        let remembers = self.role.is_some_and(|it| it.1);
        let history = if remembers { Vec::new() } else { asked.history };
        let task = Task {
            message: vec![Part::text(asked.message)],
            history: history.into_iter().map(message).collect(),
            language: self.language,
            now: decide::now(),
        };
        let is_counted = self.provider != Provider::Builtin || self.role.is_some();
        let tally = is_counted.then(|| Tally::begin(&self.assistant.name, self.provider));
        let tokens_max = self.role.map_or(u64::MAX, |it| it.0);
        let mut capped = Capped { picker: &mut *self.picker, tokens_max };
        let teller = Teller::new(true);
        let run = self.assistant.run(&task, Before::default(), &mut capped, &teller);
        if let Some(tally) = tally {
            tally.end(&run, self.picker.usage());
        }
        let mut outcome = match run {
            Ok(run) => ended(run),
            Err(error) => failed(Vec::new(), &error),
        };
        if self.role.is_some() {
            let (provider, transcript) = (self.provider, self.picker.transcript());
            outcome["usage"] = usage(self.picker.usage());
            outcome["memory"] = json!(Memory { provider, transcript });
        }
        outcome
    }
}

fn unset(it: toolkit::settings::Unfit) -> ModelError {
    let what = format!("the setting {}{}: {}", it.name, it.problem.pointer, it.problem.message);
    ModelError::new(Why::Failed, what)
}

/// What decides nothing more once it has taken so many tokens.
struct Capped<'a> {
    picker: &'a mut dyn ToolPicker,
    tokens_max: u64,
}

impl ToolPicker for Capped<'_> {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        let taken = self.picker.usage();
        if taken.input_tokens + taken.output_tokens >= self.tokens_max {
            return Ok(Decision::Conclude(Conclusion::default()));
        }
        self.picker.decide(turn)
    }

    fn may_call_for_pages(&self) -> bool {
        self.picker.may_call_for_pages()
    }

    fn usage(&self) -> Usage {
        self.picker.usage()
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

fn ended(run: Run) -> Value {
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
        Ending::Waits { held, .. } => {
            let waits = held.iter().map(
                |it| json!({ "call": it.call.id, "name": it.call.name, "approval": it.approval }),
            );
            json!({ "ending": "waits", "waits": waits.collect::<Vec<_>>() })
        }
        Ending::Stopped(Stopped::Rounds) => json!({ "ending": "rounds" }),
        Ending::Stopped(Stopped::Time) => json!({ "ending": "time" }),
        Ending::Failed(it) => return failed(calls, &RunError::ModelError(it)),
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
        ToolResult::Failed(failure) => call["failure"] = failure_json("tool", failure),
    }
    call
}

fn failed(calls: Vec<Value>, error: &RunError) -> Value {
    let failure = match error {
        RunError::Tool(failure) => failure_json("tool", failure),
        RunError::NoTools(tool) => failure_json(
            "tools",
            &Failure::new("unknown_tool", 500, format!("nothing offers {tool}")),
        ),
        RunError::ModelError(it) => {
            let mut data = Map::new();
            data.extend(it.retry_after_s.map(|it| ("retry_after_s".to_owned(), it.into())));
            let failure = Failure { data, ..Failure::new(code(it.why), 503, it.details.as_str()) };
            failure_json("model", &failure)
        }
    };
    json!({ "ending": "failed", "calls": calls, "failure": failure })
}

fn failure_json(of: &str, failure: &Failure) -> Value {
    json!({
        "of": of,
        "error": failure.error,
        "message": failure.message,
        "status": failure.status,
        "data": failure.data,
    })
}

fn code(why: Why) -> &'static str {
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
