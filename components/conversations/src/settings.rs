//! What the operator set: how long things may take, and who is there. What is wrong is told by its
//! place, with what to mend.

mod people;
mod reading;

use serde_json::Value;
use toolkit::{
    Problem,
    settings::{self, Unfit},
};

use crate::{demo, staff, staff::Staff};
use reading::Reading;

/// How long a request waits for its participant, in seconds (CONV-20).
const PENDING_S: u32 = 300;
/// How long a conversation may be idle, in seconds (CONV-21).
const ACTIVE_S: u32 = 600;
/// How long a person may hold a conversation up, in seconds.
const PAUSE_S: u32 = 3_600;
/// The most of each: a day.
const SECONDS_MAX: u32 = 86_400;

/// How long a request waits for its participant, in seconds: `pending_timeout_seconds` (CONV-20).
///
/// # Errors
/// When the setting is no such number.
pub fn pending_timeout_s() -> Result<u32, Unfit> {
    seconds("pending_timeout_seconds", PENDING_S)
}

/// How long a conversation may be idle, in seconds: `active_timeout_seconds` (CONV-21). A
/// conversation that is ending waits as long to be told (CONV-54).
///
/// # Errors
/// When the setting is no such number.
pub fn active_timeout_s() -> Result<u32, Unfit> {
    seconds("active_timeout_seconds", ACTIVE_S)
}

/// How long a person may hold a conversation up, in seconds: `pause_seconds_max`.
///
/// # Errors
/// When the setting is no such number.
pub fn pause_s_max() -> Result<u32, Unfit> {
    seconds("pause_seconds_max", PAUSE_S)
}

/// From the environment a number comes as its digits (CONV-22).
fn seconds(name: &str, default: u32) -> Result<u32, Unfit> {
    let number = match settings::get::<Value>(name)? {
        None => return Ok(default),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_u64().and_then(|it| u32::try_from(it).ok()),
    };
    number.filter(|it| (1..=SECONDS_MAX).contains(it)).ok_or_else(|| {
        let problem = Problem::at("", format!("must be seconds: 1 to {SECONDS_MAX}"));
        Unfit { name: name.to_owned(), problem }
    })
}

/// Who is there: whom the operator named under `projects` and `agents`, or else the demo.
///
/// # Errors
/// What the operator has to mend.
pub fn staff() -> Result<Staff, Vec<Problem>> {
    let mut reading = Reading::default();
    let mut read = |name| {
        settings::get::<Value>(name).unwrap_or_else(|unfit| {
            reading.note(Problem::from(unfit));
            None
        })
    };
    let (projects, agents) = (read("projects"), read("agents"));
    let staff = match (&projects, &agents) {
        (None, None) => demo::staff(),
        _ => people::staff(projects.as_ref(), agents.as_ref(), &mut reading),
    };
    reading.end(staff)
}

/// Looks at all of them before the component serves, and writes down who is there.
///
/// # Errors
/// What the operator has to mend.
pub fn configure() -> Result<(), Vec<Problem>> {
    let spans = [pending_timeout_s(), active_timeout_s(), pause_s_max()];
    let mut problems: Vec<_> =
        spans.into_iter().filter_map(Result::err).map(Problem::from).collect();
    match staff() {
        Ok(staff) if problems.is_empty() => staff::write(&staff),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}
