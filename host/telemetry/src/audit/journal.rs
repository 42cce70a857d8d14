//! The files of the audit log: the current one and rotated ones.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{Job, Line, State, push, write_count};
use base::config::AuditConfig;
use store::private;

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
pub(super) struct Journal {
    kind: Kind,
    folder: PathBuf,
    config: AuditConfig,
    file: Option<File>,
    bytes: u64,
    /// Lines on their way into the file.
    pub(super) waiting: Vec<u8>,
    /// Whether the last batch could not be written: logged once, not for each.
    is_failing: bool,
}

impl Journal {
    /// A journal of that kind, created with its first line.
    pub(super) fn new(kind: Kind, folder: &Path, config: &AuditConfig) -> Self {
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
    pub(super) fn has_room(&mut self) -> bool {
        let probe = self.folder.join("probe");
        let written = private::write(&probe, &[0xA5; PROBE_BYTES]);
        let _ = fs::remove_file(&probe);
        self.report_write(&written);
        written.is_ok()
    }

    /// Writes the lines that wait; false where the disk does not take them.
    pub(super) fn write(&mut self) -> bool {
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
pub(super) fn tail(folder: &Path, files_kept: usize, lines: usize) -> Vec<Value> {
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
pub(super) struct Writer {
    ran: Journal,
    read: Journal,
    refused: Journal,
    state: Arc<State>,
    /// Time of the last report of refused lines.
    warned_at: Option<Instant>,
}

impl Writer {
    pub(super) fn new(folder: &Path, config: &AuditConfig, state: Arc<State>) -> Self {
        let journal = |kind| Journal::new(kind, folder, config);
        let mut ran = journal(Kind::Ran);
        let (read, refused) = (journal(Kind::Read), journal(Kind::Refused));
        // Known before the first call, which must not change anything otherwise.
        state.is_failing.store(!ran.has_room(), Ordering::Relaxed);
        Self { ran, read, refused, state, warned_at: None }
    }

    /// Writes lines until all senders are gone.
    pub(super) fn write_all(mut self, jobs: &Receiver<Job>) {
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
    pub(super) fn gather_for_tests(&mut self, jobs: &Receiver<Job>) {
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
