//! What is new: swaps, and what components say has changed, gathered for each listener by itself, so
//! that one that does not listen delays no other.

use std::{
    collections::BTreeSet,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use rmcp::{
    ErrorData,
    model::{
        GetMeta, PromptListChangedNotification, ResourceListChangedNotification,
        ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
        SubscriptionFilter, ToolListChangedNotification,
    },
};
use tokio::sync::{broadcast, watch};

use super::{
    Context, McpServer, Result,
    sessions::{InUse, SessionTable},
    tasks::event_of,
    unkept, wire,
};
use base::{caller::Caller, tool_set::Owner};
use calls::approvals;
use registry::{Catalog, Changed, Registry};
use sandbox::component::CallError;
use store::events::{By, Events, Published};

mod listen;

pub(super) use listen::set_aside;

/// The method of clients that listen.
pub(super) const LISTEN: &str = "subscriptions/listen";
/// How long a client may take to accept notifications; one that takes longer is given up.
pub(super) const NEWS_TIMEOUT: Duration = Duration::from_secs(10);
/// Clients of the modern era that may listen at a time.
pub(super) const LISTENERS_MAX: usize = 1_024;
/// Resources that one listener may subscribe to.
pub(super) const SUBSCRIPTIONS_MAX: usize = 256;

/// Listens for what is new, as far as one caller may know.
pub(super) struct Subscriptions {
    changes: watch::Receiver<Arc<Catalog>>,
    published: broadcast::Receiver<Published>,
    latest: Changed,
    /// As whom its client spoke last: what it may know changes while it listens.
    caller: Arc<Mutex<Caller>>,
}

/// What is new since the last time.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Bulletin {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    /// The resources that have changed.
    pub(super) updated: BTreeSet<String>,
    /// The components of which any resource may have changed.
    pub(super) any_of: BTreeSet<Arc<str>>,
    /// Whether more resources may have changed than the receiver kept.
    pub(super) is_incomplete: bool,
}

impl Bulletin {
    /// The notifications for a client that wants to be notified of that.
    pub(super) fn notifications(
        &self,
        wanted: &SubscriptionFilter,
        catalog: &Catalog,
    ) -> Vec<ServerNotification> {
        let is_wanted = |it: Option<bool>| it == Some(true);
        let tools = self.tools && is_wanted(wanted.tools_list_changed);
        let prompts = self.prompts && is_wanted(wanted.prompts_list_changed);
        let resources = self.resources && is_wanted(wanted.resources_list_changed);
        let lists = [
            tools.then(|| ToolListChangedNotification::default().into()),
            prompts.then(|| PromptListChangedNotification::default().into()),
            resources.then(|| ResourceListChangedNotification::default().into()),
        ];
        let uris: BTreeSet<_> = wanted.resource_subscriptions.iter().flatten().collect();
        let is_any = |uri: &str| {
            let owner = catalog.component_for_resource(uri).map(|it| it.name());
            owner.is_some_and(|it| self.any_of.contains(it))
        };
        // Whose a resource is takes a look at all templates, and is asked only where it matters.
        let is_told = |uri: &&String| self.tells_of(uri) || !self.any_of.is_empty() && is_any(uri);
        let updated = uris.into_iter().filter(is_told).map(|uri| {
            let params = ResourceUpdatedNotificationParam::new(uri.clone());
            ResourceUpdatedNotification::new(params).into()
        });
        lists.into_iter().flatten().chain(updated).collect()
    }

    /// Whether that may have changed.
    fn tells_of(&self, uri: &str) -> bool {
        self.is_incomplete || self.updated.contains(uri)
    }
}

/// What a modern client wants to be notified of.
struct Wanted {
    lists: SubscriptionFilter,
    /// Ids of its tasks, as long as they are not over.
    tasks: BTreeSet<String>,
}

impl Subscriptions {
    /// Receives everything from now on.
    pub(super) fn new(registry: &Registry, events: &Events, caller: Arc<Mutex<Caller>>) -> Self {
        let (mut changes, published) = (registry.changes(), events.listen());
        let latest = changes.borrow_and_update().changed();
        Self { changes, published, latest, caller }
    }

    /// Waits until there is something new; none when there will not be any more.
    pub(super) async fn next(&mut self) -> Option<Bulletin> {
        let mut bulletin = Bulletin::default();
        while bulletin == Bulletin::default() {
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                published = self.published.recv() => match published {
                    Ok(published) => self.note(&published, &mut bulletin),
                    Err(broadcast::error::RecvError::Lagged(_)) => missed(&mut bulletin),
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
            }
            // What has come meanwhile is sent at once.
            loop {
                match self.published.try_recv() {
                    Ok(published) => self.note(&published, &mut bulletin),
                    Err(broadcast::error::TryRecvError::Lagged(_)) => missed(&mut bulletin),
                    Err(_) => break,
                }
            }
            let now = self.changes.borrow_and_update().changed();
            bulletin.tools |= now.tools != self.latest.tools;
            bulletin.prompts |= now.prompts != self.latest.prompts;
            bulletin.resources |= now.resources != self.latest.resources;
            self.latest = now;
        }
        Some(bulletin)
    }

