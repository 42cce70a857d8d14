//! Agents for the tests of conversations: configuration and credentials.

use serde_json::{Value, json};

/// The passkey of every agent in the tests.
pub const PASSKEY: &str = "open-sesame";
/// Its argon2id hash at minimal cost, so that 200 agents can log in at once.
pub const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$bWFkb2d1Y2hpLXNhbHQ$Q3UV5Q6E4w4SElZgWftXQ8uhMJGmK/+3sMx4uOg/gEI";

/// The settings of an agent from outside in these projects.
pub fn agent(name: &str, projects: &[String]) -> Value {
    json!({ "name": name, "type": "ai", "projects": projects, "passkey": HASH })
}

/// The component's settings in TOML: one project with these agents.
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
