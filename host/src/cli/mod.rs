//! What the command line says, and how.

use std::io::{self, IsTerminal, Write};

use host::{Server, log::LogFormat};
use tracing_subscriber::EnvFilter;

pub(crate) mod check_config;
pub(crate) mod export;
pub(crate) mod grants;
pub(crate) mod import;
pub(crate) mod import_map;
pub(crate) mod inspect;
pub(crate) mod operator;
pub(crate) mod passkey;
pub(crate) mod run;
mod running;
pub(crate) mod token;

/// Logs go to standard error: standard output is the protocol's, or the result's.
pub(crate) fn log_to_stderr(format: LogFormat) {
    // rmcp reports each request; what it has to say concerns its developers. What it says of other
    // servers we say too, once, and without their addresses.
    let quiet = "info,rmcp=error,rmcp::transport::worker=off,rmcp::transport::streamable_http_client=off,rmcp::transport::common=off";
    let filter = EnvFilter::try_from_env("MADOGUCHI_LOG").unwrap_or_else(|_| quiet.into());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => log.json().flatten_event(true).with_ansi(false).init(),
    }
}

/// One line for whoever started the program.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "madoguchi: {message}");
}

/// One line on standard output.
pub(crate) fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// Tells where the counter is open, and with what.
pub(crate) fn greet(server: &Server) -> io::Result<()> {
    let Some(addr) = server.addr() else { return Ok(()) };
    let catalog = server.registry().catalog();
    let names: Vec<_> = catalog.components().map(|it| it.name().to_string()).collect();
    say("Madoguchi 窓口 is open.")?;
    say(&format!("  page        http://{addr}/"))?;
    say(&format!("  MCP         http://{addr}/mcp"))?;
    let components = if names.is_empty() {
        "none: put NAME.wasm into the component folder".to_owned()
    } else {
        format!("{} ({} tools)", names.join(", "), catalog.tools().count())
    };
    say(&format!("  components  {components}"))?;
    io::stdout().flush()
}
