//! Instructions for models: the host's, and those of the components that the caller may use.

use serde_json::{Value, json};
use tests::client::Client;

use super::{BEN, entry, serve_with};

const READS: &str = "mdg_reads-the-library";
/// The library's instructions.
const OF_LIBRARY: &str = "Books are found by their subject.";

/// The instructions of both eras.
async fn instructions(client: &Client) -> [String; 2] {
    let discovered = client.result("server/discover", json!({})).await;
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": tests::legacy::LEGACY, "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        },
    });
    let accept = [("accept", "application/json, text/event-stream")];
    let answer = client.post("/mcp", &accept, initialize.to_string()).await.text().await.unwrap();
    let lines = answer.lines().map(|it| it.strip_prefix("data:").unwrap_or(it));
    let mut answers = lines.filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let initialized = answers.find(|it| it["result"].is_object()).expect("it initializes");
    [&discovered, &initialized["result"]]
        .map(|it| it["instructions"].as_str().expect("there are some").to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_component_instructions_in_both_eras_to_allowed_callers() {
    let lines = entry("reads", READS, "'component:library'")
        + "[components.library]\ngrants = ['events']\n";
    let server = serve_with(&["echo", "library"], &lines).await;
    for instructions in instructions(&server.client_with(READS)).await {
        assert!(instructions.starts_with("Each tool runs in a sandbox"), "{instructions}");
        assert!(instructions.ends_with(&format!("\n\n{OF_LIBRARY}")), "{instructions}");
    }
    for instructions in instructions(&server.client_with(BEN)).await {
        assert!(instructions.starts_with("Each tool runs in a sandbox"), "{instructions}");
        assert!(!instructions.contains(OF_LIBRARY), "{instructions}");
    }
    let scope = async |token: &str| {
        let found = server.client_with(token).result("server/discover", json!({})).await;
        found["cacheScope"].as_str().map(str::to_owned)
    };
    assert_eq!(scope(READS).await.as_deref(), Some("private"), "they depend on the token");
}
