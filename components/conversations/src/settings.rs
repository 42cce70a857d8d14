//! What the operator set: how long things may take, and who is there. An error is reported with its
//! place, and with how to fix it.

mod people;
mod reading;

use serde_json::Value;
use toolkit::{Problem, settings};

use crate::{demo, directory, directory::Directory, timeouts};
use reading::Reading;

/// Who is there: whom the operator named under `projects` and `agents`, or else the demo.
///
/// # Errors
/// What the operator has to fix.
pub fn directory() -> Result<Directory, Vec<Problem>> {
    let mut reading = Reading::default();
    let mut read = |name| {
        settings::get::<Value>(name).unwrap_or_else(|unfit| {
            reading.note(Problem::from(unfit));
            None
        })
    };
    let (projects, agents) = (read("projects"), read("agents"));
    let directory = match (&projects, &agents) {
        (None, None) => demo::directory(),
        _ => people::directory(projects.as_ref(), agents.as_ref(), &mut reading),
    };
    reading.end(directory)
}

/// Looks at all of them before the component serves, and writes down who is there.
///
/// # Errors
/// What the operator has to fix.
pub fn configure() -> Result<(), Vec<Problem>> {
    let mut problems = timeouts::problems();
    match directory() {
        Ok(directory) if problems.is_empty() => directory::write(&directory),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}
