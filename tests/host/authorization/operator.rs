//! The operator on the public listener: by this start's key on this machine, or by a token with the
//! operator's scope; tokens on the command line.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Output, Stdio},
};

use host::OperatorKey;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, bare_command, command, output},
    rebuilt,
    server::{Folders, TestServer},
};

use super::{ANN, challenge, entry};

const OPAL: &str = "mdg_opal-looks-after-the-server";

const LOU: &str = "mdg_lou-looks-at-the-server";

fn key(server: &TestServer) -> OperatorKey {
    OperatorKey::read(&server.folders.data()).unwrap().unwrap()
}

async fn guarded(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let all = entry("ann", ANN, "'*'")
        + &entry("opal", OPAL, "'operator'")
        + &entry("lou", LOU, "'operator', 'read-only'");
    let config = folders.config_with(&format!("{lines}\n{all}"));
    TestServer::start(folders, |it| *it = config).await
}

async fn send(client: &Client, method: Method, path: &str, body: Vec<u8>) -> Response {
    let request = client.http(method, &format!("/api/operator/{path}")).body(body);
    request.send().await.unwrap()
}

async fn read(response: Response) -> (StatusCode, Value) {
    (response.status(), response.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_tokens_only_the_key_of_this_start_admits_operator() {
    let server = TestServer::with(&["echo"]).await;
    let paths = ["", "/", "/now", "/components", "/audit", "/metrics", "/nowhere"];
    for client in [server.client(), server.client_with("wrong")] {
        for path in paths {
            let answer = client.get(&format!("/api/operator{path}")).await;
            assert!(challenge(&answer).contains("scope=\"operator\""), "{path}");
            let (status, body) = read(answer).await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
            let message = body["message"].as_str().unwrap();
            assert!(message.contains("madoguchi operator") && message.contains("scope"), "{body}");
        }
        let second = rebuilt(&component_bytes("echo"), 2);
        let answer = send(&client, Method::POST, "components/echo", second).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    }
    let client = server.client_with(&key(&server).token);
    let (status, now) = read(client.get("/api/operator/now").await).await;
    assert_eq!((status, &now["serving"], &now["calls"]), (StatusCode::OK, &json!(1), &json!(0)));
    let second = rebuilt(&component_bytes("echo"), 2);
    let (status, report) =
        read(send(&client, Method::POST, "components/echo", second.clone()).await).await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(2)), "{report}");
    let (_, report) =
        read(send(&client, Method::POST, "components/echo/rollback", Vec::new()).await).await;
    assert_eq!(report["generation"], 1);
    let (status, body) = read(send(&client, Method::POST, "call", b"{}".to_vec()).await).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "tools are called as anybody calls them: {body}");
    assert!(body["message"].as_str().unwrap().contains("docs/operating.md"), "{body}");
    let (status, body) = read(send(&client, Method::PUT, "now", Vec::new()).await).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::METHOD_NOT_ALLOWED, &json!("method_not_allowed"))
    );
    assert!(!body.to_string().contains(&key(&server).token));
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_foreign_page_even_with_operator_key_but_admits_own() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client_with(&key(&server).token);
    let from = async |origin: &str| {
        let request = client.http(Method::GET, "/api/operator/components");
        request.header("origin", origin).send().await.unwrap().status()
    };
    assert_eq!(from(&server.url()).await, StatusCode::OK);
    assert_eq!(from("https://evil.example").await, StatusCode::FORBIDDEN);
    let foreign = client.http(Method::GET, "/api/operator/components");
    let foreign = foreign.header("host", "evil.example").send().await.unwrap();
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_key_works_only_on_this_machine() {
    let folders = Folders::new();
    let server = TestServer::start(folders, |config| {
        config.trusted_proxies = vec![std::net::IpAddr::from([127, 0, 0, 1]).into()];
    })
    .await;
    let client = server.client_with(&key(&server).token);
    let behind = async |address: &str| {
        let request = client.http(Method::GET, "/api/operator/now");
        request.header("x-forwarded-for", address).send().await.unwrap().status()
    };
    assert_eq!(behind("127.0.0.1").await, StatusCode::OK);
    assert_eq!(behind("192.0.2.1").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_scope_administers_server_and_wildcard_lacks_it() {
    let server = guarded("").await;
    let (ann, opal) = (server.client_with(ANN), server.client_with(OPAL));
    let answer = ann.get("/api/operator/components").await;
    assert!(challenge(&answer).contains("insufficient_scope"), "{}", challenge(&answer));
    let (status, body) = read(answer).await;
    assert_eq!((status, &body["scope"]), (StatusCode::FORBIDDEN, &json!("operator")), "{body}");
    let (status, listed) = read(opal.get("/api/operator/components").await).await;
    assert_eq!((status, &listed["components"][0]["name"]), (StatusCode::OK, &json!("echo")));
    assert!(opal.tools().await.is_empty(), "it is no leave to call tools");
    assert!(!ann.tools().await.is_empty());
    for (client, is_operator) in [(&ann, Value::Null), (&opal, json!(true))] {
        let (_, page) = read(client.get("/api/page").await).await;
        assert_eq!(page["isOperator"], is_operator);
    }
    let of_the_start = server.client_with(&key(&server).token);
    assert_eq!(of_the_start.get("/api/operator/now").await.status(), StatusCode::OK);
    assert_eq!(of_the_start.get("/api/health").await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_operator_views_and_changes_nothing() {
    let server = guarded("").await;
    let lou = server.client_with(LOU);
    for path in ["now", "components", "components/echo", "audit", "audit?lines=5&", "metrics"] {
        let status = lou.get(&format!("/api/operator/{path}")).await.status();
        assert_eq!(status, StatusCode::OK, "{path}");
    }
    let second = rebuilt(&component_bytes("echo"), 2);
    for (method, path, body) in [
        (Method::POST, "components/echo", second),
        (Method::DELETE, "components/echo", Vec::new()),
        (Method::POST, "components/echo/rollback", Vec::new()),
        (Method::POST, "components/echo/accept", Vec::new()),
        (Method::POST, "components/echo/refuse", Vec::new()),
    ] {
        let is_sent = !body.is_empty();
        let answer = send(&lou, method, path, body).await;
        let closes = answer.headers().get("connection").is_some_and(|it| it == "close");
        assert_eq!(closes, is_sent, "{path}: what is not read ends the connection, and says so");
        let (status, body) = read(answer).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}: {body}");
        assert!(body["message"].as_str().unwrap().contains("read-only"), "{body}");
    }
    assert_eq!(server.server().control.component("echo").unwrap().generation, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_loads_component_above_the_usual_body_limit() {
    let server = guarded("body_bytes_max = 65536").await;
    let opal = server.client_with(OPAL);
    let bytes = rebuilt(&component_bytes("echo"), 2);
    assert!(bytes.len() > 65_536);
    let (status, report) = read(send(&opal, Method::POST, "components/echo", bytes).await).await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(2)), "{report}");
    let too_large = vec![0; (64 << 20) + 1];
    let status = send(&opal, Method::POST, "components/echo", too_large).await.status();
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_gets_status_and_problems_of_the_server() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    folders.put("broken", b"no component");
    let server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    for _ in 0..3 {
        client.output("echo", json!({ "value": {} })).await;
    }
    client.failure("echo", json!({ "value": 1 })).await;
    let operator = server.client_with(&key(&server).token);
    let (_, now) = read(operator.get("/api/operator/now").await).await;
    let count = |name: &str| now[name].as_u64().unwrap_or_else(|| panic!("{name}: {now}"));
    assert_eq!((count("calls"), count("errors"), count("traps")), (4, 0, 0), "{now}");
    assert!(count("p99_us") >= count("p50_us") && count("p50_us") > 0, "{now}");
    assert_eq!((count("running"), count("queued"), count("waiting")), (0, 0, 0), "{now}");
    assert!(now["uptime_s"].as_f64().unwrap() > 0.0 && now["version"].is_string());
    assert_eq!(now["troubles"][0]["of"], "component", "{now}");
    assert_eq!(now["troubles"][0]["name"], "broken", "{now}");
}

// `madoguchi token`, and tokens in the output of other commands.

fn run(folders: &Folders, arguments: &[&str]) -> Output {
    output(bare_command(folders).args(arguments))
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn fresh_token_admits_who_pastes_its_lines_and_is_kept_nowhere() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let new = ["token", "new", "ci", "--scope", "tool:echo", "--scope", "tool:whoami"];
    let fresh = json_of(&run(&folders, &[&new[..], &["--expires", "90d", "--json"]].concat()));
    assert!(!folders.data().exists(), "nothing is written");
    let token = fresh["token"].as_str().unwrap();
    assert_eq!(fresh["sha256"], host::digest::digest(token.as_bytes()));
    let lines = fresh["configuration"].as_str().unwrap();
    assert!(!lines.contains(token) && lines.contains("expires = \""), "{lines}");

    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let path = file.to_str().unwrap();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--config", path, "--components"]);
    command.arg(folders.components());
    let process = Process::from(command);
    let client = Client::new(&process.url).with_token(token);
    let who = client.output("whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["scopes"][0]), (&json!("ci"), &json!("tool:echo")));
    let listed = json_of(&run(&folders, &["--config", path, "token", "list", "--json"]));
    assert_eq!(listed["ci"]["scopes"], json!(["tool:echo", "tool:whoami"]));
    assert!(listed["ci"]["expired"] == false && !listed.to_string().contains("sha256"));
    let again = run(&folders, &["--config", path, "token", "new", "ci"]);
    let text = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && text.contains("[tokens.ci] already"), "{text}");
}

#[test]
fn person_starting_the_process_needs_no_token_on_its_stdin() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.data().with_file_name("madoguchi.toml");
    let lines = entry("ann", ANN, "'*'");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let mut command = command(&folders);
    command.args(["--stdio", "--config"]).arg(&file).arg("--components").arg(folders.components());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    let params = json!({ "name": "whoami", "arguments": {}, "_meta": Client::meta() });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut input = process.stdin.take().unwrap();
    writeln!(input, "{call}").unwrap();
    let mut answer = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    drop(input);
    process.wait().unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["principal"], "stdio", "{answer}");
}

#[test]
fn prints_token_once_and_names_valid_arguments() {
    let folders = Folders::new();
    let output = run(&folders, &["token", "new", "ann"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("mdg_").count(), 1, "{text}");
    assert!(text.contains("[tokens.ann]\nsha256 = ") && text.contains("scopes = [\"*\"]"));
    for (arguments, expected) in [
        (vec!["ann", "--scope", "tools:echo"], "tool:NAME"),
        (vec!["ann", "--expires", "soon"], "90d"),
        (vec!["a b"], "A-Z"),
        (vec!["stdio"], "another name"),
    ] {
        let refused = run(&folders, &[&["token", "new"], &arguments[..]].concat());
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && text.contains(expected), "{arguments:?}: {text}");
        assert!(refused.stdout.is_empty(), "no token comes of it");
    }
    let past = run(&folders, &["token", "new", "ann", "--expires", "2020-01-01"]);
    assert!(String::from_utf8_lossy(&past.stderr).contains("expired already"), "{past:?}");
}

#[test]
fn check_config_names_the_line_of_each_mistake_in_tokens() {
    let folders = Folders::new();
    let digest = host::digest::digest(b"mdg_x");
    let text = format!(
        "bundled = false\nallowed_origins = ['*']\n[tokens.ann]\nsha256 = '{digest}'\n\
        scopes = ['tool:x', 'everything']\nexpires = '2020-01-01T00:00:00Z'\n\
        [tokens.ben]\nsha256 = '{digest}'\nscopes = ['component:nobody']\n"
    );
    let file = folders.components().join("madoguchi.toml");
    fs::write(&file, text).unwrap();
    let report = json_of(&run(&folders, &["check-config", file.to_str().unwrap(), "--json"]));
    let findings = report["findings"].as_array().unwrap();
    let found: Vec<_> = findings
        .iter()
        .map(|it| (it["about"].as_str().unwrap(), it["line"].as_u64().unwrap(), &it["is_problem"]))
        .collect();
    let (yes, no) = (&json!(true), &json!(false));
    let expected = [
        ("tokens.ann.scopes", 5, yes),
        ("tokens.ann.expires", 6, no),
        ("tokens.ben.sha256", 8, yes),
        ("allowed_origins", 2, yes),
        ("tokens.ben.scopes", 9, no),
    ];
    assert_eq!(found, expected, "{report}");
    assert!(!report.to_string().contains(&digest), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_made_listed_linked_and_removed_by_commands() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, "bundled = false\n[accounts]\nenabled = true\n").unwrap();
    let alone = run(&folders, &["account", "list"]);
    let text = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(!alone.status.success() && text.contains("no server"), "{text}");
    let serving = || {
        let mut program = command(&folders);
        program.args(["--addr", "127.0.0.1:0", "--config", file.to_str().unwrap()]);
        program.arg("--components").arg(folders.components());
        program
    };
    let mut process = Process::from(serving());
    let new = ["account", "new", "ann", "--scopes", "tool:echo,tool:whoami", "--json"];
    let made = json_of(&run(&folders, &new));
    let link = made["link"].as_str().unwrap();
    assert!(link.starts_with(&format!("{}/account/link/mdg_link_", process.url)), "{made}");
    let again = run(&folders, &new);
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && text.contains("account link NAME"), "{text}");
    for (wrong, why) in [
        (&["account", "new", "a b"][..], "the name of an account"),
        (&["account", "new", "operator"], "another name"),
        (&["account", "new", "ben", "--scopes", "everything"], "is not a scope"),
        (&["account", "link", "nobody"], "no such account"),
        (&["account", "scopes", "ann"], "which scopes?"),
        (&["account", "revoke", "ann", "0a"], "no such account or device"),
    ] {
        let refused = run(&folders, wrong);
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && text.contains(why), "{wrong:?}: {text}");
    }
    let shown = run(&folders, &["account", "link", "ann"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("it works once") && !shown.contains(link), "{shown}");
    let changed = run(&folders, &["account", "scopes", "ann", "--scopes", "component:echo"]);
    assert!(changed.status.success(), "{changed:?}");
    let listed = run(&folders, &["account", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("ann  component:echo  passkeys: 0"), "{listed}");
    // The answer is durable before the program ends.
    process.kill();
    let process = Process::from(serving());
    let kept = run(&folders, &["account", "list"]);
    assert_eq!(String::from_utf8_lossy(&kept.stdout), listed);
    assert!(run(&folders, &["account", "remove", "ann"]).status.success());
    let listed = json_of(&run(&folders, &["account", "list", "--json"]));
    assert_eq!(listed, json!({ "accounts": [] }));
    drop(process);
}
