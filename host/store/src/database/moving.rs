//! Moves between engines, on SQLite's side: applied migrations, tables, and a digest of each table's rows that is equal
//! on both sides (STO-42).
//!
//! Rows are digested without an order, for the engines have none in common, and as they are kept: a column of JSON
//! holds numbers as such in SQLite, and as their text in PostgreSQL.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rusqlite::{Connection, OptionalExtension as _, params_from_iter};
use sha2::{Digest as _, Sha256};

use super::{
    Database,
    connections::{self, Guarded, Site},
    export, mark,
    migrations::{self, Migration},
    run::owned_value,
    types::{Limits, Value},
};
use crate::{
    data::{DATABASES, DataError, MOVED, finish_move},
    private,
};

/// Staging folder of a move.
const STAGING: &str = ".moving";
/// Other parts that a move writes.
const WRITTEN: [&str; 5] = [DATABASES, "approvals", "blobs", "generations", "tasks"];

impl DataError {
    /// Error for an unreadable or unwritable object.
    pub(super) fn for_name(name: &str, error: &dyn std::fmt::Display) -> Self {
        Self(format!("{name}: {error}; nothing was moved"))
    }
}

/// The migrations that were applied to a component's database, by their hashes in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The component's name.
    pub component: String,
    /// A hash for each.
    pub hashes: Vec<String>,
}

/// Migrations of a database before its rows are moved.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) component: String,
    pub(super) migrations: Vec<Migration>,
}

impl Plan {
    /// Plan of a host database, whose name starts with a dot: migrations of the target engine, which may have
    /// different integer columns.
    pub fn of_host(name: &str, migrations: Vec<Migration>) -> Self {
        Self { component: name.to_owned(), migrations }
    }

    pub(super) fn is_hosts(&self) -> bool {
        self.component.starts_with('.')
    }
}

/// A table that was moved and compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The component's name, or `madoguchi` for what the host keeps.
    pub component: String,
    /// The table's name.
    pub table: String,
    /// Rows on either side.
    pub rows: u64,
    /// The digest of its rows on either side, in hexadecimal.
    pub digest: String,
}

impl Recorded {
    /// The plan by `list`, if it starts with the applied migrations.
    pub fn plan(&self, list: &[Migration]) -> Option<Plan> {
        let applied = list.get(..self.hashes.len())?;
        let is_known = applied.iter().zip(&self.hashes).all(|(it, hash)| it.hash() == *hash);
        is_known.then(|| Plan { component: self.component.clone(), migrations: applied.to_vec() })
    }
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Real,
    Text,
    Blob,
    Json,
}

/// A table, with its columns in the order in which rows are read and written.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<(String, Kind)>,
}

impl Table {
    /// The names of its columns, for a statement of either engine.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|it| quoted(&it.0)).collect();
        names.join(", ")
    }

    /// Name and columns, folded alike for both engines.
    fn shape(&self) -> String {
        let mut names: Vec<_> = self.columns.iter().map(|it| it.0.to_ascii_lowercase()).collect();
        names.sort();
        format!("{}({})", self.name.to_ascii_lowercase(), names.join(", "))
    }

    /// A row as PostgreSQL keeps it.
    pub(super) fn fit(&self, mut row: Vec<Value>) -> Result<Vec<Value>, DataError> {
        for (value, (column, kind)) in row.iter_mut().zip(&self.columns) {
            let found = match (&*value, kind) {
                (Value::Null, _)
                | (Value::Integer(_), Kind::Integer)
                | (Value::Real(_), Kind::Real)
                | (Value::Blob(_), Kind::Blob)
                | (Value::Text(_), Kind::Text | Kind::Json) => continue,
                (Value::Integer(it), Kind::Json) => {
                    *value = Value::Text(it.to_string());
                    continue;
                }
                (Value::Real(it), Kind::Json) if it.is_finite() => {
                    *value = Value::Text(it.to_string());
                    continue;
                }
                (Value::Integer(_), _) => "an integer",
                (Value::Real(_), _) => "a real number",
                (Value::Text(_), _) => "a text",
                (Value::Blob(_), _) => "bytes",
            };
            return Err(DataError(format!(
                "the column {column} of the table {} holds {found} in a row, which PostgreSQL does not keep there: correct that row first",
                self.name
            )));
        }
        Ok(row)
    }
}

