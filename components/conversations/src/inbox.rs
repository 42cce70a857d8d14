//! An agent's inbox: unread messages, their context (CONV-70), and notices that are delivered once.

use output::conversations::{ChatMessage, State};
use serde::Deserialize;
use toolkit::{
    Stop,
    sql::{self, Statement},
};

use crate::{
    clock::Moment,
    ids,
    record::{MESSAGE, Message},
    session::{self, Session},
    transition::{self, Cause, Changed},
};

/// Maximum number of unread messages per call.
const PENDING_MAX: usize = 10;
/// Maximum number of earlier messages, for context.
const CONTEXT_MAX: usize = 20;

/// Whether a message is delivered: one sent before the participant has joined waits (CONV-63).
pub const IS_DELIVERED: &str = "(c.id IS NULL OR c.state NOT IN ('pending', 'expired') \
     OR c.initiator_agent_id = s.agent_id)";

/// Whether a session's agent may answer a message: not where its conversation has ended.
pub const IS_ANSWERABLE: &str = "(c.id IS NULL OR c.state = 'active' \
     OR (c.state = 'pending' AND c.initiator_agent_id = s.agent_id))";

/// Selects the oldest unread messages of a session's agent.
pub fn unread(token: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT {MESSAGE} FROM sessions s JOIN deliveries d ON d.agent_id = s.agent_id \
             AND d.project_id = s.project_id AND d.read_at IS NULL \
             JOIN messages m ON m.id = d.message_id \
             LEFT JOIN conversations c ON c.id = m.conversation_id \
             WHERE s.token = $1 AND {IS_DELIVERED} \
             ORDER BY d.created_at, d.sequence LIMIT {PENDING_MAX}"
        ),
        ids::digest(token),
    )
}

/// Selects one row if a session's agent has unread messages that it may answer. The notice of an end brings those of
/// ended conversations.
pub fn has_answerable(token: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT 1 FROM sessions s JOIN deliveries d ON d.agent_id = s.agent_id \
             AND d.project_id = s.project_id AND d.read_at IS NULL \
             JOIN messages m ON m.id = d.message_id \
             LEFT JOIN conversations c ON c.id = m.conversation_id \
             WHERE s.token = $1 AND {IS_ANSWERABLE} LIMIT 1"
        ),
        ids::digest(token),
    )
}

/// Selects the oldest unread messages of an agent in one conversation, joined or not.
pub fn unread_in(agent_id: &str, conversation_id: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT {MESSAGE} FROM messages m JOIN deliveries d ON d.message_id = m.id \
             AND d.agent_id = $1 WHERE m.conversation_id = $2 AND d.read_at IS NULL \
             ORDER BY m.sequence LIMIT {PENDING_MAX}"
        ),
        agent_id,
        conversation_id,
    )
}

/// Selects where a session's agent last read or wrote, for use where nothing is unread.
pub fn last_place(token: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT {MESSAGE} FROM sessions s JOIN deliveries d ON d.agent_id = s.agent_id \
             AND d.project_id = s.project_id AND d.read_at IS NOT NULL \
             JOIN messages m ON m.id = d.message_id WHERE s.token = $1 \
             ORDER BY d.read_at DESC, d.created_at DESC, d.sequence DESC LIMIT 1"
        ),
        ids::digest(token),
    )
}

/// Marks messages as read; fails as a whole where another session has read one of them.
pub fn mark_read(session: &Session, messages: &[Message], at: Moment) -> Statement {
    let ids = messages.iter().map(|it| it.id.as_str());
    let statement = toolkit::sql!(
        format!(
            "UPDATE deliveries SET read_at = $2 WHERE agent_id = $1 AND read_at IS NULL \
             AND message_id IN ({})",
            sql::placeholders(3, messages.len())
        ),
        &session.agent_id,
        at.stored(),
    );
    statement.bind_all(ids).expect(messages.len())
}

/// A conversation or chat with messages.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    name: String,
    is_conversation: bool,
    /// The first unread message; earlier ones are context.
    before: u32,
}

/// The context of an agent's unread messages.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The messages, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Whether there are older ones.
    pub is_truncated: bool,
    /// Number of messages in these conversations and chats.
    pub total: u32,
    /// The conversations.
    pub conversations: Vec<Facts>,
}

/// The facts of a conversation.
#[derive(Clone, Debug, Deserialize)]
pub struct Facts {
    /// The conversation's identifier.
    pub id: String,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// Its state.
    pub state: State,
    /// Number of messages so far.
    pub messages: u32,
    /// Number of turns after which it ends.
    pub max_turns: Option<u32>,
    /// Number of turns so far.
    pub turns: u32,
}

