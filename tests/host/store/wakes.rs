//! Three hosts on one database: a change on one wakes calls on another, and one of them runs what is to be
//! run once.

use host::{
    Config,
    config::{ComponentConfig, Given},
    events::{By, Published},
    grants::Grant,
    leases::Leases,
};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{agents_toml, credentials},
    server::{Folders, TestServer},
    until,
};
use tokio::{runtime::Runtime, sync::broadcast::error::RecvError};
use tokio_util::sync::CancellationToken;

use super::*;

/// Longer than any of these takes.
const LONG: Duration = tests::PATIENCE;

/// A host with a runtime of its own, so that it can be killed.
struct Node {
    server: Option<TestServer>,
    runtime: Option<Runtime>,
}

impl Node {
    async fn start(
        (name, url): (&str, &str),
        component: &'static str,
        change: impl FnOnce(&Folders, &mut Config) + Send + 'static,
    ) -> Self {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
        let (name, url) = (name.to_owned(), url.to_owned());
        let begins = runtime.spawn(async move {
            let folders = Folders::new();
            folders.put(component, &component_bytes(component));
            let mut config = folders.config();
            change(&folders, &mut config);
            config.store.url = Some(Given::value(&url));
            config.store.node = Some(name);
            TestServer::start(folders, |it| *it = config).await
        });
        Self { server: Some(begins.await.unwrap()), runtime: Some(runtime) }
    }

    fn server(&self) -> &host::Server {
        self.server.as_ref().unwrap().server()
    }

    fn client(&self) -> Client {
        self.server.as_ref().unwrap().client()
    }

    /// Calls of `reach` that wait here.
    fn waits(&self) -> u64 {
        self.server().calls.watch.metrics.now().waiting
    }
}

/// Kills it with its connections, without a goodbye.
impl Drop for Node {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        if let Some(server) = self.server.take() {
            drop(server);
        }
    }
}

/// Three of them with the component `reach`, everything granted, and the database's name.
async fn three(
    change: impl Fn(&mut ComponentConfig) + Clone + Send + 'static,
) -> ([Node; 3], String) {
    let url = Cluster::shared().database();
    let node = async |name: &str| {
        let change = change.clone();
        Node::start((name, &url), "reach", move |_, config| {
            let mut all = ComponentConfig { grants: Some(Grant::ALL.into()), ..Default::default() };
            change(&mut all);
            config.components.insert("reach".to_owned(), all);
        })
        .await
    };
    let nodes = [node("a").await, node("b").await, node("c").await];
    (nodes, url.rsplit('/').next().unwrap().to_owned())
}

/// Ends the connections of all nodes that listen.
fn cut(database: &str) -> usize {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'madoguchi listens'";
    Cluster::shared().sql(database, &[sql]).len()
}

/// Expires the node of that name at once.
fn forget(database: &str, name: &str) {
    let sql = format!(
        "UPDATE madoguchi_host.nodes SET seen_at = now() - interval '1 minute' WHERE name = '{name}'"
    );
    Cluster::shared().sql(database, &[&sql]);
}

/// STO-20. One that is not woken waits for longer than it may, and fails.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_call_is_woken_by_a_change_on_another_node() {
    let (nodes, _) = three(|_| ()).await;
    let long = json!({ "up_to_ms": 3_600_000 });
    let readers: Vec<_> = nodes
        .iter()
        .map(|node| {
            let (client, long) = (node.client(), long.clone());
            tokio::spawn(async move { client.call("await_letter", long).await })
        })
        .collect();
    until("they wait", async || nodes.iter().all(|it| it.waits() == 1)).await;
    nodes[0].client().output("send_letter", json!({ "text": "hi" })).await;
    for reader in readers {
        let result = reader.await.unwrap();
        assert_eq!(result["structuredContent"]["letters"], json!(["hi"]), "{result}");
    }
}

