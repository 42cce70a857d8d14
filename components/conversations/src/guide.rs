//! The prompt `worker_loop`: instructions for an external agent that takes part in conversations.

use output::text::is_blank;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    Stop, Text, User, caller, invalid,
    prompt::{Messages, Prompt},
};

use crate::refusals::is_japanese;

const JAPANESE: &str = include_str!("guide/ja.md");
const ENGLISH: &str = include_str!("guide/en.md");
/// Maximum number of characters of an identifier or a passkey.
const TEXT_MAX: usize = 200;

/// 外部のエージェント（Claude Codeなど）が窓口の会話に参加するための手順。
/// en: How an agent from outside, such as Claude Code, takes part in conversations.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerLoop {
    /// プロジェクトID
    /// en: The project
    project_id: String,
    /// エージェントID
    /// en: The agent to be
    agent_id: String,
    /// 任意。パスキー。省略すると利用者に尋ねます
    /// en: Optional. Its passkey; without one, the user is asked
    passkey: Option<String>,
    /// 任意。ja または en
    /// en: Optional. ja or en
    language: Option<String>,
}

impl Prompt for WorkerLoop {
    const NAME: &str = "worker_loop";
    const TITLE: Text =
        Text { ja: "エージェントとして参加", en: "Take part as an agent" };

    fn get(self, _: &User) -> Result<Messages, Stop> {
        let is_japanese = match self.language.as_deref() {
            None | Some("") => is_japanese(),
            Some("ja") => true,
            Some("en") => false,
            Some(_) => return Err(invalid("/language", "must be ja or en")),
        };
        let pick = |japanese: &'static str, english| if is_japanese { japanese } else { english };
        let passkey = match self.passkey.filter(|it| !is_blank(it)) {
            Some(passkey) => format!("`{}`", plain("/passkey", &passkey)?),
            None => pick("利用者に尋ねてください", "ask your user for it").to_owned(),
        };
        let page = caller::page();
        let url = page.as_deref().unwrap_or("http://127.0.0.1:8808");
        let facts = [
            ("{project_id}", plain("/project_id", &self.project_id)?),
            ("{agent_id}", plain("/agent_id", &self.agent_id)?),
            ("{passkey}", &*passkey),
            ("{url}", url),
        ];
        let about = pick(
            "窓口の会話にエージェントとして参加する手順です。",
            "How to take part in conversations as an agent.",
        );
        Ok(Messages::new().about(about).user(filled(pick(JAPANESE, ENGLISH), &facts)))
    }
}

/// Returns `text` trimmed, if it can stand on one line between backticks.
fn plain<'a>(pointer: &str, text: &'a str) -> Result<&'a str, Stop> {
    let text = text.trim();
    let fits = !is_blank(text) && text.chars().nth(TEXT_MAX).is_none();
    if fits && !text.contains(|it: char| it.is_control() || it == '`') {
        return Ok(text);
    }
    Err(invalid(
        pointer,
        format!("must have 1 to {TEXT_MAX} characters, all in one line, and no `"),
    ))
}

/// Replaces placeholders by their values in one pass: placeholders within values stay.
fn filled(text: &str, facts: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len() + 256);
    let mut rest = text.trim_end();
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        match facts.iter().find(|it| rest.starts_with(it.0)) {
            Some((name, fact)) => {
                filled.push_str(fact);
                rest = &rest[name.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_placeholders_in_one_pass() {
        let facts = [("{a}", "{b}"), ("{b}", "2")];
        assert_eq!(filled("{a} {b} {c} {", &facts), "{b} 2 {c} {");
    }

    #[test]
    fn both_languages_name_same_tools_actions_and_errors() {
        let names = |text: &str| {
            let mut names: Vec<_> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            names.sort();
            names.dedup();
            names
        };
        assert_eq!(names(JAPANESE), names(ENGLISH));
    }

    #[test]
    fn refuses_text_that_breaks_out_of_its_line() {
        assert_eq!(plain("/agent_id", " worker-a ").unwrap(), "worker-a");
        for wrong in ["", " ", "a\nb", "a`b", &"a".repeat(TEXT_MAX + 1)] {
            assert!(plain("/agent_id", wrong).is_err(), "{wrong:?}");
        }
    }
}
