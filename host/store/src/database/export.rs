//! Exports a database, also of a running host: a consistent copy, and tables as JSON objects row by row.
//!
//! Declared column types decide: `JSON` is parsed, `SECRET_TEXT` (text to SQLite; token digests, password hashes) is
//! omitted.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value as Json};

use super::connections::{self, Guarded, Site};
use super::guard::is_the_hosts;
use super::moving::quoted;
use super::postgres::Reader;
use super::types::{Limits, Value};
use crate::data::Taken;

/// Why a table could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no such component here, or it has no tables.
    #[error("{component:?} has stored nothing here")]
    Nothing {
        /// The name that was asked for.
        component: String,
    },
    /// There is no such table.
    #[error("no table `{table}`; there are: {}", .tables.join(", "))]
    NoTable {
        /// The name that was asked for.
        table: String,
        /// The tables that there are.
        tables: Vec<String>,
    },
    /// The database cannot be read.
    #[error("cannot read the database")]
    Sqlite(#[from] rusqlite::Error),
    /// The server cannot be asked.
    #[error("the PostgreSQL server says: {0}")]
    Postgres(String),
    /// The receiver of the rows failed.
    #[error("cannot write the rows")]
    Write(#[from] std::io::Error),
}

/// Takes one row; its error ends the export.
pub(super) type Each<'a> = &'a mut dyn FnMut(Map<String, Json>) -> std::io::Result<()>;

/// Stored data of components, readable while hosts run: files in a folder, or schemas on a server (OPS-3). All
/// methods block.
pub enum Stored {
    /// The folder of SQLite's files.
    Files(PathBuf),
    /// A PostgreSQL server.
    Server(Box<Reader>),
}

/// The database of one component.
pub struct StoredDatabase {
    /// The component's name, and what its database takes; one on a server takes no files.
    pub taken: Taken,
    /// The tables, each with its rows.
    pub tables: Result<Vec<(String, u32)>, ExportError>,
}

impl Stored {
    /// All databases by component. At most `most` rows plus one are counted.
    ///
    /// # Errors
    /// See [`ExportError`]. Errors of single files are reported in their place.
    pub fn databases(&self, most: u32) -> Result<Vec<StoredDatabase>, ExportError> {
        let folder = match self {
            Self::Files(folder) => folder,
            Self::Server(server) => return server.databases(most),
        };
        let mut found = BTreeMap::<String, Taken>::new();
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            // Its log and the log's index are a part of it.
            let Some((component, "" | "-wal" | "-shm")) = name.split_once(".db") else { continue };
            let taken = found.entry(component.to_owned()).or_default();
            taken.files += 1;
            taken.bytes += file.metadata().map_or(0, |it| it.len());
        }
        let database = |(name, taken): (String, Taken)| {
            let tables = rows_readonly(&folder.join(format!("{name}.db")), most);
            StoredDatabase { taken: Taken { name, ..taken }, tables }
        };
        Ok(found.into_iter().map(database).collect())
    }

    /// Names of the tables and views of a component.
    pub fn tables(&self, component: &str) -> Result<Vec<String>, ExportError> {
        let tables = match self {
            Self::Files(folder) => tables_readonly(&file(folder, component)?)?,
            Self::Server(server) if is_name(component) => server.tables(component)?,
            Self::Server(_) => Vec::new(),
        };
        if tables.is_empty() { Err(nothing(component)) } else { Ok(tables) }
    }

    /// Hands each row of a table or view to `each`, as a JSON object, in the order of its key; all rows are of one
    /// moment. Returns how many there were.
    pub fn export(&self, component: &str, table: &str, each: Each<'_>) -> Result<u64, ExportError> {
        match self {
            Self::Files(folder) => export_readonly(&file(folder, component)?, table, each),
            Self::Server(server) if is_name(component) => server.export(component, table, each),
            Self::Server(_) => Err(nothing(component)),
        }
    }
}

/// Whether it is a component's database. Those of the host, such as accounts, are not exported.
fn is_name(component: &str) -> bool {
    component.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
}

pub(super) fn nothing(component: &str) -> ExportError {
    ExportError::Nothing { component: component.to_owned() }
}

/// The file of a component's database.
fn file(folder: &Path, component: &str) -> Result<PathBuf, ExportError> {
    let file = folder.join(format!("{component}.db"));
    if is_name(component) && file.is_file() { Ok(file) } else { Err(nothing(component)) }
}

/// Names of the tables and views in a file that another process may have open.
pub(super) fn tables_readonly(path: &Path) -> Result<Vec<String>, ExportError> {
    Ok(open(path)?.host(|it| list(it, true))?)
}

/// The tables in a file that another process may have open, each with its rows: `most` and one where there are more
/// than `most`. Views are left out, for they keep nothing.
fn rows_readonly(path: &Path, most: u32) -> Result<Vec<(String, u32)>, ExportError> {
    let counted: rusqlite::Result<Vec<(String, u32)>> = open(path)?.host(|connection| {
        let count = |name: String| {
            let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT ?1)", quoted(&name));
            let rows =
                connection.query_row(&sql, [most.saturating_add(1)], |row| row.get::<_, u32>(0))?;
            Ok((name, rows))
        };
        list(connection, false)?.into_iter().map(count).collect()
    });
    Ok(counted?)
}

