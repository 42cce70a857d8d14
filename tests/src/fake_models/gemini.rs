//! Gemini's generateContent, played by this process: a text model of the third generation, an older
//! one, and models of pictures.
//!
//! A message of the script is `{"parts": […], "finishReason"?, "blockReason"?, "usage"?}`. Ids and
//! signatures are added as the real ones do: an id to each call, a signature to the first call of a
//! step, and with models of pictures to the first part and to each picture.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Map, Value, json};

use super::{Broken, Provider, ReceivedRequest, Sse};

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
    signed: Mutex<Signed>,
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
        refusal(&received.body).map_err(refused)?;
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
        turn_refusal(contents, &signed, signs(model), draws).map_err(refused)
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

// Allowed fields of a request to Gemini and their types; any other is rejected by name.
//
// From <https://ai.google.dev/api/generate-content> (request, GenerationConfig) and
// <https://ai.google.dev/api/caching> (Content, Part, Tool, FunctionDeclaration, Schema).

const REQUEST: &[&str] = &[
    "contents",
    "tools",
    "toolConfig",
    "safetySettings",
    "systemInstruction",
    "generationConfig",
    "cachedContent",
];

const PART: &[&str] = &[
    "text",
    "inlineData",
    "functionCall",
    "functionResponse",
    "fileData",
    "thought",
    "thoughtSignature",
    "mediaResolution",
];

/// A part is exactly one of these.
const KINDS: &[&str] = &["text", "inlineData", "functionCall", "functionResponse", "fileData"];

const GENERATION: &[&str] = &[
    "stopSequences",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "responseModalities",
    "candidateCount",
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "responseLogprobs",
    "logprobs",
    "speechConfig",
    "thinkingConfig",
    "imageConfig",
    "mediaResolution",
];

const SCHEMA: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

