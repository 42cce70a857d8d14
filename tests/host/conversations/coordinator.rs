//! Agents played by the host: the built-in model on both sides, and a foreign model on one.

mod models;

use serde_json::{Value, json};
use tests::{
    component_bytes,
    fake_models::{
        FakeModel, Reply,
        openai::{self, OpenAi},
    },
    rebuilt,
    server::{Folders, TestServer},
};
use tokio::time::{Instant, timeout_at};

use crate::chat::{allow, say, waiting};

/// The messages of both built-in agents, and who ends the game (CONV-100).
const GAME: [&str; 11] = [
    "しりとりをしましょう。りんご",
    "ごりら",
    "らっぱ",
    "ぱんだ",
    "だちょう",
    "うさぎ",
    "ぎんこう",
    "うま",
    "まくら",
    "らいおん",
    "5ターン完了。終了します",
];

/// A server that plays agents.
struct Counter {
    server: TestServer,
}

impl Counter {
    /// With these components and these lines.
    async fn open(components: &[&str], lines: &str) -> Self {
        let folders = Folders::new();
        for name in components.iter().chain(&["assistant"]) {
            folders.put(name, &component_bytes(name));
        }
        let config = folders.config_with(lines);
        Self { server: TestServer::start(folders, |it| *it = config).await }
    }

    /// With the demo's agents.
    async fn demo() -> Self {
        Self::open(&["conversations"], "").await
    }

    /// Starts a conversation; returns its id.
    async fn begin(&self, arguments: Value) -> String {
        let begun = self.server.client().output("begin_conversation", arguments).await;
        begun["conversation"]["conversation_id"].as_str().expect("it has one").to_owned()
    }

    /// The conversation as a person sees it.
    async fn see(&self, id: &str) -> Value {
        let arguments = json!({ "conversation_id": id, "limit": 200 });
        self.server.client().output("get_conversation", arguments).await
    }

    /// Waits until `is_it` holds for the conversation.
    async fn until(&self, id: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let mut channel = self.server.server().events.channel("conversations").listen();
        let uri = [format!("conversation://{id}")];
        let end = Instant::now() + tests::PATIENCE;
        loop {
            let conversation = self.see(id).await;
            if is_it(&conversation) {
                return conversation;
            }
            timeout_at(end, channel.published(&uri))
                .await
                .unwrap_or_else(|_| panic!("in time: {conversation:#}"));
        }
    }

    /// Waits for the end of the conversation.
    async fn end(&self, id: &str) -> Value {
        self.until(id, |it| it["conversation"]["state"] == "ended").await
    }

    /// Waits until there are so many messages.
    async fn until_messages(&self, id: &str, messages: u64) -> Value {
        self.until(id, |it| it["conversation"]["messages"].as_u64() >= Some(messages)).await
    }
}

/// The texts of the messages.
fn contents(answer: &Value) -> Vec<&str> {
    let messages = answer["messages"].as_array().expect("a list").iter();
    messages.map(|it| it["content"].as_str().expect("a text")).collect()
}

/// Each state with its author.
fn trace(answer: &Value) -> Vec<(&str, &str)> {
    let steps = answer["steps"].as_array().expect("a list").iter();
    steps.map(|it| (it["state"].as_str().unwrap(), it["caused_by"].as_str().unwrap())).collect()
}

/// The settings of agents, each with the assistant that plays it.
fn agents(agents: &[(&str, &str)]) -> String {
    let mut lines = "[components.conversations.settings.projects.lab]\nname = 'Lab'\n".to_owned();
    for (id, assistant) in agents {
        lines += &format!(
            "[components.conversations.settings.agents.{id}]\nname = '{id}'\ntype = 'ai'\n\
             projects = ['lab']\nassistant = '{assistant}'\n"
        );
    }
    lines
}

fn game(initiator: &str, target: &str, purpose: &str) -> Value {
    json!({ "initiator_agent_id": initiator, "target_agent_id": target, "purpose": purpose })
}

