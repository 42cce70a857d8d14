//! The operator's settings: time-outs, projects and agents. Errors name their place and how to fix them.

use std::collections::{BTreeMap, BTreeSet};

use output::conversations::AgentKind;
use serde_json::{Map, Value};
use toolkit::{
    Problem, Stop,
    settings::{self, Unfit},
};

use crate::{
    clock::Moment,
    directory::{self, Agent, Directory, Project},
    passkey,
    person::OPERATOR,
};

/// Reads the projects and agents of the settings; without any, returns the demo.
///
/// # Errors
/// The problems for the operator to fix.
pub fn directory() -> Result<Directory, Vec<Problem>> {
    let mut reading = Reading::default();
    let mut read = |name| {
        settings::get::<Value>(name).unwrap_or_else(|unfit| {
            reading.push(Problem::from(unfit));
            None
        })
    };
    let (projects, agents) = (read("projects"), read("agents"));
    let directory = match (&projects, &agents) {
        (None, None) => demo(),
        _ => parse_directory(projects.as_ref(), agents.as_ref(), &mut reading),
    };
    reading.finish(directory)
}

/// Checks all settings before the component serves, and stores projects and agents.
///
/// # Errors
/// The problems for the operator to fix.
pub fn configure() -> Result<(), Vec<Problem>> {
    let mut problems = timeout_problems();
    match directory() {
        Ok(directory) if problems.is_empty() => directory::write(&directory),
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

// Time-outs, read whenever they are needed (CONV-22).

/// How long a request may stay unanswered, in seconds (CONV-20).
const PENDING_S: u32 = 300;
/// How long a conversation may be without a new message, in seconds (CONV-21).
const ACTIVE_S: u32 = 600;
/// How long a person may pause a conversation, in seconds.
const PAUSE_S: u32 = 3_600;
/// How long a chat session may be idle, in seconds (CONV-82).
pub const IDLE_S: u32 = 600;
/// Maximum time-out, in seconds: a week.
const TIMEOUT_S_MAX: u32 = 604_800;

/// The time-outs, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the request to `expired`.
    pub pending_s: u32,
    /// From the last message to the end, and from there until an absent member is no longer waited for.
    pub active_s: u32,
    /// From the pause to its end.
    pub pause_s: u32,
}

/// The moments before which a state must have begun to be expired.
#[derive(Clone, Debug)]
pub struct Cuts {
    /// The moment for `pending`.
    pub pending: String,
    /// The moment for `active` and for `terminating`.
    pub active: String,
    /// The moment for a pause.
    pub pause: String,
}

impl Timeouts {
    /// Reads the settings.
    ///
    /// # Errors
    /// When a setting is no valid number.
    pub fn read() -> Result<Self, Stop> {
        Ok(Self {
            pending_s: seconds("pending_timeout_seconds", PENDING_S)?,
            active_s: seconds("active_timeout_seconds", ACTIVE_S)?,
            pause_s: seconds("pause_seconds_max", PAUSE_S)?,
        })
    }

    /// Returns the cuts at `now`.
    pub fn cuts(self, now: Moment) -> Cuts {
        Cuts {
            pending: now.before(self.pending_s).stored(),
            active: now.before(self.active_s).stored(),
            pause: now.before(self.pause_s).stored(),
        }
    }
}

/// Returns the problems with time-outs.
fn timeout_problems() -> Vec<Problem> {
    let names = ["pending_timeout_seconds", "active_timeout_seconds", "pause_seconds_max"];
    names.into_iter().filter_map(|it| seconds(it, 1).err()).map(Problem::from).collect()
}

/// Parses a number, or its digits: the environment gives texts.
fn seconds(name: &str, default: u32) -> Result<u32, Unfit> {
    let number = match settings::get::<Value>(name)? {
        None => return Ok(default),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_u64().and_then(|it| u32::try_from(it).ok()),
    };
    let unfit = || Unfit::new(name, format!("must be seconds: 1 to {TIMEOUT_S_MAX}"));
    number.filter(|it| (1..=TIMEOUT_S_MAX).contains(it)).ok_or_else(unfit)
}

// The demo, used without settings: two agents that the host plays.

/// The demo project.
pub const PROJECT: &str = "demo";
/// Name of the assistant that plays both agents.
const ASSISTANT: &str = "talker";

/// Returns the demo: a project with the two agents of the specification's use case (CONV-100).
pub fn demo() -> Directory {
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

/// Returns the agent that stands for the operator, in every project.
pub fn operator() -> Agent {
    Agent {
        id: OPERATOR.to_owned(),
        name: "Operator".to_owned(),
        kind: AgentKind::Human,
        ..Agent::default()
    }
}

// The settings `projects` and `agents`.
//
// ```toml
// [components.conversations.settings.projects.shop]
// name = "Web shop"
//
// [components.conversations.settings.agents.worker-a]
// name = "Analysis Worker"
// type = "ai"                      # or "human"
// projects = ["shop"]
// skills = ["analysis"]
// passkey = "$argon2id$…"          # `madoguchi passkey`; comes from outside
// assistant = "talker"             # or the host plays it
// # principal = "alice"            # of a human: whose token
// ```
const PROJECT_KEYS: &[&str] = &["name"];
const AGENT_KEYS: &[&str] =
    &["name", "type", "projects", "skills", "passkey", "assistant", "principal"];

/// Parses the projects and agents as far as possible.
fn parse_directory(
    projects: Option<&Value>,
    agents: Option<&Value>,
    reading: &mut Reading,
) -> Directory {
    let projects = entries(projects, "projects", directory::PROJECTS_MAX, reading);
    let projects: Vec<_> =
        projects.iter().filter_map(|(id, at, value)| project(id, at, value, reading)).collect();
    let ids: BTreeSet<_> = projects.iter().map(|it| it.id.as_str()).collect();
    let agents = entries(agents, "agents", directory::AGENTS_MAX, reading);
    let mut agents: Vec<_> =
        agents.iter().filter_map(|(id, at, it)| agent(id, at, it, &ids, reading)).collect();
    let assignments: usize = agents.iter().map(|it| it.projects.len()).sum();
    if assignments > directory::ASSIGNMENTS_MAX {
        let most = directory::ASSIGNMENTS_MAX;
        reading.add("/agents", format!("name {assignments} projects in all; {most} is most"));
    }
    check_principals(&agents, reading);
    if !agents.iter().any(|it| it.id == OPERATOR) {
        agents.push(operator());
    }
    Directory { projects, agents }
}

/// Returns the entries of a table by their identifiers, with their pointers.
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
            reading.add(&pointer, "must be a table, with an entry for each id");
            return Vec::new();
        }
    };
    if object.len() > most {
        reading.add(&pointer, format!("has {} entries; {most} is most", object.len()));
        return Vec::new();
    }
    let mut entries = Vec::new();
    for (id, value) in object {
        let at = inside(&pointer, id);
        match directory::check_id(id) {
            Ok(()) => entries.push((id.as_str(), at, value)),
            Err(why) => reading.add(&at, format!("its id {why}")),
        }
    }
    entries
}

