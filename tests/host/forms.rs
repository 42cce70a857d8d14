//! Look-ups of forms (FORM-49, FORM-50): the demo, and origins that the operator allows.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt;
use host::{Config, Server, clock::Clock, config::ComponentConfig};
use reqwest::Url;
use serde_json::{Value, json};
use tests::{
    PATIENCE,
    client::{Client, LegacySession, Listener},
    component_bytes,
    fake::Fake,
    forms,
    process::{Process, command, exported, output},
    server::{Folders, TestServer},
};

/// A server with the forms and these lines of configuration.
async fn serving(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// A server whose forms may look up at this host.
async fn asking(fake: &Fake, lines: &str) -> TestServer {
    serving(&format!("{}{lines}", entry(fake))).await
}

/// The configuration entry that allows it.
fn entry(fake: &Fake) -> String {
    format!(
        "[[components.forms.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {}\nprivate = true\n",
        fake.port
    )
}

/// The status and body of `GET /api/form/lookup?url=…`.
async fn look_up(client: &Client, url: &str) -> (u16, Value) {
    get(client, &path_to(url)).await
}

/// The path and query of that.
fn path_to(url: &str) -> String {
    let mut whole = Url::parse("http://here.invalid/api/form/lookup").unwrap();
    whole.query_pairs_mut().append_pair("url", url);
    whole.as_str().replace("http://here.invalid", "")
}

async fn get(client: &Client, path: &str) -> (u16, Value) {
    let response = client.get(path).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

fn people() -> Value {
    json!([{ "id": 1, "name": "花子" }])
}

// The demo's look-ups, by its own path and by the origin of the specification's examples.

#[tokio::test(flavor = "multi_thread")]
async fn sample_origin_and_own_path_answer_alike() {
    let server = serving("").await;
    let client = server.client();
    for path in [
        "users/search?q=%E4%BD%90%E8%97%A4&limit=3",
        "projects/search?q=api",
        "categories",
        "countries",
        "prefectures?country_code=JP",
        "cities?prefecture_code=13",
    ] {
        let (status, direct) = get(&client, &format!("/api/demo/{path}")).await;
        assert_eq!(status, 200, "{path}: {direct}");
        assert!(!direct.as_array().unwrap().is_empty(), "{path}");
        for url in [format!("https://api.example.com/{path}"), format!("/api/demo/{path}")] {
            assert_eq!(look_up(&client, &url).await, (200, direct.clone()), "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_finds_people_with_the_specified_fields() {
    let server = serving("").await;
    let (_, found) = get(&server.client(), "/api/demo/users/search?q=sat%C5%8D&limit=2").await;
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 2);
    for member in ["id", "name", "email", "department"] {
        assert!(found.iter().all(|it| it[member].is_string()), "{member}: {found:?}");
    }
}

/// The refusal names the page's own look-up.
#[tokio::test(flavor = "multi_thread")]
async fn returns_not_found_off_the_demo_naming_the_direct_address() {
    let server = serving("").await;
    let client = server.client();
    let (status, refused) = get(&client, "/api/demo/cities").await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_params")), "{refused}");
    assert_eq!(get(&client, "/api/demo/nothing").await.0, 404);
    assert_eq!(look_up(&client, "https://api.example.com/nothing").await.0, 404);
    for own in ["/api/health", "/api/demo/../blobs/x", "/mcp"] {
        let (status, refused) = look_up(&client, own).await;
        assert_eq!((status, &refused["error"]), (400, &json!("lookup_not_elsewhere")), "{own}");
        assert!(refused["message"].as_str().unwrap().contains("directly"), "{refused}");
    }
    for wrong in ["", "people", "ftp://a.example/", "https://me:word@a.example/"] {
        let (status, refused) = look_up(&client, wrong).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_params")), "{wrong}");
        assert!(!refused.to_string().contains("word"), "{refused}");
    }
    assert_eq!(get(&client, "/api/form/lookup").await.0, 400, "of what?");
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_people_replace_the_demo_ones() {
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let own = json!([{ "id": 7, "name": "窓口 七子", "room": "R1" }]);
    let file = folders.components().join("users.json");
    fs::write(&file, own.to_string()).unwrap();
    let lines = format!("[components.forms.settings]\nusers = {{ file = {file:?} }}");
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let found = |found: (u16, Value)| found.1;
    assert_eq!(found(get(&server.client(), "/api/demo/users/search").await), own);
    assert_eq!(found(get(&server.client(), "/api/demo/users/search?q=suzuki").await), json!([]));
    // Other parts of the demo remain, including the sample's origin.
    let (status, _) = look_up(&server.client(), "https://api.example.com/categories").await;
    assert_eq!(status, 200);
}

/// The built-in lists do not stand in for it.
#[tokio::test(flavor = "multi_thread")]
async fn reports_where_operators_list_is_invalid_and_uses_no_fallback() {
    let lines = "[components.forms.settings]\nusers = [{ id = 1, name = 'A' }, { id = 2 }]\n\
        origins = { 'api.example.com' = 'demo' }\n";
    let server = serving(lines).await;
    let (_, health) = get(&server.client(), "/api/health").await;
    let text = health["components"]["forms"]["error"].as_str().unwrap();
    assert!(text.contains("/users/1/name"), "{text}");
    assert!(text.contains("/origins/api.example.com"), "{text}");
    let (status, refused) = get(&server.client(), "/api/demo/users/search").await;
    assert_eq!(status, 503, "{refused}");
    assert_eq!(refused["error"], "settings_refused", "{refused}");
}

// Allowed origins of look-ups: only those that the operator names.

#[tokio::test(flavor = "multi_thread")]
async fn asks_an_origin_from_the_environment_but_not_its_neighbour() {
    let (fake, other) = (Fake::start().await, Fake::start().await);
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.env("FORM_LOOKUP_ALLOW", format!("https://directory.example, {}", fake.url("")));
    let process = Process::from(command);
    let client = Client::new(&process.url);
    assert_eq!(look_up(&client, &fake.url("/json")).await, (200, people()));
    let (status, refused) = look_up(&client, &other.url("/json")).await;
    assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{refused}");
    assert!(other.received().is_empty(), "it was not even asked");
}

#[test]
fn names_invalid_environment_origin_and_ends_the_start() {
    let folders = Folders::new();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.env("FORM_LOOKUP_ALLOW", "https://directory.example,http://10.0.0.7:8000");
    let ended = output(&mut command);
    assert!(!ended.status.success());
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(text.contains("FORM_LOOKUP_ALLOW") && text.contains("http://10.0.0.7:8000"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_nothing_without_operators_entry_and_names_that_entry() {
    let fake = Fake::start().await;
    let server = serving("").await;
    let refused = async |url: &str| {
        let (status, refused) = look_up(&server.client(), url).await;
        assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{url}");
        refused["message"].as_str().unwrap().to_owned()
    };
    let message = refused("https://directory.example/people?q=a").await;
    assert!(message.contains("FORM_LOOKUP_ALLOW"), "{message}");
    let lines = "[[components.forms.http]]\nhost = \"directory.example\"\n";
    assert!(message.contains(lines) && !message.contains("people"), "{message}");
    for inside in [
        fake.url("/json"),
        fake.url("/json").replace("127.0.0.1", "localhost"),
        fake.url("/json").replace("127.0.0.1", "2130706433"),
        fake.url("/json").replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "https://169.254.169.254/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
    ] {
        refused(&inside).await;
    }
    assert!(fake.received().is_empty());
    // The remedy in the message works.
    let lines = format!("{}\n", entry(&fake));
    let server = serving(&lines).await;
    assert_eq!(look_up(&server.client(), &fake.url("/json")).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_granted_name_that_resolves_to_a_private_address() {
    let fake = Fake::start().await;
    let lines = format!(
        "[[components.forms.http]]\nhost = 'localhost'\nscheme = 'http'\nport = {}\n",
        fake.port
    );
    let server = serving(&lines).await;
    let url = fake.url("/json").replace("127.0.0.1", "localhost");
    let (status, refused) = look_up(&server.client(), &url).await;
    assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{refused}");
    assert!(fake.received().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn follows_redirect_within_what_is_allowed_and_never_inward() {
    let (fake, inner) = (Fake::start().await, Fake::start().await);
    let server = asking(&fake, "").await;
    let client = server.client();
    let redirect = |to: &str| fake.url(&format!("/redirect?to={to}"));
    assert_eq!(look_up(&client, &redirect("/json")).await, (200, people()));
    for inward in [inner.url("/json"), "http://169.254.169.254/latest/meta-data/".to_owned()] {
        let (status, refused) = look_up(&client, &redirect(&inward)).await;
        assert_eq!((status, &refused["error"]), (403, &json!("lookup_not_allowed")), "{refused}");
        let text = refused.to_string();
        assert!(!text.contains("169.254") && !text.contains(&inner.port.to_string()), "{text}");
    }
    assert!(inner.received().is_empty());
    for nowhere in ["file:///etc/passwd", "http://me:word@127.0.0.1/", "javascript:alert(1)"] {
        let (status, refused) = look_up(&client, &redirect(nowhere)).await;
        assert_eq!((status, &refused["error"]), (502, &json!("lookup_failed")), "{nowhere}");
    }
    // Round and round, and then no more.
    let before = fake.received().len();
    let (status, refused) = look_up(&client, &fake.url("/redirect?to=?to=?to=?to=?to=?to=x")).await;
    assert_eq!(status, 502, "{refused}");
    assert!(fake.received().len() - before <= 4, "{:?}", fake.received());
}

#[tokio::test(flavor = "multi_thread")]
async fn look_ups_send_nothing_of_the_caller() {
    let fake = Fake::start().await;
    let token = "mdg_may-look-things-up";
    let digest = host::digest::digest(token.as_bytes());
    let lines = format!("[tokens.me]\nsha256 = '{digest}'\nscopes = ['component:forms']\n");
    let server = asking(&fake, &lines).await;
    let client = server.client_with(token);
    let request = client.http(reqwest::Method::GET, &path_to(&fake.url("/json")));
    let request = request.header("cookie", "word=open").header("x-api-key", "sesame");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let [received] = &fake.received()[..] else { panic!("it is asked once") };
    for own in [token, "open", "sesame", "authorization", "cookie", &digest] {
        assert!(!received.to_lowercase().contains(own), "{own}: {received}");
    }
    assert!(received.to_lowercase().contains("accept: application/json"), "{received}");
    // And without a token nothing is looked up for any caller.
    assert_eq!(look_up(&server.client(), &fake.url("/json")).await.0, 401);
    assert_eq!(fake.received().len(), 1);
}

// Look-ups at other hosts: JSON only, within limits of time and size.

#[tokio::test(flavor = "multi_thread")]
async fn answer_is_requested_once_and_cached() {
    let fake = Fake::start().await;
    let mut server = asking(&fake, "").await;
    for url in [fake.url("/json?q=a"), fake.url("/json?q=a#part"), fake.url("/json?q=a")] {
        assert_eq!(look_up(&server.client(), &url).await, (200, people()), "{url}");
    }
    assert_eq!(fake.received().len(), 1, "one answer for all of them");
    assert_eq!(look_up(&server.client(), &fake.url("/json?q=b")).await.0, 200);
    assert_eq!(fake.received().len(), 2, "another question is asked");
    // Failures are not cached.
    for _ in 0..2 {
        assert_eq!(look_up(&server.client(), &fake.url("/gone")).await.0, 502);
    }
    assert_eq!(fake.received().len(), 4);
    server.stop().await;
    let kept = exported(&server.folders, "forms", "lookups");
    assert_eq!(kept.len(), 2, "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_is_cached_for_a_minute_and_then_dropped() {
    let fake = Fake::start().await;
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let config = folders.config_with(&entry(&fake));
    let now = Arc::new(Mutex::new(Duration::from_secs(1_800_000_000)));
    let server = Server::start_at(config.clone(), Clock::Fixed(now.clone())).await.unwrap();
    let client = Client::new(&format!("http://{}", server.addr.unwrap()));
    let asked = async |passed_s: u64| {
        *now.lock().unwrap() += Duration::from_secs(passed_s);
        assert_eq!(look_up(&client, &fake.url("/json")).await.0, 200);
        fake.received().len()
    };
    assert_eq!([asked(0).await, asked(59).await, asked(1).await, asked(59).await], [1, 1, 2, 2]);
    // An hour later its turn comes, and no caller asks.
    *now.lock().unwrap() += Duration::from_secs(3_600);
    server.stop().await;
    assert_eq!(exported(&folders, "forms", "lookups").len(), 1);
    let config = Config { components: scheduled(&config), ..config };
    let server = Server::start_at(config, Clock::Fixed(now)).await.unwrap();
    let swept = async {
        while !exported(&folders, "forms", "lookups").is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, swept).await.expect("it is swept");
    server.stop().await;
}

/// The same components, run every tenth of a second.
fn scheduled(config: &Config) -> BTreeMap<String, ComponentConfig> {
    let mut components = config.components.clone();
    components.get_mut("forms").unwrap().schedule_ms = Some(100);
    components
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_status_of_remote_failure_without_its_text() {
    let fake = Fake::start().await;
    let server = asking(&fake, "").await;
    let hasty = asking(&fake, "[components.forms.limits]\nhttp_timeout_ms = 3000\n").await;
    let client = server.client();
    for (path, expected) in [
        ("/gone", "answered with status 410"),
        ("/ok", "did not answer with JSON"),
        ("/endless", "answered with more than 1 MiB"),
        ("/never", "does not answer in time"),
    ] {
        // Only the one that never answers takes too long, however slow the machine is.
        let client = if path == "/never" { hasty.client() } else { server.client() };
        let (status, failed) = look_up(&client, &fake.url(path)).await;
        assert_eq!((status, &failed["error"]), (502, &json!("lookup_failed")), "{path}: {failed}");
        let message = failed["message"].as_str().unwrap();
        assert!(message.contains(expected), "{path}: {message}");
        let text = failed.to_string();
        assert!(
            !text.contains("inner") && !text.contains("fine") && !text.contains("aaaa"),
            "{text}"
        );
        assert!(!message.contains(path), "the path may be somebody's business: {message}");
    }
    let (_, gone) = look_up(&client, &fake.url("/gone")).await;
    assert_eq!(gone["data"]["status"], 410);
    let unknown = fake.url("/json").replace(&fake.port.to_string(), "1");
    assert_eq!(look_up(&client, &unknown).await.0, 403, "a port of its own is leave of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_host_is_reported_and_retried_later() {
    let gone = tests::free_addr().port();
    let lines = format!(
        "[[components.forms.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {gone}\nprivate = true\n"
    );
    let server = serving(&lines).await;
    let (status, failed) = look_up(&server.client(), &format!("http://127.0.0.1:{gone}/x")).await;
    assert_eq!((status, &failed["error"]), (502, &json!("lookup_failed")), "{failed}");
    assert!(failed["message"].as_str().unwrap().contains("cannot be reached"), "{failed}");
}

// Late answers: the handle is sent before clients time out, and an answer after that still counts.

fn flat_form() -> Value {
    forms::form(json!([{ "name": "place", "type": "text", "label": "Place", "required": true }]))
}

fn with_file() -> Value {
    forms::form(json!([
        { "name": "place", "type": "text", "label": "Place" },
        { "name": "paper", "type": "file", "label": "Paper" },
    ]))
}

/// Calls a tool of a session and listens to the response.
async fn call_streamed(session: &LegacySession, tool: &str, arguments: Value) -> Listener {
    let params = json!({ "name": tool, "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    Listener::of(session.post(call).await)
}

/// The handle in a result, which its text says, too.
fn handle(result: &Value) -> String {
    let handle =
        result["_meta"]["forms/form"]["handle"].as_str().unwrap_or_else(|| panic!("{result}"));
    let mut texts = result["content"].as_array().unwrap().iter();
    assert!(texts.any(|it| it["text"].as_str().is_some_and(|it| it.contains(handle))), "{result}");
    handle.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn late_answer_to_a_legacy_question_still_counts() {
    let server = serving("[sessions]\nquestion_wait_s = 1\n").await;
    let client = server.client();
    for (capability, form) in [("form", flat_form()), ("url", with_file())] {
        let capabilities = json!({ "elicitation": { capability: {} } });
        let session = LegacySession::open_with(&server.url(), capabilities).await;
        let mut listener =
            call_streamed(&session, "request_form", json!({ "form_schema": form })).await;
        let asked = listener.next(PATIENCE).await.unwrap();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let result = listener.next(PATIENCE).await.unwrap()["result"].clone();
        assert_eq!(result["structuredContent"]["status"], "waiting_for_input", "{result}");
        let handle = handle(&result);
        let content = match capability {
            "form" => json!({ "action": "accept", "content": { "place": "京都" } }),
            _ => json!({ "action": "decline" }),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": content });
        session.post(answer).await;
        let wait = json!({ "handle": handle, "timeout_seconds": 30 });
        let submission = client.output("get_form_submission", wait).await;
        match capability {
            "form" => assert_eq!(submission["values"], json!({ "place": "京都" }), "{submission}"),
            _ => assert_eq!(submission["status"], "declined", "{submission}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_answer_in_time_is_the_result() {
    let server = serving("").await;
    let capabilities = json!({ "elicitation": { "form": {} } });
    let session = LegacySession::open_with(&server.url(), capabilities).await;
    let mut listener =
        call_streamed(&session, "request_form", json!({ "form_schema": flat_form() })).await;
    let asked = listener.next(PATIENCE).await.unwrap();
    let content = json!({ "action": "accept", "content": { "place": "京都" } });
    session.post(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": content })).await;
    let result = listener.next(PATIENCE).await.unwrap()["result"].clone();
    assert_eq!(result["structuredContent"]["values"], json!({ "place": "京都" }), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_failing_to_ask_still_gets_the_form() {
    let server = serving("").await;
    let client = server.client();
    let capabilities = json!({ "elicitation": { "form": {} } });
    let session = LegacySession::open_with(&server.url(), capabilities).await;
    let mut listener =
        call_streamed(&session, "request_form", json!({ "form_schema": flat_form() })).await;
    let asked = listener.next(PATIENCE).await.unwrap();
    let error = json!({ "code": -32601, "message": "Method not found" });
    session.post(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
    let result = listener.next(PATIENCE).await.unwrap()["result"].clone();
    assert_eq!(result["structuredContent"]["status"], "waiting_for_input", "{result}");
    let values = json!({ "handle": handle(&result), "values": { "place": "奈良" } });
    client.output("submit_form", values).await;
    let wait = json!({ "handle": handle(&result), "timeout_seconds": 30 });
    let submission = client.output("get_form_submission", wait).await;
    assert_eq!(submission["values"], json!({ "place": "奈良" }), "{submission}");
}

/// The `_meta` of a client that opens addresses, and wants to know how a call gets on.
fn meta() -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": { "url": {} } });
    meta["progressToken"] = "p".into();
    meta
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_reports_the_address_before_the_wait() {
    let server = serving("").await;
    let client = server.client();
    let mut params = json!({
        "name": "request_form", "arguments": { "form_schema": with_file() }, "_meta": meta(),
    });
    let mut listener = client.stream("tools/call", params.clone()).await;
    let event = listener.next(PATIENCE).await.unwrap();
    assert_eq!(event["method"], "notifications/progress", "{event}");
    let text = event["params"]["message"].as_str().unwrap().to_owned();
    let asked = listener.next(PATIENCE).await.unwrap()["result"].clone();
    let url = asked["inputRequests"]["form"]["params"]["url"].as_str().unwrap();
    assert!(text.contains(url), "{text}");
    // The call waits for the page: the first that comes is again where the form is, and not the result.
    params["inputResponses"] = json!({ "form": { "action": "accept" } });
    params["requestState"] = asked["requestState"].clone();
    let mut listener = client.stream("tools/call", params).await;
    let event = listener.next(PATIENCE).await.unwrap();
    assert_eq!(event["method"], "notifications/progress", "{event}");
    let handle = url.rsplit('/').next().unwrap();
    let arguments = json!({ "handle": handle, "values": { "place": "奈良" } });
    client.output("submit_form", arguments).await;
    let result = loop {
        let message = listener.next(PATIENCE).await.unwrap();
        if message.get("result").is_some() {
            break message["result"].clone();
        }
    };
    assert_eq!(result["structuredContent"]["values"], json!({ "place": "奈良" }), "{result}");
}

/// On the fast path and on the SDK's, the headers are there while the call waits.
#[tokio::test(flavor = "multi_thread")]
async fn headers_and_comments_come_while_a_call_waits() {
    for fast_path in [true, false] {
        let folders = Folders::new();
        folders.put("forms", &component_bytes("forms"));
        let server = TestServer::start(folders, |it| it.fast_path = fast_path).await;
        let client = server.client();
        let asked = forms::ask(&client, &flat_form()).await;
        let arguments = json!({ "handle": asked.handle, "timeout_seconds": 45 });
        let params = json!({ "name": "get_form_submission", "arguments": arguments });
        let response = client.send("tools/call", params).await;
        let media = response.headers()["content-type"].to_str().unwrap();
        assert!(media.starts_with("text/event-stream"), "{fast_path}: {media}");
        let mut body = response.bytes_stream();
        let first = body.next().await.unwrap().unwrap();
        assert!(first.starts_with(b":"), "{fast_path}: {first:?}");
        let values = json!({ "handle": asked.handle, "values": { "place": "奈良" } });
        client.output("submit_form", values).await;
        let mut rest = Vec::new();
        while let Some(Ok(bytes)) = body.next().await {
            rest.extend(bytes);
        }
        let rest = String::from_utf8(rest).unwrap();
        assert!(rest.contains("submitted"), "{fast_path}: {rest}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn argument_errors_mention_no_rust_types() {
    let server = serving("").await;
    let client = server.client();
    let asked = forms::ask(&client, &flat_form()).await;
    for seconds in [json!(-1), json!("60"), json!(1.5), json!(5_000_000_000_u64), json!([])] {
        let arguments = json!({ "handle": asked.handle, "timeout_seconds": seconds });
        let failure = client.failure("get_form_submission", arguments.clone()).await;
        let message = failure["message"].as_str().unwrap();
        let range = "timeout_seconds must be an integer from 0 to 300, not ";
        assert!(message.starts_with(range), "{message}");
        let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": "get_form_submission", "params": arguments });
        let answer = client.post("/rpc", &[], rpc.to_string()).await.text().await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["message"], message, "{answer}");
    }
}
