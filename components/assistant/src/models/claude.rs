//! Claude over Anthropic's Messages API. Its messages are kept and sent back verbatim, with thinking
//! and signatures (ILL-27).

mod message;

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Kind, Price, THINKING_TOKENS_MAX, declare,
    messages::{self, Names},
    trim::{self, Room},
    wire::Wire,
};
use crate::{
    AssistantConfig, Conclusion, Decision, ErrorKind, ModelConfig, ModelError, Part, ToolCall,
    ToolPicker, Turn, Usage,
};
pub(super) use message::SHAPE;
use message::{Reply, error_of};

/// Anthropic's Messages API.
pub(super) static KIND: Kind = Kind {
    name: PROVIDER,
    defaults: r#"
[model_hosts.claude]
url = "https://api.anthropic.com"
header = "x-api-key"
[models.claude]
base_url = { environment = "ANTHROPIC_BASE_URL" }
model = { environment = "ANTHROPIC_MODEL" }
key = { environment = "ANTHROPIC_API_KEY" }
"#,
    model: MODEL,
    is_ready: |config| config.key,
    makes_pictures: false,
    picker: |model, assistant, config, transcript| {
        Ok(Box::new(Claude::new(model, assistant, config, transcript)?))
    },
};
/// Default model (NAV-53).
const MODEL: &str = "claude-sonnet-5-5";
/// Default URL of the API.
const BASE_URL: &str = "https://api.anthropic.com";
/// API version sent with each request.
const VERSION: &str = "2023-06-01";
/// Default token limit of an answer (NAV-52).
const TOKENS_MAX: u32 = 4_096;
/// The provider's name in a stored transcript.
const PROVIDER: &str = "claude";
/// Limits of one request, out of 32 MB and 100 pictures
/// (<https://platform.claude.com/docs/en/api/overview>), leaving room for prompt and tools.
const ROOM: Room = Room { bytes: 24 << 20, pictures: 90 };
/// The most where one of them is larger than 2,000 pixels
/// (<https://platform.claude.com/docs/en/build-with-claude/vision>, "General limits").
const ROOM_OF_LARGE: Room = Room { pictures: 20, ..ROOM };
/// Pictures that are left out one by one because a refusal names them, before all are.
const NAMED_PICTURES_MAX: usize = 4;

/// Picker that asks Claude.
struct Claude {
    wire: Wire,
    path: &'static str,
    model: Arc<str>,
    assistant: AssistantConfig,
    tokens_max: u32,
    thinking_tokens_max: u32,
    price: Option<Price>,
    /// Messages in the API's format.
    messages: Vec<Value>,
    usage: Usage,
}

impl Claude {
    /// Continues `transcript`, if given.
    fn new(
        model: &Arc<str>,
        assistant: &AssistantConfig,
        config: &ModelConfig,
        transcript: Option<&Value>,
    ) -> Result<Self, ModelError> {
        if !config.key {
            let what = "there is no key: set ANTHROPIC_API_KEY, or key in [models.claude]";
            return Err(ModelError::new(ErrorKind::Key, what));
        }
        let url = config.base_url.as_deref().unwrap_or(BASE_URL);
        // A base URL may already contain the version.
        let is_versioned = url.trim_end_matches('/').ends_with("/v1");
        Ok(Self {
            wire: Wire::new(url, "x-api-key", config)?,
            path: if is_versioned { "messages" } else { "v1/messages" },
            model: model.clone(),
            assistant: assistant.clone(),
            tokens_max: config.max_tokens.unwrap_or(TOKENS_MAX),
            thinking_tokens_max: config.max_tokens.unwrap_or(THINKING_TOKENS_MAX),
            price: price(model, config.prices()),
            messages: transcript.map(|it| resumed(it, model)).unwrap_or_default(),
            usage: Usage::default(),
        })
    }