    /// What is on offer now.
    pub(super) fn catalog(&self) -> Arc<Catalog> {
        self.changes.borrow().clone()
    }

    fn note(&self, published: &Published, bulletin: &mut Bulletin) {
        let caller = self.caller.lock();
        let component = match (&published.by, &published.what) {
            (By::Host { to }, _) if *to != caller.principal => return,
            (By::Host { .. }, Some(what)) => {
                bulletin.updated.insert(what.to_string());
                return;
            }
            (By::Host { .. }, None) | (By::Anyone, _) => return missed(bulletin),
            (By::Component(component), _) => component,
        };
        let catalog = self.changes.borrow();
        if !catalog.may_use(&caller, Owner::Component(component)) {
            return;
        }
        match published.what.as_deref() {
            None => {
                (bulletin.tools, bulletin.prompts, bulletin.resources) = (true, true, true);
                bulletin.any_of.insert(component.clone());
            }
            Some("tools") => bulletin.tools = true,
            Some("prompts") => bulletin.prompts = true,
            Some("resources") => bulletin.resources = true,
            Some(uri) => {
                // A component speaks for what is its own.
                let owner = catalog.component_for_resource(uri).map(|it| it.name());
                if owner == Some(component) {
                    bulletin.updated.insert(uri.to_owned());
                }
            }
        }
    }
}

/// Makes everything count as changed: a notification too many is better than one too few.
fn missed(bulletin: &mut Bulletin) {
    bulletin.tools = true;
    bulletin.prompts = true;
    bulletin.resources = true;
    bulletin.is_incomplete = true;
}

impl McpServer {
    /// Subscribes this session to a resource that its caller may read.
    pub(super) async fn subscribe_session(&self, uri: String, context: &Context) -> Result<()> {
        let caller = &self.caller(context);
        let catalog = self.registry.catalog();
        if let Some(server) = catalog.server_for_resource(&uri)
            && catalog.may_use(caller, Owner::Server(server.name()))
        {
            let message = format!(
                "The server {} has this resource, and what changes there is not told here; read it again now and then.",
                server.name()
            );
            return Err(ErrorData::invalid_request(message, None));
        }
        let owner = catalog.component_for_resource(&uri);
        if !owner.is_some_and(|it| catalog.may_use(caller, Owner::Component(it.name()))) {
            return Err(wire::error(CallError::UnknownResource { uri }));
        }
        let is_subscribed = match self.link(caller, &context.extensions) {
            Some((shared, key)) => {
                let subscribed = shared.rows.subscribe(&key, &uri, SUBSCRIPTIONS_MAX).await;
                let is_subscribed = subscribed.map_err(|it| unkept(&it))?;
                if is_subscribed {
                    shared.tell_changed(&caller.principal, &key);
                }
                is_subscribed && self.session.subscribe(uri)
            }
            None => self.session.subscribe(uri),
        };
        if is_subscribed {
            return Ok(());
        }
        let message =
            format!("A session has at most {SUBSCRIPTIONS_MAX} subscriptions; end one first.");
        Err(ErrorData::invalid_request(message, None))
    }

    /// Whether `caller` may be told of the resource: not of a component that they may not use, nor of another server.
    /// One that is not there may come.
    fn may_tell(&self, uri: &str, caller: &Caller) -> bool {
        let catalog = self.registry.catalog();
        match catalog.component_for_resource(uri) {
            Some(owner) => catalog.may_use(caller, Owner::Component(owner.name())),
            None => catalog.server_for_resource(uri).is_none(),
        }
    }

    /// A place for one more that listens to `news`.
    fn listening(
        &self,
        news: &Subscriptions,
    ) -> Result<impl Deref<Target = InUse<u64>> + Send + use<>> {
        let principal = news.caller.lock().principal.clone();
        listen_as(&self.listeners, &principal).ok_or_else(|| {
            let message = "Too many clients listen already; try again later, or ask for the lists now and then.";
            ErrorData::internal_error(message, None)
        })
    }

