//! Sessions of agents: their tokens, projects and purposes, and how they are opened and kept alive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Stop,
    sql::{self, Statement},
    unavailable,
};

use crate::{clock::Moment, expiry::ExpiryCheck, ids, passkey, refusals};

/// Lifetime of a session, in seconds (CONV-82).
pub const LIFE_S: u32 = 3_600;
/// Retention of ended sessions in seconds, to tell them from unknown ones.
const KEEP_S: u32 = 86_400;
/// Maximum number of live sessions of an agent in a project; the oldest ends where there would be more.
const LIVE_MAX: u32 = 20;
/// Maximum number of expiry checks per call; each handles fifty things.
const LOOKS_MAX: u32 = 20;

/// The purpose of a session (CONV-82).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The agent takes part in conversations and chats.
    Chat,
    /// The agent works on tasks.
    Task,
}

/// A live session.
#[derive(Clone, Debug, Deserialize)]
pub struct Session {
    /// The SHA-256 of its token.
    pub token: String,
    /// Identifier of its agent.
    pub agent_id: String,
    /// The agent's name for people.
    pub name: String,
    /// Identifier of the project.
    pub project_id: String,
    /// Its purpose.
    pub purpose: Purpose,
    /// `active`, or `terminating`: a person has closed the chat and the agent has not been notified yet.
    pub state: String,
    /// When a message was last sent in it.
    pub last_activity_at: String,
    /// When the last waiting call began.
    pub asked_at: Option<String>,
}

/// Selects the live session of a token.
pub fn by_token(token: &str, now: Moment) -> Statement {
    toolkit::sql!(
        "SELECT s.token, s.agent_id, a.name, s.project_id, s.purpose, s.state, \
         s.last_activity_at, s.asked_at \
         FROM sessions s JOIN agents a ON a.id = s.agent_id \
         WHERE s.token = $1 AND s.state <> 'ended' AND s.expires_at > $2 AND a.is_gone = 0",
        ids::digest(token),
        now.stored(),
    )
}

/// Returns the live session of a token, after expiring what is due (CONV-23).
///
/// # Errors
/// `invalid_session` (CONV-83).
pub fn live(token: &str) -> Result<Session, Stop> {
    for _ in 0..LOOKS_MAX {
        let check = ExpiryCheck::now()?;
        let [rows, due] = sql::query([by_token(token, check.now), check.due()])?;
        if !check.settle(due)? {
            return rows.first::<Session>()?.ok_or_else(refusals::invalid_session);
        }
    }
    Err(unavailable("Too much is over at once; call again.", None))
}

/// Selects a row if the agent of a token has opened a session since then, or waits in a later call. Earlier waiting
/// calls may belong to clients that are gone. Times after `now` come from a clock that was set back and are ignored.
pub fn has_later_call(token: &str, since: Moment, now: Moment) -> Statement {
    toolkit::sql!(
        "SELECT 1 FROM sessions s JOIN sessions o ON o.agent_id = s.agent_id \
         AND o.project_id = s.project_id AND o.state <> 'ended' \
         WHERE s.token = $1 AND ((o.asked_at > $2 AND o.asked_at <= $3) \
         OR (o.created_at > $2 AND o.created_at <= $3 AND o.token <> s.token)) LIMIT 1",
        ids::digest(token),
        since.stored(),
        now.stored(),
    )
}

/// The condition for the live session of agent `$1` in project `$2` at `$3` in which an assistant plays it.
pub const PLAYED: &str = "is_played = 1 AND agent_id = $1 AND project_id = $2 \
     AND state IN ('active', 'terminating') AND expires_at > $3";

/// Replaces the token of a played agent's live session; only the digest is stored.
pub fn renew(project_id: &str, agent_id: &str, digest: &str, now: Moment) -> Statement {
    toolkit::sql!(
        format!("UPDATE sessions SET token = $4 WHERE {PLAYED}"),
        agent_id,
        project_id,
        now.stored(),
        digest,
    )
}

impl Session {
    /// Records a waiting call that began at `since`.
    ///
    /// # Errors
    /// When the database fails.
    pub fn record_waiting(&self, since: Moment) -> Result<(), Stop> {
        let since = since.stored();
        if self.asked_at.as_ref().is_some_and(|it| *it >= since) {
            return Ok(());
        }
        let update = "UPDATE sessions SET asked_at = $2 \
             WHERE token = $1 AND (asked_at IS NULL OR asked_at < $2)";
        sql::transact_all(&[toolkit::sql!(update, &self.token, since)])?;
        Ok(())
    }

    /// Refuses unless it is a chat session (CONV-111).
    ///
    /// # Errors
    /// When it is a work session.
    pub fn must_chat(&self, tool: &str) -> Result<(), Stop> {
        match self.purpose {
            Purpose::Chat => Ok(()),
            Purpose::Task => Err(refusals::tool_not_available(
                tool,
                refusals::say(
                    "このツールはチャットセッションでのみ使えます。",
                    "This tool needs a chat session.",
                ),
            )),
        }
    }
}

/// A session to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The SHA-256 of its token.
    pub token: &'a str,
    /// Identifier of the agent.
    pub agent_id: &'a str,
    /// Identifier of the project.
    pub project_id: &'a str,
    /// When it is opened.
    pub now: Moment,
    /// How the agent is admitted.
    pub admission: Admission<'a>,
}

/// How an agent is admitted to a session.
#[derive(Clone, Copy, Debug)]
pub enum Admission<'a> {
    /// By a passkey verified against this hash. The purpose is a chat where one is pending or the agent is in a
    /// conversation, else a task (CONV-82).
    Passkey(&'a str),
    /// As an agent that an assistant plays; the purpose is always a chat.
    Played,
}

