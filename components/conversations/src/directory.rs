//! Projects and agents: stores those of the settings without touching those defined on the page, and checks
//! identifiers and names.

use output::{conversations::AgentKind, text::is_blank};
use serde::Deserialize;
use toolkit::{
    Problem, sql,
    sql::{Error, Rows, Statement, Value},
};

use crate::{clock::Moment, events, person::OPERATOR, transition::SYSTEM};

/// Maximum number of rows per INSERT; a statement may have 500 parameters.
const ROWS_A_STATEMENT: usize = 50;
/// Maximum number of passkeys compared with the stored ones.
const PASSKEYS_MAX: usize = 5_000;

/// All projects and agents of the settings.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// The projects, each once.
    pub projects: Vec<Project>,
    /// The agents, each once.
    pub agents: Vec<Agent>,
}

/// A project of the settings.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Its name for programs.
    pub id: String,
    /// Its name for people.
    pub name: String,
}

/// An agent, a person or a program.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    /// Its name for programs.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Person or program.
    pub kind: AgentKind,
    /// Identifiers of its projects.
    pub projects: Vec<String>,
    /// Its skills.
    pub skills: Vec<String>,
    /// The argon2 hash of its passkey.
    pub passkey: Option<String>,
    /// The assistant of the host that plays it.
    pub assistant: Option<String>,
    /// Name of the token that identifies this person.
    pub principal: Option<String>,
}

/// An ended session of an agent that was removed or reassigned.
#[derive(Deserialize)]
struct EndedSession {
    project_id: String,
    agent_id: String,
}

/// Stores the projects and agents of the settings in one transaction. Agents that are no longer in the settings are
/// removed with their sessions, which ends their conversations (CONV-19).
///
/// # Errors
/// When the database fails.
pub fn write(directory: &Directory) -> Result<(), Vec<Problem>> {
    let failed = |error: Error| vec![Problem::at("", format!("cannot be written down: {error:?}"))];
    let now = Moment::now();
    let changed = changed_passkeys(directory).map_err(failed)?;
    let mut batch = vec![
        sql!("UPDATE projects SET is_gone = 1 WHERE is_configured = 1"),
        sql!("UPDATE agents SET is_gone = 1, passkey = NULL WHERE is_configured = 1"),
    ];
    batch.extend(directory.projects.chunks(ROWS_A_STATEMENT).map(projects));
    batch.extend(directory.agents.chunks(ROWS_A_STATEMENT).map(agents));
    batch.push(sql!(
        "DELETE FROM assignments \
         WHERE agent_id IN (SELECT id FROM agents WHERE is_configured = 1)"
    ));
    let pairs = directory.agents.iter().filter(|it| it.id != OPERATOR);
    let pairs: Vec<_> =
        pairs.flat_map(|it| it.projects.iter().map(move |project| (project, &it.id))).collect();
    batch.extend(pairs.chunks(ROWS_A_STATEMENT).map(assignments));
    batch.push(sql!(
        "INSERT INTO assignments (project_id, agent_id) SELECT id, $1 FROM projects WHERE true",
        OPERATOR
    ));
    batch.push(end_unassigned(now));
    let first_sent = batch.len() - 1;
    batch.extend(changed.iter().map(|it| end_of(it, now)));
    batch.push(sql!(
        "DELETE FROM pending_purposes WHERE NOT EXISTS (SELECT 1 FROM assignments a \
         JOIN agents g ON g.id = a.agent_id JOIN projects p ON p.id = a.project_id \
         WHERE a.agent_id = pending_purposes.agent_id AND a.project_id = pending_purposes.project_id \
         AND g.is_gone = 0 AND g.type = 'ai' AND p.is_gone = 0)"
    ));
    let results = sql::transact_all(&batch).map_err(failed)?;
    for rows in results.into_iter().skip(first_sent).take(1 + changed.len()) {
        notify(rows).map_err(failed)?;
    }
    toolkit::events::publish(events::LIST);
    Ok(())
}

