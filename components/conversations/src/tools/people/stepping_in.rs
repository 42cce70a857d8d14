//! Interventions of people in conversations: `write_message`, `pause_conversation` and `stop_conversation`.

use output::{
    conversations::{State, Transcript},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Stop, Text, Tool, User, invalid, sql};

use super::seeing;
use crate::{
    clock::Moment,
    delivery::{self, CONTENT_MAX, Letter, Place, SenderRole, check_content},
    expiry, ids,
    refusals::no_active_conversation,
    tools::FOR_PAGES,
    transcripts::{self, Range},
    transition::{self, Cause, Ending},
};

// `write_message`: sends a person's message to both members of a conversation.

/// 会話に人間として発言します。両方のエージェントに届きます。
/// en: Writes a person's message into a conversation, to both agents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteMessage {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// メッセージ（4,000文字以内）
    /// en: The message, at most 4,000 characters
    content: String,
    /// 任意。送信側で付けたID。同じIDの再送は一度だけ保存される
    /// en: Optional. The sender's own id: sent again, it is stored once
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
}

impl Tool for WriteMessage {
    const NAME: &str = "write_message";
    const TITLE: Text = Text { ja: "会話に発言", en: "Write into a conversation" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let (person, found) = seeing(Self::NAME, &self.conversation_id)?;
        check_content(&self.content)?;
        let at = Moment::now();
        let letter = Letter {
            id: &ids::message(at),
            project_id: &found.project_id,
            place: Place::Conversation {
                id: &self.conversation_id,
                role: SenderRole::Person,
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
        transcripts::read(&person, &self.conversation_id, Range::default())
    }
}

// `pause_conversation`: pauses or resumes a conversation.

/// 会話を一時停止・再開します。停止中はエージェントは発言できず、無応答の時間は数えません。
/// en: Pauses a conversation, or lets it go on: meanwhile its agents cannot write, and the time does not count.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseConversation {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// true: 一時停止。false: 再開
    /// en: true: pause it. false: let it go on
    paused: bool,
}

impl Tool for PauseConversation {
    const NAME: &str = "pause_conversation";
    const TITLE: Text = Text { ja: "会話の一時停止", en: "Pause a conversation" };
    const LABELS: &[(&str, Text)] = &[(
        "paused",
        Text { ja: "一時停止（いいえなら再開）", en: "Pause it (no: let it go on)" },
    )];
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::IDEMPOTENT;
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let id = &self.conversation_id;
        let (person, _) = seeing(Self::NAME, id)?;
        let now = Moment::now();
        let cause = Cause { at: now, by: &person.agent_id, what: Self::NAME };
        let batch = match self.paused {
            true => transition::pause(id, &cause),
            false => transition::resume(id, None, now),
        };
        // No rows where it already is so, or where the conversation is not active.
        if let Some(results) = sql::if_expected(sql::transact_all(&batch))? {
            expiry::notify(results)?;
        }
        let transcript = transcripts::read(&person, id, Range::default())?;
        let state = transcript.conversation.state;
        if state != State::Active {
            return Err(no_active_conversation(Some((id, state.name()))));
        }
        Ok(transcript)
    }
}

// `stop_conversation`: ends a conversation and notifies both members.

/// The reason for ends by a person (CONV-44).
const REASON: &str = "operator_ended";

/// 会話を強制的に終了します。両方のエージェントに通知されます。
/// en: Ends a conversation of two agents; both are told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopConversation {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// 任意。理由の説明
    /// en: Optional. Why, in words
    reason_text: Option<String>,
}

impl Tool for StopConversation {
    const NAME: &str = "stop_conversation";
    const TITLE: Text = Text { ja: "会話を終了させる", en: "Stop a conversation" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let id = &self.conversation_id;
        let (person, found) = seeing(Self::NAME, id)?;
        let reason_text = self.reason_text.as_deref().map(str::trim).filter(|it| !is_blank(it));
        if reason_text.is_some_and(|it| it.chars().nth(CONTENT_MAX).is_some()) {
            return Err(invalid("/reason_text", "must have at most 4,000 characters"));
        }
        let cause = Cause { at: Moment::now(), by: &person.agent_id, what: Self::NAME };
        // A pending conversation may become active in between.
        for from in [found.state, State::Active] {
            if !from.is_open() {
                break;
            }
            let ending =
                Ending { from, cut: None, reason: REASON, reason_text, acknowledged: None };
            let ended = sql::transact_all(&transition::terminate(id, &ending, &cause));
            if let Some(results) = sql::if_expected(ended)? {
                expiry::notify(results)?;
                break;
            }
        }
        let transcript = transcripts::read(&person, id, Range::default())?;
        match transcript.conversation.state {
            // Ended by this call, or by a faster one (CONV-43).
            State::Terminating => Ok(transcript),
            _ if transcript.conversation.end_reason.as_deref() == Some(REASON) => Ok(transcript),
            state => Err(no_active_conversation(Some((id, state.name())))),
        }
    }
}
