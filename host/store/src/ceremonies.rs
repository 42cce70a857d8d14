//! State between the two steps of a ceremony, which any node of a database can complete once within five minutes
//! (STO-17).

use std::{
    collections::HashMap,
    io,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use crate::{database::postgres::Server, digest::hexadecimal, seal::random};

/// Maximum number of open ceremonies, the oldest of which is evicted, and their lifetime.
const OPEN_MAX: usize = 4_096;
const OPEN: Duration = Duration::from_secs(300);

const PUT: &str =
    "WITH old AS (DELETE FROM ceremonies WHERE name <> $1 AND (at < now() - make_interval(secs => $4)
        OR name IN (SELECT name FROM ceremonies WHERE name <> $1 ORDER BY taken_by IS NOT NULL, at DESC OFFSET $3)))
    INSERT INTO ceremonies (name, state) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET state = excluded.state RETURNING name";
/// A taken ceremony is kept for a while, so that a node that lost the answer can retry.
const TAKE: &str =
    "UPDATE ceremonies SET taken_by = $3 WHERE name = $1 AND (taken_by IS NULL OR taken_by = $3)
    RETURNING state, at >= now() - make_interval(secs => $2)";

/// Open ceremonies of all nodes or of this process. Operations fail while the database is unavailable.
pub struct Ceremonies(Kept);

enum Kept {
    Local(Mutex<HashMap<String, (Vec<u8>, Instant)>>),
    Shared(Server),
}

impl Ceremonies {
    /// Ceremonies of all nodes on `server`, or of this process.
    pub fn open(server: Option<&Server>) -> Self {
        Self(server.map_or_else(|| Kept::Local(Mutex::default()), |it| Kept::Shared(it.clone())))
    }

    /// Keeps what the second step of that name needs; where too many are open, in place of the oldest.
    pub async fn put(&self, name: &str, state: &[u8]) -> io::Result<()> {
        match &self.0 {
            Kept::Local(open) => {
                let mut open = open.lock();
                if open.len() >= OPEN_MAX {
                    let oldest = open.iter().min_by_key(|it| it.1.1).map(|it| it.0.clone());
                    oldest.and_then(|it| open.remove(&it));
                }
                open.insert(name.to_owned(), (state.to_vec(), Instant::now()));
            }
            Kept::Shared(server) => {
                let others = i64::try_from(OPEN_MAX - 1).unwrap_or(i64::MAX);
                server.ask(PUT, &[&name, &state, &others, &OPEN.as_secs_f64()]).await?;
            }
        }
        Ok(())
    }

    /// Takes the state of the first step, once.
    pub async fn take(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match &self.0 {
            Kept::Local(open) => {
                let taken = open.lock().remove(name);
                Ok(taken.filter(|it| is_open(it.1)).map(|it| it.0))
            }
            Kept::Shared(server) => {
                let by = hexadecimal(&random()?);
                let rows = server.ask(TAKE, &[&name, &OPEN.as_secs_f64(), &by]).await?;
                Ok(rows.first().filter(|it| it.get(1)).map(|it| it.get(0)))
            }
        }
    }
}

fn is_open(since: Instant) -> bool {
    since.elapsed() < OPEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn ceremony_is_taken_once_and_oldest_is_evicted() {
        let open = Ceremonies::open(None);
        for number in 0..OPEN_MAX {
            open.put(&number.to_string(), b"state").await.unwrap();
        }
        open.put("more", b"more").await.unwrap();
        assert_eq!(open.take("0").await.unwrap(), None, "the oldest");
        assert_eq!(open.take("7").await.unwrap().as_deref(), Some(&b"state"[..]));
        assert_eq!(open.take("7").await.unwrap(), None);
        assert_eq!(open.take("more").await.unwrap().as_deref(), Some(&b"more"[..]));
    }
}
