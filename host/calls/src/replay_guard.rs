//! The replay guard: a call that asked questions ends once.
//!
//! Clients hold the state between rounds and could send it twice. Each call therefore has a number in its state. Only
//! one round of a call runs at a time, and none after it has ended. A round that broke off or asked again may be
//! repeated. Ended calls are recorded, because states outlive a restart; a power loss may lose the last entries.
//! Above the limit, entries of the callers with most are forgotten. Where nodes share a database, the record is in it
//! and applies to all (STO-12).

use futures::future::BoxFuture;
use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use sandbox::component::StateError;
use store::{
    answers::{Answers, Found, SHARE_BITS, share_of},
    clock::Clock,
    database::{Kind, Movable, MovedRows, Value, no_row},
    digest::digest,
    leases::Hold,
    private,
};

/// The file in a data folder.
pub const FILE: &str = "answers.guard";

/// Interval of removing expired entries of all nodes.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Calls that are remembered, about 12 MB of them.
const REMEMBERED_MAX: usize = 1 << 18;

/// The calls that have ended and the ones that run. A clone is another handle on the same ones.
#[derive(Clone, Default)]
pub struct ReplayGuard {
    /// Local record, where nodes share ended calls.
    record: Arc<Mutex<Record>>,
    shared: Option<Answers>,
}

#[derive(Debug, Default)]
struct Record {
    /// Running and ended calls.
    calls: HashSet<u64>,
    /// Ended calls.
    ended: Ended,
    /// States that expire until then are treated like those that have ended: of each share, and of all for 0.
    forgotten_until_s: Forgotten,
    journal: Option<Journal>,
}

/// Calls by their callers' shares, each with the second after which no state of it is valid, the eldest first.
type Ended = BTreeMap<u64, VecDeque<(u64, u64)>>;
type Forgotten = BTreeMap<u64, u64>;

/// The number of a call of `principal`, which contains its share and bits of `random`.
pub fn number_for(principal: &str, random: u64) -> u64 {
    let hash = u64::from_str_radix(&digest(principal.as_bytes())[..12], 16).unwrap_or_default();
    // No caller has share 0.
    let share = hash % ((1 << SHARE_BITS) - 1) + 1;
    marker(share) | (random >> SHARE_BITS).max(1)
}

/// In place of a call's number: that of the second until which everything of that share counts as expired.
const fn marker(share: u64) -> u64 {
    share << (u64::BITS - SHARE_BITS)
}

/// The calls that have ended, 16 bytes each: the second, then the number, little-endian.
#[derive(Debug)]
struct Journal {
    path: PathBuf,
    /// `None` after a failed write, upon which it is rewritten.
    file: Option<File>,
    written: usize,
}

/// Bytes of one call in the journal.
const ENTRY: usize = 16;

/// Exclusive right to one running round.
pub struct Claim {
    replay_guard: ReplayGuard,
    /// `None` once the call has ended.
    call: Option<u64>,
    /// Lock against other nodes.
    row: Option<Hold>,
}

impl ReplayGuard {
    /// Opens the journal `file`.
    pub fn open(file: &Path) -> io::Result<Self> {
        let bytes = private::if_exists(fs::read(file))?.unwrap_or_default();
        let mut record = Record::default();
        for (expires_at_s, call) in entries(&bytes) {
            let share = share_of(call);
            match call == marker(share) {
                true => keep_later(&mut record.forgotten_until_s, share, expires_at_s),
                false => record.ended.entry(share).or_default().push_back((expires_at_s, call)),
            }
        }
        record.calls = record.ended.values().flatten().map(|it| it.1).collect();
        record.forget(REMEMBERED_MAX);
        // Existing entries are known; a failed write does not block requests.
        let journal = Journal::begin(file.to_owned(), &record.ended, &record.forgotten_until_s);
        record.journal = Some(journal.unwrap_or_else(|error| Journal::failed(file, &error)));
        Ok(Self { record: Arc::new(Mutex::new(record)), shared: None })
    }

    /// A guard shared by all nodes of a database.
    pub fn shared(answers: Answers) -> Self {
        Self { shared: Some(answers), ..Self::default() }
    }

