//! What the place looks like: sizes, themes, axe.

use serde_json::json;
use tests::browser::Look;

use super::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_any_theme_or_width() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("phone-light", Look::PHONE.japanese()),
        ("narrow-dark", Look { width: 320, ..Look::PHONE.dark() }),
    ];
    for (device, look) in looks {
        let mut scene = Scene::with(look).await;
        scene.browser.find(".talks-none").await;
        scene.sound(&format!("{device} empty")).await;
        scene.browser.whole_picture(&format!("conversations-{device}-empty"), look).await;
        talk(&mut scene).await;
        let first = scene.asks("次の打ち合わせの議題を決める").await;
        scene.browser.go("#/conversations").await;
        scene.browser.until("document.querySelectorAll('.talk-row').length === 2").await;
        scene.sound(&format!("{device} list")).await;
        scene.browser.whole_picture(&format!("conversations-{device}"), look).await;
        scene.watch(&first).await;
        scene.is_now("pending").await;
        scene.sound(&format!("{device} pending")).await;
        scene.browser.whole_picture(&format!("conversation-{device}-pending"), look).await;
        scene.close().await;
    }
}

/// A whole conversation with a person's message in it, looked at on the way.
async fn talk(scene: &mut Scene) {
    let id = scene.asks("しりとり").await;
    scene.natsu.comes("natsu").await;
    scene.watch(&id).await;
    let words =
        ["しりとりをしましょう。りんご", "ごりら", "らっぱ", "ぱんだ", "だちょう", "うさぎ"];
    for (number, word) in words.into_iter().enumerate() {
        let (from, to) =
            if number % 2 == 0 { (&scene.haru, "natsu") } else { (&scene.natsu, "haru") };
        from.does("get_pending_messages", json!({})).await;
        from.says(to, word).await;
    }
    let person = json!({ "conversation_id": id, "content": "動物の名前だけで続けてください。" });
    scene.server.client().output("write_message", person).await;
    let paused = json!({ "conversation_id": id, "paused": true });
    scene.server.client().output("pause_conversation", paused).await;
    scene.browser.find("[data-number='7'].is-apart").await;
    scene.browser.find(".talk-chip.is-paused").await;
    scene.browser.click("#talk-stop").await;
    scene.browser.find("#talk-stop-reason").await;
    scene.browser.script("document.querySelector('.talk-table').open = true").await;
    scene.browser.find(".talk-table tbody tr").await;
    let device =
        if scene.look.width < 600 { scene.look.width.to_string() } else { "desktop".to_owned() };
    let light = if scene.look.dark { "dark" } else { "light" };
    scene.sound(&format!("{device} {light} active")).await;
    scene.browser.whole_picture(&format!("conversation-{device}-{light}"), scene.look).await;
    let end = json!({ "conversation_id": id, "reason_text": "この続きはまた明日" });
    scene.server.client().output("stop_conversation", end).await;
    for agent in [&scene.haru, &scene.natsu] {
        agent.does("get_next_action", json!({})).await;
    }
    scene.is_now("ended").await;
    scene.sound(&format!("{device} {light} ended")).await;
    scene.browser.whole_picture(&format!("conversation-{device}-{light}-ended"), scene.look).await;
}
