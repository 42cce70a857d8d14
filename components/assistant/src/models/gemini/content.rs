//! A conversation in Gemini's format: contents of parts, calls and their responses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    Answered, Body, Image, Message, Part,
    models::{
        messages,
        trim::{self, Shape},
    },
};

/// Picture types that it reads (<https://ai.google.dev/gemini-api/docs/image-understanding>).
const MIME_TYPES: &[&str] = &["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
/// Maximum base64 bytes of all pictures of one content; a request may have 20 MB.
const BYTES_MAX: usize = 14 << 20;

/// Placeholder for a signature that was not kept
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
pub(in crate::models) const UNSIGNED: &str = "skip_thought_signature_validator";

/// A call of the model.
pub(super) struct MadeCall<'a> {
    /// Unique id: its own, if no other call has it.
    pub(super) id: String,
    pub(super) name: &'a str,
    pub(super) call: &'a Value,
}

/// Converts the earlier messages for a text model, without signatures, which it would refuse if another model made
/// them.
pub(super) fn without_signature(messages: &[Message]) -> Vec<Value> {
    let bare = messages.iter().map(|message| {
        let parts = message.parts.iter().map(|it| Part { signature: None, ..it.clone() });
        Message { parts: parts.collect(), ..*message }
    });
    history(&bare.collect::<Vec<_>>())
}

/// Removes blank texts, which are refused without their signature.
fn without_blanks(contents: &mut Vec<Value>) {
    let is_blank = |it: &Value| it["text"] == "" && it.get("thoughtSignature").is_none();
    for mut content in std::mem::take(contents) {
        let Value::Array(mut parts) = content["parts"].take() else { continue };
        parts.retain(|it| !is_blank(it));
        push(contents, content["role"].as_str().unwrap_or("user"), parts);
    }
}

/// Whether an error says that a signature is missing or foreign. Signatures are valid for one model and key.
pub(in crate::models) fn is_of_signatures(refusal: &str) -> bool {
    let refusal = refusal.to_ascii_lowercase();
    refusal.contains("thought signature") || refusal.contains("thought_signature")
}

/// Removes all signatures and adds a placeholder to each answer's first call; returns whether anything changed.
pub(in crate::models) fn unsign(contents: &mut Vec<Value>) -> bool {
    let before = contents.clone();
    for content in contents.iter_mut().filter(|it| it["role"] == "model") {
        let mut is_first = true;
        for part in content["parts"].as_array_mut().into_iter().flatten() {
            let is_call = part.get("functionCall").is_some();
            if let Some(part) = part.as_object_mut() {
                part.remove("thoughtSignature");
                if is_call && std::mem::take(&mut is_first) {
                    part.insert("thoughtSignature".to_owned(), UNSIGNED.into());
                }
            }
        }
    }
    without_blanks(contents);
    *contents != before
}

/// Converts the earlier messages: alternating, and the person's first, as the API requires.
pub(in crate::models) fn history(messages: &[Message]) -> Vec<Value> {
    let mut contents = Vec::new();
    for message in messages {
        let role = if message.is_user { "user" } else { "model" };
        push(&mut contents, role, parts_json(&message.parts));
    }
    contents
}

/// Adds parts of `role`, to the last content if it has the same role. The first content is the person's.
pub(in crate::models) fn push(contents: &mut Vec<Value>, role: &str, parts: Vec<Value>) {
    match contents.last_mut() {
        _ if parts.is_empty() => {}
        None if role != "user" => {}
        Some(last) if last["role"] == role => {
            if let Some(before) = last["parts"].as_array_mut() {
                before.extend(parts);
            }
        }
        _ => contents.push(json!({ "role": role, "parts": parts })),
    }
}

/// Converts texts and pictures to parts with their signatures (ILL-27, ILL-41).
pub(in crate::models) fn parts_json(parts: &[Part]) -> Vec<Value> {
    let parts = parts.iter().filter_map(|source| {
        let mut part = match &source.body {
            Body::Text(text) if text.is_empty() && source.signature.is_none() => return None,
            Body::Text(text) => json!({ "text": text }),
            Body::Image(image) if !fits(image) => {
                json!({ "text": format!("[{}, which cannot be read here]", image.mime_type) })
            }
            Body::Image(image) => inline(image),
        };
        if let Some(signature) = &source.signature {
            part["thoughtSignature"] = signature.as_str().into();
        }
        Some(part)
    });
    parts.collect()
}

