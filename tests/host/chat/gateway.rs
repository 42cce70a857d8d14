//! The gateway (ILL-44): a password gives a cookie, and the cookie admits.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Server, clock::Clock};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tests::{
    client::Client,
    server::{Folders, TestServer},
};

const PASSWORD: &str = "開けゴマ-open";
const BODY: &str = "{\"message\": \"やあ\"}";

fn lines() -> String {
    format!("[chat]\npassword = {{ value = '{PASSWORD}' }}\n")
}

fn folders() -> Folders {
    let folders = Folders::new();
    for name in ["assistant", "cinema"] {
        folders.put(name, &tests::component_bytes(name));
    }
    folders
}

async fn closed(lines: &str) -> TestServer {
    let folders = folders();
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// The same with a key of its own and no components.
async fn elsewhere(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("assistant", &tests::component_bytes("assistant"));
    let config = folders.config_with(lines);
    TestServer::start_with_nothing(folders, |it| *it = config).await
}

async fn enter(client: &Client, password: &str) -> Response {
    client.post("/api/auth", &[], json!({ "password": password }).to_string()).await
}

/// The cookie without its attributes.
fn cookie(response: &Response) -> String {
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn talk(client: &Client, cookie: &str) -> u16 {
    client.post("/api/chat", &[("cookie", cookie)], BODY).await.status().as_u16()
}

#[tokio::test]
async fn password_gives_a_cookie_that_admits() {
    let server = closed(&lines()).await;
    let client = server.client();
    assert_eq!(talk(&client, "").await, 401, "ILL-44");
    assert_eq!(client.get("/api/chat").await.status(), 401, "ILL-44");
    let wrong = enter(&client, "開けゴマ").await;
    assert_eq!((wrong.status().as_u16(), wrong.headers().get("set-cookie")), (401, None));
    let wrong: Value = wrong.json().await.unwrap();
    assert_eq!(wrong, json!({ "error": "パスワードが正しくありません" }), "ILL-44");
    let right = enter(&client, PASSWORD).await;
    assert_eq!(right.status(), 200, "ILL-44");
    let whole = right.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(whole.starts_with("auth_token="), "{whole}");
    assert!(
        whole.ends_with("; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=86400"),
        "ILL-44: {whole}"
    );
    assert!(!whole.contains("open"), "it is not the password");
    let cookie = cookie(&right);
    assert_eq!(talk(&client, &cookie).await, 200);
    assert_eq!(talk(&client, &format!("a=b; {cookie}; c=d")).await, 200);
    let list = client.http(Method::GET, "/api/chat").header("cookie", &cookie);
    let list: Value = list.send().await.unwrap().json().await.unwrap();
    assert_eq!(list["gateway"], true);
}

#[tokio::test]
async fn rejects_cookie_changed_guessed_or_from_another_server() {
    let (server, other) = (closed(&lines()).await, elsewhere(&lines()).await);
    let client = server.client();
    let own = cookie(&enter(&client, PASSWORD).await);
    let foreign = cookie(&enter(&other.client(), PASSWORD).await);
    let later = {
        let (expires, tag) = own.strip_prefix("auth_token=").unwrap().split_once('.').unwrap();
        format!("auth_token={}.{tag}", expires.parse::<u64>().unwrap() + 1)
    };
    for wrong in [foreign, later, own[..own.len() - 1].to_owned(), "auth_token=".to_owned()] {
        assert_eq!(talk(&client, &wrong).await, 401, "{wrong}");
    }
    assert_eq!(talk(&client, &own.replace("auth_token", "auth")).await, 401);
    assert_eq!(talk(&client, &own).await, 200);
}

#[tokio::test]
async fn cookie_is_valid_for_a_day_and_one_password() {
    let folders = folders();
    folders.lend_code();
    let secret = folders.data().join("password");
    std::fs::write(&secret, "one\n").unwrap();
    let mut config = folders.config_with("[chat]\npassword = { file = 'data/password' }");
    config.operator_addr = None;
    let now = Arc::new(Mutex::new(Duration::from_secs(1_800_000_000)));
    let server = Server::start_at(config, Clock::Fixed(now.clone())).await.unwrap();
    let client = Client::new(&format!("http://{}", server.addr.unwrap()));
    let cookie = cookie(&enter(&client, "one").await);
    *now.lock().unwrap() += Duration::from_secs(86_399);
    assert_eq!(talk(&client, &cookie).await, 200);
    *now.lock().unwrap() += Duration::from_secs(2);
    assert_eq!(talk(&client, &cookie).await, 401, "a day later");
    *now.lock().unwrap() -= Duration::from_secs(10);
    std::fs::write(&secret, "two\n").unwrap();
    assert_eq!(talk(&client, &cookie).await, 401, "under another password");
    std::fs::remove_file(&secret).unwrap();
    assert_eq!(talk(&client, &cookie).await, 401, "nobody, where the password is lost");
    server.stop().await;
}

#[tokio::test]
async fn attempts_are_limited_and_malformed_passwords_rejected() {
    let server = closed(&lines()).await;
    let client = server.client();
    for body in ["", "[]", "{}", "{\"password\": 7}"] {
        assert_eq!(client.post("/api/auth", &[], body).await.status(), 400, "{body}");
    }
    let large = json!({ "password": "x".repeat(10_000) }).to_string();
    assert_eq!(client.post("/api/auth", &[], large).await.status(), 413);
    let mut limited = None;
    for _ in 0..100 {
        let answer = enter(&client, "x").await;
        if answer.status() == 429 {
            limited = Some(answer);
            break;
        }
        assert_eq!(answer.status(), 401);
    }
    let limited = limited.expect("not for ever");
    assert!(limited.headers().contains_key("retry-after"));
}

#[tokio::test]
async fn token_admits_too_and_the_cookie_opens_only_the_chat() {
    let digest = host::digest::digest(b"mdg_ann");
    let tokens = format!("[tokens.ann]\nsha256 = '{digest}'\nscopes = ['*']\n");
    let server = closed(&(lines() + &tokens)).await;
    assert_eq!(talk(&server.client_with("mdg_ann"), "").await, 200);
    assert_eq!(talk(&server.client_with("mdg_nobody"), "").await, 401);
    let client = server.client();
    assert_eq!(talk(&client, "").await, 401);
    let cookie = cookie(&enter(&client, PASSWORD).await);
    assert_eq!(talk(&client, &cookie).await, 200);
    let rpc = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}";
    for path in ["/mcp", "/rpc", "/api/blobs", "/api/navigate"] {
        let answer = client.post(path, &[("cookie", cookie.as_str())], rpc).await;
        assert_eq!(answer.status(), 401, "{path}");
    }
}

#[tokio::test]
async fn without_a_password_there_is_no_gateway() {
    let server = closed("").await;
    let client = server.client();
    assert_eq!(talk(&client, "").await, 200);
    let answer = enter(&client, "whatever").await;
    assert_eq!((answer.status().as_u16(), answer.headers().get("set-cookie")), (200, None));
}
