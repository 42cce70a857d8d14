//! Values typed to define a project or an agent or to begin a conversation, and their checks before sending.

use std::collections::BTreeMap;

use output::conversations::{AgentKind, Project, ProjectAgent};
use serde_json::{Value, json};

use super::chat::{self, MESSAGE_MAX};
use crate::error::CallError;
use crate::text::{Key, Lang};

/// Maximum number of characters of an id.
const ID_MAX: usize = 64;
/// Maximum number of characters of a name.
pub(crate) const NAME_MAX: usize = 100;
/// Ids that must be new.
const NEW: [&str; 2] = ["project_id", "agent_id"];
/// Maximum number of skills of one agent.
const SKILLS_MAX: usize = 20;
/// Maximum number of characters of a skill.
const SKILL_MAX: usize = 50;

/// A fault of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Found by the page, with a number for the text.
    Ours(Key, usize),
    /// The host's message.
    Theirs(String),
}

impl Fault {
    /// The message for people.
    pub(crate) fn text(&self, lang: Lang) -> String {
        match self {
            Self::Ours(key, number) => lang.fill(*key, &[&number.to_string()]),
            Self::Theirs(text) => text.clone(),
        }
    }
}

/// Faults by argument name.
pub(crate) type Faults = BTreeMap<String, Fault>;

/// Assigns the host's problems to shown fields; the others are left to the notice.
pub(crate) fn theirs(error: &CallError, fields: &[&str]) -> Faults {
    let fault = |problem: crate::error::Problem| {
        let field = problem.pointer.trim_start_matches('/').split('/').next()?.to_owned();
        fields.contains(&field.as_str()).then_some((field, Fault::Theirs(problem.message)))
    };
    let mut faults: Faults = error.problems().into_iter().filter_map(fault).collect();
    if let CallError::Refused(refusal) = error {
        let is_taken = refusal.status == 409 && faults.is_empty();
        if let Some(id) = fields.first().filter(|it| is_taken && NEW.contains(it)) {
            faults.insert((*id).to_owned(), Fault::Theirs(refusal.message.clone()));
        }
    }
    faults
}

/// Checks an id: letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
fn of_id(id: &str) -> Option<Fault> {
    let is_plain = |it: char| it.is_ascii_alphanumeric();
    let fits = |it: char| is_plain(it) || "._-".contains(it);
    match () {
        () if id.is_empty() => Some(Fault::Ours(Key::MustBeGiven, 0)),
        () if id.chars().count() > ID_MAX => Some(Fault::Ours(Key::MustBeShorter, ID_MAX)),
        () if !id.starts_with(is_plain) || !id.chars().all(fits) => {
            Some(Fault::Ours(Key::AgentIdForm, 0))
        }
        // Reserved for ends not caused by an agent.
        () if id == "system" => Some(Fault::Ours(Key::AgentIdTaken, 0)),
        () => None,
    }
}

fn of_name(name: &str) -> Option<Fault> {
    match name.chars().count() {
        0 => Some(Fault::Ours(Key::MustBeGiven, 0)),
        count if count > NAME_MAX => Some(Fault::Ours(Key::MustBeShorter, NAME_MAX)),
        _ => None,
    }
}

