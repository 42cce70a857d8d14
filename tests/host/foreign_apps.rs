//! The second origin, which serves the frame of foreign apps, and its content security policy.

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tests::server::{Folders, TestServer};

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
