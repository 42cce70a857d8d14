//! Migrations on PostgreSQL, once for all hosts: in one transaction, under a lock, as the component's role.

use std::time::Instant;

use tokio_postgres::{Client, Error as PgError};

use super::super::migrations::{MigrateError, Migration, check_numbers, new};
use super::super::scan::{self, Access};
use super::super::types::{ConstraintFailure, ConstraintKind, Error, invalid, out_of_time};
use super::Postgres;
use super::failed::{Failed, explain};
use super::portable::portable;

impl Postgres {
    /// Applies new migrations and invalidates prepared statements.
    pub(in super::super) async fn migrate(&self, list: &[Migration]) -> Result<u32, MigrateError> {
        check_numbers(list)?;
        self.server.check().map_err(MigrateError::Database)?;
        let deadline = Instant::now() + self.limits.migrate_time_max;
        // Dropped before its end, the connection closes, and nothing of it stays.
        let applied = tokio::time::timeout_at(deadline.into(), self.apply(list)).await;
        let applied = applied.unwrap_or_else(|_late| Err(MigrateError::Database(out_of_time())));
        self.generation.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        applied
    }

    async fn apply(&self, list: &[Migration]) -> Result<u32, MigrateError> {
        let unusable = |error: PgError| {
            MigrateError::Database(Error::Unavailable(
                self.server.explain_failure(&error, &self.role),
            ))
        };
        let client = self.server.way().connect().await.map_err(unusable)?;
        client.batch_execute("BEGIN").await.map_err(unusable)?;
        let applied = self.apply_on(&client, list).await?;
        client.batch_execute("COMMIT").await.map_err(unusable)?;
        Ok(applied)
    }

    /// Applies migrations in the transaction of `client`.
    pub(super) async fn apply_on(
        &self,
        client: &Client,
        list: &[Migration],
    ) -> Result<u32, MigrateError> {
        let unusable = |error: PgError| {
            MigrateError::Database(Error::Unavailable(
                self.server.explain_failure(&error, &self.role),
            ))
        };
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0)),
            set_config('search_path', quote_ident($1) || ', madoguchi', true),
            set_config('statement_timeout', $2, true)";
        let most = self.limits.migrate_time_max.as_millis().to_string();
        client.query_one(lock, &[&self.schema, &most]).await.map_err(unusable)?;
        let known = "SELECT hash FROM madoguchi.migrations WHERE component = $1 ORDER BY number";
        let known = client.query(known, &[&self.schema]).await.map_err(unusable)?;
        let known: Vec<String> = known.iter().map(|it| it.get(0)).collect();
        let new = new(list, &known)?;
        for migration in new {
            step(client, &self.role, migration).await.map_err(|error| MigrateError::Failed {
                number: migration.number,
                name: migration.name.clone(),
                error,
            })?;
            let remember = "INSERT INTO madoguchi.migrations (component, number, name, hash)
                VALUES ($1, $2, $3, $4)";
            let number = i32::try_from(migration.number).unwrap_or(i32::MAX);
            let hash = migration.hash();
            client
                .execute(remember, &[&self.schema, &number, &migration.name, &hash])
                .await
                .map_err(unusable)?;
        }
        Ok(u32::try_from(new.len()).unwrap_or(u32::MAX))
    }
}

/// Applies one migration as the component's role, which then owns the tables.
async fn step(client: &Client, role: &str, migration: &Migration) -> Result<(), Error> {
    let becomes = "SELECT set_config('role', $1, true)";
    let failure = |statement: u32| {
        move |error: PgError| match explain(statement, &error) {
            Failed::Reported(error) | Failed::Stop(error) => error,
            Failed::Unique(statement, name) => {
                let kind = ConstraintKind::Unique;
                Error::Constraint(ConstraintFailure { statement, kind, name })
            }
            Failed::Lost(why) => Error::Unavailable(format!("the database is unavailable: {why}")),
            Failed::Conflict | Failed::Stale => Error::Unavailable(
                "the database is busy: another transaction was in the way".into(),
            ),
        }
    };
    client.query_one(becomes, &[&role]).await.map_err(failure(0))?;
    for (statement, sql) in (0..).zip(&migration.statements) {
        let wrong = |message| invalid(statement, message);
        scan::check(sql, Access::Migration).map_err(wrong)?;
        let portable = portable(sql, Access::Migration).map_err(wrong)?;
        if !portable.parameters.is_empty() {
            return Err(invalid(statement, "a migration has no parameters"));
        }
        client.execute(&portable.sql, &[]).await.map_err(failure(statement))?;
    }
    client.query_one(becomes, &[&"none"]).await.map_err(failure(0))?;
    Ok(())
}
