//! The operator's settings as the host passes them: `[assistants.NAME]`, `[models.NAME]` and `[chat]`.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolkit::settings::{self, Unfit};

use crate::models::{KINDS, Kind};

/// Default number of rounds of a run (ILL-25).
const ROUNDS_MAX: usize = 8;

/// All settings of the component.
pub(crate) struct Settings {
    pub(crate) assistants: BTreeMap<String, Arc<AssistantConfig>>,
    pub(crate) models: Models,
    pub(crate) chat: ChatConfig,
}

impl Settings {
    /// Reads the current settings.
    ///
    /// # Errors
    /// If a setting cannot be read.
    pub(crate) fn read() -> Result<Self, Unfit> {
        let usual = default_rounds()?;
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

    /// Assistants that people talk with, by name.
    pub(crate) fn enabled_assistants(
        &self,
    ) -> impl Iterator<Item = (&String, &Arc<AssistantConfig>)> {
        self.assistants.iter().filter(|it| it.1.enabled && !it.1.plays_agents)
    }

    /// Assistants that act as agents, by name.
    pub(crate) fn agent_assistants(
        &self,
    ) -> impl Iterator<Item = (&String, &Arc<AssistantConfig>)> {
        self.assistants.iter().filter(|it| it.1.enabled && it.1.plays_agents)
    }

    /// Returns the named assistant, or one with defaults.
    pub(crate) fn assistant(&self, name: &str) -> Arc<AssistantConfig> {
        self.assistants.get(name).cloned().unwrap_or_default()
    }
}

/// Default number of rounds from the settings; environment variables hold it as text.
fn default_rounds() -> Result<Option<usize>, Unfit> {
    let Some(value) = settings::get::<Value>("rounds_max")? else { return Ok(None) };
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    match number.and_then(|it| usize::try_from(it).ok()) {
        Some(it) => Ok(Some(it)),
        None => Err(Unfit::new("rounds_max", format!("{value} is not a number"))),
    }
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Rounds in which calls may be made (ILL-25).
    pub(crate) rounds_max: usize,
    /// Calls of one round.
    pub(crate) calls_max: usize,
    /// Time limit of one decision (NAV-56).
    pub(crate) decision: Duration,
    /// Time limit of the run.
    pub(crate) run: Duration,
    /// Whether a fatal tool error ends the run (NAV-40) instead of going to the model (ILL-26).
    pub(crate) failures_end: bool,
}

/// What decides for an assistant: components without a model, or a provider's model. Serialized by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub(crate) enum Provider {
    /// The first preferred provider that has a key or an address, otherwise the built-in one.
    #[default]
    Auto,
    /// The components that understand sentences; needs neither key nor network.
    Builtin,
    /// A provider of models.
    Model(&'static Kind),
}

impl Provider {
    /// Name in the configuration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Builtin => "builtin",
            Self::Model(kind) => kind.name,
        }
    }

    /// Returns the providers of models.
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

/// One assistant: `[assistants.NAME]`. The host decides what its calls may do.
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
    /// Tool that makes pictures if no model does.
    pub(crate) picture_tool: Option<String>,
    /// Whether a model that makes pictures answers last (ILL-29).
    pub(crate) makes_pictures: bool,
    approval: Value,
    asks: Value,
    trusts: Value,
    /// Whether each call has to give a reason (NAV-54).
    pub(crate) reasons: bool,
    pub(crate) rounds_max: Option<usize>,
    pub(crate) calls_max: usize,
    pub(crate) decision_ms_max: u64,
    pub(crate) run_ms_max: u64,
    failures_end: bool,
    pub(crate) plays_agents: bool,
    /// Limits of an agent in one conversation: answers and tokens.
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
    /// Returns the limits of a run.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            rounds_max: self.rounds_max.unwrap_or(ROUNDS_MAX),
            calls_max: self.calls_max,
            decision: Duration::from_millis(self.decision_ms_max),
            run: Duration::from_millis(self.run_ms_max),
            failures_end: self.failures_end,
        }
    }

    /// Returns the system prompt, which depends on whether there are tools (ILL-31).
    ///
    /// Replaces `{today}` by the date and weekday in Japan, and `{now}` by the same with the time.
    pub(crate) fn prompt(&self, has_tools: bool, now: Timestamp) -> String {
        let without = self.prompt_without_tools.as_deref().filter(|_| !has_tools);
        let here = jiff::tz::Offset::constant(9).to_datetime(now);
        let written = |format: &str| here.strftime(format).to_string();
        let prompt = without.unwrap_or(&self.prompt).trim();
        let prompt = prompt.replace("{today}", &written("%Y-%m-%d (%A)"));
        prompt.replace("{now}", &written("%Y-%m-%d (%A) %H:%M"))
    }

    /// Whether the assistant has this tool here. It has the picture tool only where no model makes pictures.
    pub(crate) fn has(&self, tool: &str, needs_picture_tool: bool) -> bool {
        needs_picture_tool || self.picture_tool.as_deref() != Some(tool)
    }

    /// Names of its tools in the configuration; `*` for all.
    pub(crate) fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Whether the configuration gives it `tool`, by its own name.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.tools.iter().any(|it| it == tool)
    }
}

/// Configured models: `[models]`, by provider.
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
    /// Returns the settings of a provider of models.
    pub(crate) fn get(&self, provider: Provider) -> Option<&ModelConfig> {
        self.0.get(provider.name())
    }

    /// Whether `provider` can be used.
    pub(crate) fn is_ready(&self, provider: Provider) -> bool {
        match provider {
            Provider::Auto => false,
            Provider::Builtin => true,
            Provider::Model(kind) => self.get(provider).is_some_and(kind.is_ready),
        }
    }
}

/// Settings of one provider: `[models.NAME]`. Absent members have the provider's defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelConfig {
    /// URL of its API, if configured.
    pub(crate) base_url: Option<String>,
    /// Whether there is a key, which the host adds to each request.
    pub(crate) key: bool,
    pub(crate) model: Option<String>,
    pub(crate) picture_model: Option<String>,
    /// Maximum tokens of an answer.
    pub(crate) max_tokens: Option<u32>,
    pub(crate) input_usd_per_million: Option<f64>,
    pub(crate) output_usd_per_million: Option<f64>,
    /// Delay before the first retry, in milliseconds.
    pub(crate) retry_base_ms: Option<u64>,
}

impl ModelConfig {
    /// Returns the prices of a million input and output tokens, in US dollars.
    pub(crate) fn prices(&self) -> Option<(f64, f64)> {
        self.input_usd_per_million.zip(self.output_usd_per_million)
    }
}

/// Settings of `/api/chat`: `[chat]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChatConfig {
    /// Assistant that answers requests that name none.
    pub(crate) assistant: String,
    /// Maximum bytes of a request's body, which contains the pictures of earlier messages.
    pub(crate) body_bytes_max: u32,
    /// Whether the chat is behind a password.
    pub(crate) gateway: bool,
    /// Limits of saved turns: their number, the bytes of all, and the bytes of one. The oldest are removed.
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
