//! `GET /api/COMPONENT/PATH`: the component's grants and limits apply, and refusals have a message.

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{component_bytes, server::Folders};

use super::{server, start};

async fn get(client: &tests::client::Client, path: &str) -> (u16, Value) {
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
