//! Claude: rounds, results in call order, thinking, forms, history, streams.

use std::sync::Arc;

use futures::StreamExt;
use serde_json::{Value, json};
use tests::fake_models::{
    Course, FakeModel, Reply,
    claude::{Claude, KEY, says, thinking, uses},
};
use tokio::sync::Semaphore;

use super::{EVENTS, Talking, called, form};

async fn talking(components: &[&str], lines: &str) -> Talking {
    Talking::start("claude", FakeModel::start(Claude::default()).await, components, lines).await
}

/// The blocks of one message of a request.
fn content(body: &Value, at: usize) -> Vec<Value> {
    body["messages"][at]["content"].as_array().expect("it has blocks").clone()
}

/// One of the two rounds has three calls.
#[tokio::test(flavor = "multi_thread")]
async fn claude_gets_results_of_two_rounds_in_the_order_of_the_calls() {
    let talking = talking(&["echo", "conformance"], EVENTS).await;
    let one = uses(&[("t1", "echo", json!({ "value": { "a": "あ" }, "reason": "To hear it." }))]);
    let three = uses(&[
        // The slowest comes first.
        ("t2", "count_slowly", json!({ "steps": 200 })),
        ("t3", "echo", json!({ "value": 7 })),
        ("t4", "test_image_content", json!({})),
    ]);
    talking.fake.says(one.clone()).says(three.clone()).says(says("できました。"));
    let answer = talking.say("やって").await;
    assert_eq!(answer["text"], "できました。", "ILL-40");
    assert_eq!(answer["stopReason"], "end", "ILL-40");
    assert_eq!(called(&answer), ["echo", "count_slowly", "echo", "test_image_content"], "ILL-54");
    assert_eq!(answer["toolCalls"][0]["reason"], "To hear it.", "NAV-54");
    assert_eq!(answer["toolCalls"][0]["params"], json!({ "value": { "a": "あ" } }), "NAV-54");

    let bodies = talking.fake.bodies();
    assert_eq!(bodies.len(), 3, "ILL-54");
    let mut fields: Vec<_> = bodies[0].as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["max_tokens", "messages", "model", "stream", "system", "tools"], "NAV-53");
    assert_eq!((&bodies[0]["max_tokens"], &bodies[0]["stream"]), (&json!(4096), &json!(true)));
    let mark = json!({ "type": "ephemeral" });
    let system = json!([{ "type": "text", "text": "You help.", "cache_control": mark }]);
    assert_eq!(bodies[0]["system"], system);
    let list = json!([{ "type": "text", "text": "やって", "cache_control": mark }]);
    assert_eq!(bodies[0]["messages"], json!([{ "role": "user", "content": list }]));
    let asked = talking.fake.received();
    assert_eq!(asked[0].header("x-api-key"), KEY);
    assert_eq!(asked[0].header("anthropic-version"), "2023-06-01");

    let assistant = |it: &Value| json!({ "role": "assistant", "content": it["content"] });
    assert_eq!(bodies[1]["messages"][1], assistant(&one), "ILL-27: verbatim, the reason too");
    assert_eq!(bodies[2]["messages"][3], assistant(&three), "ILL-27");
    let results = content(&bodies[2], 4);
    let ids: Vec<_> = results.iter().map(|it| &it["tool_use_id"]).collect();
    assert_eq!(ids, ["t2", "t3", "t4"], "ILL-24, NAV-55");
    let failed: Vec<_> = results.iter().map(|it| it["is_error"] == true).collect();
    assert_eq!(failed, [false, true, false], "NAV-55");
    assert!(results[1]["content"][0]["text"].as_str().unwrap().contains("/value"), "ILL-26");
    let image = &results[2]["content"][1];
    assert_eq!(
        (&image["type"], &image["source"]["media_type"]),
        (&json!("image"), &json!("image/png")),
        "ILL-28"
    );
    assert!(!results[2]["content"][0]["text"].as_str().unwrap().contains("iVBOR"), "ILL-28");
    // The previous cache mark is repeated, so that the cache is hit.
    let marks = |at| content(&bodies[2], at).last().unwrap()["cache_control"] == mark;
    assert_eq!([marks(0), marks(2), marks(4)], [false, true, true]);
}

