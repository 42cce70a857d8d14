//! What is wrong with assistants, models and the chat as the operator wrote them, and what to mend.

use std::{net::IpAddr, ops::RangeInclusive};

use reqwest::Url;

use super::{AssistantConfig, ModelConfig, Provider};
use crate::{
    config::{Config, Given, tokens::check::Problem},
    scopes::Scope,
};

/// Milliseconds that a decision and a run may take: less helps nobody, more no one waits for.
const DECISION_MS: RangeInclusive<u64> = 10..=600_000;
const RUN_MS: RangeInclusive<u64> = 10..=3_600_000;
/// Rounds of a run, and calls of a round.
const ROUNDS: RangeInclusive<u64> = 1..=64;
/// Answers and tokens of an agent in one conversation.
const TURNS: RangeInclusive<u64> = 1..=10_000;
const TOKENS: RangeInclusive<u64> = 1..=1_000_000_000;
/// Characters of an assistant's name.
const NAME_CHARS_MAX: usize = 64;
/// Where the password of the gateway is that may be missing.
pub(crate) const PASSWORD_VARIABLE: &str = "AUTH_PASSWORD";

/// What is found.
struct Found(Vec<Problem>);

/// Everything that is wrong in `config` about them.
pub(crate) fn problems(config: &Config) -> Vec<Problem> {
    let mut found = Found(Vec::new());
    for (name, assistant) in &config.assistants {
        found.assistant(config, name, assistant);
    }
    for provider in [Provider::Claude, Provider::Gemini, Provider::OpenAi] {
        if let Some(model) = config.models.get(provider) {
            found.model(config, provider.name(), model);
        }
    }
    found.chat(config);
    found.0
}

impl Found {
    fn put(&mut self, path: &[&str], what: impl Into<String>, is_fatal: bool) {
        let path = path.iter().map(|it| (*it).to_owned()).collect();
        self.0.push(Problem { path, what: what.into(), is_fatal });
    }

    fn within(&mut self, path: &[&str], value: u64, range: RangeInclusive<u64>) {
        if !range.contains(&value) {
            let (least, most) = (range.start(), range.end());
            self.put(path, format!("{value} cannot work; {least} to {most} is right"), true);
        }
    }

    fn assistant(&mut self, config: &Config, name: &str, it: &AssistantConfig) {
        let is_right = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        if !(1..=NAME_CHARS_MAX).contains(&name.len()) || !name.chars().all(is_right) {
            let what = format!("its name may have 1 to {NAME_CHARS_MAX} of A-Z a-z 0-9 _ -");
            self.put(&["assistants", name], what, true);
        }
        if !it.enabled {
            return;
        }
        if it.prompt.trim().is_empty() {
            let what = "it has none; say what it is and what it is to do: prompt = \"…\"";
            self.put(&["assistants", name, "prompt"], what, true);
        }
        let count = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        self.within(&["assistants", name, "rounds_max"], count(it.rounds_max), ROUNDS);
        self.within(&["assistants", name, "calls_max"], count(it.calls_max), ROUNDS);
        self.within(&["assistants", name, "decision_ms_max"], it.decision_ms_max, DECISION_MS);
        self.within(&["assistants", name, "run_ms_max"], it.run_ms_max, RUN_MS);
        self.within(&["assistants", name, "turns_max"], count(it.turns_max), TURNS);
        self.within(&["assistants", name, "tokens_max"], it.tokens_max, TOKENS);
        if it.prefers.contains(&Provider::Auto) {
            let what = "\"auto\" is who looks here; claude, gemini, openai and builtin are right";
            self.put(&["assistants", name, "prefers"], what, true);
        }
        for pattern in it.tools.written() {
            self.pattern(config, name, pattern);
        }
        for (key, list) in [("asks", &it.asks), ("trusts", &it.trusts)] {
            if let Some(wrong) = list.iter().find(|it| it.contains(':') || *it == "*") {
                let what = format!("{wrong:?}: names of tools are right here, one by one");
                self.put(&["assistants", name, key], what, true);
            }
        }
        if let Some(both) = it.asks.iter().find(|tool| it.trusts.contains(tool)) {
            let what = format!("{both:?} is in asks, too, which wins; take it out of one of them");
            self.put(&["assistants", name, "trusts"], what, false);
        }
        let model = config.models.get(it.provider);
        if model.is_some_and(|model| !model.is_ready(it.provider, &config.base)) {
            let provider = it.provider.name();
            let what = format!(
                "{provider:?} has no key (or, for openai, no base_url) in [models.{provider}]; \"auto\" answers without one, too"
            );
            self.put(&["assistants", name, "provider"], what, false);
        }
    }

