//! Runs batches of a guest on PostgreSQL: one transaction each, retried on conflicts, within limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error as PgError, Statement as Prepared};

use super::super::guard::{self, Access};
use super::super::run::measure;
use super::super::types::{
    ConstraintFailure, ConstraintKind, Error, Fence, Rows, Statement, UnexpectedCount, Value,
    full_at, invalid, out_of_time,
};
use super::Postgres;
use super::pool::{Connection, Pool};
use super::pool::{Failed, cause, explain};
use super::portable::{Portable, portable};
use super::reader::{Cell, Parameter, type_of};
use crate::database::connections::Answer;

/// Maximum attempts of a conflicting batch.
const TRIES_MAX: u32 = 20;
/// The pause before it is tried again, at most, the first time; doubled from then on.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(200);
/// Connect timeout of one attempt.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Poll interval for a lost server.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Part of the bytes that a database may have after which they are counted again.
const COUNTED_PART: u64 = 64;
/// Validity of a counted size, because other nodes write as well.
const COUNTED_FOR: Duration = Duration::from_secs(5);
/// Minimum interval of vacuuming a full database.
const VACUUM_EVERY: Duration = Duration::from_secs(10);

/// Bytes of the schema.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    /// Bytes when last counted.
    counted: u64,
    /// Bytes sent since.
    sent: u64,
    /// Time of counting.
    counted_at: Option<Instant>,
    /// Known free bytes in the schema.
    free: u64,
    vacuumed: Option<Instant>,
}

/// A connection at work: one that is not given back is stopped.
struct Busy<'a> {
    connection: Option<Connection>,
    pool: &'a Pool,
}

impl Busy<'_> {
    fn give_back(mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.put(connection);
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.stop();
        }
    }
}

/// A batch, read once and run as often as it takes.
struct Batch<'a> {
    statements: &'a [Statement],
    texts: Vec<Result<Portable, Error>>,
    access: Access,
    bytes: usize,
    /// Lease it is checked against.
    fence: Option<&'a Fence>,
    /// Whether a commit is in progress with unknown result.
    is_committing: AtomicBool,
}

impl Postgres {
    pub(in super::super) async fn query(
        &self,
        statements: Vec<Statement>,
        deadline: Instant,
    ) -> Answer {
        measure(&self.limits, &statements)?;
        let batch = self.read(&statements, Access::Read, 0);
        self.run_until(&self.readers, &batch, deadline).await
    }

    pub(in super::super) async fn transact(
        &self,
        statements: Vec<Statement>,
        fence: Option<&Fence>,
        deadline: Instant,
    ) -> Answer {
        let bytes = measure(&self.limits, &statements)?;
        let busy =
            || Error::Unavailable("the database is busy: too many writes are waiting".into());
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waits = scopeguard::guard(&self.waiting, |it| _ = it.fetch_sub(1, Ordering::Relaxed));
        if waiting >= self.limits.queue_max {
            return Err(busy());
        }
        let batch = Batch { fence, ..self.read(&statements, Access::Write, bytes) };
        self.run_until(&self.writers, &batch, deadline).await
    }

