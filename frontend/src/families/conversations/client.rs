//! Requests of the conversation views: lists, conversations and projects, and a word game between two agents run by the
//! host.

use output::conversations::{Agent, AgentKind, Conversations, Projects, Transcript};
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{PAGE, Part};
use super::place::Filter;
use crate::call::fetch;
use crate::error::CallError;
use crate::rest;
use crate::route::encoded;

/// A conversation as files.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Written {
    /// The transcript as Markdown.
    pub(crate) markdown: String,
    /// One message per line, as `chat.jsonl` (CONV-6).
    pub(crate) jsonl: String,
}

/// Fetches a page of the list.
pub(crate) async fn list(
    filter: &Filter,
    cursor: Option<&str>,
) -> Result<Conversations, CallError> {
    fetch("list_conversations", filter.arguments(cursor)).await
}

/// Fetches a conversation with a part of its messages.
pub(crate) async fn read(id: &str, part: Part) -> Result<Transcript, CallError> {
    let mut arguments = json!({ "conversation_id": id, "limit": PAGE });
    match part {
        Part::Latest => {}
        Part::Before(number) => arguments["before"] = number.into(),
        Part::After(number) => arguments["after"] = number.into(),
    }
    fetch("get_conversation", arguments).await
}

/// Fetches the projects and their agents.
pub(crate) async fn projects() -> Result<Projects, CallError> {
    rest::get("/api/projects").await
}

/// Fetches the whole conversation for saving.
pub(crate) async fn written(id: &str) -> Result<Written, CallError> {
    rest::get(&format!("/api/conversations/transcript?id={}", encoded(id))).await
}

/// Purpose of the game (CONV-100), known to the built-in model and the specification.
const PURPOSE: &str = "しりとり";

/// Two agents of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentPair {
    pub(crate) project_id: String,
    initiator_id: String,
    target_id: String,
    /// Their names.
    pub(crate) names: (String, String),
}

impl AgentPair {
    /// The first two agents run by the host, preferably of the given project.
    pub(crate) fn find(projects: &Projects, project_id: &str) -> Option<Self> {
        let is_own = |it: &Agent| it.kind == AgentKind::Ai && it.assistant.is_some();
        let mut all: Vec<_> = projects.projects.iter().collect();
        all.sort_by_key(|it| it.project_id != project_id);
        all.into_iter().find_map(|project| {
            let mut agents = project.agents.iter().map(|it| &it.agent).filter(|it| is_own(it));
            let (one, other) = (agents.next()?, agents.next()?);
            Some(Self {
                project_id: project.project_id.clone(),
                initiator_id: one.agent_id.clone(),
                target_id: other.agent_id.clone(),
                names: (one.name.clone(), other.name.clone()),
            })
        })
    }

    /// The arguments of `begin_conversation`.
    pub(crate) fn arguments(&self) -> Value {
        json!({
            "project_id": self.project_id,
            "initiator_agent_id": self.initiator_id,
            "target_agent_id": self.target_id,
            "purpose": PURPOSE,
        })
    }
}

#[cfg(test)]
mod tests {
    use output::conversations::{Project, ProjectAgent};

    use super::*;

    fn agent(id: &str, kind: AgentKind, is_played: bool) -> ProjectAgent {
        let agent = Agent {
            agent_id: id.to_owned(),
            name: id.to_uppercase(),
            kind,
            assistant: is_played.then(|| "talker".to_owned()),
            ..Agent::default()
        };
        ProjectAgent { agent, ..ProjectAgent::default() }
    }

    fn projects(agents: &[(&str, Vec<ProjectAgent>)]) -> Projects {
        let project = |(id, agents): &(&str, Vec<ProjectAgent>)| Project {
            project_id: (*id).to_owned(),
            agents: agents.clone(),
            ..Project::default()
        };
        Projects { projects: agents.iter().map(project).collect(), ..Projects::default() }
    }

    #[test]
    fn game_needs_two_agents_run_by_the_host() {
        use AgentKind::{Ai, Human};
        let lone = vec![agent("a", Ai, true), agent("b", Ai, false), agent("h", Human, true)];
        assert_eq!(AgentPair::find(&projects(&[("p", lone.clone())]), ""), None);
        let pair = vec![agent("x", Ai, true), agent("h", Human, false), agent("y", Ai, true)];
        let both = projects(&[("p", lone), ("q", pair.clone()), ("r", pair)]);
        let pair = AgentPair::find(&both, "").unwrap();
        assert_eq!(
            pair.arguments(),
            json!({ "project_id": "q", "initiator_agent_id": "x", "target_agent_id": "y",
                "purpose": "しりとり" })
        );
        assert_eq!(pair.names, ("X".to_owned(), "Y".to_owned()));
        assert_eq!(AgentPair::find(&both, "r").unwrap().project_id, "r", "where the reader looks");
    }
}
