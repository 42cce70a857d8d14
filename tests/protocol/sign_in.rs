//! The page where the operator wants a token: it asks for one, and shows no more than the token allows.

use fantoccini::key::Key;
use host::{authorization::fresh::FreshToken, scopes::Scope};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    server::{Folders, TestServer},
};

/// A server that wants a token, and one with these scopes.
async fn locked(scopes: &[&str]) -> (TestServer, String) {
    let folders = Folders::new();
    for name in ["cinema", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    let scopes: Vec<Scope> = scopes.iter().map(|it| it.parse().unwrap()).collect();
    let fresh = FreshToken::new("hanako", &scopes, None).unwrap();
    let config = folders.config_with(&fresh.configuration);
    let server = TestServer::start(folders, |it| *it = config).await;
    (server, fresh.token)
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_for_a_token_and_reports_its_faults() {
    let (server, token) = locked(&["*"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.says("h1", "Sign in").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.type_at("#token", "トークン").await;
    browser.key(Key::Enter).await;
    browser.says("#token-wrong", "no spaces").await;
    let field = browser.find("#token").await;
    field.clear().await.unwrap();
    field.send_keys("mdg_wrong").await.unwrap();
    browser.key(Key::Enter).await;
    browser.says("#token-wrong", "does not do").await;
    browser.picture("sign-in-refused").await;
    let field = browser.find("#token").await;
    field.clear().await.unwrap();
    field.send_keys(&token).await.unwrap();
    browser.key(Key::Enter).await;
    browser.says("h1", "Book your seats").await;
    browser.find(".film-list li").await;
    browser.until("document.activeElement !== document.body").await;
    browser.reload().await;
    browser.find(".film-list li").await;
    let mark = "window.before = true;
        sessionStorage.setItem('madoguchi.draft.x', '\"Hanako\"');
        localStorage.setItem('madoguchi.name', '\"Hanako\"');";
    browser.script(mark).await;
    browser.hit("button", "Sign out").await;
    browser.until("!window.before").await;
    browser.says("h1", "Sign in").await;
    let kept = browser.script("return JSON.stringify({...localStorage, ...sessionStorage})").await;
    let kept = kept.as_str().unwrap();
    assert!(!kept.contains(&token) && !kept.contains("Hanako"), "its reader is forgotten: {kept}");
    browser.close().await;
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn shows_what_the_token_reaches_in_any_theme() {
    let (server, token) = locked(&["tool:list_movies"]).await;
    for look in [Look::DESKTOP, Look::PHONE.dark().japanese()] {
        let browser = Browser::open(&server.url(), look).await;
        let field = browser.find("#token").await;
        let device = if look.width < 600 { "phone-dark" } else { "desktop" };
        browser.picture(&format!("sign-in-{device}")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        assert!(!browser.overflows().await, "{look:?}");
        field.send_keys(&token).await.unwrap();
        browser.key(Key::Enter).await;
        browser.find(".places").await;
        browser.go("#/counter/list_movies").await;
        browser.says(".tool-head", "list_movies").await;
        browser.go("#/counter").await;
        browser.find("main a[href='#/counter/list_movies']").await;
        let others = browser.all("main a[href='#/counter/reserve_seats']").await;
        assert!(others.is_empty(), "what the token does not reach is not shown");
        assert!(!browser.overflows().await, "{look:?}");
        browser.close().await;
    }
}
