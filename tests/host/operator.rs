//! The operator's listener and its commands: authorized by token, and available under full load.

use std::fs;

use host::OperatorKey;
use reqwest::{Method, StatusCode};
use serde_json::json;
use tests::{
    component, component_bytes,
    operator::Operator,
    process::{Process, command, output},
    rebuilt,
    server::{Folders, TestServer},
};

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
    let call =
        async |body: serde_json::Value| operator.send(Method::POST, "call", body.to_string()).await;
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
    let listed: serde_json::Value = serde_json::from_str(&json).unwrap();
    let listed = listed["components"].as_array().unwrap();
    let echo = listed.iter().find(|it| it["name"] == "echo").unwrap();
    assert_eq!(echo["generation"], 2);
    let (_, rolled) = run_command(&folders, &["rollback", "echo"]);
    assert_eq!(rolled, "echo: generation 1 serves\n");
    assert!(run_command(&folders, &["rollback", "echo", "--to", "2"]).0);
    let (done, called) = run_command(&folders, &["call", "echo", r#"{"value":{"窓":1}}"#]);
    let called: serde_json::Value = serde_json::from_str(&called).unwrap();
    assert_eq!((done, called), (true, json!({ "value": { "窓": 1 } })));
    let (done, refused) = run_command(&folders, &["call", "echo", r#"{"value":1}"#]);
    assert!(!done && refused.contains("invalid_params"), "{refused}");
    let (done, place) = run_command(&folders, &["operator"]);
    let token = OperatorKey::read(&folders.data()).unwrap().unwrap().token;
    assert!(done && place.ends_with(&format!("/#/operator?key={token}\n")), "{place}");
    assert!(place.starts_with("http://127.0.0.1:"), "{place}");
    let object = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect(text);
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
    let loaded: serde_json::Value = serde_json::from_str(&loaded).unwrap();
    assert_eq!((done, &loaded["name"], &loaded["generation"]), (true, &json!("rogue"), &json!(1)));
    assert!(run_command(&folders, &["unload", "rogue"]).0);
    let (done, audit) = run_command(&folders, &["audit", "--lines", "2"]);
    let lines: Vec<serde_json::Value> =
        audit.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let found: Vec<_> = lines.iter().map(|it| (&it["principal"], &it["outcome"])).collect();
    let (operator, by) = (json!("operator"), [json!("done"), json!("invalid_params")]);
    assert_eq!((done, found), (true, vec![(&operator, &by[0]), (&operator, &by[1])]), "{audit}");
    process.signal();
    assert!(process.wait().success());
    let (done, unknown) = run_command(&folders, &["components"]);
    assert!(!done && unknown.contains("no server") && unknown.contains("--data"), "{unknown}");
}
