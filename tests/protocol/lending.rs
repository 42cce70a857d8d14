//! A family of tools that the page does not know: called, drawn, and allowed in the chat.

use fantoccini::key::Key;
use tests::{
    browser::{Browser, Look},
    component_bytes,
    server::{Folders, TestServer},
};

/// What the operator writes to let it in.
const LINES: &str = "
[components.lending]
grants = ['sql', 'events', 'schedule', 'endpoints']
schedule_ms = 100
";

#[tokio::test(flavor = "multi_thread")]
async fn draws_understands_and_approves_an_outside_family() {
    let folders = Folders::new();
    for name in ["assistant", "lending"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(LINES);
    let server = TestServer::start(folders, |it| *it = config).await;
    let look = Look::DESKTOP.japanese();
    let browser = Browser::open_at(&server.url(), "#/chat", look).await;
    let say = async |text: &str| {
        // What is sent while an answer comes is not.
        browser.until("!document.querySelector('.chat-log[aria-busy=true]')").await;
        browser.focus("#chat-input").await;
        browser.press(text).await;
        browser.key(Key::Enter).await;
    };
    say("図書館にはどんな本がありますか？").await;
    browser.says(".chat-log", "あるのは: 坊っちゃん、銀河鉄道の夜、雪国").await;
    // Its own view shows who has each book.
    browser.into_app().await;
    browser.says(".books li", "坊っちゃん").await;
    browser.says(".books li", "棚にあります").await;
    browser.out_of_app().await;
    // What the tool put out stands there as a table, too, with a row for each book, once it is unfolded.
    browser.script("document.querySelector('.app-data').open = true").await;
    browser.until("document.querySelectorAll('.chat-log table tbody tr').length === 3").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("lending").await;
    say("雪国を借りたいです").await;
    browser.until("document.querySelector('.approval.is-open')").await;
    browser.says(".approval.is-open", "雪国").await;
    browser.hit("button", "今回だけ許可").await;
    browser.says(".chat-log", "お貸ししました: 雪国").await;
    for (name, look) in
        [("lending-lent", look), ("lending-phone-dark", Look::PHONE.japanese().dark())]
    {
        browser.look(look).await;
        assert!(!browser.overflows().await, "{name}");
        browser.picture(name).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}
