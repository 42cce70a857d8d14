//! Takes in what was written elsewhere: lines of `chat.jsonl`, each once, each reported where it does not
//! fit (CONV-6, CONV-7, CONV-X22). A conversation that is not known here is over.

mod line;
mod places;
mod writing;

use schemars::JsonSchema;
use serde::Serialize;
use toolkit::{
    Stop, events, sql,
    sql::{Error, Statement},
    unavailable,
};

use crate::events as own_events;
use line::Line;
use places::Existing;

/// Statements of one batch; a line brings a few, and a thousand are the limit.
const STATEMENTS_MAX: usize = 900;

/// What became of the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Imported {
    /// Messages that were taken in.
    pub imported: u32,
    /// Messages that were there already.
    pub known: u32,
    /// Lines that were not taken.
    pub problems: Vec<Problem>,
}

/// A line that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Which; the first has number 1.
    pub line: u32,
    /// Why the line was not taken.
    pub message: String,
}

/// Takes the lines in, those of one place in the order in which they stand.
///
/// # Errors
/// As the database; what was taken until then is known the next time.
pub fn import(lines: &[String], project_id: Option<&str>) -> Result<Imported, Stop> {
    let mut outcome = Imported::default();
    let mut read = Vec::new();
    for (number, text) in (1..).zip(lines) {
        match Line::read(text) {
            Ok(line) => read.push((number, line)),
            Err(message) => outcome.problems.push(Problem { line: number, message }),
        }
    }
    let mut existing = Existing::of(&read)?;
    let mut batch: Vec<Statement> = Vec::new();
    for (line, it) in &read {
        if !existing.is_new(&it.id) {
            outcome.known += 1;
            continue;
        }
        match existing.place(it, project_id) {
            Ok((place, is_first)) => {
                batch.extend(writing::statements(it, &place, is_first));
                outcome.imported += 1;
            }
            Err(message) => outcome.problems.push(Problem { line: *line, message }),
        }
        if batch.len() > STATEMENTS_MAX {
            write(&std::mem::take(&mut batch))?;
        }
    }
    write(&batch)?;
    outcome.problems.sort_by_key(|it| it.line);
    if outcome.imported > 0 {
        events::publish(own_events::LIST);
        existing.touched().for_each(|it| events::publish(&own_events::chats(it)));
    }
    Ok(outcome)
}

fn write(batch: &[Statement]) -> Result<(), Stop> {
    if batch.is_empty() {
        return Ok(());
    }
    match sql::transact_all(batch) {
        Ok(_) => Ok(()),
        Err(Error::Constraint(_) | Error::UnexpectedCount(_)) => {
            Err(unavailable("Somebody else takes the same lines in; try again.", None))
        }
        Err(error) => Err(error.into()),
    }
}
