//! What has two steps, of which any node that shares a database may take the second (STO-17): what the first has left,
//! which is taken once, within five minutes.

use std::{
    collections::HashMap,
    io,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use crate::database::postgres::Server;

/// How many may be open, and for how long.
const OPEN_MAX: usize = 4_096;
const OPEN: Duration = Duration::from_secs(300);

const PUT: &str =
    "WITH old AS (DELETE FROM ceremonies WHERE at < now() - make_interval(secs => $4))
    INSERT INTO ceremonies (name, state) SELECT $1::text, $2::bytea
    WHERE (SELECT count(*) FROM ceremonies WHERE at >= now() - make_interval(secs => $4)) < $3
    ON CONFLICT (name) DO UPDATE SET state = excluded.state RETURNING name";
const TAKE: &str = "DELETE FROM ceremonies WHERE name = $1 RETURNING state, at >= now() - make_interval(secs => $2)";

/// What is open, of all nodes or of this process.
pub struct Ceremonies(Kept);

enum Kept {
    Here(Mutex<HashMap<String, (Vec<u8>, Instant)>>),
    Shared(Server),
}

impl Ceremonies {
    /// Those of all nodes on `server`, or of this process where there is none.
    pub fn of(server: Option<&Server>) -> Self {
        Self(server.map_or_else(|| Kept::Here(Mutex::default()), |it| Kept::Shared(it.clone())))
    }

    /// Keeps what the second step of that name needs; not where too many are open.
    ///
    /// # Errors
    /// Where the database is not there.
    pub async fn put(&self, name: &str, state: &[u8]) -> io::Result<bool> {
        match &self.0 {
            Kept::Here(open) => {
                let mut open = open.lock();
                if open.len() >= OPEN_MAX {
                    open.retain(|_, it| is_open(it.1));
                }
                let is_room = open.len() < OPEN_MAX;
                if is_room {
                    open.insert(name.to_owned(), (state.to_vec(), Instant::now()));
                }
                Ok(is_room)
            }
            Kept::Shared(server) => {
                let (most, open_s) =
                    (i64::try_from(OPEN_MAX).unwrap_or(i64::MAX), OPEN.as_secs_f64());
                Ok(!server.ask(PUT, &[&name, &state, &most, &open_s]).await?.is_empty())
            }
        }
    }

    /// What the first step of that name has left, once.
    ///
    /// # Errors
    /// Where the database is not there.
    pub async fn take(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match &self.0 {
            Kept::Here(open) => {
                let taken = open.lock().remove(name);
                Ok(taken.filter(|it| is_open(it.1)).map(|it| it.0))
            }
            Kept::Shared(server) => {
                let rows = server.ask(TAKE, &[&name, &OPEN.as_secs_f64()]).await?;
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
    async fn what_is_open_is_taken_once_and_there_are_so_many() {
        let open = Ceremonies::of(None);
        for number in 0..OPEN_MAX {
            assert!(open.put(&number.to_string(), b"state").await.unwrap());
        }
        assert!(!open.put("more", b"state").await.unwrap());
        assert_eq!(open.take("7").await.unwrap().as_deref(), Some(&b"state"[..]));
        assert_eq!(open.take("7").await.unwrap(), None);
        assert!(open.put("more", b"state").await.unwrap());
    }
}
