//! What nodes of a database share of calls: those that have ended after a question (STO-12), and progress messages of
//! running tasks (STO-25).

use std::{io, time::Duration};

use tokio::time::sleep;

use crate::{
    database::postgres::Server,
    leases::{Hold, Leases},
};

/// Lease namespace.
const SPACE: &str = ".answers";

/// Calls that are remembered, about 100 MB of them.
const REMEMBERED_MAX: i64 = 1 << 20;
/// Seconds for which expired entries are kept, because clocks differ.
const SLACK_S: i64 = 600;
/// How long to wait for a round on another node, which may be gone.
const PATIENCE: Duration = Duration::from_secs(12);
/// Number and interval of attempts to store an end.
const TRIES_MAX: u32 = 600;
const AGAIN_AFTER: Duration = Duration::from_secs(1);

const FIND: &str = "SELECT EXISTS (SELECT 1 FROM answers WHERE call = $1),
    coalesce((SELECT max(until_s) FROM answers_forgotten WHERE share IN (0, share_of($1))), 0)";
const END: &str = "INSERT INTO answers AS a (call, expires_at_s) VALUES ($1, $2)
    ON CONFLICT (call) DO UPDATE SET expires_at_s = greatest(a.expires_at_s, excluded.expires_at_s)";
const SWEEP: &str = "SELECT sweep_answers($1, $2)";

/// Leading bits of a call number that contain its share.
pub const SHARE_BITS: u32 = 10;

/// Share of a call.
pub const fn share_of(call: u64) -> u64 {
    call >> (u64::BITS - SHARE_BITS)
}

/// The calls that have ended. A clone is another handle on the same ones. All that is asked of them fails where the
/// database is not there, and only then.
#[derive(Clone)]
pub struct Answers {
    server: Server,
    leases: Leases,
}

/// State of a call before a further round.
pub enum Found {
    /// Free, now locked by this round.
    Free(Hold),
    /// Another node runs one, or the call has ended.
    Taken,
    /// So old that it is not known any more whether it has ended.
    Forgotten,
}

impl Answers {
    pub fn new(server: Server) -> Self {
        let leases = Leases::new(Some(&server));
        Self { server, leases }
    }

    /// Locks a round of `call`, whose state is valid until `expires_at_s`.
    pub async fn claim(&self, call: u64, expires_at_s: u64) -> io::Result<Found> {
        let name = format!("{call:016x}");
        let Some(claim) = self.leases.claim_within(SPACE, &name, PATIENCE).await? else {
            return Ok(Found::Taken);
        };
        // The end was stored before the claim was released.
        let found = self.server.ask(FIND, &[&call.cast_signed()]).await?;
        let row = found.first().ok_or_else(|| io::Error::other("there is no row"))?;
        let (has_ended, forgotten_until_s): (bool, i64) = (row.get(0), row.get(1));
        Ok(match has_ended {
            true => Found::Taken,
            false if seconds(expires_at_s) <= forgotten_until_s => Found::Forgotten,
            false => Found::Free(claim),
        })
    }

    /// Marks the call as ended: its states are rejected until `expires_at_s`.
    ///
    /// # Errors
    /// If the database is unavailable: it is stored later, and the lock is kept until then.
    pub async fn end(&self, call: u64, expires_at_s: u64, claim: Hold) -> io::Result<()> {
        let Err(error) = self.write_end(call, expires_at_s).await else { return Ok(()) };
        let own = self.clone();
        tokio::spawn(async move {
            for _ in 0..TRIES_MAX {
                sleep(AGAIN_AFTER).await;
                if own.write_end(call, expires_at_s).await.is_ok() {
                    return;
                }
            }
            claim.keep();
        });
        Err(error)
    }

    async fn write_end(&self, call: u64, expires_at_s: u64) -> io::Result<()> {
        self.server.ask(END, &[&call.cast_signed(), &seconds(expires_at_s)]).await.map(drop)
    }

    /// Removes expired entries and, above the limit, the oldest of the largest shares.
    pub async fn sweep(&self, now_s: u64) -> io::Result<()> {
        let until_s = seconds(now_s).saturating_sub(SLACK_S);
        self.server.ask(SWEEP, &[&until_s, &REMEMBERED_MAX]).await.map(drop)
    }
}

fn seconds(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

const PUT_MESSAGE: &str =
    "WITH old AS (DELETE FROM task_messages WHERE at < now() - interval '1 day' AND task <> $1)
    INSERT INTO task_messages (task, message) VALUES ($1, $2)
    ON CONFLICT (task) DO UPDATE SET message = excluded.message, at = now()";
const GET_MESSAGE: &str = "SELECT message FROM task_messages WHERE task = $1";
const REMOVE_MESSAGE: &str = "DELETE FROM task_messages WHERE task = $1";

/// The latest message of each task. A clone is another handle on the same ones. All that is asked of them fails where
/// the database is not there, and only then.
#[derive(Clone)]
pub struct Messages(Server);

impl Messages {
    /// Messages on `server`.
    pub fn new(server: Server) -> Self {
        Self(server)
    }

    /// Replaces the message of a task.
    pub async fn put(&self, task: &str, message: &str) -> io::Result<()> {
        // No text in PostgreSQL has it.
        let message = message.replace('\0', " ");
        self.0.ask(PUT_MESSAGE, &[&task, &message]).await.map(drop)
    }

    /// Reads the message of a task.
    pub async fn get(&self, task: &str) -> io::Result<Option<String>> {
        Ok(self.0.ask(GET_MESSAGE, &[&task]).await?.first().map(|it| it.get(0)))
    }

    /// Removes the message of a task.
    pub async fn remove(&self, task: &str) -> io::Result<()> {
        self.0.ask(REMOVE_MESSAGE, &[&task]).await.map(drop)
    }
}
