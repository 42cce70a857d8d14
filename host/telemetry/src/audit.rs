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
    time::Duration,
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde_json::Value;

use base::config::AuditConfig;
use store::private;

mod journal;
mod line;

pub use journal::Kind;
use journal::Writer;
pub use line::{Arguments, By, Line, Name, OnBehalf};

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

#[cfg(test)]
mod tests;
