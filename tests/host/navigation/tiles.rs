//! Map tiles of the operator's choice: announced to the page, and allowed by its policy as pictures alone.

use serde_json::{Value, json};
use tests::server::{Folders, TestServer};

async fn policy(server: &TestServer) -> String {
    let response = server.client().get("/").await;
    response.headers()["content-security-policy"].to_str().unwrap().to_owned()
}

async fn page(server: &TestServer) -> Value {
    let response = server.client().get("/api/page").await;
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

/// A server with these lines, and no origin for the apps of others.
async fn serve(lines: &str) -> TestServer {
    let folders = Folders::new();
    let config = folders.config_with(&format!("{lines}[apps]\naddr = false\n"));
    TestServer::start(folders, |it| *it = config).await
}

#[tokio::test]
async fn informs_page_of_missing_tiles_and_admits_no_other_origin() {
    let server = serve("").await;
    assert_eq!(page(&server).await, json!({ "tiles": null }));
    assert!(!policy(&server).await.contains("http"), "{}", policy(&server).await);
}

#[tokio::test]
async fn informs_page_of_tiles_and_admits_their_origin_for_pictures() {
    let server = serve(
        "[page.tiles]\nurl = 'https://tiles.example:8443/{z}/{x}/{y}.png'\n\
         attribution = '© Everybody'\nmax_zoom = 18\n",
    )
    .await;
    let tiles = json!({
        "url": "https://tiles.example:8443/{z}/{x}/{y}.png",
        "attribution": "© Everybody",
        "maxZoom": 18,
    });
    assert_eq!(page(&server).await, json!({ "tiles": tiles }));
    let with = policy(&server).await;
    let without = policy(&serve("").await).await;
    assert!(with.contains("img-src 'self' data: blob: https://tiles.example:8443;"), "{with}");
    assert_eq!(with.replace(" https://tiles.example:8443", ""), without);
}
