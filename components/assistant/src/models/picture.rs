//! Pictures in two stages: a text model decides and calls tools, then a model without tools makes the
//! picture from the results (ILL-29, ILL-43).

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    gemini::{self, Gemini, Model, Reply, UNSIGNED},
    trim::length,
};
use crate::{
    AssistantConfig, Conclusion, Decision, ErrorKind, Image, ModelConfig, ModelError, Part,
    ToolPicker, ToolResult, Turn, Usage, images_of,
};

/// Default model for pictures.
const MODEL: &str = "gemini-nano-banana-2.1";
/// Maximum reference pictures (<https://ai.google.dev/gemini-api/docs/image-generation>).
const REFERENCES_MAX: usize = 14;
/// Maximum base64 bytes of all pictures of one request, out of 20 MB.
const BYTES_MAX: usize = 14 << 20;

/// Picker whose answers are made by a model for pictures.
struct Picture {
    text: Gemini,
    model: Model,
    config: AssistantConfig,
    /// The conversation with the model for pictures.
    contents: Vec<Value>,
    /// The person's current message.
    message: Vec<Value>,
    /// Pictures that tools returned for it.
    found: Vec<Image>,
    /// Whether tools were called for it.
    is_looked_up: bool,
    usage: Usage,
}

/// Creates a picker for Gemini's `model`, with a picture stage if the assistant makes pictures.
pub(super) fn gemini(
    model: &str,
    assistant: &AssistantConfig,
    config: &ModelConfig,
    transcript: Option<&Value>,
) -> Result<Box<dyn ToolPicker>, ModelError> {
    let before = |name: &str| transcript.and_then(|it| it.get(name));
    let text = Gemini::new(Model::new(model, config)?, assistant, before("contents"));
    if !assistant.makes_pictures {
        return Ok(Box::new(text));
    }
    let name = config.picture_model.as_deref().unwrap_or(MODEL);
    let list = |name| before(name).and_then(Value::as_array).cloned().unwrap_or_default();
    Ok(Box::new(Picture {
        text,
        model: Model::new(name, config)?.that_draws(),
        config: assistant.clone(),
        contents: list("pictures"),
        message: list("message"),
        found: list("found").iter().filter_map(image).collect(),
        is_looked_up: false,
        usage: Usage::default(),
    }))
}

impl Picture {
    /// Adds the new input of `turn`.
    fn consult(&mut self, turn: &Turn<'_>) {
        // Results of pending calls belong to the earlier message.
        if turn.is_first && turn.answered.is_empty() {
            self.message.clear();
            self.found.clear();
            self.is_looked_up = false;
        }
        self.is_looked_up |= !turn.answered.is_empty();
        if turn.is_first {
            self.message.extend(gemini::parts_json(&turn.task.message));
        }
        for answered in turn.answered {
            if let ToolResult::Output { content, .. } = &answered.result {
                self.found.extend(images_of(content).filter(|it| gemini::fits(it)).cloned());
            }
        }
    }

    fn next(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        self.consult(&turn);
        let mut answer = String::new();
        if turn.offers.is_empty() && turn.answered.is_empty() {
            // Without tools there is nothing to decide (ILL-31).
            self.text.consult(&turn);
        } else {
            match self.text.decide_silently(turn)? {
                Decision::Call(calls) => return Ok(Decision::Call(calls)),
                Decision::Conclude(it) => answer = it.text(),
            }
        }
        // The text model explains why nothing was found; text that leads to a picture is not repeated.
        let needs_answer = self.is_looked_up && self.found.is_empty();
        let answer = Some(answer.trim()).filter(|it| needs_answer && !it.is_empty());
        self.picture(&turn, answer).map(Decision::Conclude)
    }

