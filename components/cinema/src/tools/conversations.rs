//! `record_conversation` and `get_conversation_history`: recorded messages (CIN-50 to CIN-62).

use output::cinema::{History, Message, Recorded, Sender};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    Hints, Problem, Stop, Text, Tool, User, fresh_id, sql,
    sql::{Error, Statement},
};

use super::{NAME_CHARS_MAX, at_most, length, reject_problems};
use crate::{
    clock::{Clock, naive},
    refusals::{conversation_full, conversation_not_found, conversation_user_mismatch},
};

const CONTENT_CHARS_MAX: usize = 10_000;
/// A history is returned whole, so its length is limited.
const MESSAGES_MAX: u32 = 1_000;
const CONVERSATION_CHARS_MAX: u32 = 1_000_000;

/// 対話履歴を記録。
/// en: Records what was said in a conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordConversation {
    /// 対話のID。初めてのIDなら新しい対話になる
    /// en: The conversation; a new name begins a new one
    #[schemars(length(min = 1, max = 200))]
    conversation_id: String,
    /// 利用者のID
    /// en: Whose conversation it is
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 記録する発言
    /// en: What was said
    message: RecordedMessage,
}

/// What is to be recorded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedMessage {
    /// 発言者
    /// en: Who said it
    sender: Speaker,
    /// 発言の内容
    /// en: What was said
    #[schemars(length(min = 1, max = 10_000))]
    content: String,
    /// 任意。発言の日時（YYYY-MM-DDTHH:MM:SS）。指定がなければ現在の日時
    /// en: Optional. When (YYYY-MM-DDTHH:MM:SS). Without it, now
    timestamp: Option<String>,
}

/// The speaker of a recorded message.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "発言者")]
enum Speaker {
    User,
    Agent,
}

