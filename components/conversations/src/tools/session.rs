//! Tools of agents for sessions: `authenticate`, `list_agents` and `logout` (CONV-80 to CONV-85).

use output::conversations::{Agent, AgentKind, Agents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Hints, Stop, Text, Tool, User,
    sql::{self, Error, Statement},
    unavailable,
};

use super::bounded;
use crate::{
    clock::Moment,
    directory, events,
    expiry::{self, ExpiryCheck},
    ids, passkey,
    refusals::{invalid_session, say},
    session::{self, Admission, LIFE_S, Opening, Purpose},
};

/// Maximum number of attempts where something expires, or the agent changes while its passkey is verified.
const ROUNDS_MAX: u32 = 20;

/// エージェントとして認証し、セッションを開始します。最初に呼び出し、返されたsession_tokenを他のツールに渡してください。
/// en: Begins a session of an agent. Call it first, and give the session_token to the other tools.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Authenticate {
    /// エージェントID
    /// en: The agent's ID
    #[schemars(length(max = 64))]
    agent_id: String,
    /// エージェントのパスキー
    /// en: The agent's passkey
    #[schemars(length(max = 200), extend("format" = "password"))]
    passkey: String,
    /// 参加するプロジェクトのID
    /// en: The project that it comes to
    #[schemars(length(max = 64))]
    project_id: String,
}

/// The output of `authenticate`: a session, or why there is none.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Authentication {
    /// Whether there is a session.
    pub success: bool,
    /// Secret argument of every other tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "password"))]
    pub session_token: Option<String>,
    /// Seconds until the session expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
    /// The agent's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// What the agent is wanted for: `chat` or `task`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// `Authentication failed`, `Project not found` or `Agent not assigned to project`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `exit`, where there is nothing to do here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What to do next.
    pub instruction: String,
}

impl Authentication {
    /// Creates the output for an opened session.
    pub fn opened(token: String, agent_name: String, purpose: Purpose) -> Self {
        let instruction = say(
            "認証しました。get_next_actionを呼び出して次の指示を確認してください。",
            "You are in; call get_next_action to learn what to do.",
        );
        Self {
            success: true,
            session_token: Some(token),
            expires_in: Some(LIFE_S),
            agent_name: Some(agent_name),
            purpose: Some(purpose),
            instruction: instruction.to_owned(),
            ..Self::default()
        }
    }

    fn failed(error: &str) -> Self {
        let instruction = say(
            "認証に失敗しました。処理を終了してください。",
            "You are not in; stop here, and ask whoever sent you to look at the agent, its passkey \
             and its projects.",
        );
        Self {
            error: Some(error.to_owned()),
            action: Some("exit".to_owned()),
            instruction: instruction.to_owned(),
            ..Self::default()
        }
    }
}

impl Tool for Authenticate {
    const NAME: &str = "authenticate";
    const TITLE: Text = Text { ja: "認証", en: "Authenticate" };
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Authentication;

    fn call(self, _: &User) -> Result<Authentication, Stop> {
        bounded("/agent_id", Some(&self.agent_id), directory::ID_CHARS_MAX)?;
        bounded("/passkey", Some(&self.passkey), passkey::CHARS_MAX)?;
        bounded("/project_id", Some(&self.project_id), directory::ID_CHARS_MAX)?;
        for _ in 0..ROUNDS_MAX {
            if let Some(outcome) = self.once()? {
                return Ok(outcome);
            }
        }
        Err(unavailable("The agent keeps changing; call again.", None))
    }
}

/// The agent's row.
#[derive(Deserialize)]
struct Found {
    name: String,
    r#type: AgentKind,
    passkey: Option<String>,
}

