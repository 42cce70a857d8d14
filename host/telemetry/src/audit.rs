//! The audit log: one line per call with caller, tool, version, digest of the arguments and outcome. Calls that ran are
//! in `DATA/audit/audit.jsonl`, successful reads in `read.jsonl`, and refusals in `refused.jsonl`, limited per second
//! and counted beyond. Each has its own limit, so that a flood of one kind evicts no other.

use std::{
    borrow::Cow,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    num::NonZeroU32,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use base::config::AuditConfig;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde::{Serialize, Serializer};
use serde_json::Value;
use store::{digest::digest, private};

use crate::timeline::us;

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
        let began = Instant::now();
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
        tail(&inner.folder, inner.files_kept, lines.min(TAIL_MAX))
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

// The files of the audit log: the current one and rotated ones.

/// Bytes of one file that are looked through for its last lines.
const TAIL_BYTES_MAX: u64 = 8 << 20;
/// Bytes by which it is tried out whether lines can be written.
const PROBE_BYTES: usize = 16 << 10;

/// Kind of audit file, each with its own limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Calls that ran.
    Ran,
    /// Successful reads.
    Read,
    /// Calls that were turned away: nothing ran, or what ran did nothing but say no.
    Refused,
}

/// The file that is written.
struct Journal {
    kind: Kind,
    folder: PathBuf,
    config: AuditConfig,
    file: Option<File>,
    bytes: u64,
    /// Lines on their way into the file.
    waiting: Vec<u8>,
    /// Whether the last batch could not be written: logged once, not for each.
    is_failing: bool,
}

impl Journal {
    /// A journal of that kind, created with its first line.
    fn new(kind: Kind, folder: &Path, config: &AuditConfig) -> Self {
        Self {
            kind,
            folder: folder.to_owned(),
            config: config.clone(),
            file: None,
            bytes: 0,
            waiting: Vec::with_capacity(4 << 10),
            is_failing: false,
        }
    }

    /// Whether the disk takes lines: tried out, for those that come may not be lost.
    fn has_room(&mut self) -> bool {
        let probe = self.folder.join("probe");
        let written = private::write(&probe, &[0xA5; PROBE_BYTES]);
        let _ = fs::remove_file(&probe);
        self.report_write(&written);
        written.is_ok()
    }

    /// Writes the lines that wait; false where the disk does not take them.
    fn write(&mut self) -> bool {
        if self.waiting.is_empty() {
            return true;
        }
        let written = self.try_write();
        self.report_write(&written);
        if written.is_ok() {
            self.waiting.clear();
        }
        written.is_ok()
    }

    /// Logs where that has changed.
    fn report_write(&mut self, written: &io::Result<()>) {
        match (written, self.is_failing) {
            (Err(error), false) => {
                tracing::error!("{}: the audit log: {error}", self.folder.display());
            }
            (Ok(()), true) => tracing::info!("the audit log can be written again"),
            _ => {}
        }
        self.is_failing = written.is_err();
    }

    fn try_write(&mut self) -> io::Result<()> {
        let batch_bytes = self.waiting.len() as u64;
        if self.bytes > 0 && self.bytes + batch_bytes > self.config.bytes_max {
            self.turn()?;
        }
        if self.file.is_none() {
            self.begin()?;
        }
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        if let Err(error) = file.write_all(&self.waiting) {
            // Everything is retried. The file is reopened, which repairs a truncated line.
            let _ = file.set_len(self.bytes);
            self.file = None;
            return Err(error);
        }
        self.bytes += batch_bytes;
        Ok(())
    }

    /// Puts the full file away, and the oldest out.
    fn turn(&mut self) -> io::Result<()> {
        self.file = None;
        let (kept, path) = (self.config.files_kept, |it| file(self.kind, &self.folder, it));
        // Missing files need no move.
        private::if_exists(fs::remove_file(path(kept)))?;
        for number in (0..kept).rev() {
            private::if_exists(fs::rename(path(number), path(number + 1)))?;
        }
        self.bytes = 0;
        self.begin()
    }

    fn begin(&mut self) -> io::Result<()> {
        let path = file(self.kind, &self.folder, 0);
        let mut file = private::options().read(true).append(true).create(true).open(path)?;
        self.bytes = file.seek(SeekFrom::End(0))?;
        // A line that a power cut left unfinished must not spoil the next.
        if self.bytes > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
                self.bytes += 1;
            }
        }
        self.file = Some(file);
        Ok(())
    }
}

/// The last `lines` lines of all kinds, in the order of their times, the oldest first.
fn tail(folder: &Path, files_kept: usize, lines: usize) -> Vec<Value> {
    let of = |kind| tail_of(kind, folder, files_kept, lines).into_iter().peekable();
    let mut kinds = [Kind::Ran, Kind::Read, Kind::Refused].map(of);
    let order = |line: &Value| {
        let time = line["time"].as_str().unwrap_or_default().to_owned();
        (time, line["call"].as_u64().unwrap_or(u64::MAX))
    };
    let mut merged = Vec::new();
    loop {
        let heads = kinds.iter_mut().filter_map(|it| Some((order(it.peek()?), it)));
        let Some((_, next)) = heads.min_by(|one, other| one.0.cmp(&other.0)) else { break };
        merged.extend(next.next());
    }
    merged.split_off(merged.len().saturating_sub(lines))
}

