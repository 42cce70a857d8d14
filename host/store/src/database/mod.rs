//! The database of a component: SQLite with group commits and snapshot reads, or a schema on a PostgreSQL server
//! (`postgres`) with the same results.
//!
//! In SQLite: one file, one writer thread that commits queued batches together (an fsync costs milliseconds, so
//! sharing gains an order of magnitude), and a few read-only connections that never wait for the writer. Every guest
//! statement passes three checks, each of which stops most attacks: its text (`scan`), SQLite's authorizer and limits
//! (`guard`), and for reads a read-only connection.

mod connections;
mod export;
mod frozen;
mod guard;
mod mark;
mod migrations;
mod moving;
pub mod postgres;
mod run;
mod types;
mod writer;

#[cfg(test)]
mod tests;

use futures::future::BoxFuture;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tempfile::TempDir;

pub use export::{ExportError, Stored, StoredDatabase, copy};
pub use migrations::{MigrateError, Migration};
pub(crate) use moving::Staging;
pub use moving::{Kind, Moved, Plan, Recorded, recorded};
pub use moving::{Movable, Rows as MovedRows, no_row};
pub use sql::{Error, Rows, Statement, Value};
pub use types::{Fence, Limits, OpenError, sql};

use connections::Site;
use connections::{Answer, Readers};
use writer::Writer;

/// The database of one component. A clone is another handle on the same one.
#[derive(Clone)]
pub struct Database(Engine);

#[derive(Clone)]
enum Engine {
    Sqlite(Arc<Inner>),
    Postgres(Arc<postgres::Postgres>),
}

// Fields drop in this order: connections first, then the folder of a temporary database.
struct Inner {
    site: Arc<Site>,
    readers: Readers,
    writer: Writer,
    _scratch: Option<TempDir>,
}

impl Database {
    /// Opens the file, or makes it, with its folder. Blocks for a few milliseconds of disk.
    ///
    /// The file's stem is taken for the component's name in what operators read.
    pub fn open(path: impl AsRef<Path>, limits: Limits) -> Result<Self, OpenError> {
        Self::start(path.as_ref(), limits, None)
    }

    /// A database that is gone with its last handle: for self-tests and for running a tool alone.
    ///
    /// An ordinary file with the same checks, without waiting for the disk.
    pub fn temporary(limits: Limits) -> Result<Self, OpenError> {
        let mut folder = tempfile::Builder::new();
        folder
            .prefix("madoguchi-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let failed = |source| OpenError::Folder { path: std::env::temp_dir(), source };
        let scratch = folder.tempdir().map_err(failed)?;
        let path = scratch.path().join("temporary.db");
        Self::start(&path, limits, Some(scratch))
    }

    fn start(path: &Path, limits: Limits, scratch: Option<TempDir>) -> Result<Self, OpenError> {
        let site = Arc::new(Site::new(path, limits, scratch.is_none()));
        let writer = Writer::start(&site)?;
        let readers = Readers::new(site.clone());
        Ok(Self(Engine::Sqlite(Arc::new(Inner { site, readers, writer, _scratch: scratch }))))
    }

    /// Reads, all statements in one snapshot, which holds every write acknowledged before.
    ///
    /// Never waits for a writer. Runs on the asking worker when it is known to take
    /// microseconds, else on a blocking thread; `readers` says why.
    pub fn query(&self, statements: Vec<Statement>, deadline: Instant) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            match &self.0 {
                Engine::Sqlite(sqlite) => {
                    sqlite.site.check_damage()?;
                    sqlite.readers.query(statements, deadline).await
                }
                Engine::Postgres(it) => it.query(statements, deadline).await,
            }
        })
    }

    /// Writes, and reads among them, in one transaction that is on disk when this returns.
    ///
    /// Dropping the future before the writer has begun with the batch cancels it; after that
    /// the batch is carried out, whole or not at all, and its result is lost.
    pub fn transact(&self, statements: Vec<Statement>, deadline: Instant) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            match &self.0 {
                Engine::Sqlite(sqlite) => {
                    sqlite.site.check_damage()?;
                    sqlite.writer.transact(statements, deadline).await
                }
                Engine::Postgres(it) => it.transact(statements, None, deadline).await,
            }
        })
    }

    /// Runs a batch under a lease; refused if another node has it.
    pub fn transact_under<'a>(
        &'a self,
        fence: &'a Fence,
        statements: Vec<Statement>,
        deadline: Instant,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            match &self.0 {
                Engine::Sqlite(_) => self.transact(statements, deadline).await,
                Engine::Postgres(it) => it.transact(statements, Some(fence), deadline).await,
            }
        })
    }

    /// Applies the migrations that are new, in one transaction, and returns how many those were.
    ///
    /// Applied ones that are not in the list are left alone: an older component lives with what a
    /// later one has added.
    pub fn migrate<'a>(
        &'a self,
        migrations: &'a [Migration],
    ) -> BoxFuture<'a, Result<u32, MigrateError>> {
        Box::pin(async move {
            match &self.0 {
                Engine::Sqlite(it) => it.writer.migrate(migrations.to_vec()).await,
                Engine::Postgres(it) => it.migrate(migrations).await,
            }
        })
    }

    /// Commits accepted writes, checkpoints the log and ends the thread. Later calls get [`Error::Unavailable`].
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match &self.0 {
                Engine::Sqlite(sqlite) => {
                    sqlite.readers.close();
                    sqlite.writer.close().await;
                }
                Engine::Postgres(it) => it.close(),
            }
        })
    }

    /// Whether it can only be read for the time being, because its disk takes nothing.
    pub fn is_frozen(&self) -> bool {
        matches!(&self.0, Engine::Sqlite(it) if it.site.frozen.is_frozen())
    }

    /// Damage found since opening. Reads and writes then fail.
    pub fn damage(&self) -> Option<&str> {
        match &self.0 {
            Engine::Sqlite(it) => it.site.damage.get().map(String::as_str),
            Engine::Postgres(_) => None,
        }
    }
}
