//! The scheduler. Calls of components that use little run at once. All others take turns, and the component that has
//! used least runs next; within it, the caller who has.

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker, ready},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::JoinError,
};
use tokio_util::task::AbortOnDropHandle;

/// One in this many calls is measured, because reading CPU time is a system call.
const MEASURED: u32 = 8;
/// A component's calls run at once as long as together they use less than this share of a processor.
const QUICK_SHARE: f64 = 0.25;
/// Burst of CPU time above the share.
const BURST: Duration = Duration::from_millis(50);
/// Memory of past use: after this time divided by the share, a component counts as light again.
const REMEMBERED: Duration = Duration::from_millis(100);
/// A call that takes less counts for nothing: it is about what the host itself takes for a request, and
/// to move it elsewhere would cost as much as it spares the others.
const SHORT: Duration = Duration::from_micros(100);
/// Maximum lag of an idle component when it takes turns again.
const CREDIT: Duration = Duration::from_millis(20);
/// Callers of one component whose use is remembered while none of their calls takes turns.
const SHARES_MAX: usize = 1_024;

/// CPU use of one component.
pub struct Usage {
    since: Instant,
    calls: AtomicU32,
    /// Recent use above the quick share in nanoseconds, as of `recent_at`.
    recent: AtomicU64,
    /// In nanoseconds after `since`.
    recent_at: AtomicU64,
    /// Total CPU time of its turns in nanoseconds, which orders turns.
    turns: AtomicU64,
    /// What each caller has used who has calls that take turns now, or had some lately.
    shares: Mutex<HashMap<Owner, Arc<Share>>>,
    /// What the caller who had the component's latest turn had used.
    reached: AtomicU64,
}

/// Whose a call is: the caller who is known, or all others together.
type Owner = Option<Arc<str>>;

/// CPU time of one caller's turns in a component, in nanoseconds.
#[derive(Default)]
struct Share(AtomicU64);

impl Share {
    fn turns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Usage {
    fn default() -> Self {
        let since = Instant::now();
        let zero = AtomicU64::default;
        Self {
            since,
            calls: AtomicU32::new(0),
            recent: zero(),
            recent_at: zero(),
            turns: zero(),
            shares: Mutex::default(),
            reached: zero(),
        }
    }
}

impl Usage {
    /// The turn state of the component's next call.
    pub fn turn_state(&self) -> Arc<TurnState> {
        let is_slow = self.is_heavy(self.since.elapsed()).into();
        Arc::new(TurnState { is_slow, ..TurnState::default() })
    }

    fn is_heavy(&self, now: Duration) -> bool {
        self.recent(now) > BURST
    }

    fn recent(&self, now: Duration) -> Duration {
        let at = Duration::from_nanos(self.recent_at.load(Ordering::Relaxed));
        let allowed = now.saturating_sub(at).mul_f64(QUICK_SHARE);
        Duration::from_nanos(self.recent.load(Ordering::Relaxed)).saturating_sub(allowed)
    }

    /// Adds a measured call, scaled to unmeasured ones. Concurrent updates may lose one, which is harmless.
    fn note(&self, used: Duration, now: Duration) {
        if used < SHORT {
            return;
        }
        let recent = (self.recent(now) + used * MEASURED).min(REMEMBERED);
        self.recent.store(nanos(recent), Ordering::Relaxed);
        self.recent_at.store(nanos(now), Ordering::Relaxed);
    }

    /// Whether the next call is one of those that are measured.
    fn is_measured(&self) -> bool {
        let calls = self.calls.load(Ordering::Relaxed).wrapping_add(1);
        self.calls.store(calls, Ordering::Relaxed);
        calls.is_multiple_of(MEASURED)
    }

    fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// What `owner` has used of the component's turns. It is kept for as long as it is more than a new caller's:
    /// otherwise a row of short calls would begin anew with each, always be next, and starve a long one.
    fn share(&self, owner: &Owner) -> Arc<Share> {
        let mut all = self.shares.lock();
        if let Some(share) = all.get(owner) {
            return share.clone();
        }
        let floor = self.reached.load(Ordering::Relaxed).saturating_sub(nanos(CREDIT));
        let is_full = all.len() >= SHARES_MAX;
        all.retain(|_, share| Arc::strong_count(share) > 1 || (share.turns() > floor && !is_full));
        all.entry(owner.clone()).or_default().clone()
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether one call takes turns; at first it does not, unless it is made otherwise.
#[derive(Default)]
pub struct TurnState {
    is_slow: AtomicBool,
    /// Whether a tick ended its latest turn, so that it has more to do at once.
    is_interrupted: AtomicBool,
}

impl TurnState {
    /// A tick ends its turn; a call that is slow takes turns from now on.
    pub fn interrupt(&self, is_slow: bool) {
        self.is_slow.fetch_or(is_slow, Ordering::Relaxed);
        self.is_interrupted.store(true, Ordering::Relaxed);
    }

    fn is_slow(&self) -> bool {
        self.is_slow.load(Ordering::Relaxed)
    }

    /// Whether a tick ended the turn before; asked once a turn.
    fn was_interrupted(&self) -> bool {
        self.is_interrupted.swap(false, Ordering::Relaxed)
    }
}

/// Gives turns to the calls that take them.
pub struct Scheduler(Mutex<State>);

struct State {
    /// Free turns.
    free: usize,
    /// Use of the component with the latest turn. Others lag at most by the credit.
    reached: u64,
    /// The components with calls that wait, and these in their order.
    queues: Vec<(Arc<Usage>, VecDeque<Waiting>)>,
}

struct Waiting {
    share: Arc<Share>,
    given: Arc<AtomicBool>,
    waker: Waker,
}

impl Scheduler {
    /// A scheduler with `turns` concurrent turns.
    pub fn new(turns: usize) -> Self {
        Self(Mutex::new(State { free: turns, reached: 0, queues: Vec::new() }))
    }

    /// A turn for a call of the component with this `usage`, of the caller with this `share` of it. `place` is
    /// the call's place in the queue, which is to be left if it no longer waits.
    fn poll_turn(
        &self,
        (usage, share): (&Arc<Usage>, &Arc<Share>),
        place: &mut Option<Arc<AtomicBool>>,
        context: &Context<'_>,
    ) -> Poll<()> {
        let mut state = self.0.lock();
        if let Some(given) = place {
            if given.load(Ordering::Acquire) {
                *place = None;
                return Poll::Ready(());
            }
            let own = |it: &&mut Waiting| Arc::ptr_eq(&it.given, given);
            let mut waiting = state.queues.iter_mut().flat_map(|it| &mut it.1);
            if let Some(waiting) = waiting.find(own) {
                waiting.waker.clone_from(context.waker());
            }
            return Poll::Pending;
        }
        let reached = usage.reached.load(Ordering::Relaxed);
        for (turns, reached) in [(&usage.turns, state.reached), (&share.0, reached)] {
            turns.fetch_max(reached.saturating_sub(nanos(CREDIT)), Ordering::Relaxed);
        }
        if state.free > 0 && state.queues.is_empty() {
            state.begin(usage, share);
            return Poll::Ready(());
        }
        *place = Some(state.queue(usage, share, context));
        Poll::Pending
    }

    /// Ends a turn that took `used`.
    fn end(&self, (usage, share): (&Usage, &Share), used: Duration) {
        for turns in [&usage.turns, &share.0] {
            turns.fetch_add(nanos(used), Ordering::Relaxed);
        }
        self.give_back();
    }

    fn leave(&self, place: &Arc<AtomicBool>) {
        let mut state = self.0.lock();
        if place.load(Ordering::Acquire) {
            drop(state);
            self.give_back();
            return;
        }
        for (_, queue) in &mut state.queues {
            queue.retain(|it| !Arc::ptr_eq(&it.given, place));
        }
        state.queues.retain(|it| !it.1.is_empty());
    }

    fn give_back(&self) {
        let mut next = Vec::new();
        {
            let mut state = self.0.lock();
            state.free += 1;
            // More may be free than this one: a call queues before its own turn ends, and others behind it.
            while state.free > 0 {
                let Some(waker) = state.next() else { break };
                next.push(waker);
            }
        }
        // Not under the lock, which what wakes takes.
        next.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// A place at the end of the component's queue.
    fn queue(
        &mut self,
        usage: &Arc<Usage>,
        share: &Arc<Share>,
        context: &Context<'_>,
    ) -> Arc<AtomicBool> {
        let given = Arc::<AtomicBool>::default();
        let (share, waker) = (share.clone(), context.waker().clone());
        let waiting = Waiting { share, given: given.clone(), waker };
        match self.queues.iter_mut().find(|it| Arc::ptr_eq(&it.0, usage)) {
            Some((_, queue)) => queue.push_back(waiting),
            None => self.queues.push((usage.clone(), VecDeque::from([waiting]))),
        }
        given
    }

    fn begin(&mut self, usage: &Usage, share: &Share) {
        self.free -= 1;
        self.reached = self.reached.max(usage.turns());
        usage.reached.fetch_max(share.turns(), Ordering::Relaxed);
    }

    /// Assigns the free turn to the least used component, there to the first call of the least served caller, and
    /// returns its waker.
    fn next(&mut self) -> Option<Waker> {
        let queues = self.queues.iter().enumerate();
        let (at, _) = queues.min_by_key(|(_, it)| it.0.turns())?;
        let usage = self.queues[at].0.clone();
        let calls = self.queues[at].1.iter().enumerate();
        let (first, _) = calls.min_by_key(|(_, it)| it.share.turns())?;
        let waiting = self.queues[at].1.remove(first)?;
        if self.queues[at].1.is_empty() {
            self.queues.remove(at);
        }
        self.begin(&usage, &waiting.share);
        waiting.given.store(true, Ordering::Release);
        Some(waiting.waker)
    }
}

/// Runs a call turn by turn. A call that takes turns gives its turn back whenever it yields or waits
/// for the host, so that none holds one without using it.
pub struct Turns<'a, F> {
    body: Pin<&'a mut F>,
    turn_state: Arc<TurnState>,
    usage: &'a Arc<Usage>,
    owner: Owner,
    /// The share of the call's caller, once the call takes turns.
    share: Option<Arc<Share>>,
    scheduler: &'a Scheduler,
    /// Its place among those that wait for a turn.
    place: Option<Arc<AtomicBool>>,
    /// CPU time so far, if measured.
    used: Option<Duration>,
}

impl<'a, F> Turns<'a, F> {
    pub fn new(
        body: Pin<&'a mut F>,
        turn_state: Arc<TurnState>,
        (usage, owner): (&'a Arc<Usage>, Owner),
        scheduler: &'a Scheduler,
    ) -> Self {
        let used = usage.is_measured().then_some(Duration::ZERO);
        Self { body, turn_state, usage, owner, share: None, scheduler, place: None, used }
    }
}

impl<F: Future> Future for Turns<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        let (scheduler, usage) = (this.scheduler, this.usage);
        let share = this
            .turn_state
            .is_slow()
            .then(|| this.share.get_or_insert_with(|| usage.share(&this.owner)).clone());
        if let Some(share) = &share {
            ready!(scheduler.poll_turn((usage, share), &mut this.place, context));
        }
        let _turn = share.as_ref().map(|share| {
            let end = move |began| {
                scheduler.end((usage, share), processor_time().saturating_sub(began));
            };
            scopeguard::guard(processor_time(), end)
        });
        let began = this.used.is_some().then(processor_time);
        let polled = this.body.as_mut().poll(context);
        if let (Some(used), Some(began)) = (&mut this.used, began) {
            *used += processor_time().saturating_sub(began);
        }
        let was_interrupted = this.turn_state.was_interrupted();
        if let Some(share) = share.as_ref().filter(|_| was_interrupted && polled.is_pending()) {
            // The call finishes its turn first. Otherwise calls of others would always be next, however much they used.
            this.place = Some(scheduler.0.lock().queue(usage, share, context));
        }
        polled
    }
}

/// Runs `call` here until it takes turns, and then on the threads for such calls.
///
/// # Errors
/// When it panics there, or those threads end.
pub async fn run_with_turns<T: Send + 'static>(
    turn_state: &TurnState,
    heavy: impl FnOnce() -> Option<Handle>,
    mut call: BoxFuture<'static, T>,
) -> Result<T, JoinError> {
    let here = poll_fn(|context| {
        if turn_state.is_slow() {
            return Poll::Ready(None);
        }
        match call.as_mut().poll(context) {
            Poll::Ready(it) => Poll::Ready(Some(it)),
            Poll::Pending if turn_state.is_slow() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    });
    if let Some(output) = here.await {
        return Ok(output);
    }
    match heavy() {
        Some(heavy) => AbortOnDropHandle::new(heavy.spawn(call)).await,
        None => Ok(call.await),
    }
}

/// Threads of their own, for calls that take turns. What no tick interrupts, such as filling memory in
/// one instruction, holds up no other call there.
#[derive(Default)]
pub struct Heavy(OnceLock<Runtime>);

impl Heavy {
    /// A runtime of `count` threads, created on first use. `None` if the system refuses.
    pub fn threads(&self, count: usize) -> Option<&Handle> {
        if self.0.get().is_none() {
            let mut threads = Builder::new_multi_thread();
            threads.worker_threads(count).thread_name("heavy").enable_all();
            // If two are created at once, one is used.
            if let Err(spare) = self.0.set(threads.build().ok()?) {
                spare.shutdown_background();
            }
        }
        self.0.get().map(Runtime::handle)
    }
}

impl Drop for Heavy {
    fn drop(&mut self) {
        // A runtime that waits for its threads may not be dropped by a task.
        if let Some(threads) = self.0.take() {
            threads.shutdown_background();
        }
    }
}

impl<F> Drop for Turns<'_, F> {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            self.scheduler.leave(place);
        }
        if let Some(used) = self.used {
            self.usage.note(used, self.usage.since.elapsed());
        }
    }
}

