//! Agents that the component plays: each run of a job finds its work in the database.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::component::JobOutcome;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::people::{self, begin, guest, operator, wanted};

/// When the house opens, in seconds since 1970.
const OPENS_S: u64 = 1_795_168_800;

/// A house whose agents are played, and what their assistant was asked so far.
struct Stage {
    component: Tested,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Stage {
    /// With so many turns and tokens for a conversation; the assistant's answer goes by how often it was asked.
    async fn open(
        budget: (u32, u64),
        answers: impl Fn(usize) -> Value + Send + Sync + 'static,
    ) -> Self {
        let requests = Arc::<Mutex<Vec<Value>>>::default();
        let notes = requests.clone();
        let answer = move |task: &Value| {
            let mut notes = notes.lock().unwrap();
            notes.push(task.clone());
            answers(notes.len())
        };
        Self {
            component: people::bench().assistant("talker", budget, answer).start().await,
            requests,
        }
    }

    /// With more turns and tokens than any test takes; each answer says its number.
    async fn counting() -> Self {
        Self::open((50, 200_000), |count| says(&format!("answer {count}"))).await
    }

    /// One run of the job of an agent of the shop.
    async fn play(&self, agent: &str) -> JobOutcome {
        let role = json!({ "project_id": "shop", "agent_id": agent }).to_string();
        self.component.run_job(&format!("shop/{agent}"), &role).await.expect("it runs")
    }

    /// The same for a paused job: the seconds from the opening until it resumes.
    async fn pause_s(&self, agent: &str) -> u64 {
        match self.play(agent).await {
            JobOutcome::Paused(pause) => {
                assert_eq!(pause.events, [format!("agent://shop/{agent}")]);
                pause.until.seconds - OPENS_S
            }
            JobOutcome::Done => panic!("{agent} has left"),
        }
    }

    /// Whether the agent has left after one run.
    async fn has_left(&self, agent: &str) -> bool {
        matches!(self.play(agent).await, JobOutcome::Done)
    }

    /// The number of requests to the assistant.
    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The last request to the assistant.
    fn last(&self) -> Value {
        self.requests.lock().unwrap().last().expect("it was asked").clone()
    }

    fn pass(&self, seconds: u64) {
        self.component.pass(Duration::from_secs(seconds));
    }

    /// The conversation as the operator sees it.
    async fn see(&self, id: &str) -> Value {
        operator(&self.component);
        self.component.call("get_conversation", json!({ "conversation_id": id })).await
    }

    /// The texts of its messages.
    async fn contents(&self, id: &str) -> Vec<String> {
        let conversation = self.see(id).await;
        let messages = conversation["messages"].as_array().unwrap().iter();
        messages.map(|it| it["content"].as_str().unwrap().to_owned()).collect()
    }

    async fn state(&self, id: &str) -> Value {
        self.see(id).await["conversation"]["state"].clone()
    }

    /// worker-a, who is played, has begun with worker-c, who is there: the conversation and the guest's token.
    async fn talking(&self) -> (String, String) {
        let id = begin(&self.component, "worker-c").await;
        let c = guest(&self.component, "worker-c").await;
        self.play("worker-a").await;
        (id, c)
    }

    /// The guest says something to worker-a.
    async fn reply(&self, token: &str, content: &str) {
        let arguments =
            json!({ "session_token": token, "target_agent_id": "worker-a", "content": content });
        self.component.call("send_message", arguments).await;
    }
}

/// An answer with a text, which takes 120 tokens.
fn says(text: &str) -> Value {
    json!({
        "ending": "concluded", "text": text, "calls": [], "memory": { "said": text },
        "usage": { "input_tokens": 100, "cached_tokens": 0, "output_tokens": 20, "cost_usd": 0.25 },
    })
}

/// A failure in place of an answer.
fn fails(data: Value) -> Value {
    json!({
        "ending": "failed", "calls": [], "memory": null,
        "failure": { "of": "model", "error": "slow", "message": "slow", "status": 503, "data": data },
        "usage": { "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0, "cost_usd": null },
    })
}

/// A call that the assistant made itself.
fn called(tool: &str, arguments: Value, structured: Value) -> Value {
    let call = json!({
        "id": "1", "name": tool, "arguments": arguments, "reason": "", "structured": structured,
        "meta": null,
    });
    json!({ "ending": "concluded", "text": "and this", "calls": [call] })
}

#[tokio::test]
async fn two_agents_take_turns_and_each_run_sends_its_message() {
    let stage = Stage::counting().await;
    let id = begin(&stage.component, "worker-b").await;
    assert_eq!(stage.pause_s("worker-a").await, 45);
    let request = stage.last();
    assert_eq!((&request["assistant"], &request["language"]), (&json!("talker"), &json!("ja")));
    assert!(request["message"].as_str().unwrap().contains("会話を始めてください"), "{request}");
    let scene = request["history"][0]["text"].as_str().unwrap();
    assert!(scene.contains("Analysis Worker") && scene.contains("開始者"), "{scene}");
    assert_eq!(request["part"]["name"], "worker-a");
    assert_eq!(
        (&request["part"]["tokens_max"], &request["part"]["memory"]),
        (&json!(200_000), &Value::Null)
    );
    assert_eq!(
        stage.state(&id).await,
        "pending",
        "the first word does not wait for the other side"
    );

    assert_eq!(stage.pause_s("worker-b").await, 45);
    let request = stage.last();
    assert_eq!(request["message"], "[worker-a]\nanswer 1");
    let log = json!([{ "by": "partner", "text": "answer 1" }]);
    let scene = json!({
        "name": "Writing Worker", "purpose": null, "is_initiator": false, "may_end": true,
    });
    // A message of the other side goes to the component that understands it, and is answered in the agent's name.
    let lead = "This is Writing Worker, played by the built-in model. ";
    let sentence = json!({ "said": "answer 1", "lead": lead });
    let arguments = json!({ "agent": { "scene": scene, "log": log }, "sentence": sentence });
    assert_eq!(request["context"], arguments);

    stage.play("worker-a").await;
    let request = stage.last();
    assert_eq!(request["message"], "[worker-b]\nanswer 2");
    let arguments = json!({ "is_user": false, "text": "answer 1" });
    assert_eq!(request["history"][1], arguments, "another model may answer now");
    assert_eq!(request["part"]["memory"], json!({ "said": "answer 1" }));
    assert_eq!(request["part"]["tokens_max"], 200_000 - 120);
    let log = json!([
        { "by": "own", "text": "answer 1" },
        { "by": "partner", "text": "answer 2" },
    ]);
    assert_eq!(request["context"]["agent"]["log"], log);
    assert_eq!(stage.contents(&id).await, ["answer 1", "answer 2", "answer 3"]);
    let conversation = stage.see(&id).await;
    let usage = json!({ "turns": 2, "input_tokens": 200, "output_tokens": 40, "cost_usd": 0.5 });
    assert_eq!(conversation["conversation"]["members"][0]["usage"], usage);
    assert!(conversation["messages"][1]["readAt"].is_string());
    let steps: Vec<_> =
        conversation["steps"].as_array().unwrap().iter().map(|it| &it["caused_by"]).collect();
    assert_eq!(steps, ["operator", "worker-b"]);
}

#[tokio::test]
async fn run_without_news_makes_no_call_and_no_event() {
    let stage = Stage::counting().await;
    begin(&stage.component, "worker-b").await;
    stage.play("worker-a").await;
    stage.play("worker-b").await;
    stage.play("worker-a").await;
    stage.component.published();
    let count = stage.count();
    for _ in 0..3 {
        assert_eq!(stage.pause_s("worker-a").await, 45);
    }
    assert_eq!((stage.count(), stage.component.published()), (count, Vec::new()));
}

#[tokio::test]
async fn assistants_calls_carry_the_session_token_of_this_run() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    let given = stage.last()["part"]["given"].clone();
    let of = |argument: &str| -> Vec<(String, Value)> {
        let all = given.as_array().unwrap().iter().filter(|it| it["argument"] == argument);
        all.map(|it| (it["tool"].as_str().unwrap().to_owned(), it["value"].clone())).collect()
    };
    let tokens = of("session_token");
    let tools: Vec<_> = tokens.iter().map(|it| &*it.0).collect();
    assert_eq!(
        tools,
        [
            "end_conversation",
            "get_conversation_messages",
            "list_agents",
            "respond_chat",
            "send_message",
            "start_conversation",
        ]
    );
    let partner = json!("worker-c");
    let named = ["respond_chat", "send_message"].map(|it| (it.to_owned(), partner.clone()));
    assert_eq!(of("target_agent_id"), named);
    let named = ["end_conversation", "get_conversation_messages"];
    assert_eq!(of("conversation_id"), named.map(|it| (it.to_owned(), json!(id))));
    for call in given.as_array().unwrap() {
        assert_eq!(call["is_default"], json!(call["argument"] != "session_token"), "{call}");
    }
    let token = json!({ "session_token": tokens[0].1 });
    assert_eq!(stage.component.call("list_agents", token.clone()).await["my_agent_id"], "worker-a");
    stage.play("worker-a").await;
    assert_eq!(stage.component.failure("list_agents", token).await["error"], "invalid_session");
    stage.reply(&c, "x").await;
    stage.play("worker-a").await;
    assert_ne!(stage.last()["part"]["given"], given);
}

#[tokio::test]
async fn interrupted_work_is_due_again() {
    let stage = Stage::counting().await;
    let id = begin(&stage.component, "worker-b").await;
    stage.play("worker-a").await;
    stage.play("worker-b").await;
    assert_eq!(wanted(&stage.component).await, ["shop/worker-a", "shop/worker-b"]);
    let agenda = stage.component.due(&["shop/worker-a", "shop/worker-b"]).await.unwrap();
    assert!(agenda.jobs.is_empty(), "{agenda:?}");
    // As after a restart: nothing but the database knows of it.
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await.len(), 3);
    let chat = json!({ "project_id": "shop", "agent_id": "worker-a", "content": "?" });
    stage.component.call("send_chat", chat).await;
    stage.pass(3_601);
    assert_eq!(wanted(&stage.component).await, ["shop/worker-a"], "a person's words wait for it");
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[operator]\n?");
}