/// The digest of rows in whatever order.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) rows: u64,
    sum: [u64; 4],
}

impl Tally {
    pub(super) fn add(&mut self, table: &Table, row: &[Value]) {
        let mut hash = Sha256::new();
        let mut put = |tag: u8, bytes: &[u8]| {
            hash.update([tag]);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        for (value, (_, kind)) in row.iter().zip(&table.columns) {
            let number = if *kind == Kind::Json { number(value) } else { None };
            match number.as_ref().unwrap_or(value) {
                Value::Null => put(0, &[]),
                Value::Integer(it) => put(1, &it.to_le_bytes()),
                Value::Real(it) => put(2, &it.to_bits().to_le_bytes()),
                Value::Text(it) => put(3, it.as_bytes()),
                Value::Blob(it) => put(4, it),
            }
        }
        self.rows += 1;
        let digest = hash.finalize();
        for (sum, bytes) in self.sum.iter_mut().zip(digest.chunks_exact(8)) {
            let part = bytes.try_into().map_or(0, u64::from_le_bytes);
            *sum = sum.wrapping_add(part);
        }
    }

    pub(super) fn digest(&self) -> String {
        self.sum.iter().map(|it| format!("{it:016x}")).collect()
    }

    /// The result, if it equals `other`.
    pub(super) fn same_as(
        &self,
        other: &Self,
        (component, table): (&str, &Table),
    ) -> Result<Moved, DataError> {
        let (component, table, rows) = (component.to_owned(), table.name.clone(), self.rows);
        if self != other {
            return Err(DataError(format!(
                "{component}: the table {table} has {rows} rows with the digest {} here and {} with {} there; nothing was moved",
                self.digest(),
                other.rows,
                other.digest()
            )));
        }
        Ok(Moved { component, table, rows, digest: self.digest() })
    }
}

/// A number in a column of JSON, whichever way it is kept there.
fn number(value: &Value) -> Option<Value> {
    let real = match value {
        Value::Integer(_) => return Some(value.clone()),
        Value::Real(it) => *it,
        Value::Text(text) => {
            let text = text.trim();
            if !text.starts_with(|it: char| it.is_ascii_digit() || "+-.".contains(it)) {
                return None;
            }
            match text.parse() {
                Ok(integer) => return Some(Value::Integer(integer)),
                Err(_) => text.parse().ok().filter(|it: &f64| it.is_finite())?,
            }
        }
        _ => return None,
    };
    // Both readings of a number with no digits behind its point are the same one.
    let whole = format!("{real:.0}").parse().ok().filter(|it: &i64| *it as f64 == real);
    Some(whole.map_or(Value::Real(real), Value::Integer))
}

/// The tables of PostgreSQL that SQLite has as well.
pub(super) fn common(there: &[Table], here: &[Table]) -> Vec<Table> {
    let both = there.iter().filter_map(|table| {
        let own = here.iter().find(|own| own.name == table.name)?;
        let is_own = |column: &&(String, Kind)| own.columns.iter().any(|it| it.0 == column.0);
        let columns = table.columns.iter().filter(is_own).cloned().collect();
        Some(Table { name: table.name.clone(), columns })
    });
    both.collect()
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Refuses where both sides have not the same tables.
pub(super) fn check_shapes(
    component: &str,
    here: &[Table],
    there: &[Table],
) -> Result<(), DataError> {
    let here: BTreeSet<_> = here.iter().map(Table::shape).collect();
    let there: BTreeSet<_> = there.iter().map(Table::shape).collect();
    match here.symmetric_difference(&there).next() {
        None => Ok(()),
        Some(table) => Err(DataError(format!(
            "{component}: the table {table} is on one side only, though both were made by the same migrations; nothing was moved"
        ))),
    }
}

/// Components with databases in `data`, with applied migrations.
///
/// # Errors
/// When one cannot be read or is damaged.
pub fn recorded(data: &Path) -> Result<Vec<Recorded>, DataError> {
    let mut found = Vec::new();
    for (component, path) in files(data)? {
        let source = Source::open(&component, &path)?;
        let hashes = source.guarded.host(|connection| {
            let there = "SELECT 1 FROM sqlite_schema WHERE name = 'madoguchi_migrations'";
            if connection.query_row(there, [], |_| Ok(())).optional()?.is_none() {
                return Ok(Vec::new());
            }
            migrations::known(connection)
        });
        let hashes = hashes.map_err(|it| source.failed(&it))?;
        if hashes.is_empty() && source.tables()?.is_empty() {
            continue;
        }
        found.push(Recorded { component, hashes });
    }
    Ok(found)
}

/// Database files of components. Host files start with a dot.
fn files(data: &Path) -> Result<Vec<(String, PathBuf)>, DataError> {
    let component = |name: &str| {
        let name = name.strip_suffix(".db")?;
        (!name.starts_with('.')).then(|| name.to_owned())
    };
    let found = entries(data)?.into_iter();
    Ok(found.filter_map(|(name, path)| Some((component(&name)?, path))).collect())
}

/// Files in the database folder by name.
fn entries(data: &Path) -> Result<Vec<(String, PathBuf)>, DataError> {
    let folder = data.join(DATABASES);
    let entries =
        private::if_exists(fs::read_dir(&folder)).map_err(|it| failed_at(&folder, &it))?;
    let named = |it: fs::DirEntry| Some((it.file_name().into_string().ok()?, it.path()));
    let mut found: Vec<_> = entries.into_iter().flatten().flatten().filter_map(named).collect();
    found.sort();
    Ok(found)
}

fn failed_at(path: &Path, error: &io::Error) -> DataError {
    DataError(format!("{}: {error}", path.display()))
}

/// A component's file, to be read.
pub(super) struct Source {
    component: String,
    guarded: Guarded,
}

impl Source {
    /// Whether the data folder `data` has a file for that plan.
    pub(super) fn is_there(data: &Path, plan: &Plan) -> bool {
        data.join(DATABASES).join(format!("{}.db", plan.component)).is_file()
    }

    /// The file of a component in the data folder `data`.
    pub(super) fn of_component(data: &Path, component: &str) -> Result<Self, DataError> {
        Self::open(component, &data.join(DATABASES).join(format!("{component}.db")))
    }

    fn open(component: &str, path: &Path) -> Result<Self, DataError> {
        // Rows have the sizes that they have.
        let limits = Limits { value_bytes_max: i32::MAX as usize, ..Limits::default() };
        let site = Arc::new(Site::new(path, limits, true));
        let damaged = |it: super::OpenError| DataError(format!("{component}: {it}"));
        mark::check_file(&site).map_err(damaged)?;
        let opened = connections::open_reader(&site);
        let (guarded, _) = opened.map_err(|it| DataError(format!("{}: {it}", path.display())))?;
        mark::check(&guarded).map_err(damaged)?;
        Ok(Self { component: component.to_owned(), guarded })
    }

    pub(super) fn failed(&self, error: &rusqlite::Error) -> DataError {
        DataError(format!("{}: {error}", self.component))
    }

    /// Its tables, without what their columns hold.
    pub(super) fn tables(&self) -> Result<Vec<Table>, DataError> {
        self.guarded.host(tables).map_err(|it| self.failed(&it))
    }

    /// Reads the rows of `table`.
    pub(super) fn rows(&self, table: &Table) -> Result<Reading<'_>, DataError> {
        let sql = format!("SELECT {} FROM {}", table.names(), quoted(&table.name));
        let statement = self.guarded.connection.prepare(&sql).map_err(|it| self.failed(&it))?;
        Ok(Reading { source: self, statement })
    }
}

fn tables(of: &Connection) -> rusqlite::Result<Vec<Table>> {
    let table = |name: String| {
        let sql = "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0";
        let columns: rusqlite::Result<Vec<(String, Kind)>> =
            of.prepare(sql)?.query_map([&name], |row| Ok((row.get(0)?, Kind::Text)))?.collect();
        Ok(Table { name, columns: columns? })
    };
    export::list(of, false)?.into_iter().map(table).collect()
}

/// The rows of a table, as they come.
pub(super) struct Reading<'a> {
    source: &'a Source,
    statement: rusqlite::Statement<'a>,
}

