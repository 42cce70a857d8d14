//! The operator's listener, its commands and its reports: authorized by token, and available under full load.

use std::fs;

use host::{
    OperatorKey,
    config::{ServerConfig, TokenConfig},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    component, component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    process::{Process, command, output},
    rebuilt,
    server::{Folders, Operator, TestServer},
};

use super::servers::{is_gone, is_offered, modern::Modern};

fn operator(server: &TestServer) -> Operator {
    Operator::of(&server.folders.data())
}

#[tokio::test(flavor = "multi_thread")]
async fn admits_no_caller_without_token_with_wrong_one_or_from_a_page() {
    let server = TestServer::with(&["echo"]).await;
    let operator = operator(&server);
    let get = async |headers: &[(&str, &str)]| {
        let (status, body) = operator.send_as(Method::GET, "components", "", headers).await;
        assert!(!body.to_string().contains(&operator.token), "no answer tells the token");
        assert!(status.is_success() || body["message"].is_string(), "{body}");
        status
    };
    let right = format!("Bearer {}", operator.token);
    assert_eq!(get(&[]).await, StatusCode::UNAUTHORIZED);
    assert_eq!(get(&[("authorization", "Bearer wrong")]).await, StatusCode::UNAUTHORIZED);
    let page = [("authorization", &*right), ("origin", &*operator.url)];
    assert_eq!(get(&page).await, StatusCode::FORBIDDEN);
    let foreign = [("authorization", &*right), ("host", "evil.example")];
    assert_eq!(get(&foreign).await, StatusCode::FORBIDDEN);
    assert_eq!(get(&[("authorization", &right)]).await, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_endpoints_are_not_served_to_the_public() {
    let server = TestServer::with(&["echo"]).await;
    let token = format!("Bearer {}", operator(&server).token);
    let headers = [("authorization", &*token)];
    let client = server.client();
    for path in ["components/echo/rollback", "components/echo/accept", "call"] {
        let answer = client.post(&format!("/operator/{path}"), &headers, "{}").await;
        assert!(!answer.status().is_success(), "{path}: {}", answer.status());
    }
    let listed = client.get("/operator/components").await;
    let text = listed.text().await.unwrap();
    assert!(!text.contains("generations"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_key_is_private_and_removed_at_the_stop() {
    let mut server = TestServer::with(&["echo"]).await;
    let file = server.folders.data().join("operator.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let first = operator(&server).token;
    server.restart().await;
    assert_ne!(operator(&server).token, first, "each start has its own");
    server.stop().await;
    assert!(OperatorKey::read(&server.folders.data()).unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_listener_can_be_turned_off() {
    let folders = Folders::new();
    let server = TestServer::start(folders, |config| config.operator_addr = None).await;
    assert!(OperatorKey::read(&server.folders.data()).unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn components_are_loaded_listed_rolled_back_and_unloaded() {
    let server = TestServer::with(&["echo"]).await;
    let operator = operator(&server);
    let second = rebuilt(&component_bytes("echo"), 2);
    let (status, report) = operator.send(Method::POST, "components/echo", second.clone()).await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(2)), "{report}");
    assert_eq!(fs::read(server.file("echo")).unwrap(), second);
    let (_, listed) = operator.send(Method::GET, "components", "").await;
    assert_eq!(listed["components"][0]["generations"][0]["status"], "replaced");
    let (_, report) = operator.send(Method::POST, "components/echo/rollback", "").await;
    assert_eq!(report["generation"], 1);
    let to = json!({ "to": 2 }).to_string();
    let (_, report) = operator.send(Method::POST, "components/echo/rollback", to.clone()).await;
    assert_eq!(report["generation"], 2);
    let (status, error) = operator.send(Method::POST, "components/echo/rollback", to).await;
    assert_eq!((status, &error["error"]), (StatusCode::CONFLICT, &json!("serves_already")));
    let (status, error) = operator.send(Method::POST, "components/echo", "garbage").await;
    assert_eq!((status, &error["error"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("refused")));
    let (status, _) = operator.send(Method::DELETE, "components/echo", "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(server.client().tools().await.is_empty());
    let (status, error) = operator.send(Method::GET, "components/nobody", "").await;
    assert_eq!((status, &error["status"]), (StatusCode::NOT_FOUND, &json!(404)));
    let (status, _) = operator.send(Method::GET, "nowhere", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_called_as_the_operator() {
    let server = TestServer::with(&["echo"]).await;
    let operator = operator(&server);
    let call = async |body: Value| operator.send(Method::POST, "call", body.to_string()).await;
    let (status, called) = call(json!({ "tool": "whoami", "arguments": {} })).await;
    assert_eq!((status, &called["output"]["principal"]), (StatusCode::OK, &json!("operator")));
    let (status, error) = call(json!({ "tool": "echo", "arguments": { "value": 1 } })).await;
    assert_eq!((status, &error["error"]), (StatusCode::BAD_REQUEST, &json!("invalid_params")));
    let (status, error) = call(json!({ "tool": "greet" })).await;
    assert_eq!((status, &error["error"]), (StatusCode::BAD_REQUEST, &json!("input_required")));
    let (status, _) = call(json!({ "tool": "nothing" })).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_commands_work_while_the_server_is_full() {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let server = TestServer::start(folders, |config| {
        config.limits.calls_max = 4;
        // Longer than any command takes: they end with their clients.
        config.limits.cpu_ms_max = 600_000;
        config.limits.deadline_ms = 600_000;
    })
    .await;
    let operator = operator(&server);
    operator.send(Method::POST, "components/shop", component_bytes("rogue")).await;
    let client = server.client();
    let spins: Vec<_> = (0..12)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.failure("spin", json!({})).await })
        })
        .collect();
    server.is_running("shop", 4).await;
    let (status, _) = operator.send(Method::GET, "components", "").await;
    assert_eq!(status, StatusCode::OK);
    let (status, report) = operator.send(Method::POST, "components/shop/rollback", "").await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(1)));
    assert!(spins.iter().all(|it| !it.is_finished()), "they spin while the operator is obeyed");
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
    for spin in spins {
        spin.abort();
    }
    let running = || server.server().calls.watch.metrics.component("shop").running;
    tests::until("they end with their clients", async || running() == 0).await;
    let (_, report) = operator.send(Method::GET, "components/shop", "").await;
    assert_eq!(report["generation"], 1, "calls of a version that is gone bring nothing back");
    assert_eq!(report["generations"][1]["status"], "rolled back");
}

/// Whether a command succeeded, and its standard output.
fn run_command(folders: &Folders, arguments: &[&str]) -> (bool, String) {
    let output = output(command(folders).args(arguments));
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn the_operators_commands_work_from_the_command_line() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let mut process = Process::start(&folders);
    let second = folders.data().join("second.wasm");
    fs::write(&second, rebuilt(&component_bytes("echo"), 2)).unwrap();
    let second = second.to_str().unwrap();
    assert_eq!(
        run_command(&folders, &["load", second, "--name", "echo"]),
        (true, "echo: generation 2 serves\n".to_owned())
    );
    let (_, table) = run_command(&folders, &["components"]);
    assert!(table.contains("COMPONENT") && table.contains("replaced"), "{table}");
    let (_, json) = run_command(&folders, &["components", "--json"]);
    let listed: Value = serde_json::from_str(&json).unwrap();
    let listed = listed["components"].as_array().unwrap();
    let echo = listed.iter().find(|it| it["name"] == "echo").unwrap();
    assert_eq!(echo["generation"], 2);
    let (_, rolled) = run_command(&folders, &["rollback", "echo"]);
    assert_eq!(rolled, "echo: generation 1 serves\n");
    assert!(run_command(&folders, &["rollback", "echo", "--to", "2"]).0);
    let (done, called) = run_command(&folders, &["call", "echo", r#"{"value":{"窓":1}}"#]);
    let called: Value = serde_json::from_str(&called).unwrap();
    assert_eq!((done, called), (true, json!({ "value": { "窓": 1 } })));
    let (done, refused) = run_command(&folders, &["call", "echo", r#"{"value":1}"#]);
    assert!(!done && refused.contains("invalid_params"), "{refused}");
    let (done, place) = run_command(&folders, &["operator"]);
    let token = OperatorKey::read(&folders.data()).unwrap().unwrap().token;
    assert!(done && place.ends_with(&format!("/#/operator?key={token}\n")), "{place}");
    assert!(place.starts_with("http://127.0.0.1:"), "{place}");
    let object = |text: &str| serde_json::from_str::<Value>(text).expect(text);
    let (_, report) = run_command(&folders, &["operator", "--json"]);
    assert_eq!(object(&report), json!({ "address": place.trim_end() }));
    let (done, nothing) = run_command(&folders, &["accept", "echo"]);
    assert!(!done && nothing.contains("no build of echo waits"), "{nothing}");
    let lending = component("lending");
    let (done, waits) = run_command(&folders, &["load", lending.to_str().unwrap()]);
    assert!(!done && waits.contains("madoguchi accept lending"), "{waits}");
    let (done, refused) = run_command(&folders, &["refuse", "lending"]);
    assert_eq!((done, &*refused), (true, "lending: the build that waited is refused\n"));
    run_command(&folders, &["load", lending.to_str().unwrap()]);
    let (done, shown) = run_command(&folders, &["accept", "lending", "--show"]);
    assert!(done && shown.contains("\n  it keeps") && !shown.contains("serves"), "{shown}");
    let (done, waits) = run_command(&folders, &["accept", "lending", "--show", "--json"]);
    let digest = host::digest::digest(&component_bytes("lending"));
    assert_eq!((done, &object(&waits)["digest"]), (true, &json!(digest)), "{waits}");
    let (done, accepted) = run_command(&folders, &["accept", "lending"]);
    assert!(done && accepted.ends_with("lending: generation 1 serves\n"), "{accepted}");
    let (_, granted) = run_command(&folders, &["grants", "lending"]);
    assert!(granted.contains("sql") && granted.contains("as the operator accepted"), "{granted}");
    let (is_good, checked) = run_command(&folders, &["check-config"]);
    assert!(is_good && !checked.contains("lending"), "{checked}");
    let rogue = component("rogue");
    let (done, loaded) = run_command(&folders, &["load", rogue.to_str().unwrap(), "--json"]);
    let loaded: Value = serde_json::from_str(&loaded).unwrap();
    assert_eq!((done, &loaded["name"], &loaded["generation"]), (true, &json!("rogue"), &json!(1)));
    assert!(run_command(&folders, &["unload", "rogue"]).0);
    let (done, audit) = run_command(&folders, &["audit", "--lines", "2"]);
    let lines: Vec<Value> = audit.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let found: Vec<_> = lines.iter().map(|it| (&it["principal"], &it["outcome"])).collect();
    let (operator, by) = (json!("operator"), [json!("done"), json!("invalid_params")]);
    assert_eq!((done, found), (true, vec![(&operator, &by[0]), (&operator, &by[1])]), "{audit}");
    process.signal();
    assert!(process.wait().success());
    let (done, unknown) = run_command(&folders, &["components"]);
    assert!(!done && unknown.contains("no server") && unknown.contains("--data"), "{unknown}");
}

// Reports for the operator: storage, settings, tokens, other servers, and one call's details; by HTTP and
// from the command line.

async fn get(operator: &Operator, path: &str) -> Value {
    let (status, body) = operator.send(Method::GET, path, "").await;
    assert_eq!(status, StatusCode::OK, "{path}: {body}");
    body
}

fn named<'a>(all: &'a Value, name: &str) -> &'a Value {
    let found = all.as_array().unwrap().iter().find(|it| it["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {all}"))
}

/// OPS-3
#[tokio::test(flavor = "multi_thread")]
async fn storage_shows_bytes_rows_and_limits_and_exports_a_table() {
    let folders = Folders::in_files();
    folders.put("cinema", &component_bytes("cinema"));
    let server = TestServer::start(folders, |_| {}).await;
    server.client().output("list_movies", json!({})).await;
    let operator = operator(&server);
    let storage = get(&operator, "storage").await;
    assert_eq!(storage["kind"], "sqlite");
    let cinema = named(&storage["databases"], "cinema");
    assert_eq!(cinema["limit_bytes"], 256 << 20);
    assert!(cinema["bytes"].as_u64().unwrap() > 4_096 && cinema["files"].as_u64().unwrap() >= 1);
    let tables = cinema["tables"].as_array().unwrap();
    let table = tables.iter().find(|it| it["rows"].as_u64() > Some(0)).unwrap();
    let (name, rows) = (table["name"].as_str().unwrap(), table["rows"].as_u64().unwrap());
    let body = json!({ "table": name }).to_string();
    let (status, lines) = operator.send(Method::POST, "components/cinema/export", body).await;
    let count = match &lines {
        // One line is JSON by itself.
        Value::String(lines) => lines.lines().count() as u64,
        _ => 1,
    };
    assert_eq!((status, count), (StatusCode::OK, rows));
    assert!(named(&storage["parts"], "audit")["limit_bytes"].is_u64());
    assert!(storage["bytes"].as_u64() >= cinema["bytes"].as_u64());
    let refused = async |path: &str, body: &str| {
        let (status, answer) = operator.send(Method::POST, path, body).await;
        (status.as_u16(), answer["error"].as_str().unwrap_or_default().to_owned())
    };
    let unknown = refused("components/cinema/export", r#"{"table":"nothing"}"#).await;
    assert_eq!(unknown, (404, "unknown_table".to_owned()));
    assert_eq!(refused("components/cinema/export", "{}").await.0, 400);
    assert_eq!(refused("components/cinema/export", r#"{"tables":1}"#).await.0, 400);
    for other in ["nobody", "..%2Fcinema", "%2e%2e%2fdatabases%2fcinema"] {
        let path = format!("components/{other}/export");
        assert_eq!(refused(&path, r#"{"table":"a"}"#).await.0, 404, "{other}");
    }
}

/// OPS-3: a token that may only look reads no rows of callers.
#[tokio::test(flavor = "multi_thread")]
async fn read_only_operator_cannot_export_or_reconnect() {
    let token = |scopes: &str, sha256: &str| -> TokenConfig {
        toml::from_str(&format!("scopes = {scopes}\nsha256 = \"{sha256}\"")).unwrap()
    };
    let digest = host::digest::digest(b"mdg_looks");
    let server = TestServer::start(Folders::new(), |config| {
        let scopes = r#"["operator", "read-only"]"#;
        config.tokens.insert("looks".to_owned(), token(scopes, &digest));
    })
    .await;
    let client = server.client_with("mdg_looks");
    let tokens: Value = client.get("/api/operator/tokens").await.json().await.unwrap();
    let own = named(&tokens["tokens"], "looks");
    assert_eq!(own["scopes"], json!(["operator", "read-only"]));
    assert!(!tokens.to_string().contains(&digest), "{tokens}");
    for path in ["components/a/export", "servers/a/reconnect", "backup"] {
        let answer = client.post(&format!("/api/operator/{path}"), &[], "{}").await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path}");
    }
    let packed = client.post("/api/operator/backup", &[("content-encoding", "gzip")], "{}").await;
    assert_eq!(packed.status(), 415, "no operator's body is unpacked either");
    assert_eq!(server.client().get("/api/operator/settings").await.status(), 401);
}

/// OPS-6
#[tokio::test(flavor = "multi_thread")]
async fn call_details_show_each_part_with_its_limit() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let (client, operator) = (server.client(), operator(&server));
    client.output("list_movies", json!({})).await;
    let show = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let booked = json!({ "user_id": "a", "showtime_id": show, "seat_ids": [seat] });
    client.output("reserve_seats", booked).await;
    let audit = get(&operator, "audit?lines=40").await;
    let line = |tool: &str| {
        let lines = audit["lines"].as_array().unwrap().iter();
        let number = lines.rev().find(|it| it["tool"] == tool).map(|it| it["call"].clone());
        number.unwrap_or_else(|| panic!("no {tool} in {audit}"))
    };
    let call = get(&operator, &format!("calls/{}", line("list_movies"))).await;
    let round = &call["rounds"][0];
    let facts = [&round["name"], &round["component"], &round["outcome"], &round["generation"]];
    assert_eq!(facts, [&json!("list_movies"), &json!("cinema"), &json!("done"), &json!(1)]);
    let parts = round["parts"].as_array().unwrap();
    let parts: Vec<_> = parts.iter().map(|it| it["what"].as_str().unwrap()).collect();
    for part in ["instantiate", "sql query", "round"] {
        assert!(parts.contains(&part), "{parts:?}");
    }
    let booked = get(&operator, &format!("calls/{}", line("reserve_seats"))).await;
    let parts = booked["rounds"][0]["parts"].as_array().unwrap();
    for part in ["sql transact", "event publish"] {
        assert!(parts.iter().any(|it| it["what"] == part), "{parts:?}");
    }
    let measured = round["measured"].as_array().unwrap();
    let memory = measured.iter().find(|it| it["limit"] == "memory_bytes_max").unwrap();
    assert_eq!(memory["max"], 64 << 20);
    assert!(memory["used"].as_u64().unwrap() >= 64 << 10, "{memory}");
    assert!(measured.iter().any(|it| it["limit"] == "deadline_ms" && it["max"] == 30_000));
    for (number, status) in [("999999", 404), ("x", 400), ("-1", 400)] {
        let (found, _) = operator.send(Method::GET, &format!("calls/{number}"), "").await;
        assert_eq!(found.as_u16(), status, "{number}");
    }
}

/// OPS-2
#[tokio::test(flavor = "multi_thread")]
async fn recovered_server_reconnects_at_operators_request() {
    let mut modern = Modern::start();
    let entry = format!("url = \"{}?key=s3cret\"\nretry_base_ms = 60000", modern.url());
    let entry: ServerConfig = toml::from_str(&entry).unwrap();
    let server = TestServer::start(Folders::new(), |config| {
        config.servers.insert("other".to_owned(), entry);
    })
    .await;
    let operator = operator(&server);
    let report = async || get(&operator, "servers").await["servers"][0].clone();
    let tool = loop {
        if let Some(tool) = report().await["tools"][0].as_str() {
            break tool.to_owned();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    let there = report().await;
    assert_eq!((&there["status"], &there["last_error"]), (&json!("running"), &Value::Null));
    let address = there["address"].as_str().unwrap();
    assert!(address.starts_with("http://127.0.0.1:") && !address.contains("s3cret"), "{address}");
    modern.kill();
    is_gone(&server, &tool).await;
    modern.revive();
    // By itself it would be tried in a minute.
    let (status, answer) = operator.send(Method::POST, "servers/other/reconnect", "").await;
    assert_eq!((status, &answer["reconnecting"]), (StatusCode::OK, &json!(true)));
    is_offered(&server, &tool).await;
    let back = report().await;
    assert!(back["error"].is_null() && back["last_error"].is_string(), "{back}");
    let (status, answer) = operator.send(Method::POST, "servers/none/reconnect", "").await;
    assert_eq!((status, &answer["error"]), (StatusCode::NOT_FOUND, &json!("unknown_server")));
}

/// OPS-3, OPS-4, OPS-6
#[test]
fn command_line_shows_storage_settings_and_a_call() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let mut process = Process::start(&folders);
    let (done, output) = run_command(&folders, &["storage"]);
    assert!(
        done && output.contains("database cinema") && output.contains("madoguchi backup"),
        "{output}"
    );
    let (done, output) = run_command(&folders, &["settings", "limits.deadline"]);
    assert_eq!((done, &*output), (true, "limits.deadline_ms = 30000  (by default)\n"));
    let (done, output) = run_command(&folders, &["settings", "limits.deadline", "--json"]);
    let report: Value = serde_json::from_str(&output).expect(&output);
    assert_eq!((done, report["settings"].as_array().map(Vec::len)), (true, Some(1)), "{output}");
    let (done, output) = run_command(&folders, &["settings", "limit.deadline"]);
    assert!(!done && output.contains("no setting's name begins"), "{output}");
    let (_, output) = run_command(&folders, &["settings", "data"]);
    assert!(output.contains("MADOGUCHI_DATA") || output.contains("--data"), "{output}");
    assert!(run_command(&folders, &["call", "list_movies"]).0);
    let (_, audit) = run_command(&folders, &["audit", "--lines", "1"]);
    let line: Value = serde_json::from_str(&audit).unwrap();
    let (done, output) = run_command(&folders, &["audit", "--call", &line["call"].to_string()]);
    assert!(done && output.contains("instantiate") && output.contains("cpu_ms_max: "), "{output}");
    let (done, output) =
        run_command(&folders, &["audit", "--json", "--call", &line["call"].to_string()]);
    let report: Value = serde_json::from_str(&output).expect(&output);
    assert_eq!((done, &report["rounds"][0]["call"]), (true, &line["call"]), "{output}");
    let (done, output) = run_command(&folders, &["audit", "--call", "999999"]);
    assert!(!done && output.contains("nothing is kept"), "{output}");
    let (done, output) = run_command(&folders, &["servers", "--reconnect", "nobody"]);
    assert!(!done && output.contains("there is no server"), "{output}");
    process.signal();
    assert!(process.wait().success());
    assert!(fs::exists(folders.data()).unwrap());
}
