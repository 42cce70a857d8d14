//! The parts that need no network: messages, results, what is resumed.

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
fn a_history_begins_with_the_person_and_alternates() {
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
    assert_eq!(kinds, ["image", "text", "text"], "only the person's messages may have pictures");
    assert_eq!(last[2]["text"], "[image/tiff, not shown]");
}

#[test]
fn every_call_has_one_result_in_its_place_whatever_is_answered() {
    let uses = |id: &str| json!({ "type": "tool_use", "id": id, "name": "find", "input": {} });
    let messages = [json!({ "role": "assistant", "content": [uses("a"), uses("b"), uses("c")] })];
    let output = ToolResult::Output {
        structured: json!({ "x": 1 }),
        meta: json!({}),
        content: vec![Part::image(image("image/png"))],
    };
    let failure = ToolResult::Failed(Failure::new("card_not_found", 404, "No."));
    let all = [answered("c", failure), answered("other", output.clone()), answered("a", output)];
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
fn marks_are_on_what_is_sent_and_not_on_what_is_kept() {
    let user =
        |text: &str| json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
    let messages = [user("a"), json!({ "role": "assistant", "content": [] }), user("b"), user("c")];
    let marked = message::cached(&messages);
    let is_marked = |it: &Value| it["content"][0]["cache_control"].is_object();
    assert_eq!(marked.iter().map(is_marked).collect::<Vec<_>>(), [false, false, true, true]);
    assert!(!messages.iter().any(is_marked));
}

#[test]
fn shows_thinking_only_to_the_model_that_thought_it() {
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
fn calls_under_one_id_are_told_apart() {
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
