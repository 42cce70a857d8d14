//! MCP messages as used by the page, parsed by hand and leniently.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::cards;
use crate::error::{CallError, Refusal};
use crate::text::Lang;

/// An entry of `tools/list`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Value,
    pub(crate) annotations: Annotations,
    pub(crate) meta: Map<String, Value>,
}

/// A tool's label and description of an argument, beyond its schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Explained {
    pub(crate) label: Option<String>,
    pub(crate) help: Option<String>,
}

/// Hints about the effects of a call. Missing ones mean the worst case.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Annotations {
    pub(crate) title: Option<String>,
    pub(crate) read_only_hint: bool,
    pub(crate) destructive_hint: Option<bool>,
}

/// A text of an object by name.
fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

impl Tool {
    pub(crate) fn parse(listed: &Value) -> Self {
        let value = |name: &str| listed.get(name).cloned().unwrap_or_default();
        let hints = &listed["annotations"];
        Self {
            name: text(listed, "name").unwrap_or_default(),
            title: text(listed, "title"),
            description: text(listed, "description"),
            input_schema: value("inputSchema"),
            output_schema: value("outputSchema"),
            annotations: Annotations {
                title: text(hints, "title"),
                read_only_hint: hints["readOnlyHint"] == true,
                destructive_hint: hints["destructiveHint"].as_bool(),
            },
            meta: listed["_meta"].as_object().cloned().unwrap_or_default(),
        }
    }

    /// The title in a language.
    pub(crate) fn title(&self, lang: Lang) -> String {
        let own = self.text(lang).and_then(|text| text.get("title")).and_then(Value::as_str);
        let title = own.or(self.title.as_deref()).or(self.annotations.title.as_deref());
        title.unwrap_or(&self.name).to_owned()
    }

    /// The description in a language.
    pub(crate) fn description(&self, lang: Lang) -> String {
        let own = self.text(lang).and_then(|text| text.get("description")).and_then(Value::as_str);
        own.or(self.description.as_deref()).unwrap_or_default().to_owned()
    }

    /// Its Japanese title as kana.
    pub(crate) fn reading(&self) -> Option<&str> {
        self.text(Lang::Ja)?.get("reading")?.as_str()
    }

    /// Label and description of an argument, in the tool's language version beyond its schema, else the schema's.
    pub(crate) fn argument(&self, lang: Lang, name: &str) -> Explained {
        let text = |key: &str| self.text(lang)?.get(key)?.get(name)?.as_str();
        let schema =
            || self.input_schema.get("properties")?.get(name)?.get("description")?.as_str();
        let help = text("arguments").or_else(schema);
        Explained { label: text("labels").map(str::to_owned), help: help.map(str::to_owned) }
    }

    /// Whether it is for pages only (`_meta.ui.visibility`, MCP Apps): called by our views and not by people.
    pub(crate) fn is_for_pages(&self) -> bool {
        let visibility = self.meta.get("ui").and_then(|it| it.get("visibility")?.as_array());
        visibility.is_some_and(|it| it.iter().all(|it| it != "model"))
    }

    /// The view that draws its output.
    pub(crate) fn view(&self) -> Option<&str> {
        self.meta.get("madoguchi/view").and_then(Value::as_str)
    }

    /// The component that offers it; none if another server does.
    pub(crate) fn component(&self) -> Option<&str> {
        self.meta.get("madoguchi/component").and_then(Value::as_str)
    }

    /// The resource that is its app (MCP Apps), by the current or a former key.
    pub(crate) fn app(&self) -> Option<&str> {
        let uri = self.meta.get("ui").and_then(|it| it.get("resourceUri"));
        let uri = uri.or_else(|| self.meta.get("ui/resourceUri"))?.as_str()?;
        uri.starts_with("ui://").then_some(uri)
    }

    fn text(&self, lang: Lang) -> Option<&Value> {
        self.meta.get("madoguchi/text")?.get(lang.tag())
    }
}

/// The result of one round of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// The tool is done.
    Done(Output),
    /// The user must provide input.
    Asked { questions: Vec<Question>, state: Option<String> },
}

/// A tool's output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Output {
    pub(crate) structured: Option<Value>,
    pub(crate) content: Vec<Content>,
    /// The whole unparsed result.
    pub(crate) raw: Value,
}

impl Output {
    /// A copy with the secrets masked.
    pub(crate) fn veiled(&self, secrets: &BTreeSet<String>) -> Self {
        let content = self.content.iter().map(|it| match it {
            Content::Text(text) => Content::Text(cards::veiled_text(text, secrets)),
            other => other.clone(),
        });
        Self {
            structured: self.structured.as_ref().map(|it| cards::veiled(it, secrets)),
            content: content.collect(),
            raw: cards::veiled(&self.raw, secrets),
        }
    }
}

/// A piece of content.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Text(String),
    Image { data: String, mime: String },
    Audio { data: String, mime: String },
    Resource { uri: String, mime: Option<String>, text: Option<String> },
    Link { uri: String, title: String, description: Option<String> },
    Unknown,
}

/// A request for input from the user.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) key: String,
    pub(crate) message: String,
    pub(crate) ask: Ask,
}

/// How the user can answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    Form(Value),
    Url(String),
    /// Sampling or roots, which this page does not offer.
    Unknown,
}

