//! Chat completions of OpenAI or compatible servers: Ollama, llama.cpp, vLLM, Mistral, OpenRouter.

pub(super) mod limits;
mod message;
mod reply;

use std::{sync::Arc, time::Instant};

use serde_json::{Map, Value, json};
use toolkit::log;

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
use limits::Options;
pub(super) use message::SHAPE;
use reply::{Reply, error_of, without_thoughts};

/// Chat completions of OpenAI or a compatible server.
pub(super) static KIND: Kind = Kind {
    name: PROVIDER,
    defaults: r#"
[model_hosts.openai]
url = "https://api.openai.com"
header = "authorization"
prefix = "Bearer "
[models.openai]
base_url = { environment = "OPENAI_BASE_URL" }
model = { environment = "OPENAI_MODEL" }
key = { environment = "OPENAI_API_KEY" }
"#,
    // The server's first model.
    model: "",
    is_ready: |config| config.base_url.is_some() || config.key && config.model.is_some(),
    makes_pictures: false,
    picker: |model, assistant, config, transcript| {
        Ok(Box::new(OpenAi::new(model, assistant, config, transcript)?))
    },
};
/// Default URL of the API, if there is a key.
const BASE_URL: &str = "https://api.openai.com/v1";
/// Default token limit of an answer.
const TOKENS_MAX: u32 = 4_096;
/// Maximum tools of one request for servers with a limit: OpenAI, Azure and Groq
/// (<https://platform.openai.com/docs/api-reference/chat/create>).
const TOOLS_MAX: usize = 128;
/// The provider's name in a stored transcript.
const PROVIDER: &str = "openai";
/// Limits of one request, out of OpenAI's 50 MB and 500 pictures
/// (<https://platform.openai.com/docs/guides/images-vision>), leaving room for prompt and tools.
const ROOM: Room = Room { bytes: 40 << 20, pictures: 400 };

/// Picker that asks a model behind chat completions.
struct OpenAi {
    wire: Wire,
    /// Prefix of each path.
    version: &'static str,
    /// Empty until the server reports its models.
    model: Arc<str>,
    assistant: AssistantConfig,
    /// URL of the API; stored request options are keyed by it.
    url: String,
    /// Name of the token limit, unless stored options say otherwise.
    limit_name: &'static str,
    tokens_max: u32,
    thinking_tokens_max: u32,
    price: Option<Price>,
    /// Messages in the API's format, without the prompt.
    messages: Vec<Value>,
    usage: Usage,
}

impl OpenAi {
    /// Asks `model`, or the server's first, continuing `transcript` if given.
    fn new(
        model: &Arc<str>,
        assistant: &AssistantConfig,
        config: &ModelConfig,
        transcript: Option<&Value>,
    ) -> Result<Self, ModelError> {
        let url = config.base_url.as_deref();
        if url.is_none() && (!config.key || model.is_empty()) {
            let what =
                "there is no address: set OPENAI_BASE_URL, or OPENAI_API_KEY and OPENAI_MODEL";
            return Err(ModelError::new(ErrorKind::Key, what));
        }
        let url = url.unwrap_or(BASE_URL).trim_end_matches('/');
        // OpenAI itself rejects the old name of the field; other servers do not know the new one.
        let limit_name = match url.contains("//api.openai.com") {
            true => limits::NEW,
            false => limits::OLD,
        };
        let prices = config.prices();
        let earlier = transcript.filter(|it| it["provider"] == PROVIDER);
        let without_thoughts = earlier.and_then(|it| it["model"].as_str());
        let mut messages = earlier.and_then(|it| it["messages"].as_array().cloned());
        if without_thoughts.is_some_and(|it| !model.is_empty() && it != &**model) {
            messages.iter_mut().flatten().for_each(message::strip);
        }
        let without_thoughts = without_thoughts.filter(|_| model.is_empty());
        Ok(Self {
            wire: Wire::new(url, "authorization", config)?,
            // A base URL with a path contains the version, which has other names elsewhere.
            version: if has_path(url) { "" } else { "v1/" },
            model: without_thoughts.map_or_else(|| model.clone(), Into::into),
            assistant: assistant.clone(),
            url: url.to_owned(),
            limit_name,
            tokens_max: config.max_tokens.unwrap_or(TOKENS_MAX),
            thinking_tokens_max: config.max_tokens.unwrap_or(THINKING_TOKENS_MAX),
            // The price of cached tokens differs between servers, so they count at full price.
            price: prices.map(|(input, output)| Price {
                input,
                output,
                cached_share: 1.0,
                caching_share: 1.0,
            }),
            messages: messages.unwrap_or_default(),
            usage: Usage::default(),
        })
    }

