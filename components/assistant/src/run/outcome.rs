//! What a run came to, as metrics count it.

use super::{Ending, Run, Stopped, Trouble};
use crate::Why;

/// How a run ended, for those who count.
pub(crate) fn outcome(run: &Result<Run, Trouble>) -> &'static str {
    match run.as_ref().map(|it| &it.ending) {
        Ok(Ending::Concluded(it)) => it.cut.unwrap_or("end"),
        Ok(Ending::Waits { .. }) => "waiting",
        Ok(Ending::Stopped(Stopped::Rounds)) => "max_tool_rounds",
        Ok(Ending::Stopped(Stopped::Time)) => "deadline",
        Ok(Ending::Failed(_)) => "undecided",
        Err(Trouble::Undecided(_)) => "undecided",
        Err(Trouble::Tool(_) | Trouble::NoTools(_)) => "tool_failed",
    }
}

/// Whether the model answers; none, where the failure says nothing of that.
pub(crate) fn answered(run: &Result<Run, Trouble>) -> Option<bool> {
    match run {
        Ok(Run { ending: Ending::Failed(it), .. }) | Err(Trouble::Undecided(it)) => match it.why {
            Why::Key | Why::Missing | Why::Failed | Why::Slow => Some(false),
            Why::RateLimited | Why::Blocked | Why::NoPictures | Why::TooLong | Why::Refused => None,
        },
        Ok(_) => Some(true),
        Err(Trouble::Tool(_) | Trouble::NoTools(_)) => None,
    }
}
