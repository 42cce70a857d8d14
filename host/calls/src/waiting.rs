//! A waiting call: kept as a request without an instance, until an event of its component or its deadline.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::unavailable;
use base::{caller::Caller, grants::Grant};
use sandbox::component::{CallError, LoadedComponent, Wait};
use store::events::Listener;

/// Events that one call may wait for.
const EVENTS_MAX: usize = 64;
/// Times that a call may be woken at once; one that publishes its own event would else spin.
const QUICK_WAKES: u32 = 16;
/// The least time that a wait takes otherwise.
const WAIT_MIN: Duration = Duration::from_millis(10);
/// The error for the caller of a waiting call when the server stops.
const STOPPING: &str = "The server is stopping; call again in a moment.";

/// Waiting state of one call.
pub struct Waiting {
    began: Instant,
    /// Total waiting time.
    pub waited: Duration,
    wakes: u32,
    call_id: u64,
    component: Arc<str>,
    /// Receives the component's events; none without the grant, for then it has none to publish.
    listener: Option<Listener>,
}

impl Waiting {
    /// Begins to listen, before the first round: an event during a round is not lost.
    pub fn begin(component: &LoadedComponent, call_id: u64) -> Self {
        let (began, name) = (Instant::now(), component.name().clone());
        let (waited, listener) = (Duration::ZERO, listener(component));
        Self { began, waited, wakes: 0, call_id, component: name, listener }
    }

    /// Waits until an event of `wait` comes, or has come since the round began, or the time is up,
    /// and no longer than the component may, counted from when the call began; or than `kept`, where the call is
    /// kept for that long and takes none of the component's places to wait.
    pub async fn wait(
        &mut self,
        component: &LoadedComponent,
        caller: &Caller,
        wait: &Wait,
        kept: Option<Duration>,
        stop: &CancellationToken,
    ) -> Result<(), CallError> {
        let component_name = component.name().clone();
        if wait.events.len() > EVENTS_MAX {
            let what = format!("it waits for {} events; {EVENTS_MAX} is most", wait.events.len());
            let call_id = self.call_id;
            return Err(CallError::Broken { component: component_name, call_id, what });
        }
        let waiter = kept.is_none().then(|| component.queues.waiters.take(caller)).transpose();
        let Ok(_waiter) = waiter else {
            let retry_after_ms = component.setup.limits.wait_ms_max;
            return Err(CallError::Busy { component: component_name, retry_after_ms });
        };
        let _waiting = component.setup.tally.waiting.hold();
        let own = || Duration::from_millis(component.setup.limits.wait_ms_max);
        let allowed = kept.unwrap_or_else(own).saturating_sub(self.began.elapsed());
        if allowed.is_zero() {
            let (call_id, limit) = (self.call_id, "wait_ms_max");
            return Err(CallError::LimitExceeded { component: component_name, call_id, limit });
        }
        let until = Duration::new(wait.until.seconds, wait.until.nanoseconds.min(999_999_999));
        let from = Instant::now();
        let wanted = until.saturating_sub(component.setup.clock.now()).max(WAIT_MIN);
        tokio::select! {
            // A server that goes is not to be waited for.
            () = stop.cancelled() => return Err(unavailable(STOPPING.to_owned(), Some(1_000))),
            () = published(self.listener.as_mut(), &wait.events) => {}
            () = tokio::time::sleep(wanted.min(allowed)) => {}
        }
        self.wakes += 1;
        if self.wakes > QUICK_WAKES {
            tokio::time::sleep(WAIT_MIN).await;
        }
        self.waited += from.elapsed();
        Ok(())
    }

    /// Continues with `component`, which may be another version or component. Events before the round starts are
    /// visible to it.
    pub fn follow(&mut self, component: &LoadedComponent) {
        if *component.name() == self.component {
            self.listener.iter_mut().for_each(Listener::forget);
        } else {
            self.component = component.name().clone();
            self.listener = None;
        }
        // A new version may have been granted events that the one before had not.
        self.listener = self.listener.take().or_else(|| listener(component));
    }
}

fn listener(component: &LoadedComponent) -> Option<Listener> {
    let listens = component.needs(Grant::Events) || component.needs(Grant::Calls);
    listens.then(|| component.setup.reach.channel.listen())
}

async fn published(listener: Option<&mut Listener>, events: &[String]) {
    match listener {
        Some(listener) if !events.is_empty() => listener.published(events).await,
        _ => std::future::pending().await,
    }
}