/// Notifies waiting callers of the agents whose sessions [`end_of`] or [`end_unassigned`] ended.
///
/// # Errors
/// When the rows have other columns.
pub fn notify(sent: Rows) -> Result<(), Error> {
    for sent in sent.read::<EndedSession>()? {
        toolkit::events::publish(&events::agent(&sent.project_id, &sent.agent_id));
        toolkit::events::publish(&events::chats(&sent.project_id));
    }
    Ok(())
}

/// Returns the agents whose passkey has changed: they have to authenticate again.
fn changed_passkeys(directory: &Directory) -> Result<Vec<String>, Error> {
    let find = format!(
        "SELECT id, passkey FROM agents WHERE passkey IS NOT NULL \
         ORDER BY id LIMIT {PASSKEYS_MAX}"
    );
    let [rows] = sql::query([sql!(find)])?;
    let mut changed = Vec::new();
    for (id, passkey) in rows.read::<(String, String)>()? {
        let stays = directory.agents.iter().find(|it| it.id == id);
        if stays.is_some_and(|it| it.passkey.as_ref() != Some(&passkey)) {
            changed.push(id);
        }
    }
    // The rest would be more statements than a batch may have; their sessions end by themselves.
    changed.truncate(500);
    Ok(changed)
}

/// Ends the sessions of an agent that were opened with a passkey.
pub fn end_of(agent_id: &str, now: Moment) -> Statement {
    sql!(
        "UPDATE sessions SET state = 'ended', ended_at = $2 \
         WHERE agent_id = $1 AND state <> 'ended' AND is_played = 0 RETURNING project_id, agent_id",
        agent_id,
        now.stored(),
    )
}

/// Ends the sessions of agents that were removed or reassigned.
pub fn end_unassigned(now: Moment) -> Statement {
    sql!(
        "UPDATE sessions SET state = 'ended', ended_at = $1 WHERE state <> 'ended' \
         AND NOT EXISTS (SELECT 1 FROM assignments a \
         JOIN agents g ON g.id = a.agent_id JOIN projects p ON p.id = a.project_id \
         WHERE a.agent_id = sessions.agent_id AND a.project_id = sessions.project_id \
         AND g.is_gone = 0 AND g.type = 'ai' AND p.is_gone = 0) RETURNING project_id, agent_id",
        now.stored(),
    )
}

fn projects(projects: &[Project]) -> Statement {
    let rows = rows(2, projects.len(), ", 1, 0");
    let insert = format!(
        "INSERT INTO projects (id, name, is_configured, is_gone) VALUES {rows} \
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_configured = 1, is_gone = 0"
    );
    Statement::new(insert).bind_all(projects.iter().flat_map(|it| [&it.id, &it.name]))
}

fn agents(agents: &[Agent]) -> Statement {
    let rows = rows(7, agents.len(), ", 1, 0");
    let insert = format!(
        "INSERT INTO agents (id, name, type, skills, assistant, principal, passkey, is_configured, \
         is_gone) VALUES {rows} ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
         type = excluded.type, skills = excluded.skills, assistant = excluded.assistant, \
         principal = excluded.principal, passkey = excluded.passkey, is_configured = 1, is_gone = 0"
    );
    Statement::new(insert).bind_all(agents.iter().flat_map(cells))
}

fn cells(agent: &Agent) -> [Value; 7] {
    [
        (&agent.id).into(),
        (&agent.name).into(),
        sql::name_of(agent.kind).into(),
        skills(&agent.skills).into(),
        agent.assistant.clone().into(),
        agent.principal.clone().into(),
        agent.passkey.clone().into(),
    ]
}

/// Returns the skills as stored: a JSON list.
pub fn skills(skills: &[String]) -> String {
    serde_json::to_string(skills).unwrap_or_default()
}

fn assignments(pairs: &[(&String, &String)]) -> Statement {
    let rows = rows(2, pairs.len(), "");
    let insert = format!("INSERT INTO assignments (project_id, agent_id) VALUES {rows}");
    Statement::new(insert).bind_all(pairs.iter().flat_map(|(project, agent)| [*project, *agent]))
}

