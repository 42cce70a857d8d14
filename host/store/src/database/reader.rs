//! One connection for reading, and what it has learnt about the texts that it has run.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connections::{self, Site};
use super::errors::explain;
use super::frozen::FrozenReader;
use super::guard::{Guard, Mode};
use super::run;
use super::scan::Access;
use super::types::{Error, Rows, Statement};

/// What a batch may take on an async worker: eighty point reads, or a tenth of an epoch's tick.
pub(super) const INLINE_TIME: Duration = Duration::from_micros(250);
/// Texts that a connection remembers as quick, and as slow.
const TEXTS_MAX: usize = 64;

pub(super) type Answer = Result<Vec<Rows>, Error>;

/// A connection that one query at a time has to itself.
pub(super) struct Reader {
    connection: Connection,
    pub(super) guard: Arc<Guard>,
    frozen: Option<FrozenReader>,
    /// Texts that may run on an async worker.
    quick: HashSet<String>,
    /// Texts that never may, because of a function that they call.
    slow: HashSet<String>,
}

impl Reader {
    pub(super) fn open(site: &Site) -> Result<Self, Error> {
        let (connection, guard, frozen) =
            connections::open_reader(site).map_err(|error| explain(site, 0, error))?;
        Ok(Self { connection, guard, frozen, quick: HashSet::new(), slow: HashSet::new() })
    }

    /// Whether it reads the file as it lies, without what is written from now on.
    pub(super) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    pub(super) fn knows_as_quick(&self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| self.is_quick(&statement.sql))
    }

    pub(super) fn is_quick(&self, sql: &str) -> bool {
        self.quick.contains(sql)
    }

    /// Texts that are remembered.
    #[cfg(test)]
    pub(super) fn texts(&self) -> usize {
        self.quick.len() + self.slow.len()
    }

    /// Runs a batch that is known as quick; none if it is not after all.
    pub(super) fn run_inline(
        &mut self,
        site: &Site,
        statements: &[Statement],
        deadline: Instant,
    ) -> Option<Answer> {
        let stop_at = deadline.min(Instant::now() + INLINE_TIME);
        let answer = self.run(site, statements, stop_at);
        if self.guard.was_interrupted() && stop_at < deadline {
            for statement in statements {
                self.quick.remove(&statement.sql);
            }
            return None;
        }
        Some(answer)
    }

    pub(super) fn run_on_thread(
        &mut self,
        site: &Site,
        statements: &[Statement],
        deadline: Instant,
    ) -> Answer {
        let begun = Instant::now();
        let answer = self.run(site, statements, deadline);
        if answer.is_ok() && begun.elapsed() < INLINE_TIME {
            self.quick.extend(statements.iter().map(|statement| statement.sql.clone()));
            self.quick.retain(|sql| !self.slow.contains(sql));
        }
        self.forget();
        answer
    }

    /// One statement is a snapshot by itself; several need a transaction around them.
    fn run(&mut self, site: &Site, statements: &[Statement], deadline: Instant) -> Answer {
        self.guard.stop_at(deadline);
        let several = statements.len() > 1;
        if several {
            self.tell(site, "BEGIN")?;
        }
        let (guard, quick, slow) = (&self.guard, &mut self.quick, &mut self.slow);
        // Functions are seen when a text is parsed: the first time, and after a migration.
        let mut note = |statement: &Statement| {
            if guard.saw_slow() {
                quick.remove(&statement.sql);
                slow.insert(statement.sql.clone());
            }
        };
        let answer = run::batch(site, &self.connection, statements, Access::Read, &mut note);
        self.guard.never_stop();
        if several {
            self.tell(site, "COMMIT")?;
        }
        answer
    }

    /// Keeps the two sets small. What is forgotten must be parsed anew to be judged anew.
    fn forget(&mut self) {
        if self.quick.len() > TEXTS_MAX || self.slow.len() > TEXTS_MAX {
            self.quick.clear();
            self.slow.clear();
            self.connection.flush_prepared_statement_cache();
        }
    }

    fn tell(&self, site: &Site, sql: &'static str) -> Result<(), Error> {
        self.guard
            .within(Mode::Host, || self.connection.prepare_cached(sql)?.execute([]))
            .map(drop)
            .map_err(|error| explain(site, 0, error))
    }
}
