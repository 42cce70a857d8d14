//! Three hosts on one database behave like one server, for sessions too.

pub(super) mod hosts;
mod kept;

use std::sync::atomic::{AtomicUsize, Ordering};

use host::{clock::Clock, digest::digest, sessions::Sessions};
use serde_json::{Value, json};
use tests::{
    client::{Client, Listener},
    legacy::LegacySession,
    server::TestServer,
    until,
};

use super::*;
use hosts::three;

/// The database of that address, as the administrator names it.
fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

/// Cuts every connection of hosts to the database of that address.
fn cut(url: &str) {
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename <> current_user";
    Cluster::shared().sql(name_of(url), &[cut]);
}

/// So many nodes on a new database.
async fn nodes(count: usize) -> (String, Vec<Server>) {
    let url = Cluster::shared().database();
    let address = address(&url);
    let nodes = futures::future::join_all((0..count).map(|_| Server::connect(&address))).await;
    (url, nodes.into_iter().map(Result::unwrap).collect())
}

// Sessions of the 2025 era behind a balancer that sends each request to the next host.

/// One client's session, as each host sees it.
struct Robin {
    at: Vec<LegacySession>,
    next: AtomicUsize,
}

impl Robin {
    /// Begins at the first of them; all that follows, beginning with what its client says then, goes to the next.
    async fn open(clients: &[Client], capabilities: Value) -> Self {
        let first = LegacySession::begin_with(&clients[0], capabilities).await.unwrap();
        let at = clients.iter().map(|it| first.stolen_by(it)).collect();
        let robin = Self { at, next: AtomicUsize::new(1) };
        robin.next().initialized().await;
        robin
    }

    fn next(&self) -> &LegacySession {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        &self.at[next % self.at.len()]
    }
}

fn clients(hosts: &[TestServer]) -> Vec<Client> {
    hosts.iter().map(TestServer::client).collect()
}

async fn change(host: &TestServer, uri: &str) {
    host.client().output("ring", json!({ "uri": uri })).await;
}

/// STO-16
#[tokio::test(flavor = "multi_thread")]
async fn session_continues_on_any_host() {
    let lines = "[components.library]\ngrants = ['events']\n[components.echo]\n";
    let (_, hosts) = three(&["echo", "library"], lines).await;
    let robin = Robin::open(&clients(&hosts), json!({})).await;
    for round in 0..6 {
        let tools = robin.next().request("tools/list", json!({})).await;
        assert!(tools["result"]["tools"].is_array(), "{round}: {tools}");
        let echoed = robin.next().call("echo", json!({ "value": {} })).await;
        assert_eq!(echoed["isError"], json!(false), "{round}: {echoed}");
    }
    // A subscription at one host applies to the host with the stream.
    let mut listener = robin.at[1].listen().await;
    for host in 0..2 {
        let book = json!({ "uri": format!("library://books/{host}") });
        let subscribed = robin.at[host * 2].request("resources/subscribe", book).await;
        assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    }
    for (host, book) in [(2, "library://books/0"), (0, "library://books/1")] {
        until("it is told", async || {
            change(&hosts[host], book).await;
            let event = listener.next(Duration::from_millis(500)).await;
            event.is_some_and(|it| it["params"]["uri"] == book)
        })
        .await;
    }
    // It ends once, for all hosts, by any of them.
    assert_eq!(robin.at[2].delete().await.status(), 204);
    for at in &robin.at {
        assert_eq!(at.request_status().await, 404);
        assert_eq!(at.delete().await.status(), 404);
    }
    let end = tokio::time::timeout(tests::PATIENCE, listener.end()).await;
    assert!(end.is_ok(), "its stream is over");
    let anew = Robin::open(&clients(&hosts), json!({})).await;
    assert_eq!(anew.next().request_status().await, 200);
}

/// STO-16
#[tokio::test(flavor = "multi_thread")]
async fn session_is_private_to_its_caller_on_all_hosts() {
    let token = |name: &str| {
        format!("[tokens.{name}]\nscopes = ['*']\nsha256 = '{}'\n", digest(name.as_bytes()))
    };
    let (_, hosts) = three(&["echo"], &format!("{}{}", token("ann"), token("eve"))).await;
    let of = |name: &str| hosts.iter().map(|it| it.client_with(name)).collect::<Vec<_>>();
    let ann = Robin::open(&of("ann"), json!({})).await;
    for (mine, other) in ann.at.iter().zip(of("eve")) {
        let stolen = mine.stolen_by(&other);
        assert_eq!(stolen.request_status().await, 404);
        assert_eq!(stolen.stream().await.status(), 404);
        assert_eq!(stolen.delete().await.status(), 404);
        assert_eq!(mine.request_status().await, 200, "and it is still there");
    }
}

