//! What waits for agents that the host plays (CONV-8): one row a purpose, with whom it is about.

use output::conversations::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Stop, events, sql, sql::Statement};

use crate::{clock::Moment, events::PURPOSES, ids};

/// Purposes that are told at a time, the oldest first.
pub const MAX: usize = 500;
/// What is going on, and played or not, that one look goes through.
const LEFT_MAX: usize = 5_000;

/// Why an agent should be launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Purpose {
    /// `pap_…`.
    pub id: String,
    /// Who is wanted.
    pub agent_id: String,
    /// The agent's name for people.
    pub name: String,
    /// Where.
    pub project_id: String,
    /// For which conversation; none where a person wants to chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The assistant of the host that plays the agent.
    pub assistant: String,
    /// Which side of the conversation the agent is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What the conversation is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The other side: an agent, or the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner_id: Option<String>,
    /// Their name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner_name: Option<String>,
}

/// An agent in a project.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Where.
    pub project_id: String,
    /// Who.
    pub agent_id: String,
}

/// The chat of an agent that is nearest: one that is on before one that is over, and of those the
/// one in which something was said last.
const PERSON: &str = "SELECT h.{} FROM chats k JOIN agents h ON h.id = k.human_id \
     WHERE k.project_id = p.project_id AND k.agent_id = p.agent_id AND h.type = 'human' \
     ORDER BY k.ended_at IS NOT NULL, COALESCE(k.last_message_at, k.started_at) DESC LIMIT 1";

fn select(condition: &str) -> String {
    let person = |column: &str| PERSON.replace("{}", column);
    format!(
        "SELECT p.id, p.agent_id, a.name, p.project_id, p.conversation_id, a.assistant, m.role, \
         c.purpose, \
         CASE WHEN c.id IS NULL THEN ({}) ELSE o.id END AS partner_id, \
         CASE WHEN c.id IS NULL THEN ({}) ELSE o.name END AS partner_name \
         FROM pending_purposes p JOIN agents a ON a.id = p.agent_id \
         LEFT JOIN conversations c ON c.id = p.conversation_id \
         LEFT JOIN members m ON m.conversation_id = c.id AND m.agent_id = p.agent_id \
         LEFT JOIN agents o ON o.id = CASE WHEN c.initiator_agent_id = p.agent_id \
          THEN c.participant_agent_id ELSE c.initiator_agent_id END \
         WHERE a.assistant IS NOT NULL AND a.is_gone = 0 AND p.purpose = 'chat' AND {condition}",
        person("id"),
        person("name"),
    )
}

/// What waits, oldest first.
///
/// # Errors
/// As the database.
pub fn waiting() -> Result<Vec<Purpose>, Stop> {
    let select = format!("{} ORDER BY p.created_at, p.id LIMIT {MAX}", select("1 = 1"));
    let [rows] = sql::query([Statement::new(select)])?;
    Ok(rows.read()?)
}

/// One that waits.
///
/// # Errors
/// As the database.
pub fn one(id: &str) -> Result<Option<Purpose>, Stop> {
    let [rows] = sql::query([toolkit::sql!(select("p.id = $1"), id)])?;
    Ok(rows.first()?)
}

/// An agent that the host plays, in the middle of something that nobody plays.
#[derive(Deserialize)]
struct Left {
    project_id: String,
    agent_id: String,
    conversation_id: Option<String>,
}

/// Writes a purpose for whatever an agent of the host has left off in the middle, because the host
/// went: an open conversation, or a person's words in a chat that is on. `playing` are at it.
///
/// # Errors
/// As the database.
pub fn recover(playing: &[Key]) -> Result<(), Stop> {
    let now = Moment::now();
    // Whoever came in from outside plays for themself.
    let nobody = "a.type = 'ai' AND a.assistant IS NOT NULL AND a.is_gone = 0 \
         AND EXISTS (SELECT 1 FROM assignments w WHERE w.agent_id = a.id \
          AND w.project_id = x.project_id) \
         AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.agent_id = a.id \
          AND s.project_id = x.project_id AND s.purpose = 'chat' AND s.state <> 'ended' \
          AND s.is_played = 0 AND s.expires_at > $1)";
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
         AND {nobody} AND NOT {} \
         UNION ALL \
         SELECT DISTINCT x.project_id, a.id, NULL FROM deliveries x \
         JOIN messages t ON t.id = x.message_id JOIN agents a ON a.id = x.agent_id \
         WHERE x.read_at IS NULL AND t.chat IS NOT NULL AND {nobody} AND NOT {} \
         AND EXISTS (SELECT 1 FROM chats k WHERE k.project_id = x.project_id \
          AND k.human_id = x.sender_id AND k.agent_id = x.agent_id AND k.ended_at IS NULL) \
         LIMIT {LEFT_MAX}",
        asked("= x.id"),
        asked("IS NULL"),
    );
    let [rows] = sql::query([toolkit::sql!(find, now.stored())])?;
    let mut left = rows.read::<Left>()?;
    left.retain(|it| {
        let plays = |key: &Key| key.project_id == it.project_id && key.agent_id == it.agent_id;
        !playing.iter().any(plays)
    });
    if left.is_empty() {
        return Ok(());
    }
    left.truncate(MAX);
    let batch: Vec<Statement> = left.iter().map(|it| again(it, now)).collect();
    sql::transact_all(&batch)?;
    events::publish(PURPOSES);
    Ok(())
}

/// A purpose anew, where there is none for it yet.
fn again(it: &Left, now: Moment) -> Statement {
    toolkit::sql!(
        "INSERT INTO pending_purposes (id, agent_id, project_id, purpose, conversation_id, \
         created_at) SELECT $1, $2, $3, 'chat', $4, $5 \
         WHERE NOT EXISTS (SELECT 1 FROM pending_purposes p WHERE p.agent_id = $2 \
          AND p.project_id = $3 AND p.purpose = 'chat' \
          AND COALESCE(p.conversation_id, '') = COALESCE($4, '')) \
         AND ($4 IS NULL OR EXISTS (SELECT 1 FROM conversations c WHERE c.id = $4 \
          AND c.state IN ('pending', 'active')))",
        ids::purpose(now),
        &it.agent_id,
        &it.project_id,
        it.conversation_id.clone(),
        now.stored(),
    )
}
