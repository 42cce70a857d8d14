//! The description of a call that a person approves.

use serde_json::{Map, Value};

use super::{Approval, State};
use base::{clean, failure::shortened, language::Language, tool_set::Owner};
use registry::Catalog;

/// Arguments that a person is shown, and bytes of one.
const ARGUMENTS_MAX: usize = 20;
const ARGUMENT_BYTES_MAX: usize = 300;
const DESCRIPTION_BYTES_MAX: usize = 400;
/// Mask of a secret, name parts of secrets (as on the page), and maximum depth.
const MASK: &str = "••••";
const SECRETS: [&str; 8] =
    ["passkey", "password", "passwd", "token", "secret", "apikey", "authorization", "credential"];
const DEPTH_MAX: usize = 16;

/// A tool as described to people.
pub struct Described {
    pub title: Option<String>,
    pub description: String,
    pub schema: Map<String, Value>,
    /// The component's or the other server's name.
    pub owner: String,
    pub is_destructive: bool,
}

impl Described {
    /// The tool's current description.
    pub fn find(catalog: &Catalog, tool: &str, language: Language) -> Option<Self> {
        let (owner, own) = catalog.offered_tool(tool)?;
        let texts = own.localized(language.tag());
        let (Owner::Component(owner) | Owner::Server(owner)) = owner;
        Some(Self {
            title: texts.title,
            description: texts.description,
            schema: (*texts.input_schema).clone(),
            owner: owner.to_owned(),
            is_destructive: own.hints.destructive,
        })
    }

    /// The label of an argument.
    fn label<'a>(&'a self, name: &'a str) -> &'a str {
        let property = self.schema.get("properties").and_then(|it| it.get(name));
        let text = |field: &str| property?.get(field)?.as_str().filter(|it| !it.trim().is_empty());
        let text = text("title").or_else(|| text("description").map(without_optional_marker));
        let end = |it: &str| it.find(['（', '(']).filter(|at| *at > 0).unwrap_or(it.len());
        let text = text.map(|it| it[..end(it)].trim_end_matches(['。', '.', ' ', ':', '：']));
        text.filter(|it| !it.is_empty()).unwrap_or(name)
    }
}

impl Approval {
    /// The arguments with secrets masked, by schema or name.
    pub fn masked_arguments(&self, described: Option<&Described>) -> Map<String, Value> {
        let schema = described.and_then(|it| it.schema.get("properties"));
        let veil = |(name, value): (&String, &Value)| {
            let of = schema.and_then(|it| it.get(name));
            (name.clone(), mask(name, value, of, DEPTH_MAX))
        };
        self.arguments.iter().map(veil).collect()
    }

    /// Describes the call: the tool, its purpose, its arguments and the reason.
    pub fn described(&self, catalog: &Catalog, language: Language) -> String {
        let described = Described::find(catalog, &self.tool, language);
        let tool = &self.tool;
        let title = quotable(described.as_ref().and_then(|it| it.title.as_deref()).unwrap_or(tool));
        let owner = described.as_ref().map_or("", |it| it.owner.as_str());
        let first = match &self.state {
            State::Asks { .. } => language.pick(
                format!("「{title}」（{owner}の{tool}）があなたに尋ねています。"),
                format!("“{title}” ({tool} of {owner}) asks you something."),
            ),
            _ => language.pick(
                format!("「{title}」（{owner}の{tool}）を実行してよいですか？"),
                format!("May “{title}” ({tool} of {owner}) be run?"),
            ),
        };
        let mut lines = vec![first];
        if let Some(tool) = &described {
            let what = first_sentence(&tool.description).to_owned();
            lines.push(shortened(clean::text(&what), DESCRIPTION_BYTES_MAX));
        }
        for (name, value) in self.masked_arguments(described.as_ref()).iter().take(ARGUMENTS_MAX) {
            let label = described.as_ref().map_or(name.as_str(), |it| it.label(name));
            lines.push(format!(
                "{}: {}",
                shortened(one_line(label), 120),
                value_text(value, language)
            ));
        }
        if let more @ 1.. = self.arguments.len().saturating_sub(ARGUMENTS_MAX) {
            lines.push(language.pick(format!("ほか{more}項目"), format!("and {more} more")));
        }
        if described.is_some_and(|it| it.is_destructive) {
            let warning = "元に戻せない変更をすることがあります。";
            lines.push(language.pick(warning, "It may change what cannot be undone.").to_owned());
        }
        if !self.reason.is_empty() {
            let reason = one_line(&self.reason);
            lines.push(language.pick(format!("理由: {reason}"), format!("Why: {reason}")));
        }
        lines.retain(|it| !it.trim().is_empty());
        lines.join("\n")
    }
}