#[tokio::test]
async fn declarations_require_a_reason_unless_operator_opts_out() {
    for (lines, wanted) in [("", true), ("reasons = false", false)] {
        let talking = talking(&["echo"], lines).await;
        talking.fake.says(says("はい"));
        talking.say("x").await;
        let tools = talking.fake.bodies()[0]["tools"].clone();
        let echo = tools.as_array().unwrap().iter().find(|it| it["name"] == "echo").unwrap();
        assert_eq!(echo["input_schema"]["properties"]["reason"].is_object(), wanted, "NAV-54");
        assert_eq!(echo["input_schema"].get("$schema"), None);
    }
}

#[tokio::test]
async fn usage_and_cost_sum_over_all_rounds() {
    let talking = talking(&["echo"], "").await;
    let usage = json!({
        "input_tokens": 1_000, "cache_creation_input_tokens": 2_000,
        "cache_read_input_tokens": 10_000, "output_tokens": 100,
    });
    for mut message in [uses(&[("t1", "echo", json!({ "value": {} }))]), says("はい")] {
        message["usage"] = usage.clone();
        talking.fake.says(message);
    }
    let usage = talking.say("x").await["usage"].clone();
    assert_eq!(usage["inputTokens"], 26_000);
    assert_eq!((&usage["cachedTokens"], &usage["outputTokens"]), (&json!(20_000), &json!(200)));
    // Twice (1000 + 1.25 × 2000 + 0.1 × 10000) × 2 $ and 100 × 10 $ a million.
    assert!((usage["costUsd"].as_f64().unwrap() - 0.02).abs() < 1e-9, "{usage}");
}

#[tokio::test]
async fn thinking_is_returned_unchanged_in_this_and_the_next_turn() {
    let talking = talking(&["echo"], "").await;
    let call = thinking("c2lnbmF0dXJl+/=", uses(&[("t1", "echo", json!({ "value": {} }))]));
    talking.fake.says(call.clone()).says(thinking("b3RoZXI=", says("はい"))).says(says("うん"));
    let answer = talking.say("x").await;
    assert_eq!(answer["text"], "はい");
    talking.answer(&json!({ "message": "それで", "turn": answer["turn"] })).await;
    let bodies = talking.fake.bodies();
    assert_eq!(content(&bodies[1], 1), *call["content"].as_array().unwrap(), "ILL-27");
    assert_eq!(content(&bodies[2], 1), *call["content"].as_array().unwrap(), "ILL-27");
    assert_eq!(content(&bodies[2], 3)[0]["signature"], "b3RoZXI=", "ILL-27");

    // The fake's error for a lost or changed signature, like the real one's.
    let refused = async |change: fn(&mut Value), says: &str| {
        let mut body = bodies[1].clone();
        change(&mut body["messages"][1]["content"]);
        let request = tests::client::http().build().unwrap();
        let request = request.post(format!("{}/v1/messages", talking.fake.url));
        let request = request.header("x-api-key", KEY).header("anthropic-version", "2023-06-01");
        let response = request.json(&body).send().await.unwrap();
        assert_eq!(response.status(), 400, "ILL-27: {says}");
        let error: Value = response.json().await.unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "ILL-27: {message}");
    };
    let lose = |it: &mut Value| drop(it[0].as_object_mut().unwrap().remove("signature"));
    refused(lose, "signature: Field required").await;
    refused(|it| it[0]["signature"] = "x".into(), "Invalid `signature`").await;
    refused(|it| it[0]["thinking"] = "x".into(), "cannot be modified").await;
    refused(|it| drop(it.as_array_mut().unwrap().remove(0)), "Expected `thinking`").await;
}

/// It holds for the prompt, the tools and the messages before it alone, and a day later the prompt is another.
#[tokio::test]
async fn rejected_thinking_is_dropped_and_the_turn_continues() {
    let talking = talking(&[], "").await;
    talking.fake.says(thinking("YQ==", says("はい")));
    let answer = talking.say("やあ").await;
    let refusal = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
    talking.fake.then(Reply::Refusal(400, refusal)).says(says("うん"));
    let next = json!({ "message": "それで", "turn": answer["turn"] });
    assert_eq!(talking.answer(&next).await["text"], "うん");
    let bodies = talking.fake.bodies();
    let is_there = |it: &Value| it["messages"].to_string().contains("thinking");
    assert_eq!(bodies.iter().map(is_there).collect::<Vec<_>>(), [false, true, false], "ILL-27");
}

