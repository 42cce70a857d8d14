//! Attempts of unauthorized callers, tool by tool.

use host::caller::Caller;
use serde_json::{Value, json};
use tests::conversations::PASSKEY;

use super::{House, caller};

/// One thing that a caller tries.
pub(super) struct Attempt {
    pub(super) caller: Caller,
    pub(super) arguments: Value,
    /// Codes of which one must refuse it; without, it may succeed on the caller's own data.
    pub(super) refused: Option<&'static [&'static str]>,
}

/// What a conversation says that is not theirs.
const FOREIGN: Option<&[&str]> =
    Some(&["not_conversation_participant", "conversation_not_found", "tool_not_available"]);
/// What a project says that is not theirs.
const ELSEWHERE: Option<&[&str]> = Some(&[
    "project_not_found",
    "agent_not_found",
    "target_agent_not_in_project",
    "tool_not_available",
    "conversation_not_found",
]);
/// What only the operator may.
const STAFF: Option<&[&str]> = Some(&["tool_not_available"]);
/// Without a session of one's own there is nothing.
const NO_SESSION: Option<&[&str]> = Some(&["invalid_session", "invalid_params"]);

fn person(name: &str) -> Caller {
    caller(name, &["conversations"])
}

/// With the tokens of strangers; and with none that is right.
fn by_agents(
    house: &House,
    refused: Option<&'static [&'static str]>,
    arguments: &Value,
) -> Vec<Attempt> {
    let tokens = house.strangers.iter().map(|it| (it.as_str(), refused));
    let wrong = ["sess_none", "", "' OR 1=1 --"].map(|it| (it, NO_SESSION));
    // The digest of a token is what the database has; it opens nothing.
    let attempt = |(token, refused): (&str, _)| {
        let mut arguments = arguments.clone();
        arguments["session_token"] = token.into();
        Attempt { caller: person("nobody"), arguments, refused }
    };
    tokens.chain(wrong).map(attempt).collect()
}

fn by_people(
    names: &[&str],
    refused: Option<&'static [&'static str]>,
    arguments: &Value,
) -> Vec<Attempt> {
    let attempt =
        |name: &&str| Attempt { caller: person(name), arguments: arguments.clone(), refused };
    names.iter().map(attempt).collect()
}

/// What is tried with a tool; none for one that has no case here.
pub(super) fn of(tool: &str, house: &House) -> Option<Vec<Attempt>> {
    let strangers = ["taro", "nobody"];
    let others = ["jiro", "taro", "nobody"];
    let talk = json!({ "conversation_id": house.talk });
    let with = |mut object: Value, name: &str, value: Value| {
        object[name] = value;
        object
    };
    let written = with(talk.clone(), "content", "mine".into());
    let chat = json!({ "project_id": "one", "agent_id": "worker-a" });
    // Tools that need no token, or show only the caller's own data.
    Some(match tool {
        "authenticate" => authenticating(),
        "logout" => by_agents(house, None, &json!({})).split_off(2),
        "start_conversation" => starting(house),
        "end_conversation" => {
            let refused = Some(&["no_active_conversation"][..]);
            let mut all = by_agents(house, FOREIGN, &talk);
            all.extend(by_agents(house, refused, &json!({})));
            all
        }
        "send_message" => sending(house),
        "respond_chat" => by_agents(house, None, &json!({ "content": "mine" })),
        "get_pending_messages" | "get_next_action" | "list_agents" => {
            by_agents(house, None, &json!({}))
        }
        "get_conversation_messages" => {
            let mut all = by_agents(house, FOREIGN, &talk);
            let before = with(talk.clone(), "before", 5.into());
            all.extend(by_agents(house, None, &before));
            all.extend(by_agents(house, None, &with(talk, "after", 0.into())));
            all
        }
        "begin_conversation" => {
            let wanted = json!({
                "project_id": "one", "initiator_agent_id": "worker-a", "target_agent_id": "worker-c",
            });
            by_people(&strangers, ELSEWHERE, &wanted)
        }
        "list_conversations" => {
            let mut all = by_people(&strangers, None, &json!({}));
            all.extend(by_people(&strangers, None, &json!({ "project_id": "one" })));
            all.extend(by_people(&strangers, None, &json!({ "agent_id": "worker-a" })));
            all.extend(by_people(&strangers, None, &json!({ "query": super::SECRET })));
            all
        }
        "get_conversation" => by_people(&strangers, FOREIGN, &talk),
        "write_message" => by_people(&strangers, FOREIGN, &written),
        "pause_conversation" => by_people(&strangers, FOREIGN, &with(talk, "paused", true.into())),
        "stop_conversation" => by_people(&strangers, FOREIGN, &talk),
        // Who sees a project may chat there; a chat of their own changes no other one.
        "start_chat" | "end_chat" | "mark_chat_read" => by_people(&strangers, ELSEWHERE, &chat),
        "send_chat" => by_people(&strangers, ELSEWHERE, &with(chat, "content", "mine".into())),
        "define_project" => by_people(&others, STAFF, &json!({ "project_id": "one", "name": "n" })),
        "define_agent" => {
            let wanted = json!({
                "agent_id": "worker-a", "name": "n", "type": "ai", "project_ids": ["two"],
            });
            by_people(&others, STAFF, &wanted)
        }
        "retire_agent" | "renew_passkey" => {
            by_people(&others, STAFF, &json!({ "agent_id": "worker-a" }))
        }
        "import_messages" => by_people(&others, STAFF, &json!({ "lines": [lines(house)] })),
        _ => return None,
    })
}

fn authenticating() -> Vec<Attempt> {
    let tries = [
        ("worker-x", PASSKEY, "one"),
        ("worker-a", "wrong", "one"),
        ("worker-a", "", "one"),
        ("worker-a", tests::conversations::HASH, "one"),
        ("worker-a", PASSKEY, "two"),
        ("hana", PASSKEY, "one"),
        ("operator", PASSKEY, "one"),
    ];
    let attempt = |(agent, passkey, project)| Attempt {
        caller: person("nobody"),
        arguments: json!({ "agent_id": agent, "passkey": passkey, "project_id": project }),
        refused: None,
    };
    tries.map(attempt).into()
}

/// Only what lies in another project; with an agent of one's own project any agent may talk.
fn starting(house: &House) -> Vec<Attempt> {
    let mut all = Vec::new();
    for target in ["worker-a", "worker-b"] {
        let refused = Some(&["target_agent_not_in_project", "agent_not_found"][..]);
        let arguments = json!({ "session_token": house.strangers[1], "target_agent_id": target });
        all.push(Attempt { caller: person("nobody"), arguments, refused });
    }
    all
}

fn sending(house: &House) -> Vec<Attempt> {
    let mut all = Vec::new();
    for target in ["worker-a", "worker-b"] {
        let plain = json!({ "target_agent_id": target, "content": "mine" });
        let mut named = plain.clone();
        named["conversation_id"] = house.talk.clone().into();
        let refused = Some(
            &[
                "conversation_required_for_ai_to_ai",
                "target_agent_not_in_project",
                "agent_not_found",
                "not_conversation_participant",
                "conversation_not_found",
                "invalid_session",
            ][..],
        );
        all.extend(by_agents(house, refused, &plain));
        all.extend(by_agents(house, refused, &named));
    }
    all
}

/// A line as if worker-a had sent it.
fn lines(house: &House) -> String {
    let line = json!({
        "id": "msg_forged", "senderId": "worker-a", "recipientId": "worker-b", "content": "mine",
        "timestamp": "2026-01-23T10:00:00Z", "conversationId": house.talk,
    });
    line.to_string()
}
