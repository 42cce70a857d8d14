//! Which files are kept, oldest first, so that the oldest go where there is no more room.

use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::Path,
    time::SystemTime,
};

use crate::config::TurnLimits;

/// The files of a folder, by age.
#[derive(Default)]
pub(super) struct Shelf {
    by_age: BTreeMap<u64, String>,
    files: HashMap<String, (u64, u64)>,
    bytes: u64,
    next: u64,
}

impl Shelf {
    /// Those of `folder`; what was left half written there, and what is too much, is removed.
    pub(super) fn read(folder: &Path, limits: &TurnLimits) -> io::Result<Self> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let metadata = entry.metadata()?;
            let is_ours = name.split_once('.').is_some_and(|(id, kind)| {
                super::is_number(id) && matches!(kind, super::TURN | super::CALL)
            });
            if !is_ours {
                if name.contains(".tmp-") {
                    fs::remove_file(entry.path())?;
                }
                continue;
            }
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            // Where both are as old, a settled call outlives the turns in which it waits.
            found.push((modified, name.ends_with(super::CALL), name, metadata.len()));
        }
        found.sort();
        let mut shelf = Self::default();
        for (_, _, name, bytes) in found {
            for name in shelf.put(&name, bytes, limits) {
                fs::remove_file(folder.join(name))?;
            }
        }
        Ok(shelf)
    }

    /// One more, or one again, which is then the youngest; the names of those that have to go.
    pub(super) fn put(&mut self, name: &str, bytes: u64, limits: &TurnLimits) -> Vec<String> {
        if let Some((age, was)) = self.files.remove(name) {
            self.by_age.remove(&age);
            self.bytes -= was;
        }
        self.by_age.insert(self.next, name.to_owned());
        self.files.insert(name.to_owned(), (self.next, bytes));
        self.bytes += bytes;
        self.next += 1;
        let mut dropped = Vec::new();
        while self.files.len() > 1
            && (self.files.len() > limits.turns_max || self.bytes > limits.turns_bytes_max)
        {
            let Some((_, name)) = self.by_age.pop_first() else { break };
            if let Some((_, bytes)) = self.files.remove(&name) {
                self.bytes -= bytes;
            }
            dropped.push(name);
        }
        dropped
    }
}
