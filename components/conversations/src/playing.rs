//! Runs the agents that an assistant plays (CONV-8, CONV-81): one job per agent and project.
//!
//! Runs keep nothing in memory: messages are in the table `messages`, progress is in `plays`.
//!
//! The worker for one agent: enters a session, handles events and messages, and leaves when nothing is left to do.

mod assistant;
mod dialogue;
mod progress;

use serde::{Deserialize, Serialize};
use toolkit::{
    Stop,
    assistants::{self, Facts},
    jobs::{Agenda, Job, Outcome, Pause},
    log,
    sql::{self, Error, Statement},
    unavailable,
};

use crate::{
    clock::Moment,
    events::{self, PURPOSES},
    expiry, ids,
    playing::progress::Progress,
    session::{self, Admission, Opening, Session},
    tools::{Action, GetNextAction, GetPendingMessages, Logout, Next, enter},
};

pub use progress::delete_ended;

/// Maximum interval between two looks for due jobs, in seconds.
const LOOK_S: u32 = 600;
/// Maximum number of jobs per agenda.
const JOBS_MAX: usize = 500;
/// Maximum number of agents without an assistant reported to the operator at once.
const ANSWERED_MAX: usize = 64;

/// Input of a job: the agent to play.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Role {
    project_id: String,
    agent_id: String,
}

/// Returns jobs for agents that are wanted for a chat or whose session goes on, except those in `running`.
///
/// # Errors
/// When the database fails.
pub fn due(running: &[String]) -> Result<Agenda, String> {
    agenda(running).map_err(error_text)
}

fn agenda(running: &[String]) -> Result<Agenda, Stop> {
    expiry::settle()?;
    recover()?;
    let mut wanted = wanted()?;
    wanted.retain(|it| !running.contains(&it.key()));
    let is_there = |it: &Wanted| assistants::about(&it.assistant).is_some();
    let (there, missing): (Vec<_>, Vec<_>) = wanted.into_iter().partition(is_there);
    report(&missing)?;
    let again = Pause::until([PURPOSES], Moment::now().after(LOOK_S).time());
    Ok(Agenda { jobs: there.iter().take(JOBS_MAX).map(job).collect(), again })
}

fn job(wanted: &Wanted) -> Job {
    let (project_id, agent_id) = (wanted.project_id.clone(), wanted.agent_id.clone());
    let input = serde_json::to_string(&Role { project_id, agent_id }).unwrap_or_default();
    Job { key: wanted.key(), input }
}