/// Returns for example `($1, $2, 1, 0), ($3, $4, 1, 0)` for two rows of two parameters with `rest`.
fn rows(columns: usize, count: usize, rest: &str) -> String {
    let row = |it: usize| format!("({}{rest})", sql::placeholders(it * columns + 1, columns));
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}

/// Maximum number of characters of an identifier of a project, an agent or an assistant.
pub const ID_CHARS_MAX: usize = 64;
/// Maximum number of characters of a name.
const NAME_CHARS_MAX: usize = 100;
/// Maximum number of skills per agent.
pub const SKILLS_MAX: usize = 20;
/// Maximum number of characters of a skill.
const SKILL_CHARS_MAX: usize = 50;
/// Maximum number of characters of a token's name.
const PRINCIPAL_CHARS_MAX: usize = 200;
/// Maximum number of projects.
pub const PROJECTS_MAX: usize = 100;
/// Maximum number of agents.
pub const AGENTS_MAX: usize = 1_000;
/// Maximum number of assignments of agents to projects in the settings.
pub const ASSIGNMENTS_MAX: usize = 10_000;

/// Prefix of the host's own principals.
const OF_THE_HOST: &str = "madoguchi:";

/// Checks an identifier. Two of them, joined by a space, name a chat, and each is a part of an event's URI.
///
/// # Errors
/// What would be right.
pub fn check_id(text: &str) -> Result<(), String> {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let begins = text.starts_with(|it: char| it.is_ascii_alphanumeric());
    if !begins || text.len() > ID_CHARS_MAX || !text.chars().all(fits) {
        return Err(format!(
            "must be 1 to {ID_CHARS_MAX} of A-Z, a-z, 0-9, -, _ and ., and begin with a letter or a digit"
        ));
    }
    if text == SYSTEM {
        return Err(format!("{SYSTEM} is whoever ends what nobody ended; take another one"));
    }
    Ok(())
}

/// Checks a name for people.
///
/// # Errors
/// What would be right.
pub fn check_name(text: &str) -> Result<(), String> {
    line(text, NAME_CHARS_MAX)
}

/// Checks a skill.
///
/// # Errors
/// What would be right.
pub fn check_skill(text: &str) -> Result<(), String> {
    line(text, SKILL_CHARS_MAX)
}

/// Checks the name of a token that identifies a person.
///
/// # Errors
/// What would be right.
pub fn check_principal(text: &str) -> Result<(), String> {
    if text.starts_with(OF_THE_HOST) {
        return Err("is the counter's own; name a token of a person".to_owned());
    }
    line(text, PRINCIPAL_CHARS_MAX)
}

/// Checks the number of texts, and that each is there once.
///
/// # Errors
/// What would be right.
pub fn check_count(texts: &[String], least: usize, most: usize) -> Result<(), String> {
    if !(least..=most).contains(&texts.len()) {
        return Err(format!("must be {least} to {most}, not {}", texts.len()));
    }
    let twice = texts.iter().enumerate().find(|(index, it)| texts[..*index].contains(it));
    twice.map_or(Ok(()), |(index, _)| Err(format!("has number {} twice", index + 1)))
}

/// Checks that a text is one line of at most `most` characters.
fn line(text: &str, most: usize) -> Result<(), String> {
    if is_blank(text) || text.chars().count() > most || text.chars().any(char::is_control) {
        return Err(format!("must be one line of 1 to {most} characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It has no blanks, slashes or other scripts, and it is not the system's own.
    #[test]
    fn check_id_refuses_blanks_slashes_other_scripts_and_system() {
        for right in ["worker-a", "A", "7", "a.b_c-d", &"a".repeat(64)] {
            assert_eq!(check_id(right), Ok(()), "{right}");
        }
        for wrong in ["", "-a", ".a", "a b", "a/b", "窓口", "a\n", "system", &"a".repeat(65)] {
            assert!(check_id(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn name_is_one_line_with_visible_text() {
        assert_eq!(check_name("窓口デモ"), Ok(()));
        for wrong in ["", " ", "\u{200b}", "a\nb", &"窓".repeat(101)] {
            assert!(check_name(wrong).is_err(), "{wrong}");
        }
        assert!(check_principal("madoguchi:coordinator").is_err());
    }
}