const TYPES: &[&str] = &["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

/// Checks all fields of a request, at any depth.
fn refusal(body: &Value) -> Result<(), String> {
    let body = object(body, "")?;
    only(body, REQUEST, "")?;
    let contents = list(body, "contents", "")?;
    if contents.is_empty() {
        return Err("* GenerateContentRequest.contents: contents is not specified".to_owned());
    }
    for (index, entry) in contents.iter().enumerate() {
        content(entry, &format!("contents[{index}]"))?;
    }
    if let Some(instruction) = body.get("systemInstruction") {
        content(instruction, "system_instruction")?;
    }
    for (index, entry) in list(body, "tools", "")?.iter().enumerate() {
        tool(entry, &format!("tools[{index}]"))?;
    }
    if let Some(config) = body.get("toolConfig") {
        only(
            object(config, "tool_config")?,
            &["functionCallingConfig", "retrievalConfig"],
            "tool_config",
        )?;
    }
    if let Some(config) = body.get("generationConfig") {
        only(object(config, "generation_config")?, GENERATION, "generation_config")?;
    }
    Ok(())
}

fn content(content: &Value, at: &str) -> Result<(), String> {
    let fields = object(content, at)?;
    only(fields, &["role", "parts"], at)?;
    let parts = list(fields, "parts", at)?;
    if parts.is_empty() {
        return Err(format!(
            "* GenerateContentRequest.{at}.parts: contents.parts must not be empty."
        ));
    }
    parts.iter().enumerate().try_for_each(|(index, it)| part(it, &format!("{at}.parts[{index}]")))
}

fn part(part: &Value, at: &str) -> Result<(), String> {
    let fields = object(part, at)?;
    only(fields, PART, at)?;
    if KINDS.iter().filter(|it| fields.contains_key(**it)).count() != 1 {
        return Err(format!(
            "* GenerateContentRequest.{at}.data: required oneof field 'data' must have one initialized field"
        ));
    }
    if fields.get("text").is_some_and(|it| !it.is_string()) {
        return Err(invalid(at, "text"));
    }
    // A text that says nothing is there for its signature alone.
    if fields.get("text").is_some_and(|it| it == "") && !fields.contains_key("thoughtSignature") {
        return Err(format!("* GenerateContentRequest.{at}.text: a part must have a text"));
    }
    if let Some(data) = fields.get("inlineData") {
        blob(data, &format!("{at}.inline_data"))?;
    }
    if let Some(call) = fields.get("functionCall") {
        let at = format!("{at}.function_call");
        let fields = object(call, &at)?;
        only(fields, &["id", "name", "args"], &at)?;
        named(fields, &at)?;
    }
    if let Some(response) = fields.get("functionResponse") {
        let at = format!("{at}.function_response");
        let fields = object(response, &at)?;
        only(fields, &["id", "name", "response", "parts", "willContinue", "scheduling"], &at)?;
        named(fields, &at)?;
        // `response` is a Struct: an object, whatever the tool gave.
        object(fields.get("response").unwrap_or(&Value::Null), &format!("{at}.response"))?;
        for (index, part) in list(fields, "parts", &at)?.iter().enumerate() {
            let at = format!("{at}.parts[{index}]");
            let fields = object(part, &at)?;
            only(fields, &["inlineData"], &at)?;
            blob(fields.get("inlineData").unwrap_or(&Value::Null), &format!("{at}.inline_data"))?;
        }
    }
    Ok(())
}

/// Bytes with their type: `data` is base64 (<https://ai.google.dev/api/caching#Blob>).
fn blob(blob: &Value, at: &str) -> Result<(), String> {
    let fields = object(blob, at)?;
    only(fields, &["mimeType", "data"], at)?;
    let mime_type = fields.get("mimeType").and_then(Value::as_str).unwrap_or_default();
    let images = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
    if !images.contains(&mime_type) {
        return Err(format!("Unsupported MIME type: {mime_type}"));
    }
    let data = fields.get("data").and_then(Value::as_str).unwrap_or_default();
    let is_base64 = |it: u8| it.is_ascii_alphanumeric() || b"+/=-_".contains(&it);
    match !data.is_empty() && data.bytes().all(is_base64) {
        true => Ok(()),
        false => Err(format!("Invalid value at '{at}.data' (TYPE_BYTES), Base64 decoding failed")),
    }
}

fn tool(tool: &Value, at: &str) -> Result<(), String> {
    let fields = object(tool, at)?;
    only(fields, &["functionDeclarations", "googleSearch", "codeExecution", "urlContext"], at)?;
    for (index, declaration) in list(fields, "functionDeclarations", at)?.iter().enumerate() {
        let at = format!("{at}.function_declarations[{index}]");
        let fields = object(declaration, &at)?;
        let declared =
            ["name", "description", "behavior", "parameters", "parametersJsonSchema", "response"];
        only(fields, &declared, &at)?;
        named(fields, &at)?;
        if fields.get("description").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(format!("* GenerateContentRequest.{at}.description: must not be empty"));
        }
        if fields.contains_key("parameters") && fields.contains_key("parametersJsonSchema") {
            return Err(format!("{at}: parameters and parameters_json_schema are exclusive"));
        }
        if let Some(parameters) = fields.get("parameters") {
            schema(parameters, &format!("{at}.parameters"))?;
        }
    }
    Ok(())
}

