//! The component plays agents: each run of a job does what there is to do, and finds it in the database.

mod chats;
mod limits;

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
    it: Tested,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Stage {
    /// With so many turns and tokens for a conversation; the assistant's answer goes by how often it was asked.
    async fn open(
        budget: (u32, u64),
        answers: impl Fn(usize) -> Value + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::<Mutex<Vec<Value>>>::default();
        let notes = asked.clone();
        let answer = move |task: &Value| {
            let mut notes = notes.lock().unwrap();
            notes.push(task.clone());
            answers(notes.len())
        };
        Self { it: people::bench().assistant("talker", budget, answer).start().await, asked }
    }

    /// With more turns and tokens than any test takes; each answer says its number.
    async fn counting() -> Self {
        Self::open((50, 200_000), |count| says(&format!("answer {count}"))).await
    }

    /// One run of the job of an agent of the shop.
    async fn play(&self, agent: &str) -> JobOutcome {
        let role = json!({ "project_id": "shop", "agent_id": agent }).to_string();
        self.it.run_job(&format!("shop/{agent}"), &role).await.expect("it runs")
    }

    /// The same where it goes on: until how many seconds after the house has opened.
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

    /// How often the assistant was asked.
    fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// What it was asked last.
    fn last(&self) -> Value {
        self.asked.lock().unwrap().last().expect("it was asked").clone()
    }

    fn pass(&self, seconds: u64) {
        self.it.pass(Duration::from_secs(seconds));
    }

    /// The conversation as the operator sees it.
    async fn see(&self, id: &str) -> Value {
        operator(&self.it);
        self.it.call("get_conversation", json!({ "conversation_id": id })).await
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
        let id = begin(&self.it, "worker-c").await;
        let c = guest(&self.it, "worker-c").await;
        self.play("worker-a").await;
        (id, c)
    }

    /// The guest says something to worker-a.
    async fn reply(&self, token: &str, content: &str) {
        let arguments =
            json!({ "session_token": token, "target_agent_id": "worker-a", "content": content });
        self.it.call("send_message", arguments).await;
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
async fn two_agents_take_turns_and_each_run_says_what_there_is_to_say() {
    let stage = Stage::counting().await;
    let id = begin(&stage.it, "worker-b").await;
    assert_eq!(stage.pause_s("worker-a").await, 45);
    let asked = stage.last();
    assert_eq!((&asked["assistant"], &asked["language"]), (&json!("talker"), &json!("ja")));
    assert!(asked["message"].as_str().unwrap().contains("会話を始めてください"), "{asked}");
    let scene = asked["history"][0]["text"].as_str().unwrap();
    assert!(scene.contains("Analysis Worker") && scene.contains("開始者"), "{scene}");
    assert_eq!(asked["part"]["name"], "worker-a");
    assert_eq!(
        (&asked["part"]["tokens_max"], &asked["part"]["memory"]),
        (&json!(200_000), &Value::Null)
    );
    assert_eq!(
        stage.state(&id).await,
        "pending",
        "the first word does not wait for the other side"
    );

    assert_eq!(stage.pause_s("worker-b").await, 45);
    let asked = stage.last();
    assert_eq!(asked["message"], "[worker-a]\nanswer 1");
    let log = json!([{ "by": "partner", "text": "answer 1" }]);
    let scene = json!({
        "name": "Writing Worker", "purpose": null, "is_initiator": false, "may_end": true,
    });
    // A message of the other side goes to the component that understands it, and is answered in the agent's name.
    let lead = "This is Writing Worker, played by the built-in model. ";
    let sentence = json!({ "said": "answer 1", "lead": lead });
    let arguments = json!({ "agent": { "scene": scene, "log": log }, "sentence": sentence });
    assert_eq!(asked["context"], arguments);

    stage.play("worker-a").await;
    let asked = stage.last();
    assert_eq!(asked["message"], "[worker-b]\nanswer 2");
    let arguments = json!({ "is_user": false, "text": "answer 1" });
    assert_eq!(asked["history"][1], arguments, "another model may answer now");
    assert_eq!(asked["part"]["memory"], json!({ "said": "answer 1" }));
    assert_eq!(asked["part"]["tokens_max"], 200_000 - 120);
    let log = json!([
        { "by": "own", "text": "answer 1" },
        { "by": "partner", "text": "answer 2" },
    ]);
    assert_eq!(asked["context"]["agent"]["log"], log);
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
async fn where_nothing_is_new_nothing_is_asked_and_nothing_rings() {
    let stage = Stage::counting().await;
    begin(&stage.it, "worker-b").await;
    stage.play("worker-a").await;
    stage.play("worker-b").await;
    stage.play("worker-a").await;
    stage.it.published();
    let count = stage.count();
    for _ in 0..3 {
        assert_eq!(stage.pause_s("worker-a").await, 45);
    }
    assert_eq!((stage.count(), stage.it.published()), (count, Vec::new()));
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
    for it in given.as_array().unwrap() {
        assert_eq!(it["is_default"], json!(it["argument"] != "session_token"), "{it}");
    }
    let token = json!({ "session_token": tokens[0].1 });
    assert_eq!(stage.it.call("list_agents", token.clone()).await["my_agent_id"], "worker-a");
    stage.play("worker-a").await;
    assert_eq!(stage.it.failure("list_agents", token).await["error"], "invalid_session");
    stage.reply(&c, "x").await;
    stage.play("worker-a").await;
    assert_ne!(stage.last()["part"]["given"], given);
}

#[tokio::test]
async fn what_was_left_off_in_the_middle_is_due_again() {
    let stage = Stage::counting().await;
    let id = begin(&stage.it, "worker-b").await;
    stage.play("worker-a").await;
    stage.play("worker-b").await;
    assert_eq!(wanted(&stage.it).await, ["shop/worker-a", "shop/worker-b"]);
    let agenda = stage.it.due(&["shop/worker-a", "shop/worker-b"]).await.unwrap();
    assert!(agenda.jobs.is_empty(), "{agenda:?}");
    // As after a restart: nothing but the database knows of it.
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await.len(), 3);
    let chat = json!({ "project_id": "shop", "agent_id": "worker-a", "content": "?" });
    stage.it.call("send_chat", chat).await;
    stage.pass(3_601);
    assert_eq!(wanted(&stage.it).await, ["shop/worker-a"], "a person's words wait for it");
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[operator]\n?");
}

#[tokio::test]
async fn an_agent_with_nothing_to_do_stays_for_a_moment_and_leaves() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    let end = json!({ "session_token": c, "conversation_id": id });
    stage.it.call("end_conversation", end).await;
    assert_eq!(stage.pause_s("worker-a").await, 3);
    assert_eq!(stage.state(&id).await, "ended", "it has heard of it");
    stage.pass(3);
    assert!(stage.has_left("worker-a").await);
    assert!(wanted(&stage.it).await.is_empty());
    assert!(stage.has_left("worker-a").await, "it is not there any more");
    let again = begin(&stage.it, "worker-c").await;
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&again).await.len(), 1, "it comes back");
}

