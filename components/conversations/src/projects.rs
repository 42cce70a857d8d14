//! What a person may know of projects and their agents (CONV 4.6): who is there, who was asked to
//! come, and what of theirs is unread.

use std::collections::BTreeMap;

use output::conversations::{Agent, AgentKind, ChatStatus, Project, ProjectAgent, Projects};
use serde::{Deserialize, Serialize};
use toolkit::{Stop, sql, sql::Statement};

use crate::{
    clock::Moment,
    person::Person,
    visibility::{bound, condition},
};

/// How many sessions an agent has in a project, as the source project has it.
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

/// Everything that `person` may know, by the ids.
///
/// # Errors
/// As the database.
pub fn visible_to(person: &Person) -> Result<Projects, Stop> {
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

/// Sessions of each agent of a project.
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

/// Messages of each sender that the person has not read, where there are any.
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

/// The agents of one project, or of all that the person sees.
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
