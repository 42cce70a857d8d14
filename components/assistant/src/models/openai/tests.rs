//! The parts that need no network: messages, results.

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
    assert_eq!((&last[0]["type"], &last[1]["text"]), (&json!("image_url"), &json!("e")), "ILL-28");
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
    let mut messages =
        vec![json!({ "role": "assistant", "content": null, "tool_calls": [call("a"), call("b")] })];
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
    assert_eq!((&last[1]["type"], &last[2]["text"]), (&json!("image_url"), &json!("と")), "ILL-28");
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
    let thought = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "秘密" }] }]);
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