#[tokio::test(flavor = "multi_thread")]
async fn both_agents_of_the_demo_play_uc016_to_its_end_conv_100() {
    let counter = Counter::demo().await;
    let id = counter.begin(game("worker-a", "worker-b", "しりとり")).await;
    let talk = counter.end(&id).await;
    assert_eq!(contents(&talk), GAME);
    let wanted = [
        ("pending", "operator"),
        ("active", "worker-b"),
        ("terminating", "worker-a"),
        ("ended", "worker-b"),
    ];
    assert_eq!(trace(&talk), wanted, "{:#}", talk["steps"]);
    let conversation = &talk["conversation"];
    assert_eq!(
        (&conversation["turns"], &conversation["end_reason"]),
        (&json!(5), &json!("initiator_ended"))
    );
    let senders: Vec<_> =
        talk["messages"].as_array().unwrap().iter().map(|it| &it["senderId"]).collect();
    assert!(senders.iter().step_by(2).all(|it| **it == "worker-a"), "{senders:?}");
    for message in talk["messages"].as_array().unwrap() {
        assert_eq!(message["conversationId"], *id, "one conversation");
    }
    // The usage of the last turn is reported after the end.
    let turns = |it: &Value| it["conversation"]["members"][0]["usage"]["turns"] == 6;
    counter.until(&id, turns).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chooses_unnamed_agents_among_those_that_are_played() {
    let counter = Counter::demo().await;
    let id = counter.begin(json!({ "purpose": "しりとりを1ターン" })).await;
    let conversation = counter.end(&id).await;
    assert_eq!(contents(&conversation).last(), Some(&"1ターン完了。終了します"));
    let failure = counter
        .server
        .client()
        .failure("begin_conversation", json!({ "initiator_agent_id": "operator" }))
        .await;
    assert_eq!(failure["error"], "agent_not_played", "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_holds_two_conversations_at_once_and_then_another_game() {
    let lines = agents(&[("ann", "talker"), ("ben", "talker"), ("cho", "talker")]);
    let counter = Counter::open(&["conversations"], &lines).await;
    let one = counter.begin(game("ann", "ben", "しりとり")).await;
    let other = counter.begin(game("cho", "ann", "しりとり")).await;
    assert_eq!(contents(&counter.end(&one).await), GAME);
    assert_eq!(contents(&counter.end(&other).await), GAME);
    let third = counter.begin(game("ben", "cho", "word chain, 3 rounds")).await;
    assert_eq!(contents(&counter.end(&third).await).len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_beyond_the_limit_wait_for_their_turn() {
    let lines =
        agents(&[("ann", "talker"), ("ben", "talker"), ("cho", "talker"), ("dan", "talker")]);
    let counter = Counter::open(
        &["conversations"],
        &format!("{lines}[components.conversations.limits]\njobs_max = 2\n"),
    )
    .await;
    let one = counter.begin(game("ann", "ben", "しりとり")).await;
    let other = counter.begin(game("cho", "dan", "しりとり")).await;
    assert_eq!(contents(&counter.end(&one).await), GAME);
    assert_eq!(contents(&counter.end(&other).await), GAME);
}

/// Checks a long game: each word once, the agents in turn.
fn assert_whole(answer: &Value, rounds: usize) {
    let list = contents(answer);
    assert_eq!(list.len(), 2 * rounds + 1, "{list:?}");
    assert_eq!(list.last().unwrap(), &format!("{rounds}ターン完了。終了します"), "{list:?}");
    let mut each = list.clone();
    each.sort_unstable();
    each.dedup();
    assert_eq!(each.len(), list.len(), "nothing is said twice: {list:?}");
    let senders = answer["messages"].as_array().unwrap().iter().map(|it| &it["senderId"]);
    let senders: Vec<_> = senders.collect();
    assert!(senders.windows(2).all(|it| it[0] != it[1]), "in turns: {senders:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_in_mid_conversation_resumes() {
    let mut counter = Counter::demo().await;
    let id = counter.begin(game("worker-a", "worker-b", "しりとりを40ターン")).await;
    for messages in [3, 20, 41] {
        counter.until_messages(&id, messages).await;
        counter.server.restart().await;
    }
    assert_whole(&counter.end(&id).await, 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn swaps_in_mid_conversation_change_nothing() {
    let counter = Counter::demo().await;
    let id = counter.begin(game("worker-a", "worker-b", "しりとりを40ターン")).await;
    for (mark, messages) in [(1, 2), (2, 15), (3, 40)] {
        counter.until_messages(&id, messages).await;
        let bytes = rebuilt(&component_bytes("conversations"), mark);
        let digest = host::digest::digest(&bytes);
        let mut changes = counter.server.server().calls.registry.changes();
        counter.server.folders.put("conversations", &bytes);
        let is_there = |catalog: &std::sync::Arc<host::registry::Catalog>| {
            catalog.component("conversations").is_some_and(|it| **it.digest() == *digest)
        };
        let swapped = tokio::time::timeout(tests::PATIENCE, changes.wait_for(is_there));
        swapped.await.expect("in time").expect("it serves");
    }
    assert_whole(&counter.end(&id).await, 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn pause_stops_both_agents_and_they_resume() {
    let counter = Counter::demo().await;
    let id = counter.begin(game("worker-a", "worker-b", "しりとりを30ターン")).await;
    counter.until_messages(&id, 4).await;
    let client = counter.server.client();
    let pause = |paused: bool| json!({ "conversation_id": id, "paused": paused });
    let held = client.output("pause_conversation", pause(true)).await;
    let messages = held["conversation"]["messages"].clone();
    client.output("write_message", json!({ "conversation_id": id, "content": "がんばって" })).await;
    let conversation = counter.see(&id).await;
    assert_eq!(
        conversation["conversation"]["messages"].as_u64(),
        messages.as_u64().map(|it| it + 1),
        "nobody but the person writes"
    );
    client.output("pause_conversation", pause(false)).await;
    let conversation = counter.end(&id).await;
    let contents = contents(&conversation);
    assert_eq!((contents.len(), *contents.last().unwrap()), (62, "30ターン完了。終了します"));
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_of_missing_assistant_is_unplayed_and_disturbs_no_other() {
    let lines = agents(&[("ann", "nobody"), ("ben", "talker"), ("cho", "talker")]);
    let counter = Counter::open(&["conversations"], &lines).await;
    let lost = counter.begin(game("ben", "ann", "しりとり")).await;
    let game = counter.begin(game("ben", "cho", "しりとり")).await;
    assert_eq!(contents(&counter.end(&game).await), GAME);
    assert_eq!(counter.see(&lost).await["conversation"]["state"], "pending");
}

#[test]
fn rejects_token_named_like_an_agent() {
    let digest = host::digest::digest(b"mdg_x");
    let lines = format!("[tokens.'madoguchi:agent:ann']\nsha256 = '{digest}'\nscopes = ['*']\n");
    let config = Folders::new().config_with(&lines);
    assert!(config.check().unwrap_err().to_string().contains("name of a token"));
}

// Chats of people with agents that the host plays.

const CHAT: &str = "/api/projects/demo/agents/worker-a/chat/messages";

/// The messages of the person's chat with worker-a, once there are so many messages.
async fn chat(counter: &Counter, messages: usize) -> Vec<(String, String)> {
    let mut channel = counter.server.server().events.channel("conversations").listen();
    let uri = ["chats://demo".to_owned()];
    let end = Instant::now() + tests::PATIENCE;
    loop {
        let answer = counter.server.client().get(CHAT).await;
        let answer: Value = answer.json().await.expect("it is JSON");
        let all = answer["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
        if all.len() >= messages {
            let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
            return all.iter().map(|it| (text(it, "senderId"), text(it, "content"))).collect();
        }
        timeout_at(end, channel.published(&uri))
            .await
            .unwrap_or_else(|_| panic!("in time: {answer:#}"));
    }
}

fn to_worker_a(content: &str) -> Value {
    json!({ "project_id": "demo", "agent_id": "worker-a", "content": content })
}

#[tokio::test(flavor = "multi_thread")]
async fn person_chats_with_an_agent_that_comes_when_written_to() {
    let counter = Counter::open(&["conversations", "cinema"], "").await;
    let client = counter.server.client();
    client.output("send_chat", to_worker_a("しりとりをしよう。りんご")).await;
    let messages = chat(&counter, 2).await;
    assert_eq!(messages[1], ("worker-a".to_owned(), "ごりら".to_owned()));
    client.output("send_chat", to_worker_a("らいおん")).await;
    let messages = chat(&counter, 4).await;
    assert!(messages[3].1.contains("私の勝ち"), "{messages:?}");
    client.output("send_chat", to_worker_a("いま上映中の映画は？")).await;
    let messages = chat(&counter, 6).await;
    assert!(
        messages[5].1.contains('「') || messages[5].1.contains('-'),
        "the counter's own answer: {messages:?}"
    );
    client.output("end_chat", json!({ "project_id": "demo", "agent_id": "worker-a" })).await;
    client.output("send_chat", to_worker_a("しりとりをもう一度。さくら")).await;
    assert_eq!(chat(&counter, 8).await[7].1, "らっぱ");
}

#[tokio::test(flavor = "multi_thread")]
async fn chats_built_in_model_has_two_agents_talk_once_person_allows() {
    let counter = Counter::open(&["conversations", "cinema"], "").await;
    let client = counter.server.client();
    let asked = say(&client, &json!({ "message": "worker-bに明日の映画を聞いて" })).await.1;
    assert_eq!(asked["stopReason"], "waiting", "{asked:#}");
    let answer = say(&client, &allow(&asked, &waiting(&asked))).await.1;
    let text = answer["text"].as_str().unwrap_or_else(|| panic!("{answer:#}"));
    assert!(text.contains("worker-aとworker-bの会話「明日の映画」を始めました"), "{text}");
    let begun = &answer["toolCalls"][0];
    assert_eq!(
        (&begun["name"], &begun["view"]),
        (&json!("begin_conversation"), &json!("conversation")),
        "{begun:#}"
    );
    let list = client.output("list_conversations", json!({})).await;
    let id = list["conversations"][0]["conversation_id"].as_str().unwrap();
    let conversation = counter.end(id).await;
    let contents = contents(&conversation);
    assert_eq!(contents.len(), 3, "{contents:?}");
    assert_eq!(contents[0], "内蔵モデルのAnalysis Workerです。明日の映画について教えてください。");
    assert!(contents[1].starts_with("内蔵モデルのWriting Workerです。"), "{contents:?}");
    assert!(contents[2].starts_with("ありがとう"), "{contents:?}");
    // It plays agents, and is none to talk with here.
    let list: Value = client.get("/api/chat").await.json().await.unwrap();
    assert!(!list["assistants"].to_string().contains("talker"), "{list}");
}
