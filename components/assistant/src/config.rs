//! What the operator set: `[assistants.NAME]`, `[models.NAME]` and `[chat]`, as the host passes them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolkit::settings::{self, Unfit};

use crate::models::{KINDS, Kind};

/// Rounds of a run, where nothing says how many (ILL-25).
const ROUNDS_MAX: usize = 8;

/// All settings of the component.
pub(crate) struct Settings {
    pub(crate) assistants: BTreeMap<String, Arc<AssistantConfig>>,
    pub(crate) models: Models,
    pub(crate) chat: ChatConfig,
}

impl Settings {
    /// As it is now.
    ///
    /// # Errors
    /// Where a setting cannot be read.
    pub(crate) fn read() -> Result<Self, Unfit> {
        let usual = usual_rounds()?;
        let given: Option<BTreeMap<String, AssistantConfig>> = settings::get("assistants")?;
        let each = |(name, assistant): (String, AssistantConfig)| {
            let rounds_max = assistant.rounds_max.or(usual);
            (name, Arc::new(AssistantConfig { rounds_max, ..assistant }))
        };
        let assistants = given.into_iter().flatten().map(each).collect();
        let models = settings::get("models")?.unwrap_or_default();
        let chat = settings::get("chat")?.unwrap_or_default();
        Ok(Self { assistants, models, chat })
    }

    /// Those that people talk with, by name.
    pub(crate) fn there(&self) -> impl Iterator<Item = (&String, &Arc<AssistantConfig>)> {
        self.assistants.iter().filter(|it| it.1.enabled && !it.1.plays_agents)
    }

    /// Those that play agents, by name.
    pub(crate) fn players(&self) -> impl Iterator<Item = (&String, &Arc<AssistantConfig>)> {
        self.assistants.iter().filter(|it| it.1.enabled && it.1.plays_agents)
    }

    /// The assistant of that name; one with the defaults where there is none.
    pub(crate) fn assistant(&self, name: &str) -> Arc<AssistantConfig> {
        self.assistants.get(name).cloned().unwrap_or_default()
    }
}

/// Rounds of assistants of which nothing says how many; the environment has a text.
fn usual_rounds() -> Result<Option<usize>, Unfit> {
    let Some(value) = settings::get::<Value>("rounds_max")? else { return Ok(None) };
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    match number.and_then(|it| usize::try_from(it).ok()) {
        Some(it) => Ok(Some(it)),
        None => Err(Unfit::new("rounds_max", format!("{value} is not a number"))),
    }
}

/// How far a run may go, and what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Turns in which calls may be decided on (ILL-25).
    pub(crate) rounds_max: usize,
    /// Calls of one turn.
    pub(crate) calls_max: usize,
    /// How long one decision may take (NAV-56).
    pub(crate) decision: Duration,
    /// How long all may take together.
    pub(crate) run: Duration,
    /// Whether a tool that fails for good ends the run (NAV-40), rather than being reported to the model (ILL-26).
    pub(crate) failures_end: bool,
}

/// What decides for an assistant: components without a model, or a model's provider. Written as its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub(crate) enum Provider {
    /// The first of those preferred that has a key or an address; else the built-in one.
    #[default]
    Auto,
    /// The components that understand sentences: no key, no network.
    Builtin,
    /// A provider of models.
    Model(&'static Kind),
}

impl Provider {
    /// As it is written in the configuration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Builtin => "builtin",
            Self::Model(kind) => kind.name,
        }
    }

    /// The providers of models.
    pub(crate) fn models() -> impl Iterator<Item = Self> {
        KINDS.iter().copied().map(Self::Model)
    }

    /// Whether it makes pictures, so that no tool is needed for them (ILL-29).
    pub(crate) fn makes_pictures(self) -> bool {
        matches!(self, Self::Model(kind) if kind.makes_pictures)
    }
}

impl From<Provider> for &'static str {
    fn from(provider: Provider) -> Self {
        provider.name()
    }
}

impl TryFrom<String> for Provider {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let mut kinds = [Self::Auto, Self::Builtin].into_iter().chain(Self::models());
        kinds.find(|it| it.name() == name).ok_or_else(|| {
            let models = KINDS.iter().map(|it| it.name);
            let names: Vec<_> = ["auto", "builtin"].into_iter().chain(models).collect();
            format!("{name:?} is no provider; there are {}", names.join(", "))
        })
    }
}

/// One assistant: `[assistants.NAME]`. What its calls may do is the host's to know.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AssistantConfig {
    pub(crate) enabled: bool,
    pub(crate) title: Option<String>,
    pub(crate) title_ja: Option<String>,
    pub(crate) prompt: String,
    prompt_without_tools: Option<String>,
    pub(crate) provider: Provider,
    pub(crate) prefers: Vec<Provider>,
    pub(crate) model: Option<String>,
    tools: Vec<String>,
    /// The tool that makes the picture where no model does.
    pub(crate) picture_tool: Option<String>,
    /// Whether a model that makes pictures answers last (ILL-29).
    pub(crate) makes_pictures: bool,
    approval: Value,
    asks: Value,
    trusts: Value,
    /// Whether each call is to say why (NAV-54).
    pub(crate) reasons: bool,
    pub(crate) rounds_max: Option<usize>,
    pub(crate) calls_max: usize,
    pub(crate) decision_ms_max: u64,
    pub(crate) run_ms_max: u64,
    failures_end: bool,
    pub(crate) plays_agents: bool,
    /// How often an agent that it plays may answer in one conversation, and with how many tokens.
    pub(crate) turns_max: usize,
    pub(crate) tokens_max: u64,
}

