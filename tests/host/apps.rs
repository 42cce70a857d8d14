//! Apps in tool lists and resources, for each client and era (APP-1, APP-2, APP-5), and the origin of foreign ones.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
    component_bytes, lettered,
    server::{Folders, TestServer},
};

const EXTENSION: &str = "io.modelcontextprotocol/ui";

const MIME_TYPE: &str = "text/html;profile=mcp-app";

async fn serving(components: &[&str]) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    TestServer::start(folders, |_| ()).await
}

/// `_meta` of a client that shows apps.
fn shows_apps() -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"]["extensions"] =
        json!({ EXTENSION: { "mimeTypes": [MIME_TYPE] } });
    meta
}

/// The name and `_meta.ui` of each tool that has one and is for models, too.
fn apps(list: &Value) -> Vec<(String, Value)> {
    let tools = list["tools"].as_array().unwrap_or_else(|| panic!("{list}")).iter();
    let ui = |it: &Value| it["_meta"]["ui"].clone();
    let shown = tools.filter(|it| !ui(it).is_null() && ui(it).get("visibility").is_none());
    shown.map(|it| (it["name"].as_str().unwrap().to_owned(), ui(it))).collect()
}

/// The tool of that name in a list.
fn tool<'a>(list: &'a Value, name: &str) -> &'a Value {
    let mut tools = list["tools"].as_array().unwrap().iter();
    tools.find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// APP-1, APP-2.
#[tokio::test(flavor = "multi_thread")]
async fn lists_name_the_same_apps_in_both_eras_for_all_clients() {
    let server = serving(&["cinema", "forms"]).await;
    let client = server.client();
    let plain = client.result("tools/list", json!({})).await;
    let found = apps(&plain);
    let seats = json!({ "resourceUri": "ui://cinema/seats" });
    assert!(found.contains(&("list_available_seats".to_owned(), seats)), "{found:?}");
    assert!(found.iter().any(|it| it.0 == "request_form"), "{found:?}");
    let shown = client.result("tools/list", json!({ "_meta": shows_apps() })).await;
    assert_eq!(apps(&shown), found, "whatever the client says of itself");
    for capabilities in [json!({}), json!({ "extensions": { EXTENSION: {} } })] {
        let session = LegacySession::open_with(&server.url(), capabilities).await;
        let list = session.request("tools/list", json!({})).await;
        assert_eq!(apps(&list["result"]), found, "in the legacy era");
    }
    // Tools for apps alone are marked, and listed for clients that show apps.
    let kept = &tool(&shown, "keep_choice")["_meta"]["ui"];
    assert_eq!(kept, &json!({ "visibility": ["app"] }));
}

/// APP-1.
#[tokio::test(flavor = "multi_thread")]
async fn server_announces_apps_in_both_eras() {
    let server = serving(&["echo"]).await;
    let says = json!({ "mimeTypes": [MIME_TYPE] });
    let discovered = server.client().result("server/discover", json!({})).await;
    assert_eq!(discovered["capabilities"]["extensions"][EXTENSION], says, "{discovered}");
    let body = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        },
    });
    let accept = [("accept", "application/json, text/event-stream")];
    let answer = server.client().post("/mcp", &accept, body.to_string()).await;
    let answer = answer.text().await.unwrap();
    assert!(answer.contains(EXTENSION) && answer.contains(MIME_TYPE), "{answer}");
}

