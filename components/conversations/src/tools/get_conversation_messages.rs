//! `get_conversation_messages`: the messages of a conversation of one's own (SYS-9).

use output::conversations::{ChatMessage, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid, sql};

use crate::{
    expiry::Look,
    inbox,
    record::{self, Conversation, MESSAGE},
    refusals,
    session::{self, Session},
};

/// Messages of one page, unless the caller says another number.
const LIMIT: u32 = 50;
/// The most of one page.
const LIMIT_MAX: u32 = 200;

/// 自分が参加した会話のメッセージ履歴を取得します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConversationMessages {
    /// authenticateツールで取得したセッショントークン
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 会話ID
    #[schemars(length(max = 64))]
    conversation_id: String,
    /// 取得件数（1〜200、既定は50）
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// この番号より前のメッセージを新しいほうから取得（任意）
    before: Option<u32>,
    /// この番号より後のメッセージを古いほうから取得（任意）
    after: Option<u32>,
}

/// What `get_conversation_messages` gives: a page, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConversationMessages {
    success: bool,
    conversation_id: String,
    state: State,
    messages: Vec<ChatMessage>,
    /// Whether there are more in the direction that was asked for.
    has_more: bool,
    /// Messages of the conversation altogether.
    total_count: u32,
}

impl Tool for GetConversationMessages {
    const NAME: &str = "get_conversation_messages";
    const TITLE: Text = Text { ja: "会話履歴取得", en: "Get a conversation's messages" };
    const ENGLISH: English = English {
        description: "Gets what was said in a conversation that you take or took part in.",
        arguments: &[
            ("session_token", "The token that authenticate gave"),
            ("conversation_id", "Which conversation"),
            ("limit", "How many messages: 1 to 200; 50 if absent"),
            ("before", "Those before this number, the latest of them (optional)"),
            ("after", "Those after this number, the earliest of them (optional)"),
        ],
    };
    const LABELS: &[(&str, Text)] = &[
        ("before", Text { ja: "この番号より前", en: "Before this number" }),
        ("after", Text { ja: "この番号より後", en: "After this number" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = ConversationMessages;

    fn call(self, _: &User) -> Result<ConversationMessages, Stop> {
        let limit = self.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(invalid("/limit", format!("must be 1 to {LIMIT_MAX}")));
        }
        let (session, found, rows) = self.look(limit)?;
        let found = found.filter(|it| it.project_id == session.project_id);
        let found = found.ok_or_else(|| refusals::conversation_not_found(&self.conversation_id))?;
        if found.partner_of(&session.agent_id).is_none() {
            return Err(refusals::not_conversation_participant(&found.id));
        }
        let mut messages = inbox::chat_messages(rows)?;
        let has_more = messages.len() > limit as usize;
        messages.truncate(limit as usize);
        if self.after.is_none() {
            messages.reverse();
        }
        Ok(ConversationMessages {
            success: true,
            conversation_id: found.id,
            state: found.state,
            messages,
            has_more,
            total_count: found.messages,
        })
    }
}

impl GetConversationMessages {
    /// The page, and one more: then there are others. In one read; again where something was over.
    fn look(&self, limit: u32) -> Result<(Session, Option<Conversation>, sql::Rows), Stop> {
        let order = if self.after.is_some() { "ASC" } else { "DESC" };
        let mut is_settled = false;
        loop {
            let look = Look::now()?;
            // Of several recipients, when the last one has read it.
            let page = toolkit::sql!(
                format!(
                    "SELECT {MESSAGE}, (SELECT CASE WHEN COUNT(*) = COUNT(d.read_at) \
                     THEN MAX(d.read_at) END FROM deliveries d WHERE d.message_id = m.id) \
                     AS read_at FROM messages m WHERE m.conversation_id = $1 \
                     AND m.sequence > $2 AND m.sequence < $3 ORDER BY m.sequence {order} LIMIT $4"
                ),
                &self.conversation_id,
                self.after.unwrap_or_default(),
                self.before.unwrap_or(u32::MAX),
                limit + 1,
            );
            let [session, due, found, rows] = sql::query([
                session::by_token(&self.session_token, look.now),
                look.due(),
                record::conversation(&self.conversation_id),
                page,
            ])?;
            if !is_settled && look.settle(due)? {
                is_settled = true;
                continue;
            }
            let session = session.first()?.ok_or_else(refusals::invalid_session)?;
            return Ok((session, found.first()?, rows));
        }
    }
}
