//! The page as the server gives it out: whole, compressed, under a strict policy.

use tests::server::TestServer;

#[tokio::test]
async fn the_page_and_its_files_come_compressed_under_a_strict_policy() {
    let server = TestServer::with(&["echo"]).await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let get = |path: &str| {
        let request = http.get(format!("{}{path}", server.url()));
        request.header("accept-encoding", "gzip, br").send()
    };
    for path in ["/", "/index.html", "/some/view"] {
        let response = get(path).await.unwrap();
        assert_eq!(response.status(), 200, "{path}: is the page in the binary?");
        let header = |name| response.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-inline"));
        assert_eq!(header("content-encoding"), "br", "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        let again = http
            .get(format!("{}{path}", server.url()))
            .header("if-none-match", header("etag"))
            .send();
        assert_eq!(again.await.unwrap().status(), 304);
    }
    for path in ["/missing.js", "/api/nothing"] {
        let response = get(path).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
        let body: serde_json::Value = response.json().await.unwrap();
        assert_eq!(body["error"], "not_found");
    }
}