impl Tool for RecordConversation {
    const NAME: &str = "record_conversation";
    const TITLE: Text = Text { ja: "対話履歴記録", en: "Record a message" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Recorded;

    fn call(self, _: &User) -> Result<Recorded, Stop> {
        let clock = Clock::for_call()?;
        let timestamp = self.check(&clock)?;
        match sql::transact(self.batch(&timestamp, &naive(clock.now()))) {
            Ok(_) => Ok(Recorded { success: true }),
            Err(Error::UnexpectedCount(it)) if it.statement == OWNER => {
                Err(conversation_user_mismatch(&self.conversation_id))
            }
            Err(Error::UnexpectedCount(it)) if it.statement == MESSAGE => {
                Err(conversation_full(&self.conversation_id))
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// Indexes of the batch's statements that check the owner and record the message.
const OWNER: u32 = 2;
const MESSAGE: u32 = 3;

impl RecordConversation {
    /// Validates the message and returns its time.
    fn check(&self, clock: &Clock) -> Result<String, Stop> {
        let read = self.message.timestamp.as_ref().map(|it| clock.moment(it));
        let wrong = matches!(read, Some(None))
            .then(|| Problem::at("/message/timestamp", "must be a time, YYYY-MM-DDTHH:MM:SS"));
        reject_problems([
            length("/conversation_id", &self.conversation_id, NAME_CHARS_MAX),
            length("/user_id", &self.user_id, NAME_CHARS_MAX),
            length("/message/content", &self.message.content, CONTENT_CHARS_MAX),
            wrong,
        ])?;
        Ok(naive(read.flatten().unwrap_or_else(|| clock.now())))
    }

    fn batch(&self, timestamp: &str, now: &str) -> [Statement; 4] {
        let user = sql!(
            "INSERT INTO users (user_id, name, contact_info) VALUES ($1, '', '') \
             ON CONFLICT (user_id) DO NOTHING",
            &self.user_id,
        );
        let conversation = sql!(
            "INSERT INTO conversations (conversation_id, user_id, created_at) VALUES ($1, $2, $3) \
             ON CONFLICT (conversation_id) DO NOTHING",
            &self.conversation_id,
            &self.user_id,
            now,
        );
        let owner = sql!(
            "SELECT 1 FROM conversations WHERE conversation_id = $1 AND user_id = $2",
            &self.conversation_id,
            &self.user_id,
        );
        let message = sql!(
            "INSERT INTO messages (message_id, conversation_id, position, sender, content, timestamp) \
             SELECT $1, $2, COALESCE(MAX(position), 0) + 1, $3, $4, $5 \
             FROM messages WHERE conversation_id = $2 \
             HAVING COUNT(*) < $6 AND COALESCE(SUM(LENGTH(content)), 0) + LENGTH($4) <= $7",
            fresh_id("msg"),
            &self.conversation_id,
            match self.message.sender {
                Speaker::User => "user",
                Speaker::Agent => "agent",
            },
            &self.message.content,
            timestamp,
            MESSAGES_MAX,
            CONVERSATION_CHARS_MAX,
        );
        [user, conversation, owner.expect(1), message.expect(1)]
    }
}

/// 対話履歴を取得。
/// en: Reads what was said in a conversation, in the order in which it was recorded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConversationHistory {
    /// 対話のID（record_conversation で記録したもの）
    /// en: The conversation, as record_conversation named it
    #[schemars(length(max = 200))]
    conversation_id: String,
}

impl Tool for GetConversationHistory {
    const NAME: &str = "get_conversation_history";
    const TITLE: Text = Text { ja: "対話履歴取得", en: "Read a conversation" };
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("history");
    type Output = History;

    fn call(self, _: &User) -> Result<History, Stop> {
        reject_problems([at_most("/conversation_id", &self.conversation_id)])?;
        let [conversation, messages] = sql::query([
            sql!("SELECT 1 FROM conversations WHERE conversation_id = $1", &self.conversation_id),
            sql!(
                "SELECT message_id, sender, content, timestamp FROM messages \
                 WHERE conversation_id = $1 ORDER BY position",
                &self.conversation_id,
            ),
        ])?;
        if conversation.is_empty() {
            return Err(conversation_not_found(&self.conversation_id));
        }
        let message = |(message_id, sender, content, timestamp): (_, Sender, _, _)| Message {
            message_id,
            sender,
            content,
            timestamp,
        };
        Ok(History { history: messages.read()?.into_iter().map(message).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::tests::clock;

    fn recording(content: &str, timestamp: Option<&str>) -> RecordConversation {
        let timestamp = timestamp.map(str::to_owned);
        RecordConversation {
            conversation_id: "c1".into(),
            user_id: "u1".into(),
            message: RecordedMessage { sender: Speaker::User, content: content.into(), timestamp },
        }
    }

    #[test]
    fn message_without_time_gets_server_time() {
        assert_eq!(recording("hi", None).check(&clock()).unwrap(), "2026-11-20T10:00:00");
    }

    #[test]
    fn time_with_offset_becomes_local() {
        let time = recording("hi", Some("2026-11-20T03:04:05Z")).check(&clock()).unwrap();
        assert_eq!(time, "2026-11-20T12:04:05");
    }

    #[test]
    fn rejects_empty_long_and_untimely_messages() {
        let pointer = |call: RecordConversation| match call.check(&clock()).unwrap_err() {
            Stop::InvalidArguments(problems) => problems[0].pointer.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(pointer(recording("", None)), "/message/content");
        assert_eq!(pointer(recording("\u{200b}\u{3000}", None)), "/message/content");
        assert_eq!(pointer(recording(&"あ".repeat(10_001), None)), "/message/content");
        let unnamed = RecordConversation { user_id: " \u{feff}".into(), ..recording("hi", None) };
        assert_eq!(pointer(unnamed), "/user_id");
        assert_eq!(pointer(recording("hi", Some("yesterday"))), "/message/timestamp");
        assert!(recording(&"あ".repeat(10_000), None).check(&clock()).is_ok());
    }
}
