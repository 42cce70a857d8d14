//! Races between both agents of a conversation: the first wins, and both get the same result once.

use futures::future::{join_all, select_all};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    conversations::{credentials, toml},
    server::{Folders, TestServer},
};
use tokio::task::JoinHandle;

/// Pairs that race, each a race of its own.
const PAIRS: usize = 12;

/// A server with pairs of agents.
struct Arena {
    server: TestServer,
}

/// An agent with a session.
#[derive(Clone)]
struct Agent {
    client: Client,
    id: String,
    token: String,
}

impl Arena {
    async fn open() -> Self {
        let folders = Folders::new();
        folders.put("conversations", &component_bytes("conversations"));
        let ids = (0..PAIRS).flat_map(|it| [format!("a{it}"), format!("b{it}")]);
        let agents: Vec<_> = ids.map(|id| (id.clone(), id.to_uppercase())).collect();
        let config = folders.config_with(&toml("arena", &agents));
        Self { server: TestServer::start(folders, |it| *it = config).await }
    }

    async fn enter(&self, id: String) -> Agent {
        let client = self.server.client();
        let session = client.output("authenticate", credentials(&id, "arena")).await;
        let token = session["session_token"].as_str().unwrap().to_owned();
        Agent { client, id, token }
    }

    /// Both of each pair.
    async fn pairs(&self) -> Vec<[Agent; 2]> {
        let pair =
            async |it| [self.enter(format!("a{it}")).await, self.enter(format!("b{it}")).await];
        join_all((0..PAIRS).map(pair)).await
    }

    async fn until_waiting(&self, calls: usize) {
        tests::until("all wait", async || {
            let catalog = self.server.server().calls.registry.catalog();
            catalog.component("conversations").unwrap().waiting() == calls
        })
        .await;
    }

    async fn see(&self, talk: &Value) -> Value {
        let arguments = json!({ "conversation_id": talk });
        self.server.client().output("get_conversation", arguments).await
    }
}

impl Agent {
    async fn call(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.clone().into();
        self.client.call(tool, arguments).await
    }

    /// The output of a call that must succeed.
    async fn output(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{} {tool}: {result}", self.id);
        result["structuredContent"].clone()
    }

    async fn next(&self, seconds: u32) -> Value {
        self.output("get_next_action", json!({ "timeout_seconds": seconds })).await
    }

    /// Waits for the first notice.
    async fn first_notice(self) -> Value {
        loop {
            let notice = self.next(45).await;
            if notice["action"] != "wait_for_messages" {
                return notice;
            }
        }
    }

    async fn start(&self, other: &Self) -> Value {
        self.output("start_conversation", json!({ "target_agent_id": other.id })).await
            ["conversation_id"]
            .clone()
    }
}

fn code(result: &Value) -> &Value {
    &result["_meta"]["madoguchi/error"]["error"]
}

