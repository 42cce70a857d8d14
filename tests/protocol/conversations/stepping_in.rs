//! Pausing, writing and ending as a person.

use fantoccini::key::Key;
use serde_json::json;
use tests::browser::Look;

use super::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn person_pauses_and_resumes_a_conversation() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.browser.hit("button", "Pause").await;
    scene.browser.says(".talk-step-in", "Paused by").await;
    scene.browser.says(".talk-head", "Paused").await;
    let refused = json!({ "target_agent_id": "natsu", "content": "りんご" });
    let refused = scene.haru.is_refused("send_message", refused).await;
    assert_eq!(
        (&refused["error"], &refused["status"]),
        (&json!("conversation_paused"), &json!(409))
    );
    scene.browser.hit("button", "Resume").await;
    scene.browser.role("button", "Pause").await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says("[data-number='1']", "りんご").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn persons_message_reaches_both_and_is_distinguished() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.haru.says("natsu", "りんご").await;
    scene.browser.says("[data-number='1']", "りんご").await;
    scene.browser.fill("A message to both", "三文字の言葉だけでお願いします").await;
    scene.browser.key(Key::Enter).await;
    scene.browser.press("人より").await;
    let keys = format!("{}{}", char::from(Key::Control), char::from(Key::Enter));
    scene.browser.press(&keys).await;
    scene
        .browser
        .says("[data-number='2'].is-apart", "三文字の言葉だけでお願いします\n人より")
        .await;
    scene.browser.says("[data-number='2']", "written by a person").await;
    scene.browser.holds("A message to both", "").await;
    for agent in [&scene.haru, &scene.natsu] {
        let answer = agent.does("get_pending_messages", json!({})).await;
        assert!(answer["pending_messages"].to_string().contains("三文字の言葉"), "{answer}");
    }
    scene.browser.says("[data-number='2']", "✓ read").await;
    scene.browser.until("document.querySelectorAll('.talk-lane-names li').length === 3").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forced_end_confirms_once_and_notifies_both() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.browser.hit("button", "End by force").await;
    scene.browser.until("document.activeElement.id === 'talk-stop-reason'").await;
    scene.browser.key(Key::Escape).await;
    scene.browser.until("document.activeElement.id === 'talk-stop'").await;
    scene.is_now("active").await;
    scene.browser.hit("button", "End by force").await;
    scene.browser.fill("Reason (optional)", "話がそれました").await;
    scene.browser.hit("button", "End it").await;
    scene.is_now("terminating").await;
    scene.browser.says(".talk-head", "話がそれました").await;
    scene.browser.says(".talk-head", "ended by a person").await;
    for agent in [&scene.haru, &scene.natsu] {
        let next = agent.does("get_next_action", json!({})).await;
        assert_eq!(next["action"], "conversation_ended", "{next}");
        assert_eq!(next["reason"], "operator_ended");
    }
    scene.is_now("ended").await;
    scene.browser.until("document.activeElement.id === 'talk-log'").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn end_while_typing_keeps_the_typed_text_visible() {
    let (scene, id) = Scene::talking(Look::DESKTOP).await;
    scene.browser.fill("A message to both", "まだ言いたいことが").await;
    scene.browser.until("document.activeElement.id === 'talk-write'").await;
    scene.server.client().output("stop_conversation", json!({ "conversation_id": id })).await;
    scene.browser.says(".talk-step-in .talk-text", "まだ言いたいことが").await;
    scene.browser.says(".talk-step-in", "not known to have been sent").await;
    scene.browser.until("document.activeElement.id === 'talk-log'").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_failed_message_and_sends_it_once() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    scene.browser.offline(true).await;
    scene.browser.fill("A message to both", "届きますか").await;
    scene.browser.hit("button", "Send to both").await;
    scene.browser.find(".talk-step-in [role=alert].notice").await;
    scene.browser.holds("A message to both", "届きますか").await;
    scene.browser.offline(false).await;
    scene.browser.hit("button", "Send to both").await;
    scene.browser.says("[data-number='1']", "届きますか").await;
    scene.browser.holds("A message to both", "").await;
    assert_eq!(scene.numbers().await, [1]);
    scene.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_too_long_message_before_sending() {
    let (scene, _) = Scene::talking(Look::DESKTOP).await;
    let fill = "const it = document.querySelector('#talk-write'); it.value = 'あ'.repeat(4001);
        it.dispatchEvent(new Event('input', { bubbles: true }))";
    scene.browser.script(fill).await;
    scene.browser.says(".talk-write [role=alert]", "4,000").await;
    let button = scene.browser.role("button", "Send to both").await;
    assert!(button.attr("disabled").await.unwrap().is_some());
    scene.close().await;
}