#[tokio::test]
async fn idle_agent_stays_briefly_and_leaves() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    let end = json!({ "session_token": c, "conversation_id": id });
    stage.component.call("end_conversation", end).await;
    assert_eq!(stage.pause_s("worker-a").await, 3);
    assert_eq!(stage.state(&id).await, "ended", "it has heard of it");
    stage.pass(3);
    assert!(stage.has_left("worker-a").await);
    assert!(wanted(&stage.component).await.is_empty());
    assert!(stage.has_left("worker-a").await, "it is not there any more");
    let again = begin(&stage.component, "worker-c").await;
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&again).await.len(), 1, "it comes back");
}

#[tokio::test]
async fn agent_logs_out_after_ten_silent_minutes() {
    let stage = Stage::counting().await;
    let chat = json!({ "project_id": "shop", "agent_id": "worker-a" });
    stage.component.call("start_chat", chat).await;
    assert_eq!(stage.pause_s("worker-a").await, 45, "the person may write");
    stage.pass(601);
    assert!(stage.has_left("worker-a").await);
    assert_eq!(stage.count(), 0);
}

#[tokio::test]
async fn calls_made_by_the_assistant_are_not_repeated() {
    let stage = Stage::open((50, 200_000), |count| match count {
        1 => called("send_message", json!({ "content": "x" }), json!({ "success": true })),
        _ => called("respond_chat", json!({ "target_agent_id": "worker-b" }), json!({})),
    })
    .await;
    let (id, c) = stage.talking().await;
    assert!(stage.contents(&id).await.is_empty(), "it has spoken by the tool");
    assert_eq!(stage.pause_s("worker-a").await, 45);
    assert_eq!(stage.count(), 1, "the first word is asked for once");
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await, ["hello", "and this"], "that went to another one");
}

