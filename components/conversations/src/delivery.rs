//! Stores a message for its recipients in one transaction, once however often it is sent (CONV-60 to CONV-66).

use output::{conversations::State, text::is_blank};
use serde::Deserialize;
use toolkit::{
    Stop, events as host_events,
    sql::{self, ConstraintKind, Error, Statement},
};

use crate::{
    clock::Moment,
    events, refusals,
    transition::{self, Cause, SYSTEM},
};

/// Maximum number of characters of a message (CONV-65).
pub const CONTENT_MAX: usize = 4_000;
/// Maximum number of messages of a conversation.
pub const MESSAGES_MAX: u32 = 10_000;
/// Storage share of an agent in conversations, in bytes; the database has 256 MiB.
pub const SHARE_BYTES: i64 = 48 << 20;
/// Storage overhead of a message, in bytes.
const OVERHEAD_BYTES: usize = 600;
/// Maximum number of messages of a chat with a person; the oldest are deleted.
const CHAT_KEPT: u32 = 5_000;

/// The role of a sender in a conversation, which decides when it may write (CONV-63).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderRole {
    /// A member: while the conversation is active and not paused; the initiator also while it is pending.
    Member,
    /// A member that ends the conversation in the same transaction: while it is open.
    Last,
    /// A person who intervenes: while the conversation is open.
    Person,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// Into a conversation.
    Conversation {
        /// The conversation's identifier.
        id: &'a str,
        /// The sender's role.
        role: SenderRole,
        /// Whether its turns are limited.
        has_max_turns: bool,
    },
    /// Between a person and an agent (CONV-7).
    Chat {
        /// The person's agent identifier.
        human_id: &'a str,
        /// The other agent's identifier.
        agent_id: &'a str,
    },
}

/// A message to be stored.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    /// `msg_…`.
    pub id: &'a str,
    /// Identifier of the project.
    pub project_id: &'a str,
    /// The conversation or chat.
    pub place: Place<'a>,
    /// Identifier of the agent that writes.
    pub sender_id: &'a str,
    /// Identifiers of the recipients; with several, the message has no `recipient_id`.
    pub recipients: &'a [&'a str],
    /// Text that has passed [`check_content`].
    pub content: &'a str,
    /// Identifier of a task that it relates to.
    pub related_task_id: Option<&'a str>,
    /// The sender's own identifier, so that a resent message is stored once.
    pub client_message_id: Option<&'a str>,
    /// When it is sent.
    pub at: Moment,
}

/// A message that is stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Stored {
    /// `msg_…`.
    pub id: String,
    /// The conversation; none in a chat.
    pub conversation_id: Option<String>,
    /// Identifier of the recipient, where there is one.
    pub recipient_id: Option<String>,
    /// Its number within its conversation or chat.
    pub sequence: u32,
    /// The message's text.
    pub content: String,
}

/// Checks that a text is neither empty nor too long (CONV-65).
///
/// # Errors
/// `content_required` or `content_too_long`.
pub fn check_content(content: &str) -> Result<(), Stop> {
    if is_blank(content) {
        return Err(refusals::content_required());
    }
    if content.chars().nth(CONTENT_MAX).is_some() {
        return Err(refusals::content_too_long());
    }
    Ok(())
}

/// Returns the name of a chat: both identifiers in order.
pub fn chat_of(one: &str, other: &str) -> String {
    let (first, last) = if one < other { (one, other) } else { (other, one) };
    format!("{first} {last}")
}

/// Selects the message stored under the sender's own identifier.
pub fn earlier(project_id: &str, sender_id: &str, client_message_id: &str) -> Statement {
    toolkit::sql!(
        "SELECT id, conversation_id, recipient_id, sequence, content FROM messages \
         WHERE project_id = $1 AND sender_id = $2 AND client_message_id = $3",
        project_id,
        sender_id,
        client_message_id,
    )
}

/// Returns the earlier message, if the resent one is the same.
///
/// # Errors
/// `idempotency_conflict` where it differs.
pub fn resent(earlier: Stored, recipient: Option<&str>, content: &str) -> Result<Stored, Stop> {
    if earlier.content == content && earlier.recipient_id.as_deref() == recipient {
        return Ok(earlier);
    }
    Err(refusals::idempotency_conflict(&earlier.id))
}

/// Stores a message in one transaction with `before`, which requires a live session. Then notifies subscribers.
///
/// # Errors
/// Why the message cannot be sent.
pub fn deliver(letter: &Letter<'_>, before: Vec<Statement>) -> Result<Stored, Stop> {
    let must_hold = before.len();
    let mut batch = before;
    batch.extend(statements(letter));
    batch.push(by_id(letter.id));
    match sql::transact_all(&batch) {
        Ok(mut results) => {
            notify(letter);
            let stored = results.pop().map(sql::Rows::first::<Stored>).transpose()?.flatten();
            stored.ok_or_else(|| toolkit::unavailable("The message is gone.", None))
        }
        Err(Error::UnexpectedCount(it)) if (it.statement as usize) < must_hold => {
            Err(refusals::invalid_session())
        }
        Err(error) => failed(letter, error),
    }
}

