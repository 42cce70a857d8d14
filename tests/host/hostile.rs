//! Hostile components: each ends at a named limit, while a neighbour and health are served. Afterwards the
//! host is unchanged.

use std::{
    fs::{self, File},
    time::{Duration, Instant},
};

use futures::future::join_all;
use host::{
    grants::Grant,
    limits::{CheckOutputs, Limits},
};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, MODERN},
    component_bytes,
    postgres::Cluster,
    process::{Process, command},
    sabotaged,
    server::{Folders, TestServer},
};

/// Low limits of time, high limits of size.
fn limits() -> Limits {
    Limits {
        cpu_ms_max: 300,
        deadline_ms: 60_000,
        memory_bytes_max: 192 << 20,
        database_bytes_max: 8 << 20,
        ..Limits::default()
    }
}

/// A server with these components and the grant of a database.
async fn server(components: &[&str], limits: Limits) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    start(folders, limits).await
}

async fn start(folders: Folders, limits: Limits) -> TestServer {
    let change = |config: &mut host::Config| {
        config.limits = limits;
        for name in ["saboteur", "panics", "loops", "hoards", "mistypes", "bulges"] {
            let component = config.components.entry(name.to_owned()).or_default();
            component.grants = Some([Grant::Sql].into());
        }
    };
    TestServer::start(folders, change).await
}

/// Calls a neighbour and health while `hostile` runs, and once after; returns the number of rounds.
async fn while_serving_neighbour<T>(
    server: &TestServer,
    hostile: impl Future<Output = T>,
) -> (T, usize) {
    let (client, mut served) = (server.client(), 0);
    tokio::pin!(hostile);
    let mut done = None;
    loop {
        let number = served;
        let client = &client;
        let round = async move {
            let echoed = client.output("echo", json!({ "value": { "round": number } })).await;
            assert_eq!(echoed["value"]["round"], number);
            assert_eq!(client.get("/api/health").await.status(), 200);
        };
        tokio::pin!(round);
        loop {
            tokio::select! {
                outcome = &mut hostile, if done.is_none() => done = Some(outcome),
                () = &mut round => break,
            }
        }
        served += 1;
        if let Some(done) = done {
            // A round that began after it ended.
            client.output("echo", json!({ "value": {} })).await;
            return (done, served);
        }
    }
}

/// A component's error in health.
async fn error_of(server: &TestServer, name: &str) -> String {
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    health["components"][name]["error"].as_str().unwrap_or_default().to_owned()
}

// Calls that take too much, return invalid output, or ask endlessly.

/// Each misdeed and the limit that ends it.
const LIMITED: [(&str, &str); 8] = [
    ("spin", "cpu_ms_max"),
    ("hoard", "memory_bytes_max"),
    ("recurse", "stack_bytes_max"),
    ("recurse_flat", "stack_bytes_max"),
    ("bloat", "output_bytes_max"),
    ("clutch", "handles_max"),
    ("pester", "questions_max"),
    ("remember", "state_bytes_max"),
];

/// Those whose output or question cannot be used.
const BROKEN: [&str; 5] = ["panic", "lie", "babble", "nest", "ask_wrongly"];

