//! A conversation as people see it, read once for tools, endpoint and resource.

mod rows;

use output::conversations::{ChatMessage, Conversation, Transcript};
use toolkit::{Stop, sql, sql::Statement};

use crate::{
    person::Person,
    refusals::conversation_not_found,
    visibility::{bound, condition},
};
use rows::{CONVERSATION, Row, Side, Taken};
pub(crate) use rows::{MESSAGE, MessageRow};

/// Messages on one page, unless the caller wants another number.
pub const PAGE: u32 = 50;
/// Messages on the largest page.
pub const PAGE_MAX: u32 = 200;

/// Which messages: at most `limit` of those between two sequence numbers, the newest; where only
/// `after` is given, the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Messages before this number.
    pub before: Option<u32>,
    /// Messages after this number.
    pub after: Option<u32>,
    /// At most so many.
    pub limit: u32,
}

impl Default for Range {
    fn default() -> Self {
        Self { before: None, after: None, limit: PAGE }
    }
}

impl Range {
    /// Whether the oldest of those that fit are wanted.
    pub fn is_forward(self) -> bool {
        self.after.is_some() && self.before.is_none()
    }

    /// The end of a statement on `messages m` whose conditions so far take `taken` parameters.
    fn ending(self, statement: &str, taken: usize) -> String {
        let order = if self.is_forward() { "ASC" } else { "DESC" };
        format!(
            "{statement} AND m.sequence < ${} AND m.sequence > ${} ORDER BY m.sequence {order} \
             LIMIT ${}",
            taken + 1,
            taken + 2,
            taken + 3
        )
    }

    fn bound(self, statement: Statement) -> Statement {
        let before = self.before.map_or(i64::MAX, i64::from);
        statement.bind(before).bind(self.after.unwrap_or(0)).bind(self.limit.clamp(1, PAGE_MAX))
    }

    /// Reads the messages of one place: `condition` takes the parameters `values`.
    pub(crate) fn select(self, condition: &str, values: &[&str]) -> Statement {
        let select = format!("SELECT {MESSAGE} FROM messages m WHERE {condition}");
        let select = self.ending(&select, values.len());
        self.bound(Statement::new(select).bind_all(values.iter().copied()))
    }

    /// What [`Range::select`] found, oldest first.
    pub(crate) fn read(self, rows: sql::Rows) -> Result<Vec<ChatMessage>, Stop> {
        let mut messages: Vec<ChatMessage> =
            rows.read::<MessageRow>()?.into_iter().map(MessageRow::into_chat_message).collect();
        if !self.is_forward() {
            messages.reverse();
        }
        Ok(messages)
    }
}

/// The conversation `id` with its trace and a page of its messages, as `person` sees it.
///
/// # Errors
/// When there is none, or none that they may see; the error does not tell which.
pub fn of(person: &Person, id: &str, range: Range) -> Result<Transcript, Stop> {
    let select = format!(
        "SELECT {CONVERSATION} FROM conversations c WHERE c.id = $1 AND {}",
        condition("c.project_id", 2)
    );
    let [row, sides, steps, messages] = sql::query([
        bound(toolkit::sql!(select, id), person),
        members_of(&[id]),
        toolkit::sql!(
            "SELECT state, at, caused_by, cause FROM steps \
             WHERE conversation_id = $1 ORDER BY position",
            id
        ),
        range.select("m.conversation_id = $1", &[id]),
    ])?;
    let row = row.first::<Row>()?.ok_or_else(|| conversation_not_found(id))?;
    let sides = sides.read::<Side>()?.into_iter().map(Side::member).collect();
    let conversation = row.conversation(sides);
    let messages = range.read(messages)?;
    Ok(Transcript {
        may_step_in: conversation.state.is_open(),
        conversation,
        steps: steps.read::<Taken>()?.into_iter().map(Taken::step).collect(),
        has_older: messages.first().is_some_and(|it| it.sequence > 1),
        messages,
    })
}

/// Conversations that a statement finds, with their sides: it begins with the columns that
/// [`select`] gives it.
///
/// # Errors
/// As the database.
pub fn many(statement: Statement) -> Result<Vec<Conversation>, Stop> {
    let [rows] = sql::query([statement])?;
    let rows = rows.read::<Row>()?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = rows.iter().map(Row::id).collect();
    let [sides] = sql::query([members_of(&ids)])?;
    let mut sides = sides.read::<Side>()?;
    let with_sides = |row: Row| {
        let here = |it: &mut Side| it.is_of(row.id());
        let members = sides.extract_if(.., here).map(Side::member).collect();
        row.conversation(members)
    };
    Ok(rows.into_iter().map(with_sides).collect())
}

/// `SELECT … FROM conversations c`, to be gone on with.
pub fn select() -> String {
    format!("SELECT {CONVERSATION} FROM conversations c")
}

/// The sides of these conversations, the initiator first.
fn members_of(ids: &[&str]) -> Statement {
    let select = format!(
        "SELECT m.conversation_id, m.agent_id, a.name, a.type, m.role, a.assistant, m.turns, \
         m.input_tokens, m.output_tokens, m.cost_usd, \
         (SELECT COUNT(*) FROM deliveries d JOIN messages s ON s.id = d.message_id \
          WHERE d.agent_id = m.agent_id AND d.read_at IS NULL \
          AND s.conversation_id = m.conversation_id) AS unread \
         FROM members m JOIN agents a ON a.id = m.agent_id \
         WHERE m.conversation_id IN ({}) ORDER BY m.role, m.agent_id",
        sql::placeholders(1, ids.len())
    );
    Statement::new(select).bind_all(ids.iter().copied())
}
