//! The tools `search_tools` and `describe_tool`, offered in place of a long list for toolsets that are searched. Tools
//! found are called by their own names (SYS-12).

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use super::refused;
use base::{
    call::CallRequest,
    caller::Caller,
    failure::shortened,
    language::Language,
    tool_set::{Hints, Owner},
    toolsets::Toolset,
};
use registry::Catalog;
use sandbox::{
    component::{CallError, Output, Problem, Stop},
    definition::{Audience, Localized, Shown, TaskUse, Tool, Viewer, is_own_page},
};

mod search;

use search::Query;

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
