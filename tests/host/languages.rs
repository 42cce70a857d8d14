//! Tools in JavaScript and Python, made by `madoguchi new` and the commands of its README. `cargo xtask test`
//! has built them, each with the tools of the template and with those of `tests/languages`.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    Router,
    http::{HeaderMap, HeaderValue},
    routing::post,
};
use host::{
    component::LoadError,
    control::{ControlError, Order},
};
use serde_json::{Value, json};
use tests::{
    client::Client,
    process::{command, output},
    root,
    server::{Folders, TestServer},
};
use tokio::sync::Mutex;

/// Each language: the option of `madoguchi new`, what the names of its tools here begin with, and its file of tools.
const LANGUAGES: [(&str, &str, &str); 2] = [("js", "js", "tools.js"), ("python", "py", "tools.py")];
/// What the tools in `tests/languages` need.
const GRANTS: &str = r#"grants = ["sql", "settings", "random", "http", "files", "blobs"]"#;
const SEATS: &str =
    r#"{ "seats": [{ "row": "B", "number": 4 }, { "row": "C" }], "kind": "child" }"#;

fn folder() -> PathBuf {
    root().join("target/languages")
}

fn built(name: &str) -> Vec<u8> {
    let file = folder().join(format!("{name}.wasm"));
    fs::read(&file).unwrap_or_else(|_| panic!("{name} is not built; `cargo xtask test` builds it"))
}

/// A server with these files, each under the name of a component, configured so. Tests that start at once compile
/// nothing twice: a component of Python's takes a processor for a while.
async fn server(components: &[(&str, &str)], lines: &str) -> TestServer {
    static COMPILING: Mutex<()> = Mutex::const_new(());
    let _one = COMPILING.lock().await;
    let folders = Folders::new();
    for (name, file) in components {
        folders.put(name, &built(file));
    }
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    server.folders.keep_code();
    server
}

/// A server with the tools of `tests/languages` in both languages, each configured so beside its grants.
async fn probes(lines: &str) -> TestServer {
    let one = |name: &str| {
        let lines = lines.replace("NAME", name);
        format!("[components.{name}]\n{GRANTS}\nhttp = []\n{lines}\n")
    };
    let all = ["probe_js", "probe_python"].map(one).concat();
    server(&[("probe_js", "probe-js"), ("probe_python", "probe-python")], &all).await
}

/// One request of `tools/call` in that language.
async fn round(client: &Client, tool: &str, language: &str, more: Value) -> Value {
    let mut meta = Client::meta();
    meta["madoguchi/locale"] = language.into();
    let mut params = json!({ "name": tool, "arguments": {}, "_meta": meta });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.result("tools/call", params).await
}

/// Answers to all that was asked.
fn answered(asked: &Value, content: &Value) -> Value {
    let keys = asked["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}")).keys();
    let answer = json!({ "action": "accept", "content": content });
    let answers: serde_json::Map<_, _> = keys.map(|key| (key.clone(), answer.clone())).collect();
    json!({ "inputResponses": answers, "requestState": asked["requestState"] })
}

