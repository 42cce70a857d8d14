//! Three hosts on one database behave like one server, for sessions too.

mod kept;

use std::{
    collections::BTreeMap,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures::future::join_all;
use host::{clock::Clock, config::Given, digest::digest, sessions::Sessions};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, Listener},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    forms,
    people::{App, Authenticator, Person, access, link_of, refresh},
    process::{self, Process},
    server::{Folders, Operator, TestServer},
    until,
};

use super::*;

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
    let nodes = join_all((0..count).map(|_| Server::connect(&address))).await;
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

// Whole hosts on one database, each with a data folder of its own.

/// The grants of the component `errand`.
const ERRAND: &str = "
[components.errand]
grants = ['calls', 'endpoints']
calls = ['component:cinema']
";

pub(super) fn folders(components: &[&str]) -> Folders {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    folders
}

/// So many hosts with these components and lines of configuration on the database at `url`.
pub(super) async fn hosts(
    url: &str,
    count: usize,
    components: &[&str],
    lines: &str,
) -> Vec<TestServer> {
    let mut hosts = Vec::new();
    // One after the other: the code that the first one compiles is the others', too.
    for _ in 0..count {
        let folders = folders(components);
        let mut config = folders.config_with(lines);
        config.store.url = Some(Given::value(url));
        hosts.push(TestServer::start(folders, |it| *it = config).await);
        hosts[0].folders.keep_code();
    }
    hosts
}

async fn three(components: &[&str], lines: &str) -> (String, Vec<TestServer>) {
    let url = Cluster::shared().database();
    let hosts = hosts(&url, 3, components, lines).await;
    (url, hosts)
}

fn error_of(result: &Value) -> &str {
    result["_meta"]["madoguchi/error"]["error"].as_str().unwrap_or_default()
}

/// Refusals of rivals, and the error after a cut connection.
const REFUSED: [&str; 1] = ["seat_already_reserved"];

pub(super) const BROKEN: [&str; 3] = ["seat_already_reserved", "unavailable", "internal_error"];

/// Each of 64 rivals wants three of twenty seats, each of them on the next host; what became of it, or nothing where
/// the host went before it had answered.
pub(super) async fn rivals(
    clients: &[Client],
    showtime: &str,
    (seats, refusals): (&[String], &[&str]),
    each: impl Fn(usize) + Send + Sync + 'static,
) -> BTreeMap<String, usize> {
    let each = Arc::new(each);
    let answered = Arc::new(AtomicUsize::new(0));
    let rivals = (0..64_usize).map(|rival| {
        let (client, each) = (clients[rival % clients.len()].clone(), each.clone());
        let (showtime, answered) = (showtime.to_owned(), answered.clone());
        let seats: Vec<_> = (0..3).map(|it| seats[(rival * 7 + it) % 20].clone()).collect();
        tokio::spawn(async move {
            let arguments = json!({
                "user_id": format!("rival-{rival}"), "showtime_id": showtime, "seat_ids": seats,
            });
            let result = client.try_call("reserve_seats", arguments).await;
            each(answered.fetch_add(1, Ordering::Relaxed));
            (seats, result)
        })
    });
    let mut winners = BTreeMap::new();
    for (rival, outcome) in join_all(rivals).await.into_iter().enumerate() {
        let (seats, result) = outcome.unwrap();
        let Some(result) = result else { continue };
        if result["isError"] == true {
            let error = error_of(&result);
            assert!(refusals.contains(&error), "{result}");
            continue;
        }
        for seat in seats {
            assert_eq!(winners.insert(seat.clone(), rival), None, "{seat} was sold twice");
        }
    }
    winners
}

