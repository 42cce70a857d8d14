//! Allowed fields of a request to Gemini and their types; any other is rejected by name.
//!
//! From <https://ai.google.dev/api/generate-content> (request, GenerationConfig) and
//! <https://ai.google.dev/api/caching> (Content, Part, Tool, FunctionDeclaration, Schema).

use serde_json::{Map, Value};

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
pub(super) fn refusal(body: &Value) -> Result<(), String> {
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
