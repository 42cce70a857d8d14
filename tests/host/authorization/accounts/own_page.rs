//! The server's own page as a client of its accounts (AUTH-13).

use tests::people::form;

use super::*;

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
