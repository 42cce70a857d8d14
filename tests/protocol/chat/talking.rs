//! Writing and reading: what is sent and what is not, what is kept, what is text (ILL-46).

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::browser::{Browser, Look};
use tests::server::TestServer;

use super::{Opened, WAY};

#[tokio::test(flavor = "multi_thread")]
async fn sentence_becomes_a_call_with_its_card_and_says_who_answered() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.browser.says(".chat-behind", "内蔵プランナー").await;
    it.say(WAY).await;
    it.browser.until("document.querySelector('.chat-answer .call.is-done')").await;
    it.browser.says(".chat-facts", "内蔵プランナー").await;
    let names = it.browser.script(
        "return [...document.querySelectorAll('article')].map(it => it.getAttribute('aria-label'))",
    );
    assert_eq!(names.await, json!(["あなた, 1/2", "アシスタント, 2/2"]));
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_methods_enter_and_shift_enter_send_nothing() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    let press = "const input = document.querySelector('#chat-input');
        input.focus(); input.value = 'かな';
        input.dispatchEvent(new Event('input', { bubbles: true }));
        for (const how of [{ isComposing: true }, { keyCode: 229 }, { shiftKey: true }]) {
            input.dispatchEvent(new KeyboardEvent('keydown',
                { key: 'Enter', bubbles: true, cancelable: true, ...how }));
        }";
    it.browser.script(press).await;
    assert_eq!(it.count(".chat-message").await, 0);
    it.browser.key(Key::Enter).await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    it.rests().await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_from_further_up_comes_into_sight() {
    let it = Opened::with(Look::PHONE.japanese()).await;
    it.say(WAY).await;
    it.browser.script("window.scrollTo({ top: 0, behavior: 'instant' })").await;
    it.browser.role("button", "最新へ").await;
    it.say("こんにちは").await;
    let left = "document.documentElement.scrollHeight - window.innerHeight - window.scrollY";
    it.browser.until(&format!("{left} < 60")).await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_survive_a_reload_and_can_be_rephrased() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.say(WAY).await;
    it.say("東京駅から渋谷駅まで").await;
    it.browser.script("location.reload()").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    it.browser.until("document.querySelector('.chat-answer .call.is-done')").await;
    // A new text for the first message takes out all that followed.
    it.browser
        .script("document.querySelector('.is-own .chat-acts button:nth-child(2)').click()")
        .await;
    it.browser.until("document.activeElement.id === 'chat-input'").await;
    let text = it.browser.script("return document.querySelector('#chat-input').value").await;
    assert_eq!(text, WAY);
    it.browser.press("お願いします").await;
    it.browser.key(Key::Enter).await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    it.rests().await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_while_an_answer_is_stopped_is_not_sent() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    // An answer that does not come: the button is there for as long as the test needs it.
    it.browser
        .script(
            "const real = window.fetch;
             window.fetch = (input, init) => String(input.url ?? input).includes('/api/chat')
                && (input.method ?? init?.method) === 'POST'
                ? new Promise((_, refuse) => (input.signal ?? init.signal).addEventListener('abort',
                    () => refuse(new DOMException('stopped', 'AbortError'))))
                : real(input, init);",
        )
        .await;
    it.browser.script("document.querySelector('#chat-input').focus()").await;
    it.browser.press("こんにちは").await;
    it.browser.key(Key::Enter).await;
    it.browser.until("document.querySelector('#chat-stop')").await;
    it.browser.press("まだ送らない").await;
    it.browser.key(Key::Enter).await;
    it.browser.click("#chat-stop").await;
    it.rests().await;
    assert_eq!(it.count(".chat-message").await, 2);
    let kept = it.browser.script("return document.querySelector('#chat-input').value").await;
    assert_eq!(kept, "まだ送らない");
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_answer_of_markdown_is_text_and_links_leave_safely() {
    let it = Opened::with(Look::DESKTOP).await;
    let answer = json!({ "text": "<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.com/)",
        "turn": "t", "assistant": "counter", "provider": "builtin", "model": "planner",
        "stopReason": "end", "images": [], "parts": [], "toolCalls": [], "waiting": [], "usage": {} });
    it.browser
        .ask(
            "const [answer, real] = [arguments[0], window.fetch];
             window.fetch = (input, init) => String(input.url ?? input).includes('/api/chat')
                && (input.method ?? init?.method) === 'POST'
                ? Promise.resolve(Response.json(answer)) : real(input, init);",
            vec![answer],
        )
        .await;
    it.say("x").await;
    assert_eq!(it.count(".markdown img").await, 0);
    let links = it.browser.script(
        "return [...document.querySelectorAll('.markdown a')].map(it => [it.href, it.rel, it.target])",
    );
    let expected = json!([["https://example.com/", "noopener noreferrer nofollow", "_blank"]]);
    assert_eq!(links.await, expected);
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_are_listed_searched_named_and_deleted() {
    let it = Opened::with(Look::DESKTOP).await;
    it.say(WAY).await;
    it.browser.click(".chat-new").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    it.say("東京駅から渋谷駅まで").await;
    it.browser.click("#chat-list").await;
    it.browser.until("document.querySelectorAll('.chat-thread').length === 2").await;
    it.browser.script("document.querySelector('#chat-search').focus()").await;
    it.browser.press("横浜").await;
    it.browser.until("document.querySelectorAll('.chat-thread').length === 1").await;
    it.browser.click(".chat-thread-open").await;
    it.browser.says(".chat-own-text", WAY).await;
    it.browser.hit("button", &format!("Delete “{WAY}”")).await;
    it.browser.until("document.activeElement.id === 'chat-keep-it'").await;
    it.browser.key(Key::Escape).await;
    it.browser.until("document.activeElement.id.startsWith('chat-forget-')").await;
    it.browser.key(Key::Enter).await;
    it.browser.hit("button", "Delete it").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    let kept: Value = it.browser.script("return Object.keys(localStorage)").await;
    assert_eq!(
        kept.as_array()
            .unwrap()
            .iter()
            .filter(|it| it.as_str().unwrap().starts_with("madoguchi.chat."))
            .count(),
        1
    );
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_an_old_tab_leaves_what_a_newer_one_said() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.say(WAY).await;
    let kept = async || {
        let script =
            "const name = Object.keys(localStorage).find(it => it.startsWith('madoguchi.chat.'));
            return JSON.parse(localStorage.getItem(name)).entries.length";
        it.browser.script(script).await
    };
    let old = it.browser.this_window().await;
    let new = it.browser.window("#/chat").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    it.say("東京駅から渋谷駅まで").await;
    // The old one takes it up.
    it.browser.to(&old).await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    // One that slept has seen nothing, and goes without a trace.
    let sleep =
        "const name = Object.keys(localStorage).find(it => it.startsWith('madoguchi.chat.'));
        const held = localStorage.getItem(name);
        const real = Storage.prototype.getItem;
        Storage.prototype.getItem = function (it) { return it === name ? held : real.call(this, it); };
        window.wake = () => { Storage.prototype.getItem = real; };";
    it.browser.script(sleep).await;
    it.browser.to(&new).await;
    it.say("新宿駅から東京駅まで").await;
    it.browser.to(&old).await;
    assert_eq!(it.count(".chat-message").await, 4);
    let gone = "window.wake(); window.dispatchEvent(new PageTransitionEvent('pagehide'))";
    it.browser.script(gone).await;
    assert_eq!(kept().await, 6);
    it.browser.close_window().await;
    it.browser.to(&new).await;
    assert_eq!(kept().await, 6);
    it.browser.script("location.reload()").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 6").await;
    it.close().await;
}

/// One asks while the other's answer is on its way: what was said in each is kept.
#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_that_ask_at_once_lose_nothing() {
    let it = Opened::with(Look::DESKTOP).await;
    it.say(WAY).await;
    let first = it.browser.this_window().await;
    let second = it.browser.window("#/chat").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    it.browser.to(&first).await;
    let kept = "return '#/chat/' + JSON.parse(localStorage.getItem('madoguchi.chat')).open";
    let parted = it.browser.script(kept).await;
    it.browser.go(parted.as_str().unwrap()).await;
    let hold = "const real = window.fetch;
        window.fetch = async (...asked) => {
            const url = asked[0].url ?? String(asked[0]);
            if (url.endsWith('/api/chat')) await new Promise(go => { window.go = go; });
            return real.apply(window, asked);
        };
        document.querySelector('#chat-input').focus()";
    it.browser.script(hold).await;
    it.browser.press("東京駅から渋谷駅まで").await;
    it.browser.key(Key::Enter).await;
    it.browser.until("window.go").await;
    it.browser.to(&second).await;
    it.say("新宿駅から東京駅まで").await;
    it.browser.to(&first).await;
    it.browser.script("window.go()").await;
    it.rests().await;
    let kept = "return Object.entries(localStorage)
        .filter(it => it[0].startsWith('madoguchi.chat.')).map(it => it[1])";
    let kept: Value = it.browser.script(kept).await;
    let has = |part: &str| {
        kept.as_array().unwrap().iter().filter(|it| it.as_str().unwrap().contains(part)).count()
    };
    let address = it.browser.script("return location.hash").await;
    assert_ne!(address, parted, "it leads to what was said here");
    let said = [WAY, "渋谷駅まで", "新宿駅から"];
    assert_eq!(said.map(has), [2, 1, 1], "each has what both began from, and what was said in it");
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_chat_is_drawn_by_its_own_messages() {
    let it = Opened::with(Look::DESKTOP).await;
    it.say(WAY).await;
    it.say("東京駅から渋谷駅まで").await;
    it.browser.click(".chat-new").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    // Asked once more, its answer has the number that a question has in the other.
    it.say("こんにちは").await;
    it.browser.hit("button", "Regenerate this answer").await;
    it.browser.until("document.querySelector('#chat-message-3.is-answer')").await;
    it.rests().await;
    it.browser.click("#chat-list").await;
    it.browser.until("document.querySelectorAll('.chat-thread').length === 2").await;
    it.browser.click(".chat-thread:not(.is-open) .chat-thread-open").await;
    it.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    let drawn = "return [...document.querySelectorAll('.chat-message')]
        .map(it => it.classList.contains('is-own') && it.querySelector('.chat-own-text').innerText)";
    let drawn = it.browser.script(drawn).await;
    assert_eq!(drawn, json!([WAY, false, "東京駅から渋谷駅まで", false]));
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_comes_back_after_an_edit() {
    let it = Opened::with(Look::DESKTOP).await;
    it.say(WAY).await;
    let typed = async |text: &str| {
        it.browser
            .until(&format!("document.querySelector('#chat-input').value === {text:?}"))
            .await;
    };
    let edit = "document.querySelector('.is-own .chat-acts button:nth-child(2)').click()";
    it.browser.script("document.querySelector('#chat-input').focus()").await;
    it.browser.press("Half a thought").await;
    it.browser.script(edit).await;
    typed(WAY).await;
    it.browser.hit("button", "Stop editing").await;
    typed("Half a thought").await;
    it.browser.script(edit).await;
    typed(WAY).await;
    it.browser.until("document.activeElement.id === 'chat-input'").await;
    it.browser.key(Key::Enter).await;
    typed("Half a thought").await;
    it.rests().await;
    assert_eq!(it.count(".chat-message").await, 2);
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_there_is_no_assistant_the_chat_says_so() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.find(".places a[href='#/chat']").await;
    browser.go("#/chat").await;
    browser.says(".empty", "There is no assistant").await;
    assert!(browser.all("#chat-input").await.is_empty());
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.script("location.hash = '#/counter'").await;
    browser.until("!document.querySelector(\"a[href='#/chat']\")").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_refuses_the_chat_is_not_said_to_be_away() {
    let server = TestServer::with(&["cinema", "assistant"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser
        .script(
            "const real = window.fetch;
             window.refusal = 403;
             window.fetch = (input, init) => String(input.url ?? input).endsWith('/api/chat')
                ? Promise.resolve(Response.json({ error: 'busy', message: `No: ${window.refusal}.` },
                    { status: window.refusal }))
                : real(input, init);
             location.hash = '#/chat';",
        )
        .await;
    browser.says(".chat .notice", "No: 403.").await;
    assert!(browser.all(".chat .notice .quiet").await.is_empty(), "asking again changes nothing");
    browser.close().await;
}
