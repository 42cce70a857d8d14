//! A secret of the operator appears only in requests to its host.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::json;
use tests::{collector::Collector, fake::Fake, operator::Operator};

use super::{Courier, SECRET, SECRET_IN_QUERY, SECRETS, entry};

/// Encodings of the secret to search for.
const FORMS: [&str; 3] = [SECRET, SECRET_IN_QUERY, "s3cr3t"];

/// Places where the secret could appear, by name.
#[derive(Default)]
struct Sources(BTreeMap<String, Vec<u8>>);

impl Sources {
    fn add(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.0.insert(name.into(), content.into());
    }

    fn containing(&self, form: &str) -> Vec<&str> {
        let has = |content: &[u8]| content.windows(form.len()).any(|it| it == form.as_bytes());
        self.0.iter().filter(|(_, it)| has(it)).map(|(name, _)| name.as_str()).collect()
    }
}

/// Calls whose answers could contain it, by name.
fn calls(fake: &Fake) -> Vec<(&'static str, &'static str, serde_json::Value)> {
    let backwards: String = SECRET.chars().rev().collect();
    let fetch = |path: &str| json!({ "url": fake.url(path), "look_for_reversed": backwards });
    let gone = json!({ "url": fake.url("/ok").replace("127.0.0.1", "127.0.0.2") });
    let all = json!({ "settings": ["key", "http", "COURIER_KEY"], "look_for_reversed": backwards });
    vec![
        ("a plain request", "fetch", fetch("/ok?a=1")),
        ("a host that says back what it heard", "fetch", fetch("/echo?a=1")),
        ("a redirect that says it back", "fetch", fetch("/redirect?to=/ok")),
        ("a host that breaks off", "fetch", fetch("/never")),
        ("an address where nobody listens", "fetch", gone),
        ("what is refused", "fetch", json!({ "url": "https://api.example.com/" })),
        ("what is no URL", "fetch", json!({ "url": "nonsense" })),
        ("all that the component sees", "tell_all", all),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_appears_only_in_the_request_to_its_host() {
    let fake = Fake::start().await;
    let limits = "limits = { http_timeout_ms = 2000 }\n";
    let closed = entry("127.0.0.2", &fake, SECRETS);
    let mut collector = Collector::start().await;
    let traces = format!("[telemetry]\notlp_endpoint = '{}'\n", collector.url);
    let lines = format!("{limits}{}{closed}{traces}", entry("127.0.0.1", &fake, SECRETS));
    let mut courier = Courier::start(&lines, "trace");
    let mut sources = Sources::default();

    for (name, tool, arguments) in calls(&fake) {
        let params = json!({ "name": tool, "arguments": arguments });
        let (_, answer) = courier.client.request("tools/call", params).await;
        let structured = &answer["result"]["structuredContent"];
        assert_ne!(structured["found_in_memory"], true, "{name}: it lies in its memory");
        sources.add(format!("mcp: {name}"), answer.to_string());
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": tool, "params": arguments });
        let answer = courier.client.post("/rpc", &[], body.to_string()).await;
        sources.add(format!("rest: {name}"), answer.text().await.unwrap());
    }
    for path in ["/api/health", "/", "/index.html", "/no-such-page"] {
        sources.add(path, courier.client.get(path).await.text().await.unwrap());
    }
    for method in ["tools/list", "server/discover", "no/such"] {
        let (_, answer) = courier.client.request(method, json!({})).await;
        sources.add(method, answer.to_string());
    }
    let operator = Operator::of(&courier.folders.data());
    for path in ["metrics", "audit?lines=1000", "components"] {
        let (_, answer) = operator.send(Method::GET, path, "").await;
        sources.add(format!("operator: {path}"), answer.to_string());
    }
    courier.process.signal();
    courier.process.wait();
    sources.add("log", courier.log());
    for (path, bytes) in courier.folders.kept() {
        sources.add(path.display().to_string(), bytes);
    }
    let spans = collector.spans(2 * calls(&fake).len()).await;
    sources.add("traces", serde_json::Value::from(spans).to_string());

    let received = fake.received();
    assert!(received.len() >= 8, "each kind was sent, and twice: {received:?}");
    for request in &received {
        assert!(request.contains(SECRET) && request.contains(SECRET_IN_QUERY), "{request}");
    }
    assert!(sources.0["log"].len() > 10_000, "the log is a full one");
    assert!(
        sources.containing("fetch").contains(&"operator: audit?lines=1000"),
        "calls are audited"
    );
    assert!(sources.containing("courier").contains(&"traces"), "and traced");
    assert!(sources.containing("madoguchi_http_requests_total").contains(&"operator: metrics"));
    assert!(sources.0["mcp: a host that says back what it heard"].len() > 100);
    for form in FORMS {
        assert_eq!(sources.containing(form), Vec::<&str>::new(), "{form} got out");
    }
}

#[test]
fn configuration_error_near_a_secret_hides_the_secret() {
    let folders = tests::server::Folders::new();
    let secret = "{ header = 'X-Key', valeu = 'x', value = 's3cr3t/of+the&operator' }";
    let lines = format!("[[components.courier.http]]\nhost = 'a.example'\nsecrets = [{secret}]");
    let config = super::write_config(&folders, &lines);
    let mut command = super::command(&folders);
    let ended = super::output(command.args(["--addr", "127.0.0.1:0", "--config"]).arg(config));
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && text.contains("valeu") && text.contains("line 6"), "{text}");
    assert!(!text.contains("s3cr3t"), "{text}");
}
