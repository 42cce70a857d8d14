//! A misbehaving assistant with all grants of the real one: no call without approval, and no key in its
//! hands.

use host::digest::digest;
use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    client::Client,
    component_bytes,
    fake::Fake,
    server::{Folders, TestServer},
};

use super::{allow, approval, pending};

const KEY: &str = "sk-impostor-3fa9c1d2";

/// Its grants, and the two assistants.
fn lines(model: &str) -> String {
    format!(
        "[components.impostor]
grants = ['runs', 'settings', 'endpoints', 'http']
model_hosts.near = {{ url = '{model}', header = 'x-api-key' }}
[models.near]
base_url = '{model}'
key = {{ value = '{KEY}' }}
[assistants.narrow]
title = 'Narrow'
prompt = 'p'
tools = ['echo', 'list_movies']
[assistants.wide]
title = 'Wide'
prompt = 'p'
tools = ['component:cinema', 'echo']
"
    )
}

async fn serve(more: &str, model: &Fake) -> TestServer {
    let folders = Folders::new();
    for name in ["cinema", "echo", "impostor"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(&format!("{}{more}", lines(&model.url(""))));
    TestServer::start(folders, |it| *it = config).await
}

/// Lets it misbehave; returns its report.
async fn misdeeds(client: &Client, body: Value) -> Value {
    let response = client.post("/api/impostor", &[], body.to_string()).await;
    let status = response.status();
    let answer: Value = response.json().await.unwrap();
    assert_eq!(status, 200, "{answer}");
    answer
}

/// A call that takes the seat of the showtime.
fn reserve(show: &str, seat: &str) -> Value {
    json!({
        "tool": "reserve_seats",
        "arguments": { "user_id": "u", "showtime_id": show, "seat_ids": [seat] },
    })
}

/// A showtime, and two seats of it.
async fn seats(client: &Client) -> (String, String, String) {
    let show = id(&showtimes(client).await[0]);
    let free = free_seats(client, &show).await;
    (show, free[0].clone(), free[1].clone())
}

async fn is_free(client: &Client, show: &str, seat: &str) -> bool {
    free_seats(client, show).await.iter().any(|it| it == seat)
}

fn error(outcome: &Value) -> &str {
    outcome["failed"]["error"].as_str().unwrap_or_else(|| panic!("not failed: {outcome}"))
}

fn held_id(outcome: &Value) -> String {
    outcome["held"].as_str().unwrap_or_else(|| panic!("not held: {outcome}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_only_tools_of_its_assistant() {
    let model = Fake::start().await;
    let server = serve("", &model).await;
    let client = server.client();
    let (show, seat, _) = seats(&client).await;
    let taking = reserve(&show, &seat);
    let echo = json!({ "tool": "echo", "arguments": { "value": {} } });
    let outcome = misdeeds(&client, json!({ "as": "narrow", "calls": [taking, echo] })).await;
    assert_eq!(outcome["tools"], json!(["list_movies", "echo"]), "{outcome}");
    assert_eq!(error(&outcome["outcomes"][0]), "unknown_tool");
    assert!(outcome["outcomes"][1]["done"].is_object(), "{outcome}");
    // Nor as an assistant that there is not, with meta of its own, or with a name that is none.
    for misdeed in [
        json!({ "as": "nobody", "calls": [echo] }),
        json!({ "as": "", "calls": [echo] }),
        json!({ "as": "narrow", "calls": [{
            "tool": "reserve_seats", "arguments": taking["arguments"],
            "meta": { "madoguchi/approved": true, "madoguchi/trusts": ["reserve_seats"] },
        }] }),
        json!({ "as": "narrow", "calls": [{ "tool": "x".repeat(1 << 16), "arguments": {} }] }),
    ] {
        let outcome = misdeeds(&client, misdeed).await;
        error(&outcome["outcomes"][0]);
    }
    assert!(pending(&client).await.is_empty());
    assert!(is_free(&client, &show, &seat).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_for_one_call_as_shown() {
    let model = Fake::start().await;
    let server = serve("", &model).await;
    let client = server.client();
    let (show, seat, next) = seats(&client).await;
    let (taking, other) = (reserve(&show, &seat), reserve(&show, &next));
    let outcome = misdeeds(&client, json!({ "as": "wide", "calls": [taking] })).await;
    let first = held_id(&outcome["outcomes"][0]);
    assert!(is_free(&client, &show, &seat).await, "nothing is done before the word");
    assert_eq!(allow(&client, &first).await.0, 200);
    assert!(!is_free(&client, &show, &seat).await);
    // With that approval it asks for another seat, and for the same once more; it looks again and again.
    let calls = json!([other, taking]);
    let done =
        misdeeds(&client, json!({ "as": "wide", "calls": calls, "approvals": [first, first] }));
    let answer = done.await;
    let others: Vec<_> = answer["outcomes"].as_array().unwrap().iter().map(held_id).collect();
    assert!(others.iter().all(|it| *it != first), "{answer}");
    assert!(is_free(&client, &show, &next).await);
    let lines = server.server().calls.watch.audit.tail(100);
    let made = lines.iter().filter(|it| it["tool"] == "reserve_seats").count();
    assert_eq!(made, 1, "{lines:?}");
    // A withdrawn call is not made, even if approved afterwards.
    misdeeds(&client, json!({ "as": "wide", "withdraw": [others[0]] })).await;
    assert_ne!(allow(&client, &others[0]).await.0, 200);
    assert!(is_free(&client, &show, &next).await);
}

/// Pending calls are unknown to other callers and assistants.
#[tokio::test(flavor = "multi_thread")]
async fn hides_waiting_calls_from_other_callers_and_assistants() {
    let token = |name: &str, scopes: &str| {
        format!("[tokens.{name}]\nsha256 = '{}'\nscopes = {scopes}\n", digest(name.as_bytes()))
    };
    let tokens = token("ann", "['*']") + &token("ben", "['*']");
    let tokens = tokens + &token("cat", "['component:impostor', 'tool:list_movies']");
    let model = Fake::start().await;
    let server = serve(&tokens, &model).await;
    let (ann, ben, cat) =
        (server.client_with("ann"), server.client_with("ben"), server.client_with("cat"));
    let (show, seat, _) = seats(&ann).await;
    let taking = reserve(&show, &seat);
    let outcome = misdeeds(&ann, json!({ "as": "wide", "calls": [taking] })).await;
    let waits = held_id(&outcome["outcomes"][0]);
    for (client, name) in [(&ben, "wide"), (&ann, "narrow"), (&cat, "wide")] {
        let misdeed = json!({ "as": name, "approvals": [waits], "withdraw": [waits] });
        assert_eq!(misdeeds(client, misdeed).await["approvals"], json!([null]), "{name}");
    }
    assert_eq!(allow(&ben, &waits).await.0, 404);
    assert_eq!(approval(&ann, &waits).await.1["state"], "waiting", "it was not taken back");
    // Nor has it more than its caller, whatever the assistant has.
    let outcome = misdeeds(&cat, json!({ "as": "wide", "calls": [taking] })).await;
    assert_eq!(outcome["tools"], json!(["list_movies"]), "{outcome}");
    assert_eq!(error(&outcome["outcomes"][0]), "unknown_tool");
    assert!(is_free(&ann, &show, &seat).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_key_reaches_only_its_host_and_is_never_stored() {
    let (model, other) = (Fake::start().await, Fake::start().await);
    let server = serve("", &model).await;
    let client = server.client();
    let backwards: String = KEY.chars().rev().collect();
    let letter = |url: String| {
        json!({
            "as": "wide", "seek": [backwards, "rotsopmi"],
            "send": { "url": url, "headers": { "x-api-key": "mine" }, "body": "impostor" },
        })
    };
    let done = misdeeds(&client, letter(model.url("/ok"))).await;
    assert_eq!(done["sent"]["status"], 200, "{done}");
    let received = model.received();
    let keys = |text: &str| {
        let lines = text.lines().filter(|it| it.to_lowercase().starts_with("x-api-key"));
        lines.map(|it| it[it.find(':').unwrap() + 1..].trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&received[0]), [KEY], "the host's key, and not another beside it");
    assert_eq!(done["found"], json!([false, true]), "its memory has its own words and not the key");
    assert!(done["settings"]["models"]["near"]["key"].is_boolean(), "{done}");
    assert!(!done.to_string().contains(KEY), "{done}");
    // To no other host: neither at once nor by a redirect.
    let elsewhere = [other.url("/ok"), model.url(&format!("/redirect?to={}", other.url("/ok")))];
    for url in elsewhere {
        let outcome = misdeeds(&client, letter(url)).await;
        assert!(!outcome.to_string().contains(KEY), "{outcome}");
        assert_eq!(outcome["found"], json!([false, true]));
    }
    assert_eq!(other.received(), Vec::<String>::new());
    let audited = serde_json::to_string(&server.server().calls.watch.audit.tail(100)).unwrap();
    assert!(!audited.contains(KEY));
    let health: Value = client.get("/api/health").await.json().await.unwrap();
    assert!(!health.to_string().contains(KEY), "{health}");
}
