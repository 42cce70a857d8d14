//! Jobs: each letter `job KEY WHAT` is a job, and each run of it adds a letter `did KEY`.

use std::time::{Duration, SystemTime};

use toolkit::{
    events,
    jobs::{Agenda, Job, Outcome, Pause},
    sql,
};

use crate::{
    letters::{LETTERS, RUNS},
    parts,
};

/// The event that a paused job waits for.
const OTHER: &str = "reach://other";
/// A pause longer than any test.
const LONG: Duration = Duration::from_secs(3_600);

/// Returns all jobs, running or not.
pub(crate) fn due(_: &[String]) -> Result<Agenda, String> {
    let [rows] =
        sql::query([toolkit::sql!("SELECT text FROM letters WHERE text LIKE 'job %' ESCAPE '!'")])
            .map_err(error_text)?;
    let letters: Vec<(String,)> = rows.read().map_err(error_text)?;
    let job = |(text,): (String,)| {
        let mut words = text.split(' ').skip(1).map(str::to_owned);
        Some(Job { key: words.next()?, input: words.next()? })
    };
    let jobs = letters.into_iter().filter_map(job).collect();
    Ok(Agenda { jobs, again: Pause::until([LETTERS], SystemTime::now() + LONG) })
}

/// Runs a job as its letter says.
pub(crate) fn run(job: Job) -> Result<Outcome, String> {
    let done = format!("did {}", job.key);
    let [rows] =
        sql::query([toolkit::sql!("SELECT text FROM letters WHERE text = $1", done.clone())])
            .map_err(error_text)?;
    let is_first = rows.is_empty();
    sql::transact([toolkit::sql!("INSERT INTO letters (text) VALUES ($1)", done)])
        .map_err(error_text)?;
    events::publish(RUNS);
    match (job.input.as_str(), is_first) {
        ("twice", true) => {
            return Ok(Outcome::Paused(Pause::until([OTHER], SystemTime::now() + LONG)));
        }
        ("soon", true) => {
            let none: [String; 0] = [];
            return Ok(Outcome::Paused(Pause::until(none, SystemTime::UNIX_EPOCH)));
        }
        ("fail", _) => return Err(format!("{} is no good", job.key)),
        ("trap", _) => panic!("{} is broken", job.key),
        ("spin", _) => loop {
            std::hint::black_box(&job);
        },
        ("sleep", _) => std::thread::sleep(LONG),
        ("serve", _) => {
            let names = parts::served();
            sql::transact([toolkit::sql!("INSERT INTO letters (text) VALUES ($1)", names)])
                .map_err(error_text)?;
        }
        _ => {}
    }
    let letter = format!("job {} {}", job.key, job.input);
    sql::transact([toolkit::sql!("DELETE FROM letters WHERE text = $1", letter)])
        .map_err(error_text)?;
    Ok(Outcome::Done)
}

fn error_text(error: sql::Error) -> String {
    format!("{error:?}")
}
