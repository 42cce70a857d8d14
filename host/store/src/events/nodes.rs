//! Events between nodes of a database (STO-20).
//!
//! A node publishes events in groups to `madoguchi_host.outbox`, numbered without gaps, and sends one NOTIFY per
//! group, which includes short events. Each node listens on one connection and polls the outbox every second, where
//! missed events are found by number. If numbers are missing, because a node was away longer than rows are kept, or a
//! node is gone, which may have committed without publishing, everything counts as changed, and all waiters check.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_postgres::{Client, Error as PgError};
use tokio_util::sync::CancellationToken;

use super::{Events, read_events};
use crate::database::postgres::{Server, ServerError};

/// PostgreSQL notification channel.
const CHANNEL: &str = "madoguchi_events";
/// Bytes of events that a NOTIFY has with it; PostgreSQL takes 8,000 of all.
const PAYLOAD_BYTES_MAX: usize = 7_900;
/// Interval of polling the outbox.
const READ_EVERY: Duration = Duration::from_secs(1);
/// Response timeout of the connection.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// Reconnect delay.
const AGAIN: Duration = Duration::from_millis(200);
/// Interval of removing read events, and their lifetime.
const SWEEP_EVERY: Duration = Duration::from_secs(10);
const KEPT_S: f64 = 60.0;
/// Groups of one node that are kept at most.
const KEPT_MAX: i64 = 1_024;
/// Groups that are read at a time.
const READ_MAX: i64 = 256;
/// Nodes that are remembered, those that are gone among them.
const NODES_MAX: usize = 1_024;

impl Events {
    /// Exchanges events with other nodes of `server` until `stop`, then sends the rest.
    ///
    /// # Errors
    /// If the server is unreachable.
    pub async fn spread(
        &self,
        server: &Server,
        stop: &CancellationToken,
    ) -> Result<[JoinHandle<()>; 2], ServerError> {
        let mut reader = Reader {
            events: self.clone(),
            server: server.clone(),
            known: BTreeMap::new(),
            alive: BTreeSet::new(),
        };
        // Earlier events do not count.
        reader.begin().await?;
        self.outbox.open();
        let sender = Sender { events: self.clone(), server: server.clone(), node: 0, sent: 0 };
        let (ending, stop) = (stop.clone(), stop.clone());
        let reads =
            tokio::spawn(async move { _ = ending.run_until_cancelled(reader.serve()).await });
        Ok([tokio::spawn(sender.serve(stop)), reads])
    }
}

/// Sends what this node publishes.
struct Sender {
    events: Events,
    server: Server,
    /// Node id, and number of its last committed group.
    node: i64,
    sent: i64,
}

impl Sender {
    async fn serve(mut self, stop: CancellationToken) {
        // Sent again under its number if the commit is unknown.
        let mut group = None;
        while !stop.is_cancelled() {
            if let Ok(client) = self.server.dedicated_client().await {
                let _lost = self.on(&client, &mut group, &stop).await;
            }
            if !stop.is_cancelled() {
                stop.run_until_cancelled(sleep(AGAIN)).await;
            }
        }
    }

    /// Sends on this connection until it is lost, or the end.
    async fn on(
        &mut self,
        client: &Client,
        group: &mut Option<String>,
        stop: &CancellationToken,
    ) -> Result<(), PgError> {
        client.batch_execute("SET synchronous_commit = off").await?;
        let node = self.server.node();
        if node != self.node {
            (self.node, self.sent) = (node, 0);
        }
        let last = "SELECT coalesce(max(number), 0) FROM madoguchi_host.outbox WHERE node = $1";
        let last: i64 = client.query_one(last, &[&self.node]).await?.get(0);
        if last < self.sent && group.is_none() {
            // A crashed server has lost its rows; the next number reveals that.
            *group = Some("[]".to_owned());
        }
        let mut sweep = Instant::now() + SWEEP_EVERY;
        loop {
            if group.is_none() {
                tokio::select! {
                    biased;
                    () = self.events.outbox.wait() => *group = Some(self.events.outbox.take()),
                    () = stop.cancelled() => return Ok(()),
                    () = sleep_until(sweep) => {}
                }
            }
            if let Some(events) = &*group {
                if self.server.node() != self.node {
                    return Ok(());
                }
                match timeout(ANSWER_TIME, self.send(client, events)).await {
                    Ok(done) => done?,
                    Err(_late) => return Ok(()),
                }
                (*group, self.sent) = (None, self.sent + 1);
            }
            if sweep <= Instant::now() {
                self.sweep(client).await?;
                sweep = Instant::now() + SWEEP_EVERY;
            }
        }
    }

