//! One call of a tool in a conversation, from its beginning to its end.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ToolCard {
    /// Tells it from the others of its turn.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The host's title for people; the page knows it in the reader's language (`Page::tool`).
    pub(crate) title: String,
    /// Whose tool it is: a component, or another server.
    pub(crate) server: String,
    /// Which view draws what it puts out.
    pub(crate) view: Option<String>,
    pub(crate) params: Value,
    /// Why it is called.
    pub(crate) reason: String,
    pub(crate) state: State,
    /// Whether it ran without asking, because the reader trusts the tool in this conversation.
    pub(crate) is_trusted: bool,
}

/// How a call stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    #[default]
    Running,
    Done(Came),
    Failed {
        ms: Option<u64>,
        /// The error's text, for people.
        error: String,
    },
    /// It goes on once the person has answered (see the turn's `pending`).
    Waiting,
    /// The person denied it; it was never called.
    Denied,
    /// The person or the network ended it in the middle: whether it happened is not known.
    Stopped,
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Came {
    pub(crate) ms: Option<u64>,
    /// What it put out (`structuredContent`); null where that was too much to keep over a reload.
    pub(crate) result: Value,
    /// What came beside it (`_meta`).
    pub(crate) meta: Value,
    /// Its content as text, where there is no structure.
    pub(crate) text: String,
    /// Whether something of it was too much to keep.
    pub(crate) is_cut: bool,
}

impl ToolCard {
    /// What it put out, once it has.
    pub(crate) fn came(&self) -> Option<&Came> {
        match &self.state {
            State::Done(came) => Some(came),
            _ => None,
        }
    }

    /// Whether it was done, or may have been.
    pub(crate) fn may_be_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Stopped)
    }

    /// Whether it is over, one way or the other.
    pub(crate) fn is_over(&self) -> bool {
        !matches!(self.state, State::Running | State::Waiting)
    }
}
