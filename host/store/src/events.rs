//! Events that components publish, delivered to waiting calls and listeners on all nodes of a database (`nodes`), for
//! which they wait in an outbox: bounded per source, and drained round-robin.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{
        Notify,
        broadcast::{self, error::RecvError},
        mpsc,
    },
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_postgres::{Client, Error as PgError};
use tokio_util::sync::CancellationToken;

use crate::database::postgres::{Server, ServerError};

/// Events that a listener may be behind; one that is further behind assumes that all were published.
const BEHIND_MAX: usize = 256;

/// The channels of all components. A channel outlives the versions of its component.
#[derive(Clone)]
pub struct Events {
    channels: Arc<Mutex<BTreeMap<String, EventChannel>>>,
    all: broadcast::Sender<Published>,
    /// Events for other nodes.
    outbox: Arc<Outbox>,
}

/// A received event.
#[derive(Clone, Debug)]
pub struct Published {
    pub by: By,
    /// What has changed. `None` if unknown.
    pub what: Option<Arc<str>>,
}

/// The publisher of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The component of that name.
    Component(Arc<str>),
    /// The host, for one caller alone.
    Host {
        /// Notified caller.
        to: Arc<str>,
    },
    /// Anyone, where it is not known what another node has published.
    Anyone,
}

impl Default for Events {
    fn default() -> Self {
        let all = broadcast::Sender::new(BEHIND_MAX);
        Self { channels: Arc::default(), all, outbox: Arc::default() }
    }
}

impl Events {
    /// The channel of the component of that name.
    pub fn channel(&self, component: &str) -> EventChannel {
        let mut channels = self.channels.lock();
        let all = || EventChannel {
            all: Some((component.into(), self.all.clone(), self.outbox.clone())),
            ..EventChannel::default()
        };
        channels.entry(component.to_owned()).or_insert_with(all).clone()
    }

    /// Notifies the caller `to` of a change.
    pub fn notify(&self, to: &str, what: &str) {
        let published = Published { by: By::Host { to: to.into() }, what: Some(what.into()) };
        self.outbox.put(&published);
        let _ = self.all.send(published);
    }

    /// Receives all future events. A lagging receiver gets an error.
    pub fn listen(&self) -> broadcast::Receiver<Published> {
        self.all.subscribe()
    }

    /// Passes on what another node has published.
    fn receive(&self, published: Published) {
        match &published.by {
            By::Component(component) => {
                // Without listeners, nothing waits.
                if let Some(channel) = self.channels.lock().get(&**component) {
                    let _ = channel.sender.send(published.what.clone());
                }
            }
            By::Host { .. } => {}
            By::Anyone => {
                for channel in self.channels.lock().values() {
                    let _ = channel.sender.send(None);
                }
            }
        }
        let _ = self.all.send(published);
    }

    /// Treats missed remote events as if everything had changed.
    fn miss(&self) {
        self.receive(Published { by: By::Anyone, what: None });
    }
}

/// The channel of one component's events.
#[derive(Clone)]
pub struct EventChannel {
    /// Sends what has changed, or `None` for anything.
    sender: broadcast::Sender<Option<Arc<str>>>,
    /// The component that this channel belongs to, where all events are received, and what other nodes receive.
    all: Option<(Arc<str>, broadcast::Sender<Published>, Arc<Outbox>)>,
}

impl Default for EventChannel {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(BEHIND_MAX), all: None }
    }
}

impl EventChannel {
    /// Publishes the event `uri`. Never waits; where nothing listens, nothing happens.
    pub fn publish(&self, uri: &str) {
        let what: Arc<str> = uri.into();
        if let Some((component, all, outbox)) = &self.all {
            let by = By::Component(component.clone());
            let published = Published { by, what: Some(what.clone()) };
            outbox.put(&published);
            let _ = all.send(published);
        }
        let _ = self.sender.send(Some(what));
    }

    /// Receives everything from now on.
    pub fn listen(&self) -> Listener {
        Listener { receiver: self.sender.subscribe(), _channel: self.clone() }
    }
}

/// Queued events of one component.
pub struct Listener {
    receiver: broadcast::Receiver<Option<Arc<str>>>,
    /// Keeps the channel open while it is waited for.
    _channel: EventChannel,
}

