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

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(turns_max: usize, turns_bytes_max: u64) -> TurnLimits {
        TurnLimits { turns_max, turns_bytes_max, turn_bytes_max: 100 }
    }

    #[test]
    fn the_oldest_go_where_there_are_too_many_or_too_many_bytes() {
        let (mut shelf, limits) = (Shelf::default(), limits(3, 100));
        for name in ["a", "b", "c"] {
            assert_eq!(shelf.put(name, 10, &limits), [""; 0]);
        }
        assert_eq!(shelf.put("d", 10, &limits), ["a"]);
        assert_eq!(shelf.put("e", 95, &limits), ["b", "c", "d"]);
        assert_eq!(shelf.put("f", 500, &limits), ["e"], "the last one stays");
        assert_eq!((shelf.bytes, shelf.files.len(), shelf.by_age.len()), (500, 1, 1));
    }

    #[test]
    fn one_that_is_written_again_is_the_youngest() {
        let (mut shelf, limits) = (Shelf::default(), limits(2, 100));
        shelf.put("turn", 10, &limits);
        shelf.put("call", 10, &limits);
        shelf.put("turn", 20, &limits);
        assert_eq!(shelf.bytes, 30);
        assert_eq!(shelf.put("next", 10, &limits), ["call"]);
    }

    #[test]
    fn after_a_restart_what_is_foreign_stays_and_what_was_left_half_written_goes() {
        let folder = std::env::temp_dir().join(format!("turns-{}", std::process::id()));
        crate::private::make_folder(&folder).unwrap();
        let id = "0".repeat(32);
        let names = [format!("{id}.turn"), format!("{id}.tmp-7"), "notes.txt".to_owned()];
        for name in &names {
            fs::write(folder.join(name), "{}").unwrap();
        }
        let shelf = Shelf::read(&folder, &limits(10, 100)).unwrap();
        let there = names.each_ref().map(|it| folder.join(it).exists());
        fs::remove_dir_all(folder).unwrap();
        assert_eq!((shelf.files.len(), there), (1, [true, false, true]));
    }
}
