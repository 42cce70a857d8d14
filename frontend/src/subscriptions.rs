//! What the views of this tab look at, and when it has changed.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser;
use crate::mcp::listen::{APPROVALS, News};
use crate::page::{Door, page};
use crate::part::{Part, part};
use stream::Stream;

mod stream;

/// How long the first view has the connection for itself once the host is met. What changes meanwhile is asked for when
/// the stream begins.
const HEAD_START: Duration = Duration::from_secs(1);
/// How long a tab may take to lead, where none does.
const SETTLED: Duration = Duration::from_millis(500);
/// How long to wait before the code of the stream is asked for anew.
const PAUSE: Duration = Duration::from_secs(5);

/// The stream of news as the page needs it, whose code is a part.
trait Listens {
    /// From now on this tab may lead: the host is there.
    fn begin(&self);
    /// Takes part, with the token that the tab has now.
    fn join(&self);
    /// Takes part no longer.
    fn leave(&self);
    /// Listens to these URIs from now on.
    fn want(&self, uris: Vec<String>);
    /// Whether this tab listens for all.
    fn leads(&self) -> bool;
}

/// What news are given to.
type OnNews = Box<dyn Fn(&News)>;

/// Makes a stream.
struct Live(fn(OnNews) -> Box<dyn Listens>);

static LIVE: Part<Live> = part!(live: Live = &Live(|on_news| Box::new(Stream::new(on_news))));

/// The subscriptions of all views.
#[derive(Clone, Copy)]
pub(crate) struct Subscriptions {
    topics: StoredValue<Vec<Topic>>,
    /// None before the first view has had its head start.
    stream: StoredValue<Option<Box<dyn Listens>>, LocalStorage>,
    is_due: StoredValue<bool>,
}

/// One thing that is looked at, and by how many views.
#[derive(Clone)]
struct Topic {
    uri: String,
    changes: ArcRwSignal<u32>,
    views: usize,
}

/// Counts up what has a URI of these.
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
    /// Subscribes to what the page itself looks at, once the host is met.
    pub(crate) fn new() -> Self {
        let topics = StoredValue::new(Vec::<Topic>::new());
        let on_news = move |news: &News| {
            bump(topics, |uri| news.is_about(uri));
            page().receive(news);
        };
        let this =
            Self { topics, stream: StoredValue::new_local(None), is_due: StoredValue::new(false) };
        // A host that lets the page in again, maybe as another caller, is listened to anew.
        Effect::new(move |_| {
            let is_open = page().door.get() == Door::Open;
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
            if page().door.get_untracked() == Door::Open {
                stream.join();
            }
            stream.begin();
            this.stream.set_value(Some(stream));
            browser::sleep(SETTLED).await;
            // What another tab was told before this one took part is asked for; a tab that leads asks once it is listened to.
            if this.stream.try_with_value(|it| it.as_ref().is_some_and(|it| !it.leads()))
                == Some(true)
            {
                bump(topics, |_| true);
            }
        });
        this
    }

    fn with_stream(self, what: impl FnOnce(&dyn Listens)) {
        let _ = self.stream.try_with_value(|stream| {
            if let Some(stream) = stream {
                what(&**stream);
            }
        });
    }

    /// A count that goes up whenever what has this URI may have changed, for as long as the view that
    /// asks is there. After an interruption it may always have.
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

    /// Tells the stream what is looked at, once for all that changes in one go.
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

    /// What is looked at.
    fn uris(self) -> Vec<String> {
        let uris = self.topics.try_with_value(|it| it.iter().map(|it| it.uri.clone()).collect());
        let uris: Option<Vec<String>> = uris;
        [APPROVALS.to_owned()].into_iter().chain(uris.into_iter().flatten()).collect()
    }
}