/// Converts a picture to a part.
pub(in crate::models) fn inline(image: &Image) -> Value {
    json!({ "inlineData": { "mimeType": image.mime_type, "data": &*image.data } })
}

/// Whether the model can read the picture.
pub(in crate::models) fn fits(image: &Image) -> bool {
    MIME_TYPES.contains(&image.mime_type.as_str()) && image.data.len() <= BYTES_MAX
}

/// Returns the calls of the content at `index`, in order, with stable ids.
pub(super) fn calls(contents: &[Value], index: usize) -> Vec<MadeCall<'_>> {
    let of = |it: &'_ Value| it["id"].as_str().filter(|it| !it.is_empty()).map(str::to_owned);
    let before = contents[..index].iter().flat_map(made);
    let mut taken: BTreeSet<String> = before.filter_map(of).collect();
    let calls = made(&contents[index]).enumerate().map(|(place, call)| {
        let own = of(call).filter(|it| taken.insert(it.clone()));
        let id = own.unwrap_or_else(|| format!("call-{index}-{place}"));
        MadeCall { id, name: call["name"].as_str().unwrap_or_default(), call }
    });
    calls.collect()
}

fn made(content: &Value) -> impl Iterator<Item = &Value> {
    let parts = content["parts"].as_array().into_iter().flatten();
    parts.filter_map(|it| it.get("functionCall")).filter(move |_| content["role"] == "model")
}

/// Builds a response for each of the last calls, in order, with name and id (ILL-24). Pictures go into
/// the responses if the model accepts them there, otherwise next to them (ILL-28).
pub(super) fn answers(
    contents: &[Value],
    answered: &[Answered],
    takes_pictures: bool,
) -> Vec<Value> {
    let Some(last) = contents.len().checked_sub(1) else { return Vec::new() };
    let (mut parts, mut separate, mut left) = (Vec::new(), Vec::new(), BYTES_MAX);
    for made in calls(contents, last) {
        let answer = answered.iter().find(|it| it.call.id == made.id);
        let Some(answer) = answer else {
            let error = json!({ "error": "the call has no result" });
            parts.push(response(&made, error));
            continue;
        };
        let mut result = messages::readable(answer, answered.len());
        let before = result.images.len();
        result.images.retain(|image| {
            let room = left.checked_sub(image.data.len()).filter(|_| fits(image));
            left = room.unwrap_or(left);
            room.is_some()
        });
        let left_out = before - result.images.len();
        if let (true, Some(object)) = (left_out > 0, result.object.as_object_mut()) {
            object.insert("imagesLeftOut".to_owned(), left_out.into());
        }
        let mut part = response(&made, result.object);
        let images: Vec<_> = result.images.iter().map(inline).collect();
        match takes_pictures {
            true if images.is_empty() => {}
            true => part["functionResponse"]["parts"] = images.into(),
            false => separate.extend(images),
        }
        parts.push(part);
    }
    parts.extend(separate);
    parts
}

/// Access to its messages for shortening.
pub(in crate::models) const SHAPE: Shape =
    Shape { pictures, drop_picture, drop_results, begin, is_result: |_| false };

fn pictures(content: &Value) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, part) in content["parts"].as_array().into_iter().flatten().enumerate() {
        found.extend(size(part).map(|it| (format!("/parts/{at}"), it)));
        let inner = part["functionResponse"]["parts"].as_array().into_iter().flatten().enumerate();
        let inner = inner.filter_map(|(place, part)| {
            Some((format!("/parts/{at}/functionResponse/parts/{place}"), size(part)?))
        });
        found.extend(inner);
    }
    found
}

/// A picture in a response is removed, and the response notes it.
fn drop_picture(content: &mut Value, place: &str, note: &str) {
    let inner = place.split_once("/functionResponse/parts/");
    let Some((part, at)) = inner else {
        if let Some(part) = content.pointer_mut(place) {
            *part = json!({ "text": note });
        }
        return;
    };
    let Some(response) = content.pointer_mut(part) else { return };
    let response = &mut response["functionResponse"];
    if let (Some(parts), Ok(at)) = (response["parts"].as_array_mut(), at.parse::<usize>())
        && at < parts.len()
    {
        parts.remove(at);
        let is_empty = parts.is_empty();
        if let Some(response) = response.as_object_mut().filter(|_| is_empty) {
            response.remove("parts");
        }
    }
    if let Some(object) = response["response"].as_object_mut() {
        object.insert("picturesLeftOut".to_owned(), note.into());
    }
}

