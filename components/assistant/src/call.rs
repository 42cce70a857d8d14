//! Tools on offer to an assistant, calls of them, and their results.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::assistants::running::{self, Tool};

use crate::{Body, Image, Language, Part, ToolCall, images_of, reading};

/// A tool that may be called.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// JSON Schema of its arguments.
    pub(crate) schema: Arc<Map<String, Value>>,
    /// Entries of a request's `_meta` that a model may set, as JSON Schemas by name.
    pub(crate) request_meta: Arc<Map<String, Value>>,
    /// Name of the component or upstream server that offers the tool.
    pub(crate) owner: String,
    /// Whether the tool changes nothing.
    pub(crate) is_read_only: bool,
    /// Whether a person has to allow each call.
    pub(crate) asks_first: bool,
    /// Whether only pages may call it.
    pub(crate) is_for_pages: bool,
    /// Name of the view that draws its output.
    pub(crate) view: Option<String>,
}

impl Offer {
    /// Returns the tools of the named assistant.
    pub(crate) fn of_assistant(assistant: &str) -> Vec<Self> {
        running::tools(assistant).into_iter().map(Self::from_tool).collect()
    }

    fn from_tool(tool: Tool) -> Self {
        let request_meta = tool.request_meta.and_then(|it| serde_json::from_str(&it).ok());
        let owner = tool.owner.split_once(':').map_or(tool.owner.as_str(), |it| it.1).to_owned();
        Self {
            schema: Arc::new(serde_json::from_str(&tool.input_schema).unwrap_or_default()),
            request_meta: Arc::new(request_meta.unwrap_or_default()),
            owner,
            name: tool.name,
            title: tool.title,
            description: tool.description,
            is_read_only: tool.read_only,
            asks_first: tool.asks_first,
            is_for_pages: tool.for_pages,
            view: tool.view,
        }
    }
}

/// A call and its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) call: ToolCall,
    pub(crate) result: ToolResult,
}

impl Answered {
    pub(crate) fn new(call: &ToolCall, result: ToolResult) -> Self {
        Self { call: call.clone(), result }
    }

    /// Returns a call that failed.
    pub(crate) fn failed(call: &ToolCall, failure: Failure) -> Self {
        Self::new(call, ToolResult::Failed(failure))
    }
}

/// The result of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ToolResult {
    /// The tool's object, the result's `_meta`, and its content (texts and pictures).
    Output { structured: Value, meta: Value, content: Vec<Part> },
    /// An error. The model may correct most; a fatal one may end the run.
    Failed(Failure),
}

/// A call that waits for the person before the run can continue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PendingCall {
    pub(crate) call: ToolCall,
    pub(crate) wait: Wait,
    /// Id of the host's approval; empty where the person fills in a form or chooses.
    #[serde(default)]
    pub(crate) approval: String,
    /// Token with which the person may trust the tool as it is now.
    #[serde(default)]
    pub(crate) trust: String,
    /// What has changed in the tool since the person trusted it, if that is why they are asked again.
    #[serde(default)]
    pub(crate) changed: Vec<String>,
}

impl PendingCall {
    /// Returns a call that waits for something other than the host's approval.
    pub(crate) fn for_person(call: &ToolCall, wait: Wait) -> Self {
        let (approval, trust, changed) = Default::default();
        Self { call: call.clone(), wait, approval, trust, changed }
    }
}

/// What a call waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Wait {
    /// The person's permission: the call changes something, and has not started.
    Approval,
    /// Answers to the tool's own questions, each `{key, message, schema}` or `{key, message, url}`.
    Answers { questions: Vec<Value> },
    /// A filled-in form (FORM-3). `result` is the tool's result; the values come as the next message.
    Form { result: ToolResult },
    /// The person's choice among the pictures of `result` (ILL-45).
    Choice { result: ToolResult },
}

/// Why a call has no output: `{error, message, status, data?}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Failure {
    /// Error code for programs.
    pub(crate) error: String,
    /// Text for people: what is wrong and how to fix it.
    pub(crate) message: String,
    /// Matching HTTP status.
    pub(crate) status: u16,
    /// Details of the error.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) data: Map<String, Value>,
    /// Other members of the error's JSON object.
    #[serde(flatten)]
    pub(crate) details: Map<String, Value>,
    /// Whether the request itself was wrong, rather than the tool having failed.
    #[serde(rename = "isProtocol", skip_serializing)]
    pub(crate) is_protocol: bool,
    /// Whether the host or the agent loop says so, rather than the tool.
    #[serde(rename = "isHosts", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_hosts: bool,
}

// Codes of calls that were not made, or whose end was not waited for. Their texts are for models.
pub(crate) const NOT_ALLOWED: &str = "not_allowed";
pub(crate) const UNKNOWN_TOOL: &str = "unknown_tool";
pub(crate) const TOO_MANY_CALLS: &str = "too_many_calls";
pub(crate) const TOO_MANY_ROUNDS: &str = "too_many_rounds";
const DEADLINE: &str = "deadline";

impl Failure {
    /// What a tool says.
    pub(crate) fn new(error: &str, status: u16, message: impl Into<String>) -> Self {
        Self { error: error.to_owned(), status, message: message.into(), ..Self::default() }
    }

