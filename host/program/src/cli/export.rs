//! `madoguchi export COMPONENT`: a component's tables as JSON lines, all callers' rows.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::Args;
use host::{Config, database};

use super::say;

/// Writes what a component has stored as JSON lines.
#[derive(Args)]
pub(crate) struct Export {
    /// The component's name
    component: String,
    /// Only this table, to standard output
    #[arg(long)]
    table: Option<String>,
    /// Where the files go: TABLE.jsonl each
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    to: PathBuf,
}

impl Export {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(elsewhere) = config.store.read_elsewhere(&self.component) {
            bail!(elsewhere);
        }
        let path = config.data.join("databases").join(format!("{}.db", self.component));
        if !path.is_file() {
            bail!("{} has stored nothing in {}; see --data", self.component, config.data.display());
        }
        if let Some(table) = &self.table {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&path, table, &mut out)?;
            out.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
        std::fs::create_dir_all(&self.to)
            .with_context(|| format!("cannot make {}", self.to.display()))?;
        for table in database::tables_readonly(&path)? {
            let file = self.to.join(format!("{table}.jsonl"));
            let open =
                File::create(&file).with_context(|| format!("cannot write {}", file.display()))?;
            let mut out = BufWriter::new(open);
            let rows = write(&path, &table, &mut out)?;
            out.flush()?;
            say(&format!("{}  {rows} lines", file.display()))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write(path: &std::path::Path, table: &str, out: &mut impl Write) -> anyhow::Result<u64> {
    let mut line = |row| {
        serde_json::to_writer(&mut *out, &serde_json::Value::Object(row))?;
        out.write_all(b"\n")
    };
    Ok(database::export_readonly(path, table, &mut line)?)
}
