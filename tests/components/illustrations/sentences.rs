//! Cards requested in sentences.

use serde_json::json;

use super::{CARD, THEME, open};

#[tokio::test]
async fn distinguishes_guessed_names_from_given_ones() {
    let cards = open().await;
    let tool = |name: &str| json!({ "name": name, "is_read_only": true });
    let mut turn = json!({ "message": "月光楽団を見せて", "tools": [tool(CARD), tool(THEME)] });
    let guess = cards.converse(turn.clone()).await.unwrap();
    assert!(guess["confidence"].as_f64().unwrap() < 0.5, "{guess}");
    turn["names"] = json!([{ "kind": "theme", "name": "月光楽団", "english": "Moonlight Band" }]);
    let reply = cards.converse(turn).await.unwrap();
    assert!(reply["confidence"].as_f64().unwrap() > 0.5, "{reply}");
    assert_eq!(reply["calls"][0]["tool"], THEME, "{reply}");
}
