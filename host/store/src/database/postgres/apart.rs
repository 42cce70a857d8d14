//! Connections of the host's own that are at one work for long, and are counted beside those that are shared.

use futures::future::BoxFuture;
use std::future::poll_fn;

use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Client};

use super::server::{Server, ServerError};

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
