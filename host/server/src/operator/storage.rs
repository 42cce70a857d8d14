//! Reports sizes and limits of the data folder, exports component data as JSON lines, and says what a move to PostgreSQL
//! and back takes along besides component SQL (STO-46). All other data belongs to one data folder or expires within
//! minutes.

use std::{
    collections::BTreeMap,
    io::{BufWriter, Write},
    sync::Arc,
    time::Duration,
};

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use http::header;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::{runtime::Handle, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;

use super::{
    Operator,
    routes::{blocking, read_or_none},
};
use crate::api::Refused;
use base::{call::Failure, config::Config};
use store::{
    backup,
    data::{self, Taken},
    database::{ExportError, Movable, Plan, StoredDatabase},
};

/// Rows of a table that are counted; there may be more.
const ROWS_MAX: u32 = 100_000;
/// Pieces of an export that wait for its reader, and bytes after which one is sent.
const PIECES_MAX: usize = 4;
const PIECE_BYTES: usize = 64 << 10;
/// How long a backup reader may stall.
const STALLED: Duration = Duration::from_secs(60);

/// Contents of the data folder.
#[derive(Serialize, Deserialize)]
pub struct Storage {
    /// Database engine: `sqlite` or `postgresql`.
    pub kind: String,
    /// The folder.
    pub folder: String,
    /// The command that copies it, also while the server runs.
    pub backup: String,
    /// Total bytes.
    pub bytes: u64,
    /// Parts besides databases, with limits.
    pub parts: Vec<Kept>,
    /// The components' databases, in the folder or on the server.
    pub databases: Vec<Kept>,
}

/// One part of the data folder, or one database.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// Its name, and its bytes.
    #[serde(flatten)]
    pub taken: Taken,
    /// Bytes that it may have, where that is limited.
    pub limit_bytes: Option<u64>,
    /// Rows by table, of a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Vec<Table>>,
    /// Why they cannot be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A table and its row count.
#[derive(Serialize, Deserialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Counted rows.
    pub rows: u32,
    /// Whether there are more rows than were counted.
    pub has_more: bool,
}

/// Reports storage (OPS-3).
pub(super) async fn all(State(operator): State<Operator>) -> Result<Json<Storage>, Refused> {
    let config = operator.calls.config.clone();
    Ok(Json(blocking(move || look(&config, Handle::current())).await?))
}

fn look(config: &Config, runtime: Handle) -> Storage {
    let taken = data::taken(&config.data);
    let audit = (config.audit.files_kept as u64 + 1).saturating_mul(config.audit.bytes_max);
    let limits = BTreeMap::from([
        ("approvals", config.approvals.approvals_bytes_max),
        // Of each of the three kinds.
        ("audit", audit.saturating_mul(3)),
        ("blobs", config.blobs.bytes_max),
        ("tasks", config.tasks.tasks_bytes_max),
    ]);
    let part = |taken: Taken| {
        let limit_bytes = limits.get(&*taken.name).copied();
        Kept { taken, limit_bytes, tables: None, error: None }
    };
    let is_elsewhere = config.store.url.is_some();
    let databases = databases(config, runtime);
    // Files of before the databases were elsewhere are a part like others.
    let is_part = |it: &Taken| is_elsewhere || it.name != "databases";
    let data = config.data.display();
    Storage {
        kind: if is_elsewhere { "postgresql" } else { "sqlite" }.to_owned(),
        folder: data.to_string(),
        backup: format!("madoguchi backup FOLDER --data {data}"),
        bytes: taken.iter().map(|it| it.bytes).sum(),
        parts: taken.into_iter().filter(is_part).map(part).collect(),
        databases,
    }
}

/// The databases by their components' names, or why there are none to see.
fn databases(config: &Config, runtime: Handle) -> Vec<Kept> {
    let kept = |database: StoredDatabase| {
        let own = config.component(&database.taken.name).limits;
        let limits = own.as_ref().unwrap_or(&config.limits);
        let (tables, error) = match database.tables {
            Ok(all) => (Some(all.into_iter().map(table).collect()), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Kept { taken: database.taken, limit_bytes: Some(limits.database_bytes_max), tables, error }
    };
    let stored = config.store.stored(&config.base, &config.data, runtime);
    match stored.and_then(|it| it.databases(ROWS_MAX).map_err(|it| it.to_string())) {
        Ok(all) => all.into_iter().map(kept).collect(),
        Err(error) => {
            let taken = Taken { name: "postgresql".to_owned(), ..Taken::default() };
            vec![Kept { taken, limit_bytes: None, tables: None, error: Some(error) }]
        }
    }
}

fn table((name, rows): (String, u32)) -> Table {
    Table { name, rows: rows.min(ROWS_MAX), has_more: rows > ROWS_MAX }
}

/// `{"table": "…"}`: the table to export.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ExportRequest {
    table: String,
}

/// Exports a table as JSON lines with all callers' rows and without declared secrets. `POST`, because read-only
/// operators must not read stored data.
pub(super) async fn export(
    (State(operator), Path(name)): (State<Operator>, Path<String>),
    body: Bytes,
) -> Result<Response, Refused> {
    let ExportRequest { table } = read_or_none(&body, "{\"table\": \"NAME\"}")?;
    if table.is_empty() {
        return Err(Failure::invalid(
            "the body is {\"table\": \"NAME\"}; GET storage says which there are",
        )
        .into());
    }
    let config = operator.calls.config.clone();
    let (component, runtime) = (name.clone(), Handle::current());
    let file = format!("{name}-{}.jsonl", plain(&table));
    // Early errors get their own response.
    let found = blocking(move || {
        let unreachable = |why| Failure::new("unavailable", 503, why);
        let stored = config.store.stored(&config.base, &config.data, runtime);
        let stored = stored.map_err(unreachable)?;
        let tables = stored.tables(&component).map_err(|it| refused(&it))?;
        match tables.contains(&table) {
            true => Ok((stored, table)),
            false => Err(refused(&ExportError::NoTable { table, tables })),
        }
    });
    let (stored, table) = found.await??;
    let (pieces, received) = mpsc::channel::<std::io::Result<Bytes>>(PIECES_MAX);
    let to = Pieces { to: pieces, runtime: Handle::current() };
    let read = move || {
        let mut to = BufWriter::with_capacity(PIECE_BYTES, to);
        let mut each = |row: serde_json::Map<String, Value>| {
            serde_json::to_writer(&mut to, &row)?;
            to.write_all(b"\n")
        };
        let ended = stored.export(&name, &table, &mut each).map_err(|it| it.to_string());
        if let Err(error) = ended.and_then(|_| to.flush().map_err(|it| it.to_string())) {
            to.get_ref().fail(error);
        }
    };
    // Ends with its reader.
    drop(tokio::task::spawn_blocking(read));
    let body = Body::from_stream(ReceiverStream::new(received));
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{file}\"")),
    ];
    Ok((headers, body).into_response())
}

