//! The demo's look-ups, by its own path and by the origin of the specification's examples.

use std::fs;

use serde_json::{Value, json};
use tests::server::{Folders, TestServer};

use super::{component_bytes, get, look_up, serving};

#[tokio::test(flavor = "multi_thread")]
async fn sample_origin_and_own_path_answer_alike() {
    let server = serving("").await;
    let client = server.client();
    for path in [
        "users/search?q=%E4%BD%90%E8%97%A4&limit=3",
        "projects/search?q=api",
        "categories",
        "countries",
        "prefectures?country_code=JP",
        "cities?prefecture_code=13",
    ] {
        let (status, direct) = get(&client, &format!("/api/demo/{path}")).await;
        assert_eq!(status, 200, "{path}: {direct}");
        assert!(!direct.as_array().unwrap().is_empty(), "{path}");
        for url in [format!("https://api.example.com/{path}"), format!("/api/demo/{path}")] {
            assert_eq!(look_up(&client, &url).await, (200, direct.clone()), "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_finds_people_with_the_specified_fields() {
    let server = serving("").await;
    let (_, found) = get(&server.client(), "/api/demo/users/search?q=sat%C5%8D&limit=2").await;
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 2);
    for member in ["id", "name", "email", "department"] {
        assert!(found.iter().all(|it| it[member].is_string()), "{member}: {found:?}");
    }
}

/// The refusal names the page's own look-up.
#[tokio::test(flavor = "multi_thread")]
async fn returns_not_found_off_the_demo_naming_the_direct_address() {
    let server = serving("").await;
    let client = server.client();
    let (status, refused) = get(&client, "/api/demo/cities").await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_params")), "{refused}");
    assert_eq!(get(&client, "/api/demo/nothing").await.0, 404);
    assert_eq!(look_up(&client, "https://api.example.com/nothing").await.0, 404);
    for own in ["/api/health", "/api/demo/../blobs/x", "/mcp"] {
        let (status, refused) = look_up(&client, own).await;
        assert_eq!((status, &refused["error"]), (400, &json!("lookup_not_elsewhere")), "{own}");
        assert!(refused["message"].as_str().unwrap().contains("directly"), "{refused}");
    }
    for wrong in ["", "people", "ftp://a.example/", "https://me:word@a.example/"] {
        let (status, refused) = look_up(&client, wrong).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_params")), "{wrong}");
        assert!(!refused.to_string().contains("word"), "{refused}");
    }
    assert_eq!(get(&client, "/api/form/lookup").await.0, 400, "of what?");
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_people_replace_the_demo_ones() {
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let own = json!([{ "id": 7, "name": "窓口 七子", "room": "R1" }]);
    let file = folders.components().join("users.json");
    fs::write(&file, own.to_string()).unwrap();
    let lines = format!("[components.forms.settings]\nusers = {{ file = {file:?} }}");
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let found = |found: (u16, Value)| found.1;
    assert_eq!(found(get(&server.client(), "/api/demo/users/search").await), own);
    assert_eq!(found(get(&server.client(), "/api/demo/users/search?q=suzuki").await), json!([]));
    // Other parts of the demo remain, including the sample's origin.
    let (status, _) = look_up(&server.client(), "https://api.example.com/categories").await;
    assert_eq!(status, 200);
}

/// The built-in lists do not stand in for it.
#[tokio::test(flavor = "multi_thread")]
async fn reports_where_operators_list_is_invalid_and_uses_no_fallback() {
    let lines = "[components.forms.settings]\nusers = [{ id = 1, name = 'A' }, { id = 2 }]\n\
        origins = { 'api.example.com' = 'demo' }\n";
    let server = serving(lines).await;
    let (_, health) = get(&server.client(), "/api/health").await;
    let text = health["components"]["forms"]["error"].as_str().unwrap();
    assert!(text.contains("/users/1/name"), "{text}");
    assert!(text.contains("/origins/api.example.com"), "{text}");
    let (status, refused) = get(&server.client(), "/api/demo/users/search").await;
    assert_eq!(status, 503, "{refused}");
    assert_eq!(refused["error"], "settings_refused", "{refused}");
}
