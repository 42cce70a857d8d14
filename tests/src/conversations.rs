//! Agents for the tests of conversations: who they are, and what lets them in.

use serde_json::{Value, json};

/// What every agent of the tests comes in by.
pub const PASSKEY: &str = "open-sesame";
/// Its argon2id hash at the least cost that there is, so that 200 come in at once.
pub const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$bWFkb2d1Y2hpLXNhbHQ$Q3UV5Q6E4w4SElZgWftXQ8uhMJGmK/+3sMx4uOg/gEI";

/// An agent from outside that works in these projects, as it stands in the settings.
pub fn agent(name: &str, projects: &[String]) -> Value {
    json!({ "name": name, "type": "ai", "projects": projects, "passkey": HASH })
}

/// What the settings of the component say in TOML, for a host: one project, and agents of its own.
pub fn toml(project: &str, agents: &[(String, String)]) -> String {
    let mut lines =
        format!("[components.conversations.settings.projects.{project}]\nname = \"{project}\"\n");
    for (id, name) in agents {
        lines += &format!(
            "[components.conversations.settings.agents.{id}]\nname = \"{name}\"\ntype = \"ai\"\n\
             projects = [\"{project}\"]\npasskey = \"{HASH}\"\n"
        );
    }
    lines
}

/// The arguments of `authenticate`.
pub fn credentials(agent: &str, project: &str) -> Value {
    json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": project })
}