fn tail_of(kind: Kind, folder: &Path, files_kept: usize, lines: usize) -> Vec<Value> {
    let mut found = Vec::new();
    for number in 0..=files_kept {
        let Ok(text) = end_of(&file(kind, folder, number)) else { break };
        let wanted = lines - found.len();
        let parsed = text.lines().rev().filter_map(|it| serde_json::from_str(it).ok());
        found.extend(parsed.take(wanted));
        if found.len() == lines {
            break;
        }
    }
    found.reverse();
    found
}

fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL_BYTES_MAX)))?;
    let mut text = Vec::new();
    file.take(TAIL_BYTES_MAX).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// `audit.jsonl`, `read.jsonl`, `refused.jsonl`, or the `number`th full one before it.
fn file(kind: Kind, folder: &Path, number: usize) -> PathBuf {
    let name = match kind {
        Kind::Ran => "audit",
        Kind::Read => "read",
        Kind::Refused => "refused",
    };
    match number {
        0 => folder.join(format!("{name}.jsonl")),
        number => folder.join(format!("{name}.{number}.jsonl")),
    }
}

// The writer thread: collects lines, writes them together, and keeps them while the disk fails.

/// Batching delay, because waking the writer costs more than writing a line.
const GATHER: Duration = Duration::from_millis(20);
/// Batch size in bytes that is written at once.
const BATCH_BYTES: usize = 256 << 10;
/// Bytes that wait for the disk to take lines again; beyond that they are counted and dropped.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// Retry interval, and interval of reporting refused lines.
const AGAIN: Duration = Duration::from_secs(1);

/// State of the writer thread.
struct Writer {
    ran: Journal,
    read: Journal,
    refused: Journal,
    state: Arc<State>,
    /// Time of the last report of refused lines.
    warned_at: Option<Instant>,
}

impl Writer {
    fn new(folder: &Path, config: &AuditConfig, state: Arc<State>) -> Self {
        let journal = |kind| Journal::new(kind, folder, config);
        let mut ran = journal(Kind::Ran);
        let (read, refused) = (journal(Kind::Read), journal(Kind::Refused));
        // Known before the first call, which must not change anything otherwise.
        state.is_failing.store(!ran.has_room(), Ordering::Relaxed);
        Self { ran, read, refused, state, warned_at: None }
    }

    /// Writes lines until all senders are gone.
    fn write_all(mut self, jobs: &Receiver<Job>) {
        loop {
            let first = match self.is_quiet() {
                true => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => jobs.recv_timeout(AGAIN),
            };
            if matches!(first, Ok(Job::Line(_))) {
                thread::sleep(GATHER);
            }
            let is_over = matches!(first, Err(RecvTimeoutError::Disconnected));
            let asked = self.gather(first.ok(), jobs);
            self.write(is_over || !asked.is_empty());
            for done in asked {
                // The waiting call may have given up.
                let _ = done.try_send(());
            }
            if is_over {
                return;
            }
        }
    }

    #[cfg(test)]
    fn gather_for_tests(&mut self, jobs: &Receiver<Job>) {
        self.gather(None, jobs);
        self.write(true);
    }

    /// Whether there is nothing to do before something comes.
    fn is_quiet(&self) -> bool {
        self.ran.waiting.is_empty()
            && self.read.waiting.is_empty()
            && self.refused.waiting.is_empty()
            && self.state.refused_untold.load(Ordering::Relaxed) == 0
            && !self.state.is_failing.load(Ordering::Relaxed)
    }

    /// Formats queued lines. Returns those who wait for a flush.
    fn gather(&mut self, mut next: Option<Job>, jobs: &Receiver<Job>) -> Vec<SyncSender<()>> {
        let (mut bytes, mut asked) = (0, Vec::new());
        while bytes < BATCH_BYTES
            && let Some(job) = next.take().or_else(|| jobs.try_recv().ok())
        {
            match job {
                Job::Line(it) => bytes += self.take(it),
                Job::Flush(done) => asked.push(done),
            }
        }
        asked
    }

    fn take(&mut self, line: Line) -> usize {
        let journal = match line.kind {
            Kind::Ran => &mut self.ran,
            Kind::Read => &mut self.read,
            Kind::Refused => &mut self.refused,
        };
        let before = journal.waiting.len();
        if before > WAITING_BYTES_MAX {
            self.state.lose();
            return 0;
        }
        push(&line, &mut journal.waiting);
        journal.waiting.len() - before
    }

    /// Writes what waits; with `is_all`, also what would be reported later.
    fn write(&mut self, is_all: bool) {
        let state = self.state.clone();
        let lost = state.lost_untold.swap(0, Ordering::Relaxed);
        if lost > 0 && self.ran.waiting.len() <= WAITING_BYTES_MAX {
            write_count("lines_dropped", lost, &mut self.ran.waiting);
        } else {
            state.lost_untold.fetch_add(lost, Ordering::Relaxed);
        }
        if is_all || self.warned_at.is_none_or(|it| it.elapsed() >= AGAIN) {
            let more = state.refused_untold.swap(0, Ordering::Relaxed);
            if more > 0 {
                self.warned_at = Some(Instant::now());
                write_count("more_refused", more, &mut self.refused.waiting);
            }
        }
        // Without lines, it is tried out whether there is room again.
        let was_failing = state.is_failing.load(Ordering::Relaxed);
        let is_written = match self.ran.waiting.is_empty() {
            true => !was_failing || self.ran.has_room(),
            false => self.ran.write(),
        };
        state.is_failing.store(!is_written, Ordering::Relaxed);
        self.read.write();
        self.refused.write();
    }
}

#[cfg(test)]
mod tests;
