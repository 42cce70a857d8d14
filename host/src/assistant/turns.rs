//! Turns that a conversation goes on from: what whoever decides said so far, and what waits for the
//! person. Each is a file of its own that nobody else on the machine can read, and never changes, so
//! that an earlier one may be gone on from a second time.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, Weak},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Answered, Came, Held, Part, Provider};
use crate::{config::TurnLimits, private};

mod shelf;

use shelf::Shelf;

/// One turn, as it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Whose conversation it is; nobody else reads it.
    pub(crate) owner: String,
    pub(crate) assistant: String,
    pub(crate) provider: Provider,
    pub(crate) model: String,
    /// The provider's own messages, verbatim.
    pub(crate) transcript: Value,
    /// What the person said that whoever decides has not heard yet, because something still waits.
    pub(crate) said: Vec<Part>,
    /// The calls of the last turn that wait.
    pub(crate) waiting: Vec<Waiting>,
    /// The calls of the same turn that do not.
    pub(crate) answered: Vec<Answered>,
    /// The ids of both, in the order in which they were decided on.
    pub(crate) order: Vec<String>,
}

/// A call that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// Its name for [`Turns::claim`], the same in every turn that it waits in.
    pub(crate) once: String,
    pub(crate) held: Held,
}

/// What became of a call that had waited.
#[derive(Serialize, Deserialize)]
pub(crate) enum Settled {
    /// It began, and nobody wrote down how it ended.
    Begun,
    /// It ended so.
    Ended(Box<Came>),
}

/// All turns that are kept. A clone is another handle on the same ones.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    limits: TurnLimits,
    shelf: Mutex<Shelf>,
    /// The calls that somebody has claimed.
    claims: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

/// What is behind a turn's number and its owner's share.
const TURN: &str = "turn";
/// The same of a turn that waits for its person.
const WAITS: &str = "wait";
/// What is behind a settled call's.
const CALL: &str = "call";
/// Digits of an owner's share.
const SHARE_DIGITS: usize = 16;

impl Turns {
    /// Those in `folder`, which is made where there is none.
    pub(crate) fn open(folder: PathBuf, limits: TurnLimits) -> io::Result<Self> {
        private::make_folder(&folder)?;
        let shelf = Mutex::new(Shelf::read(&folder, &limits)?);
        Ok(Self(Arc::new(Inner { folder, limits, shelf, claims: Mutex::default() })))
    }

    /// Keeps `turn`; its number, which nobody can guess.
    pub(crate) async fn keep(&self, turn: Kept) -> io::Result<String> {
        let (id, share) = (number()?, share(&turn.owner));
        let kind = if turn.waiting.is_empty() { TURN } else { WAITS };
        self.write(format!("{id}.{share}.{kind}"), turn).await?;
        Ok(id)
    }

    /// The turn of that number, if it is there and `owner`'s.
    pub(crate) async fn find(&self, id: &str, owner: &str) -> Option<Kept> {
        let share = share(owner);
        // The last one as hosts wrote it that kept no shares.
        for kind in [format!("{share}.{TURN}"), format!("{share}.{WAITS}"), TURN.to_owned()] {
            if let Some(turn) = self.read::<Kept>(id, &kind).await {
                return (turn.owner == owner).then_some(turn);
            }
        }
        None
    }

    /// The one right to settle the call of that number, which is `owner`'s; waits for whoever has it.
    pub(crate) async fn claim(&self, once: &str, owner: &str) -> Claim {
        let lock = {
            let mut claims = self.0.claims.lock().unwrap_or_else(|it| it.into_inner());
            claims.retain(|_, it| it.strong_count() > 0);
            let known = claims.get(once).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let lock = Arc::default();
                claims.insert(once.to_owned(), Arc::downgrade(&lock));
                lock
            })
        };
        let alone = lock.lock_owned().await;
        let share = share(owner);
        Claim { turns: self.clone(), once: once.to_owned(), share, _alone: alone }
    }

    async fn read<T: DeserializeOwned + Send + 'static>(&self, id: &str, kind: &str) -> Option<T> {
        // It becomes a part of a path.
        if !is_number(id) {
            return None;
        }
        let path = self.0.folder.join(format!("{id}.{kind}"));
        let read = tokio::task::spawn_blocking(move || read_file(&path)).await;
        read.unwrap_or_else(|error| Err(io::Error::other(error))).unwrap_or_else(|error| {
            tracing::error!("a kept turn cannot be read: {error}");
            None
        })
    }

    async fn write<T: Serialize + Send + 'static>(&self, name: String, value: T) -> io::Result<()> {
        let turns = self.clone();
        tokio::task::spawn_blocking(move || turns.write_now(&name, &value))
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn write_now<T: Serialize>(&self, name: &str, value: &T) -> io::Result<()> {
        let bytes = serde_json::to_vec(value)?;
        let (len, most) = (bytes.len() as u64, self.0.limits.turn_bytes_max);
        if len > most {
            let what = format!("the conversation has {len} bytes; turn_bytes_max is {most}");
            return Err(io::Error::other(what));
        }
        private::write(&self.0.folder.join(name), &bytes)?;
        let dropped = self.shelf().put(name, len, &self.0.limits);
        for name in dropped {
            let _ = fs::remove_file(self.0.folder.join(name));
        }
        Ok(())
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.shelf.lock().unwrap_or_else(|it| it.into_inner())
    }
}

/// The one right to settle a call, as long as it is held.
pub(crate) struct Claim {
    turns: Turns,
    once: String,
    share: String,
    _alone: tokio::sync::OwnedMutexGuard<()>,
}

impl Claim {
    /// What became of the call, if anything did.
    pub(crate) async fn settled(&self) -> Option<Settled> {
        match self.turns.read(&self.once, &format!("{}.{CALL}", self.share)).await {
            None => self.turns.read(&self.once, CALL).await,
            settled => settled,
        }
    }

    /// Writes down what became of it.
    pub(crate) async fn settle(&self, settled: Settled) -> io::Result<()> {
        self.turns.write(format!("{}.{}.{CALL}", self.once, self.share), settled).await
    }
}

/// A number that nobody can guess.
pub(crate) fn number() -> io::Result<String> {
    let number = || getrandom::u64().map_err(io::Error::other);
    Ok(format!("{:016x}{:016x}", number()?, number()?))
}

/// The number that follows one, for whoever knows that one.
pub(crate) fn next_number(number: &str) -> String {
    let mut next = crate::seal::digest(number.as_bytes());
    next.truncate(number.len());
    next
}

/// Where what is `owner`'s is counted, and how it is named on disk.
fn share(owner: &str) -> String {
    let mut share = crate::seal::digest(owner.as_bytes());
    share.truncate(SHARE_DIGITS);
    share
}

fn is_number(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

fn read_file<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
