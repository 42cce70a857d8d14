//! Settings of the operator apply to the running server, invalid ones change nothing; aliases.

use std::{collections::BTreeMap, fs, time::Duration};

use host::{Config, Server, clock::Clock};
use reqwest::redirect;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes, root,
    server::{Folders, TestServer},
};

/// Waits until health reports an error of the cinema that contains `part`; without a part, until it reports none.
async fn health_says(server: &TestServer, part: Option<&str>) {
    let body = async {
        loop {
            let health: Value = server.client().get("/api/health").await.json().await.unwrap();
            let error = health["components"]["cinema"]["error"].as_str();
            match (error, part) {
                (None, None) => return,
                (Some(error), Some(part)) if error.contains(part) => return,
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let in_time = tokio::time::timeout(tests::PATIENCE, body).await;
    in_time.unwrap_or_else(|_| panic!("health does not say {part:?}"));
}

async fn titles(server: &TestServer) -> Vec<String> {
    let movies = server.client().output("list_movies", json!({})).await;
    let titles = movies["movies"].as_array().unwrap().iter();
    titles.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn applies_changed_catalogue_but_not_an_invalid_one() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let demo = fs::read_to_string(root().join("components/cinema/demo.json")).unwrap();
    let mut catalogue: Value = serde_json::from_str(&demo).unwrap();
    let file = folders.components().join("my-cinema.json");
    let mut name = |title: &str| {
        catalogue["movies"][0]["title"] = title.into();
        fs::write(&file, catalogue.to_string()).unwrap();
    };
    name("最初の題名");
    let setting = json!({ "file": &file });
    let mut server = TestServer::start(folders, |config| {
        let cinema = config.components.get_mut("cinema").expect("it has its grants");
        cinema.settings.insert("catalog".to_owned(), setting);
    })
    .await;
    assert!(titles(&server).await.contains(&"最初の題名".to_owned()));

    name("次の題名");
    let taken_over = async {
        while !titles(&server).await.contains(&"次の題名".to_owned()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, taken_over).await.expect("in time");

    fs::write(&file, "{ not json").unwrap();
    health_says(&server, Some("line 1")).await;
    fs::write(&file, r#"{ "screens": 1 }"#).unwrap();
    health_says(&server, Some("/screens")).await;
    assert!(titles(&server).await.contains(&"次の題名".to_owned()), "the one before serves");

    server.restart().await;
    health_says(&server, Some("/screens")).await;
    assert!(titles(&server).await.contains(&"次の題名".to_owned()), "after a restart, too");
    name("最後の題名");
    health_says(&server, None).await;
    assert!(titles(&server).await.contains(&"最後の題名".to_owned()));
}

/// Settings that are refused before any were accepted: the component is there, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn settings_refused_on_a_first_start_refuse_each_call() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.put("echo", &component_bytes("echo"));
    let file = folders.components().join("my-cinema.json");
    let demo = fs::read_to_string(root().join("components/cinema/demo.json")).unwrap();
    let mut catalogue: Value = serde_json::from_str(&demo).unwrap();
    catalogue["screens"] = 1.into();
    fs::write(&file, catalogue.to_string()).unwrap();
    let setting = json!({ "file": &file });
    let mut server = TestServer::start(folders, |config| {
        let cinema = config.components.get_mut("cinema").expect("it has its grants");
        cinema.settings.insert("catalog".to_owned(), setting);
    })
    .await;
    for _ in 0..2 {
        let client = server.client();
        let health: Value = client.get("/api/health").await.json().await.unwrap();
        assert_eq!(
            (&health["status"], &health["components"]["echo"]["status"]),
            (&json!("degraded"), &json!("running"))
        );
        let cinema = &health["components"]["cinema"];
        let error = cinema["error"].as_str().unwrap();
        assert_eq!(cinema["status"], "failing", "{health}");
        assert!(error.contains("/screens") && error.contains("calls are refused"), "{error}");
        assert!(!error.contains("version before"), "there is none: {error}");
        let refusal = client.failure("list_movies", json!({})).await;
        assert_eq!(
            (&refusal["error"], &refusal["status"]),
            (&json!("settings_refused"), &json!(503))
        );
        let message = refusal["message"].as_str().unwrap();
        assert!(message.contains("cinema") && message.contains("operator"), "{message}");
        client.output("echo", json!({ "value": {} })).await;
        server.restart().await;
    }
    fs::write(&file, demo).unwrap();
    health_says(&server, None).await;
    assert!(!titles(&server).await.is_empty(), "mended without a restart");
}

/// `/api/health` is for every caller: where files lie is the operator's.
#[tokio::test(flavor = "multi_thread")]
async fn health_reveals_no_folders_of_the_machine() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.put("broken", b"no component");
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("films.json");
    fs::write(&file, "{").unwrap();
    let setting = json!({ "file": &file });
    let server = TestServer::start(folders, |config| {
        let cinema = config.components.get_mut("cinema").expect("it has its grants");
        cinema.settings.insert("catalog".to_owned(), setting);
    })
    .await;
    let health = server.client().get("/api/health").await.text().await.unwrap();
    assert!(health.contains("films.json") && health.contains("broken.wasm"), "{health}");
    let home = server.folders.data().parent().unwrap().display().to_string();
    for folder in [home, elsewhere.path().display().to_string()] {
        assert!(!health.contains(&folder), "{health}");
    }
    let error = server.server().control.component("cinema").unwrap().trouble.unwrap();
    assert!(error.contains(&file.display().to_string()), "the operator is told: {error}");
}

// Aliases: the page's public address, short addresses of forms, names under `/api`.

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