    async fn send(&self, client: &Client, events: &str) -> Result<(), PgError> {
        let number = self.sent + 1;
        let payload = match events.len() <= PAYLOAD_BYTES_MAX {
            true => format!("{} {number} {events}", self.node),
            false => format!("{} {number}", self.node),
        };
        let sql = "WITH kept AS (
              INSERT INTO madoguchi_host.outbox (node, number, events) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            ) SELECT pg_notify($4, $5)";
        client.execute(sql, &[&self.node, &number, &events, &CHANNEL, &payload]).await.map(drop)
    }

    /// Removes what others have read; the last group of a node stays while it is there.
    async fn sweep(&self, client: &Client) -> Result<(), PgError> {
        let own = "DELETE FROM madoguchi_host.outbox WHERE node = $1 AND number < $2
            AND (number <= $2 - $3 OR at < now() - make_interval(secs => $4))";
        client.execute(own, &[&self.node, &self.sent, &KEPT_MAX, &KEPT_S]).await?;
        let gone =
            "DELETE FROM madoguchi_host.outbox o WHERE at < now() - make_interval(secs => $1)
            AND NOT EXISTS (SELECT 1 FROM madoguchi_host.nodes n WHERE n.id = o.node
              AND n.seen_at > now() - make_interval(secs => $1))";
        client.execute(gone, &[&KEPT_S]).await.map(drop)
    }
}

/// Receives what other nodes publish.
struct Reader {
    events: Events,
    server: Server,
    /// The number of the last group of each node.
    known: BTreeMap<i64, i64>,
    /// The other nodes that are there.
    alive: BTreeSet<i64>,
}

impl Reader {
    /// Takes note of what there is.
    async fn begin(&mut self) -> Result<(), ServerError> {
        let mut host = self.server.host().await?;
        let sql = "SELECT node, max(number) FROM madoguchi_host.outbox GROUP BY node";
        let rows = host.client().query(sql, &[]).await.map_err(|it| self.server.error(&it))?;
        self.known = rows.iter().map(|it| (it.get(0), it.get(1))).collect();
        Ok(())
    }

    async fn serve(mut self) {
        loop {
            match self.server.listening(CHANNEL).await {
                Ok((client, payloads)) => self.on(&client, payloads).await,
                // Without notifications, the outbox can still be read.
                Err(_) => {
                    let server = self.server.clone();
                    if let Ok(mut host) = server.host().await {
                        let _ = timeout(ANSWER_TIME, self.read(host.client())).await;
                    }
                    sleep(READ_EVERY).await;
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// Listens on this connection until it is lost.
    async fn on(&mut self, client: &Client, mut payloads: mpsc::Receiver<String>) {
        loop {
            if !matches!(timeout(ANSWER_TIME, self.read(client)).await, Ok(Ok(()))) {
                return;
            }
            let next = Instant::now() + READ_EVERY;
            loop {
                tokio::select! {
                    biased;
                    text = payloads.recv() => match text {
                        Some(text) if self.is_new_payload(&text) => {}
                        Some(_) => break,
                        None => return,
                    },
                    () = sleep_until(next) => break,
                }
            }
        }
    }

    /// Handles a notification. Returns false if it has no events or earlier ones were missed, so that the outbox must
    /// be read.
    fn is_new_payload(&mut self, text: &str) -> bool {
        let mut words = text.splitn(3, ' ');
        let mut number = || words.next().and_then(|it| it.parse::<i64>().ok());
        let (Some(node), Some(number)) = (number(), number()) else { return true };
        let last = self.known.get(&node).copied().unwrap_or_default();
        if node == self.server.node() || number <= last {
            return true;
        }
        let events = words.next().and_then(read_events);
        let Some(events) = events.filter(|_| number == last + 1) else { return false };
        self.known.insert(node, number);
        events.into_iter().for_each(|it| self.events.receive(it));
        true
    }

    /// Reads what other nodes have written since, and which of them are there.
    async fn read(&mut self, client: &Client) -> Result<(), PgError> {
        let own = self.server.node();
        let there = "SELECT id FROM madoguchi_host.nodes
            WHERE id <> $1 AND seen_at > now() - make_interval(secs => $2)";
        let gone_s = crate::database::postgres::GONE_AFTER.as_secs_f64();
        let rows = client.query(there, &[&own, &gone_s]).await?;
        let there: BTreeSet<i64> = rows.iter().map(|it| it.get(0)).collect();
        let is_one_gone = !self.alive.is_subset(&there);
        self.alive = there;
        let written = "SELECT o.node, o.number, o.events FROM madoguchi_host.outbox o
            LEFT JOIN unnest($1::int8[], $2::int8[]) AS k (node, number) ON k.node = o.node
            WHERE o.node <> $3 AND o.number > coalesce(k.number, 0) ORDER BY o.node, o.number LIMIT $4";
        loop {
            let nodes: Vec<_> = self.known.keys().copied().collect();
            let numbers: Vec<_> = self.known.values().copied().collect();
            let rows = client.query(written, &[&nodes, &numbers, &own, &READ_MAX]).await?;
            for row in &rows {
                let (node, number, events): (i64, i64, &str) = (row.get(0), row.get(1), row.get(2));
                let last = self.known.insert(node, number).unwrap_or_default();
                match read_events(events) {
                    Some(events) if number == last + 1 => {
                        events.into_iter().for_each(|it| self.events.receive(it));
                    }
                    _ => self.events.miss(),
                }
            }
            if rows.len() < READ_MAX as usize {
                break;
            }
        }
        // A gone node may have committed without publishing.
        if is_one_gone {
            self.events.miss();
        }
        if self.known.len() > NODES_MAX {
            self.known.retain(|node, _| self.alive.contains(node));
        }
        Ok(())
    }
}
