//! Event streams end with their token or their session.

use super::*;

/// A server where Ann's token expires after this time, and Ben's never.
async fn serve_for(time: Duration) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    folders.lend_code();
    // Started once before, so that it starts at once: what took so long then takes less now.
    let began = std::time::Instant::now();
    host::Server::start(folders.config()).await.unwrap().stop().await;
    let expires = jiff::Timestamp::now() + time + 4 * began.elapsed();
    let lines = format!("{}expires = '{expires}'\n{}", entry("ann", ANN), entry("ben", BEN));
    let config = folders.config_with(&lines);
    TestServer::start(folders, |it| *it = config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_end_when_their_token_expires() {
    let server = serve_for(Duration::from_secs(15)).await;
    let ann = server.client_with(ANN);
    let mut modern = ann.listen().await;
    let session = LegacySession::begin(&ann).await.ok().unwrap();
    session.initialized().await;
    let legacy = session.stream().await;
    assert_eq!(legacy.status(), StatusCode::OK);
    let mut other = server.client_with(BEN).listen().await;
    let ended = tokio::time::timeout(LONG, legacy.text()).await;
    assert!(ended.is_ok(), "the stream of a session ends");
    assert_eq!(modern.next(LONG).await, None);
    assert_eq!(ann.get("/api/health").await.status(), StatusCode::UNAUTHORIZED);
    server.folders.put("rogue", &component_bytes("rogue"));
    assert!(other.next(LONG).await.is_some(), "who may come in goes on hearing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_ended_once() {
    let server = serve("").await;
    let session = LegacySession::open(&server.url()).await;
    let first = session.delete().await;
    assert_eq!(first.status(), StatusCode::NO_CONTENT);
    assert_eq!(first.text().await.unwrap(), "");
    let again = session.delete().await;
    assert_eq!(again.status(), StatusCode::NOT_FOUND);
    let body: Value = again.json().await.unwrap();
    assert!(body["error"]["message"].as_str().unwrap().contains("initialize"), "{body}");
    let unknown = server.client().http(Method::DELETE, "/mcp").header("mcp-session-id", "none");
    assert_eq!(unknown.send().await.unwrap().status(), StatusCode::NOT_FOUND);
}