/// STO-10, STO-15: the third host is killed in the middle, then all connections of the others are cut.
#[tokio::test(flavor = "multi_thread")]
async fn of_64_rivals_over_three_hosts_each_seat_has_one_winner() {
    let url = Cluster::shared().database();
    let two = hosts(&url, 2, &["cinema"], "").await;
    let folders = folders(&["cinema"]);
    let mut command: Command = process::command(&folders);
    command.env("MADOGUCHI_STORE", &url).args(["--addr", "127.0.0.1:0", "--components"]);
    command.arg(folders.components());
    let mut third = tokio::task::spawn_blocking(|| Process::from(command)).await.unwrap();
    let mut clients = vec![two[0].client(), two[1].client(), Client::new(&third.url)];
    let shows = showtimes(&clients[2]).await;

    let show = showtime_id(&shows[0]);
    let free = free_seats(&clients[0], &show).await;
    let killed = third.id().to_string();
    let winners = rivals(&clients, &show, (&free, &BROKEN), move |answered| {
        if answered == 6 {
            Command::new("kill").args(["-KILL", &killed]).status().unwrap();
        }
    })
    .await;
    third.wait();
    assert!(!winners.is_empty());
    let left = free_seats(&clients[0], &show).await;
    assert_eq!(left, free_seats(&clients[1], &show).await, "both see the same");
    assert!(winners.keys().all(|it| !left.contains(it)), "what was acknowledged is kept");

    clients.truncate(2);
    let show = showtime_id(&shows[1]);
    let free = free_seats(&clients[1], &show).await;
    let at = url.clone();
    let winners = rivals(&clients, &show, (&free, &BROKEN), move |answered| {
        if [4, 12].contains(&answered) {
            cut(&at);
        }
    })
    .await;
    let left = free_seats(&clients[0], &show).await;
    assert_eq!(left, free_seats(&clients[1], &show).await, "both see the same");
    assert!(winners.keys().all(|it| !left.contains(it)), "what was acknowledged is kept");
    // They go on as if nothing had been.
    let arguments = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [left[0]] });
    clients[1].output("reserve_seats", arguments).await;
}

/// STO-15: without anything that breaks, every rival has a plain answer, and each seat that was wanted a holder.
#[tokio::test(flavor = "multi_thread")]
async fn rivals_on_three_hosts_get_the_answers_of_one_host() {
    let (_, hosts) = three(&["cinema"], "").await;
    let clients: Vec<_> = hosts.iter().map(TestServer::client).collect();
    let show = showtime_id(&showtimes(&clients[0]).await[0]);
    let free = free_seats(&clients[0], &show).await;
    let winners = rivals(&clients, &show, (&free, &REFUSED), |_| {}).await;
    for client in &clients {
        let left = free_seats(client, &show).await;
        assert_eq!(left.len(), free.len() - winners.len());
    }
}

/// STO-2
#[tokio::test(flavor = "multi_thread")]
async fn form_draft_continues_on_another_host() {
    let (_, mut hosts) = three(&["forms"], "").await;
    let [a, b, c] = [0, 1, 2].map(|it| hosts[it].client());
    let form = forms::form(json!([
        { "name": "name", "type": "text", "label": "名前" },
        { "name": "day", "type": "text", "label": "日" },
    ]));
    let handle = forms::ask(&a, &form).await.handle;
    let draft = |revision: u32, name: &str| json!({ "handle": handle, "values": { "name": name }, "revision": revision });
    a.output("save_form_draft", draft(0, "三")).await;
    let opened = b.output("open_form", json!({ "handle": handle })).await;
    assert_eq!((&opened["draft"], &opened["revision"]), (&json!({ "name": "三" }), &json!(1)));
    hosts[0].stop().await;
    b.output("save_form_draft", draft(1, "三葉")).await;
    let late = c.failure("save_form_draft", draft(1, "四葉")).await;
    assert_eq!(
        (&late["error"], &late["data"]["draft"]),
        (&json!("draft_conflict"), &json!({ "name": "三葉" }))
    );
}

async fn greet(client: &Client, more: Value) -> Value {
    let mut params = json!({ "name": "greet", "arguments": {} });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    client.request("tools/call", params).await.1
}

