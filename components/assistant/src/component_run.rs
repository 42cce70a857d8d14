//! Runs assistants on behalf of components.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::{
    assistants::{
        Facts, Task as RunRequest,
        running::{Manner, Role},
    },
    routes,
};

use crate::{
    Answered, Assistant, Conclusion, Decision, EarlierResults, Ending, ErrorKind, EventSink,
    Failure, Language, Message, ModelError, Part, Provider, Run, RunError, Settings, Stopped, Task,
    ToolPicker, ToolResult, Turn, Understanding, Usage, decide, health::Tally, models,
};

/// Returns the limits of the named assistant, if it is enabled.
pub(crate) fn about(assistant: String) -> Option<Facts> {
    let settings = Settings::read().ok()?;
    let config = settings.assistants.get(&assistant).filter(|it| it.enabled)?;
    let turns_max = u32::try_from(config.turns_max).unwrap_or(u32::MAX);
    Some(Facts { turns_max, tokens_max: config.tokens_max })
}

/// Runs `request` and returns its outcome as the contract's JSON.
pub(crate) fn run(request: RunRequest, role: Option<Role>) -> Value {
    let prepared = PreparedRun::new(&request, role);
    let provider = prepared.as_ref().map_or(Provider::Builtin, |it| it.provider);
    routes::send("begun", &json!({ "provider": provider.name() }));
    match prepared {
        Ok(prepared) => prepared.execute(request),
        Err(error) => failed_json(Vec::new(), &RunError::ModelError(error)),
    }
}

/// State that an agent worker hands to its next run.
#[derive(Default, Deserialize, Serialize)]
struct Memory {
    /// The provider that wrote `transcript`.
    provider: Provider,
    transcript: Value,
}

/// A run that is ready to start.
struct PreparedRun {
    assistant: Assistant,
    provider: Provider,
    picker: Box<dyn ToolPicker>,
    language: Language,
    /// For an agent worker: its token limit, and whether its memory replaces the history.
    role: Option<(u64, bool)>,
}

impl PreparedRun {
    fn new(request: &RunRequest, role: Option<Role>) -> Result<Self, ModelError> {
        let settings = Settings::read().map_err(setting_error)?;
        let config = settings.assistant(&request.assistant);
        let chosen = models::chosen(&config, &settings.models);
        let provider = match chosen.provider {
            Provider::Auto => Provider::Builtin,
            _ if !request.may_ask_model => Provider::Builtin,
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
                let context = request.context.as_deref();
                let context = context.and_then(|it| serde_json::from_str(it).ok());
                Box::new(Understanding::resume(transcript).with_context(context))
                    as Box<dyn ToolPicker>
            }
            _ => models::picker(&chosen, &config, &settings.models, transcript)?,
        };
        let remembers = memory.is_some();
        let language = Language::of_caller(Some(&request.language), "");
        let manner = Manner { language: Some(language.tag().to_owned()), capabilities: None };
        let assistant = Assistant::new(&request.assistant, config, manner);
        let role = role.map(|it| (it.0, remembers));
        Ok(Self { assistant, provider, picker, language, role })
    }

    fn execute(mut self, request: RunRequest) -> Value {
        let message = |remark: toolkit::assistants::Remark| Message {
            is_user: remark.is_user,
            parts: vec![Part::text(remark.text)],
        };
        let remembers = self.role.is_some_and(|it| it.1);
        let history = if remembers { Vec::new() } else { request.history };
        let task = Task {
            message: vec![Part::text(request.message)],
            history: history.into_iter().map(message).collect(),
            language: self.language,
            now: decide::now(),
        };
        let is_counted = self.provider != Provider::Builtin || self.role.is_some();
        let tally = is_counted.then(|| Tally::begin(&self.assistant.name, self.provider));
        let tokens_max = self.role.map_or(u64::MAX, |it| it.0);
        let mut limited = TokenLimited { picker: &mut *self.picker, tokens_max };
        let sink = EventSink::new(true);
        let run = self.assistant.run(&task, EarlierResults::default(), &mut limited, &sink);
        if let Some(tally) = tally {
            tally.end(&run, self.picker.usage());
        }
        let mut outcome = match run {
            Ok(run) => run_json(run),
            Err(error) => failed_json(Vec::new(), &error),
        };
        if self.role.is_some() {
            let (provider, transcript) = (self.provider, self.picker.transcript());
            outcome["usage"] = usage_json(self.picker.usage());
            outcome["memory"] = json!(Memory { provider, transcript });
        }
        outcome
    }
}

fn setting_error(unfit: toolkit::settings::Unfit) -> ModelError {
    let what =
        format!("the setting {}{}: {}", unfit.name, unfit.problem.pointer, unfit.problem.message);
    ModelError::new(ErrorKind::Failed, what)
}

/// Concludes with nothing once `tokens_max` tokens are used.
struct TokenLimited<'a> {
    picker: &'a mut dyn ToolPicker,
    tokens_max: u64,
}

impl ToolPicker for TokenLimited<'_> {
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

fn usage_json(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    })
}

fn run_json(run: Run) -> Value {
    let calls = run.answered.iter().map(call_json).collect();
    let mut ended = match run.ending {
        Ending::Concluded(conclusion) => {
            let mut ended = json!({ "ending": "concluded", "text": conclusion.text() });
            if let Some(choice) = conclusion.choice {
                ended["choice"] = json!({ "call": choice.call, "index": choice.index, "summary": choice.summary });
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
        Ending::Failed(it) => return failed_json(calls, &RunError::ModelError(it)),
    };
    ended["calls"] = calls.into();
    ended
}

fn call_json(answered: &Answered) -> Value {
    let call = &answered.call;
    let mut call = json!({
        "id": call.id, "name": call.name, "arguments": call.arguments, "reason": call.reason,
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

fn failed_json(calls: Vec<Value>, error: &RunError) -> Value {
    let failure = match error {
        RunError::Tool(failure) => failure_json("tool", failure),
        RunError::NoTools(tool) => failure_json(
            "tools",
            &Failure::new("unknown_tool", 500, format!("nothing offers {tool}")),
        ),
        RunError::ModelError(error) => {
            let mut data = Map::new();
            data.extend(error.retry_after_s.map(|it| ("retry_after_s".to_owned(), it.into())));
            let failure = Failure {
                data,
                ..Failure::new(error_code(error.kind), 503, error.details.as_str())
            };
            failure_json("model", &failure)
        }
    };
    json!({ "ending": "failed", "calls": calls, "failure": failure })
}

fn failure_json(source: &str, failure: &Failure) -> Value {
    json!({
        "of": source,
        "error": failure.error,
        "message": failure.message,
        "status": failure.status,
        "data": failure.data,
    })
}

fn error_code(why: ErrorKind) -> &'static str {
    match why {
        ErrorKind::Key => "key",
        ErrorKind::Missing => "missing",
        ErrorKind::TooLong => "too_long",
        ErrorKind::Refused => "refused",
        ErrorKind::RateLimited => "rate_limited",
        ErrorKind::Blocked => "blocked",
        ErrorKind::Slow => "slow",
        ErrorKind::NoPictures => "no_pictures",
        ErrorKind::Failed => "failed",
    }
}
