//! A conversation to be, between two agents: what is typed for it, and what is wrong with that.

use output::conversations::{AgentKind, Project, ProjectAgent};
use serde_json::{Value, json};

use super::counted::{self, MESSAGE_MAX};
use super::defining::{Fault, Faults};
use crate::text::Key;

/// Characters of a purpose.
const PURPOSE_MAX: usize = 500;
/// Turns that may be asked for (CONV-32).
const TURNS_MAX: u32 = 1_000;

/// What is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) project: String,
    pub(crate) initiator: String,
    pub(crate) target: String,
    pub(crate) purpose: String,
    pub(crate) message: String,
    pub(crate) turns: String,
}

impl Beginning {
    /// The names of its fields.
    pub(crate) const FIELDS: &[&str] =
        &["target_agent_id", "initiator_agent_id", "purpose", "initial_message", "max_turns"];

    /// A likely one: between the first two that the host plays, or else between any two.
    pub(crate) fn of(project: &Project) -> Self {
        let mut able = able(project);
        able.sort_by_key(|it| it.agent.assistant.is_none());
        let id = |index: usize| able.get(index).map(|it| it.agent.agent_id.clone());
        Self {
            project: project.project_id.clone(),
            initiator: id(0).unwrap_or_default(),
            target: id(1).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// What is wrong with it.
    pub(crate) fn faults(&self) -> Faults {
        let mut faults = Faults::new();
        let mut note = |name: &str, fault: Fault| drop(faults.insert(name.to_owned(), fault));
        if self.initiator.is_empty() {
            note("initiator_agent_id", Fault::Ours(Key::MustBeGiven, 0));
        }
        if self.target.is_empty() {
            note("target_agent_id", Fault::Ours(Key::MustBeGiven, 0));
        } else if self.target == self.initiator {
            note("target_agent_id", Fault::Ours(Key::BeginSame, 0));
        }
        if counted::length(self.purpose.trim()) > PURPOSE_MAX {
            note("purpose", Fault::Ours(Key::MustBeShorter, PURPOSE_MAX));
        }
        if counted::length(self.message.trim()) > MESSAGE_MAX {
            note("initial_message", Fault::Ours(Key::MustBeShorter, MESSAGE_MAX));
        }
        let is_number = (1..=TURNS_MAX).contains(&self.turns.trim().parse().unwrap_or_default());
        if !self.turns.trim().is_empty() && !is_number {
            note("max_turns", Fault::Ours(Key::BeginTurnsForm, TURNS_MAX as usize));
        }
        faults
    }

    /// For `begin_conversation`: what was left empty is not sent.
    pub(crate) fn arguments(&self) -> Value {
        let mut arguments = json!({
            "project_id": self.project, "initiator_agent_id": self.initiator,
            "target_agent_id": self.target,
        });
        let texts = [("purpose", self.purpose.trim()), ("initial_message", self.message.trim())];
        for (name, text) in texts.into_iter().filter(|it| !it.1.is_empty()) {
            arguments[name] = text.into();
        }
        if let Ok(turns) = self.turns.trim().parse::<u32>() {
            arguments["max_turns"] = turns.into();
        }
        arguments
    }
}

/// The agents of a project that can hold a conversation.
pub(crate) fn able(project: &Project) -> Vec<ProjectAgent> {
    let is_ai = |it: &&ProjectAgent| it.agent.kind == AgentKind::Ai;
    project.agents.iter().filter(is_ai).cloned().collect()
}

#[cfg(test)]
mod tests {
    use output::conversations::Agent;

    use super::*;

    fn project() -> Project {
        let agent = |id: &str, kind, assistant: Option<&str>| ProjectAgent {
            agent: Agent {
                agent_id: id.to_owned(),
                kind,
                assistant: assistant.map(str::to_owned),
                ..Agent::default()
            },
            ..ProjectAgent::default()
        };
        let agents = vec![
            agent("a", AgentKind::Ai, None),
            agent("operator", AgentKind::Human, None),
            agent("b", AgentKind::Ai, Some("talker")),
        ];
        Project { project_id: "demo".to_owned(), agents, ..Project::default() }
    }

    #[test]
    fn one_that_the_host_plays_begins_and_people_do_not_take_part() {
        let beginning = Beginning::of(&project());
        assert_eq!((&*beginning.initiator, &*beginning.target), ("b", "a"));
        assert_eq!(beginning.faults(), Faults::new());
        let same = Beginning { target: "b".to_owned(), ..beginning };
        assert!(same.faults().contains_key("target_agent_id"));
    }

    #[test]
    fn what_was_left_empty_is_not_sent_and_turns_are_a_number() {
        let beginning = Beginning { turns: " 5 ".to_owned(), ..Beginning::of(&project()) };
        assert_eq!(
            beginning.arguments(),
            json!({ "project_id": "demo", "initiator_agent_id": "b", "target_agent_id": "a",
                "max_turns": 5 })
        );
        for turns in ["0", "1001", "-1", "2.5", "many"] {
            let wrong = Beginning { turns: turns.to_owned(), ..beginning.clone() };
            assert!(wrong.faults().contains_key("max_turns"), "{turns}");
        }
    }
}
