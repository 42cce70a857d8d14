//! Calls that need a person's approval: the host holds each, and makes it once and only as it was shown.

mod misuse;

use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, Listener},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    rebuilt,
    server::{Folders, TestServer},
};

/// The grants of the component `errand`.
const ERRAND: &str = "
[components.errand]
grants = ['calls', 'endpoints']
calls = ['component:cinema', 'echo', 'greet', 'run_errand']
";

/// A server with the cinema, and a component that calls its tools.
struct Errands {
    server: TestServer,
    show: String,
    seats: Vec<String>,
}

impl Errands {
    async fn with(lines: &str) -> Self {
        let folders = Folders::new();
        for name in ["cinema", "echo", "errand"] {
            folders.put(name, &component_bytes(name));
        }
        let config = folders.config_with(lines);
        let server = TestServer::start(folders, |it| *it = config).await;
        let client = server.client();
        let show = showtime_id(&showtimes(&client).await[0]);
        let seats = free_seats(&client, &show).await;
        Self { server, show, seats }
    }

    async fn begin() -> Self {
        Self::with(ERRAND).await
    }

    /// A call that reserves the seat at that place of the list.
    fn reserve(&self, at: usize) -> Value {
        json!({
            "tool": "reserve_seats",
            "arguments": {
                "user_id": "u", "showtime_id": self.show, "seat_ids": [self.seats[at]],
            },
            "reason": "for the two of you",
        })
    }

    async fn is_free(&self, at: usize) -> bool {
        free_seats(&self.server.client(), &self.show).await.contains(&self.seats[at])
    }

    /// The outcomes of calls that a request makes.
    async fn try_calls(&self, calls: Value) -> Vec<Value> {
        try_calls(&self.server.client(), json!({ "calls": calls })).await
    }

    /// The outcome of a held call.
    async fn held_outcome(&self, id: &str) -> Value {
        try_calls(&self.server.client(), json!({ "held": [id] })).await.remove(0)
    }

    /// Makes a call that is held; returns its id.
    async fn hold(&self, calls: Value) -> String {
        let outcome = self.try_calls(calls).await.remove(0);
        outcome["held"].as_str().unwrap_or_else(|| panic!("not held: {outcome}")).to_owned()
    }
}

async fn try_calls(client: &Client, body: Value) -> Vec<Value> {
    let response = client.post("/api/errand/tries", &[], body.to_string()).await;
    let status = response.status();
    let answer: Value = response.json().await.unwrap();
    assert_eq!(status, 200, "{answer}");
    answer["outputs"].as_array().unwrap().clone()
}

