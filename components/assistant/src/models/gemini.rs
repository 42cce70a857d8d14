//! Gemini over generateContent: keeps the conversation in Gemini's own format and replays it verbatim
//! (ILL-22 to ILL-28).

mod content;
mod reply;
mod schema;

use serde_json::{Value, json};

use super::{
    Kind, Price, declare,
    events::Events,
    messages::Names,
    picture,
    trim::{self, Room},
    wire::{Wire, WireError},
};
use crate::{
    AssistantConfig, Body, Conclusion, Decision, ErrorKind, EventSink, ModelConfig, ModelError,
    ToolCall, ToolPicker, Turn, Usage,
};
pub(super) use content::{
    UNSIGNED, fits, history, inline, is_of_signatures, parts_json, push, unsign,
};
pub(super) use reply::{Reply, parts_of};

/// Google's generateContent.
pub(super) static KIND: Kind = Kind {
    name: "gemini",
    defaults: r#"
[model_hosts.gemini]
url = "https://generativelanguage.googleapis.com"
header = "x-goog-api-key"
# A text model decides and calls tools; the one for pictures cannot, and makes them (ILL-29).
[models.gemini]
base_url = { environment = "GEMINI_BASE_URL" }
model = { environment = "GEMINI_MODEL" }
picture_model = { environment = "GEMINI_IMAGE_MODEL" }
key = { environment = "GEMINI_API_KEY" }
"#,
    model: "gemini-3.8-flash",
    is_ready: |config| config.key,
    makes_pictures: true,
    picker: |model, assistant, config, transcript| {
        picture::gemini(model, assistant, config, transcript)
    },
};

/// Limits of one request, out of 20 MB and 3,600 pictures
/// (<https://ai.google.dev/gemini-api/docs/image-understanding>), leaving room for prompt and tools.
const ROOM: Room = Room { bytes: 16 << 20, pictures: 1_000 };

/// Picker that asks one of Gemini's text models.
pub(super) struct Gemini {
    model: Model,
    config: AssistantConfig,
    /// Conversation as sent and received.
    contents: Vec<Value>,
    usage: Usage,
}

impl Gemini {
    /// Continues `contents`, if given.
    pub(super) fn new(model: Model, config: &AssistantConfig, contents: Option<&Value>) -> Self {
        let contents = contents.and_then(Value::as_array).cloned().unwrap_or_default();
        Self { model, config: config.clone(), contents, usage: Usage::default() }
    }

    /// Returns the conversation so far.
    pub(super) fn contents(&self) -> &[Value] {
        &self.contents
    }

    /// Restores an earlier state.
    pub(super) fn restore(&mut self, contents: Vec<Value>) {
        self.contents = contents;
    }

    /// Adds the new input of `turn` without asking the model.
    pub(super) fn consult(&mut self, turn: &Turn<'_>) {
        self.contents = self.contents_with(turn);
    }

    /// Decides without sending events.
    pub(super) fn decide_silently(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        let sink = EventSink::default();
        self.decide(Turn { sink: &sink, ..turn })
    }

    /// Returns the conversation with the new input of `turn`.
    fn contents_with(&self, turn: &Turn<'_>) -> Vec<Value> {
        let mut contents = match self.contents.is_empty() {
            true => content::without_signature(&turn.task.history),
            false => self.contents.clone(),
        };
        let mut parts = content::answers(&contents, turn.answered, self.model.takes_pictures());
        if turn.is_first {
            parts.extend(parts_json(&turn.task.message));
        }
        push(&mut contents, "user", parts);
        trim::fit(&mut contents, ROOM, &content::SHAPE);
        contents
    }

    fn body(&self, contents: &[Value], turn: &Turn<'_>) -> Value {
        let offers = turn.offers;
        let mut body = json!({ "contents": contents });
        let prompt = self.config.prompt(!offers.is_empty(), turn.task.now);
        if !prompt.is_empty() {
            body["systemInstruction"] = json!({ "parts": [{ "text": prompt }] });
        }
        if !offers.is_empty() {
            let language = turn.task.language;
            let declared = declare::declarations(offers, self.config.reasons, language);
            let names = Names::of_tools(offers);
            let declared = declared.into_iter().map(|tool| {
                let name = names.wire(&tool.name).to_owned();
                schema::declared(declare::Declaration { name, ..tool })
            });
            let declared: Vec<_> = declared.collect();
            body["tools"] = json!([{ "functionDeclarations": declared }]);
        }
        if let Some(most) = self.model.tokens_max() {
            body["generationConfig"] = json!({ "maxOutputTokens": most });
        }
        body
    }

    /// Requests one answer. Retries once after a malformed call or an empty answer, with half of `contents`
    /// if they are too long, and if they are refused without foreign signatures, or without pictures.
    fn reply(&mut self, contents: &mut Vec<Value>, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        let (mut is_again, mut is_shorter, mut is_unsigned) = (false, false, false);
        loop {
            let body = self.body(contents, turn);
            let mut reply = match self.model.ask(&body, turn) {
                Err(error) if error.kind == ErrorKind::TooLong && !is_shorter => {
                    is_shorter = trim::halve(contents, &content::SHAPE);
                    if !is_shorter {
                        return Err(error);
                    }
                    continue;
                }
                Err(error) if error.kind == ErrorKind::Refused => {
                    let is_of_signatures = is_of_signatures(&error.details);
                    let is_other = match is_of_signatures && !is_unsigned {
                        true => unsign(contents),
                        false => trim::drop_all_pictures(contents, &content::SHAPE),
                    };
                    is_unsigned |= is_of_signatures;
                    if !is_other {
                        return Err(error);
                    }
                    continue;
                }
                reply => reply?,
            };
            reply.tokens().count(&mut self.usage, self.model.price());
            if let Some(error) = reply.blocked() {
                return Err(error);
            }
            if reply.is_cut() {
                reply.drop_calls();
            }
            if !reply.is_malformed() {
                if is_again || reply.is_cut() || reply.has_calls() || reply.has_text() {
                    return Ok(reply);
                }
                is_again = true;
                continue;
            }
            if is_again || reply.has_text() {
                let finish = reply.finish();
                let details =
                    format!("the model called a tool in a way that cannot be read ({finish})");
                return Err(ModelError::new(ErrorKind::Failed, details));
            }
            is_again = true;
        }
    }