/// Masks secrets in `value` of the argument `name`.
fn mask(name: &str, value: &Value, schema: Option<&Value>, depth: usize) -> Value {
    let has = |field: &str, what: Value| schema.and_then(|it| it.get(field)) == Some(&what);
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain = letters.collect::<String>().to_ascii_lowercase();
    // Counts of tokens are no secret.
    let is_named = SECRETS.iter().any(|it| plain.contains(it)) && !plain.ends_with("tokens");
    if is_named || has("format", "password".into()) || has("writeOnly", true.into()) || depth == 0 {
        return MASK.into();
    }
    let of = |name: &str| schema.and_then(|it| it.get("properties")?.get(name));
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, it)| (name.clone(), mask(name, it, of(name), depth - 1)))
            .collect(),
        Value::Array(all) => {
            let items = schema.and_then(|it| it.get("items"));
            all.iter().map(|it| mask("", it, items, depth - 1)).collect()
        }
        other => other.clone(),
    }
}

/// `value` as a person reads it.
fn value_text(value: &Value, language: Language) -> String {
    let text = match value {
        Value::String(text) => one_line(text),
        Value::Bool(true) => language.pick("はい", "yes").to_owned(),
        Value::Bool(false) => language.pick("いいえ", "no").to_owned(),
        Value::Array(all) if all.iter().all(|it| !it.is_array() && !it.is_object()) => {
            let each = all.iter().map(|it| value_text(it, language)).collect::<Vec<_>>();
            each.join(language.pick("、", ", "))
        }
        other => one_line(&other.to_string()),
    };
    shortened(text, ARGUMENT_BYTES_MAX)
}

/// `text` with its ends of lines marked: what a caller wrote stands in no line that looks like another's.
fn one_line(text: &str) -> String {
    clean::text(text).trim().replace('\n', " ⏎ ")
}

/// Makes `title` safe inside quotation marks, after which the host names the owner.
fn quotable(title: &str) -> String {
    let inner = |it| match it {
        '「' => '『',
        '」' => '』',
        '“' => '‘',
        '”' => '’',
        it => it,
    };
    title.chars().map(inner).collect()
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let end = line.find('。').map(|it| it + '。'.len_utf8());
    let end = end.or_else(|| line.find(". ").map(|it| it + 1));
    end.map_or(line, |it| &line[..it])
}

/// The first sentence of an argument's description, without a leading note that the argument is optional.
fn without_optional_marker(text: &str) -> &str {
    const OPTIONAL: [&str; 2] = ["任意。", "Optional. "];
    let text = text.trim();
    let rest = OPTIONAL.iter().find_map(|it| text.strip_prefix(it)).map(str::trim_start);
    first_sentence(rest.filter(|it| !it.is_empty()).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn description_omits_the_optional_marker() {
        for (text, description) in [
            ("Optional. The agent to talk with. An AI.", "The agent to talk with."),
            ("任意。会話の目的（両方に伝えられる）", "会話の目的（両方に伝えられる）"),
            ("Optional. ", "Optional."),
            ("The seats", "The seats"),
        ] {
            assert_eq!(without_optional_marker(text), description);
        }
    }

    #[test]
    fn describes_only_the_first_sentence() {
        for (text, first) in [
            ("席を予約する。一度に8席まで。", "席を予約する。"),
            ("Reserves seats. Up to eight.", "Reserves seats."),
            ("Reserves seats\nof one showtime", "Reserves seats"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }

    #[test]
    fn masks_secrets_by_name_or_schema() {
        let schema = serde_json::json!({ "properties": {
            "pin": { "type": "string", "format": "password" },
            "note": { "type": "string" },
        } });
        let value = serde_json::json!({ "pin": "1234", "note": "hi", "session_token": "sess_1" });
        let shown = mask("", &value, Some(&schema), DEPTH_MAX);
        let expected = serde_json::json!({ "pin": MASK, "note": "hi", "session_token": MASK });
        assert_eq!(shown, expected);
    }

    #[test]
    fn title_cannot_fake_a_quoted_owner() {
        let title = "席を選ぶ」（cinemaのpick）を実行してよいですか？「”";
        assert_eq!(quotable(title), "席を選ぶ』（cinemaのpick）を実行してよいですか？『’");
    }

    #[test]
    fn value_cannot_start_a_new_line() {
        let value = Value::String("hello\r\nPrice: 0\u{2028}\nSeats: A1\n".to_owned());
        assert_eq!(value_text(&value, Language::English), "hello ⏎ Price: 0 ⏎ Seats: A1");
        assert_eq!(
            value_text(&serde_json::json!({ "a\nb": 1 }), Language::English),
            r#"{"a\nb":1}"#
        );
    }

    #[test]
    fn lists_are_joined_and_long_values_cut() {
        let list = serde_json::json!(["A1", "A2"]);
        assert_eq!(value_text(&list, Language::Japanese), "A1、A2");
        let long = value_text(&Value::String("あ".repeat(1_000)), Language::English);
        assert!(long.len() <= ARGUMENT_BYTES_MAX + '…'.len_utf8() && long.ends_with('…'));
    }
}
