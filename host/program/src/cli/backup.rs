//! The commands `madoguchi backup FOLDER` and `restore FOLDER` copy a data folder and restore it, `export COMPONENT` prints
//! a component's tables as JSON lines, with the rows of all callers, and `move --to …` moves all data from the data folder
//! to PostgreSQL or back, while no server runs.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use host::{
    Config,
    backup::{self, List},
    config::{Given, StoreConfig},
    data::Data,
    database::{self, ExportError, Moved, Plan, Recorded, postgres::Server},
    registry::library::Library,
    revisions::RevisionStore,
    storage,
};
use tokio::runtime::Handle;

use super::{print_error, print_line, with_causes};
use workbench::solo::Solo;

/// Copies the data folder, also while a server runs on it.
#[derive(Args)]
pub(crate) struct Backup {
    /// Where the copy goes: a new folder
    folder: PathBuf,
}

/// Puts a backup into a data folder that has no data yet.
#[derive(Args)]
pub(crate) struct Restore {
    /// The folder of the backup
    folder: PathBuf,
}

impl Backup {
    pub(crate) fn run(&self, config: &Config) -> anyhow::Result<ExitCode> {
        let list = backup::write(&config.data, &self.folder)?;
        let (files, bytes) = size(&list);
        print_line(&format!("{}: {files} files, {bytes} bytes", self.folder.display()))?;
        if config.store.url.is_some() {
            print_line(
                "What components keep in SQL is not in it, but on the PostgreSQL server that [store] names: `pg_dump` copies it, and both belong together.",
            )?;
        }
        print_line("It is as secret as the data folder. `madoguchi restore` puts it back.")?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Restore {
    pub(crate) fn run(&self, config: &Config) -> anyhow::Result<ExitCode> {
        let list = backup::restore(&self.folder, &config.data)?;
        let (files, bytes) = size(&list);
        let (data, made_at) = (config.data.display(), &list.made_at);
        print_line(&format!("{data}: {files} files, {bytes} bytes, as of {made_at}"))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn size(list: &List) -> (usize, u64) {
    (list.files.len(), list.files.values().map(|it| it.bytes).sum())
}

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

/// Digits of a digest that are printed.
const DIGITS: usize = 16;

/// Moves what lasts between the data folder and PostgreSQL: components' SQL, accounts, files, calls and versions.
#[derive(Args)]
pub(crate) struct Move {
    /// Where to: `postgres`, which is what `[store] url` or `MADOGUCHI_STORE` names; the address of a server; or
    /// `sqlite`, files in the data folder
    #[arg(long, value_name = "postgres|URL|sqlite")]
    to: String,
}

impl Move {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let store = match self.to.as_str() {
            "sqlite" | "postgres" | "postgresql" => config.store.clone(),
            url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                StoreConfig { url: Some(Given::value(url)), ..config.store.clone() }
            }
            _ => bail!("--to is `postgres`, the address of a PostgreSQL server, or `sqlite`"),
        };
        let address = store.address(&config.base).map_err(|it| anyhow!("[store] {it}"))?;
        let Some(address) = address else {
            bail!("no PostgreSQL server is named: set [store] url or MADOGUCHI_STORE");
        };
        let (is_back, data) = (self.to == "sqlite", &config.data);
        if !is_back && !data.is_dir() {
            bail!("{} is no data folder; see --data", data.display());
        }
        // Held to the end: no server runs on it meanwhile.
        let _held = Data::take(data)?;
        let server = Server::connect(&address).await?;
        server.alone().await?;
        let recorded = match is_back {
            true => server.recorded(&names(config)?).await?,
            false => database::recorded(data)?,
        };
        let mut plans = plans(config, &recorded).await?;
        plans.push(storage::accounts_plan(!is_back));
        let parts = storage::parts(config);
        let moved = match is_back {
            true => server.empty_into(data, &plans, &parts).await?,
            false => server.fill_from(data, &plans, &parts).await?,
        };
        if moved.iter().all(|it| it.rows == 0) {
            bail!("there is nothing that could be moved");
        }
        let place = server.place();
        server.close().await;
        print_moved(&moved)?;
        let (from, next) = match is_back {
            true => (place, "remove [store] url and MADOGUCHI_STORE, and start it".to_owned()),
            false => (
                format!("{}", data.display()),
                format!("start it with [store] url or MADOGUCHI_STORE naming {place}"),
            ),
        };
        print_line(&format!("{from} is as it was; to serve from the new place, {next}."))?;
        print_line(
            "The audit log, pins of other servers' tools, what was added from registries, and compiled code are each data folder's own: they are not moved, and stay where they were. What lasts minutes is begun anew by clients: sessions of the 2025 era, steps of signing in by passkey, rates.",
        )?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The names of the components that there may be.
fn names(config: &Config) -> anyhow::Result<Vec<String>> {
    let library = Library::look(config);
    let mut names: BTreeSet<String> = library.bundled().into_iter().collect();
    let files = library.files().context("the components' folder cannot be read")?;
    names.extend(files.into_iter().map(|it| it.0));
    names.extend(RevisionStore::open(&config.data)?.names());
    Ok(names.into_iter().collect())
}

/// Migrations of each database: those of the build that created it.
async fn plans(config: &Config, recorded: &[Recorded]) -> anyhow::Result<Vec<Plan>> {
    let (mut plans, mut missing) = (Vec::new(), Vec::new());
    for database in recorded {
        let mut lists = Vec::new();
        for (origin, list) in Solo::migrations_of(config, &database.component).await? {
            match list {
                Ok(list) => lists.push(list),
                Err(error) => {
                    print_error(&format!(
                        "{}: {origin}: {}",
                        database.component,
                        with_causes(&error.into())
                    ));
                }
            }
        }
        match lists.iter().find_map(|list| database.plan(list)) {
            Some(plan) => plans.push(plan),
            None => missing.push(database.component.as_str()),
        }
    }
    if !missing.is_empty() {
        bail!(
            "no build of {} is at hand that has the migrations which its database was made with: put it into the component folder (--components) first; nothing was moved",
            missing.join(", ")
        );
    }
    Ok(plans)
}

fn print_moved(moved: &[Moved]) -> io::Result<()> {
    let name = |it: &Moved| format!("{}.{}", it.component.trim_start_matches('.'), it.table);
    let width = moved.iter().map(|it| name(it).chars().count()).max().unwrap_or_default();
    for database in moved {
        let digest = database.digest.get(..DIGITS).unwrap_or(&database.digest);
        print_line(&format!("{:width$}  {:>9} rows  {digest}", name(database), database.rows))?;
    }
    let rows: u64 = moved.iter().map(|it| it.rows).sum();
    print_line(&format!(
        "{} tables, {rows} rows: counted and digested on both sides, and the same",
        moved.len()
    ))
}
