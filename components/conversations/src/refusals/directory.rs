//! Refusals where an agent is not let in, or the caller may not define agents.

use serde_json::json;
use toolkit::{Stop, refused};

use super::say;

/// An agent's passkey was guessed at too often (CONV-83).
#[must_use]
pub fn too_many_attempts(retry_after_s: u32) -> Stop {
    let message = say(
        "認証に何度も失敗しました。しばらく待ってからやり直してください。",
        "Too many passkeys were tried for this agent; wait before the next one.",
    );
    refused("too_many_attempts", 429, message).with(json!({ "retry_after_seconds": retry_after_s }))
}

/// A project that is not there.
#[must_use]
pub fn project_not_found(project_id: &str) -> Stop {
    let message = say("プロジェクトが見つかりません。", "There is no such project.");
    refused("project_not_found", 404, message).with(json!({ "project_id": project_id }))
}

/// A project that stands in the configuration, where alone it can be changed.
#[must_use]
pub fn project_is_configured(project_id: &str) -> Stop {
    let message = say(
        "このプロジェクトは設定ファイルで定義されています。設定ファイルを変更してください。",
        "This project stands in the configuration; change it there.",
    );
    refused("project_is_configured", 409, message).with(json!({ "project_id": project_id }))
}

/// An agent that stands in the configuration, where alone it can be changed.
#[must_use]
pub fn agent_is_configured(agent_id: &str) -> Stop {
    let message = say(
        "このエージェントは設定ファイルで定義されています。設定ファイルを変更してください。",
        "This agent stands in the configuration; change it there.",
    );
    refused("agent_is_configured", 409, message).with(json!({ "agent_id": agent_id }))
}

/// A program does not become a person, nor the other way round: conversations refer to it.
#[must_use]
pub fn agent_type_differs(agent_id: &str) -> Stop {
    let message = say(
        "このIDのエージェントは別の種類で登録済みです。別のIDを使ってください。",
        "This id is an agent of the other type; take another id.",
    );
    refused("agent_type_differs", 409, message).with(json!({ "agent_id": agent_id }))
}

/// A token makes its holder one person.
#[must_use]
pub fn principal_taken(principal: &str, agent_id: &str) -> Stop {
    let message = say(
        "このトークンは既に別の人のものです。",
        "This token makes its holder another person already.",
    );
    refused("principal_taken", 409, message)
        .with(json!({ "principal": principal, "agent_id": agent_id }))
}

/// More projects or agents than there may be.
#[must_use]
pub fn too_many(what: &str, most: usize) -> Stop {
    let message = say("これ以上は登録できません。", "There is no room for another one.");
    refused("too_many", 409, message).with(json!({ "what": what, "most": most }))
}

/// A person, or an agent that the host plays, comes in without a passkey.
#[must_use]
pub fn passkey_not_used(agent_id: &str) -> Stop {
    let message =
        say("このエージェントはパスキーを使いません。", "This agent comes in without a passkey.");
    refused("passkey_not_used", 409, message).with(json!({ "agent_id": agent_id }))
}
