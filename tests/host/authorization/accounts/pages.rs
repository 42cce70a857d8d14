//! The pages as browsers are told to treat them, and in which language.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn pages_forbid_frames_and_load_nothing_of_others() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let ann = Person::join(&server, "ann", &["*"]).await;
    let stranger = Person::new(&server.url());
    let consent = format!("/oauth/authorize?{}", app.query(&[]));
    let wrong = "/oauth/authorize?client_id=%3Cscript%3E".to_owned();
    for (who, path) in [
        (&ann, &consent),
        (&stranger, &consent),
        (&ann, &"/account".to_owned()),
        (&stranger, &wrong),
    ] {
        let answer = who.get(path).await;
        let text = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        let policy = text("content-security-policy");
        for part in
            ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "script-src 'self'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let names =
            ["x-frame-options", "cache-control", "referrer-policy", "x-content-type-options"];
        let values = names.map(text);
        assert_eq!(values, ["DENY", "no-store", "same-origin", "nosniff"], "{path}");
        let page = answer.text().await.unwrap();
        assert!(
            !page.contains("<script>") && !page.contains("style=\"") && !page.contains(" onclick"),
            "{page}"
        );
    }
    let policy =
        ann.get(&consent).await.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("form-action 'self' http://127.0.0.1;"), "{policy}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_speak_the_language_that_is_asked_for() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let ann = Person::join(&server, "ann", &["component:echo"]).await;
    let english =
        ann.get(&format!("/oauth/authorize?{}", app.query(&[]))).await.text().await.unwrap();
    assert!(
        english.contains("<html lang=\"en\">") && english.contains("Use everything of “echo”"),
        "{english}"
    );
    let at = english.find("hreflang=\"ja\"").expect("it can be switched");
    let from = english[..at].rfind("href=\"").unwrap() + 6;
    let to = &english[from..from + english[from..].find('"').unwrap()].replace("&amp;", "&");
    let japanese = ann.get(to).await.text().await.unwrap();
    assert!(
        japanese.contains("<html lang=\"ja\">") && japanese.contains("「echo」のすべてを使う"),
        "{japanese}"
    );
    assert_eq!(offered(&japanese), offered(&english));
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_are_secure_where_the_address_is() {
    let folders = Folders::new();
    let lines = "public_url = 'https://tools.example/x'\n[accounts]\nenabled = true\n";
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let ann = Person::join(&server, "ann", &["*"]).await;
    assert!(ann.cookie().starts_with("__Host-madoguchi="), "{}", ann.cookie());
    for path in ["", "/x", "/x/"] {
        let path = format!("/.well-known/oauth-authorization-server{path}");
        let issuer: Value = server.client().get(&path).await.json().await.unwrap();
        assert_eq!(issuer["issuer"], "https://tools.example/x", "{path}");
        assert_eq!(issuer["token_endpoint"], "https://tools.example/x/oauth/token");
    }
    let page = ann.get("/account").await.text().await.unwrap();
    assert!(page.contains("action=\"/x/account/sign-out"), "{page}");
}
