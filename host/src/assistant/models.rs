//! Models of other people, over their APIs: Claude, Gemini, and whatever speaks as OpenAI does.

mod claude;
mod declare;
mod gemini;
mod names;
mod openai;
mod picture;
mod price;
mod told;
mod trim;
mod wire;

use std::{path::Path, sync::Arc};

use serde_json::Value;

use claude::Claude;
use openai::OpenAi;

use super::{AssistantConfig, Decider, Models, Provider, Undecided, Understanding};
use crate::registry::Registry;

/// Whoever decides for an assistant, as configuration and environment say.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) provider: Provider,
    /// The model's name; the built-in one has its own.
    pub(crate) model: Arc<str>,
}

/// Who decides for `assistant`: the provider it names, or the first of those it prefers that has a key
/// or an address; else the built-in model.
pub(crate) fn chosen(assistant: &AssistantConfig, models: &Models, base: &Path) -> Chosen {
    let is_ready = |it: &Provider| models.get(*it).is_some_and(|config| config.is_ready(*it, base));
    let provider = match assistant.provider() {
        Provider::Auto => assistant.prefers().iter().copied().find(is_ready),
        named => Some(named),
    };
    let provider = provider.unwrap_or(Provider::Builtin);
    let own = assistant.model().map(str::to_owned);
    let model = own.or_else(|| models.get(provider).and_then(|it| it.model(base)));
    Chosen { provider, model: model.unwrap_or_else(|| default_model(provider).to_owned()).into() }
}

/// The model that is asked where none is named.
fn default_model(provider: Provider) -> &'static str {
    match provider {
        Provider::Claude => claude::MODEL,
        Provider::Gemini => "gemini-3.8-flash",
        // The first that the server has.
        Provider::OpenAi => "",
        Provider::Auto | Provider::Builtin => "builtin",
    }
}

/// The model that a provider had first when it was last asked what it has.
pub(crate) fn found(provider: Provider, models: &Models, base: &Path) -> Option<String> {
    let url = models.get(provider)?.base_url(base).ok()??;
    openai::limits::first(&url)
}

/// Whoever decides, going on from `transcript` where there is one of their own kind.
pub(crate) fn decider(
    chosen: &Chosen,
    assistant: &AssistantConfig,
    models: &Models,
    base: &Path,
    (registry, transcript): (&Registry, Option<&Value>),
) -> Result<Box<dyn Decider>, Undecided> {
    match chosen.provider {
        Provider::Builtin | Provider::Auto => {
            Ok(Box::new(Understanding::of_chat(registry, transcript)))
        }
        Provider::Gemini => {
            picture::gemini(&chosen.model, assistant, &models.gemini, base, transcript)
        }
        Provider::Claude => {
            let config = &models.claude;
            let claude = Claude::new(&chosen.model, assistant, config, base, transcript)?;
            Ok(Box::new(claude))
        }
        Provider::OpenAi => {
            let config = &models.openai;
            let openai = OpenAi::new(&chosen.model, assistant, config, base, transcript)?;
            Ok(Box::new(openai))
        }
    }
}
