//! Calls that wait for a person's decision: what an assistant or a component wants done on a caller's behalf,
//! as the person is shown it. Each is one document, which outlives restarts and swaps; what it came to is
//! kept there too, so that it is made once at most.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::OwnedMutexGuard;

use crate::outcome::CallResult;
use base::{
    call::{CallRequest, Surface, TraceHeaders, Via},
    caller::Caller,
    config::ApprovalsConfig,
    failure::Failure,
};
use sandbox::definition::Shown;
use store::{
    clock::Clock,
    digest::digest,
    documents::{DocumentLimits, Documents, number},
    events::Events,
    locks::Locks,
};

mod words;

pub use words::Described;

/// The event for those who want to know that an approval of theirs waits, or no longer does.
pub const CHANGED: &str = "madoguchi://approvals";
/// Approvals of one caller that wait for one asker's calls at a time.
const WAITING_MAX: usize = 64;

/// Times that a person is asked anew about one call.
const REPLACED_MAX: usize = 16;

/// What the asker receives for a call that was not made.
const DENIED: &str = "The person did not allow this call. It was not made; do not make it again unless they ask for it.";
const EXPIRED: &str =
    "Nobody allowed this call in time. It was not made; ask again if it is still wanted.";
const REPLACED: &str = "The tool has changed since the person was asked; they are asked anew.";

/// What is behind the number of one that is over, and of one that waits.
const OVER: &str = "over";
const WAITS: &str = "wait";

/// A call that waits, or what became of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    pub id: String,
    /// On whose behalf: the principal.
    pub owner: Arc<str>,
    /// Who wants it: `assistant:NAME` or `component:NAME`.
    pub asked_by: Arc<str>,
    pub tool: String,
    pub arguments: Map<String, Value>,
    /// Of the arguments as JSON with sorted names and without whitespace.
    pub arguments_sha256: String,
    /// Entries of the request's `_meta`.
    pub meta: Map<String, Value>,
    /// Why, as the asker gives it.
    pub reason: String,
    /// The tool as the person was shown it: their decision holds for that one only.
    pub shown: Shown,
    /// What of the tool has changed since the person was asked before, where that is why they are asked
    /// anew.
    pub changed: Vec<String>,
    /// Whether the person has to allow it before it is made at all.
    pub asks_first: bool,
    /// Its place among all that have been asked for: a person sees them in that order.
    pub position: u64,
    pub held_at_s: u64,
    /// When the call is no longer made; a question of its tool waits as long as the person likes.
    pub expires_at_s: Option<u64>,
    pub state: State,
    /// How long its call took, in milliseconds, where it ended.
    #[serde(default)]
    pub ms: Option<u64>,
}

/// What has become of an approval.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub enum State {
    /// The person is to say whether the call is made.
    #[default]
    Waits,
    /// It was made and asks the person something: its questions, and the state that goes back with their
    /// answers.
    Asks { questions: Vec<Value>, state: String },
    /// It began, and its end was not written down.
    Begun,
    /// It runs now. Is never written down.
    Running,
    /// The person denied it.
    Denied,
    /// It was not answered in time.
    Expired,
    /// Its tool had changed when the person allowed it: they are asked anew, by the approval of that id.
    Replaced { by: String },
    /// Its call ended, with this result.
    Ended(Result<CallResult, Failure>),
}

impl State {
    /// Whether the person can still decide or answer.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Waits | Self::Asks { .. })
    }

    /// As the API has it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Waits => "waiting",
            Self::Asks { .. } => "asking",
            Self::Begun => "begun",
            Self::Running => "running",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Replaced { .. } => "replaced",
            Self::Ended(Ok(_)) => "done",
            Self::Ended(Err(_)) => "failed",
        }
    }
}

impl Approval {
    /// The call itself, made by that caller.
    pub fn request(&self, caller: (Caller, Surface), trace: TraceHeaders) -> CallRequest {
        let arguments = Value::Object(self.arguments.clone()).to_string();
        let approval = Some(&*self.id).filter(|it| !it.is_empty()).map(Into::into);
        let via = Via { asked_by: Some(self.asked_by.clone()), approval, chain: Vec::new() };
        let meta = Value::Object(self.meta.clone()).to_string();
        CallRequest { meta, via, ..CallRequest::new(self.tool.clone(), arguments, caller, trace) }
    }

