//! `form_guide`: when and how agents ask by a form (FORM-80).

use output::{form::TYPES, text::is_blank};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    Stop, Text, User,
    prompt::{Messages, Prompt},
};

use crate::refusals::say;

/// The specification's skill, extended by the available look-ups and our additions.
const SKILL: &str = include_str!("guide/skill.md");
/// Reference of definitions, in Japanese and in English.
const REFERENCE: [&str; 2] =
    [include_str!("guide/reference.ja.txt"), include_str!("guide/reference.en.txt")];
/// The types of fields, in the order of the guide: name, own properties in short, and the same with defaults and the
/// value's shape, each in Japanese and in English.
const GUIDE: &str = include_str!("guide/types.tsv");
/// Maximum characters of a purpose.
const PURPOSE_CHARS_MAX: usize = 2_000;

/// フォームでユーザーに入力を求めるときの使用ガイドライン。
/// en: When and how to ask the user by a form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormGuide {
    /// 任意。何のために入力を求めるか
    /// en: Optional. What the input is for
    purpose: Option<String>,
}

impl Prompt for FormGuide {
    const NAME: &str = "form_guide";
    const TITLE: Text = Text { ja: "フォーム使用ガイド", en: "How to ask by a form" };
    const META: Option<&str> = Some(include_str!("guide/meta.json"));

    fn get(self, _: &User) -> Result<Messages, Stop> {
        let messages = Messages::new().about(say(
            "フォームでユーザーに入力を求めるときの使用ガイドライン。",
            "When and how to ask the user by a form.",
        ));
        let guide = messages.user(guide());
        let Some(purpose) = self.purpose.filter(|it| !is_blank(it)) else {
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

/// A type of field, as agents read about it.
struct Type {
    name: &'static str,
    /// Its own properties in short, in Japanese and English.
    brief: [&'static str; 2],
    /// The same with defaults and the value's shape.
    guide: [&'static str; 2],
}

fn all_types() -> impl Iterator<Item = Type> {
    GUIDE.lines().map(|line| {
        let mut cells = line.split('\t');
        let [name, japanese, english, long_japanese, long_english] =
            std::array::from_fn(|_| cells.next().unwrap_or_default());
        Type { name, brief: [japanese, english], guide: [long_japanese, long_english] }
    })
}

/// The names of the types, in the order of the guide.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all_types().map(|it| it.name)
}

/// Lists the types with their properties in short, in Japanese (0) or English (1); types with equal
/// properties share a line.
pub(crate) fn types(language: usize) -> String {
    let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
    for it in all_types() {
        let brief = it.brief[language];
        match lines.iter_mut().find(|line| line.0 == brief) {
            Some(line) => line.1.push(it.name),
            None => lines.push((brief, vec![it.name])),
        }
    }
    let line = |(brief, names): &(&str, Vec<&str>)| match brief.is_empty() {
        true => format!("  {}", names.join(", ")),
        false => format!("  {}: {brief}", names.join(", ")),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the guide with the reference.
pub fn guide() -> String {
    let count = TYPES.len().to_string();
    let [japanese, english] = [0, 1].map(|language: usize| {
        let line = |it: Type| format!("    {}: {}", it.name, it.guide[language]);
        let types = all_types().map(line).collect::<Vec<_>>().join("\n");
        REFERENCE[language].replace("{count}", &count).replace("{types}", &types)
    });
    let (heading, reference) =
        (say("### フォームの定義", "### A form's definition"), say(&japanese, &english));
    format!("{}\n\n{heading}\n\n{}", SKILL.trim_end(), reference.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guide_has_each_type_of_field() {
        let mut names: Vec<_> = names().collect();
        names.sort_unstable();
        assert_eq!(names, TYPES);
        assert!(all_types().all(|it| it.guide.iter().all(|text| !text.is_empty())));
    }
}
