//! Calls that wait for a person's approval. Each is one document, which survives restarts and swaps and stores the
//! outcome, so that the call is made at most once.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use base::{
    call::{CallRequest, Failure, Surface, TraceHeaders, Via, shortened},
    caller::Caller,
    clean,
    config::ApprovalsConfig,
    language::Language,
    toolsets::Owner,
};
use futures::future::BoxFuture;
use registry::Catalog;
use sandbox::definition::Shown;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::{
    blocking,
    clock::Clock,
    database::{Fence, Movable},
    digest::digest,
    documents::{self, DocumentLimits, Documents, Place, number},
    events::Events,
    leases::{Hold, Leases},
};

use crate::outcome::CallResult;

/// The event of a caller whose waiting approvals have changed.
pub const CHANGED: &str = "madoguchi://approvals";
/// Lease namespace.
const SPACE: &str = ".approvals";
/// Approvals of one caller that wait for one asker's calls at a time.
const WAITING_MAX: usize = 64;
/// Bytes that their arguments have together: all of them are read whenever they are listed.
const WAITING_BYTES_MAX: usize = 16 << 20;

/// Maximum number of times a person is asked again about one call.
const REPLACED_MAX: usize = 16;

/// Messages to the asker for calls that were not made.
const DENIED: &str = "The person did not allow this call. It was not made; do not make it again unless they ask for it.";
const EXPIRED: &str =
    "Nobody allowed this call in time. It was not made; ask again if it is still wanted.";
const REPLACED: &str = "The tool has changed since the person was asked; they are asked anew.";

/// Name of the storage place.
pub const PLACE: &str = "approvals";
/// Suffixes of ids of finished and waiting approvals.
const OVER: &str = "over";
const WAITS: &str = "wait";

/// A call that waits, or what became of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    pub id: String,
    /// The principal on whose behalf it is made.
    pub owner: Arc<str>,
    /// The asker: `assistant:NAME` or `component:NAME`.
    pub asked_by: Arc<str>,
    pub tool: String,
    pub arguments: Map<String, Value>,
    /// SHA-256 of the arguments as JSON with sorted keys and no whitespace.
    pub arguments_sha256: String,
    /// Entries of the request's `_meta`.
    pub meta: Map<String, Value>,
    /// Why, as the asker gives it.
    pub reason: String,
    /// The tool as the person was shown it: their decision holds for that one only.
    pub shown: Shown,
    /// Changed parts of the tool's definition, where the person is asked again.
    pub changed: Vec<String>,
    /// Whether the person has to allow it before it is made at all.
    pub asks_first: bool,
    /// Its place among all that have been asked for: a person sees them in that order.
    pub position: u64,
    pub held_at_s: u64,
    /// Deadline of the call. Questions of its tool have none.
    pub expires_at_s: Option<u64>,
    pub state: State,
    /// Duration of the finished call in milliseconds.
    #[serde(default)]
    pub ms: Option<u64>,
}

/// The state of an approval.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub enum State {
    /// The person is to say whether the call is made.
    #[default]
    Waits,
    /// The call asks the person questions. `state` goes back with their answers.
    Asks { questions: Vec<Value>, state: String },
    /// The call started, and its end was not recorded.
    Begun,
    /// Running. Never stored.
    Running,
    /// The person denied it.
    Denied,
    /// Not answered in time.
    Expired,
    /// The tool changed before approval. The person is asked again by the approval of that id.
    Replaced { by: String },
    /// Its call ended, with this result.
    Ended(Result<CallResult, Failure>),
}

impl State {
    /// Whether the person can still decide or answer.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Waits | Self::Asks { .. })
    }

    /// The digest of the questions that it asks, if any.
    pub fn questions_digest(&self) -> Option<String> {
        match self {
            Self::Asks { state, .. } => Some(digest(state.as_bytes())),
            _ => None,
        }
    }

    /// Whether the questions with the digest `seen` are answered by now. What was denied or replaced meanwhile has
    /// refusals of its own.
    pub(super) fn has_answered(&self, seen: &str) -> bool {
        match self {
            Self::Asks { .. } => self.questions_digest().is_none_or(|it| it != seen),
            now => matches!(now, Self::Begun | Self::Running | Self::Ended(_)),
        }
    }

    /// Its name in the API.
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

    /// The result of the call, or why it was not made. `None` while undecided or running.
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