    /// Second stage: asks the model for pictures. `answer` is the preceding text, if any.
    fn picture(&mut self, turn: &Turn<'_>, answer: Option<&str>) -> Result<Conclusion, ModelError> {
        let message = turn.task.language.pick("画像を生成中...", "Making the picture…");
        let status = || json!({ "state": "drawing", "message": message });
        turn.sink.send("status", status);
        let mut contents = match self.contents.is_empty() {
            true => gemini::history(&turn.task.history),
            false => self.contents.clone(),
        };
        contents.iter_mut().for_each(sign);
        let mut parts = self.message.clone();
        if let Some(answer) = answer {
            let found = turn.task.language.pick("調べた結果", "What was found");
            parts.push(json!({ "text": format!("[{found}: {answer}]") }));
            turn.sink.send_text(&format!("{answer}\n\n"));
        }
        parts.extend(references(&self.found).map(gemini::inline));
        gemini::push(&mut contents, "user", parts);
        drop_oldest(&mut contents);
        let reply = self.reply(&mut contents, turn)?;
        let mut conclusion = conclusion(&reply)?;
        if let Some(answer) = answer {
            let end = if conclusion.text().trim().is_empty() { "" } else { "\n\n" };
            conclusion.parts.insert(0, Part::text(format!("{answer}{end}")));
        }
        contents.push(json!({ "role": "model", "parts": reply.parts }));
        self.contents = contents;
        Ok(conclusion)
    }

    /// Requests one answer. Retries without the earlier messages if they are too long, without signatures that are
    /// refused, and once after an empty answer.
    fn reply(&mut self, contents: &mut Vec<Value>, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let (mut is_again, mut is_unsigned) = (false, false);
        loop {
            let reply = match self.model.ask(&self.body(contents, turn.task.now), turn) {
                // The picture does not depend on earlier messages.
                Err(error) if error.kind == ErrorKind::TooLong && contents.len() > 1 => {
                    contents.drain(..contents.len() - 1);
                    continue;
                }
                Err(error) if gemini::is_of_signatures(&error.details) && !is_unsigned => {
                    is_unsigned = true;
                    gemini::unsign(contents);
                    contents.iter_mut().for_each(sign);
                    continue;
                }
                reply => reply?,
            };
            reply.tokens().count(&mut self.usage, None);
            let is_empty = gemini::parts_of(&reply.parts).is_empty();
            if is_again || !is_empty || reply.is_cut() || reply.blocked().is_some() {
                return Ok(reply);
            }
            is_again = true;
        }
    }

    fn body(&self, contents: &[Value], now: Timestamp) -> Value {
        let mut body = json!({
            "contents": contents,
            "generationConfig": {
                "responseModalities": ["TEXT", "IMAGE"],
                "imageConfig": { "aspectRatio": "16:9", "imageSize": "1K" },
            },
        });
        // It cannot call tools, so its prompt does not mention them (ILL-31).
        let prompt = self.config.prompt(false, now);
        if !prompt.is_empty() {
            body["systemInstruction"] = json!({ "parts": [{ "text": prompt }] });
        }
        body
    }
}

impl ToolPicker for Picture {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        // Only a successful request changes the state, so that a retry sends the same.
        let before = (self.message.clone(), self.found.clone(), self.text.contents().to_vec());
        let decided = self.next(turn);
        if decided.is_err() {
            let contents;
            (self.message, self.found, contents) = before;
            self.text.restore(contents);
        }
        decided
    }

    fn transcript(&self) -> Value {
        let found =
            self.found.iter().map(|it| json!({ "mimeType": it.mime_type, "data": &*it.data }));
        json!({
            "contents": self.text.contents(),
            "pictures": self.contents,
            "message": self.message,
            "found": found.collect::<Vec<_>>(),
        })
    }

    fn usage(&self) -> Usage {
        let text = self.text.usage();
        Usage {
            input_tokens: text.input_tokens.saturating_add(self.usage.input_tokens),
            cached_tokens: text.cached_tokens.saturating_add(self.usage.cached_tokens),
            output_tokens: text.output_tokens.saturating_add(self.usage.output_tokens),
            // The price of pictures differs and is not reported.
            cost_usd: text.cost_usd.filter(|_| self.usage == Usage::default()),
        }
    }
}