/// Reads the context at once; `last` is used where nothing is unread.
///
/// # Errors
/// When the database fails.
pub fn context(
    session: &Session,
    unread: &[Message],
    last: Option<Message>,
) -> Result<Context, Stop> {
    let mut places: Vec<Place> = Vec::new();
    for message in unread {
        add(&mut places, message, message.sequence);
    }
    if let Some(message) = last.filter(|_| places.is_empty()) {
        add(&mut places, &message, u32::MAX);
    }
    if places.is_empty() {
        return Ok(Context::default());
    }
    let before = places.iter().map(|it| before(session, it));
    let facts = places.iter().map(|it| facts(session, it));
    // There are at most as many places as unread messages.
    let batch: Vec<_> = before.chain(facts).collect();
    let mut results = sql::query_all(&batch)?.into_iter();
    let mut context = Context::default();
    let mut messages = Vec::new();
    for rows in results.by_ref().take(places.len()) {
        messages.extend(rows.read::<Message>()?);
    }
    for (rows, place) in results.zip(&places) {
        if place.is_conversation {
            let facts = rows.read::<Facts>()?;
            context.total += facts.iter().map(|it| it.messages).sum::<u32>();
            context.conversations.extend(facts);
        } else {
            context.total += rows.first::<(u32,)>()?.map_or(0, |it| it.0);
        }
    }
    messages.sort_by(|a, b| (&a.created_at, a.sequence).cmp(&(&b.created_at, b.sequence)));
    // Numbers start at 1 without gaps, so the oldest one shows how many came before it.
    let is_first = |it: &Message| it.sequence == 1;
    let firsts = messages.iter().filter(|it| is_first(it)).count();
    let silent = unread.iter().filter(|it| is_first(it)).count();
    let surplus = messages.len().saturating_sub(CONTEXT_MAX);
    context.is_truncated = surplus > 0 || firsts + silent < places.len();
    context.messages = messages.into_iter().skip(surplus).map(Message::into_chat_message).collect();
    Ok(context)
}

fn add(places: &mut Vec<Place>, message: &Message, before: u32) {
    let (name, is_conversation) = message.place();
    if !places.iter().any(|it| it.name == name && it.is_conversation == is_conversation) {
        places.push(Place { name: name.to_owned(), is_conversation, before });
    }
}

fn before(session: &Session, place: &Place) -> Statement {
    let column = if place.is_conversation { "conversation_id" } else { "chat" };
    toolkit::sql!(
        format!(
            "SELECT {MESSAGE} FROM messages m WHERE m.project_id = $1 AND m.{column} = $2 \
             AND m.sequence < $3 ORDER BY m.sequence DESC LIMIT {CONTEXT_MAX}"
        ),
        &session.project_id,
        &place.name,
        place.before,
    )
}

fn facts(session: &Session, place: &Place) -> Statement {
    if place.is_conversation {
        return toolkit::sql!(
            "SELECT c.id, c.purpose, c.state, c.messages, c.max_turns, (SELECT MIN(m.messages) \
             FROM members m WHERE m.conversation_id = c.id) AS turns \
             FROM conversations c WHERE c.id = $1",
            &place.name,
        );
    }
    let (one, other) = place.name.split_once(' ').unwrap_or_default();
    let human = if one == session.agent_id { other } else { one };
    toolkit::sql!(
        "SELECT messages FROM chats WHERE project_id = $1 AND human_id = $2 AND agent_id = $3",
        &session.project_id,
        human,
        &session.agent_id,
    )
}

// Notices of conversations that an agent gets once: ends, expired requests and new requests (CONV-51 to CONV-54).

/// The tool that delivers notices.
const TOOL: &str = "get_next_action";

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A conversation has ended or is ending.
    Ended,
    /// The agent's own request was not answered.
    Expired,
    /// Another agent requests a conversation.
    Request,
}

/// A notice for an agent.
#[derive(Clone, Debug, Deserialize)]
pub struct Notice {
    /// Its kind.
    pub kind: Kind,
    /// Identifier of the conversation.
    pub id: String,
    /// Identifier of the project.
    pub project_id: String,
    /// Identifier of the agent that asked.
    pub initiator_agent_id: String,
    /// The name of the agent that asked.
    pub initiator_name: Option<String>,
    /// Identifier of the agent that was asked.
    pub participant_agent_id: String,
    /// The conversation's state.
    pub state: State,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// The agent that ended it, or `system`.
    pub ended_by: Option<String>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// The reason given by the member that ended it.
    pub reason_text: Option<String>,
}