/// STO-12
#[tokio::test(flavor = "multi_thread")]
async fn question_of_one_host_is_answered_once_on_any() {
    let (_, mut hosts) = three(&["echo"], "").await;
    let clients: Vec<_> = hosts.iter().map(TestServer::client).collect();
    let answer = |asked: &Value| {
        let response = json!({ "action": "accept", "content": { "name": "Taro" } });
        json!({ "requestState": asked["result"]["requestState"], "inputResponses": { "name": response } })
    };
    let first = greet(&clients[0], json!({})).await;
    let open = greet(&clients[0], json!({})).await;
    let done = greet(&clients[1], answer(&first)).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!", "{done}");
    for client in [&clients[2], &clients[0], &clients[1]] {
        let again = greet(client, answer(&first)).await;
        let message = again["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("answered and used"), "{again}");
    }
    // At once on all of them it counts once, too; and after the host that asked has gone.
    hosts[0].stop().await;
    let once = (0..16).map(|at| {
        let (client, answer) = (clients[1 + at % 2].clone(), answer(&open));
        tokio::spawn(async move { greet(&client, answer).await })
    });
    let all: Vec<_> = join_all(once).await.into_iter().map(Result::unwrap).collect();
    let done = all.iter().filter(|it| it["result"]["structuredContent"].is_object()).count();
    let refused = all
        .iter()
        .filter(|answer| {
            answer["error"]["message"].as_str().is_some_and(|it| it.contains("answered and used"))
        })
        .count();
    assert_eq!((done, refused), (1, 15), "{all:?}");
}

async fn try_call(client: &Client, body: Value) -> Value {
    let response = client.post("/api/errand/tries", &[], body.to_string()).await;
    let answer: Value = response.json().await.unwrap();
    answer["outputs"][0].clone()
}

async fn decide(client: &Client, id: &str) -> Value {
    let allow = json!({ "allow": true }).to_string();
    let response = client.post(&format!("/api/approvals/{id}"), &[], allow).await;
    response.json().await.unwrap()
}

/// STO-13
#[tokio::test(flavor = "multi_thread")]
async fn approval_requested_on_one_host_is_given_once_on_another() {
    let (url, mut hosts) = three(&["cinema", "errand"], ERRAND).await;
    let clients: Vec<_> = hosts.iter().map(TestServer::client).collect();
    let show = showtime_id(&showtimes(&clients[0]).await[0]);
    let seats = free_seats(&clients[0], &show).await;
    let reserve = |seat: &str| {
        let arguments = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
        json!({ "calls": [{ "tool": "reserve_seats", "arguments": arguments, "reason": "for you" }] })
    };
    let held = try_call(&clients[0], reserve(&seats[0])).await;
    let first = held["held"].as_str().unwrap_or_else(|| panic!("{held}")).to_owned();
    let held = try_call(&clients[1], reserve(&seats[1])).await;
    let second = held["held"].as_str().unwrap().to_owned();
    for client in &clients {
        let answer: Value = client.get("/api/approvals").await.json().await.unwrap();
        let ids = answer["approvals"].as_array().unwrap().iter().map(|it| it["id"].clone());
        assert_eq!(ids.collect::<Vec<_>>(), [json!(first), json!(second)], "in one order");
    }
    // All decide at once: the call is made once, and all get its outcome.
    let all = (0..9).map(|at| {
        let (client, id) = (clients[at % 3].clone(), first.clone());
        tokio::spawn(async move { decide(&client, &id).await })
    });
    let all: Vec<_> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    // A request during the call gets the same answer as on one host.
    let (running, done): (Vec<_>, Vec<_>) = all.iter().partition(|it| it["state"] == "running");
    assert!(done.iter().all(|it| it["state"] == "done"), "{all:?}");
    assert!(done.iter().all(|it| it["result"] == done[0]["result"]), "made once: {all:?}");
    assert!(running.len() < all.len());
    assert!(!free_seats(&clients[2], &show).await.contains(&seats[0]));
    let looked = try_call(&clients[0], json!({ "held": [first] })).await;
    assert_eq!(looked["done"]["structuredContent"], done[0]["result"]["structuredContent"]);
    // And after the host that asked has gone, with all connections cut.
    hosts[1].stop().await;
    cut(&url);
    let done = decide(&clients[2], &second).await;
    assert_eq!(done["state"], "done", "{done}");
    let answer: Value = clients[0].get("/api/approvals").await.json().await.unwrap();
    assert_eq!(answer["approvals"], json!([]));
}

/// STO-14
#[tokio::test(flavor = "multi_thread")]
async fn file_uploaded_to_one_host_is_served_by_another() {
    let (_, mut hosts) = three(&["echo"], "").await;
    let [a, b, c] = [0, 1, 2].map(|it| hosts[it].client());
    let bytes: Vec<u8> = (0..600_000_u32).map(|it| (it % 253) as u8).collect();
    let sent = a.http(reqwest::Method::POST, "/api/blobs").header("content-type", "video/mp4");
    let sent = sent.body(bytes.clone()).send().await.unwrap();
    assert_eq!(sent.status(), 201);
    let blob: Value = sent.json().await.unwrap();
    let path = format!("/api/blobs/{}", blob["id"].as_str().unwrap());
    hosts[0].stop().await;
    let whole = b.get(&path).await;
    assert_eq!(whole.headers()["content-type"], "video/mp4");
    assert!(whole.bytes().await.unwrap() == bytes);
    let part = c.http(reqwest::Method::GET, &path).header("range", "bytes=262000-525000");
    let part = part.send().await.unwrap();
    assert_eq!(
        (part.status().as_u16(), &part.headers()["content-range"]),
        (206, &"bytes 262000-525000/600000".parse().unwrap())
    );
    assert!(part.bytes().await.unwrap() == bytes[262_000..=525_000]);
}

async fn whoami(host: &TestServer, token: &str) -> u16 {
    let params = json!({ "name": "whoami", "arguments": {} });
    host.client_with(token).send("tools/call", params).await.status().as_u16()
}

/// STO-17
#[tokio::test(flavor = "multi_thread")]
async fn passkey_ceremony_spans_two_hosts() {
    let lines = "public_url = 'http://localhost:9'\n[accounts]\nenabled = true\n";
    let (_, hosts) = three(&["echo"], lines).await;
    let send = async |host: usize, step: &str, body: Value| {
        let path = format!("/account/passkey/{step}");
        let request = hosts[host].client().http(reqwest::Method::POST, &path).json(&body);
        request.send().await.unwrap()
    };
    let operator = Operator::of(&hosts[0].folders.data());
    let (_, made) =
        operator.send(reqwest::Method::POST, "accounts/ann", "{\"scopes\":[\"*\"]}").await;
    let link = link_of(&made);
    let link = link.rsplit('/').next().unwrap();
    let key = Authenticator::new("http://localhost:9", "localhost");
    let begun = send(1, "begin", json!({ "link": link })).await;
    assert_eq!(begun.status(), 200);
    let options: Value = begun.json().await.unwrap();
    let body = json!({ "link": link, "credential": key.make(&options) });
    assert_eq!(send(2, "register", body).await.status(), 204, "it began on another host");
    for (first, second) in [(0, 1), (2, 0)] {
        let asked: Value = send(first, "begin", json!({})).await.json().await.unwrap();
        let shown = json!({ "credential": key.show(&asked, &options["user"]["id"]) });
        let signed_in = send(second, "sign-in", shown.clone()).await;
        assert_eq!(signed_in.status(), 204);
        assert!(signed_in.headers().contains_key("set-cookie"));
        assert_eq!(send(first, "sign-in", shown).await.status(), 403, "once");
    }
}

/// STO-18
#[tokio::test(flavor = "multi_thread")]
async fn callers_rate_is_shared_by_all_hosts() {
    let token = digest(b"ann");
    let lines = format!(
        "[tokens.ann]\nscopes = ['*']\nsha256 = '{token}'\nrate = {{ requests_per_s = 1, burst = 30 }}\n"
    );
    let (_, hosts) = three(&["echo"], &lines).await;
    let many = std::num::NonZeroU32::new(100).unwrap();
    let know = || hosts.iter().all(|it| it.server().calls.config.live_nodes.cost(many).get() == 3);
    until("each knows of three", async || know()).await;
    let began = Instant::now();
    let mut let_in = 0;
    for request in 0..90 {
        let_in += u64::from(whoami(&hosts[request % 3], "ann").await == 200);
    }
    // The burst of one host, and the refill meanwhile.
    let most = 30 + began.elapsed().as_secs() + 3;
    assert!((3..=most).contains(&let_in), "{let_in} of at most {most}");
    assert!(let_in < 90, "as if each had the whole of it");
}

/// STO-17
#[tokio::test(flavor = "multi_thread")]
async fn login_and_revocation_hold_on_all_hosts() {
    let lines = "public_url = 'http://localhost:9'\n[accounts]\nenabled = true\n";
    let (_, hosts) = three(&["echo"], lines).await;
    let at = |host: usize| hosts[host].url();
    let person = Person::join(&hosts[0], "ann", &["*"]).await;
    let app = App::register(&at(1)).await;
    let code = app.at(&at(2)).code(&mut person.at(&at(2)), &[]).await;
    let (status, tokens) = app.at(&at(0)).redeem(&code, &[]).await;
    assert_eq!(status, 200, "{tokens}");
    for host in [1, 2, 0] {
        assert_eq!(whoami(&hosts[host], access(&tokens)).await, 200, "at once, on {host}");
    }
    let (status, anew) = app.at(&at(1)).refresh(refresh(&tokens), &[]).await;
    assert_eq!((status.as_u16(), whoami(&hosts[2], access(&anew)).await), (200, 200));
    // A refresh token works once over all hosts: its reuse revokes its tokens.
    let (status, refused) = app.at(&at(2)).refresh(refresh(&tokens), &[]).await;
    assert_eq!((status.as_u16(), &refused["error"]), (400, &json!("invalid_grant")));
    assert_eq!(whoami(&hosts[2], access(&anew)).await, 401);
    for host in [0, 1] {
        let is_out = async || whoami(&hosts[host], access(&anew)).await == 401;
        until("it is known to be worth nothing", is_out).await;
    }
    let (status, _) = app.at(&at(1)).refresh(refresh(&anew), &[]).await;
    assert_eq!(status, 400);
}
