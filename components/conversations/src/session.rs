//! Whose session a token is: who calls, where, and what for.

use serde::{Deserialize, Serialize};
use toolkit::{Stop, sql, sql::Statement};

use crate::{clock::Moment, ids, refusals};

/// How long a session lives (CONV-82).
pub const LIFE_S: u32 = 3_600;
/// How long a chat session may be idle (CONV-82).
pub const IDLE_S: u32 = 600;

/// What a session is for (CONV-82).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To talk.
    Chat,
    /// To work.
    Task,
}

/// A live session.
#[derive(Clone, Debug, Deserialize)]
pub struct Session {
    /// The SHA-256 of its token.
    pub token: String,
    /// Whose it is.
    pub agent_id: String,
    /// The agent's name for people.
    pub name: String,
    /// Where.
    pub project_id: String,
    /// What for.
    pub purpose: Purpose,
    /// `active`, or `terminating`: a person has closed the chat, and the agent has not heard of it.
    pub state: String,
    /// When something was last said in it.
    pub last_activity_at: String,
    /// Whether the host plays the agent.
    pub is_played: bool,
}

/// The live session of a token.
#[must_use]
pub fn by_token(token: &str, now: Moment) -> Statement {
    toolkit::sql!(
        "SELECT s.token, s.agent_id, a.name, s.project_id, s.purpose, s.state, \
         s.last_activity_at, s.is_played \
         FROM sessions s JOIN agents a ON a.id = s.agent_id \
         WHERE s.token = $1 AND s.state <> 'ended' AND s.expires_at > $2",
        ids::digest(token),
        now.stored(),
    )
}

/// The live session of a token.
///
/// # Errors
/// When there is none (CONV-83).
pub fn of(token: &str) -> Result<Session, Stop> {
    let [rows] = sql::query([by_token(token, Moment::now())])?;
    rows.first::<Session>()?.ok_or_else(refusals::invalid_session)
}

impl Session {
    /// Stops where it is not a chat session (CONV-111).
    ///
    /// # Errors
    /// When it is there to work.
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
