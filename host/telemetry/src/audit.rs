//! The audit log: one line per call with caller, tool, version, digest of the arguments and outcome. Calls that ran are
//! in `DATA/audit/audit.jsonl`, successful reads in `read.jsonl`, and refusals in `refused.jsonl`, limited per second
//! and counted beyond. Each has its own limit, so that a flood of one kind evicts no other.

use std::{
    borrow::Cow,
    io,
    num::NonZeroU32,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, SyncSender, TrySendError},
    },
    thread,
    time::{Duration, SystemTime},
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::timeline::us;
use base::config::AuditConfig;
use store::{digest::digest, private};

mod journal;

pub use journal::Kind;
use journal::Writer;

/// Lines that may wait for the writer; beyond that they are counted and dropped.
const QUEUE_MAX: usize = 4_096;
/// Maximum wait for queued lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum wait for room in the queue.
const QUEUE_WAIT: Duration = Duration::from_millis(20);
/// Lines that may be asked for at a time.
const TAIL_MAX: usize = 10_000;
/// Calls a second that were turned away and have a line each, over time and at once; the rest is counted.
const REFUSED_PER_S: NonZeroU32 = NonZeroU32::new(50).expect("it is not zero");
const REFUSED_BURST: NonZeroU32 = NonZeroU32::new(500).expect("it is not zero");

/// The audit log. A clone is another handle on the same one; the last one ends the writer.
#[derive(Clone, Default)]
pub struct Audit(Option<Arc<Inner>>);

struct Inner {
    queue: SyncSender<Job>,
    state: Arc<State>,
    refused: DefaultDirectRateLimiter,
    is_required: bool,
    folder: Box<Path>,
    files_kept: usize,
}

/// State shared by writer and callers.
#[derive(Default)]
struct State {
    /// Number of dropped lines.
    lost: AtomicU64,
    /// Dropped lines not reported yet.
    lost_untold: AtomicU64,
    /// Calls that were turned away too fast, which no line reports yet.
    refused_untold: AtomicU64,
    /// Whether the disk takes no lines.
    is_failing: AtomicBool,
}

#[allow(clippy::large_enum_variant, reason = "a box would be one more for each call")]
enum Job {
    Line(Line),
    /// Answered once everything before it is in the file.
    Flush(SyncSender<()>),
}

impl Audit {
    /// The log in `data`'s folder `audit`, begun where there is none.
    pub fn open(data: &Path, config: &AuditConfig) -> io::Result<Self> {
        if !config.enabled {
            return Ok(Self::default());
        }
        let folder: Box<Path> = data.join("audit").into();
        private::make_folder(&folder)?;
        let (queue, jobs) = mpsc::sync_channel(QUEUE_MAX);
        let state = Arc::<State>::default();
        let writer = Writer::new(&folder, config, state.clone());
        thread::Builder::new().name("audit".to_owned()).spawn(move || writer.write_all(&jobs))?;
        let refused =
            RateLimiter::direct(Quota::per_second(REFUSED_PER_S).allow_burst(REFUSED_BURST));
        let (is_required, files_kept) = (config.required, config.files_kept);
        Ok(Self(Some(Arc::new(Inner { queue, state, refused, is_required, folder, files_kept }))))
    }

    pub fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    /// Whether what changes something may not run now, because it could not be written down.
    pub fn refuses_changes(&self) -> bool {
        let inner = self.0.as_ref().filter(|it| it.is_required);
        inner.is_some_and(|it| it.state.is_failing.load(Ordering::Relaxed))
    }

    /// Never blocks: dropped lines are counted and reported.
    pub fn write(&self, line: Line) {
        let Some(inner) = &self.0 else { return };
        if line.kind == Kind::Refused && inner.refused.check().is_err() {
            inner.state.refused_untold.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            inner.queue.try_send(Job::Line(line))
        {
            inner.state.lose();
        }
    }

    /// Lines that were dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.0.as_ref().map_or(0, |it| it.state.lost.load(Ordering::Relaxed))
    }

    /// Brings everything that is queued into the file. Blocks, two seconds at most.
    pub fn flush(&self) {
        let Some(inner) = &self.0 else { return };
        let (done, written) = mpsc::sync_channel(1);
        let began = std::time::Instant::now();
        let mut job = Job::Flush(done);
        while began.elapsed() < FLUSH_TIMEOUT {
            match inner.queue.try_send(job) {
                Ok(()) => {
                    // On timeout the caller reads what is there.
                    let _ = written.recv_timeout(FLUSH_TIMEOUT);
                    return;
                }
                Err(TrySendError::Full(it)) => job = it,
                Err(TrySendError::Disconnected(_)) => return,
            }
            thread::sleep(QUEUE_WAIT);
        }
    }

