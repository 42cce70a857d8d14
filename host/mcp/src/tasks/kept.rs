//! All tasks: those stored, those running here and those on other nodes.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{OwnedMutexGuard, broadcast::error::RecvError};
use tokio_util::sync::CancellationToken;

use super::{Document, Given, POLL_INTERVAL_MS, Standing};
use base::{
    call::{CallRequest, Pauses},
    caller::{self, Caller, Quota},
    limits::TasksConfig,
};
use calls::state::TTL_S;
use store::{
    answers::Messages,
    clock::Clock,
    database::Movable,
    documents::{self, DocumentLimits, Documents, number},
    events::{By, Events, Published},
    leases::{Hold, Leases, Locks},
};

/// Name of the storage place.
pub const PLACE: &str = "tasks";
/// Suffixes of ids of finished and unfinished tasks.
const OVER: &str = "over";
const OPEN: &str = "open";

/// Maximum length of a task's message, in bytes.
const MESSAGE_BYTES_MAX: usize = 1_024;

/// Event suffix that tells the running node of a cancellation.
const CANCELLED: &str = "/cancelled";
/// Retry delay for an unavailable database, and number of attempts to store a result.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
const TRIES_MAX: u32 = 20;
/// How long to wait for a lease that is about to be released.
const PATIENCE: Duration = Duration::from_secs(2);

/// All tasks. Clones share them. They fail as [`Documents`] do.
#[derive(Clone)]
pub struct Tasks(Arc<Inner>);

struct Inner {
    documents: Documents,
    config: TasksConfig,
    clock: Clock,
    events: Events,
    /// One lease per running task, so that only one node runs it.
    leases: Leases,
    locks: Locks,
    /// Messages of running tasks, where nodes share a database.
    messages: Option<Messages>,
    places: Quota,
    /// Tasks that run or wait on this node.
    running: Mutex<HashMap<String, Arc<Task>>>,
}

/// In-memory state of a running task.
#[derive(Default)]
struct Task {
    owner: Arc<str>,
    cancel: CancellationToken,
    message: Mutex<Option<String>>,
    notified: Mutex<Notified>,
}

/// Notification state of a task's message.
#[derive(Default)]
struct Notified {
    /// Time of the last notification.
    at: Option<Instant>,
    /// Whether a notification is scheduled.
    is_due: bool,
}

/// Prefix of task events.
const TASKS: &str = "tasks/";

/// The event that the task of that id has changed. It is no URI, so that no resource has it.
pub(crate) fn event_of(id: &str) -> String {
    format!("{TASKS}{id}")
}

/// Describes the tasks for a move between storage places (STO-46).
pub fn movable(config: &TasksConfig) -> Movable {
    let of = (PLACE, "task_bytes_max under [tasks]");
    documents::movable(of, &limits_of(config), &[OVER, OPEN])
}

fn limits_of(config: &TasksConfig) -> DocumentLimits {
    DocumentLimits {
        documents_max: config.tasks_max,
        bytes_max: config.tasks_bytes_max,
        document_bytes_max: config.task_bytes_max,
    }
}

impl Tasks {
    /// Opens tasks in `place`. Owners are notified by `events`.
    pub fn open(
        place: impl Into<documents::Place>,
        config: &TasksConfig,
        clock: Clock,
        (events, leases): (Events, Leases),
    ) -> io::Result<Self> {
        let limits = limits_of(config);
        let place: documents::Place = place.into();
        let messages = place.server().cloned().map(Messages::new);
        let documents = Documents::open(place, limits, &[OVER, OPEN])?;
        let (config, locks, running) = (config.clone(), Locks::default(), Mutex::default());
        let places = Quota::new(config.running_max, config.running_share_max);
        let inner =
            Inner { documents, config, clock, events, leases, locks, messages, places, running };
        Ok(Self(Arc::new(inner)))
    }

    pub(super) fn after(&self) -> Duration {
        Duration::from_millis(self.0.config.after_ms)
    }

    /// A place for one more that runs, where there is one, and where its owner has not as many as they may.
    pub(super) fn place(&self, owner: &Arc<str>) -> Option<Place> {
        let counted = self.0.places.take_of(Some(owner.clone())).ok()?;
        let task = Arc::new(Task { owner: owner.clone(), ..Task::default() });
        Some(Place { tasks: self.clone(), id: None, task, run: None, _counted: counted })
    }