/// All approvals. Clones share them. They fail as [`Documents`] do.
#[derive(Clone)]
pub struct Approvals(Arc<Inner>);

struct Inner {
    documents: Documents,
    valid_s: u64,
    clock: Clock,
    events: Events,
    /// Locks of single approvals, across all nodes.
    leases: Leases,
    /// The place of the latest one.
    last_position: AtomicU64,
}

/// Describes the approvals for a move between storage places (STO-46).
pub fn movable(config: &ApprovalsConfig) -> Movable {
    let of = (PLACE, "approval_bytes_max under [approvals]");
    documents::movable(of, &limits_of(config), &[OVER, WAITS])
}

fn limits_of(config: &ApprovalsConfig) -> DocumentLimits {
    DocumentLimits {
        documents_max: config.approvals_max,
        bytes_max: config.approvals_bytes_max,
        document_bytes_max: config.approval_bytes_max,
    }
}

/// One stored approval.
type Found<'a> = BoxFuture<'a, io::Result<Option<Approval>>>;

impl Approvals {
    /// Opens approvals in `place`.
    pub fn open(
        place: impl Into<Place>,
        config: &ApprovalsConfig,
        clock: Clock,
        events: Events,
    ) -> io::Result<Self> {
        let (place, limits) = (place.into(), limits_of(config));
        let leases = Leases::new(place.server());
        Ok(Self(Arc::new(Inner {
            documents: Documents::open(place, limits, &[OVER, WAITS])?,
            valid_s: config.valid_s,
            clock,
            events,
            leases,
            last_position: AtomicU64::new(0),
        })))
    }

    /// The place of the next one that is asked for: those that are asked for at once keep their order. It is the time
    /// in microseconds, so that it is a later one on any node and after a restart.
    pub fn next_place(&self) -> u64 {
        let now = u64::try_from(self.0.clock.now().as_micros()).unwrap_or(u64::MAX);
        let next = |last: u64| Some(now.max(last.saturating_add(1)));
        let last = self.0.last_position.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        last.ok().and_then(next).unwrap_or(now)
    }

