//! `stop_conversation`: a person ends a conversation; both sides are notified.

use output::{
    conversations::{State, Transcript},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid, sql};

use super::{super::FOR_PAGES, seeing};
use crate::{
    clock::Moment,
    delivery::CONTENT_MAX,
    expiry,
    refusals::no_active_conversation,
    transcripts::{self, Range},
    transition::{self, Cause, Ending},
};

/// Why it was ended, where a person did (CONV-44).
const REASON: &str = "operator_ended";

/// 会話を強制的に終了します。両方のエージェントに通知されます。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopConversation {
    /// 会話ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// 任意。理由の説明
    reason_text: Option<String>,
}

impl Tool for StopConversation {
    const NAME: &str = "stop_conversation";
    const TITLE: Text = Text { ja: "会話を終了させる", en: "Stop a conversation" };
    const ENGLISH: English = English {
        description: "Ends a conversation of two agents; both are told.",
        arguments: &[
            ("conversation_id", "The conversation's ID"),
            ("reason_text", "Optional. Why, in words"),
        ],
    };
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
        // A pending one may become active meanwhile, and then stays so until it is ended.
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
        let transcript = transcripts::of(&person, id, Range::default())?;
        match transcript.conversation.state {
            // Ended by this, or by another caller that was faster (CONV-43).
            State::Terminating => Ok(transcript),
            _ if transcript.conversation.end_reason.as_deref() == Some(REASON) => Ok(transcript),
            state => Err(no_active_conversation(Some((id, state.name())))),
        }
    }
}
