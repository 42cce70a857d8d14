//! Tools of agents that read messages: `get_pending_messages` and `get_conversation_messages`, and that send them:
//! `send_message` and `respond_chat`.

use output::conversations::{ChatMessage, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Hints, Stop, Text, Tool, User, events as host_events, invalid,
    sql::{self, Statement},
};

use super::within;
use crate::{
    clock::Moment,
    events,
    expiry::{self, ExpiryCheck},
    ids,
    inbox::{self, Context, Facts, IS_ANSWERABLE, IS_DELIVERED},
    outgoing::{OutgoingMessage, non_blank},
    record::{self, Conversation, MESSAGE, Message},
    refusals::{self, is_japanese, say},
    session::{self, Session},
};

// `get_pending_messages`: returns an agent's unread messages (CONV-70).

/// Maximum number of attempts where another call of the agent is faster.
const LOOKS_MAX: u32 = 5;
/// Number of messages after which the agent is asked whether the purpose is reached.
const REMINDER: u32 = 5;

/// 未読のチャットメッセージを取得します。取得したメッセージは既読になります。
/// en: Gets the messages that you have not read, and marks them as read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetPendingMessages {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
}

/// The output of `get_pending_messages`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PendingMessages {
    success: bool,
    my_agent_id: String,
    /// Earlier messages, oldest first; at most 20.
    context_messages: Vec<ChatMessage>,
    /// Unread messages, oldest first; at most 10.
    pending_messages: Vec<ChatMessage>,
    /// Number of messages in these conversations and chats.
    total_history_count: u32,
    /// Whether there are more earlier messages than `context_messages` has.
    context_truncated: bool,
    /// What to do next.
    instruction: String,
}

impl Tool for GetPendingMessages {
    const NAME: &str = "get_pending_messages";
    const TITLE: Text = Text { ja: "未読メッセージ取得", en: "Get unread messages" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = PendingMessages;

    fn call(self, _: &User) -> Result<PendingMessages, Stop> {
        for _ in 0..LOOKS_MAX {
            if let Some(messages) = Self::once(&self.session_token)? {
                return Ok(messages);
            }
        }
        Err(toolkit::unavailable("Another call reads the same messages.", None))
    }
}

impl GetPendingMessages {
    /// Makes one attempt; none where another call was faster.
    ///
    /// # Errors
    /// When the session is over or a work session, or the database fails.
    pub(crate) fn once(session_token: &str) -> Result<Option<PendingMessages>, Stop> {
        let check = ExpiryCheck::now()?;
        let [session, due, unread, last] = sql::query([
            session::by_token(session_token, check.now),
            check.due(),
            inbox::unread(session_token),
            inbox::last_place(session_token),
        ])?;
        if check.settle(due)? {
            return Ok(None);
        }
        let session: Session = session.first()?.ok_or_else(refusals::invalid_session)?;
        session.must_chat(Self::NAME)?;
        let unread: Vec<Message> = unread.read()?;
        let context = inbox::context(&session, &unread, last.first()?)?;
        if !unread.is_empty() {
            let mut batch = session::keep_alive(&session, check.now);
            batch.push(inbox::mark_read(&session, &unread, check.now));
            if sql::if_expected(sql::transact_all(&batch))?.is_none() {
                return Ok(None);
            }
            notify(&session, &unread);
        }
        Ok(Some(pending(session, unread, context)))
    }
}

/// Notifies clients that show receipts.
fn notify(session: &Session, read: &[Message]) {
    let mut places: Vec<_> = read.iter().map(|it| it.conversation_id.as_deref()).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        match place {
            Some(id) => host_events::publish(&events::conversation(id)),
            None => host_events::publish(&events::chats(&session.project_id)),
        }
    }
}

fn pending(session: Session, unread: Vec<Message>, context: Context) -> PendingMessages {
    let instruction = instruction(&unread, &context.conversations);
    PendingMessages {
        success: true,
        my_agent_id: session.agent_id,
        context_truncated: context.is_truncated,
        context_messages: context.messages,
        pending_messages: unread.into_iter().map(Message::into_chat_message).collect(),
        total_history_count: context.total,
        instruction,
    }
}

