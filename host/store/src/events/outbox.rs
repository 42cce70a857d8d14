//! The outbox of events for other nodes: bounded per source, and drained round-robin.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::{BEHIND_MAX, By, Published};

/// Components, and callers of the host's own events, with something to send at a time.
const SOURCES_MAX: usize = 4_096;
/// Bytes of events that leave together, about.
const GROUP_BYTES_MAX: usize = 64 << 10;

/// Events to send, kept once open.
#[derive(Default)]
pub(super) struct Outbox {
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
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    /// Has it sent; one that is still to be sent is not sent twice.
    pub(super) fn put(&self, published: &Published) {
        if !self.is_open.load(Ordering::Relaxed) {
            return;
        }
        self.waiting.lock().put(published);
        self.more.notify_one();
    }

    /// Waits until there is something to send.
    pub(super) async fn wait(&self) {
        while self.is_empty() {
            self.more.notified().await;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.turns.is_empty() && !waiting.is_anyone
    }

    /// Takes the next group as text.
    pub(super) fn take(&self) -> String {
        let group: Vec<_> = self.waiting.lock().take().iter().map(Sent::from_event).collect();
        // Texts alone: there is nothing that could fail.
        serde_json::to_string(&group).unwrap_or_default()
    }
}

/// Parses a group of [`Outbox::take`]. `None` if invalid.
pub(super) fn read(text: &str) -> Option<Vec<Published>> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let read = read(&outbox.take()).unwrap();
        assert_eq!(
            described(&read),
            ["shop shop://orders/\"1\"", "Host { to: \"ann\" } Some(\"tasks/1\")"]
        );
        assert!(outbox.is_empty());
        assert!(super::read("").is_none() && super::read("[7]").is_none());
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
