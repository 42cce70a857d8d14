//! `end_conversation`: either side ends it, or turns the request down (CONV-40 to CONV-44).

use output::{conversations::State, text::is_blank};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid, sql, sql::Statement};

use crate::{
    activity,
    delivery::{self, Letter, Place, Voice},
    expiry::Look,
    ids,
    record::{self, Conversation},
    refusals,
    saying::{given, given_text},
    session::{self, Session},
    starting::PURPOSE_MAX,
    transition::{self, Cause, Ending},
};

/// How often is looked again where another caller was faster.
const LOOKS_MAX: u32 = 5;

/// 会話を終了します。相手エージェントにも終了が通知されます。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndConversation {
    /// authenticateツールで取得したセッショントークン
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 終了する会話ID（省略時は現在アクティブな会話）
    #[schemars(length(max = 64))]
    conversation_id: Option<String>,
    /// 終了前に送る最後のメッセージ（任意、4,000文字以内）
    #[schemars(length(max = 4000))]
    final_message: Option<String>,
    /// 終了・辞退の理由（任意、相手に通知される）
    #[schemars(length(max = 1000))]
    reason_text: Option<String>,
}

/// What `end_conversation` gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ended {
    success: bool,
    conversation_id: String,
    /// `terminating`: the other side has not been notified of it yet.
    status: State,
    /// What to do next.
    instruction: String,
}

impl Tool for EndConversation {
    const NAME: &str = "end_conversation";
    const TITLE: Text = Text { ja: "会話終了", en: "End a conversation" };
    const ENGLISH: English = English {
        description: "Ends a conversation, or turns a request for one down. The other agent is \
                      told.",
        arguments: &[
            ("session_token", "The token that authenticate gave"),
            ("conversation_id", "Which one; the present one if absent"),
            ("final_message", "A last message (optional; at most 4,000 characters)"),
            ("reason_text", "Why (optional; the other agent is told)"),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Ended;

    fn call(self, _: &User) -> Result<Ended, Stop> {
        self.end()
    }
}

impl EndConversation {
    /// The end of a conversation by the agent of a session, with its last message and why.
    pub fn of(session_token: &str, id: &str, final_message: String, reason_text: &str) -> Self {
        Self {
            session_token: session_token.to_owned(),
            conversation_id: Some(id.to_owned()),
            final_message: Some(final_message),
            reason_text: Some(reason_text.to_owned()),
        }
    }

    /// Ends it.
    ///
    /// # Errors
    /// Why it cannot be ended (CONV-43).
    pub fn end(&self) -> Result<Ended, Stop> {
        if self.reason_text.as_ref().is_some_and(|it| it.chars().nth(PURPOSE_MAX).is_some()) {
            let message = format!("must have at most {PURPOSE_MAX} characters");
            return Err(invalid("/reason_text", message));
        }
        for _ in 0..LOOKS_MAX {
            if let Some(ended) = self.once()? {
                return Ok(ended);
            }
        }
        Err(toolkit::unavailable("The conversation changes too fast; try again.", None))
    }

    /// One look and one write; none where another caller was faster, or something was over.
    fn once(&self) -> Result<Option<Ended>, Stop> {
        let look = Look::now()?;
        let named = given(self.conversation_id.as_ref());
        let find = match named {
            Some(id) => record::conversation(id),
            None => record::latest_open(&self.session_token),
        };
        let session = session::by_token(&self.session_token, look.now);
        let [session, due, found] = sql::query([session, look.due(), find])?;
        if look.settle(due)? {
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
        if let Some(content) = given_text(self.final_message.as_ref()) {
            delivery::checked(content)?;
        }
        match found.state {
            State::Pending | State::Active => {
                let batch = self.statements(&look, &session, &found, partner);
                if sql::if_expected(sql::transact_all(&batch))?.is_none() {
                    return Ok(None);
                }
                found.notify();
            }
            // Who has ended it stays so (CONV-43).
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
        look: &Look,
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
        let cause = Cause { at: look.now, by: &session.agent_id, what: Self::NAME };
        let mut batch = activity::goes_on(session, look.now);
        if let Some(content) = given_text(self.final_message.as_ref()) {
            let id = ids::message(look.now);
            let recipients = [partner];
            let place = Place::Conversation {
                id: &found.id,
                voice: Voice::Last,
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
                at: look.now,
            }));
        }
        batch.extend(transition::terminate(&found.id, &ending, &cause));
        batch
    }
}
