//! What a call brought back, in the words of the loop: a component's output, another server's result.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};

use super::{Image, Part, ToolResult, reading};
use crate::{
    component::{Ask, CallError, Content, Output, Question, ResourceBody},
    failure::Failure,
    pictures,
};

/// A component's output.
pub(super) fn done(
    component: &Arc<str>,
    call_id: u64,
    output: Output,
) -> Result<ToolResult, Failure> {
    let read = |json: Option<String>| {
        serde_json::from_str(&json.unwrap_or_else(|| "{}".to_owned())).map_err(|error| {
            let what = format!("its output is not JSON: {error}");
            Failure::from(CallError::Broken { component: component.clone(), call_id, what })
        })
    };
    let mut structured = read(output.structured)?;
    // For the page, which draws it; a model is shown the pictures and told nothing of their bytes.
    pictures::put_in(&mut structured, &output.content);
    let content = output.content.into_iter().filter_map(part).collect();
    Ok(ToolResult::Output { structured, meta: read(output.meta)?, content })
}

/// Texts and pictures; what no model hears or sees is left out.
fn part(content: Content) -> Option<Part> {
    match content {
        Content::Text(it) => Some(Part::text(it.text)),
        Content::Image(it) => {
            let data = BASE64.encode(&it.data).into();
            Some(Part::image(Image { mime_type: it.mime_type, data }))
        }
        Content::Resource(it) => Some(match it.body {
            ResourceBody::Text(text) => reading::resource(&it.uri, &text),
            ResourceBody::Blob(data) => {
                let data = BASE64.encode(&data);
                blob(&it.uri, it.mime_type.as_deref().unwrap_or_default(), data)
            }
        }),
        Content::Link(it) => {
            let about = [Some(&it.name), it.title.as_ref(), it.description.as_ref()];
            Some(link(&it.uri, about.map(|it| it.map(String::as_str))))
        }
        Content::Audio(_) => None,
    }
}

/// What another server says, in our words; its own failures are `{error, message, status}` where it is
/// one of ours.
pub(super) fn passed(result: rmcp::model::ServerResult) -> Result<ToolResult, Failure> {
    let rmcp::model::ServerResult::CallToolResult(result) = result else {
        return Err(Failure::new("broken", 500, "The other server answered something else."));
    };
    let meta = result.meta.map_or_else(|| json!({}), |it| Value::Object(it.0));
    let blocks = result.content.iter().filter_map(|it| serde_json::to_value(it).ok());
    let content: Vec<_> = blocks.filter_map(|it| block(&it)).collect();
    if result.is_error != Some(true) {
        let structured = result.structured_content.unwrap_or_else(|| json!({}));
        return Ok(ToolResult::Output { structured, meta, content });
    }
    let text = super::text_of(&content);
    let own = &meta["madoguchi/error"];
    let (error, status) = (own["error"].as_str(), own["status"].as_u64());
    let status = status.and_then(|it| u16::try_from(it).ok()).unwrap_or(400);
    let message = own["message"].as_str().unwrap_or(&text);
    let mut failure = Failure::new(error.unwrap_or("refused"), status, message);
    if let Some(data) = own["data"].as_object() {
        failure.data = Box::new(data.clone());
    }
    Err(failure)
}

fn block(block: &Value) -> Option<Part> {
    match block["type"].as_str()? {
        "text" => Some(Part::text(block["text"].as_str()?)),
        "image" => {
            let mime_type = block["mimeType"].as_str()?.to_owned();
            Some(Part::image(Image { mime_type, data: block["data"].as_str()?.into() }))
        }
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

/// A resource of bytes: a picture is shown, of anything else it is said that it is there.
fn blob(uri: &str, mime_type: &str, data: String) -> Part {
    match mime_type {
        "image/png" | "image/jpeg" | "image/webp" | "image/gif" => {
            Part::image(Image { mime_type: mime_type.to_owned(), data: data.into() })
        }
        _ => {
            let bytes = data.len() / 4 * 3;
            reading::resource(uri, &format!("({mime_type}, about {bytes} bytes, not shown)"))
        }
    }
}

/// A resource that is named, and can be read where it is.
fn link(uri: &str, about: [Option<&str>; 3]) -> Part {
    let mut said: Vec<&str> = Vec::new();
    for it in about.into_iter().flatten().filter(|it| !it.is_empty()) {
        if !said.contains(&it) {
            said.push(it);
        }
    }
    reading::resource(uri, &said.join(": "))
}

/// Whether there are pictures in it (ILL-45).
pub(super) fn has_pictures(result: &ToolResult) -> bool {
    match result {
        ToolResult::Output { content, .. } => super::images_of(content).next().is_some(),
        ToolResult::Failed(_) => false,
    }
}

/// A tool's questions as they are put to the person: each has a form or an address. Nobody here
/// answers for a client's model or its folders.
pub(super) fn questions(questions: &[Question]) -> Result<Vec<Value>, Failure> {
    let put = |it: &Question| match &it.ask {
        Ask::Form(schema) => {
            let schema = serde_json::from_str(schema).unwrap_or_else(|_| json!({}));
            Ok(json!({ "key": it.key, "message": it.message, "schema": schema }))
        }
        Ask::Url(url) => Ok(json!({ "key": it.key, "message": it.message, "url": url })),
        Ask::Sampling(_) | Ask::Roots => {
            let message = "The tool asks for a model or for folders of its client, and there are none here; ask for something else.";
            Err(Failure::new("cannot_ask", 400, message))
        }
    };
    questions.iter().map(put).collect()
}

/// Whether a form was asked for that the person is to fill in first (FORM-1, FORM-3).
pub(super) fn is_form(result: &ToolResult) -> bool {
    let ToolResult::Output { structured, .. } = result else { return false };
    structured["type"] == "form_request" && structured["status"] == "waiting_for_input"
}