/// Gemini's schemas, a subset of OpenAPI 3.0
/// (<https://ai.google.dev/api/caching#Schema>).
fn schema(schema: &Value, at: &str) -> Result<(), String> {
    let fields = object(schema, at)?;
    only(fields, SCHEMA, at)?;
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    if !TYPES.contains(&kind) && !fields.contains_key("anyOf") {
        return Err(format!("Invalid value at '{at}.type' (Type), {kind:?}"));
    }
    let properties = fields.get("properties").and_then(Value::as_object);
    if kind == "OBJECT" && properties.is_none_or(Map::is_empty) {
        return Err(format!(
            "* GenerateContentRequest.{at}.properties: should be non-empty for OBJECT type"
        ));
    }
    for (index, name) in list(fields, "required", at)?.iter().enumerate() {
        if !name.as_str().is_some_and(|it| properties.is_some_and(|own| own.contains_key(it))) {
            return Err(format!(
                "* GenerateContentRequest.{at}.required[{index}]: property is not defined"
            ));
        }
    }
    let values = list(fields, "enum", at)?;
    if values.iter().any(|it| !it.is_string()) {
        return Err(invalid(at, "enum"));
    }
    if values.iter().any(|it| it == "") {
        return Err(format!("* GenerateContentRequest.{at}.enum: cannot be empty"));
    }
    for (name, property) in properties.into_iter().flatten() {
        self::schema(property, &format!("{at}.properties[{name}]"))?;
    }
    match fields.get("items") {
        Some(items) => self::schema(items, &format!("{at}.items"))?,
        None if kind == "ARRAY" => {
            return Err(format!("* GenerateContentRequest.{at}.items: missing field."));
        }
        None => {}
    }
    let any = list(fields, "anyOf", at)?.iter().enumerate();
    any.into_iter().try_for_each(|(index, it)| self::schema(it, &format!("{at}.any_of[{index}]")))
}

/// A function's name (<https://ai.google.dev/api/caching#FunctionDeclaration>): a letter or an
/// underscore, then letters, digits, and `_.:-`, 64 at most.
fn named(fields: &Map<String, Value>, at: &str) -> Result<(), String> {
    let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
    let is_first = |it: char| it.is_ascii_alphabetic() || it == '_';
    let is_rest = |it: char| it.is_ascii_alphanumeric() || "_.:-".contains(it);
    match name.starts_with(is_first) && name.chars().all(is_rest) && name.len() <= 64 {
        true => Ok(()),
        false => Err(format!("Invalid function name at '{at}.name': {name:?}")),
    }
}

fn only(fields: &Map<String, Value>, names: &[&str], at: &str) -> Result<(), String> {
    match fields.keys().find(|it| !names.contains(&it.as_str())) {
        None => Ok(()),
        Some(name) if at.is_empty() => Err(unknown_name(name, "")),
        Some(name) => Err(unknown_name(name, &format!(" at '{at}'"))),
    }
}

fn unknown_name(name: &str, at: &str) -> String {
    format!("Invalid JSON payload received. Unknown name \"{name}\"{at}: Cannot find field.")
}

fn invalid(at: &str, name: &str) -> String {
    format!("Invalid value at '{at}.{name}'")
}

fn object<'a>(value: &'a Value, at: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("Invalid value at '{at}': an object is expected"))
}

fn list<'a>(fields: &'a Map<String, Value>, name: &str, at: &str) -> Result<&'a [Value], String> {
    match fields.get(name) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(invalid(at, name)),
    }
}

// The order of a conversation with Gemini, and the signatures that it requires.