#[tokio::test(flavor = "multi_thread")]
async fn stops_each_misdeed_at_its_named_limit_and_serves_neighbour() {
    let server = server(&["echo", "rogue"], limits()).await;
    let client = server.client();
    for (tool, limit) in LIMITED {
        let (failure, _) = while_serving_neighbour(&server, client.failure(tool, json!({}))).await;
        assert_eq!(failure["error"], "limit_exceeded", "{tool}: {failure}");
        assert_eq!(failure["data"]["limit"], limit, "{tool}: {failure}");
        assert!(failure["message"].as_str().unwrap().contains(limit), "{tool}: {failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unusable_output_is_withheld_on_every_surface() {
    let server = server(&["echo", "rogue"], limits()).await;
    let client = server.client();
    for tool in BROKEN {
        let (failure, _) = while_serving_neighbour(&server, client.failure(tool, json!({}))).await;
        assert_eq!(failure["error"], "internal_error", "{tool}: {failure}");
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": tool, "params": {} });
        let answer = client.post("/rpc", &[], body.to_string()).await.text().await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["code"], -32603, "{tool}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn outputs_against_schema_pass_only_if_unchecked() {
    let trusting = Limits { check_outputs: CheckOutputs::Never, ..limits() };
    let server = server(&["rogue"], trusting).await;
    assert_eq!(server.client().output("lie", json!({})).await["answer"], "forty-two");
    assert_eq!(server.client().failure("babble", json!({})).await["error"], "internal_error");
}

async fn round(client: &Client, before: &Value) -> Value {
    let mut params = json!({ "name": "nag", "arguments": {} });
    if let Some(asked) = before["inputRequests"].as_object() {
        let yes = json!({ "action": "accept", "content": {} });
        let answers: serde_json::Map<_, _> =
            asked.keys().map(|it| (it.clone(), yes.clone())).collect();
        params["inputResponses"] = answers.into();
        params["requestState"] = before["requestState"].clone();
    }
    client.result("tools/call", params).await
}

#[tokio::test(flavor = "multi_thread")]
async fn endlessly_asking_tool_is_stopped() {
    let server = server(&["echo", "rogue"], limits()).await;
    let client = server.client();
    let nagging = async {
        let mut last = Value::Null;
        for rounds in 0..100 {
            last = round(&client, &last).await;
            if last["isError"] == true {
                return (rounds, last);
            }
        }
        panic!("it asks on: {last}")
    };
    let ((rounds, last), _) = while_serving_neighbour(&server, nagging).await;
    assert_eq!(rounds, 10, "the official SDKs ask no more often");
    assert_eq!(last["_meta"]["madoguchi/error"]["data"]["limit"], "rounds_max", "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_too_deeply_nested_json() {
    let server = server(&["echo"], limits()).await;
    let client = server.client();
    let value = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"value":{{"a":{value}}}}}}}}}"#
    );
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ];
    let rpc = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{{"value":{{"a":{value}}}}}}}"#
    );
    let both = async {
        let mcp = client.post("/mcp", &headers, call).await.text().await.unwrap();
        (mcp, client.post("/rpc", &[], rpc).await.text().await.unwrap())
    };
    let ((mcp, rpc), _) = while_serving_neighbour(&server, both).await;
    for answer in [mcp, rpc] {
        assert!(answer.contains("\"error\"") || answer.contains("isError"), "{answer:.300}");
        assert!(!answer.contains("[[[["), "{answer:.300}");
    }
}

// Hostile use of the database.

