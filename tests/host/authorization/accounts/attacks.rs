//! Attacks on codes, tokens, redirects, forms and names.

use super::*;
use tests::people::form;

#[tokio::test(flavor = "multi_thread")]
async fn code_works_once_and_its_replay_revokes_its_tokens() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let code = app.code(&mut ann, &[]).await;
    let (status, tokens) = app.redeem(&code, &[]).await;
    assert_eq!(status, StatusCode::OK);
    refused(&app.redeem(&code, &[]).await, "invalid_grant");
    is_rejected(&server, access(&tokens), "its code was replayed").await;
    refused(&app.refresh(refresh(&tokens), &[]).await, "invalid_grant");
    // Of rivals with one code, one gets tokens, and those are over, too.
    let code = app.code(&mut ann, &[]).await;
    let all = futures::future::join_all((0..8).map(|_| app.redeem(&code, &[]))).await;
    let won: Vec<_> = all.iter().filter(|it| it.0 == StatusCode::OK).collect();
    assert_eq!(won.len(), 1, "AUTH-6");
    is_rejected(&server, access(&won[0].1), "rivals came with its code").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn code_is_bound_to_client_verifier_and_redirect() {
    let server = serve("").await;
    let (app, other) = (App::register(&server.url()).await, App::register(&server.url()).await);
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let code = app.code(&mut ann, &[]).await;
    refused(&other.redeem(&code, &[]).await, "invalid_grant");
    let wrong = "x".repeat(43);
    let resource = format!("{}/mcp", server.url());
    for (more, error) in [
        (("code_verifier", &*wrong), "invalid_grant"),
        (("code_verifier", "-"), "invalid_request"),
        (("code_verifier", "short"), "invalid_request"),
        (("code_verifier", CHALLENGE), "invalid_grant"),
        (("redirect_uri", "http://127.0.0.1/other"), "invalid_grant"),
        (("redirect_uri", "http://127.0.0.1:80/callback"), "invalid_grant"),
        (("client_id", "-"), "invalid_client"),
        (("client_id", "client_unknown"), "invalid_client"),
        (("resource", "https://other.example/mcp"), "invalid_target"),
        (("grant_type", "password"), "unsupported_grant_type"),
        (("grant_type", "-"), "invalid_request"),
        (("code", "mdg_code_AAAA"), "invalid_grant"),
        (("code", "-"), "invalid_request"),
    ] {
        refused(&app.redeem(&code, &[more]).await, error);
    }
    let twice = [("grant_type", "authorization_code"), ("code", &*code), ("code", &*code)];
    refused(&app.post("/oauth/token", &twice).await, "invalid_request");
    let json = server.client().post("/oauth/token", &[], json!({ "code": code }).to_string()).await;
    assert_eq!(json.status(), StatusCode::BAD_REQUEST);
    // The redirect URI need not be repeated (OAuth 2.1).
    let right = [("resource", &*resource), ("redirect_uri", "-")];
    let (status, tokens) = app.redeem(&code, &right).await;
    assert_eq!(status, StatusCode::OK, "none of it cost the right client its code: {tokens}");
    // A token of another kind is none here, and one cut short neither.
    for token in [refresh(&tokens), &access(&tokens)[..60], &code] {
        is_rejected(&server, token, token).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_requests_without_valid_pkce_or_client() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let stranger = Person::new(&server.url());
    // A scheme opens a program: which one, anyone can say.
    let elsewhere = ["https://client.example/callback", "com.example.app:/callback"];
    let metadata = json!({ "client_name": "Web", "redirect_uris": elsewhere });
    let (_, registered) = app.registration(&metadata).await;
    let web = app.named(registered["client_id"].as_str().unwrap());
    let long = "x".repeat(3_000);
    for (name, value, error) in [
        ("code_challenge", "-", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "-", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "s256", "invalid_request"),
        ("response_type", "-", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "code token", "unsupported_response_type"),
        ("response_mode", "fragment", "invalid_request"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("scope", "everything", "invalid_scope"),
        ("scope", "窓口\\", "invalid_scope"),
        ("request_uri", "https://a.example/r", "request_not_supported"),
        ("state", &*long, "invalid_request"),
    ] {
        let own_machine = format!("/oauth/authorize?{}", app.query(&[(name, value)]));
        let paths = elsewhere.map(|it| web.query(&[(name, value), ("redirect_uri", it)]));
        for who in [&ann, &stranger] {
            // A program on the person's own machine learns what is wrong.
            let back = led_to(&who.get(&own_machine).await);
            assert!(back.as_str().starts_with(CALLBACK), "{name}={value}: {back}");
            assert_eq!(parameter(&back, "error").as_deref(), Some(error), "{name}={value}");
            check_description(&parameter(&back, "error_description").unwrap());
            let state = (name != "state").then_some("st&te");
            assert_eq!(parameter(&back, "state").as_deref(), state, "{name}={value}");
            assert_eq!(parameter(&back, "iss"), Some(server.url()));
            // No redirect to a self-registered client elsewhere before a page has shown its address.
            for path in &paths {
                let shown = who.get(&format!("/oauth/authorize?{path}")).await;
                assert_eq!(shown.status(), StatusCode::BAD_REQUEST, "{name}={value}");
                assert!(shown.headers().get("location").is_none(), "{name}={value}");
                let shown = shown.text().await.unwrap();
                assert!(shown.contains(error), "{name}={value}: {shown}");
            }
        }
    }
    // This server's own page is known, and gets the error back.
    let home = format!("{}/", server.url());
    let own = [("client_id", "madoguchi-page"), ("redirect_uri", &*home), ("scope", "everything")];
    let back = led_to(&ann.get(&format!("/oauth/authorize?{}", app.query(&own))).await);
    assert!(back.as_str().starts_with(&home), "{back}");
    assert_eq!(parameter(&back, "error").as_deref(), Some("invalid_scope"));
    assert_eq!(parameter(&back, "iss"), Some(server.url()));
    assert_eq!(parameter(&back, "code"), None);
    // No redirect for an unknown client or address.
    for (name, value) in [
        ("client_id", "-"),
        ("client_id", "client_unknown"),
        ("client_id", "http://127.0.0.1/client.json"),
        ("redirect_uri", "-"),
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1/callback/../evil"),
        ("redirect_uri", "http://127.0.0.1/callback?x=1"),
        ("redirect_uri", "http://127.0.0.1.evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1@evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1/callback#x"),
        ("redirect_uri", "http://localhost/callback"),
        ("redirect_uri", "javascript:alert(1)"),
        ("redirect_uri", "//evil.example"),
    ] {
        for who in [&ann, &stranger] {
            let answer =
                who.get(&format!("/oauth/authorize?{}", app.query(&[(name, value)]))).await;
            assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name}={value}");
            assert!(answer.headers().get("location").is_none(), "{name}={value}");
        }
    }
    let twice =
        format!("{}&{}", app.query(&[]), form(&[("redirect_uri", "https://evil.example/")]));
    assert_eq!(
        ann.get(&format!("/oauth/authorize?{twice}")).await.status(),
        StatusCode::BAD_REQUEST
    );
    // The port of one's own machine is free (RFC 8252).
    let query = app.query(&[("redirect_uri", "http://127.0.0.1:4711/callback")]);
    let back = led_to(&ann.allow(&query).await);
    assert_eq!(back.port(), Some(4711));
    let code = parameter(&back, "code").unwrap();
    refused(&app.redeem(&code, &[]).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn refresh_token_works_once_and_its_reuse_revokes_all() {
    let server = serve("").await;
    let (app, other) = (App::register(&server.url()).await, App::register(&server.url()).await);
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let first = app.tokens(&mut ann, &[("scope", "tool:echo tool:whoami")]).await;
    refused(&other.refresh(refresh(&first), &[]).await, "invalid_grant");
    refused(
        &app.refresh(refresh(&first), &[("scope", "tool:echo operator")]).await,
        "invalid_scope",
    );
    refused(
        &app.refresh(refresh(&first), &[("resource", "https://other.example/mcp")]).await,
        "invalid_target",
    );
    refused(&app.refresh(access(&first), &[]).await, "invalid_grant");
    // One that is made up ends nothing, even where it belongs to the grant by its number.
    let mut forged = refresh(&first).to_owned();
    forged.replace_range(40..60, "AAAAAAAAAAAAAAAAAAAA");
    refused(&app.refresh(&forged, &[]).await, "invalid_grant");
    let (status, second) = app.refresh(refresh(&first), &[("scope", "tool:whoami")]).await;
    assert_eq!((status, &second["scope"]), (StatusCode::OK, &json!("tool:whoami")));
    assert_eq!(server.client_with(access(&second)).tools().await, ["whoami"]);
    let (status, third) = app.refresh(refresh(&second), &[]).await;
    assert_eq!((status, &third["scope"]), (StatusCode::OK, &json!("tool:echo tool:whoami")));
    refused(&app.refresh(refresh(&first), &[]).await, "invalid_grant");
    for tokens in [&first, &second, &third] {
        is_rejected(&server, access(tokens), "AUTH-7: a refresh token came twice").await;
        refused(&app.refresh(refresh(tokens), &[]).await, "invalid_grant");
    }
    // Read-only access stays read-only for any requested scope.
    let narrow = app.tokens(&mut ann, &[("scope", "tool:echo read-only")]).await;
    let (_, next) = app.refresh(refresh(&narrow), &[("scope", "tool:echo")]).await;
    assert_eq!(next["scope"], "tool:echo read-only");
    refused(&app.refresh(refresh(&next), &[("scope", "read-only")]).await, "invalid_scope");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_refresh_response_signs_out_no_one() {
    let server = serve("").await;
    let (app, other) = (App::register(&server.url()).await, App::register(&server.url()).await);
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let first = app.tokens(&mut ann, &[]).await;
    // The answer is lost twice: its tokens are invalid.
    let (_, lost) = app.refresh(refresh(&first), &[]).await;
    refused(&other.refresh(refresh(&first), &[]).await, "invalid_grant");
    let (status, lost_too) = app.refresh(refresh(&first), &[]).await;
    assert_eq!(status, StatusCode::OK, "AUTH-7: {lost_too}");
    let (status, next) = app.refresh(refresh(&first), &[]).await;
    assert_eq!(status, StatusCode::OK, "AUTH-7: {next}");
    for tokens in [&lost, &lost_too] {
        is_rejected(&server, access(tokens), "it never arrived").await;
    }
    assert_eq!(whoami(&server, access(&first)).await.status(), StatusCode::OK, "until it expires");
    assert_eq!(whoami(&server, access(&next)).await.status(), StatusCode::OK);
    // Now it has arrived: the one before is a replay.
    refused(&app.refresh(refresh(&first), &[]).await, "invalid_grant");
    is_rejected(&server, access(&next), "AUTH-7: the refresh token before it came again").await;
    refused(&app.refresh(refresh(&next), &[]).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_its_client_revokes_a_token() {
    let server = serve("").await;
    let (app, other) = (App::register(&server.url()).await, App::register(&server.url()).await);
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    let token = ("token", access(&tokens));
    refused(
        &other.post("/oauth/revoke", &[token, ("client_id", &other.id)]).await,
        "invalid_grant",
    );
    refused(&app.post("/oauth/revoke", &[token]).await, "invalid_client");
    refused(&app.post("/oauth/revoke", &[("client_id", &app.id)]).await, "invalid_request");
    let unknown =
        app.post("/oauth/revoke", &[("token", "mdg_unknown"), ("client_id", &app.id)]).await;
    assert_eq!(unknown.0, StatusCode::OK, "RFC 7009, 2.2");
    assert_eq!(whoami(&server, access(&tokens)).await.status(), StatusCode::OK);
    let hinted = [token, ("client_id", &*app.id), ("token_type_hint", "refresh_token")];
    assert_eq!(app.post("/oauth/revoke", &hinted).await.0, StatusCode::OK);
    is_rejected(&server, access(&tokens), "revoked").await;
    refused(&app.refresh(refresh(&tokens), &[]).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_is_accepted_from_its_own_page_alone() {
    let server = serve("").await;
    let (app, evil) = (App::register(&server.url()).await, App::register(&server.url()).await);
    let (mut ann, mut ben) =
        (Person::join(&server, "ann", &["*"]).await, Person::join(&server, "ben", &["*"]).await);
    let query = app.query(&[]);
    let page = ann.get(&format!("/oauth/authorize?{query}")).await.text().await.unwrap();
    let (request, tag) = (field(&page, "request"), field(&page, "tag"));
    let allow = |request: &str, tag: &str| {
        [
            ("request", request.to_owned()),
            ("tag", tag.to_owned()),
            ("decision", "allow".to_owned()),
            ("scope", "*".to_owned()),
        ]
    };
    let send = async |person: &mut Person, request: &str, tag: &str, headers: &[(&str, &str)]| {
        let fields = allow(request, tag);
        let fields: Vec<_> = fields.iter().map(|it| (it.0, &*it.1)).collect();
        person.post_with("/oauth/authorize", &fields, headers).await
    };
    // Without the page's tag, with that of another request, and by another person.
    for (request, tag) in [(&*request, ""), (&*request, "AAAA"), (&*evil.query(&[]), &*tag)] {
        let answer = send(&mut ann, request, tag, &[]).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{request} {tag}");
        assert!(answer.headers().get("location").is_none());
    }
    assert_eq!(send(&mut ben, &request, &tag, &[]).await.status(), StatusCode::FORBIDDEN);
    let mut stranger = Person::new(&server.url());
    assert_eq!(send(&mut stranger, &request, &tag, &[]).await.status(), StatusCode::FORBIDDEN);
    // From a page elsewhere, whatever it knows.
    for headers in [
        [("origin", "https://evil.example")],
        [("origin", "null")],
        [("sec-fetch-site", "cross-site")],
    ] {
        let answer = send(&mut ann, &request, &tag, &headers).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{headers:?}");
    }
    let own = server.url();
    let answer = send(&mut ann, &request, &tag, &[("origin", &own)]).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER, "AUTH-9");
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_redirects_to_own_pages_alone() {
    let server = serve("").await;
    Person::join(&server, "ann", &["*"]).await;
    for next in [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/oauth/authorize",
        "javascript:x",
        "/oauth/authorize?x\r\nset-cookie: a=b",
        "",
    ] {
        let mut ann = Person::new(&server.url());
        let fields = [("name", "ann"), ("password", PASSWORD), ("next", next)];
        let answer = ann.post("/account/sign-in", &fields).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(answer.headers()["location"], "/account", "{next}");
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    }
    let mut ann = Person::new(&server.url());
    let next = "/oauth/authorize?client_id=x&state=%2F";
    let fields = [("name", "ann"), ("password", PASSWORD), ("next", next)];
    assert_eq!(ann.post("/account/sign-in", &fields).await.headers()["location"], next);
    let elsewhere = [("origin", "https://evil.example")];
    let answer = ann.post_with("/account/sign-in", &fields, &elsewhere).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN, "nobody is signed in from elsewhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_names_and_wrong_passwords_read_the_same() {
    let server = serve("").await;
    Person::join(&server, "ann", &["*"]).await;
    let operator = Operator::of(&server.folders.data());
    operator.send(Method::POST, "accounts/without", "").await;
    let mut answers = Vec::new();
    for name in ["ann", "without", "nobody-here"] {
        let mut person = Person::new(&server.url());
        let answer = person.sign_in(name, "not the password").await;
        let (status, headers) =
            (answer.status(), format!("{:?}", answer.headers().get("set-cookie")));
        answers.push((status, headers, answer.text().await.unwrap()));
    }
    assert_eq!(answers[0].0, StatusCode::FORBIDDEN);
    assert!(answers.iter().all(|it| *it == answers[0]), "AUTH-4: {answers:?}");
    // After too many tries a name is closed: one that is there and one that is not alike, and no other.
    // Hers comes last: a minute later she may try again.
    for name in ["nobody-here", "ann"] {
        let mut person = Person::new(&server.url());
        let mut closed = None;
        for _ in 0..10 {
            let answer = person.sign_in(name, "not the password").await;
            if answer.status() == StatusCode::TOO_MANY_REQUESTS {
                assert!(answer.headers().contains_key("retry-after"));
                closed = Some(answer.text().await.unwrap());
                break;
            }
        }
        assert!(closed.is_some_and(|it| it.contains("too many attempts")), "{name}");
    }
    let mut ann = Person::new(&server.url());
    let right = ann.sign_in("ann", PASSWORD).await;
    assert_eq!(right.status(), StatusCode::TOO_MANY_REQUESTS, "the right one, too");
}

#[tokio::test(flavor = "multi_thread")]
async fn registration_floods_are_rate_limited() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let arguments = json!({ "redirect_uris": ["https://a.example/callback"] });
    let mut answers = Vec::new();
    for _ in 0..30 {
        answers.push(app.registration(&arguments).await.0);
    }
    assert!(answers.contains(&StatusCode::CREATED), "{answers:?}");
    assert_eq!(answers.last(), Some(&StatusCode::TOO_MANY_REQUESTS), "AUTH-11");
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    assert!(app.tokens(&mut ann, &[]).await["scope"].is_string(), "who registered before goes on");

    let closed = serve("registration = false\n").await;
    let issuer = closed.client().get("/.well-known/oauth-authorization-server").await;
    assert!(issuer.json::<Value>().await.unwrap()["registration_endpoint"].is_null());
    let body = json!({ "redirect_uris": [CALLBACK] }).to_string();
    let answer = closed.client().post("/oauth/register", &[], body).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_invalid_client_metadata() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    for (expected, error) in [
        (json!([]), "invalid_client_metadata"),
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["http://a.example/cb"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["javascript:alert(1)"] }), "invalid_redirect_uri"),
        (
            json!({ "redirect_uris": [CALLBACK], "client_name": "\u{202e}" }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [CALLBACK], "grant_types": ["client_credentials"] }),
            "invalid_client_metadata",
        ),
        (json!({ "redirect_uris": [CALLBACK], "client_uri": "x".repeat(7_000) }), ""),
    ] {
        let answer = app.registration(&expected).await;
        match error {
            "" => assert_eq!(answer.0, StatusCode::CREATED, "what is not known is not kept"),
            error => refused(&answer, error),
        }
    }
    let large = json!({ "redirect_uris": [CALLBACK], "client_uri": "x".repeat(20_000) });
    assert_eq!(app.registration(&large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let secret =
        json!({ "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "client_secret_post" });
    let (status, answer) = app.registration(&secret).await;
    assert_eq!(
        (status, &answer["token_endpoint_auth_method"]),
        (StatusCode::CREATED, &json!("none"))
    );
    assert!(answer["client_secret"].is_null(), "{answer}");
}