    /// The right to change the task of that id.
    pub(super) async fn lock(&self, id: &str) -> OwnedMutexGuard<()> {
        self.0.locks.lock(id).await
    }

    /// Keeps what the round of `call` becomes; from then on its place has its id.
    pub(super) async fn create(
        &self,
        call: &CallRequest,
        given: Given,
        place: &mut Place,
    ) -> io::Result<Document> {
        let document = Document::from_call(number()?, call, given, self.now_ms());
        let run = self.claim(&document.id).await;
        let run = run.ok_or_else(|| io::Error::other("no node may run it"))?;
        self.put(&document).await?;
        place.run(&document.id, run);
        Ok(document)
    }

    /// The task of that id, if it is `owner`'s and not too old.
    pub(super) async fn get(&self, id: &str, owner: &str) -> io::Result<Option<Document>> {
        let document = self.0.documents.get::<Document>(id, owner).await?;
        let Some(document) = document.filter(|it| *it.owner == *owner) else { return Ok(None) };
        let is_old = self.now_ms() > self.expires_ms(&document);
        // Tasks that run or wait on any node, or may do so, are kept.
        if is_old && !self.0.leases.is_held("", &event_of(id)).await.unwrap_or(true) {
            if let Err(error) = self.0.documents.remove(id, owner).await {
                tracing::error!("a task that has expired is still there: {error}");
            }
            return Ok(None);
        }
        Ok(Some(document))
    }