    fn reply(
        &mut self,
        messages: &mut Vec<Value>,
        turn: &Turn<'_>,
        names: &Names,
    ) -> Result<Reply, ModelError> {
        let path = format!("{}chat/completions", self.version);
        let stored = limits::load_options(&self.url, &self.model);
        let first = stored.unwrap_or_else(|| Options::with_limit(self.limit_name));
        let (mut options, mut is_halved, mut is_again) = (first, false, false);
        loop {
            let body = self.body(messages, turn, names, options);
            let read = |events| Reply::read(events, turn.sink);
            let error = match self.wire.answer(&path, &[], &body, turn, error_of, read) {
                Ok(reply) => {
                    if options != first {
                        limits::save_options(&self.url, &self.model, options);
                    }
                    if options.few_tools && !first.few_tools {
                        log::warning(
                            "the model's server takes 128 tools at most and is given no more: `tools` of the assistant says \
                             which it has",
                        );
                    }
                    reply.tokens().count(&mut self.usage, self.price);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            match options.adapted(&error, first) {
                Some(other) => options = other,
                // Groq's error for a malformed call, which may succeed on a retry.
                None if !is_again && error.mentions(&["tool_use_failed"]) => is_again = true,
                None if trim::shrink_after_error(messages, &SHAPE, &error, &mut is_halved) => {}
                None => return Err(error.model_error()),
            }
        }
    }

    fn body(&self, messages: &[Value], turn: &Turn<'_>, names: &Names, options: Options) -> Value {
        let has_tools = !turn.offers.is_empty();
        let prompt = self.assistant.prompt(has_tools, turn.task.now);
        let prompt = (!prompt.is_empty()).then(|| json!({ "role": "system", "content": prompt }));
        let mut messages: Vec<_> = prompt.into_iter().chain(messages.iter().cloned()).collect();
        if options.bridges {
            message::bridge(&mut messages);
        }
        if !options.thinks {
            message::forget_thinking(&mut messages);
        }
        let mut body = json!({ "model": &*self.model, "messages": messages, "stream": true });
        if options.counts {
            body["stream_options"] = json!({ "include_usage": true });
        }
        if let Some(limit) = options.limit {
            body[limit] = self.tokens_max.into();
        }
        if has_tools {
            let reasons = self.assistant.reasons;
            let declared = declare::declarations(turn.offers, reasons, turn.task.language);
            let count = declared.len();
            // The last tool reads the rest of shortened results.
            let is_in = |at: usize| !options.few_tools || at + 1 < TOOLS_MAX || at + 1 == count;
            let tools = declared.into_iter().enumerate().filter(|it| is_in(it.0)).map(|(_, tool)| {
                let name = names.wire(&tool.name);
                let function = json!({
                    "name": name, "description": tool.description, "parameters": tool.parameters,
                });
                json!({ "type": "function", "function": function })
            });
            body["tools"] = tools.collect();
        }
        body
    }

    fn calls(&self, message: &Value, turn: &Turn<'_>, names: &Names) -> Vec<ToolCall> {
        let made = message["tool_calls"].as_array().into_iter().flatten();
        let calls = made.map(|call| {
            let function = &call["function"];
            let name = names.own(function["name"].as_str().unwrap_or_default()).to_owned();
            let arguments = function["arguments"].as_str().unwrap_or_default();
            let arguments: Map<_, _> = serde_json::from_str(arguments).unwrap_or_default();
            let id = call["id"].as_str().unwrap_or_default().to_owned();
            declare::call(id, name, arguments, turn.offers, turn.task.language)
        });
        calls.collect()
    }

    /// Returns the server's first model that chats.
    fn first_model(&self, until: Instant) -> Result<Arc<str>, ModelError> {
        let path = format!("{}models", self.version);
        let list = self.wire.json(&path, until).map_err(|it| it.model_error())?;
        let first = first_chat_model(&list);
        if let Some(first) = first {
            limits::save_first_model(&self.url, first);
        }
        first.map(Into::into).ok_or_else(|| {
            ModelError::new(
                ErrorKind::Missing,
                "the server has no model; name one with OPENAI_MODEL",
            )
        })
    }
}

impl ToolPicker for OpenAi {
    fn decide(&mut self, turn: Turn<'_>) -> Result<Decision, ModelError> {
        if self.model.is_empty() {
            self.model = self.first_model(turn.until)?;
        }
        let mut messages = self.messages.clone();
        if messages.is_empty() {
            messages = message::history(&turn.task.history);
        }
        let message = if turn.is_first { turn.task.message.as_slice() } else { &[] };
        message::results(&mut messages, turn.answered, message);
        trim::fit(&mut messages, ROOM, &SHAPE);
        let names = Names::of_tools(turn.offers);
        let (mut repairs, mut is_again) = (0, false);
        loop {
            let reply = self.reply(&mut messages, &turn, &names)?;
            if let Some(why) = reply.blocked() {
                return Err(ModelError::new(ErrorKind::Blocked, why));
            }
            let is_cut = reply.is_cut();
            let (message, broken) = reply.message(&messages);
            let calls = self.calls(&message, &turn, &names);
            let parts = texts(&message);
            // Retries an empty answer once; a truncated one with more room for thinking.
            let may_more = !is_cut || self.tokens_max < self.thinking_tokens_max;
            if !is_again && may_more && calls.is_empty() && parts.is_empty() {
                is_again = true;
                if is_cut {
                    self.tokens_max = self.thinking_tokens_max;
                }
                continue;
            }
            if !parts.is_empty() || !calls.is_empty() {
                messages.push(message);
            }
            if !broken.is_empty() {
                messages::count_repair(&mut repairs)?;
                messages.extend(calls.iter().map(|it| message::unreadable_result(&it.id, &broken)));
                continue;
            }
            // Only a successful request changes the state, so that a retry sends the same.
            self.messages = messages;
            if !calls.is_empty() {
                return Ok(Decision::Call(calls));
            }
            let cut = is_cut.then_some("max_tokens");
            return Ok(Decision::Conclude(Conclusion { parts, cut, ..Conclusion::default() }));
        }
    }

    fn transcript(&self) -> Value {
        json!({ "provider": PROVIDER, "model": &*self.model, "messages": self.messages })
    }

    fn model(&self) -> Option<&str> {
        Some(&*self.model).filter(|it| !it.is_empty())
    }

    fn usage(&self) -> Usage {
        self.usage
    }
}

/// The first model of a server's list, unless its name says that it only makes embeddings: LM Studio's all do, and
/// most of Ollama's. Lists have no field that says so everywhere.
fn first_chat_model(list: &Value) -> Option<&str> {
    let all = list["data"].as_array().into_iter().flatten();
    let names: Vec<_> =
        all.filter_map(|it| it["id"].as_str()).filter(|it| !it.is_empty()).collect();
    let chats = |name: &&&str| !name.to_ascii_lowercase().contains("embed");
    names.iter().find(chats).or(names.first()).copied()
}

/// Whether the URL has a path.
fn has_path(url: &str) -> bool {
    let server = url.split_once("://").map_or(url, |it| it.1);
    server.contains('/')
}

/// Texts for people.
fn texts(message: &Value) -> Vec<Part> {
    let text = message["content"].as_str().map(without_thoughts).filter(|it| !it.trim().is_empty());
    text.map(Part::text).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::{Answered, EventSink, Image, Message, ToolResult, models::events::Events};

    fn picture() -> Part {
        Part::image(Image { mime_type: "image/png".to_owned(), data: "AAAA".into() })
    }

    #[test]
    fn model_for_embeddings_is_not_asked() {
        let first = |names: &[&str]| {
            let data: Vec<_> = names.iter().map(|it| json!({ "id": it })).collect();
            first_chat_model(&json!({ "data": data })).map(str::to_owned)
        };
        let embedding = "text-embedding-nomic-embed-text-v1.5";
        assert_eq!(first(&[embedding, "Qwen3-Embedding-8B", "qwen4:8b"]).unwrap(), "qwen4:8b");
        assert_eq!(first(&["", "qwen4:8b", "llama4"]).unwrap(), "qwen4:8b");
        assert_eq!(first(&[embedding]).unwrap(), embedding, "its server says what it cannot do");
        assert_eq!(first(&[]), None);
    }

    #[test]
    fn history_uses_plain_texts_and_moves_pictures() {
        let remark = |is_user, parts| Message { is_user, parts };
        let messages = message::history(&[
            remark(true, vec![Part::text("a"), Part::text("b")]),
            remark(true, vec![Part::text("c")]),
            remark(false, vec![Part::text("d"), picture()]),
            remark(true, vec![Part::text("e")]),
        ]);
        assert_eq!(messages[0], json!({ "role": "user", "content": "a\nb\nc" }), "ILL-41");
        assert_eq!(messages[1], json!({ "role": "assistant", "content": "d" }), "ILL-41");
        let last = messages[2]["content"].as_array().unwrap();
        assert_eq!(
            (&last[0]["type"], &last[1]["text"]),
            (&json!("image_url"), &json!("e")),
            "ILL-28"
        );
    }

    #[test]
    fn history_starts_with_the_person_and_alternates() {
        let remark = |is_user, text: &str| Message { is_user, parts: vec![Part::text(text)] };
        let messages = message::history(&[
            remark(false, "ようこそ"),
            remark(true, "a"),
            remark(false, "b"),
            remark(false, " "),
            remark(false, "c"),
            remark(true, "d"),
        ]);
        let sent: Vec<_> = messages.iter().map(|it| (&it["role"], &it["content"])).collect();
        let (user, assistant) = (json!("user"), json!("assistant"));
        let wanted = [(&user, &json!("a")), (&assistant, &json!("b\nc")), (&user, &json!("d"))];
        assert_eq!(sent, wanted, "ILL-41");
    }

    #[test]
    fn orders_results_before_pictures_and_message() {
        let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "find", "arguments": "{}" } });
        let mut messages = vec![
            json!({ "role": "assistant", "content": null, "tool_calls": [call("a"), call("b")] }),
        ];
        let id = "b".to_owned();
        let (name, reason) = ("find".to_owned(), String::new());
        let call = ToolCall { id, name, arguments: Map::new(), meta: Map::new(), reason };
        let structured = json!({ "x": 1 });
        let result = ToolResult::Output { structured, meta: json!({}), content: vec![picture()] };
        message::results(&mut messages, &[Answered { call, result }], &[Part::text("と")]);
        let roles: Vec<_> = messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["assistant", "tool", "tool", "user"], "FORM-7");
        assert!(messages[1]["content"].as_str().unwrap().starts_with("Not done"));
        assert_eq!(messages[2]["content"], "{\"x\":1}");
        let last = messages[3]["content"].as_array().unwrap();
        assert_eq!(
            (&last[1]["type"], &last[2]["text"]),
            (&json!("image_url"), &json!("と")),
            "ILL-28"
        );
    }

    /// Reads a whole answer from these chunks.
    fn reply(chunks: &[Value]) -> Reply {
        let mut reply = Reply::default();
        for chunk in chunks {
            reply.take(&json!({ "choices": [chunk] })).unwrap();
        }
        reply
    }

    #[test]
    fn skips_thoughts_in_a_content_list() {
        let thought =
            json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "秘密" }] }]);
        let chunks = [
            json!({ "delta": { "content": thought }, "finish_reason": "" }),
            json!({ "delta": { "content": [{ "type": "text", "text": "は" }] } }),
            json!({ "delta": { "content": "い" }, "finish_reason": "model_length" }),
            json!({ "delta": {}, "finish_reason": "" }),
        ];
        let reply = reply(&chunks);
        assert!(reply.is_cut());
        assert_eq!(reply.message(&[]).0["content"], "はい");
    }

    #[test]
    fn sends_signed_thoughts_back_in_order() {
        let encrypted =
            |id: &str| json!({ "type": "reasoning.encrypted", "data": id, "id": id, "index": 0 });
        let text = |fields: Value| {
            let mut text = json!({ "type": "reasoning.text", "index": 0 });
            text.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            json!({ "delta": { "reasoning_details": [text] } })
        };
        let details = json!([encrypted("a"), encrypted("b")]);
        let chunks = [
            text(json!({ "text": "窓", "signature": null })),
            text(json!({ "text": "口" })),
            text(json!({ "signature": "c2ln" })),
            json!({ "delta": { "reasoning_details": details } }),
            json!({ "delta": { "content": "はい" }, "finish_reason": "stop" }),
        ];
        let (message, _) = reply(&chunks).message(&[]);
        let whole =
            json!({ "type": "reasoning.text", "index": 0, "text": "窓口", "signature": "c2ln" });
        assert_eq!(message["reasoning_details"], json!([whole, details[0], details[1]]), "ILL-27");
        let mut message = message;
        message::strip(&mut message);
        assert_eq!(message, json!({ "role": "assistant", "content": "はい" }), "another model");
    }

    #[test]
    fn call_of_what_is_no_name_can_be_sent_back() {
        let calls = [(0, "functions.find"), (1, "find"), (2, "")];
        let calls =
            calls.map(|(index, name)| json!({ "index": index, "function": { "name": name } }));
        let end = json!({ "delta": { "tool_calls": calls }, "finish_reason": "tool_calls" });
        let (message, broken) = reply(&[end]).message(&[]);
        let calls = message["tool_calls"].as_array().unwrap().iter();
        let names: Vec<_> = calls.map(|it| &it["function"]["name"]).collect();
        assert_eq!(names, ["functions_find", "find", "_"]);
        assert!(broken.is_empty());
    }

    #[test]
    fn repeated_name_continues_one_call() {
        let piece = |arguments: &str| {
            let function = json!({ "name": "find", "arguments": arguments });
            json!({ "delta": { "tool_calls": [{ "index": 0, "function": function }] } })
        };
        let end = json!({ "delta": {}, "finish_reason": "tool_calls" });
        let reply = reply(&[piece("{\"a\":"), piece("1"), piece("}"), piece(""), end]);
        let (message, broken) = reply.message(&[]);
        let function = json!({ "name": "find", "arguments": "{\"a\":1}" });
        assert_eq!((message["tool_calls"].as_array().unwrap().len(), broken.len()), (1, 0));
        assert_eq!(message["tool_calls"][0]["function"], function);
    }

    #[test]
    fn gives_call_a_unique_id() {
        let call =
            json!({ "index": 0, "id": "call_0", "function": { "name": "f", "arguments": "{}" } });
        let chunk = [json!({ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" })];
        let mut messages = Vec::new();
        for _ in 0..3 {
            let (message, _) = reply(&chunk).message(&messages);
            messages.push(message);
            // In a shortened conversation, positions repeat.
            messages.rotate_left(1);
        }
        let ids: Vec<_> = messages.iter().map(|it| it["tool_calls"][0]["id"].as_str()).collect();
        let different: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(different.len(), 3, "{ids:?}");
        assert!(ids.contains(&Some("call_0")));
    }

    #[test]
    fn bridges_results_and_the_persons_message() {
        let message = |role: &str| json!({ "role": role, "content": "x" });
        let mut messages: Vec<_> =
            ["user", "assistant", "tool", "tool", "user", "assistant", "tool", "user"]
                .map(message)
                .to_vec();
        message::bridge(&mut messages);
        let roles: Vec<_> = messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
        let wanted = [
            "user",
            "assistant",
            "tool",
            "tool",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
        ];
        assert_eq!(roles, wanted);
    }

    #[test]
    fn base_url_with_path_keeps_its_version() {
        for (url, has) in [
            ("http://127.0.0.1:11434", false),
            ("https://api.deepseek.com", false),
            ("http://127.0.0.1:8000/v1", true),
            ("https://generativelanguage.googleapis.com/v1beta/openai", true),
            ("https://api.z.ai/api/paas/v4", true),
        ] {
            assert_eq!(has_path(url), has, "{url}");
        }
    }

    #[test]
    fn answer_without_a_reason_is_whole_where_the_server_ends_it() {
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"はい\"}}]}\n\n";
        let done = "data: [DONE]\n\n";
        let read = |stream: &str| {
            let reply = Reply::read(Events::from_text(stream, error_of), &EventSink::default());
            reply.map(|it| it.message(&[]).0["content"].clone()).ok()
        };
        assert_eq!(read(&[text, done].concat()), Some(json!("はい")));
        assert_eq!(read(text), None, "it was cut");
        assert_eq!(read(done), None, "nothing came");
    }

    #[test]
    fn reads_unstreamed_answer() {
        let read = |whole: Value| {
            let events = Events::from_document(whole.to_string().as_bytes(), error_of).unwrap();
            Reply::read(events, &EventSink::default())
        };
        let function = json!({ "name": "find", "arguments": "{\"a\":1}" });
        let call = json!({ "id": "c", "type": "function", "function": function });
        let message = json!({ "role": "assistant", "content": "はい", "tool_calls": [call] });
        let choice = json!({ "index": 0, "message": message, "finish_reason": "tool_calls" });
        let (read_message, broken) = read(json!({ "choices": [choice] })).unwrap().message(&[]);
        assert_eq!((&read_message, broken.len()), (&message, 0));
        let refused = read(json!({ "error": { "message": "slow down", "code": "429" } }));
        let Err(error) = refused else { panic!("it is an error") };
        assert_eq!(error.model_error().kind, ErrorKind::RateLimited);
    }
}
