//! The command line of `madoguchi`: runs the server, controls a running one, and runs, inspects, checks and exports
//! without one.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{ArgMatches, Parser, Subcommand, parser::ValueSource};
use tokio::signal::unix::{Signal, SignalKind, signal};

use host::{
    Config, Server,
    config::{Given, GivenBy, LogFormat, ServerConfig},
    language::LanguageTag,
    source::{Embedded, Files},
};
use workbench::commands;

pub use workbench::commands::new::Kit;

mod cli;

use cli::{
    Json,
    operator::{list, table},
    servers,
};

// rmcp spends a third of its time in malloc; this one takes it down by half.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Files embedded in the program.
#[derive(Clone, Copy)]
pub struct Carried {
    /// The components: a file each.
    pub components: Files,
    /// The page, with compressed twins of its files.
    pub page: Files,
    /// Templates and contract for authors.
    pub kit: Kit,
}

/// The counter where people and AI agents are served by tools.
#[derive(Parser)]
#[command(name = "madoguchi", version, args_conflicts_with_subcommands = false)]
struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, env = "MADOGUCHI_ADDR", value_name = "IP:PORT", value_parser = addr)]
    addr: Option<SocketAddr>,
    /// The folder of databases and compiled code [default: `madoguchi` in XDG_DATA_HOME, or in ~/.local/share]
    #[arg(long, env = "MADOGUCHI_DATA", value_name = "FOLDER", global = true)]
    data: Option<PathBuf>,
    /// The configuration file
    #[arg(long, env = "MADOGUCHI_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The folder of components, watched while serving [default: `components` beside the program]
    #[arg(long, env = "MADOGUCHI_COMPONENTS", value_name = "FOLDER", global = true)]
    components: Option<PathBuf>,
    /// Where to serve the operator, on this machine only; `off` turns that off
    #[arg(long, env = "MADOGUCHI_OPERATOR_ADDR", value_name = "IP:PORT|off", value_parser = operator_addr)]
    operator_addr: Option<OperatorAddr>,
    /// Serve one client on standard input and output instead of HTTP
    #[arg(long)]
    stdio: bool,
    /// The tools that the client on standard input and output knows of: `[toolsets.NAME]` of the configuration
    #[arg(long, value_name = "NAME", requires = "stdio")]
    toolset: Option<String>,
    /// What those read who do not say it: `ja`, or English
    #[arg(long, env = "MADOGUCHI_LANGUAGE", value_name = "TAG", value_parser = language)]
    language: Option<LanguageTag>,
    /// How the log on standard error is written: text or json
    #[arg(long, env = "MADOGUCHI_LOG_FORMAT", value_name = "FORMAT", global = true)]
    log_format: Option<LogFormat>,
    #[command(subcommand)]
    command: Option<Command>,
    /// Settings given by flags or variables.
    #[arg(skip)]
    given: BTreeMap<&'static str, GivenBy>,
}

