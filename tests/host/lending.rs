//! A family of tools outside the repository's: one folder has all that a bundled family has.

use serde_json::{Value, json};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
    until,
};

use crate::chat;

/// What the operator writes to let it in: what `madoguchi inspect` shows that it would start from.
const LINES: &str = "
[components.lending]
grants = ['sql', 'events', 'schedule', 'endpoints']
schedule_ms = 100
[endpoints]
loans = 'lending/loans'
";

async fn serving() -> TestServer {
    let folders = Folders::new();
    for name in ["cinema", "assistant", "illustrations", "lending"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(LINES);
    TestServer::start(folders, |it| *it = config).await
}

async fn answer(server: &TestServer, body: Value) -> Value {
    let (status, answer) = chat::say(&server.client(), &body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

fn text(answer: &Value) -> &str {
    answer["text"].as_str().unwrap()
}

async fn loans(server: &TestServer) -> Value {
    server.client().get("/api/loans").await.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn lending_tools_are_served_with_the_bundled_ones() {
    let server = serving().await;
    let client = server.client();
    let books = client.output("list_books", json!({})).await;
    assert_eq!(books["books"].as_array().unwrap().len(), 3);
    let lent = client.output("lend_book", json!({ "title": "雪国", "member": "花" })).await;
    assert_eq!(lent["books"][0]["member"], "花");
    let refused = client.failure("lend_book", json!({ "title": "雪国", "member": "海" })).await;
    assert_eq!(refused["error"], "book_not_there");
}

#[tokio::test(flavor = "multi_thread")]
async fn lending_routes_and_schedule_run() {
    let server = serving().await;
    let client = server.client();
    let path = "/api/loans/%E9%9B%AA%E5%9B%BD";
    let lent = client.post(path, &[], json!({ "member": "花" }).to_string()).await;
    assert_eq!(lent.status(), 200);
    let mut list = Value::Null;
    until("the schedule runs", async || {
        list = loans(&server).await;
        list["loans"][0]["isReminded"] == true
    })
    .await;
    let reminded = json!({ "title": "雪国", "member": "花", "isReminded": true });
    assert_eq!(list["loans"], json!([reminded]));
    let back = client.http(reqwest::Method::DELETE, path).send().await.unwrap();
    assert_eq!(back.status(), 200);
    assert_eq!(loans(&server).await, json!({ "loans": [] }));
    let again = client.http(reqwest::Method::DELETE, path).send().await.unwrap();
    assert_eq!(again.status(), 409);
}

/// The chat without a model understands the lending component in both languages.
#[tokio::test(flavor = "multi_thread")]
async fn chat_without_model_lends_in_both_languages_after_approval() {
    let server = serving().await;
    let reply = answer(&server, json!({ "message": "図書館にはどんな本がありますか？" })).await;
    assert_eq!(text(&reply), "あるのは: 坊っちゃん、銀河鉄道の夜、雪国", "{reply}");
    assert_eq!(reply["toolCalls"][0]["view"], "books", "drawn by its own view where there is one");
    let reply = answer(&server, json!({ "message": "Which books are in the library?" })).await;
    assert_eq!(text(&reply), "There are: Botchan, Night on the Galactic Railroad, Snow Country");

    let asked = answer(&server, json!({ "message": "雪国を借りたいです" })).await;
    let waiting = &asked["waiting"][0];
    assert_eq!((&waiting["type"], &waiting["name"]), (&json!("approval"), &json!("lend_book")));
    assert_eq!(loans(&server).await, json!({ "loans": [] }), "nothing before the person says yes");
    let lent = answer(&server, chat::allow(&asked, &chat::waiting(&asked))).await;
    assert_eq!(text(&lent), "お貸ししました: 雪国", "{lent}");
    assert_eq!(loans(&server).await["loans"][0]["title"], "雪国");

    // The others are understood as before.
    let films = answer(&server, json!({ "message": "今日の映画は？" })).await;
    assert_eq!(films["toolCalls"][0]["name"], "list_movies", "{films}");
}