/// Ended by the deadline: the call's, or the statement's, which is the same moment.
fn names_the_deadline(failure: &Value) -> bool {
    failure["data"]["limit"] == "deadline_ms"
        || failure["message"].as_str().is_some_and(|it| it.contains("deadline_ms"))
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_a_never_ending_statement_and_the_database_lives_on() {
    let server = server(&["echo", "saboteur"], Limits { deadline_ms: 4_000, ..limits() }).await;
    let client = server.client();
    for tool in ["grind_read", "grind_write"] {
        // On a machine so busy that a round takes a second, it is tried again.
        let mut most = 0;
        for _ in 0..10 {
            let grinds = client.failure(tool, json!({}));
            let (failure, served) = while_serving_neighbour(&server, grinds).await;
            assert!(names_the_deadline(&failure), "{tool}: {failure}");
            client.output("begin", json!({})).await;
            most = most.max(served);
            if most > 5 {
                break;
            }
        }
        assert!(most > 5, "{tool}: the neighbour was served {most} times only");
    }
}

/// Bytes of all databases.
fn on_disk(server: &TestServer) -> u64 {
    let Some(url) = server.folders.store() else {
        let files = fs::read_dir(server.databases()).unwrap().flatten();
        return files.map(|it| it.metadata().map_or(0, |it| it.len())).sum();
    };
    let bytes = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relkind = 'r' AND relnamespace::regnamespace::text LIKE 'component%'";
    Cluster::shared().sql(url.rsplit('/').next().unwrap(), &[bytes])[0].parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_full_at_its_limit_and_can_be_emptied() {
    let limits = limits();
    let room = limits.database_bytes_max;
    let server = server(&["echo", "saboteur"], Limits { deadline_ms: 30_000, ..limits }).await;
    let client = server.client();
    let (failure, _) = while_serving_neighbour(&server, client.failure("fill", json!({}))).await;
    assert!(failure["message"].as_str().unwrap().contains("database_bytes_max"), "{failure}");
    assert!(client.output("begin", json!({})).await["rows"].as_i64().unwrap() > 0);
    let bytes = on_disk(&server);
    assert!(bytes <= 4 * room, "{bytes} bytes on disk, of a database of {room}");
    client.output("clear", json!({})).await;
    assert_eq!(client.output("begin", json!({})).await["rows"], 0);
}

// Components that misbehave before they serve.

#[tokio::test(flavor = "multi_thread")]
async fn keeps_out_component_failing_its_tool_listing_with_the_reason() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let faults = [
        ("panics", b'p', "does not describe itself: it trapped: "),
        ("loops", b'l', "cpu_ms_max"),
        ("hoards", b'm', "memory_bytes_max"),
        ("mistypes", b't', "is not a JSON Schema"),
        ("bulges", b'b', "output_bytes_max"),
    ];
    for (name, fault, _) in faults {
        folders.put(name, &sabotaged(fault));
    }
    let server = start(folders, limits()).await;
    for (name, _, reason) in faults {
        let error = error_of(&server, name).await;
        assert!(error.contains(reason), "{name}: {error}");
        assert!(!error.contains("as promised"), "{name}: {error}");
        assert!(!error.contains("backtrace"), "{name}: {error}");
    }
    assert!(!server.client().tools().await.contains(&"begin".to_owned()));
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_start_of_a_component_delays_no_other() {
    let server = server(&["echo"], Limits { cpu_ms_max: 60_000, ..limits() }).await;
    let client = server.client();
    server.folders.put("saboteur", &sabotaged(b's'));
    let there = async {
        for _ in 0..100_000 {
            if client.tools().await.contains(&"begin".to_owned()) {
                return true;
            }
            tokio::task::yield_now().await;
        }
        false
    };
    let (there, served) = while_serving_neighbour(&server, there).await;
    assert!(there, "{}", error_of(&server, "saboteur").await);
    assert!(served > 5, "the neighbour was served {served} times only");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_version_leaves_the_valid_one_serving() {
    let server = server(&["echo", "saboteur"], limits()).await;
    let client = server.client();
    client.output("begin", json!({})).await;
    server.folders.put("saboteur", &sabotaged(b'l'));
    let error = async {
        for _ in 0..100_000 {
            let error = error_of(&server, "saboteur").await;
            if !error.is_empty() {
                return error;
            }
        }
        String::new()
    };
    let (error, _) = while_serving_neighbour(&server, error).await;
    assert!(error.contains("cpu_ms_max"), "{error}");
    client.output("begin", json!({})).await;
}

// Floods of calls, log lines and notifications.

#[tokio::test(flavor = "multi_thread")]
async fn flood_of_unnoticeably_short_calls_leaves_neighbour_its_turn() {
    let server = server(&["echo", "rogue"], limits()).await;
    // On a machine so busy that it gets less than its quick share, the flood is none: then another one is begun.
    let mut most = 0;
    for _ in 0..10 {
        let flood = join_all((0..64).map(|_| {
            let client = server.client();
            tokio::spawn(async move {
                for _ in 0..8 {
                    // About 1.3 ms each: it ends before the second tick.
                    client.output("jab", json!({ "turns": 4 })).await;
                }
            })
        }));
        let (done, served) = while_serving_neighbour(&server, flood).await;
        done.into_iter().for_each(Result::unwrap);
        most = most.max(served);
        if most > 20 {
            return;
        }
    }
    panic!("the neighbour was served {most} times only");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_without_a_place_get_a_retry_time_on_every_surface() {
    let narrow = Limits {
        calls_max: 1,
        queue_max: 0,
        cpu_ms_max: 600_000,
        deadline_ms: 600_000,
        ..limits()
    };
    let server = server(&["echo", "rogue"], narrow).await;
    let spinning = server.client();
    let spinning = tokio::spawn(async move { spinning.failure("spin", json!({})).await });
    server.is_running("rogue", 1).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "jab", "params": { "turns": 0 } });
    let client = server.client();
    let busy = client.post("/rpc", &[], body.to_string()).await;
    assert_eq!(busy.status(), 503, "the only place is taken");
    let seconds = busy.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");
    let answer: Value = busy.json().await.unwrap();
    assert_eq!(answer["error"]["data"]["error"], "busy", "{answer}");
    assert!(answer["error"]["data"]["retry_after_ms"].as_u64().unwrap() >= 50, "{answer}");
    assert!(!spinning.is_finished());
    spinning.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_a_call_waiting_past_its_deadline_for_a_place() {
    // Loading has that time as well: a busy machine takes a while.
    let narrow = Limits { calls_max: 1, deadline_ms: 2_000, cpu_ms_max: 60_000, ..limits() };
    let folders = Folders::new();
    for name in ["echo", "rogue"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |config| {
        config.limits = limits();
        config.components.entry("rogue".to_owned()).or_default().limits = Some(narrow);
    })
    .await;
    let spin =
        |client: Client| tokio::spawn(async move { client.failure("spin", json!({})).await });
    let all = join_all((0..4).map(|_| spin(server.client())));
    let (answers, _) = while_serving_neighbour(&server, all).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    let count = |error: &str| answers.iter().filter(|it| it["error"] == error).count();
    assert!(count("limit_exceeded") >= 1, "{answers:?}");
    assert_eq!(count("limit_exceeded") + count("busy"), 4, "{answers:?}");
}

/// What waits for a place has as much less time in it: one that began later beside it ends later.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_place_counts_against_the_deadline() {
    let narrow = Limits { calls_max: 1, deadline_ms: 5_000, cpu_ms_max: 60_000, ..limits() };
    let server = server(&["rogue", "saboteur"], narrow).await;
    let begin = |tool: &'static str| {
        let client = server.client();
        tokio::spawn(async move { (client.failure(tool, json!({})).await, Instant::now()) })
    };
    let second = Duration::from_secs(1);
    let first = begin("spin");
    tokio::time::sleep(2 * second).await;
    let waits = begin("spin");
    tokio::time::sleep(2 * second).await;
    let neighbour = begin("grind_read");
    assert_eq!(first.await.unwrap().0["data"]["limit"], "deadline_ms");
    let (waited, ended) = waits.await.unwrap();
    assert_eq!(waited["data"]["limit"], "deadline_ms");
    assert!(neighbour.await.unwrap().1 > ended, "it began later, and waited for nothing");
}

/// A call that asks for notifications of its progress.
async fn call_with_progress(client: &Client, tool: &str) -> Value {
    let mut meta = Client::meta();
    meta["progressToken"] = "far".into();
    let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
    client.result("tools/call", params).await
}

#[tokio::test(flavor = "multi_thread")]
async fn flood_of_log_lines_and_notifications_is_cut() {
    // Its time is no matter here, and a slow machine takes more of it.
    let patient = Limits { cpu_ms_max: 60_000, deadline_ms: 60_000, ..limits() };
    let server = server(&["echo", "rogue"], patient).await;
    let client = server.client();
    for tool in ["chatter", "whisper", "report"] {
        let (result, _) = while_serving_neighbour(&server, call_with_progress(&client, tool)).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
    }
}

// Hostile components in the program as users start it: its log, and its memory afterwards.

/// Allowed growth of memory by one round: pages cached by the pool and the allocator.
const SLACK: u64 = 32 << 20;

async fn everything(client: &Client) {
    for (tool, limit) in LIMITED {
        assert_eq!(client.failure(tool, json!({})).await["data"]["limit"], limit, "{tool}");
    }
    for tool in BROKEN {
        assert_eq!(client.failure(tool, json!({})).await["error"], "internal_error", "{tool}");
    }
    for tool in ["chatter", "whisper", "report"] {
        call_with_progress(client, tool).await;
    }
    client.failure("fill", json!({})).await;
    client.output("clear", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_names_each_limit_and_memory_returns_to_its_level() {
    let folders = Folders::new();
    for name in ["echo", "rogue", "saboteur"] {
        folders.put(name, &component_bytes(name));
    }
    let home = folders.components().parent().unwrap().to_owned();
    let config = home.join("madoguchi.toml");
    let text = "[limits]\ncpu_ms_max = 300\ndatabase_bytes_max = 8388608\nmemory_bytes_max = 201326592\n\
                [components.saboteur]\ngrants = [\"sql\"]\n";
    fs::write(&config, text).unwrap();
    let log = home.join("log");
    let mut command = command(&folders);
    command.arg("--config").arg(&config).args(["--addr", "127.0.0.1:0", "--components"]);
    command.arg(folders.components());
    let process = Process::logging(command, File::create(&log).unwrap());
    let client = Client::new(&process.url);

    client.output("echo", json!({ "value": {} })).await;
    let before = process.resident_bytes();
    everything(&client).await;
    let text = fs::read_to_string(&log).unwrap();
    let limits = LIMITED.iter().map(|(_, limit)| *limit);
    for limit in limits.chain(["log_bytes_max", "progress_max"]) {
        assert!(text.contains(limit), "{limit} is not in the log");
    }
    assert!(text.contains("broke its contract"), "what was broken is not in the log");
    assert!(text.contains("as promised"), "the reason of the trap is not in the log");

    everything(&client).await;
    let Some(before) = before else { return };
    let mut after = u64::MAX;
    // Pages go back to the system in their own time, those of threads at their end; a call now and then
    // lets them.
    for _ in 0..1_000 {
        client.output("echo", json!({ "value": {} })).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
        after = process.resident_bytes().unwrap_or(after);
        if after <= before + SLACK {
            return;
        }
    }
    panic!("{} MiB before, {} MiB after", before >> 20, after >> 20);
}

// Bad input of any kind gets an error with its remedy, limits of calls are named, and the server keeps serving.

fn modern(method: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
    ]
}

async fn alive(client: &Client) {
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

#[tokio::test]
async fn malformed_json_is_an_error_on_every_surface() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for body in ["{", "", "[1,", "\u{0}", "{\"jsonrpc\":\"2.0\"}", "42"] {
        let mcp = client.post("/mcp", &modern("tools/call"), body).await;
        assert_eq!(mcp.status(), StatusCode::BAD_REQUEST, "{body:?}");
        let mcp: Value = mcp.json().await.unwrap();
        let code = mcp["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{body:?}: {mcp}");
        let rpc: Value = client.post("/rpc", &[], body).await.json().await.unwrap();
        let code = rpc["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{body:?}: {rpc}");
    }
    alive(&client).await;
}

/// What a client of a session sends.
const ACCEPTS: (&str, &str) = ("accept", "application/json, text/event-stream");

#[tokio::test]
async fn error_names_the_wrong_part_of_a_message() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for (body, part) in [
        (json!({ "id": 7, "method": "ping" }), "jsonrpc"),
        (json!({ "jsonrpc": "1.0", "id": 7, "method": "ping" }), "jsonrpc"),
        (json!({ "jsonrpc": "2.0", "id": 7 }), "method"),
        (json!({ "jsonrpc": "2.0", "id": 7, "method": 1 }), "method"),
        (json!({ "jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1] }), "params"),
    ] {
        let refused = client.post("/mcp", &modern("ping"), body.to_string()).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{body}");
        let refused: Value = refused.json().await.unwrap();
        let error = &refused["error"];
        assert_eq!((&refused["id"], &error["code"]), (&json!(7), &json!(-32600)), "{body}");
        assert!(error["message"].as_str().unwrap().starts_with(part), "{body}: {refused}");
    }
    for params in [json!([]), json!(5), json!("x")] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": params });
        let rpc: Value = client.post("/rpc", &[], body.to_string()).await.json().await.unwrap();
        assert_eq!(rpc["error"]["code"], -32602, "{rpc}");
        assert!(rpc["error"]["message"].as_str().unwrap().starts_with("params must be"), "{rpc}");
    }
    let session = LegacySession::open(&server.url()).await;
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let (status, answer) = client.request(method, json!({ "cursor": 5 })).await;
        assert_eq!((status, &answer["error"]["code"]), (StatusCode::OK, &json!(-32602)));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("cursor: "), "{answer}");
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "cursor": 5 } });
        let headers = [ACCEPTS, ("mcp-session-id", "gone")];
        let refused = client.post("/mcp", &headers, body.to_string()).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "the session comes first");
        // Once it is answered, its id is free.
        for _ in 0..8 {
            let refused: Value = session.post(body.clone()).await.json().await.unwrap();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32602)));
        }
    }
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params });
    let refused = client.post("/mcp", &[ACCEPTS], body.to_string()).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let refused: Value = refused.json().await.unwrap();
    let error = &refused["error"];
    assert_eq!((&refused["id"], &error["code"]), (&json!(7), &json!(-32602)), "{refused}");
    assert!(error["message"].as_str().unwrap().contains("clientInfo is missing"), "{refused}");
    alive(&client).await;
}

