//! First and last messages of an agent that asks for its purpose.

use language::{Language, scan::marks};

/// Endings of a purpose that is a sentence already.
const SENTENCES: &str = "。|？|?|！|!|.|ください|下さい|ますか|ですか|かな";
/// Verbs at the end of a purpose, which the opening replaces by a question.
const PURPOSE_TAILS: &str = "を聞く|を聞いて|を尋ねる|を尋ねて|を教えてもらう|を確認する|を確認|を調べる|を調べて|を教えて|を知る|について聞く|について相談|について話す|について話して|について|の確認|の質問";

/// Returns the first message of an agent that began a conversation for `purpose`.
pub(super) fn opening(purpose: Option<&str>, language: Language) -> String {
    let Some(purpose) = purpose.map(str::trim).filter(|it| !it.is_empty()) else {
        return language
            .pick("お話ししましょう。何ができますか？", "Let us talk. What can you do?")
            .to_owned();
    };
    if marks(SENTENCES).any(|it| purpose.ends_with(it)) {
        return purpose.to_owned();
    }
    match language {
        Language::Japanese => {
            let deed = marks(PURPOSE_TAILS).find(|it| purpose.ends_with(it));
            let about = deed.map_or(purpose, |it| &purpose[..purpose.len() - it.len()]);
            format!("{about}について教えてください。")
        }
        Language::English => {
            let lower = purpose.to_lowercase();
            let question = [
                "what", "which", "when", "where", "who", "how", "is ", "are ", "do ", "does ",
                "can ",
            ];
            match question.iter().any(|it| lower.starts_with(it)) {
                true => format!("{purpose}?"),
                false => format!("Please tell me about {purpose}."),
            }
        }
    }
}

/// Prefixes `text` with the agent's introduction.
pub(super) fn with_introduction(name: &str, text: &str, language: Language) -> String {
    language.pick(
        format!("内蔵モデルの{name}です。{text}"),
        format!("This is {name}, played by the built-in model. {text}"),
    )
}

/// Removes the introduction of another scripted agent from `text`.
pub(super) fn without_introduction(text: &str) -> &str {
    let japanese = text.strip_prefix("内蔵モデルの").and_then(|it| it.split_once("です。"));
    let english = text.split_once(", played by the built-in model. ");
    japanese.or(english).map_or(text, |it| it.1)
}

/// Returns the last message, after an answer.
pub(super) fn thanks(language: Language) -> &'static str {
    language.pick(
        "ありがとうございました。よく分かりました。会話を終了します。",
        "Thank you, that is what I wanted to know. I end the conversation here.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_purpose_into_question() {
        for (purpose, expected) in [
            ("明日の映画", "明日の映画について教えてください。"),
            ("明日の映画を聞く", "明日の映画について教えてください。"),
            ("東京駅から横浜駅まで何分ですか", "東京駅から横浜駅まで何分ですか"),
            ("明日の映画を教えてください", "明日の映画を教えてください"),
        ] {
            assert_eq!(opening(Some(purpose), Language::Japanese), expected);
        }
        let english = |it| opening(Some(it), Language::English);
        assert_eq!(english("tomorrow's films"), "Please tell me about tomorrow's films.");
        assert_eq!(english("Which films are on tomorrow"), "Which films are on tomorrow?");
        assert!(opening(None, Language::English).ends_with('?'));
        for language in [Language::Japanese, Language::English] {
            assert_eq!(
                without_introduction(&with_introduction("Worker", "やあ。です。", language)),
                "やあ。です。"
            );
        }
        assert_eq!(without_introduction("明日の映画は？"), "明日の映画は？");
    }
}