impl Default for AssistantConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            title: None,
            title_ja: None,
            prompt: String::new(),
            prompt_without_tools: None,
            provider: Provider::Auto,
            prefers: Provider::models().collect(),
            model: None,
            tools: vec!["*".to_owned()],
            picture_tool: None,
            makes_pictures: false,
            approval: Value::Null,
            asks: Value::Null,
            trusts: Value::Null,
            reasons: true,
            rounds_max: None,
            calls_max: 8,
            decision_ms_max: 60_000,
            run_ms_max: 180_000,
            failures_end: false,
            plays_agents: false,
            turns_max: 50,
            tokens_max: 200_000,
        }
    }
}

impl AssistantConfig {
    /// How far a run may go.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            rounds_max: self.rounds_max.unwrap_or(ROUNDS_MAX),
            calls_max: self.calls_max,
            decision: Duration::from_millis(self.decision_ms_max),
            run: Duration::from_millis(self.run_ms_max),
            failures_end: self.failures_end,
        }
    }

    /// The system prompt, chosen by whether there are tools (ILL-31).
    ///
    /// `{today}` in it is the day in Japan, with its name, `{now}` the same with the time: a model knows none.
    pub(crate) fn prompt(&self, has_tools: bool, now: Timestamp) -> String {
        let without = self.prompt_without_tools.as_deref().filter(|_| !has_tools);
        let here = jiff::tz::Offset::constant(9).to_datetime(now);
        let written = |format: &str| here.strftime(format).to_string();
        let prompt = without.unwrap_or(&self.prompt).trim();
        let prompt = prompt.replace("{today}", &written("%Y-%m-%d (%A)"));
        prompt.replace("{now}", &written("%Y-%m-%d (%A) %H:%M"))
    }

    /// Whether the tool is its own here: the one that makes pictures is where no model makes them.
    pub(crate) fn has(&self, tool: &str, needs_picture_tool: bool) -> bool {
        needs_picture_tool || self.picture_tool.as_deref() != Some(tool)
    }

    /// Whether it is to have `tool`, by its own name.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.tools.iter().any(|it| it == tool)
    }
}

/// The models that assistants may use: `[models]`, by provider.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "BTreeMap<String, ModelConfig>")]
pub(crate) struct Models(BTreeMap<String, ModelConfig>);

impl Default for Models {
    fn default() -> Self {
        Self(KINDS.iter().map(|it| (it.name.to_owned(), ModelConfig::default())).collect())
    }
}

impl TryFrom<BTreeMap<String, ModelConfig>> for Models {
    type Error = String;

    fn try_from(models: BTreeMap<String, ModelConfig>) -> Result<Self, String> {
        let mut all = Self::default();
        for (name, config) in models {
            let Some(kind) = all.0.get_mut(&name) else {
                let names: Vec<_> = KINDS.iter().map(|it| it.name).collect();
                let names = names.join(", ");
                return Err(format!("{name:?} is no provider of models; there are {names}"));
            };
            *kind = config;
        }
        Ok(all)
    }
}

impl Models {
    /// What is set of a provider of models; None for the others.
    pub(crate) fn get(&self, provider: Provider) -> Option<&ModelConfig> {
        self.0.get(provider.name())
    }

    /// Whether `provider` can be asked.
    pub(crate) fn is_ready(&self, provider: Provider) -> bool {
        match provider {
            Provider::Auto => false,
            Provider::Builtin => true,
            Provider::Model(kind) => self.get(provider).is_some_and(kind.is_ready),
        }
    }
}

/// One provider's models: `[models.NAME]`. What is absent has the provider's default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelConfig {
    /// Where its API is, if configured.
    pub(crate) base_url: Option<String>,
    /// Whether there is a key, which the host adds to each request.
    pub(crate) key: bool,
    pub(crate) model: Option<String>,
    pub(crate) picture_model: Option<String>,
    /// How long one of its answers may be.
    pub(crate) max_tokens: Option<u32>,
    pub(crate) input_usd_per_million: Option<f64>,
    pub(crate) output_usd_per_million: Option<f64>,
    /// The first delay before it is asked again.
    pub(crate) retry_base_ms: Option<u64>,
}

impl ModelConfig {
    /// US dollars for a million tokens that go in, and that come out.
    pub(crate) fn prices(&self) -> Option<(f64, f64)> {
        self.input_usd_per_million.zip(self.output_usd_per_million)
    }
}

/// What `/api/chat` is: `[chat]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChatConfig {
    /// The assistant that answers where a request names none.
    pub(crate) assistant: String,
    /// Bytes that a request's body may have: the pictures of earlier messages are in it.
    pub(crate) body_bytes_max: u32,
    /// Whether a password is asked for before the chat.
    pub(crate) gateway: bool,
    /// Turns of all conversations that are kept, bytes of all of them, and of one; the oldest go first.
    pub(crate) turns_max: u64,
    pub(crate) turns_bytes_max: u64,
    pub(crate) turn_bytes_max: u64,
}

impl Default for ChatConfig {
    fn default() -> Self {
        Self {
            assistant: String::new(),
            body_bytes_max: 24 << 20,
            gateway: false,
            turns_max: 10_000,
            turns_bytes_max: 1 << 30,
            turn_bytes_max: 64 << 20,
        }
    }
}
