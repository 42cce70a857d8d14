//! A family from outside the repository's, alone: tools, requests, schedule, names, sentences and view.

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

async fn open() -> Tested {
    Bench::of("lending").grant_all().start().await
}

#[tokio::test]
async fn a_book_is_lent_once_and_comes_back() {
    let component = open().await;
    let lent = component.request("POST", "loans/雪国", &json!({ "member": "花" })).await.unwrap();
    assert_eq!(lent.body["books"][0]["member"], "花");
    assert_eq!(component.published(), ["lending://loans"]);
    let again = component.request("POST", "loans/Snow Country", &json!({ "member": "海" })).await;
    assert_eq!(again.unwrap_err()["error"], "book_not_there");
    component.run_schedule().await.unwrap();
    let loans = component.request("GET", "loans", &json!({})).await.unwrap();
    assert_eq!(loans.body["loans"][0]["isReminded"], true);
    component.request("DELETE", "loans/雪国", &json!({})).await.unwrap();
    let loans = component.request("GET", "loans", &json!({})).await.unwrap();
    assert_eq!(loans.body, json!({ "loans": [] }));
}

#[tokio::test]
async fn names_of_books_turn_a_sentence_into_a_call() {
    let component = open().await;
    assert_eq!(component.names().await.unwrap().len(), 3);
    let names = json!([{ "kind": "book", "name": "雪国", "english": "Snow Country" }]);
    for (message, tool) in [
        ("雪国を借りたい", "lend_book"),
        ("I would like to return Snow Country", "return_book"),
        ("図書館の本は？", "list_books"),
    ] {
        let turn = json!({ "message": message, "names": names });
        let next: Value = component.converse(turn).await.unwrap();
        assert_eq!(next["calls"][0]["tool"], tool, "{message}: {next}");
    }
    let other =
        component.converse(json!({ "message": "今日の映画は？", "names": names })).await.unwrap();
    assert_eq!(other["confidence"], 0.0, "{other}");
}

#[tokio::test]
async fn tools_name_their_view_which_is_read_as_an_app() {
    let component = open().await;
    let tools = component.component().tools();
    assert_eq!(tools.len(), 3);
    for tool in tools {
        assert_eq!(tool.meta["ui"]["resourceUri"], "ui://lending/books", "{}", tool.name);
    }
    let contents = component.read("ui://lending/books").await.expect("it is there");
    assert_eq!(contents[0].mime_type.as_deref(), Some("text/html;profile=mcp-app"));
    assert!(component.read("ui://lending/others").await.is_err());
}
