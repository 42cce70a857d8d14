//! Agents played by the host: the built-in model on both sides, and a foreign model on one.

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

mod chats;
mod models;

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
