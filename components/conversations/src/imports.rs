//! Imports lines of `chat.jsonl`, each once, and reports lines that do not fit (CONV-6, CONV-7, CONV-X22). Unknown
//! conversations are created as ended ones.

use std::collections::{BTreeMap, BTreeSet};

use output::{
    conversations::{AgentKind, State},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Stop, arguments, events,
    sql::{self, Error, Statement},
    unavailable,
};

use crate::{
    clock::Moment,
    delivery::{CONTENT_MAX, chat_of, counted},
    events as own_events,
    transition::SYSTEM,
};

/// Maximum number of statements per batch, below the limit of a thousand; a line has a few.
const STATEMENTS_MAX: usize = 900;

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Imported {
    /// Number of imported messages.
    pub imported: u32,
    /// Number of messages that existed already.
    pub known: u32,
    /// Lines that were not imported.
    pub problems: Vec<Problem>,
}

/// A line that was not imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Its number, from 1.
    pub line: u32,
    /// Why it was not imported.
    pub message: String,
}

/// Imports the lines, those of one conversation or chat in their order.
///
/// # Errors
/// When the database fails; lines imported until then are skipped the next time.
pub fn import(lines: &[String], project_id: Option<&str>) -> Result<Imported, Stop> {
    let mut outcome = Imported::default();
    let mut read = Vec::new();
    for (number, text) in (1..).zip(lines) {
        match Line::read(text) {
            Ok(line) => read.push((number, line)),
            Err(message) => outcome.problems.push(Problem { line: number, message }),
        }
    }
    let mut existing = Existing::load(&read)?;
    let mut batch: Vec<Statement> = Vec::new();
    for (line, it) in &read {
        if !existing.is_new(&it.id) {
            outcome.known += 1;
            continue;
        }
        match existing.place(it, project_id) {
            Ok((place, is_first)) => {
                batch.extend(statements(it, &place, is_first));
                outcome.imported += 1;
            }
            Err(message) => outcome.problems.push(Problem { line: *line, message }),
        }
        if batch.len() > STATEMENTS_MAX {
            write(&std::mem::take(&mut batch))?;
        }
    }
    write(&batch)?;
    outcome.problems.sort_by_key(|it| it.line);
    if outcome.imported > 0 {
        events::publish(own_events::LIST);
        existing.touched().for_each(|it| events::publish(&own_events::chats(it)));
    }
    Ok(outcome)
}

fn write(batch: &[Statement]) -> Result<(), Stop> {
    if batch.is_empty() {
        return Ok(());
    }
    match sql::transact_all(batch) {
        Ok(_) => Ok(()),
        Err(Error::Constraint(_) | Error::UnexpectedCount(_)) => {
            Err(unavailable("Somebody else takes the same lines in; try again.", None))
        }
        Err(error) => Err(error.into()),
    }
}

/// Maximum number of characters of an identifier from outside.
const ID_MAX: usize = 200;

/// A parsed line.
#[derive(Clone, Debug)]
struct Line {
    id: String,
    sender_id: String,
    recipient_id: Option<String>,
    content: String,
    /// The moment as stored.
    at: String,
    conversation_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    id: String,
    sender_id: String,
    recipient_id: Option<String>,
    content: String,
    timestamp: String,
    conversation_id: Option<String>,
}

impl Line {
    /// Parses a line; unknown members are ignored.
    fn read(text: &str) -> Result<Self, String> {
        let raw: Raw = arguments::parse(text).map_err(|it| format!("no message: {it}"))?;
        let ids = [
            ("id", Some(&raw.id)),
            ("senderId", Some(&raw.sender_id)),
            ("recipientId", raw.recipient_id.as_ref()),
            ("conversationId", raw.conversation_id.as_ref()),
        ];
        for (name, id) in ids {
            let fits = |id: &String| {
                !is_blank(id)
                    && id.chars().nth(ID_MAX).is_none()
                    && !id.contains(|it: char| it.is_whitespace() || it.is_control())
            };
            if !id.is_none_or(fits) {
                return Err(format!("{name} must have 1 to {ID_MAX} characters and no spaces"));
            }
        }
        if raw.recipient_id.as_ref() == Some(&raw.sender_id) {
            return Err("recipientId is the sender".to_owned());
        }
        if is_blank(&raw.content) || raw.content.chars().nth(CONTENT_MAX).is_some() {
            return Err(format!("content must have 1 to {CONTENT_MAX} characters"));
        }
        let at = Moment::read(&raw.timestamp)
            .ok_or("timestamp must be a moment: 2026-01-23T10:00:00Z")?
            .stored();
        let Raw { id, sender_id, recipient_id, content, conversation_id, .. } = raw;
        Ok(Self { id, sender_id, recipient_id, content, at, conversation_id })
    }
}

