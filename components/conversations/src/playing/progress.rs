//! An agent's progress in its conversations and chats: the table `plays`.

use serde::Deserialize;
use toolkit::{Stop, sql, sql::Statement};

use super::Agent;
use crate::{clock::Moment, delivery::chat_of};

/// Maximum number of conversations and chats of an agent at a time; messages in others wait.
const STANDS_MAX: usize = 32;
/// Maximum number of messages that the assistant receives.
const LOG_MAX: usize = 200;
/// Prefix of the client identifiers of an agent's answers.
const MARK: &str = "play";

/// An agent's progress in one conversation or chat.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Progress {
    /// The conversation, or the person.
    place: String,
    /// The conversation; none in a chat.
    pub(super) conversation_id: Option<String>,
    /// Identifier of the agent that it talks with.
    pub(super) partner: String,
    /// Their name for people.
    pub(super) partner_name: String,
    /// What the conversation is for.
    pub(super) purpose: Option<String>,
    /// Whether the agent began it.
    pub(super) is_initiator: bool,
    /// Whether a person has paused it.
    is_paused: bool,
    /// The number of its last message.
    last: u32,
    /// Whether someone else has written after `received`.
    has_news: bool,
    /// The number of the last message that was answered or skipped.
    pub(super) received: u32,
    /// Whether the agent has been asked for the first message.
    pub(super) has_opened: bool,
    /// Number of its answers.
    pub(super) turns: u32,
    /// Tokens used by the answers.
    pub(super) tokens: u64,
    /// Number of consecutive failures.
    pub(super) failures: u32,
    /// When to retry, as stored.
    pub(super) retry_at: Option<String>,
    /// Whether it has stopped answering.
    pub(super) is_silent: bool,
}

/// A stored message.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct LoggedMessage {
    /// Its number within its conversation or chat.
    pub(super) sequence: u32,
    /// Identifier of its sender.
    pub(super) sender_id: String,
    /// The message's text.
    pub(super) content: String,
    /// The sender's own identifier of it.
    client_message_id: Option<String>,
}

/// Loads the progress in all conversations whose request the agent has received, then in running chats, the oldest
/// first.
pub(super) fn load_all(agent: &Agent) -> Result<Vec<Progress>, Stop> {
    let [conversations, chats] = sql::query([conversations(agent), chats(agent)])?;
    let mut all_progress: Vec<Progress> = conversations.read()?;
    all_progress.extend(chats.read::<Progress>()?);
    all_progress.truncate(STANDS_MAX);
    Ok(all_progress)
}

/// Returns the columns of [`Progress`] from `plays p`. The conditions on messages `t` say which exist and which count
/// as received where there is no row yet.
fn progress_columns(place: &str, is_there: &str, is_read: &str) -> String {
    let received = format!(
        "COALESCE(p.heard, (SELECT MAX(t.sequence) FROM messages t \
         WHERE {is_there} AND {is_read}), 0)"
    );
    format!(
        "{place} AS place, {received} AS received, EXISTS (SELECT 1 FROM messages t WHERE {is_there} \
         AND t.sender_id <> $2 AND t.sequence > {received}) AS has_news, \
         COALESCE(p.has_opened, 0) AS has_opened, COALESCE(p.turns, 0) AS turns, \
         COALESCE(p.tokens, 0) AS tokens, COALESCE(p.failures, 0) AS failures, p.retry_at, \
         COALESCE(p.is_silent, 0) AS is_silent"
    )
}

/// Selects conversations; messages that the agent has read without answering are answered now.
fn conversations(agent: &Agent) -> Statement {
    let counts = progress_columns("c.id", "t.conversation_id = c.id", "t.sender_id = $2");
    toolkit::sql!(
        format!(
            "SELECT c.id AS conversation_id, o.id AS partner, o.name AS partner_name, c.purpose, \
             c.initiator_agent_id = $2 AS is_initiator, c.paused_at IS NOT NULL AS is_paused, \
             c.messages AS last, {counts} \
             FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.project_id = $1 \
             JOIN agents o ON o.id = CASE WHEN c.initiator_agent_id = $2 \
              THEN c.participant_agent_id ELSE c.initiator_agent_id END \
             LEFT JOIN plays p ON p.project_id = $1 AND p.agent_id = $2 AND p.place = c.id \
             WHERE m.agent_id = $2 AND m.notified_at IS NULL AND (c.state = 'active' \
             OR (c.state = 'pending' AND c.initiator_agent_id = $2)) \
             ORDER BY c.created_at, c.id LIMIT {STANDS_MAX}"
        ),
        &agent.project_id,
        &agent.agent_id,
    )
}

