//! Calls that need a person's approval: the host holds each, and makes it once and only as it was shown.

use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

mod assistant;
mod elicited;
mod errands;
mod impostor;
mod misuse;

/// The grants of the component `errand`.
const ERRAND: &str = "
[components.errand]
grants = ['calls', 'endpoints']
calls = ['component:cinema', 'echo', 'greet', 'run_errand']
";

/// A server with the cinema, and a component that calls its tools.
struct Errands {
    server: TestServer,
    show: String,
    seats: Vec<String>,
}

impl Errands {
    async fn with(lines: &str) -> Self {
        let folders = Folders::new();
        for name in ["cinema", "echo", "errand"] {
            folders.put(name, &component_bytes(name));
        }
        let config = folders.config_with(lines);
        let server = TestServer::start(folders, |it| *it = config).await;
        let client = server.client();
        let show = id(&showtimes(&client).await[0]);
        let seats = free_seats(&client, &show).await;
        Self { server, show, seats }
    }

    async fn begin() -> Self {
        Self::with(ERRAND).await
    }

    /// A call that reserves the seat at that place of the list.
    fn reserve(&self, at: usize) -> Value {
        json!({
            "tool": "reserve_seats",
            "arguments": {
                "user_id": "u", "showtime_id": self.show, "seat_ids": [self.seats[at]],
            },
            "reason": "for the two of you",
        })
    }

    async fn is_free(&self, at: usize) -> bool {
        free_seats(&self.server.client(), &self.show).await.contains(&self.seats[at])
    }

    /// The outcomes of calls that a request makes.
    async fn try_calls(&self, calls: Value) -> Vec<Value> {
        try_calls(&self.server.client(), json!({ "calls": calls })).await
    }

    /// The outcome of a held call.
    async fn held_outcome(&self, id: &str) -> Value {
        try_calls(&self.server.client(), json!({ "held": [id] })).await.remove(0)
    }

    /// Makes a call that is held; returns its id.
    async fn hold(&self, calls: Value) -> String {
        let outcome = self.try_calls(calls).await.remove(0);
        outcome["held"].as_str().unwrap_or_else(|| panic!("not held: {outcome}")).to_owned()
    }
}

async fn try_calls(client: &Client, body: Value) -> Vec<Value> {
    let response = client.post("/api/errand/tries", &[], body.to_string()).await;
    let status = response.status();
    let answer: Value = response.json().await.unwrap();
    assert_eq!(status, 200, "{answer}");
    answer["outputs"].as_array().unwrap().clone()
}

/// All pending calls of the client.
async fn pending(client: &Client) -> Vec<Value> {
    let answer: Value = client.get("/api/approvals").await.json().await.unwrap();
    answer["approvals"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

async fn approval(client: &Client, id: &str) -> (u16, Value) {
    let response = client.get(&format!("/api/approvals/{id}")).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn decide(client: &Client, id: &str, body: Value) -> (u16, Value) {
    let response = client.post(&format!("/api/approvals/{id}"), &[], body.to_string()).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn allow(client: &Client, id: &str) -> (u16, Value) {
    decide(client, id, json!({ "allow": true })).await
}

/// Waits for a pending call of the client.
async fn next_pending(client: &Client) -> Value {
    let mut waiting = Vec::new();
    tests::until("nothing waits", async || {
        waiting = pending(client).await;
        !waiting.is_empty()
    })
    .await;
    waiting.remove(0)
}