    /// What the agent loop says of a call that it does not make.
    pub(crate) fn not_made(error: &str, status: u16, message: impl Into<String>) -> Self {
        Self { is_hosts: true, ..Self::new(error, status, message) }
    }

    /// A call that did not end in time.
    pub(crate) fn unfinished() -> Self {
        let message = "The call's end was not waited for, because the answer took too long. What only reads was given up; what changes something may still happen: look first.";
        Self::not_made(DEADLINE, 504, message)
    }

    /// Reads the host's JSON.
    pub(crate) fn read(json: &str) -> Self {
        serde_json::from_str(json)
            .unwrap_or_else(|_| Self::new("internal_error", 500, "The failure cannot be read."))
    }

    /// Text for people, in their language. What the host and the agent loop say of a call that was not made is for
    /// models; what a tool says is for people, also under one of these codes, and some have it in English as well.
    pub(crate) fn for_people(&self, language: Language) -> &str {
        match self.error.as_str() {
            NOT_ALLOWED if self.is_hosts => language.pick(
                "承認されなかったため、実行していません。",
                "It was not allowed, so it was not done.",
            ),
            UNKNOWN_TOOL if self.is_hosts => language.pick(
                "この名前のツールは使えません。",
                "No tool of this name can be called here.",
            ),
            TOO_MANY_CALLS | TOO_MANY_ROUNDS if self.is_hosts => language.pick(
                "呼び出し回数が上限を超えたため、実行していません。",
                "It was not done, because there were too many calls.",
            ),
            DEADLINE if self.is_hosts => language.pick(
                "時間内に終わりませんでした。実行された可能性があります。もう一度頼む前に、結果を確かめてください。",
                "It did not end in time and may still have been done; look before you ask for it again.",
            ),
            _ => {
                let own = self.data.get("english").and_then(Value::as_str);
                language.pick(self.message.as_str(), own.unwrap_or(&self.message))
            }
        }
    }

    /// Whether the call may still be going on.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.error == DEADLINE && self.is_hosts
    }

    /// Returns the JSON object of the contract.
    pub(crate) fn object(&self) -> Value {
        serde_json::to_value(Self { is_hosts: false, ..self.clone() }).unwrap_or_default()
    }

    /// Whether no other call could correct it. Only correctable errors go back to the model (NAV-40, NAV-55).
    pub(crate) fn is_fatal(&self) -> bool {
        self.status >= 500 || self.is_protocol
    }
}

// Results: a component's output, or the result of an upstream server.

/// Reads an MCP result; content that models cannot read is left out. Pictures found only in the object
/// are added to the content. Without an object, texts that contain pictures become the object.
pub(crate) fn read_result(json: &str) -> ToolResult {
    let mut result: Value = serde_json::from_str(json).unwrap_or_default();
    let blocks = result["content"].as_array().into_iter().flatten();
    let mut content: Vec<_> = blocks.filter_map(block).collect();
    let object = |it: Value| if it.is_null() { Value::Object(Default::default()) } else { it };
    let (mut structured, meta) =
        (object(result["structuredContent"].take()), result["_meta"].take());
    if images_of(&content).next().is_none() {
        let mut objects = vec![structured];
        if objects[0].as_object().is_some_and(Map::is_empty) {
            let mut objects_of_texts = Vec::new();
            content.retain(|part| {
                let object = pictured(part);
                let is_text = object.is_none();
                objects_of_texts.extend(object);
                is_text
            });
            if !objects_of_texts.is_empty() {
                objects = objects_of_texts;
            }
        }
        content.extend(objects.iter().flat_map(pictures).map(Part::image));
        structured = match objects.len() {
            1 => objects.remove(0),
            _ => json!({ "results": objects }),
        };
    }
    ToolResult::Output { structured, meta: object(meta), content }
}

/// Returns the pictures of an object and of its lists: entries with a MIME type and base64 data.
fn pictures(object: &Value) -> impl Iterator<Item = Image> {
    let lists = object.as_object().into_iter().flatten().filter_map(|it| it.1.as_array());
    let each = std::iter::once(object).chain(lists.flatten());
    each.filter_map(|entry| {
        let image = Image::read(entry["mimeType"].as_str()?, entry["data"].as_str()?)?;
        let is_base64 = BASE64.decode(&*image.data).is_ok_and(|it| !it.is_empty());
        is_base64.then_some(image)
    })
}

/// Parses a text as an object, if it contains pictures.
fn pictured(part: &Part) -> Option<Value> {
    let Body::Text(text) = &part.body else { return None };
    let object = serde_json::from_str::<Value>(text).ok().filter(Value::is_object)?;
    let has_pictures = pictures(&object).next().is_some();
    has_pictures.then_some(object)
}

