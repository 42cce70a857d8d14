//! Chat completions, of OpenAI or of servers that speak like it: Ollama, llama.cpp, vLLM, Mistral, OpenRouter.

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
    AssistantConfig, Conclusion, Decision, ModelConfig, ModelError, Part, ToolCall, ToolPicker,
    Turn, Usage, Why,
};
use limits::Ways;
pub(super) use message::SHAPE;
use reply::{Reply, error_of, spoken};

/// Chat completions, of OpenAI or of a server that speaks like it.
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
    // The first that the server has.
    model: "",
    is_ready: |config| config.base_url.is_some() || config.key && config.model.is_some(),
    makes_pictures: false,
    picker: |model, assistant, config, transcript| {
        Ok(Box::new(OpenAi::new(model, assistant, config, transcript)?))
    },
};
/// Where the API is, where there is a key and no other address.
const BASE_URL: &str = "https://api.openai.com/v1";
/// How long an answer may be, unless configured.
const TOKENS_MAX: u32 = 4_096;
/// Tools of one request, where a server takes but so many: OpenAI, Azure and Groq
/// (<https://platform.openai.com/docs/api-reference/chat/create>).
const TOOLS_MAX: usize = 128;
/// The provider's name in a stored transcript.
const PROVIDER: &str = "openai";
/// What one request may have, of OpenAI's 50 MB and 500 pictures
/// (<https://platform.openai.com/docs/guides/images-vision>): prompt and tools come beside it.
const ROOM: Room = Room { bytes: 40 << 20, pictures: 400 };

/// Decides by asking a model behind chat completions.
struct OpenAi {
    wire: Wire,
    /// What stands before each path.
    version: &'static str,
    /// Empty until the server was asked what it has.
    model: Arc<str>,
    assistant: AssistantConfig,
    /// Where the API is: what was learnt of its models is kept by it.
    url: String,
    /// The field that says how long an answer may be, where nothing else was learnt.
    limit_name: &'static str,
    tokens_max: u32,
    thinking_tokens_max: u32,
    price: Option<Price>,
    /// The conversation, as it goes over the wire; the prompt comes before it.
    messages: Vec<Value>,
    usage: Usage,
}