/// Progress of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

impl Progress {
    pub(super) fn parse(notice: &Value) -> Option<Self> {
        let params = &notice["params"];
        (notice["method"] == "notifications/progress").then(|| Self {
            progress: params["progress"].as_f64().unwrap_or_default(),
            total: params["total"].as_f64(),
            message: text(params, "message"),
        })
    }
}

/// A message from the host.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Result {
        id: u32,
        result: Value,
    },
    Error {
        id: Option<u32>,
        error: CallError,
    },
    Notice(Value),
    /// An unsolicited message.
    Other,
}

/// Parses a JSON-RPC message.
pub(super) fn incoming(text: &str) -> Result<Incoming, CallError> {
    let mut message: Value =
        serde_json::from_str(text).map_err(|_| CallError::unreadable(0, text))?;
    let id = message.get("id").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
    if let Some(error) = message.get("error") {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
        let text = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        return Ok(Incoming::Error { id, error: CallError::Protocol { code, message: text } });
    }
    if let (Some(id), Some(result)) = (id, message.get_mut("result")) {
        return Ok(Incoming::Result { id, result: result.take() });
    }
    let is_notice = message.get("method").is_some();
    Ok(if is_notice { Incoming::Notice(message) } else { Incoming::Other })
}

/// Adds the `_meta` that this revision requires of every request.
pub(super) fn put_meta(params: &mut Value) {
    let own = json!({
        "io.modelcontextprotocol/protocolVersion": super::VERSION,
        "io.modelcontextprotocol/clientInfo": {
            "name": "madoguchi-page", "title": "Madoguchi", "version": env!("CARGO_PKG_VERSION"),
        },
        // The extensions declare that the page draws requested forms and outputs itself.
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": { "form": {}, "url": {} },
            "extensions": { "madoguchi/forms": {}, "madoguchi/views": {} },
        },
    });
    let (Value::Object(params), Value::Object(own)) = (params, own) else { return };
    match params.entry("_meta").or_insert_with(|| json!({})) {
        Value::Object(meta) => meta.extend(own),
        other => *other = Value::Object(own),
    }
}

impl Answer {
    /// Parses a result of `tools/call`.
    pub(crate) fn parse(raw: Value) -> Result<Self, CallError> {
        if !raw.is_object() {
            return Err(CallError::page("the result is no object"));
        }
        if raw["resultType"] == "input_required" {
            let requests = raw["inputRequests"].as_object().into_iter().flatten();
            let state = text(&raw, "requestState");
            return Ok(Self::Asked { questions: requests.map(question).collect(), state });
        }
        let content = raw["content"].as_array().into_iter().flatten().map(content);
        let content: Vec<Content> = content.collect();
        let structured = raw.get("structuredContent").filter(|it| !it.is_null());
        if raw["isError"] == true {
            let own = raw["_meta"].get("madoguchi/error").or(structured);
            let text = content.iter().find_map(|it| match it {
                Content::Text(text) => Some(text.as_str()),
                _ => None,
            });
            return Err(CallError::Refused(Box::new(Refusal::new(own, text))));
        }
        Ok(Self::Done(Output { structured: structured.cloned(), content, raw }))
    }

    /// The output of a completed call; an error for a question.
    pub(crate) fn done(self) -> Result<Output, CallError> {
        match self {
            Self::Done(output) => Ok(output),
            Self::Asked { .. } => Err(CallError::page("the tool asked something")),
        }
    }
}

/// Takes the structured content out of a result that is neither a question nor an error.
pub(crate) fn take_plain(result: &mut Value) -> Option<Value> {
    let is_asked = result.get("resultType").is_some_and(|it| it == "input_required");
    let is_refused = result.get("isError").is_some_and(|it| it == true);
    if is_asked || is_refused {
        return None;
    }
    result.get_mut("structuredContent").map(Value::take)
}

fn question((key, request): (&String, &Value)) -> Question {
    let text = |path: &str| request.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let is_ask = text("/method").as_deref() == Some("elicitation/create");
    let schema = request.pointer("/params/requestedSchema").cloned();
    let ask = match (is_ask, schema, text("/params/url")) {
        (true, Some(schema), _) => Ask::Form(schema),
        (true, None, Some(url)) => Ask::Url(url),
        _ => Ask::Unknown,
    };
    Question { key: key.clone(), message: text("/params/message").unwrap_or_default(), ask }
}

fn content(value: &Value) -> Content {
    let text = |path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let or_empty = |path: &str| text(path).unwrap_or_default();
    match or_empty("/type").as_str() {
        "text" => Content::Text(or_empty("/text")),
        "image" => Content::Image { data: or_empty("/data"), mime: or_empty("/mimeType") },
        "audio" => Content::Audio { data: or_empty("/data"), mime: or_empty("/mimeType") },
        "resource" => Content::Resource {
            uri: or_empty("/resource/uri"),
            mime: text("/resource/mimeType"),
            text: text("/resource/text"),
        },
        "resource_link" => Content::Link {
            uri: or_empty("/uri"),
            title: text("/title").or_else(|| text("/name")).unwrap_or_else(|| or_empty("/uri")),
            description: text("/description"),
        },
        _ => Content::Unknown,
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
