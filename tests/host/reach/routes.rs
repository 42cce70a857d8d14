//! Routes and look-ups under `/api/COMPONENT`, with its grants and limits, as one response or as events.

use host::grants::Grant;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tests::{client::Client, component_bytes, server::Folders};

use super::{server, start};

async fn send(client: &Client, method: Method, path: &str, body: &str) -> Response {
    let request = client.http(method, path).body(body.to_owned());
    request.header("content-type", "application/json").send().await.expect("the server answers")
}

async fn answer(client: &Client, method: Method, path: &str, body: &str) -> (u16, Value) {
    let response = send(client, method, path, body).await;
    assert_eq!(response.headers()["content-type"], "application/json", "{path}");
    assert_eq!(response.headers()["cache-control"], "no-store", "{path}");
    (response.status().as_u16(), response.json().await.unwrap())
}

/// The events of an answer, each with its name.
async fn events(client: &Client, method: Method, path: &str) -> Vec<(String, Value)> {
    let request = client.http(method, path).header("accept", "text/event-stream");
    let response = request.send().await.expect("the server answers");
    assert_eq!(response.headers()["content-type"], "text/event-stream", "{path}");
    let text = response.text().await.unwrap();
    let blocks = text.split("\n\n").filter(|it| it.contains("event:"));
    let event = |block: &str| {
        let field = |name: &str| block.lines().find_map(|it| it.strip_prefix(name));
        let data = field("data:").expect("an event has data").trim();
        (field("event:").unwrap().trim().to_owned(), serde_json::from_str(data).unwrap())
    };
    blocks.map(event).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn route_of_a_tool_gives_the_tools_result() {
    let server = server(|_| {}).await;
    let client = server.client();
    let letter = json!({ "text": "窓口から" }).to_string();
    let (status, sent) = answer(&client, Method::POST, "/api/reach/letters", &letter).await;
    assert_eq!(status, 200, "{sent}");
    let (_, found) = answer(&client, Method::GET, "/api/reach/letters", "").await;
    assert_eq!(found, json!({ "letters": ["窓口から"] }), "look-ups are at the same address");
    let lines = server.server().calls.watch.audit.tail(5);
    assert!(lines.iter().any(|it| it["tool"] == "send_letter"), "{lines:?}");
    let (status, refused) = answer(&client, Method::POST, "/api/reach/letters", "{}").await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_params")), "{refused}");
    let path = "/api/reach/letters/%E7%AA%93%E5%8F%A3%E3%81%8B%E3%82%89";
    let (status, gone) = answer(&client, Method::DELETE, path, "").await;
    assert_eq!((status, gone), (202, json!({ "deleted": 1 })));
    let (status, refused) = answer(&client, Method::DELETE, path, "").await;
    assert_eq!((status, &refused["error"]), (404, &json!("no_such_letter")), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn path_parameters_are_decoded_and_fixed_segments_win() {
    let server = server(|_| {}).await;
    let client = server.client();
    let path = "/api/reach/echo/a%2Fb/of/%E7%AA%93?x=1&x=2";
    let (status, echo) = answer(&client, Method::PUT, path, r#"{"y": 3}"#).await;
    assert_eq!(status, 200, "{echo}");
    assert_eq!(echo["parameters"], json!([["first", "a/b"], ["second", "窓"]]));
    assert_eq!(echo["query"], json!([["x", "1"], ["x", "2"]]));
    assert_eq!(echo["body"], json!({ "y": 3 }));
    let path = "/api/reach/echo/fixed/of/x";
    assert_eq!(answer(&client, Method::PATCH, path, "").await.1, json!("fixed"));
    let path = "/api/reach/echo/loose/of/x";
    assert_eq!(answer(&client, Method::PATCH, path, "").await.1["parameters"][0][1], "loose");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_methods_and_paths_list_what_is_served() {
    let server = server(|_| {}).await;
    let client = server.client();
    let response = send(&client, Method::POST, "/api/reach/echo/a/of/b", "{}").await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "GET, HEAD, PATCH, PUT", "it may be looked up as well");
    for (method, path, allowed) in [
        (Method::PUT, "/api/reach/letters/a", "DELETE"),
        (Method::OPTIONS, "/api/reach/letters/a", "DELETE"),
        (Method::DELETE, "/api/reach/letters", "GET, HEAD, POST"),
        (Method::DELETE, "/api/reach/double", "GET, HEAD"),
    ] {
        let response = send(&client, method, path, "").await;
        assert_eq!(response.status(), 405, "{path}");
        assert_eq!(response.headers()["allow"], allowed, "{path}");
    }
    let (status, nothing) = answer(&client, Method::DELETE, "/api/reach/letters/a/b", "").await;
    assert_eq!((status, &nothing["error"]), (404, &json!("not_found")), "{nothing}");
    let (status, nothing) = answer(&client, Method::GET, "/api/reach/nowhere", "").await;
    assert_eq!((status, &nothing["error"]), (404, &json!("not_found")), "{nothing}");
    let (status, bad) = answer(&client, Method::DELETE, "/api/reach/letters/%ff", "").await;
    assert_eq!((status, &bad["error"]), (400, &json!("invalid_params")), "{bad}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_body_that_is_too_large_or_no_json() {
    let server = server(|_| {}).await;
    let client = server.client();
    let path = "/api/reach/echo/a/of/b";
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1_000));
    for (body, status, code) in [
        (large.as_str(), 413, "payload_too_large"),
        ("[]", 400, "invalid_params"),
        ("{\"a\": ", 400, "invalid_params"),
    ] {
        let (found, refused) = answer(&client, Method::PUT, path, body).await;
        assert_eq!((found, &refused["error"]), (status, &json!(code)), "{body}: {refused}");
    }
    let request = client.http(Method::PUT, path).body("a=b");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(request.send().await.unwrap().status(), 415);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_responses_are_component_faults_and_limits_hold() {
    let server = server(|it| it.limits.cpu_ms_max = 200).await;
    let client = server.client();
    let odd = async |what: &str| {
        let path = format!("/api/reach/odd/{what}");
        answer(&client, Method::POST, &path, "{}").await
    };
    for what in ["status", "body", "trap"] {
        let (status, body) = odd(what).await;
        assert_eq!((status, &body["error"]), (500, &json!("internal_error")), "{what}: {body}");
        assert!(!body.to_string().contains("as asked"), "for the operator alone: {body}");
    }
    let (status, body) = odd("spin").await;
    assert_eq!((status, &body["data"]["limit"]), (500, &json!("cpu_ms_max")), "{body}");
    assert_eq!(odd("closed").await.0, 503);
    let response = send(&client, Method::POST, "/api/reach/odd/later", "").await;
    assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &7.into()));
    let response = send(&client, Method::POST, "/api/reach/odd/scope", "").await;
    let needed = response.headers()["www-authenticate"].to_str().unwrap();
    assert!(response.status() == 403 && needed.contains("scope=\"tool:sing\""), "{needed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_streamed_to_clients_that_accept_them() {
    let server = server(|_| {}).await;
    let client = server.client();
    let all = events(&client, Method::GET, "/api/reach/numbers/100").await;
    let names: Vec<_> = all.iter().map(|it| it.0.as_str()).collect();
    assert_eq!((names.len(), names[0], names[100]), (101, "number", "done"));
    assert!(all[..100].iter().zip(1..).all(|(it, at)| it.1["number"] == at), "in their order");
    let (_, plain) = answer(&client, Method::GET, "/api/reach/numbers/100", "").await;
    assert_eq!(plain, json!({ "count": 100 }));
    // Errors before the first event have their status.
    let request = client.http(Method::GET, "/api/reach/numbers/x");
    let response = request.header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(response.status(), 400);
    // And later an event.
    let all = events(&client, Method::POST, "/api/reach/odd/trap-late").await;
    assert_eq!((all[0].0.as_str(), all[1].0.as_str()), ("number", "error"));
    assert_eq!(all[1].1["status"], 500, "{all:?}");
    // An event that has no name is left out.
    let all = events(&client, Method::POST, "/api/reach/odd/event").await;
    assert_eq!(all, [("number".to_owned(), json!({ "text": "two\nlines" }))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn response_ends_when_its_client_disconnects() {
    let server = server(|it| it.limits.stream_events_max = 1 << 20).await;
    let client = server.client();
    let request = client.http(Method::GET, "/api/reach/endless");
    let mut response = request.header("accept", "text/event-stream").send().await.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    super::until("the component goes on for ever", async || {
        let health = client.get("/api/health").await.json::<Value>().await.unwrap();
        assert_eq!(health["status"], "ok");
        server.server().calls.watch.metrics.component("reach").running == 0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn route_is_authorized_before_its_body_is_read() {
    let server = server(|config| {
        let token = |name: &str, scope: &str| {
            format!(
                "[tokens.{name}]\nsha256 = '{}'\nscopes = ['{scope}']\n",
                host::digest::digest(name.as_bytes())
            )
        };
        let text = token("tool", "tool:send_letter")
            + &token("component", "component:reach")
            + &token("reader", "read-only");
        let parsed: Value = toml::from_str(&text).unwrap();
        config.tokens = serde_json::from_value(parsed["tokens"].clone()).unwrap();
    })
    .await;
    let letter = json!({ "text": "x" }).to_string();
    for (token, post, delete) in [("tool", 200, 403), ("component", 200, 202), ("reader", 403, 403)]
    {
        let client = server.client_with(token);
        let posted = send(&client, Method::POST, "/api/reach/letters", &letter).await;
        assert_eq!(posted.status(), post, "{token}");
        let deleted = send(&client, Method::DELETE, "/api/reach/letters/x", "").await;
        assert_eq!(deleted.status(), delete, "{token}");
        for refused in [posted, deleted].iter().filter(|it| it.status() == 403) {
            assert!(refused.headers().contains_key("www-authenticate"), "{token}");
        }
    }
    let client = server.client_with("reader");
    let large = "x".repeat(1 << 20);
    assert_eq!(send(&client, Method::PUT, "/api/reach/echo/a/of/b", &large).await.status(), 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn route_stops_at_its_time_limit_and_at_its_event_limit() {
    let server = server(|config| {
        config.limits.route_ms_max = 3_000;
        config.limits.cpu_ms_max = 60_000;
        config.limits.stream_events_max = 5;
    })
    .await;
    let client = server.client();
    let (status, body) = answer(&client, Method::POST, "/api/reach/odd/spin", "{}").await;
    assert_eq!((status, &body["data"]["limit"]), (500, &json!("route_ms_max")), "{body}");
    let all = events(&client, Method::GET, "/api/reach/numbers/100").await;
    let numbers: Vec<_> = all.iter().map(|it| it.1["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

// `GET /api/COMPONENT/PATH`: the component's grants and limits apply, and refusals have a message.

async fn get(client: &Client, path: &str) -> (u16, Value) {
    let response = client.get(path).await;
    let status = response.status().as_u16();
    assert_eq!(response.headers()["content-type"], "application/json", "{path}");
    (status, response.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn look_up_is_answered_with_uncached_json() {
    let server = server(|_| {}).await;
    let client = server.client();
    client.output("send_letter", json!({ "text": "窓口から" })).await;
    let response = client.get("/api/reach/letters?q=%E7%AA%93").await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert_eq!(response.json::<Value>().await.unwrap(), json!({ "letters": ["窓口から"] }));
    let (_, echo) = get(&client, "/api/reach/echo/a%20b/c?x=1&y=a+b&x=2").await;
    assert_eq!(
        echo,
        json!({ "path": "echo/a b/c", "query": [["x", "1"], ["y", "a b"], ["x", "2"]] })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn head_has_no_body_and_other_methods_are_rejected() {
    let server = server(|_| {}).await;
    let http = tests::client::http().build().unwrap();
    let url = format!("{}/api/reach/letters", server.url());
    let head = http.head(&url).send().await.unwrap();
    assert_eq!(
        (head.status().as_u16(), &head.headers()["content-type"]),
        (200, &"application/json".parse().unwrap())
    );
    assert!(head.bytes().await.unwrap().is_empty());
    assert_eq!(http.put(&url).body("{}").send().await.unwrap().status(), 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_has_its_status_and_remedy() {
    let server = server(|_| {}).await;
    let client = server.client();
    let (status, body) = get(&client, "/api/reach/double?number=x").await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_params")));
    assert_eq!(body["message"], "number must be a number");
    let (status, body) = get(&client, "/api/reach/secret").await;
    assert_eq!((status, &body["error"]), (403, &json!("forbidden")));
    assert_eq!(body["data"], json!({ "why": "it is secret" }));
    let (status, body) = get(&client, "/api/reach/closed").await;
    assert_eq!((status, &body["message"]), (503, &json!("Back in a minute.")));
    let (status, body) = get(&client, "/api/reach/nowhere").await;
    assert_eq!((status, &body["error"]), (404, &json!("not_found")));
    let (status, body) = get(&client, "/api/nobody/x").await;
    assert_eq!((status, &body["message"]), (404, &json!("There is no component nobody.")));
    let (status, body) = get(&client, "/api/reach/echo/x?q=%ff").await;
    assert!(status == 400 && body["message"].as_str().unwrap().contains("UTF-8"), "{body}");
    let many = "a=1&".repeat(65);
    assert_eq!(get(&client, &format!("/api/reach/echo/x?{many}")).await.0, 400);
    let long = "a".repeat(8193);
    assert_eq!(get(&client, &format!("/api/reach/echo/x?q={long}")).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn look_up_is_held_to_the_components_limits() {
    let server = server(|it| it.limits.cpu_ms_max = 200).await;
    let (status, body) = get(&server.client(), "/api/reach/loop").await;
    assert_eq!((status, &body["data"]["limit"]), (500, &json!("cpu_ms_max")), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ungranted_look_up_is_refused_naming_the_grant() {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    let server = start(folders, |config| {
        let grants = config.components.get_mut("reach").and_then(|it| it.grants.as_mut());
        grants.expect("it is granted").remove(&Grant::Endpoints);
    })
    .await;
    let (status, body) = get(&server.client(), "/api/reach/letters").await;
    assert_eq!(status, 404);
    let message = body["message"].as_str().unwrap();
    assert!(message.contains("add \"endpoints\" to grants under [components.reach]"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn component_named_like_a_server_endpoint_replaces_nothing() {
    let folders = Folders::new();
    folders.put("health", &component_bytes("reach"));
    let server = start(folders, |config| {
        let all = config.components["reach"].clone();
        config.components.insert("health".to_owned(), all);
    })
    .await;
    let (_, health) = get(&server.client(), "/api/health").await;
    assert_eq!(health["components"]["health"]["status"], "running");
    let (status, body) = get(&server.client(), "/api/health/letters").await;
    assert_eq!(status, 404);
    assert!(body["message"].as_str().unwrap().contains("the server's own"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_page_gets_no_answer() {
    let server = server(|_| {}).await;
    let http = tests::client::http().build().unwrap();
    for path in ["/api/reach/letters", "/api/blobs/0"] {
        let request = http.get(format!("{}{path}", server.url()));
        let response = request.header("origin", "http://evil.example").send().await.unwrap();
        assert_eq!(response.status(), 403, "{path}");
    }
}