/// STO-16. The call runs on one host, and each answer comes to another one.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_reaches_the_host_that_asked() {
    let (_, hosts) = three(&["echo"], "").await;
    let robin = Robin::open(&clients(&hosts), json!({ "elicitation": {} })).await;
    for asks in 0..3 {
        let params = json!({ "name": "greet", "arguments": {} });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        let mut listener = Listener::of(robin.at[asks].post(call).await);
        let mut ids = Vec::new();
        let greeting = loop {
            let message = listener.next(tests::PATIENCE).await.expect("it goes on");
            if message["method"] == "elicitation/create" {
                ids.push(message["id"].clone());
                let result = json!({ "action": "accept", "content": { "name": "Taro" } });
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                let taken = robin.at[(asks + 1) % 3].post(answer).await;
                assert_eq!(taken.status(), 202);
            } else if message["id"] == 7 {
                break message["result"]["structuredContent"]["greeting"].clone();
            }
        };
        assert_eq!((ids.len(), greeting), (1, json!("Hello, Taro!")));
    }
    // One whose asker is gone says so.
    let mut asked = Listener::of({
        let params = json!({ "name": "greet", "arguments": {} });
        let call = json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": params });
        robin.at[0].post(call).await
    });
    let question = asked.next(tests::PATIENCE).await.unwrap();
    let mut hosts = hosts;
    hosts.remove(0).stop().await;
    let answer =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    let taken = robin.at[1].post(answer).await;
    assert_eq!(taken.status(), 409);
    let text = taken.text().await.unwrap();
    assert!(text.contains("make the call again"), "{text}");
    assert_eq!(robin.at[2].request_status().await, 200, "and the session goes on");
}

/// STO-16
#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_all_hosts_have_one_limit_and_an_end() {
    let url = Cluster::shared().database();
    let server = Server::connect(&address(&url)).await.unwrap();
    let sessions = Sessions::new(server.clone(), 4);
    for (key, owner) in [("a", "ann"), ("b", "ben"), ("c", "ben"), ("d", "ben"), ("e", "ann")] {
        sessions.open(key, owner, "{}", Vec::new()).await.unwrap();
    }
    let is_there = async |key, owner| sessions.find(key, owner).await.unwrap().is_some();
    assert!(!is_there("b", "ben").await, "the eldest of who has most");
    assert!(is_there("a", "ann").await && is_there("e", "ann").await && is_there("d", "ben").await);
    assert!(!is_there("d", "ann").await, "another's");
    assert!(!sessions.end("d", "ann").await.unwrap() && sessions.end("d", "ben").await.unwrap());
    for (uri, is_room) in [("x", true), ("y", true), ("x", true), ("z", false)] {
        assert_eq!(sessions.subscribe("a", uri, 2).await.unwrap(), is_room, "{uri}");
    }
    sessions.unsubscribe("a", "y").await.unwrap();
    assert_eq!(sessions.find("a", "ann").await.unwrap().unwrap().uris, ["x"]);
    assert!(!sessions.send(Some(server.node() + 1), "a", "{}").await.unwrap(), "there is none");
    let old = "UPDATE madoguchi_host.sessions SET used_at = now() - interval '1 hour'";
    Cluster::shared().sql(url.rsplit('/').next().unwrap(), &[old]);
    sessions.sweep(vec!["a".to_owned()], Duration::from_secs(60)).await.unwrap();
    assert!(is_there("a", "ann").await && !is_there("e", "ann").await, "what is in use stays");
}

/// STO-16: a caller with too many loses those that are not used, on whichever host the others are used.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_use_are_evicted_last() {
    let server = Server::connect(&address(&Cluster::shared().database())).await.unwrap();
    let sessions = Sessions::new(server, 3);
    let open = async |key, in_use: &[&str]| {
        let in_use = in_use.iter().map(|it| (*it).to_owned()).collect();
        sessions.open(key, "ann", "{}", in_use).await.unwrap();
    };
    open("here", &[]).await;
    open("there", &[]).await;
    sessions.hold(vec!["there".to_owned()], Duration::from_secs(60)).await.unwrap();
    for key in ["a", "b", "c", "d"] {
        open(key, &["here"]).await;
    }
    for (key, is_there) in [("here", true), ("there", true), ("c", false), ("d", true)] {
        assert_eq!(sessions.find(key, "ann").await.unwrap().is_some(), is_there, "{key}");
    }
}
