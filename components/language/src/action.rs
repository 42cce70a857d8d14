//! The last action that changes something, and whether it was done.

use serde::{Deserialize, Serialize};

use crate::{
    context::{FORM_SCHEMA, TurnContext},
    turn::{Answered, ToolResult, Turn},
};

/// Prefix of the reason of a call that is repeated while it waits for an approval.
pub(crate) const APPROVAL_HINT: (&str, &str) =
    ("進めるには、許可のボタンを押してください。", "Press the button that allows it to go ahead. ");

/// A call that changes something. `is_done` is `None` if the outcome is unknown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Action {
    reason: String,
    pub(crate) is_done: Option<bool>,
}

impl Action {
    /// Finds the last action of `family` in `turn`.
    pub(crate) fn last_of(turn: Turn<'_>, family: &str) -> Option<Self> {
        let changes = |answered: &&Answered| {
            let mut offers = turn.offers.iter();
            answered.call.id.starts_with(family)
                && !answered.call.arguments.contains_key(FORM_SCHEMA)
                && offers.any(|offer| offer.name == answered.call.name && !offer.is_read_only)
        };
        let last = turn.answered.iter().rfind(changes)?;
        let is_done = match &last.result {
            ToolResult::Output { .. } => Some(true),
            ToolResult::Failed(failure) => (failure.status < 500).then_some(false),
        };
        Some(Self { reason: without_hint(&last.call.reason).to_owned(), is_done })
    }

    /// Describes the state.
    pub(crate) fn status_text(&self, context: &TurnContext<'_>) -> String {
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

/// Removes the prefix from a repeated call's reason.
pub(crate) fn without_hint(reason: &str) -> &str {
    reason.strip_prefix(APPROVAL_HINT.0).or(reason.strip_prefix(APPROVAL_HINT.1)).unwrap_or(reason)
}