/// Hands each row of a table or view to `each`, as a JSON object, in the order of its key; all rows are of one
/// snapshot. Returns how many there were. Another process may have the file open.
pub(super) fn export_readonly(
    path: &Path,
    table: &str,
    each: Each<'_>,
) -> Result<u64, ExportError> {
    let guarded = open(path)?;
    let tables = guarded.host(|connection| {
        // One snapshot for schema and rows.
        connection.execute_batch("BEGIN")?;
        list(connection, true)
    })?;
    if !tables.iter().any(|known| known == table) {
        return Err(ExportError::NoTable { table: table.to_owned(), tables });
    }
    let columns = guarded.host(|it| columns(it, table))?;
    let sql = guarded.host(|it| select(it, table, &columns))?;
    // A view is the guest's own SQL: it is read with the guest's rights.
    let mut prepared = guarded.connection.prepare(&sql)?;
    let mut rows = prepared.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        each(object(&columns, values(row, &columns)?))?;
        count += 1;
    }
    Ok(count)
}

fn open(path: &Path) -> rusqlite::Result<Guarded> {
    let site = Arc::new(Site::new(path, Limits::default(), true));
    connections::open_reader(&site).map(|it| it.0)
}

/// The names of the tables, and of the views where they are wanted.
pub(super) fn list(connection: &Connection, views: bool) -> rusqlite::Result<Vec<String>> {
    let mut prepared = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE (type = 'table' OR ?1 AND type = 'view')
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let names = prepared.query_map([views], |row| row.get::<_, String>(0))?;
    names.filter(|name| !matches!(name, Ok(name) if is_the_hosts(name))).collect()
}

/// The type of columns that are not exported, neither by their table nor by a view that has them as
/// they are.
const SECRET: &str = "SECRET_TEXT";

pub(super) struct Column {
    pub(super) name: String,
    pub(super) is_json: bool,
    /// Whether it is left out of exports.
    pub(super) is_secret: bool,
    /// Place in the primary key from 1; 0 of a column that is not in it.
    pub(super) key: u32,
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    connection
        .prepare(
            "SELECT name, type, pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid",
        )?
        .query_map([table], |row| {
            let declared: String = row.get(1)?;
            Ok(Column {
                name: row.get(0)?,
                is_json: declared.eq_ignore_ascii_case("JSON"),
                is_secret: declared.eq_ignore_ascii_case(SECRET),
                key: row.get(2)?,
            })
        })?
        .collect()
}

fn select(connection: &Connection, table: &str, columns: &[Column]) -> rusqlite::Result<String> {
    let is_table = connection.query_row(
        "SELECT type = 'table' FROM sqlite_schema WHERE name = ?1",
        [table],
        |row| row.get::<_, bool>(0),
    )?;
    let free = |name: &&str| !columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    let inserted = ["rowid", "_rowid_", "oid"].into_iter().find(free);
    Ok(in_order(&quoted(table), columns, inserted.filter(|_| is_table)))
}

/// The query of all that is exported of `table`, in the order of the primary key; without one, in that in which rows
/// were `inserted`; a view in its own.
pub(super) fn in_order(table: &str, columns: &[Column], inserted: Option<&str>) -> String {
    let names = columns.iter().filter(|it| !it.is_secret).map(|it| quoted(&it.name));
    let names: Vec<_> = names.collect();
    let names = if names.is_empty() { "NULL".to_owned() } else { names.join(", ") };
    let mut key: Vec<_> = columns.iter().filter(|it| it.key > 0).collect();
    key.sort_by_key(|it| it.key);
    let key: Vec<_> = key.iter().map(|it| quoted(&it.name)).collect();
    let order = if key.is_empty() { inserted.map(str::to_owned) } else { Some(key.join(", ")) };
    let order = order.map(|it| format!(" ORDER BY {it}")).unwrap_or_default();
    format!("SELECT {names} FROM {table}{order}")
}

fn values(row: &Row<'_>, columns: &[Column]) -> rusqlite::Result<Vec<Value>> {
    let of = |at: usize| {
        Ok(match row.get_ref(at)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(integer) => Value::Integer(integer),
            ValueRef::Real(real) => Value::Real(real),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        })
    };
    (0..columns.iter().filter(|it| !it.is_secret).count()).map(of).collect()
}

/// A row as a JSON object: its `values` are those of the `columns` that are exported.
pub(super) fn object(columns: &[Column], values: Vec<Value>) -> Map<String, Json> {
    let json = |column: &Column, value| match value {
        Value::Null => Json::Null,
        Value::Integer(integer) => integer.into(),
        Value::Real(real) => number(real),
        Value::Text(text) => {
            let parsed = if column.is_json { serde_json::from_str(&text).ok() } else { None };
            parsed.unwrap_or(Json::String(text))
        }
        Value::Blob(bytes) => BASE64_STANDARD.encode(bytes).into(),
    };
    let exported = columns.iter().filter(|it| !it.is_secret);
    exported.zip(values).map(|(it, value)| (it.name.clone(), json(it, value))).collect()
}

/// Formats a number. JSON has no infinity, so a text replaces it.
fn number(real: f64) -> Json {
    serde_json::Number::from_f64(real).map_or_else(|| real.to_string().into(), Json::Number)
}

/// How long to wait for a checkpoint of another process.
const BUSY_TIME: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// Copies the database in `from` into `to`, which is not there yet; all of it is of one moment.
///
/// # Errors
/// If it stays locked or is damaged, or a file cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags)?;
    source.busy_timeout(BUSY_TIME)?;
    crate::private::create_new(to)?;
    let mut copy = Connection::open(to)?;
    // In one step, so that nothing changes meanwhile; writers go on writing into their log.
    let backup = Backup::new(&source, &mut copy)?;
    let mut waited = Duration::ZERO;
    while !matches!(backup.step(-1)?, StepResult::Done) {
        if waited > BUSY_TIME {
            return Err("it is busy; try again".into());
        }
        std::thread::sleep(BUSY_PAUSE);
        waited += BUSY_PAUSE;
    }
    drop(backup);
    let found: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(format!("it is damaged: {found}").into());
    }
    copy.close().map_err(|(_, error)| error)?;
    std::fs::File::open(to)?.sync_all()?;
    Ok(())
}
