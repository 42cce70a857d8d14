//! Rate limits of callers.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

use super::{ANN, BEN, EVE, entry, serve};

/// So slow that no token of the bucket returns during a test: one in a second, a few at once.
const SLOW: &str = "rate = { requests_per_s = 1, burst = 3 }\n";

async fn list(client: &Client) -> Response {
    client.send("tools/list", json!({})).await
}

/// Calls until refused; returns the number of answers and the refusal.
async fn until_refused(client: &Client) -> (usize, Response) {
    for answered in 0..100 {
        let answer = list(client).await;
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            return (answered, answer);
        }
        assert!(!answer.status().is_server_error(), "{answer:?}");
    }
    panic!("nothing was ever too much");
}

#[tokio::test(flavor = "multi_thread")]
async fn excess_request_gets_retry_time_and_delays_no_other_caller() {
    let server = serve(SLOW).await;
    let (answered, refused) = until_refused(&server.client_with(ANN)).await;
    assert!(answered >= 3, "the burst passes: {answered}");
    let wait_s: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=2).contains(&wait_s), "{wait_s}");
    let body: Value = refused.json().await.unwrap();
    assert_eq!(body["error"]["data"]["error"], "rate_limited", "{body}");
    assert_eq!(body["error"]["data"]["status"], 429, "{body}");
    assert!(list(&server.client_with(BEN)).await.status().is_success(), "each has their own");
    // Strangers are counted before they are refused as strangers.
    let (answered, refused) = until_refused(&server.client_with("mdg_guess")).await;
    assert!(answered >= 3 && refused.headers().contains_key("retry-after"), "{answered}");
    assert!(list(&server.client_with(BEN)).await.status().is_success());
}

#[tokio::test(flavor = "multi_thread")]
async fn token_may_have_its_own_rate_or_none() {
    const SLOW_ONE: &str = "mdg_slow-one";
    let server = serve(&(entry("slow", SLOW_ONE, "'*'") + SLOW)).await;
    assert!(until_refused(&server.client_with(SLOW_ONE)).await.0 >= 3);
    for _ in 0..30 {
        assert!(list(&server.client_with(ANN)).await.status().is_success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn local_callers_are_rate_limited_only_if_configured() {
    let free = TestServer::with(&["echo"]).await;
    for _ in 0..30 {
        assert!(list(&free.client()).await.status().is_success());
    }
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(SLOW);
    let counted = TestServer::start(folders, |it| *it = config).await;
    assert!(until_refused(&counted.client()).await.0 >= 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_caller_cannot_fill_file_store_or_use_all_uploads() {
    let lines = "[blobs]\nbytes_max = 200_000\ncaller_bytes_max = 50_000\ncaller_uploads_max = 1\n";
    let server = serve(lines).await;
    let send = async |token: &str, body: reqwest::Body| {
        let request = server.client_with(token).http(Method::POST, "/api/blobs").body(body);
        let response = request.header("content-type", "text/plain").send().await.unwrap();
        let retry = response.headers().contains_key("retry-after");
        (response.status(), retry, response.json::<Value>().await.unwrap())
    };
    let bytes = |of: u8| reqwest::Body::from(vec![of; 30_000]);
    assert_eq!(send(ANN, bytes(1)).await.0, StatusCode::CREATED);
    let (status, _, body) = send(ANN, bytes(2)).await;
    assert_eq!((status, &body["error"]), (StatusCode::INSUFFICIENT_STORAGE, &json!("share_full")));
    assert!(body["message"].as_str().unwrap().contains("caller_bytes_max"), "{body}");
    assert_eq!(send(BEN, bytes(3)).await.0, StatusCode::CREATED, "others have their own");
    // One on its way, which goes on for as long as this test.
    let begin = || {
        let begun = futures::stream::iter([Ok::<_, std::io::Error>(vec![7_u8; 1_000])]);
        reqwest::Body::wrap_stream(futures::StreamExt::chain(begun, futures::stream::pending()))
    };
    let client = server.client_with(ANN);
    let upload = tokio::spawn(async move {
        // One of the small ones below can hold the only place at this moment.
        while let Ok(answer) = client.http(Method::POST, "/api/blobs").body(begin()).send().await {
            assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        }
    });
    let refused = async {
        loop {
            let (status, retry, body) = send(ANN, reqwest::Body::from("small")).await;
            if status == StatusCode::TOO_MANY_REQUESTS {
                return (retry, body);
            }
        }
    };
    let refused = tokio::time::timeout(tests::PATIENCE, refused).await;
    let (has_retry, body) = refused.expect("its own upload is in the way");
    assert!(
        has_retry && body["message"].as_str().unwrap().contains("caller_uploads_max"),
        "{body}"
    );
    assert_eq!(send(EVE, bytes(4)).await.0, StatusCode::CREATED, "others have places");
    upload.abort();
}