/// The cause of an imported conversation's states.
const CAUSE: &str = "import_messages";

/// Returns the statements for a line; with `is_first`, its ended conversation is created before.
fn statements(line: &Line, place: &Place, is_first: bool) -> Vec<Statement> {
    match place {
        Place::Chat { project_id, ends } => in_chat(line, project_id, ends),
        Place::Conversation { project_id, id } => {
            let mut statements =
                if is_first { ended_conversation(line, project_id, id) } else { Vec::new() };
            statements.extend(in_conversation(line, project_id, id));
            statements
        }
    }
}

/// Creates an ended conversation, which all its members have acknowledged.
fn ended_conversation(line: &Line, project_id: &str, id: &str) -> Vec<Statement> {
    let participant = line.recipient_id.clone();
    let conversation = toolkit::sql!(
        "INSERT INTO conversations (id, project_id, initiator_agent_id, participant_agent_id, \
         state, created_at, activated_at, ended_at, ended_by, since_at) \
         VALUES ($1, $2, $3, $4, 'ended', $5, $5, $5, $6, $7)",
        id,
        project_id,
        &line.sender_id,
        participant.clone(),
        &line.at,
        SYSTEM,
        // Its retention begins now, as for others.
        Moment::now().stored(),
    );
    let members = toolkit::sql!(
        "INSERT INTO members (conversation_id, agent_id, role, requested_at, acknowledged_at, \
         notified_at) VALUES ($1, $2, 'initiator', $4, $4, $4), ($1, $3, 'participant', $4, $4, $4)",
        id,
        &line.sender_id,
        participant,
        &line.at,
    );
    let steps = toolkit::sql!(
        "INSERT INTO steps (conversation_id, position, state, at, caused_by, cause) \
         VALUES ($1, 1, 'pending', $2, $3, $5), ($1, 2, 'ended', $2, $4, $5)",
        id,
        &line.at,
        &line.sender_id,
        SYSTEM,
        CAUSE,
    );
    vec![conversation, members, steps]
}

/// Stores into an ended conversation; an imported one lasted until its last message.
fn in_conversation(line: &Line, project_id: &str, id: &str) -> Vec<Statement> {
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, conversation_id, sequence, sender_id, recipient_id, \
         content, created_at) SELECT $1, c.project_id, c.id, c.messages + 1, $4, $5, $6, $7 \
         FROM conversations c WHERE c.id = $2 AND c.project_id = $3 \
         AND c.state IN ('ended', 'expired')",
        &line.id,
        id,
        project_id,
        &line.sender_id,
        line.recipient_id.clone(),
        &line.content,
        &line.at,
    );
    let count = toolkit::sql!(
        "UPDATE conversations SET messages = messages + 1, \
         last_message_at = max($2, COALESCE(last_message_at, $2)), \
         ended_at = CASE WHEN end_reason IS NULL AND state = 'ended' THEN max($2, ended_at) \
         ELSE ended_at END WHERE id = $1",
        id,
        &line.at,
    );
    let wrote = toolkit::sql!(
        "UPDATE members SET messages = messages + 1 WHERE conversation_id = $1 AND agent_id = $2",
        id,
        &line.sender_id,
    );
    let step = toolkit::sql!(
        "UPDATE steps SET at = max($2, at) \
         WHERE conversation_id = $1 AND state = 'ended' AND cause = $3",
        id,
        &line.at,
        CAUSE,
    );
    vec![insert.expect(1), count, wrote, step]
}

/// Stores into a chat, after its existing messages. The message counts as read.
fn in_chat(line: &Line, project_id: &str, [human_id, agent_id]: &[String; 2]) -> Vec<Statement> {
    let count = counted(project_id, human_id, agent_id, &line.at);
    let insert = toolkit::sql!(
        "INSERT INTO messages (id, project_id, chat, sequence, sender_id, recipient_id, content, \
         created_at) SELECT $1, project_id, $2, messages, $3, $4, $5, $6 FROM chats \
         WHERE project_id = $7 AND human_id = $8 AND agent_id = $9",
        &line.id,
        chat_of(human_id, agent_id),
        &line.sender_id,
        line.recipient_id.clone(),
        &line.content,
        &line.at,
        project_id,
        human_id,
        agent_id,
    );
    vec![count, insert.expect(1)]
}