#[tokio::test]
async fn empty_text_is_no_answer_and_is_never_sent_back() {
    let talking = talking(&["echo"], "").await;
    let mut call = uses(&[("t1", "echo", json!({ "value": {} }))]);
    let blank = json!({ "type": "text", "text": "\n\n" });
    call["content"].as_array_mut().unwrap().insert(0, blank);
    talking.fake.says(call).says(thinking("YQ==", says("\n"))).says(says("はい"));
    let answer = talking.say("やって").await;
    assert_eq!((&answer["text"], &answer["stopReason"]), (&json!("はい"), &json!("end")));
    let bodies = talking.fake.bodies();
    assert_eq!(bodies.len(), 3, "an answer of nothing is asked for again");
    assert_eq!(bodies[1]["messages"], bodies[2]["messages"]);
    talking.fake.says(says(" ")).says(thinking("Yg==", says(" "))).says(says("うん"));
    let empty = talking.answer(&json!({ "message": "それで", "turn": answer["turn"] })).await;
    assert_eq!(empty["stopReason"], "empty", "{empty}");
    talking.answer(&json!({ "message": "続けて", "turn": empty["turn"] })).await;
}

#[tokio::test]
async fn retries_claude_arguments_that_are_no_object() {
    for wrong in [json!("{\"value\": {\"a\": "), json!([{ "value": {} }])] {
        let talking = talking(&["echo"], "").await;
        let calls =
            || uses(&[("t1", "echo", wrong.clone()), ("t2", "echo", json!({ "value": {} }))]);
        talking.fake.says(calls()).says(says("すみません。"));
        let answer = talking.say("やって").await;
        assert_eq!((called(&answer).len(), &answer["text"]), (0, &json!("すみません。")));
        let results = content(&talking.fake.bodies()[1], 2);
        let ids: Vec<_> = results.iter().map(|it| &it["tool_use_id"]).collect();
        assert_eq!(ids, ["t1", "t2"], "{results:?}");
        assert!(results[0]["content"].as_str().unwrap().contains("invalid_arguments"));
        // Not for ever.
        talking.fake.says(calls()).says(calls());
        let (status, _) = talking.post(&json!({ "message": "やって" })).await;
        assert_eq!((status, talking.fake.left()), (500, 0), "ILL-42");
    }
}

#[tokio::test]
async fn form_answer_is_sent_with_its_result_in_one_message() {
    let talking = talking(&["forms", "echo"], "").await;
    let calls = uses(&[("t1", "request_form", form()), ("t2", "echo", json!({ "value": {} }))]);
    talking.fake.says(calls).says(says("3席ですね。"));
    let answer = talking.say("席を取りたい").await;
    assert_eq!(answer["stopReason"], "waiting", "FORM-3");
    assert_eq!(answer["waiting"][0]["type"], "form", "FORM-3: {answer}");
    assert_eq!(talking.fake.bodies().len(), 1, "FORM-3: nothing goes on meanwhile");
    let next = json!({ "message": "{\"seats\":3}", "turn": answer["turn"] });
    assert_eq!(talking.answer(&next).await["text"], "3席ですね。", "FORM-6");
    let parts = content(&talking.fake.bodies()[1], 2);
    let kinds: Vec<_> = parts.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "text"], "FORM-7");
    assert_eq!((&parts[0]["tool_use_id"], &parts[1]["tool_use_id"]), (&json!("t1"), &json!("t2")));
    assert_eq!(parts[2]["text"], "{\"seats\":3}", "FORM-7");
}

/// It shows pictures as the person's own.
#[tokio::test]
async fn history_without_a_turn_starts_with_the_user() {
    let talking = talking(&[], "").await;
    talking.fake.says(says("青くします。"));
    let picture = json!({ "inlineData": { "mimeType": "image/png", "data": "iVBORw0KGgo=" } });
    let history = json!([
        { "role": "model", "parts": [{ "text": "ようこそ" }] },
        { "role": "user", "parts": [{ "text": "描いて" }] },
        { "role": "model", "parts": [{ "text": "どうぞ" }, picture] },
    ]);
    talking.answer(&json!({ "message": "もっと青く", "history": history })).await;
    let messages = talking.fake.bodies()[0]["messages"].clone();
    let text = |it: &str| json!({ "type": "text", "text": it });
    assert_eq!(messages[0]["content"][0]["text"], "描いて", "ILL-41");
    assert_eq!(messages[1]["content"], json!([text("どうぞ")]), "ILL-41");
    assert_eq!(messages[2]["content"][0]["source"]["data"], "iVBORw0KGgo=", "ILL-41");
    assert_eq!(messages[2]["content"][1]["text"], "もっと青く", "ILL-41");
    assert_eq!(talking.fake.bodies()[0].get("tools"), None, "ILL-55");
}

