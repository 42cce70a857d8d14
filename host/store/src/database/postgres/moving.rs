//! A move of everything that components have in SQL, from the files of SQLite to a PostgreSQL server and back
//! (STO-42): whole or not at all, and compared before it counts.

use std::path::Path;
use std::pin::pin;

use bytes::Bytes;
use futures::TryStreamExt as _;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error as PgError};

use super::super::moving::{
    Kind, MoveError, Moved, Plan, Recorded, Source, Staging, Table, Tally, check_shapes, quoted,
};
use super::super::types::Limits;
use super::super::{Engine, migrations::MigrateError};
use super::failed::cause;
use super::server::Server;
use super::values::{Cell, Parameter};
use super::{Postgres, server::schema_of};

/// Rows that are read before they are written.
const ROWS_AT_A_TIME: usize = 256;
const SCHEMA_PREFIX: &str = "component_";
/// What the host itself keeps in the way of a component, such as accounts, which is not moved.
const HOSTS: &str = "component\\_.%";

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "int8" => Self::Integer,
            "float8" => Self::Real,
            "text" | "secret_text" => Self::Text,
            "bytea" => Self::Blob,
            "json_text" => Self::Json,
            _ => return None,
        })
    }

    fn sent_as(self) -> Type {
        match self {
            Self::Integer => Type::INT8,
            Self::Real => Type::FLOAT8,
            Self::Text | Self::Json => Type::TEXT,
            Self::Blob => Type::BYTEA,
        }
    }
}

fn failed(component: &str, error: &PgError) -> MoveError {
    let why = error.as_db_error().map_or_else(|| cause(error), |it| it.message().to_owned());
    MoveError(format!("{component}: the PostgreSQL server says: {why}; nothing was moved"))
}

/// The component whose schema is called so, among those that are `known`.
fn component_of(schema: &str, known: &[String]) -> String {
    let found = known.iter().find(|it| schema_of(it) == schema).map(String::as_str);
    found.or(schema.strip_prefix(SCHEMA_PREFIX)).unwrap_or(schema).to_owned()
}

impl Server {
    /// The components that have tables here, and the migrations that were applied to each; `known` are the names of
    /// those that may have.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn recorded(&self, known: &[String]) -> Result<Vec<Recorded>, MoveError> {
        let client = self.mover().await?;
        let sql = "SELECT component, hash FROM madoguchi.migrations WHERE component NOT LIKE $1
            ORDER BY component, number";
        let rows = client.query(sql, &[&HOSTS]).await.map_err(|it| failed("madoguchi", &it))?;
        let mut found: Vec<Recorded> = Vec::new();
        for row in rows {
            let (component, hash) = (component_of(row.get(0), known), row.get(1));
            match found.last_mut().filter(|it| it.component == component) {
                Some(it) => it.hashes.push(hash),
                None => found.push(Recorded { component, hashes: vec![hash] }),
            }
        }
        Ok(found)
    }

    async fn mover(&self) -> Result<Client, MoveError> {
        let connected = self.way().connect().await;
        connected.map_err(|it| failed("madoguchi", &it))
    }

    /// Fills this server, where no component has anything yet, with what the files in the data folder `data` hold; all
    /// in one transaction. The files stay as they are.
    ///
    /// # Errors
    /// Why nothing was moved.
    pub async fn fill_from(&self, data: &Path, plans: &[Plan]) -> Result<Vec<Moved>, MoveError> {
        let client = self.mover().await?;
        let there = "SELECT component FROM madoguchi.migrations WHERE component NOT LIKE $1 UNION ALL
            SELECT nspname || '.' || relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
            WHERE nspname LIKE 'component\\_%' AND nspname NOT LIKE $1 AND relkind IN ('r', 'p', 'v', 'm') LIMIT 1";
        let there =
            client.query_opt(there, &[&HOSTS]).await.map_err(|it| failed("madoguchi", &it))?;
        if let Some(found) = there {
            return Err(MoveError(format!(
                "{} has {} already, and a move fills a database in which components have nothing: name another one",
                self.place(),
                found.get::<_, String>(0)
            )));
        }
        let mut databases = Vec::new();
        for plan in plans {
            let made = self.database(&plan.component, Limits::default()).await;
            databases.push(made.map_err(|it| MoveError(it.to_string()))?);
        }
        client.batch_execute("BEGIN").await.map_err(|it| failed("madoguchi", &it))?;
        let mut moved = Vec::new();
        for (plan, database) in plans.iter().zip(&databases) {
            let Engine::Postgres(it) = &database.0 else { continue };
            moved.extend(it.fill(&client, data, plan).await?);
        }
        client.batch_execute("COMMIT").await.map_err(|it| failed("madoguchi", &it))?;
        for database in databases {
            database.close().await;
        }
        Ok(moved)
    }

    /// Makes files of all that components have here, in the data folder `data`, where none has a file yet. What is here
    /// stays as it is.
    ///
    /// # Errors
    /// Why nothing was moved.
    pub async fn empty_into(&self, data: &Path, plans: &[Plan]) -> Result<Vec<Moved>, MoveError> {
        let staging = Staging::begin(data)?;
        let client = self.mover().await?;
        let begin =
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0";
        client.batch_execute(begin).await.map_err(|it| failed("madoguchi", &it))?;
        let mut moved = Vec::new();
        for plan in plans {
            let component = &plan.component;
            let schema = schema_of(component);
            let tables = tables(&client, component, &schema).await?;
            let target = staging.database(plan).await?;
            tables.iter().try_for_each(|it| target.empty(it))?;
            let mut tallies = Vec::new();
            for table in &tables {
                let put = |rows: &[Vec<_>]| rows.iter().try_for_each(|it| target.put(table, it));
                tallies.push(read(&client, (component, &schema), table, put).await?);
            }
            let source = target.commit()?;
            check_shapes(component, &source.shapes()?, &tables)?;
            for (table, tally) in tables.iter().zip(tallies) {
                let mut found = Tally::default();
                let mut rows = source.rows(table)?;
                let mut next = rows.each()?;
                while let Some(row) = next(table)? {
                    found.add(table, &row);
                }
                moved.push(tally.same_as(&found, (component, table))?);
            }
        }
        staging.install()?;
        Ok(moved)
    }
}