    /// Finds a task, retrying until the database answers.
    pub(super) async fn found(&self, id: &str, owner: &str) -> Option<Document> {
        loop {
            match self.get(id, owner).await {
                Ok(found) => return found,
                Err(error) => tracing::warn!("a task cannot be read yet: {error}"),
            }
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }

    /// Writes down where it stands, and notifies its owner where they listen. What runs of it here ends where another
    /// node has ended it since.
    ///
    /// # Errors
    /// Errors of the disk or database, or if it is too large or already finished (`AlreadyExists`).
    pub(super) async fn put(&self, document: &Document) -> io::Result<()> {
        let kind = if document.standing.is_over() { OVER } else { OPEN };
        let (id, owner) = (document.id.as_str(), &*document.owner);
        if !self.0.documents.put_before_the_end((id, owner), kind, document.clone()).await? {
            self.cancel(id);
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the task is over"));
        }
        self.0.events.notify(owner, &event_of(id));
        Ok(())
    }

    /// Writes down where it stands since now.
    pub(super) async fn change(&self, document: &mut Document) -> io::Result<()> {
        document.updated_ms = self.now_ms();
        self.put(document).await
    }

    /// Writes down that it stands so now. A result for which there is no room ends it with an error; where the database
    /// does not answer it is tried again for a while.
    pub(super) async fn set_standing(&self, document: &mut Document, standing: Standing) {
        document.standing = standing;
        let mut tries = 0;
        loop {
            let Err(error) = self.change(document).await else { return };
            if error.kind() == io::ErrorKind::AlreadyExists {
                return;
            }
            tracing::error!("a task's result is not kept: {error}");
            let has_no_room =
                matches!(error.kind(), io::ErrorKind::FileTooLarge | io::ErrorKind::StorageFull);
            tries += 1;
            if has_no_room || tries == TRIES_MAX {
                break;
            }
            tokio::time::sleep(AGAIN_AFTER).await;
        }
        let message = "What the call came to could not be kept: it is too big (task_bytes_max under [tasks]), or the disk takes nothing. It may have happened; look first.";
        document.standing = Standing::failed(&rmcp::ErrorData::internal_error(message, None));
        if let Err(error) = self.put(document).await {
            tracing::error!("nor is that it failed: {error}");
        }
    }

    /// Whether it runs or waits here.
    pub(super) fn is_running(&self, id: &str) -> bool {
        self.0.running.lock().contains_key(id)
    }

    /// The right to run the task of that id, where neither this node has it nor another.
    pub(super) async fn claim(&self, id: &str) -> Option<Hold> {
        ok_or_log(self.0.leases.take("", &event_of(id)).await)
    }

    /// Claims a task whose lease is about to be released after a question.
    pub(super) async fn claim_soon(&self, id: &str) -> Option<Hold> {
        ok_or_log(self.0.leases.claim_within("", &event_of(id), PATIENCE).await)
    }

    /// Ends what runs here of tasks that were cancelled on other nodes, until `stop`.
    pub fn maintain(self, stop: CancellationToken) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let mut events = self.0.events.listen();
            while let Some(event) = stop.run_until_cancelled(events.recv()).await {
                let cancelled = match &event {
                    Ok(Published { by: By::Host { .. }, what: Some(what) }) => {
                        let id = what.strip_suffix(CANCELLED).and_then(|it| it.strip_prefix(TASKS));
                        id.map(|it| vec![it.to_owned()]).unwrap_or_default()
                    }
                    Ok(Published { what: None, .. }) | Err(RecvError::Lagged(_)) => {
                        self.0.running.lock().keys().cloned().collect()
                    }
                    Ok(_) => continue,
                    Err(RecvError::Closed) => return,
                };
                for id in cancelled {
                    let task = self.0.running.lock().get(&id).cloned();
                    let Some(task) = task else { continue };
                    let Some(document) =
                        stop.run_until_cancelled(self.found(&id, &task.owner)).await
                    else {
                        return;
                    };
                    if document.is_some_and(|it| matches!(it.standing, Standing::Cancelled)) {
                        self.cancel(&id);
                    }
                }
            }
        })
    }

    /// Notifies the running node of a cancellation.
    pub(super) fn notify_cancelled(&self, id: &str, owner: &str) {
        self.0.events.notify(owner, &format!("{}{CANCELLED}", event_of(id)));
    }

    /// Ends what runs of it here; its instance is gone once this returns to its driver.
    pub(super) fn cancel(&self, id: &str) {
        if let Some(running) = self.0.running.lock().remove(id) {
            running.cancel.cancel();
        }
    }

    /// The current message of a running task on any node.
    pub(super) async fn message(&self, document: &Document) -> Option<String> {
        let task = self.0.running.lock().get(&document.id).cloned();
        match (task, &self.0.messages) {
            (Some(task), _) => task.message.lock().clone(),
            (None, Some(messages)) if matches!(document.standing, Standing::Working(_)) => {
                messages.get(&document.id).await.ok().flatten()
            }
            _ => None,
        }
    }

    /// Publishes the task's message to listeners on all nodes.
    async fn publish_message(&self, id: &str, task: &Arc<Task>) {
        let message = task.message.lock().clone().unwrap_or_default();
        let is_there = |it: &Arc<Task>| Arc::ptr_eq(it, task);
        if !self.0.running.lock().get(id).is_some_and(is_there) {
            return;
        }
        if let Some(messages) = &self.0.messages
            && let Err(error) = messages.put(id, &message).await
        {
            tracing::warn!("other nodes do not know what a task says: {error}");
        }
        self.0.events.notify(&task.owner, &event_of(id));
    }

    /// Lifetime of a task after creation.
    pub(super) fn ttl_ms(&self, document: &Document) -> u64 {
        let mut expires_ms = self.expires_ms(document);
        // A finished one may still be releasing its lease.
        if matches!(document.standing, Standing::Working(_)) && self.is_running(&document.id) {
            expires_ms = expires_ms.max(self.now_ms().saturating_add(self.keep_ms(document)));
        }
        expires_ms.saturating_sub(document.created_ms).max(1)
    }

    fn expires_ms(&self, document: &Document) -> u64 {
        document.updated_ms.saturating_add(self.keep_ms(document))
    }

    fn keep_ms(&self, document: &Document) -> u64 {
        let TasksConfig { keep_s, wait_s_max, .. } = self.0.config;
        let keep_s = match &document.standing {
            // A waiting task may be fetched as late as without the stop.
            Standing::Working(_) => keep_s.max(wait_s_max),
            // Answers are not taken later.
            Standing::InputRequired { .. } => keep_s.min(TTL_S),
            _ => keep_s,
        };
        keep_s.saturating_mul(1_000)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.0.clock.now().as_millis()).unwrap_or(u64::MAX)
    }
}

fn ok_or_log(claim: io::Result<Option<Hold>>) -> Option<Hold> {
    claim.unwrap_or_else(|error| {
        tracing::warn!("a task does not go on: {error}");
        None
    })
}