#[tokio::test]
async fn after_ten_minutes_without_a_word_it_logs_out() {
    let stage = Stage::counting().await;
    let chat = json!({ "project_id": "shop", "agent_id": "worker-a" });
    stage.it.call("start_chat", chat).await;
    assert_eq!(stage.pause_s("worker-a").await, 45, "the person may write");
    stage.pass(601);
    assert!(stage.has_left("worker-a").await);
    assert_eq!(stage.count(), 0);
}

#[tokio::test]
async fn what_the_assistant_has_done_itself_is_not_done_again() {
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
async fn what_was_said_before_a_failure_is_not_asked_for_again() {
    let answers = |count| match count {
        2 => {
            let said = json!({ "content": "said" });
            let call = called("respond_chat", said, json!({}))["calls"].clone();
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
    let asked = stage.last();
    assert_eq!(asked["message"], "[worker-c]\nsecond");
    assert_eq!(asked["part"]["memory"], Value::Null, "the messages tell it what it has done");
}

#[tokio::test]
async fn answer_sent_by_a_run_before_it_died_is_not_sent_again() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    stage.reply(&c, "hello").await;
    // What is left of such a run: the answer, and nothing that says so.
    let token = stage.last()["part"]["given"][0]["value"].clone();
    let sent = json!({
        "session_token": token, "target_agent_id": "worker-c", "content": "hi",
        "client_message_id": format!("play:{id}:2"),
    });
    stage.it.call("send_message", sent).await;
    assert_eq!(stage.pause_s("worker-a").await, 45);
    assert_eq!((stage.count(), stage.contents(&id).await.len()), (1, 3));
    stage.reply(&c, "how are you").await;
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[worker-c]\nhow are you");
}

#[tokio::test]
async fn a_conversation_that_is_held_up_waits_until_it_goes_on() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    stage.reply(&c, "hello").await;
    let pause = |paused: bool| json!({ "conversation_id": id, "paused": paused });
    stage.it.call("pause_conversation", pause(true)).await;
    let arguments = json!({ "conversation_id": id, "content": "待って" });
    stage.it.call("write_message", arguments).await;
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (45, 1));
    stage.it.published();
    stage.it.call("pause_conversation", pause(false)).await;
    assert!(stage.it.published().contains(&"agent://shop/worker-a".to_owned()));
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
    stage.it.call("define_agent", lost).await;
    let id = begin(&stage.it, "lost").await;
    for _ in 0..2 {
        assert_eq!(wanted(&stage.it).await, ["shop/worker-a"]);
    }
    assert!(stage.has_left("lost").await);
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await, ["answer 1"]);
    stage.pass(301);
    assert_eq!(stage.state(&id).await, "expired");
}