/// It has answered before its model failed.
#[tokio::test]
async fn text_before_a_failure_is_not_requested_again() {
    let answers = |count| match count {
        2 => {
            let message = json!({ "content": "said" });
            let call = called("respond_chat", message, json!({}))["calls"].clone();
            let mut failed = fails(json!({}));
            (failed["calls"], failed["memory"]) = (call, json!({ "half": true }));
            failed
        }
        _ => says("hello"),
    };
    let stage = Stage::open((50, 200_000), answers).await;
    let (_, c) = stage.talking().await;
    stage.reply(&c, "first").await;
    assert_eq!(stage.pause_s("worker-a").await, 45, "it is not tried again");
    stage.reply(&c, "second").await;
    stage.play("worker-a").await;
    let request = stage.last();
    assert_eq!(request["message"], "[worker-c]\nsecond");
    assert_eq!(request["part"]["memory"], Value::Null, "the messages tell it what it has done");
}

#[tokio::test]
async fn answer_sent_before_a_crash_is_not_sent_again() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    stage.reply(&c, "hello").await;
    // State after such a run: the answer without its record.
    let token = stage.last()["part"]["given"][0]["value"].clone();
    let sent = json!({
        "session_token": token, "target_agent_id": "worker-c", "content": "hi",
        "client_message_id": format!("play:{id}:2"),
    });
    stage.component.call("send_message", sent).await;
    assert_eq!(stage.pause_s("worker-a").await, 45);
    assert_eq!((stage.count(), stage.contents(&id).await.len()), (1, 3));
    stage.reply(&c, "how are you").await;
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[worker-c]\nhow are you");
}

