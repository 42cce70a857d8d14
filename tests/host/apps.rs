//! Apps in tool lists and resources, for each client and era; components that name apps of others (APP-1,
//! APP-2, APP-5).

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    legacy::LegacySession,
    lettered,
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
    let server = TestServer::start(folders, tests::library::grants).await;
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
