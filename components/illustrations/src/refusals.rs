//! Refusals where there is no such card and no such theme (ILL-4).

use language::say::short;
use serde_json::json;
use toolkit::{Stop, caller, refused};

/// Whether the caller reads Japanese; without a language the answer is in English.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_missing_in_the_callers_language() {
        let near = ["蒼晶竜".to_owned(), "雪月花".to_owned()];
        let text =
            |near: &[String], is_japanese| message(("テーマ", "theme"), "青", near, is_japanese);
        assert_eq!(text(&near, true), "テーマ「青」はありません。近い名前: 蒼晶竜、雪月花。");
        assert_eq!(text(&near, false), "There is no theme \"青\". Close names: 蒼晶竜, 雪月花.");
        assert_eq!(text(&[], false), "There is no theme \"青\".");
    }
}
