//! The listener: accepts a bounded number of connections, enforces time limits, and closes them when the server stops.
//!
//! Serves HTTP/1.1 only: one request at a time per connection bounds its memory.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use scopeguard::guard;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    front::{Front, Served},
    state::{Clock, Order, Phase, State, TICK, Timeouts, ticks},
};
use base::{caller::network, limits::ConnectionsConfig};

/// Maximum size of a request head, and of data read ahead of a body.
const READ_BYTES_MAX: usize = 32 << 10;
/// Grace period for incomplete requests when the server stops.
const STOP_GRACE_TICKS: u32 = 4;
/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Delay before restoring the connection limit after file descriptors ran out.
const GROW_TICKS: u32 = 240;
/// Minimum connection limit.
const CONNECTIONS_MIN: usize = 8;
/// Interval of logging the same problem.
const LOG_EVERY: Duration = Duration::from_secs(10);
/// Maximum number of unread request bytes that are discarded after a response, because a sending client would
/// otherwise lose it.
const LINGER_BYTES_MAX: usize = 64 << 20;
const LINGER_TIME: Duration = Duration::from_secs(2);
/// The answer where there is no room for one more connection.
const NO_ROOM: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// The end of a listener, step by step.
#[derive(Clone)]
pub(crate) struct End {
    /// Connections end with their next response; new ones are accepted.
    pub(crate) leaves: CancellationToken,
    /// Requests are refused.
    pub(crate) stop: CancellationToken,
    /// No connections are accepted.
    pub(crate) gone: CancellationToken,
}

impl End {
    /// All phases at once.
    pub(crate) fn at(stop: CancellationToken) -> Self {
        Self { leaves: stop.clone(), stop: stop.clone(), gone: stop }
    }
}

/// All connections of a listener.
pub(crate) struct Connections {
    /// Configured limit, and current limit.
    most: usize,
    max: AtomicUsize,
    clock: Arc<Clock>,
    timeouts: Timeouts,
    open: Mutex<Open>,
    tracker: TaskTracker,
}

#[derive(Default)]
struct Open {
    next: u64,
    states: HashMap<u64, Arc<State>>,
}

impl Connections {
    pub(crate) fn new(config: &ConnectionsConfig) -> Arc<Self> {
        let timeouts = Timeouts {
            header: ticks(config.header_s),
            body: ticks(config.body_s),
            idle: ticks(config.idle_s),
            write: ticks(config.write_s),
            body_bytes_per_tick: config.body_bytes_per_s_min.div_ceil(4),
        };
        let most = connections_max(config);
        if most < config.connections_max {
            tracing::info!(
                "takes {most} connections at a time and not {}, because the system does not allow enough open files (ulimit -n)",
                config.connections_max
            );
        }
        Arc::new(Self {
            most,
            max: AtomicUsize::new(most),
            clock: Arc::default(),
            timeouts,
            open: Mutex::default(),
            tracker: TaskTracker::new(),
        })
    }

