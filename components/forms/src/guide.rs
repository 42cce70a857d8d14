//! `form_guide`: when to ask by a form and how, for agents (FORM-80).

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    English, Stop, Text, User,
    prompt::{Messages, Prompt},
};

use crate::refusals::say;

/// The skill of the specification, with the look-ups that there are and what we add.
const GUIDE: &str = include_str!("guide/skill.md");
/// Everything that a definition may say, in Japanese and in English.
const REFERENCE: [&str; 2] =
    [include_str!("guide/reference.ja.txt"), include_str!("guide/reference.en.txt")];
/// What a purpose may have.
const PURPOSE_CHARS_MAX: usize = 2_000;

/// フォームでユーザーに入力を求めるときの使用ガイドライン。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormGuide {
    /// 任意。何のために入力を求めるか
    purpose: Option<String>,
}

impl Prompt for FormGuide {
    const NAME: &str = "form_guide";
    const TITLE: Text = Text { ja: "フォーム使用ガイド", en: "How to ask by a form" };
    const ENGLISH: English = English {
        description: "When and how to ask the user by a form.",
        arguments: &[("purpose", "Optional. What the input is for")],
    };
    const META: Option<&str> = Some(include_str!("guide/meta.json"));

    fn get(self, _: &User) -> Result<Messages, Stop> {
        let messages = Messages::new().about(say(
            "フォームでユーザーに入力を求めるときの使用ガイドライン。",
            "When and how to ask the user by a form.",
        ));
        let guide = messages.user(guide());
        let Some(purpose) = self.purpose.filter(|it| !it.trim().is_empty()) else {
            return Ok(guide);
        };
        let purpose: String = purpose.chars().take(PURPOSE_CHARS_MAX).collect();
        let please = say(
            "次の目的のため、request_form でユーザーにフォーム入力を求めてください:",
            "Ask me by request_form for what this needs:",
        );
        Ok(guide.user(format!("{please} {purpose}")))
    }
}

/// When to ask by a form and how, and everything that a definition may say.
#[must_use]
pub fn guide() -> String {
    let [japanese, english] = REFERENCE;
    let (heading, reference) =
        (say("### フォームの定義", "### A form's definition"), say(japanese, english));
    format!("{}\n\n{heading}\n\n{}", GUIDE.trim_end(), reference.trim_end())
}