impl Reading<'_> {
    /// Iterates rows as stored on PostgreSQL.
    pub(super) fn each(&mut self) -> Result<impl FnMut(&Table) -> Next, DataError> {
        let source = self.source;
        let columns = self.statement.column_count();
        let mut rows = self.statement.query([]).map_err(|it| source.failed(&it))?;
        Ok(move |table: &Table| {
            let row = match rows.next().map_err(|it| source.failed(&it))? {
                None => return Ok(None),
                Some(row) => row,
            };
            let value =
                |at| owned_value(row.get_ref(at)?).map_err(|it| rusqlite::Error::Utf8Error(at, it));
            let row: rusqlite::Result<Vec<_>> = (0..columns).map(value).collect();
            table.fit(row.map_err(|it| source.failed(&it))?).map(Some)
        })
    }
}

/// The next row, if there is one.
pub(super) type Next = Result<Option<Vec<Value>>, DataError>;

/// Refuses a data folder with existing data: databases, those of `plans`, or host data in `ways`.
pub(super) fn check_vacant(data: &Path, plans: &[Plan], ways: &[&str]) -> Result<(), DataError> {
    // A log that is left of a database would be taken for the new one's.
    let is_in_the_way = |name: &str| {
        let own = plans.iter().filter(|it| it.is_hosts());
        let is_hosts = own.into_iter().any(|it| name.starts_with(&format!("{}.db", it.component)));
        is_hosts || name.contains(".db") && !name.starts_with('.')
    };
    let found = entries(data)?.into_iter().filter(|it| is_in_the_way(&it.0));
    let mut found: Vec<_> = found.map(|it| it.1).collect();
    let databases = (!found.is_empty()).then_some("databases");
    found.extend(ways.iter().map(|it| data.join(it)));
    if let Some(first) = found.first() {
        let names: Vec<_> = databases.into_iter().chain(ways.iter().copied()).collect();
        return Err(DataError(format!(
            "{} is there, and a move fills a data folder that has nothing of what comes: move the files and folders {} of {} away first, or name another data folder with --data",
            first.display(),
            names.join(", "),
            data.display()
        )));
    }
    let device =
        |it: &Path| fs::metadata(it).ok().map(|it| std::os::unix::fs::MetadataExt::dev(&it));
    let elsewhere = |it: &PathBuf| device(it).is_some_and(|own| Some(own) != device(data));
    match WRITTEN.iter().map(|it| data.join(it)).find(elsewhere) {
        None => Ok(()),
        Some(path) => Err(DataError(format!(
            "{} is on another file system than {}, and what comes is put there in one step: name a data folder that is on one with --data, and copy it",
            path.display(),
            data.display()
        ))),
    }
}

