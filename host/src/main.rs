//! `madoguchi`: serves the counter, gives commands to one that serves, runs one component alone,
//! or exports what one has stored.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Parser, Subcommand};
use host::{Config, Server};

mod cli;

// rmcp spends a third of its time in malloc; this one takes it down by half.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The counter where people and AI agents are served by tools.
#[derive(Parser)]
#[command(name = "madoguchi", version, args_conflicts_with_subcommands = false)]
struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, env = "MADOGUCHI_ADDR", value_name = "IP:PORT")]
    addr: Option<SocketAddr>,
    /// The folder of databases and compiled code
    #[arg(long, env = "MADOGUCHI_DATA", value_name = "FOLDER", global = true)]
    data: Option<PathBuf>,
    /// The configuration file
    #[arg(long, env = "MADOGUCHI_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The folder of components, watched while serving [default: `components` beside the program]
    #[arg(long, env = "MADOGUCHI_COMPONENTS", value_name = "FOLDER")]
    components: Option<PathBuf>,
    /// Where to serve the operator, on this machine only; `off` serves nobody
    #[arg(long, env = "MADOGUCHI_OPERATOR_ADDR", value_name = "IP:PORT|off", value_parser = operator_addr)]
    operator_addr: Option<OperatorAddr>,
    /// Serve one client on standard input and output instead of HTTP
    #[arg(long)]
    stdio: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run one tool of one component alone, with a database of its own and no server
    Run(cli::run::Run),
    /// Write what a component has stored as JSON lines
    Export(cli::export::Export),
    /// List the components of the running server, with their versions
    Components(cli::operator::Components),
    /// Load a component into the running server
    Load(cli::operator::Load),
    /// Take a component away from the running server
    Unload(cli::operator::Named),
    /// Go back to an earlier version of a component
    Rollback(cli::operator::Rollback),
    /// Let a build serve that waits, for it wants more or breaks callers
    Accept(cli::operator::Named),
    /// Call a tool of the running server
    Call(cli::operator::Call),
}

/// An address, or none.
#[derive(Clone, Copy)]
struct OperatorAddr(Option<SocketAddr>);

fn operator_addr(text: &str) -> Result<OperatorAddr, String> {
    if text == "off" {
        return Ok(OperatorAddr(None));
    }
    let addr = text.parse().map_err(|_| "an address such as 127.0.0.1:0 is right, or off")?;
    Ok(OperatorAddr(Some(addr)))
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            cli::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    cli::log_to_stderr();
    let config = config(&arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match arguments.command {
            Some(Command::Run(run)) => run.run(&config).await,
            Some(Command::Export(export)) => export.run(&config),
            Some(Command::Components(components)) => components.run(&config).await,
            Some(Command::Load(load)) => load.run(&config).await,
            Some(Command::Unload(named)) => named.unload(&config).await,
            Some(Command::Rollback(rollback)) => rollback.run(&config).await,
            Some(Command::Accept(named)) => named.accept(&config).await,
            Some(Command::Call(call)) => call.run(&config).await,
            None if arguments.stdio => {
                Server::serve_stdio(config).await?;
                Ok(ExitCode::SUCCESS)
            }
            None => serve(config).await,
        }
    })
}

fn config(arguments: &Arguments) -> anyhow::Result<Config> {
    let mut config = match &arguments.config {
        Some(file) => Config::read(file).context("configuration")?,
        None => Config::defaults(),
    };
    config.addr = arguments.addr.unwrap_or(config.addr);
    config.operator_addr = arguments.operator_addr.map_or(config.operator_addr, |it| it.0);
    config.data = arguments.data.clone().unwrap_or(config.data);
    config.components_folder =
        arguments.components.clone().or(config.components_folder).or_else(beside_the_program);
    Ok(config)
}

/// A folder `components` beside the program wins over what travels inside it.
fn beside_the_program() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.join("components");
    folder.is_dir().then_some(folder)
}

async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    let server = Server::start(config).await?;
    cli::greet(&server)?;
    stop_signal().await;
    tracing::info!("stopping: calls that run may finish");
    server.stop().await;
    Ok(ExitCode::SUCCESS)
}

async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            _ = interrupt.await;
            return;
        };
        tokio::select! {
            _ = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = interrupt.await;
    }
}