/// Placeholders for signatures in conversations from elsewhere
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
const SKIPPED: &[&str] =
    &["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/// Sent parts by their signatures.
type Signed = BTreeMap<String, Value>;

/// Checks the order of a conversation.
fn turn_refusal(
    contents: &[Value],
    signed: &Signed,
    signs: bool,
    makes_images: bool,
) -> Result<(), String> {
    for content in contents {
        // https://ai.google.dev/api/caching#Content: "user" or "model".
        if !matches!(content["role"].as_str(), Some("user" | "model")) {
            return Err("Please use a valid role: user, model.".to_owned());
        }
    }
    if contents.last().is_some_and(|it| it["role"] != "user") {
        let message = "Please ensure that single turn requests end with a user role or the role field is empty.";
        return Err(message.to_owned());
    }
    calls(contents)?;
    if makes_images {
        images(contents, signed)?;
    }
    if signs {
        steps(contents, signed)?;
    }
    verbatim(contents, signed)
}

/// Each call is answered in the next content, once, in order, by its name and by its id where it had
/// one (<https://ai.google.dev/gemini-api/docs/function-calling>, "Parallel function calling").
fn calls(contents: &[Value]) -> Result<(), String> {
    for (index, content) in contents.iter().enumerate() {
        let made = of(content, "functionCall");
        let answers = of(content, "functionResponse");
        if !made.is_empty() && content["role"] != "model"
            || !answers.is_empty() && content["role"] != "user"
        {
            return Err(
                "Function calls are the model's, and function responses the user's.".to_owned()
            );
        }
        if !made.is_empty() && (index == 0 || contents[index - 1]["role"] != "user") {
            let message = "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
            return Err(message.to_owned());
        }
        let received =
            if index == 0 { Vec::new() } else { of(&contents[index - 1], "functionCall") };
        if received.is_empty() && !answers.is_empty() {
            let message = "Please ensure that function response turn comes immediately after a function call turn.";
            return Err(message.to_owned());
        }
        if received.len() != answers.len() {
            let message = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
            return Err(message.to_owned());
        }
        for (call, answer) in received.iter().zip(&answers) {
            if call["name"] != answer["name"] || call["id"] != answer["id"] {
                return Err(format!(
                    "Function response {} {} does not match function call {} {}.",
                    answer["name"], answer["id"], call["name"], call["id"]
                ));
            }
        }
    }
    Ok(())
}

/// In the current turn, the first call of each step has its signature
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>, "Gemini 3: strict validation").
fn steps(contents: &[Value], signed: &Signed) -> Result<(), String> {
    let is_said = |content: &Value| {
        let parts = content["parts"].as_array().into_iter().flatten();
        content["role"] == "user" && parts.clone().any(|it| it.get("functionResponse").is_none())
    };
    // Contents before the last message of the user are not checked.
    let begins = contents.iter().rposition(is_said).unwrap_or(0);
    for (position, content) in contents.iter().enumerate().skip(begins) {
        let parts = content["parts"].as_array().into_iter().flatten();
        let Some(first) = parts.into_iter().find(|it| it.get("functionCall").is_some()) else {
            continue;
        };
        let name = first["functionCall"]["name"].as_str().unwrap_or_default();
        let Some(signature) = first["thoughtSignature"].as_str() else {
            return Err(format!(
                "Function call is missing a thought_signature in functionCall parts. This is required for \
                 tools to work correctly, and missing thought_signature may lead to degraded model \
                 performance. Additional data, function call `default_api:{name}` , position {}. Please \
                 refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
                position + 1
            ));
        };
        if !SKIPPED.contains(&signature) && !signed.contains_key(signature) {
            return Err("Corrupted thought signature.".to_owned());
        }
    }
    Ok(())
}

/// Models of pictures want a signature with the first part of each answer, and with each picture
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>, "Image generation and editing").
fn images(contents: &[Value], signed: &Signed) -> Result<(), String> {
    for content in contents.iter().filter(|it| it["role"] == "model") {
        let parts = content["parts"].as_array().into_iter().flatten();
        let parts = parts.filter(|it| it["thought"] != true).enumerate();
        for (_, part) in parts.filter(|(index, it)| *index == 0 || it.get("inlineData").is_some()) {
            match part["thoughtSignature"].as_str() {
                None => return Err("Image part is missing a thought_signature.".to_owned()),
                Some(signature)
                    if SKIPPED.contains(&signature) || signed.contains_key(signature) => {}
                Some(_) => return Err("Corrupted thought signature.".to_owned()),
            }
        }
    }
    Ok(())
}

/// A part that was signed comes back as it was: "return the entire response with all parts", and parts
/// with a signature are not merged with others (the same page).
fn verbatim(contents: &[Value], signed: &Signed) -> Result<(), String> {
    let models = contents.iter().filter(|it| it["role"] == "model");
    for part in models.flat_map(|it| it["parts"].as_array().into_iter().flatten()) {
        let before = part["thoughtSignature"].as_str().and_then(|it| signed.get(it));
        if before.is_some_and(|it| it != part) {
            return Err("Corrupted thought signature.".to_owned());
        }
    }
    Ok(())
}

fn of<'a>(content: &'a Value, kind: &str) -> Vec<&'a Value> {
    let parts = content["parts"].as_array().into_iter().flatten();
    parts.filter_map(|it| it.get(kind)).collect()
}
