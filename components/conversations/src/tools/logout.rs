//! `logout`: an agent goes (CONV-85).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use crate::{
    clock::Moment,
    events, expiry,
    refusals::{invalid_session, say},
    session,
};

/// セッションを終了します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Logout {
    /// authenticateツールで取得したセッショントークン
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
}

/// What `logout` gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoggedOut {
    /// That it is done.
    success: bool,
    /// What to do next.
    instruction: String,
}

impl Tool for Logout {
    const NAME: &str = "logout";
    const TITLE: Text = Text { ja: "ログアウト", en: "Log out" };
    const ENGLISH: English = English {
        description: "Ends the session.",
        arguments: &[("session_token", "The token that authenticate gave")],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = LoggedOut;

    fn call(self, _: &User) -> Result<LoggedOut, Stop> {
        Self::leave(&self.session_token)?;
        let instruction =
            say("ログアウトしました。処理を終了してください。", "The session is over; stop here.");
        Ok(LoggedOut { success: true, instruction: instruction.to_owned() })
    }
}

impl Logout {
    /// Ends the session of a token.
    ///
    /// # Errors
    /// When it is over already, or the database fails.
    pub fn leave(session_token: &str) -> Result<(), Stop> {
        let session = session::of(session_token)?;
        let ended = sql::transact_all(&expiry::end_session(&session.token, Moment::now()));
        expiry::notify(sql::if_expected(ended)?.ok_or_else(invalid_session)?)?;
        toolkit::events::publish(&events::agent(&session.project_id, &session.agent_id));
        toolkit::events::publish(&events::chats(&session.project_id));
        Ok(())
    }
}
