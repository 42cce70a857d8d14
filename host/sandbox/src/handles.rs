//! What components hold handles of: runs of assistants, calls that are being made, counts. It stands apart from
//! the capabilities, for the generated bindings name it.

use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use base::failure::Failure;
use telemetry::tally::RunTally;

/// The first event of a run, which says what decides in it.
const BEGUN: &str = "begun";

/// An event that a route wrote, or a run of an assistant.
pub struct Written {
    pub name: String,
    /// A JSON document without line breaks.
    pub data: String,
}

/// A run, as long as the component holds it.
pub struct Run {
    pub provider: Option<String>,
    /// The first event, where what decides was asked for before it was taken.
    pub first: Option<Written>,
    pub events: mpsc::Receiver<Written>,
    pub task: Option<AbortHandle>,
}

impl Drop for Run {
    /// Ends the run with its last reader.
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Run {
    /// What decides; waits until that is known.
    pub async fn provider(&mut self) -> String {
        if self.provider.is_none() && self.first.is_none() {
            self.first = self.recv().await;
        }
        self.provider.clone().unwrap_or_else(|| "none".to_owned())
    }

    pub async fn next(&mut self) -> Option<Written> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.recv().await,
        }
    }

    async fn recv(&mut self) -> Option<Written> {
        let event = self.events.recv().await?;
        if event.name != BEGUN || self.provider.is_some() {
            return Some(event);
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        self.provider = Some(data["provider"].as_str().unwrap_or("none").to_owned());
        self.events.recv().await
    }
}

/// Calls that are made at once, as a component holds them. Those that only read end with it.
pub struct Calls(pub JoinSet<Ended>);

/// A call that has ended, or waits for its person.
pub struct Ended {
    /// Its place among the calls.
    pub index: u32,
    pub outcome: ToolOutcome,
    pub ms: u64,
}

/// The count of a run, as a component holds it.
pub struct Counting(pub Option<Box<dyn RunTally>>);

/// What became of it.
pub enum ToolOutcome {
    /// MCP's result.
    Done(String),
    Held(Box<HeldCall>),
    Failed(Failure),
}

/// A call that waits for its person, or has waited.
pub struct HeldCall {
    /// Of the approval.
    pub id: String,
    pub standing: Standing,
    /// What the tool asks: a JSON array.
    pub questions: Option<String>,
    /// What of the tool has changed since the person was asked first.
    pub changed: Vec<String>,
    pub trust: String,
    /// What it came to.
    pub outcome: Option<Result<String, Failure>>,
    /// How long it took, in milliseconds.
    pub ms: Option<u64>,
}

impl HeldCall {
    /// One that waits to be allowed.
    pub fn waits(id: String) -> Self {
        Self {
            id,
            standing: Standing::Waits,
            questions: None,
            changed: Vec::new(),
            trust: String::new(),
            outcome: None,
            ms: None,
        }
    }
}

/// How it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The person is to allow it.
    Waits,
    /// It was made, and asks the person something.
    Asks,
    /// It is being made now.
    Running,
    /// It has an outcome.
    Over,
}
