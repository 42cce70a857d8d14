//! What an answer waits for before it goes on, and the person's answer to it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approvals::Question;
use crate::cards::picture::Picture;
use crate::cards::shared::Shared;

/// Something that waits, and the answer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) waiting: Waiting,
    /// None while it waits.
    #[serde(default)]
    pub(crate) reply: Option<Reply>,
    /// Whether the host has taken the reply.
    #[serde(default)]
    pub(crate) is_settled: bool,
}

/// The kinds of what waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Waiting {
    /// A call that changes something, and has not begun.
    Approval {
        call_id: String,
        name: String,
        title: String,
        params: Value,
        reason: String,
        /// By which the tool is trusted as it is now; empty where its name does.
        #[serde(default)]
        trust: String,
        /// The host's approval: the assistant receives what became of the call, and cannot allow it itself.
        #[serde(default)]
        approval: String,
    },
    /// A tool's own questions.
    Questions {
        call_id: String,
        name: String,
        questions: Vec<Question>,
        #[serde(default)]
        approval: String,
    },
    /// A form that the assistant asked for; with a handle it is drawn by `FormInline`.
    Form { call_id: String, schema: Value, handle: Option<String> },
    /// Which of these pictures the next one is made from (ILL-45).
    Choice { call_id: String, pictures: Vec<Shared<Picture>> },
}

/// The person's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// Allowed this once.
    Allow,
    /// Now, and this tool from now on.
    Trust,
    Deny,
    /// `{KEY: {action, content}}`, as the protocol has it.
    Answers(Value),
    /// The form is sent; the sentence that goes to the assistant.
    Submitted(String),
    /// Which of the pictures, by their ids.
    Chosen(Vec<String>),
    /// They want none of it: no answer, no choice.
    Cancelled,
}

impl Pending {
    pub(crate) fn new(waiting: Waiting) -> Self {
        Self { waiting, reply: None, is_settled: false }
    }

    /// Whether the person has answered, and the host does not know it yet.
    pub(crate) fn is_news(&self) -> bool {
        self.reply.is_some() && !self.is_settled
    }
}

impl Waiting {
    /// Where the person's answer goes: an approval of the host's.
    pub(crate) fn approval(&self) -> Option<&str> {
        match self {
            Self::Approval { approval, .. } | Self::Questions { approval, .. } => Some(approval),
            Self::Form { .. } | Self::Choice { .. } => None,
        }
    }

    /// The handle of the form that it is, where that is kept.
    pub(crate) fn form(&self) -> Option<&str> {
        match self {
            Self::Form { handle, .. } => handle.as_deref(),
            _ => None,
        }
    }

    /// The approval by which it asks the reader something, or nothing where no list of the host's has it; none where it
    /// stands in a list as what it is: a call to allow, a form of its own.
    pub(crate) fn asks(&self) -> Option<&str> {
        match self {
            Self::Questions { approval, .. } => Some(approval),
            Self::Form { handle: None, .. } | Self::Choice { .. } => Some(""),
            Self::Form { .. } | Self::Approval { .. } => None,
        }
    }

    /// The call that it belongs to.
    pub(crate) fn call_id(&self) -> &str {
        match self {
            Self::Approval { call_id, .. }
            | Self::Questions { call_id, .. }
            | Self::Form { call_id, .. }
            | Self::Choice { call_id, .. } => call_id,
        }
    }
}