    /// What its call came to, or why it was not made; none while the person can still decide, or it
    /// runs.
    pub fn ended(&self) -> Option<Result<&CallResult, Failure>> {
        let (code, status, message) = match &self.state {
            State::Waits | State::Asks { .. } | State::Running => return None,
            State::Begun => return Some(Err(broken_off())),
            State::Ended(it) => return Some(it.as_ref().map_err(Clone::clone)),
            State::Denied => ("not_allowed", 403, DENIED),
            State::Expired => ("approval_expired", 410, EXPIRED),
            State::Replaced { .. } => ("tool_changed", 409, REPLACED),
        };
        Some(Err(Failure::new(code, status, message)))
    }
}

/// A call that began, of which the end is not known.
pub fn broken_off() -> Failure {
    let message = "The call was begun, and broke off before its end was known: it may have happened or not. Look first; do not simply make it again.";
    Failure::new("broken_off", 409, message)
}

/// All approvals. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Approvals(Arc<Inner>);

struct Inner {
    documents: Documents,
    valid_s: u64,
    clock: Clock,
    events: Events,
    /// Those that wait, by their ids.
    waiting: Mutex<BTreeMap<String, Waiting>>,
    /// Those that are being answered.
    locks: Locks,
    /// The place of the next one.
    next_position: AtomicU64,
}

#[derive(Clone)]
struct Waiting {
    owner: Arc<str>,
    asked_by: Arc<str>,
    position: u64,
    expires_at_s: Option<u64>,
}

impl Approvals {
    /// Those in `folder`, which is made where there is none.
    pub fn open(
        folder: PathBuf,
        config: &ApprovalsConfig,
        clock: Clock,
        events: Events,
    ) -> io::Result<Self> {
        let limits = DocumentLimits {
            documents_max: config.approvals_max,
            bytes_max: config.approvals_bytes_max,
            document_bytes_max: config.approval_bytes_max,
        };
        let documents = Documents::open(folder, limits, &[OVER, WAITS])?;
        let open = documents.all::<Approval>(WAITS).into_iter();
        let waiting: BTreeMap<_, _> = open.map(|it| (it.id.clone(), Waiting::of(&it))).collect();
        let last = waiting.values().map(|it| it.position).max();
        Ok(Self(Arc::new(Inner {
            documents,
            valid_s: config.valid_s,
            clock,
            events,
            waiting: Mutex::new(waiting),
            locks: Locks::default(),
            next_position: AtomicU64::new(last.map_or(0, |it| it.saturating_add(1))),
        })))
    }

    /// The place of the next one that is asked for: those that are asked for at once keep their order.
    pub fn next_place(&self) -> u64 {
        self.0.next_position.fetch_add(1, Ordering::Relaxed)
    }

    /// Keeps a call until its person has spoken: gives it its id, and its times.
    pub async fn hold(&self, mut approval: Approval) -> Result<Approval, Failure> {
        let now_s = self.now_s();
        approval.id = number().map_err(|error| unwritten(&error))?;
        approval.arguments_sha256 = digest_of(&approval.arguments);
        approval.held_at_s = now_s;
        let is_waiting = matches!(approval.state, State::Waits);
        approval.expires_at_s = is_waiting.then(|| now_s.saturating_add(self.0.valid_s));
        {
            let mut waiting = self.0.waiting.lock();
            waiting.retain(|_, it| it.expires_at_s.is_none_or(|it| it > now_s));
            let is_same =
                |it: &&Waiting| it.owner == approval.owner && it.asked_by == approval.asked_by;
            if waiting.values().filter(is_same).count() >= WAITING_MAX {
                let message = format!(
                    "{WAITING_MAX} calls of {} wait for the person already; they have to answer some first.",
                    approval.asked_by
                );
                return Err(Failure::new("too_many_approvals", 429, message));
            }
            // At once, so that of many that come together no more than that are kept.
            waiting.insert(approval.id.clone(), Waiting::of(&approval));
        }
        if let Err(error) = self.put(&approval).await {
            self.0.waiting.lock().remove(&approval.id);
            return Err(unwritten(&error));
        }
        Ok(approval)
    }