/// Selects the next notice for a session's agent: ends, then expiries, then requests, the oldest first.
pub fn next(token: &str) -> Statement {
    toolkit::sql!(
        "SELECT CASE WHEN c.state IN ('terminating', 'ended') THEN 'ended' \
         WHEN c.state = 'expired' THEN 'expired' ELSE 'request' END AS kind, \
         c.id, c.project_id, c.initiator_agent_id, a.name AS initiator_name, \
         c.participant_agent_id, c.state, c.purpose, c.ended_by, c.end_reason, c.reason_text \
         FROM sessions s JOIN members m ON m.agent_id = s.agent_id AND m.notified_at IS NULL \
         JOIN conversations c ON c.id = m.conversation_id AND c.project_id = s.project_id \
         JOIN agents a ON a.id = c.initiator_agent_id \
         WHERE s.token = $1 AND (c.state IN ('terminating', 'ended') \
         OR (c.state = 'expired' AND m.role = 'initiator') \
         OR (c.state IN ('pending', 'active') AND m.role = 'participant' \
         AND m.requested_at IS NULL)) \
         ORDER BY CASE c.state WHEN 'terminating' THEN 0 WHEN 'ended' THEN 0 \
         WHEN 'expired' THEN 1 ELSE 2 END, COALESCE(c.terminating_at, c.ended_at, c.created_at), \
         c.id LIMIT 1",
        ids::digest(token),
    )
}

impl Notice {
    /// Claims the notice for exactly one call. False where another call was faster or the conversation's state has
    /// changed.
    ///
    /// # Errors
    /// When the database fails.
    pub fn deliver(&self, session: &Session, at: Moment) -> Result<bool, Stop> {
        let batch = match self.kind {
            Kind::Ended => self.ended(session, at),
            Kind::Expired => vec![self.notified(session, at, "state = 'expired'")],
            Kind::Request => self.requested(session, at),
        };
        let is_delivered = sql::if_expected(sql::transact_all(&batch))?.is_some();
        if is_delivered {
            self.changed().notify();
        }
        Ok(is_delivered)
    }

    /// Acknowledges the end; the conversation is ended once both members have (CONV-16).
    fn ended(&self, session: &Session, at: Moment) -> Vec<Statement> {
        let cause = Cause { at, by: &session.agent_id, what: "notified" };
        let mut batch = vec![self.notified(session, at, "state IN ('terminating', 'ended')")];
        if self.state == State::Terminating {
            batch.push(transition::acknowledge(&self.id, &session.agent_id, at));
            batch.extend(transition::finish(&self.id, &cause));
        }
        batch
    }

    fn notified(&self, session: &Session, at: Moment, is_so: &str) -> Statement {
        let update = toolkit::sql!(
            format!(
                "UPDATE members SET notified_at = $3 WHERE conversation_id = $1 \
                 AND agent_id = $2 AND notified_at IS NULL \
                 AND EXISTS (SELECT 1 FROM conversations WHERE id = $1 AND {is_so})"
            ),
            &self.id,
            &session.agent_id,
            at.stored(),
        );
        update.expect(1)
    }

    /// Joins the participant: the conversation becomes active and the session becomes a chat session (CONV-12, CONV-51,
    /// CONV-111).
    fn requested(&self, session: &Session, at: Moment) -> Vec<Statement> {
        let cause = Cause { at, by: &session.agent_id, what: TOOL };
        let requested = toolkit::sql!(
            "UPDATE members SET requested_at = $3 WHERE conversation_id = $1 AND agent_id = $2 \
             AND requested_at IS NULL AND EXISTS (SELECT 1 FROM conversations WHERE id = $1 \
             AND state IN ('pending', 'active'))",
            &self.id,
            &session.agent_id,
            at.stored(),
        );
        let mut batch = session::make_chat(session, at);
        batch.push(requested.expect(1));
        batch.extend(transition::where_possible(transition::activate(&self.id, &cause)));
        batch
    }

    fn changed(&self) -> Changed {
        Changed {
            id: self.id.clone(),
            project_id: self.project_id.clone(),
            initiator_agent_id: self.initiator_agent_id.clone(),
            participant_agent_id: self.participant_agent_id.clone(),
        }
    }
}
