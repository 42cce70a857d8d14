//! Tokens of identity providers (OAUTH-1 to OAUTH-8): validation, scopes, hints for clients without one,
//! attacks.

use std::{
    fs,
    time::{Duration, Instant},
};

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, Listener},
    component_bytes,
    fake_identity::{FakeIdentity, Fault, SigningKey, now_s},
    process::{Process, bare_command, command, output},
    server::{Folders, TestServer},
};

use super::{ANN, challenge, entry, on_each_surface};

/// Scopes of tokens: `all` for everything, `echo` for one tool, `films` for a component.
const SCOPES: &str = "[oauth.scopes]\nall = ['*']\necho = ['tool:echo', 'tool:whoami']\nfilms = ['component:cinema']\n";

/// A server of echo and cinema that accepts tokens of `fake`.
async fn serve(fake: &FakeIdentity, more: &str, lines: &str) -> TestServer {
    serve_lines(&format!("{lines}\n{}", fake.lines(&format!("{more}\n{SCOPES}")))).await
}

async fn serve_lines(lines: &str) -> TestServer {
    let folders = Folders::new();
    for name in ["echo", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// The audience of tokens.
fn audience(server: &TestServer) -> String {
    format!("{}/mcp", server.url())
}

/// A client whose token has these additional claims.
fn client(server: &TestServer, fake: &FakeIdentity, more: Value) -> Client {
    server.client_with(&fake.token(&audience(server), &more))
}

fn all() -> Value {
    json!({ "scope": "openid all" })
}

async fn whoami(client: &Client) -> Response {
    client.send("tools/call", json!({ "name": "whoami", "arguments": {} })).await
}

/// Checks that a token is refused with this reason.
async fn refused(client: &Client, reason: &str) {
    let answer = whoami(client).await;
    let status = answer.status();
    let asks = challenge(&answer).to_owned();
    assert_eq!(status, StatusCode::UNAUTHORIZED, "{reason}: {asks}");
    assert!(asks.contains("error=\"invalid_token\"") && asks.contains(reason), "{reason}: {asks}");
    let body: Value = answer.json().await.unwrap();
    assert!(body["error"]["message"].as_str().unwrap().contains(reason), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lets_in_on_every_surface_and_names_the_person() {
    let fake = FakeIdentity::start().await;
    let own = entry("ann", ANN, "'tool:whoami'");
    let server = serve(&fake, "", "").await;
    for (surface, answer) in on_each_surface(&client(&server, &fake, all())).await {
        assert!(answer.status().is_success(), "{surface}: {answer:?}");
    }
    let token = fake.token(&audience(&server), &all());
    let who = server.client_with(&token).output("whoami", json!({})).await;
    assert_eq!(who["principal"], format!("{}#ann", fake.issuer()));
    assert_eq!(who["scopes"], json!(["*"]));
    // The scheme before a token is written in any case.
    let mixed = server.client().http(Method::GET, "/api/health");
    let mixed = mixed.header("authorization", format!("bEARER {token}")).send().await.unwrap();
    let health: Value = mixed.json().await.unwrap();
    assert!(health["components"]["echo"].is_object(), "{health}");
    assert_eq!(fake.key_requests(), 1, "keys are kept");
    drop(server);

    let server = serve(&fake, "", "").await;
    assert!(whoami(&server.client_with(ANN)).await.status() == StatusCode::UNAUTHORIZED);
    let server = serve_lines(&format!("{}\n{own}", fake.lines(SCOPES))).await;
    let ours = server.client_with(ANN).output("whoami", json!({})).await;
    assert_eq!(ours["principal"], "ann", "tokens of the configuration go on beside");
    let theirs = client(&server, &fake, all()).output("whoami", json!({})).await;
    assert_ne!(theirs["principal"], ours["principal"], "of the same name and another person");
    assert_eq!(whoami(&server.client()).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusal_names_the_authorization_server() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "resource_name = '窓口'", "").await;
    let stranger = server.client();
    let metadata_url = format!("{}/.well-known/oauth-protected-resource/mcp", server.url());
    for path in ["", "/", "/mcp", "/mcp/"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let request = stranger.http(Method::GET, &path).header("origin", "https://page.example");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["content-type"], "application/json");
        assert_eq!(answer.headers()["access-control-allow-origin"], "*");
        assert!(answer.headers()["cache-control"].to_str().unwrap().contains("max-age"));
        let metadata: Value = answer.json().await.unwrap();
        let expected = json!({
            "resource": audience(&server), "authorization_servers": [fake.issuer()],
            "bearer_methods_supported": ["header"], "resource_name": "窓口",
            "scopes_supported": ["all", "echo", "films"],
        });
        assert_eq!(metadata, expected, "OAUTH-2");
    }
    let preflight = stranger
        .http(Method::OPTIONS, "/.well-known/oauth-protected-resource/mcp")
        .header("origin", "https://page.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "mcp-protocol-version");
    let preflight = preflight.send().await.unwrap();
    assert_eq!(preflight.status(), StatusCode::NO_CONTENT);
    assert_eq!(preflight.headers()["access-control-allow-headers"], "mcp-protocol-version");
    let post = stranger.post("/.well-known/oauth-protected-resource", &[], "{}").await;
    assert_eq!(post.status(), StatusCode::METHOD_NOT_ALLOWED);
    let elsewhere = stranger.http(Method::GET, "/.well-known/oauth-protected-resource");
    let elsewhere = elsewhere.header("host", "evil.example").send().await.unwrap();
    assert_eq!(elsewhere.status(), StatusCode::FORBIDDEN, "a foreign name is told nothing");
    for path in
        ["/.well-known/oauth-protected-resource/other", "/.well-known/oauth-authorization-server"]
    {
        let answer = stranger.get(path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(answer.json::<Value>().await.is_ok(), "{path}");
    }
    for (surface, answer) in on_each_surface(&stranger).await {
        if surface != "health" {
            assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{surface}");
            let expected = format!(
                "Bearer realm=\"madoguchi\", resource_metadata=\"{metadata_url}\", scope=\"all echo films\""
            );
            assert_eq!(challenge(&answer), expected, "OAUTH-3: {surface}");
        }
    }
    let none = TestServer::with(&["echo"]).await;
    for path in ["", "/mcp"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        assert_eq!(none.client().get(&path).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_missing_scope_as_provider_and_accepts_once_granted() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "", "").await;
    let ann = client(&server, &fake, json!({ "scope": "echo" }));
    assert_eq!(ann.tools().await, ["echo", "whoami"]);
    let list = json!({ "name": "list_movies", "arguments": {} });
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", server.url());
    let expected = format!(
        "Bearer realm=\"madoguchi\", error=\"insufficient_scope\", resource_metadata=\"{metadata}\", scope=\"films\""
    );
    let lacking = ann.send("tools/call", list.clone()).await;
    assert_eq!((lacking.status(), challenge(&lacking)), (StatusCode::FORBIDDEN, &*expected));
    let session = LegacySession::begin(&ann).await.expect("it opens");
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": list });
    let legacy = session.post(call).await;
    assert_eq!((legacy.status(), challenge(&legacy)), (StatusCode::FORBIDDEN, &*expected));
    let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": "list_movies", "params": {} });
    let rpc = ann.post("/rpc", &[], rpc.to_string()).await;
    assert_eq!((rpc.status(), challenge(&rpc)), (StatusCode::FORBIDDEN, &*expected));

    let more = client(&server, &fake, json!({ "scope": "echo films" }));
    assert!(more.output("list_movies", json!({})).await["movies"].is_array(), "OAUTH-4");
    // Scopes that no provider grants are not requested: a client would ask for ever.
    let none = client(&server, &fake, json!({ "scope": "* operator component:cinema" }));
    assert_eq!(none.tools().await, Vec::<String>::new(), "nothing maps that is not configured");
    let operator = none.get("/api/operator/now").await;
    let expected = format!(
        "Bearer realm=\"madoguchi\", error=\"insufficient_scope\", resource_metadata=\"{metadata}\""
    );
    assert_eq!((operator.status(), challenge(&operator)), (StatusCode::FORBIDDEN, &*expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_and_scopes_grant_what_is_configured() {
    let fake = FakeIdentity::start().await;
    let more = "own_scopes = true\ndefault_scopes = ['tool:whoami']\n[oauth.claims.\"realm_access.roles\"]\nkeeper = ['operator']\n";
    let server = serve(&fake, more, "").await;
    let plain = client(&server, &fake, json!({}));
    assert_eq!(plain.tools().await, ["whoami"]);
    let own = client(&server, &fake, json!({ "scope": "tool:echo nonsense" }));
    assert_eq!(own.tools().await, ["echo", "whoami"]);
    assert_eq!(own.get("/api/operator/now").await.status(), StatusCode::FORBIDDEN);
    let all = client(&server, &fake, all());
    assert_eq!(all.get("/api/operator/now").await.status(), StatusCode::FORBIDDEN, "OAUTH-5");
    let operator = client(&server, &fake, json!({ "realm_access": { "roles": ["x", "keeper"] } }));
    assert_eq!(operator.get("/api/operator/now").await.status(), StatusCode::OK);
    assert_eq!(operator.tools().await, ["whoami"], "it is no leave to call tools");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_token_for_other_server_or_outside_its_validity() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "clock_skew_s = 300", "").await;
    let now = now_s();
    for (claims, reason) in [
        (json!({ "aud": "https://other.example/mcp" }), "another audience"),
        (json!({ "aud": [] }), "another audience"),
        (json!({ "aud": server.url() }), "another audience"),
        (json!({ "aud": null }), "which audience"),
        (json!({ "exp": now - 330 }), "expired"),
        (json!({ "exp": null }), "when it expires"),
        (json!({ "exp": "soon" }), "when it expires"),
        // Long enough for a slow machine to come here.
        (json!({ "nbf": now + 600 }), "not valid yet"),
        (json!({ "iss": "https://id.example" }), "another issuer"),
        (json!({ "iss": null }), "another issuer"),
        (json!({ "iss": [fake.issuer()] }), "not one of this server"),
        (json!({ "sub": null }), "whose it is"),
        (json!({ "sub": "" }), "whose it is"),
        (json!({ "sub": "ann\n{\"principal\":\"ben\"}" }), "whose it is"),
        (json!({ "sub": "a".repeat(256) }), "whose it is"),
        (json!({ "at_hash": "x" }), "another type"),
        (json!({ "typ": "ID" }), "another type"),
        (json!({ "cnf": { "jkt": "x" } }), "bound to a key"),
    ] {
        refused(&client(&server, &fake, claims), reason).await;
    }
    for claims in [
        json!({ "aud": ["https://other.example", audience(&server)] }),
        json!({ "exp": now - 30 }),
        json!({ "nbf": now + 30 }),
        json!({ "nonce": "x", "typ": "Bearer" }),
    ] {
        let answer = whoami(&client(&server, &fake, claims.clone())).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{claims}: known, without a scope");
    }
    refused(&server.client_with(&"a".repeat(20_000)), "too long").await;
    assert_eq!(fake.key_requests(), 1, "none of them has the keys fetched again");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_token_not_signed_as_configured() {
    let fake = FakeIdentity::start().await;
    let (rsa, ec) = (SigningKey::rsa(0, Some("one")), SigningKey::ec(Some("two")));
    fake.rotate(&[rsa.clone(), ec.clone()]);
    let server = serve(&fake, "", "").await;
    let claims = fake.claims(&audience(&server), &all());
    let with = |key: &SigningKey, change: Value| {
        let mut header = key.header();
        header.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        server.client_with(&key.signed(&header, &claims))
    };
    for (change, reason) in [
        (json!({ "alg": "none" }), "algorithm that is not allowed"),
        (json!({ "alg": "HS256" }), "algorithm that is not allowed"),
        (json!({ "alg": "PS256" }), "algorithm that is not allowed"),
        (json!({ "alg": "rs256" }), "algorithm that is not allowed"),
        (json!({ "crit": ["b64"], "b64": false }), "asks for what"),
        (json!({ "crit": [] }), "asks for what"),
        (json!({ "typ": "logout+jwt" }), "another type"),
    ] {
        refused(&with(&rsa, change), reason).await;
    }
    // One key's name, and another key or its algorithm.
    let foreign = SigningKey::rsa(1, Some("one"));
    refused(&server.client_with(&foreign.signed(&foreign.header(), &claims)), "signature").await;
    let swapped = json!({ "kid": "two" });
    refused(&with(&rsa, swapped), "not signed with a key").await;
    let embedded = json!({ "jku": format!("{}/keys", fake.issuer()) });
    assert_eq!(whoami(&with(&rsa, embedded)).await.status(), StatusCode::OK, "it is not looked at");
    assert_eq!(whoami(&with(&ec, json!({}))).await.status(), StatusCode::OK);
    for typ in ["JWT", "at+jwt", "application/at+jwt"] {
        assert_eq!(whoami(&with(&rsa, json!({ "typ": typ }))).await.status(), StatusCode::OK);
    }
    // A signature of other claims.
    let (right, wrong) =
        (rsa.signed(&rsa.header(), &claims), rsa.signed(&rsa.header(), &json!({})));
    let cut = right.rsplit_once('.').unwrap().0;
    let moved = format!("{cut}.{}", wrong.rsplit_once('.').unwrap().1);
    refused(&server.client_with(&moved), "signature").await;
    refused(&server.client_with(&format!("{cut}.")), "signature").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_token_of_another_provider() {
    let (one, other) = (FakeIdentity::start().await, FakeIdentity::start().await);
    let key = SigningKey::rsa(1, Some("one"));
    other.rotate(std::slice::from_ref(&key));
    let table =
        |fake: &FakeIdentity| format!("{}{SCOPES}", fake.lines("")).replace("[oauth]", "[[oauth]]");
    let server = serve_lines(&format!("{}{}", table(&one), table(&other))).await;
    let (ann, twin) = (client(&server, &one, all()), client(&server, &other, all()));
    let (ann, twin) =
        (ann.output("whoami", json!({})).await, twin.output("whoami", json!({})).await);
    assert_ne!(ann["principal"], twin["principal"], "OAUTH-6: of the same subject");
    let claims = one.claims(&audience(&server), &all());
    refused(&server.client_with(&key.signed(&key.header(), &claims)), "signature").await;
}

/// How often a provider may have been asked again since then, at most every 5 s: a slow machine takes longer.
fn pauses(since: Instant) -> usize {
    usize::try_from(since.elapsed().as_secs() / 5).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_rotated_keys_and_requests_unknown_ones_once() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "", "").await;
    assert_eq!(whoami(&client(&server, &fake, all())).await.status(), StatusCode::OK);
    let old = fake.token(&audience(&server), &all());
    for key in [SigningKey::rsa(1, Some("two")), SigningKey::ec(Some("three"))] {
        fake.rotate(&[key]);
        let rotated = client(&server, &fake, all());
        assert_eq!(whoami(&rotated).await.status(), StatusCode::OK, "OAUTH-7");
    }
    assert_eq!(fake.key_requests(), 3);
    // A flood of keys that are not published: at once, and one after another.
    let claims = fake.claims(&audience(&server), &all());
    let began = Instant::now();
    let flood = (0..40).map(|at| {
        let unknown = SigningKey::ec(Some(&format!("unknown-{at}")));
        let client = server.client_with(&unknown.signed(&unknown.header(), &claims));
        async move { whoami(&client).await.status() }
    });
    let statuses = futures::future::join_all(flood).await;
    assert!(statuses.iter().all(|it| *it == StatusCode::UNAUTHORIZED), "{statuses:?}");
    let most = 4 + pauses(began);
    assert!((4..=most).contains(&fake.key_requests()), "the provider is asked once");
    refused(&server.client_with(&old), "not signed with a key").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_without_id_is_used_if_it_is_the_only_one() {
    let fake = FakeIdentity::start().await;
    fake.rotate(&[SigningKey::rsa(0, None)]);
    let server = serve(&fake, "", "").await;
    assert_eq!(whoami(&client(&server, &fake, all())).await.status(), StatusCode::OK);
    fake.rotate(&[SigningKey::rsa(1, None)]);
    assert_eq!(whoami(&client(&server, &fake, all())).await.status(), StatusCode::OK, "rotated");
    let asked = fake.key_requests();
    let stranger = SigningKey::rsa(0, None);
    let claims = fake.claims(&audience(&server), &all());
    let forged = server.client_with(&stranger.signed(&stranger.header(), &claims));
    let began = Instant::now();
    for _ in 0..10 {
        refused(&forged, "not signed with a key").await;
    }
    let most = asked + 1 + pauses(began);
    assert!(fake.key_requests() <= most, "it is asked once and not for each forged token");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_failing_provider_with_a_retry_time() {
    for fault in [Fault::Down, Fault::Silent, Fault::Lying, Fault::Oversized, Fault::Redirecting] {
        let fake = FakeIdentity::start().await;
        fake.fail(fault);
        let own = entry("ann", ANN, "'*'");
        let server = serve_lines(&format!("{}{own}", fake.lines(SCOPES))).await;
        let ann = client(&server, &fake, all());
        let answer = whoami(&ann).await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE, "{fault:?}");
        assert!(answer.headers().contains_key("retry-after"), "{fault:?}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["data"]["error"], "unavailable", "{body}");
        assert_eq!(fake.received("/realms/test/inward"), 0, "no redirect is followed");
        // Others are not held up by it.
        assert_eq!(whoami(&server.client_with(ANN)).await.status(), StatusCode::OK);
        if fault == Fault::Down {
            fake.fail(Fault::None);
            let back = async {
                while whoami(&ann).await.status() != StatusCode::OK {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            };
            tokio::time::timeout(tests::PATIENCE, back).await.expect("it comes back");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_keys_serve_while_the_provider_is_unreachable() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "", "").await;
    assert_eq!(whoami(&client(&server, &fake, all())).await.status(), StatusCode::OK);
    for fault in [Fault::Down, Fault::Lying] {
        fake.fail(fault);
        let unknown = SigningKey::ec(Some("unknown"));
        let claims = fake.claims(&audience(&server), &all());
        let unknown = server.client_with(&unknown.signed(&unknown.header(), &claims));
        refused(&unknown, "not signed with a key").await;
        let next = client(&server, &fake, json!({ "scope": "all", "jti": format!("{fault:?}") }));
        assert_eq!(whoami(&next).await.status(), StatusCode::OK, "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn opaque_tokens_are_valid_as_introspection_states() {
    let fake = FakeIdentity::start().await;
    let more = format!("{}introspection_cache_s = 0\n", fake.introspection());
    let server = serve(&fake, &more, "").await;
    let claims = |more: Value| fake.claims(&audience(&server), &more);
    fake.knows("opaque-ann", claims(all()));
    let ann = server.client_with("opaque-ann");
    for (surface, answer) in on_each_surface(&ann).await {
        assert!(answer.status().is_success(), "{surface}: {answer:?}");
    }
    assert_eq!(
        ann.output("whoami", json!({})).await["principal"],
        format!("{}#ann", fake.issuer())
    );
    fake.revoke("opaque-ann");
    refused(&ann, "not, or no longer").await;
    for (at, (wrong, reason)) in [
        (json!({ "aud": "https://other.example" }), "another audience"),
        (json!({ "aud": null }), "which audience"),
        (json!({ "iss": "https://id.example" }), "another issuer"),
        (json!({ "exp": now_s() - 90 }), "expired"),
        (json!({ "nbf": now_s() + 600 }), "not valid yet"),
        (json!({ "sub": null }), "whose it is"),
    ]
    .into_iter()
    .enumerate()
    {
        let token = format!("opaque-{at}");
        fake.knows(&token, claims(wrong));
        refused(&server.client_with(&token), reason).await;
    }
    let before = fake.received("/realms/test/introspect");
    let nobodys = server.client_with("opaque-of-nobody");
    let began = Instant::now();
    for _ in 0..10 {
        refused(&nobodys, "not, or no longer").await;
    }
    // A refusal holds for 10 s, and a slow machine takes longer.
    let (asked, most) = (fake.received("/realms/test/introspect"), before + 1 + pauses(began));
    assert!((before + 1..=most).contains(&asked), "OAUTH-8: it is asked once");
    refused(&server.client_with("mdg_taken-out"), "not one of this server").await;
    assert_eq!(fake.received("/realms/test/introspect"), asked, "ours are shown to no one else");
    fake.fail(Fault::Down);
    let answer = whoami(&server.client_with("opaque-new")).await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers().contains_key("retry-after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_revoked_signed_token_where_introspection_is_on() {
    let fake = FakeIdentity::start().await;
    let more =
        format!("{}introspection_cache_s = 0\nintrospect_jwts = true\n", fake.introspection());
    let server = serve(&fake, &more, "").await;
    let token = fake.token(&audience(&server), &all());
    fake.knows(&token, fake.claims(&audience(&server), &all()));
    let ann = server.client_with(&token);
    assert_eq!(whoami(&ann).await.status(), StatusCode::OK);
    fake.revoke(&token);
    refused(&ann, "not, or no longer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_repeated_header_and_token_in_the_address() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "", "").await;
    let token = fake.token(&audience(&server), &all());
    for path in ["/mcp", "/rpc", "/api/health", "/api/operator/now"] {
        let path = format!("{path}?a=b&access_token={token}");
        for client in [server.client(), server.client_with(&token)] {
            let answer = client.http(Method::POST, &path).body("{}").send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{path}");
            assert!(challenge(&answer).contains("error=\"invalid_request\""), "{answer:?}");
            assert!(!answer.text().await.unwrap().contains(&token), "it is not said back");
        }
    }
    let twice = server.client_with(&token).http(Method::GET, "/api/health");
    let twice = twice.header("authorization", format!("Bearer {token}")).send().await.unwrap();
    assert_eq!(twice.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_token() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "clock_skew_s = 0", "").await;
    // Where a slow machine lets it expire before the stream begins, it lasts longer the next time.
    let mut lasts_s = 5;
    let mut listener = loop {
        let soon = json!({ "scope": "all", "exp": now_s() + lasts_s });
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        let stream = client(&server, &fake, soon).send("subscriptions/listen", wanted).await;
        if stream.status() == StatusCode::OK {
            break Listener::of(stream);
        }
        assert_eq!(stream.status(), StatusCode::UNAUTHORIZED);
        lasts_s *= 2;
        assert!(lasts_s < 170, "it expires before it ends a stream in time");
    };
    let first = listener.next(tests::PATIENCE).await.expect("it begins");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    let rest = listener.next(Duration::from_secs(600));
    let rest = tokio::time::timeout(tests::PATIENCE, rest).await;
    assert_eq!(rest.expect("it ends"), None);
    let after = json!({ "scope": "all", "exp": now_s() - 1 });
    refused(&client(&server, &fake, after), "expired").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_survives_token_renewal_and_stays_its_owners() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "", "").await;
    let with = |more: Value| client(&server, &fake, more);
    let session = LegacySession::begin(&with(all())).await.expect("it opens");
    let list = || json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {} });
    let renewed = with(json!({ "scope": "all", "jti": "renewed" }));
    assert_eq!(session.stolen_by(&renewed).post(list()).await.status(), StatusCode::OK);
    let ben = with(json!({ "scope": "all", "sub": "ben" }));
    assert_eq!(session.stolen_by(&ben).post(list()).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn claim_selects_the_toolset() {
    let fake = FakeIdentity::start().await;
    let provider = fake.lines(&format!("toolset_claim = 'for.tools'\n{SCOPES}"));
    let server =
        serve_lines(&format!("{provider}[toolsets.small]\ninclude = ['whoami', 'echo']\n")).await;
    let with = |tools: Value| json!({ "scope": "all", "for": { "tools": tools } });
    let small = client(&server, &fake, with(json!("small")));
    let (_, listed) = small.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 2, "{listed}");
    let outside = json!({ "name": "list_movies", "arguments": {} });
    let (_, outside) = small.request("tools/call", outside).await;
    assert!(outside.to_string().contains("list_movies"), "{outside}");
    assert!(outside["result"].get("structuredContent").is_none(), "{outside}");
    let free = client(&server, &fake, all());
    let (_, listed) = free.request("tools/list", json!({})).await;
    assert!(listed["result"]["tools"].as_array().unwrap().len() > 2, "no claim, no limit");
    for other in [json!("other"), json!(7), json!(["small"])] {
        refused(&client(&server, &fake, with(other)), "a toolset that is not here").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn person_has_one_rate_for_all_their_tokens() {
    let fake = FakeIdentity::start().await;
    let rate = "[rate]\nrequests_per_s = 1\nburst = 5\n";
    let server = serve_lines(&format!("{}{rate}", fake.lines(SCOPES))).await;
    // At once: one after another, a slow machine asks no faster than it may.
    let asks = (0..60).map(|at| {
        let token = json!({ "scope": "all", "jti": at.to_string() });
        let client = client(&server, &fake, token);
        async move { whoami(&client).await.status() }
    });
    let statuses = futures::future::join_all(asks).await;
    assert!(statuses.contains(&StatusCode::OK), "{statuses:?}");
    assert!(statuses.contains(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn large_body_is_read_only_after_authentication() {
    let fake = FakeIdentity::start().await;
    let server = serve(&fake, "", "").await;
    // The first request of all: the keys are still to come.
    let value = "a".repeat(100 << 10);
    let call = json!({ "name": "echo", "arguments": { "value": { "a": value } } });
    let answer = client(&server, &fake, all()).send("tools/call", call.clone()).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let wrong = client(&server, &fake, json!({ "aud": "https://other.example" }));
    assert_eq!(wrong.send("tools/call", call).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_token_and_secret_appear_nowhere() {
    let fake = FakeIdentity::start().await;
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.data().with_file_name("madoguchi.toml");
    let more = format!("audience = 'urn:tests'\n{}{SCOPES}", fake.introspection());
    fs::write(&config, format!("bundled = false\n{}", fake.lines(&more))).unwrap();
    let log = config.with_file_name("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.arg("--config").arg(&config).env("MADOGUCHI_LOG", "trace");
    let mut process = Process::logging(command, fs::File::create(&log).unwrap());
    let signed = fake.token("urn:tests", &all());
    let wrong = fake.token("urn:other", &all());
    fake.knows("opaque-s3cr3t", fake.claims("urn:tests", &all()));
    let mut text = String::new();
    for token in [&*signed, &*wrong, "opaque-s3cr3t", "opaque-unkn0wn"] {
        let client = Client::new(&process.url).with_token(token);
        let answer = whoami(&client).await;
        text += &format!("{:?}{}", answer.headers().clone(), answer.text().await.unwrap());
        text += &client.get("/api/health").await.text().await.unwrap();
    }
    process.signal();
    process.wait();
    let log = fs::read_to_string(log).unwrap();
    assert!(text.contains("#ann") && log.len() > 1_000, "there was something to see: {text}");
    let signature = |token: &str| token.rsplit_once('.').unwrap().1.to_owned();
    let secret = tests::fake_identity::CLIENT.1.to_owned();
    for form in
        [signature(&signed), signature(&wrong), "opaque-".to_owned(), secret, "s3cr%26t".to_owned()]
    {
        assert!(!text.contains(&form), "an answer has {form}");
        assert!(!log.contains(&form), "the log has {form}");
    }
}

#[test]
fn check_config_names_each_mistake_with_its_line() {
    let folders = Folders::new();
    let file = folders.data().with_file_name("madoguchi.toml");
    for (lines, line, what) in [
        ("[oauth]\nissuer = 'http://id.example'\nown_scopes = true\n", 3, "https://"),
        ("[oauth]\nissuer = 'https://id.example'\nalgorithms = ['HS256']\n", 4, "HS256"),
        (
            "[oauth]\nissuer = 'https://id.example'\nscopes.a = ['everything']\n",
            4,
            "is not a scope",
        ),
        (
            "[[oauth]]\nissuer = 'https://id.example'\nclient_id = 'a'\n",
            4,
            "introspection_endpoint",
        ),
        ("[oauth]\nissuer = 'https://id.example'\n", 3, "no claim maps"),
    ] {
        fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
        let output = output(bare_command(&folders).arg("check-config").arg(&file));
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let found = text.lines().find(|it| it.contains(what)).unwrap_or_else(|| panic!("{text}"));
        let places = [format!("line {line}"), format!(":{line}")];
        assert!(places.iter().any(|it| found.contains(it)), "{text}");
    }
}
