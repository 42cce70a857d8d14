//! What a person may see: the projects that they are assigned to; the operator sees all.

use output::conversations::AgentKind;
use serde::Deserialize;
use serde_json::json;
use toolkit::{Stop, refused, sql, sql::Statement};

use crate::{
    person::Person,
    refusals::{
        agent_not_found, cannot_message_self, project_not_found, say, target_agent_not_in_project,
    },
};

/// The condition that a person sees the project in `column`; it takes two parameters, the first of
/// which is `$first`: see [`bound`].
pub fn condition(column: &str, first: usize) -> String {
    format!(
        "(${first} <> 0 OR EXISTS (SELECT 1 FROM assignments seen \
         WHERE seen.project_id = {column} AND seen.agent_id = ${}))",
        first + 1
    )
}

/// The two parameters of [`condition`].
pub fn bound(statement: Statement, person: &Person) -> Statement {
    statement.bind(person.is_operator).bind(&person.agent_id)
}

/// Stops where the person does not see the project.
///
/// # Errors
/// When there is none, or none for them.
pub fn must_see_project(person: &Person, project_id: &str) -> Result<(), Stop> {
    let select = format!(
        "SELECT 1 FROM projects p WHERE p.id = $1 AND p.is_gone = 0 AND {}",
        condition("p.id", 2)
    );
    let [rows] = sql::query([bound(toolkit::sql!(select, project_id), person)])?;
    if rows.is_empty() { Err(project_not_found(project_id)) } else { Ok(()) }
}

/// Stops unless the person sees the project and can chat with this agent of it: an AI.
///
/// # Errors
/// Which of the two is missing, in this order: the project, the agent, its place in the project.
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
