//! Tools of the operator that define projects and agents: `define_project` and `define_agent`, and that lock an agent
//! out: `renew_passkey` and `retire_agent`.

use output::conversations::{AgentKind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Hints, Problem, Stop, Text, Tool, User, invalid,
    sql::{self, Error, Statement},
};

use crate::{
    clock::Moment,
    directory, events, expiry, passkey,
    person::{self, OPERATOR},
    refusals::{self, agent_not_found},
    transition::{self, Cause, Ending},
};

// `define_project`: creates or renames a project.

/// プロジェクトを登録します。既にあれば名前を変更します。
/// en: Opens a project, or gives one another name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefineProject {
    /// プロジェクトのID（英数字と - _ .）
    /// en: The project's ID: letters, digits, -, _ and .
    #[schemars(length(min = 1, max = 64))]
    project_id: String,
    /// 表示名
    /// en: Its name for people
    #[schemars(length(min = 1, max = 100))]
    name: String,
}

/// The defined project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefinedProject {
    /// Its name for programs.
    project_id: String,
    /// Its name for people.
    name: String,
}

impl Tool for DefineProject {
    const NAME: &str = "define_project";
    const TITLE: Text = Text { ja: "プロジェクトの登録", en: "Define a project" };
    const HINTS: Hints = Hints::IDEMPOTENT;
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = DefinedProject;

    fn call(self, _: &User) -> Result<DefinedProject, Stop> {
        person::must_be_operator(Self::NAME)?;
        directory::check_id(&self.project_id).map_err(|why| invalid("/project_id", why))?;
        directory::check_name(&self.name).map_err(|why| invalid("/name", why))?;
        let write = toolkit::sql!(
            "INSERT INTO projects (id, name, is_configured, is_gone) SELECT $1, $2, 0, 0 \
             WHERE EXISTS (SELECT 1 FROM projects WHERE id = $1) \
             OR (SELECT COUNT(*) FROM projects) < $3 \
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_configured = 0, is_gone = 0 \
             WHERE projects.is_configured = 0 OR projects.is_gone = 1",
            &self.project_id,
            &self.name,
            u32::try_from(directory::PROJECTS_MAX).unwrap_or(u32::MAX),
        );
        // The operator belongs to every project.
        let assign = toolkit::sql!(
            "INSERT INTO assignments (project_id, agent_id) VALUES ($1, $2) \
             ON CONFLICT (project_id, agent_id) DO NOTHING",
            &self.project_id,
            OPERATOR,
        );
        if sql::if_expected(sql::transact([write.expect(1), assign]))?.is_none() {
            return Err(self.refusal()?);
        }
        toolkit::events::publish(events::LIST);
        Ok(DefinedProject { project_id: self.project_id, name: self.name })
    }
}

impl DefineProject {
    /// Why nothing was written.
    fn refusal(&self) -> Result<Stop, Error> {
        let find = toolkit::sql!(
            "SELECT 1 FROM projects WHERE id = $1 AND is_configured = 1",
            &self.project_id
        );
        let [found] = sql::query([find])?;
        Ok(if found.is_empty() {
            refusals::too_many("projects", directory::PROJECTS_MAX)
        } else {
            refusals::project_is_configured(&self.project_id)
        })
    }
}

// `define_agent`: creates or changes an agent.

/// Maximum number of attempts where another caller changes the agent in between.
const ROUNDS_MAX: u32 = 3;
/// Maximum number of stored agents, including removed ones, to which conversations refer.
const KEPT_MAX: u32 = 5_000;

/// エージェントを登録します。既にあれば内容を変更します。アシスタントのないAIには、一度だけ表示されるパスキーを発行します。
/// en: Lets an agent in, or changes what is known of one. An ai without an assistant gets a passkey, which is shown
/// once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefineAgent {
    /// エージェントのID（英数字と - _ .）
    /// en: The agent's ID: letters, digits, -, _ and .
    #[schemars(length(min = 1, max = 64))]
    agent_id: String,
    /// 表示名
    /// en: Its name for people
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// ai: プログラム。human: 人
    /// en: ai: a program. human: a person
    #[serde(rename = "type")]
    kind: AgentKind,
    /// 参加するプロジェクトのID
    /// en: The projects that it works in
    #[schemars(length(min = 1, max = 100))]
    project_ids: Vec<String>,
    /// 得意なこと
    /// en: What it is good at
    #[serde(default)]
    #[schemars(length(max = 20))]
    skills: Vec<String>,
    /// このエージェントを演じるアシスタント（AIのみ）
    /// en: The assistant that plays it (ai only)
    #[serde(default)]
    #[schemars(length(max = 64))]
    assistant: Option<String>,
    /// この人として扱うトークンの名前（人のみ）
    /// en: The token whose holder is this person (human only)
    #[serde(default)]
    #[schemars(length(max = 200))]
    principal: Option<String>,
}

