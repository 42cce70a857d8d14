//! Output of the command line, the process that compiles a component, and the return of free memory.

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    thread,
    time::Duration,
};

use clap::Args;
use host::{Server, compiler::Job, config::LogFormat, log::Lines};
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

pub(crate) mod account;
pub(crate) mod backup;
pub(crate) mod companions;
pub(crate) mod dev;
pub(crate) mod distribution;
pub(crate) mod grants;
pub(crate) mod import;
pub(crate) mod operator;
pub(crate) mod report;
mod running;
pub(crate) mod servers;
pub(crate) mod token;

pub(crate) use workbench::terminal::{Json, failed, print_error, print_line, with_causes};

/// Logs to standard error, because standard output is for the protocol or results. In dev mode, only the component's
/// own lines and problems are logged.
pub(crate) fn log_to_stderr(format: LogFormat, is_dev: bool) {
    // rmcp's log is for its developers: it reports each request, and disconnects as errors. We log what matters once,
    // without addresses.
    let quiet = if is_dev { "warn,guest=info,rmcp=off" } else { "info,rmcp=off" };
    let filter = filter(quiet, &std::env::var("MADOGUCHI_LOG").unwrap_or_default());
    let log = tracing_subscriber::fmt().with_env_filter(filter);
    match format {
        LogFormat::Text => {
            let has_colours = io::stderr().is_terminal();
            let lines = move || Lines::new(io::stderr(), has_colours);
            log.with_ansi(has_colours).with_writer(lines).init();
        }
        LogFormat::Json => {
            log.with_writer(io::stderr).json().flatten_event(true).with_ansi(false).init();
        }
    }
    // The message of a panic may come from a client or a component, too.
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = std::backtrace::Backtrace::capture();
        match backtrace.status() {
            std::backtrace::BacktraceStatus::Captured => tracing::error!("{panic}\n{backtrace}"),
            _ => tracing::error!("{panic}"),
        }
    }));
}

/// Combines the `asked` filter with defaults for targets that it does not mention. An invalid one is ignored.
fn filter(quiet: &str, asked: &str) -> EnvFilter {
    let parts = || asked.split(',').map(str::trim).filter(|it| !it.is_empty());
    let is_of_all = parts().any(|it| it.parse::<LevelFilter>().is_ok());
    let whole = if is_of_all { asked.to_owned() } else { format!("{quiet},{asked}") };
    EnvFilter::try_new(whole).unwrap_or_else(|_| quiet.into())
}

/// Prints addresses and offers of the server.
pub(crate) fn greet(server: &Server) -> io::Result<()> {
    let Some(addr) = server.addr else { return Ok(()) };
    let catalog = server.calls.registry.catalog();
    let names: Vec<_> = catalog.components().map(|it| it.name().to_string()).collect();
    print_line("Madoguchi 窓口 is open.")?;
    print_line(&format!("  page        http://{addr}/"))?;
    print_line(&format!("  MCP         http://{addr}/mcp"))?;
    let components = match &server.calls.config.components_folder {
        _ if !names.is_empty() => {
            format!("{} ({} tools)", names.join(", "), catalog.tools().count())
        }
        Some(folder) => format!("none: put NAME.wasm into {}", folder.display()),
        None => "none, and no folder to put one into: --components FOLDER names it".to_owned(),
    };
    print_line(&format!("  components  {components}"))?;
    io::stdout().flush()
}

/// Compiles the component on standard input to standard output.
#[derive(Args)]
pub(crate) struct Compile {
    /// The job, as the server writes it
    job: String,
}

impl Compile {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        // Without the program's name before it: the server passes the message on.
        let done = Job::read(&self.job)?.run(io::stdin().lock(), io::stdout().lock());
        done.map_err(anyhow::Error::msg)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Interval. The allocator keeps free memory for a second and returns it on its next use; an idle server would keep
/// it.
const EVERY: Duration = Duration::from_secs(5);

#[allow(unsafe_code, reason = "a function of the allocator that no crate declares as safe")]
mod allocator {
    // SAFETY: mimalloc's own declaration: void mi_collect(bool force). It may be called at any time
    // by any thread.
    unsafe extern "C" {
        pub(super) safe fn mi_collect(force: bool);
    }
}

/// Begins to; a thread that cannot be started costs memory, and nothing else.
pub(crate) fn release_free_memory() {
    let repeat = || loop {
        thread::sleep(EVERY);
        // The allocator collects nothing for a thread that never had anything of it.
        drop(std::hint::black_box(Box::new(0_u8)));
        allocator::mi_collect(true);
    };
    let started = thread::Builder::new().name("memory".to_owned()).spawn(repeat);
    if let Err(error) = started {
        tracing::warn!("free memory is not given back while nothing is asked: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raising_one_log_target_keeps_others() {
        let filtered = |asked: &str| {
            let mut all: Vec<_> =
                filter("info,rmcp=off", asked).to_string().split(',').map(str::to_owned).collect();
            all.sort();
            all.join(" ")
        };
        assert_eq!(filtered(""), "info rmcp=off");
        assert_eq!(filtered("guest=debug"), "guest=debug info rmcp=off");
        assert_eq!(filtered("rmcp=warn"), "info rmcp=warn");
        assert_eq!(filtered("warn"), "warn");
        assert_eq!(filtered("trace,rmcp=off"), "rmcp=off trace");
        assert_eq!(filtered("guest=loud"), "info rmcp=off");
    }
}