    /// Takes connections for `front` until the `end`, and ends when the last one has.
    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener, front: Front, end: End) {
        let mut looks = tokio::time::interval(TICK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut warning = RareWarning::default();
        // Orders to connections accepted from now on.
        let mut order = Order::None;
        loop {
            tokio::select! {
                biased;
                () = end.stop.cancelled() => break,
                () = end.leaves.cancelled(), if order == Order::None => {
                    order = Order::Leave;
                    self.give_all(order);
                }
                _ = looks.tick() => self.look(),
                accepted = listener.accept() => {
                    self.accept(accepted, (&front, order), &mut warning).await;
                }
            }
        }
        self.give_all(Order::Finish);
        let mut ticks = 0;
        // Calls run: what others ask meanwhile is answered, and not left without an answer.
        loop {
            tokio::select! {
                biased;
                () = end.gone.cancelled() => break,
                _ = looks.tick() => {
                    self.look();
                    ticks += 1;
                    self.end_unread(ticks);
                }
                accepted = listener.accept() => {
                    self.accept(accepted, (&front, Order::Refuse), &mut warning).await;
                }
            }
        }
        drop(listener);
        self.give_all(Order::Finish);
        self.tracker.close();
        loop {
            tokio::select! {
                () = self.tracker.wait() => return,
                _ = looks.tick() => self.look(),
            }
            ticks += 1;
            self.end_unread(ticks);
        }
    }

    async fn accept(
        self: &Arc<Self>,
        accepted: io::Result<(TcpStream, SocketAddr)>,
        (front, order): (&Front, Order),
        warning: &mut RareWarning,
    ) {
        match accepted {
            Ok((stream, peer)) => self.take(stream, peer.ip(), (front, order), warning),
            Err(error) if is_the_clients(&error) => {}
            Err(error) => {
                warning.warn(&format!("cannot take connections: {error}"));
                self.shrink();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }

    /// Ends every connection, whatever it is doing.
    pub(crate) fn close(&self) {
        self.give_all(Order::Close);
    }

    fn look(&self) {
        let now = self.clock.tick();
        if now.is_multiple_of(GROW_TICKS) {
            self.max.store(self.most, Relaxed);
        }
        self.open.lock().states.values().for_each(|it| it.look(now, &self.timeouts));
    }

    /// Lowers the limit when file descriptors run out, and closes idle connections.
    fn shrink(&self) {
        let open = self.open.lock().states.len();
        let room = open / 8 + 1;
        self.max.store(open.saturating_sub(room).max(CONNECTIONS_MIN), Relaxed);
        for _ in 0..room {
            if !self.make_room(None) {
                return;
            }
        }
    }

    fn give_all(&self, order: Order) {
        self.open.lock().states.values().for_each(|it| it.give(order));
    }

    /// Closes incomplete requests after the grace period. Heads that started later get a grace period as well, in
    /// order to be refused.
    fn end_unread(&self, ticks: u32) {
        if ticks < STOP_GRACE_TICKS {
            return;
        }
        let (open, now) = (self.open.lock(), self.clock.now());
        let is_over = |state: &&Arc<State>| match state.phase() {
            Phase::Answering => false,
            Phase::Body => true,
            Phase::Head | Phase::Idle => state.age(now) >= STOP_GRACE_TICKS,
        };
        open.states.values().filter(is_over).for_each(|it| it.give(Order::Close));
    }

    fn take(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: IpAddr,
        (front, order): (&Front, Order),
        warning: &mut RareWarning,
    ) {
        // Without it an answer in small pieces waits 40 ms for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let max = self.max.load(Relaxed);
        let is_full = self.open.lock().states.len() >= max;
        if is_full {
            let has_room = self.make_room(Some(peer));
            warning.warn(&format!(
                "connections_max under [connections]: all {max} are open; {}",
                if has_room { "one was closed for a new one" } else { "one more was refused" },
            ));
            if !has_room {
                let _ = stream.try_write(NO_ROOM);
                return;
            }
        }
        let state = Arc::new(State::new(peer, self.clock.clone()));
        state.give(order);
        let mut open = self.open.lock();
        open.next += 1;
        let id = open.next;
        open.states.insert(id, state.clone());
        drop(open);
        // Counted until dropped.
        let entry = guard(self.clone(), move |all| _ = all.open.lock().states.remove(&id));
        let served = front.served(state.clone());
        self.tracker.spawn(async move {
            connection(stream, served, state).await;
            drop(entry);
        });
    }

    /// Closes a connection for `newcomer`. Returns whether there is one to close.
    ///
    /// The longest waiting connection of the address with most is closed first, so that no address displaces another.
    /// If none waits, a newcomer below its share replaces the longest response of the address with most, if that is
    /// above its share.
    fn make_room(&self, newcomer: Option<IpAddr>) -> bool {
        let now = self.clock.now();
        let mut open = self.open.lock();
        let mut counts: HashMap<u128, usize> = HashMap::new();
        for state in open.states.values() {
            *counts.entry(subscriber(state.peer)).or_default() += 1;
        }
        let count = |peer: IpAddr| counts.get(&subscriber(peer)).copied().unwrap_or(0);
        let own = newcomer.map_or(0, count);
        let waits = |it: &State| it.phase() != Phase::Answering && count(it.peer) >= own;
        let waiting = open.states.iter().filter(|(_, it)| waits(it));
        let greed = |it: &State| (count(it.peer), it.age(now));
        let waiting = waiting.max_by_key(|(_, it)| greed(it));
        let share = self.max.load(Relaxed) / (counts.len() + usize::from(own == 0));
        let is_short = newcomer.is_some() && own < share;
        let cut = || {
            let greedy =
                open.states.iter().filter(|(_, it)| is_short && count(it.peer) > share.max(1));
            greedy.max_by_key(|(_, it)| greed(it))
        };
        let victim = waiting.or_else(cut);
        let Some(id) = victim.map(|(id, _)| *id) else { return false };
        if let Some(state) = open.states.remove(&id) {
            state.give(Order::Close);
        }
        true
    }
}

/// Key of an address. An IPv6 network counts as one.
fn subscriber(peer: IpAddr) -> u128 {
    network(peer, 32, 64)
}

/// Whether a connection failed, and not the listener.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Connection limit: configured, or by the process's file limit.
pub(super) fn connections_max(config: &ConnectionsConfig) -> usize {
    match open_files_max() {
        // Components' databases and files need some, too.
        Some(files) if files / 4 * 3 < config.connections_max => {
            (files / 4 * 3).max(CONNECTIONS_MIN)
        }
        _ => config.connections_max,
    }
}

/// File limit of the process, if known.
fn open_files_max() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|it| it.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Logs a problem now and then, and not each time.
#[derive(Default)]
struct RareWarning {
    last: Option<Instant>,
    untold: u64,
}

impl RareWarning {
    fn warn(&mut self, what: &str) {
        let now = Instant::now();
        if self.last.is_some_and(|it| now.duration_since(it) < LOG_EVERY) {
            self.untold += 1;
            return;
        }
        let more = std::mem::take(&mut self.untold);
        self.last = Some(now);
        match more {
            0 => tracing::warn!("{what}"),
            more => tracing::warn!("{what} (and {more} times more since this was said last)"),
        }
    }
}

/// Serves one connection to its end.
async fn connection(stream: TcpStream, served: Served, state: Arc<State>) {
    let mut builder = http1::Builder::new();
    // Time-outs are this module's, for all phases alike.
    builder.header_read_timeout(None).max_buf_size(READ_BYTES_MAX);
    let io = TokioIo::new(Watched { stream, state: state.clone() });
    let mut connection = builder.serve_connection(io, served);
    let mut is_finishing = false;
    let ended = std::future::poll_fn(|context| {
        state.waker.register(context.waker());
        match state.order() {
            Order::Close => return Poll::Ready(None),
            Order::Finish if !is_finishing => {
                is_finishing = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            _ => {}
        }
        // Connection errors concern the client only.
        match Pin::new(&mut connection).poll(context) {
            Poll::Pending if is_finishing && state.phase() == Phase::Head => Poll::Ready(None),
            ended => ended.map(Some),
        }
    });
    let is_over = ended.await.is_some();
    if is_over && state.has_unread() && state.order() != Order::Close {
        let closed = std::future::poll_fn(|context| {
            state.waker.register(context.waker());
            if state.order() == Order::Close { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            () = closed => {}
            () = linger(connection.into_parts().io.into_inner().stream) => {}
        }
    }
}

/// Reads what still comes, and throws it away, so that the answer is not lost with the connection.
async fn linger(mut stream: TcpStream) {
    let drain = async {
        let mut buffer = vec![0; 16 << 10];
        let mut left = LINGER_BYTES_MAX;
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            match left.checked_sub(read) {
                Some(it) => left = it,
                None => break,
            }
        }
    };
    let _ = tokio::time::timeout(LINGER_TIME, pin!(drain)).await;
}

/// The bytes of a connection, of which it is noted whether they move.
struct Watched {
    stream: TcpStream,
    state: Arc<State>,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.state.has_read();
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.state.has_written(written.is_pending());
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.state.has_written(written.is_pending());
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_ipv6_network_leaves_slots_for_others() {
        let config = ConnectionsConfig { connections_max: 8, ..ConnectionsConfig::default() };
        let all = Connections::new(&config);
        let peer = |text: &str| text.parse::<IpAddr>().unwrap();
        for id in 0..8 {
            let state = State::new(peer(&format!("2001:db8::{id:x}")), all.clock.clone());
            state.begin();
            all.open.lock().states.insert(id, Arc::new(state));
        }
        assert!(!all.make_room(Some(peer("2001:db8::ffff"))), "one more of the same network");
        assert!(all.make_room(Some(peer("2001:db8:0:1::1"))), "and one of another");
        assert_eq!(all.open.lock().states.len(), 7);
    }
}
