//! What an agent has not read, what it knows already (CONV-70), and what it is notified of once.

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

/// Unread messages that one call brings.
const PENDING_MAX: usize = 10;
/// Messages before those, so that the agent knows what it is about.
const CONTEXT_MAX: usize = 20;

/// Whether a message has come to its recipient: a message sent before the participant has joined
/// waits for it (CONV-63).
pub const HAS_COME: &str = "(c.id IS NULL OR c.state NOT IN ('pending', 'expired') \
     OR c.initiator_agent_id = s.agent_id)";

/// Whether the agent of a session may answer a message: not where its conversation is over.
pub const IS_ANSWERABLE: &str = "(c.id IS NULL OR c.state = 'active' \
     OR (c.state = 'pending' AND c.initiator_agent_id = s.agent_id))";

/// The oldest unread messages of the agent of a session.
pub fn unread(token: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT {MESSAGE} FROM sessions s JOIN deliveries d ON d.agent_id = s.agent_id \
             AND d.project_id = s.project_id AND d.read_at IS NULL \
             JOIN messages m ON m.id = d.message_id \
             LEFT JOIN conversations c ON c.id = m.conversation_id \
             WHERE s.token = $1 AND {HAS_COME} \
             ORDER BY d.created_at, d.sequence LIMIT {PENDING_MAX}"
        ),
        ids::digest(token),
    )
}

/// Whether the agent of a session has unread messages that it may answer: one row or none. Those of a
/// conversation that is over are not; the notice of its end brings them.
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

/// The oldest unread messages of an agent in one conversation, joined or not.
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

/// Where the agent of a session read or wrote last: of use where nothing is unread.
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

/// Marks messages as read; where another session has read one of them, nothing holds.
pub fn read(session: &Session, messages: &[Message], at: Moment) -> Statement {
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

/// A conversation or chat that messages stand in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    name: String,
    is_conversation: bool,
    /// The first of the messages that are unread there; those before it are context.
    before: u32,
}

/// What an agent knows of the places where it has unread messages.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The messages, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Whether there are older ones.
    pub is_truncated: bool,
    /// Messages of these places altogether.
    pub total: u32,
    /// The conversations among the places.
    pub conversations: Vec<Facts>,
}

/// The facts of a conversation beside its messages.
#[derive(Clone, Debug, Deserialize)]
pub struct Facts {
    /// The conversation's identifier.
    pub id: String,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// How far it has come.
    pub state: State,
    /// Messages so far.
    pub messages: u32,
    /// Turns after which it ends.
    pub max_turns: Option<u32>,
    /// Turns so far.
    pub turns: u32,
}

/// Reads it, in one read; `last` stands for the places where nothing is unread.
///
/// # Errors
/// When the database fails.
pub fn context(
    session: &Session,
    unread: &[Message],
    last: Option<Message>,
) -> Result<Context, Stop> {
    let mut places: Vec<Place> = Vec::new();
    for it in unread {
        add(&mut places, it, it.sequence);
    }
    if let Some(it) = last.filter(|_| places.is_empty()) {
        add(&mut places, &it, u32::MAX);
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
    // Numbers are without gaps from 1, so a place's oldest one shows what came before it.
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

// What an agent is notified of once in its conversations: ends, requests that were not answered, and
// requests (CONV-51 to CONV-54).

/// The tool that delivers them.
const TOOL: &str = "get_next_action";

/// The kinds of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A conversation that has ended, or is ending.
    Ended,
    /// A request of one's own that was not answered.
    Expired,
    /// A request of another agent.
    Request,
}

/// A notice that an agent is to receive.
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
    /// How far the conversation has come.
    pub state: State,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// The agent that ended it, or `system`.
    pub ended_by: Option<String>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// The text of the side that ended it.
    pub reason_text: Option<String>,
}

/// The next one for the agent of a session: ends before expiries before requests, the oldest first.
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
    /// Delivers it: exactly one call gets to say it. False where another one was faster, or the
    /// conversation has gone on meanwhile.
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

    /// The agent knows of the end; where both sides do, it is over (CONV-16).
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

    /// The participant is there: the conversation is active, if it was not yet, and the session is
    /// there to talk (CONV-12, CONV-51, CONV-111).
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
        let mut batch = session::talks(session, at);
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
