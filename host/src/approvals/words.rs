//! What a person reads before they let a call happen.

use serde_json::{Map, Value};

use super::Approval;
use crate::{caller::Owner, clean, failure::shortened, language::Language, registry::Catalog};

/// Arguments that are told, and bytes of one.
const ARGUMENTS_MAX: usize = 20;
const ARGUMENT_BYTES_MAX: usize = 300;
const DESCRIPTION_BYTES_MAX: usize = 400;

/// A tool, as people are told of it.
pub(crate) struct Described {
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) schema: Map<String, Value>,
    /// The component's or the other server's name.
    pub(crate) owner: String,
    pub(crate) is_destructive: bool,
}

impl Described {
    /// The tool of that name as it is now.
    pub(crate) fn of(catalog: &Catalog, tool: &str, language: Language) -> Option<Self> {
        if let Some(served) = catalog.served().tool(tool) {
            let listed = &served.listed;
            let hints = listed.annotations.as_ref();
            return Some(Self {
                title: listed.title.clone(),
                description: listed.description.as_deref().unwrap_or_default().to_owned(),
                schema: (*listed.input_schema).clone(),
                owner: served.server_name().to_owned(),
                is_destructive: hints.and_then(|it| it.destructive_hint) != Some(false),
            });
        }
        let (owner, own) = catalog.offers().find(|(_, it)| *it.name == *tool)?;
        let words = own.words(language.tag());
        let (Owner::Component(owner) | Owner::Server(owner)) = owner;
        Some(Self {
            title: words.title,
            description: words.description,
            schema: (*words.input_schema).clone(),
            owner: owner.to_owned(),
            is_destructive: own.hints.destructive,
        })
    }

    /// What the person knows the argument of that name by.
    fn label<'a>(&'a self, name: &'a str) -> &'a str {
        let property = self.schema.get("properties").and_then(|it| it.get(name));
        let text = |field: &str| property?.get(field)?.as_str().filter(|it| !it.trim().is_empty());
        text("title").or_else(|| text("description").map(first_sentence)).unwrap_or(name)
    }
}

impl Approval {
    /// What happens if the person lets it: the tool, what it does, with what, and why.
    pub(crate) fn words(&self, catalog: &Catalog, language: Language) -> String {
        let described = Described::of(catalog, &self.tool, language);
        let tool = &self.tool;
        let title = described.as_ref().and_then(|it| it.title.as_deref()).unwrap_or(tool);
        let owner = described.as_ref().map_or("", |it| it.owner.as_str());
        let mut lines = vec![language.pick(
            format!("「{title}」（{owner}の{tool}）を実行してよいですか？"),
            format!("May “{title}” ({tool} of {owner}) be run?"),
        )];
        if let Some(it) = &described {
            let what = first_sentence(&it.description).to_owned();
            lines.push(shortened(clean::text(&what), DESCRIPTION_BYTES_MAX));
        }
        for (name, value) in self.arguments.iter().take(ARGUMENTS_MAX) {
            let label = described.as_ref().map_or(name.as_str(), |it| it.label(name));
            lines.push(format!(
                "{}: {}",
                shortened(clean::text(label), 120),
                told(value, language)
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
            let reason = &self.reason;
            lines.push(language.pick(format!("理由: {reason}"), format!("Why: {reason}")));
        }
        lines.retain(|it| !it.trim().is_empty());
        lines.join("\n")
    }
}

/// `value` as a person reads it.
fn told(value: &Value, language: Language) -> String {
    let text = match value {
        Value::String(text) => clean::text(text),
        Value::Array(all) if all.iter().all(|it| !it.is_array() && !it.is_object()) => {
            let each = all.iter().map(|it| told(it, language)).collect::<Vec<_>>();
            each.join(language.pick("、", ", "))
        }
        other => clean::text(&other.to_string()),
    };
    shortened(text, ARGUMENT_BYTES_MAX)
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let end = line.find('。').map(|it| it + '。'.len_utf8());
    let end = end.or_else(|| line.find(". ").map(|it| it + 1));
    end.map_or(line, |it| &line[..it])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_first_sentence_only() {
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
    fn tells_lists_as_words_and_cuts_what_is_long() {
        let list = serde_json::json!(["A1", "A2"]);
        assert_eq!(told(&list, Language::Japanese), "A1、A2");
        let long = told(&Value::String("あ".repeat(1_000)), Language::English);
        assert!(long.len() <= ARGUMENT_BYTES_MAX + '…'.len_utf8() && long.ends_with('…'));
    }
}
