//! Lists of the bundled tools for clients and models: size, content and language.

use host::control::Order;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, MODERN},
    component_bytes,
    server::{Folders, TestServer},
};

/// The bundled components.
const BUNDLED: [&str; 5] = ["cinema", "conversations", "forms", "illustrations", "navigation"];
/// Bytes of the list that an ordinary client gets.
const LIST_BYTES_MAX: usize = 67_000;
/// Bytes of one text in a result.
const TEXT_BYTES_MAX: usize = 64 << 10;
/// Extensions of the page, and of clients that draw MCP Apps.
const PAGE: &str = "madoguchi/views";
const APPS: &str = "io.modelcontextprotocol/ui";

async fn bundled(lines: &str) -> TestServer {
    let folders = Folders::new();
    for name in BUNDLED {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// `_meta` of a client with this extension.
fn with_extension(name: &str) -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"]["extensions"] = json!({ name: {} });
    meta
}

/// The list for a client that sends this `Accept-Language`.
async fn list_in(client: &Client, language: Option<&str>, meta: Value) -> Value {
    let params = json!({ "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params });
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/list"),
    ];
    headers.extend(language.map(|it| ("accept-language", it)));
    let mut request = client.http(Method::POST, "/mcp").body(body.to_string());
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["result"].clone()
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

fn tool<'a>(list: &'a Value, name: &str) -> &'a Value {
    let mut tools = list["tools"].as_array().unwrap().iter();
    tools.find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// The first code of a requirement (`ABC-1`) in a text.
fn code(text: &str) -> Option<&str> {
    let families = ["CIN-", "CONV-", "FORM-", "ILL-", "NAV-", "SYS-"];
    families.into_iter().find_map(|family| {
        let found = text.match_indices(family).find(|(at, found)| {
            let rest = text[at + found.len()..].trim_start_matches('X');
            rest.starts_with(|it: char| it.is_ascii_digit())
        });
        let around = |at: usize| {
            let begin = text.floor_char_boundary(at.saturating_sub(40));
            &text[begin..text.floor_char_boundary(at + 10)]
        };
        found.map(|(at, _)| around(at))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_list_of_an_ordinary_client_is_small() {
    let server = bundled("").await;
    for language in [Some("en"), None] {
        let list = list_in(&server.client(), language, Client::meta()).await;
        let bytes = list.to_string().len();
        assert!(bytes <= LIST_BYTES_MAX, "{language:?}: {bytes} bytes");
        assert!(names(&list).len() > 25, "{:?}", names(&list));
        for tool in list["tools"].as_array().unwrap() {
            let description = tool["description"].as_str().unwrap();
            assert!(description.chars().count() <= 1_024, "{}", tool["name"]);
            let meta = tool["_meta"].as_object().cloned().unwrap_or_default();
            let is_app =
                |it: &Value| it.as_object().is_some_and(|it| it.keys().eq(["resourceUri"]));
            let is_short = meta.iter().all(|(name, it)| name == "ui" && is_app(it));
            assert!(is_short, "of use to pages alone: {tool}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn discover_states_whether_the_list_is_current() {
    const DIGEST: &str = "/_meta/madoguchi~1toolsDigest";
    let folders = Folders::new();
    for name in ["cinema", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    let digests = async |meta: Value| {
        let found = client.result("server/discover", json!({ "_meta": meta.clone() })).await;
        let listed = client.result("tools/list", json!({ "_meta": meta })).await;
        (found.pointer(DIGEST).cloned(), listed.pointer(DIGEST).cloned())
    };
    let (found, listed) = digests(with_extension(PAGE)).await;
    assert!(found.is_some());
    assert_eq!(found, listed);
    assert_eq!(digests(with_extension(PAGE)).await.0, found, "nothing has changed");
    assert_eq!(digests(Client::meta()).await, (None, None), "of use to our own page alone");
    server.server().control.execute("echo", Order::Unload).await.unwrap();
    let (other, listed) = digests(with_extension(PAGE)).await;
    assert_ne!(other, found);
    assert_eq!(other, listed);
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_lists_contain_no_requirement_codes() {
    let server = bundled("").await;
    let client = server.client();
    for language in [Some("en"), None] {
        let list = list_in(&client, language, with_extension(PAGE)).await.to_string();
        assert_eq!(code(&list), None);
    }
    for method in ["prompts/list", "resources/list", "resources/templates/list", "server/discover"]
    {
        let text = client.result(method, json!({})).await.to_string();
        assert_eq!(code(&text), None, "{method}");
    }
    assert_eq!(code("a film (CIN-X6)."), Some("a film (CIN-X6)."), "what is looked for is found");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_tools_are_listed_for_clients_that_draw_views() {
    let server = bundled("").await;
    let client = server.client();
    let plain = list_in(&client, None, Client::meta()).await;
    for extension in [PAGE, APPS] {
        let list = list_in(&client, None, with_extension(extension)).await;
        let more: Vec<_> =
            names(&list).into_iter().filter(|it| !names(&plain).contains(it)).collect();
        assert!(more.contains(&"open_form") && more.contains(&"stop_conversation"), "{more:?}");
        for name in more {
            assert_eq!(tool(&list, name)["_meta"]["ui"]["visibility"], json!(["app"]), "{name}");
        }
        let view = &tool(&list, "list_movies")["_meta"]["madoguchi/view"];
        assert_eq!(view, "movies");
    }
    let legacy = async |capabilities| {
        let session = LegacySession::open_with(&server.url(), capabilities).await;
        session.request("tools/list", json!({})).await["result"].clone()
    };
    assert_eq!(names(&legacy(json!({})).await), names(&plain));
    let apps = legacy(json!({ "extensions": { APPS: { "mimeTypes": ["text/html"] } } })).await;
    assert!(names(&apps).contains(&"open_form"), "{:?}", names(&apps));
    // It can be called by name.
    let found = client.output("list_form_submissions", json!({})).await;
    assert_eq!(found["forms"], json!([]), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_and_descriptions_are_in_the_callers_language() {
    let token = "mdg_reads-japanese";
    let digest = host::digest::digest(token.as_bytes());
    let lines = format!("[tokens.ann]\nsha256 = '{digest}'\nscopes = ['*']\nlanguage = 'ja'\n");
    let says = async |client: &Client, language| {
        let list = list_in(client, language, Client::meta()).await;
        let tool = tool(&list, "list_movies").clone();
        let prompts = client.result("prompts/list", json!({})).await;
        let prompts = prompts["prompts"].as_array().unwrap();
        let guide = prompts.iter().find(|it| it["name"] == "form_guide").unwrap();
        if language.is_none() {
            let (title, tool) = (guide["title"].as_str().unwrap(), tool["title"].as_str().unwrap());
            assert_eq!(title.is_ascii(), tool.is_ascii(), "prompts read as tools do: {guide}");
        }
        tool["title"].as_str().unwrap().to_owned()
            + tool["inputSchema"]["properties"]["date"]["description"].as_str().unwrap()
    };
    let is_japanese = |text: &str| !text.is_ascii();
    let open = bundled("").await;
    for (language, japanese) in
        [(None, true), (Some("en-GB"), false), (Some("fr"), false), (Some("ja-JP,en;q=0.5"), true)]
    {
        let text = says(&open.client(), language).await;
        assert_eq!(is_japanese(&text), japanese, "{language:?}: {text}");
    }
    let server = bundled(&lines).await;
    let client = server.client_with(token);
    assert!(is_japanese(&says(&client, None).await), "by the token");
    assert!(!is_japanese(&says(&client, Some("en")).await), "unless the request says it");
    let english = bundled("language = 'en'").await;
    assert!(!is_japanese(&says(&english.client(), None).await), "by the configuration");
    let wrong = Folders::new();
    std::fs::write(wrong.data().with_file_name("m.toml"), "language = '日本語'").unwrap();
    let error =
        host::Config::read(&wrong.data().with_file_name("m.toml"), tests::embedded()).unwrap_err();
    assert!(error.to_string().contains("is no language"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_not_sent_as_text() {
    let server = bundled("").await;
    let client = server.client();
    let names = ["蒼晶竜アジュール", "紅蓮機工ボルカノ"];
    for (tool, arguments, pictures) in [
        ("get_card_illustration", json!({ "card_name": names[0] }), 1),
        ("get_theme_illustrations", json!({ "theme": "雪月花" }), 5),
        ("compose_thumbnail", json!({ "cards": names, "title": "対戦" }), 1),
    ] {
        let result = client.call(tool, arguments.clone()).await;
        let content = result["content"].as_array().unwrap();
        for text in content.iter().filter_map(|it| it["text"].as_str()) {
            assert!(text.len() < TEXT_BYTES_MAX, "{tool}: {} bytes", text.len());
        }
        let structured = &result["structuredContent"];
        assert!(structured.to_string().len() < TEXT_BYTES_MAX, "{tool}");
        let text: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(&text, structured, "SYS-8: {tool}");
        let images: Vec<_> = content.iter().filter(|it| it["type"] == "image").collect();
        assert_eq!(images.len(), pictures, "ILL-3: {tool}");
        // The output names each of them, and there it can be read.
        let named = structured["illustrations"].as_array().cloned();
        let named = named.unwrap_or_else(|| vec![structured.clone()]);
        for (named, image) in named.iter().zip(&images) {
            assert_eq!(named["uri"], image["_meta"]["madoguchi/uri"], "{tool}");
            assert_eq!(named["mimeType"], image["mimeType"], "{tool}");
        }
        let read = client.result("resources/read", json!({ "uri": named[0]["uri"] })).await;
        assert_eq!(read["contents"][0]["blob"], images[0]["data"], "{tool}");
        // On surfaces without content blocks the bytes are in the output, as specified (ILL-1).
        let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": tool, "params": arguments });
        let rpc: Value = client.post("/rpc", &[], rpc.to_string()).await.json().await.unwrap();
        let whole = &rpc["result"];
        let first = whole["illustrations"].get(0).unwrap_or(whole);
        assert_eq!(first["data"], images[0]["data"], "{tool}");
    }
}
