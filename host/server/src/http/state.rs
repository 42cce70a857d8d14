//! The state of one connection for time and byte limits: a few atomic numbers, read from time to time by one task for
//! all connections.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use futures::task::AtomicWaker;
use strum::FromRepr;

/// Interval of checking connections, and thus the precision of timeouts.
pub(super) const TICK: Duration = Duration::from_millis(250);
/// Ticks in a second.
const TICKS_PER_S: u64 = 4;

/// Counts ticks, so that no request has to ask for the time.
#[derive(Debug, Default)]
pub(super) struct Clock(AtomicU32);

impl Clock {
    pub(super) fn tick(&self) -> u32 {
        self.0.fetch_add(1, Relaxed).wrapping_add(1)
    }

    pub(super) fn now(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

/// Phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRepr)]
#[repr(u8)]
pub(super) enum Phase {
    /// A head is awaited of which something has come, or the first one.
    Head,
    /// Waiting for a request.
    Idle,
    /// More of a body is awaited.
    Body,
    /// A request is being answered.
    Answering,
}

/// Why a request's body is read no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRepr)]
#[repr(u8)]
pub(super) enum Failure {
    None,
    /// Its bytes come too slowly.
    Slow,
    /// There is no room for it now.
    Full,
    /// Larger than allowed for unknown senders.
    Large,
}

/// Order to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, FromRepr)]
#[repr(u8)]
pub(super) enum Order {
    None,
    /// Close with the next response, because the server will stop.
    Leave,
    /// Refuse requests.
    Refuse,
    /// Accept no more requests.
    Finish,
    /// Close now.
    Close,
}

/// The time-outs of connections, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) header: u32,
    pub(super) body: u32,
    pub(super) idle: u32,
    pub(super) write: u32,
    /// Bytes that a body brings in one tick on average.
    pub(super) body_bytes_per_tick: u64,
}

/// Converts seconds to ticks.
pub(super) fn ticks(seconds: u64) -> u32 {
    u32::try_from(seconds.saturating_mul(TICKS_PER_S)).unwrap_or(u32::MAX / 2)
}

/// State of one connection.
#[derive(Debug)]
pub(super) struct State {
    pub(super) peer: IpAddr,
    clock: Arc<Clock>,
    phase: AtomicU8,
    /// Start of the phase, or time of the last body piece.
    since: AtomicU32,
    /// Start of the request, and received body bytes.
    began: AtomicU32,
    received: AtomicUsize,
    /// Bytes of its body that are held in memory.
    held: AtomicUsize,
    /// Since when the client takes nothing of its answer; zero where it does.
    stalled: AtomicU32,
    failure: AtomicU8,
    /// Whether some of the last request's body was never read.
    left_unread: AtomicBool,
    order: AtomicU8,
    pub(super) waker: AtomicWaker,
}

impl State {
    pub(super) fn new(peer: IpAddr, clock: Arc<Clock>) -> Self {
        Self {
            peer,
            phase: AtomicU8::new(Phase::Head as u8),
            since: AtomicU32::new(clock.now()),
            began: AtomicU32::new(0),
            received: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            stalled: AtomicU32::new(0),
            failure: AtomicU8::new(Failure::None as u8),
            left_unread: AtomicBool::new(false),
            order: AtomicU8::new(Order::None as u8),
            waker: AtomicWaker::new(),
            clock,
        }
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::from_repr(self.phase.load(Relaxed)).unwrap_or(Phase::Answering)
    }

    fn enter(&self, phase: Phase) {
        self.since.store(self.clock.now(), Relaxed);
        self.phase.store(phase as u8, Relaxed);
    }

    /// Age of the phase at `now`.
    pub(super) fn age(&self, now: u32) -> u32 {
        now.wrapping_sub(self.since.load(Relaxed))
    }

    /// Bytes have come from the client.
    pub(super) fn has_read(&self) {
        if self.phase.load(Relaxed) == Phase::Idle as u8 {
            self.enter(Phase::Head);
        }
    }

    /// Records whether the client accepts data.
    pub(super) fn has_written(&self, is_stalled: bool) {
        let was = self.stalled.load(Relaxed);
        match is_stalled {
            true if was == 0 => self.stalled.store(self.clock.now().max(1), Relaxed),
            false if was != 0 => self.stalled.store(0, Relaxed),
            _ => {}
        }
    }

    /// Records the start of a request.
    pub(super) fn begin(&self) {
        self.enter(Phase::Answering);
        self.began.store(self.clock.now(), Relaxed);
        self.received.store(0, Relaxed);
        self.failure.store(Failure::None as u8, Relaxed);
        self.left_unread.store(false, Relaxed);
    }

    /// Its answer has been handed over; what of its body was held.
    pub(super) fn end(&self) -> usize {
        self.enter(Phase::Idle);
        self.held.swap(0, Relaxed)
    }

    /// More of a body is awaited.
    pub(super) fn wait_for_body(&self) {
        if self.phase.load(Relaxed) != Phase::Body as u8 {
            self.enter(Phase::Body);
        }
    }

