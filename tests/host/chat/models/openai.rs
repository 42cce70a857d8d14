//! Chat completions: the dialects of OpenAI and Ollama.

use serde_json::{Value, json};
use tests::fake_models::{
    FakeModel, Reply,
    openai::{KEY, MODEL, OpenAi, THOUGHT, says, uses},
};

use super::{EVENTS, Talking, called, form};

async fn talking(ways: OpenAi, components: &[&str], lines: &str) -> Talking {
    Talking::start("openai", FakeModel::start(ways).await, components, lines).await
}

/// The roles of a request's messages.
fn roles(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().expect("there are some");
    messages.iter().map(|it| it["role"].as_str().expect("each has one")).collect()
}

/// One of the two rounds has three calls.
#[tokio::test(flavor = "multi_thread")]
async fn openai_gets_results_of_two_rounds_in_the_order_of_the_calls() {
    let talking = talking(OpenAi::Strict, &["echo", "conformance"], EVENTS).await;
    let one = uses(&[("c1", "echo", json!({ "value": { "a": "あ" }, "reason": "To hear it." }))]);
    let three = uses(&[
        ("c2", "count_slowly", json!({ "steps": 200 })),
        ("c3", "test_image_content", json!({})),
        ("c4", "echo", json!({ "value": 7 })),
    ]);
    talking.fake.says(one.clone()).says(three.clone()).says(says("できました。"));
    let answer = talking.say("やって").await;
    assert_eq!(answer["text"], "できました。", "ILL-40");
    assert_eq!(called(&answer), ["echo", "count_slowly", "test_image_content", "echo"], "ILL-54");
    assert_eq!(answer["toolCalls"][0]["reason"], "To hear it.", "NAV-54");
    assert_eq!(answer["usage"]["inputTokens"], 300);
    assert!(answer["usage"]["costUsd"].as_f64().unwrap() > 0.0);

    let bodies = talking.fake.bodies();
    let mut fields: Vec<_> = bodies[0].as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let wanted = ["max_tokens", "messages", "model", "stream", "stream_options", "tools"];
    assert_eq!(fields, wanted, "NAV-53");
    assert_eq!(bodies[0]["stream_options"], json!({ "include_usage": true }));
    let prompt = json!({ "role": "system", "content": "You help." });
    assert_eq!(bodies[0]["messages"], json!([prompt, { "role": "user", "content": "やって" }]));
    assert_eq!(talking.fake.received()[0].header("authorization"), format!("Bearer {KEY}"));

    let message = |it: &Value| json!({ "role": "assistant", "content": null, "tool_calls": it["tool_calls"] });
    let last = &bodies[2];
    let wanted =
        ["system", "user", "assistant", "tool", "assistant", "tool", "tool", "tool", "user"];
    assert_eq!(roles(last), wanted, "ILL-24");
    assert_eq!(last["messages"][2], message(&one), "ILL-27: verbatim");
    assert_eq!(last["messages"][4], message(&three), "ILL-27");
    let ids: Vec<_> = (5..8).map(|at| last["messages"][at]["tool_call_id"].clone()).collect();
    assert_eq!(ids, ["c2", "c3", "c4"], "ILL-24");
    let failed = last["messages"][7]["content"].as_str().unwrap();
    assert!(failed.contains("\"error\"") && failed.contains("/value"), "ILL-26: {failed}");
    let pictures = last["messages"][8]["content"].as_array().unwrap();
    assert!(pictures[0]["text"].as_str().unwrap().contains("c3"), "ILL-28");
    let url = pictures[1]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,iVBOR"), "ILL-28: {url}");
}

#[tokio::test]
async fn separates_calls_without_ids_and_defaults_to_the_first_model() {
    let fake = FakeModel::start(OpenAi::Ollama).await;
    let folders = tests::server::Folders::new();
    for name in ["assistant", "echo"] {
        folders.put(name, &tests::component_bytes(name));
    }
    // As the environment gives it: with the version in the address, and without a key.
    let lines = format!(
        "[chat]\nassistant = 'helper'\n[models.openai]\nbase_url = '{}/v1'\n\
         key = {{ environment = 'NO_SUCH_VARIABLE' }}\nmodel = {{ environment = 'NO_SUCH_VARIABLE' }}\n\
         [assistants.helper]\nprompt = 'You help.'\nprovider = 'openai'\napproval = 'never'\n",
        fake.url
    );
    let config = folders.config_with(&lines);
    let server = tests::server::TestServer::start(folders, |it| *it = config).await;
    let talking = Talking { server, fake };
    let call = |value: &str| ("", "echo", json!({ "value": { "it": value } }));
    talking.fake.says(uses(&[call("x"), call("y"), call("z")])).says(says("はい"));
    let answer = talking.say("やって").await;
    assert_eq!(called(&answer), ["echo", "echo", "echo"]);
    let bodies = talking.fake.bodies();
    assert_eq!(bodies[0]["model"], MODEL);
    assert_eq!(talking.fake.received()[0].path, "/v1/models");
    assert_eq!(talking.fake.received()[1].header("authorization"), "");
    let results = bodies[1]["messages"].as_array().unwrap()[3..].to_vec();
    for (result, value) in results.iter().zip(["x", "y", "z"]) {
        assert!(result["content"].as_str().unwrap().contains(value), "ILL-24: {result}");
    }
    // The next turn names new calls otherwise.
    talking.fake.says(uses(&[call("x")])).says(says("はい"));
    talking.answer(&json!({ "message": "もう一度", "turn": answer["turn"] })).await;
}

