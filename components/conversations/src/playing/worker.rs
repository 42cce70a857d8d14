//! The worker for one agent: enters a session, handles events and messages, and leaves when nothing is left to do.

use serde::Deserialize;
use toolkit::{
    Stop,
    assistants::{self, Facts},
    jobs::{Outcome, Pause},
    sql,
    sql::Error,
    unavailable,
};

use super::{
    dialogue,
    progress::{self, Progress},
};
use crate::{
    clock::Moment,
    events, ids,
    session::{self, Admission, Opening, Session},
    tools::{Action, GetNextAction, GetPendingMessages, Logout, Next, enter},
};

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
pub(super) struct Agent {
    /// Identifier of the project.
    pub(super) project_id: String,
    /// Identifier of the agent.
    pub(super) agent_id: String,
    /// The agent's name for people.
    pub(super) name: String,
    /// Name of the assistant that plays it.
    pub(super) assistant: String,
}

/// The worker of one agent of a project, for one run of its job.
pub(super) struct Worker {
    /// The agent that is played.
    pub(super) agent: Agent,
    /// Limits of the assistant in one conversation.
    pub(super) facts: Facts,
    /// The session's token, valid for this run only.
    pub(super) token: String,
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
    pub(super) fn enter(project_id: &str, agent_id: &str) -> Result<Option<Self>, Stop> {
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
    pub(super) fn play(&self) -> Result<Outcome, Stop> {
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