/// APP-3.
#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_listed_and_read_alike_in_both_eras() {
    let server = serving(&["forms"]).await;
    let client = server.client();
    let uri = "ui://forms/form";
    let list = client.result("resources/list", json!({})).await;
    let listed = list["resources"].as_array().unwrap().iter().find(|it| it["uri"] == uri);
    let listed = listed.expect("it is listed");
    assert_eq!(listed["mimeType"], MIME_TYPE);
    let modern = client.result("resources/read", json!({ "uri": uri })).await["contents"].clone();
    let session = LegacySession::open(&server.url()).await;
    let legacy = session.request("resources/read", json!({ "uri": uri })).await;
    assert_eq!(legacy["result"]["contents"], modern);
    assert_eq!(modern[0]["mimeType"], MIME_TYPE);
    assert_eq!(modern[0]["_meta"], listed["_meta"]);
    assert_eq!(modern[0]["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
    assert!(modern[0]["text"].as_str().unwrap().starts_with("<!doctype html>"));
}

/// APP-2.
#[tokio::test(flavor = "multi_thread")]
async fn tools_name_only_apps_of_their_component() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.put("library", &lettered("library", b"library shelf:", b'a'));
    let server = TestServer::start(folders, tests::fixtures::grants).await;
    let client = server.client();
    for meta in [Client::meta(), shows_apps()] {
        let list = client.result("tools/list", json!({ "_meta": meta })).await;
        let own = json!({ "resourceUri": "ui://library/card" });
        for named in ["own", "older"] {
            assert_eq!(tool(&list, named)["_meta"]["ui"], own, "{named}");
        }
        for unnamed in ["none", "others", "no_app", "plain_type"] {
            let meta = &tool(&list, unnamed)["_meta"];
            assert_eq!(meta.get("ui"), None, "{unnamed}");
            assert_eq!(meta["shop/x"], 1, "{unnamed}: the rest stays");
        }
        assert!(!list.to_string().contains("ui/resourceUri"), "one name for one thing");
    }
    let list = client.result("tools/list", json!({ "_meta": shows_apps() })).await;
    assert_eq!(tool(&list, "hidden")["_meta"]["ui"], json!({ "visibility": ["app"] }));
    // The other component's page is the other component's all the same.
    let read = client.result("resources/read", json!({ "uri": "ui://cinema/seats" })).await;
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("keep_choice"));
}

/// APP-5.
#[tokio::test(flavor = "multi_thread")]
async fn app_has_the_language_of_its_caller() {
    let server = serving(&["forms"]).await;
    let client = server.client();
    let field = json!({ "name": "a", "type": "text", "label": "A", "required": true });
    let form = json!({ "title": "t", "fields": [field] });
    let arguments = json!({ "form_schema": form, "values": {} });
    let session = LegacySession::open(&server.url()).await;
    let japanese = "Aは必須です";
    for (locale, message) in [("en-GB", "A is required"), ("ja", japanese), ("no tag", japanese)] {
        let mut meta = Client::meta();
        meta["madoguchi/locale"] = locale.into();
        let call = |meta: Value| json!({ "name": "validate_form_submission", "arguments": arguments, "_meta": meta });
        let plain = client.result("tools/call", call(meta)).await;
        assert_eq!(plain["structuredContent"]["errors"][0]["message"], message, "{locale}");
        let by_sdk =
            session.request("tools/call", call(json!({ "madoguchi/locale": locale }))).await;
        assert_eq!(by_sdk["result"]["structuredContent"], plain["structuredContent"], "{locale}");
    }
}

// The second origin, which serves the frame of foreign apps, and its content security policy.

/// A server with that `[apps]`.
async fn with(lines: &str) -> TestServer {
    let folders = Folders::new();
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

fn port(server: &TestServer) -> String {
    server.url().rsplit(':').next().unwrap().to_owned()
}

/// The app origin that the page at `host` is given.
async fn apps_setting(server: &TestServer, host: &str) -> Value {
    let port = port(server);
    let http = tests::client::http().build().unwrap();
    let request = http.get(format!("http://127.0.0.1:{port}/api/page"));
    let response = request.header(header::HOST, format!("{host}:{port}")).send().await.unwrap();
    response.json::<Value>().await.unwrap()["apps"].clone()
}

/// The origin of apps by the address that it listens at.
async fn origin(server: &TestServer) -> String {
    apps_setting(server, "localhost").await["origin"].as_str().expect("there is one").to_owned()
}

/// The frame's policy for an app that requests `csp`.
async fn policy(origin: &str, csp: &str) -> String {
    let http = tests::client::http().build().unwrap();
    let mut url = reqwest::Url::parse(origin).unwrap();
    url.query_pairs_mut().append_pair("csp", csp);
    let response = http.get(url).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{csp}");
    response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned()
}

fn directive<'a>(policy: &'a str, name: &str) -> &'a str {
    let all = policy.split("; ").find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
    all.unwrap_or_else(|| panic!("no {name} in {policy}"))
}

