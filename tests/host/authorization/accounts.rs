//! People's accounts and the built-in authorization server (AUTH-1 to AUTH-12): tokens, consent, revocation,
//! attacks.

mod attacks;
mod pages;

use std::{fs, time::Duration};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::Listener,
    component_bytes,
    people::{
        App, CALLBACK, CHALLENGE, PASSWORD, Person, access, field, led_to, link_of, offered,
        parameter, refresh,
    },
    server::{Folders, Operator, TestServer},
};

use super::challenge;

/// A server of echo and cinema with accounts, and these lines after.
async fn serve(lines: &str) -> TestServer {
    let folders = Folders::new();
    for name in ["echo", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(&format!("[accounts]\nenabled = true\n{lines}"));
    TestServer::start(folders, |it| *it = config).await
}

/// The answer to `whoami` with a token.
async fn whoami(server: &TestServer, token: &str) -> reqwest::Response {
    let client = server.client_with(token);
    client.send("tools/call", json!({ "name": "whoami", "arguments": {} })).await
}

/// Checks that an `error_description` has no other characters than RFC 6749 allows.
fn check_description(text: &str) {
    let is_allowed = |it: char| matches!(it, ' ' | '!' | '#'..='[' | ']'..='~');
    assert!(!text.is_empty() && text.chars().all(is_allowed), "{text}");
}

/// Checks that a token is rejected.
async fn is_rejected(server: &TestServer, token: &str, why: &str) {
    let answer = whoami(server, token).await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{why}");
    assert!(challenge(&answer).contains("invalid_token"), "{why}: {answer:?}");
}

/// Checks the error of a refused client.
fn refused(answer: &(StatusCode, Value), error: &str) {
    assert!(answer.0.is_client_error(), "{error}: {answer:?}");
    assert_eq!(answer.1["error"], error, "{answer:?}");
    check_description(answer.1["error_description"].as_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn client_discovers_registers_signs_in_and_calls() {
    let server = serve("").await;
    let url = server.url();
    let stranger = server.client();
    let answer = whoami(&server, "mdg_nothing").await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    let metadata = format!("resource_metadata=\"{url}/.well-known/oauth-protected-resource/mcp\"");
    assert!(challenge(&answer).contains(&metadata), "{}", challenge(&answer));
    let resource: Value =
        stranger.get("/.well-known/oauth-protected-resource/mcp").await.json().await.unwrap();
    assert_eq!(resource["authorization_servers"], json!([url]), "AUTH-5");
    assert_eq!(resource["resource"], format!("{url}/mcp"));
    let request = stranger.http(Method::GET, "/.well-known/oauth-authorization-server");
    let issuer = request.header("origin", "https://page.example").send().await.unwrap();
    assert_eq!(issuer.headers()["access-control-allow-origin"], "*");
    let issuer: Value = issuer.json().await.unwrap();
    assert_eq!(issuer["issuer"], url);
    let elsewhere = stranger.get("/.well-known/openid-configuration").await.text().await.unwrap();
    assert!(elsewhere.contains("is at /.well-known/oauth-authorization-server"), "{elsewhere}");
    for (key, value) in [
        ("code_challenge_methods_supported", json!(["S256"])),
        ("response_types_supported", json!(["code"])),
        ("token_endpoint_auth_methods_supported", json!(["none"])),
        ("client_id_metadata_document_supported", json!(true)),
        ("authorization_response_iss_parameter_supported", json!(true)),
        ("registration_endpoint", json!(format!("{url}/oauth/register"))),
    ] {
        assert_eq!(issuer[key], value, "{key}");
    }

    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let app = App::register(&url).await;
    let back = led_to(&ann.allow(&app.query(&[])).await);
    assert!(back.as_str().starts_with(CALLBACK), "{back}");
    assert_eq!(parameter(&back, "state").as_deref(), Some("st&te"));
    assert_eq!(parameter(&back, "iss"), Some(url.clone()), "AUTH-6");
    let (status, tokens) = app.redeem(&parameter(&back, "code").unwrap(), &[]).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(600)));
    assert_eq!(tokens["scope"], "*");
    let who = server.client_with(access(&tokens)).output("whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["scopes"]), (&json!("account:ann"), &json!(["*"])));
    let operator = server.client_with(access(&tokens)).get("/api/operator/now").await;
    assert_eq!(operator.status(), StatusCode::FORBIDDEN, "no other scope holds it");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_signs_in_at_the_address_of_a_toolset() {
    let server = serve("[toolsets.small]\ninclude = ['whoami']\n").await;
    let url = server.url();
    let place = "/.well-known/oauth-protected-resource/mcp/small";
    let answer = server.client().post("/mcp/small", &[], "{}").await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    let metadata = format!("resource_metadata=\"{url}{place}\"");
    assert!(challenge(&answer).contains(&metadata), "OAUTH-2: {}", challenge(&answer));
    let metadata: Value = server.client().get(place).await.json().await.unwrap();
    let address = format!("{url}/mcp/small");
    assert_eq!(metadata["resource"], address, "clients compare it with what they were given");
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let app = App::register(&url).await;
    let code = app.code(&mut ann, &[("resource", &address)]).await;
    let (status, tokens) = app.redeem(&code, &[("resource", &address)]).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(whoami(&server, access(&tokens)).await.status(), StatusCode::OK);
    let other = format!("{url}/mcpx");
    refused(&app.refresh(refresh(&tokens), &[("resource", &other)]).await, "invalid_target");
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_not_served_until_configured() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for path in ["/.well-known/oauth-authorization-server", "/oauth/token", "/oauth/register"] {
        assert!(client.get(path).await.status().is_client_error(), "{path}");
        let posted = client.post(path, &[], "{}").await;
        assert!(posted.status().is_client_error(), "{path}: {posted:?}");
    }
    let operator = Operator::of(&server.folders.data());
    let (status, answer) = operator.send(Method::POST, "accounts/ann", "").await;
    assert_eq!((status, &answer["error"]), (StatusCode::CONFLICT, &json!("no_accounts")));
    assert!(answer["message"].as_str().unwrap().contains("[accounts]"), "{answer}");
    assert!(!server.databases().join(".accounts.db").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_grants_at_most_the_accounts_and_chosen_scopes() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let mut ben = Person::join(&server, "ben", &["component:echo", "tool:list_movies"]).await;
    let tokens = app.tokens(&mut ben, &[("scope", "* operator tool:greet")]).await;
    assert_eq!(tokens["scope"], "component:echo tool:list_movies tool:greet", "AUTH-8");
    let client = server.client_with(access(&tokens));
    let tools = client.tools().await;
    assert!(tools.contains(&"echo".to_owned()) && tools.contains(&"list_movies".to_owned()));
    assert!(!tools.contains(&"reserve_seats".to_owned()), "{tools:?}");
    // A tool of a component that the person does not have is asked for, and out of reach all the same.
    let more = app.tokens(&mut ben, &[("scope", "tool:reserve_seats tool:echo")]).await;
    assert_eq!(server.client_with(access(&more)).tools().await, ["echo"]);
    let none = ben.get(&format!("/oauth/authorize?{}", app.query(&[("scope", "operator")]))).await;
    assert_eq!(parameter(&led_to(&none), "error").as_deref(), Some("invalid_scope"));

    // Single scopes are taken away, and all of it can be made to only look.
    let mut ann = Person::join(&server, "ann", &["*", "operator"]).await;
    let query = app.query(&[("scope", "tool:echo tool:whoami operator")]);
    let page = ann.get(&format!("/oauth/authorize?{query}")).await.text().await.unwrap();
    assert_eq!(offered(&page), ["tool:echo", "tool:whoami", "operator"]);
    assert!(page.contains("Look after this server itself"), "{page}");
    let (request, tag) = (field(&page, "request"), field(&page, "tag"));
    let some = [
        ("request", &*request),
        ("tag", &*tag),
        ("decision", "allow"),
        ("scope", "tool:echo"),
        ("scope", "tool:list_movies"),
        ("narrow", "read-only"),
    ];
    let back = led_to(&ann.post("/oauth/authorize", &some).await);
    let (_, tokens) = app.redeem(&parameter(&back, "code").unwrap(), &[]).await;
    assert_eq!(tokens["scope"], "tool:echo read-only", "what was not asked for is not given");
    let empty = ann
        .post(
            "/oauth/authorize",
            &[("request", &request), ("tag", &tag), ("decision", "allow"), ("narrow", "read-only")],
        )
        .await;
    assert_eq!(empty.status(), StatusCode::BAD_REQUEST, "nothing chosen is nothing given");
    let denied = ann
        .post(
            "/oauth/authorize",
            &[("request", &request), ("tag", &tag), ("decision", "deny"), ("scope", "tool:echo")],
        )
        .await;
    let denied = led_to(&denied);
    assert_eq!(parameter(&denied, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&denied, "iss"), Some(server.url()));
    let usual = app.query(&[]);
    let page = ann.get(&format!("/oauth/authorize?{usual}")).await.text().await.unwrap();
    assert_eq!(offered(&page), ["*"], "the operator is never offered unasked");
    let operator = app.tokens(&mut ann, &[("scope", "operator")]).await;
    let now = server.client_with(access(&operator)).get("/api/operator/now").await;
    assert_eq!(now.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn client_cannot_turn_a_customer_into_staff() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let all = [
        ("customer", &["component:cinema"][..], true),
        ("boss", &["*"][..], false),
        ("door", &["component:cinema", "tool:check_in"][..], false),
    ];
    for (name, scopes, is_refused) in all {
        let mut person = Person::join(&server, name, scopes).await;
        let tokens = app.tokens(&mut person, &[("scope", "tool:check_in tool:list_movies")]).await;
        assert_eq!(tokens["scope"], "tool:check_in tool:list_movies", "{name}");
        let client = server.client_with(access(&tokens));
        let scanned = json!({ "code": "no ticket at all" });
        let answer = client.call("check_in", scanned).await.to_string();
        assert_eq!(answer.contains("staff_only"), is_refused, "AUTH-8: {name}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_scope_is_requested_in_addition_to_granted_ones() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[("scope", "tool:echo")]).await;
    let client = server.client_with(access(&tokens));
    let lacking =
        client.send("tools/call", json!({ "name": "list_movies", "arguments": {} })).await;
    assert_eq!(lacking.status(), StatusCode::FORBIDDEN);
    let header = challenge(&lacking);
    assert!(
        header.contains("insufficient_scope")
            && header.contains("scope=\"tool:echo tool:list_movies\""),
        "{header}"
    );
    let more = app.tokens(&mut ann, &[("scope", "tool:echo tool:list_movies")]).await;
    let client = server.client_with(access(&more));
    assert!(client.output("list_movies", json!({})).await["movies"].is_array());
    assert!(client.tools().await.contains(&"echo".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn narrowed_or_removed_scopes_apply_at_once() {
    let server = serve("").await;
    let (app, operator) =
        (App::register(&server.url()).await, Operator::of(&server.folders.data()));
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    let client = server.client_with(access(&tokens));
    let narrow = json!({ "scopes": ["tool:whoami"] }).to_string();
    let (status, _) = operator.send(Method::POST, "accounts/ann/scopes", narrow).await;
    assert_eq!((status, client.tools().await), (StatusCode::OK, vec!["whoami".to_owned()]));
    let (_, listed) = operator.send(Method::GET, "accounts", "").await;
    let account = &listed["accounts"][0];
    assert_eq!((&account["name"], &account["password"]), (&json!("ann"), &json!(true)));
    let device = &account["devices"][0];
    assert_eq!(device["client"], "Test <client>");
    assert!(device["last_used"].is_string(), "{listed}");
    let path = format!("accounts/ann/devices/{}", device["id"].as_str().unwrap());
    assert_eq!(operator.send(Method::DELETE, &path, "").await.0, StatusCode::OK);
    assert_eq!(operator.send(Method::DELETE, &path, "").await.0, StatusCode::NOT_FOUND);
    is_rejected(&server, access(&tokens), "the operator ended the device").await;
    refused(&app.refresh(refresh(&tokens), &[]).await, "invalid_grant");

    let again = app.tokens(&mut ann, &[]).await;
    let cookie = ann.cookie().to_owned();
    assert_eq!(operator.send(Method::DELETE, "accounts/ann", "").await.0, StatusCode::OK);
    is_rejected(&server, access(&again), "the account is gone").await;
    let mut other = Person::join(&server, "ann", &["*"]).await;
    let page = Person::new(&server.url()).with_cookie(&cookie).get("/account").await;
    assert!(page.text().await.unwrap().contains("name=\"password\""), "an old session is none");
    is_rejected(&server, access(&again), "another person of the name").await;
    assert!(app.tokens(&mut other, &[]).await["access_token"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_ends_when_its_account_has_other_scopes() {
    let server = serve("").await;
    let (app, operator) =
        (App::register(&server.url()).await, Operator::of(&server.folders.data()));
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    let client = server.client_with(access(&tokens));
    let wanted = || json!({ "toolsListChanged": true });
    let (mut listener, _): (Listener, Value) = client.listen_for(wanted()).await;
    let narrow = json!({ "scopes": ["component:echo"] }).to_string();
    let (status, _) = operator.send(Method::POST, "accounts/ann/scopes", narrow).await;
    assert_eq!(status, StatusCode::OK);
    let ended = listener.next(Duration::from_secs(1_000));
    let ended = tokio::time::timeout(tests::PATIENCE, ended).await;
    assert_eq!(ended, Ok(None), "AUTH-8: it listened as who had more");
    // The token stays valid, also for new streams.
    let (mut listener, _): (Listener, Value) = client.listen_for(wanted()).await;
    let quiet = listener.next(Duration::from_millis(200)).await;
    assert_eq!(quiet, None);
    assert_eq!(whoami(&server, access(&tokens)).await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_ends_when_its_token_is_revoked() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    let client = server.client_with(access(&tokens));
    let (mut listener, _): (Listener, Value) =
        client.listen_for(json!({ "toolsListChanged": true })).await;
    let fields = [("token", refresh(&tokens)), ("client_id", &*app.id)];
    let (status, _) = app.post("/oauth/revoke", &fields).await;
    assert_eq!(status, StatusCode::OK);
    let ended = listener.next(Duration::from_secs(1_000));
    let ended = tokio::time::timeout(tests::PATIENCE, ended).await;
    assert_eq!(ended, Ok(None), "AUTH-7: it ends, long before its token would");
    is_rejected(&server, access(&tokens), "revoked").await;
    assert_eq!(app.post("/oauth/revoke", &fields).await.0, StatusCode::OK, "once more is as good");
}

#[tokio::test(flavor = "multi_thread")]
async fn person_lists_devices_and_revokes_one() {
    let server = serve("").await;
    let app = App::register(&server.url()).await;
    let (mut ann, mut ben) =
        (Person::join(&server, "ann", &["*"]).await, Person::join(&server, "ben", &["*"]).await);
    let (one, two) = (app.tokens(&mut ann, &[]).await, app.tokens(&mut ann, &[]).await);
    let page = ann.get("/account").await.text().await.unwrap();
    assert!(page.contains("Test &lt;client&gt;") && !page.contains("Test <client>"), "{page}");
    let (tag, device) = (field(&page, "tag"), field(&page, "device"));
    let others = ben.get("/account").await.text().await.unwrap();
    assert!(!others.contains(&device));
    let fields = [("tag", &*field(&others, "tag")), ("device", &*device)];
    ben.post("/account/devices/end", &fields).await;
    for tokens in [&one, &two] {
        assert_eq!(whoami(&server, access(tokens)).await.status(), StatusCode::OK, "it is Ann's");
    }
    let ended = ann.post("/account/devices/end", &[("tag", &tag), ("device", &device)]).await;
    assert_eq!(ended.status(), StatusCode::SEE_OTHER);
    let left = [whoami(&server, access(&one)).await, whoami(&server, access(&two)).await];
    assert_eq!(left.iter().filter(|it| it.status() == StatusCode::OK).count(), 1);
    // Signed out, the cookie is worth nothing.
    let cookie = ann.cookie().to_owned();
    ann.post("/account/sign-out", &[("tag", &tag)]).await;
    let page = ann.with_cookie(&cookie).get("/account").await.text().await.unwrap();
    assert!(page.contains("name=\"password\""), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn link_works_once_and_viewing_does_not_use_it() {
    let server = serve("").await;
    let operator = Operator::of(&server.folders.data());
    let (_, answer) = operator.send(Method::POST, "accounts/ann", "").await;
    let link = link_of(&answer);
    let mut ann = Person::new(&server.url());
    for _ in 0..3 {
        assert_eq!(ann.get(&link).await.status(), StatusCode::OK);
    }
    for (password, again) in [("short", "short"), (PASSWORD, "another one, long"), ("", "")] {
        let answer = ann.post(&link, &[("password", password), ("again", again)]).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{password}");
    }
    let (mut one, mut two) = (ann.clone(), ann.clone());
    let (first, second) =
        tokio::join!(one.choose(&link, PASSWORD), two.choose(&link, "another one, long"));
    let mut statuses = [first.status().as_u16(), second.status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 410], "AUTH-2");
    assert_eq!(ann.get(&link).await.status(), StatusCode::GONE);
    assert_eq!(ann.choose(&link, PASSWORD).await.status(), StatusCode::GONE);
    let (status, answer) = operator.send(Method::POST, "accounts/ANN", "").await;
    assert_eq!((status, &answer["error"]), (StatusCode::CONFLICT, &json!("exists")));
    // A new link invalidates the previous one and ends sessions.
    let before = link_of(&operator.send(Method::POST, "accounts/ann/link", "").await.1);
    let after = link_of(&operator.send(Method::POST, "accounts/ann/link", "").await.1);
    assert_eq!(ann.choose(&before, PASSWORD).await.status(), StatusCode::GONE);
    assert_eq!(ann.choose(&after, "another password").await.status(), StatusCode::SEE_OTHER);
    let mut other = Person::new(&server.url());
    assert_eq!(other.sign_in("ann", PASSWORD).await.status(), StatusCode::FORBIDDEN);
    assert_eq!(other.sign_in("Ann", "another password").await.status(), StatusCode::SEE_OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn reset_link_revokes_previous_credentials() {
    let server = serve("").await;
    let operator = Operator::of(&server.folders.data());
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let app = App::register(&server.url()).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    let kept = link_of(&operator.send(Method::POST, "accounts/ann/link", "").await.1);
    let page = ann.get(&kept).await.text().await.unwrap();
    assert!(!page.contains("takes back"), "{page}");
    let wrong = json!({ "afresh": true }).to_string();
    let (status, _) = operator.send(Method::POST, "accounts/ann/link", wrong).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let anew = json!({ "anew": true }).to_string();
    let (_, answer) = operator.send(Method::POST, "accounts/ann/link", anew).await;
    let link = link_of(&answer);
    let page = ann.get(&link).await.text().await.unwrap();
    assert!(page.contains("takes back all passkeys, the password"), "AUTH-2: {page}");
    // Until it is used, nothing has changed.
    assert_eq!(whoami(&server, access(&tokens)).await.status(), StatusCode::OK);
    assert_eq!(
        Person::new(&server.url()).sign_in("ann", PASSWORD).await.status(),
        StatusCode::SEE_OTHER
    );
    let chosen = Person::new(&server.url()).choose(&link, "another password").await;
    assert_eq!(chosen.status(), StatusCode::SEE_OTHER, "{chosen:?}");
    is_rejected(&server, access(&tokens), "what was let in before").await;
    refused(&app.refresh(refresh(&tokens), &[]).await, "invalid_grant");
    let mut other = Person::new(&server.url());
    assert_eq!(other.sign_in("ann", PASSWORD).await.status(), StatusCode::FORBIDDEN);
    assert_eq!(other.sign_in("ann", "another password").await.status(), StatusCode::SEE_OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_tokens_outlive_a_restart() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    // The address stays the same, as it does where people reach it.
    let mut config = folders.config_with("[accounts]\nenabled = true\n");
    config.addr = tests::free_addr();
    let mut server = TestServer::start(folders, |it| *it = config).await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    let code = app.code(&mut ann, &[]).await;
    let before = app.code(&mut ann, &[]).await;
    let code_tokens = app.redeem(&before, &[]).await.1;
    server.restart().await;
    assert_eq!(whoami(&server, access(&tokens)).await.status(), StatusCode::OK);
    assert_eq!(app.redeem(&code, &[]).await.0, StatusCode::OK, "a code that was under way");
    refused(&app.redeem(&before, &[]).await, "invalid_grant");
    is_rejected(&server, access(&code_tokens), "what came of a code that was replayed").await;
    let next = app.refresh(refresh(&tokens), &[]).await.1;
    server.restart().await;
    assert_eq!(whoami(&server, access(&next)).await.status(), StatusCode::OK);
    refused(&app.refresh(refresh(&tokens), &[]).await, "invalid_grant");
    is_rejected(&server, access(&next), "a refresh token that was used twice, across a restart")
        .await;
    assert!(ann.get("/account").await.text().await.unwrap().contains("name=\"tag\""), "signed in");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_accounts_is_kept_logged_or_audited() {
    let server = serve("").await;
    let operator = Operator::of(&server.folders.data());
    let (_, answer) = operator.send(Method::POST, "accounts/ann", "").await;
    let (link, mut ann) = (link_of(&answer), Person::new(&server.url()));
    ann.choose(&link, PASSWORD).await;
    let app = App::register(&server.url()).await;
    let code = app.code(&mut ann, &[]).await;
    let tokens = app.redeem(&code, &[]).await.1;
    whoami(&server, access(&tokens)).await;
    Person::new(&server.url()).sign_in("a password in the wrong place", "another one").await;
    let audit = server.server().calls.watch.audit.tail(1_000);
    let audit = serde_json::to_string(&audit).unwrap();
    for line in [
        "accounts/create",
        "accounts/use-link",
        "accounts/register-client",
        "accounts/consent",
        "accounts/redeem-code",
        "accounts/sign-in",
    ] {
        assert!(audit.contains(line), "AUTH-12: {line}: {audit}");
    }
    let (link, session) =
        (link.rsplit('/').next().unwrap(), ann.cookie().split_once('=').unwrap().1);
    let secrets = [
        link,
        session,
        &*code,
        access(&tokens),
        refresh(&tokens),
        PASSWORD,
        "a password in the wrong place",
    ];
    let log = tests::log::kept();
    for secret in secrets {
        assert!(!audit.contains(secret) && !log.contains(secret), "{secret}");
        for (path, bytes) in server.folders.kept() {
            let is_in = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
            assert!(!is_in, "{secret} is in {}", path.display());
        }
    }
    if server.folders.store().is_none() {
        let mode = fs::metadata(server.databases().join(".accounts.db")).unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o077, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_access_token_expires_and_is_renewed() {
    let server = serve("access_token_s = 1\n").await;
    let app = App::register(&server.url()).await;
    let mut ann = Person::join(&server, "ann", &["*"]).await;
    let tokens = app.tokens(&mut ann, &[]).await;
    assert_eq!(tokens["expires_in"], 1);
    let until_out = async {
        while whoami(&server, access(&tokens)).await.status() != StatusCode::UNAUTHORIZED {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, until_out).await.expect("it expires");
    let answer = whoami(&server, access(&tokens)).await;
    assert!(challenge(&answer).contains("expired"), "{}", challenge(&answer));
    let (status, next) = app.refresh(refresh(&tokens), &[("scope", "*")]).await;
    assert_eq!(status, StatusCode::OK, "{next}");
    assert_ne!(refresh(&next), refresh(&tokens), "it is another one each time");
    assert_eq!(CHALLENGE.len(), 43);
}
