//! `write_message`: a person says something to both sides of a conversation.

use output::conversations::Transcript;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use super::{super::FOR_PAGES, seeing};
use crate::{
    clock::Moment,
    delivery::{self, Letter, Place, Voice, checked},
    ids,
    transcripts::{self, Range},
};

/// 会話に人間として発言します。両方のエージェントに届きます。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteMessage {
    /// 会話ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// メッセージ（4,000文字以内）
    content: String,
    /// 任意。送信側で付けたID。同じIDの再送は一度だけ保存される
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
}

impl Tool for WriteMessage {
    const NAME: &str = "write_message";
    const TITLE: Text = Text { ja: "会話に発言", en: "Write into a conversation" };
    const ENGLISH: English = English {
        description: "Writes a person's message into a conversation, to both agents.",
        arguments: &[
            ("conversation_id", "The conversation's ID"),
            ("content", "The message, at most 4,000 characters"),
            ("client_message_id", "Optional. The sender's own id: sent again, it is stored once"),
        ],
    };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let (person, found) = seeing(Self::NAME, &self.conversation_id)?;
        checked(&self.content)?;
        let at = Moment::now();
        let letter = Letter {
            id: &ids::message(at),
            project_id: &found.project_id,
            place: Place::Conversation {
                id: &self.conversation_id,
                voice: Voice::Person,
                has_max_turns: found.has_max_turns,
            },
            sender_id: &person.agent_id,
            recipients: &[&found.initiator_agent_id, &found.participant_agent_id],
            content: &self.content,
            related_task_id: None,
            client_message_id: self.client_message_id.as_deref(),
            at,
        };
        delivery::deliver(&letter, Vec::new())?;
        transcripts::of(&person, &self.conversation_id, Range::default())
    }
}
