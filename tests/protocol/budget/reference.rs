//! The same films on a page that is built with a small JavaScript framework, and nothing but them: what the page is
//! compared with.

use axum::{
    Router,
    http::{StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use tests::client::Client;
use tokio::{net::TcpListener, task::JoinHandle};

const HTML: &[u8] = include_bytes!("../../reference/index.html");
const STYLE: &[u8] = include_bytes!("../../reference/page.css");
const SCRIPT: &[u8] = include_bytes!("../../reference/page.js");

/// The reference page, served until it is dropped.
pub(super) struct Reference {
    pub(super) url: String,
    serving: JoinHandle<()>,
}

impl Reference {
    /// Serves it with the films that `client` is told of, compressed as the page is.
    pub(super) async fn serve(client: &Client) -> Self {
        let preact = tests::root().join("node_modules/preact/dist/preact.mjs");
        let preact = std::fs::read(preact).expect("`npm ci` has brought Preact");
        let films = films(client).await.to_string();
        let files = [
            ("/", "text/html", HTML),
            ("/page.css", "text/css", STYLE),
            ("/page.js", "text/javascript", SCRIPT),
            ("/preact.mjs", "text/javascript", &preact),
            ("/films.json", "application/json", films.as_bytes()),
        ];
        let files = files.map(|(path, kind, bytes)| (path, kind, small(bytes)));
        let answer = async move |uri: Uri| -> Response {
            let found = files.iter().find(|it| it.0 == uri.path());
            let Some((_, kind, bytes)) = found else {
                return StatusCode::NOT_FOUND.into_response();
            };
            let headers = [(header::CONTENT_TYPE, *kind), (header::CONTENT_ENCODING, "br")];
            (headers, bytes.clone()).into_response()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer);
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, serving }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The films, and the showtimes of each by its id.
async fn films(client: &Client) -> Value {
    let films = client.output("list_movies", json!({})).await["movies"].take();
    let mut times = Map::new();
    for film in films.as_array().expect("a list") {
        let id = film["movie_id"].as_str().expect("an id");
        let listed = client.output("list_showtimes", json!({ "movie_id": id })).await;
        times.insert(id.to_owned(), listed["showtimes"].clone());
    }
    json!({ "films": films, "times": times })
}

fn small(mut bytes: &[u8]) -> Vec<u8> {
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut bytes, &mut small, &brotli::enc::BrotliEncoderParams::default())
        .expect("memory takes it");
    small
}
