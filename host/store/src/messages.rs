//! Progress messages of running tasks, for nodes that do not run them (STO-25).

use std::io;

use crate::database::postgres::Server;

const PUT: &str =
    "WITH old AS (DELETE FROM task_messages WHERE at < now() - interval '1 day' AND task <> $1)
    INSERT INTO task_messages (task, message) VALUES ($1, $2)
    ON CONFLICT (task) DO UPDATE SET message = excluded.message, at = now()";
const GET: &str = "SELECT message FROM task_messages WHERE task = $1";
const REMOVE: &str = "DELETE FROM task_messages WHERE task = $1";

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
        self.0.ask(PUT, &[&task, &message]).await.map(drop)
    }

    /// Reads the message of a task.
    pub async fn get(&self, task: &str) -> io::Result<Option<String>> {
        Ok(self.0.ask(GET, &[&task]).await?.first().map(|it| it.get(0)))
    }

    /// Removes the message of a task.
    pub async fn remove(&self, task: &str) -> io::Result<()> {
        self.0.ask(REMOVE, &[&task]).await.map(drop)
    }
}
