//! Look-ups at other hosts: JSON only, within limits of time and size.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Config, Server, clock::Clock, config::ComponentConfig};
use serde_json::json;
use tests::{client::Client, component_bytes, fake::Fake, process::exported, server::Folders};

use super::{asking, entry, look_up, people};

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
    let server = super::serving(&lines).await;
    let (status, failed) = look_up(&server.client(), &format!("http://127.0.0.1:{gone}/x")).await;
    assert_eq!((status, &failed["error"]), (502, &json!("lookup_failed")), "{failed}");
    assert!(failed["message"].as_str().unwrap().contains("cannot be reached"), "{failed}");
}