fn project(id: &str, at: &str, value: &Value, reading: &mut Reading) -> Option<Project> {
    let object = reading.object(value, at, PROJECT_KEYS)?;
    let name = reading.text(object, at, "name", directory::check_name);
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
        name: reading
            .text(object, at, "name", directory::check_name)
            .unwrap_or_else(|| id.to_owned()),
        kind,
        projects: reading.texts(object, (at, "projects"), directory::PROJECTS_MAX, project),
        skills: reading.texts(
            object,
            (at, "skills"),
            directory::SKILLS_MAX,
            directory::check_skill,
        ),
        passkey: reading.text(object, at, "passkey", hash),
        assistant: reading.text(object, at, "assistant", directory::check_id),
        principal: reading.text(object, at, "principal", directory::check_principal),
    };
    check_kind(&agent, object, at, reading);
    Some(agent)
}

fn kind(object: &Map<String, Value>, at: &str, reading: &mut Reading) -> Option<AgentKind> {
    match object.get("type").map(Value::as_str) {
        None => Some(AgentKind::Ai),
        Some(Some("ai")) => Some(AgentKind::Ai),
        Some(Some("human")) => Some(AgentKind::Human),
        Some(_) => {
            reading.add(&inside(at, "type"), "must be \"ai\" or \"human\"");
            None
        }
    }
}

