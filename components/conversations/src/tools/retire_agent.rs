//! `retire_agent`: an agent does not come in any more; what it said stays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, sql, sql::Error};

use crate::{
    clock::Moment,
    events, person,
    refusals::{self, agent_not_found},
    staff,
};

/// エージェントを退任させます。セッションは終了し、会話も終わります。発言の記録は残ります。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetireAgent {
    /// エージェントのID
    #[schemars(length(max = 64))]
    agent_id: String,
}

/// Who is gone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RetiredAgent {
    /// Which.
    agent_id: String,
    /// That it is done.
    success: bool,
}

impl Tool for RetireAgent {
    const NAME: &str = "retire_agent";
    const TITLE: Text = Text { ja: "エージェントの退任", en: "Retire an agent" };
    const ENGLISH: English = English {
        description: "Lets an agent in no more. Its sessions and conversations end; what it said \
                      stays.",
        arguments: &[("agent_id", "The agent's ID")],
    };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = RetiredAgent;

    fn call(self, _: &User) -> Result<RetiredAgent, Stop> {
        person::must_be_operator(Self::NAME)?;
        let write = toolkit::sql!(
            "UPDATE agents SET is_gone = 1, passkey = NULL \
             WHERE id = $1 AND is_gone = 0 AND is_configured = 0",
            &self.agent_id
        );
        let end = staff::end_strangers(Moment::now());
        let uncalled =
            toolkit::sql!("DELETE FROM pending_purposes WHERE agent_id = $1", &self.agent_id);
        let ended = match sql::transact([write.expect(1), end, uncalled]) {
            Ok([_, ended, _]) => ended,
            Err(Error::UnexpectedCount(_)) => return Err(self.refusal()?),
            Err(error) => return Err(error.into()),
        };
        staff::ring(ended)?;
        toolkit::events::publish(events::LIST);
        Ok(RetiredAgent { agent_id: self.agent_id, success: true })
    }
}

impl RetireAgent {
    /// Why nothing was written.
    fn refusal(&self) -> Result<Stop, Error> {
        let find =
            toolkit::sql!("SELECT 1 FROM agents WHERE id = $1 AND is_gone = 0", &self.agent_id);
        let [found] = sql::query([find])?;
        Ok(if found.is_empty() {
            agent_not_found(&self.agent_id)
        } else {
            refusals::agent_is_configured(&self.agent_id)
        })
    }
}
