//! Checks on request whether the data folder is writable.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{sync::Mutex, task::JoinHandle};

use crate::private;

/// Validity of a result.
const HOLDS: Duration = Duration::from_secs(1);
/// Time limit of a check.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes that must find room: a few pages of a database and its log.
const ROOM: usize = 256 << 10;

/// Whether the data folder `data` is writable now. Logs nothing.
pub async fn takes_writes(data: &Path) -> bool {
    // Not the file of those who look meanwhile.
    let file = data.join("probe-settings");
    crate::blocking(move || private::check_room(&file, ROOM)).await.is_ok()
}

/// The disk of the data folder. A clone is another handle on the same one.
#[derive(Clone)]
pub struct Disk(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    probe: Mutex<Probe>,
}

/// The last result, and the check that is running: one at a time, for on a disk that does not answer each keeps a
/// thread.
#[derive(Default)]
struct Probe {
    last: Option<(Instant, Option<Arc<str>>)>,
    running: Option<(Instant, JoinHandle<io::Result<()>>)>,
}

impl Probe {
    /// Why the check failed, if so. It is begun, unless one is running.
    async fn failure(
        &mut self,
        begin: impl FnOnce() -> JoinHandle<io::Result<()>>,
    ) -> Option<Arc<str>> {
        let (began, running) = self.running.get_or_insert_with(|| (Instant::now(), begin()));
        let left = PATIENCE.saturating_sub(began.elapsed());
        let Ok(tried) = tokio::time::timeout(left, running).await else {
            return Some(format!("it does not answer within {PATIENCE:?}").into());
        };
        self.running = None;
        tried.map_err(io::Error::other).flatten().err().map(|it| it.to_string().into())
    }
}

impl Disk {
    pub fn new(data: &Path) -> Self {
        Self(Arc::new(Inner { folder: data.to_owned(), probe: Mutex::default() }))
    }

    /// Why nothing can be written, if so. A change is logged.
    pub async fn write_error(&self) -> Option<Arc<str>> {
        let mut probe = self.0.probe.lock().await;
        if let Some((at, found)) = &probe.last
            && at.elapsed() < HOLDS
        {
            return found.clone();
        }
        let file = self.0.folder.join("probe");
        let begin = || tokio::task::spawn_blocking(move || private::check_room(&file, ROOM));
        let found = probe.failure(begin).await;
        let before = probe.last.as_ref().and_then(|it| it.1.as_ref());
        let shown = self.0.folder.display();
        match (&found, before) {
            (Some(why), None) => tracing::error!(
                "{shown}: the data folder cannot be written: {why}; what only reads is answered, and the rest is `unavailable` until it can be"
            ),
            (None, Some(_)) => tracing::info!("{shown}: the data folder can be written again"),
            _ => {}
        }
        probe.last = Some((Instant::now(), found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn reports_unwritable_folder_until_it_recovers() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("data");
        let disk = Disk::new(&folder);
        assert!(disk.write_error().await.is_some(), "there is no such folder");
        private::make_folder(&folder).unwrap();
        tokio::time::sleep(HOLDS).await;
        assert_eq!(disk.write_error().await, None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left behind");
    }

    #[tokio::test]
    async fn disk_that_does_not_answer_keeps_one_thread() {
        let mut probe = Probe::default();
        let (answer, answered) = std::sync::mpsc::channel();
        let stuck = || {
            tokio::task::spawn_blocking(move || {
                answered.recv().unwrap();
                Ok(())
            })
        };
        assert!(probe.failure(stuck).await.unwrap().contains("does not answer"));
        let began = Instant::now();
        let none = || unreachable!("one is running");
        assert!(probe.failure(none).await.is_some() && began.elapsed() < PATIENCE / 2);
        answer.send(()).unwrap();
        while probe.failure(none).await.is_some() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(probe.running.is_none());
    }
}
