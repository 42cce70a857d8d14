//! Client ID metadata documents: allowed addresses and required content.

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

use super::*;

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
    // Anyone can publish a document: no redirect before a page has shown its address.
    let wrong = app.named(&format!("{web}/right")).query(&[("scope", "everything")]);
    let shown = ann.get(&format!("/oauth/authorize?{wrong}")).await;
    assert_eq!(shown.status(), StatusCode::BAD_REQUEST);
    assert!(shown.headers().get("location").is_none());
    assert!(shown.text().await.unwrap().contains("invalid_scope"));
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
