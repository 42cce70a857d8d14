//! What a run came to, as metrics count it.

use super::{Ending, Run, RunError, Stopped};
use crate::Why;

/// How a run ended, for those who count.
pub(crate) fn outcome(run: &Result<Run, RunError>) -> &'static str {
    match run.as_ref().map(|it| &it.ending) {
        Ok(Ending::Concluded(it)) => it.cut.unwrap_or("end"),
        Ok(Ending::Waits { .. }) => "waiting",
        Ok(Ending::Stopped(Stopped::Rounds)) => "max_tool_rounds",
        Ok(Ending::Stopped(Stopped::Time)) => "deadline",
        Ok(Ending::Failed(_)) => "undecided",
        Err(RunError::ModelError(_)) => "undecided",
        Err(RunError::Tool(_) | RunError::NoTools(_)) => "tool_failed",
    }
}

/// Whether the model answers; none, where the failure says nothing of that.
pub(crate) fn answered(run: &Result<Run, RunError>) -> Option<bool> {
    match run {
        Ok(Run { ending: Ending::Failed(it), .. }) | Err(RunError::ModelError(it)) => {
            match it.why {
                Why::Key | Why::Missing | Why::Failed | Why::Slow => Some(false),
                Why::RateLimited | Why::Blocked | Why::NoPictures | Why::TooLong | Why::Refused => {
                    None
                }
            }
        }
        Ok(_) => Some(true),
        Err(RunError::Tool(_) | RunError::NoTools(_)) => None,
    }
}
