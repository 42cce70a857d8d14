//! Errors of a call, sorted by who can correct them, and their texts.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use crate::text::{Key, Lang};

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallError {
    /// The host cannot be reached: a problem of the network or the operator.
    Offline,
    /// The part of the page that it takes could not be loaded.
    NoPart,
    /// The user cancelled the call.
    Stopped,
    /// The host requires a token.
    Unauthorized,
    /// Page and host do not understand each other: a bug of one of them.
    Protocol { code: i64, message: String },
    /// The tool refuses; the user can correct it.
    Refused(Box<Refusal>),
}

/// A tool's refusal (`_meta["madoguchi/error"]`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct Refusal {
    /// Machine-readable code, such as `rate_limited`; `error` in JSON.
    pub(crate) code: String,
    /// The tool's own message for people.
    pub(crate) message: String,
    pub(crate) status: u16,
    /// Details of the refusal.
    pub(crate) data: Value,
}

/// One fault of the arguments.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Problem {
    /// A JSON pointer into the arguments; empty for the whole.
    #[serde(default)]
    pub(crate) pointer: String,
    pub(crate) message: String,
}

/// The families' advice about refusals of their tools.
static ADVICE: OnceLock<fn(&Refusal, Lang) -> Option<String>> = OnceLock::new();

/// Registers `advice`, which is consulted first.
pub(crate) fn advise_by(advice: fn(&Refusal, Lang) -> Option<String>) {
    let _ = ADVICE.set(advice);
}

/// Maximum number of characters of a foreign message shown.
const TEXT_MAX: usize = 400;

impl CallError {
    /// An answer that is no JSON-RPC, such as a proxy's error page.
    pub(crate) fn unreadable(status: u16, text: &str) -> Self {
        let text: String = text.chars().take(TEXT_MAX).collect();
        Self::Protocol { code: i64::from(status), message: text }
    }

    /// An error determined by the HTTP status rather than by the text.
    pub(crate) fn of_status(status: u16, text: &str) -> Option<Self> {
        let code = match status {
            401 => return Some(Self::Unauthorized),
            403 => "insufficient_scope",
            429 => "rate_limited",
            _ => return None,
        };
        let body: Value = serde_json::from_str(text).unwrap_or_default();
        let error = body.get("error").filter(|it| it.is_object()).unwrap_or(&body);
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        let refusal = Refusal {
            code: code.to_owned(),
            message: message.chars().take(TEXT_MAX).collect(),
            status,
            data: error.get("data").cloned().unwrap_or_default(),
        };
        Some(Self::Refused(Box::new(refusal)))
    }

    /// An answer that the page does not understand.
    pub(crate) fn page(message: &str) -> Self {
        Self::Protocol { code: 0, message: message.to_owned() }
    }

    /// Faults of single arguments, if the refusal lists any.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let Self::Refused(refusal) = self else { return Vec::new() };
        let of_list = refusal.data.get("problems").cloned();
        if let Some(problems) = of_list.and_then(|it| serde_json::from_value(it).ok()) {
            return problems;
        }
        let text = |name: &str| refusal.data.get(name).and_then(Value::as_str);
        let field = text("field").map(|field| format!("/{}", field.trim_start_matches('/')));
        let message = text("reason").unwrap_or(&refusal.message).to_owned();
        field.map(|pointer| Problem { pointer, message }).into_iter().collect()
    }

    /// A short title of the error.
    pub(crate) fn title(&self, lang: Lang) -> &'static str {
        lang.say(match self {
            Self::Offline => Key::ErrorOffline,
            Self::NoPart => Key::PartMissing,
            Self::Stopped => Key::Stopped,
            Self::Unauthorized => Key::ErrorSignIn,
            Self::Protocol { .. } => Key::ErrorProtocol,
            Self::Refused(refusal) => match refusal.status {
                400 => Key::ErrorInput,
                404 => Key::ErrorNotFound,
                _ => Key::ErrorRefused,
            },
        })
    }

    /// Advice on how to proceed.
    pub(crate) fn advice(&self, lang: Lang) -> String {
        match self {
            Self::Offline => lang.say(Key::ErrorOfflineAdvice).to_owned(),
            Self::NoPart => lang.say(Key::PartMissingAdvice).to_owned(),
            Self::Stopped => String::new(),
            Self::Unauthorized => lang.say(Key::ErrorSignInAdvice).to_owned(),
            Self::Protocol { .. } => lang.say(Key::ErrorProtocolAdvice).to_owned(),
            Self::Refused(refusal) => refusal.advice(lang),
        }
    }

    /// Code and original message for closer inspection, without what was `shown` already.
    pub(crate) fn details(&self, shown: &str) -> Option<String> {
        match self {
            Self::Protocol { code, message } => Some(format!("{code} {message}")),
            // What is already shown is not repeated.
            Self::Refused(refusal) if !refusal.code.is_empty() => {
                let is_shown = refusal.message.is_empty() || refusal.message == shown;
                Some(if is_shown {
                    refusal.code.clone()
                } else {
                    format!("{} — {}", refusal.code, refusal.message)
                })
            }
            _ => None,
        }
    }

    /// Whether repeating the call may succeed, or the outcome of the call is unknown.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Offline | Self::NoPart | Self::Protocol { .. } | Self::Unauthorized => true,
            Self::Stopped => false,
            Self::Refused(refusal) => refusal.status >= 500 || refusal.status == 429,
        }
    }
}