#[derive(Subcommand)]
enum Command {
    /// Run one tool of one component alone, with a database of its own and no server
    Run(commands::run::Run),
    /// Run a recorded call again, without touching the world, or print it as an example
    Replay(commands::run::Replay),
    /// Begin a component: a folder with one tool, its examples and all that it is built with
    New(commands::new::New),
    /// Build a component and serve it, again after each save
    Dev(cli::dev::Dev),
    /// Show the contract between components and the host, or write it into a folder
    Wit(commands::new::Wit),
    /// Check a configuration, and say what to fix
    CheckConfig(commands::inspect::CheckConfig),
    /// Show what a component's file can touch and what it offers
    Inspect(commands::inspect::Inspect),
    /// Show what components are granted, and which line says so
    Grants(cli::grants::Grants),
    /// Make a token for a caller, or list those of the configuration
    Token(cli::token::Token),
    /// Make accounts for people whose clients sign in with OAuth, list and remove them
    Account(cli::account::Account),
    /// Write what a component has stored as JSON lines
    Export(cli::backup::Export),
    /// Read into a component what was written elsewhere as JSON lines
    Import(cli::import::Import),
    /// Copy the data folder, also while a server runs on it
    Backup(cli::backup::Backup),
    /// Put a backup into a data folder that has no data yet
    Restore(cli::backup::Restore),
    /// Move what components have in SQL from SQLite to PostgreSQL, or back, while no server runs
    Move(cli::backup::Move),
    /// List the components of the running server, with their versions
    Components(Json),
    /// List the hosts that work on the running server's database, and what each serves
    Nodes(Json),
    /// List the other servers of the running server, and which of their tools wait
    Servers(servers::Servers),
    /// Load a component into the running server
    Load(cli::operator::Load),
    /// Take a component away from the running server
    Unload(cli::operator::Named),
    /// Add a component of a registry, and show before what it can touch and who has signed it
    Add(cli::distribution::Add),
    /// Take what the registries have now of the components that were added
    Update(cli::distribution::Update),
    /// List the added components of which the registry has something else
    Outdated(Json),
    /// Remove a component that was added
    Remove(cli::distribution::Remove),
    /// Show a component that was added, or what would be added
    Show(cli::distribution::Show),
    /// Give a component to a registry, signed if you like
    Push(cli::distribution::Push),
    /// Go back to an earlier version of a component
    Rollback(cli::operator::Rollback),
    /// Let a build serve that waits, for it wants more or breaks callers; or a changed tool of another server
    Accept(cli::operator::Accept),
    /// Let a build that waits answer some of the calls first, or none any more
    Canary(cli::operator::Canary),
    /// Let go of a build that waits, or of a changed tool of another server
    Refuse(cli::operator::Refuse),
    /// Show the address of the operator's place on the page, with the key of this start
    Operator(Json),
    /// Show what the running server keeps: databases, files, logs, and under which limits
    Storage(Json),
    /// Show what the running server is set to, and which flag, variable or line says so
    Settings(cli::report::Settings),
    /// Call a tool of the running server
    Call(cli::operator::Call),
    /// Show who called what in the running server
    Audit(cli::operator::Audit),
    /// Compile a component; a server starts this for itself
    #[command(hide = true)]
    Compile(cli::Compile),
}

/// The operator's address, or `off`.
#[derive(Clone, Copy)]
struct OperatorAddr(Option<SocketAddr>);

fn operator_addr(text: &str) -> Result<OperatorAddr, String> {
    if text == "off" {
        return Ok(OperatorAddr(None));
    }
    let addr = text.parse().map_err(|_| "an address such as 127.0.0.1:0 is right, or off")?;
    Ok(OperatorAddr(Some(addr)))
}

fn addr(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "an address such as 127.0.0.1:8808 is right, and no name")
}

fn language(text: &str) -> Result<LanguageTag, String> {
    text.to_owned().try_into()
}

/// Parses the command line, runs the command and returns its exit code.
pub fn main(carried: Carried) -> ExitCode {
    let ended = cli::companions::parse().and_then(|it| match it {
        Ok((arguments, matches)) => run(Arguments { given: given(&matches), ..arguments }, carried),
        Err(code) => Ok(code),
    });
    ended.unwrap_or_else(|error| cli::failed(&error))
}