    /// The approval of that id, if it is there and `owner`'s.
    pub async fn get(&self, id: &str, owner: &str) -> Option<Approval> {
        let mut approval = self.read(id, owner).await?;
        if matches!(approval.state, State::Begun) {
            if self.0.locks.is_locked(id) {
                approval.state = State::Running;
            } else {
                // It may have ended since it was read.
                approval = self.read(id, owner).await?;
            }
        }
        Some(approval)
    }

    /// The same for the one who has its lock.
    pub async fn read(&self, id: &str, owner: &str) -> Option<Approval> {
        let found = self.0.documents.get::<Approval>(id, owner).await;
        let mut approval = found.filter(|it| *it.owner == *owner)?;
        if approval.state.is_open() && approval.expires_at_s.is_some_and(|it| it <= self.now_s()) {
            approval.state = State::Expired;
        }
        Some(approval)
    }

    /// The same, or the one by which the person was asked anew.
    pub async fn current(&self, id: &str, owner: &str) -> Option<Approval> {
        let mut approval = self.get(id, owner).await?;
        for _ in 0..REPLACED_MAX {
            let State::Replaced { by } = &approval.state else { return Some(approval) };
            approval = self.get(by, owner).await?;
        }
        Some(approval)
    }

    /// All of `owner`'s that wait, the oldest first.
    pub async fn list(&self, owner: &str) -> Vec<Approval> {
        let mut ids: Vec<_> = {
            let waiting = self.0.waiting.lock();
            let own = waiting.iter().filter(|it| *it.1.owner == *owner);
            own.map(|(id, it)| (it.position, id.clone())).collect()
        };
        ids.sort();
        let mut all = Vec::with_capacity(ids.len());
        for (_, id) in ids {
            match self.get(&id, owner).await {
                Some(it) if it.state.is_open() => all.push(it),
                // Expired, or gone where there was no more room.
                _ => drop(self.0.waiting.lock().remove(&id)),
            }
        }
        all
    }

    /// The one right to change the approval of that id; waits until it is free.
    pub async fn lock(&self, id: &str) -> OwnedMutexGuard<()> {
        self.0.locks.lock(id).await
    }

    /// Writes down where `approval` stands, and notifies those who listen.
    pub async fn put(&self, approval: &Approval) -> io::Result<()> {
        let (id, owner) = (approval.id.as_str(), &*approval.owner);
        let is_open = approval.state.is_open();
        let kind = if is_open { WAITS } else { OVER };
        self.0.documents.put((id, owner), kind, approval.clone()).await?;
        {
            let mut waiting = self.0.waiting.lock();
            match is_open {
                true => waiting.insert(id.to_owned(), Waiting::of(approval)),
                false => waiting.remove(id),
            };
        }
        self.0.events.tell(owner, CHANGED);
        if let Some(component) = approval.asked_by.strip_prefix("component:") {
            self.0.events.channel(component).publish(&event_of(id));
        }
        Ok(())
    }

    fn now_s(&self) -> u64 {
        self.0.clock.now().as_secs()
    }
}

impl Waiting {
    fn of(it: &Approval) -> Self {
        Self {
            owner: it.owner.clone(),
            asked_by: it.asked_by.clone(),
            position: it.position,
            expires_at_s: it.expires_at_s,
        }
    }
}

/// The event that the component that asked receives when something becomes of the approval `id`.
pub fn event_of(id: &str) -> String {
    format!("approvals/{id}")
}

/// The SHA-256 of `arguments`, whose names are sorted.
pub fn digest_of(arguments: &Map<String, Value>) -> String {
    let mut sorted = Value::Object(arguments.clone());
    sorted.sort_all_objects();
    digest(sorted.to_string().as_bytes())
}

fn unwritten(error: &io::Error) -> Failure {
    tracing::error!("a call that a person is to allow is not kept: {error}");
    let message = "The call was not made, because the server could not write down that a person is to allow it. Try later.";
    Failure::new("not_held", 503, message)
}