#[tokio::test(flavor = "multi_thread")]
async fn new_components_serve_ungranted_and_follow_their_readme() {
    for (language, ..) in LANGUAGES {
        let file = format!("greeting-{language}");
        let server = server(&[("greeting", &file)], "").await;
        let client = server.client();
        let greeted = client.output("greeting", json!({ "name": "花子" })).await;
        assert_eq!(greeted, json!({ "text": "Hello, 花子!" }), "SYS-60: {language}");
        let refused = client.failure("greeting", json!({ "name": " " })).await;
        assert_eq!((&refused["error"], &refused["status"]), (&json!("no_name"), &json!(400)));
        let listed = client.result("tools/list", json!({})).await;
        let tool = &listed["tools"][0];
        assert_eq!(
            (&tool["title"], &tool["description"]),
            (&json!("挨拶"), &json!("名前を呼んで挨拶する。"))
        );
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["outputSchema"]["required"], json!(["text"]), "{tool}");
        let catalog = server.server().calls.registry.catalog();
        let english =
            &catalog.component("greeting").unwrap().tools()[0].meta["madoguchi/text"]["en"];
        assert_eq!(english["title"], "Greet", "SYS-60: {english}");
        assert_eq!(english["arguments"]["name"], "Their name, 1 to 100 characters", "{english}");

        // The README's commands of `madoguchi`, in the folder that its other commands were run in.
        let made = folder().join(language).join("greeting");
        let readme = fs::read_to_string(made.join("README.md")).unwrap();
        let block = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
        let commands: Vec<_> =
            block.lines().filter_map(|it| it.strip_prefix("madoguchi ")).collect();
        assert_eq!(commands.len(), 2, "{readme}");
        let folders = Folders::new();
        for line in commands {
            let arguments = line.split(' ').map(|it| it.trim_matches('\''));
            let done = output(command(&folders).args(arguments).current_dir(&made));
            let text = String::from_utf8(done.stdout).unwrap();
            assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
            assert!(text.contains("花子") || text.contains("lets it in"), "{line}: {text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_and_problems_read_the_same_in_both_languages() {
    let server = probes("").await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        let tool = format!("{prefix}_seats");
        let seats = client.output(&tool, serde_json::from_str(SEATS).unwrap()).await;
        assert_eq!(seats, json!({ "rows": ["B4", "C1"], "kind": "child" }), "SYS-60: {prefix}");
    }
    let listed = client.result("tools/list", json!({})).await;
    let schema = |name: &str| {
        let tools = listed["tools"].as_array().unwrap();
        tools.iter().find(|it| it["name"] == name).unwrap()["inputSchema"].clone()
    };
    let row = |name: &str| {
        schema(name)["properties"]["seats"]["items"]["properties"]["row"]["pattern"].clone()
    };
    assert_eq!((row("js_seats"), row("py_seats")), (json!("^[A-Z]$"), json!("^[A-Z]$")));
    assert_eq!(schema("js_seats")["required"], schema("py_seats")["required"]);
    for (arguments, pointers) in [
        (json!({}), &["/seats"][..]),
        (json!({ "seats": [] }), &["/seats"]),
        (json!({ "seats": [{ "row": "A" }], "kind": "dog" }), &["/kind"]),
        (
            json!({ "seats": [{ "row": "a", "number": 21 }, {}], "x": 1 }),
            &["/seats/0/row", "/seats/0/number", "/seats/1/row", "/x"],
        ),
        (
            json!({ "seats": [{ "row": "A", "number": "4" }, 7, null] }),
            &["/seats/0/number", "/seats/1", "/seats/2"],
        ),
        (json!({ "seats": [{ "row": "A", "number": true }] }), &["/seats/0/number"]),
        (json!({ "seats": "x".repeat(99) }), &["/seats"]),
    ] {
        let js = client.failure("js_seats", arguments.clone()).await;
        let python = client.failure("py_seats", arguments.clone()).await;
        assert_eq!(js, python, "SYS-60: {arguments}");
        let problems = js["data"]["problems"].as_array().unwrap_or_else(|| panic!("{js}"));
        let found: Vec<_> = problems.iter().map(|it| it["pointer"].as_str().unwrap()).collect();
        assert_eq!(found, pointers, "{arguments}");
        for problem in problems {
            let message = problem["message"].as_str().unwrap();
            let says = ["must be a", "must be one of", "is required: a", "is not known here"];
            assert!(says.iter().any(|it| message.starts_with(it)), "{message}");
        }
    }
    // An integer, as JSON Schema has it.
    let whole = json!({ "seats": [{ "row": "A", "number": 4.0 }] });
    let js = client.output("js_seats", whole.clone()).await;
    assert_eq!(js, client.output("py_seats", whole).await, "SYS-60");
}

#[tokio::test(flavor = "multi_thread")]
async fn component_asks_in_the_callers_language_and_resumes() {
    let server = probes("").await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        let tool = format!("{prefix}_ask");
        for (language, question, text) in
            [("ja-JP", "お名前は？", "こんにちは 花子"), ("en", "What is your name?", "Hello 花子")]
        {
            let asked = round(&client, &tool, language, json!({})).await;
            let form = &asked["inputRequests"]["name"]["params"];
            assert_eq!(form["message"], question, "SYS-60: {asked}");
            assert_eq!(form["requestedSchema"]["required"], json!(["name"]), "{asked}");
            let unfit = answered(&asked, &json!({ "name": 7 }));
            let unfit = round(&client, &tool, language, unfit).await;
            assert!(unfit.to_string().contains("name must be a string, not 7"), "{unfit}");
            let asked = round(&client, &tool, language, json!({})).await;
            let named = answered(&asked, &json!({ "name": "花子" }));
            let confirm = round(&client, &tool, language, named.clone()).await;
            let mut both = answered(&confirm, &json!({}));
            both["inputResponses"]["name"] = named["inputResponses"]["name"].clone();
            let done = round(&client, &tool, language, both).await;
            assert_eq!(done["structuredContent"]["text"], text, "SYS-60: {done}");
            assert!(done["structuredContent"]["began"].as_u64().unwrap() > 1_700_000_000_000);
            assert_eq!(done["_meta"]["probe/round"], 3, "what it remembers goes along: {done}");
            let shown = text.split(' ').next().unwrap();
            let texts = done["content"].as_array().unwrap();
            assert!(texts.iter().any(|it| it["text"] == shown), "{done}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn null_counts_as_omitted_where_the_type_excludes_null() {
    let server = probes("").await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        let tool = format!("{prefix}_blank");
        let nulls = json!({ "must": "a", "note": null, "size": null, "none": null });
        let given = client.output(&tool, nulls).await["given"].clone();
        assert_eq!((&given["must"], given.get("note")), (&json!("a"), None), "SYS-60: {given}");
        assert_eq!(given.get("none"), Some(&Value::Null), "it may be null: {given}");
        assert!(given.get("size").is_none_or(|it| it == "small"), "{given}");
        let refused = client.failure(&tool, json!({ "must": null })).await;
        assert_eq!(refused["data"]["field"], "must", "SYS-60: {prefix}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn python_optional_types_and_tuples_are_serialized() {
    let server = probes("limits = { check_outputs = \"always\" }").await;
    let client = server.client();
    let found = client.output("py_find", json!({ "title": null, "pair": ["b", 2] })).await;
    let expected = json!({ "result": { "title": null, "pair": ["b", 2] } });
    assert_eq!(found, expected, "SYS-60");
    let none = client.output("py_find", json!({ "title": "a", "is_there": false })).await;
    assert_eq!(none, json!({ "result": null }), "SYS-60");
    let refused = client.failure("py_find", json!({ "title": "a", "pair": ["b"] })).await;
    assert_eq!(refused["data"]["field"], "pair", "{refused}");
    assert!(refused.to_string().contains("must be an array of 2 items"), "{refused}");
    assert_eq!(client.output("py_half", json!({})).await["it"], "?", "it is no text");
}

#[tokio::test(flavor = "multi_thread")]
async fn choice_questions_work_in_both_languages() {
    let server = probes("").await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        let tool = format!("{prefix}_choose");
        let asked = round(&client, &tool, "en", json!({})).await;
        let field = &asked["inputRequests"]["size"]["params"]["requestedSchema"]["properties"];
        assert_eq!(field["size"]["enum"], json!(["small", "large"]), "SYS-60: {asked}");
        let chosen = answered(&asked, &json!({ "size": "large" }));
        let done = round(&client, &tool, "en", chosen).await;
        assert_eq!(done["structuredContent"]["size"], "large", "SYS-60: {done}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn value_unsupported_by_sql_raises_an_exception() {
    let server = probes("").await;
    let client = server.client();
    for (tool, what) in [
        ("js_keep_date", "keeps no Date"),
        ("js_keep_big", "keeps no bigint beyond 2^53"),
        ("py_keep_much", "64 bits"),
    ] {
        let failure = client.failure(tool, json!({})).await;
        assert_eq!(failure["error"], "exception", "SYS-61: {failure}");
        assert!(failure["message"].as_str().unwrap().contains(what), "{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_rows_and_reports_the_violated_constraint() {
    let server = probes("").await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        let tool = format!("{prefix}_note");
        let note = client.output(&tool, json!({ "body": "雪" })).await;
        let expected =
            json!({ "count": 1, "weight": 0.5, "bytes": 258, "big": 9_007_199_254_740_991_u64 });
        assert_eq!(note, expected, "SYS-60: {prefix}");
        let again = client.failure(&tool, json!({ "body": "雪" })).await;
        assert_eq!(
            (&again["error"], &again["of"]),
            (&json!("taken"), &json!("notes.body")),
            "{again}"
        );
        assert_eq!(client.output(&tool, json!({ "body": "月" })).await["count"], 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exception_names_file_and_line_and_is_no_trap() {
    let grants = GRANTS.replace(']', ", \"endpoints\"]");
    let lines = ["probe_js", "probe_python"]
        .map(|it| format!("[components.{it}]\n{grants}\nhttp = []\n"))
        .concat();
    let server =
        server(&[("probe_js", "probe-js"), ("probe_python", "probe-python")], &lines).await;
    let client = server.client();
    for ((_, prefix, file), (source, broken, kind)) in LANGUAGES.into_iter().zip([
        ("probe.js", "return list.first.second", "TypeError: "),
        ("probe.py", "return it[3]", "IndexError: list index out of range"),
    ]) {
        let text = fs::read_to_string(root().join("tests/languages").join(source)).unwrap();
        let line_of = |part: &str| 1 + text.lines().position(|it| it.contains(part)).unwrap();
        let failure = client.failure(&format!("{prefix}_fail"), json!({})).await;
        assert_eq!((&failure["error"], &failure["status"]), (&json!("exception"), &json!(500)));
        let at = format!("src/{file}:{}", line_of(broken));
        assert_eq!(failure["at"], at, "SYS-61: {failure}");
        let message = failure["message"].as_str().unwrap();
        assert!(message.starts_with(kind) && message.ends_with(&format!("({at})")), "{failure}");
        let sql = client.failure(&format!("{prefix}_wrong_sql"), json!({})).await;
        let at = format!("src/{file}:{}", line_of("SELECT * FROM nowhere"));
        assert_eq!(sql["at"], at, "SYS-61: {sql}");
        assert!(sql["message"].as_str().unwrap().contains("no such table: nowhere"), "{sql}");
    }
    for (component, broken) in
        [("probe_js", "TypeError: "), ("probe_python", "IndexError: list index out of range")]
    {
        for (path, status, error) in [
            ("none", 404, "no_such"),
            ("broken", 500, "exception"),
            ("look/none", 404, "no_such"),
            ("look/broken", 500, "exception"),
        ] {
            let answer = client.get(&format!("/api/{component}/{path}")).await;
            assert_eq!(answer.status(), status, "{component} {path}");
            let failure: Value = answer.json().await.unwrap();
            assert_eq!(failure["error"], error, "{failure}");
            let at = failure["at"].as_str().unwrap_or_default();
            assert_eq!(at.starts_with("src/tools."), error == "exception", "{failure}");
            let message = failure["message"].as_str().unwrap();
            assert_eq!(message.starts_with(broken), error == "exception", "{failure}");
        }
    }
    for (_, prefix, _) in LANGUAGES {
        let size = client.failure(&format!("{prefix}_size"), json!({})).await;
        assert_eq!(size["error"], "unavailable", "{size}");
        assert!(size["message"].as_str().unwrap().contains("not granted the file book"), "{size}");
        let photo = client.failure(&format!("{prefix}_photo"), json!({})).await;
        assert_eq!(
            (&photo["error"], &photo["status"]),
            (&json!("unknown_blob"), &json!(404)),
            "{photo}"
        );
    }
    let promise = client.failure("js_promise", json!({})).await;
    assert!(promise["message"].as_str().unwrap().contains("write it without async"), "{promise}");
    for (tool, status) in
        [("js_refuse", json!("404")), ("js_refuse", json!(200)), ("py_refuse", json!(200))]
    {
        let unfit = client.failure(tool, json!({ "status": status })).await;
        let message = unfit["message"].as_str().unwrap();
        assert!(message.contains("an HTTP status from 400 to 599"), "{tool} {status}: {unfit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn receives_settings_caller_and_fresh_random_numbers() {
    let server = probes("settings = { colour = \"teal\" }").await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        assert_eq!(client.output(&format!("{prefix}_set"), json!({})).await["value"], "teal");
        let who = client.output(&format!("{prefix}_who"), json!({})).await;
        assert_eq!(who["name"], "anonymous", "SYS-60: {who}");
        let roll = async || client.output(&format!("{prefix}_roll"), json!({})).await;
        let (one, other) = (roll().await, roll().await);
        assert_ne!(one["one"], other["one"], "each call has numbers of its own");
        assert_ne!(one["id"], other["id"]);
        assert!((0.0..1.0).contains(&one["one"].as_f64().unwrap()), "{one}");
        assert_eq!(one["id"].as_str().map(str::len), Some("p-".len() + 16), "{one}");
    }
    let server = probes("settings = { colour = \"mauve\" }").await;
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    for name in ["probe_js", "probe_python"] {
        let error = health["components"][name]["error"].as_str().unwrap_or_default();
        assert!(error.contains("must be no mauve"), "SYS-60: {health}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_requests_to_the_granted_host_alone() {
    let echo = async |headers: HeaderMap, body: String| {
        // An older server's header, which is no UTF-8.
        let name = HeaderValue::from_bytes(b"caf\xe9").unwrap();
        let kinds: Vec<_> = headers.get_all("content-type").iter().collect();
        assert_eq!(kinds, ["application/probe+json"], "the author's own, and once");
        ([("x-name", name)], format!("{body} {}", headers["x-probe"].to_str().unwrap()))
    };
    let foreign = async || b"caf\xe9".to_vec();
    let routes = Router::new().route("/echo", post(echo)).route("/foreign", post(foreign));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let one = |name: &str| {
        format!(
            "[components.{name}]\n{GRANTS}\n[[components.{name}.http]]\nhost = \"127.0.0.1\"\nport = {port}\nscheme = \"http\"\nprivate = true\nmethods = [\"POST\"]\n"
        )
    };
    let lines = ["probe_js", "probe_python"].map(one).concat();
    let server =
        server(&[("probe_js", "probe-js"), ("probe_python", "probe-python")], &lines).await;
    let client = server.client();
    for (_, prefix, _) in LANGUAGES {
        let fetch = format!("{prefix}_fetch");
        let url = |path: &str| json!({ "url": format!("http://127.0.0.1:{port}{path}") });
        let answer = client.output(&fetch, url("/echo?a=1")).await;
        let text = answer["text"].as_str().unwrap().replace(' ', "");
        assert_eq!(
            (&answer["status"], &*text),
            (&json!(200), "{\"a\":\"é\"}1"),
            "SYS-60: {prefix}"
        );
        let foreign = client.failure(&fetch, url("/foreign")).await;
        assert_eq!(foreign["error"], "unavailable", "SYS-60: {prefix}: {foreign}");
        assert!(foreign["message"].as_str().unwrap().contains("not UTF-8"), "{foreign}");
        let missing = client.failure(&fetch, url("/nothing")).await;
        assert!(missing["message"].as_str().unwrap().contains("status 404"), "{missing}");
        let elsewhere = client.failure(&fetch, json!({ "url": "https://a.example/" })).await;
        assert_eq!(
            (&elsewhere["error"], &elsewhere["status"]),
            (&json!("http_denied"), &json!(403))
        );
        let wrong = client.failure(&fetch, json!({ "url": "ftp://a" })).await;
        assert_eq!(wrong["error"], "http_invalid", "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_misdeed_in_either_language_ends_at_its_limit() {
    let server = probes("").await;
    let client = server.client();
    let seats = || serde_json::from_str::<Value>(SEATS).unwrap();
    for (prefix, neighbour) in [("js", "py_seats"), ("py", "js_seats")] {
        for (deed, limit) in
            [("spin", "cpu_ms_max"), ("hoard", "memory_bytes_max"), ("bloat", "output_bytes_max")]
        {
            let failure = client.failure(&format!("{prefix}_{deed}"), json!({})).await;
            assert_eq!(failure["error"], "limit_exceeded", "SYS-60: {prefix}_{deed}: {failure}");
            assert_eq!(failure["limit"], limit, "{prefix}_{deed}: {failure}");
            client.output(neighbour, seats()).await;
        }
        // Its own stack, or its interpreter's limit before that.
        let deep = client.failure(&format!("{prefix}_recurse"), json!({})).await;
        let is_ended = deep["limit"] == "stack_bytes_max"
            || deep["message"].as_str().is_some_and(|it| it.starts_with("RecursionError"));
        assert!(is_ended, "{prefix}: {deep}");
        // A stub ends the call without details for the caller.
        let clock = client.failure(&format!("{prefix}_clock"), json!({})).await;
        assert_eq!(clock["error"], "internal_error", "SYS-62: {clock}");
        assert!(!clock.to_string().contains("clocks"), "{clock}");
        client.output(&format!("{prefix}_seats"), seats()).await;
    }
}

/// A component of WASI 0.3 in a second language, whose calls await, beside one of 0.2.
#[tokio::test(flavor = "multi_thread")]
async fn python_tools_await_while_wasi_0_2_tools_serve() {
    let lines = "[components.awaiting]\ngrants = [\"clock\", \"sql\"]\n";
    let files = [("awaiting", "awaiting-python"), ("greeting", "greeting-js")];
    let server = server(&files, lines).await;
    let client = server.client();
    let naps = client.output("await_naps", json!({ "each_ms": [900, 1, 450] }));
    let greeted = client.output("greeting", json!({ "name": "Ann" }));
    let other = client.output("await_naps", json!({ "each_ms": [600, 2] }));
    let (naps, greeted, other) = tokio::join!(naps, greeted, other);
    assert_eq!(naps, json!({ "order": [1, 450, 900], "sum": 43 }), "SYS-49");
    assert_eq!(other, json!({ "order": [2, 600], "sum": 42 }), "SYS-49");
    assert_eq!(greeted["text"], "Hello, Ann!");
    assert_eq!(client.output("await_plain", json!({ "text": "a" })).await["text"], "a");
    let failure = client.failure("await_late", json!({})).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_late"), &json!(409)));
    let failure = client.failure("await_broken", json!({})).await;
    let text = fs::read_to_string(root().join("tests/languages/awaiting.py")).unwrap();
    let line = 1 + text.lines().position(|it| it.contains("return [][3]")).unwrap();
    assert_eq!(failure["at"], format!("src/tools.py:{line}"), "SYS-61: {failure}");
    let asked = round(&client, "await_confirm", "en", json!({})).await;
    let agreed = round(&client, "await_confirm", "en", answered(&asked, &json!({}))).await;
    assert_eq!(agreed["structuredContent"]["is"], "confirmed", "SYS-49: {agreed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn python_tools_that_await_end_at_the_same_limits() {
    let lines =
        "[components.awaiting]\ngrants = [\"clock\", \"sql\"]\nlimits = { deadline_ms = 20000 }\n";
    let server = server(&[("awaiting", "awaiting-python")], lines).await;
    let client = server.client();
    for (deed, limit) in [
        ("handles", "handles_max"),
        ("whirl", "cpu_ms_max"),
        ("swell", "memory_bytes_max"),
        ("unending", "deadline_ms"),
    ] {
        let failure = client.failure(&format!("await_{deed}"), json!({})).await;
        assert_eq!(failure["limit"], limit, "SYS-49: {deed}: {failure}");
        client.output("await_plain", json!({ "text": "a" })).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn own_stubs_grant_nothing_and_operators_grants_decide() {
    let refused = async |lines: &str| {
        let server = server(&[("probe_js", "probe-js")], lines).await;
        let health: Value = server.client().get("/api/health").await.json().await.unwrap();
        health["components"]["probe_js"]["error"].as_str().unwrap_or_default().to_owned()
    };
    let error = refused("").await;
    let line = format!("[components.probe_js]: {GRANTS}");
    assert!(error.contains(&line) && !error.contains("stubs"), "SYS-62: {error}");
    let error = refused(&format!("[components.probe_js]\n{GRANTS}\nhttp = []\nstubs = []\n")).await;
    assert!(error.contains("wasi:clocks") && error.contains("not granted"), "SYS-62: {error}");
    // With the grant, the stubbed import works.
    let grants = GRANTS.replace(']', ", \"clock\"]");
    let lines = format!("[components.probe_js]\n{grants}\nhttp = []\n");
    let server = server(&[("probe_js", "probe-js")], &lines).await;
    let now = server.client().output("js_clock", json!({})).await["now"].as_u64().unwrap();
    assert!(now > 1_700_000_000_000, "{now}");
}

#[tokio::test(flavor = "multi_thread")]
async fn build_requesting_more_than_stubs_waits_for_approval() {
    let server = server(&[], "").await;
    let control = &server.server().control;
    control.execute("greeting", Order::Load(built("greeting-js"))).await.unwrap();
    let defaults = b"grants = [\"sql\"]\nstubs = [\"wasi:clocks\", \"wasi:filesystem\"]\n";
    let original = built("greeting-js");
    let section = b"madoguchi:defaults";
    let at = original.windows(section.len()).rposition(|it| it == section).unwrap();
    // Replaces its section; before the name are its length, two bytes of the section's length, and the kind.
    let greedy = tests::with_section(&original[..at - 4], "madoguchi:defaults", defaults);
    let error = control.execute("greeting", Order::Load(greedy)).await.unwrap_err();
    let ControlError::Load { source, .. } = error else { panic!("{error}") };
    assert!(matches!(*source, LoadError::Asks { .. }), "SYS-62: {source}");
    let text = source.to_string();
    assert!(text.contains("database") && text.contains("carries wasi:clocks"), "{text}");
    let greeted = server.client().output("greeting", json!({ "name": "Ann" })).await;
    assert_eq!(greeted["text"], "Hello, Ann!", "the version before serves on");
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_answering_when_swapped_between_languages() {
    let server = server(&[("greeting", "greeting-js")], "").await;
    let client = server.client();
    let is_over = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..2)
        .map(|_| {
            let (client, is_over) = (server.client(), is_over.clone());
            tokio::spawn(async move {
                let mut calls = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let greeted = client.output("greeting", json!({ "name": "Ann" })).await;
                    assert_eq!(greeted["text"], "Hello, Ann!");
                    calls += 1;
                }
                calls
            })
        })
        .collect();
    let control = &server.server().control;
    for (file, generation) in [("greeting-python", 2), ("greeting-js", 3)] {
        let report = control.execute("greeting", Order::Load(built(file))).await.unwrap();
        assert_eq!(report.generation, Some(generation), "SYS-60: {file}");
        client.output("greeting", json!({ "name": "Ann" })).await;
    }
    is_over.store(true, Ordering::Relaxed);
    for caller in callers {
        assert!(caller.await.unwrap() > 0, "no call was lost");
    }
}