    /// Keeps a call until its person has spoken: gives it its id, and its times.
    pub fn hold(&self, mut approval: Approval) -> BoxFuture<'_, Result<Approval, Failure>> {
        Box::pin(async move {
            let now_s = self.now_s();
            // The one in whose place it comes, which waits until this one does.
            let replaced =
                std::mem::replace(&mut approval.id, number().map_err(|it| unwritten(&it))?);
            approval.held_at_s = now_s;
            let is_waiting = matches!(approval.state, State::Waits);
            approval.expires_at_s = is_waiting.then(|| now_s.saturating_add(self.0.valid_s));
            // Serialized, so that concurrent ones stay within the limit.
            let asker = digest(format!("{} {}", approval.asked_by, approval.owner).as_bytes());
            let _turn = self.claim(&asker).await.map_err(|error| unwritten(&error))?;
            let waiting = self.waiting(&approval.owner).await.map_err(|error| unwritten(&error))?;
            // They may be large.
            let counting = move || {
                approval.arguments_sha256 = digest_of(&approval.arguments);
                let own = |it: &&Approval| it.asked_by == approval.asked_by && it.id != replaced;
                let own = waiting.iter().filter(own);
                let bytes: usize = own.clone().chain([&approval]).map(bytes_of).sum();
                let others = own.count();
                Ok((approval, others, bytes))
            };
            let counted = blocking(counting).await;
            let (approval, others, bytes) =
                counted.map_err(|error: io::Error| unwritten(&error))?;
            if others >= WAITING_MAX || others > 0 && bytes > WAITING_BYTES_MAX {
                let message = format!(
                    "{WAITING_MAX} calls of {}, or {} MiB of them, wait for the person already; they have to answer some first.",
                    approval.asked_by,
                    WAITING_BYTES_MAX >> 20
                );
                return Err(Failure::new("too_many_approvals", 429, message));
            }
            self.put(&approval).await.map_err(|error| unwritten(&error))?;
            Ok(approval)
        })
    }

    /// Keeps what a call came to that no person was asked about, as one that is over; its id.
    pub async fn keep(&self, mut approval: Approval) -> io::Result<String> {
        let (id, owner) = (number()?, approval.owner.clone());
        approval.id.clone_from(&id);
        approval.arguments_sha256 = digest_of(&approval.arguments);
        approval.held_at_s = self.now_s();
        self.0.documents.put((&id, &owner), OVER, approval).await?;
        Ok(id)
    }

    /// The approval of that id, if it is there and `owner`'s.
    pub fn get<'a>(&'a self, id: &'a str, owner: &'a str) -> Found<'a> {
        Box::pin(async move {
            let Some(mut approval) = self.read(id, owner).await? else { return Ok(None) };
            if matches!(approval.state, State::Begun) {
                // If it is unknown whether the lease is held, the call counts as running.
                if self.0.leases.is_held(SPACE, id).await.unwrap_or(true) {
                    approval.state = State::Running;
                } else {
                    // The call may have ended since.
                    return self.read(id, owner).await;
                }
            }
            Ok(Some(approval))
        })
    }

    /// Reads an approval whose lock is held.
    pub fn read<'a>(&'a self, id: &'a str, owner: &'a str) -> Found<'a> {
        Box::pin(async move {
            let found = self.0.documents.get::<Approval>(id, owner).await?;
            Ok(found.filter(|it| *it.owner == *owner).map(|it| self.at_its_time(it)))
        })
    }

    fn at_its_time(&self, mut approval: Approval) -> Approval {
        if approval.state.is_open() && approval.expires_at_s.is_some_and(|it| it <= self.now_s()) {
            approval.state = State::Expired;
        }
        approval
    }

    /// Reads an approval, or the one that replaced it.
    pub fn current<'a>(&'a self, id: &'a str, owner: &'a str) -> Found<'a> {
        Box::pin(async move {
            let mut found = self.get(id, owner).await?;
            for _ in 0..REPLACED_MAX {
                let Some(State::Replaced { by }) = found.as_ref().map(|it| &it.state) else {
                    break;
                };
                found = self.get(by, owner).await?;
            }
            Ok(found)
        })
    }

    /// Waiting approvals of `owner`, oldest first.
    pub fn list<'a>(&'a self, owner: &'a str) -> BoxFuture<'a, io::Result<Vec<Approval>>> {
        Box::pin(self.waiting(owner))
    }

    async fn waiting(&self, owner: &str) -> io::Result<Vec<Approval>> {
        let found = self.0.documents.of_owner::<Approval>(owner, WAITS).await?;
        let own = found.into_iter().filter(|it| *it.owner == *owner);
        let mut all: Vec<_> = own.map(|it| self.at_its_time(it)).collect();
        all.retain(|it| it.state.is_open());
        all.sort_by(|one, other| (one.position, &one.id).cmp(&(other.position, &other.id)));
        Ok(all)
    }

    /// The one right to change the approval of that id; waits until it is free.
    pub fn claim<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<Hold>> {
        Box::pin(async move { self.0.leases.claim(SPACE, id).await })
    }

    /// Stores `approval` and notifies listeners.
    pub async fn put(&self, approval: &Approval) -> io::Result<()> {
        self.put_holding(approval, None).await
    }

    /// Stores `approval` and notifies listeners, only while the lease of `fence` holds.
    pub fn put_holding<'a>(
        &'a self,
        approval: &'a Approval,
        fence: Option<&'a Fence>,
    ) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let (id, owner) = (approval.id.as_str(), &*approval.owner);
            let kind = if approval.state.is_open() { WAITS } else { OVER };
            self.0.documents.put_holding((id, owner), kind, approval.clone(), fence).await?;
            self.0.events.notify(owner, CHANGED);
            if let Some(component) = approval.asked_by.strip_prefix("component:") {
                self.0.events.channel(component).publish(&event_of(id));
            }
            Ok(())
        })
    }

    fn now_s(&self) -> u64 {
        self.0.clock.now().as_secs()
    }
}

/// The event that the component that asked receives when something becomes of the approval `id`.
pub fn event_of(id: &str) -> String {
    format!("approvals/{id}")
}

