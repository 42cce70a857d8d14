//! One line a call in `DATA/audit/audit.jsonl`: who called which tool of which version, with what
//! (its digest, never itself), and how it ended.

use std::{
    borrow::Cow,
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::{Duration, SystemTime},
};

use serde::Deserialize;
use serde_json::Value;

mod journal;
mod line;

use journal::Journal;
pub(crate) use line::{Arguments, By, Line, Version};

/// Lines that may wait for the writer; beyond that they are counted and dropped.
const QUEUE_MAX: usize = 4_096;
/// How long the writer gathers what comes: waking it costs a call more than its line does.
const GATHER: Duration = Duration::from_millis(20);
/// Bytes after which the writer writes what it has.
const BATCH_BYTES: usize = 256 << 10;
/// How long somebody may wait for what is queued to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Lines that may be asked for at a time.
const TAIL_MAX: usize = 10_000;

/// `[audit]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// Whether calls are written down.
    pub enabled: bool,
    /// Bytes after which a new file is begun.
    pub bytes_max: u64,
    /// Full files that are kept beside the one that is written.
    pub files_kept: usize,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { enabled: true, bytes_max: 16 << 20, files_kept: 4 }
    }
}

/// The audit log. A clone is another handle on the same one; the last one ends the writer.
#[derive(Clone, Default)]
pub struct Audit(Option<Arc<Desk>>);

struct Desk {
    queue: SyncSender<Job>,
    lost: Arc<Lost>,
    folder: Box<Path>,
    files_kept: usize,
}

/// Lines that the queue had no room for.
#[derive(Default)]
struct Lost {
    /// All of them.
    total: AtomicU64,
    /// Those that no line tells of yet.
    untold: AtomicU64,
}

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
        let journal = Journal::open(&folder, config)?;
        let (queue, jobs) = mpsc::sync_channel(QUEUE_MAX);
        let lost = Arc::<Lost>::default();
        let untold = lost.clone();
        thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || write_all(&jobs, journal, &untold))?;
        Ok(Self(Some(Arc::new(Desk { queue, lost, folder, files_kept: config.files_kept }))))
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    /// Never waits: a line that finds no room is counted, and the log says how many were.
    pub(crate) fn write(&self, line: Line) {
        let Some(desk) = &self.0 else { return };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            desk.queue.try_send(Job::Line(line))
        {
            desk.lost.total.fetch_add(1, Ordering::Relaxed);
            desk.lost.untold.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines that were dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.0.as_ref().map_or(0, |it| it.lost.total.load(Ordering::Relaxed))
    }

    /// Brings everything that is queued into the file. Blocks, two seconds at most.
    pub fn flush(&self) {
        let Some(desk) = &self.0 else { return };
        let (done, written) = mpsc::sync_channel(1);
        let began = std::time::Instant::now();
        let mut job = Job::Flush(done);
        while began.elapsed() < FLUSH_TIMEOUT {
            match desk.queue.try_send(job) {
                Ok(()) => {
                    // Late is as good as never: whoever asked reads what is there.
                    let _ = written.recv_timeout(FLUSH_TIMEOUT);
                    return;
                }
                Err(TrySendError::Full(it)) => job = it,
                Err(TrySendError::Disconnected(_)) => return,
            }
            thread::sleep(GATHER);
        }
    }

    /// The last `lines` lines, the oldest first; at most 10,000. Blocks.
    pub fn tail(&self, lines: usize) -> Vec<Value> {
        self.flush();
        let Some(desk) = &self.0 else { return Vec::new() };
        journal::tail(&desk.folder, desk.files_kept, lines.min(TAIL_MAX))
    }
}

/// Writes what comes until nobody can send any more.
fn write_all(jobs: &Receiver<Job>, mut journal: Journal, lost: &Lost) {
    let mut batch = Vec::with_capacity(BATCH_BYTES + (4 << 10));
    while let Ok(first) = jobs.recv() {
        if matches!(first, Job::Line(_)) {
            thread::sleep(GATHER);
        }
        let (mut next, mut count, mut waiting) = (Some(first), 0, Vec::new());
        while batch.len() < BATCH_BYTES
            && let Some(job) = next.take().or_else(|| jobs.try_recv().ok())
        {
            match job {
                Job::Line(it) => {
                    it.write(&mut batch);
                    count += 1;
                }
                Job::Flush(done) => waiting.push(done),
            }
        }
        let untold = lost.untold.swap(0, Ordering::Relaxed);
        if untold > 0 {
            line::write_lost(untold, SystemTime::now(), &mut batch);
        }
        if !journal.append(&batch) {
            lost.total.fetch_add(count, Ordering::Relaxed);
            lost.untold.fetch_add(count + untold, Ordering::Relaxed);
        }
        batch.clear();
        for done in waiting {
            // Whoever waited may have given up.
            let _ = done.try_send(());
        }
    }
}

/// The outcome as the log has it, no longer than a word should be.
pub(crate) fn word(outcome: Cow<'static, str>) -> Cow<'static, str> {
    match outcome {
        Cow::Owned(it) if it.len() > 64 => it[..it.floor_char_boundary(64)].to_owned().into(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
