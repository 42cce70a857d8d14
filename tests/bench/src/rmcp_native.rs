//! The baseline: a native `echo` tool on plain rmcp and axum, built as the SDK's users build it.
//!
//! Default allocator, stateless JSON answers, TCP_NODELAY (without it every answer waits 40 ms).
//! `/echo` beside it is a bare axum handler: the floor that any HTTP answer in JSON costs.

use axum::serve::ListenerExt;
use axum::{Json, Router, routing::post};
use rmcp::handler::server::wrapper::{Json as Structured, Parameters};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};

/// What goes in comes out, as in the component `tests/echo`.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
struct Echo {
    value: serde_json::Map<String, serde_json::Value>,
}

#[derive(Clone)]
struct Native;

#[tool_router]
impl Native {
    #[tool(description = "Answers with the object that it is given.")]
    async fn echo(&self, Parameters(echo): Parameters<Echo>) -> Structured<Echo> {
        Structured(echo)
    }
}

#[tool_handler]
impl ServerHandler for Native {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn echo(Json(echo): Json<Echo>) -> Json<Echo> {
    Json(echo)
}

#[tokio::main]
pub(crate) async fn main() -> anyhow::Result<()> {
    let addr = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let mcp = StreamableHttpService::new(
        || Ok(Native),
        std::sync::Arc::new(LocalSessionManager::default()),
        config,
    );
    let app = Router::new().nest_service("/mcp", mcp).route("/echo", post(echo));
    let listener = tokio::net::TcpListener::bind(&addr).await?;
    eprintln!("http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            eprintln!("no TCP_NODELAY: {error}");
        }
    });
    axum::serve(listener, app).await?;
    Ok(())
}
