//! A call's result, as the loop has it: of a component's output, or of another server's result.

use serde_json::Value;

use crate::{Image, Part, ToolResult, reading};

/// MCP's result as the loop has it; what no model reads is left out of its content.
pub(crate) fn of(json: &str) -> ToolResult {
    let mut result: Value = serde_json::from_str(json).unwrap_or_default();
    let content = result["content"].as_array().into_iter().flatten().filter_map(block).collect();
    let object = |it: Value| if it.is_null() { Value::Object(Default::default()) } else { it };
    let (structured, meta) = (result["structuredContent"].take(), result["_meta"].take());
    ToolResult::Output { structured: object(structured), meta: object(meta), content }
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

/// A resource of bytes: a picture is shown, anything else is only mentioned.
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
    let mut texts: Vec<&str> = Vec::new();
    for it in about.into_iter().flatten().filter(|it| !it.is_empty()) {
        if !texts.contains(&it) {
            texts.push(it);
        }
    }
    reading::resource(uri, &texts.join(": "))
}

/// Whether there are pictures in it (ILL-45).
pub(crate) fn has_pictures(result: &ToolResult) -> bool {
    match result {
        ToolResult::Output { content, .. } => crate::images_of(content).next().is_some(),
        ToolResult::Failed(_) => false,
    }
}

/// Whether a form was asked for that the person is to fill in first (FORM-1, FORM-3).
pub(crate) fn is_form(result: &ToolResult) -> bool {
    let ToolResult::Output { structured, .. } = result else { return false };
    structured["type"] == "form_request" && structured["status"] == "waiting_for_input"
}