/// The files of a move or a backup that come into a data folder, until they are put where a server looks for them;
/// removed where that is not ended.
pub(crate) struct Staging {
    data: PathBuf,
    folder: PathBuf,
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Staging {
    /// Starts a move and removes leftovers of a killed one.
    pub(crate) fn begin(data: &Path) -> Result<Self, DataError> {
        let folder = data.join(STAGING);
        let begun = private::if_exists(fs::remove_dir_all(&folder))
            .and_then(|_| private::make_folder(&folder.join(DATABASES)));
        begun.map_err(|it| failed_at(&folder, &it))?;
        Ok(Self { data: data.to_owned(), folder })
    }

    /// Staging folder, laid out as a data folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The database of a component, made by its migrations and with no row in it.
    pub(super) async fn database(&self, plan: &Plan) -> Result<Target, DataError> {
        let component = &plan.component;
        let path = self.folder.join(DATABASES).join(format!("{component}.db"));
        let failed = |what: &dyn std::fmt::Display| DataError(format!("{component}: {what}"));
        let database = Database::open(&path, Limits::default()).map_err(|it| failed(&it))?;
        let migrated = database.migrate(&plan.migrations).await;
        database.close().await;
        migrated.map_err(|it| failed(&it))?;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(&path)?;
            connection.pragma_update(None, "foreign_keys", false)?;
            connection.execute_batch("BEGIN IMMEDIATE")?;
            Ok(connection)
        };
        let connection = open().map_err(|it| failed(&it))?;
        Ok(Target { component: component.clone(), path, connection })
    }

    /// Puts all of it where a server looks for it: from one step on, whatever comes, the folder is not used before that
    /// is done.
    pub(crate) fn install(self) -> Result<(), DataError> {
        let moved = self.data.join(MOVED);
        let install = || {
            rustix::fs::sync();
            fs::rename(&self.folder, &moved)?;
            File::open(&self.data)?.sync_all()?;
            finish_move(&self.data)
        };
        install().map_err(|it| failed_at(&moved, &it))
    }
}

