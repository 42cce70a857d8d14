//! The resources that views of this tab follow, and their changes.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser;
use crate::mcp::listen::{APPROVALS, News};
use crate::page::{Admission, page};
use crate::part::{Part, part};
use stream::Stream;

mod stream;

/// How long the first view has the connection for itself after the first contact. Changes meanwhile are fetched when
/// the stream begins.
const HEAD_START: Duration = Duration::from_secs(1);
/// How long a tab waits before it leads if no other does.
const SETTLED: Duration = Duration::from_millis(500);
/// Pause before loading the stream's code is retried.
const PAUSE: Duration = Duration::from_secs(5);

/// The news stream as the page uses it; its code is a separate part.
trait NewsStream {
    /// The host answers: this tab may lead.
    fn begin(&self);
    /// Joins with the tab's current token.
    fn join(&self);
    /// Leaves.
    fn leave(&self);
    /// Sets the URIs to follow.
    fn want(&self, uris: Vec<String>);
    /// Whether this tab listens for all tabs.
    fn leads(&self) -> bool;
}

type OnNews = Box<dyn Fn(&News)>;

struct Live(fn(OnNews) -> Box<dyn NewsStream>);

static LIVE: Part<Live> = part!(live: Live = &Live(|on_news| Box::new(Stream::new(on_news))));

#[derive(Clone, Copy)]
pub(crate) struct Subscriptions {
    topics: StoredValue<Vec<Topic>>,
    /// None until the first view has had its head start.
    stream: StoredValue<Option<Box<dyn NewsStream>>, LocalStorage>,
    is_due: StoredValue<bool>,
}

/// A followed resource and its number of views.
#[derive(Clone)]
struct Topic {
    uri: String,
    changes: ArcRwSignal<u32>,
    views: usize,
}

/// Increments the counters of changed URIs.
fn bump(topics: StoredValue<Vec<Topic>>, is_changed: impl Fn(&str) -> bool) {
    let changed: Vec<ArcRwSignal<u32>> = topics
        .try_with_value(|topics| {
            let changed = topics.iter().filter(|it| is_changed(&it.uri));
            changed.map(|it| it.changes.clone()).collect()
        })
        .unwrap_or_default();
    changed.iter().for_each(|it| it.update(|count| *count = count.wrapping_add(1)));
}

impl Subscriptions {
    /// Subscribes to what the page itself follows, after the first contact.
    pub(crate) fn new() -> Self {
        let topics = StoredValue::new(Vec::<Topic>::new());
        let on_news = move |news: &News| {
            bump(topics, |uri| news.is_about(uri));
            page().receive(news);
        };
        let this =
            Self { topics, stream: StoredValue::new_local(None), is_due: StoredValue::new(false) };
        // After readmission, perhaps as another caller, the stream is opened anew.
        Effect::new(move |_| {
            let is_open = page().admission.get() == Admission::Open;
            this.with_stream(|it| if is_open { it.join() } else { it.leave() });
        });
        spawn_local(async move {
            page().meet_host().await;
            browser::sleep(HEAD_START).await;
            let live = loop {
                match LIVE.fetch().await {
                    Some(live) => break live,
                    None => browser::sleep(PAUSE).await,
                }
            };
            let stream = (live.0)(Box::new(on_news));
            stream.want(this.uris());
            if page().admission.get_untracked() == Admission::Open {
                stream.join();
            }
            stream.begin();
            this.stream.set_value(Some(stream));
            browser::sleep(SETTLED).await;
            // News that another tab received before this one joined is fetched; a leading tab fetches once its stream
            // is open.
            if this.stream.try_with_value(|it| it.as_ref().is_some_and(|it| !it.leads()))
                == Some(true)
            {
                bump(topics, |_| true);
            }
        });
        this
    }

    fn with_stream(self, f: impl FnOnce(&dyn NewsStream)) {
        let _ = self.stream.try_with_value(|stream| {
            if let Some(stream) = stream {
                f(&**stream);
            }
        });
    }

    /// A counter that increases whenever the resource may have changed, while the calling view exists. After an
    /// interruption any may have.
    pub(crate) fn changes(self, uri: &str) -> ArcReadSignal<u32> {
        let changes = self.topics.try_update_value(|topics| {
            let known = topics.iter().position(|it| it.uri == uri);
            let at = known.unwrap_or_else(|| {
                let changes = ArcRwSignal::new(0);
                topics.push(Topic { uri: uri.to_owned(), changes, views: 0 });
                topics.len() - 1
            });
            topics[at].views += 1;
            topics[at].changes.read_only()
        });
        self.want();
        let uri = uri.to_owned();
        on_cleanup(move || self.drop_view(&uri));
        changes.unwrap_or_else(|| ArcRwSignal::new(0).read_only())
    }

    fn drop_view(self, uri: &str) {
        let _ = self.topics.try_update_value(|topics| {
            if let Some(topic) = topics.iter_mut().find(|it| it.uri == uri) {
                topic.views = topic.views.saturating_sub(1);
            }
            topics.retain(|it| it.views > 0);
        });
        self.want();
    }

    /// Updates the stream's URIs, once for all changes made together.
    fn want(self) {
        if self.is_due.try_get_value() != Some(false) {
            return;
        }
        self.is_due.set_value(true);
        queue_microtask(move || {
            let _ = self.is_due.try_update_value(|it| *it = false);
            self.with_stream(|it| it.want(self.uris()));
        });
    }

    fn uris(self) -> Vec<String> {
        let uris = self.topics.try_with_value(|it| it.iter().map(|it| it.uri.clone()).collect());
        let uris: Option<Vec<String>> = uris;
        [APPROVALS.to_owned()].into_iter().chain(uris.into_iter().flatten()).collect()
    }
}