fn gather(faults: impl IntoIterator<Item = (&'static str, Option<Fault>)>) -> Faults {
    let present = |(name, fault): (&'static str, Option<Fault>)| Some((name.to_owned(), fault?));
    faults.into_iter().filter_map(present).collect()
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectDraft {
    pub(crate) id: String,
    pub(crate) name: String,
}

impl ProjectDraft {
    pub(crate) const FIELDS: &[&str] = &["project_id", "name"];

    /// Checks it against existing projects.
    pub(crate) fn faults(&self, taken: &[String]) -> Faults {
        let id = self.id.trim();
        let is_taken = taken.iter().any(|it| it == id).then_some(Fault::Ours(Key::AgentIdTaken, 0));
        gather([("project_id", of_id(id).or(is_taken)), ("name", of_name(self.name.trim()))])
    }

    /// The arguments for `define_project`.
    pub(crate) fn arguments(&self) -> Value {
        json!({ "project_id": self.id.trim(), "name": self.name.trim() })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentDraft {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: AgentKind,
    pub(crate) projects: Vec<String>,
    /// Separated by commas.
    pub(crate) skills: String,
    /// Empty for an outside agent.
    pub(crate) assistant: String,
    /// Whose token identifies this person.
    pub(crate) principal: String,
}

impl AgentDraft {
    pub(crate) const FIELDS: &[&str] =
        &["agent_id", "name", "type", "project_ids", "skills", "assistant", "principal"];

    /// The values of an existing agent in these projects, for editing.
    pub(crate) fn from_agent(present: &ProjectAgent, projects: Vec<String>, lang: Lang) -> Self {
        let agent = &present.agent;
        Self {
            id: agent.agent_id.clone(),
            name: agent.name.clone(),
            kind: agent.kind,
            projects,
            skills: agent.skills.join(lang.comma()),
            assistant: agent.assistant.clone().unwrap_or_default(),
            principal: String::new(),
        }
    }

    /// Checks it against existing agents.
    pub(crate) fn faults(&self, taken: &[String]) -> Faults {
        let id = self.id.trim();
        let is_taken = taken.iter().any(|it| it == id).then_some(Fault::Ours(Key::AgentIdTaken, 0));
        let no_project = self.projects.is_empty().then_some(Fault::Ours(Key::AgentNoProject, 0));
        let skills = self.skill_list();
        let of_skills = match () {
            () if skills.len() > SKILLS_MAX => Some(Fault::Ours(Key::MustHaveFewer, SKILLS_MAX)),
            () if skills.iter().any(|it| it.chars().count() > SKILL_MAX) => {
                Some(Fault::Ours(Key::AgentSkillLong, SKILL_MAX))
            }
            () => None,
        };
        let is_long = self.kind == AgentKind::Human && self.principal.trim().chars().count() > 200;
        let of_principal = is_long.then_some(Fault::Ours(Key::MustBeShorter, 200));
        gather([
            ("agent_id", of_id(id).or(is_taken)),
            ("name", of_name(self.name.trim())),
            ("project_ids", no_project),
            ("skills", of_skills),
            ("principal", of_principal),
        ])
    }

    /// Its skills without duplicates.
    fn skill_list(&self) -> Vec<String> {
        let mut skills = Vec::<String>::new();
        for skill in self.skills.split([',', '、', '，', '\n']).map(str::trim) {
            if !skill.is_empty() && !skills.iter().any(|it| it == skill) {
                skills.push(skill.to_owned());
            }
        }
        skills
    }

    /// Arguments of `define_agent`, limited to fields of its type.
    pub(crate) fn arguments(&self) -> Value {
        let is_ai = self.kind == AgentKind::Ai;
        let mut arguments = json!({
            "agent_id": self.id.trim(), "name": self.name.trim(),
            "type": if is_ai { "ai" } else { "human" },
            "project_ids": self.projects, "skills": self.skill_list(),
        });
        let (name, value) = match is_ai {
            true => ("assistant", self.assistant.trim()),
            false => ("principal", self.principal.trim()),
        };
        if !value.is_empty() {
            arguments[name] = value.into();
        }
        arguments
    }
}

/// Maximum number of characters of a purpose.
const PURPOSE_MAX: usize = 500;
/// Maximum number of turns (CONV-32).
const TURNS_MAX: u32 = 1_000;

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
    pub(crate) const FIELDS: &[&str] =
        &["target_agent_id", "initiator_agent_id", "purpose", "initial_message", "max_turns"];

    /// A likely default: between the first two agents run by the host, else between any two.
    pub(crate) fn default_for(project: &Project) -> Self {
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

    /// Checks the values of all fields.
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
        if chat::length(self.purpose.trim()) > PURPOSE_MAX {
            note("purpose", Fault::Ours(Key::MustBeShorter, PURPOSE_MAX));
        }
        if chat::length(self.message.trim()) > MESSAGE_MAX {
            note("initial_message", Fault::Ours(Key::MustBeShorter, MESSAGE_MAX));
        }
        let is_number = (1..=TURNS_MAX).contains(&self.turns.trim().parse().unwrap_or_default());
        if !self.turns.trim().is_empty() && !is_number {
            note("max_turns", Fault::Ours(Key::BeginTurnsForm, TURNS_MAX as usize));
        }
        faults
    }

    /// Arguments of `begin_conversation`, without empty fields.
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

/// The agents of a project that can take part.
pub(crate) fn able(project: &Project) -> Vec<ProjectAgent> {
    let is_ai = |it: &&ProjectAgent| it.agent.kind == AgentKind::Ai;
    project.agents.iter().filter(is_ai).cloned().collect()
}

#[cfg(test)]
mod tests {
    use output::conversations::Agent;

    use super::*;
    use crate::error::Refusal;

    fn agent() -> AgentDraft {
        AgentDraft {
            id: " worker-c ".to_owned(),
            name: "調査".to_owned(),
            projects: vec!["demo".to_owned()],
            skills: "検索、要約, 検索,,".to_owned(),
            assistant: "talker".to_owned(),
            principal: "ci".to_owned(),
            ..AgentDraft::default()
        }
    }

    #[test]
    fn sends_only_fields_of_the_agents_type() {
        assert_eq!(
            agent().arguments(),
            json!({ "agent_id": "worker-c", "name": "調査", "type": "ai", "project_ids": ["demo"],
                "skills": ["検索", "要約"], "assistant": "talker" })
        );
        let human = AgentDraft { kind: AgentKind::Human, ..agent() }.arguments();
        assert_eq!((&human["principal"], human.get("assistant")), (&json!("ci"), None));
        let outside = AgentDraft { assistant: String::new(), ..agent() }.arguments();
        assert_eq!(outside.get("assistant"), None);
    }

    #[test]
    fn editing_present_agent_sends_all_its_fields() {
        let present = ProjectAgent {
            agent: Agent {
                agent_id: "worker-c".to_owned(),
                name: "調査".to_owned(),
                skills: vec!["検索".to_owned(), "要約".to_owned()],
                assistant: Some("talker".to_owned()),
                ..Default::default()
            },
            ..ProjectAgent::default()
        };
        let draft = AgentDraft::from_agent(&present, vec!["demo".to_owned()], Lang::En);
        assert_eq!(draft.arguments(), agent().arguments());
    }

    #[test]
    fn reports_each_fault_at_its_field() {
        assert_eq!(agent().faults(&[]), Faults::new());
        let names = |it: Faults| it.into_keys().collect::<Vec<_>>();
        assert_eq!(names(agent().faults(&["worker-c".to_owned()])), ["agent_id"]);
        assert_eq!(names(AgentDraft::default().faults(&[])), ["agent_id", "name", "project_ids"]);
        let many = (0..30).map(|it| it.to_string()).collect::<Vec<_>>().join(",");
        assert_eq!(names(AgentDraft { skills: many, ..agent() }.faults(&[])), ["skills"]);
        for id in ["-a", "a b", "作業", "a/b", "system", &"a".repeat(65)] {
            let project = ProjectDraft { id: id.to_owned(), name: "n".to_owned() };
            assert_eq!(names(project.faults(&[])), ["project_id"], "{id}");
        }
    }

    #[test]
    fn shows_host_errors_at_their_fields() {
        let refused = |status, data: Value| {
            CallError::Refused(Box::new(Refusal {
                code: "x".to_owned(),
                message: "既にあります。".to_owned(),
                status,
                data,
            }))
        };
        let problems = json!({ "problems": [{ "pointer": "/skills/3", "message": "too long" },
            { "pointer": "/elsewhere", "message": "?" }] });
        let faults = theirs(&refused(400, problems), AgentDraft::FIELDS);
        let expected = ("skills".to_owned(), Fault::Theirs("too long".to_owned()));
        assert_eq!(faults.into_iter().collect::<Vec<_>>(), [expected]);
        let faults = theirs(&refused(409, Value::Null), ProjectDraft::FIELDS);
        assert!(faults.contains_key("project_id"), "a conflict is about the id");
        assert_eq!(theirs(&CallError::Offline, ProjectDraft::FIELDS), Faults::new());
    }

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
    fn conversation_defaults_to_two_ai_agents() {
        let beginning = Beginning::default_for(&project());
        assert_eq!((&*beginning.initiator, &*beginning.target), ("b", "a"));
        assert_eq!(beginning.faults(), Faults::new());
        let same = Beginning { target: "b".to_owned(), ..beginning };
        assert!(same.faults().contains_key("target_agent_id"));
    }

    #[test]
    fn omits_empty_fields_and_sends_turns_as_number() {
        let beginning = Beginning { turns: " 5 ".to_owned(), ..Beginning::default_for(&project()) };
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