/// Selects chats, without the messages from before they began.
fn chats(agent: &Agent) -> Statement {
    let chat = "CASE WHEN h.id < $2 THEN h.id || ' ' || $2 ELSE $2 || ' ' || h.id END";
    let counts = progress_columns(
        "h.id",
        &format!("t.project_id = $1 AND t.chat = {chat}"),
        "(t.sender_id = $2 OR t.created_at < k.started_at)",
    );
    toolkit::sql!(
        format!(
            "SELECT NULL AS conversation_id, h.id AS partner, h.name AS partner_name, \
             NULL AS purpose, 0 AS is_initiator, 0 AS is_paused, k.messages AS last, {counts} \
             FROM chats k JOIN agents h ON h.id = k.human_id \
             LEFT JOIN plays p ON p.project_id = $1 AND p.agent_id = $2 AND p.place = h.id \
             WHERE k.project_id = $1 AND k.agent_id = $2 AND k.ended_at IS NULL \
             ORDER BY k.started_at, h.id LIMIT {STANDS_MAX}"
        ),
        &agent.project_id,
        &agent.agent_id,
    )
}

/// Deletes the progress in chats, which ends with the session.
pub(super) fn delete_chats(project_id: &str, agent_id: &str) -> Statement {
    toolkit::sql!(
        "DELETE FROM plays WHERE project_id = $1 AND agent_id = $2 \
         AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = plays.place)",
        project_id,
        agent_id,
    )
}

/// Deletes the progress in conversations and chats that have ended.
pub fn delete_ended() -> Statement {
    toolkit::sql!(
        "DELETE FROM plays WHERE NOT EXISTS (SELECT 1 FROM conversations c \
         WHERE c.id = plays.place AND c.state IN ('pending', 'active')) \
         AND NOT EXISTS (SELECT 1 FROM chats k WHERE k.project_id = plays.project_id \
         AND k.human_id = plays.place AND k.agent_id = plays.agent_id AND k.ended_at IS NULL)",
    )
}

impl Progress {
    /// Whether the agent has to send the first message.
    pub(super) fn must_open(&self) -> bool {
        let is_asked = self.has_opened || self.is_silent;
        self.is_initiator && self.conversation_id.is_some() && self.last == 0 && !is_asked
    }

    /// Whether something is due now.
    pub(super) fn is_due(&self, now: Moment) -> bool {
        let may = !self.is_paused && self.retry_at.as_ref().is_none_or(|it| *it <= now.stored());
        may && (self.has_news || self.must_open())
    }

    /// Whether something may still happen that needs the agent.
    pub(super) fn may_continue(&self) -> bool {
        self.conversation_id.is_none() || !self.is_silent
    }

    /// Returns when to retry.
    pub(super) fn retry_at(&self) -> Option<Moment> {
        self.retry_at.as_deref().and_then(Moment::read)
    }

    /// Returns the client identifier of the answer to everything up to `received`, so that it is sent once.
    pub(super) fn answer_id(&self, received: u32) -> String {
        format!("{MARK}:{}:{received}", self.place)
    }

    /// Marks all messages so far as received, without an answer.
    pub(super) fn skip_messages(&mut self) {
        self.received = self.last;
    }

