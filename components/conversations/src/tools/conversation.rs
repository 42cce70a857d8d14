//! Tools of agents that begin and end conversations: `start_conversation` and `end_conversation`.

use output::{
    conversations::{AgentKind, State},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Hints, Stop, Text, Tool, User, invalid,
    sql::{self, Statement},
};

use super::{bounded, within};
use crate::{
    delivery::{self, Letter, Place, SenderRole},
    expiry::ExpiryCheck,
    ids,
    outgoing::{non_blank, non_empty},
    record::{self, Conversation, Target},
    refusals,
    session::{self, Session},
    starting::{self, PURPOSE_MAX, TURNS_MAX},
    transition::{self, Beginning, Cause, Ending},
};

// `start_conversation`: an agent requests a conversation with another one (CONV-30 to CONV-33).

/// 他のAIエージェントとの会話を開始します。
/// 相手エージェントにチャットセッションが開始され、会話が可能になります。
/// en: Starts a conversation with another AI agent. A chat session is opened for that agent, and both can talk.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartConversation {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 会話相手のエージェントID（同一プロジェクト内のAIエージェントのみ）
    /// en: Whom to talk with: an AI agent of the same project
    #[schemars(length(max = 64), required)]
    target_agent_id: Option<String>,
    /// target_agent_idの別名（任意。どちらか一方で足ります）
    /// en: Another name for target_agent_id (optional; one of the two is enough)
    #[schemars(length(max = 64))]
    participant_agent_id: Option<String>,
    /// 会話の目的（任意、相手に通知される）
    /// en: What the conversation is for (optional; the other one is told)
    #[schemars(length(max = 1000))]
    purpose: Option<String>,
    /// 最初のメッセージ（任意、4,000文字以内）
    /// en: The first message (optional; at most 4,000 characters)
    #[schemars(length(max = 4000))]
    initial_message: Option<String>,
    /// 会話を自動終了するまでのターン数（任意。双方が1回ずつ発言して1ターン）
    /// en: Ends the conversation after so many turns (optional); one turn is one message of each side
    #[schemars(range(min = 1, max = 1000))]
    max_turns: Option<u32>,
}

/// The output of `start_conversation`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Started {
    success: bool,
    conversation_id: String,
    /// `pending`: the other agent has not joined yet.
    status: State,
    target_agent_id: String,
    /// What to do next.
    instruction: String,
}

impl Tool for StartConversation {
    const NAME: &str = "start_conversation";
    const TITLE: Text = Text { ja: "会話開始", en: "Start a conversation" };
    const LABELS: &[(&str, Text)] = &[(
        "participant_agent_id",
        Text {
            ja: "会話相手のエージェントID（別名）", en: "The other agent, by another name"
        },
    )];
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Started;

    fn call(self, _: &User) -> Result<Started, Stop> {
        let target_id = self.target()?;
        self.fits()?;
        let (check, session, [target, open, count]) = self.read_state(target_id)?;
        may(target_id, &session, target.first()?, open.first()?)?;
        if let Some(content) = non_empty(self.initial_message.as_ref()) {
            delivery::check_content(content)?;
        }
        starting::check_capacity(count, &session.agent_id)?;
        let id = ids::conversation(check.now);
        self.start(target_id, &check, &session, &id)?;
        Ok(Started {
            success: true,
            conversation_id: id,
            status: State::Pending,
            target_agent_id: target_id.to_owned(),
            instruction: "会話リクエストを送信しました。send_messageでメッセージを送信できます。相手がオンラインになると会話が開始されます。".to_owned(),
        })
    }
}

impl StartConversation {
    /// Returns the target from either argument.
    fn target(&self) -> Result<&str, Stop> {
        match (
            non_blank(self.target_agent_id.as_ref()),
            non_blank(self.participant_agent_id.as_ref()),
        ) {
            (Some(target), Some(other)) if target != other => Err(invalid(
                "/participant_agent_id",
                "must be the same as target_agent_id, or left out",
            )),
            (Some(target), _) | (None, Some(target)) => Ok(target),
            (None, None) => Err(invalid("/target_agent_id", "is required: a string")),
        }
    }

