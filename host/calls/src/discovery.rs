//! The tools `search_tools` and `describe_tool`, offered in place of a long list for toolsets that are searched. Tools
//! found are called by their own names (SYS-12).

use std::sync::{Arc, LazyLock};

use base::{
    call::{CallRequest, shortened},
    caller::Caller,
    language::Language,
    toolsets::{Hints, Owner, Toolset},
};
use registry::Catalog;
use sandbox::{
    component::{CallError, Output, Problem, Stop},
    definition::{Audience, Localized, Shown, TaskUse, Tool, Viewer, is_own_page, texts},
};
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization;

use super::refused;

const SEARCH: &str = "search_tools";
const DESCRIBE: &str = "describe_tool";
/// Characters of a query.
const QUERY_CHARS_MAX: usize = 200;
/// Tools that one search finds: at most, and where the caller sets no number.
const LIMIT_MAX: u64 = 20;
const LIMIT: u64 = 5;
/// Maximum length of a description in search results, in bytes.
const DESCRIPTION_BYTES_MAX: usize = 240;
/// Names of arguments that are listed of one tool.
const ARGUMENTS_MAX: usize = 16;

/// The two, as they are listed.
static TOOLS: LazyLock<[Tool; 2]> = LazyLock::new(|| [search_tool(), describe_tool()]);

/// The two tools that find the others, as they are listed.
pub fn tools() -> &'static [Tool] {
    &*TOOLS
}

/// The toolset that `caller` searches, if they do: the server's own page always lists everything.
pub fn searched(caller: &Caller) -> Option<&Toolset> {
    let toolset = caller.toolset.as_deref().filter(|it| it.is_searched())?;
    (!is_own_page(&caller.client_capabilities)).then_some(toolset)
}

/// Tools that `caller` may list, with owners.
pub fn open<'a>(
    catalog: &'a Catalog,
    caller: &'a Caller,
    viewer: Viewer,
) -> impl Iterator<Item = (Owner<'a>, &'a Tool)> {
    catalog.offers().filter(move |(owner, tool)| {
        tool.audience.has(viewer) && caller.may_call(*owner, &tool.name, tool.hints)
    })
}

/// Answers a call of a discovery tool. `None` for other tools, or where the caller's toolset is not searched.
pub(super) fn answer(catalog: &Catalog, call: &CallRequest) -> Option<Result<Output, CallError>> {
    call.caller.toolset.as_ref().filter(|it| it.is_searched())?;
    let answer = match call.name.as_str() {
        SEARCH => found(catalog, call),
        DESCRIBE => described(catalog, call),
        _ => return None,
    };
    let output =
        |it: Value| Output { structured: Some(it.to_string()), content: Vec::new(), meta: None };
    Some(answer.map(output))
}

fn found(catalog: &Catalog, call: &CallRequest) -> Result<Value, CallError> {
    let arguments = arguments(call, &["query", "limit"])?;
    let query = text(&arguments, "query", QUERY_CHARS_MAX)?;
    let limit = match arguments.get("limit") {
        None | Some(Value::Null) => LIMIT,
        Some(limit) => {
            limit.as_u64().filter(|limit| (1..=LIMIT_MAX).contains(limit)).ok_or_else(|| {
                invalid("/limit", format!("must be a whole number from 1 to {LIMIT_MAX}"))
            })?
        }
    };
    let language = call.caller.language();
    let viewer = Viewer::from_capabilities(&call.caller.client_capabilities);
    let open: Vec<_> = open(catalog, &call.caller, viewer).map(|it| it.1).collect();
    let best = Query::read(&query).best(&open);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let tools: Vec<_> = best.iter().take(limit).map(|it| short(it, language)).collect();
    let mut answer = json!({ "tools": tools, "total": best.len() });
    if best.is_empty() {
        answer["hint"] = language
            .pick(
                "合うツールがありません。別の言葉や、少ない言葉で探してください。",
                "No tool fits. Search with other words, or with fewer.",
            )
            .into();
    }
    Ok(answer)
}

