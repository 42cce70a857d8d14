//! `retire_agent`: an agent does not come in any more; its messages stay.

use output::conversations::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, sql, sql::Statement};

use crate::{
    clock::Moment,
    directory, events, expiry, person,
    refusals::{self, agent_not_found},
    transition::{self, Cause, Ending},
};

/// Open conversations that are ended at once, of all projects; an agent has some dozens at most.
const OPEN_MAX: usize = 50;

/// エージェントを退任させます。セッションは終了し、会話も終わります。発言の記録は残ります。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetireAgent {
    /// エージェントのID
    #[schemars(length(max = 64))]
    agent_id: String,
}

/// What `retire_agent` gives: the agent that is gone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RetiredAgent {
    /// Identifier of the agent.
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
        let operator = person::must_be_operator(Self::NAME)?;
        let cause = Cause { at: Moment::now(), by: &operator.agent_id, what: Self::NAME };
        let write = toolkit::sql!(
            "UPDATE agents SET is_gone = 1, passkey = NULL \
             WHERE id = $1 AND is_gone = 0 AND is_configured = 0",
            &self.agent_id
        );
        let uncalled =
            toolkit::sql!("DELETE FROM pending_purposes WHERE agent_id = $1", &self.agent_id);
        let mut batch = vec![write.expect(1), directory::end_strangers(cause.at), uncalled];
        batch.extend(transition::where_possible(self.endings(&cause)?));
        let Some(mut results) = sql::if_expected(sql::transact_all(&batch))? else {
            return Err(self.refusal()?);
        };
        expiry::notify(results.split_off(3))?;
        results.into_iter().nth(1).map(directory::notify).transpose()?;
        toolkit::events::publish(events::LIST);
        Ok(RetiredAgent { agent_id: self.agent_id, success: true })
    }
}

/// An open conversation.
#[derive(Deserialize)]
struct Open {
    id: String,
    state: State,
}

impl RetireAgent {
    /// Ends its open conversations: the operator does. One that begins in this very moment ends when
    /// when it is noticed that the agent does not come.
    fn endings(&self, cause: &Cause<'_>) -> Result<Vec<Statement>, Stop> {
        let find = toolkit::sql!(
            format!(
                "SELECT id, state FROM conversations WHERE state IN ('pending', 'active') \
                 AND (initiator_agent_id = $1 OR participant_agent_id = $1) LIMIT {OPEN_MAX}"
            ),
            &self.agent_id
        );
        let [open] = sql::query([find])?;
        let ending = |open: &Open| {
            let ending = Ending {
                from: open.state,
                cut: None,
                reason: "operator_ended",
                reason_text: None,
                acknowledged: Some(&self.agent_id),
            };
            transition::terminate(&open.id, &ending, cause)
        };
        Ok(open.read::<Open>()?.iter().flat_map(ending).collect())
    }

    /// Why nothing was written.
    fn refusal(&self) -> Result<Stop, sql::Error> {
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