    /// Starts a round of `call`, whose state is valid until `expires_at_s`.
    ///
    /// # Errors
    /// If the database is unavailable.
    pub fn claim(
        &self,
        call: u64,
        expires_at_s: u64,
    ) -> BoxFuture<'_, io::Result<Result<Claim, StateError>>> {
        Box::pin(async move {
            let mut claim = match self.claim_in_process(call, expires_at_s) {
                Ok(claim) => claim,
                Err(error) => return Ok(Err(error)),
            };
            let Some(shared) = &self.shared else { return Ok(Ok(claim)) };
            Ok(match shared.claim(call, expires_at_s).await? {
                Found::Free(row) => {
                    claim.row = Some(row);
                    Ok(claim)
                }
                Found::Taken => Err(StateError::Replayed),
                Found::Forgotten => Err(StateError::Expired),
            })
        })
    }

    fn claim_in_process(&self, call: u64, expires_at_s: u64) -> Result<Claim, StateError> {
        let mut record = self.record.lock();
        record.forget(REMEMBERED_MAX);
        let of_share = |share: u64| record.forgotten_until_s.get(&share);
        if of_share(0).max(of_share(share_of(call))).is_some_and(|it| expires_at_s <= *it) {
            return Err(StateError::Expired);
        }
        match record.calls.insert(call) {
            true => Ok(Claim { replay_guard: self.clone(), call: Some(call), row: None }),
            false => Err(StateError::Replayed),
        }
    }

    /// Removes expired entries of all nodes periodically until `stop`.
    pub fn sweep(self, clock: Clock, stop: CancellationToken) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Some(shared) = self.shared else { return };
            let mut turns = tokio::time::interval(SWEEP_EVERY);
            while stop.run_until_cancelled(turns.tick()).await.is_some() {
                if let Err(error) = shared.sweep(clock.now().as_secs()).await {
                    tracing::warn!("used answers that have expired stay for now: {error}");
                }
            }
        })
    }
}

impl Record {
    fn end(&mut self, expires_at_s: u64, call: u64) {
        self.ended.entry(share_of(call)).or_default().push_back((expires_at_s, call));
        let Some(journal) = &mut self.journal else { return };
        let noted = match &mut journal.file {
            Some(file) if journal.written < 2 * REMEMBERED_MAX => {
                journal.written += 1;
                file.write_all(&entry(expires_at_s, call))
            }
            _ => Journal::begin(journal.path.clone(), &self.ended, &self.forgotten_until_s)
                .map(|it| *journal = it),
        };
        if let Err(error) = noted {
            *journal = Journal::failed(&journal.path, &error);
        }
    }

    /// Forgets the oldest calls of the largest share above `most`. Calls that can no longer be distinguished count as
    /// expired, so that no ended call is accepted again. Expired ones stay until then, because they become valid
    /// again if a fast clock is corrected.
    fn forget(&mut self, most: usize) {
        let all = self.ended.values().map(VecDeque::len).sum::<usize>();
        let mut surplus = all.saturating_sub(most);
        while surplus > 0 {
            // The largest has no fewer to give than each has on the average.
            let part = (surplus / self.ended.len()).max(1);
            let largest = self.ended.iter_mut().max_by_key(|it| it.1.len());
            let Some((share, ended)) = largest else { return };
            for (expires_at_s, call) in ended.drain(..part) {
                keep_later(&mut self.forgotten_until_s, *share, expires_at_s);
                self.calls.remove(&call);
            }
            surplus -= part;
        }
    }
}

fn keep_later(forgotten: &mut Forgotten, share: u64, until_s: u64) {
    let known = forgotten.entry(share).or_default();
    *known = until_s.max(*known);
}

impl Journal {
    /// Creates a journal of `ended` and `forgotten`.
    fn begin(path: PathBuf, ended: &Ended, forgotten: &Forgotten) -> io::Result<Self> {
        let forgotten = forgotten.iter().map(|(share, until_s)| (*until_s, marker(*share)));
        let all = forgotten.chain(ended.values().flatten().copied());
        let bytes: Vec<u8> = all.flat_map(|it| entry(it.0, it.1)).collect();
        private::write(&path, &bytes)?;
        let file = File::options().append(true).open(&path)?;
        Ok(Self { path, file: Some(file), written: bytes.len() / ENTRY })
    }

    /// A journal that cannot be written now.
    fn failed(path: &Path, error: &io::Error) -> Self {
        let shown = path.display();
        tracing::error!("{shown}: {error}; after a restart a used answer might be taken again");
        Self { path: path.to_owned(), file: None, written: 0 }
    }
}