impl Postgres {
    /// Fills the schema of a component, with its own rights, in the transaction of `client`.
    async fn fill(
        &self,
        client: &Client,
        data: &Path,
        plan: &Plan,
    ) -> Result<Vec<Moved>, MoveError> {
        let (component, schema) = (plan.component.as_str(), self.schema.as_str());
        let failed = |it: PgError| failed(component, &it);
        let migrated = self.apply_on(client, &plan.migrations).await;
        migrated.map_err(|it: MigrateError| MoveError(format!("{component}: {it}")))?;
        let becomes =
            "SELECT set_config('role', $1, true), set_config('statement_timeout', '0', true)";
        client.query_one(becomes, &[&self.role]).await.map_err(failed)?;
        let source = Source::of(data, component)?;
        let tables = tables(client, component, schema).await?;
        check_shapes(component, &source.shapes()?, &tables)?;
        // What the migrations themselves have put there is among what comes.
        let names: Vec<_> = tables.iter().map(|it| named(schema, &it.name)).collect();
        if !names.is_empty() {
            let sql = format!("TRUNCATE {}", names.join(", "));
            client.batch_execute(&sql).await.map_err(failed)?;
        }
        // Rows may refer to some that come later.
        let references = references(client, schema).await.map_err(failed)?;
        for it in &references {
            let sql = format!("{it} DEFERRABLE INITIALLY DEFERRED");
            client.batch_execute(&sql).await.map_err(failed)?;
        }
        client.batch_execute("SET CONSTRAINTS ALL DEFERRED").await.map_err(failed)?;
        let mut tallies = Vec::new();
        for table in &tables {
            tallies.push(copy(client, (component, schema), table, &source).await?);
        }
        client.batch_execute("SET CONSTRAINTS ALL IMMEDIATE").await.map_err(failed)?;
        for it in &references {
            client.batch_execute(&format!("{it} NOT DEFERRABLE")).await.map_err(failed)?;
        }
        number_on(client, schema).await.map_err(failed)?;
        let mut moved = Vec::new();
        for (table, tally) in tables.iter().zip(tallies) {
            let found = read(client, (component, schema), table, |_| Ok(())).await?;
            moved.push(tally.same_as(&found, (component, table))?);
        }
        let itself = "SELECT set_config('role', 'none', true)";
        client.query_one(itself, &[]).await.map_err(failed)?;
        Ok(moved)
    }
}

