//! Stored facts about OpenAI-compatible servers: accepted request options, and the first model of a server.

use toolkit::{log, sql};

use super::message;
use crate::models::wire::WireError;

/// Token limit as older models and most other servers name it.
pub(super) const OLD: &str = "max_tokens";
/// Token limit as OpenAI's current models name it.
pub(super) const NEW: &str = "max_completion_tokens";
/// Maximum number of stored facts.
const FACTS_MAX: i64 = 256;
/// Key of a server's first model.
const FIRST: &str = "";
/// Stored values for deviating options.
const UNLIMITED: &str = "unlimited";
const UNCOUNTED: &str = "uncounted";
const BRIDGED: &str = "bridged";
const LIMITED_TOOLS: &str = "few";
const UNTHINKING: &str = "unthinking";

/// Request options that a model at a server accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Name of the token limit; `None` if it is left out.
    pub(super) limit: Option<&'static str>,
    /// Whether it accepts `stream_options`, without which most do not count tokens; Mistral refuses it, and
    /// counts anyway.
    pub(super) counts: bool,
    /// Whether an assistant message has to separate tool results from the person's message.
    pub(super) bridges: bool,
    /// Whether the number of tools is limited.
    pub(super) few_tools: bool,
    /// Whether it takes its own thinking back, as some demand and others refuse.
    pub(super) thinks: bool,
}

impl Options {
    /// Default options, with this token limit.
    pub(super) fn with_limit(limit: &'static str) -> Self {
        Self { limit: Some(limit), counts: true, bridges: false, few_tools: false, thinks: true }
    }

    /// Returns the options to try after `error`; `first` are those tried first.
    pub(super) fn adapted(self, error: &WireError, first: Self) -> Option<Self> {
        let WireError::Status { status: 400 | 422 | 500, .. } = error else { return None };
        if self.counts && error.mentions(&["stream_options"]) {
            return Some(Self { counts: false, ..self });
        }
        if !self.bridges && error.mentions(&["after role", "roles must alternate"]) {
            return Some(Self { bridges: true, ..self });
        }
        if self.thinks && error.mentions(&message::THINKING) {
            return Some(Self { thinks: false, ..self });
        }
        if !self.few_tools
            && !error.is_too_large()
            && error.mentions(&["tools"])
            && error.mentions(&["128"])
        {
            return Some(Self { few_tools: true, ..self });
        }
        let sent = self.limit.filter(|_| error.mentions(&[OLD, NEW]))?;
        let other = if sent == OLD { NEW } else { OLD };
        // If the limit exceeds the model's context, neither name helps.
        let is_other = self.limit == first.limit && !error.is_too_large();
        Some(Self { limit: is_other.then_some(other), ..self })
    }

    fn read(fact: &str) -> Option<Self> {
        let has = |word: &str| fact.split(' ').any(|it| it == word);
        let limit = [OLD, NEW].into_iter().find(|it| has(it));
        let is_one = limit.is_some() || has(UNLIMITED);
        is_one.then(|| Self {
            limit,
            counts: !has(UNCOUNTED),
            bridges: has(BRIDGED),
            few_tools: has(LIMITED_TOOLS),
            thinks: !has(UNTHINKING),
        })
    }

