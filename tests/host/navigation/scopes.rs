//! Callers without the tools' scope get no route but the name of the missing scope.

use serde_json::Value;
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};

use super::{error, request_body};

const MAY: &str = "mdg_may-search";
const MAY_NOT: &str = "mdg_may-not";

#[tokio::test]
async fn names_the_scope_to_a_caller_lacking_it_and_answers_others() {
    let folders = Folders::new();
    for name in ["assistant", "navigation"] {
        folders.put(name, &component_bytes(name));
    }
    let entry = |name: &str, token: &str, scope: &str| {
        let digest = host::digest::digest(token.as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['{scope}']\n")
    };
    let lines = entry("ann", MAY, "tool:route_search") + &entry("ben", MAY_NOT, "tool:geocode");
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let ask = async |token: &str| {
        let asked = request_body("比較して").to_string();
        server.client_with(token).post("/api/navigate", &[], asked).await
    };
    let refused = ask(MAY_NOT).await;
    assert_eq!(refused.status(), 403);
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap().to_owned();
    assert!(challenge.contains("scope=\"tool:route_search\""), "{challenge}");
    let body: Value = refused.json().await.unwrap();
    assert_eq!(error(&body), ("FORBIDDEN", "tool:route_search"), "NAV-10");
    let answered = ask(MAY).await;
    assert_eq!(answered.status(), 200);
    let body: Value = answered.json().await.unwrap();
    let used = body["reasoning"]["toolsUsed"].as_array().unwrap();
    assert_eq!(used.len(), 1, "what the caller may not call is not planned: {used:?}");
    let unknown =
        server.client().post("/api/navigate", &[], request_body("比較して").to_string()).await;
    assert_eq!(unknown.status(), 401);
}