    /// Notifies a modern client of what is new until it goes, or does not take it in time.
    async fn tell_until_gone(
        &self,
        (mut news, listening): (Subscriptions, impl Deref<Target = InUse<u64>> + Send),
        mut wanted: Wanted,
        context: &Context,
    ) {
        let mut cut = std::pin::pin!(listening.ended());
        loop {
            let bulletin = tokio::select! {
                () = context.ct.cancelled() => return,
                // Another caller has less than a fair share.
                () = &mut cut => return,
                bulletin = news.next() => bulletin,
            };
            let Some(bulletin) = bulletin else { return };
            for note in bulletin.notifications(&wanted.lists, &self.registry.catalog()) {
                if !send(context, note).await {
                    return;
                }
            }
            if bulletin.tells_of(approvals::CHANGED) {
                // A person who answers elsewhere lets a task go on, which is then told.
                for id in &wanted.tasks {
                    let _ = self.detailed(id, context).await;
                }
            }
            let is_told = |id: &str| bulletin.tells_of(&event_of(id));
            if !self.tell_tasks(&mut wanted.tasks, is_told, context).await {
                return;
            }
        }
    }
}

/// Sends a listener `note`; whether it takes it in time.
async fn send(context: &Context, mut note: ServerNotification) -> bool {
    note.get_meta_mut().set_subscription_id(context.id.clone());
    let sent = tokio::time::timeout(NEWS_TIMEOUT, context.peer.send_notification(note));
    matches!(sent.await, Ok(Ok(())))
}

/// A place for one more listener of `principal`, who has a fair share of all places; given back when it is dropped.
fn listen_as(
    listeners: &Arc<SessionTable<u64>>,
    principal: &Arc<str>,
) -> Option<impl Deref<Target = InUse<u64>> + Send + use<>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    listeners.open(id, principal.clone())?;
    let in_use = listeners.enter(&id)?;
    let listeners = listeners.clone();
    Some(scopeguard::guard(in_use, move |_| listeners.strike(&id)))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// With the registry, without which there would not be anything new.
    fn news(events: &Events) -> (Registry, Subscriptions) {
        let registry = Registry::default();
        let caller = Arc::new(Mutex::new(Caller::anonymous()));
        let news = Subscriptions::new(&registry, events, caller);
        (registry, news)
    }

    #[tokio::test]
    async fn listeners_of_one_caller_leave_places_for_another() {
        let listeners = Arc::new(SessionTable::new(8));
        let listen = |principal: &str| listen_as(&listeners, &Arc::from(principal));
        let ann: Vec<_> = (0..8).filter_map(|_| listen("ann")).collect();
        assert_eq!(ann.len(), 8);
        assert!(listen("ann").is_none(), "all places are taken, by the same");
        let ben: Vec<_> = (0..8).filter_map(|_| listen("ben")).collect();
        assert_eq!(ben.len(), 4, "half is a fair share of two");
        let cut = ann.iter().filter(|it| it.ended().now_or_never().is_some()).count();
        assert_eq!(cut, 4, "and no more than that had to go");
        drop((ann, ben));
        let eve: Vec<_> = (0..8).filter_map(|_| listen("eve")).collect();
        assert_eq!(eve.len(), 8, "places are given back");
    }

    #[test]
    fn news_is_reported_in_one_go_and_a_foreign_uri_to_no_one() {
        let events = Events::default();
        let (_registry, mut news) = news(&events);
        for what in ["prompts", "shop://not/its/own", "prompts"] {
            events.channel("shop").publish(what);
        }
        let bulletin = news.next().now_or_never().flatten();
        assert_eq!(bulletin, Some(Bulletin { prompts: true, ..Bulletin::default() }));
        assert!(news.next().now_or_never().is_none(), "once");
    }

    #[test]
    fn a_listener_knows_what_its_client_may_know_now() {
        use base::scopes::{Scope, Scopes};
        let events = Events::default();
        let (_registry, mut news) = news(&events);
        let caller = news.caller.clone();
        let named = |scope: Scope| Caller::named("ann", &[], Scopes::from_iter([scope]));
        let mut hears = |scope: Scope| {
            *caller.lock() = named(scope);
            events.channel("shop").publish("prompts");
            news.next().now_or_never().flatten().is_some()
        };
        assert!(hears(Scope::All));
        assert!(!hears(Scope::Component("other".to_owned())), "it was narrowed meanwhile");
        assert!(hears(Scope::Component("shop".to_owned())));
    }

    #[test]
    fn listener_too_far_behind_is_notified_of_all_not_of_nothing() {
        let events = Events::default();
        let (_registry, mut news) = news(&events);
        for number in 0..1_000 {
            events.channel("shop").publish(&format!("shop://orders/{number}"));
        }
        let bulletin = news.next().now_or_never().flatten().expect("at once");
        assert!(bulletin.tools && bulletin.prompts && bulletin.resources && bulletin.is_incomplete);
    }
}
