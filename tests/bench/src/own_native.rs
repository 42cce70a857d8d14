//! A native `echo` behind our own path: what is left of a call when the sandbox is taken away.

use host::Config;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(serde::Serialize, serde::Deserialize)]
struct Echo {
    value: serde_json::Map<String, serde_json::Value>,
}

/// What goes in comes out, read and written as in the component `tests/echo`.
fn echo(arguments: &str) -> String {
    let read = serde_json::from_str::<Echo>(arguments);
    read.and_then(|echo| serde_json::to_string(&echo)).unwrap_or_else(|_| "null".to_owned())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let addr = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = tokio::net::TcpListener::bind(&addr).await?;
    let config = Config { addr: listener.local_addr()?, ..Config::defaults() };
    host::native::serve(listener, &config, echo).await?;
    Ok(())
}
