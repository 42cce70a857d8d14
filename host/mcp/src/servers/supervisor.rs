//! Keeps an upstream server connected: connects, reads its lists, checks it, and reconnects without end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt;
use rmcp::{model::SubscriptionFilter, service::ServiceError};
use tokio_util::sync::CancellationToken;

use super::{
    Link, Server,
    connection::{Connection, Connector},
    offer::Lists,
    retry::{self, Failed},
};
use base::config::servers::Way;
use registry::Registry;

/// Minimum startup time of commands, which `npx` and others download first.
const COMMAND_BEGINS: Duration = Duration::from_secs(120);

/// Interval of polling a silent server.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// A connection or a stream that ends sooner was hardly one.
const SHORT: Duration = Duration::from_secs(5);
/// Consecutive short connections after which a server counts as unavailable.
const SHORT_LIVES_MAX: u32 = 3;

/// Keeps `server` connected until `stop`.
pub(super) async fn supervise(server: Arc<Server>, registry: Registry, stop: CancellationToken) {
    stop.run_until_cancelled(forever(&server, &registry)).await;
    if let Link::Up(connection) =
        server.link.send_replace(Link::Down { why: "the host is stopping".into() })
    {
        connection.end().await;
    }
}

async fn forever(server: &Arc<Server>, registry: &Registry) {
    let connector = loop {
        let config = server.config.clone();
        match tokio::task::spawn_blocking(move || Connector::new(&config)).await {
            Ok(Ok(connector)) => break connector,
            Ok(Err(why)) => server.withdraw_offers(registry, &Failed::Unusable(why)),
            Err(error) => server.withdraw_offers(registry, &Failed::Unusable(error.to_string())),
        }
        pause(server, u32::MAX).await;
    };
    let (mut failures, mut short_lives) = (0_u32, 0_u32);
    loop {
        let failed = match reach(server, &connector).await {
            Ok((connection, lists)) => {
                failures = 0;
                // The doubt was about the previous connection.
                let _ = server.suspicion.notified().now_or_never();
                // First the connection: a tool that is listed can be called.
                server.link.send_replace(Link::Up(connection.clone()));
                offer(server, registry, lists).await;
                let began = Instant::now();
                let is_asked = watch(server, registry, &connection).await;
                server.link.send_replace(Link::Connecting);
                let is_short = began.elapsed() < SHORT && !is_asked;
                short_lives = if is_short { short_lives + 1 } else { 0 };
                if short_lives < SHORT_LIVES_MAX {
                    continue;
                }
                // Frequent reconnects are slowed down.
                failures = short_lives;
                Failed::Unreached("it closes each connection at once".to_owned())
            }
            Err(failed) => failed,
        };
        failures = failures.saturating_add(1);
        server.withdraw_offers(registry, &failed);
        // A token that is wrong will hardly be right in a moment.
        let is_turned_away = matches!(failed, Failed::Unauthorized(_));
        let patience = if is_turned_away { u32::MAX } else { failures };
        if pause(server, patience).await {
            // The operator may have put it right.
            (failures, short_lives) = (0, 0);
        }
    }
}

/// Waits before the next try, the longer the more have failed; whether the operator has ended that wait.
async fn pause(server: &Server, failures: u32) -> bool {
    let pause = retry::pause(server.base, failures, retry::jitter());
    tokio::time::timeout(pause, server.again.notified()).await.is_ok()
}

/// A connection, with what the server offers.
async fn reach(server: &Server, connector: &Connector) -> Result<(Arc<Connection>, Lists), Failed> {
    // A command may have to be fetched before it begins.
    let least = match server.config.way {
        Way::Command { .. } => COMMAND_BEGINS,
        Way::Url { .. } => Duration::ZERO,
    };
    let connection = with_timeout(patience(server).max(least), connector.connect(server)).await?;
    let lists = with_timeout(patience(server), read(server, &connection)).await?;
    Ok((Arc::new(connection), lists))
}

/// Reads all lists.
async fn read(server: &Server, connection: &Connection) -> Result<Lists, Failed> {
    let last = server.last.lock().clone();
    Lists::read(&connection.peer, server.config.tools.as_ref(), last).await
}

/// Timeout of the server.
fn patience(server: &Server) -> Duration {
    Duration::from_millis(server.config.timeout_ms)
}

/// Runs `work` with a timeout.
async fn with_timeout<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, Failed>>,
) -> Result<T, Failed> {
    tokio::time::timeout(patience, work).await.unwrap_or(Err(Failed::TimedOut))
}

/// Puts what the server offers into the catalog: away from what must not wait, for it may be much, and is written down.
async fn offer(server: &Arc<Server>, registry: &Registry, lists: Lists) {
    let (offering, registry) = (server.clone(), registry.clone());
    if let Err(error) = tokio::task::spawn_blocking(move || offering.offers(&registry, lists)).await
    {
        tracing::error!(target: "server", server = &*server.name, "what it offers could not be taken in: {error}");
    }
}

/// Watches `connection` until it is lost or doubtful, or until a requested reconnect, which is returned.
async fn watch(server: &Arc<Server>, registry: &Registry, connection: &Connection) -> bool {
    let news = listen(connection);
    tokio::pin!(news);
    loop {
        tokio::select! {
            () = connection.closed.cancelled() => return false,
            () = server.again.notified() => return true,
            () = server.suspicion.notified() => {}
            () = &mut news => {}
            () = connection.handler.changed() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let lists = with_timeout(patience(server), read(server, connection));
        let Some(Ok(lists)) = connection.closed.run_until_cancelled(lists).await else {
            return false;
        };
        offer(server, registry, lists).await;
        // However often it says that something has changed, its lists are read so often.
        tokio::time::sleep(server.base.min(Duration::from_secs(1))).await;
    }
}

/// Listens for changes as 2026-07-28 notifies of them. A stream that ends may be the end of the
/// server: that is checked, too. A server that does not notify is checked now and then.
async fn listen(connection: &Connection) {
    while connection.is_modern() {
        let mut filter = SubscriptionFilter::new();
        (filter.tools_list_changed, filter.prompts_list_changed) = (Some(true), Some(true));
        filter.resources_list_changed = Some(true);
        let began = Instant::now();
        match connection.peer.listen(filter).await {
            Ok(mut subscription) => {
                // What changed since the lists were read was not notified of.
                connection.handler.change();
                while let Ok(Some(_)) = subscription.next().await {
                    connection.handler.change();
                }
                connection.handler.change();
            }
            Err(ServiceError::McpError(_)) => break,
            Err(_) => {}
        }
        if began.elapsed() < SHORT {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    std::future::pending().await
}