impl OpenAi {
    /// Asks `model`, or the first that the server has, going on from `transcript` where there is one.
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
            return Err(ModelError::new(Why::Key, what));
        }
        let url = url.unwrap_or(BASE_URL).trim_end_matches('/');
        // OpenAI's own no longer take the old name of the field, others do not know the new one.
        let limit_name = match url.contains("//api.openai.com") {
            true => limits::NEW,
            false => limits::OLD,
        };
        let prices = config.prices();
        let earlier = transcript.filter(|it| it["provider"] == PROVIDER);
        let spoken = earlier.and_then(|it| it["model"].as_str());
        let mut messages = earlier.and_then(|it| it["messages"].as_array().cloned());
        if spoken.is_some_and(|it| !model.is_empty() && it != &**model) {
            messages.iter_mut().flatten().for_each(message::strip);
        }
        let spoken = spoken.filter(|_| model.is_empty());
        Ok(Self {
            wire: Wire::new(url, "authorization", config)?,
            // An address with a path has its version in it, which is not everywhere called so.
            version: if has_path(url) { "" } else { "v1/" },
            model: spoken.map_or_else(|| model.clone(), Into::into),
            assistant: assistant.clone(),
            url: url.to_owned(),
            limit_name,
            tokens_max: config.max_tokens.unwrap_or(TOKENS_MAX),
            thinking_tokens_max: config.max_tokens.unwrap_or(THINKING_TOKENS_MAX),
            // What tokens from a cache cost differs from one to the next: at most as much as others.
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
        let learned = limits::learned(&self.url, &self.model);
        let first = learned.unwrap_or_else(|| Ways::with(self.limit_name));
        let (mut ways, mut is_halved, mut is_again) = (first, false, false);
        loop {
            let body = self.body(messages, turn, names, ways);
            let read = |events| Reply::read(events, turn.teller);
            let error = match self.wire.answer(&path, &[], &body, turn, error_of, read) {
                Ok(reply) => {
                    if ways != first {
                        limits::learn(&self.url, &self.model, ways);
                    }
                    if ways.few && !first.few {
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
            match ways.adapted(&error, first) {
                Some(other) => ways = other,
                // Groq's, of a call that its model wrote wrongly: another try may be right.
                None if !is_again && error.says_any(&["tool_use_failed"]) => is_again = true,
                None if trim::lessen(messages, &SHAPE, &error, &mut is_halved) => {}
                None => return Err(error.model_error()),
            }
        }
    }

    fn body(&self, messages: &[Value], turn: &Turn<'_>, names: &Names, ways: Ways) -> Value {
        let has_tools = !turn.offers.is_empty();
        let prompt = self.assistant.prompt(has_tools, turn.task.now);
        let prompt = (!prompt.is_empty()).then(|| json!({ "role": "system", "content": prompt }));
        let mut messages: Vec<_> = prompt.into_iter().chain(messages.iter().cloned()).collect();
        if ways.bridges {
            message::bridge(&mut messages);
        }
        let mut body = json!({ "model": &*self.model, "messages": messages, "stream": true });
        if ways.counts {
            body["stream_options"] = json!({ "include_usage": true });
        }
        if let Some(limit) = ways.limit {
            body[limit] = self.tokens_max.into();
        }
        if has_tools {
            let reasons = self.assistant.reasons;
            let declared = declare::declarations(turn.offers, reasons, turn.task.language);
            let count = declared.len();
            // The last one reads on in results that were cut.
            let is_in = |at: usize| !ways.few || at + 1 < TOOLS_MAX || at + 1 == count;
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

    /// The first model that the server has.
    fn first_model(&self, until: Instant) -> Result<Arc<str>, ModelError> {
        let path = format!("{}models", self.version);
        let list = self.wire.json(&path, until).map_err(|it| it.model_error())?;
        let first = list["data"][0]["id"].as_str().filter(|it| !it.is_empty());
        if let Some(first) = first {
            limits::found(&self.url, first);
        }
        first.map(Into::into).ok_or_else(|| {
            ModelError::new(Why::Missing, "the server has no model; name one with OPENAI_MODEL")
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
        let names = Names::of(turn.offers);
        let (mut repairs, mut is_again) = (0, false);
        loop {
            let reply = self.reply(&mut messages, &turn, &names)?;
            if let Some(why) = reply.blocked() {
                return Err(ModelError::new(Why::Blocked, why));
            }
            let is_cut = reply.is_cut();
            let (message, broken) = reply.message(&messages)?;
            let calls = self.calls(&message, &turn, &names);
            let parts = texts(&message);
            // An answer of nothing is asked for once more; one that was cut, with room for more thinking.
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
                messages::repaired(&mut repairs)?;
                messages.extend(calls.iter().map(|it| message::unread(&it.id, &broken)));
                continue;
            }
            // Only what went well is kept: who asks again after a failure asks the same.
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

/// Whether the address says more than which server it is.
fn has_path(url: &str) -> bool {
    let server = url.split_once("://").map_or(url, |it| it.1);
    server.contains('/')
}

/// What is for people.
fn texts(message: &Value) -> Vec<Part> {
    let text = message["content"].as_str().map(spoken).filter(|it| !it.trim().is_empty());
    text.map(Part::text).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::{Answered, Image, Message, Teller, ToolResult, models::events::Events};

    fn picture() -> Part {
        Part::image(Image { mime_type: "image/png".to_owned(), data: "AAAA".into() })
    }

    #[test]
    fn history_is_text_where_it_can_be_and_pictures_are_the_persons() {
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
    fn history_begins_with_the_person_and_no_two_answers_follow() {
        let remark = |is_user, text: &str| Message { is_user, parts: vec![Part::text(text)] };
        let messages = message::history(&[
            remark(false, "ようこそ"),
            remark(true, "a"),
            remark(false, "b"),
            remark(false, " "),
            remark(false, "c"),
            remark(true, "d"),
        ]);
        let said: Vec<_> = messages.iter().map(|it| (&it["role"], &it["content"])).collect();
        let (user, assistant) = (json!("user"), json!("assistant"));
        let wanted = [(&user, &json!("a")), (&assistant, &json!("b\nc")), (&user, &json!("d"))];
        assert_eq!(said, wanted, "ILL-41");
    }

    #[test]
    fn results_in_call_order_then_one_message_of_pictures_and_words() {
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

    /// The whole of an answer that comes in these chunks.
    fn reply(chunks: &[Value]) -> Reply {
        let mut reply = Reply::default();
        for chunk in chunks {
            reply.take(&json!({ "choices": [chunk] })).unwrap();
        }
        reply
    }

    #[test]
    fn a_thought_in_a_list_is_no_text_and_the_texts_are() {
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
        assert_eq!(reply.message(&[]).unwrap().0["content"], "はい");
    }

    #[test]
    fn signed_thoughts_go_back_whole_and_in_their_order() {
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
        let (message, _) = reply(&chunks).message(&[]).unwrap();
        let whole =
            json!({ "type": "reasoning.text", "index": 0, "text": "窓口", "signature": "c2ln" });
        assert_eq!(message["reasoning_details"], json!([whole, details[0], details[1]]), "ILL-27");
        let mut message = message;
        message::strip(&mut message);
        assert_eq!(message, json!({ "role": "assistant", "content": "はい" }), "another model");
    }

    #[test]
    fn a_name_in_each_piece_of_a_call_is_that_of_one_call() {
        let piece = |arguments: &str| {
            let function = json!({ "name": "find", "arguments": arguments });
            json!({ "delta": { "tool_calls": [{ "index": 0, "function": function }] } })
        };
        let end = json!({ "delta": {}, "finish_reason": "tool_calls" });
        let reply = reply(&[piece("{\"a\":"), piece("1"), piece("}"), piece(""), end]);
        let (message, broken) = reply.message(&[]).unwrap();
        let function = json!({ "name": "find", "arguments": "{\"a\":1}" });
        assert_eq!((message["tool_calls"].as_array().unwrap().len(), broken.len()), (1, 0));
        assert_eq!(message["tool_calls"][0]["function"], function);
    }

    #[test]
    fn a_call_has_an_id_that_no_call_before_it_has() {
        let call =
            json!({ "index": 0, "id": "call_0", "function": { "name": "f", "arguments": "{}" } });
        let chunk = [json!({ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" })];
        let mut messages = Vec::new();
        for _ in 0..3 {
            let (message, _) = reply(&chunk).message(&messages).unwrap();
            messages.push(message);
            // Of a conversation that has become shorter, a place comes again.
            messages.rotate_left(1);
        }
        let ids: Vec<_> = messages.iter().map(|it| it["tool_calls"][0]["id"].as_str()).collect();
        let different: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(different.len(), 3, "{ids:?}");
        assert!(ids.contains(&Some("call_0")));
    }

    #[test]
    fn an_answer_stands_between_results_and_the_person() {
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
    fn an_address_with_a_path_has_its_version_in_it() {
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
    fn an_answer_that_comes_whole_is_read_as_one_in_pieces() {
        let read = |whole: Value| {
            let events = Events::of(whole.to_string().as_bytes(), error_of).unwrap();
            Reply::read(events, &Teller::default())
        };
        let function = json!({ "name": "find", "arguments": "{\"a\":1}" });
        let call = json!({ "id": "c", "type": "function", "function": function });
        let message = json!({ "role": "assistant", "content": "はい", "tool_calls": [call] });
        let choice = json!({ "index": 0, "message": message, "finish_reason": "tool_calls" });
        let (read_message, broken) =
            read(json!({ "choices": [choice] })).unwrap().message(&[]).unwrap();
        assert_eq!((&read_message, broken.len()), (&message, 0));
        let refused = read(json!({ "error": { "message": "slow down", "code": "429" } }));
        let Err(error) = refused else { panic!("it is an error") };
        assert_eq!(error.model_error().why, Why::RateLimited);
    }
}
