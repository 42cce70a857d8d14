//! Jobs: each letter `job KEY WHAT` is a job, and each run of it adds a letter `did KEY`.

use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Stop, Tool, User, events,
    jobs::{Agenda, Job, Outcome, Pause},
    sql,
};

use crate::named;

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
            let names = super::served();
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

// A mailbox that one call fills while another waits, and a schedule that counts its runs.

/// The event of a new letter.
pub(crate) const LETTERS: &str = "reach://letters";
/// The event of a scheduled run.
pub(crate) const RUNS: &str = "reach://runs";

/// 手紙を出す。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendLetter {
    text: String,
    /// Rings so many times more than needed.
    #[serde(default)]
    more_rings: u32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Letters {
    letters: Vec<String>,
    /// Waiting time of the reader, in milliseconds.
    waited_ms: u64,
}

impl Tool for SendLetter {
    named!("send_letter", "出す", "Send", "Sends a letter.", "text", "more_rings");
    type Output = Letters;

    fn call(self, _: &User) -> Result<Letters, Stop> {
        sql::transact([toolkit::sql!("INSERT INTO letters (text) VALUES ($1)", self.text)])?;
        for _ in 0..self.more_rings {
            events::publish("reach://other");
        }
        events::publish(LETTERS);
        letters(0)
    }
}

fn letters(waited_ms: u64) -> Result<Letters, Stop> {
    let [rows] = sql::query([toolkit::sql!("SELECT text FROM letters ORDER BY letter_id")])?;
    let letters: Vec<(String,)> = rows.read()?;
    Ok(Letters { letters: letters.into_iter().map(|it| it.0).collect(), waited_ms })
}

/// 手紙を待つ。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AwaitLetter {
    /// How long, in milliseconds.
    up_to_ms: u64,
    /// Asks for a name first.
    #[serde(default)]
    ask_first: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

impl Tool for AwaitLetter {
    named!("await_letter", "待つ", "Wait", "Waits for a letter.", "up_to_ms", "ask_first");
    type Output = Letters;

    fn call(self, user: &User) -> Result<Letters, Stop> {
        if self.ask_first {
            let Name { name } = user.ask("name", "Whose letter?")?;
            user.show(format!("For {name}"));
        }
        let until = user.first_called_at() + Duration::from_millis(self.up_to_ms);
        let waited = user.first_called_at().elapsed().unwrap_or_default();
        let letters = letters(u64::try_from(waited.as_millis()).unwrap_or(u64::MAX))?;
        if letters.letters.is_empty() && until.elapsed().is_err() {
            return Err(Stop::wait([LETTERS], until));
        }
        Ok(letters)
    }
}

/// 来ないものを待つ。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitInVain {}

impl Tool for WaitInVain {
    named!("wait_in_vain", "待ちぼうけ", "Wait in vain", "Waits for what never comes.");
    type Output = Letters;

    fn call(self, user: &User) -> Result<Letters, Stop> {
        Err(Stop::wait(["reach://never"], user.first_called_at() + Duration::from_secs(1 << 30)))
    }
}

/// 自分で自分を起こす。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WakeYourself {}

impl Tool for WakeYourself {
    named!("wake_yourself", "目覚まし", "Wake yourself", "Rings its own bell and waits for it.");
    type Output = Letters;

    fn call(self, user: &User) -> Result<Letters, Stop> {
        sql::transact([toolkit::sql!("INSERT INTO runs DEFAULT VALUES")])?;
        events::publish("reach://self");
        Err(Stop::wait(["reach://self"], user.first_called_at() + Duration::from_secs(1 << 30)))
    }
}

/// 実行回数を数える。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountRuns {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Runs {
    runs: u32,
}

impl Tool for CountRuns {
    named!("count_runs", "数える", "Count", "Counts the runs of the schedule.");
    type Output = Runs;

    fn call(self, _: &User) -> Result<Runs, Stop> {
        Ok(Runs { runs: runs()? })
    }
}

fn runs() -> Result<u32, sql::Error> {
    let [rows] = sql::query([toolkit::sql!("SELECT COUNT(*) FROM runs")])?;
    let counts: Vec<(u32,)> = rows.read()?;
    Ok(counts[0].0)
}

/// Runs the schedule: counts the runs, and fails at the third.
pub(crate) fn letters_run() -> Result<(), String> {
    let failed = |it: sql::Error| format!("{it:?}");
    sql::transact([toolkit::sql!("INSERT INTO runs DEFAULT VALUES")]).map_err(failed)?;
    events::publish(RUNS);
    if runs().map_err(failed)? == 3 { Err("the third run fails".to_owned()) } else { Ok(()) }
}
