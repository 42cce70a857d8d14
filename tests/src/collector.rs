//! An OpenTelemetry collector that records the traces it receives.

use std::sync::{Arc, Mutex};

use axum::{Router, extract::State, routing::post};
use serde_json::Value;
use tokio::sync::watch;

/// A collector on a free port.
pub struct Collector {
    /// Its URL for the configuration.
    pub url: String,
    spans: Spans,
    arrived: watch::Receiver<usize>,
}

type Spans = Arc<Mutex<Vec<Value>>>;

impl Collector {
    /// Starts a collector that accepts everything.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (spans, (arrive, arrived)) = (Spans::default(), watch::channel(0));
        let take = async |State((spans, arrive)): State<(Spans, watch::Sender<usize>)>,
                          axum::Json(body): axum::Json<Value>| {
            let count = {
                let mut spans = spans.lock().expect("no test panics while it takes spans");
                spans.extend(spans_of(&body));
                spans.len()
            };
            arrive.send_modify(|it| *it = count.max(*it));
            axum::Json(serde_json::json!({}))
        };
        let router = Router::new().route("/v1/traces", post(take));
        let router = router.with_state((spans.clone(), arrive));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, spans, arrived }
    }

    /// Waits for that many spans and returns all.
    pub async fn spans(&mut self, at_least: usize) -> Vec<Value> {
        let enough = self.arrived.wait_for(|count| *count >= at_least);
        let enough = tokio::time::timeout(crate::PATIENCE, enough).await;
        enough.expect("the spans come in time").expect("the collector lives");
        self.so_far()
    }

    /// Waits for that many spans of a name, each of which ends after those below it; returns all.
    pub async fn ended(&mut self, name: &str, at_least: usize) -> Vec<Value> {
        let spans = self.spans.clone();
        let enough = self.arrived.wait_for(|_| {
            let spans = spans.lock().expect("no test panics while it takes spans");
            spans.iter().filter(|it| it["name"] == name).count() >= at_least
        });
        let enough = tokio::time::timeout(crate::PATIENCE, enough).await;
        enough.expect("the spans come in time").expect("the collector lives");
        self.so_far()
    }

    /// The spans received so far.
    pub fn so_far(&self) -> Vec<Value> {
        self.spans.lock().expect("no test panics while it takes spans").clone()
    }
}

fn spans_of(body: &Value) -> Vec<Value> {
    let array = |it: &Value| it.as_array().cloned().unwrap_or_default();
    let resources = array(&body["resourceSpans"]);
    let scopes = resources.iter().flat_map(|it| array(&it["scopeSpans"]));
    scopes.flat_map(|it| array(&it["spans"])).collect()
}

/// An attribute of a span, as text.
pub fn attribute(span: &Value, key: &str) -> Option<String> {
    let attributes = span["attributes"].as_array()?;
    let value = &attributes.iter().find(|it| it["key"] == key)?["value"];
    let text = value.get("stringValue").or_else(|| value.get("intValue"))?;
    Some(text.as_str().map_or_else(|| text.to_string(), str::to_owned))
}