fn named(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

/// The tables of a schema.
async fn tables(client: &Client, component: &str, schema: &str) -> Result<Vec<Table>, MoveError> {
    let sql = "SELECT c.relname, a.attname, t.typname FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
        JOIN pg_type t ON t.oid = a.atttypid
        WHERE n.nspname = $1 AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY c.relname COLLATE \"C\", a.attnum";
    let rows = client.query(sql, &[&schema]).await.map_err(|it| failed(component, &it))?;
    let mut found: Vec<Table> = Vec::new();
    for row in rows {
        let (name, column, typename): (String, String, String) =
            (row.get(0), row.get(1), row.get(2));
        let Some(kind) = Kind::of(&typename) else {
            return Err(MoveError(format!(
                "{component}: the column {column} of the table {name} is of the type {typename}, which SQLite and PostgreSQL do not share; nothing was moved"
            )));
        };
        match found.last_mut().filter(|it| it.name == name) {
            Some(it) => it.columns.push((column, kind)),
            None => found.push(Table { name, columns: vec![(column, kind)] }),
        }
    }
    Ok(found)
}

/// The beginning of a statement that changes a reference, for each of the schema.
async fn references(client: &Client, schema: &str) -> Result<Vec<String>, PgError> {
    let sql = "SELECT format('ALTER TABLE %I.%I ALTER CONSTRAINT %I', nspname, relname, conname)
        FROM pg_constraint o JOIN pg_class c ON c.oid = conrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = $1 AND contype = 'f'";
    let rows = client.query(sql, &[&schema]).await?;
    Ok(rows.iter().map(|it| it.get(0)).collect())
}

/// Has numbers that rows are given go on where those that are there end.
async fn number_on(client: &Client, schema: &str) -> Result<(), PgError> {
    let sql = "SELECT format(
            'SELECT setval(pg_get_serial_sequence(%L, %L), greatest(max(%I), 1), max(%I) >= 1) FROM %I.%I',
            format('%I.%I', nspname, relname), attname, attname, attname, nspname, relname)
        FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = $1 AND attidentity <> ''";
    for row in client.query(sql, &[&schema]).await? {
        client.batch_execute(row.get(0)).await?;
    }
    Ok(())
}

/// Copies the rows of a table from a file, and says what they were.
async fn copy(
    client: &Client,
    (component, schema): (&str, &str),
    table: &Table,
    source: &Source,
) -> Result<Tally, MoveError> {
    let failed = |it: PgError| {
        let MoveError(why) = failed(component, &it);
        MoveError(format!("{why} (table {})", table.name))
    };
    let (name, columns) = (named(schema, &table.name), table.names());
    let sql = format!("COPY {name} ({columns}) FROM STDIN BINARY");
    let sink = client.copy_in::<_, Bytes>(&sql).await.map_err(failed)?;
    let types: Vec<_> = table.columns.iter().map(|it| it.1.sent_as()).collect();
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
    let (mut tally, mut rows) = (Tally::default(), source.rows(table)?);
    let mut next = rows.each()?;
    while let Some(row) = next(table)? {
        tally.add(table, &row);
        writer.as_mut().write_raw(row.iter().map(Parameter)).await.map_err(failed)?;
    }
    writer.finish().await.map_err(failed)?;
    Ok(tally)
}

/// Reads the rows of a table, gives them away some at a time, and says what they were.
async fn read(
    client: &Client,
    (component, schema): (&str, &str),
    table: &Table,
    mut give: impl FnMut(&[Vec<super::super::types::Value>]) -> Result<(), MoveError>,
) -> Result<Tally, MoveError> {
    let failed = |it: PgError| failed(component, &it);
    let sql = format!("SELECT {} FROM {}", table.names(), named(schema, &table.name));
    let none: [&str; 0] = [];
    let mut stream = pin!(client.query_raw(&sql, none).await.map_err(failed)?);
    let (mut tally, mut rows) = (Tally::default(), Vec::new());
    while let Some(row) = stream.try_next().await.map_err(failed)? {
        let cells = (0..row.len()).map(|at| row.try_get::<_, Cell>(at).map(|it| it.0));
        let row: Result<Vec<_>, PgError> = cells.collect();
        let row = row.map_err(failed)?;
        tally.add(table, &row);
        rows.push(row);
        if rows.len() >= ROWS_AT_A_TIME {
            give(&rows)?;
            rows.clear();
        }
    }
    give(&rows)?;
    Ok(tally)
}