    /// Returns the calls of `reply`, which is the last of the conversation.
    fn calls(&self, reply: &Reply, turn: &Turn<'_>) -> Vec<ToolCall> {
        if reply.parts.is_empty() {
            return Vec::new();
        }
        let names = Names::of_tools(turn.offers);
        let made = content::calls(&self.contents, self.contents.len() - 1);
        let calls = made.into_iter().map(|made| {
            let arguments = made.call["args"].as_object().cloned().unwrap_or_default();
            let name = names.own(made.name).to_owned();
            declare::call(made.id, name, arguments, turn.offers, turn.task.language)
        });
        calls.collect()
    }
}

impl ToolPicker for Gemini {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        let mut contents = self.contents_with(&turn);
        let reply = self.reply(&mut contents, &turn)?;
        if !reply.parts.is_empty() {
            contents.push(json!({ "role": "model", "parts": reply.parts }));
        }
        // Only a successful request changes the state, so that a retry sends the same.
        self.contents = contents;
        let calls = self.calls(&reply, &turn);
        if !calls.is_empty() {
            // Text was sent while it arrived.
            return Ok(Decision::Call(calls));
        }
        let cut = reply.is_cut().then_some("max_tokens");
        let parts = parts_of(&reply.parts);
        Ok(Decision::Conclude(Conclusion { parts, cut, ..Conclusion::default() }))
    }

    fn transcript(&self) -> Value {
        json!({ "contents": self.contents })
    }

    fn usage(&self) -> Usage {
        self.usage
    }
}

// One of Gemini's models: its address, and its answer as a stream.

/// Default URL of the API.
const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// A model that can be asked.
#[derive(Clone)]
pub(in crate::models) struct Model {
    wire: Wire,
    path: String,
    name: String,
    price: Option<Price>,
    tokens_max: Option<u32>,
    draws: bool,
}

impl Model {
    /// Creates the model `name`, as `config` describes it.
    pub(in crate::models) fn new(name: &str, config: &ModelConfig) -> Result<Self, ModelError> {
        if !config.key {
            let what = "there is no key: set GEMINI_API_KEY, or key in [models.gemini]";
            return Err(ModelError::new(ErrorKind::Key, what));
        }
        let url = config.base_url.as_deref().unwrap_or(BASE_URL);
        // A base URL may already contain the version.
        let is_versioned = url.trim_end_matches('/').rsplit('/').next();
        let is_versioned = is_versioned.is_some_and(|it| matches!(it, "v1" | "v1beta" | "v1alpha"));
        let version = if is_versioned { "" } else { "v1beta/" };
        let name = name.trim().trim_start_matches("models/");
        let path = format!("{version}models/{name}:streamGenerateContent?alt=sse");
        let wire = Wire::new(url, "x-goog-api-key", config)?;
        // Cached tokens cost a tenth (<https://ai.google.dev/gemini-api/docs/pricing>), writing to the cache nothing.
        let price = config.prices().map(|(input, output)| Price {
            input,
            output,
            cached_share: 0.1,
            caching_share: 1.0,
        });
        Ok(Self {
            wire,
            path,
            name: name.to_owned(),
            price,
            tokens_max: config.max_tokens,
            draws: false,
        })
    }

    /// Asks the same model for pictures.
    pub(in crate::models) fn that_draws(self) -> Self {
        Self { draws: true, ..self }
    }

    /// Whether it accepts pictures in function responses: Gemini 3 and later
    /// (<https://ai.google.dev/gemini-api/docs/function-calling>, "Multimodal function responses").
    fn takes_pictures(&self) -> bool {
        !["gemini-1", "gemini-2", "gemma"].iter().any(|it| self.name.starts_with(it))
    }

    pub(in crate::models) fn price(&self) -> Option<Price> {
        self.price
    }

    fn tokens_max(&self) -> Option<u32> {
        self.tokens_max
    }

    /// Requests an answer; sends texts and pictures as they arrive.
    pub(in crate::models) fn ask(
        &self,
        body: &Value,
        turn: &Turn<'_>,
    ) -> Result<Reply, ModelError> {
        let read = |mut events: Events| {
            let mut reply = Reply::default();
            while let Some(piece) = events.next() {
                let piece = match piece {
                    // The answer is complete without the rest.
                    Err(WireError::Disconnected(_) | WireError::Timeout) if reply.has_ended() => {
                        break;
                    }
                    piece => piece?,
                };
                for part in reply.take(&piece)? {
                    match &part.body {
                        Body::Text(text) if text.is_empty() => {}
                        Body::Text(text) => turn.sink.send_text(text),
                        Body::Image(image) => turn.sink.send_image(image),
                    }
                }
            }
            match reply.has_ended() {
                true => Ok(reply),
                false => Err(WireError::Disconnected("the answer ended before its end".to_owned())),
            }
        };
        let reply = self.wire.answer(&self.path, &[], body, turn, reply::of_piece, read);
        reply.map_err(|it| reply::model_error(&it, self.draws))
    }
}
