//! Settings: how long forms are kept, and how long a call may wait.

use toolkit::{
    Problem,
    settings::{self, Unfit},
};

/// Default days for which an answered form is kept.
const KEEP_DAYS: u32 = 90;
/// Default days for which a form waits.
const WAIT_DAYS: u32 = 30;
/// Default seconds for which a call waits for a person on the form's page: less than the 30 or 60
/// seconds after which common clients give up, so that the caller always receives the handle.
const WAIT_S: u32 = 25;
/// Upper limit of that; the host's `wait_ms_max` has to permit it.
const WAIT_S_MAX: u32 = 600;
/// Upper limit of days: ten years.
const DAYS_MAX: u32 = 3_650;

/// Days for which an answered form is kept: `keep_days`.
///
/// # Errors
/// If the setting is out of range.
pub fn keep_days() -> Result<u32, Unfit> {
    settings::number("keep_days", KEEP_DAYS, 1..=DAYS_MAX)
}

/// Days for which a form waits: `wait_days`.
///
/// # Errors
/// If the setting is out of range.
pub fn wait_days() -> Result<u32, Unfit> {
    settings::number("wait_days", WAIT_DAYS, 1..=DAYS_MAX)
}

/// Seconds for which `request_form` waits for a person on the form's page: `wait_seconds`.
///
/// # Errors
/// If the setting is out of range.
pub fn wait_s() -> Result<u32, Unfit> {
    settings::number("wait_seconds", WAIT_S, 0..=WAIT_S_MAX)
}

/// Validates all settings.
///
/// # Errors
/// Every problem.
pub fn configure() -> Result<(), Vec<Problem>> {
    let problems = [keep_days(), wait_days(), wait_s()];
    let problems = problems.into_iter().filter_map(Result::err).map(Problem::from);
    let lists = crate::lookup::problems().into_iter().chain(crate::demo::problems());
    let problems: Vec<_> = problems.chain(lists).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
