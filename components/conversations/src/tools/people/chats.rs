//! A person's chat with an agent (CONV 4.6): `start_chat`, `send_chat`, `end_chat`, `mark_chat_read`.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Stop, Text, Tool, User};

use super::calling;
use crate::{
    chats::{self, Chat, Sent},
    person::{Person, must_chat_with},
    tools::FOR_PAGES,
};

/// エージェントにメッセージを送ります。エージェントがいなければ呼び出します。
/// en: Sends a person's message to an agent, who is called where it is not there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendChat {
    /// プロジェクトID
    /// en: The project's ID
    #[schemars(length(max = 64))]
    project_id: String,
    /// エージェントID
    /// en: The agent's ID
    #[schemars(length(max = 64))]
    agent_id: String,
    /// メッセージ（4,000文字以内）
    /// en: The message, at most 4,000 characters
    content: String,
    /// 任意。送信側で付けたID。同じIDの再送は一度だけ保存される
    /// en: Optional. The sender's own id: sent again, it is stored once
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
}

/// Returns the calling person, if they may chat with that agent.
fn chatting(tool: &str, project_id: &str, agent_id: &str) -> Result<Person, Stop> {
    let person = calling(tool)?;
    must_chat_with(&person, project_id, agent_id)?;
    Ok(person)
}

/// Defines tools for a person and one agent from name, title and function.
macro_rules! of_an_agent {
    ($($(#[$about:meta])* $tool:ident = $name:literal, $title:expr, $does:path;)+) => {$(
        $(#[$about])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $tool {
            /// プロジェクトID
            /// en: The project's ID
            #[schemars(length(max = 64))]
            project_id: String,
            /// エージェントID
            /// en: The agent's ID
            #[schemars(length(max = 64))]
            agent_id: String,
        }

        impl Tool for $tool {
            const NAME: &str = $name;
            const TITLE: Text = $title;
            const META: Option<&'static str> = Some(FOR_PAGES);
            const HINTS: Hints = Hints::IDEMPOTENT;
            type Output = Chat;

            fn call(self, _: &User) -> Result<Chat, Stop> {
                let person = chatting(Self::NAME, &self.project_id, &self.agent_id)?;
                $does(&person, &self.project_id, &self.agent_id)
            }
        }
    )+};
}

of_an_agent! {
    /// エージェントとのチャットを始めます。エージェントがいなければ呼び出します。
    /// en: Begins a person's chat with an agent, who is called where it is not there.
    StartChat = "start_chat", Text { ja: "チャット開始", en: "Start a chat" }, chats::start;

    /// エージェントとのチャットを終えます。何度呼んでもかまいません。
    /// en: Ends a person's chat with an agent, however often it is called.
    EndChat = "end_chat", Text { ja: "チャット終了", en: "End a chat" }, chats::end;

    /// エージェントからのメッセージをすべて既読にします。
    /// en: Marks whatever an agent said to the person as read.
    MarkChatRead = "mark_chat_read", Text { ja: "チャットを既読にする", en: "Mark a chat as read" }, chats::mark_read;
}

impl Tool for SendChat {
    const NAME: &str = "send_chat";
    const TITLE: Text = Text { ja: "チャット送信", en: "Send a chat message" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Sent;

    fn call(self, _: &User) -> Result<Sent, Stop> {
        let Self { project_id, agent_id, content, client_message_id } = self;
        let person = chatting(Self::NAME, &project_id, &agent_id)?;
        chats::say(&person, &project_id, &agent_id, &content, client_message_id.as_deref())
    }
}