/// Returns the instruction; every five messages of a conversation it asks whether to end it.
fn instruction(unread: &[Message], conversations: &[Facts]) -> String {
    let over: Vec<_> = conversations.iter().filter(|it| !it.state.is_open()).collect();
    let is_over =
        |it: &&Message| over.iter().any(|over| it.conversation_id.as_ref() == Some(&over.id));
    let needs_none = unread.iter().filter(is_over).count();
    let told = if unread.is_empty() {
        say(
            "未読メッセージはありません。get_next_actionを呼び出して次の指示を確認してください。",
            "There is nothing unread; call get_next_action to learn what to do.",
        )
    } else if needs_none == unread.len() {
        say(
            "この会話は終了しています。返信は不要です。get_next_actionを呼び出してください。",
            "This conversation is over; it needs no answer. Call get_next_action.",
        )
    } else {
        say(
            "pending_messagesに応答してください。respond_chatで応答した後、get_next_actionを呼び出してください。",
            "Answer the pending_messages with respond_chat, then call get_next_action.",
        )
    };
    let mut lines = vec![told.to_owned()];
    if needs_none > 0 && needs_none < unread.len() {
        let ids = over.iter().map(|it| it.id.as_str()).collect::<Vec<_>>().join(", ");
        lines.push(if is_japanese() {
            format!("終了した会話（{ids}）のメッセージには返信不要です。")
        } else {
            format!("Messages of conversations that are over ({ids}) need no answer.")
        });
    }
    for conversation in
        conversations.iter().filter(|conversation| conversation.state == State::Active)
    {
        let newest =
            unread.iter().rev().find(|m| m.conversation_id.as_ref() == Some(&conversation.id));
        let Some(newest) = newest.map(|it| it.sequence) else { continue };
        let first = unread.iter().find(|m| m.conversation_id.as_ref() == Some(&conversation.id));
        let first = first.map_or(newest, |it| it.sequence);
        // Among these the count has reached a multiple of five.
        if newest / REMINDER > (first - 1) / REMINDER {
            lines.push(reminder(conversation));
        }
    }
    lines.join("\n")
}

/// Asks whether the purpose is reached, and says how to end.
fn reminder(conversation: &Facts) -> String {
    let count = conversation.messages;
    let purpose = conversation.purpose.as_deref();
    let mut text = if is_japanese() {
        let purpose = purpose.map_or(String::new(), |it| format!("「{it}」"));
        format!(
            "この会話は{count}件目のメッセージに達しました。会話の目的{purpose}は達成されましたか？達成された場合は end_conversation(conversation_id: \"{}\") で会話を終了してください。",
            conversation.id
        )
    } else {
        let purpose = purpose.map_or(String::new(), |it| format!(" (\"{it}\")"));
        format!(
            "This conversation has {count} messages. Is its purpose{purpose} reached? If so, end it with end_conversation(conversation_id: \"{}\").",
            conversation.id
        )
    };
    if let Some(max) = conversation.max_turns {
        let turns = conversation.turns;
        text += &if is_japanese() {
            format!("（{max}ターン中{turns}ターン）")
        } else {
            format!(" ({turns} of {max} turns.)")
        };
    }
    text
}

// `get_conversation_messages`: returns messages of the agent's own conversation (SYS-9).

/// Default number of messages per page.
const LIMIT: u32 = 50;
/// Maximum number of messages per page.
const LIMIT_MAX: u32 = 200;

/// 自分が参加した会話のメッセージ履歴を取得します。
/// en: Gets what was said in a conversation that you take or took part in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConversationMessages {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 会話ID
    /// en: Which conversation
    #[schemars(length(max = 64))]
    conversation_id: String,
    /// 取得件数（1〜200、既定は50）
    /// en: How many messages: 1 to 200; 50 if absent
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// この番号より前のメッセージを新しいほうから取得（任意）
    /// en: Those before this number, the latest of them (optional)
    before: Option<u32>,
    /// この番号より後のメッセージを古いほうから取得（任意）
    /// en: Those after this number, the earliest of them (optional)
    after: Option<u32>,
}

/// The output of `get_conversation_messages`: a page, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConversationMessages {
    success: bool,
    conversation_id: String,
    state: State,
    messages: Vec<ChatMessage>,
    /// Whether there are more in the requested direction.
    has_more: bool,
    /// Number of messages of the conversation.
    total_count: u32,
}

impl Tool for GetConversationMessages {
    const NAME: &str = "get_conversation_messages";
    const TITLE: Text = Text { ja: "会話履歴取得", en: "Get a conversation's messages" };
    const LABELS: &[(&str, Text)] = &[
        ("before", Text { ja: "この番号より前", en: "Before this number" }),
        ("after", Text { ja: "この番号より後", en: "After this number" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = ConversationMessages;

    fn call(self, _: &User) -> Result<ConversationMessages, Stop> {
        within("/limit", self.limit, LIMIT_MAX)?;
        let limit = self.limit.unwrap_or(LIMIT);
        let (session, found, rows) = self.read_state(limit)?;
        let found = found.filter(|it| it.project_id == session.project_id);
        let found = found.ok_or_else(|| refusals::conversation_not_found(&self.conversation_id))?;
        if found.partner_of(&session.agent_id).is_none() {
            return Err(refusals::not_conversation_participant(&found.id));
        }
        let mut messages = record::messages(rows)?;
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
    /// Reads the page and one more message, which shows that there are others. Reads again where something has expired.
    fn read_state(&self, limit: u32) -> Result<(Session, Option<Conversation>, sql::Rows), Stop> {
        let order = if self.after.is_some() { "ASC" } else { "DESC" };
        let mut is_settled = false;
        loop {
            let check = ExpiryCheck::now()?;
            // With several recipients, when the last one read it.
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
                session::by_token(&self.session_token, check.now),
                check.due(),
                record::conversation(&self.conversation_id),
                page,
            ])?;
            if !is_settled && check.settle(due)? {
                is_settled = true;
                continue;
            }
            let session = session.first()?.ok_or_else(refusals::invalid_session)?;
            return Ok((session, found.first()?, rows));
        }
    }
}

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