#[tokio::test]
async fn unknown_tool_is_a_protocol_error_naming_the_closest_match() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, answer) =
        client.request("tools/call", json!({ "name": "ecko", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("echo"), "{answer}");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ecko", "params": {} });
    let rpc: Value = client.post("/rpc", &[], body.to_string()).await.json().await.unwrap();
    assert_eq!(rpc["error"]["code"], -32601, "{rpc}");
    let (_, answer) = client.request("tools/call", json!({ "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let (_, answer) =
        client.request("tools/call", json!({ "name": "echo", "arguments": [1] })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    alive(&client).await;
}

#[tokio::test]
async fn refuses_ten_megabyte_body_without_reading_it_through() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let huge = format!("{{\"value\":\"{}\"}}", "x".repeat(10 << 20));
    for path in ["/mcp", "/rpc"] {
        let response = client.post(path, &modern("tools/call"), huge.clone()).await;
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        let answer: Value = response.json().await.unwrap();
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("body_bytes_max"),
            "{answer}"
        );
    }
    alive(&client).await;
}

/// The same bytes would be taken for JSON that is not well-formed, or be kept as a file of another kind.
#[tokio::test]
async fn compressed_body_is_refused_with_the_remedy() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for path in ["/mcp", "/rpc", "/api/blobs"] {
        let headers = [("content-encoding", "gzip"), modern("tools/call")[0]];
        let refused = client.post(path, &headers, "\u{1f}").await;
        assert_eq!(refused.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        assert_eq!(refused.headers()["accept-encoding"], "identity", "{path}");
        let text = refused.text().await.unwrap();
        assert!(text.contains("without Content-Encoding"), "{path}: {text}");
    }
    let plain = client.post("/rpc", &[("content-encoding", "identity")], "42").await;
    assert_eq!(plain.status(), StatusCode::OK);
    alive(&client).await;
}

#[tokio::test]
async fn client_that_accepts_everything_is_answered() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for (accept, status) in [
        ("*/*", StatusCode::OK),
        ("application/json, text/plain, */*;q=0.5", StatusCode::OK),
        ("text/html", StatusCode::NOT_ACCEPTABLE),
        ("application/json", StatusCode::NOT_ACCEPTABLE),
    ] {
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "a", "version": "1" },
        } });
        let answer = client.post("/mcp", &[("accept", accept)], initialize.to_string()).await;
        assert_eq!(answer.status(), status, "{accept}");
    }
}