fn conclusion(reply: &Reply) -> Result<Conclusion, ModelError> {
    if let Some(error) = reply.blocked() {
        return Err(error);
    }
    let parts = gemini::parts_of(&reply.parts);
    if parts.is_empty() {
        let details = format!("the model made no picture ({})", reply.finish());
        return Err(ModelError::new(ErrorKind::Failed, details));
    }
    let cut = reply.is_cut().then_some("max_tokens");
    Ok(Conclusion { parts, cut, ..Conclusion::default() })
}

/// Returns distinct pictures up to the limit, the first ones first.
fn references(found: &[Image]) -> impl Iterator<Item = &Image> {
    let mut left = BYTES_MAX;
    let own = found.iter().enumerate().filter(|(index, it)| !found[..*index].contains(it));
    let fitting = own.filter(move |(_, image)| {
        let room = left.checked_sub(image.data.len());
        left = room.unwrap_or(left);
        room.is_some()
    });
    fitting.map(|(_, it)| it).take(REFERENCES_MAX)
}

/// Adds placeholder signatures to an answer's first part and its pictures, which need one.
fn sign(content: &mut Value) {
    if content["role"] != "model" {
        return;
    }
    let parts = content["parts"].as_array_mut().into_iter().flatten();
    let parts = parts.filter(|it| it["thought"] != true).enumerate();
    for (_, part) in parts.filter(|(index, it)| *index == 0 || it.get("inlineData").is_some()) {
        if part.get("thoughtSignature").is_none() {
            part["thoughtSignature"] = UNSIGNED.into();
        }
    }
}

/// Drops the oldest content until everything fits into one request.
fn drop_oldest(contents: &mut Vec<Value>) {
    let sizes: Vec<_> = contents.iter().map(length).collect();
    let mut all: usize = sizes.iter().sum();
    let mut first = 0;
    let last = contents.len().saturating_sub(1);
    while first < last && (all > BYTES_MAX || contents[first]["role"] != "user") {
        all -= sizes[first];
        first += 1;
    }
    contents.drain(..first);
}

fn image(value: &Value) -> Option<Image> {
    Image::read(value["mimeType"].as_str()?, value["data"].as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(data: &str) -> Image {
        Image { mime_type: "image/png".to_owned(), data: data.into() }
    }

    #[test]
    fn limits_distinct_references() {
        let found: Vec<_> = (0..40).map(|it| picture(&format!("AAA{}", it / 2))).collect();
        let taken: Vec<_> = references(&found).collect();
        assert_eq!(taken.len(), REFERENCES_MAX);
        assert_eq!((taken[0], taken[1]), (&found[0], &found[2]));
        let large = picture(&"A".repeat(BYTES_MAX - 3));
        let found = [large, picture("AAAA"), picture("AAA")];
        assert_eq!(references(&found).collect::<Vec<_>>(), [&found[0], &found[2]]);
    }

    #[test]
    fn adds_placeholder_signatures() {
        let mut content = json!({ "role": "model", "parts": [
            { "text": "hm", "thought": true }, { "text": "はい" }, { "text": "。" },
            { "inlineData": { "mimeType": "image/png", "data": "AAAA" }, "thoughtSignature": "YQ==" },
            { "inlineData": { "mimeType": "image/png", "data": "BBBB" } },
        ] });
        sign(&mut content);
        let signatures = content["parts"].as_array().unwrap().iter();
        let signatures: Vec<_> = signatures.map(|it| it["thoughtSignature"].as_str()).collect();
        assert_eq!(signatures, [None, Some(UNSIGNED), None, Some("YQ=="), Some(UNSIGNED)]);
    }

    #[test]
    fn drops_oldest_beyond_picture_limit() {
        let large = "A".repeat(BYTES_MAX / 2);
        let of = |role: &str| json!({ "role": role, "parts": [gemini::inline(&picture(&large))] });
        let mut contents = vec![of("user"), of("model"), of("user"), of("model"), of("user")];
        drop_oldest(&mut contents);
        assert_eq!(contents.len(), 1, "it begins with what the person says");
        let mut contents = vec![of("user")];
        drop_oldest(&mut contents);
        assert_eq!(contents.len(), 1);
    }
}