/// STO-20. Clients of resources, and the host's own events for one caller.
#[tokio::test(flavor = "multi_thread")]
async fn listener_on_another_node_gets_each_change_once() {
    let (nodes, _) = three(|_| ()).await;
    let mut listener = nodes[1].server().events.listen();
    let mut own = nodes[0].server().events.listen();
    nodes[0].server().events.notify("ann", "tasks/1");
    nodes[0].client().output("send_letter", json!({ "text": "hi" })).await;
    nodes[2].server().events.notify("ben", "tasks/2");
    let mut found = Vec::new();
    for receiver in [&mut listener, &mut own] {
        let mut all = Vec::new();
        let three = async {
            while all.len() < 3 {
                let Published { by, what } = receiver.recv().await.unwrap();
                let what = what.as_deref().unwrap_or("*").to_owned();
                match by {
                    By::Component(name) => all.push(format!("{name} {what}")),
                    By::Host { to } => all.push(format!("to {to} {what}")),
                    By::Anyone => {}
                }
            }
        };
        tokio::time::timeout(LONG, three).await.expect("they are told");
        // Those of one node keep their order; those of another come in between.
        all.sort();
        found.push(all);
    }
    let expected = ["reach reach://letters", "to ann tasks/1", "to ben tasks/2"];
    assert_eq!(found, [expected, expected], "once each");
}

