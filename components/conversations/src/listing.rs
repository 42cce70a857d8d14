//! Lists for people: conversations, newest first, and projects with their agents.

use std::collections::BTreeMap;

use output::conversations::{
    Agent, AgentKind, ChatStatus, Conversations, Project, ProjectAgent, Projects, State,
};
use serde::{Deserialize, Serialize};
use toolkit::{
    Stop, invalid,
    sql::{self, Statement, Value},
};

use crate::{
    clock::Moment,
    person::{Person, bound, condition},
    transcripts,
};

/// Number of conversations per page.
pub const PAGE: usize = 50;
/// Maximum number of words of a query; the rest is ignored.
const WORDS_MAX: usize = 8;

/// The filter of a list of conversations.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those of this project.
    pub project_id: Option<String>,
    /// Only those in this state.
    pub state: Option<State>,
    /// Only those with this member.
    pub agent_id: Option<String>,
    /// Only those whose purpose or messages have each of these words.
    pub query: Option<String>,
}

/// Reads one page of what `person` may see. A cursor is the last conversation of the page before.
///
/// # Errors
/// When the cursor is invalid, or the database fails.
pub fn page(person: &Person, filter: &Filter, cursor: Option<&str>) -> Result<Conversations, Stop> {
    if let Some(cursor) = cursor {
        let [rows] =
            sql::query([toolkit::sql!("SELECT 1 FROM conversations WHERE id = $1", cursor)])?;
        if rows.is_empty() {
            return Err(invalid("/cursor", "must be a next_cursor of this list"));
        }
    }
    let mut found = transcripts::read_all(select(person, filter, cursor))?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let next_cursor = found.last().filter(|_| more).map(|it| it.conversation_id.clone());
    Ok(Conversations { conversations: found, next_cursor })
}

fn select(person: &Person, filter: &Filter, cursor: Option<&str>) -> Statement {
    let mut conditions = vec![condition("c.project_id", 1)];
    let mut values: Vec<Value> = vec![person.is_operator.into(), (&person.agent_id).into()];
    // `{}` stands for the parameter.
    let mut add = |condition: &str, value: Value| {
        values.push(value);
        conditions.push(condition.replace("{}", &format!("${}", values.len())));
    };
    if let Some(project_id) = &filter.project_id {
        add("c.project_id = {}", project_id.into());
    }
    if let Some(state) = filter.state {
        add("c.state = {}", state.name().into());
    }
    if let Some(agent_id) = &filter.agent_id {
        add(
            "EXISTS (SELECT 1 FROM members w WHERE w.conversation_id = c.id AND w.agent_id = {})",
            agent_id.into(),
        );
    }
    if let Some(cursor) = cursor {
        add(
            "(c.created_at, c.id) < (SELECT b.created_at, b.id FROM conversations b WHERE b.id = {})",
            cursor.into(),
        );
    }
    for word in words(filter.query.as_deref().unwrap_or_default()) {
        let first = values.len() + 1;
        values.extend(patterns(word).map(Value::from));
        let (purpose, content) = (has("c.purpose", first), has("s.content", first));
        conditions.push(format!(
            "({purpose} OR EXISTS (SELECT 1 FROM messages s \
             WHERE s.conversation_id = c.id AND ({content})))"
        ));
    }
    let select = format!(
        "{} WHERE {} ORDER BY c.created_at DESC, c.id DESC LIMIT {}",
        transcripts::select(),
        conditions.join(" AND "),
        PAGE + 1
    );
    Statement::new(select).bind_all(values)
}

fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split_whitespace().take(WORDS_MAX)
}

/// Returns the condition that a column matches one of the [`patterns`], which begin at parameter `first`.
fn has(column: &str, first: usize) -> String {
    let (second, third) = (first + 1, first + 2);
    format!(
        "LOWER({column}) LIKE ${first} ESCAPE '!' OR {column} LIKE ${second} ESCAPE '!' \
         OR {column} LIKE ${third} ESCAPE '!'"
    )
}

/// Returns patterns for a word as it is, in lower and in upper case: the database may fold ASCII only.
fn patterns(word: &str) -> [String; 3] {
    [like(&word.to_lowercase()), like(&word.to_uppercase()), like(word)]
}

