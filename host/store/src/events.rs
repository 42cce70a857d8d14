//! Events that components publish, delivered to waiting calls and listeners on all nodes of a database (`nodes`).

mod nodes;
mod outbox;

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::broadcast::{self, error::RecvError};

use outbox::Outbox;

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
}