/// Reports agents whose assistant does not exist to the operator, once per purpose.
fn report(missing: &[Wanted]) -> Result<(), Stop> {
    let untold: Vec<_> = missing.iter().filter(|it| it.is_unreported).take(ANSWERED_MAX).collect();
    for Wanted { project_id, agent_id, assistant, .. } in &untold {
        log::warning(&format!(
            "{agent_id} of {project_id} waits for the assistant {assistant:?}, which is not there"
        ));
    }
    if !untold.is_empty() {
        sql::transact_all(&untold.into_iter().map(mark_reported).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Runs an agent until it has nothing to do. The job is done once its session is over.
///
/// # Errors
/// When the job does not come from [`due`], or the database fails.
pub fn run(job: Job) -> Result<Outcome, String> {
    let role: Role = serde_json::from_str(&job.input).map_err(|it| it.to_string())?;
    match play(&role) {
        Err(stop) if is_over(&stop) => Ok(Outcome::Done),
        result => result.map_err(error_text),
    }
}

fn play(role: &Role) -> Result<Outcome, Stop> {
    expiry::settle()?;
    match Worker::enter(&role.project_id, &role.agent_id)? {
        Some(worker) => worker.play(),
        None => Ok(Outcome::Done),
    }
}

/// Whether the call failed because the session is over.
fn is_over(stop: &Stop) -> bool {
    matches!(stop, Stop::Refused(it) if it.code == "invalid_session")
}

/// Formats an error for the operator.
fn error_text(stop: Stop) -> String {
    match stop {
        Stop::Unavailable(it) => it.message,
        Stop::Refused(it) => format!("{}: {}", it.code, it.message),
        other => format!("{other:?}"),
    }
}

// Agents to be played (CONV-8): those wanted for a chat and those in the middle of one.

/// Maximum number of purposes restored at once.
const AGAIN_MAX: usize = 500;
/// Maximum number of agents read at once.
const WANTED_MAX: usize = 5_000;

/// An agent of a project that is to be played.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Wanted {
    /// Identifier of the project.
    pub project_id: String,
    /// Identifier of the agent.
    pub agent_id: String,
    /// The assistant that plays it.
    pub assistant: String,
    /// Whether one of its purposes has not been reported to the operator.
    pub is_unreported: bool,
}

impl Wanted {
    /// The key of its job: no identifier has a slash in it.
    pub fn key(&self) -> String {
        format!("{}/{}", self.project_id, self.agent_id)
    }
}

/// Returns agents that are wanted for a chat and those with a live session, the oldest first.
///
/// # Errors
/// As the database.
pub fn wanted() -> Result<Vec<Wanted>, Stop> {
    let select = format!(
        "SELECT x.project_id, x.agent_id, a.assistant, MAX(x.is_unreported) AS is_unreported FROM \
         (SELECT project_id, agent_id, created_at, 1 - is_told AS is_unreported \
          FROM pending_purposes WHERE purpose = 'chat' \
          UNION ALL SELECT project_id, agent_id, created_at, 0 FROM sessions \
          WHERE is_played = 1 AND state IN ('active', 'terminating') AND expires_at > $1) x \
         JOIN agents a ON a.id = x.agent_id JOIN projects p ON p.id = x.project_id \
         JOIN assignments w ON w.agent_id = x.agent_id AND w.project_id = x.project_id \
         WHERE a.assistant IS NOT NULL AND a.type = 'ai' AND a.is_gone = 0 AND p.is_gone = 0 \
         GROUP BY x.project_id, x.agent_id, a.assistant \
         ORDER BY MIN(x.created_at), x.project_id, x.agent_id LIMIT {WANTED_MAX}"
    );
    let [rows] = sql::query([toolkit::sql!(select, Moment::now().stored())])?;
    Ok(rows.read()?)
}

/// Marks the purposes of an agent whose assistant does not exist as reported to the operator.
fn mark_reported(wanted: &Wanted) -> Statement {
    toolkit::sql!(
        "UPDATE pending_purposes SET is_told = 1 WHERE project_id = $1 AND agent_id = $2",
        &wanted.project_id,
        &wanted.agent_id,
    )
}

/// An agent in the middle of something, without a session.
#[derive(Deserialize)]
struct Left {
    project_id: String,
    agent_id: String,
    conversation_id: Option<String>,
}

/// Restores purposes of played agents whose session ended within an open conversation or before they answered a
/// person's message in a running chat.
///
/// # Errors
/// As the database.
fn recover() -> Result<(), Stop> {
    let now = Moment::now();
    let left = "a.type = 'ai' AND a.assistant IS NOT NULL AND a.is_gone = 0 \
         AND EXISTS (SELECT 1 FROM assignments w WHERE w.agent_id = a.id \
          AND w.project_id = x.project_id) \
         AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.agent_id = a.id \
          AND s.project_id = x.project_id AND s.purpose = 'chat' AND s.state <> 'ended' \
          AND s.expires_at > $1)";
    let asked = |which: &str| {
        format!(
            "EXISTS (SELECT 1 FROM pending_purposes p WHERE p.agent_id = a.id \
             AND p.project_id = x.project_id AND p.purpose = 'chat' AND p.conversation_id {which})"
        )
    };
    let find = format!(
        "SELECT x.project_id, a.id AS agent_id, x.id AS conversation_id \
         FROM conversations x JOIN members m ON m.conversation_id = x.id \
         JOIN agents a ON a.id = m.agent_id WHERE x.state IN ('pending', 'active') \
         AND {left} AND NOT {} \
         UNION ALL \
         SELECT DISTINCT x.project_id, a.id, NULL FROM deliveries x \
         JOIN messages t ON t.id = x.message_id JOIN agents a ON a.id = x.agent_id \
         WHERE x.read_at IS NULL AND t.chat IS NOT NULL AND {left} AND NOT {} \
         AND EXISTS (SELECT 1 FROM chats k WHERE k.project_id = x.project_id \
          AND k.human_id = x.sender_id AND k.agent_id = x.agent_id AND k.ended_at IS NULL) \
         LIMIT {AGAIN_MAX}",
        asked("= x.id"),
        asked("IS NULL"),
    );
    let [rows] = sql::query([toolkit::sql!(find, now.stored())])?;
    let left = rows.read::<Left>()?;
    if !left.is_empty() {
        sql::transact_all(&left.iter().map(|it| restore(it, now)).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Inserts the purpose, unless there is one already.
fn restore(left: &Left, now: Moment) -> Statement {
    toolkit::sql!(
        "INSERT INTO pending_purposes (id, agent_id, project_id, purpose, conversation_id, \
         created_at) SELECT $1, $2, $3, 'chat', $4, $5 \
         WHERE NOT EXISTS (SELECT 1 FROM pending_purposes p WHERE p.agent_id = $2 \
          AND p.project_id = $3 AND p.purpose = 'chat' \
          AND COALESCE(p.conversation_id, '') = COALESCE($4, '')) \
         AND ($4 IS NULL OR EXISTS (SELECT 1 FROM conversations c WHERE c.id = $4 \
          AND c.state IN ('pending', 'active')))",
        ids::purpose(now),
        &left.agent_id,
        &left.project_id,
        left.conversation_id.clone(),
        now.stored(),
    )
}

/// Maximum pause between two looks for unanswered messages, in seconds.
const WAIT_S: u32 = 45;
/// How long an idle worker stays, in seconds.
const IDLE_S: u32 = 3;
/// Time in which one run may begin answers, in seconds, and the maximum number of answers.
const RUN_S: u32 = 300;
const ANSWERS_MAX: usize = 32;
/// Maximum number of events handled at a time.
const NEWS_MAX: usize = 1_000;

/// The agent that is played.
#[derive(Clone, Debug)]
struct Agent {
    /// Identifier of the project.
    project_id: String,
    /// Identifier of the agent.
    agent_id: String,
    /// The agent's name for people.
    name: String,
    /// Name of the assistant that plays it.
    assistant: String,
}

/// The worker of one agent of a project, for one run of its job.
struct Worker {
    /// The agent that is played.
    agent: Agent,
    /// Limits of the assistant in one conversation.
    facts: Facts,
    /// The session's token, valid for this run only.
    token: String,
    began: Moment,
}

/// The agent, and whether it is wanted.
#[derive(Deserialize)]
struct Found {
    name: String,
    assistant: String,
    /// Whether it is wanted for a chat.
    is_wanted: bool,
    /// Whether it has a live session.
    is_there: bool,
}

impl Worker {
    /// Opens a session, or continues the live one under a new token that replaces that of the run before. None where
    /// the agent is not wanted or its assistant does not exist.
    ///
    /// # Errors
    /// When the database fails.
    fn enter(project_id: &str, agent_id: &str) -> Result<Option<Self>, Stop> {
        let now = Moment::now();
        let Some(found) = find(project_id, agent_id, now)? else { return Ok(None) };
        let Some(facts) = assistants::about(&found.assistant) else { return Ok(None) };
        let token = ids::session_token();
        let digest = ids::digest(&token);
        let is_in = if found.is_wanted {
            if !found.is_there {
                sql::transact([progress::delete_chats(project_id, agent_id)])?;
            }
            let admission = Admission::Played;
            match enter(&Opening { token: &digest, agent_id, project_id, now, admission }) {
                Ok(_) => true,
                // The agent is not wanted any more.
                Err(Error::UnexpectedCount(it)) if it.statement == 0 => false,
                Err(error) => return Err(error.into()),
            }
        } else {
            let [renewed] = sql::transact([session::renew(project_id, agent_id, &digest, now)])?;
            renewed.changes > 0
        };
        let agent = Agent {
            project_id: project_id.to_owned(),
            agent_id: agent_id.to_owned(),
            name: found.name,
            assistant: found.assistant,
        };
        Ok(is_in.then_some(Self { agent, facts, token, began: now }))
    }

    /// Handles everything that is due now.
    ///
    /// # Errors
    /// When the session is over, or the database fails.
    fn play(&self) -> Result<Outcome, Stop> {
        let mut answers = 0;
        loop {
            let Some(session) = self.handle_news()? else { return Ok(Outcome::Done) };
            let all_progress = progress::load_all(&self.agent)?;
            let now = Moment::now();
            if !all_progress.iter().any(|it| it.is_due(now)) {
                return self.pause_or_leave(&session, &all_progress);
            }
            for progress in all_progress.into_iter().filter(|it| it.is_due(now)) {
                if answers >= ANSWERS_MAX || Moment::now() >= self.began.after(RUN_S) {
                    return Ok(self.pause(Moment::now()));
                }
                answers += 1;
                dialogue::answer(self, progress)?;
            }
        }
    }

    /// Handles events and messages until there is nothing new. Returns the session, or none where it is over.
    fn handle_news(&self) -> Result<Option<Session>, Stop> {
        for _ in 0..NEWS_MAX {
            match GetNextAction::once(&self.token, Moment::now())? {
                Next::Nothing(session) => return Ok(Some(session)),
                Next::Something(Action::Exit { .. }) => return Ok(None),
                Next::Something(Action::Logout { .. }) => {
                    Logout::leave(&self.token)?;
                    return Ok(None);
                }
                // The messages themselves are read from the log.
                Next::Something(Action::GetPendingMessages { .. }) => {
                    GetPendingMessages::once(&self.token)?;
                }
                // A work session reads no messages.
                Next::Something(Action::ConversationEnded { pending_messages, .. })
                    if !pending_messages.is_empty() =>
                {
                    match GetPendingMessages::once(&self.token) {
                        Err(Stop::Refused(it)) if it.code == "tool_not_available" => {}
                        other => drop(other?),
                    }
                }
                Next::Something(
                    Action::ConversationRequest { .. }
                    | Action::ConversationEnded { .. }
                    | Action::ConversationExpired { .. }
                    | Action::WaitForMessages { .. },
                )
                | Next::Again
                | Next::Elsewhere => {}
            }
        }
        Err(unavailable("Too much is new at once.", None))
    }

    /// Pauses until something happens, or leaves where nothing can happen.
    fn pause_or_leave(
        &self,
        session: &Session,
        all_progress: &[Progress],
    ) -> Result<Outcome, Stop> {
        let now = Moment::now();
        if all_progress.iter().any(Progress::may_continue) {
            let retries = all_progress.iter().filter_map(Progress::retry_at).filter(|it| *it > now);
            let until = retries.chain([now.after(WAIT_S)]).min();
            return Ok(self.pause(until.unwrap_or(now)));
        }
        let until = Moment::read(&session.last_activity_at).unwrap_or(now).after(IDLE_S);
        if until > now {
            return Ok(self.pause(until));
        }
        Logout::leave(&self.token)?;
        Ok(Outcome::Done)
    }

    /// Pauses until an event of the agent, `until` at the latest.
    fn pause(&self, until: Moment) -> Outcome {
        let event = events::agent(&self.agent.project_id, &self.agent.agent_id);
        Outcome::Paused(Pause::until([event], until.time()))
    }
}

fn find(project_id: &str, agent_id: &str, now: Moment) -> Result<Option<Found>, Stop> {
    let find = format!(
        "SELECT a.name, a.assistant, EXISTS (SELECT 1 FROM pending_purposes p \
          WHERE p.agent_id = $1 AND p.project_id = $2 AND p.purpose = 'chat') AS is_wanted, \
         EXISTS (SELECT 1 FROM sessions WHERE {}) AS is_there \
         FROM agents a WHERE a.id = $1 AND a.is_gone = 0 AND a.assistant IS NOT NULL",
        session::PLAYED
    );
    let [rows] = sql::query([toolkit::sql!(find, agent_id, project_id, now.stored())])?;
    Ok(rows.first()?)
}
