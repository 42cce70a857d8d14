//! Tools of agents that send messages: `send_message` and `respond_chat`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Hints, Stop, Text, Tool, User, invalid,
    sql::{self, Statement},
};

use crate::{
    clock::Moment,
    expiry, ids,
    inbox::{IS_ANSWERABLE, IS_DELIVERED},
    outgoing::{OutgoingMessage, non_blank},
    refusals,
    session::{self, Session},
};

// `send_message`: sends to another agent in their conversation, or to a person (CONV-60 to CONV-66).

/// 他のエージェントにメッセージを送信します。AIエージェント間ではアクティブな会話が必要です。
/// en: Sends a message to another agent. Between AI agents an active conversation is needed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 送信先のエージェントID
    /// en: To whom
    #[schemars(length(max = 64))]
    target_agent_id: String,
    /// メッセージ本文（4,000文字以内）
    /// en: The message, at most 4,000 characters
    #[schemars(length(max = 4000))]
    content: String,
    /// 会話ID（任意。省略時は相手との会話が自動で使われる）
    /// en: In which conversation (optional; the open one with that agent if absent)
    #[schemars(length(max = 64))]
    conversation_id: Option<String>,
    /// 関連するタスクのID（任意）
    /// en: What task it is about (optional)
    #[schemars(length(max = 200))]
    related_task_id: Option<String>,
    /// 送信側で付けるID（任意）。同じIDで再送しても1通になる
    /// en: Your own id (optional): sent again, it is sent once
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
    /// 会話がなければ開始する（任意）
    /// en: Starts a conversation where there is none (optional)
    auto_start_conversation: Option<bool>,
}

/// The output of `send_message`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sent {
    success: bool,
    message_id: String,
    /// The conversation; none between a person and an agent.
    conversation_id: Option<String>,
    target_agent_id: String,
    /// Its number in the conversation or chat, from 1.
    sequence: u32,
}

impl Tool for SendMessage {
    const NAME: &str = "send_message";
    const TITLE: Text = Text { ja: "メッセージ送信", en: "Send a message" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Sent;

    fn call(self, _: &User) -> Result<Sent, Stop> {
        let message = OutgoingMessage {
            token: &self.session_token,
            tool: Self::NAME,
            must_chat: false,
            target_id: &self.target_agent_id,
            content: &self.content,
            conversation_id: non_blank(self.conversation_id.as_ref()),
            related_task_id: non_blank(self.related_task_id.as_ref()),
            client_message_id: non_blank(self.client_message_id.as_ref()),
            auto_start: self.auto_start_conversation.unwrap_or_default(),
        };
        let stored = message.send()?;
        Ok(Sent {
            success: true,
            message_id: stored.id,
            conversation_id: stored.conversation_id,
            target_agent_id: self.target_agent_id,
            sequence: stored.sequence,
        })
    }
}

// `respond_chat`: answers the sender of the last message (CONV-75).

/// Order with the latest message first.
const LATEST: &str = "d.created_at DESC, d.sequence DESC";

/// チャットの相手に応答します。
/// en: Answers whoever wrote to you.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RespondChat {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 応答内容（4,000文字以内）
    /// en: The answer, at most 4,000 characters
    #[schemars(length(max = 4000))]
    content: String,
    /// 応答先のエージェントID（任意。省略時は最後の未読または既読メッセージの送信者）
    /// en: To whom (optional); whoever wrote the latest unread message if absent, or the one read last
    #[schemars(length(max = 64))]
    target_agent_id: Option<String>,
    /// 送信側で付けるID（任意）。同じIDで再送しても1通になる
    /// en: Your own id (optional): sent again, it is sent once
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
}

/// The output of `respond_chat`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Responded {
    success: bool,
    message_id: String,
    /// Identifier of the recipient.
    receiver_id: String,
    /// The conversation; none between a person and an agent.
    conversation_id: Option<String>,
    /// What to do next.
    instruction: String,
}

impl Tool for RespondChat {
    const NAME: &str = "respond_chat";
    const TITLE: Text = Text { ja: "チャット応答", en: "Answer" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Responded;

    fn call(self, _: &User) -> Result<Responded, Stop> {
        let target_id = match non_blank(self.target_agent_id.as_ref()) {
            Some(it) => it.to_owned(),
            None => self.writer()?,
        };
        let message = OutgoingMessage {
            token: &self.session_token,
            tool: Self::NAME,
            must_chat: true,
            target_id: &target_id,
            content: &self.content,
            conversation_id: None,
            related_task_id: None,
            client_message_id: non_blank(self.client_message_id.as_ref()),
            auto_start: false,
        };
        let stored = message.send()?;
        Ok(Responded {
            success: true,
            message_id: stored.id,
            receiver_id: target_id,
            conversation_id: stored.conversation_id,
            instruction:
                "応答を保存しました。get_next_action を呼び出して次の指示を確認してください。"
                    .to_owned(),
        })
    }
}

impl RespondChat {
    /// Returns the sender of the latest unread message, or of the message read last. Unread messages of acknowledged
    /// ends do not count. A resent message goes where it went before.
    fn writer(&self) -> Result<String, Stop> {
        expiry::settle()?;
        let token = ids::digest(&self.session_token);
        let sent = toolkit::sql!(
            "SELECT m.recipient_id FROM sessions s JOIN messages m \
             ON m.project_id = s.project_id AND m.sender_id = s.agent_id \
             WHERE s.token = $1 AND m.client_message_id = $2 AND m.recipient_id IS NOT NULL",
            &token,
            self.client_message_id.clone().unwrap_or_default(),
        );
        let unread = format!(
            "d.read_at IS NULL AND ({IS_ANSWERABLE} OR EXISTS (SELECT 1 FROM members n \
             WHERE n.conversation_id = c.id AND n.agent_id = s.agent_id \
             AND n.notified_at IS NULL AND n.acknowledged_at IS NULL))"
        );
        // Among messages read at the same time, those of ended conversations come last.
        let read = format!("d.read_at DESC, CASE WHEN {IS_ANSWERABLE} THEN 0 ELSE 1 END, {LATEST}");
        let [session, sent, unread, read, over] = sql::query([
            session::by_token(&self.session_token, Moment::now()),
            sent,
            wrote(&token, &unread, LATEST),
            wrote(&token, "d.read_at IS NOT NULL", &read),
            wrote(&token, "d.read_at IS NULL", LATEST),
        ])?;
        let session: Session = session.first()?.ok_or_else(refusals::invalid_session)?;
        session.must_chat(Self::NAME)?;
        for rows in [sent, unread, read, over] {
            if let Some((target,)) = rows.first::<(String,)>()? {
                return Ok(target);
            }
        }
        Err(invalid("/target_agent_id", "nobody has written yet: say whom to write to"))
    }
}

/// Selects the sender of a message to a session's agent: the other member or the person.
fn wrote(token: &str, is_so: &str, order: &str) -> Statement {
    toolkit::sql!(
        format!(
            "SELECT CASE WHEN c.id IS NULL THEN d.sender_id \
             WHEN c.initiator_agent_id = s.agent_id THEN c.participant_agent_id \
             ELSE c.initiator_agent_id END FROM sessions s \
             JOIN deliveries d ON d.agent_id = s.agent_id AND d.project_id = s.project_id \
             JOIN messages m ON m.id = d.message_id \
             LEFT JOIN conversations c ON c.id = m.conversation_id \
             WHERE s.token = $1 AND {is_so} AND {IS_DELIVERED} ORDER BY {order} LIMIT 1"
        ),
        token,
    )
}
