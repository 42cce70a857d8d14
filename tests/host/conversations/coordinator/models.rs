//! A foreign model plays one of two agents.

use super::*;

/// Ann is played by `fake`, Ben by the built-in model; `lines` are Ann's assistant's own.
async fn counter(fake: &FakeModel, lines: &str) -> Counter {
    let lines = format!(
        "{}[assistants.talker]\nprovider = 'builtin'\n[assistants.thinker]\nprompt = 'You talk.'\nprovider = 'openai'\nplays_agents = true\n\
         tools = ['component:conversations', 'list_movies', 'reserve_seats']\n{lines}\n\
         [models.openai]\nbase_url = '{}'\nkey = {{ value = '{}' }}\nmodel = '{}'\nretry_base_ms = 1\n",
        agents(&[("ann", "thinker"), ("ben", "talker")]),
        fake.url,
        openai::KEY,
        openai::MODEL,
    );
    Counter::open(&["conversations", "cinema"], &lines).await
}

async fn fake(texts: &[&str]) -> FakeModel {
    let fake = FakeModel::start(OpenAi::Strict).await;
    texts.iter().for_each(|it| _ = fake.says(openai::says(it)));
    fake
}

const THEIRS: [&str; 5] = ["ごりら", "ぱんだ", "うさぎ", "うま", "らいおん"];

