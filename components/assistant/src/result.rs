//! A call's result, as the loop has it: of a component's output, or of another server's result.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Map, Value, json};

use crate::{Body, Image, Part, ToolResult, images_of, reading};

/// MCP's result as the loop has it; what no model reads is left out of its content. Pictures that are in the object
/// alone stand beside it too; where there is no object, it is what the texts with pictures in them are.
pub(crate) fn of(json: &str) -> ToolResult {
    let mut result: Value = serde_json::from_str(json).unwrap_or_default();
    let blocks = result["content"].as_array().into_iter().flatten();
    let mut content: Vec<_> = blocks.filter_map(block).collect();
    let object = |it: Value| if it.is_null() { Value::Object(Default::default()) } else { it };
    let (mut structured, meta) =
        (object(result["structuredContent"].take()), result["_meta"].take());
    if images_of(&content).next().is_none() {
        let mut objects = vec![structured];
        if objects[0].as_object().is_some_and(Map::is_empty) {
            let mut said = Vec::new();
            content.retain(|it| {
                let object = pictured(it);
                let is_text = object.is_none();
                said.extend(object);
                is_text
            });
            if !said.is_empty() {
                objects = said;
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

/// The pictures in an object: itself, and the entries of its lists, where they have a type and bytes in base64.
fn pictures(object: &Value) -> impl Iterator<Item = Image> {
    let lists = object.as_object().into_iter().flatten().filter_map(|it| it.1.as_array());
    let each = std::iter::once(object).chain(lists.flatten());
    each.filter_map(|it| {
        let mime_type = it["mimeType"].as_str().filter(|it| it.starts_with("image/"))?;
        let data = it["data"].as_str()?;
        let is_base64 = BASE64.decode(data).is_ok_and(|it| !it.is_empty());
        is_base64.then(|| Image { mime_type: mime_type.to_owned(), data: data.into() })
    })
}

/// The object that a text is, where there are pictures in it.
fn pictured(part: &Part) -> Option<Value> {
    let Body::Text(text) = &part.body else { return None };
    let object = serde_json::from_str::<Value>(text).ok().filter(Value::is_object)?;
    let has_pictures = pictures(&object).next().is_some();
    has_pictures.then_some(object)
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
        ToolResult::Output { content, .. } => images_of(content).next().is_some(),
        ToolResult::Failed(_) => false,
    }
}

/// Whether a form was asked for that the person is to fill in first (FORM-1, FORM-3).
pub(crate) fn is_form(result: &ToolResult) -> bool {
    let ToolResult::Output { structured, .. } = result else { return false };
    structured["type"] == "form_request" && structured["status"] == "waiting_for_input"
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: &str = "iVBORw0KGgo=";

    fn taken(result: &Value) -> (Value, Vec<String>, usize) {
        let ToolResult::Output { structured, content, .. } = of(&result.to_string()) else {
            panic!("{result}")
        };
        let data = images_of(&content).map(|it| it.data.to_string()).collect();
        let texts = content.iter().filter(|it| matches!(it.body, Body::Text(_))).count();
        (structured, data, texts)
    }

    #[test]
    fn pictures_are_found_wherever_a_server_puts_them() {
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
            let (structured, data, left) = taken(&result);
            assert_eq!(
                (&structured, data.len(), left),
                (object, pictures, texts),
                "ILL-51: {result}"
            );
            assert!(data.iter().all(|it| it == BYTES), "ILL-28");
        }
    }

    #[test]
    fn what_is_no_picture_stays_as_it_is() {
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
        ] {
            let (_, data, left) = taken(&result);
            assert_eq!((data.len(), left), (pictures, texts), "{result}");
        }
    }
}