#[tokio::test]
async fn tool_title_is_in_the_users_language() {
    let talking = talking(&["navigation"], "").await;
    for (language, is_english) in [("en", true), ("ja", false)] {
        let call = uses(&[("t1", "geocode", json!({ "address": "東京駅" }))]);
        talking.fake.says(call).says(says("はい"));
        let headers = [("accept-language", language)];
        let body = json!({ "message": "どこ" }).to_string();
        let response = talking.client().post("/api/chat", &headers, body).await;
        let answer: Value = response.json().await.unwrap();
        let title = answer["toolCalls"][0]["title"].as_str().unwrap();
        assert_eq!(title.is_ascii(), is_english, "{title}");
    }
}

#[tokio::test]
async fn claude_gets_more_tokens_if_it_only_thought() {
    let talking = talking(&["echo"], "").await;
    let mut thought = thinking("YQ==", json!({ "content": [] }));
    thought["stop_reason"] = "max_tokens".into();
    talking.fake.says(thought).says(says("はい"));
    let answer = talking.say("x").await;
    assert_eq!((&answer["text"], &answer["stopReason"]), (&json!("はい"), &json!("end")));
    let bodies = talking.fake.bodies();
    let rooms: Vec<_> = bodies.iter().map(|it| it["max_tokens"].clone()).collect();
    assert_eq!(rooms, [4_096, 32_000]);
    assert_eq!(bodies[0]["messages"], bodies[1]["messages"], "the thought does not go back");
}

#[tokio::test]
async fn claude_truncated_answer_makes_no_call_and_chat_continues() {
    let talking = talking(&["echo"], "").await;
    let mut cut = uses(&[("t1", "echo", json!({ "value": { "long": "x".repeat(100) } }))]);
    cut["stop_reason"] = "max_tokens".into();
    cut["content"].as_array_mut().unwrap().insert(0, json!({ "type": "text", "text": "では、" }));
    talking.fake.says(cut).says(says("はい"));
    let answer = talking.say("x").await;
    assert_eq!((&answer["stopReason"], &answer["text"]), (&json!("max_tokens"), &json!("では、")));
    assert_eq!(called(&answer), Vec::<&str>::new());
    talking.answer(&json!({ "message": "続けて", "turn": answer["turn"] })).await;
    assert_eq!(content(&talking.fake.bodies()[1], 1).len(), 1, "the call is not in it");
}

#[tokio::test]
async fn stopped_run_leaves_no_open_call() {
    let talking = talking(&["echo"], "rounds_max = 1").await;
    let call = |id| uses(&[(id, "echo", json!({ "value": {} }))]);
    talking.fake.says(call("t1")).says(call("t2")).says(says("はい"));
    let answer = talking.say("x").await;
    assert_eq!(answer["stopReason"], "max_tool_rounds", "ILL-25");
    assert_eq!(called(&answer), ["echo"], "ILL-25");
    talking.answer(&json!({ "message": "続けて", "turn": answer["turn"] })).await;
    let blocks = content(&talking.fake.bodies()[2], 4);
    assert_eq!((&blocks[0]["tool_use_id"], &blocks[0]["is_error"]), (&json!("t2"), &json!(true)));
    assert_eq!(blocks[1]["text"], "続けて");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_is_streamed_before_the_answer_is_complete() {
    let talking = talking(&[], "").await;
    let permits = Arc::new(Semaphore::new(0));
    let text = "一二三四五六七八九十百千万億";
    talking.fake.then(Reply::Message(says(text), Course::Stepped(permits.clone())));
    let (client, accept) = (talking.client(), [("accept", "text/event-stream")]);
    let body = json!({ "message": "数えて" }).to_string();
    let asking = tokio::spawn(async move { client.post("/api/chat", &accept, body).await });
    // message_start, content_block_start, ping, and the first of two pieces.
    permits.add_permits(4);
    let mut stream = asking.await.unwrap().bytes_stream();
    let mut all = String::new();
    while !all.contains("text_delta") {
        let bytes = stream.next().await.expect("it goes on").unwrap();
        all.push_str(std::str::from_utf8(&bytes).unwrap());
    }
    assert!(all.contains("一二三四五六七") && !all.contains('八'), "{all}");
    permits.add_permits(100);
    while let Some(bytes) = stream.next().await {
        all.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
    }
    assert!(all.contains("event: done") && all.contains(text), "{all}");
}
