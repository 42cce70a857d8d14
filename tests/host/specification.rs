//! The cinema's specification (`1-cinema.md`, as it was written): its samples, sent as they stand.

mod codes;
mod samples;
pub(crate) mod shape;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Server, clock::Clock};
use serde_json::{Value, json};
use tests::{client::Client, component_bytes, server::Folders};

/// 10:00 on Friday, 20 November 2026 at the cinema.
const MORNING: Duration = Duration::from_secs(1_795_136_400);

/// A server whose cinema has that morning for ever.
struct Cinema {
    server: Server,
    client: Client,
    _folders: Folders,
}

impl Cinema {
    async fn open() -> Self {
        let folders = Folders::new();
        folders.put("cinema", &component_bytes("cinema"));
        folders.lend_code();
        let clock = Clock::Fixed(Arc::new(Mutex::new(MORNING)));
        let server = Server::start_at(folders.config(), clock).await.expect("it starts");
        let address = server.addr.expect("it listens");
        Self { client: Client::new(&format!("http://{address}")), server, _folders: folders }
    }

    async fn close(self) {
        self.server.stop().await;
    }

    /// What `POST /rpc` answers to a request as it stands.
    async fn rpc(&self, request: &str) -> Value {
        let response = self.client.post("/rpc", &[], request).await;
        assert!(response.status().is_success(), "{}: {request}", response.status());
        response.json().await.expect("the answer is JSON")
    }

    /// What `POST /rpc` answers to a request with this method and these parameters.
    async fn ask(&self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "method": method, "params": params, "id": 7 });
        self.rpc(&request.to_string()).await
    }
}
