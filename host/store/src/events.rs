//! Events: a component publishes that something has changed, and what waits for it receives that.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::broadcast::{self, error::RecvError};

/// Events that a listener may be behind; one that is further behind assumes that all were published.
const BEHIND_MAX: usize = 256;

/// The channels of all components. A channel outlives the versions of its component.
#[derive(Clone)]
pub struct Events {
    channels: Arc<Mutex<BTreeMap<String, EventChannel>>>,
    all: broadcast::Sender<Published>,
}

/// One event, as it is received by those who listen to all.
#[derive(Clone, Debug)]
pub struct Published {
    /// Who published it.
    pub by: By,
    /// What has changed.
    pub what: Arc<str>,
}

/// Who publishes an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The component of that name.
    Component(Arc<str>),
    /// The host, for one caller alone.
    Host {
        /// The name of the caller who is notified.
        to: Arc<str>,
    },
}

impl Default for Events {
    fn default() -> Self {
        Self { channels: Arc::default(), all: broadcast::Sender::new(BEHIND_MAX) }
    }
}

impl Events {
    /// The channel of the component of that name.
    pub fn channel(&self, component: &str) -> EventChannel {
        let mut channels = self.channels.lock();
        let all = || EventChannel {
            all: Some((component.into(), self.all.clone())),
            ..EventChannel::default()
        };
        channels.entry(component.to_owned()).or_insert_with(all).clone()
    }

    /// Notifies the caller `to` that `what` has changed.
    pub fn tell(&self, to: &str, what: &str) {
        let _ = self.all.send(Published { by: By::Host { to: to.into() }, what: what.into() });
    }

    /// Receives all events from now on. A receiver that is too far behind gets an error that says so.
    pub fn listen(&self) -> broadcast::Receiver<Published> {
        self.all.subscribe()
    }
}

/// The channel of one component's events.
#[derive(Clone)]
pub struct EventChannel {
    sender: broadcast::Sender<Arc<str>>,
    /// Where all events are received, and the component that this channel belongs to.
    all: Option<(Arc<str>, broadcast::Sender<Published>)>,
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
        if let Some((component, all)) = &self.all {
            let by = By::Component(component.clone());
            let _ = all.send(Published { by, what: what.clone() });
        }
        let _ = self.sender.send(what);
    }

    /// Receives everything from now on.
    pub fn listen(&self) -> Listener {
        Listener { receiver: self.sender.subscribe(), _channel: self.clone() }
    }
}

/// Receives one component's events; what is published meanwhile is kept.
pub struct Listener {
    receiver: broadcast::Receiver<Arc<str>>,
    /// Keeps the channel open while it is waited for.
    _channel: EventChannel,
}

impl Listener {
    /// Waits until one of `uris` is published, or returns at once if one has been.
    pub async fn published(&mut self, uris: &[String]) {
        loop {
            match self.receiver.recv().await {
                Ok(uri) if uris.iter().any(|it| **it == *uri) => return,
                Ok(_) => {}
                // It may have been among those that were missed; waking in vain does no harm.
                Err(RecvError::Lagged(_)) => return,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// The events that have come and were not taken yet.
    pub fn heard(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.receiver.try_recv().ok()).map(|it| it.to_string()).collect()
    }

    /// Forgets the events so far.
    pub fn forget(&mut self) {
        self.receiver = self.receiver.resubscribe();
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
    fn event_before_anyone_waits_is_kept_and_another_uri_wakes_none() {
        let events = Events::default();
        let mut listener = events.channel("shop").listen();
        events.channel("shop").publish("shop://orders/1");
        assert!(!is_published(&mut listener, "shop://orders/2"));
        events.channel("shop").publish("shop://orders/1");
        assert!(is_published(&mut listener, "shop://orders/1"));
        assert!(!is_published(&mut listener, "shop://orders/1"), "one ring wakes once");
    }

    #[test]
    fn a_bell_is_not_heard_next_door() {
        let events = Events::default();
        let mut listener = events.channel("shop").listen();
        events.channel("bank").publish("shop://orders/1");
        assert!(!is_published(&mut listener, "shop://orders/1"));
    }

    #[test]
    fn listener_too_far_behind_wakes_in_vain_rather_than_not_at_all() {
        let channel = EventChannel::default();
        let mut listener = channel.listen();
        channel.publish("wanted");
        for _ in 0..BEHIND_MAX {
            channel.publish("other");
        }
        assert!(is_published(&mut listener, "wanted"));
    }

    #[test]
    fn what_is_forgotten_does_not_wake() {
        let channel = EventChannel::default();
        let mut listener = channel.listen();
        channel.publish("a");
        listener.forget();
        assert!(!is_published(&mut listener, "a"));
        channel.publish("b");
        assert_eq!(listener.heard(), ["b"]);
    }
}
