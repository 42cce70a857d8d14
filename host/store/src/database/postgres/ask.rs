//! Statements of the host itself: one each, retried after a lost connection or conflict, and idempotent.

use std::{
    future::poll_fn,
    io,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Client, Error as PgError, Row, types::ToSql};

use super::{
    failed::{Failed, explain},
    server::{Server, ServerError},
};

/// How long to retry an unavailable server.
const AWAY_MAX: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

enum QueryError {
    Unreached(ServerError),
    Refused(PgError),
}

impl Server {
    /// Runs one statement on the schema `madoguchi_host` in its own transaction and returns its rows.
    ///
    /// # Errors
    /// The server's error, or that it was unavailable for 5 s.
    pub fn ask<'a>(
        &'a self,
        sql: &'a str,
        parameters: &'a [&'a (dyn ToSql + Sync)],
    ) -> BoxFuture<'a, io::Result<Vec<Row>>> {
        // Boxed, because it is part of calls that rarely need it.
        Box::pin(async move {
            let until = Instant::now() + AWAY_MAX;
            loop {
                let (error, may_pass) = match self.asked(sql, parameters).await {
                    Ok(rows) => return Ok(rows),
                    Err(QueryError::Unreached(error)) => (io::Error::other(error), true),
                    Err(QueryError::Refused(error)) => {
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
    ) -> Result<Vec<Row>, QueryError> {
        let mut host = self.host().await.map_err(QueryError::Unreached)?;
        host.client().query(sql, parameters).await.map_err(QueryError::Refused)
    }
}

fn failed(error: &PgError, reported: ServerError) -> io::Error {
    let is_full = error.as_db_error().is_some_and(|it| it.code().code() == "53100");
    let kind = if is_full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    io::Error::new(kind, reported)
}

// Dedicated connections for long work, counted besides the shared ones.

/// Maximum number of queued notifications.
const PAYLOADS_MAX: usize = 1_024;

impl Server {
    /// A connection of the host's own for one work alone.
    pub fn dedicated_client(&self) -> BoxFuture<'_, Result<Client, ServerError>> {
        Box::pin(async move { self.way().connect().await.map_err(|it| self.error(&it)) })
    }

    /// Opens a connection that listens on `channel`. Notifications beyond the queue are dropped.
    pub fn listening<'a>(
        &'a self,
        channel: &'static str,
    ) -> BoxFuture<'a, Result<(Client, mpsc::Receiver<String>), ServerError>> {
        Box::pin(async move {
            let mut way = self.way().clone();
            way.config.application_name("madoguchi listens");
            let mut silence = way.silence.subscribe();
            let connected = way.in_time(way.config.connect(way.tls.clone())).await;
            let (client, mut connection) = connected.map_err(|it| self.error(&it))?;
            let (sender, payloads) = mpsc::channel(PAYLOADS_MAX);
            tokio::spawn(async move {
                let listens = async {
                    while let Some(Ok(message)) =
                        poll_fn(|context| connection.poll_message(context)).await
                    {
                        if let AsyncMessage::Notification(notification) = message {
                            let _ = sender.try_send(notification.payload().to_owned());
                        }
                    }
                };
                tokio::select! {
                    () = listens => {}
                    _ = silence.changed() => {}
                }
            });
            let listen = client.batch_execute(&format!("LISTEN {channel}")).await;
            listen.map_err(|it| self.error(&it))?;
            Ok((client, payloads))
        })
    }
}
