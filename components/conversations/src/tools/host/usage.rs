//! `report_usage`: what the host took to play an agent in a conversation.

use output::conversations::Usage;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, events as bell, invalid, sql, sql::Error};

use super::super::FOR_HOST;
use crate::{events, ids, person, refusals};

/// More than any round takes.
const TOKENS_MAX: u32 = 100_000_000;
const COST_USD_MAX: f64 = 1_000_000.0;

/// エージェントを動かすのに使った量を記録します。窓口自身が使います。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportUsage {
    /// エージェントのセッショントークン
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
    /// 会話ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// モデルに送ったトークン数
    input_tokens: u32,
    /// モデルから受け取ったトークン数
    output_tokens: u32,
    /// 任意。費用（米ドル）
    cost_usd: Option<f64>,
}

#[derive(Deserialize)]
struct Taken {
    turns: u32,
    input_tokens: u64,
    output_tokens: u64,
    cost_usd: Option<f64>,
}

impl Tool for ReportUsage {
    const NAME: &str = "report_usage";
    const TITLE: Text = Text { ja: "使用量の記録", en: "Report usage" };
    const ENGLISH: English = English {
        description: "Notes what it took to play an agent for one turn. The counter's own.",
        arguments: &[
            ("session_token", "The token of the agent's session"),
            ("conversation_id", "The conversation's ID"),
            ("input_tokens", "Tokens that went into the model"),
            ("output_tokens", "Tokens that came out of it"),
            ("cost_usd", "Optional. US dollars, where a price is known"),
        ],
    };
    const META: Option<&'static str> = Some(FOR_HOST);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Usage;

    fn call(self, _: &User) -> Result<Usage, Stop> {
        person::must_be_coordinator(Self::NAME)?;
        if self.input_tokens.max(self.output_tokens) > TOKENS_MAX {
            return Err(invalid("", format!("at most {TOKENS_MAX} tokens at a time")));
        }
        if self.cost_usd.is_some_and(|it| !(0.0..=COST_USD_MAX).contains(&it)) {
            return Err(invalid("/cost_usd", format!("must be 0 to {COST_USD_MAX}")));
        }
        // The session may be over by now: what it took, it took.
        let note = toolkit::sql!(
            "UPDATE members SET turns = turns + 1, input_tokens = input_tokens + $3, \
             output_tokens = output_tokens + $4, \
             cost_usd = CASE WHEN $5 IS NULL THEN cost_usd ELSE COALESCE(cost_usd, 0.0) + $5 END \
             WHERE conversation_id = $2 AND agent_id = (SELECT s.agent_id FROM sessions s \
             WHERE s.token = $1 AND s.is_played = 1) \
             RETURNING turns, input_tokens, output_tokens, cost_usd",
            ids::digest(&self.session_token),
            &self.conversation_id,
            self.input_tokens,
            self.output_tokens,
            self.cost_usd,
        );
        let [rows] = match sql::transact([note.expect(1)]) {
            Err(Error::UnexpectedCount(_)) => {
                return Err(refusals::not_conversation_participant(&self.conversation_id));
            }
            result => result?,
        };
        bell::publish(&events::conversation(&self.conversation_id));
        let taken = rows.first::<Taken>()?;
        Ok(taken.map_or_else(Usage::default, |it| Usage {
            turns: it.turns,
            input_tokens: it.input_tokens,
            output_tokens: it.output_tokens,
            cost_usd: it.cost_usd,
        }))
    }
}