    /// Requests one answer. Retries with half of the `messages` if they are too long; if they are refused,
    /// without thinking that is no longer valid, with fewer pictures, without the one that is named, or without any.
    fn reply(
        &mut self,
        messages: &mut Vec<Value>,
        turn: &Turn<'_>,
        names: &Names,
    ) -> Result<Reply, ModelError> {
        let headers = [("anthropic-version", VERSION)];
        let (mut is_halved, mut named) = (false, 0..NAMED_PICTURES_MAX);
        loop {
            let body = self.body(messages, turn, names);
            let read = |events| Reply::read(events, turn.sink);
            let error = match self.wire.answer(self.path, &headers, &body, turn, error_of, read) {
                Ok(reply) => {
                    reply.tokens().count(&mut self.usage, self.price);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            // Thinking is valid only for the same model, prompt, tools and preceding messages. Where one of them
            // changed (the day in the prompt, a new tool), the request is refused
            // (<https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks>).
            let is_other = error.mentions(&["thinking` block"]) && forget_thoughts(messages)
                || error.mentions(&["many-image"]) && trim::fit(messages, ROOM_OF_LARGE, &SHAPE)
                || named.next().is_some() && message::drop_named_picture(messages, &error)
                || trim::shrink_after_error(messages, &SHAPE, &error, &mut is_halved);
            if !is_other {
                return Err(error.model_error());
            }
        }
    }

    /// Builds one request (NAV-52, NAV-53): no temperature, no forced tool, no prefill, no thinking budget.
    fn body(&self, messages: &[Value], turn: &Turn<'_>, names: &Names) -> Value {
        let mut body = json!({
            "model": &*self.model,
            "max_tokens": self.tokens_max,
            "messages": message::cached(messages),
            "stream": true,
        });
        let has_tools = !turn.offers.is_empty();
        let prompt = self.assistant.prompt(has_tools, turn.task.now);
        if !prompt.is_empty() {
            // Tools precede the prompt in the cached prefix, so that they are cached as well.
            body["system"] =
                json!([{ "type": "text", "text": prompt, "cache_control": ephemeral() }]);
        }
        if has_tools {
            let declared =
                declare::declarations(turn.offers, self.assistant.reasons, turn.task.language);
            let tools = declared.into_iter().map(|tool| {
                json!({
                    "name": names.wire(&tool.name),
                    "description": tool.description,
                    "input_schema": tool.parameters,
                })
            });
            body["tools"] = tools.collect();
            if prompt.is_empty()
                && let Some(last) = body["tools"].as_array_mut().and_then(|it| it.last_mut())
            {
                last["cache_control"] = ephemeral();
            }
        }
        body
    }

    fn calls(&self, content: &[Value], turn: &Turn<'_>, names: &Names) -> Vec<ToolCall> {
        let used = content.iter().filter(|it| it["type"] == "tool_use");
        let calls = used.map(|block| {
            let name = names.own(block["name"].as_str().unwrap_or_default()).to_owned();
            let arguments = block["input"].as_object().cloned().unwrap_or_default();
            let id = block["id"].as_str().unwrap_or_default().to_owned();
            declare::call(id, name, arguments, turn.offers, turn.task.language)
        });
        calls.collect()
    }
}

impl ToolPicker for Claude {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        let mut messages = self.messages.clone();
        if messages.is_empty() {
            messages = message::history(&turn.task.history);
        }
        let mut content = message::results(&messages, turn.answered);
        if turn.is_first {
            // Follows the results of pending calls in the same message (FORM-7).
            content.extend(turn.task.message.iter().filter_map(message::block));
        }
        message::push(&mut messages, "user", content);
        trim::fit(&mut messages, ROOM, &SHAPE);
        let names = Names::of_tools(turn.offers);
        let (mut repairs, mut is_again) = (0, false);
        let (calls, parts, is_cut) = loop {
            let reply = self.reply(&mut messages, &turn, &names)?;
            if reply.stop_reason() == "refusal" {
                return Err(ModelError::new(ErrorKind::Blocked, reply.refusal()));
            }
            let is_cut =
                matches!(reply.stop_reason(), "max_tokens" | "model_context_window_exceeded");
            let (content, broken) = reply.content(is_cut, &messages);
            let calls = self.calls(&content, &turn, &names);
            let parts = texts(&content);
            // Retries an empty answer once; a truncated one with more room for thinking.
            let may_more = !is_cut || self.tokens_max < self.thinking_tokens_max;
            if !is_again && may_more && calls.is_empty() && parts.is_empty() {
                is_again = true;
                if is_cut {
                    self.tokens_max = self.thinking_tokens_max;
                }
                continue;
            }
            message::push(&mut messages, "assistant", content);
            if broken.is_empty() {
                break (calls, parts, is_cut);
            }
            messages::count_repair(&mut repairs)?;
            let results =
                message::unreadable_result(calls.iter().map(|it| it.id.as_str()), &broken);
            message::push(&mut messages, "user", results);
        };
        // Only a successful request changes the state, so that a retry sends the same.
        self.messages = messages;
        if !calls.is_empty() {
            return Ok(Decision::Call(calls));
        }
        let cut = is_cut.then_some("max_tokens");
        Ok(Decision::Conclude(Conclusion { parts, cut, ..Conclusion::default() }))
    }

    fn transcript(&self) -> Value {
        json!({ "provider": PROVIDER, "model": &*self.model, "messages": self.messages })
    }

    fn usage(&self) -> Usage {
        self.usage
    }
}

/// Messages of a transcript of this kind. Thinking is dropped for another model than the one that wrote it.
fn resumed(transcript: &Value, model: &str) -> Vec<Value> {
    if transcript["provider"] != PROVIDER {
        return Vec::new();
    }
    let mut messages = transcript["messages"].as_array().cloned().unwrap_or_default();
    if transcript["model"] != *model {
        forget_thoughts(&mut messages);
    }
    messages
}

/// Removes all thinking; returns whether there was any.
fn forget_thoughts(messages: &mut Vec<Value>) -> bool {
    let mut is_any = false;
    for content in messages.iter_mut().filter_map(|it| it["content"].as_array_mut()) {
        let before = content.len();
        content.retain(|it| !message::is_thinking(it));
        is_any |= content.len() < before;
    }
    messages.retain(|it| it["content"].as_array().is_some_and(|it| !it.is_empty()));
    is_any
}

/// Configured price, otherwise the published one of a known model.
fn price(model: &str, configured: Option<(f64, f64)>) -> Option<Price> {
    let price = || match model {
        MODEL => Some((2.0, 10.0)),
        "claude-opus-5-5" => Some((4.0, 20.0)),
        _ => None,
    };
    let (input, output) = configured.or_else(price)?;
    Some(Price { input, output, cached_share: 0.1, caching_share: 1.25 })
}

/// Cache mark that lasts five minutes.
fn ephemeral() -> Value {
    json!({ "type": "ephemeral" })
}

/// Texts for people.
fn texts(content: &[Value]) -> Vec<Part> {
    let texts = content.iter().filter(|it| it["type"] == "text");
    texts.filter_map(|it| it["text"].as_str()).map(Part::text).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::{Answered, Failure, Image, Message, ToolResult};

    fn message(is_user: bool, parts: Vec<Part>) -> Message {
        Message { is_user, parts }
    }

    fn image(mime_type: &str) -> Image {
        Image { mime_type: mime_type.to_owned(), data: "AAAA".into() }
    }

    fn answered(id: &str, result: ToolResult) -> Answered {
        let (name, reason) = ("find".to_owned(), String::new());
        let call =
            ToolCall { id: id.to_owned(), name, arguments: Map::new(), meta: Map::new(), reason };
        Answered { call, result }
    }

    #[test]
    fn history_starts_with_the_person_and_alternates() {
        let history = [
            message(false, vec![Part::text("ようこそ")]),
            message(true, vec![Part::text("a")]),
            message(true, vec![Part::text(" "), Part::text("b")]),
            message(false, vec![Part::text("c"), Part::image(image("image/png"))]),
            message(true, vec![Part::text("d"), Part::image(image("image/tiff"))]),
        ];
        let messages = message::history(&history);
        let roles: Vec<_> = messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "user"], "ILL-41");
        assert_eq!(messages[0]["content"].as_array().unwrap().len(), 2, "an empty text is refused");
        let last = messages[2]["content"].as_array().unwrap();
        let kinds: Vec<_> = last.iter().map(|it| it["type"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            ["image", "text", "text"],
            "only the person's messages may have pictures"
        );
        assert_eq!(last[2]["text"], "[image/tiff, not shown]");
    }

