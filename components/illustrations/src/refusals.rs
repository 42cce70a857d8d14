//! Errors in the caller's language: unknown cards and themes (ILL-4), and failing sources.

use language::say::short;
use serde_json::{Value, json};
use toolkit::{Stop, caller, refused};

/// Whether the caller reads Japanese; the default is English.
pub fn is_japanese() -> bool {
    caller::reads_japanese(false)
}

/// No card has that name.
pub fn card_not_found(name: &str, near: &[String]) -> Stop {
    let name = short(name);
    refused("card_not_found", 404, message(("カード", "card"), &name, near, is_japanese()))
        .with(json!({ "card_name": name, "suggestions": near }))
}

/// No theme has that name.
pub fn theme_not_found(name: &str, near: &[String]) -> Stop {
    let name = short(name);
    refused("theme_not_found", 404, message(("テーマ", "theme"), &name, near, is_japanese()))
        .with(json!({ "theme": name, "suggestions": near }))
}

fn message(what: (&str, &str), name: &str, near: &[String], is_japanese: bool) -> String {
    match (is_japanese, near.is_empty()) {
        (true, true) => format!("{}「{name}」はありません。", what.0),
        (true, false) => {
            format!("{}「{name}」はありません。近い名前: {}。", what.0, near.join("、"))
        }
        (false, true) => format!("There is no {} {name:?}.", what.1),
        (false, false) => {
            format!("There is no {} {name:?}. Close names: {}.", what.1, near.join(", "))
        }
    }
}

/// Why a source has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceError {
    /// It cannot be reached, is too slow, or its answer is invalid.
    Failed {
        /// The message, which only names hosts of URLs.
        message: String,
    },
    /// Its rate limit is reached.
    Limited {
        /// Retry delay, in seconds.
        retry_after_s: u32,
    },
    /// Its host is not granted.
    Denied {
        /// Name of the host.
        host: String,
    },
    /// A file of the operator is missing or broken.
    File {
        /// The setting or entry, and how to fix it.
        message: String,
    },
}

/// Creates a [`SourceError::Failed`] with `message`.
pub fn failed(message: impl Into<String>) -> SourceError {
    SourceError::Failed { message: message.into() }
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        stop_in(&error, is_japanese())
    }
}

/// Converts the error into a stop, in Japanese or English.
pub fn stop_in(error: &SourceError, is_japanese: bool) -> Stop {
    let message = if is_japanese { japanese(error) } else { english(error) };
    let (code, status) = code(error);
    refused(code, status, message).with(details(error))
}

fn code(error: &SourceError) -> (&'static str, u16) {
    match error {
        SourceError::Failed { .. } => ("source_failed", 502),
        SourceError::Limited { .. } => ("source_limited", 503),
        SourceError::Denied { .. } => ("source_denied", 500),
        SourceError::File { .. } => ("source_unreadable", 500),
    }
}

fn details(error: &SourceError) -> Value {
    match error {
        SourceError::Limited { retry_after_s } => json!({ "retry_after_s": retry_after_s }),
        SourceError::Denied { host } => json!({ "host": host }),
        // For the operator, always in English.
        SourceError::Failed { message } | SourceError::File { message } => {
            json!({ "reason": message })
        }
    }
}

fn japanese(error: &SourceError) -> String {
    match error {
        SourceError::Failed { .. } => {
            "カードの提供元から答えが得られません。しばらくして再試行してください。".to_owned()
        }
        SourceError::Limited { retry_after_s } => format!(
            "カードの提供元の利用上限に達しました。{retry_after_s} 秒後に再試行してください。"
        ),
        SourceError::Denied { host } => format!(
            "{host} への要求は許可されていません。管理者が [[components.illustrations.http]] に\
             host = \"{host}\" を加える必要があります。"
        ),
        SourceError::File { .. } => {
            "カードのファイルを読めません。管理者が直す必要があります。".to_owned()
        }
    }
}

fn english(error: &SourceError) -> String {
    match error {
        SourceError::Failed { message } => {
            format!("The source of cards gave no answer: {message}. Try again in a while.")
        }
        SourceError::Limited { retry_after_s } => format!(
            "The source of cards takes no more requests for now. Try again in {retry_after_s} seconds."
        ),
        SourceError::Denied { host } => format!(
            "Requests to {host} are not granted. The operator has to add host = \"{host}\" under \
             [[components.illustrations.http]]."
        ),
        SourceError::File { message } => {
            format!("A file of cards cannot be read: {message}. The operator has to mend it.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_missing_card_in_callers_language() {
        let near = ["蒼晶竜".to_owned(), "雪月花".to_owned()];
        let text =
            |near: &[String], is_japanese| message(("テーマ", "theme"), "青", near, is_japanese);
        assert_eq!(text(&near, true), "テーマ「青」はありません。近い名前: 蒼晶竜、雪月花。");
        assert_eq!(text(&near, false), "There is no theme \"青\". Close names: 蒼晶竜, 雪月花.");
        assert_eq!(text(&[], false), "There is no theme \"青\".");
    }

    #[test]
    fn every_source_error_has_its_code_and_advice_in_both_languages() {
        let host = "cards.example".to_owned();
        for (error, code, status) in [
            (failed("why"), "source_failed", 502),
            (SourceError::Limited { retry_after_s: 60 }, "source_limited", 503),
            (SourceError::Denied { host }, "source_denied", 500),
            (SourceError::File { message: "why".into() }, "source_unreadable", 500),
        ] {
            let mut messages = Vec::new();
            for is_japanese in [true, false] {
                let Stop::Refused(it) = stop_in(&error, is_japanese) else { panic!("{error:?}") };
                assert_eq!((&*it.code, it.status), (code, status));
                messages.push(it.message);
            }
            assert!(messages[0].contains('。') && messages[1].is_ascii(), "{messages:?}");
            assert!(!messages[0].contains("why"), "a technical reason is for the operator");
        }
    }
}