/// All pending calls of the client.
async fn pending(client: &Client) -> Vec<Value> {
    let answer: Value = client.get("/api/approvals").await.json().await.unwrap();
    answer["approvals"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

async fn approval(client: &Client, id: &str) -> (u16, Value) {
    let response = client.get(&format!("/api/approvals/{id}")).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn decide(client: &Client, id: &str, body: Value) -> (u16, Value) {
    let response = client.post(&format!("/api/approvals/{id}"), &[], body.to_string()).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn allow(client: &Client, id: &str) -> (u16, Value) {
    decide(client, id, json!({ "allow": true })).await
}

/// Waits for a pending call of the client.
async fn next_pending(client: &Client) -> Value {
    let mut waiting = Vec::new();
    tests::until("nothing waits", async || {
        waiting = pending(client).await;
        !waiting.is_empty()
    })
    .await;
    waiting.remove(0)
}

// A foreign assistant that replaces the host's own.

/// Arguments of `echo` with a message.
const ECHO: &str = "{ value = { message = '{message}' } }";

/// Its configuration.
fn lines(name: &str, tool: &str, arguments: &str) -> String {
    format!(
        "[components.{name}]
grants = ['calls', 'endpoints', 'settings']
calls = ['{tool}']
settings = {{ tool = '{tool}', arguments = {arguments} }}
"
    )
}

async fn talk(client: &Client, body: Value) -> Value {
    let response = client.post("/api/chat", &[], body.to_string()).await;
    let (status, answer) = (response.status(), response.json::<Value>().await.unwrap());
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_assistant_replaces_and_returns_the_default_live() {
    let folders = Folders::new();
    for name in ["echo", "assistant", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let lines = format!("{}[endpoints]\nchat = 'clerk'\n", lines("clerk", "echo", ECHO));
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let asked = json!({ "message": "こんにちは" });
    assert_ne!(talk(&client, asked.clone()).await["provider"], "clerk");
    let mut changes = server.server().calls.registry.changes();
    server.folders.put("clerk", &component_bytes("clerk"));
    changes.wait_for(|it| it.component("clerk").is_some()).await.unwrap();
    let answer = talk(&client, asked.clone()).await;
    assert_eq!(answer["provider"], "clerk", "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("こんにちは"), "{answer}");
    let listed: Value = client.get("/api/chat").await.json().await.unwrap();
    assert_eq!(listed["default"], "clerk");
    std::fs::remove_file(server.file("clerk")).unwrap();
    changes.wait_for(|it| it.component("clerk").is_none()).await.unwrap();
    assert_ne!(talk(&client, asked).await["provider"], "clerk");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_assistant_streams_its_answer() {
    let folders = Folders::new();
    for name in ["echo", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders
        .config_with(&format!("{}[endpoints]\nchat = 'clerk'\n", lines("clerk", "echo", ECHO)));
    let server = TestServer::start(folders, |it| *it = config).await;
    let headers = [("accept", "text/event-stream")];
    let body = json!({ "message": "hello" }).to_string();
    let response = server.client().post("/api/chat", &headers, body).await;
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let text = response.text().await.unwrap();
    assert!(text.contains("event: text_delta") && text.contains("event: done"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_assistant_needs_approval_too() {
    let folders = Folders::new();
    for name in ["reach", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let reach = "[components.reach]\ngrants = ['sql', 'settings', 'clock', 'random', 'http', 'folders', 'files', 'blobs', 'events', 'schedule', 'endpoints', 'assistants']\nhttp = []\n";
    let lines = lines("clerk", "send_letter", "{ text = '{message}' }");
    let config = folders.config_with(&format!("{reach}{lines}[endpoints]\nchat = 'clerk'\n"));
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let answer = talk(&client, json!({ "message": "hello" })).await;
    assert_eq!(answer["stopReason"], "waiting", "{answer}");
    // A decision that is sent to it counts for nothing: it goes to the host, or nothing happens.
    let id = answer["turn"].as_str().unwrap().to_owned();
    let again = talk(&client, json!({ "turn": id, "approvals": { &id: "allow" } })).await;
    assert_eq!(again["stopReason"], "waiting", "{again}");
    assert_eq!(pending(&client).await[0]["askedBy"], "component:clerk");
    assert_eq!(allow(&client, &id).await.0, 200);
    let done = talk(&client, json!({ "turn": id })).await;
    assert_eq!(done["stopReason"], "end", "{done}");
    assert!(done["text"].as_str().unwrap().starts_with("Done: "), "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_password_a_chat_reaches_no_assistant() {
    let folders = Folders::new();
    for name in ["echo", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let lines = format!(
        "{}[endpoints]\nchat = 'clerk'\n[chat]\npassword = {{ value = 'open sesame' }}\n",
        lines("clerk", "echo", ECHO)
    );
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let body = json!({ "message": "hello" }).to_string();
    assert_eq!(client.post("/api/chat", &[], body.clone()).await.status(), 401);
    assert_eq!(client.get("/api/approvals").await.status(), 401);
    let password = json!({ "password": "open sesame" }).to_string();
    let entered = client.post("/api/auth", &[], password).await;
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let answer = client.post("/api/chat", &[("cookie", cookie)], body).await;
    assert_eq!(answer.status(), 200);
}

// Approval by MCP elicitation, for clients that show forms.

/// One round of `run_errand` by a client that shows forms.
async fn run(client: &Client, calls: Value, more: Value) -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": { "form": {} } });
    let mut params =
        json!({ "name": "run_errand", "arguments": { "calls": calls }, "_meta": meta });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    client.request("tools/call", params).await.1
}

/// The same decision on all questions.
fn decided(asked: &Value, decision: &str) -> Value {
    let requests = asked["result"]["inputRequests"].as_object().expect("it asks").keys();
    let accept = json!({ "action": "accept", "content": { "decision": decision } });
    let responses: serde_json::Map<_, _> =
        requests.map(|it| (it.clone(), accept.clone())).collect();
    json!({ "requestState": asked["result"]["requestState"], "inputResponses": responses })
}

#[tokio::test(flavor = "multi_thread")]
async fn client_with_forms_is_asked_and_the_call_is_made_once() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let calls = json!([errands.reserve(0), errands.reserve(1)]);
    let asked = run(&client, calls.clone(), json!({})).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 2);
    let message = requests.values().next().unwrap()["params"]["message"].as_str().unwrap();
    assert!(message.contains("reserve_seats") && message.contains("cinema"), "{message}");
    assert!(errands.is_free(0).await && pending(&client).await.len() == 2);
    let done = run(&client, calls.clone(), decided(&asked, "allow")).await;
    let outputs = done["result"]["structuredContent"]["outputs"].as_array();
    assert_eq!(outputs.map(Vec::len), Some(2), "{done}");
    assert!(!errands.is_free(0).await && !errands.is_free(1).await);
    assert!(pending(&client).await.is_empty());
    // The same approval again is used up.
    let again = run(&client, calls, decided(&asked, "allow")).await;
    assert!(again["error"]["message"].as_str().unwrap().contains("used"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn decline_is_final_and_approval_is_bound_to_arguments() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let calls = json!([errands.reserve(0)]);
    let asked = run(&client, calls.clone(), json!({})).await;
    let other = run(&client, json!([errands.reserve(1)]), decided(&asked, "allow")).await;
    assert!(other["error"]["message"].as_str().unwrap().contains("another call"), "{other}");
    let denied = run(&client, calls, decided(&asked, "deny")).await;
    assert_eq!(denied["result"]["_meta"]["madoguchi/error"]["error"], "not_allowed", "{denied}");
    assert!(errands.is_free(0).await && errands.is_free(1).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_the_legacy_era_are_asked_too() {
    let errands = Errands::begin().await;
    let capabilities = json!({ "elicitation": {} });
    let session = LegacySession::open_with(&errands.server.url(), capabilities).await;
    let params = json!({ "name": "run_errand", "arguments": { "calls": [errands.reserve(0)] } });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let mut listener = Listener::of(session.post(call).await);
    let mut outcome = Value::Null;
    while let Some(message) = listener.next(tests::PATIENCE).await {
        if message["method"] == "elicitation/create" {
            assert!(message["params"]["message"].as_str().unwrap().contains("reserve_seats"));
            let result = json!({ "action": "accept", "content": { "decision": "allow" } });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            session.post(answer).await;
        } else if message["id"] == 7 {
            outcome = message;
            break;
        }
    }
    assert!(outcome["result"]["structuredContent"]["outputs"].is_array(), "{outcome}");
    assert!(!errands.is_free(0).await);
}

/// A late answer to questions that were answered elsewhere is not taken for the next ones.
#[tokio::test(flavor = "multi_thread")]
async fn late_answer_is_asked_the_questions_that_are_open() {
    let lines = ERRAND.replace("'greet'", "'greet_twice'");
    let errands = Errands::with(&lines).await;
    let client = errands.server.client();
    let calls = json!([{ "tool": "greet_twice", "arguments": {} }]);
    let first = run(&client, calls.clone(), json!({})).await;
    let shown = pending(&client).await.remove(0);
    let id = shown["id"].as_str().unwrap_or_else(|| panic!("{shown}"));
    let named = |name: &str| json!({ "action": "accept", "content": { "name": name } });
    let (status, asking) =
        decide(&client, id, json!({ "answers": { "name": named("花子") } })).await;
    assert_eq!((status, &asking["state"]), (200, &json!("asking")), "{asking}");
    let answered = |asked: &Value, answer: Value| {
        let asked = &asked["result"];
        let requests = asked["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
        let answers = requests.keys().map(|it| (it.clone(), answer.clone()));
        let answers: serde_json::Map<_, _> = answers.collect();
        json!({ "requestState": asked["requestState"], "inputResponses": answers })
    };
    let second = run(&client, calls.clone(), answered(&first, named("Taro"))).await;
    assert!(second.to_string().contains("Are you 花子?"), "{second}");
    let last = json!({ "action": "accept", "content": {} });
    let done = run(&client, calls, answered(&second, last)).await;
    assert!(done.to_string().contains("Hello, 花子!"), "{done}");
}

// Calls of components that behave well: run, held, approved, denied, questioned.

#[tokio::test(flavor = "multi_thread")]
async fn reads_run_at_once_while_changes_wait_for_the_person() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let read = json!({ "tool": "list_movies", "arguments": {} });
    let outcomes = errands.try_calls(json!([read, errands.reserve(0)])).await;
    let movies = &outcomes[0]["done"]["structuredContent"]["movies"];
    assert!(movies.is_array(), "{outcomes:?}");
    let id = outcomes[1]["held"].as_str().unwrap();
    assert!(errands.is_free(0).await);
    let shown = pending(&client).await.remove(0);
    assert_eq!((&shown["id"], &shown["tool"]), (&json!(id), &json!("reserve_seats")));
    assert_eq!(
        (&shown["askedBy"], &shown["state"]),
        (&json!("component:errand"), &json!("waiting"))
    );
    let words = shown["words"].as_str().unwrap();
    for part in ["reserve_seats", "cinema", errands.seats[0].as_str(), "for the two of you"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(errands.held_outcome(id).await["held"], id, "it waits");
    let sha = &shown["argumentsSha256"];
    let (status, done) =
        decide(&client, id, json!({ "allow": true, "argumentsSha256": sha })).await;
    assert_eq!((status, &done["state"]), (200, &json!("done")), "{done}");
    assert!(!errands.is_free(0).await);
    assert!(pending(&client).await.is_empty());
    let fetched = errands.held_outcome(id).await;
    assert_eq!(fetched["done"]["structuredContent"], done["result"]["structuredContent"]);
    assert_eq!(approval(&client, id).await.1["state"], "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_call_resumes_after_approval() {
    let errands = Errands::begin().await;
    let (client, other) = (errands.server.client(), errands.server.client());
    // A client that shows no forms: the page, or another client, is where the person answers.
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let arguments = json!({ "calls": [errands.reserve(0), errands.reserve(1)] });
    let params = json!({ "name": "run_errand", "arguments": arguments, "_meta": meta });
    let running = tokio::spawn(async move { client.result("tools/call", params).await });
    let first = next_pending(&other).await;
    tests::until("both wait", async || pending(&other).await.len() == 2).await;
    let second = pending(&other).await.into_iter().find(|it| it["id"] != first["id"]).unwrap();
    for shown in [&first, &second] {
        assert_eq!(allow(&other, shown["id"].as_str().unwrap()).await.0, 200);
    }
    let result = tokio::time::timeout(tests::PATIENCE, running).await.unwrap().unwrap();
    let outputs = result["structuredContent"]["outputs"].as_array();
    assert_eq!(outputs.map(Vec::len), Some(2), "{result}");
    assert!(!errands.is_free(0).await && !errands.is_free(1).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_call_is_reported_and_not_made() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let id = errands.hold(json!([errands.reserve(0)])).await;
    let (status, denied) = decide(&client, &id, json!({ "allow": false })).await;
    assert_eq!((status, &denied["state"]), (200, &json!("denied")));
    assert_eq!(errands.held_outcome(&id).await["failed"]["error"], "not_allowed");
    assert!(errands.is_free(0).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn forwards_a_tools_questions_to_the_person() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let id = errands.hold(json!([{ "tool": "greet", "arguments": {} }])).await;
    let shown = pending(&client).await.remove(0);
    assert_eq!(shown["state"], "asking", "{shown}");
    let key = shown["questions"][0]["key"].as_str().unwrap().to_owned();
    let (status, early) = allow(&client, &id).await;
    assert_eq!((status, &early["error"]), (409, &json!("allowed_already")));
    let answers = json!({ key: { "action": "accept", "content": { "name": "Taro" } } });
    let answer = json!({ "answers": answers });
    // Twice at once: the later one answers nothing.
    let (one, two) =
        tokio::join!(decide(&client, &id, answer.clone()), decide(&client, &id, answer));
    let ((status, done), (late, refused)) = if one.0 == 200 { (one, two) } else { (two, one) };
    assert_eq!((status, &done["state"]), (200, &json!("done")), "{done}");
    assert_eq!((late, &refused["error"]), (409, &json!("answered_already")), "{refused}");
    let fetched = errands.held_outcome(&id).await;
    assert_eq!(fetched["done"]["structuredContent"]["greeting"], "Hello, Taro!", "{fetched}");
}

#[tokio::test(flavor = "multi_thread")]
async fn own_and_trusted_tools_need_no_approval() {
    let errands =
        Errands::with(&format!("{ERRAND}trusts = ['reserve_seats']\n", ERRAND = ERRAND)).await;
    let note = json!({ "tool": "keep_note", "arguments": { "text": "a note" } });
    let outcomes = errands.try_calls(json!([note, errands.reserve(0)])).await;
    assert_eq!(outcomes[0]["done"]["structuredContent"]["outputs"][0], "a note", "{outcomes:?}");
    assert!(outcomes[1]["done"].is_object(), "{outcomes:?}");
    assert!(!errands.is_free(0).await);
    assert!(pending(&errands.server.client()).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_call_survives_restart_and_swap_and_runs_once() {
    let mut errands = Errands::begin().await;
    let id = errands.hold(json!([errands.reserve(0)])).await;
    let denied = errands.hold(json!([errands.reserve(1)])).await;
    decide(&errands.server.client(), &denied, json!({ "allow": false })).await;
    errands.server.restart().await;
    let bytes = rebuilt(&component_bytes("errand"), 7);
    let digest = host::digest::digest(&bytes);
    let mut changes = errands.server.server().calls.registry.changes();
    errands.server.folders.put("errand", &bytes);
    let there =
        changes.wait_for(|it| it.component("errand").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, there).await.unwrap().unwrap();
    let client = errands.server.client();
    assert_eq!(pending(&client).await.len(), 1, "what was denied is over");
    let (one, two) = tokio::join!(allow(&client, &id), allow(&client, &id));
    let statuses = [one.0, two.0];
    assert!(statuses.contains(&200), "{one:?} {two:?}");
    assert!(!errands.is_free(0).await && errands.is_free(1).await);
    errands.server.restart().await;
    let (status, again) = allow(&errands.server.client(), &id).await;
    assert_eq!((status, &again["error"]), (409, &json!("answered_already")), "{again}");
    let lines = errands.server.server().calls.watch.audit.tail(50);
    let made: Vec<_> = lines.iter().filter(|it| it["tool"] == "reserve_seats").collect();
    assert_eq!(made.len(), 1, "{lines:?}");
    assert_eq!(
        (&made[0]["asked_by"], &made[0]["approval"]),
        (&json!("component:errand"), &json!(id))
    );
    let outcome = |outcome: &str| {
        lines.iter().filter(|it| it["method"] == "approvals" && it["outcome"] == outcome).count()
    };
    assert_eq!((outcome("held"), outcome("denied")), (2, 1), "{lines:?}");
    assert!(errands.held_outcome(&id).await["done"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_are_notified_of_pending_calls() {
    let errands = Errands::begin().await;
    let uri = "madoguchi://approvals";
    let wanted = json!({ "resourceSubscriptions": [uri] });
    let (mut listener, _) = errands.server.client().listen_for(wanted).await;
    let session = LegacySession::open(&errands.server.url()).await;
    let mut older = session.listen().await;
    let subscribed = session.request("resources/subscribe", json!({ "uri": uri })).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    errands.hold(json!([errands.reserve(0)])).await;
    let event = listener.next(tests::PATIENCE).await.unwrap();
    assert_eq!(event["method"], "notifications/resources/updated", "{event}");
    assert_eq!(event["params"]["uri"], uri);
    let (method, updated) = older.notified().await;
    assert_eq!((&*method, updated.as_deref()), ("notifications/resources/updated", Some(uri)));
}

#[tokio::test(flavor = "multi_thread")]
async fn late_decision_gets_conflict() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    for _ in 0..8 {
        let id = errands.hold(json!([errands.reserve(0)])).await;
        let decision = |allow: bool| {
            let (client, id) = (&client, &id);
            async move { (allow, decide(client, id, json!({ "allow": allow })).await) }
        };
        let answers =
            tokio::join!(decision(true), decision(false), decision(true), decision(false));
        let all = [answers.0, answers.1, answers.2, answers.3];
        let is_denied = approval(&client, &id).await.1["state"] == "denied";
        for (allow, (status, answer)) in &all {
            let counts = *allow != is_denied;
            assert!(counts || *status == 409, "{allow}: {status} {answer}");
        }
        assert!(all.iter().any(|it| it.1.0 == 200), "{all:?}");
    }
}