    /// Reads the last messages, oldest first. Messages answered by a run that ended before it stored that count as
    /// received.
    pub(super) fn read_messages(&mut self, agent: &Agent) -> Result<Vec<LoggedMessage>, Stop> {
        let select = |condition: &str| {
            format!(
                "SELECT sequence, sender_id, content, client_message_id FROM messages \
                 WHERE {condition} ORDER BY sequence DESC LIMIT {LOG_MAX}"
            )
        };
        let statement = match &self.conversation_id {
            Some(id) => toolkit::sql!(select("conversation_id = $1"), id),
            None => toolkit::sql!(
                select("project_id = $1 AND chat = $2"),
                &agent.project_id,
                chat_of(&agent.agent_id, &self.partner),
            ),
        };
        let [rows] = sql::query([statement])?;
        let mut log = rows.read::<LoggedMessage>()?;
        log.reverse();
        self.last = log.last().map_or(self.last, |it| it.sequence);
        let own = log.iter().filter(|it| it.sender_id == agent.agent_id);
        let answered = own.filter_map(|it| self.answered_by(it)).max();
        self.received = self.received.max(answered.unwrap_or_default());
        Ok(log)
    }

    /// Returns the number up to which one of the agent's messages answers; none for other messages.
    fn answered_by(&self, message: &LoggedMessage) -> Option<u32> {
        let rest = message.client_message_id.as_deref()?.strip_prefix(MARK)?;
        rest.strip_prefix(':')?.strip_prefix(self.place.as_str())?.strip_prefix(':')?.parse().ok()
    }

    /// Reads the assistant's memory.
    pub(super) fn memory(&self, agent: &Agent) -> Result<Option<String>, Stop> {
        let [rows] = sql::query([toolkit::sql!(
            "SELECT memory FROM plays WHERE project_id = $1 AND agent_id = $2 AND place = $3",
            &agent.project_id,
            &agent.agent_id,
            &self.place,
        )])?;
        Ok(rows.first::<(Option<String>,)>()?.and_then(|it| it.0))
    }

    /// Returns the statement that stores the assistant's memory.
    pub(super) fn store_memory(&self, agent: &Agent, memory: Option<String>) -> Statement {
        toolkit::sql!(
            "UPDATE plays SET memory = $4 WHERE project_id = $1 AND agent_id = $2 AND place = $3",
            &agent.project_id,
            &agent.agent_id,
            &self.place,
            memory,
        )
    }

    /// Returns the statement that stores the progress.
    pub(super) fn store(&self, agent: &Agent) -> Statement {
        toolkit::sql!(
            "INSERT INTO plays (project_id, agent_id, place, heard, has_opened, turns, tokens, \
             failures, retry_at, is_silent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             ON CONFLICT (project_id, agent_id, place) DO UPDATE SET heard = excluded.heard, \
             has_opened = excluded.has_opened, turns = excluded.turns, tokens = excluded.tokens, \
             failures = excluded.failures, retry_at = excluded.retry_at, \
             is_silent = excluded.is_silent",
            &agent.project_id,
            &agent.agent_id,
            &self.place,
            self.received,
            self.has_opened,
            self.turns,
            i64::try_from(self.tokens).unwrap_or(i64::MAX),
            self.failures,
            self.retry_at.clone(),
            self.is_silent,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_id_names_last_answered_message() {
        let progress = Progress { place: "conv_1".to_owned(), ..Progress::default() };
        let sent = |id: &str| LoggedMessage {
            client_message_id: Some(id.to_owned()),
            ..LoggedMessage::default()
        };
        assert_eq!(progress.answered_by(&sent(&progress.answer_id(12))), Some(12));
        for other in ["play:conv_1:12:end", "play:conv_11:12", "play:conv_2:12", "12", "play"] {
            assert_eq!(progress.answered_by(&sent(other)), None, "{other}");
        }
        assert_eq!(progress.answered_by(&LoggedMessage::default()), None);
    }

    #[test]
    fn asks_for_first_message_once() {
        let mut progress = Progress {
            conversation_id: Some("conv_1".to_owned()),
            is_initiator: true,
            ..Progress::default()
        };
        let now = Moment::of_ms(0);
        assert!(progress.is_due(now));
        progress.retry_at = Some(now.after(1).stored());
        assert!(!progress.is_due(now) && progress.is_due(now.after(1)));
        progress.has_opened = true;
        assert!(!progress.is_due(now.after(1)));
        assert!(
            !Progress { is_initiator: true, ..Progress::default() }.must_open(),
            "a person's chat"
        );
    }
}
