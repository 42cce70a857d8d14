//! `define_project`: the operator opens a project, or gives it another name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Hints, Stop, Text, Tool, User, invalid, sql};

use crate::{
    events,
    person::{self, OPERATOR},
    refusals, rules,
};

/// プロジェクトを登録します。既にあれば名前を変更します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefineProject {
    /// プロジェクトのID（英数字と - _ .）
    #[schemars(length(min = 1, max = 64))]
    project_id: String,
    /// 表示名
    #[schemars(length(min = 1, max = 100))]
    name: String,
}

/// A project as it is now.
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
    const ENGLISH: English = English {
        description: "Opens a project, or gives one another name.",
        arguments: &[
            ("project_id", "The project's ID: letters, digits, -, _ and ."),
            ("name", "Its name for people"),
        ],
    };
    const HINTS: Hints = Hints::IDEMPOTENT;
    const META: Option<&str> = Some(super::FOR_PAGES);
    type Output = DefinedProject;

    fn call(self, _: &User) -> Result<DefinedProject, Stop> {
        person::must_be_operator(Self::NAME)?;
        rules::id(&self.project_id).map_err(|why| invalid("/project_id", why))?;
        rules::name(&self.name).map_err(|why| invalid("/name", why))?;
        let write = toolkit::sql!(
            "INSERT INTO projects (id, name, is_configured, is_gone) SELECT $1, $2, 0, 0 \
             WHERE EXISTS (SELECT 1 FROM projects WHERE id = $1) \
             OR (SELECT COUNT(*) FROM projects) < $3 \
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_configured = 0, is_gone = 0 \
             WHERE projects.is_configured = 0 OR projects.is_gone = 1",
            &self.project_id,
            &self.name,
            u32::try_from(rules::PROJECTS_MAX).unwrap_or(u32::MAX),
        );
        // The operator is in every project.
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
    fn refusal(&self) -> Result<Stop, sql::Error> {
        let find = toolkit::sql!(
            "SELECT 1 FROM projects WHERE id = $1 AND is_configured = 1",
            &self.project_id
        );
        let [found] = sql::query([find])?;
        Ok(if found.is_empty() {
            refusals::too_many("projects", rules::PROJECTS_MAX)
        } else {
            refusals::project_is_configured(&self.project_id)
        })
    }
}
