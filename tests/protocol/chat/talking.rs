//! Writing and reading: what is sent and what is not, what is kept, what is text (ILL-46).

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::browser::{Browser, Look};
use tests::server::TestServer;

use super::{Opened, WAY};

#[tokio::test(flavor = "multi_thread")]
async fn sentence_becomes_a_call_card_naming_the_answerer() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.browser.says(".chat-behind", "内蔵プランナー").await;
    opened.say(WAY).await;
    opened.browser.until("document.querySelector('.chat-answer .call.is-done')").await;
    opened.browser.says(".chat-facts", "内蔵プランナー").await;
    let names = opened.browser.script(
        "return [...document.querySelectorAll('article')].map(it => it.getAttribute('aria-label'))",
    );
    assert_eq!(names.await, json!(["あなた, 1/2", "アシスタント, 2/2"]));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ime_enter_and_shift_enter_send_nothing() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    let press = "const input = document.querySelector('#chat-input');
        input.focus(); input.value = 'かな';
        input.dispatchEvent(new Event('input', { bubbles: true }));
        for (const how of [{ isComposing: true }, { keyCode: 229 }, { shiftKey: true }]) {
            input.dispatchEvent(new KeyboardEvent('keydown',
                { key: 'Enter', bubbles: true, cancelable: true, ...how }));
        }";
    opened.browser.script(press).await;
    assert_eq!(opened.count(".chat-message").await, 0);
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.rests().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn question_sent_while_scrolled_up_scrolls_into_view() {
    let opened = Opened::with(Look::PHONE.japanese()).await;
    opened.say(WAY).await;
    opened.browser.script("window.scrollTo({ top: 0, behavior: 'instant' })").await;
    opened.browser.role("button", "最新へ").await;
    opened.say("こんにちは").await;
    let left = "document.documentElement.scrollHeight - window.innerHeight - window.scrollY";
    opened.browser.until(&format!("{left} < 60")).await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_survive_reload_and_can_be_edited() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say(WAY).await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.reload().await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    opened.browser.until("document.querySelector('.chat-answer .call.is-done')").await;
    // A new text for the first message takes out all that followed.
    opened
        .browser
        .script("document.querySelector('.is-own .chat-acts button:nth-child(2)').click()")
        .await;
    opened.browser.until("document.activeElement.id === 'chat-input'").await;
    opened.browser.until(&format!("document.activeElement.value === {WAY:?}")).await;
    opened.browser.press("お願いします").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.rests().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_typed_while_stopping_is_not_sent() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    // An answer that does not come: the button is there for as long as the test needs it.
    opened
        .browser
        .script(
            "const real = window.fetch;
             window.fetch = (input, init) => String(input.url ?? input).includes('/api/chat')
                && (input.method ?? init?.method) === 'POST'
                ? new Promise((_, refuse) => (input.signal ?? init.signal).addEventListener('abort',
                    () => refuse(new DOMException('stopped', 'AbortError'))))
                : real(input, init);",
        )
        .await;
    opened.browser.focus("#chat-input").await;
    opened.browser.press("こんにちは").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.querySelector('#chat-stop')").await;
    opened.browser.press("まだ送らない").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.click("#chat-stop").await;
    opened.rests().await;
    assert_eq!(opened.count(".chat-message").await, 2);
    let kept = opened.browser.script("return document.querySelector('#chat-input').value").await;
    assert_eq!(kept, "まだ送らない");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_markdown_is_text_and_links_are_safe() {
    let opened = Opened::with(Look::DESKTOP).await;
    let answer = json!({ "text": "<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.com/)",
        "turn": "t", "assistant": "counter", "provider": "builtin", "model": "planner",
        "stopReason": "end", "images": [], "parts": [], "toolCalls": [], "waiting": [], "usage": {} });
    opened
        .browser
        .ask(
            "const [answer, real] = [arguments[0], window.fetch];
             window.fetch = (input, init) => String(input.url ?? input).includes('/api/chat')
                && (input.method ?? init?.method) === 'POST'
                ? Promise.resolve(Response.json(answer)) : real(input, init);",
            vec![answer],
        )
        .await;
    opened.say("x").await;
    opened.browser.find(".markdown a").await;
    assert_eq!(opened.count(".markdown img").await, 0);
    let links = opened.browser.script(
        "return [...document.querySelectorAll('.markdown a')].map(it => [it.href, it.rel, it.target])",
    );
    let expected = json!([["https://example.com/", "noopener noreferrer nofollow", "_blank"]]);
    assert_eq!(links.await, expected);
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_searches_renames_and_deletes_conversations() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    opened.browser.click(".chat-new").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.click("#chat-list").await;
    opened.browser.until("document.querySelectorAll('.chat-thread').length === 2").await;
    opened.browser.script("document.querySelector('#chat-search').focus()").await;
    opened.browser.press("横浜").await;
    opened.browser.until("document.querySelectorAll('.chat-thread').length === 1").await;
    opened.browser.click(".chat-thread-open").await;
    opened.browser.says(".chat-own-text", WAY).await;
    opened.browser.hit("button", &format!("Delete “{WAY}”")).await;
    opened.browser.until("document.activeElement.id === 'chat-keep-it'").await;
    opened.browser.key(Key::Escape).await;
    opened.browser.until("document.activeElement.id.startsWith('chat-forget-')").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.hit("button", "Delete it").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    let kept: Value = opened.browser.script("return Object.keys(localStorage)").await;
    assert_eq!(
        kept.as_array()
            .unwrap()
            .iter()
            .filter(|it| it.as_str().unwrap().starts_with("madoguchi.chat."))
            .count(),
        1
    );
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_old_tab_keeps_newer_tabs_messages() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say(WAY).await;
    let kept = async || {
        let script =
            "const name = Object.keys(localStorage).find(it => it.startsWith('madoguchi.chat.'));
            return JSON.parse(localStorage.getItem(name)).entries.length";
        opened.browser.script(script).await
    };
    let old = opened.browser.this_window().await;
    let new = opened.browser.window("#/chat").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.say("東京駅から渋谷駅まで").await;
    // The old one takes it up.
    opened.browser.to(&old).await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    // One that slept has seen nothing, and goes without a trace.
    let sleep =
        "const name = Object.keys(localStorage).find(it => it.startsWith('madoguchi.chat.'));
        const held = localStorage.getItem(name);
        const real = Storage.prototype.getItem;
        Storage.prototype.getItem = function (it) { return it === name ? held : real.call(this, it); };
        window.wake = () => { Storage.prototype.getItem = real; };";
    opened.browser.script(sleep).await;
    opened.browser.to(&new).await;
    opened.say("新宿駅から東京駅まで").await;
    opened.browser.to(&old).await;
    assert_eq!(opened.count(".chat-message").await, 4);
    let gone = "window.wake(); window.dispatchEvent(new PageTransitionEvent('pagehide'))";
    opened.browser.script(gone).await;
    assert_eq!(kept().await, 6);
    opened.browser.close_window().await;
    opened.browser.to(&new).await;
    assert_eq!(kept().await, 6);
    opened.browser.reload().await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 6").await;
    opened.close().await;
}

/// One asks while the other's answer is on its way: what was said in each is kept.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_questions_in_two_tabs_lose_nothing() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    let first = opened.browser.this_window().await;
    let second = opened.browser.window("#/chat").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.browser.to(&first).await;
    let kept = "return '#/chat/' + JSON.parse(localStorage.getItem('madoguchi.chat')).open";
    let parted = opened.browser.script(kept).await;
    opened.browser.go(parted.as_str().unwrap()).await;
    let hold = "const real = window.fetch;
        window.fetch = async (...asked) => {
            const url = asked[0].url ?? String(asked[0]);
            if (url.endsWith('/api/chat')) await new Promise(go => { window.go = go; });
            return real.apply(window, asked);
        };";
    opened.browser.script(hold).await;
    opened.browser.focus("#chat-input").await;
    opened.browser.press("東京駅から渋谷駅まで").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("window.go").await;
    opened.browser.to(&second).await;
    opened.say("新宿駅から東京駅まで").await;
    opened.browser.to(&first).await;
    opened.browser.script("window.go()").await;
    opened.rests().await;
    // It leads to what was said here, once that is kept: a moment after the answer has ended.
    opened.browser.until(&format!("location.hash !== {parted}")).await;
    let kept = "return Object.entries(localStorage)
        .filter(it => it[0].startsWith('madoguchi.chat.')).map(it => it[1])";
    let kept: Value = opened.browser.script(kept).await;
    let has = |part: &str| {
        kept.as_array().unwrap().iter().filter(|it| it.as_str().unwrap().contains(part)).count()
    };
    let said = [WAY, "渋谷駅まで", "新宿駅から"];
    assert_eq!(said.map(has), [2, 1, 1], "each has what both began from, and what was said in it");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn switching_chats_draws_the_chosen_messages() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.click(".chat-new").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    // Asked once more, its answer has the number that a question has in the other.
    opened.say("こんにちは").await;
    opened.browser.hit("button", "Regenerate this answer").await;
    opened.browser.until("document.querySelector('#chat-message-3.is-answer')").await;
    opened.rests().await;
    opened.browser.click("#chat-list").await;
    opened.browser.until("document.querySelectorAll('.chat-thread').length === 2").await;
    opened.browser.click(".chat-thread:not(.is-open) .chat-thread-open").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    let drawn = "return [...document.querySelectorAll('.chat-message')]
        .map(it => it.classList.contains('is-own') && it.querySelector('.chat-own-text').innerText)";
    let drawn = opened.browser.script(drawn).await;
    assert_eq!(drawn, json!([WAY, false, "東京駅から渋谷駅まで", false]));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_chat_has_an_address_that_back_leads_to() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    opened.browser.until("location.hash.startsWith('#/chat/')").await;
    let first = opened.browser.script("return location.hash").await;
    opened.browser.click(".chat-new").await;
    opened.browser.until("location.hash === '#/chat'").await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.until(&format!("![{first}, '#/chat'].includes(location.hash)")).await;
    opened.browser.click("#chat-list").await;
    opened
        .browser
        .until("document.querySelector('.chat-thread-at')?.innerText.includes(':')")
        .await;
    opened.browser.script("history.back()").await;
    opened.browser.until(&format!("location.hash === {first}")).await;
    opened.browser.says(".chat-own-text", WAY).await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_returns_after_an_edit() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    let typed = async |text: &str| {
        opened
            .browser
            .until(&format!("document.querySelector('#chat-input').value === {text:?}"))
            .await;
    };
    let edit = "document.querySelector('.is-own .chat-acts button:nth-child(2)').click()";
    opened.browser.focus("#chat-input").await;
    opened.browser.press("Half a thought").await;
    opened.browser.script(edit).await;
    typed(WAY).await;
    opened.browser.hit("button", "Stop editing").await;
    typed("Half a thought").await;
    opened.browser.script(edit).await;
    typed(WAY).await;
    opened.browser.until("document.activeElement.id === 'chat-input'").await;
    opened.browser.key(Key::Enter).await;
    typed("Half a thought").await;
    opened.rests().await;
    assert_eq!(opened.count(".chat-message").await, 2);
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_reports_a_missing_assistant() {
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
async fn refused_chat_is_not_reported_as_unreachable_host() {
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