/// STO-21.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_while_the_notify_connection_is_cut() {
    let (nodes, database) = three(|_| ()).await;
    let mut listener = nodes[1].server().events.listen();
    let sender = nodes[0].server().events.channel("reach");
    let sends = tokio::spawn(async move {
        for number in 0..600 {
            sender.publish(&format!("reach://{number}"));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let cuts = tokio::task::spawn_blocking(move || {
        let mut cuts = 0;
        for _ in 0..8 {
            cuts += cut(&database);
            std::thread::sleep(Duration::from_millis(300));
        }
        cuts
    });
    let mut next = 0;
    let all = async {
        while next < 600 {
            match listener.recv().await {
                Ok(Published { what: Some(what), .. }) => {
                    assert_eq!(*what, *format!("reach://{next}"), "in their order, once");
                    next += 1;
                }
                // A machine that paused for 10 s makes a node look lost, which is reported as well.
                Ok(_) => {}
                Err(RecvError::Lagged(_) | RecvError::Closed) => panic!("this one keeps up"),
            }
        }
    };
    tokio::time::timeout(LONG, all).await.expect("all are heard");
    sends.await.unwrap();
    assert!(cuts.await.unwrap() >= 3, "connections were cut");
}

/// STO-21. It may have committed without a notification.
#[tokio::test(flavor = "multi_thread")]
async fn lost_node_counts_as_any_event() {
    let (nodes, database) = three(|_| ()).await;
    let [gone, left, _] = nodes;
    let mut stream = left.server().events.listen();
    // A node is known once it was seen.
    left.server().events.channel("reach");
    let mut listener = left.server().events.channel("reach").listen();
    let many = std::num::NonZeroU32::new(100).unwrap();
    while left.server().calls.config.live_nodes.cost(many).get() != 3 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(gone);
    forget(&database, "a");
    let anyone = async { while stream.recv().await.unwrap().by != By::Anyone {} };
    tokio::time::timeout(LONG, anyone).await.expect("it is told");
    listener.published(&["reach://never".to_owned()]).await;
}

/// How often the schedule of `reach` has run.
async fn runs(node: &Node) -> u64 {
    node.client().output("count_runs", json!({})).await["runs"].as_u64().unwrap()
}

/// STO-23. Three that each ran it would run it three times as often.
#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_runs_once_an_interval_and_outlives_its_node() {
    const EVERY: u64 = 250;
    let began = Instant::now();
    let (nodes, database) = three(|it| it.schedule_ms = Some(EVERY)).await;
    let mut nodes = nodes.map(Some);
    let is_once = async |node: &Node| {
        let runs = runs(node).await;
        let most = u64::try_from(began.elapsed().as_millis()).unwrap() / EVERY + 1;
        assert!(runs <= most, "{runs} runs where {most} are due");
    };
    until("it runs", async || runs(nodes[0].as_ref().unwrap()).await >= 10).await;
    is_once(nodes[0].as_ref().unwrap()).await;
    let holder =
        "SELECT n.name FROM madoguchi_host.leases l JOIN madoguchi_host.nodes n ON n.id = l.node
        WHERE l.component = 'reach' AND l.key = 'schedule'";
    let holder = Cluster::shared().sql(&database, &[holder]).remove(0);
    let at = ["a", "b", "c"].iter().position(|it| *it == holder).unwrap();
    nodes[at] = None;
    forget(&database, &holder);
    let left = nodes[(at + 1) % 3].as_ref().unwrap();
    let before = runs(left).await;
    until("another runs it", async || runs(left).await >= before + 10).await;
    is_once(left).await;
}

/// STO-23.
#[tokio::test(flavor = "multi_thread")]
async fn one_job_per_key_runs_on_all_nodes() {
    let (nodes, _) = three(|_| ()).await;
    let put = async |node: &Node, text: String| {
        node.client().output("send_letter", json!({ "text": text })).await;
    };
    for number in 0..9 {
        put(&nodes[number % 3], format!("job k{number} once")).await;
    }
    put(&nodes[1], "job paused twice".to_owned()).await;
    let did = async |key: &str| {
        let letters = nodes[2].client().output("await_letter", json!({ "up_to_ms": 0 })).await;
        let did = Value::from(format!("did {key}"));
        letters["letters"].as_array().unwrap().iter().filter(|it| **it == did).count()
    };
    for number in 0..9 {
        until("each is done", async || did(&format!("k{number}")).await >= 1).await;
    }
    until("it pauses", async || did("paused").await >= 1).await;
    // Wherever it pauses, the event comes from each node.
    for node in &nodes {
        let ring = json!({ "text": "hello", "more_rings": 1 });
        node.client().output("send_letter", ring).await;
    }
    until("it goes on", async || did("paused").await >= 2).await;
    put(&nodes[0], "job last once".to_owned()).await;
    until("the last is done", async || did("last").await >= 1).await;
    for number in 0..9 {
        assert_eq!(did(&format!("k{number}")).await, 1, "once");
    }
    assert_eq!(did("paused").await, 2);
}

/// STO-24. A node that slept and was taken for gone wakes up in the middle of its work.
#[tokio::test(flavor = "multi_thread")]
async fn write_under_a_lost_lease_is_rejected() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let stop = CancellationToken::new();
    let mut sides = Vec::new();
    for _ in 0..2 {
        let server = Server::connect(&address(&url)).await.unwrap();
        let database = server.database("mine", Limits::default()).await.unwrap();
        database.migrate(&[migration(1, &["CREATE TABLE kept (n INTEGER)"])]).await.unwrap();
        let leases = Leases::new(Some(&server));
        leases.monitor(&stop);
        sides.push((server, database, leases));
    }
    let [(server, database, leases), (_other_server, other, others)] =
        <[_; 2]>::try_from(sides).ok().unwrap();
    let name = "mine";
    let write = async |database: &Database, fence, number: i64| {
        let batch =
            vec![statement("INSERT INTO kept VALUES ($1)", &[super::Value::Integer(number)])];
        summary(&database.transact_under(fence, batch, far_deadline()).await)
    };
    let first = leases.take(name, "jobs").await.unwrap().expect("it is free");
    let old = first.fence().unwrap().clone();
    assert_eq!(write(&database, &old, 1).await, "1 changed");
    assert!(others.take(name, "jobs").await.unwrap().is_none(), "it is taken");
    assert!(others.is_held("mine", "jobs").await.unwrap());
    assert!(others.take(name, "schedule").await.unwrap().is_some(), "that is another");
    let gone = format!(
        "UPDATE madoguchi_host.nodes SET seen_at = now() - interval '1 minute' WHERE id = {}",
        server.node()
    );
    cluster.sql(url.rsplit('/').next().unwrap(), &[&gone]);
    let second = others.hold(name, "jobs", &stop).await.expect("its node is gone");
    let new = second.fence().unwrap().clone();
    assert!(new.number > old.number);
    let refused = write(&database, &old, 2).await;
    assert!(refused.starts_with("unavailable: another node does this now"), "{refused}");
    assert_eq!(write(&other, &new, 3).await, "1 changed");
    assert_eq!(read(&other, "SELECT n FROM kept ORDER BY n").await, "1; 3");
    let over = tokio::time::timeout(LONG, first.over().cancelled()).await;
    over.expect("what runs under it is ended");
    drop((first, second));
    until("it is given back", async || leases.take(name, "jobs").await.unwrap().is_some()).await;
    stop.cancel();
}