/// A component's file that is being filled.
pub(super) struct Target {
    component: String,
    path: PathBuf,
    connection: Connection,
}

impl Target {
    fn failed(&self, error: &rusqlite::Error) -> DataError {
        DataError(format!("{}: {error}", self.component))
    }

    /// Its tables, without what their columns hold.
    pub(super) fn tables(&self) -> Result<Vec<Table>, DataError> {
        tables(&self.connection).map_err(|it| self.failed(&it))
    }

    /// Removes what the migrations themselves have put into a table.
    pub(super) fn empty(&self, table: &Table) -> Result<(), DataError> {
        let sql = format!("DELETE FROM {}", quoted(&table.name));
        self.connection.execute(&sql, []).map(drop).map_err(|it| self.failed(&it))
    }

    pub(super) fn put(&self, table: &Table, row: &[Value]) -> Result<(), DataError> {
        let places = vec!["?"; row.len()].join(", ");
        let sql =
            format!("INSERT INTO {} ({}) VALUES ({places})", quoted(&table.name), table.names());
        let put = || -> rusqlite::Result<()> {
            self.connection.prepare_cached(&sql)?.execute(params_from_iter(row)).map(drop)
        };
        put().map_err(|it| self.failed(&it))
    }

    /// Checks references, commits, and reopens the file.
    pub(super) fn commit(self) -> Result<Source, DataError> {
        let broken = "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1";
        let broken = self.connection.query_row(broken, [], |row| row.get::<_, String>(0));
        if let Some(table) = broken.optional().map_err(|it| self.failed(&it))? {
            let component = &self.component;
            return Err(DataError(format!(
                "{component}: a row of the table {table} refers to one that is not there"
            )));
        }
        self.connection.execute_batch("COMMIT").map_err(|it| self.failed(&it))?;
        let Self { component, path, connection } = self;
        // With the last connection its log goes home into the file.
        let closed = connection.close();
        closed.map_err(|(_, it)| DataError(format!("{component}: {it}")))?;
        let synced = File::open(&path).and_then(|it| it.sync_all());
        synced.map_err(|it| failed_at(&path, &it))?;
        Source::open(&component, &path)
    }
}

// Data of the host as rows, equal in a data folder and on PostgreSQL, so that moves include and compare it (STO-46).

/// The rows of a part, as they come.
pub type Rows = Box<dyn Iterator<Item = io::Result<Vec<Value>>>>;
/// Reads rows of a data folder without changes.
type Read = Box<dyn Fn(&Path) -> io::Result<Rows>>;
/// Writes a row to a folder that has only rows written before it.
type Put = Box<dyn Fn(&Path, &[Value]) -> io::Result<()>>;
/// Adapts a row to both sides, or explains why it cannot be moved.
type Fit = Box<dyn Fn(Vec<Value>) -> Result<Vec<Value>, String>>;

/// A part of the host's data, and its table in the schema `madoguchi_host`.
pub struct Movable {
    /// Name for display.
    pub name: &'static str,
    /// The values of a row.
    pub columns: &'static [(&'static str, Kind)],
    /// The query that gives all rows, and the statement that puts one there.
    pub select: String,
    pub insert: &'static str,
    /// Path in a data folder that must be empty before a move. Mere copies are replaced.
    pub path: Option<&'static str>,
    pub rows: Read,
    pub put: Put,
    pub fit: Fit,
}

impl Movable {
    pub(super) fn table(&self) -> Table {
        let columns = self.columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind));
        Table { name: self.name.to_owned(), columns: columns.collect() }
    }
}

/// Rows in `folder`, adapted to both sides.
pub(super) fn fitting<'a>(
    part: &'a Movable,
    table: &'a Table,
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Vec<Value>, DataError>> + use<'a>, DataError> {
    let rows = (part.rows)(folder).map_err(|it| DataError::for_name(&table.name, &it))?;
    Ok(rows.map(|row| fit(part, table, row.map_err(|it| DataError::for_name(&table.name, &it))?)))
}

/// Adapts a row to both sides.
pub(super) fn fit(part: &Movable, table: &Table, row: Vec<Value>) -> Result<Vec<Value>, DataError> {
    table.fit((part.fit)(row).map_err(|it| DataError::for_name(&table.name, &it))?)
}

/// Error for a foreign row.
pub fn no_row() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a row there is not as it should be")
}
