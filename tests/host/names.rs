//! Aliases: the page's public address, short addresses of forms, names under `/api`.

use std::collections::BTreeMap;

use host::{Config, Server, clock::Clock};
use reqwest::redirect;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

/// The grants of the component `reach` for look-ups.
const REACH: &str = "[components.reach]\ngrants = ['sql', 'settings', 'clock', 'random', 'files', 'folders', 'blobs', 'events', 'endpoints', 'assistants']\n";

/// A server with the component `reach` and these lines of configuration beside its grants.
async fn serving(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    let config = folders.config_with(&format!("{lines}\n{REACH}"));
    TestServer::start(folders, |it| *it = config).await
}

async fn get(client: &Client, path: &str) -> (u16, Value) {
    let response = client.get(path).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn component_knows_the_public_address_of_the_page() {
    let server = serving("").await;
    let (_, answer) = get(&server.client(), "/api/reach/page").await;
    assert_eq!(answer, json!({ "page": server.url() }));
    let server =
        serving("allow_anonymous = true\npublic_url = 'https://tools.example/counter'").await;
    let (_, answer) = get(&server.client(), "/api/reach/page").await;
    assert_eq!(answer, json!({ "page": "https://tools.example/counter" }));
    // A request by that name is served, and by no other.
    let ask = async |host: &str| {
        let request = server.client().http(reqwest::Method::GET, "/api/health");
        request.header("host", host).send().await.unwrap().status().as_u16()
    };
    assert_eq!((ask("tools.example").await, ask("other.example").await), (200, 403));
}

#[tokio::test(flavor = "multi_thread")]
async fn short_address_of_a_form_leads_strangers_to_the_page_too() {
    let folders = Folders::new();
    let digest = host::digest::digest(b"a token of forty characters and no more...");
    let lines = format!("[tokens.me]\nsha256 = '{digest}'\nscopes = ['*']");
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let http = tests::client::http().redirect(redirect::Policy::none()).build().unwrap();
    let url = format!("{}/f/Ab_9-z", server.url());
    for request in [http.get(&url), http.head(&url)] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 303);
        let location = response.headers()["location"].to_str().unwrap();
        let led_to = response.url().join(location).unwrap();
        assert_eq!(led_to.as_str(), format!("{}/#/form/Ab_9-z", server.url()));
        assert_eq!(response.headers()["referrer-policy"], "no-referrer");
        assert_eq!(response.headers()["cache-control"], "no-store");
    }
    let long = "a".repeat(65);
    for wrong in ["a%2Fb", "a.b", "%22%3E", "a%0d%0aset-cookie:x", &*long, "%E7%AA%93"] {
        let url = format!("{}/f/{wrong}", server.url());
        let response = http.get(url).send().await.unwrap();
        assert_eq!(response.status(), 404, "{wrong}");
        assert!(response.headers().get("location").is_none(), "{wrong}");
        assert!(response.headers().get("set-cookie").is_none(), "{wrong}");
    }
    // Only reading is open to all.
    assert_eq!(http.post(&url).send().await.unwrap().status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn alias_answers_as_the_component_and_serves_nothing_unnamed() {
    let server =
        serving("[endpoints]\nstations = 'reach/echo'\npost = 'reach'\ngone = 'nobody'").await;
    let client = server.client();
    let (status, answer) = get(&client, "/api/stations/a%20b/c?x=1").await;
    assert_eq!((status, answer), (200, json!({ "path": "echo/a b/c", "query": [["x", "1"]] })));
    assert_eq!(get(&client, "/api/post/double?number=4").await.1, json!({ "double": 8 }));
    // A name for a part of a component is a name for that part only.
    for path in ["/api/stations/../letters", "/api/stations/%2e%2e/letters", "/api/stations"] {
        let (status, answer) = get(&client, path).await;
        assert!(!answer.to_string().contains("letters\":["), "{path}: {status} {answer}");
    }
    let (status, answer) = get(&client, "/api/gone/x").await;
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(
        status == 404 && message.contains("nobody") && message.contains("/api/health"),
        "{answer}"
    );
    let (status, _) = get(&client, "/api/trains/x").await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_apply_to_the_component_under_any_alias() {
    let tokens = [("in", "component:reach"), ("out", "component:cinema")];
    let token = |name: &str| format!("{name}-{}", "t".repeat(40));
    let tables = tokens.map(|(name, scope)| {
        let digest = host::digest::digest(token(name).as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['{scope}']\n")
    });
    let names = "stations = 'reach/echo'\n'/stations' = 'reach/echo'\n";
    let lines = format!("[endpoints]\n{names}{}", tables.concat());
    let server = serving(&lines).await;
    // Under /api and outside of it.
    for path in ["/api/stations/x", "/stations/x"] {
        let mut names = BTreeMap::new();
        for (name, _) in tokens {
            let client = server.client_with(&token(name));
            names.insert(name, get(&client, path).await);
        }
        assert_eq!(names["in"].0, 200, "{path}: {names:?}");
        let out = (names["out"].0, &names["out"].1["error"]);
        assert_eq!(out, (403, &json!("insufficient_scope")), "{path}");
        assert_eq!(get(&server.client(), path).await.0, 401, "{path}");
    }
    // Where nothing answers there are the page's files, which are public.
    assert_eq!(server.client().get("/stationsx").await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn already_taken_name_prevents_the_start_and_is_named() {
    let folders = Folders::new();
    let start = async |lines: &str| {
        let config: Config = folders.config_with(lines);
        Server::start_at(config, Clock::System).await.err().map(|it| it.to_string())
    };
    let error = start("[endpoints]\nblobs = 'reach'").await.unwrap();
    assert!(error.contains("[endpoints]: /api/blobs is the server's own"), "{error}");
    let error = start("[endpoints]\n'/register' = 'reach'").await.unwrap();
    assert!(error.contains("clients look for one without a token"), "{error}");
    let error = start(&format!("[endpoints]\nreach = 'other'\n{REACH}")).await.unwrap();
    assert!(error.contains("/api/reach is the component reach's own"), "{error}");
}
