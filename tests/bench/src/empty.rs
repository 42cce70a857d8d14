//! A server with one route and nothing to load: the lower bound of a start.

use axum::{Router, routing::get};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let addr = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = tokio::net::TcpListener::bind(&addr).await?;
    let app = Router::new().route("/api/health", get(|| async { "{}" }));
    axum::serve(listener, app).await?;
    Ok(())
}
