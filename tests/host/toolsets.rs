//! Toolsets: selected by address, token or command line; listing and search.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, MODERN},
    component_bytes,
    process::{bare_command, command, output},
    rebuilt,
    server::{Folders, TestServer},
};

use super::servers::{is_gone, is_offered, modern::Modern};

/// The bundled components.
const BUNDLED: [&str; 5] = ["cinema", "conversations", "forms", "illustrations", "navigation"];
/// What the page declares.
const PAGE: &str = "madoguchi/views";
const TALK: &str = "[toolsets.talk]\ninclude = ['component:echo']\nexclude = ['greet_*', 'tool:count_slowly']\n\
    [toolsets.reading]\ninclude = [{ component = 'lib*', tool = 'r*' }, 'announce']\n";
const GRANTS: &str = "[components.library]\ngrants = ['events']\n";

async fn serve(components: &[&str], lines: &str) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

fn token(name: &str, token: &str, lines: &str) -> String {
    let digest = host::digest::digest(token.as_bytes());
    format!("[tokens.{name}]\nsha256 = '{digest}'\n{lines}\n")
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

fn call(tool: &str) -> Value {
    json!({ "name": tool, "arguments": {} })
}

/// The same call on the fast path, on the SDK's and in a session.
async fn on_each_way(client: &Client, tool: &str) -> [Value; 3] {
    let fast = client.request("tools/call", call(tool)).await.1;
    let mut slow = call(tool);
    slow["_meta"] = Client::meta();
    slow["_meta"]["progressToken"] = "p".into();
    let slow = client.request("tools/call", slow).await.1;
    let session = LegacySession::begin(client).await.expect("it opens");
    [fast, slow, session.request("tools/call", call(tool)).await]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toolset_has_its_tools_alone_in_both_eras() {
    let server = serve(&["echo", "library"], &format!("{GRANTS}{TALK}")).await;
    let own = ["echo", "greet", "whoami", "announce"];
    for endpoint in ["/mcp/talk", "/mcp/talk/"] {
        let talk = server.client().at(endpoint);
        assert_eq!(talk.tools().await, own);
        let session = LegacySession::begin(&talk).await.expect("it opens");
        let list = session.request("tools/list", json!({})).await;
        assert_eq!(names(&list["result"]), own);
        let echoed = talk.output("echo", json!({ "value": {} })).await;
        assert_eq!(echoed, json!({ "value": {} }));
        assert_eq!(session.call("echo", json!({ "value": {} })).await["isError"], false);
    }
    let reading = server.client().at("/mcp/reading");
    assert_eq!(reading.tools().await, ["announce", "ring"]);
    let all = server.client().tools().await;
    assert!(all.contains(&"greet_twice".to_owned()) && all.contains(&"ring".to_owned()), "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_outside_the_toolset_is_unknown_on_each_way() {
    let server = serve(&["echo", "library"], &format!("{GRANTS}{TALK}")).await;
    let talk = server.client().at("/mcp/talk");
    for tool in ["greet_twice", "ring", "by_header", "nothing"] {
        for answer in on_each_way(&talk, tool).await {
            assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("Unknown tool {tool:?}")), "{message}");
            // Of those that come close, it names its own alone.
            assert!(!message.contains("did you mean greet_twice"), "{message}");
            assert_eq!(tool == "greet_twice", message.contains("mean greet,"), "{message}");
        }
    }
    let audit = server.client().output("echo", json!({ "value": {} })).await;
    assert!(audit.is_object(), "and the rest is served");
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_and_resources_go_with_the_toolset() {
    let server = serve(&["echo", "library"], &format!("{GRANTS}{TALK}")).await;
    let (talk, reading) = (server.client().at("/mcp/talk"), server.client().at("/mcp/reading"));
    for (list, of) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let count = async |client: &Client| {
            client.result(list, json!({})).await[of].as_array().map(Vec::len)
        };
        assert_eq!(count(&talk).await, Some(0), "{list}");
        assert!(count(&reading).await > Some(0), "{list}");
    }
    let prompt = json!({ "type": "ref/prompt", "name": "recommend" });
    let argument = json!({ "name": "topic", "value": "" });
    for (method, params) in [
        ("prompts/get", json!({ "name": "recommend", "arguments": { "topic": "Ann" } })),
        ("resources/read", json!({ "uri": "library://cover" })),
        ("resources/read", json!({ "uri": "library://books/1" })),
        ("completion/complete", json!({ "ref": prompt, "argument": argument })),
    ] {
        let (_, answer) = talk.request(method, params.clone()).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("Unknown "), "{method}: {answer}");
        let session = LegacySession::begin(&talk).await.expect("it opens");
        let legacy = session.request(method, params.clone()).await;
        assert_eq!(legacy["error"]["message"], message, "{method}");
        assert!(reading.request(method, params).await.1["result"].is_object(), "{method}");
    }
    let session = LegacySession::begin(&talk).await.expect("it opens");
    let uri = json!({ "uri": "library://cover" });
    let answer = session.request("resources/subscribe", uri).await;
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("Unknown "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_toolset_is_reported_to_authorized_callers() {
    const ANN: &str = "mdg_ann-may-do-everything";
    let server = serve(&["echo"], &(TALK.to_owned() + &token("ann", ANN, "scopes = ['*']"))).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let accept = [("accept", "application/json, text/event-stream")];
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let ann = server.client_with(ANN).http(method.clone(), "/mcp/other");
        let answer = ann.body(body.clone()).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{method}");
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
        assert_eq!(answer["error"]["data"]["toolsets"], json!(["reading", "talk"]), "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("/mcp/reading, /mcp/talk"), "{message}");
        let stranger = server.client().http(method.clone(), "/mcp/other");
        let answer = stranger.body(body.clone()).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{method}");
        assert!(!answer.text().await.unwrap().contains("talk"), "{method}");
    }
    let answer = server.client().post("/mcp/talk", &accept, body).await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "nor is who knows the name let in");
    let none = serve(&["echo"], "").await;
    let answer = none.client().at("/mcp/other").send("tools/list", json!({})).await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tokens_toolset_holds_on_every_surface() {
    const ANN: &str = "mdg_ann-talks";
    const BEN: &str = "mdg_ben-greets";
    let lines = TALK.to_owned()
        + "[toolsets.default]\nexclude = ['announce']\n"
        + &token("ann", ANN, "scopes = ['*']\ntoolset = 'talk'")
        + &token("ben", BEN, "scopes = ['tool:greet', 'tool:greet_twice']")
        + GRANTS;
    let server = serve(&["echo", "library"], &lines).await;
    let (ann, ben) = (server.client_with(ANN), server.client_with(BEN));
    let own = ["echo", "greet", "whoami", "announce"];
    assert_eq!(ann.tools().await, own, "the token's, and not the default");
    assert_eq!(ann.clone().at("/mcp/talk").tools().await, own);
    let other = ann.clone().at("/mcp/reading").send("tools/list", json!({})).await;
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
    let other: Value = other.json().await.unwrap();
    assert_eq!(other["error"]["data"]["toolsets"], json!(["talk"]), "{other}");
    let rpc = async |method: &str, params: Value| -> Value {
        let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        ann.post("/rpc", &[], rpc.to_string()).await.json().await.unwrap()
    };
    assert_eq!(rpc("ring", json!({})).await["error"]["code"], -32601);
    assert_eq!(rpc("echo", json!({ "value": {} })).await["result"], json!({ "value": {} }));
    let health: Value = ann.get("/api/health").await.json().await.unwrap();
    assert_eq!(health["tools"], json!(own));
    assert!(health["components"].get("library").is_none(), "{health}");
    // Scopes apply within a toolset, and missing ones are reported.
    assert_eq!(ben.clone().at("/mcp/talk").tools().await, ["greet"]);
    let echo = ben.clone().at("/mcp/talk").send("tools/call", call("echo")).await;
    assert_eq!(echo.status(), StatusCode::FORBIDDEN);
    let twice = ben.clone().at("/mcp/talk").request("tools/call", call("greet_twice")).await.1;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_component_looks_unknown() {
    const ANN: &str = "mdg_ann-reads";
    const BEN: &str = "mdg_ben-may-do-everything";
    let lines = TALK.to_owned()
        + &token("ann", ANN, "scopes = ['*']\ntoolset = 'reading'")
        + &token("ben", BEN, "scopes = ['*']")
        + GRANTS;
    let server = serve(&["cinema", "echo", "library"], &lines).await;
    let ask = async |token: &str, (method, path): (Method, &str)| {
        let answer = server.client_with(token).http(method, path).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    for method in [Method::GET, Method::POST, Method::DELETE] {
        for rest in ["", "/x", "/%ff"] {
            let (hidden, unknown) = (format!("/api/cinema{rest}"), format!("/api/absent{rest}"));
            let (status, hidden) = ask(ANN, (method.clone(), &hidden)).await;
            let unknown = ask(ANN, (method.clone(), &unknown)).await;
            let hidden = hidden.replace("cinema", "absent");
            assert_eq!((status, hidden), unknown, "{method} {rest}");
        }
    }
    let (_, shown) = ask(BEN, (Method::GET, "/api/cinema/x")).await;
    assert!(!shown.contains("There is no component"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn describes_default_toolset_at_mcp() {
    let lines = format!("{TALK}[toolsets.default]\nexclude = ['announce', 'greet*']\n");
    let server = serve(&["echo"], &lines).await;
    let own = ["echo", "count_slowly", "whoami"];
    for endpoint in ["/mcp", "/mcp/", "/mcp/default"] {
        assert_eq!(server.client().at(endpoint).tools().await, own, "{endpoint}");
    }
    for answer in on_each_way(&server.client(), "announce").await {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert!(server.client().at("/mcp/talk").tools().await.contains(&"announce".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_tools_are_announced_and_listed() {
    let server = serve(&["echo"], &format!("{GRANTS}{TALK}")).await;
    let reading = server.client().at("/mcp/reading");
    assert_eq!(reading.tools().await, ["announce"]);
    let mut listener = reading.listen().await;
    server.folders.put("library", &rebuilt(&component_bytes("library"), 1));
    assert_eq!(listener.notified().await.0, "notifications/tools/list_changed");
    assert_eq!(reading.tools().await, ["announce", "ring"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toolset_chooses_among_other_servers_tools() {
    let mut modern = Modern::start();
    let lines = format!(
        "[servers.m]\nurl = '{}'\nretry_base_ms = 5\ntrust_hints = ['look']\n\
        [toolsets.theirs]\ninclude = ['server:m']\n\
        [toolsets.reads]\ninclude = [{{ server = '*', read_only = true }}]\n\
        [toolsets.mild]\ninclude = ['server:m']\nexclude = ['destructive']\n\
        [toolsets.ours]\ninclude = ['component:*']\n",
        modern.url()
    );
    let server = serve(&["echo"], &lines).await;
    is_offered(&server, "m_look").await;
    let at = |name: &str| server.client().at(&format!("/mcp/{name}"));
    assert_eq!(at("theirs").tools().await, ["m_look", "m_book"]);
    assert_eq!(at("reads").tools().await, ["m_look"]);
    assert_eq!(at("mild").tools().await, ["m_look"], "what is not believed may destroy");
    assert!(!at("ours").tools().await.contains(&"m_look".to_owned()));
    at("reads").output("m_look", json!({})).await;
    for name in ["reads", "ours"] {
        for answer in on_each_way(&at(name), "m_book").await {
            assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
        }
    }
    assert_eq!(modern.calls().len(), 1, "what is unknown does not get so far");
    modern.kill();
    let _ = at("theirs").call("m_look", json!({})).await;
    is_gone(&server, "m_look").await;
    let away = at("theirs").failure("m_look", json!({})).await;
    assert_eq!(away["error"], "unavailable", "{away}");
    let answer = at("ours").request("tools/call", call("m_look")).await.1;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

const SEARCHED: &str = "[toolsets.default]\ndiscovery = 'search'\nalways = ['list_movies', 'search_tools']\n\
    [toolsets.talk]\ninclude = ['component:conversations']\ndiscovery = 'search'\n";

async fn bundled(lines: &str) -> TestServer {
    serve(&BUNDLED, lines).await
}

/// The names that a search finds.
async fn found(client: &Client, query: &str) -> Vec<String> {
    let found = client.output("search_tools", json!({ "query": query })).await;
    names(&found).into_iter().map(str::to_owned).collect()
}

/// The result of a request in a language, from a client with this extension.
async fn in_language(client: &Client, language: &str, (method, params): (&str, Value)) -> Value {
    let mut params = params;
    params["_meta"] = Client::meta();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut headers = vec![
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
        ("accept-language", language),
    ];
    let name = params["name"].as_str().map(str::to_owned);
    headers.extend(name.as_deref().map(|it| ("mcp-name", it)));
    let answer = client.post(client.endpoint(), &headers, body.to_string()).await;
    let answer: Value = answer.json().await.unwrap();
    answer["result"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_searched_list_is_short_and_finds_the_rest() {
    let (server, plain) = (bundled(SEARCHED).await, bundled("").await);
    let client = server.client();
    let list = in_language(&client, "en", ("tools/list", json!({}))).await;
    assert_eq!(names(&list), ["search_tools", "describe_tool", "list_movies"]);
    let whole = in_language(&plain.client(), "en", ("tools/list", json!({}))).await;
    let (before, after) = (whole["tools"].to_string().len(), list["tools"].to_string().len());
    eprintln!("tools/list: {} tools, {before} bytes; searched: {after} bytes", names(&whole).len());
    assert!(after * 10 < before, "{after} of {before} bytes");
    for (query, tool) in REQUESTS {
        let found = found(&client, query).await;
        assert!(found.iter().any(|it| it == tool), "{query}: {found:?}");
        assert!(found.len() <= 5, "{query}: {found:?}");
    }
    let none = client.output("search_tools", json!({ "query": "xyzzy" })).await;
    assert_eq!((&none["tools"], &none["total"]), (&json!([]), &json!(0)));
    assert!(none["hint"].is_string(), "{none}");
    let one = client.output("search_tools", json!({ "query": "list", "limit": 1 })).await;
    assert!(names(&one).len() == 1 && one["total"].as_u64() > Some(1), "{one}");
    assert!(one.to_string().len() < 1_000, "{one}");
    // Found tools are called by their own names, on each path.
    for answer in on_each_way(&client, "list_reservations").await {
        assert!(answer["result"].is_object(), "{answer}");
    }
    assert!(client.output("list_movies", json!({})).await["movies"].is_array());
    for answer in on_each_way(&client, "search_tools").await {
        let message = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(message.contains("/query"), "{answer}");
    }
}

/// Requests of people and the matching tools.
const REQUESTS: [(&str, &str); 9] = [
    ("reserve seats", "reserve_seats"),
    ("席を予約したい", "reserve_seats"),
    ("映画の一覧", "list_movies"),
    ("what films are on", "list_movies"),
    ("illustration of a card", "get_card_illustration"),
    ("カードのイラスト", "get_card_illustration"),
    ("send a message to an agent", "send_message"),
    ("フォーム", "request_form"),
    ("経路を検索", "route_search"),
];

/// A model that knows its tool and pays for the list and the history in each round.
#[derive(Default)]
struct FakeModel {
    rounds: usize,
    results: Vec<Value>,
    /// Bytes read.
    read: String,
}

impl FakeModel {
    /// One round: it reads, and decides.
    fn thinks(&mut self, list: &Value) {
        self.rounds += 1;
        self.read += &list["tools"].to_string();
        self.results.iter().for_each(|it| self.read += &it.to_string());
    }

    /// Fulfils one request, and answers its person.
    async fn fulfils(&mut self, client: &Client, list: &Value, (want, tool): (&str, &str)) {
        self.results.clear();
        if !names(list).contains(&tool) {
            self.thinks(list);
            self.results.push(client.output("search_tools", json!({ "query": want })).await);
            assert!(names(&self.results[0]).contains(&tool), "{want}: {:?}", self.results);
            self.thinks(list);
            self.results.push(client.output("describe_tool", json!({ "name": tool })).await);
        }
        self.thinks(list);
        // The outcome is the same with both lists.
        let answer = client.request("tools/call", call(tool)).await.1;
        assert!(answer["result"].is_object(), "{answer}");
        self.thinks(list);
    }
}

/// What lists cost a model: the figures in BENCHMARKS.md, whose texts go to the folder `MADOGUCHI_LISTS`.
#[tokio::test(flavor = "multi_thread")]
async fn search_trades_rounds_for_a_shorter_list() {
    let (server, plain) = (bundled(SEARCHED).await, bundled("").await);
    let mut page = Client::meta();
    page["io.modelcontextprotocol/clientCapabilities"]["extensions"] = json!({ PAGE: {} });
    let all = plain.client().result("tools/list", json!({ "_meta": page })).await;
    let whole = plain.client().result("tools/list", json!({})).await;
    let searched = server.client().result("tools/list", json!({})).await;
    let (mut with_all, mut with_search) = (FakeModel::default(), FakeModel::default());
    for want in REQUESTS {
        with_all.fulfils(&plain.client(), &whole, want).await;
        with_search.fulfils(&server.client(), &searched, want).await;
    }
    let texts = [
        ("all", all["tools"].to_string()),
        ("default", whole["tools"].to_string()),
        ("searched", searched["tools"].to_string()),
        ("read-default", with_all.read),
        ("read-searched", with_search.read),
    ];
    for (name, text) in &texts {
        eprintln!("{name}: {} bytes", text.len());
        if let Ok(folder) = std::env::var("MADOGUCHI_LISTS") {
            fs::write(format!("{folder}/{name}.txt"), text).unwrap();
        }
    }
    let tools = [&all, &whole, &searched].map(|it| names(it).len());
    eprintln!("tools: {tools:?}; rounds: {} and {}", with_all.rounds, with_search.rounds);
    let size = texts.map(|it| it.1.len());
    assert!(tools[1] < tools[0] && size[1] < size[0], "what only pages use is left out");
    // One call and one answer, after a search and a description, except for tools that are always listed.
    assert_eq!((with_all.rounds, with_search.rounds), (18, 32));
    assert!(size[4] * 4 < size[3], "{size:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn describe_tool_returns_the_full_definition() {
    let (server, plain) = (bundled(SEARCHED).await, bundled("").await);
    for language in ["en", "ja"] {
        let whole = in_language(&plain.client(), language, ("tools/list", json!({}))).await;
        for tool in whole["tools"].as_array().unwrap() {
            let call = json!({ "name": "describe_tool", "arguments": { "name": tool["name"] } });
            let result = in_language(&server.client(), language, ("tools/call", call)).await;
            assert_eq!(&result["structuredContent"], tool, "{language}");
        }
    }
    let client = server.client();
    let unknown = client.failure("describe_tool", json!({ "name": "list_movie" })).await;
    assert_eq!((&unknown["error"], &unknown["status"]), (&json!("unknown_tool"), &json!(404)));
    assert!(unknown["message"].as_str().unwrap().contains("list_movies"), "{unknown}");
    for (tool, arguments, pointer) in [
        ("describe_tool", json!({}), "/name"),
        ("describe_tool", json!({ "name": "x", "of": 1 }), "/of"),
        ("search_tools", json!({ "query": "" }), "/query"),
        ("search_tools", json!({ "query": "x".repeat(201) }), "/query"),
        ("search_tools", json!({ "query": "x", "limit": 0 }), "/limit"),
        ("search_tools", json!({ "query": "x", "limit": "5" }), "/limit"),
    ] {
        let failure = client.failure(tool, arguments).await;
        assert_eq!(failure["error"], "invalid_params", "{failure}");
        assert!(failure.to_string().contains(pointer), "{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn search_keeps_to_toolset_scopes_and_viewer() {
    const ANN: &str = "mdg_ann-may-do-everything";
    const BEN: &str = "mdg_ben-may-see-films";
    let lines = SEARCHED.to_owned()
        + &token("ann", ANN, "scopes = ['*']")
        + &token("ben", BEN, "scopes = ['tool:list_movies', 'component:forms']");
    let server = bundled(&lines).await;
    let (ann, ben) = (server.client_with(ANN), server.client_with(BEN));
    assert!(found(&ann, "reserve seats").await.contains(&"reserve_seats".to_owned()));
    assert!(!found(&ben, "reserve seats").await.contains(&"reserve_seats".to_owned()));
    assert_eq!(found(&ben, "list movies").await[0], "list_movies");
    let unknown = ben.failure("describe_tool", json!({ "name": "reserve_seats" })).await;
    assert_eq!(unknown["error"], "unknown_tool", "{unknown}");
    let talk = ann.clone().at("/mcp/talk");
    assert_eq!(talk.tools().await, ["search_tools", "describe_tool"]);
    assert!(!found(&talk, "list movies").await.contains(&"list_movies".to_owned()));
    // Page tools are found by clients that draw views; the server's own page has the whole list.
    assert!(!found(&ann, "open a form").await.contains(&"open_form".to_owned()));
    let list = async |extension: &str| {
        let mut meta = Client::meta();
        meta["io.modelcontextprotocol/clientCapabilities"]["extensions"] = json!({ extension: {} });
        ann.result("tools/list", json!({ "_meta": meta })).await
    };
    assert!(names(&list(PAGE).await).len() > 20);
    assert_eq!(names(&list("io.modelcontextprotocol/ui").await).len(), 3);
    let hello = ann.result("server/discover", json!({})).await;
    assert!(hello["instructions"].as_str().unwrap().contains("search_tools"), "{hello}");
    // Where nothing is searched, there is no such tool.
    let plain = serve(&["echo"], TALK).await;
    for endpoint in ["/mcp", "/mcp/talk"] {
        let client = plain.client().at(endpoint);
        for answer in on_each_way(&client, "search_tools").await {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}

/// The names that a client over stdio gets with these arguments.
fn over_stdio(folders: &Folders, arguments: &[&str]) -> Vec<String> {
    let mut command = command(folders);
    command.arg("--stdio").arg("--components").arg(folders.components()).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let params = json!({ "_meta": Client::meta() });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params });
    writeln!(input, "{ask}").unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let answers = lines.map(|it| serde_json::from_str::<Value>(&it.unwrap()).unwrap());
    let answer = answers.into_iter().find(|it| it["id"] == 1).expect("it answers");
    drop(input);
    assert!(child.wait().unwrap().success());
    names(&answer["result"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn stdio_serves_both_eras_in_any_order() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "a", "version": "1" },
    });
    let modern = json!({ "_meta": Client::meta() });
    let asks = [
        ("tools/list", &modern),
        ("initialize", &hello),
        ("tools/list", &json!({})),
        ("tools/list", &modern),
    ];
    for order in [[0, 1, 2, 3], [1, 2, 0, 3]] {
        let mut command = command(&folders);
        command.arg("--stdio").arg("--components").arg(folders.components());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for id in order {
            let (method, params) = asks[id];
            let ask = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            writeln!(input, "{ask}").unwrap();
        }
        drop(input);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said: Vec<Value> =
            lines.map(|it| serde_json::from_str(&it.unwrap()).unwrap()).collect();
        assert!(child.wait().unwrap().success());
        let of = |id: usize| said.iter().find(|it| it["id"] == id).expect("it is answered");
        assert_eq!(of(1)["result"]["protocolVersion"], "2025-11-25", "{order:?}");
        for (id, is_modern) in [(0, true), (2, false), (3, true)] {
            let result = &of(id)["result"];
            assert!(names(result).contains(&"echo"), "{order:?}: {id}");
            assert_eq!(result.get("resultType").is_some(), is_modern, "{order:?}: {result:.200}");
        }
    }
}

#[test]
fn over_stdio_the_command_line_names_the_toolset() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.components().join("madoguchi.toml");
    let lines = format!("bundled = false\n{TALK}[toolsets.default]\ninclude = ['echo']\n");
    fs::write(&file, lines).unwrap();
    let config = ["--config", file.to_str().unwrap()];
    let own = ["echo", "greet", "whoami", "announce"];
    let named = over_stdio(&folders, &[config[0], config[1], "--toolset", "talk"]);
    assert_eq!(named, own);
    assert_eq!(over_stdio(&folders, &config), ["echo"], "the default one");
    let complaint = |arguments: &[&str]| {
        let output = output(bare_command(&folders).args(config).args(arguments));
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let unknown = complaint(&["--stdio", "--toolset", "other"]);
    assert!(unknown.contains("--toolset: there is no toolset \"other\""), "{unknown}");
    assert!(unknown.contains("default, reading, talk"), "{unknown}");
    let served = complaint(&["--toolset", "talk"]);
    assert!(served.contains("--stdio"), "it says what it belongs to: {served}");
}

#[test]
fn check_config_reports_mistakes_and_unused_toolsets() {
    let folders = Folders::new();
    folders.lend_code();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.components().join("madoguchi.toml");
    let check = |lines: &str| -> Value {
        fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
        let mut command = bare_command(&folders);
        command.arg("--components").arg(folders.components());
        let output = output(command.arg("check-config").arg(&file).arg("--json"));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    };
    let digest = host::digest::digest(b"mdg_x");
    let token = format!("[tokens.ann]\nsha256 = '{digest}'\nscopes = ['*']\ntoolset = 'talks'\n");
    for (lines, about, line, is_problem, part) in [
        ("[toolsets.later]\ninclude = ['component:later']\n", "toolsets.later", 2, false, "empty"),
        ("[toolsets.a]\nexclude = ['component:x']\n", "toolsets.a.exclude", 3, false, "nothing"),
        ("[assistants.a]\ntools = ['ecko']\n", "assistants.a.tools", 3, false, "is echo meant"),
        ("[toolsets.a]\nalways = ['echo']\n", "toolsets.a.always", 3, false, "discovery"),
        ("[toolsets.'a/b']\n", "toolsets.a/b", 2, true, "1 to 64 of"),
        ("[toolsets.a]\ninclude = ['x:y']\n", "the file", 3, true, "component:NAME"),
        (&(token + "[toolsets.talk]\n"), "tokens.ann.toolset", 5, true, "there are talk"),
    ] {
        let found = check(lines);
        let mut findings = found["findings"].as_array().unwrap().iter();
        let finding = findings.find(|it| it["about"] == about);
        let finding = finding.unwrap_or_else(|| panic!("{found}"));
        assert_eq!(finding["line"], line, "{found}");
        assert_eq!(
            (&finding["is_problem"], &found["ok"]),
            (&json!(is_problem), &json!(!is_problem))
        );
        assert!(finding["message"].as_str().unwrap().contains(part), "{found}");
    }
    let servers =
        "[servers.m]\nurl = 'http://127.0.0.1:1/mcp'\n[toolsets.m]\ninclude = ['server:m']\n";
    for fine in [TALK.replace("'lib*'", "'echo'").as_str(), servers] {
        let report = check(fine);
        assert!(report["findings"].as_array().unwrap().is_empty(), "{report}");
    }
}

#[tokio::test]
async fn start_fails_if_a_named_toolset_is_missing() {
    let folders = Folders::new();
    let lines = token("ann", "mdg_x", "scopes = ['*']\ntoolset = 'nothing'");
    let config = folders.config_with(&lines);
    let error = host::Server::start(config).await.err().expect("it does not start");
    let error = error.to_string();
    assert!(error.contains("tokens.ann.toolset") && error.contains("nothing"), "{error}");
}