impl Listener {
    /// Waits until one of `uris` is published, or returns at once if one has been.
    pub async fn published(&mut self, uris: &[String]) {
        loop {
            match self.receiver.recv().await {
                Ok(Some(uri)) if uris.iter().any(|it| **it == *uri) => return,
                Ok(Some(_)) => {}
                // The event may have been missed. A spurious wake-up is harmless.
                Ok(None) | Err(RecvError::Lagged(_)) => return,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Takes all queued events.
    pub fn drain(&mut self) -> Vec<String> {
        let events = std::iter::from_fn(|| self.receiver.try_recv().ok());
        events.flatten().map(|it| it.to_string()).collect()
    }

    /// Forgets the events so far.
    pub fn forget(&mut self) {
        self.receiver = self.receiver.resubscribe();
    }
}

/// Components, and callers of the host's own events, with something to send at a time.
const SOURCES_MAX: usize = 4_096;
/// Bytes of events that leave together, about.
const GROUP_BYTES_MAX: usize = 64 << 10;

/// Events to send, kept once open.
#[derive(Default)]
struct Outbox {
    is_open: AtomicBool,
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Default)]
struct Waiting {
    /// Events by source. `None` after an overflow.
    sources: HashMap<By, Option<VecDeque<Arc<str>>>>,
    /// Order of sources.
    turns: VecDeque<By>,
    /// Whether there were so many sources that they are not known any more.
    is_anyone: bool,
}

/// An event on its way.
#[derive(Serialize, Deserialize)]
struct Sent {
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    component: Option<String>,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    what: Option<String>,
}

impl Outbox {
    /// Starts keeping events.
    fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    /// Has it sent; one that is still to be sent is not sent twice.
    fn put(&self, published: &Published) {
        if !self.is_open.load(Ordering::Relaxed) {
            return;
        }
        self.waiting.lock().put(published);
        self.more.notify_one();
    }

    /// Waits until there is something to send.
    async fn wait(&self) {
        while self.is_empty() {
            self.more.notified().await;
        }
    }

    fn is_empty(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.turns.is_empty() && !waiting.is_anyone
    }

    /// Takes the next group as text.
    fn take(&self) -> String {
        let group: Vec<_> = self.waiting.lock().take().iter().map(Sent::from_event).collect();
        // Texts alone: there is nothing that could fail.
        serde_json::to_string(&group).unwrap_or_default()
    }
}

/// Parses a group of [`Outbox::take`]. `None` if invalid.
fn read_events(text: &str) -> Option<Vec<Published>> {
    let sent: Vec<Sent> = serde_json::from_str(text).ok()?;
    Some(sent.into_iter().map(Sent::published).collect())
}

impl Waiting {
    fn put(&mut self, published: &Published) {
        if self.is_anyone {
            return;
        }
        let by = &published.by;
        if !self.sources.contains_key(by) {
            if self.sources.len() >= SOURCES_MAX {
                *self = Self { is_anyone: true, ..Self::default() };
                return;
            }
            self.sources.insert(by.clone(), Some(VecDeque::new()));
            self.turns.push_back(by.clone());
        }
        let Some(own) = self.sources.get_mut(by) else { return };
        match (own.as_mut(), &published.what) {
            (Some(events), Some(what)) if events.len() < BEHIND_MAX => {
                if !events.contains(what) {
                    events.push_back(what.clone());
                }
            }
            (Some(_), _) => *own = None,
            (None, _) => {}
        }
    }

    /// Takes a group: one event of each source in turn.
    fn take(&mut self) -> Vec<Published> {
        if std::mem::take(&mut self.is_anyone) {
            return vec![Published { by: By::Anyone, what: None }];
        }
        let (mut group, mut bytes) = (Vec::new(), 0);
        while bytes < GROUP_BYTES_MAX
            && let Some(by) = self.turns.pop_front()
        {
            let own = self.sources.get_mut(&by);
            let (what, is_last) = match own {
                Some(Some(events)) => (events.pop_front(), events.is_empty()),
                _ => (None, true),
            };
            bytes += 64 + what.as_ref().map_or(0, |it| it.len());
            if is_last {
                self.sources.remove(&by);
            } else {
                self.turns.push_back(by.clone());
            }
            group.push(Published { by, what });
        }
        group
    }
}

impl Sent {
    fn from_event(published: &Published) -> Self {
        let (component, to) = match &published.by {
            By::Component(component) => (Some(component.to_string()), None),
            By::Host { to } => (None, Some(to.to_string())),
            By::Anyone => (None, None),
        };
        Self { component, to, what: published.what.as_ref().map(|it| it.to_string()) }
    }

    fn published(self) -> Published {
        let by = match (self.component, self.to) {
            (Some(component), _) => By::Component(component.into()),
            (None, Some(to)) => By::Host { to: to.into() },
            (None, None) => return Published { by: By::Anyone, what: None },
        };
        Published { by, what: self.what.map(Into::into) }
    }
}

// Events between nodes of a database (STO-20).
//
// A node publishes events in groups to `madoguchi_host.outbox`, numbered without gaps, and sends one NOTIFY per
// group, which includes short events. Each node listens on one connection and polls the outbox every second, where
// missed events are found by number. If numbers are missing, because a node was away longer than rows are kept, or a
// node is gone, which may have committed without publishing, everything counts as changed, and all waiters check.

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

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn is_published(listener: &mut Listener, uri: &str) -> bool {
        listener.published(&[uri.to_owned()]).now_or_never().is_some()
    }

    #[test]
    fn keeps_event_before_a_waiter_and_ignores_other_uris() {
        let events = Events::default();
        let mut listener = events.channel("shop").listen();
        events.channel("shop").publish("shop://orders/1");
        assert!(!is_published(&mut listener, "shop://orders/2"));
        events.channel("shop").publish("shop://orders/1");
        assert!(is_published(&mut listener, "shop://orders/1"));
        assert!(!is_published(&mut listener, "shop://orders/1"), "one event wakes once");
    }

    #[test]
    fn event_of_another_component_wakes_none() {
        let events = Events::default();
        let mut listener = events.channel("shop").listen();
        events.channel("bank").publish("shop://orders/1");
        assert!(!is_published(&mut listener, "shop://orders/1"));
    }

    #[test]
    fn lagging_listener_wakes_spuriously_rather_than_never() {
        let channel = EventChannel::default();
        let mut listener = channel.listen();
        channel.publish("wanted");
        for _ in 0..BEHIND_MAX {
            channel.publish("other");
        }
        assert!(is_published(&mut listener, "wanted"));
    }

    #[test]
    fn forgotten_subscription_does_not_wake() {
        let channel = EventChannel::default();
        let mut listener = channel.listen();
        channel.publish("a");
        listener.forget();
        assert!(!is_published(&mut listener, "a"));
        channel.publish("b");
        assert_eq!(listener.drain(), ["b"]);
    }

    fn by(component: &str) -> By {
        By::Component(component.into())
    }

    fn event(component: &str, what: &str) -> Published {
        Published { by: by(component), what: Some(what.into()) }
    }

    fn described(group: &[Published]) -> Vec<String> {
        let one = |it: &Published| match (&it.by, &it.what) {
            (By::Component(name), what) => format!("{name} {}", what.as_deref().unwrap_or("*")),
            (by, what) => format!("{by:?} {what:?}"),
        };
        group.iter().map(one).collect()
    }

    /// STO-20.
    #[test]
    fn published_event_round_trips() {
        let outbox = Outbox::default();
        outbox.put(&event("shop", "early"));
        assert!(outbox.is_empty(), "alone, nothing is kept");
        outbox.open();
        outbox.put(&event("shop", "shop://orders/\"1\""));
        outbox.put(&event("shop", "shop://orders/\"1\""));
        outbox.put(&Published { by: By::Host { to: "ann".into() }, what: Some("tasks/1".into()) });
        let read = read_events(&outbox.take()).unwrap();
        assert_eq!(
            described(&read),
            ["shop shop://orders/\"1\"", "Host { to: \"ann\" } Some(\"tasks/1\")"]
        );
        assert!(outbox.is_empty());
        assert!(read_events("").is_none() && read_events("[7]").is_none());
    }

    /// STO-22.
    #[test]
    fn flood_of_one_source_does_not_starve_others() {
        let mut waiting = Waiting::default();
        for number in 0..=BEHIND_MAX {
            waiting.put(&event("flood", &format!("{number}")));
            if number < 2 {
                waiting.put(&event("shop", &format!("{number}")));
            }
        }
        assert_eq!(described(&waiting.take()), ["flood *", "shop 0", "shop 1"]);
        let long = "x".repeat(1_000);
        for number in 0..200 {
            waiting.put(&event("flood", &format!("{long}{number}")));
        }
        waiting.put(&event("shop", "2"));
        let group = waiting.take();
        assert_eq!(described(&group)[1], "shop 2", "not behind all of the other's");
        assert!(group.len() < 100, "the rest leaves later: {}", group.len());
        assert!(!waiting.turns.is_empty());
    }

    /// STO-22.
    #[test]
    fn too_many_sources_are_reported_as_any() {
        let mut waiting = Waiting::default();
        for number in 0..=SOURCES_MAX {
            waiting.put(&event(&format!("{number}"), "x"));
        }
        assert_eq!(described(&waiting.take()), ["Anyone None"]);
        assert!(waiting.take().is_empty());
    }
}
