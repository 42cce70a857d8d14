//! Films requested in sentences.

use serde_json::json;

use super::open;

#[tokio::test]
async fn sentence_becomes_a_call_and_without_a_film_a_guess_at_most() {
    let cinema = open().await;
    let tool = json!({ "name": "list_movies", "arguments": ["date"], "is_read_only": true });
    for (message, most) in [("明日の映画は？", 1.0), ("月光楽団を見せて", 0.5)] {
        let turn = json!({ "message": message, "tools": [tool] });
        let called = cinema.converse(turn).await.unwrap();
        assert_eq!(called["calls"][0]["tool"], "list_movies", "{message}: {called}");
        let confidence = called["confidence"].as_f64().unwrap();
        assert!(most / 3.0 < confidence && confidence < most, "{message}: {called}");
    }
    let turn = json!({ "message": "東京駅から横浜駅まで", "tools": [tool] });
    assert!(cinema.converse(turn).await.unwrap()["confidence"].as_f64().unwrap() < 0.2);
}