    fn fits(&self) -> Result<(), Stop> {
        bounded("/purpose", self.purpose.as_deref(), PURPOSE_MAX)?;
        within("/max_turns", self.max_turns, TURNS_MAX)
    }

    /// Reads the state that the checks need at once, again where something has expired.
    fn read_state(&self, target_id: &str) -> Result<(ExpiryCheck, Session, [sql::Rows; 3]), Stop> {
        let mut is_settled = false;
        loop {
            let check = ExpiryCheck::now()?;
            let [session, due, target, open, count] = sql::query([
                session::by_token(&self.session_token, check.now),
                check.due(),
                record::target(&self.session_token, target_id),
                record::open_with(&self.session_token, target_id),
                record::open_count(&self.session_token),
            ])?;
            if !is_settled && check.settle(due)? {
                is_settled = true;
                continue;
            }
            let session = session.first()?.ok_or_else(refusals::invalid_session)?;
            return Ok((check, session, [target, open, count]));
        }
    }

    fn start(
        &self,
        target_id: &str,
        check: &ExpiryCheck,
        session: &Session,
        id: &str,
    ) -> Result<(), Stop> {
        let beginning = Beginning {
            id,
            project_id: &session.project_id,
            initiator: &session.agent_id,
            participant: target_id,
            purpose: self.purpose.as_deref().map(str::trim).filter(|it| !is_blank(it)),
            max_turns: self.max_turns,
            begun_by: None,
        };
        let message_id = ids::message(check.now);
        let recipients = [target_id];
        let first = non_empty(self.initial_message.as_ref()).map(|content| Letter {
            id: &message_id,
            project_id: &session.project_id,
            place: Place::Conversation { id, role: SenderRole::Member, has_max_turns: false },
            sender_id: &session.agent_id,
            recipients: &recipients,
            content,
            related_task_id: None,
            client_message_id: None,
            at: check.now,
        });
        let cause = Cause { at: check.now, by: &session.agent_id, what: Self::NAME };
        let talks = session::make_chat(session, check.now);
        starting::start(&beginning, &cause, talks, first.as_ref(), Vec::new()).map(|_| ())
    }
}

/// Checks whether the conversation may begin, in the order of the specification (CONV-30).
fn may(
    target_id: &str,
    session: &Session,
    target: Option<Target>,
    open: Option<Conversation>,
) -> Result<(), Stop> {
    if target_id == session.agent_id {
        return Err(refusals::cannot_conversation_with_self());
    }
    let target = target.ok_or_else(|| refusals::agent_not_found(target_id))?;
    if target.r#type == AgentKind::Human {
        return Err(refusals::cannot_start_conversation_with_human(target_id));
    }
    if !target.is_assigned {
        return Err(refusals::target_agent_not_in_project(target_id, &session.project_id));
    }
    match open {
        Some(target) => {
            let open = starting::Open {
                id: target.id,
                state: target.state,
                participant_agent_id: target.participant_agent_id,
            };
            Err(starting::already_active(Some(&open), &session.agent_id, target_id))
        }
        None => Ok(()),
    }
}

// `end_conversation`: a member ends a conversation or declines a request (CONV-40 to CONV-44).

/// Maximum number of attempts where another caller is faster.
const LOOKS_MAX: u32 = 5;

/// 会話を終了します。相手エージェントにも終了が通知されます。
/// en: Ends a conversation, or turns a request for one down. The other agent is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndConversation {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 終了する会話ID（省略時は現在アクティブな会話）
    /// en: Which one; the present one if absent
    #[schemars(length(max = 64))]
    conversation_id: Option<String>,
    /// 終了前に送る最後のメッセージ（任意、4,000文字以内）
    /// en: A last message (optional; at most 4,000 characters)
    #[schemars(length(max = 4000))]
    final_message: Option<String>,
    /// 終了・辞退の理由（任意、相手に通知される）
    /// en: Why (optional; the other agent is told)
    #[schemars(length(max = 1000))]
    reason_text: Option<String>,
}

/// The output of `end_conversation`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ended {
    success: bool,
    conversation_id: String,
    /// `terminating`: the other member has not been notified yet.
    status: State,
    /// What to do next.
    instruction: String,
}