fn run(arguments: Arguments, carried: Carried) -> anyhow::Result<ExitCode> {
    if let Some(Command::CheckConfig(check)) = &arguments.command {
        let file = check.file.as_ref().or(arguments.config.as_ref());
        return check.run(file, config(&arguments, file, carried));
    }
    if let Some(Command::Compile(compile)) = &arguments.command {
        return compile.run();
    }
    match &arguments.command {
        Some(Command::New(new)) => return new.run(carried.kit),
        Some(Command::Wit(wit)) => return wit.run(carried.kit),
        _ => {}
    }
    // Configuration errors are printed plainly before logging starts.
    let config = config(&arguments, arguments.config.as_ref(), carried)?;
    cli::log_to_stderr(config.log.format, matches!(arguments.command, Some(Command::Dev(_))));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match arguments.command {
            Some(Command::Run(run)) => run.run(&config).await,
            Some(Command::Replay(replay)) => replay.run(&config).await,
            Some(Command::Dev(dev)) => {
                let mut signals = StopSignals::new().context("signals")?;
                dev.run(config, signals.next()).await
            }
            Some(Command::Export(export)) => tokio::task::block_in_place(|| export.run(&config)),
            Some(Command::Import(import)) => import.run(&config).await,
            Some(Command::Backup(backup)) => backup.run(&config),
            Some(Command::Restore(restore)) => restore.run(&config),
            Some(Command::Move(moving)) => moving.run(&config).await,
            Some(Command::Inspect(inspect)) => inspect.run(&config).await,
            Some(Command::Token(token)) => token.run(&config),
            Some(Command::Account(account)) => account.run(&config).await,
            Some(Command::Grants(grants)) => grants.run(arguments.config.as_ref(), &config),
            // Answered above, where a configuration that cannot be read is no reason to stop.
            Some(
                Command::CheckConfig(_) | Command::Compile(_) | Command::New(_) | Command::Wit(_),
            ) => Ok(ExitCode::SUCCESS),
            Some(Command::Components(json)) => {
                list(&config, ("components", "components"), json, table).await
            }
            Some(Command::Nodes(json)) => {
                list(&config, ("nodes", "nodes"), json, servers::node_table).await
            }
            Some(Command::Servers(servers)) => servers.run(&config).await,
            Some(Command::Load(load)) => load.run(&config).await,
            Some(Command::Unload(named)) => named.unload(&config).await,
            Some(Command::Add(add)) => add.run(&config).await,
            Some(Command::Update(update)) => update.run(&config).await,
            Some(Command::Outdated(json)) => cli::distribution::outdated(json, &config).await,
            Some(Command::Remove(remove)) => remove.run(&config).await,
            Some(Command::Show(show)) => show.run(&config).await,
            Some(Command::Push(push)) => push.run(&config).await,
            Some(Command::Rollback(rollback)) => rollback.run(&config).await,
            Some(Command::Accept(accept)) => accept.run(&config).await,
            Some(Command::Canary(canary)) => canary.run(&config).await,
            Some(Command::Refuse(refuse)) => refuse.run(&config).await,
            Some(Command::Operator(json)) => cli::operator::place(json, &config).await,
            Some(Command::Storage(json)) => cli::report::storage(json, &config).await,
            Some(Command::Settings(settings)) => settings.run(&config).await,
            Some(Command::Call(call)) => call.run(&config).await,
            Some(Command::Audit(audit)) => audit.run(&config).await,
            None if arguments.stdio => {
                cli::release_free_memory();
                Server::serve_stdio(config).await?;
                Ok(ExitCode::SUCCESS)
            }
            None => serve(config).await,
        }
    })
}

fn config(
    arguments: &Arguments,
    file: Option<&PathBuf>,
    carried: Carried,
) -> anyhow::Result<Config> {
    let embedded = Embedded::new(carried.components, carried.page);
    let mut config = match file {
        Some(file) => Config::read(file, &embedded).context("configuration")?,
        None => Config::embedded_defaults(&embedded)?,
    };
    config.compiler = this_program();
    config.origin.given.clone_from(&arguments.given);
    config.addr = arguments.addr.unwrap_or(config.addr);
    config.log.format = arguments.log_format.unwrap_or(config.log.format);
    let endpoint = || std::env::var(OTLP_VARIABLE).ok().filter(|it| !it.is_empty());
    if config.telemetry.otlp_endpoint.is_none() {
        config.telemetry.otlp_endpoint = endpoint();
        let by = config.telemetry.otlp_endpoint.as_ref().map(|_| GivenBy::Variable(OTLP_VARIABLE));
        config.origin.given.extend(by.map(|it| ("telemetry.otlp_endpoint", it)));
    }
    config.language = arguments.language.clone().or(config.language);
    config.stdio_toolset.clone_from(&arguments.toolset);
    config.operator_addr = arguments.operator_addr.map_or(config.operator_addr, |it| it.0);
    config.data = arguments.data.clone().unwrap_or(config.data);
    config.components_folder =
        arguments.components.clone().or(config.components_folder).or_else(program_folder);
    let variable = |name| std::env::var(name).ok().filter(|it| !it.is_empty());
    if let Some(url) = variable("MADOGUCHI_STORE") {
        config.store.url = Some(Given::value(&url));
        config.origin.given.insert("store.url", GivenBy::Variable("MADOGUCHI_STORE"));
    }
    if let Some(node) = variable("MADOGUCHI_NODE") {
        config.store.node = Some(node);
        config.origin.given.insert("store.node", GivenBy::Variable("MADOGUCHI_NODE"));
    }
    if let Some(url) = variable("MCP_SERVER_URL") {
        let password = variable("AUTH_PASSWORD");
        let tools = config.components.values().flat_map(|it| it.server_tools.iter().cloned());
        let entry = ServerConfig::of_environment(&url, password.as_deref(), tools.collect());
        let (name, server) = entry.map_err(anyhow::Error::msg)?;
        config.servers.entry(name).or_insert(server);
    }
    // Accepted grants count like those of the file.
    config.take_accepted(host::revisions::given(&config.data));
    Ok(config)
}

