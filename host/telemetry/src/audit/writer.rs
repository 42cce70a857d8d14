//! The writer's thread: gathers lines, writes them together, and keeps those that the disk does not take
//! for when it does.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    Job, State,
    journal::{Journal, Kind},
    line::{self, Line},
};
use base::config::AuditConfig;

/// How long the writer gathers what comes: waking it costs a call more than its line does.
const GATHER: Duration = Duration::from_millis(20);
/// Bytes after which the writer writes what it has.
const BATCH_BYTES: usize = 256 << 10;
/// Bytes that wait for the disk to take lines again; beyond that they are counted and dropped.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// How often to try again, and how often to report how many more were turned away.
const AGAIN: Duration = Duration::from_secs(1);

/// What the writer's thread owns.
pub(super) struct Writer {
    ran: Journal,
    read: Journal,
    refused: Journal,
    state: Arc<State>,
    /// When it last reported how many more were turned away.
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

    /// Writes what comes until all senders are gone.
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

    /// One turn with what has come.
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

    /// Makes lines of what has come; returns those who want to know when it is written.
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
            self.state.lose(1);
            return 0;
        }
        line::push(&line, &mut journal.waiting);
        journal.waiting.len() - before
    }

    /// Writes what waits; with `is_all`, also what would be reported later.
    fn write(&mut self, is_all: bool) {
        let state = self.state.clone();
        let lost = state.lost_untold.swap(0, Ordering::Relaxed);
        if lost > 0 && self.ran.waiting.len() <= WAITING_BYTES_MAX {
            line::write_count("lines_dropped", lost, &mut self.ran.waiting);
        } else {
            state.lost_untold.fetch_add(lost, Ordering::Relaxed);
        }
        if is_all || self.warned_at.is_none_or(|it| it.elapsed() >= AGAIN) {
            let more = state.refused_untold.swap(0, Ordering::Relaxed);
            if more > 0 {
                self.warned_at = Some(Instant::now());
                line::write_count("more_refused", more, &mut self.refused.waiting);
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