#[tokio::test(flavor = "multi_thread")]
async fn model_plays_one_side_without_seeing_a_token() {
    let fake = fake(&THEIRS).await;
    let counter = counter(&fake, "").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    let conversation = counter.end(&id).await;
    assert_eq!(contents(&conversation), GAME);
    assert_eq!(fake.broken(), [""; 0]);
    let bodies = fake.bodies();
    assert_eq!(bodies.len(), 5, "it is not asked once it is over");
    let all = json!(bodies).to_string();
    assert!(!all.contains("sess_") && !all.contains("session_token"), "{all}");
    // Its tools: those of a conversation, and read-only ones.
    let tools = bodies[0]["tools"].as_array().unwrap().iter();
    let mut tools: Vec<_> = tools.map(|it| it["function"]["name"].as_str().unwrap()).collect();
    tools.sort_unstable();
    let wanted = [
        "end_conversation",
        "get_conversation_messages",
        "list_agents",
        "list_movies",
        "respond_chat",
        "send_message",
        "start_conversation",
    ];
    assert_eq!(tools, wanted);
    // Its name, its partner, the purpose; then the messages with their senders.
    let messages = bodies[0]["messages"].as_array().unwrap();
    let text = messages[1]["content"].as_str().unwrap();
    assert!(
        text.contains("「ann」")
            && text.contains("「ben」")
            && text.contains("会話の目的: しりとり"),
        "{text}"
    );
    assert!(text.ends_with("[ben]\nしりとりをしましょう。りんご"), "{text}");
    let last = bodies[4]["messages"].as_array().unwrap();
    let contents: Vec<_> =
        last.iter().filter(|it| it["role"] == "assistant").map(|it| &it["content"]).collect();
    assert_eq!(contents, THEIRS[..4].iter().collect::<Vec<_>>());
    let reminded = last.iter().filter(|message| {
        message["content"].as_str().is_some_and(|it| it.contains("目的は達成されましたか"))
    });
    assert_eq!(reminded.count(), 1, "every five messages");
    // The usage of the last turn is reported after the end.
    let usage = json!({ "turns": 5, "input_tokens": 500, "output_tokens": 100 });
    let has_usage = |it: &Value| it["conversation"]["members"][1]["usage"] == usage;
    counter.until(&id, has_usage).await;
    let metrics = counter.server.server().calls.watch.metrics.text();
    assert!(
        metrics.contains("assistant=\"thinker\",provider=\"openai\",outcome=\"end\"} 5"),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_answers_looks_up_and_ends_by_tools() {
    let fake = FakeModel::start(OpenAi::Strict).await;
    let respond = ("c1", "respond_chat", json!({ "content": "調べます", "reason": "x" }));
    let look = ("c2", "list_agents", json!({ "reason": "x" }));
    let end = (
        "c3",
        "end_conversation",
        json!({ "final_message": "以上です", "reason_text": "済んだ", "reason": "x" }),
    );
    fake.says(openai::uses(&[respond, look])).says(openai::says("送りました"));
    fake.says(openai::uses(&[end])).says(openai::says("終わりました"));
    let counter = counter(&fake, "").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    let conversation = counter.end(&id).await;
    let list = contents(&conversation);
    assert_eq!((list[1], *list.last().unwrap()), ("調べます", "以上です"), "{list:?}");
    assert!(!list.contains(&"送りました") && !list.contains(&"終わりました"), "{list:?}");
    let conversation = &conversation["conversation"];
    assert_eq!(conversation["ended_by"], "ann");
    assert_eq!(
        (&conversation["end_reason"], &conversation["reason_text"]),
        (&json!("participant_ended"), &json!("済んだ"))
    );
    let all = json!(fake.bodies()).to_string();
    assert!(!all.contains("sess_") && !all.contains("session_token"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invented_token_is_replaced_by_the_sessions() {
    let fake = FakeModel::start(OpenAi::Strict).await;
    let arguments =
        json!({ "session_token": "sess_0", "final_message": "さようなら", "reason": "x" });
    fake.says(openai::uses(&[("c1", "end_conversation", arguments)])).says(openai::says("x"));
    let counter = counter(&fake, "").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    assert_eq!(contents(&counter.end(&id).await).last(), Some(&"さようなら"));
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_at_its_answer_limit_ends_and_says_why() {
    let fake = fake(&THEIRS).await;
    let counter = counter(&fake, "turns_max = 2").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    let conversation = counter.end(&id).await;
    let contents = contents(&conversation);
    assert_eq!(contents[..5], GAME[..5]);
    assert_eq!(contents[5..], ["応答回数の上限（2回）に達したため、会話を終了します。"]);
    let conversation = &conversation["conversation"];
    assert_eq!(
        (&conversation["ended_by"], &conversation["reason_text"]),
        (&json!("ann"), &json!("turns_max"))
    );
    assert_eq!(fake.bodies().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_out_of_tokens_ends_conversation_even_between_two_calls() {
    let fake = FakeModel::start(OpenAi::Strict).await;
    let look = |id| openai::uses(&[(id, "list_agents", json!({ "reason": "x" }))]);
    fake.says(openai::says("ごりら")).says(look("c1")).says(look("c2")).says(look("c3"));
    // 120 tokens a request: the third brings it over the limit.
    let counter = counter(&fake, "tokens_max = 300").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    let talk = counter.end(&id).await;
    assert_eq!(contents(&talk)[3..], ["トークン数の上限（300）に達したため、会話を終了します。"]);
    assert_eq!(fake.bodies().len(), 3);
    assert_eq!(talk["conversation"]["reason_text"], "tokens_max");
    let took = |it: &Value| it["conversation"]["members"][1]["usage"]["input_tokens"] == 300;
    counter.until(&id, took).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_model_once_and_ends_if_it_fails_again() {
    let fake = FakeModel::start(OpenAi::Strict).await;
    fake.then(Reply::Nonsense);
    fake.says(openai::says("ごりら"));
    let counter = counter(&fake, "").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    // From its second answer on nothing is written down: the fake fails.
    let conversation = counter.end(&id).await;
    let contents = contents(&conversation);
    assert_eq!(contents[..3], GAME[..3]);
    assert_eq!(contents[3..], ["アシスタントが応答できないため、会話を終了します。"]);
    assert_eq!(conversation["conversation"]["reason_text"], "assistant_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_agent_reports_the_stop() {
    let fake = fake(&[]).await;
    let look = |id| openai::uses(&[(id, "list_agents", json!({}))]);
    fake.says(look("c1")).says(look("c2"));
    let counter = counter(&fake, "rounds_max = 1").await;
    let id = counter.begin(game("ben", "ann", "しりとり")).await;
    counter.until(&id, |it| it.to_string().contains("もう一度聞いてください")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn model_begins_a_conversation_and_a_restart_loses_no_message() {
    let fake = fake(&["しりとりをしましょう。りんご", "らっぱ"]).await;
    // The restart breaks off the third turn: without a reply it would fail before, the sooner the slower the restart.
    fake.then(Reply::Hang);
    let mut counter = counter(&fake, "").await;
    let id = counter.begin(game("ann", "ben", "しりとり")).await;
    counter.until_messages(&id, 4).await;
    tests::until("the third turn has begun", async || fake.left() == 0).await;
    counter.server.restart().await;
    fake.says(openai::says("だちょう"));
    let last = openai::uses(&[(
        "c1",
        "end_conversation",
        json!({ "final_message": "ここまで", "reason": "x" }),
    )]);
    fake.says(last).says(openai::says("x"));
    let conversation = counter.end(&id).await;
    let contents = contents(&conversation);
    assert_eq!(contents[..4], ["しりとりをしましょう。りんご", "ごりら", "らっぱ", "ぱんだ"]);
    assert_eq!(contents.last(), Some(&"ここまで"), "{contents:?}");
    let bodies = fake.bodies();
    let opening = bodies[0]["messages"][1]["content"].as_str().unwrap();
    assert!(opening.contains("会話を始めてください"), "{opening}");
    // After the restart it gets all messages before.
    let all = json!(bodies[bodies.len() - 2]["messages"]).to_string();
    assert!(all.contains("ごりら") && all.contains("らっぱ"), "{all}");
}