fn drop_results(content: &mut Value) {
    for part in content["parts"].as_array_mut().into_iter().flatten() {
        let Some(response) = part.get_mut("functionResponse") else { continue };
        if response["response"].to_string().len() > 2 * trim::RESULT.len() {
            response["response"] = json!({ "notice": trim::RESULT });
        }
    }
}

/// Makes the person's content the first, without results of dropped calls.
fn begin(content: &mut Value) -> bool {
    if content["role"] != "user" {
        return false;
    }
    let Some(parts) = content["parts"].as_array_mut() else { return false };
    parts.retain(|it| it.get("functionResponse").is_none());
    !parts.is_empty()
}

/// Bytes of a picture.
fn size(part: &Value) -> Option<usize> {
    part["inlineData"]["data"].as_str().map(str::len)
}

fn response(made: &MadeCall<'_>, object: Value) -> Value {
    // Responses have to be objects; other values are wrapped.
    let object = if object.is_object() { object } else { json!({ "result": object }) };
    let mut response = json!({ "name": made.name, "response": object });
    if let Some(id) = made.call.get("id") {
        response["id"] = id.clone();
    }
    json!({ "functionResponse": response })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolCall, ToolResult, call::Failure, models::trim::Room};

    fn called(ids: &[Option<&str>]) -> Vec<Value> {
        let parts = ids.iter().map(|id| {
            let mut call = json!({ "name": "find", "args": {} });
            if let Some(id) = id {
                call["id"] = (*id).into();
            }
            json!({ "functionCall": call })
        });
        vec![json!({ "role": "model", "parts": parts.collect::<Vec<_>>() })]
    }

    fn results_of(id: &str, result: ToolResult) -> Answered {
        let (name, reason) = ("find".to_owned(), String::new());
        let (arguments, meta) = (serde_json::Map::new(), serde_json::Map::new());
        Answered { call: ToolCall { id: id.to_owned(), name, arguments, meta, reason }, result }
    }

    fn picture(mime_type: &str) -> ToolResult {
        let image = Image { mime_type: mime_type.to_owned(), data: "AAAA".into() };
        let content = vec![Part::image(image)];
        ToolResult::Output { structured: json!({ "n": 1 }), meta: json!({}), content }
    }

    #[test]
    fn responses_follow_call_order_with_ids() {
        let contents = called(&[Some("a"), None, Some("a")]);
        let ids: Vec<_> = calls(&contents, 0).into_iter().map(|it| it.id).collect();
        assert_eq!(ids, ["a", "call-0-1", "call-0-2"]);
        let failed = ToolResult::Failed(Failure::new("not_found", 404, "None."));
        let answered = [results_of("call-0-1", failed), results_of("a", picture("image/png"))];
        let parts = answers(&contents, &answered, true);
        let responses: Vec<_> = parts.iter().map(|it| &it["functionResponse"]).collect();
        assert_eq!(responses[0]["id"], "a", "ILL-24");
        assert_eq!(responses[0]["parts"][0]["inlineData"]["data"], "AAAA", "ILL-28");
        assert_eq!(responses[1].get("id"), None, "ILL-24");
        assert_eq!(responses[1]["response"]["error"]["error"], "not_found", "ILL-26");
        assert!(responses[2]["response"]["error"].is_string(), "each call has a response");
    }

    /// Older models get pictures beside the responses; a picture of another type is left out.
    #[test]
    fn older_models_get_pictures_after_responses() {
        let contents = called(&[Some("a"), Some("b")]);
        let answered =
            [results_of("a", picture("image/png")), results_of("b", picture("image/svg+xml"))];
        let parts = answers(&contents, &answered, false);
        assert_eq!(parts.len(), 3, "ILL-28");
        assert_eq!(parts[2]["inlineData"]["mimeType"], "image/png", "ILL-28");
        assert_eq!(parts[1]["functionResponse"]["response"]["imagesLeftOut"], 1);
    }

    #[test]
    fn drops_oldest_pictures_beyond_limit() {
        let large = "A".repeat(1_000);
        let blob = json!({ "inlineData": { "mimeType": "image/png", "data": large } });
        let response =
            json!({ "functionResponse": { "name": "f", "response": {}, "parts": [blob] } });
        let of = |part: &Value| json!({ "role": "user", "parts": [part] });
        let mut contents = vec![of(&response), of(&blob), of(&blob), of(&response)];
        trim::fit(&mut contents, Room { bytes: 3_400, pictures: 10 }, &SHAPE);
        let first = &contents[0]["parts"][0]["functionResponse"];
        assert_eq!((first.get("parts"), &first["name"]), (None, &json!("f")));
        assert_eq!(first["response"]["picturesLeftOut"], trim::PICTURE);
        assert_eq!(contents[1]["parts"][0]["text"], trim::PICTURE);
        assert_eq!((&contents[2], &contents[3]), (&of(&blob), &of(&response)));
    }

    #[test]
    fn signature_survives_round_trip() {
        let part = Part { signature: Some("c2ln".to_owned()), ..Part::text("") };
        assert_eq!(
            parts_json(&[part]),
            [json!({ "text": "", "thoughtSignature": "c2ln" })],
            "ILL-27"
        );
        assert_eq!(parts_json(&[Part::text("")]), Vec::<Value>::new());
    }

    #[test]
    fn drops_foreign_signatures() {
        for (refusal, is_so) in [
            ("HTTP 400: Corrupted thought signature.", true),
            ("HTTP 400: Function call is missing a thought_signature in functionCall parts.", true),
            ("HTTP 400: contents is not specified", false),
        ] {
            assert_eq!(is_of_signatures(refusal), is_so, "{refusal}");
        }
        let mut contents = called(&[Some("a"), Some("b")]);
        let parts = contents[0]["parts"].as_array_mut().unwrap();
        parts[0]["thoughtSignature"] = "c2ln".into();
        parts.insert(0, json!({ "text": "", "thoughtSignature": "c2ln" }));
        let says = |role: &str, part: Value| json!({ "role": role, "parts": [part] });
        contents.insert(0, says("user", json!({ "text": "find" })));
        contents.push(says("user", json!({ "functionResponse": { "name": "find" } })));
        contents.push(says("model", json!({ "text": "", "thoughtSignature": "c2ln" })));
        contents.push(says("user", json!({ "text": "more" })));
        assert!(unsign(&mut contents));
        assert_eq!(contents.len(), 3, "they alternate without the answer of nothing: {contents:?}");
        let signed = |it: &Value| it.get("thoughtSignature").cloned();
        let signatures: Vec<_> =
            contents[1]["parts"].as_array().unwrap().iter().map(signed).collect();
        assert_eq!(signatures, [Some(UNSIGNED.into()), None]);
        assert!(!unsign(&mut contents), "there is nothing left to take out");
    }

    #[test]
    fn text_model_gets_history_without_signatures() {
        let sign = |it: Part| Part { signature: Some("c2ln".to_owned()), ..it };
        let image = Image { mime_type: "image/png".to_owned(), data: "AAAA".into() };
        let parts = vec![sign(Part::text("")), sign(Part::text("x")), sign(Part::image(image))];
        let bare = Message { is_user: false, parts: vec![sign(Part::text(""))] };
        let asked = Message { is_user: true, parts: vec![Part::text("?")] };
        let contents = without_signature(&[asked, Message { is_user: false, parts }, bare]);
        assert!(!json!(contents).to_string().contains("thoughtSignature"), "{contents:?}");
        assert_eq!(contents.len(), 2);
        assert_eq!(contents[1]["parts"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn history_starts_with_the_person_and_alternates() {
        let message =
            |is_user: bool, text: &str| Message { is_user, parts: vec![Part::text(text)] };
        // The picture of an answer was not kept; a message was sent again.
        let messages =
            [(false, "a"), (true, "b"), (false, ""), (true, "c"), (false, "d"), (false, "e")];
        let messages: Vec<_> = messages.into_iter().map(|it| message(it.0, it.1)).collect();
        let mut contents = history(&messages);
        push(&mut contents, "user", parts_json(&[Part::text("f")]));
        push(&mut contents, "user", parts_json(&[Part::text("g")]));
        let text =
            |texts: &[&str]| texts.iter().map(|it| json!({ "text": it })).collect::<Vec<_>>();
        let of = |role: &str, texts: &[&str]| json!({ "role": role, "parts": text(texts) });
        let wanted = [of("user", &["b", "c"]), of("model", &["d", "e"]), of("user", &["f", "g"])];
        assert_eq!(contents, wanted);
    }
}
