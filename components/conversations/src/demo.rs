//! The agents where the operator has named none yet: two that the host plays.

use output::conversations::AgentKind;

use crate::{
    directory::{Agent, Directory, Project},
    person::OPERATOR,
};

/// The demo project.
pub const PROJECT: &str = "demo";
/// The host's assistant that plays both agents.
const ASSISTANT: &str = "talker";

/// The demo: a project, and the two agents of the specification's use case (CONV-100).
pub fn directory() -> Directory {
    let worker = |id: &str, name: &str, skills: [&str; 2]| Agent {
        id: id.to_owned(),
        name: name.to_owned(),
        kind: AgentKind::Ai,
        projects: vec![PROJECT.to_owned()],
        skills: skills.map(str::to_owned).to_vec(),
        assistant: Some(ASSISTANT.to_owned()),
        ..Agent::default()
    };
    Directory {
        projects: vec![Project { id: PROJECT.to_owned(), name: "窓口デモ".to_owned() }],
        agents: vec![
            worker("worker-a", "Analysis Worker", ["analysis", "research"]),
            worker("worker-b", "Writing Worker", ["writing", "editing"]),
            operator(),
        ],
    }
}

/// The person that the operator of this server is, in every project.
pub fn operator() -> Agent {
    Agent {
        id: OPERATOR.to_owned(),
        name: "Operator".to_owned(),
        kind: AgentKind::Human,
        ..Agent::default()
    }
}
