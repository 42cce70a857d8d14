//! `renew_passkey`: an agent gets another passkey, and the one that it had opens nothing any more.

use output::conversations::AgentKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use crate::{clock::Moment, directory, events, passkey, person, refusals, tries};

/// エージェントのパスキーを再発行します。古いパスキーと、それで始めたセッションは無効になります。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenewPasskey {
    /// エージェントのID
    #[schemars(length(max = 64))]
    agent_id: String,
}

/// A passkey, shown once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RenewedPasskey {
    /// Identifier of the agent.
    agent_id: String,
    /// Shown this once, and kept nowhere.
    #[schemars(extend("format" = "password"))]
    passkey: String,
}

/// Whom it is for.
#[derive(Deserialize)]
struct Found {
    r#type: AgentKind,
    is_configured: bool,
    is_played: bool,
}

impl Tool for RenewPasskey {
    const NAME: &str = "renew_passkey";
    const TITLE: Text = Text { ja: "パスキーの再発行", en: "Renew a passkey" };
    const ENGLISH: English = English {
        description: "Gives an agent another passkey. The one before it opens nothing any more, and \
                      the sessions that it opened end.",
        arguments: &[("agent_id", "The agent's ID")],
    };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = RenewedPasskey;

    fn call(self, _: &User) -> Result<RenewedPasskey, Stop> {
        person::must_be_operator(Self::NAME)?;
        let find = toolkit::sql!(
            "SELECT type, is_configured, assistant IS NOT NULL AS is_played FROM agents \
             WHERE id = $1 AND is_gone = 0",
            &self.agent_id
        );
        let [found] = sql::query([find])?;
        let found =
            found.first::<Found>()?.ok_or_else(|| refusals::agent_not_found(&self.agent_id))?;
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
        let [callers, all] = tries::forget(&self.agent_id);
        let renewed = sql::if_expected(sql::transact([write.expect(1), end, callers, all]))?;
        let [_, ended, ..] = renewed.ok_or_else(|| refusals::agent_not_found(&self.agent_id))?;
        directory::notify(ended)?;
        toolkit::events::publish(events::LIST);
        Ok(RenewedPasskey { agent_id: self.agent_id, passkey })
    }
}
