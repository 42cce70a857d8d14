//! The accounts' pages, and their clients: the server's own page, and those with a metadata document.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Router,
    extract::State,
    http::StatusCode as Status,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use tests::people::{Authenticator, form};

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

// The server's own page as a client of its accounts (AUTH-13).

/// The page's authorization request, with `more` replacing parameters.
fn authorize_path(server: &TestServer, more: &[(&str, &str)]) -> String {
    let home = format!("{}/", server.url());
    let usual = [
        ("client_id", "madoguchi-page"),
        ("redirect_uri", &*home),
        ("response_type", "code"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "s"),
        ("scope", "* operator"),
    ];
    let kept = usual.iter().filter(|it| !more.iter().any(|other| other.0 == it.0));
    let all: Vec<_> = kept.chain(more).copied().collect();
    format!("/oauth/authorize?{}", form(&all))
}

/// Gets a path with the fetch metadata of a navigation from `from`.
async fn get_from(person: &Person, path: &str, from: &str) -> reqwest::Response {
    person.get_with(path, &[("sec-fetch-site", from)]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn own_page_needs_sign_in_but_no_consent() {
    let server = serve("").await;
    let url = server.url();
    let page = App::register(&url).await.named("madoguchi-page");
    let mut ann = Person::join(&server, "ann", &["*", "operator"]).await;

    // Requests from elsewhere need consent, with a reason.
    for from in ["cross-site", "same-site", "none"] {
        let asks = get_from(&ann, &authorize_path(&server, &[]), from).await;
        assert_eq!(asks.status(), StatusCode::OK, "{from}");
        let asks = asks.text().await.unwrap();
        assert!(asks.contains("own page"), "{asks}");
    }
    // Nothing else is this page: no other port of the machine, no other path.
    for elsewhere in ["http://127.0.0.1:1/", &format!("{url}/other"), "https://evil.example/"] {
        let answer =
            get_from(&ann, &authorize_path(&server, &[("redirect_uri", elsewhere)]), "same-origin")
                .await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{elsewhere}");
    }
    // Another client is asked for, wherever the person comes from.
    let app = App::register(&url).await;
    let other =
        get_from(&ann, &format!("/oauth/authorize?{}", app.query(&[])), "same-origin").await;
    assert_eq!(other.status(), StatusCode::OK);

    let stranger = Person::new(&url);
    let answer = get_from(&stranger, &authorize_path(&server, &[]), "same-origin").await;
    assert_eq!(answer.status(), StatusCode::OK, "who is not signed in does that first");
    let back = led_to(&get_from(&ann, &authorize_path(&server, &[]), "same-origin").await);
    assert_eq!((back.path(), parameter(&back, "iss")), ("/", Some(url.clone())));
    let code = parameter(&back, "code").unwrap();
    let home = format!("{url}/");
    let (status, tokens) = page.redeem(&code, &[("redirect_uri", &home)]).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(tokens["scope"], "* operator", "everything that the account has");
    let operator = server.client_with(access(&tokens)).get("/api/operator/now").await;
    assert_eq!(operator.status(), StatusCode::OK);

    // Signing out of the page ends the session, where it is the page that asks.
    let fields = [("client_id", "madoguchi-page"), ("token", "mdo_none")];
    ann.post_with("/oauth/revoke", &fields, &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(
        get_from(&ann, &authorize_path(&server, &[]), "same-origin").await.status(),
        StatusCode::SEE_OTHER
    );
    let fields = [("client_id", "madoguchi-page"), ("token", refresh(&tokens))];
    let left = ann.post_with("/oauth/revoke", &fields, &[("sec-fetch-site", "same-origin")]).await;
    assert_eq!(left.status(), StatusCode::OK);
    is_rejected(&server, access(&tokens), "the page has left").await;
    assert_eq!(
        get_from(&ann, &authorize_path(&server, &[]), "same-origin").await.status(),
        StatusCode::OK
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_of_the_page_evict_no_other_client() {
    let server = serve("").await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let app = App::register(&server.url()).await;
    let kept = app.tokens(&mut ann, &[]).await;
    for _ in 0..40 {
        let back = get_from(&ann, &authorize_path(&server, &[]), "same-origin").await;
        assert_eq!(back.status(), StatusCode::SEE_OTHER, "{back:?}");
    }
    let who = server.client_with(access(&kept)).output("whoami", json!({})).await;
    assert_eq!(who["principal"], "account:ann");
}

// Client ID metadata documents: allowed addresses and required content.

/// A web server with documents of clients, each wrong in its own way but one.
async fn web() -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::<AtomicUsize>::default();
    let document = |id: &str, more: Value| {
        let mut arguments =
            json!({ "client_id": id, "client_name": "Documented", "redirect_uris": [CALLBACK] });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments.to_string()
    };
    let (base, count) = (url.clone(), asked.clone());
    let answer = move |State(name): State<&'static str>| {
        let id = format!("{base}/{name}");
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            match name {
                "right" => document(&id, json!({})).into_response(),
                "other" => document("https://other.example/client", json!({})).into_response(),
                "either" => document(
                    &id,
                    json!({
                        "token_endpoint_auth_method": "private_key_jwt",
                        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
                    }),
                )
                .into_response(),
                "secret" => {
                    document(&id, json!({ "token_endpoint_auth_method": "client_secret_post" }))
                        .into_response()
                }
                "large" => {
                    document(&id, json!({ "client_uri": "x".repeat(20_000) })).into_response()
                }
                "moved" => Redirect::temporary("/right").into_response(),
                "gone" => Status::NOT_FOUND.into_response(),
                "slow" => std::future::pending::<Response>().await,
                _ => "no JSON".into_response(),
            }
        }
    };
    let mut router = Router::new();
    for name in ["right", "either", "other", "secret", "large", "moved", "gone", "slow", "text"] {
        router = router.route(&format!("/{name}"), get(answer.clone()).with_state(name));
    }
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn client_is_defined_by_its_metadata_document() {
    let server = serve("private_documents = true\n").await;
    let (web, asked) = web().await;
    let app = App::register(&server.url()).await.named(&format!("{web}/right"));
    let stranger =
        Person::new(&server.url()).get(&format!("/oauth/authorize?{}", app.query(&[]))).await;
    assert_eq!(stranger.status(), StatusCode::OK);
    assert_eq!(asked.load(Ordering::Relaxed), 0, "nothing is fetched for strangers");
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let page = ann.get(&format!("/oauth/authorize?{}", app.query(&[]))).await.text().await.unwrap();
    assert!(
        page.contains("Documented") && page.contains("is verified to be described at"),
        "{page}"
    );
    let tokens = app.tokens(&mut ann, &[]).await;
    assert_eq!(whoami(&server, access(&tokens)).await.status(), StatusCode::OK, "AUTH-10");
    assert_eq!(app.refresh(refresh(&tokens), &[]).await.0, StatusCode::OK);
    assert_eq!(asked.load(Ordering::Relaxed), 1, "it is kept for a while");
    let either = app.named(&format!("{web}/either")).tokens(&mut ann, &[]).await;
    assert_eq!(whoami(&server, access(&either)).await.status(), StatusCode::OK, "it has a choice");
    let elsewhere = app.query(&[("redirect_uri", "https://evil.example/")]);
    let elsewhere = ann.get(&format!("/oauth/authorize?{elsewhere}")).await;
    assert_eq!(elsewhere.status(), StatusCode::BAD_REQUEST);
    // Its document has to be read before anyone is led back, even to their own machine.
    let wrong = app.named(&format!("{web}/right")).query(&[("scope", "everything")]);
    let path = format!("/oauth/authorize?{wrong}");
    let back = led_to(&ann.get(&path).await);
    assert_eq!(parameter(&back, "error").as_deref(), Some("invalid_scope"));
    let shown = Person::new(&server.url()).get(&path).await;
    assert_eq!(shown.status(), StatusCode::BAD_REQUEST);
    assert!(shown.headers().get("location").is_none());
    for (name, why) in [
        ("other", "another client_id"),
        ("secret", "token_endpoint_auth_method"),
        ("large", "too large"),
        ("moved", "status 200"),
        ("gone", "status 200"),
        ("slow", "in time"),
        ("text", "no JSON object"),
    ] {
        let wrong = app.named(&format!("{web}/{name}"));
        let answer = ann.get(&format!("/oauth/authorize?{}", wrong.query(&[]))).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name}");
        let page = answer.text().await.unwrap();
        assert!(page.contains(why) && page.contains("invalid_client"), "{name}: {page}");
    }
    let code = app.code(&mut ann, &[]).await;
    refused(&app.named(&format!("{web}/text")).redeem(&code, &[]).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_fetched_from_a_private_address() {
    let server = serve("").await;
    let (web, asked) = web().await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let port = web.rsplit(':').next().unwrap();
    for id in [
        format!("{web}/right"),
        format!("https://127.0.0.1:{port}/right"),
        format!("https://localhost:{port}/right"),
        format!("https://[::1]:{port}/right"),
        format!("https://[::ffff:127.0.0.1]:{port}/right"),
        format!("https://0.0.0.0:{port}/right"),
        format!("https://2130706433:{port}/right"),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://10.0.0.1/client".to_owned(),
        "ftp://a.example/client".to_owned(),
        "https://a.example/client?x=y".to_owned(),
        "https://a.example".to_owned(),
    ] {
        let wrong = app.named(&id);
        let answer = ann.get(&format!("/oauth/authorize?{}", wrong.query(&[]))).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{id}");
        refused(&wrong.redeem("x", &[]).await, "invalid_client");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let _ = &mut ann;
}
