//! The models that assistants may use, as the operator writes them: `[models.NAME]`.

use std::{path::Path, time::Duration};

use serde::Deserialize;

use super::Provider;
use crate::{config::Given, grants::secret::Secret};

/// The models that assistants may use: `[models]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Models {
    /// Anthropic's.
    pub claude: ModelConfig,
    /// Google's.
    pub gemini: ModelConfig,
    /// Of OpenAI, or of whoever speaks like them.
    pub openai: ModelConfig,
}

impl Models {
    pub(crate) fn get(&self, provider: Provider) -> Option<&ModelConfig> {
        match provider {
            Provider::Claude => Some(&self.claude),
            Provider::Gemini => Some(&self.gemini),
            Provider::OpenAi => Some(&self.openai),
            Provider::Auto | Provider::Builtin => None,
        }
    }
}

/// One provider's models: `[models.NAME]`. What is not said has the provider's default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    pub(super) base_url: Option<Given>,
    pub(super) key: Option<Given>,
    model: Option<Given>,
    picture_model: Option<Given>,
    pub(super) max_tokens: Option<u32>,
    pub(super) input_usd_per_million: Option<f64>,
    pub(super) output_usd_per_million: Option<f64>,
    pub(super) retry_base_ms: Option<u64>,
}

impl ModelConfig {
    /// Whether it can be asked: it has a key; where none may be needed, an address, or a key and the
    /// name of a model.
    pub(crate) fn is_ready(&self, provider: Provider, base: &Path) -> bool {
        let has = |it: &Option<Given>| read(it, base).is_ok_and(|it| it.is_some());
        match provider {
            Provider::OpenAi => has(&self.base_url) || has(&self.key) && has(&self.model),
            _ => has(&self.key),
        }
    }

    /// Where its API is, if that is said.
    pub(crate) fn base_url(&self, base: &Path) -> Result<Option<String>, String> {
        Ok(read(&self.base_url, base)?.map(|it| it.expose().to_owned()))
    }

    /// The key, where there is one.
    pub(crate) fn key(&self, base: &Path) -> Result<Option<Secret>, String> {
        read(&self.key, base)
    }

    /// Which model; `None` is the provider's default.
    pub(crate) fn model(&self, base: &Path) -> Option<String> {
        named(&self.model, base)
    }

    /// Which model makes pictures; `None` is the provider's default.
    pub(crate) fn picture_model(&self, base: &Path) -> Option<String> {
        named(&self.picture_model, base)
    }

    /// How long one of its answers may be.
    pub(crate) fn tokens_max(&self) -> Option<u32> {
        self.max_tokens
    }

    /// US dollars for a million tokens that go in, and that come out.
    pub(crate) fn prices(&self) -> Option<(f64, f64)> {
        self.input_usd_per_million.zip(self.output_usd_per_million)
    }

    /// The first delay before it is asked again.
    pub(crate) fn retry_base(&self) -> Option<Duration> {
        self.retry_base_ms.map(Duration::from_millis)
    }
}

/// What is given; nothing, where the environment has nothing to give.
fn read(given: &Option<Given>, base: &Path) -> Result<Option<Secret>, String> {
    match given {
        None => Ok(None),
        Some(Given::Environment(name)) if std::env::var_os(name).is_none_or(|it| it.is_empty()) => {
            Ok(None)
        }
        Some(it) => it.read(base).map(Some),
    }
}

/// The name of a model, where it can be read.
fn named(given: &Option<Given>, base: &Path) -> Option<String> {
    let name = read(given, base).ok()??;
    Some(name.expose().trim().to_owned()).filter(|it| !it.is_empty())
}