#[tokio::test]
async fn rejects_foreign_page_and_foreign_host_name() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    for header in [("origin", "http://evil.example"), ("host", "evil.example")] {
        for path in ["/rpc", "/mcp"] {
            let response = client.post(path, &[header], body.to_string()).await;
            assert_eq!(response.status(), StatusCode::FORBIDDEN, "{header:?} {path}");
        }
    }
    let own = server.url();
    let response = client.post("/rpc", &[("origin", own.as_str())], body.to_string()).await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn corrupt_file_does_not_stop_the_start() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    folders.put("corrupt", b"\0asm and then nothing");
    let server = TestServer::start(folders, |_| {}).await;
    alive(&server.client()).await;
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    let error = health["components"]["corrupt"]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("not a WebAssembly component"), "{error}");
}

#[tokio::test]
async fn batch_is_answered_and_notification_is_not() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let one = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": { "value": {} } });
    let batch = json!([one(json!(1)), one(json!("two"))]).to_string();
    let answers: Value = client.post("/rpc", &[], batch).await.json().await.unwrap();
    assert_eq!(answers[1]["id"], "two");
    let silent = json!({ "jsonrpc": "2.0", "method": "echo", "params": { "value": {} } });
    let response = client.post("/rpc", &[], silent.to_string()).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
}