/// Why nothing is exported.
fn refused(error: &ExportError) -> Failure {
    let (code, status) = match error {
        ExportError::Nothing { .. } => ("unknown_component", 404),
        ExportError::NoTable { .. } => ("unknown_table", 404),
        _ => ("unavailable", 503),
    };
    Failure::new(code, status, error.to_string())
}

/// Streams a tar archive for `madoguchi restore`, as secret as the data folder (OPS-11). `POST`, because read-only
/// operators must not have it. One at a time, without data on PostgreSQL.
pub(super) async fn backup(State(operator): State<Operator>) -> Result<Response, Refused> {
    let Ok(turn) = Arc::clone(&operator.backups).try_acquire_owned() else {
        let message =
            "Another backup is being sent, and there is one at a time; wait until it has come.";
        return Err(Failure::new("backup_running", 409, message).into());
    };
    let (pieces, received) = mpsc::channel::<std::io::Result<Bytes>>(PIECES_MAX);
    let data = operator.calls.config.data.clone();
    let to = Pieces { to: pieces, runtime: Handle::current() };
    let write = move || {
        let _turn = turn;
        let mut to = BufWriter::with_capacity(PIECE_BYTES, to);
        let ended = backup::archive(&data, &mut to);
        let flushed = to.flush();
        match (ended, flushed) {
            (Ok(list), Ok(())) => tracing::info!(files = list.files.len(), "a backup was sent"),
            (Err(error), _) => {
                tracing::warn!("a backup was not sent: {error}");
                to.get_ref().fail(error.to_string());
            }
            (Ok(_), Err(error)) => tracing::warn!("a backup was not sent: {error}"),
        }
    };
    drop(tokio::task::spawn_blocking(write));
    let mut received = ReceiverStream::new(received);
    // Early errors get their own response.
    let first = match received.next().await {
        Some(Err(error)) => {
            return Err(Failure::new("backup_failed", 500, error.to_string()).into());
        }
        first => first.into_iter(),
    };
    let body = Body::from_stream(futures::stream::iter(first).chain(received));
    let now: String = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let headers = [
        (header::CONTENT_TYPE, "application/x-tar".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"madoguchi-backup-{now}.tar\""),
        ),
    ];
    Ok((headers, body).into_response())
}

/// Writer of a backup stream, which fails if the reader stalls.
struct Pieces {
    to: mpsc::Sender<std::io::Result<Bytes>>,
    runtime: Handle,
}

impl Pieces {
    /// Aborts the stream with an error.
    fn fail(&self, error: String) {
        let error = std::io::Error::other(error);
        let _ = self.runtime.block_on(self.to.send_timeout(Err(error), STALLED));
    }
}

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        let sent = self.to.send_timeout(Ok(Bytes::copy_from_slice(piece)), STALLED);
        let gone = |_| std::io::Error::new(std::io::ErrorKind::BrokenPipe, "its reader has gone");
        self.runtime.block_on(sent).map_err(gone)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A table's name as a part of a file's.
fn plain(table: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
    table.chars().take(64).map(plain).collect()
}

/// Plan of the accounts' database on PostgreSQL or in a data folder.
pub fn accounts_plan(is_postgres: bool) -> Plan {
    accounts::plan(is_postgres)
}

/// All other data, in order of insertion.
pub fn parts(config: &Config) -> Vec<Movable> {
    let mut parts = vec![
        store::seal::movable(),
        calls::replay_guard::movable(),
        calls::approvals::movable(&config.approvals),
        mcp::tasks::movable(&config.tasks),
    ];
    parts.extend(store::blobs::movables(&config.blobs));
    parts.extend(registry::revisions::movables());
    parts
}