/// A place of a task that runs; given back when it is dropped.
pub(super) struct Place {
    tasks: Tasks,
    id: Option<String>,
    task: Arc<Task>,
    /// The right to run it.
    run: Option<Hold>,
    _counted: caller::Place,
}

impl Place {
    /// Takes the task of that id, with the right to run it.
    pub(super) fn run(&mut self, id: &str, run: Hold) {
        self.run = Some(run);
        self.tasks.0.running.lock().insert(id.to_owned(), self.task.clone());
        self.id = Some(id.to_owned());
    }

    /// Whether its task was cancelled.
    pub(super) fn cancelled(&self) -> CancellationToken {
        self.task.cancel.clone()
    }

    /// Whether another node may run it.
    pub(super) fn is_lost(&self) -> CancellationToken {
        self.run.as_ref().map(|it| it.over().clone()).unwrap_or_default()
    }

    /// Sets the message. Listeners are notified at most once per poll interval.
    pub(super) fn set_message(&self, message: &str) {
        let end = message.floor_char_boundary(MESSAGE_BYTES_MAX);
        *self.task.message.lock() = Some(message[..end].to_owned());
        let Some(id) = self.id.clone() else { return };
        let mut notified = self.task.notified.lock();
        if std::mem::replace(&mut notified.is_due, true) {
            return;
        }
        let interval = Duration::from_millis(POLL_INTERVAL_MS);
        let pause = notified.at.map_or(Duration::ZERO, |it| interval.saturating_sub(it.elapsed()));
        let (tasks, task) = (self.tasks.clone(), self.task.clone());
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            *task.notified.lock() = Notified { at: Some(Instant::now()), is_due: false };
            tasks.publish_message(&id, &task).await;
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.tasks.0.running.lock();
        // A cancelled one may have been restarted under its id with a slot of its own.
        if let Some(id) = &self.id
            && running.get(id).is_some_and(|it| Arc::ptr_eq(it, &self.task))
        {
            running.remove(id);
            let messages = self.tasks.0.messages.clone();
            if let (Some(messages), Ok(runtime)) = (messages, tokio::runtime::Handle::try_current())
            {
                let id = id.clone();
                // A message that is not removed here expires.
                runtime.spawn(async move { _ = messages.remove(&id).await });
            }
        }
    }
}

/// Keeps where a call goes on that waits, once it is a task.
pub(super) struct Pause {
    tasks: Tasks,
    owner: Arc<str>,
    /// Whether it is a task: known at once, while `progress` may be waited for.
    is_task: AtomicBool,
    progress: tokio::sync::Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    id: Option<String>,
    /// State to resume from while waiting.
    state: Option<String>,
    /// State of the last wait.
    last: Option<String>,
}

impl Pause {
    pub(super) fn for_caller(tasks: &Tasks, caller: &Caller) -> Arc<Self> {
        let (tasks, owner) = (tasks.clone(), caller.principal.clone());
        let (is_task, progress) = (AtomicBool::new(false), tokio::sync::Mutex::default());
        Arc::new(Self { tasks, owner, is_task, progress })
    }

    /// Turns the call into a task stored by `create`.
    ///
    /// # Errors
    /// Errors of `create`.
    pub(super) async fn become_task<T>(
        &self,
        first: Given,
        create: impl AsyncFnOnce(Given) -> io::Result<(String, T)>,
    ) -> io::Result<T> {
        let mut progress = self.progress.lock().await;
        let given = match (&progress.state, &progress.last) {
            (Some(state), _) => Given::from(state.clone(), true),
            (None, Some(state)) => Given::from(state.clone(), false),
            (None, None) => first,
        };
        let (id, created) = create(given).await?;
        progress.id = Some(id);
        self.is_task.store(true, Ordering::Relaxed);
        Ok(created)
    }

    /// The call is that of the task of that id.
    pub(super) async fn is_task(&self, id: &str) {
        self.progress.lock().await.id = Some(id.to_owned());
        self.is_task.store(true, Ordering::Relaxed);
    }

    /// Whether it waits now.
    pub(super) async fn is_paused(&self) -> bool {
        self.progress.lock().await.state.is_some()
    }