/// SHA-256 of `arguments`, whose keys are sorted.
pub fn digest_of(arguments: &Map<String, Value>) -> String {
    let mut sorted = Value::Object(arguments.clone());
    sorted.sort_all_objects();
    digest(sorted.to_string().as_bytes())
}

fn bytes_of(approval: &Approval) -> usize {
    serde_json::to_string(&(&approval.arguments, &approval.meta)).map_or(0, |it| it.len())
}

/// Whether an approval is there is not known.
pub fn unread(error: &io::Error) -> Failure {
    tracing::error!("an approval cannot be read: {error}");
    let message = "What a person has allowed cannot be read now, because the database or the disk does not answer. Try again soon.";
    Failure::new("unavailable", 503, message)
}

fn unwritten(error: &io::Error) -> Failure {
    tracing::error!("a call that a person is to allow is not kept: {error}");
    let message = "The call was not made, because the server could not write down that a person is to allow it. Try later.";
    Failure::new("not_held", 503, message)
}

// The description of a call that a person approves.

/// Arguments that a person is shown, and bytes of one.
const ARGUMENTS_MAX: usize = 20;
const ARGUMENT_BYTES_MAX: usize = 300;
const DESCRIPTION_BYTES_MAX: usize = 400;
/// Mask of a secret, name parts of secrets (as on the page), and maximum depth.
const MASK: &str = "••••";
const SECRETS: [&str; 8] =
    ["passkey", "password", "passwd", "token", "secret", "apikey", "authorization", "credential"];
const DEPTH_MAX: usize = 16;

/// A tool as described to people.
pub struct Described {
    pub title: Option<String>,
    pub description: String,
    pub schema: Map<String, Value>,
    /// The component's or the other server's name.
    pub owner: String,
    pub is_destructive: bool,
}

impl Described {
    /// The tool's current description.
    pub fn find(catalog: &Catalog, tool: &str, language: Language) -> Option<Self> {
        let (owner, own) = catalog.offered_tool(tool)?;
        let texts = own.localized(language.tag());
        let (Owner::Component(owner) | Owner::Server(owner)) = owner;
        Some(Self {
            title: texts.title,
            description: texts.description,
            schema: (*texts.input_schema).clone(),
            owner: owner.to_owned(),
            is_destructive: own.hints.destructive,
        })
    }

    /// The label of an argument.
    fn label<'a>(&'a self, name: &'a str) -> &'a str {
        let property = self.schema.get("properties").and_then(|it| it.get(name));
        let text = |field: &str| property?.get(field)?.as_str().filter(|it| !it.trim().is_empty());
        let text = text("title").or_else(|| text("description").map(without_optional_marker));
        let end = |it: &str| it.find(['（', '(']).filter(|at| *at > 0).unwrap_or(it.len());
        let text = text.map(|it| it[..end(it)].trim_end_matches(['。', '.', ' ', ':', '：']));
        text.filter(|it| !it.is_empty()).unwrap_or(name)
    }
}

impl Approval {
    /// The arguments with secrets masked, by schema or name.
    pub fn masked_arguments(&self, described: Option<&Described>) -> Map<String, Value> {
        let schema = described.and_then(|it| it.schema.get("properties"));
        let veil = |(name, value): (&String, &Value)| {
            let of = schema.and_then(|it| it.get(name));
            (name.clone(), mask(name, value, of, DEPTH_MAX))
        };
        self.arguments.iter().map(veil).collect()
    }

