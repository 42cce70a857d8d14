//! Lets the person choose between two components that are equally confident of a sentence.

use language::Language;
use serde::{Deserialize, Serialize};
use toolkit::dialogue::{Reply, Step};

use super::leads::PART_MIN;

/// Largest difference in confidence of two components that count as equal.
const CLOSE: f32 = 0.01;

/// A sentence, and the components that may be meant.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Offered {
    // Serialized as `wish` by earlier versions.
    #[serde(alias = "wish")]
    request: String,
    families: Vec<String>,
}

impl Offered {
    /// Returns the two most confident of `replies` with a question to the person, if they are equal, both
    /// would make a call, and neither led before.
    pub(super) fn detect(
        request: &str,
        replies: &[(String, Reply)],
        latest: Option<&str>,
        language: Language,
    ) -> Option<(Self, String)> {
        let mut order: Vec<_> = replies.iter().collect();
        order.sort_by(|one, other| other.1.confidence.total_cmp(&one.1.confidence));
        let [first, second, ..] = order[..] else { return None };
        let third = order.get(2).map_or(0.0, |it| it.1.confidence);
        let are_alike = first.1.confidence - second.1.confidence < CLOSE;
        let are_two = second.1.confidence - third >= CLOSE;
        if !are_alike || !are_two || second.1.confidence < PART_MIN {
            return None;
        }
        if [first, second].iter().any(|it| Some(it.0.as_str()) == latest) {
            return None;
        }
        let reason = |entry: &(String, Reply)| match &entry.1.step {
            Step::Calls(calls) => calls.first().map(|it| it.reason.clone()),
            Step::Answer(_) => None,
        };
        let (one, other) = (reason(first)?, reason(second)?);
        let ask = language.pick(
            "どちらのことでしょうか。番号で答えてください。",
            "Which of these do you mean? Please answer with its number.",
        );
        let families = vec![first.0.clone(), second.0.clone()];
        let offered = Self { request: request.to_owned(), families };
        Some((offered, format!("{ask}\n1. {one}\n2. {other}")))
    }

    /// Returns the sentence and the chosen component, if `message` names one.
    pub(super) fn chosen(self, message: &str) -> Option<(String, String)> {
        const FIRST: [&str; 7] = ["1", "１", "一", "最初", "前者", "first", "one"];
        const SECOND: [&str; 7] = ["2", "２", "二", "あと", "後者", "second", "two"];
        const CHARS_MAX: usize = 16;
        let message = message.trim().to_lowercase();
        if message.chars().count() > CHARS_MAX {
            return None;
        }
        let is = |words: [&str; 7]| words.iter().any(|it| message.contains(it));
        let at = match (is(FIRST), is(SECOND)) {
            (true, false) => 0,
            (false, true) => 1,
            _ => return None,
        };
        let family = self.families.into_iter().nth(at)?;
        Some((self.request, family))
    }
}

#[cfg(test)]
mod tests {
    use toolkit::dialogue::Call;

    use super::*;

    fn reply(family: &str, confidence: f32) -> (String, Reply) {
        let call = Call {
            id: "1".to_owned(),
            tool: "look".to_owned(),
            arguments: "{}".to_owned(),
            meta: "{}".to_owned(),
            reason: format!("{family} looks"),
        };
        let step = Step::Calls(vec![call]);
        (family.to_owned(), Reply { confidence, memory: "null".to_owned(), step })
    }

    fn of(replies: &[(String, Reply)], latest: Option<&str>) -> Option<(Offered, String)> {
        Offered::detect("snow", replies, latest, Language::English)
    }

    #[test]
    fn offers_equal_components_unless_one_led() {
        let (books, films) = (reply("books", 0.7), reply("films", 0.7));
        let both = [books.clone(), films.clone()];
        let (offered, question) = of(&both, None).unwrap();
        assert!(question.contains("1. books looks") && question.contains("2. films looks"));
        assert!(of(&both, Some("films")).is_none());
        assert!(of(&[books.clone(), reply("films", 0.6)], None).is_none());
        assert!(of(&[reply("books", 0.3), reply("films", 0.3)], None).is_none());
        assert!(of(&[books, films, reply("ways", 0.7)], None).is_none(), "no list of all");
        let choice_for = |message: &str| offered.clone().chosen(message).map(|it| it.1);
        assert_eq!(choice_for("2").as_deref(), Some("films"));
        assert_eq!(choice_for("最初の方").as_deref(), Some("books"));
        assert_eq!(choice_for("the second one, please").as_deref(), None, "it says more");
        assert_eq!(choice_for("１番").as_deref(), Some("books"));
        assert_eq!(choice_for("今日の映画").as_deref(), None);
    }
}
