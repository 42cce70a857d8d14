//! What the place looks like: sizes, themes, axe.

use serde_json::json;
use tests::browser::Look;

use super::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_serious_by_day_and_night_on_desk_and_phone() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("phone-light", Look::PHONE.japanese()),
        ("narrow-dark", Look { width: 320, ..Look::PHONE.dark() }),
    ];
    for (device, look) in looks {
        let mut it = Scene::with(look).await;
        it.browser.find(".talks-none").await;
        it.sound(&format!("{device} empty")).await;
        it.browser.whole_picture(&format!("conversations-{device}-empty"), look).await;
        talk(&mut it).await;
        let first = it.asks("次の打ち合わせの議題を決める").await;
        it.browser.go("#/conversations").await;
        it.browser.until("document.querySelectorAll('.talk-row').length === 2").await;
        it.sound(&format!("{device} list")).await;
        it.browser.whole_picture(&format!("conversations-{device}"), look).await;
        it.watch(&first).await;
        it.is_now("pending").await;
        it.sound(&format!("{device} pending")).await;
        it.browser.whole_picture(&format!("conversation-{device}-pending"), look).await;
        it.close().await;
    }
}

/// A whole conversation with a person's message in it, looked at on the way.
async fn talk(it: &mut Scene) {
    let id = it.asks("しりとり").await;
    it.natsu.comes("natsu").await;
    it.watch(&id).await;
    let words =
        ["しりとりをしましょう。りんご", "ごりら", "らっぱ", "ぱんだ", "だちょう", "うさぎ"];
    for (number, word) in words.into_iter().enumerate() {
        let (from, to) = if number % 2 == 0 { (&it.haru, "natsu") } else { (&it.natsu, "haru") };
        from.does("get_pending_messages", json!({})).await;
        from.says(to, word).await;
    }
    let person = json!({ "conversation_id": id, "content": "動物の名前だけで続けてください。" });
    it.server.client().output("write_message", person).await;
    let paused = json!({ "conversation_id": id, "paused": true });
    it.server.client().output("pause_conversation", paused).await;
    it.browser.find("[data-number='7'].is-apart").await;
    it.browser.find(".talk-chip.is-paused").await;
    it.browser.click("#talk-stop").await;
    it.browser.find("#talk-stop-reason").await;
    it.browser.script("document.querySelector('.talk-table').open = true").await;
    it.browser.find(".talk-table tbody tr").await;
    let device = if it.look.width < 600 { it.look.width.to_string() } else { "desktop".to_owned() };
    let light = if it.look.dark { "dark" } else { "light" };
    it.sound(&format!("{device} {light} active")).await;
    it.browser.whole_picture(&format!("conversation-{device}-{light}"), it.look).await;
    let end = json!({ "conversation_id": id, "reason_text": "この続きはまた明日" });
    it.server.client().output("stop_conversation", end).await;
    for agent in [&it.haru, &it.natsu] {
        agent.does("get_next_action", json!({})).await;
    }
    it.is_now("ended").await;
    it.sound(&format!("{device} {light} ended")).await;
    it.browser.whole_picture(&format!("conversation-{device}-{light}-ended"), it.look).await;
}
