//! What was to be changed last in a conversation, and whether that was done.

use serde::{Deserialize, Serialize};

use crate::{
    context::{FORM_SCHEMA, TurnContext},
    turn::{Answered, ToolResult, Turn},
};

/// What the reason of a call begins with that is asked for again, as it waits for an approval.
pub(crate) const PRESS: (&str, &str) =
    ("進めるには、許可のボタンを押してください。", "Press the button that allows it to go ahead. ");

/// A call that changes something, and whether it was made; none where that is not known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deed {
    reason: String,
    pub(crate) is_done: Option<bool>,
}

impl Deed {
    /// The last one of `family` that `turn` tells of.
    pub(crate) fn of(turn: Turn<'_>, family: &str) -> Option<Self> {
        let changes = |it: &&Answered| {
            let mut offers = turn.offers.iter();
            it.call.id.starts_with(family)
                && !it.call.arguments.contains_key(FORM_SCHEMA)
                && offers.any(|offer| offer.name == it.call.name && !offer.is_read_only)
        };
        let last = turn.answered.iter().rfind(changes)?;
        let is_done = match &last.result {
            ToolResult::Output { .. } => Some(true),
            ToolResult::Failed(failure) => (failure.status < 500).then_some(false),
        };
        Some(Self { reason: unpressed(&last.call.reason).to_owned(), is_done })
    }

    /// What became of it.
    pub(crate) fn told(&self, context: &TurnContext<'_>) -> String {
        let reason = &self.reason;
        match self.is_done {
            Some(true) => context.say(
                format!("最後の操作は済んでいます（{reason}）。"),
                format!("The last step was taken ({reason})."),
            ),
            None => context.say(
                format!("済んだかどうか確認できていません（{reason}）。"),
                format!("It is not known whether that was done ({reason})."),
            ),
            Some(false) => context.say(
                format!("行っていません（{reason}）。"),
                format!("That was not done ({reason})."),
            ),
        }
    }
}

/// The reason of a call without what asks for the approval again.
pub(crate) fn unpressed(reason: &str) -> &str {
    reason.strip_prefix(PRESS.0).or(reason.strip_prefix(PRESS.1)).unwrap_or(reason)
}