    /// The last `lines` lines, the oldest first; at most 10,000. Blocks.
    pub fn tail(&self, lines: usize) -> Vec<Value> {
        self.flush();
        let Some(inner) = &self.0 else { return Vec::new() };
        journal::tail(&inner.folder, inner.files_kept, lines.min(TAIL_MAX))
    }
}

impl State {
    fn lose(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
        self.lost_untold.fetch_add(1, Ordering::Relaxed);
    }
}

/// The outcome as the log has it, at most 64 bytes.
pub fn shortened(outcome: Cow<'static, str>) -> Cow<'static, str> {
    match outcome {
        Cow::Owned(it) if it.len() > 64 => it[..it.floor_char_boundary(64)].to_owned().into(),
        other => other,
    }
}

/// Bytes of arguments that may wait in the queue; longer ones are digested before.
const ARGUMENTS_BYTES_MAX: usize = 2 << 10;

/// One call.
#[derive(Serialize)]
pub struct Line {
    #[serde(serialize_with = "rfc3339")]
    pub time: SystemTime,
    pub call: u64,
    pub principal: Arc<str>,
    pub surface: &'static str,
    /// MCP's era, where it is MCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<&'static str>,
    pub round: u32,
    pub method: &'static str,
    #[serde(flatten)]
    pub name: Name,
    #[serde(flatten)]
    pub by: By,
    /// Who made it for the principal. Boxed, because most lines have none.
    #[serde(flatten)]
    pub on_behalf: Option<Box<OnBehalf>>,
    #[serde(rename = "arguments_sha256")]
    pub arguments: Arguments,
    pub outcome: Cow<'static, str>,
    /// Why it trapped and where in its source, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap: Option<Box<str>>,
    #[serde(rename = "duration_us", serialize_with = "microseconds")]
    pub duration: Duration,
    /// Among which lines it stands.
    #[serde(skip)]
    pub kind: Kind,
}

/// Name of the called object.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Name {
    Tool(String),
    /// A prompt, or a URI.
    Name(String),
}

/// The assistant or component behind a call.
#[derive(Serialize)]
pub struct OnBehalf {
    /// `assistant:NAME` or `component:NAME`.
    pub asked_by: Arc<str>,
    /// The approval that it is held for, or made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Arc<str>>,
}

/// The component version or upstream server that answered, if any.
#[derive(Clone, Default, Serialize)]
pub struct By {
    pub component: Option<Arc<str>>,
    #[serde(serialize_with = "beginning")]
    pub digest: Option<Arc<str>>,
    /// The number of the version, where versions are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Arc<str>>,
    /// Whether it is a build that answers some of the calls while it waits to be accepted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub canary: bool,
}

/// Arguments, or their digest.
pub enum Arguments {
    Text(String),
    Digest(String),
}

impl Arguments {
    /// Short ones are digested by the writer, off the call's path; long ones here, so that the
    /// queue stays small.
    pub fn digest_long(text: String) -> Self {
        if text.len() > ARGUMENTS_BYTES_MAX {
            Self::Digest(digest(text.as_bytes()))
        } else {
            Self::Text(text)
        }
    }
}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(it) => to.serialize_str(&digest(it.as_bytes())),
            Self::Digest(it) => to.serialize_str(it),
        }
    }
}

/// Appends a line with the number of missing ones and the reason.
fn write_count(what: &'static str, count: u64, to: &mut Vec<u8>) {
    push(&serde_json::json!({ "time": written(SystemTime::now()), what: count }), to);
}

/// Appends a line, its end included.
fn push(line: &impl Serialize, to: &mut Vec<u8>) {
    // Strings and numbers into memory: neither can fail.
    let _ = serde_json::to_writer(&mut *to, line);
    to.push(b'\n');
}

/// The time in UTC, with milliseconds.
fn written(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| String::new(), |it| format!("{it:.3}"))
}

fn rfc3339<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&written(*time))
}

fn microseconds<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(us(*duration))
}

/// Twelve digits are enough to distinguish digests.
fn beginning<S: Serializer>(digest: &Option<Arc<str>>, to: S) -> Result<S::Ok, S::Error> {
    digest.as_deref().map(|it| it.get(..12).unwrap_or(it)).serialize(to)
}

#[cfg(test)]
mod tests;
