//! The order of a conversation with Gemini, and the signatures that it requires.

use std::collections::BTreeMap;

use serde_json::Value;

/// Placeholders for signatures in conversations from elsewhere
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
const SKIPPED: &[&str] =
    &["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/// Sent parts by their signatures.
pub(super) type Signed = BTreeMap<String, Value>;

/// Checks the order of a conversation.
pub(super) fn refusal(
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
