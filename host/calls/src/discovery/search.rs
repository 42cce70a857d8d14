//! Searches names, titles, descriptions and arguments of tools, in Japanese and English. Rare terms weigh more.

use sandbox::definition::{Tool, texts};
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

/// Terms of a query that are looked for.
const TERMS_MAX: usize = 32;
/// Bytes of a text that are searched.
const TEXT_BYTES_MAX: usize = 2 << 10;
/// Minimum length of a prefix and of a stem.
const PREFIX_MIN: usize = 3;
const STEM_MIN: usize = 4;
/// Words of a query that describe no tool.
const STOP_WORDS: [&str; 34] = [
    "a", "an", "and", "are", "at", "by", "can", "do", "find", "for", "from", "how", "i", "in",
    "is", "it", "me", "my", "need", "of", "on", "or", "please", "that", "the", "this", "to",
    "tool", "tools", "want", "what", "which", "with", "you",
];
/// Suffixes removed for stemming.
const SUFFIXES: [&str; 7] = ["s", "es", "ed", "ing", "ings", "ation", "ations"];

/// The terms that are looked for.
pub(super) struct Query(Vec<Term>);

struct Term {
    text: String,
    /// Weight of a match.
    weight: f64,
    /// Whether it is a spaced word rather than characters of an unspaced script.
    is_word: bool,
}

/// Script of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Word,
    Han,
    Katakana,
    Hiragana,
    None,
}

impl Script {
    fn of_character(character: char) -> Self {
        match character {
            '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '々' => Self::Han,
            '\u{30a1}'..='\u{30fa}' | 'ー' => Self::Katakana,
            '\u{3041}'..='\u{3096}' => Self::Hiragana,
            _ if character.is_alphanumeric() => Self::Word,
            _ => Self::None,
        }
    }
}

/// `text` with wide and narrow forms alike and in lower case, and `camelCase` in two words.
fn folded(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let mut folded = String::with_capacity(text.len());
    let mut was_lower = false;
    for character in text.nfkc() {
        if was_lower && character.is_uppercase() {
            folded.push(' ');
        }
        was_lower = character.is_lowercase();
        folded.extend(character.to_lowercase());
    }
    folded
}

/// Characters of one script that stand together.
fn runs(text: &str) -> Vec<(Script, String)> {
    let mut runs: Vec<(Script, String)> = Vec::new();
    for character in text.chars() {
        let script = Script::of_character(character);
        match runs.last_mut().filter(|run| run.0 == script) {
            Some((_, run)) => run.push(character),
            None => runs.push((script, character.to_string())),
        }
    }
    runs.retain(|it| it.0 != Script::None);
    runs
}

/// Pairs of adjacent characters.
fn pairs(run: &str) -> impl Iterator<Item = String> {
    let all: Vec<_> = run.chars().collect();
    all.windows(2).map(String::from_iter).collect::<Vec<_>>().into_iter()
}

impl Query {
    pub(super) fn read(text: &str) -> Self {
        let mut runs = runs(&folded(text));
        runs.retain(|(_, run)| !STOP_WORDS.contains(&run.as_str()));
        // Endings and particles, where there is anything else.
        let has_telling = runs.iter().any(|it| it.0 != Script::Hiragana);
        let mut terms = Vec::new();
        for (script, run) in runs {
            if has_telling && script == Script::Hiragana {
                continue;
            }
            let term = |text, weight| Term { text, weight, is_word: script == Script::Word };
            match (script, run.chars().count()) {
                (Script::Word | Script::Katakana, _) => terms.push(term(run, 1.0)),
                (Script::Han, 1) => terms.push(term(run, 0.6)),
                (_, 1) => {}
                (_, 2) => terms.push(term(run, 1.0)),
                (_, count) => {
                    let weight = 1.5 / (count as f64 - 1.0);
                    terms.extend(pairs(&run).map(|it| term(it, weight)));
                }
            }
        }
        terms.truncate(TERMS_MAX);
        Self(terms)
    }

    /// Matching tools, best first. Ties keep their order.
    pub(super) fn best<'a>(&self, tools: &[&'a Tool]) -> Vec<&'a Tool> {
        let hits: Vec<Vec<f64>> = tools.iter().map(|it| self.hits(it)).collect();
        let count = tools.len() as f64;
        let weights = self.0.iter().enumerate().map(|(at, term)| {
            let having = hits.iter().filter(|it| it[at] > 0.0).count() as f64;
            // Rare terms weigh more (BM25).
            term.weight * (1.0 + (count - having + 0.5) / (having + 0.5)).ln()
        });
        let weights: Vec<_> = weights.collect();
        let score = |hits: &[f64]| {
            let hit = hits.iter().filter(|it| **it > 0.0).count() as f64;
            let sum: f64 = hits.iter().zip(&weights).map(|(hit, weight)| hit * weight).sum();
            sum * (1.0 + hit / hits.len().max(1) as f64)
        };
        let mut best: Vec<_> =
            tools.iter().zip(&hits).map(|(tool, hits)| (score(hits), *tool)).collect();
        best.retain(|it| it.0 > 0.0);
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.into_iter().map(|it| it.1).collect()
    }

    /// Match quality of each term in `tool`.
    fn hits(&self, tool: &Tool) -> Vec<f64> {
        let fields = fields(tool);
        let hit = |term: &Term| fields.iter().map(|(weight, it)| weight * term.hit(it)).sum();
        self.0.iter().map(hit).collect()
    }
}

