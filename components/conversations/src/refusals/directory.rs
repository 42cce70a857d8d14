//! Refusals where an agent is not let in, or the caller may not define agents.

use super::is_japanese;

toolkit::refusals! { is_japanese
    /// An agent's passkey was guessed at too often (CONV-83).
    too_many_attempts(retry_after_seconds: u32) 429
        "認証に何度も失敗しました。しばらく待ってからやり直してください。",
        "Too many passkeys were tried for this agent; wait before the next one.";

    /// A project that is not there.
    project_not_found(project_id: &str) 404
        "プロジェクトが見つかりません。",
        "There is no such project.";

    /// A project that stands in the configuration, where alone it can be changed.
    project_is_configured(project_id: &str) 409
        "このプロジェクトは設定ファイルで定義されています。設定ファイルを変更してください。",
        "This project stands in the configuration; change it there.";

    /// An agent that stands in the configuration, where alone it can be changed.
    agent_is_configured(agent_id: &str) 409
        "このエージェントは設定ファイルで定義されています。設定ファイルを変更してください。",
        "This agent stands in the configuration; change it there.";

    /// A program does not become a person, nor the other way round: conversations refer to it.
    agent_type_differs(agent_id: &str) 409
        "このIDのエージェントは別の種類で登録済みです。別のIDを使ってください。",
        "This id is an agent of the other type; take another id.";

    /// A token makes its holder one person.
    principal_taken(principal: &str, agent_id: &str) 409
        "このトークンは既に別の人のものです。",
        "This token makes its holder another person already.";

    /// More projects or agents than there may be.
    too_many(what: &str, most: usize) 409
        "これ以上は登録できません。",
        "There is no room for another one.";

    /// A person, or an agent that the host plays, comes in without a passkey.
    passkey_not_used(agent_id: &str) 409
        "このエージェントはパスキーを使いません。",
        "This agent comes in without a passkey.";
}
