//! CORS: which foreign pages may call the server, and with which headers.

use reqwest::{Method, Response, StatusCode};
use serde_json::json;
use tests::server::TestServer;

use super::{ANN, serve};

const PAGE: &str = "https://app.example";
const LISTED: &str = "allowed_origins = ['https://app.example']";

async fn preflight(server: &TestServer, path: &str, origin: &str) -> Response {
    let request = server.client().http(Method::OPTIONS, path).header("origin", origin);
    let request = request.header("access-control-request-method", "POST");
    let headers = "authorization, mcp-protocol-version, mcp-param-region, x-evil";
    let request = request.header("access-control-request-headers", headers);
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map(|it| it.to_str().unwrap()).unwrap_or_default()
}

fn has_cors(response: &Response) -> bool {
    response.headers().keys().any(|it| it.as_str().starts_with("access-control"))
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_page_preflights_without_token_and_reads_its_answers() {
    let server = serve(LISTED).await;
    for path in ["/mcp", "/rpc", "/api/blobs", "/api/cinema/movies"] {
        let may = preflight(&server, path, PAGE).await;
        assert_eq!(may.status(), StatusCode::NO_CONTENT, "{path}");
        assert_eq!(header(&may, "access-control-allow-origin"), PAGE);
        assert!(header(&may, "access-control-allow-methods").contains("POST"));
        let headers = header(&may, "access-control-allow-headers");
        assert_eq!(headers, "authorization, mcp-protocol-version, mcp-param-region");
        assert!(header(&may, "vary").contains("Origin"), "{may:?}");
        assert_eq!(header(&may, "access-control-allow-credentials"), "", "no cookies here");
    }
    for (token, status) in [(Some(ANN), 200), (Some("mdg_wrong"), 401), (None, 401)] {
        let request = server.client().http(Method::GET, "/api/blobs/none").header("origin", PAGE);
        let status = if status == 200 { 404 } else { status };
        let answer = match token {
            Some(token) => request.bearer_auth(token).send().await.unwrap(),
            None => request.send().await.unwrap(),
        };
        assert_eq!(answer.status().as_u16(), status);
        assert_eq!(header(&answer, "access-control-allow-origin"), PAGE);
        assert!(header(&answer, "access-control-expose-headers").contains("WWW-Authenticate"));
        assert!(header(&answer, "vary").contains("Origin"), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_any_other_page_without_cors_and_own_page_needs_none() {
    let server = serve(LISTED).await;
    for origin in ["https://evil.example", "https://app.example.evil.example", "null"] {
        let refused = preflight(&server, "/mcp", origin).await;
        assert!(refused.status() == StatusCode::FORBIDDEN && !has_cors(&refused), "{refused:?}");
    }
    let own = server.client().http(Method::GET, "/api/health").header("origin", server.url());
    let own = own.send().await.unwrap();
    assert!(own.status().is_success() && !has_cors(&own), "{own:?}");
    let plain = server.client_with(ANN).send("tools/list", json!({})).await;
    assert!(plain.status().is_success() && !has_cors(&plain), "{plain:?}");
    let none = serve("").await;
    let refused = preflight(&none, "/mcp", PAGE).await;
    assert!(refused.status() == StatusCode::FORBIDDEN && !has_cors(&refused), "{refused:?}");
}