/// Default variable of the trace endpoint.
const OTLP_VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// Settings given by flags and variables. Flags take precedence.
fn given(matches: &ArgMatches) -> BTreeMap<&'static str, GivenBy> {
    let all = [
        ("addr", "addr", "--addr", "MADOGUCHI_ADDR"),
        ("data", "data", "--data", "MADOGUCHI_DATA"),
        ("language", "language", "--language", "MADOGUCHI_LANGUAGE"),
        ("log.format", "log_format", "--log-format", "MADOGUCHI_LOG_FORMAT"),
        ("components_folder", "components", "--components", "MADOGUCHI_COMPONENTS"),
        ("operator_addr", "operator_addr", "--operator-addr", "MADOGUCHI_OPERATOR_ADDR"),
    ];
    let by = |(name, id, flag, variable)| match matches.value_source(id)? {
        ValueSource::CommandLine => Some((name, GivenBy::Flag(flag))),
        ValueSource::EnvVariable => Some((name, GivenBy::Variable(variable))),
        _ => None,
    };
    all.into_iter().filter_map(by).collect()
}

/// This program, to be started once more: the very one that runs, were its file replaced meanwhile.
fn this_program() -> Option<PathBuf> {
    let itself = PathBuf::from("/proc/self/exe");
    if itself.exists() { Some(itself) } else { std::env::current_exe().ok() }
}

/// The folder `components` beside the program, which takes precedence over embedded ones.
fn program_folder() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.join("components");
    folder.is_dir().then_some(folder)
}

async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    cli::release_free_memory();
    let server = Server::start(config).await?;
    // Installed first, because a process may be stopped as soon as it reports that it serves.
    let mut signals = StopSignals::new().context("signals")?;
    cli::greet(&server)?;
    signals.next().await;
    tracing::info!("stopping: calls that run may finish; a second signal ends them");
    tokio::select! {
        () = server.stop() => Ok(ExitCode::SUCCESS),
        () = signals.next() => {
            tracing::warn!("ended by a second signal; calls that ran are as after a kill");
            // Other threads are not awaited.
            std::process::exit(1)
        }
    }
}

/// SIGINT and SIGTERM.
struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Listens from now on.
    fn new() -> std::io::Result<Self> {
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    /// Ends when the next one comes.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt};

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn finds_flag_value_at_any_position() {
        Arguments::command().debug_assert();
        let no_text = OsString::from_vec(vec![b'/', 0xff]);
        let line = ["madoguchi", "--addr=127.0.0.1:1", "load", "--data", "/d"].map(OsString::from);
        let matches = Arguments::command().get_matches_from(line.into_iter().chain([no_text]));
        let given = given(&matches);
        assert_eq!(given.get("addr"), Some(&GivenBy::Flag("--addr")));
        assert_eq!(given.get("data"), Some(&GivenBy::Flag("--data")));
        let refused = |line: &[&str]| Arguments::command().try_get_matches_from(line).unwrap_err();
        let error = refused(&["madoguchi", "--addr", "localhost:8808"]).to_string();
        assert!(error.contains("127.0.0.1:8808 is right"), "{error}");
        for (line, right) in [
            (["rollback", "shop", "--to", "zero"].as_slice(), "a whole number is right"),
            (&["audit", "--call", "x"], "a whole number is right"),
            (&["canary", "shop", "--percent", "all"], "a whole number is right"),
            (&["canary", "shop", "--percent", "300"], "it is too large"),
        ] {
            let error = refused(&[&["madoguchi"], line].concat()).to_string();
            assert!(error.contains(right), "{error}");
        }
        refused(&["madoguchi", "export", "shop", "--table", "films", "--to", "folder"]);
        let listed = ["madoguchi", "account", "list", "--json"];
        assert!(Arguments::command().try_get_matches_from(listed).is_ok());
    }
}
