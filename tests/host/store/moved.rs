//! The host's own state moves to PostgreSQL and back together with components' SQL (STO-46).

use std::{fs, os::unix::fs::PermissionsExt};

use host::{
    blobs::{self, BlobError, Blobs},
    clock::Clock,
    config::Given,
    control::Order,
    database::{Movable, Moved},
    documents::{DocumentLimits, Documents, Place},
    storage::parts,
};
use reqwest::Method;
use serde_json::{Value as Json, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    people::{App, PASSWORD, Person, access, refresh},
    rebuilt,
    server::{Folders, TestServer},
};

use super::{
    moving::{hold, kill_in_the_middle, lines, moved, moving},
    *,
};

const LINES: &str = "public_url = 'http://localhost:9'
[accounts]
enabled = true
[tasks]
after_ms = 1
[components.errand]
grants = ['calls', 'endpoints']
calls = ['component:cinema']
";

/// Folders with these components; echo is the second build where one has come.
fn folders(is_later: bool) -> Folders {
    let folders = Folders::new();
    for name in ["cinema", "errand", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    if is_later {
        folders.put("echo", &rebuilt(&component_bytes("echo"), 2));
    }
    folders
}

async fn start(folders: Folders, url: Option<&str>) -> TestServer {
    let mut config = folders.config_with(LINES);
    config.store.url = url.map(Given::value);
    TestServer::start(folders, |it| *it = config).await
}

async fn serves(server: &TestServer, generation: u64) {
    let mut changes = server.server().calls.registry.changes();
    let serves =
        changes.wait_for(|it| it.component("echo").is_some_and(|it| it.generation() == generation));
    tokio::time::timeout(tests::PATIENCE, serves).await.expect("in time").unwrap();
}

/// State that people, agents and the operator have created.
struct UsedState {
    app: App,
    tokens: Json,
    file: String,
    content: Vec<u8>,
    /// The parameters of an answer that was used.
    answer: Json,
    approval: String,
    show: String,
    seat: String,
    task: String,
}

async fn greet(client: &Client, more: Json) -> Json {
    let mut params = json!({ "name": "greet", "arguments": {} });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    client.request("tools/call", params).await.1
}

async fn task(client: &Client, id: &str) -> Json {
    let mut params = json!({ "taskId": id, "_meta": Client::meta() });
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    client.request("tasks/get", params).await.1["result"].clone()
}

async fn used_folders() -> (Folders, UsedState) {
    let mut server = start(folders(false), None).await;
    server.folders.put("echo", &rebuilt(&component_bytes("echo"), 2));
    serves(&server, 2).await;
    let mut person = Person::join(&server, "ann", &["*"]).await;
    let app = App::register(&server.url()).await;
    let tokens = app.tokens(&mut person, &[]).await;
    let client = server.client_with(access(&tokens));

    let content: Vec<u8> = (0..600_000_u32).map(|it| (it % 253) as u8).collect();
    let sent = client.http(Method::POST, "/api/blobs").header("content-type", "video/mp4");
    let sent: Json = sent.body(content.clone()).send().await.unwrap().json().await.unwrap();
    let file = format!("/api/blobs/{}", sent["id"].as_str().unwrap_or_else(|| panic!("{sent}")));

    let asked = greet(&client, json!({})).await;
    let response = json!({ "action": "accept", "content": { "name": "Taro" } });
    let state = &asked["result"]["requestState"];
    let answer = json!({ "requestState": state, "inputResponses": { "name": response } });
    let done = greet(&client, answer.clone()).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!", "{done}");

    let show = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let arguments = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
    let call = json!({ "tool": "reserve_seats", "arguments": arguments, "reason": "for you" });
    let body = json!({ "calls": [call] }).to_string();
    let tried = client.post("/api/errand/tries", &[], body).await;
    let tried: Json = tried.json().await.unwrap();
    let approval = tried["outputs"][0]["held"].as_str().unwrap_or_else(|| panic!("{tried}"));

    let mut params = json!({ "name": "count_slowly", "arguments": { "steps": 600 } });
    params["_meta"] = Client::meta();
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    let begun = client.request("tools/call", params).await.1;
    let id = begun["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
    while task(&client, &id).await["status"] == "working" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let approval = approval.to_owned();
    server.stop().await;
    let TestServer { folders, .. } = server;
    (folders, UsedState { app, tokens, file, content, answer, approval, show, seat, task: id })
}

/// Checks that everything continues on another host and either engine.
async fn check_continues(server: &TestServer, used: &UsedState) {
    let mut person = Person::new(&server.url());
    assert_eq!(person.sign_in("ann", PASSWORD).await.status(), 303, "the password is known");
    let app = used.app.at(&server.url());
    let client = server.client_with(access(&used.tokens));
    assert_eq!(client.output("whoami", json!({})).await["principal"], "account:ann");
    let (status, tokens) = app.refresh(refresh(&used.tokens), &[]).await;
    assert_eq!(status, 200, "{tokens}");
    let client = server.client_with(access(&tokens));

    let found = client.get(&used.file).await;
    assert_eq!(found.headers()["content-type"], "video/mp4");
    assert!(found.bytes().await.unwrap() == used.content);

    let again = greet(&client, used.answer.clone()).await;
    let message = again["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("answered and used"), "{again}");

    let path = format!("/api/approvals/{}", used.approval);
    let free = free_seats(&client, &used.show).await;
    assert!(free.contains(&used.seat));
    for _ in 0..2 {
        let allowed = client.post(&path, &[], json!({ "allow": true }).to_string()).await;
        let allowed: Json = allowed.json().await.unwrap();
        assert_eq!(allowed["state"], "done", "{allowed}");
    }
    let left = free_seats(&client, &used.show).await;
    assert!(!left.contains(&used.seat) && left.len() == free.len() - 1, "made once");

    let task = task(&client, &used.task).await;
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["structuredContent"]["counted"], 600, "{task}");

    serves(server, 2).await;
    let back = server.server().control.execute("echo", Order::Rollback(None)).await.unwrap();
    assert_eq!(back.generation, Some(1), "its bytes came along");
    assert_eq!(server.server().control.component("echo").unwrap().generations.len(), 2);
}

/// Rows of everything that a move fills, but for the roles' password, which each database has.
fn rows_there(url: &str) -> u64 {
    let tables = ["secrets WHERE name = 'state'", "answers", "documents", "contents", "pieces"]
        .into_iter()
        .chain(["blobs", "components", "component_builds"])
        .map(|it| format!("SELECT count(*) AS n FROM madoguchi_host.{it}"));
    let sql = tables.collect::<Vec<_>>().join(" UNION ALL ");
    let sql = format!("SELECT sum(n)::text FROM ({sql}) AS counts");
    Cluster::shared().sql(url.rsplit('/').next().unwrap(), &[&sql])[0].parse().unwrap()
}

/// STO-46, STO-43
#[tokio::test(flavor = "multi_thread")]
async fn accounts_blobs_calls_and_versions_move_there_and_back() {
    let (from, used) = used_folders().await;
    let cluster = Cluster::shared();
    let url = cluster.database();
    drop(Server::connect(&address(&url)).await.unwrap());
    let held = hold(cluster, &url, "LOCK TABLE madoguchi_host.blobs IN SHARE MODE").await;
    kill_in_the_middle(moving(&from, &url, "postgres"), (cluster, &url)).await;
    held.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(rows_there(&url), 0, "nothing of it is there");

    let over = moved(&from, &url, "postgres");
    let names = ["keys", "answers", "approvals", "tasks", "files", "pieces", "versions", "builds"];
    let names = names.map(|it| format!("madoguchi.{it} "));
    for part in names.iter().map(String::as_str).chain(["accounts.entries "]) {
        let line = lines(&over).into_iter().find(|it| it.starts_with(part));
        assert!(line.is_some_and(|it| !it.contains(" 0 rows")), "{part}: {over}");
    }
    let back = folders(true);
    let held = hold(cluster, &url, "LOCK TABLE madoguchi_host.pieces IN ACCESS EXCLUSIVE MODE");
    let held = held.await;
    kill_in_the_middle(moving(&back, &url, "sqlite"), (cluster, &url)).await;
    held.batch_execute("ROLLBACK").await.unwrap();
    for place in ["databases", "approvals", "answers.guard", "blobs", "tasks"] {
        assert!(!back.data().join(place).exists(), "{place}");
    }
    assert_eq!(lines(&moved(&back, &url, "sqlite")), lines(&over));
    assert!(!back.data().join(".moving").exists() && !back.data().join(".moved").exists());

    for (folders, url) in [(folders(true), Some(&*url)), (back, None)] {
        let mut server = start(folders, url).await;
        check_continues(&server, &used).await;
        server.stop().await;
    }
}

const KINDS: &[&str] = &["over", "wait"];

fn documents(place: Place) -> Documents {
    let limits = DocumentLimits { documents_max: 3, bytes_max: 900, document_bytes_max: 100 };
    Documents::open(place, limits, KINDS).unwrap()
}

fn limits() -> blobs::Limits {
    blobs::Limits { caller_bytes_max: 700_000, ..blobs::Limits::default() }
}

/// A data folder in which the host keeps some of everything but versions.
async fn kept() -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    let approvals = documents(Place::Folder(data.path().join("approvals")));
    for number in [9_u32, 1, 5] {
        let id = format!("{number:032x}");
        approvals.put((&id, "ann"), "wait", number).await.unwrap();
        // Folders order by time of modification.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let blobs = Blobs::open(data.path().join("blobs"), limits(), Clock::System).unwrap();
    blobs.put_for(Some("ann".into()), &[7; 600_000], "image/png").await.unwrap();
    blobs.put_for(None, b"", "text/plain").await.unwrap();
    blobs.put_for(None, b"%PDF-1", "application/pdf").await.unwrap();
    let guard: Vec<u8> = [2_000_000_000, 7, 1_900_000_000, u64::MAX, 1_800_000_000, 0]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
    fs::write(data.path().join("answers.guard"), guard).unwrap();
    fs::write(data.path().join("seal.key"), [42; 32]).unwrap();
    data
}

fn all() -> Vec<Movable> {
    parts(&host::Config::embedded_defaults(tests::embedded()).unwrap())
}

async fn database() -> (String, Server) {
    let url = Cluster::shared().database();
    let server = Server::connect(&address(&url)).await.unwrap();
    (url, server)
}

fn rows(moved: &[Moved]) -> Vec<(&str, u64)> {
    moved.iter().map(|it| (&*it.table, it.rows)).filter(|it| it.1 > 0).collect()
}

/// STO-46: with its order, its times, its owners' shares and the modes of its files.
#[tokio::test(flavor = "multi_thread")]
async fn host_tables_are_equal_after_a_move_both_ways() {
    let (data, back) = (kept().await, tempfile::tempdir().unwrap());
    let (_, server) = database().await;
    // Existing copies are replaced.
    fs::write(back.path().join("seal.key"), [1; 32]).unwrap();
    let over = server.fill_from(data.path(), &[], &all()).await.unwrap();
    let expected = [("keys", 1), ("answers", 3), ("approvals", 3), ("files", 3), ("pieces", 4)];
    assert_eq!(rows(&over), expected);
    let returned = server.empty_into(back.path(), &[], &all()).await.unwrap();
    assert_eq!(returned, over);
    let key = back.path().join("seal.key");
    assert_eq!(fs::read(&key).unwrap(), [42; 32]);
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);

    let open = |folder: &tempfile::TempDir| {
        Blobs::open(folder.path().join("blobs"), limits(), Clock::System).unwrap()
    };
    let ways = [open(&back), Blobs::shared(server.clone(), limits(), Clock::System)];
    let before = open(&data);
    for blobs in ways {
        for content in [&[7; 600_000][..], b"", b"%PDF-1"] {
            let name = host::digest::digest(content);
            assert!(blobs.read(&name, 0, 700_000).await.unwrap() == content);
            let (found, was) =
                (blobs.stat(&name).await.unwrap(), before.stat(&name).await.unwrap());
            assert_eq!((found.mime_type, found.sniffed), (was.mime_type, was.sniffed));
        }
        let error = blobs.put_for(Some("ann".into()), &[8; 200_000], "").await.unwrap_err();
        assert!(matches!(error, BlobError::ShareFull(_)), "it is ann's still: {error}");
        blobs.put_for(Some("eve".into()), &[8; 200_000], "").await.unwrap();
    }
    let used = |folder: &tempfile::TempDir| {
        let name = host::digest::digest(b"");
        let path = folder.path().join("blobs").join(&name[..2]).join(&name[2..4]).join(name);
        let used = fs::metadata(path).unwrap().modified().unwrap();
        used.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
    };
    assert_eq!(used(&back), used(&data), "it ends when it would have ended");

    let at = |number: u32| format!("{number:032x}");
    let ways = [
        documents(Place::Folder(back.path().join("approvals"))),
        documents(Place::Table(server.clone(), "approvals")),
    ];
    for documents in ways {
        assert_eq!(documents.of_owner::<u32>("ann", "wait").await.unwrap().len(), 3);
        for (new, gone) in [(20, 9), (21, 1), (22, 5), (23, 20)] {
            documents.put((&at(new), "ann"), "wait", new).await.unwrap();
            assert_eq!(
                documents.get::<u32>(&at(gone), "ann").await.unwrap(),
                None,
                "the eldest goes"
            );
        }
    }
    let known = Cluster::shared();
    let url = server.place();
    let name = url.split(' ').next().unwrap();
    let sql = "SELECT until_s::text FROM madoguchi_host.answers_forgotten";
    assert_eq!(known.sql(name, &[sql]), ["1800000000"]);
}

/// STO-42, STO-46
#[tokio::test(flavor = "multi_thread")]
async fn nonempty_target_with_blobs_or_accounts_is_not_filled() {
    let data = kept().await;
    let (_, server) = database().await;
    server.fill_from(data.path(), &[], &all()).await.unwrap();
    let error = server.fill_from(data.path(), &[], &all()).await.unwrap_err().to_string();
    assert!(error.contains("has keys already") && error.contains("name another one"), "{error}");
    let error = server.empty_into(data.path(), &[], &all()).await.unwrap_err().to_string();
    let names = "answers.guard, approvals, blobs";
    assert!(error.contains("answers.guard is there") && error.contains(names), "{error}");
    fs::create_dir_all(data.path().join("databases")).unwrap();
    fs::write(data.path().join("databases/.accounts.db"), "").unwrap();
    let plans = [host::storage::accounts_plan(false)];
    let error = server.empty_into(data.path(), &plans, &all()).await.unwrap_err().to_string();
    assert!(error.contains(".accounts.db is there"), "{error}");
    let one = tempfile::tempdir().unwrap();
    fs::create_dir(one.path().join("databases")).unwrap();
    fs::write(one.path().join("databases/cinema.db-wal"), "").unwrap();
    let error = server.empty_into(one.path(), &[], &all()).await.unwrap_err().to_string();
    assert!(error.contains("cinema.db-wal is there"), "a log without its database: {error}");
}

/// STO-46
#[tokio::test(flavor = "multi_thread")]
async fn too_large_values_are_named_and_nothing_is_moved() {
    let data = kept().await;
    let (url, server) = database().await;
    let mut config = host::Config::embedded_defaults(tests::embedded()).unwrap();
    config.blobs.blob_bytes_max = 599_999;
    let error = server.fill_from(data.path(), &[], &parts(&config)).await.unwrap_err().to_string();
    assert!(error.contains("has 600000 bytes") && error.contains("blob_bytes_max"), "{error}");
    assert_eq!(rows_there(&url), 0);
    server.fill_from(data.path(), &[], &all()).await.unwrap();
    let back = tempfile::tempdir().unwrap();
    let mut config = host::Config::embedded_defaults(tests::embedded()).unwrap();
    config.approvals.approval_bytes_max = 0;
    let error = server.empty_into(back.path(), &[], &parts(&config)).await.unwrap_err().to_string();
    assert!(error.contains("approval_bytes_max under [approvals]"), "{error}");
    assert_eq!(fs::read_dir(back.path()).unwrap().count(), 0, "nothing is left");
}

/// STO-46: a build whose bytes are damaged is none, and what cannot be read is not passed over.
#[tokio::test(flavor = "multi_thread")]
async fn unreadable_manifest_prevents_the_move() {
    let data = kept().await;
    let (url, server) = database().await;
    let folder = data.path().join("generations/shop");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("manifest.json"), "{").unwrap();
    let error = server.fill_from(data.path(), &[], &all()).await.unwrap_err().to_string();
    assert!(
        error.contains("generations/shop/manifest.json") && error.contains("nothing was moved")
    );
    assert_eq!(rows_there(&url), 0);
}
