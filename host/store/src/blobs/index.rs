//! The index of blobs in a folder, with total bytes including uploads. Content is stored under its digest, its metadata
//! beside it, readable by this user only. The modification time is the time of last use. Unused blobs are removed
//! after a grace period, in which components declare what they still use.

use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use parking_lot::Mutex;
use serde::{Deserialize, Deserializer, Serialize};

use super::{BlobError, Blobs, Limits, UPLOADS_MAX, mime};
use crate::{clock::Clock, digest::digest};

/// Index of stored blobs.
#[derive(Default)]
pub(super) struct Index {
    pub(super) blobs: BTreeMap<String, Kept>,
    /// Total use.
    all: Share,
    /// Use by identified caller.
    shares: HashMap<Arc<str>, Share>,
}

/// Use of an owner.
#[derive(Default)]
struct Share {
    /// Bytes that are kept or promised to uploads.
    bytes: u64,
    uploads: usize,
}

/// One blob. Its metadata is stored beside its content.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) size: u64,
    pub(super) mime_type: String,
    #[serde(deserialize_with = "known")]
    pub(super) sniffed: Option<mime::Sniffed>,
    /// Share: digest of the first uploader's name, as on PostgreSQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) share: Option<Arc<str>>,
    /// The last use, since 1970, and when a use was last written down.
    #[serde(skip)]
    pub(super) used: Duration,
    #[serde(skip)]
    pub(super) touched: Duration,
}

impl Kept {
    /// A blob of a share with its time of use.
    pub(super) fn new(
        size: u64,
        mime_type: String,
        sniffed: Option<mime::Sniffed>,
        (share, used): (Option<Arc<str>>, Duration),
    ) -> Self {
        Self { size, mime_type, sniffed, share, used, touched: used }
    }
}

/// Share of `owner`.
pub(super) fn share_of(owner: &str) -> Arc<str> {
    digest(owner.as_bytes()).into()
}

/// Reads a detected type, if still supported.
fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Option<mime::Sniffed>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.as_deref().and_then(mime::known))
}

impl Index {
    pub(super) fn new(blobs: BTreeMap<String, Kept>) -> Self {
        let mut index = Self::default();
        for kept in blobs.values() {
            index.change(kept.share.as_ref(), |it| it.bytes += Blobs::cost(kept.size));
        }
        Self { blobs, ..index }
    }

    /// Adds an upload if there is room.
    pub(super) fn begin_upload(
        &mut self,
        owner: Option<&Arc<str>>,
        limits: &Limits,
    ) -> Result<(), BlobError> {
        let own = owner.and_then(|it| self.shares.get(it)).map_or(0, |it| it.uploads);
        if owner.is_some() && own >= limits.caller_uploads_max {
            return Err(BlobError::ShareBusy(limits.caller_uploads_max));
        }
        if self.all.uploads >= UPLOADS_MAX {
            return Err(BlobError::Busy);
        }
        self.change(owner, |it| it.uploads += 1);
        Ok(())
    }

    pub(super) fn end_upload(&mut self, owner: Option<&Arc<str>>, promised: u64) {
        self.change(owner, |share| {
            share.uploads = share.uploads.saturating_sub(1);
            share.bytes = share.bytes.saturating_sub(promised);
        });
    }

    /// Promises `bytes` more, where all together, and those of `owner`, stay below their limits.
    pub(super) fn promise(
        &mut self,
        owner: Option<&Arc<str>>,
        bytes: u64,
        limits: &Limits,
    ) -> Result<(), BlobError> {
        let own = owner.and_then(|it| self.shares.get(it)).map_or(0, |it| it.bytes);
        if owner.is_some() && own.saturating_add(bytes) > limits.caller_bytes_max {
            return Err(BlobError::ShareFull(limits.caller_bytes_max));
        }
        if self.all.bytes.saturating_add(bytes) > limits.bytes_max {
            return Err(BlobError::Full(limits.bytes_max));
        }
        self.change(owner, |it| it.bytes += bytes);
        Ok(())
    }

    /// Takes out those that are `over`.
    pub(super) fn take_all(&mut self, over: impl Fn(&Kept) -> bool) -> Vec<String> {
        let ids: Vec<_> =
            self.blobs.iter().filter(|(_, it)| over(it)).map(|it| it.0.clone()).collect();
        for id in &ids {
            if let Some(kept) = self.blobs.remove(id) {
                let cost = Blobs::cost(kept.size);
                self.change(kept.share.as_ref(), |it| it.bytes = it.bytes.saturating_sub(cost));
            }
        }
        ids
    }

    /// Changes what `owner` has, and all together.
    fn change(&mut self, owner: Option<&Arc<str>>, change: impl Fn(&mut Share)) {
        change(&mut self.all);
        let Some(owner) = owner else { return };
        let share = self.shares.entry(owner.clone()).or_default();
        change(share);
        if share.bytes == 0 && share.uploads == 0 {
            self.shares.remove(owner);
        }
    }
}

/// Whether `id` is a SHA-256 in hexadecimal.
pub(super) fn is_id(id: &str) -> bool {
    id.len() == 64 && id.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
}

/// Path of a blob by SHA-256.
pub(super) fn path(folder: &Path, id: &str) -> PathBuf {
    folder.join(&id[..2]).join(&id[2..4]).join(id)
}

/// Folder of incomplete uploads.
pub(super) fn arriving(folder: &Path) -> PathBuf {
    folder.join("arriving")
}

/// Moves a complete upload into place.
pub(super) fn keep(arrived: &Path, path: &Path, kept: &Kept) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        crate::private::make_folder(folder)?;
    }
    crate::private::write(&path.with_extension("json"), &serde_json::to_vec(kept)?)?;
    fs::rename(arrived, path)
}

