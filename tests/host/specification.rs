//! The cinema's literal specification (`1-cinema.md`): its samples, sent unchanged.

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

/// A server whose cinema's clock stands at that morning.
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

    /// The answer of `POST /rpc` to this body.
    async fn rpc(&self, request: &str) -> Value {
        let response = self.client.post("/rpc", &[], request).await;
        assert!(response.status().is_success(), "{}: {request}", response.status());
        response.json().await.expect("the answer is JSON")
    }

    /// The answer of `POST /rpc` to this method and these parameters.
    async fn ask(&self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "method": method, "params": params, "id": 7 });
        self.rpc(&request.to_string()).await
    }
}
