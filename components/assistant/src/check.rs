//! Validates the operator's settings of assistants, models and the chat.

use std::ops::RangeInclusive;

use toolkit::{Problem, log};

use crate::{AssistantConfig, ModelConfig, Provider, Settings};

/// Range of the time limits of a decision and of a run, in milliseconds.
const DECISION_MS: RangeInclusive<u64> = 10..=600_000;
const RUN_MS: RangeInclusive<u64> = 10..=3_600_000;
/// Range of the rounds of a run, and of the calls of a round.
const ROUNDS: RangeInclusive<u64> = 1..=64;
/// Ranges of an agent's answers and tokens in one conversation.
const TURNS: RangeInclusive<u64> = 1..=10_000;
const TOKENS: RangeInclusive<u64> = 1..=1_000_000_000;
/// Maximum length of an assistant's name, in characters.
const NAME_CHARS_MAX: usize = 64;

/// Validates the settings, and returns every problem.
pub(crate) fn configure() -> Result<(), Vec<Problem>> {
    let settings = Settings::read().map_err(|it| vec![it.into()])?;
    let found = problems(&settings);
    for note in notes(&settings) {
        log::info(&format!("{}: {}", note.pointer, note.message));
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Problems found so far.
#[derive(Default)]
struct Problems(Vec<Problem>);

/// Returns every error, with its place in the settings.
fn problems(settings: &Settings) -> Vec<Problem> {
    let mut found = Problems::default();
    for (name, assistant) in &settings.assistants {
        found.assistant(name, assistant);
    }
    for provider in Provider::models() {
        if let Some(model) = settings.models.get(provider) {
            found.model(provider.name(), model);
        }
    }
    found.chat(settings);
    found.0
}

/// Returns warnings: settings that work, but perhaps not as intended.
fn notes(settings: &Settings) -> Vec<Problem> {
    let mut found = Problems::default();
    for (name, it) in settings.assistants.iter().filter(|it| it.1.enabled) {
        let provider = it.provider;
        if provider != Provider::Auto && !settings.models.is_ready(provider) {
            let provider = provider.name();
            let what = format!(
                "{provider:?} has no key (or, for openai, no base_url) in [models.{provider}]; \"auto\" answers without one, too"
            );
            found.put(&["assistants", name, "provider"], what);
        }
    }
    for provider in Provider::models() {
        let Some(config) = settings.models.get(provider) else { continue };
        let prices = [
            ("input_usd_per_million", config.input_usd_per_million),
            ("output_usd_per_million", config.output_usd_per_million),
        ];
        if let [(_, Some(_)), (key, None)] | [(key, None), (_, Some(_))] = prices {
            let what = "the other price is there, and costs are told only where both are";
            found.put(&["models", provider.name(), key], what);
        }
    }
    found.0
}

impl Problems {
    fn put(&mut self, path: &[&str], what: impl Into<String>) {
        let pointer: String = path.iter().map(|it| format!("/{it}")).collect();
        self.0.push(Problem::at(pointer, what));
    }

    fn within(&mut self, path: &[&str], value: u64, range: RangeInclusive<u64>) {
        if !range.contains(&value) {
            let (least, most) = (range.start(), range.end());
            self.put(path, format!("{value} cannot work; {least} to {most} is right"));
        }
    }

    fn assistant(&mut self, name: &str, assistant: &AssistantConfig) {
        let is_right = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        if !(1..=NAME_CHARS_MAX).contains(&name.len()) || !name.chars().all(is_right) {
            let what = format!("its name may have 1 to {NAME_CHARS_MAX} of A-Z a-z 0-9 _ -");
            self.put(&["assistants", name], what);
        }
        if !assistant.enabled {
            return;
        }
        if assistant.prompt.trim().is_empty() {
            let what = "it has none; say what it is and what it is to do: prompt = \"…\"";
            self.put(&["assistants", name, "prompt"], what);
        }
        let count = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        if let Some(rounds) = assistant.rounds_max {
            self.within(&["assistants", name, "rounds_max"], count(rounds), ROUNDS);
        }
        self.within(&["assistants", name, "calls_max"], count(assistant.calls_max), ROUNDS);
        self.within(
            &["assistants", name, "decision_ms_max"],
            assistant.decision_ms_max,
            DECISION_MS,
        );
        self.within(&["assistants", name, "run_ms_max"], assistant.run_ms_max, RUN_MS);
        self.within(&["assistants", name, "turns_max"], count(assistant.turns_max), TURNS);
        self.within(&["assistants", name, "tokens_max"], assistant.tokens_max, TOKENS);
        if assistant.prefers.contains(&Provider::Auto) {
            let what =
                "\"auto\" takes the first of these; providers and \"builtin\" are right here";
            self.put(&["assistants", name, "prefers"], what);
        }
    }

    fn model(&mut self, name: &str, model: &ModelConfig) {
        if let Some(tokens) = model.max_tokens {
            self.within(&["models", name, "max_tokens"], tokens.into(), 1..=1_000_000);
        }
        if let Some(ms) = model.retry_base_ms {
            self.within(&["models", name, "retry_base_ms"], ms, 1..=60_000);
        }
        for (key, price) in [
            ("input_usd_per_million", model.input_usd_per_million),
            ("output_usd_per_million", model.output_usd_per_million),
        ] {
            if price.is_some_and(|it| !it.is_finite() || it < 0.0) {
                self.put(&["models", name, key], "a price is 0 or more");
            }
        }
    }

    fn chat(&mut self, settings: &Settings) {
        let chat = &settings.chat;
        // Without assistants there is no chat to validate.
        let is_there = settings.enabled_assistants().any(|it| *it.0 == chat.assistant);
        if !is_there && !settings.assistants.is_empty() {
            let names = settings.enabled_assistants().map(|it| it.0.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let what =
                format!("{:?} is not there, or not enabled; these are: {names}", chat.assistant);
            self.put(&["chat", "assistant"], what);
        }
        self.within(&["chat", "turns_max"], chat.turns_max, 1..=1_000_000);
        self.within(&["chat", "turn_bytes_max"], chat.turn_bytes_max, 1 << 10..=1 << 30);
        self.within(
            &["chat", "turns_bytes_max"],
            chat.turns_bytes_max,
            chat.turn_bytes_max..=1 << 40,
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;

    /// Returns the problems of these entries, next to one valid assistant.
    fn wrong(name: &str, more: Value) -> Vec<String> {
        let mut all = json!({
            "assistants": { "clerk": { "prompt": "Sell." } },
            "models": {},
            "chat": { "assistant": "clerk" },
        });
        for (key, value) in more.as_object().unwrap() {
            all[name][key] = value.clone();
        }
        let settings = Settings {
            assistants: serde_json::from_value::<BTreeMap<String, AssistantConfig>>(
                all["assistants"].take(),
            )
            .unwrap()
            .into_iter()
            .map(|(name, it)| (name, it.into()))
            .collect(),
            models: serde_json::from_value(all["models"].take()).unwrap(),
            chat: serde_json::from_value(all["chat"].take()).unwrap(),
        };
        problems(&settings).iter().map(|it| format!("{} {}", it.pointer, it.message)).collect()
    }

    #[test]
    fn names_each_mistake_with_its_pointer() {
        assert_eq!(wrong("models", json!({})), [""; 0]);
        for (table, entries, place, text) in [
            (
                "assistants",
                json!({ "a": { "prompt": "x", "rounds_max": 0 } }),
                "/assistants/a/rounds_max",
                "1 to 64",
            ),
            (
                "assistants",
                json!({ "a": { "prompt": "x", "calls_max": 1_000 } }),
                "/assistants/a/calls_max",
                "1 to 64",
            ),
            (
                "assistants",
                json!({ "a": { "prompt": "x", "decision_ms_max": 1 } }),
                "/assistants/a/decision_ms_max",
                "600000",
            ),
            (
                "assistants",
                json!({ "a": { "prompt": "x", "run_ms_max": 1 } }),
                "/assistants/a/run_ms_max",
                "3600000",
            ),
            (
                "assistants",
                json!({ "a": { "prompt": "x", "prefers": ["auto"] } }),
                "/assistants/a/prefers",
                "builtin",
            ),
            ("assistants", json!({ "a": { "title": "x" } }), "/assistants/a/prompt", "prompt = "),
            ("assistants", json!({ "a b": { "prompt": "x" } }), "/assistants/a b", "A-Z"),
            ("chat", json!({ "assistant": "nobody" }), "/chat/assistant", "clerk"),
            ("chat", json!({ "turns_max": 0 }), "/chat/turns_max", "1 to"),
            ("chat", json!({ "turns_bytes_max": 1_024 }), "/chat/turns_bytes_max", "67108864"),
            (
                "models",
                json!({ "gemini": { "max_tokens": 0 } }),
                "/models/gemini/max_tokens",
                "1 to",
            ),
            (
                "models",
                json!({ "gemini": { "input_usd_per_million": -1.0 } }),
                "/models/gemini/input_usd_per_million",
                "0 or more",
            ),
        ] {
            let found = wrong(table, entries);
            assert!(found.iter().any(|it| it.starts_with(place) && it.contains(text)), "{found:?}");
        }
        assert_eq!(wrong("assistants", json!({ "a": { "enabled": false } })), [""; 0]);
    }
}