impl From<Value> for Refusal {
    fn from(mut value: Value) -> Self {
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let status = value["status"].as_u64().and_then(|it| u16::try_from(it).ok());
        Self {
            code: text("error"),
            message: text("message"),
            status: status.unwrap_or_default(),
            data: value.get_mut("data").map(Value::take).unwrap_or_default(),
        }
    }
}

impl Refusal {
    /// Reads the refusal the host provides; a foreign server's refusal is the first text of its content.
    pub(crate) fn new(own: Option<&Value>, text: Option<&str>) -> Self {
        let ours = |value: Value| Some(Self::from(value)).filter(|it| !it.code.is_empty());
        let json = text.and_then(|text| serde_json::from_str(text).ok());
        let is_json = json.is_some();
        let from_text = || ours(json?);
        let mut refusal = own.cloned().and_then(ours).or_else(from_text).unwrap_or_default();
        if refusal.message.is_empty() {
            // A refusal without a reason shows its code at least.
            let is_shown = |text: &&str| !text.is_empty() && (refusal.code.is_empty() || !is_json);
            let message = text.filter(is_shown).unwrap_or(&refusal.code);
            refusal.message = message.chars().take(TEXT_MAX).collect();
        }
        refusal
    }

    /// Returns a text of the details by name; empty if there is none.
    pub(crate) fn about(&self, name: &str) -> &str {
        self.data[name].as_str().unwrap_or_default()
    }

    fn advice(&self, lang: Lang) -> String {
        let key = match self.code.as_str() {
            "invalid_params" | "invalid_arguments" => Key::ErrInvalidParams,
            "internal_error" => Key::ErrInternal,
            "unavailable" | "busy" | "settings_refused" => Key::ErrUnavailable,
            "timed_out" | "timeout" | "deadline_exceeded" => Key::ErrTimeout,
            "rate_limited" => Key::ErrRate,
            "insufficient_scope" if !self.about("scope").is_empty() => {
                return lang.fill(Key::ErrScope, &[self.about("scope")]);
            }
            _ => {
                // Texts of parts are empty before a part is loaded.
                let advice = ADVICE.get().and_then(|it| it(self, lang));
                return advice.filter(|it| !it.is_empty()).unwrap_or_else(|| self.own_text(lang));
            }
        };
        lang.say(key).to_owned()
    }