/// Checks the keys that a person or a program needs or may not have.
fn check_kind(agent: &Agent, object: &Map<String, Value>, at: &str, reading: &mut Reading) {
    let has = |key: &str| object.contains_key(key);
    if agent.id == OPERATOR {
        if agent.kind != AgentKind::Human {
            let why = "must be \"human\": operator is the person who runs this counter";
            reading.add(&inside(at, "type"), why);
        }
    } else if !has("projects") || object["projects"].as_array().is_some_and(Vec::is_empty) {
        reading.add(&inside(at, "projects"), "must name the projects that it works in");
    }
    match agent.kind {
        AgentKind::Ai => {
            if has("principal") {
                let why = "is for people; an ai comes in by its passkey";
                reading.add(&inside(at, "principal"), why);
            }
            if !has("passkey") && !has("assistant") {
                let why = "has no way in: give it a passkey (`madoguchi passkey`), or an assistant \
                           of this counter that plays it";
                reading.add(at, why);
            }
        }
        AgentKind::Human => {
            if has("passkey") {
                let why = "is for programs; a person comes in by a token, which `principal` names";
                reading.add(&inside(at, "passkey"), why);
            }
            if has("assistant") {
                reading.add(&inside(at, "assistant"), "is for programs; nobody plays a person");
            }
        }
    }
}

/// Checks that each token identifies one person.
fn check_principals(agents: &[Agent], reading: &mut Reading) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for agent in agents {
        let Some(principal) = agent.principal.as_deref() else { continue };
        if let Some(other) = first.insert(principal, &agent.id) {
            let at = inside(&inside("/agents", &agent.id), "principal");
            reading.add(&at, format!("is {other}'s already"));
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

// Parses settings piece by piece, and collects problems with their places.

/// Maximum number of reported problems.
const PROBLEMS_MAX: usize = 50;

/// The problems found so far.
#[derive(Debug, Default)]
struct Reading {
    problems: Vec<Problem>,
}

impl Reading {
    /// Adds a problem.
    fn push(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }

    /// Adds a problem at `pointer`.
    fn add(&mut self, pointer: &str, message: impl Into<String>) {
        self.push(Problem::at(pointer, message));
    }

    /// Returns the value, if there are no problems.
    fn finish<T>(self, value: T) -> Result<T, Vec<Problem>> {
        if self.problems.is_empty() { Ok(value) } else { Err(self.problems) }
    }

    /// Returns an object, checking that it has no members but `names`.
    fn object<'a>(
        &mut self,
        value: &'a Value,
        pointer: &str,
        names: &[&str],
    ) -> Option<&'a Map<String, Value>> {
        let Value::Object(object) = value else {
            self.add(pointer, "must be a table");
            return None;
        };
        for key in object.keys().filter(|it| !names.contains(&it.as_str())) {
            let names = names.join(", ");
            self.add(&inside(pointer, key), format!("is not known; there is {names}"));
        }
        Some(object)
    }

    /// Returns the text under `key`, if it passes `check`.
    fn text(
        &mut self,
        object: &Map<String, Value>,
        pointer: &str,
        key: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Option<String> {
        let value = object.get(key)?;
        let checked = match value.as_str() {
            Some(text) => check(text).map(|()| text.to_owned()),
            None => Err("must be a text".to_owned()),
        };
        checked.map_err(|why| self.add(&inside(pointer, key), why)).ok()
    }

    /// Returns the texts under `key` that pass `check`, up to a maximum number.
    fn texts(
        &mut self,
        object: &Map<String, Value>,
        (pointer, key): (&str, &str),
        most: usize,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Vec<String> {
        let pointer = inside(pointer, key);
        let entries = match object.get(key) {
            None => return Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => {
                self.add(&pointer, "must be a list of texts");
                return Vec::new();
            }
        };
        if entries.len() > most {
            self.add(&pointer, format!("has {} entries; {most} is most", entries.len()));
            return Vec::new();
        }
        let mut texts = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let checked = match entry.as_str() {
                Some(text) if texts.iter().any(|it| it == text) => Err("is there twice".to_owned()),
                Some(text) => check(text).map(|()| text.to_owned()),
                None => Err("must be a text".to_owned()),
            };
            match checked {
                Ok(text) => texts.push(text),
                Err(why) => self.add(&format!("{pointer}/{index}"), why),
            }
        }
        texts
    }
}

/// Returns the pointer to a member (RFC 6901).
fn inside(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
