//! Files and folders over the wire: replaced while the server runs, missing at its start.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use tests::{component_bytes, server::Folders};

use super::{start, until};

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