    fn read<'a>(&self, statements: &'a [Statement], access: Access, bytes: usize) -> Batch<'a> {
        let texts = (0..).zip(statements).map(|(index, it)| self.text(index, it, access));
        let is_committing = AtomicBool::new(false);
        Batch { statements, texts: texts.collect(), access, bytes, fence: None, is_committing }
    }

    /// Checks a statement as far as that needs no server.
    fn text(&self, index: u32, statement: &Statement, access: Access) -> Result<Portable, Error> {
        let limits = &self.limits;
        if statement.sql.len() > limits.sql_bytes_max {
            let most = limits.sql_bytes_max;
            return Err(Error::LimitExceeded(format!("statement {index}: more than {most} bytes")));
        }
        let wrong = |message: String| invalid(index, message);
        guard::check(&statement.sql, access).map_err(wrong)?;
        let portable = portable(&statement.sql, access).map_err(wrong)?;
        if access == Access::Read && !portable.reads {
            return Err(wrong("it changes rows: send it through `transact`".into()));
        }
        let given = statement.parameters.len();
        if given > limits.parameters_max {
            return Err(wrong("too many SQL variables".into()));
        }
        let mut used = vec![false; given];
        for number in &portable.parameters {
            match used.get_mut(*number - 1) {
                Some(it) => *it = true,
                None => return Err(wrong(format!("`${number}` has no value: {given} are given"))),
            }
        }
        for (number, value) in (1..).zip(&statement.parameters) {
            let too_long = match value {
                Value::Real(real) if !real.is_finite() => {
                    return Err(wrong(format!("${number} is not a finite number")));
                }
                Value::Text(text) => text.len() > limits.value_bytes_max,
                Value::Blob(bytes) => bytes.len() > limits.value_bytes_max,
                _ => false,
            };
            if too_long {
                return Err(too_big(index));
            }
        }
        match used.iter().position(|used| !used) {
            Some(unused) => {
                let name = unused + 1;
                Err(wrong(format!("a value is given for ${name}, which does not occur")))
            }
            None => Ok(portable),
        }
    }

    /// Runs a batch until success or deadline: first concurrently, then with the lock of all nodes.
    async fn run_until(&self, pool: &Pool, batch: &Batch<'_>, deadline: Instant) -> Answer {
        let writes = batch.access == Access::Write;
        let _place = pool.place(deadline).await?;
        let (mut tries, mut lost_since) = (0_u32, None);
        loop {
            self.server.check()?;
            if Instant::now() >= deadline {
                return Err(out_of_time());
            }
            let turn = async {
                let beside = if writes && tries == 0 { Some(self.turn.read().await) } else { None };
                let alone = if writes && tries > 0 { Some(self.turn.write().await) } else { None };
                (beside, alone)
            };
            let turn = tokio::time::timeout_at(deadline.into(), turn).await;
            let _turn = turn.map_err(|_late| out_of_time())?;
            let most = Instant::now() + self.limits.transact_time_max;
            let end = if writes { deadline.min(most) } else { deadline };
            let done =
                tokio::time::timeout_at(end.into(), self.try_once(pool, batch, tries > 0)).await;
            let pause = match done {
                Err(_late) if batch.is_committing.load(Ordering::Relaxed) => {
                    return Err(not_known());
                }
                Err(_late) => {
                    return Err(match self.server.current_error() {
                        Some(_) => unreachable("it did not answer before the deadline"),
                        None => out_of_time(),
                    });
                }
                Ok(Ok(rows)) => return Ok(rows),
                Ok(Err(Failed::Reported(error) | Failed::Stop(error))) => return Err(error),
                // Rows that came after the snapshot are met as this error, too: alone it is theirs or it is gone.
                Ok(Err(Failed::Unique(..))) if writes && tries == 0 => {
                    tries += 1;
                    Duration::ZERO
                }
                Ok(Err(Failed::Unique(statement, name))) => {
                    let kind = ConstraintKind::Unique;
                    return Err(Error::Constraint(ConstraintFailure { statement, kind, name }));
                }
                Ok(Err(Failed::Lost(why))) => {
                    pool.forget();
                    let since = *lost_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > self.limits.lock_time_max {
                        return Err(unreachable(&why));
                    }
                    LOOK_EVERY
                }
                Ok(Err(Failed::Conflict | Failed::Stale)) => {
                    tries += 1;
                    if tries >= TRIES_MAX {
                        let why = "the database is busy: other transactions were in the way";
                        return Err(Error::Unavailable(why.into()));
                    }
                    let most = PAUSE.saturating_mul(1 << (tries - 1).min(10)).min(PAUSE_MAX);
                    let part = getrandom::u32().unwrap_or_default() % 1_000;
                    if tries > 1 { most * part / 1_000 } else { Duration::ZERO }
                }
            };
            drop(_turn);
            tokio::time::sleep(pause).await;
        }
    }

    async fn try_once(
        &self,
        pool: &Pool,
        batch: &Batch<'_>,
        is_alone: bool,
    ) -> Result<Vec<Rows>, Failed> {
        let taken = tokio::time::timeout(CONNECT_TIME, pool.take()).await;
        let taken = taken.map_err(|_late| Failed::Lost("it does not answer".to_owned()))?;
        let connection = taken.map_err(|error| match error.as_db_error() {
            Some(db) if db.code().code() == "53300" => Failed::Reported(Error::Unavailable(
                "the database is busy: its server has no connection left".into(),
            )),
            Some(db) => Failed::Lost(db.message().to_owned()),
            None => Failed::Lost(cause(&error)),
        })?;
        let mut busy = Busy { connection: Some(connection), pool };
        let Some(connection) = busy.connection.as_mut() else { return Err(Failed::Conflict) };
        let is_alone = is_alone && batch.access == Access::Write;
        if is_alone {
            // Before the transaction, so that its snapshot is not older than the lock. A connection that is not given
            // back takes the lock with it, and the server ends one that falls silent.
            let lock =
                format!("SET idle_session_timeout = '10s'; SELECT pg_advisory_lock({})", self.lock);
            if let Err(error) = connection.client.batch_execute(&lock).await {
                return Err(waited(&error));
            }
        }
        let done = self.attempt(connection, batch, is_alone).await;
        match &done {
            // Pending responses are not awaited.
            Err(Failed::Stop(_) | Failed::Lost(_)) => {}
            _ if is_alone => {
                let unlock = format!(
                    "SELECT pg_advisory_unlock({}); SET idle_session_timeout = 0",
                    self.lock
                );
                if connection.client.batch_execute(&unlock).await.is_ok() {
                    busy.give_back();
                }
            }
            _ => busy.give_back(),
        }
        done
    }

    async fn attempt(
        &self,
        connection: &mut Connection,
        batch: &Batch<'_>,
        is_alone: bool,
    ) -> Result<Vec<Rows>, Failed> {
        let generation = self.generation.load(Ordering::Relaxed);
        if connection.generation != generation {
            connection.prepared.clear();
            connection.generation = generation;
        }
        let is_full =
            batch.access == Access::Write && self.is_full(&connection.client, batch.bytes).await?;
        // Before the transaction: what cannot be parsed would end it.
        let mut prepared = Vec::with_capacity(batch.statements.len());
        for (index, (statement, text)) in (0..).zip(batch.statements.iter().zip(&batch.texts)) {
            let one = match text {
                Err(error) => Err(Failed::Reported(error.clone())),
                Ok(text) if is_full && !text.reads && !text.only_removes => {
                    Err(full_at(&self.limits, &self.name).into())
                }
                Ok(text) => prepare(connection, &text.sql, statement)
                    .await
                    .map_err(|it| explain(index, &it)),
            };
            match one {
                Err(Failed::Stale) => connection.prepared.clear(),
                Err(Failed::Lost(why)) => return Err(Failed::Lost(why)),
                _ => {}
            }
            let is_end = one.is_err();
            prepared.push(one);
            if is_end {
                break;
            }
        }
        let client = &connection.client;
        // A single statement is a transaction by itself.
        let is_single = batch.access == Access::Read && batch.statements.len() == 1;
        let lost = |it: PgError| explain(0, &it);
        match batch.access {
            Access::Write if !is_alone => {
                // In one message: it costs no way of its own.
                let begin = format!("BEGIN; SELECT pg_advisory_xact_lock_shared({})", self.lock);
                if let Err(error) = client.batch_execute(&begin).await {
                    let failed = waited(&error);
                    // BEGIN may have taken effect.
                    client.batch_execute("ROLLBACK").await.map_err(lost)?;
                    return Err(failed);
                }
            }
            _ if is_single => {}
            _ => client.batch_execute("BEGIN").await.map_err(lost)?,
        }
        let done = match lock_lease(client, batch.fence).await {
            Ok(()) => self.statements(client, batch, prepared).await,
            Err(failed) => Err(failed),
        };
        let done = match done {
            Ok(rows) if is_single => return Ok(rows),
            Ok(rows) => commit(client, batch).await.map(|()| rows),
            Err(Failed::Stop(error)) => return Err(Failed::Stop(error)),
            Err(Failed::Lost(why)) => return Err(Failed::Lost(why)),
            Err(failed) => {
                if !is_single {
                    client.batch_execute("ROLLBACK").await.map_err(lost)?;
                }
                Err(failed)
            }
        };
        match done {
            Err(Failed::Unique(statement, index)) => {
                let name = self.columns(client, index).await.map_err(lost)?;
                Err(Failed::Unique(statement, name))
            }
            Err(Failed::Stale) => {
                connection.prepared.clear();
                Err(Failed::Stale)
            }
            done => done,
        }
    }

    /// Runs the statements, one after the other, until one fails.
    async fn statements(
        &self,
        client: &Client,
        batch: &Batch<'_>,
        prepared: Vec<Result<Prepared, Failed>>,
    ) -> Result<Vec<Rows>, Failed> {
        let mut left = (self.limits.rows_max, self.limits.result_bytes_max);
        let mut answers = Vec::with_capacity(prepared.len());
        for (index, (statement, one)) in (0..).zip(batch.statements.iter().zip(prepared)) {
            let reads = batch
                .texts
                .get(answers.len())
                .is_some_and(|it| it.as_ref().is_ok_and(|it| it.reads));
            let answer =
                self.run_statement(client, (index, statement), (&one?, reads), &mut left).await?;
            let found = if reads { answer.rows.len() as u64 } else { answer.changes };
            if let Some(expected) = statement.expect.filter(|it| u64::from(*it) != found) {
                let found = u32::try_from(found).unwrap_or(u32::MAX);
                return Err(Error::UnexpectedCount(UnexpectedCount {
                    statement: index,
                    expected,
                    found,
                })
                .into());
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    async fn run_statement(
        &self,
        client: &Client,
        (index, statement): (u32, &Statement),
        (prepared, reads): (&Prepared, bool),
        left: &mut (usize, usize),
    ) -> Result<Rows, Failed> {
        let explain = |error: PgError| explain(index, &error);
        let names = prepared.columns().iter().map(|it| it.name().to_owned());
        let mut answer = Rows { columns: names.collect(), rows: Vec::new(), changes: 0 };
        let parameters = statement.parameters.iter().map(Parameter);
        let stream = client.query_raw(prepared, parameters).await.map_err(explain)?;
        let mut stream = std::pin::pin!(stream);
        while let Some(row) = stream.try_next().await.map_err(explain)? {
            let Some(rows) = left.0.checked_sub(1) else {
                let most = self.limits.rows_max;
                let error = Error::LimitExceeded(format!("more than {most} rows; use LIMIT"));
                return Err(Failed::Stop(error));
            };
            left.0 = rows;
            let mut values = Vec::with_capacity(answer.columns.len());
            for (column, name) in answer.columns.iter().enumerate() {
                let Cell(value) = row.try_get(column).map_err(|error| {
                    Failed::Stop(invalid(index, format!("column {name}: {}", cause(&error))))
                })?;
                if value.bytes() > self.limits.value_bytes_max + size_of::<Value>() {
                    return Err(Failed::Stop(too_big(index)));
                }
                let Some(bytes) = left.1.checked_sub(value.bytes()) else {
                    let most = self.limits.result_bytes_max;
                    let error = Error::LimitExceeded(format!("more than {most} bytes of rows"));
                    return Err(Failed::Stop(error));
                };
                left.1 = bytes;
                values.push(value);
            }
            answer.rows.push(values);
        }
        if !reads {
            answer.changes = stream.rows_affected().unwrap_or_default();
        }
        Ok(answer)
    }

    /// Columns of an index, as SQLite names a uniqueness violation, or the index name for expressions. Not cached,
    /// because migrations on other nodes may change it.
    async fn columns(&self, client: &Client, index: String) -> Result<String, PgError> {
        let sql = "SELECT string_agg(t.relname || '.' || a.attname, ', ' ORDER BY k.place)
            FROM pg_class i JOIN pg_namespace n ON n.oid = i.relnamespace JOIN pg_index x ON x.indexrelid = i.oid
            JOIN pg_class t ON t.oid = x.indrelid
            CROSS JOIN unnest(x.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
            LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum AND k.attnum > 0
            WHERE n.nspname = $1 AND i.relname = $2 AND k.place <= x.indnkeyatts
            HAVING bool_and(a.attname IS NOT NULL)";
        let found = client.query_opt(sql, &[&self.schema, &index]).await?;
        Ok(found.and_then(|it| it.get(0)).unwrap_or(index))
    }

    /// Whether the schema has the bytes that it may have; counted now and then.
    async fn is_full(&self, client: &Client, bytes: usize) -> Result<bool, Failed> {
        let most = self.limits.database_bytes_max;
        let size = {
            let mut size = self.size.lock();
            size.sent += bytes as u64;
            *size
        };
        let is_known = size.counted_at.is_some_and(|it| it.elapsed() < COUNTED_FOR);
        if is_known && size.counted < most && size.sent < most / COUNTED_PART {
            return Ok(false);
        }
        let failed = |it: PgError| explain(0, &it);
        let may_vacuum = size.vacuumed.is_none_or(|it| it.elapsed() > VACUUM_EVERY);
        let mut bytes = self.count(client).await.map_err(failed)?;
        let (mut free, mut vacuumed) = (size.free.saturating_sub(size.sent), size.vacuumed);
        if bytes >= most && may_vacuum {
            // Deleted rows free space soon, as in SQLite, though tables rarely shrink.
            client.batch_execute("VACUUM (ANALYZE)").await.map_err(failed)?;
            vacuumed = Some(Instant::now());
            bytes = self.count(client).await.map_err(failed)?;
            free = self.free(client).await.map_err(failed)?;
        }
        let counted = bytes.saturating_sub(free);
        let counted_at = Some(Instant::now());
        *self.size.lock() = Size { counted, sent: 0, counted_at, free, vacuumed };
        Ok(counted >= most)
    }

    /// Bytes of the schema's tables that are free for other rows, by what `ANALYZE` has just found: of those tables of
    /// which a quarter is, for rows never fill all of their pages.
    async fn free(&self, client: &Client) -> Result<u64, PgError> {
        let sql = "SELECT coalesce(sum(bytes * (1 - used)) FILTER (WHERE used < 0.75), 0)::int8 FROM (
            SELECT pg_total_relation_size(c.oid) AS bytes, (greatest(c.reltuples, 0) * (28 + (
                SELECT coalesce(sum(avg_width * (1 - null_frac)), 0) FROM pg_stats
                WHERE schemaname = n.nspname AND tablename = c.relname
              )) + coalesce(greatest(t.reltuples, 0) * 2048, 0)) / greatest(pg_table_size(c.oid), 1) AS used
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
            WHERE n.nspname = $1 AND c.relkind = 'r') AS tables";
        let bytes: i64 = client.query_one(sql, &[&self.schema]).await?.get(0);
        Ok(u64::try_from(bytes).unwrap_or_default())
    }

    async fn count(&self, client: &Client) -> Result<u64, PgError> {
        let sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'";
        let bytes: i64 = client.query_one(sql, &[&self.schema]).await?.get(0);
        Ok(u64::try_from(bytes).unwrap_or_default())
    }
}

/// Holds a transaction against its lease, which no other node takes until it ends: soon, should this end fall silent.
async fn lock_lease(client: &Client, fence: Option<&Fence>) -> Result<(), Failed> {
    let Some(Fence { component, key, number }) = fence else { return Ok(()) };
    let sql = "SELECT madoguchi.holds($1, $2, $3),
        set_config('idle_in_transaction_session_timeout', '3s', true)";
    let row = client.query_one(sql, &[&&**component, &&**key, number]).await;
    match row.map_err(|it| explain(0, &it))?.get(0) {
        true => Ok(()),
        false => {
            let why = "another node does this now: the lease of this one is over";
            Err(Error::Unavailable(why.into()).into())
        }
    }
}

/// Error of waiting for the lock of all nodes, which is retried on timeout.
fn waited(error: &PgError) -> Failed {
    match error.as_db_error() {
        Some(db) if db.code().code() == "55P03" => Failed::Conflict,
        _ => explain(0, error),
    }
}

/// Commits. Without a response, the result is unknown.
async fn commit(client: &Client, batch: &Batch<'_>) -> Result<(), Failed> {
    let last = u32::try_from(batch.statements.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let writes = batch.access == Access::Write;
    batch.is_committing.store(writes, Ordering::Relaxed);
    let done = client.batch_execute("COMMIT").await;
    batch.is_committing.store(false, Ordering::Relaxed);
    done.map_err(|error| match explain(last, &error) {
        Failed::Lost(_) if writes => Failed::Stop(not_known()),
        failed => failed,
    })
}

fn not_known() -> Error {
    let why =
        "the connection to the database was lost while it committed: whether it did is not known";
    Error::Unavailable(why.into())
}

fn unreachable(why: &str) -> Error {
    let why = format!("the database is unavailable: its server cannot be reached ({why})");
    Error::Unavailable(why)
}

/// Prepares a statement with types of its values. An untyped NULL gets the first type that works.
async fn prepare(
    connection: &mut Connection,
    sql: &str,
    statement: &Statement,
) -> Result<Prepared, PgError> {
    let given: Vec<_> = statement.parameters.iter().map(type_of).collect();
    let mut error = match connection.prepare(sql, &given).await {
        Ok(prepared) => return Ok(prepared),
        Err(error) => error,
    };
    let mut types = given.clone();
    for _ in 0..given.len() {
        let Some(number) = untyped_parameter(&error) else { break };
        let mut fits = None;
        for guess in [Type::TEXT, Type::INT8, Type::FLOAT8, Type::BYTEA] {
            let Some(place) = types.get_mut(number - 1) else { return Err(error) };
            *place = guess;
            match connection.prepare(sql, &types).await {
                Ok(prepared) => {
                    connection.remember(sql, given, &prepared);
                    return Ok(prepared);
                }
                Err(next) if untyped_parameter(&next).is_some_and(|it| it != number) => {
                    fits = Some(next);
                    break;
                }
                Err(_other) => {}
            }
        }
        match fits {
            Some(next) => error = next,
            None => return Err(error),
        }
    }
    Err(error)
}

/// Number of the parameter without a known type.
fn untyped_parameter(error: &PgError) -> Option<usize> {
    let db = error.as_db_error().filter(|it| ["42P08", "42P18"].contains(&it.code().code()))?;
    db.message().rsplit_once('$')?.1.parse().ok().filter(|it| *it > 0)
}

fn too_big(index: u32) -> Error {
    Error::LimitExceeded(format!("statement {index}: string or blob too big"))
}
