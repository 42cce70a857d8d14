//! The error codes of CONV-90 with their HTTP status.

use output::conversations::State;
use serde_json::json;
use toolkit::{Stop, caller, refused};

/// Returns the text in the caller's language: Japanese, unless they ask for another one.
pub fn say<'a>(japanese: &'a str, english: &'a str) -> &'a str {
    if is_japanese() { japanese } else { english }
}

/// Whether the caller reads Japanese.
pub fn is_japanese() -> bool {
    caller::reads_japanese(true)
}

toolkit::refusals! { is_japanese
    /// The session's token is unknown, or the session is over (CONV-83).
    invalid_session() 401
        "セッションが無効か期限切れです。authenticateで新しいセッションを開始してください。",
        "The session is unknown or over; begin a new one with authenticate.";

    /// Check 1 of a start: the agent names itself.
    cannot_conversation_with_self() 400
        "自分自身とは会話できません。",
        "An agent cannot hold a conversation with itself.";

    /// Start, check 2; send, CONV-65.
    agent_not_found(agent_id: &str) 404
        "エージェントが見つかりません。",
        "There is no such agent.";

    /// Check 3 of a start: the target is a person.
    cannot_start_conversation_with_human(target_agent_id: &str) 400
        "人間のエージェントとは会話を開始できません。send_messageを使ってください。",
        "A conversation cannot be started with a person; use send_message.";

    /// Check 4 of a start: the target works elsewhere.
    target_agent_not_in_project(target_agent_id: &str, project_id: &str) 403
        "対象のエージェントはこのプロジェクトに割り当てられていません。",
        "The agent is not assigned to this project.";

    /// The conversation to end or to read does not exist.
    conversation_not_found(conversation_id: &str) 404
        "会話が見つかりません。",
        "There is no such conversation.";

    /// The agent is not a member of the conversation.
    not_conversation_participant(conversation_id: &str) 403
        "会話の参加者ではありません。",
        "Not a participant of this conversation.";

    /// An agent writes to itself (CONV-65).
    cannot_message_self() 400
        "自分自身には送信できません。",
        "A message cannot go to its sender.";

    /// The message is empty (CONV-65).
    content_required() 400
        "メッセージを入力してください。",
        "The message is empty.";

    /// CONV-65, with the text of the source project.
    content_too_long() 400
        "メッセージは4,000文字以内で入力してください",
        "A message has at most 4,000 characters.";

    /// A person has paused the conversation.
    conversation_paused(conversation_id: &str) 409
        "この会話は一時停止中です。再開を待ってください。",
        "A person has paused this conversation; wait until it goes on.";

    /// The client used the same identifier for another message.
    idempotency_conflict(message_id: &str) 409
        "同じclient_message_idで別のメッセージが送信済みです。",
        "Another message was sent under the same client_message_id.";

    /// The conversation has reached its limit of messages.
    too_many_messages(conversation_id: &str) 409
        "この会話のメッセージ数が上限に達しました。会話を終了してください。",
        "This conversation has as many messages as it may have; end it.";

    /// The agent has reached its limit of open conversations.
    too_many_conversations(agent_id: &str) 429
        "開いている会話が多すぎます。先に会話を終了してください。",
        "Too many conversations are open; end one first.";

    /// The agent has used up its storage share.
    too_much_kept(agent_id: &str, bytes: i64, bytes_max: i64) 429
        "このエージェントの会話が保存の上限に達しました。会話を終了してください。終了した会話は古いものから数分で削除され、場所が空きます。",
        "This agent's conversations take as much room as they may. End conversations: those that are over go within minutes, the oldest first, and make room.";

    /// Too many wrong passkeys for the agent (CONV-83).
    too_many_attempts(retry_after_seconds: u32) 429
        "認証に何度も失敗しました。しばらく待ってからやり直してください。",
        "Too many passkeys were tried for this agent; wait before the next one.";

    /// The project does not exist.
    project_not_found(project_id: &str) 404
        "プロジェクトが見つかりません。",
        "There is no such project.";

    /// The project comes from the configuration and can only be changed there.
    project_is_configured(project_id: &str) 409
        "このプロジェクトは設定ファイルで定義されています。設定ファイルを変更してください。",
        "This project stands in the configuration; change it there.";

    /// The agent comes from the configuration and can only be changed there.
    agent_is_configured(agent_id: &str) 409
        "このエージェントは設定ファイルで定義されています。設定ファイルを変更してください。",
        "This agent stands in the configuration; change it there.";

    /// An agent cannot change between program and person, because conversations refer to it.
    agent_type_differs(agent_id: &str) 409
        "このIDのエージェントは別の種類で登録済みです。別のIDを使ってください。",
        "This id is an agent of the other type; take another id.";

    /// The token already identifies another person.
    principal_taken(principal: &str, agent_id: &str) 409
        "このトークンは既に別の人のものです。",
        "This token makes its holder another person already.";

    /// The limit of projects or agents is reached.
    too_many(what: &str, most: usize) 409
        "これ以上は登録できません。",
        "There is no room for another one.";

    /// The agent is a person, or is played by the host, and has no passkey.
    passkey_not_used(agent_id: &str) 409
        "このエージェントはパスキーを使いません。",
        "This agent comes in without a passkey.";
}

/// A tool that this session, or this caller, may not use (CONV-111).
pub fn tool_not_available(tool: &str, why: &str) -> Stop {
    refused("tool_not_available", 403, why).with(json!({ "tool": tool }))
}

/// Check 5 of a start, in either direction. `is_to_join` says that the caller only has to join `open`.
pub fn conversation_already_active(
    agent_id: &str,
    open: Option<(&str, State)>,
    is_to_join: bool,
) -> Stop {
    let message = if is_to_join {
        say(
            "このエージェントからの会話リクエストが届いています。get_next_actionを呼び出して参加してください。",
            "This agent has asked you for a conversation already; call get_next_action to join it.",
        )
    } else {
        say(
            "このエージェントとの会話が既にあります。",
            "There is an open conversation with this agent already.",
        )
    };
    refused("conversation_already_active", 409, message).with(json!({
        "target_agent_id": agent_id,
        "conversation_id": open.map(|it| it.0),
        "current_state": open.map(|it| it.1),
    }))
}

/// The conversation to end does not exist or has ended (CONV-43).
pub fn no_active_conversation(current: Option<(&str, &str)>) -> Stop {
    let message = say("アクティブな会話がありません。", "There is no active conversation.");
    let stop = refused("no_active_conversation", 400, message);
    match current {
        Some((id, state)) => stop.with(json!({ "conversation_id": id, "current_state": state })),
        None => stop,
    }
}

/// CONV-62, with the text of the specification. `current` is the conversation of both that accepts no message of
/// `from` now, with its state.
pub fn conversation_required_for_ai_to_ai(
    from: &str,
    to: &str,
    current: Option<(&str, State)>,
) -> Stop {
    let message = format!(
        "AIエージェント間のメッセージ送信にはアクティブな会話が必要です。先にstart_conversation(participant_agent_id: \"{to}\", initial_message: \"...\")を呼び出してください。"
    );
    let mut data = json!({ "from_agent_id": from, "to_agent_id": to });
    if let Some((id, state)) = current {
        data["conversation_id"] = json!(id);
        data["current_state"] = json!(state);
    }
    refused("conversation_required_for_ai_to_ai", 400, message).with(data)
}
