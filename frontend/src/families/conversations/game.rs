//! Who can play a word game with whom: two agents of one project that the host plays itself.

use output::conversations::{Agent, AgentKind, Projects};
use serde_json::{Value, json};

/// What the game is for (CONV-100), as the built-in model and the specification know it.
pub(crate) const PURPOSE: &str = "しりとり";

/// Two agents and their project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Players {
    pub(crate) project_id: String,
    pub(crate) initiator_id: String,
    pub(crate) target_id: String,
    /// What people call them.
    pub(crate) names: (String, String),
}

impl Players {
    /// The first two that can play; those of a project that the reader is looking at come first.
    pub(crate) fn of(projects: &Projects, project_id: &str) -> Option<Self> {
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
    fn the_host_plays_both_or_there_is_no_game() {
        use AgentKind::{Ai, Human};
        let lone = vec![agent("a", Ai, true), agent("b", Ai, false), agent("h", Human, true)];
        assert_eq!(Players::of(&projects(&[("p", lone.clone())]), ""), None);
        let pair = vec![agent("x", Ai, true), agent("h", Human, false), agent("y", Ai, true)];
        let both = projects(&[("p", lone), ("q", pair.clone()), ("r", pair)]);
        let players = Players::of(&both, "").unwrap();
        assert_eq!(
            players.arguments(),
            json!({ "project_id": "q", "initiator_agent_id": "x", "target_agent_id": "y",
                "purpose": "しりとり" })
        );
        assert_eq!(players.names, ("X".to_owned(), "Y".to_owned()));
        assert_eq!(Players::of(&both, "r").unwrap().project_id, "r", "where the reader looks");
    }
}
