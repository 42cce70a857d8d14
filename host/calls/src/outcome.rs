//! The outcome of a round, and the result of a tool call in MCP's terms.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use base::{
    call::{CallRequest, Failure},
    pictures,
};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use http::{StatusCode, header};
use registry::upstream::Passed;
use sandbox::component::{CallError, Content, Output, Question, ResourceBody};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The outcome of a round.
pub enum CallOutcome<T = Output> {
    /// Finished. The component is named if its output is unusable.
    Done { component: Arc<str>, call_id: u64, output: T },
    /// Another server's result, as it stands.
    Passed(Passed),
    /// The user must answer; the state comes back with the answers.
    InputRequired { component: Arc<str>, call_id: u64, questions: Vec<Question>, state: String },
}

/// Executes calls: by components, or natively in benchmarks.
pub trait Executor: Clone + Send + Sync + 'static {
    /// Whether the SDK must parse calls of the tool, because arguments are repeated in headers or not every client
    /// may call it.
    fn is_for_sdk(&self, tool: &str) -> bool;
    /// Why the caller may not make `call` of this MCP method. `None` if allowed.
    fn refusal(
        &self,
        _method: &str,
        _call: CallRequest,
    ) -> impl Future<Output = Option<CallError>> + Send {
        std::future::ready(None)
    }
    /// Runs one round.
    fn answer(
        &self,
        call: CallRequest,
    ) -> impl Future<Output = Result<CallOutcome, CallError>> + Send;
}

/// A tool's result, in MCP's form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// An object, in which pictures have their bytes where they are named.
    pub structured_content: Value,
    /// MCP's content blocks, without the text of the object.
    pub content: Vec<Value>,
    #[serde(rename = "_meta")]
    pub meta: Value,
}

impl CallResult {
    /// The result for a component's output.
    pub fn from_output(
        component: &Arc<str>,
        call_id: u64,
        output: Output,
    ) -> Result<Self, Failure> {
        let read = |json: Option<String>| {
            serde_json::from_str(&json.unwrap_or_else(|| "{}".to_owned())).map_err(|error| {
                let what = format!("its output is not JSON: {error}");
                Failure::from(CallError::Broken { component: component.clone(), call_id, what })
            })
        };
        let mut structured_content = read(output.structured)?;
        let content: Vec<_> = output.content.into_iter().map(block).collect();
        pictures::put_in(&mut structured_content, &content);
        Ok(Self { structured_content, content, meta: read(output.meta)? })
    }

    /// The result for what another server answers; its own failures are `{error, message, status}` where it
    /// is one of ours.
    pub fn passed(passed: &Passed) -> Result<Self, Failure> {
        let result: Value = serde_json::from_str(&passed.json).unwrap_or_default();
        let object = |name: &str| match &result[name] {
            Value::Null => json!({}),
            it => it.clone(),
        };
        let content = result["content"].as_array().cloned().unwrap_or_default();
        let meta = object("_meta");
        if !passed.is_refusal {
            let structured_content = object("structuredContent");
            return Ok(Self { structured_content, content, meta });
        }
        let texts: Vec<_> = content.iter().filter_map(|it| it["text"].as_str()).collect();
        let text = texts.join("\n");
        let own = &meta["madoguchi/error"];
        let (error, status) = (own["error"].as_str(), own["status"].as_u64());
        let status = status.and_then(|it| u16::try_from(it).ok()).unwrap_or(400);
        let message = own["message"].as_str().unwrap_or(&text);
        let failure = Failure::new(error.unwrap_or("refused"), status, message).tools();
        let data = own["data"].as_object().cloned().unwrap_or_default();
        Err(Failure { data: Box::new(data), ..failure })
    }

    /// The object; what else there is, where there is none: of a picture alone its type and bytes.
    pub fn structured_or_content(self) -> Value {
        let is_empty = self.structured_content.as_object().is_some_and(Map::is_empty);
        match self.content.as_slice() {
            [] => self.structured_content,
            _ if !is_empty => self.structured_content,
            [it] if it["type"] == "image" => {
                json!({ "mimeType": it["mimeType"], "data": it["data"] })
            }
            content => json!({ "content": content }),
        }
    }

    /// The texts among the blocks.
    pub fn texts(&self) -> Vec<&str> {
        self.content.iter().filter_map(|it| it["text"].as_str()).collect()
    }
}

/// A piece of a component's output as MCP's content block.
pub fn block(content: Content) -> Value {
    let bytes = |data: &[u8]| BASE64.encode(data);
    let (mut block, annotations, meta) = match content {
        Content::Text(it) => (json!({ "type": "text", "text": it.text }), it.annotations, it.meta),
        Content::Image(image) => (
            json!({ "type": "image", "data": bytes(&image.data), "mimeType": image.mime_type }),
            image.annotations,
            image.meta,
        ),
        Content::Audio(audio) => (
            json!({ "type": "audio", "data": bytes(&audio.data), "mimeType": audio.mime_type }),
            audio.annotations,
            audio.meta,
        ),
        Content::Resource(embedded) => {
            let mut resource = json!({ "uri": embedded.uri });
            put(&mut resource, "mimeType", embedded.mime_type.map(Value::String));
            match embedded.body {
                ResourceBody::Text(text) => resource["text"] = text.into(),
                ResourceBody::Blob(data) => resource["blob"] = bytes(&data).into(),
            }
            (
                json!({ "type": "resource", "resource": resource }),
                embedded.annotations,
                embedded.meta,
            )
        }
        Content::Link(linked) => {
            let mut link =
                json!({ "type": "resource_link", "uri": linked.uri, "name": linked.name });
            put(&mut link, "title", linked.title.map(Value::String));
            put(&mut link, "description", linked.description.map(Value::String));
            put(&mut link, "mimeType", linked.mime_type.map(Value::String));
            put(&mut link, "size", linked.size.map(Value::from));
            (link, linked.annotations, linked.meta)
        }
    };
    put(&mut block, "annotations", annotations.and_then(|it| serde_json::from_str(&it).ok()));
    put(&mut block, "_meta", meta.and_then(|it| serde_json::from_str(&it).ok()));
    block
}

fn put(object: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object[name] = value;
    }
}

// Errors as REST responses.

/// An error as REST has them.
pub fn refusal(status: StatusCode, error: &str, message: &str) -> Response {
    let body = json!({ "error": error, "message": message, "status": status.as_u16() });
    (status, axum::Json(body)).into_response()
}

/// Status 503 with a retry delay, rounded up to whole seconds.
pub fn retry_after(mut response: Response, ms: u64) -> Response {
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, ms.div_ceil(1_000).max(1).into());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_non_object_results_by_content() {
        let picture = json!({ "type": "image", "mimeType": "image/png", "data": "AAAA" });
        let text = json!({ "type": "text", "text": "a" });
        for (structured_content, content, expected) in [
            (json!({ "n": 1 }), vec![picture.clone()], json!({ "n": 1 })),
            (json!({}), vec![], json!({})),
            (json!({}), vec![picture.clone()], json!({ "mimeType": "image/png", "data": "AAAA" })),
            (json!({}), vec![text.clone()], json!({ "content": [text] })),
            (
                json!({}),
                vec![picture.clone(), picture.clone()],
                json!({ "content": [picture, picture] }),
            ),
        ] {
            let result = CallResult { structured_content, content, meta: json!({}) };
            assert_eq!(result.structured_or_content(), expected);
        }
    }
}
