//! `begin_conversation`: a person has one agent talk with another.

use output::{conversations::Transcript, text::is_blank};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid};

use super::calling;
use crate::{
    beginning::{self, StartRequest},
    delivery::checked,
    starting::{PURPOSE_MAX, TURNS_MAX},
    transcripts::{self, Range},
};

/// AIエージェント同士の会話を始めさせます。窓口が動かすエージェントが相手に話しかけ、会話の様子は画面で見られます。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginConversation {
    /// 任意。会話相手のAIエージェントのID（同じプロジェクト）。省略時は窓口が動かすものから選ぶ
    #[schemars(length(max = 64))]
    target_agent_id: Option<String>,
    /// 任意。話しかける側のエージェントのID（窓口が動かすもの）。省略時は窓口が選ぶ
    #[schemars(length(max = 64))]
    initiator_agent_id: Option<String>,
    /// 任意。プロジェクトID。省略時は相手エージェントのプロジェクト
    #[schemars(length(max = 64))]
    project_id: Option<String>,
    /// 任意。会話の目的（両方に伝えられる）
    #[schemars(length(max = 1000))]
    purpose: Option<String>,
    /// 任意。最初のメッセージ（4,000文字以内）。話しかける側のエージェントの発言になる
    #[schemars(length(max = 4000))]
    initial_message: Option<String>,
    /// 任意。この往復数で自動的に終了する
    #[schemars(range(min = 1, max = 1000))]
    max_turns: Option<u32>,
}

impl Tool for BeginConversation {
    const NAME: &str = "begin_conversation";
    const TITLE: Text = Text { ja: "会話を始めさせる", en: "Begin a conversation" };
    const ENGLISH: English = English {
        description: "Has two AI agents talk: one that this counter plays begins, and people can \
                      watch.",
        arguments: &[
            (
                "target_agent_id",
                "Optional. The agent to talk with, an AI of the same project; one that this counter \
                 plays unless told",
            ),
            (
                "initiator_agent_id",
                "Optional. The agent that begins, one that this counter plays; another one of the \
                 project unless told",
            ),
            ("project_id", "Optional. The project; that of the target unless told"),
            ("purpose", "Optional. What the conversation is for; both are told"),
            ("initial_message", "Optional. The first message, in the beginning agent's name"),
            ("max_turns", "Optional. It ends by itself after so many turns"),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&'static str> = Some("conversation");
    const APP: Option<&'static str> = Some(crate::app::CONVERSATION.uri);
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let person = calling(Self::NAME)?;
        let filled = |it: &Option<String>| it.clone().filter(|it| !is_blank(it));
        let (purpose, first) = (filled(&self.purpose), filled(&self.initial_message));
        if purpose.as_deref().is_some_and(|it| it.chars().nth(PURPOSE_MAX).is_some()) {
            let message = format!("must have at most {PURPOSE_MAX} characters");
            return Err(invalid("/purpose", message));
        }
        first.as_deref().map_or(Ok(()), checked)?;
        if self.max_turns.is_some_and(|it| !(1..=TURNS_MAX).contains(&it)) {
            return Err(invalid("/max_turns", format!("must be 1 to {TURNS_MAX}")));
        }
        let (mut project_id, initiator) =
            (filled(&self.project_id), filled(&self.initiator_agent_id));
        let target = match filled(&self.target_agent_id) {
            Some(it) => it,
            None => beginning::counterpart(&person, &mut project_id, initiator.as_deref())?,
        };
        let request = StartRequest {
            tool: Self::NAME,
            target: &target,
            initiator,
            project_id,
            purpose,
            first,
            max_turns: self.max_turns,
        };
        let id = beginning::begin(&person, request)?;
        transcripts::of(&person, &id, Range::default())
    }
}