    /// Something of a body has come.
    pub(super) fn body_received(&self, bytes: usize) {
        self.received.fetch_add(bytes, Relaxed);
        if self.phase.load(Relaxed) == Phase::Body as u8 {
            self.enter(Phase::Answering);
        }
    }

    /// Adds held body bytes.
    pub(super) fn hold(&self, bytes: usize) {
        self.held.fetch_add(bytes, Relaxed);
    }

    /// The rest of the body is not read.
    pub(super) fn leave_unread(&self) {
        self.left_unread.store(true, Relaxed);
    }

    /// Whether the client may still be sending.
    pub(super) fn has_unread(&self) -> bool {
        self.left_unread.load(Relaxed)
    }

    pub(super) fn received(&self) -> usize {
        self.received.load(Relaxed)
    }

    pub(super) fn failure(&self) -> Failure {
        Failure::from_repr(self.failure.load(Relaxed)).unwrap_or(Failure::Large)
    }

    /// Ends the reading of the body.
    pub(super) fn fail(&self, failure: Failure) {
        self.failure.store(failure as u8, Relaxed);
    }

    pub(super) fn order(&self) -> Order {
        Order::from_repr(self.order.load(Relaxed)).unwrap_or(Order::Close)
    }

    /// Orders the connection to do something.
    pub(super) fn give(&self, order: Order) {
        self.order.fetch_max(order as u8, Relaxed);
        self.waker.wake();
    }

    /// Does what the time that has passed at `now` asks for.
    pub(super) fn look(&self, now: u32, limits: &Timeouts) {
        let age = self.age(now);
        let stalled = self.stalled.load(Relaxed);
        if stalled != 0 && now.wrapping_sub(stalled) >= limits.write {
            return self.give(Order::Close);
        }
        match self.phase() {
            Phase::Head if age >= limits.header => self.give(Order::Close),
            Phase::Idle if age >= limits.idle => self.give(Order::Close),
            Phase::Body if age >= limits.body || self.is_too_slow(now, limits) => {
                self.fail(Failure::Slow);
                self.waker.wake();
            }
            _ => {}
        }
    }

    /// Whether a body brings less than it must on average, its beginning left out.
    fn is_too_slow(&self, now: u32, limits: &Timeouts) -> bool {
        let passed = now.wrapping_sub(self.began.load(Relaxed)).saturating_sub(limits.body);
        (self.received() as u64) < u64::from(passed).saturating_mul(limits.body_bytes_per_tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Timeouts =
        Timeouts { header: 10, body: 30, idle: 75, write: 60, body_bytes_per_tick: 256 };

    fn state() -> (State, Arc<Clock>) {
        let clock = Arc::new(Clock::default());
        (State::new(IpAddr::from([127, 0, 0, 1]), clock.clone()), clock)
    }

    /// Lets `ticks` pass, looking each time.
    fn pass(state: &State, clock: &Clock, ticks: u32) {
        (0..ticks).for_each(|_| state.look(clock.tick(), &LIMITS));
    }

    #[test]
    fn limits_time_of_idle_and_stalled_connections() {
        let (state, clock) = state();
        pass(&state, &clock, 9);
        assert_eq!(state.order(), Order::None);
        pass(&state, &clock, 1);
        assert_eq!(state.order(), Order::Close, "no head in time");

        let (state, clock) = self::state();
        state.begin();
        pass(&state, &clock, 1_000);
        assert_eq!(state.order(), Order::None, "an answer may take long");
        state.end();
        pass(&state, &clock, 74);
        state.has_read();
        pass(&state, &clock, 9);
        assert_eq!(state.order(), Order::None, "a head has its own time");
        state.begin();
        state.has_written(true);
        pass(&state, &clock, 50);
        state.has_written(false);
        state.has_written(true);
        pass(&state, &clock, 50);
        assert_eq!(state.order(), Order::None, "it takes its answer slowly");
        pass(&state, &clock, 20);
        assert_eq!(state.order(), Order::Close, "it takes nothing");
    }

    #[test]
    fn accepts_slow_body_and_closes_dripping_one() {
        let (slow, clock) = state();
        slow.begin();
        for _ in 0..200 {
            slow.wait_for_body();
            pass(&slow, &clock, 4);
            slow.body_received(2_048);
        }
        assert_eq!(slow.failure(), Failure::None);

        let (dripping, clock) = state();
        dripping.begin();
        for _ in 0..4 {
            dripping.wait_for_body();
            pass(&dripping, &clock, 20);
            dripping.body_received(1);
        }
        assert_eq!(dripping.failure(), Failure::Slow, "on average");

        let (silent, clock) = state();
        silent.begin();
        silent.body_received(1 << 20);
        silent.wait_for_body();
        pass(&silent, &clock, 30);
        assert_eq!(silent.failure(), Failure::Slow, "no next piece");
    }

    #[test]
    fn processing_time_does_not_count_against_the_client() {
        let (state, clock) = state();
        state.begin();
        state.wait_for_body();
        state.body_received(1 << 20);
        pass(&state, &clock, 500);
        assert_eq!(state.failure(), Failure::None);
    }
}