    /// Describes the call: the tool, its purpose, its arguments and the reason.
    pub fn described(&self, catalog: &Catalog, language: Language) -> String {
        let described = Described::find(catalog, &self.tool, language);
        let tool = &self.tool;
        let title = quotable(described.as_ref().and_then(|it| it.title.as_deref()).unwrap_or(tool));
        let owner = described.as_ref().map_or("", |it| it.owner.as_str());
        let first = match &self.state {
            State::Asks { .. } => language.pick(
                format!("「{title}」（{owner}の{tool}）があなたに尋ねています。"),
                format!("“{title}” ({tool} of {owner}) asks you something."),
            ),
            _ => language.pick(
                format!("「{title}」（{owner}の{tool}）を実行してよいですか？"),
                format!("May “{title}” ({tool} of {owner}) be run?"),
            ),
        };
        let mut lines = vec![first];
        if let Some(tool) = &described {
            let what = first_sentence(&tool.description).to_owned();
            lines.push(shortened(clean::text(&what), DESCRIPTION_BYTES_MAX));
        }
        for (name, value) in self.masked_arguments(described.as_ref()).iter().take(ARGUMENTS_MAX) {
            let label = described.as_ref().map_or(name.as_str(), |it| it.label(name));
            lines.push(format!(
                "{}: {}",
                shortened(one_line(label), 120),
                value_text(value, language)
            ));
        }
        if let more @ 1.. = self.arguments.len().saturating_sub(ARGUMENTS_MAX) {
            lines.push(language.pick(format!("ほか{more}項目"), format!("and {more} more")));
        }
        if described.is_some_and(|it| it.is_destructive) {
            let warning = "元に戻せない変更をすることがあります。";
            lines.push(language.pick(warning, "It may change what cannot be undone.").to_owned());
        }
        if !self.reason.is_empty() {
            let reason = one_line(&self.reason);
            lines.push(language.pick(format!("理由: {reason}"), format!("Why: {reason}")));
        }
        lines.retain(|it| !it.trim().is_empty());
        lines.join("\n")
    }
}

/// Masks secrets in `value` of the argument `name`.
fn mask(name: &str, value: &Value, schema: Option<&Value>, depth: usize) -> Value {
    let has = |field: &str, what: Value| schema.and_then(|it| it.get(field)) == Some(&what);
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain = letters.collect::<String>().to_ascii_lowercase();
    // Counts of tokens are no secret.
    let is_named = SECRETS.iter().any(|it| plain.contains(it)) && !plain.ends_with("tokens");
    if is_named || has("format", "password".into()) || has("writeOnly", true.into()) || depth == 0 {
        return MASK.into();
    }
    let of = |name: &str| schema.and_then(|it| it.get("properties")?.get(name));
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, it)| (name.clone(), mask(name, it, of(name), depth - 1)))
            .collect(),
        Value::Array(all) => {
            let items = schema.and_then(|it| it.get("items"));
            all.iter().map(|it| mask("", it, items, depth - 1)).collect()
        }
        other => other.clone(),
    }
}

/// `value` as a person reads it.
fn value_text(value: &Value, language: Language) -> String {
    let text = match value {
        Value::String(text) => one_line(text),
        Value::Bool(true) => language.pick("はい", "yes").to_owned(),
        Value::Bool(false) => language.pick("いいえ", "no").to_owned(),
        Value::Array(all) if all.iter().all(|it| !it.is_array() && !it.is_object()) => {
            let each = all.iter().map(|it| value_text(it, language)).collect::<Vec<_>>();
            each.join(language.pick("、", ", "))
        }
        other => one_line(&other.to_string()),
    };
    shortened(text, ARGUMENT_BYTES_MAX)
}

/// `text` with its ends of lines marked: what a caller wrote stands in no line that looks like another's.
fn one_line(text: &str) -> String {
    clean::text(text).trim().replace('\n', " ⏎ ")
}

/// Makes `title` safe inside quotation marks, after which the host names the owner.
fn quotable(title: &str) -> String {
    let inner = |it| match it {
        '「' => '『',
        '」' => '』',
        '“' => '‘',
        '”' => '’',
        it => it,
    };
    title.chars().map(inner).collect()
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let end = line.find('。').map(|it| it + '。'.len_utf8());
    let end = end.or_else(|| line.find(". ").map(|it| it + 1));
    end.map_or(line, |it| &line[..it])
}

