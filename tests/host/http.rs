//! Outgoing HTTP: granted hosts, secrets in headers, limits.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake::Fake,
    process::{Process, command, output},
    server::Folders,
};

mod leaks;
mod limits;

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
