//! Pausing, writing and ending as a person.

use fantoccini::key::Key;
use serde_json::json;
use tests::browser::Look;

use super::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_holds_a_conversation_up_and_lets_it_go_on() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    it.browser.hit("button", "Pause").await;
    it.browser.says(".talk-step-in", "Paused by").await;
    it.browser.says(".talk-head", "Paused").await;
    let refused = json!({ "target_agent_id": "natsu", "content": "りんご" });
    let refused = it.haru.is_refused("send_message", refused).await;
    assert_eq!(
        (&refused["error"], &refused["status"]),
        (&json!("conversation_paused"), &json!(409))
    );
    it.browser.hit("button", "Resume").await;
    it.browser.role("button", "Pause").await;
    it.haru.says("natsu", "りんご").await;
    it.browser.says("[data-number='1']", "りんご").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_writes_reaches_both_and_stands_apart() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    it.haru.says("natsu", "りんご").await;
    it.browser.says("[data-number='1']", "りんご").await;
    it.browser.fill("A message to both", "三文字の言葉だけでお願いします").await;
    it.browser.key(Key::Enter).await;
    it.browser.press("人より").await;
    let keys = format!("{}{}", char::from(Key::Control), char::from(Key::Enter));
    it.browser.press(&keys).await;
    it.browser.says("[data-number='2'].is-apart", "三文字の言葉だけでお願いします\n人より").await;
    it.browser.says("[data-number='2']", "written by a person").await;
    it.browser.holds("A message to both", "").await;
    for agent in [&it.haru, &it.natsu] {
        let answer = agent.does("get_pending_messages", json!({})).await;
        assert!(answer["pending_messages"].to_string().contains("三文字の言葉"), "{answer}");
    }
    it.browser.says("[data-number='2']", "✓ read").await;
    it.browser.until("document.querySelectorAll('.talk-lane-names li').length === 3").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ending_by_force_asks_once_and_tells_both() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    it.browser.hit("button", "End by force").await;
    it.browser.until("document.activeElement.id === 'talk-stop-reason'").await;
    it.browser.key(Key::Escape).await;
    it.browser.until("document.activeElement.id === 'talk-stop'").await;
    it.is_now("active").await;
    it.browser.hit("button", "End by force").await;
    it.browser.fill("Reason (optional)", "話がそれました").await;
    it.browser.hit("button", "End it").await;
    it.is_now("terminating").await;
    it.browser.says(".talk-head", "話がそれました").await;
    it.browser.says(".talk-head", "ended by a person").await;
    for agent in [&it.haru, &it.natsu] {
        let next = agent.does("get_next_action", json!({})).await;
        assert_eq!(next["action"], "conversation_ended", "{next}");
        assert_eq!(next["reason"], "operator_ended");
    }
    it.is_now("ended").await;
    it.browser.until("document.activeElement.id === 'talk-log'").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_in_mid_sentence_leaves_the_sentence_in_sight() {
    let (it, id) = Scene::talking(Look::DESKTOP).await;
    it.browser.fill("A message to both", "まだ言いたいことが").await;
    it.browser.until("document.activeElement.id === 'talk-write'").await;
    it.server.client().output("stop_conversation", json!({ "conversation_id": id })).await;
    it.browser.says(".talk-step-in .talk-text", "まだ言いたいことが").await;
    it.browser.says(".talk-step-in", "not known to have been sent").await;
    it.browser.until("document.activeElement.id === 'talk-log'").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_sent_stays_and_is_sent_once() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    it.browser.offline(true).await;
    it.browser.fill("A message to both", "届きますか").await;
    it.browser.hit("button", "Send to both").await;
    it.browser.find(".talk-step-in [role=alert].notice").await;
    it.browser.holds("A message to both", "届きますか").await;
    it.browser.offline(false).await;
    it.browser.hit("button", "Send to both").await;
    it.browser.says("[data-number='1']", "届きますか").await;
    it.browser.holds("A message to both", "").await;
    assert_eq!(it.numbers().await, [1]);
    it.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_long_is_told_before_it_is_sent() {
    let (it, _) = Scene::talking(Look::DESKTOP).await;
    let fill = "const it = document.querySelector('#talk-write'); it.value = 'あ'.repeat(4001);
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    it.browser.script(fill).await;
    it.browser.says(".talk-write [role=alert]", "4,000").await;
    let button = it.browser.role("button", "Send to both").await;
    assert!(button.attr("disabled").await.unwrap().is_some());
    it.close().await;
}
