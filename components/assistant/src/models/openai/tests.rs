//! The parts that need no network: messages, results.

use serde_json::{Map, json};

use super::*;
use crate::{Answered, Image, Message, ToolResult};

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
