//! Sessions: authenticate and logout (CONV-80 to CONV-85).

mod classes;
mod entering;
mod guessing;
mod secrets;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::{PASSKEY, bench};
pub(super) use tests::conversations::HASH;

/// A shop with two agents from outside, one that the host plays, and a person; and a depot with
/// another one.
pub(super) fn shop() -> Bench {
    let agent = |name: &str, project: &str| json!({ "name": name, "type": "ai", "projects": [project], "passkey": HASH });
    bench().settings(json!({
        "projects": { "shop": { "name": "Web shop" }, "depot": { "name": "Depot" } },
        "agents": {
            "alice": agent("Alice", "shop"),
            "bob": agent("Bob", "shop"),
            "carol": agent("Carol", "depot"),
            "played": { "name": "Played", "projects": ["shop"], "assistant": "talker" },
            "taro": { "name": "Taro", "type": "human", "projects": ["shop"], "principal": "taro" },
        },
    }))
}

/// The answer of `authenticate`.
async fn authenticate(component: &Tested, agent: &str, passkey: &str, project: &str) -> Value {
    let arguments = json!({ "agent_id": agent, "passkey": passkey, "project_id": project });
    component.call("authenticate", arguments).await
}

/// The token of a session that is opened now.
async fn enter(component: &Tested, agent: &str) -> String {
    let opened = authenticate(component, agent, PASSKEY, "shop").await;
    assert_eq!(opened["success"], true, "{opened}");
    opened["session_token"].as_str().unwrap().to_owned()
}

/// Whether a token opens anything.
async fn is_live(component: &Tested, token: &str) -> bool {
    match component.round("list_agents", json!({ "session_token": token }), json!({})).await {
        workbench::solo::SoloOutcome::Done(_) => true,
        workbench::solo::SoloOutcome::Failed(failure) => {
            assert_eq!(
                (&failure["error"], &failure["status"]),
                (&json!("invalid_session"), &json!(401))
            );
            false
        }
        other => panic!("{other:?}"),
    }
}

/// The members of an object, by their names.
fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}