async fn policy_of_page(server: &TestServer) -> String {
    let page = server.client().get("/").await;
    page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned()
}

/// HOSTED-4: nothing but the frame is there.
#[tokio::test]
async fn second_origin_serves_the_frame_of_apps_and_nothing_else() {
    let server = TestServer::with(&["echo"]).await;
    let origin = origin(&server).await;
    assert_ne!(origin, server.url());
    let http = tests::client::http().build().unwrap();
    let frame = http.get(format!("{origin}/")).send().await.unwrap();
    assert_eq!(frame.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(frame.headers()["x-content-type-options"], "nosniff");
    assert_eq!(frame.headers()["referrer-policy"], "no-referrer");
    assert!(frame.headers().get(header::SET_COOKIE).is_none());
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    for (method, path) in [
        (Method::POST, "/mcp"),
        (Method::GET, "/mcp"),
        (Method::POST, "/mcp/"),
        (Method::POST, "/rpc"),
        (Method::GET, "/api/page"),
        (Method::GET, "/api/health"),
        (Method::GET, "/api/operator/now"),
        (Method::GET, "/operator/now"),
        (Method::GET, "/index.html"),
        (Method::GET, "/.well-known/oauth-protected-resource"),
        (Method::POST, "/"),
        (Method::OPTIONS, "/"),
        (Method::GET, "//"),
    ] {
        let request = http.request(method.clone(), format!("{origin}{path}"));
        let request = request.header("content-type", "application/json").body(call.clone());
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{method} {path}");
        let headers = response.headers();
        assert!(headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN).is_none(), "{method} {path}");
        assert!(headers.get(header::SET_COOKIE).is_none(), "{method} {path}");
        assert_eq!(response.json::<Value>().await.unwrap()["error"], "not_found");
    }
    let bad = http.get(format!("{origin}/?csp=%zz")).send().await.unwrap();
    assert_eq!(bad.status(), StatusCode::BAD_REQUEST);
}

/// HOSTED-4: the page shows frames of that origin, and that origin is shown by the page.
#[tokio::test]
async fn page_and_frame_name_each_other_and_no_other() {
    let server = TestServer::with(&["echo"]).await;
    let (here, there) =
        (apps_setting(&server, "127.0.0.1").await, apps_setting(&server, "localhost").await);
    let page = policy_of_page(&server).await;
    let sources: Vec<_> = directive(&page, "frame-src").split(' ').collect();
    let expected = [&there["origin"], &here["origin"]].map(|it| it.as_str().unwrap());
    assert_eq!(sources, expected, "another name than the page's, whichever that is");
    assert!(here["origin"].as_str().unwrap().starts_with("http://localhost:"));
    let frame = policy(expected[0], "").await;
    let pages: Vec<_> = directive(&frame, "frame-ancestors").split(' ').collect();
    let port = port(&server);
    assert_eq!(pages, [format!("http://localhost:{port}"), format!("http://127.0.0.1:{port}")]);
}

