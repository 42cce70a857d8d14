//! `send_message`: an agent writes to another one, in their conversation, or to a person (CONV-60 to
//! CONV-66).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User};

use crate::saying::{Saying, given};

/// 他のエージェントにメッセージを送信します。AIエージェント間ではアクティブな会話が必要です。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    /// authenticateツールで取得したセッショントークン
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 送信先のエージェントID
    #[schemars(length(max = 64))]
    target_agent_id: String,
    /// メッセージ本文（4,000文字以内）
    #[schemars(length(max = 4000))]
    content: String,
    /// 会話ID（任意。省略時は相手との会話が自動で使われる）
    #[schemars(length(max = 64))]
    conversation_id: Option<String>,
    /// 関連するタスクのID（任意）
    #[schemars(length(max = 200))]
    related_task_id: Option<String>,
    /// 送信側で付けるID（任意）。同じIDで再送しても1通になる
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
    /// 会話がなければ開始する（任意）
    auto_start_conversation: Option<bool>,
}

/// What `send_message` gives.
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
    const ENGLISH: English = English {
        description: "Sends a message to another agent. Between AI agents an active conversation \
                      is needed.",
        arguments: &[
            ("session_token", "The token that authenticate gave"),
            ("target_agent_id", "To whom"),
            ("content", "The message, at most 4,000 characters"),
            (
                "conversation_id",
                "In which conversation (optional; the open one with that agent if absent)",
            ),
            ("related_task_id", "What task it is about (optional)"),
            ("client_message_id", "Your own id (optional): sent again, it is sent once"),
            ("auto_start_conversation", "Starts a conversation where there is none (optional)"),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Sent;

    fn call(self, _: &User) -> Result<Sent, Stop> {
        let saying = Saying {
            token: &self.session_token,
            tool: Self::NAME,
            must_chat: false,
            target_id: &self.target_agent_id,
            content: &self.content,
            conversation_id: given(self.conversation_id.as_ref()),
            related_task_id: given(self.related_task_id.as_ref()),
            client_message_id: given(self.client_message_id.as_ref()),
            auto_start: self.auto_start_conversation.unwrap_or_default(),
        };
        let stored = saying.say()?;
        Ok(Sent {
            success: true,
            message_id: stored.id,
            conversation_id: stored.conversation_id,
            target_agent_id: self.target_agent_id,
            sequence: stored.sequence,
        })
    }
}
