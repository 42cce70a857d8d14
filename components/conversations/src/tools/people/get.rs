//! `get_conversation`: one conversation, its trace, and a page of its messages.

use output::conversations::Transcript;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use super::calling;
use crate::transcripts::{self, PAGE, PAGE_MAX, Range};

/// 会話の状態・経緯・メッセージを取得します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConversation {
    /// 会話ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// 任意。この番号より前のメッセージ
    before: Option<u32>,
    /// 任意。この番号より後のメッセージ
    after: Option<u32>,
    /// 任意。メッセージの最大数（既定は50）
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

impl Tool for GetConversation {
    const NAME: &str = "get_conversation";
    const TITLE: Text = Text { ja: "会話を見る", en: "Get a conversation" };
    const ENGLISH: English = English {
        description: "Gets a conversation: its state, how it came to it, and its messages.",
        arguments: &[
            ("conversation_id", "The conversation's ID"),
            ("before", "Optional. Only messages before this number"),
            ("after", "Optional. Only messages after this number"),
            ("limit", "Optional. At most so many messages; 50 unless told"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&'static str> = Some("conversation");
    const APP: Option<&'static str> = Some(crate::app::CONVERSATION.uri);
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let person = calling(Self::NAME)?;
        let limit = self.limit.unwrap_or(PAGE);
        if !(1..=PAGE_MAX).contains(&limit) {
            return Err(invalid("/limit", format!("must be 1 to {PAGE_MAX}")));
        }
        let range = Range { before: self.before, after: self.after, limit };
        transcripts::of(&person, &self.conversation_id, range)
    }
}