    fn fact(self) -> String {
        let counts = (!self.counts).then_some(UNCOUNTED);
        let words = [
            counts,
            self.bridges.then_some(BRIDGED),
            self.few_tools.then_some(LIMITED_TOOLS),
            (!self.thinks).then_some(UNTHINKING),
        ];
        let words = words.into_iter().flatten();
        std::iter::once(self.limit.unwrap_or(UNLIMITED)).chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// Loads the stored options of a model.
pub(super) fn load_options(url: &str, model: &str) -> Option<Options> {
    Options::read(&fact(url, model)?)
}

/// Stores the options of a model.
pub(super) fn save_options(url: &str, model: &str, options: Options) {
    remember(url, model, &options.fact());
}

/// Stores the first model of a server.
pub(super) fn save_first_model(url: &str, model: &str) {
    remember(url, FIRST, model);
}

/// Loads the first model of the server at `url`.
pub(in crate::models) fn first_model(url: &str) -> Option<String> {
    fact(url.trim_end_matches('/'), FIRST)
}

fn fact(url: &str, model: &str) -> Option<String> {
    let sql = "SELECT fact FROM learnt WHERE url = $1 AND model = $2";
    let [rows] = sql::query([toolkit::sql!(sql, url, model)]).ok()?;
    rows.read::<(String,)>().ok()?.pop().map(|it| it.0)
}

/// Stores a fact. A failure is only logged, since facts can be learned again.
fn remember(url: &str, model: &str, fact: &str) {
    let put = "INSERT INTO learnt (url, model, fact, position) \
        SELECT $1, $2, $3, coalesce(max(position), 0) + 1 FROM learnt WHERE true \
        ON CONFLICT (url, model) DO UPDATE SET fact = excluded.fact, position = excluded.position";
    let forget = "DELETE FROM learnt WHERE position <= (SELECT max(position) FROM learnt) - $1";
    let done =
        sql::transact([toolkit::sql!(put, url, model, fact), toolkit::sql!(forget, FACTS_MAX)]);
    if let Err(error) = done {
        log::warning(&format!("what was learnt of a model is not kept: {error:?}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(status: u16, message: &str, param: &str) -> WireError {
        let body = json!({ "error": { "message": message, "param": param } });
        WireError::Status { status, retry_after_s: None, body, text: message.to_owned() }
    }

    /// The options to try after `error`.
    fn next(options: Options, error: &WireError) -> Option<Options> {
        options.adapted(error, Options::with_limit(OLD))
    }

    #[test]
    fn switches_refused_token_limit_field() {
        let unsupported = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let (old, new) = (Options::with_limit(OLD), Options::with_limit(NEW));
        assert_eq!(old.adapted(&refusal(400, unsupported, OLD), old), Some(new));
        let unknown = "Unrecognized request argument supplied: max_completion_tokens";
        assert_eq!(new.adapted(&refusal(400, unknown, ""), new), Some(old));
        let extra = refusal(422, "Extra inputs are not permitted", NEW);
        assert_eq!(new.adapted(&extra, new), Some(old));
        assert_eq!(old.adapted(&refusal(400, "messages: wrong", ""), old), None);
        assert_eq!(old.adapted(&refusal(401, unsupported, OLD), old), None);
        // Then without the field, and nothing after that.
        let none = Options { limit: None, ..old };
        assert_eq!(next(new, &refusal(400, unknown, "")), Some(none));
        assert_eq!(next(none, &refusal(400, unknown, "")), None);
    }

    #[test]
    fn drops_limit_that_exceeds_the_context() {
        let small = "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 6000 input tokens.";
        let error = refusal(400, small, "");
        assert!(error.is_too_large());
        assert_eq!(
            next(Options::with_limit(OLD), &error),
            Some(Options { limit: None, ..Options::with_limit(OLD) })
        );
    }

    #[test]
    fn adapts_to_stricter_servers() {
        let usual = Options::with_limit(OLD);
        let extra = json!({ "detail": [{ "loc": ["body", "stream_options", "include_usage"] }] });
        let body = json!({ "object": "error", "message": extra });
        let text = String::new();
        let error = WireError::Status { status: 422, retry_after_s: None, body, text };
        let uncounted = Options { counts: false, ..usual };
        assert_eq!(next(usual, &error), Some(uncounted));
        assert_eq!(next(uncounted, &error), None, "it is not asked so for ever");
        for (status, order) in [
            (400, "Unexpected role 'user' after role 'tool'"),
            (500, "conversation roles must alternate user and assistant roles"),
        ] {
            let error = refusal(status, order, "");
            assert_eq!(next(uncounted, &error), Some(Options { bridges: true, ..uncounted }));
        }
    }

    #[test]
    fn limits_tools_for_servers_with_a_maximum() {
        let many = "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 131 instead.";
        let few_tools = Options { few_tools: true, ..Options::with_limit(NEW) };
        assert_eq!(next(Options::with_limit(NEW), &refusal(400, many, "tools")), Some(few_tools));
        assert_eq!(
            next(few_tools, &refusal(400, many, "tools")),
            None,
            "it is not asked so for ever"
        );
    }

    #[test]
    fn keeps_thinking_from_servers_that_refuse_it() {
        let usual = Options::with_limit(OLD);
        for extra in [
            "property 'reasoning_content' is unsupported",
            "Additional properties are not allowed ('reasoning_details' was unexpected)",
        ] {
            let unthinking = Options { thinks: false, ..usual };
            assert_eq!(next(usual, &refusal(400, extra, "")), Some(unthinking));
            assert_eq!(next(unthinking, &refusal(400, extra, "")), None, "not for ever");
        }
    }

    #[test]
    fn stored_options_round_trip() {
        for options in [
            Options::with_limit(NEW),
            Options {
                counts: false,
                bridges: true,
                few_tools: true,
                thinks: false,
                ..Options::with_limit(OLD)
            },
            Options { limit: None, ..Options::with_limit(OLD) },
        ] {
            assert_eq!(Options::read(&options.fact()), Some(options));
        }
        assert_eq!(Options::read("max_completion_tokens"), Some(Options::with_limit(NEW)));
        assert_eq!(Options::read("qwen4:8b"), None);
    }
}
