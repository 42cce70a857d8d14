//! What the host itself asks of the server: one statement each, again where the connection was lost or another was in
//! the way. Each may be carried out twice and come to the same.

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

// Connections of the host's own that are at one work for long, and are counted beside those that are shared.

/// What may wait to be taken; what is too much is left out.
const SAID_MAX: usize = 1_024;

impl Server {
    /// A connection of the host's own for one work alone.
    pub fn apart(&self) -> BoxFuture<'_, Result<Client, ServerError>> {
        Box::pin(async move { self.way().connect().await.map_err(|it| self.error(&it)) })
    }

    /// The same, and what is said on `channel` from now on, which ends with the connection. Where too much waits to
    /// be taken, the rest is left out.
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
            let (sender, said) = mpsc::channel(SAID_MAX);
            tokio::spawn(async move {
                let listens = async {
                    while let Some(Ok(message)) =
                        poll_fn(|context| connection.poll_message(context)).await
                    {
                        if let AsyncMessage::Notification(it) = message {
                            let _ = sender.try_send(it.payload().to_owned());
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
            Ok((client, said))
        })
    }
}