/// STO-20. Each of two agents speaks to another node, and each says ten things in turn.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_of_agents_on_different_nodes_keeps_its_order() {
    let url = Cluster::shared().database();
    let node = async |name: &str| {
        Node::start((name, &url), "conversations", |folders, config| {
            let agents = ["one", "two"].map(|it| (it.to_owned(), it.to_uppercase()));
            *config = folders.config_with(&agents_toml("office", &agents));
        })
        .await
    };
    let nodes = [node("a").await, node("b").await, node("c").await];
    let mut agents = Vec::new();
    for (node, id) in nodes.iter().zip(["one", "two"]) {
        let client = node.client();
        let session = client.output("authenticate", credentials(id, "office")).await;
        agents.push((client, session["session_token"].clone()));
    }
    let says = async |agent: usize, tool: &str, mut arguments: Value| {
        let (client, token) = &agents[agent];
        arguments["session_token"] = token.clone();
        client.output(tool, arguments).await
    };
    let next = json!({ "timeout_seconds": 60 });
    let started = says(0, "start_conversation", json!({ "target_agent_id": "two" })).await;
    let asked = says(1, "get_next_action", next.clone()).await;
    assert_eq!(asked["action"], "conversation_request", "{asked}");
    for number in 0..20 {
        let (from, to) = (number % 2, 1 - number % 2);
        let waits = says(to, "get_next_action", next.clone());
        let target = if to == 0 { "one" } else { "two" };
        let message = json!({ "target_agent_id": target, "content": number.to_string() });
        let (event, _sent) = tokio::join!(waits, says(from, "send_message", message));
        assert_eq!(event["action"], "get_pending_messages", "{number}: {event}");
        let read = says(to, "get_pending_messages", json!({})).await;
        let messages = read["pending_messages"].as_array().unwrap();
        let contents: Vec<_> = messages.iter().map(|it| &it["content"]).collect();
        assert_eq!(contents, [&json!(number.to_string())], "{read}");
    }
    let talk = json!({ "conversation_id": started["conversation_id"] });
    let conversation = nodes[2].client().output("get_conversation", talk).await;
    let messages = conversation["messages"].as_array().unwrap().iter();
    let contents: Vec<_> = messages.map(|it| it["content"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<_> = (0..20).map(|it| it.to_string()).collect();
    assert_eq!(contents, expected);
}

/// The answer to a client with tasks.
async fn ask(node: &Node, method: &str, mut params: Value) -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    params["_meta"] = meta;
    let answer = node.client().request(method, params).await.1;
    answer.get("result").cloned().unwrap_or_else(|| panic!("{method}: {answer}"))
}

/// The id of the task that a call becomes which waits for a letter.
async fn awaits_letter(node: &Node) -> String {
    let arguments = json!({ "up_to_ms": 3_600_000 });
    let call = json!({ "name": "await_letter", "arguments": arguments });
    let task = ask(node, "tools/call", call).await;
    until("it waits", async || node.waits() == 1).await;
    task["taskId"].as_str().unwrap_or_else(|| panic!("{task}")).to_owned()
}

/// STO-25.
#[tokio::test(flavor = "multi_thread")]
async fn task_is_cancelled_on_any_node_and_survives_its_own() {
    let ([a, b, c], _) = three(|_| ()).await;
    let task = async |node: &Node, id: &str| ask(node, "tasks/get", json!({ "taskId": id })).await;
    let id = awaits_letter(&a).await;
    for node in [&b, &c] {
        assert_eq!(task(node, &id).await["status"], "working");
        assert_eq!(node.waits(), 0, "it runs elsewhere");
        until("what it says is read there", async || {
            let status = task(&a, &id).await["statusMessage"].clone();
            status.is_string() && task(node, &id).await["statusMessage"] == status
        })
        .await;
    }
    ask(&b, "tasks/cancel", json!({ "taskId": id })).await;
    until("its node hears of it", async || a.waits() == 0).await;
    assert_eq!(task(&c, &id).await["status"], "cancelled");
    let id = awaits_letter(&a).await;
    drop(a);
    until("another goes on with it", async || {
        let looks = [task(&b, &id), task(&c, &id)];
        for look in futures::future::join_all(looks).await {
            assert_eq!(look["status"], "working", "{look}");
        }
        b.waits() + c.waits() == 1
    })
    .await;
    c.client().output("send_letter", json!({ "text": "hi" })).await;
    until("it is done", async || task(&c, &id).await["status"] == "completed").await;
    let letters = &task(&b, &id).await["result"]["structuredContent"]["letters"];
    assert_eq!(*letters, json!(["hi"]));
}