impl Opening<'_> {
    /// Returns the statements that open the session. The first gives its `purpose`, or fails where the agent may not be
    /// admitted. The agent's pending purposes are used up (CONV-82); its older chat session in the project ends.
    pub fn statements(&self) -> Vec<Statement> {
        let mut statements = vec![self.insert()];
        let at = self.now.stored();
        statements.push(toolkit::sql!(
            "UPDATE sessions SET state = 'ended', ended_at = $4 \
             WHERE agent_id = $1 AND project_id = $2 AND purpose = 'chat' AND state <> 'ended' \
             AND token <> $3 AND EXISTS \
             (SELECT 1 FROM sessions s WHERE s.token = $3 AND s.purpose = 'chat')",
            self.agent_id,
            self.project_id,
            self.token,
            &at,
        ));
        statements.push(toolkit::sql!(
            "DELETE FROM pending_purposes WHERE agent_id = $1 AND project_id = $2 \
             AND purpose = (SELECT s.purpose FROM sessions s WHERE s.token = $3)",
            self.agent_id,
            self.project_id,
            self.token,
        ));
        statements.push(toolkit::sql!(
            format!(
                "UPDATE sessions SET state = 'ended', ended_at = $3 WHERE state <> 'ended' \
                 AND token IN (SELECT token FROM sessions \
                 WHERE agent_id = $1 AND project_id = $2 AND state <> 'ended' \
                 ORDER BY created_at DESC, token LIMIT 1000 OFFSET {LIVE_MAX}) AND token <> $4"
            ),
            self.agent_id,
            self.project_id,
            &at,
            self.token,
        ));
        statements.push(toolkit::sql!(
            "DELETE FROM sessions WHERE agent_id = $1 AND project_id = $2 AND expires_at < $3",
            self.agent_id,
            self.project_id,
            self.now.before(KEEP_S).stored(),
        ));
        statements
    }

    fn insert(&self) -> Statement {
        // Repeats the checks made before the passkey was verified, which took a while.
        let (way, is_played) = match self.admission {
            Admission::Passkey(_) => (
                "AND a.passkey = $7 AND NOT EXISTS (SELECT 1 FROM callers_tries f \
                 WHERE f.agent_id = $2 AND f.count >= $8 AND f.first_at > $9 AND f.caller = $10)",
                0,
            ),
            Admission::Played => (
                "AND a.assistant IS NOT NULL AND EXISTS (SELECT 1 FROM pending_purposes w \
                 WHERE w.agent_id = $2 AND w.project_id = $3 AND w.purpose = 'chat')",
                1,
            ),
        };
        let purpose = match self.admission {
            Admission::Passkey(_) => {
                "CASE WHEN EXISTS (SELECT 1 FROM pending_purposes w WHERE w.agent_id = $2 \
                 AND w.project_id = $3 AND w.purpose = 'chat') \
                 OR EXISTS (SELECT 1 FROM conversations c WHERE c.project_id = $3 \
                 AND c.state IN ('pending', 'active') \
                 AND (c.initiator_agent_id = $2 OR c.participant_agent_id = $2)) \
                 THEN 'chat' ELSE 'task' END"
            }
            Admission::Played => "'chat'",
        };
        let insert = format!(
            "INSERT INTO sessions (token, agent_id, project_id, purpose, created_at, expires_at, \
             last_activity_at, is_played) SELECT $1, $2, $3, {purpose}, $4, $5, $4, $6 \
             FROM assignments m JOIN agents a ON a.id = m.agent_id \
             JOIN projects p ON p.id = m.project_id \
             WHERE m.agent_id = $2 AND m.project_id = $3 AND a.is_gone = 0 AND a.type = 'ai' \
             AND p.is_gone = 0 {way} RETURNING purpose"
        );
        let insert = toolkit::sql!(
            insert,
            self.token,
            self.agent_id,
            self.project_id,
            self.now.stored(),
            self.now.after(LIFE_S).stored(),
            is_played,
        );
        let insert = match self.admission {
            Admission::Passkey(hash) => insert
                .bind(hash)
                .bind(passkey::TRIES_MAX)
                .bind(self.now.before(passkey::TRIES_WITHIN_S).stored())
                .bind(passkey::caller_by_name()),
            Admission::Played => insert,
        };
        insert.expect(1)
    }
}

/// Keeps a session alive as a message is sent (CONV-66). The first statement requires a live session.
pub fn keep_alive(session: &Session, at: Moment) -> Vec<Statement> {
    let update = toolkit::sql!(
        "UPDATE sessions SET last_activity_at = max($2, last_activity_at) \
         WHERE token = $1 AND state <> 'ended'",
        &session.token,
        at.stored(),
    );
    vec![update.expect(1)]
}

/// Turns a session into the only chat session of its agent (CONV-82), because a conversation begins or is delivered
/// in it and its answers must be read (CONV-111).
pub fn make_chat(session: &Session, at: Moment) -> Vec<Statement> {
    if session.purpose == Purpose::Chat {
        return keep_alive(session, at);
    }
    let update = toolkit::sql!(
        "UPDATE sessions SET purpose = 'chat', last_activity_at = $2 \
         WHERE token = $1 AND state <> 'ended'",
        &session.token,
        at.stored(),
    );
    let others = toolkit::sql!(
        "UPDATE sessions SET state = 'ended', ended_at = $4 WHERE agent_id = $1 \
         AND project_id = $2 AND purpose = 'chat' AND state <> 'ended' AND token <> $3",
        &session.agent_id,
        &session.project_id,
        &session.token,
        at.stored(),
    );
    vec![update.expect(1), others]
}