/// Returns the message sent under the same identifier at the same time, or why this one was not stored.
///
/// # Errors
/// Why the message cannot be sent.
pub fn failed(letter: &Letter<'_>, error: Error) -> Result<Stored, Stop> {
    match (error, letter.client_message_id) {
        (Error::Constraint(it), Some(own))
            if it.kind == ConstraintKind::Unique && it.name.contains("client") =>
        {
            let [rows] = sql::query([earlier(letter.project_id, letter.sender_id, own)])?;
            let earlier = rows.first::<Stored>()?.ok_or_else(|| closed(letter))?;
            resent(earlier, letter.recipient(), letter.content)
        }
        (Error::UnexpectedCount(_), _) => Err(closed(letter)),
        (error, _) => Err(error.into()),
    }
}

fn by_id(id: &str) -> Statement {
    toolkit::sql!(
        "SELECT id, conversation_id, recipient_id, sequence, content FROM messages WHERE id = $1",
        id,
    )
}

/// Notifies the recipients of a message, and clients that show it.
pub fn notify(letter: &Letter<'_>) {
    for agent_id in letter.recipients {
        host_events::publish(&events::agent(letter.project_id, agent_id));
    }
    match letter.place {
        Place::Conversation { id, has_max_turns, .. } => {
            if has_max_turns {
                host_events::publish(&events::agent(letter.project_id, letter.sender_id));
            }
            events::changed(id, letter.project_id, &[]);
        }
        Place::Chat { .. } => host_events::publish(&events::chats(letter.project_id)),
    }
}

/// Finds the reason why a conversation or chat takes no message now.
fn closed(letter: &Letter<'_>) -> Stop {
    let Place::Conversation { id, role, .. } = letter.place else {
        return toolkit::unavailable("The chat takes no message.", None);
    };
    match closed_because(letter, id, role) {
        Ok(stop) | Err(stop) => stop,
    }
}

fn closed_because(letter: &Letter<'_>, id: &str, role: SenderRole) -> Result<Stop, Stop> {
    let [rows, kept] = sql::query([
        toolkit::sql!(
            "SELECT state, paused_at IS NOT NULL, messages FROM conversations WHERE id = $1",
            id,
        ),
        toolkit::sql!(
            "SELECT COALESCE(SUM(bytes), 0) FROM members WHERE agent_id = $1",
            letter.sender_id,
        ),
    ])?;
    let kept = kept.first::<(i64,)>()?.map_or(0, |it| it.0);
    if role == SenderRole::Member && kept >= SHARE_BYTES {
        return Ok(refusals::too_much_kept(letter.sender_id, kept, SHARE_BYTES));
    }
    let Some((state, is_paused, messages)) = rows.first::<(State, bool, u32)>()? else {
        return Ok(refusals::conversation_not_found(id));
    };
    Ok(if messages >= MESSAGES_MAX {
        refusals::too_many_messages(id)
    } else if state.is_open() && is_paused && role == SenderRole::Member {
        refusals::conversation_paused(id)
    } else if role == SenderRole::Member {
        let to = letter.recipient().unwrap_or_default();
        refusals::conversation_required_for_ai_to_ai(letter.sender_id, to, Some((id, state)))
    } else {
        refusals::no_active_conversation(Some((id, state.name())))
    })
}

