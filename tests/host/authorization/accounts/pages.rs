//! The accounts' pages: security headers, cookies and language.

use tests::authenticator::Authenticator;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn pages_forbid_frames_and_load_nothing_from_elsewhere() {
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
    // The response to consent may redirect from the client's address to its program.
    for (path, is_held) in [(&*consent, false), ("/account", true)] {
        let answer = ann.get(path).await;
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert_eq!(policy.contains("form-action 'self';"), is_held, "{path}: {policy}");
        assert_eq!(policy.contains("form-action"), is_held, "{path}: {policy}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_use_the_requested_language() {
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
async fn cookies_are_secure_if_the_address_is() {
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

/// Makes a passkey behind a link; its number, and its person, who is signed in.
async fn with_passkey(server: &TestServer, link: &str) -> (String, Person) {
    let link = link.rsplit('/').next().unwrap();
    let send = async |step: &str, body: Value| {
        let path = format!("/account/passkey/{step}");
        server.client().http(Method::POST, &path).json(&body).send().await.unwrap()
    };
    let options: Value = send("begin", json!({ "link": link })).await.json().await.unwrap();
    let made = Authenticator::new("http://localhost:9", "localhost").make(&options);
    let answer = send("register", json!({ "link": link, "credential": made })).await;
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    (made["id"].as_str().unwrap().to_owned(), Person::new(&server.url()).with_cookie(cookie))
}

#[tokio::test(flavor = "multi_thread")]
async fn passkey_can_be_revoked_unless_it_is_the_last_login() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let lines = "public_url = 'http://localhost:9'\n[accounts]\nenabled = true\n";
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let operator = Operator::of(&server.folders.data());
    let (_, made) = operator.send(Method::POST, "accounts/ann", "").await;
    let (first, mut ann) = with_passkey(&server, &link_of(&made)).await;
    let page = ann.get("/account").await.text().await.unwrap();
    assert!(page.contains("There is no other way to sign in"), "AUTH-2: {page}");
    let tag = field(&page, "tag");
    let end = [("tag", &*tag), ("passkey", &*first)];
    assert_eq!(ann.post("/account/passkeys/end", &end).await.status(), StatusCode::CONFLICT);

    let link = link_of(&operator.send(Method::POST, "accounts/ann/link", "").await.1);
    let (second, mut ann) = with_passkey(&server, &link).await;
    let page = ann.get("/account?ui_locales=ja").await.text().await.unwrap();
    assert!(page.contains("パスキー") && page.contains(&first) && page.contains(&second), "{page}");
    let forged = [("tag", "AAAA"), ("passkey", &*first)];
    assert_eq!(ann.post("/account/passkeys/end", &forged).await.status(), StatusCode::FORBIDDEN);
    let tag = field(&page, "tag");
    let end = [("tag", &*tag), ("passkey", &*first)];
    assert_eq!(ann.post("/account/passkeys/end", &end).await.status(), StatusCode::SEE_OTHER);
    let page = ann.get("/account").await.text().await.unwrap();
    assert!(!page.contains(&first) && page.contains("name=\"tag\""), "AUTH-2: {page}");
    assert_eq!(ann.post("/account/passkeys/end", &end).await.status(), StatusCode::CONFLICT);
}