#[tokio::test]
async fn paused_conversation_waits_until_resumed() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    stage.reply(&c, "hello").await;
    let pause = |paused: bool| json!({ "conversation_id": id, "paused": paused });
    stage.component.call("pause_conversation", pause(true)).await;
    let arguments = json!({ "conversation_id": id, "content": "待って" });
    stage.component.call("write_message", arguments).await;
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (45, 1));
    stage.component.published();
    stage.component.call("pause_conversation", pause(false)).await;
    assert!(stage.component.published().contains(&"agent://shop/worker-a".to_owned()));
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[worker-c]\nhello\n\n[operator]\n待って");
    assert_eq!(stage.last()["context"]["agent"]["log"][2]["by"], json!({ "other": "operator" }));
}

#[tokio::test]
async fn agent_of_absent_assistant_is_not_played_nor_disturbs_others() {
    let stage = Stage::counting().await;
    let lost = json!({
        "agent_id": "lost", "name": "Lost", "type": "ai", "project_ids": ["shop"],
        "assistant": "gone",
    });
    stage.component.call("define_agent", lost).await;
    let id = begin(&stage.component, "lost").await;
    for _ in 0..2 {
        assert_eq!(wanted(&stage.component).await, ["shop/worker-a"]);
    }
    assert!(stage.has_left("lost").await);
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await, ["answer 1"]);
    stage.pass(301);
    assert_eq!(stage.state(&id).await, "expired");
}

// A person's chat with a played agent.

const CHAT: &str = "projects/shop/agents/worker-a/chat/messages";

fn with_a() -> Value {
    json!({ "project_id": "shop", "agent_id": "worker-a" })
}

async fn say(stage: &Stage, content: &str) {
    let mut message = with_a();
    message["content"] = content.into();
    stage.component.call("send_chat", message).await;
}

/// The messages, oldest first.
async fn messages(stage: &Stage) -> Vec<String> {
    let page = stage.component.get(CHAT, &[]).await.unwrap();
    let all = page["messages"].as_array().unwrap().iter();
    all.map(|it| it["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn agent_comes_when_written_to_and_goes_when_chat_is_closed() {
    let stage = Stage::counting().await;
    say(&stage, "Good morning").await;
    say(&stage, "Are you there?").await;
    assert_eq!(wanted(&stage.component).await, ["shop/worker-a"]);
    assert_eq!(stage.pause_s("worker-a").await, 45);
    let asked = stage.last();
    assert_eq!(asked["message"], "[operator]\nGood morning\n\n[operator]\nAre you there?");
    assert_eq!(asked["language"], "en");
    assert_eq!(asked["context"]["agent"]["scene"]["may_end"], false);
    let given = asked["part"]["given"].as_array().unwrap();
    assert!(given.iter().all(|it| it["argument"] != "conversation_id"), "{given:?}");
    assert_eq!(messages(&stage).await, ["Good morning", "Are you there?", "answer 1"]);
    stage.component.call("end_chat", with_a()).await;
    assert!(stage.has_left("worker-a").await);
    assert!(wanted(&stage.component).await.is_empty());
    say(&stage, "Hello again").await;
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[operator]\nHello again");
    assert_eq!(stage.last()["part"]["tokens_max"], 200_000, "another chat, another budget");
}

#[tokio::test]
async fn agent_stops_answering_after_goodbye() {
    let stage = Stage::open((1, 200_000), |_| says("はい")).await;
    for text in ["一つ", "二つ", "三つ"] {
        say(&stage, text).await;
        stage.play("worker-a").await;
    }
    let farewell = "応答回数の上限（1回）に達したため、会話を終了します。";
    assert_eq!(messages(&stage).await, ["一つ", "はい", "二つ", farewell, "三つ"]);
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (45, 1));
    stage.component.call("end_chat", with_a()).await;
    assert!(stage.has_left("worker-a").await);
    say(&stage, "四つ").await;
    stage.play("worker-a").await;
    assert_eq!(messages(&stage).await.last().unwrap(), "はい", "the next chat is a new one");
}

#[tokio::test]
async fn a_chat_and_a_conversation_are_held_at_once() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    say(&stage, "こんにちは").await;
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await, ["answer 1", "hello", "answer 2"]);
    assert_eq!(messages(&stage).await, ["こんにちは", "answer 3"]);
    assert_eq!(stage.last()["part"]["memory"], Value::Null, "of another dialogue");
}

// Ends of played agents: answers or tokens used up, or a failing assistant.

