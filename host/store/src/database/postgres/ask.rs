//! What the host itself asks of the server: one statement each, again where the connection was lost or another was in
//! the way. Each may be carried out twice and come to the same.

use std::{
    io,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error as PgError, Row};

use super::Server;
use super::failed::{Failed, explain};
use super::server::ServerError;

/// For how long a server that is away is looked for.
const AWAY_MAX: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

enum NotAsked {
    Unreached(ServerError),
    Refused(PgError),
}

impl Server {
    /// The rows of one statement, each name in which is of the schema `madoguchi_host`. It sees what is committed when
    /// it begins, and is committed when this returns.
    ///
    /// # Errors
    /// What the server says of it, or that it is not there for 5 s.
    pub fn ask<'a>(
        &'a self,
        sql: &'a str,
        parameters: &'a [&'a (dyn ToSql + Sync)],
    ) -> BoxFuture<'a, io::Result<Vec<Row>>> {
        // In a box: what asks is part of calls, most of which ask nothing.
        Box::pin(async move {
            let until = Instant::now() + AWAY_MAX;
            loop {
                let (error, may_pass) = match self.asked(sql, parameters).await {
                    Ok(rows) => return Ok(rows),
                    Err(NotAsked::Unreached(error)) => (io::Error::other(error), true),
                    Err(NotAsked::Refused(error)) => {
                        let passes = matches!(
                            explain(0, &error),
                            Failed::Lost(_) | Failed::Conflict | Failed::Stale
                        );
                        (failed(&error, self.error(&error)), passes)
                    }
                };
                if !may_pass || Instant::now() >= until {
                    return Err(error);
                }
                tokio::time::sleep(PAUSE).await;
            }
        })
    }

    async fn asked(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, NotAsked> {
        let mut host = self.host().await.map_err(NotAsked::Unreached)?;
        host.client().query(sql, parameters).await.map_err(NotAsked::Refused)
    }
}

fn failed(error: &PgError, told: ServerError) -> io::Error {
    let is_full = error.as_db_error().is_some_and(|it| it.code().code() == "53100");
    let kind = if is_full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    io::Error::new(kind, told)
}