    #[test]
    fn gives_every_call_one_result_in_order() {
        let uses = |id: &str| json!({ "type": "tool_use", "id": id, "name": "find", "input": {} });
        let messages =
            [json!({ "role": "assistant", "content": [uses("a"), uses("b"), uses("c")] })];
        let output = ToolResult::Output {
            structured: json!({ "x": 1 }),
            meta: json!({}),
            content: vec![Part::image(image("image/png"))],
        };
        let failure = ToolResult::Failed(Failure::new("card_not_found", 404, "No."));
        let all =
            [answered("c", failure), answered("other", output.clone()), answered("a", output)];
        let results = message::results(&messages, &all);
        let ids: Vec<_> = results.iter().map(|it| it["tool_use_id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["a", "b", "c"], "NAV-55");
        let failed: Vec<_> = results.iter().map(|it| it["is_error"] == true).collect();
        assert_eq!(failed, [false, true, true], "NAV-55");
        assert_eq!(results[0]["content"][0]["text"], "{\"x\":1}");
        assert_eq!(results[0]["content"][1]["type"], "image", "ILL-28");
        assert_eq!(message::results(&[], &all), Vec::<Value>::new());
    }

    #[test]
    fn cache_marks_are_not_stored() {
        let user =
            |text: &str| json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
        let messages =
            [user("a"), json!({ "role": "assistant", "content": [] }), user("b"), user("c")];
        let marked = message::cached(&messages);
        let is_marked = |it: &Value| it["content"][0]["cache_control"].is_object();
        assert_eq!(marked.iter().map(is_marked).collect::<Vec<_>>(), [false, false, true, true]);
        assert!(!messages.iter().any(is_marked));
    }

    #[test]
    fn drops_thinking_of_another_model() {
        let thinking = json!({ "type": "thinking", "thinking": "", "signature": "s" });
        let text = json!({ "type": "text", "text": "x" });
        let transcript = json!({ "provider": "claude", "model": "one", "messages": [
        { "role": "user", "content": [text] },
        { "role": "assistant", "content": [thinking, text] },
    ] });
        assert_eq!(json!(resumed(&transcript, "one")), transcript["messages"], "ILL-27");
        assert_eq!(resumed(&transcript, "two")[1]["content"], json!([text]), "ILL-27");
        assert_eq!(resumed(&json!({ "contents": [] }), "one"), Vec::<Value>::new());
        let mut messages = resumed(&transcript, "one");
        assert!(forget_thoughts(&mut messages), "there was some");
        assert!(!forget_thoughts(&mut messages));
    }

    #[test]
    fn call_of_what_is_no_name_can_be_sent_back() {
        let mut reply = Reply::default();
        for (index, name) in ["functions.find", "find", ""].iter().enumerate() {
            let block = json!({ "type": "tool_use", "id": "a", "name": name, "input": {} });
            let start =
                json!({ "type": "content_block_start", "index": index, "content_block": block });
            reply.take(&start).unwrap();
        }
        let (content, _) = reply.content(false, &[]);
        let names: Vec<_> = content.iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["functions_find", "find", "_"]);
    }

    #[test]
    fn blocks_with_the_same_index_stay_apart() {
        let mut reply = Reply::default();
        for (id, input) in [("a", r#"{"n":1}"#), ("b", r#"{"n":2}"#)] {
            let block = json!({ "type": "tool_use", "id": id, "name": "find", "input": {} });
            let delta = json!({ "type": "input_json_delta", "partial_json": input });
            for event in [
                json!({ "type": "content_block_start", "index": 0, "content_block": block }),
                json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
                json!({ "type": "content_block_stop", "index": 0 }),
            ] {
                reply.take(&event).unwrap();
            }
        }
        let (content, broken) = reply.content(false, &[]);
        let calls: Vec<_> = content.iter().map(|it| (&it["id"], &it["input"]["n"])).collect();
        assert_eq!(calls, [(&json!("a"), &json!(1)), (&json!("b"), &json!(2))]);
        assert!(broken.is_empty());
    }

    #[test]
    fn duplicate_call_ids_become_unique() {
        let mut reply = Reply::default();
        let uses = |id: &str| json!({ "type": "tool_use", "id": id, "name": "find", "input": {} });
        for (index, block) in [uses("a"), uses("b"), uses("b"), uses("")].iter().enumerate() {
            let start =
                json!({ "type": "content_block_start", "index": index, "content_block": block });
            reply.take(&start).unwrap();
        }
        let before = [json!({ "role": "assistant", "content": [uses("a")] })];
        let (content, _) = reply.content(false, &before);
        let mut ids: Vec<_> = content.iter().map(|it| it["id"].as_str().unwrap()).collect();
        assert_eq!((ids.len(), ids[1]), (4, "b"));
        assert!(ids.iter().all(|it| !["a", ""].contains(it)), "{ids:?}");
        ids.dedup();
        assert_eq!(ids.len(), 4, "{ids:?}");
    }
}