#[tokio::test]
async fn reasoning_is_returned_to_its_provider_and_never_shown() {
    let talking = talking(OpenAi::DeepSeek, &["echo"], "").await;
    talking.fake.says(uses(&[("c1", "echo", json!({ "value": {} }))])).says(says("はい"));
    let answer = talking.say("やって").await;
    assert_eq!(answer["text"], "はい");
    assert!(!answer.to_string().contains(THOUGHT), "{answer}");
    assert_eq!(talking.fake.bodies()[1]["messages"][2]["reasoning_content"], THOUGHT, "ILL-27");
    // A later turn is refused without it, too.
    talking.fake.says(says("うん"));
    talking.answer(&json!({ "message": "それで", "turn": answer["turn"] })).await;
}

/// A model that sees no pictures.
#[tokio::test(flavor = "multi_thread")]
async fn unsupported_pictures_end_no_conversation() {
    let talking = talking(OpenAi::DeepSeek, &["conformance"], EVENTS).await;
    talking.fake.says(uses(&[("c1", "test_image_content", json!({}))])).says(says("どうぞ"));
    let (status, answer) = talking.post(&json!({ "message": "見せて" })).await;
    assert_eq!((status, answer["text"].as_str()), (200, Some("どうぞ")), "{answer}");
    let refused = talking.fake.broken();
    assert!(refused.len() == 1 && refused[0].contains("image_url"), "{refused:?}");
    let sent = talking.fake.bodies().pop().unwrap().to_string();
    assert!(sent.contains("a picture that cannot be shown to you"), "{sent}");
    // It goes on without another refusal.
    talking.fake.says(says("うん"));
    let next = json!({ "message": "それで", "turn": answer["turn"] });
    assert_eq!((talking.post(&next).await.0, talking.fake.broken().len()), (200, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn adapts_to_limits_of_a_stricter_server() {
    let talking = talking(OpenAi::Mistral, &["conformance"], EVENTS).await;
    let call = |id: &str| uses(&[(id, "test_image_content", json!({}))]);
    talking.fake.says(call("c1")).says(says("はい"));
    let (status, answer) = talking.post(&json!({ "message": "やって" })).await;
    assert_eq!((status, answer["text"].as_str()), (200, Some("はい")), "{answer}");
    assert_eq!(answer["usage"]["inputTokens"], 200);
    assert!(!answer.to_string().contains(THOUGHT), "{answer}");
    assert_eq!(talking.fake.broken().len(), 2, "{:?}", talking.fake.broken());
    let last = talking.fake.bodies().pop().unwrap();
    assert_eq!(roles(&last), ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(last["messages"][5]["content"][1]["type"], "image_url", "ILL-28");
    // That is learnt.
    talking.fake.says(call("c2")).says(says("うん"));
    let next = json!({ "message": "もう一度", "turn": answer["turn"] });
    assert_eq!((talking.post(&next).await.0, talking.fake.broken().len()), (200, 2));
}

#[tokio::test]
async fn thoughts_inside_the_text_are_not_shown() {
    let talking = talking(OpenAi::Strict, &[], "").await;
    let text = "<think>\n秘密の考え\n</think>\n\nこんにちは。";
    talking.fake.says(says(text)).says(says("<think>秘密だけ</think>")).says(says("はい"));
    let events = crate::chat::events(&talking.client(), &json!({ "message": "やあ" })).await;
    let deltas = events.iter().filter(|it| it.0 == "text_delta");
    let streamed: String = deltas.map(|it| it.1["text"].as_str().unwrap()).collect();
    let done = &events.last().unwrap().1;
    assert_eq!((streamed.as_str(), &done["text"]), ("こんにちは。", &json!("こんにちは。")));
    assert!(!format!("{events:?}").contains("秘密"), "{events:?}");
    let answer = talking.say("もう一度").await;
    assert_eq!(answer["text"], "はい", "a thought alone is no answer: {answer}");
}

#[tokio::test]
async fn history_for_chat_completions_alternates() {
    let talking = talking(OpenAi::Strict, &[], "").await;
    talking.fake.says(says("はい"));
    let entry = |role: &str, text: &str| json!({ "role": role, "parts": [{ "text": text }] });
    let history = json!([
        entry("model", "ようこそ"),
        entry("user", "一"),
        entry("model", "二"),
        entry("model", "三"),
    ]);
    talking.answer(&json!({ "message": "四", "history": history })).await;
    let body = talking.fake.bodies()[0].clone();
    assert_eq!(roles(&body), ["system", "user", "assistant", "user"], "ILL-41");
    assert_eq!(body["messages"][2]["content"], "二\n三", "ILL-41");
}

#[tokio::test]
async fn reports_non_json_arguments_to_the_model_and_calls_nothing() {
    let talking = talking(OpenAi::Strict, &["echo"], "").await;
    let broken = || {
        uses(&[
            ("c1", "echo", json!("{\"value\": {\"a\": ")),
            ("c2", "echo", json!({ "value": {} })),
        ])
    };
    talking.fake.says(broken()).says(says("すみません。"));
    let answer = talking.say("やって").await;
    assert_eq!((called(&answer).len(), &answer["text"]), (0, &json!("すみません。")));
    let messages = talking.fake.bodies()[1]["messages"].clone();
    assert!(messages[3]["content"].as_str().unwrap().contains("invalid_arguments"), "{messages}");
    assert_eq!(messages[4]["tool_call_id"], "c2");
    // It is asked again only once.
    talking.fake.says(broken()).says(broken());
    let (status, _) = talking.post(&json!({ "message": "やって" })).await;
    assert_eq!((status, talking.fake.left()), (500, 0), "ILL-42");
}

#[tokio::test]
async fn retries_unparsable_call_once() {
    let talking = talking(OpenAi::Strict, &[], "").await;
    let refusal = "tool_use_failed: tool call validation failed";
    talking.fake.then(Reply::Refusal(400, refusal)).says(says("はい"));
    assert_eq!(talking.say("やって").await["text"], "はい");
    // It is asked again only once.
    talking.fake.then(Reply::Refusal(400, refusal)).then(Reply::Refusal(400, refusal));
    let (status, _) = talking.post(&json!({ "message": "やって" })).await;
    assert_eq!((status, talking.fake.left()), (500, 0), "ILL-42");
}

#[tokio::test]
async fn form_answer_follows_its_result() {
    let talking = talking(OpenAi::Strict, &["forms"], "").await;
    talking.fake.says(uses(&[("c1", "request_form", form())])).says(says("3席ですね。"));
    let answer = talking.say("席を取りたい").await;
    assert_eq!(answer["waiting"][0]["type"], "form", "FORM-3: {answer}");
    let next = json!({ "message": "{\"seats\":3}", "turn": answer["turn"] });
    assert_eq!(talking.answer(&next).await["text"], "3席ですね。", "FORM-6");
    let body = talking.fake.bodies()[1].clone();
    assert_eq!(roles(&body), ["system", "user", "assistant", "tool", "user"], "FORM-7");
    assert_eq!(body["messages"][4]["content"], "{\"seats\":3}", "FORM-7");
}

#[tokio::test]
async fn openai_truncated_answer_makes_no_call_and_chat_continues() {
    let talking = talking(OpenAi::Strict, &["echo"], "").await;
    let mut cut = uses(&[("c1", "echo", json!({ "value": { "long": "x".repeat(100) } }))]);
    cut["finish_reason"] = "length".into();
    talking.fake.says(cut.clone()).says(cut).says(says("はい"));
    let answer = talking.say("x").await;
    assert_eq!((&answer["stopReason"], called(&answer).len()), (&json!("max_tokens"), 0));
    talking.answer(&json!({ "message": "続けて", "turn": answer["turn"] })).await;
    let messages = talking.fake.bodies()[2]["messages"].clone();
    assert_eq!(messages[1], json!({ "role": "user", "content": "x\n続けて" }));
}

#[tokio::test]
async fn model_gets_more_tokens_if_it_only_thought() {
    let talking = talking(OpenAi::DeepSeek, &["echo"], "").await;
    talking.fake.says(json!({ "content": null, "finish_reason": "length" })).says(says("はい"));
    let answer = talking.say("x").await;
    assert_eq!((&answer["text"], &answer["stopReason"]), (&json!("はい"), &json!("end")));
    let rooms: Vec<_> = talking.fake.bodies().iter().map(|it| it["max_tokens"].clone()).collect();
    assert_eq!(rooms, [4_096, 32_000]);
}

/// It tells what its model thinks, and takes it back from none; DeepSeek wants it back.
#[tokio::test]
async fn learns_to_leave_out_thinking() {
    let talking = talking(OpenAi::Strict, &["echo"], "").await;
    let mut calls = uses(&[("c1", "echo", json!({ "value": { "a": 1 } }))]);
    calls["reasoning_content"] = "まず呼ぶ。".into();
    for asked in [3, 2] {
        let before = talking.fake.received().len();
        talking.fake.says(calls.clone()).says(says("はい"));
        let (status, answer) = talking.post(&json!({ "message": "やって" })).await;
        assert_eq!((status, &answer["text"]), (200, &json!("はい")), "{answer}");
        assert_eq!(talking.fake.received().len() - before, asked);
    }
    assert_eq!(talking.fake.broken().len(), 1, "it is learnt from the first refusal");
}