fn entry(expires_at_s: u64, call: u64) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    entry[..8].copy_from_slice(&expires_at_s.to_le_bytes());
    entry[8..].copy_from_slice(&call.to_le_bytes());
    entry
}

/// Parses a journal and ignores a truncated last entry.
fn entries(bytes: &[u8]) -> impl Iterator<Item = (u64, u64)> {
    let number = |it: &[u8]| it.try_into().map(u64::from_le_bytes).unwrap_or_default();
    bytes.chunks_exact(ENTRY).map(move |it| (number(&it[..8]), number(&it[8..])))
}

/// The calls that have ended, for a move from a data folder to what nodes share and back (STO-46).
pub fn movable() -> Movable {
    Movable {
        name: "answers",
        columns: &[("call", Kind::Integer), ("expires_at_s", Kind::Integer)],
        select: "SELECT call, expires_at_s FROM (
                SELECT call, expires_at_s FROM madoguchi_host.answers
                UNION ALL SELECT share::bigint << 54, max(until_s) FROM madoguchi_host.answers_forgotten GROUP BY share
            ) AS known ORDER BY expires_at_s"
            .to_owned(),
        insert: "WITH forgotten AS (INSERT INTO madoguchi_host.answers_forgotten (until_s, share)
                SELECT $2, madoguchi_host.share_of($1::bigint) WHERE $1::bigint << 10 = 0)
            INSERT INTO madoguchi_host.answers (call, expires_at_s) SELECT $1::bigint, $2 WHERE $1::bigint << 10 <> 0",
        path: Some(FILE),
        rows: Box::new(rows),
        put: Box::new(put),
        fit: Box::new(Ok),
    }
}

fn rows(folder: &Path) -> io::Result<MovedRows> {
    let bytes = private::if_exists(fs::read(folder.join(FILE)))?.unwrap_or_default();
    let mut calls = BTreeMap::new();
    for (expires_at_s, call) in entries(&bytes) {
        let until_s = calls.entry(call).or_insert(expires_at_s);
        *until_s = expires_at_s.max(*until_s);
    }
    let row = |(call, expires_at_s): (u64, u64)| -> io::Result<Vec<Value>> {
        let expires_at_s = i64::try_from(expires_at_s).unwrap_or(i64::MAX);
        Ok(vec![Value::Integer(call.cast_signed()), Value::Integer(expires_at_s)])
    };
    Ok(Box::new(calls.into_iter().map(row)))
}

fn put(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [Value::Integer(call), Value::Integer(expires_at_s)] = row else {
        return Err(no_row());
    };
    let mut file = private::options().append(true).create(true).open(folder.join(FILE))?;
    file.write_all(&entry(expires_at_s.unsigned_abs(), call.cast_unsigned()))
}

impl Claim {
    /// Marks the call as ended: its states are rejected until they expire at `expires_at_s`.
    pub fn mark_used(mut self, expires_at_s: u64) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Some(call) = self.call.take() else { return };
            let record = self.replay_guard.record.clone();
            let Some((shared, row)) = self.replay_guard.shared.clone().zip(self.row.take()) else {
                record.lock().end(expires_at_s, call);
                return;
            };
            // Completes even if its caller is dropped.
            let ending = tokio::spawn(async move {
                match shared.end(call, expires_at_s, row).await {
                    Ok(()) => _ = record.lock().calls.remove(&call),
                    Err(error) => {
                        tracing::error!(
                            "{error}; a used answer is kept from other nodes only while this one runs"
                        );
                        record.lock().end(expires_at_s, call);
                    }
                }
            });
            let _ = ending.await;
        })
    }
}