fn states(answer: &Value) -> Vec<&str> {
    answer["steps"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_simultaneous_ends_one_counts_and_both_get_same_report() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Agent; 2]| {
        let talk = a.start(&b).await;
        assert_eq!(b.next(0).await["action"], "conversation_request");
        let named = json!({ "conversation_id": talk });
        let ends = [&a, &b].map(|it| it.output("end_conversation", named.clone()));
        let ends = join_all(ends).await;
        for end in &ends {
            assert_eq!((&end["conversation_id"], &end["status"]), (&talk, &json!("terminating")));
        }
        let [notice_a, notice_b] = [a.next(0).await, b.next(0).await];
        assert_eq!(notice_a, notice_b);
        let by = notice_a["ended_by"].as_str().unwrap();
        let reason = if by == a.id { "initiator_ended" } else { "participant_ended" };
        assert_eq!(notice_a["reason"], reason, "{notice_a}");
        for agent in [&a, &b] {
            assert_eq!(agent.next(0).await["action"], "wait_for_messages", "once");
        }
        let conversation = arena.see(&talk).await;
        assert_eq!(states(&conversation), ["pending", "active", "terminating", "ended"]);
        assert_eq!(conversation["conversation"]["ended_by"], by);
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}

/// Many callers end a conversation without naming it.
#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_unnamed_ends_counts_others_find_nothing() {
    let arena = Arena::open().await;
    let [a, b] = arena.pairs().await.remove(0);
    let talk = a.start(&b).await;
    b.next(0).await;
    let calls = (0..16).map(|it| if it % 2 == 0 { &a } else { &b });
    let ends = join_all(calls.map(|it| it.call("end_conversation", json!({})))).await;
    let (ended, none): (Vec<_>, Vec<_>) = ends.into_iter().partition(|it| it["isError"] != true);
    assert!(!ended.is_empty());
    assert!(ended.iter().all(|it| it["structuredContent"]["conversation_id"] == talk), "{ended:?}");
    assert!(none.iter().all(|it| code(it) == "no_active_conversation"), "{none:?}");
    assert_eq!(states(&arena.see(&talk).await), ["pending", "active", "terminating"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_simultaneous_starts_wins() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Agent; 2]| {
        let starts = (0..8).map(|it| if it % 2 == 0 { (&a, &b) } else { (&b, &a) });
        let start = async |(from, to): (&Agent, &Agent)| {
            from.call("start_conversation", json!({ "target_agent_id": to.id })).await
        };
        let (won, lost): (Vec<_>, Vec<_>) =
            join_all(starts.map(start)).await.into_iter().partition(|it| it["isError"] != true);
        assert_eq!(won.len(), 1, "{won:?}");
        for refusal in &lost {
            assert_eq!(code(refusal), "conversation_already_active", "CONV-30, check 5: {refusal}");
            assert_eq!(refusal["_meta"]["madoguchi/error"]["status"], 409);
        }
        let list = json!({ "project_id": "arena", "agent_id": a.id });
        let list = arena.server.client().output("list_conversations", list).await;
        assert_eq!(list["conversations"].as_array().unwrap().len(), 1, "CONV-95: {list}");
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_notice_reaches_one_of_many_simultaneous_calls() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Agent; 2]| {
        let talk = a.start(&b).await;
        let calls = async |it: &Agent| join_all((0..6).map(|_| it.next(0))).await;
        let count = |all: &[Value], action: &str| {
            all.iter().filter(|it| it["action"] == action && it["conversation_id"] == talk).count()
        };
        assert_eq!(count(&calls(&b).await, "conversation_request"), 1, "CONV-51");
        b.output("end_conversation", json!({})).await;
        for agent in [&a, &b] {
            assert_eq!(
                count(&calls(agent).await, "conversation_ended"),
                1,
                "CONV-52, {}",
                agent.id
            );
        }
        assert_eq!(states(&arena.see(&talk).await).last(), Some(&"ended"));
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_notice_reaches_one_of_many_waiting_calls() {
    const CALLS: usize = 3;
    let arena = Arena::open().await;
    let pairs: Vec<_> = arena.pairs().await.into_iter().take(4).collect();
    let wait = |[_, b]: &[Agent; 2]| {
        let calls = (0..CALLS).map(|_| {
            let agent = b.clone();
            tokio::spawn(agent.first_notice())
        });
        calls.collect::<Vec<_>>()
    };
    let waits: Vec<_> = pairs.iter().map(wait).collect();
    arena.until_waiting(CALLS * waits.len()).await;
    // Had another got the same notice, the next would not come.
    let race = async |([a, b], mut waiting): ([Agent; 2], Vec<JoinHandle<Value>>)| {
        let mut next_notice = async || {
            let (notice, _, rest) = select_all(std::mem::take(&mut waiting)).await;
            waiting = rest;
            let notice = notice.unwrap();
            (notice["action"].clone(), notice["conversation_id"].clone())
        };
        let talk = a.start(&b).await;
        assert_eq!(next_notice().await, (json!("conversation_request"), talk.clone()), "CONV-51");
        b.output("end_conversation", json!({})).await;
        assert_eq!(next_notice().await, (json!("conversation_ended"), talk), "CONV-52");
        assert_eq!(a.next(0).await["action"], "conversation_ended");
        let next = a.start(&b).await;
        assert_eq!(next_notice().await, (json!("conversation_request"), next), "CONV-51");
    };
    join_all(pairs.into_iter().zip(waits).map(race)).await;
}

/// The program of the earlier call has been replaced by another.
#[tokio::test(flavor = "multi_thread")]
async fn later_of_two_waiting_calls_gets_the_notice() {
    let arena = Arena::open().await;
    let a = arena.enter("a0".to_owned()).await;
    let [abandoned, current] =
        [arena.enter("b0".to_owned()).await, arena.enter("b0".to_owned()).await];
    let mut waits = Vec::new();
    for agent in [&abandoned, &current] {
        let agent = agent.clone();
        waits.push(tokio::spawn(async move { agent.next(45).await }));
        arena.until_waiting(waits.len()).await;
    }
    let talk = a.start(&current).await;
    let notices: Vec<_> = join_all(waits).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(notices[0]["action"], "wait_for_messages");
    assert_eq!(notices[1]["action"], "conversation_request");
    assert_eq!(notices[1]["conversation_id"], talk);
    let answer = json!({ "target_agent_id": a.id, "content": "はい" });
    let answered = current.output("respond_chat", answer).await;
    assert_eq!(answered["conversation_id"], talk, "its session has not ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_concurrent_messages_gaplessly_and_stores_each_once() {
    let arena = Arena::open().await;
    let race = async |[a, b]: [Agent; 2]| {
        let talk = a.start(&b).await;
        b.next(0).await;
        let sends = (0..12).map(|number| {
            let (from, to) = if number % 2 == 0 { (&a, &b) } else { (&b, &a) };
            // Each is sent three times, as by a client that gets no answer.
            let message = json!({
                "target_agent_id": to.id, "content": format!("{number}"),
                "client_message_id": format!("m{number}"),
            });
            join_all((0..3).map(move |_| from.output("send_message", message.clone())))
        });
        for same in join_all(sends).await {
            assert!(same.iter().all(|it| it["message_id"] == same[0]["message_id"]), "{same:?}");
        }
        let conversation = arena.see(&talk).await;
        let messages = conversation["messages"].as_array().unwrap();
        let numbers: Vec<_> = messages.iter().map(|it| it["sequence"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
        let mut contents: Vec<_> = messages.iter().map(|it| it["content"].to_string()).collect();
        contents.sort();
        contents.dedup();
        assert_eq!(contents.len(), 12);
        // Two simultaneous reads share the messages.
        let reads = join_all((0..3).map(|_| b.output("get_pending_messages", json!({})))).await;
        let read = reads.iter().flat_map(|it| it["pending_messages"].as_array().unwrap());
        assert_eq!(read.count(), 6, "{reads:?}");
    };
    join_all(arena.pairs().await.into_iter().map(race)).await;
}