impl Tool for EndConversation {
    const NAME: &str = "end_conversation";
    const TITLE: Text = Text { ja: "会話終了", en: "End a conversation" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Ended;

    fn call(self, _: &User) -> Result<Ended, Stop> {
        self.end()
    }
}

impl EndConversation {
    /// Creates the call with a last message and a reason.
    pub fn new(session_token: &str, id: &str, final_message: String, reason_text: &str) -> Self {
        Self {
            session_token: session_token.to_owned(),
            conversation_id: Some(id.to_owned()),
            final_message: Some(final_message),
            reason_text: Some(reason_text.to_owned()),
        }
    }

    /// Ends the conversation.
    ///
    /// # Errors
    /// Why it cannot be ended (CONV-43).
    pub fn end(&self) -> Result<Ended, Stop> {
        bounded("/reason_text", self.reason_text.as_deref(), PURPOSE_MAX)?;
        for _ in 0..LOOKS_MAX {
            if let Some(ended) = self.once()? {
                return Ok(ended);
            }
        }
        Err(toolkit::unavailable("The conversation changes too fast; try again.", None))
    }

    /// Makes one attempt; none where another caller was faster or something has expired.
    fn once(&self) -> Result<Option<Ended>, Stop> {
        let check = ExpiryCheck::now()?;
        let named = non_blank(self.conversation_id.as_ref());
        let find = match named {
            Some(id) => record::conversation(id),
            None => record::latest_open(&self.session_token),
        };
        let session = session::by_token(&self.session_token, check.now);
        let [session, due, found] = sql::query([session, check.due(), find])?;
        if check.settle(due)? {
            return Ok(None);
        }
        let session: Session = session.first()?.ok_or_else(refusals::invalid_session)?;
        let found = found.first::<Conversation>()?;
        let found = found.filter(|it| it.project_id == session.project_id);
        let found = found.ok_or_else(|| match named {
            Some(id) => refusals::conversation_not_found(id),
            None => refusals::no_active_conversation(None),
        })?;
        let Some(partner) = found.partner_of(&session.agent_id) else {
            return Err(refusals::not_conversation_participant(&found.id));
        };
        if let Some(content) = non_empty(self.final_message.as_ref()) {
            delivery::check_content(content)?;
        }
        match found.state {
            State::Pending | State::Active => {
                let batch = self.statements(&check, &session, &found, partner);
                if sql::if_expected(sql::transact_all(&batch))?.is_none() {
                    return Ok(None);
                }
                found.notify();
            }
            // The first end counts (CONV-43).
            State::Terminating => {}
            State::Ended | State::Expired => {
                let current = (found.id.as_str(), found.state.name());
                return Err(refusals::no_active_conversation(Some(current)));
            }
        }
        Ok(Some(Ended {
            success: true,
            conversation_id: found.id,
            status: State::Terminating,
            instruction: "会話終了をリクエストしました。相手に通知されます。".to_owned(),
        }))
    }

    fn statements(
        &self,
        check: &ExpiryCheck,
        session: &Session,
        found: &Conversation,
        partner: &str,
    ) -> Vec<Statement> {
        let is_initiator = found.initiator_agent_id == session.agent_id;
        let reason = if is_initiator { "initiator_ended" } else { "participant_ended" };
        let ending = Ending {
            from: found.state,
            cut: None,
            reason,
            reason_text: self.reason_text.as_deref().map(str::trim).filter(|it| !is_blank(it)),
            acknowledged: Some(&session.agent_id),
        };
        let cause = Cause { at: check.now, by: &session.agent_id, what: Self::NAME };
        let mut batch = session::keep_alive(session, check.now);
        if let Some(content) = non_empty(self.final_message.as_ref()) {
            let id = ids::message(check.now);
            let recipients = [partner];
            let place = Place::Conversation {
                id: &found.id,
                role: SenderRole::Last,
                has_max_turns: found.max_turns.is_some(),
            };
            batch.extend(delivery::statements(&Letter {
                id: &id,
                project_id: &session.project_id,
                place,
                sender_id: &session.agent_id,
                recipients: &recipients,
                content,
                related_task_id: None,
                client_message_id: None,
                at: check.now,
            }));
        }
        batch.extend(transition::terminate(&found.id, &ending, &cause));
        batch
    }
}
