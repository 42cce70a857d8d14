//! Providers of routes, played by this process from their public documentation: Google's APIs, OSRM, Valhalla
//! and Nominatim. They refuse what the real ones refuse, and record their requests.
//!
//! A place whose name has a mark in it makes them misbehave: `#hang`, `#broken`, `#types`, `#large`,
//! `#500`, and with Google each of its statuses, such as `#ZERO_RESULTS`.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri},
};
use serde_json::{Value, json};
use url::Url;

mod google;
mod open;
mod routes;

/// The key that Google's APIs take.
pub const KEY: &str = "AIzaFake/key+of&mine";
/// A line over three points, with precision 5.
pub const LINE: &str = "_p~iF~ps|U_ulLnnqC_mqNvxq`@";

/// All providers under one address.
pub struct FakeMaps {
    /// The base URL, `http://127.0.0.1:PORT`.
    pub url: String,
    memory: Arc<Memory>,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The method: `GET`, `POST`.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query's parameters in order, decoded.
    pub query: Vec<(String, String)>,
    /// Headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body as JSON.
    pub body: Value,
}

#[derive(Default)]
struct Memory {
    received: Mutex<Vec<ReceivedRequest>>,
    unknown: AtomicUsize,
}

impl ReceivedRequest {
    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// Parameters that are not among `names`.
    fn unknown(&self, names: &[&str]) -> Option<&str> {
        self.query.iter().map(|it| it.0.as_str()).find(|it| !names.contains(it))
    }

    /// Fields of the body that are not among `names`.
    fn unknown_field(&self, names: &[&str]) -> Option<&str> {
        let fields = self.body.as_object()?;
        fields.keys().map(String::as_str).find(|it| !names.contains(it))
    }

    /// The mark behind a `#` in the request.
    fn mark(&self) -> Option<String> {
        let query = self.query.iter().map(|it| it.1.as_str()).collect::<Vec<_>>().join(" ");
        let text = format!("{query} {}", self.body);
        let behind = text.split_once('#')?.1;
        Some(behind.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect())
    }
}

impl FakeMaps {
    /// Starts them on a free port.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let memory = Arc::<Memory>::default();
        let service = Router::new().fallback(serve).with_state(memory.clone());
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { url, memory }
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        Url::parse(&self.url).ok().and_then(|it| it.port()).expect("it has one")
    }

    /// Each request so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.memory.received.lock().expect("no test panics while it serves").clone()
    }
}

type Reply = (StatusCode, String);

async fn serve(
    State(memory): State<Arc<Memory>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Reply {
    let url = Url::parse(&format!("http://fake{uri}")).expect("it is a path");
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let received = ReceivedRequest {
        method: method.to_string(),
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers: headers.iter().map(header).collect(),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    memory.received.lock().expect("no test panics while it serves").push(received.clone());
    let mark = received.mark();
    match mark.as_deref() {
        Some("hang") => std::future::pending().await,
        Some("broken") => (StatusCode::OK, "{\"status\": \"OK\", ".to_owned()),
        Some("types") => wrong_types(),
        Some("large") => (StatusCode::OK, format!("\"{}\"", "a".repeat(5 << 20))),
        Some("500") => (StatusCode::INTERNAL_SERVER_ERROR, "<html>".to_owned()),
        // The first one of it fails.
        Some("UNKNOWN_ONCE") if memory.unknown.fetch_add(1, Ordering::Relaxed) == 0 => {
            reply(200, json!({ "status": "UNKNOWN_ERROR" }))
        }
        mark => answer(&received, mark.unwrap_or_default()),
    }
}

fn answer(received: &ReceivedRequest, mark: &str) -> Reply {
    let path = received.path.as_str();
    match path {
        _ if path.starts_with("/maps/api/") => google::answer(received, mark),
        "/directions/v2:computeRoutes" => routes::routes(received, mark),
        "/distanceMatrix/v2:computeRouteMatrix" => routes::matrix(received, mark),
        _ if path.starts_with("/route/v1/") => open::osrm_route(received),
        _ if path.starts_with("/table/v1/") => open::osrm_table(received),
        "/route" => open::valhalla_route(received),
        "/sources_to_targets" => open::valhalla_table(received),
        "/search" => open::nominatim(received),
        _ => reply(404, json!({ "error": "there is nothing at this path" })),
    }
}

/// JSON with values of wrong types.
fn wrong_types() -> Reply {
    let wrong = json!({
        "status": 7, "routes": { "0": "?" }, "rows": 1, "results": "?", "code": [],
        "trip": "?", "geocodingResults": 4
    });
    reply(200, wrong)
}

fn reply(status: u16, body: Value) -> Reply {
    (StatusCode::from_u16(status).expect("it is a status"), body.to_string())
}
