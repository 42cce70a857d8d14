//! Moves all data between a data folder and a PostgreSQL server (STO-42, STO-46): completely or not at all, and
//! compared before use.

use std::path::Path;
use std::pin::pin;

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::try_join_all;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error as PgError};

use super::super::moving::{
    Kind, Moved, Plan, Recorded, Source, Staging, Table, Tally, check_shapes, check_vacant, common,
    quoted,
};
use super::super::moving::{Movable, fit, fitting};
use super::super::types::{Limits, Value};
use super::super::{Engine, migrations::MigrateError};
use super::pool::describe;
use super::reader::{Parameter, cells};
use super::server::Server;
use super::{Postgres, server::schema_of};
use crate::data::DataError;

/// Rows of the host's that are on their way to the server at a time, and bytes from which on there are fewer.
const ROWS_AT_A_TIME: usize = 256;
const BYTES_AT_A_TIME: usize = 4 << 20;
/// Owner name of host data.
const HOST: &str = "madoguchi";
pub(super) const SCHEMA_PREFIX: &str = "component_";
/// Name pattern of host databases, such as accounts.
const HOSTS: &str = "component\\_.%";

impl Kind {
    fn from_name(name: &str) -> Option<Self> {
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

fn failed(component: &str, error: &PgError) -> DataError {
    let why = describe(error);
    DataError(format!("{component}: the PostgreSQL server says: {why}; nothing was moved"))
}

/// The component of a schema among `known` ones.
fn component_of(schema: &str, known: &[String]) -> String {
    let found = known.iter().find(|it| schema_of(it) == schema).map(String::as_str);
    found.or(schema.strip_prefix(SCHEMA_PREFIX)).unwrap_or(schema).to_owned()
}

impl Server {
    /// The components that have tables here, and the migrations that were applied to each; `known` are the names of
    /// those that may have.
    pub async fn recorded(&self, known: &[String]) -> Result<Vec<Recorded>, DataError> {
        let client = self.mover().await?;
        let sql = "SELECT component, hash FROM madoguchi.migrations WHERE component NOT LIKE $1
            ORDER BY component, number";
        let rows = client.query(sql, &[&HOSTS]).await.map_err(|it| failed(HOST, &it))?;
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

    async fn mover(&self) -> Result<Client, DataError> {
        let connected = self.way().connect().await;
        connected.map_err(|it| failed(HOST, &it))
    }

    /// Fills this server, where no component has anything yet, with what the files in the data folder `data` hold, of
    /// components and of `parts`; all in one transaction. The files stay as they are.
    ///
    /// # Errors
    /// Why nothing was moved.
    pub async fn fill_from(
        &self,
        data: &Path,
        plans: &[Plan],
        parts: &[Movable],
    ) -> Result<Vec<Moved>, DataError> {
        let client = self.mover().await?;
        self.check_vacant(&client, plans, parts).await?;
        // Checked before anything is written.
        for part in parts.iter().filter(|it| it.path.is_some()) {
            fitting(part, &part.table(), data)?.try_for_each(|it| it.map(drop))?;
        }
        let mut databases = Vec::new();
        for plan in plans.iter().filter(|it| !it.is_hosts() || Source::is_there(data, it)) {
            let made = self.database(&plan.component, Limits::default()).await;
            databases.push((plan, made.map_err(|it| DataError(it.to_string()))?));
        }
        let begin = "BEGIN; SET LOCAL statement_timeout = 0";
        client.batch_execute(begin).await.map_err(|it| failed(HOST, &it))?;
        let mut moved = Vec::new();
        for (plan, database) in &databases {
            let Engine::Postgres(postgres) = &database.0 else { continue };
            moved.extend(postgres.fill(&client, data, plan).await?);
        }
        let mut tallies = Vec::new();
        for part in parts {
            tallies.push(insert(&client, part, data).await?);
        }
        client.batch_execute(SUMS).await.map_err(|it| failed(HOST, &it))?;
        for (part, tally) in parts.iter().zip(tallies) {
            let found = read_part(&client, part, |_| Ok(())).await?;
            moved.push(tally.same_as(&found, (HOST, &part.table()))?);
        }
        client.batch_execute("COMMIT").await.map_err(|it| failed(HOST, &it))?;
        for (_, database) in databases {
            database.close().await;
        }
        Ok(moved)
    }

    /// Refuses a server with existing data.
    async fn check_vacant(
        &self,
        client: &Client,
        plans: &[Plan],
        parts: &[Movable],
    ) -> Result<(), DataError> {
        let refused = |what: &str| {
            DataError(format!(
                "{} has {what} already, and a move fills a database in which components have nothing, nor people: name another one",
                self.place()
            ))
        };
        let own = plans.iter().filter(|it| it.is_hosts());
        let own: Vec<_> = own.map(|it| schema_of(&it.component)).collect();
        let there = "SELECT component FROM madoguchi.migrations
            WHERE component NOT LIKE $1 OR component = ANY ($2) UNION ALL
            SELECT nspname || '.' || relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
            WHERE nspname LIKE 'component\\_%' AND nspname NOT LIKE $1 AND relkind IN ('r', 'p', 'v', 'm') LIMIT 1";
        let there = client.query_opt(there, &[&HOSTS, &own]).await;
        if let Some(found) = there.map_err(|it| failed(HOST, &it))? {
            let found: &str = found.get(0);
            return Err(refused(found.strip_prefix("component_.").unwrap_or(found)));
        }
        for part in parts {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM ({}) AS rows)", part.select);
            let found = client.query_one(&sql, &[]).await.map_err(|it| failed(HOST, &it))?;
            if found.get(0) {
                return Err(refused(part.name));
            }
        }
        Ok(())
    }

    /// Copies all data of components and `parts` into the empty data folder `data`. The server's data is not changed.
    ///
    /// # Errors
    /// Why nothing was moved.
    pub async fn empty_into(
        &self,
        data: &Path,
        plans: &[Plan],
        parts: &[Movable],
    ) -> Result<Vec<Moved>, DataError> {
        let mut ways = Vec::new();
        for part in parts {
            let Some(path) = part.path else { continue };
            let found = (part.rows)(data).map_err(|it| DataError::for_name(part.name, &it))?.next();
            ways.extend(found.map(|_| path));
        }
        check_vacant(data, plans, &ways)?;
        let client = self.mover().await?;
        let begin =
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0";
        client.batch_execute(begin).await.map_err(|it| failed(HOST, &it))?;
        // Checked before anything is written.
        for part in parts.iter().filter(|it| it.path.is_some()) {
            read_part(&client, part, |_| Ok(())).await?;
        }
        let staging = Staging::begin(data)?;
        let mut moved = Vec::new();
        for plan in plans {
            let component = &plan.component;
            let schema = schema_of(component);
            let mut tables = tables(&client, component, &schema).await?;
            if plan.is_hosts() && tables.is_empty() {
                continue;
            }
            let target = staging.database(plan).await?;
            if plan.is_hosts() {
                tables = common(&tables, &target.tables()?);
            }
            tables.iter().try_for_each(|it| target.empty(it))?;
            let mut tallies = Vec::new();
            for table in &tables {
                let (sql, put) = (all_of(&schema, table), |row: &[Value]| target.put(table, row));
                tallies.push(read(&client, (component, table), &sql, Ok, put).await?);
            }
            let source = target.commit()?;
            if !plan.is_hosts() {
                check_shapes(component, &source.tables()?, &tables)?;
            }
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
        let mut tallies = Vec::new();
        for part in parts {
            let put = |row: &[Value]| {
                let put = (part.put)(staging.folder(), row);
                put.map_err(|it| DataError::for_name(part.name, &it))
            };
            tallies.push(read_part(&client, part, put).await?);
        }
        for (part, tally) in parts.iter().zip(tallies) {
            let (mut found, table) = (Tally::default(), part.table());
            for row in fitting(part, &table, staging.folder())? {
                found.add(&table, &row?);
            }
            moved.push(tally.same_as(&found, (HOST, &table))?);
        }
        staging.install()?;
        Ok(moved)
    }
}

/// Updates sums after inserting rows: blob use by owner, and the next document number.
const SUMS: &str = "INSERT INTO madoguchi_host.blob_shares AS s (owner, bytes, uploads)
        SELECT owner, sum(promised)::bigint, 0 FROM madoguchi_host.contents
        WHERE node IS NULL AND owner <> '' GROUP BY owner
        UNION ALL SELECT '', coalesce(sum(promised), 0)::bigint, 0 FROM madoguchi_host.contents WHERE node IS NULL
        ON CONFLICT (owner) DO UPDATE SET bytes = s.bytes + excluded.bytes;
    SELECT setval('madoguchi_host.document_places', max(place)) FROM madoguchi_host.documents HAVING count(*) > 0";

/// Inserts rows of a part from `data` and returns their tally.
async fn insert(client: &Client, part: &Movable, data: &Path) -> Result<Tally, DataError> {
    let failed = |it: PgError| failed(part.name, &it);
    let types: Vec<_> = part.columns.iter().map(|it| it.1.sent_as()).collect();
    let statement = client.prepare_typed(part.insert, &types).await.map_err(failed)?;
    let (mut tally, table) = (Tally::default(), part.table());
    let mut rows = fitting(part, &table, data)?.peekable();
    while rows.peek().is_some() {
        let (mut group, mut bytes) = (Vec::new(), 0);
        for row in rows.by_ref() {
            let row = row?;
            tally.add(&table, &row);
            bytes += row.iter().map(Value::bytes).sum::<usize>();
            group.push(row);
            if group.len() >= ROWS_AT_A_TIME || bytes >= BYTES_AT_A_TIME {
                break;
            }
        }
        let puts =
            group.iter().map(|row| client.execute_raw(&statement, row.iter().map(Parameter)));
        try_join_all(puts).await.map_err(failed)?;
    }
    Ok(tally)
}

/// Reads rows of a part and returns their tally.
async fn read_part(
    client: &Client,
    part: &Movable,
    give: impl FnMut(&[Value]) -> Result<(), DataError>,
) -> Result<Tally, DataError> {
    let table = part.table();
    let fits = |row| fit(part, &table, row);
    read(client, (part.name, &table), &part.select, fits, give).await
}

impl Postgres {
    /// Fills the schema of a component, with its own rights, in the transaction of `client`.
    async fn fill(
        &self,
        client: &Client,
        data: &Path,
        plan: &Plan,
    ) -> Result<Vec<Moved>, DataError> {
        let (component, schema) = (plan.component.as_str(), self.schema.as_str());
        let failed = |it: PgError| failed(component, &it);
        let migrated = self.apply_on(client, &plan.migrations).await;
        migrated.map_err(|it: MigrateError| DataError(format!("{component}: {it}")))?;
        let becomes =
            "SELECT set_config('role', $1, true), set_config('statement_timeout', '0', true)";
        client.query_one(becomes, &[&self.role]).await.map_err(failed)?;
        let source = Source::of_component(data, component)?;
        let (mut tables, here) = (tables(client, component, schema).await?, source.tables()?);
        let mut zeros = Vec::new();
        if plan.is_hosts() {
            let both = common(&tables, &here);
            for table in &both {
                let all = tables.iter().filter(|it| it.name == table.name);
                let only_there =
                    all.flat_map(|it| &it.columns).filter(|it| !table.columns.contains(it));
                let name = named(schema, &table.name);
                let change =
                    |it: &(String, Kind)| format!("ALTER TABLE {name} ALTER {}", quoted(&it.0));
                zeros.extend(only_there.map(change));
            }
            tables = both;
        } else {
            check_shapes(component, &here, &tables)?;
        }
        for column in &zeros {
            client.batch_execute(&format!("{column} SET DEFAULT 0")).await.map_err(failed)?;
        }
        // Rows inserted by migrations are part of the moved ones.
        let names: Vec<_> = tables.iter().map(|it| named(schema, &it.name)).collect();
        if !names.is_empty() {
            let sql = format!("TRUNCATE {}", names.join(", "));
            client.batch_execute(&sql).await.map_err(failed)?;
        }
        // Rows may refer to some that come later.
        let references = references(client, schema).await.map_err(failed)?;
        for reference in &references {
            let sql = format!("{reference} DEFERRABLE INITIALLY DEFERRED");
            client.batch_execute(&sql).await.map_err(failed)?;
        }
        client.batch_execute("SET CONSTRAINTS ALL DEFERRED").await.map_err(failed)?;
        let mut tallies = Vec::new();
        for table in &tables {
            tallies.push(copy(client, (component, schema), table, &source).await?);
        }
        client.batch_execute("SET CONSTRAINTS ALL IMMEDIATE").await.map_err(failed)?;
        for reference in &references {
            client.batch_execute(&format!("{reference} NOT DEFERRABLE")).await.map_err(failed)?;
        }
        for column in &zeros {
            client.batch_execute(&format!("{column} DROP DEFAULT")).await.map_err(failed)?;
        }
        number_on(client, schema).await.map_err(failed)?;
        let mut moved = Vec::new();
        for (table, tally) in tables.iter().zip(tallies) {
            let sql = all_of(schema, table);
            let found = read(client, (component, table), &sql, Ok, |_| Ok(())).await?;
            moved.push(tally.same_as(&found, (component, table))?);
        }
        let itself = "SELECT set_config('role', 'none', true)";
        client.query_one(itself, &[]).await.map_err(failed)?;
        Ok(moved)
    }
}

pub(super) fn named(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

fn all_of(schema: &str, table: &Table) -> String {
    format!("SELECT {} FROM {}", table.names(), named(schema, &table.name))
}

/// The tables of a schema.
async fn tables(client: &Client, component: &str, schema: &str) -> Result<Vec<Table>, DataError> {
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
        let Some(kind) = Kind::from_name(&typename) else {
            return Err(DataError(format!(
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

/// Copies rows of a table from a file and returns their tally.
async fn copy(
    client: &Client,
    (component, schema): (&str, &str),
    table: &Table,
    source: &Source,
) -> Result<Tally, DataError> {
    let failed = |error: PgError| {
        let DataError(why) = failed(component, &error);
        DataError(format!("{why} (table {})", table.name))
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

/// Reads rows of a table, adapted by `fits`, and returns their tally.
async fn read(
    client: &Client,
    (component, table): (&str, &Table),
    sql: &str,
    fits: impl Fn(Vec<Value>) -> Result<Vec<Value>, DataError>,
    mut give: impl FnMut(&[Value]) -> Result<(), DataError>,
) -> Result<Tally, DataError> {
    let failed = |it: PgError| failed(component, &it);
    let none: [&str; 0] = [];
    let mut stream = pin!(client.query_raw(sql, none).await.map_err(failed)?);
    let mut tally = Tally::default();
    while let Some(row) = stream.try_next().await.map_err(failed)? {
        let row = fits(cells(&row).map_err(failed)?)?;
        tally.add(table, &row);
        give(&row)?;
    }
    Ok(tally)
}
