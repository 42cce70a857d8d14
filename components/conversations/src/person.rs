//! The calling person, identified by a token or as the operator, and what they may see.

use output::conversations::AgentKind;
use serde::Deserialize;
use serde_json::json;
use toolkit::{
    Stop, caller, refused,
    sql::{self, Statement},
};

use crate::refusals::{
    self, agent_not_found, cannot_message_self, project_not_found, say, target_agent_not_in_project,
};

/// Identifier of the operator's agent, unless their token identifies another person.
pub const OPERATOR: &str = "operator";

/// A calling person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Person {
    /// Identifier of their agent.
    pub agent_id: String,
    /// Their name for others.
    pub name: String,
    /// Whether they see every project and may define agents.
    pub is_operator: bool,
}

/// Whether the principal has no name of its own, as on servers without tokens.
pub fn is_anonymous(principal: &str) -> bool {
    matches!(principal, "anonymous" | "stdio")
}

/// Returns the calling person.
///
/// # Errors
/// When the token belongs to no person and is not the operator's.
pub fn calling(tool: &str) -> Result<Person, Stop> {
    let principal = caller::principal();
    let is_operator = is_anonymous(&principal) || caller::scopes().iter().any(|it| it == "*");
    let [rows] = sql::query([toolkit::sql!(
        "SELECT id AS agent_id, name, 0 AS is_operator FROM agents \
         WHERE type = 'human' AND is_gone = 0 AND (principal = $1 OR (id = $2 AND $3 <> 0)) \
         ORDER BY CASE WHEN principal = $1 THEN 0 ELSE 1 END LIMIT 1",
        &principal,
        OPERATOR,
        is_operator,
    )])?;
    match rows.first::<Person>()? {
        Some(person) => Ok(Person { is_operator, ..person }),
        None => Err(refusals::tool_not_available(
            tool,
            say(
                "このツールは人のためのものです。エージェントはauthenticateから始めてください。",
                "This tool is for people; an agent begins with authenticate.",
            ),
        )),
    }
}

/// Returns the calling person, who must be the operator.
///
/// # Errors
/// When it is any other caller.
pub fn must_be_operator(tool: &str) -> Result<Person, Stop> {
    let person = calling(tool)?;
    if person.is_operator {
        return Ok(person);
    }
    Err(refusals::tool_not_available(
        tool,
        say(
            "このツールは運用者のためのものです。",
            "This tool is for the operator of this counter.",
        ),
    ))
}

// People see the projects that they are assigned to; the operator sees all.

/// Returns the condition that a person sees the project in `column`. It has two parameters from `$first`, see
/// [`bound`].
pub fn condition(column: &str, first: usize) -> String {
    format!(
        "(${first} <> 0 OR EXISTS (SELECT 1 FROM assignments seen \
         WHERE seen.project_id = {column} AND seen.agent_id = ${}))",
        first + 1
    )
}

/// Binds the two parameters of [`condition`].
pub fn bound(statement: Statement, person: &Person) -> Statement {
    statement.bind(person.is_operator).bind(&person.agent_id)
}

/// Refuses unless the person sees the project.
///
/// # Errors
/// `project_not_found`, also where they may not see it.
pub fn must_see_project(person: &Person, project_id: &str) -> Result<(), Stop> {
    let select = format!(
        "SELECT 1 FROM projects p WHERE p.id = $1 AND p.is_gone = 0 AND {}",
        condition("p.id", 2)
    );
    let [rows] = sql::query([bound(toolkit::sql!(select, project_id), person)])?;
    if rows.is_empty() { Err(project_not_found(project_id)) } else { Ok(()) }
}

/// Refuses unless the person sees the project and the agent is an AI of it.
///
/// # Errors
/// What is missing, in this order: the project, the agent, its assignment.
pub fn must_chat_with(person: &Person, project_id: &str, agent_id: &str) -> Result<(), Stop> {
    let project = format!(
        "SELECT 1 FROM projects p WHERE p.id = $1 AND p.is_gone = 0 AND {}",
        condition("p.id", 2)
    );
    let agent = toolkit::sql!(
        "SELECT a.type, EXISTS (SELECT 1 FROM assignments s WHERE s.project_id = $1 \
         AND s.agent_id = a.id) AS is_here FROM agents a WHERE a.id = $2 AND a.is_gone = 0",
        project_id,
        agent_id,
    );
    let [project, agent] = sql::query([bound(toolkit::sql!(project, project_id), person), agent])?;
    if project.is_empty() {
        return Err(project_not_found(project_id));
    }
    let found = agent.first::<Found>()?.ok_or_else(|| agent_not_found(agent_id))?;
    if agent_id == person.agent_id {
        return Err(cannot_message_self());
    }
    if !found.is_here {
        return Err(target_agent_not_in_project(agent_id, project_id));
    }
    match found.r#type {
        AgentKind::Ai => Ok(()),
        AgentKind::Human => Err(cannot_chat_with_human(agent_id)),
    }
}

#[derive(Deserialize)]
struct Found {
    r#type: AgentKind,
    is_here: bool,
}

fn cannot_chat_with_human(agent_id: &str) -> Stop {
    let message = say(
        "人間のエージェントとのチャットは開始できません。",
        "A chat is with an AI agent, not with another person.",
    );
    refused("cannot_chat_with_human", 400, message).with(json!({ "agent_id": agent_id }))
}