impl Letter<'_> {
    /// Returns the bytes that it takes of its sender's share.
    fn bytes(&self) -> i64 {
        i64::try_from(self.content.len() + OVERHEAD_BYTES).unwrap_or(i64::MAX)
    }

    /// Identifier of the recipient, where there is one.
    pub fn recipient(&self) -> Option<&str> {
        match self.recipients {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// Returns the statements that store a message; the first requires an open place.
pub fn statements(letter: &Letter<'_>) -> Vec<Statement> {
    let mut statements = match letter.place {
        Place::Conversation { id, role, has_max_turns } => {
            let mut statements = in_conversation(letter, id, role);
            if has_max_turns && role != SenderRole::Last {
                statements.extend(last_turn(id, letter.at));
            }
            statements
        }
        Place::Chat { human_id, agent_id } => in_chat(letter, human_id, agent_id),
    };
    statements.extend(letter.recipients.iter().map(|recipient| {
        toolkit::sql!(
            "INSERT INTO deliveries (agent_id, message_id, project_id, sender_id, created_at, \
             sequence) SELECT $1, id, project_id, sender_id, created_at, sequence \
             FROM messages WHERE id = $2",
            *recipient,
            letter.id,
        )
    }));
    statements
}

/// Stores into a conversation. Numbers give the order of its messages, independent of clocks.
fn in_conversation(letter: &Letter<'_>, id: &str, role: SenderRole) -> Vec<Statement> {
    let open = match role {
        SenderRole::Member => format!(
            "(c.state = 'active' OR (c.state = 'pending' AND c.initiator_agent_id = $3)) \
             AND c.paused_at IS NULL AND (SELECT COALESCE(SUM(w.bytes), 0) FROM members w \
             WHERE w.agent_id = $3) < {SHARE_BYTES}"
        ),
        SenderRole::Last | SenderRole::Person => "c.state IN ('pending', 'active')".to_owned(),
    };
    let insert = toolkit::sql!(
        format!(
            "INSERT INTO messages (id, project_id, conversation_id, sequence, sender_id, \
             recipient_id, content, created_at, related_task_id, client_message_id) \
             SELECT $1, c.project_id, c.id, c.messages + 1, $3, $4, $5, \
             max($6, COALESCE(c.last_message_at, $6)), $7, $8 FROM conversations c \
             WHERE c.id = $2 AND c.project_id = $9 AND c.messages < {MESSAGES_MAX} AND {open}"
        ),
        letter.id,
        id,
        letter.sender_id,
        letter.recipient().map(str::to_owned),
        letter.content,
        letter.at.stored(),
        letter.related_task_id.map(str::to_owned),
        letter.client_message_id.map(str::to_owned),
        letter.project_id,
    );
    // A message extends neither the wait for the participant nor a pause.
    let count = toolkit::sql!(
        "UPDATE conversations SET messages = messages + 1, \
         last_message_at = max($2, COALESCE(last_message_at, $2)), since_at = CASE \
         WHEN state = 'active' AND paused_at IS NULL THEN max($2, since_at) ELSE since_at END \
         WHERE id = $1",
        id,
        letter.at.stored(),
    );
    let wrote = toolkit::sql!(
        "UPDATE members SET messages = messages + 1, bytes = bytes + $3 \
         WHERE conversation_id = $1 AND agent_id = $2",
        id,
        letter.sender_id,
        letter.bytes(),
    );
    vec![insert.expect(1), count.expect(1), wrote]
}

/// Counts a message of a chat. A chat that was not started is counted but not running.
pub fn counted(project_id: &str, human_id: &str, agent_id: &str, at: &str) -> Statement {
    toolkit::sql!(
        "INSERT INTO chats (project_id, human_id, agent_id, started_at, ended_at, messages, \
         last_message_at) VALUES ($1, $2, $3, $4, $4, 1, $4) \
         ON CONFLICT (project_id, human_id, agent_id) DO UPDATE SET \
         messages = chats.messages + 1, \
         last_message_at = max($4, COALESCE(chats.last_message_at, $4))",
        project_id,
        human_id,
        agent_id,
        at,
    )
}

/// Stores between a person and an agent.
fn in_chat(letter: &Letter<'_>, human_id: &str, agent_id: &str) -> Vec<Statement> {
    let count = counted(letter.project_id, human_id, agent_id, &letter.at.stored());
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, chat, sequence, sender_id, recipient_id, content, \
         created_at, related_task_id, client_message_id) \
         SELECT $1, project_id, $2, messages, $3, $4, $5, last_message_at, $6, $7 FROM chats \
         WHERE project_id = $8 AND human_id = $9 AND agent_id = $10",
        letter.id,
        chat_of(human_id, agent_id),
        letter.sender_id,
        letter.recipient().map(str::to_owned),
        letter.content,
        letter.related_task_id.map(str::to_owned),
        letter.client_message_id.map(str::to_owned),
        letter.project_id,
        human_id,
        agent_id,
    );
    let [deliveries, messages] = [
        "DELETE FROM deliveries WHERE message_id IN (SELECT id FROM messages WHERE",
        "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE",
    ]
    .map(|delete| {
        toolkit::sql!(
            format!(
                "{delete} chat IS NOT NULL AND project_id = $1 AND chat = $2 AND sequence <= \
                 (SELECT c.messages FROM chats c WHERE c.project_id = $1 AND c.human_id = $3 \
                 AND c.agent_id = $4) - {CHAT_KEPT})"
            ),
            letter.project_id,
            chat_of(human_id, agent_id),
            human_id,
            agent_id,
        )
    });
    vec![count.expect(1), insert.expect(1), deliveries, messages]
}

/// Ends a conversation whose turns are used up; no member has acknowledged that yet (CONV-32).
fn last_turn(id: &str, at: Moment) -> Vec<Statement> {
    let cause = Cause { at, by: SYSTEM, what: "max_turns" };
    let update = toolkit::sql!(
        "UPDATE conversations SET state = 'terminating', terminating_at = $2, since_at = $2, \
         ended_by = $3, end_reason = 'max_turns', paused_at = NULL, paused_by = NULL \
         WHERE id = $1 AND state = 'active' AND max_turns <= \
         (SELECT MIN(m.messages) FROM members m WHERE m.conversation_id = $1)",
        id,
        at.stored(),
        SYSTEM,
    );
    vec![update, transition::trace(id, State::Terminating, &cause)]
}