/// A short description of a tool for choosing.
fn short(tool: &Tool, language: Language) -> Value {
    let Localized { title, description, input_schema } = tool.localized(language.tag());
    let properties = input_schema.get("properties").and_then(Value::as_object);
    let names: Vec<_> = properties.into_iter().flat_map(Map::keys).take(ARGUMENTS_MAX).collect();
    let mut short = json!({
        "name": &*tool.name,
        "description": shortened(description, DESCRIPTION_BYTES_MAX),
        "arguments": names,
    });
    if let Some(title) = title {
        short["title"] = title.into();
    }
    short
}

fn described(catalog: &Catalog, call: &CallRequest) -> Result<Value, CallError> {
    let arguments = arguments(call, &["name"])?;
    let name = text(&arguments, "name", usize::MAX)?;
    let viewer = Viewer::from_capabilities(&call.caller.client_capabilities);
    let tool = open(catalog, &call.caller, viewer).find(|(_, it)| *it.name == *name);
    if let Some((_, tool)) = tool {
        return Ok(match catalog.served.tool(&tool.name) {
            Some(served) => served.listed.clone(),
            None => definition(tool, viewer, call.caller.language()),
        });
    }
    let similar = catalog.similar(&name, &call.caller);
    let near = match similar.as_slice() {
        [] => String::new(),
        names => format!(" Did you mean {}?", names.join(", ")),
    };
    let name = shortened(name, 128);
    let message = format!("There is no tool {name:?}; {SEARCH} finds tools by what they do.{near}");
    Err(refused("unknown_tool", 404, message, Some(json!({ "similar": similar }).to_string())))
}

/// The whole definition, as `tools/list` has it.
fn definition(tool: &Tool, viewer: Viewer, language: Language) -> Value {
    let Localized { title, description, input_schema } = tool.localized(language.tag());
    let mut whole = Map::new();
    whole.insert("name".to_owned(), (*tool.name).into());
    if let Some(title) = title {
        whole.insert("title".to_owned(), title.into());
    }
    whole.insert("description".to_owned(), description.into());
    whole.insert("inputSchema".to_owned(), Value::Object((*input_schema).clone()));
    if let Some(schema) = &tool.output_schema {
        whole.insert("outputSchema".to_owned(), Value::Object((**schema).clone()));
    }
    let annotations = json!({
        "readOnlyHint": tool.hints.read_only,
        "destructiveHint": tool.hints.destructive,
        "idempotentHint": tool.hints.idempotent,
        "openWorldHint": tool.hints.open_world,
    });
    whole.insert("annotations".to_owned(), annotations);
    let meta = viewer.meta(&tool.meta);
    if !meta.is_empty() {
        whole.insert("_meta".to_owned(), Value::Object(meta));
    }
    Value::Object(whole)
}

/// The arguments of `call`, which has no other than `names`.
fn arguments(call: &CallRequest, names: &[&str]) -> Result<Map<String, Value>, CallError> {
    let arguments: Map<String, Value> = serde_json::from_str(&call.arguments)
        .map_err(|_| invalid("", "must be an object".to_owned()))?;
    match arguments.keys().find(|it| !names.contains(&it.as_str())) {
        Some(other) => {
            let other = shortened(other.replace('~', "~0").replace('/', "~1"), 128);
            let message = format!("is no argument of {}; it takes {}", call.name, names.join(", "));
            Err(invalid(&format!("/{other}"), message))
        }
        None => Ok(arguments),
    }
}

/// The argument of that name: a text of 1 to `max` characters.
fn text(arguments: &Map<String, Value>, name: &str, max: usize) -> Result<String, CallError> {
    let text = arguments.get(name).and_then(Value::as_str);
    let text = text.filter(|it| !it.trim().is_empty() && it.chars().count() <= max);
    text.map(str::to_owned).ok_or_else(|| {
        let length =
            if max < usize::MAX { format!(" of 1 to {max} characters") } else { String::new() };
        invalid(&format!("/{name}"), format!("must be a text{length}"))
    })
}

