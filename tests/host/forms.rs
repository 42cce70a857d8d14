//! Look-ups of forms (FORM-49, FORM-50): the demo, and origins that the operator allows.

mod late;

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Config, Server, clock::Clock, config::ComponentConfig};
use reqwest::Url;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake::Fake,
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
    tokio::time::timeout(tests::PATIENCE, swept).await.expect("it is swept");
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