/// HOSTED-5: without metadata nothing comes from elsewhere; what is no domain adds nothing.
#[tokio::test]
async fn policy_lists_valid_domains_alone() {
    let server = TestServer::with(&["echo"]).await;
    let origin = origin(&server).await;
    let plain = policy(&origin, "").await;
    for (name, sources) in [
        ("default-src", "'none'"),
        ("script-src", "'unsafe-inline'"),
        ("style-src", "'unsafe-inline'"),
        ("img-src", "data: blob:"),
        ("media-src", "data: blob:"),
        ("font-src", "data:"),
        ("connect-src", "'none'"),
        ("frame-src", "'none'"),
        ("base-uri", "'none'"),
        ("object-src", "'none'"),
        ("form-action", "'none'"),
    ] {
        assert_eq!(directive(&plain, name), sources);
    }
    let port = port(&server);
    let hostile = [
        "*",
        "https:",
        "https://*",
        "https://*.com",
        "data:",
        "blob:",
        "'self'",
        "'unsafe-eval'",
        "'none'",
        "",
        "https://a.example; script-src *",
        "https://a.example\nset-cookie: a=b",
        "https://a.example\r\n\r\n<p>",
        "https://a.example 'unsafe-eval'",
        "https://a.example,https://b.example",
        "https://a.example/path",
        "https://u:p@a.example",
        "http://a.example",
        "ws://a.example",
        "javascript:alert(1)",
        "https://a.example\"",
        "https://ä.example",
        &format!("http://localhost:{port}"),
        &format!("https://localhost:{port}"),
        "https://127.0.0.1",
        &format!("https://{}.example", "a".repeat(300)),
    ];
    for csp in [
        json!({ "connectDomains": hostile, "resourceDomains": hostile }),
        json!({ "frameDomains": hostile, "baseUriDomains": hostile }),
        json!({ "connectDomains": "https://a.example", "resourceDomains": { "a": 1 } }),
        json!({ "frameDomains": [[], {}, 1, null] }),
        json!({ "connect-src": ["https://a.example"], "script-src": ["*"] }),
        json!([["https://a.example"]]),
        json!("https://a.example"),
    ] {
        assert_eq!(policy(&origin, &csp.to_string()).await, plain, "{csp}");
    }
    for text in ["{", "null", "script-src *", "{\"connectDomains\": [\"https://a.example\""] {
        assert_eq!(policy(&origin, text).await, plain, "{text}");
    }
    let good = json!({
        "connectDomains": ["https://api.example", "wss://live.example:8443", "https://api.example"],
        "resourceDomains": ["https://*.cdn.example"],
        "frameDomains": ["https://player.example/"],
    });
    let asked = policy(&origin, &good.to_string()).await;
    assert_eq!(directive(&asked, "connect-src"), "https://api.example wss://live.example:8443");
    assert_eq!(directive(&asked, "script-src"), "'unsafe-inline' https://*.cdn.example");
    assert_eq!(directive(&asked, "img-src"), "data: blob: https://*.cdn.example");
    assert_eq!(directive(&asked, "frame-src"), "https://player.example");
    let many: Vec<_> = (0..60).map(|it| format!("https://a{it}.example")).collect();
    let many = policy(&origin, &json!({ "connectDomains": many }).to_string()).await;
    assert_eq!(directive(&many, "connect-src").split(' ').count(), 32, "and no more");
}

/// HOSTED-6: what the operator does not list, no app reaches.
#[tokio::test]
async fn operator_limits_or_forbids_what_apps_reach() {
    let csp = json!({ "connectDomains": [
        "https://a.maps.example", "https://evil.example", "http://10.0.0.7:9000", "https://*.example",
    ] });
    let lines = "[apps]\ndomains = ['https://*.maps.example', 'http://10.0.0.7:9000']\npermissions = ['geolocation']";
    let server = with(lines).await;
    let limited = policy(&origin(&server).await, &csp.to_string()).await;
    let reached = "https://a.maps.example http://10.0.0.7:9000";
    assert_eq!(directive(&limited, "connect-src"), reached);
    assert_eq!(apps_setting(&server, "localhost").await["permissions"], json!(["geolocation"]));
    let server = with("[apps]\ndomains = []").await;
    let forbidden = policy(&origin(&server).await, &csp.to_string()).await;
    assert_eq!(directive(&forbidden, "connect-src"), "'none'");
    assert_eq!(apps_setting(&server, "localhost").await["permissions"], json!([]));
}

/// HOSTED-4: an operator's own host name, or none.
#[tokio::test]
async fn page_learns_the_app_origin_only_if_there_is_one() {
    for lines in ["[apps]\naddr = false", PUBLIC] {
        let server = with(lines).await;
        assert_eq!(apps_setting(&server, "localhost").await, Value::Null, "{lines}");
        let page = policy_of_page(&server).await;
        assert!(!page.contains("frame-src"), "{page}");
    }
    let server =
        with(&format!("{PUBLIC}[apps]\naddr = '127.0.0.1:0'\nurl = 'https://apps.example'")).await;
    for host in ["localhost", "tools.example"] {
        assert_eq!(apps_setting(&server, host).await["origin"], "https://apps.example", "{host}");
    }
    let page = policy_of_page(&server).await;
    assert_eq!(directive(&page, "frame-src"), "https://apps.example");
}

/// A page for others, who do not reach this machine by the names that it has for itself.
const PUBLIC: &str = "public_url = 'https://tools.example'\nallow_anonymous = true\n";
