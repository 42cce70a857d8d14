//! The command `madoguchi compile`: the process that a server starts to compile a component.

use std::{io, process::ExitCode};

use clap::Args;
use host::compiler::Job;

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
