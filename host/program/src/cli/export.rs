//! The command `madoguchi export COMPONENT` prints a component's tables as JSON lines, with the rows of all callers.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use host::{Config, database::ExportError};
use tokio::runtime::Handle;

use super::print_line;

/// Writes what a component has stored as JSON lines.
#[derive(Args)]
pub(crate) struct Export {
    /// The component's name
    component: String,
    /// Only this table, to standard output
    #[arg(long, conflicts_with = "to")]
    table: Option<String>,
    /// Where the files go: TABLE.jsonl each
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    to: PathBuf,
}

impl Export {
    /// Blocks, on a thread of a runtime that may.
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let stored = config.store.stored(&config.base, &config.data, Handle::current());
        let stored = stored.map_err(|it| anyhow!(it))?;
        let tables = match stored.tables(&self.component) {
            Err(ExportError::Nothing { component }) => bail!(
                "{component} has stored nothing in {}; see --data and [store]",
                config.data.display()
            ),
            tables => tables?,
        };
        let write = |table: &str, out: &mut dyn Write| {
            let mut line = |row| {
                serde_json::to_writer(&mut *out, &serde_json::Value::Object(row))?;
                out.write_all(b"\n")
            };
            stored.export(&self.component, table, &mut line)
        };
        if let Some(table) = &self.table {
            let mut out = BufWriter::new(io::stdout().lock());
            write(table, &mut out)?;
            out.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
        std::fs::create_dir_all(&self.to)
            .with_context(|| format!("cannot make {}", self.to.display()))?;
        for table in tables {
            let file = self.to.join(format!("{table}.jsonl"));
            let open =
                File::create(&file).with_context(|| format!("cannot write {}", file.display()))?;
            let mut out = BufWriter::new(open);
            let rows = write(&table, &mut out)?;
            out.flush()?;
            print_line(&format!("{}  {rows} lines", file.display()))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