impl Authenticate {
    /// Makes one attempt; none where it has to be repeated.
    fn once(&self) -> Result<Option<Authentication>, Stop> {
        let check = ExpiryCheck::now()?;
        let agent = toolkit::sql!(
            "SELECT name, type, passkey FROM agents WHERE id = $1 AND is_gone = 0",
            &self.agent_id
        );
        let project =
            toolkit::sql!("SELECT 1 FROM projects WHERE id = $1 AND is_gone = 0", &self.project_id);
        let assignment = toolkit::sql!(
            "SELECT 1 FROM assignments WHERE project_id = $1 AND agent_id = $2",
            &self.project_id,
            &self.agent_id
        );
        let [agent, project, assignment, failed, due] =
            sql::query([agent, project, assignment, passkey::tries(&self.agent_id), check.due()])?;
        // An agent does not join a conversation whose other side no longer waits (CONV-13, CONV-23).
        if check.settle(due)? {
            return Ok(None);
        }
        passkey::tries_must_be_few(failed, check.now)?;
        let agent = agent.first::<Found>()?.filter(|it| it.r#type == AgentKind::Ai);
        let hash = agent.as_ref().and_then(|it| it.passkey.as_deref());
        // A try at an unknown agent takes as long as any other, up to a limit.
        let is_there = hash.is_some();
        let fits = (is_there || passkey::is_worth_a_hash(check.now)?)
            && passkey::fits(&self.passkey, hash);
        let (Some(agent), true) = (agent, fits) else {
            passkey::count_try(&self.agent_id, is_there, Moment::now())?;
            return Ok(Some(Authentication::failed("Authentication failed")));
        };
        // Only callers with the passkey learn of projects.
        if project.is_empty() {
            return Ok(Some(Authentication::failed("Project not found")));
        }
        if assignment.is_empty() {
            return Ok(Some(Authentication::failed("Agent not assigned to project")));
        }
        self.enter(agent)
    }

    fn enter(&self, agent: Found) -> Result<Option<Authentication>, Stop> {
        let Found { name, passkey: Some(hash), .. } = agent else { return Ok(None) };
        let token = ids::session_token();
        let digest = ids::digest(&token);
        let opening = Opening {
            token: &digest,
            agent_id: &self.agent_id,
            project_id: &self.project_id,
            now: Moment::now(),
            admission: Admission::Passkey(&hash),
        };
        match enter(&opening) {
            Ok(purpose) => Ok(Some(Authentication::opened(token, name, purpose))),
            Err(Error::UnexpectedCount(it)) if it.statement == 0 => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A conversation that became active as the agent joined.
#[derive(Deserialize)]
struct Joined {
    id: String,
    initiator_agent_id: String,
}

/// Opens a session, activates conversations that waited for the agent (CONV-81), and notifies all members.
///
/// # Errors
/// [`Error::UnexpectedCount`] of statement 0 when the agent may not open a session.
pub fn enter(opening: &Opening<'_>) -> Result<Purpose, Error> {
    let mut batch = opening.statements();
    let joined = batch.len();
    batch.extend(join(opening));
    let mut results = sql::transact_all(&batch)?.into_iter();
    let opened = results.next().map(|it| it.first::<(Purpose,)>()).transpose()?.flatten();
    let joined = results.nth(joined - 1).map(|it| it.read::<Joined>()).transpose()?;
    for conversation in joined.unwrap_or_default() {
        let agents = [opening.agent_id, conversation.initiator_agent_id.as_str()];
        events::changed(&conversation.id, opening.project_id, &agents);
    }
    toolkit::events::publish(&events::agent(opening.project_id, opening.agent_id));
    toolkit::events::publish(&events::chats(opening.project_id));
    Ok(opened.map_or(Purpose::Task, |it| it.0))
}

/// Activates pending conversations whose participant has come (CONV-81).
fn join(opening: &Opening<'_>) -> [Statement; 2] {
    let update = toolkit::sql!(
        "UPDATE conversations SET state = 'active', activated_at = $3, since_at = $3 \
         WHERE participant_agent_id = $1 AND project_id = $2 AND state = 'pending' \
         RETURNING id, initiator_agent_id",
        opening.agent_id,
        opening.project_id,
        opening.now.stored(),
    );
    let trace = toolkit::sql!(
        "INSERT INTO steps (conversation_id, position, state, at, caused_by, cause) \
         SELECT c.id, (SELECT COUNT(*) FROM steps s WHERE s.conversation_id = c.id) + 1, \
         'active', $3, $1, 'authenticate' FROM conversations c \
         WHERE c.participant_agent_id = $1 AND c.project_id = $2 AND c.state = 'active' \
         AND NOT EXISTS (SELECT 1 FROM steps s \
         WHERE s.conversation_id = c.id AND s.state = 'active')",
        opening.agent_id,
        opening.project_id,
        opening.now.stored(),
    );
    [update, trace]
}

// `list_agents`: lists the agents of the project.

/// 同じプロジェクトのエージェントを一覧します。
/// en: Lists the agents of the same project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAgents {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
}

/// A row of agents.
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
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    type Output = Agents;

    fn call(self, _: &User) -> Result<Agents, Stop> {
        let session = session::live(&self.session_token)?;
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

// `logout`: ends the session (CONV-85).

/// セッションを終了します。
/// en: Ends the session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Logout {
    /// authenticateツールで取得したセッショントークン
    /// en: The token that authenticate gave
    #[schemars(length(max = 200), extend("format" = "password"))]
    session_token: String,
}

/// The output of `logout`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoggedOut {
    /// Always true.
    success: bool,
    /// What to do next.
    instruction: String,
}

impl Tool for Logout {
    const NAME: &str = "logout";
    const TITLE: Text = Text { ja: "ログアウト", en: "Log out" };
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
    /// When the session is already over, or the database fails.
    pub fn leave(session_token: &str) -> Result<(), Stop> {
        let session = session::live(session_token)?;
        let ended = sql::transact_all(&expiry::end_session(&session.token, Moment::now()));
        expiry::notify(sql::if_expected(ended)?.ok_or_else(invalid_session)?)?;
        toolkit::events::publish(&events::agent(&session.project_id, &session.agent_id));
        toolkit::events::publish(&events::chats(&session.project_id));
        Ok(())
    }
}
