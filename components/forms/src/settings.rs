//! What the operator set: how long forms are kept, and how long a call may wait.

use toolkit::{
    Problem,
    settings::{self, Unfit},
};

/// How long an answered form is kept, in days.
const KEEP_DAYS: u32 = 90;
/// How long a form waits for an answer, in days.
const WAIT_DAYS: u32 = 30;
/// How long a call waits for a person who was sent to a form's page, in seconds: shorter than the 30 or
/// 60 seconds after which ordinary clients give a call up, so that the caller always gets the handle.
const WAIT_S: u32 = 25;
/// The most that may be set; the host's own limit, `wait_ms_max`, has to allow it.
const WAIT_S_MAX: u32 = 600;
/// The longest that may be set: ten years.
const DAYS_MAX: u32 = 3_650;

/// How long an answered form is kept, in days: `keep_days`.
///
/// # Errors
/// When the setting is no such number.
pub fn keep_days() -> Result<u32, Unfit> {
    settings::number("keep_days", KEEP_DAYS, 1..=DAYS_MAX)
}

/// How long a form waits for an answer, in days: `wait_days`.
///
/// # Errors
/// When the setting is no such number.
pub fn wait_days() -> Result<u32, Unfit> {
    settings::number("wait_days", WAIT_DAYS, 1..=DAYS_MAX)
}

/// How long `request_form` waits for a person who was sent to a form's page, in seconds: `wait_seconds`.
///
/// # Errors
/// When the setting is no such number.
pub fn wait_s() -> Result<u32, Unfit> {
    settings::number("wait_seconds", WAIT_S, 0..=WAIT_S_MAX)
}

/// Looks at all of them before the component serves.
///
/// # Errors
/// What the operator has to fix.
pub fn configure() -> Result<(), Vec<Problem>> {
    let problems = [keep_days(), wait_days(), wait_s()];
    let problems = problems.into_iter().filter_map(Result::err).map(Problem::from);
    let lists = crate::lookup::problems().into_iter().chain(crate::demo::problems());
    let problems: Vec<_> = problems.chain(lists).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