/// Searched texts of a tool with weights.
fn fields(tool: &Tool) -> Vec<(f64, String)> {
    let mut fields = vec![(5.0, folded(&tool.name))];
    let own = [tool.title.as_deref(), Some(tool.description.as_str())];
    let translated = ["ja", "en"].map(|language| {
        let texts = texts(&tool.meta, language);
        let text = |what: &str| texts?.get(what)?.as_str();
        [text("title"), text("description")]
    });
    for [title, description] in [own].into_iter().chain(translated) {
        for (weight, text) in [(3.0, title), (1.0, description)] {
            let text = folded(text.unwrap_or_default());
            // A tool's own texts are those of one of the languages.
            if !text.is_empty() && fields.iter().all(|it| it.1 != text) {
                fields.push((weight, text));
            }
        }
    }
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    for name in properties.into_iter().flat_map(Map::keys).take(64) {
        fields.push((1.0, folded(name)));
    }
    fields
}

impl Term {
    /// Match quality of the term in `text`, from 0 to 1.
    fn hit(&self, text: &str) -> f64 {
        if !self.is_word {
            return if text.contains(&self.text) { 1.0 } else { 0.0 };
        }
        let whole = word(text, &self.text);
        if whole > 0.0 {
            return whole;
        }
        let stems = SUFFIXES.iter().filter_map(|it| self.text.strip_suffix(it));
        let mut stems = stems.filter(|it| it.len() >= STEM_MIN);
        if stems.any(|it| word(text, it) > 0.0) { 0.7 } else { 0.0 }
    }
}

/// Match quality of `word` among the words of `text`, as a whole or a prefix.
fn word(text: &str, word: &str) -> f64 {
    let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    let mut best = 0.0_f64;
    for (at, found) in text.match_indices(word) {
        let before = text[..at].chars().next_back();
        // Words of the two kinds of script stand side by side without a space.
        if is_letter(before) && before.map(Script::of_character) == Some(Script::Word) {
            continue;
        }
        let after = text[at + found.len()..].chars().next();
        if after.map(Script::of_character) != Some(Script::Word) {
            return 1.0;
        }
        if word.chars().count() >= PREFIX_MIN {
            best = 0.8;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn tool(name: &str, (ja, en): (&str, &str), arguments: &[&str]) -> Tool {
        let properties: Map<String, Value> =
            arguments.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" }))).collect();
        let texts = json!({ "ja": { "description": ja }, "en": { "description": en } });
        let mut tool =
            super::super::host_tool(name, texts, json!({ "properties": properties }), json!({}));
        tool.input_schema =
            Arc::new(json!({ "properties": properties }).as_object().unwrap().clone());
        tool.title = None;
        tool
    }

    fn shop() -> Vec<Tool> {
        vec![
            tool(
                "list_books",
                ("本の一覧を返します。", "Lists the books of the shop."),
                &["genre"],
            ),
            tool("reserve_table", ("席を予約します。", "Reserves a table."), &["day", "guests"]),
            tool("cancelBooking", ("予約を取り消します。", "Cancels a reservation."), &["code"]),
            tool("plan_route", ("経路を探します。シアターまで。", "Plans a way."), &["from", "to"]),
        ]
    }

    fn found(query: &str) -> Vec<String> {
        let shop = shop();
        let all: Vec<_> = shop.iter().collect();
        Query::read(query).best(&all).iter().map(|it| it.name.to_string()).collect()
    }

    #[test]
    fn finds_by_name_description_and_argument_in_both_languages() {
        for (query, first) in [
            ("list books", "list_books"),
            ("LIST_BOOKS", "list_books"),
            ("ｌｉｓｔ＿ｂｏｏｋｓ", "list_books"),
            ("reservation of a table", "reserve_table"),
            ("cancel my booking", "cancelBooking"),
            ("席を予約したい", "reserve_table"),
            ("予約の取り消し", "cancelBooking"),
            ("ｼｱﾀｰへの行き方", "plan_route"),
            ("経路", "plan_route"),
            ("guests", "reserve_table"),
            ("genres", "list_books"),
        ] {
            assert_eq!(
                found(query).first().map(String::as_str),
                Some(first),
                "{query}: {:?}",
                found(query)
            );
        }
    }

    #[test]
    fn unrelated_query_finds_nothing() {
        for query in ["weather", "天気", "?!", "the", "ook", "able"] {
            assert_eq!(found(query), [""; 0], "{query}");
        }
    }

    #[test]
    fn bounds_terms_of_a_query() {
        let query: String = (0..200).map(|it| format!("word{it} ")).collect();
        assert!(Query::read(&query).0.len() <= TERMS_MAX);
    }
}