fn block(block: &Value) -> Option<Part> {
    match block["type"].as_str()? {
        "text" => Some(Part::text(block["text"].as_str()?)),
        "image" => Some(Part::picture(block["mimeType"].as_str()?, block["data"].as_str()?)),
        "resource" => {
            let resource = &block["resource"];
            let uri = resource["uri"].as_str().unwrap_or_default();
            let mime_type = resource["mimeType"].as_str().unwrap_or_default();
            match (resource["text"].as_str(), resource["blob"].as_str()) {
                (Some(text), _) => Some(reading::resource(uri, text)),
                (None, Some(data)) => Some(blob(uri, mime_type, data.to_owned())),
                (None, None) => None,
            }
        }
        "resource_link" => {
            let about = ["name", "title", "description"].map(|it| block[it].as_str());
            Some(link(block["uri"].as_str()?, about))
        }
        _ => None,
    }
}

/// Returns a binary resource: a picture as such, anything else as a note.
fn blob(uri: &str, mime_type: &str, data: String) -> Part {
    match mime_type {
        "image/png" | "image/jpeg" | "image/webp" | "image/gif" => Part::picture(mime_type, data),
        _ => {
            let bytes = data.len() / 4 * 3;
            reading::resource(uri, &format!("({mime_type}, about {bytes} bytes, not shown)"))
        }
    }
}

/// Returns a note about a linked resource.
fn link(uri: &str, about: [Option<&str>; 3]) -> Part {
    let mut texts: Vec<&str> = Vec::new();
    for it in about.into_iter().flatten().filter(|it| !it.is_empty()) {
        if !texts.contains(&it) {
            texts.push(it);
        }
    }
    reading::resource(uri, &texts.join(": "))
}

/// Whether the result contains pictures (ILL-45).
pub(crate) fn has_pictures(result: &ToolResult) -> bool {
    match result {
        ToolResult::Output { content, .. } => images_of(content).next().is_some(),
        ToolResult::Failed(_) => false,
    }
}

/// Whether the result asks the person to fill in a form (FORM-1, FORM-3).
pub(crate) fn is_form(result: &ToolResult) -> bool {
    let ToolResult::Output { structured, .. } = result else { return false };
    structured["type"] == "form_request" && structured["status"] == "waiting_for_input"
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: &str = "iVBORw0KGgo=";

    #[test]
    fn keeps_who_speaks_and_does_not_tell_models() {
        let text = r#"{"error":"a","message":"b","status":400,"isHosts":true}"#;
        let failure = Failure::read(text);
        let kept = serde_json::to_string(&failure).unwrap();
        assert_eq!(serde_json::from_str::<Failure>(&kept).unwrap(), failure);
        assert!(failure.is_hosts && !Failure::read(&kept.replace("isHosts", "other")).is_hosts);
        assert_eq!(failure.object(), json!({ "error": "a", "message": "b", "status": 400 }));
    }

    fn parsed(result: &Value) -> (Value, Vec<String>, usize) {
        let ToolResult::Output { structured, content, .. } = read_result(&result.to_string())
        else {
            panic!("{result}")
        };
        let data = images_of(&content).map(|it| it.data.to_string()).collect();
        let texts = content.iter().filter(|it| matches!(it.body, Body::Text(_))).count();
        (structured, data, texts)
    }

    #[test]
    fn finds_pictures_in_content_and_objects() {
        let picture = json!({ "mimeType": "image/png", "data": BYTES });
        let list = json!({ "all": [picture, { "name": "x" }, picture], "n": 2 });
        let text = |it: &Value| json!({ "type": "text", "text": it.to_string() });
        for (result, object, pictures, texts) in [
            (json!({ "structuredContent": picture }), &picture, 1, 0),
            (json!({ "structuredContent": list, "content": [text(&list)] }), &list, 2, 1),
            (json!({ "content": [text(&picture)] }), &picture, 1, 0),
            (json!({ "content": [{ "type": "text", "text": "see" }, text(&list)] }), &list, 2, 1),
            (
                json!({ "content": [text(&picture), text(&picture)] }),
                &json!({ "results": [picture, picture] }),
                2,
                0,
            ),
        ] {
            let (structured, data, left) = parsed(&result);
            assert_eq!(
                (&structured, data.len(), left),
                (object, pictures, texts),
                "ILL-51: {result}"
            );
            assert!(data.iter().all(|it| it == BYTES), "ILL-28");
        }
    }

    #[test]
    fn keeps_results_without_pictures() {
        let image = json!({ "type": "image", "mimeType": "image/png", "data": BYTES });
        let text = |it: &str| json!({ "type": "text", "text": it });
        for (result, pictures, texts) in [
            (
                json!({ "content": [image], "structuredContent": { "mimeType": "image/png", "data": BYTES } }),
                1,
                0,
            ),
            (json!({ "content": [text("{\"mimeType\":\"image/png\",\"data\":\"?\"}")] }), 0, 1),
            (json!({ "content": [text("{\"mimeType\":\"audio/wav\",\"data\":\"AAAA\"}")] }), 0, 1),
            (json!({ "content": [text("[1]"), text("hello")] }), 0, 2),
            (
                json!({ "content": [{ "type": "image", "mimeType": "text/html", "data": BYTES }] }),
                0,
                1,
            ),
        ] {
            let (_, data, left) = parsed(&result);
            assert_eq!((data.len(), left), (pictures, texts), "{result}");
        }
    }
}
