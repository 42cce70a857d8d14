//! How an agent that was sent to ask something begins, and how it thanks.

use language::{Language, scan::marks};

/// What a purpose ends with that is a sentence already.
const SENTENCES: &str = "。|？|?|！|!|.|ください|下さい|ますか|ですか|かな";
/// Deeds at the end of a purpose, which the opening asks for instead.
const DEEDS: &str = "を聞く|を聞いて|を尋ねる|を尋ねて|を教えてもらう|を確認する|を確認|を調べる|を調べて|を教えて|を知る|について聞く|について相談|について話す|について話して|について|の確認|の質問";

/// The first message of an agent that began a conversation for `purpose`.
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
            let deed = marks(DEEDS).find(|it| purpose.ends_with(it));
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

/// `text`, after who it is that speaks.
pub(super) fn introduced(name: &str, text: &str, language: Language) -> String {
    language.pick(
        format!("内蔵モデルの{name}です。{text}"),
        format!("This is {name}, played by the built-in model. {text}"),
    )
}

/// What another one like this says behind its introduction, which asks for nothing.
pub(super) fn plain(text: &str) -> &str {
    let japanese = text.strip_prefix("内蔵モデルの").and_then(|it| it.split_once("です。"));
    let english = text.split_once(", played by the built-in model. ");
    japanese.or(english).map_or(text, |it| it.1)
}

/// The last message, once there is an answer.
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
    fn a_purpose_is_asked_for_in_a_sentence() {
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
            assert_eq!(plain(&introduced("Worker", "やあ。です。", language)), "やあ。です。");
        }
        assert_eq!(plain("明日の映画は？"), "明日の映画は？");
    }
}
