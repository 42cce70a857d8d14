//! Tools of the operator that lock an agent out: `renew_passkey` and `retire_agent`.

use output::conversations::{AgentKind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Hints, Stop, Text, Tool, User,
    sql::{self, Statement},
};

use crate::{
    clock::Moment,
    directory, events, expiry, passkey, person,
    refusals::{self, agent_not_found},
    transition::{self, Cause, Ending},
};

// `renew_passkey`: gives an agent a new passkey and revokes the old one.

/// エージェントのパスキーを再発行します。古いパスキーと、それで始めたセッションは無効になります。
/// en: Gives an agent another passkey. The one before it opens nothing any more, and the sessions that it opened end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenewPasskey {
    /// エージェントのID
    /// en: The agent's ID
    #[schemars(length(max = 64))]
    agent_id: String,
}

/// A passkey, shown once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RenewedPasskey {
    /// Identifier of the agent.
    agent_id: String,
    /// The passkey, shown only once and not stored.
    #[schemars(extend("format" = "password"))]
    passkey: String,
}

/// The agent.
#[derive(Deserialize)]
struct Found {
    r#type: AgentKind,
    is_configured: bool,
    is_played: bool,
}

impl Tool for RenewPasskey {
    const NAME: &str = "renew_passkey";
    const TITLE: Text = Text { ja: "パスキーの再発行", en: "Renew a passkey" };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = RenewedPasskey;

    fn call(self, _: &User) -> Result<RenewedPasskey, Stop> {
        person::must_be_operator(Self::NAME)?;
        let find = toolkit::sql!(
            "SELECT type, is_configured, assistant IS NOT NULL AS is_played FROM agents \
             WHERE id = $1 AND is_gone = 0",
            &self.agent_id
        );
        let [found] = sql::query([find])?;
        let found = found.first::<Found>()?.ok_or_else(|| agent_not_found(&self.agent_id))?;
        if found.is_configured {
            return Err(refusals::agent_is_configured(&self.agent_id));
        }
        if found.r#type == AgentKind::Human || found.is_played {
            return Err(refusals::passkey_not_used(&self.agent_id));
        }
        let passkey = passkey::fresh();
        let write = toolkit::sql!(
            "UPDATE agents SET passkey = $2 WHERE id = $1 AND is_gone = 0 AND is_configured = 0 \
             AND type = 'ai' AND assistant IS NULL",
            &self.agent_id,
            passkey::hash(&passkey),
        );
        let end = directory::end_of(&self.agent_id, Moment::now());
        let [callers, all] = passkey::forget_tries(&self.agent_id);
        let renewed = sql::if_expected(sql::transact([write.expect(1), end, callers, all]))?;
        let [_, ended, ..] = renewed.ok_or_else(|| agent_not_found(&self.agent_id))?;
        directory::notify(ended)?;
        toolkit::events::publish(events::LIST);
        Ok(RenewedPasskey { agent_id: self.agent_id, passkey })
    }
}

// `retire_agent`: removes an agent for good; its messages stay.

/// Maximum number of open conversations ended at once, over all projects; an agent has some dozens at most.
const OPEN_MAX: usize = 50;

/// エージェントを退任させます。セッションは終了し、会話も終わります。発言の記録は残ります。
/// en: Lets an agent in no more. Its sessions and conversations end; what it said stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetireAgent {
    /// エージェントのID
    /// en: The agent's ID
    #[schemars(length(max = 64))]
    agent_id: String,
}

/// The output of `retire_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RetiredAgent {
    /// Identifier of the agent.
    agent_id: String,
    /// Always true.
    success: bool,
}

impl Tool for RetireAgent {
    const NAME: &str = "retire_agent";
    const TITLE: Text = Text { ja: "エージェントの退任", en: "Retire an agent" };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = RetiredAgent;

    fn call(self, _: &User) -> Result<RetiredAgent, Stop> {
        let operator = person::must_be_operator(Self::NAME)?;
        let cause = Cause { at: Moment::now(), by: &operator.agent_id, what: Self::NAME };
        let write = toolkit::sql!(
            "UPDATE agents SET is_gone = 1, passkey = NULL \
             WHERE id = $1 AND is_gone = 0 AND is_configured = 0",
            &self.agent_id
        );
        let without_purpose =
            toolkit::sql!("DELETE FROM pending_purposes WHERE agent_id = $1", &self.agent_id);
        let mut batch = vec![write.expect(1), directory::end_unassigned(cause.at), without_purpose];
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
    /// Returns the statements that end its open conversations in the operator's name. One that begins at the same
    /// moment expires later.
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

    /// Finds the reason why nothing was written.
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