/// CPU time of this thread. Wall time would make every call long on a busy machine.
#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Time that passes, where the system does not measure it by thread in one way everywhere.
#[cfg(not(target_os = "linux"))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn light_use_stays_quick_and_heavy_use_does_not() {
        let usage = Usage::default();
        let mut now = Duration::ZERO;
        for _ in 0..1_000 {
            // Two hundred calls per second of 0.8 ms each use a sixth of a processor.
            now += 5 * MS * MEASURED;
            usage.note(MS * 4 / 5, now);
            assert!(!usage.is_heavy(now));
        }
        for _ in 0..100 {
            // The same calls without a pause between them.
            now += MS * MEASURED;
            usage.note(MS * 4 / 5, now);
        }
        assert!(usage.is_heavy(now));
        assert!(!usage.is_heavy(now + Duration::from_secs(1)), "what was used is forgotten");
    }

    #[test]
    fn short_calls_run_without_waiting() {
        let usage = Usage::default();
        for at in 0..10_000 {
            usage.note(SHORT / 2, at * SHORT);
        }
        assert!(!usage.is_heavy(Duration::from_secs(1)));
        usage.note(28 * MS, Duration::from_secs(1));
        assert!(usage.is_heavy(Duration::from_secs(1)), "the long one among them counts");
    }

    #[test]
    fn long_call_makes_later_ones_take_turns() {
        let usage = Usage::default();
        usage.note(28 * MS, MS);
        assert!(usage.is_heavy(2 * MS));
    }

    /// Asks for a turn; whether it is there at once.
    fn ask(
        scheduler: &Scheduler,
        (usage, share): &(Arc<Usage>, Arc<Share>),
        place: &mut Option<Arc<AtomicBool>>,
    ) -> bool {
        let context = Context::from_waker(Waker::noop());
        scheduler.poll_turn((usage, share), place, &context).is_ready()
    }

    /// Ends a turn that took `used`.
    fn end(scheduler: &Scheduler, (usage, share): &(Arc<Usage>, Arc<Share>), used: Duration) {
        scheduler.end((usage, share), used);
    }

    /// A place behind the call's own turn.
    fn queue(
        scheduler: &Scheduler,
        (usage, share): &(Arc<Usage>, Arc<Share>),
    ) -> Option<Arc<AtomicBool>> {
        let context = Context::from_waker(Waker::noop());
        Some(scheduler.0.lock().queue(usage, share, &context))
    }

    /// The calls of a component with one caller.
    fn component() -> (Arc<Usage>, Arc<Share>) {
        Default::default()
    }

    #[test]
    fn least_used_component_runs_next() {
        let scheduler = Scheduler::new(1);
        let (hog, reader) = (component(), component());
        assert!(ask(&scheduler, &hog, &mut None));
        let mut hogs = vec![None; 32];
        for place in &mut hogs {
            assert!(!ask(&scheduler, &hog, place));
        }
        end(&scheduler, &hog, 28 * MS);
        assert!(ask(&scheduler, &hog, &mut hogs[0]), "the first of the only ones that wait");
        for _ in 0..50 {
            let mut place = None;
            assert!(!ask(&scheduler, &reader, &mut place));
            end(&scheduler, &hog, 28 * MS);
            assert!(ask(&scheduler, &reader, &mut place), "31 calls of the other wait longer");
            end(&scheduler, &reader, MS);
            let next =
                hogs.iter_mut().find(|it| it.as_ref().is_some_and(|it| it.load(Ordering::Acquire)));
            let next = next.unwrap();
            assert!(ask(&scheduler, &hog, next));
            assert!(!ask(&scheduler, &hog, next), "and it waits again");
        }
    }

    #[test]
    fn least_served_caller_is_next_within_a_component() {
        let scheduler = Scheduler::new(1);
        let usage = Arc::<Usage>::default();
        let of = |owner: &str| (usage.clone(), usage.share(&Some(owner.into())));
        let ann = of("ann");
        assert!(ask(&scheduler, &ann, &mut None));
        let mut anns = vec![None; 32];
        for place in &mut anns {
            assert!(!ask(&scheduler, &of("ann"), place));
        }
        let (ben, mut place) = (of("ben"), None);
        assert!(!ask(&scheduler, &ben, &mut place));
        end(&scheduler, &ann, 5 * MS);
        let mut turns = [0, 0];
        for _ in 0..100 {
            if ask(&scheduler, &ben, &mut place) {
                turns[1] += 1;
                place = queue(&scheduler, &ben);
                end(&scheduler, &ben, MS);
            } else {
                let given = |place: &&mut Option<Arc<AtomicBool>>| {
                    place.as_ref().is_some_and(|it| it.load(Ordering::Acquire))
                };
                let next = anns.iter_mut().find(given).unwrap();
                assert!(ask(&scheduler, &ann, next));
                turns[0] += 1;
                *next = queue(&scheduler, &ann);
                end(&scheduler, &ann, MS);
            }
        }
        assert!((40..60).contains(&turns[1]), "half of the turns, not one in 33: {turns:?}");
    }

    #[test]
    fn rows_of_short_calls_do_not_starve_a_long_one() {
        let scheduler = Scheduler::new(1);
        let usage = Arc::<Usage>::default();
        let of = |owner: &str| (usage.clone(), usage.share(&Some(owner.into())));
        let long = of("long");
        assert!(ask(&scheduler, &long, &mut None));
        let mut place = queue(&scheduler, &long);
        let (mut shorts, mut turns) = ([None, None], 0);
        for (at, waits) in shorts.iter_mut().enumerate() {
            assert!(!ask(&scheduler, &of(&at.to_string()), waits));
        }
        end(&scheduler, &long, 100 * MS);
        for _ in 0..300 {
            if ask(&scheduler, &long, &mut place) {
                turns += 1;
                place = queue(&scheduler, &long);
                end(&scheduler, &long, 15 * MS);
                continue;
            }
            let given = |place: &Option<Arc<AtomicBool>>| {
                place.as_ref().is_some_and(|it| it.load(Ordering::Acquire))
            };
            let at = shorts.iter().position(given).unwrap();
            let call = of(&at.to_string());
            assert!(ask(&scheduler, &call, &mut shorts[at]));
            // The caller's next call begins when this one has ended, the third while the second runs.
            end(&scheduler, &call, 15 * MS);
            drop(call);
            assert!(!ask(&scheduler, &of(&at.to_string()), &mut shorts[at]));
        }
        assert!((80..120).contains(&turns), "a third of the turns: {turns}");
    }

    #[test]
    fn idle_callers_are_forgotten_once_others_used_more() {
        let usage = Usage::default();
        let idle = |range: std::ops::Range<usize>| {
            range.for_each(|at| drop(usage.share(&Some(at.to_string().into()))));
        };
        idle(0..100);
        let ann = usage.share(&Some("ann".into()));
        assert!(Arc::ptr_eq(&ann, &usage.share(&Some("ann".into()))));
        assert_eq!(usage.shares.lock().len(), 1);
        usage.share(&Some("ben".into())).0.store(nanos(MS), Ordering::Relaxed);
        let ben = || usage.share(&Some("ben".into())).turns();
        usage.share(&Some("eve".into()));
        assert_eq!(ben(), nanos(MS), "more than the others");
        usage.reached.store(nanos(CREDIT + MS), Ordering::Relaxed);
        usage.share(&Some("joe".into()));
        assert_eq!(ben(), 0, "no more than a new caller's");
        usage.reached.store(0, Ordering::Relaxed);
        for at in 0..2 * SHARES_MAX {
            usage.share(&Some(at.to_string().into())).0.store(1, Ordering::Relaxed);
            assert!(usage.shares.lock().len() <= SHARES_MAX);
        }
    }

    #[test]
    fn idle_component_gets_no_large_credit() {
        let scheduler = Scheduler::new(1);
        let (busy, idle) = (component(), component());
        assert!(ask(&scheduler, &busy, &mut None));
        end(&scheduler, &busy, Duration::from_secs(100));
        assert!(ask(&scheduler, &busy, &mut None));
        let (mut waits, mut late) = (None, None);
        assert!(!ask(&scheduler, &busy, &mut waits));
        assert!(!ask(&scheduler, &idle, &mut late));
        end(&scheduler, &busy, MS);
        assert!(ask(&scheduler, &idle, &mut late));
        end(&scheduler, &idle, CREDIT + 2 * MS);
        assert!(ask(&scheduler, &busy, &mut waits), "the credit is used up");
    }

    #[test]
    fn dropped_call_leaves_queue_or_passes_its_turn() {
        let scheduler = Scheduler::new(1);
        let usage = component();
        assert!(ask(&scheduler, &usage, &mut None));
        let (mut first, mut second, mut third) = (None, None, None);
        for place in [&mut first, &mut second, &mut third] {
            assert!(!ask(&scheduler, &usage, place));
        }
        scheduler.leave(second.as_ref().unwrap());
        end(&scheduler, &usage, MS);
        scheduler.leave(first.as_ref().unwrap());
        assert!(ask(&scheduler, &usage, &mut third));
        end(&scheduler, &usage, MS);
        assert!(ask(&scheduler, &usage, &mut None), "nothing is left behind");
    }

    /// Many short turns get as much of the processor as few long ones.
    #[test]
    fn continuing_call_waits_for_its_next_turn() {
        let scheduler = Scheduler::new(1);
        let (hog, drawer) = (component(), component());
        assert!(ask(&scheduler, &drawer, &mut None));
        let mut hogs = None;
        assert!(!ask(&scheduler, &hog, &mut hogs));
        let mut turns = [0, 0];
        let mut place = queue(&scheduler, &drawer);
        end(&scheduler, &drawer, MS);
        while turns[0] < 60 {
            if ask(&scheduler, &drawer, &mut place) {
                turns[0] += 1;
                place = queue(&scheduler, &drawer);
                end(&scheduler, &drawer, MS);
            } else {
                assert!(ask(&scheduler, &hog, &mut hogs));
                turns[1] += 1;
                hogs = queue(&scheduler, &hog);
                end(&scheduler, &hog, 20 * MS);
            }
        }
        assert!(turns[1] <= 4, "{turns:?}");
    }

    #[tokio::test]
    async fn call_waiting_for_the_host_yields_its_turn() {
        let scheduler = Scheduler::new(1);
        let (usage, turn_state) = (
            Arc::<Usage>::default(),
            Arc::new(TurnState { is_slow: true.into(), ..TurnState::default() }),
        );
        let (send, receive) = tokio::sync::oneshot::channel::<()>();
        let waits = std::pin::pin!(receive);
        let mut first = Turns::new(waits, turn_state.clone(), (&usage, None), &scheduler);
        assert!(futures::poll!(&mut first).is_pending());
        assert_eq!(scheduler.0.lock().free, 1, "it waits outside");
        let second = std::pin::pin!(async { scheduler.0.lock().free });
        assert_eq!(
            Turns::new(second, turn_state, (&usage, None), &scheduler).await,
            0,
            "what runs has a turn"
        );
        send.send(()).unwrap();
        assert!(first.await.is_ok());
    }
}