/// Returns the pattern for texts that contain `word`; `%` and `_` are escaped.
fn like(word: &str) -> String {
    let escaped = word.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

// Projects and agents for people (CONV 4.6): connected and called agents, and unread messages.

/// Number of sessions of an agent in a project, in the source project's form.
#[derive(Clone, Debug, Serialize)]
pub struct Sessions {
    chat: ChatSessions,
    task: TaskSessions,
}

#[derive(Clone, Debug, Serialize)]
struct ChatSessions {
    count: u32,
    status: ChatStatus,
}

#[derive(Clone, Debug, Serialize)]
struct TaskSessions {
    count: u32,
}

/// An agent in a project.
#[derive(Deserialize)]
struct Row {
    project_id: String,
    id: String,
    name: String,
    r#type: AgentKind,
    skills: String,
    assistant: Option<String>,
    is_configured: bool,
    has_passkey: bool,
    chats: u32,
    tasks: u32,
    is_asked: bool,
    unread: u32,
}

impl Row {
    fn status(&self) -> ChatStatus {
        match (self.chats, self.is_asked) {
            (1.., _) => ChatStatus::Connected,
            (0, true) => ChatStatus::Connecting,
            (0, false) => ChatStatus::Disconnected,
        }
    }

    fn agent(self) -> ProjectAgent {
        let chat = self.status();
        let agent = Agent {
            agent_id: self.id,
            name: self.name,
            kind: self.r#type,
            skills: serde_json::from_str(&self.skills).unwrap_or_default(),
            online: self.chats + self.tasks > 0,
            assistant: self.assistant,
        };
        ProjectAgent {
            agent,
            is_configured: self.is_configured,
            has_passkey: self.has_passkey,
            chat,
            unread: self.unread,
        }
    }
}

/// Reads all projects and agents that `person` may see, by their identifiers.
///
/// # Errors
/// As the database.
pub fn projects(person: &Person) -> Result<Projects, Stop> {
    #[derive(Deserialize)]
    struct Found {
        id: String,
        name: String,
        is_configured: bool,
    }
    let select = format!(
        "SELECT p.id, p.name, p.is_configured FROM projects p \
         WHERE p.is_gone = 0 AND {} ORDER BY p.id",
        condition("p.id", 1)
    );
    let [projects, agents] =
        sql::query([bound(Statement::new(select), person), agents(person, None)])?;
    let mut by_project: BTreeMap<String, Vec<ProjectAgent>> = BTreeMap::new();
    for row in agents.read::<Row>()? {
        by_project.entry(row.project_id.clone()).or_default().push(row.agent());
    }
    let project = |found: Found| Project {
        agents: by_project.remove(&found.id).unwrap_or_default(),
        project_id: found.id,
        name: found.name,
        is_configured: found.is_configured,
    };
    Ok(Projects {
        projects: projects.read::<Found>()?.into_iter().map(project).collect(),
        me: person.agent_id.clone(),
        is_operator: person.is_operator,
    })
}

/// Counts the sessions of each agent of a project.
///
/// # Errors
/// As the database.
pub fn sessions(person: &Person, project_id: &str) -> Result<BTreeMap<String, Sessions>, Stop> {
    let [rows] = sql::query([agents(person, Some(project_id))])?;
    let sessions = |row: Row| {
        let chat = ChatSessions { count: row.chats, status: row.status() };
        (row.id, Sessions { chat, task: TaskSessions { count: row.tasks } })
    };
    Ok(rows.read::<Row>()?.into_iter().map(sessions).collect())
}

/// Counts the messages of each sender that the person has not read.
///
/// # Errors
/// As the database.
pub fn unread(person: &Person, project_id: &str) -> Result<BTreeMap<String, u32>, Stop> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT sender_id, COUNT(*) FROM deliveries \
         WHERE agent_id = $1 AND project_id = $2 AND read_at IS NULL GROUP BY sender_id",
        &person.agent_id,
        project_id,
    )])?;
    Ok(rows.read::<(String, u32)>()?.into_iter().collect())
}

/// Selects the agents of one project, or of all that the person sees.
fn agents(person: &Person, project_id: Option<&str>) -> Statement {
    let live = |purpose: &str| {
        format!(
            "(SELECT COUNT(*) FROM sessions s WHERE s.agent_id = a.id \
             AND s.project_id = w.project_id AND s.state = 'active' AND s.expires_at > $1 \
             AND s.purpose = '{purpose}')"
        )
    };
    let select = format!(
        "SELECT w.project_id, a.id, a.name, a.type, a.skills, a.assistant, a.is_configured, \
         a.passkey IS NOT NULL AS has_passkey, {} AS chats, {} AS tasks, \
         EXISTS (SELECT 1 FROM pending_purposes u WHERE u.agent_id = a.id \
          AND u.project_id = w.project_id AND u.purpose = 'chat') AS is_asked, \
         (SELECT COUNT(*) FROM deliveries d WHERE d.agent_id = $4 AND d.project_id = w.project_id \
          AND d.sender_id = a.id AND d.read_at IS NULL) AS unread \
         FROM assignments w JOIN agents a ON a.id = w.agent_id \
         WHERE a.is_gone = 0 AND ($2 IS NULL OR w.project_id = $2) AND {} \
         ORDER BY w.project_id, a.id",
        live("chat"),
        live("task"),
        condition("w.project_id", 3)
    );
    bound(toolkit::sql!(select, Moment::now().stored(), project_id.map(str::to_owned)), person)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_pattern_characters() {
        assert_eq!(like("50%_off!"), "%50!%!_off!!%");
    }

    #[test]
    fn searches_word_in_lower_and_upper_case() {
        assert_eq!(patterns("École"), ["%école%", "%ÉCOLE%", "%École%"]);
        assert_eq!(patterns("ａｉ会議"), ["%ａｉ会議%", "%ＡＩ会議%", "%ａｉ会議%"]);
    }

    #[test]
    fn splits_query_into_limited_words() {
        assert_eq!(words(" りんご　ごりら  x ").collect::<Vec<_>>(), ["りんご", "ごりら", "x"]);
        assert_eq!(words(&"a ".repeat(50)).count(), WORDS_MAX);
    }
}
