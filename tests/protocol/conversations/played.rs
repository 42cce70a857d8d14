//! Both agents played by the built-in model, from the page's button (CONV-100).

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    server::TestServer,
};

#[tokio::test(flavor = "multi_thread")]
async fn conv_100_word_game_is_shown_from_start_to_end() {
    for (device, look) in
        [("desktop", Look::DESKTOP.japanese()), ("phone-dark", Look::PHONE.dark().japanese())]
    {
        let server = TestServer::with(&["conversations", "assistant"]).await;
        let browser = Browser::open_at(&server.url(), "#/conversations", look).await;
        browser.hit("button", "しりとりを見る").await;
        browser.says("h1", "しりとり").await;
        browser.picture(&format!("played-{device}-begins")).await;
        browser.find("[data-number='4']").await;
        browser.whole_picture(&format!("played-{device}-runs"), look).await;
        browser.find(".talk-station[aria-current=step][data-state=ended]").await;
        browser.whole_picture(&format!("played-{device}-ends"), look).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        assert!(!browser.overflows().await);
        let trace = "return [...document.querySelectorAll('.talk-station.is-reached')].map(it => it.dataset.state)";
        let trace = browser.script(trace).await;
        assert_eq!(trace, json!(["pending", "active", "terminating", "ended"]));
        played(&server, &browser).await;
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

/// How many messages the page has shown, each time that this changed, and whether the conversation had ended then.
const NOTE: &str = "
    window.noted = [];
    const note = () => {
        const count = document.querySelectorAll('.talk-log [data-number]').length;
        const ended = !!document.querySelector('.talk-station[aria-current=step][data-state=ended]');
        const last = window.noted.at(-1);
        if (!last || last[0] !== count) window.noted.push([count, ended]);
    };
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });";

/// Two agents without a model are done before a person has read the first word: the page shows their messages one
/// after another, or all at once to a reader who asks for that.
#[tokio::test(flavor = "multi_thread")]
async fn paces_game_messages_unless_skipped() {
    let server = TestServer::with(&["conversations", "assistant"]).await;
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    let moves =
        json!({ "features": [{ "name": "prefers-reduced-motion", "value": "no-preference" }] });
    browser.devtools("Emulation.setEmulatedMedia", moves).await;
    browser.go("#/conversations").await;
    browser.script(NOTE).await;
    browser.hit("button", "Watch a word game").await;
    browser.find("[data-number='2']").await;
    browser.picture("played-phone-paced").await;
    browser.find(".talk-station[aria-current=step][data-state=ended]").await;
    let noted = browser.script("return window.noted").await;
    let noted: Vec<(u64, bool)> = serde_json::from_value(noted).unwrap();
    let shown: Vec<u64> = noted.iter().map(|it| it.0).filter(|it| *it > 0).collect();
    assert!(shown.len() >= 10, "{noted:?}");
    assert!(shown.windows(2).all(|it| it[1] == it[0] + 1), "one after another: {noted:?}");
    assert!(noted[..noted.len() - 1].iter().all(|it| !it.1), "it ends with the last: {noted:?}");
    played(&server, &browser).await;

    browser.go("#/conversations").await;
    // There is time to ask for that, on a busy machine, too.
    let slow = "const set = window.setTimeout.bind(window);
        window.setTimeout = (what, time = 0, ...given) => set(what, time === 900 ? 9000 : time, ...given);";
    browser.script(slow).await;
    browser.hit("button", "Watch a word game").await;
    browser.hit("button", "Show all of it").await;
    browser.find(".talk-station[aria-current=step][data-state=ended]").await;
    played(&server, &browser).await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// The page shows all messages: five rounds of ten messages, by turns, and a farewell.
async fn played(server: &TestServer, browser: &Browser) {
    let hash = browser.script("return location.hash").await;
    let id = hash.as_str().unwrap().strip_prefix("#/conversations/").unwrap().to_owned();
    let talk = server.client().output("get_conversation", json!({ "conversation_id": id })).await;
    let own = &talk["conversation"];
    assert_eq!((&own["purpose"], &own["begun_by"]), (&json!("しりとり"), &json!("operator")));
    let messages = talk["messages"].as_array().unwrap();
    assert!(messages.len() >= 10, "five rounds: {talk}");
    for pair in messages[..10].windows(2) {
        assert_ne!(pair[0]["senderId"], pair[1]["senderId"], "by turns: {talk}");
    }
    let drawn =
        "return [...document.querySelectorAll('.talk-log .talk-text')].map(it => it.textContent)";
    let drawn = browser.script(drawn).await;
    let contents: Vec<&Value> = messages.iter().map(|it| &it["content"]).collect();
    assert_eq!(drawn, json!(contents), "none left out, none twice, in order");
    for member in own["members"].as_array().unwrap() {
        assert_eq!(member["assistant"], "talker");
        let name = member["name"].as_str().unwrap();
        browser.says(".talk-members", name).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_draws_a_requested_conversation_live() {
    let look = Look::DESKTOP.japanese();
    let server = TestServer::with(&["conversations", "assistant"]).await;
    let browser = Browser::open_at(&server.url(), "#/chat", look).await;
    browser.until("document.querySelectorAll('.chat-who option').length > 0").await;
    browser.focus("#chat-input").await;
    browser.press("worker-aとworker-bでしりとりをして").await;
    browser.key(Key::Enter).await;
    browser.hit("button", "今回だけ許可").await;
    browser.says(".talk-inline", "しりとり").await;
    browser.says(".talk-inline .talk-chip", "終了").await;
    browser.says(".talk-inline", "11 件").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.whole_picture("played-in-chat", look).await;
    browser.hit("link", "会話の全体を見る").await;
    browser.find(".talk-station[aria-current=step][data-state=ended]").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}
