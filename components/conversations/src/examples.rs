//! Examples that the host tries before it serves the component: authentication, definitions and a start.

use serde_json::json;
use toolkit::{Example, Tool, example};

use crate::tools::{
    Authenticate, DefineAgent, DefineProject, ListAgents, RetireAgent,
    people::{BeginConversation, ListConversations},
};

/// Returns the examples: the demo project exists, unknown agents are refused, and the operator defines agents.
pub fn examples() -> Vec<Example> {
    vec![
        example(
            "a stranger is not let in (CONV-80)",
            Authenticate::NAME,
            json!({ "agent_id": "worker-a", "passkey": "sesame", "project_id": "demo" }),
        )
        .gives(json!({
            "success": false,
            "error": "Authentication failed",
            "action": "exit",
        })),
        example(
            "a token that never was is told so (CONV-83)",
            ListAgents::NAME,
            json!({ "session_token": "sess_0" }),
        )
        .refuses("invalid_session"),
        example(
            "a person has two agents of the demo talk (CONV-11)",
            BeginConversation::NAME,
            json!({ "target_agent_id": "worker-b", "purpose": "しりとり", "max_turns": 5 }),
        )
        .gives(json!({
            "conversation": {
                "project_id": "demo",
                "state": "pending",
                "purpose": "しりとり",
                "members": [
                    { "agent_id": "worker-a", "role": "initiator" },
                    { "agent_id": "worker-b", "role": "participant" },
                ],
                "begun_by": "operator",
            },
            "steps": [{ "state": "pending", "caused_by": "operator" }],
        })),
        example(
            "not twice at a time, in either direction (CONV-95)",
            BeginConversation::NAME,
            json!({ "target_agent_id": "worker-a", "initiator_agent_id": "worker-b" }),
        )
        .refuses("conversation_already_active"),
        example(
            "and sees them in the list",
            ListConversations::NAME,
            json!({ "state": "pending" }),
        )
        .gives(json!({ "conversations": [{ "state": "pending" }] })),
        example(
            "an operator opens a project",
            DefineProject::NAME,
            json!({ "project_id": "shop", "name": "Web shop" }),
        )
        .gives(json!({ "project_id": "shop", "name": "Web shop" })),
        example(
            "and lets an agent in from outside, with a passkey of its own",
            DefineAgent::NAME,
            json!({ "agent_id": "guest", "name": "Guest", "type": "ai", "project_ids": ["shop"] }),
        )
        .gives(json!({ "agent_id": "guest", "project_ids": ["shop"] })),
        example(
            "what stands in the configuration is changed there",
            RetireAgent::NAME,
            json!({ "agent_id": "worker-a" }),
        )
        .refuses("agent_is_configured"),
    ]
}