impl Drop for Claim {
    /// Releases an unfinished round, whose state may be used again.
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            self.replay_guard.record.lock().calls.remove(&call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn claim(
        replay_guard: &ReplayGuard,
        call: u64,
        expires_at_s: u64,
    ) -> Result<Claim, StateError> {
        replay_guard.claim(call, expires_at_s).await.unwrap()
    }

    #[tokio::test]
    async fn call_completes_once_exclusively_and_may_retry_until_then() {
        let replay_guard = ReplayGuard::default();
        let first = claim(&replay_guard, 7, 100).await.unwrap();
        assert_eq!(
            claim(&replay_guard, 7, 100).await.err().unwrap(),
            StateError::Replayed,
            "it runs"
        );
        assert!(claim(&replay_guard, 8, 100).await.is_ok(), "another call");
        drop(first);
        claim(&replay_guard, 7, 100).await.unwrap().mark_used(110).await;
        assert_eq!(
            claim(&replay_guard, 7, 100).await.err().unwrap(),
            StateError::Replayed,
            "it has ended"
        );
        assert_eq!(
            claim(&replay_guard, 7, 109).await.err().unwrap(),
            StateError::Replayed,
            "a later round"
        );
    }

    #[tokio::test]
    async fn forgets_oldest_call_and_treats_it_as_expired() {
        let replay_guard = ReplayGuard::default();
        for call in 1..=3 {
            claim(&replay_guard, call, 100 + call).await.unwrap().mark_used(100 + call).await;
        }
        replay_guard.record.lock().forget(1);
        for (call, expires_at_s, error) in [
            (2, 102, StateError::Expired),
            (9, 102, StateError::Expired),
            (3, 103, StateError::Replayed),
        ] {
            let claimed = claim(&replay_guard, call, expires_at_s).await;
            assert_eq!(claimed.err().unwrap(), error, "{call}");
        }
        assert!(claim(&replay_guard, 9, 104).await.is_ok());
        assert_eq!(replay_guard.record.lock().calls.len(), 1, "nothing else is kept");
    }

    #[tokio::test]
    async fn evicts_calls_of_the_busiest_caller_first() {
        let replay_guard = ReplayGuard::default();
        let [one, other] =
            ["one", "other"].map(|it| move |random: u64| number_for(it, random << 10));
        assert_ne!(share_of(one(1)), share_of(other(1)));
        claim(&replay_guard, other(1), 101).await.unwrap().mark_used(101).await;
        for random in 1..=5 {
            claim(&replay_guard, one(random), 110).await.unwrap().mark_used(110).await;
        }
        replay_guard.record.lock().forget(3);
        assert_eq!(claim(&replay_guard, one(9), 110).await.err(), Some(StateError::Expired));
        assert_eq!(claim(&replay_guard, other(1), 101).await.err(), Some(StateError::Replayed));
        assert!(
            claim(&replay_guard, other(2), 105).await.is_ok(),
            "nothing of theirs is forgotten"
        );
        for random in 2..=10 {
            claim(&replay_guard, other(random), 110).await.unwrap().mark_used(110).await;
        }
        replay_guard.record.lock().forget(4);
        let left: Vec<_> = replay_guard.record.lock().ended.values().map(VecDeque::len).collect();
        assert_eq!(left, [2, 2], "of many with much, each keeps as much");
    }

    #[tokio::test]
    async fn completed_call_is_known_after_restart_until_expiry() {
        let folder = std::env::temp_dir().join(format!("spent-{}", std::process::id()));
        private::make_folder(&folder).unwrap();
        let file = folder.join("spent");
        let replay_guard = ReplayGuard::open(&file).unwrap();
        claim(&replay_guard, 7, 100).await.unwrap().mark_used(110).await;
        claim(&replay_guard, 8, 200).await.unwrap().mark_used(220).await;
        drop(claim(&replay_guard, 9, 200).await.unwrap());
        // As after a power loss.
        File::options().append(true).open(&file).unwrap().write_all(&[1, 2, 3]).unwrap();
        let again = ReplayGuard::open(&file).unwrap();
        assert_eq!(claim(&again, 8, 200).await.err().unwrap(), StateError::Replayed);
        assert!(claim(&again, 9, 200).await.is_ok(), "it had not ended");
        let error = claim(&again, 7, 100).await.err().unwrap();
        assert_eq!(error, StateError::Replayed, "also where a clock was ahead and is set right");
        fs::remove_dir_all(folder).unwrap();
    }

    /// STO-46: as on other nodes, from which it may have come.
    #[tokio::test]
    async fn forgotten_call_stays_forgotten_after_restart() {
        let folder = std::env::temp_dir().join(format!("forgotten-{}", std::process::id()));
        private::make_folder(&folder).unwrap();
        let file = folder.join(FILE);
        fs::write(&file, [entry(150, marker(0)), entry(200, 8)].concat()).unwrap();
        for _ in 0..2 {
            let replay_guard = ReplayGuard::open(&file).unwrap();
            let error = claim(&replay_guard, 9, 150).await.err();
            assert_eq!(error, Some(StateError::Expired));
            assert!(claim(&replay_guard, 9, 151).await.is_ok());
            let error = claim(&replay_guard, 8, 200).await.err();
            assert_eq!(error, Some(StateError::Replayed));
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
