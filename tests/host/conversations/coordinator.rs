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

// A foreign model plays one of two agents.

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
