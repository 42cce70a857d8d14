//! Turns that a conversation goes on from: what the model said so far, and what waits for the person.
//! A turn never changes, so that an earlier one may be gone on from a second time.

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answered, Held, Part, Provider};
use crate::{
    config::TurnLimits,
    documents::{DocumentLimits, Documents, number},
};

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
    /// The approval that it waits for; none where the person fills in a form or chooses.
    #[serde(default)]
    pub(crate) approval: String,
    pub(crate) held: Held,
}

/// What is behind the number of a turn, and of one that waits for its person.
const TURN: &str = "turn";
const WAITS: &str = "wait";

/// All turns that are kept. A clone is another handle on the same ones.
#[derive(Clone)]
pub(crate) struct Turns(Documents);

impl Turns {
    /// Those in `folder`, which is made where there is none.
    pub(crate) fn open(folder: PathBuf, limits: &TurnLimits) -> io::Result<Self> {
        let limits = DocumentLimits {
            documents_max: limits.turns_max,
            bytes_max: limits.turns_bytes_max,
            document_bytes_max: limits.turn_bytes_max,
        };
        Ok(Self(Documents::open(folder, limits, &[TURN, WAITS])?))
    }

    /// Keeps `turn`; its number, which cannot be guessed.
    pub(crate) async fn keep(&self, turn: Kept) -> io::Result<String> {
        let (id, owner) = (number()?, turn.owner.clone());
        let kind = if turn.waiting.is_empty() { TURN } else { WAITS };
        self.0.put((&id, &owner), kind, turn).await.map_err(|error| {
            io::Error::new(error.kind(), format!("the conversation: {error} (turn_bytes_max)"))
        })?;
        Ok(id)
    }

    /// The turn of that number, if it is there and `owner`'s.
    pub(crate) async fn find(&self, id: &str, owner: &str) -> Option<Kept> {
        self.0.get::<Kept>(id, owner).await.filter(|it| it.owner == owner)
    }
}
