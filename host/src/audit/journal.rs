//! The files of the audit log: one that is written, and the full ones before it.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::AuditConfig;

/// Bytes of one file that are looked through for its last lines.
const TAIL_BYTES_MAX: u64 = 8 << 20;

/// The file that is written.
pub(super) struct Journal {
    folder: PathBuf,
    bytes_max: u64,
    files_kept: usize,
    file: Option<File>,
    bytes: u64,
    /// Whether the last batch could not be written: said once, not for each.
    is_failing: bool,
}

impl Journal {
    pub(super) fn open(folder: &Path, config: &AuditConfig) -> io::Result<Self> {
        crate::private::make_folder(folder)?;
        let mut journal = Self {
            folder: folder.to_owned(),
            bytes_max: config.bytes_max,
            files_kept: config.files_kept,
            file: None,
            bytes: 0,
            is_failing: false,
        };
        journal.begin()?;
        Ok(journal)
    }

    /// Writes whole lines; false where the disk does not take them.
    pub(super) fn append(&mut self, batch: &[u8]) -> bool {
        if batch.is_empty() {
            return true;
        }
        let written = self.try_append(batch);
        match (&written, self.is_failing) {
            (Err(error), false) => {
                tracing::error!("{}: the audit log: {error}", self.folder.display());
            }
            (Ok(()), true) => tracing::info!("the audit log can be written again"),
            _ => {}
        }
        self.is_failing = written.is_err();
        written.is_ok()
    }

    fn try_append(&mut self, batch: &[u8]) -> io::Result<()> {
        let batch_bytes = batch.len() as u64;
        if self.bytes > 0 && self.bytes + batch_bytes > self.bytes_max {
            self.turn()?;
        }
        if self.file.is_none() {
            self.begin()?;
        }
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        if let Err(error) = file.write_all(batch) {
            // Begun anew next time, which mends a line that was cut.
            self.file = None;
            return Err(error);
        }
        self.bytes += batch_bytes;
        Ok(())
    }

    /// Puts the full file away, and the oldest out.
    fn turn(&mut self) -> io::Result<()> {
        self.file = None;
        for number in (0..=self.files_kept).rev() {
            let file = file(&self.folder, number);
            if number == self.files_kept {
                gone(fs::remove_file(file))?;
            } else {
                gone(fs::rename(file, self::file(&self.folder, number + 1)))?;
            }
        }
        self.begin()
    }

    fn begin(&mut self) -> io::Result<()> {
        let path = file(&self.folder, 0);
        let mut options = fs::OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
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

/// The last `lines` lines of all files, the oldest first.
pub(super) fn tail(folder: &Path, files_kept: usize, lines: usize) -> Vec<Value> {
    let mut found = Vec::new();
    for number in 0..=files_kept {
        let Ok(text) = end_of(&file(folder, number)) else { break };
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

/// `audit.jsonl`, or the `number`th full one before it.
fn file(folder: &Path, number: usize) -> PathBuf {
    match number {
        0 => folder.join("audit.jsonl"),
        number => folder.join(format!("audit.{number}.jsonl")),
    }
}

/// What is not there need not be moved.
fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
