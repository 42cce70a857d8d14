//! Outgoing HTTP: granted hosts, secrets in headers, limits.

use std::{collections::BTreeMap, fs, path::PathBuf};

use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    client::Client,
    collector::Collector,
    component_bytes,
    fake::Fake,
    process::{Process, command, output},
    server::{Folders, Operator},
};

/// The program serving the courier, its log in a file.
struct Courier {
    client: Client,
    process: Process,
    log: PathBuf,
    folders: Folders,
}

impl Courier {
    /// Serves it with these lines of configuration beside its grants.
    fn start(lines: &str, log: &str) -> Self {
        let folders = Folders::new();
        folders.put("courier", &component_bytes("courier"));
        let config = write_config(&folders, lines);
        let log_file = config.with_file_name("log");
        let mut command = command(&folders);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        command.arg("--config").arg(&config).env("MADOGUCHI_LOG", log);
        // A machine without root certificates starts all the same, and http works.
        let none = folders.data();
        command.env("SSL_CERT_FILE", none.join("none.pem")).env("SSL_CERT_DIR", none.join("none"));
        command.env("COURIER_KEY", SECRET).env("http_proxy", "http://127.0.0.1:1");
        let process = Process::logging(command, fs::File::create(&log_file).unwrap());
        Self { client: Client::new(&process.url), process, log: log_file, folders }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    async fn fetch(&self, url: &str) -> Value {
        self.client.output("fetch", json!({ "url": url })).await
    }

    /// The error of a request that must be refused.
    async fn refused(&self, arguments: Value) {
        let failure = self.client.failure("fetch", arguments.clone()).await;
        assert_eq!(failure["error"], "http_denied", "{arguments}: {failure}");
        assert_eq!(failure["status"], 403, "{failure}");
    }
}

/// The secret.
const SECRET: &str = "s3cr3t/of+the&operator";

/// The secret in a query.
const SECRET_IN_QUERY: &str = "s3cr3t%2Fof%2Bthe%26operator";

fn write_config(folders: &Folders, lines: &str) -> PathBuf {
    let file = folders.data().with_file_name("madoguchi.toml");
    let grants = "bundled = false\n[components.courier]\ngrants = ['http', 'settings']\n";
    fs::write(&file, format!("{grants}{lines}\n")).unwrap();
    file
}

/// An entry for a fake host under a name of this machine.
fn entry(host: &str, fake: &Fake, more: &str) -> String {
    let port = fake.port;
    format!(
        "[[components.courier.http]]\nhost = '{host}'\nscheme = 'http'\nport = {port}\n{more}\n"
    )
}

const SECRETS: &str = "private = true
methods = ['GET', 'POST']
secrets = [
    { header = 'Authorization', prefix = 'Bearer ', environment = 'COURIER_KEY' },
    { query = 'key', environment = 'COURIER_KEY' },
]";

#[tokio::test(flavor = "multi_thread")]
async fn granted_request_arrives_with_secrets_over_components_values() {
    let fake = Fake::start().await;
    let courier = Courier::start(&entry("127.0.0.1", &fake, SECRETS), "info");
    let answer = courier
        .client
        .output(
            "fetch",
            json!({
                "url": fake.url("/ok?a=1&key=mine&b=2"),
                "method": "POST",
                "headers": { "authorization": "mine", "accept": "text/plain" },
                "body": "hello",
            }),
        )
        .await;
    assert_eq!((&answer["status"], &answer["body"]), (&json!(200), &json!("fine")));
    let [request] = &fake.received()[..] else { panic!("one request") };
    let first = format!("POST /ok?a=1&b=2&key={SECRET_IN_QUERY} HTTP/1.1\r\n");
    assert!(request.starts_with(&first), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{request}");
    assert!(request.contains("accept: text/plain\r\n") && request.ends_with("\r\n\r\nhello"));
    assert!(!request.contains("mine"), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_ungranted_request_and_logs_the_lines_to_grant_it() {
    let (fake, other) = (Fake::start().await, Fake::start().await);
    let courier = Courier::start(&entry("127.0.0.1", &fake, "private = true"), "info");
    assert_eq!(courier.fetch(&fake.url("/ok")).await["status"], 200);

    courier.refused(json!({ "url": other.url("/ok?path") })).await;
    courier.refused(json!({ "url": fake.url("/ok"), "method": "POST" })).await;
    courier.refused(json!({ "url": fake.url("/ok").replace("http:", "https:") })).await;
    courier.refused(json!({ "url": "https://api.example.com/v1?q" })).await;
    // Other ways to write an address are the same address.
    courier.refused(json!({ "url": other.url("/ok").replace("127.0.0.1", "2130706433") })).await;

    // An event is one line of the log, whatever is in it.
    let log = courier.log().replace("\\n", "\n");
    for lines in [
        format!("host = \"127.0.0.1\"\nscheme = \"http\"\nport = {}\nprivate = true", other.port),
        "methods = [\"GET\", \"HEAD\", \"POST\"]".to_owned(),
        format!("host = \"127.0.0.1\"\nport = {}\nprivate = true", fake.port),
        "[[components.courier.http]]\nhost = \"api.example.com\"\n".to_owned(),
    ] {
        assert!(log.contains(&lines), "{lines}\nis not in\n{log}");
    }
    assert!(!log.contains("/ok") && !log.contains("/v1"), "paths are nobody's business: {log}");
    assert_eq!((fake.received().len(), other.received().len()), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_name_leading_to_this_machine_unless_private_allowed() {
    let (public, private) = (Fake::start().await, Fake::start().await);
    let entries = entry("localhost", &public, "") + &entry("localhost", &private, "private = true");
    let courier = Courier::start(&entries, "info");
    let url = |fake: &Fake| format!("http://localhost:{}/ok", fake.port);
    assert_eq!(courier.fetch(&url(&private)).await["body"], "fine");
    courier.refused(json!({ "url": url(&public) })).await;
    assert!(courier.log().contains("needs private = true"), "{}", courier.log());
    assert_eq!(public.received(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_is_its_own_request_and_leads_only_where_granted() {
    let (fake, other) = (Fake::start().await, Fake::start().await);
    let entries = entry("127.0.0.1", &fake, "private = true") + &entry("localhost", &other, "");
    let courier = Courier::start(&entries, "info");
    let redirect = |to: String| fake.url(&format!("/redirect?to={to}"));
    let follow = |to| json!({ "url": redirect(to), "follow": true });

    let answer = courier.fetch(&redirect(other.url("/ok"))).await;
    assert_eq!(
        (&answer["status"], &answer["headers"]["location"]),
        (&json!(302), &json!(other.url("/ok")))
    );
    let answer = courier.client.output("fetch", follow("/ok".to_owned())).await;
    assert_eq!(answer["body"], "fine", "a granted one is followed");
    courier.refused(follow(other.url("/ok"))).await;
    courier.refused(follow(format!("http://localhost:{}/ok", other.port))).await;
    assert_eq!(other.received(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_missing_secret_for_component_and_refuses_its_host() {
    let fake = Fake::start().await;
    let more = "private = true\nsecrets = [{ header = 'X-Key', environment = 'NO_SUCH_KEY' }]";
    let courier = Courier::start(&entry("127.0.0.1", &fake, more), "info");
    let health: Value = courier.client.get("/api/health").await.json().await.unwrap();
    let error = health["components"]["courier"]["error"].as_str().unwrap_or_default();
    assert!(error.contains("NO_SUCH_KEY"), "{health}");
    courier.refused(json!({ "url": fake.url("/ok") })).await;
    assert_eq!(fake.received(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn author_tries_component_alone_with_host_from_command_line() {
    let (fake, folders) = (Fake::start().await, Folders::new());
    let arguments = json!({ "url": fake.url("/ok") }).to_string();
    let run = |more: &[&str]| {
        let mut command = command(&folders);
        command.arg("run").args(more).arg(tests::component("courier"));
        output(command.args(["fetch", &arguments]))
    };
    let allowed = run(&["--allow-http", &fake.url("")]);
    assert!(String::from_utf8_lossy(&allowed.stdout).contains("fine"), "{allowed:?}");
    let denied = run(&[]);
    assert!(String::from_utf8_lossy(&denied.stderr).contains("http_denied"), "{denied:?}");
    assert_eq!(fake.received().len(), 1);
}

// A secret of the operator appears only in requests to its host.

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
fn calls(fake: &Fake) -> Vec<(&'static str, &'static str, Value)> {
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
    sources.add("traces", Value::from(spans).to_string());

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
    let folders = Folders::new();
    let secret = "{ header = 'X-Key', valeu = 'x', value = 's3cr3t/of+the&operator' }";
    let lines = format!("[[components.courier.http]]\nhost = 'a.example'\nsecrets = [{secret}]");
    let config = write_config(&folders, &lines);
    let mut command = command(&folders);
    let ended = output(command.args(["--addr", "127.0.0.1:0", "--config"]).arg(config));
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && text.contains("valeu") && text.contains("line 6"), "{text}");
    assert!(!text.contains("s3cr3t"), "{text}");
}

// Limits of the outgoing requests of one call, each named in the log.

async fn courier(limits: &str) -> (Courier, Fake) {
    let fake = Fake::start().await;
    let more = "private = true\nmethods = ['GET', 'POST']";
    let lines = format!("limits = {{ {limits} }}\n{}", entry("127.0.0.1", &fake, more));
    (Courier::start(&lines, "info"), fake)
}

#[tokio::test(flavor = "multi_thread")]
async fn caps_requests_of_a_call_and_the_next_call_has_as_many_again() {
    let (courier, fake) = courier("http_requests_max = 3").await;
    for calls in 1..=2 {
        let often = json!({ "url": fake.url("/ok"), "times": 6 });
        let often = courier.client.output("fetch_often", often).await;
        let outcomes: Vec<_> = often["outcomes"].as_array().unwrap().iter().collect();
        assert_eq!(outcomes[..3], ["200"; 3], "{often}");
        assert_eq!(outcomes[3..], ["ConnectionLimitReached"; 3], "{often}");
        assert_eq!(fake.received().len(), 3 * calls);
        let count = courier.log().matches("limit=\"http_requests_max\"").count();
        assert_eq!(count, calls, "one line a call: {}", courier.log());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_of_a_call_are_limited_in_both_directions() {
    let (courier, fake) = courier("http_bytes_max = 200_000").await;
    let upload = |bytes: usize| json!({ "url": fake.url("/ok"), "method": "POST", "body": "ab", "body_bytes": bytes });
    courier.client.output("fetch", upload(150_000)).await;
    for too_much in [upload(300_000), json!({ "url": fake.url("/endless") })] {
        let failure = courier.client.failure("fetch", too_much.clone()).await;
        assert_eq!(failure["error"], "unavailable", "{too_much}: {failure}");
    }
    let count = courier.log().matches("limit=\"http_bytes_max\"").count();
    assert_eq!(count, 2, "{}", courier.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn unanswering_host_times_out() {
    let (courier, fake) = courier("http_timeout_ms = 300").await;
    let failure = courier.client.failure("fetch", json!({ "url": fake.url("/never") })).await;
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("the host answers too late"), "{failure}");
    assert!(courier.log().contains("limit=\"http_timeout_ms\""), "{}", courier.log());
    fake.hung_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_response_headers_are_rejected() {
    let (courier, fake) = courier("").await;
    let failure = courier.client.failure("fetch", json!({ "url": fake.url("/headers") })).await;
    assert!(
        failure["message"].as_str().unwrap().contains("HttpResponseHeaderSectionSize"),
        "{failure}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_instance_cancels_its_request() {
    let (courier, fake) = courier("deadline_ms = 2_000, http_timeout_ms = 60_000").await;
    let never = json!({ "url": fake.url("/never") });
    let failure = courier.client.failure("fetch", never).await;
    // Whichever looks first: the call's deadline bounds the request, too.
    let is_limit = failure["data"]["limit"] == "deadline_ms";
    assert!(is_limit || failure["error"] == "unavailable", "{failure}");
    fake.hung_up().await;
    // The deadline is short for a busy machine: a call that comes too late is made again.
    tests::until("the next call is served", async || {
        let ok = courier.client.call("fetch", json!({ "url": fake.url("/ok") })).await;
        ok["structuredContent"]["status"] == 200
    })
    .await;
}
