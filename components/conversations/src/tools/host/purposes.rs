//! `list_purposes`: what waits for agents that the host plays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User};

use super::super::FOR_HOST;
use crate::{
    lapse, person,
    purposes::{self, Key, Purpose},
};

/// 窓口が動かすエージェントの起動理由を一覧します。窓口自身が使います。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPurposes {
    /// 任意。いま動かしているエージェント。ほかのエージェントの途中の会話も一覧に入る
    playing: Option<Vec<Key>>,
}

/// What waits, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Purposes {
    purposes: Vec<Purpose>,
}

impl Tool for ListPurposes {
    const NAME: &str = "list_purposes";
    const TITLE: Text = Text { ja: "起動理由の一覧", en: "List purposes" };
    const ENGLISH: English = English {
        description: "Lists why agents that this counter plays should be launched. The counter's own.",
        arguments: &[
            (
                "playing",
                "Optional. Agents that are being played; what others have left off is listed too",
            ),
            ("playing.project_id", "The project"),
            ("playing.agent_id", "The agent"),
        ],
    };
    const META: Option<&'static str> = Some(FOR_HOST);
    const HINTS: Hints = Hints::IDEMPOTENT;
    type Output = Purposes;

    fn call(self, _: &User) -> Result<Purposes, Stop> {
        person::must_be_coordinator(Self::NAME)?;
        lapse::settle()?;
        if let Some(playing) = &self.playing {
            purposes::recover(playing)?;
        }
        Ok(Purposes { purposes: purposes::waiting()? })
    }
}
