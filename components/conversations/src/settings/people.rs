//! The settings `projects` and `agents`.
//!
//! ```toml
//! [components.conversations.settings.projects.shop]
//! name = "Web shop"
//!
//! [components.conversations.settings.agents.worker-a]
//! name = "Analysis Worker"
//! type = "ai"                      # or "human"
//! projects = ["shop"]
//! skills = ["analysis"]
//! passkey = "$argon2id$…"          # `madoguchi passkey`; comes from outside
//! assistant = "talker"             # or the host plays it
//! # principal = "alice"            # of a human: whose token
//! ```

use std::collections::{BTreeMap, BTreeSet};

use output::conversations::AgentKind;
use serde_json::{Map, Value};

use super::reading::{Reading, inside};
use crate::{
    demo,
    directory::{Agent, Directory, Project},
    passkey,
    person::OPERATOR,
    rules,
};

const PROJECT_KEYS: &[&str] = &["name"];
const AGENT_KEYS: &[&str] =
    &["name", "type", "projects", "skills", "passkey", "assistant", "principal"];

/// Who is there, as far as it can be read.
pub(super) fn directory(
    projects: Option<&Value>,
    agents: Option<&Value>,
    reading: &mut Reading,
) -> Directory {
    let projects = entries(projects, "projects", rules::PROJECTS_MAX, reading);
    let projects: Vec<_> =
        projects.iter().filter_map(|(id, at, value)| project(id, at, value, reading)).collect();
    let ids: BTreeSet<_> = projects.iter().map(|it| it.id.as_str()).collect();
    let agents = entries(agents, "agents", rules::AGENTS_MAX, reading);
    let mut agents: Vec<_> =
        agents.iter().filter_map(|(id, at, it)| agent(id, at, it, &ids, reading)).collect();
    let assignments: usize = agents.iter().map(|it| it.projects.len()).sum();
    if assignments > rules::ASSIGNMENTS_MAX {
        let most = rules::ASSIGNMENTS_MAX;
        reading.wrong("/agents", format!("name {assignments} projects in all; {most} is most"));
    }
    one_person_a_token(&agents, reading);
    if !agents.iter().any(|it| it.id == OPERATOR) {
        agents.push(demo::operator());
    }
    Directory { projects, agents }
}

/// The entries of a table by their ids, with their pointers.
fn entries<'a>(
    value: Option<&'a Value>,
    name: &str,
    most: usize,
    reading: &mut Reading,
) -> Vec<(&'a str, String, &'a Value)> {
    let pointer = format!("/{name}");
    let object = match value {
        None => return Vec::new(),
        Some(Value::Object(object)) => object,
        Some(_) => {
            reading.wrong(&pointer, "must be a table, with an entry for each id");
            return Vec::new();
        }
    };
    if object.len() > most {
        reading.wrong(&pointer, format!("has {} entries; {most} is most", object.len()));
        return Vec::new();
    }
    let mut entries = Vec::new();
    for (id, value) in object {
        let at = inside(&pointer, id);
        match rules::id(id) {
            Ok(()) => entries.push((id.as_str(), at, value)),
            Err(why) => reading.wrong(&at, format!("its id {why}")),
        }
    }
    entries
}

fn project(id: &str, at: &str, value: &Value, reading: &mut Reading) -> Option<Project> {
    let object = reading.object(value, at, PROJECT_KEYS)?;
    let name = reading.text(object, at, "name", rules::name);
    Some(Project { id: id.to_owned(), name: name.unwrap_or_else(|| id.to_owned()) })
}

fn agent(
    id: &str,
    at: &str,
    value: &Value,
    ids: &BTreeSet<&str>,
    reading: &mut Reading,
) -> Option<Agent> {
    let object = reading.object(value, at, AGENT_KEYS)?;
    let kind = kind(object, at, reading)?;
    let project = |id: &str| {
        if ids.contains(id) {
            return Ok(());
        }
        Err(format!("is no project; /projects has {}", list(ids)))
    };
    let hash = |it: &str| passkey::problem(it).map_or(Ok(()), Err);
    let agent = Agent {
        id: id.to_owned(),
        name: reading.text(object, at, "name", rules::name).unwrap_or_else(|| id.to_owned()),
        kind,
        projects: reading.texts(object, (at, "projects"), rules::PROJECTS_MAX, project),
        skills: reading.texts(object, (at, "skills"), rules::SKILLS_MAX, rules::skill),
        passkey: reading.text(object, at, "passkey", hash),
        assistant: reading.text(object, at, "assistant", rules::id),
        principal: reading.text(object, at, "principal", rules::principal),
    };
    fits_its_kind(&agent, object, at, reading);
    Some(agent)
}

fn kind(object: &Map<String, Value>, at: &str, reading: &mut Reading) -> Option<AgentKind> {
    match object.get("type").map(Value::as_str) {
        None => Some(AgentKind::Ai),
        Some(Some("ai")) => Some(AgentKind::Ai),
        Some(Some("human")) => Some(AgentKind::Human),
        Some(_) => {
            reading.wrong(&inside(at, "type"), "must be \"ai\" or \"human\"");
            None
        }
    }
}

/// What a person and a program cannot have, and what each needs.
fn fits_its_kind(agent: &Agent, object: &Map<String, Value>, at: &str, reading: &mut Reading) {
    let has = |key: &str| object.contains_key(key);
    if agent.id == OPERATOR {
        if agent.kind != AgentKind::Human {
            let why = "must be \"human\": operator is the person who runs this counter";
            reading.wrong(&inside(at, "type"), why);
        }
    } else if !has("projects") || object["projects"].as_array().is_some_and(Vec::is_empty) {
        reading.wrong(&inside(at, "projects"), "must name the projects that it works in");
    }
    match agent.kind {
        AgentKind::Ai => {
            if has("principal") {
                let why = "is for people; an ai comes in by its passkey";
                reading.wrong(&inside(at, "principal"), why);
            }
            if !has("passkey") && !has("assistant") {
                let why = "has no way in: give it a passkey (`madoguchi passkey`), or an assistant \
                           of this counter that plays it";
                reading.wrong(at, why);
            }
        }
        AgentKind::Human => {
            if has("passkey") {
                let why = "is for programs; a person comes in by a token, which `principal` names";
                reading.wrong(&inside(at, "passkey"), why);
            }
            if has("assistant") {
                reading.wrong(&inside(at, "assistant"), "is for programs; nobody plays a person");
            }
        }
    }
}

/// A token that made its holder two people would make them neither.
fn one_person_a_token(agents: &[Agent], reading: &mut Reading) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for agent in agents {
        let Some(principal) = agent.principal.as_deref() else { continue };
        if let Some(other) = first.insert(principal, &agent.id) {
            let at = inside(&inside("/agents", &agent.id), "principal");
            reading.wrong(&at, format!("is {other}'s already"));
        }
    }
}

fn list(ids: &BTreeSet<&str>) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let mut first: Vec<_> = ids.iter().take(10).copied().collect();
    if ids.len() > first.len() {
        first.push("…");
    }
    first.join(", ")
}
