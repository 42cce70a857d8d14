//! What there is to read: listed page by page, found by its URI or a template, read in rounds.

use serde_json::{Value, json};
use tests::{
    client::Client, legacy::LegacySession, lettered, library::library, server::TestServer,
};

async fn read(client: &Client, uri: &str) -> Value {
    client.request("resources/read", json!({ "uri": uri })).await.1
}

fn uris(list: &Value) -> Vec<&str> {
    list["resources"].as_array().unwrap().iter().map(|it| it["uri"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_only_readable_resources_page_by_page() {
    let server = library(&["echo"]).await;
    let client = server.client();
    let first = client.result("resources/list", json!({})).await;
    assert_eq!(uris(&first), ["library://cover", "library://spin"]);
    assert_eq!(first["resources"][0]["size"], 3);
    assert_eq!(first["resources"][0]["annotations"]["priority"], 0.5);
    assert_eq!(first["resources"][0]["_meta"]["library/shelf"], 1);
    assert_eq!((&first["cacheScope"], &first["ttlMs"]), (&json!("private"), &json!(5000)));
    let cursor = &first["nextCursor"];
    let second = client.result("resources/list", json!({ "cursor": cursor })).await;
    assert_eq!(uris(&second), ["library://books/3"], "what fits no template cannot be read");
    assert_eq!(second.get("nextCursor"), None);
    let wrong = client.request("resources/list", json!({ "cursor": "2" })).await.1;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    assert!(wrong["error"]["message"].as_str().unwrap().contains("begin again"), "{wrong}");
}

#[tokio::test]
async fn lists_templates_and_reads_matching_resources() {
    let server = library(&[]).await;
    let client = server.client();
    let list = client.result("resources/templates/list", json!({})).await;
    let templates: Vec<_> = list["resourceTemplates"].as_array().unwrap().iter().collect();
    assert_eq!(templates[0]["uriTemplate"], "library://books/{number}");
    assert_eq!(templates[0]["annotations"]["audience"], json!(["user"]));
    assert_eq!(templates[1]["uriTemplate"], "library://search{?word}");
    assert_eq!(list["cacheScope"], "public");
    let book = read(&client, "library://books/7").await;
    assert_eq!(book["result"]["contents"][0]["text"], "The text of library://books/7.");
    assert_eq!(book["result"]["contents"][0]["mimeType"], "text/plain");
    assert_eq!(book["result"]["cacheScope"], "private");
    let found = read(&client, "library://search?word=sea").await;
    assert_eq!(found["result"]["contents"][0]["uri"], "library://search?word=sea");
    let cover = read(&client, "library://cover").await;
    assert_eq!(cover["result"]["contents"][0]["blob"], "AQID");
}

#[tokio::test]
async fn missing_resource_error_has_uri_and_the_eras_code() {
    let server = library(&[]).await;
    let client = server.client();
    for uri in ["shop://nothing", "library://books/0", "library://books/1/2"] {
        let answer = read(&client, uri).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
    let session = LegacySession::open(&server.url()).await;
    let answer = session.request("resources/read", json!({ "uri": "shop://nothing" })).await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    assert_eq!(answer["error"]["data"]["uri"], "shop://nothing");
}

#[tokio::test]
async fn refusals_and_contract_breaches_name_their_source() {
    let server = library(&[]).await;
    let client = server.client();
    let banned = read(&client, "library://books/banned").await;
    assert_eq!(banned["error"]["data"]["error"], "banned", "{banned}");
    assert_eq!(banned["error"]["message"], "This book is not lent.");
    let lie = read(&client, "library://books/lie").await;
    assert_eq!(lie["error"]["code"], -32603, "{lie}");
    assert!(!lie.to_string().contains("no uri"), "the reason is for the log: {lie}");
}

#[tokio::test]
async fn asking_read_continues_only_for_its_uri() {
    let server = library(&[]).await;
    let client = server.client();
    let uri = "library://books/taste";
    let asked = read(&client, uri).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let answers = json!({ "taste": { "action": "accept", "content": { "taste": "mist" } } });
    let state = &asked["result"]["requestState"];
    let more = |uri: &str| json!({ "uri": uri, "requestState": state, "inputResponses": answers });
    let done = client.result("resources/read", more(uri)).await;
    assert_eq!(done["contents"][0]["text"], "You like mist.");
    let foreign = client.request("resources/read", more("library://books/7")).await.1;
    assert!(foreign["error"]["message"].as_str().unwrap().contains("another call"), "{foreign}");
    let prompt = json!({
        "name": "by_taste", "requestState": state, "inputResponses": answers,
    });
    let foreign = client.request("prompts/get", prompt).await.1;
    assert!(foreign["error"]["message"].as_str().unwrap().contains("another call"), "{foreign}");
}

/// It cannot be asked what it cannot answer.
#[tokio::test]
async fn legacy_session_is_asked_only_what_it_supports() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    let list = session.request("resources/list", json!({})).await;
    assert_eq!(uris(&list["result"])[0], "library://cover");
    assert_eq!(list["result"].get("resultType"), None, "{list}");
    let book = session.request("resources/read", json!({ "uri": "library://books/7" })).await;
    assert_eq!(book["result"]["contents"][0]["text"], "The text of library://books/7.");
    let asked = session.request("resources/read", json!({ "uri": "library://books/taste" })).await;
    assert!(asked["error"]["message"].as_str().unwrap().contains("did not declare"), "{asked}");
}

#[tokio::test]
async fn component_without_resources_still_serves_tools() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    assert_eq!(client.result("resources/list", json!({})).await["resources"], json!([]));
    assert_eq!(client.result("prompts/list", json!({})).await["prompts"], json!([]));
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

/// Of two components that offer the same one, the second does not load; the error names it and the first.
#[tokio::test]
async fn refuses_duplicate_prompt_resource_or_template() {
    let server = library(&[]).await;
    for (letter, clash) in [
        (b't', "prompt recommend"),
        (b'p', "resource template library://books/{number}"),
        (b'r', "resource library://cover"),
    ] {
        let twin = lettered("library", b"library shelf:", letter);
        let error = server
            .server()
            .control
            .execute("twin", host::control::Order::Load(twin))
            .await
            .unwrap_err()
            .to_string();
        let wanted = format!("it offers the {clash}, which component library offers already");
        assert!(error.contains(&wanted), "{error}");
    }
    let book = read(&server.client(), "library://books/7").await;
    assert_eq!(book["result"]["contents"][0]["text"], "The text of library://books/7.");
}
