//! `launch_agent`: the host begins to play an agent, for one purpose (CONV-81, CONV-82).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolkit::{English, Hints, Stop, Text, Tool, User, refused, sql::Error};

use super::super::{Authentication, FOR_HOST, enter};
use crate::{
    clock::Moment,
    ids, person,
    purposes::{self, Purpose},
    refusals::say,
    session::{Opening, Way},
};

/// 起動理由のあるエージェントのセッションを開始します。窓口自身が使います。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchAgent {
    /// 起動理由のID（pap_…）
    #[schemars(length(max = 64))]
    purpose_id: String,
}

/// What `authenticate` gives, and what the agent is wanted for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Launched {
    #[serde(flatten)]
    session: Authentication,
    /// Why.
    wanted: Purpose,
}

impl Tool for LaunchAgent {
    const NAME: &str = "launch_agent";
    const TITLE: Text = Text { ja: "エージェントの起動", en: "Launch an agent" };
    const ENGLISH: English = English {
        description: "Begins a session of an agent that this counter plays. The counter's own.",
        arguments: &[("purpose_id", "The purpose's ID: pap_…")],
    };
    const META: Option<&'static str> = Some(FOR_HOST);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Launched;

    fn call(self, _: &User) -> Result<Launched, Stop> {
        person::must_be_coordinator(Self::NAME)?;
        let wanted = purposes::one(&self.purpose_id)?.ok_or_else(|| gone(&self.purpose_id))?;
        let token = ids::session_token();
        let opening = Opening {
            token: &ids::digest(&token),
            agent_id: &wanted.agent_id,
            project_id: &wanted.project_id,
            now: Moment::now(),
            way: Way::Played(&wanted.id),
        };
        match enter(&opening) {
            Ok(purpose) => {
                let session = Authentication::opened(token, wanted.name.clone(), purpose);
                Ok(Launched { session, wanted })
            }
            Err(Error::UnexpectedCount(it)) if it.statement == 0 => Err(gone(&self.purpose_id)),
            Err(error) => Err(error.into()),
        }
    }
}

/// The purpose was used, or withdrawn; or its agent has gone.
fn gone(purpose_id: &str) -> Stop {
    let message = say("起動理由が見つかりません。", "There is no such purpose, or not any more.");
    refused("purpose_not_found", 404, message).with(json!({ "purpose_id": purpose_id }))
}