/// The last message in a conversation, who ended it, and why.
async fn end(stage: &Stage, id: &str) -> (String, Value, Value) {
    let conversation = stage.see(id).await;
    let conversation = &conversation["conversation"];
    assert!(
        ["terminating", "ended"].contains(&conversation["state"].as_str().unwrap()),
        "{conversation}"
    );
    let last = stage.contents(id).await.pop().expect("it said goodbye");
    (last, conversation["ended_by"].clone(), conversation["reason_text"].clone())
}

#[tokio::test]
async fn agent_announces_its_answer_limit_and_leaves() {
    let stage = Stage::open((2, 200_000), |count| says(&format!("answer {count}"))).await;
    let (id, c) = stage.talking().await;
    for text in ["one", "two"] {
        stage.reply(&c, text).await;
        stage.play("worker-a").await;
    }
    let (last, by, why) = end(&stage, &id).await;
    assert_eq!(last, "I have reached my limit of 2 answers and end the conversation here.");
    assert_eq!((by, why), (json!("worker-a"), json!("turns_max")));
    assert_eq!(stage.count(), 2);
    let usage = stage.see(&id).await["conversation"]["members"][0]["usage"].clone();
    assert_eq!(usage["turns"], 2);
}

#[tokio::test]
async fn agent_leaves_when_its_tokens_are_used_up() {
    let stage = Stage::open((50, 100), |_| says("はい")).await;
    let (id, _) = stage.talking().await;
    assert_eq!(stage.last()["part"]["tokens_max"], 100);
    let (last, by, why) = end(&stage, &id).await;
    assert_eq!(last, "トークン数の上限（100）に達したため、会話を終了します。");
    assert_eq!((by, why), (json!("worker-a"), json!("tokens_max")));
    assert_eq!(stage.contents(&id).await[0], "はい", "what was paid for is said");
}

#[tokio::test]
async fn failing_assistant_is_tried_three_times() {
    let stage = Stage::open((50, 200_000), |_| fails(json!({}))).await;
    let (id, c) = stage.talking().await;
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (1, 1), "not before its time");
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    assert_eq!(stage.count(), 1, "whatever happens meanwhile");
    stage.pass(1);
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (3, 2));
    assert_eq!(stage.last()["message"], "[worker-c]\nhello");
    stage.pass(2);
    stage.play("worker-a").await;
    let (last, by, why) = end(&stage, &id).await;
    assert_eq!(last, "My assistant does not answer, so I end the conversation here.");
    assert_eq!((by, why), (json!("worker-a"), json!("assistant_failed")));
    assert_eq!(stage.count(), 3);
}

#[tokio::test]
async fn agent_respects_the_models_retry_time_and_resumes() {
    let stage = Stage::open((50, 200_000), |count| match count {
        1 => fails(json!({ "retry_after_s": 20 })),
        _ => says("hello"),
    })
    .await;
    let (id, _) = stage.talking().await;
    assert_eq!(stage.pause_s("worker-a").await, 20);
    stage.pass(20);
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (65, 2));
    assert_eq!(stage.contents(&id).await, ["hello"]);
}

#[tokio::test]
async fn too_long_memory_is_rebuilt_from_the_history() {
    let stage = Stage::open((50, 200_000), |_| {
        let mut answer = says("yes");
        answer["memory"] = "x".repeat(300 << 10).into();
        answer
    })
    .await;
    let (_, c) = stage.talking().await;
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    let asked = stage.last();
    assert_eq!(asked["part"]["memory"], Value::Null);
    assert_eq!(asked["history"].as_array().unwrap().len(), 2, "the scene and the first word");
    assert_eq!(asked["history"][1], json!({ "is_user": false, "text": "yes" }));
}

#[tokio::test]
async fn asks_every_five_messages_whether_the_purpose_is_reached() {
    let stage = Stage::counting().await;
    let (_, c) = stage.talking().await;
    for (number, is_asked) in [(2, false), (4, false), (6, false)] {
        stage.reply(&c, &number.to_string()).await;
        stage.play("worker-a").await;
        let asked = stage.last()["message"].as_str().unwrap().contains("Has the purpose");
        assert_eq!(asked, is_asked, "message {number}");
    }
    for text in ["8", "9", "10"] {
        stage.reply(&c, text).await;
    }
    stage.play("worker-a").await;
    let asked = stage.last()["message"].as_str().unwrap().to_owned();
    assert!(asked.starts_with("[worker-c]\n8\n\n[worker-c]\n9\n\n[worker-c]\n10\n\n"), "{asked}");
    assert!(asked.ends_with("end the conversation with end_conversation.)"), "{asked}");
}