    async fn keep(&self, state: Option<String>) {
        let mut progress = self.progress.lock().await;
        if let Some(waited) = std::mem::replace(&mut progress.state, state) {
            progress.last = Some(waited);
        }
        let Some(id) = &progress.id else { return };
        let _alone = self.tasks.lock(id).await;
        let kept = async {
            let Some(mut document) = self.tasks.get(id, &self.owner).await? else { return Ok(()) };
            let Standing::Working(given) = &mut document.standing else { return Ok(()) };
            match &progress.state {
                Some(state) => *given = Given::from(state.clone(), true),
                None => given.is_paused = false,
            }
            self.tasks.put(&document).await
        };
        if let Err(error) = kept.await {
            tracing::error!("where a task goes on is not kept: {error}");
        }
    }
}

impl Pauses for Pause {
    fn wait_max(&self) -> Option<Duration> {
        let most = Duration::from_secs(self.tasks.0.config.wait_s_max);
        self.is_task.load(Ordering::Relaxed).then_some(most)
    }

    fn paused(&self, state: Option<String>) -> BoxFuture<'_, ()> {
        Box::pin(self.keep(state))
    }

    fn resumed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.keep(None))
    }
}

#[cfg(test)]
mod tests {
    use base::call::{Surface, TraceHeaders};

    use std::path::PathBuf;

    use super::*;

    fn call(owner: &str) -> CallRequest {
        let caller = Caller { principal: owner.into(), ..Caller::anonymous() };
        let (name, arguments) = ("greet".to_owned(), "{}".to_owned());
        CallRequest::new(name, arguments, (caller, Surface::Mcp), TraceHeaders::default())
    }

    /// Tasks in a folder of their own with a test clock.
    fn tasks(
        name: &str,
        config: &TasksConfig,
    ) -> (Tasks, PathBuf, Arc<std::sync::Mutex<Duration>>) {
        let folder = std::env::temp_dir().join(format!("tasks-{name}-{}", std::process::id()));
        let now = Arc::new(std::sync::Mutex::new(Duration::from_secs(1_000)));
        let tasks =
            Tasks::open(folder.clone(), config, Clock::Fixed(now.clone()), Default::default())
                .unwrap();
        (tasks, folder, now)
    }

    /// TASK-9.
    #[tokio::test]
    async fn keeps_task_only_for_its_lifetime() {
        let config = TasksConfig { keep_s: 10, wait_s_max: 100, ..TasksConfig::default() };
        let (tasks, folder, now) = tasks("time", &config);
        let at = |seconds: u64| *now.lock().unwrap() = Duration::from_secs(1_000 + seconds);
        let owner: Arc<str> = "ann".into();
        let mut place = tasks.place(&owner).unwrap();
        let call = call("ann");
        let document = tasks.create(&call, Given::from_call(&call), &mut place).await.unwrap();
        assert!(tasks.get(&document.id, "eve").await.unwrap().is_none(), "another's");
        at(500);
        let mut document = tasks.get(&document.id, "ann").await.unwrap().expect("it runs");
        assert!(tasks.ttl_ms(&document) > 500_000, "and is there afterwards");
        tasks.set_standing(&mut document, Standing::Completed(serde_json::json!({}))).await;
        drop(place);
        assert_eq!(tasks.ttl_ms(&document), 510_000);
        at(510);
        assert!(tasks.get(&document.id, "ann").await.unwrap().is_some());
        at(511);
        assert!(tasks.get(&document.id, "ann").await.unwrap().is_none());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing is left of it");
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// TASK-9.
    #[tokio::test]
    async fn bounds_tasks_per_caller_and_in_total() {
        let config = TasksConfig { running_max: 3, running_share_max: 2, ..TasksConfig::default() };
        let (tasks, folder, _) = tasks("places", &config);
        let (ann, eve): (Arc<str>, Arc<str>) = ("ann".into(), "eve".into());
        let places = [tasks.place(&ann), tasks.place(&ann)];
        assert!(places.iter().all(Option::is_some) && tasks.place(&ann).is_none());
        let other = tasks.place(&eve).expect("another has their own share");
        assert!(tasks.place(&eve).is_none(), "there are no more");
        drop(places);
        assert!(tasks.place(&ann).is_some() && tasks.place(&eve).is_some());
        drop(other);
        assert_eq!(tasks.0.places.taken(), 0, "nothing is left of them");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