// Limits of calls over the wire: each is named to the caller, and a neighbour is served meanwhile.

async fn server_with(limits: Limits) -> TestServer {
    let folders = Folders::new();
    for name in ["echo", "rogue"] {
        folders.put(name, &component_bytes(name));
    }
    TestServer::start(folders, |config| config.limits = limits).await
}

#[tokio::test(flavor = "multi_thread")]
async fn call_beyond_the_queue_is_answered_busy_at_once() {
    let (calls_max, queue_max, deadline_ms) = (1, 0, 600_000);
    let limits =
        Limits { calls_max, queue_max, deadline_ms, cpu_ms_max: 60_000, ..Limits::default() };
    let server = server_with(limits).await;
    let slow = server.client();
    let slow =
        tokio::spawn(async move { slow.call("count_slowly", json!({ "steps": 8000 })).await });
    server.is_running("echo", 1).await;
    let failure = server.client().failure("echo", json!({ "value": {} })).await;
    assert!(!slow.is_finished(), "the only place is taken");
    assert_eq!((&failure["error"], &failure["status"]), (&json!("busy"), &json!(503)));
    assert!(failure["data"]["retry_after_ms"].is_u64(), "{failure}");
    assert_eq!(slow.await.unwrap()["structuredContent"]["counted"], 8000);
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_beyond_its_deadline_is_stopped_and_the_limit_is_named() {
    // Loading has that time as well, so it is one in which a busy machine loads them; the call takes far longer.
    let limits = Limits { deadline_ms: 2_000, cpu_ms_max: 60_000, ..Limits::default() };
    let server = server_with(limits).await;
    let failure = server.client().failure("count_slowly", json!({ "steps": 20_000 })).await;
    assert_eq!(failure["data"]["limit"], "deadline_ms", "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("[components.echo.limits]"), "it says who can mend it: {message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbour_and_health_are_served_while_guests_spin() {
    // They spin until their clients go: a neighbour that waits for one of them waits in vain.
    let server =
        server_with(Limits { cpu_ms_max: 600_000, deadline_ms: 600_000, ..Limits::default() })
            .await;
    let spinners: Vec<_> = (0..8)
        .map(|_| {
            let client = server.client();
            tokio::spawn(async move { client.failure("spin", json!({})).await })
        })
        .collect();
    server.is_running("rogue", 8).await;
    let served = async {
        for _ in 0..20 {
            server.client().output("echo", json!({ "value": {} })).await;
            assert_eq!(server.client().get("/api/health").await.status(), 200);
        }
    };
    tokio::time::timeout(tests::PATIENCE, served).await.expect("the neighbour is served");
    for spinner in spinners {
        assert!(!spinner.is_finished(), "they spin all the while");
        spinner.abort();
    }
    let running = || server.server().calls.watch.metrics.component("rogue").running;
    tests::until("they end with their clients", async || running() == 0).await;
}