    /// The tool's own message: English, and Japanese if the tool provides it.
    fn own_text(&self, lang: Lang) -> String {
        match (lang, self.data.get("message_ja").and_then(Value::as_str)) {
            (Lang::Ja, Some(text)) => text.chars().take(TEXT_MAX).collect(),
            _ => self.message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(value: &Value) -> CallError {
        CallError::Refused(Box::new(Refusal::new(Some(value), None)))
    }

    #[test]
    fn refusal_without_message_shows_its_text_or_code() {
        let own = json!({ "error": "no_seats", "message": null });
        let message = |text: &str| Refusal::new(Some(&own), Some(text)).message;
        assert_eq!(message("All are sold."), "All are sold.");
        assert_eq!(message(&own.to_string()), "no_seats");
        assert_eq!(Refusal::new(Some(&own), None).message, "no_seats");
        assert_eq!(Refusal::new(None, Some("{}")).message, "{}");
    }

    #[test]
    fn shows_message_of_unknown_code() {
        let error = refused(&json!({ "error": "dragon", "message": "Here be dragons." }));
        assert_eq!(error.advice(Lang::Ja), "Here be dragons.");
    }

    #[test]
    fn reports_missing_item_as_not_found() {
        let title = |status| refused(&json!({ "error": "x", "status": status })).title(Lang::En);
        assert_eq!(title(404), "Not found");
        assert_eq!([title(400), title(409)], ["Please check the input", "That could not be done"]);
    }

    #[test]
    fn explains_unavailable_component_in_readers_language() {
        for code in ["busy", "settings_refused", "unavailable"] {
            let error = refused(&json!({ "error": code, "message": "The component x …" }));
            let shown = error.advice(Lang::Ja);
            assert_eq!(shown, Lang::Ja.say(Key::ErrUnavailable));
            assert_eq!(error.details(&shown), Some(format!("{code} — The component x …")));
        }
    }

    #[test]
    fn details_have_the_code_and_no_repetition() {
        crate::families::register();
        let refusal = refused(&json!({ "error": "seat_not_found", "message": "No seat Q9." }));
        let shown = refusal.advice(Lang::En);
        assert_eq!(refusal.details(&shown).as_deref(), Some("seat_not_found — No seat Q9."));
        let own = refused(&json!({ "error": "dragon", "message": "Here be dragons." }));
        let shown = own.advice(Lang::En);
        assert_eq!(
            (shown.as_str(), own.details(&shown).as_deref()),
            ("Here be dragons.", Some("dragon"))
        );
        assert_eq!(CallError::Offline.details(""), None);
    }

    #[test]
    fn reads_problems_in_both_forms() {
        let list = json!({ "error": "invalid_params", "message": "", "status": 400,
            "data": { "problems": [{ "pointer": "/seat_ids/0", "message": "no such seat" }] } });
        assert_eq!(refused(&list).problems()[0].pointer, "/seat_ids/0");
        let one = json!({ "error": "invalid_params", "message": "Bad.", "status": 400,
            "data": { "field": "date", "reason": "not a date" } });
        let expected = Problem { pointer: "/date".to_owned(), message: "not a date".to_owned() };
        assert_eq!(refused(&one).problems(), [expected]);
        assert_eq!(CallError::Offline.problems(), []);
    }

    #[test]
    fn truncates_proxy_error_page() {
        let CallError::Protocol { code, message } = CallError::unreadable(502, &"x".repeat(9_000))
        else {
            panic!("protocol")
        };
        assert_eq!((code, message.len()), (502, TEXT_MAX));
    }

    #[test]
    fn reads_sign_in_and_limits_from_status() {
        assert_eq!(CallError::of_status(401, ""), Some(CallError::Unauthorized));
        assert_eq!(CallError::of_status(404, "{}"), None);
        let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"No.",
            "data":{"scope":"tool:reserve_seats"}}}"#;
        let error = CallError::of_status(403, body).unwrap();
        assert!(error.advice(Lang::En).contains("tool:reserve_seats"), "{error:?}");
        assert!(!error.may_pass());
        let rest = CallError::of_status(403, r#"{"error":"forbidden","message":"Not you."}"#);
        assert_eq!(rest.unwrap().advice(Lang::En), "Not you.");
        assert!(CallError::of_status(429, "").unwrap().may_pass());
    }

    #[test]
    fn retries_only_temporary_errors() {
        assert!(CallError::Offline.may_pass());
        assert!(!refused(&json!({ "error": "showtime_closed", "status": 409 })).may_pass());
        assert!(refused(&json!({ "error": "internal_error", "status": 500 })).may_pass());
    }
}