/// The first sentence of an argument's description, without a leading note that the argument is optional.
fn without_optional_marker(text: &str) -> &str {
    const OPTIONAL: [&str; 2] = ["任意。", "Optional. "];
    let text = text.trim();
    let rest = OPTIONAL.iter().find_map(|it| text.strip_prefix(it)).map(str::trim_start);
    first_sentence(rest.filter(|it| !it.is_empty()).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use std::{sync::Mutex, time::Duration};

    use super::*;

    #[test]
    fn questions_are_of_the_past_once_they_are_answered() {
        let asks = |state: &str| State::Asks { questions: Vec::new(), state: state.to_owned() };
        let failed = State::Ended(Err(broken_off()));
        let seen = asks("a").questions_digest().unwrap();
        for answered in [asks("b"), State::Begun, State::Running, failed] {
            assert!(answered.has_answered(&seen), "{answered:?}");
        }
        let replaced = State::Replaced { by: "a".to_owned() };
        for other in [asks("a"), State::Denied, State::Expired, replaced] {
            assert!(!other.has_answered(&seen), "{other:?}");
        }
        assert_eq!(State::Waits.questions_digest(), None);
    }

    #[tokio::test]
    async fn bounds_waiting_bytes_per_asker() {
        let folder = std::env::temp_dir().join(format!("approvals-{}", std::process::id()));
        let clock = Clock::Fixed(Arc::new(Mutex::new(Duration::from_secs(1_000))));
        let config = ApprovalsConfig::default();
        let approvals = Approvals::open(folder.clone(), &config, clock, Events::default()).unwrap();
        let hold = async |asker: &str, bytes: usize| {
            let text = Value::String("x".repeat(bytes));
            approvals
                .hold(Approval {
                    owner: "ann".into(),
                    asked_by: asker.into(),
                    arguments: Map::from_iter([("text".to_owned(), text)]),
                    ..Approval::default()
                })
                .await
                .map(|it| it.id)
                .map_err(|it| it.error)
        };
        let large = 7 << 20;
        for _ in 0..2 {
            hold("component:one", large).await.unwrap();
        }
        let third = hold("component:one", large).await.unwrap_err();
        assert_eq!(third, "too_many_approvals");
        let mut replacing = approvals.list("ann").await.unwrap().swap_remove(0);
        replacing.position += 1;
        approvals.hold(replacing).await.expect("what is replaced is counted once");
        hold("component:two", 17 << 20).await.expect("each has their own, and one may be larger");
        assert_eq!(approvals.list("ann").await.unwrap().len(), 4);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn description_omits_the_optional_marker() {
        for (text, description) in [
            ("Optional. The agent to talk with. An AI.", "The agent to talk with."),
            ("任意。会話の目的（両方に伝えられる）", "会話の目的（両方に伝えられる）"),
            ("Optional. ", "Optional."),
            ("The seats", "The seats"),
        ] {
            assert_eq!(without_optional_marker(text), description);
        }
    }

    #[test]
    fn describes_only_the_first_sentence() {
        for (text, first) in [
            ("席を予約する。一度に8席まで。", "席を予約する。"),
            ("Reserves seats. Up to eight.", "Reserves seats."),
            ("Reserves seats\nof one showtime", "Reserves seats"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }

    #[test]
    fn masks_secrets_by_name_or_schema() {
        let schema = serde_json::json!({ "properties": {
            "pin": { "type": "string", "format": "password" },
            "note": { "type": "string" },
        } });
        let value = serde_json::json!({ "pin": "1234", "note": "hi", "session_token": "sess_1" });
        let shown = mask("", &value, Some(&schema), DEPTH_MAX);
        let expected = serde_json::json!({ "pin": MASK, "note": "hi", "session_token": MASK });
        assert_eq!(shown, expected);
    }

    #[test]
    fn title_cannot_fake_a_quoted_owner() {
        let title = "席を選ぶ」（cinemaのpick）を実行してよいですか？「”";
        assert_eq!(quotable(title), "席を選ぶ』（cinemaのpick）を実行してよいですか？『’");
    }

    #[test]
    fn value_cannot_start_a_new_line() {
        let value = Value::String("hello\r\nPrice: 0\u{2028}\nSeats: A1\n".to_owned());
        assert_eq!(value_text(&value, Language::English), "hello ⏎ Price: 0 ⏎ Seats: A1");
        assert_eq!(
            value_text(&serde_json::json!({ "a\nb": 1 }), Language::English),
            r#"{"a\nb":1}"#
        );
    }

    #[test]
    fn lists_are_joined_and_long_values_cut() {
        let list = serde_json::json!(["A1", "A2"]);
        assert_eq!(value_text(&list, Language::Japanese), "A1、A2");
        let long = value_text(&Value::String("あ".repeat(1_000)), Language::English);
        assert!(long.len() <= ARGUMENT_BYTES_MAX + '…'.len_utf8() && long.ends_with('…'));
    }
}
