//! Reads component data on a server beside running hosts, without joining as a node or writing.

use std::pin::pin;

use futures::TryStreamExt as _;
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error as PgError, Row};

use super::super::export::{Column, Each, ExportError, StoredDatabase, in_order, nothing, object};
use super::Way;
use super::address::{Address, Place, parse, tls};
use super::failed::{describe, unusable};
use super::moving::{SCHEMA_PREFIX, named};
use super::server::{ServerError, role_of, schema_of};
use super::values::cells;
use crate::data::Taken;

const SNAPSHOT: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0";

/// A connection that only reads. All that it does blocks, so it is for threads that may.
pub struct Reader {
    client: Client,
    runtime: Handle,
    place: Place,
    /// Keeps the connection alive.
    _way: Way,
}

fn failed(error: &PgError) -> ExportError {
    ExportError::Postgres(describe(error))
}

impl Reader {
    /// Reaches the server; `runtime` drives the connection.
    pub fn connect(address: &Address, runtime: Handle) -> Result<Self, ServerError> {
        let (config, place) = parse(&address.url)?;
        let tls = tls(address.ca.as_ref())?;
        let way = Way { config, tls, silence: tokio::sync::watch::Sender::default() };
        let client = runtime.block_on(way.connect()).map_err(|error| {
            ServerError(unusable(&error, &place.at, &place.user, &place.database))
        })?;
        Ok(Self { client, runtime, place, _way: way })
    }

    fn query(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, ExportError> {
        self.runtime.block_on(self.client.query(sql, parameters)).map_err(|it| failed(&it))
    }

    fn execute(&self, sql: &str) -> Result<(), ExportError> {
        self.runtime.block_on(self.client.batch_execute(sql)).map_err(|it| failed(&it))
    }

    /// Runs `read` in one snapshot.
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, ExportError>) -> Result<T, ExportError> {
        self.execute(SNAPSHOT)?;
        let found = read();
        self.execute("ROLLBACK")?;
        found
    }

    /// The databases that there are, and the tables of each with their rows: `most` and one where there are more.
    pub(in super::super) fn databases(
        &self,
        most: u32,
    ) -> Result<Vec<StoredDatabase>, ExportError> {
        let sql = "SELECT n.nspname, c.relname, pg_total_relation_size(c.oid) FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname LIKE 'component\\_%' AND c.relkind = 'r'
            ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\"";
        self.at_once(|| {
            let mut found: Vec<StoredDatabase> = Vec::new();
            for row in self.query(sql, &[])? {
                let (schema, table, bytes): (&str, &str, i64) =
                    (row.get(0), row.get(1), row.get(2));
                let rows = format!(
                    "SELECT count(*) FROM (SELECT 1 FROM {} LIMIT $1) AS rows",
                    named(schema, table)
                );
                let rows = self.query(&rows, &[&(i64::from(most) + 1)])?;
                let rows: i64 = rows.first().map_or(0, |it| it.get(0));
                let name = schema.strip_prefix(SCHEMA_PREFIX).unwrap_or(schema);
                if found.last().is_none_or(|it| it.taken.name != name) {
                    let taken = Taken { name: name.to_owned(), ..Taken::default() };
                    found.push(StoredDatabase { taken, tables: Ok(Vec::new()) });
                }
                if let Some(StoredDatabase { taken, tables: Ok(tables) }) = found.last_mut() {
                    taken.bytes += bytes.unsigned_abs();
                    tables.push((table.to_owned(), u32::try_from(rows).unwrap_or(u32::MAX)));
                }
            }
            Ok(found)
        })
    }

    /// The tables and views of a component.
    pub(in super::super) fn tables(&self, component: &str) -> Result<Vec<String>, ExportError> {
        let sql = "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'v') ORDER BY c.relname COLLATE \"C\"";
        let rows = self.query(sql, &[&schema_of(component)])?;
        Ok(rows.iter().map(|it| it.get(0)).collect())
    }

    /// Hands each row to `each`, and returns how many there were.
    pub(in super::super) fn export(
        &self,
        component: &str,
        table: &str,
        each: Each<'_>,
    ) -> Result<u64, ExportError> {
        self.at_once(|| {
            let tables = self.tables(component)?;
            if tables.is_empty() {
                return Err(nothing(component));
            }
            if !tables.iter().any(|it| it == table) {
                return Err(ExportError::NoTable { table: table.to_owned(), tables });
            }
            let schema = schema_of(component);
            let (columns, is_table) = self.columns(&schema, table)?;
            // Without a key about in the order of insertion.
            let inserted = is_table.then_some("ctid");
            let sql = in_order(&named(&schema, table), &columns, inserted);
            // A view is the guest's own SQL: it is read with the guest's rights, where it has been here since a dump.
            let guest = "SELECT set_config('role', rolname, true) FROM pg_roles WHERE rolname = $1";
            self.query(guest, &[&role_of(&self.place.database, &schema)])?;
            let none: [&str; 0] = [];
            let stream = self.runtime.block_on(self.client.query_raw(&sql, none));
            let mut stream = pin!(stream.map_err(|it| failed(&it))?);
            let mut count = 0;
            while let Some(row) =
                self.runtime.block_on(stream.try_next()).map_err(|it| failed(&it))?
            {
                each(object(&columns, cells(&row).map_err(|it| failed(&it))?))?;
                count += 1;
            }
            Ok(count)
        })
    }

    /// The columns of a table or view, and whether it is a table.
    fn columns(&self, schema: &str, table: &str) -> Result<(Vec<Column>, bool), ExportError> {
        let sql = "SELECT a.attname, t.typname,
                coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)::int4, c.relkind = 'r'
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY a.attnum";
        let rows = self.query(sql, &[&schema, &table])?;
        let column = |row: &Row| Column {
            name: row.get(0),
            is_json: row.get::<_, &str>(1) == "json_text",
            is_secret: row.get::<_, &str>(1) == "secret_text",
            key: row.get::<_, i32>(2).unsigned_abs(),
        };
        Ok((rows.iter().map(column).collect(), rows.first().is_some_and(|it| it.get(3))))
    }
}
