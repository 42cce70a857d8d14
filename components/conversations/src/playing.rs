//! Plays the agents that an assistant plays (CONV-8, CONV-81): one job an agent of a project, each run of which
//! does what there is to do now.
//!
//! Nothing is in memory between two runs: messages lie in `messages`, and how far the agent has come
//! in `plays`.

mod dialogue;
mod ended;
mod mind;
mod player;
mod scene;
mod stand;
mod texts;

use serde::{Deserialize, Serialize};
use toolkit::{
    Stop, assistants,
    jobs::{Agenda, Job, Outcome, Pause},
    log, sql,
};

use crate::{
    clock::Moment,
    events::PURPOSES,
    expiry,
    purposes::{self, Wanted},
};
use player::Player;
pub use stand::forgotten;

/// How long it is at most until it is looked again what is due, in seconds.
const LOOK_S: u32 = 600;
/// Jobs that one look gives.
const JOBS_MAX: usize = 500;
/// Agents without an assistant that one look reports to the operator.
const ANSWERED_MAX: usize = 64;

/// What a job receives: whom to play.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Role {
    project_id: String,
    agent_id: String,
}

/// The agents that are to be played, beside those of `running`: they are wanted for a talk, or their session
/// goes on.
///
/// # Errors
/// When the database fails.
pub fn due(running: &[String]) -> Result<Agenda, String> {
    agenda(running).map_err(sentence)
}

fn agenda(running: &[String]) -> Result<Agenda, Stop> {
    expiry::settle()?;
    purposes::recover()?;
    let mut wanted = purposes::wanted()?;
    wanted.retain(|it| !running.contains(&it.key()));
    let is_there = |it: &Wanted| assistants::about(&it.assistant).is_some();
    let (there, missing): (Vec<_>, Vec<_>) = wanted.into_iter().partition(is_there);
    tell(&missing)?;
    let again = Pause::until([PURPOSES], Moment::now().after(LOOK_S).time());
    Ok(Agenda { jobs: there.iter().take(JOBS_MAX).map(job).collect(), again })
}

fn job(it: &Wanted) -> Job {
    let (project_id, agent_id) = (it.project_id.clone(), it.agent_id.clone());
    let input = serde_json::to_string(&Role { project_id, agent_id }).unwrap_or_default();
    Job { key: it.key(), input }
}

/// Tells the operator of agents that wait for an assistant that is not there, once a purpose.
fn tell(missing: &[Wanted]) -> Result<(), Stop> {
    let untold: Vec<_> = missing.iter().filter(|it| it.is_untold).take(ANSWERED_MAX).collect();
    for Wanted { project_id, agent_id, assistant, .. } in &untold {
        log::warning(&format!(
            "{agent_id} of {project_id} waits for the assistant {assistant:?}, which is not there"
        ));
    }
    if !untold.is_empty() {
        sql::transact_all(&untold.into_iter().map(purposes::mark_reported).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Plays an agent as far as there is something to do now. It is done where its session is over.
///
/// # Errors
/// When the job is none of [`due`], or the database fails.
pub fn run(job: Job) -> Result<Outcome, String> {
    let role: Role = serde_json::from_str(&job.input).map_err(|it| it.to_string())?;
    match play(&role) {
        Err(stop) if is_over(&stop) => Ok(Outcome::Done),
        result => result.map_err(sentence),
    }
}

fn play(role: &Role) -> Result<Outcome, Stop> {
    expiry::settle()?;
    match Player::enter(&role.project_id, &role.agent_id)? {
        Some(player) => player.play(),
        None => Ok(Outcome::Done),
    }
}

/// Whether something could not be done because the session is over.
fn is_over(stop: &Stop) -> bool {
    matches!(stop, Stop::Refused(it) if it.code == "invalid_session")
}

/// Why something could not be done, for the operator.
fn sentence(stop: Stop) -> String {
    match stop {
        Stop::Unavailable(it) => it.message,
        Stop::Refused(it) => format!("{}: {}", it.code, it.message),
        other => format!("{other:?}"),
    }
}
