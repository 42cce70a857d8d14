//! Converts tools, prompts, resources, calls, outputs, questions and failures to MCP types.

use std::sync::Arc;

use base::{
    call::{CallRequest, Failure, INVALID, Surface, TraceHeaders, shortened},
    caller::Caller,
    json,
    language::Language,
};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use calls::{block, outcome::CallOutcome};
use registry::upstream::Passed;
use rmcp::{
    ErrorData,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
        CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, CustomRequest,
        ErrorCode, GetPromptRequestParams, GetPromptResult, GetTaskParams, InputRequests,
        InputRequiredResult, MetaObject, PaginatedRequestParams, Prompt, PromptArgument,
        PromptMessage, ProtocolVersion, ReadResourceRequestParams, ReadResourceResult, RequestId,
        ResourceContents, Role, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionsListenRequestParams, Tool, ToolAnnotations, UnsubscribeRequestParams,
        UpdateTaskParams,
    },
};
use sandbox::{
    component::{
        Ask, CallError, Completion, Content, Contents, Output, PromptOutput, PromptRole, Question,
        ResourceBody,
    },
    definition::{self, Localized, Viewer},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{Context, Result, legacy::CannotAsk};

/// A tool as `viewer` sees it, in the language that they read.
pub(super) fn tool(tool: &definition::Tool, viewer: Viewer, language: Language) -> Tool {
    let Localized { title, description, input_schema } = tool.localized(language.tag());
    let annotations = ToolAnnotations::new()
        .read_only(tool.hints.read_only)
        .destructive(tool.hints.destructive)
        .idempotent(tool.hints.idempotent)
        .open_world(tool.hints.open_world);
    let mut wire =
        Tool::new(tool.name.to_string(), description, input_schema).with_annotations(annotations);
    wire.title = title;
    wire.output_schema = tool.output_schema.clone();
    wire.meta = Some(MetaObject(viewer.meta(&tool.meta))).filter(|it| !it.0.is_empty());
    wire
}

/// Takes from a tool what clients of the legacy era do not take: an output that is no object.
pub(super) fn for_legacy(tool: &mut Tool) {
    tool.output_schema.take_if(|it| it.get("type") != Some(&Value::from("object")));
}

/// Adapts a tool result to legacy clients.
pub(super) fn fit_legacy(result: &mut CallToolResult) {
    result.structured_content.take_if(|it| !it.is_object());
}

/// A prompt as `viewer` sees it, in the language that they read.
pub(super) fn prompt(offered: &definition::Prompt, viewer: Viewer, language: Language) -> Prompt {
    let own = offered.meta.as_ref().and_then(|it| definition::texts(it, language.tag()));
    let text = |name: &str| own?.get(name)?.as_str().map(str::to_owned);
    let argument = |from: &definition::Argument| {
        let mut argument = PromptArgument::new(from.name.clone()).with_required(from.required);
        let described = own.and_then(|own| own.get("arguments")?.get(&from.name)?.as_str());
        argument.title = from.title.clone();
        argument.description = described.map(str::to_owned).or_else(|| from.description.clone());
        argument
    };
    let arguments = offered.arguments.iter().map(argument).collect();
    let description = text("description").or_else(|| offered.description.clone());
    let mut prompt = Prompt::new(offered.name.to_string(), description, Some(arguments));
    prompt.title = text("title").or_else(|| offered.title.clone());
    let meta = offered.meta.as_ref().map(|it| viewer.meta(it)).filter(|it| !it.is_empty());
    prompt.meta = meta.map(MetaObject);
    prompt
}

/// Converts a listed item. Invalid icons and annotations, which are hints, are dropped.
pub(super) fn listed<T: DeserializeOwned>(json: &Value) -> Option<T> {
    T::deserialize(json).ok().or_else(|| {
        let mut plain = json.clone();
        ["icons", "annotations"].into_iter().find_map(|hint| {
            plain.as_object_mut()?.remove(hint)?;
            T::deserialize(&plain).ok()
        })
    })
}

pub(super) fn got(
    component: Arc<str>,
    call_id: u64,
    output: PromptOutput,
) -> Result<GetPromptResult> {
    let mut messages = Vec::with_capacity(output.messages.len());
    for message in output.messages {
        let role = match message.role {
            PromptRole::User => Role::User,
            PromptRole::Assistant => Role::Assistant,
        };
        let content = serde_json::from_value(block(message.content)).map_err(|why| {
            let what = format!("a message of its prompt does not fit MCP: {why}");
            error(CallError::Broken { component: component.clone(), call_id, what })
        })?;
        messages.push(PromptMessage::new(role, content));
    }
    let mut result = GetPromptResult::new(messages);
    result.description = output.description;
    result.meta = object(output.meta.as_deref());
    Ok(result)
}

/// Converts read contents, valid for this caller and now.
pub(super) fn read(contents: Vec<Contents>) -> ReadResourceResult {
    let contents = contents.into_iter().map(|content| {
        let meta = object(content.meta.as_deref());
        match content.body {
            ResourceBody::Text(text) => ResourceContents::TextResourceContents {
                uri: content.uri,
                mime_type: content.mime_type,
                text,
                meta,
            },
            ResourceBody::Blob(data) => ResourceContents::BlobResourceContents {
                uri: content.uri,
                mime_type: content.mime_type,
                blob: BASE64.encode(data),
                meta,
            },
        }
    });
    ReadResourceResult::new(contents.collect()).with_ttl_ms(0).with_cache_scope(CacheScope::Private)
}

pub(super) fn completed(completion: Completion) -> CompleteResult {
    let mut info = CompletionInfo::default();
    info.values = completion.values;
    info.total = completion.total;
    info.has_more = Some(completion.has_more);
    CompleteResult::new(info)
}

/// Parses a JSON object that was checked before.
fn object(json: Option<&str>) -> Option<MetaObject> {
    json.and_then(|it| serde_json::from_str(it).ok()).map(MetaObject)
}

/// The code of refusals, where there is no result to put them in.
const REFUSED: ErrorCode = ErrorCode(-32000);

/// Whether the client speaks a revision in which the server sends requests of its own.
pub(super) fn is_legacy(context: &Context) -> bool {
    context.protocol_version().is_none_or(|it| it < ProtocolVersion::V_2026_07_28)
}

/// First round of a request for `name`.
pub(super) fn call(
    name: String,
    arguments: Option<&Map<String, Value>>,
    context: &Context,
    caller: Caller,
) -> CallRequest {
    let json = |map: &Map<String, Value>| serde_json::to_string(map).unwrap_or_default();
    let arguments = arguments.map_or_else(|| "{}".to_owned(), json);
    let surface = if is_legacy(context) { Surface::McpLegacy } else { Surface::Mcp };
    let parts = context.extensions.get::<http::request::Parts>();
    let trace = parts.map(|it| TraceHeaders::from_headers(&it.headers)).unwrap_or_default();
    CallRequest {
        meta: json(&context.meta.0.0),
        ..CallRequest::new(name, arguments, (caller, surface), trace)
    }
}

/// Converts a round's outcome for the SDK; `done` converts output.
pub(super) fn answered<O, R: DeserializeOwned, A: From<R> + From<InputRequiredResult>>(
    outcome: CallOutcome<O>,
    done: impl FnOnce(Arc<str>, u64, O) -> Result<R>,
) -> Result<A> {
    match outcome {
        CallOutcome::Done { component, call_id, output } => {
            done(component, call_id, output).map(A::from)
        }
        CallOutcome::Passed(it) => passed::<R>(&it).map(A::from),
        CallOutcome::InputRequired { component, call_id, questions, state } => {
            asked(&component, call_id, questions, state).map(A::from)
        }
    }
}

/// Converts a round's outcome for a waiting client.
pub(super) fn answer(
    outcome: Result<CallOutcome, CallError>,
    capabilities: &str,
) -> Result<CallToolResponse> {
    match outcome {
        Ok(CallOutcome::InputRequired { component, call_id, questions, state }) => {
            match lacking(capabilities, &questions) {
                None => asked(&component, call_id, questions, state).map(Into::into),
                Some(lacking) => lacking.refusal().map(Into::into),
            }
        }
        Ok(outcome) => answered(outcome, done),
        Err(error) => failed(error).map(Into::into),
    }
}

/// The result carries the object and its text alike (SYS-8).
pub(super) fn done(component: Arc<str>, call_id: u64, output: Output) -> Result<CallToolResult> {
    result_of(output).or_else(|what| failed(CallError::Broken { component, call_id, what }))
}

/// Converts output. The error names what does not fit MCP.
fn result_of(output: Output) -> Result<CallToolResult, String> {
    let is_behind = is_text_behind(&output.content);
    let (mut content, mut text) = (Vec::with_capacity(output.content.len() + 1), None);
    let mut result = CallToolResult::success(Vec::new());
    if let Some(json) = output.structured {
        let value = serde_json::from_str(&json);
        let value = value.map_err(|it| format!("its structured output is not JSON: {it}"))?;
        result.structured_content = Some(value);
        text = Some(ContentBlock::text(json));
    }
    content.extend(text.take_if(|_| !is_behind));
    for part in output.content {
        let block = serde_json::from_value(block(part));
        content.push(block.map_err(|it| format!("its content does not fit MCP: {it}"))?);
    }
    content.extend(text);
    result.content = content;
    if let Some(json) = output.meta {
        let meta = serde_json::from_str(&json);
        let meta = meta.map_err(|it| format!("its meta is not a JSON object: {it}"))?;
        result.meta = Some(MetaObject(meta));
    }
    Ok(result)
}

/// Whether the structured part's text goes behind the component's content: where the first block of
/// that is marked as the most important.
pub(super) fn is_text_behind(content: &[Content]) -> bool {
    let annotations = content.first().and_then(|content| match content {
        Content::Text(it) => it.annotations.as_deref(),
        Content::Image(it) | Content::Audio(it) => it.annotations.as_deref(),
        Content::Resource(it) => it.annotations.as_deref(),
        Content::Link(it) => it.annotations.as_deref(),
    });
    let annotations = annotations.and_then(|it| serde_json::from_str::<Value>(it).ok());
    annotations.and_then(|it| it.get("priority")?.as_f64()) == Some(1.0)
}

/// A refusal is a result that a model can read and correct; only a wrong request is an error of the
/// protocol. No `structuredContent`: clients check it against the output schema (SYS-8).
pub(super) fn failed(error: CallError) -> Result<CallToolResult> {
    let failure = Failure::from(error);
    if let Some(error) = lacks_capability(&failure) {
        return Err(error);
    }
    if failure.is_protocol {
        let data = data_of(&failure);
        return Err(ErrorData::invalid_params(failure.message, data));
    }
    Ok(refused(&failure.object()))
}

/// The code of what a server cannot do for a client that declares too little.
pub(crate) const LACKS_CAPABILITY: &str = "missing_client_capability";

/// The missing client capability as an upstream server reported it.
fn lacks_capability(failure: &Failure) -> Option<ErrorData> {
    let data = || failure.data.get("data").filter(|it| !it.is_null()).cloned();
    (failure.error == LACKS_CAPABILITY).then(|| {
        let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
        ErrorData::new(code, failure.message.clone(), data())
    })
}

fn data_of(failure: &Failure) -> Option<Value> {
    (!failure.data.is_empty()).then(|| Value::Object((*failure.data).clone()))
}

/// As a protocol error, for methods whose results cannot express failure.
pub(super) fn error(error: CallError) -> ErrorData {
    let is_resource = matches!(error, CallError::UnknownResource { .. });
    let failure = Failure::from(error);
    let (object, data) = (failure.object(), data_of(&failure));
    if is_resource {
        return ErrorData::resource_not_found(failure.message, data);
    }
    if let Some(error) = lacks_capability(&failure) {
        return error;
    }
    if failure.is_protocol || failure.error == INVALID {
        return ErrorData::invalid_params(failure.message, data);
    }
    let code = if failure.status < 500 { REFUSED } else { ErrorCode::INTERNAL_ERROR };
    ErrorData::new(code, failure.message, Some(object))
}

pub(super) fn refused(object: &Value) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(object.to_string())]);
    let meta = Map::from_iter([("madoguchi/error".to_owned(), object.clone())]);
    result.meta = Some(MetaObject(meta));
    result
}

