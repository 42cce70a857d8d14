//! Notifications of changes: swaps and component events, collected for each listener separately, so that a slow one
//! delays no other.

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
        CustomNotification, CustomResult, ErrorCode, GetMeta, PromptListChangedNotification,
        ResourceListChangedNotification, ResourceUpdatedNotification,
        ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
        SubscriptionsListenResult, TaskStatusNotification, TaskStatusNotificationParams,
        ToolListChangedNotification,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use crate::{
    Context, McpServer, Result, not_stored,
    sessions::{InUse, SessionTable},
    tasks::{self, event_of},
    wire,
};
use base::{caller::Caller, toolsets::Owner};
use calls::approvals;
use registry::{Catalog, Changed, Registry};
use sandbox::{component::CallError, definition::check_uri};
use store::events::{By, Events, Published};

/// The method of clients that listen.
pub(super) const LISTEN: &str = "subscriptions/listen";
/// Time limit for a client to accept notifications, after which it is dropped.
pub(super) const NEWS_TIMEOUT: Duration = Duration::from_secs(10);
/// Clients of the modern era that may listen at a time.
pub(super) const LISTENERS_MAX: usize = 1_024;
/// Resources that one listener may subscribe to.
pub(super) const SUBSCRIPTIONS_MAX: usize = 256;

/// Listens for changes visible to one caller.
pub(super) struct Subscriptions {
    changes: watch::Receiver<Arc<Catalog>>,
    published: broadcast::Receiver<Published>,
    latest: Changed,
    /// The current caller of the client, whose rights may change.
    caller: Arc<Mutex<Caller>>,
}

/// Changes since the last notification.
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
        // Looking up the owner checks all templates, so it is done only when needed.
        let is_notified =
            |uri: &&String| self.covers(uri) || !self.any_of.is_empty() && is_any(uri);
        let updated = uris.into_iter().filter(is_notified).map(|uri| {
            let params = ResourceUpdatedNotificationParam::new(uri.clone());
            ResourceUpdatedNotification::new(params).into()
        });
        lists.into_iter().flatten().chain(updated).collect()
    }

    /// Whether that may have changed.
    fn covers(&self, uri: &str) -> bool {
        self.is_incomplete || self.updated.contains(uri)
    }
}

/// Subscriptions of a modern client.
struct Requested {
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
            // Changes since then are sent at once.
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

