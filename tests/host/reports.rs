//! Reports for the operator: storage, settings, tokens, other servers, and one call's details; by HTTP and
//! from the command line.

use std::fs;

use host::config::{ServerConfig, TokenConfig};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    component_bytes,
    operator::Operator,
    process::{Process, command, output},
    server::{Folders, TestServer},
};

use crate::servers::{is_gone, is_offered, modern::Modern};

fn operator(server: &TestServer) -> Operator {
    Operator::of(&server.folders.data())
}

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
    assert_eq!(server.client().get("/api/operator/settings").await.status(), 401);
}

/// OPS-6
#[tokio::test(flavor = "multi_thread")]
async fn call_details_show_each_part_with_its_limit() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let (client, operator) = (server.client(), operator(&server));
    client.output("list_movies", json!({})).await;
    let show = id(&showtimes(&client).await[0]);
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

fn run_command(folders: &Folders, arguments: &[&str]) -> (bool, String) {
    let output = output(command(folders).args(arguments));
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
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