/// Passes an upstream result unchanged.
pub(super) fn passed<T: DeserializeOwned>(passed: &Passed) -> Result<T> {
    serde_json::from_str(&passed.json)
        .map_err(|_| ErrorData::internal_error("the server answered something else", None))
}

pub(super) fn asked(
    component: &str,
    call_id: u64,
    questions: Vec<Question>,
    state: String,
) -> Result<InputRequiredResult> {
    let mut requests = InputRequests::new();
    for question in questions {
        let request = serde_json::from_value(input_request(&question)).map_err(|error| {
            tracing::error!(target: "guest", component, call = call_id, "question {:?} does not fit MCP: {error}", question.key);
            ErrorData::internal_error("The tool asked a question that cannot be put.", None)
        })?;
        requests.insert(question.key, request);
    }
    let requests = (!requests.is_empty()).then_some(requests);
    Ok(InputRequiredResult::new(requests, Some(state)))
}

/// Client capabilities missing for `questions`.
pub(super) fn lacking(capabilities: &str, questions: &[Question]) -> Option<CannotAsk> {
    let capabilities: Value = serde_json::from_str(capabilities).unwrap_or_default();
    let elicitation = capabilities.get("elicitation");
    let can = |question: &Question| match question.ask {
        // An empty object means forms, which were once the only kind.
        Ask::Form(_) => {
            elicitation.is_some_and(|it| it.get("form").is_some() || it.get("url").is_none())
        }
        Ask::Url(_) => elicitation.is_some_and(|it| it.get("url").is_some()),
        Ask::Sampling(_) => capabilities.get("sampling").is_some(),
        Ask::Roots => capabilities.get("roots").is_some(),
    };
    let mut lacked = questions.iter().filter(|it| !can(it)).peekable();
    let question = lacked.peek()?.message.clone();
    let mut required = json!({});
    for missing in lacked {
        match missing.ask {
            Ask::Form(_) => required["elicitation"]["form"] = json!({}),
            Ask::Url(_) => required["elicitation"]["url"] = json!({}),
            Ask::Sampling(_) => required["sampling"] = json!({}),
            Ask::Roots => required["roots"] = json!({}),
        }
    }
    let why = "the client did not declare the capability for it".to_owned();
    Some(CannotAsk { question, why, required: Some(required) })
}

