//! `/api/blobs`: uploads are returned unchanged, cannot run as a page, and are limited; granted files.

use std::{fs, time::Duration};

use futures::StreamExt;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    postgres::Cluster,
    server::{Folders, TestServer},
};

use super::{server, start, until};

/// The smallest thing that looks like a picture.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";

struct Uploads {
    server: TestServer,
    http: reqwest::Client,
}

impl Uploads {
    async fn new(change: impl FnOnce(&mut host::Config)) -> Self {
        let http = tests::client::http().build().unwrap();
        Self { server: server(change).await, http }
    }

    async fn send(&self, mime_type: &str, body: impl Into<reqwest::Body>) -> Response {
        let request = self.http.post(format!("{}/api/blobs", self.server.url()));
        request.header("content-type", mime_type).body(body).send().await.unwrap()
    }

    /// An upload that must succeed.
    async fn put(&self, mime_type: &str, body: &'static [u8]) -> Value {
        let response = self.send(mime_type, body).await;
        assert_eq!(response.status(), StatusCode::CREATED);
        let location = response.headers()["location"].to_str().unwrap().to_owned();
        let blob: Value = response.json().await.unwrap();
        assert_eq!(location, format!("/api/blobs/{}", blob["id"].as_str().unwrap()));
        blob
    }