    fn pattern(&mut self, config: &Config, name: &str, pattern: &str) {
        let path = ["assistants", name, "tools"];
        match pattern.split_once(':') {
            None if !pattern.is_empty() => {}
            Some(("component", it)) if !it.is_empty() => {
                // Whether it is installed is only known once the folder is read.
                let is_off = config.component(it).enabled == Some(false);
                if is_off {
                    self.put(
                        &path,
                        format!("{pattern:?}: [components.{it}] is not enabled"),
                        false,
                    );
                }
            }
            Some(("server", it)) if !it.is_empty() => {
                if !config.servers.contains_key(it) && it != "mcp-server" {
                    let what = format!("{pattern:?}: there is no [servers.{it}]");
                    self.put(&path, what, false);
                }
            }
            _ => {
                let what = format!(
                    "{pattern:?} names nothing; \"*\", \"component:NAME\", \"server:NAME\" and names of tools do"
                );
                self.put(&path, what, true);
            }
        }
    }

    fn model(&mut self, config: &Config, name: &str, it: &ModelConfig) {
        if let Some(Given::Text(_)) = it.key {
            self.put(&["models", name, "key"], in_clear("KEY"), true);
        }
        if let Some(Ok(url)) = it.base_url.as_ref().map(|it| it.read(&config.base))
            && let Err(what) = address(url.expose())
        {
            self.put(&["models", name, "base_url"], what, true);
        }
        if let Some(tokens) = it.max_tokens {
            self.within(&["models", name, "max_tokens"], tokens.into(), 1..=1_000_000);
        }
        if let Some(ms) = it.retry_base_ms {
            self.within(&["models", name, "retry_base_ms"], ms, 1..=60_000);
        }
        let prices = [
            ("input_usd_per_million", it.input_usd_per_million),
            ("output_usd_per_million", it.output_usd_per_million),
        ];
        for (key, price) in prices {
            if price.is_some_and(|it| !it.is_finite() || it < 0.0) {
                self.put(&["models", name, key], "a price is 0 or more", true);
            }
        }
        if let [(_, Some(_)), (key, None)] | [(key, None), (_, Some(_))] = prices {
            let what = "the other price is there, and costs are told only where both are";
            self.put(&["models", name, key], what, false);
        }
    }

    fn chat(&mut self, config: &Config) {
        let chat = &config.chat;
        let named = config.assistants.get(&chat.assistant);
        if !named.is_some_and(|it| it.enabled && !it.plays_agents) {
            let names = config.assistants.iter().filter(|it| it.1.enabled && !it.1.plays_agents);
            let names = names.map(|it| it.0.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let what =
                format!("{:?} is not there, or not enabled; these are: {names}", chat.assistant);
            self.put(&["chat", "assistant"], what, true);
        }
        for scope in &chat.scopes {
            if let Err(error) = scope.parse::<Scope>() {
                self.put(&["chat", "scopes"], error.to_string(), true);
            }
        }
        match &chat.password {
            Some(Given::Text(_)) => {
                self.put(&["chat", "password"], in_clear(PASSWORD_VARIABLE), true)
            }
            Some(Given::Environment(name)) if name == PASSWORD_VARIABLE => {}
            Some(it) => {
                if let Err(what) = it.read(&config.base) {
                    self.put(&["chat", "password"], format!("{what}; or leave it out"), true);
                }
            }
            None => {}
        }
        let count = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        let turns = &chat.turns;
        self.within(&["chat", "body_bytes_max"], count(chat.body_bytes_max), 1 << 10..=256 << 20);
        self.within(&["chat", "turns_max"], count(turns.turns_max), 1..=1_000_000);
        self.within(&["chat", "turn_bytes_max"], turns.turn_bytes_max, 1 << 10..=1 << 30);
        self.within(
            &["chat", "turns_bytes_max"],
            turns.turns_bytes_max,
            turns.turn_bytes_max..=1 << 40,
        );
    }
}

fn in_clear(variable: &str) -> String {
    format!(
        "it stands here as a plain text; {{ environment = \"{variable}\" }} or {{ file = \"PATH\" }} keep it elsewhere, and {{ value = \"…\" }} says that it is meant so"
    )
}

/// Whether it can be trusted with a key: by TLS, or because it is this machine.
fn address(text: &str) -> Result<(), String> {
    let right =
        "\"https://…\", or \"http://127.0.0.1:PORT\" for a server of this machine, is right";
    let url = Url::parse(text).map_err(|error| format!("it is no address ({error}); {right}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!("there is a user or a password in it, which belongs to key; {right}"));
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_here => Ok(()),
        _ => Err(format!("what is sent there could be read by others; {right}")),
    }
}