    /// The current catalog.
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
                // A component publishes its own resources only.
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
        // Each caller's approvals are their own, whatever another server lists.
        let is_own = uri == approvals::CHANGED;
        if !is_own
            && let Some(server) = catalog.server_for_resource(&uri)
            && catalog.may_use(caller, Owner::Server(server.name()))
        {
            let message = format!(
                "The server {} has this resource, and what changes there is not told here; read it again now and then.",
                server.name()
            );
            return Err(ErrorData::invalid_request(message, None));
        }
        let owner = catalog.component_for_resource(&uri);
        let may_use = owner.is_some_and(|it| catalog.may_use(caller, Owner::Component(it.name())));
        if !may_use && !is_own {
            return Err(wire::error(CallError::UnknownResource { uri }));
        }
        let is_subscribed = match self.link(caller, &context.extensions) {
            Some((shared, key)) => {
                let subscribed = shared.rows.subscribe(&key, &uri, SUBSCRIPTIONS_MAX).await;
                let is_subscribed = subscribed.map_err(|it| not_stored(&it))?;
                if is_subscribed {
                    shared.notify_changed(&caller.principal, &key);
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

    /// Whether `caller` may be notified of the resource: not for inaccessible components or other servers. Missing
    /// resources may appear later.
    fn may_notify(&self, uri: &str, caller: &Caller) -> bool {
        let catalog = self.registry.catalog();
        match catalog.component_for_resource(uri) {
            Some(owner) => catalog.may_use(caller, Owner::Component(owner.name())),
            None => uri == approvals::CHANGED || catalog.server_for_resource(uri).is_none(),
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

    /// Notifies a modern client until it disconnects or is too slow.
    async fn forward_until_closed(
        &self,
        (mut news, listening): (Subscriptions, impl Deref<Target = InUse<u64>> + Send),
        mut wanted: Requested,
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
            if bulletin.covers(approvals::CHANGED) {
                // Decisions made elsewhere continue a task, which is then reported.
                for id in &wanted.tasks {
                    let _ = self.detailed(id, context).await;
                }
            }
            let is_notified = |id: &str| bulletin.covers(&event_of(id));
            if !self.notify_of_tasks(&mut wanted.tasks, is_notified, context).await {
                return;
            }
        }
    }
}

/// Sends a listener `note`; whether it takes it in time.
async fn send(context: &Context, mut note: ServerNotification) -> bool {
    note.get_meta_mut().set_subscription_id(context.id.clone());
    let sent = tokio::time::timeout(NEWS_TIMEOUT, context.peer.send_notification(note));
    matches!(context.ct.run_until_cancelled(sent).await, Some(Ok(Ok(()))))
}

/// Takes a listener slot of `principal`, within a fair share.
fn listen_as(
    listeners: &Arc<SessionTable<u64>>,
    principal: &Arc<str>,
) -> Option<impl Deref<Target = InUse<u64>> + Send + use<>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    listeners.open(id, principal.clone())?;
    let in_use = listeners.enter(&id)?;
    let listeners = listeners.clone();
    Some(scopeguard::guard(in_use, move |_| listeners.evict(&id)))
}

// Modern clients that listen (`subscriptions/listen`) are served without the SDK, whose filter lacks tasks and which
// acknowledges too early.

/// Key of a filter that the SDK cannot read and leaves to us.
const SET_ASIDE: &str = "madoguchi/notifications";
/// Maximum number of resources checked; others are ignored.
const FILTERS_MAX: usize = 4 * SUBSCRIPTIONS_MAX;
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// A client's filter.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    task_ids: Option<Vec<String>>,
    #[serde(flatten)]
    lists: SubscriptionFilter,
}

/// Rewrites a listen request for the SDK. `None` for other requests.
pub(crate) fn set_aside(request: &[u8]) -> Option<Vec<u8>> {
    let mut request: Value = serde_json::from_slice(request).ok()?;
    if request["method"] != LISTEN {
        return None;
    }
    let params = request.get_mut("params")?.as_object_mut()?;
    let filter = params.remove("notifications")?;
    params.insert(SET_ASIDE.to_owned(), filter);
    serde_json::to_vec(&request).ok()
}

impl McpServer {
    /// Serves a listening client with `params` set aside. `None` if they were not.
    ///
    /// # Errors
    /// If tasks are required, the filter is invalid, or there are too many listeners.
    pub(crate) async fn serve_listener(
        &self,
        params: Option<&Value>,
        context: &Context,
    ) -> Result<Option<CustomResult>> {
        let Some(filter) = params.and_then(|it| it.get(SET_ASIDE)) else { return Ok(None) };
        let Filter { task_ids, mut lists } = Filter::deserialize(filter)
            .map_err(|_| wire::invalid_params::<Filter>(LISTEN, filter.clone()))?;
        if task_ids.is_some() && !tasks::takes_tasks(context) {
            return Err(tasks::needs_tasks());
        }
        let caller = self.caller(context);
        if let Some(uris) = &mut lists.resource_subscriptions {
            uris.truncate(FILTERS_MAX);
            uris.retain(|it| check_uri(it).is_ok() && self.may_notify(it, &caller));
            uris.truncate(SUBSCRIPTIONS_MAX);
        }
        // False and empty entries count as missing.
        let lists = lists.intersection(&lists);
        // Listens from here on, so that nothing in between is lost.
        let caller = Arc::new(Mutex::new(caller));
        let news = Subscriptions::new(&self.registry, &self.events, caller);
        let listening = self.listening(&news)?;
        let mut accepted = serde_json::to_value(&lists).unwrap_or_default();
        let mut own = BTreeSet::new();
        if let Some(ids) = task_ids {
            for id in ids.into_iter().take(SUBSCRIPTIONS_MAX) {
                if self.detailed(&id, context).await.is_ok() {
                    own.insert(id);
                }
            }
            accepted["taskIds"] = json!(own);
        }
        let mut wanted = Requested { lists, tasks: own };
        let params = json!({ "notifications": accepted });
        let acknowledged = CustomNotification::new(ACKNOWLEDGED, Some(params));
        // Reports changes that happened before listening started.
        if send(context, ServerNotification::CustomNotification(acknowledged)).await
            && self.notify_of_tasks(&mut wanted.tasks, |_| true, context).await
        {
            self.forward_until_closed((news, listening), wanted, context).await;
        }
        let mut result = SubscriptionsListenResult::complete(context.id.clone());
        result.meta.set_server_info(rmcp::ServerHandler::get_info(self).server_info);
        let result = serde_json::to_value(result).map_err(|_| wire::cancelled())?;
        Ok(Some(CustomResult::new(result)))
    }

    /// Sends states of `tasks` accepted by `is_notified`. Returns whether the client accepts them. Finished and
    /// expired tasks are dropped.
    async fn notify_of_tasks(
        &self,
        tasks: &mut BTreeSet<String>,
        is_notified: impl Fn(&str) -> bool,
        context: &Context,
    ) -> bool {
        let ids: Vec<_> = tasks.iter().filter(|it| is_notified(it)).cloned().collect();
        for id in ids {
            let task = self.detailed(&id, context).await;
            let is_over = match &task {
                Ok(task) => task.status().is_terminal(),
                Err(error) => error.code == ErrorCode::INVALID_PARAMS,
            };
            if is_over {
                tasks.remove(&id);
            }
            let Ok(task) = task else { continue };
            let status = TaskStatusNotification::new(TaskStatusNotificationParams::new(task));
            if !send(context, ServerNotification::TaskStatusNotification(status)).await {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// The registry is returned as well, because dropping it ends changes.
    fn news(events: &Events) -> (Registry, Subscriptions) {
        let registry = Registry::default();
        let caller = Arc::new(Mutex::new(Caller::anonymous()));
        let news = Subscriptions::new(&registry, events, caller);
        (registry, news)
    }

    #[tokio::test]
    async fn listeners_of_one_caller_leave_slots_for_others() {
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
    fn batches_updates_and_hides_foreign_uris() {
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
    fn listener_uses_current_rights_of_its_client() {
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
    fn lagging_listener_is_notified_of_everything() {
        let events = Events::default();
        let (_registry, mut news) = news(&events);
        for number in 0..1_000 {
            events.channel("shop").publish(&format!("shop://orders/{number}"));
        }
        let bulletin = news.next().now_or_never().flatten().expect("at once");
        assert!(bulletin.tools && bulletin.prompts && bulletin.resources && bulletin.is_incomplete);
    }

    #[test]
    fn removes_only_filters_of_listeners() {
        let listen = [
            r#"{"id":1,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["a"]}}}"#,
            r#"{"id":1,"method":"subscriptions\/listen","params":{"notifications":{}}}"#,
        ];
        let others = [
            r#"{"id":1,"method":"subscriptions/listen","params":{}}"#,
            r#"{"id":1,"method":"tools/call","params":{"notifications":{"taskIds":["a"]}}}"#,
            "no JSON \"subscriptions/listen\"",
        ];
        for other in others {
            assert_eq!(set_aside(other.as_bytes()), None, "{other}");
        }
        let aside = |it: &str| -> Value {
            serde_json::from_slice(&set_aside(it.as_bytes()).unwrap()).unwrap()
        };
        assert_eq!(aside(listen[0])["params"], json!({ SET_ASIDE: { "taskIds": ["a"] } }));
        assert_eq!(aside(listen[1])["params"], json!({ SET_ASIDE: {} }));
    }
}
