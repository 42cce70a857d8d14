//! The files of the audit log: one that is written, and the full ones before it.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde_json::Value;

use base::config::AuditConfig;
use store::private;

/// Bytes of one file that are looked through for its last lines.
const TAIL_BYTES_MAX: u64 = 8 << 20;
/// Bytes by which it is tried out whether lines can be written.
const PROBE_BYTES: usize = 16 << 10;

/// What kind of lines a file has, each with files and a bound of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Calls that ran.
    Ran,
    /// Those of them that only read, and ended well.
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
    /// The journal of that kind, whose file is begun with its first line.
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
        self.tell(&written);
        written.is_ok()
    }

    /// Writes the lines that wait; false where the disk does not take them.
    pub(super) fn write(&mut self) -> bool {
        if self.waiting.is_empty() {
            return true;
        }
        let written = self.try_write();
        self.tell(&written);
        if written.is_ok() {
            self.waiting.clear();
        }
        written.is_ok()
    }

    /// Logs where that has changed.
    fn tell(&mut self, written: &io::Result<()>) {
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
            // All of it comes again. Begun anew next time, which repairs a line that is cut all the same.
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
        // What is not there need not be moved.
        private::there(fs::remove_file(path(kept)))?;
        for number in (0..kept).rev() {
            private::there(fs::rename(path(number), path(number + 1)))?;
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
