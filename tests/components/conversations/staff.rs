//! Projects and agents, from settings and from the page.

mod configured;
mod defining;

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{
    bench, open,
    sessions::{HASH, shop},
};

/// A caller with a token of that name and those scopes.
fn caller(principal: &str, scopes: &[&str]) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller.scopes = scopes.iter().map(|it| (*it).to_owned()).collect();
    caller
}

/// The token of an agent that comes in now.
async fn enter(component: &Tested, agent: &str, passkey: &str, project: &str) -> String {
    let arguments = json!({ "agent_id": agent, "passkey": passkey, "project_id": project });
    let opened = component.call("authenticate", arguments).await;
    opened["session_token"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
}

/// The refusal of an agent's login.
async fn refused(component: &Tested, agent: &str, passkey: &str, project: &str) -> Value {
    let arguments = json!({ "agent_id": agent, "passkey": passkey, "project_id": project });
    component.call("authenticate", arguments).await["error"].clone()
}

/// Who is in the project of a session.
async fn agents(component: &Tested, token: &str) -> Vec<Value> {
    let listed = component.call("list_agents", json!({ "session_token": token })).await;
    listed["agents"].as_array().unwrap().clone()
}

/// The ids of the agents that the session sees.
async fn ids(component: &Tested, token: &str) -> Vec<String> {
    let text = |it: &Value| it["agent_id"].as_str().unwrap().to_owned();
    agents(component, token).await.iter().map(text).collect()
}
