//! Settings of the operator apply to the running server; invalid ones change nothing.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use tests::{
    component_bytes, root,
    server::{Folders, TestServer},
};

/// Waits until health reports an error of the cinema that contains `part`; without a part, until it reports none.
async fn health_says(server: &TestServer, part: Option<&str>) {
    let body = async {
        loop {
            let health: Value = server.client().get("/api/health").await.json().await.unwrap();
            let error = health["components"]["cinema"]["error"].as_str();
            match (error, part) {
                (None, None) => return,
                (Some(error), Some(part)) if error.contains(part) => return,
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let in_time = tokio::time::timeout(tests::PATIENCE, body).await;
    in_time.unwrap_or_else(|_| panic!("health does not say {part:?}"));
}

async fn titles(server: &TestServer) -> Vec<String> {
    let movies = server.client().output("list_movies", json!({})).await;
    let titles = movies["movies"].as_array().unwrap().iter();
    titles.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn applies_changed_catalogue_but_not_an_invalid_one() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let demo = fs::read_to_string(root().join("components/cinema/demo.json")).unwrap();
    let mut catalogue: Value = serde_json::from_str(&demo).unwrap();
    let file = folders.components().join("my-cinema.json");
    let mut name = |title: &str| {
        catalogue["movies"][0]["title"] = title.into();
        fs::write(&file, catalogue.to_string()).unwrap();
    };
    name("最初の題名");
    let setting = json!({ "file": &file });
    let mut server = TestServer::start(folders, |config| {
        let cinema = config.components.get_mut("cinema").expect("it has its grants");
        cinema.settings.insert("catalog".to_owned(), setting);
    })
    .await;
    assert!(titles(&server).await.contains(&"最初の題名".to_owned()));

    name("次の題名");
    let taken_over = async {
        while !titles(&server).await.contains(&"次の題名".to_owned()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, taken_over).await.expect("in time");

    fs::write(&file, "{ not json").unwrap();
    health_says(&server, Some("line 1")).await;
    fs::write(&file, r#"{ "screens": 1 }"#).unwrap();
    health_says(&server, Some("/screens")).await;
    assert!(titles(&server).await.contains(&"次の題名".to_owned()), "the one before serves");

    server.restart().await;
    health_says(&server, Some("/screens")).await;
    assert!(titles(&server).await.contains(&"次の題名".to_owned()), "after a restart, too");
    name("最後の題名");
    health_says(&server, None).await;
    assert!(titles(&server).await.contains(&"最後の題名".to_owned()));
}

/// Settings that are refused before any were accepted: the component is there, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn settings_refused_on_a_first_start_refuse_each_call() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.put("echo", &component_bytes("echo"));
    let file = folders.components().join("my-cinema.json");
    let demo = fs::read_to_string(root().join("components/cinema/demo.json")).unwrap();
    let mut catalogue: Value = serde_json::from_str(&demo).unwrap();
    catalogue["screens"] = 1.into();
    fs::write(&file, catalogue.to_string()).unwrap();
    let setting = json!({ "file": &file });
    let mut server = TestServer::start(folders, |config| {
        let cinema = config.components.get_mut("cinema").expect("it has its grants");
        cinema.settings.insert("catalog".to_owned(), setting);
    })
    .await;
    for _ in 0..2 {
        let client = server.client();
        let health: Value = client.get("/api/health").await.json().await.unwrap();
        assert_eq!(
            (&health["status"], &health["components"]["echo"]["status"]),
            (&json!("degraded"), &json!("running"))
        );
        let cinema = &health["components"]["cinema"];
        let error = cinema["error"].as_str().unwrap();
        assert_eq!(cinema["status"], "failing", "{health}");
        assert!(error.contains("/screens") && error.contains("calls are refused"), "{error}");
        assert!(!error.contains("version before"), "there is none: {error}");
        let refusal = client.failure("list_movies", json!({})).await;
        assert_eq!(
            (&refusal["error"], &refusal["status"]),
            (&json!("settings_refused"), &json!(503))
        );
        let message = refusal["message"].as_str().unwrap();
        assert!(message.contains("cinema") && message.contains("operator"), "{message}");
        client.output("echo", json!({ "value": {} })).await;
        server.restart().await;
    }
    fs::write(&file, demo).unwrap();
    health_says(&server, None).await;
    assert!(!titles(&server).await.is_empty(), "mended without a restart");
}

/// `/api/health` is for every caller: where files lie is the operator's.
#[tokio::test(flavor = "multi_thread")]
async fn health_reveals_no_folders_of_the_machine() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.put("broken", b"no component");
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("films.json");
    fs::write(&file, "{").unwrap();
    let setting = json!({ "file": &file });
    let server = TestServer::start(folders, |config| {
        let cinema = config.components.get_mut("cinema").expect("it has its grants");
        cinema.settings.insert("catalog".to_owned(), setting);
    })
    .await;
    let health = server.client().get("/api/health").await.text().await.unwrap();
    assert!(health.contains("films.json") && health.contains("broken.wasm"), "{health}");
    let home = server.folders.data().parent().unwrap().display().to_string();
    for folder in [home, elsewhere.path().display().to_string()] {
        assert!(!health.contains(&folder), "{health}");
    }
    let error = server.server().control.component("cinema").unwrap().trouble.unwrap();
    assert!(error.contains(&file.display().to_string()), "the operator is told: {error}");
}
