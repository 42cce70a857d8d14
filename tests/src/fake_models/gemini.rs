//! Gemini's generateContent, played by this process: a text model of the third generation, an older
//! one, and models of pictures.
//!
//! A message of the script is `{"parts": […], "finishReason"?, "blockReason"?, "usage"?}`. Ids and
//! signatures are added as the real ones do: an id to each call, a signature to the first call of a
//! step, and with models of pictures to the first part and to each picture.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use super::{Broken, Provider, ReceivedRequest, Sse};

mod fields;
mod turns;

/// The valid key.
pub const KEY: &str = "AIzaFakeGeminiKeyOfTheTests";
/// A current text model.
pub const TEXT: &str = "gemini-3.8-flash";
/// A text model of the generation before: no pictures in responses, no signatures.
pub const OLDER: &str = "gemini-2.5-flash";
/// A model of pictures: it calls nothing (<https://ai.google.dev/gemini-api/docs/image-generation>).
pub const PICTURES: &str = "gemini-nano-banana-2.1";
/// The models that draw pictures.
const DRAWING: &[&str] = &[PICTURES, "gemini-3-pro-image"];
/// Sides of a picture (<https://ai.google.dev/gemini-api/docs/image-generation>, "Aspect ratios").
const RATIOS: &[&str] = &[
    "1:1", "1:4", "1:8", "2:3", "3:2", "3:4", "4:1", "4:3", "4:5", "5:4", "8:1", "9:16", "16:9",
    "21:9",
];
/// Its sizes, with a large K.
const SIZES: &[&str] = &["1K", "2K", "4K"];

/// The provider's rules, with its signed parts.
#[derive(Default)]
pub struct Gemini {
    signed: Mutex<turns::Signed>,
    count: AtomicUsize,
}

/// A part with a call.
pub fn call(name: &str, args: Value) -> Value {
    json!({ "functionCall": { "name": name, "args": args } })
}

/// A part with text.
pub fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// A part with a picture.
pub fn picture(data: &str) -> Value {
    json!({ "inlineData": { "mimeType": "image/png", "data": data } })
}

/// A message of these parts.
pub fn message(parts: &[Value]) -> Value {
    json!({ "parts": parts })
}

impl Provider for Gemini {
    fn judge(&self, received: &ReceivedRequest) -> Result<(), Broken> {
        let (model, _) = method(received)?;
        // https://ai.google.dev/gemini-api/docs/api-key: the key goes in the header x-goog-api-key.
        match received.header("x-goog-api-key") {
            KEY => {}
            "" => {
                let message = "Method doesn't allow unregistered callers (callers without established identity).";
                return Err(Broken(403, message.to_owned()));
            }
            _ => {
                let message = "API key not valid. Please pass a valid API key.";
                return Err(Broken(400, message.to_owned()));
            }
        }
        let refused = |it: String| Broken(400, it);
        fields::refusal(&received.body).map_err(refused)?;
        let draws = DRAWING.contains(&model);
        if draws && received.body.get("tools").is_some() {
            // The models' page: function calling is not supported.
            return Err(refused(format!("Function calling is not enabled for models/{model}")));
        }
        generation(&received.body, model, draws).map_err(refused)?;
        let contents = received.body["contents"].as_array().map_or(&[][..], Vec::as_slice);
        if !signs(model) {
            older(contents).map_err(refused)?;
        }
        let signed = self.signed.lock().unwrap_or_else(PoisonError::into_inner);
        turns::refusal(contents, &signed, signs(model), draws).map_err(refused)
    }

    fn is_streamed(&self, received: &ReceivedRequest) -> bool {
        method(received).is_ok_and(|it| it.1)
    }

    fn whole(&self, received: &ReceivedRequest, message: &Value) -> Value {
        let model = method(received).map_or("", |it| it.0);
        let parts = self.signed(model, message);
        chunk(model, message, parts, true)
    }

    /// Each event is a whole response; calls and pictures come complete, texts in pieces
    /// (<https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent>).
    fn events(&self, received: &ReceivedRequest, message: &Value) -> Vec<Sse> {
        let model = method(received).map_or("", |it| it.0);
        let parts = self.signed(model, message);
        let parts: Vec<_> = parts.into_iter().flat_map(pieces).collect();
        let last = parts.len().saturating_sub(1);
        let mut chunks: Vec<_> = parts
            .into_iter()
            .enumerate()
            .map(|(index, it)| chunk(model, message, vec![it], index == last))
            .collect();
        if chunks.is_empty() {
            chunks.push(chunk(model, message, Vec::new(), true));
        }
        chunks.into_iter().map(|it| Sse { name: None, data: it.to_string() }).collect()
    }

    /// `{error: {code, message, status, details?}}`
    /// (<https://ai.google.dev/gemini-api/docs/troubleshooting>).
    fn error(&self, status: u16, message: &str) -> Value {
        let status_name = match status {
            400 => "INVALID_ARGUMENT",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            504 => "DEADLINE_EXCEEDED",
            _ => "INTERNAL",
        };
        let mut error = json!({ "code": status, "message": message, "status": status_name });
        if message.starts_with("API key not valid") {
            error["details"] = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }]);
        }
        json!({ "error": error })
    }
}

