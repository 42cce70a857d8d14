//! `pause_conversation`: a person holds a conversation up, and lets it go on.

use output::conversations::{State, Transcript};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use super::{super::FOR_PAGES, seeing};
use crate::{
    clock::Moment,
    expiry,
    refusals::no_active_conversation,
    transcripts::{self, Range},
    transition::{self, Cause},
};

/// 会話を一時停止・再開します。停止中はエージェントは発言できず、無応答の時間は数えません。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseConversation {
    /// 会話ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// true: 一時停止。false: 再開
    paused: bool,
}

impl Tool for PauseConversation {
    const NAME: &str = "pause_conversation";
    const TITLE: Text = Text { ja: "会話の一時停止", en: "Pause a conversation" };
    const ENGLISH: English = English {
        description: "Pauses a conversation, or lets it go on: meanwhile its agents cannot write, \
                      and the time does not count.",
        arguments: &[
            ("conversation_id", "The conversation's ID"),
            ("paused", "true: pause it. false: let it go on"),
        ],
    };
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
        // None where it was so already, or there is nothing to hold up.
        if let Some(results) = sql::if_expected(sql::transact_all(&batch))? {
            expiry::notify(results)?;
        }
        let transcript = transcripts::of(&person, id, Range::default())?;
        let state = transcript.conversation.state;
        if state != State::Active {
            return Err(no_active_conversation(Some((id, state.name()))));
        }
        Ok(transcript)
    }
}