/// The stored projects, conversations and messages to which lines refer.
#[derive(Default)]
struct Existing {
    messages: BTreeSet<String>,
    agents: BTreeMap<String, AgentKind>,
    /// The projects of each agent, by its identifier.
    projects: BTreeMap<String, BTreeSet<String>>,
    conversations: BTreeMap<String, Conversation>,
    touched: BTreeSet<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Conversation {
    id: String,
    project_id: String,
    initiator_agent_id: String,
    participant_agent_id: String,
    state: State,
}

/// Where a message goes.
#[derive(Clone, Debug)]
enum Place {
    /// Into a conversation.
    Conversation { project_id: String, id: String },
    /// Into a chat; a person comes first.
    Chat { project_id: String, ends: [String; 2] },
}

impl Existing {
    /// Reads what these lines refer to.
    fn load(lines: &[(u32, Line)]) -> Result<Self, Stop> {
        let messages = lines.iter().map(|it| &it.1.id);
        let ends = lines.iter().flat_map(|it| [Some(&it.1.sender_id), it.1.recipient_id.as_ref()]);
        let conversations = lines.iter().filter_map(|it| it.1.conversation_id.as_ref());
        let agents: BTreeSet<&String> = ends.flatten().collect();
        let [messages, agents, projects, conversations] = sql::query([
            among("SELECT id FROM messages WHERE id", messages),
            among("SELECT id, type FROM agents WHERE id", agents.iter().copied()),
            among(
                "SELECT agent_id, project_id FROM assignments WHERE agent_id",
                agents.iter().copied(),
            ),
            among(
                "SELECT id, project_id, initiator_agent_id, participant_agent_id, state \
                 FROM conversations WHERE id",
                conversations,
            ),
        ])?;
        let mut existing = Self {
            messages: messages.read::<(String,)>()?.into_iter().map(|it| it.0).collect(),
            agents: agents.read::<(String, AgentKind)>()?.into_iter().collect(),
            ..Self::default()
        };
        for (agent, project) in projects.read::<(String, String)>()? {
            existing.projects.entry(agent).or_default().insert(project);
        }
        for conversation in conversations.read::<Conversation>()? {
            existing.conversations.insert(conversation.id.clone(), conversation);
        }
        Ok(existing)
    }

    /// Records a message. Returns whether it is new.
    fn is_new(&mut self, id: &str) -> bool {
        self.messages.insert(id.to_owned())
    }

    /// Returns the projects that receive messages.
    fn touched(&self) -> impl Iterator<Item = &str> {
        self.touched.iter().map(String::as_str)
    }

    /// Returns the place of a line, and whether its conversation has to be created.
    fn place(&mut self, line: &Line, project_id: Option<&str>) -> Result<(Place, bool), String> {
        let from = self.kind(&line.sender_id)?;
        let to = line.recipient_id.as_deref().map(|it| self.kind(it)).transpose()?;
        let Some(id) = &line.conversation_id else {
            return self.chat(line, from, project_id).map(|it| (it, false));
        };
        if let Some(conversation) = self.conversations.get(id) {
            let place = conversation.place_for(line, from, project_id)?;
            self.touched.insert(conversation.project_id.clone());
            return Ok((place, false));
        }
        let recipient_id = line.recipient_id.clone();
        let (Some(participant), AgentKind::Ai, Some(AgentKind::Ai)) = (recipient_id, from, to)
        else {
            return Err(
                "the first message of a conversation must go from an AI to an AI".to_owned()
            );
        };
        let project_id = self.project(&line.sender_id, &participant, project_id)?;
        let made = Conversation {
            id: id.clone(),
            project_id: project_id.clone(),
            initiator_agent_id: line.sender_id.clone(),
            participant_agent_id: participant,
            state: State::Ended,
        };
        self.conversations.insert(id.clone(), made);
        self.touched.insert(project_id.clone());
        Ok((Place::Conversation { project_id, id: id.clone() }, true))
    }

