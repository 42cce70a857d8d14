//! `get_next_action`: returns an agent's next action, waiting for one if asked to (CONV-50 to CONV-54).

use output::conversations::ChatMessage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Hints, Stop, Text, Tool, User, events as host_events, invalid, sql};

use crate::{
    clock::{self, Moment},
    events,
    expiry::{self, ExpiryCheck},
    inbox::{self, Kind, Notice},
    record,
    refusals::{self, say},
    session::{self, Purpose, Session},
    settings,
};

/// Maximum time that a call may wait, in seconds.
const TIMEOUT_S_MAX: u32 = 300;
/// Recommended pause before the next call for callers that do not wait, in seconds.
const WAIT_S: u32 = 5;
/// Maximum number of attempts where another call is faster or something expires.
const LOOKS_MAX: u32 = 8;

/// 次に実行すべきアクションを取得します。timeout_secondsを指定すると、何か起きるまで待ちます。
/// en: Gets what you should do next. With timeout_seconds it waits until there is something.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetNextAction {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 待つ秒数（任意。0〜300、既定は0）
    /// en: How long to wait (optional): 0 to 300; 0 if absent
    #[schemars(range(min = 0, max = 300))]
    timeout_seconds: Option<u32>,
}

/// The output of `get_next_action`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
#[schemars(extend("type" = "object"))]
pub enum Action {
    /// A person has closed the chat: stop.
    Exit { reason: &'static str, state: &'static str, instruction: String },
    /// The session was idle for too long: log out.
    Logout { state: &'static str, reason: &'static str, instruction: String },
    /// A conversation has ended (CONV-52).
    ConversationEnded {
        conversation_id: String,
        /// An agent, or `system`.
        ended_by: String,
        /// `initiator_ended`, `participant_ended`, `timeout`, `session_expired`, `max_turns` or
        /// `operator_ended`.
        reason: String,
        /// The reason given by the member that ended it.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason_text: Option<String>,
        instruction: String,
        /// Unread last messages; they stay unread and need no answer.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pending_messages: Vec<ChatMessage>,
    },
    /// The request was not answered (CONV-53).
    ConversationExpired {
        conversation_id: String,
        /// The agent that did not answer.
        target: String,
        instruction: String,
    },
    /// Another agent or a person requests a conversation (CONV-51).
    ConversationRequest {
        conversation_id: String,
        from_agent_id: String,
        from_agent_name: String,
        purpose: Option<String>,
        instruction: String,
        state: &'static str,
        /// The messages so far; they stay unread.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pending_messages: Vec<ChatMessage>,
    },
    /// There are messages to read and to answer.
    GetPendingMessages { state: &'static str, instruction: String },
    /// There is nothing to do yet.
    WaitForMessages {
        state: &'static str,
        /// Seconds to wait before the next call; 0 where the call itself has waited.
        wait_seconds: u32,
        instruction: String,
    },
}

impl Tool for GetNextAction {
    const NAME: &str = "get_next_action";
    const TITLE: Text = Text { ja: "次のアクション取得", en: "Get the next action" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Action;

    fn call(self, user: &User) -> Result<Action, Stop> {
        let seconds = self.timeout_seconds.unwrap_or_default();
        if seconds > TIMEOUT_S_MAX {
            let message = format!("must be 0 to {TIMEOUT_S_MAX}");
            return Err(invalid("/timeout_seconds", message));
        }
        let since = Moment::of(user.first_called_at());
        for _ in 0..LOOKS_MAX {
            match Self::once(&self.session_token, since)? {
                Next::Something(action) => return Ok(action),
                Next::Again => {}
                Next::Elsewhere => return Ok(wait_for_messages(seconds)),
                Next::Nothing(session) => {
                    let event = events::agent(&session.project_id, &session.agent_id);
                    let Some(wait) = clock::wait(user, &[event], seconds) else {
                        return Ok(wait_for_messages(seconds));
                    };
                    session.record_waiting(since)?;
                    return Err(wait);
                }
            }
        }
        Err(toolkit::unavailable("Another call of the agent gets the same.", None))
    }
}

/// The outcome of one attempt.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// An action for the agent.
    Something(Action),
    /// There is nothing to do yet.
    Nothing(Session),
    /// Another caller was faster, or something has expired.
    Again,
    /// A later call of the agent gets the action instead of this one.
    Elsewhere,
}

impl GetNextAction {
    /// Makes one attempt for a call that began at `since`.
    ///
    /// # Errors
    /// When the session is over, or the database fails.
    pub(crate) fn once(session_token: &str, since: Moment) -> Result<Next, Stop> {
        let check = ExpiryCheck::now()?;
        let [session, due, later, notice, answerable] = sql::query([
            session::by_token(session_token, check.now),
            check.due(),
            session::has_later_call(session_token, since, check.now),
            inbox::next(session_token),
            inbox::has_answerable(session_token),
        ])?;
        if check.settle(due)? {
            return Ok(Next::Again);
        }
        let session: Session = session.first()?.ok_or_else(refusals::invalid_session)?;
        if !later.is_empty() {
            return Ok(Next::Elsewhere);
        }
        if session.state == "terminating" {
            return exit(&session, &check);
        }
        // Notices come before the check for idleness, or `timeout` would never arrive.
        if let Some(notice) = notice.first::<Notice>()? {
            return if notice.deliver(&session, check.now)? {
                Ok(Next::Something(action_of(notice, &session)?))
            } else {
                Ok(Next::Again)
            };
        }
        let idle_since = check.now.before(settings::IDLE_S).stored();
        if session.purpose == Purpose::Chat && session.last_activity_at < idle_since {
            return Ok(Next::Something(log_out()));
        }
        if answerable.is_empty() {
            return Ok(Next::Nothing(session));
        }
        read_messages(&session, &check)
    }
}

/// Notifies the agent that a person has closed the chat, and ends its session.
fn exit(session: &Session, check: &ExpiryCheck) -> Result<Next, Stop> {
    let ended = sql::transact_all(&expiry::end_session(&session.token, check.now));
    let Some(results) = sql::if_expected(ended)? else { return Ok(Next::Again) };
    expiry::notify(results)?;
    host_events::publish(&events::chats(&session.project_id));
    let instruction = say(
        "ユーザーがチャットを終了しました。処理を終了してください。",
        "The person has closed the chat; stop here.",
    );
    Ok(Next::Something(Action::Exit {
        reason: "user_closed_chat",
        state: "session_terminating",
        instruction: instruction.to_owned(),
    }))
}

fn log_out() -> Action {
    let instruction = say(
        "10分間やり取りがなかったため、セッションを終了します。logoutを呼び出してください。",
        "Nothing was said for ten minutes; call logout.",
    );
    Action::Logout {
        state: "chat_timeout",
        reason: "session_timeout",
        instruction: instruction.to_owned(),
    }
}

fn action_of(notice: Notice, session: &Session) -> Result<Action, Stop> {
    Ok(match notice.kind {
        Kind::Ended => {
            let [rows] = sql::query([inbox::unread_in(&session.agent_id, &notice.id)])?;
            Action::ConversationEnded {
                conversation_id: notice.id,
                ended_by: notice.ended_by.unwrap_or_default(),
                reason: notice.end_reason.unwrap_or_default(),
                reason_text: notice.reason_text,
                instruction: "会話が終了しました。get_next_actionで次の指示を確認してください。"
                    .to_owned(),
                pending_messages: record::messages(rows)?,
            }
        }
        Kind::Expired => Action::ConversationExpired {
            conversation_id: notice.id,
            instruction: format!(
                "{}が応答しなかったため、会話リクエストは期限切れになりました。get_next_actionで次の指示を確認してください。",
                notice.participant_agent_id
            ),
            target: notice.participant_agent_id,
        },
        Kind::Request => {
            let [rows] = sql::query([inbox::unread_in(&session.agent_id, &notice.id)])?;
            let name = notice.initiator_name.filter(|it| !it.is_empty());
            let name = name.unwrap_or_else(|| notice.initiator_agent_id.clone());
            Action::ConversationRequest {
                conversation_id: notice.id,
                from_agent_id: notice.initiator_agent_id,
                instruction: format!(
                    "{name}から会話リクエストがあります。get_pending_messagesでメッセージを確認し、respond_chatで応答してください。"
                ),
                from_agent_name: name,
                purpose: notice.purpose,
                state: "conversation_active",
                pending_messages: record::messages(rows)?,
            }
        }
    })
}

/// Returns the action to read messages. A work session becomes a chat session, or it could not read them.
fn read_messages(session: &Session, check: &ExpiryCheck) -> Result<Next, Stop> {
    if session.purpose == Purpose::Task {
        if sql::if_expected(sql::transact_all(&session::make_chat(session, check.now)))?.is_none() {
            return Ok(Next::Again);
        }
        host_events::publish(&events::chats(&session.project_id));
    }
    let instruction = say(
        "未読メッセージがあります。get_pending_messagesで確認し、respond_chatで応答してください。",
        "There are messages; read them with get_pending_messages and answer with respond_chat.",
    );
    Ok(Next::Something(Action::GetPendingMessages {
        state: "chat_session",
        instruction: instruction.to_owned(),
    }))
}

fn wait_for_messages(seconds: u32) -> Action {
    let wait_seconds = if seconds == 0 { WAIT_S } else { 0 };
    let instruction = if seconds == 0 {
        say(
            "新しいメッセージはありません。5秒待ってからget_next_actionを呼び出してください。",
            "There is nothing new; wait five seconds, then call get_next_action.",
        )
    } else {
        say(
            "新しいメッセージはありません。もう一度get_next_actionを呼び出してください。",
            "There is nothing new; call get_next_action again.",
        )
    };
    Action::WaitForMessages {
        state: "chat_waiting",
        wait_seconds,
        instruction: instruction.to_owned(),
    }
}