    async fn get(&self, blob: &Value, headers: &[(&str, &str)]) -> Response {
        let id = blob["id"].as_str().unwrap();
        let mut request = self.http.get(format!("{}/api/blobs/{id}", self.server.url()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// Every file of the store, or what stands for one on PostgreSQL.
    fn files(&self) -> usize {
        if let Some(url) = self.server.folders.store() {
            let all = "SELECT content FROM madoguchi_host.contents";
            return Cluster::shared().sql(url.rsplit('/').next().unwrap(), &[all]).len();
        }
        fn count(folder: &std::path::Path) -> usize {
            let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
            entries.map(|it| if it.is_dir() { count(&it) } else { 1 }).sum()
        }
        count(&self.server.folders.data().join("blobs"))
    }
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers()[name].to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_named_by_its_content_and_a_component_reads_it() {
    let uploads = Uploads::new(|_| {}).await;
    let blob = uploads.put("image/png", PNG).await;
    assert_eq!(blob["id"], host::digest::digest(PNG));
    assert_eq!((&blob["size"], &blob["mimeType"]), (&json!(PNG.len()), &json!("image/png")));
    assert_eq!(blob["sniffedMimeType"], "image/png");
    assert!(blob["expiresAt"].as_str().unwrap().ends_with('Z'), "{blob}");
    let read = json!({ "id": blob["id"], "offset": 1, "length": 3 });
    let piece = uploads.server.client().output("read_blob", read).await;
    assert_eq!(piece, json!({ "text": "PNG", "size": PNG.len() }));

    let made = json!({ "text": "hello", "mime_type": "text/plain" });
    let made = uploads.server.client().output("put_blob", made).await;
    let response = uploads.get(&made, &[]).await;
    assert_eq!(header(&response, "content-type"), "text/plain");
    assert_eq!(response.bytes().await.unwrap(), "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn large_upload_is_sent_in_pieces_and_returned_unchanged() {
    let uploads = Uploads::new(|_| {}).await;
    let piece: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let whole = piece.repeat(100);
    let pieces: Vec<_> = (0..100).map(|_| Ok::<_, std::io::Error>(piece.clone())).collect();
    let body = reqwest::Body::wrap_stream(futures::stream::iter(pieces));
    let response = uploads.send("application/x-thing", body).await;
    assert_eq!(response.status(), StatusCode::CREATED, "more than body_bytes_max, which is MCP's");
    let blob: Value = response.json().await.unwrap();
    assert_eq!(
        (&blob["size"], &blob["id"]),
        (&json!(10_000_000), &json!(host::digest::digest(&whole)))
    );
    assert_eq!(blob.get("sniffedMimeType"), None);
    assert_eq!(uploads.get(&blob, &[]).await.bytes().await.unwrap(), whole);
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_cannot_run_as_a_page() {
    let uploads = Uploads::new(|_| {}).await;
    for (mime_type, body, disposition) in [
        ("image/png", PNG, "inline"),
        ("application/pdf", &b"%PDF-1.7"[..], "inline"),
        ("text/html", b"<html><script>alert(1)</script>", "attachment"),
        (
            "image/svg+xml",
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
            "attachment",
        ),
        ("image/png", b"<html><script>alert(2)</script>", "attachment"),
        ("text/plain", b"hello", "attachment"),
    ] {
        let blob = uploads.put(mime_type, body).await;
        let response = uploads.get(&blob, &[]).await;
        assert_eq!(response.status(), 200);
        assert_eq!(header(&response, "content-disposition"), disposition, "{blob}");
        assert_eq!(header(&response, "content-type"), mime_type);
        assert_eq!(header(&response, "x-content-type-options"), "nosniff");
        assert_eq!(header(&response, "content-security-policy"), "sandbox; default-src 'none'");
        assert_eq!(header(&response, "cross-origin-resource-policy"), "same-origin");
    }
    // Nor as a part of the page, whose policy lets in scripts and styles that come from here.
    for mime_type in ["text/javascript", "text/css; charset=utf-8", "application/wasm"] {
        let blob = uploads.put(mime_type, b"alert(3)").await;
        let response = uploads.get(&blob, &[]).await;
        assert_eq!(header(&response, "content-type"), "application/octet-stream", "{mime_type}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_ranges_and_answers_304_for_cached_blobs() {
    let uploads = Uploads::new(|_| {}).await;
    let blob = uploads.put("text/plain", b"0123456789").await;
    let part = uploads.get(&blob, &[("range", "bytes=2-4")]).await;
    assert_eq!(part.status(), 206);
    assert_eq!(header(&part, "content-range"), "bytes 2-4/10");
    let tag = header(&part, "etag").to_owned();
    assert_eq!(part.bytes().await.unwrap(), "234");
    let beyond = uploads.get(&blob, &[("range", "bytes=10-")]).await;
    assert_eq!((beyond.status().as_u16(), header(&beyond, "content-range")), (416, "bytes */10"));
    let cached = uploads.get(&blob, &[("if-none-match", &tag)]).await;
    assert_eq!(cached.status(), 304);
    let changed = [("range", "bytes=2-4"), ("if-range", "\"another\"")];
    assert_eq!(uploads.get(&blob, &changed).await.bytes().await.unwrap(), "0123456789");
    let id = blob["id"].as_str().unwrap();
    let head = uploads.http.head(format!("{}/api/blobs/{id}", uploads.server.url()));
    let head = head.send().await.unwrap();
    assert_eq!((head.status().as_u16(), header(&head, "content-length")), (200, "10"));
    assert!(head.bytes().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_too_large_upload_with_remedy_and_no_remains() {
    let uploads = Uploads::new(|it| it.blobs.blob_bytes_max = 10_000).await;
    let body = |size: usize| vec![7; size];
    let pieces = || {
        let pieces: Vec<_> = (0..3).map(|_| Ok::<_, std::io::Error>(body(4_000))).collect();
        reqwest::Body::wrap_stream(futures::stream::iter(pieces))
    };
    for response in
        [uploads.send("text/plain", body(10_001)).await, uploads.send("text/plain", pieces()).await]
    {
        assert_eq!(response.status(), 413);
        let refused: Value = response.json().await.unwrap();
        assert_eq!(refused["error"], "payload_too_large");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("10000 bytes") && message.contains("[blobs]"), "{message}");
    }
    until("something is left", async || uploads.files() == 0).await;
    assert_eq!(uploads.send("text/plain", body(10_000)).await.status(), 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn full_store_and_unknown_type_are_rejected() {
    let uploads = Uploads::new(|it| it.blobs.bytes_max = 10_000).await;
    assert_eq!(uploads.send("text/plain", vec![7; 8_000]).await.status(), 201);
    let response = uploads.send("text/plain", vec![8; 8_000]).await;
    assert_eq!(response.status(), 507);
    let refused: Value = response.json().await.unwrap();
    assert!(refused["message"].as_str().unwrap().contains("bytes_max"), "{refused}");
    let response = uploads.send("picture", "x").await;
    assert_eq!(response.status(), 400);
    for id in ["0".repeat(64), "..%2F..%2Fseal.key".to_owned(), "x".to_owned()] {
        let response = uploads.get(&json!({ "id": id }), &[]).await;
        assert_eq!(response.status(), 404, "{id}");
        assert_eq!(response.json::<Value>().await.unwrap()["error"], "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_upload_leaves_nothing() {
    let uploads = Uploads::new(|_| {}).await;
    let begun = futures::stream::iter([Ok::<_, std::io::Error>(vec![7_u8; 50_000])]);
    let stuck = reqwest::Body::wrap_stream(begun.chain(futures::stream::pending()));
    let request = uploads.http.post(format!("{}/api/blobs", uploads.server.url())).body(stuck);
    let upload = tokio::spawn(request.send());
    until("nothing arrives", async || uploads.files() == 1).await;
    upload.abort();
    until("it is not tidied up", async || uploads.files() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_survives_a_restart() {
    let mut uploads = Uploads::new(|_| {}).await;
    let blob = uploads.put("image/png", PNG).await;
    uploads.server.restart().await;
    let response = uploads.get(&blob, &[]).await;
    assert_eq!(header(&response, "content-disposition"), "inline");
    assert_eq!(response.bytes().await.unwrap(), PNG);
}

// Files and folders over the wire: replaced while the server runs, missing at its start.

async fn text(client: &tests::client::Client) -> Value {
    let arguments = json!({ "name": "map", "offset": 0, "length": 99 });
    client.call("read_file", arguments).await["structuredContent"]["text"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_a_missing_file_finds_it_later_and_rereads_replacement() {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    let map = folders.data().with_file_name("map");
    let server = start(folders, |config| {
        config.base = map.parent().unwrap().to_owned();
        let reach = config.components.get_mut("reach").expect("it is granted");
        // The path counts from the configuration's folder.
        reach.files.insert("map".to_owned(), "map".into());
    })
    .await;
    let client = server.client();
    let health: Value = client.get("/api/health").await.json().await.unwrap();
    let message = health["components"]["reach"]["error"].as_str().unwrap();
    assert!(message.contains("file map: ") && health["status"] == "degraded", "{health}");
    let failure =
        client.failure("read_file", json!({ "name": "map", "offset": 0, "length": 9 })).await;
    assert_eq!(failure["error"], "unavailable", "the rest of it serves: {failure}");

    fs::write(&map, "first").unwrap();
    until("it is not found", async || text(&client).await == "first").await;
    until("what was wrong stays reported", async || {
        let health: Value = client.get("/api/health").await.json().await.unwrap();
        health["status"] == "ok"
    })
    .await;

    fs::write(map.with_extension("new"), "second").unwrap();
    fs::rename(map.with_extension("new"), &map).unwrap();
    until("it is not read anew", async || text(&client).await == "second").await;

    fs::remove_file(&map).unwrap();
    until("nobody is told", async || {
        let health: Value = client.get("/api/health").await.json().await.unwrap();
        health["status"] == "degraded"
    })
    .await;
    assert_eq!(text(&client).await, "second", "what was open keeps being read");
}

#[tokio::test(flavor = "multi_thread")]
async fn replaced_folder_is_read_again() {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    let home = folders.data().with_file_name("maps");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("a.txt"), "first").unwrap();
    let server = start(folders, |config| {
        let reach = config.components.get_mut("reach").expect("it is granted");
        reach.folders.insert("/maps".to_owned(), home.clone());
    })
    .await;
    let client = server.client();
    let read = async || {
        let found = client.call("read_folder", json!({ "path": "/maps/a.txt" })).await;
        found["structuredContent"]["text"].clone()
    };
    assert_eq!(read().await, "first");
    // Changes inside are visible at once.
    fs::write(home.join("a.txt"), "second").unwrap();
    assert_eq!(read().await, "second");
    let next = home.with_file_name("next");
    fs::create_dir(&next).unwrap();
    fs::write(next.join("a.txt"), "third").unwrap();
    fs::rename(&home, home.with_file_name("before")).unwrap();
    fs::rename(&next, &home).unwrap();
    let exchanged = async {
        while read().await != "third" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, exchanged).await.expect("in time");
}

#[test]
fn command_line_lends_file_and_folder_and_names_a_missing_one() {
    use tests::process::{command, output};
    let folders = Folders::new();
    let home = folders.components();
    fs::write(home.join("map"), "from the map").unwrap();
    let run = |tool: &str, arguments: Value, lent: [&str; 2]| {
        let mut command = command(&folders);
        command.arg("run").arg(tests::component("reach"));
        let output = output(command.args([tool, &arguments.to_string()]).args(lent));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let read_file = json!({ "name": "map", "offset": 0, "length": 99 });
    let lent = format!("map={}", home.join("map").display());
    let (out, err) = run("read_file", read_file.clone(), ["--file", &lent]);
    assert!(out.contains("from the map"), "{out}{err}");
    let lent = format!("/data={}", home.display());
    let read_folder = json!({ "path": "/data/map" });
    let (out, err) = run("read_folder", read_folder, ["--folder", &lent]);
    assert!(out.contains("from the map"), "{out}{err}");
    let (out, err) = run("read_file", read_file, ["--file", "map=/no/such/map"]);
    assert!(out.is_empty() && err.contains("file map: /no/such/map"), "{out}{err}");
}
