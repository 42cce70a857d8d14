//! `list_agents`: who else is in the project.

use output::conversations::{Agent, AgentKind, Agents};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

use crate::{clock::Moment, session};

/// 同じプロジェクトのエージェントを一覧します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAgents {
    /// authenticateツールで取得したセッショントークン
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
}

/// One agent as the database has it.
#[derive(Deserialize)]
struct Row {
    id: String,
    name: String,
    r#type: AgentKind,
    skills: String,
    assistant: Option<String>,
    online: bool,
}

impl Tool for ListAgents {
    const NAME: &str = "list_agents";
    const TITLE: Text = Text { ja: "エージェント一覧", en: "List agents" };
    const ENGLISH: English = English {
        description: "Lists the agents of the same project.",
        arguments: &[("session_token", "The token that authenticate gave")],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = Agents;

    fn call(self, _: &User) -> Result<Agents, Stop> {
        let session = session::of(&self.session_token)?;
        let [rows] = sql::query([toolkit::sql!(
            "SELECT a.id, a.name, a.type, a.skills, a.assistant, EXISTS (SELECT 1 FROM sessions s \
             WHERE s.agent_id = a.id AND s.project_id = p.project_id AND s.state = 'active' \
             AND s.expires_at > $2) AS online \
             FROM assignments p JOIN agents a ON a.id = p.agent_id \
             WHERE p.project_id = $1 AND a.is_gone = 0 ORDER BY a.id",
            &session.project_id,
            Moment::now().stored(),
        )])?;
        let agent = |row: Row| Agent {
            agent_id: row.id,
            name: row.name,
            kind: row.r#type,
            skills: serde_json::from_str(&row.skills).unwrap_or_default(),
            online: row.online,
            assistant: row.assistant,
        };
        let agents = rows.read::<Row>()?.into_iter().map(agent).collect();
        Ok(Agents { project_id: session.project_id, my_agent_id: session.agent_id, agents })
    }
}