    fn chat(
        &mut self,
        line: &Line,
        from: AgentKind,
        project_id: Option<&str>,
    ) -> Result<Place, String> {
        let Some(to) = &line.recipient_id else {
            return Err("recipientId is required where there is no conversationId".to_owned());
        };
        let project_id = self.project(&line.sender_id, to, project_id)?;
        self.touched.insert(project_id.clone());
        let mut ends = [line.sender_id.clone(), to.clone()];
        let is_first = match (from, self.kind(to)?) {
            (AgentKind::Human, AgentKind::Ai) => true,
            (AgentKind::Ai, AgentKind::Human) => false,
            _ => ends[0] < ends[1],
        };
        if !is_first {
            ends.reverse();
        }
        Ok(Place::Chat { project_id, ends })
    }

    fn kind(&self, agent_id: &str) -> Result<AgentKind, String> {
        self.agents.get(agent_id).copied().ok_or_else(|| format!("there is no agent {agent_id}"))
    }

    /// Returns the named project, or the one that both agents share.
    fn project(&self, one: &str, other: &str, named: Option<&str>) -> Result<String, String> {
        if let Some(named) = named {
            return Ok(named.to_owned());
        }
        let nowhere = BTreeSet::new();
        let projects_of = |agent: &str| self.projects.get(agent).unwrap_or(&nowhere);
        let mut both = projects_of(one).intersection(projects_of(other));
        match (both.next(), both.next()) {
            (Some(project), None) => Ok(project.clone()),
            (None, _) => Err(format!("{one} and {other} are in no project together")),
            _ => Err(format!("{one} and {other} are in several projects; name one")),
        }
    }
}

impl Conversation {
    fn place_for(
        &self,
        line: &Line,
        from: AgentKind,
        project_id: Option<&str>,
    ) -> Result<Place, String> {
        if !matches!(self.state, State::Ended | State::Expired) {
            return Err(format!("{} goes on here; only one that is over takes lines", self.id));
        }
        if project_id.is_some_and(|it| it != self.project_id) {
            return Err(format!("{} is in the project {}", self.id, self.project_id));
        }
        let is_side = |it: &str| it == self.initiator_agent_id || it == self.participant_agent_id;
        let may_speak = from == AgentKind::Human || is_side(&line.sender_id);
        if !may_speak || !line.recipient_id.as_deref().is_none_or(is_side) {
            return Err(format!("{} is a conversation of others", self.id));
        }
        Ok(Place::Conversation { project_id: self.project_id.clone(), id: self.id.clone() })
    }
}

/// Appends `IN (…)` to `select`; it matches nothing where `ids` is empty.
fn among<'a>(select: &str, ids: impl Iterator<Item = &'a String>) -> Statement {
    let ids: Vec<&str> = ids.map(String::as_str).collect();
    let list = if ids.is_empty() { "NULL".to_owned() } else { sql::placeholders(1, ids.len()) };
    Statement::new(format!("{select} IN ({list})")).bind_all(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_specified_line() {
        let line = Line::read(
            r#"{"id":"msg_xxx","senderId":"worker-a","recipientId":"worker-b","content":"しりとり","timestamp":"2026-01-23T10:00:00Z","conversationId":"conv_xxx"}"#,
        );
        let line = line.unwrap();
        assert_eq!(line.at, "2026-01-23T10:00:00.000Z");
        assert_eq!(line.conversation_id.as_deref(), Some("conv_xxx"));
    }

    #[test]
    fn reports_why_a_line_is_no_message() {
        let with = |content: &str, at: &str, to: &str| {
            Line::read(&format!(
                r#"{{"id":"m","senderId":"a","recipientId":"{to}","content":"{content}","timestamp":"{at}"}}"#
            ))
        };
        let at = "2026-01-23T10:00:00Z";
        assert!(with("x", at, "b").is_ok());
        for (line, expected) in [
            (with(" ", at, "b"), "content"),
            (with(&"x".repeat(4_001), at, "b"), "content"),
            (with("x", "yesterday", "b"), "timestamp"),
            (with("x", at, "a b"), "recipientId"),
            (with("x", at, "a"), "recipientId"),
            (Line::read("{}"), "no message"),
            (Line::read("["), "no message"),
            (Line::read(r#"{"id":1}"#), "id must be a string, not 1"),
        ] {
            let message = line.unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
