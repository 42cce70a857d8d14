//! Who runs when: quick calls at once, long runners in turn, so that whoever is quick always finds
//! a free worker.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::sync::Semaphore;
use tokio_util::sync::PollSemaphore;

/// One call in so many is measured: what a processor did for a thread is a question to the system.
const MEASURED: u32 = 8;
/// A call that took a processor for longer than this was no quick one.
const QUICK: Duration = Duration::from_micros(200);
/// What a call that was not quick adds to its component's habit, of which a quick one takes 1.
/// So a fifth of long calls is a habit.
const LONG_WEIGHS: u32 = 4;
/// From here on a component's calls begin in the slow lane.
const HABIT_FROM: u32 = 16;
/// No habit is stronger: this many quick calls, less the above, and it is forgotten.
const HABIT_MAX: u32 = 64;

/// What a component's calls were like lately. Short hogs never meet a tick; this is what tells them.
#[derive(Debug, Default)]
pub(crate) struct Habit {
    strength: AtomicU32,
    calls: AtomicU32,
}

impl Habit {
    /// How the component's next call begins.
    pub(crate) fn pace(&self) -> Arc<Pace> {
        Arc::new(Pace(AtomicBool::new(self.is_long())))
    }

    pub(crate) fn is_long(&self) -> bool {
        self.strength.load(Ordering::Relaxed) >= HABIT_FROM
    }

    /// Two at once may forget one of them, which does no harm.
    fn note(&self, spent: Duration) {
        let before = self.strength.load(Ordering::Relaxed);
        let after = if spent > QUICK {
            before.saturating_add(LONG_WEIGHS).min(HABIT_MAX)
        } else {
            before.saturating_sub(1)
        };
        if after != before {
            self.strength.store(after, Ordering::Relaxed);
        }
    }

    /// Whether the next call is one of those that are measured.
    fn is_measured(&self) -> bool {
        let calls = self.calls.load(Ordering::Relaxed).wrapping_add(1);
        self.calls.store(calls, Ordering::Relaxed);
        calls.is_multiple_of(MEASURED)
    }
}

/// Whether one call is a long runner.
#[derive(Debug)]
pub(crate) struct Pace(AtomicBool);

impl Pace {
    /// From its next turn on the call queues for the slow lane.
    pub(crate) fn slow_down(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_slow(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs a call turn by turn. A long runner needs a permit for each turn and gives it back whenever
/// it yields or waits for the host, so nobody holds the lane without using it.
pub(crate) struct Turns<'a, F> {
    body: Pin<&'a mut F>,
    pace: Arc<Pace>,
    habit: &'a Habit,
    lane: PollSemaphore,
    /// What it took of a processor so far, where it is measured.
    spent: Option<Duration>,
}

impl<'a, F> Turns<'a, F> {
    pub(crate) fn new(
        body: Pin<&'a mut F>,
        pace: Arc<Pace>,
        habit: &'a Habit,
        lane: &Arc<Semaphore>,
    ) -> Self {
        let lane = PollSemaphore::new(lane.clone());
        let spent = habit.is_measured().then_some(Duration::ZERO);
        Self { body, pace, habit, lane, spent }
    }
}

impl<F: Future> Future for Turns<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        // Held for this turn: dropped at its end, whatever the call waits for then.
        let _permit = match this.pace.is_slow() {
            true => ready!(this.lane.poll_acquire(context)),
            false => None,
        };
        let Some(spent) = &mut this.spent else { return this.body.as_mut().poll(context) };
        let began = processor_time();
        let polled = this.body.as_mut().poll(context);
        *spent += processor_time().saturating_sub(began);
        polled
    }
}

impl<F> Drop for Turns<'_, F> {
    fn drop(&mut self) {
        if let Some(spent) = self.spent {
            self.habit.note(spent);
        }
    }
}

/// What this thread has had of a processor. Time that passes while others have it does not count:
/// on a busy machine every call would be long.
#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Time that passes, where the system does not tell it by thread in one way everywhere.
#[cfg(not(target_os = "linux"))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_long_calls_is_a_habit_and_a_late_one_now_and_then_is_none() {
        let (long, quick) = (QUICK * 2, QUICK / 2);
        let habit = Habit::default();
        for _ in 0..1_000 {
            habit.note(long);
            (0..20).for_each(|_| habit.note(quick));
            assert!(!habit.is_long());
        }
        for _ in 0..100 {
            habit.note(long);
            (0..3).for_each(|_| habit.note(quick));
        }
        assert!(habit.is_long());
        (0..HABIT_MAX).for_each(|_| habit.note(quick));
        assert!(!habit.is_long(), "who mends their ways is quick again");
    }

    #[tokio::test]
    async fn a_long_runner_that_waits_leaves_the_lane_to_others() {
        let lane = Arc::new(Semaphore::new(1));
        let (habit, pace) = (Habit::default(), Arc::new(Pace(AtomicBool::new(true))));
        let (send, receive) = tokio::sync::oneshot::channel::<()>();
        let waits = std::pin::pin!(receive);
        let mut first = Turns::new(waits, pace.clone(), &habit, &lane);
        assert!(futures::poll!(&mut first).is_pending());
        assert_eq!(lane.available_permits(), 1, "it waits outside");
        let second = std::pin::pin!(async { lane.available_permits() });
        assert_eq!(Turns::new(second, pace, &habit, &lane).await, 0, "who runs is inside");
        send.send(()).unwrap();
        assert!(first.await.is_ok());
    }
}