pub(super) fn input_request(question: &Question) -> Value {
    let parse = |json: &str| serde_json::from_str(json).unwrap_or(Value::Null);
    match &question.ask {
        Ask::Form(schema) => json!({
            "method": "elicitation/create",
            "params": { "mode": "form", "message": question.message, "requestedSchema": parse(schema) },
        }),
        Ask::Url(url) => json!({
            "method": "elicitation/create",
            "params": { "mode": "url", "message": question.message, "url": url, "elicitationId": url },
        }),
        Ask::Sampling(params) => {
            json!({ "method": "sampling/createMessage", "params": parse(params) })
        }
        Ask::Roots => json!({ "method": "roots/list" }),
    }
}

pub(super) fn endless() -> ErrorData {
    ErrorData::internal_error("It asks without end.", None)
}

pub(super) fn cancelled() -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, "The call was cancelled.", None)
}

pub(super) fn not_served(method: &str) -> ErrorData {
    let method = &method[..method.floor_char_boundary(128)];
    let instead = match method {
        "logging/setLevel" => {
            " Since 2026-07-28 each request says what it is told of the log: io.modelcontextprotocol/logLevel in its _meta."
        }
        "ping" | "initialize" => {
            " Since 2026-07-28 server/discover is what is always answered, and nothing comes before it."
        }
        "resources/subscribe" | "resources/unsubscribe" => {
            " Since 2026-07-28 subscriptions/listen tells of resources: resourceSubscriptions in its notifications."
        }
        _ => "",
    };
    let message = format!("The method {method:?} is not served.{instead}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Explains the SDK's error for a method that it does not serve. `None` for other errors.
pub(super) fn not_served_by_sdk(error: &ErrorData) -> Option<ErrorData> {
    let name = &*error.message;
    let is_name = name.bytes().all(|it| it.is_ascii_alphabetic() || it == b'/');
    // Upstream details have another form.
    let is_sdks = error.data.is_none() && (name.contains('/') || name == "ping");
    let is_bare = error.code == ErrorCode::METHOD_NOT_FOUND && is_name && is_sdks;
    is_bare.then(|| not_served(name))
}

/// A method that is not served, or one that is with parameters that do not fit it.
pub(super) fn unreadable(request: CustomRequest, is_legacy: bool, has_tasks: bool) -> ErrorData {
    let params = request.params.unwrap_or_default();
    let problem = match request.method.as_str() {
        "tools/call" => params_error::<CallToolRequestParams>(params),
        "prompts/get" => params_error::<GetPromptRequestParams>(params),
        "resources/read" => params_error::<ReadResourceRequestParams>(params),
        "completion/complete" => params_error::<CompleteRequestParams>(params),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
            params_error::<PaginatedRequestParams>(params)
        }
        // The modern era has them no longer, whatever their parameters.
        "resources/subscribe" if is_legacy => params_error::<SubscribeRequestParams>(params),
        "resources/unsubscribe" if is_legacy => params_error::<UnsubscribeRequestParams>(params),
        "logging/setLevel" if is_legacy => params_error::<SetLevelRequestParams>(params),
        "subscriptions/listen" if !is_legacy => {
            params_error::<SubscriptionsListenRequestParams>(params)
        }
        "tasks/get" if has_tasks => params_error::<GetTaskParams>(params),
        "tasks/update" if has_tasks => params_error::<UpdateTaskParams>(params),
        "tasks/cancel" if has_tasks => params_error::<CancelTaskParams>(params),
        method => return not_served(method),
    };
    unfit(&request.method, problem)
}

/// The error for `params` that do not fit `method`.
pub(super) fn invalid_params<T: DeserializeOwned>(method: &str, params: Value) -> ErrorData {
    unfit(method, params_error::<T>(params))
}

pub(super) fn unfit(method: &str, problem: Option<String>) -> ErrorData {
    let why = shortened(problem.unwrap_or_else(|| "they do not fit".to_owned()), 1_024);
    ErrorData::invalid_params(format!("params of {method}: {why}"), None)
}

/// Why `params` are not those of a method, and where, if they are not.
pub(super) fn params_error<T: DeserializeOwned>(params: Value) -> Option<String> {
    let error = serde_path_to_error::deserialize::<_, T>(params).err()?;
    let why = json::explain(&error.inner().to_string());
    let is_named = error.path().iter().next().is_some();
    Some(if is_named { format!("{}: {why}", error.path()) } else { why })
}

// What a JSON-RPC message says of itself, for messages that are too large to be kept or are no JSON.

/// Maximum size of a name or a value that is read, in bytes.
const TOKEN_BYTES_MAX: usize = 256;

/// Reads the members of a message that tell what it is, byte by byte and wherever they stand. Members of its parameters
/// or its result do not count.
#[derive(Default)]
pub(crate) struct Envelope {
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// The name of the member, and what is read of the next name or of its value.
    name: Vec<u8>,
    token: Vec<u8>,
    id: Option<RequestId>,
    /// Whether it has a method: it is a request or a notification.
    pub(crate) has_method: bool,
    /// Whether it has a result or an error: it is an answer.
    pub(crate) has_answer: bool,
}

impl Envelope {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.read(bytes);
        envelope
    }

    pub(crate) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|it| self.take(*it));
    }

    /// The id of the request that it answers. `None` if it is no answer.
    pub(crate) fn answered(&self) -> Option<RequestId> {
        self.id.clone().filter(|_| !self.has_method)
    }

    /// The id of the request that it is.
    pub(crate) fn requested(&self) -> Option<RequestId> {
        self.id.clone().filter(|_| self.has_method && !self.has_answer)
    }

    fn take(&mut self, byte: u8) {
        if self.is_in_text {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(),
            b':' if self.depth == 1 => {
                self.name = std::mem::take(&mut self.token);
                self.has_method |= self.name == b"\"method\"";
                self.has_answer |= self.name == b"\"result\"" || self.name == b"\"error\"";
            }
            _ => {
                self.is_in_text = byte == b'"';
                if !byte.is_ascii_whitespace() {
                    self.keep(byte);
                }
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN_BYTES_MAX {
            self.token.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.name == b"\"id\"" {
            self.id = serde_json::from_slice(&self.token).ok();
        }
        self.name.clear();
        self.token.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_id_wherever_it_stands() {
        let large = "\\\"id\\\":1,{[".repeat(1_000);
        for (text, answered, requested) in [
            (format!(r#"{{"id":7,"result":{{"id":1,"t":"{large}"#), Some(7), None),
            (
                format!(r#"{{"result":{{"t":"{large}","id":1}}, "id" : 7 ,"more":1}}"#),
                Some(7),
                None,
            ),
            (format!(r#"{{"a":"{large}","id":7,"error":["{large}"],"b":[]}}"#), Some(7), None),
            (
                format!(r#"{{"params":{{"id":1,"t":"{large}"}},"method":"a","id":7}}"#),
                None,
                Some(7),
            ),
            (r#"{"id":7,"method":"a","params":{"id":3"#.to_owned(), None, Some(7)),
            (r#"{"id":7,"method":"a","result":NaN}"#.to_owned(), None, None),
            (r#"{"method":"id","params":{"id":3}}"#.to_owned(), None, None),
            (format!(r#"[{{"id":7,"result":"{large}"}}]"#), None, None),
            (format!(r#"{{"id":"{}","result":1}}"#, "x".repeat(300)), None, None),
            ("}}{\"id\":7}".to_owned(), Some(7), None),
        ] {
            let mut envelope = Envelope::default();
            text.as_bytes().chunks(7).for_each(|it| envelope.read(it));
            let id = |it: i64| RequestId::Number(it);
            assert_eq!(envelope.answered(), answered.map(id), "{text:.80}");
            assert_eq!(envelope.requested(), requested.map(id), "{text:.80}");
        }
    }
}