/// Removes the blob at `path`. What cannot be removed is looked at again at the next start.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_file(path.with_extension("json"));
}

/// The blobs in `folder`, which is made where it is not. What was half-sent, or is not as long as
/// it should be, is removed.
pub(super) fn scan(folder: &Path) -> io::Result<BTreeMap<String, Kept>> {
    let arriving = arriving(folder);
    crate::private::make_folder(&arriving)?;
    // Emptied instead of recreated, because a full disk has no room for a folder.
    for half in fs::read_dir(&arriving)?.flatten() {
        let _ = fs::remove_file(half.path());
    }
    let mut blobs = BTreeMap::new();
    for outer in folders(folder)?.into_iter().filter(|it| *it != arriving) {
        for inner in folders(&outer)? {
            for entry in fs::read_dir(inner)? {
                let path = entry?.path();
                let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
                if !is_id(name) {
                    tidy(&path);
                    continue;
                }
                match read(&path) {
                    Some(kept) => _ = blobs.insert(name.to_owned(), kept),
                    None => remove(&path),
                }
            }
        }
    }
    Ok(blobs)
}

/// The blobs in `folder`, with where they lie; nothing is changed there.
pub(super) fn walk(
    folder: &Path,
) -> impl Iterator<Item = io::Result<(String, PathBuf, Kept)>> + use<> {
    let (arriving, mut open) = (arriving(folder), vec![folder.to_owned()]);
    let mut next = move || -> io::Result<Option<(String, PathBuf, Kept)>> {
        while let Some(path) = open.pop() {
            let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
            if path.is_dir() {
                if path != arriving {
                    let entries = fs::read_dir(&path)?.map(|it| it.map(|it| it.path()));
                    open.extend(entries.collect::<io::Result<Vec<_>>>()?);
                }
            } else if is_id(name)
                && let Some(kept) = read(&path)
            {
                return Ok(Some((name.to_owned(), path, kept)));
            }
        }
        Ok(None)
    };
    std::iter::from_fn(move || next().transpose())
}

/// Removes leftovers of a power loss.
fn tidy(path: &Path) {
    let of = |ending| path.extension().is_some_and(|it| it == ending);
    let is_half = path.extension().is_some_and(|it| it.as_encoded_bytes().starts_with(b"tmp-"));
    if is_half || of("json") && !path.with_extension("").exists() {
        let _ = fs::remove_file(path);
    }
}

fn read(path: &Path) -> Option<Kept> {
    let kept: Kept = serde_json::from_slice(&fs::read(path.with_extension("json")).ok()?).ok()?;
    let metadata = fs::metadata(path).ok()?;
    let used = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    (metadata.len() == kept.size).then_some(Kept { used, touched: used, ..kept })
}

fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    Ok(entries.into_iter().map(|it| it.path()).filter(|it| it.is_dir()).collect())
}

/// Maximum grace period after a start (at most a quarter of `ttl_s`), in which nothing expires, so that components
/// that run once an hour can declare what they use. It restarts after sleep or a clock jump.
const GRACE_MAX: Duration = Duration::from_secs(2 * 3_600);
/// Clock jump that restarts the grace period.
const STEP_MAX: Duration = Duration::from_secs(600);

/// The time that components have.
pub(super) struct Grace {
    clock: Clock,
    ttl: Duration,
    begun: Mutex<Begun>,
}

/// Start of the period in awake time, and the clock's lead at the last check.
struct Begun {
    awake: Duration,
    ahead: Duration,
}

impl Grace {
    /// Starts a grace period.
    pub(super) fn new(clock: Clock, limits: &Limits) -> Self {
        let awake = clock.awake();
        let begun = Begun { awake, ahead: clock.now().saturating_sub(awake) };
        Self { clock, ttl: Duration::from_secs(limits.ttl_s), begun: begun.into() }
    }

    /// Uses before this time have expired.
    pub(super) fn over_before(&self) -> Duration {
        self.over_before_at(self.clock.now(), self.clock.awake())
    }

    fn over_before_at(&self, now: Duration, awake: Duration) -> Duration {
        let ahead = now.saturating_sub(awake);
        let mut begun = self.begun.lock();
        if ahead > begun.ahead + STEP_MAX {
            begun.awake = awake;
        }
        begun.ahead = ahead;
        match awake > begun.awake + GRACE_MAX.min(self.ttl / 4) {
            true => now.saturating_sub(self.ttl),
            false => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600;

    #[test]
    fn clock_jump_keeps_the_grace_period() {
        let at = |hours: u64| Duration::from_secs(hours * HOUR);
        let begun = Begun { awake: at(0), ahead: at(500) }.into();
        let ttl = Duration::from_secs(24 * HOUR);
        let grace = Grace { clock: Clock::System, ttl, begun };
        assert_eq!(grace.over_before_at(at(501), at(1)), Duration::ZERO, "it has just begun");
        assert_eq!(grace.over_before_at(at(503), at(3)), at(503 - 24));
        // Two days go in one step: as if it had just begun.
        for (hours, over_before) in [(3, 0), (4, 0), (5, 0), (6, 554 - 24)] {
            let found = grace.over_before_at(at(548 + hours), at(hours));
            assert_eq!(found, at(over_before), "{hours}");
        }
        // Set back, and forward again.
        assert_eq!(grace.over_before_at(at(507), at(7)), at(507 - 24));
        assert_eq!(grace.over_before_at(at(556), at(8)), Duration::ZERO);
        let slow = Duration::from_secs(9 * 60);
        assert_eq!(grace.over_before_at(at(560) + slow, at(12)), at(560 - 24) + slow, "a drift");
    }
}