fn invalid(pointer: &str, message: String) -> CallError {
    let problem = Problem { pointer: pointer.to_owned(), message };
    CallError::Stopped(Stop::InvalidArguments(vec![problem]))
}

fn search_tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What the tool should do, in a few words, Japanese or English",
                "minLength": 1,
                "maxLength": QUERY_CHARS_MAX,
            },
            "limit": {
                "type": "integer",
                "description": "How many to find at most",
                "minimum": 1,
                "maximum": LIMIT_MAX,
                "default": LIMIT,
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let tool = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "title": { "type": "string" },
            "description": { "type": "string" },
            "arguments": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["name", "description", "arguments"],
    });
    let output = json!({
        "type": "object",
        "properties": {
            "tools": { "type": "array", "items": tool },
            "total": { "type": "integer", "minimum": 0 },
            "hint": { "type": "string" },
        },
        "required": ["tools", "total"],
    });
    let texts = json!({
        "en": {
            "title": "Find tools",
            "description": "Finds the tools of this server that fit a few words, the best first. Call one that is found by its own name; describe_tool tells its arguments.",
        },
        "ja": {
            "title": "ツールを探す",
            "description": "このサーバーのツールを、目的を表す言葉で探します。見つかったツールはその名前で呼び出せます。引数は describe_tool で確かめられます。",
            "arguments": { "query": "してほしいこと（日本語か英語の短い言葉）", "limit": "最大の件数" },
        },
    });
    host_tool(SEARCH, texts, input, output)
}

fn describe_tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": { "name": { "type": "string", "description": "The tool's name", "minLength": 1 } },
        "required": ["name"],
        "additionalProperties": false,
    });
    let object = json!({ "type": "object" });
    let output = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "title": { "type": "string" },
            "description": { "type": "string" },
            "inputSchema": object,
            "outputSchema": object,
            "annotations": object,
        },
        "required": ["name", "inputSchema"],
    });
    let texts = json!({
        "en": {
            "title": "Describe a tool",
            "description": "Tells the whole definition of one tool: what it does, its arguments and its result as JSON Schema.",
        },
        "ja": {
            "title": "ツールの定義を読む",
            "description": "一つのツールの定義をすべて返します。説明と、引数・結果の JSON Schema です。",
            "arguments": { "name": "ツールの名前" },
        },
    });
    host_tool(DESCRIBE, texts, input, output)
}

/// A read-only tool of the host with localized texts.
fn host_tool(name: &str, texts: Value, input: Value, output: Value) -> Tool {
    let object = |value: Value| match value {
        Value::Object(it) => Arc::new(it),
        _ => Arc::default(),
    };
    let english = |what: &str| texts["en"][what].as_str().map(str::to_owned);
    Tool {
        name: name.into(),
        title: english("title"),
        description: english("description").unwrap_or_default(),
        input_schema: object(input),
        output_schema: Some(object(output)),
        hints: Hints { read_only: true, destructive: false, idempotent: true, open_world: false },
        meta: Map::from_iter([("madoguchi/text".to_owned(), texts)]),
        has_header_arguments: false,
        takes_unasked_answers: false,
        app: None,
        task: TaskUse::Never,
        audience: Audience::Models,
        shown: Shown::default(),
    }
}

// Searches names, titles, descriptions and arguments of tools, in Japanese and English. Rare terms weigh more.

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
struct Query(Vec<Term>);

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
    fn read(text: &str) -> Self {
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
    fn best<'a>(&self, tools: &[&'a Tool]) -> Vec<&'a Tool> {
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
        let mut tool = host_tool(name, texts, json!({ "properties": properties }), json!({}));
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