impl Gemini {
    /// The message's parts with what the service adds, which it remembers.
    fn signed(&self, model: &str, message: &Value) -> Vec<Value> {
        let mut parts = message["parts"].as_array().cloned().unwrap_or_default();
        let draws = DRAWING.contains(&model);
        let (mut has_call, mut has_first) = (false, false);
        for part in parts.iter_mut().filter(|it| it["thought"] != true) {
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            let is_call = part.get("functionCall").is_some();
            if is_call && signs(model) && part["functionCall"].get("id").is_none() {
                part["functionCall"]["id"] = format!("fc{count}").into();
            }
            let is_signed = match draws {
                true => !has_first || part.get("inlineData").is_some(),
                false => is_call && !has_call && signs(model),
            };
            (has_call, has_first) = (has_call | is_call, true);
            if is_signed && part.get("thoughtSignature").is_none() {
                // Bytes in base64: "signature" and its number.
                part["thoughtSignature"] = format!("c2lnbmF0dXJl{count:04}").into();
            }
            if let Some(signature) = part["thoughtSignature"].as_str().map(str::to_owned) {
                let mut signed = self.signed.lock().unwrap_or_else(PoisonError::into_inner);
                signed.insert(signature, part.clone());
            }
        }
        parts
            .iter_mut()
            .for_each(|it| _ = it.as_object_mut().map(|it| it.retain(|_, it| !it.is_null())));
        parts
    }
}

/// Whether the model signs, and wants its signatures back.
fn signs(model: &str) -> bool {
    !model.starts_with("gemini-2")
}

/// `POST /v1beta/models/MODEL:generateContent`, or `:streamGenerateContent?alt=sse`: the model, and
/// whether it streams.
fn method(received: &ReceivedRequest) -> Result<(&str, bool), Broken> {
    let gone = || {
        Broken(
            404,
            format!("{} {} is not found for API version v1beta", received.method, received.path),
        )
    };
    let rest = received.path.strip_prefix("/v1beta/models/").ok_or_else(gone)?;
    let (model, method) = rest.split_once(':').ok_or_else(gone)?;
    let is_known = [TEXT, OLDER].contains(&model) || DRAWING.contains(&model);
    if received.method != "POST" || !is_known {
        return Err(gone());
    }
    let query: Vec<_> =
        received.query.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    match (method, &query[..]) {
        ("generateContent", []) => Ok((model, false)),
        // Without alt=sse it answers with a list, which is not asked for here.
        ("streamGenerateContent", [("alt", "sse")]) => Ok((model, true)),
        _ => Err(gone()),
    }
}

/// Checks the generation config (<https://ai.google.dev/api/generate-content#v1beta.GenerationConfig>).
fn generation(body: &Value, model: &str, draws: bool) -> Result<(), String> {
    let config = &body["generationConfig"];
    let modalities = config["responseModalities"].as_array();
    let wants_pictures = modalities.is_some_and(|it| it.contains(&json!("IMAGE")));
    if modalities
        .into_iter()
        .flatten()
        .any(|it| !["TEXT", "IMAGE"].contains(&it.as_str().unwrap_or("")))
    {
        return Err("Invalid value at 'generation_config.response_modalities'".to_owned());
    }
    if wants_pictures && !draws {
        return Err(
            "Model does not support the requested response modalities: image,text".to_owned()
        );
    }
    if let Some(image) = config.get("imageConfig") {
        if !draws {
            return Err(format!("Image config is not supported for models/{model}"));
        }
        let known = image.as_object().is_some_and(|image| {
            image.iter().all(|(name, field)| {
                let allowed = match name.as_str() {
                    "aspectRatio" => RATIOS,
                    "imageSize" => SIZES,
                    _ => &[],
                };
                field.as_str().is_some_and(|it| allowed.contains(&it))
            })
        });
        if !known {
            return Err(format!("Invalid value at 'generation_config.image_config': {image}"));
        }
    }
    Ok(())
}

/// Older models have no pictures in responses
/// (<https://ai.google.dev/gemini-api/docs/function-calling>, "Multimodal function responses": from
/// Gemini 3).
fn older(contents: &[Value]) -> Result<(), String> {
    let parts = contents.iter().flat_map(|it| it["parts"].as_array().into_iter().flatten());
    match parts.into_iter().any(|it| it["functionResponse"].get("parts").is_some()) {
        true => Err("Multimodal function responses are not supported by this model.".to_owned()),
        false => Ok(()),
    }
}

/// The pieces of a streamed part: texts are split, other parts are whole. The last has the signature.
fn pieces(part: Value) -> Vec<Value> {
    let is_whole = part.get("thoughtSignature").is_some() || part["text"] == "";
    let Some(text) = part["text"].as_str().filter(|_| !is_whole) else { return vec![part] };
    let chars: Vec<char> = text.chars().collect();
    let pieces = chars.chunks(8).map(|chars| {
        let mut piece = part.clone();
        piece["text"] = chars.iter().collect::<String>().into();
        piece
    });
    pieces.collect()
}

fn chunk(model: &str, message: &Value, parts: Vec<Value>, is_last: bool) -> Value {
    let mut chunk = json!({
        "usageMetadata": message.get("usage").cloned().unwrap_or_else(|| json!({
            "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120,
        })),
        "modelVersion": model,
        "responseId": "of-the-tests",
    });
    if let Some(reason) = message.get("blockReason") {
        // Then there are no candidates.
        chunk["promptFeedback"] = json!({ "blockReason": reason });
        return chunk;
    }
    let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
    if is_last {
        let usual = json!("STOP");
        candidate["finishReason"] = message.get("finishReason").unwrap_or(&usual).clone();
    }
    chunk["candidates"] = json!([candidate]);
    chunk
}