/// The defined agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefinedAgent {
    /// Its name for programs.
    agent_id: String,
    /// Its name for people.
    name: String,
    /// `ai` or `human`.
    #[serde(rename = "type")]
    kind: AgentKind,
    /// Identifiers of its projects.
    project_ids: Vec<String>,
    /// Its skills.
    skills: Vec<String>,
    /// The assistant that plays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    assistant: Option<String>,
    /// Name of the token that identifies this person.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// The passkey, where one was generated: shown only once and not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "password"))]
    passkey: Option<String>,
}

/// The stored agent.
#[derive(Clone, Deserialize)]
struct Found {
    r#type: AgentKind,
    has_passkey: bool,
    is_configured: bool,
    is_gone: bool,
}

impl Tool for DefineAgent {
    const NAME: &str = "define_agent";
    const TITLE: Text = Text { ja: "エージェントの登録", en: "Define an agent" };
    const HINTS: Hints = Hints::ADDITIVE;
    const META: Option<&str> = Some(crate::tools::FOR_PAGES);
    type Output = DefinedAgent;

    fn call(self, _: &User) -> Result<DefinedAgent, Stop> {
        person::must_be_operator(Self::NAME)?;
        self.check()?;
        for _ in 0..ROUNDS_MAX {
            let found = self.found()?;
            self.must_be_definable(found.as_ref())?;
            let keeps = found.as_ref().is_some_and(|it| it.has_passkey && !it.is_gone);
            let needs = self.kind == AgentKind::Ai && self.assistant.is_none();
            let fresh = (needs && !keeps).then(passkey::fresh);
            match sql::transact_all(&self.statements(found.as_ref(), fresh.as_deref())) {
                Ok(mut results) => {
                    // The last statement ends sessions in projects that the agent has left.
                    results.pop().map(directory::notify).transpose()?;
                    toolkit::events::publish(events::LIST);
                    if self.assistant.is_some() {
                        toolkit::events::publish(events::PURPOSES);
                    }
                    return Ok(self.defined(fresh));
                }
                // Statement 0 finds the unchanged agent, the others find the projects.
                Err(Error::UnexpectedCount(it)) if it.statement == 0 => {}
                Err(Error::UnexpectedCount(it)) => {
                    let project = self.project_ids.get(it.statement as usize - 1);
                    let project = project.map_or("", String::as_str);
                    return Err(refusals::project_not_found(project));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(refusals::too_many("agents", directory::AGENTS_MAX))
    }
}

impl DefineAgent {
    fn check(&self) -> Result<(), Stop> {
        let mut problems = Vec::new();
        let mut check = |pointer: &str, checked: Result<(), String>| {
            problems.extend(checked.err().map(|why| Problem::at(pointer, why)));
        };
        check("/agent_id", directory::check_id(&self.agent_id));
        check("/name", directory::check_name(&self.name));
        check(
            "/project_ids",
            directory::check_count(&self.project_ids, 1, directory::PROJECTS_MAX),
        );
        for (index, id) in self.project_ids.iter().enumerate().take(directory::PROJECTS_MAX) {
            check(&format!("/project_ids/{index}"), directory::check_id(id));
        }
        check("/skills", directory::check_count(&self.skills, 0, directory::SKILLS_MAX));
        for (index, skill) in self.skills.iter().enumerate().take(directory::SKILLS_MAX) {
            check(&format!("/skills/{index}"), directory::check_skill(skill));
        }
        if let Some(assistant) = &self.assistant {
            let plays = match self.kind {
                AgentKind::Ai => directory::check_id(assistant),
                AgentKind::Human => Err("is for programs; nobody plays a person".to_owned()),
            };
            check("/assistant", plays);
        }
        if let Some(principal) = &self.principal {
            let is = match self.kind {
                AgentKind::Human => directory::check_principal(principal),
                AgentKind::Ai => Err("is for people; an ai comes in by its passkey".to_owned()),
            };
            check("/principal", is);
        }
        if problems.is_empty() { Ok(()) } else { Err(Stop::InvalidArguments(problems)) }
    }

    fn found(&self) -> Result<Option<Found>, Error> {
        let find = toolkit::sql!(
            "SELECT type, passkey IS NOT NULL AS has_passkey, is_configured, is_gone \
             FROM agents WHERE id = $1",
            &self.agent_id
        );
        let [found] = sql::query([find])?;
        found.first()
    }

    fn must_be_definable(&self, found: Option<&Found>) -> Result<(), Stop> {
        if let Some(found) = found {
            if found.is_configured && !found.is_gone {
                return Err(refusals::agent_is_configured(&self.agent_id));
            }
            if found.r#type != self.kind {
                return Err(refusals::agent_type_differs(&self.agent_id));
            }
        }
        let Some(principal) = &self.principal else { return Ok(()) };
        let find = toolkit::sql!(
            "SELECT id FROM agents WHERE principal = $1 AND id <> $2 AND is_gone = 0",
            principal,
            &self.agent_id
        );
        let [other] = sql::query([find])?;
        match other.first::<(String,)>()? {
            None => Ok(()),
            Some((other,)) => Err(refusals::principal_taken(principal, &other)),
        }
    }

    fn statements(&self, found: Option<&Found>, fresh: Option<&str>) -> Vec<Statement> {
        let mut batch = vec![self.write(found, fresh).expect(1)];
        batch.extend(self.project_ids.iter().map(|id| {
            toolkit::sql!("SELECT 1 FROM projects WHERE id = $1 AND is_gone = 0", id).expect(1)
        }));
        batch.push(toolkit::sql!("DELETE FROM assignments WHERE agent_id = $1", &self.agent_id));
        batch.extend(self.project_ids.iter().map(|id| {
            toolkit::sql!(
                "INSERT INTO assignments (project_id, agent_id) VALUES ($1, $2) \
                 ON CONFLICT (project_id, agent_id) DO NOTHING",
                id,
                &self.agent_id
            )
        }));
        batch.push(directory::end_unassigned(Moment::now()));
        batch
    }

    /// Returns the statement that writes the agent's row, if it is still as found.
    fn write(&self, found: Option<&Found>, fresh: Option<&str>) -> Statement {
        let Some(found) = found else {
            return toolkit::sql!(
                "INSERT INTO agents (id, name, type, skills, assistant, principal, passkey, \
                 is_configured, is_gone) SELECT $1, $2, $3, $4, $5, $6, $7, 0, 0 \
                 WHERE (SELECT COUNT(*) FROM agents WHERE is_gone = 0) < $8 \
                 AND (SELECT COUNT(*) FROM agents) < $9 ON CONFLICT (id) DO NOTHING",
                &self.agent_id,
                &self.name,
                sql::name_of(self.kind),
                directory::skills(&self.skills),
                self.assistant.clone(),
                self.principal.clone(),
                fresh.map(passkey::hash),
                u32::try_from(directory::AGENTS_MAX).unwrap_or(u32::MAX),
                KEPT_MAX,
            );
        };
        // An agent that the host plays has no passkey.
        toolkit::sql!(
            "UPDATE agents SET name = $2, skills = $3, assistant = $4, principal = $5, \
             passkey = CASE WHEN $4 IS NULL THEN coalesce($6, passkey) END, \
             is_configured = 0, is_gone = 0 WHERE id = $1 AND (is_configured = 0 OR is_gone = 1) \
             AND is_gone = $7 AND CASE WHEN passkey IS NULL THEN 0 ELSE 1 END = $8 AND id <> $9",
            &self.agent_id,
            &self.name,
            directory::skills(&self.skills),
            self.assistant.clone(),
            self.principal.clone(),
            fresh.map(passkey::hash),
            found.is_gone,
            found.has_passkey,
            OPERATOR,
        )
    }

    fn defined(self, passkey: Option<String>) -> DefinedAgent {
        let Self { agent_id, name, kind, project_ids, skills, assistant, principal } = self;
        DefinedAgent { agent_id, name, kind, project_ids, skills, assistant, principal, passkey }
    }
}

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
struct Holder {
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
        let found = found.first::<Holder>()?.ok_or_else(|| agent_not_found(&self.agent_id))?;
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
