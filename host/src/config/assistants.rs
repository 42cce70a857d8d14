//! Assistants, as the operator writes them: `[assistants.NAME]`.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub(crate) mod check;
mod models;

pub use models::{ModelConfig, Models};

use crate::tool_set::{Owner, ToolSet};

/// Rounds of a run, where nobody says how many (ILL-25).
const ROUNDS_MAX: usize = 8;

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
    /// Whether a tool that fails for good ends the run (NAV-40), rather than being told to whoever
    /// decides (ILL-26).
    pub(crate) failures_end: bool,
}

/// Whoever decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The first of those preferred that has a key or an address; else the built-in one.
    #[default]
    Auto,
    /// The built-in model: no key, no network.
    Builtin,
    /// Anthropic's Messages API.
    Claude,
    /// Google's generateContent.
    Gemini,
    /// Chat completions, of OpenAI or of whoever speaks like them.
    OpenAi,
}

impl Provider {
    /// As it is written in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Builtin => "builtin",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::OpenAi => "openai",
        }
    }
}

/// Which calls ask the person first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ApprovalMode {
    /// Every call of a tool that does not say that it only reads.
    #[default]
    Changes,
    /// Every call.
    Always,
    /// None.
    Never,
}

/// One assistant: `[assistants.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantConfig {
    enabled: bool,
    title: Option<String>,
    title_ja: Option<String>,
    prompt: String,
    prompt_without_tools: Option<String>,
    provider: Provider,
    prefers: Vec<Provider>,
    model: Option<String>,
    tools: ToolSet,
    picture_tool: Option<String>,
    makes_pictures: bool,
    approval: ApprovalMode,
    asks: Vec<String>,
    trusts: Vec<String>,
    reasons: bool,
    rounds_max: usize,
    calls_max: usize,
    decision_ms_max: u64,
    run_ms_max: u64,
    failures_end: bool,
    plays_agents: bool,
    turns_max: usize,
    tokens_max: u64,
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
            prefers: vec![Provider::Claude, Provider::Gemini, Provider::OpenAi],
            model: None,
            tools: ToolSet::all(),
            picture_tool: None,
            makes_pictures: false,
            approval: ApprovalMode::Changes,
            asks: Vec::new(),
            trusts: Vec::new(),
            reasons: true,
            rounds_max: ROUNDS_MAX,
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
    /// Lets it have `rounds` where it has as many as anybody.
    pub(crate) fn usual_rounds(&mut self, rounds: usize) {
        if self.rounds_max == ROUNDS_MAX {
            self.rounds_max = rounds;
        }
    }

    /// Whether it answers.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Whether it plays agents and talks with nobody at `/api/chat`.
    pub(crate) fn plays_agents(&self) -> bool {
        self.plays_agents
    }

    /// How much an agent that it plays may take in one conversation: answers, and tokens in and out.
    pub(crate) fn budget(&self) -> (usize, u64) {
        (self.turns_max, self.tokens_max)
    }

    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(crate) fn title_ja(&self) -> Option<&str> {
        self.title_ja.as_deref()
    }

    pub(crate) fn provider(&self) -> Provider {
        self.provider
    }

    pub(crate) fn prefers(&self) -> &[Provider] {
        &self.prefers
    }

    pub(crate) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// How far a run may go.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            rounds_max: self.rounds_max,
            calls_max: self.calls_max,
            decision: Duration::from_millis(self.decision_ms_max),
            run: Duration::from_millis(self.run_ms_max),
            failures_end: self.failures_end,
        }
    }

    /// The system prompt, chosen by whether there are tools (ILL-31).
    ///
    /// `{today}` in it is the day in Japan, with its name: a model knows none.
    pub(crate) fn prompt(&self, has_tools: bool, now: Timestamp) -> String {
        let without = self.prompt_without_tools.as_deref().filter(|_| !has_tools);
        let today =
            jiff::tz::Offset::constant(9).to_datetime(now).strftime("%Y-%m-%d (%A)").to_string();
        without.unwrap_or(&self.prompt).trim().replace("{today}", &today)
    }

    /// Whether each call is to say why (NAV-54).
    pub(crate) fn reasons(&self) -> bool {
        self.reasons
    }

    /// Whether a model that makes pictures has the last word (ILL-29).
    pub(crate) fn makes_pictures(&self) -> bool {
        self.makes_pictures
    }

    /// The tool that makes the picture where no model does.
    pub(crate) fn picture_tool(&self) -> Option<&str> {
        self.picture_tool.as_deref()
    }

    /// Whether `tool`, which is `owner`'s, is one of its own. The tool that makes pictures is where no model
    /// makes them, and only there.
    pub(crate) fn has(&self, owner: Owner<'_>, tool: &str, needs_picture_tool: bool) -> bool {
        match self.picture_tool.as_deref() == Some(tool) {
            true => needs_picture_tool,
            false => self.tools.has(owner, tool),
        }
    }

    /// Whether it is to have `tool`, by its own name.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.tools.names(tool)
    }

    /// Whether calls of `tool` wait until the person lets them happen, where they do not trust it themselves.
    pub(crate) fn asks_first(&self, tool: &str, is_read_only: bool, is_changed: bool) -> bool {
        let is_trusted = !is_changed && self.trusts.iter().any(|it| it == tool);
        match self.approval {
            ApprovalMode::Never => false,
            ApprovalMode::Always => !is_trusted,
            ApprovalMode::Changes => !is_read_only && !is_trusted,
        }
    }

    /// Whether the operator wants a person to be asked each time, whatever they trust.
    pub(crate) fn always_asks(&self, tool: &str) -> bool {
        self.asks.iter().any(|it| it == tool)
    }
}
